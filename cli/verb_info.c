/* SPDX-License-Identifier: MIT */
/* supple info FILE... */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "info.h"
#include "supple/author/fingerprint.h"
#include "supple/author/surface_build.h"
#include "supple/io/cache.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"
#include "supple/io/obj.h"

/* ---- Lines and notes ------------------------------------------------------------------------ */

void info_line(const Info *info, const char *label, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cli_one_line(text);
  cli_say(info->cli, "  %-9s %s\n", label, text);
}

void info_note(Info *info, const char *format, ...) {
  if (info->note_count == INFO_NOTES_MAX) return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cli_one_line(text);
  text[0] = (char)toupper((unsigned char)text[0]);
  const char *copy = sup_arena_string(info->arena, text, strlen(text));
  if (copy) info->notes[info->note_count++] = copy;
}

/* Text wrapped at `width` columns behind an indent. */
static void say_wrapped(const CliContext *cli, const char *text) {
  const size_t width = 84;
  const char *lead = "  ! ";
  while (*text) {
    size_t length = strlen(text);
    if (length > width) {
      length = width;
      while (length > 1 && text[length] != ' ') length--;
    }
    cli_say(cli, "%s%.*s\n", lead, (int)length, text);
    lead = "    ";
    text += length;
    while (*text == ' ') text++;
  }
}

static void say_notes(Info *info) {
  CliReport *report = info->cli->report;
  cli_report_begin_array(report, "notes");
  for (uint32_t k = 0; k < info->note_count; k++) {
    cli_report_text(report, NULL, info->notes[k]);
    say_wrapped(info->cli, info->notes[k]);
  }
  cli_report_end(report);
  if (info->note_count == 0) cli_say(info->cli, "  nothing odd\n");
}

/* ---- Models --------------------------------------------------------------------------------- */

/* What a block's own kind is called, or its four letters. */
static const char *kind_name(const SupModel *model, char *buffer) {
  const SupModelKind *kind = sup_model_kind(sup_model_kinds(), model->kind);
  if (kind) return kind->name;
  sup_fourcc_text(model->kind, buffer);
  return buffer;
}

static void note_kinship(Info *info, const char *name, const SupModel *model, const SupMesh *body) {
  SupFingerprint print = sup_fingerprint(body);
  SupKinship kin = sup_fingerprint_compare(&model->mesh, &print);
  if (kin == SUP_KIN_STRANGE) {
    info_note(info,
              "The %s model was made for a mesh with other vertices (%s, this one has %s). If the "
              "mesh was only reordered by another tool, --rebind finds them again; otherwise build "
              "the model again.",
              name, cli_count_text(model->mesh.vertex_count).text,
              cli_count_text(body->vertex_count).text);
  } else if (kin == SUP_KIN_MOVED) {
    info_note(info,
              "The mesh has been reshaped since the %s model was made. --rebind carries the model "
              "over; or build it again.",
              name);
  }
}

/* How the flesh swings, in words that people know. */
static void info_surface_model(Info *info, const SupModel *model) {
  const SupSurfaceView view = sup_surface_view(model);
  const uint32_t n = view.skin.vertex_count;
  float *rows[SUP_SURFACE_ETA + 1];
  for (uint32_t k = 0; k <= SUP_SURFACE_ETA; k++) {
    rows[k] = SUP_ALLOC(info->arena, float, n);
    if (!rows[k]) return;
    sup_surface_get_map(model, (SupSurfaceRow)k, rows[k]);
  }
  float low = 1e30f, high = 0, softest = 0;
  uint32_t moving = 0;
  for (uint32_t v = 0; v < n; v++) {
    if (rows[SUP_SURFACE_ETA][v] > 0.9f) continue; /* skin that only follows */
    float frequency, damping;
    sup_surface_tuning(rows[SUP_SURFACE_ALPHA][v], rows[SUP_SURFACE_DELTA][v], model->h, &frequency,
                       &damping);
    moving++;
    if (frequency > high) high = frequency;
    if (frequency < low) low = frequency, softest = damping;
  }
  CliReport *report = info->cli->report;
  cli_report_integer(report, "moving_vertices", moving);
  if (!moving) {
    info_line(info, "flesh", "none: every vertex follows its bones");
    return;
  }
  info_line(info, "flesh",
            "%.2g to %.2g Hz, damping ratio %.2g at the softest, on %s of %s vertices", (double)low,
            (double)high, (double)softest, cli_count_text(moving).text, cli_count_text(n).text);
  cli_report_float(report, "lowest_frequency", low);
  cli_report_float(report, "highest_frequency", high);
  cli_report_float(report, "damping_ratio", softest);
}

