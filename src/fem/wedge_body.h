/* SPDX-License-Identifier: MIT */
/*
 * Elastic bodies of wedges for small displacements from rest, some of whose nodes are held.
 *
 * Guo 2007, 4.3 and 4.4, corrected (docs/techniques/chunks.md). No forces act but those that hold:
 * a homogeneous body's displacements do not depend on its stiffness, only on Poisson's ratio.
 */
#ifndef SUP_SRC_FEM_WEDGE_BODY_H
#define SUP_SRC_FEM_WEDGE_BODY_H

#include "fem/wedge.h"
#include "numerics/sparse.h"

/* Hooke's law for one wedge. */
typedef struct SupWedgeLaw {
  double mu, lambda; /* Lame's constants */
  bool even_volume;  /* B-bar: the change of volume is the mean over the wedge, everywhere in it */
} SupWedgeLaw;

/* Above this Poisson's ratio the change of volume is made even: wedges would lock. */
#define SUP_WEDGE_EVEN_POISSON 0.45

SupWedgeLaw sup_wedge_law(double young, double poisson);

/* The stiffness of one wedge, out[18 * 18], symmetric: rows and columns are x, y, z of the six
 * nodes one after the other. All determinants at Gauss points are above 0. */
typedef void SupWedgeStiffness(const SupVec3d corners[6], const SupWedgeLaw *law, double *out);
SupWedgeStiffness sup_wedge_stiffness;

/* The same by the points that the thesis prints, which are the nodes (GUO-E21): for comparison. */
SupWedgeStiffness sup_wedge_stiffness_nodal;

typedef struct SupWedgeBodyDef {
  const char *name; /* for sentences */
  SupWedgeMesh mesh;
  double poisson;          /* -1 < poisson < 0.5 */
  const double *stiffness; /* [wedge_count] Young's modulus of each, > 0, or NULL: all 1 */
  const uint8_t *held;     /* [node_count] not 0: its displacement is given */
} SupWedgeBodyDef;

typedef struct SupWedgeBody {
  SupWedgeMesh mesh;
  const uint8_t *held;
  const double *elements;   /* [324 * wedge_count] the stiffness of each */
  const uint32_t *unknowns; /* [node_count] number among those not held, or SUP_NONE */
  uint32_t free_count;
  SupSparse matrix; /* of the free nodes */
  SupCholesky *factor;
} SupWedgeBody;

/* Assembles and factors. Refused with a sentence that names the body: a Poisson's ratio or
 * stiffness out of range, a wedge that is flat or inverted at a Gauss point, a node that nothing
 * holds. Lives in `arena` and points into the definition; to be freed by sup_wedge_body_free, too.
 */
SupResult sup_wedge_body_create(SupArena *arena, const SupWedgeBodyDef *def, SupWedgeBody *out_body,
                                SupError *error);

/* The same with another stiffness of a wedge than sup_wedge_stiffness. */
SupResult sup_wedge_body_create_by(SupArena *arena, const SupWedgeBodyDef *def,
                                   SupWedgeStiffness *stiffness, SupWedgeBody *out_body,
                                   SupError *error);

void sup_wedge_body_free(SupWedgeBody *body);

/* out_forces[3 * node_count] = K displacements[3 * node_count]. */
void sup_wedge_forces(const SupWedgeBody *body, const double *displacements, double *out_forces);

/* The equilibrium of the free nodes in io_displacements[3 * node_count], whose held nodes are
 * given, below forces[3 * node_count] on the free ones, or NULL. */
SupResult sup_wedge_settle(SupArena *arena, const SupWedgeBody *body, const double *forces,
                           double *io_displacements, SupError *error);

#endif
