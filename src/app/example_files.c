/* SPDX-License-Identifier: MIT */
/* Examples to learn from. */
#include "supple/app/example_files.h"

#include <math.h>
#include <stdio.h>
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

/* ---- Length --------------------------------------------------------------------------------- */

/* The rate at which `frames` from the clip's beginning last `seconds` to within a frame: a usual
 * one if there is any. */
static double fitting_rate(double frames, double seconds) {
  static const double usual[] = {24, 30, 60, 25, 120, 50, 48, 15, 12, 90, 100, 240, 10};
  for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
    if (fabs(frames - seconds * usual[k]) < 1) return usual[k];
  }
  return frames / seconds;
}

void sup_note_length(const SupAppContext *app, const char *path, float fps, const SupClip *clip) {
  SupCacheReader *reader;
  SupError ignored;
  if (sup_cache_open(app->allocator, path, fps, &reader, &ignored) != SUP_OK) return;
  const SupCacheInfo info = *sup_cache_info(reader);
  sup_cache_close(reader);
  const double rate = (double)info.fps, start = (double)info.start, span = info.frame_count - 1;
  const double length = start + span / rate, duration = (double)clip->duration;
  const bool whole = info.timing != SUP_TIMING_STORED || length > duration;
  if (!whole || !(fabs(length - duration) > 2 / rate) || info.frame_count < 2) return;
  /* A PC2 says in frames when it begins and may skip some; an MDD says it in seconds. */
  const bool pc2 = info.format == SUP_CACHE_PC2;
  const double frames = pc2 ? span + start * rate : span;
  const double seconds = pc2 ? duration : duration - start;
  const bool of_scene = pc2 && info.timing != SUP_TIMING_STORED;
  const double scene = fps > 0 ? (double)fps : (double)SUP_CACHE_FPS;
  char advice[64] = "";
  if (seconds > 0 && frames > 0) {
    const double fits = fitting_rate(frames, seconds) * (of_scene ? scene / rate : 1);
    snprintf(advice, sizeof advice, "; --fps %.4g would fit", fits);
  }
  sup_app_note(app, "note: %s lasts %.4g s at %s%.4g frames per second, but clip '%s' %.4g s%s\n",
               path, length, info.timing == SUP_TIMING_ASSUMED ? "an assumed " : "", rate,
               sup_app_shown(app, clip->name), duration, advice);
}

/* ---- Reading -------------------------------------------------------------------------------- */

SupResult sup_read_examples(const SupAppContext *app, const SupCharacterFile *file,
                            const SupNames *paths, const SupNames *clips, float fps,
                            SupExample **out_examples, SupError *error) {
  if (paths->count == 0 && clips->count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--clip says which motion an --example X.pc2 shows; give an --example for each "
                    "--clip, or neither");
  }
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
    result = sup_cache_load(app->arena, example->path, fps, &example->samples, error);
    if (result == SUP_OK) result = read_poses(app, file, clips->names[k], example, error);
    if (result == SUP_OK && example->clip) sup_note_length(app, example->path, fps, example->clip);
    if (result == SUP_OK) result = to_body(app, file, example, error);
  }
  *out_examples = examples;
  return result;
}

SupResult sup_read_beside(const SupAppContext *app, const SupCharacterFile *file,
                          const SupExample *example, const char *path, float fps,
                          const SupVec3 **out_positions, SupError *error) {
  SupExample beside = {.path = path, .clip = example->clip};
  SupResult result = sup_cache_load(app->arena, path, fps, &beside.samples, error);
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
