/* SPDX-License-Identifier: MIT */
/* Learning as a whole: the right candidate is kept, nothing is learned from what is only tested,
 * and nonsense ends at plain skinning. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/author/player.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"
#include "supple/stack.h"
#include "supple/train/learn.h"
#include "train/learn/learn_parts.h"
#include "wobble.h"

/* A teacher whose flesh is the character's own modes (and nothing else), or noise. */
typedef struct Teacher {
  Wobble *w;
  bool noise;
  bool bulges;             /* its static shape depends on the pose, everywhere */
  bool calm;               /* in the clip to choose by, everything swings half as far */
  uint32_t poses, motions; /* how often it was asked */
} Teacher;

static void put_pose(Wobble *w, const SupTransform *joints) {
  memcpy(w->pose.joints, joints, w->pose.joint_count * sizeof *joints);
  w->pose.root = sup_transform_identity();
  sup_pose_evaluate(&w->character.skeleton, &w->pose, w->globals, w->palette);
}

static SupResult teach_poses(void *user, const SupTransform *joints, uint32_t count, SupVec3 *out,
                             SupError *error) {
  Teacher *teacher = user;
  Wobble *w = teacher->w;
  (void)error;
  teacher->poses++;
  for (uint32_t i = 0; i < count; i++) {
    put_pose(w, joints + (size_t)i * w->pose.joint_count);
    sup_modes_reset(w->state);
    sup_modes_step(&w->view, w->state, w->backend, 0, w->palette, NULL);
    wobble_skin(w, w->palette, (float *)(out + (size_t)i * w->character.body.vertex_count));
    const float shift = 0.2f * joints[(size_t)i * w->pose.joint_count + 1].rotation.x;
    for (uint32_t v = 0; v < w->character.body.vertex_count && teacher->bulges; v++) {
      out[(size_t)i * w->character.body.vertex_count + v].z += shift;
    }
  }
  return SUP_OK;
}

static SupResult teach_motion(void *user, const SupClip *clip, float fps, uint32_t count,
                              SupVec3 *out, SupError *error) {
  Teacher *teacher = user;
  Wobble *w = teacher->w;
  const uint32_t n = w->character.body.vertex_count;
  SupRng rng = sup_rng(4, 4);
  (void)error;
  teacher->motions++;
  sup_modes_reset(w->state);
  for (uint32_t i = 0; i < 2 * count; i++) {
    sup_pose_rest(&w->character.skeleton, &w->pose);
    sup_clip_sample(clip, (float)i / (2 * fps), false, NULL, &w->pose, NULL);
    w->pose.root = sup_transform_identity();
    sup_pose_evaluate(&w->character.skeleton, &w->pose, w->globals, w->palette);
    sup_modes_step(&w->view, w->state, w->backend, 0.5f / fps, w->palette, NULL);
    if (i % 2) continue;
    const float fraction = teacher->calm && teacher->motions == 2 ? 0.5f : 1;
    float *q = sup_modes_amplitudes(w->state);
    for (uint32_t k = 0; k < w->view.mode_count; k++) q[k] *= fraction;
    wobble_skin(w, w->palette, (float *)(out + (size_t)(i / 2) * n));
    for (uint32_t k = 0; k < w->view.mode_count; k++) q[k] /= fraction;
    for (uint32_t v = 0; v < n && teacher->noise; v++) {
      out[(size_t)(i / 2) * n + v].x += 0.2f * (sup_rng_float(&rng) - 0.5f);
    }
  }
  return SUP_OK;
}

static SupLearnDef make_def(Wobble *w, SupTeacher *asked) {
  SupLearnDef def = sup_learn_def(&w->character);
  def.teacher = asked;
  def.pose_count = 12;
  def.far_count = 6;
  def.skip_surface = true;
  def.modes = w->def;
  def.modes.frequency = 1.3 * w->report.frequencies[0]; /* not quite the teacher's flesh */
  return def;
}

static SupLearnReport learn(Wobble *w, const SupLearnDef *def) {
  SupLearnReport report;
  SupError error;
  if (sup_learn(&w->arena, def, &report, &error)) fail_msg("%s", error.text);
  return report;
}

