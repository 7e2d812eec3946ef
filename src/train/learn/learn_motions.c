/* SPDX-License-Identifier: MIT */
/* Motion to learn from: who gives none is asked less than who makes it himself. */
#include <math.h>

#include "supple/author/teaching.h"
#include "supple/clip.h"
#include "train/learn/learn_parts.h"

#define HELD_SECONDS 2.0 /* of the character's own clip, to choose by */
/* Of the calibration clip: the root and the joints near it come first, and what swings most. */
#define CALIBRATION_SECONDS 10.0

static SupResult make_samples(SupArena *arena, const SupLearnDef *def, uint32_t frames,
                              SupSamples *out, SupVec3 **out_positions, SupTransform **out_poses,
                              SupError *error) {
  const uint32_t vertices = def->character->body.vertex_count;
  const uint32_t joints = def->character->skeleton.joint_count;
  *out_positions = SUP_ALLOC(arena, SupVec3, (size_t)frames * vertices);
  *out_poses = SUP_ALLOC(arena, SupTransform, (size_t)frames * joints);
  if (!*out_positions || !*out_poses) return sup_fail_memory(error, "learning");
  *out = (SupSamples){.fps = def->fps,
                      .frame_count = frames,
                      .vertex_count = vertices,
                      .order = SUP_ORDER_BODY,
                      .positions = *out_positions,
                      .joint_count = joints,
                      .poses = *out_poses};
  return SUP_OK;
}

/* Poses within what the clips show, or beyond. */
static SupResult ask_poses(SupArena *arena, const SupLearnDef *def, bool far, SupLearnMotion *out,
                           SupError *error) {
  const uint32_t count = far ? def->far_count : def->pose_count;
  SupVec3 *positions;
  SupTransform *poses;
  SupResult result = make_samples(arena, def, count, &out->samples, &positions, &poses, error);
  if (!result) {
    result = (far ? sup_teaching_far : sup_teaching_poses)(arena, def->character, count, def->seed,
                                                           poses, error);
  }
  if (!result) {
    result = def->teacher->poses(def->teacher->user, poses, count, positions, error);
  }
  out->name = far ? "@far" : "@poses";
  return result;
}

static SupResult ask_clip(SupArena *arena, const SupLearnDef *def, const SupClip *clip,
                          double seconds, bool held, SupLearnMotion *out, SupError *error) {
  const SupSkeleton *skeleton = &def->character->skeleton;
  const double length = fmin((double)clip->duration, seconds);
  const uint32_t frames = (uint32_t)(length * (double)def->fps + 1e-4) + 1;
  SupVec3 *positions;
  SupTransform *poses;
  SupResult result = make_samples(arena, def, frames, &out->samples, &positions, &poses, error);
  for (uint32_t i = 0; !result && i < frames; i++) {
    SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                    poses + (size_t)i * skeleton->joint_count};
    sup_pose_rest(skeleton, &pose);
    sup_clip_sample(clip, (float)i / def->fps, false, NULL, &pose, NULL);
  }
  if (!result) {
    result = def->teacher->motion(def->teacher->user, clip, def->fps, frames, positions, error);
  }
  out->name = clip->name;
  out->clip = clip;
  out->held = held;
  return result;
}

/* How much a clip turns its joints a second: a lively one tells candidates apart. */
static double liveliness(const SupLearnDef *def, const SupClip *clip, SupPose *a, SupPose *b) {
  const double length = fmin((double)clip->duration, HELD_SECONDS);
  double sum = 0;
  if (length < 0.4) return 0;
  for (double t = 0.1; t < length; t += 0.1) {
    sup_pose_rest(&def->character->skeleton, a);
    sup_pose_rest(&def->character->skeleton, b);
    sup_clip_sample(clip, (float)(t - 0.1), false, NULL, a, NULL);
    sup_clip_sample(clip, (float)t, false, NULL, b, NULL);
    for (uint32_t j = 0; j < a->joint_count; j++) {
      sum += 1 - fabs((double)sup_quat_dot(a->joints[j].rotation, b->joints[j].rotation));
    }
  }
  return sum / length;
}

