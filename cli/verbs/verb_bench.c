/* SPDX-License-Identifier: MIT */
/* supple bench [SUITE...] */
#include <inttypes.h>
#include <string.h>

#include "batches.h"
#include "bench.h"
#include "verbs/verb.h"

/* "12.3 us/loop" into buffer[size]. */
static void format_time(char *buffer, size_t size, double nanoseconds, const char *unit) {
  static const char *const names[] = {"ns", "us", "ms", "s"};
  int k = 0;
  for (; k < 3 && nanoseconds >= 1000; k++) nanoseconds /= 1000;
  snprintf(buffer, size, "%.3g %s/%s", nanoseconds, names[k], unit);
}

static void print_row(CliContext *cli, const BenchRow *row, bool *has_header) {
  if (!*has_header) {
    cli_say(cli, "%-26s %-20s %16s %9s  %-18s %s\n", "case", "variant", "time", "faster",
            "p10 .. p90", "hash");
    *has_header = true;
  }
  char time[32], spread[32];
  format_time(time, sizeof time, row->nanoseconds.median, row->unit);
  snprintf(spread, sizeof spread, "%.2f .. %.2f", row->ratio.p10, row->ratio.p90);
  cli_say(cli, "%-26s %-20s %16s %8.2fx  %-18s %016" PRIx64 "\n", row->name, row->variant, time,
          row->ratio.median, spread, row->hash);
}

static void report_spread(CliReport *report, const char *key, BenchSpread spread) {
  cli_report_begin_object(report, key);
  cli_report_number(report, "median", spread.median);
  cli_report_number(report, "p10", spread.p10);
  cli_report_number(report, "p90", spread.p90);
  cli_report_end(report);
}

typedef struct Table {
  CliContext *cli;
  bool has_header;
} Table;

static void take_row(void *user, const BenchRow *row) {
  Table *table = user;
  CliReport *report = table->cli->report;
  print_row(table->cli, row, &table->has_header);
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "suite", row->suite);
  cli_report_text(report, "case", row->name);
  cli_report_text(report, "variant", row->variant);
  cli_report_text(report, "unit", row->unit);
  cli_report_integer(report, "items", (int64_t)row->item_count);
  cli_report_integer(report, "samples", row->sample_count);
  cli_report_text(report, "clock", row->threaded ? "wall" : "thread");
  report_spread(report, "nanoseconds", row->nanoseconds);
  report_spread(report, "times_faster", row->ratio);
  cli_report_bool(report, "exact", row->exact);
  cli_report_hash(report, "hash", row->hash);
  cli_report_end(report);
}

static void take_progress(void *user, const char *name, double done, double total) {
  cli_progress(((Table *)user)->cli, name, done, total);
}

static const BenchSuite *find_suite(const char *name) {
  for (const BenchSuite *const *suite = bench_suites; *suite; suite++) {
    if (strcmp((*suite)->name, name) == 0) return *suite;
  }
  return NULL;
}

static SupResult check_names(const CliArguments *arguments, SupError *error) {
  const char *names[64];
  char list[256] = "", hint[80];
  size_t count = 0, length = 0;
  for (; bench_suites[count] && count < sizeof names / sizeof *names; count++) {
    names[count] = bench_suites[count]->name;
    if (length < sizeof list) {
      length +=
          sup_format(list + length, sizeof list - length, "%s%s", count ? ", " : "", names[count]);
    }
  }
  for (uint32_t k = 0; k < arguments->operand_count; k++) {
    const char *name = arguments->operands[k];
    if (find_suite(name)) continue;
    sup_did_you_mean(hint, sizeof hint, sup_nearest_name(name, names, count));
    return sup_fail(error, SUP_ERROR_ARGUMENT, "there is no bench '%s'; there are: %s%s", name,
                    list, hint);
  }
  return SUP_OK;
}

/* ---- Batches of one backend ---------------------------------------------------------------------
 */

static void take_batch(void *user, const BatchesRow *row) {
  Table *table = user;
  CliReport *report = table->cli->report;
  if (!table->has_header) {
    cli_say(table->cli, "%-48s %12s %14s %9s %9s %7s\n", "one frame of", "time", "each",
            "bytes each", "GB/s", "of copy");
  }
  table->has_header = true;
  const double items = (double)row->items, rate = row->bytes / row->seconds;
  char time[32], each[32], fraction[16] = "";
  format_time(time, sizeof time, 1e9 * row->seconds, "frame");
  format_time(each, sizeof each, 1e9 * row->seconds / items, row->unit);
  if (row->copied > 0) snprintf(fraction, sizeof fraction, "%.0f %%", 100 * rate / row->copied);
  cli_say(table->cli, "%-48s %12s %14s %9.1f %9.0f %7s\n", row->name, time, each,
          row->bytes / items, 1e-9 * rate, fraction);
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "case", row->name);
  cli_report_text(report, "unit", row->unit);
  cli_report_integer(report, "items", (int64_t)row->items);
  report_spread(report, "seconds", (BenchSpread){row->seconds, row->p10, row->p90});
  cli_report_number(report, "bytes", row->bytes);
  cli_report_number(report, "copied_per_second", row->copied);
  cli_report_end(report);
}

