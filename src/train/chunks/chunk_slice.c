/* SPDX-License-Identifier: MIT */
/*
 * Slices of chunks: Guo 2007, 4.2.
 *
 * A base triangle between corners and centres is divided into four `levels` times: a grid of
 * multiples of 1 / parts. Nodes with the same weights on the same points are one node; sectors have
 * centres of their own, so that two of them have only the corner between them in common.
 */
#include "chunk_slice.h"

#include "base/scratch.h"

typedef struct Making {
  SupChunkSlice *slice;
  SupSliceNode *nodes;
  uint32_t *triangles;
  uint32_t *grid; /* node of each place in a base triangle */
} Making;

/* ---- Base triangles ------------------------------------------------------------------------- */

static uint32_t base_count(const SupChunkSlice *s) {
  return s->kind == SUP_SLICE_DIAGONALS ? s->corner_count - 2 : s->corner_count;
}

/* Triangle b in zigzag: low corners 0, 1, 2, ..., high ones count - 1, count - 2, ... */
static void zigzag(uint32_t corner_count, uint32_t b, uint32_t out[3]) {
  const uint32_t low = (b + 1) / 2, high = corner_count - 1 - b / 2;
  out[0] = low;
  out[1] = b % 2 ? high - 1 : low + 1;
  out[2] = high;
}

static void base_triangle(const SupChunkSlice *s, uint32_t b, uint32_t out[3]) {
  if (s->kind == SUP_SLICE_DIAGONALS) {
    zigzag(s->corner_count, b, out);
    return;
  }
  out[0] = b;
  out[1] = (b + 1) % s->corner_count;
  out[2] = s->corner_count + (s->kind == SUP_SLICE_SECTORS ? b : 0);
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

/* What it is made of, by number; no weight is the last. */
static SupSliceNode in_order(const uint32_t points[3], const double weights[3]) {
  SupSliceNode node = {{0, 0, 0}, {0, 0, 0}};
  uint32_t used = 0;
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t at = used;
    if (!(weights[k] > 0)) continue;
    for (; at > 0 && node.points[at - 1] > points[k]; at--) {
      node.points[at] = node.points[at - 1];
      node.weights[at] = node.weights[at - 1];
    }
    node.points[at] = points[k];
    node.weights[at] = weights[k];
    used++;
  }
  return node;
}

static bool same_node(const SupSliceNode *a, const SupSliceNode *b) {
  for (uint32_t k = 0; k < 3; k++) {
    if (a->points[k] != b->points[k] || a->weights[k] != b->weights[k]) return false;
  }
  return true;
}

static uint32_t find_node(const Making *m, const SupSliceNode *node) {
  for (uint32_t k = 0; k < m->slice->node_count; k++) {
    if (same_node(&m->nodes[k], node)) return k;
  }
  return SUP_NONE;
}

static uint32_t add_node(Making *m, const uint32_t points[3], const double weights[3]) {
  const SupSliceNode node = in_order(points, weights);
  const bool inside = node.weights[2] > 0; /* of its base triangle alone */
  const uint32_t found = inside ? SUP_NONE : find_node(m, &node);
  if (found != SUP_NONE) return found;
  m->nodes[m->slice->node_count] = node;
  return m->slice->node_count++;
}

/* ---- Triangles ------------------------------------------------------------------------------ */

static void add_triangle(Making *m, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t *t = m->triangles + 3 * (size_t)m->slice->triangle_count++;
  t[0] = m->grid[a];
  t[1] = m->grid[b];
  t[2] = m->grid[c];
}

static void divide_triangle(Making *m, uint32_t b) {
  const uint32_t n = m->slice->parts, row = n + 1;
  uint32_t points[3];
  base_triangle(m->slice, b, points);
  for (uint32_t i = 0; i <= n; i++) {
    for (uint32_t j = 0; i + j <= n; j++) {
      const double weights[3] = {(double)i / n, (double)j / n, (double)(n - i - j) / n};
      m->grid[i * row + j] = add_node(m, points, weights);
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; i + j < n; j++) {
      const uint32_t at = i * row + j;
      add_triangle(m, at, at + row, at + 1);
      if (i + j + 1 < n) add_triangle(m, at + row, at + row + 1, at + 1);
    }
  }
}

/* ---- The rim and neighbours ----------------------------------------------------------------- */

static bool add_rim(SupArena *arena, const Making *m) {
  SupChunkSlice *s = m->slice;
  uint32_t *rim = SUP_ALLOC(arena, uint32_t, (size_t)s->corner_count * s->parts);
  uint32_t *places = SUP_ALLOC(arena, uint32_t, s->node_count);
  if (!rim || !places) return false;
  for (uint32_t k = 0; k < s->node_count; k++) places[k] = SUP_NONE;
  for (uint32_t i = 0; i < s->corner_count * s->parts; i++) {
    const uint32_t side = i / s->parts, k = i % s->parts;
    const uint32_t points[3] = {side, (side + 1) % s->corner_count, 0};
    const double weights[3] = {(double)(s->parts - k) / s->parts, (double)k / s->parts, 0};
    const SupSliceNode node = in_order(points, weights);
    rim[i] = find_node(m, &node);
    places[rim[i]] = i;
  }
  s->rim = rim;
  s->rim_places = places;
  return true;
}

