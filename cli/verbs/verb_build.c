/* SPDX-License-Identifier: MIT */
/* supple build KIND IN.glb -o OUT.glb */
#include "build/build_kinds.h"
#include "formats.h"
#include "supple/io/file.h"

#define KIND(name) &cli_kind_##name,
static const CliVerb *const kinds[] = {CLI_BUILD_KINDS(KIND) NULL};
#undef KIND

/* Refuses what could not be played. */
static SupResult check_stack(const CliBuild *build, SupError *error) {
  SupStack stack;
  SupStackDef def = sup_stack_def();
  def.skeleton = &build->source.character->skeleton;
  def.model_count = build->models.count;
  def.models = build->models.models;
  return sup_stack_make(&def, &stack, error);
}

static SupResult save(const CliBuild *build, const char *path, CliFormat format, SupError *error) {
  if (format == CLI_FORMAT_MODEL) {
    return sup_file_save(build->cli->allocator, path, build->model, (size_t)build->model->bytes,
                         error);
  }
  SupResult result = cli_models_put(&build->source, &build->models, error);
  return result == SUP_OK ? sup_gltf_save(build->source.document, path, SUP_GLTF_BY_NAME, error)
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

SupResult cli_build(CliContext *cli, CliBuildStep *check, CliBuildStep *make, SupError *error) {
  const char *input = cli->arguments->operands[1], *path = cli_text(cli->arguments, "output");
  CliFormat format;
  CliBuild build = {.cli = cli};
  SupResult result = cli_format(path, &format, error);
  if (result != SUP_OK) return result;
  if (format != CLI_FORMAT_GLTF && format != CLI_FORMAT_MODEL) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: a model goes into a .glb, .gltf or .supple; give the output such a name",
                    path);
  }
  build.document = format == CLI_FORMAT_GLTF;
  if (check) result = check(&build, error);
  if (result != SUP_OK) return result;
  result = build.bare ? cli_open_bare(cli, input, &build.source, error)
                      : cli_character_open(cli, input, &build.source, error);
  if (result != SUP_OK) return result;
  const SupAppContext app = cli_app(cli);
  sup_note_baked(&app, &build.source);
  if (!cli_flag(cli->arguments, "fresh")) {
    result = cli_models_open(cli, &build.source, cli_flag(cli->arguments, "rebind"), &build.models,
                             error);
  } else {
    sup_note_helper_joints(&app, &build.source);
  }
  if (result == SUP_OK) result = make(&build, error);
  if (build.saved) goto close;
  if (result == SUP_OK) result = cli_models_place(&build.models, build.model, error);
  if (result == SUP_OK) result = check_stack(&build, error);
  if (result == SUP_OK) result = cli_check_examples(&build, error);
  if (result == SUP_OK) result = save(&build, path, format, error);
  if (result == SUP_OK) report(&build, path);
  if (result == SUP_OK) cli_say_inertia(&build);
close:
  cli_character_close(&build.source);
  return result;
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "write the character with its model (.glb, .gltf), or the model alone (.supple)",
     .required = true},
    {.name = "fresh",
     .kind = CLI_FLAG,
     .help = "drop the models that the file already has",
     .advanced = true},
    {.name = "force",
     .kind = CLI_FLAG,
     .help = "write a model that shows inertia twice, or its own examples worse than without it",
     .advanced = true},
    CLI_REBIND_OPTION,
    CLI_CHARACTER_OPTIONS,
    {0},
};

const CliVerb cli_verb_build = {
    .name = "build",
    .summary = "add one technique of secondary motion to a character's file",
    .usage = "KIND IN.glb -o OUT.glb [options]",
    .details =
        "Computes a model of the given kind, from a preset or from examples, and puts it into\n"
        "the file; everything else in the file stays as it is. Models are kept in the order in\n"
        "which they run, and a model of the same kind is replaced. Numbers per vertex are also\n"
        "written as attributes (_SUPPLE_STIFFNESS, ...): edit them with `supple paint` or in\n"
        "another tool, and they take precedence over the model.\n",
    .example = "supple build surface mochi.glb --preset fat -o mochi-fat.glb",
    .options = options,
    .kinds = kinds,
    .least_operands = 2,
    .most_operands = 2,
    .word_operands = 1,
};
