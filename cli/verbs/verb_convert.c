/* SPDX-License-Identifier: MIT */
/* supple convert IN -o OUT */
#include <string.h>
#include <strings.h>

#include "character/cli_character.h"
#include "character/models.h"
#include "formats.h"
#include "supple/io/cache.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"
#include "supple/io/obj.h"
#include "verbs/verb.h"

typedef struct Convert {
  CliContext *cli;
  const char *input, *output;
  CliSpace space;
  SupSampleOrder order; /* UNKNOWN unless --order says it */
} Convert;

static bool has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

static SupResult save_document(const Convert *convert, const SupGltf *document, SupError *error) {
  bool text = has_ending(convert->output, ".gltf");
  bool embed = cli_flag(convert->cli->arguments, "embed");
  if (embed && !text) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--embed is for .gltf; a .glb holds everything anyway");
  }
  SupGltfFormat format = !text ? SUP_GLTF_BINARY : embed ? SUP_GLTF_TEXT_EMBEDDED : SUP_GLTF_TEXT;
  double began = cli_seconds();
  cli_busy_begin(convert->cli, "writing");
  SupResult result = sup_gltf_save(document, convert->output, format, error);
  cli_busy_end(convert->cli);
  cli_timing(convert->cli, "save", began);
  return result;
}

/* ---- Characters ----------------------------------------------------------------------------- */

/* Binds the models of every character to the mesh as it is now. */
static SupResult rebind_models(const Convert *convert, SupGltf *document, SupError *error) {
  CliContext *cli = convert->cli;
  uint32_t count = 0, bound = 0;
  SupGltfCharacter *found = NULL;
  SupResult result = sup_gltf_characters(document, cli->arena, &count, &found, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    CliCharacter source = {.path = convert->input,
                           .clips_path = convert->input,
                           .document = document,
                           .found = &found[k],
                           .character = &found[k].character};
    CliModels models;
    result = cli_models_open(cli, &source, true, &models, error);
    if (result == SUP_OK && models.count) result = cli_models_put(&source, &models, error);
    if (result == SUP_OK) bound += models.count;
  }
  if (result == SUP_OK && bound == 0) {
    result = sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "%s holds no models, so there is nothing to bind again; leave out --rebind",
                      convert->input);
  }
  cli_report_integer(cli->report, "models_bound", bound);
  return result;
}

/* What we do not understand is kept, and so is what is damaged, but not in silence. */
static SupResult tell_damage(const Convert *convert, const SupGltf *document, SupError *error) {
  const CliContext *cli = convert->cli;
  SupGltfDamage damage;
  SupResult result = sup_gltf_find_damage(document, cli->allocator, &damage, error);
  if (result != SUP_OK) return result;
  const uint32_t shown = damage.count < 3 ? damage.count : 3;
  cli_report_integer(cli->report, "damaged", damage.count);
  cli_report_begin_array(cli->report, "damage");
  for (uint32_t k = 0; k < shown; k++) cli_report_text(cli->report, NULL, damage.first[k]);
  cli_report_end(cli->report);
  if (damage.count) {
    cli_say(cli, "note: %u damaged parts are kept as they are, first: %s\n", damage.count,
            damage.first[0]);
  }
  return SUP_OK;
}

static SupResult gltf_to_gltf(const Convert *convert, SupError *error) {
  SupGltf *document;
  SupResult result = cli_gltf_open(convert->cli, convert->input, &document, error);
  if (result != SUP_OK) return result;
  if (cli_flag(convert->cli->arguments, "rebind")) result = rebind_models(convert, document, error);
  if (result == SUP_OK) result = tell_damage(convert, document, error);
  if (result == SUP_OK) result = save_document(convert, document, error);
  sup_gltf_close(document);
  return result;
}

