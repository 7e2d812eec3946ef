/* SPDX-License-Identifier: MIT */
/* Modes in a stack: frame rates, under a surface, far away, after a cut, threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/author/surface_pack.h"
#include "supple/geom/measure.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"
#include "supple/modes.h"
#include "supple/stack.h"
#include "wobble.h"

typedef struct Play {
  Wobble *w;
  SupStack stack;
  SupStackState *state;
  SupPose pose;
  double time;
  float *positions; /* [3 * vertex_count] */
  float *normals;   /* the same, or NULL: not wanted */
  const SupJobs *jobs;
  bool off;
  float lod;
  bool still;                      /* the body does not move */
  const SupExternalForces *forces; /* or NULL */
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

static Play play_coupled(Wobble *w, const SupModel *const *models, uint32_t count, float fraction) {
  Play play = {.w = w};
  SupError error;
  SupStackDef def = sup_stack_def();
  def.skeleton = &w->character.skeleton;
  def.model_count = count;
  def.models = models;
  def.back_coupling = fraction;
  if (sup_stack_make(&def, &play.stack, &error)) fail_msg("%s", error.text);
  play.state =
      sup_stack_init(&play.stack, SUP_ALLOC(&w->arena, char, sup_stack_bytes(&play.stack)));
  play.pose = (SupPose){w->pose.joint_count, sup_transform_identity(),
                        SUP_ALLOC(&w->arena, SupTransform, w->pose.joint_count)};
  play.positions = SUP_ALLOC(&w->arena, float, 3 * (size_t)play.stack.vertex_count);
  return play;
}

static Play play_create(Wobble *w, const SupModel *const *models, uint32_t count) {
  return play_coupled(w, models, count, 0);
}

static void frame(Play *play, double dt) {
  play->time += dt;
  pose_at(play->w, play->still ? 0 : play->time, &play->pose);
  const SupModesControls shown = {play->lod};
  const SupStackControl control = {SUP_MODES_KIND, &shown};
  const SupStackFrame now = {.dt = (float)dt,
                             .pose = &play->pose,
                             .pose_at = play->still ? NULL : pose_ago,
                             .user = play,
                             .forces = play->forces,
                             .off = play->off,
                             .control_count = 1,
                             .controls = &control,
                             .positions = {play->positions, 3},
                             .normals = {play->normals, 3}};
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

static const SupModesState *modes_of(const Play *play) {
  return (
      const SupModesState *)(const void *)((const char *)play->state +
                                           sup_stack_layer(&play->stack, SUP_MODES_KIND)->state);
}

/* Twice the energy of the modes. */
static double energy(const Play *play) {
  const SupModesState *state = modes_of(play);
  const SupModesView *view = (const SupModesView *)sup_stack_view(&play->stack, SUP_MODES_KIND);
  const float *q = (const float *)(const void *)((const char *)state + state->q);
  const float *v = (const float *)(const void *)((const char *)state + state->v);
  double sum = 0;
  for (uint32_t k = 0; k < view->mode_count; k++) {
    const double omega = 2 * SUP_PI * play->w->report.frequencies[k];
    sum += pow((double)v[k], 2) + pow(omega * (double)q[k], 2);
  }
  return sum;
}

/* A pull at the skin of a body that stands still: the modes feel it only where they are coupled,
 * stay bounded while it lasts and come to rest after it. */
static void pushed_back(void **state) {
  Wobble *w = *state;
  SupModel *surface = soft_surface(w);
  const SupModel *both[2] = {surface, w->model};
  const float fractions[3] = {0, 0.25f, 1};
  double most[3] = {0, 0, 0}, left[3];
  for (int s = 0; s < 3; s++) {
    Play play = play_coupled(w, both, 2, fractions[s]);
    play.still = true;
    frame(&play, 0);
    frame(&play, 1.0 / 60);
    const uint32_t vertex = w->report.worst_vertex;
    const SupVec3 home = {play.positions[3 * vertex], play.positions[3 * vertex + 1],
                          play.positions[3 * vertex + 2]};
    SupPull pull = {vertex, home, 0.5f};
    SupExternalForces forces = {.pull_count = 1, .pulls = &pull};
    SupRng rng = sup_rng(3, 4);
    play.forces = &forces;
    for (int i = 0; i < 3000; i++) { /* a hand that jerks about, near resonance for a while */
      const float swing = i < 600 ? sinf(0.105f * (float)i) : 2 * sup_rng_float(&rng) - 1;
      pull.target = sup_vec3_add(home, (SupVec3){0, 0, 0.1f * swing});
      frame(&play, 1.0 / 60);
      most[s] = fmax(most[s], energy(&play));
    }
    play.forces = NULL;
    for (int i = 0; i < 3000; i++) frame(&play, 1.0 / 60);
    left[s] = energy(&play);
  }
  printf(
      "energy of the modes under a pull: %.1e uncoupled, %.1e at a quarter, %.1e fully; "
      "a minute later %.0e\n",
      most[0], most[1], most[2], left[2]);
  assert_true(most[0] == 0 && left[0] == 0);
  assert_true(most[1] > 0 && most[2] > most[1]);
  /* Four times the fraction, sixteen times the energy: nothing comes back to feed on itself. */
  assert_true(fabs(most[2] / most[1] - 16) < 4);
  assert_true(left[1] < 1e-6 * most[1] && left[2] < 1e-6 * most[2]);
}

/* Without anything that pushes the surface the coupling says nothing. */
static void coupled_but_alone(void **state) {
  Wobble *w = *state;
  SupModel *surface = soft_surface(w);
  const SupModel *both[2] = {surface, w->model}, *alone[1] = {w->model};
  Play plain = play_coupled(w, both, 2, 0), coupled = play_coupled(w, both, 2, 1);
  Play modes = play_create(w, alone, 1);
  run(&plain, 2, 60);
  run(&coupled, 2, 60);
  run(&modes, 2, 60);
  const float size = gap(&modes, skinned(w, 2));
  printf("coupled and left alone: %.2f %% of the offset\n",
         100 * (double)(gap(&coupled, plain.positions) / size));
  assert_true(gap(&coupled, plain.positions) < 0.1f * size);
  SupStackDef def = coupled.stack.def;
  SupStack stack;
  SupError error;
  def.back_coupling = 1.5f;
  assert_int_equal(sup_stack_make(&def, &stack, &error), SUP_ERROR_ARGUMENT);
}

/* Mean angle between a stack's normals and those of the triangles that it shows, radians. */
static double normals_off(const Play *play, const float *normals) {
  const SupMesh *body = &play->w->character.body;
  SupMesh shown = *body;
  shown.positions = (const SupVec3 *)(const void *)play->positions;
  SupVec3 *truth = SUP_ALLOC(&play->w->arena, SupVec3, body->vertex_count);
  double sum = 0;
  sup_vertex_normals(&shown, truth);
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    const SupVec3 n = {normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]};
    assert_true(fabsf(sup_vec3_length(n) - 1) < 1e-4f);
    sum += acos(fmin(1, (double)sup_vec3_dot(n, truth[v])));
  }
  return sum / body->vertex_count;
}

