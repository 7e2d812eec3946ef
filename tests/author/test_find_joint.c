/* SPDX-License-Identifier: MIT */
/* Joints by name and pattern; what carries baked motion. */
#include "check.h"

#include "supple/author/baked.h"
#include "supple/author/find_joint.h"

enum { JOINTS = 9 };

static const char *const names[JOINTS] = {"root",  "tail1",  "tail2",     "tail3",   "arm_l",
                                          "arm_r", "hand_l", "helper_01", "helper_2"};
static const int32_t parents[JOINTS] = {-1, 0, 1, 2, 0, 0, 4, 0, 0};
static const uint32_t bone_joints[JOINTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const SupSkeleton skeleton = {.joint_count = JOINTS,
                                     .bone_count = JOINTS,
                                     .parents = parents,
                                     .names = names,
                                     .bone_joints = bone_joints};

/* The joints that the pattern marks, as digits in order; "-": refused. */
static void expect(const char *pattern, const char *expected) {
  bool marked[JOINTS] = {false};
  char text[JOINTS + 1] = "-";
  size_t used = 0;
  SupError error = {""};
  const SupResult result = sup_find_joints(&skeleton, "not", pattern, marked, &error);
  for (uint32_t j = 0; j < JOINTS && result == SUP_OK; j++) {
    if (marked[j]) text[used++] = (char)('0' + j);
  }
  if (result == SUP_OK) text[used] = 0;
  if (strcmp(text, expected) != 0) fail_msg("'%s' gave %s: %s", pattern, text, error.text);
  if (result == SUP_OK) return;
  assert_int_equal(result, SUP_ERROR_ARGUMENT);
  for (uint32_t j = 0; j < JOINTS; j++) assert_false(marked[j]);
  assert_non_null(strstr(error.text, "--not: "));
}

static void joints_are_found(void **state) {
  (void)state;
  expect("arm_l", "4");
  expect("ARM_L", "4");
  expect("hand", "6");
  expect("arm*", "45");
  expect("*_l", "46");
  expect("tail?", "123");
  expect("tail", "123"); /* one branch: nobody means anything else */
  expect("arm", "-");    /* two branches */
  expect("wing*", "-");
  expect("wing", "-");
  expect("", "-");
}

static void several_are_told(void **state) {
  bool marked[JOINTS] = {false};
  SupError error;
  (void)state;
  sup_find_joints(&skeleton, "only", "arm", marked, &error);
  assert_string_equal(error.text,
                      "--only: there is no bone 'arm'; 'arm' could be arm_l or arm_r: give more of "
                      "the name, or '*arm*' for all of them");
}

static void baked_parts_are_known_by_name(void **state) {
  const SupMorph morphs[] = {{.name = "smile"},
                             {.name = "flesh_01"},
                             {.name = "flesh_01"},
                             {.name = "flesh_02"},
                             {.name = "flesh_x1"}};
  const uint8_t live[JOINTS] = {0, 0, 0, 0, 0, 0, 0, 1, 0};
  SupCharacter character = {.skeleton = skeleton, .morph_count = 5, .morphs = morphs};
  (void)state;
  SupBakedParts parts = sup_baked_parts(&character);
  assert_int_equal(parts.joint_count, 1);
  assert_int_equal(parts.morph_count, 2);
  assert_string_equal(parts.first, "helper_01");
  character.helper_joints = live; /* a model moves it: not baked */
  parts = sup_baked_parts(&character);
  assert_int_equal(parts.joint_count, 0);
  assert_string_equal(parts.first, "flesh_01");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(joints_are_found),
                                     cmocka_unit_test(several_are_told),
                                     cmocka_unit_test(baked_parts_are_known_by_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
