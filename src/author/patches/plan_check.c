/* SPDX-License-Identifier: MIT */
/* What is wrong with a plan by itself. */
#include "patches_work.h"
#include "plan_work.h"

SupResult sup_plan_prefix(const SupPatchPlan *plan, uint32_t line, SupResult result,
                          SupError *error) {
  return sup_patch_prefix(plan->source, line, result, error);
}

static SupResult refuse(const SupPatchPlan *plan, uint32_t line, const char *what, const char *name,
                        const char *fault, SupError *error) {
  sup_fail(error, SUP_ERROR_FORMAT, "%s '%s' %s", what, name, fault);
  return sup_plan_prefix(plan, line, SUP_ERROR_FORMAT, error);
}

/* Its square as well, as a float. */
static bool finite_number(double x) { return x > -1e15 && x < 1e15; }

static bool finite(SupVec3d p) {
  return finite_number(p.x) && finite_number(p.y) && finite_number(p.z);
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Names and lines of items of one kind, `stride` bytes apart. */
typedef struct Items {
  const char *what;
  uint32_t count;
  const void *first_name;
  const void *first_line;
  size_t stride;
} Items;

static const char *name_at(const Items *items, uint32_t k) {
  return *(const char *const *)((const char *)items->first_name + k * items->stride);
}

static uint32_t line_at(const Items *items, uint32_t k) {
  return *(const uint32_t *)((const char *)items->first_line + k * items->stride);
}

static SupResult check_names(const SupPatchPlan *plan, const Items *items, SupError *error) {
  if (items->count > SUP_PATCH_PLAN_MAX) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s has %u %ss; %u are the most", plan->source,
                    items->count, items->what, SUP_PATCH_PLAN_MAX);
  }
  for (uint32_t k = 0; k < items->count; k++) {
    const char *name = name_at(items, k);
    if (!name || !*name) {
      return refuse(plan, line_at(items, k), items->what, "", "needs a name", error);
    }
    for (uint32_t i = 0; i < k; i++) {
      if (!sup_string_equal(name_at(items, i), name)) continue;
      sup_fail(error, SUP_ERROR_FORMAT, "another %s is called '%s'", items->what, name);
      return sup_plan_prefix(plan, line_at(items, k), SUP_ERROR_FORMAT, error);
    }
  }
  return SUP_OK;
}

#define ITEMS(what, list, count)                                       \
  {                                                                    \
    what, count, (count) ? (const void *)&(list)[0].name : NULL,       \
        (count) ? (const void *)&(list)[0].line : NULL, sizeof *(list) \
  }

static SupResult check_all_names(const SupPatchPlan *plan, SupError *error) {
  const Items kinds[4] = {ITEMS("feature", plan->features, plan->feature_count),
                          ITEMS("boundary", plan->boundaries, plan->boundary_count),
                          ITEMS("patch", plan->names, plan->name_count),
                          ITEMS("zone", plan->zones, plan->zone_count)};
  SupResult result = SUP_OK;
  for (unsigned k = 0; k < 4 && result == SUP_OK; k++) result = check_names(plan, &kinds[k], error);
  return result;
}

/* ---- Items ---------------------------------------------------------------------------------- */

static SupResult check_feature(const SupPatchPlan *plan, const SupPatchPlanFeature *f,
                               SupError *error) {
  const SupVec3d d = f->direction;
  const char *fault = NULL;
  if (f->place > SUP_PATCH_AT_LANDMARK) fault = "has a place of no known kind";
  if (f->place != SUP_PATCH_AT_LANDMARK && !f->no_position && !finite(f->position)) {
    fault = "has a position that is not finite";
  }
  if (f->place == SUP_PATCH_AT_POSITION && f->no_position) fault = "needs a position";
  if (f->place == SUP_PATCH_AT_LANDMARK) {
    if (!f->joint || !*f->joint) fault = "needs a joint";
    if (!finite(d) || !(sup_vec3d_dot(d, d) > 0)) {
      fault = "needs a direction that is not zero";
    }
  }
  return fault ? refuse(plan, f->line, "feature", f->name, fault, error) : SUP_OK;
}

