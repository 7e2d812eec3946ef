/* SPDX-License-Identifier: MIT */
/*
 * supple demo [-o DIR]
 *
 * The story in a minute, as a list of steps. A step does one thing, says one line, may write into
 * the folder and adds its figures to the report. The folder appears when all steps are done.
 */
#include <string.h>

#include "bench.h"
#include "supple/io/file.h"
#include "verb.h"

/* What steps share. */
typedef struct Demo {
  CliContext *cli;
  const char *folder; /* where files go; has another name in the end */
} Demo;

typedef struct DemoStep {
  const char *name;    /* a word, for the table and the report */
  const char *purpose; /* one line */
  /* Writes what came out, a few words, into out_outcome. */
  SupResult (*run)(Demo *demo, char out_outcome[96], SupError *error);
} DemoStep;

/* ---- Steps ---------------------------------------------------------------------------------- */

typedef struct Fastest {
  BenchSpread ratio;
  const char *name;
  CliReport *report;
} Fastest;

static void keep_fastest(void *user, const BenchRow *row) {
  Fastest *fastest = user;
  if (row->ratio.median > fastest->ratio.median) {
    fastest->ratio = row->ratio;
    fastest->name = row->name;
  }
}

static SupResult measure_speed(Demo *demo, char out_outcome[96], SupError *error) {
  Fastest fastest = {.name = ""};
  Bench bench = {
      .arena = demo->cli->arena,
      .jobs = demo->cli->jobs,
      .thread_count = demo->cli->thread_count,
      .seed = demo->cli->seed,
      .sample_count = 5,
      .sample_seconds = 5e-4,
      .row = keep_fastest,
      .user = &fastest,
  };
  SupResult result = SUP_OK;
  for (const BenchSuite *const *suite = bench_suites; *suite && result == SUP_OK; suite++) {
    result = bench_run_suite(&bench, *suite, error);
  }
  if (result == SUP_OK) {
    snprintf(out_outcome, 96, "best: %s, %.1f times faster", fastest.name, fastest.ratio.median);
    cli_report_number(demo->cli->report, "best_times_faster", fastest.ratio.median);
  }
  return result;
}

static const DemoStep steps[] = {
    {"bench", "how fast it is here, in brief", measure_speed},
};

/* ---- The story ------------------------------------------------------------------------------ */

/* Its presence says that the folder is ours to replace. */
#define MARKER "demo.json"

enum { STEP_COUNT = sizeof steps / sizeof *steps };

static SupResult write_marker(Demo *demo, SupError *error) {
  CliReport report;
  char path[4096];
  size_t length = 0;
  if (sup_format(path, sizeof path, "%s/" MARKER, demo->folder) >= sizeof path) {
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
  char outcomes[STEP_COUNT][96];
  double seconds[STEP_COUNT];
  for (size_t k = 0; k < STEP_COUNT; k++) {
    double began = cli_seconds();
    cli_say(cli, "%zu/%d %s: %s\n", k + 1, (int)STEP_COUNT, steps[k].name, steps[k].purpose);
    if (!cli->quiet) fflush(stdout);
    outcomes[k][0] = 0;
    SupResult result = steps[k].run(demo, outcomes[k], error);
    if (result != SUP_OK) {
      sup_error_prefix(error, "demo, %s", steps[k].name);
      return result;
    }
    seconds[k] = cli_seconds() - began;
    cli_timing(cli, steps[k].name, began);
  }
  cli_say(cli, "\n%-12s %8s  %s\n", "step", "seconds", "outcome");
  for (size_t k = 0; k < STEP_COUNT; k++) {
    cli_say(cli, "%-12s %8.2f  %s\n", steps[k].name, seconds[k], outcomes[k]);
  }
  return write_marker(demo, error);
}

static SupResult run(CliContext *cli, SupError *error) {
  const char *path = cli_text(cli->arguments, "output");
  SupFolderWriter *writer;
  SupResult result = sup_folder_begin(cli->allocator, path, MARKER, &writer, error);
  if (result != SUP_OK) return result;
  Demo demo = {cli, sup_folder_path(writer)};
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
    .example_runs = true,
    .options = options,
    .run = run,
};
