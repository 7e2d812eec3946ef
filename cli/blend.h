/* SPDX-License-Identifier: MIT */
/* Helpers of several materials, blended as the command line says. */
#ifndef SUPPLE_CLI_BLEND_H
#define SUPPLE_CLI_BLEND_H

#include "models.h"

/* Option of `play`. */
#define CLI_BLEND_OPTION                                                               \
  {                                                                                    \
    .name = "material", .kind = CLI_TEXT, .value_name = "NAME|NAME=SHARE,...",         \
    .help =                                                                            \
        "helpers: what the body is made of, or a blend of it whose shares have a sum " \
        "of 1 (default: the first material of the file)"                               \
  }

/* With --material: the helpers among the models as that blend, in `cli->arena`. `path` stands in
 * sentences. */
SupResult cli_blend_models(CliContext *cli, const char *path, CliModels *io_models,
                           SupError *error);

#endif
