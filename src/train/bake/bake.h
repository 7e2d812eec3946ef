/* SPDX-License-Identifier: MIT */
/* What both ways of baking begin with: the bones of every frame, and the frames one by one. */
#ifndef SUP_SRC_TRAIN_BAKE_BAKE_H
#define SUP_SRC_TRAIN_BAKE_BAKE_H

#include "supple/train/bake.h"

/* Frames of all motions, one after the other. */
typedef struct BakeFrames {
  const SupCharacter *character;
  uint32_t motion_count;
  const SupBakeMotion *motions;
  uint32_t count;
  uint32_t *motion_of;  /* [count] */
  SupAffine *globals;   /* [count * joint_count] scene space */
  SupAffine *palettes;  /* [count * bone_count] body space -> scene */
  float *morph_weights; /* [count * morph_count] of the character's own targets */
  uint32_t basis_count; /* frames that are looked at closely, at least one of every motion */
  uint32_t *basis;      /* [basis_count] rising */
  SupVec3 *scratch;     /* [2 * body.vertex_count] */
} BakeFrames;

/* About `basis` frames become the basis; all of them where there are no more. */
SupResult sup_bake_frames(SupArena *arena, const SupCharacter *character, uint32_t motion_count,
                          const SupBakeMotion *motions, uint32_t basis, BakeFrames *out,
                          SupError *error);

/* Calls `visit` for every frame in order, until one fails. */
typedef SupResult (*BakeVisit)(void *user, uint32_t frame, const SupVec3 *positions);
SupResult sup_bake_visit(const BakeFrames *frames, BakeVisit visit, void *user);

/* What the character's own morph targets add to the rest positions; NULL where there are none.
 * Valid until the next call. */
const SupVec3 *sup_bake_own_morphs(const BakeFrames *frames, uint32_t frame);

/* Plain skinning: of a vertex `rest`, and of a direction. */
SupVec3d sup_bake_skin(const BakeFrames *frames, uint32_t frame, uint32_t vertex, SupVec3 rest);
SupVec3d sup_bake_turn(const BakeFrames *frames, uint32_t frame, uint32_t vertex, SupVec3 way);

/* Can a joint's motion be undone? Not where it shrinks what it carries to nothing. */
bool sup_bake_is_open(SupAffined motion);

/* The diagonal of the body's box, in the units of another space. */
double sup_bake_size(const SupCharacter *character, SupAffine to_space);

/* A track whose keys are those of curve[count * width] that are needed, judged by `measure` (the
 * same shape; NULL: the curve itself). */
SupResult sup_bake_track(SupArena *arena, const SupTrack *like, double fps, uint32_t count,
                         const float *curve, const float *measure, double tolerance,
                         SupTrack *out_track, SupError *error);

#endif
