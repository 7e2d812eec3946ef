/* SPDX-License-Identifier: MIT */
/* A motion of a rig against the full simulation: what its two sources share. */
#ifndef SUP_SRC_APP_PAPER_HAHN_TRUTH_PARTS_H
#define SUP_SRC_APP_PAPER_HAHN_TRUTH_PARTS_H

#include "app/paper_hahn_parts.h"
#include "fem/elastic.h"

#define SUP_HAHN_TOLERANCE 1e-7 /* of the height */

typedef struct Truth {
  SupHahnLab *lab;
  const SupRig *rig;
  SupArena *arena;
  uint32_t n, steps, surface, nodes;
  uint32_t *free;                      /* [n] */
  uint8_t *held;                       /* [nodes] */
  SupElastic body;                     /* held nodes prescribed */
  double *energy;                      /* [steps] J of the full simulation */
  SupVec3d *skin;                      /* [rig's vertices] */
  SupVec3d *columns;                   /* [n * rig's vertices] */
  SupVec3d *target;                    /* [nodes] surface of the script, nodes inside anywhere */
  SupVec3d *guess;                     /* [nodes] */
  double *p;                           /* [parameter_count] */
  SupVec3 *full, *still, *plain, *row; /* [steps * surface] */
  double *jacobian, *gram;             /* [n * 3 surface], [n * n] */
  double *slope, *small, *step, *trial;
  double *residual; /* [3 surface] */
  float *weights;   /* [surface] */
} Truth;

/* The surface nodes of parameters. */
SupResult sup_hahn_truth_surface(Truth *t, const double *p, SupVec3d *out, SupError *error);

/* t->p: the script of a time, free parameters at rest. */
void sup_hahn_truth_script(Truth *t, double time);

/* t->jacobian[k * 3 surface] at parameters, per scale. */
SupResult sup_hahn_truth_jacobian(Truth *t, const double *p, SupError *error);

/* Surface nodes as frame i. */
void sup_hahn_truth_store(const Truth *t, const SupVec3d *nodes, uint32_t i, SupVec3 *out);

/* How many free parameters are at a bound. */
uint32_t sup_hahn_truth_at_bounds(const Truth *t, const double *parameters);

/* The best parameters of every frame; t->row are the surfaces. */
SupResult sup_hahn_truth_fit(Truth *t, SupHahnNear *near, SupError *error);

#endif
