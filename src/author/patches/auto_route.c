/* SPDX-License-Identifier: MIT */
/*
 * Paths that share no node: Dijkstra over the vertices and one point on each edge, within a region.
 *
 * Nodes beside features are left to the paths of these features as long as there is another way.
 */
#include "auto_work.h"

#define RESERVED 6.0 /* times as far: through the neighbours of somebody else's feature */
#define MARGIN 0.12  /* edges: points stay away from vertices, and are none */
#define STILL 1e-6
#define ASIDE \
  30.0 /* times as far: a path between places in the middle plane, by how far it leaves */

uint32_t sup_auto_neighbours(const SupAuto *a, uint32_t node, uint32_t capacity, uint32_t *out) {
  const SupTopology *t = &a->topology;
  const uint32_t n = a->mesh.vertex_count;
  uint32_t count = 0;
  if (node < n) {
    for (uint32_t i = t->corner_offsets[node]; i < t->corner_offsets[node + 1]; i++) {
      const uint32_t h = t->corners[i], last = h % 3 ? h - 1 : h + 2;
      if (count + 2 > capacity) break;
      out[count++] = n + t->half_edge_edges[h];
      out[count++] = n + t->half_edge_edges[last];
    }
    return count;
  }
  const uint32_t half = a->edge_halves[node - n], twin = t->twins[half];
  if (capacity < 6) return 0;
  out[count++] = t->edges[2 * (size_t)(node - n)];
  out[count++] = t->edges[2 * (size_t)(node - n) + 1];
  for (unsigned side = 0; side < 2; side++) {
    const uint32_t h = side ? twin : half;
    if (h == SUP_NONE) continue;
    for (uint32_t k = 0; k < 3; k++) {
      const uint32_t e = t->half_edge_edges[3 * (h / 3) + k];
      if (e != node - n) out[count++] = n + e;
    }
  }
  return count;
}

bool sup_auto_free(const SupAuto *a, uint32_t region, uint32_t node) {
  const uint32_t n = a->mesh.vertex_count;
  if (a->used[node] || a->blocked[node]) return false;
  if (node < n) return a->labels[node] == region;
  const uint32_t *e = a->topology.edges + 2 * (size_t)(node - n);
  return a->labels[e[0]] == region && a->labels[e[1]] == region;
}

/* ---- The heap -------------------------------------------------------------------------------- */

static bool nearer(const SupAuto *a, uint32_t p, uint32_t q) {
  return a->distances[p] < a->distances[q] || (a->distances[p] == a->distances[q] && p < q);
}

static void put(SupAuto *a, uint32_t place, uint32_t node) {
  a->heap[place] = node;
  a->places[node] = place;
}

