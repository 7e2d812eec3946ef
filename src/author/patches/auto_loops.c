/* SPDX-License-Identifier: MIT */
/*
 * Loops around regions: traced from triangle to triangle, straightened, with four features each.
 *
 * A triangle that a ring crosses has one edge that leads out of the region and one that leads back
 * in: from the first to the second the ring keeps the region on its left. Features lie in four
 * directions around the ring's middle: the first one towards the front, or the top where the limb
 * points forwards.
 */
#include "auto_work.h"

#define SWEEPS 30
#define FORWARDS 0.75 /* of the axis along z: its first feature is on top */
#define MIDLINE 0.35  /* radii from the middle plane: left and right, not inner and outer */
#define PI 3.14159265358979323846

typedef struct Loops {
  SupAuto *a;
  uint32_t *next;   /* [edge_count] */
  uint32_t *owners; /* [edge_count] region whose ring it is on, or SUP_NONE */
  uint32_t *counts; /* [region_count] */
  uint32_t *firsts; /* [region_count] */
  uint8_t *bad;     /* [region_count] */
} Loops;

/* Which ring an edge crosses: that of the lower end. */
static uint32_t owner_of(const SupAuto *a, uint32_t e) {
  const uint32_t p = a->labels[a->topology.edges[2 * (size_t)e]];
  const uint32_t q = a->labels[a->topology.edges[2 * (size_t)e + 1]];
  if (p == q || p == SUP_NONE || q == SUP_NONE) return SUP_NONE;
  return a->regions[p].depth > a->regions[q].depth ? p : q;
}

static void link(Loops *l) {
  const SupAuto *a = l->a;
  for (uint32_t e = 0; e < a->topology.edge_count; e++) {
    const uint32_t owner = owner_of(a, e);
    l->owners[e] = owner;
    l->next[e] = SUP_NONE;
    if (owner == SUP_NONE) continue;
    l->counts[owner]++;
    if (l->firsts[owner] == SUP_NONE) l->firsts[owner] = e;
    if (a->blocked[a->mesh.vertex_count + e]) l->bad[owner] = 1;
  }
  for (uint32_t f = 0; f < a->mesh.triangle_count; f++) {
    uint32_t out = SUP_NONE, in = SUP_NONE;
    for (uint32_t k = 0; k < 3; k++) {
      const uint32_t e = a->topology.half_edge_edges[3 * f + k];
      if (l->owners[e] == SUP_NONE) continue;
      const uint32_t v = a->mesh.triangles[3 * (size_t)f + k];
      if (a->labels[v] == l->owners[e])
        out = e;
      else
        in = e;
    }
    if (out == SUP_NONE || in == SUP_NONE || l->owners[out] != l->owners[in]) continue;
    if (l->next[out] != SUP_NONE) l->bad[l->owners[out]] = 1;
    l->next[out] = in;
  }
}

/* The loop of a region, if it is one. */
static SupResult trace(Loops *l, uint32_t region) {
  SupAuto *a = l->a;
  const uint32_t count = l->counts[region];
  uint32_t *nodes = SUP_ALLOC(a->scratch, uint32_t, count);
  if (!nodes) return sup_fail_memory(a->error, NULL);
  uint32_t at = l->firsts[region], steps = 0;
  while (at != SUP_NONE && steps < count) {
    nodes[steps++] = a->mesh.vertex_count + at;
    at = l->next[at];
    if (at == l->firsts[region]) break;
  }
  if (count < 4 || steps != count || at != l->firsts[region]) l->bad[region] = 1;
  SupLoop *ring = &a->regions[region].ring;
  ring->node_count = count;
  ring->nodes = nodes;
  return SUP_OK;
}

static SupResult trace_rings(SupAuto *a, bool *out_dropped) {
  Loops l = {.a = a};
  l.next = SUP_ALLOC(a->scratch, uint32_t, a->topology.edge_count);
  l.owners = SUP_ALLOC(a->scratch, uint32_t, a->topology.edge_count);
  l.counts = SUP_ALLOC(a->scratch, uint32_t, a->region_count);
  l.firsts = SUP_ALLOC(a->scratch, uint32_t, a->region_count);
  l.bad = SUP_ALLOC(a->scratch, uint8_t, a->region_count);
  if (!l.next || !l.owners || !l.counts || !l.firsts || !l.bad) {
    return sup_fail_memory(a->error, NULL);
  }
  for (uint32_t r = 0; r < a->region_count; r++) l.firsts[r] = SUP_NONE;
  link(&l);
  *out_dropped = false;
  for (uint32_t r = 0; r < a->region_count; r++) {
    if (a->regions[r].dropped || a->regions[r].kind == SUP_RING_PIECE) continue;
    SupResult result = trace(&l, r);
    if (result != SUP_OK) return result;
  }
  for (uint32_t r = 0; r < a->region_count; r++) {
    if (!l.bad[r] || a->regions[r].dropped) continue;
    sup_auto_drop(a, r);
    a->given_up++;
    *out_dropped = true;
  }
  return SUP_OK;
}

