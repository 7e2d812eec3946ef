/* SPDX-License-Identifier: MIT */
/* The models in a character's file, for verbs: supple/app opens them, this tells. */
#ifndef SUPPLE_CLI_MODELS_H
#define SUPPLE_CLI_MODELS_H

#include "character/cli_character.h"
#include "supple/app/model_list.h"

/* Option of every verb that uses models. */
#define CLI_REBIND_OPTION                                                                         \
  {                                                                                               \
    .name = "rebind", .kind = CLI_FLAG,                                                           \
    .help =                                                                                       \
        "match vertices by rest position after another tool has reordered or quantised the mesh", \
    .advanced = true                                                                              \
  }

typedef SupModelList CliModels;
#define cli_models_place sup_models_place
#define cli_models_put sup_models_put
#define cli_models_find sup_models_find
#define cli_kind_name sup_kind_name

/* The models of the character, in `cli->arena`; see sup_models_open. Says and reports what it did.
 */
SupResult cli_models_open(CliContext *cli, const CliCharacter *source, bool rebind,
                          CliModels *out_models, SupError *error);

/* A player of these models, in `cli->arena`. */
SupResult cli_models_player(CliContext *cli, const SupCharacter *character, const CliModels *models,
                            SupSampleOrder order, CliSkinning skinning, SupPlayer *out_player,
                            SupError *error);

/* ---- Surface --------------------------------------------------------------------------------- */

/* Says and reports how a surface was built. */
void cli_tell_surface(CliContext *cli, const SupSurfaceMade *made);

/* Builds with what the command line says of seed and threads, and tells. */
SupResult cli_surface_build(CliContext *cli, const CliCharacter *source, SupSurfaceBuildDef *def,
                            SupSurfaceMaps *io_maps, const SupModel **out_model, SupError *error);

/* Writes the maps as attributes of the file. */
SupResult cli_surface_put_maps(CliContext *cli, const CliCharacter *source,
                               const SupSurfaceMaps *maps, SupError *error);

#endif
