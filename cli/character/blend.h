/* SPDX-License-Identifier: MIT */
/* Helpers of several materials, blended as the command line says. */
#ifndef SUPPLE_CLI_BLEND_H
#define SUPPLE_CLI_BLEND_H

#include "character/models.h"
#include "supple/author/player.h"

/* Option of `play`. */
#define CLI_BLEND_OPTION                                                                   \
  {                                                                                        \
    .name = "material", .kind = CLI_TEXT, .value_name = "NAME|NAME=FRACTION,...",          \
    .help = "choose the material of helpers, or blend several; the fractions add up to 1", \
    .otherwise = "the first material of the file"                                          \
  }

/* With --material: its fractions of the materials of the helpers among the models, into
 * out_fractions[SUP_HELPERS_MATERIALS]. `path` stands in sentences. */
SupResult cli_blend_read(CliContext *cli, const char *path, const CliModels *models,
                         float *out_fractions, SupError *error);

/* With --material: makes the character that the player moves that blend. */
SupResult cli_blend_player(CliContext *cli, const float *fractions, SupPlayer *io_player,
                           SupError *error);

#endif
