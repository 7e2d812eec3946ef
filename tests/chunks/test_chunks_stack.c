/* SPDX-License-Identifier: MIT */
/* Chunks as a stack's goal: under modes, under a surface, with threads; what is refused. */
#include <math.h>

#include "fleshed.h"
#include "stack/breath.h"
#include "supple/author/correctives_pack.h"
#include "supple/author/envelope_pack.h"
#include "supple/author/modes_pack.h"
#include "supple/author/surface_pack.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"
#include "supple/stack.h"

typedef struct Play {
  Fleshed *fleshed;
  SupStack stack;
  SupStackState *state;
  float *positions, *normals; /* [3 * count] */
} Play;

static Play play_begin(Fleshed *f, uint32_t count, const SupModel *const *models) {
  Play play = {.fleshed = f};
  SupError error = {{0}};
  SupStackDef def = sup_stack_def();
  def.skeleton = &f->character.skeleton;
  def.model_count = count;
  def.models = SUP_COPY(&f->arena, const SupModel *, models, count);
  def.techniques = breath_techniques();
  if (sup_stack_make(&def, &play.stack, &error)) fail_msg("%s", error.text);
  play.state =
      sup_stack_init(&play.stack, sup_arena_alloc(&f->arena, sup_stack_bytes(&play.stack), 1));
  play.positions = SUP_ALLOC(&f->arena, float, 3 * (size_t)f->count);
  play.normals = SUP_ALLOC(&f->arena, float, 3 * (size_t)f->count);
  return play;
}

typedef struct Moment {
  float dt, bend, twist;
  const SupChunksControls *controls;
  const SupJobs *jobs;
} Moment;

static void play_frame(Play *play, Moment m) {
  SupTransform joints[PATCHWORK_JOINTS];
  const SupPose pose = fleshed_pose(play->fleshed, fleshed_root(1), m.bend, m.twist, joints);
  const SupStackControl control = {SUP_CHUNKS_KIND, m.controls};
  const SupStackFrame frame = {.dt = m.dt,
                               .pose = &pose,
                               .control_count = m.controls ? 1 : 0,
                               .controls = &control,
                               .positions = {play->positions, 3},
                               .normals = {play->normals, 3}};
  sup_stack_step(&play->stack, play->state, sup_backend_cpu(), m.jobs, &frame);
}

static void shape(Fleshed *f, Moment m, SupVec3 *out) {
  SupTransform joints[PATCHWORK_JOINTS];
  const SupPose pose = fleshed_pose(f, fleshed_root(1), m.bend, m.twist, joints);
  fleshed_shape(f, &pose, m.controls, out);
}

static double gap(const Fleshed *f, const float *a, const float *b) {
  double most = 0;
  for (uint32_t i = 0; i < 3 * f->count; i++) most = fmax(most, fabs((double)a[i] - (double)b[i]));
  return most;
}

static void the_goal_is_shown(void **unused) {
  Fleshed *f = fleshed_create();
  const SupModel *models[] = {f->model};
  Play play = play_begin(f, 1, models);
  SupVec3 *wanted = fleshed_room(f);
  float *heights = SUP_ALLOC(&f->arena, float, f->view.bulge_count);
  for (uint32_t b = 0; b < f->view.bulge_count; b++) heights[b] = 0.02f * (float)b;
  const SupChunksControls controls = {.bulge_heights = heights};
  (void)unused;
  for (int i = 0; i < 6; i++) {
    const Moment m = {1.0f / 60, 0.25f * (float)i, -0.1f * (float)i, i % 2 ? &controls : NULL,
                      NULL};
    play_frame(&play, m);
    shape(f, m, wanted);
    assert_memory_equal(play.positions, wanted, f->count * sizeof *wanted);
  }
  fleshed_free(f);
}