static void sift_up(SupAuto *a, uint32_t node) {
  uint32_t place = a->places[node];
  while (place && nearer(a, node, a->heap[(place - 1) / 2])) {
    put(a, place, a->heap[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(a, place, node);
}

static uint32_t pop(SupAuto *a, uint32_t *io_count) {
  const uint32_t top = a->heap[0], node = a->heap[--*io_count];
  uint32_t place = 0;
  while (2 * place + 1 < *io_count) {
    uint32_t child = 2 * place + 1;
    if (child + 1 < *io_count && nearer(a, a->heap[child + 1], a->heap[child])) child++;
    if (!nearer(a, a->heap[child], node)) break;
    put(a, place, a->heap[child]);
    place = child;
  }
  if (*io_count) put(a, place, node);
  return top;
}

/* ---- Paths ----------------------------------------------------------------------------------- */

double sup_auto_aside(const SupAuto *a, SupVec3d place) {
  const double x = place.x - a->middle.x;
  return (x < 0 ? -x : x) / a->size;
}

static bool is_middle(const SupAuto *a, uint32_t node) {
  return sup_auto_aside(a, sup_auto_place(a, node)) < SUP_AUTO_MIDDLE;
}

bool sup_auto_search(SupAuto *a, uint32_t region, uint32_t from, uint32_t to) {
  uint32_t count = 0, around[128];
  const uint32_t open = a->stamp + 1, done = a->stamp + 2;
  const bool middle = is_middle(a, from) && to != SUP_NONE && is_middle(a, to);
  a->stamp += 2;
  a->distances[from] = 0;
  a->before[from] = SUP_NONE;
  a->stamps[from] = open;
  put(a, count++, from);
  while (count) {
    const uint32_t node = pop(a, &count);
    a->stamps[node] = done;
    if (node == to) return true;
    const SupVec3d here = sup_auto_place(a, node);
    const uint32_t degree = sup_auto_neighbours(a, node, 128, around);
    for (uint32_t k = 0; k < degree; k++) {
      const uint32_t next = around[k];
      if (a->stamps[next] == done || (next != to && !sup_auto_free(a, region, next))) continue;
      const SupVec3d there = sup_auto_place(a, next);
      double step = sup_vec3d_distance(here, there);
      if (middle) step *= 1 + ASIDE * sup_auto_aside(a, there);
      const double way = a->distances[node] + step * (a->reserved[next] ? RESERVED : 1);
      if (a->stamps[next] == open && !(way < a->distances[next])) continue;
      if (a->stamps[next] != open) put(a, count++, next);
      a->stamps[next] = open;
      a->distances[next] = way;
      a->before[next] = node;
      sift_up(a, next);
    }
  }
  return false;
}

static void reserve(SupAuto *a, uint32_t node, int change) {
  uint32_t around[128];
  const uint32_t degree = sup_auto_neighbours(a, node, 128, around);
  for (uint32_t k = 0; k < degree; k++) a->reserved[around[k]] += change;
}

void sup_auto_reserve(SupAuto *a, uint32_t node) { reserve(a, node, 1); }

bool sup_auto_route(SupAuto *a, uint32_t region, uint32_t from, uint32_t to, uint32_t *out_count,
                    const uint32_t **out_nodes) {
  reserve(a, from, -1);
  reserve(a, to, -1);
  const bool found = sup_auto_search(a, region, from, to);
  reserve(a, from, 1);
  reserve(a, to, 1);
  if (!found) return false;
  uint32_t count = 1;
  for (uint32_t node = to; node != from; node = a->before[node]) count++;
  uint32_t *nodes = SUP_ALLOC(a->arena, uint32_t, count);
  if (!nodes) return false;
  uint32_t k = count;
  for (uint32_t node = to; k; node = a->before[node]) {
    nodes[--k] = node;
    a->used[node] = 1;
  }
  *out_count = count;
  *out_nodes = nodes;
  return true;
}

void sup_auto_straighten(SupAuto *a, uint32_t count, const uint32_t *nodes, bool closed,
                         uint32_t sweeps) {
  const uint32_t n = a->mesh.vertex_count, first = closed ? 0 : 1;
  for (uint32_t s = 0; s < sweeps; s++) {
    double moved = 0;
    for (uint32_t k = first; k + first < count; k++) {
      if (nodes[k] < n) continue;
      const uint32_t e = nodes[k] - n;
      const SupVec3d p = sup_vec3_to_double(a->mesh.positions[a->topology.edges[2 * (size_t)e]]);
      const SupVec3d q =
          sup_vec3_to_double(a->mesh.positions[a->topology.edges[2 * (size_t)e + 1]]);
      double t = sup_straight_at(p, q, sup_auto_place(a, nodes[(k + count - 1) % count]),
                                 sup_auto_place(a, nodes[(k + 1) % count]), a->slides[e]);
      t = t > MARGIN ? t < 1 - MARGIN ? t : 1 - MARGIN : MARGIN;
      const double step = t > a->slides[e] ? t - a->slides[e] : a->slides[e] - t;
      if (step > moved) moved = step;
      a->slides[e] = t;
    }
    if (!(moved > STILL)) return;
  }
}
