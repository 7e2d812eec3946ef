/* SPDX-License-Identifier: MIT */
/*
 * Energy and stress of an element without its singular values.
 *
 * Singular values cost more than everything else that an energy needs. It needs only the rotation R
 * and the stretch S of F = R S, which a few Newton steps give. Stiffness needs them all
 * (constitutive.h, strain_rate.h), and so does an element that is nearly flat or inside out.
 */
#ifndef SUP_SRC_FEM_POLAR_H
#define SUP_SRC_FEM_POLAR_H

#include "fem/strain_rate.h"

typedef struct SupPolar {
  SupMat3d F, R;
  SupMat3d cofactor; /* dJ/dF */
  double J;          /* det F */
  SupStretch S;
} SupPolar;

/* F = R S, to a few units in the last place. False where the element is nearly flat or inside out.
 */
bool sup_polar(const SupMat3d *F, SupPolar *out_polar);

/* As sup_law_stress and sup_strain_rate_stress; the latter adds. */
double sup_polar_stress(const SupLaw *law, const SupPolar *polar, SupMat3d *out_P);
double sup_polar_rate_stress(const SupStrainRate *rate, const SupPolar *polar, SupMat3d *io_P);

#endif
