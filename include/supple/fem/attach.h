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
  SUP_HELD_NOT,   /* it is free */
  SUP_HELD_LOCKED /* with skin that is locked or too thin, or in a piece that nothing ties */
};

/* Influences a node can have. */
#define SUP_ATTACH_BONES 4

typedef struct SupAttachDef {
  double radius_fraction; /* of the local thickness; 0 means the default, 0.35 */
  double radius;          /* body units: overrides the fraction where > 0 */
  bool thin_flesh;        /* parts that are too thin for the volume are flesh all the same */
  const float *lock; /* [body.vertex_count] 1: what is not flesh follows its skin weights, and flesh
                        under it is tied there; down to 0.5 in part. NULL: all is flesh */
} SupAttachDef;

/* A point of the volume that a spring pulls to where the skeleton puts it. */
typedef struct SupTie {
  uint32_t tet;
  double corners[4]; /* weights of its nodes */
  SupVec3d point;    /* in the bind pose */
  double length;     /* of bone or skin that it stands for */
  uint32_t bones[SUP_ATTACH_BONES];
  float weights[SUP_ATTACH_BONES]; /* summing to 1 */
} SupTie;

/* How the skeleton moves the nodes: all of them have skin weights (a good guess of where flesh
 * goes), some are held. */
typedef struct SupAttachment {
  uint32_t node_count;
  const uint8_t *held;   /* [node_count] how, see above; not 0: it follows its bones exactly */
  const uint32_t *bones; /* [SUP_ATTACH_BONES * node_count] */
  const float *weights;  /* the same shape, summing to 1 per node */
  const uint8_t *unseen; /* [tet_count] not 0: flesh around which all skin follows its bones; it
                            goes with them, and its shape does not count */
  uint32_t tie_count;
  const SupTie *ties; /* [tie_count] what makes flesh follow */
  double firmness;    /* of a tie: spring constant / (Young's modulus * length) */
  const float *thin;  /* [body.vertex_count] 1 where a part is too thin for the volume to show how
                         flesh moves, or locked: it follows its skin weights; 0 in thick parts */
} SupAttachment;

typedef struct SupAttachReport {
  uint32_t held_count;
  uint32_t weighted_count; /* bones that any vertex follows */
  uint32_t bone_count;     /* of these, bones that something is tied to */
  uint32_t core_count;     /* of these, bones tied along their middle, not by skin around them */
  uint32_t loose_pieces;   /* pieces of volume that no bone passes: held whole */
  double thin_area;        /* fraction of the skin's area that is too thin, 0 .. 1 */
} SupAttachReport;

/* Attaches a filled character. Bones hold flesh by ties: along their middle, at a fraction of the
 * distance from the bone to the skin; where the skin is too thin for the volume, by the skin
 * itself; and a bone that gets neither, by the flesh under its own skin. So every bone that
 * vertices follow holds something, whatever the volume's elements. Needs a skinned character. */
SupResult sup_attach(SupArena *arena, const SupCharacter *character, const SupFill *fill,
                     const SupAttachDef *def, SupAttachment *out_attachment,
                     SupAttachReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
