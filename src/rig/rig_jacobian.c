/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of any rig by its parameters, and which parameters have none.
 *
 * Steps are fractions of a parameter's scale (docs/techniques/rigspace.md, "Differences"): central
 * with 1e-5 in double precision, where rounding (1e-16 / 1e-5) and curvature (1e-10) meet; 1e-2
 * where the rig answers in floats (1e-7 / 1e-2 against 1e-4).
 */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "rig/rig_names.h"
#include "supple/rig/rig.h"

#define STEP_DOUBLE 1e-5
#define STEP_SINGLE 1e-2
#define VECTORS 64u /* of one call */
#define EFFECT 1e-9
#define PLACES 3u

/* A column's formula: (a[0] s(p) + a[1] s(p + h[0]) + a[2] s(p + h[1])) / step; a[0] is 0 where
 * it is central. */
typedef struct Stencil {
  double h[2], a[3];
} Stencil;

static Stencil stencil_of(const SupRig *rig, uint32_t column, double at) {
  const SupRigParameter *p = &rig->parameters[column];
  const double h = p->scale * (rig->single_precision ? STEP_SINGLE : STEP_DOUBLE);
  if (at + h <= p->high && at - h >= p->low) {
    return (Stencil){{h, -h}, {0, 0.5 / h, -0.5 / h}};
  }
  /* Inwards; two steps fit, or the range is shorter than that and they are shortened. */
  const bool up = p->high - at > at - p->low;
  const double room = up ? p->high - at : at - p->low;
  const double s = (up ? 1 : -1) * fmin(h, 0.5 * room);
  return (Stencil){{s, 2 * s}, {-1.5 / s, 2 / s, -0.5 / s}};
}

static SupResult differences(const SupRig *rig, const double *parameters, uint32_t count,
                             const uint32_t *columns, double *vectors, SupVec3d *answers,
                             const SupVec3d *at_rest, SupVec3d *out, SupError *error) {
  const size_t n = rig->parameter_count, vertices = rig->vertex_count;
  Stencil stencils[VECTORS / 2];
  for (uint32_t c = 0; c < count; c++) {
    stencils[c] = stencil_of(rig, columns[c], parameters[columns[c]]);
    for (int side = 0; side < 2; side++) {
      double *vector = &vectors[(2 * c + (uint32_t)side) * n];
      memcpy(vector, parameters, n * sizeof *vector);
      vector[columns[c]] += stencils[c].h[side];
    }
  }
  SupResult result = sup_rig_evaluate(rig, 2 * count, vectors, answers, error);
  for (uint32_t c = 0; result == SUP_OK && c < count; c++) {
    const double *a = stencils[c].a;
    const SupVec3d *one = &answers[2 * c * vertices], *two = one + vertices;
    for (size_t v = 0; v < vertices; v++) {
      SupVec3d sum = sup_vec3d_add(sup_vec3d_scale(one[v], a[1]), sup_vec3d_scale(two[v], a[2]));
      out[c * vertices + v] = a[0] != 0 ? sup_vec3d_add_scaled(sum, at_rest[v], a[0]) : sum;
    }
  }
  return result;
}

SupResult sup_rig_differences(const SupArena *arena, const SupRig *rig, const double *parameters,
                              uint32_t column_count, const uint32_t *columns, SupVec3d *out_columns,
                              SupError *error) {
  const size_t vertices = rig->vertex_count;
  const uint32_t most = column_count < VECTORS / 2 ? column_count : VECTORS / 2;
  SupArena scratch = sup_scratch(arena);
  double *vectors = SUP_ALLOC(&scratch, double, 2 * (size_t)most * rig->parameter_count);
  SupVec3d *answers = SUP_ALLOC(&scratch, SupVec3d, 2 * most * vertices);
  SupVec3d *here = SUP_ALLOC(&scratch, SupVec3d, vertices);
  SupResult result = SUP_OK;
  if (!vectors || !answers || !here) result = sup_fail_memory(error, "the rig's Jacobian");
  bool one_sided = false;
  for (uint32_t c = 0; c < column_count; c++) {
    one_sided |= stencil_of(rig, columns[c], parameters[columns[c]]).a[0] != 0;
  }
  if (result == SUP_OK && one_sided) result = sup_rig_evaluate(rig, 1, parameters, here, error);
  for (uint32_t first = 0; result == SUP_OK && first < column_count; first += most) {
    const uint32_t count = column_count - first < most ? column_count - first : most;
    result = differences(rig, parameters, count, &columns[first], vectors, answers, here,
                         &out_columns[first * vertices], error);
  }
  sup_arena_free(&scratch);
  return result;
}

