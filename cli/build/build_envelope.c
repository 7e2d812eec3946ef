/* SPDX-License-Identifier: MIT */
/* supple build envelope: the shape in each pose from sculpted examples, also of another character.
 */
#include <stdlib.h>
#include <string.h>

#include "build/build_kinds.h"
#include "formats.h"
#include "supple/app/envelope_character.h"
#include "supple/envelope.h"

enum { PATCHES_MAX = 1000, EXAMPLES_MAX = 1000 };

/* ---- What is asked for ---------------------------------------------------------------------- */

static bool is_list(const char *shape) {
  const char *dot = strrchr(shape, '.');
  return dot && strcmp(dot, ".json") == 0;
}

/* Each --example with its --at; a list brings its own poses. */
static SupResult check(CliBuild *build, SupError *error) {
  const CliArguments *arguments = build->cli->arguments;
  const uint32_t count = cli_count(arguments, "example"), at = cli_count(arguments, "at");
  uint32_t shapes = 0;
  const char *last = NULL;
  for (uint32_t k = 0; k < count; k++) {
    const char *shape = cli_text_at(arguments, "example", k);
    if (!is_list(shape)) shapes++, last = shape;
  }
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "an envelope is learned from shapes: give --example SHAPE --at CLIP:SECONDS, a "
                    "sculpted file (.obj, .glb), a morph target or a cache with its pose");
  }
  if (at > shapes && shapes < count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "a list brings its own poses: give one --at for each --example that is no list "
                    "(%u), not %u",
                    shapes, at);
  }
  if (shapes > at) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%u --example and %u --at: example '%s' has no pose; give --at CLIP:SECONDS, rest "
        "or file for each",
        shapes, at, last);
  }
  if (at > shapes) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%u --example and %u --at: give one pose for each shape", shapes, at);
  }
  if (cli_count(arguments, "from-patches") && !cli_count(arguments, "from")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--from-patches is the patch file of --from; give both or neither");
  }
  if (cli_count(arguments, "scale") && !cli_count(arguments, "from")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--scale is for shapes that are carried over; give it with --from");
  }
  return SUP_OK;
}

typedef struct Given {
  CliContext *cli;
  SupEnvelopeSource *examples;
  SupEnvelopePatchSource *patches;
  SupEnvelopeFile file;
} Given;

/* What is said about that patch so far, or a new line for it. */
static SupEnvelopePatchSource *patch_of(Given *given, const char *name) {
  for (uint32_t k = 0; k < given->file.patch_count; k++) {
    if (strcmp(given->patches[k].patch, name) == 0) return &given->patches[k];
  }
  if (given->file.patch_count == PATCHES_MAX) return NULL;
  SupEnvelopePatchSource *patch = &given->patches[given->file.patch_count++];
  *patch = (SupEnvelopePatchSource){.patch = name, .strength = 1};
  return patch;
}

static SupResult add_list(Given *given, const char *path, SupError *error) {
  SupEnvelopeFile list;
  SupResult result = sup_envelope_file_read(given->cli->arena, path, &list, error);
  if (result != SUP_OK) return result;
  if (list.example_count > EXAMPLES_MAX - given->file.example_count ||
      list.patch_count > PATCHES_MAX - given->file.patch_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s: too many examples or patches", path);
  }
  for (uint32_t k = 0; k < list.example_count; k++) {
    given->examples[given->file.example_count++] = list.examples[k];
  }
  for (uint32_t k = 0; k < list.patch_count; k++) {
    given->patches[given->file.patch_count++] = list.patches[k];
  }
  return SUP_OK;
}

static SupResult add_examples(Given *given, SupError *error) {
  const CliArguments *arguments = given->cli->arguments;
  const uint32_t count = cli_count(arguments, "example");
  uint32_t at = 0;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    const char *shape = cli_text_at(arguments, "example", k);
    if (is_list(shape)) {
      result = add_list(given, shape, error);
    } else if (given->file.example_count == EXAMPLES_MAX) {
      result = sup_fail(error, SUP_ERROR_ARGUMENT, "--example: too many examples");
    } else {
      const char *pose = cli_text_at(arguments, "at", at++);
      given->examples[given->file.example_count++] =
          (SupEnvelopeSource){.shape = shape, .pose = pose};
    }
  }
  if (result == SUP_OK && given->file.example_count == 0) {
    result = sup_fail(error, SUP_ERROR_ARGUMENT, "--example: the list has no examples");
  }
  return result;
}

