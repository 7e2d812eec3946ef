/* SPDX-License-Identifier: MIT */
/*
 * Model blocks from any bytes with the checksum repaired; what passes the check is stepped.
 *
 * Random bytes hardly ever become a model of a technique. So sound ones are made first, a surface,
 * muscles, helpers and a blend of them, and the input is also read as a list of changes to them:
 * eight bytes each, where and what.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caches/toy_model.h"
#include "helpers/marionette.h"
#include "stack/breath.h"
#include "supple/author/popping_pack.h"
#include "supple/author/surface_build.h"
#include "supple/correctives.h"
#include "supple/helpers.h"
#include "supple/io/file.h"
#include "supple/stack.h"
#include "surface/tube.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void seal(SupModel *model, size_t bytes) {
  if (bytes >= sizeof *model && model->bytes >= sizeof *model && model->bytes <= bytes) {
    sup_model_seal(model);
  }
}

/* ---- Toys -------------------------------------------------------------------------------------
 */

static void step_toy(SupAllocator heap, const uint8_t *data, size_t bytes) {
  SupModel *model = heap.allocate(heap.user, bytes);
  if (!model) return;
  if (bytes) memcpy(model, data, bytes);
  SupError error = {{0}};
  sup_model_check(model, bytes, toy_techniques, &error);
  seal(model, bytes);
  SupResult result = sup_model_check(model, bytes, toy_techniques, &error);
  if (result != SUP_OK && error.text[0] == 0) abort();
  float sum = 0;
  for (int step = 0; result == SUP_OK && step < 100; step++) sum += toy_step(model);
  if (sum != sum) abort();
  heap.release(heap.user, model, bytes);
}

/* ---- Flesh ------------------------------------------------------------------------------------
 */

/* Sound models and their character, made once. */
typedef struct Flesh {
  SupArena arena;
  SupCharacter tube;
  const SupModel *model, *muscles;
  const SupModel *breath, *twice; /* of techniques that the library does not know */
  Marionette marionette;
  const SupModel *blend; /* the marionette of two materials */
} Flesh;

/* Two pairs of shapes, two muscles. */
static SupModel *make_muscles(Flesh *made) {
  enum { MOST = 256, PAIRS = 2, AXES = 2, FEATURES = 1 + 9 + 1 + AXES + PAIRS };
  static SupVec3 relaxed[PAIRS * MOST], bulges[PAIRS * MOST];
  static double keep[MOST], pull[MOST], matrix[PAIRS * FEATURES];
  static float masks[2 * MOST], centres[PAIRS * 10], limits[2 * PAIRS] = {-0.5f, 1.5f, -0.5f, 1.5f};
  static const uint32_t drivers[1] = {1}, axis_drivers[AXES] = {0, 0}, products[2] = {0, 1};
  static const SupCorrectivesAxis axes[AXES] = {{{1, 0.5f}, 0.25f, -1, 1}, {{0, 0, 1}, 0, -1, 1}};
  const uint32_t n = made->tube.body.vertex_count;
  const SupPoppingMask groups[2] = {{"a", masks}, {"b", masks + n}};
  SupPoppingDef def = sup_popping_def();
  SupError error = {{0}};
  SupModel *model;
  if (n > MOST) abort();
  for (uint32_t i = 0; i < PAIRS * n; i++) {
    relaxed[i] = (SupVec3){0.01f, 0, 0};
    bulges[i] = (SupVec3){0, 0.02f, 0.01f * (float)(i % 3)};
  }
  for (uint32_t v = 0; v < n; v++) {
    keep[v] = 0.7, pull[v] = 0.3;
    masks[v] = 0.5f, masks[n + v] = v % 2 ? 1 : 0;
  }
  for (uint32_t k = 0; k < PAIRS; k++) {
    matrix[k * FEATURES] = 0.5;
    for (uint32_t f = 10; f < FEATURES; f++) matrix[k * FEATURES + f] = f % 2 ? 0.5 : -0.25;
    centres[10 * k] = 1;
  }
  def.poses.component_count = def.poses.centre_count = PAIRS;
  def.poses.shapes = relaxed;
  def.poses.driver_count = 1;
  def.poses.drivers = drivers;
  def.poses.axis_count = AXES;
  def.poses.axis_drivers = axis_drivers;
  def.poses.axes = axes;
  def.poses.pair_count = 1;
  def.poses.pairs = products;
  def.poses.centres = centres;
  def.poses.matrix = matrix;
  def.poses.limits = limits;
  def.bulges = bulges;
  def.keep = keep;
  def.pull = pull;
  def.group_count = 2;
  def.groups = groups;
  if (sup_popping_pack(&made->arena, &made->tube, &def, &model, &error)) {
    fprintf(stderr, "%s\n", error.text);
    abort();
  }
  return model;
}

