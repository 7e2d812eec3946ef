/* SPDX-License-Identifier: MIT */
/* supple build KIND IN.glb -o OUT.glb */
#include <string.h>

#include "build_kinds.h"
#include "examples.h"
#include "formats.h"
#include "play_as.h"
#include "postures.h"
#include "supple/io/file.h"

static const char *const surface_options[] = {
    "preset",     "frequency", "damping",          "amount",        "detail",    "volume",
    "reach",      "rate",      "literal",          "bone-rotation", "example",   "clip",
    "smooth",     "basis",     "no-spokes",        "no-detail",     "no-amount", "cross-validate",
    "velocities", "gravity",   "normal-stiffness", "late",          "trust",     NULL};
static const char *const modes_options[] = {"modes",     "material", "tets", "edge",
                                            "frequency", "damping",  "warp", "scenario",
                                            "zone",      "limbs",    NULL};

static const char *const correctives_options[] = {"example", "clip",        "components", "centres",
                                                  "gravity", "no-products", NULL};

static const char *const helpers_options[] = {
    "example", "clip",    "replay",           "bones",        "as",     "influences", "tolerance",
    "targets", "gravity", "degree",           "states",       "system", "order",      "lags",
    "beta",    "each",    "published-inputs", "keep-weights", "chains", "material",   "untuned",
    NULL};

static const char *const popping_options[] = {
    "example",   "clip",    "clench", "relax", "at",   "group",  "alpha", "stiff-map",
    "frequency", "damping", "rate",   "rise",  "tire", "let-go", NULL};

static const CliBuildKind kinds[] = {
    {"surface", cli_build_surface, surface_options},
    {"modes", cli_build_modes, modes_options},
    {"correctives", cli_build_correctives, correctives_options},
    {"popping", cli_build_popping, popping_options},
    {"helpers", cli_build_helpers, helpers_options},
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static SupResult find_kind(const char *name, const CliBuildKind **out_kind, SupError *error) {
  const char *names[KIND_COUNT];
  char all[128] = "", hint[80];
  size_t length = 0;
  for (size_t k = 0; k < KIND_COUNT; k++) {
    names[k] = kinds[k].name;
    if (strcmp(name, names[k]) == 0) {
      *out_kind = &kinds[k];
      return SUP_OK;
    }
    length += sup_format(all + length, sizeof all - length, "%s%s", k ? ", " : "", names[k]);
  }
  cli_did_you_mean(hint, sizeof hint, cli_nearest(name, names, KIND_COUNT));
  return sup_fail(error, SUP_ERROR_ARGUMENT, "cannot build '%s'; there are: %s%s", name, all, hint);
}

/* The kinds that know an option, as `build A` or `build B`. */
static const char *kinds_of(const char *option, char *text, size_t size) {
  size_t length = 0;
  for (size_t k = 0; k < KIND_COUNT; k++) {
    const char *const *own = kinds[k].options;
    while (*own && strcmp(*own, option) != 0) own++;
    if (!*own || length >= size) continue;
    length += sup_format(text + length, size - length, "%s`build %s`", length ? " or " : "",
                         kinds[k].name);
  }
  return text;
}

/* Refuses options that mean something to another kind only. */
static SupResult check_options(const CliContext *cli, const CliBuildKind *kind, SupError *error) {
  for (size_t k = 0; k < KIND_COUNT; k++) {
    for (const char *const *name = kinds[k].options; *name; name++) {
      const char *const *own = kind->options;
      while (*own && strcmp(*own, *name) != 0) own++;
      if (*own || !cli_count(cli->arguments, *name)) continue;
      char known[128];
      return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s is for %s; leave it out", *name,
                      kinds_of(*name, known, sizeof known));
    }
  }
  return SUP_OK;
}

/* Refuses what could not be played. */
static SupResult check_stack(const CliBuild *build, SupError *error) {
  SupStack stack;
  SupStackDef def = sup_stack_def();
  def.skeleton = &build->actor.character->skeleton;
  def.model_count = build->models.count;
  def.models = build->models.models;
  return sup_stack_make(&def, &stack, error);
}

static SupResult save(const CliBuild *build, const char *path, CliFormat format, SupError *error) {
  if (format == CLI_FORMAT_MODEL) {
    return sup_file_save(build->cli->allocator, path, build->model, (size_t)build->model->bytes,
                         error);
  }
  SupResult result = cli_models_put(&build->actor, &build->models, error);
  return result == SUP_OK ? sup_gltf_save(build->actor.document, path, SUP_GLTF_BY_NAME, error)
                          : result;
}

