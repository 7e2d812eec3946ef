/* SPDX-License-Identifier: MIT */
/* Morph weights of clips between characters. */
#include "check.h"

#include "supple/author/clip_retarget.h"
#include "supple/clip.h"
#include "supple/io/file.h"

/* Three weights in two tracks, linear and cubic; the target has the last two, the other way round.
 */
static void morph_weights_are_carried_by_name(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  static const SupMorph source[] = {
      {"smile", 0, NULL}, {"blink", 0, NULL}, {"puff", 0, NULL}, {"", 0, NULL}};
  static const SupMorph target[] = {{"", 0, NULL}, {"puff", 0, NULL}, {"blink", 0, NULL}};
  const SupCharacter from = {.morph_count = 4, .morphs = source};
  const SupCharacter to = {.morph_count = 3, .morphs = target};
  uint32_t match[4];
  sup_morphs_match(&from, &to, match);
  assert_true(match[0] == SUP_NONE && match[1] == 2 && match[2] == 1 && match[3] == SUP_NONE);
  static const float times[] = {0, 1};
  static const float pairs[] = {0.1f, 0.2f, 0.3f, 0.8f};  /* smile, blink at both keys */
  static const float puffs[] = {0, 0, 0.5f, 0, 1, 0.25f}; /* tangent, value, tangent */
  const SupTrack tracks[] = {{.target = 0,
                              .channel = SUP_CHANNEL_WEIGHTS,
                              .width = 2,
                              .key_count = 2,
                              .times = times,
                              .values = pairs},
                             {.target = 2,
                              .channel = SUP_CHANNEL_WEIGHTS,
                              .width = 1,
                              .key_count = 2,
                              .times = times,
                              .values = puffs,
                              .interpolation = SUP_INTERPOLATE_CUBIC}};
  const SupClip clip = {"talk", 1, 2, tracks};
  const SupRetarget nothing = {.scale = 1};
  SupClip carried;
  assert_int_equal(sup_clip_retarget(&arena, &nothing, &clip, &carried, NULL), SUP_OK);
  assert_int_equal(carried.track_count, 0);
  assert_int_equal(sup_clip_retarget_weights(&arena, &clip, 4, match, &carried, NULL), SUP_OK);
  assert_int_equal(carried.track_count, 2);
  for (float time = 0; time <= 1; time += 0.125f) {
    float before[4] = {0}, after[3] = {7, 0, 0};
    SupPose pose = {0};
    sup_clip_sample(&clip, time, false, NULL, &pose, before);
    sup_clip_sample(&carried, time, false, NULL, &pose, after);
    assert_true(after[0] == 7 && after[1] == before[2] && after[2] == before[1]);
  }
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(morph_weights_are_carried_by_name),
  };
  return cmocka_run_group_tests_name("clip weights", tests, NULL, NULL);
}
