/* SPDX-License-Identifier: MIT */
/*
 * Supple: motion that any engine can play. Whatever moved a character's skin, frame by frame, is
 * baked into helper joints with ordinary keys, or into morph targets with weight tracks.
 */
#ifndef SUPPLE_TRAIN_BAKE_H
#define SUPPLE_TRAIN_BAKE_H

#include "supple/train/decompose.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A clip and what the skin did while it played. */
typedef struct SupBakeMotion {
  const SupClip *clip;
  double fps;
  uint32_t frame_count;     /* at 0, 1/fps, ... */
  const SupVec3 *positions; /* [frame_count * body.vertex_count] scene space; or NULL, then: */
  /* Writes a frame, [body.vertex_count]. Frames are asked for from the first to the last, more than
   * once: nothing has to be held in memory. */
  void (*play)(void *user, uint32_t frame, SupVec3 *out_positions);
  void *user;
} SupBakeMotion;

/* ---- Helper joints -------------------------------------------------------------------------- */

/* Start from sup_bake_helpers_def. */
typedef struct SupBakeHelpersDef {
  uint32_t cookie;
  const SupCharacter *character;
  SupAffine bind_to_scene; /* body space -> scene in the rest pose: what a helper's rest is in */
  uint32_t motion_count;
  const SupBakeMotion *motions;
  double tolerance;       /* metres that keys may be off; 0: a quarter of the error that the bones
                             leave, at least 1e-4 of the body's diagonal */
  SupDecomposeDef solver; /* helper_count, influences, sweeps, ... ; arrays are filled in here */
  uint32_t basis_frames;  /* weights are found from about so many frames, every so many of them
                             (400);  then the helpers follow all frames */
  bool free_bones;        /* the skeleton only carries helpers, which do everything */
} SupBakeHelpersDef;

SupBakeHelpersDef sup_bake_helpers_def(const SupCharacter *character);

typedef struct SupBakedHelper {
  uint32_t parent; /* joint of the character */
  SupTransform rest;
  SupAffine inverse_bind;
  const char *name; /* of the joint; NULL: SUP_BAKED_JOINT and a number */
} SupBakedHelper;

typedef struct SupBakedHelpers {
  uint32_t helper_count;
  const SupBakedHelper *helpers;
  SupSkin skin;                     /* bones: the character's, then the helpers */
  const SupTrack *const *tracks;    /* [motion_count][2 * helper_count] target: joint_count + h */
  const uint32_t *track_counts;     /* [motion_count] */
  uint32_t key_count, sample_count; /* kept, of how many */
  double rmse, plain_rmse;          /* metres: of this; of the character's own skin */
  const double *motion_rmse;        /* [motion_count] */
  const double *errors;             /* [body.vertex_count] root mean square */
  uint32_t kept_count;              /* vertices that never left their skin, and keep its weights */
  uint32_t sweep_count;
} SupBakedHelpers;

/* Everything in `arena`. The same bits for any number of threads. */
SupResult sup_bake_helpers(SupArena *arena, const SupBakeHelpersDef *def, SupBakedHelpers *out,
                           SupError *error);

/* ---- Morph targets -------------------------------------------------------------------------- */

/* Start from sup_bake_morphs_def. */
typedef struct SupBakeMorphsDef {
  uint32_t cookie;
  const SupCharacter *character; /* its own morph targets go on acting beside the new ones */
  uint32_t motion_count;
  const SupBakeMotion *motions;
  uint32_t morph_count; /* 16 */
  double tolerance; /* metres that keys may be off, root mean square over the skin; 0: as above */
  const SupJobs *jobs;
} SupBakeMorphsDef;

SupBakeMorphsDef sup_bake_morphs_def(const SupCharacter *character);

typedef struct SupBakedMorphs {
  uint32_t morph_count;          /* fewer than asked for where fewer suffice; the first
                                    is the mean */
  const SupVec3 *const *offsets; /* [morph_count][body.vertex_count] body space */
  const SupTrack *tracks;        /* [motion_count] weights of all targets, each within 0 .. 1 */
  uint32_t key_count, sample_count;
  double rmse, plain_rmse;   /* metres, area-weighted: what is left; of plain skinning */
  const double *motion_rmse; /* [motion_count] */
  const double *errors;      /* [body.vertex_count] root mean square */
} SupBakedMorphs;

SupResult sup_bake_morphs(SupArena *arena, const SupBakeMorphsDef *def, SupBakedMorphs *out,
                          SupError *error);

#ifdef __cplusplus
}
#endif
#endif
