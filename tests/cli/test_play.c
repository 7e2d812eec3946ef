/* SPDX-License-Identifier: MIT */
/* make, play, compare: the real command from a built-in character to figures. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runs.h"
#include "supple/io/file.h"
#include "workdir.h"

/* The number behind `key` in what was said. */
static double said(const char *key) {
  const char *at = strstr(outcome.out, key);
  double value = NAN;
  if (!at || sscanf(at + strlen(key), "%lf", &value) != 1) {
    fail_msg("'%s' is not in: %s", key, outcome.out);
  }
  return value;
}

/* A length behind `key`, whatever its unit, in millimetres. */
static double said_mm(const char *key) {
  const char *at = strstr(outcome.out, key);
  double value = said(key);
  char unit[8] = "";
  if (!at || sscanf(at + strlen(key), "%*f %7s", unit) != 1) fail_msg("no unit: %s", outcome.out);
  if (strcmp(unit, "mm") == 0) return value;
  if (strcmp(unit, "cm") == 0) return 10 * value;
  assert_string_equal(unit, "m");
  return 1000 * value;
}

static void a_clip_is_baked_at_its_rate(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("play tube.glb --clip bend --fps 30 -o bend.pc2");
  run_good("play tube.glb --clip bend --fps 30 --order body -o body.mdd");
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupSamples file = load_cache(&arena, "bend.pc2"), body = load_cache(&arena, "body.mdd");
  assert_true(file.fps == 30 && body.fps == 30 && file.frame_count == 91);
  assert_int_equal(file.frame_count, body.frame_count);
  assert_true(file.vertex_count > body.vertex_count);
  sup_arena_free(&arena);
  run_good("compare bend.pc2 body.mdd --of tube.glb");
  assert_true(said("distance: bend.pc2 is") == 0);
}

static void all_clips_go_to_files_of_their_own(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("play tube.glb --fps 5 -o all.pc2");
  assert_non_null(strstr(outcome.out, "all-bend.pc2"));
  assert_non_null(strstr(outcome.out, "all-sway.pc2"));
  run_bad("play tube.glb --clip bend --clip bend -o twice.pc2", 1, "both be written");
  run_bad("play tube.glb --clip none -o x.pc2", 2, "bend");
  run_bad("play tube.glb --clip bend -o x.fbx", 2, ".pc2");
  run_bad("play none.glb -o x.pc2", 1, "none.glb");
}

static void simulate_refuses_before_it_works(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_bad("simulate tube.glb --clip bend --clip bend -o twice.pc2", 1, "both be written");
  run_bad("simulate tube.glb --clip none -o x.pc2", 2, "bend");
  run_bad("simulate tube.glb --clip bend -o x.fbx", 2, ".pc2");
  assert_int_equal(entry_count("."), 1);
  run_good("simulate tube.glb --clip bend --clip sway --fps 2 --tets 100 -o s.pc2");
  assert_non_null(strstr(outcome.out, "s-bend.pc2"));
  assert_non_null(strstr(outcome.out, "s-sway.pc2"));
  assert_int_equal(entry_count("."), 3);
}

static void dual_quaternions_keep_more_of_a_bend(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("play tube.glb --clip bend --fps 20 -o lbs.pc2");
  run_good("play tube.glb --clip bend --fps 20 --skinning dqs -o dqs.pc2");
  run_good("compare dqs.pc2 lbs.pc2 --of tube.glb --clip bend");
  double rms = said_mm("distance: dqs.pc2 is");
  assert_true(rms > 0.1 && rms < 30); /* on a tube of one metre */
  run_good("compare lbs.pc2 dqs.pc2 --of tube.glb --clip bend");
  assert_true(fabs(said("relative error") - 1) < 1e-4);
}

/* One vertex is pulled out of one frame: the skin is folded around it, then and there. */
static void folded_skin_is_told(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("play tube.glb --clip bend --fps 20 --order body -o bend.pc2");
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupSamples samples = load_cache(&arena, "bend.pc2");
  SupVec3 *positions = (SupVec3 *)(uintptr_t)samples.positions;
  positions[7 * (size_t)samples.vertex_count + 200].x += 1;
  SupError error;
  assert_int_equal(sup_cache_save(sup_heap_allocator(), "torn.pc2", &samples, &error), SUP_OK);
  sup_arena_free(&arena);
  run_good("compare torn.pc2 bend.pc2 --of tube.glb --clip bend --verbose");
  const double percent = said("folded area");
  assert_true(percent > 0.1 && percent < 5);
  must_say(" % of the skin in frame 7, most at vertex 200; plain skinning 0.000 %\n");
  run_good("compare torn.pc2 bend.pc2 --of tube.glb --clip bend --json -");
  assert_true(fabs(said("\"folded_area\": {\n      \"worst\":") - percent / 100) < 1e-5);
  must_say("\"worst_frame\": 7,\n      \"worst_vertex\": 200,\n      \"skinning_worst\": 0,");
  run_good("compare bend.pc2 bend.pc2 --of tube.glb");
  must_say("folds: at most 0 % of the skin\n");
  run_good("compare bend.pc2 bend.pc2 --of tube.glb --verbose");
  must_say(" 0.000 % of the skin\n"); /* and no frame */
  assert_null(strstr(outcome.out, "plain skinning"));
  run_good("compare torn.pc2 bend.pc2");
  assert_null(strstr(outcome.out, "folds"));
}

