/* SPDX-License-Identifier: MIT */
#include "beat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supple/author/clip_repeat.h"
#include "supple/io/file.h"

#define STEPS_PER_BEAT 2.0
#define BEATS_PER_BAR 4.0

/* A track being put together. */
typedef struct Music {
  CliContext *cli;
  const SupPoppingView *model;
  uint32_t count, room;
  double *times;
  SupPoppingEvent *events;
} Music;

static SupResult add(Music *music, double time, SupPoppingEvent event, SupError *error) {
  if (music->count == music->room) {
    const uint32_t room = music->room ? 2 * music->room : 64;
    double *times = SUP_ALLOC(music->cli->arena, double, room);
    SupPoppingEvent *events = SUP_ALLOC(music->cli->arena, SupPoppingEvent, room);
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
  *out_group = sup_popping_find(music->model, word);
  if (*out_group != SUP_POPPING_ALL) return SUP_OK;
  char all[160] = "", hint[96];
  const char *names[SUP_POPPING_GROUPS];
  size_t at = 0, count = 0;
  for (uint32_t g = 0; g < music->model->group_count; g++) {
    names[count++] = music->model->names + (size_t)SUP_POPPING_NAME * g;
  }
  for (uint32_t g = 0; g < music->model->group_count && at + SUP_POPPING_NAME < sizeof all; g++) {
    at += sup_format(all + at, sizeof all - at, "%s%s", g ? ", " : "",
                     music->model->names + (size_t)SUP_POPPING_NAME * g);
  }
  sup_did_you_mean(hint, sizeof hint, sup_nearest_name(word, names, count));
  return sup_fail(error, SUP_ERROR_ARGUMENT, "no muscle is called '%s'; there are: %s%s", word, all,
                  hint);
}

/* Refuses what means nothing without --beat. */
static SupResult check_beat(const CliArguments *arguments, SupError *error) {
  static const char *const names[] = {"pattern", "gate", "bars"};
  for (int k = 0; k < 3 && !cli_count(arguments, "beat"); k++) {
    if (!cli_count(arguments, names[k])) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--pattern, --gate and --bars need --beat");
  }
  return SUP_OK;
}

/* ---- Beats ---------------------------------------------------------------------------------- */

static SupResult add_pattern(Music *music, const char *text, double seconds, SupError *error) {
  const CliArguments *arguments = music->cli->arguments;
  const double step = 60 / cli_number(arguments, "beat") / STEPS_PER_BEAT;
  const double gate = cli_number(arguments, "gate");
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

static SupResult add_beat(Music *music, double seconds, SupError *error) {
  const CliArguments *arguments = music->cli->arguments;
  const uint32_t count = cli_count(arguments, "pattern");
  if (!count) return add_pattern(music, "x.x.xx..", seconds, error);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = add_pattern(music, cli_text_at(arguments, "pattern", k), seconds, error);
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
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s, line %u: not `time muscle strength seconds` with numbers of 0 or more",
                    path, number);
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
  SupResult result = sup_file_read(music->cli->arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  char *text = sup_arena_string(music->cli->arena, (const char *)data, bytes);
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

static SupResult add_extras(Music *music, const CliActor *actor, const SupClip *clip,
                            SupError *error) {
  const SupGltf *document = actor->clips_document ? actor->clips_document : actor->document;
  SupGltfEvent *events;
  uint32_t count;
  SupResult result =
      sup_gltf_clip_events(document, clip->name, music->cli->arena, &count, &events, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    SupPoppingEvent event = {.strength = (float)events[k].strength,
                             .length = (float)events[k].length};
    result = find_muscle(music, events[k].muscle, strlen(events[k].muscle), &event.group, error);
    if (result == SUP_OK) result = add(music, events[k].time, event, error);
  }
  if (result != SUP_OK) sup_error_prefix(error, "%s, clip %s", actor->clips_path, clip->name);
  return result;
}

SupResult cli_file_track(CliContext *cli, const CliActor *actor, const CliModels *models,
                         const SupClip *clip, SupPoppingTrack *out_track, SupError *error) {
  const SupModel *model = cli_models_find(models, SUP_POPPING_KIND);
  *out_track = (SupPoppingTrack){0};
  if (!model) return SUP_OK;
  const SupPoppingView view = sup_popping_view(model);
  Music music = {.cli = cli, .model = &view};
  SupResult result = add_extras(&music, actor, clip, error);
  *out_track = (SupPoppingTrack){music.count, music.times, music.events};
  return result;
}

SupResult cli_read_track(CliContext *cli, const CliActor *actor, const CliModels *models,
                         const SupClip *clip, SupPoppingTrack *out_track, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const SupModel *model = cli_models_find(models, SUP_POPPING_KIND);
  const bool beat = cli_count(arguments, "beat"), file = cli_count(arguments, "events");
  *out_track = (SupPoppingTrack){0};
  SupResult result = check_beat(arguments, error);
  if (result != SUP_OK) return result;
  if (!model && (beat || file)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has no muscles to activate; `supple build popping` adds some", actor->path);
  }
  if (!beat && !file) return cli_file_track(cli, actor, models, clip, out_track, error);
  const SupPoppingView view = sup_popping_view(model);
  Music music = {.cli = cli, .model = &view};
  if (beat) result = add_beat(&music, (double)clip->duration, error);
  if (result == SUP_OK && file) result = add_file(&music, cli_text(arguments, "events"), error);
  *out_track = (SupPoppingTrack){music.count, music.times, music.events};
  return result;
}

SupResult cli_repeat_clips(CliContext *cli, uint32_t count, const SupClip **io_clips,
                           SupError *error) {
  const CliArguments *arguments = cli->arguments;
  if (!cli_count(arguments, "bars")) return SUP_OK;
  SupResult result = check_beat(arguments, error);
  if (result != SUP_OK) return result;
  const double seconds =
      (double)cli_integer(arguments, "bars") * BEATS_PER_BAR * 60 / cli_number(arguments, "beat");
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    SupClip *longer = SUP_ALLOC(cli->arena, SupClip, 1);
    if (!longer) return sup_fail_memory(error, NULL);
    result = sup_clip_repeat(cli->arena, io_clips[k], seconds, longer, error);
    io_clips[k] = longer;
  }
  return result;
}
