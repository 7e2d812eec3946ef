/* SPDX-License-Identifier: MIT */
/* Parts of humanoids by the names of many programs. */
#include "check.h"
#include "mannequin.h"
#include "supple/io/file.h"

/* Exactly the joints that the mannequin lists, in their order. */
static void check_chain(const Mannequin *m, const SupJointChain *chain, uint32_t part,
                        uint32_t side, const char *convention) {
  uint32_t at = 0;
  for (uint32_t j = 0; j < m->skeleton.joint_count; j++) {
    if (m->parts[j] != part || m->sides[j] != side) continue;
    if (at >= chain->count || chain->joints[at] != j) {
      fail_msg("%s: %s is not joint %u of the %s", convention, m->names[j], at,
               sup_humanoid_part_name((SupHumanoidPart)part));
    }
    at++;
  }
  if (at != chain->count) {
    fail_msg("%s: %s is taken for the %s", convention, m->names[chain->joints[at]],
             sup_humanoid_part_name((SupHumanoidPart)part));
  }
}

static void conventions_are_read(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (uint32_t c = 0; c < CONVENTIONS; c++) {
    Mannequin m;
    SupHumanoid humanoid;
    mannequin_make(&m, c, 1, 0, 0);
    assert_int_equal(sup_humanoid_find(&arena, &m.skeleton, &humanoid, NULL), SUP_OK);
    for (uint32_t part = 0; part < SUP_HUMANOID_PARTS; part++) {
      for (uint32_t side = 0; side < 2; side++) {
        check_chain(&m, &humanoid.chains[part][side], part, side, convention_names[c]);
      }
    }
  }
  sup_arena_free(&arena);
}

static const struct {
  const char *name;
  SupHumanoidPart part;
} single[] = {
    {"b_LeftForeArm_010", SUP_HUMANOID_LOWER_ARM},
    {"Yeti_LeftElbow", SUP_HUMANOID_LOWER_ARM},
    {"Yeti_RightAnkle", SUP_HUMANOID_FOOT},
    {"CC_Base_L_Thigh", SUP_HUMANOID_UPPER_LEG},
    {"CC_Base_NeckTwist01", SUP_HUMANOID_NECK},
    {"ValveBiped.Bip01_R_Calf", SUP_HUMANOID_LOWER_LEG},
    {"Armature|LeftHip", SUP_HUMANOID_UPPER_LEG},
    {"b_Hip_01", SUP_HUMANOID_HIPS},
    {"LEFT_HAND", SUP_HUMANOID_HAND},
    {"shank_l", SUP_HUMANOID_LOWER_LEG},
    {"right_collar", SUP_HUMANOID_SHOULDER},
    {"Wrist_R", SUP_HUMANOID_HAND},
    {"LeftArm", SUP_HUMANOID_PARTS},      /* an upper or a lower one */
    {"shoulders", SUP_HUMANOID_PARTS},    /* of both sides */
    {"pelvis.L", SUP_HUMANOID_PARTS},     /* a helper */
    {"hand_ik.L", SUP_HUMANOID_PARTS},    /* a control */
    {"LeftHandSlot", SUP_HUMANOID_PARTS}, /* carries a thing */
    {"FrontFoot.L", SUP_HUMANOID_PARTS},  /* of four */
    {"forearmour_l", SUP_HUMANOID_PARTS}, /* another word */
    {"index_metacarpal_l", SUP_HUMANOID_PARTS},
    {"HeadTop_End", SUP_HUMANOID_PARTS},
    {"head_leaf", SUP_HUMANOID_PARTS},
    {"", SUP_HUMANOID_PARTS},
    {"42", SUP_HUMANOID_PARTS},
};

static void single_names_are_read(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof single / sizeof *single; k++) {
    const SupHumanoidPart part = sup_humanoid_name(single[k].name);
    if (part == single[k].part) continue;
    fail_msg("'%s' is taken for %s", single[k].name,
             part < SUP_HUMANOID_PARTS ? sup_humanoid_part_name(part) : "nothing");
  }
}

