/* SPDX-License-Identifier: MIT */
/*
 * Patch files from JSON.
 *
 * Keys may come in any order, so names are read first and looked up when the whole file is known.
 */
#include <stdlib.h>
#include <string.h>

#include "io/patch_zones.h"
#include "supple/io/file.h"
#include "supple/io/patch_file.h"

/* A boundary and a patch as their keys say them. */
typedef struct RawBoundary {
  SupPatchPlanBoundary base;
  const char *from, *to;
  const SupVec3d *through;
  uint32_t through_count, weight_count;
  bool bent, led; /* has points, places to go through */
} RawBoundary;

typedef struct RawPatch {
  SupPatchName base;
  const char *const *boundaries; /* [base.boundary_count] */
} RawPatch;

typedef struct Whole {
  SupPatchPlan plan;
  const SupPatchPlanFeature *features;
  const RawBoundary *boundaries;
  const RawPatch *patches;
} Whole;

static SupResult refuse(const SupJsonReading *r, uint32_t line, const char *what, const char *name,
                        const char *fault) {
  return sup_fail(r->error, SUP_ERROR_FORMAT, "%s, line %u: %s '%s' %s", r->path, line, what, name,
                  fault);
}

static SupResult read_list(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                           const json_t *value, size_t size,
                           SupResult (*read)(SupJsonReading *, const json_t *, void *),
                           void **out_items, uint32_t *out_count) {
  if (json_array_size(value) > SUP_PATCH_PLAN_MAX) {
    return sup_json_refuse(r, field, object, value, "a list of no more than 10000");
  }
  return sup_json_list(r, field, object, value, size, read, out_items, out_count);
}

/* ---- Features ------------------------------------------------------------------------------- */

static SupResult read_index(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  const json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
  if (n < 0 || n >= SUP_NONE) {
    return sup_json_refuse(r, field, object, value, "a whole number from 0 on");
  }
  *(uint32_t *)into = (uint32_t)n;
  return SUP_OK;
}

static SupResult read_feature(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"name", sup_json_name, offsetof(SupPatchPlanFeature, name), true},
      {"vertex", read_index, offsetof(SupPatchPlanFeature, vertex), false},
      {"position", sup_json_vector, offsetof(SupPatchPlanFeature, position), false},
      {"joint", sup_json_name, offsetof(SupPatchPlanFeature, joint), false},
      {"direction", sup_json_vector, offsetof(SupPatchPlanFeature, direction), false}};
  SupPatchPlanFeature *f = into;
  f->line = sup_json_line(r, object, NULL);
  SupResult result =
      sup_json_object(r, object, "a feature", fields, sizeof fields / sizeof *fields, into);
  if (result != SUP_OK) return result;
  const bool vertex = json_object_get(object, "vertex"),
             position = json_object_get(object, "position"), joint = f->joint,
             direction = json_object_get(object, "direction");
  if (joint != direction || (joint ? vertex || position : !vertex && !position)) {
    return refuse(r, f->line, "feature", f->name,
                  "needs \"vertex\", \"position\" or both, or \"joint\" with \"direction\"");
  }
  f->place = joint ? SUP_PATCH_AT_LANDMARK : vertex ? SUP_PATCH_AT_VERTEX : SUP_PATCH_AT_POSITION;
  f->no_position = !position;
  return SUP_OK;
}

static SupResult read_features(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                               const json_t *value, void *into) {
  Whole *whole = into;
  void *items;
  SupResult result = read_list(r, field, object, value, sizeof(SupPatchPlanFeature), read_feature,
                               &items, &whole->plan.feature_count);
  if (result == SUP_OK) whole->features = items;
  return result;
}

/* ---- Boundaries ----------------------------------------------------------------------------- */

static SupResult read_kind(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                           const json_t *value, void *into) {
  static const char *const names[] = {"edges", "geodesic", "curve", "rim"};
  size_t choice;
  SupResult result = sup_json_choice(r, field, object, value, names, 4, &choice);
  if (result == SUP_OK) ((RawBoundary *)into)->base.kind = (SupPatchPathKind)choice;
  return result;
}

static SupResult read_points(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                             const json_t *value, void *into) {
  RawBoundary *raw = into;
  raw->bent = true;
  return sup_json_vectors(r, field, object, value, &raw->base.points, &raw->base.point_count);
}

static SupResult read_through(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                              const json_t *value, void *into) {
  RawBoundary *raw = into;
  raw->led = true;
  return sup_json_vectors(r, field, object, value, &raw->through, &raw->through_count);
}

