/* SPDX-License-Identifier: MIT */
/* Learning one set of helpers for several materials: planted ones are found again, and what lies
 * between them is met. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "planted.h"
#include "supple/author/builtin.h"
#include "supple/io/file.h"

enum { MOTIONS = 5 };
#define SOFT 28.0 /* radians per second */
#define FIRM 44.0

typedef struct World {
  SupArena arena;
  SupCharacter tube;
  SupHelpersMotion motions[MOTIONS]; /* two soft, two firm, poses of both */
  SupHelpersTrained trained;
  SupHelpersTrainReport report;
  SupCharacter with;
  SupModel *model;
} World;

static SupError error;

static SupHelpersTrainDef definition(World *w) {
  SupHelpersTrainDef def = sup_helpers_train_def(&w->tube);
  def.motion_count = MOTIONS;
  def.motions = w->motions;
  def.solver.helper_count = 1;
  def.material_count = 2;
  def.chains = SUP_HELPERS_NO_CHAINS;
  return def;
}

/* A pose every few frames of a motion that hardly swings. */
static SupHelpersMotion poses(World *w) {
  SupHelpersMotion m = planted_motion(&w->arena, &w->tube, 7, 1, 1000);
  m.still = true;
  m.material = SUP_HELPERS_EVERY;
  m.frame_count = 1;
  return m;
}

static void learn(World *w, bool mix_frequencies) {
  SupHelpersTrainDef def = definition(w);
  def.mix_frequencies = mix_frequencies;
  assert_int_equal(sup_helpers_train(&w->arena, &def, &w->trained, &w->report, &error), SUP_OK);
  assert_int_equal(sup_helpers_character(&w->arena, &w->tube, &w->trained, &w->with, &error),
                   SUP_OK);
  const SupHelpersMaterialDef materials[2] = {
      {"soft", w->trained.frequency_ratios[0], &w->trained.defs[0]},
      {"firm", w->trained.frequency_ratios[1], &w->trained.defs[1]}};
  assert_int_equal(sup_helpers_pack_materials(&w->arena, &w->with, 2, materials, &w->model, &error),
                   SUP_OK);
}

static int set_up(void **state) {
  World *w = calloc(1, sizeof *w);
  sup_arena_init(&w->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "tube", .vertices = SUP_BUILTIN_VERTICES_MIN};
  if (sup_builtin_character(&w->arena, &def, &w->tube, &error) != SUP_OK) return 1;
  for (uint32_t m = 0; m < 4; m++) {
    w->motions[m] = planted_motion(&w->arena, &w->tube, m % 2, 1, m < 2 ? SOFT : FIRM);
    w->motions[m].material = m / 2;
  }
  w->motions[4] = poses(w);
  *state = w;
  return 0;
}

static int tear_down(void **state) {
  World *w = *state;
  sup_arena_free(&w->arena);
  free(w);
  return 0;
}

/* On a motion that was not learned from, of flesh that swings at `rate`. */
static double wrong(World *w, float soft, double rate, SupHelpersLod lod) {
  const float fractions[2] = {soft, 1 - soft};
  const SupHelpersMotion motion = planted_motion(&w->arena, &w->tube, 5, 1, rate);
  const double error_is = planted_error(&w->arena, &w->with, w->model, fractions, &motion, lod);
  assert_true(error_is >= 0);
  return error_is;
}

static void both_are_learned(void **state) {
  World *w = *state;
  learn(w, false);
  assert_int_equal(w->report.material_count, 2);
  assert_int_equal(w->report.state_count, sup_helpers_view(w->model).bones[0].states);
  /* Each as itself, far better than as the other. */
  const double soft = wrong(w, 1, SOFT, SUP_HELPERS_FULL),
               firm = wrong(w, 0, FIRM, SUP_HELPERS_FULL);
  assert_true(soft < 0.5 * wrong(w, 1, SOFT, SUP_HELPERS_STATIC));
  assert_true(firm < 0.5 * wrong(w, 0, FIRM, SUP_HELPERS_STATIC));
  assert_true(soft < 0.5 * wrong(w, 0, SOFT, SUP_HELPERS_FULL));
  assert_true(firm < 0.35 * wrong(w, 1, FIRM, SUP_HELPERS_FULL));
  /* Half way lies what swings at the frequency between. */
  assert_true(w->report.ratio_kinds[0] == SUP_HELPERS_RATIO_FIRST);
  assert_true(w->report.ratio_kinds[1] == SUP_HELPERS_RATIO_FOUND);
  assert_true(w->report.likenesses[1] > 0.8 && w->report.likenesses[1] <= 1);
  assert_true(fabs(w->trained.frequency_ratios[1] / w->trained.frequency_ratios[0] - FIRM / SOFT) <
              0.1);
  const double between = sqrt(SOFT * FIRM), half = wrong(w, 0.5f, between, SUP_HELPERS_FULL);
  assert_true(half < 0.5 * wrong(w, 0.5f, between, SUP_HELPERS_STATIC));
  assert_true(half < 0.5 * wrong(w, 1, between, SUP_HELPERS_FULL));
  assert_true(half < 0.8 * wrong(w, 0, between, SUP_HELPERS_FULL));
}