static SupResult ask(SupArena *arena, const SupLearnDef *def, SupLearnMotion **out_motions,
                     uint32_t *out_count, SupError *error) {
  const SupCharacter *character = def->character;
  const uint32_t joints = character->skeleton.joint_count;
  SupLearnMotion *motions = SUP_ALLOC(arena, SupLearnMotion, 4 + def->motion_count);
  SupClip *calibration = SUP_ALLOC(arena, SupClip, 1);
  SupPose a = {joints, sup_transform_identity(), SUP_ALLOC(arena, SupTransform, joints)};
  SupPose b = {joints, sup_transform_identity(), SUP_ALLOC(arena, SupTransform, joints)};
  const SupCalibrationDef pulses = {.fps = def->fps};
  SupCalibrationReport unused;
  if (!motions || !calibration || !a.joints || !b.joints) return sup_fail_memory(error, "learning");
  SupResult result = sup_calibration_clip(arena, character, &pulses, calibration, &unused, error);
  uint32_t count = 0;
  if (!result) result = ask_poses(arena, def, false, &motions[count++], error);
  if (!result && def->far_count) {
    result = ask_poses(arena, def, true, &motions[count++], error);
  }
  if (!result) {
    result =
        ask_clip(arena, def, calibration, CALIBRATION_SECONDS, false, &motions[count++], error);
  }
  const SupClip *lively = NULL;
  double most = 0;
  for (uint32_t k = 0; k < character->clip_count; k++) {
    const double life = liveliness(def, &character->clips[k], &a, &b);
    if (life > most) most = life, lively = &character->clips[k];
  }
  if (!result && lively) {
    result = ask_clip(arena, def, lively, HELD_SECONDS, true, &motions[count++], error);
  }
  for (uint32_t k = 0; k < def->motion_count; k++) motions[count++] = def->motions[k];
  *out_motions = motions;
  *out_count = count;
  return result;
}

static bool only_tests(const SupLearnDef *def) {
  for (uint32_t k = 0; k < def->motion_count; k++) {
    if (!def->motions[k].test) return false;
  }
  return true;
}

/* Nothing is held: the last of several motions, or the last third of the only one. */
static SupResult hold_back(SupArena *arena, SupLearnMotion **io_motions, uint32_t *io_count,
                           SupError *error) {
  SupLearnMotion *motions = *io_motions, *last = NULL;
  uint32_t moving = 0;
  for (uint32_t k = 0; k < *io_count; k++) {
    if (!motions[k].clip || motions[k].test) continue;
    if (motions[k].held) return SUP_OK;
    last = &motions[k];
    moving++;
  }
  if (!last) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "there are static poses but no motion to learn from; give a clip's cache as "
                    "well, or let a simulation make one");
  }
  if (moving > 1) {
    last->held = true;
    return SUP_OK;
  }
  SupSamples *s = &last->samples;
  const uint32_t kept = s->frame_count * 2 / 3;
  if (kept < 10 || s->frame_count - kept < 10) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%u frames of motion are too few to train on some and validate on others; give at least 28",
        s->frame_count);
  }
  SupLearnMotion *more = SUP_ALLOC(arena, SupLearnMotion, *io_count + 1);
  if (!more) return sup_fail_memory(error, "learning");
  for (uint32_t k = 0; k < *io_count; k++) more[k] = motions[k];
  SupLearnMotion *rest = &more[*io_count];
  *rest = *last;
  rest->held = true;
  rest->samples.frame_count = s->frame_count - kept;
  rest->samples.start = s->start + (float)kept / s->fps;
  rest->samples.positions = s->positions + (size_t)kept * s->vertex_count;
  if (last->quasistatic) rest->quasistatic += (size_t)kept * s->vertex_count;
  if (s->poses) rest->samples.poses = s->poses + (size_t)kept * s->joint_count;
  more[last - motions].samples.frame_count = kept;
  *io_motions = more;
  ++*io_count;
  return SUP_OK;
}

SupResult sup_learn_motions(SupArena *arena, const SupLearnDef *def, SupLearnMotion **out_motions,
                            uint32_t *out_count, SupError *error) {
  SupResult result;
  if (!only_tests(def)) {
    *out_motions = SUP_COPY(arena, SupLearnMotion, def->motions, def->motion_count);
    *out_count = def->motion_count;
    result = *out_motions ? SUP_OK : sup_fail_memory(error, "learning");
  } else if (def->teacher) {
    result = ask(arena, def, out_motions, out_count, error);
  } else {
    result = sup_fail(error, SUP_ERROR_ARGUMENT, "learning: neither examples nor a teacher");
  }
  for (uint32_t k = 0; !result && k < *out_count; k++) {
    SupLearnMotion *motion = &(*out_motions)[k];
    if (!motion->test) result = sup_learn_hold_locked(arena, def, &motion->samples, error);
  }
  return result ? result : hold_back(arena, out_motions, out_count, error);
}
