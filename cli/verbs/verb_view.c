/* SPDX-License-Identifier: MIT */
/*
 * supple view FILE... -o PAGE.html
 *
 * The page is one file: script, style, WebAssembly module, and what was given, as base64.
 * Characters go in as .glb with their models; samples in the order of the body, 16 bits a number
 * within their box, which is some hundredths of a millimetre on a person.
 */
#include <math.h>
#include <string.h>

#include "character/locks.h"
#include "character/models.h"
#include "formats.h"
#include "page.h"
#include "supple/author/baked.h"
#include "supple/author/samples.h"
#include "supple/geom/bounds.h"
#include "supple/io/file.h"
#include "view_text.h"

typedef struct View {
  CliContext *cli;
  SupFileWriter *writer;
  CliCharacter source; /* the last character, to which samples belong */
  bool has_source;
  uint32_t characters, samples, entries;
} View;

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* ---- Entries -------------------------------------------------------------------------------- */

/* One entry: a line of JSON that says what it is, and a block of base64. */
static void begin_entry(View *view, const char *kind, const char *path) {
  cli_put_text(view->writer, "<script type=\"application/json\" class=\"supple-entry\">{\"kind\":");
  cli_put_json_text(view->writer, kind);
  cli_put_text(view->writer, ",\"name\":");
  cli_put_json_text(view->writer, base_name(path));
}

static void end_entry(View *view, const void *data, size_t bytes) {
  cli_put_text(view->writer, "}</script>\n<script type=\"text/plain\" class=\"supple-bytes\">");
  cli_put_base64(view->writer, data, bytes);
  cli_put_text(view->writer, "</script>\n");
  view->entries++;
}

static void put_number(View *view, const char *name, double value) {
  char text[96];
  sup_format(text, sizeof text, ",\"%s\":%.9g", name, value);
  cli_put_text(view->writer, text);
}

/* ---- Characters ----------------------------------------------------------------------------- */

/* The page shows what is not flesh as a map. Where the file has no flesh, the flesh that the page
 * makes is locked by it, as that of `add` is; models and baked motion are played as they are. */
static SupResult put_lock(View *view, bool has_flesh, SupError *error) {
  const SupAppContext app = cli_app(view->cli);
  const SupLockDef def = {{0, NULL}, {0, NULL}};
  SupHardParts hard;
  if (view->source.character->skeleton.bone_count == 0) return SUP_OK;
  SupResult result = sup_lock_character(&app, &view->source, &def, &hard, error);
  if (result != SUP_OK || hard.painted || !hard.lock) return result;
  return sup_gltf_put_map(view->source.document, view->source.found,
                          has_flesh ? "not_flesh" : "lock", hard.lock, error);
}

static SupResult put_character(View *view, const char *path, SupError *error) {
  CliContext *cli = view->cli;
  CliModels models;
  const uint8_t *data;
  size_t bytes;
  const bool rebind = cli_flag(cli->arguments, "rebind");
  if (view->has_source) cli_character_close(&view->source);
  view->has_source = false;
  SupResult result = cli_character_open_first(cli, path, &view->source, error);
  if (result != SUP_OK) return result;
  view->has_source = true;
  result = cli_models_open(cli, &view->source, rebind, &models, error);
  if (result == SUP_OK && rebind && models.count) {
    result = cli_models_put(&view->source, &models, error);
  }
  const SupBakedParts baked = sup_baked_parts(view->source.character);
  if (result == SUP_OK) result = put_lock(view, models.count > 0 || baked.first, error);
  if (result == SUP_OK) {
    result = sup_gltf_save_memory(view->source.document, cli->arena, &data, &bytes, error);
  }
  if (result != SUP_OK) return result;
  begin_entry(view, "character", path);
  end_entry(view, data, bytes);
  view->characters++;
  cli_say(cli, "%s: %s vertices, %u clip%s", base_name(path),
          cli_count_text(view->source.character->body.vertex_count).text,
          view->source.character->clip_count, view->source.character->clip_count == 1 ? "" : "s");
  for (uint32_t k = 0; k < models.count; k++) {
    cli_say(cli, "%s%s", k ? " + " : ", ", cli_kind_name(models.models[k]->kind));
  }
  if (baked.first && !models.count) cli_say(cli, ", baked motion");
  cli_say(cli, "\n");
  return SUP_OK;
}

/* ---- Samples -------------------------------------------------------------------------------- */

/* Is `word` in `name`, not inside of another word? */
static bool has_word(const char *name, const char *word) {
  const size_t length = strlen(word);
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for (const char *at = name; length && (at = strstr(at, word)); at++) {
    const bool open = at == name || !strchr(letters, at[-1]);
    if (open && (!at[length] || !strchr(letters, at[length]))) return true;
  }
  return false;
}

