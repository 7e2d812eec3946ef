/* SPDX-License-Identifier: MIT */
/* supple learn: secondary motion from examples, or from a simulation of its own. */
#include "tell_learned.h"

#include "character/examples.h"
#include "character/tell_motion.h"
#include "formats.h"
#include "simulate/scenario_flesh.h"

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
     .help = "choose the material: fat, soft, firm, muscle, jelly or rubber",
     .fallback = "fat"},
    {.name = "young",
     .kind = CLI_NUMBER,
     .value_name = "PA",
     .help = "set Young's modulus",
     .otherwise = "chosen for the body's size and clips"},
    CLI_FLESH_OPTIONS("2500"),
    {.name = "gravity",
     .kind = CLI_NUMBER,
     .value_name = "M/S2",
     .help = "set the downward gravity of the examples or the simulation; 9.81 on Earth",
     .fallback = "0",
     .low = -1000,
     .high = 1000},
    {.name = "poses",
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
    {.name = "no-surface",
     .kind = CLI_FLAG,
     .help = "do not learn a surface of its own, which takes longest"},
    CLI_CHARACTER_OPTIONS,
    {0},
};

/* ---- Flesh ---------------------------------------------------------------------------------- */

/* What the options say of the flesh, into *io_def; `volume` takes the tetrahedra of a file. */
static SupResult read_flesh(CliContext *cli, const CliCharacter *source, SupFill *volume,
                            SupLearnCharacterDef *io_def, SupError *error) {
  const SupCharacter *character = source->character;
  const char *scenario = cli_text(cli->arguments, "scenario");
  SupSimDef *flesh = &io_def->flesh;
  SupFillReport filled;
  SupResult result;
  *volume = (SupFill){0};
  io_def->lock = cli_lock_def(cli);
  if (scenario) {
    io_def->usual_flesh = false;
    result = cli_scenario_flesh(cli, scenario, character, flesh, &io_def->lock, volume, error);
    if (result == SUP_OK && !volume->mesh.tet_count) {
      result = cli_read_volume(cli, character, &flesh->fill, volume, &filled, error);
    }
    if (cli_count(cli->arguments, "lock")) io_def->lock.lock = cli_names(cli, "lock");
    if (cli_count(cli->arguments, "unlock")) io_def->lock.unlock = cli_names(cli, "unlock");
    flesh->vertex_stiffness = sup_character_map(character, "material");
    flesh->jobs = cli->jobs;
  } else {
    io_def->usual_flesh = !cli_count(cli->arguments, "young");
    io_def->own_damping = cli_count(cli->arguments, "damping") > 0;
    result = cli_read_material(cli->arguments, &flesh->material, error);
    if (result == SUP_OK) result = cli_read_flesh_units(cli->arguments, &flesh->unit, error);
    if (result == SUP_OK) result = cli_read_tissue(cli, character, flesh, error);
    if (result == SUP_OK) {
      result = cli_read_volume(cli, character, &flesh->fill, volume, &filled, error);
    }
  }
  if (volume->mesh.tet_count) flesh->volume = volume;
  flesh->attach.thin_flesh |= cli_flag(cli->arguments, "thin-flesh");
  flesh->allow_inverted |= cli_flag(cli->arguments, "allow-inverted");
  return result;
}

static void tell_locked(void *user, const SupHardParts *hard) {
  CliContext *cli = user;
  cli_say_hard(cli, hard);
  cli_report_hard(cli->report, hard);
}

static void tell_chosen(void *user, const SupFleshChoice *choice) {
  CliContext *cli = user;
  cli_report_flesh(cli->report, choice);
}

static SupResult learn(CliContext *cli, const CliCharacter *source, SupLearnReport *out_report,
                       SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const SupAppContext app = cli_app(cli);
  SupLearnCharacterDef def = sup_learn_character_def(&app, source);
  SupFill volume;
  SupResult result = read_flesh(cli, source, &volume, &def, error);
  if (result != SUP_OK) return result;
  def.examples = cli_names(cli, "example");
  def.clips = cli_names(cli, "clip");
  def.fps = (float)cli_number(arguments, "fps");
  def.hold = cli_names(cli, "hold");
  def.test = cli_names(cli, "test");
  def.quasistatic = cli_names(cli, "quasistatic");
  def.gravity = cli_number(arguments, "gravity");
  def.pose_count = (uint32_t)cli_integer(arguments, "poses");
  def.mode_count = (uint32_t)cli_integer(arguments, "modes");
  def.skip_surface = cli_flag(arguments, "no-surface");
  def.locked = tell_locked;
  def.chosen = tell_chosen;
  def.user = cli;
  return sup_learn_character(&app, source, &def, out_report, error);
}

/* ---- Telling -------------------------------------------------------------------------------- */

static const char *use_of(const SupLearnMotion *motion) {
  return motion->test ? "test" : motion->held ? "held back" : "training";
}

static bool has_tests(const SupLearnReport *r) {
  for (uint32_t k = 0; k < r->motion_count; k++) {
    if (r->motions[k].test) return true;
  }
  return false;
}

/* The candidates on motion that had no part in anything. */
static void detail_tests(CliContext *cli, const SupLearnReport *r) {
  for (uint32_t k = 0; k < r->motion_count; k++) {
    if (!r->motions[k].test) continue;
    cli_detail(cli, "  %-20s", cli_shown(cli, r->motions[k].name));
    for (int c = 0; c < SUP_LEARN_STACKS; c++) {
      if (!r->candidates[c].tried) continue;
      cli_detail(cli, " %6.3f", (double)r->candidates[c].measures[k].compare.relative_error);
    }
    cli_detail(cli, "\n");
  }
}

