/* SPDX-License-Identifier: MIT */
/* Identification of linear systems: planted ones are found again (MUK-T7, T8, T10-T13, T18). */
#include "check.h"

#include "numerics/n4sid.h"
#include "supple/io/file.h"
#include "systems.h"

enum { BLOCKS = 10 };

static const SupN4sidDef exact = {.blocks = BLOCKS};

static SupArena arena;
static SupError error;

static int set_up(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return 0;
}

/* Order 4 out of a series, with B and D. */
static SupSystem identify(const SupSeries *series, uint32_t order) {
  SupN4sid n4sid;
  SupSystem s;
  uint32_t changed;
  assert_true(sup_system_make(&arena, order, series->inputs, series->outputs, &s));
  assert_int_equal(sup_n4sid(&arena, series, &exact, NULL, &n4sid, &error), SUP_OK);
  assert_int_equal(sup_n4sid_system(&arena, &n4sid, order, s.a, s.c, &error), SUP_OK);
  assert_int_equal(sup_stabilise(&arena, order, s.a, 1e-3, 0, &changed, &error), SUP_OK);
  const SupInputFit fit = {0};
  assert_int_equal(sup_fit_inputs(&arena, series, &fit, &s, &error), SUP_OK);
  return s;
}

static double relative_error(const SupSystem *s, const SupSeries *series) {
  const size_t count = (size_t)sup_series_frames(series) * series->outputs;
  double *y = SUP_ALLOC(&arena, double, count), square, all = 0;
  /* The planted series start at rest. */
  double *z = SUP_ALLOC(&arena, double, s->states), *w = SUP_ALLOC(&arena, double, s->states);
  size_t at = 0;
  for (uint32_t q = 0; q < series->count; at += series->lengths[q++]) {
    for (uint32_t k = 0; k < s->states; k++) z[k] = 0;
    sup_system_run(s, series->lengths[q], series->u + at * s->inputs, z, w, y + at * s->outputs);
  }
  square = 0;
  for (size_t k = 0; k < count; k++) {
    square += (y[k] - series->y[k]) * (y[k] - series->y[k]);
    all += series->y[k] * series->y[k];
  }
  return sqrt(square / all);
}

static void planted_is_found(void **state) {
  (void)state;
  for (uint32_t outputs = 1; outputs <= 3; outputs += 2) {
    const SupSystem truth = planted_system(&arena, 3, outputs);
    const uint32_t length = 600;
    const SupSeries series = planted_series(&arena, &truth, 1, &length, 0, 5);
    const SupSystem found = identify(&series, 4);
    assert_true(markov_distance(&arena, &truth, &found) < 1e-10);
    assert_true(relative_error(&found, &series) < 1e-10);
    double radius;
    sup_spectral_radius(&arena, 4, found.a, &radius, &error);
    assert_true(fabs(radius - 0.97) < 1e-8);
  }
}

/* Other coordinates of the state, the same behaviour. */
static void coordinates_do_not_matter(void **state) {
  (void)state;
  const SupSystem truth = planted_system(&arena, 2, 2);
  const uint32_t length = 400;
  const SupSeries series = planted_series(&arena, &truth, 1, &length, 0, 6);
  SupSystem found = identify(&series, 4), turned;
  assert_true(sup_system_make(&arena, 4, 2, 2, &turned));
  /* T = diag(1, 2, 3, 4): A -> T A T^-1, B -> T B, C -> C T^-1. */
  for (uint32_t r = 0; r < 4; r++) {
    for (uint32_t c = 0; c < 4; c++) turned.a[4 * r + c] = found.a[4 * r + c] * (r + 1) / (c + 1);
    for (uint32_t c = 0; c < 2; c++) turned.b[2 * r + c] = found.b[2 * r + c] * (r + 1);
    for (uint32_t o = 0; o < 2; o++) turned.c[4 * o + r] = found.c[4 * o + r] / (r + 1);
  }
  for (uint32_t k = 0; k < 4; k++) turned.d[k] = found.d[k];
  assert_true(markov_distance(&arena, &found, &turned) < 1e-12);
}

