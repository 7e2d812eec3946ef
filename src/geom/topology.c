/* SPDX-License-Identifier: MIT */
/*
 * Rings, twins, edges, fans, boundary loops and components by sorting and union-find.
 *
 * Half-edges are sorted by (lower vertex, higher vertex) with two stable counting sorts; equal
 * neighbours in that order are one edge. A *fan* is a set of corners of one vertex connected
 * through twins: a manifold vertex has one. An open fan has two ends, each a half-edge without
 * twin, so a walk from end to end closes always: these are the boundary loops.
 */
#include "supple/geom/topology.h"

#include "base/scratch.h"
#include "base/union_find.h"

typedef struct Builder {
  const SupMesh *mesh;
  uint32_t half_edge_count;
  SupArena *arena;  /* for the result */
  SupArena scratch; /* for the rest */
  uint32_t *counts; /* [vertex_count + 1] scratch */
  uint32_t *order;  /* [half_edge_count] half-edges sorted by edge */
  uint32_t *sets;   /* [half_edge_count] fans: union-find of corners */
  uint32_t edge_count;
  uint32_t *edges;
  uint32_t *degrees;
  uint32_t *half_edge_edges;
  uint32_t *twins;
} Builder;

static uint32_t next_corner(uint32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }

static uint32_t start_of(const Builder *b, uint32_t h) { return b->mesh->triangles[h]; }
static uint32_t end_of(const Builder *b, uint32_t h) { return b->mesh->triangles[next_corner(h)]; }

static uint32_t low_of(const Builder *b, uint32_t h) {
  uint32_t s = start_of(b, h), e = end_of(b, h);
  return s < e ? s : e;
}

static uint32_t high_of(const Builder *b, uint32_t h) {
  uint32_t s = start_of(b, h), e = end_of(b, h);
  return s < e ? e : s;
}

static SupResult check_triangles(const SupMesh *mesh, SupError *error) {
  if (mesh->triangle_count > UINT32_MAX / 3) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "the mesh has %u triangles; the maximum is %u",
                    mesh->triangle_count, UINT32_MAX / 3);
  }
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    const uint32_t *c = mesh->triangles + 3 * (size_t)f;
    for (unsigned k = 0; k < 3; k++) {
      if (c[k] >= mesh->vertex_count) {
        return sup_fail(error, SUP_ERROR_FORMAT, "triangle %u uses vertex %u, but the mesh has %u",
                        f, c[k], mesh->vertex_count);
      }
    }
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "triangle %u uses a vertex twice; clean the mesh first", f);
    }
  }
  return SUP_OK;
}

/* ---- Edges ---------------------------------------------------------------------------------- */

typedef uint32_t KeyOf(const Builder *b, uint32_t h);

/* One stable counting sort of half-edges by a vertex. `from` NULL means 0, 1, 2, ... */
static void sort_pass(const Builder *b, KeyOf *key, const uint32_t *from, uint32_t *to) {
  uint32_t n = b->mesh->vertex_count;
  sup_zero(b->counts, ((size_t)n + 1) * sizeof *b->counts);
  for (uint32_t h = 0; h < b->half_edge_count; h++) b->counts[key(b, h) + 1]++;
  for (uint32_t v = 0; v < n; v++) b->counts[v + 1] += b->counts[v];
  for (uint32_t i = 0; i < b->half_edge_count; i++) {
    uint32_t h = from ? from[i] : i;
    to[b->counts[key(b, h)]++] = h;
  }
}

static bool same_edge(const Builder *b, uint32_t g, uint32_t h) {
  return low_of(b, g) == low_of(b, h) && high_of(b, g) == high_of(b, h);
}

/* Numbers the edges along the sorted half-edges. */
static void number_edges(Builder *b) {
  for (uint32_t i = 0; i < b->half_edge_count; i++) {
    uint32_t h = b->order[i];
    if (i == 0 || !same_edge(b, b->order[i - 1], h)) b->edge_count++;
    b->half_edge_edges[h] = b->edge_count - 1;
  }
}

static bool fill_edges(Builder *b) {
  b->edges = SUP_ALLOC(b->arena, uint32_t, 2 * (size_t)b->edge_count);
  b->degrees = SUP_ALLOC(b->arena, uint32_t, b->edge_count);
  if (!b->edges || !b->degrees) return false;
  for (uint32_t h = 0; h < b->half_edge_count; h++) {
    size_t e = b->half_edge_edges[h];
    b->edges[2 * e] = low_of(b, h);
    b->edges[2 * e + 1] = high_of(b, h);
    b->degrees[e]++;
  }
  return true;
}

