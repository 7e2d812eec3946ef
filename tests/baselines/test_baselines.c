/* SPDX-License-Identifier: MIT */
/* Pose-space deformation and direct delta mush on a built-in body, by what must hold. */
#include "check.h"

#include <math.h>

#include "supple/author/builtin.h"
#include "supple/io/file.h"
#include "supple/train/baselines.h"
#include "train/rest_offsets.h"

enum { EXAMPLES = 4 };

typedef struct Body {
  SupArena arena;
  SupCharacter character;
  SupTransform *poses; /* [EXAMPLES] */
  SupVec3 *shapes;     /* [EXAMPLES] */
  SupAffine *globals, *palette;
  SupVec3 *out;
} Body;

static uint32_t joints(const Body *b) { return b->character.skeleton.joint_count; }
static uint32_t vertices(const Body *b) { return b->character.body.vertex_count; }

static void palette_of(Body *b, const SupTransform *pose, SupTransform root) {
  const SupPose all = {joints(b), root, (SupTransform *)(uintptr_t)pose};
  sup_pose_evaluate(&b->character.skeleton, &all, b->globals, b->palette);
}

static void skin(const Body *b, const SupVec3 *offsets, SupVec3 *out) {
  const SupSkin *s = &b->character.skin;
  for (uint32_t v = 0; v < vertices(b); v++) {
    const SupVec3 at = sup_vec3_add(b->character.body.positions[v], offsets[v]);
    out[v] = (SupVec3){0, 0, 0};
    for (uint32_t k = s->offsets[v]; k < s->offsets[v + 1]; k++) {
      const SupVec3 to = sup_affine_point(b->palette[s->bones[k]], at);
      out[v] = sup_vec3_add_scaled(out[v], to, s->weights[k]);
    }
  }
}

static void turn(Body *b, SupTransform *pose, uint32_t joint, SupVec3 by) {
  pose[joint].rotation = sup_quat_mul(b->character.skeleton.rest[joint].rotation, sup_quat_exp(by));
}

/* Bumps that the poses know nothing of: displacements in rest space, of a wave for each. */
static void bump(const Body *b, uint32_t example, SupVec3 *out) {
  for (uint32_t v = 0; v < vertices(b); v++) {
    const SupVec3 x = b->character.body.positions[v];
    const float s = 0.02f * sinf(9 * x.y + (float)example) * cosf(7 * x.x);
    out[v] = (SupVec3){s, 0.5f * s, (float)example * 0.1f * s};
  }
}

static int make(void **state) {
  static const SupVec3 by[EXAMPLES][2] = {{{0.8f, 0, 0}, {0, 0, 0}},
                                          {{0, 0, 0}, {0, 0, 0.6f}},
                                          {{-0.5f, 0.2f, 0}, {0.4f, 0, 0}},
                                          {{0.3f, 0, 0.9f}, {-0.7f, 0, 0.1f}}};
  const SupBuiltinDef def = {.name = "toy"};
  Body *b = calloc(1, sizeof *b);
  if (!b) return 1;
  sup_arena_init(&b->arena, sup_heap_allocator(), 0);
  if (sup_builtin_character(&b->arena, &def, &b->character, NULL) != SUP_OK) return 1;
  b->poses = SUP_ALLOC(&b->arena, SupTransform, EXAMPLES * joints(b));
  b->shapes = SUP_ALLOC(&b->arena, SupVec3, (size_t)EXAMPLES * vertices(b));
  b->globals = SUP_ALLOC(&b->arena, SupAffine, joints(b));
  b->palette = SUP_ALLOC(&b->arena, SupAffine, b->character.skeleton.bone_count);
  b->out = SUP_ALLOC(&b->arena, SupVec3, vertices(b));
  for (uint32_t e = 0; e < EXAMPLES; e++) {
    SupTransform *pose = b->poses + e * joints(b);
    memcpy(pose, b->character.skeleton.rest, joints(b) * sizeof *pose);
    for (uint32_t k = 0; k < 2; k++) turn(b, pose, 1 + k, by[e][k]);
    palette_of(b, pose, sup_transform_identity());
    bump(b, e, b->out);
    skin(b, b->out, b->shapes + (size_t)e * vertices(b));
  }
  *state = b;
  return 0;
}

static int unmake(void **state) {
  Body *b = *state;
  sup_arena_free(&b->arena);
  free(b);
  return 0;
}

static double apart(const Body *b, const SupVec3 *x, const SupVec3 *y) {
  double most = 0;
  for (uint32_t v = 0; v < vertices(b); v++) {
    most = fmax(most, (double)sup_vec3_distance(x[v], y[v]));
  }
  return most;
}

/* ---- Pose-space deformation ------------------------------------------------------------------ */

