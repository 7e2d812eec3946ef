/* SPDX-License-Identifier: MIT */
/*
 * Straight lines of a chart, traced on the skin.
 *
 * A path on the skin has points on edges of the skin only, while a chart has edges inside its
 * triangles, too. These are passed over: what boundaries leave of a triangle is convex, so a line
 * straight across it keeps on the same side of everything as the broken one of the chart.
 */
#include "base/scratch.h"
#include "patch_split_work.h"
#include "patches_work.h"

#define ON_LINE 1e-9 /* a vertex so near to a line, of a circle of radius 1, is on it */
#define EDGE_PLACE (1.0 / 1048576) /* as sup_skin_edge_point counts them */
#define KEEP_OFF 0.1               /* of an edge, that middles keep from its ends */

typedef struct Lines {
  const SupPatchSplitDef *def;
  const SupPatch *patch;
  const SupPatchChart *chart;
  SupArena *arena, *scratch;
  SupSkinPoint *spots; /* [vertex_count] of the chart's vertices on the skin's edges; */
  bool *known;         /* [vertex_count] some have none */
  double *away;        /* [vertex_count] from the line, to its left; 0: on it */
  double middle[2];    /* of the patch */
  uint32_t middle_vertex, middle_at; /* the chart's vertex, or its half-edge, that it is on */
  SupSkinPoint centre;
} Lines;

/* ---- The middle of a boundary ---------------------------------------------------------------- */

static SupSkinPoint along(const SupTopology *topology, uint32_t edge, SupSkinPoint p,
                          SupSkinPoint q, double t);

SplitMiddle sup_split_middle(const SupPatchesDef *def, uint32_t boundary) {
  const SupSkinPath *path = &def->boundaries[boundary].path;
  const SupSkinPoint *p = path->points;
  const double half = sup_skin_points_length(&def->mesh, path->count, p) / 2;
  uint32_t k = 0;
  double passed = 0, step = 0;
  for (; k + 1 < path->count; k++) {
    step = sup_skin_points_length(&def->mesh, 2, p + k);
    if (passed + step >= half) break;
    passed += step;
  }
  if (k + 1 >= path->count || !(step > 0)) return (SplitMiddle){.found = false};
  const double t = (half - passed) / step;
  const uint32_t edge = sup_edge_of_both(def->topology, p[k], p[k + 1]);
  const bool first_ends = k == 0, last_ends = k + 2 == path->count;
  if (edge != SUP_NONE && (t > KEEP_OFF || first_ends) && (t < 1 - KEEP_OFF || last_ends)) {
    const SupSkinPoint at = along(def->topology, edge, p[k], p[k + 1], t);
    const bool inside = !sup_skin_point_same(at, p[k]) && !sup_skin_point_same(at, p[k + 1]);
    return (SplitMiddle){inside, at, k + 1, k + 1};
  }
  if (first_ends && last_ends) return (SplitMiddle){.found = false};
  const uint32_t near = first_ends || (t > 0.5 && !last_ends) ? k + 1 : k;
  return (SplitMiddle){true, p[near], near, near + 1};
}

/* ---- Places on edges ------------------------------------------------------------------------- */

static double place_on(const SupTopology *topology, uint32_t edge, SupSkinPoint p) {
  return p.a != p.b ? p.t : p.a == topology->edges[2 * (size_t)edge] ? 0 : 1;
}

/* Between two points of an edge, and neither of them where there is a place between. */
static SupSkinPoint along(const SupTopology *topology, uint32_t edge, SupSkinPoint p,
                          SupSkinPoint q, double t) {
  const uint32_t *e = topology->edges + 2 * (size_t)edge;
  const double from = place_on(topology, edge, p), to = place_on(topology, edge, q);
  const double low = (from < to ? from : to) + EDGE_PLACE,
               high = (from < to ? to : from) - EDGE_PLACE;
  double at = from + t * (to - from);
  at = at < low ? low : at > high ? high : at;
  return sup_skin_edge_point(e[0], e[1], at, 0);
}

