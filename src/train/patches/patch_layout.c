/* SPDX-License-Identifier: MIT */
/* Vertices and seams of patches. */
#include "train/patches/patch_layout.h"

#include "base/scratch.h"

/* Chart vertices in the middle of a divided edge are not part of the body. */
static bool of_body(const SupPatchChart *chart, uint32_t vertex) {
  return chart->vertices[vertex].a == chart->vertices[vertex].b;
}

SupResult sup_patch_layout(SupArena *arena, const SupPatches *patches, const SupPatchChart *chart,
                           SupPatchLayout *out_layout, SupError *error) {
  SupSkinPoint *points = SUP_ALLOC(arena, SupSkinPoint, chart->vertex_count);
  double(*uv)[2] = sup_arena_alloc(arena, chart->vertex_count, sizeof *uv);
  uint32_t count = 0;
  if (!points || !uv) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < chart->vertex_count; v++) {
    if (!of_body(chart, v)) continue;
    points[count] = patches->points[chart->vertices[v].a];
    sup_copy(uv[count++], chart->uv[v], sizeof *uv);
  }
  *out_layout = (SupPatchLayout){count, chart->loop_count, points, (const double(*)[2])uv};
  return SUP_OK;
}

/* Which vertices of the cut mesh are beside triangles without a patch. */
static uint8_t *find_open(SupArena *scratch, const SupPatches *patches) {
  uint8_t *open = SUP_ALLOC(scratch, uint8_t, patches->mesh.vertex_count);
  for (uint32_t f = 0; open && f < patches->mesh.triangle_count; f++) {
    if (patches->regions[f] != SUP_NONE) continue;
    for (uint32_t k = 0; k < 3; k++) open[patches->mesh.triangles[3 * (size_t)f + k]] = 1;
  }
  return open;
}

SupResult sup_patch_seams(SupArena *arena, const SupPatches *patches, SupPatchSeams *out_seams,
                          SupError *error) {
  SupArena scratch = sup_scratch(arena);
  const uint32_t cut = patches->mesh.vertex_count;
  uint32_t most = 0;
  for (uint32_t p = 0; p < patches->patch_count; p++) most += patches->patches[p].loop_count;
  uint32_t *places = SUP_ALLOC(arena, uint32_t, cut);
  SupPatchSeams out = {.seams = SUP_ALLOC(arena, SupSeam, most), .places = places};
  const uint8_t *open = find_open(&scratch, patches);
  for (uint32_t v = 0; v < cut && places; v++) places[v] = SUP_NONE;
  for (uint32_t p = 0; p < patches->patch_count && places && out.seams && open; p++) {
    for (uint32_t k = 0; k < patches->patches[p].loop_count; k++) {
      const uint32_t v = patches->patches[p].loop[k];
      if (places[v] != SUP_NONE) continue;
      const SupSkinPoint at = patches->points[v];
      places[v] = out.count;
      out.seams[out.count++] =
          (SupSeam){.a = at.a, .b = at.b, .ratio = (float)at.t, .open = open[v] != 0};
      out.open_count += open[v];
    }
  }
  const bool full = !places || !out.seams || !open;
  sup_arena_free(&scratch);
  if (full) return sup_fail_memory(error, NULL);
  *out_seams = out;
  return SUP_OK;
}