static SupResult run_batches(CliContext *cli, const char *name, SupError *error) {
  const char *why = NULL;
  Table table = {.cli = cli};
  Batches batches = {.jobs = cli->jobs,
                     .samples = (uint32_t)cli_integer(cli->arguments, "samples"),
                     .brief = cli_flag(cli->arguments, "brief"),
                     .clock = cli_seconds,
                     .row = take_batch,
                     .user = &table};
  batches.backend = strcmp(name, "cuda") == 0  ? sup_backend_cuda(&why)
                    : strcmp(name, "cpu") == 0 ? sup_backend_cpu()
                                               : sup_backend_find(name);
  if (!batches.backend) {
    enum { MOST = 16 };
    const SupBackend *backends[MOST];
    const char *names[MOST + 2] = {"cpu", "cuda"};
    char hint[96];
    const uint32_t count = sup_backend_list(backends, MOST);
    for (uint32_t k = 0; k < count && k < MOST; k++) names[k + 2] = backends[k]->name;
    const char *nearest =
        strcmp(name, "gpu") == 0 ? "cuda" : sup_nearest_name(name, names, MOST + 2);
    sup_did_you_mean(hint, sizeof hint, why ? NULL : nearest);
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "backend '%s': %s%s", name,
                    why ? why : "this build or this processor has none of that name", hint);
  }
  cli_report_text(cli->report, "backend", batches.backend->name);
  cli_report_begin_array(cli->report, "rows");
  const SupResult result = batches_run(&batches, error);
  cli_report_end(cli->report);
  if (batches.copied > 0) cli_say(cli, "copy: %.0f GB/s read and written\n", 1e-9 * batches.copied);
  return result;
}

static SupResult run(CliContext *cli, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const char *backend = cli_text(arguments, "backend");
  if (backend && arguments->operand_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--backend runs batches instead of the suites: leave out '%s', or --backend",
                    arguments->operands[0]);
  }
  if (backend) return run_batches(cli, backend, error);
  SupResult result = check_names(arguments, error);
  if (result != SUP_OK) return result;
  Table table = {.cli = cli};
  Bench bench = {
      .arena = cli->arena,
      .jobs = cli->jobs,
      .thread_count = cli->thread_count,
      .seed = cli->seed,
      .sample_count = (uint32_t)cli_integer(arguments, "samples"),
      .sample_seconds = 1e-3 * cli_number(arguments, "milliseconds"),
      .brief = cli_flag(arguments, "brief"),
      .row = take_row,
      .progress = take_progress,
      .user = &table,
  };
  cli_report_begin_array(cli->report, "rows");
  for (const BenchSuite *const *suite = bench_suites; *suite && result == SUP_OK; suite++) {
    bool wanted = arguments->operand_count == 0;
    for (uint32_t k = 0; k < arguments->operand_count; k++) {
      if (strcmp(arguments->operands[k], (*suite)->name) == 0) wanted = true;
    }
    if (!wanted) continue;
    double began = cli_seconds();
    result = bench_run_suite(&bench, *suite, error);
    cli_timing(cli, (*suite)->name, began);
  }
  cli_report_end(cli->report);
  return result;
}

static const CliOption options[] = {
    {.name = "samples",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the number of samples per variant",
     .fallback = "31",
     .low = 1,
     .high = 100000},
    {.name = "milliseconds",
     .kind = CLI_NUMBER,
     .value_name = "T",
     .help = "set the minimum duration of a sample",
     .fallback = "1",
     .low = 0.001,
     .high = 10000},
    {.name = "brief", .kind = CLI_FLAG, .help = "leave out large sizes"},
    {.name = "backend",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "measure whole frames of batches on cpu, cuda or an instruction set instead",
     .advanced = true},
    {0},
};

const CliVerb cli_verb_bench = {
    .name = "bench",
    .summary = "measure speed on this machine, with a hash of every result",
    .usage = "[SUITE...] [options]",
    .details =
        "Runs all suites, or the named ones. The variants of a case run interleaved in one\n"
        "process; single-threaded ones are timed by processor time, others by the wall clock.\n"
        "\"faster\" is the median ratio to the first variant, the naive one, with the 10th and\n"
        "90th percentiles. Times are per unit. The bench fails if variants that promise\n"
        "identical bits give different hashes.\n"
        "\n"
        "With --backend it measures frames of one character and of many on that backend; a GPU\n"
        "is timed by its own clock, and set beside the bytes moved and a copy of that memory.\n",
    .example = "supple bench base --samples 5",
    .options = options,
    .most_operands = 64,
    .word_operands = 64,
    .run = run,
};