static bool build_edges(Builder *b) {
  size_t n = b->half_edge_count;
  b->counts = SUP_ALLOC(&b->scratch, uint32_t, (size_t)b->mesh->vertex_count + 1);
  b->order = SUP_ALLOC(&b->scratch, uint32_t, n);
  b->half_edge_edges = SUP_ALLOC(b->arena, uint32_t, n);
  if (!b->counts || !b->order || !b->half_edge_edges) return false;
  sort_pass(b, high_of, NULL, b->half_edge_edges); /* as scratch */
  sort_pass(b, low_of, b->half_edge_edges, b->order);
  number_edges(b);
  return fill_edges(b);
}

/* Edges are sorted by lower, then higher vertex: the lower neighbours of v come before the higher
 * ones, each rising, so plain appending gives rising rings. */
static bool build_rings(const Builder *b, SupRings *rings) {
  uint32_t n = b->mesh->vertex_count;
  uint32_t *offsets = SUP_ALLOC(b->arena, uint32_t, (size_t)n + 1);
  uint32_t *neighbours = SUP_ALLOC(b->arena, uint32_t, 2 * (size_t)b->edge_count);
  if (!offsets || !neighbours) return false;
  for (size_t k = 0; k < 2 * (size_t)b->edge_count; k++) offsets[b->edges[k] + 1]++;
  for (uint32_t v = 0; v < n; v++) offsets[v + 1] += offsets[v];
  for (uint32_t v = 0; v < n; v++) b->counts[v] = offsets[v];
  for (size_t e = 0; e < b->edge_count; e++) {
    uint32_t low = b->edges[2 * e], high = b->edges[2 * e + 1];
    neighbours[b->counts[low]++] = high;
    neighbours[b->counts[high]++] = low;
  }
  *rings = (SupRings){n, offsets, neighbours};
  return true;
}

/* ---- Twins and fans ------------------------------------------------------------------------- */

static void join_fans(Builder *b, uint32_t g, uint32_t h) {
  if (start_of(b, g) == start_of(b, h)) { /* a reversed triangle */
    sup_union_find_join(b->sets, g, h);
    sup_union_find_join(b->sets, next_corner(g), next_corner(h));
  } else {
    sup_union_find_join(b->sets, g, next_corner(h));
    sup_union_find_join(b->sets, next_corner(g), h);
  }
}

static bool build_twins(Builder *b, SupTopology *topology) {
  b->twins = SUP_ALLOC(b->arena, uint32_t, b->half_edge_count);
  b->sets = SUP_ALLOC(&b->scratch, uint32_t, b->half_edge_count);
  if (!b->twins || !b->sets) return false;
  for (uint32_t h = 0; h < b->half_edge_count; h++) {
    b->twins[h] = SUP_NONE;
    b->sets[h] = h;
  }
  for (uint32_t i = 0; i < b->half_edge_count;) {
    uint32_t g = b->order[i], degree = b->degrees[b->half_edge_edges[g]];
    if (degree == 2) {
      uint32_t h = b->order[i + 1];
      b->twins[g] = h;
      b->twins[h] = g;
      if (start_of(b, g) == start_of(b, h)) topology->reversed_edge_count++;
      join_fans(b, g, h);
    }
    topology->boundary_edge_count += degree == 1;
    topology->nonmanifold_edge_count += degree > 2;
    i += degree;
  }
  return true;
}

static bool build_corners(const Builder *b, SupTopology *topology) {
  uint32_t n = b->mesh->vertex_count;
  uint32_t *offsets = SUP_ALLOC(b->arena, uint32_t, (size_t)n + 1);
  uint32_t *corners = SUP_ALLOC(b->arena, uint32_t, b->half_edge_count);
  if (!offsets || !corners) return false;
  sort_pass(b, start_of, NULL, corners);
  /* The pass leaves in counts[v] where the corners of v end. */
  for (uint32_t v = 0; v < n; v++) offsets[v + 1] = b->counts[v];
  topology->corner_offsets = offsets;
  topology->corners = corners;
  return true;
}

/* Marks in bad[vertex_count] the vertices with more than one fan or an edge of high degree. */
static void mark_nonmanifold(const Builder *b, const SupTopology *topology, uint8_t *bad) {
  for (uint32_t v = 0; v < b->mesh->vertex_count; v++) {
    uint32_t first = topology->corner_offsets[v], last = topology->corner_offsets[v + 1];
    for (uint32_t i = first + 1; i < last; i++) {
      uint32_t fan = sup_union_find_root(b->sets, topology->corners[first]);
      if (sup_union_find_root(b->sets, topology->corners[i]) != fan) bad[v] = 1;
    }
  }
  for (size_t e = 0; e < b->edge_count; e++) {
    if (b->degrees[e] > 2) bad[b->edges[2 * e]] = bad[b->edges[2 * e + 1]] = 1;
  }
}