void info_model(Info *info, const void *data, size_t bytes, const SupMesh *body) {
  SupError error;
  char letters[5];
  const char *name = "damaged";
  const SupModel *model = sup_arena_copy(info->arena, data, bytes, 1);
  SupResult result = model ? sup_model_check_container(model, bytes, &error)
                           : sup_fail(&error, SUP_ERROR_MEMORY, "out of memory");
  CliReport *report = info->cli->report;
  cli_report_begin_object(report, NULL);
  if (result == SUP_OK) {
    name = kind_name(model, letters);
    info_line(info, "model", "%s, version %u, %s, steps of %.4g ms", name, model->version,
              cli_bytes_text(model->bytes).text, 1e3 * (double)model->h);
    if (body && model->mesh.vertex_count) note_kinship(info, name, model, body);
    cli_report_text(report, "kind", name);
    cli_report_integer(report, "version", model->version);
    cli_report_float(report, "h", model->h);
    cli_report_integer(report, "vertices", model->mesh.vertex_count);
    cli_report_hash(report, "fingerprint", model->mesh.topology);
    result = sup_model_check(model, bytes, NULL, &error);
    if (result == SUP_OK && model->kind == SUP_SURFACE_KIND) info_surface_model(info, model);
  } else {
    info_line(info, "model", "%s", name);
  }
  cli_report_integer(report, "bytes", (int64_t)bytes);
  cli_report_bool(report, "usable", result == SUP_OK);
  cli_report_end(report);
  if (result != SUP_OK) info_note(info, "A model cannot be used: %s.", error.text);
}

