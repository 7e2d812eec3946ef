/* SPDX-License-Identifier: MIT */
/* Bone segments in the bind pose. */
#include "supple/author/segments.h"

/* Many bones of one joint with many children would need the product of both. */
#define MOST_SEGMENTS 2000000u

/* What the search for segments keeps. */
typedef struct Search {
  const SupCharacter *character;
  const SupVec3 *places; /* [joint_count] joints in the bind pose */
  uint32_t *child;       /* [joint_count] first child of a joint, or SUP_NONE */
  uint32_t *sibling;     /* [joint_count] next child of the same parent, or SUP_NONE */
  uint32_t *offsets;     /* [bone_count + 1] into `own` */
  uint32_t *own;         /* vertices that are mainly a bone's, by bone */
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

const SupVec3 *sup_joint_places(SupArena *arena, const SupSkeleton *skeleton) {
  SupAffine *bind = SUP_ALLOC(arena, SupAffine, skeleton->joint_count);
  SupVec3 *places = SUP_ALLOC(arena, SupVec3, skeleton->joint_count);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, skeleton->joint_count);
  if (!bind || !places || !bones) return NULL;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) bones[j] = SUP_NONE;
  for (uint32_t k = skeleton->bone_count; k-- > 0;) bones[skeleton->bone_joints[k]] = k;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    int32_t parent = skeleton->parents[j];
    if (bones[j] != SUP_NONE) {
      bind[j] = sup_affine_inverse(skeleton->inverse_bind[bones[j]]);
    } else {
      bind[j] = sup_affine_compose(skeleton->rest[j]);
      if (parent >= 0) bind[j] = sup_affine_mul(bind[parent], bind[j]);
    }
    places[j] = sup_affine_translation(bind[j]);
  }
  return places;
}

/* Lists the children of every joint, and the vertices of every bone. */
static bool list_members(SupArena *arena, Search *s) {
  const SupSkeleton *skeleton = &s->character->skeleton;
  const SupSkin *skin = &s->character->skin;
  s->child = SUP_ALLOC(arena, uint32_t, skeleton->joint_count);
  s->sibling = SUP_ALLOC(arena, uint32_t, skeleton->joint_count);
  s->offsets = SUP_ALLOC(arena, uint32_t, skeleton->bone_count + 2);
  s->own = SUP_ALLOC(arena, uint32_t, skin->vertex_count ? skin->offsets[skin->vertex_count] : 0);
  if (!s->child || !s->sibling || !s->offsets || !s->own) return false;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) s->child[j] = SUP_NONE;
  for (uint32_t j = skeleton->joint_count; j-- > 0;) {
    int32_t parent = skeleton->parents[j];
    if (parent < 0) continue;
    s->sibling[j] = s->child[parent];
    s->child[parent] = j;
  }
  /* offsets[b + 2] counts, offsets[b + 1] then moves from the start of bone b to its end. */
  uint32_t slots = skin->vertex_count ? skin->offsets[skin->vertex_count] : 0;
  for (uint32_t k = 0; k < slots; k++) s->offsets[skin->bones[k] + 2] += skin->weights[k] >= 0.5f;
  for (uint32_t b = 0; b < skeleton->bone_count; b++) s->offsets[b + 2] += s->offsets[b + 1];
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      if (skin->weights[k] >= 0.5f) s->own[s->offsets[skin->bones[k] + 1]++] = v;
    }
  }
  return true;
}

/* How far along `direction` (unit) from `start` the bone's own vertices reach. */
static float reach_of(const Search *s, uint32_t bone, SupVec3 start, SupVec3 direction) {
  float reach = 0;
  for (uint32_t k = s->offsets[bone]; k < s->offsets[bone + 1]; k++) {
    SupVec3 from_start = sup_vec3_sub(s->character->body.positions[s->own[k]], start);
    float t = sup_vec3_dot(from_start, direction);
    if (t > reach) reach = t;
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
  for (uint32_t child = s->child[joint]; child != SUP_NONE; child = s->sibling[child]) {
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
  const SupSkeleton *skeleton = &character->skeleton;
  s.places = sup_joint_places(arena, skeleton);
  if (!s.places || !list_members(arena, &s)) {
    return sup_fail_memory(error, "bone segments");
  }
  size_t most = skeleton->bone_count; /* a leaf each, or its children: */
  for (uint32_t k = 0; k < skeleton->bone_count && most <= MOST_SEGMENTS; k++) {
    uint32_t child = s.child[skeleton->bone_joints[k]];
    for (; child != SUP_NONE && most <= MOST_SEGMENTS; child = s.sibling[child]) most++;
  }
  if (most > MOST_SEGMENTS) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the skeleton has more than %u bone segments; it cannot be a character's",
                    MOST_SEGMENTS);
  }
  s.segments = SUP_ALLOC(arena, SupSegment, most);
  if (!s.segments) return sup_fail_memory(error, "bone segments");
  for (uint32_t bone = 0; bone < character->skeleton.bone_count; bone++) add_bone(&s, bone);
  *out_segments = s.segments;
  *out_count = s.count;
  return SUP_OK;
}
