/* SPDX-License-Identifier: MIT */
/* supple simulate: the elastic ground truth of clips, poses, clenched muscles, scenarios. */
#include <math.h>
#include <string.h>

#include "character/poses.h"
#include "formats.h"
#include "simulate/sim_options.h"
#include "simulate/sim_scenario.h"

static const char *const kind_names[] = {"corotational", "stvk", "neo-hookean", NULL};
static const char *const integrator_names[] = {"euler", "bdf2", NULL};

static const CliOption options[] = {
    CLI_BAKE_OPTIONS("process only this clip, or @calibration", CLI_CACHE_HELP),
    {.name = "poses",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "simulate N sampled static poses instead of clips, a frame each",
     .low = 1,
     .high = 100000},
    {.name = "far",
     .kind = CLI_FLAG,
     .help = "with --poses: sample beyond the clips, 1.2 to 1.8 times their range",
     .advanced = true},
    {.name = "quasistatic",
     .kind = CLI_FLAG,
     .help = "write the equilibrium of every frame, without inertia and pushes"},
    {.name = "material",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "choose the material: fat, soft, firm, muscle, jelly or rubber",
     .fallback = "fat"},
    {.name = "kind",
     .kind = CLI_CHOICE,
     .choices = kind_names,
     .help = "choose the elastic energy",
     .otherwise = "the material's",
     .advanced = true},
    {.name = "young",
     .kind = CLI_NUMBER,
     .value_name = "PA",
     .help = "set Young's modulus",
     .otherwise = "chosen for the body's size and clips"},
    {.name = "poisson",
     .kind = CLI_NUMBER,
     .value_name = "NU",
     .help = "set Poisson's ratio",
     .otherwise = "the material's",
     .advanced = true},
    {.name = "density",
     .kind = CLI_NUMBER,
     .value_name = "KG/M3",
     .help = "set the density",
     .otherwise = "the material's",
     .advanced = true},
    {.name = "drag",
     .kind = CLI_NUMBER,
     .value_name = "1/S",
     .help = "set the mass-proportional damping, of motion relative to the bones",
     .otherwise = "the material's",
     .advanced = true},
    {.name = "stiffening",
     .kind = CLI_NUMBER,
     .value_name = "K",
     .help = "set how much the material stiffens when stretched",
     .otherwise = "the material's",
     .advanced = true},
    CLI_FLESH_OPTIONS("5000"),
    {.name = "bone-radius",
     .kind = CLI_NUMBER,
     .value_name = "METRES",
     .help = "tie flesh at this distance from a bone to it",
     .otherwise = "by thickness",
     .advanced = true,
     .low = 0,
     .high = 1000},
    {.name = "gravity",
     .kind = CLI_NUMBER,
     .value_name = "M/S2",
     .help = "set the downward gravity; 9.81 on Earth",
     .fallback = "0",
     .low = -1000,
     .high = 1000},
    {.name = "sag-free",
     .kind = CLI_FLAG,
     .help = "with --gravity: take the given shape as the shape under gravity",
     .advanced = true},
    {.name = "wind",
     .kind = CLI_TEXT,
     .value_name = "X,Y,Z",
     .help = "set the velocity of the air, in metres per second",
     .advanced = true},
    {.name = "ground",
     .kind = CLI_NUMBER,
     .value_name = "Y",
     .help = "keep flesh above this height, in metres",
     .advanced = true},
    {.name = "obstacle",
     .kind = CLI_TEXT,
     .value_name = "X,Y,Z,R[,VX,VY,VZ]",
     .help = "add a ball, in metres, with its velocity",
     .advanced = true,
     .repeated = true},
    {.name = "capsule",
     .kind = CLI_TEXT,
     .value_name = "AX,AY,AZ,BX,BY,BZ,R[,VX,VY,VZ]",
     .help = "add a capsule from A to B, in metres, with its velocity",
     .advanced = true,
     .repeated = true},
    {.name = "plane",
     .kind = CLI_TEXT,
     .value_name = "X,Y,Z,NX,NY,NZ",
     .help = "add a wall through a point; flesh stays on the side of its normal",
     .advanced = true,
     .repeated = true},
    {.name = "push",
     .kind = CLI_TEXT,
     .value_name = "T,X,Y,Z,R,IX,IY,IZ",
     .help = "apply an impulse (N s) at time T to the skin within R",
     .advanced = true,
     .repeated = true},
    {.name = "force-track",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "read forces from a file, one per line: time x y z radius fx fy fz",
     .advanced = true},
    {.name = "bone-contact",
     .kind = CLI_FLAG,
     .help = "keep the skin off the bones",
     .advanced = true},
    {.name = "substeps",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the number of steps per frame; more are taken where needed",
     .advanced = true,
     .fallback = "2",
     .low = 1,
     .high = 1000},
    {.name = "integrator",
     .kind = CLI_CHOICE,
     .choices = integrator_names,
     .help = "choose the time integrator",
     .advanced = true,
     .fallback = "bdf2"},
    {.name = "preroll",
     .kind = CLI_NUMBER,
     .value_name = "SECONDS",
     .help = "simulate this long before the first frame, in its pose (or around the loop)",
     .advanced = true,
     .fallback = "0",
     .low = 0,
     .high = 1000},
    {.name = "until",
     .kind = CLI_NUMBER,
     .value_name = "SECONDS",
     .help = "simulate only the beginning of every clip, up to this time",
     .advanced = true,
     .low = 0,
     .high = 1e6},
    {.name = "loop",
     .kind = CLI_FLAG,
     .help = "repeat the clip until the motion is periodic, and write one period",
     .advanced = true},
    {.name = "tension",
     .kind = CLI_NUMBER,
     .value_name = "PA",
     .help = "clench: set the tension of active muscles",
     .otherwise = "half of Young's modulus",
     .advanced = true,
     .low = 1e-3,
     .high = 1e9},
    {.name = "muscle",
     .kind = CLI_TEXT,
     .value_name = "BONE",
     .help = "clench: activate only the flesh of this bone",
     .otherwise = "all",
     .advanced = true,
     .repeated = true},
    {.name = "muscle-map",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "clench: activate where this painted map says",
     .advanced = true},
    {.name = "fibre",
     .kind = CLI_TEXT,
     .value_name = "X,Y,Z",
     .help = "clench: set the direction of the fibres",
     .otherwise = "along the bones",
     .advanced = true},
    {.name = "fibre-field",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "clench: read fibre directions from a file, one per line: x y z dx dy dz, in the bind "
             "pose",
     .advanced = true},
    CLI_AT_OPTION,
    {.name = "pull",
     .kind = CLI_TEXT,
     .value_name = "FROM,UNTIL[,RISE]",
     .help = "clench: activate during this time of a clip, in seconds",
     .otherwise = "its middle half",
     .advanced = true,
     .repeated = true},
    CLI_CHARACTER_OPTIONS,
    {0}};