/* ---- Shape ----------------------------------------------------------------------------------- */

/* Middle by length, and the direction that it turns around. */
static void measure(const SupAuto *a, SupLoop *loop) {
  SupVec3d sum = {0, 0, 0}, turn = {0, 0, 0};
  loop->length = 0;
  for (uint32_t k = 0; k < loop->node_count; k++) {
    const SupVec3d p = sup_auto_place(a, loop->nodes[k]);
    const SupVec3d q = sup_auto_place(a, loop->nodes[(k + 1) % loop->node_count]);
    const double length = sup_vec3d_distance(p, q);
    loop->length += length;
    sum = sup_vec3d_add_scaled(sum, sup_vec3d_add(p, q), length / 2);
  }
  if (loop->length > 0) sum = sup_vec3d_scale(sum, 1 / loop->length);
  loop->centre = sum;
  for (uint32_t k = 0; k < loop->node_count; k++) {
    const SupVec3d p = sup_vec3d_sub(sup_auto_place(a, loop->nodes[k]), sum);
    const SupVec3d q =
        sup_vec3d_sub(sup_auto_place(a, loop->nodes[(k + 1) % loop->node_count]), sum);
    turn = sup_vec3d_add(turn, sup_vec3d_cross(p, q));
  }
  const double length = sup_vec3d_length(turn);
  loop->axis = length > 0 ? sup_vec3d_scale(turn, 1 / length) : (SupVec3d){0, 1, 0};
}

static SupVec3d across(SupVec3d p, SupVec3d axis) {
  return sup_vec3d_add_scaled(p, axis, -sup_vec3d_dot(p, axis));
}

/* Does a way lead from here into the skin? Not from a vertex of a rim that has no other edges. */
static bool is_open(const SupAuto *a, const SupLoop *loop, uint32_t place) {
  const uint32_t node = loop->nodes[place];
  if (!loop->rim || node >= a->mesh.vertex_count) return true;
  return a->topology.rings.offsets[node + 1] - a->topology.rings.offsets[node] > 2;
}

/* The place of the loop that lies best in a direction from its middle. */
static uint32_t place_towards(const SupAuto *a, const SupLoop *loop, SupVec3d direction) {
  uint32_t best = 0;
  double most = -2;
  for (uint32_t k = 0; k < loop->node_count; k++) {
    if (!is_open(a, loop, k)) continue;
    const SupVec3d p = sup_vec3d_sub(sup_auto_place(a, loop->nodes[k]), loop->centre);
    const SupVec3d q = across(p, loop->axis);
    const double length = sup_vec3d_length(q);
    const double along = length > 0 ? sup_vec3d_dot(q, direction) / length : -1;
    if (along > most) {
      most = along;
      best = k;
    }
  }
  return best;
}

/* Quarters by length, from the first on. */
static void place_quarters(const SupAuto *a, SupLoop *loop) {
  const uint32_t n = loop->node_count;
  double way = 0;
  uint32_t placed = 1;
  for (uint32_t k = 1; k < n && placed < 4; k++) {
    const uint32_t i = (loop->at[0] + k) % n, before = (i + n - 1) % n;
    way += sup_vec3d_distance(sup_auto_place(a, loop->nodes[before]),
                              sup_auto_place(a, loop->nodes[i]));
    const uint32_t left = loop->rim ? 2 * (4 - placed) : 4 - placed;
    const bool due = way >= 0.25 * placed * loop->length || n - k <= left;
    if (due && is_open(a, loop, i)) loop->at[placed++] = i;
  }
}

