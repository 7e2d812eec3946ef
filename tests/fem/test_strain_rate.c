/* SPDX-License-Identifier: MIT */
/* Damping of one element: exact derivatives, a stiffness that is never negative, free rotation. */
#include "fem/strain_rate.h"

#include <math.h>

#include "check.h"

static double random_number(SupRng *rng) { return 2 * sup_rng_double(rng) - 1; }

static SupMat3d random_matrix(SupRng *rng, double diagonal, double spread) {
  SupMat3d F;
  for (int k = 0; k < 9; k++) F.m[k] = (k % 4 == 0 ? diagonal : 0) + spread * random_number(rng);
  return F;
}

static SupMat3d random_rotation(SupRng *rng) {
  SupQuatd q = {random_number(rng), random_number(rng), random_number(rng), random_number(rng)};
  return sup_mat3d_from_quat(sup_quatd_normalise(q));
}

/* An element with some damping, whose steps before had a stretch `off` its present one. */
static SupStrainRate random_rate(SupRng *rng, const SupMat3d *F, double off) {
  const SupSvdd svd = sup_mat3d_svd(*F);
  SupStrainRate rate = {.mu = 3e3, .lambda = 8e3 * sup_rng_double(rng), .still = sup_stretch(&svd)};
  for (int k = 0; k < 6; k++) rate.still.m[k] += off * random_number(rng);
  return rate;
}

static double energy_at(const SupStrainRate *rate, SupMat3d F, SupMat3d *out_P) {
  const SupSvdd svd = sup_mat3d_svd(F);
  *out_P = (SupMat3d){{0}};
  return sup_strain_rate_stress(rate, &svd, out_P);
}

/* The energy from a stretch that is found otherwise: the square root of F^T F by Denman's and
 * Beavers' iteration. */
static double plain_energy(const SupStrainRate *rate, SupMat3d F) {
  SupMat3d S = sup_mat3d_mul(sup_mat3d_transpose(F), F), inverse = sup_mat3d_identity();
  for (int i = 0; i < 40; i++) {
    const SupMat3d a = sup_mat3d_inverse(S), b = sup_mat3d_inverse(inverse);
    for (int k = 0; k < 9; k++) {
      S.m[k] = 0.5 * (S.m[k] + b.m[k]);
      inverse.m[k] = 0.5 * (inverse.m[k] + a.m[k]);
    }
  }
  const double *m = rate->still.m;
  const double still[9] = {m[0], m[5], m[4], m[5], m[1], m[3], m[4], m[3], m[2]};
  double square = 0, trace = 0;
  for (int k = 0; k < 9; k++) {
    square += (S.m[k] - still[k]) * (S.m[k] - still[k]);
    if (k % 4 == 0) trace += S.m[k] - still[k];
  }
  return rate->mu * square + rate->lambda / 2 * trace * trace;
}

static SupMat3d add(SupMat3d a, SupMat3d b, double scale) {
  for (int k = 0; k < 9; k++) a.m[k] += scale * b.m[k];
  return a;
}

static double inner(const SupMat3d *a, const SupMat3d *b) {
  double sum = 0;
  for (int k = 0; k < 9; k++) sum += a->m[k] * b->m[k];
  return sum;
}

static void energy_stress_and_curvature_agree(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 1);
  double worst[3] = {0};
  for (int c = 0; c < 400; c++) {
    SupMat3d F = sup_mat3d_mul(random_rotation(&rng), random_matrix(&rng, 1, 0.35));
    if (sup_mat3d_determinant(F) < 0.15) continue;
    const SupMat3d G = random_matrix(&rng, 0, 1), H = random_matrix(&rng, 0, 1);
    const SupStrainRate rate = random_rate(&rng, &F, 0.3);
    const SupSvdd svd = sup_mat3d_svd(F);
    const double eps = 1e-5;
    SupMat3d P, low, high;
    const double energy = energy_at(&rate, F, &P);
    worst[0] = fmax(worst[0], fabs(energy - plain_energy(&rate, F)) / rate.mu);
    const double slope =
        (energy_at(&rate, add(F, G, eps), &high) - energy_at(&rate, add(F, G, -eps), &low)) /
        (2 * eps);
    worst[1] = fmax(worst[1], fabs(slope - inner(&P, &G)) / rate.mu);
    const double bend = (inner(&high, &H) - inner(&low, &H)) / (2 * eps);
    worst[2] =
        fmax(worst[2], fabs(bend - sup_strain_rate_curvature(&rate, &svd, &G, &H)) / rate.mu);
  }
  print_message("damping of an element: energy %.1e, stress %.1e, curvature %.1e\n", worst[0],
                worst[1], worst[2]);
  assert_true(worst[0] < 1e-11 && worst[1] < 1e-7 && worst[2] < 1e-6);
}

