/* SPDX-License-Identifier: MIT */
/* Topology: invariants, and meshes whose numbers are known. */
#include "supple/geom/topology.h"

#include <math.h>
#include <string.h>

#include "groups.h"
#include "shapes.h"
#include "supple/geom/measure.h"
#include "supple/io/file.h"

static SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

static SupTopology topology_of(SupArena *arena, SupMesh mesh) {
  SupTopology t;
  assert_int_equal(sup_topology(arena, &mesh, &t, NULL), SUP_OK);
  return t;
}

static uint32_t end_vertex(SupMesh mesh, uint32_t h) {
  return mesh.triangles[h % 3 == 2 ? h - 2 : h + 1];
}

/* What holds for every mesh, recomputed from the triangles. */
static void check_invariants(SupMesh mesh, const SupTopology *t) {
  uint32_t half_edges = 3 * mesh.triangle_count, cut = 0, degree_sum = 0;
  for (uint32_t h = 0; h < half_edges; h++) {
    const uint32_t *edge = t->edges + 2 * t->half_edge_edges[h];
    uint32_t a = mesh.triangles[h], b = end_vertex(mesh, h);
    assert_int_equal(edge[0], a < b ? a : b);
    assert_int_equal(edge[1], a < b ? b : a);
    uint32_t twin = t->twins[h];
    assert_true((twin != SUP_NONE) == (t->edge_degrees[t->half_edge_edges[h]] == 2));
    if (twin == SUP_NONE) {
      cut++;
      continue;
    }
    assert_int_not_equal(twin, h);
    assert_int_equal(t->twins[twin], h);
    assert_int_equal(t->half_edge_edges[twin], t->half_edge_edges[h]);
  }
  for (uint32_t e = 0; e < t->edge_count; e++) {
    const uint32_t *edge = t->edges + 2 * e;
    degree_sum += t->edge_degrees[e];
    if (e) assert_true(edge[-2] < edge[0] || (edge[-2] == edge[0] && edge[-1] < edge[1]));
  }
  assert_int_equal(degree_sum, half_edges);
  assert_int_equal(t->loop_offsets[t->loop_count], cut);
  /* Rings: rising, symmetric, and as many as there are edges. */
  assert_int_equal(t->rings.offsets[mesh.vertex_count], 2 * t->edge_count);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    for (uint32_t k = t->rings.offsets[v]; k < t->rings.offsets[v + 1]; k++) {
      uint32_t w = t->rings.neighbours[k];
      if (k > t->rings.offsets[v]) assert_true(t->rings.neighbours[k - 1] < w);
      bool back = false;
      for (uint32_t i = t->rings.offsets[w]; i < t->rings.offsets[w + 1]; i++) {
        back = back || t->rings.neighbours[i] == v;
      }
      assert_true(back);
      assert_int_equal(t->vertex_components[v], t->vertex_components[w]);
    }
    for (uint32_t k = t->corner_offsets[v]; k < t->corner_offsets[v + 1]; k++) {
      assert_int_equal(mesh.triangles[t->corners[k]], v);
    }
  }
  assert_int_equal(t->corner_offsets[mesh.vertex_count], half_edges);
  uint32_t vertices = t->isolated_vertex_count, edges = 0, triangles = 0, loops = 0;
  for (uint32_t c = 0; c < t->component_count; c++) {
    vertices += t->components[c].vertex_count;
    edges += t->components[c].edge_count;
    triangles += t->components[c].triangle_count;
    loops += t->components[c].loop_count;
  }
  assert_int_equal(vertices, mesh.vertex_count);
  assert_int_equal(edges, t->edge_count);
  assert_int_equal(triangles, mesh.triangle_count);
  assert_int_equal(loops, t->loop_count);
}

typedef struct Known {
  SupMesh mesh;
  int euler, genus, loops, boundary;
} Known;

