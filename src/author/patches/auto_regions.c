/* SPDX-License-Identifier: MIT */
/*
 * Boundaries within a region, by the number of loops around it.
 *
 * One: from its features to a tip. Two: from feature to feature. Three or more: a path from each
 * loop to the next one around the region's middle divides it into a front and a back, whichever way
 * the paths run; each of them has a middle of its own, joined with a feature of each loop. So a
 * decomposition is the same for all characters with the same rings.
 *
 * With the region on its left, a loop has its features in the order: towards the loop before, in
 * front, towards the next loop, in the back. Seen from the front the loops follow each other
 * counter-clockwise.
 */
#include "auto_work.h"

#define LOOPS_MAX 24u
#define MIDDLES 6u    /* places that a middle is tried at */
#define AHEAD 1.5     /* weight of the front among the directions of a loop's features */
#define ASIDE 30.0    /* the middle of a head lies between left and right, not in an ear */
#define MIRRORED 0.03 /* sizes: a loop and the image of another one are as near */
#define TURNS 60u     /* of the power iteration */

typedef struct Around {
  SupAuto *a;
  uint32_t region;
  uint32_t count;
  SupLoop *loops[LOOPS_MAX];
  bool reversed[LOOPS_MAX];
  uint32_t turns[LOOPS_MAX]; /* place of the feature towards the loop before */
  SupVec3d front;
  bool full; /* memory is short */
} Around;

/* ---- What is added --------------------------------------------------------------------------- */

static uint32_t add_spot(Around *r, uint32_t node, const char *name) {
  SupAuto *a = r->a;
  if (a->spot_count == a->spot_capacity) {
    const uint32_t capacity = a->spot_capacity ? 2 * a->spot_capacity : 128;
    SupSpot *spots = SUP_ALLOC(a->scratch, SupSpot, capacity);
    if (!spots) return r->full = true, 0;
    for (uint32_t k = 0; k < a->spot_count; k++) spots[k] = a->spots[k];
    a->spots = spots;
    a->spot_capacity = capacity;
  }
  if (!name) r->full = true;
  a->spots[a->spot_count] = (SupSpot){node, name};
  return a->spot_count++;
}

/* As bytes: does a come behind b? */
static bool behind(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return (unsigned char)*a > (unsigned char)*b;
}

/* Two names, the first one first, whichever way round they come: so it is the same on the left and
 * on the right. */
static const char *pair_name(Around *r, const char *head, const char *p, const char *q) {
  const bool swap = behind(p, q);
  const char *dot = *head ? "." : "";
  return sup_auto_text(r->a, "%s%s%s-%s", head, dot, swap ? q : p, swap ? p : q);
}

static uint32_t add_route(Around *r, SupRoute route) {
  SupAuto *a = r->a;
  if (a->route_count == a->route_capacity) {
    const uint32_t capacity = a->route_capacity ? 2 * a->route_capacity : 256;
    SupRoute *routes = SUP_ALLOC(a->scratch, SupRoute, capacity);
    if (!routes) return r->full = true, 0;
    for (uint32_t k = 0; k < a->route_count; k++) routes[k] = a->routes[k];
    a->routes = routes;
    a->route_capacity = capacity;
  }
  if (!route.name) r->full = true;
  a->routes[a->route_count] = route;
  return a->route_count++;
}

static SupWanted *add_wanted(Around *r, const char *name) {
  SupAuto *a = r->a;
  if (a->wanted_count == a->wanted_capacity) {
    const uint32_t capacity = a->wanted_capacity ? 2 * a->wanted_capacity : 128;
    SupWanted *wanted = SUP_ALLOC(a->scratch, SupWanted, capacity);
    if (!wanted) return r->full = true, NULL;
    for (uint32_t k = 0; k < a->wanted_count; k++) wanted[k] = a->wanted[k];
    a->wanted = wanted;
    a->wanted_capacity = capacity;
  }
  if (!name) return r->full = true, NULL;
  SupWanted *w = &a->wanted[a->wanted_count++];
  *w = (SupWanted){.name = name, .zone = r->region};
  return w;
}

