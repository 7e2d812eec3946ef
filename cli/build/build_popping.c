/* SPDX-License-Identifier: MIT */
/* supple build popping: muscles that clench on the beat, from pairs of shapes. */
#include <string.h>

#include "build/build_kinds.h"
#include "character/examples.h"
#include "character/poses.h"
#include "formats.h"
#include "simulate/sim_options.h"
#include "supple/app/shape_file.h"
#include "supple/train/popping.h"

typedef struct Job {
  CliBuild *build;
  uint32_t count;
  SupPoppingPair *pairs;
  SupTransform *poses;
  SupPoppingTrainDef def;
} Job;

static SupResult make_room(Job *job, uint32_t count, SupError *error) {
  CliContext *cli = job->build->cli;
  job->count = count;
  job->pairs = SUP_ALLOC(cli->arena, SupPoppingPair, count);
  if (!job->pairs) return sup_fail_memory(error, NULL);
  const uint32_t joints = job->build->source.character->skeleton.joint_count;
  if (!cli_count(cli->arguments, "at") && !cli_count(cli->arguments, "example")) return SUP_OK;
  SupResult result = cli_poses(cli, &job->build->source, count, &job->poses, error);
  if (result != SUP_OK) return result;
  SupSamples samples = {.fps = 1, .frame_count = count, .joint_count = joints, .poses = job->poses};
  const SupAppContext app = cli_app(cli);
  result = sup_move_poses(&app, &job->build->source, &job->build->models, 0, NULL, &samples, error);
  for (uint32_t k = 0; k < count; k++) job->pairs[k].pose = samples.poses + (size_t)k * joints;
  return result;
}

/* ---- Shapes --------------------------------------------------------------------------------- */

/* Where plain skinning has the body in a pair's pose. */
static SupResult skinned(Job *job, uint32_t pair, SupVec3 **out_positions, SupError *error) {
  const SupAppContext app = cli_app(job->build->cli);
  const SupCharacter *character = job->build->source.character;
  const SupTransform *pose = job->pairs[pair].pose;
  *out_positions = SUP_ALLOC(app.arena, SupVec3, character->body.vertex_count);
  if (!*out_positions) return sup_fail_memory(error, NULL);
  return sup_skin_shape(&app, character, pose ? pose : character->skeleton.rest, NULL,
                        *out_positions, error);
}

/* The shape that `text` names, for one pair: a morph target (offsets), or a file (positions). */
static SupResult find_shape(Job *job, uint32_t pair, const char *text, const SupVec3 **out_shape,
                            bool *out_offsets, SupError *error) {
  CliContext *cli = job->build->cli;
  const CliCharacter *source = &job->build->source;
  const SupCharacter *c = source->character;
  const SupNameList names = {c->morphs ? &c->morphs->name : NULL, sizeof *c->morphs,
                             c->morph_count};
  const SupAppContext app = cli_app(cli);
  SupResult result = sup_find_morph_shape(&app, c, text, out_shape, error);
  *out_offsets = *out_shape != NULL;
  if (result != SUP_OK || *out_shape) return result;
  if (!strchr(text, '.')) {
    char hint[200];
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has no morph target '%s'; name one, or a file (.obj, .glb, .gltf)%s",
                    source->path, text, sup_name_hint(hint, sizeof hint, text, names));
  }
  CliFormat format;
  SupSamples samples;
  SupVec3 *reference;
  SupOpenDef def = cli_open_def(cli);
  def.character = NULL; /* the first of that file */
  result = cli_format(text, &format, error);
  if (result == SUP_OK) result = sup_read_shape(&app, &def, text, source, NULL, &samples, error);
  if (result == SUP_OK) result = skinned(job, pair, &reference, error);
  if (result == SUP_OK) result = cli_match_body(cli, source, text, reference, &samples, error);
  if (result == SUP_OK) *out_shape = samples.positions;
  return result;
}