static SupResult check_boundary(const SupPatchPlan *plan, const SupPatchPlanBoundary *b,
                                SupError *error) {
  const char *fault = NULL;
  const uint32_t least = b->kind == SUP_PATCH_CURVE ? 2 : 0;
  const uint32_t most = b->kind == SUP_PATCH_RIM ? 0 : SUP_PATCH_POINTS_MAX;
  for (uint32_t k = 0; k < b->point_count && b->point_count <= most; k++) {
    if (!finite(b->points[k])) fault = "has a point that is not finite";
    const double w = b->weights ? b->weights[k] : 1;
    if (!(w >= 1e-9 && w <= 1e9)) fault = "has a weight that is not between 1e-9 and 1e9";
    if (!(w > 0)) fault = "has a weight that is not above 0";
  }
  if (b->kind > SUP_PATCH_RIM) fault = "has a path of no known kind";
  if (b->from >= plan->feature_count || b->to >= plan->feature_count) {
    fault = "ends at a feature that there is not";
  } else if (b->from == b->to && b->kind != SUP_PATCH_RIM) {
    fault = "ends where it begins";
  }
  if (b->point_count < least || b->point_count > most) {
    fault = least  ? "needs 2 to 64 control points"
            : most ? "goes through more than 64 places"
                   : "goes along an open border: it has no points";
  }
  if (b->weights && b->kind != SUP_PATCH_CURVE) fault = "is no curve: it has no weights";
  return fault ? refuse(plan, b->line, "boundary", b->name, fault, error) : SUP_OK;
}

static SupResult check_patch(const SupPatchPlan *plan, const SupPatchName *p, SupError *error) {
  bool known = !p->zone || !*p->zone;
  for (uint32_t k = 0; k < plan->zone_count && !known; k++) {
    known = sup_string_equal(plan->zones[k].name, p->zone);
  }
  if (!known) {
    char hint[96];
    const char *nearest =
        sup_nearest_member(p->zone, plan->zone_count ? &plan->zones[0].name : NULL,
                           sizeof *plan->zones, plan->zone_count);
    sup_fail(error, SUP_ERROR_FORMAT, "there is no zone '%s' for patch '%s'%s", p->zone, p->name,
             sup_did_you_mean(hint, sizeof hint, nearest));
    return sup_plan_prefix(plan, p->line, SUP_ERROR_FORMAT, error);
  }
  if (p->boundary_count == 0) {
    return refuse(plan, p->line, "patch", p->name, "needs boundaries", error);
  }
  for (uint32_t k = 0; k < p->boundary_count; k++) {
    if (p->boundaries[k] < plan->boundary_count) continue;
    return refuse(plan, p->line, "patch", p->name, "has a boundary that there is not", error);
  }
  return SUP_OK;
}

/* ---- Zones ---------------------------------------------------------------------------------- */

#define LEAST_SLICES 3  /* one between both ends */
#define MOST_SLICES 256 /* as SUP_CHUNK_MOST_SLICES */
#define MOST_LEVELS 5   /* as SUP_SLICE_MOST_LEVELS */

SupPatchFlesh sup_patch_flesh(void) { return (SupPatchFlesh){.levels = SUP_NONE}; }

