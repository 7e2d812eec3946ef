/* SPDX-License-Identifier: MIT */
/* The player: what is known of a clip that is cut, repeated, held or sought, against a tube of
 * flesh that plays the same motion written down as one long clip. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "supple/author/player.h"
#include "supple/author/skin_pack.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "surface/tube.h"

enum { VERTICES = 10 * 9 + 2, ROUNDS = 4, KEYS = 2 * ROUNDS + 1 };

static SupArena arena;
static SupCharacter tube;
static const SupModel *flesh[1];

/* A walk: the root goes a metre along z in every second, and it turns about z and back. */
static float times[KEYS], places[3 * KEYS], turns[4 * KEYS];
static SupTrack walk_tracks[2], long_tracks[2];
static SupClip walk, long_walk; /* one round, and all of them as one clip */
static SupClip open_clip;       /* the first half of a round */

static void make_walk(uint32_t keys, const char *name, SupTrack *tracks, SupClip *out) {
  tracks[0] = (SupTrack){.channel = SUP_CHANNEL_TRANSLATION,
                         .width = 3,
                         .key_count = keys,
                         .times = times,
                         .values = places};
  tracks[1] = (SupTrack){.channel = SUP_CHANNEL_ROTATION,
                         .width = 4,
                         .key_count = keys,
                         .times = times,
                         .values = turns};
  *out = (SupClip){name, times[keys - 1], 2, tracks};
}

static int begin(void **state) {
  (void)state;
  static SupTrack open_tracks[2];
  SupSurfaceDef def = sup_surface_def();
  SupModel *model;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  tube_make(&arena, 10, 9, NULL, &tube);
  assert_int_equal(tube.body.vertex_count, VERTICES);
  def.segments = tube_segments;
  def.segment_count = 2;
  static const float values[5] = {0.1f, 0.15f, 0.1f, 0.1f, 0.08f}; /* 3 Hz or so, well damped */
  for (int k = 0; k < 5; k++) def.values[k] = values[k];
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_OK);
  flesh[0] = model;
  for (uint32_t k = 0; k < KEYS; k++) {
    const bool middle = k % 2;
    times[k] = 0.5f * (float)k;
    places[3 * k + 1] = middle ? 0.1f : 0;
    places[3 * k + 2] = 0.5f * (float)k;
    turns[4 * k + 2] = middle ? 0.6f : 0;
    turns[4 * k + 3] = middle ? 0.8f : 1;
  }
  make_walk(3, "walk", walk_tracks, &walk);
  make_walk(KEYS, "long", long_tracks, &long_walk);
  make_walk(2, "open", open_tracks, &open_clip);
  return 0;
}

static int end(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return 0;
}

static SupPlayer make(bool plain) {
  SupPlayer player;
  SupError error;
  SupPlayerDef def = sup_player_def();
  def.character = &tube;
  def.model_count = plain ? 0 : 1;
  def.models = flesh;
  assert_int_equal(sup_player_create(&arena, &def, &player, &error), SUP_OK);
  assert_int_equal(player.stack.vertex_count, VERTICES);
  return player;
}

static SupPlayback playback(const SupClip *clip, SupLoop loop, double preroll) {
  SupPlayback p = sup_playback(clip);
  p.loop = loop;
  p.preroll = preroll;
  return p;
}

static SupStackFrame into(SupVec3 *positions) {
  return (SupStackFrame){.positions = {&positions->x, 3}};
}

static void frame(SupPlayer *player, SupVec3 *out) {
  const SupStackFrame inputs = into(out);
  sup_player_frame(player, &inputs);
}

static void step(SupPlayer *player, double dt, SupVec3 *out) {
  const SupStackFrame inputs = into(out);
  sup_player_step(player, dt, &inputs);
}

static void seek(SupPlayer *player, double time, double lead, SupVec3 *out) {
  const SupStackFrame inputs = into(out);
  sup_player_seek(player, time, lead, &inputs);
}

static float apart(const SupVec3 *a, const SupVec3 *b) {
  float most = 0;
  for (uint32_t v = 0; v < VERTICES; v++) most = fmaxf(most, sup_vec3_distance(a[v], b[v]));
  return most;
}

static bool same(const SupVec3 *a, const SupVec3 *b) {
  return memcmp(a, b, VERTICES * sizeof *a) == 0;
}

