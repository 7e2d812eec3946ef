/* SPDX-License-Identifier: MIT */
/* The clips of the built-in characters: keys, loops, feet. */
#include "surface_check.h"

#include <stdio.h>
#include <string.h>

/* ---- Keys ----------------------------------------------------------------------------------- */

/* The step over the seam of a loop bends no more than the steps inside do. */
static void check_seam(const char *what, const SupTrack *track) {
  double inside = 0, seam = 0;
  uint32_t w = track->width, n = track->key_count;
  for (uint32_t i = 1; i < n; i++) {
    double bend = 0;
    for (uint32_t k = 0; k < w; k++) {
      uint32_t after = i + 1 < n ? i + 1 : 1; /* the last key is the first again */
      double d = (double)track->values[(i - 1) * w + k] - 2 * (double)track->values[i * w + k] +
                 (double)track->values[after * w + k];
      bend += d * d;
    }
    if (i + 1 < n) {
      inside = fmax(inside, bend);
    } else {
      seam = bend;
    }
  }
  if (sqrt(seam) > 1.2 * sqrt(inside) + 1e-6) {
    fail_msg("%s: the seam bends by %g, the inside by %g", what, sqrt(seam), sqrt(inside));
  }
}

static void check_key(const char *what, const SupTrack *track, uint32_t i) {
  const float *value = &track->values[i * track->width];
  assert_true(fabs((double)track->times[i] - i / 60.0) < 1e-6);
  for (uint32_t k = 0; k < track->width; k++) assert_true(isfinite(value[k]));
  double norm = 0, turn = 0, move = 0;
  for (uint32_t k = 0; k < track->width; k++) {
    double before = i > 0 ? (double)value[(int)k - (int)track->width] : (double)value[k];
    norm += (double)value[k] * (double)value[k];
    turn += (double)value[k] * before;
    move = fmax(move, fabs((double)value[k] - before));
  }
  if (track->channel == SUP_CHANNEL_ROTATION) {
    assert_true(fabs(norm - 1) < 1e-6);
    if (turn < 0.955) fail_msg("%s: turns by %g at key %u", what, 2 * acos(turn), i);
  } else if (move > 0.05) {
    fail_msg("%s: jumps by %g at key %u", what, move, i);
  }
}

static void check_track(const SupCharacter *c, const SupClip *clip, const SupTrack *track) {
  char what[80];
  snprintf(what, sizeof what, "%s %s %s", c->name, clip->name, c->skeleton.names[track->target]);
  assert_int_equal(track->key_count, (uint32_t)(clip->duration * 60 + 0.5f) + 1);
  assert_int_equal(track->interpolation, SUP_INTERPOLATE_LINEAR);
  for (uint32_t i = 0; i < track->key_count; i++) check_key(what, track, i);
  assert_memory_equal(track->values, &track->values[(track->key_count - 1) * track->width],
                      track->width * sizeof(float));
  check_seam(what, track);
}

static const char *const clip_names[][10] = {
    {"idle", "walk", "run", "jump", "stomp", "shake", "twist", "wave", "pop"},
    {"idle", "walk", "trot", "run", "jump", "shake", "sit", "pounce"},
    {"sway", "nod", "hop", "twist"},
    {"translation", "axial", "lateral", "bend", "sway"},
    {"bend", "kick", "shake", "walk"},
    {"bend", "raise", "swing", "shake", "punch"},
    {"fold", "flap", "twist", "shove"},
};

static void test_keys(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sup_builtin_count(); i++) {
    SupArena arena = new_arena();
    SupCharacter c = make(&arena, sup_builtin_info(i).name, 494);
    uint32_t count = 0;
    while (clip_names[i][count]) count++;
    assert_int_equal(c.clip_count, count);
    for (uint32_t k = 0; k < c.clip_count; k++) {
      const SupClip *clip = &c.clips[k];
      assert_string_equal(clip->name, clip_names[i][k]);
      assert_true(clip->duration >= 2);
      for (uint32_t t = 0; t < clip->track_count; t++) check_track(&c, clip, &clip->tracks[t]);
    }
    sup_arena_free(&arena);
  }
}

/* ---- Feet ----------------------------------------------------------------------------------- */

typedef struct Rigid {
  double r[9], t[3]; /* rotation row by row */
} Rigid;

static Rigid rigid_of(const SupTransform *local) {
  double x = (double)local->rotation.x, y = (double)local->rotation.y;
  double z = (double)local->rotation.z, w = (double)local->rotation.w;
  Rigid m = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
              2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
              2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)},
             {0, 0, 0}};
  to_double3(local->translation, m.t);
  return m;
}