static void known_surfaces(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(1, 2);
  Known known[5] = {{shape_icosphere(&arena, 3), 2, 0, 0, 0},
                    {shape_torus(&arena, 20, 12, 2, 0.5), 0, 1, 0, 0},
                    {shape_grid(&arena, 7, 5), 1, 0, 1, 24},
                    {shape_tube(&arena, 9, 4, 3), 0, 0, 2, 18},
                    {shape_box(&arena), 2, 0, 0, 0}};
  for (unsigned m = 0; m < 10; m++) {
    Known k = known[m / 2];
    SupMesh mesh = m % 2 ? shape_shuffle(&arena, k.mesh, &rng, NULL) : k.mesh;
    SupTopology t = topology_of(&arena, mesh);
    check_invariants(mesh, &t);
    assert_int_equal(t.component_count, 1);
    assert_int_equal(t.components[0].euler, k.euler);
    assert_int_equal(t.components[0].genus, k.genus);
    assert_int_equal(t.components[0].loop_count, k.loops);
    assert_int_equal(t.boundary_edge_count, k.boundary);
    assert_int_equal(t.components[0].closed, k.boundary == 0);
    assert_true(t.components[0].manifold && t.components[0].oriented);
    assert_int_equal(t.nonmanifold_edge_count + t.reversed_edge_count, 0);
    SupRings rings;
    assert_int_equal(sup_rings(&arena, &mesh, &rings, NULL), SUP_OK);
    assert_memory_equal(rings.offsets, t.rings.offsets, 4 * (mesh.vertex_count + 1));
    assert_memory_equal(rings.neighbours, t.rings.neighbours, 8 * t.edge_count);
  }
  sup_arena_free(&arena);
}

/* A loop must be a closed walk along edges of one triangle. */
static void check_loops(SupMesh mesh, const SupTopology *t, uint32_t length) {
  for (uint32_t l = 0; l < t->loop_count; l++) {
    uint32_t first = t->loop_offsets[l], last = t->loop_offsets[l + 1];
    assert_int_equal(last - first, length);
    for (uint32_t k = first; k < last; k++) {
      uint32_t a = t->loop_vertices[k], b = t->loop_vertices[k + 1 < last ? k + 1 : first];
      bool found = false;
      for (uint32_t h = 0; h < 3 * mesh.triangle_count; h++) {
        found = found ||
                (t->twins[h] == SUP_NONE && mesh.triangles[h] == a && end_vertex(mesh, h) == b);
      }
      assert_true(found);
    }
  }
}

/* Holes of one triangle, of a vertex with its ring, and two that touch in a vertex. */
static void torus_with_holes(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh torus = shape_torus(&arena, 30, 20, 2, 0.5);
  bool *drop = SUP_ALLOC(&arena, bool, torus.triangle_count);
  drop[0] = drop[300] = drop[700] = true;
  SupMesh pierced = shape_without(&arena, torus, drop);
  SupTopology t = topology_of(&arena, pierced);
  check_invariants(pierced, &t);
  check_loops(pierced, &t, 3);
  assert_int_equal(t.loop_count, 3);
  assert_int_equal(t.components[0].euler, -3);
  assert_int_equal(t.components[0].genus, 1);
  assert_false(t.components[0].closed);

  /* A vertex's fan: hexagonal hole, the vertex itself is isolated. */
  memset(drop, 0, torus.triangle_count);
  for (uint32_t f = 0; f < torus.triangle_count; f++) {
    for (unsigned k = 0; k < 3; k++) drop[f] = drop[f] || torus.triangles[3 * f + k] == 77;
  }
  pierced = shape_without(&arena, torus, drop);
  t = topology_of(&arena, pierced);
  check_invariants(pierced, &t);
  check_loops(pierced, &t, 6);
  assert_int_equal(t.loop_count, 1);
  assert_int_equal(t.isolated_vertex_count, 1);
  assert_int_equal(t.vertex_components[77], SUP_NONE);
  assert_int_equal(t.components[0].genus, 1);

  /* Two opposite triangles of vertex 0: it has two fans; each hole is a loop of its own. */
  memset(drop, 0, torus.triangle_count);
  t = topology_of(&arena, torus);
  uint32_t f = t.corners[t.corner_offsets[77]] / 3, opposite = SUP_NONE;
  for (uint32_t k = t.corner_offsets[77]; k < t.corner_offsets[78]; k++) {
    uint32_t g = t.corners[k] / 3, shared = 0;
    for (unsigned i = 0; i < 9; i++) {
      shared += torus.triangles[3 * f + i / 3] == torus.triangles[3 * g + i % 3];
    }
    if (shared == 1) opposite = g;
  }
  drop[f] = drop[opposite] = true;
  pierced = shape_without(&arena, torus, drop);
  t = topology_of(&arena, pierced);
  check_invariants(pierced, &t);
  assert_int_equal(t.nonmanifold_vertex_count, 1);
  assert_int_equal(t.nonmanifold_vertices[0], 77);
  assert_int_equal(t.loop_offsets[t.loop_count], 6);
  assert_int_equal(t.components[0].genus, -1);
  sup_arena_free(&arena);
}

