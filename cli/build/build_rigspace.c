/* SPDX-License-Identifier: MIT */
/* supple build rigspace: rig, volume and weights of `play --as curves`, made once and stored. */
#include "build/build_kinds.h"
#include "character/curve_options.h"
#include "formats.h"
#include "supple/app/play_curves.h"
#include "supple/io/file.h"

static SupResult check(CliBuild *build, SupError *error) {
  static const char *const others[] = {"fresh", "force", "rebind"};
  const CliArguments *arguments = build->cli->arguments;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    if (!cli_count(arguments, others[k])) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s has no effect on a set-up; leave it out",
                    others[k]);
  }
  if (build->document) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: a set-up is a file of its own, beside the character; give it a name that "
                    "ends in .supple",
                    cli_text(arguments, "output"));
  }
  return cli_rig_command_check(arguments, error);
}

static void report(const CliContext *cli, const SupCurvesReport *r, const SupModel *model,
                   const char *path) {
  cli_say(cli, "rig '%s': %u free parameters", cli_shown(cli, r->rig), r->free_count);
  if (r->helper_count) cli_say(cli, ", %u helper joints", r->helper_count);
  cli_say(cli, "; %s tetrahedra, %s nodes inside\n", cli_count_text(r->tet_count).text,
          cli_count_text(r->inside_count).text);
  cli_say(cli, "%s: a set-up for `supple play --as curves --setup`, %s\n", path,
          cli_bytes_text(model->bytes).text);
  cli_report_text(cli->report, "rig", r->rig);
  cli_report_integer(cli->report, "parameters", r->parameter_count);
  cli_report_integer(cli->report, "free_parameters", r->free_count);
  cli_report_integer(cli->report, "helpers", r->helper_count);
  cli_report_integer(cli->report, "tetrahedra", r->tet_count);
  cli_report_integer(cli->report, "surface_nodes", r->surface_count);
  cli_report_integer(cli->report, "inside_nodes", r->inside_count);
  cli_report_integer(cli->report, "examples", r->example_count);
  cli_report_number(cli->report, "weights_mean", r->weight_mean);
  cli_report_number(cli->report, "young", r->flesh.young);
  cli_report_hash(cli->report, "model_hash", sup_hash(model, (size_t)model->bytes, 0));
}

static SupResult make(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  const SupAppContext app = cli_app(cli);
  const char *path = cli_text(cli->arguments, "output");
  SupCurvesDef def = sup_curves_def();
  SupCurvesReport made;
  const SupModel *model;
  cli_read_setup_options(cli, &def);
  build->saved = true;
  SupResult result = sup_build_rigspace(&app, &build->source, &def, &made, &model, error);
  if (result == SUP_OK) {
    result = sup_file_save(cli->allocator, path, model, (size_t)model->bytes, error);
  }
  if (result == SUP_OK) report(cli, &made, model, path);
  return result;
}

static const CliOption options[] = {
    {.name = "rig",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "store this rig file (.json)",
     .otherwise = "helper joints where the flesh is thick"},
    {.name = "clip",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "take the poses that weights are fitted to from this clip, or @calibration",
     .otherwise = "all clips",
     .repeated = true},
    CLI_FLESH_OPTION(""),
    CLI_FLESH_TETS_OPTION(""),
    {.name = "lock",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "keep a parameter or zone of the rig at rest",
     .advanced = true,
     .repeated = true},
    {.name = "save-rig",
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "write the rig as well, to be edited and given as --rig",
     .advanced = true},
    CLI_RIG_COMMAND_OPTIONS(""),
    {.name = "amplitude",
     .kind = CLI_NUMBER,
     .value_name = "FACTOR",
     .help = "exaggerate the motion of the clips by this factor",
     .advanced = true,
     .fallback = "1",
     .low = 0,
     .high = 10},
    {0},
};

static SupResult run(CliContext *cli, SupError *error) {
  return cli_build(cli, check, make, error);
}

const CliVerb cli_kind_rigspace = {
    .name = "rigspace",
    .summary = "store what `play --as curves` needs for every clip: rig, volume, weights",
    .usage = "IN.glb -o OUT.supple [options]",
    .details =
        "Chooses the rig, fills the body with tetrahedra that the rig moves, chooses the flesh\n"
        "and fits weights of the flesh inside, which `supple play --as curves` does in every run\n"
        "otherwise. With the same options and clips the curves are the same, to the last bit.\n"
        "The file belongs to this character: one with another mesh, skeleton or skin refuses it.\n",
    .example =
        "supple build rigspace mochi.glb --clip jump -o mochi-setup.supple\n"
        "supple play mochi.glb --as curves --setup mochi-setup.supple --clip jump "
        "-o mochi-curves.glb",
    .options = options,
    .run = run,
};
