/* SPDX-License-Identifier: MIT */
/*
 * Parts of the runner that verbs do not see: the memory limit, the outputs of a command line, the
 * progress bar.
 */
#ifndef SUPPLE_CLI_RUNNER_H
#define SUPPLE_CLI_RUNNER_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "runner/options.h"
#include "runner/report.h"
#include "verbs/verb.h"

/* ---- Memory --------------------------------------------------------------------------------- */

/* The heap with a count and a limit. Thread-safe. */
typedef struct CliMemory {
  SupAllocator heap;
  size_t limit; /* bytes, 0 for none */
  _Atomic size_t used, peak;
} CliMemory;

/* The allocator over it; `memory` must stay where it is. */
SupAllocator cli_memory_allocator(CliMemory *memory, size_t limit);

/* ---- Files on the command line -------------------------------------------------------------- */

/* Refuses before any work what could only fail after it: an output that is an input or another
 * output, that lies in a folder which is not there or not writable, or that is a folder. */
SupResult cli_outputs_check(const CliVerb *verb, const CliArguments *arguments, SupError *error);

/* Writes path, size and XXH64 of every input file into report[key]. A file that cannot be read is
 * left to the verb to complain about. */
void cli_inputs_report(CliReport *report, const char *key, const CliVerb *verb,
                       const CliArguments *arguments);

enum { CLI_WATCHED = 3 };

/* While it watches, SIGINT, SIGTERM and SIGHUP remove the temporary files of all outputs before
 * the process ends by that signal, whichever thread receives it and whatever it is doing. One at a
 * time. */
typedef struct CliWatch {
  const CliArguments *arguments;
  struct sigaction old[CLI_WATCHED];
  pthread_t thread;
  bool runs;
} CliWatch;

void cli_watch_begin(CliWatch *watch, const CliArguments *arguments);
void cli_watch_end(CliWatch *watch);

/* ---- Timings -------------------------------------------------------------------------------- */

/* Seconds by phase, in the order they came first. */
typedef struct CliTimings {
  uint32_t count;
  struct {
    const char *name;
    double seconds;
  } phases[32];
} CliTimings;

/* ---- Progress ------------------------------------------------------------------------------- */

typedef struct CliProgress {
  bool enabled; /* stderr is a terminal, and not --quiet */
  bool shown;
  bool mid_line; /* the last thing said did not end its line */
  const char *label;
  double began, drawn; /* cli_seconds */
  /* A thread that draws while the verb cannot; `lock` guards `busy`. */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t stop;
  bool busy, threaded;
} CliProgress;

void cli_progress_init(CliProgress *progress, bool quiet);

void cli_progress_free(CliProgress *progress);

/* Takes the bar off the screen. */
void cli_progress_erase(CliProgress *progress);

#endif
