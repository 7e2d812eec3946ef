/* SPDX-License-Identifier: MIT */
/*
 * Supple: two published ways to deform a skin by its pose, to compare ours with. Neither is a
 * technique: they have no model block, and only studies play them.
 *
 * - Pose-space deformation (Lewis, Cordner, Fong 2000): the displacement of every example in rest
 *   space, blended by radial functions of the joints' turns.
 * - Direct delta mush (Le and Lewis 2019): needs no examples; smooths what linear skinning does.
 */
#ifndef SUPPLE_TRAIN_BASELINES_H
#define SUPPLE_TRAIN_BASELINES_H

#include "supple/author/character.h"
#include "supple/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pose-space deformation ------------------------------------------------------------------ */

/* Start from sup_pose_shapes_def. The rest pose, without displacement, is an example more. */
typedef struct SupPoseShapesDef {
  uint32_t cookie;
  const SupCharacter *character; /* skinned */
  uint32_t example_count;        /* at least 1 */
  const SupTransform *poses;     /* [example_count * joint_count] local transforms */
  const SupVec3 *positions;      /* [example_count * body.vertex_count] scene space */
  double sigma;  /* radians, of the radial functions; 0: with five examples or more the width that
                    predicts those best that are left out, else twice the median distance of the
                    nearest ones */
  double least;  /* of the body's diagonal: smaller displacements are not kept; 1e-5 */
  uint32_t root; /* joint whose turns are no pose, and those of joints above it; SUP_NONE */
  const SupJobs *jobs;
} SupPoseShapesDef;

SupPoseShapesDef sup_pose_shapes_def(const SupCharacter *character);

/* Learned; everything in the arena, `character` the caller's. */
typedef struct SupPoseShapes {
  const SupCharacter *character;
  uint32_t turn_count; /* joints that the examples turn */
  const uint32_t *turns;
  const SupQuat *rest;   /* [turn_count] their rotations in the rest pose */
  uint32_t centre_count; /* examples and the rest pose, which is the first */
  const double *centres; /* [centre_count * 3 * turn_count] rotation vectors, radians */
  const double *factors; /* [centre_count * centre_count] weight i is sum_j factors[i][j] phi_j */
  double sigma;
  const uint32_t *first;    /* [centre_count + 1] into vertices and offsets */
  const uint32_t *vertices; /* rising within a shape */
  const SupVec3 *offsets;   /* body space */
} SupPoseShapes;

/* Fails with a sentence where no example turns a joint, or two have the same turns. */
SupResult sup_pose_shapes_learn(SupArena *arena, const SupPoseShapesDef *def,
                                SupPoseShapes *out_shapes, SupError *error);

/* What a player would have to hold beside the skin. */
uint64_t sup_pose_shapes_bytes(const SupPoseShapes *shapes);

/* Weights of all shapes in a pose: the first half of io_weights[2 * centre_count]. */
void sup_pose_shapes_weights(const SupPoseShapes *shapes, const SupTransform *joints,
                             double *io_weights);

/* The skin in a pose, palette[bone_count] its matrices: out_positions[body.vertex_count], scene
 * space. weights[2 * centre_count] is scratch memory. One thread. */
void sup_pose_shapes_show(const SupPoseShapes *shapes, const SupTransform *joints,
                          const SupAffine *palette, double *weights, SupVec3 *out_positions);

/* ---- Direct delta mush ----------------------------------------------------------------------- */

/* Start from sup_delta_mush_def. */
typedef struct SupDeltaMushDef {
  uint32_t cookie;
  const SupCharacter *character; /* skinned */
  uint32_t iterations;           /* p: rounds of implicit smoothing; 20 */
  double lambda;                 /* of a round: how far shapes are smoothed; 3 */
  double kappa;                  /* ... and weights, below lambda; 1 */
  double alpha;                  /* 0..1: how much a vertex follows smoothed weights alone, which
                                    keeps bulges of single bones away; 0.8 */
  double least;                  /* entries of smaller weight are dropped; 1e-3 */
} SupDeltaMushDef;

SupDeltaMushDef sup_delta_mush_def(const SupCharacter *character);

/* What one bone does to one vertex: the symmetric matrix [A b; b^T w], in coordinates about the
 * vertex's own place at rest, so that floats are enough. */
typedef struct SupDeltaMushEntry {
  uint32_t bone;
  float a[6]; /* xx xy xz yy yz zz */
  float b[3];
  float w; /* of a vertex they add up to 1 */
} SupDeltaMushEntry;

typedef struct SupDeltaMush {
  const SupCharacter *character;
  const uint32_t *first; /* [body.vertex_count + 1] into entries */
  const SupDeltaMushEntry *entries;
} SupDeltaMush;

SupResult sup_delta_mush_make(SupArena *arena, const SupDeltaMushDef *def, SupDeltaMush *out_mush,
                              SupError *error);

/* What a player would have to hold in place of the skin. */
uint64_t sup_delta_mush_bytes(const SupDeltaMush *mush);

/* The skin of palette[bone_count]: out_positions[body.vertex_count], scene space. Exact in the bind
 * pose and under one rigid motion of all bones. One thread. */
void sup_delta_mush_show(const SupDeltaMush *mush, const SupAffine *palette,
                         SupVec3 *out_positions);

#ifdef __cplusplus
}
#endif
#endif
