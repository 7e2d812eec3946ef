/* SPDX-License-Identifier: MIT */
/* Bone segments in the bind pose. */
#include "supple/author/segments.h"

/* What the search for segments keeps. */
typedef struct Search {
  const SupCharacter *character;
  SupVec3 *places;   /* [joint_count] joints in the bind pose */
  uint32_t *bone_of; /* [joint_count] first bone of a joint, or SUP_NONE */
  SupSegment *segments;
  uint32_t count;
} Search;

SupVec3 sup_segment_foot(const SupSegment *segment, SupVec3 point) {
  SupVec3 direction = sup_vec3_sub(segment->b, segment->a);
  float square = sup_vec3_dot(direction, direction);
  if (!(square > 0)) return segment->a;
  float t = sup_vec3_dot(sup_vec3_sub(point, segment->a), direction) / square;
  return sup_vec3_add_scaled(segment->a, direction, t < 0 ? 0 : t > 1 ? 1 : t);
}

/* Where joints stand in the bind pose: joints with a bone know it, the others hang on their
 * parent as in the rest pose. */
static bool place_joints(SupArena *arena, Search *s) {
  const SupSkeleton *skeleton = &s->character->skeleton;
  SupAffine *bind = SUP_ALLOC(arena, SupAffine, skeleton->joint_count);
  s->places = SUP_ALLOC(arena, SupVec3, skeleton->joint_count);
  s->bone_of = SUP_ALLOC(arena, uint32_t, skeleton->joint_count);
  if (!bind || !s->places || !s->bone_of) return false;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) s->bone_of[j] = SUP_NONE;
  for (uint32_t k = skeleton->bone_count; k-- > 0;) s->bone_of[skeleton->bone_joints[k]] = k;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    int32_t parent = skeleton->parents[j];
    if (s->bone_of[j] != SUP_NONE) {
      bind[j] = sup_affine_inverse(skeleton->inverse_bind[s->bone_of[j]]);
    } else {
      bind[j] = sup_affine_compose(skeleton->rest[j]);
      if (parent >= 0) bind[j] = sup_affine_mul(bind[parent], bind[j]);
    }
    s->places[j] = sup_affine_translation(bind[j]);
  }
  return true;
}

/* How far along `direction` (unit) from `start` the bone's own vertices reach. */
static float reach_of(const Search *s, uint32_t bone, SupVec3 start, SupVec3 direction) {
  const SupSkin *skin = &s->character->skin;
  float reach = 0;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      if (skin->bones[k] != bone || skin->weights[k] < 0.5f) continue;
      float t = sup_vec3_dot(sup_vec3_sub(s->character->body.positions[v], start), direction);
      if (t > reach) reach = t;
    }
  }
  return reach;
}

static void add_leaf(Search *s, uint32_t bone, uint32_t joint) {
  SupVec3 start = s->places[joint], end = start;
  int32_t parent = s->character->skeleton.parents[joint];
  if (parent >= 0) {
    SupVec3 direction = sup_vec3_sub(start, s->places[parent]);
    if (sup_vec3_dot(direction, direction) > 0) {
      direction = sup_vec3_normalise(direction);
      end = sup_vec3_add_scaled(start, direction, reach_of(s, bone, start, direction));
    }
  }
  s->segments[s->count++] = (SupSegment){bone, start, end};
}

static void add_bone(Search *s, uint32_t bone) {
  const SupSkeleton *skeleton = &s->character->skeleton;
  uint32_t joint = skeleton->bone_joints[bone], before = s->count;
  for (uint32_t child = joint + 1; child < skeleton->joint_count; child++) {
    if (skeleton->parents[child] != (int32_t)joint) continue;
    SupVec3 d = sup_vec3_sub(s->places[child], s->places[joint]);
    if (sup_vec3_dot(d, d) > 0) {
      s->segments[s->count++] = (SupSegment){bone, s->places[joint], s->places[child]};
    }
  }
  if (s->count == before) add_leaf(s, bone, joint);
}

SupResult sup_segments_create(SupArena *arena, const SupCharacter *character,
                              const SupSegment **out_segments, uint32_t *out_count,
                              SupError *error) {
  Search s = {.character = character};
  uint32_t joints = character->skeleton.joint_count;
  size_t most = character->skeleton.bone_count; /* a leaf each, or its children: */
  for (uint32_t k = 0; k < character->skeleton.bone_count; k++) {
    uint32_t joint = character->skeleton.bone_joints[k];
    for (uint32_t child = joint + 1; child < joints; child++) {
      most += character->skeleton.parents[child] == (int32_t)joint;
    }
  }
  s.segments = SUP_ALLOC(arena, SupSegment, most);
  if (!s.segments || !place_joints(arena, &s)) {
    return sup_fail_memory(error, "bone segments");
  }
  for (uint32_t bone = 0; bone < character->skeleton.bone_count; bone++) add_bone(&s, bone);
  *out_segments = s.segments;
  *out_count = s.count;
  return SUP_OK;
}
