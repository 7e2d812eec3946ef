/* SPDX-License-Identifier: MIT */
/*
 * Supple: motion made to teach with. What a character's own clips show of its joints says how far
 * each may turn; from that come one calibration clip and any number of poses.
 */
#ifndef SUPPLE_AUTHOR_TEACHING_H
#define SUPPLE_AUTHOR_TEACHING_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How far a joint turns away from home: exponential map in its own frame there. Home is the rest
 * pose; for a joint that no clip brings near it (farther from the clips' mean than any instant of
 * them), that mean. */
typedef struct SupJointRange {
  SupVec3 low, high; /* radians per axis; both 0 for a joint that does not move */
  SupQuat home;      /* local rotation, unit length */
} SupJointRange;

/* The ranges that the clips show, out_ranges[joint_count]. Joints that move no skin, and joints
 * that turn less than 3 degrees in all clips, get 0; a character without clips gets 25 degrees to
 * every side for every joint that moves skin. `arena` for scratch. */
SupResult sup_teaching_ranges(SupArena *arena, const SupCharacter *character,
                              SupJointRange *out_ranges, SupError *error);

typedef struct SupCalibrationDef {
  float fps;    /* keys per second; 0 means 60 */
  float pulse;  /* seconds one pulse lasts; 0 means 0.35 */
  float pause;  /* seconds of stillness behind it, for the flesh to ring; 0 means 0.35 */
  float amount; /* fraction of the ranges; 0 means 0.7 */
} SupCalibrationDef;

typedef struct SupCalibrationReport {
  uint32_t joint_count; /* joints that are pulsed */
  uint32_t slot_count;  /* pulses one after the other */
} SupCalibrationReport;

/* One smooth pulse for every way the character can move: the root along and about each axis, then
 * each axis of every joint that has a range. Joints that move no common vertex pulse at the same
 * time. The clip is called "@calibration", begins and ends at home and lives in `arena`.
 */
SupResult sup_calibration_clip(SupArena *arena, const SupCharacter *character,
                               const SupCalibrationDef *def, SupClip *out_clip,
                               SupCalibrationReport *out_report, SupError *error);

/* `count` poses, out_joints[count * joint_count] local transforms: the first is the rest pose,
 * then in turn one from a random instant of a random clip (where there are clips) and one with
 * every joint anywhere in its range. The same for the same seed, with and without helper joints
 * (SupCharacter.helper_joints), which keep their rest. */
SupResult sup_teaching_poses(SupArena *arena, const SupCharacter *character, uint32_t count,
                             uint64_t seed, SupTransform *out_joints, SupError *error);

/* `count` poses beyond what the clips show: random instants of random clips, the clip 1.2 to 1.8
 * times as large (sup_clip_amplify); where there are no clips every joint anywhere in its range
 * times that. */
SupResult sup_teaching_far(SupArena *arena, const SupCharacter *character, uint32_t count,
                           uint64_t seed, SupTransform *out_joints, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
