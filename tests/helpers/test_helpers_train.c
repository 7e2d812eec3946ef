/* SPDX-License-Identifier: MIT */
/* Learning controllers: a planted helper is found again, with its parent (MUK-T6). */
#include "check.h"

#include <math.h>
#include <string.h>

#include "numerics/state_space.h"
#include "supple/author/builtin.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "supple/train/helpers.h"

enum { FRAMES = 240, MOTIONS = 2 };

typedef struct World {
  SupArena arena;
  SupCharacter tube;
  SupHelpersMotion motions[MOTIONS + 1];
} World;

static SupError error;

/* Where a vertex near the end of the tube goes: with a bone below the second joint that follows the
 * posture and swings. */
static float belongs(SupVec3 rest, SupVec3 low, SupVec3 high) {
  const float size = fmaxf(high.x - low.x, fmaxf(high.y - low.y, high.z - low.z));
  const float along = high.y - low.y == size   ? (rest.y - low.y) / size
                      : high.x - low.x == size ? (rest.x - low.x) / size
                                               : (rest.z - low.z) / size;
  return along > 0.8f ? 1 : along > 0.6f ? (along - 0.6f) * 5 : 0;
}

/* Five sines of random frequencies and phases. */
static double waves(uint32_t seed, double time) {
  SupRng rng = sup_rng(seed, 9);
  double sum = 0;
  for (int k = 0; k < 5; k++) {
    const double rate = 2 + 14 * sup_rng_double(&rng), phase = 6.28 * sup_rng_double(&rng);
    sum += 0.4 * sin(rate * time + phase);
  }
  return sum;
}