/* <dF, C dF> of the modes. */
static double form_of(const SupStiffness *stiffness, const SupMat3d *G) {
  double sum = 0;
  for (int k = 0; k < SUP_STIFFNESS_MODES; k++) {
    const double along = stiffness->value[k] == 0 ? 0 : inner(&stiffness->mode[k], G);
    sum += stiffness->value[k] * along * along;
  }
  return sum;
}

/* What is given to Newton: never less than the elastic part, and without a rate exact. */
static void the_stiffness_is_exact_at_rest_and_never_negative(void **state) {
  (void)state;
  SupRng rng = sup_rng(5, 1);
  const SupMaterialDef material = {SUP_MATERIAL_NEO_HOOKEAN, 1e4, 0.42, 1000, 0, 0, 0.5};
  const SupLaw law = sup_law(&material);
  for (int c = 0; c < 400; c++) {
    SupMat3d F = sup_mat3d_mul(random_rotation(&rng), random_matrix(&rng, 1, c % 2 ? 0.3 : 1));
    const SupMat3d G = random_matrix(&rng, 0, 1);
    const SupSvdd svd = sup_mat3d_svd(F);
    SupStiffness elastic, damped;
    sup_law_stiffness(&law, &svd, true, &elastic);
    sup_law_stiffness(&law, &svd, true, &damped);
    const SupStrainRate rate = random_rate(&rng, &F, c % 3 * 0.2);
    sup_strain_rate_stiffness(&rate, &svd, &damped);
    const double gain = form_of(&damped, &G) - form_of(&elastic, &G);
    assert_true(gain > -1e-9 * form_of(&damped, &G));
    if (c % 3 == 0) {
      const double expected = sup_strain_rate_curvature(&rate, &svd, &G, &G);
      assert_true(fabs(gain - expected) < 1e-9 * (form_of(&damped, &G) + expected));
    }
  }
}

/* An element that turns, however strained, keeps its energy, and its stress turns along. */
static void rotations_are_free(void **state) {
  (void)state;
  SupRng rng = sup_rng(6, 1);
  for (int c = 0; c < 200; c++) {
    const SupMat3d F = random_matrix(&rng, 1, 0.4), R = random_rotation(&rng);
    const SupStrainRate rate = random_rate(&rng, &F, 0.2), still = random_rate(&rng, &F, 0);
    SupMat3d P, turned;
    const double energy = energy_at(&rate, F, &P);
    assert_true(fabs(energy_at(&rate, sup_mat3d_mul(R, F), &turned) - energy) < 1e-9 * rate.mu);
    const SupMat3d expected = sup_mat3d_mul(R, P);
    for (int k = 0; k < 9; k++) {
      if (sup_mat3d_determinant(F) > 0.1) {
        assert_true(fabs(turned.m[k] - expected.m[k]) < 1e-8 * rate.mu);
      }
    }
    assert_true(energy_at(&still, sup_mat3d_mul(R, F), &P) < 1e-20 * rate.mu);
    for (int k = 0; k < 9; k++) assert_true(fabs(P.m[k]) < 1e-9 * rate.mu);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_stress_and_curvature_agree),
      cmocka_unit_test(the_stiffness_is_exact_at_rest_and_never_negative),
      cmocka_unit_test(rotations_are_free),
  };
  return cmocka_run_group_tests_name("strain_rate", tests, NULL, NULL);
}
