/* SPDX-License-Identifier: MIT */
/*
 * Supple: which nodes of a volume follow the skeleton, and how.
 */
#ifndef SUPPLE_FEM_ATTACH_H
#define SUPPLE_FEM_ATTACH_H

#include "supple/author/character.h"
#include "supple/fem/fill.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a node is held. */
enum {
  SUP_HELD_NOT,     /* it is free */
  SUP_HELD_BY_BONE, /* near a bone */
  SUP_HELD_AS_SKIN, /* of a part too thin to show how flesh moves */
  SUP_HELD_LOCKED   /* by a lock, or of a piece that no bone passes */
};

/* Influences a node can have. */
#define SUP_ATTACH_BONES 4

typedef struct SupAttachDef {
  double radius_fraction; /* of the local thickness; 0 means the default, 0.35 */
  double radius;          /* body units: overrides the fraction where > 0 */
  const float *lock; /* [body.vertex_count] painted: nodes around vertices > 0.5 are attached */
} SupAttachDef;

/* How the skeleton moves the nodes: all of them have skin weights (a good guess of where flesh
 * goes), some are held. */
typedef struct SupAttachment {
  uint32_t node_count;
  const uint8_t *held;   /* [node_count] how, see above; not 0: it follows its bones exactly */
  const uint32_t *bones; /* [SUP_ATTACH_BONES * node_count] */
  const float *weights;  /* the same shape, summing to 1 per node */
} SupAttachment;

typedef struct SupAttachReport {
  uint32_t held_count;
  uint32_t bone_count;   /* bones that hold at least one node */
  uint32_t loose_pieces; /* pieces of volume that no bone passes: held whole */
  /* Nodes that were free again because the character's poses would drive them into others. */
  uint32_t released_count;
} SupAttachReport;

/* Attaches a filled character. Nodes within a radius of a bone segment are held; the radius is a
 * fraction of the distance from the bone to the skin there, and never so small that the lattice
 * could miss the bone. Parts too thin for the lattice are held whole. Where the poses of the
 * character's clips would bring two held nodes together, at an armpit say, one goes free, unless it
 * is locked. Needs a skinned character. */
SupResult sup_attach(SupArena *arena, const SupCharacter *character, const SupFill *fill,
                     const SupAttachDef *def, SupAttachment *out_attachment,
                     SupAttachReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