static SupPoseShapes learn(Body *b, uint32_t count) {
  SupPoseShapes shapes;
  SupPoseShapesDef def = sup_pose_shapes_def(&b->character);
  def.example_count = count;
  def.poses = b->poses;
  def.positions = b->shapes;
  assert_int_equal(sup_pose_shapes_learn(&b->arena, &def, &shapes, NULL), SUP_OK);
  return shapes;
}

static void show(Body *b, const SupPoseShapes *shapes, const SupTransform *pose) {
  double weights[2 * (EXAMPLES + 1)];
  palette_of(b, pose, sup_transform_identity());
  sup_pose_shapes_show(shapes, pose, b->palette, weights, b->out);
}

/* lambda_i(pose k) is 1 for i = k and 0 otherwise; the shapes come out. */
static void psd_interpolates(void **state) {
  Body *b = *state;
  const SupPoseShapes shapes = learn(b, EXAMPLES);
  assert_int_equal(shapes.turn_count, 2);
  for (uint32_t k = 0; k <= EXAMPLES; k++) {
    double weights[2 * (EXAMPLES + 1)];
    const SupTransform *pose = k == 0 ? b->character.skeleton.rest : b->poses + (k - 1) * joints(b);
    sup_pose_shapes_weights(&shapes, pose, weights);
    for (uint32_t i = 0; i <= EXAMPLES; i++) {
      assert_true(fabs(weights[i] - (i == k ? 1 : 0)) < 1e-6);
    }
    show(b, &shapes, pose);
    const SupVec3 *truth = k == 0 ? b->character.body.positions : b->shapes + (k - 1) * vertices(b);
    assert_true(apart(b, b->out, truth) < 1e-5);
  }
}

/* Far from all examples nothing is added. */
static void psd_fades(void **state) {
  Body *b = *state;
  const SupPoseShapes shapes = learn(b, 1);
  SupTransform *pose = SUP_COPY(&b->arena, SupTransform, b->poses, joints(b));
  SupVec3 *plain = SUP_ALLOC(&b->arena, SupVec3, vertices(b));
  SupVec3 *none = SUP_ALLOC(&b->arena, SupVec3, vertices(b));
  memset(none, 0, vertices(b) * sizeof *none);
  turn(b, pose, 1, (SupVec3){0, 0, 3.1f}); /* 3.2 radians from the only example */
  show(b, &shapes, pose);
  skin(b, none, plain);
  const double off = apart(b, b->out, plain);
  turn(b, pose, 1, (SupVec3){0.7f, 0, 0});
  show(b, &shapes, pose);
  skin(b, none, plain);
  assert_true(off < 0.2 * apart(b, b->out, plain));
}

/* Examples along a turn, and displacements that grow with its sine: what lies between two of them
 * is found with the width that is chosen, better than with one that is far too small. */
static void psd_chooses_a_width(void **state) {
  enum { COUNT = 7 };
  Body *b = *state;
  const uint32_t n = vertices(b), j = joints(b);
  SupTransform *poses = SUP_ALLOC(&b->arena, SupTransform, (COUNT + 1) * j);
  SupVec3 *shapes = SUP_ALLOC(&b->arena, SupVec3, (size_t)(COUNT + 1) * n);
  SupVec3 *bumps = SUP_ALLOC(&b->arena, SupVec3, n);
  for (uint32_t e = 0; e <= COUNT; e++) { /* the last one lies between the fourth and the fifth */
    const float angle = 0.2f * (e < COUNT ? (float)e + 1 : 4.5f);
    SupTransform *pose = poses + e * j;
    memcpy(pose, b->character.skeleton.rest, j * sizeof *pose);
    turn(b, pose, 1, (SupVec3){angle, 0, 0});
    palette_of(b, pose, sup_transform_identity());
    bump(b, 1, bumps);
    for (uint32_t v = 0; v < n; v++) bumps[v] = sup_vec3_scale(bumps[v], sinf(angle));
    skin(b, bumps, shapes + (size_t)e * n);
  }
  double off[2];
  for (int narrow = 0; narrow < 2; narrow++) {
    SupPoseShapes learned;
    SupPoseShapesDef def = sup_pose_shapes_def(&b->character);
    double weights[2 * (COUNT + 1)];
    def.example_count = COUNT;
    def.poses = poses;
    def.positions = shapes;
    def.sigma = narrow ? 0.1 : 0;
    assert_int_equal(sup_pose_shapes_learn(&b->arena, &def, &learned, NULL), SUP_OK);
    palette_of(b, poses + COUNT * j, sup_transform_identity());
    sup_pose_shapes_show(&learned, poses + COUNT * j, b->palette, weights, b->out);
    off[narrow] = apart(b, b->out, shapes + (size_t)COUNT * n);
  }
  assert_true(off[0] < 1e-4 && off[0] < 0.05 * off[1]);
}