static SupResult info_model_file(Info *info, const char *path, SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(info->arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  result = sup_model_check_container(data, bytes, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", path);
    return result;
  }
  cli_say(info->cli, "%s: a model for engines\n", path);
  const SupModel *model = (const SupModel *)data;
  cli_report_begin_array(info->cli->report, "models");
  info_model(info, data, bytes, NULL);
  cli_report_end(info->cli->report);
  if (model->mesh.vertex_count) {
    info_line(info, "mesh", "%s body vertices, %s triangles",
              cli_count_text(model->mesh.vertex_count).text,
              cli_count_text(model->mesh.triangle_count).text);
  }
  const SupModelSection *sections = (const SupModelSection *)(model + 1);
  for (uint32_t k = 0; k < model->section_count; k++) {
    char name[5];
    sup_fourcc_text(sections[k].id, name);
    info_line(info, k ? "" : "sections", "%s  %s x %u bytes", name,
              cli_count_text(sections[k].count).text, sections[k].item_bytes);
  }
  return SUP_OK;
}

/* ---- glTF ----------------------------------------------------------------------------------- */

static void note_contents(Info *info, const SupGltfContents *contents) {
  if (contents->springs != SUP_SPRINGS_NONE) {
    info_note(info,
              "VRM spring bones (%u chains, %u joints) already move hair or cloth in VRM players. "
              "Supple keeps them; what it adds there would move twice.",
              contents->spring_count, contents->spring_joint_count);
  }
  if (contents->line_or_point_primitives) {
    info_note(info, "%u parts are lines or points, not triangles; they are kept and left alone.",
              contents->line_or_point_primitives);
  }
}

static void info_contents(Info *info, const char *path, uint64_t bytes,
                          const SupGltfContents *contents) {
  CliReport *report = info->cli->report;
  cli_say(info->cli, "%s: glTF %s%s, %s%s%s\n", path, contents->version,
          contents->binary ? " binary" : "", cli_bytes_text(bytes).text,
          *contents->generator ? ", by " : "", contents->generator);
  cli_report_text(report, "generator", contents->generator);
  cli_report_text(report, "copyright", contents->copyright);
  cli_report_integer(report, "nodes", contents->node_count);
  cli_report_integer(report, "meshes", contents->mesh_count);
  cli_report_integer(report, "unskinned_meshes", contents->unskinned_node_count);
  cli_report_integer(report, "materials", contents->material_count);
  cli_report_integer(report, "images", contents->image_count);
  cli_report_begin_array(report, "extensions");
  for (uint32_t k = 0; k < contents->extension_count; k++) {
    cli_report_text(report, NULL, contents->extensions[k]);
  }
  cli_report_end(report);
  if (*contents->copyright) {
    info_line(info, "rights", "%.80s%s", contents->copyright,
              strlen(contents->copyright) > 80 ? "..." : "");
  }
  info_line(info, "look", "%u material%s, %u image%s", contents->material_count,
            contents->material_count == 1 ? "" : "s", contents->image_count,
            contents->image_count == 1 ? "" : "s");
  if (contents->unskinned_node_count) {
    info_line(info, "props", "%u mesh%s without a skin, left alone", contents->unskinned_node_count,
              contents->unskinned_node_count == 1 ? "" : "es");
  }
  note_contents(info, contents);
}

static void note_gltf_report(Info *info, const SupGltfReport *report) {
  if (report->primitives_ignored) {
    info_note(info,
              "%u parts of skinned meshes have no weights or no triangles and are left alone.",
              report->primitives_ignored);
  }
  if (report->keys_dropped) {
    info_note(info, "%u keys do not come later than the one before them and are not played.",
              report->keys_dropped);
  }
  if (report->nodes_sheared) {
    info_note(info,
              "%u joints are sheared, which glTF's animations cannot show. Apply scale to the "
              "armature before exporting (in Blender: Object > Apply > Scale).",
              report->nodes_sheared);
  }
  if (report->skins_apart) {
    info_note(info,
              "%u meshes were bound to the skeleton in another posture than the first; if parts "
              "look apart, bind all meshes in the same rest pose and export again.",
              report->skins_apart);
  }
}

static SupResult info_gltf_character(Info *info, const SupGltf *document,
                                     const SupGltfCharacter *found, SupError *error) {
  const SupCharacter *character = &found->character;
  CliReport *report = info->cli->report;
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "name", character->name);
  info_line(info, "character", "%s", *character->name ? character->name : "(unnamed)");
  SupResult result = info_character(info, character, error);
  if (result != SUP_OK) return result;
  note_gltf_report(info, &found->report);
  uint32_t count;
  SupGltfModel *models;
  result = sup_gltf_models(document, found, info->arena, &count, &models, error);
  if (result != SUP_OK) return result;
  cli_report_begin_array(report, "models");
  for (uint32_t k = 0; k < count; k++) {
    info_model(info, models[k].data, models[k].bytes, &character->body);
  }
  cli_report_end(report);
  cli_report_end(report);
  return SUP_OK;
}

static SupResult info_characters(Info *info, const SupGltf *document, SupError *error) {
  uint32_t count = 0;
  SupGltfCharacter *characters = NULL;
  cli_busy_begin(info->cli, "reading the characters");
  SupResult result = sup_gltf_characters(document, info->arena, &count, &characters, error);
  cli_busy_end(info->cli);
  if (result == SUP_ERROR_UNSUPPORTED) {
    info_note(info, "%s.", error->text);
    result = SUP_OK;
  }
  cli_report_begin_array(info->cli->report, "characters");
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = info_gltf_character(info, document, &characters[k], error);
  }
  cli_report_end(info->cli->report);
  return result;
}

