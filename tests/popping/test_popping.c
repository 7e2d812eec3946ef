/* SPDX-License-Identifier: MIT */
/* The acceptance tests of popping, POP-T1 to POP-T9 by name. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "dancer.h"
#include "supple/author/skin_pack.h"

#define H (1.0 / 60)
#define PI 3.14159265358979323846

static const SupPoppingEvent activate = {.group = SUP_POPPING_ALL, .strength = 1};
static const SupPoppingEvent relax = {.group = SUP_POPPING_ALL};

static int set_up(void **state) {
  *state = dancer_create("leg", 900);
  return 0;
}

static int tear_down(void **state) {
  dancer_free(*state);
  return 0;
}

static double step_once(SupPoppingSwing swing, double goal, double s, double *io_way) {
  *io_way = swing.keep * *io_way + swing.pull * (goal - s);
  return s + *io_way;
}

/* POP-T1: the eigenvalues are (1 - a) +- i sqrt(a (1 - a)), of size sqrt(1 - a), and the closed
 * form is what the recursion does. */
static void pop_t1_closed_form(void **state) {
  (void)state;
  for (int k = 1; k < 20; k++) {
    const double a = 0.05 * k, rho = sqrt(1 - a), theta = asin(sqrt(a));
    const SupPoppingSwing swing = sup_popping_swing_stiff(a);
    const double complex z = rho * cexp(I * theta), printed = (1 - a) + I * sqrt(a * (1 - a));
    assert_true(cabs(z - printed) < 1e-14);
    double frequency, damping;
    sup_popping_swing_read(swing, H, &frequency, &damping);
    assert_true(fabs(exp(-damping * 2 * PI * frequency * H) - rho) < 1e-12);
    /* s - g = Re(c z^n) with s_0 = 0.3 and a first way of 0.1. */
    double s = 0.3, way = 0.1;
    const double e0 = s - 1, e1 = step_once(swing, 1, s, &way) - 1;
    const double complex c = e0 + I * (e0 * creal(z) - e1) / cimag(z);
    s = 0.3, way = 0.1;
    for (int n = 1; n <= 200; n++) {
      double gap[2], ways[2];
      s = step_once(swing, 1, s, &way);
      assert_true(fabs(s - 1 - creal(c * cpow(z, n))) < 1e-12);
      sup_popping_swing_power(swing, n, gap, ways);
      assert_true(fabs(gap[0] * e0 + gap[1] * 0.1 - (s - 1)) < 1e-12);
      assert_true(fabs(ways[0] * e0 + ways[1] * 0.1 - way) < 1e-12);
    }
  }
}

/* POP-T2: alpha 1 is at the goal after one step, whatever came before. */
static void pop_t2_one_step(void **state) {
  (void)state;
  double way = 0.7;
  const double s = step_once(sup_popping_swing_stiff(1), 0.8, -0.4, &way);
  assert_true(fabs(s - 0.8) < 1e-15);
  assert_true(fabs(step_once(sup_popping_swing_stiff(1), 0.8, s, &way) - 0.8) < 1e-15);
}

/* POP-T3: every alpha in (0, 1] converges; overshoots of a step to three digits. */
static void pop_t3_overshoot(void **state) {
  (void)state;
  static const double table[][2] = {{0.05, 0.701}, {0.1, 0.604}, {0.2, 0.479}, {0.3, 0.398},
                                    {0.5, 0.250},  {0.7, 0.162}, {0.9, 0.080}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    double s = 0, way = 0, most = 0;
    for (int n = 0; n < 2000; n++) {
      s = step_once(sup_popping_swing_stiff(table[k][0]), 1, s, &way);
      most = fmax(most, s);
    }
    assert_true(fabs(s - 1) < 1e-12);
    assert_true(fabs(most - 1 - table[k][1]) < 0.0006);
  }
  for (int k = 1; k <= 100; k++) {
    double s = 0, way = 0;
    for (int n = 0; n < 4000; n++) s = step_once(sup_popping_swing_stiff(0.01 * k), 1, s, &way);
    assert_true(fabs(s - 1) < 1e-6);
  }
}