/* Where the vertices of the chart are; the middle of an edge inside a triangle is nowhere. */
static bool find_spots(Lines *l) {
  const SupPatchChart *c = l->chart;
  const SupTopology *topology = l->def->def->topology;
  l->spots = SUP_ALLOC(l->scratch, SupSkinPoint, c->vertex_count);
  l->known = SUP_ALLOC(l->scratch, bool, c->vertex_count);
  l->away = SUP_ALLOC(l->scratch, double, c->vertex_count);
  if (!l->spots || !l->known || !l->away) return false;
  for (uint32_t v = 0; v < c->vertex_count; v++) {
    const SupSkinPoint p = l->def->patches->points[c->vertices[v].a];
    const SupSkinPoint q = l->def->patches->points[c->vertices[v].b];
    l->spots[v] = p;
    l->known[v] = true;
    if (c->vertices[v].a == c->vertices[v].b) continue;
    const uint32_t edge = sup_edge_of_both(topology, p, q);
    l->known[v] = edge != SUP_NONE;
    if (l->known[v]) l->spots[v] = along(topology, edge, p, q, 0.5);
  }
  return true;
}

/* The skin's edge that an inner edge of the chart lies on, each once, or SUP_NONE. */
static uint32_t edge_below(const Lines *l, uint32_t h, uint32_t out_ends[2]) {
  const SupPatchChart *c = l->chart;
  if (c->twins[h] == SUP_NONE || c->twins[h] < h) return SUP_NONE;
  out_ends[0] = c->triangles[h];
  out_ends[1] = c->triangles[h % 3 == 2 ? h - 2 : h + 1];
  if (!l->known[out_ends[0]] || !l->known[out_ends[1]]) return SUP_NONE;
  return sup_edge_of_both(l->def->def->topology, l->spots[out_ends[0]], l->spots[out_ends[1]]);
}

/* ---- The middle of the patch ----------------------------------------------------------------- */

/* How far along the edge the nearest place to `goal` is; an inner vertex that is near takes it. */
static double nearest_on(const Lines *l, const uint32_t ends[2], const double goal[2]) {
  const double *a = l->chart->uv[ends[0]], *b = l->chart->uv[ends[1]];
  const double u = b[0] - a[0], v = b[1] - a[1];
  const double t = ((goal[0] - a[0]) * u + (goal[1] - a[1]) * v) / (u * u + v * v);
  const uint32_t loop = l->chart->loop_count;
  if (t < KEEP_OFF) return ends[0] < loop ? KEEP_OFF : 0;
  if (t > 1 - KEEP_OFF) return ends[1] < loop ? 1 - KEEP_OFF : 1;
  return t;
}

/* The place on an edge of the skin that is nearest to the mean of the corners. */
static bool find_centre(Lines *l) {
  const SupPatchChart *c = l->chart;
  double goal[2] = {0, 0}, least = __builtin_inf();
  for (uint32_t k = 0; k < c->corner_count; k++) {
    goal[0] += c->corners[k][0] / c->corner_count;
    goal[1] += c->corners[k][1] / c->corner_count;
  }
  for (uint32_t h = 0; h < 3 * c->triangle_count; h++) {
    uint32_t ends[2];
    const uint32_t edge = edge_below(l, h, ends);
    if (edge == SUP_NONE) continue;
    const double t = nearest_on(l, ends, goal), *a = c->uv[ends[0]], *b = c->uv[ends[1]];
    const double at[2] = {a[0] * (1 - t) + b[0] * t, a[1] * (1 - t) + b[1] * t};
    const double u = at[0] - goal[0], v = at[1] - goal[1], square = u * u + v * v;
    if (!(square < least)) continue;
    least = square;
    sup_copy(l->middle, at, sizeof at);
    l->middle_vertex = t == 0 ? ends[0] : t == 1 ? ends[1] : SUP_NONE;
    l->middle_at = h;
    l->centre = l->middle_vertex != SUP_NONE
                    ? l->spots[l->middle_vertex]
                    : along(l->def->def->topology, edge, l->spots[ends[0]], l->spots[ends[1]], t);
  }
  return least < __builtin_inf();
}

/* ---- A line ---------------------------------------------------------------------------------- */

typedef struct Hit {
  double at; /* 0 at its start, 1 at its end */
  SupSkinPoint spot;
} Hit;

typedef struct Line {
  double from[2], along[2], square;
  uint32_t vertex; /* where it starts, or SUP_NONE: between two of the border */
  uint32_t hit_count;
  Hit *hits; /* by place */
} Line;

static double place_along(const Line *line, double x, double y) {
  return ((x - line->from[0]) * line->along[0] + (y - line->from[1]) * line->along[1]) /
         line->square;
}

