/* SPDX-License-Identifier: MIT */
/* The envelope as a stack's goal: under modes of any kind, under a surface, with threads; what is
 * refused. */
#include <math.h>

#include "sewn.h"
#include "stack/breath.h"
#include "supple/author/correctives_pack.h"
#include "supple/author/modes_pack.h"
#include "supple/author/surface_pack.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"
#include "supple/stack.h"

typedef struct Play {
  Sewn *sewn;
  SupStack stack;
  SupStackState *state;
  float *positions, *normals; /* [3 * count] */
} Play;

static Play play_begin(Sewn *s, uint32_t count, const SupModel *const *models) {
  Play play = {.sewn = s};
  SupError error = {{0}};
  SupStackDef def = sup_stack_def();
  def.skeleton = &s->patchwork.character.skeleton;
  def.model_count = count;
  def.models = SUP_COPY(&s->arena, const SupModel *, models, count);
  def.techniques = breath_techniques();
  if (sup_stack_make(&def, &play.stack, &error)) fail_msg("%s", error.text);
  play.state =
      sup_stack_init(&play.stack, sup_arena_alloc(&s->arena, sup_stack_bytes(&play.stack), 1));
  play.positions = SUP_ALLOC(&s->arena, float, 3 * (size_t)s->count);
  play.normals = SUP_ALLOC(&s->arena, float, 3 * (size_t)s->count);
  return play;
}

typedef struct Moment {
  float dt, bend, twist;
  const float *strengths;
  const SupJobs *jobs;
  const SupVec3 *points;
} Moment;

static void play_frame(Play *play, Moment m) {
  SupTransform joints[PATCHWORK_JOINTS];
  const SupPose pose = {PATCHWORK_JOINTS, sewn_root(1), joints};
  const SupEnvelopeControls controls = {.strengths = m.strengths, .points = m.points};
  const SupStackControl control = {SUP_ENVELOPE_KIND, &controls};
  patchwork_pose(&play->sewn->patchwork, m.bend, m.twist, joints);
  const SupStackFrame frame = {.dt = m.dt,
                               .pose = &pose,
                               .control_count = 1,
                               .controls = &control,
                               .positions = {play->positions, 3},
                               .normals = {play->normals, 3}};
  sup_stack_step(&play->stack, play->state, sup_backend_cpu(), m.jobs, &frame);
}

static double gap(const Sewn *s, const float *a, const float *b) {
  double most = 0;
  for (uint32_t i = 0; i < 3 * s->count; i++) most = fmax(most, fabs((double)a[i] - (double)b[i]));
  return most;
}

/* Another control mesh in place of the model's, which stays what it is. */
static void points_can_be_tried(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  const SupModel *models[] = {s->model};
  Play play = play_begin(s, 1, models);
  const size_t count = (size_t)s->view.influence_first[s->view.control_count] * s->view.shape_count;
  SupVec3 *points = SUP_COPY(&s->arena, SupVec3, s->view.points, count);
  float *before = SUP_ALLOC(&s->arena, float, 3 * (size_t)s->count);
  (void)unused;
  play_frame(&play, (Moment){1.0f / 60, 0.5f, 0, NULL, NULL, NULL});
  memcpy(before, play.positions, 3 * s->count * sizeof *before);
  play_frame(&play, (Moment){1.0f / 60, 0.5f, 0, NULL, NULL, points});
  assert_memory_equal(before, play.positions, 3 * s->count * sizeof *before);
  for (size_t k = 0; k < count; k++) points[k].x += 0.25f;
  play_frame(&play, (Moment){1.0f / 60, 0.5f, 0, NULL, NULL, points});
  assert_true(gap(s, before, play.positions) > 0.1);
  play_frame(&play, (Moment){1.0f / 60, 0.5f, 0, NULL, NULL, NULL});
  assert_memory_equal(before, play.positions, 3 * s->count * sizeof *before);
  sewn_free(s);
}

static void the_goal_is_shown(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  const SupModel *models[] = {s->model};
  Play play = play_begin(s, 1, models);
  SupVec3 *wanted = sewn_room(s);
  const float half[6] = {0.5f, 0, 2, 1, 1, 0.25f};
  (void)unused;
  for (int i = 0; i < 6; i++) {
    const Moment m = {1.0f / 60, 0.25f * (float)i, -0.1f * (float)i, i % 2 ? half : NULL, NULL,
                      NULL};
    play_frame(&play, m);
    sewn_shape(s, sewn_root(1), m.bend, m.twist, m.strengths, wanted);
    assert_memory_equal(play.positions, wanted, s->count * sizeof *wanted);
  }
  sewn_free(s);
}