/* POP-T4: softest where the bulge is largest, 1 where there is none, monotone between. */
static void pop_t4_stiffness(void **state) {
  Dancer *d = *state;
  SupPoppingDef def;
  SupError error;
  const uint32_t n = d->character.body.vertex_count;
  d->def.softest = 0.3;
  assert_int_equal(sup_popping_unpack(&d->arena, dancer_model(d), &def, &error), SUP_OK);
  double *sizes = SUP_ALLOC(&d->arena, double, n), most = 0, softest = 2;
  for (uint32_t v = 0; v < n; v++) {
    for (uint32_t k = 0; k < DANCER_PAIRS; k++) {
      const double seen = (double)sup_vec3_distance(d->shapes[k][0][v], d->shapes[k][1][v]);
      sizes[v] = fmax(sizes[v], seen);
      assert_true((double)sup_vec3_length(def.bulges[k * n + v]) < 1.6 * seen + 1e-6);
    }
    most = fmax(most, sizes[v]);
    softest = fmin(softest, 1 - def.keep[v]);
  }
  assert_true(fabs(softest - 0.3) < 1e-6);
  assert_true(fabs(most - d->report.bulge) < 1e-6);
  uint32_t stiff = 0;
  for (uint32_t v = 0; v < n; v++) {
    const double alpha = 1 - def.keep[v];
    assert_true(fabs(alpha - (1 - 0.7 * sizes[v] / most)) < 1e-5);
    assert_true(fabs(def.pull[v] - alpha) < 1e-6);
    stiff += sizes[v] == 0 && alpha > 1 - 1e-6;
  }
  assert_true(stiff > 50);
  /* Nothing bulges: nothing is divided by zero, and nothing happens. */
  SupPoppingPair same = {.relaxed = d->shapes[0][0], .clenched = d->shapes[0][0]};
  d->def.pairs = &same;
  d->def.pair_count = 1;
  SupModel *model = dancer_model(d);
  assert_int_equal(sup_popping_view(model).slot_first[sup_popping_view(model).bulge.block_count],
                   0);
  d->def.pairs = d->pairs;
  d->def.pair_count = DANCER_PAIRS;
}

static SupPoppingState *fresh(Dancer *d, const SupPoppingView *view) {
  return sup_popping_init(view, SUP_ALLOC(&d->arena, char, sup_popping_bytes(view)));
}

/* The largest and smallest share shown; 0 when relaxed. */
static float shown(const SupPoppingView *view, SupPoppingState *s, const SupBackend *backend,
                   float *out_least) {
  const float *fractions = sup_popping_show(view, s, backend);
  float most = 0, least = fractions ? 1e9f : 0;
  for (uint32_t i = 0; fractions && i < view->bulge.vertex_count; i++) {
    if (view->slot_first[i / 16] == view->slot_first[i / 16 + 1]) continue;
    most = fmaxf(most, fractions[i]);
    least = fminf(least, fractions[i]);
  }
  *out_least = least;
  return most;
}

/* POP-T5: releasing is monotone, never crosses, is exp(-relax t) at every frame rate, and ends. */
static void pop_t5_relaxation(void **state) {
  Dancer *d = *state;
  const SupPoppingView view = sup_popping_view(dancer_model(d));
  static const double rates[] = {7, 30, 60, 100, 144, 1000};
  for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
    SupPoppingState *s = fresh(d, &view);
    float least, start, last;
    sup_popping_step(&view, s, d->backend, 3, 1, &activate);
    for (int i = 0; i < 180; i++) sup_popping_step(&view, s, d->backend, H, 0, NULL);
    start = last = shown(&view, s, d->backend, &least);
    assert_true(fabsf(start - 1) < 1e-3f);
    assert_int_equal(sup_popping_groups(s)->phase, SUP_POPPING_ACTIVE);
    /* Told exactly on a step: from then on everything falls. */
    SupPoppingEvent told = relax;
    told.ago = 0;
    sup_popping_step(&view, s, d->backend, 0, 1, &told);
    sup_popping_step(&view, s, d->backend, H, 0, NULL);
    for (double t = H; t < 2; t += 1 / rates[r]) {
      const float now = shown(&view, s, d->backend, &least);
      assert_true(now <= last + 1e-6f && least >= 0);
      if (now > view.times.still) {
        assert_true(fabs((double)now - (double)start * exp(-8 * t)) < 2e-5);
      }
      last = now;
      sup_popping_step(&view, s, d->backend, 1 / rates[r], 0, NULL);
    }
    assert_int_equal(sup_popping_groups(s)->phase, SUP_POPPING_RELAXED);
    assert_null(sup_popping_show(&view, s, d->backend));
  }
}