static void apply(const Rigid *m, const double p[3], double out[3]) {
  for (int r = 0; r < 3; r++) out[r] = dot3(&m->r[3 * r], p) + m->t[r];
}

static SupTransform local_at(const SupCharacter *c, const SupClip *clip, uint32_t i, uint32_t j) {
  SupTransform local = c->skeleton.rest[j];
  for (uint32_t t = 0; t < clip->track_count; t++) {
    const SupTrack *track = &clip->tracks[t];
    const float *v = &track->values[i * track->width];
    if (track->target != j) continue;
    if (track->channel == SUP_CHANNEL_ROTATION) {
      local.rotation = (SupQuat){v[0], v[1], v[2], v[3]};
    } else {
      local.translation = (SupVec3){v[0], v[1], v[2]};
    }
  }
  return local;
}

/* World transforms of all joints at key i of a clip. */
static void world_pose(const SupCharacter *c, const SupClip *clip, uint32_t i, Rigid *out) {
  for (uint32_t j = 0; j < c->skeleton.joint_count; j++) {
    SupTransform local = local_at(c, clip, i, j);
    Rigid mine = rigid_of(&local);
    int32_t parent = c->skeleton.parents[j];
    if (parent < 0) {
      out[j] = mine;
      continue;
    }
    const Rigid *up = &out[parent];
    for (int r = 0; r < 3; r++) {
      for (int k = 0; k < 3; k++) {
        double column[3] = {mine.r[k], mine.r[3 + k], mine.r[6 + k]};
        out[j].r[3 * r + k] = dot3(&up->r[3 * r], column);
      }
    }
    apply(up, mine.t, out[j].t);
  }
}

static uint32_t joint_named(const SupCharacter *c, const char *name) {
  for (uint32_t j = 0; j < c->skeleton.joint_count; j++) {
    if (strcmp(c->skeleton.names[j], name) == 0) return j;
  }
  fail_msg("no joint %s", name);
  return 0;
}

static const SupClip *clip_named(const SupCharacter *c, const char *name) {
  for (uint32_t k = 0; k < c->clip_count; k++) {
    if (strcmp(c->clips[k].name, name) == 0) return &c->clips[k];
  }
  fail_msg("no clip %s", name);
  return NULL;
}

static double lowest_point(const SupCharacter *c, const Rigid *world) {
  double low = 1e9;
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    double y = 0;
    for (uint32_t k = c->skin.offsets[v]; k < c->skin.offsets[v + 1]; k++) {
      const float *bind = c->skeleton.inverse_bind[c->skin.bones[k]].m;
      SupVec3 p = c->body.positions[v];
      double local[3], at[3];
      to_double3((SupVec3){p.x + bind[9], p.y + bind[10], p.z + bind[11]}, local);
      apply(&world[c->skin.bones[k]], local, at);
      y += (double)c->skin.weights[k] * at[1];
    }
    low = fmin(low, y);
  }
  return low;
}

static bool is_one_of(const char *name, const char *const *names) {
  while (*names && strcmp(*names, name) != 0) names++;
  return *names != NULL;
}

/* Never sinks into the ground, and leaves it in the clips named alone. */
static void check_ground(const char *name, const char *const *leaps) {
  SupArena arena = new_arena();
  SupCharacter c = make(&arena, name, 2000);
  Rigid world[32];
  for (uint32_t k = 0; k < c.clip_count; k++) {
    double low = 1e9, high = -1e9;
    for (uint32_t i = 0; i < c.clips[k].tracks[0].key_count; i += 2) {
      world_pose(&c, &c.clips[k], i, world);
      double y = lowest_point(&c, world);
      low = fmin(low, y);
      high = fmax(high, y);
    }
    printf("%s %-6s lowest point of the body: %+.4f .. %+.4f m\n", name, c.clips[k].name, low,
           high);
    if (!(low > -0.012)) fail_msg("%s %s sinks", name, c.clips[k].name);
    if (is_one_of(c.clips[k].name, leaps) ? !(high > 0.01) : !(high < 0.012)) {
      fail_msg("%s %s is off the ground by %g", name, c.clips[k].name, high);
    }
  }
  sup_arena_free(&arena);
}

static void test_bodies_stand_on_the_ground(void **state) {
  (void)state;
  check_ground("mochi", (const char *const[]){"run", "jump", NULL});
  check_ground("cat", (const char *const[]){"run", "jump", NULL});
}

