/* SPDX-License-Identifier: MIT */
/* Learning controllers: a planted helper is found again, with its parent (MUK-T6). */
#include "check.h"

#include <string.h>

#include "planted.h"
#include "supple/author/builtin.h"
#include "supple/io/file.h"
#include "supple/train/helpers.h"

enum { MOTIONS = 2 };

typedef struct World {
  SupArena arena;
  SupCharacter tube;
  SupHelpersMotion motions[MOTIONS + 1];
} World;

static SupError error;

static int set_up(void **state) {
  World *w = calloc(1, sizeof *w);
  sup_arena_init(&w->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "tube", .vertices = SUP_BUILTIN_VERTICES_MIN};
  if (sup_builtin_character(&w->arena, &def, &w->tube, &error) != SUP_OK) return 1;
  for (uint32_t m = 0; m < MOTIONS; m++) {
    w->motions[m] = planted_motion(&w->arena, &w->tube, m, 1, 30);
  }
  w->motions[MOTIONS] = planted_motion(&w->arena, &w->tube, 5, 1.2, 30);
  *state = w;
  return 0;
}

static int tear_down(void **state) {
  World *w = *state;
  sup_arena_free(&w->arena);
  free(w);
  return 0;
}

static SupHelpersTrainDef definition(const World *w) {
  SupHelpersTrainDef def = sup_helpers_train_def(&w->tube);
  def.motion_count = MOTIONS;
  def.motions = w->motions;
  def.solver.helper_count = 1;
  return def;
}

/* Root mean square distance on a motion that was not learned from, of this level. */
static double unseen(World *w, const SupHelpersTrained *trained, SupHelpersLod lod) {
  SupCharacter with;
  SupModel *model;
  assert_int_equal(sup_helpers_character(&w->arena, &w->tube, trained, &with, &error), SUP_OK);
  assert_int_equal(sup_helpers_pack(&w->arena, &with, &trained->def, &model, &error), SUP_OK);
  return planted_error(&w->arena, &with, model, NULL, &w->motions[MOTIONS], lod);
}

static void planted_is_learned(void **state) {
  World *w = *state;
  SupHelpersTrainDef def = definition(w);
  SupHelpersTrained trained;
  SupHelpersTrainReport report;
  def.parents_tried = 0; /* all */
  assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error), SUP_OK);
  assert_int_equal(report.parents[0], w->tube.skeleton.joint_count - 1);
  assert_true(report.decomposed_rmse < 0.02 * report.plain_rmse);
  assert_true(report.static_rmse < 0.9 * report.plain_rmse);
  assert_true(report.rmse < 0.5 * report.static_rmse);
  assert_true(report.rmse < 0.25 * report.plain_rmse);
  assert_true(report.radius < 1 - 0.5e-3);
  const double full = unseen(w, &trained, SUP_HELPERS_FULL);
  assert_true(full < 0.5 * unseen(w, &trained, SUP_HELPERS_STATIC));
  assert_true(full < 0.35 * unseen(w, &trained, SUP_HELPERS_OFF));
  assert_true(report.cuts[0] == 1e9); /* as linear as it was planted */
  for (uint32_t o = 0; o < 6; o++) assert_true(report.ranges[o] <= report.bounds[o] * (1 + 1e-6));
}

/* Flesh that feels no push beyond some strength: the cut is found, and a motion that is twice as
 * strong as those that taught is met better than by a system that takes all pushes as they are. */
static void strong_pushes_say_less(void **state) {
  World *w = *state;
  const double most = 1e-3;
  double off[2];
  for (uint32_t m = 0; m < MOTIONS; m++) {
    w->motions[m] = planted_deaf_motion(&w->arena, &w->tube, m, 1, 30, most);
  }
  w->motions[MOTIONS] = planted_deaf_motion(&w->arena, &w->tube, 5, 2, 30, most);
  for (int never = 0; never < 2; never++) {
    SupHelpersTrainDef def = definition(w);
    SupHelpersTrained trained;
    SupHelpersTrainReport report;
    if (never) def.cut = 1e9;
    assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error), SUP_OK);
    assert_true(never ? report.cuts[0] == 1e9 : report.cuts[0] <= 1.5);
    off[never] = unseen(w, &trained, SUP_HELPERS_FULL);
  }
  assert_true(off[0] < 0.93 * off[1]);
}

/* Everything that can be asked for runs, is stable, and does not fall behind the pose alone. */
static void variants(void **state) {
  World *w = *state;
  for (int k = 0; k < 6; k++) {
    SupHelpersTrainDef def = definition(w);
    SupHelpersTrained trained;
    SupHelpersTrainReport report;
    def.polish = def.rounds = k == 0;
    if (k == 0) def.order = SUP_HELPERS_FRACTION;
    if (k == 1) def.order = SUP_HELPERS_BIC, def.states = 6;
    if (k == 2) def.system = SUP_HELPERS_LOW_RANK, def.beta = 100;
    if (k == 3) def.system = SUP_HELPERS_ARX;
    if (k == 4) def.each = true, def.states = 4;
    if (k == 5) def.drive = SUP_HELPERS_PUBLISHED;
    assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error), SUP_OK);
    assert_true(report.radius < 1);
    assert_true(report.rmse < 1.05 * report.static_rmse);
  }
}

static void threads_and_bad_input(void **state) {
  World *w = *state;
  SupHelpersTrainDef def = definition(w);
  SupHelpersTrained trained;
  SupHelpersTrainReport report;
  SupHelpersMotion still = w->motions[0];
  still.still = true;
  def.motion_count = 1;
  def.motions = &still;
  assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error),
                   SUP_ERROR_ARGUMENT);
  SupHelpersMotion uneven[2] = {w->motions[0], w->motions[1]};
  uneven[1].fps = 30;
  def.motion_count = 2;
  def.motions = uneven;
  assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error),
                   SUP_ERROR_ARGUMENT);
  for (uint32_t k = 0; k < 2; k++) {
    def = definition(w);
    def.states = k ? SUP_HELPERS_STATES + 1 : 0;
    assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error),
                     SUP_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "order"));
  }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {TEST(planted_is_learned), TEST(strong_pushes_say_less),
                                     TEST(variants), TEST(threads_and_bad_input)};
  return cmocka_run_group_tests_name("helpers_train", tests, NULL, NULL);
}
