/* SPDX-License-Identifier: MIT */
/* Correctives in a stack: alone, with modes, under a surface; gravity counts once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pose_law.h"
#include "supple/author/correctives_pack.h"
#include "supple/author/surface_pack.h"
#include "supple/stack.h"
#include "wobble.h"

static const SupVec3 gravity = {0, -9.81f, 0};

typedef struct Scene {
  Wobble *w; /* the character and its modes */
  SupModel *correctives, *heavy, *surface, *skin;
} Scene;

/* Random components: what they look like does not matter here. */
static SupModel *plant(Wobble *w, bool heavy) {
  enum { COMPONENTS = 5 };
  const uint32_t n = w->character.body.vertex_count;
  static const uint32_t drivers[2] = {1, 2}, bones[2] = {0, 2};
  SupRng rng = sup_rng(3, 3);
  SupCorrectivesDef def = sup_correctives_def();
  const uint32_t features = 1 + 18 + (heavy ? 6 : 0);
  SupVec3 *shapes = SUP_ALLOC(&w->arena, SupVec3, (size_t)COMPONENTS * n);
  double *matrix = SUP_ALLOC(&w->arena, double, COMPONENTS *features);
  float limits[2 * COMPONENTS];
  for (uint32_t i = 0; i < COMPONENTS * n; i++) {
    shapes[i] = (SupVec3){0.02f * sup_rng_float(&rng), 0.02f * sup_rng_float(&rng), 0};
  }
  for (uint32_t i = 0; i < COMPONENTS * features; i++) {
    matrix[i] = i % features ? sup_rng_double(&rng) - 0.5 : 0;
  }
  for (int k = 0; k < COMPONENTS; k++) limits[2 * k] = -3, limits[2 * k + 1] = 3;
  def.component_count = COMPONENTS;
  def.shapes = shapes;
  def.driver_count = 2;
  def.drivers = drivers;
  def.heavy_count = heavy ? 2 : 0;
  def.heavy = bones;
  def.matrix = matrix;
  def.limits = limits;
  SupModel *model;
  SupError error;
  if (sup_correctives_pack(&w->arena, &w->character, &def, &model, &error)) {
    fail_msg("%s", error.text);
  }
  return model;
}

static int set_up(void **state) {
  Scene *scene = calloc(1, sizeof *scene);
  SupError error;
  scene->w = wobble_create("leg", 700, 1500, 10);
  scene->correctives = plant(scene->w, false);
  scene->heavy = plant(scene->w, true);
  SupSurfaceDef def = sup_surface_def();
  def.values[SUP_SURFACE_BETA] = 0;
  assert_int_equal(
      sup_surface_pack(&scene->w->arena, &scene->w->character, &def, &scene->surface, &error),
      SUP_OK);
  assert_int_equal(
      sup_skin_model(&scene->w->arena, &scene->w->character, SUP_ORDER_BODY, &scene->skin, &error),
      SUP_OK);
  *state = scene;
  return 0;
}

static int tear_down(void **state) {
  Scene *scene = *state;
  wobble_free(scene->w);
  free(scene);
  return 0;
}

typedef struct Play {
  Wobble *w;
  SupStack stack;
  SupStackState *state;
  float *positions;
  SupExternalForces forces;
} Play;

static Play begin(Scene *scene, const SupModel *a, const SupModel *b, const SupModel *c,
                  bool heavy) {
  const SupModel *given[3] = {a, b, c};
  const SupModel **models = SUP_ALLOC(&scene->w->arena, const SupModel *, 3);
  Play play = {.w = scene->w};
  SupError error;
  SupStackDef def = sup_stack_def();
  for (int k = 0; k < 3; k++) {
    if (given[k]) models[def.model_count++] = given[k];
  }
  def.skeleton = &scene->w->character.skeleton;
  def.models = models;
  if (sup_stack_make(&def, &play.stack, &error)) fail_msg("%s", error.text);
  play.state =
      sup_stack_init(&play.stack, SUP_ALLOC(&play.w->arena, char, sup_stack_bytes(&play.stack)));
  play.positions = SUP_ALLOC(&play.w->arena, float, 3 * (size_t)play.stack.vertex_count);
  if (heavy) play.forces.acceleration = gravity;
  return play;
}

/* The pose that the random motion has at a time. */
static void frame(Play *play, double time, double dt) {
  wobble_palette(play->w, time, play->w->palette);
  const SupStackFrame now = {.dt = (float)dt,
                             .pose = &play->w->pose,
                             .forces = &play->forces,
                             .positions = {play->positions, 3}};
  sup_stack_step(&play->stack, play->state, play->w->backend, NULL, &now);
}

static float gap(const Play *a, const Play *b) {
  float most = 0;
  for (uint32_t i = 0; i < 3 * a->stack.vertex_count; i++) {
    most = fmaxf(most, fabsf(a->positions[i] - b->positions[i]));
  }
  return most;
}

