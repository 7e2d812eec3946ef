/* SPDX-License-Identifier: MIT */
/* Rig, volume, flesh and solver for curves. */
#include <math.h>
#include <string.h>

#include "app/curves_parts.h"
#include "supple/app/simulate_character.h"
#include "supple/author/body_scale.h"
#include "supple/io/rig_file.h"
#include "supple/rig/rig.h"
#include "supple/rig/rig_default.h"

#define LOOSE 1e-3 /* of the frequency that was chosen: nothing but rounding resists */

/* ---- Names ---------------------------------------------------------------------------------- */

/* Whether a word gives a parameter: its name, its zone, what stands before a dot in its name, or a
 * pattern of one of them. */
bool sup_curves_gives(const char *word, const SupRigParameter *p) {
  const size_t length = strlen(word);
  if (sup_name_is_pattern(word))
    return sup_name_fits(word, p->name) || sup_name_fits(word, p->zone);
  return strcmp(word, p->name) == 0 || strcmp(word, p->zone) == 0 ||
         (strncmp(word, p->name, length) == 0 && p->name[length] == '.');
}

SupResult sup_curves_refuse_name(const char *option, const char *word, const SupRig *rig,
                                 SupError *error) {
  char hint[160];
  const SupNameList names = {&rig->parameters[0].name, sizeof *rig->parameters,
                             rig->parameter_count};
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: '%s' is no free parameter or zone of the rig%s",
                  option, word, sup_name_hint(hint, sizeof hint, word, names));
}

/* Sets `out[k]` to `value` for the free parameters that a word gives. */
static SupResult set_by_name(const CurvesJob *job, const char *option, const char *word,
                             double value, double *out, SupError *error) {
  const SupRig *rig = sup_curves_rig(job);
  bool any = false;
  for (uint32_t k = 0; k < job->free_count; k++) {
    if (!sup_curves_gives(word, &rig->parameters[job->free[k]])) continue;
    out[k] = value;
    any = true;
  }
  return any ? SUP_OK : sup_curves_refuse_name(option, word, rig, error);
}

static SupResult read_weights(CurvesJob *job, SupError *error) {
  const SupCurvesDef *def = job->def;
  double *mute = SUP_ALLOC(job->app->arena, double, job->free_count);
  SupResult result = SUP_OK;
  job->weights = SUP_ALLOC(job->app->arena, double, job->free_count);
  job->muted = SUP_ALLOC(job->app->arena, bool, job->free_count);
  if (!job->weights || !job->muted || !mute) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < job->free_count; k++) job->weights[k] = 1;
  for (uint32_t k = 0; k < def->weight_count && result == SUP_OK; k++) {
    result = set_by_name(job, "weight", def->weights[k].name, def->weights[k].weight, job->weights,
                         error);
  }
  for (uint32_t k = 0; k < def->mute.count && result == SUP_OK; k++) {
    result = set_by_name(job, "mute", def->mute.names[k], 1, mute, error);
  }
  for (uint32_t k = 0; k < job->free_count; k++) {
    job->muted[k] = mute[k] > 0;
    if (job->muted[k]) job->weights[k] = 0;
  }
  return result;
}

/* ---- The rig -------------------------------------------------------------------------------- */

/* A copy of the description in which what --lock names is locked. */
static SupResult lock_controls(CurvesJob *job, SupError *error) {
  SupRigDef *def = &job->description;
  const SupNames *lock = &job->def->lock;
  SupRigControl *controls =
      SUP_COPY(job->app->arena, SupRigControl, def->controls, def->control_count);
  if (!controls) return sup_fail_memory(error, NULL);
  for (uint32_t n = 0; n < lock->count; n++) {
    bool any = false;
    for (uint32_t k = 0; k < def->control_count; k++) {
      SupRigParameter p = controls[k].base;
      if (!p.zone) p.zone = "";
      if (!sup_curves_gives(lock->names[n], &p)) continue;
      controls[k].base.role = SUP_RIG_LOCKED;
      any = true;
    }
    if (any) continue;
    char hint[160];
    const SupNameList names = {def->control_count ? &controls[0].base.name : NULL, sizeof *controls,
                               def->control_count};
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--lock: '%s' is no parameter or zone of the rig%s",
                    lock->names[n], sup_name_hint(hint, sizeof hint, lock->names[n], names));
  }
  def->controls = controls;
  return SUP_OK;
}