/* ---- What is wanted -------------------------------------------------------------------------- */

/* Which frames of what. */
static SupResult read_motion(CliContext *cli, bool clench, SupSimulateDef *def, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  def->clips = cli_names(cli, "clip");
  def->fps = cli_number(arguments, "fps");
  def->amplitude = cli_number(arguments, "amplitude");
  def->preroll = cli_number(arguments, "preroll");
  if (cli_count(arguments, "until")) def->until = cli_number(arguments, "until");
  def->order = cli_order(arguments);
  def->loop = cli_flag(arguments, "loop");
  def->clench = clench;
  def->far = cli_flag(arguments, "far");
  def->at = cli_names(cli, "at");
  def->pose_count = (uint32_t)cli_integer(arguments, "poses");
  /* Without a clip, clenching is a matter of poses: at least of the rest pose. */
  if (def->at.count && !def->pose_count) def->pose_count = def->at.count;
  if (clench && !def->pose_count && !def->clips.count) def->pose_count = 1;
  if (def->far && (def->at.count || !def->pose_count)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--far is about the poses that --poses chooses: give both, without --at");
  }
  return clench ? cli_read_pulls(cli, &def->pulls, &def->pull_count, error) : SUP_OK;
}

SupResult cli_read_simulation(CliContext *cli, const CliCharacter *source, bool clench,
                              SupFill *volume, SupSimulateDef *def, SupError *error) {
  const SupCharacter *character = source->character;
  SupSimDef *body = &def->body;
  SupResult result = read_motion(cli, clench, def, error);
  if (result != SUP_OK) return result;
  def->lock = cli_lock_def(cli);
  body->attach.radius = cli_number(cli->arguments, "bone-radius");
  cli_read_care(cli->arguments, body);
  body->sag_free = cli_flag(cli->arguments, "sag-free");
  body->integrator = (SupIntegrator)cli_integer(cli->arguments, "integrator");
  body->substeps = (uint32_t)cli_integer(cli->arguments, "substeps");
  if (cli_flag(cli->arguments, "quasistatic")) body->integrator = SUP_INTEGRATE_STATIC;
  def->usual_flesh = !cli_count(cli->arguments, "young");
  def->own_damping = cli_count(cli->arguments, "damping") > 0;
  def->own_tension = cli_count(cli->arguments, "tension") > 0;
  result = cli_read_material(cli->arguments, &body->material, error);
  if (result == SUP_OK) result = cli_read_flesh_units(cli->arguments, &body->unit, error);
  if (result == SUP_OK) result = cli_read_tissue(cli, character, body, error);
  if (result == SUP_OK) result = cli_read_forces(cli, &body->forces, error);
  if (result == SUP_OK) {
    result = cli_read_volume(cli, character, &body->fill, volume, &def->fill, error);
  }
  if (result == SUP_OK && volume->mesh.tet_count) body->volume = volume;
  if (result == SUP_OK && clench) result = cli_read_muscles(cli, character, body, error);
  if (result == SUP_OK && !clench) result = cli_refuse_muscles(cli->arguments, error);
  return result;
}