/* The same morph targets, whether they are the skin's own or a layer over the modes' skin. */
static void layers_and_own_targets_agree(void **state) {
  Scene *scene = *state;
  Play alone = begin(scene, scene->correctives, NULL, NULL, false);
  Play both = begin(scene, scene->correctives, scene->w->model, NULL, false);
  Play plain = begin(scene, scene->skin, NULL, NULL, false);
  for (int i = 0; i < 5; i++) {
    const double time = 0.7 * i;
    sup_stack_reset(both.state); /* modes at rest */
    frame(&alone, time, 0);
    frame(&both, time, 0);
    frame(&plain, time, 0);
    assert_true(gap(&alone, &both) < 2e-6f);
    assert_true(gap(&alone, &plain) > 1e-3f);
  }
}

/* What modes add does not depend on the correctives below them. */
static void modes_swing_about_the_pose(void **state) {
  Scene *scene = *state;
  Play shape = begin(scene, scene->correctives, NULL, NULL, false);
  Play both = begin(scene, scene->w->model, scene->correctives, NULL, false);
  Play modes = begin(scene, scene->w->model, NULL, NULL, false);
  Play plain = begin(scene, scene->skin, NULL, NULL, false);
  float most = 0, size = 0;
  for (int i = 0; i < 120; i++) {
    frame(&shape, i / 60.0, i ? 1 / 60.0 : 0);
    frame(&both, i / 60.0, i ? 1 / 60.0 : 0);
    frame(&modes, i / 60.0, i ? 1 / 60.0 : 0);
    frame(&plain, i / 60.0, i ? 1 / 60.0 : 0);
    for (uint32_t k = 0; k < 3 * shape.stack.vertex_count; k++) {
      const float swing = modes.positions[k] - plain.positions[k];
      most = fmaxf(most, fabsf(both.positions[k] - shape.positions[k] - swing));
      size = fmaxf(size, fabsf(swing));
    }
  }
  assert_true(size > 1e-3f && most < 1e-4f * size + 2e-6f);
}

/* Held still under gravity for long: correctives that know gravity show it, and neither modes nor
 * a surface add to it; ones that do not leave it to the modes. */
static void gravity_counts_once(void **state) {
  Scene *scene = *state;
  Play alone = begin(scene, scene->heavy, NULL, NULL, true);
  Play modes = begin(scene, scene->heavy, scene->w->model, NULL, true);
  Play under = begin(scene, scene->heavy, scene->surface, NULL, true);
  Play all = begin(scene, scene->heavy, scene->w->model, scene->surface, true);
  Play light = begin(scene, scene->heavy, NULL, NULL, false);
  Play left = begin(scene, scene->correctives, scene->w->model, NULL, true);
  Play none = begin(scene, scene->correctives, scene->w->model, NULL, false);
  Play *plays[7] = {&alone, &modes, &under, &all, &light, &left, &none};
  for (int i = 0; i < 600; i++) {
    for (int k = 0; k < 7; k++) frame(plays[k], 1.3, i ? 1 / 60.0 : 0);
  }
  printf("gravity: %.2g m by correctives; modes add %.2g, surface %.2g, both %.2g\n",
         (double)gap(&alone, &light), (double)gap(&alone, &modes), (double)gap(&alone, &under),
         (double)gap(&alone, &all));
  assert_true(gap(&alone, &light) > 3e-3f);
  assert_true(gap(&alone, &modes) < 1e-5f);
  assert_true(gap(&alone, &under) < 1e-5f);
  assert_true(gap(&alone, &all) < 1e-5f);
  assert_true(gap(&left, &none) > 1e-3f);
}

/* Turned over at once: the correctives are in the new balance, the modes swing into it. */
static void turning_over_swings(void **state) {
  Scene *scene = *state;
  Play alone = begin(scene, scene->heavy, NULL, NULL, true);
  Play modes = begin(scene, scene->heavy, scene->w->model, NULL, true);
  float first = 0;
  for (int i = 0; i < 900; i++) {
    if (i == 60) {
      alone.forces.acceleration.y = modes.forces.acceleration.y = 9.81f;
    }
    frame(&alone, 0.4, i ? 1 / 60.0 : 0);
    frame(&modes, 0.4, i ? 1 / 60.0 : 0);
    if (i < 60) assert_true(gap(&alone, &modes) < 1e-5f);
    if (i == 60) first = gap(&alone, &modes);
  }
  printf("turned over: %.2g m at once, %.2g after 14 s\n", (double)first,
         (double)gap(&alone, &modes));
  assert_true(first > 1e-3f);
  assert_true(gap(&alone, &modes) < 0.02f * first);
}

static void other_skeletons_are_refused(void **state) {
  Scene *scene = *state;
  SupStack stack;
  SupError error;
  SupStackDef def = sup_stack_def();
  SupSkeleton fewer = scene->w->character.skeleton;
  const SupModel *models[1] = {scene->correctives};
  fewer.joint_count--;
  def.skeleton = &fewer;
  def.model_count = 1;
  def.models = models;
  assert_int_equal(sup_stack_make(&def, &stack, &error), SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "joints"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layers_and_own_targets_agree), cmocka_unit_test(modes_swing_about_the_pose),
      cmocka_unit_test(gravity_counts_once),          cmocka_unit_test(turning_over_swings),
      cmocka_unit_test(other_skeletons_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
