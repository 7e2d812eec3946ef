/* SPDX-License-Identifier: MIT */
/* Fewer keys: what is left out comes back within the tolerance when the clip is sampled. */
#include "check.h"

#include <math.h>

#include "supple/author/keys.h"
#include "supple/clip.h"

enum { SAMPLES = 400 };

typedef struct Curve {
  float times[SAMPLES], values[4 * SAMPLES];
  uint32_t scratch[SAMPLES], kept[SAMPLES];
} Curve;

/* Translations or rotations that swing, then rest. */
static void fill(Curve *curve, SupChannel channel) {
  for (uint32_t t = 0; t < SAMPLES; t++) {
    const double time = t / 60.0, fade = t < 300 ? 1 - t / 300.0 : 0;
    const double swing = fade * sin(7 * time);
    float *v = curve->values + (channel == SUP_CHANNEL_ROTATION ? 4 : 3) * t;
    curve->times[t] = (float)time;
    if (channel == SUP_CHANNEL_ROTATION) {
      const SupQuatd q = sup_quatd_from_axis_angle(sup_vec3d_make(0.6, 0.8, 0), 2 * swing);
      v[0] = (float)q.x, v[1] = (float)q.y, v[2] = (float)q.z, v[3] = (float)q.w;
    } else {
      v[0] = (float)swing, v[1] = (float)(0.5 * swing), v[2] = 1;
    }
  }
}

/* The reduced curve as a clip of one joint, sampled at all times. */
static double worst_of(const Curve *curve, SupChannel channel, uint32_t keys) {
  const uint32_t width = channel == SUP_CHANNEL_ROTATION ? 4 : 3;
  static float times[SAMPLES], values[4 * SAMPLES];
  for (uint32_t k = 0; k < keys; k++) {
    times[k] = curve->times[curve->kept[k]];
    for (uint32_t c = 0; c < width; c++) {
      values[width * k + c] = curve->values[width * curve->kept[k] + c];
    }
  }
  const SupTrack track = {0, channel, SUP_INTERPOLATE_LINEAR, width, keys, times, values};
  const SupClip clip = {"c", curve->times[SAMPLES - 1], 1, &track};
  double worst = 0;
  for (uint32_t t = 0; t < SAMPLES; t++) {
    SupTransform joint = sup_transform_identity();
    SupPose pose = {1, sup_transform_identity(), &joint};
    sup_clip_sample(&clip, curve->times[t], false, NULL, &pose, NULL);
    const float *v = curve->values + width * t;
    double off;
    if (channel == SUP_CHANNEL_ROTATION) {
      const SupQuat q = {v[0], v[1], v[2], v[3]};
      off = 2 * acos(fmin(1, fabs((double)sup_quat_dot(q, joint.rotation))));
    } else {
      off = (double)sup_vec3_distance(joint.translation, sup_vec3_make(v[0], v[1], v[2]));
    }
    worst = fmax(worst, off);
  }
  return worst;
}

static void test_reduce(void **state) {
  (void)state;
  static Curve curve;
  const SupChannel channels[] = {SUP_CHANNEL_TRANSLATION, SUP_CHANNEL_ROTATION};
  for (int c = 0; c < 2; c++) {
    uint32_t last = SAMPLES + 1;
    fill(&curve, channels[c]);
    for (double tolerance = 1e-3; tolerance < 0.5; tolerance *= 4) {
      const uint32_t keys = sup_keys_reduce(channels[c], c ? 4 : 3, SAMPLES, curve.times,
                                            curve.values, tolerance, curve.scratch, curve.kept);
      const double worst = worst_of(&curve, channels[c], keys);
      print_message("channel %d, tolerance %.4f: %u keys, %.4f off\n", c, tolerance, keys, worst);
      assert_in_range(keys, 2, last - 1);
      assert_true(worst <= tolerance + 1e-3 * c); /* acos of a float */
      assert_true(worst > tolerance / 20 || keys < 20);
      assert_int_equal(curve.kept[0], 0);
      last = keys;
    }
  }
}

/* What rests at its end needs no key there. */
static void test_rest(void **state) {
  (void)state;
  static Curve curve;
  fill(&curve, SUP_CHANNEL_TRANSLATION);
  const uint32_t keys = sup_keys_reduce(SUP_CHANNEL_TRANSLATION, 3, SAMPLES, curve.times,
                                        curve.values, 0, curve.scratch, curve.kept);
  assert_in_range(curve.kept[keys - 1], 298, 302);
  assert_true(worst_of(&curve, SUP_CHANNEL_TRANSLATION, keys) < 1e-6);
}

static void test_short(void **state) {
  (void)state;
  const float times[2] = {0, 1}, still[6] = {1, 2, 3, 1, 2, 3}, moved[6] = {1, 2, 3, 1, 2, 4};
  uint32_t scratch[2], kept[2];
  assert_int_equal(sup_keys_reduce(SUP_CHANNEL_TRANSLATION, 3, 1, times, still, 0, scratch, kept),
                   1);
  assert_int_equal(sup_keys_reduce(SUP_CHANNEL_TRANSLATION, 3, 2, times, still, 0, scratch, kept),
                   1);
  assert_int_equal(sup_keys_reduce(SUP_CHANNEL_TRANSLATION, 3, 2, times, moved, 0, scratch, kept),
                   2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reduce), cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_short)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
