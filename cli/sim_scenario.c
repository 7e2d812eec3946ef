/* SPDX-License-Identifier: MIT */
/*
 * Whole scenarios. Each part is a command line of its own (cli_call), so that everything in them
 * could have been typed:
 *   make NAME -o OUT.glb
 *   simulate OUT.glb ... --clip ... -o OUT.pc2                 with inertia
 *   simulate OUT.glb ... --clip ... --quasistatic -o OUT-static.pc2
 * under gravity with OUT-gravity and OUT-gravity-static.
 */
#include "sim_scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor.h"
#include "supple/author/metrics.h"
#include "supple/geom/bounds.h"
#include "supple/geom/measure.h"
#include "supple/io/cache.h"
#include "supple/io/scenario.h"

bool cli_is_scenario(const char *path) {
  size_t length = strlen(path);
  return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

typedef struct Stage {
  CliContext *cli;
  CliContext inner; /* with the scenario's seed */
  SupScenario scenario;
  const char *output;    /* the name that all outputs grow from */
  const char *folder;    /* where they go, with a slash, or "" */
  const char *character; /* path */
  uint32_t clip_count;
  const char **clips;
  bool *is_unseen;
} Stage;

/* ---- Words ---------------------------------------------------------------------------------- */

/* A command line being put together, in the arena. */
typedef struct Words {
  SupArena *arena;
  char **list;
  size_t count, most;
} Words;

static void say_word(Words *words, const char *text) {
  if (!words->list || words->count == words->most) {
    words->list = NULL;
    return;
  }
  words->list[words->count++] = sup_arena_string(words->arena, text, strlen(text));
  if (!words->list[words->count - 1]) words->list = NULL;
}

/* --name=text: a text that begins with a dash is a value all the same. */
static void say_option(Words *words, const char *name, const char *text) {
  size_t size = strlen(name) + (text ? strlen(text) : 0) + 4;
  char *word = SUP_ALLOC(words->arena, char, size);
  if (!word) {
    words->list = NULL;
    return;
  }
  sup_format(word, size, text ? "--%s=%s" : "--%s", name, text);
  say_word(words, word);
}

static SupResult call(Stage *stage, const char *verb, const Words *words, SupError *error) {
  if (!words->list) return sup_fail_memory(error, NULL);
  return cli_call(&stage->inner, stage->folder, verb, (int)words->count, words->list, error);
}

/* Options of the user's that the parts get too: those of `simulate` but for the ones that this
 * file gives itself. */
static bool passes_on(const CliContext *cli, const CliValue *value) {
  static const char *const ours[] = {"output", "clip", "gravity", "postures", "quasistatic"};
  if (!value->given) return false;
  for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) {
    if (strcmp(value->option->name, ours[k]) == 0) return false;
  }
  for (const CliOption *o = cli->verb->options; o->name; o++) {
    if (o == value->option) return true;
  }
  return false;
}

/* How the flesh is, for every part. What stands still cannot be pushed. */
static void say_flesh(const Stage *stage, bool still, Words *words) {
  const CliArguments *arguments = stage->cli->arguments;
  for (uint32_t k = 0; k < stage->scenario.option_count; k++) {
    const SupScenarioOption *option = &stage->scenario.options[k];
    if (still && strcmp(option->name, "push") == 0) continue;
    if (cli_count(arguments, option->name) == 0) say_option(words, option->name, option->text);
  }
  for (uint32_t k = 0; k < arguments->value_count; k++) {
    const CliValue *value = &arguments->values[k];
    if (still && strcmp(value->option->name, "push") == 0) continue;
    if (passes_on(stage->cli, value)) say_option(words, value->option->name, value->text);
  }
}

static Words begin_words(Stage *stage) {
  Words words = {.arena = stage->cli->arena, .most = 64};
  words.most += stage->scenario.option_count + stage->cli->arguments->value_count;
  words.most += stage->clip_count;
  words.list = SUP_ALLOC(words.arena, char *, words.most);
  return words;
}

