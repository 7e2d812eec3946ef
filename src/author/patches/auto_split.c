/* SPDX-License-Identifier: MIT */
/*
 * More rings: a strip where a limb leaves the trunk, others where a limb is long, and one around a
 * piece that has none.
 *
 * The height of a vertex in a limb is L d0 / (d0 + d1): d0 from its ring, d1 from the next one or
 * from the tip, L the length. A patch is to be about as long as it is wide, a quarter of a ring.
 */
#include "auto_work.h"

#include "base/scratch.h"

#define STRIP 0.7      /* quarters: length of a strip */
#define STRIP_PART 0.3 /* of the limb, at most */
#define LONG 1.9       /* quarters: a limb that is longer gets a ring in its middle, */
#define LONGER 8.0     /* two rings, */
#define LONGEST 16.0   /* or three */
#define TOGETHER 0.85  /* of both sides of a ring hang together: not a ring around one finger */
#define ASIDE 3.0      /* how bad it is for a tip to lie aside of the middle plane, */
#define BALANCE 0.7    /* and nearer to one side of its ring than to another */
#define FAR __builtin_inf()

/* Dijkstra along edges within a region, from all vertices whose distance is not FAR. */
static SupResult spread(SupAuto *a, SupArena *scratch, uint32_t region, double *io_distances) {
  const uint32_t n = a->mesh.vertex_count;
  uint32_t *list = SUP_ALLOC(scratch, uint32_t, n);
  uint8_t *listed = SUP_ALLOC(scratch, uint8_t, n);
  uint32_t first = 0, count = 0;
  if (!list || !listed) return sup_fail_memory(a->error, NULL);
  for (uint32_t v = 0; v < n; v++) {
    if (io_distances[v] == FAR) continue;
    list[count++] = v;
    listed[v] = 1;
  }
  /* A queue in a circle; a vertex that became nearer is looked at again. */
  while (count) {
    const uint32_t v = list[first];
    first = (first + 1) % n;
    count--;
    listed[v] = 0;
    for (uint32_t k = a->topology.rings.offsets[v]; k < a->topology.rings.offsets[v + 1]; k++) {
      const uint32_t w = a->topology.rings.neighbours[k];
      if (a->labels[w] != region) continue;
      const double way =
          io_distances[v] + sup_vec3d_distance(sup_auto_place(a, v), sup_auto_place(a, w));
      if (!(way < io_distances[w])) continue;
      io_distances[w] = way;
      if (listed[w]) continue;
      listed[w] = 1;
      list[(first + count++) % n] = w;
    }
  }
  return SUP_OK;
}

/* Vertices of the region beside a loop: how far they are from it. */
static void begin_at(const SupAuto *a, uint32_t region, const SupLoop *loop, double *distances) {
  const uint32_t n = a->mesh.vertex_count;
  for (uint32_t k = 0; k < loop->node_count; k++) {
    const uint32_t node = loop->nodes[k];
    const SupVec3d p = sup_auto_place(a, node);
    for (unsigned end = 0; end < 2; end++) {
      const uint32_t v = node < n ? node : a->topology.edges[2 * (size_t)(node - n) + end];
      const double way = sup_vec3d_distance(p, sup_auto_place(a, v));
      if (a->labels[v] == region && way < distances[v]) distances[v] = way;
    }
  }
}

static uint32_t farthest(const SupAuto *a, uint32_t region, const double *distances) {
  uint32_t best = SUP_NONE;
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    if (a->labels[v] != region || distances[v] == FAR) continue;
    if (best == SUP_NONE || distances[v] > distances[best]) best = v;
  }
  return best;
}

double sup_auto_reach(const SupAuto *a, const SupLoop *ring, uint32_t node) {
  const SupVec3d place = sup_auto_place(a, node);
  double least = 0, most = 0;
  for (unsigned k = 0; k < 4; k++) {
    const double way = sup_vec3d_distance(place, sup_auto_place(a, ring->nodes[ring->at[k]]));
    if (k == 0 || way < least) least = way;
    if (k == 0 || way > most) most = way;
  }
  double reach = sup_vec3d_distance(place, ring->centre) - BALANCE * (most - least);
  if (sup_auto_aside(a, ring->centre) < SUP_AUTO_MIDDLE) {
    reach -= ASIDE * sup_auto_aside(a, place) * a->size;
  }
  return reach;
}

static uint32_t find_tip(const SupAuto *a, uint32_t region, const SupLoop *ring) {
  uint32_t best = SUP_NONE;
  double most = 0;
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    if (a->labels[v] != region || a->hole_of[v] != SUP_NONE) continue;
    const double reach = sup_auto_reach(a, ring, v);
    if (best != SUP_NONE && !(reach > most)) continue;
    most = reach;
    best = v;
  }
  return best;
}

