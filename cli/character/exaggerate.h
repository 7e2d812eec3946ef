/* SPDX-License-Identifier: MIT */
/* How much of the helpers' dynamics is shown. */
#ifndef SUPPLE_CLI_EXAGGERATE_H
#define SUPPLE_CLI_EXAGGERATE_H

#include "character/models.h"
#include "supple/helpers.h"

/* Options of the verbs that play. */
#define CLI_EXAGGERATE_OPTIONS                                                            \
  {.name = "exaggerate",                                                                  \
   .kind = CLI_NUMBER,                                                                    \
   .value_name = "N",                                                                     \
   .help = "scale the dynamics of helpers; 0 keeps their static part only",               \
   .advanced = true,                                                                      \
   .fallback = "1",                                                                       \
   .low = 0,                                                                              \
   .high = 100},                                                                          \
  {                                                                                       \
    .name = "exaggerate-bone", .kind = CLI_TEXT, .value_name = "HELPER=N",                \
    .help = "scale the dynamics of one helper, on top of --exaggerate", .advanced = true, \
    .repeated = true                                                                      \
  }

/* What they say, for models with helpers; numbers per helper lie in `cli->arena`. */
SupResult cli_read_exaggerations(CliContext *cli, const SupCharacter *character,
                                 const CliModels *models, SupHelpersControls *io_controls,
                                 SupError *error);

#endif