static void projector(void **state) {
  (void)state;
  enum { N = 50, WIDTH = 6, OTHERS = 3 };
  SupRng rng = sup_rng(9, 1);
  double u[N * WIDTH], first[N * WIDTH], m[N * OTHERS], once[N * OTHERS];
  for (uint32_t k = 0; k < N * WIDTH; k++) u[k] = sup_rng_double(&rng) - 0.5;
  for (uint32_t r = 0; r < N; r++) u[N * 5 + r] = u[r] + 2 * u[N + r]; /* rank 5 */
  for (uint32_t k = 0; k < N * OTHERS; k++) m[k] = sup_rng_double(&rng) - 0.5;
  for (uint32_t r = 0; r < N; r++) m[2 * N + r] = u[3 * N + r] - u[4 * N + r]; /* inside */
  for (uint32_t k = 0; k < N * WIDTH; k++) first[k] = u[k];
  double plain = 0;
  for (uint32_t r = 0; r < N; r++) plain += m[r] * m[r];
  uint32_t rank;
  assert_int_equal(sup_project_out(&arena, N, WIDTH, first, OTHERS, m, &rank, &error), SUP_OK);
  assert_int_equal(rank, 5);
  double inside = 0, left = 0;
  for (uint32_t r = 0; r < N; r++) inside += m[2 * N + r] * m[2 * N + r], left += m[r] * m[r];
  assert_true(inside < 1e-24); /* Pi U = 0 */
  assert_true(left > 0.1 * plain && left < plain);
  /* Projecting again, in the same coordinates, changes nothing: Pi^2 = Pi. */
  for (uint32_t k = 0; k < N * OTHERS; k++) once[k] = m[k];
  for (uint32_t c = 0; c < OTHERS; c++) {
    for (uint32_t r = 0; r < rank; r++) assert_true(once[N * c + r] == 0);
  }
}

static void stabilised(void **state) {
  (void)state;
  double calm[9] = {0.5, 0.2, 0, -0.3, 0.9, 0.1, 0, 0, -0.4}, copy[9];
  for (int k = 0; k < 9; k++) copy[k] = calm[k];
  uint32_t changed;
  assert_int_equal(sup_stabilise(&arena, 3, calm, 1e-3, 0, &changed, &error), SUP_OK);
  assert_int_equal(changed, 0);
  assert_memory_equal(calm, copy, sizeof calm); /* bit for bit */
  SupRng rng = sup_rng(4, 4);
  for (int round = 0; round < 200; round++) {
    double a[36], radius;
    for (int k = 0; k < 36; k++) a[k] = 2 * sup_rng_double(&rng) - 1;
    const double least = round % 2 ? 0.02 : 0;
    assert_int_equal(sup_stabilise(&arena, 6, a, 1e-3, least, &changed, &error), SUP_OK);
    sup_spectral_radius(&arena, 6, a, &radius, &error);
    assert_true(radius <= 1 - 1e-3 + 1e-9);
  }
  double one[1] = {-1}; /* mirrors into itself: the margin must catch it */
  assert_int_equal(sup_stabilise(&arena, 1, one, 1e-3, 0, &changed, &error), SUP_OK);
  assert_true(fabs(one[0] + 0.999) < 1e-12);
  double two[4] = {0, 2, -2, 0}; /* a pair of modulus 2 becomes one of 1/2 */
  assert_int_equal(sup_stabilise(&arena, 2, two, 1e-3, 0, &changed, &error), SUP_OK);
  assert_true(fabs(two[1] - 0.5) < 1e-12 && fabs(two[2] + 0.5) < 1e-12);
}

/* B and D estimated after stabilising are never worse than those from before. */
static void inputs_after_stabilising(void **state) {
  (void)state;
  const SupSystem truth = planted_system(&arena, 3, 1);
  const uint32_t length = 600;
  const SupSeries series = planted_series(&arena, &truth, 1, &length, 0.2, 8);
  SupN4sid n4sid;
  SupSystem s;
  assert_int_equal(sup_n4sid(&arena, &series, &exact, NULL, &n4sid, &error), SUP_OK);
  const uint32_t order = sup_n4sid_order(&n4sid, 0.95);
  assert_true(order >= 4 && order <= 9);
  assert_true(sup_system_make(&arena, order, 3, 1, &s));
  assert_int_equal(sup_n4sid_system(&arena, &n4sid, order, s.a, s.c, &error), SUP_OK);
  const SupInputFit fit = {0};
  s.a[0] += 0.5; /* surely not stable, or surely changed */
  uint32_t changed;
  SupSystem late = s;
  late.a = SUP_COPY(&arena, double, s.a, order *order);
  late.b = SUP_ALLOC(&arena, double, order * 3);
  late.d = SUP_ALLOC(&arena, double, 3);
  assert_int_equal(sup_fit_inputs(&arena, &series, &fit, &s, &error), SUP_OK);
  assert_int_equal(sup_stabilise(&arena, order, s.a, 1e-3, 0, &changed, &error), SUP_OK);
  sup_copy(late.a, s.a, order * order * sizeof *s.a);
  assert_int_equal(sup_fit_inputs(&arena, &series, &fit, &late, &error), SUP_OK);
  assert_true(relative_error(&late, &series) <= relative_error(&s, &series) * (1 + 1e-9));
}

