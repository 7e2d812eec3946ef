/* SPDX-License-Identifier: MIT */
/* GUO-T11 and GUO-T17: the wedge, its stiffness and bodies of wedges. */
#include "wedge_bar.h"

#include <math.h>

#include "numerics/dense.h"

static const double corners[6][3] = {
    {1, 0, -1}, {-0.5, 0.8660254037844386, -1}, {-0.5, -0.8660254037844386, -1},
    {1, 0, 1},  {-0.5, 0.8660254037844386, 1},  {-0.5, -0.8660254037844386, 1}};

static void shape_functions_are_one_at_their_node(void **state) {
  (void)state;
  SupRng rng = sup_rng(1, 1);
  for (uint32_t k = 0; k < 6; k++) {
    double shape[6];
    sup_wedge_shape(corners[k], shape);
    for (uint32_t i = 0; i < 6; i++) assert_true(fabs(shape[i] - (i == k)) < 1e-15);
  }
  for (int round = 0; round < 50; round++) {
    const double at[3] = {uniform(&rng), uniform(&rng), uniform(&rng)};
    double shape[6], slopes[6][3], sum = 0;
    sup_wedge_shape(at, shape);
    sup_wedge_slopes(at, slopes);
    for (uint32_t k = 0; k < 6; k++) sum += shape[k];
    assert_true(fabs(sum - 1) < 1e-15);
    for (uint32_t c = 0; c < 3; c++) {
      double ahead[3], behind[3], up[6], down[6];
      memcpy(ahead, at, sizeof at);
      memcpy(behind, at, sizeof at);
      ahead[c] += 1e-5;
      behind[c] -= 1e-5;
      sup_wedge_shape(ahead, up);
      sup_wedge_shape(behind, down);
      for (uint32_t k = 0; k < 6; k++) {
        assert_true(fabs((up[k] - down[k]) / 2e-5 - slopes[k][c]) < 1e-10);
      }
    }
  }
}

/* Integrals of a1^p a2^q over the reference triangle. */
static double triangle_moment(int p, int q) {
  static const double known[3][3] = {
      {1.299038105676658, 0, 0.16237976320958225}, {0, 0, 0}, {0.16237976320958225, 0, 0}};
  return known[p][q];
}

static void gauss_points_integrate_monomials(void **state) {
  (void)state;
  for (int p = 0; p < 3; p++) {
    for (int q = 0; p + q < 3; q++) {
      for (int r = 0; r < 4; r++) {
        const double exact = triangle_moment(p, q) * (r % 2 ? 0 : 2.0 / (r + 1));
        double sum = 0;
        for (uint32_t k = 0; k < SUP_WEDGE_POINTS; k++) {
          double at[3];
          sup_wedge_point(k, at);
          sum += SUP_WEDGE_WEIGHT * pow(at[0], p) * pow(at[1], q) * pow(at[2], r);
        }
        assert_true(fabs(sum - exact) < 1e-15);
      }
    }
  }
}

/* Six motions without force, whatever the shape; all others resist. */
static void six_modes_are_rigid(void **state) {
  (void)state;
  SupRng rng = sup_rng(2, 1);
  for (int round = 0; round < 40; round++) {
    SupVec3d x[6];
    double stiffness[324], values[18], largest = 0;
    const SupWedgeLaw law = sup_wedge_law(1, round % 2 ? 0.3 : 0.49);
    odd_wedge(&rng, round ? 0.3 : 0, x);
    assert_true(sup_wedge_size(x).least > 0);
    sup_wedge_stiffness(x, &law, stiffness);
    for (uint32_t r = 0; r < 18; r++) {
      for (uint32_t c = 0; c < 18; c++) {
        assert_true(fabs(stiffness[18 * r + c] - stiffness[18 * c + r]) < 1e-13);
      }
    }
    assert_int_equal(law.even_volume, round % 2 == 0);
    assert_int_equal(sup_dense_eig_symmetric(18, stiffness, values, NULL), SUP_OK);
    for (uint32_t k = 0; k < 18; k++) largest = fmax(largest, values[k]);
    for (uint32_t k = 0; k < 6; k++) assert_true(fabs(values[k]) < 1e-13 * largest);
    assert_true(values[6] > 1e-4 * largest);
  }
}