static void components_are_counted(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(3, 2);
  SupMesh all = shape_icosphere(&arena, 2);
  all = shape_union(&arena, all, shape_torus(&arena, 9, 7, 2, 0.3), (SupVec3){9, 0, 0});
  all = shape_union(&arena, all, shape_box_soup(&arena, 12, &rng), (SupVec3){0, 9, 0});
  const uint32_t *renamed;
  SupMesh shuffled = shape_shuffle(&arena, all, &rng, &renamed);
  SupTopology t = topology_of(&arena, shuffled);
  check_invariants(shuffled, &t);
  assert_int_equal(t.component_count, 14);
  uint32_t genus[2] = {0};
  for (uint32_t c = 0; c < 14; c++) genus[t.components[c].genus]++;
  assert_int_equal(genus[0], 13);
  assert_int_equal(genus[1], 1);
  /* Two vertices are of one component exactly if they were before. */
  for (uint32_t v = 162 + 63; v + 8 < all.vertex_count; v++) {
    bool same = t.vertex_components[renamed[v]] == t.vertex_components[renamed[v + 1]];
    assert_int_equal(same, (v - 225) / 8 == (v + 1 - 225) / 8);
  }
  sup_arena_free(&arena);
}

/* Three sheets on one edge, two cones on one vertex. */
static void nonmanifold_is_found(void **state) {
  (void)state;
  SupArena arena = new_arena();
  const uint32_t book[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
  SupMesh mesh = {5, 3, NULL, book};
  SupTopology t = topology_of(&arena, mesh);
  check_invariants(mesh, &t);
  assert_int_equal(t.nonmanifold_edge_count, 1);
  assert_int_equal(t.nonmanifold_vertex_count, 2);
  assert_int_equal(t.boundary_edge_count, 6);
  assert_int_equal(t.loop_count, 3);
  assert_false(t.components[0].manifold);
  const uint32_t cones[12] = {0, 1, 2, 0, 2, 3, 0, 4, 5, 0, 5, 6};
  mesh = (SupMesh){7, 4, NULL, cones};
  t = topology_of(&arena, mesh);
  check_invariants(mesh, &t);
  assert_int_equal(t.nonmanifold_edge_count, 0);
  assert_int_equal(t.nonmanifold_vertex_count, 1);
  assert_int_equal(t.loop_count, 2);
  /* Random triangles: everything goes wrong, the invariants still hold. */
  SupRng rng = sup_rng(5, 2);
  for (unsigned round = 0; round < 200; round++) {
    uint32_t soup[90], count = 1 + sup_rng_below(&rng, 30);
    for (uint32_t f = 0; f < count; f++) {
      uint32_t *c = soup + 3 * f;
      do {
        for (unsigned k = 0; k < 3; k++) c[k] = sup_rng_below(&rng, 9);
      } while (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]);
    }
    mesh = (SupMesh){9, count, NULL, soup};
    t = topology_of(&arena, mesh);
    check_invariants(mesh, &t);
  }
  sup_arena_free(&arena);
}

