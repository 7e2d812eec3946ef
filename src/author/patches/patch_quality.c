/* SPDX-License-Identifier: MIT */
/*
 * How good patches are.
 *
 * The score of a patch is sqrt(r b) / d: r its roundness, b the lesser of twice its balance and of
 * its least angle over half of a regular polygon's, each at most 1, d its distortion where that is
 * known. So sides may be half as long as the others and corners half as wide for nothing.
 */
#include "supple/author/patch_quality.h"

#define PI 3.14159265358979323846

static SupVec3d place(const SupPatches *patches, uint32_t vertex) {
  return sup_vec3_to_double(patches->mesh.positions[vertex]);
}

/* Angles of the patch's triangles at its features. */
static void measure_angles(const SupPatches *patches, const SupPatch *patch, double *sums,
                           SupPatchQuality *quality) {
  for (uint32_t k = 0; k < patch->side_count; k++) sums[patch->loop[patch->corners[k]]] = 0;
  for (uint32_t k = 0; k < patch->triangle_count; k++) {
    const uint32_t *c = patches->mesh.triangles + 3 * (size_t)patch->triangles[k];
    for (unsigned i = 0; i < 3; i++) {
      const SupVec3d p = place(patches, c[i]);
      const SupVec3d u = sup_vec3d_sub(place(patches, c[(i + 1) % 3]), p);
      const SupVec3d v = sup_vec3d_sub(place(patches, c[(i + 2) % 3]), p);
      sums[c[i]] += sup_atan2(sup_vec3d_length(sup_vec3d_cross(u, v)), sup_vec3d_dot(u, v));
    }
  }
  for (uint32_t k = 0; k < patch->side_count; k++) {
    const double angle = sums[patch->loop[patch->corners[k]]];
    if (k == 0 || angle < quality->least_angle) quality->least_angle = angle;
    if (k == 0 || angle > quality->greatest_angle) quality->greatest_angle = angle;
  }
  for (uint32_t k = 0; k < patch->triangle_count; k++) {
    const uint32_t *c = patches->mesh.triangles + 3 * (size_t)patch->triangles[k];
    for (unsigned i = 0; i < 3; i++) sums[c[i]] = 0;
  }
}

static void measure_sides(const SupPatches *patches, const SupPatch *patch,
                          SupPatchQuality *quality) {
  for (uint32_t k = 0; k < patch->side_count; k++) {
    double length = 0;
    for (uint32_t i = patch->corners[k]; i < patch->corners[k + 1]; i++) {
      length += sup_vec3d_distance(place(patches, patch->loop[i]),
                                   place(patches, patch->loop[(i + 1) % patch->loop_count]));
    }
    if (k == 0 || length < quality->shortest_side) quality->shortest_side = length;
    if (k == 0 || length > quality->longest_side) quality->longest_side = length;
    quality->perimeter += length;
  }
}

/* 4 pi area / perimeter^2 of a regular polygon is pi / (n tan(pi / n)). */
static double regular_roundness(uint32_t sides) {
  const double angle = PI / sides;
  return angle * sup_cos(angle) / sup_sin(angle);
}

static double at_most_one(double x) { return x < 1 ? x : 1; }

static void score_shape(SupPatchQuality *q, uint32_t sides) {
  const double regular = PI * (sides - 2) / sides;
  const double sharp = at_most_one(q->least_angle / (regular / 2));
  const double even = at_most_one(2 * q->balance);
  q->shape = sup_sqrt(at_most_one(q->roundness) * (sharp < even ? sharp : even));
}

void sup_patches_score(SupPatchesQuality *quality) {
  double sum = 0, area = 0;
  for (uint32_t k = 0; k < quality->patch_count; k++) {
    SupPatchQuality *q = &quality->patches[k];
    q->score = q->distortion > 1 ? q->shape / q->distortion : q->shape;
    if (k == 0 || q->score < quality->least_score) quality->least_score = q->score;
    sum += q->area * q->score;
    area += q->area;
  }
  quality->score = area > 0 ? quality->covered * sum / area : 0;
}

SupResult sup_patches_quality(SupArena *arena, const SupPatches *patches,
                              SupPatchesQuality *out_quality, SupError *error) {
  SupPatchesQuality all = {.patch_count = patches->patch_count};
  all.patches = SUP_ALLOC(arena, SupPatchQuality, patches->patch_count);
  double *sums = SUP_ALLOC(arena, double, patches->mesh.vertex_count);
  double area = 0;
  if (!all.patches || !sums) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < patches->patch_count; k++) {
    const SupPatch *patch = &patches->patches[k];
    SupPatchQuality *q = &all.patches[k];
    q->area = patch->area;
    q->triangle_count = patch->triangle_count;
    measure_sides(patches, patch, q);
    measure_angles(patches, patch, sums, q);
    if (q->perimeter > 0) {
      q->roundness = 4 * PI * q->area / (q->perimeter * q->perimeter);
      q->roundness /= regular_roundness(patch->side_count);
      q->balance = q->shortest_side * patch->side_count / q->perimeter;
    }
    score_shape(q, patch->side_count);
    area += q->area;
  }
  const double whole = area + patches->left_out_area;
  all.covered = whole > 0 ? area / whole : 0;
  sup_patches_score(&all);
  *out_quality = all;
  return SUP_OK;
}