/* POP-T6: in the pose of every pair relaxed and clenched are the given shapes. */
static void pop_t6_shapes(void **state) {
  Dancer *d = *state;
  SupModel *model = dancer_model(d);
  const uint32_t n = d->character.body.vertex_count;
  assert_true(d->report.left < 1e-6);
  assert_true(d->report.driver_count >= 2);
  for (uint32_t k = 0; k < DANCER_PAIRS; k++) {
    Show show = show_begin(d, model, NULL, NULL);
    float worst[2] = {0, 0}, away = 0;
    dancer_pose(d, k);
    show_frame(&show, 0, 0, NULL);
    for (uint32_t v = 0; v < n; v++) {
      const SupVec3 at = {show.positions[3 * v], show.positions[3 * v + 1],
                          show.positions[3 * v + 2]};
      worst[0] = fmaxf(worst[0], sup_vec3_distance(at, d->shapes[k][0][v]));
      away = fmaxf(away, sup_vec3_distance(at, d->shapes[k][1][v]));
    }
    show_frame(&show, H, 1, &activate);
    for (int i = 0; i < 400; i++) show_frame(&show, H, 0, NULL);
    for (uint32_t v = 0; v < n; v++) {
      const SupVec3 at = {show.positions[3 * v], show.positions[3 * v + 1],
                          show.positions[3 * v + 2]};
      worst[1] = fmaxf(worst[1], sup_vec3_distance(at, d->shapes[k][1][v]));
    }
    assert_true(away > 0.01f);
    assert_true(worst[0] < 1e-6f);
    assert_true(worst[1] < 1e-6f);
  }
}

/* POP-T7: the two-parameter form at 30, 60 and 120 steps a second is the same motion, and so is
 * the technique at any frame rate. */
static void pop_t7_rates(void **state) {
  Dancer *d = *state;
  for (int k = 1; k < 20; k++) {
    const SupPoppingSwing at60 = sup_popping_swing_stiff(0.05 * k);
    const SupPoppingSwing at30 = sup_popping_swing_rate(at60, 2);
    const SupPoppingSwing at120 = sup_popping_swing_rate(at60, 0.5);
    double s = 0, way = 0, half = 0, twice = 0;
    double half_way = sup_popping_swing_way(at60, 0.5, -1, 0);
    double twice_way = sup_popping_swing_way(at60, 2, -1, 0);
    for (int n = 1; n <= 120; n++) {
      s = step_once(at60, 1, s, &way);
      half = step_once(at120, 1, half, &half_way);
      half = step_once(at120, 1, half, &half_way);
      assert_true(fabs(half - s) < 1e-9);
      if (n % 2) continue;
      twice = step_once(at30, 1, twice, &twice_way);
      assert_true(fabs(twice - s) < 1e-9);
    }
  }
  /* (f, zeta): the undamped angular frequency and the ratio come back. */
  double frequency, damping;
  sup_popping_swing_read(sup_popping_swing_hz(5, 0.2, H), H, &frequency, &damping);
  assert_true(fabs(frequency - 5) < 1e-9 && fabs(damping - 0.2) < 1e-9);

  /* The technique: bits on the steps' grid, a fraction of a step between. */
  const SupPoppingView view = sup_popping_view(dancer_model(d));
  const size_t lanes = 16 * (size_t)view.bulge.block_count;
  float *truth = SUP_ALLOC(&d->arena, float, 61 * lanes);
  /* Two events within one step: the last is heard, in one frame or in two. */
  static const double times[5] = {0.11, 0.35, 0.503, 0.514, 0.7};
  SupPoppingEvent events[5] = {activate, relax, activate, activate, activate};
  events[3].strength = 0.4f;
  const SupPoppingTrack track = {5, times, events};
  static const int per_step[] = {1, 2, 3, 7};
  for (size_t r = 0; r < sizeof per_step / sizeof *per_step; r++) {
    SupPoppingState *s = fresh(d, &view);
    const double dt = H / per_step[r];
    float worst = 0, jump = 0, last = 0;
    for (int n = 0; n <= 60 * per_step[r]; n++) {
      SupPoppingEvent now[5];
      const uint32_t count = n ? sup_popping_between(&track, (n - 1) * dt, n * dt, 5, now) : 0;
      if (n) sup_popping_step(&view, s, d->backend, dt, count, now);
      const float *fractions = sup_popping_show(&view, s, d->backend);
      float most = 0;
      for (size_t i = 0; fractions && i < lanes; i++) {
        const float keep = view.swing[16 * SUP_POPPING_ROWS * (i / 16) + i % 16];
        if (keep > 0.5f) most = fmaxf(most, fabsf(fractions[i])); /* others jump within a step */
      }
      jump = fmaxf(jump, fabsf(most - last));
      last = most;
      if (n % per_step[r]) continue;
      float *row = truth + lanes * (size_t)(n / per_step[r]);
      for (size_t i = 0; i < lanes; i++) {
        const float fraction = fractions ? fractions[i] : 0;
        if (r == 0) row[i] = fraction;
        worst = fmaxf(worst, fabsf(fraction - row[i]));
      }
    }
    assert_true(worst < 2e-6f);
    /* A fraction of a step is part of the way. */
    print_message("%d frames a step: largest jump %.3f\n", per_step[r], (double)jump);
    assert_true(jump < (r ? 0.26f : 0.5f));
  }
}