static void dead_inputs_do_no_harm(void **state) {
  (void)state;
  const SupSystem truth = planted_system(&arena, 4, 1);
  const uint32_t length = 500;
  SupSeries series = planted_series(&arena, &truth, 1, &length, 0, 9);
  double *u = (double *)(uintptr_t)series.u, *y = (double *)(uintptr_t)series.y;
  double z[4] = {0}, w[4];
  for (uint32_t t = 0; t < length; t++) {
    u[4 * t + 2] = 0;            /* never moves */
    u[4 * t + 3] = 3 * u[4 * t]; /* says what another one says */
    sup_system_run(&truth, 1, u + 4 * t, z, w, y + t);
  }
  const SupSystem found = identify(&series, 4);
  assert_true(relative_error(&found, &series) < 1e-8);
}

/* Fitted by parts: as in one go; and what is said of a part left out is what a run says. */
static void inputs_by_parts(void **state) {
  (void)state;
  const SupSystem truth = planted_system(&arena, 3, 2);
  const uint32_t lengths[2] = {300, 200};
  const SupSeries series = planted_series(&arena, &truth, 2, lengths, 0.1, 15);
  SupSystem once = identify(&series, 4), parted = identify(&series, 4);
  uint8_t part_of[500];
  for (uint32_t t = 0; t < 500; t++) part_of[t] = t % 100 >= 50;
  for (int free_start = 0; free_start < 2; free_start++) {
    const SupInputFit fit = {.ridge = 1e-3, .free_start = free_start != 0};
    SupInputParts parts;
    SupInputCheck check;
    assert_int_equal(sup_fit_inputs(&arena, &series, &fit, &once, &error), SUP_OK);
    assert_int_equal(sup_input_parts(&arena, &series, &fit, &once, 2, part_of, &parts, &error),
                     SUP_OK);
    assert_int_equal(sup_input_solve(&arena, &parts, &fit, UINT32_MAX, &parted, NULL, &error),
                     SUP_OK);
    for (uint32_t k = 0; k < 12; k++) assert_true(fabs(parted.b[k] - once.b[k]) < 1e-9);
    for (uint32_t k = 0; k < 6; k++) assert_true(fabs(parted.d[k] - once.d[k]) < 1e-9);
    assert_int_equal(sup_input_solve(&arena, &parts, &fit, 1, &parted, &check, &error), SUP_OK);
    if (free_start) continue; /* starts are not given back */
    double square = 0, is = 0, w[4], y[2];
    for (uint32_t q = 0, at = 0; q < 2; q++) {
      double z[4] = {0};
      for (uint32_t t = 0; t < lengths[q]; t++, at++) {
        sup_system_run(&parted, 1, series.u + 3 * (size_t)at, z, w, y);
        for (uint32_t o = 0; o < 2 && part_of[at] == 1; o++) {
          const double goal = series.y[2 * (size_t)at + o];
          square += (y[o] - goal) * (y[o] - goal), is += goal * goal;
        }
      }
    }
    assert_true(fabs(check.square - square) < 1e-9 * is && fabs(check.is - is) < 1e-9 * is);
    assert_true(fabs(check.said - 2 * check.together + check.is - square) < 1e-9 * is);
  }
}

/* One clip cut into three: windows do not cross the cuts, the system is the same. */
static void several_clips(void **state) {
  (void)state;
  const SupSystem truth = planted_system(&arena, 2, 2);
  const uint32_t one = 900, three[3] = {300, 250, 350};
  const SupSeries whole = planted_series(&arena, &truth, 1, &one, 0, 11);
  SupSeries cut = whole;
  cut.count = 3;
  cut.lengths = three;
  SupN4sid n4sid;
  SupSystem s, t = identify(&whole, 4);
  uint32_t changed;
  double radius[2];
  assert_true(sup_system_make(&arena, 4, 2, 2, &s));
  assert_int_equal(sup_n4sid(&arena, &cut, &exact, NULL, &n4sid, &error), SUP_OK);
  assert_true(n4sid.columns == 900 - 3 * (2 * BLOCKS - 1));
  assert_int_equal(sup_n4sid_system(&arena, &n4sid, 4, s.a, s.c, &error), SUP_OK);
  assert_int_equal(sup_stabilise(&arena, 4, s.a, 1e-3, 0, &changed, &error), SUP_OK);
  const SupInputFit fit = {.free_start = true}; /* the cuts are not at rest */
  assert_int_equal(sup_fit_inputs(&arena, &cut, &fit, &s, &error), SUP_OK);
  sup_spectral_radius(&arena, 4, s.a, &radius[0], &error);
  sup_spectral_radius(&arena, 4, t.a, &radius[1], &error);
  assert_true(fabs(radius[0] - radius[1]) < 1e-6);
  assert_true(markov_distance(&arena, &truth, &s) < 1e-6);
}

