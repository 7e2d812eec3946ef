/* SPDX-License-Identifier: MIT */
/* Materials: exact derivatives, invariance, small strain. HAHN-T1, T2, T3 at one point. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "fem/constitutive.h"

static const SupMaterialKind kinds[] = {SUP_MATERIAL_COROTATIONAL, SUP_MATERIAL_STVK,
                                        SUP_MATERIAL_NEO_HOOKEAN};

static SupLaw law_of(SupMaterialKind kind, double stiffening) {
  SupMaterialDef material = {kind, 1e4, 0.42, 1000, 0, 0, stiffening};
  return sup_law(&material);
}

static double stress_at(const SupLaw *law, const SupMat3d *F, SupMat3d *out_P) {
  const SupSvdd svd = sup_mat3d_svd(*F);
  return sup_law_stress(law, &svd, out_P);
}

static void stiffness_at(const SupLaw *law, const SupMat3d *F, bool project, SupStiffness *out) {
  const SupSvdd svd = sup_mat3d_svd(*F);
  sup_law_stiffness(law, &svd, project, out);
}

static SupMat3d random_matrix(SupRng *rng, double spread) {
  SupMat3d F;
  for (int k = 0; k < 9; k++) {
    F.m[k] = (k % 4 == 0 ? 1 : 0) + spread * (2 * sup_rng_double(rng) - 1);
  }
  return F;
}

static SupMat3d multiply(SupMat3d a, SupMat3d b) {
  SupMat3d r = {{0}};
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++) r.m[3 * c + i] += a.m[3 * k + i] * b.m[3 * c + k];
  return r;
}

static double determinant(const SupMat3d *a) {
  const double *m = a->m;
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[3] * (m[1] * m[8] - m[2] * m[7]) +
         m[6] * (m[1] * m[5] - m[2] * m[4]);
}

static SupMat3d random_rotation(SupRng *rng) {
  double q[4], norm = 0;
  for (int k = 0; k < 4; k++) {
    q[k] = 2 * sup_rng_double(rng) - 1;
    norm += q[k] * q[k];
  }
  for (int k = 0; k < 4; k++) q[k] /= sqrt(norm);
  double x = q[0], y = q[1], z = q[2], w = q[3];
  return (SupMat3d){{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w),
                     2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                     2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
}

/* (c - J)^2 log(c / J) below c = 0.4, its Taylor parabola below 0.02. */
static double crush_energy(double J) {
  const double c = 0.4, e = 0.02;
  if (J >= c) return 0;
  if (J >= e) return (c - J) * (c - J) * log(c / J);
  double value = (c - e) * (c - e) * log(c / e);
  double slope = -2 * (c - e) * log(c / e) - (c - e) * (c - e) / e;
  double bend = 2 * log(c / e) + 4 * (c - e) / e + (c - e) * (c - e) / (e * e);
  return value + slope * (J - e) + bend / 2 * (J - e) * (J - e);
}

/* The energies written a second time, from F and not from its singular values. */
static double plain_energy(SupMaterialKind kind, const SupLaw *law, const SupMat3d *F) {
  double J = determinant(F), w = 0;
  if (kind == SUP_MATERIAL_STVK) {
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        double e = a == b ? -0.5 : 0;
        for (int k = 0; k < 3; k++) e += 0.5 * F->m[3 * a + k] * F->m[3 * b + k];
        w += 0.5 * law->mu * e * e;
      }
    }
    return w + law->lambda * (1 - J) * (1 - J);
  }
  double square = 0;
  for (int k = 0; k < 9; k++) square += F->m[k] * F->m[k];
  double gap = J - 1 - law->mu / law->lambda, rest = law->mu / law->lambda;
  return law->mu / 2 * (square - 3) + law->lambda / 2 * (gap * gap - rest * rest) +
         5 * law->lambda * crush_energy(J);
}

