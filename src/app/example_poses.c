/* SPDX-License-Identifier: MIT */
/* Poses of a character: moments of clips, or those that teach best. */
#include "supple/app/example_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supple/author/teaching.h"

#define POSE_FPS 60 /* keys of a clip that is made for it */

/* CLIP:SECONDS, or rest. */
static SupResult pose_at(const SupAppContext *app, const SupCharacterFile *file, const char *text,
                         SupTransform *out_joints, SupError *error) {
  const SupSkeleton *skeleton = &file->character->skeleton;
  SupPose pose = {skeleton->joint_count, sup_transform_identity(), out_joints};
  sup_pose_rest(skeleton, &pose);
  if (strcmp(text, "rest") == 0) return SUP_OK;
  const char *colon = strrchr(text, ':');
  char *end = NULL;
  const double seconds = colon ? strtod(colon + 1, &end) : 0;
  if (!colon || end == colon + 1 || *end || !(seconds >= 0 && seconds < 1e6)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--at '%s' is not a time in a clip; give CLIP:SECONDS or rest", text);
  }
  const char *name = sup_arena_string(app->arena, text, (size_t)(colon - text));
  const SupClip *clip;
  if (!name) return sup_fail_memory(error, NULL);
  SupResult result = sup_named_clip(app, file, name, POSE_FPS, &clip, error);
  if (result == SUP_OK) sup_clip_sample(clip, (float)seconds, false, NULL, &pose, NULL);
  return result;
}

SupResult sup_example_poses(const SupAppContext *app, const SupCharacterFile *file, bool far,
                            uint32_t count, SupTransform **out_poses, SupError *error) {
  const uint32_t joints = file->character->skeleton.joint_count;
  SupTransform *poses = SUP_ALLOC(app->arena, SupTransform, (size_t)count * joints);
  if (!poses) return sup_fail_memory(error, NULL);
  SupResult result = (far ? sup_teaching_far : sup_teaching_poses)(app->arena, file->character,
                                                                   count, app->seed, poses, error);
  if (result == SUP_OK) *out_poses = poses;
  return result;
}

SupResult sup_named_poses(const SupAppContext *app, const SupCharacterFile *file,
                          const SupNames *at, uint32_t count, SupTransform **out_poses,
                          SupError *error) {
  const uint32_t joints = file->character->skeleton.joint_count;
  const uint32_t named = at->count;
  if (named && named != count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%u poses are needed, but --at is given %u times; give one for each pose",
                    count, named);
  }
  if (!named) return sup_example_poses(app, file, false, count, out_poses, error);
  SupTransform *poses = SUP_ALLOC(app->arena, SupTransform, (size_t)count * joints);
  if (!poses) return sup_fail_memory(error, NULL);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < named && result == SUP_OK; k++) {
    result = pose_at(app, file, at->names[k], poses + (size_t)k * joints, error);
  }
  if (result == SUP_OK) *out_poses = poses;
  return result;
}