/* A second hand on the same arm: neither is chosen, and both are named. */
static void rivals_are_told(void **state) {
  (void)state;
  static const char *const names[] = {"hips",         "spine",   "upperarm.l", "lowerarm.l",
                                      "hand_left_01", "handL_b", "belly"};
  static const int32_t parents[] = {-1, 0, 1, 2, 3, 3, 0};
  const SupTransform rest[7] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
  const SupSkeleton skeleton = {.joint_count = 7, .parents = parents, .rest = rest, .names = names};
  SupArena arena;
  SupHumanoid humanoid;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_humanoid_find(&arena, &skeleton, &humanoid, NULL), SUP_OK);
  const SupJointChain *hand = &humanoid.chains[SUP_HUMANOID_HAND][0];
  assert_true(hand->count == 0 && hand->rivals[0] == 4 && hand->rivals[1] == 5);
  const SupJointChain *arm = &humanoid.chains[SUP_HUMANOID_LOWER_ARM][0];
  assert_true(arm->count == 1 && arm->joints[0] == 3 && arm->rivals[0] == SUP_NONE);
  sup_arena_free(&arena);
}

/* However many are equally good: an odd number must not make the last one win. */
static void many_rivals_are_rivals(void **state) {
  (void)state;
  static const char *const names[] = {"hips", "uparm.l", "bicep_left", "humerus_l", "l_upperarm"};
  static const int32_t parents[] = {-1, 0, 0, 0, 0};
  const SupTransform rest[5] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
  for (uint32_t count = 3; count <= 5; count++) {
    const SupSkeleton skeleton = {
        .joint_count = count, .parents = parents, .rest = rest, .names = names};
    SupArena arena;
    SupHumanoid humanoid;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    assert_int_equal(sup_humanoid_find(&arena, &skeleton, &humanoid, NULL), SUP_OK);
    const SupJointChain *arm = &humanoid.chains[SUP_HUMANOID_UPPER_ARM][0];
    assert_int_equal(arm->count, 0);
    assert_true(arm->rivals[0] == 1 && arm->rivals[1] == 2);
    sup_arena_free(&arena);
  }
}

/* A better path behind equally good ones is the best one. */
static void a_better_one_has_no_rivals(void **state) {
  (void)state;
  static const char *const names[] = {"uparm.l", "bicep_left", "humerus_l", "lowerarm_l"};
  static const int32_t parents[] = {-1, -1, -1, 2};
  const SupTransform rest[4] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
  const SupSkeleton skeleton = {.joint_count = 4, .parents = parents, .rest = rest, .names = names};
  SupArena arena;
  SupHumanoid humanoid;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_humanoid_find(&arena, &skeleton, &humanoid, NULL), SUP_OK);
  const SupJointChain *arm = &humanoid.chains[SUP_HUMANOID_UPPER_ARM][0];
  assert_true(arm->count == 1 && arm->joints[0] == 2 && arm->rivals[0] == SUP_NONE);
  sup_arena_free(&arena);
}

static void memory_may_be_short(void **state) {
  (void)state;
  Mannequin m;
  SupHumanoid humanoid;
  mannequin_make(&m, 0, 1, 0, 0);
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    SupError error = {""};
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    const SupResult result = sup_humanoid_find(&arena, &m.skeleton, &humanoid, &error);
    sup_arena_free(&arena);
    assert_true(heap.live_blocks == 0);
    if (result == SUP_OK) {
      assert_true(k > 1);
      return;
    }
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_non_null(strstr(error.text, "memory"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conventions_are_read),
      cmocka_unit_test(single_names_are_read),
      cmocka_unit_test(rivals_are_told),
      cmocka_unit_test(many_rivals_are_rivals),
      cmocka_unit_test(a_better_one_has_no_rivals),
      cmocka_unit_test(memory_may_be_short),
  };
  return cmocka_run_group_tests_name("humanoid", tests, NULL, NULL);
}
