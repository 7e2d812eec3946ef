/* SPDX-License-Identifier: MIT */
/* Runs one verb: arguments, memory, threads, signals around it, the report behind it. */
#include "runner/runner.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runner/text.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

/* Takes every occurrence of `hidden` out of the text. */
static void take_out(char *text, const char *hidden) {
  size_t length = strlen(hidden);
  for (char *at = strstr(text, hidden); length && at; at = strstr(at, hidden)) {
    memmove(at, at + length, strlen(at + length) + 1);
  }
}

void cli_one_line(char *text) { cli_clean(text, false); }

const char *cli_shown(const CliContext *cli, const char *name) {
  char *copy = sup_arena_string(cli->arena, name, strlen(name));
  if (!copy) return "(no memory for its name)";
  cli_one_line(copy);
  return copy;
}

static size_t line_ends(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += *text == '\n';
  return count;
}

/* Whatever a verb says may contain text from a file: cleaned here, where all of it passes. A line
 * end that is not the format's own came with a name; then only the first and the last character
 * may be one. */
static void clean_said(char *text, const char *format) {
  const size_t length = strlen(text), end = strlen(format);
  const bool leads = length > 1 && format[0] == '\n', ends = end && format[end - 1] == '\n';
  const bool forged = line_ends(text) > line_ends(format);
  if (!forged) {
    cli_clean(text, true);
    return;
  }
  if (ends) text[length - 1] = 0;
  cli_clean(text + leads, false);
  if (ends) memcpy(text + strlen(text), "\n", 2);
}

static void say(const CliContext *cli, const char *hidden, const char *format, va_list arguments) {
  if (cli->quiet) return;
  cli_progress_erase(cli->progress);
  char text[2048];
  const size_t last = strlen(format);
  const char *end = last && format[last - 1] == '\n' ? "...\n" : "...";
  if (vsnprintf(text, sizeof text, format, arguments) >= (int)sizeof text) {
    text[sizeof text - 1 - strlen(end)] = 0;
    cli_trim_utf8(text);
    memcpy(text + strlen(text), end, strlen(end) + 1);
  }
  clean_said(text, format);
  if (hidden) take_out(text, hidden);
  if (hidden && !cli->progress->mid_line) fputs("     ", stdout);
  fputs(text, stdout);
  size_t length = strlen(text);
  cli->progress->mid_line = length && text[length - 1] != '\n';
}

void cli_say(const CliContext *cli, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(cli, cli->hidden, format, arguments);
  va_end(arguments);
}

void cli_detail(const CliContext *cli, const char *format, ...) {
  va_list arguments;
  if (!cli->verbose) return;
  va_start(arguments, format);
  say(cli, cli->hidden, format, arguments);
  va_end(arguments);
}

void cli_say_at(const CliContext *cli, uint32_t depth, const char *format, ...) {
  const char *hidden = cli->hidden;
  if (!hidden && depth) hidden = cli->folder ? cli->folder : "";
  va_list arguments;
  va_start(arguments, format);
  say(cli, hidden, format, arguments);
  va_end(arguments);
}

void cli_timing(const CliContext *cli, const char *name, double began) {
  CliTimings *timings = cli->timings;
  if (!timings) return;
  uint32_t k = 0, most = sizeof timings->phases / sizeof *timings->phases;
  while (k < timings->count && strcmp(timings->phases[k].name, name) != 0) k++;
  if (k == most) return;
  if (k == timings->count) timings->phases[timings->count++].name = name;
  timings->phases[k].seconds += cli_seconds() - began;
}

/* One line on stderr, whatever the sentence contains. */
static void complain(const SupError *error) {
  SupError copy = *error;
  cli_trim_utf8(copy.text);
  cli_one_line(copy.text);
  fprintf(stderr, "supple: %s\n", copy.text);
}

static int exit_status(SupResult result) {
  return result == SUP_OK ? 0 : result == SUP_ERROR_ARGUMENT ? 2 : 1;
}