/* How far a joint gets from its rest place in a clip. */
static double straying(const SupCharacter *c, const char *clip_name, const char *joint) {
  const SupClip *clip = clip_named(c, clip_name);
  uint32_t j = joint_named(c, joint);
  const float *bind = c->skeleton.inverse_bind[j].m;
  double most = 0;
  Rigid world[32];
  for (uint32_t i = 0; i < clip->tracks[0].key_count; i++) {
    double offset[3];
    world_pose(c, clip, i, world);
    for (int r = 0; r < 3; r++) offset[r] = world[j].t[r] + (double)bind[9 + r];
    most = fmax(most, sqrt(dot3(offset, offset)));
  }
  return most;
}

/* A joint moves back at this speed from one key to the other, within 2 mm/s. */
static void check_speed(const SupCharacter *c, const char *clip_name, const char *joint,
                        uint32_t first, uint32_t last, double speed) {
  const SupClip *clip = clip_named(c, clip_name);
  uint32_t j = joint_named(c, joint);
  Rigid world[32];
  double before = 0;
  for (uint32_t i = first; i <= last; i++) {
    world_pose(c, clip, i, world);
    if (i > first && !(fabs((world[j].t[2] - before) * 60 + speed) < 0.002)) {
      fail_msg("%s %s %s: %g m/s at key %u, the ground %g", c->name, clip_name, joint,
               (before - world[j].t[2]) * 60, i, speed);
    }
    before = world[j].t[2];
  }
}

/* Feet that stand do not slide: they stay, or move with the ground in the walk. */
static void test_feet_do_not_slide(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter c = make(&arena, "mochi", 494);
  const char *standing[] = {"idle", "shake", "twist", "wave", "pop"};
  for (size_t k = 0; k < sizeof standing / sizeof standing[0]; k++) {
    double far = straying(&c, standing[k], "foot_l");
    if (far > 1e-3) fail_msg("%s: the left foot moves by %g", standing[k], far);
  }
  /* The walk's ground moves by 2 * 0.055 m in 0.6 s; the foot is flat from 0.12 to 0.42 s. */
  check_speed(&c, "walk", "foot_l", 8, 25, 0.11 / 0.6);
  sup_arena_free(&arena);
}

static void test_paws_do_not_slide(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter c = make(&arena, "cat", 494);
  const char *paws[] = {"toes_l", "hand_l", "toes_r", "hand_r"};
  for (uint32_t k = 0; k < 4; k++) {
    double idle = straying(&c, "idle", paws[k]), shake = straying(&c, "shake", paws[k]);
    printf("cat %s moves by %.5f m in idle, %.5f m in shake\n", paws[k], idle, shake);
    assert_true(idle < 1e-3 && shake < 1e-3);
  }
  for (uint32_t k = 0; k < 2; k++) {
    double sit = straying(&c, "sit", paws[1 + 2 * k]);
    double pounce = straying(&c, "pounce", paws[2 * k]);
    printf("cat %s moves by %.5f m in sit, %s by %.5f m in pounce\n", paws[1 + 2 * k], sit,
           paws[2 * k], pounce);
    assert_true(sit < 1e-3 && pounce < 1e-3);
  }
  /* A paw lands every quarter of a second: hind, fore on the left, then on the right. It goes back
   * by 2 * 0.062 m in the 0.66 s that it stands, and is flat for the first half of it. */
  for (uint32_t k = 0; k < 4; k++) {
    check_speed(&c, "walk", paws[k], 15 * k + 2, 15 * k + 21, 0.124 / 0.66);
  }
  /* The trot: diagonal pairs, 2 * 0.066 m in 0.22 s. */
  const uint32_t lands[] = {0, 15, 15, 0};
  for (uint32_t k = 0; k < 4; k++) {
    check_speed(&c, "trot", paws[k], lands[k] + 1, lands[k] + 7, 0.132 / 0.22);
  }
  /* The run: 2 * 0.085 m in 0.15 s, at which the paws land in this order. */
  const uint32_t runs[] = {0, 15, 3, 13};
  for (uint32_t k = 0; k < 4; k++) {
    check_speed(&c, "run", paws[k], runs[k] + 1, runs[k] + 4, 0.17 / 0.15);
  }
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keys),
      cmocka_unit_test(test_bodies_stand_on_the_ground),
      cmocka_unit_test(test_feet_do_not_slide),
      cmocka_unit_test(test_paws_do_not_slide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
