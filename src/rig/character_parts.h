/* SPDX-License-Identifier: MIT */
/* The rig of a character, as its own sources see it. */
#ifndef SUP_SRC_RIG_CHARACTER_PARTS_H
#define SUP_SRC_RIG_CHARACTER_PARTS_H

#include "rig/layers.h"
#include "supple/rig/character_rig.h"

/* Evaluations that may run at the same time. */
#define SUP_RIG_SLOTS 8u

/* A channel that a parameter drives. */
typedef struct SupRigDrive {
  uint32_t channel;
  double factor;
} SupRigDrive;

/* A layer of the definition; one of both is used. */
typedef struct SupRigBoundLayer {
  const SupRigLayer *def;
  uint32_t first_channel;
  SupRigLattice lattice;
  SupRigWire wire;
} SupRigBoundLayer;

struct SupCharacterRig {
  SupRig rig;
  const SupCharacter *character;
  const SupRigDef *def;
  const SupJobs *jobs;
  double size; /* diagonal of the body, metres */
  uint32_t channel_count;
  double *neutral;             /* [channel_count] */
  SupRigParameter *parameters; /* [parameter_count] */
  uint32_t *first_drives;      /* [parameter_count + 1] */
  SupRigDrive *drives;         /* [first_drives[parameter_count]] */
  SupRigJoints joints;
  SupRigMorphs morphs;
  SupRigBoundLayer *layers; /* [def->layer_count] */
  SupVec3d *rest;           /* [vertex_count] body positions */
  SupRigEvaluation slots[SUP_RIG_SLOTS];
  SupVec3d *spare[SUP_RIG_SLOTS]; /* [vertex_count] positions where only derivatives are wanted */
};

/* Lays out the channels of joints, morph targets and layers, with their neutral values. */
SupResult sup_rig_lay_channels(SupArena *arena, SupCharacterRig *rig, SupError *error);

/* Resolves the controls, and adds the scripted rest where wanted: parameters and drives. */
SupResult sup_rig_bind_controls(SupArena *arena, SupCharacterRig *rig, SupError *error);

/* The channels of parameters[parameter_count]. */
void sup_rig_channels(const SupCharacterRig *rig, const double *parameters, double *out_channels);

/* The channel of a joint. */
static inline uint32_t sup_rig_joint_channel(const SupCharacterRig *rig, uint32_t joint,
                                             SupRigTargetKind kind, uint32_t axis) {
  return rig->joints.first_channel + SUP_RIG_JOINT_CHANNELS * joint +
         3 * (uint32_t)(kind - SUP_RIG_JOINT_TRANSLATION) + axis;
}

#endif