/* The rig of the whole skin. */
static SupResult make_skin(CurvesJob *job, SupError *error) {
  const SupCharacterRigDef def = {
      .character = job->file->character, .rig = &job->description, .jobs = job->app->jobs};
  SupResult result = lock_controls(job, error);
  if (result != SUP_OK) return result;
  result = sup_character_rig_create(job->app->arena, &def, &job->skin, error);
  if (result != SUP_OK && job->def->rig) sup_error_prefix(error, "%s", job->def->rig);
  if (result == SUP_OK &&
      sup_rig_parameters(sup_character_rig(job->skin), SUP_RIG_FREE, NULL) == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the rig has no free parameter; nothing would be simulated");
  }
  return result;
}

/* What somebody gave is refused before anything is computed. */
static SupResult read_rig(CurvesJob *job, SupError *error) {
  SupResult result = sup_rig_file_read(job->app->arena, job->def->rig, &job->description, error);
  return result == SUP_OK ? make_skin(job, error) : result;
}

/* The character's own bones stay, however many a vertex follows. */
static void note_long_rows(const CurvesJob *job) {
  const SupSkin *skin = &job->file->character->skin;
  uint32_t longer = 0;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    longer += skin->offsets[v + 1] - skin->offsets[v] > job->def->influences;
  }
  if (!longer || !job->def->influences) return;
  sup_app_note(job->app,
               "%s: %u of %u vertices follow more bones than %u without helpers, up to %u; they "
               "keep as many\n",
               job->file->path, longer, skin->vertex_count, job->def->influences,
               skin->influence_max);
}

static SupResult make_rig(CurvesJob *job, double spacing, SupError *error) {
  const SupRigDefaultDef def = {.character = job->file->character,
                                .lock = job->report->hard.lock,
                                .spacing = spacing,
                                .influence_max = job->def->influences,
                                .vertex_count = job->volume.skin_count,
                                .vertices = job->volume.skin,
                                .jobs = job->app->jobs};
  SupResult result = sup_rig_default(job->app->arena, &def, &job->description, error);
  if (result == SUP_OK && job->description.helper_count) note_long_rows(job);
  return result == SUP_OK ? make_skin(job, error) : result;
}

/* The rig of the vertices that drive the volume. */
static SupResult drive_volume(CurvesJob *job, SupError *error) {
  const SupAppContext *app = job->app;
  const SupCharacterRigDef def = {.character = job->file->character,
                                  .rig = &job->description,
                                  .vertex_count = job->volume.skin_count,
                                  .vertices = job->volume.skin,
                                  .jobs = app->jobs};
  SupResult result = job->process ? sup_curves_process_drive(job, error)
                                  : sup_character_rig_create(app->arena, &def, &job->rig, error);
  if (result != SUP_OK) return result;
  const SupRig *rig = sup_curves_rig(job);
  job->parameter_count = rig->parameter_count;
  job->free = SUP_ALLOC(app->arena, uint32_t, rig->parameter_count);
  if (!job->free) return sup_fail_memory(error, NULL);
  job->free_count = sup_rig_parameters(rig, SUP_RIG_FREE, job->free);
  result = sup_rig_check_effects(app->arena, rig, app->seed, error);
  if (result == SUP_OK) result = read_weights(job, error);
  return result == SUP_OK ? sup_curves_open_keeps(job, error) : result;
}

/* ---- Flesh ---------------------------------------------------------------------------------- */

