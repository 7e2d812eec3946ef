/* SPDX-License-Identifier: MIT */
/* What was learned from small, noisy motion does not fold the skin in a lively one. */
#include "lesson.h"
#include "supple/author/metrics.h"

enum { FRAMES = 50, LIVELY = 0, SMALL = 2, SEEDS = 3 };

static const SupVec3 *narrow(const Lesson *l) {
  const size_t count = (size_t)FRAMES * l->n;
  SupVec3 *out = SUP_ALLOC(l->arena, SupVec3, count);
  for (size_t i = 0; i < count; i++) out[i] = sup_vec3d_to_float(l->positions[i]);
  return out;
}

/* The fraction of the skin that a folds more than b, mean over frames. */
static double folded_area(const Lesson *a, const Lesson *b) {
  SupFoldedAreaReport report;
  const SupFoldedAreaDef def = {&b->tube.body, FRAMES, narrow(a), narrow(b), NULL};
  assert_int_equal(sup_folded_area(a->arena, &def, &report, NULL, NULL), SUP_OK);
  return (double)report.mean;
}

static double learn_and_play(const Lesson *noisy, const Lesson *lively, double smooth) {
  SupSurfaceTrainDef def = lesson_def(noisy);
  SupSurfaceTrainReport report;
  SupSurfaceMaps maps;
  SupModel *model;
  Lesson played;
  def.rotation_steps = 1;
  def.passes = 3;
  def.descents = 0;
  def.smooth = smooth;
  assert_int_equal(sup_surface_train(noisy->arena, &def, &maps, &model, &report, NULL), SUP_OK);
  lesson_play(lively, &maps, LIVELY, &played);
  return folded_area(&played, lively);
}

static void smoothness_guards(void **state) {
  (void)state;
  double little = 0, usual = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    SupArena arena = new_arena();
    Lesson noisy, lively;
    lesson_make(&arena, 24, 40, FRAMES, SMALL, SUP_SURFACE_UNDELAYED, &noisy);
    lesson_noise(&noisy, 0.1, seed);
    lesson_make(&arena, 24, 40, FRAMES, LIVELY, SUP_SURFACE_UNDELAYED, &lively);
    little += learn_and_play(&noisy, &lively, 0.1) / SEEDS;
    usual += learn_and_play(&noisy, &lively, sup_surface_train_def(&noisy.tube).smooth) / SEEDS;
    sup_arena_free(&arena);
  }
  print_message("folded area: %.2g %% with smoothness 0.1, %.2g %% by default\n", 100 * little,
                100 * usual);
  assert_true(usual < 3e-4);
  assert_true(little > 4 * usual);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(smoothness_guards)};
  return cmocka_run_group_tests_name("surface_folded_area", tests, NULL, NULL);
}
