/* SPDX-License-Identifier: MIT */
#include "train/rest_offsets.h"

#define GRAIN 512

typedef struct Job {
  const SupCharacter *character;
  const SupAffine *palette;
  const SupVec3 *positions;
  SupVec3 *out;
} Job;

static SupAffined blend(const Job *job, uint32_t v) {
  const SupSkin *skin = &job->character->skin;
  SupAffined sum = {{0}};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    const float *m = job->palette[skin->bones[k]].m;
    for (int i = 0; i < 12; i++) sum.m[i] += (double)skin->weights[k] * (double)m[i];
  }
  return sum;
}

/* (B^T B + e I)^-1 B^T r. A rotation is simply undone; where blending has taken volume away, e
 * keeps a small residual from becoming a large offset. */
static SupVec3d undo(SupMat3d b, SupVec3d r) {
  const SupMat3d t = sup_mat3d_transpose(b);
  SupMat3d square = sup_mat3d_mul(t, b);
  const double size = (square.m[0] + square.m[4] + square.m[8]) / 3;
  const double whole = size * sup_sqrt(size), det = sup_mat3d_determinant(b);
  const double lost = whole > 0 ? 1 - (det < 0 ? -det : det) / whole : 1;
  const double e = 0.01 * size * (lost > 0 ? lost : 0) + 1e-12 * size;
  if (!(size > 0)) return (SupVec3d){0, 0, 0};
  for (int i = 0; i < 9; i += 4) square.m[i] += e;
  return sup_mat3d_mul_vec3(sup_mat3d_inverse(square), sup_mat3d_mul_vec3(t, r));
}

static void undo_range(void *context, SupRange range) {
  const Job *job = (const Job *)context;
  for (uint32_t v = range.first; v < range.first + range.count; v++) {
    const SupAffined m = blend(job, v);
    const SupVec3d rest = sup_vec3_to_double(job->character->body.positions[v]);
    const SupVec3d gap =
        sup_vec3d_sub(sup_vec3_to_double(job->positions[v]), sup_affined_point(m, rest));
    job->out[v] = sup_vec3d_to_float(undo(sup_affined_linear(m), gap));
  }
}

void sup_rest_offsets(const SupCharacter *character, const SupAffine *palette,
                      const SupVec3 *positions, const SupJobs *jobs, SupVec3 *out_offsets) {
  Job job = {character, palette, positions, out_offsets};
  sup_parallel_for(jobs, character->body.vertex_count, GRAIN, undo_range, &job);
}

void sup_vertex_fractions(const SupMesh *body, double *out_areas) {
  double all = 0;
  for (uint32_t v = 0; v < body->vertex_count; v++) out_areas[v] = 0;
  for (uint32_t t = 0; t < body->triangle_count; t++) {
    const uint32_t *corner = body->triangles + 3 * (size_t)t;
    const SupVec3d a = sup_vec3_to_double(body->positions[corner[0]]);
    const SupVec3d ab = sup_vec3d_sub(sup_vec3_to_double(body->positions[corner[1]]), a);
    const SupVec3d ac = sup_vec3d_sub(sup_vec3_to_double(body->positions[corner[2]]), a);
    const double area = sup_vec3d_length(sup_vec3d_cross(ab, ac)) / 6;
    for (int k = 0; k < 3; k++) out_areas[corner[k]] += area;
    all += 3 * area;
  }
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    out_areas[v] = all > 0 ? out_areas[v] / all : 1.0 / body->vertex_count;
  }
}
