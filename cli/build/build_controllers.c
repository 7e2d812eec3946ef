/* SPDX-License-Identifier: MIT */
/* supple build helpers: helper joints with controllers, learned from examples. */
#include <string.h>

#include "build/build_kinds.h"
#include "character/examples.h"
#include "character/play_as.h"
#include "character/tell_motion.h"
#include "formats.h"
#include "supple/train/helpers.h"

const char *const cli_helpers_systems[] = {"state-space", "low-rank", "arx", NULL};
const char *const cli_helpers_orders[] = {"validated", "bic", "fraction", NULL};
const char *const cli_helpers_chains[] = {"off", "auto", "on", NULL};

/* By SupHelpersRatio. */
static const char *const ratio_names[] = {"first", "found", "unclear", "mixed", "no-power"};

/* Joints of earlier helpers would stay in the file, and be taken for bones of its own. Models above
 * know nothing of the joints that are added. */
static SupResult refuse_helpers(const CliBuild *build, SupError *error) {
  const CliCharacter *source = &build->source;
  SupGltfModel *models;
  uint32_t count;
  SupResult result =
      sup_gltf_models(source->document, source->found, build->cli->arena, &count, &models, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    if (strcmp(models[k].kind, "helpers") != 0) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s already has helpers, whose joints would stay: start from the character "
                    "without them",
                    source->path);
  }
  if (result == SUP_OK && build->models.count) {
    const char *kind = cli_kind_name(build->models.models[0]->kind);
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has a %s model, made for its bones as they are, and helpers add bones: "
                    "build helpers first and %s over them, or give --fresh to drop it",
                    source->path, kind, kind);
  }
  return result;
}

/* The materials that are named, and of which each example is: of the last that was named before
 * it. Poses before the first are the same in every one. */
typedef struct Materials {
  uint32_t count; /* 0: nobody speaks of materials */
  const char *names[SUP_HELPERS_MATERIALS];
} Materials;

static SupResult find_material(Materials *io, const char *name, uint32_t *out, SupError *error) {
  if (!*name || strlen(name) > SUP_HELPERS_NAME || strpbrk(name, "=,")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--material '%.64s': a name of 1 to %u bytes without '=' and ',' is needed",
                    name, SUP_HELPERS_NAME);
  }
  for (*out = 0; *out < io->count; (*out)++) {
    if (strcmp(io->names[*out], name) == 0) return SUP_OK;
  }
  if (io->count == SUP_HELPERS_MATERIALS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "more than %u materials; leave some out",
                    SUP_HELPERS_MATERIALS);
  }
  io->names[io->count++] = name;
  return SUP_OK;
}

static SupResult read_materials(const CliContext *cli, SupHelpersMotion *motions,
                                Materials *out_materials, SupError *error) {
  const CliArguments *a = cli->arguments;
  uint32_t now = SUP_HELPERS_EVERY, example = 0;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < a->value_count && cli_count(a, "material") && result == SUP_OK; k++) {
    const CliValue *value = &a->values[k];
    if (!value->given) continue;
    if (strcmp(value->option->name, "material") == 0) {
      result = find_material(out_materials, value->text, &now, error);
    } else if (strcmp(value->option->name, "example") == 0) {
      SupHelpersMotion *motion = &motions[example++];
      motion->material = now;
      if (now != SUP_HELPERS_EVERY || motion->still) continue;
      result = sup_fail(error, SUP_ERROR_ARGUMENT,
                        "--example %s has no material: only static poses may come before the first "
                        "--material",
                        value->text);
    }
  }
  return result;
}

static SupResult read_motions(CliBuild *build, SupHelpersTrainDef *def, Materials *out_materials,
                              SupError *error) {
  CliContext *cli = build->cli;
  CliExample *examples;
  uint32_t count;
  SupResult result = cli_read_examples(cli, &build->source, &examples, &count, error);
  if (result != SUP_OK) return result;
  if (count == 0) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "helpers need an example to learn from (or, with --replay, to repeat): --example "
        "X.pc2 --clip NAME (`supple simulate` makes one)");
  }
  SupHelpersMotion *motions = SUP_ALLOC(cli->arena, SupHelpersMotion, count);
  if (!motions) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const SupSamples *s = &examples[k].samples;
    motions[k] = (SupHelpersMotion){.fps = (double)s->fps,
                                    .frame_count = s->frame_count,
                                    .poses = s->poses,
                                    .positions = s->positions,
                                    .still = examples[k].clip == NULL};
  }
  def->motion_count = count;
  def->motions = motions;
  result = read_materials(cli, motions, out_materials, error);
  if (out_materials->count > 1) def->material_count = out_materials->count;
  for (uint32_t k = 0; k < out_materials->count && result == SUP_OK; k++) {
    bool moves = out_materials->count == 1;
    for (uint32_t m = 0; m < count; m++) {
      moves = moves || (!motions[m].still && motions[m].material == k);
    }
    if (moves) continue;
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "--material %s needs a clip, not only static poses: --example X.pc2 --clip NAME "
        "after it",
        out_materials->names[k]);
  }
  return result;
}