static void add_side(SupWanted *wanted, uint32_t route) {
  if (wanted && wanted->count < SUP_AUTO_SIDES) wanted->routes[wanted->count++] = route;
}

/* The path between two features, or SUP_NONE. */
static uint32_t join(Around *r, uint32_t from, uint32_t to) {
  SupAuto *a = r->a;
  const bool swap = behind(a->spots[from].name, a->spots[to].name);
  SupRoute route = {.from = swap ? to : from, .to = swap ? from : to, .region = r->region};
  if (!sup_auto_route(a, r->region, a->spots[route.from].node, a->spots[route.to].node,
                      &route.node_count, &route.nodes)) {
    return SUP_NONE;
  }
  route.name = pair_name(r, "", a->spots[from].name, a->spots[to].name);
  return add_route(r, route);
}

/* Takes back all from a number on. */
static void take_back(Around *r, uint32_t route_count) {
  SupAuto *a = r->a;
  while (a->route_count > route_count) {
    const SupRoute *route = &a->routes[--a->route_count];
    for (uint32_t k = 1; k + 1 < route->node_count; k++) a->used[route->nodes[k]] = 0;
  }
}

/* ---- Features and arcs of a loop ------------------------------------------------------------- */

/* With the region on its left: feature m, and the arc from it to the next one. */
static uint32_t feature_of(const Around *r, uint32_t loop, uint32_t m) {
  const SupLoop *l = r->loops[loop];
  return l->features[r->reversed[loop] ? (4 - m % 4) % 4 : m % 4];
}

static uint32_t side_of(const Around *r, uint32_t loop, uint32_t m) {
  return r->reversed[loop] ? (4 - m % 4) % 4 : m % 4;
}

static uint32_t arc_of(const Around *r, uint32_t loop, uint32_t m) {
  const SupLoop *l = r->loops[loop];
  return l->arcs[r->reversed[loop] ? (3 - m % 4) % 4 : m % 4];
}

/* ---- One loop: a cap ------------------------------------------------------------------------- */

static uint32_t free_around(const Around *r, uint32_t node) {
  uint32_t around[128], count = 0;
  const uint32_t degree = sup_auto_neighbours(r->a, node, 128, around);
  for (uint32_t k = 0; k < degree; k++) {
    bool seen = !sup_auto_free(r->a, r->region, around[k]);
    for (uint32_t i = 0; i < k && !seen; i++) seen = around[i] == around[k];
    count += !seen;
  }
  return count;
}

/* A node far from the loop's middle, with room for `room` paths: deep inside a mouth it would not
 * be far. Points on edges always have room. */
static uint32_t find_tip(const Around *r, bool edges, uint32_t room) {
  const SupAuto *a = r->a;
  const uint32_t n = a->mesh.vertex_count, first = edges ? n : 0;
  uint32_t best = SUP_NONE;
  double most = 0;
  for (uint32_t k = first; k < (edges ? a->node_count : n); k++) {
    if (!sup_auto_free(a, r->region, k)) continue;
    const double way = sup_auto_reach(a, r->loops[0], k);
    if ((best != SUP_NONE && !(way > most)) || free_around(r, k) < room) continue;
    most = way;
    best = k;
  }
  return best;
}

/* From all features of the loop to a tip. */
static bool make_spokes(Around *r, uint32_t tip, uint32_t *out_routes) {
  SupAuto *a = r->a;
  static const uint8_t orders[3][4] = {{0, 2, 1, 3}, {1, 3, 0, 2}, {0, 1, 2, 3}};
  const uint32_t mark = a->route_count;
  if (tip == SUP_NONE) return false;
  const uint32_t spot = add_spot(r, tip, sup_auto_text(a, "%s.tip", a->regions[r->region].name));
  for (unsigned k = 0; k < 3 && !r->full; k++) {
    uint32_t done = 0;
    for (; done < 4; done++) {
      const uint32_t m = orders[k][done];
      out_routes[m] = join(r, feature_of(r, 0, m), spot);
      if (out_routes[m] == SUP_NONE) break;
    }
    if (done == 4) return true;
    take_back(r, mark);
  }
  a->spot_count--;
  return false;
}