static SupResult save_obj(const Convert *convert, const SupCharacter *character,
                          const SupVec3 *positions, SupError *error) {
  SupSampleOrder order = convert->order == SUP_ORDER_BODY ? SUP_ORDER_BODY : SUP_ORDER_RENDER;
  return sup_obj_save(convert->cli->allocator, convert->output, character, order, positions, error);
}

static SupResult gltf_to_obj(const Convert *convert, SupError *error) {
  CliCharacter source;
  SupResult result = cli_character_open(convert->cli, convert->input, &source, error);
  if (result != SUP_OK) return result;
  SupCharacter posed = *source.character;
  const SupVec3 *body = NULL;
  if (convert->order == SUP_ORDER_BODY) {
    result = cli_rest_positions(convert->cli, source.character, SUP_ORDER_BODY, &body, error);
  } else {
    result = cli_rest_render(convert->cli, source.character, &posed.render, error);
  }
  if (result == SUP_OK) result = save_obj(convert, &posed, body, error);
  cli_character_close(&source);
  return result;
}

/* A copy of positions[count] in metres and with Y up. */
static SupVec3 *converted(const Convert *convert, const SupVec3 *positions, uint32_t count) {
  SupVec3 *copy = SUP_COPY(convert->cli->arena, SupVec3, positions, count);
  if (copy) {
    sup_positions_convert(copy, count, convert->space.scale, convert->space.up, SUP_UP_Y);
  }
  return copy;
}

static SupResult read_obj(const Convert *convert, SupCharacter *out_character, SupError *error) {
  SupCharacter character;
  SupObjReport report;
  cli_busy_begin(convert->cli, convert->input);
  SupResult result = sup_obj_read(convert->cli->arena, convert->input, &character, &report, error);
  cli_busy_end(convert->cli);
  if (result != SUP_OK) return result;
  if (report.has_uvs) {
    cli_say(convert->cli, "texture coordinates and normals of an OBJ are not converted\n");
  }
  character.body.positions =
      converted(convert, character.body.positions, character.body.vertex_count);
  character.render.positions =
      converted(convert, character.render.positions, character.render.vertex_count);
  if (!character.body.positions || !character.render.positions) {
    return sup_fail_memory(error, convert->input);
  }
  *out_character = character;
  return SUP_OK;
}

static SupResult obj_to_obj(const Convert *convert, SupError *error) {
  SupCharacter character;
  SupResult result = read_obj(convert, &character, error);
  return result == SUP_OK ? save_obj(convert, &character, NULL, error) : result;
}

static SupResult obj_to_gltf(const Convert *convert, SupError *error) {
  SupCharacter character;
  SupResult result = read_obj(convert, &character, error);
  if (result != SUP_OK) return result;
  SupGltfOptions options = sup_gltf_options();
  options.allocator = convert->cli->allocator;
  options.memory_limit = 0; /* --max-memory is the limit */
  SupGltf *document;
  result = sup_gltf_from_character(&character, &options, &document, error);
  if (result != SUP_OK) return result;
  result = save_document(convert, document, error);
  sup_gltf_close(document);
  return result;
}

/* The block of a kind (or the only one) as a file of its own. */
static SupResult gltf_to_model(const Convert *convert, SupError *error) {
  CliContext *cli = convert->cli;
  CliCharacter source;
  SupResult result = cli_character_open(cli, convert->input, &source, error);
  if (result != SUP_OK) return result;
  uint32_t count = 0, picked = 0, matches = 0;
  SupGltfModel *models = NULL;
  const char *kind = cli_text(cli->arguments, "model");
  result = sup_gltf_models(source.document, source.found, cli->arena, &count, &models, error);
  if (result != SUP_OK) goto done;
  for (uint32_t k = 0; k < count; k++) {
    if (kind && strcmp(kind, models[k].kind) != 0) continue;
    picked = k;
    matches++;
  }
  if (count == 0) {
    result = sup_fail(error, SUP_ERROR_UNSUPPORTED, "%s has no models; `supple build` makes them",
                      convert->input);
    goto done;
  }
  if (matches != 1) {
    char hint[96];
    const char *nearest =
        kind ? sup_nearest_member(kind, &models->kind, sizeof *models, count) : NULL;
    if (matches) nearest = NULL;
    result = sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "%s has %u models%s%s; `supple info` lists them, --model KIND picks one%s",
                      convert->input, matches, kind ? " of kind " : "", kind ? kind : "",
                      sup_did_you_mean(hint, sizeof hint, nearest));
    goto done;
  }
  result = sup_file_save(cli->allocator, convert->output, models[picked].data, models[picked].bytes,
                         error);
