/* SPDX-License-Identifier: MIT */
/*
 * supple demo [-o DIR]
 *
 * The story in a minute, as a list of steps. A step does one thing (most are another verb on the
 * built-in character), says one line, may write into the folder and adds its figures to the
 * report. The folder appears when all steps are done.
 */
#include <string.h>

#include "bench.h"
#include "page.h"
#include "supple/io/file.h"
#include "verb.h"

/* What steps share. */
typedef struct Demo {
  CliContext *cli;
  const char *folder; /* where files go, with a slash; has another name in the end */
} Demo;

typedef struct DemoStep {
  const char *name;    /* a word, for the table and the report */
  const char *purpose; /* one line */
  const char *verb;    /* a command line with files as %NAME in the folder; or NULL, then: */
  SupResult (*run)(Demo *demo, SupError *error);
} DemoStep;

/* ---- Step: speed ------------------------------------------------------------------------------
 */
typedef struct Fastest {
  double ratio;
  const char *name, *variant;
} Fastest;

/* Exact variants only: the others are there for comparison. */
static void keep_fastest(void *user, const BenchRow *row) {
  Fastest *fastest = user;
  if (row->exact && row->ratio.median > fastest->ratio) {
    *fastest = (Fastest){row->ratio.median, row->name, row->variant};
  }
}

static SupResult measure_speed(Demo *demo, SupError *error) {
  Fastest fastest = {0, "", ""};
  Bench bench = {
      .arena = demo->cli->arena,
      .jobs = demo->cli->jobs,
      .thread_count = demo->cli->thread_count,
      .seed = demo->cli->seed,
      .sample_count = 5,
      .sample_seconds = 5e-4,
      .brief = true,
      .row = keep_fastest,
      .user = &fastest,
  };
  SupResult result = SUP_OK;
  for (const BenchSuite *const *suite = bench_suites; *suite && result == SUP_OK; suite++) {
    result = bench_run_suite(&bench, *suite, error);
  }
  if (result == SUP_OK) {
    cli_say(demo->cli, "     best: %s, %s: %.1f times faster than naive\n", fastest.name,
            fastest.variant, fastest.ratio);
    cli_report_number(demo->cli->report, "best_times_faster", fastest.ratio);
  }
  return result;
}

/* ---- Step: a verb -----------------------------------------------------------------------------
 */

enum { WORDS_MOST = 32 };

/* Runs a command line whose words are set apart by one blank; %NAME is a file in the folder. */
static SupResult run_words(Demo *demo, const char *line, SupError *error) {
  SupArena *arena = demo->cli->arena;
  char *text = sup_arena_string(arena, line, strlen(line));
  char *words[WORDS_MOST];
  int count = 0;
  if (!text) return cli_out_of_memory(error);
  for (char *word = strtok(text, " "); word && count < WORDS_MOST; word = strtok(NULL, " ")) {
    words[count++] = word;
    if (*word != '%') continue;
    size_t size = strlen(demo->folder) + strlen(word) + 1;
    words[count - 1] = SUP_ALLOC(arena, char, size);
    if (!words[count - 1]) return cli_out_of_memory(error);
    sup_format(words[count - 1], size, "%s%s", demo->folder, word + 1);
  }
  return cli_call(demo->cli, demo->folder, words[0], count - 1, words + 1, error);
}

/* ---- Step: the page ---------------------------------------------------------------------------
 */

static SupResult write_page(Demo *demo, SupError *error) {
  if (!cli_page_bytes) {
    cli_say(demo->cli, "     left out: this supple was built without node\n");
    return SUP_OK;
  }
  return run_words(demo, "view %mochi-fat.glb %jump-truth.pc2 --clip jump -o %mochi.html", error);
}