/* ---- Who and what --------------------------------------------------------------------------- */

/* OUT.pc2 with `ending` instead of .pc2. */
static const char *sibling(const Stage *stage, const char *ending) {
  const char *dot = strrchr(stage->output, '.');
  size_t stem = dot ? (size_t)(dot - stage->output) : strlen(stage->output);
  size_t size = stem + strlen(ending) + 1;
  char *path = SUP_ALLOC(stage->cli->arena, char, size);
  if (!path) return NULL;
  memcpy(path, stage->output, stem);
  memcpy(path + stem, ending, strlen(ending) + 1);
  return path;
}

static SupResult make_character(Stage *stage, SupError *error) {
  char count[16];
  Words words = begin_words(stage);
  stage->character = sibling(stage, ".glb");
  if (!stage->character) return sup_fail_memory(error, NULL);
  snprintf(count, sizeof count, "%u", stage->scenario.vertices);
  say_word(&words, stage->scenario.builtin);
  if (stage->scenario.vertices) say_option(&words, "vertices", count);
  say_option(&words, "output", stage->character);
  cli_report_begin_object(stage->cli->report, "make");
  SupResult result = call(stage, "make", &words, error);
  cli_report_end(stage->cli->report);
  return result;
}

static bool can_be_read(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

/* Beside the scenario, or in the folder of test data. */
static SupResult find_character(Stage *stage, const char *path, SupError *error) {
  const char *name = stage->scenario.file, *data = getenv("SUPPLE_TEST_DATA");
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  size_t size = folder + (data ? strlen(data) : 0) + strlen(name) + 2;
  char *found = SUP_ALLOC(stage->cli->arena, char, size);
  if (!found) return sup_fail_memory(error, NULL);
  memcpy(found, path, folder);
  memcpy(found + folder, name, strlen(name) + 1);
  if (!can_be_read(found) && data) sup_format(found, size, "%s/%s", data, name);
  if (!can_be_read(found)) {
    return sup_fail(
        error, SUP_ERROR_IO,
        "%s: %s lies neither beside it nor in $SUPPLE_TEST_DATA; set that to the folder "
        "that has it",
        path, name);
  }
  stage->character = found;
  return SUP_OK;
}

/* The clips of the scenario, or those of them that --clip names. */
static SupResult choose_clips(Stage *stage, SupError *error) {
  const SupScenario *s = &stage->scenario;
  const CliArguments *arguments = stage->cli->arguments;
  uint32_t named = cli_count(arguments, "clip"), all = s->training_count + s->unseen_count;
  stage->clips = SUP_ALLOC(stage->cli->arena, const char *, all);
  stage->is_unseen = SUP_ALLOC(stage->cli->arena, bool, all);
  if (!stage->clips || !stage->is_unseen) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < all; k++) {
    bool unseen = k >= s->training_count;
    const char *name = unseen ? s->unseen[k - s->training_count] : s->training[k];
    bool wanted = named == 0;
    for (uint32_t i = 0; i < named; i++) {
      wanted = wanted || strcmp(name, cli_text_at(arguments, "clip", i)) == 0;
    }
    if (!wanted) continue;
    stage->is_unseen[stage->clip_count] = unseen;
    stage->clips[stage->clip_count++] = name;
  }
  if (named && stage->clip_count != named) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--clip chooses among the clips of the scenario, and one of these is none");
  }
  return SUP_OK;
}

/* ---- Measuring ------------------------------------------------------------------------------ */

/* The secondary motion of one clip: what inertia adds to the equilibrium of every frame. */
typedef struct Secondary {
  double frequency; /* Hz: the strongest vibration */
  double amplitude; /* share of the height: the greatest distance from equilibrium, of the
                       vertex that only a twentieth of the skin exceeds */
  double worst;     /* share of the height: of any vertex */
  double rms;       /* share of the height: over all vertices and frames */
} Secondary;