/* POP-T8: moving the whole character moves the result, rigidly. */
static void pop_t8_rigid(void **state) {
  Dancer *d = *state;
  SupModel *model = dancer_model(d);
  Show still = show_begin(d, model, NULL, NULL), moved = show_begin(d, model, NULL, NULL);
  for (int n = 0; n < 50; n++) {
    const SupPoppingEvent *event = n == 5 ? &activate : &relax;
    const uint32_t count = n == 5 || n == 30;
    const SupTransform root = {{0.1f * (float)n, sup_sinf((float)n), -0.3f},
                               sup_quat_exp((SupVec3){0.02f * (float)n, 0.1f, 0.3f}),
                               {1, 1, 1}};
    dancer_pose(d, 1);
    show_frame(&still, H, count, event);
    d->pose.root = root;
    show_frame(&moved, H, count, event);
    d->pose.root = sup_transform_identity();
    const SupAffine m = sup_affine_compose(root);
    for (uint32_t v = 0; v < still.stack.vertex_count; v++) {
      const SupVec3 p = {still.positions[3 * v], still.positions[3 * v + 1],
                         still.positions[3 * v + 2]};
      const SupVec3 q = {moved.positions[3 * v], moved.positions[3 * v + 1],
                         moved.positions[3 * v + 2]};
      assert_true(sup_vec3_distance(sup_affine_point(m, p), q) < 4e-6f);
    }
  }
}

/* POP-T9: without events the output is that of the relaxed shapes as plain morph targets, bit by
 * bit, and after a contraction again. */
static void pop_t9_silent(void **state) {
  Dancer *d = *state;
  SupModel *model = dancer_model(d);
  const SupPoppingView view = sup_popping_view(model);
  const uint32_t n = d->character.body.vertex_count;
  Show show = show_begin(d, model, NULL, NULL);
  float *plain = SUP_ALLOC(&d->arena, float, 3 * (size_t)n);
  float features[128], weights[DANCER_PAIRS];
  for (int i = 0; i < 300; i++) {
    dancer_bend(d, 0.9f * sup_sinf(0.1f * (float)i));
    sup_correctives_read(&view.poses, &d->pose, d->palette, (SupVec3){0, 0, 0}, features);
    sup_correctives_weights(&view.poses, features, weights);
    const SupSkinCall call = {.skin = &view.poses.skin,
                              .palette = d->palette,
                              .morph_weights = weights,
                              .positions = {plain, 3}};
    sup_skin_lbs(d->backend, NULL, &call);
    const SupPoppingEvent *event = i == 60 ? &activate : &relax;
    show_frame(&show, H, i == 60 || i == 90, event);
    const bool same = memcmp(plain, show.positions, 3 * n * sizeof(float)) == 0;
    if (i < 60 || i > 250) assert_true(same);
    if (i > 62 && i < 120) assert_false(same);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pop_t1_closed_form), cmocka_unit_test(pop_t2_one_step),
      cmocka_unit_test(pop_t3_overshoot),   cmocka_unit_test(pop_t4_stiffness),
      cmocka_unit_test(pop_t5_relaxation),  cmocka_unit_test(pop_t6_shapes),
      cmocka_unit_test(pop_t7_rates),       cmocka_unit_test(pop_t8_rigid),
      cmocka_unit_test(pop_t9_silent),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