/* How far normals are from those of the triangles that are shown, on average. */
static double off_triangles(Sewn *s, const float *positions, const float *normals) {
  const SupMesh *body = &s->patchwork.character.body;
  const SupVec3 *shown = (const SupVec3 *)(const void *)positions;
  const SupVec3 *given = (const SupVec3 *)(const void *)normals;
  SupVec3 *sums = sewn_room(s);
  double off = 0;
  for (uint32_t t = 0; t < body->triangle_count; t++) {
    const uint32_t *c = body->triangles + 3 * (size_t)t;
    const SupVec3 n = sup_vec3_cross(sup_vec3_sub(shown[c[1]], shown[c[0]]),
                                     sup_vec3_sub(shown[c[2]], shown[c[0]]));
    for (int k = 0; k < 3; k++) sums[c[k]] = sup_vec3_add(sums[c[k]], n);
  }
  for (uint32_t v = 0; v < s->count; v++) {
    assert_true(fabsf(sup_vec3_length(given[v]) - 1) < 1e-5f);
    off += (double)sup_vec3_distance(given[v], sup_vec3_normalise(sums[v])) / s->count;
  }
  return off;
}

/* Normals turn with the triangles that are shown, not with the bones alone. */
static void normals_follow_the_shape(void **unused) {
  PatchworkDef def = sewn_def();
  def.bare = 0; /* whole patches to the ends: nothing is skinned */
  Sewn *s = sewn_create(&def);
  SupError error = {{0}};
  SupModel *skin;
  assert_int_equal(
      sup_skin_model(&s->arena, &s->patchwork.character, SUP_ORDER_BODY, &skin, &error), SUP_OK);
  const SupModel *models[] = {s->model}, *plain[] = {skin};
  Play play = play_begin(s, 1, models), bones = play_begin(s, 1, plain);
  (void)unused;
  const float strong[6] = {4, 4, 4, 4, 4, 4};
  play_frame(&play, (Moment){0, 0.3f, 0.5f, strong, NULL, NULL});
  play_frame(&bones, (Moment){0, 0.3f, 0.5f, NULL, NULL, NULL});
  const double off = off_triangles(s, play.positions, play.normals);
  const double skinned = off_triangles(s, play.positions, bones.normals);
  printf("normals: %.3f from those of the triangles, the bones' %.3f\n", off, skinned);
  assert_true(off < 0.25 * skinned);
  sewn_free(s);
}

/* Goal = E + [skin(X + u) - skin(X)]. */
static void offsets_are_those_of_skinning(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupError error = {{0}};
  const SupModel *breath =
      breath_pack(&s->arena, &s->patchwork.character, 2, 0.1f, (SupVec3){0.5f, 0.25f, 1}, &error);
  assert_non_null(breath);
  const SupModel *both[] = {breath, s->model}, *alone[] = {breath};
  SupModel *skin;
  assert_int_equal(
      sup_skin_model(&s->arena, &s->patchwork.character, SUP_ORDER_BODY, &skin, &error), SUP_OK);
  const SupModel *plain[] = {skin};
  Play over = play_begin(s, 2, both), skinned = play_begin(s, 1, alone);
  Play rest = play_begin(s, 1, plain);
  SupVec3 *shape = sewn_room(s);
  double most = 0, moved = 0;
  (void)unused;
  assert_int_equal(over.stack.provider, 0);
  for (int i = 0; i < 20; i++) {
    const Moment m = {i ? 0.03f : 0, 0.07f * (float)i, 0.3f, NULL, NULL, NULL};
    play_frame(&over, m);
    play_frame(&skinned, m);
    play_frame(&rest, m);
    sewn_shape(s, sewn_root(1), m.bend, m.twist, NULL, shape);
    const float *e = &shape[0].x;
    for (uint32_t k = 0; k < 3 * s->count; k++) {
      const float by = skinned.positions[k] - rest.positions[k];
      most = fmax(most, fabs((double)over.positions[k] - (double)(e[k] + by)));
      moved = fmax(moved, fabs((double)by));
    }
  }
  assert_true(most < 2e-6 && moved > 0.05);
  sewn_free(s);
}

static SupModel *make_surface(Sewn *s) {
  SupSurfaceDef def = sup_surface_def();
  SupError error = {{0}};
  SupModel *model;
  for (int k = 0; k < 5; k++) def.values[k] = 0; /* no detail, no volume: any goal will do */
  def.values[SUP_SURFACE_ALPHA] = 0.3f;
  def.values[SUP_SURFACE_DELTA] = 0.3f;
  if (sup_surface_pack(&s->arena, &s->patchwork.character, &def, &model, &error)) {
    fail_msg("%s", error.text);
  }
  return model;
}

static SupModel *make_modes(Sewn *s) {
  enum { MODES = 2 };
  static double drive[12 * MODES];
  static const double stiffness[MODES] = {400, 900}, decay[MODES] = {4, 6};
  static const uint32_t pairs[2] = {1, 1};
  SupVec3 *shapes = SUP_ALLOC(&s->arena, SupVec3, MODES * s->count);
  SupModesDef def = sup_modes_def();
  SupError error = {{0}};
  SupModel *model;
  for (uint32_t i = 0; i < MODES * s->count; i++)
    shapes[i] = (SupVec3){0.1f, 0.05f, i % 2 ? 0.1f : 0};
  for (int k = 0; k < 12 * MODES; k++) drive[k] = 6 - 3 * (k % 4);
  def.mode_count = MODES;
  def.shapes = shapes;
  def.stiffness = stiffness;
  def.decay = decay;
  def.pair_count = 1;
  def.pairs = pairs;
  def.drive = drive;
  if (sup_modes_pack(&s->arena, &s->patchwork.character, &def, &model, &error)) {
    fail_msg("%s", error.text);
  }
  return model;
}

