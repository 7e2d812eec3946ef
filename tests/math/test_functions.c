/* SPDX-License-Identifier: MIT */
/* The elementary functions: worst error against the C library's in more precision, special values,
 * and the same bits from every instruction set. With EXHAUSTIVE every float is tried. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/backend.h"
#include "supple/math.h"

#if defined(EXHAUSTIVE)
#define STRIDE 1u
#elif defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define STRIDE 97u
#else
#define STRIDE 1999u
#endif
#define RANDOM_COUNT (400000000u / (STRIDE < 97u ? 97u : STRIDE))
#define MOST_ULP 2.0

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint64_t bits_of_double(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Distance in units of the last place of a float (or double) near `want`. */
static double ulps_float(float got, double want) {
  int exponent;
  frexp(want, &exponent);
  return fabs((double)got - want) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

static double ulps_double(double got, long double want) {
  int exponent;
  frexpl(want, &exponent);
  int last = (exponent < -1021 ? -1021 : exponent) - 53;
  return (double)(fabsl((long double)got - want) / ldexpl(1, last));
}

/* ---- Accuracy ------------------------------------------------------------------------------- */

typedef struct Function {
  const char *name;
  float (*ours_float)(float);
  double (*ours)(double);
  double (*libm)(double);
  long double (*libm_long)(long double);
  float low, high;      /* the range to try, both included; halves of opposite sign */
  double low_d, high_d; /* the same for double */
} Function;

static const Function functions[] = {
    {"sin", sup_sinf, sup_sin, sin, sinl, -0x1.fffffep127f, 0x1.fffffep127f, -0x1.8p1023,
     0x1.8p1023},
    {"cos", sup_cosf, sup_cos, cos, cosl, -0x1.fffffep127f, 0x1.fffffep127f, -0x1.8p1023,
     0x1.8p1023},
    {"exp", sup_expf, sup_exp, exp, expl, -104.0f, 88.72283f, -745.2, 709.782},
    {"log", sup_logf, sup_log, log, logl, 0x1p-149f, 0x1.fffffep127f, 0x1p-1074, 0x1.8p1023},
    {"acos", sup_acosf, sup_acos, acos, acosl, -1.0f, 1.0f, -1, 1},
};
#define FUNCTION_COUNT (sizeof functions / sizeof functions[0])

typedef struct Worst {
  double ulps, at, at_other;
} Worst;

static void note(Worst *worst, double ulps, double at, double at_other) {
  if (!(ulps <= worst->ulps)) *worst = (Worst){ulps, at, at_other}; /* also takes a NaN */
}

static void functions_of_a_float_are_within_two_ulps(void **state) {
  (void)state;
  for (size_t f = 0; f < FUNCTION_COUNT; f++) {
    const Function *fn = &functions[f];
    Worst worst = {0, 0, 0};
    uint64_t count = 0;
    for (uint64_t bits = 0; bits < 0x100000000u; bits += STRIDE) {
      float x = float_of((uint32_t)bits);
      if (!(x >= fn->low && x <= fn->high)) continue;
      note(&worst, ulps_float(fn->ours_float(x), fn->libm((double)x)), (double)x, 0);
      count++;
    }
    printf("  %-5s float   %.3f ulp at %a of %llu values\n", fn->name, worst.ulps, worst.at,
           (unsigned long long)count);
    assert_true(worst.ulps <= MOST_ULP);
  }
}

/* Even in the logarithm of |x| over all exponents, so small numbers are as frequent as large. */
static double random_in(SupRng *rng, double low, double high) {
  for (;;) {
    uint64_t bits = ((uint64_t)sup_rng_u32(rng) << 32) | sup_rng_u32(rng);
    double x = double_of(bits);
    if (x >= low && x <= high) return x;
  }
}

/* Even over the range itself, a quarter of it near 0: where the results have no pattern. */
static double uniform_in(SupRng *rng, double low, double high) {
  double l = fmax(low, -1e6), h = fmin(high, 1e6);
  double x = l + (h - l) * sup_rng_double(rng);
  return sup_rng_below(rng, 4) ? x : fmin(fmax(x / 1e5, low), high);
}

static void functions_of_a_double_are_within_two_ulps(void **state) {
  (void)state;
  for (size_t f = 0; f < FUNCTION_COUNT; f++) {
    const Function *fn = &functions[f];
    SupRng rng = sup_rng(f, 3);
    Worst worst = {0, 0, 0};
    for (uint32_t i = 0; i < RANDOM_COUNT / 4; i++) {
      double x =
          i % 2 ? random_in(&rng, fn->low_d, fn->high_d) : uniform_in(&rng, fn->low_d, fn->high_d);
      /* Multiples of pi/2 are where reducing the argument is hardest. */
      if (i % 8 == 0 && fn->high_d > 1e300) x = fabs(round(x) * 1.5707963267948966);
      if (!(x >= fn->low_d && x <= fn->high_d)) continue;
      note(&worst, ulps_double(fn->ours(x), fn->libm_long((long double)x)), x, 0);
    }
    printf("  %-5s double  %.3f ulp at %a of %u values\n", fn->name, worst.ulps, worst.at,
           RANDOM_COUNT / 4);
    assert_true(worst.ulps <= MOST_ULP);
  }
}

static void atan2_is_within_two_ulps(void **state) {
  (void)state;
  SupRng rng = sup_rng(5, 5);
  Worst worst = {0, 0, 0}, worst_double = {0, 0, 0};
  for (uint32_t i = 0; i < RANDOM_COUNT; i++) {
    /* Half of the pairs anything, half with exponents at most one apart. */
    uint32_t a = sup_rng_u32(&rng), b = sup_rng_u32(&rng);
    if (i % 2) b = (a & 0x7f800000) + (b & 0x80ffffff);
    float y = float_of(a), x = float_of(b);
    if (!isfinite(y) || !isfinite(x)) continue;
    note(&worst, ulps_float(sup_atan2f(y, x), atan2((double)y, (double)x)), (double)y, (double)x);
    if (i % 4) continue;
    double dy = (double)y * (1 + 1e-9 * sup_rng_double(&rng));
    double dx = (double)x * (1 + 1e-9 * sup_rng_double(&rng));
    long double want = atan2l((long double)dy, (long double)dx);
    note(&worst_double, ulps_double(sup_atan2(dy, dx), want), dy, dx);
  }
  printf("  atan2 float   %.3f ulp at %a, %a of %u pairs\n", worst.ulps, worst.at, worst.at_other,
         RANDOM_COUNT);
  printf("  atan2 double  %.3f ulp at %a, %a of %u pairs\n", worst_double.ulps, worst_double.at,
         worst_double.at_other, RANDOM_COUNT / 4);
  assert_true(worst.ulps <= MOST_ULP);
  assert_true(worst_double.ulps <= MOST_ULP);
}

/* ---- Special values ------------------------------------------------------------------------- */

static const uint32_t quiet_nan = 0x7fc00000;

static void special_values_are_as_promised(void **state) {
  (void)state;
  const float inf = INFINITY, most = 0x1.fffffep127f;
  const float cases[][2] = {
      /* ours, expected; a NaN is expected as the one NaN */
      {sup_sinf(0.0f), 0.0f},
      {sup_sinf(-0.0f), -0.0f},
      {sup_cosf(-0.0f), 1.0f},
      {sup_sinf(inf), NAN},
      {sup_cosf(-inf), NAN},
      {sup_sinf(-NAN), NAN},
      {sup_expf(0.0f), 1.0f},
      {sup_expf(89.0f), most},
      {sup_expf(most), most},
      {sup_expf(inf), inf},
      {sup_expf(-most), 0.0f},
      {sup_expf(-inf), 0.0f},
      {sup_expf(-NAN), NAN},
      {sup_logf(1.0f), 0.0f},
      {sup_logf(0.0f), -most},
      {sup_logf(-0.0f), -most},
      {sup_logf(-1.0f), -most},
      {sup_logf(-inf), -most},
      {sup_logf(inf), inf},
      {sup_logf(-NAN), NAN},
      {sup_expf(sup_logf(0.0f)), 0.0f},
      {sup_acosf(1.0f), 0.0f},
      {sup_acosf(1.5f), 0.0f},
      {sup_acosf(inf), 0.0f},
      {sup_acosf(-1.5f), 3.14159265f},
      {sup_acosf(-inf), 3.14159265f},
      {sup_acosf(-NAN), NAN},
      {sup_atan2f(0.0f, 0.0f), 0.0f},
      {sup_atan2f(-0.0f, 0.0f), -0.0f},
      {sup_atan2f(0.0f, -0.0f), 3.14159265f},
      {sup_atan2f(-0.0f, -1.0f), -3.14159265f},
      {sup_atan2f(inf, inf), 0.785398163f},
      {sup_atan2f(-inf, -inf), -2.35619449f},
      {sup_atan2f(1.0f, -inf), 3.14159265f},
      {sup_atan2f(1.0f, inf), 0.0f},
      {sup_atan2f(-inf, 1.0f), -1.57079633f},
      {sup_atan2f(-NAN, 1.0f), NAN},
      {sup_atan2f(1.0f, -NAN), NAN},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    uint32_t want = isnan(cases[k][1]) ? quiet_nan : bits_of(cases[k][1]);
    if (bits_of(cases[k][0]) != want) printf("  case %zu\n", k);
    assert_int_equal(want, bits_of(cases[k][0]));
  }
}

static void special_values_of_doubles_are_as_promised(void **state) {
  (void)state;
  const double inf = INFINITY, most = 0x1.fffffffffffffp1023;
  const double cases[][2] = {
      {sup_sin(-0.0), -0.0},        {sup_cos(0.0), 1.0},
      {sup_sin(inf), NAN},          {sup_cos(-NAN), NAN},
      {sup_exp(710.0), most},       {sup_exp(inf), inf},
      {sup_exp(-most), 0.0},        {sup_exp(-NAN), NAN},
      {sup_log(0.0), -most},        {sup_log(-1.0), -most},
      {sup_log(inf), inf},          {sup_log(-NAN), NAN},
      {sup_acos(2.0), 0.0},         {sup_acos(-2.0), 3.14159265358979312},
      {sup_acos(-NAN), NAN},        {sup_atan2(0.0, -0.0), 3.14159265358979312},
      {sup_atan2(-0.0, 1.0), -0.0}, {sup_atan2(inf, -inf), 2.35619449019234484},
      {sup_atan2(-NAN, 0.0), NAN},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    uint64_t want = isnan(cases[k][1]) ? 0x7ff8000000000000u : bits_of_double(cases[k][1]);
    if (bits_of_double(cases[k][0]) != want) printf("  case %zu\n", k);
    assert_true(bits_of_double(cases[k][0]) == want);
  }
}

/* ---- The same bits from every instruction set ----------------------------------------------- */

enum { VALUES = 1 << 16 };

/* Any bits at all, subnormal, infinite and NaN included, and ordinary numbers. */
static void fill(SupRng *rng, float *x, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    x[i] = i % 2 ? float_of(sup_rng_u32(rng)) : 40 * sup_rng_float(rng) - 20;
  }
}

