/* SPDX-License-Identifier: MIT */
/* The flesh of a character that has none, without asking: modes under a surface by a preset. */
#include <math.h>

#include "app/add_play.h"
#include "supple/author/find_joint.h"
#include "supple/train/modes.h"

#define MODES 15
#define PERSON 1.75 /* metres */

/* One flesh for all verbs: presets are made for people, and go with the frequency that is chosen
 * for this body. What wild clips would throw about is held by the flesh's own depth here, and need
 * not be stiffer for it. Where there is no volume to look at, presets are taken as they are. */
static SupResult tune_preset(const SupAppContext *app, const SupCharacter *character,
                             const SupAddDef *def, SupAddReport *report, SupError *error) {
  SupSimDef flesh = sup_sim_def(character, app->allocator);
  SupFleshChoice *choice = &report->flesh;
  flesh.fill.tet_target = SUP_FILL_USUAL;
  flesh.attach.lock = report->hard.lock;
  flesh.unit = def->unit;
  flesh.jobs = app->jobs;
  SupResult result = sup_choose_flesh(app, character, false, &flesh, choice, error);
  if (result != SUP_OK || choice->frequency == 0) return result;
  const double chosen = fmin(choice->frequency, choice->natural);
  report->preset.frequency *= (float)(chosen / sup_natural_frequency(PERSON));
  return SUP_OK;
}

/* Marks the joints of those names, with all that hang below; NULL where there are none. */
static SupResult mark(const SupAppContext *app, const SupSkeleton *skeleton, const char *option,
                      const SupNames *names, const bool **out_marked, SupError *error) {
  *out_marked = NULL;
  if (!names->count) return SUP_OK;
  bool *marked = SUP_ALLOC(app->arena, bool, skeleton->joint_count);
  if (!marked) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < names->count; k++) {
    SupResult result = sup_find_joints(skeleton, option, names->names[k], marked, error);
    if (result != SUP_OK) return result;
  }
  sup_mark_below(skeleton, marked);
  *out_marked = marked;
  return SUP_OK;
}

SupResult sup_add_check_names(const SupAppContext *app, const SupCharacter *character,
                              const SupAddDef *def, SupError *error) {
  const bool *unused;
  return mark(app, &character->skeleton, "only", &def->only, &unused, error);
}

static SupResult find_parts(const SupAppContext *app, const SupCharacter *character,
                            const SupAddDef *def, SupAddReport *report, SupError *error) {
  SupSoftPartsDef parts = sup_soft_parts_def(character);
  parts.preset = report->preset;
  parts.jobs = app->jobs;
  parts.lock = report->hard.lock;
  if (!parts.lock) parts.lock = SUP_ALLOC(app->arena, float, character->body.vertex_count);
  if (!parts.lock) return sup_fail_memory(error, NULL);
  SupResult result = sup_rest_positions(app, character, SUP_ORDER_BODY, &parts.rest, error);
  if (result == SUP_OK) {
    result = mark(app, &character->skeleton, "only", &def->only, &parts.only, error);
  }
  return result == SUP_OK ? sup_soft_parts(app->arena, &parts, &report->parts, error) : result;
}

/* The volume's vibrations. Less is felt of flesh that swings faster: the square of the frequency
 * divides the amplitude. Where there is no volume to fill, a sentence. */
static bool build_modes(const SupAppContext *app, const SupCharacter *character,
                        SupAddReport *report, SupModelList *models) {
  const SupSurfacePreset *preset = &report->preset;
  const SupSoftParts *parts = &report->parts;
  const uint32_t n = character->body.vertex_count;
  SupModesTrainDef def = sup_modes_train_def(character);
  SupModesTrainReport modes;
  SupModel *model;
  float *lock = SUP_ALLOC(app->arena, float, n);
  if (!lock || !(preset->amount > 0.01f)) return false;
  for (uint32_t v = 0; v < n; v++) lock[v] = 1 - parts->soft[v];
  def.mode_count = MODES;
  def.frequency = (double)preset->frequency / sqrt((double)preset->amount);
  def.damping_ratio = (double)preset->damping;
  def.attach.lock = lock;
  /* Clips know accelerations that no body survives; flesh stays within its own depth. */
  def.max_distance = (double)preset->max_distance * parts->deep / parts->size;
  def.warp = true;
  def.jobs = app->jobs;
  const double began = sup_app_seconds();
  SupResult result = sup_modes_train(app->arena, &def, &model, &modes, &report->not_filled);
  sup_app_timing(app, "modes", began);
  if (result == SUP_OK) result = sup_models_place(models, model, &report->not_filled);
  if (result != SUP_OK) return false;
  report->mode_count = modes.mode_count;
  report->lowest_frequency = modes.frequencies[0];
  return true;
}

SupResult sup_add_flesh(const SupAppContext *app, const SupCharacter *character,
                        const SupAddDef *def, SupAddReport *report, SupModelList *out_models,
                        SupError *error) {
  SupSurfaceBuildDef surface = sup_surface_build_def();
  const SupModel *model;
  *out_models = (SupModelList){0};
  report->preset = *sup_surface_preset_find(def->preset ? def->preset : "soft");
  if (def->has_amount) report->preset.amount *= (float)def->amount;
  SupResult result = tune_preset(app, character, def, report, error);
  if (result == SUP_OK) result = find_parts(app, character, def, report, error);
  if (result != SUP_OK) return result;
  report->filled = build_modes(app, character, report, out_models);
  result = sup_surface_make(app, character, &surface, &report->parts.maps, &model, &report->surface,
                            error);
  return result == SUP_OK ? sup_models_place(out_models, model, error) : result;
}