/* Under a surface and modes: flesh lags and swings, then comes to rest on the envelope's shape. */
static void flesh_follows_the_shape(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  const SupModel *models[] = {make_surface(s), make_modes(s), s->model};
  Play play = play_begin(s, 3, models);
  SupVec3 *shape = sewn_room(s);
  double lag = 0;
  (void)unused;
  for (int i = 0; i < 30; i++) {
    const float bend = 0.04f * (float)i;
    play_frame(&play, (Moment){1.0f / 60, bend, 0, NULL, NULL, NULL});
    sewn_shape(s, sewn_root(1), bend, 0, NULL, shape);
    lag = fmax(lag, gap(s, play.positions, &shape[0].x));
  }
  for (int i = 0; i < 300; i++)
    play_frame(&play, (Moment){1.0f / 60, 1.2f, 0.3f, NULL, NULL, NULL});
  sewn_shape(s, sewn_root(1), 1.2f, 0.3f, NULL, shape);
  printf("lag %.3f, at rest %.2g\n", lag, gap(s, play.positions, &shape[0].x));
  assert_true(lag > 0.01 && lag < 1);
  assert_true(gap(s, play.positions, &shape[0].x) < 1e-4);
  sewn_free(s);
}

static void threads_change_nothing(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  const SupModel *models[] = {make_surface(s), s->model};
  Play one = play_begin(s, 2, models), many = play_begin(s, 2, models);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 4);
  const SupJobs jobs = sup_pool_jobs(pool);
  (void)unused;
  for (int i = 0; i < 10; i++) {
    Moment m = {0.02f, 0.1f * (float)i, 0.05f * (float)i, NULL, NULL, NULL};
    play_frame(&one, m);
    m.jobs = &jobs;
    play_frame(&many, m);
    assert_memory_equal(one.positions, many.positions, 3 * s->count * sizeof(float));
    assert_memory_equal(one.normals, many.normals, 3 * s->count * sizeof(float));
  }
  sup_pool_destroy(pool);
  sewn_free(s);
}

/* ---- Refusals ---------------------------------------------------------------------------------
 */

static SupModel *make_correctives(Sewn *s) {
  static const uint32_t drivers[1] = {1};
  static const float limits[2] = {-1, 1};
  static double matrix[10];
  SupCorrectivesDef def = sup_correctives_def();
  SupError error = {{0}};
  SupModel *model;
  SupVec3 *shapes = sewn_room(s);
  for (uint32_t v = 0; v < s->count; v++) shapes[v].x = 0.1f;
  def.component_count = 1;
  def.shapes = shapes;
  def.driver_count = 1;
  def.drivers = drivers;
  def.matrix = matrix;
  def.limits = limits;
  if (sup_correctives_pack(&s->arena, &s->patchwork.character, &def, &model, &error)) {
    fail_msg("%s", error.text);
  }
  return model;
}

static void assert_refused(Sewn *s, SupStackDef *def, uint32_t count, const SupModel *const *models,
                           const char *words) {
  SupStack stack;
  SupError error = {{0}};
  def->skeleton = &s->patchwork.character.skeleton;
  def->model_count = count;
  def->models = models;
  assert_int_not_equal(sup_stack_make(def, &stack, &error), SUP_OK);
  if (!strstr(error.text, words)) fail_msg("\"%s\" is not in: %s", words, error.text);
}

static void refusals(void **unused) {
  const PatchworkDef plan = sewn_def();
  Sewn *s = sewn_create(&plan);
  SupStackDef def = sup_stack_def();
  SupError error = {{0}};
  const SupModel *models[] = {s->model, make_correctives(s)};
  (void)unused;
  assert_refused(s, &def, 2, models, "the correctives and the envelope model both know the shape");
  def.dual_quaternions = true;
  assert_refused(s, &def, 1, models, "use linear blending");
  def = sup_stack_def();
  def.techniques = breath_techniques();
  models[1] = twice_pack(&s->arena, &s->patchwork.character, &error);
  assert_refused(s, &def, 2, models, "both provide the goal");
  SupSkeleton fewer = s->patchwork.character.skeleton;
  fewer.joint_count = fewer.bone_count = 3;
  s->patchwork.character.skeleton = fewer;
  def = sup_stack_def();
  assert_refused(s, &def, 1, models, "build it again");
  sewn_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_can_be_tried),
      cmocka_unit_test(the_goal_is_shown),
      cmocka_unit_test(normals_follow_the_shape),
      cmocka_unit_test(offsets_are_those_of_skinning),
      cmocka_unit_test(flesh_follows_the_shape),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
