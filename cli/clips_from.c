/* SPDX-License-Identifier: MIT */
/* Clips of another file. */
#include "clips_from.h"

#include <string.h>

#include "supple/author/clip_retarget.h"

static SupResult carry_over(CliContext *cli, const CliActor *source, CliActor *io_actor,
                            SupError *error) {
  const SupSkeleton *from = &source->character->skeleton, *to = &io_actor->character->skeleton;
  SupRetargetJoint *joints = SUP_ALLOC(cli->arena, SupRetargetJoint, to->joint_count);
  SupClip *clips = SUP_ALLOC(cli->arena, SupClip, source->character->clip_count);
  SupCharacter *character = SUP_COPY(cli->arena, SupCharacter, io_actor->character, 1);
  if (!joints || !clips || !character) return sup_fail_memory(error, NULL);
  const SupRetarget retarget = sup_retarget_make(from, to, joints);
  if (2 * retarget.matched_count < to->bone_count || retarget.matched_count == 0) {
    return sup_fail(
        error, SUP_ERROR_UNSUPPORTED,
        "%s: only %u of %u joints of %s have a joint of the same name; clips are carried "
        "over between skeletons with the same names",
        source->path, retarget.matched_count, to->joint_count, io_actor->path);
  }
  uint32_t *morphs = SUP_ALLOC(cli->arena, uint32_t, source->character->morph_count);
  if (!morphs) return sup_fail_memory(error, NULL);
  sup_morphs_match(source->character, io_actor->character, morphs);
  for (uint32_t k = 0; k < source->character->clip_count; k++) {
    const SupClip *clip = &source->character->clips[k];
    SupResult result = sup_clip_retarget(cli->arena, &retarget, clip, &clips[k], error);
    if (result == SUP_OK) {
      result = sup_clip_retarget_weights(cli->arena, clip, source->character->morph_count, morphs,
                                         &clips[k], error);
    }
    if (result != SUP_OK) return result;
  }
  character->clips = clips;
  character->clip_count = source->character->clip_count;
  io_actor->character = character;
  io_actor->clips_path = source->path;
  cli_report_text(cli->report, "clips_from", source->path);
  cli_report_integer(cli->report, "joints_matched", retarget.matched_count);
  return SUP_OK;
}

/* The source gets the motion that is made for it, where that is asked for. */
static SupResult add_calibration(CliContext *cli, CliActor *io_source, SupError *error) {
  const SupCharacter *character = io_source->character;
  bool wanted = false;
  for (uint32_t k = 0; k < cli_count(cli->arguments, "clip"); k++) {
    wanted = wanted || strcmp(cli_text_at(cli->arguments, "clip", k), CLI_CALIBRATION) == 0;
  }
  if (!wanted) return SUP_OK;
  const SupClip *made;
  SupResult result = cli_named_clip(cli, io_source, CLI_CALIBRATION,
                                    cli_number(cli->arguments, "fps"), &made, error);
  if (result != SUP_OK) return result;
  SupCharacter *more = SUP_COPY(cli->arena, SupCharacter, character, 1);
  SupClip *clips = SUP_ALLOC(cli->arena, SupClip, (size_t)character->clip_count + 1);
  if (!more || !clips) return sup_fail_memory(error, NULL);
  clips[0] = *made;
  for (uint32_t k = 0; k < character->clip_count; k++) clips[k + 1] = character->clips[k];
  more->clips = clips;
  more->clip_count++;
  io_source->character = more;
  return SUP_OK;
}

SupResult cli_clips_from(CliContext *cli, CliActor *io_actor, SupError *error) {
  const char *path = cli_text(cli->arguments, "clips-from");
  if (!path) return SUP_OK;
  CliActor source;
  SupResult result = cli_actor_open_first(cli, path, &source, error);
  if (result != SUP_OK) return result;
  result = add_calibration(cli, &source, error);
  if (result == SUP_OK) result = carry_over(cli, &source, io_actor, error);
  if (result != SUP_OK) {
    cli_actor_close(&source);
    return result;
  }
  io_actor->clips_document = source.document; /* it has the clips' events */
  return SUP_OK;
}
