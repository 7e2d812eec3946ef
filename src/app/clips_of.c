/* SPDX-License-Identifier: MIT */
/* Clips of another file, carried over to a character whose joints have the same names. */
#include <string.h>

#include "supple/app/character_file.h"
#include "supple/author/clip_retarget.h"

static SupResult carry_over(const SupAppContext *app, const SupCharacterFile *source,
                            SupCharacterFile *io_file, uint32_t *out_matched, SupError *error) {
  const SupSkeleton *from = &source->character->skeleton, *to = &io_file->character->skeleton;
  SupRetargetJoint *joints = SUP_ALLOC(app->arena, SupRetargetJoint, to->joint_count);
  SupClip *clips = SUP_ALLOC(app->arena, SupClip, source->character->clip_count);
  SupCharacter *character = SUP_COPY(app->arena, SupCharacter, io_file->character, 1);
  if (!joints || !clips || !character) return sup_fail_memory(error, NULL);
  const SupRetarget retarget = sup_retarget_make(from, to, joints);
  if (2 * retarget.matched_count < to->bone_count || retarget.matched_count == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s: its skeleton matches only %u of the %u joints of %s by name; clips can be "
                    "used where the joints have the same names",
                    source->path, retarget.matched_count, to->joint_count, io_file->path);
  }
  uint32_t *morphs = SUP_ALLOC(app->arena, uint32_t, source->character->morph_count);
  if (!morphs) return sup_fail_memory(error, NULL);
  sup_morphs_match(source->character, io_file->character, morphs);
  for (uint32_t k = 0; k < source->character->clip_count; k++) {
    const SupClip *clip = &source->character->clips[k];
    SupResult result = sup_clip_retarget(app->arena, &retarget, clip, &clips[k], error);
    if (result == SUP_OK) {
      result = sup_clip_retarget_weights(app->arena, clip, source->character->morph_count, morphs,
                                         &clips[k], error);
    }
    if (result != SUP_OK) return result;
  }
  character->clips = clips;
  character->clip_count = source->character->clip_count;
  io_file->character = character;
  io_file->clips_path = source->path;
  *out_matched = retarget.matched_count;
  return SUP_OK;
}

/* The source gets the motion that is made for it, where that is asked for. */
static SupResult add_calibration(const SupAppContext *app, const SupNames *names, double fps,
                                 SupCharacterFile *io_source, SupError *error) {
  const SupCharacter *character = io_source->character;
  bool wanted = false;
  for (uint32_t k = 0; k < names->count; k++) {
    wanted = wanted || strcmp(names->names[k], SUP_CALIBRATION) == 0;
  }
  if (!wanted) return SUP_OK;
  const SupClip *made;
  SupResult result = sup_named_clip(app, io_source, SUP_CALIBRATION, fps, &made, error);
  if (result != SUP_OK) return result;
  SupCharacter *more = SUP_COPY(app->arena, SupCharacter, character, 1);
  SupClip *clips = SUP_ALLOC(app->arena, SupClip, (size_t)character->clip_count + 1);
  if (!more || !clips) return sup_fail_memory(error, NULL);
  clips[0] = *made;
  for (uint32_t k = 0; k < character->clip_count; k++) clips[k + 1] = character->clips[k];
  more->clips = clips;
  more->clip_count++;
  io_source->character = more;
  return SUP_OK;
}

SupResult sup_clips_of(const SupAppContext *app, const char *path, const SupOpenDef *def,
                       const SupNames *names, double fps, SupCharacterFile *io_file,
                       uint32_t *out_matched, SupError *error) {
  SupCharacterFile source;
  SupResult result = sup_character_open(app, path, def, &source, error);
  if (result != SUP_OK) return result;
  result = add_calibration(app, names, fps, &source, error);
  if (result == SUP_OK) result = carry_over(app, &source, io_file, out_matched, error);
  if (result != SUP_OK) {
    sup_character_close(&source);
    return result;
  }
  io_file->clips_document = source.document; /* it has the clips' events */
  return SUP_OK;
}
