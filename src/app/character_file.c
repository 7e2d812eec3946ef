/* SPDX-License-Identifier: MIT */
/* A character out of a file: which one, its clips, and where their motion is written. */
#include "supple/app/character_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supple/author/baked.h"
#include "supple/author/clip_amplify.h"
#include "supple/author/teaching.h"
#include "supple/helpers.h"

#define COOKIE 0x4f70656eu

SupOpenDef sup_open_def(void) { return (SupOpenDef){.cookie = COOKIE}; }

/* ---- Choosing ------------------------------------------------------------------------------- */

static const char *name_at(SupNameList list, size_t k) {
  const char *first = list.first;
  return *(const char *const *)(const void *)(first + k * list.stride);
}

SupResult sup_names_mark(const SupNames *names, SupNameList list, const char *option,
                         const char *whose, bool *out_marked, SupError *error) {
  char hint[200];
  for (size_t k = 0; k < list.count; k++) out_marked[k] = false;
  for (uint32_t i = 0; i < names->count; i++) {
    const size_t found = sup_name_find(names->names[i], list);
    if (found >= list.count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: '%s' is not %s%s", option, names->names[i],
                      whose, sup_name_hint(hint, sizeof hint, names->names[i], list));
    }
    for (size_t k = 0; k < list.count; k++) {
      if (strcmp(name_at(list, k), name_at(list, found)) == 0) out_marked[k] = true;
    }
  }
  return SUP_OK;
}

static SupResult choose_character(const char *wanted, uint32_t count,
                                  const SupGltfCharacter *characters, SupCharacterFile *file,
                                  SupError *error) {
  uint32_t chosen = 0;
  if (wanted) {
    char *end;
    unsigned long number = strtoul(wanted, &end, 10);
    chosen = *wanted && !*end && number >= 1 && number <= count ? (uint32_t)number - 1 : count;
    const SupNameList names = {&characters->character.name, sizeof *characters, count};
    if (chosen == count) {
      const size_t named = sup_name_find(wanted, names);
      if (named < count) chosen = (uint32_t)named;
    }
    if (chosen == count) {
      char hint[200];
      if (count == 1) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "%s has no character '%s'; its only one is '%s'%s", file->path, wanted,
                        characters->character.name, ", and --character can be left out");
      }
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "%s has no character '%s'; it has %u, and `supple info` lists them%s",
                      file->path, wanted, count, sup_name_hint(hint, sizeof hint, wanted, names));
    }
  }
  file->found = &characters[chosen];
  file->character = &characters[chosen].character;
  return SUP_OK;
}

SupResult sup_file_open(const SupAppContext *app, const char *path, const SupOpenDef *def,
                        SupGltf **out_document, SupError *error) {
  SupGltfOptions options = sup_gltf_options();
  const bool usual = app->document_limit == SUP_APP_USUAL_LIMIT;
  const char *map = def->color_map;
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "opening: start from sup_open_def()");
  }
  options.allocator = app->allocator;
  options.allow_external = def->allow_external;
  options.color_map = map;
  if (map && (!*map || map[strspn(map, "abcdefghijklmnopqrstuvwxyz0123456789_")])) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--color-map '%s': a map's name has only lower-case letters, digits and _, "
                    "such as stiffness, lock or material",
                    map);
  }
  if (!usual) options.memory_limit = app->document_limit;
  const double began = sup_app_seconds();
  sup_app_busy(app, path);
  SupResult result = sup_gltf_open(path, &options, out_document, error);
  sup_app_busy(app, NULL);
  sup_app_timing(app, "open", began);
  if (result == SUP_ERROR_MEMORY && usual) {
    const size_t length = strlen(error->text);
    sup_format(error->text + length, sizeof error->text - length,
               "; a document may take 4 GiB unless --max-memory says more (0: no limit)");
  }
  return result;
}

SupResult sup_mark_helpers(const SupAppContext *app, const SupCharacterFile *file,
                           SupCharacter *io_character, SupError *error) {
  const uint32_t joints = io_character->skeleton.joint_count;
  SupGltfModel *stored;
  uint32_t count;
  SupError ignored;
  SupResult result =
      sup_gltf_models(file->document, file->found, app->arena, &count, &stored, &ignored);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    if (strcmp(stored[k].kind, "helpers") != 0) continue;
    const SupModel *model = sup_arena_copy(app->arena, stored[k].data, stored[k].bytes, 1);
    uint8_t *marks = SUP_ALLOC(app->arena, uint8_t, joints);
    if (!model || !marks) return sup_fail_memory(error, file->path);
    if (sup_model_check(model, stored[k].bytes, NULL, &ignored) != SUP_OK) continue;
    const SupHelpersView view = sup_helpers_view(model);
    if (model->kind != SUP_HELPERS_KIND || view.joint_count != joints) continue;
    for (uint32_t h = 0; h < view.helper_count; h++) marks[view.bones[h].joint] = 1;
    io_character->helper_joints = marks;
  }
  return SUP_OK;
}

