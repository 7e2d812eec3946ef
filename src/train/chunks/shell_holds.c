/* SPDX-License-Identifier: MIT */
/*
 * What holds an ordinary chunk: its sides and its bottom (Guo 2007, 4.4.1).
 *
 * A side moves with the frame of its edge. At a corner several edges meet and disagree: the
 * corner's column moves by the mean of all of them, and sides give way to it, the more the nearer
 * they are, and not beyond their middle. All chunks at an edge or a corner do the same arithmetic
 * on the same maps, so they agree. The bottom follows the vertices of the face by the weights of
 * its slice's triangulation, as it was made.
 */
#include "chunk_holds.h"
#include "chunk_holds_work.h"

/* Groups in their order; `count` corners. */
static uint32_t side_group(uint32_t s) { return s; }
static uint32_t corner_group(uint32_t count, uint32_t c) { return count + c; }
static uint32_t vertex_group(uint32_t count, uint32_t c) { return 2 * count + c; }
static uint32_t bulge_group(uint32_t count) { return 3 * count; }

/* A node on side s: as its edge says, and in part as the corner does that it is near to. */
static void hold_side(const SupChunk *chunk, uint32_t j, uint32_t place, SupHoldList *list) {
  const uint32_t count = chunk->slice.corner_count, parts = chunk->slice.parts;
  const uint32_t side = place / parts, next = (side + 1) % count;
  const double t = (double)(place % parts) / parts;
  const uint32_t v = sup_chunk_node(chunk, j, chunk->slice.rim[place]);
  if (place % parts == 0) {
    sup_hold_list_add(list, v, corner_group(count, side), 1, chunk->mesh.nodes[v]);
    return;
  }
  const uint32_t corner = t < 0.5 ? side : next;
  const double weight = t < 0.5 ? 1 - 2 * t : 2 * t - 1;
  const SupVec3d at = chunk->mesh.nodes[sup_chunk_node(chunk, j, chunk->slice.rim[corner * parts])];
  sup_hold_list_add(list, v, side_group(side), 1, chunk->mesh.nodes[v]);
  sup_hold_list_add(list, v, corner_group(count, corner), weight, at);
  sup_hold_list_add(list, v, side_group(side), -weight, at);
}

static void hold_bottom(const SupChunk *chunk, uint32_t k, const double *bulge, SupHoldList *list) {
  const uint32_t count = chunk->slice.corner_count;
  const uint32_t v = sup_chunk_node(chunk, chunk->slice_count - 1, k);
  const SupVec3d none = {0, 0, 0};
  for (uint32_t c = 0; c < count; c++) {
    sup_hold_list_add(list, v, vertex_group(count, c), sup_slice_corner_weight(&chunk->slice, k, c),
                      none);
  }
  sup_hold_list_add(list, v, bulge_group(count), bulge[k], none);
}

SupResult sup_chunk_shell_holds(SupArena *arena, const SupChunk *chunk, uint32_t face,
                                const double *bulge, SupShellHolds *out_holds, SupError *error) {
  const uint32_t count = chunk->slice.corner_count, rim = count * chunk->slice.parts;
  const size_t most =
      3 * (size_t)rim * chunk->slice_count + (size_t)(count + 1) * chunk->slice.node_count;
  SupHoldList list;
  if (!sup_hold_list(arena, 3 * count + 1, most, &list)) return sup_fail_memory(error, NULL);
  sup_hold_list_groups(&list, SUP_HOLD_AFFINE, 2 * count);
  sup_hold_list_groups(&list, SUP_HOLD_TRANSLATION, count + 1);
  for (uint32_t j = 0; j < chunk->slice_count; j++) {
    for (uint32_t i = 0; i < rim; i++) hold_side(chunk, j, i, &list);
  }
  for (uint32_t k = 0; k < chunk->slice.node_count; k++) {
    if (chunk->slice.rim_places[k] == SUP_NONE) hold_bottom(chunk, k, bulge, &list);
  }
  *out_holds = (SupShellHolds){sup_hold_list_done(&list), face};
  return SUP_OK;
}

/* ---- In a pose ------------------------------------------------------------------------------ */

SupAffined sup_chunk_shell_numbers(const SupChunk *chunk, const SupShellHolds *holds,
                                   const SupShellDrive *drive, double height, double *out_numbers) {
  const SupShell *shell = drive->shell;
  const uint32_t count = chunk->slice.corner_count, first = shell->offsets[holds->face];
  SupVec3d rest[SUP_SLICE_MOST_CORNERS], now[SUP_SLICE_MOST_CORNERS];
  SupAffined sides[SUP_SLICE_MOST_CORNERS], corners[SUP_SLICE_MOST_CORNERS];
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t vertex = shell->corners[first + k];
    rest[k] = drive->rest[vertex];
    now[k] = drive->now[vertex];
    sides[k] = drive->edge_maps[shell->edges_of[first + k]];
    corners[k] = sup_shell_vertex_map(shell, drive->edge_maps, vertex);
  }
  const SupShellFace face = {count, rest, now, sides, corners};
  double *out = out_numbers + holds->holds.columns[bulge_group(count)];
  out[0] = out[1] = 0;
  out[2] = height;
  return sup_shell_face_numbers(&face, chunk->frame, out_numbers);
}