static const DemoStep steps[] = {
    {"make", "a character", "make mochi --vertices 1500 -o %mochi.glb", NULL},
    {"play", "its jump by plain skinning", "play %mochi.glb --clip jump --fps 30 -o %jump.pc2",
     NULL},
    {"build", "flesh for it, by a preset",
     "build surface %mochi.glb --preset fat -o %mochi-fat.glb", NULL},
    {"flesh", "the jump with that flesh",
     "play %mochi-fat.glb --clip jump --fps 30 -o %jump-fat.pc2", NULL},
    {"simulate", "the same jump with elastic flesh",
     "simulate %mochi.glb --clip jump --fps 30 --tets 1200 --young 20000 -o %jump-truth.pc2", NULL},
    {"compare", "what skinning misses",
     "compare %jump.pc2 %jump-truth.pc2 --of %mochi.glb --clip jump", NULL},
    {"view", "a page to look at all of it, and to touch it", NULL, write_page},
    {"bench", "how fast it is here, in brief", NULL, measure_speed},
};

/* ---- The story ------------------------------------------------------------------------------ */

/* Its presence says that the folder is ours to replace. */
#define MARKER "demo.json"

enum { STEP_COUNT = sizeof steps / sizeof *steps };

static SupResult write_marker(Demo *demo, SupError *error) {
  CliReport report;
  char path[4096];
  size_t length = 0;
  if (sup_format(path, sizeof path, "%s" MARKER, demo->folder) >= sizeof path) {
    return sup_fail(error, SUP_ERROR_IO, "%s: the name is too long", demo->folder);
  }
  cli_report_init(&report, demo->cli->allocator);
  cli_report_text(&report, "version", sup_version());
  cli_report_integer(&report, "seed", (int64_t)demo->cli->seed);
  cli_report_nest(&report, "result", demo->cli->report);
  const char *text = cli_report_finish(&report, &length);
  SupResult result = text ? sup_file_save(demo->cli->allocator, path, text, length, error)
                          : sup_fail(error, SUP_ERROR_MEMORY, "%s: out of memory", path);
  cli_report_free(&report);
  return result;
}

static SupResult run_steps(Demo *demo, SupError *error) {
  CliContext *cli = demo->cli;
  for (size_t k = 0; k < STEP_COUNT; k++) {
    const DemoStep *step = &steps[k];
    double began = cli_seconds();
    cli_say(cli, "%zu/%d %s: %s\n", k + 1, (int)STEP_COUNT, step->name, step->purpose);
    if (!cli->quiet) fflush(stdout);
    cli_report_begin_object(cli->report, step->name);
    SupResult result = step->verb ? run_words(demo, step->verb, error) : step->run(demo, error);
    cli_report_end(cli->report);
    if (result != SUP_OK) {
      sup_error_prefix(error, "demo, %s", step->name);
      return result;
    }
    cli_timing(cli, step->name, began);
  }
  return write_marker(demo, error);
}

static SupResult run(CliContext *cli, SupError *error) {
  const char *path = cli_text(cli->arguments, "output");
  SupFolderWriter *writer;
  SupResult result = sup_folder_begin(cli->allocator, path, MARKER, &writer, error);
  if (result != SUP_OK) return result;
  char folder[4096];
  Demo demo = {cli, folder};
  if (sup_format(folder, sizeof folder, "%s/", sup_folder_path(writer)) >= sizeof folder) {
    sup_folder_abandon(writer);
    return sup_fail(error, SUP_ERROR_IO, "%s: the name is too long", path);
  }
  result = run_steps(&demo, error);
  if (result == SUP_OK) {
    result = sup_folder_commit(writer, error);
  } else {
    sup_folder_abandon(writer);
  }
  if (result == SUP_OK) cli_say(cli, "\nwritten to %s\n", path);
  return result;
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FOLDER,
     .value_name = "DIR",
     .help = "folder to write: a new one, or that of an earlier demo",
     .fallback = "supple-demo"},
    {0},
};

const CliVerb cli_verb_demo = {
    .name = "demo",
    .summary = "the whole story in a minute, on a built-in character",
    .usage = "[-o DIR]",
    .details =
        "Runs everything once on what is built in and writes the results into a folder,\n"
        "which appears when all is done.\n",
    .example = "supple demo -o supple-demo",
    .options = options,
    .run = run,
};
