/* SPDX-License-Identifier: MIT */
/* What a model must not do to those that a file already has: show inertia twice, or make worse what
 * it was learned from. */
#include "build/build_kinds.h"
#include "formats.h"
#include "supple/geom/bounds.h"
#include "supple/surface.h"

#define WORSE 1.02  /* times the error without it */
#define SLIGHT 1e-3 /* of the size */

/* ---- Inertia --------------------------------------------------------------------------------- */

SupResult cli_refuse_inertia(const CliBuild *build, uint32_t kind, SupError *error) {
  const SupModel *below = sup_models_with(&build->models, SUP_TRAIT_INERTIA, SUP_STAGE_COUNT, kind);
  if (!below || cli_flag(build->cli->arguments, "force")) return SUP_OK;
  return sup_fail(
      error, SUP_ERROR_ARGUMENT,
      "%s: its %s model already shows how flesh lags and swings, and %s would show it a "
      "second time; start from the character without it, add a surface for contact "
      "instead, or give --force",
      build->source.path, cli_kind_name(below->kind), cli_kind_name(kind));
}

SupResult cli_refuse_shape(const CliBuild *build, uint32_t kind, SupError *error) {
  const SupModel *other =
      sup_models_with(&build->models, SUP_TRAIT_STATIC_SHAPE, SUP_STAGE_COUNT, kind);
  if (!other) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "%s: its %s model says the shape of every pose, and %s would, too; start from "
                  "the character without it, or give --fresh to drop the models that it has",
                  build->source.path, cli_kind_name(other->kind), cli_kind_name(kind));
}

void cli_say_inertia(const CliBuild *build) {
  const SupModel *below =
      sup_models_with(&build->models, SUP_TRAIT_INERTIA, SUP_STAGE_COUNT, SUP_SURFACE_KIND);
  const SupModel *surface = cli_models_find(&build->models, SUP_SURFACE_KIND);
  if (!surface) return;
  const uint32_t flags = sup_surface_view(surface).flags;
  if (surface != build->model && (flags & (SUP_SURFACE_UNDELAYED | SUP_SURFACE_OWN_INERTIA))) {
    const char *name = cli_kind_name(build->model->kind);
    cli_say(build->cli,
            "note: the surface was learned without this %s model; learn it again over it\n", name);
  }
  if (!below || (flags & SUP_SURFACE_OWN_INERTIA)) return;
  cli_say(build->cli,
          "inertia: shown by %s; the surface responds to contact, pulls and forces only\n",
          cli_kind_name(below->kind));
}

/* ---- Examples -------------------------------------------------------------------------------- */

/* The models without the new one, and whether one of a later stage was there before it. */
static CliModels models_before(const CliBuild *build, bool *out_later) {
  CliModels before = {0};
  *out_later = false;
  for (uint32_t k = 0; k < build->models.count; k++) {
    const SupModel *model = build->models.models[k];
    if (model == build->model) continue;
    before.models[before.count++] = model;
    *out_later = *out_later ||
                 (sup_stack_stage(NULL, model->kind) > sup_stack_stage(NULL, build->model->kind));
  }
  return before;
}

static void report_change(const CliBuild *build, const char *key, const SupStackChange *change) {
  cli_report_begin_object(build->cli->report, key);
  cli_report_number(build->cli->report, "rms_before", change->before);
  cli_report_number(build->cli->report, "rms_after", change->after);
  cli_report_end(build->cli->report);
}

/* Where there are no other models. What skinning shows by itself need not be met to the last bit.
 */
static SupResult check_alone(const CliBuild *build, SupError *error) {
  const SupAppContext app = cli_app(build->cli);
  const SupMesh *body = &build->source.character->body;
  const double slight =
      SLIGHT * (double)sup_bounds_diagonal(sup_bounds(body->positions, body->vertex_count));
  const CliModels none = {0};
  CliModels own = {.count = 1, .models = {build->model}};
  SupStackChange change;
  SupResult result = sup_stack_change(&app, &build->source, &none, &own, build->gravity,
                                      build->example_count, build->examples, false, &change, error);
  if (result != SUP_OK) return result;
  report_change(build, "examples", &change);
  if (change.after <= WORSE * change.before || change.after <= slight ||
      cli_flag(build->cli->arguments, "force")) {
    cli_say(build->cli, "played on its examples: RMS error %s, plain skinning %s\n",
            cli_length_text(change.after).text, cli_length_text(change.before).text);
    return SUP_OK;
  }
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "%s: this %s shows its own examples worse than plain skinning does, RMS error %s "
                  "instead of %s; nothing is written: leave out examples that contradict others, "
                  "or give --force",
                  build->source.path, cli_kind_name(build->model->kind),
                  cli_length_text(change.after).text, cli_length_text(change.before).text);
}

SupResult cli_check_examples(const CliBuild *build, SupError *error) {
  static const char *const what[] = {"static poses", "clips"};
  static const char *const keys[] = {"stack_poses", "stack_clips"};
  const SupAppContext app = cli_app(build->cli);
  const bool force = cli_flag(build->cli->arguments, "force");
  bool later;
  const CliModels before = models_before(build, &later);
  if (!build->example_count) return SUP_OK;
  if (!before.count) return build->alone ? check_alone(build, error) : SUP_OK;
  for (int moving = 0; moving < 2; moving++) {
    SupStackChange change;
    SupResult result =
        sup_stack_change(&app, &build->source, &before, &build->models, build->gravity,
                         build->example_count, build->examples, moving, &change, error);
    if (result != SUP_OK) return result;
    if (!change.frame_count) continue;
    report_change(build, keys[moving], &change);
    if (!force && !(change.after <= WORSE * change.before)) {
      return sup_fail(
          error, SUP_ERROR_UNSUPPORTED,
          "%s: with this %s model the file's models show its %s worse, RMS error %s instead "
          "of %s; nothing is written: %sor give --force",
          build->source.path, cli_kind_name(build->model->kind), what[moving],
          cli_length_text(change.after).text, cli_length_text(change.before).text,
          later ? "build it before the models that run after it, " : "leave it out, ");
    }
    cli_say(build->cli, "all models together, on the %s: RMS error %s, without %s %s\n",
            what[moving], cli_length_text(change.after).text, cli_kind_name(build->model->kind),
            cli_length_text(change.before).text);
  }
  return SUP_OK;
}
