/* SPDX-License-Identifier: MIT */
/*
 * Free-form deformation by a lattice (Sederberg and Parry 1986), bound at rest.
 *
 *   x' = x + A sum_ijk B_i(s) B_j(t) B_k(u) d_ijk     B: Bernstein polynomials of the place (s, t,
 * u)
 *
 * in the box; A is the linear part of the bone that carries the lattice, the identity without one.
 * Linear in d: before skinning it is a set of morph targets.
 */
#include <math.h>

#include "rig/layers.h"
#include "rig/rig_names.h"

#define POINTS_MAX 16u

/* The Bernstein polynomials of degree n - 1 at t: out[n], by repeated blending. */
static void bernstein(uint32_t n, double t, double *out) {
  out[0] = 1;
  for (uint32_t degree = 1; degree < n; degree++) {
    double carry = 0;
    for (uint32_t k = 0; k < degree; k++) {
      const double old = out[k];
      out[k] = carry + (1 - t) * old;
      carry = t * old;
    }
    out[degree] = carry;
  }
}

/* Where x lies in the box, 0 to 1 along each axis; false outside. */
static bool place(const SupRigLayer *def, SupVec3d x, double out[3]) {
  out[0] = (x.x - def->low.x) / (def->high.x - def->low.x);
  out[1] = (x.y - def->low.y) / (def->high.y - def->low.y);
  out[2] = (x.z - def->low.z) / (def->high.z - def->low.z);
  for (int k = 0; k < 3; k++) {
    if (!(out[k] >= 0 && out[k] <= 1)) return false;
  }
  return true;
}

static SupResult check(const SupRigLayer *def, const char *where, SupError *error) {
  const double size[3] = {def->high.x - def->low.x, def->high.y - def->low.y,
                          def->high.z - def->low.z};
  for (int k = 0; k < 3; k++) {
    if (!(size[k] > 0) || !isfinite(size[k])) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "lattice '%s'%s: every number of its low corner must be below that of its "
                      "high corner",
                      def->name, where);
    }
    if (def->points[k] < 2 || def->points[k] > POINTS_MAX) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "lattice '%s'%s: it must have 2 to %u points along each axis", def->name,
                      where, POINTS_MAX);
    }
  }
  return SUP_OK;
}

static void weigh(const SupRigLayer *def, SupVec3d x, const SupRigLattice *lattice, double *out) {
  double at[3], b[3][POINTS_MAX];
  place(def, x, at);
  for (int k = 0; k < 3; k++) bernstein(def->points[k], at[k], b[k]);
  for (uint32_t d = 0; d < lattice->driven_count; d++) {
    const uint32_t n = lattice->driven[d], row = n / def->points[0];
    out[d] = b[0][n % def->points[0]] * b[1][row % def->points[1]] * b[2][row / def->points[1]];
  }
}

SupResult sup_rig_lattice_create(SupArena *arena, const SupRigLayer *def, uint32_t vertex_count,
                                 const SupVec3d *rest, const uint8_t *driven,
                                 SupRigLattice *out_lattice, SupError *error) {
  char where[32];
  double at[3];
  sup_rig_line(where, sizeof where, def->line);
  SupResult result = check(def, where, error);
  if (result != SUP_OK) return result;
  const uint32_t points = def->points[0] * def->points[1] * def->points[2];
  for (uint32_t n = 0; n < points; n++) out_lattice->driven_count += driven[n] != 0;
  for (uint32_t v = 0; v < vertex_count; v++) out_lattice->bound_count += place(def, rest[v], at);
  out_lattice->driven = SUP_ALLOC(arena, uint32_t, out_lattice->driven_count);
  out_lattice->bound = SUP_ALLOC(arena, uint32_t, out_lattice->bound_count);
  out_lattice->weights =
      SUP_ALLOC(arena, double, (size_t)out_lattice->bound_count * out_lattice->driven_count);
  if (!out_lattice->driven || !out_lattice->bound || !out_lattice->weights) {
    return sup_fail_memory(error, "the rig");
  }
  uint32_t count = 0;
  for (uint32_t n = 0; n < points; n++) {
    if (driven[n]) out_lattice->driven[count++] = n;
  }
  count = 0;
  for (uint32_t v = 0; v < vertex_count; v++) {
    if (!place(def, rest[v], at)) continue;
    weigh(def, rest[v], out_lattice,
          &out_lattice->weights[(size_t)count * out_lattice->driven_count]);
    out_lattice->bound[count++] = v;
  }
  return SUP_OK;
}

static SupVec3d sum3(const SupRigLattice *lattice, const double *weights, const double *channels) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t d = 0; d < lattice->driven_count; d++) {
    const double *c = &channels[lattice->first_channel + 3 * lattice->driven[d]];
    sum = sup_vec3d_add_scaled(sum, (SupVec3d){c[0], c[1], c[2]}, weights[d]);
  }
  return sum;
}

void sup_rig_lattice_apply(const SupRigLattice *lattice, SupRigEvaluation *evaluation) {
  for (uint32_t i = 0; i < lattice->bound_count; i++) {
    const double *weights = &lattice->weights[(size_t)i * lattice->driven_count];
    const uint32_t v = lattice->bound[i];
    SupDual3 shift = {sum3(lattice, weights, evaluation->channels), {0, 0, 0}};
    if (evaluation->moving) shift.d = sum3(lattice, weights, evaluation->rates);
    if (lattice->bone >= 0) {
      shift = sup_dual_affine_direction(&evaluation->palette[lattice->bone], shift);
    }
    evaluation->x[v] = sup_vec3d_add(evaluation->x[v], shift.v);
    if (evaluation->moving) evaluation->dx[v] = sup_vec3d_add(evaluation->dx[v], shift.d);
  }
}
