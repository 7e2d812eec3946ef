/* SPDX-License-Identifier: MIT */
#include "sound_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleshwork.h"
#include "helpers/marionette.h"
#include "stack/breath.h"
#include "supple/author/modes_pack.h"
#include "supple/author/popping_pack.h"
#include "supple/author/surface_build.h"
#include "supple/helpers.h"
#include "supple/io/file.h"
#include "supple/stack.h"
#include "surface/tube.h"

enum { MOST = 256, PAIRS = 2, AXES = 2, PRODUCTS = 1 + AXES, MODES = 3, BONE_PAIRS = 3 };

typedef struct Flesh {
  SupArena arena;
  SupCharacter tube;
  Marionette marionette;
  Patchwork patchwork, sewn;
  SoundModel models[SOUND_MODELS];
} Flesh;

static void need(SupResult result, const SupError *error) {
  if (result == SUP_OK) return;
  fprintf(stderr, "%s\n", error->text);
  abort();
}

/* ---- Models -----------------------------------------------------------------------------------
 */

static SupModel *make_surface(Flesh *made) {
  SupError error = {{0}};
  SupSurfaceMaps maps;
  SupSurfaceBuildReport report;
  SupModel *model;
  const SupSurfaceBuildDef def = sup_surface_build_def();
  need(sup_surface_maps_create(&made->arena, made->tube.body.vertex_count, &maps, &error), &error);
  for (uint32_t v = 0; v < maps.vertex_count; v++) {
    maps.rows[SUP_SURFACE_GAMMA][v] = 0.1f;
    maps.rows[SUP_SURFACE_STOP][v] = 0.2f;
  }
  sup_surface_maps_split(&maps);
  need(sup_surface_build(&made->arena, &made->tube, &def, &maps, &model, &report, &error), &error);
  return model;
}

/* Two components over one joint, `heavy` bones, products of turns, and examples. */
static SupCorrectivesDef make_poses(uint32_t n, uint32_t heavy) {
  enum { FEATURES = 1 + 9 + 3 + PRODUCTS + PAIRS };
  static SupVec3 relaxed[PAIRS * MOST];
  static double matrix[2][PAIRS * FEATURES];
  static float centres[PAIRS * 10], limits[2 * PAIRS] = {-0.5f, 1.5f, -0.5f, 1.5f};
  static const uint32_t drivers[1] = {1}, axis_drivers[AXES] = {0, 0}, products[2] = {0, 1};
  static const SupCorrectivesAxis axes[AXES] = {{{1, 0.5f}, 0.25f, -1, 1}, {{0, 0, 1}, 0, -1, 1}};
  const uint32_t features = 1 + 9 + 3 * heavy + PRODUCTS + PAIRS;
  SupCorrectivesDef def = sup_correctives_def();
  for (uint32_t i = 0; i < PAIRS * n; i++) relaxed[i] = (SupVec3){0.01f, 0, 0};
  for (uint32_t k = 0; k < PAIRS; k++) {
    double *row = matrix[heavy] + k * features;
    row[0] = 0.5;
    for (uint32_t f = 10; f < features; f++) row[f] = f % 2 ? 0.5 : -0.25;
    centres[10 * k] = 1;
  }
  def.component_count = def.centre_count = PAIRS;
  def.shapes = relaxed;
  def.driver_count = 1;
  def.drivers = drivers;
  def.heavy_count = heavy;
  def.heavy = drivers;
  def.axis_count = AXES;
  def.axis_drivers = axis_drivers;
  def.axes = axes;
  def.pair_count = 1;
  def.pairs = products;
  def.centres = centres;
  def.matrix = matrix[heavy];
  def.limits = limits;
  return def;
}

static SupModel *make_correctives(Flesh *made) {
  const SupCorrectivesDef def = make_poses(made->tube.body.vertex_count, 1);
  SupError error = {{0}};
  SupModel *model;
  need(sup_correctives_pack(&made->arena, &made->tube, &def, &model, &error), &error);
  return model;
}

