/* SPDX-License-Identifier: MIT */
/* supple make NAME [--vertices N] -o OUT.glb */
#include <string.h>

#include "formats.h"
#include "supple/app/character_file.h"
#include "supple/author/builtin.h"
#include "supple/io/obj.h"
#include "tell_made.h"

static void list(CliContext *cli) {
  cli_report_begin_array(cli->report, "characters");
  for (uint32_t i = 0; i < sup_builtin_count(); i++) {
    SupBuiltinInfo info = sup_builtin_info(i);
    cli_say(cli, "%-8s %5u vertices  %s\n", info.name, info.vertices, info.summary);
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "name", info.name);
    cli_report_text(cli->report, "summary", info.summary);
    cli_report_integer(cli->report, "vertices", info.vertices);
    cli_report_integer(cli->report, "joints", info.joint_count);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
}

static SupResult find_name(const char **io_name, SupError *error) {
  const char *names[16];
  char all[256] = "", hint[160];
  size_t count = 0, length = 0;
  for (; count < sup_builtin_count(); count++) {
    names[count] = sup_builtin_info((uint32_t)count).name;
    length +=
        sup_format(all + length, sizeof all - length, "%s%s", count ? ", " : "", names[count]);
  }
  const SupNameList list = {names, sizeof *names, count};
  const size_t found = sup_name_find(*io_name, list);
  if (found < count) {
    *io_name = names[found];
    return SUP_OK;
  }
  sup_name_hint(hint, sizeof hint, *io_name, list);
  return sup_fail(error, SUP_ERROR_ARGUMENT, "there is no character '%s'; there are: %s%s",
                  *io_name, all, hint);
}

static SupResult save(const CliContext *cli, const char *path, CliFormat format,
                      const SupCharacter *character, SupError *error) {
  if (format == CLI_FORMAT_OBJ) {
    return sup_obj_save(cli->allocator, path, character, SUP_ORDER_BODY, NULL, error);
  }
  const SupAppContext app = cli_app(cli);
  return sup_character_save(&app, character, path, error);
}

void cli_say_made(const CliContext *cli, const SupCharacter *character, const char *path) {
  cli_say(cli, "%s: %s vertices, %s triangles, %u joints, %u clips (", path,
          cli_count_text(character->body.vertex_count).text,
          cli_count_text(character->body.triangle_count).text, character->skeleton.joint_count,
          character->clip_count);
  for (uint32_t k = 0; k < character->clip_count; k++) {
    cli_say(cli, "%s%s", k ? ", " : "", character->clips[k].name);
  }
  cli_say(cli, ")\n");
}

void cli_report_made(CliReport *report, const SupCharacter *character) {
  cli_report_integer(report, "vertices", character->body.vertex_count);
  cli_report_integer(report, "render_vertices", character->render.vertex_count);
  cli_report_integer(report, "triangles", character->body.triangle_count);
  cli_report_integer(report, "joints", character->skeleton.joint_count);
  cli_report_begin_array(report, "clips");
  for (uint32_t k = 0; k < character->clip_count; k++) {
    cli_report_text(report, NULL, character->clips[k].name);
  }
  cli_report_end(report);
}

static SupResult run(CliContext *cli, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const char *path = cli_text(arguments, "output");
  if (cli_flag(arguments, "list")) {
    list(cli);
    return SUP_OK;
  }
  if (arguments->operand_count == 0 || !path) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "make needs a name and -o OUT.glb; 'supple make --list' lists the names");
  }
  CliFormat format;
  const char *name = arguments->operands[0];
  SupResult result = find_name(&name, error);
  if (result == SUP_OK) result = cli_format(path, &format, error);
  if (result != SUP_OK) return result;
  if (format != CLI_FORMAT_GLTF && format != CLI_FORMAT_OBJ) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%s: a character is written as .glb, .gltf or .obj; give the output such a name", path);
  }
  SupBuiltinDef def = {
      .name = name, .vertices = (uint32_t)cli_integer(arguments, "vertices"), .jobs = cli->jobs};
  SupCharacter character;
  double began = cli_seconds();
  cli_busy_begin(cli, "making the character");
  result = sup_builtin_character(cli->arena, &def, &character, error);
  cli_busy_end(cli);
  cli_timing(cli, "make", began);
  if (result != SUP_OK) return result;
  began = cli_seconds();
  cli_busy_begin(cli, "writing");
  result = save(cli, path, format, &character, error);
  cli_busy_end(cli);
  cli_timing(cli, "save", began);
  if (result != SUP_OK) return result;
  cli_say_made(cli, &character, path);
  cli_report_made(cli->report, &character);
  return SUP_OK;
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "write a .glb or .gltf, or an .obj of the body at rest"},
    {.name = "vertices",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the number of vertices of the body, kept within 1 %",
     .otherwise = "the character's own",
     .low = SUP_BUILTIN_VERTICES_MIN,
     .high = SUP_BUILTIN_VERTICES_MAX},
    {.name = "list", .kind = CLI_FLAG, .help = "list the characters"},
    {0},
};

const CliVerb cli_verb_make = {
    .name = "make",
    .summary = "make a built-in character of any size",
    .usage = "NAME [--vertices N] -o OUT.glb | make --list",
    .details =
        "mochi, on two legs, and cat, on four, are the ones to look at; toy, tube, leg, arm and\n"
        "sheet are the plain bodies that papers test with. All are closed, with skeleton,\n"
        "smooth weights, materials and clips.\n"
        "A file has a few more vertices than its body: they are duplicated where materials meet.\n",
    .example = "supple make mochi -o mochi.glb",
    .options = options,
    .most_operands = 1,
    .word_operands = 1,
    .run = run,
};
