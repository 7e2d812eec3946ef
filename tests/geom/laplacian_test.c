/* SPDX-License-Identifier: MIT */
/* The Laplacian: what it must do to constants, lines, spheres and the modes of a rectangle. */
#include "supple/geom/laplacian.h"

#include <math.h>

#include "groups.h"
#include "shapes.h"
#include "supple/io/file.h"

#define PI 3.14159265358979323846

static SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

static SupLaplacian laplacian_of(SupArena *arena, SupMesh mesh, SupLaplacianDef def) {
  SupRings rings;
  SupLaplacian l;
  assert_int_equal(sup_rings(arena, &mesh, &rings, NULL), SUP_OK);
  assert_int_equal(sup_laplacian(arena, &mesh, &rings, &def, &l, NULL), SUP_OK);
  return l;
}

static double *multiply(SupArena *arena, SupLaplacian l, const double *x) {
  double *y = SUP_ALLOC(arena, double, l.vertex_count);
  for (uint32_t v = 0; v < l.vertex_count; v++) {
    for (uint32_t k = l.offsets[v]; k < l.offsets[v + 1]; k++)
      y[v] += l.values[k] * x[l.columns[k]];
  }
  return y;
}

static double value(SupLaplacian l, uint32_t row, uint32_t column) {
  for (uint32_t k = l.offsets[row]; k < l.offsets[row + 1]; k++) {
    if (l.columns[k] == column) return l.values[k];
  }
  return NAN;
}

/* Rising columns with the diagonal, symmetric to the bit, rows that sum to nothing. */
static void check_matrix(SupLaplacian l) {
  for (uint32_t v = 0; v < l.vertex_count; v++) {
    double sum = 0, size = 0;
    bool diagonal = false;
    for (uint32_t k = l.offsets[v]; k < l.offsets[v + 1]; k++) {
      if (k > l.offsets[v]) assert_true(l.columns[k - 1] < l.columns[k]);
      diagonal = diagonal || l.columns[k] == v;
      assert_true(l.values[k] == value(l, l.columns[k], v));
      assert_true(isfinite(l.values[k]));
      sum += l.values[k];
      size += fabs(l.values[k]);
    }
    assert_true(diagonal);
    assert_true(fabs(sum) <= 1e-14 * size);
  }
}

static void matrix_is_well_formed(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(1, 6);
  SupMesh meshes[4] = {shape_icosphere(&arena, 3), shape_tube(&arena, 9, 5, 2),
                       shape_box_soup(&arena, 9, &rng), shape_grid(&arena, 8, 8)};
  meshes[2].triangle_count -= 13; /* the last box's vertices are left without triangle */
  for (unsigned m = 0; m < 4; m++) {
    SupMesh mesh = shape_jitter(&arena, meshes[m], 0.05, &rng);
    for (int kind = 0; kind < 2; kind++) {
      for (int nonnegative = 0; nonnegative < 2; nonnegative++) {
        SupLaplacianDef def = {.kind = (SupLaplacianKind)kind, .nonnegative = nonnegative != 0};
        SupLaplacian l = laplacian_of(&arena, mesh, def);
        check_matrix(l);
        double *x = SUP_ALLOC(&arena, double, mesh.vertex_count), energy = 0;
        for (uint32_t v = 0; v < mesh.vertex_count; v++) x[v] = sup_rng_double(&rng) - 0.5;
        double *y = multiply(&arena, l, x);
        for (uint32_t v = 0; v < mesh.vertex_count; v++) energy += x[v] * y[v];
        assert_true(energy > 0);
        for (uint32_t v = 0; v < l.vertex_count && nonnegative; v++) {
          for (uint32_t k = l.offsets[v]; k < l.offsets[v + 1]; k++) {
            if (l.columns[k] != v) assert_true(l.values[k] <= 0);
          }
        }
      }
    }
  }
  sup_arena_free(&arena);
}

