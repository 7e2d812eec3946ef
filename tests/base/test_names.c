/* SPDX-License-Identifier: MIT */
/* The one matcher of names, and patterns. */
#include "check.h"

static const char *const rig[] = {"Hips",
                                  "mixamorig:Head",
                                  "mixamorig:HeadTop_End",
                                  "Arm_L",
                                  "Arm_R",
                                  "forearm_L",
                                  "walk",
                                  "Walk",
                                  "Jump_Start",
                                  NULL,
                                  "Tail",
                                  "Tail",
                                  "tail_tip",
                                  ""};

enum { COUNT = sizeof rig / sizeof *rig };

static const SupNameList list = {rig, sizeof *rig, COUNT};

static void names_are_found(void **state) {
  static const struct {
    const char *word;
    size_t expected;
  } cases[] = {{"Hips", 0},
               {"hips", 0},
               {"HIPS", 0},
               {"hip", 0},                /* a part, and the only one */
               {"head", 1},               /* behind the colon, though it is in another too */
               {"mixamorig:head", 1},     /* but for capitals */
               {"headtop", 2},            /* a part */
               {"arm", SUP_NAME_SEVERAL}, /* of three */
               {"arm_r", 4},              /* whole, but for capitals */
               {"arm_", SUP_NAME_SEVERAL},
               {"forearm", 5},
               {"walk", 6}, /* exactly, although another differs in capitals */
               {"Walk", 7},
               {"WALK", SUP_NAME_SEVERAL},
               {"start", 8},
               {"Tail", 10}, /* the first of two that are the same */
               {"TAIL", 10},
               {"tail_", 12},
               {"", 13}, /* only the empty name itself */
               {"belly", SUP_NAME_NONE},
               {"Hipss", SUP_NAME_NONE},
               {"*", SUP_NAME_NONE}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const size_t found = sup_name_find(cases[k].word, list);
    if (found != cases[k].expected) {
      fail_msg("'%s' gave %zd instead of %zd", cases[k].word, (ssize_t)found,
               (ssize_t)cases[k].expected);
    }
  }
  assert_true(sup_name_find("x", (SupNameList){NULL, 8, 0}) == SUP_NAME_NONE);
}

static void names_in_structs_are_found(void **state) {
  const struct {
    double number;
    const char *name;
  } clips[] = {{1, "walk"}, {2, NULL}, {3, "Jump"}};
  (void)state;
  assert_int_equal(sup_name_find("jump", (SupNameList){&clips->name, sizeof *clips, 3}), 2);
}

static void hints_say_what_may_be_meant(void **state) {
  char text[160], little[12];
  (void)state;
  sup_name_hint(text, sizeof text, "arm", list);
  assert_string_equal(text, "; 'arm' could be Arm_L, Arm_R or forearm_L: give more of the name");
  sup_name_hint(text, sizeof text, "a", list);
  assert_string_equal(text,
                      "; 'a' could be mixamorig:Head, mixamorig:HeadTop_End, Arm_L, Arm_R or 7 "
                      "more: give more of the name");
  assert_string_equal(sup_name_hint(text, sizeof text, "hisp", list), "; did you mean 'Hips'?");
  assert_string_equal(sup_name_hint(text, sizeof text, "belly", list), "");
  assert_int_equal(strlen(sup_name_hint(little, sizeof little, "arm", list)), sizeof little - 1);
  assert_string_equal(sup_name_hint(text, sizeof text, "x", (SupNameList){NULL, 8, 0}), "");
}

static void patterns_fit(void **state) {
  static const struct {
    const char *pattern, *name;
    bool fits;
  } cases[] = {{"*", "", true},
               {"*", "anything", true},
               {"arm*", "Arm_L", true},
               {"arm*", "forearm", false},
               {"*arm*", "forearm_L", true},
               {"*_l", "Arm_L", true},
               {"*_l", "Arm_Lower", false},
               {"tail?", "Tail1", true},
               {"tail?", "Tail", false},
               {"tail?", "Tail12", false},
               {"a*b*c", "aXbYbZc", true},
               {"a*b*c", "aXc", false},
               {"**", "x", true},
               {"?", "", false},
               {"", "", true},
               {"", "x", false},
               {"Head", "head", true},
               {"*a*a*a*a*b", "aaaaaaaaaaaaaaaa", false}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    if (sup_name_fits(cases[k].pattern, cases[k].name) != cases[k].fits) {
      fail_msg("'%s' and '%s'", cases[k].pattern, cases[k].name);
    }
  }
  assert_true(sup_name_is_pattern("a*") && sup_name_is_pattern("?") && !sup_name_is_pattern("a"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_found), cmocka_unit_test(names_in_structs_are_found),
      cmocka_unit_test(hints_say_what_may_be_meant), cmocka_unit_test(patterns_fit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
