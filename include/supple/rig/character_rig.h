/* SPDX-License-Identifier: MIT */
/*
 * Supple: the rig of a character, from its description.
 *
 *   rest shape + morph targets -> layers before skinning -> linear blend skinning of the posed
 *   joints and helpers -> layers after skinning
 *
 * It answers in the scene's space with the vertices of the body, or with some of them, and has
 * exact derivatives. docs/techniques/rigspace.md has the equations.
 */
#ifndef SUPPLE_RIG_CHARACTER_RIG_H
#define SUPPLE_RIG_CHARACTER_RIG_H

#include "supple/author/character.h"
#include "supple/author/rig_def.h"
#include "supple/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupCharacterRig SupCharacterRig;

typedef struct SupCharacterRigDef {
  const SupCharacter *character; /* must outlive the rig */
  const SupRigDef *rig;          /* must outlive it, too */
  uint32_t vertex_count;         /* 0: all of the body, in its order */
  const uint32_t *vertices;      /* [vertex_count] body vertices that the rig answers with */
  const SupJobs *jobs;           /* shares vectors and columns; may be NULL */
} SupCharacterRigDef;

/* Builds the rig in `arena`. Refuses with a sentence that names the line where there is one: an
 * unknown joint, morph target, layer or zone (with the nearest name), a point that a lattice or
 * wire does not have, a layer that reaches no vertex, equal names, numbers that are not finite or
 * make no sense, and all that sup_rig_check refuses. */
SupResult sup_character_rig_create(SupArena *arena, const SupCharacterRigDef *def,
                                   const SupCharacterRig **out_rig, SupError *error);

/* As any rig; lives as long. */
const SupRig *sup_character_rig(const SupCharacterRig *rig);

/* The joints of the character, then those of the helpers: what its poses have. */
uint32_t sup_character_rig_joint_count(const SupCharacterRig *rig);

/* The skeleton with the helpers at its end, and the weights with theirs: what an engine needs to
 * play the joint channels. Plain data that lives as long as the rig. */
const SupSkeleton *sup_character_rig_skeleton(const SupCharacterRig *rig);
const SupSkin *sup_character_rig_skin(const SupCharacterRig *rig);

/* Sets the scripted parameters to what a clip does: pose->joints[character's joint_count or more]
 * and morph weights[morph_count] (NULL: the defaults). The others stay. Rotations are continued
 * from io_parameters, so that a curve does not jump at half a turn: start with the rest values. Of
 * a parameter with several targets the first counts. */
void sup_character_rig_script(const SupCharacterRig *rig, const SupPosed *pose,
                              const double *weights, double *io_parameters);

/* The same for the free parameters: what the clip's own keys say where the simulation will say
 * something else. Those that a clip cannot hold (turns, helpers, lattices, wires) stay. */
void sup_character_rig_keyed(const SupCharacterRig *rig, const SupPosed *pose,
                             const double *weights, double *io_parameters);

/* The local transforms that parameters give: out_joints[joint_count with helpers], and morph
 * weights out_weights[morph_count] (NULL: not wanted): what a clip of joints and morph targets can
 * hold of the rig. */
void sup_character_rig_pose(const SupCharacterRig *rig, const double *parameters,
                            SupTransformd *out_joints, double *out_weights);

/* One lattice before skinning as morph targets: the displacement of every answered vertex by a
 * unit of every coordinate of its driven control points. It is linear, so this is exact. Returns
 * how many columns there are; `column` < that many selects one, out_offsets[vertex_count], and
 * out_point gets the control point and axis (4 numbers); both may be NULL. 0 for any other layer.
 */
uint32_t sup_character_rig_lattice_column(const SupCharacterRig *rig, uint32_t layer,
                                          uint32_t column, uint32_t out_point[4],
                                          SupVec3d *out_offsets);

#ifdef __cplusplus
}
#endif
#endif
