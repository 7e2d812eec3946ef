/* SPDX-License-Identifier: MIT */
/* supple learn: secondary motion from examples, or from a simulation of its own. */
#include <math.h>
#include <string.h>

#include "examples.h"
#include "formats.h"
#include "learn_teacher.h"
#include "models.h"
#include "scenario_flesh.h"

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "OUT.glb",
     .help = "write the character with what was learned",
     .required = true},
    CLI_EXAMPLE_OPTIONS,
    {.name = "hold",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "choose the best stack by this clip of the examples",
     .otherwise = "the last, or a part of the only one",
     .advanced = true,
     .repeated = true},
    {.name = "test",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "only measure on this clip of the examples; learn nothing from it",
     .advanced = true,
     .repeated = true},
    {.name = "quasistatic",
     .kind = CLI_TEXT,
     .value_name = "NAME=X.pc2",
     .help = "give that clip of the examples without inertia, for the dynamic error",
     .advanced = true,
     .repeated = true},
    {.name = "scenario",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "use the flesh of a scenario of `supple simulate`",
     .advanced = true},
    {.name = "material",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "choose the material: fat, muscle, jelly or rubber",
     .fallback = "fat"},
    {.name = "young",
     .kind = CLI_NUMBER,
     .value_name = "PA",
     .help = "set Young's modulus",
     .otherwise = "a natural frequency of 2.8 Hz"},
    CLI_FLESH_OPTIONS("2500"),
    {.name = "gravity",
     .kind = CLI_NUMBER,
     .value_name = "M/S2",
     .help = "set the downward gravity of the examples or the simulation; 9.81 on Earth",
     .fallback = "0",
     .low = -1000,
     .high = 1000},
    {.name = "postures",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "simulate N static poses, and half as many beyond the range of the clips",
     .fallback = "120",
     .low = 2,
     .high = 10000},
    {.name = "modes",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the number of vibration modes",
     .advanced = true,
     .fallback = "15",
     .low = 1,
     .high = 1024},
    {.name = "no-surface", .kind = CLI_FLAG, .help = "do not try a surface, which takes longest"},
    CLI_ACTOR_OPTIONS,
    {0},
};

typedef struct Job {
  CliContext *cli;
  CliActor actor;
  LearnTeacher teacher;
  SupTeacher asked;
  SupFill volume;
  SupLearnDef def;
  SupLearnReport report;
} Job;

/* ---- Flesh ---------------------------------------------------------------------------------- */

static const float *find_map(const SupCharacter *character, const char *name) {
  for (uint32_t k = 0; k < character->map_count; k++) {
    if (strcmp(character->maps[k].name, name) == 0) return character->maps[k].values;
  }
  return NULL;
}

/* Without a word about it, flesh that swings at 2.8 Hz: stiffness goes with the square of it. */
static SupResult usual_flesh(Job *job, SupMaterialDef *io_material, SupError *error) {
  SupModesTrainDef def = sup_modes_train_def(job->actor.character);
  SupModesTrainReport report;
  SupModel *unused;
  def.material = *io_material;
  def.mode_count = 1;
  def.fill = job->teacher.def.fill;
  def.volume = job->teacher.def.volume;
  def.attach = job->teacher.def.attach;
  def.bone_materials = job->teacher.def.bone_materials;
  def.bone_stiffness = job->teacher.def.bone_stiffness;
  def.jobs = job->cli->jobs;
  SupResult result = sup_modes_train(job->cli->arena, &def, &unused, &report, error);
  if (result != SUP_OK) return result;
  const double wanted = 2.8, factor = pow(wanted / fmax(report.frequencies[0], 1e-3), 2);
  io_material->young *= factor;
  io_material->damping = 0.1 / (SUP_PI * wanted);
  cli_say(job->cli, "flesh that swings at %.2g Hz: Young's modulus %.3g kPa\n", wanted,
          io_material->young / 1e3);
  return SUP_OK;
}