/* The clip that samples show: what --clip says (once for all, or one for each), the clip whose name
 * is in the file's, else one that is as long. */
static SupResult find_clip(View *view, const char *path, const SupSamples *samples,
                           const SupClip **out_clip, SupError *error) {
  const SupCharacter *character = view->source.character;
  const uint32_t named = cli_count(view->cli->arguments, "clip");
  if (named) {
    const uint32_t k = view->samples < named ? view->samples : named - 1;
    return cli_character_clip(&view->source, cli_text_at(view->cli->arguments, "clip", k), out_clip,
                              error);
  }
  const SupClip *found = NULL;
  const double length = (double)samples->start + (samples->frame_count - 1) / (double)samples->fps;
  for (uint32_t k = 0; k < character->clip_count; k++) {
    const SupClip *clip = &character->clips[k];
    if (!has_word(base_name(path), clip->name)) continue;
    if (!found || strlen(clip->name) > strlen(found->name)) found = clip;
  }
  for (uint32_t k = 0; k < character->clip_count && !found; k++) {
    const double off = fabs((double)character->clips[k].duration - length);
    if (off < 1 / (double)samples->fps) found = &character->clips[k];
  }
  if (!found) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: which clip does it show? Say so with --clip NAME (%s has %u)", path,
                    base_name(view->source.path), character->clip_count);
  }
  *out_clip = found;
  return SUP_OK;
}

static SupBounds box_of(const SupSamples *samples) {
  SupBounds all = sup_bounds(samples->positions, samples->vertex_count);
  for (uint32_t i = 1; i < samples->frame_count; i++) {
    const SupVec3 *frame = samples->positions + (size_t)i * samples->vertex_count;
    const SupBounds box = sup_bounds(frame, samples->vertex_count);
    all.low = (SupVec3){fminf(all.low.x, box.low.x), fminf(all.low.y, box.low.y),
                        fminf(all.low.z, box.low.z)};
    all.high = (SupVec3){fmaxf(all.high.x, box.high.x), fmaxf(all.high.y, box.high.y),
                         fmaxf(all.high.z, box.high.z)};
  }
  return all;
}

/* The samples in the order of the body, as 16-bit numbers within *out_box. */
static SupResult pack_samples(View *view, const char *path, const SupClip *clip,
                              const SupSamples *samples, SupBounds *out_box, uint16_t **out_packed,
                              SupError *error) {
  CliContext *cli = view->cli;
  const SupCharacter *character = view->source.character;
  const uint32_t count = character->body.vertex_count;
  CliPlayer player;
  SupMatch match;
  SupResult result =
      cli_player_create(cli, character, SUP_ORDER_BODY, CLI_SKINNING_LBS, &player, error);
  if (result != SUP_OK) return result;
  SupVec3 *reference = SUP_ALLOC(cli->arena, SupVec3, count);
  uint16_t *packed = SUP_ALLOC(cli->arena, uint16_t, 3 * (size_t)count * samples->frame_count);
  if (!reference || !packed) return sup_fail_memory(error, NULL);
  cli_player_sample(&player, clip, samples->start, reference);
  const SupMatchDef def = {.reference = reference};
  result = sup_samples_match(cli->arena, character, samples, &def, &match, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", path);
    return result;
  }
  const SupBounds box = box_of(samples);
  const float low[3] = {box.low.x, box.low.y, box.low.z};
  const float high[3] = {box.high.x, box.high.y, box.high.z};
  uint16_t *to = packed;
  for (uint32_t i = 0; i < samples->frame_count; i++) {
    const SupVec3 *frame = samples->positions + (size_t)i * samples->vertex_count;
    for (uint32_t v = 0; v < count; v++) {
      const float *p = &frame[match.source[v]].x;
      for (int k = 0; k < 3; k++) {
        const float size = high[k] - low[k];
        *to++ = (uint16_t)(size > 0 ? (p[k] - low[k]) / size * 65535 + 0.5f : 0);
      }
    }
  }
  *out_box = box;
  *out_packed = packed;
  return SUP_OK;
}