typedef struct Peak {
  double distance, area;
} Peak;

static int compare_peaks(const void *left, const void *right) {
  const Peak *a = left, *b = right;
  return a->distance < b->distance ? 1 : a->distance > b->distance ? -1 : 0;
}

static SupResult measure_motion(CliContext *cli, const SupCharacter *character, double height,
                                const SupSamples *moving, const SupSamples *still, Secondary *out,
                                SupError *error) {
  uint32_t count = character->body.vertex_count;
  double *areas = SUP_ALLOC(cli->arena, double, count);
  float *weights = SUP_ALLOC(cli->arena, float, count);
  Peak *peaks = SUP_ALLOC(cli->arena, Peak, count);
  if (!areas || !weights || !peaks) return sup_fail_memory(error, NULL);
  sup_vertex_areas(&character->body, SUP_AREA_BARYCENTRIC, areas);
  double total = 0, above = 0;
  for (uint32_t v = 0; v < count; v++) {
    weights[v] = (float)areas[v];
    peaks[v].area = areas[v];
    total += areas[v];
    for (size_t i = 0; i < moving->frame_count; i++) {
      double distance = (double)sup_vec3_distance(moving->positions[i * count + v],
                                                  still->positions[i * count + v]);
      peaks[v].distance = fmax(peaks[v].distance, distance);
    }
  }
  SupCompareDef def = {.frame_count = moving->frame_count,
                       .vertex_count = count,
                       .fps = moving->fps,
                       .height = (float)height,
                       .a = still->positions,
                       .b = moving->positions,
                       .skinning = still->positions,
                       .vertex_weights = weights,
                       .jobs = cli->jobs};
  SupCompareReport report;
  SupResult result = sup_compare(cli->arena, &def, &report, NULL, NULL, error);
  if (result != SUP_OK) return result;
  qsort(peaks, count, sizeof *peaks, compare_peaks);
  uint32_t k = 0;
  while (k + 1 < count && above + peaks[k].area < 0.05 * total) above += peaks[k++].area;
  *out = (Secondary){.frequency = (double)report.vibration.frequency,
                     .amplitude = peaks[k].distance / height,
                     .worst = peaks[0].distance / height,
                     .rms = (double)report.rms / height};
  return SUP_OK;
}

static SupResult to_body(CliContext *cli, const SupCharacter *character, SupSamples *samples,
                         SupError *error) {
  if (samples->order == SUP_ORDER_BODY) return SUP_OK;
  uint32_t count = character->body.vertex_count;
  uint32_t *first = SUP_ALLOC(cli->arena, uint32_t, count);
  SupVec3 *body = SUP_ALLOC(cli->arena, SupVec3, (size_t)samples->frame_count * count);
  if (!first || !body) return sup_fail_memory(error, NULL);
  sup_render_first(&character->render, count, first);
  for (size_t i = 0; i < samples->frame_count; i++) {
    sup_positions_gather(samples->positions + i * samples->vertex_count, first, count,
                         body + i * count);
  }
  samples->positions = body;
  samples->vertex_count = count;
  return SUP_OK;
}

static SupResult measure_clip(Stage *stage, const SupCharacter *character, double height,
                              const char *base, const char *still_base, uint32_t k, Secondary *out,
                              SupError *error) {
  SupArena scratch;
  CliContext inner = *stage->cli;
  sup_arena_init(&scratch, stage->cli->allocator, 0);
  inner.arena = &scratch;
  const char *path = cli_clip_path(stage->cli, base, stage->clips[k]);
  const char *still_path = cli_clip_path(stage->cli, still_base, stage->clips[k]);
  SupSamples moving, still;
  SupResult result = path && still_path ? SUP_OK : sup_fail_memory(error, NULL);
  if (result == SUP_OK) result = sup_cache_load(&scratch, path, 0, &moving, error);
  if (result == SUP_OK) result = sup_cache_load(&scratch, still_path, 0, &still, error);
  if (result == SUP_OK) result = to_body(&inner, character, &moving, error);
  if (result == SUP_OK) result = to_body(&inner, character, &still, error);
  if (result == SUP_OK) {
    result = measure_motion(&inner, character, height, &moving, &still, out, error);
  }
  sup_arena_free(&scratch);
  return result;
}

