/* SPDX-License-Identifier: MIT */
/* What the subspace technique shows, and moving all of it. */
#include "runtime/subspace/subspace_work.h"

/* ---- Teleports ------------------------------------------------------------------------------- */

/* Turns count vectors whose components lie `stride` apart. */
static void turn_doubles(const float *m, double *io, size_t stride, size_t count) {
  for (size_t k = 0; k < count; k++) {
    const double x = io[k], y = io[stride + k], z = io[2 * stride + k];
    for (size_t i = 0; i < 3; i++) {
      io[i * stride + k] = (double)m[i] * x + (double)m[3 + i] * y + (double)m[6 + i] * z;
    }
  }
}

/* The same of the columns of every cluster's matrix. */
static void turn_blocks(const float *m, float *io, size_t blocks) {
  for (size_t b = 0; b < blocks; b++, io += 9 * SUBSPACE_L) {
    for (size_t k = 0; k < 3 * SUBSPACE_L; k++) {
      const float x = io[k], y = io[3 * SUBSPACE_L + k], z = io[6 * SUBSPACE_L + k];
      for (size_t i = 0; i < 3; i++) {
        io[3 * i * SUBSPACE_L + k] = m[i] * x + m[3 + i] * y + m[6 + i] * z;
      }
    }
  }
}

static void move_bones(const SupAffine *move, SupSubspaceState *s, uint64_t offset, bool place) {
  const size_t four = 4 * (size_t)s->bone_count;
  double *bones = subspace_doubles(s, offset);
  turn_doubles(move->m, bones, four, four);
  for (size_t i = 0; i < 3 && place; i++) {
    for (size_t b = 0; b < s->bone_count; b++) {
      bones[i * four + 4 * b + 3] += (double)move->m[9 + i];
    }
  }
}

void sup_subspace_teleport(SupSubspaceState *s, const SupAffine *move) {
  const size_t count = s->function_count;
  SupAffine *last = (SupAffine *)(void *)((char *)s + s->last);
  for (int k = 0; k < 2; k++) {
    turn_doubles(move->m, subspace_doubles(s, s->amplitudes[k]), count, count);
    turn_doubles(move->m, subspace_doubles(s, s->velocities[k]), count, count);
    move_bones(move, s, s->bones[k], true);
    move_bones(move, s, s->bone_velocities[k], false);
    turn_blocks(move->m, subspace_floats(s, s->changes[k]), s->block_count);
  }
  turn_blocks(move->m, subspace_floats(s, s->turns), s->block_count);
  for (uint32_t k = 0; k < s->pairs; k++) {
    turn_doubles(move->m, subspace_doubles(s, s->steps) + 3 * count * k, count, count);
    turn_doubles(move->m, subspace_doubles(s, s->yields) + 3 * count * k, count, count);
  }
  for (uint32_t b = 0; b < s->bone_count; b++) last[b] = sup_affine_mul(*move, last[b]);
}

/* ---- Offsets --------------------------------------------------------------------------------- */

void sup_subspace_shown(const SupSubspaceView *model, SupSubspaceState *state, float *out) {
  const double *z = sup_subspace_amplitudes(state), *v = sup_subspace_velocities(state);
  for (uint32_t i = 0; i < 3 * model->function_count; i++) {
    out[i] = (float)(z[i] + (double)state->ahead * v[i]);
  }
}

static float along(const float *functions, const float *amplitudes, uint32_t count) {
  float sum = 0;
  for (uint32_t k = 0; k < count; k++) sum += functions[k] * amplitudes[k];
  return sum;
}

/* What the volume's own skinning adds to a vertex. */
static SupVec3 carried(const SupSubspaceView *model, const SupAffine *palette, uint32_t v) {
  SupVec3 sum = {0, 0, 0};
  for (uint32_t k = model->vertex_bone_first[v]; k < model->vertex_bone_first[v + 1]; k++) {
    const float *c = model->vertex_bone_rows + 4 * (size_t)k;
    const SupAffine *bone = &palette[model->vertex_bones[k]];
    const SupVec3 turned = sup_affine_direction(*bone, (SupVec3){c[0], c[1], c[2]});
    const SupVec3 moved = {bone->m[9], bone->m[10], bone->m[11]};
    sum = sup_vec3_add(sum, sup_vec3_add_scaled(turned, moved, c[3]));
  }
  return sum;
}

void sup_subspace_offsets(const SupSubspaceView *model, const float *shown,
                          const SupAffine *palette, SupVec3 *out_offsets) {
  const uint32_t count = model->function_count;
  for (uint32_t v = 0; v < model->vertex_count; v++) {
    const float *row = model->vertex_functions + (size_t)v * count;
    const SupVec3 own = {along(row, shown, count), along(row, shown + count, count),
                         along(row, shown + 2 * (size_t)count, count)};
    out_offsets[v] = sup_vec3_add(carried(model, palette, v), own);
  }
}

void sup_subspace_helpers(const SupSubspaceView *model, const float *shown,
                          SupAffine *out_helpers) {
  const uint32_t count = model->function_count;
  for (uint32_t j = 0; j < model->helper_count; j++) {
    for (uint32_t c = 0; c < 4; c++) {
      const float *row = model->helper_map + (4 * (size_t)j + c) * count;
      for (uint32_t i = 0; i < 3; i++) {
        out_helpers[j].m[3 * c + i] = along(row, shown + (size_t)i * count, count);
      }
    }
  }
}