/* What a run owns beside the arguments. */
typedef struct Run {
  CliContext context;
  CliMemory memory;
  SupArena arena;
  SupPool *pool;
  SupJobs jobs;
  CliReport result;
  CliTimings timings;
  CliProgress progress;
  double began, cpu_began;
} Run;

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static SupResult run_begin(Run *run, const CliVerb *verb, const CliArguments *arguments,
                           SupError *error) {
  size_t limit = (size_t)cli_integer(arguments, "max-memory");
  const char *json = cli_text(arguments, "json");
  *run = (Run){.began = cli_seconds(), .cpu_began = processor_seconds()};
  SupAllocator allocator = cli_memory_allocator(&run->memory, limit);
  sup_arena_init(&run->arena, allocator, limit);
  cli_report_init(&run->result, sup_heap_allocator());
  bool quiet = cli_flag(arguments, "quiet") || (json && strcmp(json, "-") == 0);
  cli_progress_init(&run->progress, quiet);
  run->pool = sup_pool_create(sup_heap_allocator(), (uint32_t)cli_integer(arguments, "threads"));
  if (!run->pool) {
    return sup_fail(error, SUP_ERROR_MEMORY,
                    "the threads could not be started; give a smaller --threads");
  }
  run->jobs = sup_pool_jobs(run->pool);
  run->context = (CliContext){
      .verb = verb,
      .arguments = arguments,
      .allocator = allocator,
      .arena = &run->arena,
      .jobs = &run->jobs,
      .thread_count = sup_pool_thread_count(run->pool),
      .seed = (uint64_t)cli_integer(arguments, "seed"),
      .quiet = quiet,
      .verbose = cli_flag(arguments, "verbose"),
      .report = &run->result,
      .timings = &run->timings,
      .progress = &run->progress,
  };
  return SUP_OK;
}

static void run_end(Run *run) {
  cli_progress_free(&run->progress);
  sup_pool_destroy(run->pool);
  sup_arena_free(&run->arena);
  cli_report_free(&run->result);
}

/* The file of --json. */
static SupResult write_report(const Run *run, int word_count, char *const *words, const char *path,
                              SupResult result, const SupError *failure, SupError *error) {
  const CliContext *cli = &run->context;
  CliReport report;
  cli_report_init(&report, sup_heap_allocator());
  cli_report_text(&report, "tool", "supple");
  cli_report_text(&report, "version", sup_version());
  cli_report_text(&report, "verb", cli->verb->name);
  cli_report_begin_array(&report, "arguments");
  for (int k = 0; k < word_count; k++) cli_report_text(&report, NULL, words[k]);
  cli_report_end(&report);
  cli_report_integer(&report, "seed", (int64_t)cli->seed);
  cli_report_integer(&report, "threads", cli->thread_count);
  cli_inputs_report(&report, "inputs", cli->verb, cli->arguments);
  cli_report_bool(&report, "done", result == SUP_OK);
  cli_report_text(&report, "error", result == SUP_OK ? NULL : failure->text);
  cli_report_nest(&report, "result", &run->result);
  cli_report_begin_object(&report, "timings");
  for (uint32_t k = 0; k < run->timings.count; k++) {
    cli_report_number(&report, run->timings.phases[k].name, run->timings.phases[k].seconds);
  }
  cli_report_end(&report);
  cli_report_number(&report, "wall_seconds", cli_seconds() - run->began);
  cli_report_number(&report, "cpu_seconds", processor_seconds() - run->cpu_began);
  cli_report_integer(&report, "peak_bytes", (int64_t)atomic_load(&run->memory.peak));
  size_t length = 0;
  const char *text = cli_report_finish(&report, &length);
  SupResult written = SUP_OK;
  if (!text) {
    written = sup_fail(error, SUP_ERROR_MEMORY, "%s: the report does not fit into memory", path);
  } else if (strcmp(path, "-") == 0) {
    fwrite(text, 1, length, stdout); /* a failure shows in the flush at the end */
  } else {
    written = sup_file_save(sup_heap_allocator(), path, text, length, error);
  }
  cli_report_free(&report);
  return written;
}