/* Two pairs of shapes, two muscles that tire. */
static SupModel *make_muscles(Flesh *made) {
  static SupVec3 bulges[PAIRS * MOST];
  static double keep[MOST], pull[MOST];
  static float masks[2 * MOST];
  const uint32_t n = made->tube.body.vertex_count;
  const SupPoppingMask groups[2] = {{"a", masks}, {"b", masks + n}};
  SupPoppingDef def = sup_popping_def();
  SupError error = {{0}};
  SupModel *model;
  for (uint32_t i = 0; i < PAIRS * n; i++) bulges[i] = (SupVec3){0, 0.02f, 0.01f * (float)(i % 3)};
  for (uint32_t v = 0; v < n; v++) {
    keep[v] = 0.7, pull[v] = 0.3;
    masks[v] = 0.5f, masks[n + v] = v % 2 ? 1.0f : 0.0f;
  }
  def.poses = make_poses(n, 0);
  def.times.fatigue = 2;
  def.bulges = bulges;
  def.keep = keep;
  def.pull = pull;
  def.group_count = 2;
  def.groups = groups;
  need(sup_popping_pack(&made->arena, &made->tube, &def, &model, &error), &error);
  return model;
}

/* Modes that bend, turn and are driven by both bones. */
static SupModel *make_modes(Flesh *made) {
  static SupVec3 shapes[MODES * MOST], turns[MODES * MOST];
  static double drive[12 * BONE_PAIRS * MODES];
  static const double stiffness[MODES] = {100, 400, 900}, decay[MODES] = {1, 2, 40};
  static const uint32_t pairs[2 * BONE_PAIRS] = {0, 0, 0, 1, 1, 1};
  const uint32_t n = made->tube.body.vertex_count;
  SupModesDef def = sup_modes_def();
  SupError error = {{0}};
  SupModel *model;
  for (uint32_t i = 0; i < MODES * n; i++) {
    shapes[i] = (SupVec3){0.1f, 0.02f * (float)(i % 5), i < n ? 0.1f : 0};
    turns[i] = (SupVec3){0, 0.1f, 0.01f * (float)(i % 3)};
  }
  for (uint32_t k = 0; k < 12 * BONE_PAIRS * MODES; k++) drive[k] = 0.02 - 0.01 * (k % 4);
  def.mode_count = MODES;
  def.shapes = shapes;
  def.turns = turns;
  def.stiffness = stiffness;
  def.decay = decay;
  def.pair_count = BONE_PAIRS;
  def.pairs = pairs;
  def.drive = drive;
  need(sup_modes_pack(&made->arena, &made->tube, &def, &model, &error), &error);
  return model;
}

/* Patches with residuals, open seams, points on edges and vertices that are kept off a joint. */
static SupModel *make_envelope(Flesh *made) {
  const PatchworkDef def = {.around = 2,
                            .along = 1,
                            .cells = 3,
                            .fields = 2,
                            .samples = 4,
                            .bare = 1,
                            .edge_points = true,
                            .revised = true,
                            .seed = 3};
  SupError error = {{0}};
  SupModel *model;
  if (!patchwork_make(&made->arena, &def, &made->patchwork)) abort();
  need(sup_envelope_pack(&made->arena, &made->patchwork.character, &made->patchwork.def, &model,
                         &error),
       &error);
  return model;
}

/* Limbs that end in every way beside ordinary chunks, bulges with every driver. */
static SupModel *make_chunks(Flesh *made) {
  const PatchworkDef plan = {
      .around = 2, .along = 4, .cells = 2, .bare = 1, .edge_points = true, .seed = 4};
  const FleshworkDef def = {"llol", 2, 3};
  Fleshwork flesh;
  SupError error = {{0}};
  SupModel *model;
  if (!patchwork_make(&made->arena, &plan, &made->sewn)) abort();
  if (!fleshwork_make(&made->arena, &plan, &made->sewn, &def, &flesh)) abort();
  need(sup_chunks_pack(&made->arena, &made->sewn.character, &flesh.def, &model, &error), &error);
  return model;
}

/* Of two materials, one of which swings twice as fast. */
static SupModel *make_blend(Flesh *made) {
  const Marionette *m = &made->marionette;
  const SupHelpersMaterialDef materials[2] = {{"soft", 1, &m->def}, {"firm", 2, &m->def}};
  SupError error = {{0}};
  SupModel *model;
  need(sup_helpers_pack_materials(&made->arena, &m->character, 2, materials, &model, &error),
       &error);
  return model;
}