/* Heights from loop to loop, or from loop to tip; the length, 0 if there is none. */
static SupResult find_heights(SupAuto *a, SupArena *scratch, uint32_t region, const SupLoop *ring,
                              const SupLoop *next, float *out_heights, double *out_length) {
  const uint32_t n = a->mesh.vertex_count;
  double *d0 = SUP_ALLOC(scratch, double, n), *d1 = SUP_ALLOC(scratch, double, n);
  double sum = 0;
  uint32_t count = 0;
  *out_length = 0;
  if (!d0 || !d1) return sup_fail_memory(a->error, NULL);
  for (uint32_t v = 0; v < n; v++) d0[v] = d1[v] = FAR;
  begin_at(a, region, ring, d0);
  SupResult result = spread(a, scratch, region, d0);
  if (result != SUP_OK) return result;
  if (next) {
    begin_at(a, region, next, d1);
    for (uint32_t v = 0; v < n; v++) {
      if (d1[v] == FAR || d0[v] == FAR) continue;
      sum += d0[v] + d1[v];
      count++;
    }
    if (count) *out_length = sum / count;
  } else {
    const uint32_t tip = find_tip(a, region, ring);
    if (tip != SUP_NONE && d0[tip] < FAR) {
      *out_length = d0[tip];
      d1[tip] = 0;
    }
  }
  result = spread(a, scratch, region, d1);
  for (uint32_t v = 0; v < n; v++) {
    const double all = d0[v] + d1[v];
    out_heights[v] = all < FAR && all > 0 ? (float)(*out_length * d0[v] / all) : 0;
  }
  return result;
}

/* Rings at some heights, upwards. */
static SupResult cut_limb(SupAuto *a, uint32_t region, const float *heights, uint32_t count,
                          const double *levels, bool strip) {
  uint32_t at = region, part = 1;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t added;
    const SupRegion next = {.kind = k == 0 && strip ? SUP_RING_STRIP : SUP_RING_MIDDLE,
                            .piece = a->regions[region].piece,
                            .joint = a->regions[region].joint,
                            .part = part + 1};
    SupResult result =
        sup_auto_cut_region(a, at, heights, (float)levels[k], TOGETHER, next, &added);
    if (result != SUP_OK) return result;
    if (added == SUP_NONE) continue;
    at = added;
    part++;
  }
  return SUP_OK;
}

static SupResult split_limb(SupAuto *a, SupArena *scratch, uint32_t region, bool branch) {
  SupLoop *loops[3] = {0};
  bool reversed[3];
  double levels[4], length;
  uint32_t count = 0;
  float *heights = SUP_ALLOC(scratch, float, a->mesh.vertex_count);
  if (!heights) return sup_fail_memory(a->error, NULL);
  const uint32_t loop_count = sup_auto_loops_of(a, region, 3, loops, reversed);
  if (loop_count > 2) return SUP_OK;
  SupResult result = find_heights(a, scratch, region, loops[0], loops[1], heights, &length);
  if (result != SUP_OK) return result;
  const double last = loops[1] ? loops[1]->length : loops[0]->length;
  const double quarter = (loops[0]->length + last) / 8;
  double start = 0;
  const bool strip = branch && a->regions[region].kind == SUP_RING_JOINT && length > quarter;
  if (strip) {
    start = STRIP * quarter < STRIP_PART * length ? STRIP * quarter : STRIP_PART * length;
    levels[count++] = start;
  }
  const double rest = length - start;
  const double parts = quarter > 0 ? rest / quarter : 0;
  const uint32_t more = parts < LONG ? 0 : parts < LONGER ? 1 : parts < LONGEST ? 2 : 3;
  for (uint32_t k = 0; k < more; k++) levels[count++] = start + rest * (k + 1) / (more + 1);
  return cut_limb(a, region, heights, count, levels, strip);
}

/* A ring half way between two far ends. */
static SupResult split_piece(SupAuto *a, SupArena *scratch, uint32_t region) {
  const uint32_t n = a->mesh.vertex_count;
  double *d0 = SUP_ALLOC(scratch, double, n), *d1 = SUP_ALLOC(scratch, double, n);
  float *heights = SUP_ALLOC(scratch, float, n);
  if (!d0 || !d1 || !heights) return sup_fail_memory(a->error, NULL);
  for (uint32_t v = 0; v < n; v++) d0[v] = d1[v] = FAR;
  uint32_t end = SUP_NONE;
  for (uint32_t v = 0; v < n; v++) {
    if (a->labels[v] != region) continue;
    if (end == SUP_NONE || a->mesh.positions[v].y < a->mesh.positions[end].y) end = v;
  }
  if (end == SUP_NONE) return SUP_OK;
  d0[end] = 0;
  SupResult result = spread(a, scratch, region, d0);
  const uint32_t other = farthest(a, region, d0);
  d1[other] = 0;
  if (result == SUP_OK) result = spread(a, scratch, region, d1);
  if (result != SUP_OK) return result;
  for (uint32_t v = 0; v < n; v++) {
    const double all = d0[v] + d1[v];
    heights[v] = all < FAR && all > 0 ? (float)(d0[v] / all) : 0;
  }
  const SupRegion half = {
      .kind = SUP_RING_MIDDLE, .piece = a->regions[region].piece, .joint = SUP_NONE, .part = 2};
  uint32_t added;
  return sup_auto_cut_region(a, region, heights, 0.5f, 0, half, &added);
}

SupResult sup_auto_split(SupAuto *a) {
  const uint32_t count = a->region_count;
  SupResult result = SUP_OK;
  for (uint32_t r = 0; r < count && result == SUP_OK; r++) {
    SupLoop *loops[1];
    bool reversed[1];
    const SupRegion *region = &a->regions[r];
    if (region->dropped) continue;
    SupArena scratch = sup_scratch(a->scratch);
    if (region->kind == SUP_RING_PIECE) {
      if (!sup_auto_loops_of(a, r, 0, loops, reversed)) result = split_piece(a, &scratch, r);
    } else {
      /* Rings that were added to the parent in the meantime do not count: it is no limb anyway. */
      const bool branch = sup_auto_loops_of(a, region->parent, 0, loops, reversed) > 2;
      result = split_limb(a, &scratch, r, branch);
    }
    sup_arena_free(&scratch);
  }
  return result;
}