static void add_hit(Line *line, double at, SupSkinPoint spot) {
  uint32_t k = line->hit_count++;
  for (; k > 0 && line->hits[k - 1].at > at; k--) line->hits[k] = line->hits[k - 1];
  line->hits[k] = (Hit){at, spot};
}

/* Finds the middle of a side on the border of the chart. */
static bool find_start(const Lines *l, uint32_t side, SupSkinPoint middle, Line *line) {
  const SupPatchChart *c = l->chart;
  const SupTopology *topology = l->def->def->topology;
  for (uint32_t k = l->patch->corners[side]; k < l->patch->corners[side + 1]; k++) {
    const uint32_t next = (k + 1) % c->loop_count;
    const double *a = c->uv[k], *b = c->uv[next];
    line->vertex = k;
    sup_copy(line->from, a, sizeof line->from);
    if (sup_skin_point_same(l->spots[k], middle)) return true;
    const uint32_t edge = sup_edge_of_both(topology, l->spots[k], l->spots[next]);
    if (edge == SUP_NONE || sup_edge_of_both(topology, l->spots[k], middle) != edge) continue;
    const double from = place_on(topology, edge, l->spots[k]);
    const double to = place_on(topology, edge, l->spots[next]);
    const double t = (place_on(topology, edge, middle) - from) / (to - from);
    if (middle.a == middle.b || !(t > 0 && t < 1)) continue;
    line->vertex = SUP_NONE;
    for (unsigned i = 0; i < 2; i++) line->from[i] = a[i] * (1 - t) + b[i] * t;
    return true;
  }
  return false;
}

/* Which vertices lie on the line, on which side the others; false where it touches the border. */
static bool take_sides(const Lines *l, Line *line) {
  const SupPatchChart *c = l->chart;
  const double length = sup_sqrt(line->square);
  for (uint32_t v = 0; v < c->vertex_count; v++) {
    const double x = c->uv[v][0] - line->from[0], y = c->uv[v][1] - line->from[1];
    const double away = (line->along[0] * y - line->along[1] * x) / length;
    l->away[v] = away > ON_LINE || away < -ON_LINE ? away : 0;
    if (v == line->vertex || v == l->middle_vertex) l->away[v] = 0;
    const double at = place_along(line, c->uv[v][0], c->uv[v][1]);
    if (l->away[v] != 0 || v == line->vertex || v == l->middle_vertex || !(at > 0 && at < 1)) {
      continue;
    }
    if (v < c->loop_count) return false;
    if (l->known[v]) add_hit(line, at, l->spots[v]);
  }
  return true;
}

static void cross_edges(const Lines *l, Line *line) {
  const SupPatchChart *c = l->chart;
  for (uint32_t h = 0; h < 3 * c->triangle_count; h++) {
    uint32_t ends[2];
    if (h == l->middle_at && l->middle_vertex == SUP_NONE) continue;
    const uint32_t edge = edge_below(l, h, ends);
    if (edge == SUP_NONE || !(l->away[ends[0]] * l->away[ends[1]] < 0)) continue;
    const double t = l->away[ends[0]] / (l->away[ends[0]] - l->away[ends[1]]);
    const double *a = c->uv[ends[0]], *b = c->uv[ends[1]];
    const double at = place_along(line, a[0] * (1 - t) + b[0] * t, a[1] * (1 - t) + b[1] * t);
    if (!(at > 0 && at < 1)) continue;
    add_hit(line, at, along(l->def->def->topology, edge, l->spots[ends[0]], l->spots[ends[1]], t));
  }
}

/* Whether a point lies on the edge, and between two others of it or on one of them. */
static bool is_between(const SupTopology *topology, uint32_t edge, SupSkinPoint p, SupSkinPoint q,
                       SupSkinPoint point) {
  const uint32_t *e = topology->edges + 2 * (size_t)edge;
  if ((point.a != e[0] && point.a != e[1]) || (point.b != e[0] && point.b != e[1])) return false;
  const double from = place_on(topology, edge, p), to = place_on(topology, edge, q);
  const double at = place_on(topology, edge, point);
  return from < to ? at >= from && at <= to : at >= to && at <= from;
}

/* Neighbours differ and have a triangle in common, and the border is not touched: where it turns
 * around a point of an edge, a line of the chart may cross that edge on both sides of the point. */
