/* SPDX-License-Identifier: MIT */
/*
 * Clips of the built-in characters: motions written as functions of time, baked at 60 keys/s.
 *
 * Rest rotations are the identity, so every joint turns about the world's axes: x pitches forward,
 * y turns to the left, z tips to the right. Angles in radians, lengths in metres.
 */
#ifndef SUP_AUTHOR_BUILTIN_CLIP_H
#define SUP_AUTHOR_BUILTIN_CLIP_H

#include "author/builtin/builtin_body.h"

#define SUP_BODY_POSE_JOINTS 32

/* One instant: how far the root joint is from its rest place, and each joint's local rotation. */
typedef struct SupBodyPose {
  SupVec3d shift;
  SupQuatd turns[SUP_BODY_POSE_JOINTS];
} SupBodyPose;

/* A motion: fills a pose that comes at rest. */
typedef struct SupMotion {
  const char *name;
  double seconds; /* a whole number of sixtieths */
  bool loops;     /* the last key is the first again, bit for bit */
  void (*pose)(const SupBody *body, double t, SupBodyPose *pose);
} SupMotion;

SupResult sup_motions_bake(SupArena *arena, const SupBody *body, const SupMotion *motions,
                           uint32_t count, uint32_t *out_count, const SupClip **out_clips);

/* Turns a joint further, before what it has been turned by already. */
void sup_body_pose_turn(SupBodyPose *pose, uint32_t j, double x, double y, double z);

/* A leg of two bones and a foot that are children of each other; a foreleg's upper arm, forearm and
 * hand too. */
typedef struct SupLegJoints {
  uint32_t thigh, shank, foot;
} SupLegJoints;

/* What a leg shall do: place of the ankle and rotation of the foot in the world, and whether the
 * knee points back, as an elbow does. */
typedef struct SupReach {
  SupVec3d ankle;
  SupQuatd foot;
  bool knee_back;
} SupReach;

/* Turns thigh, shank and foot so that the ankle is there, as near as can be when it is out of
 * reach. After everything above the thigh has its turn. */
void sup_body_pose_reach(const SupBody *body, SupBodyPose *pose, SupLegJoints leg, SupReach reach);

/* Where a foot is: moved by `shift` from its rest place, pitched about its ball (heel up, positive)
 * or its heel (toes up, negative). The two pivots lie on the ground, at z. */
typedef struct SupFootstep {
  SupVec3d shift;
  double pitch;
  double yaw;
  double ball, heel;
  bool knee_back;
} SupFootstep;

/* The same for a foot on its pivot. */
void sup_body_pose_step(const SupBody *body, SupBodyPose *pose, SupLegJoints leg, SupFootstep step);

/* ---- Curves --------------------------------------------------------------------------------- */

/* x less its whole part: 0 <= the result < 1. */
double sup_wrap(double x);

/* sin(2 pi turns). */
double sup_wave(double turns);

/* 0 before a, 1 after b, smooth between. */
double sup_ease(double t, double a, double b);

/* A key of a curve: value and slope (per second) at a time. */
typedef struct SupKey {
  double time, value, slope;
} SupKey;

/* The cubic Hermite curve through the keys; before and after them the end values. */
double sup_curve(double t, const SupKey *keys, uint32_t count);

/* A knock at time 0: swings at `hertz` and dies away with time constant `seconds`; 0 before. */
double sup_ring(double t, double hertz, double seconds);

#define SUP_CURVE(t, ...)                       \
  sup_curve((t), (const SupKey[]){__VA_ARGS__}, \
            (uint32_t)(sizeof((const SupKey[]){__VA_ARGS__}) / sizeof(SupKey)))

#endif