static void report(const CliBuild *build, const char *path) {
  const CliContext *cli = build->cli;
  cli_say(cli, "%s: ", path);
  cli_report_begin_array(cli->report, "stack");
  for (uint32_t k = 0; k < build->models.count; k++) {
    const char *name = cli_kind_name(build->models.models[k]->kind);
    cli_say(cli, "%s%s", k ? ", then " : "", name);
    cli_report_text(cli->report, NULL, name);
  }
  cli_report_end(cli->report);
  cli_report_hash(cli->report, "model_hash",
                  sup_hash(build->model, (size_t)build->model->bytes, 0));
  cli_say(cli, ", %s\n", cli_bytes_text(build->model->bytes).text);
}

static bool is_bare(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && strcmp(ending, ".obj") == 0;
}

static SupResult run(CliContext *cli, SupError *error) {
  const CliBuildKind *kind = NULL;
  const char *path = cli_text(cli->arguments, "output");
  CliFormat format;
  CliBuild build = {.cli = cli};
  SupResult result = find_kind(cli->arguments->operands[0], &kind, error);
  if (result == SUP_OK) result = check_options(cli, kind, error);
  if (result == SUP_OK) result = cli_format(path, &format, error);
  if (result != SUP_OK) return result;
  if (format != CLI_FORMAT_GLTF && format != CLI_FORMAT_MODEL) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: a model goes into a .glb, .gltf or .supple; give the output such a name",
                    path);
  }
  if (kind->build == cli_build_helpers) {
    build.bare = is_bare(cli->arguments->operands[1]);
    result = cli_check_helpers(&build, format == CLI_FORMAT_GLTF, error);
    if (result != SUP_OK) return result;
  }
  result = build.bare ? cli_open_bare(cli, cli->arguments->operands[1], &build.actor, error)
                      : cli_actor_open(cli, cli->arguments->operands[1], &build.actor, error);
  if (result != SUP_OK) return result;
  if (!cli_flag(cli->arguments, "fresh")) {
    result = cli_models_open(cli, &build.actor, cli_flag(cli->arguments, "rebind"), &build.models,
                             error);
  }
  if (result == SUP_OK) result = kind->build(&build, error);
  if (build.saved) goto close;
  if (result == SUP_OK) result = cli_models_place(&build.models, build.model, error);
  if (result == SUP_OK) result = check_stack(&build, error);
  if (result == SUP_OK) result = save(&build, path, format, error);
  if (result == SUP_OK) report(&build, path);
