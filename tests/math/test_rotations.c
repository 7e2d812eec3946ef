/* SPDX-License-Identifier: MIT */
/* Singular values and rotation fits against LAPACK in double; exponential map and logarithm. */
#include "check.h"

#include <lapacke.h>
#include <stdio.h>
#include <string.h>

#include "math/math_kernels.h" /* the double build of the kernel */
#include "math_random.h"
#include "supple/backend.h"

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define MATRICES 1000000u
#else
#define MATRICES 50000u
#endif

/* LAPACK's answer for one matrix: the best rotation and the signed singular values. */
typedef struct Reference {
  SupMat3d rotation;
  double s[3]; /* s[2] < 0 for a reflection */
} Reference;

static Reference reference_of(SupMat3d a) {
  double u[9], vt[9], work[256];
  Reference r;
  assert_int_equal(0, LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', 3, 3, a.m, 3, r.s, u, 3, vt,
                                          3, work, 256));
  SupMat3d left, right;
  memcpy(left.m, u, sizeof u);
  memcpy(right.m, vt, sizeof vt);
  double sign = sup_mat3d_determinant(left) * sup_mat3d_determinant(right) < 0 ? -1 : 1;
  for (int k = 6; k < 9; k++) left.m[k] *= sign;
  r.s[2] *= sign;
  r.rotation = sup_mat3d_mul(left, right);
  return r;
}

/* All kinds of matrices, numbered; elements are floats so that both precisions see the same. */
static SupMat3d nth_matrix(SupRng *rng, uint32_t n) {
  SupMat3d a;
  switch (n % 8) {
    case 0: /* anything; half of them reflect */
      for (int k = 0; k < 9; k++) a.m[k] = random_normal(rng);
      break;
    case 1: /* what the run time sees: nearly a rotation */
      a = sup_mat3d_from_quat(random_quatd(rng));
      for (int k = 0; k < 9; k++) a.m[k] += 0.1 * random_normal(rng);
      break;
    case 2: /* nearly planar neighbourhoods */
      a = random_with_singular(rng, 1, random_between(rng, 0.1, 1), random_between(rng, 0, 1e-3));
      break;
    case 3: /* reflections of any kind */
      a = random_with_singular(rng, 1, random_between(rng, 0.1, 1), -random_between(rng, 0, 0.1));
      break;
    case 4: /* rank 2 but for rounding */
      a = random_with_singular(rng, 1, random_between(rng, 0, 1), 0);
      break;
    case 5: /* rank 1 but for rounding */ a = random_with_singular(rng, 1, 0, 0); break;
    case 6: /* reflections without a unique answer but for rounding */
      a = random_with_singular(rng, 1, 0.5, -0.5);
      break;
    default: /* small integers: exact ranks, equal singular values, zero */
      for (int k = 0; k < 9; k++) a.m[k] = (double)sup_rng_below(rng, 3) - 1;
      if (n % 32 == 7) memset(&a, 0, sizeof a);
      break;
  }
  double scale = n % 3 == 0 ? exp2(floor(random_between(rng, -140, 125))) : 1;
  for (int k = 0; k < 9; k++) a.m[k] = (double)(float)(a.m[k] * scale);
  return a;
}

/* The worst of one method over all matrices. A matrix counts as clear when its best rotation is:
 * (s2 + s3) / s1 > 1e-3. */
typedef struct Worst {
  double shortfall;       /* how far trace(R^T A) stays below the best, relative to s1 */
  double clear_shortfall; /* of the clear ones */
  double clear_angle;     /* angle error times (s2 + s3) / s1: what rounding A alone would cause */
  double length;          /* | |q|^2 - 1 | */
} Worst;