/* Of two materials, one of which swings twice as fast. */
static SupModel *make_blend(Flesh *made) {
  const Marionette *m = &made->marionette;
  const SupHelpersMaterialDef materials[2] = {{"soft", 1, &m->def}, {"firm", 2, &m->def}};
  SupError error = {{0}};
  SupModel *model;
  if (sup_helpers_pack_materials(&made->arena, &m->character, 2, materials, &model, &error)) {
    fprintf(stderr, "%s\n", error.text);
    abort();
  }
  return model;
}

static const Flesh *flesh(void) {
  static Flesh made;
  if (made.model) return &made;
  SupError error = {{0}};
  SupSurfaceMaps maps;
  SupSurfaceBuildReport report;
  SupModel *model;
  const SupSurfaceBuildDef def = sup_surface_build_def();
  sup_arena_init(&made.arena, sup_heap_allocator(), 0);
  tube_make(&made.arena, 6, 5, NULL, &made.tube);
  if (sup_surface_maps_create(&made.arena, made.tube.body.vertex_count, &maps, &error)) abort();
  for (uint32_t v = 0; v < maps.vertex_count; v++) {
    maps.rows[SUP_SURFACE_GAMMA][v] = 0.1f;
    maps.rows[SUP_SURFACE_STOP][v] = 0.2f;
  }
  sup_surface_maps_split(&maps);
  if (sup_surface_build(&made.arena, &made.tube, &def, &maps, &model, &report, &error)) {
    fprintf(stderr, "%s\n", error.text);
    abort();
  }
  made.model = model;
  made.muscles = make_muscles(&made);
  if (!marionette_make(&made.arena, 3, 2, 4, &made.marionette)) abort();
  made.blend = make_blend(&made);
  made.breath = breath_pack(&made.arena, &made.tube, 2, 0.1f, (SupVec3){0, 0, 1}, &error);
  made.twice = twice_pack(&made.arena, &made.tube, &error);
  if (!made.breath || !made.twice) abort();
  return &made;
}

static void check_finite(const float *numbers, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (!(numbers[k] - numbers[k] == 0)) abort();
  }
}

/* What is refused leaves a sentence. */
static void blend(SupAllocator heap, const SupModel *model, const SupStack *stack,
                  SupStackState *state) {
  const float half[SUP_HELPERS_MATERIALS] = {0.5f, 0.5f};
  const SupHelpersView view = sup_helpers_view(model);
  SupArena arena;
  SupError error = {{0}};
  sup_arena_init(&arena, heap, 0);
  if (sup_helpers_blend(&arena, &view, sup_stack_state_of(stack, state, SUP_HELPERS_KIND), half,
                        &error) != SUP_OK &&
      error.text[0] == 0) {
    abort();
  }
  sup_arena_free(&arena);
}