static void report_secondary(const Stage *stage, uint32_t k, const Secondary *s) {
  CliReport *report = stage->cli->report;
  cli_say(stage->cli, "%s (%s): %.1f Hz, %.2f %% of the height (at most %.2f %%)\n",
          stage->clips[k], stage->is_unseen[k] ? "unseen" : "training", s->frequency,
          100 * s->amplitude, 100 * s->worst);
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "clip", stage->clips[k]);
  cli_report_text(report, "use", stage->is_unseen[k] ? "unseen" : "training");
  cli_report_number(report, "frequency", s->frequency);
  cli_report_number(report, "amplitude_percent", 100 * s->amplitude);
  cli_report_number(report, "worst_percent", 100 * s->worst);
  cli_report_number(report, "rms_percent", 100 * s->rms);
  cli_report_end(report);
}

/* Every clip, and the scenario as a whole: amplitudes' mean, frequencies weighted by them. */
static SupResult measure(Stage *stage, const char *base, const char *still_base, SupError *error) {
  CliActor actor;
  const SupVec3 *rest;
  SupResult result = cli_actor_open(stage->cli, stage->character, &actor, error);
  if (result != SUP_OK) return result;
  result = cli_rest_positions(stage->cli, actor.character, SUP_ORDER_BODY, &rest, error);
  double height = 1, frequency = 0, amplitude = 0;
  if (result == SUP_OK) {
    SupBounds box = sup_bounds(rest, actor.character->body.vertex_count);
    height = (double)box.high.y - (double)box.low.y;
  }
  cli_report_begin_array(stage->cli->report, "secondary");
  for (uint32_t k = 0; k < stage->clip_count && result == SUP_OK; k++) {
    Secondary s = {0};
    result = measure_clip(stage, actor.character, height, base, still_base, k, &s, error);
    if (result != SUP_OK) break;
    report_secondary(stage, k, &s);
    frequency += s.amplitude * s.frequency;
    amplitude += s.amplitude;
  }
  cli_report_end(stage->cli->report);
  cli_actor_close(&actor);
  if (result != SUP_OK) return result;
  double mean = amplitude / stage->clip_count, hertz = amplitude > 0 ? frequency / amplitude : 0;
  cli_say(stage->cli, "all clips: %.1f Hz, %.2f %% of the height\n", hertz, 100 * mean);
  cli_report_number(stage->cli->report, "frequency", hertz);
  cli_report_number(stage->cli->report, "amplitude_percent", 100 * mean);
  return SUP_OK;
}

/* ---- Doing it ------------------------------------------------------------------------------- */

/* All clips into BASE-CLIP.pc2. */
static SupResult simulate_clips(Stage *stage, const char *base, const char *gravity, bool still,
                                SupError *error) {
  Words words = begin_words(stage);
  say_word(&words, stage->character);
  say_flesh(stage, still, &words);
  say_option(&words, "gravity", gravity);
  for (uint32_t k = 0; k < stage->clip_count; k++) say_option(&words, "clip", stage->clips[k]);
  if (still) say_option(&words, "quasistatic", NULL);
  const char *path = base;
  if (stage->clip_count == 1) path = cli_clip_path(stage->cli, base, stage->clips[0]);
  if (!path) return sup_fail_memory(error, NULL);
  say_option(&words, "output", path);
  cli_report_begin_object(stage->cli->report, still ? "static" : "moving");
  SupResult result = call(stage, "simulate", &words, error);
  cli_report_end(stage->cli->report);
  return result;
}

