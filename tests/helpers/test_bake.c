/* SPDX-License-Identifier: MIT */
/* Baking into helpers and morph targets: frames held or played, all or some of them for weights. */
#include "check.h"

#include <math.h>

#include "supple/author/builtin.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "supple/train/bake.h"

enum { FRAMES = 90 };
#define FPS 30.0

typedef struct World {
  SupArena arena;
  SupCharacter character;
  SupVec3 *positions;
  uint32_t vertices, passes;
} World;

static const SupClip *clip_of(const World *world) { return &world->character.clips[0]; }

/* How much a vertex swings: nothing in the lower half. */
static float fraction(const World *world, uint32_t i) {
  const float y = world->character.body.positions[i].y;
  return y > 0.5f ? 0.1f * (y - 0.5f) : 0;
}

/* Plain skinning of rest positions that swing. */
static void frame_of(const World *world, uint32_t t, SupVec3 *out) {
  const SupCharacter *c = &world->character;
  const float swing = (float)sin(0.7 * t), lift = (float)sin(0.31 * t + 1);
  SupTransform joints[64];
  SupAffine globals[64], palette[64];
  SupPose pose = {c->skeleton.joint_count, sup_transform_identity(), joints};
  sup_pose_rest(&c->skeleton, &pose);
  sup_clip_sample(clip_of(world), (float)(t / FPS), false, NULL, &pose, NULL);
  sup_pose_evaluate(&c->skeleton, &pose, globals, palette);
  for (uint32_t i = 0; i < world->vertices; i++) {
    const float s = fraction(world, i);
    const SupVec3 rest =
        sup_vec3_add(c->body.positions[i], sup_vec3_make(s * swing, s * lift, -s * swing * lift));
    SupVec3 sum = {0, 0, 0};
    for (uint32_t k = c->skin.offsets[i]; k < c->skin.offsets[i + 1]; k++) {
      sum = sup_vec3_add_scaled(sum, sup_affine_point(palette[c->skin.bones[k]], rest),
                                c->skin.weights[k]);
    }
    out[i] = sum;
  }
}

static void play(void *user, uint32_t frame, SupVec3 *out) {
  World *world = (World *)user;
  world->passes += frame == 0;
  frame_of(world, frame, out);
}

static int set_up(void **state) {
  SupError error;
  World *world = calloc(1, sizeof *world);
  sup_arena_init(&world->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "tube", .vertices = 494};
  assert_int_equal(sup_builtin_character(&world->arena, &def, &world->character, &error), SUP_OK);
  assert_true(world->character.skeleton.joint_count <= 64);
  world->vertices = world->character.body.vertex_count;
  world->positions = SUP_ALLOC(&world->arena, SupVec3, (size_t)FRAMES * world->vertices);
  for (uint32_t t = 0; t < FRAMES; t++) {
    frame_of(world, t, world->positions + (size_t)t * world->vertices);
  }
  *state = world;
  return 0;
}

static int tear_down(void **state) {
  World *world = *state;
  sup_arena_free(&world->arena);
  free(world);
  return 0;
}

static SupBakeMotion held(const World *world) {
  return (SupBakeMotion){
      .clip = clip_of(world), .fps = FPS, .frame_count = FRAMES, .positions = world->positions};
}

static SupBakeMotion played(World *world) {
  return (SupBakeMotion){
      .clip = clip_of(world), .fps = FPS, .frame_count = FRAMES, .play = play, .user = world};
}

static SupBakedHelpers bake(World *world, const SupBakeMotion *motion, uint32_t basis, bool free) {
  SupError error;
  SupBakedHelpers baked;
  SupBakeHelpersDef def = sup_bake_helpers_def(&world->character);
  def.motion_count = 1;
  def.motions = motion;
  def.solver.helper_count = 4;
  def.basis_frames = basis;
  def.free_bones = free;
  assert_int_equal(sup_bake_helpers(&world->arena, &def, &baked, &error), SUP_OK);
  return baked;
}

