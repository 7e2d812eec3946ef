/* SPDX-License-Identifier: MIT */
/* When muscles clench. */
#include "supple/app/muscle_track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supple/io/file.h"

#define STEPS_PER_BEAT 2.0
#define COOKIE 0x42656174u

/* A track being put together. */
typedef struct Music {
  const SupAppContext *app;
  const SupPoppingView *model;
  uint32_t count, room;
  double *times;
  SupPoppingEvent *events;
} Music;

static SupResult add(Music *music, double time, SupPoppingEvent event, SupError *error) {
  if (music->count == music->room) {
    const uint32_t room = music->room ? 2 * music->room : 64;
    double *times = SUP_ALLOC(music->app->arena, double, room);
    SupPoppingEvent *events = SUP_ALLOC(music->app->arena, SupPoppingEvent, room);
    if (!times || !events) return sup_fail_memory(error, NULL);
    memcpy(times, music->times ? music->times : times, music->count * sizeof *times);
    memcpy(events, music->events ? music->events : events, music->count * sizeof *events);
    music->times = times;
    music->events = events;
    music->room = room;
  }
  uint32_t k = music->count++;
  for (; k > 0 && music->times[k - 1] > time; k--) {
    music->times[k] = music->times[k - 1];
    music->events[k] = music->events[k - 1];
  }
  music->times[k] = time;
  music->events[k] = event;
  return SUP_OK;
}

/* A muscle by name[length]; * is all of them. */
static SupResult find_muscle(const Music *music, const char *name, size_t length,
                             uint32_t *out_group, SupError *error) {
  char word[SUP_POPPING_NAME];
  sup_format(word, length + 1 < sizeof word ? length + 1 : sizeof word, "%s", name);
  *out_group = SUP_POPPING_ALL;
  if (strcmp(word, "*") == 0) return SUP_OK;
  char all[160] = "", hint[160];
  const char *names[SUP_POPPING_GROUPS];
  size_t at = 0;
  for (uint32_t g = 0; g < music->model->group_count; g++) {
    names[g] = music->model->names + (size_t)SUP_POPPING_NAME * g;
  }
  const SupNameList list = {names, sizeof *names, music->model->group_count};
  const size_t found = sup_name_find(word, list);
  if (found < music->model->group_count) {
    *out_group = (uint32_t)found;
    return SUP_OK;
  }
  for (uint32_t g = 0; g < music->model->group_count && at + SUP_POPPING_NAME < sizeof all; g++) {
    at += sup_format(all + at, sizeof all - at, "%s%s", g ? ", " : "", names[g]);
  }
  sup_name_hint(hint, sizeof hint, word, list);
  return sup_fail(error, SUP_ERROR_ARGUMENT, "no muscle is called '%s'; there are: %s%s", word, all,
                  hint);
}

/* ---- Beats ---------------------------------------------------------------------------------- */

static SupResult add_pattern(Music *music, const SupMuscleTrackDef *def, const char *text,
                             double seconds, SupError *error) {
  const double step = 60 / def->beat / STEPS_PER_BEAT, gate = def->gate;
  const char *equals = strchr(text, '='), *steps = equals ? equals + 1 : text;
  const size_t count = strlen(steps);
  uint32_t group = SUP_POPPING_ALL;
  SupResult result = SUP_OK;
  if (equals) result = find_muscle(music, text, (size_t)(equals - text), &group, error);
  if (result == SUP_OK && (count == 0 || strspn(steps, "xX._-") != count)) {
    result = sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--pattern '%s': use x (activate), X (harder), _ (hold) and . (rest)", text);
  }
  for (size_t i = 0; result == SUP_OK && (double)i * step <= seconds; i++) {
    const char now = steps[i % count];
    if (now != 'x' && now != 'X') continue;
    size_t held = 0;
    while (held + 1 < count && steps[(i + held + 1) % count] == '_') held++;
    const SupPoppingEvent event = {.group = group,
                                   .strength = now == 'X' ? 1.25f : 1,
                                   .length = (float)(((double)held + gate) * step)};
    result = add(music, (double)i * step, event, error);
  }
  return result;
}

static SupResult add_beat(Music *music, const SupMuscleTrackDef *def, double seconds,
                          SupError *error) {
  if (!def->patterns.count) return add_pattern(music, def, "x.x.xx..", seconds, error);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < def->patterns.count && result == SUP_OK; k++) {
    result = add_pattern(music, def, def->patterns.names[k], seconds, error);
  }
  return result;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static bool read_number(char **io_at, double *out) {
  char *end;
  *out = strtod(*io_at, &end);
  const bool found = end != *io_at && isfinite(*out) && *out >= 0;
  *io_at = end;
  return found;
}

