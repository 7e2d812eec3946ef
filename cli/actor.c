/* SPDX-License-Identifier: MIT */
/* A character out of a file, and its plain skinned motion. */
#include "actor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supple/author/clip_amplify.h"
#include "supple/author/teaching.h"

const char *const cli_skinning_names[] = {"lbs", "dqs", NULL};
const char *const cli_order_names[] = {"file", "body", NULL};

SupSampleOrder cli_order(const CliArguments *arguments) {
  return cli_integer(arguments, "order") ? SUP_ORDER_BODY : SUP_ORDER_RENDER;
}

/* ---- Choosing ------------------------------------------------------------------------------- */

static SupResult choose_character(const char *wanted, uint32_t count,
                                  const SupGltfCharacter *characters, CliActor *actor,
                                  SupError *error) {
  uint32_t chosen = 0;
  if (wanted) {
    char *end;
    unsigned long number = strtoul(wanted, &end, 10);
    chosen = *wanted && !*end && number >= 1 && number <= count ? (uint32_t)number - 1 : count;
    for (uint32_t k = 0; k < count && chosen == count; k++) {
      if (strcmp(characters[k].character.name, wanted) == 0) chosen = k;
    }
    if (chosen == count) {
      char hint[96];
      const char *nearest =
          sup_nearest_member(wanted, &characters->character.name, sizeof *characters, count);
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "%s has no character '%s'; it has %u, and `supple info` lists them%s",
                      actor->path, wanted, count, sup_did_you_mean(hint, sizeof hint, nearest));
    }
  }
  actor->found = &characters[chosen];
  actor->character = &characters[chosen].character;
  return SUP_OK;
}

SupResult cli_gltf_open(CliContext *cli, const char *path, SupGltf **out_document,
                        SupError *error) {
  SupGltfOptions options = sup_gltf_options();
  bool given = cli_count(cli->arguments, "max-memory") > 0;
  options.allocator = cli->allocator;
  options.allow_external = cli_flag(cli->arguments, "allow-external");
  options.color_map = cli_text(cli->arguments, "color-map");
  const char *rest = options.color_map;
  if (rest && (!*rest || rest[strspn(rest, "abcdefghijklmnopqrstuvwxyz0123456789_")])) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--color-map '%s': names of maps are lower-case letters, digits and _, such as "
                    "stiffness, lock or material",
                    rest);
  }
  if (given) options.memory_limit = (size_t)cli_integer(cli->arguments, "max-memory");
  double began = cli_seconds();
  cli_busy_begin(cli, path);
  SupResult result = sup_gltf_open(path, &options, out_document, error);
  cli_busy_end(cli);
  cli_timing(cli, "open", began);
  if (result == SUP_ERROR_MEMORY && !given) {
    size_t length = strlen(error->text);
    sup_format(error->text + length, sizeof error->text - length,
               "; a document may take 4 GiB unless --max-memory says more (0: no limit)");
  }
  return result;
}

static SupResult open_actor(CliContext *cli, const char *path, const char *wanted,
                            CliActor *out_actor, SupError *error) {
  CliActor actor = {.path = path, .clips_path = path};
  const char *ending = strrchr(path, '.');
  if (ending && strcmp(ending, ".supple") == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s is a model for engines, without a mesh or clips: give the character's .glb "
                    "(supple build -o NAME.glb puts the model into it)",
                    path);
  }
  SupResult result = cli_gltf_open(cli, path, &actor.document, error);
  if (result != SUP_OK) return result;
  uint32_t count = 0;
  SupGltfCharacter *characters = NULL;
  double began = cli_seconds();
  cli_busy_begin(cli, "reading the character");
  result = sup_gltf_characters(actor.document, cli->arena, &count, &characters, error);
  cli_busy_end(cli);
  cli_timing(cli, "character", began);
  if (result != SUP_OK) sup_error_prefix(error, "%s", path);
  if (result == SUP_OK) result = choose_character(wanted, count, characters, &actor, error);
  if (result != SUP_OK) {
    cli_actor_close(&actor);
    return result;
  }
  *out_actor = actor;
  return SUP_OK;
}

