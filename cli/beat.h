/* SPDX-License-Identifier: MIT */
/* When muscles clench: from a beat and a pattern, a file of events, or the animation's extras. */
#ifndef SUPPLE_CLI_BEAT_H
#define SUPPLE_CLI_BEAT_H

#include "models.h"
#include "supple/popping.h"

/* Options of the verbs that play. */
#define CLI_BEAT_OPTIONS                                                                   \
  {.name = "beat",                                                                         \
   .kind = CLI_NUMBER,                                                                     \
   .value_name = "BPM",                                                                    \
   .help = "popping: muscles clench in time with so many beats a minute",                  \
   .low = 10,                                                                              \
   .high = 600},                                                                           \
      {.name = "pattern",                                                                  \
       .kind = CLI_TEXT,                                                                   \
       .value_name = "x.x.",                                                               \
       .help =                                                                             \
           "popping: half beats over and over: x clench, X harder, _ hold on, . nothing; " \
           "[MUSCLE=] several: one each (default \"x.x.xx..\")",                           \
       .repeated = true},                                                                  \
      {.name = "gate",                                                                     \
       .kind = CLI_NUMBER,                                                                 \
       .value_name = "SHARE",                                                              \
       .help = "popping: how much of its half beat a muscle stays clenched",               \
       .fallback = "0.75",                                                                 \
       .low = 0.05,                                                                        \
       .high = 1},                                                                         \
      {.name = "bars",                                                                     \
       .kind = CLI_INTEGER,                                                                \
       .value_name = "N",                                                                  \
       .help = "popping: play the clips over and over for so many bars of four beats",     \
       .low = 1,                                                                           \
       .high = 1000},                                                                      \
  {                                                                                        \
    .name = "events", .kind = CLI_INPUT, .value_name = "FILE",                             \
    .help = "popping: lines of: time muscle|* strength seconds"                            \
  }

/* The events of a clip as the command line, or else the file, has them; none where the models have
 * no muscles. In `cli->arena`. */
SupResult cli_read_track(CliContext *cli, const CliActor *actor, const CliModels *models,
                         const SupClip *clip, SupPoppingTrack *out_track, SupError *error);

/* The events that the file has, whatever the command line says. */
SupResult cli_file_track(CliContext *cli, const CliActor *actor, const CliModels *models,
                         const SupClip *clip, SupPoppingTrack *out_track, SupError *error);

/* The clips as --bars wants them, in place of the given ones. */
SupResult cli_repeat_clips(CliContext *cli, uint32_t count, const SupClip **io_clips,
                           SupError *error);

#endif
