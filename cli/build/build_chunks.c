/* SPDX-License-Identifier: MIT */
/* supple build chunks: flesh that keeps its volume, from skeleton, skin and patches alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build/build_kinds.h"
#include "formats.h"
#include "supple/app/chunks_character.h"

enum { OPTIONS_MAX = 1000, BULGES_MAX = 1000 };

/* ---- What is asked for ---------------------------------------------------------------------- */

typedef struct Given {
  CliContext *cli;
  SupChunksOption *options; /* one per name */
  SupChunksFlex *bulges;
  SupChunksCharacterDef def;
} Given;

/* What is said about that zone or chunk so far, or a new line for it. */
static SupChunksOption *option_of(Given *given, const char *name) {
  for (uint32_t k = 0; k < given->def.option_count; k++) {
    if (strcmp(given->options[k].name, name) == 0) return &given->options[k];
  }
  if (given->def.option_count == OPTIONS_MAX) return NULL;
  SupChunksOption *option = &given->options[given->def.option_count++];
  *option = sup_chunks_option(name);
  return option;
}

/* What an option says as [NAME=]NUMBER. */
typedef struct Rule {
  const char *option;
  double low, high;
  bool whole;
  bool named; /* it makes no sense without a name */
} Rule;

/* *out_name is NULL where it is for all. */
static SupResult read_number(const Given *given, const Rule *rule, uint32_t k,
                             const char **out_name, double *out_value, SupError *error) {
  const char *text = cli_text_at(given->cli->arguments, rule->option, k);
  const char *equals = strrchr(text, '='), *number = equals ? equals + 1 : text;
  char *end;
  *out_name = NULL;
  *out_value = strtod(number, &end);
  const bool fits = end != number && !*end && *out_value >= rule->low && *out_value <= rule->high &&
                    (!rule->whole || floor(*out_value) == *out_value);
  if (!fits || equals == text || (rule->named && !equals)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: '%s' is not %s with a %s from %g to %g",
                    rule->option, text, rule->named ? "ZONE=NUMBER" : "NUMBER or NAME=NUMBER",
                    rule->whole ? "whole number" : "number", rule->low, rule->high);
  }
  if (!equals) return SUP_OK;
  *out_name = sup_arena_string(given->cli->arena, text, (size_t)(equals - text));
  return *out_name ? SUP_OK : sup_fail_memory(error, NULL);
}

static SupResult refuse_many(const char *option, SupError *error) {
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: too many names", option);
}

static void set_value(Given *given, uint32_t rule, SupChunksOption *option, double value) {
  if (rule == 0) *(option ? &option->slices : &given->def.slices) = (uint32_t)value;
  if (rule == 1) *(option ? &option->levels : &given->def.levels) = (uint32_t)value;
  if (rule == 2) *(option ? &option->poisson : &given->def.poisson) = value;
  if (rule == 3) option->depth = value;
}

static SupResult add_options(Given *given, SupError *error) {
  static const Rule rules[] = {{"slices", 3, 256, true, false},
                               {"levels", 0, 5, true, false},
                               {"poisson", 0.001, 0.499, false, false},
                               {"depth", 1e-9, 1e9, false, true}};
  CliContext *cli = given->cli;
  for (uint32_t r = 0; r < sizeof rules / sizeof *rules; r++) {
    for (uint32_t k = 0; k < cli_count(cli->arguments, rules[r].option); k++) {
      const char *name;
      double value;
      SupResult result = read_number(given, &rules[r], k, &name, &value, error);
      if (result != SUP_OK) return result;
      SupChunksOption *option = name ? option_of(given, name) : NULL;
      if (name && !option) return refuse_many(rules[r].option, error);
      set_value(given, r, option, value);
    }
  }
  for (uint32_t k = 0; k < cli_count(cli->arguments, "mute"); k++) {
    SupChunksOption *option = option_of(given, cli_text_at(cli->arguments, "mute", k));
    if (!option) return refuse_many("mute", error);
    option->skinned = true;
  }
  return SUP_OK;
}

/* JOINT or JOINT:FROM:TO in degrees; names of joints may have colons. */
static bool read_driver(CliContext *cli, const char *text, SupChunksFlex *io_bulge) {
  const char *to = strrchr(text, ':'), *from = NULL;
  size_t length = strlen(text);
  double angles[2] = {0, 90};
  for (const char *at = text; to && at < to; at++) {
    if (*at == ':') from = at;
  }
  if (from) {
    char *ends[2];
    const double found[2] = {strtod(from + 1, &ends[0]), strtod(to + 1, &ends[1])};
    if (ends[0] == to && to != from + 1 && !*ends[1] && ends[1] != to + 1) {
      angles[0] = found[0];
      angles[1] = found[1];
      length = (size_t)(from - text);
    }
  }
  io_bulge->joint = sup_arena_string(cli->arena, text, length);
  io_bulge->from = angles[0] * SUP_PI / 180;
  io_bulge->to = angles[1] * SUP_PI / 180;
  return io_bulge->joint && length > 0 && fabs(angles[0]) <= 180 && fabs(angles[1]) <= 180 &&
         angles[0] != angles[1];
}

