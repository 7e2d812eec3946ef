/* SPDX-License-Identifier: MIT */
/*
 * supple demo [-o DIR]
 *
 * The story in a minute, as a list of steps. A step does one thing (most are another verb on the
 * built-in character), says one line, may write into the folder and adds its figures to the
 * report. The folder appears when all steps are done.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "page.h"
#include "supple/io/file.h"
#include "verbs/verb.h"

/* What steps share. */
typedef struct Demo {
  CliContext *cli;
  const char *folder; /* where files go, with a slash; has another name in the end */
  bool brief;         /* without learning and adding */
  double errors[3];   /* of the rows of the table, 1 is plain skinning; 0 where left out */
} Demo;

typedef struct DemoStep {
  const char *name;    /* a word, for the table and the report */
  const char *purpose; /* one line */
  const char *verb;    /* a command line with files as %NAME in the folder; or NULL, then: */
  SupResult (*run)(Demo *demo, SupError *error);
  bool slow; /* left out with --brief */
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
  if (!text) return sup_fail_memory(error, NULL);
  for (char *word = strtok(text, " "); word && count < WORDS_MOST; word = strtok(NULL, " ")) {
    words[count++] = word;
    if (*word != '%') continue;
    size_t size = strlen(demo->folder) + strlen(word) + 1;
    words[count - 1] = SUP_ALLOC(arena, char, size);
    if (!words[count - 1]) return sup_fail_memory(error, NULL);
    sup_format(words[count - 1], size, "%s%s", demo->folder, word + 1);
  }
  return cli_call(demo->cli, demo->folder, words[0], count - 1, words + 1, error);
}

/* ---- Step: comparing --------------------------------------------------------------------------
 */

/* What the table shows: each a file that plays the jump. Presets are a matter of taste and imitate
 * no simulation, so they are not measured against one. */
