/* SPDX-License-Identifier: MIT */
/* The player and its track: activations are felt when they are due, in every round of a loop. */
#include "dancer.h"

#include <math.h>
#include <string.h>

#include "supple/author/player.h"

enum { FRAMES = 150, EVENTS = 4 };
#define FPS 48.0

static const double times[EVENTS] = {0, 0.3, 0.52, 1.005};
static const SupPoppingEvent events[EVENTS] = {{.strength = 1, .length = 0.1f},
                                               {.strength = 0.7f},
                                               {.strength = 0},
                                               {.strength = 1, .length = 0.2f}};
#define BAR 1.01f /* seconds: a round ends between two frames */
static const SupClip bar = {.name = "bar", .duration = BAR}; /* the rest pose */

typedef struct World {
  Dancer *dancer;
  SupPlayer player;
  SupVec3 *positions; /* [FRAMES][vertices] what playing gave */
  uint32_t vertices;
} World;

static World begin(void) {
  World w = {.dancer = dancer_create("leg", 700)};
  const SupModel *model = dancer_model(w.dancer);
  SupPlayerDef def = sup_player_def();
  SupError error;
  def.character = &w.dancer->character;
  def.model_count = 1;
  def.models = &model;
  assert_int_equal(sup_player_create(&w.dancer->arena, &def, &w.player, &error), SUP_OK);
  w.vertices = w.player.stack.vertex_count;
  w.positions = SUP_ALLOC(&w.dancer->arena, SupVec3, (size_t)FRAMES * w.vertices);
  return w;
}

static void play(World *w, SupLoop loop) {
  SupPlayback p = sup_playback(&bar);
  p.loop = loop;
  p.fps = FPS;
  p.track = (SupPoppingTrack){EVENTS, times, events};
  sup_player_play(&w->player, &p);
  for (int i = 0; i < FRAMES; i++) {
    const SupStackFrame inputs = {.positions = {&w->positions[(size_t)i * w->vertices].x, 3}};
    sup_player_frame(&w->player, &inputs);
  }
}

/* The same by hand: what lies in (last frame, this frame] of all rounds is given to the frame. */
static double greatest_difference(World *w, int rounds) {
  SupPlayback p = sup_playback(&bar);
  SupVec3 *here = SUP_ALLOC(&w->dancer->arena, SupVec3, w->vertices);
  double most = 0;
  p.fps = FPS;
  sup_player_play(&w->player, &p);
  for (int i = 0; i < FRAMES; i++) {
    const double now = i / FPS, last = i ? (i - 1) / FPS : -1;
    SupPoppingEvent due[EVENTS * 4];
    uint32_t count = 0;
    for (int k = 0; k < EVENTS * rounds; k++) {
      const double when = k / EVENTS * (double)BAR + times[k % EVENTS];
      if (!(when > last && when <= now)) continue;
      due[count] = events[k % EVENTS];
      due[count++].ago = (float)(now - when);
    }
    const SupPoppingControls muscles = {count, due};
    const SupStackControl control = {SUP_POPPING_KIND, &muscles};
    const SupStackFrame inputs = {
        .control_count = 1, .controls = &control, .positions = {&here->x, 3}};
    sup_player_frame(&w->player, &inputs);
    for (uint32_t v = 0; v < w->vertices; v++) {
      most =
          fmax(most, (double)sup_vec3_distance(here[v], w->positions[(size_t)i * w->vertices + v]));
    }
  }
  return most;
}

static double movement(const World *w) {
  double most = 0;
  for (size_t k = 0; k < (size_t)FRAMES * w->vertices; k++) {
    most = fmax(most, (double)sup_vec3_distance(w->positions[k], w->positions[k % w->vertices]));
  }
  return most;
}

static void a_track_is_heard(void **state) {
  (void)state;
  World w = begin();
  play(&w, SUP_LOOP_HOLD);
  const double size = movement(&w);
  assert_true(size > 0.01);
  assert_true(greatest_difference(&w, 1) < 1e-5 * size);
  play(&w, SUP_LOOP_WRAP);
  assert_true(greatest_difference(&w, 4) < 1e-4 * size);
  assert_true(greatest_difference(&w, 1) > 0.1 * size);
  dancer_free(w.dancer);
}

/* Those given by hand are added to the track's. */
static void others_are_added(void **state) {
  (void)state;
  World w = begin();
  SupPlayback p = sup_playback(&bar);
  SupVec3 *both = SUP_ALLOC(&w.dancer->arena, SupVec3, w.vertices);
  play(&w, SUP_LOOP_HOLD);
  for (int part = 0; part < 2; part++) { /* the first two of the track, the others by hand */
    p.fps = FPS;
    p.track = (SupPoppingTrack){part ? EVENTS : 2, times, events};
    sup_player_play(&w.player, &p);
    for (int i = 0; i < FRAMES; i++) {
      SupPoppingEvent due = {0};
      uint32_t count = 0;
      for (int k = 2; k < EVENTS && !part; k++) {
        if (!(times[k] > (i - 1) / FPS && times[k] <= i / FPS)) continue;
        due = events[k];
        due.ago = (float)(i / FPS - times[k]);
        count = 1;
      }
      const SupPoppingControls muscles = {count, &due};
      const SupStackControl control = {SUP_POPPING_KIND, &muscles};
      const SupStackFrame inputs = {
          .control_count = 1, .controls = &control, .positions = {&both->x, 3}};
      sup_player_frame(&w.player, &inputs);
      for (uint32_t v = 0; v < w.vertices; v++) {
        const SupVec3 one = w.positions[(size_t)i * w.vertices + v];
        assert_true(sup_vec3_distance(both[v], one) < 1e-5f);
      }
    }
  }
  dancer_free(w.dancer);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_track_is_heard),
                                     cmocka_unit_test(others_are_added)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
