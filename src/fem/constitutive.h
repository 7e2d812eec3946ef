/* SPDX-License-Identifier: MIT */
/*
 * Energy, stress and stiffness of one element as functions of its deformation gradient F.
 *
 * All our materials are isotropic: the energy density w depends on the singular values of F only.
 * A material is therefore a small function in principal stretches; what follows from it (stress,
 * exact or projected stiffness) is common to all.
 */
#ifndef SUP_SRC_FEM_CONSTITUTIVE_H
#define SUP_SRC_FEM_CONSTITUTIVE_H

#include "supple/fem/material.h"
#include "supple/math.h"

/* The material's own constants, so that its small-strain law is Hooke's with the given Young's
 * modulus and Poisson's ratio. */
typedef struct SupLaw {
  SupMaterialKind kind;
  double mu;         /* Pa */
  double lambda;     /* Pa */
  double stiffening; /* as in SupMaterialDef */
  double crush;      /* neo-Hookean: times lambda, what resists an element's being crushed */
} SupLaw;

/* The crush of a material as it is. */
#define SUP_LAW_CRUSH 5

SupLaw sup_law(const SupMaterialDef *material);

/* Lame's constants of its small-strain law, Pa. */
void sup_law_lame(const SupLaw *law, double *out_mu, double *out_lambda);

/* The part of the energy density (Pa) of StVK and neo-Hookean that depends on the volume J = det F
 * alone, and its first derivative. Of neo-Hookean without the linear part -mu (J - 1), which
 * balances the rest of its energy at rest: to take one from the other there would leave noise. */
double sup_law_volume(const SupLaw *law, double J, double *out_slope);

/* First Piola-Kirchhoff stress P = dw/dF at F = U diag(s) V^T; returns the energy density w (Pa).
 */
double sup_law_stress(const SupLaw *law, const SupSvdd *F, SupMat3d *out_P);

/* The stiffness dP/dF as modes: dP = sum_k value[k] <mode[k], dF> mode[k]; P and w come along. An
 * elastic one has nine, three stretches, three twists and three flips, orthonormal; a tenth is
 * there for what acts on the trace. */
#define SUP_STIFFNESS_TRACE 9
#define SUP_STIFFNESS_MODES 10
typedef struct SupStiffness {
  double value[SUP_STIFFNESS_MODES];
  SupMat3d mode[SUP_STIFFNESS_MODES];
  SupMat3d P;
  double energy;
} SupStiffness;

/* With `project` negative values become zero: the nearest positive semi-definite stiffness. The
 * tenth value is zero, its mode is not set. */
void sup_law_stiffness(const SupLaw *law, const SupSvdd *F, bool project,
                       SupStiffness *out_stiffness);

#endif
