/* SPDX-License-Identifier: MIT */
/* The flesh that `supple add` gives to a character that has none, without asking. */
#include "add_flesh.h"

#include <math.h>

#include "paint_where.h"
#include "supple/author/paint.h"
#include "supple/author/thickness.h"
#include "supple/geom/bounds.h"
#include "supple/train/modes.h"

#define MODES 15
#define SOFTEST 4 /* bones that are named */

/* ---- Where flesh is soft -------------------------------------------------------------------- */

/* Marks what --only or --not names, with all that hangs below. */
static SupResult mark(CliContext *cli, const SupSkeleton *skeleton, const char *option,
                      bool **out_marked, SupError *error) {
  bool *marked = SUP_ALLOC(cli->arena, bool, skeleton->joint_count);
  if (!marked) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < cli_count(cli->arguments, option); k++) {
    const char *name = cli_text_at(cli->arguments, option, k);
    uint32_t joint;
    SupResult result = cli_find_joint(skeleton, option, name, &joint, error);
    if (result != SUP_OK) return result;
    marked[joint] = true;
  }
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    /* Parents stand before their children. */
    if (skeleton->parents[j] >= 0 && marked[skeleton->parents[j]]) marked[j] = true;
  }
  *out_marked = marked;
  return SUP_OK;
}

/* What the options hold becomes a lock, beside what is painted. */
static SupResult hold(CliContext *cli, const SupCharacter *character, SupSurfaceMaps *maps,
                      SupError *error) {
  static const char *const names[] = {"only", "not"};
  const uint32_t n = maps->vertex_count;
  float *free = SUP_ALLOC(cli->arena, float, n), *part = SUP_ALLOC(cli->arena, float, n);
  if (!maps->lock) maps->lock = SUP_ALLOC(cli->arena, float, n);
  if (!free || !part || !maps->lock) return sup_fail_memory(error, NULL);
  sup_select_all(n, free);
  for (int k = 0; k < 2; k++) {
    bool *marked = NULL;
    if (!cli_count(cli->arguments, names[k])) continue;
    SupResult result = mark(cli, &character->skeleton, names[k], &marked, error);
    if (result != SUP_OK) return result;
    sup_select_all(n, part);
    sup_select_joints(character, marked, part);
    if (k == 1) sup_select_invert(n, part);
    for (uint32_t v = 0; v < n; v++) free[v] *= part[v];
  }
  for (uint32_t v = 0; v < n; v++) maps->lock[v] = 1 - free[v] * (1 - maps->lock[v]);
  return SUP_OK;
}

/* How soft everything is, after preset, paint and options. */
static SupResult soften(CliContext *cli, const SupCharacter *character, float amount,
                        CliFlesh *flesh, SupError *error) {
  const uint32_t n = character->body.vertex_count;
  float *soft = SUP_ALLOC(cli->arena, float, n);
  double all = 0, much = 0;
  if (!soft) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < n; v++) {
    const float felt = 1 - flesh->maps.rows[SUP_SURFACE_ETA][v];
    soft[v] = amount > 0 ? felt / amount * (1 - flesh->maps.lock[v]) : 0;
    if (soft[v] > 1) soft[v] = 1;
  }
  for (uint32_t t = 0; t < character->body.triangle_count; t++) {
    const uint32_t *corner = character->body.triangles + (size_t)3 * t;
    const SupVec3 *p = character->body.positions;
    const SupVec3 across = sup_vec3_cross(sup_vec3_sub(p[corner[1]], p[corner[0]]),
                                          sup_vec3_sub(p[corner[2]], p[corner[0]]));
    const double area = (double)sup_vec3_length(across);
    for (int k = 0; k < 3; k++) {
      all += area;
      if (soft[corner[k]] > 0.5f) much += area;
    }
  }
  flesh->soft = soft;
  flesh->soft_area = all > 0 ? much / all : 0;
  return SUP_OK;
}

