/* SPDX-License-Identifier: MIT */
/* Curves of a rig: options to definition, report to text. */
#include "character/curve_options.h"

#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "simulate/sim_options.h"
#include "supple/app/play_curves.h"

const char *const cli_flesh_names[] = {"fat", "soft", "firm", "muscle", "jelly", "rubber", NULL};
const char *const cli_inside_names[] = {"skinned", "balance", NULL};

/* ---- Options -------------------------------------------------------------------------------- */

SupResult cli_curves_check(const CliArguments *arguments, bool curves, SupError *error) {
  static const char *const own[] = {
      "rig",         "additive",      "weight",   "mute",    "lock",  "flesh",
      "tets",        "key-tolerance", "states",   "from",    "step",  "inside",
      "save-rig",    "ground",        "obstacle", "capsule", "plane", "rig-command",
      "rig-timeout", "setup",         "keep",     "edited"};
  static const char *const others[] = {
      "bones",   "tolerance", "targets", "skinning", "plain",      "preroll",  "beat",
      "pattern", "gate",      "bars",    "events",   "exaggerate", "material", "exaggerate-bone",
      "before",  "size",      "frames",  "azimuth",  "elevation",  "rebind",   "after"};
  for (size_t k = 0; k < sizeof own / sizeof *own && !curves; k++) {
    if (!cli_count(arguments, own[k])) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s belongs to --as curves; add that", own[k]);
  }
  for (size_t k = 0; k < sizeof others / sizeof *others && curves; k++) {
    if (!cli_count(arguments, others[k])) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s has no effect with --as curves; leave it out",
                    others[k]);
  }
  if (curves && cli_count(arguments, "influences") &&
      (cli_count(arguments, "rig") || cli_count(arguments, "rig-command"))) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--influences is for helpers that are made for the body; a rig file says it "
                    "itself (\"influences\"), so leave it out");
  }
  static const char *const stored[] = {"rig", "flesh", "tets", "save-rig", "influences"};
  for (size_t k = 0; k < sizeof stored / sizeof *stored && cli_count(arguments, "setup"); k++) {
    if (!cli_count(arguments, stored[k])) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--%s belongs to `supple build rigspace`: --setup has its own; leave one out",
                    stored[k]);
  }
  return cli_rig_command_check(arguments, error);
}

SupResult cli_rig_command_check(const CliArguments *arguments, SupError *error) {
  if (cli_count(arguments, "rig-timeout") && !cli_count(arguments, "rig-command")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--rig-timeout belongs to --rig-command; add that");
  }
  if (cli_count(arguments, "rig-command") && !*cli_text(arguments, "rig-command")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--rig-command is empty; give the command of a rig");
  }
  return SUP_OK;
}

/* NAME=FRACTION, as often as it is given. */
static SupResult read_weights(CliContext *cli, SupCurvesDef *def, SupError *error) {
  const uint32_t count = cli_count(cli->arguments, "weight");
  SupCurveWeight *weights = SUP_ALLOC(cli->arena, SupCurveWeight, count);
  if (!weights) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const char *text = cli_text_at(cli->arguments, "weight", k), *sign = strrchr(text, '=');
    char *end = NULL;
    weights[k].weight = sign ? strtod(sign + 1, &end) : 0;
    if (!sign || sign == text || end == sign + 1 || *end ||
        !(weights[k].weight >= 0 && weights[k].weight <= 10)) {
      return sup_fail(
          error, SUP_ERROR_ARGUMENT,
          "--weight: '%s' is not NAME=FRACTION, a parameter or zone and a number from 0 "
          "to 10",
          text);
    }
    weights[k].name = sup_arena_string(cli->arena, text, (size_t)(sign - text));
    if (!weights[k].name) return sup_fail_memory(error, NULL);
  }
  def->weight_count = count;
  def->weights = weights;
  return SUP_OK;
}

/* NAME=START,END,RAMP, as often as it is given. */
static SupResult read_keeps(CliContext *cli, SupCurvesDef *def, SupError *error) {
  const uint32_t count = cli_count(cli->arguments, "keep");
  SupCurveKeep *keeps = SUP_ALLOC(cli->arena, SupCurveKeep, count);
  if (!keeps) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const char *text = cli_text_at(cli->arguments, "keep", k), *sign = strrchr(text, '=');
    double n[3] = {0, 0, 0.1};
    uint32_t found;
    if (!sign || sign == text || !cli_read_numbers(sign + 1, n, 2, 3, &found) || !(n[0] <= n[1]) ||
        !(n[2] >= 0)) {
      return cli_bad_numbers(
          "keep", text, "NAME=START,END or NAME=START,END,RAMP, seconds, START before END", error);
    }
    keeps[k] =
        (SupCurveKeep){sup_arena_string(cli->arena, text, (size_t)(sign - text)), n[0], n[1], n[2]};
    if (!keeps[k].name) return sup_fail_memory(error, NULL);
  }
  def->keep_count = count;
  def->keeps = keeps;
  def->edited = cli_text(cli->arguments, "edited");
  return SUP_OK;
}

void cli_read_setup_options(const CliContext *cli, SupCurvesDef *def) {
  const CliArguments *arguments = cli->arguments;
  def->rig = cli_text(arguments, "rig");
  def->rig_command = cli_text(arguments, "rig-command");
  def->rig_timeout = cli_number(arguments, "rig-timeout");
  def->material = cli_text(arguments, "flesh");
  def->tets = (uint32_t)cli_integer(arguments, "tets");
  def->clips = cli_names(cli, "clip");
  def->amplitude = cli_number(arguments, "amplitude");
  def->lock = cli_names(cli, "lock");
  def->save_rig = cli_text(arguments, "save-rig");
}