/* In four around a tip, in two, or whole. */
static void make_cap(Around *r) {
  SupAuto *a = r->a;
  const SupLoop *loop = r->loops[0];
  const char *name = a->regions[r->region].name;
  uint32_t routes[4], across = SUP_NONE;
  bool done = make_spokes(r, find_tip(r, false, 4), routes);
  if (!done) done = make_spokes(r, find_tip(r, false, 6), routes);
  if (!done) done = make_spokes(r, find_tip(r, true, 6), routes);
  for (uint32_t m = 0; m < 4 && done; m++) {
    SupWanted *w = add_wanted(
        r, pair_name(r, name, loop->sides[side_of(r, 0, m)], loop->sides[side_of(r, 0, m + 1)]));
    add_side(w, arc_of(r, 0, m));
    add_side(w, routes[(m + 1) % 4]);
    add_side(w, routes[m]);
  }
  uint32_t start = 0;
  for (; start < 2 && !done && across == SUP_NONE; start++) {
    across = join(r, feature_of(r, 0, start), feature_of(r, 0, start + 2));
    if (across == SUP_NONE) continue;
    /* There may be a cap on the other side as well. */
    const char *own = sup_auto_text(a, "%s.across", name);
    if (own) a->routes[across].name = own;
  }
  for (uint32_t half = 0; half < 2 && across != SUP_NONE; half++) {
    const uint32_t m = start - 1 + 2 * half;
    SupWanted *w =
        add_wanted(r, sup_auto_text(a, "%s.%s", name, loop->sides[side_of(r, 0, m + 1)]));
    add_side(w, across);
    add_side(w, arc_of(r, 0, m));
    add_side(w, arc_of(r, 0, m + 1));
  }
  if (done || across != SUP_NONE) return;
  SupWanted *w = add_wanted(r, sup_auto_text(a, "%s.cap", name));
  for (uint32_t m = 0; m < 4; m++) add_side(w, arc_of(r, 0, m));
}

/* ---- Two loops: a tube ----------------------------------------------------------------------- */

/* Which feature of the other loop belongs to the first one of this: with the least ways in all. */
static uint32_t find_turn(const Around *r) {
  const SupAuto *a = r->a;
  uint32_t best = 0;
  double least = 0;
  for (uint32_t turn = 0; turn < 4; turn++) {
    double sum = 0;
    for (uint32_t m = 0; m < 4; m++) {
      sum += sup_vec3d_distance(sup_auto_place(a, a->spots[feature_of(r, 0, m)].node),
                                sup_auto_place(a, a->spots[feature_of(r, 1, turn + 4 - m)].node));
    }
    if (turn && !(sum < least)) continue;
    least = sum;
    best = turn;
  }
  return best;
}

static bool make_tube(Around *r) {
  SupAuto *a = r->a;
  const uint32_t turn = find_turn(r), mark = a->route_count;
  const SupLoop *loop = r->loops[0];
  const char *name = a->regions[r->region].name;
  uint32_t step = 1, routes[4];
  for (; step <= 2; step++) {
    uint32_t m = 0;
    for (; m < 4 && !r->full; m += step) {
      routes[m] = join(r, feature_of(r, 0, m), feature_of(r, 1, turn + 4 - m));
      if (routes[m] == SUP_NONE) break;
    }
    if (m >= 4) break;
    take_back(r, mark);
  }
  if (step > 2) return false;
  for (uint32_t m = 0; m < 4; m += step) {
    const char *side = loop->sides[side_of(r, 0, m)];
    const char *next = loop->sides[side_of(r, 0, m + 1)];
    /* A half of a tube is called after its middle. */
    SupWanted *w = add_wanted(
        r, step == 1 ? pair_name(r, name, side, next) : sup_auto_text(a, "%s.%s", name, next));
    add_side(w, routes[m]);
    add_side(w, routes[(m + step) % 4]);
    for (uint32_t k = 0; k < step; k++) {
      add_side(w, arc_of(r, 0, m + k));
      add_side(w, arc_of(r, 1, turn + 8 - m - k - 1));
    }
  }
  return true;
}

