/* SPDX-License-Identifier: MIT */
/* Modes in a stack: frame rates, under a surface, far away, after a cut, threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/author/surface_pack.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"
#include "supple/stack.h"
#include "wobble.h"

typedef struct Play {
  Wobble *w;
  SupStack stack;
  SupStackState *state;
  SupPose pose;
  double time;
  float *positions; /* [3 * vertex_count] */
  const SupJobs *jobs;
  bool off;
  float level;
} Play;

static void pose_at(const Wobble *w, double time, SupPose *out_pose) {
  Wobble *mutable = (Wobble *)(uintptr_t)w;
  SupAffine unused[64];
  wobble_palette(mutable, time, unused);
  out_pose->root = w->pose.root;
  memcpy(out_pose->joints, w->pose.joints, w->pose.joint_count * sizeof(SupTransform));
}

static void pose_ago(void *user, float ago, SupPose *out_pose) {
  const Play *play = user;
  pose_at(play->w, play->time - (double)ago, out_pose);
}

static Play play_create(Wobble *w, const SupModel *const *models, uint32_t count) {
  Play play = {.w = w};
  SupError error;
  SupStackDef def = sup_stack_def();
  def.skeleton = &w->character.skeleton;
  def.model_count = count;
  def.models = models;
  if (sup_stack_make(&def, &play.stack, &error)) fail_msg("%s", error.text);
  play.state =
      sup_stack_init(&play.stack, SUP_ALLOC(&w->arena, char, sup_stack_bytes(&play.stack)));
  play.pose = (SupPose){w->pose.joint_count, sup_transform_identity(),
                        SUP_ALLOC(&w->arena, SupTransform, w->pose.joint_count)};
  play.positions = SUP_ALLOC(&w->arena, float, 3 * (size_t)play.stack.vertex_count);
  return play;
}

static void frame(Play *play, double dt) {
  play->time += dt;
  pose_at(play->w, play->time, &play->pose);
  const SupStackFrame now = {.dt = (float)dt,
                             .pose = &play->pose,
                             .pose_at = pose_ago,
                             .user = play,
                             .off = play->off,
                             .mode_level = play->level,
                             .positions = {play->positions, 3}};
  sup_stack_step(&play->stack, play->state, play->w->backend, play->jobs, &now);
}

/* From the start to `time`, at a rate. */
static void run(Play *play, double time, double fps) {
  sup_stack_reset(play->state);
  play->time = 0;
  frame(play, 0);
  for (int i = 1; i <= (int)(time * fps + 0.5); i++) frame(play, 1 / fps);
}

static float gap(const Play *play, const float *other) {
  float most = 0;
  for (uint32_t i = 0; i < 3 * play->stack.vertex_count; i++) {
    most = fmaxf(most, fabsf(play->positions[i] - other[i]));
  }
  return most;
}

static float *copy(const Play *play) {
  return SUP_COPY(&play->w->arena, float, play->positions, 3 * play->stack.vertex_count);
}

/* Plain skinning of the same instant. */
static float *skinned(Wobble *w, double time) {
  SupModel *skin;
  SupError error;
  assert_int_equal(sup_skin_model(&w->arena, &w->character, SUP_ORDER_BODY, &skin, &error), SUP_OK);
  const SupModel *models[1] = {skin};
  Play play = play_create(w, models, 1);
  play.time = time;
  frame(&play, 0);
  return play.positions;
}

static SupModel *soft_surface(Wobble *w) {
  SupSurfaceDef def = sup_surface_def();
  def.values[SUP_SURFACE_BETA] = 0; /* detail pulls skin out of bends, modes or not */
  SupModel *model;
  SupError error;
  if (sup_surface_pack(&w->arena, &w->character, &def, &model, &error)) fail_msg("%s", error.text);
  return model;
}

static void any_frame_rate(void **state) {
  Wobble *w = *state;
  const SupModel *models[1] = {w->model};
  Play play = play_create(w, models, 1);
  const double rates[5] = {15, 30, 60, 144, 1000};
  run(&play, 2, 480);
  float *truth = copy(&play);
  const float size = gap(&play, skinned(w, 2));
  for (int k = 0; k < 5; k++) {
    run(&play, 2, rates[k]);
    printf("%4g frames a second: %.2f %% of the offset\n", rates[k],
           100 * (double)(gap(&play, truth) / size));
    assert_true(gap(&play, truth) < 0.02f * size);
  }
  assert_true(size > 1e-3f);
}

