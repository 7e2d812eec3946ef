/* SPDX-License-Identifier: MIT */
/* supple build helpers --replay: an example as helper joints with keys. */
#include <string.h>

#include "build/build_kinds.h"
#include "character/examples.h"
#include "character/play_as.h"
#include "supple/io/obj.h"
#include "supple/train/helpers.h"

const char *const cli_replay_names[] = {"helpers", "morphs", NULL};

/* ---- A mesh without a skeleton -------------------------------------------------------------- */

/* One joint that carries everything. */
static SupResult give_root(CliContext *cli, SupCharacter *io_character, SupError *error) {
  static const int32_t no_parent[1] = {-1};
  static const uint32_t first[1] = {0};
  static const char *const name[1] = {"root"};
  const uint32_t n = io_character->body.vertex_count;
  SupTransform *rest = SUP_ALLOC(cli->arena, SupTransform, 1);
  SupAffine *bind = SUP_ALLOC(cli->arena, SupAffine, 1);
  uint32_t *offsets = SUP_ALLOC(cli->arena, uint32_t, (size_t)n + 1);
  uint32_t *bones = SUP_ALLOC(cli->arena, uint32_t, n);
  float *weights = SUP_ALLOC(cli->arena, float, n);
  if (!rest || !bind || !offsets || !bones || !weights) return sup_fail_memory(error, NULL);
  *rest = sup_transform_identity();
  *bind = sup_affine_identity();
  for (uint32_t i = 0; i < n; i++) {
    offsets[i + 1] = i + 1;
    weights[i] = 1;
  }
  io_character->skeleton = (SupSkeleton){1, 1, no_parent, rest, name, first, bind};
  io_character->skin = (SupSkin){n, 1, offsets, bones, weights};
  io_character->render.skin = (SupSkin){0};
  return SUP_OK;
}

/* Clips of the names that --clip gives, as long as their examples, in which nothing moves yet. */
static SupResult empty_clips(CliContext *cli, CliCharacter *source, SupError *error) {
  const uint32_t count = cli_count(cli->arguments, "clip");
  SupGltfCharacter *found = SUP_COPY(cli->arena, SupGltfCharacter, source->found, 1);
  SupClip *clips = SUP_ALLOC(cli->arena, SupClip, count);
  if (!found || !clips) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    clips[k].name = cli_text_at(cli->arguments, "clip", k);
    if (k >= cli_count(cli->arguments, "example")) continue;
    SupCacheReader *reader;
    SupResult result = sup_cache_open(cli->allocator, cli_text_at(cli->arguments, "example", k),
                                      (float)cli_number(cli->arguments, "fps"), &reader, error);
    if (result != SUP_OK) return result;
    const SupCacheInfo *info = sup_cache_info(reader);
    if (info->fps > 0) clips[k].duration = (float)(info->frame_count - 1) / info->fps;
    sup_cache_close(reader);
  }
  found->character.clip_count = count;
  found->character.clips = clips;
  source->found = found;
  source->character = &found->character;
  return SUP_OK;
}

SupResult cli_open_bare(CliContext *cli, const char *path, CliCharacter *out_source,
                        SupError *error) {
  SupCharacter character;
  SupGltfOptions options = sup_gltf_options();
  CliCharacter source = {.path = path, .clips_path = path};
  SupGltfCharacter *found;
  uint32_t count;
  SupResult result = sup_obj_read(cli->arena, path, &character, NULL, error);
  if (result == SUP_OK) result = give_root(cli, &character, error);
  if (result != SUP_OK) return result;
  options.allocator = cli->allocator;
  options.memory_limit = 0; /* --max-memory is the limit */
  result = sup_gltf_from_character(&character, &options, &source.document, error);
  if (result != SUP_OK) return result;
  result = sup_gltf_characters(source.document, cli->arena, &count, &found, error);
  if (result == SUP_OK) {
    source.found = found;
    result = empty_clips(cli, &source, error);
  }
  if (result != SUP_OK) {
    sup_gltf_close(source.document);
    return result;
  }
  *out_source = source;
  return SUP_OK;
}

/* ---- Checks --------------------------------------------------------------------------------- */