static void make_motion(World *w, uint32_t m, double amplitude, SupHelpersMotion *out) {
  const SupSkeleton *skeleton = &w->tube.skeleton;
  const uint32_t n = w->tube.body.vertex_count, joints = skeleton->joint_count;
  SupTransform *poses = SUP_ALLOC(&w->arena, SupTransform, (size_t)FRAMES * joints);
  SupVec3 *positions = SUP_ALLOC(&w->arena, SupVec3, (size_t)FRAMES * n);
  SupVec3 low = w->tube.body.positions[0], high = low;
  for (uint32_t v = 0; v < n; v++) {
    const SupVec3 p = w->tube.body.positions[v];
    low = (SupVec3){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
    high = (SupVec3){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
  }
  /* y'' = -(w^2) y - 2 d w y' - a, stepped at 60 Hz */
  double y[3] = {0}, v[3] = {0};
  SupVec3d last[2] = {{0, 0, 0}, {0, 0, 0}};
  SupAffine *globals = SUP_ALLOC(&w->arena, SupAffine, joints);
  SupAffine *palette = SUP_ALLOC(&w->arena, SupAffine, skeleton->bone_count);
  const uint32_t end = joints - 1;
  SupVec3 middle = {0, 0, 0};
  float all = 0;
  for (uint32_t i = 0; i < n; i++) {
    const float share = belongs(w->tube.body.positions[i], low, high);
    middle = sup_vec3_add_scaled(middle, w->tube.body.positions[i], share);
    all += share;
  }
  /* Where the flesh is, seen from the joint: that is what it feels. */
  const SupVec3 place = sup_affine_point(skeleton->inverse_bind[skeleton->bone_count - 1],
                                         sup_vec3_scale(middle, 1 / all));
  for (uint32_t t = 0; t < FRAMES; t++) {
    SupPose pose = {joints, sup_transform_identity(), poses + (size_t)t * joints};
    const double time = t / 60.0, c = amplitude;
    sup_pose_rest(skeleton, &pose);
    double wave[6];
    for (uint32_t k = 0; k < 6; k++) wave[k] = c * waves(6 * m + k, time);
    const SupVec3 turn = {(float)(0.5 * wave[0]), (float)(0.2 * wave[1]), (float)(0.4 * wave[2])};
    pose.joints[end].rotation = sup_quat_mul(pose.joints[end].rotation, sup_quat_exp(turn));
    pose.joints[0].translation.x += (float)(0.05 * wave[3]);
    pose.joints[0].translation.y += (float)(0.05 * wave[4]);
    pose.joints[0].translation.z += (float)(0.05 * wave[5]);
    sup_pose_globals(skeleton, &pose, globals);
    sup_pose_palette(skeleton, globals, palette);
    const SupMat3d axes = sup_affined_linear(sup_affine_widen(globals[end]));
    const SupVec3d at = sup_vec3_widen(sup_affine_point(globals[end], place));
    const double a[3] = {at.x - 2 * last[0].x + last[1].x, at.y - 2 * last[0].y + last[1].y,
                         at.z - 2 * last[0].z + last[1].z};
    for (int k = 0; k < 3; k++) {
      const double local =
          t < 2 ? 0 : (axes.m[3 * k] * a[0] + axes.m[3 * k + 1] * a[1] + axes.m[3 * k + 2] * a[2]);
      y[k] += v[k] / 60;
      v[k] += (-900 * y[k] - 6 * v[k]) / 60 - local * 60;
    }
    last[1] = last[0];
    last[0] = at;
    const SupVec3 moved = {(float)y[0] + 0.05f * turn.x, (float)y[1] + 0.04f * turn.z * turn.x,
                           (float)y[2] - 0.05f * turn.z};
    SupTransform offset = sup_transform_identity();
    offset.translation = moved;
    const SupAffine helper =
        sup_affine_mul(sup_affine_mul(globals[end], sup_affine_compose(offset)),
                       skeleton->inverse_bind[skeleton->bone_count - 1]);
    for (uint32_t i = 0; i < n; i++) {
      SupVec3 p = {0, 0, 0};
      const SupVec3 rest = w->tube.body.positions[i];
      for (uint32_t k = w->tube.skin.offsets[i]; k < w->tube.skin.offsets[i + 1]; k++) {
        p = sup_vec3_add_scaled(p, sup_affine_point(palette[w->tube.skin.bones[k]], rest),
                                w->tube.skin.weights[k]);
      }
      const float share = belongs(rest, low, high);
      const SupVec3 q = sup_affine_point(helper, rest);
      positions[(size_t)t * n + i] = sup_vec3_add_scaled(p, sup_vec3_sub(q, p), share);
    }
  }
  *out =
      (SupHelpersMotion){.fps = 60, .frame_count = FRAMES, .poses = poses, .positions = positions};
}

static int set_up(void **state) {
  World *w = calloc(1, sizeof *w);
  sup_arena_init(&w->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "tube", .vertices = SUP_BUILTIN_VERTICES_MIN};
  if (sup_builtin_character(&w->arena, &def, &w->tube, &error) != SUP_OK) return 1;
  for (uint32_t m = 0; m < MOTIONS; m++) make_motion(w, m, 1, &w->motions[m]);
  make_motion(w, 5, 1.2, &w->motions[MOTIONS]);
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
static double unseen(World *w, const SupHelpersTrained *trained, SupHelpersLevel level) {
  SupCharacter with;
  SupModel *model;
  assert_int_equal(sup_helpers_character(&w->arena, &w->tube, trained, &with, &error), SUP_OK);
  assert_int_equal(sup_helpers_pack(&w->arena, &with, &trained->def, &model, &error), SUP_OK);
  const SupHelpersView view = sup_helpers_view(model);
  const uint32_t joints = with.skeleton.joint_count, own = w->tube.skeleton.joint_count;
  SupHelpersState *s =
      sup_helpers_init(&view, sup_arena_alloc(&w->arena, sup_helpers_bytes(&view), 1));
  SupTransform *pose_joints = SUP_ALLOC(&w->arena, SupTransform, joints);
  SupAffine *globals = SUP_ALLOC(&w->arena, SupAffine, joints);
  SupAffine *palette = SUP_ALLOC(&w->arena, SupAffine, with.skeleton.bone_count);
  SupHelpersControls controls = sup_helpers_controls();
  controls.level = level;
  double sum = 0;
  const SupHelpersMotion *motion = &w->motions[MOTIONS];
  for (uint32_t t = 0; t < FRAMES; t++) {
    memcpy(pose_joints, with.skeleton.rest, joints * sizeof *pose_joints);
    memcpy(pose_joints, motion->poses + (size_t)t * own, own * sizeof *pose_joints);
    const SupPose pose = {joints, sup_transform_identity(), pose_joints};
    sup_pose_globals(&with.skeleton, &pose, globals);
    sup_helpers_step(&view, s, sup_backend_cpu(), &controls, &pose, globals, pose_joints);
    sup_pose_globals(&with.skeleton, &pose, globals);
    sup_pose_palette(&with.skeleton, globals, palette);
    for (uint32_t i = 0; i < with.body.vertex_count; i++) {
      SupVec3 p = {0, 0, 0};
      for (uint32_t k = with.skin.offsets[i]; k < with.skin.offsets[i + 1]; k++) {
        p = sup_vec3_add_scaled(
            p, sup_affine_point(palette[with.skin.bones[k]], with.body.positions[i]),
            with.skin.weights[k]);
      }
      const double off =
          (double)sup_vec3_distance(p, motion->positions[(size_t)t * with.body.vertex_count + i]);
      sum += off * off;
    }
  }
  return sqrt(sum / (FRAMES * (double)with.body.vertex_count));
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
  for (uint32_t o = 0; o < 6; o++) assert_true(report.ranges[o] <= report.bounds[o] * (1 + 1e-6));
}

/* Everything that can be asked for runs, is stable, and does not fall behind the posture alone. */
static void variants(void **state) {
  World *w = *state;
  for (int k = 0; k < 6; k++) {
    SupHelpersTrainDef def = definition(w);
    SupHelpersTrained trained;
    SupHelpersTrainReport report;
    def.polish = def.rounds = k == 0;
    if (k == 0) def.order = SUP_HELPERS_SHARE;
    if (k == 1) def.order = SUP_HELPERS_BIC, def.states = 6;
    if (k == 2) def.system = SUP_HELPERS_LOW_RANK, def.beta = 100;
    if (k == 3) def.system = SUP_HELPERS_ARX;
    if (k == 4) def.each = true, def.states = 4;
    if (k == 5) def.drive = SUP_HELPERS_PUBLISHED;
    assert_int_equal(sup_helpers_train(&w->arena, &def, &trained, &report, &error), SUP_OK);
    assert_true(report.radius < 1);
    assert_true(report.rmse < 1.05 * report.static_rmse || k == 3);
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
    assert_non_null(strstr(error.text, "states"));
  }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {TEST(planted_is_learned), TEST(variants),
                                     TEST(threads_and_bad_input)};
  return cmocka_run_group_tests_name("helpers_train", tests, NULL, NULL);
}