static SupResult simulate_postures(Stage *stage, const char *path, const char *gravity,
                                   SupError *error) {
  char count[16];
  Words words = begin_words(stage);
  snprintf(count, sizeof count, "%u", stage->scenario.postures);
  say_word(&words, stage->character);
  say_flesh(stage, true, &words);
  say_option(&words, "gravity", gravity);
  say_option(&words, "postures", count);
  say_option(&words, "output", path);
  cli_report_begin_object(stage->cli->report, "postures");
  SupResult result = call(stage, "simulate", &words, error);
  cli_report_end(stage->cli->report);
  return result;
}

static SupResult run_gravity(Stage *stage, double gravity, SupError *error) {
  bool heavy = gravity != 0;
  char text[40];
  snprintf(text, sizeof text, "%.17g", gravity);
  const char *base = sibling(stage, heavy ? "-gravity.pc2" : ".pc2");
  const char *still = sibling(stage, heavy ? "-gravity-static.pc2" : "-static.pc2");
  const char *postures = sibling(stage, heavy ? "-gravity-postures.pc2" : "-postures.pc2");
  if (!base || !still || !postures) return sup_fail_memory(error, NULL);
  cli_say(stage->cli, heavy ? "under gravity:\n" : "without gravity:\n");
  cli_report_begin_object(stage->cli->report, NULL);
  cli_report_number(stage->cli->report, "gravity", gravity);
  SupResult result = simulate_clips(stage, base, text, false, error);
  if (result == SUP_OK) result = simulate_clips(stage, still, text, true, error);
  if (result == SUP_OK && stage->scenario.postures &&
      cli_count(stage->cli->arguments, "clip") == 0) {
    result = simulate_postures(stage, postures, text, error);
  }
  if (result == SUP_OK) result = measure(stage, base, still, error);
  cli_report_end(stage->cli->report);
  return result;
}

/* --gravity on the command line takes one of them only. */
static SupResult run_all(Stage *stage, SupError *error) {
  const CliArguments *arguments = stage->cli->arguments;
  if (cli_count(arguments, "gravity")) {
    return run_gravity(stage, cli_number(arguments, "gravity"), error);
  }
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < stage->scenario.gravity_count && result == SUP_OK; k++) {
    result = run_gravity(stage, stage->scenario.gravity[k], error);
  }
  return result;
}

SupResult cli_run_scenario(CliContext *cli, const char *path, SupError *error) {
  Stage stage = {.cli = cli, .inner = *cli, .output = cli_text(cli->arguments, "output")};
  SupCacheFormat format;
  SupResult result = cli_cache_format(stage.output, &format, error);
  if (result == SUP_OK) result = sup_scenario_read(cli->arena, path, &stage.scenario, error);
  if (result == SUP_OK) result = choose_clips(&stage, error);
  if (result != SUP_OK) return result;
  if (cli_count(cli->arguments, "seed") == 0) stage.inner.seed = stage.scenario.seed;
  const char *slash = strrchr(stage.output, '/');
  stage.folder =
      sup_arena_string(cli->arena, stage.output, slash ? (size_t)(slash - stage.output) + 1 : 0);
  if (!stage.folder) return sup_fail_memory(error, NULL);
  cli_say(cli, "%s%s%s\n", stage.scenario.name, *stage.scenario.about ? ": " : "",
          stage.scenario.about);
  cli_report_text(cli->report, "scenario", stage.scenario.name);
  cli_report_integer(cli->report, "scenario_seed", (int64_t)stage.inner.seed);
  result =
      stage.scenario.builtin ? make_character(&stage, error) : find_character(&stage, path, error);
  if (result != SUP_OK) return result;
  cli_report_begin_array(cli->report, "runs");
  result = run_all(&stage, error);
  cli_report_end(cli->report);
  return result;
}
