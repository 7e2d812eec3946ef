/* SPDX-License-Identifier: MIT */
/*
 * What holds a separable chunk: its two end slices and its centre lines (Guo 2007, 4.4.2).
 *
 * An end slice at a joint moves by one affine map, so it is one group; beside ordinary chunks its
 * rim is where these have it, and what is inside follows the rim in proportion to its distance from
 * the bone.
 */
#include "chunk_bulge.h"
#include "chunk_holds.h"
#include "chunk_holds_work.h"

static uint32_t rim_count(const SupChunk *chunk) {
  return chunk->slice.corner_count * chunk->slice.parts;
}

static uint32_t end_slice(const SupChunk *chunk, uint32_t end) {
  return end ? chunk->slice_count - 1 : 0;
}

static void hold_slice(const SupChunk *chunk, uint32_t end, uint32_t group, SupHoldList *list) {
  for (uint32_t k = 0; k < chunk->slice.node_count; k++) {
    const uint32_t v = sup_chunk_node(chunk, end_slice(chunk, end), k);
    sup_hold_list_add(list, v, group, 1, chunk->mesh.nodes[v]);
  }
}

static void hold_rim(const SupChunk *chunk, uint32_t end, uint32_t first, SupHoldList *list) {
  const SupVec3d none = {0, 0, 0};
  for (uint32_t k = 0; k < chunk->slice.node_count; k++) {
    const uint32_t v = sup_chunk_node(chunk, end_slice(chunk, end), k);
    const SupSectorPlace place = sup_slice_sector_place(&chunk->slice, k);
    sup_hold_list_add(list, v, first + place.rim[0], place.radius * (1 - place.t), none);
    sup_hold_list_add(list, v, first + place.rim[1], place.radius * place.t, none);
  }
}

static void hold_line(const SupChunk *chunk, uint32_t side, uint32_t group, const double *shape,
                      SupHoldList *list) {
  const SupVec3d none = {0, 0, 0};
  for (uint32_t k = 0; k < chunk->slice.node_count; k++) {
    const SupSliceNode *node = &chunk->slice.nodes[k];
    if (node->points[0] != chunk->slice.corner_count + side) continue;
    for (uint32_t j = 0; j < chunk->slice_count; j++) {
      sup_hold_list_add(list, sup_chunk_node(chunk, j, k), group, shape[j], none);
    }
  }
}

/* From the bone to the middle of a side, half way along. */
static SupVec3d side_direction(const SupChunk *chunk, uint32_t side) {
  const uint32_t parts = chunk->slice.parts, corners = chunk->slice.corner_count;
  const uint32_t ends[2] = {side * parts, (side + 1) % corners * parts};
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t v = sup_chunk_node(chunk, chunk->slice_count / 2, chunk->slice.rim[ends[k]]);
    SupVec3d out = chunk->mesh.nodes[v];
    out.z = 0;
    sum = sup_vec3d_add(sum, sup_vec3d_normalise(out));
  }
  return sup_vec3d_normalise(sum);
}

SupResult sup_chunk_limb_holds(SupArena *arena, const SupChunk *chunk, const SupLimbEnd ends[2],
                               const SupLimbBulge *bulges, SupLimbHolds *out_holds,
                               SupError *error) {
  const uint32_t sides = chunk->slice.corner_count;
  SupLimbHolds out = {.ends = {ends[0], ends[1]}};
  SupHoldList list;
  const size_t most = 4 * (size_t)chunk->slice.node_count + (size_t)sides * chunk->slice_count;
  SupVec3d *directions = SUP_ALLOC(arena, SupVec3d, sides);
  double *shape = SUP_ALLOC(arena, double, chunk->slice_count);
  if (!sup_hold_list(arena, 2 * rim_count(chunk) + sides, most, &list) || !directions || !shape) {
    return sup_fail_memory(error, NULL);
  }
  for (uint32_t end = 0; end < 2; end++) {
    const bool rim = ends[end] == SUP_LIMB_END_RIM;
    const uint32_t first = sup_hold_list_groups(&list, rim ? SUP_HOLD_TRANSLATION : SUP_HOLD_AFFINE,
                                                rim ? rim_count(chunk) : 1);
    out.first_groups[end] = first;
    (rim ? hold_rim : hold_slice)(chunk, end, first, &list);
  }
  out.first_groups[2] = sup_hold_list_groups(&list, SUP_HOLD_TRANSLATION, sides);
  for (uint32_t side = 0; side < sides; side++) {
    sup_bulge_along(chunk, bulges[side].centre, bulges[side].width, shape);
    hold_line(chunk, side, out.first_groups[2] + side, shape, &list);
    directions[side] = side_direction(chunk, side);
  }
  out.holds = sup_hold_list_done(&list);
  out.directions = directions;
  *out_holds = out;
  return SUP_OK;
}

/* ---- In a pose ------------------------------------------------------------------------------ */

static void put(double *out, SupVec3d v) {
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

static void end_numbers(const SupChunk *chunk, const SupLimbHolds *holds, const SupLimbDrive *drive,
                        uint32_t end, double *out_numbers) {
  const uint32_t group = holds->first_groups[end];
  double *out = out_numbers + holds->holds.columns[group];
  if (holds->ends[end] == SUP_LIMB_END_SLICE) {
    for (uint32_t k = 0; k < 12; k++) out[k] = 0;
    if (!drive->maps[end]) return;
    sup_limb_slice_numbers(&drive->pose, chunk->frame, chunk->length, end, *drive->maps[end], out);
    return;
  }
  for (uint32_t i = 0; i < rim_count(chunk); i++) {
    const uint32_t v = sup_chunk_node(chunk, end_slice(chunk, end), chunk->slice.rim[i]);
    put(out + 3 * (size_t)i, sup_limb_displacement(&drive->pose, chunk->length, end,
                                                   chunk->mesh.nodes[v], drive->rims[end][i]));
  }
}

void sup_chunk_limb_numbers(const SupChunk *chunk, const SupLimbHolds *holds,
                            const SupLimbDrive *drive, double *out_numbers) {
  for (uint32_t end = 0; end < 2; end++) end_numbers(chunk, holds, drive, end, out_numbers);
  for (uint32_t side = 0; side < chunk->slice.corner_count; side++) {
    const uint32_t column = holds->holds.columns[holds->first_groups[2] + side];
    put(out_numbers + column, sup_vec3d_scale(holds->directions[side], drive->heights[side]));
  }
}