static bool list_nonmanifold(const Builder *b, const uint8_t *bad, SupTopology *topology) {
  uint32_t count = 0;
  for (uint32_t v = 0; v < b->mesh->vertex_count; v++) count += bad[v];
  uint32_t *list = SUP_ALLOC(b->arena, uint32_t, count);
  if (!list) return false;
  topology->nonmanifold_vertices = list;
  topology->nonmanifold_vertex_count = count;
  for (uint32_t v = 0; v < b->mesh->vertex_count; v++) {
    if (bad[v]) *list++ = v;
  }
  return true;
}

/* ---- Boundary loops ------------------------------------------------------------------------- */

/* What the walk along the boundary needs. */
typedef struct Boundary {
  uint32_t half_edge_count; /* without twin */
  uint32_t *ends;           /* [2 * half_edges of the mesh] the two ends of the fan of a corner */
  uint8_t *done;            /* [half_edges of the mesh] */
} Boundary;

static void add_end(const Builder *b, const Boundary *boundary, uint32_t corner, uint32_t h) {
  uint32_t *ends = boundary->ends + 2 * (size_t)sup_union_find_root(b->sets, corner);
  ends[ends[0] != SUP_NONE] = h;
}

/* Walks from half-edge `h` until it is met again; returns the number of vertices written. */
static uint32_t walk_loop(const Builder *b, const Boundary *boundary, uint32_t h,
                          uint32_t *vertices) {
  uint32_t length = 0;
  bool forward = true; /* do we run along h in its own direction? */
  while (!boundary->done[h]) {
    boundary->done[h] = 1;
    vertices[length++] = forward ? start_of(b, h) : end_of(b, h);
    uint32_t fan = sup_union_find_root(b->sets, forward ? next_corner(h) : h);
    const uint32_t *ends = boundary->ends + 2 * (size_t)fan;
    h = ends[0] == h ? ends[1] : ends[0];
    forward = sup_union_find_root(b->sets, h) == fan;
  }
  return length;
}

static bool build_loops(Builder *b, SupTopology *topology) {
  Boundary boundary = {0};
  boundary.ends = SUP_ALLOC(&b->scratch, uint32_t, 2 * (size_t)b->half_edge_count);
  boundary.done = SUP_ALLOC(&b->scratch, uint8_t, b->half_edge_count);
  if (!boundary.ends || !boundary.done) return false;
  for (size_t k = 0; k < 2 * (size_t)b->half_edge_count; k++) boundary.ends[k] = SUP_NONE;
  for (uint32_t h = 0; h < b->half_edge_count; h++) {
    if (b->twins[h] != SUP_NONE) continue;
    boundary.half_edge_count++;
    add_end(b, &boundary, h, h);
    add_end(b, &boundary, next_corner(h), h);
  }
  uint32_t *vertices = SUP_ALLOC(b->arena, uint32_t, boundary.half_edge_count);
  uint32_t *offsets = SUP_ALLOC(b->arena, uint32_t, (size_t)boundary.half_edge_count / 2 + 1);
  if (!vertices || !offsets) return false;
  for (uint32_t h = 0; h < b->half_edge_count; h++) {
    if (b->twins[h] != SUP_NONE || boundary.done[h]) continue;
    uint32_t first = offsets[topology->loop_count++];
    offsets[topology->loop_count] = first + walk_loop(b, &boundary, h, vertices + first);
  }
  topology->loop_offsets = offsets;
  topology->loop_vertices = vertices;
  return true;
}

/* ---- Components ----------------------------------------------------------------------------- */

/* Numbers the components; components[vertex_count] holds the union-find, then the numbers. */
static uint32_t number_components(const Builder *b, const SupTopology *topology,
                                  uint32_t *components) {
  uint32_t n = b->mesh->vertex_count, count = 0;
  sup_union_find_init(components, n);
  for (size_t e = 0; e < b->edge_count; e++) {
    sup_union_find_join(components, b->edges[2 * e], b->edges[2 * e + 1]);
  }
  for (uint32_t v = 0; v < n; v++) b->counts[v] = sup_union_find_root(components, v);
  for (uint32_t v = 0; v < n; v++) { /* a root is the lowest of its set: it comes first */
    bool isolated = topology->corner_offsets[v] == topology->corner_offsets[v + 1];
    if (isolated) {
      components[v] = SUP_NONE;
    } else {
      components[v] = b->counts[v] == v ? count++ : components[b->counts[v]];
    }
  }
  return count;
}