static const struct {
  const char *name, *model, *cache;
  bool learned;
} rows[] = {
    {"plain skinning", "mochi", "jump", false},
    {"learned, never from a jump", "mochi-learned", "jump-learned", true},
    {"the same in 12 helper joints", "mochi-baked", "jump-baked", true},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static SupResult play_all(Demo *demo, SupError *error) {
  SupResult result = SUP_OK;
  if (!demo->brief) {
    result = run_words(
        demo,
        "play %mochi-learned.glb --clip jump --as helpers --bones 12 -o %mochi-baked.glb --quiet",
        error);
  }
  for (int k = 0; k < ROW_COUNT && result == SUP_OK; k++) {
    char line[200];
    if (rows[k].learned && demo->brief) continue;
    sup_format(line, sizeof line, "play %%%s.glb --clip jump -o %%%s.pc2 --quiet", rows[k].model,
               rows[k].cache);
    result = run_words(demo, line, error);
  }
  return result;
}

/* The number behind "relative_error" in what `compare` reported. */
static double error_in(CliReport *report) {
  size_t length = 0;
  const char *text = cli_report_finish(report, &length);
  const char *found = text ? strstr(text, "\"relative_error\":") : NULL;
  return found ? strtod(found + strlen("\"relative_error\":"), NULL) : 0;
}

static SupResult compare_all(Demo *demo, SupError *error) {
  CliContext *cli = demo->cli;
  CliReport *whole = cli->report;
  SupResult result = SUP_OK;
  for (int k = 0; k < ROW_COUNT && result == SUP_OK; k++) {
    char line[200];
    CliReport report;
    if (rows[k].learned && demo->brief) continue;
    sup_format(line, sizeof line, "compare %%%s.pc2 %%jump-truth.pc2 --of %%mochi.glb --clip jump",
               rows[k].cache);
    cli_report_init(&report, cli->allocator);
    cli->report = &report;
    const bool quiet = cli->quiet;
    cli->quiet = true;
    result = run_words(demo, line, error);
    cli->quiet = quiet;
    cli->report = whole;
    demo->errors[k] = error_in(&report);
    cli_report_free(&report);
    cli_report_number(whole, rows[k].cache, demo->errors[k]);
  }
  return result;
}

/* ---- Step: the page ---------------------------------------------------------------------------
 */

static SupResult write_page(Demo *demo, SupError *error) {
  if (!cli_page_bytes) {
    cli_say(demo->cli, "     left out: this supple was built without node\n");
    return SUP_OK;
  }
  return run_words(demo,
                   demo->brief
                       ? "view %mochi-fat.glb %jump-truth.pc2 --clip jump -o %mochi.html"
                       : "view %mochi-learned.glb %jump-truth.pc2 --clip jump -o %mochi.html",
                   error);
}

static const DemoStep steps[] = {
    {"make", "make a character", "make mochi --vertices 1500 -o %mochi.glb", NULL, false},
    {"add", "make it alive for every engine, in one command",
     "add %mochi.glb --preset fat --clip jump --clip walk -o %mochi-alive.glb", NULL, true},
    {"draw", "draw its jump, before and after",
     "play %mochi-alive.glb --before %mochi.glb --clip jump --size 240 -o %jump.png", NULL, true},
    {"build", "give it live flesh, for your own program",
     "build surface %mochi.glb --preset fat -o %mochi-fat.glb", NULL, false},
    {"simulate", "simulate the same jump of an elastic body: the ground truth",
     "simulate %mochi.glb --clip jump --tets 600 -o %jump-truth.pc2", NULL, false},
    {"learn", "learn such flesh from simulated poses, never from a jump",
     "learn %mochi.glb --tets 600 --poses 12 --no-surface -o %mochi-learned.glb", NULL, true},
    {"play", "play the jump with what was learned", NULL, play_all, false},
    {"compare", "measure how near it is to the ground truth", NULL, compare_all, false},
    {"view", "write a page to look at all of it, and to touch it", NULL, write_page, false},
    {"bench", "measure the speed of this machine, in brief", NULL, measure_speed, false},
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
                          : sup_fail_memory(error, path);
  cli_report_free(&report);
  return result;
}

static int count_steps(const Demo *demo) {
  int count = 0;
  for (size_t k = 0; k < STEP_COUNT; k++) count += !(steps[k].slow && demo->brief);
  return count;
}

static SupResult run_steps(Demo *demo, SupError *error) {
  CliContext *cli = demo->cli;
  int number = 0;
  for (size_t k = 0; k < STEP_COUNT; k++) {
    const DemoStep *step = &steps[k];
    if (step->slow && demo->brief) continue;
    double began = cli_seconds();
    cli_say(cli, "%d/%d %s: %s\n", ++number, count_steps(demo), step->name, step->purpose);
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

static void show_table(const Demo *demo) {
  const CliContext *cli = demo->cli;
  cli_say(cli,
          "\nhow far the jump is from its simulation (1: as far as plain skinning, 0: there):\n");
  for (int k = 0; k < ROW_COUNT; k++) {
    if (demo->errors[k] > 0) cli_say(cli, "  %-28s %.2f\n", rows[k].name, demo->errors[k]);
  }
}

static void say_next(const Demo *demo, const char *path) {
  const CliContext *cli = demo->cli;
  const char *page = cli_page_bytes ? "mochi.html" : NULL, *strip = demo->brief ? NULL : "jump.png";
  cli_say(cli, "\n");
  if (page) cli_say(cli, "open %s/%s in a browser%s", path, page, strip ? ", and " : "\n");
  if (strip) cli_say(cli, "look at %s/%s: before and after\n", path, strip);
  if (!page && !strip) cli_say(cli, "written to %s\n", path);
  cli_say(cli,
          "try next: supple make cat -o cat.glb\n"
          "          supple add cat.glb --preset fat -o cat_alive.glb\n"
          "and then `supple add` on a .glb of your own\n");
}

static SupResult run(CliContext *cli, SupError *error) {
  const char *path = cli_text(cli->arguments, "output");
  SupFolderWriter *writer;
  SupResult result = sup_folder_begin(cli->allocator, path, MARKER, &writer, error);
  if (result != SUP_OK) return result;
  char folder[4096];
  Demo demo = {.cli = cli, .folder = folder, .brief = cli_flag(cli->arguments, "brief")};
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
  if (result != SUP_OK) return result;
  if (!demo.brief) show_table(&demo);
  say_next(&demo, path);
  return SUP_OK;
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FOLDER,
     .value_name = "DIR",
     .help = "write into this folder: a new one, or that of an earlier demo",
     .fallback = "supple-demo"},
    {.name = "brief", .kind = CLI_FLAG, .help = "leave out `add` and `learn`, which take longest"},
    {0},
};

const CliVerb cli_verb_demo = {
    .name = "demo",
    .summary = "run the whole tour in a minute, on a built-in character",
    .usage = "[-o DIR] [--brief]",
    .details =
        "Makes a built-in character, adds secondary motion, draws it, simulates the same motion,\n"
        "learns from simulated poses, compares and shows it. Writes the results into a folder,\n"
        "which appears when everything is done.\n",
    .example = "supple demo -o supple-demo",
    .options = options,
    .run = run,
};
