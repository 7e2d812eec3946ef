/* SPDX-License-Identifier: MIT */
/* The step of the subspace technique: its gradient, what may not change, what may not grow. */
#include <math.h>

#include "mochi_flesh.h"
#include "runtime/subspace/subspace_work.h"

static const SupVec3 NONE = {0, 0, 0}, DOWN = {0, -9.81f, 0};
static const float H = 1.f / 60;

static void copy_rest(Flesh *f) {
  memcpy(f->palette, f->rest, f->view.bone_count * sizeof *f->rest);
}

static void start(Flesh *f, SupVec3 gravity) {
  sup_subspace_reset(f->state);
  sup_subspace_step(&f->view, f->state, H, f->palette, gravity);
}

static SupAffine rigid_map(double angle, SupVec3 way) {
  const SupQuat q = sup_quat_from_axis_angle(sup_vec3_normalise((SupVec3){1, 2, -1}), (float)angle);
  return sup_affine_from_parts(sup_mat3_from_quat(q), way);
}

/* The largest distance between offsets turned by `turn` and others. */
static float gap(uint32_t count, const SupAffine *turn, const SupVec3 *a, const SupVec3 *b) {
  float most = 0;
  for (uint32_t v = 0; v < count; v++) {
    most = fmaxf(most, sup_vec3_distance(sup_affine_direction(*turn, a[v]), b[v]));
  }
  return most;
}

/* ---- Energy and gradient --------------------------------------------------------------------- */

/* A step in the middle of a motion, with everything in it. */
static SubspaceWork moving_step(Flesh *f) {
  for (int i = 0; i < 20; i++) {
    flesh_motion(f, 3, i / 60.0, 0.7, 0.1);
    sup_subspace_step(&f->view, f->state, H, f->palette, DOWN);
  }
  flesh_motion(f, 3, 20 / 60.0, 0.7, 0.1);
  SubspaceWork w = sup_subspace_work(&f->view, f->state);
  double *bones = sup_subspace_next_bones(&f->view, f->state);
  sup_subspace_place_bones(f->view.bone_count, f->palette, bones);
  sup_subspace_prepare(&w, (double)f->view.h, bones, DOWN);
  sup_subspace_turn(&w, sup_subspace_amplitudes(f->state), 10);
  return w;
}

/* Along random directions, near where the flesh is: farther away elements are crushed, and their
 * energy hides all others. Energies are rounded by about 1e-9 of their terms, so that steps are
 * wide and the difference of fourth order. */
static void test_gradient(void **state) {
  static const double at[4] = {-2, -1, 1, 2}, factor[4] = {1, -8, 8, -1};
  Flesh *f = *state;
  SubspaceWork w = moving_step(f);
  SupRng rng = sup_rng(4, 1);
  double *z = malloc(w.n * sizeof *z), *there = malloc(w.n * sizeof *there);
  const double step = 1.5e-3;
  for (int trial = 0; trial < 12; trial++) {
    double slope = 0, length = 0, change = 0;
    for (uint32_t i = 0; i < w.n; i++) {
      z[i] = sup_subspace_amplitudes(f->state)[i] + 0.02 * (sup_rng_double(&rng) - 0.5);
      w.direction[i] = sup_rng_double(&rng) - 0.5;
    }
    sup_subspace_evaluate(&w, z, w.gradient);
    for (int k = 0; k < 4; k++) {
      for (uint32_t i = 0; i < w.n; i++) there[i] = z[i] + at[k] * step * w.direction[i];
      change += factor[k] * sup_subspace_evaluate(&w, there, w.trial_gradient) / (12 * step);
    }
    for (uint32_t i = 0; i < w.n; i++) {
      slope += w.gradient[i] * w.direction[i];
      length += fabs(w.gradient[i] * w.direction[i]);
    }
    assert_true(fabs(change - slope) < 1e-5 * length);
  }
  free(z);
  free(there);
}

/* The minimiser ends where nothing pulls any more, and lower than it began. */
static void test_minimum(void **state) {
  Flesh *f = *state;
  SubspaceWork w = moving_step(f);
  double start_pull = 0, pull = 0;
  for (uint32_t i = 0; i < w.n; i++) w.z[i] = 0;
  const double start_energy = sup_subspace_evaluate(&w, w.z, w.gradient);
  for (uint32_t i = 0; i < w.n; i++) start_pull += w.gradient[i] * w.gradient[i];
  sup_subspace_minimise(&w, 100);
  const double energy = sup_subspace_evaluate(&w, w.z, w.gradient);
  for (uint32_t i = 0; i < w.n; i++) pull += w.gradient[i] * w.gradient[i];
  assert_true(energy < start_energy);
  assert_true(pull < 1e-8 * start_pull);
}

/* ---- Rigid motion ---------------------------------------------------------------------------- */