/* Normals turn with the triangles that are shown. */
static void normals_follow_the_shape(void **unused) {
  Fleshed *f = fleshed_create();
  const SupModel *models[] = {f->model};
  Play play = play_begin(f, 1, models);
  const SupMesh *body = &f->character.body;
  SupVec3 *sums = fleshed_room(f);
  (void)unused;
  play_frame(&play, (Moment){0, 0.6f, 0.4f, NULL, NULL});
  const SupVec3 *x = (const SupVec3 *)(const void *)play.positions;
  const SupVec3 *normals = (const SupVec3 *)(const void *)play.normals;
  for (uint32_t t = 0; t < body->triangle_count; t++) {
    const uint32_t *c = body->triangles + 3 * (size_t)t;
    const SupVec3 n =
        sup_vec3_cross(sup_vec3_sub(x[c[1]], x[c[0]]), sup_vec3_sub(x[c[2]], x[c[0]]));
    for (int k = 0; k < 3; k++) sums[c[k]] = sup_vec3_add(sums[c[k]], n);
  }
  double off = 0;
  for (uint32_t v = 0; v < f->count; v++) {
    assert_true(fabsf(sup_vec3_length(normals[v]) - 1) < 1e-5f);
    off += (double)sup_vec3_distance(normals[v], sup_vec3_normalise(sums[v])) / f->count;
  }
  print_message("normals: %.3g from those of the triangles\n", off);
  assert_true(off < 0.1);
  fleshed_free(f);
}

/* Goal = C + [skin(X + u) - skin(X)]. */
static void offsets_are_those_of_skinning(void **unused) {
  Fleshed *f = fleshed_create();
  SupError error = {{0}};
  const SupModel *breath =
      breath_pack(&f->arena, &f->character, 2, 0.1f, (SupVec3){0.5f, 0.25f, 1}, &error);
  assert_non_null(breath);
  const SupModel *both[] = {breath, f->model}, *alone[] = {breath};
  SupModel *skin;
  assert_int_equal(sup_skin_model(&f->arena, &f->character, SUP_ORDER_BODY, &skin, &error), SUP_OK);
  const SupModel *plain[] = {skin};
  Play over = play_begin(f, 2, both), skinned = play_begin(f, 1, alone);
  Play rest = play_begin(f, 1, plain);
  SupVec3 *own = fleshed_room(f);
  double most = 0, moved = 0;
  (void)unused;
  for (int i = 0; i < 20; i++) {
    const Moment m = {i ? 0.03f : 0, 0.07f * (float)i, 0.3f, NULL, NULL};
    play_frame(&over, m);
    play_frame(&skinned, m);
    play_frame(&rest, m);
    shape(f, m, own);
    for (uint32_t k = 0; k < 3 * f->count; k++) {
      const float by = skinned.positions[k] - rest.positions[k];
      most = fmax(most, fabs((double)over.positions[k] - (double)((&own[0].x)[k] + by)));
      moved = fmax(moved, fabs((double)by));
    }
  }
  assert_true(most < 2e-6 && moved > 0.05);
  fleshed_free(f);
}

static SupModel *make_surface(Fleshed *f) {
  SupSurfaceDef def = sup_surface_def();
  SupError error = {{0}};
  SupModel *model;
  for (int k = 0; k < 5; k++) def.values[k] = 0; /* no detail, no volume: any goal will do */
  def.values[SUP_SURFACE_ALPHA] = 0.3f;
  def.values[SUP_SURFACE_DELTA] = 0.3f;
  if (sup_surface_pack(&f->arena, &f->character, &def, &model, &error)) {
    fail_msg("%s", error.text);
  }
  return model;
}

static SupModel *make_modes(Fleshed *f) {
  enum { MODES = 2 };
  static double drive[12 * MODES];
  static const double stiffness[MODES] = {400, 900}, decay[MODES] = {4, 6};
  static const uint32_t pairs[2] = {1, 1};
  SupVec3 *shapes = SUP_ALLOC(&f->arena, SupVec3, MODES * f->count);
  SupModesDef def = sup_modes_def();
  SupError error = {{0}};
  SupModel *model;
  for (uint32_t i = 0; i < MODES * f->count; i++) {
    shapes[i] = (SupVec3){0.1f, 0.05f, i % 2 ? 0.1f : 0};
  }
  for (int k = 0; k < 12 * MODES; k++) drive[k] = 6 - 3 * (k % 4);
  def.mode_count = MODES;
  def.shapes = shapes;
  def.stiffness = stiffness;
  def.decay = decay;
  def.pair_count = 1;
  def.pairs = pairs;
  def.drive = drive;
  if (sup_modes_pack(&f->arena, &f->character, &def, &model, &error)) fail_msg("%s", error.text);
  return model;
}

