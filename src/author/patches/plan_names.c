/* SPDX-License-Identifier: MIT */
/* Names and zones of patches, from one plan to another. */
#include "plan_work.h"
#include "supple/author/patch_chart.h"

static uint32_t boundary_named(const SupPatchPlan *plan, const char *name) {
  for (uint32_t k = 0; k < plan->boundary_count; k++) {
    if (sup_string_equal(plan->boundaries[k].name, name)) return k;
  }
  return SUP_NONE;
}

SupResult sup_patch_plan_carry_names(SupArena *arena, const SupPatchPlan *to,
                                     const SupPatchPlan *from, SupPatchPlan *out_plan,
                                     SupError *error) {
  SupPatchName *names = SUP_COPY(arena, SupPatchName, from->names, from->name_count);
  if (!names) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < from->name_count; k++) {
    uint32_t *boundaries = SUP_ALLOC(arena, uint32_t, names[k].boundary_count);
    if (!boundaries) return sup_fail_memory(error, NULL);
    for (uint32_t i = 0; i < names[k].boundary_count; i++) {
      const char *name = from->boundaries[names[k].boundaries[i]].name;
      boundaries[i] = boundary_named(to, name);
      if (boundaries[i] != SUP_NONE) continue;
      return sup_plan_prefix(
          from, names[k].line,
          sup_fail(error, SUP_ERROR_FORMAT, "patch '%s' has a boundary '%s' that is not in %s",
                   names[k].name, name, to->source),
          error);
    }
    names[k].boundaries = boundaries;
    names[k].line = 0; /* of another file */
  }
  SupPatchZone *zones = SUP_COPY(arena, SupPatchZone, from->zones, from->zone_count);
  if (!zones) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < from->zone_count; k++) {
    if (!zones[k].flesh || !zones[k].flesh->shell_count) continue;
    SupPatchFlesh *flesh = SUP_COPY(arena, SupPatchFlesh, zones[k].flesh, 1);
    if (!flesh) return sup_fail_memory(error, NULL);
    flesh->shell_count = 0; /* places in another body */
    zones[k].flesh = flesh;
  }
  *out_plan = *to;
  out_plan->name_count = from->name_count;
  out_plan->names = names;
  out_plan->zone_count = from->zone_count;
  out_plan->zones = zones;
  return SUP_OK;
}
