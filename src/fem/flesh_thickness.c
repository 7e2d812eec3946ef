/* SPDX-License-Identifier: MIT */
#include "fem/flesh_thickness.h"

#include <math.h>
#include <stdlib.h>

#include "supple/geom/measure.h"
#include "supple/geom/topology.h"

#define RAYS 9        /* from the skin inward: one straight, the others at 35 degrees */
#define WALLS 8       /* of parts in each other that a ray may pass */
#define AHEAD 1e-4    /* of the size: behind a wall */
#define SHEET 0.6     /* winding number that is not reached behind skin without another side */
#define NEIGHBOURS 32 /* of a vertex that are looked at */

static int compare_floats(const void *left, const void *right) {
  const float a = *(const float *)left, b = *(const float *)right;
  return a < b ? -1 : a > b;
}

float sup_median(float *values, size_t count) {
  qsort(values, count, sizeof *values, compare_floats);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

void sup_across(SupVec3 axis, SupVec3 *out_u, SupVec3 *out_v) {
  const SupVec3 other = fabsf(axis.x) < 0.7f ? (SupVec3){1, 0, 0} : (SupVec3){0, 1, 0};
  *out_u = sup_vec3_normalise(sup_vec3_cross(axis, other));
  *out_v = sup_vec3_cross(axis, *out_u);
}

SupVec3 sup_around(SupVec3 u, SupVec3 v, int k, int count) {
  double sine, cosine;
  sup_sincos(6.283185307179586 * k / count, &sine, &cosine);
  return sup_vec3_add_scaled(sup_vec3_scale(u, (float)cosine), v, (float)sine);
}

float sup_reach(const SupInside *inside, SupVec3 from, SupVec3 way, float ahead, float enough) {
  float t = 0;
  for (int k = 0; k < WALLS; k++) {
    const SupRayHit hit =
        sup_bvh_ray(inside->bvh, sup_vec3_add_scaled(from, way, t), way, INFINITY);
    if (hit.triangle == SUP_NONE) return t;
    t += hit.t;
    const SupVec3 behind = sup_vec3_add_scaled(from, way, t + ahead);
    if (t >= enough || !sup_inside(inside, sup_vec3_to_double(behind))) return t;
    t += ahead;
  }
  return t;
}

static void measure_vertex(const SupInside *inside, SupVec3 place, SupVec3 normal, float ahead,
                           float enough, double *out_half, SupVec3 *out_middle) {
  const SupVec3 inward = sup_vec3_scale(normal, -inside->outward);
  const SupVec3 from = sup_vec3_add_scaled(place, inward, ahead);
  float reaches[RAYS];
  SupVec3 u, w;
  *out_middle = place;
  *out_half = 0;
  if (sup_vec3_dot(normal, normal) == 0) return;
  if (!(sup_inside_winding(inside, sup_vec3_to_double(from)) > SHEET)) return;
  sup_across(normal, &u, &w);
  reaches[0] = sup_reach(inside, from, inward, ahead, enough);
  const float straight = reaches[0];
  for (int k = 1; k < RAYS; k++) {
    const SupVec3 aside = sup_vec3_scale(sup_around(u, w, k, RAYS - 1), 0.57357644f); /* sin 35 */
    const SupVec3 way = sup_vec3_add_scaled(aside, inward, 0.81915204f);
    reaches[k] = sup_reach(inside, from, way, ahead, enough);
  }
  const float through = sup_median(reaches, RAYS);
  const float half = fminf(straight, 1.5f * through) / 2;
  *out_half = (double)through / 2;
  *out_middle = sup_vec3_add_scaled(place, inward, half);
}

/* The median over a vertex and its neighbours that are near: at a sharp edge the rays of single
 * vertices graze the skin. */
static SupResult take_medians(SupArena *arena, const SupMesh *mesh, double near, double *io_halves,
                              SupError *error) {
  SupRings rings;
  SupResult result = sup_rings(arena, mesh, &rings, error);
  double *old = SUP_COPY(arena, double, io_halves, mesh->vertex_count);
  if (result != SUP_OK) return result;
  if (!old) return sup_fail_memory(error, "attaching");
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    float around[NEIGHBOURS];
    size_t count = 0;
    around[count++] = (float)old[v];
    for (uint32_t k = rings.offsets[v]; k < rings.offsets[v + 1]; k++) {
      const uint32_t n = rings.neighbours[k];
      if ((double)sup_vec3_distance(mesh->positions[n], mesh->positions[v]) > near) continue;
      if (count < NEIGHBOURS) around[count++] = (float)old[n];
    }
    if (count > 2) io_halves[v] = (double)sup_median(around, count);
  }
  return SUP_OK;
}

SupResult sup_thickness_measure(SupArena *arena, const SupMesh *mesh, const SupGroups *groups,
                                const SupInside *insides, double size, double enough,
                                SupThickness *out_thickness, SupError *error) {
  const uint32_t count = mesh->vertex_count;
  SupVec3 *normals = SUP_ALLOC(arena, SupVec3, count);
  SupThickness t = {.halves = SUP_ALLOC(arena, double, count),
                    .middle = SUP_ALLOC(arena, SupVec3, count),
                    .areas = SUP_ALLOC(arena, double, count)};
  if (!normals || !t.halves || !t.middle || !t.areas) return sup_fail_memory(error, "attaching");
  sup_vertex_normals(mesh, normals);
  sup_vertex_areas(mesh, SUP_AREA_BARYCENTRIC, t.areas);
  for (uint32_t v = 0; v < count; v++) {
    measure_vertex(&insides[groups->of_vertex[v]], mesh->positions[v], normals[v],
                   (float)(AHEAD * size), (float)enough, &t.halves[v], &t.middle[v]);
  }
  SupResult result = take_medians(arena, mesh, enough / 3, t.halves, error);
  if (result == SUP_OK) *out_thickness = t;
  return result;
}
