/* SPDX-License-Identifier: MIT */
/* Springs between points of a volume and where the skeleton puts them. */
#ifndef SUP_SRC_FEM_TIES_H
#define SUP_SRC_FEM_TIES_H

#include "fem/elastic.h"
#include "supple/fem/attach.h"

/* The springs of a body. Each pulls on the nodes of one tetrahedron. */
typedef struct SupTies {
  uint32_t count;
  const SupTie *ties;      /* [count] */
  const double *stiffness; /* [count] N / m */
  SupVec3d *points;        /* [count] in the bind pose, units of the attachment: what is aimed */
  SupVec3d *targets;       /* [count] metres */
} SupTies;

/* For a body in metres, `scale` of them to a unit of the attachment; in `arena`. */
SupResult sup_ties_create(SupArena *arena, const SupAttachment *attachment, const SupElastic *body,
                          double scale, SupTies *out_ties, SupError *error);

/* Where bones put the points: palette[bone_count] from bind space to the body's. */
void sup_ties_aim(SupTies *ties, const SupAffined *palette);

/* Energy at x[node_count]; adds its gradient and, where not NULL, its second derivative to
 * io_blocks [144 * tet_count]. */
double sup_ties_add(const SupTies *ties, const SupTetMesh *mesh, const SupVec3d *x,
                    SupVec3d *io_gradient, double *io_blocks);

#endif
