/* SPDX-License-Identifier: MIT */
/* Examples to learn from. */
#include "supple/app/example_files.h"

#include <string.h>

#include "supple/app/plain_player.h"

SupTransform *sup_clip_poses(const SupAppContext *app, const SupCharacter *character,
                             const SupClip *clip, double start, double fps, uint32_t count) {
  const SupSkeleton *skeleton = &character->skeleton;
  SupTransform *joints = SUP_ALLOC(app->arena, SupTransform, (size_t)count * skeleton->joint_count);
  for (uint32_t i = 0; joints && i < count; i++) {
    SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                    joints + (size_t)i * skeleton->joint_count};
    sup_pose_rest(skeleton, &pose);
    sup_clip_sample(clip, (float)(start + i / fps), false, NULL, &pose, NULL);
  }
  return joints;
}

static SupResult read_poses(const SupAppContext *app, const SupCharacterFile *file,
                            const char *name, SupExample *example, SupError *error) {
  const uint32_t joints = file->character->skeleton.joint_count;
  SupSamples *s = &example->samples;
  SupTransform *poses;
  const bool far = strcmp(name, "@far") == 0;
  if (far || strcmp(name, "@poses") == 0) {
    SupResult result = sup_example_poses(app, file, far, s->frame_count, &poses, error);
    if (result != SUP_OK) return result;
  } else {
    SupResult result = sup_named_clip(app, file, name, (double)s->fps, &example->clip, error);
    if (result != SUP_OK) return result;
    poses = sup_clip_poses(app, file->character, example->clip, (double)s->start, (double)s->fps,
                           s->frame_count);
    if (!poses) return sup_fail_memory(error, NULL);
  }
  example->name = name;
  s->poses = poses;
  s->joint_count = joints;
  return SUP_OK;
}

SupResult sup_match_body(const SupAppContext *app, const SupCharacterFile *file, const char *path,
                         const SupVec3 *reference, SupSamples *io_samples, SupError *error) {
  const uint32_t count = file->character->body.vertex_count;
  SupSamples *s = io_samples;
  SupVec3 *positions = SUP_ALLOC(app->arena, SupVec3, (size_t)s->frame_count * count);
  if (!positions) return sup_fail_memory(error, NULL);
  const SupMatchDef def = {.reference = reference};
  SupMatch match;
  SupResult result = sup_samples_match(app->arena, file->character, s, &def, &match, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", path);
    return result;
  }
  if (!match.certain || match.kind == SUP_MATCH_POSITION) {
    sup_app_note(app, "note: %s is %s\n", path, sup_match_text(&match));
  }
  for (uint32_t i = 0; i < s->frame_count; i++) {
    sup_positions_gather(s->positions + (size_t)i * s->vertex_count, match.source, count,
                         positions + (size_t)i * count);
  }
  s->positions = positions;
  s->vertex_count = count;
  s->order = SUP_ORDER_BODY;
  return SUP_OK;
}

/* Brings the samples into body order: whatever wrote them, the first frame is nearly skinning. */
static SupResult to_body(const SupAppContext *app, const SupCharacterFile *file,
                         SupExample *example, SupError *error) {
  const SupCharacter *character = file->character;
  SupPlainPlayer player;
  SupVec3 *reference = SUP_ALLOC(app->arena, SupVec3, character->body.vertex_count);
  if (!reference) return sup_fail_memory(error, NULL);
  SupResult result =
      sup_plain_player_create(app, character, SUP_ORDER_BODY, SUP_PLAIN_LBS, &player, error);
  if (result != SUP_OK) return result;
  const SupClip still = {.name = ""};
  sup_plain_player_sample(&player, example->clip ? example->clip : &still, example->samples.start,
                          reference);
  return sup_match_body(app, file, example->path, reference, &example->samples, error);
}

SupResult sup_read_examples(const SupAppContext *app, const SupCharacterFile *file,
                            const SupNames *paths, const SupNames *clips, SupExample **out_examples,
                            SupError *error) {
  if (clips->count != paths->count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%u --example and %u --clip: give one --clip for each --example", paths->count,
                    clips->count);
  }
  SupExample *examples = SUP_ALLOC(app->arena, SupExample, paths->count);
  if (!examples) return sup_fail_memory(error, NULL);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < paths->count && result == SUP_OK; k++) {
    SupExample *example = &examples[k];
    example->path = paths->names[k];
    result = sup_cache_load(app->arena, example->path, 0, &example->samples, error);
    if (result == SUP_OK) result = read_poses(app, file, clips->names[k], example, error);
    if (result == SUP_OK) result = to_body(app, file, example, error);
  }
  *out_examples = examples;
  return result;
}

SupResult sup_read_beside(const SupAppContext *app, const SupCharacterFile *file,
                          const SupExample *example, const char *path,
                          const SupVec3 **out_positions, SupError *error) {
  SupExample beside = {.path = path, .clip = example->clip};
  SupResult result = sup_cache_load(app->arena, path, 0, &beside.samples, error);
  if (result != SUP_OK) return result;
  if (beside.samples.frame_count != example->samples.frame_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has %u frames, but %s has %u; both need the same number", path,
                    beside.samples.frame_count, example->path, example->samples.frame_count);
  }
  result = to_body(app, file, &beside, error);
  *out_positions = beside.samples.positions;
  return result;
}