/* With noise: the right order beats the 95 % rule, the polish beats both, and all beat ARX. */
static void noise(void **state) {
  (void)state;
  const SupSystem truth = planted_system(&arena, 3, 1);
  const uint32_t length = 600;
  const SupSeries learn = planted_series(&arena, &truth, 1, &length, 0.1, 21);
  const SupSeries test = planted_series(&arena, &truth, 1, &length, 0, 22);
  SupSystem four = identify(&learn, 4), arx;
  double square, before = relative_error(&four, &learn), plain = relative_error(&four, &test);
  assert_true(plain < 0.05);
  assert_int_equal(sup_polish_output(&arena, &learn, NULL, 10, 0, 1e-3, &four, &square, &error),
                   SUP_OK);
  assert_true(relative_error(&four, &learn) <= before);
  const double polished = relative_error(&four, &test);
  assert_true(polished < 0.9 * plain);
  assert_int_equal(sup_arx(&arena, &learn, 4, &arx, &error), SUP_OK);
  assert_true(relative_error(&arx, &test) > 2 * polished); /* running freely */
}

static void arx_of_its_own_kind(void **state) {
  (void)state;
  /* y_t = 1.2 y_{t-1} - 0.5 y_{t-2} + 0.7 u_t - 0.2 u_{t-1} */
  SupSystem truth, found;
  const uint32_t length = 300;
  assert_true(sup_system_make(&arena, 3, 1, 1, &truth));
  const double a[9] = {1.2, -0.5, -0.2, 1, 0, 0, 0, 0, 0}, b[3] = {0.7, 0, 1};
  sup_copy(truth.a, a, sizeof a), sup_copy(truth.b, b, sizeof b), sup_copy(truth.c, a, 24);
  truth.d[0] = 0.7;
  const SupSeries series = planted_series(&arena, &truth, 1, &length, 0, 31);
  assert_int_equal(sup_arx(&arena, &series, 2, &found, &error), SUP_OK);
  assert_true(markov_distance(&arena, &truth, &found) < 1e-10);
}

static void sparse_inputs(void **state) {
  (void)state;
  SupSystem truth = planted_system(&arena, 6, 1);
  const uint32_t length = 800;
  for (uint32_t k = 0; k < 4; k++) {
    for (uint32_t j = 2; j < 6; j++) truth.b[6 * k + j] = 0; /* four inputs do nothing */
  }
  for (uint32_t j = 2; j < 6; j++) truth.d[j] = 0;
  const SupSeries series = planted_series(&arena, &truth, 1, &length, 0.05, 41);
  SupSystem found = identify(&series, 4);
  const SupInputFit fit = {.sparse = 0.02};
  assert_int_equal(sup_fit_inputs(&arena, &series, &fit, &found, &error), SUP_OK);
  uint32_t zero = 0;
  for (uint32_t k = 0; k < 4; k++) {
    for (uint32_t j = 2; j < 6; j++) zero += found.b[6 * k + j] == 0;
  }
  assert_true(zero >= 10);
  assert_true(relative_error(&found, &series) < 0.2);
}

/* A million random frames stay within the bound that is printed. */
static void bounded(void **state) {
  (void)state;
  const SupSystem s = planted_system(&arena, 3, 2);
  const double most[3] = {1, 2, 0.5};
  double bound[2], z[4] = {0}, w[4], u[3], y[2], seen = 0;
  SupGain gain;
  assert_int_equal(sup_system_bound(&arena, &s, most, bound, &error), SUP_OK);
  assert_int_equal(sup_system_gain(&arena, &s, &gain, &error), SUP_OK);
  assert_true(fabs(gain.radius - 0.97) < 1e-9 && gain.peak > 0 && gain.transient >= 2);
  SupRng rng = sup_rng(1, 1);
  for (uint32_t t = 0; t < 1000000; t++) {
    for (uint32_t j = 0; j < 3; j++) u[j] = most[j] * (2 * sup_rng_double(&rng) - 1);
    sup_system_run(&s, 1, u, z, w, y);
    for (uint32_t o = 0; o < 2; o++) {
      assert_true(fabs(y[o]) <= bound[o]);
      seen = fmax(seen, fabs(y[o]) / bound[o]);
    }
  }
  assert_true(seen > 0.2); /* the bound means something */
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(planted_is_found),
      TEST(coordinates_do_not_matter),
      TEST(projector),
      TEST(stabilised),
      TEST(inputs_after_stabilising),
      TEST(dead_inputs_do_no_harm),
      TEST(inputs_by_parts),
      TEST(several_clips),
      TEST(noise),
      TEST(arx_of_its_own_kind),
      TEST(sparse_inputs),
      TEST(bounded),
  };
  return cmocka_run_group_tests_name("state_space", tests, NULL, NULL);
}
