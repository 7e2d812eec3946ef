/* SPDX-License-Identifier: MIT */
/* A character's skin, taken apart. */
#include "supple/app/patch_character.h"

#include "supple/io/patch_file.h"
#include "supple/train/patch_map.h"

#define COOKIE 0x50544348u

SupPatchCharacterDef sup_patch_character_def(void) {
  return (SupPatchCharacterDef){.cookie = COOKIE};
}

/* ---- Where the plan comes from -------------------------------------------------------------- */

static SupResult find_plan(const SupAppContext *app, const SupCharacterFile *file,
                           SupPatchCharacter *out, SupError *error) {
  SupPatchAutoDef def = sup_patch_auto_def(file->character);
  SupPatchAuto found = {.ring_count = 0};
  SupResult result =
      sup_gltf_part_signs(file->document, file->found, app->arena, &def.hard.parts, error);
  if (result == SUP_OK) result = sup_patch_auto(app->arena, &def, &found, error);
  if (result != SUP_OK) return result;
  SupTopology *topology = SUP_COPY(app->arena, SupTopology, &found.topology, 1);
  if (!topology) return sup_fail_memory(error, NULL);
  out->automatic = true;
  out->plan = found.plan;
  out->def = found.def;
  out->def.topology = topology;
  out->patches = found.patches;
  out->piece_count = found.left_out_count;
  out->pieces = found.left_out;
  return SUP_OK;
}

static SupResult read_plan(const SupAppContext *app, const SupCharacterFile *file, const char *path,
                           SupPatchCharacter *out, SupError *error) {
  SupPatchPlan plan;
  SupResult result = sup_patch_file_read(app->arena, path, &plan, error);
  if (result != SUP_OK) return result;
  return sup_patch_plan_fit(app->arena, &plan, file->character, &out->plan, &out->fit, error);
}

/* Names and zones of another file, found by the names of boundaries. */
static SupResult take_names(const SupAppContext *app, const char *path, SupPatchCharacter *out,
                            SupError *error) {
  SupPatchPlan names;
  SupResult result = sup_patch_file_read(app->arena, path, &names, error);
  if (result != SUP_OK) return result;
  return sup_patch_plan_carry_names(app->arena, &out->plan, &names, &out->plan, error);
}

static SupResult lay_and_cut(const SupAppContext *app, const SupCharacterFile *file,
                             SupPatchCharacter *out, SupError *error) {
  const SupCharacter *character = file->character;
  SupTopology *topology = SUP_ALLOC(app->arena, SupTopology, 1);
  if (!topology) return sup_fail_memory(error, NULL);
  SupResult result = sup_topology(app->arena, &character->body, topology, error);
  if (result != SUP_OK) return result;
  result = sup_patch_plan_trace(app->arena, &out->plan, character, topology, &out->def, error);
  if (result == SUP_OK) {
    result = sup_patches_create(app->arena, &out->def, &out->patches, error);
  }
  if (result != SUP_ERROR_FORMAT) return result;
  /* On a mesh that was edited, and on the other side of one, places are not what they were. */
  SupPatchesDef def;
  SupPatches patches;
  SupError other;
  SupResult again =
      sup_patch_plan_trace_around(app->arena, &out->plan, character, topology, &def, &other);
  if (again == SUP_OK) again = sup_patches_create(app->arena, &def, &patches, &other);
  if (again == SUP_ERROR_MEMORY) return sup_fail_memory(error, NULL);
  if (again != SUP_OK) return result;
  out->def = def;
  out->patches = patches;
  out->around = true;
  return SUP_OK;
}

/* ---- What came of it ------------------------------------------------------------------------ */