done:
  cli_character_close(&source);
  return result;
}

/* ---- Caches --------------------------------------------------------------------------------- */

typedef struct CacheJob {
  const Convert *convert;
  SupCacheReader *reader;
  SupCacheWriter *writer;
  SupVec3 *frame;         /* as read, in metres and Y up */
  SupVec3 *ordered;       /* as written, or NULL when the order stays */
  const uint32_t *source; /* [ordered_count] where each vertex comes from */
  uint32_t ordered_count;
} CacheJob;

static SupResult read_frame(const CacheJob *job, uint32_t i, SupError *error) {
  SupResult result = sup_cache_read_frame(job->reader, i, job->frame, error);
  const CliSpace *space = &job->convert->space;
  uint32_t count = sup_cache_info(job->reader)->vertex_count;
  if (result == SUP_OK) {
    sup_positions_convert(job->frame, count, space->scale, space->up, SUP_UP_Y);
  }
  return result;
}

/* Matches the cache's first frame to the character of --of, and finds where each vertex of the
 * wanted order comes from. */
static SupResult order_by(CacheJob *job, const SupCharacter *character, SupError *error) {
  const Convert *convert = job->convert;
  const SupCacheInfo *info = sup_cache_info(job->reader);
  SupSamples samples = {.fps = info->fps,
                        .frame_count = 1,
                        .vertex_count = info->vertex_count,
                        .order = info->order,
                        .positions = job->frame};
  SupMatchDef def = {0};
  SupMatch match;
  SupResult result =
      cli_rest_positions(convert->cli, character, SUP_ORDER_BODY, &def.reference, error);
  if (result == SUP_OK) result = read_frame(job, 0, error);
  if (result == SUP_OK) {
    result = sup_samples_match(convert->cli->arena, character, &samples, &def, &match, error);
  }
  if (result != SUP_OK) return result;
  cli_say(convert->cli, "%s: %s\n", convert->input, sup_match_text(&match));
  cli_report_text(convert->cli->report, "match", sup_match_text(&match));
  bool body = convert->order == SUP_ORDER_BODY;
  job->ordered_count = body ? character->body.vertex_count : character->render.vertex_count;
  uint32_t *source = SUP_ALLOC(convert->cli->arena, uint32_t, job->ordered_count);
  job->ordered = SUP_ALLOC(convert->cli->arena, SupVec3, job->ordered_count);
  if (!source || !job->ordered) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < job->ordered_count; v++) {
    source[v] = match.source[body ? v : character->render.to_body[v]];
  }
  job->source = source;
  return SUP_OK;
}

static SupResult prepare_order(CacheJob *job, SupError *error) {
  const Convert *convert = job->convert;
  const char *of = cli_text(convert->cli->arguments, "of");
  if (convert->order == SUP_ORDER_UNKNOWN) return SUP_OK;
  if (!of) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--order needs --of CHARACTER.glb: a point cache does not know its mesh");
  }
  CliCharacter source;
  SupResult result = cli_character_open(convert->cli, of, &source, error);
  if (result != SUP_OK) return result;
  result = order_by(job, source.character, error);
  cli_character_close(&source);
  return result;
}