/* ---- Three loops or more --------------------------------------------------------------------- */

/* The direction in which the middles of the loops are least apart, ahead or upwards. */
static SupVec3d find_front(const Around *r, SupVec3d middle) {
  double m[3][3] = {{0}}, trace = 0;
  for (uint32_t k = 0; k < r->count; k++) {
    const SupVec3d d = sup_vec3d_sub(r->loops[k]->centre, middle);
    const double p[3] = {d.x, d.y, d.z};
    for (unsigned i = 0; i < 3; i++) {
      for (unsigned j = 0; j < 3; j++) m[i][j] += p[i] * p[j];
      trace += p[i] * p[i];
    }
  }
  if (sup_auto_aside(r->a, middle) < SUP_AUTO_MIDDLE) { /* left and right stay apart */
    m[0][0] += trace;
    m[0][1] = m[0][2] = m[1][0] = m[2][0] = 0;
    trace *= 2;
  }
  SupVec3d n = {m[0][1] == 0 ? 0 : 0.01, 0.5, 1};
  if (!(trace > 0)) return (SupVec3d){0, 0, 1};
  for (unsigned k = 0; k < TURNS; k++) {
    const SupVec3d out = {m[0][0] * n.x + m[0][1] * n.y + m[0][2] * n.z,
                          m[1][0] * n.x + m[1][1] * n.y + m[1][2] * n.z,
                          m[2][0] * n.x + m[2][1] * n.y + m[2][2] * n.z};
    const SupVec3d next = sup_vec3d_normalise(sup_vec3d_add_scaled(out, n, -trace));
    n = sup_vec3d_scale(next, -1);
  }
  const double ahead = n.z * n.z > n.y * n.y ? n.z : n.y;
  return ahead < 0 ? sup_vec3d_scale(n, -1) : n;
}

/* Counter-clockwise seen from the front. */
static void order_loops(Around *r, SupVec3d middle) {
  double angles[LOOPS_MAX];
  const SupVec3d aside = {1, 0.001, 0.002};
  const SupVec3d u =
      sup_vec3d_normalise(sup_vec3d_add_scaled(aside, r->front, -sup_vec3d_dot(aside, r->front)));
  const SupVec3d v = sup_vec3d_cross(r->front, u);
  for (uint32_t k = 0; k < r->count; k++) {
    const SupVec3d d = sup_vec3d_sub(r->loops[k]->centre, middle);
    angles[k] = sup_atan2(sup_vec3d_dot(d, v), sup_vec3d_dot(d, u));
  }
  for (uint32_t k = 1; k < r->count; k++) {
    for (uint32_t i = k; i && angles[i] < angles[i - 1]; i--) {
      const double angle = angles[i];
      SupLoop *loop = r->loops[i];
      const bool reversed = r->reversed[i];
      angles[i] = angles[i - 1];
      r->loops[i] = r->loops[i - 1];
      r->reversed[i] = r->reversed[i - 1];
      angles[i - 1] = angle;
      r->loops[i - 1] = loop;
      r->reversed[i - 1] = reversed;
    }
  }
}

/* How well the features of a loop look where they should, if the one at `turn` looks to the loop
 * before. */
