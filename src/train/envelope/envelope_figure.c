/* SPDX-License-Identifier: MIT */
/* Poses, palettes and shapes without the motion of the root. */
#include "train/envelope/envelope_work.h"

#include "supple/pose.h"

/* ---- The bind pose --------------------------------------------------------------------------- */

static void find_binds(EnvelopeFigure *f) {
  const SupSkeleton *s = &f->character->skeleton;
  for (uint32_t j = 0; j < s->joint_count; j++) f->bones[j] = SUP_NONE;
  for (uint32_t k = s->bone_count; k-- > 0;) f->bones[s->bone_joints[k]] = k;
  for (uint32_t j = 0; j < s->joint_count; j++) {
    const int32_t parent = s->parents[j];
    if (f->bones[j] != SUP_NONE) {
      f->binds[j] = sup_affined_inverse(sup_affine_to_double(s->inverse_bind[f->bones[j]]));
      continue;
    }
    f->binds[j] = sup_affine_to_double(sup_affine_compose(s->rest[j]));
    if (parent >= 0) f->binds[j] = sup_affined_mul(f->binds[parent], f->binds[j]);
  }
}

static bool near(SupAffined a, SupAffined b, double size) {
  for (int k = 0; k < 12; k++) {
    const double d = a.m[k] - b.m[k], most = k < 9 ? 1e-5 : 1e-5 * size;
    if (!(d < most && d > -most)) return false;
  }
  return true;
}

/* The bind pose; where it is the rest pose but for rounding, that. */
static void bind_pose(const EnvelopeFigure *f, SupTransform *out_pose) {
  const SupSkeleton *s = &f->character->skeleton;
  for (uint32_t j = 0; j < s->joint_count; j++) {
    const int32_t parent = s->parents[j];
    SupAffined local = f->binds[j];
    if (parent >= 0) local = sup_affined_mul(sup_affined_inverse(f->binds[parent]), local);
    out_pose[j] = s->rest[j];
    if (near(local, sup_affine_to_double(sup_affine_compose(s->rest[j])), f->size)) continue;
    const SupTransformd t = sup_affined_decompose(local);
    out_pose[j] = (SupTransform){sup_vec3d_to_float(t.translation),
                                 sup_quat_normalise(sup_quatd_to_float(t.rotation)),
                                 sup_vec3d_to_float(t.scale)};
  }
}

/* ---- The root -------------------------------------------------------------------------------- */

static uint32_t depth_of(const SupSkeleton *s, uint32_t joint) {
  uint32_t depth = 0;
  for (int32_t j = s->parents[joint]; j >= 0; j = s->parents[j]) depth++;
  return depth;
}

static int32_t common_ancestor(const SupSkeleton *s, int32_t a, int32_t b) {
  while (a != b && a >= 0 && b >= 0) {
    if (a > b) {
      a = s->parents[a];
    } else {
      b = s->parents[b];
    }
  }
  return a == b ? a : -1;
}

uint32_t sup_envelope_whole(const SupCharacter *character) {
  const SupSkeleton *s = &character->skeleton;
  const SupSkin *skin = &character->skin;
  int32_t above = -2;
  for (uint32_t k = 0; k < skin->offsets[skin->vertex_count] && above != -1; k++) {
    const int32_t joint = (int32_t)s->bone_joints[skin->bones[k]];
    above = above == -2 ? joint : common_ancestor(s, above, joint);
  }
  return above >= 0 ? (uint32_t)above : SUP_NONE;
}

bool sup_envelope_moves_all(const SupSkeleton *skeleton, uint32_t whole, uint32_t joint) {
  if (whole == SUP_NONE) return false;
  return common_ancestor(skeleton, (int32_t)whole, (int32_t)joint) == (int32_t)joint;
}

/* The lowest joint above all bones that carry skin, or the uppermost of these. */
static uint32_t find_root(const EnvelopeFigure *f) {
  const SupSkeleton *s = &f->character->skeleton;
  const SupSkin *skin = &f->character->skin;
  uint32_t best = 0, least = UINT32_MAX;
  if (f->whole != SUP_NONE && f->bones[f->whole] != SUP_NONE) return f->bones[f->whole];
  for (uint32_t k = 0; k < skin->offsets[skin->vertex_count]; k++) {
    const uint32_t joint = s->bone_joints[skin->bones[k]];
    const uint32_t depth = depth_of(s, joint);
    if (depth < least || (depth == least && joint < best)) best = joint, least = depth;
  }
  return f->bones[best];
}

/* ---- The figure ------------------------------------------------------------------------------ */