static SupResult read_flesh(Job *job, SupError *error) {
  CliContext *cli = job->cli;
  const SupCharacter *character = job->actor.character;
  SupSimDef *def = &job->teacher.def;
  SupFillReport filled;
  SupResult result;
  *def = sup_sim_def(character, cli->allocator);
  def->attach.lock = find_map(character, "lock");
  if (cli_text(cli->arguments, "scenario")) {
    result = cli_scenario_flesh(cli, cli_text(cli->arguments, "scenario"), character, def,
                                &job->volume, error);
    if (result == SUP_OK && !job->volume.mesh.tet_count) {
      result = cli_read_volume(cli, character, &def->fill, &job->volume, &filled, error);
    }
  } else {
    result = cli_read_material(cli->arguments, &def->material, error);
    if (result == SUP_OK) result = cli_read_tissue(cli, character, def, error);
    if (result == SUP_OK) result = cli_read_lock(cli, character, &def->attach.lock, error);
    if (result == SUP_OK) {
      result = cli_read_volume(cli, character, &def->fill, &job->volume, &filled, error);
    }
    if (result == SUP_OK && job->volume.mesh.tet_count) def->volume = &job->volume;
    if (result == SUP_OK && !cli_count(cli->arguments, "young") &&
        !cli_count(cli->arguments, "material")) {
      result = usual_flesh(job, &def->material, error);
    }
  }
  if (job->volume.mesh.tet_count) def->volume = &job->volume;
  def->vertex_stiffness = find_map(character, "material");
  def->forces.gravity.y = -cli_number(cli->arguments, "gravity");
  def->jobs = cli->jobs;
  return result;
}

/* ---- Learning ------------------------------------------------------------------------------- */

static void show_progress(void *user, const char *what, double done, double total) {
  cli_progress((const CliContext *)user, what, done, total);
}

static bool is_named(const CliContext *cli, const char *option, const CliExample *example) {
  for (uint32_t k = 0; k < cli_count(cli->arguments, option) && example->clip; k++) {
    if (strcmp(example->clip->name, cli_text_at(cli->arguments, option, k)) == 0) return true;
  }
  return false;
}

/* The equilibria that belong to one of the examples. */
static SupResult read_still(Job *job, const CliExample *example, SupLearnMotion *io_motion,
                            uint32_t *io_used, SupError *error) {
  const CliArguments *arguments = job->cli->arguments;
  for (uint32_t k = 0; k < cli_count(arguments, "quasistatic") && example->clip; k++) {
    const char *text = cli_text_at(arguments, "quasistatic", k);
    const size_t length = strlen(example->clip->name);
    if (strncmp(text, example->clip->name, length) != 0 || text[length] != '=') continue;
    ++*io_used;
    SupResult result = cli_read_beside(job->cli, &job->actor, example, text + length + 1,
                                       &io_motion->quasistatic, error);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

static SupResult read_motions(Job *job, SupError *error) {
  CliContext *cli = job->cli;
  CliExample *examples;
  uint32_t count;
  SupResult result = cli_read_examples(cli, &job->actor, &examples, &count, error);
  if (result != SUP_OK) return result;
  SupLearnMotion *motions = SUP_ALLOC(cli->arena, SupLearnMotion, count);
  uint32_t used = 0;
  if (!motions) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    const CliExample *e = &examples[k];
    motions[k] = (SupLearnMotion){.name = e->clip ? e->clip->name : e->name,
                                  .clip = e->clip,
                                  .samples = e->samples,
                                  .held = is_named(cli, "hold", e),
                                  .test = is_named(cli, "test", e)};
    result = read_still(job, e, &motions[k], &used, error);
  }
  if (result == SUP_OK && used < cli_count(cli->arguments, "quasistatic")) {
    result = sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--quasistatic is written CLIP=FILE, with a clip that some --clip names");
  }
  job->def.motion_count = count;
  job->def.motions = motions;
  return result;
}

static SupResult prepare(Job *job, SupError *error) {
  CliContext *cli = job->cli;
  const SupCharacter *character = job->actor.character;
  const SupSimDef *flesh = &job->teacher.def;
  if (character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has no skin that follows bones; bind it to a skeleton first",
                    job->actor.path);
  }
  job->teacher.cli = cli;
  job->teacher.character = character;
  SupResult result = read_flesh(job, error);
  if (result == SUP_OK) result = learn_teacher_prepare(&job->teacher, &job->asked, error);
  SupLearnDef *def = &job->def;
  *def = sup_learn_def(character);
  if (result == SUP_OK) result = read_motions(job, error);
  def->teacher = &job->asked;
  def->posture_count = (uint32_t)cli_integer(cli->arguments, "postures");
  def->far_count = def->posture_count / 2;
  def->seed = cli->seed;
  def->gravity.y = -(float)cli_number(cli->arguments, "gravity");
  def->modes.mode_count = (uint32_t)cli_integer(cli->arguments, "modes");
  def->modes.material = flesh->material;
  def->modes.bone_materials = flesh->bone_materials;
  def->modes.bone_stiffness = flesh->bone_stiffness;
  def->modes.vertex_stiffness = flesh->vertex_stiffness;
  def->modes.fill = flesh->fill;
  def->modes.volume = flesh->volume;
  def->modes.attach = flesh->attach;
  def->skip_surface = cli_flag(cli->arguments, "no-surface");
  def->jobs = cli->jobs;
  def->seconds = cli_seconds;
  def->progress = show_progress;
  def->user = cli;
  return result;
}

