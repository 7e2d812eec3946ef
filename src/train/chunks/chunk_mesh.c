/* SPDX-License-Identifier: MIT */
/*
 * What both kinds of chunks have in common: slices linked by wedges, relaxation, the check.
 *
 * Relaxation is Guo 2007, 4.2: x_i += sum w_ij (x_j - x_i), all nodes at once; half of the weights
 * within the slice and a quarter to each of its neighbours.
 */
#include "base/scratch.h"
#include "chunk_work.h"

static bool link_slices(SupChunkMaking *m) {
  const SupChunkSlice *s = &m->chunk.slice;
  const uint32_t layers = m->chunk.slice_count - 1, per_layer = s->triangle_count;
  uint32_t *wedges = SUP_ALLOC(m->arena, uint32_t, 6 * (size_t)layers * per_layer);
  if (!wedges) return false;
  for (uint32_t j = 0; j < layers; j++) {
    for (uint32_t t = 0; t < per_layer; t++) {
      uint32_t *w = wedges + 6 * ((size_t)j * per_layer + t);
      for (uint32_t k = 0; k < 3; k++) {
        const uint32_t node = s->triangles[3 * (size_t)t + k];
        w[k] = sup_chunk_node(&m->chunk, m->upwards ? j : j + 1, node);
        w[k + 3] = sup_chunk_node(&m->chunk, m->upwards ? j + 1 : j, node);
      }
    }
  }
  m->chunk.mesh.wedges = wedges;
  m->chunk.mesh.wedge_count = layers * per_layer;
  return true;
}

SupResult sup_chunk_begin(SupArena *arena, const SupChunkDef *def, SupSliceKind kind,
                          uint32_t corner_count, bool upwards, SupChunkMaking *out_making,
                          SupError *error) {
  SupChunkMaking m = {.def = def, .arena = arena, .upwards = upwards};
  m.chunk.name = def->name;
  m.chunk.slice_count = def->slice_count;
  if (def->slice_count < 2 || def->slice_count > SUP_CHUNK_MOST_SLICES) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "chunk '%s': %u slices; there may be 2 to %d",
                    def->name, def->slice_count, SUP_CHUNK_MOST_SLICES);
  }
  SupResult result = sup_chunk_slice(arena, kind, corner_count, def->levels, &m.chunk.slice, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "chunk '%s'", def->name);
    return result;
  }
  const uint32_t count = m.chunk.slice.node_count * def->slice_count;
  m.chunk.mesh.node_count = count;
  m.nodes = SUP_ALLOC(arena, SupVec3d, count);
  m.held = SUP_ALLOC(arena, uint8_t, count);
  m.fixed = SUP_ALLOC(arena, uint8_t, count);
  if (!m.nodes || !m.held || !m.fixed || !link_slices(&m)) return sup_fail_memory(error, NULL);
  *out_making = m;
  return SUP_OK;
}

SupVec3d sup_chunk_on_skin(const SupChunkDef *def, uint32_t patch, const double uv[2]) {
  const SupChartPlace place = {patch, {uv[0], uv[1]}};
  return sup_skin_place_position(def->skin, sup_chart_to_skin(def->charts, place));
}

/* ---- Relaxation ----------------------------------------------------------------------------- */

static SupVec3d mean_of(const SupChunkMaking *m, const SupVec3d *nodes, uint32_t v) {
  const SupChunkSlice *s = &m->chunk.slice;
  const uint32_t j = v / s->node_count, k = v % s->node_count;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t i = s->offsets[k]; i < s->offsets[k + 1]; i++) {
    sum = sup_vec3d_add(sum, nodes[sup_chunk_node(&m->chunk, j, s->neighbours[i])]);
  }
  sum = sup_vec3d_scale(sum, 1.0 / (s->offsets[k + 1] - s->offsets[k]));
  if (j == 0 || j + 1 == m->chunk.slice_count) return sum;
  const SupVec3d below = nodes[v - s->node_count], above = nodes[v + s->node_count];
  return sup_vec3d_add_scaled(sup_vec3d_scale(sum, 0.5), sup_vec3d_add(below, above), 0.25);
}

SupResult sup_chunk_relax(SupChunkMaking *m, bool flat_ends, SupError *error) {
  SupArena scratch = sup_scratch(m->arena);
  const uint32_t count = m->chunk.mesh.node_count, slice = m->chunk.slice.node_count;
  SupVec3d *before = SUP_ALLOC(&scratch, SupVec3d, count);
  if (!before) return sup_fail_memory(error, NULL);
  for (uint32_t round = 0; round < m->def->relaxations; round++) {
    sup_copy(before, m->nodes, count * sizeof *before);
    for (uint32_t v = 0; v < count; v++) {
      const bool end = v < slice || v >= count - slice;
      if (!m->fixed[v] && (flat_ends || !end)) m->nodes[v] = mean_of(m, before, v);
    }
  }
  sup_arena_free(&scratch);
  return SUP_OK;
}

/* ---- The end -------------------------------------------------------------------------------- */

static SupResult check_wedges(const SupChunk *chunk, SupError *error) {
  for (uint32_t w = 0; w < chunk->mesh.wedge_count; w++) {
    SupVec3d corners[6];
    sup_wedge_corners(&chunk->mesh, chunk->mesh.nodes, w, corners);
    if (sup_wedge_size(corners).least > 0) continue;
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "chunk '%s': a wedge between its slices %u and %u is flat or inverted; give it "
                    "fewer slices, or change its patches or what is below them",
                    chunk->name, w / chunk->slice.triangle_count + 1,
                    w / chunk->slice.triangle_count + 2);
  }
  return SUP_OK;
}

static bool list_kept(SupChunkMaking *m, const uint32_t slices[2], bool rim_alone) {
  const SupChunkSlice *s = &m->chunk.slice;
  uint32_t *kept = SUP_ALLOC(m->arena, uint32_t, (size_t)(slices[1] - slices[0]) * s->node_count);
  if (!kept) return false;
  for (uint32_t j = slices[0]; j < slices[1]; j++) {
    for (uint32_t k = 0; k < s->node_count; k++) {
      const uint32_t v = sup_chunk_node(&m->chunk, j, k);
      if (m->held[v] || (rim_alone && s->rim_places[k] == SUP_NONE)) continue;
      kept[m->chunk.kept_count++] = v;
    }
  }
  m->chunk.kept = kept;
  return true;
}

SupResult sup_chunk_finish(SupChunkMaking *m, SupAffined frame, const uint32_t kept_slices[2],
                           bool rim_alone, SupChunk *out_chunk, SupError *error) {
  const SupAffined back = sup_affined_inverse(frame);
  for (uint32_t v = 0; v < m->chunk.mesh.node_count; v++) {
    m->nodes[v] = sup_affined_point(back, m->nodes[v]);
  }
  m->chunk.frame = frame;
  m->chunk.mesh.nodes = m->nodes;
  m->chunk.held = m->held;
  SupResult result = check_wedges(&m->chunk, error);
  if (result != SUP_OK) return result;
  if (!list_kept(m, kept_slices, rim_alone)) return sup_fail_memory(error, NULL);
  *out_chunk = m->chunk;
  return SUP_OK;
}