static SupResult add_bulges(Given *given, SupError *error) {
  CliContext *cli = given->cli;
  const uint32_t count = cli_count(cli->arguments, "bulge");
  if (count > BULGES_MAX) return refuse_many("bulge", error);
  for (uint32_t k = 0; k < count; k++) {
    const char *text = cli_text_at(cli->arguments, "bulge", k), *equals = strrchr(text, '=');
    char *end = NULL;
    const char *name = equals ? sup_arena_string(cli->arena, text, (size_t)(equals - text)) : NULL;
    if (equals && !name) return sup_fail_memory(error, NULL);
    SupChunksFlex bulge = {.patch = name};
    bulge.height = equals ? strtod(equals + 1, &end) : 0;
    const bool fits = equals > text && end != equals + 1 && isfinite(bulge.height) &&
                      (!*end || (*end == '@' && read_driver(cli, end + 1, &bulge)));
    if (!fits) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--bulge: '%s' is not PATCH=HEIGHT, PATCH=HEIGHT@JOINT or "
                      "PATCH=HEIGHT@JOINT:FROM:TO with two angles in degrees",
                      text);
    }
    given->bulges[given->def.bulge_count++] = bulge;
  }
  return SUP_OK;
}

static SupResult read_given(CliContext *cli, SupChunksCharacterDef *out_def, SupError *error) {
  Given given = {.cli = cli,
                 .options = SUP_ALLOC(cli->arena, SupChunksOption, OPTIONS_MAX),
                 .bulges = SUP_ALLOC(cli->arena, SupChunksFlex, BULGES_MAX),
                 .def = sup_chunks_character_def()};
  if (!given.options || !given.bulges) return sup_fail_memory(error, NULL);
  given.def.patches = cli_text(cli->arguments, "patches");
  SupResult result = add_options(&given, error);
  if (result == SUP_OK) result = add_bulges(&given, error);
  given.def.options = given.options;
  given.def.bulges = given.bulges;
  *out_def = given.def;
  return result;
}

/* ---- What came of it ------------------------------------------------------------------------ */

/* Reasons of chunks begin with their name, which is said already. */
static const char *reason_of(const SupChunksRefusal *refusal) {
  const char *rest =
      strncmp(refusal->reason, "chunk '", 7) == 0 ? strstr(refusal->reason, "': ") : 0;
  return rest ? rest + 3 : refusal->reason;
}

static void report_chunks(const CliContext *cli, const SupChunksTrainReport *t) {
  cli_report_begin_array(cli->report, "list");
  for (uint32_t k = 0; k < t->piece_count; k++) {
    const SupChunksPieceReport *c = &t->pieces[k];
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "name", c->name);
    cli_report_text(cli->report, "zone", c->zone);
    cli_report_integer(cli->report, "limb", c->limb);
    cli_report_integer(cli->report, "sides", c->side_count);
    cli_report_integer(cli->report, "slices", c->slice_count);
    cli_report_integer(cli->report, "levels", c->levels);
    cli_report_integer(cli->report, "nodes", c->node_count);
    cli_report_integer(cli->report, "columns", c->column_count);
    cli_report_integer(cli->report, "vertices", c->vertex_count);
    cli_report_number(cli->report, "volume", c->volume);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  cli_report_begin_array(cli->report, "skinned");
  for (uint32_t k = 0; k < t->refusal_count; k++) {
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "name", t->refusals[k].name);
    cli_report_text(cli->report, "reason", reason_of(&t->refusals[k]));
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
}

/* A few reasons in full, the others counted. */
static void say_refused(const CliContext *cli, const SupChunksTrainReport *t) {
  enum { SHOWN = 3 };
  for (uint32_t k = 0; k < t->refusal_count && k < SHOWN; k++) {
    cli_say(cli, "note: '%s' stays plainly skinned: %s\n", t->refusals[k].name,
            reason_of(&t->refusals[k]));
  }
  if (t->refusal_count > SHOWN) {
    cli_say(cli, "note: so do %u more (--json lists them)\n", t->refusal_count - SHOWN);
  }
}