static void read_options(const CliContext *cli, SupHelpersTrainDef *def) {
  const CliArguments *a = cli->arguments;
  def->solver.helper_count = cli_count(a, "bones") ? (uint32_t)cli_integer(a, "bones") : 8;
  def->solver.influences = (uint32_t)cli_integer(a, "influences");
  def->solver.jobs = cli->jobs;
  def->solver.seed = cli->seed;
  def->gravity.y = -(float)cli_number(a, "gravity");
  def->degree = (uint32_t)cli_integer(a, "degree");
  def->states = (uint32_t)cli_integer(a, "order");
  def->system = (SupHelpersSystem)cli_integer(a, "system");
  def->order = (SupHelpersOrder)cli_integer(a, "order-by");
  def->lags = (uint32_t)cli_integer(a, "lags");
  def->beta = cli_number(a, "beta");
  def->each = cli_flag(a, "each");
  def->chains = (SupHelpersChains)cli_integer(a, "chains");
  if (cli_flag(a, "published-inputs")) def->drive = SUP_HELPERS_PUBLISHED;
  if (cli_flag(a, "keep-weights")) def->keep_weights = true;
  if (cli_flag(a, "mix-frequencies")) def->mix_frequencies = true;
}

/* Which helpers hang below others, in words. */
static void say_chains(const CliContext *cli, const SupHelpersTrainReport *r, uint32_t own,
                       const char *const *names) {
  uint32_t chained = 0;
  for (uint32_t h = 0; h < r->helper_count; h++) {
    if (r->parents[h] < own) continue;
    cli_say(cli, "%s%s below %s", chained++ ? ", " : "chains: ", names[own + h],
            names[r->parents[h]]);
  }
  if (chained) cli_say(cli, "\n");
}

/* Why a blend with a material mixes outputs instead of swinging at one frequency. */
static void say_frequency_ratio(const CliContext *cli, const SupHelpersTrainReport *r, uint32_t k,
                                const Materials *materials) {
  const char *name = cli_shown(cli, materials->names[k]),
             *first = cli_shown(cli, materials->names[0]);
  if (r->ratio_kinds[k] == SUP_HELPERS_RATIO_UNCLEAR) {
    cli_say(cli,
            "the examples do not show the frequency ratio of %s to %s, so a blend mixes their "
            "outputs; use @calibration or another clip after which flesh keeps oscillating\n",
            name, first);
  } else if (r->ratio_kinds[k] == SUP_HELPERS_RATIO_NO_POWER) {
    cli_say(
        cli,
        "a controller cannot change its frequency, so a blend of %s and %s mixes their outputs; "
        "other --order may help\n",
        name, first);
  }
}

static void report_materials(const CliContext *cli, const SupHelpersTrainReport *r,
                             const Materials *materials) {
  if (materials->count == 0) return;
  cli_report_begin_array(cli->report, "materials");
  for (uint32_t k = 0; k < materials->count; k++) {
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "name", materials->names[k]);
    cli_report_number(cli->report, "frequency_ratio", r->frequency_ratios[k]);
    if (k > 0) {
      cli_report_text(cli->report, "frequency_ratio_is", ratio_names[r->ratio_kinds[k]]);
      cli_report_number(cli->report, "likeness", r->likenesses[k]);
    }
    cli_report_number(cli->report, "rmse", r->material_rmses[k]);
    cli_report_end(cli->report);
    cli_say(cli, "%s: ", cli_shown(cli, materials->names[k]));
    if (k > 0 && r->frequency_ratios[k] != 1) {
      cli_say(cli, "frequency ratio %.2f to %s, ", r->frequency_ratios[k],
              cli_shown(cli, materials->names[0]));
    }
    cli_say(cli, "RMS error %s on its examples\n", cli_length_text(r->material_rmses[k]).text);
    if (k > 0) say_frequency_ratio(cli, r, k, materials);
  }
  cli_report_end(cli->report);
}