/* time muscle strength seconds */
static SupResult add_line(Music *music, const char *path, uint32_t number, char *line,
                          SupError *error) {
  char *at = line;
  double time, strength, length;
  uint32_t group;
  bool good = read_number(&at, &time);
  at += strspn(at, " \t");
  const char *name = at;
  const size_t word = strcspn(at, " \t");
  at += word;
  good = good && word > 0 && read_number(&at, &strength) && read_number(&at, &length);
  if (!good || at[strspn(at, " \t\r")]) {
    return sup_fail(
        error, SUP_ERROR_FORMAT,
        "%s, line %u: expected `time muscle strength seconds`, with numbers of 0 or more", path,
        number);
  }
  SupResult result = find_muscle(music, name, word, &group, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s, line %u", path, number);
    return result;
  }
  return add(
      music, time,
      (SupPoppingEvent){.group = group, .strength = (float)strength, .length = (float)length},
      error);
}

static SupResult add_file(Music *music, const char *path, SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(music->app->arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  char *text = sup_arena_string(music->app->arena, (const char *)data, bytes);
  if (!text) return sup_fail_memory(error, NULL);
  uint32_t number = 0;
  for (char *line = text; line && result == SUP_OK;) {
    char *next = strchr(line, '\n');
    if (next) *next++ = 0;
    number++;
    line[strcspn(line, "#")] = 0;
    if (line[strspn(line, " \t\r")]) result = add_line(music, path, number, line, error);
    line = next;
  }
  return result;
}

/* ---- The file's own ------------------------------------------------------------------------- */

static SupResult add_extras(Music *music, const SupCharacterFile *file, const SupClip *clip,
                            SupError *error) {
  const SupGltf *document = file->clips_document ? file->clips_document : file->document;
  SupGltfEvent *events;
  uint32_t count;
  SupResult result =
      sup_gltf_clip_events(document, clip->name, music->app->arena, &count, &events, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    SupPoppingEvent event = {.strength = (float)events[k].strength,
                             .length = (float)events[k].length};
    result = find_muscle(music, events[k].muscle, strlen(events[k].muscle), &event.group, error);
    if (result == SUP_OK) result = add(music, events[k].time, event, error);
  }
  if (result != SUP_OK) sup_error_prefix(error, "%s, clip %s", file->clips_path, clip->name);
  return result;
}

SupResult sup_file_track(const SupAppContext *app, const SupCharacterFile *file,
                         const SupModelList *models, const SupClip *clip,
                         SupPoppingTrack *out_track, SupError *error) {
  const SupModel *model = sup_models_find(models, SUP_POPPING_KIND);
  *out_track = (SupPoppingTrack){0};
  if (!model) return SUP_OK;
  const SupPoppingView view = sup_popping_view(model);
  Music music = {.app = app, .model = &view};
  SupResult result = add_extras(&music, file, clip, error);
  *out_track = (SupPoppingTrack){music.count, music.times, music.events};
  return result;
}

/* ---- Definition ----------------------------------------------------------------------------- */

SupMuscleTrackDef sup_muscle_track_def(void) {
  return (SupMuscleTrackDef){.cookie = COOKIE, .gate = 0.75};
}

SupResult sup_muscle_track(const SupAppContext *app, const SupCharacterFile *file,
                           const SupModelList *models, const SupClip *clip,
                           const SupMuscleTrackDef *def, SupPoppingTrack *out_track,
                           SupError *error) {
  const SupModel *model = sup_models_find(models, SUP_POPPING_KIND);
  const bool beat = def->beat > 0, events = def->events != NULL;
  SupResult result = SUP_OK;
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "muscles: start from sup_muscle_track_def()");
  }
  *out_track = (SupPoppingTrack){0};
  if (!model && (beat || events)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has no muscles to activate; `supple build popping` adds some", file->path);
  }
  if (!beat && !events) return sup_file_track(app, file, models, clip, out_track, error);
  const SupPoppingView view = sup_popping_view(model);
  Music music = {.app = app, .model = &view};
  if (beat) result = add_beat(&music, def, (double)clip->duration, error);
  if (result == SUP_OK && events) result = add_file(&music, def->events, error);
  *out_track = (SupPoppingTrack){music.count, music.times, music.events};
  return result;
}
