/* SPDX-License-Identifier: MIT */
#include "postures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supple/author/teaching.h"

#define POSTURE_FPS 60 /* keys of a clip that is made for it */

/* CLIP:SECONDS, or rest. */
static SupResult posture_at(CliContext *cli, const CliActor *actor, const char *text,
                            SupTransform *out_joints, SupError *error) {
  const SupSkeleton *skeleton = &actor->character->skeleton;
  SupPose pose = {skeleton->joint_count, sup_transform_identity(), out_joints};
  sup_pose_rest(skeleton, &pose);
  if (strcmp(text, "rest") == 0) return SUP_OK;
  const char *colon = strrchr(text, ':');
  char *end = NULL;
  const double seconds = colon ? strtod(colon + 1, &end) : 0;
  if (!colon || end == colon + 1 || *end || !(seconds >= 0 && seconds < 1e6)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--at '%s' is not a moment of a clip; give CLIP:SECONDS, or rest", text);
  }
  const char *name = sup_arena_string(cli->arena, text, (size_t)(colon - text));
  const SupClip *clip;
  if (!name) return sup_fail_memory(error, NULL);
  SupResult result = cli_named_clip(cli, actor, name, POSTURE_FPS, &clip, error);
  if (result == SUP_OK) sup_clip_sample(clip, (float)seconds, false, NULL, &pose, NULL);
  return result;
}

SupResult cli_teaching_postures(CliContext *cli, const CliActor *actor, bool far, uint32_t count,
                                SupTransform **out_poses, SupError *error) {
  const uint32_t joints = actor->character->skeleton.joint_count;
  SupTransform *poses = SUP_ALLOC(cli->arena, SupTransform, (size_t)count * joints);
  if (!poses) return sup_fail_memory(error, NULL);
  SupResult result = (far ? sup_teaching_far : sup_teaching_postures)(
      cli->arena, actor->character, count, cli->seed, poses, error);
  if (result == SUP_OK) *out_poses = poses;
  return result;
}

SupResult cli_postures(CliContext *cli, const CliActor *actor, uint32_t count,
                       SupTransform **out_poses, SupError *error) {
  const uint32_t joints = actor->character->skeleton.joint_count;
  const uint32_t named = cli_count(cli->arguments, "at");
  if (named && named != count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%u poses are needed, but --at gives %u", count,
                    named);
  }
  if (!named) return cli_teaching_postures(cli, actor, false, count, out_poses, error);
  SupTransform *poses = SUP_ALLOC(cli->arena, SupTransform, (size_t)count * joints);
  if (!poses) return sup_fail_memory(error, NULL);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < named && result == SUP_OK; k++) {
    result = posture_at(cli, actor, cli_text_at(cli->arguments, "at", k),
                        poses + (size_t)k * joints, error);
  }
  if (result == SUP_OK) *out_poses = poses;
  return result;
}