/* NAME=TEXT; *out_text is behind the '='. */
static SupResult split(CliContext *cli, const char *option, uint32_t k, const char *wanted,
                       const char **out_name, const char **out_text, SupError *error) {
  const char *text = cli_text_at(cli->arguments, option, k), *equals = strrchr(text, '=');
  if (!equals || equals == text) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: '%s' is not PATCH=%s", option, text, wanted);
  }
  *out_name = sup_arena_string(cli->arena, text, (size_t)(equals - text));
  *out_text = equals + 1;
  return *out_name ? SUP_OK : sup_fail_memory(error, NULL);
}

static SupResult refuse_many(const char *option, SupError *error) {
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: too many patches", option);
}

static SupResult add_strengths(Given *given, SupError *error) {
  CliContext *cli = given->cli;
  for (uint32_t k = 0; k < cli_count(cli->arguments, "strength"); k++) {
    const char *name = "", *text = "";
    char *end;
    SupResult result = split(cli, "strength", k, "FACTOR", &name, &text, error);
    if (result != SUP_OK) return result;
    SupEnvelopePatchSource *patch = patch_of(given, name);
    if (!patch) return refuse_many("strength", error);
    patch->strength = strtod(text, &end);
    if (end != text && !*end && patch->strength >= 0 &&
        patch->strength <= (double)SUP_ENVELOPE_STRENGTH) {
      continue;
    }
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--strength: '%s' is not a number from 0 to %g",
                    text, (double)SUP_ENVELOPE_STRENGTH);
  }
  for (uint32_t k = 0; k < cli_count(cli->arguments, "mute"); k++) {
    SupEnvelopePatchSource *patch = patch_of(given, cli_text_at(cli->arguments, "mute", k));
    if (!patch) return refuse_many("mute", error);
    patch->chosen = true;
    patch->example_count = 0;
  }
  return SUP_OK;
}

static SupResult add_scales(Given *given, SupError *error) {
  CliContext *cli = given->cli;
  for (uint32_t k = 0; k < cli_count(cli->arguments, "scale"); k++) {
    const char *name = "", *text = "";
    SupResult result = split(cli, "scale", k, "X,Y,Z", &name, &text, error);
    if (result != SUP_OK) return result;
    SupEnvelopePatchSource *patch = patch_of(given, name);
    if (!patch) return refuse_many("scale", error);
    double *out[3] = {&patch->scale.x, &patch->scale.y, &patch->scale.z};
    const char *at = text;
    bool good = true;
    for (int c = 0; good && c < 3; c++) {
      char *end;
      *out[c] = strtod(at, &end);
      good = end != at && *end == (c < 2 ? ',' : 0) && *out[c] > 0 && *out[c] <= 1000;
      at = end + 1;
    }
    if (good) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--scale: '%s' is not three factors above 0, X,Y,Z, for example 1,1,1.5", text);
  }
  return SUP_OK;
}

static SupResult read_given(CliContext *cli, SupEnvelopeFile *out_given, SupError *error) {
  Given given = {.cli = cli,
                 .examples = SUP_ALLOC(cli->arena, SupEnvelopeSource, EXAMPLES_MAX),
                 .patches = SUP_ALLOC(cli->arena, SupEnvelopePatchSource, PATCHES_MAX)};
  if (!given.examples || !given.patches) return sup_fail_memory(error, NULL);
  SupResult result = add_examples(&given, error);
  if (result == SUP_OK) result = add_strengths(&given, error);
  if (result == SUP_OK) result = add_scales(&given, error);
  for (uint32_t k = 0; result == SUP_OK && k < given.file.patch_count; k++) {
    if (given.patches[k].scale.x == 0 || cli_count(cli->arguments, "from")) continue;
    result =
        sup_fail(error, SUP_ERROR_ARGUMENT,
                 "patch '%s' has a \"scale\" in the list, which is for shapes that are carried "
                 "over; give it with --from",
                 given.patches[k].patch);
  }
  given.file.examples = given.examples;
  given.file.patches = given.patches;
  *out_given = given.file;
  return result;
}

/* ---- What came of it ------------------------------------------------------------------------ */

static void report_patches(const CliContext *cli, const SupEnvelopeTrainReport *r) {
  cli_report_begin_array(cli->report, "patches");
  for (uint32_t k = 0; k < r->patch_count; k++) {
    const SupEnvelopePatchReport *p = &r->patches[k];
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "name", p->name);
    cli_report_integer(cli->report, "vertices", p->vertex_count);
    cli_report_integer(cli->report, "examples", p->example_count);
    cli_report_integer(cli->report, "angles", p->angle_count);
    cli_report_integer(cli->report, "fields", p->field_count);
    cli_report_number(cli->report, "residual", p->residual);
    cli_report_number(cli->report, "left", p->left);
    cli_report_number(cli->report, "contradiction", p->contradiction);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
}