/* ---- Seeking --------------------------------------------------------------------------------- */

/* Any frame, any loop, with and without a preroll: the bits of playing; and the next one too. */
static void seeking_is_playing(void **state) {
  (void)state;
  static const SupLoop loops[3] = {SUP_LOOP_HOLD, SUP_LOOP_WRAP, SUP_LOOP_RESTART};
  enum { FRAMES = 150 };
  static SupVec3 played[FRAMES][VERTICES];
  SupVec3 sought[VERTICES];
  SupPlayer player = make(false);
  for (int k = 0; k < 12; k++) {
    SupPlayback p = playback(k % 4 < 2 ? &walk : &open_clip, loops[k / 4], k % 2 ? 0.7 : 0);
    p.fps = k % 2 ? 60 : 24;
    sup_player_play(&player, &p);
    for (int i = 0; i < FRAMES; i++) frame(&player, played[i]);
    for (int i = 0; i + 1 < FRAMES; i += 29) {
      seek(&player, i / p.fps, SUP_PLAYER_FROM_START, sought);
      assert_true(same(sought, played[i]));
      frame(&player, sought);
      assert_true(same(sought, played[i + 1]));
    }
  }
}

/* Between two frames, and from some seconds before only: what flesh forgets by then. */
static void seeking_with_a_lead_is_near(void **state) {
  (void)state;
  SupVec3 whole[VERTICES], part[VERTICES], at_rest[VERTICES];
  SupPlayer player = make(false);
  const SupPlayback p = playback(&long_walk, SUP_LOOP_HOLD, 0);
  sup_player_play(&player, &p);
  seek(&player, 3.777, SUP_PLAYER_FROM_START, whole);
  assert_true(fabs(sup_player_clip_time(&player) - 3.777) < 1e-12);
  seek(&player, 3.777, 3, part);
  assert_true(apart(whole, part) < 1e-3f);
  seek(&player, 3.777, 0, at_rest);
  assert_true(apart(whole, at_rest) > 0.02f);
  frame(&player, part); /* the next of the grid: 227 / 60 */
  assert_true(fabs(sup_player_clip_time(&player) - 227 / 60.0) < 1e-12);
}

/* A cut starts at rest in its pose: plain skinning, in its first frame. */
static void a_cut_is_at_rest(void **state) {
  (void)state;
  SupVec3 cut[VERTICES], skin[VERTICES];
  SupPlayer player = make(false), plain = make(true);
  const SupPlayback p = playback(&walk, SUP_LOOP_HOLD, 0);
  sup_player_play(&player, &p);
  sup_player_play(&plain, &p);
  for (int i = 0; i < 30; i++) frame(&player, cut);
  sup_player_cut(&plain, 0.7);
  step(&plain, 0, skin);
  step(&player, 0.7 - player.time, cut);
  assert_true(apart(cut, skin) > 0.01f);
  sup_player_cut(&player, 0.7);
  step(&player, 0, cut);
  assert_true(apart(cut, skin) < 1e-6f);
}

