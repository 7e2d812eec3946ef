/* SPDX-License-Identifier: MIT */
/*
 * Clip sampling, as glTF 2.0 defines it (appendix C, "Animation sampler interpolation modes").
 *
 *   STEP                     the key before
 *   LINEAR                   lerp; rotations real_slerp
 *   CUBICSPLINE              cubic Hermite with tangents scaled by the key distance; hermite
 */
#include "supple/clip.h"
#include "anim/real.h"

/* Between which keys a time falls: values of key `from` and `from + 1`, at t in 0..1. */
typedef struct KeyPlace {
  uint32_t from;
  bool between; /* false: exactly key `from` */
  sup_real t;
  sup_real step; /* seconds between the two keys */
} KeyPlace;

/* The last key at or before `time`; times[0] <= time < times[count - 1]. */
static uint32_t search_key(const SupTrack *track, sup_real time, uint32_t hint) {
  const float *times = track->times;
  uint32_t last = track->key_count - 2;
  if (hint <= last && times[hint] <= time) {
    if (time < times[hint + 1]) return hint;
    if (hint < last && time < times[hint + 2]) return hint + 1;
  }
  uint32_t low = 0, high = track->key_count - 1;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (times[middle] <= time) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static KeyPlace find_key(const SupTrack *track, sup_real time, uint32_t *cursor) {
  uint32_t last = track->key_count - 1;
  if (!(time > track->times[0])) return (KeyPlace){.from = 0};
  if (time >= track->times[last]) return (KeyPlace){.from = last};
  uint32_t from = search_key(track, time, cursor ? *cursor : UINT32_MAX);
  if (cursor) *cursor = from;
  sup_real t0 = track->times[from], t1 = track->times[from + 1];
  return (KeyPlace){from, track->interpolation != SUP_INTERPOLATE_STEP, (time - t0) / (t1 - t0),
                    t1 - t0};
}

/* Component c of the value of a key; a CUBIC key holds in-tangent, value, out-tangent. */
static sup_real key_value(const SupTrack *track, uint32_t key, uint32_t c) {
  size_t stride = track->width;
  if (track->interpolation == SUP_INTERPOLATE_CUBIC) {
    return track->values[stride * (3 * (size_t)key + 1) + c];
  }
  return track->values[stride * key + c];
}

static sup_real hermite(const SupTrack *track, const KeyPlace *place, uint32_t c) {
  const float *key = track->values + (size_t)track->width * 3 * place->from;
  uint32_t n = track->width;
  sup_real v0 = key[n + c], out0 = key[2 * n + c], in1 = key[3 * n + c], v1 = key[4 * n + c];
  sup_real t = place->t, t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * v0 + (t3 - 2 * t2 + t) * place->step * out0 +
         (3 * t2 - 2 * t3) * v1 + (t3 - t2) * place->step * in1;
}

static sup_real value_at(const SupTrack *track, const KeyPlace *place, uint32_t c) {
  sup_real v0 = key_value(track, place->from, c);
  if (!place->between) return v0;
  if (track->interpolation == SUP_INTERPOLATE_CUBIC) return hermite(track, place, c);
  sup_real v1 = key_value(track, place->from + 1, c);
  return v0 * (1 - place->t) + v1 * place->t;
}

static RealVec3 vector_at(const SupTrack *track, const KeyPlace *place) {
  return (RealVec3){value_at(track, place, 0), value_at(track, place, 1),
                    value_at(track, place, 2)};
}

static RealQuat key_rotation(const SupTrack *track, uint32_t key) {
  return REAL(quat, normalise)((RealQuat){key_value(track, key, 0), key_value(track, key, 1),
                                          key_value(track, key, 2), key_value(track, key, 3)});
}

static RealQuat rotation_at(const SupTrack *track, const KeyPlace *place) {
  if (!place->between) return key_rotation(track, place->from);
  if (track->interpolation == SUP_INTERPOLATE_CUBIC) {
    return REAL(quat, normalise)((RealQuat){value_at(track, place, 0), value_at(track, place, 1),
                                            value_at(track, place, 2), value_at(track, place, 3)});
  }
  return real_slerp(key_rotation(track, place->from), key_rotation(track, place->from + 1),
                    place->t);
}

static void sample_track(const SupTrack *track, const KeyPlace *place, RealPose *pose,
                         sup_real *weights) {
  if (track->channel == SUP_CHANNEL_WEIGHTS) {
    if (!weights) return;
    for (uint32_t c = 0; c < track->width; c++) {
      weights[track->target + c] = value_at(track, place, c);
    }
    return;
  }
  if (track->target >= pose->joint_count) return;
  RealTransform *joint = &pose->joints[track->target];
  switch (track->channel) {
    case SUP_CHANNEL_TRANSLATION: joint->translation = vector_at(track, place); break;
    case SUP_CHANNEL_ROTATION: joint->rotation = rotation_at(track, place); break;
    case SUP_CHANNEL_SCALE: joint->scale = vector_at(track, place); break;
    case SUP_CHANNEL_WEIGHTS: break;
  }
}

/* time modulo duration, in [0, duration). */
static sup_real wrap(sup_real time, sup_real duration) {
  if (!(duration > 0)) return 0;
  sup_real turns = time / duration;
  /* Beyond 2^31 turns there are no fractions of a turn left worth playing. */
  if (!(turns > -2147483648.0 && turns < 2147483648.0)) return 0;
  sup_real whole = (sup_real)(int64_t)turns; /* towards zero */
  sup_real rest = time - whole * duration;
  if (rest < 0) rest += duration;
  return rest < duration ? rest : 0;
}

void REAL_NAME(sup_clip_sample)(const SupClip *clip, sup_real time, bool loop, uint32_t *cursor,
                                RealPose *io_pose, sup_real *io_weights) {
  if (loop) time = wrap(time, clip->duration);
  for (uint32_t k = 0; k < clip->track_count; k++) {
    const SupTrack *track = &clip->tracks[k];
    KeyPlace place = find_key(track, time, cursor ? &cursor[k] : NULL);
    sample_track(track, &place, io_pose, io_weights);
  }
}

#if SUP_ISA_NUMBER != SUP_ISA_f64
uint32_t sup_clip_weight_count(const SupClip *clip) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < clip->track_count; k++) {
    const SupTrack *track = &clip->tracks[k];
    if (track->channel != SUP_CHANNEL_WEIGHTS) continue;
    uint32_t end = track->target + track->width;
    if (end > count) count = end;
  }
  return count;
}
#endif