static double turn_score(const Around *r, uint32_t k, uint32_t turn) {
  const SupAuto *a = r->a;
  const SupLoop *before = r->loops[(k + r->count - 1) % r->count];
  const SupLoop *next = r->loops[(k + 1) % r->count], *loop = r->loops[k];
  const SupVec3d ways[4] = {sup_vec3d_normalise(sup_vec3d_sub(before->centre, loop->centre)),
                            sup_vec3d_scale(r->front, AHEAD),
                            sup_vec3d_normalise(sup_vec3d_sub(next->centre, loop->centre)),
                            sup_vec3d_scale(r->front, -AHEAD)};
  double sum = 0;
  for (uint32_t m = 0; m < 4; m++) {
    const SupVec3d p = sup_auto_place(a, a->spots[feature_of(r, k, turn + m)].node);
    sum += sup_vec3d_dot(sup_vec3d_normalise(sup_vec3d_sub(p, loop->centre)), ways[m]);
  }
  return sum;
}

/* The loop on the other side, the same one in the middle, or SUP_NONE. */
static uint32_t mirrored_loop(const Around *r, uint32_t k) {
  const SupAuto *a = r->a;
  SupVec3d image = r->loops[k]->centre;
  uint32_t best = SUP_NONE;
  double least = MIRRORED * a->size;
  image.x = 2 * a->middle.x - image.x;
  for (uint32_t i = 0; i < r->count; i++) {
    const double way = sup_vec3d_distance(image, r->loops[i]->centre);
    if (!(way < least)) continue;
    least = way;
    best = i;
  }
  return best;
}

static const char *front_side(const Around *r, uint32_t k, uint32_t turn) {
  return r->loops[k]->sides[side_of(r, k, turn + 1)];
}

/* Left and right alike, where the front looks straight ahead or up. */
static void turn_loops(Around *r) {
  const bool straight = r->front.x * r->front.x < 0.1;
  for (uint32_t k = 0; k < r->count; k++) {
    const uint32_t other = straight ? mirrored_loop(r, k) : SUP_NONE;
    uint32_t best = SUP_NONE;
    double most = 0;
    for (uint32_t turn = 0; turn < 4; turn++) {
      double sum = turn_score(r, k, turn);
      const char *side = front_side(r, k, turn);
      if (other == k && (sup_string_equal(side, "left") || sup_string_equal(side, "right"))) {
        continue;
      }
      for (uint32_t i = 0; i < 4 && other != SUP_NONE && other != k; i++) {
        if (sup_string_equal(side, front_side(r, other, i))) sum += turn_score(r, other, i);
      }
      if (best != SUP_NONE && !(sum > most)) continue;
      most = sum;
      best = turn;
    }
    r->turns[k] = best;
  }
}

/* From loop to loop, the shortest ways first. */
static bool make_belt(Around *r, uint32_t *out_routes) {
  SupAuto *a = r->a;
  const uint32_t mark = a->route_count;
  for (uint32_t k = 0; k < r->count; k++) out_routes[k] = SUP_NONE;
  for (uint32_t done = 0; done < r->count && !r->full; done++) {
    uint32_t best = SUP_NONE;
    double least = 0;
    for (uint32_t k = 0; k < r->count; k++) {
      const uint32_t next = (k + 1) % r->count;
      const uint32_t from = feature_of(r, k, r->turns[k] + 2);
      const uint32_t to = feature_of(r, next, r->turns[next]);
      const double way = sup_vec3d_distance(sup_auto_place(a, a->spots[from].node),
                                            sup_auto_place(a, a->spots[to].node));
      if (out_routes[k] != SUP_NONE || (best != SUP_NONE && !(way < least))) continue;
      best = k;
      least = way;
    }
    const uint32_t next = (best + 1) % r->count;
    out_routes[best] =
        join(r, feature_of(r, best, r->turns[best] + 2), feature_of(r, next, r->turns[next]));
    if (out_routes[best] != SUP_NONE) continue;
    take_back(r, mark);
    return false;
  }
  return true;
}

