/* SPDX-License-Identifier: MIT */
/* Flesh below armour, clothes, eyes: what lies right under a hard piece and moves with it. */
#include "author/hard/hard_work.h"
#include "supple/geom/bounds.h"
#include "supple/geom/bvh.h"
#include "supple/geom/measure.h"

#define NEAR 0.03f     /* of the size, from the flesh to what covers it */
#define TOGETHER 0.25f /* of the weights are on the same bones: a sword does not cover a thigh */
#define OFF 1e-5f      /* of the size: rays begin off the skin */

/* The triangles that are locked, on the vertices of the body. */
static SupResult collect(HardWork *w, SupMesh *out_mesh, SupError *error) {
  const SupMesh *body = &w->character->body;
  uint32_t *triangles = SUP_ALLOC(&w->scratch, uint32_t, 3 * (size_t)body->triangle_count);
  uint32_t count = 0;
  if (!triangles) return sup_fail_memory(error, "hard parts");
  for (uint32_t t = 0; t < body->triangle_count; t++) {
    const uint32_t *corners = body->triangles + 3 * (size_t)t;
    bool locked = true;
    for (int k = 0; k < 3; k++) locked &= w->lock[corners[k]] > 0.5f;
    if (!locked) continue;
    sup_copy(triangles + 3 * (size_t)count, corners, 3 * sizeof *corners);
    count++;
  }
  *out_mesh = *body;
  out_mesh->triangles = triangles;
  out_mesh->triangle_count = count;
  return SUP_OK;
}

static bool is_covered(const HardWork *w, const SupBvh *bvh, uint32_t v, SupVec3 normal,
                       float size) {
  const SupVec3 from = sup_vec3_add_scaled(w->character->body.positions[v], normal, OFF * size);
  const SupRayHit hit = sup_bvh_ray(bvh, from, normal, NEAR * size);
  if (hit.triangle == SUP_NONE) return false;
  const uint32_t over = bvh->mesh.triangles[3 * (size_t)hit.triangle];
  if (w->pieces[over] == w->pieces[v]) return false;
  return sup_weights_overlap(&w->character->skin, v, over) >= TOGETHER;
}

SupResult sup_hard_cover(HardWork *w, double *out_area, SupError *error) {
  const SupMesh *body = &w->character->body;
  const uint32_t count = body->vertex_count;
  SupMesh hard;
  SupBvh bvh;
  *out_area = 0;
  SupResult result = collect(w, &hard, error);
  if (result != SUP_OK || hard.triangle_count == 0) return result;
  result = sup_bvh_build(&w->scratch, &hard, &bvh, error);
  SupVec3 *normals = SUP_ALLOC(&w->scratch, SupVec3, count);
  bool *covered = SUP_ALLOC(&w->scratch, bool, count);
  if (result == SUP_OK && (!normals || !covered)) result = sup_fail_memory(error, "hard parts");
  if (result != SUP_OK) return result;
  const float size = sup_bounds_diagonal(sup_bounds(body->positions, count));
  sup_vertex_normals(body, normals);
  for (uint32_t v = 0; v < count; v++) {
    covered[v] = w->lock[v] < 1 && is_covered(w, &bvh, v, normals[v], size);
  }
  for (uint32_t v = 0; v < count; v++) {
    if (!covered[v]) continue;
    *out_area += w->areas[v] * (double)(w->keep[v] - w->keep[v] * w->lock[v]);
    w->lock[v] = 1;
  }
  return SUP_OK;
}
