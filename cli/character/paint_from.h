/* SPDX-License-Identifier: MIT */
/* `supple paint --from-character`: a map of another character. */
#ifndef SUPPLE_CLI_PAINT_FROM_H
#define SUPPLE_CLI_PAINT_FROM_H

#include "character/models.h"

#define CLI_FROM_OPTIONS                                                                \
  {.name = "from-character",                                                            \
   .kind = CLI_INPUT,                                                                   \
   .value_name = "OTHER.glb",                                                           \
   .help = "what: copy the map from another character, from patch to patch"},           \
      {.name = "patches",                                                               \
       .kind = CLI_INPUT,                                                               \
       .value_name = "FILE",                                                            \
       .help = "with --from-character: the patches of IN.glb",                          \
       .otherwise = "found from skeleton and skin weights",                             \
       .advanced = true},                                                               \
  {                                                                                     \
    .name = "from-patches", .kind = CLI_INPUT, .value_name = "FILE",                    \
    .help =                                                                             \
        "with --from-character: the patches of OTHER.glb; boundaries of the same name " \
        "correspond",                                                                   \
    .otherwise = "those of --patches", .advanced = true                                 \
  }

/* The numbers of a map as people see them: the file's own, else the surface model's. `row` is
 * sup_surface_map_row of the name. False if the character has no such map. */
bool cli_map_values(const SupCharacter *character, const CliModels *models, const char *name,
                    uint32_t row, float *out_values);

/* Blends the map of the other character that the options name into io_values[body vertices], by
 * `weights`; vertices outside all patches keep theirs. */
SupResult cli_paint_from(CliContext *cli, const CliCharacter *source, const char *name,
                         const float *weights, float *io_values, SupError *error);

#endif