/* The bones whose flesh moves most. */
static void say_soft(CliContext *cli, const SupCharacter *c, const CliFlesh *flesh) {
  const SupSkeleton *skeleton = &c->skeleton;
  double *sums = SUP_ALLOC(cli->arena, double, skeleton->joint_count), all = 0;
  if (!sums) return;
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    for (uint32_t k = c->skin.offsets[v]; k < c->skin.offsets[v + 1]; k++) {
      const double w = (double)(flesh->soft[v] * c->skin.weights[k]);
      sums[skeleton->bone_joints[c->skin.bones[k]]] += w;
      all += w;
    }
  }
  cli_say(cli, "soft: %.0f %% of the skin", 100 * flesh->soft_area);
  cli_report_number(cli->report, "soft_area", flesh->soft_area);
  cli_report_begin_array(cli->report, "softest_bones");
  for (int k = 0; k < SOFTEST && all > 0; k++) {
    uint32_t best = 0;
    for (uint32_t j = 1; j < skeleton->joint_count; j++) {
      if (sums[j] > sums[best]) best = j;
    }
    if (sums[best] < 0.02 * all) break;
    cli_say(cli, "%s %s", k ? "," : ", most of it on", cli_shown(cli, skeleton->names[best]));
    cli_report_text(cli->report, NULL, skeleton->names[best]);
    sums[best] = 0;
  }
  cli_report_end(cli->report);
  cli_say(cli, "; flesh is up to %.3g cm deep\n", 100 * flesh->deep);
}

/* ---- Models --------------------------------------------------------------------------------- */

/* In the scene: a skin may be bound in other units. */
static SupResult measure_size(CliContext *cli, const SupCharacter *character,
                              const float *thickness, CliFlesh *flesh, SupError *error) {
  const uint32_t n = character->body.vertex_count;
  const double bound = (double)sup_bounds_diagonal(sup_bounds(character->body.positions, n));
  const SupVec3 *rest;
  SupResult result = cli_rest_positions(cli, character, SUP_ORDER_BODY, &rest, error);
  if (result != SUP_OK) return result;
  flesh->size = (double)sup_bounds_diagonal(sup_bounds(rest, n));
  flesh->deep = (double)sup_area_quantile(&character->body, thickness, 0.9f);
  if (bound > 0) flesh->deep *= flesh->size / bound;
  return SUP_OK;
}

static SupResult read_maps(CliContext *cli, const SupCharacter *character,
                           const SupSurfacePreset *preset, float h, CliFlesh *flesh,
                           SupError *error) {
  SupThicknessDef def = {.character = character, .jobs = cli->jobs};
  float *thickness = SUP_ALLOC(cli->arena, float, character->body.vertex_count);
  uint32_t painted;
  if (!thickness) return sup_fail_memory(error, NULL);
  SupResult result =
      sup_segments_create(cli->arena, character, &def.segments, &def.segment_count, error);
  if (result == SUP_OK) result = sup_thickness(cli->arena, &def, thickness, error);
  if (result == SUP_OK) {
    result = sup_surface_maps_create(cli->arena, character->body.vertex_count, &flesh->maps, error);
  }
  if (result != SUP_OK) return result;
  result = measure_size(cli, character, thickness, flesh, error);
  if (result != SUP_OK) return result;
  sup_surface_preset_apply(preset, character, thickness, h, &flesh->maps);
  result = sup_surface_maps_read(cli->arena, character, &flesh->maps, &painted, error);
  if (result == SUP_OK && painted) {
    cli_say(cli, "%u painted maps of the file are used\n", painted);
    cli_report_integer(cli->report, "painted_maps", painted);
  }
  return result == SUP_OK ? hold(cli, character, &flesh->maps, error) : result;
}

/* The volume's vibrations. Less is felt of flesh that swings faster: the square of the frequency
 * divides the amplitude. False, and a sentence, where there is no volume to fill. */
