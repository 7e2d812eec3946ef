/* SPDX-License-Identifier: MIT */
/*
 * Helper joints that a rig adds to a character.
 *
 * A helper's bone takes its inverse bind from its parent's bone b: with local map L at rest,
 * inverse_bind = L^-1 inverse_bind_b, so that its palette entry is that of b as long as its
 * channels are neutral. Its weight is a part of the weight of b, so skinning is then what it was,
 * but for vertices that would get more bones than the rig allows.
 */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "rig/layers.h"
#include "rig/rig_names.h"

#define OWN 4.0f    /* times the weight: what a bone of the character counts that goes */
#define LEAST 1e-4f /* weight that counts as reaching a vertex */

static SupResult refuse(const SupRigHelper *h, SupError *error, const char *what,
                        const char *name) {
  char where[32];
  return sup_fail(error, SUP_ERROR_FORMAT, "helper '%s'%s: %s%s", h->name,
                  sup_rig_line(where, sizeof where, h->line), what, name);
}

static int64_t find(const SupSkeleton *skeleton, uint32_t count, const char *name) {
  for (uint32_t j = 0; j < count; j++) {
    if (strcmp(skeleton->names[j], name) == 0) return j;
  }
  return -1;
}

static int64_t first_bone(const uint32_t *bone_joints, uint32_t bone_count, uint32_t joint) {
  for (uint32_t b = 0; b < bone_count; b++) {
    if (bone_joints[b] == joint) return b;
  }
  return -1;
}

int64_t sup_rig_joint_bone(const SupRigJoints *joints, uint32_t joint) {
  return first_bone(joints->skeleton.bone_joints, joints->skeleton.bone_count, joint);
}

/* ---- The skeleton --------------------------------------------------------------------------- */

/* The arrays of the extended skeleton, while they can be written. */
typedef struct Extended {
  int32_t *parents;
  SupTransform *rest;
  const char **names;
  uint32_t *bone_joints;
  SupAffine *inverse_bind;
  SupAffined *precise;
  uint32_t *parent_bones; /* [helper_count] */
} Extended;

static bool extend(SupArena *arena, const SupSkeleton *from, uint32_t helpers, Extended *e,
                   SupRigJoints *out) {
  const uint32_t joints = from->joint_count + helpers, bones = from->bone_count + helpers;
  *e = (Extended){SUP_ALLOC(arena, int32_t, joints),      SUP_ALLOC(arena, SupTransform, joints),
                  SUP_ALLOC(arena, const char *, joints), SUP_ALLOC(arena, uint32_t, bones),
                  SUP_ALLOC(arena, SupAffine, bones),     SUP_ALLOC(arena, SupAffined, bones),
                  SUP_ALLOC(arena, uint32_t, helpers)};
  if (!e->parents || !e->rest || !e->names || !e->bone_joints || !e->inverse_bind || !e->precise ||
      !e->parent_bones) {
    return false;
  }
  for (uint32_t j = 0; j < from->joint_count; j++) {
    e->parents[j] = from->parents[j];
    e->rest[j] = from->rest[j];
    e->names[j] = from->names[j];
  }
  for (uint32_t b = 0; b < from->bone_count; b++) {
    e->bone_joints[b] = from->bone_joints[b];
    e->inverse_bind[b] = from->inverse_bind[b];
    e->precise[b] = sup_affine_to_double(from->inverse_bind[b]);
  }
  out->skeleton =
      (SupSkeleton){joints, bones, e->parents, e->rest, e->names, e->bone_joints, e->inverse_bind};
  out->inverse_bind = e->precise;
  return true;
}

static bool is_finite(SupVec3d x) { return isfinite(x.x) && isfinite(x.y) && isfinite(x.z); }