static void report(const CliContext *cli, const SupEnvelopeCharacterReport *r,
                   const SupModel *model) {
  const SupEnvelopeTrainReport *t = &r->trained;
  cli_say(cli,
          "envelope: %u example%s on %u patches%s, %u control vertices, driven by %u angle%s\n",
          r->example_count, r->example_count == 1 ? "" : "s", r->patch_count,
          r->automatic ? " that were found" : "", t->control_count, t->angle_count,
          t->angle_count == 1 ? "" : "s");
  cli_say(cli, "%s vertices follow", cli_count_text(t->moved_count).text);
  if (!r->carried) {
    cli_say(cli, "; played, examples are met within %s", cli_length_text(t->left).text);
  }
  cli_say(cli, "\n");
  if (r->left_out_count) {
    cli_say(cli,
            "note: %u patch%s too far from flat to learn shapes on, as hands in one patch are, and "
            "plainly skinned: '%s'%s\n",
            r->left_out_count, r->left_out_count == 1 ? " is" : "es are", r->left_out,
            r->left_out_count == 1 ? "" : ", ...");
  }
  if (r->whole_count) {
    cli_say(cli, "note: %u patch%s no room to be divided on the mesh\n", r->whole_count,
            r->whole_count == 1 ? " has" : "es have");
  }
  if (r->carried) {
    cli_say(cli, "carried over: %u joints correspond", r->joints_mapped);
    if (r->reposed > 0) {
      cli_say(cli, ", limbs turned by up to %.0f degrees to stand alike",
              r->reposed * 180 / SUP_PI);
    }
    cli_say(cli, "\n");
  }
  for (uint32_t k = 0; k < t->note_count; k++) cli_say(cli, "note: %s\n", t->notes[k]);
  cli_report_begin_object(cli->report, "envelope");
  cli_report_integer(cli->report, "examples", r->example_count);
  cli_report_integer(cli->report, "controls", t->control_count);
  cli_report_integer(cli->report, "angles", t->angle_count);
  cli_report_integer(cli->report, "blends", t->blend_count);
  cli_report_integer(cli->report, "seams", t->seam_count);
  cli_report_integer(cli->report, "moved", t->moved_count);
  cli_report_integer(cli->report, "left_out", r->left_out_count);
  cli_report_integer(cli->report, "whole", r->whole_count);
  cli_report_integer(cli->report, "carried", r->carried);
  cli_report_integer(cli->report, "joints_mapped", r->joints_mapped);
  cli_report_number(cli->report, "reposed", r->reposed);
  if (!r->carried) cli_report_number(cli->report, "left", t->left);
  report_patches(cli, t);
  cli_report_integer(cli->report, "bytes", (int64_t)model->bytes);
  cli_report_end(cli->report);
}

/* ---- The kind ------------------------------------------------------------------------------- */

static SupResult make(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  const SupAppContext app = cli_app(cli);
  const char *from = cli_text(cli->arguments, "from");
  SupEnvelopeCharacterDef def = sup_envelope_character_def();
  SupEnvelopeCharacterReport made;
  SupCharacterFile primary;
  SupModel *model;
  SupResult result = cli_refuse_shape(build, SUP_ENVELOPE_KIND, error);
  if (result == SUP_OK) result = read_given(cli, &def.given, error);
  if (result != SUP_OK) return result;
  def.open = cli_open_def(cli);
  def.open.character = NULL; /* the first of other files */
  def.patches = cli_text(cli->arguments, "patches");
  def.primary_patches = cli_text(cli->arguments, "from-patches");
  def.fps = (float)cli_number(cli->arguments, "fps");
  def.ease = cli_number(cli->arguments, "ease");
  def.sigma = cli_number(cli->arguments, "sigma");
  def.ridge = cli_number(cli->arguments, "ridge");
  def.residual = (SupEnvelopeResidual)cli_integer(cli->arguments, "residual");
  def.edits = cli_text(cli->arguments, "edits");
  def.mirror = cli_flag(cli->arguments, "mirror");
  def.literal = cli_flag(cli->arguments, "literal");
  def.revise = cli_flag(cli->arguments, "revise");
  def.subdivide = (uint32_t)cli_integer(cli->arguments, "subdivide");
  if (from) {
    result = sup_character_open(&app, from, &def.open, &primary, error);
    if (result != SUP_OK) return result;
    def.primary = &primary;
  }
  result = sup_envelope_character(&app, &build->source, &def, &model, &made, error);
  if (from) sup_character_close(&primary);
  if (result != SUP_OK) return result;
  report(cli, &made, model);
  build->model = model;
  build->examples = made.played;
  build->example_count = made.played != NULL;
  build->alone = true;
  return SUP_OK;
}