static void test_rigid_rest(void **state) {
  Flesh *f = *state;
  for (int k = 0; k < 6; k++) {
    const SupAffine move = rigid_map(0.9 * k, (SupVec3){(float)k, (float)(-2 * k), 0.5f});
    copy_rest(f);
    flesh_move(f, &move);
    start(f, NONE);
    assert_true((double)flesh_offsets(f) < 1e-5 * f->report.size);
    for (int i = 0; i < 60; i++) sup_subspace_step(&f->view, f->state, H, f->palette, NONE);
    assert_true((double)flesh_offsets(f) < 1e-5 * f->report.size);
  }
}

static void test_even_motion(void **state) {
  Flesh *f = *state;
  for (int i = 0; i < 120; i++) {
    const SupAffine move = rigid_map(1, (SupVec3){(float)i / 40, (float)i / 60, 0});
    copy_rest(f);
    flesh_move(f, &move);
    if (i == 0) sup_subspace_reset(f->state);
    sup_subspace_step(&f->view, f->state, H, f->palette, NONE);
    assert_true((double)flesh_offsets(f) < 1e-5 * f->report.size);
  }
}

/* A world that is turned and moved sees the same flesh, turned: of the minimum, for what few
 * iterations leave grows from the last bits on. */
static void test_turned_world(void **state) {
  Flesh *f = *state;
  const uint32_t few = f->view.iterations;
  f->view.iterations = 30;
  const SupAffine move = rigid_map(2, (SupVec3){3, -1, 2}), same = sup_affine_identity();
  SupVec3 *first = malloc(60 * f->view.vertex_count * sizeof *first);
  float most = 0;
  for (int turned = 0; turned < 2; turned++) {
    const SupVec3 g = turned ? sup_affine_direction(move, DOWN) : DOWN;
    sup_subspace_reset(f->state);
    for (uint32_t i = 0; i < 60; i++) {
      flesh_motion(f, 9, i / 60.0, 0.3, 0.03);
      flesh_move(f, turned ? &move : &same);
      sup_subspace_step(&f->view, f->state, H, f->palette, g);
      most = fmaxf(most, flesh_offsets(f));
      SupVec3 *frame = first + (size_t)i * f->view.vertex_count;
      if (!turned) memcpy(frame, f->offsets, f->view.vertex_count * sizeof *frame);
      if (turned) {
        assert_true((double)gap(f->view.vertex_count, &move, frame, f->offsets) <
                    1e-5 * f->report.size);
      }
    }
  }
  assert_true((double)most > 0.01 * f->report.size); /* there was something to compare */
  f->view.iterations = few;
  free(first);
}

static void test_teleport(void **state) {
  Flesh *f = *state;
  const SupAffine move = rigid_map(2, (SupVec3){300, -100, 20});
  SupSubspaceState *other = malloc(sup_subspace_bytes(&f->view)), *own = f->state;
  SupVec3 *there = malloc(f->view.vertex_count * sizeof *there);
  sup_subspace_reset(own);
  for (int i = 0; i < 40; i++) {
    flesh_motion(f, 11, i / 60.0, 0.3, 0.03);
    sup_subspace_step(&f->view, own, H, f->palette, NONE);
  }
  memcpy(other, own, sup_subspace_bytes(&f->view));
  sup_subspace_teleport(other, &move);
  for (int i = 40; i < 60; i++) {
    flesh_motion(f, 11, i / 60.0, 0.3, 0.03);
    sup_subspace_step(&f->view, own, H, f->palette, NONE);
    flesh_offsets(f);
    memcpy(there, f->offsets, f->view.vertex_count * sizeof *there);
    flesh_move(f, &move);
    f->state = other;
    sup_subspace_step(&f->view, other, H, f->palette, NONE);
    const float most = flesh_offsets(f);
    f->state = own;
    /* Floats at 300 m round by 3e-5 m, and an acceleration sees that 3600 times. */
    assert_true(gap(f->view.vertex_count, &move, there, f->offsets) < 0.1f * most);
  }
  free(other);
  free(there);
}

/* ---- Energy without drive -------------------------------------------------------------------- */

static void test_energy_falls(void **state) {
  Flesh *f = *state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    flesh_pose(f, seed, 0.5);
    start(f, (SupVec3){20 * (seed == 1), -20, 20 * (seed == 2)});
    const double first = sup_subspace_energy(&f->view, f->state, NONE);
    double last = first; /* that of the pose counts too */
    for (int i = 0; i < 240; i++) {
      sup_subspace_step(&f->view, f->state, H, f->palette, NONE);
      const double energy = sup_subspace_energy(&f->view, f->state, NONE);
      assert_true(energy <= last + 1e-6 * first);
      last = energy;
    }
    assert_true(last < 0.99 * first);
  }
}