const SoundModel *sound_models(void) {
  static Flesh made;
  if (made.models[0].model) return made.models;
  SupError error = {{0}};
  sup_arena_init(&made.arena, sup_heap_allocator(), 0);
  tube_make(&made.arena, 6, 5, NULL, &made.tube);
  if (made.tube.body.vertex_count > MOST) abort();
  if (!marionette_make(&made.arena, 3, 2, 4, &made.marionette)) abort();
  const SupSkeleton *tube = &made.tube.skeleton, *chain = &made.marionette.character.skeleton;
  const SoundModel models[SOUND_MODELS] = {
      {"surface", tube, make_surface(&made)},
      {"popping", tube, make_muscles(&made)},
      {"correctives", tube, make_correctives(&made)},
      {"modes", tube, make_modes(&made)},
      {"breath", tube, breath_pack(&made.arena, &made.tube, 2, 0.1f, (SupVec3){0, 0, 1}, &error)},
      {"twice", tube, twice_pack(&made.arena, &made.tube, &error)},
      {"helpers", chain, made.marionette.model},
      {"blend", chain, make_blend(&made)},
      {"envelope", &made.patchwork.character.skeleton, make_envelope(&made)},
      {"chunks", &made.sewn.character.skeleton, make_chunks(&made)}};
  for (int k = 0; k < SOUND_MODELS; k++) {
    if (!models[k].model) abort();
  }
  memcpy(made.models, models, sizeof models);
  return made.models;
}

/* ---- Playing ----------------------------------------------------------------------------------
 */

static bool all_finite(const float *numbers, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (!(numbers[k] - numbers[k] == 0)) return false;
  }
  return true;
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

/* One frame; out[6 * vertex_count] positions, then normals. */
static bool step_frame(const SupStack *stack, SupStackState *state, int step, float *out) {
  const SupSkeleton *skeleton = stack->def.skeleton;
  const size_t numbers = 3 * (size_t)stack->vertex_count;
  SupTransform joints[8];
  if (skeleton->joint_count > 8) abort();
  SupPose pose = {skeleton->joint_count, sup_transform_identity(), joints};
  memcpy(joints, skeleton->rest, skeleton->joint_count * sizeof *joints);
  pose.root.translation.x = 0.05f * (float)(step % 7);
  joints[1].rotation = sup_quat_from_axis_angle((SupVec3){0, 0, 1}, 0.1f * (float)(step % 5));
  const SupPoppingEvent event = {.group = step % 3 ? SUP_POPPING_ALL : 1,
                                 .strength = step % 20 < 10 ? 1 : 0,
                                 .length = step % 40 ? 0.1f : 0};
  const SupPoppingControls muscles = {step % 5 == 0, &event};
  const SupStackControl control = {SUP_POPPING_KIND, &muscles};
  const SupPull hand = {.vertex = 3, .target = {1, 1, 0}, .strength = 0.5f};
  const SupExternalForces forces = {
      .acceleration = {0, -9.81f, 0}, .pull_count = step % 2 ? 1 : 0, .pulls = &hand};
  const SupStackFrame frame = {.dt = step % 11 ? 1.0f / 60 : 0.04f,
                               .pose = &pose,
                               .forces = &forces,
                               .control_count = 1,
                               .controls = &control,
                               .positions = {out, 3},
                               .normals = {out + numbers, 3}};
  sup_stack_step(stack, state, sup_backend_cpu(), NULL, &frame);
  return all_finite(out, 2 * numbers);
}

bool sound_step(const SupSkeleton *skeleton, const SupModel *model, bool blended, int frames) {
  const SupAllocator heap = sup_heap_allocator();
  SupStack stack;
  SupStackDef def = sup_stack_def();
  SupError error = {{0}};
  def.skeleton = skeleton;
  def.model_count = 1;
  def.models = &model;
  def.techniques = breath_techniques();
  if (sup_stack_make(&def, &stack, &error)) {
    if (error.text[0] == 0) abort();
    return true;
  }
  const size_t bytes = sup_stack_bytes(&stack), out_bytes = 6 * sizeof(float) * stack.vertex_count;
  void *block = heap.allocate(heap.user, bytes);
  float *out = heap.allocate(heap.user, out_bytes);
  if (!block || !out) abort();
  SupStackState *state = sup_stack_init(&stack, block);
  if (blended) blend(heap, model, &stack, state);
  bool finite = true;
  for (int step = 0; finite && step < frames; step++) {
    finite = step_frame(&stack, state, step, out);
  }
  heap.release(heap.user, out, out_bytes);
  heap.release(heap.user, block, bytes);
  return finite;
}