static SupResult info_gltf(Info *info, const char *path, uint64_t bytes, SupError *error) {
  SupGltf *document;
  SupResult result = cli_gltf_open(info->cli, path, &document, error);
  if (result != SUP_OK) return result;
  SupGltfContents contents;
  result = sup_gltf_contents(document, info->arena, &contents, error);
  if (result == SUP_OK) {
    info_contents(info, path, bytes, &contents);
    result = info_characters(info, document, error);
  }
  if (result != SUP_OK) sup_error_prefix(error, "%s", path);
  sup_gltf_close(document);
  return result;
}

/* ---- OBJ and caches ------------------------------------------------------------------------- */

static SupResult info_obj(Info *info, const char *path, uint64_t bytes, SupError *error) {
  SupCharacter character;
  SupObjReport found;
  cli_busy_begin(info->cli, path);
  SupResult result = sup_obj_read(info->arena, path, &character, &found, error);
  cli_busy_end(info->cli);
  if (result != SUP_OK) return result;
  cli_say(info->cli, "%s: OBJ, %s\n", path, cli_bytes_text(bytes).text);
  result = info_character(info, &character, error);
  if (result != SUP_OK) return result;
  info_note(info,
            "An OBJ has no skeleton and no animation. To make it move, rig it (in Blender or "
            "another tool) and export it as glTF.");
  if (found.groups_joined) {
    info_note(info, "Its groups share vertices, so they count as one part.");
  }
  if (found.faces_skipped) {
    info_note(info, "%s faces have fewer than three different corners and are left out.",
              cli_count_text(found.faces_skipped).text);
  }
  return SUP_OK;
}

static const char *timing_text(const SupCacheInfo *cache) {
  switch (cache->timing) {
    case SUP_TIMING_GIVEN: return "as you said";
    case SUP_TIMING_STORED: return "written by Supple";
    case SUP_TIMING_TIMES: return "from the times in the file";
    default: return "assumed, the file does not say";
  }
}

static const char *order_text(SupSampleOrder order) {
  switch (order) {
    case SUP_ORDER_BODY: return "the welded body";
    case SUP_ORDER_RENDER: return "the file it was made for";
    default: return "not told; matched when it is used";
  }
}

/* The box around all frames, read one at a time. */
static SupResult cache_bounds(Info *info, SupCacheReader *reader, SupBounds *out_first,
                              SupBounds *out_all, SupError *error) {
  const SupCacheInfo *cache = sup_cache_info(reader);
  SupVec3 *positions = SUP_ALLOC(info->arena, SupVec3, cache->vertex_count);
  if (!positions) {
    return sup_fail(error, SUP_ERROR_MEMORY, "one frame of %u points does not fit into memory",
                    cache->vertex_count);
  }
  for (uint32_t i = 0; i < cache->frame_count; i++) {
    SupResult result = sup_cache_read_frame(reader, i, positions, error);
    if (result != SUP_OK) return result;
    SupBounds frame = sup_bounds(positions, cache->vertex_count);
    if (i == 0) *out_first = *out_all = frame;
    SupVec3 corners[4] = {frame.low, frame.high, out_all->low, out_all->high};
    *out_all = sup_bounds(corners, 4);
    cli_progress(info->cli, "reading", i + 1, cache->frame_count);
  }
  return SUP_OK;
}

