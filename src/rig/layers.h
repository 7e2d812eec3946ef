/* SPDX-License-Identifier: MIT */
/*
 * The layers of a character's rig, from channels to vertices.
 *
 * An *evaluation* carries every vertex through the layers, and with it, where wanted, its
 * derivative along one direction of the channels. Each layer reads its own channels and changes
 * x and dx in place.
 */
#ifndef SUP_SRC_RIG_LAYERS_H
#define SUP_SRC_RIG_LAYERS_H

#include "rig/dual.h"
#include "supple/author/character.h"
#include "supple/author/rig_def.h"

/* One evaluation. J is the number of joints with helpers, B that of bones. */
typedef struct SupRigEvaluation {
  double *channels;       /* [channel_count] */
  double *rates;          /* [channel_count] their derivative */
  bool moving;            /* derivatives are wanted */
  SupVec3d *x;            /* [vertex_count] */
  SupVec3d *dx;           /* [vertex_count], or NULL where they are not */
  SupDualAffine *globals; /* [J] */
  uint8_t *turns;         /* [J] the derivative of its map is not 0 */
  SupDualAffine *palette; /* [B] bind space -> scene, of this evaluation */
  SupDual3 *posed;        /* [2 * curve points of the longest wire]: at rest, moved */
} SupRigEvaluation;

/* ---- Joints --------------------------------------------------------------------------------- */

/* Channels of a joint, from its first one: translation, rotation, turn, scale; x, y, z each. */
#define SUP_RIG_JOINT_CHANNELS 12u

/* The skeleton with helpers, and the skin of the vertices that are asked for. */
typedef struct SupRigJoints {
  SupSkeleton skeleton;           /* J joints, B bones */
  const SupAffined *inverse_bind; /* [B] in double; helpers exactly their parents' */
  SupSkin skin;                   /* of the whole body, with helpers */
  uint32_t vertex_count;
  const uint32_t *vertices; /* [vertex_count] of the body, or NULL: all */
  uint32_t first_channel;
} SupRigJoints;

/* Adds the helpers to the character. Refuses unknown parents, names that exist, helpers that reach
 * no vertex. */
SupResult sup_rig_joints_create(SupArena *arena, const SupCharacter *character,
                                const SupRigDef *def, SupRigJoints *out_joints, SupError *error);

/* The local transform of a joint from its channels and their rates. */
SupTransformd sup_rig_joint_local(const SupRigJoints *joints, uint32_t joint,
                                  const double *channels);

/* Poses the joints into evaluation->palette, and skins. */
void sup_rig_joints_pose(const SupRigJoints *joints, SupRigEvaluation *evaluation);
void sup_rig_joints_skin(const SupRigJoints *joints, SupRigEvaluation *evaluation);

/* The first bone of a joint, or -1. */
int64_t sup_rig_joint_bone(const SupRigJoints *joints, uint32_t joint);

/* ---- Morph targets -------------------------------------------------------------------------- */

typedef struct SupRigMorphs {
  uint32_t morph_count;
  const SupMorph *morphs;
  uint32_t vertex_count;
  const uint32_t *vertices; /* or NULL: all */
  uint32_t first_channel;   /* one weight each */
} SupRigMorphs;

void sup_rig_morphs_apply(const SupRigMorphs *morphs, SupRigEvaluation *evaluation);

/* ---- Lattices ------------------------------------------------------------------------------- */

/* Three channels per control point, in the order of points: x fastest. */
typedef struct SupRigLattice {
  uint32_t first_channel;
  int64_t bone; /* that carries it, or -1 */
  uint32_t driven_count;
  uint32_t *driven; /* [driven_count] control points that something drives, rising */
  uint32_t bound_count;
  uint32_t *bound; /* [bound_count] places among the vertices that are inside */
  double *weights; /* [bound_count * driven_count] */
} SupRigLattice;

/* The vertices rest[vertex_count] in the lattice, maybe none; driven[points] non-zero where
 * something drives a control point. */
SupResult sup_rig_lattice_create(SupArena *arena, const SupRigLayer *def, uint32_t vertex_count,
                                 const SupVec3d *rest, const uint8_t *driven,
                                 SupRigLattice *out_lattice, SupError *error);

void sup_rig_lattice_apply(const SupRigLattice *lattice, SupRigEvaluation *evaluation);

/* ---- Wires ---------------------------------------------------------------------------------- */

/* Channels of a wire's control point: x, y, z, twist, radius. */
#define SUP_RIG_WIRE_CHANNELS 5u

/* A vertex on a wire. */
typedef struct SupRigWireBound {
  uint32_t vertex;              /* place among the vertices */
  uint32_t first;               /* control point of the first weight */
  double influence;             /* (0, 1] */
  double weights[4], slopes[4]; /* of the curve and of its derivative by its parameter */
} SupRigWireBound;

typedef struct SupRigWire {
  uint32_t first_channel;
  int64_t bone;
  uint32_t curve_count;
  uint32_t degree; /* 1 to 3 */
  const SupVec3d *curve;
  uint32_t bound_count;
  SupRigWireBound *bound; /* [bound_count] */
} SupRigWire;

SupResult sup_rig_wire_create(SupArena *arena, const SupRigLayer *def, uint32_t vertex_count,
                              const SupVec3d *rest, SupRigWire *out_wire, SupError *error);

void sup_rig_wire_apply(const SupRigWire *wire, SupRigEvaluation *evaluation);

#endif
