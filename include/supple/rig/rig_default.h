/* SPDX-License-Identifier: MIT */
/*
 * Supple: a rig for a character that nobody has made one for: helper joints where its flesh is
 * thick, each free to be displaced. It plays in every engine.
 */
#ifndef SUPPLE_RIG_RIG_DEFAULT_H
#define SUPPLE_RIG_RIG_DEFAULT_H

#include "supple/author/character.h"
#include "supple/author/rig_def.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupRigDefaultDef {
  const SupCharacter *character; /* skinned; must outlive the description */
  uint32_t helper_max;           /* 0 means 12 */
  uint32_t influence_max;        /* bones per vertex; 0 means 4, as many engines take */
  const float *lock;             /* [body.vertex_count] 1: no flesh, or NULL */
  double spacing;                /* of the volume: a helper reaches at least over some of it */
  uint32_t vertex_count;
  const uint32_t *vertices; /* [vertex_count] body vertices that drive the volume; helpers stand at
                               some of them */
  const SupJobs *jobs;
} SupRigDefaultDef;

/* Puts helpers where the flesh is thickest, each below the joint that moves it most and out of
 * reach of the others, with three free translations of half the thickness either way. Everything
 * else is scripted. In `arena`. Fails with a sentence where no flesh is thick enough. */
SupResult sup_rig_default(SupArena *arena, const SupRigDefaultDef *def, SupRigDef *out_def,
                          SupError *error);

#ifdef __cplusplus
}
#endif
#endif
