/* SPDX-License-Identifier: MIT */
/* Modes as helper joints: plain skinning stays, the error is what is said, more joints leave less.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/author/skin_pack.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"
#include "supple/train/modes_helpers.h"
#include "wobble.h"

static int make(void **state) {
  *state = wobble_create("mochi", 1200, 2000, 15);
  return 0;
}

static int unmake(void **state) {
  wobble_free(*state);
  return 0;
}

static SupModesHelpers find(Wobble *w, uint32_t count, const SupJobs *jobs) {
  SupModesHelpersDef def = sup_modes_helpers_def(&w->character, w->model);
  SupModesHelpers helpers;
  SupError error;
  def.count = count;
  def.jobs = jobs;
  if (sup_modes_helpers(&w->arena, &def, &helpers, &error)) fail_msg("%s", error.text);
  return helpers;
}

/* Skins the body by bones and helpers. */
static void skin_by_joints(Wobble *w, const SupModesHelpers *helpers, const SupAffine *palette,
                           const float *weights, float *out) {
  const uint32_t bones = helpers->bone_count, all = bones + helpers->count;
  SupCharacter character = w->character;
  SupSkinView skin;
  SupError error;
  SupAffine *both = SUP_ALLOC(&w->arena, SupAffine, all);
  uint32_t *joints = SUP_ALLOC(&w->arena, uint32_t, all);
  memcpy(both, palette, bones * sizeof *both);
  sup_modes_helpers_palette(helpers, palette, weights, both + bones);
  character.skin = helpers->skin;
  character.skeleton.bone_count = all;
  character.skeleton.bone_joints = joints;
  character.morph_count = 0;
  if (sup_skin_pack_character(&w->arena, &character, SUP_ORDER_BODY, &skin, &error)) {
    fail_msg("%s", error.text);
  }
  const SupSkinCall call = {.skin = &skin, .palette = both, .positions = {out, 3}};
  sup_skin_lbs(w->backend, NULL, &call);
}

/* The skin with the modes' weights, or without. */
static void skin_by_modes(Wobble *w, const SupAffine *palette, const float *weights, float *out) {
  const SupSkinCall call = {
      .skin = &w->view.skin, .palette = palette, .morph_weights = weights, .positions = {out, 3}};
  sup_skin_lbs(w->backend, NULL, &call);
}

static double distance(const Wobble *w, const float *a, const float *b) {
  double sum = 0;
  for (uint32_t i = 0; i < 3 * w->view.skin.vertex_count; i++) sum += pow((double)(a[i] - b[i]), 2);
  return sqrt(sum / w->view.skin.vertex_count);
}

/* Played: the error of every frame, in poses, against the modes themselves. */
static double played_error(Wobble *w, const SupModesHelpers *helpers, double *out_plain) {
  const size_t count = 3 * (size_t)w->view.skin.vertex_count;
  float *ours = SUP_ALLOC(&w->arena, float, count), *truth = SUP_ALLOC(&w->arena, float, count);
  float *plain = SUP_ALLOC(&w->arena, float, count);
  float none[15] = {0};
  double left = 0, all = 0;
  sup_modes_reset(w->state);
  for (int i = 0; i < 120; i++) {
    wobble_palette(w, i / 60.0, w->palette);
    sup_modes_step(&w->view, w->state, w->backend, 1.0f / 60, w->palette, NULL);
    sup_modes_weights(&w->view, w->state, INFINITY, 1, w->weights);
    if (i % 10) continue;
    skin_by_modes(w, w->palette, w->weights, truth);
    skin_by_modes(w, w->palette, NULL, plain);
    skin_by_joints(w, helpers, w->palette, w->weights, ours);
    left += pow(distance(w, ours, truth), 2);
    all += pow(distance(w, plain, truth), 2);
    skin_by_joints(w, helpers, w->palette, none, ours);
    *out_plain = fmax(*out_plain, distance(w, ours, plain));
  }
  return sqrt(left / all);
}

static void error_against_number(void **state) {
  Wobble *w = *state;
  const uint32_t counts[5] = {8, 16, 32, 64, 128};
  double last = 2;
  for (int k = 0; k < 5; k++) {
    const SupModesHelpers helpers = find(w, counts[k], NULL);
    double plain = 0;
    const double played = played_error(w, &helpers, &plain);
    printf(
        "%3u joints, at most %u influences: %.1f %% left, %.1f %% when played, plain skin to "
        "%.0e m\n",
        counts[k], helpers.skin.influence_max, 100 * helpers.error, 100 * played, plain);
    assert_true(helpers.error < last && plain < 2e-6);
    assert_true(fabs(played - helpers.error) < 0.02 + 0.2 * helpers.error);
    last = helpers.error;
  }
  assert_true(last < 0.2);
}

static void sound_weights(void **state) {
  Wobble *w = *state;
  const SupModesHelpers helpers = find(w, 32, NULL);
  uint32_t used = 0;
  for (uint32_t v = 0; v < helpers.skin.vertex_count; v++) {
    float sum = 0;
    uint32_t own = 0;
    for (uint32_t k = helpers.skin.offsets[v]; k < helpers.skin.offsets[v + 1]; k++) {
      assert_true(helpers.skin.weights[k] > 0 && helpers.skin.bones[k] < helpers.bone_count + 32);
      sum += helpers.skin.weights[k];
      own += helpers.skin.bones[k] >= helpers.bone_count;
    }
    assert_true(fabsf(sum - 1) < 1e-5f && own <= 4);
    used += own > 0;
  }
  assert_true(used > helpers.skin.vertex_count / 2);
}

static void same_bits(void **state) {
  Wobble *w = *state;
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  assert_non_null(pool);
  const SupJobs jobs = sup_pool_jobs(pool);
  const SupModesHelpers a = find(w, 16, NULL), b = find(w, 16, &jobs);
  assert_memory_equal(a.translations, b.translations, 16 * 15 * sizeof(SupVec3));
  const uint32_t count = a.skin.offsets[a.skin.vertex_count];
  assert_int_equal(count, b.skin.offsets[b.skin.vertex_count]);
  assert_memory_equal(a.skin.weights, b.skin.weights, count * sizeof(float));
  sup_pool_destroy(pool);
}

static void refused(void **state) {
  Wobble *w = *state;
  SupModesHelpersDef def = sup_modes_helpers_def(&w->character, w->model);
  SupModesHelpers helpers;
  SupError error;
  def.count = 0;
  assert_int_equal(sup_modes_helpers(&w->arena, &def, &helpers, &error), SUP_ERROR_ARGUMENT);
  def.count = 8;
  def.influences = 9;
  assert_int_equal(sup_modes_helpers(&w->arena, &def, &helpers, &error), SUP_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(error_against_number),
                                     cmocka_unit_test(sound_weights), cmocka_unit_test(same_bits),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, make, unmake);
}