static void energies_equal_the_formulas(void **state) {
  (void)state;
  SupRng rng = sup_rng(1, 1);
  for (int c = 0; c < 2000; c++) {
    SupMaterialKind kind = kinds[1 + c % 2];
    SupLaw law = law_of(kind, 0);
    SupMat3d F = random_matrix(&rng, 1.2), P;
    double expected = plain_energy(kind, &law, &F);
    double actual = stress_at(&law, &F, &P);
    assert_true(fabs(actual - expected) <= 1e-11 * (fabs(expected) + law.mu));
  }
}

/* HAHN-T1: the stress is the gradient, the exact stiffness the second derivative. */
static void hahn_t1_derivatives_are_exact(void **state) {
  (void)state;
  SupRng rng = sup_rng(2, 1);
  double worst_stress = 0, worst_stiffness = 0;
  for (int c = 0; c < 600; c++) {
    SupLaw law = law_of(kinds[c % 3], c % 2 ? 0.7 : 0);
    SupMat3d F = random_matrix(&rng, 0.5), G = random_matrix(&rng, 1), P, low, high;
    /* Corotation itself has no derivative where the volume vanishes. */
    if (kinds[c % 3] == SUP_MATERIAL_COROTATIONAL && determinant(&F) < 0.1) continue;
    SupStiffness stiffness;
    double energy = stress_at(&law, &F, &P);
    stiffness_at(&law, &F, false, &stiffness);
    assert_true(fabs(stiffness.energy - energy) <= 1e-12 * (fabs(energy) + law.mu));
    const double eps = 1e-5;
    SupMat3d up = F, down = F;
    for (int k = 0; k < 9; k++) {
      up.m[k] += eps * G.m[k];
      down.m[k] -= eps * G.m[k];
    }
    double slope = (stress_at(&law, &up, &high) - stress_at(&law, &down, &low)) / (2 * eps);
    double along = 0, size = 0;
    for (int k = 0; k < 9; k++) along += P.m[k] * G.m[k];
    for (int k = 0; k < 9; k++) size += fabs(P.m[k]);
    worst_stress = fmax(worst_stress, fabs(slope - along) / (size + law.mu));
    for (int k = 0; k < 9; k++) {
      double expected = (high.m[k] - low.m[k]) / (2 * eps), actual = 0, scale = law.mu;
      for (int mode = 0; mode < 9; mode++) {
        double inner = 0;
        for (int i = 0; i < 9; i++) inner += stiffness.mode[mode].m[i] * G.m[i];
        actual += stiffness.value[mode] * inner * stiffness.mode[mode].m[k];
        scale += fabs(stiffness.value[mode]);
      }
      worst_stiffness = fmax(worst_stiffness, fabs(expected - actual) / scale);
    }
  }
  print_message("worst: stress %.1e, stiffness %.1e\n", worst_stress, worst_stiffness);
  assert_true(worst_stress < 1e-7 && worst_stiffness < 1e-7);
}

static void modes_are_orthonormal_and_projection_only_lifts(void **state) {
  (void)state;
  SupRng rng = sup_rng(3, 1);
  for (int c = 0; c < 600; c++) {
    SupLaw law = law_of(kinds[c % 3], 0.3);
    SupMat3d F = random_matrix(&rng, 1.5);
    SupStiffness exact, projected;
    stiffness_at(&law, &F, false, &exact);
    stiffness_at(&law, &F, true, &projected);
    for (int a = 0; a < 9; a++) {
      assert_true(projected.value[a] == (exact.value[a] > 0 ? exact.value[a] : 0));
      for (int b = 0; b < 9; b++) {
        double inner = 0;
        for (int k = 0; k < 9; k++) inner += exact.mode[a].m[k] * exact.mode[b].m[k];
        assert_true(fabs(inner - (a == b)) < 1e-12);
      }
    }
  }
}