static SupResult read_weights(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                              const json_t *value, void *into) {
  RawBoundary *raw = into;
  const size_t count = json_array_size(value);
  bool numbers = json_is_array(value) && count && count <= SUP_PATCH_POINTS_MAX;
  double *weights = SUP_ALLOC(r->arena, double, numbers ? count : 0);
  if (!weights) return sup_fail_memory(r->error, r->path);
  for (size_t k = 0; k < count && numbers; k++) {
    numbers = json_is_number(json_array_get(value, k));
    weights[k] = json_number_value(json_array_get(value, k));
  }
  if (!numbers) return sup_json_refuse(r, field, object, value, "a list of numbers");
  raw->base.weights = weights;
  raw->weight_count = (uint32_t)count;
  return SUP_OK;
}

static SupResult read_boundary(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"name", sup_json_name, offsetof(RawBoundary, base.name), true},
      {"from", sup_json_name, offsetof(RawBoundary, from), true},
      {"to", sup_json_name, offsetof(RawBoundary, to), true},
      {"kind", read_kind, 0, true},
      {"through", read_through, 0, false},
      {"points", read_points, 0, false},
      {"weights", read_weights, 0, false}};
  RawBoundary *raw = into;
  raw->base.line = sup_json_line(r, object, NULL);
  SupResult result =
      sup_json_object(r, object, "a boundary", fields, sizeof fields / sizeof *fields, into);
  if (result != SUP_OK) return result;
  const bool curve = raw->base.kind == SUP_PATCH_CURVE, rim = raw->base.kind == SUP_PATCH_RIM;
  const char *fault = raw->led && (curve || rim) ? "goes \"through\" places: no curve or rim does"
                      : curve != raw->bent       ? "has \"points\" if it is a curve, else not"
                      : raw->base.weights && !curve ? "has \"weights\", but is no curve"
                      : raw->base.weights && raw->weight_count != raw->base.point_count
                          ? "needs as many \"weights\" as \"points\""
                          : NULL;
  if (fault) return refuse(r, raw->base.line, "boundary", raw->base.name, fault);
  if (raw->led) {
    raw->base.points = raw->through;
    raw->base.point_count = raw->through_count;
  }
  return SUP_OK;
}

static SupResult read_boundaries(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                                 const json_t *value, void *into) {
  Whole *whole = into;
  void *items;
  SupResult result = read_list(r, field, object, value, sizeof(RawBoundary), read_boundary, &items,
                               &whole->plan.boundary_count);
  if (result == SUP_OK) whole->boundaries = items;
  return result;
}

/* ---- Patches -------------------------------------------------------------------------------- */

static SupResult read_name(SupJsonReading *r, const json_t *value, void *into) {
  static const SupJsonField field = {"boundaries", sup_json_name, 0, true};
  if (json_is_string(value)) return sup_json_name(r, &field, value, value, into);
  return sup_json_refuse(r, &field, value, value, "a list of names");
}

static SupResult read_names(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  RawPatch *raw = into;
  void *items;
  SupResult result = read_list(r, field, object, value, sizeof(const char *), read_name, &items,
                               &raw->base.boundary_count);
  if (result == SUP_OK) raw->boundaries = items;
  return result;
}

static SupResult read_patch(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"name", sup_json_name, offsetof(RawPatch, base.name), true},
      {"zone", sup_json_text, offsetof(RawPatch, base.zone), false},
      {"boundaries", read_names, 0, true}};
  RawPatch *raw = into;
  raw->base.zone = "";
  raw->base.line = sup_json_line(r, object, NULL);
  return sup_json_object(r, object, "a patch", fields, sizeof fields / sizeof *fields, into);
}

static SupResult read_patches(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                              const json_t *value, void *into) {
  Whole *whole = into;
  void *items;
  SupResult result = read_list(r, field, object, value, sizeof(RawPatch), read_patch, &items,
                               &whole->plan.name_count);
  if (result == SUP_OK) whole->patches = items;
  return result;
}