/* --clench and, where given, --relax: one of each for every pair. */
static SupResult read_shapes(Job *job, SupError *error) {
  const CliArguments *arguments = job->build->cli->arguments;
  const uint32_t count = cli_count(arguments, "clench"), relaxed = cli_count(arguments, "relax");
  if (relaxed && relaxed != count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%u clenched shapes and %u relaxed ones: give equally many, or no relaxed ones",
                    count, relaxed);
  }
  if (count > 1 && !cli_count(arguments, "at")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%u pairs: give the pose of each with --at CLIP:SECONDS", count);
  }
  SupResult result = make_room(job, count, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    SupPoppingPair *pair = &job->pairs[k];
    bool offsets = false, relaxed_offsets;
    result =
        find_shape(job, k, cli_text_at(arguments, "clench", k), &pair->clenched, &offsets, error);
    pair->offsets = relaxed_offsets = offsets;
    if (result == SUP_OK && relaxed) {
      result = find_shape(job, k, cli_text_at(arguments, "relax", k), &pair->relaxed,
                          &relaxed_offsets, error);
    }
    if (result == SUP_OK && relaxed_offsets != offsets) {
      result = sup_fail(error, SUP_ERROR_ARGUMENT,
                        "pair %u: a morph target and a file; give two morph targets or two files",
                        k + 1);
    }
  }
  return result;
}

/* What `simulate clench` wrote: every pose relaxed, then clenched. */
static SupResult read_example(Job *job, SupError *error) {
  CliContext *cli = job->build->cli;
  const CliCharacter *source = &job->build->source;
  const char *path = cli_text_at(cli->arguments, "example", 0);
  SupSamples samples;
  SupVec3 *reference;
  if (cli_count(cli->arguments, "example") != 1) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "popping takes one --example, as `supple simulate clench` writes it");
  }
  SupResult result = sup_cache_load(cli->arena, path, 0, &samples, error);
  if (result != SUP_OK) return result;
  if (samples.frame_count % 2) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s has %u frames; a pair is two frames, relaxed and clenched", path,
                    samples.frame_count);
  }
  result = make_room(job, samples.frame_count / 2, error);
  if (result == SUP_OK) result = skinned(job, 0, &reference, error);
  if (result == SUP_OK) result = cli_match_body(cli, source, path, reference, &samples, error);
  for (uint32_t k = 0; k < job->count && result == SUP_OK; k++) {
    job->pairs[k].relaxed = samples.positions + (size_t)(2 * k) * samples.vertex_count;
    job->pairs[k].clenched = samples.positions + (size_t)(2 * k + 1) * samples.vertex_count;
  }
  return result;
}

/* ---- Muscles -------------------------------------------------------------------------------- */

/* Adds a painted map, or the weights of a bone, called name[length]. */
static SupResult add_mask(const SupCharacter *character, const char *name, size_t length,
                          float *io_values, SupError *error) {
  for (uint32_t k = 0; k < character->map_count; k++) {
    const SupMap *map = &character->maps[k];
    if (strlen(map->name) != length || memcmp(map->name, name, length) != 0) continue;
    for (uint32_t v = 0; v < character->body.vertex_count; v++) io_values[v] += map->values[v];
    return SUP_OK;
  }
  uint32_t joint;
  SupResult result = cli_find_bone(character, "group", name, length, &joint, error);
  if (result != SUP_OK) return result;
  const SupSkin *skin = &character->skin;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      if (character->skeleton.bone_joints[skin->bones[k]] == joint) {
        io_values[v] += skin->weights[k];
      }
    }
  }
  return SUP_OK;
}

/* NAME=WHERE+WHERE..., or one word that is both. */
static SupResult read_group(Job *job, const char *text, SupPoppingMask *out_mask, SupError *error) {
  CliContext *cli = job->build->cli;
  const SupCharacter *character = job->build->source.character;
  const char *equals = strchr(text, '='), *where = equals ? equals + 1 : text;
  float *values = SUP_ALLOC(cli->arena, float, character->body.vertex_count);
  if (!values) return sup_fail_memory(error, NULL);
  SupResult result = SUP_OK;
  for (const char *at = where; result == SUP_OK;) {
    const size_t length = strcspn(at, "+");
    result = add_mask(character, at, length, values, error);
    if (!at[length]) break;
    at += length + 1;
  }
  for (uint32_t v = 0; v < character->body.vertex_count; v++) {
    values[v] = values[v] > 1 ? 1 : values[v] > 0 ? values[v] : 0;
  }
  const size_t length = equals ? (size_t)(equals - text) : strlen(text);
  *out_mask = (SupPoppingMask){sup_arena_string(cli->arena, text, length), values};
  return result == SUP_OK && !out_mask->name ? sup_fail_memory(error, NULL) : result;
}

