/* SPDX-License-Identifier: MIT */
/* supple info FILE... */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "character/locks.h"
#include "info/info.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"

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
      if (length == 1) length = width; /* one long word, cut between characters */
      while (((unsigned char)text[length] & 0xc0) == 0x80) length--;
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
  if (info->note_count == 0) cli_say(info->cli, "  nothing unusual\n");
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
              "%u meshes were bound to the skeleton in another pose than the first; if parts "
              "look apart, bind all meshes in the same rest pose and export again.",
              report->skins_apart);
  }
}

/* What verbs that make flesh would lock, by kind; `simulate` and `add` say why. */
static SupResult info_hard(const Info *info, const SupGltf *document, const SupGltfCharacter *found,
                           SupError *error) {
  SupHardPartsDef def = sup_hard_parts_def(&found->character);
  SupHardParts hard;
  char text[200] = "";
  size_t used = 0;
  if (found->character.skeleton.bone_count == 0) return SUP_OK;
  SupResult result = sup_gltf_part_signs(document, found, info->arena, &def.parts, error);
  if (result == SUP_OK) result = sup_hard_parts(info->arena, &def, &hard, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = SUP_HARD_EYES; k < SUP_HARD_KINDS; k++) {
    const double area = cli_hard_area(&hard, (SupHardKind)k);
    if (!(area > 0) || used + 40 > sizeof text) continue;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.2g %%", used ? ", " : "",
                             sup_hard_kind_name((SupHardKind)k), 100 * area);
  }
  if (hard.area > 0) {
    info_line(info, "not flesh", "%.3g %% of the skin: %s", 100 * hard.area, text);
  }
  cli_report_hard(info->cli->report, &hard);
  return SUP_OK;
}

static SupResult info_gltf_character(Info *info, SupGltf *document, const SupGltfCharacter *found,
                                     const SupGltfContents *contents, SupError *error) {
  const SupAppContext app = cli_app(info->cli);
  const SupCharacterFile file = {.document = document, .found = found};
  SupCharacter character = found->character;
  CliReport *report = info->cli->report;
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "name", character.name);
  info_line(info, "character", "%s", *character.name ? character.name : "(unnamed)");
  SupResult result = info_character(info, &character, error);
  if (result == SUP_OK) result = sup_mark_helpers(&app, &file, &character, error);
  if (result == SUP_OK) info_baked(info, &character);
  if (result == SUP_OK && cli_flag(info->cli->arguments, "bones")) {
    result = info_bones(info, &character, contents, error);
  }
  if (result != SUP_OK) return result;
  note_gltf_report(info, &found->report);
  result = info_hard(info, document, found, error);
  if (result != SUP_OK) return result;
  uint32_t count;
  SupGltfModel *models;
  result = sup_gltf_models(document, found, info->arena, &count, &models, error);
  if (result != SUP_OK) return result;
  cli_report_begin_array(report, "models");
  for (uint32_t k = 0; k < count; k++) {
    info_model(info, models[k].data, models[k].bytes, &character.body);
  }
  cli_report_end(report);
  cli_report_end(report);
  return SUP_OK;
}

static SupResult info_characters(Info *info, SupGltf *document, const SupGltfContents *contents,
                                 SupError *error) {
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
    result = info_gltf_character(info, document, &characters[k], contents, error);
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
    result = info_characters(info, document, &contents, error);
  }
  if (result != SUP_OK) sup_error_prefix(error, "%s", path);
  sup_gltf_close(document);
  return result;
}

/* ---- The verb ------------------------------------------------------------------------------- */

static SupResult info_file(Info *info, const char *path, SupError *error) {
  static const char *const names[] = {"gltf", "obj", "cache", "model"};
  CliFormat format;
  SupResult result = sup_file_check(path, error);
  if (result == SUP_OK) result = cli_format(path, &format, error);
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
    {.name = "bones",
     .kind = CLI_FLAG,
     .help = "show the tree of joints, with the vertices, skin and materials that hang on each"},
    {.name = "fps",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "set the frames per second of a point cache that does not say",
     .low = 0.001,
     .high = 100000},
    CLI_DOCUMENT_OPTIONS,
    {0},
};

const CliVerb cli_verb_info = {
    .name = "info",
    .summary = "show what a file contains, what is unusual, and what to do about it",
    .usage = "FILE... [options]",
    .details =
        "Reads characters (.glb, .gltf, .vrm), meshes (.obj), point caches (.pc2, .mdd) and\n"
        "models (.supple). Lines that begin with ! say what is unusual and what to do.\n",
    .example = "supple info mochi.glb",
    .options = options,
    .least_operands = 1,
    .most_operands = 4096,
    .run = run,
};
