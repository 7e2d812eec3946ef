/* SPDX-License-Identifier: MIT */
/* supple build surface --example: flesh learned from motion. */
#include <math.h>

#include "build/build_kinds.h"
#include "character/examples.h"
#include "character/tell_motion.h"
#include "formats.h"
#include "supple/train/surface.h"

/* Told how far learning is. */
static void show_progress(void *user, const char *what, double done, double total) {
  cli_progress((const CliContext *)user, what, done, total);
}

/* What the flesh is pulled to: what the file's other models make of the clip, else skinning with
 * its morph targets. */
static SupResult make_goals(CliBuild *build, const CliModels *before, const CliExample *from,
                            SupSurfaceExample *io_example, SupError *error) {
  CliContext *cli = build->cli;
  const SupCharacter *character = build->source.character;
  const uint32_t frames = from->samples.frame_count, count = character->body.vertex_count;
  SupVec3 *goals = SUP_ALLOC(cli->arena, SupVec3, (size_t)frames * count);
  if (!goals) return sup_fail_memory(error, NULL);
  if (before->count) {
    const SupAppContext app = cli_app(cli);
    SupResult result = sup_show_example(&app, &build->source, before, 0, from, goals, error);
    if (result != SUP_OK) return result;
  } else {
    CliPlayer player;
    SupResult result =
        cli_player_create(cli, character, SUP_ORDER_BODY, CLI_SKINNING_LBS, &player, error);
    if (result != SUP_OK) return result;
    for (uint32_t i = 0; i < frames; i++) {
      const float time = from->samples.start + (float)i / from->samples.fps;
      cli_player_sample(&player, from->clip, time, goals + (size_t)i * count);
    }
  }
  io_example->goals = goals;
  return SUP_OK;
}

/* Does an offset below (modes) keep the acceleration from the surface? What joints show that were
 * learned from motion (helpers) is in the goals: the surface learns what they leave of it. */
static bool is_handed_on(const CliModels *before) {
  return sup_models_with(before, SUP_TRAIT_INERTIA, SUP_STAGE_OFFSET, 0) != NULL;
}

static SupResult make_example(CliBuild *build, const CliModels *before, const CliExample *from,
                              float gravity, SupSurfaceExample *out, SupError *error) {
  const SupSamples *s = &from->samples;
  if (!from->clip) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%s: static poses show no motion; give the cache of a clip, or build correctives",
        from->path);
  }
  *out = (SupSurfaceExample){.name = from->clip->name,
                             .positions = s->positions,
                             .acceleration = {0, -gravity, 0},
                             .handed_on = is_handed_on(before)};
  SupResult result =
      sup_surface_example_clip(build->cli->arena, build->source.character, from->clip, s->start,
                               s->fps, s->frame_count, out, error);
  return result == SUP_OK ? make_goals(build, before, from, out, error) : result;
}

static SupResult make_examples(CliBuild *build, SupSurfaceTrainDef *def, SupError *error) {
  CliContext *cli = build->cli;
  CliExample *from;
  CliModels before = {0};
  uint32_t count;
  SupResult result = cli_read_examples(cli, &build->source, &from, &count, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < build->models.count; k++) { /* what stands under the surface */
    if (build->models.models[k]->kind == SUP_SURFACE_KIND) continue;
    before.models[before.count++] = build->models.models[k];
  }
  SupSurfaceExample *examples = SUP_ALLOC(cli->arena, SupSurfaceExample, count);
  if (!examples) return sup_fail_memory(error, NULL);
  const float gravity = (float)cli_number(cli->arguments, "gravity");
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    if (fabsf(from[k].samples.fps - from[0].samples.fps) > 1e-3f * from[0].samples.fps) {
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "%s has %g frames per second and %s has %g: all examples need the same rate",
                      from[k].path, (double)from[k].samples.fps, from[0].path,
                      (double)from[0].samples.fps);
    }
    result = make_example(build, &before, &from[k], gravity, &examples[k], error);
  }
  if (sup_models_with(&before, SUP_TRAIT_INERTIA, SUP_STAGE_COUNT, 0) && !is_handed_on(&before)) {
    def->flags |= SUP_SURFACE_OWN_INERTIA;
  }
  build->example_count = count;
  build->examples = from;
  build->gravity = gravity;
  def->h = 1 / from[0].samples.fps;
  def->example_count = count;
  def->examples = examples;
  return result;
}