/* ---- Time, copies ---------------------------------------------------------------------------- */

/* Bones that stand still: only the times of steps matter. */
static void test_frame_rates(void **state) {
  Flesh *f = *state;
  const float rates[] = {60, 30, 7.5f, 240};
  double end[4];
  flesh_pose(f, 2, 0.4);
  for (int r = 0; r < 4; r++) {
    start(f, DOWN);
    const int frames = (int)(2 * rates[r] + 0.5f);
    for (int i = 0; i < frames; i++) {
      sup_subspace_step(&f->view, f->state, 1 / rates[r], f->palette, NONE);
    }
    end[r] = sup_subspace_amplitudes(f->state)[1];
  }
  for (int r = 1; r < 4; r++) assert_true(fabs(end[r] - end[0]) < 1e-6 * f->report.size);
  assert_true(fabs(end[0]) > 0);
}

/* Frames between steps go on evenly: the shown offset has no jump larger than its speed allows. */
static void test_between_steps(void **state) {
  Flesh *f = *state;
  copy_rest(f);
  start(f, DOWN);
  SupVec3 last = {0, 0, 0};
  float jump = 0, swing = 0;
  for (int i = 0; i < 480; i++) {
    sup_subspace_step(&f->view, f->state, 1.f / 480, f->palette, NONE);
    flesh_offsets(f);
    const SupVec3 now = f->offsets[f->view.vertex_count / 2];
    if (i > 0) jump = fmaxf(jump, sup_vec3_distance(now, last));
    swing = fmaxf(swing, sup_vec3_length(now));
    last = now;
  }
  /* 4 to 6 Hz: 2 pi 6 / 480 = 0.08 of the swing from frame to frame. */
  assert_true(swing > 0 && jump < 0.12f * swing);
}

static void test_copy(void **state) {
  Flesh *f = *state;
  const size_t bytes = sup_subspace_bytes(&f->view);
  SupSubspaceState *copy = aligned_alloc(SUP_ALIGNMENT, bytes);
  sup_subspace_reset(f->state);
  for (int i = 0; i < 30; i++) {
    if (i == 20) memcpy(copy, f->state, bytes);
    flesh_motion(f, 6, i / 60.0, 0.6, 0.1);
    sup_subspace_step(&f->view, f->state, H, f->palette, DOWN);
    if (i >= 20) sup_subspace_step(&f->view, copy, H, f->palette, DOWN);
  }
  assert_memory_equal(copy, f->state, bytes);
  free(copy);
}

/* ---- Bad frames ------------------------------------------------------------------------------ */

/* How far any vertex may go: the limit of the amplitudes times its functions' length; what is shown
 * between steps may be ahead by a velocity of at most 8 limits / (3 h) * 3/2 for less than h. */
static double bound(const Flesh *f) {
  double most = 0;
  for (uint32_t v = 0; v < f->view.vertex_count; v++) {
    double square = 0;
    for (uint32_t k = 0; k < f->view.function_count; k++) {
      const double x = (double)f->view.vertex_functions[(size_t)v * f->view.function_count + k];
      square += x * x;
    }
    most = fmax(most, sqrt(square));
  }
  return 5.001 * most * (double)f->view.limit;
}

static float wild(SupRng *rng) {
  static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-45f, 0, 1e9f, -1e6f, 90};
  if (sup_rng_double(rng) < 0.3) return odd[sup_rng_below(rng, 10)];
  return (float)((sup_rng_double(rng) - 0.5) * pow(10, 8 * sup_rng_double(rng) - 4));
}

#ifndef FRAMES
#define FRAMES 6000
#endif

/* Bones anywhere, any length of frame, any gravity: finite, within the bound, and well again. */
static void test_adversarial(void **state) {
  (void)state;
  Flesh *f = flesh_open(400);
  f->def.function_count = 12;
  f->def.cluster_count = 32;
  f->def.affine_count = 1;
  flesh_train(f);
  const double most = bound(f);
  SupRng rng = sup_rng(8, 2);
  double reached = 0;
  for (int i = 0; i < FRAMES; i++) {
    flesh_motion(f, 6, i / 60.0, 3, 1);
    const double kind = sup_rng_double(&rng);
    for (uint32_t b = 0; b < f->view.bone_count && kind < 0.5; b++) {
      if (sup_rng_double(&rng) < 0.3) f->palette[b].m[sup_rng_below(&rng, 12)] = wild(&rng);
      for (int c = 0; c < 12 && kind < 0.25; c++) {
        f->palette[b].m[c] = (float)(150 * (sup_rng_double(&rng) - 0.5));
      }
    }
    const float dt = kind < 0.1 || kind > 0.9 ? wild(&rng) : H;
    const SupVec3 g = {kind > 0.8 ? wild(&rng) : 0, wild(&rng), 0};
    sup_subspace_step(&f->view, f->state, dt, f->palette, g);
    const double offset = (double)flesh_offsets(f);
    assert_true(offset <= most);
    reached = fmax(reached, offset);
  }
  assert_true(reached > 0.1 * f->report.size); /* it was shaken */
  copy_rest(f);
  for (int i = 0; i < 600; i++) sup_subspace_step(&f->view, f->state, H, f->palette, NONE);
  assert_true((double)flesh_offsets(f) < 1e-4 * f->report.size);
  flesh_free(f);
}