static float apply(uint32_t function, float y, float x) {
  switch (function) {
    case 0: return sup_sinf(x);
    case 1: return sup_cosf(x);
    case 2: return sup_expf(x);
    case 3: return sup_logf(x);
    case 4: return sup_acosf(x);
    default: return sup_atan2f(y, x);
  }
}

static void apply_array(const SupBackend *b, uint32_t function, const float *y, const float *x,
                        size_t count, float *out) {
  switch (function) {
    case 0: b->map_sin(x, count, out); break;
    case 1: b->map_cos(x, count, out); break;
    case 2: b->map_exp(x, count, out); break;
    case 3: b->map_log(x, count, out); break;
    case 4: b->map_acos(x, count, out); break;
    default: b->map_atan2(y, x, count, out); break;
  }
}

static void every_backend_gives_the_bits_of_the_scalar_functions(void **state) {
  (void)state;
  static float x[VALUES], y[VALUES], want[VALUES], got[VALUES];
  const SupBackend *backends[8];
  uint32_t backend_count = sup_backend_list(backends, 8);
  SupRng rng = sup_rng(11, 1);
  fill(&rng, x, VALUES);
  fill(&rng, y, VALUES);
  for (uint32_t f = 0; f < 6; f++) {
    for (uint32_t i = 0; i < VALUES; i++) want[i] = apply(f, y[i], x[i]);
    for (uint32_t b = 0; b < backend_count; b++) {
      apply_array(backends[b], f, y, x, VALUES, got);
      assert_memory_equal(want, got, sizeof got);
      /* Any length, any alignment, in place, and nothing written behind the end. */
      for (uint32_t count = 0; count <= 35; count++) {
        uint32_t first = 17 * count % 31;
        memcpy(got, x, sizeof got);
        apply_array(backends[b], f, y + first, got + first, count, got + first);
        assert_memory_equal(want + first, got + first, count * sizeof(float));
        assert_int_equal(bits_of(x[first + count]), bits_of(got[first + count]));
      }
    }
  }
}

static void sincos_gives_the_bits_of_sin_and_cos(void **state) {
  (void)state;
  SupRng rng = sup_rng(12, 1);
  for (uint32_t i = 0; i < VALUES; i++) {
    float x = float_of(sup_rng_u32(&rng)), s, c;
    sup_sincosf(x, &s, &c);
    assert_int_equal(bits_of(sup_sinf(x)), bits_of(s));
    assert_int_equal(bits_of(sup_cosf(x)), bits_of(c));
    double ds, dc;
    sup_sincos((double)x, &ds, &dc);
    assert_true(bits_of_double(sup_sin((double)x)) == bits_of_double(ds));
    assert_true(bits_of_double(sup_cos((double)x)) == bits_of_double(dc));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_a_float_are_within_two_ulps),
      cmocka_unit_test(functions_of_a_double_are_within_two_ulps),
      cmocka_unit_test(atan2_is_within_two_ulps),
      cmocka_unit_test(special_values_are_as_promised),
      cmocka_unit_test(special_values_of_doubles_are_as_promised),
      cmocka_unit_test(every_backend_gives_the_bits_of_the_scalar_functions),
      cmocka_unit_test(sincos_gives_the_bits_of_sin_and_cos),
  };
  return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
