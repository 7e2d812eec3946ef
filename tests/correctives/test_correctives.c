/* SPDX-License-Identifier: MIT */
/* Correctives: planted laws are found again, slow parts of motion, limits, damaged models. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pose_law.h"
#include "supple/author/correctives_pack.h"
#include "supple/author/model_pack.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

static SupModel *learn(Lesson *l, const SupCorrectivesTrainDef *def,
                       SupCorrectivesTrainReport *report) {
  SupModel *model;
  SupError error;
  if (sup_correctives_train(&l->arena, def, &model, report, &error)) fail_msg("%s", error.text);
  return model;
}

static SupCorrectivesTrainDef taught_by(const Lesson *l, const SupCorrectivesExample *example) {
  SupCorrectivesTrainDef def = sup_correctives_train_def(&l->character);
  def.example_count = 1;
  def.examples = example;
  return def;
}

static void planted_law_is_found(void **state) {
  (void)state;
  Lesson *l = lesson_create("leg", 700);
  const SupCorrectivesExample examples = lesson_examples(l, 60, 0.7);
  SupCorrectivesTrainDef def = taught_by(l, &examples);
  SupCorrectivesTrainReport report;
  def.fraction = 1e-4;
  const SupModel *model = learn(l, &def, &report);
  const double error = lesson_error(l, model, 20, 0.7);
  printf("planted: %.4f left in new poses, %.4f said of ones left out, %u components\n", error,
         report.left_out, report.component_count);
  assert_true(error < 0.01);
  assert_true(report.left_out < 0.02);
  /* Few components cost what the report says. */
  def.component_count = 2;
  model = learn(l, &def, &report);
  const double few = lesson_error(l, model, 20, 0.7);
  printf("two components: %.3f left, %.3f said to be lost\n", few, report.lost);
  assert_true(few > 5 * error && fabs(few - report.lost) < 0.5 * few);
  lesson_free(l);
}

static void rest_stays_rest(void **state) {
  (void)state;
  Lesson *l = lesson_create("leg", 600);
  const SupCorrectivesExample examples = lesson_examples(l, 40, 0.7);
  SupCorrectivesTrainDef def = taught_by(l, &examples);
  SupCorrectivesTrainReport report;
  const SupModel *model = learn(l, &def, &report);
  const uint32_t n = l->character.body.vertex_count;
  SupVec3 *shown = SUP_ALLOC(&l->arena, SupVec3, n);
  sup_pose_rest(&l->character.skeleton, &l->pose);
  lesson_show(l, model, shown);
  for (uint32_t v = 0; v < n; v++) {
    assert_true(sup_vec3_distance(shown[v], l->character.body.positions[v]) < 1e-6f);
  }
  lesson_free(l);
}

/* A slow motion, all joints about all axes. */
static void slow_pose(Lesson *l, double t) {
  sup_pose_rest(&l->character.skeleton, &l->pose);
  for (uint32_t j = 1; j < l->pose.joint_count; j++) {
    const SupVec3 turn = {(float)(0.6 * sin(0.9 * t + j)), (float)(0.6 * sin(0.7 * t + 2.0 * j)),
                          (float)(0.6 * sin(0.5 * t + 3.0 * j))};
    l->pose.joints[j].rotation =
        sup_quat_mul(sup_quat_normalise(l->pose.joints[j].rotation), sup_quat_exp(turn));
  }
  lesson_shape(l);
}

static float swing(double t) { return 0.03f * (float)sin(2 * SUP_PI * 3 * t); }

/* RMS(model - law) / RMS(swing) along the motion. */
static double slow_error(Lesson *l, const SupModel *model) {
  const uint32_t n = l->character.body.vertex_count;
  SupVec3 *shown = SUP_ALLOC(&l->arena, SupVec3, n);
  double above = 0, below = 0;
  for (int i = 0; i < 50; i++) {
    slow_pose(l, 1 + 0.2537 * i);
    lesson_show(l, model, shown);
    for (uint32_t v = 0; v < n; v++) {
      above += pow((double)sup_vec3_distance(shown[v], l->positions[v]), 2);
      below += pow((double)swing(1 + 0.2537 * i), 2);
    }
  }
  return sqrt(above / below);
}