/* ---- Telling -------------------------------------------------------------------------------- */

static const char *use_of(const SupLearnMotion *motion) {
  return motion->test ? "test" : motion->held ? "held back" : "training";
}

/* The candidates on motion that had no part in anything. */
static void say_tests(const Job *job) {
  const CliContext *cli = job->cli;
  const SupLearnReport *r = &job->report;
  for (uint32_t k = 0; k < r->motion_count; k++) {
    if (!r->motions[k].test) continue;
    cli_say(cli, "  %-20s", cli_shown(cli, r->motions[k].name));
    for (int c = 0; c < SUP_LEARN_STACKS; c++) {
      if (r->candidates[c].tried) cli_say(cli, " %6.3f", (double)r->candidates[c].errors[k]);
    }
    cli_say(cli, "\n");
  }
}

static void report_candidate(const Job *job, SupLearnStack stack) {
  const CliContext *cli = job->cli;
  const SupLearnReport *r = &job->report;
  const SupLearnCandidate *c = &r->candidates[stack];
  cli_say(cli, "  %-46s %6.3f", sup_learn_stack_name(stack), c->held);
  cli_say(cli, "  %9s  %5.1f s%s\n", c->model_count ? cli_bytes_text(c->bytes).text : "-",
          c->seconds, stack == r->chosen ? "  <- kept" : "");
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "stack", sup_learn_stack_name(stack));
  cli_report_number(cli->report, "held_back", c->held);
  cli_report_integer(cli->report, "bytes", (int64_t)c->bytes);
  cli_report_number(cli->report, "seconds", c->seconds);
  cli_report_begin_array(cli->report, "clips");
  for (uint32_t k = 0; k < r->motion_count; k++) {
    if (!r->motions[k].clip) continue;
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "clip", r->motions[k].name);
    cli_report_text(cli->report, "use", use_of(&r->motions[k]));
    cli_report_float(cli->report, "relative_error", c->errors[k]);
    if (r->motions[k].quasistatic) {
      cli_report_float(cli->report, "dynamic_error", c->dynamic[k]);
    }
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  cli_report_end(cli->report);
}

static void report_numbers(const Job *job) {
  const CliContext *cli = job->cli;
  const SupLearnReport *r = &job->report;
  cli_report_number(cli->report, "teaching_seconds", r->teaching);
  cli_report_number(cli->report, "learning_seconds", r->learning);
  cli_report_text(cli->report, "kept", sup_learn_stack_name(r->chosen));
  cli_report_begin_object(cli->report, "fit");
  cli_report_number(cli->report, "frequency", r->fit.frequency);
  cli_report_number(cli->report, "damping", r->fit.damping);
  cli_report_number(cli->report, "gain", r->fit.gain);
  cli_report_number(cli->report, "before", r->fit.before);
  cli_report_number(cli->report, "shared", r->fit.shared);
  cli_report_number(cli->report, "after", r->fit.after);
  cli_report_number(cli->report, "shown", r->swing);
  cli_report_end(cli->report);
  cli_report_begin_object(cli->report, "correctives");
  cli_report_integer(cli->report, "components", r->correctives.component_count);
  cli_report_number(cli->report, "left", r->correctives.left);
  cli_report_number(cli->report, "left_out", r->correctives.left_out);
  cli_report_end(cli->report);
}