static void judge(Worst *worst, SupMat3d a, const Reference *best, SupQuatd q) {
  worst->length = fmax(worst->length, fabs(sup_quatd_dot(q, q) - 1));
  assert_true(fabs(sup_quatd_dot(q, q) - 1) < 1e-6); /* false for a NaN */
  if (best->s[0] == 0) return;
  SupMat3d r = sup_mat3d_from_quat(sup_quatd_normalise(q));
  double trace = 0, difference = 0;
  for (int k = 0; k < 9; k++) {
    trace += r.m[k] * (a.m[k] / best->s[0]);
    difference += (r.m[k] - best->rotation.m[k]) * (r.m[k] - best->rotation.m[k]);
  }
  double gap = (best->s[1] + best->s[2]) / best->s[0];
  double shortfall = 1 + gap - trace;
  worst->shortfall = fmax(worst->shortfall, shortfall);
  if (gap > 1e-3) {
    worst->clear_shortfall = fmax(worst->clear_shortfall, shortfall);
    worst->clear_angle = fmax(worst->clear_angle, gap * 2 * asin(fmin(1, sqrt(difference / 8))));
  }
}

/* Prints the worst and holds it against a method's promise: `rounding` for clear matrices, `open`
 * for how much of the objective a method leaves where it takes the answer for open. */
static void hold(const char *name, const Worst *worst, double rounding, double open) {
  printf("  %-15s below the best %.1e (clear ones %.1e), angle x gap %.1e, length %.1e\n", name,
         worst->shortfall, worst->clear_shortfall, worst->clear_angle, worst->length);
  assert_true(worst->shortfall < open);
  assert_true(worst->clear_shortfall < rounding);
  assert_true(worst->clear_angle < rounding);
  assert_true(worst->length < rounding);
}

static void fits_find_the_best_rotation_of_a_million_matrices(void **state) {
  (void)state;
  SupRng rng = sup_rng(7, 1);
  Worst horn_double = {0}, horn_float = {0}, newton_float = {0}, newton_double = {0};
  const SupBackend *backend = sup_backend_cpu();
  enum { BLOCK = SUP_BACKEND_BLOCK };
  for (uint32_t first = 0; first < MATRICES; first += BLOCK) {
    SupMat3d a[BLOCK];
    float matrices[9 * BLOCK], rotations[4 * BLOCK];
    double matrices_d[9 * BLOCK], rotations_d[4 * BLOCK];
    for (int v = 0; v < BLOCK; v++) {
      a[v] = nth_matrix(&rng, first + (uint32_t)v);
      SupQuatd q = random_quatd(&rng);
      const double start[4] = {q.x, q.y, q.z, q.w};
      for (int k = 0; k < 9; k++) matrices[k * BLOCK + v] = (float)a[v].m[k];
      for (int k = 0; k < 9; k++) matrices_d[k * BLOCK + v] = a[v].m[k];
      for (int k = 0; k < 4; k++) rotations[k * BLOCK + v] = (float)start[k];
      for (int k = 0; k < 4; k++) rotations_d[k * BLOCK + v] = start[k];
    }
    backend->rotation_fit(matrices, 1, 20, rotations);
    sup_rotation_fit_f64(matrices_d, 1, 20, rotations_d);
    for (int v = 0; v < BLOCK; v++) {
      Reference best = reference_of(a[v]);
      SupQuatd start = sup_quatd_identity();
      judge(&horn_double, a[v], &best, sup_quatd_fit(a[v], start));
      judge(&horn_float, a[v], &best,
            sup_quat_widen(sup_quat_fit(sup_mat3d_narrow(a[v]), sup_quatd_narrow(start))));
      const float *f = rotations + v;
      judge(&newton_float, a[v], &best, sup_quatd_make(f[0], f[BLOCK], f[2 * BLOCK], f[3 * BLOCK]));
      const double *d = rotations_d + v;
      judge(&newton_double, a[v], &best,
            sup_quatd_make(d[0], d[BLOCK], d[2 * BLOCK], d[3 * BLOCK]));
    }
  }
  printf("%u matrices against LAPACK:\n", MATRICES);
  hold("Horn, double", &horn_double, 4e-14, 4e-14);
  hold("Horn, float", &horn_float, 4e-6, 2e-5);
  hold("Newton, double", &newton_double, 4e-14, 1e-3);
  hold("Newton, float", &newton_float, 4e-6, 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fits_find_the_best_rotation_of_a_million_matrices),
  };
  return cmocka_run_group_tests_name("rotations", tests, NULL, NULL);
}
