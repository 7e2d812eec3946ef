/* SPDX-License-Identifier: MIT */
/* Clips made larger and smaller. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "supple/author/clip_amplify.h"
#include "supple/clip.h"
#include "supple/io/file.h"

#define KEYS 9

/* Joint 0 swings about an oblique axis around a pose that is not the identity, joint 1 travels,
 * grows and has a weight. */
typedef struct Swing {
  float times[KEYS];
  float turns[KEYS][4], places[KEYS][3], sizes[KEYS][3], weights[KEYS];
  SupTrack tracks[4];
  SupClip clip;
} Swing;

static const SupVec3d axis = {0.6, 0, 0.8};
static const SupQuatd middle = {0.1, 0.7, 0.1, 0.7};

static double angle_at(double time, double most) { return most * sin(6.283185307179586 * time); }

/* A whole period of the sine, so that the mean is the middle. */
static Swing *swing_of(double most) {
  Swing *s = calloc(1, sizeof *s);
  assert_non_null(s);
  for (int k = 0; k < KEYS; k++) {
    double time = (double)k / (KEYS - 1), angle = angle_at(time, most);
    SupQuatd q =
        sup_quatd_mul(sup_quatd_normalise(middle), sup_quatd_exp(sup_vec3d_scale(axis, angle)));
    s->times[k] = (float)time;
    s->turns[k][0] = (float)q.x, s->turns[k][1] = (float)q.y;
    s->turns[k][2] = (float)q.z, s->turns[k][3] = (float)q.w;
    s->places[k][0] = 5, s->places[k][1] = (float)angle, s->places[k][2] = (float)(1 - angle);
    s->sizes[k][0] = s->sizes[k][1] = s->sizes[k][2] = (float)(1 + 0.1 * k);
    s->weights[k] = 0.1f * (float)k;
  }
  const float *values[4] = {s->turns[0], s->places[0], s->sizes[0], s->weights};
  const SupChannel channels[4] = {SUP_CHANNEL_ROTATION, SUP_CHANNEL_TRANSLATION, SUP_CHANNEL_SCALE,
                                  SUP_CHANNEL_WEIGHTS};
  const uint32_t widths[4] = {4, 3, 3, 1};
  for (uint32_t k = 0; k < 4; k++) {
    s->tracks[k] = (SupTrack){.target = k == 0 || k == 3 ? 0 : 1,
                              .channel = channels[k],
                              .interpolation = SUP_INTERPOLATE_LINEAR,
                              .width = widths[k],
                              .key_count = KEYS,
                              .times = s->times,
                              .values = values[k]};
  }
  s->clip = (SupClip){"swing", 1, 4, s->tracks};
  return s;
}

static SupClip amplified(SupArena *arena, const SupClip *clip, double amplitude) {
  SupClip out;
  SupError error;
  if (sup_clip_amplify(arena, clip, amplitude, &out, &error) != SUP_OK) fail_msg("%s", error.text);
  return out;
}

static void once_is_the_clip_itself(void **state) {
  (void)state;
  Swing *s = swing_of(1.2);
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  s->tracks[1].interpolation = SUP_INTERPOLATE_STEP;
  SupClip out = amplified(&arena, &s->clip, 1);
  assert_string_equal(out.name, "swing");
  assert_int_equal(out.track_count, 4);
  assert_true(out.duration == 1);
  for (uint32_t t = 0; t < 4; t++) {
    const SupTrack *a = &s->tracks[t], *b = &out.tracks[t];
    assert_true(a->target == b->target && a->channel == b->channel && a->width == b->width);
    assert_true(a->interpolation == b->interpolation && b->key_count == KEYS);
    assert_true(a->values != b->values && a->times != b->times);
    for (uint32_t k = 0; k < KEYS; k++) assert_true(a->times[k] == b->times[k]);
    for (uint32_t k = 0; k < KEYS * a->width; k++) {
      assert_true(fabsf(a->values[k] - b->values[k]) <= 5e-7f);
    }
  }
  sup_arena_free(&arena);
  free(s);
}