static void modes_of_a_modal_teacher(void **state) {
  Wobble *w = *state;
  Teacher teacher = {.w = w};
  SupTeacher asked = {teach_poses, teach_motion, &teacher};
  const SupLearnDef def = make_def(w, &asked);
  const SupLearnReport report = learn(w, &def);
  for (int k = 0; k < SUP_LEARN_STACKS; k++) {
    if (!report.candidates[k].tried) continue;
    printf("%-46s %.3f\n", sup_learn_stack_name((SupLearnStack)k), report.candidates[k].held);
  }
  assert_int_equal(teacher.poses, 2);   /* within what the clips show, and beyond */
  assert_int_equal(teacher.motions, 2); /* calibration, and a clip to choose by */
  assert_int_equal(report.chosen, SUP_LEARN_FITTED);
  assert_true(fabs(report.candidates[SUP_LEARN_SKINNING].held - 1) < 1e-6);
  assert_true(report.candidates[SUP_LEARN_FITTED].held < 0.3);
  assert_true(report.candidates[SUP_LEARN_MODES].held >
              2 * report.candidates[SUP_LEARN_FITTED].held);
  assert_true(fabs(report.fit.frequency * 1.3 - 1) < 0.05);
  assert_true(report.swing > 0.9);
  /* What is kept makes a stack. */
  const SupLearnCandidate *kept = &report.candidates[report.chosen];
  SupStackDef stack_def = sup_stack_def();
  SupStack stack;
  SupError error;
  stack_def.skeleton = &w->character.skeleton;
  stack_def.model_count = kept->model_count;
  stack_def.models = kept->models;
  assert_int_equal(sup_stack_make(&stack_def, &stack, &error), SUP_OK);
}

/* The share is where the error is least, and all of it where nothing can be told. */
static void fractions_are_told_or_left(void **state) {
  (void)state;
  const double better[3] = {1, 0.4, 0.3}, half[3] = {1, 0.5, 1}, worse[3] = {1, 1.3, 2};
  const double same[3] = {0.7, 0.7, 0.7}, bowed[3] = {1, 1.1, 1}, none[3] = {0, 0, 0};
  const double bad[3] = {1, NAN, 1};
  assert_true(fabs(sup_learn_swing_fraction(half) - 0.5) < 1e-12);
  assert_true(sup_learn_swing_fraction(better) > 0.8 && sup_learn_swing_fraction(better) < 1);
  assert_true(fabs(sup_learn_swing_fraction(worse) - 0.3) < 1e-12);
  assert_true(sup_learn_swing_fraction(same) == 1 && sup_learn_swing_fraction(bowed) == 1);
  assert_true(sup_learn_swing_fraction(none) == 1 && sup_learn_swing_fraction(bad) == 1);
}

/* Where what was held back swings by less than the examples, less is shown. */
static void swings_are_held_back(void **state) {
  Wobble *w = *state;
  Teacher teacher = {.w = w, .calm = true};
  SupTeacher asked = {teach_poses, teach_motion, &teacher};
  const SupLearnDef def = make_def(w, &asked);
  const SupLearnReport report = learn(w, &def);
  printf("half the swing: %.2f of it is shown, %.3f left\n", report.swing,
         report.candidates[SUP_LEARN_FITTED].held);
  assert_true(report.swing > 0.4 && report.swing < 0.6);
  assert_true(report.candidates[SUP_LEARN_FITTED].held < 0.4);
}

/* Noise cannot be predicted: everything is worse than skinning, and that is said. */
static void noise_ends_at_skinning(void **state) {
  Wobble *w = *state;
  Teacher teacher = {.w = w, .noise = true};
  SupTeacher asked = {teach_poses, teach_motion, &teacher};
  SupLearnDef def = make_def(w, &asked);
  /* The flesh of the teacher does not swing at all: only the noise is left. */
  for (uint32_t k = 0; k < w->view.mode_count; k++) {
    sup_modes_tune(w->model, k, 1e8, 1e4, 1);
  }
  const SupLearnReport report = learn(w, &def);
  assert_int_equal(report.chosen, SUP_LEARN_SKINNING);
  assert_int_equal(report.candidates[report.chosen].model_count, 0);
}

/* Motions that are only tested change nothing, whatever they show. */
static void tests_teach_nothing(void **state) {
  Wobble *w = *state;
  Teacher teacher = {.w = w};
  SupTeacher asked = {teach_poses, teach_motion, &teacher};
  const SupLearnDef first = make_def(w, &asked);
  const SupLearnReport before = learn(w, &first);
  SupLearnMotion motions[5];
  assert_int_equal(before.motion_count, 4);
  memcpy(motions, before.motions, 4 * sizeof *motions);
  motions[4] = motions[2];
  motions[4].test = true;
  SupVec3 *wrong =
      SUP_COPY(&w->arena, SupVec3, motions[2].samples.positions,
               (size_t)motions[2].samples.frame_count * motions[2].samples.vertex_count);
  for (uint32_t i = 0; i < 1000; i++) wrong[i].y += 3;
  motions[4].samples.positions = wrong;
  SupLearnDef again = first;
  again.motion_count = 5;
  again.motions = motions;
  const SupLearnReport after = learn(w, &again);
  const SupModel *a = before.candidates[before.chosen].models[1];
  const SupModel *b = after.candidates[after.chosen].models[1];
  assert_int_equal(after.chosen, before.chosen);
  assert_memory_equal(a, b, (size_t)a->bytes);
  assert_true(after.candidates[after.chosen].measures[4].compare.relative_error > 0.3f);
}