static void rotations_change_nothing(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 1);
  for (int c = 0; c < 600; c++) {
    SupLaw law = law_of(kinds[c % 3], 0.3);
    SupMat3d F = random_matrix(&rng, 0.8), R = random_rotation(&rng), Q = random_rotation(&rng);
    SupMat3d P, turned, RFQ = multiply(multiply(R, F), Q);
    double w = stress_at(&law, &F, &P), w_turned = stress_at(&law, &RFQ, &turned);
    assert_true(fabs(w - w_turned) <= 1e-11 * (fabs(w) + law.mu));
    SupMat3d expected = multiply(multiply(R, P), Q);
    for (int k = 0; k < 9; k++) {
      assert_true(fabs(turned.m[k] - expected.m[k]) <= 1e-10 * (fabs(w) + law.mu));
    }
  }
}

/* HAHN-T2. */
static void hahn_t2_rest_is_free_of_stress(void **state) {
  (void)state;
  SupRng rng = sup_rng(5, 1);
  for (int c = 0; c < 60; c++) {
    SupLaw law = law_of(kinds[c % 3], 2);
    SupMat3d R = random_rotation(&rng), P;
    assert_true(fabs(stress_at(&law, &R, &P)) < 1e-10 * law.mu);
    for (int k = 0; k < 9; k++) assert_true(fabs(P.m[k]) < 1e-11 * (law.mu + law.lambda));
  }
}

/* HAHN-T3 at a point: small strains follow Hooke's law with the given E and nu. */
static void hahn_t3_small_strain_is_hookes_law(void **state) {
  (void)state;
  SupRng rng = sup_rng(6, 1);
  const double young = 1e4, poisson = 0.42;
  const double mu = young / (2 * (1 + poisson));
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  for (int c = 0; c < 60; c++) {
    SupLaw law = law_of(kinds[c % 3], 0);
    for (double size = 1e-3; size > 1e-7; size /= 10) {
      SupMat3d F = random_matrix(&rng, size), P;
      stress_at(&law, &F, &P);
      double trace = F.m[0] + F.m[4] + F.m[8] - 3;
      for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
          double strain = 0.5 * (F.m[3 * a + b] + F.m[3 * b + a]) - (a == b);
          double hooke = 2 * mu * strain + (a == b ? lambda * trace : 0);
          assert_true(fabs(P.m[3 * b + a] - hooke) <= 20 * size * size * (lambda + mu) + 1e-10);
        }
      }
    }
  }
}

static void presets_and_ranges(void **state) {
  (void)state;
  SupMaterialDef material;
  SupError error;
  static const char *const names[] = {"fat", "muscle", "jelly", "rubber"};
  for (int k = 0; k < 4; k++) {
    assert_int_equal(sup_material_preset(names[k], &material, &error), SUP_OK);
    assert_int_equal(sup_material_check(&material, &error), SUP_OK);
  }
  assert_int_equal(sup_material_preset("stone", &material, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "jelly"));
  const SupMaterialDef good = {SUP_MATERIAL_STVK, 1e4, 0.4, 1000, 0.01, 0, 0};
  SupMaterialDef bad[7] = {good, good, good, good, good, good, good};
  bad[0].young = -1;
  bad[1].poisson = 0.5;
  bad[2].density = 0;
  bad[3].damping = -1;
  bad[4].drag = -1;
  bad[5].stiffening = NAN;
  bad[6].young = NAN;
  for (int k = 0; k < 7; k++) {
    assert_int_equal(sup_material_check(&bad[k], &error), SUP_ERROR_ARGUMENT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energies_equal_the_formulas),
      cmocka_unit_test(hahn_t1_derivatives_are_exact),
      cmocka_unit_test(modes_are_orthonormal_and_projection_only_lifts),
      cmocka_unit_test(rotations_change_nothing),
      cmocka_unit_test(hahn_t2_rest_is_free_of_stress),
      cmocka_unit_test(hahn_t3_small_strain_is_hookes_law),
      cmocka_unit_test(presets_and_ranges),
  };
  return cmocka_run_group_tests_name("material", tests, NULL, NULL);
}
