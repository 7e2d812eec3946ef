/* SPDX-License-Identifier: MIT */
/* The options of `supple paint` that say where. */
#ifndef SUPPLE_CLI_PAINT_WHERE_H
#define SUPPLE_CLI_PAINT_WHERE_H

#include "character/cli_character.h"

#define CLI_WHERE_OPTIONS                                                                    \
  {.name = "sphere",                                                                         \
   .kind = CLI_TEXT,                                                                         \
   .value_name = "X,Y,Z,R",                                                                  \
   .help = "where: within R metres of a point of the rest pose, fading out"},                \
      {.name = "geodesic",                                                                   \
       .kind = CLI_TEXT,                                                                     \
       .value_name = "X,Y,Z,R",                                                              \
       .help = "where: the same, but measured along the skin",                               \
       .advanced = true},                                                                    \
      {.name = "bone",                                                                       \
       .kind = CLI_TEXT,                                                                     \
       .value_name = "NAME",                                                                 \
       .help = "where: the skin weight of this bone",                                        \
       .repeated = true},                                                                    \
      {.name = "below", .kind = CLI_FLAG, .help = "with --bone: include all bones below"},   \
      {.name = "height",                                                                     \
       .kind = CLI_TEXT,                                                                     \
       .value_name = "LOW,HIGH",                                                             \
       .help = "where: from none at LOW to full at HIGH; 0 is the lowest point, 1 the top"}, \
      {.name = "invert", .kind = CLI_FLAG, .help = "where: everywhere else"}, {              \
    .name = "hard", .kind = CLI_FLAG,                                                        \
    .help = "where: no soft edge, everything touched counts fully", .advanced = true         \
  }

/* The weight of each body vertex as the options say, in a straight line; several multiply.
 * `mesh` is the body in its rest pose, scene space. *out_limited: any option was given. */
SupResult cli_where(CliContext *cli, const CliCharacter *source, const SupMesh *mesh,
                    float *out_weights, bool *out_limited, SupError *error);

#endif
