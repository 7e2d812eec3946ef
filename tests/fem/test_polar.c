/* SPDX-License-Identifier: MIT */
/* Energy and stress without singular values, against those with them. */
#include "fem/polar.h"

#include <math.h>

#include "check.h"

static SupMat3d random_matrix(SupRng *rng, double diagonal, double spread) {
  SupMat3d F;
  for (int k = 0; k < 9; k++) {
    F.m[k] = (k % 4 == 0 ? diagonal : 0) + spread * (2 * sup_rng_double(rng) - 1);
  }
  return F;
}

static double largest(const SupMat3d *a, const SupMat3d *b) {
  double most = 0;
  for (int k = 0; k < 9; k++) most = fmax(most, fabs(a->m[k] - b->m[k]));
  return most;
}

static SupMat3d full(const SupStretch *S) {
  const double *m = S->m;
  return (SupMat3d){{m[0], m[5], m[4], m[5], m[1], m[3], m[4], m[3], m[2]}};
}

/* F = R S with R a rotation, however far F is from one. */
static void rotation_times_stretch(void **state) {
  (void)state;
  SupRng rng = sup_rng(8, 1);
  int done = 0;
  for (int c = 0; c < 2000; c++) {
    const SupMat3d F = random_matrix(&rng, c % 2, 1);
    SupPolar polar;
    if (!sup_polar(&F, &polar)) continue;
    done++;
    const SupMat3d back = sup_mat3d_mul(polar.R, full(&polar.S)), one = sup_mat3d_identity();
    const SupMat3d unit = sup_mat3d_mul(sup_mat3d_transpose(polar.R), polar.R);
    assert_true(largest(&back, &F) < 1e-13 && largest(&unit, &one) < 1e-13);
    assert_true(sup_mat3d_determinant(polar.R) > 0);
    assert_true(fabs(polar.J - sup_mat3d_determinant(F)) < 1e-13);
  }
  assert_true(done > 500);
}

/* Three materials, some crushed below what their volume bears, and their damping. */
static void energies_and_stresses_are_those_of_singular_values(void **state) {
  (void)state;
  const SupMaterialKind kinds[3] = {SUP_MATERIAL_COROTATIONAL, SUP_MATERIAL_STVK,
                                    SUP_MATERIAL_NEO_HOOKEAN};
  SupRng rng = sup_rng(8, 2);
  int crushed = 0;
  double worst = 0;
  for (int c = 0; c < 3000; c++) {
    const SupMat3d F = random_matrix(&rng, 0.8, 0.5);
    const SupMaterialDef material = {kinds[c % 3], 1e4, 0.45, 1000, 0, 0, c % 2 ? 0.5 : 0};
    const SupLaw law = sup_law(&material);
    SupPolar polar;
    if (!sup_polar(&F, &polar)) continue;
    const SupSvdd svd = sup_mat3d_svd(F);
    crushed += polar.J < 0.4 && c % 3 == 2;
    SupStrainRate rate = {.mu = 2e3, .lambda = 7e3, .still = sup_stretch(&svd)};
    for (int k = 0; k < 6; k++) rate.still.m[k] += 0.3 * sup_rng_double(&rng);
    SupMat3d expected, P;
    const double density = sup_law_stress(&law, &svd, &expected);
    worst = fmax(worst, fabs(sup_polar_stress(&law, &polar, &P) - density) / law.lambda);
    worst = fmax(worst, largest(&P, &expected) / law.lambda);
    const double rated = sup_strain_rate_stress(&rate, &svd, &expected);
    worst = fmax(worst, fabs(sup_polar_rate_stress(&rate, &polar, &P) - rated) / law.lambda);
    worst = fmax(worst, largest(&P, &expected) / law.lambda);
  }
  print_message("polar against singular values: %.1e of lambda; %d crushed\n", worst, crushed);
  assert_true(worst < 1e-10 && crushed > 100);
}

/* What is flat or inside out is left to singular values. */
static void flat_and_inverted_elements_are_refused(void **state) {
  (void)state;
  SupPolar polar;
  const SupMat3d flat = {{1, 0, 0, 0, 1, 0, 0, 0, 1e-5}}, inverted = {{1, 0, 0, 0, 1, 0, 0, 0, -1}};
  const SupMat3d nothing = {{0}}, lost = {{NAN, 0, 0, 0, 1, 0, 0, 0, 1}};
  assert_false(sup_polar(&flat, &polar));
  assert_false(sup_polar(&inverted, &polar));
  assert_false(sup_polar(&nothing, &polar));
  assert_false(sup_polar(&lost, &polar));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotation_times_stretch),
      cmocka_unit_test(energies_and_stresses_are_those_of_singular_values),
      cmocka_unit_test(flat_and_inverted_elements_are_refused),
  };
  return cmocka_run_group_tests_name("polar", tests, NULL, NULL);
}