/* How far a stack shows vertices of x < 0 and the others from plain skinning, in a clip. */
static void measure_sides(Wobble *w, const SupClip *clip, const SupLearnCandidate *c,
                          float out_most[2]) {
  const uint32_t n = w->character.body.vertex_count;
  const SupPlayback playback = sup_playback(clip);
  SupVec3 *positions[2];
  SupPlayer players[2];
  SupError error;
  for (uint32_t k = 0; k < 2; k++) {
    SupPlayerDef def = sup_player_def();
    def.character = &w->character;
    def.model_count = k ? c->model_count : 0;
    def.models = c->models;
    positions[k] = SUP_ALLOC(&w->arena, SupVec3, n);
    assert_int_equal(sup_player_create(&w->arena, &def, &players[k], &error), SUP_OK);
    sup_player_play(&players[k], &playback);
  }
  out_most[0] = out_most[1] = 0;
  for (uint32_t i = 0; i < 60; i++) {
    for (uint32_t k = 0; k < 2; k++) {
      const SupStackFrame frame = {.positions = {&positions[k]->x, 3}};
      sup_player_frame(&players[k], &frame);
    }
    for (uint32_t v = 0; v < n; v++) {
      float *most = &out_most[w->character.body.positions[v].x >= 0];
      *most = fmaxf(*most, sup_vec3_distance(positions[0][v], positions[1][v]));
    }
  }
}

/* Half of the body is locked: whatever a teacher shows there, no candidate moves it. */
static void nothing_is_learned_where_it_is_locked(void **state) {
  Wobble *w = *state;
  Teacher teacher = {.w = w, .bulges = true};
  SupTeacher asked = {teach_poses, teach_motion, &teacher};
  SupLearnDef def = make_def(w, &asked);
  const uint32_t n = w->character.body.vertex_count;
  float *lock = SUP_ALLOC(&w->arena, float, n);
  for (uint32_t v = 0; v < n; v++) lock[v] = w->character.body.positions[v].x < 0 ? 1 : 0;
  def.lock = lock;
  def.skip_surface = false;
  const SupLearnReport report = learn(w, &def);
  for (int c = 1; c < SUP_LEARN_STACKS; c++) {
    float most[2];
    assert_true(report.candidates[c].tried);
    measure_sides(w, &w->character.clips[0], &report.candidates[c], most);
    printf("%-46s locked %.2g, free %.2g m\n", sup_learn_stack_name((SupLearnStack)c),
           (double)most[0], (double)most[1]);
    assert_true(most[0] < 1e-5f && most[1] > 1e-3f);
  }
}

/* Everything that is learned, the surface included, by one thread and by eight. */
static void same_bits_for_any_threads(void **state) {
  Wobble *w = *state;
  static const uint32_t threads[2] = {1, 8};
  SupLearnReport reports[2];
  for (int k = 0; k < 2; k++) {
    Teacher teacher = {.w = w};
    SupTeacher asked = {teach_poses, teach_motion, &teacher};
    SupPool *pool = sup_pool_create(sup_heap_allocator(), threads[k]);
    assert_non_null(pool);
    const SupJobs jobs = sup_pool_jobs(pool);
    SupLearnDef def = make_def(w, &asked);
    def.skip_surface = false;
    def.jobs = &jobs;
    reports[k] = learn(w, &def);
    sup_pool_destroy(pool);
    assert_int_equal(reports[k].chosen, reports[0].chosen);
    for (int c = 0; c < SUP_LEARN_STACKS; c++) {
      const SupLearnCandidate *a = &reports[0].candidates[c], *b = &reports[k].candidates[c];
      assert_true(a->tried && b->tried && a->model_count == b->model_count);
      assert_true(a->held == b->held);
      for (uint32_t m = 0; m < a->model_count; m++) {
        assert_int_equal(a->models[m]->bytes, b->models[m]->bytes);
        assert_memory_equal(a->models[m], b->models[m], (size_t)a->models[m]->bytes);
      }
    }
  }
}

/* Flesh firm enough that nothing reaches the limit of what is shown. */
static int set_up(void **state) {
  Wobble *w = wobble_create("leg", 700, 1500, 8);
  SupError error;
  w->def.frequency = 4;
  if (sup_modes_train(&w->arena, &w->def, &w->model, &w->report, &error)) {
    fail_msg("%s", error.text);
  }
  w->view = sup_modes_view(w->model);
  sup_modes_init(&w->view, w->state);
  *state = w;
  return 0;
}

static int tear_down(void **state) {
  wobble_free(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(modes_of_a_modal_teacher, set_up, tear_down),
      cmocka_unit_test(fractions_are_told_or_left),
      cmocka_unit_test_setup_teardown(swings_are_held_back, set_up, tear_down),
      cmocka_unit_test_setup_teardown(noise_ends_at_skinning, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tests_teach_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nothing_is_learned_where_it_is_locked, set_up, tear_down),
      cmocka_unit_test_setup_teardown(same_bits_for_any_threads, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