static void psd_refuses(void **state) {
  Body *b = *state;
  SupError error;
  SupPoseShapes shapes;
  SupTransform *poses = SUP_ALLOC(&b->arena, SupTransform, 2 * joints(b));
  SupPoseShapesDef def = sup_pose_shapes_def(&b->character);
  memcpy(poses, b->poses, joints(b) * sizeof *poses);
  memcpy(poses + joints(b), b->poses, joints(b) * sizeof *poses);
  def.example_count = 2;
  def.poses = poses;
  def.positions = b->shapes;
  assert_int_equal(sup_pose_shapes_learn(&b->arena, &def, &shapes, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "the same pose"));
  def.example_count = 1;
  def.poses = b->character.skeleton.rest;
  assert_int_equal(sup_pose_shapes_learn(&b->arena, &def, &shapes, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "nothing to learn"));
}

/* ---- Direct delta mush ----------------------------------------------------------------------- */

static SupDeltaMush mush_of(Body *b, double least) {
  SupDeltaMush mush;
  SupDeltaMushDef def = sup_delta_mush_def(&b->character);
  def.least = least;
  assert_int_equal(sup_delta_mush_make(&b->arena, &def, &mush, NULL), SUP_OK);
  return mush;
}

static void mush_rests(void **state) {
  Body *b = *state;
  for (int k = 0; k < 2; k++) {
    const SupDeltaMush mush = mush_of(b, k ? 0.05 : 0);
    palette_of(b, b->character.skeleton.rest, sup_transform_identity());
    sup_delta_mush_show(&mush, b->palette, b->out);
    assert_true(apart(b, b->out, b->character.body.positions) < 2e-6);
  }
}

/* A rigid motion in is a rigid motion out, in any pose. */
static void mush_is_rigid(void **state) {
  Body *b = *state;
  const SupDeltaMush mush = mush_of(b, 1e-3);
  SupVec3 *still = SUP_ALLOC(&b->arena, SupVec3, vertices(b));
  SupTransform root = sup_transform_identity();
  root.rotation = sup_quat_exp((SupVec3){0.7f, -1.1f, 2.0f});
  root.translation = (SupVec3){1.5f, -0.5f, 2};
  palette_of(b, b->poses, sup_transform_identity());
  sup_delta_mush_show(&mush, b->palette, still);
  palette_of(b, b->poses, root);
  sup_delta_mush_show(&mush, b->palette, b->out);
  for (uint32_t v = 0; v < vertices(b); v++) {
    still[v] = sup_vec3_add(sup_quat_rotate(root.rotation, still[v]), root.translation);
  }
  assert_true(apart(b, b->out, still) < 2e-5);
}

/* Something is smoothed: what hangs on one bone alone bends with it, the rest is no skinning. */
static void mush_smooths(void **state) {
  Body *b = *state;
  const SupDeltaMush all = mush_of(b, 0), some = mush_of(b, 1e-3);
  SupVec3 *plain = SUP_ALLOC(&b->arena, SupVec3, vertices(b));
  SupVec3 *none = SUP_ALLOC(&b->arena, SupVec3, vertices(b));
  memset(none, 0, vertices(b) * sizeof *none);
  palette_of(b, b->poses, sup_transform_identity());
  skin(b, none, plain);
  sup_delta_mush_show(&all, b->palette, b->out);
  const double moved = apart(b, b->out, plain);
  assert_true(moved > 1e-3);
  sup_delta_mush_show(&some, b->palette, plain);
  assert_true(apart(b, b->out, plain) < 0.1 * moved);
  assert_true(sup_delta_mush_bytes(&some) <= sup_delta_mush_bytes(&all));
  for (uint32_t v = 0; v < vertices(b); v++) { /* weights of a vertex add up to 1 */
    double sum = 0;
    for (uint32_t k = some.first[v]; k < some.first[v + 1]; k++) {
      sum += (double)some.entries[k].w;
    }
    assert_true(fabs(sum - 1) < 1e-5);
  }
}

static void mush_refuses(void **state) {
  Body *b = *state;
  SupError error;
  SupDeltaMush mush;
  SupDeltaMushDef def = sup_delta_mush_def(&b->character);
  def.alpha = 1.5;
  assert_int_equal(sup_delta_mush_make(&b->arena, &def, &mush, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "alpha"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(psd_interpolates, make, unmake),
      cmocka_unit_test_setup_teardown(psd_fades, make, unmake),
      cmocka_unit_test_setup_teardown(psd_chooses_a_width, make, unmake),
      cmocka_unit_test_setup_teardown(psd_refuses, make, unmake),
      cmocka_unit_test_setup_teardown(mush_rests, make, unmake),
      cmocka_unit_test_setup_teardown(mush_is_rigid, make, unmake),
      cmocka_unit_test_setup_teardown(mush_smooths, make, unmake),
      cmocka_unit_test_setup_teardown(mush_refuses, make, unmake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
