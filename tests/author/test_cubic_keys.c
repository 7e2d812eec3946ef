/* SPDX-License-Identifier: MIT */
/* Cubic keys: HAHN-T12. */
#include "check.h"

#include <math.h>

#include "supple/author/cubic_keys.h"
#include "supple/io/file.h"

enum { SAMPLES = 240, WIDTH = 3 };

typedef struct Lab {
  SupArena arena;
  double times[SAMPLES], values[SAMPLES * WIDTH], tolerances[WIDTH];
  SupSampledCurve curve;
  SupCubicKeys keys;
} Lab;

/* A swing that dies away, a kink, and a component that rests. */
static void fill(Lab *lab, double tolerance) {
  for (int i = 0; i < SAMPLES; i++) {
    const double t = i / 60.0;
    lab->times[i] = t;
    lab->values[WIDTH * i] = 0.2 * exp(-t) * sin(2 * 3.14159265358979 * 3 * t);
    lab->values[WIDTH * i + 1] = fabs(t - 1.7) - 1;
    lab->values[WIDTH * i + 2] = 0.25;
  }
  for (int c = 0; c < WIDTH; c++) lab->tolerances[c] = tolerance;
  lab->curve = (SupSampledCurve){WIDTH, SAMPLES, lab->times, lab->values, lab->tolerances};
}

static double worst(const Lab *lab) {
  double most = 0, x[WIDTH];
  for (int i = 0; i < SAMPLES; i++) {
    sup_cubic_keys_sample(&lab->keys, lab->times[i], x);
    for (int c = 0; c < WIDTH; c++) most = fmax(most, fabs(x[c] - lab->values[WIDTH * i + c]));
  }
  return most;
}

static Lab *lab_create(double tolerance) {
  Lab *lab = calloc(1, sizeof *lab);
  SupError error = {""};
  assert_non_null(lab);
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  fill(lab, tolerance);
  assert_int_equal(sup_cubic_keys_fit(&lab->arena, &lab->curve, &lab->keys, &error), SUP_OK);
  return lab;
}

static void lab_free(Lab *lab) {
  sup_arena_free(&lab->arena);
  free(lab);
}

/* HAHN-T12: the round trip is within the tolerance, with few keys. */
static void test_tolerance(void **state) {
  (void)state;
  static const double tolerances[] = {1e-2, 1e-3, 1e-5, 0};
  uint32_t before = 0;
  for (int k = 0; k < 4; k++) {
    Lab *lab = lab_create(tolerances[k]);
    const double off = worst(lab);
    print_message("tolerance %g: %u keys of %u samples, worst %.2e\n", tolerances[k],
                  lab->keys.count, SAMPLES, off);
    assert_true(off <= tolerances[k] + 1e-15);
    assert_true(lab->keys.count >= before);
    if (k == 0) assert_true(lab->keys.count < SAMPLES / 4);
    assert_true(lab->keys.times[0] == 0 && lab->keys.times[lab->keys.count - 1] == 239 / 60.0);
    before = lab->keys.count;
    lab_free(lab);
  }
}

/* HAHN-T12: a key that is moved changes the two stretches beside it and nothing else. */
static void test_edit(void **state) {
  (void)state;
  Lab *lab = lab_create(1e-3);
  const uint32_t moved = lab->keys.count / 2;
  double was[WIDTH], is[WIDTH], most = 0;
  double *values = SUP_COPY(&lab->arena, double, lab->keys.values, lab->keys.count *WIDTH);
  SupCubicKeys edited = lab->keys;
  edited.values = values;
  values[moved * WIDTH] += 0.1;
  for (double t = 0; t < 4; t += 0.001) {
    sup_cubic_keys_sample(&lab->keys, t, was);
    sup_cubic_keys_sample(&edited, t, is);
    const bool beside = t > lab->keys.times[moved - 1] && t < lab->keys.times[moved + 1];
    if (!beside) assert_true(memcmp(was, is, sizeof was) == 0);
    if (beside) most = fmax(most, fabs(was[0] - is[0]));
    assert_true(was[1] == is[1]);
  }
  assert_true(most > 0.09);
  lab_free(lab);
}

/* A cubic is found with two keys; what rests needs one. */
static void test_exact(void **state) {
  (void)state;
  Lab *lab = lab_create(1e-3);
  SupError error = {""};
  double x;
  for (int i = 0; i < SAMPLES; i++) {
    const double t = lab->times[i];
    lab->values[i] = 0.3 - t + 0.2 * t * t - 0.03 * t * t * t;
  }
  lab->curve.width = 1;
  lab->tolerances[0] = 1e-3;
  assert_int_equal(sup_cubic_keys_fit(&lab->arena, &lab->curve, &lab->keys, &error), SUP_OK);
  assert_int_equal(lab->keys.count, 2);
  for (int i = 0; i < SAMPLES; i++) lab->values[i] = 4;
  assert_int_equal(sup_cubic_keys_fit(&lab->arena, &lab->curve, &lab->keys, &error), SUP_OK);
  assert_int_equal(lab->keys.count, 1);
  sup_cubic_keys_sample(&lab->keys, 2, &x);
  assert_true(x == 4);
  lab_free(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tolerance), cmocka_unit_test(test_edit),
                                     cmocka_unit_test(test_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