/* Places for a middle of the front (half 1) or the back (half 3): near to that feature of all
 * loops, and with room for as many paths. */
static uint32_t find_middles(Around *r, uint32_t half, uint32_t *out_nodes) {
  SupAuto *a = r->a;
  const uint32_t n = a->mesh.vertex_count;
  uint32_t found = 0;
  double *sums = SUP_ALLOC(a->scratch, double, n);
  if (!sums) return 0;
  for (uint32_t k = 0; k < r->count; k++) {
    sup_auto_search(a, r->region, a->spots[feature_of(r, k, r->turns[k] + half)].node, SUP_NONE);
    for (uint32_t v = 0; v < n; v++) {
      if (a->labels[v] != r->region || sums[v] < 0) continue;
      const double d = a->stamps[v] == a->stamp ? a->distances[v] : -1;
      sums[v] = d > 0 ? sums[v] + d * d : -1;
    }
  }
  for (uint32_t v = 0; v < n; v++) {
    if (sums[v] > 0) sums[v] *= 1 + ASIDE * sup_auto_aside(a, sup_auto_place(a, v));
  }
  while (found < MIDDLES) {
    uint32_t best = SUP_NONE;
    for (uint32_t v = 0; v < n; v++) {
      if (a->labels[v] != r->region || !(sums[v] > 0)) continue;
      if (best != SUP_NONE && !(sums[v] < sums[best])) continue;
      if (sup_auto_free(a, r->region, v) && free_around(r, v) >= r->count) best = v;
    }
    if (best == SUP_NONE) break;
    sums[best] = -1;
    out_nodes[found++] = best;
  }
  return found;
}

static bool make_star(Around *r, uint32_t half, uint32_t spot, uint32_t *out_routes) {
  const uint32_t mark = r->a->route_count;
  for (uint32_t k = 0; k < r->count && !r->full; k++) {
    out_routes[k] = join(r, spot, feature_of(r, k, r->turns[k] + half));
    if (out_routes[k] != SUP_NONE) continue;
    take_back(r, mark);
    return false;
  }
  return true;
}

static const char *loop_name(const Around *r, uint32_t k) {
  const SupAuto *a = r->a;
  for (uint32_t i = 0; i < a->region_count; i++) {
    if (r->loops[k] == &a->regions[i].ring) return a->regions[i].name;
  }
  for (uint32_t i = 0; i < a->hole_count; i++) {
    if (r->loops[k] == &a->holes[i].ring) return a->holes[i].name;
  }
  return "";
}

/* Front or back: a middle and a patch between each two loops, or one patch. */
static void make_half(Around *r, uint32_t half, const uint32_t *belt) {
  SupAuto *a = r->a;
  uint32_t nodes[MIDDLES], star[LOOPS_MAX];
  const bool upright = r->front.z * r->front.z > r->front.y * r->front.y;
  const char *side = half == 1 ? (upright ? "front" : "top") : (upright ? "back" : "bottom");
  const char *name = a->regions[r->region].name;
  const uint32_t found = find_middles(r, half, nodes);
  bool done = false;
  for (uint32_t k = 0; k < found && !done && !r->full; k++) {
    const uint32_t spot = add_spot(r, nodes[k], sup_auto_text(a, "%s.%s-middle", name, side));
    done = make_star(r, half, spot, star);
    if (!done) a->spot_count--;
  }
  SupWanted *w = done ? NULL : add_wanted(r, sup_auto_text(a, "%s.%s", name, side));
  for (uint32_t k = 0; k < r->count; k++) {
    const uint32_t next = (k + 1) % r->count;
    if (done) {
      const char *head = sup_auto_text(a, "%s.%s", name, side);
      w = add_wanted(r, head ? pair_name(r, head, loop_name(r, k), loop_name(r, next)) : NULL);
      add_side(w, star[k]);
      add_side(w, star[next]);
    }
    add_side(w, belt[k]);
    add_side(w, arc_of(r, k, r->turns[k] + (half == 1 ? 1 : 2)));
    add_side(w, arc_of(r, next, r->turns[next] + (half == 1 ? 0 : 3)));
  }
}