SupResult cli_actor_open(CliContext *cli, const char *path, CliActor *out_actor, SupError *error) {
  return open_actor(cli, path, cli_text(cli->arguments, "character"), out_actor, error);
}

SupResult cli_actor_open_first(CliContext *cli, const char *path, CliActor *out_actor,
                               SupError *error) {
  return open_actor(cli, path, NULL, out_actor, error);
}

void cli_actor_close(CliActor *actor) {
  sup_gltf_close(actor->document);
  sup_gltf_close(actor->clips_document);
  actor->document = actor->clips_document = NULL;
}

SupResult cli_actor_clip(const CliActor *actor, const char *name, const SupClip **out_clip,
                         SupError *error) {
  const SupCharacter *character = actor->character;
  char list[256] = "", hint[96];
  size_t length = 0;
  for (uint32_t k = 0; k < character->clip_count; k++) {
    if (strcmp(character->clips[k].name, name) == 0) {
      *out_clip = &character->clips[k];
      return SUP_OK;
    }
    if (length < sizeof list) {
      length += sup_format(list + length, sizeof list - length, "%s%s", k ? ", " : "",
                           character->clips[k].name);
    }
  }
  if (length >= sizeof list) memcpy(list + sizeof list - 4, "...", 4);
  const char *nearest = sup_nearest_member(name, character->clips ? &character->clips->name : NULL,
                                           sizeof *character->clips, character->clip_count);
  return sup_fail(error, SUP_ERROR_ARGUMENT, "%s has no clip '%s'; it has %s%s", actor->clips_path,
                  name, *list ? list : "none", sup_did_you_mean(hint, sizeof hint, nearest));
}

SupResult cli_named_clip(CliContext *cli, const CliActor *actor, const char *name, double fps,
                         const SupClip **out_clip, SupError *error) {
  bool made = strcmp(name, CLI_CALIBRATION) == 0;
  for (uint32_t k = 0; k < actor->character->clip_count; k++) {
    if (strcmp(actor->character->clips[k].name, name) == 0) made = false;
  }
  if (!made) return cli_actor_clip(actor, name, out_clip, error);
  SupClip *clip = SUP_ALLOC(cli->arena, SupClip, 1);
  const SupCalibrationDef def = {.fps = (float)fps};
  SupCalibrationReport report;
  if (!clip) return sup_fail_memory(error, NULL);
  SupResult result = sup_calibration_clip(cli->arena, actor->character, &def, clip, &report, error);
  if (result != SUP_OK) return result;
  cli_say(cli, "calibration: %u joints in %u pulses, %.1f s\n", report.joint_count,
          report.slot_count, (double)clip->duration);
  *out_clip = clip;
  return SUP_OK;
}

SupResult cli_actor_clips(CliContext *cli, const CliActor *actor, double fps,
                          const SupClip ***out_clips, uint32_t *out_count, SupError *error) {
  uint32_t named = cli_count(cli->arguments, "clip");
  uint32_t count = named ? named : actor->character->clip_count;
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s has no clips: there is no motion to play%s",
                    actor->clips_path,
                    fps > 0 ? "; try --clip @calibration, which makes one for it" : "");
  }
  const SupClip **clips = SUP_ALLOC(cli->arena, const SupClip *, count);
  if (!clips) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    if (!named) {
      clips[k] = &actor->character->clips[k];
      continue;
    }
    const char *name = cli_text_at(cli->arguments, "clip", k);
    SupResult result = fps > 0 ? cli_named_clip(cli, actor, name, fps, &clips[k], error)
                               : cli_actor_clip(actor, name, &clips[k], error);
    if (result != SUP_OK) return result;
  }
  *out_clips = clips;
  *out_count = count;
  return SUP_OK;
}