static bool build_modes(CliContext *cli, const CliActor *actor, const SupSurfacePreset *preset,
                        CliFlesh *flesh) {
  const uint32_t n = actor->character->body.vertex_count;
  SupModesTrainDef def = sup_modes_train_def(actor->character);
  SupModesTrainReport report;
  SupModel *model;
  SupError why;
  float *lock = SUP_ALLOC(cli->arena, float, n);
  if (!lock || !(preset->amount > 0.01f)) return false;
  for (uint32_t v = 0; v < n; v++) lock[v] = 1 - flesh->soft[v];
  def.mode_count = MODES;
  def.frequency = (double)preset->frequency / sqrt((double)preset->amount);
  def.damping_ratio = (double)preset->damping;
  def.attach.lock = lock;
  /* Clips know accelerations that no body survives; flesh stays within its own depth. */
  def.reach = (double)preset->reach * flesh->deep / flesh->size;
  def.warp = true;
  def.jobs = cli->jobs;
  const double began = cli_seconds();
  SupResult result = sup_modes_train(cli->arena, &def, &model, &report, &why);
  cli_timing(cli, "modes", began);
  if (result == SUP_OK) result = cli_models_place(&flesh->models, model, &why);
  if (result != SUP_OK) {
    cli_say(cli, "its volume cannot swing as a whole: %s\n", why.text);
    return false;
  }
  cli_say(cli, "inside: %u vibrations of its volume, the slowest at %.2g Hz\n", report.mode_count,
          report.frequencies[0]);
  cli_report_integer(cli->report, "modes", report.mode_count);
  cli_report_number(cli->report, "lowest_frequency", report.frequencies[0]);
  return true;
}

SupResult cli_add_refuse(const CliContext *cli, bool learn, const char *path, SupError *error) {
  static const char *const names[] = {"amount", "only", "not", "preset"};
  for (int k = 0; k < (learn ? 4 : 3); k++) {
    if (!cli_count(cli->arguments, names[k])) continue;
    if (learn) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--%s is for flesh by rule, not for what --learn learns; leave one out",
                      names[k]);
    }
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has flesh, which is played as it is: --%s means nothing; leave it out, or "
                    "name a --preset, which replaces it",
                    path, names[k]);
  }
  return SUP_OK;
}

SupResult cli_add_flesh(CliContext *cli, const CliActor *actor, CliFlesh *out_flesh,
                        SupError *error) {
  const SupCharacter *character = actor->character;
  SupSurfacePreset preset = *sup_surface_preset_find(cli_text(cli->arguments, "preset"));
  SupSurfaceBuildDef def = sup_surface_build_def();
  const SupModel *model;
  CliFlesh flesh = {0};
  SupResult result =
      cli_models_open(cli, actor, cli_flag(cli->arguments, "rebind"), &flesh.models, error);
  if (result != SUP_OK) return result;
  if (flesh.models.count && !cli_count(cli->arguments, "preset")) {
    result = cli_add_refuse(cli, false, actor->path, error);
    if (result != SUP_OK) return result;
    cli_say(cli, "the flesh that the file has is played (a --preset would replace it)\n");
    *out_flesh = flesh;
    return SUP_OK;
  }
  flesh.models = (CliModels){0};
  if (cli_count(cli->arguments, "amount")) {
    preset.amount *= (float)cli_number(cli->arguments, "amount");
  }
  cli_report_text(cli->report, "preset", preset.name);
  result = read_maps(cli, character, &preset, def.h, &flesh, error);
  if (result == SUP_OK) result = soften(cli, character, preset.amount, &flesh, error);
  if (result != SUP_OK) return result;
  say_soft(cli, character, &flesh);
  const bool filled = build_modes(cli, actor, &preset, &flesh);
  cli_report_bool(cli->report, "filled", filled);
  cli_say(cli, "%s: a %s skin (%s)\n", filled ? "over it" : "only", preset.name, preset.summary);
  result = cli_surface_build(cli, actor, &def, &flesh.maps, &model, error);
  if (result == SUP_OK) result = cli_models_place(&flesh.models, model, error);
  *out_flesh = flesh;
  return result;
}
