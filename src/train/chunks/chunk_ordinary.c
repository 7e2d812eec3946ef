/* SPDX-License-Identifier: MIT */
/*
 * Ordinary chunks: Guo 2007, 4.2.1.
 *
 * Nodes of the first slice are on the skin, where the chart of the patch has what the slice's
 * triangulation says between the corners; those of the last lie on the face of the shell by the
 * same weights, not by the coordinates of a polygon: these differ (by 7 mm on a face of 224 mm),
 * and then nothing would be at rest at rest. All between is interpolated from the nodes as moved,
 * not from the prototype, whose sides the skin would cross.
 */
#include "chunk_work.h"
#include "shell.h"

void sup_chunk_top_uv(const SupPatchChart *chart, const SupChunkSlice *slice, uint32_t node,
                      double out_uv[2]) {
  out_uv[0] = out_uv[1] = 0;
  for (uint32_t c = 0; c < chart->corner_count; c++) {
    const double weight = sup_slice_corner_weight(slice, node, c);
    out_uv[0] += weight * chart->corners[c][0];
    out_uv[1] += weight * chart->corners[c][1];
  }
}

static void place_column(SupChunkMaking *m, uint32_t patch, const SupVec3d *shell, uint32_t k) {
  const SupPatchChart *chart = &m->def->charts->charts[patch];
  const SupChunk *chunk = &m->chunk;
  double uv[2];
  SupVec3d bottom = {0, 0, 0}, flat = {0, 0, 0};
  sup_chunk_top_uv(chart, &chunk->slice, k, uv);
  for (uint32_t c = 0; c < chart->corner_count; c++) {
    const double weight = sup_slice_corner_weight(&chunk->slice, k, c);
    const SupVec3d corner = sup_chunk_on_skin(m->def, patch, chart->corners[c]);
    bottom = sup_vec3d_add_scaled(bottom, shell[c], weight);
    flat = sup_vec3d_add_scaled(flat, corner, weight);
  }
  const SupVec3d top = sup_chunk_on_skin(m->def, patch, uv);
  bottom = sup_vec3d_add_scaled(bottom, sup_vec3d_sub(top, flat), m->def->curved);
  const bool rim = chunk->slice.rim_places[k] != SUP_NONE;
  for (uint32_t j = 0; j < chunk->slice_count; j++) {
    const uint32_t v = sup_chunk_node(chunk, j, k);
    const bool last = j + 1 == chunk->slice_count;
    m->nodes[v] = sup_vec3d_lerp(top, bottom, sup_chunk_depth(chunk, j));
    m->held[v] = rim || last;
    m->fixed[v] = rim || last || j == 0;
  }
}

SupResult sup_chunk_ordinary(SupArena *arena, const SupChunkDef *def, uint32_t patch,
                             SupSliceKind kind, const SupVec3d *shell, SupChunk *out_chunk,
                             SupError *error) {
  static const uint32_t kept_slices[2] = {0, 1};
  const uint32_t corner_count = def->charts->charts[patch].corner_count;
  SupChunkMaking m;
  SupResult result = sup_chunk_begin(arena, def, kind, corner_count, false, &m, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < m.chunk.slice.node_count; k++) place_column(&m, patch, shell, k);
  result = sup_chunk_relax(&m, false, error);
  if (result != SUP_OK) return result;
  return sup_chunk_finish(&m, sup_face_frame(corner_count, shell), kept_slices, false, out_chunk,
                          error);
}
