/* SPDX-License-Identifier: MIT */
/* Patches and their charts as text, for check_patch_maps.py: lines of a name, its shape, its
 * numbers.
 */
#include "patch_bodies.h"
#include "supple/train/patch_map.h"

static void put(const char *name, uint32_t rows, uint32_t columns, const double *numbers) {
  printf("%s %u %u", name, rows, columns);
  for (uint32_t k = 0; k < rows * columns; k++) printf(" %.17g", numbers[k]);
  printf("\n");
}

static void put_chart(const PatchBody *body, const SupPatchChart *chart) {
  const double asked[4] = {chart->loop_count, chart->weights, chart->flipped_count,
                           chart->distortion.worst_owner};
  double *places = calloc(3 * (size_t)chart->vertex_count, sizeof *places);
  double *corners = calloc(3 * (size_t)chart->triangle_count, sizeof *corners);
  assert_true(places && corners);
  for (uint32_t v = 0; v < chart->vertex_count; v++) {
    const SupSkinPoint a = body->patches.points[chart->vertices[v].a];
    const SupSkinPoint b = body->patches.points[chart->vertices[v].b];
    const SupVec3d p = sup_vec3d_lerp(sup_skin_point_place(&body->mesh, a),
                                      sup_skin_point_place(&body->mesh, b), 0.5);
    places[3 * v] = p.x;
    places[3 * v + 1] = p.y;
    places[3 * v + 2] = p.z;
  }
  for (uint32_t k = 0; k < 3 * chart->triangle_count; k++) corners[k] = chart->triangles[k];
  put("chart", 4, 1, asked);
  put("places", chart->vertex_count, 3, places);
  put("triangles", chart->triangle_count, 3, corners);
  put("uv", chart->vertex_count, 2, chart->uv[0]);
  put("distortion", 4, 1, &chart->distortion.angles);
  free(places);
  free(corners);
}

int main(void) {
  for (uint32_t round = 0; round < 4; round++) {
    PatchBody *body =
        patch_ball(2 + round % 2, 0.1 * round, (SupVec3){1, 0.8f, 0.6f}, round, round);
    for (int weights = 0; weights < SUP_CHART_WEIGHTS_COUNT; weights++) {
      const SupPatchMapDef def = {.def = &body->def,
                                  .patches = &body->patches,
                                  .weights = (SupChartWeights)weights,
                                  .polygon = (SupPatchPolygon)(round % 2)};
      SupPatchCharts charts;
      if (sup_patch_charts(&body->arena, &def, &charts, NULL) != SUP_OK) return 1;
      for (uint32_t p = 0; p < charts.patch_count; p++) put_chart(body, &charts.charts[p]);
    }
    patch_body_free(body);
  }
  return 0;
}