/* One frame that is not a number: what is shown stays, and the next frame starts afresh. */
static void test_poison(void **state) {
  Flesh *f = *state;
  sup_subspace_reset(f->state);
  for (int i = 0; i < 30; i++) {
    flesh_motion(f, 6, i / 60.0, 0.6, 0.1);
    sup_subspace_step(&f->view, f->state, H, f->palette, DOWN);
  }
  const float before = flesh_offsets(f);
  f->palette[0].m[4] = NAN;
  sup_subspace_step(&f->view, f->state, H, f->palette, DOWN);
  assert_true(flesh_offsets(f) == before);
  flesh_motion(f, 6, 31 / 60.0, 0.6, 0.1);
  sup_subspace_step(&f->view, f->state, H, f->palette, DOWN);
  flesh_offsets(f);
  SupVec3 *healed = malloc(f->view.vertex_count * sizeof *healed);
  memcpy(healed, f->offsets, f->view.vertex_count * sizeof *healed);
  start(f, DOWN);
  flesh_offsets(f);
  assert_memory_equal(healed, f->offsets, f->view.vertex_count * sizeof *healed);
  free(healed);
}

/* A call of more than a quarter of a second, or one of no length. */
static void test_long_and_none(void **state) {
  Flesh *f = *state;
  flesh_pose(f, 4, 0.3);
  start(f, DOWN);
  sup_subspace_step(&f->view, f->state, H, f->palette, NONE);
  sup_subspace_step(&f->view, f->state, H, f->palette, NONE);
  const double amplitude = sup_subspace_amplitudes(f->state)[0];
  sup_subspace_step(&f->view, f->state, 0, f->palette, NONE);
  sup_subspace_step(&f->view, f->state, -1, f->palette, NONE);
  assert_true(sup_subspace_amplitudes(f->state)[0] == amplitude);
  assert_int_equal(f->state->fresh, 0);
  sup_subspace_step(&f->view, f->state, 0.3f, f->palette, NONE);
  assert_int_equal(f->state->fresh, 1);
}

/* ---- Helpers --------------------------------------------------------------------------------- */

/* The maps and the weights show what the functions do, up to what the report says. */
static void test_helpers(void **state) {
  Flesh *f = *state;
  SupAffine helpers[64];
  double lost = 0, all = 0;
  sup_subspace_reset(f->state);
  for (int i = 0; i < 60; i++) {
    flesh_motion(f, 12, i / 60.0, 0.5, 0.1);
    sup_subspace_step(&f->view, f->state, H, f->palette, DOWN);
    flesh_offsets(f);
    sup_subspace_helpers(&f->view, f->shown, helpers);
    for (uint32_t v = 0; v < f->view.vertex_count; v++) {
      SupVec3 sum = {0, 0, 0};
      float weights = 0;
      for (uint32_t k = 0; k < f->view.influence_count; k++) {
        const size_t at = (size_t)v * f->view.influence_count + k;
        const SupVec3 moved =
            sup_affine_point(helpers[f->view.vertex_helpers[at]], f->character.body.positions[v]);
        sum = sup_vec3_add_scaled(sum, moved, f->view.vertex_weights[at]);
        weights += f->view.vertex_weights[at];
      }
      assert_true(weights <= 1.0001f);
      lost += pow((double)sup_vec3_distance(sum, f->offsets[v]), 2);
      all += pow((double)sup_vec3_length(f->offsets[v]), 2);
    }
  }
  assert_true(all > 0);
  assert_true(sqrt(lost / all) < 1.5 * f->report.helper_error);
  assert_true(f->report.helper_error < 0.3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradient),      cmocka_unit_test(test_minimum),
      cmocka_unit_test(test_rigid_rest),    cmocka_unit_test(test_even_motion),
      cmocka_unit_test(test_turned_world),  cmocka_unit_test(test_teleport),
      cmocka_unit_test(test_energy_falls),  cmocka_unit_test(test_frame_rates),
      cmocka_unit_test(test_between_steps), cmocka_unit_test(test_copy),
      cmocka_unit_test(test_adversarial),   cmocka_unit_test(test_poison),
      cmocka_unit_test(test_long_and_none), cmocka_unit_test(test_helpers),
  };
  return cmocka_run_group_tests(tests, flesh_make, flesh_unmake);
}