/* Puts `b` among the rising neighbours of a node, which begin at list; returns their number. */
static uint32_t insert(uint32_t *list, uint32_t count, uint32_t b) {
  uint32_t at = count;
  for (uint32_t k = 0; k < count; k++) {
    if (list[k] == b) return count;
  }
  for (; at > 0 && list[at - 1] > b; at--) list[at] = list[at - 1];
  list[at] = b;
  return count + 1;
}

/* No node has more neighbours than twice the triangles around it. */
static bool add_neighbours(SupArena *arena, SupArena *scratch, SupChunkSlice *s) {
  uint32_t *starts = SUP_ALLOC(scratch, uint32_t, (size_t)s->node_count + 1);
  uint32_t *counts = SUP_ALLOC(scratch, uint32_t, s->node_count);
  uint32_t *lists = SUP_ALLOC(scratch, uint32_t, 6 * (size_t)s->triangle_count);
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)s->node_count + 1);
  if (!starts || !counts || !lists || !offsets) return false;
  for (uint32_t k = 0; k < 3 * s->triangle_count; k++) starts[s->triangles[k] + 1] += 2;
  for (uint32_t k = 0; k < s->node_count; k++) starts[k + 1] += starts[k];
  for (uint32_t k = 0; k < 3 * s->triangle_count; k++) {
    const uint32_t a = s->triangles[k];
    for (uint32_t i = 1; i < 3; i++) {
      const uint32_t b = s->triangles[k - k % 3 + (k + i) % 3];
      counts[a] = insert(lists + starts[a], counts[a], b);
    }
  }
  for (uint32_t k = 0; k < s->node_count; k++) offsets[k + 1] = offsets[k] + counts[k];
  uint32_t *neighbours = SUP_ALLOC(arena, uint32_t, offsets[s->node_count]);
  if (!neighbours) return false;
  for (uint32_t k = 0; k < s->node_count; k++) {
    sup_copy(neighbours + offsets[k], lists + starts[k], counts[k] * sizeof *neighbours);
  }
  s->offsets = offsets;
  s->neighbours = neighbours;
  return true;
}

SupResult sup_chunk_slice(SupArena *arena, SupSliceKind kind, uint32_t corner_count,
                          uint32_t levels, SupChunkSlice *out_slice, SupError *error) {
  if (corner_count < 3 || corner_count > SUP_SLICE_MOST_CORNERS || levels > SUP_SLICE_MOST_LEVELS) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "a chunk of %u sides divided %u times: there may be 3 to %d sides, divided 0 to "
        "%d times",
        corner_count, levels, SUP_SLICE_MOST_CORNERS, SUP_SLICE_MOST_LEVELS);
  }
  SupChunkSlice slice = {.kind = kind, .corner_count = corner_count, .parts = 1u << levels};
  const uint32_t n = slice.parts, bases = base_count(&slice);
  SupArena scratch = sup_scratch(arena);
  Making m = {.slice = &slice,
              .nodes = SUP_ALLOC(arena, SupSliceNode, (size_t)bases * (n + 1) * (n + 2) / 2),
              .triangles = SUP_ALLOC(arena, uint32_t, 3 * (size_t)bases * n * n),
              .grid = SUP_ALLOC(&scratch, uint32_t, (size_t)(n + 1) * (n + 1))};
  bool done = m.nodes && m.triangles && m.grid;
  for (uint32_t b = 0; b < bases && done; b++) divide_triangle(&m, b);
  slice.nodes = m.nodes;
  slice.triangles = m.triangles;
  done = done && add_rim(arena, &m) && add_neighbours(arena, &scratch, &slice);
  sup_arena_free(&scratch);
  if (!done) return sup_fail_memory(error, NULL);
  *out_slice = slice;
  return SUP_OK;
}

double sup_slice_corner_weight(const SupChunkSlice *slice, uint32_t node, uint32_t corner) {
  const SupSliceNode *n = &slice->nodes[node];
  double sum = 0;
  for (uint32_t k = 0; k < 3; k++) {
    if (!(n->weights[k] > 0)) continue;
    if (n->points[k] == corner) sum += n->weights[k];
    if (n->points[k] >= slice->corner_count) sum += n->weights[k] / slice->corner_count;
  }
  return sum;
}

SupSectorPlace sup_slice_sector_place(const SupChunkSlice *slice, uint32_t node) {
  const SupSliceNode *n = &slice->nodes[node];
  const uint32_t corners = slice->corner_count, parts = slice->parts;
  SupSectorPlace place = {0, {0, 0}, 0};
  double along = 0;
  uint32_t side = n->points[0];
  for (uint32_t k = 0; k < 3; k++) {
    if (!(n->weights[k] > 0)) continue;
    if (n->points[k] < corners) place.radius += n->weights[k];
    if (n->points[k] >= corners) side = n->points[k] - corners;
  }
  if (!(place.radius > 0)) return place;
  /* A node on the rim between corner 0 and the last belongs to the last side. */
  if (place.radius == 1 && n->weights[1] > 0 && n->points[0] == 0 && n->points[1] != 1) {
    side = corners - 1;
  }
  for (uint32_t k = 0; k < 3; k++) {
    if (n->weights[k] > 0 && n->points[k] == (side + 1) % corners) along = n->weights[k];
  }
  along *= parts / place.radius;
  const uint32_t first = along < parts ? (uint32_t)along : parts - 1;
  place.rim[0] = side * parts + first;
  place.rim[1] = (place.rim[0] + 1) % (corners * parts);
  place.t = along - first;
  return place;
}