SupResult sup_character_open(const SupAppContext *app, const char *path, const SupOpenDef *def,
                             SupCharacterFile *out_file, SupError *error) {
  SupCharacterFile file = {.path = path, .clips_path = path};
  const char *ending = strrchr(path, '.');
  if (ending && strcmp(ending, ".supple") == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s is a model without a mesh or clips; give the character's .glb (supple "
                    "build -o NAME.glb stores the model in it)",
                    path);
  }
  SupResult result = sup_file_open(app, path, def, &file.document, error);
  if (result != SUP_OK) return result;
  uint32_t count = 0;
  SupGltfCharacter *characters = NULL;
  const double began = sup_app_seconds();
  sup_app_busy(app, "reading the character");
  result = sup_gltf_characters(file.document, app->arena, &count, &characters, error);
  sup_app_busy(app, NULL);
  sup_app_timing(app, "character", began);
  if (result != SUP_OK) sup_error_prefix(error, "%s", path);
  if (result == SUP_OK) result = choose_character(def->character, count, characters, &file, error);
  if (result == SUP_OK) {
    SupCharacter *chosen = (SupCharacter *)(uintptr_t)file.character; /* one of `characters` */
    result = sup_mark_helpers(app, &file, chosen, error);
  }
  if (result != SUP_OK) {
    sup_character_close(&file);
    return result;
  }
  *out_file = file;
  return SUP_OK;
}

void sup_note_helper_joints(const SupAppContext *app, const SupCharacterFile *file) {
  if (!file->character->helper_joints) return;
  sup_app_note(app,
               "note: the helpers model of %s is dropped, but its joints keep their weights, which "
               "changes plain skinning; better start from the character without helpers\n",
               file->path);
}

void sup_note_baked(const SupAppContext *app, const SupCharacterFile *file) {
  const SupBakedParts baked = sup_baked_parts(file->character);
  if (!baked.first) return;
  sup_app_note(
      app,
      "note: %s has baked secondary motion (%s, ...), and flesh made for it moves on top of "
      "that; better start from the file that it was made from\n",
      file->path, baked.first);
}

void sup_character_close(SupCharacterFile *file) {
  sup_gltf_close(file->document);
  sup_gltf_close(file->clips_document);
  file->document = file->clips_document = NULL;
}

SupResult sup_character_save(const SupAppContext *app, const SupCharacter *character,
                             const char *path, SupError *error) {
  SupGltfOptions options = sup_gltf_options();
  SupGltf *document;
  options.allocator = app->allocator;
  options.memory_limit = 0; /* the allocator has one */
  SupResult result = sup_gltf_from_character(character, &options, &document, error);
  if (result != SUP_OK) return result;
  result = sup_gltf_save(document, path, SUP_GLTF_BY_NAME, error);
  sup_gltf_close(document);
  return result;
}

/* ---- Clips ---------------------------------------------------------------------------------- */

SupResult sup_file_clip(const SupCharacterFile *file, const char *name, const SupClip **out_clip,
                        SupError *error) {
  const SupCharacter *character = file->character;
  const SupNameList names = {character->clips ? &character->clips->name : NULL,
                             sizeof *character->clips, character->clip_count};
  char list[160] = "", hint[160];
  size_t length = 0;
  const size_t found = sup_name_find(name, names);
  if (found < character->clip_count) {
    *out_clip = &character->clips[found];
    return SUP_OK;
  }
  for (uint32_t k = 0; k < character->clip_count; k++) {
    if (length < sizeof list) {
      length += sup_format(list + length, sizeof list - length, "%s%s", k ? ", " : "",
                           character->clips[k].name);
    }
  }
  if (length >= sizeof list) memcpy(list + sizeof list - 4, "...", 4);
  if (character->clip_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s has no clip '%s': it has no clips at all",
                    file->clips_path, name);
  }
  if (strchr(name, ',')) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has no clip '%s'; for several clips give --clip once for each",
                    file->clips_path, name);
  }
  const bool several = found == SUP_NAME_SEVERAL; /* the hint lists them */
  return sup_fail(error, SUP_ERROR_ARGUMENT, "%s has no clip '%s'%s%s%s", file->clips_path, name,
                  several ? "" : "; it has ", several ? "" : list,
                  sup_name_hint(hint, sizeof hint, name, names));
}

