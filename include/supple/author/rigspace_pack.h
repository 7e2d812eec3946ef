/* SPDX-License-Identifier: MIT */
/*
 * Supple: the stored set-up of rigspace (docs/techniques/rigspace.md) as a model block: rig,
 * volume, weights of the nodes inside, and the flesh that was chosen. It is data of an author, in a
 * `.supple` file of its own: no stack holds it, and no engine reads it.
 */
#ifndef SUPPLE_AUTHOR_RIGSPACE_PACK_H
#define SUPPLE_AUTHOR_RIGSPACE_PACK_H

#include "supple/author/character.h"
#include "supple/geom/tet.h"
#include "supple/technique.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_RIGSPACE_KIND SUP_FOURCC('R', 'I', 'G', 'S')

/* Numbers of a set-up, as the block has them: eight bytes each. */
typedef struct SupRigspaceNumbers {
  uint64_t character;     /* sup_rigspace_character_key */
  uint64_t process;       /* key of the parameters of a rig process; 0: the rig is in the set-up */
  uint64_t surface_count; /* nodes that the skin drives: the first ones */
  uint64_t example_count; /* that the weights were fitted to */
  uint64_t material_kind; /* SupMaterialKind */
  uint64_t clip_count;    /* clips that the flesh was chosen for */
  double scale;           /* units of the scene per unit of the volume */
  double unit;            /* metres per unit of the scene */
  double young, poisson, density, damping, drag, stiffening; /* SupMaterialDef, for lengths in units
                                                                of the scene */
  double size, natural, frequency, flesh_young, ratio, felt, swing; /* what the choice said */
} SupRigspaceNumbers;

/* A set-up. Of a block: pointers into it. */
typedef struct SupRigspaceSetup {
  SupRigspaceNumbers numbers;
  const char *name; /* of the rig */
  const char *rig;  /* [rig_bytes] text of its rig file; none where a process is the rig */
  uint64_t rig_bytes;
  SupTetMesh volume; /* surface nodes first */
  uint32_t skin_count;
  const uint32_t *skin;    /* [skin_count] body vertices that drive a node, rising */
  const uint32_t *corners; /* [3 * surface_count] below skin_count */
  const double *weights;   /* [3 * surface_count] */
  const double *fractions; /* [tet_count] */
  uint32_t inside_count;   /* nodes inside with weights: all of them, or 0 */
  const uint32_t *offsets; /* [inside_count + 1] */
  const uint32_t *nodes;   /* [offsets[inside_count]] surface nodes */
  const double *inside;    /* [offsets[inside_count]] those of a node sum to 1 */
} SupRigspaceSetup;

/* The kind's entry, which this build's list does not have, and a list of it alone for
 * sup_model_check and sup_model_describe. */
extern const SupTechnique sup_rigspace_technique;
extern const SupTechnique *const sup_rigspace_techniques[2];

/* Packs a set-up for the character's body; the block has passed its check. */
SupResult sup_rigspace_pack(SupArena *arena, const SupCharacter *character,
                            const SupRigspaceSetup *setup, SupModel **out_model, SupError *error);

/* The set-up in a checked block. */
SupRigspaceSetup sup_rigspace_setup(const SupModel *model);

/* Joints, rest pose, bones, skin weights and morph targets as a number: another one, and the
 * character is not the one that a set-up was made for, though its mesh may be. */
uint64_t sup_rigspace_character_key(const SupCharacter *character);

#ifdef __cplusplus
}
#endif
#endif