static SupResult copy_frames(CacheJob *job, SupError *error) {
  const Convert *convert = job->convert;
  const SupCacheInfo *info = sup_cache_info(job->reader);
  bool ordered = job->ordered != NULL;
  SupCacheDef def = {
      .allocator = convert->cli->allocator,
      .path = convert->output,
      .vertex_count = ordered ? job->ordered_count : info->vertex_count,
      .frame_count = info->frame_count,
      .fps = info->fps,
      .start = info->start,
      .order = ordered ? convert->order : info->order,
  };
  sup_cache_format(convert->output, &def.format);
  SupResult result = sup_cache_begin(&def, &job->writer, error);
  for (uint32_t i = 0; i < info->frame_count && result == SUP_OK; i++) {
    result = read_frame(job, i, error);
    if (result != SUP_OK) break;
    if (ordered) sup_positions_gather(job->frame, job->source, job->ordered_count, job->ordered);
    sup_cache_write_frame(job->writer, ordered ? job->ordered : job->frame);
    cli_progress(convert->cli, "converting", i + 1, info->frame_count);
  }
  if (result == SUP_OK) {
    result = sup_cache_commit(job->writer, error);
  } else {
    sup_cache_abandon(job->writer);
  }
  if (result == SUP_OK) {
    cli_say(convert->cli, "%s frames of %s points at %.5g frames per second%s\n",
            cli_count_text(def.frame_count).text, cli_count_text(def.vertex_count).text,
            (double)def.fps,
            info->timing == SUP_TIMING_ASSUMED ? " (assumed; --fps says otherwise)" : "");
  }
  return result;
}

static SupResult cache_to_cache(const Convert *convert, SupError *error) {
  CacheJob job = {.convert = convert};
  float fps = (float)cli_number(convert->cli->arguments, "fps");
  SupResult result =
      sup_cache_open(convert->cli->allocator, convert->input, fps, &job.reader, error);
  if (result != SUP_OK) return result;
  uint32_t count = sup_cache_info(job.reader)->vertex_count;
  job.frame = SUP_ALLOC(convert->cli->arena, SupVec3, count);
  if (!job.frame) {
    result = sup_fail(error, SUP_ERROR_MEMORY,
                      "%s: one frame of %u points does not fit into memory", convert->input, count);
  }
  if (result == SUP_OK) result = prepare_order(&job, error);
  if (result == SUP_OK) result = copy_frames(&job, error);
  sup_cache_close(job.reader);
  return result;
}

/* ---- The verb ------------------------------------------------------------------------------- */

/* What can become what; anything else is refused with a sentence. */
typedef struct Way {
  CliFormat from, to;
  SupResult (*run)(const Convert *convert, SupError *error);
  const char *options; /* those that mean something, between blanks */
} Way;

static const Way ways[] = {
    {CLI_FORMAT_GLTF, CLI_FORMAT_GLTF, gltf_to_gltf,
     " output embed rebind color-map allow-external "},
    {CLI_FORMAT_GLTF, CLI_FORMAT_OBJ, gltf_to_obj, " output order character allow-external "},
    {CLI_FORMAT_GLTF, CLI_FORMAT_MODEL, gltf_to_model, " output model character allow-external "},
    {CLI_FORMAT_OBJ, CLI_FORMAT_GLTF, obj_to_gltf, " output units up-axis embed "},
    {CLI_FORMAT_OBJ, CLI_FORMAT_OBJ, obj_to_obj, " output units up-axis order "},
    {CLI_FORMAT_CACHE, CLI_FORMAT_CACHE, cache_to_cache,
     " output order of units up-axis fps character allow-external "},
};

