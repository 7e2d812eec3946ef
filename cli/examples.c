/* SPDX-License-Identifier: MIT */
#include "examples.h"

#include <string.h>

#include "postures.h"

SupTransform *cli_clip_poses(CliContext *cli, const SupCharacter *character, const SupClip *clip,
                             double start, double fps, uint32_t count) {
  const SupSkeleton *skeleton = &character->skeleton;
  SupTransform *joints = SUP_ALLOC(cli->arena, SupTransform, (size_t)count * skeleton->joint_count);
  for (uint32_t i = 0; joints && i < count; i++) {
    SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                    joints + (size_t)i * skeleton->joint_count};
    sup_pose_rest(skeleton, &pose);
    sup_clip_sample(clip, (float)(start + i / fps), false, NULL, &pose, NULL);
  }
  return joints;
}

static SupResult read_poses(CliContext *cli, const CliActor *actor, const char *name,
                            CliExample *example, SupError *error) {
  const uint32_t joints = actor->character->skeleton.joint_count;
  SupSamples *s = &example->samples;
  SupTransform *poses;
  const bool far = strcmp(name, "@far") == 0;
  if (far || strcmp(name, "@postures") == 0) {
    SupResult result = cli_teaching_postures(cli, actor, far, s->frame_count, &poses, error);
    if (result != SUP_OK) return result;
  } else {
    SupResult result = cli_named_clip(cli, actor, name, (double)s->fps, &example->clip, error);
    if (result != SUP_OK) return result;
    poses = cli_clip_poses(cli, actor->character, example->clip, (double)s->start, (double)s->fps,
                           s->frame_count);
    if (!poses) return sup_fail_memory(error, NULL);
  }
  example->name = name;
  s->poses = poses;
  s->joint_count = joints;
  return SUP_OK;
}

SupResult cli_match_body(CliContext *cli, const CliActor *actor, const char *path,
                         const SupVec3 *reference, SupSamples *io_samples, SupError *error) {
  const uint32_t count = actor->character->body.vertex_count;
  SupSamples *s = io_samples;
  SupVec3 *positions = SUP_ALLOC(cli->arena, SupVec3, (size_t)s->frame_count * count);
  if (!positions) return sup_fail_memory(error, NULL);
  const SupMatchDef def = {.reference = reference};
  SupMatch match;
  SupResult result = sup_samples_match(cli->arena, actor->character, s, &def, &match, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", path);
    return result;
  }
  if (!match.certain || match.kind == SUP_MATCH_POSITION) {
    cli_say(cli, "note: %s is %s\n", path, sup_match_text(&match));
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
static SupResult to_body(CliContext *cli, const CliActor *actor, CliExample *example,
                         SupError *error) {
  const SupCharacter *character = actor->character;
  CliPlayer player;
  SupVec3 *reference = SUP_ALLOC(cli->arena, SupVec3, character->body.vertex_count);
  if (!reference) return sup_fail_memory(error, NULL);
  SupResult result =
      cli_player_create(cli, character, SUP_ORDER_BODY, CLI_SKINNING_LBS, &player, error);
  if (result != SUP_OK) return result;
  const SupClip still = {.name = ""};
  cli_player_sample(&player, example->clip ? example->clip : &still, example->samples.start,
                    reference);
  return cli_match_body(cli, actor, example->path, reference, &example->samples, error);
}

SupResult cli_read_examples(CliContext *cli, const CliActor *actor, CliExample **out_examples,
                            uint32_t *out_count, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const uint32_t count = cli_count(arguments, "example");
  if (cli_count(arguments, "clip") != count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%u examples and %u clips: give the clip of each --example with --clip", count,
                    cli_count(arguments, "clip"));
  }
  CliExample *examples = SUP_ALLOC(cli->arena, CliExample, count);
  if (!examples) return sup_fail_memory(error, NULL);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    CliExample *example = &examples[k];
    example->path = cli_text_at(arguments, "example", k);
    result = sup_cache_load(cli->arena, example->path, 0, &example->samples, error);
    if (result == SUP_OK) {
      result = read_poses(cli, actor, cli_text_at(arguments, "clip", k), example, error);
    }
    if (result == SUP_OK) result = to_body(cli, actor, example, error);
  }
  *out_examples = examples;
  *out_count = count;
  return result;
}

SupResult cli_read_beside(CliContext *cli, const CliActor *actor, const CliExample *example,
                          const char *path, const SupVec3 **out_positions, SupError *error) {
  CliExample beside = {.path = path, .clip = example->clip};
  SupResult result = sup_cache_load(cli->arena, path, 0, &beside.samples, error);
  if (result != SUP_OK) return result;
  if (beside.samples.frame_count != example->samples.frame_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s has %u frames, %s has %u", path,
                    beside.samples.frame_count, example->path, example->samples.frame_count);
  }
  result = to_body(cli, actor, &beside, error);
  *out_positions = beside.samples.positions;
  return result;
}