static void test_played(void **state) {
  World *world = *state;
  const SupBakeMotion a = held(world), b = played(world);
  const SupBakedHelpers first = bake(world, &a, 400, false), second = bake(world, &b, 400, false);
  assert_true(first.rmse == second.rmse && first.key_count == second.key_count);
  assert_true(first.plain_rmse == second.plain_rmse);
  assert_int_equal(world->passes, 2);
}

/* Weights from a ninth of the frames serve all of them. */
static void test_basis(void **state) {
  World *world = *state;
  const SupBakeMotion motion = held(world);
  const SupBakedHelpers all = bake(world, &motion, 400, false),
                        some = bake(world, &motion, 10, false);
  print_message("%.3f mm, weights from some frames %.3f mm, plain %.3f mm\n", 1e3 * all.rmse,
                1e3 * some.rmse, 1e3 * all.plain_rmse);
  assert_true(all.rmse < 1e-3 * all.plain_rmse); /* helpers made it */
  assert_true(some.rmse < 0.03 * all.plain_rmse);
}

static void test_still(void **state) {
  World *world = *state;
  const SupBakeMotion motion = held(world);
  const SupBakedHelpers baked = bake(world, &motion, 400, false);
  const SupSkin *was = &world->character.skin;
  uint32_t still = 0;
  for (uint32_t i = 0; i < world->vertices; i++) {
    if (fraction(world, i) > 0) continue;
    still++;
    assert_int_equal(baked.skin.offsets[i + 1] - baked.skin.offsets[i],
                     was->offsets[i + 1] - was->offsets[i]);
    for (uint32_t k = 0; k < was->offsets[i + 1] - was->offsets[i]; k++) {
      assert_int_equal(baked.skin.bones[baked.skin.offsets[i] + k],
                       was->bones[was->offsets[i] + k]);
      assert_true(baked.skin.weights[baked.skin.offsets[i] + k] ==
                  was->weights[was->offsets[i] + k]);
    }
    assert_true(baked.errors[i] < 1e-6);
  }
  assert_true(still > world->vertices / 4 && baked.kept_count >= still);
}

static void test_free_bones(void **state) {
  World *world = *state;
  const SupBakeMotion motion = held(world);
  for (uint32_t basis = 10; basis <= 400; basis += 390) {
    const SupBakedHelpers baked = bake(world, &motion, basis, true);
    const uint32_t bones = world->character.skeleton.bone_count;
    for (uint32_t k = 0; k < baked.skin.offsets[world->vertices]; k++) {
      assert_true(baked.skin.bones[k] >= bones && baked.skin.bones[k] < bones + 4);
    }
    print_message("4 free bones: %.3f mm\n", 1e3 * baked.rmse);
    assert_true(baked.rmse < 0.05);
  }
}

static void test_morphs(void **state) {
  World *world = *state;
  SupError error;
  SupBakedMorphs baked[2];
  for (int k = 0; k < 2; k++) {
    const SupBakeMotion motion = k ? played(world) : held(world);
    SupBakeMorphsDef def = sup_bake_morphs_def(&world->character);
    def.motion_count = 1;
    def.motions = &motion;
    def.morph_count = 4;
    assert_int_equal(sup_bake_morphs(&world->arena, &def, &baked[k], &error), SUP_OK);
  }
  assert_true(baked[0].rmse == baked[1].rmse && baked[0].key_count == baked[1].key_count);
  /* Three directions and the mean are all there is. */
  assert_true(baked[0].rmse < 1e-3 * baked[0].plain_rmse);
  assert_int_equal(baked[0].morph_count, 4);
  for (uint32_t k = 0; k < 4 * baked[0].tracks[0].key_count; k++) {
    const float w = baked[0].tracks[0].values[k];
    assert_true(w >= 0 && w <= 1); /* what programs do not clamp */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_played, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_basis, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_still, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_free_bones, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_morphs, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
