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

/* First Piola-Kirchhoff stress P = dw/dF; returns the energy density w (Pa). */
double sup_law_stress(const SupLaw *law, const SupMat3d *F, SupMat3d *out_P);

/* The stiffness dP/dF as nine modes: dP = sum_k value[k] <mode[k], dF> mode[k], with orthonormal
 * modes; P and w come along. */
typedef struct SupStiffness {
  double value[9];
  SupMat3d mode[9];
  SupMat3d P;
  double energy;
} SupStiffness;

/* With `project` negative values become zero: the nearest positive semi-definite stiffness. */
void sup_law_stiffness(const SupLaw *law, const SupMat3d *F, bool project,
                       SupStiffness *out_stiffness);

#endif