/* The surface follows what the modes do and adds nothing of its own. */
static void under_a_surface(void **state) {
  Wobble *w = *state;
  SupModel *surface = soft_surface(w);
  const SupModel *alone[1] = {w->model}, *both[2] = {surface, w->model}, *other[1] = {surface};
  Play modes = play_create(w, alone, 1), pair = play_create(w, both, 2);
  Play flesh = play_create(w, other, 1);
  run(&modes, 2, 60);
  run(&pair, 2, 60);
  run(&flesh, 2, 60);
  const float *plain = skinned(w, 2);
  const float size = gap(&modes, plain);
  printf("under a surface: %.1f %% of the offset; the surface alone moves %.0f %%\n",
         100 * (double)(gap(&pair, modes.positions) / size),
         100 * (double)(gap(&flesh, plain) / size));
  assert_true(gap(&pair, modes.positions) < 0.1f * size);
  assert_true(gap(&flesh, plain) > 0.1f * size);
}

static void far_away_and_back(void **state) {
  Wobble *w = *state;
  const SupModel *models[1] = {w->model};
  Play play = play_create(w, models, 1);
  run(&play, 2, 60);
  const float size = gap(&play, skinned(w, 2));
  play.off = true;
  for (int i = 0; i < 30; i++) frame(&play, 1.0 / 60);
  assert_true(gap(&play, skinned(w, play.time)) == 0);
  play.off = false;
  frame(&play, 1.0 / 60);
  assert_true(gap(&play, skinned(w, play.time)) < 0.05f * size);
  for (int i = 0; i < 60; i++) frame(&play, 1.0 / 60);
  assert_true(gap(&play, skinned(w, play.time)) > 0.05f * size);
  /* Fewer modes, down to almost none. */
  play.level = 1e-6f;
  frame(&play, 1.0 / 60);
  assert_true(gap(&play, skinned(w, play.time)) < 1e-4f * size);
}

/* After a cut there is no jerk: one frame later flesh has hardly moved. */
static void after_a_cut(void **state) {
  Wobble *w = *state;
  const SupModel *models[1] = {w->model};
  Play play = play_create(w, models, 1);
  run(&play, 2, 60);
  const float size = gap(&play, skinned(w, 2));
  play.time = 37;
  sup_stack_reset(play.state);
  for (int i = 0; i < 3; i++) {
    frame(&play, 1.0 / 60);
    const float offset = gap(&play, skinned(w, play.time));
    printf("frame %d after a cut: %.1f %%\n", i, 100 * (double)(offset / size));
    assert_true(offset < 0.15f * size);
  }
}

static void same_bits(void **state) {
  Wobble *w = *state;
  SupModel *surface = soft_surface(w);
  const SupModel *models[2] = {w->model, surface};
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  assert_non_null(pool);
  const SupJobs jobs = sup_pool_jobs(pool);
  const SupBackend *list[8], *best = w->backend;
  const uint32_t count = sup_backend_list(list, 8);
  uint64_t hash = 0;
  for (uint32_t k = 0; k < 2 * count; k++) {
    Play play = play_create(w, models, 2);
    play.jobs = k % 2 ? &jobs : NULL;
    w->backend = list[k / 2];
    run(&play, 0.5, 50);
    const uint64_t own = sup_hash(play.positions, 12 * (size_t)play.stack.vertex_count, 0);
    assert_true(k == 0 || own == hash);
    hash = own;
  }
  w->backend = best;
  sup_pool_destroy(pool);
}

/* What does not belong together is refused with a sentence. */
static void strangers(void **state) {
  Wobble *w = *state;
  SupError error = {{0}};
  SupStack stack;
  SupModel *copied = soft_surface(w);
  const SupModel *twice[2] = {w->model, w->model}, *mixed[2] = {w->model, copied};
  SupStackDef def = sup_stack_def();
  def.skeleton = &w->character.skeleton;
  def.model_count = 2;
  def.models = twice;
  assert_int_not_equal(sup_stack_make(&def, &stack, &error), SUP_OK);
  assert_non_null(strstr(error.text, "two modes"));
  /* The first and the last vertex change places in the surface's order. */
  uint32_t *order =
      (uint32_t *)(uintptr_t)sup_model_section(copied, SUP_SECTION_SKIN_ORDER, 4, NULL);
  const uint32_t first = order[0];
  order[0] = order[20], order[20] = first;
  def.models = mixed;
  assert_int_not_equal(sup_stack_make(&def, &stack, &error), SUP_OK);
  assert_non_null(strstr(error.text, "order"));
}

static int make(void **state) {
  *state = wobble_create("mochi", 600, 1500, 15);
  return 0;
}

static int unmake(void **state) {
  wobble_free(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_frame_rate),    cmocka_unit_test(under_a_surface),
      cmocka_unit_test(far_away_and_back), cmocka_unit_test(after_a_cut),
      cmocka_unit_test(same_bits),         cmocka_unit_test(strangers)};
  return cmocka_run_group_tests(tests, make, unmake);
}
