/* SPDX-License-Identifier: MIT */
/* supple build modes: the vibration modes of the flesh. */
#include <string.h>

#include "build/build_kinds.h"
#include "formats.h"
#include "simulate/scenario_flesh.h"
#include "simulate/sim_options.h"
#include "supple/app/choose_flesh.h"
#include "supple/modes.h"
#include "supple/train/modes.h"

/* The damping ratio of flesh whose frequency is given and whose material is not. */
#define USUAL_DAMPING 0.1

static const float *find_map(const SupCharacter *character, const char *name) {
  for (uint32_t k = 0; k < character->map_count; k++) {
    if (strcmp(character->maps[k].name, name) == 0) return character->maps[k].values;
  }
  return NULL;
}

static void report_modes(const CliContext *cli, const SupModesTrainReport *r,
                         const SupModel *model) {
  cli_say(cli, "%u tetrahedra, %u nodes, tied to %u of %u bones, %s free to move\n", r->tet_count,
          r->node_count, r->attach.bone_count, r->attach.weighted_count,
          cli_mass_text(r->mass).text);
  cli_say(cli, "modes: %u from %.3g to %.3g Hz, damping ratio %.2g to %.2g, %.0f %% of the mass\n",
          r->mode_count, r->frequencies[0], r->frequencies[r->mode_count - 1], r->damping_ratio[0],
          r->damping_ratio[r->mode_count - 1], 100 * r->covered);
  if (r->zone_count) cli_say(cli, "each of %u zones has modes of its own\n", r->zone_count);
  cli_say(cli, "maximum displacement: %s per m/s^2 of bone acceleration\n",
          cli_length_text(r->worst).text);
  cli_report_begin_object(cli->report, "modes");
  cli_report_integer(cli->report, "count", r->mode_count);
  cli_report_integer(cli->report, "zones", r->zone_count);
  cli_report_integer(cli->report, "tetrahedra", r->tet_count);
  cli_report_integer(cli->report, "nodes", r->node_count);
  cli_report_integer(cli->report, "free_nodes", r->free_count);
  cli_report_integer(cli->report, "pairs_of_bones", r->pair_count);
  cli_report_number(cli->report, "mass", r->mass);
  cli_report_number(cli->report, "mass_covered", r->covered);
  cli_report_number(cli->report, "worst_per_acceleration", r->worst);
  cli_report_integer(cli->report, "worst_vertex", r->worst_vertex);
  cli_report_integer(cli->report, "bytes", (int64_t)model->bytes);
  cli_report_begin_array(cli->report, "frequencies");
  for (uint32_t k = 0; k < r->mode_count; k++) {
    cli_report_number(cli->report, NULL, r->frequencies[k]);
  }
  cli_report_end(cli->report);
  cli_report_begin_array(cli->report, "damping_ratios");
  for (uint32_t k = 0; k < r->mode_count; k++) {
    cli_report_number(cli->report, NULL, r->damping_ratio[k]);
  }
  cli_report_end(cli->report);
  cli_report_end(cli->report);
}

/* The flesh of a scenario, or of --material, --tets and --edge. */
static SupResult read_flesh(CliContext *cli, const CliCharacter *source, SupModesTrainDef *def,
                            SupFill *volume, SupError *error) {
  const SupCharacter *character = source->character;
  static const char *const other[] = {"material", "tets", "edge"};
  const char *scenario = cli_text(cli->arguments, "scenario");
  SupSimDef flesh = {.attach = def->attach};
  SupFillReport filled;
  if (cli_count(cli->arguments, "material") > 1) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--material: modes have one material; leave the others out");
  }
  if (!scenario) {
    SupResult result =
        sup_material_preset(cli_text(cli->arguments, "material"), &def->material, error);
    if (cli_count(cli->arguments, "material") == 0 && def->frequency > 0) {
      if (!(def->damping_ratio > 0)) def->damping_ratio = USUAL_DAMPING;
    }
    return result ? result : cli_read_volume(cli, character, &def->fill, volume, &filled, error);
  }
  for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
    if (cli_count(cli->arguments, other[k]) == 0) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--scenario defines the flesh; leave --%s out",
                    other[k]);
  }
  const SupAppContext app = cli_app(cli);
  SupLockDef lock;
  SupHardParts hard;
  SupResult result = cli_scenario_flesh(cli, scenario, character, &flesh, &lock, volume, error);
  if (result == SUP_OK) result = sup_lock_character(&app, source, &lock, &hard, error);
  if (result != SUP_OK) return result;
  cli_say_hard(cli, &hard);
  cli_report_hard(cli->report, &hard);
  flesh.attach.lock = hard.lock;
  def->material = flesh.material;
  def->bone_materials = flesh.bone_materials;
  def->bone_stiffness = flesh.bone_stiffness;
  def->attach = flesh.attach;
  def->fill = flesh.fill;
  return SUP_OK;
}

/* Without a word about how fast it swings, the flesh that all verbs choose for this body; another
 * material than fat is as many times stiffer. */
static SupResult choose_flesh(CliContext *cli, const SupCharacter *character,
                              SupModesTrainDef *io_def, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupSimDef flesh = sup_sim_def(character, app.allocator);
  flesh.material = io_def->material;
  flesh.fill = io_def->fill;
  flesh.volume = io_def->volume;
  flesh.attach = io_def->attach;
  flesh.vertex_stiffness = io_def->vertex_stiffness;
  flesh.unit = SUP_UNIT_AUTO;
  flesh.jobs = cli->jobs;
  SupFleshChoice choice;
  SupResult result = sup_choose_flesh(&app, character, false, &flesh, &choice, error);
  if (result != SUP_OK) return result;
  sup_note_flesh(&app, &choice);
  cli_report_flesh(cli->report, &choice);
  sup_flesh_for_modes(&flesh, io_def);
  return SUP_OK;
}

