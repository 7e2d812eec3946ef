/* SPDX-License-Identifier: MIT */
/* How far a clip leads, and what is apart then. */
#include "check.h"

#include <math.h>

#include "supple/author/clip_gap.h"
#include "supple/io/file.h"
#include "surface/tube.h"

static SupArena arena;
static SupCharacter tube;

static int begin(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  tube_make(&arena, 6, 5, NULL, &tube);
  return 0;
}

static int end(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return 0;
}

/* The root goes one metre along z in a second; the second joint turns about z and back. */
static SupClipGap walk(float from, float to) {
  const float times[3] = {0, 0.5f, 1};
  const float places[9] = {0, 0, 0, 0.25f, 0.5f, 0.25f, 0, 0, 1};
  const float turns[12] = {0, 0, 0, 1, 0, 0, 0.6f, 0.8f, 0, 0, 0, 1};
  const SupTrack tracks[2] = {{.channel = SUP_CHANNEL_TRANSLATION,
                               .interpolation = SUP_INTERPOLATE_LINEAR,
                               .width = 3,
                               .key_count = 3,
                               .times = times,
                               .values = places},
                              {.target = 1,
                               .channel = SUP_CHANNEL_ROTATION,
                               .interpolation = SUP_INTERPOLATE_LINEAR,
                               .width = 4,
                               .key_count = 3,
                               .times = times,
                               .values = turns}};
  const SupClip clip = {"walk", 1, 2, tracks};
  SupClipGap gap;
  SupError error;
  assert_int_equal(sup_clip_gap(&arena, &tube, &clip, from, to, &gap, &error), SUP_OK);
  return gap;
}

static void a_walk_leads_on(void **state) {
  (void)state;
  const SupClipGap whole = walk(0, 1), half = walk(0, 0.5f);
  assert_true(sup_vec3_distance(whole.stride, (SupVec3){0, 0, 1}) < 1e-6f);
  assert_true(whole.apart < 1e-6f && whole.turned < 1e-6f);
  assert_true(sup_vec3_distance(half.stride, (SupVec3){0.25f, 0.5f, 0.25f}) < 1e-6f);
  assert_true(half.apart < 1e-6f);
  assert_true(fabsf(half.turned - 0.96f) < 1e-5f); /* the sine of the turn; the cosine is 0.28 */
}

/* The upper joint leaves the lower one. */
static void what_falls_apart_is_seen(void **state) {
  (void)state;
  const SupTransform was = tube.skeleton.rest[1];
  const float times[2] = {0, 1}, places[6] = {was.translation.x, was.translation.y, 0,
                                              was.translation.x, was.translation.y, 0.5f};
  const SupTrack track = {.target = 1,
                          .channel = SUP_CHANNEL_TRANSLATION,
                          .interpolation = SUP_INTERPOLATE_LINEAR,
                          .width = 3,
                          .key_count = 2,
                          .times = times,
                          .values = places};
  const SupClip clip = {"apart", 1, 1, &track};
  SupClipGap gap;
  SupError error;
  assert_int_equal(sup_clip_gap(&arena, &tube, &clip, 0, 1, &gap, &error), SUP_OK);
  assert_true(gap.stride.z > 0.1f && gap.stride.z < 0.4f); /* half of the skin hangs on each */
  assert_true(gap.turned == 0);
  const float upper = 0.5f - gap.stride.z;
  assert_true(fabsf(gap.apart - fmaxf(upper, gap.stride.z)) < 1e-6f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_walk_leads_on, begin, end),
      cmocka_unit_test_setup_teardown(what_falls_apart_is_seen, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
