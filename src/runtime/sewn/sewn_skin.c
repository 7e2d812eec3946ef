/* SPDX-License-Identifier: MIT */
/* Seams, lanes and normals of skins sewn from patches. */
#include "runtime/sewn/sewn_skin.h"

#define BLOCK SUP_SKIN_BLOCK
#define FLAT \
  1e-6f /* determinant of a root, in lengths of its longest column, that has no inverse */

SupVec3 sup_sewn_skinned(const SupSeam *seam, const uint32_t *lanes, const float *positions) {
  const SupVec3 a = sup_sewn_get(positions, lanes[seam->a]);
  if (seam->a == seam->b) return a;
  return sup_vec3_lerp(a, sup_sewn_get(positions, lanes[seam->b]), seam->ratio);
}

void sup_sewn_add_border(uint32_t border_count, const uint32_t *borders, const float *rows,
                         float *io_sums) {
  for (uint32_t b = 0; b < border_count; b++) {
    const float *point = rows + (size_t)3 * (b - b % BLOCK) + b % BLOCK;
    float *sum = io_sums + 4 * (size_t)borders[b];
    for (uint32_t k = 0; k < 3; k++) sum[k] += point[BLOCK * k];
    sum[3] += 1;
  }
}

void sup_sewn_meet(uint32_t seam_count, const SupSeam *seams, const uint32_t *lanes,
                   const float *positions, float *io_sums) {
  for (uint32_t k = 0; k < seam_count; k++) {
    float *place = io_sums + 4 * (size_t)k;
    SupVec3 mean = {place[0], place[1], place[2]};
    if (seams[k].open) {
      mean = sup_sewn_skinned(&seams[k], lanes, positions);
    } else if (place[3] > 1) {
      mean = (SupVec3){mean.x / place[3], mean.y / place[3], mean.z / place[3]};
    }
    place[0] = mean.x, place[1] = mean.y, place[2] = mean.z;
  }
}

void sup_sewn_fill_lanes(void *context, SupRange blocks) {
  const SupSewnLanes *s = (const SupSewnLanes *)context;
  for (uint32_t i = BLOCK * blocks.first; i < BLOCK * (blocks.first + blocks.count); i++) {
    const uint32_t row = s->sources[i];
    if (row == SUP_SEWN_NONE) continue;
    sup_sewn_put(s->positions, i, sup_sewn_get(s->rows, row));
  }
}

void sup_sewn_fill_normals(void *context, SupRange blocks) {
  const SupSewnNormals *s = (const SupSewnNormals *)context;
  for (uint32_t i = BLOCK * blocks.first; i < BLOCK * (blocks.first + blocks.count); i++) {
    const uint32_t *first = s->ring_first + i / BLOCK;
    const SupVec3 own = sup_sewn_get(s->positions, i);
    SupVec3 sum = {0, 0, 0};
    for (uint32_t r = first[0]; r < first[1]; r++) {
      const uint32_t *ring = s->rings + (size_t)(2 * BLOCK) * r + i % BLOCK;
      const SupVec3 a = sup_vec3_sub(sup_sewn_get(s->positions, ring[0]), own);
      const SupVec3 b = sup_vec3_sub(sup_sewn_get(s->positions, ring[BLOCK]), own);
      sum = sup_vec3_add(sum, sup_vec3_cross(a, b));
    }
    const float size = sup_vec3_dot(sum, sum);
    if (!(size > 0 && size - size == 0)) continue; /* no area, or beyond what floats hold */
    sup_sewn_put(s->normals, i, sum);
  }
}

bool sup_sewn_has_inverse(SupAffine root) {
  const SupMat3 linear = sup_affine_linear(root);
  float longest = 0;
  for (int c = 0; c < 3; c++) {
    const float length = sup_vec3_length(sup_mat3_column(linear, c));
    if (length > longest) longest = length;
  }
  const float volume = sup_mat3_determinant(linear);
  const float least = FLAT * longest * longest * longest;
  return longest > 1e-9f && longest < 1e9f && (volume > least || volume < -least);
}