static SupResult read_groups(Job *job, SupError *error) {
  CliContext *cli = job->build->cli;
  const uint32_t count = cli_count(cli->arguments, "group");
  SupPoppingMask *groups = SUP_ALLOC(cli->arena, SupPoppingMask, count);
  if (!groups) return sup_fail_memory(error, NULL);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = read_group(job, cli_text_at(cli->arguments, "group", k), &groups[k], error);
  }
  job->def.group_count = count;
  job->def.groups = groups;
  return result;
}

/* ---- All together --------------------------------------------------------------------------- */

static SupResult read_settings(Job *job, SupError *error) {
  const CliArguments *arguments = job->build->cli->arguments;
  SupPoppingTrainDef *def = &job->def;
  *def = sup_popping_train_def(job->build->source.character);
  def->jobs = job->build->cli->jobs;
  if (cli_count(arguments, "alpha") && cli_count(arguments, "frequency")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "give --alpha or --frequency, not both");
  }
  if (cli_count(arguments, "damping") && !cli_count(arguments, "frequency")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--damping needs --frequency");
  }
  def->softest = cli_number(arguments, "alpha");
  if (cli_count(arguments, "frequency")) def->frequency = cli_number(arguments, "frequency");
  if (cli_count(arguments, "damping")) def->damping = cli_number(arguments, "damping");
  if (cli_count(arguments, "rate")) def->h = 1 / cli_number(arguments, "rate");
  def->times.rise = (float)cli_number(arguments, "rise");
  def->times.fatigue = (float)cli_number(arguments, "fatigue");
  def->times.release = (float)cli_number(arguments, "release");
  const char *map = cli_text(arguments, "stiff-map");
  if (map) {
    SupResult result = cli_find_map(def->character, "stiff-map", map, &def->stiff, error);
    if (result != SUP_OK) return result;
  }
  return read_groups(job, error);
}

static void report(const CliContext *cli, const SupPoppingTrainReport *r, const SupModel *model) {
  cli_say(cli, "popping: %u pair%s of shapes, %u muscle%s, driven by %u joints\n", r->pair_count,
          r->pair_count == 1 ? "" : "s", r->group_count, r->group_count == 1 ? "" : "s",
          r->driver_count);
  cli_say(cli, "%s vertices bulge by up to %.3g; natural frequency %.2f Hz, damping ratio %.2f\n",
          cli_count_text(r->moving).text, r->bulge, r->frequency, r->damping);
  if (r->left > 0.05 * r->bulge) {
    cli_say(cli,
            "note: some vertices miss their shapes by up to %.3g, where bones almost fold over\n",
            r->left);
  }
  cli_report_begin_object(cli->report, "popping");
  cli_report_integer(cli->report, "pairs", r->pair_count);
  cli_report_integer(cli->report, "muscles", r->group_count);
  cli_report_integer(cli->report, "joints", r->driver_count);
  cli_report_integer(cli->report, "moving", r->moving);
  cli_report_number(cli->report, "bulge", r->bulge);
  cli_report_number(cli->report, "left", r->left);
  cli_report_number(cli->report, "frequency", r->frequency);
  cli_report_number(cli->report, "damping", r->damping);
  cli_report_integer(cli->report, "bytes", (int64_t)model->bytes);
  cli_report_end(cli->report);
}

static SupResult make(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  Job job = {.build = build};
  SupPoppingTrainReport learned;
  SupModel *model;
  const double began = cli_seconds();
  const bool example = cli_count(cli->arguments, "example");
  if (!example && !cli_count(cli->arguments, "clench")) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "popping needs clenched shapes: --clench with a morph target or a file, or make "
        "some with `supple simulate clench IN.glb -o pairs.pc2` and add --example "
        "pairs.pc2");
  }
  SupResult result = read_settings(&job, error);
  if (result == SUP_OK) result = example ? read_example(&job, error) : read_shapes(&job, error);
  if (result != SUP_OK) return result;
  job.def.pair_count = job.count;
  job.def.pairs = job.pairs;
  result = sup_popping_train(cli->arena, &job.def, &model, &learned, error);
  cli_timing(cli, "popping", began);
  if (result != SUP_OK) return result;
  report(cli, &learned, model);
  build->model = model;
  return SUP_OK;
}