close:
  cli_actor_close(&build.actor);
  return result;
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "the character with its model (.glb, .gltf), or the model alone (.supple)",
     .required = true},
    {.name = "preset",
     .kind = CLI_CHOICE,
     .choices = cli_preset_names,
     .help = "what the flesh is like; without it, maps that the file has are kept",
     .fallback = "soft"},
    {.name = "frequency",
     .kind = CLI_NUMBER,
     .value_name = "HZ",
     .help = "how fast the thickest flesh swings, or the lowest mode",
     .low = 0.2,
     .high = 9},
    {.name = "damping",
     .kind = CLI_NUMBER,
     .value_name = "RATIO",
     .help = "0 rings for ever, 1 does not swing; of the lowest mode",
     .low = 0.01,
     .high = 1},
    {.name = "amount",
     .kind = CLI_NUMBER,
     .value_name = "SHARE",
     .help = "how much of the motion it feels: 0 is plain skinning",
     .low = 0,
     .high = 1},
    {.name = "detail",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "how much the skin keeps its fine shape",
     .low = 0,
     .high = 1},
    {.name = "volume",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "how much it keeps its distance from the bones",
     .low = 0,
     .high = 1},
    {.name = "reach",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "farthest that flesh may go, in thicknesses of it",
     .low = 0.01,
     .high = 10},
    {.name = "rate",
     .kind = CLI_NUMBER,
     .value_name = "HZ",
     .help = "steps per second of the simulation, 60 by default; any frame rate plays it",
     .low = 30,
     .high = 1000},
    {.name = "bone-rotation",
     .kind = CLI_FLAG,
     .help = "the skin's detail turns with the bones: cheaper, less lively"},
    {.name = "literal",
     .kind = CLI_FLAG,
     .help = "damp absolute velocities, as published: moving characters lag. With examples, learn "
             "as published too"},
    {.name = "smooth",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "examples: how much neighbours shall be alike; 0 not at all (default 1)",
     .low = 0,
     .high = 100},
    {.name = "basis",
     .kind = CLI_INTEGER,
     .value_name = "K",
     .help = "examples: so many smooth patterns instead of a number for every vertex",
     .fallback = "0",
     .low = 0,
     .high = 256},
    {.name = "velocities",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "examples: how much velocities count beside positions",
     .fallback = "0",
     .low = 0,
     .high = 1000},
    {.name = "no-spokes", .kind = CLI_FLAG, .help = "examples: learn no volume"},
    {.name = "no-detail", .kind = CLI_FLAG, .help = "examples: learn no detail"},
    {.name = "no-amount",
     .kind = CLI_FLAG,
     .help = "examples: all of the motion is felt everywhere, as published"},
    {.name = "normal-stiffness",
     .kind = CLI_FLAG,
     .help =
         "examples: learn other stiffness and drag along the skin's normal than along the skin"},
    {.name = "trust",
     .kind = CLI_NUMBER,
     .value_name = "SHARE",
     .help = "examples: share of the inertia that was learned to keep; default: what they explain",
     .low = 0.01,
     .high = 1},
    {.name = "late",
     .kind = CLI_FLAG,
     .help = "examples: flesh that follows does so a step late; for older readers of models"},
    {.name = "cross-validate",
     .kind = CLI_FLAG,
     .help = "examples: choose smoothness and terms by clips that are left out; takes long"},
    {.name = "modes",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "modes: how many of the lowest (of each zone)",
     .fallback = "15",
     .low = 1,
     .high = 1024},
    {.name = "warp",
     .kind = CLI_FLAG,
     .help = "modes: flesh that swings far goes along an arc; twice the memory"},
    {.name = "material",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "modes: fat, muscle, jelly or rubber (default: swings at 2.8 Hz, damping 0.1); "
             "helpers: what the examples that follow are made of, a name for `play --material`",
     .fallback = "fat",
     .repeated = true},
    {.name = "untuned",
     .kind = CLI_FLAG,
     .help = "helpers: a blend of materials swings at the pitches of all, not at one between"},
    {.name = "scenario",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "modes: the flesh of this scenario, as `simulate` has it"},
    {.name = "zone",
     .kind = CLI_TEXT,
     .value_name = "BONE",
     .help = "modes: only the flesh of this bone and those below it; several: each by itself",
     .repeated = true},
    {.name = "limbs", .kind = CLI_FLAG, .help = "modes: the trunk and every limb by itself"},
    {.name = "tets",
     .kind = CLI_INPUT,
     .value_name = "N|FILE",
     .help = "modes: about this many tetrahedra, or those of a .mesh, .msh, .node or .ele",
     .fallback = "5000"},
    {.name = "edge",
     .kind = CLI_NUMBER,
     .value_name = "M",
     .help = "modes: instead of a number, the lattice's spacing",
     .low = 1e-6,
     .high = 1000},
    CLI_EXAMPLE_OPTIONS,
    {.name = "components",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "correctives: at most so many",
     .fallback = "48",
     .low = 1,
     .high = 1024},
    {.name = "no-products",
     .kind = CLI_FLAG,
     .help = "correctives: rotations of joints only, not how neighbours act together"},
    {.name = "centres",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "correctives: interpolate between so many example postures as well",
     .fallback = "0",
     .low = 0,
     .high = 10000},
    {.name = "gravity",
     .kind = CLI_NUMBER,
     .value_name = "M/S2",
     .help = "what the examples were simulated with, downwards",
     .fallback = "0",
     .low = -1000,
     .high = 1000},
    {.name = "states",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "helpers: most states of one controller",
     .fallback = "12",
     .low = 1,
     .high = 54},
    {.name = "degree",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "helpers: of the polynomial in joint rotations",
     .fallback = "2",
     .low = 1,
     .high = 3},
    {.name = "order",
     .kind = CLI_CHOICE,
     .choices = cli_helpers_orders,
     .help = "helpers: how the number of states is found; share: as published",
     .fallback = "validated"},
    {.name = "chains",
     .kind = CLI_CHOICE,
     .choices = cli_helpers_chains,
     .help = "helpers: whether one may hang below another, as in a tail; auto: where it pays",
     .fallback = "auto"},
    {.name = "system",
     .kind = CLI_CHOICE,
     .choices = cli_helpers_systems,
     .help = "helpers: what kind of dynamics is learned",
     .fallback = "state-space"},
    {.name = "beta",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "helpers, low-rank: how much the examples count; less gives fewer states",
     .fallback = "100",
     .low = 1e-6,
     .high = 1e9},
    {.name = "lags",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "helpers, arx: frames that are looked back",
     .fallback = "2",
     .low = 1,
     .high = 4},
    {.name = "each",
     .kind = CLI_FLAG,
     .help = "helpers: a system for every number of a helper, as published"},
    {.name = "published-inputs",
     .kind = CLI_FLAG,
     .help = "helpers: driven by rotations of all joints and the root's velocity, as published"},
    {.name = "keep-weights",
     .kind = CLI_FLAG,
     .help = "helpers: do not fit the weights again to what the controllers do"},
    {.name = "replay",
     .kind = CLI_FLAG,
     .help = "helpers: the examples themselves, as helper joints with keys"},
    {.name = "bones",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "helpers: how many joints are added (default 8, with --replay 16)",
     .low = 1,
     .high = 128},
    CLI_BAKED_OPTIONS,
    {.name = "as",
     .kind = CLI_CHOICE,
     .choices = cli_replay_names,
     .help = "replay: what the examples become",
     .fallback = "helpers"},
    {.name = "clench",
     .kind = CLI_TEXT,
     .value_name = "SHAPE",
     .help = "popping: a clenched shape: a morph target, or a file (.obj, .glb)",
     .repeated = true},
    {.name = "relax",
     .kind = CLI_TEXT,
     .value_name = "SHAPE",
     .help = "popping: the relaxed shape to each (default: as skinning has it)",
     .repeated = true},
    CLI_AT_OPTION,
    {.name = "group",
     .kind = CLI_TEXT,
     .value_name = "NAME=MAP|BONE",
     .help = "popping: a muscle that clenches by itself; A+B joins (default: one, `all`)",
     .repeated = true},
    {.name = "alpha",
     .kind = CLI_NUMBER,
     .value_name = "A",
     .help = "popping: stiffness where it bulges most; smaller quivers longer",
     .fallback = "0.25",
     .low = 0.01,
     .high = 1},
    {.name = "stiff-map",
     .kind = CLI_TEXT,
     .value_name = "MAP",
     .help = "popping: a painted map of the stiffness, in place of one from the bulge"},
    {.name = "rise",
     .kind = CLI_NUMBER,
     .value_name = "S",
     .help = "popping: how long a muscle takes to pull with all its strength",
     .fallback = "0.03",
     .low = 0,
     .high = 10},
    {.name = "tire",
     .kind = CLI_NUMBER,
     .value_name = "S",
     .help = "popping: in which time one that is held grows weaker; 0: it does not",
     .fallback = "0",
     .low = 0,
     .high = 1000},
    {.name = "let-go",
     .kind = CLI_NUMBER,
     .value_name = "RATE",
     .help = "popping: how fast a muscle relaxes, 1/s",
     .fallback = "8",
     .low = 0.1,
     .high = 1000},
    {.name = "fresh", .kind = CLI_FLAG, .help = "drop the models that the file has"},
    CLI_REBIND_OPTION,
    CLI_ACTOR_OPTIONS,
    {0},
};