static void bad_triangles_are_refused(void **state) {
  (void)state;
  SupArena arena = new_arena();
  const uint32_t outside[6] = {0, 1, 2, 0, 2, 9}, twice[6] = {0, 1, 2, 3, 1, 3};
  SupTopology t = {.edge_count = 77};
  SupError error;
  SupMesh mesh = {5, 2, NULL, outside};
  assert_int_equal(sup_topology(&arena, &mesh, &t, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "triangle 1 uses vertex 9, but the mesh has 5"));
  mesh.triangles = twice;
  assert_int_equal(sup_topology(&arena, &mesh, &t, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "triangle 1 uses a vertex twice"));
  assert_int_equal(t.edge_count, 77);
  mesh = (SupMesh){0};
  assert_int_equal(sup_topology(&arena, &mesh, &t, &error), SUP_OK);
  assert_int_equal(t.edge_count + t.component_count + t.loop_count, 0);
  sup_arena_free(&arena);
}

/* Random triangles are flipped; the old orientation must come back, also from inside out. */
static void orientation_comes_back(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(6, 2);
  SupMesh all = shape_icosphere(&arena, 3);
  all = shape_union(&arena, all, shape_torus(&arena, 19, 17, 2, 0.3), (SupVec3){9, 0, 0});
  all = shape_union(&arena, all, shape_tube(&arena, 12, 6, 2), (SupVec3){0, 9, 0});
  all = shape_union(&arena, all, shape_box_soup(&arena, 5, &rng), (SupVec3){0, -9, 0});
  SupTopology whole = topology_of(&arena, all);
  for (unsigned percent = 0; percent <= 100; percent += 20) {
    SupMesh bad = all;
    uint32_t *triangles = SUP_COPY(&arena, uint32_t, all.triangles, 3 * all.triangle_count);
    uint32_t flipped = 0;
    for (uint32_t f = 0; f < all.triangle_count; f++) {
      if (sup_rng_below(&rng, 100) >= percent) continue;
      triangles[3 * f + 1] = all.triangles[3 * f + 2];
      triangles[3 * f + 2] = all.triangles[3 * f + 1];
      flipped++;
    }
    bad.triangles = triangles;
    SupTopology t = topology_of(&arena, bad);
    SupOrientation o;
    assert_int_equal(sup_orient(&arena, &bad, &t, &o, NULL), SUP_OK);
    assert_memory_equal(o.triangles, all.triangles, 12 * all.triangle_count);
    assert_int_equal(o.flipped_count, flipped);
    assert_int_equal(o.shell_count, whole.component_count);
    assert_int_equal(o.unorientable_count, 0);
    if (percent == 100) assert_int_equal(o.turned_count, o.shell_count);
    if (percent == 0) assert_int_equal(o.turned_count, 0);
  }
  /* A sheet has no outside: it stays as it is, whichever way it faces. */
  SupMesh grid = shape_grid(&arena, 10, 10);
  uint32_t *down = SUP_COPY(&arena, uint32_t, grid.triangles, 3 * grid.triangle_count);
  for (uint32_t f = 0; f < grid.triangle_count; f++) {
    down[3 * f] = grid.triangles[3 * f + 1];
    down[3 * f + 1] = grid.triangles[3 * f];
  }
  grid.triangles = down;
  SupTopology t = topology_of(&arena, grid);
  SupOrientation o;
  assert_int_equal(sup_orient(&arena, &grid, &t, &o, NULL), SUP_OK);
  assert_int_equal(o.flipped_count, 0);
  sup_arena_free(&arena);
}