static bool is_path(const Lines *l, const SupSkinPath *path) {
  const SupPatchesDef *def = l->def->def;
  for (uint32_t k = 1; k < path->count; k++) {
    const SupSkinPoint p = path->points[k - 1], q = path->points[k];
    if (sup_skin_point_same(p, q)) return false;
    if (!sup_skin_points_meet(&def->mesh, def->topology, p, q)) return false;
    const uint32_t edge = sup_edge_of_both(def->topology, p, q);
    for (uint32_t i = 0; i < l->chart->loop_count; i++) {
      const SupSkinPoint spot = l->spots[i];
      if (sup_skin_point_same(q, spot)) return false;
      if (edge == SUP_NONE || sup_skin_point_same(p, spot)) continue;
      if (is_between(def->topology, edge, p, q, spot)) return false;
    }
  }
  return true;
}

static SupResult trace(const Lines *l, uint32_t side, SupSkinPoint middle, SupSkinPath *out,
                       bool *out_room, SupError *error) {
  const SupPatchChart *c = l->chart;
  Line line = {.vertex = SUP_NONE};
  *out_room = false;
  if (!find_start(l, side, middle, &line)) return SUP_OK;
  for (unsigned i = 0; i < 2; i++) {
    line.along[i] = l->middle[i] - line.from[i];
    line.square += line.along[i] * line.along[i];
  }
  line.hits = SUP_ALLOC(l->scratch, Hit, c->vertex_count + 3 * (size_t)c->triangle_count);
  if (!line.hits) return sup_fail_memory(error, NULL);
  if (!(line.square > 0) || !take_sides(l, &line)) return SUP_OK;
  cross_edges(l, &line);
  SupSkinPoint *points = SUP_ALLOC(l->arena, SupSkinPoint, line.hit_count + 2);
  if (!points) return sup_fail_memory(error, NULL);
  points[0] = middle;
  for (uint32_t k = 0; k < line.hit_count; k++) points[k + 1] = line.hits[k].spot;
  points[line.hit_count + 1] = l->centre;
  *out = (SupSkinPath){.count = line.hit_count + 2, .points = points};
  out->length = sup_skin_points_length(&l->def->def->mesh, out->count, points);
  *out_room = is_path(l, out);
  return SUP_OK;
}

/* ---- All lines of a patch -------------------------------------------------------------------- */

/* Rounded to places on edges, lines may touch near the middle. */
static bool keep_apart(const SplitLines *lines, uint32_t count) {
  for (uint32_t a = 0; a < count; a++) {
    for (uint32_t b = 0; b < a; b++) {
      for (uint32_t i = 0; i + 1 < lines->paths[a].count; i++) {
        for (uint32_t j = 0; j + 1 < lines->paths[b].count; j++) {
          if (sup_skin_point_same(lines->paths[a].points[i], lines->paths[b].points[j])) {
            return false;
          }
        }
      }
    }
  }
  return true;
}

static SupResult trace_all(Lines *l, const SplitMiddle *middles, SplitLines *out, bool *out_room,
                           SupError *error) {
  const uint32_t sides = l->patch->side_count;
  *out_room = false;
  for (uint32_t s = 0; s < sides; s++) {
    if (!middles[l->patch->sides[s].boundary].found) return SUP_OK;
  }
  out->paths = SUP_ALLOC(l->arena, SupSkinPath, sides);
  if (!out->paths || !find_spots(l)) return sup_fail_memory(error, NULL);
  if (!find_centre(l)) return SUP_OK;
  out->centre = l->centre;
  for (uint32_t s = 0; s < sides; s++) {
    const SupSkinPoint middle = middles[l->patch->sides[s].boundary].at;
    SupResult result = trace(l, s, middle, &out->paths[s], out_room, error);
    if (result != SUP_OK || !*out_room) return result;
  }
  *out_room = keep_apart(out, sides);
  return SUP_OK;
}

SupResult sup_split_lines(SupArena *arena, const SupPatchSplitDef *def, const SplitMiddle *middles,
                          uint32_t patch, SplitLines *out_lines, bool *out_room, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  Lines l = {.def = def,
             .patch = &def->patches->patches[patch],
             .chart = &def->charts->charts[patch],
             .arena = arena,
             .scratch = &scratch};
  SupResult result = trace_all(&l, middles, out_lines, out_room, error);
  sup_arena_free(&scratch);
  return result;
}