SupResult cli_amplify_clips(CliContext *cli, uint32_t count, const SupClip **io_clips,
                            SupError *error) {
  double amplitude = cli_number(cli->arguments, "amplitude");
  if (amplitude == 1) return SUP_OK;
  for (uint32_t k = 0; k < count; k++) {
    SupClip *clip = SUP_ALLOC(cli->arena, SupClip, 1);
    if (!clip) return sup_fail_memory(error, NULL);
    SupResult result = sup_clip_amplify(cli->arena, io_clips[k], amplitude, clip, error);
    if (result != SUP_OK) return result;
    io_clips[k] = clip;
  }
  return SUP_OK;
}

uint32_t cli_frame_count(const SupClip *clip, float fps) {
  /* A ten-thousandth of a frame forgives a duration that was rounded to float. */
  double count = floor((double)clip->duration * (double)fps + 1e-4) + 1;
  return count < (double)UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

SupResult cli_check_lengths(uint32_t count, const SupClip *const *clips, float fps,
                            const char *advice, SupError *error) {
  for (uint32_t k = 0; k < count; k++) {
    if (cli_frame_count(clips[k], fps) <= 1000000) continue;
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "clip '%s' is %g s long: more than a million frames at %g per second; %s",
                    clips[k]->name, (double)clips[k]->duration, (double)fps, advice);
  }
  return SUP_OK;
}

SupResult cli_clip_paths(CliContext *cli, const char *path, uint32_t count,
                         const SupClip *const *clips, float fps, const char ***out_paths,
                         SupError *error) {
  SupResult result = cli_check_lengths(count, clips, fps, "give a smaller --fps", error);
  if (result != SUP_OK) return result;
  const char **paths = SUP_ALLOC(cli->arena, const char *, count);
  if (!paths) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    paths[k] = count > 1 ? cli_clip_path(cli, path, clips[k]->name) : path;
    if (!paths[k]) return sup_fail_memory(error, NULL);
    for (uint32_t i = 0; i < k; i++) {
      if (strcmp(paths[i], paths[k]) != 0) continue;
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "clips '%s' and '%s' would both be written to %s; name one at a time with "
                      "--clip",
                      clips[i]->name, clips[k]->name, paths[k]);
    }
  }
  *out_paths = paths;
  return SUP_OK;
}

SupResult cli_cache_format(const char *path, SupCacheFormat *out_format, SupError *error) {
  if (sup_cache_format(path, out_format)) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "%s: positions are written as .pc2 or .mdd; give the output such a name", path);
}

const char *cli_clip_path(CliContext *cli, const char *path, const char *clip_name) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(path, '.');
  if (!dot || (slash && dot < slash)) dot = path + strlen(path);
  size_t stem = (size_t)(dot - path), name = strlen(clip_name);
  char *result = SUP_ALLOC(cli->arena, char, strlen(path) + name + 2);
  if (!result) return NULL;
  memcpy(result, path, stem);
  result[stem] = '-';
  for (size_t k = 0; k < name; k++) {
    unsigned char c = (unsigned char)clip_name[k];
    bool bad = c < 32 || strchr("/\\:*?\"<>|", c);
    result[stem + 1 + k] = bad ? '_' : (char)c;
  }
  memcpy(result + stem + 1 + name, dot, strlen(dot) + 1);
  return result;
}

/* ---- Plain skinning ------------------------------------------------------------------------- */