static bool is_bare(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && strcmp(ending, ".obj") == 0;
}

/* Refuses what helpers cannot be built from or into, and options that mean something only with
 * --replay, or only without. */
static SupResult check(CliBuild *build, SupError *error) {
  static const char *const only_replayed[] = {"as", "tolerance", "targets", NULL};
  static const char *const only_learned[] = {"gravity",
                                             "degree",
                                             "order",
                                             "system",
                                             "order-by",
                                             "lags",
                                             "beta",
                                             "each",
                                             "published-inputs",
                                             "keep-weights",
                                             "chains",
                                             "material",
                                             "mix-frequencies",
                                             NULL};
  const CliArguments *arguments = build->cli->arguments;
  const bool replay = cli_flag(arguments, "replay");
  build->bare = is_bare(arguments->operands[1]);
  for (const char *const *name = replay ? only_learned : only_replayed; *name; name++) {
    if (!cli_count(arguments, *name)) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s has no effect %s --replay; leave it out",
                    *name, replay ? "with" : "without");
  }
  const int64_t system = cli_integer(arguments, "system");
  const bool lags = cli_count(arguments, "lags") && system != SUP_HELPERS_ARX;
  if (lags || (cli_count(arguments, "beta") && system != SUP_HELPERS_LOW_RANK)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s has no effect without --system %s",
                    lags ? "lags" : "beta", lags ? "arx" : "low-rank");
  }
  const bool by = cli_count(arguments, "order-by") > 0;
  if (system == SUP_HELPERS_ARX && (by || cli_count(arguments, "order"))) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--%s has no effect with --system arx, whose order follows from --lags",
                    by ? "order-by" : "order");
  }
  const bool published = cli_flag(arguments, "published-inputs");
  const bool alike = cli_count(arguments, "material") < 2 || system == SUP_HELPERS_ARX || published;
  if (cli_flag(arguments, "mix-frequencies") && alike) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--mix-frequencies has no effect %s; leave it out",
                    published                   ? "with --published-inputs"
                    : system == SUP_HELPERS_ARX ? "with --system arx"
                                                : "without two of --material");
  }
  if (!build->document) {
    const char *path = cli_text(arguments, "output");
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: helpers are joints of a character: they go into a .glb or .gltf; give the "
                    "output such a name",
                    path);
  }
  if (build->bare && !replay) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%s is a mesh without a skeleton, so nothing can drive helpers; give --replay to "
        "repeat the examples",
        arguments->operands[1]);
  }
  return SUP_OK;
}

/* ---- Replaying ------------------------------------------------------------------------------ */

static SupResult make(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  CliExample *examples;
  uint32_t count;
  if (!cli_flag(cli->arguments, "replay")) return cli_build_controllers(build, error);
  build->saved = true;
  SupResult result = cli_read_examples(cli, &build->source, &examples, &count, error);
  if (result != SUP_OK) return result;
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "helpers need an example: --example X.pc2 --clip NAME (`supple simulate` makes "
                    "one)");
  }
  SupBakeMotion *motions = SUP_ALLOC(cli->arena, SupBakeMotion, count);
  if (!motions) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const SupSamples *samples = &examples[k].samples;
    if (!examples[k].clip || samples->start != 0) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "%s: only a clip from its beginning can be replayed, not static poses",
                      examples[k].path);
    }
    motions[k] = (SupBakeMotion){.clip = examples[k].clip,
                                 .fps = (double)samples->fps,
                                 .frame_count = samples->frame_count,
                                 .positions = samples->positions};
  }
  const CliBake bake = {.as = cli_integer(cli->arguments, "as") ? CLI_AS_MORPHS : CLI_AS_HELPERS,
                        .count = count,
                        .motions = motions,
                        .free_bones = build->bare};
  return cli_bake_as(cli, &build->source, &bake, cli_text(cli->arguments, "output"), error);
}

/* ---- The page -------------------------------------------------------------------------------- */

