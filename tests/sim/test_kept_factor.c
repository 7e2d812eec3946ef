/* SPDX-License-Identifier: MIT */
/* A factor that is kept: it turns with the flesh, learns from moves, and lasts for many steps. */
#include "sim/kept_factor.h"

#include <math.h>
#include <string.h>

#include "lab.h"

#define CELLS 3
#define NODES ((CELLS + 1) * (CELLS + 1) * (CELLS + 1))

static const SupMaterialDef flesh = {SUP_MATERIAL_NEO_HOOKEAN, 1e4, 0.4, 1000, 0.004, 0, 0};

static Lab *make_lab(void) {
  Box box = box_create((int[3]){CELLS, CELLS, CELLS}, (double[3]){1, 1, 1});
  for (uint32_t n = 0; n < box.mesh.node_count; n++) box.prescribed[n] = box.nodes[n].x == 0;
  return lab_of(box, flesh, NULL);
}

static double largest_gap(const Lab *lab, const SupVec3d *a, const SupVec3d *b) {
  double most = 0;
  for (uint32_t k = 0; k < lab->body.free_count; k++) {
    const uint32_t n = lab->body.free_nodes[k];
    most = fmax(most, sup_vec3d_distance(a[n], b[n]));
  }
  return most;
}

/* The matrix of strained flesh, factored and kept. */
static SupKeptFactor keep(Lab *lab, SupCholesky **out_factor, SupVec3d *out_x, SupVec3d *out_g) {
  SupError error;
  SupRng rng = sup_rng(9, 1);
  SupKeptFactor kept;
  for (uint32_t n = 0; n < NODES; n++) {
    out_x[n] = sup_vec3d_add(lab->box.nodes[n], noise(&rng, 0.05));
  }
  sup_elastic_linearise(&lab->body, out_x, NULL, SUP_HESSIAN_PROJECTED, out_g);
  sup_elastic_assemble(&lab->body, NULL, NULL);
  assert_int_equal(sup_cholesky_create(&lab->body.matrix, out_factor, &error), SUP_OK);
  assert_int_equal(sup_cholesky_factor(*out_factor, &lab->body.matrix, &error), SUP_OK);
  assert_true(sup_kept_factor_create(&lab->arena, &lab->body, *out_factor, &kept));
  sup_kept_factor_renew(&kept, out_x, 100);
  return kept;
}

/* The stiffness of flesh that has turned as it is, is the old one, turned. */
static void it_turns_with_the_flesh(void **state) {
  (void)state;
  SupError error;
  SupCholesky *factor;
  SupVec3d x[NODES], g[NODES], move[NODES], turned[NODES], expected[NODES];
  Lab *lab = make_lab();
  SupKeptFactor kept = keep(lab, &factor, x, g);
  assert_true(sup_kept_factor_fits(&kept, 100) && sup_kept_factor_fits(&kept, 100 + 1e-9));
  assert_false(sup_kept_factor_fits(&kept, 25));
  assert_int_equal(sup_kept_factor_solve(&kept, g, move, &error), SUP_OK);
  const SupMat3d R = sup_mat3d_from_quat(sup_quatd_from_axis_angle((SupVec3d){0.6, 0, 0.8}, 0.5));
  for (uint32_t n = 0; n < NODES; n++) {
    x[n] = sup_mat3d_mul_vec3(R, x[n]);
    g[n] = sup_mat3d_mul_vec3(R, g[n]);
    expected[n] = sup_mat3d_mul_vec3(R, move[n]);
  }
  for (int step = 0; step < 12; step++) sup_kept_factor_turn(&kept, x);
  assert_int_equal(sup_kept_factor_solve(&kept, g, turned, &error), SUP_OK);
  assert_true(largest_gap(lab, turned, expected) < 1e-6 * largest_gap(lab, x, turned));
  sup_cholesky_free(factor);
  lab_free(lab);
}

/* After a move it knows how the gradient changes along it. */
static void it_learns_from_moves(void **state) {
  (void)state;
  SupError error;
  SupCholesky *factor;
  SupVec3d x[NODES], g[NODES], now[NODES], move[NODES], again[NODES];
  Lab *lab = make_lab();
  SupKeptFactor kept = keep(lab, &factor, x, g);
  for (int k = 0; k < 2 * SUP_KEPT_PAIRS; k++) {
    assert_int_equal(sup_kept_factor_solve(&kept, g, move, &error), SUP_OK);
    for (uint32_t i = 0; i < lab->body.free_count; i++) {
      const uint32_t n = lab->body.free_nodes[i];
      move[n] = sup_vec3d_scale(move[n], 0.5);
      x[n] = sup_vec3d_add(x[n], move[n]);
    }
    sup_elastic_energy(&lab->body, x, NULL, now);
    sup_kept_factor_learn(&kept, move, now);
    /* the change of the gradient, asked for, gives the move */
    for (uint32_t n = 0; n < NODES; n++) g[n] = sup_vec3d_sub(g[n], now[n]);
    assert_int_equal(sup_kept_factor_solve(&kept, g, again, &error), SUP_OK);
    assert_true(largest_gap(lab, move, again) < 1e-9);
    memcpy(g, now, sizeof g);
  }
  assert_int_equal(kept.pair_count, SUP_KEPT_PAIRS);
  sup_cholesky_free(factor);
  lab_free(lab);
}

/* A cube held at one face that turns and stops; returns the Newton steps, each with a factor. */
static uint32_t swing(double tolerance, SupVec3d *out_x) {
  Lab *lab = make_lab();
  SupVec3d target[NODES];
  uint32_t iterations = 0;
  for (int i = 1; i <= 60; i++) {
    const double angle = 1.5 * (i < 40 ? i / 40.0 : 1);
    const SupMat3d R = sup_mat3d_from_quat(sup_quatd_from_axis_angle((SupVec3d){0, 0, 1}, angle));
    for (uint32_t n = 0; n < NODES; n++) target[n] = sup_mat3d_mul_vec3(R, lab->box.nodes[n]);
    iterations += lab_step(lab, (SupStepDef){.integrator = SUP_INTEGRATE_BDF2,
                                             .h = 1.0 / 120,
                                             .prescribed = target,
                                             .tolerance = tolerance})
                      .iterations;
  }
  memcpy(out_x, sup_stepper_positions(lab->stepper), NODES * sizeof *out_x);
  lab_free(lab);
  return iterations;
}

/* Few factors, and within a fraction of the tolerance what many give. */
static void it_lasts_for_many_steps(void **state) {
  (void)state;
  SupVec3d x[NODES], exact[NODES];
  const double tolerance = 1e-4;
  swing(1e-9, exact);
  const uint32_t factors = swing(tolerance, x);
  double most = 0;
  for (uint32_t n = 0; n < NODES; n++) most = fmax(most, sup_vec3d_distance(x[n], exact[n]));
  print_message("60 steps of flesh that turns by 86 degrees: %u factors, off by %.2f tolerances\n",
                factors, most / tolerance);
  assert_true(factors < 20 && most < 0.5 * tolerance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_turns_with_the_flesh),
      cmocka_unit_test(it_learns_from_moves),
      cmocka_unit_test(it_lasts_for_many_steps),
  };
  return cmocka_run_group_tests_name("kept_factor", tests, NULL, NULL);
}