static void step_stack(SupAllocator heap, const SupSkeleton *skeleton, const SupModel *model,
                       bool blended) {
  SupStack stack;
  SupStackDef def = sup_stack_def();
  SupError error = {{0}};
  def.skeleton = skeleton;
  def.model_count = 1;
  def.models = &model;
  def.techniques = breath_techniques();
  if (sup_stack_make(&def, &stack, &error)) {
    if (error.text[0] == 0) abort();
    return;
  }
  const size_t numbers = 3 * (size_t)stack.vertex_count;
  const size_t bytes = sup_stack_bytes(&stack), out_bytes = 2 * numbers * sizeof(float);
  void *block = heap.allocate(heap.user, bytes);
  float *out = heap.allocate(heap.user, out_bytes);
  if (!block || !out) abort();
  SupStackState *state = sup_stack_init(&stack, block);
  if (blended) blend(heap, model, &stack, state);
  SupTransform joints[8];
  const uint32_t count = skeleton->joint_count;
  if (count > 8) abort();
  SupPose pose = {count, sup_transform_identity(), joints};
  for (int step = 0; step < 100; step++) {
    memcpy(joints, skeleton->rest, count * sizeof *joints);
    pose.root.translation.x = 0.05f * (float)(step % 7);
    const SupPoppingEvent event = {.group = step % 3 ? SUP_POPPING_ALL : 1,
                                   .strength = step % 20 < 10 ? 1 : 0,
                                   .length = step % 40 ? 0.1f : 0};
    const SupPoppingControls muscles = {step % 5 == 0, &event};
    const SupStackControl control = {SUP_POPPING_KIND, &muscles};
    const SupStackFrame frame = {.dt = step % 11 ? 1.0f / 60 : 0.04f,
                                 .pose = &pose,
                                 .control_count = 1,
                                 .controls = &control,
                                 .positions = {out, 3},
                                 .normals = {out + numbers, 3}};
    sup_stack_step(&stack, state, sup_backend_cpu(), NULL, &frame);
    check_finite(out, 2 * numbers);
  }
  heap.release(heap.user, out, out_bytes);
  heap.release(heap.user, block, bytes);
}

/* Blended, then at another frame rate. What was refused leaves a sentence, and what was not a model
 * that passes the check. */
static void step_blend(SupAllocator heap, const SupSkeleton *skeleton, const SupModel *model) {
  SupArena arena;
  SupError error = {{0}};
  SupModel *other;
  if (model->kind != SUP_HELPERS_KIND) return;
  if (sup_helpers_view(model).material_count != 2) return;
  sup_arena_init(&arena, heap, 0);
  step_stack(heap, skeleton, model, true);
  if (sup_helpers_convert(&arena, model, 1.0f / 48, &other, &error) == SUP_OK) {
    if (sup_model_check(other, (size_t)other->bytes, NULL, &error) != SUP_OK) abort();
    step_stack(heap, skeleton, other, true);
  } else if (error.text[0] == 0) {
    abort();
  }
  sup_arena_free(&arena);
}

static void step_changed(SupAllocator heap, const SupSkeleton *skeleton, const SupModel *sound,
                         const uint8_t *data, size_t bytes) {
  const size_t size = (size_t)sound->bytes;
  SupModel *model = heap.allocate(heap.user, size);
  if (!model) return;
  memcpy(model, sound, size);
  for (; bytes >= 8; data += 8, bytes -= 8) {
    uint32_t where;
    memcpy(&where, data, 4);
    memcpy((char *)model + 4 * (where % (size / 4)), data + 4, 4);
  }
  SupError error = {{0}};
  seal(model, size);
  SupResult result = sup_model_check(model, size, breath_techniques(), &error);
  if (result != SUP_OK && error.text[0] == 0) abort();
  if (result == SUP_OK) step_stack(heap, skeleton, model, false);
  if (result == SUP_OK) step_blend(heap, skeleton, model);
  heap.release(heap.user, model, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  SupAllocator heap = sup_heap_allocator();
  step_toy(heap, data, bytes);
  const Flesh *sound = flesh();
  step_changed(heap, &sound->tube.skeleton, sound->model, data, bytes);
  step_changed(heap, &sound->tube.skeleton, sound->muscles, data, bytes);
  step_changed(heap, &sound->tube.skeleton, sound->breath, data, bytes);
  step_changed(heap, &sound->tube.skeleton, sound->twice, data, bytes);
  const Marionette *m = &sound->marionette;
  step_changed(heap, &m->character.skeleton, m->model, data, bytes);
  step_changed(heap, &m->character.skeleton, sound->blend, data, bytes);
  return 0;
}