/* Appends helper k behind `joints` joints and `bones` bones. */
static SupResult add_helper(const SupRigHelper *h, uint32_t k, const SupSkeleton *from, Extended *e,
                            const SupRigJoints *out, SupError *error) {
  const uint32_t joint = from->joint_count + k, bone = from->bone_count + k;
  if (!h->name || !h->name[0]) {
    return sup_fail(error, SUP_ERROR_FORMAT, "helper %u of the rig has no name", k);
  }
  if (!is_finite(h->at)) return refuse(h, error, "its place must be three finite numbers", "");
  if (!(h->radius > 0) || !isfinite(h->radius)) {
    return refuse(h, error, "its radius must be a finite number above 0", "");
  }
  if (find(&out->skeleton, joint, h->name) >= 0) {
    return refuse(h, error, "a joint has the same name", "");
  }
  int64_t parent = h->parent ? find(&out->skeleton, joint, h->parent) : -1;
  if (parent < 0) {
    char hint[96], where[32];
    const char *nearest = h->parent ? sup_nearest_name(h->parent, e->names, joint) : NULL;
    return sup_fail(error, SUP_ERROR_FORMAT, "helper '%s'%s: there is no joint '%s'%s", h->name,
                    sup_rig_line(where, sizeof where, h->line), h->parent ? h->parent : "",
                    sup_did_you_mean(hint, sizeof hint, nearest));
  }
  int64_t parent_bone = first_bone(e->bone_joints, bone, (uint32_t)parent);
  if (parent_bone < 0) {
    return refuse(h, error, "its parent moves no vertex of the skin: ", h->parent);
  }
  e->parents[joint] = (int32_t)parent;
  e->names[joint] = h->name;
  e->bone_joints[bone] = joint;
  e->parent_bones[k] = (uint32_t)parent_bone;
  e->rest[joint] = sup_transform_identity();
  e->rest[joint].translation =
      sup_vec3d_to_float(sup_affined_point(e->precise[parent_bone], h->at));
  SupAffined back = sup_affined_identity();
  back.m[9] = -(double)e->rest[joint].translation.x;
  back.m[10] = -(double)e->rest[joint].translation.y;
  back.m[11] = -(double)e->rest[joint].translation.z;
  e->precise[bone] = sup_affined_mul(back, e->precise[parent_bone]);
  e->inverse_bind[bone] = sup_affined_to_float(e->precise[bone]);
  return SUP_OK;
}

/* ---- The skin ------------------------------------------------------------------------------- */

typedef struct Influence {
  uint32_t bone;
  float weight;
} Influence;

/* The influences of vertex v with helpers, list[influence_max + helper_count]; returns how many. */
static uint32_t share(const SupCharacter *character, const SupRigDef *def, const Extended *e,
                      uint32_t v, Influence *list, float *io_reached) {
  const SupSkin *skin = &character->skin;
  uint32_t count = 0, kept = 0;
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    list[count++] = (Influence){skin->bones[k], skin->weights[k]};
  }
  const SupVec3d x = sup_vec3_to_double(character->body.positions[v]);
  for (uint32_t h = 0; h < def->helper_count; h++) {
    const double d = sup_vec3d_distance(x, def->helpers[h].at) / def->helpers[h].radius;
    for (uint32_t k = 0; d < 1 && k < count; k++) {
      if (list[k].bone != e->parent_bones[h]) continue;
      const double fall = (1 - d * d) * (1 - d * d);
      const float taken = (float)(fall * (double)list[k].weight);
      if (taken < 1e-6f) break;
      list[k].weight -= taken;
      io_reached[h] = fmaxf(io_reached[h], taken);
      list[count++] = (Influence){character->skeleton.bone_count + h, taken};
      break;
    }
  }
  for (uint32_t k = 0; k < count; k++) {
    if (list[k].weight > 0) list[kept++] = list[k];
  }
  return kept;
}

/* The bone of the character's own that a bone moves with as long as helpers are at rest. */
static uint32_t own_bone(const Extended *e, uint32_t own_count, uint32_t bone) {
  while (bone >= own_count) bone = e->parent_bones[bone - own_count];
  return bone;
}

/* How alike two bones move: 3 by way of a helper and what it hangs from, 2 with the same bone of
 * the character, 1 with bones whose joints are neighbours, 0 otherwise. */
static int kinship(const Extended *e, uint32_t own_count, uint32_t from, uint32_t to) {
  const uint32_t a = own_bone(e, own_count, from), b = own_bone(e, own_count, to);
  if (from >= own_count && to == e->parent_bones[from - own_count]) return 3;
  if (a == b) return 2;
  const uint32_t i = e->bone_joints[a], k = e->bone_joints[b];
  return e->parents[i] == (int32_t)k || e->parents[k] == (int32_t)i;
}

/* Which entry gets the weight of entry k when that goes: the nearest of kin, the heaviest of
 * these. */
static uint32_t heir(const Extended *e, uint32_t own_count, const Influence *list, uint32_t count,
                     uint32_t k, int *out_kinship) {
  uint32_t best = SUP_NONE;
  *out_kinship = -1;
  for (uint32_t i = 0; i < count; i++) {
    const int kin = i == k ? -1 : kinship(e, own_count, list[k].bone, list[i].bone);
    if (kin < *out_kinship || i == k) continue;
    if (kin == *out_kinship && list[i].weight <= list[best].weight) continue;
    *out_kinship = kin;
    best = i;
  }
  return best;
}