/* ---- Telling ---------------------------------------------------------------------------------
 */

static const char *const stage_names[SUP_SURFACE_STAGES] = {
    "best uniform spring", "teacher forcing", "growing windows", "descent", "saved"};
static const char *const stage_keys[SUP_SURFACE_STAGES] = {"uniform", "forced", "windows",
                                                           "descent", "saved"};

static void say_rows(const CliContext *cli, uint32_t rows) {
  bool first = true;
  for (uint32_t k = 0; k < SUP_SURFACE_ALL_TERMS; k++) {
    const uint32_t map = k < SUP_SURFACE_TERMS ? k : SUP_SURFACE_MAPS + k - SUP_SURFACE_TERMS;
    if (!(rows >> k & 1)) continue;
    cli_say(cli, "%s%s", first ? "" : ", ", sup_surface_map_name(map));
    first = false;
  }
}

static void say_choices(const CliContext *cli, const SupSurfaceTrainReport *r) {
  for (uint32_t k = 0; k < r->choice_count; k++) {
    cli_say(cli, "  smoothness %-6g ", r->choices[k].smooth);
    say_rows(cli, r->choices[k].rows);
    if (r->choices[k].inertia_gain < 1)
      cli_say(cli, ", inertia gain %g", r->choices[k].inertia_gain);
    cli_say(cli, ": relative error %.3f on held-out clips\n", r->choices[k].error);
  }
}

static void say(const CliContext *cli, const SupSurfaceTrainReport *r, bool literal,
                double seconds) {
  say_choices(cli, r);
  cli_say(cli, "learned ");
  say_rows(cli, r->rows);
  if (r->inertia_gain < 1) cli_say(cli, ", inertia gain %.2g,", r->inertia_gain);
  cli_say(cli, " in %.1f s, %u simulations, %u gradients; relative error (1 is plain skinning):\n",
          seconds, r->iterations, r->gradients);
  for (int k = 0; k < SUP_SURFACE_STAGES; k++) {
    if (isnan(r->errors[k])) continue;
    const bool published = literal && k == SUP_SURFACE_WINDOWS;
    cli_say(cli, "  %-20s %6.3f\n", published ? "published iteration" : stage_names[k],
            r->errors[k]);
  }
  for (uint32_t k = 0; k < r->clip_count; k++) {
    const SupSurfaceTrainClip *clip = &r->clips[k];
    cli_say(cli, "  %-20s %6.3f  %u frames", cli_shown(cli, clip->name), clip->error, clip->frames);
    if (clip->dropped) cli_say(cli, ", %u dropped", clip->dropped);
    if (clip->missing) cli_say(cli, ", %u positions unknown", clip->missing);
    cli_say(cli, "\n");
  }
  if (!(r->errors[SUP_SURFACE_SAVED] < 1)) {
    cli_say(cli, "note: this is no better than plain skinning; omit it, or build modes instead\n");
  }
}

static void report(const CliContext *cli, const SupSurfaceTrainReport *r, double seconds) {
  CliReport *to = cli->report;
  cli_report_begin_object(to, "learned");
  cli_report_number(to, "seconds", seconds);
  cli_report_integer(to, "simulations", r->iterations);
  cli_report_integer(to, "gradients", r->gradients);
  cli_report_integer(to, "vertices_seen", r->seen);
  cli_report_number(to, "smooth", r->smooth);
  cli_report_number(to, "inertia_gain", r->inertia_gain);
  cli_report_begin_object(to, "errors");
  for (int k = 0; k < SUP_SURFACE_STAGES; k++) {
    cli_report_number(to, stage_keys[k], r->errors[k]);
  }
  cli_report_end(to);
  cli_report_begin_array(to, "clips");
  for (uint32_t k = 0; k < r->clip_count; k++) {
    cli_report_begin_object(to, NULL);
    cli_report_text(to, "clip", r->clips[k].name);
    cli_report_number(to, "relative_error", r->clips[k].error);
    cli_report_integer(to, "frames", r->clips[k].frames);
    cli_report_integer(to, "frames_dropped", r->clips[k].dropped);
    cli_report_integer(to, "positions_unknown", r->clips[k].missing);
    cli_report_end(to);
  }
  cli_report_end(to);
  cli_report_begin_array(to, "choices");
  for (uint32_t k = 0; k < r->choice_count; k++) {
    cli_report_begin_object(to, NULL);
    cli_report_number(to, "smooth", r->choices[k].smooth);
    cli_report_integer(to, "rows", r->choices[k].rows);
    cli_report_number(to, "inertia_gain", r->choices[k].inertia_gain);
    cli_report_number(to, "error", r->choices[k].error);
    cli_report_end(to);
  }
  cli_report_end(to);
  cli_report_number(to, "growth", r->build.probe.growth);
  cli_report_integer(to, "limited", r->build.limited);
  cli_report_integer(to, "calmed", r->build.calmed);
  cli_report_end(to);
}