static void moebius_is_unorientable(void **state) {
  (void)state;
  SupArena arena = new_arena();
  enum { COUNT = 12 };
  SupVec3 positions[2 * COUNT];
  uint32_t triangles[6 * COUNT];
  for (uint32_t u = 0; u < COUNT; u++) {
    double a = 6.283185307179586 * u / COUNT;
    for (unsigned side = 0; side < 2; side++) {
      double w = side ? 0.3 : -0.3, r = 1 + w * cos(a / 2);
      positions[2 * u + side] =
          (SupVec3){(float)(r * cos(a)), (float)(r * sin(a)), (float)(w * sin(a / 2))};
    }
    uint32_t p = 2 * u, q = p + 1, next = (2 * u + 2) % (2 * COUNT), swap = u + 1 == COUNT;
    uint32_t r = next + swap, s = next + 1 - swap;
    memcpy(triangles + 6 * u, (uint32_t[6]){p, r, q, q, r, s}, 24);
  }
  SupMesh strip = {2 * COUNT, 2 * COUNT, positions, triangles};
  SupTopology t = topology_of(&arena, strip);
  check_invariants(strip, &t);
  assert_int_equal(t.components[0].euler, 0);
  assert_int_equal(t.loop_count, 1);
  assert_int_equal(t.reversed_edge_count, 1);
  SupOrientation o;
  assert_int_equal(sup_orient(&arena, &strip, &t, &o, NULL), SUP_OK);
  assert_int_equal(o.unorientable_count, 1);
  assert_int_equal(o.flipped_count + o.turned_count, 0);
  sup_arena_free(&arena);
}

static void areas_volumes_normals(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh sphere = shape_icosphere(&arena, 5), box = shape_box(&arena);
  double pi = 3.14159265358979;
  assert_true(fabs(sup_mesh_area(&sphere) - 4 * pi) < 0.01);
  assert_true(fabs(sup_mesh_volume(&sphere) - 4 * pi / 3) < 0.01);
  assert_true(fabs(sup_mesh_area(&box) - 24) < 1e-12);
  assert_true(fabs(sup_mesh_volume(&box) - 8) < 1e-12);
  SupMesh meshes[3] = {sphere, shape_torus(&arena, 90, 11, 2, 0.5), shape_grid(&arena, 6, 6)};
  for (unsigned m = 0; m < 3; m++) {
    double *areas = SUP_ALLOC(&arena, double, meshes[m].vertex_count);
    for (int kind = 0; kind < 2; kind++) {
      sup_vertex_areas(&meshes[m], (SupVertexArea)kind, areas);
      double sum = 0;
      for (uint32_t v = 0; v < meshes[m].vertex_count; v++) sum += areas[v];
      assert_true(fabs(sum - sup_mesh_area(&meshes[m])) < 1e-9 * sum);
    }
    /* A grid's inner Voronoi cells are its squares; barycentric ones too, by symmetry. */
    if (m == 2) assert_true(fabs(areas[24] - 1) < 1e-12 && fabs(areas[0] - 0.25) < 1e-12);
  }
  SupVec3 *normals = SUP_ALLOC(&arena, SupVec3, sphere.vertex_count);
  sup_vertex_normals(&sphere, normals);
  for (uint32_t v = 0; v < sphere.vertex_count; v++) {
    SupVec3 n = normals[v], p = sphere.positions[v];
    assert_true(n.x * p.x + n.y * p.y + n.z * p.z > 0.9999f);
  }
  sup_arena_free(&arena);
}

static void failing_memory_is_told(void **state) {
  (void)state;
  SupArena shapes = new_arena();
  SupMesh mesh = shape_torus(&shapes, 80, 80, 2, 0.5);
  size_t k = 1;
  for (SupResult result = SUP_ERROR_MEMORY; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupTopology t = {.edge_count = 77};
    SupRings rings;
    SupOrientation o = {.shell_count = 77};
    result = sup_topology(&arena, &mesh, &t, NULL);
    if (result != SUP_OK) assert_int_equal(t.edge_count, 77);
    if (result == SUP_OK) result = sup_rings(&arena, &mesh, &rings, NULL);
    if (result == SUP_OK) result = sup_orient(&arena, &mesh, &t, &o, NULL);
    if (result != SUP_OK) {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      assert_int_equal(o.shell_count, 77);
    }
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  assert_true(k > 8);
  sup_arena_free(&shapes);
}

int run_topology_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_surfaces),
      cmocka_unit_test(torus_with_holes),
      cmocka_unit_test(components_are_counted),
      cmocka_unit_test(nonmanifold_is_found),
      cmocka_unit_test(bad_triangles_are_refused),
      cmocka_unit_test(orientation_comes_back),
      cmocka_unit_test(moebius_is_unorientable),
      cmocka_unit_test(areas_volumes_normals),
      cmocka_unit_test(failing_memory_is_told),
  };
  return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