SupResult sup_named_clip(const SupAppContext *app, const SupCharacterFile *file, const char *name,
                         double fps, const SupClip **out_clip, SupError *error) {
  bool made = strcmp(name, SUP_CALIBRATION) == 0;
  for (uint32_t k = 0; k < file->character->clip_count; k++) {
    if (strcmp(file->character->clips[k].name, name) == 0) made = false;
  }
  if (!made) return sup_file_clip(file, name, out_clip, error);
  SupClip *clip = SUP_ALLOC(app->arena, SupClip, 1);
  const SupCalibrationDef def = {.fps = (float)fps};
  SupCalibrationReport report;
  if (!clip) return sup_fail_memory(error, NULL);
  SupResult result = sup_calibration_clip(app->arena, file->character, &def, clip, &report, error);
  if (result != SUP_OK) return result;
  sup_app_note(app, "calibration: %u joints in %u pulses, %.1f s\n", report.joint_count,
               report.slot_count, (double)clip->duration);
  *out_clip = clip;
  return SUP_OK;
}

SupResult sup_file_clips(const SupAppContext *app, const SupCharacterFile *file,
                         const SupNames *names, double fps, const SupClip ***out_clips,
                         uint32_t *out_count, SupError *error) {
  const uint32_t count = names->count ? names->count : file->character->clip_count;
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s has no clips: there is no motion to play%s",
                    file->clips_path,
                    fps > 0 ? "; try --clip @calibration, a motion generated for it" : "");
  }
  const SupClip **clips = SUP_ALLOC(app->arena, const SupClip *, count);
  if (!clips) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    if (!names->count) {
      clips[k] = &file->character->clips[k];
      continue;
    }
    const char *name = names->names[k];
    SupResult result = fps > 0 ? sup_named_clip(app, file, name, fps, &clips[k], error)
                               : sup_file_clip(file, name, &clips[k], error);
    if (result != SUP_OK) return result;
  }
  *out_clips = clips;
  *out_count = count;
  return SUP_OK;
}

SupResult sup_clips_amplify(const SupAppContext *app, double amplitude, uint32_t count,
                            const SupClip **io_clips, SupError *error) {
  if (amplitude == 1) return SUP_OK;
  for (uint32_t k = 0; k < count; k++) {
    SupClip *clip = SUP_ALLOC(app->arena, SupClip, 1);
    if (!clip) return sup_fail_memory(error, NULL);
    SupResult result = sup_clip_amplify(app->arena, io_clips[k], amplitude, clip, error);
    if (result != SUP_OK) return result;
    io_clips[k] = clip;
  }
  return SUP_OK;
}

uint32_t sup_clip_frames(const SupClip *clip, float fps) {
  /* A ten-thousandth of a frame forgives a duration that was rounded to float. */
  double count = floor((double)clip->duration * (double)fps + 1e-4) + 1;
  return count < (double)UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

SupResult sup_clips_check_lengths(uint32_t count, const SupClip *const *clips, float fps,
                                  const char *advice, SupError *error) {
  for (uint32_t k = 0; k < count; k++) {
    if (sup_clip_frames(clips[k], fps) <= 1000000) continue;
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "clip '%s' is %g s long: more than a million frames at %g per second; %s",
                    clips[k]->name, (double)clips[k]->duration, (double)fps, advice);
  }
  return SUP_OK;
}

enum { NAME_MOST = 255 }; /* bytes of a file's name, on all usual file systems */

static size_t name_bytes(const char *path) {
  const char *slash = strrchr(path, '/');
  return strlen(slash ? slash + 1 : path);
}

SupResult sup_clip_path_check(const char *path, const char *clip_name, SupError *error) {
  if (name_bytes(path) <= NAME_MOST) return SUP_OK;
  char start[24];
  size_t length = strlen(clip_name), shown = length < 20 ? length : 20;
  memcpy(start, clip_name, shown);
  start[shown] = 0;
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "the name of clip '%s...' has %zu bytes: too long for a file; name other clips "
                  "with --clip",
                  start, length);
}

SupResult sup_clip_paths(const SupAppContext *app, const char *path, uint32_t count,
                         const SupClip *const *clips, float fps, const char ***out_paths,
                         SupError *error) {
  SupResult result = sup_clips_check_lengths(count, clips, fps, "give a smaller --fps", error);
  if (result != SUP_OK) return result;
  const char **paths = SUP_ALLOC(app->arena, const char *, count);
  if (!paths) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    paths[k] = count > 1 ? sup_clip_path(app, path, clips[k]->name) : path;
    if (!paths[k]) return sup_fail_memory(error, NULL);
    result = count > 1 ? sup_clip_path_check(paths[k], clips[k]->name, error) : SUP_OK;
    if (result != SUP_OK) return result;
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

SupResult sup_cache_format_of(const char *path, SupCacheFormat *out_format, SupError *error) {
  if (sup_cache_format(path, out_format)) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "%s: positions are written as .pc2 or .mdd; give the output such a name", path);
}

const char *sup_clip_path(const SupAppContext *app, const char *path, const char *clip_name) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(path, '.');
  if (!dot || (slash && dot < slash)) dot = path + strlen(path);
  size_t stem = (size_t)(dot - path), name = strlen(clip_name);
  char *result = SUP_ALLOC(app->arena, char, strlen(path) + name + 2);
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
