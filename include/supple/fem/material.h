/* SPDX-License-Identifier: MIT */
/*
 * Supple: what flesh is made of.
 */
#ifndef SUPPLE_FEM_MATERIAL_H
#define SUPPLE_FEM_MATERIAL_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupMaterialKind {
  SUP_MATERIAL_COROTATIONAL, /* linear in a frame that turns with the element (Mueller, Gross 2004)
                              */
  SUP_MATERIAL_STVK,         /* St. Venant-Kirchhoff with its own volume term (Hahn et al. 2013) */
  SUP_MATERIAL_NEO_HOOKEAN   /* stable neo-Hookean (Smith et al. 2018): survives inversion */
} SupMaterialKind;

/* A material as people speak of it. */
typedef struct SupMaterialDef {
  SupMaterialKind kind;
  double young;      /* Pa, > 0: how stiff */
  double poisson;    /* -1 < nu < 0.5: 0.45 keeps its volume well, flesh is 0.4 to 0.49 */
  double density;    /* kg / m^3, > 0 */
  double damping;    /* seconds: of the strain; near rest the damping ratio = damping * pi * Hz */
  double drag;       /* 1 / second: of motion relative to the bones; ratio = drag / (4 pi Hz) */
  double stiffening; /* 0 for none: energy w becomes w + stiffening w^2 / (2 mu) */
} SupMaterialDef;

/* A preset by name: "fat", "muscle", "jelly", "rubber". SUP_ERROR_ARGUMENT with the list of names
 * otherwise. */
SupResult sup_material_preset(const char *name, SupMaterialDef *out_material, SupError *error);

/* Checks the ranges above; the sentence says which number is wrong. */
SupResult sup_material_check(const SupMaterialDef *material, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
