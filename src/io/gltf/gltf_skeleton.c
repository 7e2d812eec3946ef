/* SPDX-License-Identifier: MIT */
/*
 * The skeleton of one character: joints with all their ancestors, bones, bind spaces.
 *
 * Each skin has a bind space of its own: the space of its meshes' vertices. The first skin's is
 * the body's. Another skin s is moved into it by B where that is well defined: for a joint j that
 * both bind, inverse_bind_1(j) x_1 = inverse_bind_s(j) x_s, so B = inverse_bind_1(j)^-1
 * inverse_bind_s(j), which must be the same for all shared joints. Without shared joints the rest
 * pose relates them, where both skins are bound in it: B = M_1^-1 M_s with M = to_scene(j)
 * inverse_bind(j), which must be the same for all joints of s.
 */
#include <math.h>
#include <string.h>

#include "io/gltf/gltf_build.h"

/* How far matrices may differ and still mean the same: files store them as floats, made by
 * exporters in float arithmetic. Relative to the size of the matrix, and of the skeleton. */
#define SAME 1e-4

/* Inverse bind matrices of one joint, over all skins. */
#define MOST_BINDINGS 1000u

static double linear_size(SupAffined a) {
  double size = 0;
  for (int k = 0; k < 9; k++) size = fmax(size, fabs(a.m[k]));
  return size;
}

static bool nearly_equal(SupAffined a, SupAffined b, double extent) {
  double size = fmax(linear_size(a), linear_size(b));
  for (int k = 0; k < 12; k++) {
    double allowed = k < 9 ? SAME * size : SAME * extent;
    if (!(fabs(a.m[k] - b.m[k]) <= allowed)) return false;
  }
  return true;
}

static bool invertible(SupAffined a) {
  double size = linear_size(a);
  return fabs(sup_mat3d_determinant(sup_affined_linear(a))) > 1e-12 * size * size * size;
}

/* ---- Joints --------------------------------------------------------------------------------- */

static SupResult find_joints(GltfBuild *build) {
  const GltfScene *scene = build->scene;
  SupArena *scratch = &build->reader->scratch;
  uint32_t *marks = build->node_joints;
  for (uint32_t s = 0; s < build->skin_count; s++) {
    const GltfSkin *skin = &scene->skins[build->skins[s]];
    for (uint32_t j = 0; j < skin->joint_count; j++) {
      for (uint32_t k = skin->joints[j]; k != SUP_NONE && marks[k] == SUP_NONE;) {
        marks[k] = 0;
        k = scene->nodes[k].parent;
      }
    }
  }
  uint32_t count = 0;
  for (uint32_t k = 0; k < scene->node_count; k++) count += marks[k] != SUP_NONE;
  int32_t *parents = SUP_ALLOC(scratch, int32_t, count);
  SupTransform *rest = SUP_ALLOC(scratch, SupTransform, count);
  const char **names = SUP_ALLOC(scratch, const char *, count);
  uint32_t *nodes = SUP_ALLOC(build->reader->arena, uint32_t, count);
  if (!parents || !rest || !names || !nodes) {
    return sup_fail_memory(build->reader->error, "the skeleton");
  }
  const json_t *array = sup_gltf_array(build->reader->document, GLTF_NODE);
  uint32_t joint = 0;
  for (uint32_t k = 0; k < scene->node_count; k++) {
    uint32_t node = scene->order[k], parent = scene->nodes[node].parent;
    if (marks[node] == SUP_NONE) continue;
    const char *name = sup_gltf_get_string(json_array_get(array, node), "name");
    marks[node] = joint;
    nodes[joint] = node;
    parents[joint] = parent == SUP_NONE ? -1 : (int32_t)marks[parent];
    rest[joint] = scene->nodes[node].rest;
    names[joint] = name ? name : "";
    build->out.report.nodes_sheared += scene->nodes[node].sheared;
    joint++;
  }
  build->out.joint_nodes = nodes;
  build->raw.skeleton =
      (SupSkeleton){.joint_count = count, .parents = parents, .rest = rest, .names = names};
  return SUP_OK;
}

/* ---- Bones ---------------------------------------------------------------------------------- */