SupResult cli_player_create(CliContext *cli, const SupCharacter *character, SupSampleOrder order,
                            CliSkinning skinning, CliPlayer *out_player, SupError *error) {
  uint32_t joints = character->skeleton.joint_count, bones = character->skeleton.bone_count;
  CliPlayer player = {.character = character,
                      .backend = sup_backend_cpu(),
                      .jobs = cli->jobs,
                      .skinning = skinning,
                      .pose = {.joint_count = joints}};
  SupResult result = sup_skin_pack_character(cli->arena, character, order, &player.skin, error);
  if (result != SUP_OK) return result;
  player.pose.joints = SUP_ALLOC(cli->arena, SupTransform, joints);
  player.globals = SUP_ALLOC(cli->arena, SupAffine, joints);
  player.palette = SUP_ALLOC(cli->arena, SupAffine, bones);
  player.duals = SUP_ALLOC(cli->arena, SupDualBone, bones);
  player.weights = SUP_ALLOC(cli->arena, float, character->morph_count);
  if (!player.pose.joints || !player.globals || !player.palette || !player.duals ||
      !player.weights) {
    return sup_fail_memory(error, NULL);
  }
  *out_player = player;
  return SUP_OK;
}

static void sample(CliPlayer *player, const SupClip *clip, float time, SupVec3 *out_positions,
                   SupVec3 *out_normals) {
  const SupCharacter *character = player->character;
  sup_pose_rest(&character->skeleton, &player->pose);
  for (uint32_t k = 0; k < character->morph_count; k++) {
    player->weights[k] = character->morphs[k].weight;
  }
  sup_clip_sample(clip, time, false, NULL, &player->pose, player->weights);
  sup_pose_evaluate(&character->skeleton, &player->pose, player->globals, player->palette);
  SupSkinCall call = {.skin = &player->skin,
                      .palette = player->palette,
                      .duals = player->duals,
                      .morph_weights = player->weights,
                      .unit = true,
                      .positions = {(float *)out_positions, 3},
                      .normals = {(float *)out_normals, 3}};
  if (player->skinning == CLI_SKINNING_DQS) {
    call.stretched = sup_skin_duals(player->skin.bone_count, player->palette, player->duals);
    sup_skin_dqs(player->backend, player->jobs, &call);
  } else {
    sup_skin_lbs(player->backend, player->jobs, &call);
  }
}

void cli_player_sample(CliPlayer *player, const SupClip *clip, float time, SupVec3 *out_positions) {
  sample(player, clip, time, out_positions, NULL);
}

SupResult cli_rest_positions(CliContext *cli, const SupCharacter *character, SupSampleOrder order,
                             const SupVec3 **out_positions, SupError *error) {
  if (character->skeleton.bone_count == 0) {
    *out_positions =
        order == SUP_ORDER_BODY ? character->body.positions : character->render.positions;
    return SUP_OK;
  }
  CliPlayer player;
  SupResult result = cli_player_create(cli, character, order, CLI_SKINNING_LBS, &player, error);
  if (result != SUP_OK) return result;
  SupVec3 *positions = SUP_ALLOC(cli->arena, SupVec3, player.skin.vertex_count);
  if (!positions) return sup_fail_memory(error, NULL);
  const SupClip nothing = {.name = ""};
  cli_player_sample(&player, &nothing, 0, positions);
  *out_positions = positions;
  return SUP_OK;
}

SupResult cli_rest_render(CliContext *cli, const SupCharacter *character, SupRender *out_render,
                          SupError *error) {
  *out_render = character->render;
  if (character->skeleton.bone_count == 0) return SUP_OK;
  CliPlayer player;
  SupResult result =
      cli_player_create(cli, character, SUP_ORDER_RENDER, CLI_SKINNING_LBS, &player, error);
  if (result != SUP_OK) return result;
  bool has_normals = player.skin.flags & SUP_SKIN_NORMALS;
  SupVec3 *positions = SUP_ALLOC(cli->arena, SupVec3, player.skin.vertex_count);
  SupVec3 *normals = has_normals ? SUP_ALLOC(cli->arena, SupVec3, player.skin.vertex_count) : NULL;
  if (!positions || (has_normals && !normals)) return sup_fail_memory(error, NULL);
  const SupClip nothing = {.name = ""};
  sample(&player, &nothing, 0, positions, normals);
  out_render->positions = positions;
  out_render->normals = normals;
  out_render->tangents = NULL;
  return SUP_OK;
}