/* A full disk behind stdout is a failure; a reader that has seen enough (head) is not. */
static SupResult flush_stdout(SupError *error) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return SUP_OK;
  if (errno == EPIPE) return SUP_OK;
  return sup_fail(error, SUP_ERROR_IO, "the standard output cannot be written: %s",
                  strerror(errno));
}

static SupResult run_verb(const CliVerb *verb, const CliVerb *kind, const CliArguments *arguments,
                          int word_count, char *const *words, SupError *error) {
  Run run;
  SupResult result = run_begin(&run, verb, arguments, error);
  if (result == SUP_OK) {
    result = (kind ? kind : verb)->run(&run.context, error);
    cli_progress_erase(&run.progress);
    if (result == SUP_ERROR_MEMORY && run.memory.limit) {
      size_t length = strlen(error->text);
      sup_format(error->text + length, sizeof error->text - length,
                 "; --max-memory allows %zu bytes, give more", run.memory.limit);
    }
    const char *json = cli_text(arguments, "json");
    if (json && result != SUP_ERROR_ARGUMENT) {
      SupError report_error;
      SupResult written = write_report(&run, word_count, words, json, result, error, &report_error);
      if (result == SUP_OK && written != SUP_OK) {
        result = written;
        *error = report_error;
      }
    }
  }
  run_end(&run);
  return result;
}

SupResult cli_call(CliContext *cli, const char *folder, const char *verb, int word_count,
                   char *const *words, SupError *error) {
  CliArguments arguments;
  CliContext inner = *cli;
  inner.verb = cli_verb_find(verb);
  inner.arguments = &arguments;
  inner.hidden = folder;
  inner.timings = NULL;
  if (!inner.verb) return cli_unknown_verb(verb, error);
  const CliVerb *kind;
  SupResult result =
      cli_verb_parse(cli->arena, inner.verb, word_count, words, &kind, &arguments, error);
  return result == SUP_OK ? (kind ? kind : inner.verb)->run(&inner, error) : result;
}

static bool asks_for_help(int word_count, char *const *words) {
  for (int k = 0; k < word_count && strcmp(words[k], "--") != 0; k++) {
    if (strcmp(words[k], "--help") == 0 || strcmp(words[k], "-h") == 0) return true;
  }
  return false;
}

/* The page that --help asks for. */
static int show_help(const CliVerb *verb, int word_count, char *const *words) {
  SupError error = {""};
  const CliVerb *kind;
  SupResult result = cli_kind_choose(verb, word_count, words, &kind, &error);
  if (result == SUP_OK) {
    cli_print_help(stdout, verb, kind);
    result = flush_stdout(&error);
  }
  if (result != SUP_OK) complain(&error);
  return exit_status(result);
}

int cli_run(const CliVerb *verb, int word_count, char *const *words) {
  SupError error = {""};
  SupArena arena;
  CliArguments arguments;
  CliWatch watch;
  const CliVerb *kind;
  signal(SIGPIPE, SIG_IGN); /* a closed pipe must not leave half an output behind */
  if (asks_for_help(word_count, words)) return show_help(verb, word_count, words);
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupResult result = cli_verb_parse(&arena, verb, word_count, words, &kind, &arguments, &error);
  if (result == SUP_OK) {
    cli_watch_begin(&watch, &arguments);
    result = cli_outputs_check(verb, &arguments, &error);
    if (result == SUP_OK) result = run_verb(verb, kind, &arguments, word_count, words, &error);
    cli_watch_end(&watch);
  }
  if (result == SUP_OK) result = flush_stdout(&error);
  if (result != SUP_OK) complain(&error);
  sup_arena_free(&arena);
  return exit_status(result);
}