/* As sup_envelope_residual_name has them. */
static const char *const residual_names[] = {"plate", "cubic", "psd", NULL};

static const CliOption options[] = {
    {.name = "example",
     .kind = CLI_TEXT,
     .value_name = "SHAPE",
     .help = "learn from a shape: a morph target, a file (.obj, .glb), a frame of a cache (.pc2), "
             "or a .json that lists shapes and poses",
     .repeated = true},
    {.name = "at",
     .kind = CLI_TEXT,
     .value_name = "POSE",
     .help = "give the pose of each example: CLIP:SECONDS, `rest`, `file` for the one that a .glb "
             "stands in, or @poses for all frames of a cache of static poses",
     .repeated = true},
    {.name = "patches",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "take the skin apart as this patch file says",
     .otherwise = "the patches that `supple patches` finds"},
    {.name = "from",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "carry the examples over from this character, whose shapes and poses they are"},
    {.name = "from-patches",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "give the patch file of that character"},
    {.name = "mirror",
     .kind = CLI_FLAG,
     .help = "learn from the mirror images of the examples, too"},
    {.name = "strength",
     .kind = CLI_TEXT,
     .value_name = "PATCH=X",
     .help = "scale the bulges of a patch, 0 to 4; 1 is as in the examples",
     .repeated = true},
    {.name = "mute",
     .kind = CLI_TEXT,
     .value_name = "PATCH",
     .help = "let a patch follow its corners without bulges of its own",
     .repeated = true},
    {.name = "edits",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "put corners of patches elsewhere in some shapes, as this file says"},
    {.name = "subdivide",
     .kind = CLI_INTEGER,
     .value_name = "TIMES",
     .help = "divide each patch into one per side, with corners inside, up to 2 times",
     .fallback = "0",
     .low = 0,
     .high = 2,
     .advanced = true},
    {.name = "residual",
     .kind = CLI_CHOICE,
     .choices = residual_names,
     .help =
         "let bulges change with place and angles together (plate, cubic) or blend whole shapes "
         "by angles (psd)",
     .fallback = "plate",
     .advanced = true},
    {.name = "scale",
     .kind = CLI_TEXT,
     .value_name = "PATCH=X,Y,Z",
     .help = "with --from, scale the bulges of a patch along its sides and outwards",
     .otherwise = "as patches are larger",
     .advanced = true,
     .repeated = true},
    {.name = "ease",
     .kind = CLI_NUMBER,
     .value_name = "E",
     .help = "set how bulges grow between poses: small evenly, large late",
     .fallback = "0.1",
     .low = 0.01,
     .high = 100},
    {.name = "sigma",
     .kind = CLI_NUMBER,
     .value_name = "RADIANS",
     .help = "blend poses by Gaussian functions of this width, as published; 0: evenly",
     .fallback = "0",
     .low = 0,
     .high = 100,
     .advanced = true},
    {.name = "ridge",
     .kind = CLI_NUMBER,
     .value_name = "R",
     .help = "smooth examples that contradict each other; they are then not met",
     .fallback = "0",
     .low = 0,
     .high = 1000,
     .advanced = true},
    {.name = "literal",
     .kind = CLI_FLAG,
     .help = "let control vertices follow joints by inverse distance, as published",
     .advanced = true},
    {.name = "revise",
     .kind = CLI_FLAG,
     .help = "keep control vertices at bending joints off them, as published",
     .advanced = true},
    {.name = "fps",
     .kind = CLI_NUMBER,
     .value_name = "RATE",
     .help = "set the frames per second of caches; files of other programs do not say it",
     .otherwise = "what they say, else 24",
     .advanced = true,
     .low = 0.001,
     .high = 100000},
    {0},
};

static SupResult run(CliContext *cli, SupError *error) {
  return cli_build(cli, check, make, error);
}

const CliVerb cli_kind_envelope = {
    .name = "envelope",
    .summary = "learn the shape in each pose from sculpted examples, also of another character",
    .usage = "IN.glb --example SHAPE --at POSE ... -o OUT.glb [options]",
    .details =
        "Takes the skin apart into patches, whose corners follow the joints and whose inside\n"
        "bulges as in the examples. With --from, shapes that were sculpted for one character\n"
        "serve another one that has corresponding patches.\n",
    .example =
        "supple make tube --vertices 494 -o tube.glb\n"
        "supple simulate tube.glb --clip bend --tets 500 --fps 30 -o bend.pc2\n"
        "supple build envelope tube.glb --example bend.pc2 --at bend:1 -o tube-envelope.glb",
    .options = options,
    .run = run,
};