/* An option that would be passed over is a misunderstanding. */
static SupResult check_options(const Convert *convert, const Way *way, SupError *error) {
  static const char *const nouns[] = {"a character", "an OBJ", "a point cache", "a model"};
  const CliArguments *arguments = convert->cli->arguments;
  for (const CliOption *option = convert->cli->verb->options; option->name; option++) {
    char word[40];
    sup_format(word, sizeof word, " %s ", option->name);
    if (!cli_count(arguments, option->name) || strstr(way->options, word)) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--%s has no effect when %s becomes %s (see 'supple convert --help'); leave it "
                    "out",
                    option->name, nouns[way->from], nouns[way->to]);
  }
  bool cache = way->from == CLI_FORMAT_CACHE;
  if (cache && cli_count(arguments, "of") && !cli_count(arguments, "order")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--of is for --order file or --order body: add one");
  }
  return SUP_OK;
}

static SupResult no_way(const Convert *convert, CliFormat from, SupError *error) {
  static const char *const advice[] = {
      "a character becomes .glb, .gltf, .obj or (its model) .supple; 'supple play' makes caches",
      "an OBJ becomes .glb, .gltf or .obj",
      "a point cache has no mesh and becomes .pc2 or .mdd",
      "a .supple file is ready for an engine and becomes nothing else",
  };
  return sup_fail(error, SUP_ERROR_UNSUPPORTED, "%s cannot become %s: %s", convert->input,
                  convert->output, advice[from]);
}

static SupResult run(CliContext *cli, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  Convert convert = {.cli = cli,
                     .input = arguments->operands[0],
                     .output = cli_text(arguments, "output"),
                     .order = SUP_ORDER_UNKNOWN};
  if (cli_count(arguments, "order")) convert.order = cli_order(arguments);
  CliFormat from, to;
  SupResult result = cli_space(arguments, &convert.space, error);
  if (result == SUP_OK) result = cli_format(convert.input, &from, error);
  if (result != SUP_OK) return result;
  if (cli_format(convert.output, &to, error) != SUP_OK) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s: Supple writes .glb, .gltf, .obj, .pc2, .mdd and .supple; give the output "
                    "such a name (Blender makes other formats of a .glb)",
                    convert.output);
  }
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    if (ways[k].from != from || ways[k].to != to) continue;
    result = check_options(&convert, &ways[k], error);
    if (result != SUP_OK) return result;
    double began = cli_seconds();
    result = ways[k].run(&convert, error);
    cli_timing(cli, "convert", began);
    if (result == SUP_OK) cli_say(cli, "wrote %s\n", convert.output);
    return result;
  }
  return no_way(&convert, from, error);
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "OUT",
     .help = "write this file; its extension decides the format",
     .required = true},
    {.name = "order",
     .kind = CLI_CHOICE,
     .choices = cli_order_names,
     .help = "write a cache (with --of) or OBJ by the file's vertices, or by the welded body's",
     .advanced = true},
    {.name = "of",
     .kind = CLI_INPUT,
     .value_name = "CHARACTER",
     .help = "give the .glb whose vertices a point cache holds, for --order",
     .advanced = true},
    CLI_SPACE_OPTIONS,
    {.name = "fps",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "set the frames per second of the scene that a cache was made in",
     .advanced = true,
     .low = 0.001,
     .high = 100000},
    {.name = "model",
     .kind = CLI_TEXT,
     .value_name = "KIND",
     .help = "choose the model of a character that becomes a .supple file"},
    CLI_REBIND_OPTION,
    {.name = "embed", .kind = CLI_FLAG, .help = "write a .gltf that contains everything"},
    CLI_CHARACTER_OPTIONS,
    {0},
};

const CliVerb cli_verb_convert = {
    .name = "convert",
    .summary = "convert between file formats without loss",
    .usage = "IN -o OUT [options]",
    .details =
        "Converts characters between .glb, .gltf and .vrm without loss, to .obj as a mesh, and\n"
        "their models to .supple; meshes from .obj to .glb or .gltf; point caches between .pc2\n"
        "and .mdd. Convert FBX and other formats to glTF with Blender or FBX2glTF first. With\n"
        "--rebind, the models of a file are matched to its mesh after another tool has\n"
        "reordered or quantised it.\n",
    .example = "supple convert mochi.glb -o mochi.gltf",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