static SupResult info_cache(Info *info, const char *path, uint64_t bytes, SupError *error) {
  SupCacheReader *reader;
  SupResult result = sup_cache_open(info->cli->allocator, path,
                                    (float)cli_number(info->cli->arguments, "fps"), &reader, error);
  if (result != SUP_OK) return result;
  const SupCacheInfo *cache = sup_cache_info(reader);
  SupBounds first = {0}, all = {0};
  result = cache_bounds(info, reader, &first, &all, error);
  if (result != SUP_OK) goto done;
  double seconds = (double)(cache->frame_count - 1) / (double)cache->fps;
  cli_say(info->cli, "%s: %s point cache, %s\n", path,
          cache->format == SUP_CACHE_PC2 ? "PC2" : "MDD", cli_bytes_text(bytes).text);
  info_line(info, "points", "%s, order: %s", cli_count_text(cache->vertex_count).text,
            order_text(cache->order));
  info_line(info, "frames", "%s, %.2f s from %.2f s on", cli_count_text(cache->frame_count).text,
            seconds, (double)cache->start);
  info_line(info, "rate", "%.5g frames per second (%s)", (double)cache->fps, timing_text(cache));
  info_size(info, first, false);
  info_line(info, "moves in", "%.3g x %.3g x %.3g", (double)(all.high.x - all.low.x),
            (double)(all.high.y - all.low.y), (double)(all.high.z - all.low.z));
  if (cache->timing == SUP_TIMING_ASSUMED) {
    info_note(info,
              "The file does not say how fast it plays. If %g frames per second is wrong, say "
              "--fps N wherever you use it.",
              (double)SUP_CACHE_FPS);
  }
  if (cache->uneven) {
    info_note(info,
              "The frames are not evenly spaced in time; Supple plays them as if they were. "
              "Export it again at a fixed rate.");
  }
  CliReport *report = info->cli->report;
  cli_report_integer(report, "points", cache->vertex_count);
  cli_report_integer(report, "frames", cache->frame_count);
  cli_report_float(report, "fps", cache->fps);
  cli_report_float(report, "start", cache->start);
  cli_report_text(report, "timing", timing_text(cache));
  cli_report_bool(report, "uneven", cache->uneven);
  cli_report_text(report, "order", order_text(cache->order));
done:
  sup_cache_close(reader);
  return result;
}

/* ---- The verb ------------------------------------------------------------------------------- */

static SupResult info_file(Info *info, const char *path, SupError *error) {
  static const char *const names[] = {"gltf", "obj", "cache", "model"};
  CliFormat format;
  SupResult result = cli_format(path, &format, error);
  if (result != SUP_OK) return result;
  struct stat status;
  uint64_t bytes = stat(path, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
  cli_report_text(info->cli->report, "format", names[format]);
  cli_report_integer(info->cli->report, "bytes", (int64_t)bytes);
  switch (format) {
    case CLI_FORMAT_GLTF: return info_gltf(info, path, bytes, error);
    case CLI_FORMAT_OBJ: return info_obj(info, path, bytes, error);
    case CLI_FORMAT_CACHE: return info_cache(info, path, bytes, error);
    default: return info_model_file(info, path, error);
  }
}

static SupResult run(CliContext *cli, SupError *error) {
  SupResult result = SUP_OK;
  cli_report_begin_array(cli->report, "files");
  for (uint32_t k = 0; k < cli->arguments->operand_count && result == SUP_OK; k++) {
    SupArena arena;
    sup_arena_init(&arena, cli->allocator, 0);
    Info info = {.cli = cli, .arena = &arena};
    if (k) cli_say(cli, "\n");
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "file", cli->arguments->operands[k]);
    double began = cli_seconds();
    result = info_file(&info, cli->arguments->operands[k], error);
    cli_timing(cli, "info", began);
    if (result == SUP_OK) {
      say_notes(&info);
      cli_report_end(cli->report);
    }
    sup_arena_free(&arena);
  }
  cli_report_end(cli->report);
  return result;
}

static const CliOption options[] = {
    {.name = "fps",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "frames per second of a point cache, if it does not say",
     .low = 0.001,
     .high = 100000},
    CLI_DOCUMENT_OPTIONS,
    {0},
};

const CliVerb cli_verb_info = {
    .name = "info",
    .summary = "what is in a file, what is odd about it, and what to do",
    .usage = "FILE... [options]",
    .details =
        "Reads characters (.glb, .gltf, .vrm), meshes (.obj), point caches (.pc2, .mdd) and\n"
        "models (.supple). Lines with ! are worth knowing: what is odd, and what to do.\n",
    .example = "supple info mochi.glb",
    .options = options,
    .least_operands = 1,
    .most_operands = 4096,
    .run = run,
};