static const char *fault_of(const SupPatchZone *zone) {
  const SupPatchFlesh *f = zone->flesh;
  const bool solid = zone->kind == SUP_PATCH_ZONE_SOLID;
  const bool stratum = zone->kind == SUP_PATCH_ZONE_STRATUM;
  if (f->bone[0] && !solid) return "has a bone, but is not solid";
  if ((f->depth != 0 || f->shell_count) && !stratum) return "has a shell, but is no stratum";
  if ((f->poisson != 0 || f->slices || f->levels != SUP_NONE) && !solid && !stratum) {
    return "has no flesh to say anything about: it is skinned";
  }
  if (!f->bone[0] != !f->bone[1] || (f->bone[0] && sup_string_equal(f->bone[0], f->bone[1]))) {
    return "needs two different joints for its bone";
  }
  if (!(f->depth >= 0 && finite_number(f->depth))) return "has a depth that is not above 0";
  if (!(f->poisson >= 0 && f->poisson < 0.5)) return "has a Poisson's ratio outside 0 to 0.5";
  if (f->slices && (f->slices < LEAST_SLICES || f->slices > MOST_SLICES)) {
    return "may have 3 to 256 slices";
  }
  if (f->levels != SUP_NONE && f->levels > MOST_LEVELS) return "may have 0 to 5 levels";
  return NULL;
}

static SupResult check_shell_point(const SupPatchPlan *plan, const SupPatchZone *zone,
                                   const SupPatchShellPoint *point, SupError *error) {
  char hint[200];
  uint32_t at = 0;
  while (at < plan->feature_count && !sup_string_equal(plan->features[at].name, point->feature)) {
    at++;
  }
  if (at == plan->feature_count) {
    const char *near = sup_nearest_member(point->feature, at ? &plan->features[0].name : NULL,
                                          sizeof *plan->features, at);
    sup_fail(error, SUP_ERROR_FORMAT, "zone '%s': there is no feature '%s' for its shell%s",
             zone->name, point->feature, sup_did_you_mean(hint, sizeof hint, near));
  } else if (point->placed ? !finite(point->position)
                           : !(point->depth > 0 && finite_number(point->depth))) {
    sup_fail(error, SUP_ERROR_FORMAT,
             "zone '%s': its shell at feature '%s' has a depth that is not above 0, or a place "
             "that is not finite",
             zone->name, point->feature);
  } else {
    return SUP_OK;
  }
  return sup_plan_prefix(plan, zone->line, SUP_ERROR_FORMAT, error);
}

static SupResult check_zone(const SupPatchPlan *plan, const SupPatchZone *zone, SupError *error) {
  if (zone->kind > SUP_PATCH_ZONE_SKINNED) {
    return refuse(plan, zone->line, "zone", zone->name, "is of no known kind", error);
  }
  if (!zone->flesh) return SUP_OK;
  const char *fault = fault_of(zone);
  if (fault) return refuse(plan, zone->line, "zone", zone->name, fault, error);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < zone->flesh->shell_count && result == SUP_OK; k++) {
    result = check_shell_point(plan, zone, &zone->flesh->shell[k], error);
  }
  return result;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static SupResult check_use(const SupPatchPlan *plan, uint32_t feature, SupError *error) {
  for (uint32_t k = 0; k < plan->boundary_count; k++) {
    if (plan->boundaries[k].from == feature || plan->boundaries[k].to == feature) return SUP_OK;
  }
  const SupPatchPlanFeature *f = &plan->features[feature];
  return refuse(plan, f->line, "feature", f->name, "is the end of no boundary", error);
}

SupResult sup_patch_plan_check(const SupPatchPlan *plan, SupError *error) {
  SupResult result = check_all_names(plan, error);
  for (uint32_t k = 0; k < plan->feature_count && result == SUP_OK; k++) {
    result = check_feature(plan, &plan->features[k], error);
  }
  for (uint32_t k = 0; k < plan->boundary_count && result == SUP_OK; k++) {
    result = check_boundary(plan, &plan->boundaries[k], error);
  }
  for (uint32_t k = 0; k < plan->name_count && result == SUP_OK; k++) {
    result = check_patch(plan, &plan->names[k], error);
  }
  for (uint32_t k = 0; k < plan->zone_count && result == SUP_OK; k++) {
    result = check_zone(plan, &plan->zones[k], error);
  }
  for (uint32_t k = 0; k < plan->feature_count && result == SUP_OK; k++) {
    result = check_use(plan, k, error);
  }
  return result;
}
