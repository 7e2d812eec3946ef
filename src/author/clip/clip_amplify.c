/* SPDX-License-Identifier: MIT */
/*
 * The same motion, larger or smaller: q' = m exp(A log(m^-1 q)), p' = m + A (p - m), m the mean
 * over time. The logarithms of neighbouring keys stay near each other, so that an arm that swings
 * through half a turn swings on.
 */
#include "supple/author/clip_amplify.h"

/* How often the mean rotation is improved; each round squares the error. */
#define ROUNDS 8

/* The seconds that key k stands for. */
static double key_fraction(const SupTrack *track, uint32_t k) {
  if (track->key_count == 1) return 1;
  uint32_t before = k ? k - 1 : 0, after = k + 1 < track->key_count ? k + 1 : k;
  return (double)track->times[after] - (double)track->times[before];
}

/* The values of key k: behind its in-tangent where there are tangents. */
static const float *key_values(const SupTrack *track, uint32_t k) {
  bool cubic = track->interpolation == SUP_INTERPOLATE_CUBIC;
  return track->values + (size_t)track->width * (cubic ? 3 * (size_t)k + 1 : k);
}

/* ---- Translations --------------------------------------------------------------------------- */

static void amplify_places(const SupTrack *track, double amplitude, float *values) {
  const bool cubic = track->interpolation == SUP_INTERPOLATE_CUBIC;
  const size_t width = track->width, rows = (size_t)track->key_count * (cubic ? 3 : 1);
  for (size_t c = 0; c < width; c++) {
    double mean = 0, total = 0;
    for (uint32_t k = 0; k < track->key_count; k++) {
      mean += key_fraction(track, k) * (double)key_values(track, k)[c];
      total += key_fraction(track, k);
    }
    mean /= total;
    for (size_t i = 0; i < rows; i++) {
      const double middle = cubic && i % 3 != 1 ? 0 : mean; /* tangents have no place */
      values[i * width + c] =
          (float)(middle + amplitude * ((double)track->values[i * width + c] - middle));
    }
  }
}

/* ---- Rotations ------------------------------------------------------------------------------ */

static SupQuatd read_quat(const float *q) {
  return sup_quatd_normalise((SupQuatd){(double)q[0], (double)q[1], (double)q[2], (double)q[3]});
}

/* The mean over time: where the logarithms seen from it cancel out. */
static SupQuatd mean_rotation(const SupTrack *track) {
  SupQuatd mean = read_quat(key_values(track, 0));
  for (int round = 0; round < ROUNDS; round++) {
    SupVec3d sum = {0, 0, 0}, last = {0, 0, 0};
    double total = 0;
    for (uint32_t k = 0; k < track->key_count; k++) {
      SupQuatd turn = sup_quatd_mul(sup_quatd_conjugate(mean), read_quat(key_values(track, k)));
      last = k ? sup_quatd_log_near(turn, last) : sup_quatd_log(turn);
      sum = sup_vec3d_add_scaled(sum, last, key_fraction(track, k));
      total += key_fraction(track, k);
    }
    mean = sup_quatd_mul(mean, sup_quatd_exp(sup_vec3d_scale(sum, 1 / total)));
  }
  return sup_quatd_normalise(mean);
}

typedef struct Turn {
  SupQuatd mean;
  double amplitude;
} Turn;

/* The amplified rotation of q, whose logarithm is the one near `log`; of the two quaternions that
 * mean it the one on the side of q. */
static SupQuatd amplify_quat(const Turn *turn, SupQuatd q, SupVec3d log, SupVec3d *out_log) {
  SupQuatd from_mean = sup_quatd_mul(sup_quatd_conjugate(turn->mean), q);
  *out_log = sup_quatd_log_near(from_mean, log);
  return sup_quatd_mul(turn->mean, sup_quatd_exp(sup_vec3d_scale(*out_log, turn->amplitude)));
}

static void write_quat(SupQuatd q, double sign, float *out) {
  out[0] = (float)(sign * q.x);
  out[1] = (float)(sign * q.y);
  out[2] = (float)(sign * q.z);
  out[3] = (float)(sign * q.w);
}

