/* SPDX-License-Identifier: MIT */
/* supple simulate: the elastic ground truth of clips, postures, clenched muscles, scenarios. */
#include <math.h>
#include <string.h>

#include "postures.h"
#include "sim_options.h"
#include "sim_run.h"
#include "sim_scenario.h"
#include "supple/geom/bounds.h"

static const char *const kind_names[] = {"corotational", "stvk", "neo-hookean", NULL};
static const char *const integrator_names[] = {"euler", "bdf2", NULL};

static const CliOption options[] = {
    CLI_BAKE_OPTIONS("process only this clip, or @calibration"),
    {.name = "postures",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "simulate N sampled static poses instead of clips, a frame each",
     .low = 1,
     .high = 100000},
    {.name = "far",
     .kind = CLI_FLAG,
     .help = "with --postures: sample beyond the clips, 1.2 to 1.8 times their range",
     .advanced = true},
    {.name = "quasistatic",
     .kind = CLI_FLAG,
     .help = "write the equilibrium of every frame, without inertia and pushes"},
    {.name = "material",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "choose the material: fat, muscle, jelly or rubber",
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
     .otherwise = "the material's"},
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
     .help = "set the mass-proportional damping",
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
     .help = "attach flesh within this distance of a bone to it",
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
    CLI_ACTOR_OPTIONS,
    {0}};

/* ---- What is wanted -------------------------------------------------------------------------- */

/* A command line understood: the character, its clips and where they go. */
typedef struct Job {
  CliContext *cli;
  CliActor actor;
  bool clench;
  uint32_t postures; /* 0: clips */
  uint32_t clip_count;
  const SupClip **clips; /* [clip_count] */
  const char **paths;    /* [clip_count] where each goes */
  SupSimDef def;
  SupFill volume;            /* of a file */
  SupFillReport fill_report; /* of that */
  SimRun run;
} Job;

/* Every clip that is wanted, and where it goes: known and possible before the first is simulated.
 */
static SupResult find_clips(Job *job, SupError *error) {
  CliContext *cli = job->cli;
  const SupCharacter *character = job->actor.character;
  uint32_t named = cli_count(cli->arguments, "clip");
  uint32_t count = named ? named : character->clip_count;
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s has no clips; try --clip @calibration, which makes a motion for it",
                    job->actor.path);
  }
  job->clips = SUP_ALLOC(cli->arena, const SupClip *, count);
  if (!job->clips) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const char *name = named ? cli_text_at(cli->arguments, "clip", k) : NULL;
    SupResult result = SUP_OK;
    if (!name) {
      job->clips[k] = &character->clips[k];
    } else {
      result = cli_named_clip(cli, &job->actor, name, job->run.fps, &job->clips[k], error);
    }
    if (result != SUP_OK) return result;
  }
  job->clip_count = count;
  SupResult result = cli_amplify_clips(cli, count, job->clips, error);
  if (result != SUP_OK) return result;
  return cli_clip_paths(cli, cli_text(cli->arguments, "output"), count, job->clips,
                        (float)job->run.fps, &job->paths, error);
}

static SupResult read_run(Job *job, SupError *error) {
  const CliArguments *arguments = job->cli->arguments;
  SimRun *run = &job->run;
  run->cli = job->cli;
  run->character = job->actor.character;
  run->fps = cli_number(arguments, "fps");
  run->preroll = cli_number(arguments, "preroll");
  run->until = cli_count(arguments, "until") ? cli_number(arguments, "until") : INFINITY;
  run->order = cli_order(arguments);
  run->motion.loop = cli_flag(arguments, "loop");
  job->postures = (uint32_t)cli_integer(arguments, "postures");
  /* Without a clip, clenching is a matter of postures: at least of the rest pose. */
  const uint32_t named = cli_count(arguments, "at");
  if (named && !job->postures) job->postures = named;
  if (job->clench && !job->postures && !cli_count(arguments, "clip")) job->postures = 1;
  run->clench = job->clench && job->postures;
  if (cli_flag(arguments, "far") && (named || !job->postures)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--far is about the postures that --postures chooses: give both, without --at");
  }
  SupCacheFormat format;
  SupResult result = cli_cache_format(cli_text(arguments, "output"), &format, error);
  if (result == SUP_OK && !job->postures) result = find_clips(job, error);
  if (result == SUP_OK) result = sim_run_prepare(run, error);
  return result;
}