/* The thesis's bending figure: with points at the nodes the lowest mode would be 0.1665. */
static void bending_is_not_too_stiff(void **state) {
  (void)state;
  SupRng rng = sup_rng(2, 1);
  SupVec3d x[6];
  double stiffness[324], values[18];
  const SupWedgeLaw law = sup_wedge_law(1, 0.3);
  odd_wedge(&rng, 0, x);
  sup_wedge_stiffness(x, &law, stiffness);
  assert_int_equal(sup_dense_eig_symmetric(18, stiffness, values, NULL), SUP_OK);
  assert_true(fabs(values[6] - 0.0416) < 1e-4);
}

/* One wedge pulled along z, free to become thinner: F = E A strain, thinner by Poisson's ratio. */
static void one_wedge_under_tension(void **state) {
  (void)state;
  const double young = 7, ratios[3] = {-0.4, 0.3, 0.49}, strain = 0.02;
  SupRng rng = sup_rng(2, 1);
  SupVec3d x[6];
  odd_wedge(&rng, 0, x);
  for (int round = 0; round < 3; round++) {
    const SupWedgeLaw law = sup_wedge_law(young, ratios[round]);
    double stiffness[324], force[18] = {0}, d[18];
    sup_wedge_stiffness(x, &law, stiffness);
    for (uint32_t k = 0; k < 6; k++) {
      d[3 * k] = -ratios[round] * strain * x[k].x;
      d[3 * k + 1] = -ratios[round] * strain * x[k].y;
      d[3 * k + 2] = strain * x[k].z;
    }
    for (uint32_t r = 0; r < 18; r++) {
      for (uint32_t c = 0; c < 18; c++) force[r] += stiffness[18 * r + c] * d[c];
    }
    const double area = 1.299038105676658;
    for (uint32_t k = 0; k < 6; k++) {
      assert_true(fabs(force[3 * k]) < 1e-13 && fabs(force[3 * k + 1]) < 1e-13);
      assert_true(fabs(force[3 * k + 2] - (k < 3 ? -1 : 1) * young * strain * area / 3) < 1e-13);
    }
  }
}

static SupWedgeBody make_body(SupArena *arena, SupWedgeMesh mesh, double poisson,
                              const double *stiffness, const uint8_t *held) {
  const SupWedgeBodyDef def = {"bar", mesh, poisson, stiffness, held};
  SupWedgeBody body;
  SupError error = {0};
  SupResult result = sup_wedge_body_create(arena, &def, &body, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  return body;
}

/* Linear displacements of the border are linear inside, though the mesh is distorted. */
static void patch_test(void **state) {
  (void)state;
  SupArena arena;
  SupRng rng = sup_rng(4, 1);
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const uint32_t n[3] = {4, 4, 4};
  const SupWedgeMesh mesh = wedge_bar(&arena, n, (SupVec3d){4, 4, 4}, 0.25);
  uint8_t *held = SUP_ALLOC(&arena, uint8_t, mesh.node_count);
  double *d = SUP_ALLOC(&arena, double, 3 * mesh.node_count);
  assert_true(held && d);
  assert_true(fabs(sup_wedge_mesh_size(&mesh, mesh.nodes).volume - 64) < 1e-12);
  for (uint32_t v = 0; v < mesh.node_count; v++) {
    const double p[3] = {mesh.nodes[v].x, mesh.nodes[v].y, mesh.nodes[v].z};
    for (uint32_t k = 0; k < 3; k++) held[v] |= p[k] < 1e-9 || p[k] > 4 - 1e-9;
  }
  for (int round = 0; round < 2; round++) {
    SupWedgeBody body = make_body(&arena, mesh, round ? 0.49 : 0.3, NULL, held);
    SupMat3d A;
    for (uint32_t k = 0; k < 9; k++) A.m[k] = uniform(&rng);
    for (uint32_t v = 0; v < mesh.node_count; v++) {
      const SupVec3d move = sup_mat3d_mul_vec3(A, mesh.nodes[v]);
      d[3 * v] = held[v] ? move.x : 9;
      d[3 * v + 1] = held[v] ? move.y : 9;
      d[3 * v + 2] = held[v] ? move.z : 9;
    }
    assert_int_equal(body.free_count, 27);
    assert_int_equal(sup_wedge_settle(&arena, &body, NULL, d, NULL), SUP_OK);
    for (uint32_t v = 0; v < mesh.node_count; v++) {
      const SupVec3d move = sup_mat3d_mul_vec3(A, mesh.nodes[v]),
                     is = {d[3 * v], d[3 * v + 1], d[3 * v + 2]};
      assert_true(sup_vec3d_distance(move, is) < 1e-12);
    }
    sup_wedge_body_free(&body);
  }
  sup_arena_free(&arena);
}

/* A beam of 5 x 1 x 1 held at x = 0, unit load on its other end along `axis`: the deflection there.
 */
static double deflection(uint32_t x, uint32_t y, uint32_t z, double poisson, uint32_t axis) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const uint32_t n[3] = {x, y, z};
  const SupWedgeMesh mesh = wedge_bar(&arena, n, (SupVec3d){5, 1, 1}, 0);
  uint8_t *held = SUP_ALLOC(&arena, uint8_t, mesh.node_count);
  double *d = SUP_ALLOC(&arena, double, 3 * mesh.node_count);
  double *forces = SUP_ALLOC(&arena, double, 3 * mesh.node_count), sum = 0;
  assert_true(held && d && forces);
  for (uint32_t v = 0; v < mesh.node_count; v++) {
    const SupVec3d p = mesh.nodes[v];
    held[v] = p.x < 1e-9;
    if (p.x < 5 - 1e-9) continue;
    forces[3 * v + axis] = (p.y < 1e-9 || p.y > 1 - 1e-9 ? 0.5 : 1) *
                           (p.z < 1e-9 || p.z > 1 - 1e-9 ? 0.5 : 1) / (y * z);
  }
  SupWedgeBody body = make_body(&arena, mesh, poisson, NULL, held);
  assert_int_equal(sup_wedge_settle(&arena, &body, forces, d, NULL), SUP_OK);
  for (uint32_t v = 0; v < mesh.node_count; v++) sum += forces[3 * v + axis] * d[3 * v + axis];
  sup_wedge_body_free(&body);
  sup_arena_free(&arena);
  return sum;
}

