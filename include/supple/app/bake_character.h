/* SPDX-License-Identifier: MIT */
/*
 * Supple: motion baked into a character's file, as helper joints with keys or as morph targets with
 * weight tracks, so that any engine plays it.
 */
#ifndef SUPPLE_APP_BAKE_CHARACTER_H
#define SUPPLE_APP_BAKE_CHARACTER_H

#include "supple/app/character_file.h"
#include "supple/model.h"
#include "supple/train/bake.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sup_bake_character_def. */
typedef struct SupBakeCharacterDef {
  uint32_t cookie;
  bool as_morphs; /* morph targets; false: helper joints */
  uint32_t motion_count;
  const SupBakeMotion *motions; /* [motion_count] by body vertex */
  double tolerance;       /* metres that keys may be off; 0: a quarter of the error of the bones */
  uint32_t helper_count;  /* joints that are added; 16 */
  uint32_t influences;    /* maximum number of bones of a vertex; 4 */
  uint32_t morph_count;   /* targets that are added; 16 */
  const SupModel *driven; /* with as_morphs: an envelope, whose motion these are; targets then
                             follow angles, and the file says how (supple/train/drive.h) */
  bool free_bones;        /* helpers do everything, the skeleton only carries them */
  uint32_t basis_frames;  /* of SupBakeHelpersDef; 0: its default */
} SupBakeCharacterDef;

SupBakeCharacterDef sup_bake_character_def(void);

typedef struct SupBakeReport {
  uint32_t helper_count, morph_count; /* that were added: one of them */
  uint32_t sweep_count;               /* of the solver for helpers */
  uint32_t key_count, sample_count;   /* keys that are kept, of how many */
  double rmse, plain_rmse;            /* metres: of what was baked; of the character's own skin */
  const double *motion_rmse;          /* [motion_count] metres */
} SupBakeReport;

/* Bakes motions into the file's document, without the models that made them, and saves it at
 * `path`, a .glb or .gltf. The report is in the arena. */
SupResult sup_bake_character(const SupAppContext *app, const SupCharacterFile *file,
                             const SupBakeCharacterDef *def, const char *path,
                             SupBakeReport *out_report, SupError *error);

/* Adds helper joints and the weights that go with them (bones: the character's, then the helpers)
 * to the file's document. *out_now is the character as the document has it then;
 * out_map[joint_count + count] says which of its joints the old ones and the helpers are. */
SupResult sup_add_helpers(const SupAppContext *app, const SupCharacterFile *file, uint32_t count,
                          const SupBakedHelper *helpers, SupSkin skin,
                          const SupGltfCharacter **out_now, uint32_t *out_map, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