static SupResult check_columns(const SupRig *rig, uint32_t column_count, const uint32_t *columns,
                               const SupVec3d *found, SupError *error) {
  for (size_t k = 0; k < (size_t)column_count * rig->vertex_count; k++) {
    if (isfinite(found[k].x) && isfinite(found[k].y) && isfinite(found[k].z)) continue;
    const uint32_t column = columns[k / rig->vertex_count];
    return sup_fail(error, SUP_ERROR_NUMERIC,
                    "the rig's derivative by '%s' is not finite at vertex %u",
                    rig->parameters[column].name, (uint32_t)(k % rig->vertex_count));
  }
  return SUP_OK;
}

SupResult sup_rig_jacobian(const SupArena *arena, const SupRig *rig, const double *parameters,
                           uint32_t column_count, const uint32_t *columns, SupVec3d *out_columns,
                           SupError *error) {
  if (!rig->jacobian) {
    return sup_rig_differences(arena, rig, parameters, column_count, columns, out_columns, error);
  }
  SupResult result =
      rig->jacobian(rig->user, parameters, column_count, columns, out_columns, error);
  if (result != SUP_OK) return result;
  return check_columns(rig, column_count, columns, out_columns, error);
}

/* ---- Effects -------------------------------------------------------------------------------- */

static double size_of(const SupVec3d *x, uint32_t count) {
  SupVec3d low = x[0], high = x[0];
  for (uint32_t v = 1; v < count; v++) {
    low = (SupVec3d){fmin(low.x, x[v].x), fmin(low.y, x[v].y), fmin(low.z, x[v].z)};
    high = (SupVec3d){fmax(high.x, x[v].x), fmax(high.y, x[v].y), fmax(high.z, x[v].z)};
  }
  return sup_vec3d_distance(low, high);
}

/* Keeps of columns[*io_count] those without effect at `parameters`. */
static SupResult keep_idle(const SupArena *arena, const SupRig *rig, const double *parameters,
                           double size, uint32_t *columns, uint32_t *io_count, SupVec3d *column,
                           SupError *error) {
  uint32_t kept = 0;
  for (uint32_t c = 0; c < *io_count; c++) {
    SupResult result = sup_rig_jacobian(arena, rig, parameters, 1, &columns[c], column, error);
    if (result != SUP_OK) return result;
    double most = 0;
    for (uint32_t v = 0; v < rig->vertex_count; v++) {
      most = fmax(most, sup_vec3d_length(column[v]));
    }
    if (most * rig->parameters[columns[c]].scale <= EFFECT * size) columns[kept++] = columns[c];
  }
  *io_count = kept;
  return SUP_OK;
}

static SupResult tell_idle(const SupRig *rig, const uint32_t *columns, uint32_t count,
                           SupError *error) {
  char names[200] = "", where[32];
  size_t length = 0;
  for (uint32_t c = 0; c < count && c < 3 && length < sizeof names; c++) {
    const SupRigParameter *p = &rig->parameters[columns[c]];
    length += sup_format(names + length, sizeof names - length, "%s'%s'%s", c ? ", " : "", p->name,
                         sup_rig_line(where, sizeof where, p->line));
  }
  return sup_fail(error, SUP_ERROR_FORMAT, "free parameter%s %s%s move%s no vertex; lock %s",
                  count > 1 ? "s" : "", names, count > 3 ? " and others" : "", count > 1 ? "" : "s",
                  count > 1 ? "them" : "it");
}

SupResult sup_rig_check_effects(const SupArena *arena, const SupRig *rig, uint64_t seed,
                                SupError *error) {
  SupArena scratch = sup_scratch(arena);
  double *parameters = SUP_ALLOC(&scratch, double, rig->parameter_count);
  uint32_t *columns = SUP_ALLOC(&scratch, uint32_t, rig->parameter_count);
  SupVec3d *x = SUP_ALLOC(&scratch, SupVec3d, rig->vertex_count);
  SupResult result = SUP_OK;
  double size = 0;
  uint32_t count = 0;
  if (!parameters || !columns || !x) result = sup_fail_memory(error, "the rig");
  if (result == SUP_OK) {
    sup_rig_rest(rig, parameters);
    count = sup_rig_parameters(rig, SUP_RIG_FREE, columns);
    result = sup_rig_evaluate(rig, 1, parameters, x, error);
  }
  if (result == SUP_OK) {
    size = size_of(x, rig->vertex_count);
    if (!(size > 0)) result = sup_fail(error, SUP_ERROR_FORMAT, "the rig's surface has no size");
  }
  SupRng rng = sup_rng(seed, 0);
  for (uint32_t place = 0; place <= PLACES && result == SUP_OK && count > 0; place++) {
    for (uint32_t k = 0; place > 0 && k < rig->parameter_count; k++) {
      const SupRigParameter *p = &rig->parameters[k];
      const double t = 0.25 + 0.5 * sup_rng_double(&rng);
      parameters[k] = sup_rig_low(p) + t * (sup_rig_high(p) - sup_rig_low(p));
    }
    result = keep_idle(arena, rig, parameters, size, columns, &count, x, error);
  }
  if (result == SUP_OK && count > 0) result = tell_idle(rig, columns, count, error);
  sup_arena_free(&scratch);
  return result;
}