static double size_of(const SupMesh *mesh) {
  SupVec3 low = mesh->positions[0], high = low;
  for (uint32_t v = 1; v < mesh->vertex_count; v++) {
    const SupVec3 p = mesh->positions[v];
    low = sup_vec3_make(p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y,
                        p.z < low.z ? p.z : low.z);
    high = sup_vec3_make(p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y,
                         p.z > high.z ? p.z : high.z);
  }
  return sup_vec3_distance(low, high);
}

SupResult sup_envelope_figure(SupArena *arena, const SupCharacter *character, uint32_t root_joint,
                              uint32_t shape_count, uint32_t held_count, EnvelopeFigure *out,
                              SupError *error) {
  const SupSkeleton *s = &character->skeleton;
  const size_t shapes = shape_count;
  EnvelopeFigure f = {.character = character, .shape_count = shape_count, .held_count = held_count};
  f.size = size_of(&character->body);
  f.poses = SUP_ALLOC(arena, SupTransform, shapes * s->joint_count);
  f.roots = SUP_ALLOC(arena, SupAffined, shapes);
  f.palettes = SUP_ALLOC(arena, SupAffined, shapes * s->bone_count);
  f.binds = SUP_ALLOC(arena, SupAffined, s->joint_count);
  f.bones = SUP_ALLOC(arena, uint32_t, s->joint_count);
  f.positions = SUP_ALLOC(arena, SupVec3d, (size_t)held_count * character->body.vertex_count);
  if (!f.poses || !f.roots || !f.palettes || !f.binds || !f.bones || !f.positions) {
    return sup_fail_memory(error, "envelope");
  }
  find_binds(&f);
  bind_pose(&f, f.poses);
  f.whole = sup_envelope_whole(character);
  f.root = root_joint == SUP_NONE ? find_root(&f) : f.bones[root_joint];
  if (f.root == SUP_NONE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: no skin hangs on the root joint '%s'",
                    s->names[root_joint]);
  }
  *out = f;
  return SUP_OK;
}

static SupTransformd to_double(SupTransform t) {
  return (SupTransformd){sup_vec3_to_double(t.translation), sup_quat_to_double(t.rotation),
                         sup_vec3_to_double(t.scale)};
}

/* Neither zero nor beyond numbers. */
static bool has_volume(SupAffined a) {
  const double d = sup_mat3d_determinant(sup_affined_linear(a));
  for (int k = 0; k < 12; k++) {
    if (!(a.m[k] < 1e30 && a.m[k] > -1e30)) return false;
  }
  return d > 1e-30 || d < -1e-30;
}

SupResult sup_envelope_palettes(SupArena *scratch, EnvelopeFigure *f, SupError *error) {
  const SupSkeleton *s = &f->character->skeleton;
  SupAffined *globals = SUP_ALLOC(scratch, SupAffined, s->joint_count);
  SupPosed pose = {s->joint_count, sup_transformd_identity(),
                   SUP_ALLOC(scratch, SupTransformd, s->joint_count)};
  if (!globals || !pose.joints) return sup_fail_memory(error, "envelope");
  for (uint32_t i = 0; i < f->shape_count; i++) {
    const SupTransform *from = f->poses + (size_t)i * s->joint_count;
    SupAffined *palette = f->palettes + (size_t)i * s->bone_count;
    for (uint32_t j = 0; j < s->joint_count; j++) pose.joints[j] = to_double(from[j]);
    sup_pose_globals_f64(s, &pose, globals);
    sup_pose_palette_f64(s, globals, palette);
    for (uint32_t b = 0; b < s->bone_count; b++) {
      if (has_volume(palette[b])) continue;
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "envelope: joint '%s' has no volume in the pose of shape %u",
                      s->names[s->bone_joints[b]], i);
    }
    f->roots[i] = sup_affined_inverse(palette[f->root]);
    for (uint32_t b = 0; b < s->bone_count; b++) {
      palette[b] = sup_affined_mul(f->roots[i], palette[b]);
    }
    palette[f->root] = sup_affined_identity();
  }
  return SUP_OK;
}

void sup_envelope_take_positions(EnvelopeFigure *f, uint32_t shape, const SupVec3 *positions) {
  const uint32_t count = f->character->body.vertex_count;
  SupVec3d *to = f->positions + (size_t)shape * count;
  for (uint32_t v = 0; v < count; v++) {
    to[v] = sup_affined_point(f->roots[shape], sup_vec3_to_double(positions[v]));
  }
}

SupVec3d sup_envelope_place(const EnvelopeFigure *f, uint32_t shape, SupSkinPoint p) {
  const SupVec3d *at = f->positions + (size_t)shape * f->character->body.vertex_count;
  return p.a == p.b ? at[p.a] : sup_vec3d_lerp(at[p.a], at[p.b], p.t);
}