/* Normals follow what the modes do, with and without a surface above them. */
static void normals_follow(void **state) {
  Wobble *w = *state;
  const double amplitude = w->amplitude;
  w->amplitude = 3;
  SupModel *surface = soft_surface(w), *skin;
  SupError error;
  assert_int_equal(sup_skin_model(&w->arena, &w->character, SUP_ORDER_BODY, &skin, &error), SUP_OK);
  const SupModel *alone[1] = {w->model}, *both[2] = {surface, w->model}, *none[1] = {skin};
  Play plays[3] = {play_create(w, alone, 1), play_create(w, both, 2), play_create(w, none, 1)};
  for (int k = 0; k < 3; k++) {
    plays[k].normals = SUP_ALLOC(&w->arena, float, 3 * (size_t)plays[k].stack.vertex_count);
    run(&plays[k], 1.5, 60);
  }
  const double floor = normals_off(&plays[2], plays[2].normals); /* of plain skinning itself */
  const double before = normals_off(&plays[0], plays[2].normals);
  const double alone_off = normals_off(&plays[0], plays[0].normals);
  const double both_off = normals_off(&plays[1], plays[1].normals);
  printf(
      "normals off by %.2f degrees if they stayed behind, %.2f following, %.2f under a surface; "
      "%.2f in plain skinning\n",
      before * 180 / SUP_PI, alone_off * 180 / SUP_PI, both_off * 180 / SUP_PI,
      floor * 180 / SUP_PI);
  assert_true(before > 2 * floor);
  assert_true(alone_off < 1.1 * floor && both_off < 1.1 * floor);
  w->amplitude = amplitude;
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
  play.lod = 1e-6f;
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
    Play play = play_coupled(w, models, 2, 0.5f);
    const SupPull pull = {w->report.worst_vertex, {0, 0.5f, 0.5f}, 0.1f};
    const SupExternalForces forces = {.pull_count = 1, .pulls = &pull};
    play.forces = &forces;
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_frame_rate),    cmocka_unit_test(under_a_surface),
      cmocka_unit_test(pushed_back),       cmocka_unit_test(normals_follow),
      cmocka_unit_test(coupled_but_alone), cmocka_unit_test(far_away_and_back),
      cmocka_unit_test(after_a_cut),       cmocka_unit_test(same_bits),
      cmocka_unit_test(strangers)};
  return cmocka_run_group_tests(tests, wobble_make, wobble_unmake);
}