static void report(const CliContext *cli, const SupChunksCharacterReport *r,
                   const SupModel *model) {
  const SupChunksTrainReport *t = &r->trained;
  uint32_t limbs = 0;
  for (uint32_t k = 0; k < t->piece_count; k++) limbs += t->pieces[k].limb;
  cli_say(cli, "chunks: %u on %u patches%s, %u of them around bones; %s nodes, %s wedges\n",
          t->piece_count, r->patch_count, r->automatic ? " that were found" : "", limbs,
          cli_count_text(t->node_count).text, cli_count_text(t->wedge_count).text);
  cli_say(cli, "%s vertices follow; made in %.2f s\n", cli_count_text(t->moved_count).text,
          r->seconds);
  say_refused(cli, t);
  if (t->raised_count) {
    cli_say(cli,
            "note: the shell lies nearer to the skin than it should below %u of %u features, where "
            "it would cross itself\n",
            t->raised_count, t->shell_vertex_count);
  }
  for (uint32_t k = 0; k < t->note_count; k++) cli_say(cli, "note: %s\n", t->notes[k]);
  cli_report_begin_object(cli->report, "chunks");
  cli_report_integer(cli->report, "chunks", t->piece_count);
  cli_report_integer(cli->report, "limbs", limbs);
  cli_report_integer(cli->report, "nodes", t->node_count);
  cli_report_integer(cli->report, "wedges", t->wedge_count);
  cli_report_integer(cli->report, "columns", t->column_count);
  cli_report_integer(cli->report, "moved", t->moved_count);
  cli_report_integer(cli->report, "refused", t->refusal_count);
  cli_report_integer(cli->report, "raised", t->raised_count);
  cli_report_number(cli->report, "seconds", r->seconds);
  report_chunks(cli, t);
  cli_report_integer(cli->report, "bytes", (int64_t)model->bytes);
  cli_report_end(cli->report);
}

/* ---- The kind ------------------------------------------------------------------------------- */

/* Refuses options that cannot be read before anything is opened. */
static SupResult check(CliBuild *build, SupError *error) {
  SupChunksCharacterDef def;
  return read_given(build->cli, &def, error);
}

static SupResult make(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  const SupAppContext app = cli_app(cli);
  SupChunksCharacterDef def;
  SupChunksCharacterReport made;
  SupModel *model;
  SupResult result = cli_refuse_shape(build, SUP_CHUNKS_KIND, error);
  if (result == SUP_OK) result = read_given(cli, &def, error);
  if (result == SUP_OK) {
    result = sup_chunks_character(&app, &build->source, &def, &model, &made, error);
  }
  if (result != SUP_OK) return result;
  report(cli, &made, model);
  build->model = model;
  return SUP_OK;
}

static const CliOption options[] = {
    {.name = "patches",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "take the skin apart as this patch file says; its zones say what becomes of the flesh",
     .otherwise = "the patches and zones that `supple patches` finds"},
    {.name = "bulge",
     .kind = CLI_TEXT,
     .value_name = "PATCH=H[@JOINT[:FROM:TO]]",
     .help = "raise the flesh below a patch by H at most, as a joint turns between two angles in "
             "degrees (0 and 90); without a joint, as the face of the shell below it shrinks",
     .repeated = true},
    {.name = "mute",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "leave a zone or a chunk plainly skinned",
     .repeated = true},
    {.name = "slices",
     .kind = CLI_TEXT,
     .value_name = "[NAME=]N",
     .help = "give all chunks, those of a zone or one chunk this many slices, 3 to 256",
     .otherwise = "as long as wedges are wide",
     .repeated = true},
    {.name = "levels",
     .kind = CLI_TEXT,
     .value_name = "[NAME=]N",
     .help = "divide the triangles of slices this often into four, 0 to 5",
     .otherwise = "as large as the skin's deformation asks for",
     .repeated = true},
    {.name = "poisson",
     .kind = CLI_TEXT,
     .value_name = "[NAME=]X",
     .help = "set Poisson's ratio, below 0.5: how well flesh keeps its volume",
     .otherwise = "0.45",
     .repeated = true},
    {.name = "depth",
     .kind = CLI_TEXT,
     .value_name = "ZONE=LENGTH",
     .help = "put the shell of a zone of the trunk this deep below the skin",
     .otherwise = "so that it has half of the volume",
     .repeated = true},
    {0},
};

static SupResult run(CliContext *cli, SupError *error) {
  return cli_build(cli, check, make, error);
}

const CliVerb cli_kind_chunks = {
    .name = "chunks",
    .summary = "give the body elastic flesh that keeps its volume, from the pose alone",
    .usage = "IN.glb -o OUT.glb [options]",
    .details =
        "Puts chunks of elastic flesh between skin and bones: around the bones of limbs, and\n"
        "above a shell in the trunk. Their inside is solved once; no examples are needed.\n"
        "What is in no chunk (heads, hands, feet) stays plainly skinned.\n",
    .example =
        "supple make mochi -o mochi.glb\n"
        "supple build chunks mochi.glb -o mochi-chunks.glb",
    .options = options,
    .run = run,
};
