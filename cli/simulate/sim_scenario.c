/* SPDX-License-Identifier: MIT */
/* Whole scenarios: their options and the user's to definitions, reports to text. */
#include "simulate/sim_scenario.h"

#include <string.h>

#include "simulate/scenario_flesh.h"
#include "supple/app/run_scenario.h"
#include "tell_made.h"

bool cli_is_scenario(const char *path) {
  size_t length = strlen(path);
  return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

typedef struct Stage {
  CliContext *cli;
  CliContext inner; /* of the parts: what they say is indented, without the folder */
  SupScenario scenario;
  SupFill volume; /* tetrahedra of a file */
} Stage;

static SupResult settings(void *user, const SupAppContext *app, const SupCharacterFile *file,
                          bool still, SupSimulateDef *io_def, SupError *error) {
  Stage *stage = user;
  CliArguments *arguments = SUP_ALLOC(app->arena, CliArguments, 1);
  if (!arguments) return sup_fail_memory(error, NULL);
  SupResult result = cli_scenario_arguments(stage->cli, &stage->scenario, stage->cli->arguments,
                                            still, arguments, error);
  if (result != SUP_OK) return result;
  stage->inner.arguments = arguments;
  io_def->done = cli_say_simulated;
  io_def->user = &stage->inner;
  return cli_read_simulation(&stage->inner, file, false, &stage->volume, io_def, error);
}

/* ---- Telling -------------------------------------------------------------------------------- */

static void say_run(const CliContext *cli, const SupScenarioRun *run) {
  for (uint32_t k = 0; k < run->secondary_count; k++) {
    const SupSecondary *s = &run->secondary[k];
    cli_say(cli, "%s (%s): %.1f Hz, %.2f %% of the height (at most %.2f %%)\n", s->clip,
            s->unseen ? "unseen" : "training", s->frequency, 100 * s->amplitude, 100 * s->worst);
  }
  cli_say(cli, "all clips: %.1f Hz, %.2f %% of the height\n", run->frequency, 100 * run->amplitude);
}

static void say_stage(void *user, SupScenarioStage stage, const SupScenarioReport *r) {
  const Stage *s = user;
  const CliContext *cli = s->cli;
  const SupScenarioRun *run = r->run_count ? &r->runs[r->run_count - 1] : NULL;
  switch (stage) {
    case SUP_SCENARIO_BEGUN:
      cli_say(cli, "%s%s%s\n", s->scenario.name, *s->scenario.about ? ": " : "", s->scenario.about);
      break;
    case SUP_SCENARIO_MADE: cli_say_made(&s->inner, r->made, r->character_path); break;
    case SUP_SCENARIO_GRAVITY:
      cli_say(cli, run->gravity != 0 ? "under gravity:\n" : "without gravity:\n");
      break;
    case SUP_SCENARIO_MEASURED: say_run(cli, run); break;
  }
}

static void report_part(CliReport *report, const char *name, const SupSimulateReport *r) {
  if (!r->body.tet_count) return;
  cli_report_begin_object(report, name);
  cli_report_simulated(report, r);
  cli_report_end(report);
}

static void report_run(CliReport *report, const SupScenarioRun *run) {
  cli_report_begin_object(report, NULL);
  cli_report_number(report, "gravity", run->gravity);
  report_part(report, "moving", &run->moving);
  report_part(report, "static", &run->still);
  report_part(report, "poses", &run->poses);
  cli_report_begin_array(report, "secondary");
  for (uint32_t k = 0; k < run->secondary_count; k++) {
    const SupSecondary *s = &run->secondary[k];
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "clip", s->clip);
    cli_report_text(report, "use", s->unseen ? "unseen" : "training");
    cli_report_number(report, "frequency", s->frequency);
    cli_report_number(report, "amplitude_percent", 100 * s->amplitude);
    cli_report_number(report, "worst_percent", 100 * s->worst);
    cli_report_number(report, "rms_percent", 100 * s->rms);
    cli_report_end(report);
  }
  cli_report_end(report);
  if (run->measured) {
    cli_report_number(report, "frequency", run->frequency);
    cli_report_number(report, "amplitude_percent", 100 * run->amplitude);
  }
  cli_report_end(report);
}

static void report_all(CliReport *report, const SupScenario *scenario, const SupScenarioReport *r) {
  cli_report_text(report, "scenario", scenario->name);
  cli_report_integer(report, "scenario_seed", (int64_t)r->seed);
  if (r->made) {
    cli_report_begin_object(report, "make");
    cli_report_made(report, r->made);
    cli_report_end(report);
  }
  cli_report_begin_array(report, "runs");
  for (uint32_t k = 0; k < r->run_count; k++) report_run(report, &r->runs[k]);
  cli_report_end(report);
}

/* ---- Doing it ------------------------------------------------------------------------------- */

/* The folder of a path, with its slash, or "". */
static const char *folder_of(CliContext *cli, const char *path) {
  const char *slash = strrchr(path, '/');
  return sup_arena_string(cli->arena, path, slash ? (size_t)(slash - path) + 1 : 0);
}

SupResult cli_run_scenario(CliContext *cli, const char *path, SupError *error) {
  const char *output = cli_text(cli->arguments, "output");
  Stage stage = {.cli = cli, .inner = *cli};
  CliArguments arguments;
  SupScenarioReport report;
  SupScenarioDef def = sup_scenario_def();
  cli->folder = stage.inner.hidden = folder_of(cli, output);
  if (!cli->folder) return sup_fail_memory(error, NULL);
  SupResult result = sup_scenario_read(cli->arena, path, &stage.scenario, error);
  if (result == SUP_OK) {
    result = cli_scenario_arguments(cli, &stage.scenario, cli->arguments, false, &arguments, error);
  }
  if (result != SUP_OK) return result;
  const SupAppContext app = cli_app(cli);
  stage.inner.arguments = &arguments;
  def.open = cli_open_def(&stage.inner);
  def.clips = cli_names(cli, "clip");
  def.has_gravity = cli_count(cli->arguments, "gravity") > 0;
  def.gravity = cli_number(cli->arguments, "gravity");
  def.has_seed = cli_count(cli->arguments, "seed") > 0;
  def.settings = settings;
  def.stage = say_stage;
  def.user = &stage;
  result = sup_run_scenario(&app, path, &stage.scenario, &def, output, &report, error);
  report_all(cli->report, &stage.scenario, &report);
  return result;
}