static SupResult put_samples(View *view, const char *path, SupError *error) {
  CliContext *cli = view->cli;
  SupSamples samples;
  SupBounds box = {{0, 0, 0}, {0, 0, 0}};
  uint16_t *packed = NULL;
  const SupClip *clip = NULL;
  if (!view->has_source) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: give the character first: supple view HERO.glb %s -o PAGE.html", path,
                    base_name(path));
  }
  const float fps = cli_count(cli->arguments, "fps") ? (float)cli_number(cli->arguments, "fps") : 0;
  SupResult result = sup_cache_load(cli->arena, path, fps, &samples, error);
  if (result == SUP_OK) result = find_clip(view, path, &samples, &clip, error);
  if (result == SUP_OK) {
    result = pack_samples(view, path, clip, &samples, &box, &packed, error);
  }
  if (result != SUP_OK) return result;
  begin_entry(view, "samples", path);
  put_number(view, "of", view->characters - 1);
  cli_put_text(view->writer, ",\"clip\":");
  cli_put_json_text(view->writer, clip->name);
  put_number(view, "fps", (double)samples.fps);
  put_number(view, "start", (double)samples.start);
  put_number(view, "frames", samples.frame_count);
  put_number(view, "vertices", view->source.character->body.vertex_count);
  const float corners[] = {box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z};
  static const char *const names[] = {"x0", "y0", "z0", "x1", "y1", "z1"};
  for (int k = 0; k < 6; k++) put_number(view, names[k], (double)corners[k]);
  const size_t numbers =
      3 * (size_t)view->source.character->body.vertex_count * samples.frame_count;
  end_entry(view, packed, numbers * sizeof *packed);
  view->samples++;
  cli_say(cli, "%s: %u frames of %s\n", base_name(path), samples.frame_count,
          cli_shown(cli, clip->name));
  return SUP_OK;
}

/* ---- The verb ------------------------------------------------------------------------------- */

static const unsigned char *find_mark(void) {
  const size_t length = strlen(CLI_PAGE_MARK);
  for (size_t k = 0; k + length <= cli_page_bytes; k++) {
    if (memcmp(cli_page + k, CLI_PAGE_MARK, length) == 0) return cli_page + k;
  }
  return cli_page;
}

static SupResult put_all(View *view, SupError *error) {
  const CliArguments *arguments = view->cli->arguments;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < arguments->operand_count && result == SUP_OK; k++) {
    const char *path = arguments->operands[k];
    SupCacheFormat format;
    const bool cache = sup_cache_format(path, &format);
    result = cache ? put_samples(view, path, error) : put_character(view, path, error);
  }
  if (view->has_source) cli_character_close(&view->source);
  return result;
}

static SupResult run(CliContext *cli, SupError *error) {
  const char *path = cli_text(cli->arguments, "output");
  const char *ending = strrchr(path, '.');
  if (!ending || (strcmp(ending, ".html") != 0 && strcmp(ending, ".htm") != 0)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: a page is written as .html; give the output such a name", path);
  }
  for (uint32_t k = 0; k < cli->arguments->operand_count; k++) {
    SupResult found = sup_file_check(cli->arguments->operands[k], error);
    if (found != SUP_OK) return found;
  }
  if (!cli_page_bytes) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "this supple was built without the page: install node, npm, clang and lld "
                    "(scripts/setup.sh build does), then `make`");
  }
  View view = {.cli = cli};
  SupResult result = sup_file_begin(cli->allocator, path, &view.writer, error);
  if (result != SUP_OK) return result;
  const unsigned char *mark = find_mark();
  const size_t before = (size_t)(mark - cli_page);
  sup_file_write(view.writer, cli_page, before);
  result = put_all(&view, error);
  if (result != SUP_OK) {
    sup_file_abandon(view.writer);
    return result;
  }
  sup_file_write(view.writer, mark, cli_page_bytes - before);
  result = sup_file_commit(view.writer, error);
  if (result != SUP_OK) return result;
  cli_report_text(cli->report, "output", path);
  cli_report_integer(cli->report, "characters", view.characters);
  cli_report_integer(cli->report, "samples", view.samples);
  if (view.entries) {
    cli_say(cli, "%s: open it in a browser\n", path);
  } else {
    cli_say(cli, "%s: open it in a browser and drop a .glb on it\n", path);
  }
  return SUP_OK;
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "PAGE.html",
     .help = "write this page",
     .required = true},
    {.name = "clip",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .repeated = true,
     .help = "name the clip that the samples show, once or for each",
     .otherwise = "by name or length"},
    {.name = "fps",
     .kind = CLI_NUMBER,
     .value_name = "RATE",
     .help = "set the frames per second of caches that do not say",
     .advanced = true,
     .low = 1,
     .high = 10000},
    CLI_REBIND_OPTION,
    CLI_DOCUMENT_OPTIONS,
    {0}};

const CliVerb cli_verb_view = {
    .name = "view",
    .summary = "write a page that shows characters live, in any browser, offline",
    .usage = "[FILE.glb [SAMPLES.pc2]...]... -o PAGE.html",
    .details =
        "Writes one page that needs no network. It shows each character before and after: plain\n"
        "skinning beside its models, which run live, beside the motion that `add` baked into it,\n"
        "or beside flesh by a preset. An original and what was made from it are one such pair.\n"
        "Samples to compare with are given after their character. Play, scrub, compare, grab\n"
        "flesh, pull joints, throw balls, change presets. Without a file the page waits for a\n"
        ".glb to be dropped on it.\n",
    .example = "supple view mochi.glb -o mochi.html",
    .options = options,
    .most_operands = 256,
    .run = run,
};