/* The mean of two frequencies is not the frequency between: that is what tuning is for. */
static void mix_frequencies(void **state) {
  World *w = *state;
  learn(w, true);
  assert_true(w->trained.frequency_ratios[0] == 1 && w->trained.frequency_ratios[1] == 1);
  assert_true(w->report.ratio_kinds[1] == SUP_HELPERS_RATIO_MIXED);
  assert_true(w->report.frequency_ratios[1] == 1);
  const double between = sqrt(SOFT * FIRM), half = wrong(w, 0.5f, between, SUP_HELPERS_FULL);
  learn(w, false);
  assert_true(wrong(w, 0.5f, between, SUP_HELPERS_FULL) < 0.75 * half);
}

/* Materials that swing alike are found to do so; flesh that follows the pose alone does
 * not tell how fast it would swing. */
static void frequency_ratios_told(void **state) {
  World *w = *state;
  for (uint32_t m = 2; m < 4; m++) {
    w->motions[m] = planted_motion(&w->arena, &w->tube, m, 1, SOFT);
    w->motions[m].material = 1;
  }
  learn(w, false);
  assert_true(w->report.ratio_kinds[1] == SUP_HELPERS_RATIO_FOUND);
  assert_true(fabs(w->trained.frequency_ratios[1] - 1) < 0.05);
  for (uint32_t m = 2; m < 4; m++) {
    w->motions[m] = planted_deaf_motion(&w->arena, &w->tube, m, 1, FIRM, 0);
    w->motions[m].material = 1;
  }
  learn(w, false);
  assert_true(w->report.ratio_kinds[1] == SUP_HELPERS_RATIO_UNCLEAR);
  assert_true(w->trained.frequency_ratios[1] == 1 && w->report.frequency_ratios[1] == 1);
}

/* Links of a chain follow the parent that their own material has. */
static void chained(void **state) {
  World *w = *state;
  SupHelpersTrainDef def = definition(w);
  def.solver.helper_count = 2;
  def.chains = SUP_HELPERS_CHAINS_ALL;
  def.polish = def.rounds = 1;
  assert_int_equal(sup_helpers_train(&w->arena, &def, &w->trained, &w->report, &error), SUP_OK);
  assert_true(w->report.parents[1] == w->tube.skeleton.joint_count);
  assert_true(w->report.rmse < 0.5 * w->report.static_rmse);
  assert_true(w->report.material_rmses[0] < 0.5 * w->report.static_rmse);
}

/* A material without a clip, one that is not there, too many states. */
static void refusals(void **state) {
  World *w = *state;
  SupHelpersTrainDef def = definition(w);
  SupHelpersTrained trained;
  SupHelpersTrainReport report;
  def.material_count = 3;
  assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error),
                   SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "needs a clip"));
  assert_non_null(strstr(error.text, "material 3 of 3"));
  def.material_count = 1;
  assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error),
                   SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "has material 1"));
  def.material_count = 2;
  def.states = 30;
  assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error),
                   SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "order to 29"));
  def.each = true; /* 54 of a helper, whatever more is asked for */
  assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error),
                   SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "up to 54 states"));
  assert_non_null(strstr(error.text, "order to 4"));
  def.each = false;
  def.system = SUP_HELPERS_ARX; /* 6 lags + 6 (lags - 1) */
  def.lags = 4;
  assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error),
                   SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "up to 42 states"));
  assert_non_null(strstr(error.text, "lags to 2"));
  def.material_count = 9;
  assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error),
                   SUP_ERROR_ARGUMENT);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {TEST(both_are_learned), TEST(mix_frequencies),
                                     TEST(frequency_ratios_told), TEST(chained), TEST(refusals)};
  return cmocka_run_group_tests_name("helpers_materials", tests, NULL, NULL);
}
