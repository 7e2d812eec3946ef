/* SPDX-License-Identifier: MIT */
/* What is said of skeletons that do not map. */
#include "check.h"
#include "mannequin.h"
#include "supple/author/joint_map.h"
#include "supple/io/file.h"

static SupArena arena;

static int set_up(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return 0;
}

static void missing_joints_are_named(void **state) {
  (void)state;
  Mannequin a, b;
  SupJointMap map;
  SupError error;
  mannequin_make(&a, 1, 1, 0, 0);
  mannequin_make(&b, 7, 1, 0, 0);
  for (uint32_t j = 0; j < b.skeleton.joint_count; j++) { /* hide what would be enough */
    if (j % 2) snprintf(b.text[j], 48, "thing %u", j);
  }
  snprintf(b.text[mannequin_joint(&b, SUP_HUMANOID_UPPER_ARM, 0)], 48, "tentacle");
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  assert_int_equal(sup_joint_map_check(&map, "moves.glb", "hero.glb", &error),
                   SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "the skeletons do not map: "));
  assert_non_null(strstr(error.text, "map: hero.glb has no joint like '"));
  assert_non_null(strstr(error.text, ", 'upperarm_l' (left upper arm)"));
  char path[1000]; /* folders are left out, and clauses that there is no room for */
  memset(path, 'x', sizeof path);
  path[399] = '/';
  memcpy(path + 990, ".glb", 5);
  assert_int_equal(sup_joint_map_check(&map, "moves.glb", path, &error), SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, " large joints"));
  memcpy(path + 400, "hero.glb", 9);
  assert_int_equal(sup_joint_map_check(&map, path, path, &error), SUP_ERROR_UNSUPPORTED);
  const char *first = strstr(error.text, "map: hero.glb has no joint like '");
  assert_true(first && !strstr(first + 6, "hero.glb") && strstr(first, " more"));
  for (uint32_t j = 0; j < b.skeleton.joint_count; j++) snprintf(b.text[j], 48, "thing %u", j);
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  assert_int_equal(sup_joint_map_check(&map, "moves.glb", "hero.glb", &error),
                   SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "0 of the "));
}

static void rivals_are_named(void **state) {
  (void)state;
  static const char *const names[] = {"hips", "uparm.l", "bicep_left"};
  static const int32_t parents[] = {-1, 0, 0};
  const SupTransform rest[3] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
  const SupSkeleton odd = {
      .joint_count = 3, .bone_count = 3, .parents = parents, .rest = rest, .names = names};
  Mannequin a;
  SupJointMap map;
  SupError error;
  mannequin_make(&a, 1, 1, 0, 0);
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &odd, &map, NULL), SUP_OK);
  assert_int_equal(sup_joint_map_check(&map, "moves.glb", "odd.glb", &error),
                   SUP_ERROR_UNSUPPORTED);
  assert_non_null(
      strstr(error.text, "'upperarm_l' (left upper arm) could be 'uparm.l' or 'bicep_left'"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(missing_joints_are_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(rivals_are_named, set_up, tear_down),
  };
  return cmocka_run_group_tests_name("joint map sentences", tests, NULL, NULL);
}
