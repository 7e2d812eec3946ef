/* SPDX-License-Identifier: MIT */
/* Chunks for a character in a file. */
#include "supple/app/chunks_character.h"

#include <string.h>

#include "base/scratch.h"
#include "chunks_astray.h"
#include "supple/app/patch_character.h"

#define COOKIE 0x53574443u
#define ROUNDS 6u /* of leaving out chunks that clips drive out of shape */

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

/* ---- Chunks, as they play ------------------------------------------------------------------- */

typedef struct Making {
  const SupAppContext *app;
  const SupCharacter *character;
  SupChunksTrainDef train;
  SupChunksTrained trained;
  SupModel *model;
  uint32_t left_out;
  SupChunksRefusal *refusals; /* [left_out] */
} Making;

static SupResult make(Making *m, SupError *error) {
  SupResult result = sup_chunks_train(m->app->arena, &m->train, &m->trained, error);
  if (result != SUP_OK) return result;
  return sup_chunks_pack(m->app->arena, m->character, &m->trained.def, &m->model, error);
}

/* Says that those that are astray shall be plainly skinned. */
static SupResult leave_out(Making *m, const ChunksAstray *astray, uint32_t *out_more,
                           SupError *error) {
  SupArena *arena = m->app->arena;
  const uint32_t pieces = m->trained.report.piece_count, before = m->train.option_count;
  SupChunksOption *options = SUP_ALLOC(arena, SupChunksOption, before + (size_t)pieces);
  SupChunksRefusal *refusals = SUP_ALLOC(arena, SupChunksRefusal, m->left_out + (size_t)pieces);
  if (!options || !refusals) return sup_fail_memory(error, "chunks");
  for (uint32_t k = 0; k < before; k++) options[k] = m->train.options[k];
  for (uint32_t k = 0; k < m->left_out; k++) refusals[k] = m->refusals[k];
  *out_more = 0;
  for (uint32_t k = 0; k < pieces; k++) {
    const SupChunksPieceReport *piece = &m->trained.report.pieces[k];
    if (!(astray[k].spike > CHUNKS_ASTRAY)) continue;
    char text[256];
    sup_format(text, sizeof text, "it would stand out from the skin beside it in clip '%s'",
               m->character->clips[astray[k].clip].name);
    SupChunksOption *option = &options[before + *out_more];
    *option = sup_chunks_option(piece->name);
    option->skinned = true;
    refusals[m->left_out + *out_more] =
        (SupChunksRefusal){piece->name, piece->zone, sup_arena_string(arena, text, strlen(text))};
    if (!refusals[m->left_out + *out_more].reason) return sup_fail_memory(error, "chunks");
    ++*out_more;
  }
  m->train.options = options;
  m->train.option_count = before + *out_more;
  m->refusals = refusals;
  m->left_out += *out_more;
  return SUP_OK;
}

/* What is left out changes what lies beside it, so this is done until nothing stands out. */
static SupResult make_and_try(Making *m, SupError *error) {
  SupResult result = make(m, error);
  for (uint32_t round = 0; round < ROUNDS && result == SUP_OK; round++) {
    SupArena scratch = sup_scratch(m->app->arena);
    uint32_t more = 0;
    ChunksAstray *astray = SUP_ALLOC(&scratch, ChunksAstray, m->trained.report.piece_count);
    result =
        astray ? sup_chunks_play_clips(&scratch, m->character, &m->trained, m->model, astray, error)
               : sup_fail_memory(error, "chunks");
    if (result == SUP_OK) result = leave_out(m, astray, &more, error);
    sup_arena_free(&scratch);
    if (more == 0) break;
    if (result == SUP_OK && more == m->trained.report.piece_count) {
      const SupChunksRefusal *first = &m->refusals[m->left_out - more];
      return sup_fail(error, SUP_ERROR_NUMERIC, "chunks: not one is left; the first, '%s': %s",
                      first->name, first->reason);
    }
    if (result == SUP_OK) result = make(m, error);
  }
  return result;
}

/* The report with those that were left out. */
static SupResult tell(Making *m, SupError *error) {
  SupChunksTrainReport *report = &m->trained.report;
  const uint32_t first = report->refusal_count;
  SupChunksRefusal *all = SUP_ALLOC(m->app->arena, SupChunksRefusal, first + (size_t)m->left_out);
  if (!all) return sup_fail_memory(error, "chunks");
  for (uint32_t k = 0; k < first; k++) all[k] = report->refusals[k];
  for (uint32_t k = 0; k < m->left_out; k++) all[first + k] = m->refusals[k];
  report->refusals = all;
  report->refusal_count += m->left_out;
  return SUP_OK;
}

/* ---- All of it ------------------------------------------------------------------------------ */

SupResult sup_chunks_character(const SupAppContext *app, const SupCharacterFile *file,
                               const SupChunksCharacterDef *def, SupModel **out_model,
                               SupChunksCharacterReport *out_report, SupError *error) {
  SupPatchCharacter *patches = SUP_ALLOC(app->arena, SupPatchCharacter, 1);
  Making making = {.app = app, .character = file->character};
  SupChunksTrainDef train = sup_chunks_train_def(file->character);
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
  making.train = train;
  result = make_and_try(&making, error);
  if (result == SUP_OK) result = tell(&making, error);
  sup_app_busy(app, NULL);
  sup_app_timing(app, "chunks", began);
  if (result != SUP_OK) return result;
  *out_model = making.model;
  *out_report = (SupChunksCharacterReport){.trained = making.trained.report,
                                           .patch_count = patches->patches.patch_count,
                                           .automatic = patches->automatic,
                                           .seconds = sup_app_seconds() - began};
  return SUP_OK;
}
