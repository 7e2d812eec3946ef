/* SPDX-License-Identifier: MIT */
/*
 * Supple: the models in a character's file: read, checked, bound again where the mesh was
 * reordered, packed again where somebody painted; and put back in the order of their stages.
 */
#ifndef SUPPLE_APP_MODEL_LIST_H
#define SUPPLE_APP_MODEL_LIST_H

#include "supple/app/character_file.h"
#include "supple/app/plain_player.h"
#include "supple/author/player.h"
#include "supple/author/surface_build.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupModelList {
  uint32_t count;
  const SupModel *models[SUP_STACK_MODELS]; /* by stage */
} SupModelList;

/* A surface that was built. */
typedef struct SupSurfaceMade {
  uint32_t vertex_count; /* 0: none was */
  SupSurfaceBuildReport build;
  uint64_t bytes; /* of the model */
  float h;        /* seconds of a step */
} SupSurfaceMade;

/* The models of the file, in the arena. A model of another mesh is refused unless `rebind`. Where
 * the file's maps differ from the surface in it, that is packed again as *out_made says. */
SupResult sup_models_open(const SupAppContext *app, const SupCharacterFile *file, bool rebind,
                          SupModelList *out_models, SupSurfaceMade *out_made, SupError *error);

/* Puts a model into its stage, in place of one of the same kind. */
SupResult sup_models_place(SupModelList *io_models, const SupModel *model, SupError *error);

/* Writes the list into the file's document. */
SupResult sup_models_put(const SupCharacterFile *file, const SupModelList *models, SupError *error);

/* The model of a kind, or NULL. */
const SupModel *sup_models_find(const SupModelList *models, uint32_t kind);

/* The first model other than of kind `except` whose layer has the trait (SupTrait) and runs in
 * `stage`, or in any (SUP_STAGE_COUNT); NULL: there is none. */
const SupModel *sup_models_with(const SupModelList *models, SupTrait trait, SupStage stage,
                                uint32_t except);

/* A player of these models, in the arena. */
SupResult sup_models_player(const SupAppContext *app, const SupCharacter *character,
                            const SupModelList *models, SupSampleOrder order,
                            SupPlainSkinning skinning, SupPlayer *out_player, SupError *error);

/* What a kind is called. */
const char *sup_kind_name(uint32_t kind);

/* ---- Surface --------------------------------------------------------------------------------- */

/* sup_surface_build with the seed and threads of the context, which are put into *def. */
SupResult sup_surface_make(const SupAppContext *app, const SupCharacter *character,
                           SupSurfaceBuildDef *def, SupSurfaceMaps *io_maps,
                           const SupModel **out_model, SupSurfaceMade *out_made, SupError *error);

/* Writes the maps as attributes of the file. */
SupResult sup_surface_put_maps(const SupAppContext *app, const SupCharacterFile *file,
                               const SupSurfaceMaps *maps, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