/* A cache from elsewhere, with its vertices in another order, is matched by the clip's pose. */
static void a_shuffled_cache_is_matched(void **state) {
  (void)state;
  run_good("make toy --vertices 494 -o toy.glb");
  run_good("play toy.glb --fps 20 --order body -o toy.pc2");
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  run_good("info toy.glb");
  char clip[64] = "";
  const char *at = strstr(outcome.out, "clips");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "clips %63s", clip), 1);
  char line[256];
  snprintf(line, sizeof line, "play toy.glb --clip %s --fps 20 --order body -o one.pc2", clip);
  run_good(line);
  SupSamples samples = load_cache(&arena, "one.pc2");
  uint32_t count = samples.vertex_count;
  SupVec3 *mixed = SUP_ALLOC(&arena, SupVec3, (size_t)samples.frame_count * count);
  for (uint32_t i = 0; i < samples.frame_count; i++) {
    for (uint32_t v = 0; v < count; v++) { /* 7 and 494 have no common divisor */
      mixed[(size_t)i * count + v] =
          samples.positions[(size_t)i * count + (7 * (size_t)v + 3) % count];
    }
  }
  samples.positions = mixed;
  samples.order = SUP_ORDER_UNKNOWN;
  SupError error;
  assert_int_equal(sup_cache_save(sup_heap_allocator(), "mixed.pc2", &samples, &error), SUP_OK);
  sup_arena_free(&arena);
  snprintf(line, sizeof line, "compare mixed.pc2 one.pc2 --of toy.glb --clip %s", clip);
  run_good(line);
  assert_true(said("distance: mixed.pc2 is") == 0);
  assert_non_null(strstr(outcome.out, "mixed.pc2 is in an order of its own, matched by position"));
}

/* The same motion as Blender would write it: centimetres, Z up, no trailer. */
static void a_cache_of_another_program_is_compared(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("play tube.glb --clip bend --fps 20 -o ours.pc2");
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupSamples samples = load_cache(&arena, "ours.pc2");
  SupVec3 *positions = (SupVec3 *)(uintptr_t)samples.positions;
  sup_positions_convert(positions, (size_t)samples.frame_count * samples.vertex_count, 100,
                        SUP_UP_Y, SUP_UP_Z);
  samples.order = SUP_ORDER_UNKNOWN;
  SupError error;
  assert_int_equal(sup_cache_save(sup_heap_allocator(), "theirs.mdd", &samples, &error), SUP_OK);
  sup_arena_free(&arena);
  run_good("compare theirs.mdd ours.pc2 --of tube.glb --clip bend --units cm --up-axis z");
  assert_true(said_mm("distance: theirs.mdd is") < 1e-3);
  run_good("compare theirs.mdd ours.pc2 --of tube.glb --clip bend");
  assert_true(said_mm("distance: theirs.mdd is") > 100);
}

/* Waits until the folder holds more than `least` entries; whether it ever did. What was seen may be
 * gone again: before it works the tool tries whether it can write there. */
static bool entries_above(int least) {
  for (int k = 0; k < 12000; k++) {
    if (entry_count(".") > least) return true;
    struct timespec time = {0, 5000000};
    nanosleep(&time, NULL);
  }
  return false;
}

/* The real process, with all threads that its libraries start: what it was writing disappears, and
 * it ends by the signal. */
static void a_killed_bake_leaves_nothing(void **state) {
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
  static char *const lines[][14] = {
      {SUPPLE_COMMAND, "play", "leg.glb", "--fps", "10000", "-o", "long.pc2", NULL},
      {SUPPLE_COMMAND, "simulate", "small.glb", "--young", "2e4", "--tets", "300", "--fps", "1000",
       "-o", "long.mdd", NULL},
  };
  (void)state;
  run_good("make leg --vertices 20000 -o leg.glb");
  run_good("make leg --vertices 1500 -o small.glb"); /* so that it soon writes */
  for (size_t k = 0; k < 6; k++) {
    Child child = spawn_begin((Command){NULL, lines[k % 2], -1});
    struct timespec time = {0, 30000000 * (long)k};
    assert_true(entries_above(2));
    nanosleep(&time, NULL);
    kill(child.process, signals[k / 2]);
    spawn_end(child, &outcome);
    assert_int_equal(outcome.signal, signals[k / 2]);
    assert_int_equal(entry_count("."), 2);
  }
}

static void motions_of_different_length_are_refused(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("play tube.glb --clip bend --fps 20 -o a.pc2");
  run_good("play tube.glb --clip sway --fps 20 -o b.pc2");
  run_bad("compare a.pc2 b.pc2", 1, "frames");
  run_good("play tube.glb --clip bend --fps 20 --order body -o c.pc2");
  run_bad("compare a.pc2 c.pc2", 1, "vertices");
  run_bad("compare a.pc2 a.pc2 --clip bend", 2, "--of");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(a_clip_is_baked_at_its_rate),
      IN_FOLDER(all_clips_go_to_files_of_their_own),
      IN_FOLDER(simulate_refuses_before_it_works),
      IN_FOLDER(dual_quaternions_keep_more_of_a_bend),
      IN_FOLDER(folded_skin_is_told),
      IN_FOLDER(a_shuffled_cache_is_matched),
      IN_FOLDER(a_cache_of_another_program_is_compared),
      IN_FOLDER(a_killed_bake_leaves_nothing),
      IN_FOLDER(motions_of_different_length_are_refused),
  };
  return cmocka_run_group_tests_name("play", tests, NULL, NULL);
}