const CliVerb cli_verb_build = {
    .name = "build",
    .summary = "give a character secondary motion: one technique into its file",
    .usage = "KIND IN.glb -o OUT.glb [options]",
    .details =
        "surface   flesh that lags, swings and settles, from a preset:\n"
        "          fat     heavy and slow, rolls on after every step\n"
        "          soft    relaxed flesh of an ordinary body\n"
        "          firm    a trained body: small, quick, soon still\n"
        "          muscle  tight: quivers on impacts only\n"
        "          jelly   a cartoon: everything wobbles, long\n"
        "          or, with --example and --clip, learned from motion: a simulation's, a scan's\n"
        "modes     the body's own vibrations, from its volume: the cheapest dynamics. Under a\n"
        "          surface, which then only answers to contact, pulls and forces\n"
        "correctives  the shape that every posture gives to flesh, from example postures;\n"
        "          no dynamics of its own\n"
        "popping   muscles that clench, quiver and relax on the beat, from pairs of shapes:\n"
        "          --clench MORPH, or --example with what `simulate clench` wrote\n"
        "helpers   helper joints whose swinging is learned from examples (--example, --clip):\n"
        "          in the end nothing but bones, live in any engine that steps them;\n"
        "          with --replay: examples as helper joints with keys (--as morphs: as morph\n"
        "          targets), which any engine plays; the output has no models. The input may\n"
        "          be a bare .obj: then helpers do everything. With --material NAME before the\n"
        "          examples of each: one set of joints for several materials, to be blended\n"
        "\n"
        "The file keeps everything it had. The numbers of every vertex are also written as\n"
        "attributes (_SUPPLE_STIFFNESS, ...): change them with `supple paint` or in another\n"
        "tool, and they win over the model. Models stand in the order in which they run; one\n"
        "of the same kind is replaced.\n",
    .example =
        "supple build surface mochi.glb --preset fat -o mochi-fat.glb\n"
        "supple make tube --vertices 494 -o tube.glb\n"
        "supple simulate tube.glb --clip bend --until 0.7 --tets 500 -o bend.pc2\n"
        "supple build surface tube.glb --example bend.pc2 --clip bend -o tube-learned.glb\n"
        "supple simulate tube.glb --clip translation --until 1.5 --tets 500 -o soft.pc2\n"
        "supple simulate tube.glb --clip translation --until 1.5 --tets 500 --young 60000 -o "
        "firm.pc2\n"
        "supple build helpers tube.glb --bones 2 --material soft --example soft.pc2 --clip "
        "translation \\\n"
        "  --material firm --example firm.pc2 --clip translation -o tube-both.glb",
    .options = options,
    .least_operands = 2,
    .most_operands = 2,
    .word_operands = 1,
    .run = run,
};