static SupResult read_options(CliContext *cli, SupCurvesDef *def, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  *def = sup_curves_def();
  cli_read_setup_options(cli, def);
  def->setup = cli_text(arguments, "setup");
  if (cli_count(arguments, "influences")) {
    def->influences = (uint32_t)cli_integer(arguments, "influences");
  }
  def->gravity = cli_number(arguments, "gravity");
  def->fps = cli_number(arguments, "fps");
  def->step = cli_number(arguments, "step");
  def->balance = cli_integer(arguments, "inside") == 1;
  def->loop = cli_flag(arguments, "loop");
  def->tolerance = cli_number(arguments, "key-tolerance") / 100;
  def->mute = cli_names(cli, "mute");
  def->additive = cli_flag(arguments, "additive");
  def->order = cli_order(arguments);
  def->states = cli_text(arguments, "states");
  def->from = cli_count(arguments, "from") ? (uint32_t)cli_integer(arguments, "from") : 0;
  SupResult result = cli_read_curve_obstacles(cli, def, error);
  if (result == SUP_OK) result = read_keeps(cli, def, error);
  return result == SUP_OK ? read_weights(cli, def, error) : result;
}

/* ---- Text ----------------------------------------------------------------------------------- */

static void say_clip(const CliContext *cli, const SupCurvesClip *clip) {
  cli_say(cli, "%s: %u frames, %u curves, %s keys of %s samples; the skin moves up to %s\n",
          cli_shown(cli, clip->name), clip->curves.frame_count, clip->curves.curve_count,
          cli_count_text(clip->key_count).text, cli_count_text(clip->sample_count).text,
          cli_length_text(clip->moved).text);
  if (clip->carried_count) {
    cli_say(cli,
            "  note: %u of %u steps could not be solved, and the flesh was carried along; the skin "
            "may fold there\n",
            clip->carried_count, clip->step_count);
  }
  if (clip->rounds > 1) cli_say(cli, "  the loop closes after %u rounds\n", clip->rounds);
  cli_detail(cli,
             "  %u steps, %u tried again in halves, %u Newton iterations, det F %.2g, %.1f s\n",
             clip->step_count, clip->halved_count, clip->iterations, clip->determinant_least,
             clip->seconds);
}

static void report_clip(CliReport *report, const SupCurvesClip *clip) {
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "clip", clip->name);
  cli_report_text(report, "output", clip->path);
  cli_report_integer(report, "frames", clip->curves.frame_count);
  cli_report_integer(report, "curves", clip->curves.curve_count);
  cli_report_integer(report, "keys", clip->key_count);
  cli_report_integer(report, "samples", clip->sample_count);
  cli_report_integer(report, "steps", clip->step_count);
  cli_report_integer(report, "steps_halved", clip->halved_count);
  cli_report_integer(report, "steps_carried", clip->carried_count);
  cli_report_integer(report, "iterations", clip->iterations);
  cli_report_integer(report, "jacobians", clip->jacobians);
  cli_report_integer(report, "rounds", clip->rounds);
  cli_report_number(report, "determinant_least", clip->determinant_least);
  cli_report_number(report, "largest_change", clip->reach);
  cli_report_number(report, "largest_distance", clip->moved);
  cli_report_number(report, "seconds", clip->seconds);
  cli_report_end(report);
}

static void tell(const CliContext *cli, const SupCurvesReport *r) {
  CliReport *report = cli->report;
  cli_say(cli, "rig '%s': %u free parameters", cli_shown(cli, r->rig), r->free_count);
  if (r->helper_count) cli_say(cli, ", %u helper joints", r->helper_count);
  cli_say(cli, "; %s tetrahedra\n", cli_count_text(r->tet_count).text);
  cli_report_text(report, "rig", r->rig);
  cli_report_integer(report, "parameters", r->parameter_count);
  cli_report_integer(report, "free_parameters", r->free_count);
  cli_report_integer(report, "helpers", r->helper_count);
  cli_report_integer(report, "tetrahedra", r->tet_count);
  cli_report_integer(report, "surface_nodes", r->surface_count);
  cli_report_integer(report, "inside_nodes", r->inside_count);
  cli_report_integer(report, "examples", r->example_count);
  cli_report_number(report, "weights_mean", r->weight_mean);
  cli_report_number(report, "frequency", r->frequency);
  cli_report_number(report, "young", r->flesh.young);
  cli_report_begin_array(report, "clips");
  for (uint32_t k = 0; k < r->clip_count; k++) {
    say_clip(cli, &r->clips[k]);
    report_clip(report, &r->clips[k]);
  }
  cli_report_end(report);
}

SupResult cli_play_curves(CliContext *cli, const CliCharacter *source, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const char *path = cli_text(cli->arguments, "output");
  SupCurvesDef def;
  SupCurvesReport report;
  SupResult result = read_options(cli, &def, error);
  if (result == SUP_OK) result = sup_play_curves(&app, source, &def, path, &report, error);
  if (result != SUP_OK) return result;
  tell(cli, &report);
  cli_say(cli, "%s: curves that can be edited\n", path);
  return SUP_OK;
}
