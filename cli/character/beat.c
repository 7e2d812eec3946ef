/* SPDX-License-Identifier: MIT */
/* The options that say when muscles clench. */
#include "character/beat.h"

#include "supple/app/muscle_track.h"
#include "supple/author/clip_repeat.h"

#define BEATS_PER_BAR 4.0

/* Refuses what means nothing without --beat. */
static SupResult check_beat(const CliArguments *arguments, SupError *error) {
  static const char *const names[] = {"pattern", "gate", "bars"};
  for (int k = 0; k < 3 && !cli_count(arguments, "beat"); k++) {
    if (!cli_count(arguments, names[k])) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--pattern, --gate and --bars need --beat");
  }
  return SUP_OK;
}

SupResult cli_read_track(CliContext *cli, const CliCharacter *source, const CliModels *models,
                         const SupClip *clip, SupPoppingTrack *out_track, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const SupAppContext app = cli_app(cli);
  SupMuscleTrackDef def = sup_muscle_track_def();
  SupResult result = check_beat(arguments, error);
  if (result != SUP_OK) return result;
  if (cli_count(arguments, "beat")) def.beat = cli_number(arguments, "beat");
  def.patterns = cli_names(cli, "pattern");
  def.gate = cli_number(arguments, "gate");
  def.events = cli_text(arguments, "events");
  return sup_muscle_track(&app, source, models, clip, &def, out_track, error);
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
