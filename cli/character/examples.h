/* SPDX-License-Identifier: MIT */
/* Examples to learn from: point caches and the clips that they show, as pairs of options. */
#ifndef SUPPLE_CLI_EXAMPLES_H
#define SUPPLE_CLI_EXAMPLES_H

#include "character/cli_character.h"
#include "supple/app/example_files.h"

/* Options of every verb that learns; a verb puts these rows into its table. */
#define CLI_EXAMPLE_OPTIONS                                                                        \
  {.name = "example",                                                                              \
   .kind = CLI_INPUT,                                                                              \
   .value_name = "X.pc2",                                                                          \
   .help = "learn from this motion, a .pc2 or .mdd",                                               \
   .repeated = true},                                                                              \
      {.name = "fps",                                                                              \
       .kind = CLI_NUMBER,                                                                         \
       .value_name = "RATE",                                                                       \
       .help = "set the frames per second of the examples; files of other programs do not say it", \
       .otherwise = "what they say, else 24",                                                      \
       .advanced = true,                                                                           \
       .low = 0.001,                                                                               \
       .high = 100000},                                                                            \
  {                                                                                                \
    .name = "clip", .kind = CLI_TEXT, .value_name = "NAME",                                        \
    .help =                                                                                        \
        "name the clip that each example shows; @calibration: the made clip, @poses and @far: "    \
        "static poses of `simulate --poses` and `--poses --far`",                                  \
    .repeated = true                                                                               \
  }

typedef SupExample CliExample;

/* Reads all --example with their --clip. None gives *out_count 0. In `cli->arena`. */
SupResult cli_read_examples(CliContext *cli, const CliCharacter *source, CliExample **out_examples,
                            uint32_t *out_count, SupError *error);

/* See supple/app/example_files.h. */
SupResult cli_match_body(CliContext *cli, const CliCharacter *source, const char *path,
                         const SupVec3 *reference, SupSamples *io_samples, SupError *error);

#endif