/* GUO-T17. Across the slices B-bar is within a tenth of the fine mesh; in the plane of the
 * triangles wedges stay stiff in shear, and refining helps. */
static void cantilevers_do_not_lock(void **state) {
  (void)state;
  const double coarse = deflection(10, 2, 2, 0.499, 2), fine = deflection(40, 8, 8, 0.499, 2);
  assert_true(fabs(coarse - 452) < 1 && fabs(fine - 487) < 1);
  assert_true(coarse > 0.9 * fine);
  assert_true(fabs(deflection(10, 2, 2, 0.499, 1) - 252) < 1);
  assert_true(fabs(deflection(20, 4, 4, 0.499, 1) - 398) < 1);
}

/* The same beam without B-bar: the two laws of one material differ by it alone. */
static void without_even_volume_they_would(void **state) {
  (void)state;
  SupRng rng = sup_rng(9, 1);
  SupVec3d x[6];
  odd_wedge(&rng, 0.2, x);
  SupWedgeLaw even = sup_wedge_law(1, 0.499), plain = even;
  double a[324], b[324], soft[18], hard[18];
  plain.even_volume = false;
  sup_wedge_stiffness(x, &even, a);
  sup_wedge_stiffness(x, &plain, b);
  assert_int_equal(sup_dense_eig_symmetric(18, a, soft, NULL), SUP_OK);
  assert_int_equal(sup_dense_eig_symmetric(18, b, hard, NULL), SUP_OK);
  /* One mode changes the volume evenly; without B-bar three more resist as one volume
   * of water would. */
  assert_true(soft[17] > 100 && soft[16] < 1);
  assert_true(hard[17] > 100 && hard[14] > 10 && hard[13] < 1);
}

