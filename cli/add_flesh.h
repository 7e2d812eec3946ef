/* SPDX-License-Identifier: MIT */
/* The flesh that `supple add` gives to a character that has none, without asking. */
#ifndef SUPPLE_CLI_ADD_FLESH_H
#define SUPPLE_CLI_ADD_FLESH_H

#include "models.h"

typedef struct CliFlesh {
  CliModels models;
  SupSurfaceMaps maps; /* of the surface; without vertices where the file had models */
  const float *soft;   /* [body.vertex_count] 0 follows its bones, 1 moves as it likes; or NULL */
  double soft_area;    /* share of the skin that is softer than a half */
  double size, deep;   /* metres: the diagonal at rest; how thick the thickest tenth of flesh is */
} CliFlesh;

/* Refuses options of flesh by rule where it does not come from a rule: with --learn, or out of the
 * file at `path`. */
SupResult cli_add_refuse(const CliContext *cli, bool learn, const char *path, SupError *error);

/* Finds what is soft, and builds modes under a surface by --preset, --amount, --only and --not; the
 * surface alone where the body cannot be filled. Models that the file has are taken as they are
 * unless a preset is named. Says what it did. In `cli->arena`. */
SupResult cli_add_flesh(CliContext *cli, const CliActor *actor, CliFlesh *out_flesh,
                        SupError *error);

#endif