/* A line over a plane has no Laplacian inside, however the plane is cut into triangles. */
static void cotangents_are_exact_on_planes(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(2, 6);
  SupMesh mesh = shape_jitter(&arena, shape_grid(&arena, 20, 15), 0.3, &rng);
  SupVec3 *tilted = SUP_ALLOC(&arena, SupVec3, mesh.vertex_count);
  double *x = SUP_ALLOC(&arena, double, mesh.vertex_count);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    SupVec3 p = mesh.positions[v]; /* onto the plane x + y = 0, exactly */
    tilted[v] = (SupVec3){p.x, -p.x, p.y};
    x[v] = 3 * (double)p.x - 2 * (double)p.y;
  }
  mesh.positions = tilted;
  SupTopology topology;
  assert_int_equal(sup_topology(&arena, &mesh, &topology, NULL), SUP_OK);
  uint8_t *boundary = SUP_ALLOC(&arena, uint8_t, mesh.vertex_count);
  for (uint32_t k = 0; k < topology.loop_offsets[1]; k++) boundary[topology.loop_vertices[k]] = 1;
  SupLaplacian l = laplacian_of(&arena, mesh, (SupLaplacianDef){.kind = SUP_LAPLACIAN_COTANGENT});
  double *y = multiply(&arena, l, x);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    if (!boundary[v]) assert_true(fabs(y[v]) < 1e-11);
  }
  sup_arena_free(&arena);
}

/* On a grid of right triangles the cotangent Laplacian is the five-point stencil, whose modes are
 * products of cosines with known frequencies: L u = lambda M u. */
static void grid_modes_are_cosines(void **state) {
  (void)state;
  SupArena arena = new_arena();
  enum { NX = 12, NY = 9 };
  SupMesh mesh = shape_grid(&arena, NX, NY);
  SupLaplacian l = laplacian_of(
      &arena, mesh, (SupLaplacianDef){.kind = SUP_LAPLACIAN_COTANGENT, .mass = SUP_AREA_MIXED});
  double *x = SUP_ALLOC(&arena, double, mesh.vertex_count);
  for (int a = 0; a <= NX; a++) {
    for (int b = 0; b <= NY; b++) {
      double lambda = 4 - 2 * cos(PI * a / NX) - 2 * cos(PI * b / NY);
      for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        x[v] = cos(PI * a * (double)mesh.positions[v].x / NX) *
               cos(PI * b * (double)mesh.positions[v].y / NY);
      }
      double *y = multiply(&arena, l, x);
      for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        assert_true(fabs(y[v] - lambda * l.mass[v] * x[v]) < 1e-12);
      }
    }
  }
  sup_arena_free(&arena);
}

/* The coordinates of the unit sphere are its lowest modes: eigenvalue 2. */
static void sphere_has_eigenvalue_two(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh mesh = shape_icosphere(&arena, 5);
  SupLaplacian l = laplacian_of(
      &arena, mesh, (SupLaplacianDef){.kind = SUP_LAPLACIAN_COTANGENT, .mass = SUP_AREA_MIXED});
  double *x = SUP_ALLOC(&arena, double, mesh.vertex_count), energy = 0, mass = 0;
  for (uint32_t v = 0; v < mesh.vertex_count; v++) x[v] = (double)mesh.positions[v].z;
  double *y = multiply(&arena, l, x);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    energy += x[v] * y[v];
    mass += l.mass[v] * x[v] * x[v];
  }
  assert_true(fabs(energy / mass - 2) < 0.005);
  sup_arena_free(&arena);
}

static void slivers_stay_within_limits(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupVec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {0.5f, 1e-20f, 0}, {0, 0, 0}, {0.5f, 0, 0}};
  const uint32_t triangles[9] = {0, 1, 2, 0, 3, 1, 0, 4, 1};
  SupMesh mesh = {5, 3, positions, triangles};
  SupLaplacianDef def = {.kind = SUP_LAPLACIAN_COTANGENT};
  check_matrix(laplacian_of(&arena, mesh, def));
  def.nonnegative = true;
  def.cotangent_limit = 10;
  SupLaplacian l = laplacian_of(&arena, mesh, def);
  check_matrix(l);
  for (uint32_t k = 0; k < l.offsets[5]; k++) assert_true(fabs(l.values[k]) <= 60);
  sup_arena_free(&arena);
}

int run_laplacian_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrix_is_well_formed),
      cmocka_unit_test(cotangents_are_exact_on_planes),
      cmocka_unit_test(grid_modes_are_cosines),
      cmocka_unit_test(sphere_has_eigenvalue_two),
      cmocka_unit_test(slivers_stay_within_limits),
  };
  return cmocka_run_group_tests_name("laplacian", tests, NULL, NULL);
}