/* ---- The kind --------------------------------------------------------------------------------
 */

/* What would have no effect beside the others is refused. */
static SupResult check_words(const CliArguments *arguments, SupError *error) {
  if (cli_flag(arguments, "literal")) {
    static const char *const names[] = {"normal-stiffness", "delayed", "inertia-gain"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
      if (!cli_count(arguments, names[k])) continue;
      return sup_fail(
          error, SUP_ERROR_ARGUMENT,
          "--%s has no effect with --literal, the published algorithm; leave one of them "
          "out",
          names[k]);
    }
  }
  if (cli_flag(arguments, "no-amount") && cli_count(arguments, "inertia-gain")) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "--inertia-gain has no effect with --no-amount, where flesh feels all inertia; leave one "
        "of them out");
  }
  return SUP_OK;
}

SupResult cli_build_learned(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  const CliArguments *arguments = cli->arguments;
  SupSurfaceTrainDef def = sup_surface_train_def(build->source.character);
  SupSurfaceTrainReport learned;
  SupSurfaceMaps maps;
  SupModel *model;
  def.literal = cli_flag(arguments, "literal");
  if (check_words(arguments, error) != SUP_OK) return SUP_ERROR_ARGUMENT;
  if (cli_flag(arguments, "bone-rotation")) def.flags |= SUP_SURFACE_BONE_ROTATION;
  if (cli_flag(arguments, "delayed")) def.flags &= ~SUP_SURFACE_UNDELAYED;
  if (cli_count(arguments, "inertia-gain"))
    def.inertia_gain = cli_number(arguments, "inertia-gain");
  if (cli_flag(arguments, "normal-stiffness")) def.flags |= SUP_SURFACE_NORMAL;
  if (cli_flag(arguments, "no-spokes")) def.rows &= ~(1u << SUP_SURFACE_GAMMA);
  if (cli_flag(arguments, "no-detail")) def.rows &= ~(1u << SUP_SURFACE_BETA);
  if (cli_flag(arguments, "no-amount")) def.rows &= ~(1u << SUP_SURFACE_ETA);
  if (cli_count(arguments, "smooth")) def.smooth = cli_number(arguments, "smooth");
  def.sobolev = cli_number(arguments, "velocities");
  def.basis = (uint32_t)cli_integer(arguments, "basis");
  def.cross_validate = cli_flag(arguments, "cross-validate");
  def.seed = cli->seed;
  def.jobs = cli->jobs;
  def.progress = show_progress;
  def.user = cli;
  double began = cli_seconds();
  SupResult result = make_examples(build, &def, error);
  cli_timing(cli, "examples", began);
  if (result != SUP_OK) return result;
  began = cli_seconds();
  result = sup_surface_train(cli->arena, &def, &maps, &model, &learned, error);
  cli_timing(cli, "learn", began);
  if (result != SUP_OK) return result;
  say(cli, &learned, def.literal, cli_seconds() - began);
  report(cli, &learned, cli_seconds() - began);
  cli_say(cli, "surface: %s vertices, %s\n", cli_count_text(maps.vertex_count).text,
          cli_settle_text(learned.build.probe.growth, (double)model->h).text);
  cli_detail(cli, "  a disturbance decays to %.4g per step\n", learned.build.probe.growth);
  build->model = model;
  return cli_surface_put_maps(cli, &build->source, &maps, error);
}
