/* SPDX-License-Identifier: MIT */
/* The options of `supple paint` that say where. */
#ifndef SUPPLE_CLI_PAINT_WHERE_H
#define SUPPLE_CLI_PAINT_WHERE_H

#include "actor.h"

#define CLI_WHERE_OPTIONS                                                                      \
  {.name = "sphere",                                                                           \
   .kind = CLI_TEXT,                                                                           \
   .value_name = "X,Y,Z,R",                                                                    \
   .help = "where: within R metres of a point of the rest pose, less and less"},               \
      {.name = "geodesic",                                                                     \
       .kind = CLI_TEXT,                                                                       \
       .value_name = "X,Y,Z,R",                                                                \
       .help = "where: the same, but measured along the skin"},                                \
      {.name = "bone",                                                                         \
       .kind = CLI_TEXT,                                                                       \
       .value_name = "NAME",                                                                   \
       .help = "where: as much as the skin hangs on this bone",                                \
       .repeated = true},                                                                      \
      {.name = "below", .kind = CLI_FLAG, .help = "bones with all that hang below them"},      \
      {.name = "height",                                                                       \
       .kind = CLI_TEXT,                                                                       \
       .value_name = "LOW,HIGH",                                                               \
       .help = "where: from nothing at LOW to all at HIGH; 0 is the lowest point, 1 the top"}, \
      {.name = "invert", .kind = CLI_FLAG, .help = "everywhere else"}, {                       \
    .name = "hard", .kind = CLI_FLAG, .help = "no soft edge: all of what is touched at all"    \
  }

/* The joint of a name that --option gives; the sentence says which one may be meant. */
SupResult cli_find_joint(const SupSkeleton *skeleton, const char *option, const char *name,
                         uint32_t *out_joint, SupError *error);

/* The weight of each body vertex as the options say, in a straight line; several multiply.
 * `mesh` is the body in its rest pose, scene space. *out_limited: any option was given. */
SupResult cli_where(CliContext *cli, const CliActor *actor, const SupMesh *mesh, float *out_weights,
                    bool *out_limited, SupError *error);

#endif