/* ---- The page -------------------------------------------------------------------------------- */

static const CliOption options[] = {
    {.name = "clench",
     .kind = CLI_TEXT,
     .value_name = "SHAPE",
     .help = "give a clenched shape: a morph target, or a file (.obj, .glb)",
     .repeated = true},
    {.name = "relax",
     .kind = CLI_TEXT,
     .value_name = "SHAPE",
     .help = "give the relaxed shape of each pair",
     .otherwise = "plain skinning",
     .repeated = true},
    {.name = "example",
     .kind = CLI_INPUT,
     .value_name = "X.pc2",
     .help = "take the pairs of shapes that `supple simulate clench` wrote",
     .repeated = true},
    CLI_AT_OPTION,
    {.name = "group",
     .kind = CLI_TEXT,
     .value_name = "NAME=MAP|BONE",
     .help = "define a muscle group by a map or a bone; A+B joins two",
     .otherwise = "one group, `all`",
     .repeated = true},
    {.name = "frequency",
     .kind = CLI_NUMBER,
     .value_name = "HZ",
     .help = "set the natural frequency of the quiver where the muscle bulges most",
     .otherwise = "from --alpha",
     .low = 0.2,
     .high = 9},
    {.name = "damping",
     .kind = CLI_NUMBER,
     .value_name = "RATIO",
     .help = "set the damping ratio of the quiver; needs --frequency",
     .low = 0.01,
     .high = 1},
    {.name = "alpha",
     .kind = CLI_NUMBER,
     .value_name = "A",
     .help = "set the stiffness where the muscle bulges most; a smaller one quivers longer",
     .fallback = "0.25",
     .low = 0.01,
     .high = 1,
     .advanced = true},
    {.name = "stiff-map",
     .kind = CLI_TEXT,
     .value_name = "MAP",
     .help = "take the stiffness from a painted map instead of from the bulge",
     .advanced = true},
    {.name = "rise",
     .kind = CLI_NUMBER,
     .value_name = "SECONDS",
     .help = "set the time from activation to full strength",
     .fallback = "0.03",
     .low = 0,
     .high = 10,
     .advanced = true},
    {.name = "fatigue",
     .kind = CLI_NUMBER,
     .value_name = "SECONDS",
     .help = "set the fatigue time constant of an active muscle; 0: no fatigue",
     .fallback = "0",
     .low = 0,
     .high = 1000,
     .advanced = true},
    {.name = "release",
     .kind = CLI_NUMBER,
     .value_name = "RATE",
     .help = "set the release rate of a muscle, in 1/s",
     .fallback = "8",
     .low = 0.1,
     .high = 1000,
     .advanced = true},
    {.name = "rate",
     .kind = CLI_NUMBER,
     .value_name = "HZ",
     .help = "set the steps per second of the simulation; it plays at any frame rate",
     .otherwise = "60",
     .low = 30,
     .high = 1000,
     .advanced = true},
    {0},
};

static SupResult run(CliContext *cli, SupError *error) { return cli_build(cli, NULL, make, error); }

const CliVerb cli_kind_popping = {
    .name = "popping",
    .summary = "make muscles that bulge, quiver and relax on a beat, from pairs of shapes",
    .usage = "IN.glb --clench SHAPE | --example PAIRS.pc2 -o OUT.glb [options]",
    .details =
        "Interpolates between a relaxed and a clenched shape of the muscles. The clenched\n"
        "shapes are sculpted (--clench, a morph target or a file) or simulated\n"
        "(`supple simulate clench`). `supple play --beat` activates the muscles.\n",
    .example =
        "supple make toy --vertices 494 -o toy.glb\n"
        "supple simulate clench toy.glb --poses 2 --tets 500 -o pairs.pc2\n"
        "supple build popping toy.glb --example pairs.pc2 -o toy-popping.glb",
    .options = options,
    .run = run,
};