/* Under a surface and modes: flesh lags and swings, then comes to rest on the chunks' shape. */
static void flesh_follows_the_shape(void **unused) {
  Fleshed *f = fleshed_create();
  const SupModel *models[] = {make_surface(f), make_modes(f), f->model};
  Play play = play_begin(f, 3, models);
  SupVec3 *goal = fleshed_room(f);
  double lag = 0;
  (void)unused;
  for (int i = 0; i < 30; i++) {
    const Moment m = {1.0f / 60, 0.05f * (float)i, 0, NULL, NULL};
    play_frame(&play, m);
    shape(f, m, goal);
    lag = fmax(lag, gap(f, play.positions, &goal[0].x));
  }
  const Moment still = {1.0f / 60, 0.9f, 0.3f, NULL, NULL};
  for (int i = 0; i < 300; i++) play_frame(&play, still);
  shape(f, still, goal);
  print_message("lag %.3f, at rest %.2g\n", lag, gap(f, play.positions, &goal[0].x));
  assert_true(lag > 0.01 && lag < 1 && gap(f, play.positions, &goal[0].x) < 1e-4);
  fleshed_free(f);
}

static void threads_change_nothing(void **unused) {
  Fleshed *f = fleshed_create();
  const SupModel *models[] = {make_surface(f), f->model};
  Play one = play_begin(f, 2, models), many = play_begin(f, 2, models);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 4);
  const SupJobs jobs = sup_pool_jobs(pool);
  (void)unused;
  for (int i = 0; i < 10; i++) {
    Moment m = {0.02f, 0.1f * (float)i, 0.05f * (float)i, NULL, NULL};
    play_frame(&one, m);
    m.jobs = &jobs;
    play_frame(&many, m);
    assert_memory_equal(one.positions, many.positions, 3 * f->count * sizeof(float));
    assert_memory_equal(one.normals, many.normals, 3 * f->count * sizeof(float));
  }
  sup_pool_destroy(pool);
  fleshed_free(f);
}

/* ---- Refusals ---------------------------------------------------------------------------------
 */

static SupModel *make_correctives(Fleshed *f) {
  static const uint32_t drivers[1] = {1};
  static const float limits[2] = {-1, 1};
  static double matrix[10];
  SupCorrectivesDef def = sup_correctives_def();
  SupError error = {{0}};
  SupModel *model;
  SupVec3 *shapes = fleshed_room(f);
  for (uint32_t v = 0; v < f->count; v++) shapes[v].x = 0.1f;
  def.component_count = 1;
  def.shapes = shapes;
  def.driver_count = 1;
  def.drivers = drivers;
  def.matrix = matrix;
  def.limits = limits;
  if (sup_correctives_pack(&f->arena, &f->character, &def, &model, &error)) {
    fail_msg("%s", error.text);
  }
  return model;
}

static void assert_refused(Fleshed *f, SupStackDef *def, uint32_t count,
                           const SupModel *const *models, const char *words) {
  SupStack stack;
  SupError error = {{0}};
  def->skeleton = &f->character.skeleton;
  def->model_count = count;
  def->models = models;
  assert_int_not_equal(sup_stack_make(def, &stack, &error), SUP_OK);
  if (!strstr(error.text, words)) fail_msg("\"%s\" is not in: %s", words, error.text);
}

static void refusals(void **unused) {
  Fleshed *f = fleshed_create();
  SupStackDef def = sup_stack_def();
  SupError error = {{0}};
  SupModel *envelope;
  const SupModel *models[] = {f->model, make_correctives(f)};
  (void)unused;
  assert_refused(f, &def, 2, models, "both know the shape");
  def.dual_quaternions = true;
  assert_refused(f, &def, 1, models, "use linear blending");
  def = sup_stack_def();
  assert_int_equal(
      sup_envelope_pack(&f->arena, &f->character, &f->patchwork.def, &envelope, &error), SUP_OK);
  models[1] = envelope;
  assert_refused(f, &def, 2, models, "envelope");
  def.techniques = breath_techniques();
  models[1] = twice_pack(&f->arena, &f->character, &error);
  assert_refused(f, &def, 2, models, "both provide the goal");
  SupSkeleton fewer = f->character.skeleton;
  fewer.joint_count = fewer.bone_count = 3;
  f->character.skeleton = fewer;
  def = sup_stack_def();
  assert_refused(f, &def, 1, models, "build it again");
  fleshed_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_goal_is_shown),
      cmocka_unit_test(normals_follow_the_shape),
      cmocka_unit_test(offsets_are_those_of_skinning),
      cmocka_unit_test(flesh_follows_the_shape),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
