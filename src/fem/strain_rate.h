/* SPDX-License-Identifier: MIT */
/*
 * Damping of one element: energy, stress and stiffness as functions of its deformation gradient F.
 *
 * What is damped is the rate of the stretch S of F = R S (R a rotation, S symmetric): a rotation of
 * the element, strained or not, is free. Near rest it is `damping` times the elastic stiffness.
 */
#ifndef SUP_SRC_FEM_STRAIN_RATE_H
#define SUP_SRC_FEM_STRAIN_RATE_H

#include "fem/constitutive.h"

/* A symmetric matrix as six numbers: xx, yy, zz, yz, zx, xy. */
typedef struct SupStretch {
  double m[6];
} SupStretch;

/* What damps an element during one step: the energy density mu |D|^2 + lambda/2 tr(D)^2 with
 * D = S - still, so that the stress is linear in the rate of S. */
typedef struct SupStrainRate {
  double mu,
      lambda;       /* Pa: Lame's constants times damping and d rate / d position; mu 0: undamped */
  SupStretch still; /* the stretch that has no rate: of the steps before */
} SupStrainRate;

/* S of F = U diag(s) V^T: V diag(s) V^T. */
SupStretch sup_stretch(const SupSvdd *svd);

/* Adds the stress to *io_P; returns the energy density (Pa). */
double sup_strain_rate_stress(const SupStrainRate *rate, const SupSvdd *svd, SupMat3d *io_P);

/* Adds stress, energy density and the positive semi-definite part of the stiffness: that of S
 * being linear in F (Gauss, Newton). What is left out is a fraction |D| of it. Elastic flips below
 * 0 are taken for 0. */
void sup_strain_rate_stiffness(const SupStrainRate *rate, const SupSvdd *svd,
                               SupStiffness *io_stiffness);

/* The second derivative of the energy density along two changes of F: exact, for comparisons. May
 * be negative along one change taken twice. */
double sup_strain_rate_curvature(const SupStrainRate *rate, const SupSvdd *svd, const SupMat3d *dF,
                                 const SupMat3d *dG);

#endif
