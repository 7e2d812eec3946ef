/* SPDX-License-Identifier: MIT */
/* When muscles clench: from a beat and a pattern, a file of events, or the animation's extras. */
#ifndef SUPPLE_CLI_BEAT_H
#define SUPPLE_CLI_BEAT_H

#include "character/models.h"
#include "supple/popping.h"

/* Options of the verbs that play. */
#define CLI_BEAT_OPTIONS                                                                        \
  {.name = "beat",                                                                              \
   .kind = CLI_NUMBER,                                                                          \
   .value_name = "BPM",                                                                         \
   .help = "activate muscles (of `build popping`) at this many beats per minute",               \
   .low = 10,                                                                                   \
   .high = 600},                                                                                \
      {.name = "pattern",                                                                       \
       .kind = CLI_TEXT,                                                                        \
       .value_name = "x.x.",                                                                    \
       .help =                                                                                  \
           "repeat a pattern of half beats: x activate, X harder, _ hold, . rest; MUSCLE=x.x. " \
           "gives one muscle its own",                                                          \
       .otherwise = "x.x.xx..",                                                                 \
       .repeated = true},                                                                       \
      {.name = "gate",                                                                          \
       .kind = CLI_NUMBER,                                                                      \
       .value_name = "FRACTION",                                                                \
       .help = "set the fraction of its half beat during which a muscle stays active",          \
       .advanced = true,                                                                        \
       .fallback = "0.75",                                                                      \
       .low = 0.05,                                                                             \
       .high = 1},                                                                              \
      {.name = "bars",                                                                          \
       .kind = CLI_INTEGER,                                                                     \
       .value_name = "N",                                                                       \
       .help = "repeat the clips for this many bars of four beats",                             \
       .advanced = true,                                                                        \
       .low = 1,                                                                                \
       .high = 1000},                                                                           \
  {                                                                                             \
    .name = "events", .kind = CLI_INPUT, .value_name = "FILE",                                  \
    .help = "read activations from a file, one per line: time muscle|* strength seconds",       \
    .advanced = true                                                                            \
  }

/* The events of a clip as the command line, or else the file, has them; none where the models have
 * no muscles. In `cli->arena`. */
SupResult cli_read_track(CliContext *cli, const CliCharacter *source, const CliModels *models,
                         const SupClip *clip, SupPoppingTrack *out_track, SupError *error);

/* The clips as --bars wants them, in place of the given ones. */
SupResult cli_repeat_clips(CliContext *cli, uint32_t count, const SupClip **io_clips,
                           SupError *error);

#endif