/* Flesh that swings at 3 Hz about what the pose says: the swing must not be learned. */
static void slow_part_of_a_motion(void **state) {
  (void)state;
  Lesson *l = lesson_create("leg", 600);
  const uint32_t frames = 900, joints = l->character.skeleton.joint_count,
                 n = l->character.body.vertex_count;
  SupTransform *poses = SUP_ALLOC(&l->arena, SupTransform, frames * joints);
  SupVec3 *positions = SUP_ALLOC(&l->arena, SupVec3, (size_t)frames * n);
  for (uint32_t i = 0; i < frames; i++) {
    slow_pose(l, i / 60.0);
    memcpy(poses + (size_t)i * joints, l->pose.joints, joints * sizeof *poses);
    for (uint32_t v = 0; v < n; v++) {
      l->positions[v].x += swing(i / 60.0);
      positions[(size_t)i * n + v] = l->positions[v];
    }
  }
  SupCorrectivesExample motion = {.samples = {.fps = 60,
                                              .frame_count = frames,
                                              .vertex_count = n,
                                              .order = SUP_ORDER_BODY,
                                              .positions = positions,
                                              .joint_count = joints,
                                              .poses = poses},
                                  .moving = true};
  SupCorrectivesTrainDef def = taught_by(l, &motion);
  SupCorrectivesTrainReport report;
  const double slow = slow_error(l, learn(l, &def, &report));
  /* Taken as poses, the frames of half a second: the swing is mistaken for shape. */
  motion.moving = false;
  motion.samples.frame_count = 30;
  const double fast = slow_error(l, learn(l, &def, &report));
  printf("from a swinging clip: %.3f of the swing is learned, %.3f as poses\n", slow, fast);
  assert_true(slow < 0.1 && fast > 5 * slow);
  lesson_free(l);
}

/* A law that is not linear: examples to interpolate between help. */
static void centres_bend_the_map(void **state) {
  (void)state;
  Lesson *l = lesson_create("tube", 600);
  l->bend = 0.3f;
  l->round = 3;
  const SupCorrectivesExample examples = lesson_examples(l, 80, 0.9);
  SupCorrectivesTrainDef def = taught_by(l, &examples);
  SupCorrectivesTrainReport report;
  const double straight = lesson_error(l, learn(l, &def, &report), 20, 0.9);
  def.centre_count = 60;
  const double bent = lesson_error(l, learn(l, &def, &report), 20, 0.9);
  printf("a square law: %.3f left, %.3f with 60 centres\n", straight, bent);
  assert_true(bent < 0.7 * straight);
  lesson_free(l);
}

/* What two neighbouring joints do together. */
static void products_of_neighbours(void **state) {
  (void)state;
  Lesson *l = lesson_create("leg", 700);
  l->bend = 0.2f;
  l->pair = 1;
  const SupCorrectivesExample examples = lesson_examples(l, 120, 0.7);
  SupCorrectivesTrainDef def = taught_by(l, &examples);
  SupCorrectivesTrainReport report;
  const double products = lesson_error(l, learn(l, &def, &report), 40, 0.7);
  assert_true(report.product_count > 0 && report.product_count < 60);
  def.products = 0;
  const double straight = lesson_error(l, learn(l, &def, &report), 40, 0.7);
  printf("a law of two joints: %.3f left, %.3f with products\n", straight, products);
  assert_int_equal(report.product_count, 0);
  assert_true(products < 0.4 * straight);
  lesson_free(l);
}