/* What is kept, on each clip: how far its volume is off, and how it swings. */
static void say_kept(CliContext *cli, const SupLearnReport *r) {
  const SupLearnCandidate *kept = &r->candidates[r->chosen];
  for (uint32_t k = 0; k < r->motion_count; k++) {
    const SupLearnMeasure *m = &kept->measures[k];
    const SupVibration *v = &m->compare.vibration;
    if (!r->motions[k].clip) continue;
    cli_say(cli, "  %-20s", cli_shown(cli, r->motions[k].name));
    if (m->volume.closed_count) {
      cli_say(cli, " volume %.1f %% off at most (examples %.1f %%);", 100 * (double)m->volume.peak,
              100 * (double)m->example_volume.peak);
    }
    if (v->clarity >= 1) {
      cli_say(cli, " %.1f Hz, ", (double)v->frequency);
      cli_say_answer(cli, v);
    } else {
      cli_say(cli, " no clear oscillation");
    }
    cli_say(cli, "\n");
  }
}

static void report_candidate(CliContext *cli, const SupLearnReport *r, SupLearnStack stack) {
  const SupLearnCandidate *c = &r->candidates[stack];
  cli_detail(cli, "  %-46s %6.3f", sup_learn_stack_name(stack), c->held);
  cli_detail(cli, "  %9s  %5.1f s%s\n", c->model_count ? cli_bytes_text(c->bytes).text : "-",
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
    cli_report_float(cli->report, "relative_error", c->measures[k].compare.relative_error);
    if (r->motions[k].quasistatic) {
      cli_report_float(cli->report, "dynamic_error", c->measures[k].compare.dynamic_error);
    }
    cli_report_volume(cli->report, &c->measures[k].volume, &c->measures[k].example_volume, NULL);
    cli_report_vibration(cli->report, &c->measures[k].compare.vibration);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  cli_report_end(cli->report);
}

static void report_numbers(CliContext *cli, const SupLearnReport *r) {
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

/* The clips that chose, which nothing was learned from: "run, jump". */
static void say_held(const CliContext *cli, const SupLearnReport *r) {
  for (uint32_t k = 0, said = 0; k < r->motion_count; k++) {
    if (!r->motions[k].held) continue;
    cli_say(cli, "%s%s", said++ ? ", " : "", cli_shown(cli, r->motions[k].name));
  }
}

static void tell_candidates(CliContext *cli, const SupLearnReport *r) {
  cli_detail(cli, "relative error of all that was tried, on the motion that was held back:\n");
  cli_report_begin_array(cli->report, "candidates");
  for (int k = 0; k < SUP_LEARN_STACKS; k++) {
    if (r->candidates[k].tried) report_candidate(cli, r, (SupLearnStack)k);
  }
  cli_report_end(cli->report);
  if (!has_tests(r)) return;
  cli_detail(cli, "on clips to test with, the same candidates:\n");
  detail_tests(cli, r);
}

void cli_tell_learned(CliContext *cli, const SupLearnReport *r, const char *path) {
  const double left = r->candidates[r->chosen].held;
  if (r->chosen == SUP_LEARN_SKINNING) {
    cli_say(cli, "nothing was better than plain skinning, so the file stays without models\n");
  } else {
    cli_say(cli, "learned: reduces the skinning error by %.0f %% in motion that was held back (",
            100 * (1 - left));
    say_held(cli, r);
    cli_say(cli, ")\n");
    cli_say(cli, "  by %s (relative error %.2f)\n", sup_learn_stack_name(r->chosen), left);
  }
  tell_candidates(cli, r);
  report_numbers(cli, r);
  if (r->chosen != SUP_LEARN_SKINNING && cli->verbose) say_kept(cli, r);
  cli_say(cli, "%s: ", path);
  if (r->teaching > 0) cli_say(cli, "simulated for %.1f s, ", r->teaching);
  cli_say(cli, "learned for %.1f s\n", r->learning);
}

static SupResult run(CliContext *cli, SupError *error) {
  const char *path = cli_text(cli->arguments, "output");
  CliCharacter source;
  SupLearnReport report;
  SupResult result = cli_output_gltf(path, "a character with what it learned is", error);
  if (result != SUP_OK) return result;
  result = cli_character_open(cli, cli->arguments->operands[0], &source, error);
  if (result != SUP_OK) return result;
  result = learn(cli, &source, &report, error);
  if (result == SUP_OK) result = sup_learn_put(&source, &report, error);
  if (result == SUP_OK) result = sup_gltf_save(source.document, path, SUP_GLTF_BY_NAME, error);
  if (result == SUP_OK) cli_tell_learned(cli, &report, path);
  cli_character_close(&source);
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
        "nothing is better. Replaces the models that the file had. --verbose shows what was\n"
        "tried.\n"
        "\n"
        "Without examples it simulates its own, with a coarse elastic body: static poses, and a\n"
        "calibration clip that moves every joint. Examples are point caches of this character.\n"
        "@poses stands for what `supple simulate --poses` wrote with the same seed, @far\n"
        "for the same with --far, @calibration for the calibration clip.\n",
    .example =
        "supple make tube --vertices 600 -o tube.glb\n"
        "supple learn tube.glb --tets 300 --poses 12 --no-surface -o tube-learned.glb",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
