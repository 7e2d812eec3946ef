/* SPDX-License-Identifier: MIT */
/*
 * Supple: setting up the modes technique (supple/modes.h) from a character's elastic volume. No
 * examples are needed.
 */
#ifndef SUPPLE_TRAIN_MODES_H
#define SUPPLE_TRAIN_MODES_H

#include "supple/author/character.h"
#include "supple/fem/attach.h"
#include "supple/fem/fill.h"
#include "supple/fem/material.h"
#include "supple/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is set up. Start from sup_modes_train_def. */
typedef struct SupModesTrainDef {
  uint32_t cookie;
  const SupCharacter *character;        /* skinned */
  uint32_t mode_count;                  /* 15 */
  bool fewer;                           /* where flesh cannot have as many; otherwise an error */
  double unit;                          /* metres per unit of the scene, for all of this; 1 */
  SupMaterialDef material;              /* fat */
  const SupMaterialDef *bone_materials; /* [bone_count] what the flesh of each bone is made of, or
                                           NULL: of `material` */
  double frequency;                     /* Hz of the lowest mode; 0: what the material gives */
  double damping_ratio;          /* of the lowest mode, others by frequency; 0: the material's */
  const float *vertex_stiffness; /* [body.vertex_count] factor on Young's modulus, or NULL */
  const float *bone_stiffness;   /* [bone_count] the same by bone, or NULL */
  SupFillDef fill;       /* 5,000 tetrahedra; edge in metres; ignored where `volume` is given */
  const SupFill *volume; /* a ready volume in body space, or NULL */
  /* What does not move, lengths in metres. A painted lock leaves the modes of the rest of the body:
   * modes of one zone. */
  SupAttachDef attach;
  /* Modes zone by zone: [bone_count] the zone of each bone's flesh, from 0 on, SUP_NONE where flesh
   * is held; or NULL: the body is one. Each zone gets mode_count modes, its neighbours held. */
  const uint32_t *bone_zones;
  bool warp;           /* flesh that swings far goes along an arc (modal warping); twice the rows */
  double h;            /* as in SupModesDef */
  double max_distance; /* as in SupModesDef */
  const SupJobs *jobs;
} SupModesTrainDef;

SupModesTrainDef sup_modes_train_def(const SupCharacter *character);

typedef struct SupModesTrainReport {
  SupFillReport fill;
  SupAttachReport attach;
  uint32_t node_count, tet_count, free_count;
  uint32_t mode_count, pair_count;
  uint32_t zone_count;   /* 0: the body is one */
  const uint32_t *zones; /* [mode_count] the zone of each mode, or NULL; in the arena */
  double scale;          /* metres per unit of body space */
  double mass;           /* kg that can move */
  double covered;        /* fraction of it that the modes carry when all of it is pushed, 0..1 */
  double worst;          /* metres that a vertex can move per m/s^2 of peak acceleration */
  uint32_t worst_vertex; /* of the body */
  const double *frequencies;   /* [mode_count] Hz, rising; in the arena */
  const double *damping_ratio; /* [mode_count] */
  const double *shares;        /* [mode_count] of `covered` */
  const double *seen;          /* [mode_count] of what it does below the skin the skin shows, 0..1:
                                  what is too thin or locked does not */
  const double *peaks;         /* [mode_count] m a vertex can move by one mode per m/s^2 */
} SupModesTrainReport;

/* Fills, attaches, finds the modes, projects them onto the skin, packs. The model and the report's
 * arrays live in `arena`. The same bits for any number of threads. */
SupResult sup_modes_train(SupArena *arena, const SupModesTrainDef *def, SupModel **out_model,
                          SupModesTrainReport *out_report, SupError *error);

/* Zones for SupModesTrainDef.bone_zones: the trunk and each limb, a limb beginning where the
 * skeleton branches and at least a fiftieth of the skin hangs on it. out_zones[bone_count]. */
SupResult sup_modes_limbs(SupArena *arena, const SupCharacter *character, uint32_t *out_zones,
                          uint32_t *out_count, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