/* Leaves at most `most` bones, the lightest first; each leaves its weight to its heir. Between
 * bones that move alike while helpers rest, plain skinning stays what it is; others count OWN
 * times. To go by weight keeps what is left even from vertex to vertex. */
static uint32_t shorten(const Extended *e, uint32_t own_count, uint32_t most, Influence *list,
                        uint32_t count) {
  while (count > most) {
    uint32_t least = 0, to = 1;
    float lightest = INFINITY;
    for (uint32_t k = 0; k < count; k++) {
      int kin;
      const uint32_t other = heir(e, own_count, list, count, k, &kin);
      const float cost = kin >= 2 ? list[k].weight : OWN * list[k].weight;
      if (cost >= lightest) continue;
      lightest = cost;
      least = k;
      to = other;
    }
    list[to].weight += list[least].weight;
    list[least] = list[--count];
  }
  return count;
}

/* The same in order: by descending weight, then rising bone. */
static uint32_t mix(const SupCharacter *character, const SupRigDef *def, const Extended *e,
                    uint32_t v, Influence *list, float *io_reached) {
  uint32_t count = share(character, def, e, v, list, io_reached);
  if (def->influence_max > 0) {
    const uint32_t own = character->skin.offsets[v + 1] - character->skin.offsets[v];
    const uint32_t most = own > def->influence_max ? own : def->influence_max;
    count = shorten(e, character->skeleton.bone_count, most, list, count);
  }
  for (uint32_t k = 1; k < count; k++) {
    const Influence one = list[k];
    uint32_t at = k;
    for (; at > 0; at--) {
      const Influence *before = &list[at - 1];
      if (before->weight > one.weight ||
          (before->weight == one.weight && before->bone < one.bone)) {
        break;
      }
      list[at] = *before;
    }
    list[at] = one;
  }
  return count;
}

static SupResult mix_all(SupArena *arena, const SupCharacter *character, const SupRigDef *def,
                         const Extended *e, SupArena *scratch, SupRigJoints *out, SupError *error) {
  const SupSkin *skin = &character->skin;
  Influence *list = SUP_ALLOC(scratch, Influence, skin->influence_max + def->helper_count);
  float *reached = SUP_ALLOC(scratch, float, def->helper_count);
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)skin->vertex_count + 1);
  if (!list || !reached || !offsets) return sup_fail_memory(error, "the rig");
  uint32_t most = 0;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    const uint32_t count = mix(character, def, e, v, list, reached);
    offsets[v + 1] = offsets[v] + count;
    if (count > most) most = count;
  }
  for (uint32_t h = 0; h < def->helper_count; h++) {
    if (reached[h] < LEAST) {
      return refuse(&def->helpers[h], error,
                    "it reaches no vertex that its parent moves; move it or widen its radius", "");
    }
  }
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, offsets[skin->vertex_count]);
  float *weights = SUP_ALLOC(arena, float, offsets[skin->vertex_count]);
  if (!bones || !weights) return sup_fail_memory(error, "the rig");
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    const uint32_t count = mix(character, def, e, v, list, reached);
    for (uint32_t k = 0; k < count; k++) {
      bones[offsets[v] + k] = list[k].bone;
      weights[offsets[v] + k] = list[k].weight;
    }
  }
  out->skin = (SupSkin){skin->vertex_count, most, offsets, bones, weights};
  return SUP_OK;
}

SupResult sup_rig_joints_create(SupArena *arena, const SupCharacter *character,
                                const SupRigDef *def, SupRigJoints *out_joints, SupError *error) {
  Extended e;
  if (!extend(arena, &character->skeleton, def->helper_count, &e, out_joints)) {
    return sup_fail_memory(error, "the rig");
  }
  for (uint32_t k = 0; k < def->helper_count; k++) {
    SupResult result = add_helper(&def->helpers[k], k, &character->skeleton, &e, out_joints, error);
    if (result != SUP_OK) return result;
  }
  out_joints->skin = character->skin;
  if (def->helper_count == 0) return SUP_OK;
  SupArena scratch = sup_scratch(arena);
  SupResult result = mix_all(arena, character, def, &e, &scratch, out_joints, error);
  sup_arena_free(&scratch);
  return result;
}