static SupResult make_volume(CurvesJob *job, double *out_spacing, SupError *error) {
  const SupAppContext *app = job->app;
  const SupCharacter *character = job->file->character;
  const SupFillDef def = {.tet_target = job->def->tets,
                          .jobs = app->jobs,
                          .skin = &character->skin,
                          .lock = job->report->hard.lock};
  SupFill fill;
  SupFillReport filled;
  SupResult result = sup_fill(app->arena, &character->body, &def, &fill, &filled, error);
  if (result == SUP_OK) {
    result =
        sup_driven_volume(app->arena, &character->body, &fill, NULL, &job->volume, NULL, error);
  }
  if (result != SUP_OK) return result;
  *out_spacing = fill.spacing;
  job->volume_scale = (double)sup_body_scale(character);
  SupCurvesReport *report = job->report;
  report->tet_count = job->volume.mesh.tet_count;
  report->surface_count = job->volume.surface_count;
  report->inside_count = job->volume.mesh.node_count - job->volume.surface_count;
  return SUP_OK;
}

/* Stiffness as `simulate` chooses it. Lengths are then in units of the scene: with one of u metres,
 * flesh of E / u^2 swings as fast as flesh of E does in metres. */
static SupResult choose_flesh(CurvesJob *job, SupError *error) {
  const SupAppContext *app = job->app;
  SupSimDef flesh = sup_simulate_def(app, job->file).body;
  SupResult result = sup_material_preset(job->def->material, &flesh.material, error);
  if (result != SUP_OK) return result;
  flesh.attach.lock = job->report->hard.lock;
  flesh.fill.tet_target = job->def->tets;
  result = sup_choose_flesh(app, job->file->character, false, &flesh, &job->report->flesh, error);
  if (result != SUP_OK) return result;
  sup_note_flesh(app, &job->report->flesh);
  sup_app_timing(app, "flesh", sup_app_seconds() - job->report->flesh.seconds);
  job->unit = flesh.unit;
  job->material = flesh.material;
  job->material.young /= flesh.unit * flesh.unit;
  return SUP_OK;
}

/* What the whole body does, such as a free translation of its root, no flesh resists. */
static void note_loose(const CurvesJob *job, uint32_t loose, uint32_t count) {
  const char *stiffness = loose == count
                              ? "and the flesh is as stiff as it was chosen, which may be "
                                "too soft"
                              : "and the stiffness is tuned by the others";
  if (loose == 0 && count > 0) return;
  sup_app_note(job->app,
               "note: flesh does not resist the free parameters in %u of %u directions: there they "
               "start where gravity and obstacles push them, at the worst at a bound (--lock holds "
               "them), %s\n",
               loose, count, stiffness);
}

/* No bone holds this flesh but through its skin, and a rig cannot follow every vibration: the
 * stiffness is changed such that the slowest swing of the free parameters has the frequency that
 * was chosen for the body. */
static SupResult tune(CurvesJob *job, const SupRigspaceDef *def, SupError *error) {
  const SupAppContext *app = job->app;
  const double wanted = job->report->flesh.frequency;
  SupRigspace *rigspace;
  uint32_t count = 0;
  double *rest = SUP_ALLOC(app->arena, double, job->parameter_count);
  double *hz = SUP_ALLOC(app->arena, double, job->free_count);
  if (!rest || !hz) return sup_fail_memory(error, NULL);
  sup_rig_rest(def->rig, rest);
  SupResult result = sup_rigspace_create(app->arena, def, &rigspace, error);
  if (result != SUP_OK) return result;
  result = sup_rigspace_frequencies(rigspace, rest, &count, hz, error);
  sup_rigspace_free(rigspace);
  if (result != SUP_OK || !(wanted > 0)) return result;
  uint32_t loose = 0;
  while (loose < count && !(hz[loose] > LOOSE * wanted)) loose++;
  note_loose(job, loose, count);
  if (loose == count) return SUP_OK;
  const double factor = fmin(fmax(wanted / hz[loose], 0.25), 8);
  job->material.young *= factor * factor;
  job->report->frequency = hz[loose] * factor;
  return SUP_OK;
}

static SupRigspaceDef solver_of(const CurvesJob *job) {
  SupRigspaceDef def = sup_rigspace_def(sup_curves_rig(job), &job->volume);
  def.scale = job->volume_scale;
  def.materials = &job->material;
  def.material_count = 1;
  def.seed = job->app->seed;
  def.jobs = job->app->jobs;
  return def;
}