/* Models from before there were products have fewer counts and sections. */
static void earlier_models_are_read(void **state) {
  (void)state;
  Lesson *l = lesson_create("leg", 600);
  const SupCorrectivesExample examples = lesson_examples(l, 30, 0.5);
  SupCorrectivesTrainDef def = taught_by(l, &examples);
  SupCorrectivesTrainReport report;
  SupError error;
  def.products = 0;
  const SupModel *model = learn(l, &def, &report);
  const SupModelSection *sections = (const SupModelSection *)(const void *)(model + 1);
  SupModelPart parts[64];
  SupModelDef old = {.kind = model->kind, .version = 1, .h = model->h, .mesh = model->mesh};
  for (uint32_t k = 0; k < model->section_count; k++) {
    const uint32_t id = sections[k].id;
    if (id == SUP_SECTION_CORRECTIVES_AXIS_DRIVERS || id == SUP_SECTION_CORRECTIVES_AXES ||
        id == SUP_SECTION_CORRECTIVES_PAIRS) {
      continue;
    }
    const uint64_t count = id == SUP_SECTION_CORRECTIVES_COUNTS ? 6 : sections[k].count;
    parts[old.part_count++] =
        (SupModelPart){id, sections[k].item_bytes, count, (const char *)model + sections[k].offset};
  }
  old.parts = parts;
  SupModel *then;
  if (sup_model_pack(&l->arena, &old, &then, &error)) fail_msg("%s", error.text);
  const SupCorrectivesView now = sup_correctives_view(model), before = sup_correctives_view(then);
  assert_int_equal(before.axis_count + before.pair_count, 0);
  assert_int_equal(sup_correctives_features(&before), sup_correctives_features(&now));
  const uint32_t n = l->character.body.vertex_count;
  SupVec3 *a = SUP_ALLOC(&l->arena, SupVec3, n), *b = SUP_ALLOC(&l->arena, SupVec3, n);
  lesson_random_pose(l, 0.5);
  lesson_show(l, model, a);
  lesson_show(l, then, b);
  assert_memory_equal(a, b, n * sizeof *a);
  lesson_free(l);
}

/* However wild the pose, weights stay near what was seen. */
static void weights_have_limits(void **state) {
  (void)state;
  Lesson *l = lesson_create("leg", 600);
  const SupCorrectivesExample examples = lesson_examples(l, 40, 0.3);
  SupCorrectivesTrainDef def = taught_by(l, &examples);
  SupCorrectivesTrainReport report;
  const SupModel *model = learn(l, &def, &report);
  const SupCorrectivesView view = sup_correctives_view(model);
  float *features = SUP_ALLOC(&l->arena, float, sup_correctives_features(&view));
  float weights[64];
  for (int round = 0; round < 200; round++) {
    lesson_random_pose(l, 10);
    for (uint32_t j = 0; j < l->pose.joint_count; j++) {
      l->pose.joints[j].rotation.w *= (float)round; /* not of unit length either */
    }
    sup_correctives_read(&view, &l->pose, l->palette, l->gravity, features);
    sup_correctives_weights(&view, features, weights);
    for (uint32_t k = 0; k < view.component_count; k++) {
      assert_true(weights[k] >= view.limits[2 * k] && weights[k] <= view.limits[2 * k + 1]);
      assert_true(fabsf(weights[k]) <= 1.51f);
    }
  }
  features[1] = NAN;
  sup_correctives_weights(&view, features, weights);
  assert_true(isfinite(weights[0]));
  lesson_free(l);
}

static void packs_and_unpacks(void **state) {
  (void)state;
  Lesson *l = lesson_create("leg", 600);
  const SupCorrectivesExample examples = lesson_examples(l, 30, 0.5);
  SupCorrectivesTrainDef def = taught_by(l, &examples);
  SupCorrectivesTrainReport report;
  SupCorrectivesDef parts;
  SupModel *again;
  SupError error;
  def.centre_count = 5;
  const SupModel *model = learn(l, &def, &report);
  assert_int_equal(sup_correctives_unpack(&l->arena, model, &parts, &error), SUP_OK);
  assert_int_equal(sup_correctives_pack(&l->arena, &l->character, &parts, &again, &error), SUP_OK);
  assert_int_equal(model->bytes, again->bytes);
  assert_memory_equal(model, again, (size_t)model->bytes);
  /* The same bits with threads. */
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 4);
  const SupJobs jobs = sup_pool_jobs(pool);
  def.jobs = &jobs;
  const SupModel *threaded = learn(l, &def, &report);
  assert_memory_equal(model, threaded, (size_t)model->bytes);
  sup_pool_destroy(pool);
  lesson_free(l);
}

