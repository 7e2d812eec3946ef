/* SPDX-License-Identifier: MIT */
#include "tube.h"

const SupSurfaceSegment tube_segments[2] = {{0, {0, 0, 0}, {0, 1, 0}}, {1, {0, 1, 0}, {0, 2, 0}}};

static uint32_t renamed(const uint32_t *order, uint32_t v) { return order ? order[v] : v; }

static void tube_mesh(SupArena *arena, uint32_t around, uint32_t along, const uint32_t *order,
                      SupCharacter *out) {
  uint32_t n = around * along + 2, f = 0;
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, n);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 6 * around * along);
  for (uint32_t i = 0; i < along; i++) {
    for (uint32_t k = 0; k < around; k++) {
      double angle = 2 * SUP_PI * k / around;
      positions[renamed(order, i * around + k)] =
          (SupVec3){(float)(0.4 * sup_cos(angle)), (float)(2.0 * i / (along - 1)),
                    (float)(0.4 * sup_sin(angle))};
    }
  }
  uint32_t low = renamed(order, n - 2), high = renamed(order, n - 1);
  positions[low] = (SupVec3){0, -0.1f, 0};
  positions[high] = (SupVec3){0, 2.1f, 0};
  for (uint32_t k = 0; k < around; k++) {
    uint32_t next = (k + 1) % around, top = (along - 1) * around;
    for (uint32_t i = 0; i + 1 < along; i++) {
      uint32_t a = renamed(order, i * around + k), b = renamed(order, i * around + next);
      uint32_t c = renamed(order, (i + 1) * around + k),
               d = renamed(order, (i + 1) * around + next);
      const uint32_t two[6] = {a, c, b, b, c, d};
      for (int e = 0; e < 6; e++) triangles[f++] = two[e];
    }
    const uint32_t caps[6] = {low,  renamed(order, k),          renamed(order, next),
                              high, renamed(order, top + next), renamed(order, top + k)};
    for (int e = 0; e < 6; e++) triangles[f++] = caps[e];
  }
  out->body = (SupMesh){n, f / 3, positions, triangles};
}

static void tube_weights(SupArena *arena, SupCharacter *out) {
  uint32_t n = out->body.vertex_count, count = 0;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, n + 1), *bones = SUP_ALLOC(arena, uint32_t, 2 * n);
  float *weights = SUP_ALLOC(arena, float, 2 * n);
  for (uint32_t v = 0; v < n; v++) {
    double t = ((double)out->body.positions[v].y - 0.6) / 0.8;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    float w = (float)(t * t * (3 - 2 * t));
    uint32_t heavy = w > 0.5f;
    float fraction = heavy ? w : 1 - w;
    bones[count] = heavy, weights[count++] = fraction;
    if (fraction < 1) bones[count] = !heavy, weights[count++] = 1 - fraction;
    offsets[v + 1] = count;
  }
  out->skin = (SupSkin){n, 2, offsets, bones, weights};
}

void tube_make(SupArena *arena, uint32_t around, uint32_t along, const uint32_t *order,
               SupCharacter *out) {
  *out = (SupCharacter){.name = "tube"};
  static const int32_t parents[2] = {-1, 0};
  static const SupTransform rest[2] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                       {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
  static const char *const names[2] = {"low", "high"};
  static const uint32_t joints[2] = {0, 1};
  static const SupAffine bind[2] = {{{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}},
                                    {{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0}}};
  out->skeleton = (SupSkeleton){2, 2, parents, rest, names, joints, bind};
  tube_mesh(arena, around, along, order, out);
  tube_weights(arena, out);
}

SupSurfaceSegment *bone_segments(SupArena *arena, const SupSkeleton *skeleton,
                                 uint32_t *out_count) {
  uint32_t n = skeleton->bone_count, count = 0;
  SupSurfaceSegment *segments = SUP_ALLOC(arena, SupSurfaceSegment, n + skeleton->joint_count);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t joint = skeleton->bone_joints[k], before = count;
    SupVec3 a = sup_affine_translation(sup_affine_inverse(skeleton->inverse_bind[k]));
    for (uint32_t i = 0; i < n; i++) {
      if (skeleton->parents[skeleton->bone_joints[i]] != (int32_t)joint) continue;
      SupVec3 b = sup_affine_translation(sup_affine_inverse(skeleton->inverse_bind[i]));
      segments[count++] = (SupSurfaceSegment){k, a, b};
    }
    if (count == before) segments[count++] = (SupSurfaceSegment){k, a, a};
  }
  *out_count = count;
  return segments;
}