static void name_sides(const SupAuto *a, SupLoop *loop, bool top) {
  const double x = loop->centre.x - a->middle.x;
  const double near = MIDLINE * loop->length / (2 * PI);
  const SupVec3d p = sup_auto_place(a, loop->nodes[loop->at[1]]);
  const SupVec3d q = sup_auto_place(a, loop->nodes[loop->at[3]]);
  double lead = p.x - q.x;
  loop->sides[0] = top ? "top" : "front";
  loop->sides[2] = top ? "bottom" : "back";
  if (x < near && x > -near) {
    loop->sides[1] = lead > 0 ? "left" : "right";
    loop->sides[3] = lead > 0 ? "right" : "left";
    return;
  }
  if (x < 0) lead = -lead;
  if (!top) lead += p.y - q.y;
  loop->sides[1] = lead > 0 ? "outer" : "inner";
  loop->sides[3] = lead > 0 ? "inner" : "outer";
}

static void shape(SupAuto *a, SupLoop *loop) {
  measure(a, loop);
  const bool top = loop->axis.z > FORWARDS || loop->axis.z < -FORWARDS;
  const SupVec3d ahead = {0, top, !top};
  const SupVec3d first = sup_vec3d_normalise(across(ahead, loop->axis));
  const SupVec3d second = sup_vec3d_cross(loop->axis, first);
  const SupVec3d ways[4] = {first, second, sup_vec3d_scale(first, -1), sup_vec3d_scale(second, -1)};
  uint32_t steps = 0, n = loop->node_count;
  for (unsigned k = 0; k < 4; k++) loop->at[k] = place_towards(a, loop, ways[k]);
  for (unsigned k = 0; k < 4; k++) {
    const uint32_t step = (loop->at[(k + 1) % 4] + n - loop->at[k]) % n;
    steps += step ? step : n;
  }
  if (steps != n) place_quarters(a, loop);
  name_sides(a, loop, top);
}

static SupResult hole_loops(SupAuto *a) {
  for (uint32_t h = 0; h < a->hole_count; h++) {
    SupHole *hole = &a->holes[h];
    const uint32_t *loop = a->topology.loop_vertices + hole->first;
    hole->region = hole->left_out ? SUP_NONE : a->labels[loop[0]];
    if (hole->ring.nodes) continue;
    uint32_t *nodes = SUP_ALLOC(a->scratch, uint32_t, 2 * (size_t)hole->count);
    if (!nodes) return sup_fail_memory(a->error, NULL);
    for (uint32_t k = 0; k < hole->count; k++) {
      const uint32_t w = loop[(k + 1) % hole->count];
      nodes[2 * k] = loop[k];
      nodes[2 * k + 1] = a->mesh.vertex_count + sup_edge_between(&a->topology, loop[k], w);
    }
    hole->ring.node_count = 2 * hole->count;
    hole->ring.nodes = nodes;
    hole->ring.rim = true;
    shape(a, &hole->ring);
  }
  return SUP_OK;
}

SupResult sup_auto_loops(SupAuto *a) {
  bool dropped = true;
  while (dropped) {
    SupResult result = sup_auto_settle(a);
    if (result == SUP_OK) result = trace_rings(a, &dropped);
    if (result != SUP_OK) return result;
  }
  for (uint32_t r = 0; r < a->region_count; r++) {
    SupRegion *region = &a->regions[r];
    if (region->dropped || region->kind == SUP_RING_PIECE) continue;
    sup_auto_straighten(a, region->ring.node_count, region->ring.nodes, true, SWEEPS);
    shape(a, &region->ring);
  }
  return hole_loops(a);
}

uint32_t sup_auto_loops_of(SupAuto *a, uint32_t region, uint32_t capacity, SupLoop **out_loops,
                           bool *out_reversed) {
  uint32_t count = 0;
  if (a->regions[region].kind != SUP_RING_PIECE) {
    out_loops[count] = &a->regions[region].ring;
    out_reversed[count++] = false;
  }
  for (uint32_t r = 0; r < a->region_count; r++) {
    if (a->regions[r].dropped || a->regions[r].parent != region) continue;
    if (count < capacity) {
      out_loops[count] = &a->regions[r].ring;
      out_reversed[count] = true;
    }
    count++;
  }
  for (uint32_t h = 0; h < a->hole_count; h++) {
    if (a->holes[h].region != region) continue;
    if (count < capacity) {
      out_loops[count] = &a->holes[h].ring;
      out_reversed[count] = false;
    }
    count++;
  }
  return count;
}