static SupResult measure(const SupAppContext *app, SupPatchCharacter *out, SupError *error) {
  const SupPatchesDef *def = &out->def;
  const SupTopology *topology = def->topology;
  bool *used = SUP_ALLOC(app->arena, bool, topology->component_count);
  double covered = 0;
  if (!used) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < out->patches.patch_count; k++) covered += out->patches.patches[k].area;
  out->skin_area = covered + out->patches.left_out_area;
  out->covered = out->skin_area > 0 ? covered / out->skin_area : 0;
  for (uint32_t k = 0; k < def->feature_count; k++) {
    const uint32_t piece = topology->vertex_components[def->features[k].at.a];
    if (piece == SUP_NONE || used[piece]) continue;
    used[piece] = true;
    out->skin_euler += topology->components[piece].euler;
  }
  return SUP_OK;
}

static void sum_distortion(SupPatchCharacter *out) {
  SupChartDistortion *all = &out->distortion;
  double area = 0;
  *all = (SupChartDistortion){.worst_owner = SUP_NONE};
  for (uint32_t k = 0; k < out->charts.patch_count; k++) area += out->patches.patches[k].area;
  for (uint32_t k = 0; k < out->charts.patch_count; k++) {
    const SupChartDistortion *d = &out->charts.charts[k].distortion;
    const double fraction = out->patches.patches[k].area / area;
    all->angles += fraction * sup_log(d->angles);
    all->areas += fraction * sup_log(d->areas);
    if (d->areas_worst > all->areas_worst) {
      all->areas_worst = d->areas_worst;
      out->areas_patch = k;
    }
    if (d->angles_worst <= all->angles_worst) continue;
    all->angles_worst = d->angles_worst;
    all->worst_owner = d->worst_owner;
    out->angles_patch = k;
  }
  all->angles = sup_exp(all->angles);
  all->areas = sup_exp(all->areas);
}

/* What cannot be laid flat is told: the patches themselves are there. */
static SupResult lay_flat(const SupAppContext *app, SupPatchCharacter *out, SupError *error) {
  const SupPatchMapDef def = {.def = &out->def, .patches = &out->patches};
  SupError told;
  SupResult result = sup_patch_charts(app->arena, &def, &out->charts, &told);
  if (result == SUP_ERROR_NUMERIC) {
    out->not_flat = sup_arena_string(app->arena, told.text, sup_string_length(told.text));
    return out->not_flat ? SUP_OK : sup_fail_memory(error, NULL);
  }
  if (result != SUP_OK) return sup_fail(error, result, "%s", told.text);
  sum_distortion(out);
  return SUP_OK;
}

static SupResult score(const SupAppContext *app, SupPatchCharacter *out, SupError *error) {
  SupResult result = sup_patches_quality(app->arena, &out->patches, &out->quality, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < out->charts.patch_count; k++) {
    const SupChartDistortion *d = &out->charts.charts[k].distortion;
    out->quality.patches[k].distortion = sup_sqrt(d->angles * d->areas);
  }
  sup_patches_score(&out->quality);
  return SUP_OK;
}

SupResult sup_patch_character(const SupAppContext *app, const SupCharacterFile *file,
                              const SupPatchCharacterDef *def, SupPatchCharacter *out_patches,
                              SupError *error) {
  SupPatchCharacter out = {.automatic = false};
  const double began = sup_app_seconds();
  sup_app_busy(app, "patches");
  SupResult result =
      def->plan ? read_plan(app, file, def->plan, &out, error) : find_plan(app, file, &out, error);
  if (result == SUP_OK && def->keep != SUP_SIDE_NONE) {
    result = sup_patch_plan_mirror(app->arena, &out.plan, file->character,
                                   def->keep == SUP_SIDE_LEFT, &out.plan, error);
  }
  if (result == SUP_OK && def->names) result = take_names(app, def->names, &out, error);
  if (result == SUP_OK && (def->plan || def->names || def->keep != SUP_SIDE_NONE)) {
    result = lay_and_cut(app, file, &out, error);
  }
  if (result == SUP_OK) result = measure(app, &out, error);
  if (result == SUP_OK) result = lay_flat(app, &out, error);
  if (result == SUP_OK) result = score(app, &out, error);
  sup_app_busy(app, NULL);
  sup_app_timing(app, "patches", began);
  if (result == SUP_OK) *out_patches = out;
  return result;
}