/* Every number and index that a step would trust is looked at. */
static void damaged_models_are_refused(void **state) {
  (void)state;
  Lesson *l = lesson_create("leg", 600);
  const SupCorrectivesExample examples = lesson_examples(l, 30, 0.5);
  SupCorrectivesTrainDef def = taught_by(l, &examples);
  SupCorrectivesTrainReport report;
  SupError error;
  def.centre_count = 3;
  const SupModel *model = learn(l, &def, &report);
  const SupCorrectivesView view = sup_correctives_view(model);
  const struct {
    const void *at;
    uint32_t value;
  } harms[] = {
      {view.drivers, view.joint_count},
      {view.drivers + 1, view.drivers[0]},
      {view.rest, 0x7f800000u},
      {view.matrix + 3, 0x7fc00000u},
      {view.centres + 2, 0x7f800000u},
      {view.limits, 0x42c80000u /* 100 */},
      {view.limits + 1, 0xff800000u},
      {view.skin.order, view.skin.vertex_count},
      {view.axis_drivers, view.driver_count},
      {view.axis_drivers + view.axis_count - 1, 0},
      {view.axes[1].factors + 8, 0x7f800000u},
      {&view.axes[0].rest, 0x42c80000u},
      {&view.axes[0].high, 0x7fc00000u},
      {view.pairs, view.pairs[1]},
      {view.pairs + 1, view.axis_count},
  };
  SupModel *copy = SUP_ALLOC(&l->arena, SupModel, 1 + (size_t)model->bytes / sizeof *copy);
  for (size_t k = 0; k < sizeof harms / sizeof *harms; k++) {
    memcpy(copy, model, (size_t)model->bytes);
    const size_t at = (size_t)((const char *)harms[k].at - (const char *)model);
    memcpy((char *)copy + at, &harms[k].value, 4);
    sup_model_seal(copy);
    assert_int_equal(sup_model_check(copy, (size_t)copy->bytes, NULL, &error), SUP_ERROR_FORMAT);
  }
  uint64_t count;
  const uint32_t *counts = sup_model_section(model, SUP_SECTION_CORRECTIVES_COUNTS, 4, &count);
  for (uint64_t k = 0; k < count; k++) {
    for (uint32_t value = 0; value < 3; value++) {
      const uint32_t wrong = value == 0 ? UINT32_MAX : value == 1 ? 1u << 31 : counts[k] + 1;
      if (k == 2) continue; /* joints of the skeleton: more of them harm nobody */
      memcpy(copy, model, (size_t)model->bytes);
      memcpy((char *)copy + ((const char *)(counts + k) - (const char *)model), &wrong, 4);
      sup_model_seal(copy);
      assert_int_not_equal(sup_model_check(copy, (size_t)copy->bytes, NULL, &error), SUP_OK);
    }
  }
  lesson_free(l);
}

static void says_what_is_missing(void **state) {
  (void)state;
  Lesson *l = lesson_create("leg", 600);
  SupCorrectivesExample examples = lesson_examples(l, 5, 0);
  SupCorrectivesTrainDef def = sup_correctives_train_def(&l->character);
  SupCorrectivesTrainReport report;
  SupModel *model;
  SupError error;
  assert_int_equal(sup_correctives_train(&l->arena, &def, &model, &report, &error),
                   SUP_ERROR_ARGUMENT);
  def.example_count = 1;
  def.examples = &examples; /* nothing turns */
  assert_int_equal(sup_correctives_train(&l->arena, &def, &model, &report, &error),
                   SUP_ERROR_ARGUMENT);
  ((SupVec3 *)(uintptr_t)examples.samples.positions)[7].y = NAN;
  assert_int_equal(sup_correctives_train(&l->arena, &def, &model, &report, &error),
                   SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "vertex 7"));
  lesson_free(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_law_is_found),       cmocka_unit_test(rest_stays_rest),
      cmocka_unit_test(slow_part_of_a_motion),      cmocka_unit_test(centres_bend_the_map),
      cmocka_unit_test(products_of_neighbours),     cmocka_unit_test(earlier_models_are_read),
      cmocka_unit_test(weights_have_limits),        cmocka_unit_test(packs_and_unpacks),
      cmocka_unit_test(damaged_models_are_refused), cmocka_unit_test(says_what_is_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