/* The flesh of a pose of a clip after it came to rest in it. */
static void settle(const SupClip *clip, double time, SupVec3 *out) {
  SupPlayer player = make(false);
  const SupPlayback p = playback(clip, SUP_LOOP_HOLD, 0);
  const SupStackFrame inputs = into(out);
  sup_player_play(&player, &p);
  sup_player_cut(&player, time);
  for (int i = 0; i < 600; i++) sup_player_hold(&player, 1 / 60.0, &inputs);
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* Round after round is the long walk: joints, root and flesh. */
static void a_loop_goes_on_by_its_stride(void **state) {
  (void)state;
  SupVec3 once[VERTICES], again[VERTICES];
  SupPlayer one = make(false), all = make(false);
  const SupPlayback wrap = playback(&walk, SUP_LOOP_WRAP, 0);
  const SupPlayback hold = playback(&long_walk, SUP_LOOP_HOLD, 0);
  assert_true(sup_player_play(&one, &wrap));
  assert_true(sup_player_play(&all, &hold));
  assert_true(sup_vec3_distance(one.stride, (SupVec3){0, 0, 1}) < 1e-6f);
  for (int i = 0; i <= 60 * ROUNDS; i++) {
    frame(&one, again);
    frame(&all, once);
    assert_true(apart(once, again) < 2e-5f);
    assert_true(sup_player_clip_time(&one) >= 0 && sup_player_clip_time(&one) < 1);
    assert_true(one.pose.root.translation.z == (float)(i / 60));
  }
}

/* A loop that was played before its first frame ends as it began, a stride farther. */
static void a_prerolled_loop_meets_itself(void **state) {
  (void)state;
  SupVec3 first[VERTICES], last[VERTICES];
  SupPlayer player = make(false);
  const SupPlayback p = playback(&walk, SUP_LOOP_WRAP, 2.5);
  sup_player_play(&player, &p);
  assert_true(player.time == -3); /* whole rounds */
  frame(&player, first);
  for (int i = 1; i <= 60; i++) frame(&player, last);
  for (uint32_t v = 0; v < VERTICES; v++) last[v].z -= 1;
  assert_true(apart(first, last) < 1e-3f);
}

/* A clip without its last frame is led back to its first pose in the time it is given. */
static void a_loop_closes_within_its_time(void **state) {
  (void)state;
  SupTransform joints[2];
  SupPose pose = {.joint_count = 2, .joints = joints};
  SupVec3 unused[VERTICES];
  SupPlayer player = make(true);
  SupPlayback p = playback(&open_clip, SUP_LOOP_WRAP, 0);
  p.closing = 0.25;
  assert_false(sup_player_play(&player, &p)); /* it turns by 74 degrees */
  sup_player_cut(&player, 0.5 + 0.125);
  step(&player, 0, unused);
  const float half = sup_sinf(0.5f * sup_atan2f(0.6f, 0.8f)); /* of the turn's half angle */
  assert_true(fabsf(player.pose.joints[0].rotation.z - half) < 1e-6f);
  sup_player_cut(&player, 0.75 - 1e-9);
  step(&player, 0, unused);
  const SupVec3 before =
      sup_vec3_add(player.pose.root.translation, player.pose.joints[0].translation);
  sup_player_cut(&player, 0.75);
  step(&player, 0, unused);
  sup_player_pose(&player, 0, &pose, NULL);
  assert_true(fabsf(joints[0].rotation.z) < 1e-6f);
  assert_true(sup_vec3_distance(
                  before, sup_vec3_add(pose.root.translation, joints[0].translation)) < 1e-6f);
}

/* At the end the last pose stays, also for the steps between two frames: flesh comes to rest in it
 * at any frame rate. */
static void the_end_is_held(void **state) {
  (void)state;
  static const double rates[3] = {60, 37, 144};
  SupVec3 settled[VERTICES], held[VERTICES];
  SupPlayer player = make(false);
  const SupPlayback p = playback(&open_clip, SUP_LOOP_HOLD, 0);
  settle(&open_clip, 0.5, settled);
  for (int k = 0; k < 3; k++) {
    sup_player_play(&player, &p);
    step(&player, 0, held);
    for (int i = 1; i / rates[k] < 0.5; i++) step(&player, 1 / rates[k], held);
    assert_true(apart(held, settled) > 0.05f);
    for (int i = 0; i < 10 * rates[k]; i++) step(&player, 1 / rates[k], held);
    assert_true(sup_player_clip_time(&player) == 0.5);
    assert_true(apart(held, settled) < 1e-5f);
  }
}

/* An open clip is cut where it begins again: the frame has the bits of a cut there. */
static void an_open_clip_starts_afresh(void **state) {
  (void)state;
  SupVec3 looped[VERTICES], cut[VERTICES];
  SupPlayer player = make(false), other = make(false);
  const SupPlayback p = playback(&open_clip, SUP_LOOP_RESTART, 0);
  assert_false(sup_player_play(&player, &p));
  sup_player_play(&other, &p);
  step(&player, 0, looped);
  for (int i = 0; i < 8; i++) step(&player, 0.07, looped);
  assert_true(fabs(sup_player_clip_time(&player) - 0.06) < 1e-12);
  assert_true(player.pose.root.translation.z == 0); /* it goes back to its place */
  sup_player_cut(&other, player.time);
  step(&other, 0, cut);
  assert_true(same(looped, cut));
  step(&player, 0.01, looped);
  step(&other, 0.01, cut);
  assert_true(same(looped, cut));
  /* A closed one goes on. */
  const SupPlayback closed = playback(&walk, SUP_LOOP_RESTART, 0);
  assert_true(sup_player_play(&player, &closed));
  for (int i = 0; i < 70; i++) frame(&player, looped);
  assert_true(player.pose.root.translation.z == 1);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* After 1.4 s in frames of any length the flesh is where it is with others, also where a turn of
 * the motion lies between two frames. */
static void frame_rates_agree(void **state) {
  (void)state;
  static const double rates[4] = {5, 35, 145, 1000};
  SupVec3 at_60[VERTICES], here[VERTICES], skin[VERTICES];
  SupPlayer player = make(false), plain = make(true);
  const SupPlayback p = playback(&walk, SUP_LOOP_WRAP, 0);
  sup_player_play(&plain, &p);
  sup_player_cut(&plain, 1.4);
  step(&plain, 0, skin);
  sup_player_play(&player, &p);
  for (int i = 0; i <= 84; i++) frame(&player, at_60);
  assert_true(apart(at_60, skin) > 0.02f);
  for (int k = 0; k < 4; k++) {
    sup_player_play(&player, &p);
    step(&player, 0, here);
    for (int i = 0; i < 1.4 * rates[k] - 0.5; i++) step(&player, 1 / rates[k], here);
    assert_true(fabs(player.time - 1.4) < 1e-9);
    assert_true(apart(at_60, here) < 1e-4f);
  }
}

/* Frames longer than a stack bears are played in parts. */
static void long_frames_are_divided(void **state) {
  (void)state;
  SupVec3 at_60[VERTICES], at_2[VERTICES];
  SupPlayer player = make(false);
  SupPlayback p = playback(&walk, SUP_LOOP_WRAP, 0);
  sup_player_play(&player, &p);
  for (int i = 0; i <= 90; i++) frame(&player, at_60);
  p.fps = 2;
  sup_player_play(&player, &p);
  for (int i = 0; i <= 3; i++) frame(&player, at_2);
  assert_true(apart(at_60, at_2) < 1e-4f);
}

/* While the clip stands still the flesh comes to rest in its pose, and then the clip goes on. */
static void a_clip_can_stand_still(void **state) {
  (void)state;
  SupVec3 settled[VERTICES], held[VERTICES];
  SupPlayer player = make(false);
  const SupPlayback p = playback(&walk, SUP_LOOP_WRAP, 0);
  settle(&walk, 20 / 60.0, settled);
  sup_player_play(&player, &p);
  for (int i = 0; i <= 20; i++) frame(&player, held);
  assert_true(apart(held, settled) > 0.02f);
  const SupStackFrame inputs = into(held);
  for (int i = 0; i < 600; i++) sup_player_hold(&player, 1 / 55.0, &inputs);
  assert_true(apart(held, settled) < 1e-5f);
  step(&player, 0.25, held);
  assert_true(fabs(sup_player_clip_time(&player) - 20 / 60.0 - 0.25) < 1e-12);
}

typedef struct Hand {
  float lift; /* metres per second */
  double *now;
  int between; /* poses that were asked for between two frames */
} Hand;

static void lift(void *user, float ago, SupPose *io_pose) {
  Hand *hand = user;
  if (ago > 0) hand->between++;
  io_pose->root.translation.y += hand->lift * (float)(*hand->now - (double)ago);
}

/* Somebody who lifts the character by the callback does what the clip would have done. */
static void the_pose_can_be_modified(void **state) {
  (void)state;
  const float lifts[9] = {0, 0, 0, 0, 0.6f, 0.5f, 0, 1, 1}; /* 0.1 of the walk's own, and 1 m/s */
  SupTrack tracks[2] = {walk_tracks[0], walk_tracks[1]};
  tracks[0].values = lifts;
  const SupClip lifted = {"lifted", 1, 2, tracks};
  SupVec3 by_clip[VERTICES], by_hand[VERTICES];
  SupPlayer player = make(false), other;
  Hand hand = {.lift = 1};
  SupPlayerDef def = player.def;
  SupError error;
  def.models = flesh;
  def.modify_pose = lift;
  def.user = &hand;
  assert_int_equal(sup_player_create(&arena, &def, &other, &error), SUP_OK);
  hand.now = &other.time;
  SupPlayback p = playback(&lifted, SUP_LOOP_HOLD, 0);
  p.fps = 37;
  sup_player_play(&player, &p);
  p.clip = &walk;
  sup_player_play(&other, &p);
  for (int i = 0; i <= 36; i++) {
    frame(&player, by_clip);
    frame(&other, by_hand);
    assert_true(apart(by_clip, by_hand) < 1e-5f);
  }
  assert_true(hand.between > 30);
}

/* ---- Plain skinning, errors ------------------------------------------------------------------ */

static void without_models_it_is_skinning(void **state) {
  (void)state;
  SupVec3 played[VERTICES], skinned[VERTICES];
  SupTransform joints[2];
  SupPose pose = {.joint_count = 2, .joints = joints};
  SupAffine globals[2], palette[2];
  SupSkinView skin;
  SupError error;
  assert_int_equal(sup_skin_pack_character(&arena, &tube, SUP_ORDER_BODY, &skin, &error), SUP_OK);
  for (int k = 0; k < 2; k++) {
    SupPlayerDef def = sup_player_def();
    SupPlayer player;
    SupDualBone duals[2];
    def.character = &tube;
    def.dual_quaternions = k;
    assert_int_equal(sup_player_create(&arena, &def, &player, &error), SUP_OK);
    const SupPlayback p = playback(&walk, SUP_LOOP_HOLD, 0);
    sup_player_play(&player, &p);
    for (int i = 0; i <= 60; i++) {
      frame(&player, played);
      sup_pose_rest(&tube.skeleton, &pose);
      sup_clip_sample(&walk, (float)i / 60, false, NULL, &pose, NULL);
      sup_pose_globals(&tube.skeleton, &pose, globals);
      sup_pose_palette(&tube.skeleton, globals, palette);
      SupSkinCall call = {
          .skin = &skin, .palette = palette, .duals = duals, .positions = {&skinned->x, 3}};
      if (k) {
        call.stretched = sup_skin_duals(2, palette, duals);
        sup_skin_dqs(sup_backend_cpu(), NULL, &call);
      } else {
        sup_skin_lbs(sup_backend_cpu(), NULL, &call);
      }
      assert_true(same(played, skinned));
    }
  }
}

static void errors_are_said(void **state) {
  (void)state;
  SupPlayer player = {.frame = 77};
  SupError error;
  SupPlayerDef def = {.character = &tube};
  assert_int_equal(sup_player_create(&arena, &def, &player, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "sup_player_def"));
  def = sup_player_def();
  def.character = &tube;
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena own;
    sup_arena_init(&own, counting_allocator(&heap), 0);
    const SupResult result = sup_player_create(&own, &def, &player, &error);
    if (result == SUP_OK) { /* comparing needs memory for a moment: without, the clip is open */
      const SupPlayback p = playback(&walk, SUP_LOOP_WRAP, 0);
      heap.fail_at = heap.calls + 1;
      assert_false(sup_player_play(&player, &p));
      heap.fail_at = 0;
      assert_true(sup_player_play(&player, &p));
      assert_true(k > 1);
    } else {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      assert_int_equal(player.frame, 77);
    }
    sup_arena_free(&own);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(seeking_is_playing),
                                     cmocka_unit_test(seeking_with_a_lead_is_near),
                                     cmocka_unit_test(a_cut_is_at_rest),
                                     cmocka_unit_test(a_loop_goes_on_by_its_stride),
                                     cmocka_unit_test(a_prerolled_loop_meets_itself),
                                     cmocka_unit_test(a_loop_closes_within_its_time),
                                     cmocka_unit_test(the_end_is_held),
                                     cmocka_unit_test(an_open_clip_starts_afresh),
                                     cmocka_unit_test(frame_rates_agree),
                                     cmocka_unit_test(long_frames_are_divided),
                                     cmocka_unit_test(a_clip_can_stand_still),
                                     cmocka_unit_test(the_pose_can_be_modified),
                                     cmocka_unit_test(without_models_it_is_skinning),
                                     cmocka_unit_test(errors_are_said)};
  return cmocka_run_group_tests(tests, begin, end);
}
