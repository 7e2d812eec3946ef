/* SPDX-License-Identifier: MIT */
/*
 * Supple: sampling clips.
 */
#ifndef SUPPLE_CLIP_H
#define SUPPLE_CLIP_H

#include "supple/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the clip's values at `time` (seconds) into the joints that its tracks drive; all others
 * stay as they are, so start from sup_pose_rest. Tracks of joints beyond io_pose->joint_count are
 * skipped. Before its first key and after its last a track holds the end value.
 *
 * LINEAR rotations slerp along the shorter arc; where the two keys are closer than 3.6 degrees
 * (dot product of the quaternions 0.9995 or more) they are interpolated linearly and normalised
 * instead, which differs by less than 1.1e-6 radians. CUBIC rotations are normalised. Rotations
 * come out with length 1, also where the keys' lengths are not.
 *
 * loop: time is taken modulo the clip's duration, also for negative times.
 * cursor[track_count]: where each track was last time, for speed only; zeroed before first use;
 * may be NULL, then each track is searched.
 * io_weights: morph weights; tracks write io_weights[target ..]; NULL when not wanted. */
void sup_clip_sample(const SupClip *clip, float time, bool loop, uint32_t *cursor, SupPose *io_pose,
                     float *io_weights);
void sup_clip_sample_f64(const SupClip *clip, double time, bool loop, uint32_t *cursor,
                         SupPosed *io_pose, double *io_weights);

/* The largest number of morph weights the clip writes: the size io_weights needs. */
uint32_t sup_clip_weight_count(const SupClip *clip);

#ifdef __cplusplus
}
#endif
#endif
