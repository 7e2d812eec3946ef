/* SPDX-License-Identifier: MIT */
/*
 * Rounds of a clip, key after key. Each round begins a moment after the one before ends, so that
 * times rise; the last round is cut off at the end, where a key is put between its neighbours (with
 * tangents, at the next key: those tracks are that much longer).
 */
#include "supple/author/clip_repeat.h"

#include "supple/math.h"

#define MOMENT 1e-3 /* seconds between the last key of a round and the first of the next */
#define ROUNDS_MOST 100000.0

/* A key at `seconds` in place of the next one; returns how many keys are left. */
static uint32_t cut(const SupTrack *track, double seconds, uint32_t count, float *times,
                    float *values) {
  uint32_t k = 0;
  while (k < count && times[k] < (float)seconds) k++;
  if (k == count || k == 0) return k ? count : 1;
  if (track->interpolation == SUP_INTERPOLATE_CUBIC) return k + 1;
  const uint32_t width = track->width;
  float *before = values + (size_t)(k - 1) * width, *after = values + (size_t)k * width;
  const double way = (double)times[k] - (double)times[k - 1];
  const float part = track->interpolation == SUP_INTERPOLATE_STEP
                         ? 0
                         : (float)((seconds - (double)times[k - 1]) / way);
  times[k] = (float)seconds;
  if (track->channel == SUP_CHANNEL_ROTATION) {
    const SupQuat a = {before[0], before[1], before[2], before[3]};
    const SupQuat b = {after[0], after[1], after[2], after[3]};
    const SupQuat q = part < 1 ? sup_quat_slerp(a, b, part) : b;
    after[0] = q.x, after[1] = q.y, after[2] = q.z, after[3] = q.w;
    return k + 1;
  }
  for (uint32_t c = 0; c < width; c++) after[c] = before[c] + (after[c] - before[c]) * part;
  return k + 1;
}

static SupResult repeat_track(SupArena *arena, const SupTrack *track, double duration,
                              double seconds, uint32_t rounds, SupTrack *out_track,
                              SupError *error) {
  const size_t values =
      (size_t)track->width * (track->interpolation == SUP_INTERPOLATE_CUBIC ? 3 : 1);
  const uint32_t count = track->key_count;
  float *times = SUP_ALLOC(arena, float, (size_t)rounds *(count + 2));
  float *out = SUP_ALLOC(arena, float, (size_t)rounds *(count + 2) * values);
  uint32_t used = 0;
  if (!times || !out) return sup_fail_memory(error, "repeating a clip");
  for (uint32_t r = 0; r < rounds; r++) {
    const double start = r * duration, end = start + duration;
    for (uint32_t k = 0; k < count; k++) {
      double time = start + (double)track->times[k];
      if (r > 0 && time < start + MOMENT) time = start + MOMENT;
      if (time > end) time = end;
      /* A track that starts late holds its first value until then, also in later rounds. */
      if (k == 0 && r > 0 && time > start + MOMENT) {
        times[used] = (float)(start + MOMENT);
        sup_copy(out + used++ * values, track->values, values * sizeof(float));
      }
      if (used && !((float)time > times[used - 1])) continue;
      times[used] = (float)time;
      sup_copy(out + used++ * values, track->values + k * values, values * sizeof(float));
    }
    if (times[used - 1] < (float)end - 1e-6f) { /* and one that ends early its last */
      times[used] = (float)end;
      sup_copy(out + used++ * values, track->values + (count - 1) * values, values * sizeof(float));
    }
  }
  *out_track = *track;
  out_track->key_count = cut(track, seconds, used, times, out);
  out_track->times = times;
  out_track->values = out;
  return SUP_OK;
}

SupResult sup_clip_repeat(SupArena *arena, const SupClip *clip, double seconds, SupClip *out_clip,
                          SupError *error) {
  const double duration = (double)clip->duration;
  const double rounds = duration > 0 ? seconds / duration : 1;
  if (!(seconds > 0 && rounds < ROUNDS_MOST)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "clip '%s' cannot be repeated for %g s", clip->name,
                    seconds);
  }
  SupTrack *tracks = SUP_ALLOC(arena, SupTrack, clip->track_count);
  if (!tracks) return sup_fail_memory(error, "repeating a clip");
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < clip->track_count && result == SUP_OK; k++) {
    result = repeat_track(arena, &clip->tracks[k], duration, seconds, (uint32_t)rounds + 1,
                          &tracks[k], error);
  }
  *out_clip = (SupClip){clip->name, (float)seconds, clip->track_count, tracks};
  return result;
}