static void report(const Job *job, const char *path) {
  const CliContext *cli = job->cli;
  const SupLearnReport *r = &job->report;
  cli_say(cli, "error on motion that was held back (");
  for (uint32_t k = 0, said = 0; k < r->motion_count; k++) {
    if (!r->motions[k].held) continue;
    cli_say(cli, "%s%s", said++ ? ", " : "", cli_shown(cli, r->motions[k].name));
  }
  cli_say(cli, "), 1 is plain skinning:\n");
  cli_report_begin_array(cli->report, "candidates");
  for (int k = 0; k < SUP_LEARN_STACKS; k++) {
    if (r->candidates[k].tried) report_candidate(job, (SupLearnStack)k);
  }
  cli_report_end(cli->report);
  report_numbers(job);
  if (cli_count(cli->arguments, "test")) {
    cli_say(cli, "on clips to test with, the same candidates:\n");
    say_tests(job);
  }
  const double left = 100 * r->candidates[r->chosen].held;
  if (r->chosen == SUP_LEARN_SKINNING) {
    cli_say(cli, "nothing was better than plain skinning, so the file stays without models\n");
  } else {
    cli_say(cli, "%s leaves %.0f %% of what plain skinning is wrong by\n",
            sup_learn_stack_name(r->chosen), left);
  }
  cli_say(cli, "%s: %.1f s of teaching, %.1f s of learning\n", path, r->teaching, r->learning);
}

static SupResult save(Job *job, const char *path, SupError *error) {
  const SupLearnCandidate *kept = &job->report.candidates[job->report.chosen];
  CliModels models = {0};
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < kept->model_count && result == SUP_OK; k++) {
    result = cli_models_place(&models, kept->models[k], error);
  }
  if (result == SUP_OK) result = cli_models_put(&job->actor, &models, error);
  return result == SUP_OK ? sup_gltf_save(job->actor.document, path, SUP_GLTF_BY_NAME, error)
                          : result;
}

static SupResult run(CliContext *cli, SupError *error) {
  const char *path = cli_text(cli->arguments, "output");
  Job job = {.cli = cli};
  CliFormat format;
  SupResult result = cli_format(path, &format, error);
  if (result != SUP_OK) return result;
  if (format != CLI_FORMAT_GLTF) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: what is learned goes into a .glb or .gltf; give the output such a name",
                    path);
  }
  result = cli_actor_open(cli, cli->arguments->operands[0], &job.actor, error);
  if (result != SUP_OK) return result;
  result = prepare(&job, error);
  if (result == SUP_OK) result = sup_learn(cli->arena, &job.def, &job.report, error);
  if (result == SUP_OK) result = save(&job, path, error);
  if (result == SUP_OK) report(&job, path);
  learn_teacher_free(&job.teacher);
  cli_actor_close(&job.actor);
  return result;
}

const CliVerb cli_verb_learn = {
    .name = "learn",
    .summary = "learn the best secondary motion, from examples or its own simulation",
    .usage = "IN.glb [--example X.pc2 --clip NAME]... -o OUT.glb [options]",
    .details =
        "Builds several stacks of techniques, from simple to elaborate: a surface, correctives\n"
        "(the shape of every pose), vibration modes, both, and both with fitted frequencies.\n"
        "Measures each on motion that was held back and keeps the best, or plain skinning if\n"
        "nothing is better. Replaces the models that the file had.\n"
        "\n"
        "Without examples it simulates its own, with a coarse elastic body: static poses, and a\n"
        "calibration clip that moves every joint. Examples are point caches of this character.\n"
        "@postures stands for what `supple simulate --postures` wrote with the same seed, @far\n"
        "for the same with --far, @calibration for the calibration clip.\n",
    .example =
        "supple make tube --vertices 600 -o tube.glb\n"
        "supple learn tube.glb --tets 300 --postures 12 --no-surface -o tube-learned.glb",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
