/* SPDX-License-Identifier: MIT */
/* Chunks for a character in a file. */
#include "supple/app/chunks_character.h"

#include <string.h>

#include "supple/app/patch_character.h"

#define COOKIE 0x53574443u

SupChunksCharacterDef sup_chunks_character_def(void) {
  const SupChunksTrainDef train = sup_chunks_train_def(NULL);
  return (SupChunksCharacterDef){
      .cookie = COOKIE, .slices = train.slices, .levels = train.levels, .poisson = train.poisson};
}

static SupResult divide(const SupAppContext *app, const SupCharacterFile *file, const char *plan,
                        SupPatchCharacter *out, SupError *error) {
  const SupAppContext inside = sup_app_inside(app);
  SupPatchCharacterDef def = sup_patch_character_def();
  def.plan = plan;
  SupResult result = sup_patch_character(&inside, file, &def, out, error);
  if (result == SUP_OK && !plan) out->def.source = file->path;
  if (result == SUP_OK && out->not_flat) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "%s: %s", out->def.source, out->not_flat);
  }
  return result;
}

/* ---- Bulges --------------------------------------------------------------------------------- */

static SupResult find_patch(const SupPatches *patches, const char *name, const SupPatch **out_patch,
                            SupError *error) {
  const SupNameList names = {&patches->patches->name, sizeof *patches->patches,
                             patches->patch_count};
  const size_t found = sup_name_find(name, names);
  char hint[200];
  if (found < patches->patch_count) {
    *out_patch = &patches->patches[found];
    return SUP_OK;
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT, "there is no patch '%s'%s", name,
                  sup_name_hint(hint, sizeof hint, name, names));
}

static bool is_limb(const SupPatchPlan *plan, const SupPatch *patch) {
  for (uint32_t k = 0; k < plan->zone_count; k++) {
    if (strcmp(plan->zones[k].name, patch->zone) == 0) {
      return plan->zones[k].kind == SUP_PATCH_ZONE_SOLID;
    }
  }
  return false;
}

static SupResult make_bulge(const SupPatchCharacter *patches, const SupChunksFlex *flex,
                            SupChunksTrainBulge *out, SupError *error) {
  const SupPatch *patch = NULL;
  SupResult result = find_patch(&patches->patches, flex->patch, &patch, error);
  if (result != SUP_OK) return result;
  const bool limb = is_limb(&patches->plan, patch);
  if (limb && !flex->joint) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "patch '%s' is on a limb, which has no shell: say which joint raises its bulge",
                    patch->name);
  }
  *out = sup_chunks_train_bulge(patch->name, limb);
  out->height = flex->height;
  out->driver = flex->joint ? SUP_CHUNKS_BY_ANGLE : SUP_CHUNKS_BY_AREA;
  out->joint = flex->joint;
  out->from = flex->from;
  out->to = flex->to;
  return SUP_OK;
}

static SupResult make_bulges(const SupAppContext *app, const SupChunksCharacterDef *def,
                             const SupPatchCharacter *patches, SupChunksTrainDef *io_train,
                             SupError *error) {
  SupChunksTrainBulge *bulges = SUP_ALLOC(app->arena, SupChunksTrainBulge, def->bulge_count);
  if (!bulges) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < def->bulge_count; k++) {
    SupResult result = make_bulge(patches, &def->bulges[k], &bulges[k], error);
    if (result != SUP_OK) return result;
  }
  io_train->bulge_count = def->bulge_count;
  io_train->bulges = bulges;
  return SUP_OK;
}

/* ---- Options -------------------------------------------------------------------------------- */

/* Only what lies above a shell has its depth. */
static SupResult check_depths(const SupChunksCharacterDef *def, const SupPatchPlan *plan,
                              SupError *error) {
  for (uint32_t k = 0; k < def->option_count; k++) {
    for (uint32_t z = 0; z < plan->zone_count && def->options[k].depth > 0; z++) {
      const SupPatchZone *zone = &plan->zones[z];
      if (strcmp(zone->name, def->options[k].name) != 0 || zone->kind == SUP_PATCH_ZONE_STRATUM) {
        continue;
      }
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "zone '%s' has no shell, whose depth could be set: it is %s", zone->name,
                      zone->kind == SUP_PATCH_ZONE_SOLID ? "solid" : "plainly skinned");
    }
  }
  return SUP_OK;
}

/* ---- All of it ------------------------------------------------------------------------------ */

SupResult sup_chunks_character(const SupAppContext *app, const SupCharacterFile *file,
                               const SupChunksCharacterDef *def, SupModel **out_model,
                               SupChunksCharacterReport *out_report, SupError *error) {
  SupPatchCharacter *patches = SUP_ALLOC(app->arena, SupPatchCharacter, 1);
  SupChunksTrainDef train = sup_chunks_train_def(file->character);
  SupChunksTrained trained;
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "chunks: start from sup_chunks_character_def()");
  }
  if (!patches) return sup_fail_memory(error, NULL);
  SupResult result = divide(app, file, def->patches, patches, error);
  if (result == SUP_OK) result = check_depths(def, &patches->plan, error);
  if (result == SUP_OK) result = make_bulges(app, def, patches, &train, error);
  if (result != SUP_OK) return result;
  train.plan = &patches->plan;
  train.patches_def = &patches->def;
  train.patches = &patches->patches;
  train.charts = &patches->charts;
  train.option_count = def->option_count;
  train.options = def->options;
  train.slices = def->slices;
  train.levels = def->levels;
  train.poisson = def->poisson;
  train.jobs = app->jobs;
  const double began = sup_app_seconds();
  sup_app_busy(app, "chunks");
  result = sup_chunks_train(app->arena, &train, &trained, error);
  if (result == SUP_OK) {
    result = sup_chunks_pack(app->arena, file->character, &trained.def, out_model, error);
  }
  sup_app_busy(app, NULL);
  sup_app_timing(app, "chunks", began);
  if (result != SUP_OK) return result;
  *out_report = (SupChunksCharacterReport){.trained = trained.report,
                                           .patch_count = patches->patches.patch_count,
                                           .automatic = patches->automatic,
                                           .seconds = sup_app_seconds() - began};
  return SUP_OK;
}