/* Bones as they are found; several of one joint are linked. */
typedef struct Bones {
  uint32_t count;
  uint32_t *joints;       /* [capacity] */
  SupAffined *inverse;    /* [capacity] body space -> joint space */
  uint32_t *next;         /* [capacity] another bone of the same joint, or SUP_NONE */
  uint32_t *first;        /* [joint_count] */
  double extent;          /* size of the skeleton in body space */
  SupAffined body_scene;  /* M of the first skin */
  bool body_scene_usable; /* the first skin is bound in the rest pose */
} Bones;

/* The bone of a joint with that matrix, an old or a new one; SUP_NONE if there are too many. */
static uint32_t add_bone(Bones *bones, uint32_t joint, SupAffined inverse) {
  uint32_t *link = &bones->first[joint], looked = 0;
  while (*link != SUP_NONE) {
    if (nearly_equal(bones->inverse[*link], inverse, bones->extent)) return *link;
    link = &bones->next[*link];
    if (++looked == MOST_BINDINGS) return SUP_NONE;
  }
  uint32_t bone = bones->count++;
  *link = bone;
  bones->next[bone] = SUP_NONE;
  bones->joints[bone] = joint;
  bones->inverse[bone] = inverse;
  return bone;
}

/* The farthest joint from the first, as bound; at least something. */
static double skin_extent(const GltfSkin *skin) {
  double extent = 0;
  SupVec3d origin = {0, 0, 0};
  for (uint32_t j = 0, found = 0; j < skin->joint_count; j++) {
    if (!invertible(skin->inverse_bind[j])) continue;
    SupVec3d at = sup_affined_translation(sup_affined_inverse(skin->inverse_bind[j]));
    if (!found++) origin = at;
    extent = fmax(extent, sup_vec3d_distance(at, origin));
  }
  return extent > 0 ? extent : 1;
}

/* One opinion about B, from slot j of the skin. False if that slot has none. */
static bool bind_opinion(const GltfBuild *build, const Bones *bones, const GltfSkin *skin,
                         uint32_t j, bool by_rest, SupAffined *out_b) {
  uint32_t node = skin->joints[j];
  SupAffined space;
  if (by_rest) {
    if (!bones->body_scene_usable) return false;
    space = bones->body_scene;
    *out_b = sup_affined_mul(build->scene->nodes[node].to_scene, skin->inverse_bind[j]);
  } else {
    uint32_t bone = bones->first[build->node_joints[node]];
    if (bone == SUP_NONE) return false;
    space = bones->inverse[bone];
    *out_b = skin->inverse_bind[j];
  }
  if (!invertible(space) || !invertible(*out_b)) return false;
  *out_b = sup_affined_mul(sup_affined_inverse(space), *out_b);
  return true;
}

/* What all slots agree on. *out_any says whether there was an opinion at all. */
static bool agree_on_bind(const GltfBuild *build, const Bones *bones, const GltfSkin *skin,
                          bool by_rest, SupAffined *out_b, bool *out_any) {
  *out_any = false;
  for (uint32_t j = 0; j < skin->joint_count; j++) {
    SupAffined opinion;
    if (!bind_opinion(build, bones, skin, j, by_rest, &opinion)) continue;
    if (!*out_any) *out_b = opinion;
    *out_any = true;
    if (!nearly_equal(*out_b, opinion, bones->extent)) return false;
  }
  return *out_any;
}

/* B of the skin; the identity, exactly, where it is nearly that or cannot be known. */
static SupAffined relate_skin(GltfBuild *build, const Bones *bones, const GltfSkin *skin) {
  SupAffined b, identity = sup_affined_identity();
  bool any, related = agree_on_bind(build, bones, skin, false, &b, &any);
  if (!any) related = agree_on_bind(build, bones, skin, true, &b, &any);
  if (!related) {
    build->out.report.skins_apart++;
    return identity;
  }
  if (nearly_equal(b, identity, bones->extent)) return identity;
  build->out.report.skins_moved++;
  return b;
}

static bool is_identity(SupAffined a) {
  SupAffined identity = sup_affined_identity();
  return memcmp(&a, &identity, sizeof a) == 0;
}

/* The first skin's map from bind space to the scene, if all its joints agree on one. */
static void find_body_scene(const GltfBuild *build, const GltfSkin *skin, Bones *bones) {
  bones->body_scene_usable = invertible(skin->inverse_bind[0]);
  for (uint32_t j = 0; j < skin->joint_count && bones->body_scene_usable; j++) {
    SupAffined m =
        sup_affined_mul(build->scene->nodes[skin->joints[j]].to_scene, skin->inverse_bind[j]);
    if (j == 0) bones->body_scene = m;
    double extent = bones->extent * linear_size(bones->body_scene);
    bones->body_scene_usable = nearly_equal(m, bones->body_scene, extent);
  }
}

