/* SPDX-License-Identifier: MIT */
/*
 * Supple: what can be done with any rig: check it, ask it, differentiate it.
 */
#ifndef SUPPLE_RIG_RIG_H
#define SUPPLE_RIG_RIG_H

#include "supple/author/rig_def.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Refuses with a sentence that names the parameter: no vertices or parameters, an empty or repeated
 * name, numbers that are not finite, a range that is empty or excludes the rest, a scale that is
 * not positive. Scratch memory as of `arena`. */
SupResult sup_rig_check(const SupArena *arena, const SupRig *rig, SupError *error);

/* The rest values: out_parameters[parameter_count]. */
void sup_rig_rest(const SupRig *rig, double *out_parameters);

/* The numbers of the parameters of a role, rising, in out_indices[parameter_count] (NULL: not
 * wanted); returns how many there are. */
uint32_t sup_rig_parameters(const SupRig *rig, SupRigRole role, uint32_t *out_indices);

/* The number of a parameter, or -1. */
int64_t sup_rig_find(const SupRig *rig, const char *name);

/* Asks the rig, and refuses answers that are not finite (naming the vertex), as well as parameters
 * that are not. Shapes as SupRig.evaluate. */
SupResult sup_rig_evaluate(const SupRig *rig, uint32_t count, const double *parameters,
                           SupVec3d *out_vertices, SupError *error);

/* Derivatives at parameters[parameter_count] by columns[column_count]: the rig's own, or
 * differences where it has none. out_columns[column_count * vertex_count]. */
SupResult sup_rig_jacobian(const SupArena *arena, const SupRig *rig, const double *parameters,
                           uint32_t column_count, const uint32_t *columns, SupVec3d *out_columns,
                           SupError *error);

/* The same by differences always: central with steps of 1e-5 of the scale (1e-2 for rigs of single
 * precision: their rounding would otherwise be half of the answer); where a bound is nearer than
 * the step, one-sided of second order. Two calls per column, of 64 vectors at most. */
SupResult sup_rig_differences(const SupArena *arena, const SupRig *rig, const double *parameters,
                              uint32_t column_count, const uint32_t *columns, SupVec3d *out_columns,
                              SupError *error);

/* Refuses a rig with a free parameter that moves no vertex by more than 1e-9 of the surface's size
 * over its scale: such a parameter makes the step's matrix singular. Tried at rest and, for what
 * has no effect there, at three places within the bounds drawn from `seed`. Names up to three of
 * them. Also refuses a surface that has no size, or a rig that does not answer. */
SupResult sup_rig_check_effects(const SupArena *arena, const SupRig *rig, uint64_t seed,
                                SupError *error);

/* Bounds as they can be used: within [low, high] and, where these are infinite, within two scales
 * of the rest. */
double sup_rig_low(const SupRigParameter *parameter);
double sup_rig_high(const SupRigParameter *parameter);

#ifdef __cplusplus
}
#endif
#endif
