/* SPDX-License-Identifier: MIT */
/* supple build correctives: the shape that every pose gives to flesh, from examples. */
#include "build/build_kinds.h"
#include "character/examples.h"
#include "supple/helpers.h"
#include "supple/train/correctives.h"

static void report(const CliContext *cli, const SupCorrectivesTrainReport *r,
                   const SupModel *model) {
  cli_say(cli, "correctives: %u components of %u features (%u joints%s) from %u poses\n",
          r->component_count, r->feature_count, r->driver_count,
          r->heavy_count ? " and the direction of gravity" : "", r->example_count);
  cli_say(cli, "relative error %.2f on the examples, %.2f on held-out ones\n", r->left,
          r->left_out);
  cli_report_begin_object(cli->report, "correctives");
  cli_report_integer(cli->report, "components", r->component_count);
  cli_report_integer(cli->report, "features", r->feature_count);
  cli_report_integer(cli->report, "products", r->product_count);
  cli_report_integer(cli->report, "joints", r->driver_count);
  cli_report_integer(cli->report, "poses", r->example_count);
  cli_report_number(cli->report, "ridge", r->ridge);
  cli_report_number(cli->report, "size", r->size);
  cli_report_number(cli->report, "left", r->left);
  cli_report_number(cli->report, "left_out", r->left_out);
  cli_report_number(cli->report, "lost_by_components", r->lost);
  cli_report_integer(cli->report, "bytes", (int64_t)model->bytes);
  cli_report_end(cli->report);
}

/* Examples as the layers below leave them: helpers move their joints first. */
static SupResult make_examples(CliBuild *build, float gravity, uint32_t count, CliExample *examples,
                               SupCorrectivesTrainDef *io_def, SupError *error) {
  const SupAppContext app = cli_app(build->cli);
  SupCorrectivesExample *list = SUP_ALLOC(build->cli->arena, SupCorrectivesExample, count);
  if (!list) return sup_fail_memory(error, NULL);
  bool moving = false;
  for (uint32_t k = 0; k < count; k++) {
    SupResult result = sup_move_poses(&app, &build->source, &build->models, gravity,
                                      examples[k].clip, &examples[k].samples, error);
    if (result != SUP_OK) return result;
    list[k] = (SupCorrectivesExample){examples[k].samples, examples[k].clip != NULL};
    moving = moving || list[k].moving;
  }
  if (!moving && cli_models_find(&build->models, SUP_HELPERS_KIND)) {
    cli_say(build->cli,
            "note: helpers settle otherwise than they swing; give the motion that taught them as "
            "an example too\n");
  }
  io_def->example_count = count;
  io_def->examples = list;
  return SUP_OK;
}

static SupResult make(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  SupCorrectivesTrainDef def = sup_correctives_train_def(build->source.character);
  SupCorrectivesTrainReport learned;
  SupModel *model;
  CliExample *examples;
  uint32_t count;
  double began = cli_seconds();
  SupResult result = cli_read_examples(cli, &build->source, &examples, &count, error);
  if (result != SUP_OK) return result;
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "correctives are learned: simulate static poses with `supple simulate IN.glb "
                    "--poses 120 -o p.pc2` and add --example p.pc2 --clip @poses (and "
                    "the same with --far and @far, for motion beyond the clips)");
  }
  const float gravity = (float)cli_number(cli->arguments, "gravity");
  result = make_examples(build, gravity, count, examples, &def, error);
  if (result != SUP_OK) return result;
  def.component_count = (uint32_t)cli_integer(cli->arguments, "components");
  def.centre_count = (uint32_t)cli_integer(cli->arguments, "centres");
  if (cli_flag(cli->arguments, "no-products")) def.products = 0;
  def.gravity.y = -gravity;
  def.jobs = cli->jobs;
  cli_timing(cli, "read", began);
  began = cli_seconds();
  result = sup_correctives_train(cli->arena, &def, &model, &learned, error);
  if (result != SUP_OK) return result;
  cli_timing(cli, "correctives", began);
  report(cli, &learned, model);
  build->model = model;
  return SUP_OK;
}

/* ---- The page -------------------------------------------------------------------------------- */

static const CliOption options[] = {
    CLI_EXAMPLE_OPTIONS,
    {.name = "components",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the maximum number of components",
     .fallback = "48",
     .low = 1,
     .high = 1024},
    {.name = "gravity",
     .kind = CLI_NUMBER,
     .value_name = "M/S2",
     .help = "give the downward gravity that the examples were simulated with",
     .fallback = "0",
     .low = -1000,
     .high = 1000},
    {.name = "no-products",
     .kind = CLI_FLAG,
     .help = "use rotations of single joints only, no products of neighbours",
     .advanced = true},
    {.name = "centres",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "also interpolate between N example poses",
     .fallback = "0",
     .low = 0,
     .high = 10000,
     .advanced = true},
    {0},
};

static SupResult run(CliContext *cli, SupError *error) { return cli_build(cli, NULL, make, error); }

const CliVerb cli_kind_correctives = {
    .name = "correctives",
    .summary = "learn how flesh deforms in each pose, from static poses; no dynamics",
    .usage = "IN.glb --example X.pc2 --clip NAME -o OUT.glb [options]",
    .details =
        "Learns the offset from plain skinning as a function of the joint rotations. Static\n"
        "poses are the best examples: `supple simulate --poses` writes them.\n",
    .example =
        "supple make tube --vertices 494 -o tube.glb\n"
        "supple simulate tube.glb --poses 12 --tets 500 -o poses.pc2\n"
        "supple build correctives tube.glb --example poses.pc2 --clip @poses -o tube-shape.glb",
    .options = options,
    .run = run,
};