static double dot(SupQuatd a, SupQuatd b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

/* A tangent goes through the map's derivative, by a central difference. */
static void amplify_tangent(const Turn *turn, const float *at, const float *tangent, SupVec3d log,
                            double sign, float *out) {
  const double step = 1e-4;
  const SupQuatd q = read_quat(at);
  double size = 0;
  SupQuatd side[2];
  for (int k = 0; k < 4; k++) size += (double)tangent[k] * (double)tangent[k];
  if (!(size > 0)) return;
  const double e = step / sup_sqrt(size);
  for (int s = 0; s < 2; s++) {
    const double h = s ? e : -e;
    SupQuatd near = {q.x + h * (double)tangent[0], q.y + h * (double)tangent[1],
                     q.z + h * (double)tangent[2], q.w + h * (double)tangent[3]};
    SupVec3d ignored;
    side[s] = amplify_quat(turn, sup_quatd_normalise(near), log, &ignored);
  }
  if (dot(side[0], side[1]) < 0) {
    side[0] = (SupQuatd){-side[0].x, -side[0].y, -side[0].z, -side[0].w};
  }
  SupQuatd slope = {side[1].x - side[0].x, side[1].y - side[0].y, side[1].z - side[0].z,
                    side[1].w - side[0].w};
  write_quat(slope, sign / (2 * e), out);
}

static void amplify_turns(const SupTrack *track, double amplitude, float *values) {
  const bool cubic = track->interpolation == SUP_INTERPOLATE_CUBIC;
  const Turn turn = {mean_rotation(track), amplitude};
  SupVec3d log = {0, 0, 0};
  SupQuatd last = turn.mean;
  for (uint32_t k = 0; k < track->key_count; k++) {
    const float *at = key_values(track, k);
    SupQuatd moved = amplify_quat(&turn, read_quat(at), log, &log);
    /* Neighbours on the same side, as interpolation wants them; the first as it was. */
    double sign = dot(moved, k ? last : read_quat(at)) < 0 ? -1 : 1;
    float *out = values + (at - track->values);
    write_quat(moved, sign, out);
    last = (SupQuatd){sign * moved.x, sign * moved.y, sign * moved.z, sign * moved.w};
    if (!cubic) continue;
    amplify_tangent(&turn, at, at - 4, log, sign, out - 4);
    amplify_tangent(&turn, at, at + 4, log, sign, out + 4);
  }
}

/* ---- Clips ---------------------------------------------------------------------------------- */

SupResult sup_clip_amplify(SupArena *arena, const SupClip *clip, double amplitude,
                           SupClip *out_clip, SupError *error) {
  if (!(amplitude >= 0 && amplitude <= 10)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "the amplitude must be between 0 and 10, not %g",
                    amplitude);
  }
  SupTrack *tracks = SUP_COPY(arena, SupTrack, clip->tracks, clip->track_count);
  const char *name = sup_arena_string(arena, clip->name, sup_string_length(clip->name));
  if (!tracks || !name) return sup_fail_memory(error, "amplifying a clip");
  for (uint32_t k = 0; k < clip->track_count; k++) {
    const SupTrack *from = &clip->tracks[k];
    const bool cubic = from->interpolation == SUP_INTERPOLATE_CUBIC;
    size_t count = (size_t)from->key_count * from->width * (cubic ? 3 : 1);
    float *values = SUP_COPY(arena, float, from->values, count);
    tracks[k].times = SUP_COPY(arena, float, from->times, from->key_count);
    tracks[k].values = values;
    if (!values || !tracks[k].times) return sup_fail_memory(error, "amplifying a clip");
    if (from->channel == SUP_CHANNEL_ROTATION) amplify_turns(from, amplitude, values);
    if (from->channel == SUP_CHANNEL_TRANSLATION) amplify_places(from, amplitude, values);
  }
  *out_clip = (SupClip){name, clip->duration, clip->track_count, tracks};
  return SUP_OK;
}