/* Also where it swings beyond half a turn. */
static void angles_and_ways_are_multiplied(void **state) {
  (void)state;
  const double amplitudes[] = {0, 0.5, 2, 3};
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  Swing *s = swing_of(1.3);
  for (int i = 0; i < 4; i++) {
    SupClip out = amplified(&arena, &s->clip, amplitudes[i]);
    for (uint32_t k = 0; k < KEYS; k++) {
      double angle = amplitudes[i] * angle_at((double)s->times[k], 1.3);
      SupQuatd want =
          sup_quatd_mul(sup_quatd_normalise(middle), sup_quatd_exp(sup_vec3d_scale(axis, angle)));
      const float *q = out.tracks[0].values + 4 * (size_t)k;
      double same = want.x * (double)q[0] + want.y * (double)q[1] + want.z * (double)q[2] +
                    want.w * (double)q[3];
      assert_true(fabs(same) > 1 - 1e-6);
      if (k > 0) { /* neighbours on the same side */
        assert_true(q[0] * q[-4] + q[1] * q[-3] + q[2] * q[-2] + q[3] * q[-1] > 0);
      }
      const float *p = out.tracks[1].values + 3 * (size_t)k;
      assert_true(fabs((double)p[0] - 5) < 1e-6 && fabs((double)p[1] - angle) < 1e-5);
      assert_true(fabs((double)p[2] - (1 - angle)) < 1e-5);
      assert_true(out.tracks[2].values[3 * k] == s->sizes[k][0]);
      assert_true(out.tracks[3].values[k] == s->weights[k]);
    }
  }
  free(s);
  sup_arena_free(&arena);
}

/* Tangents: between the keys of a smooth clip lies what is amplified of what lay there. */
static void smooth_clips_stay_smooth(void **state) {
  (void)state;
  Swing *s = swing_of(0.8);
  float values[KEYS][3][4], ways[KEYS][3][3];
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (int k = 0; k < KEYS; k++) {
    for (int side = 0; side < 3; side++) {
      const double h = 1e-4, time = (double)s->times[k];
      SupQuatd q[2];
      for (int e = 0; e < 2; e++) {
        double angle = angle_at(time + (e ? h : -h), 0.8);
        q[e] =
            sup_quatd_mul(sup_quatd_normalise(middle), sup_quatd_exp(sup_vec3d_scale(axis, angle)));
      }
      const double slope[4] = {q[1].x - q[0].x, q[1].y - q[0].y, q[1].z - q[0].z, q[1].w - q[0].w};
      for (int c = 0; c < 4; c++) {
        values[k][side][c] = side == 1 ? s->turns[k][c] : (float)(slope[c] / (2 * h));
      }
      double speed = (angle_at(time + h, 0.8) - angle_at(time - h, 0.8)) / (2 * h);
      const double way[3] = {0, speed, -speed};
      for (int c = 0; c < 3; c++) ways[k][side][c] = side == 1 ? s->places[k][c] : (float)way[c];
    }
  }
  s->tracks[0].interpolation = s->tracks[1].interpolation = SUP_INTERPOLATE_CUBIC;
  s->tracks[0].values = values[0][0];
  s->tracks[1].values = ways[0][0];
  SupClip out = amplified(&arena, &s->clip, 1.8);
  double worst = 0, worst_way = 0;
  for (int i = 0; i <= 100; i++) {
    SupTransformd joints[2] = {0};
    SupPosed pose = {.joint_count = 2, .joints = joints};
    sup_clip_sample_f64(&out, i / 100.0, false, NULL, &pose, NULL);
    double angle = 1.8 * angle_at(i / 100.0, 0.8);
    SupQuatd want =
        sup_quatd_mul(sup_quatd_normalise(middle), sup_quatd_exp(sup_vec3d_scale(axis, angle)));
    SupVec3d gap = sup_quatd_log(sup_quatd_mul(sup_quatd_conjugate(want), joints[0].rotation));
    worst = fmax(worst, sup_vec3d_length(gap));
    worst_way = fmax(worst_way, fabs(joints[1].translation.y - angle));
  }
  print_message("between keys: %.4f radians, %.4f units off\n", worst, worst_way);
  assert_true(worst < 0.01 && worst_way < 0.01);
  sup_arena_free(&arena);
  free(s);
}

static void odd_amplitudes_are_refused(void **state) {
  (void)state;
  Swing *s = swing_of(1);
  const double bad[] = {-0.1, 10.5, (double)NAN, (double)INFINITY};
  for (int i = 0; i < 4; i++) {
    SupArena arena;
    SupClip out;
    SupError error;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    assert_int_equal(sup_clip_amplify(&arena, &s->clip, bad[i], &out, &error), SUP_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "between 0 and 10"));
    sup_arena_free(&arena);
  }
  free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(once_is_the_clip_itself),
      cmocka_unit_test(angles_and_ways_are_multiplied),
      cmocka_unit_test(smooth_clips_stay_smooth),
      cmocka_unit_test(odd_amplitudes_are_refused),
  };
  return cmocka_run_group_tests_name("clip_amplify", tests, NULL, NULL);
}