/* ---- Telling -------------------------------------------------------------------------------- */

static void say_body(const CliContext *cli, const SupSimReport *r) {
  cli_say(cli, "body: %s of flesh in %s tetrahedra, held by %u of %u bones\n",
          cli_mass_text(r->mass).text, cli_count_text(r->tet_count).text, r->attach.bone_count,
          r->attach.weighted_count);
  cli_detail(cli, "  %s nodes\n", cli_count_text(r->node_count).text);
  if (r->attach.thin_area >= 0.005) {
    cli_say(cli, "%.0f %% of the skin is too thin for them and follows its bones (see --tets)\n",
            100 * r->attach.thin_area);
  }
  if (r->attach.loose_pieces) {
    cli_say(cli, "note: %u loose pieces are not passed by any bone and move rigidly\n",
            r->attach.loose_pieces);
  }
  if (r->sag > 0) {
    cli_say(cli, "gravity would bend it by %s; with the rest shape found %s are left\n",
            cli_length_text(r->sag).text, cli_length_text(r->sag_left).text);
  }
}

void cli_say_simulated(void *user, const SupSimulateReport *r) {
  const CliContext *cli = user;
  if (r->clip_count == 0) {
    cli_say_hard(cli, &r->hard);
    say_body(cli, &r->body);
    return;
  }
  const SupSimulatedClip *c = &r->clips[r->clip_count - 1];
  cli_say(cli, "%s: %u frames in %.1f s -> %s\n", cli_shown(cli, c->name), c->frame_count,
          c->seconds, c->path);
  cli_detail(cli,
             "  %.1f Newton steps and %.1f moves by kept factors a frame; the element that is "
             "squeezed most keeps %.2f, the sharpest dihedral angle is %.0f degrees\n",
             (double)c->total.iterations / c->frame_count,
             (double)c->total.kept_moves / c->frame_count, c->total.worst_volume,
             c->total.least_angle);
}

static void report_body(CliReport *report, const SupSimReport *r) {
  cli_report_begin_object(report, "body");
  cli_report_integer(report, "tetrahedra", r->tet_count);
  cli_report_integer(report, "nodes", r->node_count);
  cli_report_integer(report, "free_nodes", r->free_count);
  cli_report_number(report, "mass", r->mass);
  cli_report_number(report, "volume", r->fill.volume);
  cli_report_number(report, "lattice_edge", r->fill.edge);
  cli_report_integer(report, "pieces", r->fill.piece_count);
  cli_report_integer(report, "doubled_tetrahedra", r->fill.copy_count);
  cli_report_integer(report, "thin_samples", r->fill.thin_count);
  cli_report_number(report, "outside_distance", r->fill.outside_distance);
  cli_report_number(report, "dihedral_least", r->fill.dihedral_least);
  cli_report_number(report, "dihedral_most", r->fill.dihedral_most);
  cli_report_integer(report, "bones", r->attach.weighted_count);
  cli_report_integer(report, "bones_tied", r->attach.bone_count);
  cli_report_integer(report, "bones_tied_along_their_middle", r->attach.core_count);
  cli_report_integer(report, "loose_pieces", r->attach.loose_pieces);
  cli_report_number(report, "thin_area", r->attach.thin_area);
  cli_report_number(report, "scale", r->scale);
  cli_report_number(report, "sag", r->sag);
  cli_report_number(report, "sag_left", r->sag_left);
  cli_report_integer(report, "factor_nonzeros", (int64_t)r->factor_nonzeros);
  cli_report_end(report);
}