static const float *find_map(const SupCharacter *character, const char *name) {
  for (uint32_t k = 0; k < character->map_count; k++) {
    if (strcmp(character->maps[k].name, name) == 0) return character->maps[k].values;
  }
  return NULL;
}

static SupResult read_body(Job *job, SupError *error) {
  CliContext *cli = job->cli;
  const SupCharacter *character = job->actor.character;
  SupSimDef *def = &job->def;
  *def = sup_sim_def(character, cli->allocator);
  def->attach.lock = find_map(character, "lock");
  def->attach.radius = cli_number(cli->arguments, "bone-radius");
  def->vertex_stiffness = find_map(character, "material");
  def->sag_free = cli_flag(cli->arguments, "sag-free");
  def->integrator = (SupIntegrator)cli_integer(cli->arguments, "integrator");
  def->substeps = (uint32_t)cli_integer(cli->arguments, "substeps");
  def->jobs = cli->jobs;
  def->seconds = cli_seconds;
  if (cli_flag(cli->arguments, "quasistatic") || job->postures) {
    def->integrator = SUP_INTEGRATE_STATIC;
  }
  if (character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has no skin that follows bones; bind it to a skeleton first",
                    job->actor.path);
  }
  SupResult result = cli_read_material(cli->arguments, &def->material, error);
  if (result == SUP_OK) result = cli_read_tissue(cli, character, def, error);
  if (result == SUP_OK) result = cli_read_lock(cli, character, &def->attach.lock, error);
  if (result == SUP_OK) result = cli_read_forces(cli, &def->forces, error);
  if (result == SUP_OK) {
    result = cli_read_volume(cli, character, &def->fill, &job->volume, &job->fill_report, error);
  }
  if (result == SUP_OK && job->volume.mesh.tet_count) def->volume = &job->volume;
  if (result == SUP_OK && job->clench) result = cli_read_muscles(cli, character, def, error);
  if (result == SUP_OK && !job->clench) result = cli_refuse_muscles(cli->arguments, error);
  return result;
}

/* ---- Doing it ------------------------------------------------------------------------------- */

static void report_body(const CliContext *cli, const SupSimReport *r) {
  cli_say(cli, "%u tetrahedra, %u nodes (%u held by %u bones), %.3g kg\n", r->tet_count,
          r->node_count, r->node_count - r->free_count, r->attach.bone_count, r->mass);
  if (r->attach.loose_pieces) {
    cli_say(cli, "note: %u loose pieces are not passed by any bone and move rigidly\n",
            r->attach.loose_pieces);
  }
  if (r->sag > 0) {
    cli_say(cli, "gravity would bend it by %.3g mm; with the rest shape found %.3g mm are left\n",
            1e3 * r->sag, 1e3 * r->sag_left);
  }
  cli_report_begin_object(cli->report, "body");
  cli_report_integer(cli->report, "tetrahedra", r->tet_count);
  cli_report_integer(cli->report, "nodes", r->node_count);
  cli_report_integer(cli->report, "free_nodes", r->free_count);
  cli_report_number(cli->report, "mass", r->mass);
  cli_report_number(cli->report, "volume", r->fill.volume);
  cli_report_number(cli->report, "lattice_edge", r->fill.edge);
  cli_report_integer(cli->report, "pieces", r->fill.piece_count);
  cli_report_integer(cli->report, "doubled_tetrahedra", r->fill.copy_count);
  cli_report_integer(cli->report, "thin_samples", r->fill.thin_count);
  cli_report_number(cli->report, "outside_distance", r->fill.outside_distance);
  cli_report_number(cli->report, "dihedral_least", r->fill.dihedral_least);
  cli_report_number(cli->report, "dihedral_most", r->fill.dihedral_most);
  cli_report_number(cli->report, "scale", r->scale);
  cli_report_number(cli->report, "sag", r->sag);
  cli_report_number(cli->report, "sag_left", r->sag_left);
  cli_report_integer(cli->report, "factor_nonzeros", (int64_t)r->factor_nonzeros);
  cli_report_end(cli->report);
}

