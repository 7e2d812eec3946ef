/* SPDX-License-Identifier: MIT */
/*
 * Supple: painting maps by rule: where, and what to do there.
 *
 * "Where" is a weight in [0, 1] per body vertex. Begin with sup_select_all; every selection
 * multiplies. "What" changes values[vertex_count] by these weights.
 */
#ifndef SUPPLE_AUTHOR_PAINT_H
#define SUPPLE_AUTHOR_PAINT_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Where ----------------------------------------------------------------------------------- */

/* Weight 1 everywhere. */
void sup_select_all(uint32_t count, float *out_weights);

/* 1 at the centre, falling in a straight line to 0 at the radius (> 0). */
void sup_select_sphere(const SupVec3 *positions, uint32_t count, SupVec3 centre, float radius,
                       float *io_weights);

/* The fraction of the joints with marked[joint_count] in the skin weights of each vertex. */
void sup_select_joints(const SupCharacter *character, const bool *marked, float *io_weights);

/* 0 at and below `low`, 1 at and above `high`, a straight line between; the other way round if low
 * is above high. Heights are fractions of the body's own, along y: 0 is its lowest vertex. */
void sup_select_height(const SupVec3 *positions, uint32_t count, float low, float high,
                       float *io_weights);

/* Like a sphere, but along the surface, from the vertex that is nearest to `centre`. `mesh` has the
 * positions to measure with. `arena` gives scratch memory. */
SupResult sup_select_geodesic(SupArena *arena, const SupMesh *mesh, SupVec3 centre, float radius,
                              float *io_weights, SupError *error);

/* 1 - weight. */
void sup_select_invert(uint32_t count, float *io_weights);

/* Rounds the foot and the top of straight lines: 3 w^2 - 2 w^3. */
void sup_select_soften(uint32_t count, float *io_weights);

/* ---- What ------------------------------------------------------------------------------------ */

/* Each blends by weight between the old value and: the given one; old + value; old * value. */
void sup_paint_set(const float *weights, float value, uint32_t count, float *io_values);
void sup_paint_add(const float *weights, float value, uint32_t count, float *io_values);
void sup_paint_scale(const float *weights, float value, uint32_t count, float *io_values);

/* A curve through points: monotone between them (no overshoot), flat beyond the ends. */
typedef struct SupCurve {
  uint32_t count; /* at least 1 */
  const float *x; /* [count] strictly rising */
  const float *y; /* [count] */
} SupCurve;

float sup_curve_at(const SupCurve *curve, float x);

/* The curve's value at the weight of each vertex, where that is above 0 or `everywhere`. */
void sup_paint_curve(const float *weights, const SupCurve *curve, bool everywhere, uint32_t count,
                     float *io_values);

/* Averages over neighbours `rounds` times, as far as the weights say. */
SupResult sup_paint_smooth(SupArena *arena, const SupMesh *mesh, const float *weights,
                           uint32_t rounds, float *io_values, SupError *error);

/* Copies values across the plane x = 0 (axis 0; 1: y, 2: z): vertices on the negative side take
 * what the surface has at their mirror image; with `from_negative` the other way round. Vertices
 * whose image is farther from the surface than a hundredth of the diagonal keep their value;
 * *out_lost says how many. */
SupResult sup_paint_mirror(SupArena *arena, const SupMesh *mesh, uint32_t axis, bool from_negative,
                           const float *weights, float *io_values, uint32_t *out_lost,
                           SupError *error);

#ifdef __cplusplus
}
#endif
#endif