static void report_clip(CliReport *report, const SupSimulatedClip *c) {
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "clip", c->name);
  cli_report_text(report, "output", c->path);
  cli_report_integer(report, "loop_rounds", c->loop_rounds);
  cli_report_begin_array(report, "frames");
  for (size_t i = 0; i < c->row_count; i++) {
    cli_report_numbers(report, NULL, c->rows + SUP_SIMULATED_NUMBERS * i, SUP_SIMULATED_NUMBERS);
  }
  cli_report_end(report);
  cli_report_number(report, "seconds", c->seconds);
  cli_report_number(report, "factor_seconds", c->total.factor_seconds);
  cli_report_number(report, "solve_seconds", c->total.solve_seconds);
  cli_report_integer(report, "steps", c->total.steps);
  cli_report_integer(report, "iterations", c->total.iterations);
  cli_report_integer(report, "kept_moves", c->total.kept_moves);
  cli_report_integer(report, "refused_steps", c->total.refused);
  cli_report_number(report, "worst_volume", c->total.worst_volume);
  cli_report_number(report, "dihedral_least", c->total.least_angle);
  cli_report_integer(report, "inverted_frames", c->inverted_frames);
  cli_report_integer(report, "inverted_at_end", c->total.inverted);
  cli_report_end(report);
}

static double least_element(const SupSimulateReport *r) {
  double least = 1;
  for (uint32_t k = 0; k < r->clip_count; k++) least = fmin(least, r->clips[k].total.worst_volume);
  return least;
}

static double least_angle(const SupSimulateReport *r) {
  double least = r->body.fill.dihedral_least;
  for (uint32_t k = 0; k < r->clip_count; k++) least = fmin(least, r->clips[k].total.least_angle);
  return least;
}

void cli_report_simulated(CliReport *report, const SupSimulateReport *r) {
  cli_report_flesh(report, &r->flesh);
  if (!r->body.tet_count) return;
  cli_report_hard(report, &r->hard);
  report_body(report, &r->body);
  cli_report_number(report, "least_element", least_element(r));
  cli_report_number(report, "dihedral_least", least_angle(r));
  cli_report_begin_array(report, "clips");
  for (uint32_t k = 0; k < r->clip_count; k++) report_clip(report, &r->clips[k]);
  cli_report_end(report);
}

/* ---- Doing it ------------------------------------------------------------------------------- */

static SupResult simulate(CliContext *cli, const char *path, bool clench, SupError *error) {
  const SupAppContext app = cli_app(cli);
  CliCharacter source;
  SupFill volume;
  SupSimulateReport report;
  SupResult result = cli_character_open(cli, path, &source, error);
  if (result != SUP_OK) return result;
  SupSimulateDef def = sup_simulate_def(&app, &source);
  def.done = cli_say_simulated;
  def.user = cli;
  result = cli_read_simulation(cli, &source, clench, &volume, &def, error);
  if (result == SUP_OK) {
    result = sup_simulate_character(&app, &source, &def, cli_text(cli->arguments, "output"),
                                    &report, error);
    cli_report_simulated(cli->report, &report);
    if (result == SUP_OK && report.clip_count > 1) {
      cli_say(cli,
              "all clips: worst element %.2f, least dihedral angle %.0f degrees (%.0f at rest)\n",
              least_element(&report), least_angle(&report), report.body.fill.dihedral_least);
    }
  }
  cli_character_close(&source);
  return result;
}

static SupResult run_simulate(CliContext *cli, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  bool clench = strcmp(arguments->operands[0], "clench") == 0;
  if (arguments->operand_count != (clench ? 2 : 1)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    clench ? "simulate clench needs a character: simulate clench IN.glb -o OUT.pc2"
                           : "simulate takes one file: a character or a scenario");
  }
  const char *path = arguments->operands[clench];
  if (!clench && cli_is_scenario(path)) return cli_run_scenario(cli, path, error);
  return simulate(cli, path, clench, error);
}

const CliVerb cli_verb_simulate = {
    .name = "simulate",
    .summary = "simulate elastic flesh, the ground truth of a character's motion",
    .usage = "[clench] IN.glb|SCENARIO.json -o OUT.pc2 [--clip NAME]... [options]",
    .details =
        "Fills the skin with elastic flesh, ties the flesh around the bones to them, lets the\n"
        "rest move by the laws of elasticity, and writes the skin frame by frame. Uses the maps\n"
        "`material` (a factor of the stiffness) and `lock` (flesh that follows its bones; without\n"
        "it, what is not flesh is found by names, metal, glass and solid pieces).\n"
        "\n"
        "`clench` activates muscles along their fibres: with --clip in time, otherwise in the\n"
        "equilibrium of static poses (of the rest pose unless --poses gives more), each as a\n"
        "relaxed and a clenched frame.\n"
        "\n"
        "A scenario (.json) describes an experiment: character, flesh, clips to learn from and\n"
        "clips to test on. Everything is simulated with and without inertia, written to\n"
        "OUT-CLIP.pc2, OUT-static-CLIP.pc2 and so on, and measured. Options override it.\n",
    .example = "supple simulate mochi.glb --clip jump --fps 30 --tets 1000 -o truth.pc2",
    .options = options,
    .least_operands = 1,
    .most_operands = 2,
    .run = run_simulate,
};