static SupResult make_body(Job *job, SupError *error) {
  const CliContext *cli = job->cli;
  const SupMesh *body = &job->actor.character->body;
  SupSimReport report;
  double began = cli_seconds();
  SupResult result = sup_sim_create(&job->def, &job->run.sim, &report, error);
  if (result != SUP_OK) return result;
  cli_timing(cli, "fill", began);
  if (job->def.volume) report.fill = job->fill_report;
  report_body(cli, &report);
  SupBounds box = sup_bounds(body->positions, body->vertex_count);
  job->run.height = report.scale * ((double)box.high.y - (double)box.low.y);
  return SUP_OK;
}

static SupResult simulate_clips(Job *job, SupError *error) {
  SimRun *run = &job->run;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < job->clip_count && result == SUP_OK; k++) {
    const SupClip *clip = run->motion.clip = job->clips[k];
    if (job->clench) {
      result =
          cli_read_pulls(job->cli, (double)clip->duration, &run->pulls, &run->pull_count, error);
    }
    if (result == SUP_OK) {
      result = sim_run_write(run, clip->name, sim_run_frames(run, clip), job->paths[k], error);
    }
  }
  return result;
}

/* Clenched, every posture comes twice: relaxed, then with its muscles pulling. */
static SupResult simulate_postures(Job *job, SupError *error) {
  CliContext *cli = job->cli;
  uint32_t joints = job->actor.character->skeleton.joint_count, count = job->postures;
  uint32_t each = job->clench ? 2 : 1;
  size_t size = (size_t)count * joints;
  SupTransform *postures;
  SupTransform *frames = SUP_ALLOC(cli->arena, SupTransform, each * size);
  if (!frames) return sup_fail_memory(error, NULL);
  SupResult result = cli_flag(cli->arguments, "far")
                         ? cli_teaching_postures(cli, &job->actor, true, count, &postures, error)
                         : cli_postures(cli, &job->actor, count, &postures, error);
  if (result != SUP_OK) return result;
  for (uint32_t i = 0; i < each * count; i++) {
    memcpy(frames + (size_t)i * joints, postures + (size_t)(i / each) * joints,
           joints * sizeof *frames);
  }
  job->run.motion.postures = frames;
  job->run.motion.posture_count = each * count;
  return sim_run_write(&job->run, job->clench ? "clench" : "postures", each * count,
                       cli_text(cli->arguments, "output"), error);
}

static SupResult simulate(Job *job, const char *path, SupError *error) {
  CliContext *cli = job->cli;
  SupResult result = cli_actor_open(cli, path, &job->actor, error);
  if (result != SUP_OK) return result;
  result = read_run(job, error);
  if (result == SUP_OK) result = read_body(job, error);
  if (result == SUP_OK) result = make_body(job, error);
  if (result == SUP_OK) {
    cli_report_begin_array(cli->report, "clips");
    result = job->postures ? simulate_postures(job, error) : simulate_clips(job, error);
    cli_report_end(cli->report);
  }
  sup_sim_free(job->run.sim);
  cli_actor_close(&job->actor);
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
  Job job = {.cli = cli, .clench = clench};
  return simulate(&job, path, error);
}

const CliVerb cli_verb_simulate = {
    .name = "simulate",
    .summary = "simulate elastic flesh, the ground truth of a character's motion",
    .usage = "[clench] IN.glb|SCENARIO.json -o OUT.pc2 [--clip NAME]... [options]",
    .details =
        "Fills the skin with elastic flesh, attaches the flesh near the bones to them, lets the\n"
        "rest move by the laws of elasticity, and writes the skin frame by frame. Uses the maps\n"
        "`material` (a factor of the stiffness) and `lock` (flesh that follows its bones).\n"
        "\n"
        "`clench` activates muscles along their fibres: with --clip in time, otherwise in the\n"
        "equilibrium of static poses (of the rest pose unless --postures gives more), each as a\n"
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
