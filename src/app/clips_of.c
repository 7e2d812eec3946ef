/* SPDX-License-Identifier: MIT */
/* Clips of another file, carried over to a character: exactly where its joints have the same names,
 * else by what joints are. */
#include <string.h>

#include "supple/app/character_file.h"
#include "supple/author/clip_retarget.h"

static const char *bare_name(const char *name) {
  const char *colon = strrchr(name, ':');
  return colon ? colon + 1 : name;
}

/* How many joints are called so; 0 for a joint without a name. */
static uint32_t count_named(const SupSkeleton *skeleton, const char *name) {
  uint32_t count = 0;
  for (uint32_t j = 0; *name && j < skeleton->joint_count; j++) {
    count += strcmp(bare_name(skeleton->names[j]), name) == 0;
  }
  return count;
}

/* Skeletons whose joints have the same names, mostly: exact, key by key. A name that is missing, or
 * that several joints have, says nothing. */
static bool names_suffice(const SupRetarget *retarget, const SupSkeleton *from,
                          const SupSkeleton *to) {
  uint32_t sure = 0;
  if (retarget->equal_joints) return true;
  for (uint32_t j = 0; j < to->joint_count; j++) {
    const char *name = bare_name(to->names[j]);
    sure += count_named(from, name) == 1 && count_named(to, name) == 1;
  }
  return sure > 0 && 2 * (uint64_t)sure >= to->bone_count;
}

/* The clips on a skeleton that names its joints otherwise. */
static SupResult map_joints(const SupAppContext *app, const SupCharacterFile *source,
                            const SupCharacterFile *file, SupJointMap *out_map,
                            SupClipsReport *io_report, SupError *error) {
  const SupSkeleton *from = &source->character->skeleton, *to = &file->character->skeleton;
  SupResult result = sup_joint_map_make(app->arena, from, to, out_map, error);
  if (result == SUP_OK) result = sup_joint_map_check(out_map, source->path, file->path, error);
  if (result != SUP_OK) return result;
  io_report->mapped = true;
  io_report->matched = to->joint_count - out_map->counts[SUP_JOINT_FREE];
  for (uint32_t r = 0; r < SUP_JOINT_RULES; r++) io_report->rules[r] = out_map->counts[r];
  sup_app_note(
      app,
      "%s: %u of %u joints follow: %u by equal names, %u by like names, %u as the same part "
      "of a humanoid, %u with a share of one\n",
      file->path, io_report->matched, to->joint_count, out_map->counts[SUP_JOINT_EQUAL_NAME],
      out_map->counts[SUP_JOINT_LIKE_NAME], out_map->counts[SUP_JOINT_PART],
      out_map->counts[SUP_JOINT_SHARE]);
  return SUP_OK;
}

static SupResult carry_over(const SupAppContext *app, const SupCharacterFile *source,
                            SupCharacterFile *io_file, SupClipsReport *out_report,
                            SupError *error) {
  const SupSkeleton *from = &source->character->skeleton, *to = &io_file->character->skeleton;
  SupRetargetJoint *joints = SUP_ALLOC(app->arena, SupRetargetJoint, to->joint_count);
  SupClip *clips = SUP_ALLOC(app->arena, SupClip, source->character->clip_count);
  SupCharacter *character = SUP_COPY(app->arena, SupCharacter, io_file->character, 1);
  uint32_t *morphs = SUP_ALLOC(app->arena, uint32_t, source->character->morph_count);
  SupJointMap map;
  SupResult result = SUP_OK;
  if (!joints || !clips || !character || !morphs) return sup_fail_memory(error, NULL);
  const SupRetarget retarget = sup_retarget_make(from, to, joints);
  *out_report = (SupClipsReport){.matched = retarget.matched_count};
  out_report->rules[SUP_JOINT_EQUAL_NAME] = retarget.matched_count;
  const bool exact = names_suffice(&retarget, from, to);
  if (!exact) result = map_joints(app, source, io_file, &map, out_report, error);
  if (result != SUP_OK) return result;
  sup_morphs_match(source->character, io_file->character, morphs);
  for (uint32_t k = 0; k < source->character->clip_count; k++) {
    const SupClip *clip = &source->character->clips[k];
    result = exact ? sup_clip_retarget(app->arena, &retarget, clip, &clips[k], error)
                   : sup_joint_map_clip(app->arena, &map, clip, &clips[k], error);
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
                       SupClipsReport *out_report, SupError *error) {
  SupCharacterFile source;
  SupResult result = sup_character_open(app, path, def, &source, error);
  if (result != SUP_OK) return result;
  result = add_calibration(app, names, fps, &source, error);
  if (result == SUP_OK) result = carry_over(app, &source, io_file, out_report, error);
  if (result != SUP_OK) {
    sup_character_close(&source);
    return result;
  }
  io_file->clips_document = source.document; /* it has the clips' events */
  return SUP_OK;
}
