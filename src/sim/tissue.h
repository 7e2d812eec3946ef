/* SPDX-License-Identifier: MIT */
/* Which flesh is what: materials and stiffness factors of elements. */
#ifndef SUP_SRC_SIM_TISSUE_H
#define SUP_SRC_SIM_TISSUE_H

#include "supple/sim/simulate.h"

typedef struct SupTissue {
  const SupMaterialDef *materials;
  uint32_t material_count;
  uint32_t *material_of; /* [tet_count] or NULL: all the first */
  double *factors;       /* [tet_count] on Young's modulus, or NULL: all 1 */
} SupTissue;

/* Built in `arena`; the materials have been checked. */
SupResult sup_tissue_create(SupArena *arena, const SupSimDef *def, const SupFill *fill,
                            const SupAttachment *attachment, SupTissue *out_tissue,
                            SupError *error);

#endif
