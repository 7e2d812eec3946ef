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
    backend->rotation_fit(matrices, 1, 30, rotations);
    sup_rotation_fit_f64(matrices_d, 1, 30, rotations_d);
    for (int v = 0; v < BLOCK; v++) {
      Reference best = reference_of(a[v]);
      SupQuatd start = sup_quatd_identity();
      judge(&horn_double, a[v], &best, sup_quatd_fit(a[v], start));
      judge(&horn_float, a[v], &best,
            sup_quat_to_double(sup_quat_fit(sup_mat3d_to_float(a[v]), sup_quatd_to_float(start))));
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

/* ---- Degenerate and wild input -------------------------------------------------------------- */

/* One matrix through the kernel of a backend. */
static SupQuat fit_one(const SupBackend *backend, SupMat3 a, SupQuat start, uint32_t iterations) {
  enum { BLOCK = SUP_BACKEND_BLOCK };
  float matrices[9 * BLOCK], q[4 * BLOCK];
  for (int v = 0; v < BLOCK; v++) {
    const float from[4] = {start.x, start.y, start.z, start.w};
    for (int k = 0; k < 9; k++) matrices[k * BLOCK + v] = a.m[k];
    for (int k = 0; k < 4; k++) q[k * BLOCK + v] = from[k];
  }
  backend->rotation_fit(matrices, 1, iterations, q);
  return sup_quat_make(q[0], q[BLOCK], q[2 * BLOCK], q[3 * BLOCK]);
}

static void a_zero_matrix_keeps_the_previous_rotation(void **state) {
  (void)state;
  SupRng rng = sup_rng(21, 1);
  const SupMat3 zero = {{0}};
  const SupMat3d zero_d = {{0}};
  for (int i = 0; i < 1000; i++) {
    SupQuatd d = random_quatd(&rng);
    SupQuat q = sup_quatd_to_float(d);
    SupQuat horn = sup_quat_fit(zero, q), newton = fit_one(sup_backend_cpu(), zero, q, 3);
    SupQuatd horn_d = sup_quatd_fit(zero_d, d);
    assert_memory_equal(&q, &horn, sizeof q);
    assert_memory_equal(&q, &newton, sizeof q);
    assert_memory_equal(&d, &horn_d, sizeof d);
  }
}

/* a = p r^T leaves the turn about r open: of the rotations that take r to p the nearest to the
 * previous one follows it by the shortest turn from R r to p. */
static void rank_one_turns_no_more_than_it_must(void **state) {
  (void)state;
  SupRng rng = sup_rng(22, 1);
  for (int i = 0; i < 20000; i++) {
    SupVec3d p, r;
    double size = 0;
    do {
      p = sup_vec3d_make((double)sup_rng_below(&rng, 9) - 4, (double)sup_rng_below(&rng, 9) - 4,
                         (double)sup_rng_below(&rng, 9) - 4);
      r = sup_vec3d_make((double)sup_rng_below(&rng, 9) - 4, (double)sup_rng_below(&rng, 9) - 4,
                         (double)sup_rng_below(&rng, 9) - 4);
      size = sup_vec3d_dot(p, p) * sup_vec3d_dot(r, r);
    } while (size == 0);
    SupMat3d a = sup_mat3d_from_columns(sup_vec3d_scale(p, r.x), sup_vec3d_scale(p, r.y),
                                        sup_vec3d_scale(p, r.z));
    SupQuatd start = random_quatd(&rng);
    SupVec3d from = sup_vec3d_normalise(sup_quatd_rotate(start, r)), to = sup_vec3d_normalise(p);
    double cosine = sup_vec3d_dot(from, to);
    if (cosine < -0.9) continue; /* nearly opposite: the shortest turn itself is open */
    SupVec3d axis = sup_vec3d_cross(from, to);
    SupQuatd turn = sup_quatd_normalise(sup_quatd_make(axis.x, axis.y, axis.z, 1 + cosine));
    SupQuatd want = sup_quatd_mul(turn, start);
    assert_true(angle_between(want, sup_quatd_fit(a, start)) < 1e-7);
    SupQuat narrow_start = sup_quatd_to_float(start);
    SupQuat horn = sup_quat_fit(sup_mat3d_to_float(a), narrow_start);
    assert_true(angle_between(want, sup_quat_to_double(horn)) < 2e-3);
    /* The run time may take a longer way from afar, but a small turn is followed as it is. */
    if (cosine < 0.7) continue;
    SupQuat newton = fit_one(sup_backend_cpu(), sup_mat3d_to_float(a), narrow_start, 8);
    double wrong = angle_between(want, sup_quat_to_double(newton));
    if (wrong > 0.2 * (1 - cosine) + 1e-4) printf("  %g of %g\n", wrong, acos(cosine));
    assert_true(wrong < 0.2 * (1 - cosine) + 1e-4);
  }
}

/* Once there, a rotation that A leaves open stays: rounding does not turn it step by step. */
static void an_open_rotation_does_not_drift(void **state) {
  (void)state;
  SupRng rng = sup_rng(23, 1);
  const SupMat3 cases[] = {
      {{1, 2, 3, 2, 4, 6, -1, -2, -3}}, /* rank 1 */
      {{-1, 0, 0, 0, -1, 0, 0, 0, -1}}, /* every half turn is best */
      {{2, 0, 0, 0, 1, 0, 0, 0, -1}},   /* a reflection with equal smaller values */
      {{0, 3, 0, 0, 0, 0, 0, 0, 0}},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    SupQuat first =
        fit_one(sup_backend_cpu(), cases[c], sup_quatd_to_float(random_quatd(&rng)), 50);
    SupQuat after = fit_one(sup_backend_cpu(), cases[c], first, 1000);
    double drift = angle_between(sup_quat_to_double(first), sup_quat_to_double(after));
    printf("  case %zu: %.1e rad in 1000 steps\n", c, drift);
    assert_true(drift < 2e-3);
  }
}

/* A stationary point that is not the best: the gradient is zero, and still it must be left. */
static void saddles_and_minima_are_left(void **state) {
  (void)state;
  SupRng rng = sup_rng(24, 1);
  for (int i = 0; i < 1000; i++) {
    SupMat3d r = sup_mat3d_from_quat(random_quatd(&rng));
    SupMat3d stretch = {{3, 0, 0, 0, 2, 0, 0, 0, 1}};
    SupMat3d v = sup_mat3d_from_quat(random_quatd(&rng));
    stretch = sup_mat3d_mul(sup_mat3d_mul(v, stretch), sup_mat3d_transpose(v));
    SupMat3d a = sup_mat3d_mul(r, stretch);
    /* The stationary points: the answer turned by half about an axis of the stretch. */
    for (int axis = 0; axis < 3; axis++) {
      SupVec3d n = sup_mat3d_column(v, axis);
      SupQuatd best = sup_quatd_from_mat3(r);
      SupQuatd start = sup_quatd_mul(best, sup_quatd_make(n.x, n.y, n.z, 0));
      SupQuat got = fit_one(sup_backend_cpu(), sup_mat3d_to_float(a), sup_quatd_to_float(start), 8);
      assert_true(angle_between(best, sup_quat_to_double(got)) < 1e-5);
    }
  }
}

static void warm_starts_follow_in_one_or_two_steps(void **state) {
  (void)state;
  SupRng rng = sup_rng(25, 1);
  double worst[3] = {0, 0, 0};
  for (int i = 0; i < 20000; i++) {
    SupMat3d a = sup_mat3d_from_quat(random_quatd(&rng));
    for (int k = 0; k < 9; k++) a.m[k] += 0.2 * random_normal(&rng);
    Reference best = reference_of(a);
    if (best.s[1] + best.s[2] < 0.3 * best.s[0]) continue;
    SupQuatd q = sup_quatd_from_mat3(best.rotation);
    SupVec3d turn = sup_vec3d_scale(sup_vec3d_normalise(random_vec3d(&rng)), 0.1);
    SupQuatd start = sup_quatd_mul(q, sup_quatd_exp(turn));
    for (uint32_t steps = 1; steps <= 2; steps++) {
      SupQuat got =
          fit_one(sup_backend_cpu(), sup_mat3d_to_float(a), sup_quatd_to_float(start), steps);
      worst[steps] = fmax(worst[steps], angle_between(q, sup_quat_to_double(got)));
    }
  }
  printf("  from 0.1 rad away: %.1e rad after one step, %.1e after two\n", worst[1], worst[2]);
  assert_true(worst[1] < 0.02);
  assert_true(worst[2] < 1e-3);
}

static float any_float(SupRng *rng) {
  uint32_t bits = sup_rng_u32(rng);
  if (sup_rng_below(rng, 8) == 0) bits &= 0x807fffff; /* subnormal and zero */
  if (sup_rng_below(rng, 8) == 0) bits |= 0x7f000000; /* huge, infinite, NaN */
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static void every_backend_gives_the_same_unit_quaternion_for_any_input(void **state) {
  (void)state;
  enum { BLOCKS = 512, ITEMS = BLOCKS * SUP_BACKEND_BLOCK };
  static float matrices[9 * ITEMS], start[4 * ITEMS], want[4 * ITEMS], got[4 * ITEMS];
  const SupBackend *backends[8];
  uint32_t backend_count = sup_backend_list(backends, 8);
  SupRng rng = sup_rng(26, 1);
  for (uint32_t round = 0; round < 12; round++) {
    /* Ordinary numbers, numbers of every size in one matrix, and anything. */
    for (uint32_t i = 0; i < 9 * ITEMS; i++) {
      matrices[i] = round % 3 == 0 ? (float)random_normal(&rng) : any_float(&rng);
      if (round % 3 == 1 && !isfinite(matrices[i])) matrices[i] = 1e30f;
    }
    for (uint32_t i = 0; i < 4 * ITEMS; i++) {
      start[i] = round % 3 == 2 ? any_float(&rng) : (float)random_normal(&rng);
    }
    memcpy(want, start, sizeof want);
    backends[0]->rotation_fit(matrices, BLOCKS, 1 + round, want);
    for (uint32_t i = 0; i < ITEMS; i++) {
      const float *q = want + i / 16 * 64 + i % 16;
      SupQuat quat = {q[0], q[16], q[32], q[48]};
      if (!(fabsf(sup_quat_dot(quat, quat) - 1) < 1)) fail_msg("no rotation in round %u", round);
    }
    for (uint32_t b = 1; b < backend_count; b++) {
      memcpy(got, start, sizeof got);
      backends[b]->rotation_fit(matrices, BLOCKS, 1 + round, got);
      assert_memory_equal(want, got, sizeof got);
    }
  }
}

/* ---- Singular values ------------------------------------------------------------------------ */

/* |A - U S V^T|, |U^T U - I|, |V^T V - I|, det - 1 and the order of s, the worst of all. */
static double svd_defect(SupMat3d a, SupMat3d u, SupMat3d v, SupVec3d s, double size) {
  SupMat3d scaled = sup_mat3d_from_columns(sup_vec3d_scale(sup_mat3d_column(u, 0), s.x / size),
                                           sup_vec3d_scale(sup_mat3d_column(u, 1), s.y / size),
                                           sup_vec3d_scale(sup_mat3d_column(u, 2), s.z / size));
  SupMat3d again = sup_mat3d_mul(scaled, sup_mat3d_transpose(v));
  SupMat3d uu = sup_mat3d_mul(sup_mat3d_transpose(u), u);
  SupMat3d vv = sup_mat3d_mul(sup_mat3d_transpose(v), v);
  double worst = 0;
  for (int k = 0; k < 9; k++) {
    double one = k % 4 == 0;
    worst = fmax(worst, fabs(again.m[k] - a.m[k] / size));
    worst = fmax(worst, fmax(fabs(uu.m[k] - one), fabs(vv.m[k] - one)));
  }
  worst = fmax(worst, fabs(sup_mat3d_determinant(u) - 1));
  worst = fmax(worst, fabs(sup_mat3d_determinant(v) - 1));
  worst = fmax(worst, fmax(s.y - s.x, fabs(s.z) - s.y) / size);
  return isnan(worst) ? INFINITY : worst;
}

static void singular_values_agree_with_lapack(void **state) {
  (void)state;
  SupRng rng = sup_rng(31, 1);
  double values = 0, defect = 0, values_float = 0, defect_float = 0;
  for (uint32_t n = 0; n < MATRICES / 5; n++) {
    SupMat3d a = nth_matrix(&rng, n);
    Reference best = reference_of(a);
    SupSvdd svd = sup_mat3d_svd(a);
    SupSvd narrow = sup_mat3_svd(sup_mat3d_to_float(a));
    double size = best.s[0] > 0 ? best.s[0] : 1;
    const double got[3] = {svd.s.x, svd.s.y, svd.s.z};
    const double got_float[3] = {narrow.s.x, narrow.s.y, narrow.s.z};
    for (int k = 0; k < 3; k++) {
      /* Where s3 is zero but for rounding its sign is too. */
      double sign = k == 2 && fabs(best.s[2]) < 1e-6 * size ? copysign(1, got[k] * best.s[k]) : 1;
      values = fmax(values, fabs(got[k] - sign * best.s[k]) / size);
      double sign_float =
          k == 2 && fabs(best.s[2]) < 1e-5 * size ? copysign(1, got_float[k] * best.s[k]) : 1;
      /* Subnormal floats carry fewer digits. */
      double unit = fmax(size, 0x1p-126);
      values_float = fmax(values_float, fabs(got_float[k] - sign_float * best.s[k]) / unit);
    }
    defect = fmax(defect, svd_defect(a, svd.u, svd.v, svd.s, size));
    if (size > 0x1p-100) {
      defect_float = fmax(defect_float,
                          svd_defect(a, sup_mat3_to_double(narrow.u), sup_mat3_to_double(narrow.v),
                                     sup_vec3_to_double(narrow.s), size));
    }
  }
  printf("  double: values %.1e, factors %.1e; float: values %.1e, factors %.1e\n", values, defect,
         values_float, defect_float);
  assert_true(values < 1e-14);
  assert_true(defect < 1e-14);
  assert_true(values_float < 4e-6);
  assert_true(defect_float < 4e-6);
}

/* ---- Exponential map and logarithm ---------------------------------------------------------- */

/* exp([v]) as the power series of the matrix, in long double: no sine, no cosine. */
static SupMat3d exponential_series(SupVec3d v) {
  const long double k[9] = {0, v.z, -v.y, -v.z, 0, v.x, v.y, -v.x, 0};
  long double term[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, sum[9];
  memcpy(sum, term, sizeof sum);
  for (int n = 1; n < 60; n++) {
    long double next[9];
    for (int c = 0; c < 3; c++) {
      for (int r = 0; r < 3; r++) {
        next[3 * c + r] = 0;
        for (int i = 0; i < 3; i++) next[3 * c + r] += term[3 * i + r] * k[3 * c + i] / n;
      }
    }
    memcpy(term, next, sizeof term);
    for (int i = 0; i < 9; i++) sum[i] += term[i];
  }
  SupMat3d result;
  for (int i = 0; i < 9; i++) result.m[i] = (double)sum[i];
  return result;
}

static void exp_is_the_power_series_of_the_matrix(void **state) {
  (void)state;
  SupRng rng = sup_rng(41, 1);
  double worst = 0, worst_float = 0;
  for (int i = 0; i < 100000; i++) {
    double angle = i % 2 ? exp2(random_between(&rng, -60, 2)) : random_between(&rng, 0, 6.5);
    SupVec3d v = sup_vec3d_scale(sup_vec3d_normalise(random_vec3d(&rng)), angle);
    v = sup_vec3_to_double(sup_vec3d_to_float(v)); /* the same for both */
    SupMat3d want = exponential_series(v);
    SupMat3d got = sup_mat3d_from_quat(sup_quatd_exp(v));
    SupMat3 got_float = sup_mat3_from_quat(sup_quat_exp(sup_vec3d_to_float(v)));
    for (int k = 0; k < 9; k++) {
      /* Off the diagonal a small turn is held relative to its size. */
      double unit = k % 4 ? fmin(1, angle) : 1;
      worst = fmax(worst, fabs(got.m[k] - want.m[k]) / unit);
      worst_float = fmax(worst_float, fabs((double)got_float.m[k] - want.m[k]) / unit);
    }
  }
  printf("  double %.1e, float %.1e\n", worst, worst_float);
  assert_true(worst < 2e-15);
  assert_true(worst_float < 1e-6);
}

static void log_undoes_exp(void **state) {
  (void)state;
  SupRng rng = sup_rng(42, 1);
  double worst = 0, worst_float = 0;
  for (int i = 0; i < 100000; i++) {
    double angle = i % 2 ? exp2(random_between(&rng, -100, 1.6)) : random_between(&rng, 0, 3.1);
    SupVec3d v = sup_vec3d_scale(sup_vec3d_normalise(random_vec3d(&rng)), angle);
    SupQuatd q = sup_quatd_exp(v);
    if (i % 3 == 0) q = sup_quatd_negate(q); /* the same rotation */
    SupVec3 narrow = sup_vec3d_to_float(v);
    worst = fmax(worst, sup_vec3d_distance(v, sup_quatd_log(q)) / angle);
    SupVec3 back = sup_quat_log(sup_quat_exp(narrow));
    worst_float =
        fmax(worst_float,
             sup_vec3d_distance(sup_vec3_to_double(narrow), sup_vec3_to_double(back)) / angle);
  }
  printf("  relative: double %.1e, float %.1e\n", worst, worst_float);
  assert_true(worst < 1e-14);
  assert_true(worst_float < 4e-6);
}

/* MUK-T4. */
static void log_near_follows_a_curve_past_pi(void **state) {
  (void)state;
  SupRng rng = sup_rng(43, 1);
  for (int curve = 0; curve < 200; curve++) {
    SupVec3d axis = sup_vec3d_normalise(random_vec3d(&rng));
    SupVec3d wobble = sup_vec3d_scale(random_vec3d(&rng), 0.05);
    double speed = random_between(&rng, -0.3, 0.3);
    SupVec3d followed = {0, 0, 0};
    SupVec3 followed_float = {0, 0, 0};
    for (int i = 0; i <= 200; i++) {
      SupVec3d v = sup_vec3d_add_scaled(sup_vec3d_scale(axis, speed * i), wobble, sin(0.1 * i));
      SupQuatd q = sup_quatd_exp(v);
      if (i % 2) q = sup_quatd_negate(q);
      followed = sup_quatd_log_near(q, followed);
      followed_float = sup_quat_log_near(sup_quatd_to_float(q), followed_float);
      assert_true(sup_vec3d_distance(v, followed) < 1e-9);
      assert_true(sup_vec3d_distance(v, sup_vec3_to_double(followed_float)) < 1e-2);
    }
  }
  /* Whole turns, where the shortest logarithm has no axis. */
  SupVec3d turns = sup_vec3d_make(0, 2 * SUP_PI, 0);
  SupVec3d near = sup_quatd_log_near(sup_quatd_identity(), sup_vec3d_make(0.1, 6, 0));
  assert_true(sup_vec3d_distance(near, turns) < 0.2);
  near = sup_quatd_log_near(sup_quatd_identity(), sup_vec3d_make(0, 0, 0));
  assert_true(sup_vec3d_length(near) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fits_find_the_best_rotation_of_a_million_matrices),
      cmocka_unit_test(a_zero_matrix_keeps_the_previous_rotation),
      cmocka_unit_test(rank_one_turns_no_more_than_it_must),
      cmocka_unit_test(an_open_rotation_does_not_drift),
      cmocka_unit_test(saddles_and_minima_are_left),
      cmocka_unit_test(warm_starts_follow_in_one_or_two_steps),
      cmocka_unit_test(every_backend_gives_the_same_unit_quaternion_for_any_input),
      cmocka_unit_test(singular_values_agree_with_lapack),
      cmocka_unit_test(exp_is_the_power_series_of_the_matrix),
      cmocka_unit_test(log_undoes_exp),
      cmocka_unit_test(log_near_follows_a_curve_past_pi),
  };
  return cmocka_run_group_tests_name("rotations", tests, NULL, NULL);
}
