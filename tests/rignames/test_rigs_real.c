/* SPDX-License-Identifier: MIT */
/* Real characters onto each other: $SUPPLE_TEST_DATA. */
#include "check.h"

#include "supple/author/joint_map.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"
#include "supple/pose.h"

enum { FILES = 6 };

/* MakeHuman with Unreal's names, Godot's, KayKit's, words of its own, numbers, Unreal's. */
static const char *const files[FILES] = {"mh_old_man", "mannequiny", "kaykit_mage",
                                         "yeti",       "cesium_man", "big_buck_bunny"};

static SupArena arena;

static const SupSkeleton *open_skeleton(const char *data, const char *name,
                                        SupGltf **out_document) {
  char path[600];
  SupGltfCharacter *characters;
  SupError error = {""};
  uint32_t count;
  snprintf(path, sizeof path, "%s/%s.glb", data, name);
  assert_int_equal(sup_gltf_open(path, NULL, out_document, &error), SUP_OK);
  assert_int_equal(sup_gltf_characters(*out_document, &arena, &count, &characters, &error), SUP_OK);
  return &characters[0].character.skeleton;
}

static SupVec3 bone(const SupHumanoid *parts, const SupAffine *globals, uint32_t part,
                    uint32_t side) {
  const SupVec3 a = sup_affine_translation(globals[parts->chains[part][side].joints[0]]);
  const SupVec3 b = sup_affine_translation(globals[parts->chains[part + 1][side].joints[0]]);
  return sup_vec3_normalise(sup_vec3_sub(b, a));
}

/* Turns the first joint of a limb about a scene axis on top of its rest. */
static void turn(const SupJointMap *map, uint32_t part, uint32_t side, SupVec3 axis, float angle,
                 SupPose *io_pose) {
  const uint32_t j = map->source_parts.chains[part][side].joints[0];
  const SupQuat rest = map->source_rest[j];
  axis = sup_quat_rotate(sup_quat_conjugate(rest), axis);
  io_pose->joints[j].rotation =
      sup_quat_mul(io_pose->joints[j].rotation, sup_quat_from_axis_angle(axis, angle));
}

/* The largest angle between the limbs of both in degrees, with an arm raised, an elbow and a knee
 * bent. */
static double limbs_apart(const SupSkeleton *from, const SupSkeleton *to) {
  static const uint32_t limbs[] = {SUP_HUMANOID_UPPER_ARM, SUP_HUMANOID_LOWER_ARM,
                                   SUP_HUMANOID_UPPER_LEG, SUP_HUMANOID_LOWER_LEG};
  SupJointMap map;
  SupJointMapWork work;
  SupError error = {""};
  SupPose source = {.joint_count = from->joint_count}, target = {.joint_count = to->joint_count};
  assert_int_equal(sup_joint_map_make(&arena, from, to, &map, &error), SUP_OK);
  assert_int_equal(sup_joint_map_check(&map, "from", "to", &error), SUP_OK);
  assert_int_equal(sup_joint_map_work(&arena, &map, &work, &error), SUP_OK);
  source.joints = SUP_ALLOC(&arena, SupTransform, source.joint_count);
  target.joints = SUP_ALLOC(&arena, SupTransform, target.joint_count);
  SupAffine *globals[2] = {SUP_ALLOC(&arena, SupAffine, source.joint_count),
                           SUP_ALLOC(&arena, SupAffine, target.joint_count)};
  sup_pose_rest(from, &source);
  turn(&map, SUP_HUMANOID_UPPER_ARM, 0, sup_vec3_make(0, 0, 1), 1.0f, &source);
  turn(&map, SUP_HUMANOID_LOWER_ARM, 0, sup_vec3_make(0, 1, 0), -0.7f, &source);
  turn(&map, SUP_HUMANOID_UPPER_LEG, 1, sup_vec3_make(1, 0, 0), -0.9f, &source);
  turn(&map, SUP_HUMANOID_LOWER_LEG, 1, sup_vec3_make(1, 0, 0), 1.2f, &source);
  sup_joint_map_pose(&map, &work, &source, &target);
  sup_pose_globals(from, &source, globals[0]);
  sup_pose_globals(to, &target, globals[1]);
  double most = 0;
  for (size_t k = 0; k < 8; k++) {
    const SupVec3 a = bone(&map.source_parts, globals[0], limbs[k / 2], k % 2);
    const SupVec3 b = bone(&map.target_parts, globals[1], limbs[k / 2], k % 2);
    const double angle = (double)sup_acosf(sup_vec3_dot(sup_quat_rotate(map.facing, a), b));
    most = angle > most ? angle : most;
  }
  return most * 180 / SUP_PI;
}

static void characters_map_pairwise(void **state) {
  (void)state;
  const char *data = getenv("SUPPLE_TEST_DATA");
  if (!data) skip();
  SupGltf *documents[FILES];
  const SupSkeleton *skeletons[FILES];
  double most = 0;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (uint32_t k = 0; k < FILES; k++) {
    skeletons[k] = open_skeleton(data, files[k], &documents[k]);
  }
  for (uint32_t from = 0; from < FILES; from++) {
    for (uint32_t to = 0; to < FILES; to++) {
      const double apart = limbs_apart(skeletons[from], skeletons[to]);
      if (apart > 1) fail_msg("%s to %s: %.2f degrees apart", files[from], files[to], apart);
      most = apart > most ? apart : most;
    }
  }
  print_message("  limbs at most %.3f degrees apart\n", most);
  for (uint32_t k = 0; k < FILES; k++) sup_gltf_close(documents[k]);
  sup_arena_free(&arena);
}

/* Beasts are no humanoids: the sentence says which joints they lack. */
static void beasts_do_not_map(void **state) {
  (void)state;
  const char *data = getenv("SUPPLE_TEST_DATA");
  if (!data) skip();
  static const char *const beasts[] = {"dragon", "apatosaurus", "shiba_inu", "tentacle"};
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupGltf *man;
  const SupSkeleton *from = open_skeleton(data, "mh_old_man", &man);
  for (size_t k = 0; k < sizeof beasts / sizeof *beasts; k++) {
    SupGltf *document;
    SupJointMap map;
    SupError error = {""};
    const SupSkeleton *to = open_skeleton(data, beasts[k], &document);
    assert_int_equal(sup_joint_map_make(&arena, from, to, &map, &error), SUP_OK);
    assert_int_equal(sup_joint_map_check(&map, "man", "beast", &error), SUP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "the skeletons do not map: "));
    sup_gltf_close(document);
  }
  sup_gltf_close(man);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(characters_map_pairwise),
      cmocka_unit_test(beasts_do_not_map),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