/* names: of the character's `own` joints, then of the helpers. */
static void report(const CliContext *cli, const SupHelpersTrainReport *r,
                   const Materials *materials, uint32_t own, const char *const *names,
                   const SupModel *model) {
  CliReport *report = cli->report;
  cli_report_begin_object(report, "helpers");
  cli_report_integer(report, "helpers", r->helper_count);
  cli_report_integer(report, "states", r->state_count);
  cli_report_integer(report, "joints_looked_at", r->turn_count);
  cli_report_integer(report, "static_weights", r->weight_count);
  cli_report_number(report, "spectral_radius", r->radius);
  cli_report_number(report, "peak_gain", r->peak);
  cli_report_number(report, "plain_rmse", r->plain_rmse);
  cli_report_number(report, "decomposed_rmse", r->decomposed_rmse);
  cli_report_number(report, "static_rmse", r->static_rmse);
  cli_report_number(report, "rmse", r->rmse);
  cli_report_begin_array(report, "controllers");
  for (uint32_t h = 0; h < r->helper_count; h++) {
    cli_report_begin_object(report, NULL);
    cli_report_integer(report, "parent", r->parents[h]);
    cli_report_text(report, "below", names[r->parents[h]]);
    cli_report_integer(report, "states", r->orders[h]);
    cli_report_begin_array(report, "bounds");
    for (uint32_t o = 0; o < 6; o++) cli_report_number(report, NULL, r->bounds[6 * h + o]);
    cli_report_end(report);
    cli_report_begin_array(report, "ranges");
    for (uint32_t o = 0; o < 6; o++) cli_report_number(report, NULL, r->ranges[6 * h + o]);
    cli_report_end(report);
    cli_report_end(report);
  }
  cli_report_end(report);
  cli_report_end(report);
  uint64_t numbers = 0;
  sup_model_section(model, SUP_SECTION_HELPERS_MATRICES, 4, &numbers);
  cli_report_integer(report, "controller_bytes", (int64_t)(4 * numbers));
  cli_say(cli, "%u helper joints, %s, %s of controllers\n", r->helper_count,
          cli_settle_text(r->radius, (double)model->h).text, cli_bytes_text(4 * numbers).text);
  cli_detail(cli, "  total order %u; the slowest mode decays to %.4f per step\n", r->state_count,
             r->radius);
  say_chains(cli, r, own, names);
  cli_say(cli,
          "RMS error on the examples: plain skinning %s, best bones %s, static part %s, with "
          "dynamics %s\n",
          cli_length_text(r->plain_rmse).text, cli_length_text(r->decomposed_rmse).text,
          cli_length_text(r->static_rmse).text, cli_length_text(r->rmse).text);
  report_materials(cli, r, materials);
}

/* For the character with its helpers, whose joints its reader numbers as in `map`. */
static SupResult pack(const CliContext *cli, const SupCharacter *character, const uint32_t *map,
                      const Materials *materials, SupHelpersTrained *io_trained,
                      SupModel **out_model, SupError *error) {
  SupHelpersMaterialDef defs[SUP_HELPERS_MATERIALS];
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < io_trained->material_count && result == SUP_OK; k++) {
    result = sup_helpers_renumber(cli->arena, map, &io_trained->defs[k], error);
    defs[k] = (SupHelpersMaterialDef){materials->names[k], io_trained->frequency_ratios[k],
                                      &io_trained->defs[k]};
  }
  if (result != SUP_OK) return result;
  if (materials->count == 0) {
    return sup_helpers_pack(cli->arena, character, &io_trained->defs[0], out_model, error);
  }
  return sup_helpers_pack_materials(cli->arena, character, materials->count, defs, out_model,
                                    error);
}

SupResult cli_build_controllers(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  SupHelpersTrainDef def = sup_helpers_train_def(build->source.character);
  SupHelpersTrained trained;
  SupHelpersTrainReport learned;
  Materials materials = {0};
  def.bind_to_scene = build->source.found->bind_to_scene;
  read_options(cli, &def);
  SupResult result = refuse_helpers(build, error);
  if (result == SUP_OK) result = read_motions(build, &def, &materials, error);
  if (result != SUP_OK) return result;
  const double began = cli_seconds();
  result = sup_helpers_train(cli->arena, &def, &trained, &learned, error);
  cli_timing(cli, "learn", began);
  if (result != SUP_OK) return result;
  const uint32_t joints = build->source.character->skeleton.joint_count;
  uint32_t *map = SUP_ALLOC(cli->arena, uint32_t, (size_t)joints + trained.def.helper_count);
  const SupGltfCharacter *now;
  SupModel *model;
  if (!map) return sup_fail_memory(error, NULL);
  result = cli_add_helpers(cli, &build->source, trained.def.helper_count, trained.helpers,
                           trained.skin, &now, map, error);
  if (result == SUP_OK) {
    build->source.found = now;
    build->source.character = &now->character;
    result = pack(cli, &now->character, map, &materials, &trained, &model, error);
  }
  if (result != SUP_OK) return result;
  build->model = model;
  const char **names = SUP_ALLOC(cli->arena, const char *, joints + trained.def.helper_count);
  if (!names) return sup_fail_memory(error, NULL);
  for (uint32_t j = 0; j < joints + trained.def.helper_count; j++) {
    names[j] = now->character.skeleton.names[map[j]];
  }
  report(cli, &learned, &materials, joints, names, model);
  return SUP_OK;
}