/* Weights of the nodes inside, where there are nodes and the examples give some. */
static SupResult make_weights(CurvesJob *job, SupError *error) {
  const SupRigspaceDef def = solver_of(job);
  if (job->def->balance || job->report->inside_count == 0) return SUP_OK;
  SupResult result = sup_curves_weights(job, &def, &job->inside, error);
  if (result == SUP_ERROR_MEMORY || sup_curves_process_failed(job)) return result;
  if (result != SUP_OK) {
    job->inside = (SupRigspaceWeights){.inside_count = 0};
    sup_app_note(job->app,
                 "note: no weights for the flesh inside (%s); every step finds its balance, "
                 "which is slower\n",
                 error ? error->text : "");
  }
  return SUP_OK;
}

static SupResult make_solvers(CurvesJob *job, SupError *error) {
  const SupAppContext *app = job->app;
  SupRigspaceDef def = solver_of(job);
  if (!job->def->balance && job->inside.inside_count > 0) {
    def.inside = SUP_RIGSPACE_SKINNED;
    def.weights = &job->inside;
  }
  SupResult result = tune(job, &def, error);
  def.obstacle_count = job->def->obstacle_count;
  def.obstacles = sup_curves_move_obstacles(job, NULL, 0);
  if (result == SUP_OK) result = sup_rigspace_create(app->arena, &def, &job->rigspace, error);
  if (result == SUP_OK && job->def->additive) {
    result = sup_rigspace_create(app->arena, &def, &job->still, error);
  }
  return result;
}

/* What a stored set-up holds: the rig, the volume that drives it, flesh, weights. */
static SupResult make_body(CurvesJob *job, SupError *error) {
  const SupAppContext *app = job->app;
  double spacing;
  const double began = sup_app_seconds();
  SupResult result = job->def->rig_command ? sup_curves_process_open(job, error)
                     : job->def->rig       ? read_rig(job, error)
                                           : SUP_OK;
  if (result == SUP_OK) {
    result = sup_lock_character(app, job->file, &job->def->flesh, &job->report->hard, error);
  }
  if (result == SUP_OK) result = make_volume(job, &spacing, error);
  if (result == SUP_OK) sup_app_timing(app, "fill", began);
  if (result == SUP_OK && !job->def->rig && !job->process) result = make_rig(job, spacing, error);
  if (result == SUP_OK) result = drive_volume(job, error);
  if (result == SUP_OK && job->output == CURVES_DOCUMENT) {
    result = sup_curves_check_document(job, error);
  }
  if (result == SUP_OK) result = choose_flesh(job, error);
  return result == SUP_OK ? make_weights(job, error) : result;
}

/* The same from a stored set-up. */
static SupResult take_body(CurvesJob *job, SupError *error) {
  const double began = sup_app_seconds();
  SupResult result = sup_curves_read_setup(job, error);
  if (result == SUP_OK && !job->process) result = make_skin(job, error);
  if (result == SUP_OK) result = drive_volume(job, error);
  if (result == SUP_OK && job->output == CURVES_DOCUMENT) {
    result = sup_curves_check_document(job, error);
  }
  sup_app_timing(job->app, "setup", began);
  return result;
}

SupResult sup_curves_prepare(CurvesJob *job, SupError *error) {
  SupResult result = job->def->setup ? take_body(job, error) : make_body(job, error);
  if (result == SUP_OK && job->output != CURVES_SETUP) result = make_solvers(job, error);
  if (result != SUP_OK) return result;
  job->report->rig = job->description.name;
  job->report->parameter_count = job->parameter_count;
  job->report->free_count = job->free_count;
  job->report->helper_count = job->description.helper_count;
  return SUP_OK;
}

void sup_curves_free(CurvesJob *job) {
  sup_rigspace_free(job->rigspace);
  sup_rigspace_free(job->still);
  sup_curves_close_keeps(job);
  sup_curves_process_close(job);
}
