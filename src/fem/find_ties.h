/* SPDX-License-Identifier: MIT */
/* Where bones hold flesh, whatever the lattice: along their middle, and by skin that is too thin.
 */
#ifndef SUP_SRC_FEM_FIND_TIES_H
#define SUP_SRC_FEM_FIND_TIES_H

#include "fem/flesh_thickness.h"
#include "supple/fem/attach.h"

typedef struct SupTiesDef {
  const SupCharacter *character;
  const SupFill *fill;
  const SupGroups *groups;  /* of the skin, */
  const SupInside *insides; /* [groups->count] ... and the inside of each */
  const float *field;       /* [node_count * bone_count] skin weights of the nodes */
  double radius_fraction;   /* of the part's half thickness: how far from a bone flesh is tied */
  double radius;            /* body units: overrides the fraction where > 0 */
  bool thin_flesh;          /* nothing is too thin */
  const float *lock; /* [body.vertex_count] skin above 0.5 is held as if it were too thin, at 1
                        wholly; or NULL */
} SupTiesDef;

/* Finds ties, thin and their counts; the rest of both is left alone. In `arena`. */
SupResult sup_find_ties(SupArena *arena, const SupTiesDef *def, SupAttachment *io_attachment,
                        SupAttachReport *io_report, SupError *error);

#endif