/* GUO-T14: the stiffness of all wedges together changes nothing, that of some of them does. */
static void only_ratios_of_stiffness_count(void **state) {
  (void)state;
  SupArena arena;
  SupRng rng = sup_rng(5, 1);
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const uint32_t n[3] = {3, 3, 3};
  const SupWedgeMesh mesh = wedge_bar(&arena, n, (SupVec3d){3, 3, 3}, 0.2);
  uint8_t *held = SUP_ALLOC(&arena, uint8_t, mesh.node_count);
  double *stiffness = SUP_ALLOC(&arena, double, mesh.wedge_count), *d[4], *moved;
  moved = SUP_ALLOC(&arena, double, 3 * mesh.node_count);
  for (uint32_t v = 0; v < mesh.node_count; v++) {
    held[v] = mesh.nodes[v].x < 1e-9 || mesh.nodes[v].x > 3 - 1e-9;
    for (uint32_t k = 0; k < 3 && held[v]; k++) moved[3 * v + k] = uniform(&rng);
  }
  for (int round = 0; round < 4; round++) {
    for (uint32_t w = 0; w < mesh.wedge_count; w++) {
      stiffness[w] = (double[]){1, 1e6, 9.9e7, w % 2 ? 1 : 5}[round];
    }
    d[round] = SUP_COPY(&arena, double, moved, 3 * mesh.node_count);
    SupWedgeBody body = make_body(&arena, mesh, 0.4, round ? stiffness : NULL, held);
    assert_int_equal(sup_wedge_settle(&arena, &body, NULL, d[round], NULL), SUP_OK);
    sup_wedge_body_free(&body);
  }
  double same = 0, other = 0;
  for (uint32_t k = 0; k < 3 * mesh.node_count; k++) {
    same = fmax(same, fmax(fabs(d[1][k] - d[0][k]), fabs(d[2][k] - d[0][k])));
    other = fmax(other, fabs(d[3][k] - d[0][k]));
  }
  assert_true(same < 1e-12 && other > 1e-2);
  sup_arena_free(&arena);
}

static void refuse(SupWedgeMesh mesh, double poisson, const double *stiffness, const uint8_t *held,
                   const char *words) {
  CountingHeap heap = {0};
  SupArena arena;
  SupError error = {0};
  SupWedgeBody body = {0};
  const SupWedgeBodyDef def = {"upper arm", mesh, poisson, stiffness, held};
  sup_arena_init(&arena, counting_allocator(&heap), 0);
  assert_int_not_equal(sup_wedge_body_create(&arena, &def, &body, &error), SUP_OK);
  assert_non_null(strstr(error.text, "'upper arm'"));
  assert_non_null(strstr(error.text, words));
  assert_null(body.factor);
  sup_arena_free(&arena);
  assert_int_equal(heap.live_blocks, 0);
}

static void bad_bodies_are_refused(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const uint32_t n[3] = {2, 2, 2};
  SupWedgeMesh mesh = wedge_bar(&arena, n, (SupVec3d){1, 1, 1}, 0);
  uint8_t *held = SUP_ALLOC(&arena, uint8_t, mesh.node_count);
  double *stiffness = SUP_ALLOC(&arena, double, mesh.wedge_count);
  SupVec3d *nodes = SUP_COPY(&arena, SupVec3d, mesh.nodes, mesh.node_count);
  refuse(mesh, 0.3, NULL, held, "not held");
  held[0] = held[1] = 1;
  refuse(mesh, 0.3, NULL, held, "not held");
  for (uint32_t v = 0; v < 9; v++) held[v] = 1;
  refuse(mesh, 0.5, NULL, held, "Poisson's ratio is 0.5");
  refuse(mesh, -1, NULL, held, "Poisson's ratio is -1");
  refuse(mesh, (double)NAN, NULL, held, "Poisson's ratio");
  refuse(mesh, 0.3, stiffness, held, "stiffness of wedge 0 is 0");
  uint32_t *wedges = SUP_COPY(&arena, uint32_t, mesh.wedges, 6 * (size_t)mesh.wedge_count);
  const uint32_t *good = mesh.wedges;
  mesh.wedges = wedges;
  wedges[6 + 2] = wedges[6 + 1]; /* with a volume still: two corners of the bottom are one */
  refuse(mesh, 0.3, NULL, held, "wedge 1 names a node twice");
  mesh.wedges = good;
  nodes[13].z = 2.5; /* the middle, above the top */
  mesh.nodes = nodes;
  refuse(mesh, 0.3, NULL, held, "flat or inverted");
  nodes[13].z = (double)NAN;
  refuse(mesh, 0.3, NULL, held, "flat or inverted");
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shape_functions_are_one_at_their_node),
      cmocka_unit_test(gauss_points_integrate_monomials),
      cmocka_unit_test(six_modes_are_rigid),
      cmocka_unit_test(bending_is_not_too_stiff),
      cmocka_unit_test(one_wedge_under_tension),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(cantilevers_do_not_lock),
      cmocka_unit_test(without_even_volume_they_would),
      cmocka_unit_test(only_ratios_of_stiffness_count),
      cmocka_unit_test(bad_bodies_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