static SupResult read_zones(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  SupPatchPlan *plan = &((Whole *)into)->plan;
  return sup_patch_read_zones(r, field, object, value, &plan->zones, &plan->zone_count);
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* A name and the number of what it is the name of. */
typedef struct Named {
  const char *name;
  uint32_t number;
} Named;

static int by_name(const void *a, const void *b) {
  return strcmp(((const Named *)a)->name, ((const Named *)b)->name);
}

/* Names of count structs, sorted: `first` points to the first one's name. NULL if memory is short.
 */
static const Named *sort_names(SupArena *arena, const void *first, size_t stride, uint32_t count) {
  Named *named = SUP_ALLOC(arena, Named, count);
  if (!named) return NULL;
  for (uint32_t k = 0; k < count; k++) {
    named[k] = (Named){*(const char *const *)((const char *)first + k * stride), k};
  }
  if (count) qsort(named, count, sizeof *named, by_name);
  return named;
}

static SupResult find_name(const SupJsonReading *r, const Named *named, uint32_t count,
                           const char *kind, const char *name, const char *holder,
                           const char *holder_name, uint32_t line, uint32_t *out_number) {
  const Named key = {name, 0};
  const Named *found = count ? bsearch(&key, named, count, sizeof key, by_name) : NULL;
  if (!found) {
    char hint[96];
    const char *nearest =
        sup_nearest_member(name, count ? &named[0].name : NULL, sizeof *named, count);
    return sup_fail(r->error, SUP_ERROR_FORMAT, "%s, line %u: there is no %s '%s' for %s '%s'%s",
                    r->path, line, kind, name, holder, holder_name,
                    sup_did_you_mean(hint, sizeof hint, nearest));
  }
  *out_number = found->number;
  return SUP_OK;
}

static SupResult join_boundaries(SupJsonReading *r, Whole *whole) {
  const uint32_t features = whole->plan.feature_count, count = whole->plan.boundary_count;
  const Named *named = sort_names(r->arena, features ? &whole->features[0].name : NULL,
                                  sizeof *whole->features, features);
  SupPatchPlanBoundary *boundaries = SUP_ALLOC(r->arena, SupPatchPlanBoundary, count);
  if (!named || !boundaries) return sup_fail_memory(r->error, r->path);
  for (uint32_t k = 0; k < count; k++) {
    const RawBoundary *raw = &whole->boundaries[k];
    const SupPatchPlanBoundary *b = &raw->base;
    boundaries[k] = *b;
    SupResult result = find_name(r, named, features, "feature", raw->from, "boundary", b->name,
                                 b->line, &boundaries[k].from);
    if (result == SUP_OK) {
      result = find_name(r, named, features, "feature", raw->to, "boundary", b->name, b->line,
                         &boundaries[k].to);
    }
    if (result != SUP_OK) return result;
  }
  whole->plan.features = whole->features;
  whole->plan.boundaries = boundaries;
  return SUP_OK;
}

static SupResult join_patches(SupJsonReading *r, Whole *whole) {
  const uint32_t boundaries = whole->plan.boundary_count, count = whole->plan.name_count;
  const Named *named = sort_names(r->arena, boundaries ? &whole->plan.boundaries[0].name : NULL,
                                  sizeof *whole->plan.boundaries, boundaries);
  SupPatchName *names = SUP_ALLOC(r->arena, SupPatchName, count);
  if (!named || !names) return sup_fail_memory(r->error, r->path);
  for (uint32_t k = 0; k < count; k++) {
    const RawPatch *raw = &whole->patches[k];
    uint32_t *list = SUP_ALLOC(r->arena, uint32_t, raw->base.boundary_count);
    if (!list) return sup_fail_memory(r->error, r->path);
    for (uint32_t i = 0; i < raw->base.boundary_count; i++) {
      SupResult result = find_name(r, named, boundaries, "boundary", raw->boundaries[i], "patch",
                                   raw->base.name, raw->base.line, &list[i]);
      if (result != SUP_OK) return result;
    }
    names[k] = raw->base;
    names[k].boundaries = list;
  }
  whole->plan.names = names;
  return SUP_OK;
}

/* ---- The whole ------------------------------------------------------------------------------ */

static SupResult read_version(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                              const json_t *value, void *into) {
  (void)into;
  if (json_is_integer(value) && json_integer_value(value) == 1) return SUP_OK;
  return sup_json_refuse(r, field, object, value, "1: this program reads version 1 of patch files");
}

static SupResult read_whole(SupJsonReading *r, const json_t *root, Whole *whole) {
  static const SupJsonField fields[] = {
      {"patch_file", read_version, 0, true},
      {"vertex_count", read_index, offsetof(Whole, plan.vertex_count), false},
      {"features", read_features, 0, true},
      {"boundaries", read_boundaries, 0, true},
      {"patches", read_patches, 0, false},
      {"zones", read_zones, 0, false}};
  SupResult result =
      sup_json_object(r, root, "a patch file", fields, sizeof fields / sizeof *fields, whole);
  if (result == SUP_OK) result = join_boundaries(r, whole);
  return result == SUP_OK ? join_patches(r, whole) : result;
}

SupResult sup_patch_file_parse(SupArena *arena, const char *text, size_t bytes, const char *path,
                               SupPatchPlan *out_plan, SupError *error) {
  SupJsonReading r = {.arena = arena, .path = path, .error = error};
  Whole whole = {.plan = {.vertex_count = 0}};
  json_t *root;
  SupResult result = sup_json_copy(&r, path, &whole.plan.source);
  if (result == SUP_OK) result = sup_json_read_placed(&r, text, bytes, &root);
  if (result != SUP_OK) return result;
  result = read_whole(&r, root, &whole);
  json_decref(root);
  if (result == SUP_OK) result = sup_patch_plan_check(&whole.plan, error);
  if (result == SUP_OK) *out_plan = whole.plan;
  return result;
}

SupResult sup_patch_file_read(SupArena *arena, const char *path, SupPatchPlan *out_plan,
                              SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  return sup_patch_file_parse(arena, (const char *)data, bytes, path, out_plan, error);
}
