/* SPDX-License-Identifier: MIT */
/*
 * The models in a character's file: read, checked, bound again where the mesh was reordered, packed
 * again where somebody painted; and put back in the order of their stages.
 */
#ifndef SUPPLE_CLI_MODELS_H
#define SUPPLE_CLI_MODELS_H

#include "actor.h"
#include "supple/author/player.h"
#include "supple/author/surface_build.h"

/* Option of every verb that uses models. */
#define CLI_REBIND_OPTION                                                                \
  {                                                                                      \
    .name = "rebind", .kind = CLI_FLAG,                                                  \
    .help = "match vertices by rest position after another tool has reordered the mesh", \
    .advanced = true                                                                     \
  }

typedef struct CliModels {
  uint32_t count;
  const SupModel *models[SUP_STACK_MODELS]; /* by stage */
} CliModels;

/* The models of the actor, in `cli->arena`. A model of another mesh is refused unless `rebind`. */
SupResult cli_models_open(CliContext *cli, const CliActor *actor, bool rebind,
                          CliModels *out_models, SupError *error);

/* Puts a model into its stage, in place of one of the same kind. */
SupResult cli_models_place(CliModels *io_models, const SupModel *model, SupError *error);

/* Writes the list into the actor's document. */
SupResult cli_models_put(const CliActor *actor, const CliModels *models, SupError *error);

/* The model of a kind, or NULL. */
const SupModel *cli_models_find(const CliModels *models, uint32_t kind);

/* A player of these models, in `cli->arena`. */
SupResult cli_models_player(CliContext *cli, const SupCharacter *character, const CliModels *models,
                            SupSampleOrder order, CliSkinning skinning, SupPlayer *out_player,
                            SupError *error);

/* What a kind is called. */
const char *cli_kind_name(uint32_t kind);

/* ---- Surface --------------------------------------------------------------------------------- */

/* Builds with what the command line says of seed and threads, and reports it. */
SupResult cli_surface_build(CliContext *cli, const CliActor *actor, SupSurfaceBuildDef *def,
                            SupSurfaceMaps *io_maps, const SupModel **out_model, SupError *error);

/* Writes the maps as attributes of the file. */
SupResult cli_surface_put_maps(CliContext *cli, const CliActor *actor, const SupSurfaceMaps *maps,
                               SupError *error);

#endif