static SupResult add_skin_bones(GltfBuild *build, Bones *bones, uint32_t slot) {
  const GltfSkin *skin = &build->scene->skins[build->skins[slot]];
  uint32_t *slots = SUP_ALLOC(build->reader->arena, uint32_t, skin->joint_count);
  if (!slots) return sup_fail_memory(build->reader->error, "the bones");
  if (slot == 0) {
    bones->extent = skin_extent(skin);
    find_body_scene(build, skin, bones);
  }
  SupAffined b = slot ? relate_skin(build, bones, skin) : sup_affined_identity();
  build->to_body[slot] = b;
  bool moved = !is_identity(b);
  SupAffined back = moved ? sup_affined_inverse(b) : b;
  for (uint32_t j = 0; j < skin->joint_count; j++) {
    SupAffined inverse =
        moved ? sup_affined_mul(skin->inverse_bind[j], back) : skin->inverse_bind[j];
    slots[j] = add_bone(bones, build->node_joints[skin->joints[j]], inverse);
    if (slots[j] == SUP_NONE) {
      return sup_fail(build->reader->error, SUP_ERROR_UNSUPPORTED,
                      "skin %u: node %u is bound in more than %u ways", build->skins[slot],
                      skin->joints[j], MOST_BINDINGS);
    }
  }
  build->skin_bones[slot] = slots;
  build->skin_to_body[slot] = sup_affined_to_float(b);
  build->skin_joint_counts[slot] = skin->joint_count;
  return SUP_OK;
}

SupResult sup_gltf_build_skeleton(GltfBuild *build) {
  SupArena *scratch = &build->reader->scratch, *arena = build->reader->arena;
  SupResult result = find_joints(build);
  if (result != SUP_OK) return result;
  size_t capacity = 0, joints = build->raw.skeleton.joint_count;
  for (uint32_t s = 0; s < build->skin_count; s++) {
    capacity += build->scene->skins[build->skins[s]].joint_count;
  }
  if (capacity >= SUP_NONE) return sup_fail_memory(build->reader->error, "the bones");
  Bones bones = {.joints = SUP_ALLOC(scratch, uint32_t, capacity),
                 .inverse = SUP_ALLOC(scratch, SupAffined, capacity),
                 .next = SUP_ALLOC(scratch, uint32_t, capacity),
                 .first = SUP_ALLOC(scratch, uint32_t, joints)};
  SupAffine *inverse_bind = SUP_ALLOC(scratch, SupAffine, capacity);
  build->to_body = SUP_ALLOC(scratch, SupAffined, build->skin_count);
  build->skin_bones = SUP_ALLOC(arena, const uint32_t *, build->skin_count);
  build->skin_to_body = SUP_ALLOC(arena, SupAffine, build->skin_count);
  build->skin_joint_counts = SUP_ALLOC(arena, uint32_t, build->skin_count);
  if (!bones.joints || !bones.inverse || !bones.next || !bones.first || !inverse_bind ||
      !build->to_body || !build->skin_bones || !build->skin_to_body || !build->skin_joint_counts) {
    return sup_fail_memory(build->reader->error, "the bones");
  }
  for (size_t j = 0; j < joints; j++) bones.first[j] = SUP_NONE;
  for (uint32_t s = 0; s < build->skin_count && result == SUP_OK; s++) {
    result = add_skin_bones(build, &bones, s);
  }
  if (result != SUP_OK) return result;
  for (uint32_t b = 0; b < bones.count; b++)
    inverse_bind[b] = sup_affined_to_float(bones.inverse[b]);
  build->raw.skeleton.bone_count = bones.count;
  build->raw.skeleton.bone_joints = bones.joints;
  build->raw.skeleton.inverse_bind = inverse_bind;
  SupAffined rest = build->scene->nodes[build->out.joint_nodes[bones.joints[0]]].to_scene;
  build->out.bind_to_scene = sup_affined_to_float(sup_affined_mul(rest, bones.inverse[0]));
  return SUP_OK;
}