static void count_components(const Builder *b, const SupTopology *topology,
                             const uint32_t *vertex_components, SupComponent *components) {
  for (uint32_t c = 0; c < topology->component_count; c++) {
    components[c].manifold = components[c].oriented = components[c].closed = true;
  }
  for (uint32_t v = 0; v < b->mesh->vertex_count; v++) {
    if (vertex_components[v] != SUP_NONE) components[vertex_components[v]].vertex_count++;
  }
  for (size_t e = 0; e < b->edge_count; e++) {
    SupComponent *component = &components[vertex_components[b->edges[2 * e]]];
    component->edge_count++;
    if (b->degrees[e] == 1) component->closed = false;
  }
  for (uint32_t h = 0; h < b->half_edge_count; h++) {
    SupComponent *component = &components[vertex_components[start_of(b, h)]];
    component->triangle_count += h % 3 == 0;
    uint32_t twin = b->twins[h];
    if (twin != SUP_NONE && start_of(b, twin) == start_of(b, h)) component->oriented = false;
  }
  for (uint32_t l = 0; l < topology->loop_count; l++) {
    uint32_t v = topology->loop_vertices[topology->loop_offsets[l]];
    components[vertex_components[v]].loop_count++;
  }
  for (uint32_t k = 0; k < topology->nonmanifold_vertex_count; k++) {
    components[vertex_components[topology->nonmanifold_vertices[k]]].manifold = false;
  }
  for (uint32_t c = 0; c < topology->component_count; c++) {
    SupComponent *component = &components[c];
    int64_t euler = (int64_t)component->vertex_count - (int64_t)component->edge_count +
                    (int64_t)component->triangle_count;
    component->euler = (int32_t)euler;
    bool surface = component->manifold && component->oriented;
    component->genus = surface ? (int32_t)((2 - euler - (int64_t)component->loop_count) / 2) : -1;
  }
}

static bool build_components(Builder *b, SupTopology *topology) {
  uint32_t *of_vertex = SUP_ALLOC(b->arena, uint32_t, b->mesh->vertex_count);
  if (!of_vertex) return false;
  topology->component_count = number_components(b, topology, of_vertex);
  SupComponent *components = SUP_ALLOC(b->arena, SupComponent, topology->component_count);
  if (!components) return false;
  count_components(b, topology, of_vertex, components);
  topology->vertex_components = of_vertex;
  topology->components = components;
  for (uint32_t v = 0; v < b->mesh->vertex_count; v++) {
    topology->isolated_vertex_count += of_vertex[v] == SUP_NONE;
  }
  return true;
}

/* ---- The two entries ------------------------------------------------------------------------ */

SupResult sup_rings(SupArena *arena, const SupMesh *mesh, SupRings *out_rings, SupError *error) {
  SupResult result = check_triangles(mesh, error);
  if (result != SUP_OK) return result;
  /* Only the rings are to stay: everything else, the edges too, is scratch. */
  Builder b = {.mesh = mesh, .half_edge_count = 3 * mesh->triangle_count};
  b.scratch = sup_scratch(arena);
  b.arena = &b.scratch;
  SupRings rings = {0};
  bool built = build_edges(&b);
  b.arena = arena;
  built = built && build_rings(&b, &rings);
  sup_arena_free(&b.scratch);
  if (!built) return sup_fail_memory(error, "the one-rings");
  *out_rings = rings;
  return SUP_OK;
}

SupResult sup_topology(SupArena *arena, const SupMesh *mesh, SupTopology *out_topology,
                       SupError *error) {
  SupResult result = check_triangles(mesh, error);
  if (result != SUP_OK) return result;
  SupTopology topology = {.triangle_count = mesh->triangle_count};
  Builder b = {.mesh = mesh, .half_edge_count = 3 * mesh->triangle_count, .arena = arena};
  b.scratch = sup_scratch(arena);
  bool built = build_edges(&b) && build_rings(&b, &topology.rings) && build_twins(&b, &topology) &&
               build_corners(&b, &topology);
  uint8_t *bad = built ? SUP_ALLOC(&b.scratch, uint8_t, mesh->vertex_count) : NULL;
  built = bad != NULL;
  if (built) {
    mark_nonmanifold(&b, &topology, bad);
    built = list_nonmanifold(&b, bad, &topology) && build_loops(&b, &topology) &&
            build_components(&b, &topology);
  }
  sup_arena_free(&b.scratch);
  if (!built) return sup_fail_memory(error, "the topology");
  topology.twins = b.twins;
  topology.edge_count = b.edge_count;
  topology.edges = b.edges;
  topology.edge_degrees = b.degrees;
  topology.half_edge_edges = b.half_edge_edges;
  *out_topology = topology;
  return SUP_OK;
}
