/* SPDX-License-Identifier: MIT */
/* Any rig: its check, its parameters, its answers. */
#include "supple/rig/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scratch.h"
#include "rig/rig_names.h"

/* ---- Check ---------------------------------------------------------------------------------- */

static SupResult refuse(const SupRigParameter *p, SupError *error, const char *what) {
  char where[32];
  return sup_fail(error, SUP_ERROR_FORMAT, "parameter '%s'%s: %s", p->name,
                  sup_rig_line(where, sizeof where, p->line), what);
}

static SupResult check_parameter(const SupRigParameter *p, uint32_t k, SupError *error) {
  if (!p->name || !p->name[0]) {
    return sup_fail(error, SUP_ERROR_FORMAT, "parameter %u of the rig has no name", k);
  }
  if (!p->zone) return refuse(p, error, "its zone must be a name, maybe an empty one");
  if (!isfinite(p->rest)) return refuse(p, error, "its rest value must be a finite number");
  if (!(p->low < p->high)) {
    return refuse(p, error, "its range must go from a number to a larger one");
  }
  if (p->rest < p->low || p->rest > p->high) {
    char where[32];
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "parameter '%s'%s: its range, %g to %g, excludes its rest value %g; widen it",
                    p->name, sup_rig_line(where, sizeof where, p->line), p->low, p->high, p->rest);
  }
  if (!(p->scale > 0) || !isfinite(p->scale)) {
    return refuse(p, error, "its scale must be a finite number above 0");
  }
  if (p->role != SUP_RIG_FREE && p->role != SUP_RIG_SCRIPTED && p->role != SUP_RIG_LOCKED) {
    return refuse(p, error, "its role must be free, scripted or locked");
  }
  return SUP_OK;
}

static int by_name(const void *a, const void *b) {
  const SupRigParameter *p = *(const SupRigParameter *const *)a;
  const SupRigParameter *q = *(const SupRigParameter *const *)b;
  int order = strcmp(p->name, q->name);
  return order ? order : (p > q) - (p < q);
}

static SupResult check_names(const SupRig *rig, SupArena *scratch, SupError *error) {
  const SupRigParameter **sorted =
      SUP_ALLOC(scratch, const SupRigParameter *, rig->parameter_count);
  if (!sorted) return sup_fail_memory(error, "the rig");
  for (uint32_t k = 0; k < rig->parameter_count; k++) sorted[k] = &rig->parameters[k];
  qsort(sorted, rig->parameter_count, sizeof *sorted, by_name);
  for (uint32_t k = 1; k < rig->parameter_count; k++) {
    if (strcmp(sorted[k - 1]->name, sorted[k]->name) == 0) {
      return refuse(sorted[k], error, "another parameter has the same name");
    }
  }
  return SUP_OK;
}

SupResult sup_rig_check(const SupArena *arena, const SupRig *rig, SupError *error) {
  if (rig->vertex_count == 0) return sup_fail(error, SUP_ERROR_FORMAT, "the rig has no vertices");
  if (rig->parameter_count == 0 || rig->parameter_count > SUP_RIG_PARAMETERS_MAX) {
    return sup_fail(error, SUP_ERROR_FORMAT, "the rig has %u parameters; it must have 1 to %u",
                    rig->parameter_count, SUP_RIG_PARAMETERS_MAX);
  }
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    SupResult result = check_parameter(&rig->parameters[k], k, error);
    if (result != SUP_OK) return result;
  }
  SupArena scratch = sup_scratch(arena);
  SupResult result = check_names(rig, &scratch, error);
  sup_arena_free(&scratch);
  return result;
}

/* ---- Parameters ----------------------------------------------------------------------------- */

void sup_rig_rest(const SupRig *rig, double *out_parameters) {
  for (uint32_t k = 0; k < rig->parameter_count; k++) out_parameters[k] = rig->parameters[k].rest;
}

uint32_t sup_rig_parameters(const SupRig *rig, SupRigRole role, uint32_t *out_indices) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    if (rig->parameters[k].role != role) continue;
    if (out_indices) out_indices[count] = k;
    count++;
  }
  return count;
}

int64_t sup_rig_find(const SupRig *rig, const char *name) {
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    if (strcmp(rig->parameters[k].name, name) == 0) return k;
  }
  return -1;
}

double sup_rig_low(const SupRigParameter *parameter) {
  return fmax(parameter->low, parameter->rest - 2 * parameter->scale);
}

double sup_rig_high(const SupRigParameter *parameter) {
  return fmin(parameter->high, parameter->rest + 2 * parameter->scale);
}

/* ---- Answers -------------------------------------------------------------------------------- */

static bool is_finite(SupVec3d x) { return isfinite(x.x) && isfinite(x.y) && isfinite(x.z); }

SupResult sup_rig_evaluate(const SupRig *rig, uint32_t count, const double *parameters,
                           SupVec3d *out_vertices, SupError *error) {
  for (size_t k = 0; k < (size_t)count * rig->parameter_count; k++) {
    if (isfinite(parameters[k])) continue;
    return sup_fail(error, SUP_ERROR_NUMERIC, "parameter '%s' of the rig is not a finite number",
                    rig->parameters[k % rig->parameter_count].name);
  }
  SupResult result = rig->evaluate(rig->user, count, parameters, out_vertices, error);
  if (result != SUP_OK) return result;
  for (size_t v = 0; v < (size_t)count * rig->vertex_count; v++) {
    if (is_finite(out_vertices[v])) continue;
    return sup_fail(error, SUP_ERROR_NUMERIC,
                    "the rig puts vertex %u at no finite place; check it with these parameters",
                    (uint32_t)(v % rig->vertex_count));
  }
  return SUP_OK;
}
