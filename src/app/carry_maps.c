/* SPDX-License-Identifier: MIT */
/* Two skins with corresponding patches, laid over each other. */
#include "supple/app/carry_maps.h"

#include "supple/app/patch_character.h"
#include "supple/train/patch_map.h"

static SupResult divide(const SupAppContext *app, const SupCarrySide *side,
                        SupPatchCharacter *out_patches, SupError *error) {
  SupPatchCharacterDef def = sup_patch_character_def();
  def.plan = side->plan;
  SupResult result = sup_patch_character(app, side->file, &def, out_patches, error);
  if (!side->plan) out_patches->def.source = side->file->path;
  return result;
}

/* Which patches correspond, and what is told of it. */
static SupResult match(const SupAppContext *app, const SupPatchCharacter *to,
                       const SupPatchCharacter *from, uint32_t *out_matches,
                       SupCarryReport *out_report, SupError *error) {
  const uint32_t count = to->patches.patch_count;
  const uint32_t found =
      sup_patches_match(&to->def, &to->patches, &from->def, &from->patches, out_matches);
  if (found == 0) {
    SupError why = {.text = "there are none"};
    (void)sup_patches_isomorphic(&to->def, &to->patches, &from->def, &from->patches, &why);
    return sup_fail(error, SUP_ERROR_FORMAT, "%s and %s have no patches in common: %s",
                    to->def.source, from->def.source, why.text);
  }
  *out_report = (SupCarryReport){.patch_count = found, .without_count = count - found};
  for (uint32_t k = 0; k < count && !out_report->without; k++) {
    if (out_matches[k] != SUP_NONE) continue;
    const char *name = to->patches.patches[k].name;
    out_report->without = sup_arena_string(app->arena, name, sup_string_length(name));
    if (!out_report->without) return sup_fail_memory(error, NULL);
  }
  return SUP_OK;
}

SupResult sup_carry_places(const SupAppContext *app, const SupCarryDef *def,
                           SupSkinPlace *out_places, SupCarryReport *out_report, SupError *error) {
  SupArena arena;
  SupAppContext inside = sup_app_inside(app);
  SupPatchCharacter from, to;
  SupPatchCharts charts;
  uint32_t *matches = NULL;
  sup_arena_init(&arena, app->allocator, app->arena->limit);
  inside.arena = &arena;
  const double began = sup_app_seconds();
  SupResult result = divide(&inside, &def->from, &from, error);
  if (result == SUP_OK) result = divide(&inside, &def->to, &to, error);
  if (result == SUP_OK) {
    matches = SUP_ALLOC(&arena, uint32_t, to.patches.patch_count);
    result =
        matches ? match(app, &to, &from, matches, out_report, error) : sup_fail_memory(error, NULL);
  }
  if (result == SUP_OK && from.not_flat) {
    result = sup_fail(error, SUP_ERROR_NUMERIC, "%s: %s", from.def.source, from.not_flat);
  }
  if (result == SUP_OK) {
    const SupPatchMapDef like = {
        .def = &to.def, .patches = &to.patches, .like = &from.charts, .like_charts = matches};
    result = sup_patch_charts(&arena, &like, &charts, error);
  }
  if (result == SUP_OK) {
    out_report->reached_count = sup_charts_correspond(&charts, &from.charts, matches, out_places);
    out_report->outside_count = charts.vertex_count - out_report->reached_count;
    sup_app_timing(app, "patches", began);
  }
  sup_arena_free(&arena);
  return result;
}