static const CliOption options[] = {
    CLI_EXAMPLE_OPTIONS,
    {.name = "bones",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the number of helper joints to add",
     .otherwise = "8, with --replay 16",
     .low = 1,
     .high = 128},
    {.name = "material",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "name the material of the examples that follow, for `supple play --material`",
     .repeated = true},
    {.name = "replay",
     .kind = CLI_FLAG,
     .help = "write the examples themselves as animated helper joints; learn nothing"},
    {.name = "as",
     .kind = CLI_CHOICE,
     .choices = cli_replay_names,
     .help = "with --replay: choose what carries the motion, helper joints or morph targets",
     .fallback = "helpers"},
    {.name = "gravity",
     .kind = CLI_NUMBER,
     .value_name = "M/S2",
     .help = "give the downward gravity that the examples were simulated with",
     .fallback = "0",
     .low = -1000,
     .high = 1000},
    CLI_BAKED_OPTIONS,
    {.name = "chains",
     .kind = CLI_CHOICE,
     .choices = cli_helpers_chains,
     .help = "allow helpers below helpers, as in a tail; auto: where it reduces the error",
     .fallback = "auto",
     .advanced = true},
    {.name = "order",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the maximum order of a controller (its state-space order)",
     .fallback = "12",
     .low = 1,
     .high = 54,
     .advanced = true},
    {.name = "order-by",
     .kind = CLI_CHOICE,
     .choices = cli_helpers_orders,
     .help = "choose how the order is found; fraction: as published",
     .fallback = "validated",
     .advanced = true},
    {.name = "degree",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the degree of the polynomial in joint rotations",
     .fallback = "2",
     .low = 1,
     .high = 3,
     .advanced = true},
    {.name = "system",
     .kind = CLI_CHOICE,
     .choices = cli_helpers_systems,
     .help = "choose the kind of dynamics that is learned",
     .fallback = "state-space",
     .advanced = true},
    {.name = "beta",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "with --system low-rank: weigh the examples; a smaller weight lowers the order",
     .fallback = "100",
     .low = 1e-6,
     .high = 1e9,
     .advanced = true},
    {.name = "lags",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "with --system arx: set the number of past frames",
     .fallback = "2",
     .low = 1,
     .high = 4,
     .advanced = true},
    {.name = "each",
     .kind = CLI_FLAG,
     .help = "learn a system for each of a helper's six numbers, as published",
     .advanced = true},
    {.name = "published-inputs",
     .kind = CLI_FLAG,
     .help = "drive helpers by the rotations of all joints and the root's velocity, as published",
     .advanced = true},
    {.name = "keep-weights",
     .kind = CLI_FLAG,
     .help = "do not refit the skin weights to what the controllers do",
     .advanced = true},
    {.name = "mix-frequencies",
     .kind = CLI_FLAG,
     .help = "blend the outputs of materials instead of moving their natural frequencies",
     .advanced = true},
    {0},
};

static SupResult run(CliContext *cli, SupError *error) {
  return cli_build(cli, check, make, error);
}

const CliVerb cli_kind_helpers = {
    .name = "helpers",
    .summary = "learn helper joints that swing, from examples: bones only at run time",
    .usage = "IN.glb --example X.pc2 --clip NAME -o OUT.glb [options]",
    .details =
        "Finds helper joints and skin weights that reproduce the examples, and learns a\n"
        "controller for each, which an engine steps live. With --material NAME before the\n"
        "examples of each material, one set of joints serves several materials, which\n"
        "`supple play --material` blends.\n"
        "\n"
        "With --replay nothing is learned: the examples become keys of the helper joints (or\n"
        "weights of morph targets), any engine plays them, and the output has no models. The\n"
        "input may then be an .obj without skeleton.\n",
    .example =
        "supple make tube --vertices 494 -o tube.glb\n"
        "supple simulate tube.glb --clip translation --until 1.5 --tets 500 -o soft.pc2\n"
        "supple simulate tube.glb --clip translation --until 1.5 --tets 500 --young 60000 -o "
        "firm.pc2\n"
        "supple build helpers tube.glb --bones 2 --material soft --example soft.pc2 --clip "
        "translation \\\n"
        "  --material firm --example firm.pc2 --clip translation -o tube-both.glb",
    .options = options,
    .run = run,
};