static bool make_branch(Around *r) {
  uint32_t belt[LOOPS_MAX];
  SupVec3d middle = {0, 0, 0};
  for (uint32_t k = 0; k < r->count; k++) {
    middle = sup_vec3d_add_scaled(middle, r->loops[k]->centre, 1.0 / r->count);
  }
  r->front = find_front(r, middle);
  order_loops(r, middle);
  turn_loops(r);
  if (!make_belt(r, belt)) return false;
  make_half(r, 1, belt);
  make_half(r, 3, belt);
  return true;
}

/* ---- All regions ----------------------------------------------------------------------------- */

/* Features and arcs of a loop. */
static void add_loop(Around *r, SupLoop *loop, const char *name, bool rim) {
  SupAuto *a = r->a;
  for (uint32_t k = 0; k < loop->node_count; k++) a->used[loop->nodes[k]] = 1;
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t node = loop->nodes[loop->at[k]];
    loop->features[k] = add_spot(r, node, sup_auto_text(a, "%s.%s", name, loop->sides[k]));
    sup_auto_reserve(a, node);
  }
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t from = loop->at[k], n = loop->node_count;
    const uint32_t steps = (loop->at[(k + 1) % 4] + n - from) % n;
    uint32_t *nodes = SUP_ALLOC(a->arena, uint32_t, (size_t)steps + 1);
    if (!nodes) {
      r->full = true;
      return;
    }
    const uint32_t next = (k + 1) % 4;
    const bool swap = !rim && behind(loop->sides[k], loop->sides[next]);
    for (uint32_t i = 0; i <= steps; i++) {
      nodes[swap ? steps - i : i] = loop->nodes[(from + i) % n];
    }
    loop->arcs[k] =
        add_route(r, (SupRoute){.from = loop->features[swap ? next : k],
                                .to = loop->features[swap ? k : next],
                                .node_count = steps + 1,
                                .nodes = nodes,
                                .rim = rim,
                                .region = SUP_NONE,
                                .name = pair_name(r, name, loop->sides[k], loop->sides[next])});
  }
}

static bool make_region(Around *r) {
  r->count = sup_auto_loops_of(r->a, r->region, LOOPS_MAX, r->loops, r->reversed);
  if (r->count == 0 || r->count > LOOPS_MAX) return r->count == 0;
  if (r->count == 1) make_cap(r);
  if (r->count == 2) return make_tube(r);
  if (r->count > 2) return make_branch(r);
  return true;
}

SupResult sup_auto_regions(SupAuto *a, uint32_t *out_failed) {
  Around r = {.a = a};
  *out_failed = SUP_NONE;
  a->spot_count = a->route_count = a->wanted_count = 0;
  for (uint32_t k = 0; k < a->node_count; k++) a->used[k] = 0;
  for (uint32_t k = 0; k < a->node_count; k++) a->reserved[k] = 0;
  for (uint32_t k = 0; k < a->region_count; k++) {
    SupRegion *region = &a->regions[k];
    if (region->dropped || region->kind == SUP_RING_PIECE) continue;
    add_loop(&r, &region->ring, region->name, false);
  }
  for (uint32_t k = 0; k < a->hole_count; k++) {
    if (a->holes[k].region == SUP_NONE) continue;
    add_loop(&r, &a->holes[k].ring, a->holes[k].name, true);
  }
  for (uint32_t k = 0; k < a->region_count && !r.full; k++) {
    r.region = k;
    if (a->regions[k].dropped || make_region(&r)) continue;
    *out_failed = k;
    return SUP_OK;
  }
  return r.full ? sup_fail_memory(a->error, NULL) : SUP_OK;
}