/* --zone BONE ..., or --limbs. */
static SupResult read_zones(CliContext *cli, const SupCharacter *character, SupModesTrainDef *def,
                            SupError *error) {
  if (!cli_flag(cli->arguments, "limbs")) {
    return cli_read_zones(cli, character, &def->bone_zones, error);
  }
  if (cli_count(cli->arguments, "zone")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "give --zone or --limbs, not both");
  }
  uint32_t count, *zones = SUP_ALLOC(cli->arena, uint32_t, character->skeleton.bone_count);
  if (!zones) return sup_fail_memory(error, NULL);
  def->bone_zones = zones;
  return sup_modes_limbs(cli->arena, character, zones, &count, error);
}

static SupResult make(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  const SupCharacter *character = build->source.character;
  SupModesTrainDef def = sup_modes_train_def(character);
  SupFill volume = {0};
  SupModesTrainReport report;
  SupModel *model;
  def.mode_count = (uint32_t)cli_integer(cli->arguments, "modes");
  def.frequency =
      cli_count(cli->arguments, "frequency") ? cli_number(cli->arguments, "frequency") : 0;
  def.damping_ratio =
      cli_count(cli->arguments, "damping") ? cli_number(cli->arguments, "damping") : 0;
  def.warp = cli_flag(cli->arguments, "warp");
  def.attach.lock = find_map(character, "lock");
  def.vertex_stiffness = find_map(character, "material");
  def.jobs = cli->jobs;
  const double began = cli_seconds();
  SupResult result = cli_refuse_inertia(build, SUP_MODES_KIND, error);
  if (result == SUP_OK) result = read_flesh(cli, &build->source, &def, &volume, error);
  if (result == SUP_OK) result = read_zones(cli, character, &def, error);
  if (result != SUP_OK) return result;
  if (volume.mesh.tet_count) def.volume = &volume;
  if (!cli_text(cli->arguments, "scenario") && !(def.frequency > 0)) {
    result = choose_flesh(cli, character, &def, error);
    if (result != SUP_OK) return result;
  }
  result = sup_modes_train(cli->arena, &def, &model, &report, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", build->source.path);
    return result;
  }
  cli_timing(cli, "modes", began);
  report_modes(cli, &report, model);
  build->model = model;
  return SUP_OK;
}

/* ---- The page -------------------------------------------------------------------------------- */

static const CliOption options[] = {
    {.name = "material",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "choose the material: fat, soft, firm, muscle, jelly or rubber",
     .otherwise = "fat",
     .fallback = "fat",
     .repeated = true},
    {.name = "frequency",
     .kind = CLI_NUMBER,
     .value_name = "HZ",
     .help = "set the fundamental, the natural frequency of the lowest mode",
     .otherwise = "chosen for the body, as `simulate` does",
     .low = 0.2,
     .high = 9},
    {.name = "damping",
     .kind = CLI_NUMBER,
     .value_name = "RATIO",
     .help = "set the damping ratio of the lowest mode",
     .otherwise = "of the material; 0.1 with --frequency alone",
     .low = 0.01,
     .high = 1},
    {.name = "modes",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the number of modes, counted from the lowest (of each zone)",
     .fallback = "15",
     .low = 1,
     .high = 1024},
    {.name = "zone",
     .kind = CLI_TEXT,
     .value_name = "BONE",
     .help = "compute modes only for the flesh of this bone and those below it; several zones "
             "are independent",
     .repeated = true,
     .advanced = true},
    {.name = "limbs",
     .kind = CLI_FLAG,
     .help = "make the trunk and every limb a zone of its own",
     .advanced = true},
    {.name = "warp",
     .kind = CLI_FLAG,
     .help = "let large displacements follow an arc; takes twice the memory",
     .advanced = true},
    {.name = "scenario",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "use the flesh of a scenario of `supple simulate`",
     .advanced = true},
    {.name = "tets",
     .kind = CLI_INPUT,
     .value_name = "N|FILE",
     .help = "fill the body with about N tetrahedra, or use those of a .mesh, .msh, .node or .ele",
     .fallback = "5000",
     .advanced = true},
    {.name = "edge",
     .kind = CLI_NUMBER,
     .value_name = "METRES",
     .help = "set the spacing of the lattice instead of the number of tetrahedra",
     .low = 1e-6,
     .high = 1000,
     .advanced = true},
    {0},
};

static SupResult run(CliContext *cli, SupError *error) { return cli_build(cli, NULL, make, error); }

const CliVerb cli_kind_modes = {
    .name = "modes",
    .summary = "make the vibration modes of the body's volume, the cheapest dynamics",
    .usage = "IN.glb [--material NAME] -o OUT.glb [options]",
    .details =
        "Fills the body with tetrahedra, computes its lowest vibration modes and lets the\n"
        "motion of the bones excite them. Needs no examples. A `surface` on top adds contact,\n"
        "pulls and forces. Painted maps `lock` and `material` are used.\n",
    .example = "supple build modes mochi.glb --modes 10 --tets 1000 -o mochi-modes.glb",
    .options = options,
    .run = run,
};
