/* SPDX-License-Identifier: MIT */
/*
 * An elastic body: linear tetrahedra, lumped masses, some nodes prescribed.
 *
 * Element results are computed in parallel into one slot per element and gathered per node and per
 * matrix block in element order: the same bits for any number of threads.
 */
#ifndef SUP_SRC_FEM_ELASTIC_H
#define SUP_SRC_FEM_ELASTIC_H

#include "fem/strain_rate.h"
#include "numerics/sparse.h"
#include "supple/geom/tet.h"

/* Which second derivative is computed. */
typedef enum SupHessian {
  SUP_HESSIAN_NONE = 0,  /* none: the last one stays */
  SUP_HESSIAN_PROJECTED, /* of every element its positive semidefinite part, for Newton */
  SUP_HESSIAN_ELASTIC, /* exact, but of the damping its positive semidefinite part: for Newton near
                          the end; may be indefinite */
  SUP_HESSIAN_EXACT    /* the derivative of the gradient; slow where there is damping */
} SupHessian;

/* What an elastic body is made from; the arrays must outlive it. */
typedef struct SupElasticDef {
  SupTetMesh mesh;
  const SupMaterialDef *materials; /* [material_count] checked */
  uint32_t material_count;
  const uint32_t *material_of; /* [tet_count] or NULL: material 0 everywhere */
  const double *stiffness;     /* [tet_count] factor on Young's modulus, or NULL */
  const double *fractions;     /* [tet_count] fraction of the element that is flesh, or NULL: all */
  const uint8_t *prescribed;   /* [node_count] non-zero where the position is given, or NULL */
  const uint8_t *unseen;  /* [tet_count] non-zero: it goes with the nodes that are given, has no
                             stiffness and no mass for the others; or NULL: none */
  const SupVec3d *fibres; /* [tet_count] unit directions at rest, or NULL */
  const SupJobs *jobs;
} SupElasticDef;

typedef struct SupElastic {
  SupTetMesh mesh;
  const SupJobs *jobs;
  SupLaw *laws;     /* [tet_count] */
  double *damping;  /* [tet_count] seconds */
  double *volumes;  /* [tet_count] rest volume that is flesh, m^3; 0: unseen */
  SupMat3d *shape;  /* [tet_count] inverse of the rest edge matrix */
  SupVec3d *fibres; /* [tet_count] unit directions at rest, or NULL: no muscles */
  double *tension;  /* [tet_count] Pa along the fibre, may change between steps; 0 is relaxed */
  double *masses;   /* [node_count] kg */
  double carried;   /* kg of unseen flesh beside free nodes, in no node's mass */
  double *drags;    /* [node_count] kg / s */
  uint32_t active_count; /* elements that have a free node: the others never act on anything */
  uint32_t *active;      /* [active_count] rising */
  uint32_t free_count;   /* nodes that move freely */
  uint32_t *free_nodes;  /* [free_count] */
  int32_t *free_index;   /* [node_count] place among the free nodes, or -1 */
  /* Which corners of active elements touch a node: CSR over nodes, entries 4 * tet + corner. */
  uint32_t *corner_offsets; /* [node_count + 1] */
  uint32_t *corners;
  /* Which element corner pairs add to a block (i >= j, by block column), entries
   * 16 * tet + 4 * a + b. */
  uint32_t *block_offsets; /* [free_count + 1] blocks per column */
  uint32_t *pair_offsets;  /* [block_count + 1] */
  uint64_t *pairs;
  SupSparse matrix; /* 3 free_count unknowns, order: node, axis */
  /* Results, one slot per element; zero where not active. */
  double *energies; /* [tet_count] J */
  double *forces;   /* [12 * tet_count] gradient of the energy by corner and axis, N */
  double *blocks;   /* [144 * tet_count] stiffness, row-major by corner and axis */
} SupElastic;

/* Builds it in `arena`. Fails with a sentence when an element is flat or inverted at rest. */
SupResult sup_elastic_create(SupArena *arena, const SupElasticDef *def, SupElastic *out_body,
                             SupError *error);

/* Energy (J) of the active elements at positions x[node_count], and, where not NULL, its gradient
 * [node_count]; right for free nodes only. With `rates` [tet_count], not NULL, that of their
 * damping is in both. */
double sup_elastic_energy(SupElastic *body, const SupVec3d *x, const SupStrainRate *rates,
                          SupVec3d *out_gradient);

/* Energy and gradient as above, and the element stiffness blocks. */
double sup_elastic_linearise(SupElastic *body, const SupVec3d *x, const SupStrainRate *rates,
                             SupHessian hessian, SupVec3d *out_gradient);

/* The stretch of every active element at x[node_count]: [tet_count]. */
void sup_elastic_stretch(SupElastic *body, const SupVec3d *x, SupStretch *out_stretch);

/* matrix = diagonal[free_count] on the three axes of each free node + the sum over elements of
 * their stiffness blocks + extra [144 * tet_count], of the same shape. Both may be NULL. */
void sup_elastic_assemble(SupElastic *body, const double *diagonal, const double *extra);

/* Smallest det F over the active elements that are seen; where not NULL, which one, and how many
 * are below 0. */
double sup_elastic_worst(const SupElastic *body, const SupVec3d *x, uint32_t *out_tet,
                         uint32_t *out_inverted);

/* The least dihedral angle of the same elements, in degrees. */
double sup_elastic_sharpest(const SupElastic *body, const SupVec3d *x);

/* Whether flesh resists being crushed, as it does: without, what is tangled gets free more easily.
 */
void sup_elastic_resist(SupElastic *body, bool resist);

/* Another rest shape for the same elements, nodes[node_count]; masses stay. Not between the steps
 * of a motion: stretches of the step before would be those of the old shape. On failure (an element
 * would have no volume) nothing has changed. */
SupResult sup_elastic_set_rest(SupElastic *body, const SupVec3d *nodes, SupError *error);

#endif
