/* SPDX-License-Identifier: MIT */
/* Files on the command line: refused early, hashed for the report, cleaned up on interruption. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/runner.h"
#include "supple/io/file.h"

static bool is_output(const CliValue *value) {
  return value->option->kind == CLI_OUTPUT || value->option->kind == CLI_FOLDER;
}

/* Calls visit(user, path) for every input file until it gives false. */
static void each_input(const CliVerb *verb, const CliArguments *arguments,
                       bool (*visit)(void *user, const char *path), void *user) {
  for (uint32_t k = verb->word_operands; k + verb->last_words < arguments->operand_count; k++) {
    if (!visit(user, arguments->operands[k])) return;
  }
  for (uint32_t k = 0; k < arguments->value_count; k++) {
    const CliValue *value = &arguments->values[k];
    if (value->option->kind == CLI_INPUT && !visit(user, value->text)) return;
  }
}

/* ---- Checks --------------------------------------------------------------------------------- */

/* Names of one file. Devices are no files: /dev/null may be everything at once. */
static bool same_file(const char *a, const char *b) {
  struct stat status_a, status_b;
  bool exists_a = stat(a, &status_a) == 0, exists_b = stat(b, &status_b) == 0;
  if (!exists_a && !exists_b) return strcmp(a, b) == 0;
  if (!exists_a || !exists_b) return false;
  return status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino &&
         (S_ISREG(status_a.st_mode) || S_ISDIR(status_a.st_mode));
}

typedef struct Clash {
  const char *output;
  bool found;
} Clash;

static bool clashes(void *user, const char *input) {
  Clash *clash = user;
  clash->found = same_file(clash->output, input);
  return !clash->found;
}

/* Making the temporary file is the only honest test of whether it can be made. */
static SupResult try_output(const CliValue *value, SupError *error) {
  struct stat status;
  if (value->option->kind == CLI_FOLDER) return SUP_OK; /* begins with making its folder */
  if (stat(value->text, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return SUP_OK; /* opening a pipe would wait for its reader */
  }
  SupFileWriter *writer;
  SupResult result = sup_file_begin(sup_heap_allocator(), value->text, &writer, error);
  if (result == SUP_OK) sup_file_abandon(writer);
  return result;
}

SupResult cli_outputs_check(const CliVerb *verb, const CliArguments *arguments, SupError *error) {
  for (uint32_t k = 0; k < arguments->value_count; k++) {
    const CliValue *value = &arguments->values[k];
    if (!is_output(value)) continue;
    const char *name = value->option->name;
    if (strcmp(value->text, "-") == 0) {
      if (strcmp(name, "json") == 0) continue;
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--%s: cannot be the standard output; give a file name", name);
    }
    Clash clash = {value->text, false};
    each_input(verb, arguments, clashes, &clash);
    if (clash.found) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--%s: %s is also an input and would be lost; give another name", name,
                      value->text);
    }
    for (uint32_t other = 0; other < k; other++) {
      const CliValue *earlier = &arguments->values[other];
      if (is_output(earlier) && same_file(earlier->text, value->text)) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "--%s: %s is also written by --%s; give another name", name, value->text,
                        earlier->option->name);
      }
    }
    SupResult result = try_output(value, error);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

/* ---- Hashes of inputs ----------------------------------------------------------------------- */

static bool report_input(void *user, const char *path) {
  CliReport *report = user;
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return true;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    size_t bytes = (size_t)status.st_size;
    void *data = bytes ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0) : NULL;
    if (data != MAP_FAILED) {
      cli_report_begin_object(report, NULL);
      cli_report_text(report, "path", path);
      cli_report_integer(report, "bytes", (int64_t)bytes);
      cli_report_hash(report, "xxh64", sup_hash(data, bytes, 0));
      cli_report_end(report);
      if (data) munmap(data, bytes);
    }
  }
  close(descriptor);
  return true;
}

void cli_inputs_report(CliReport *report, const char *key, const CliVerb *verb,
                       const CliArguments *arguments) {
  cli_report_begin_array(report, key);
  each_input(verb, arguments, report_input, report);
  cli_report_end(report);
}

/* ---- Interruption --------------------------------------------------------------------------- */

static const int watched[CLI_WATCHED] = {SIGINT, SIGTERM, SIGHUP};

/* From the handler to the watching thread: the number of a signal, or 0 for the end of the watch.
 * Made once and never closed, so that a handler which is late still finds it. */
static int watch_pipe[2] = {-1, -1};

/* On whichever thread: libraries have some that were there before main and that block nothing. */
static void pass_signal(int number) {
  int reason = errno;
  unsigned char byte = (unsigned char)number;
  if (write(watch_pipe[1], &byte, 1) != 1) _exit(128 + number); /* 64 KB of signals before it */
  errno = reason;
}

static bool open_watch_pipe(void) {
  if (watch_pipe[0] >= 0) return true;
  if (pipe(watch_pipe) != 0) return false;
  for (int k = 0; k < 2; k++) fcntl(watch_pipe[k], F_SETFD, FD_CLOEXEC);
  fcntl(watch_pipe[1], F_SETFL, O_NONBLOCK);
  return true;
}

/* Removing files needs more than a handler may call, so a thread does it. */
static void *watch_signals(void *user) {
  const CliWatch *watch = user;
  unsigned char number = 0;
  ssize_t got;
  while ((got = read(watch_pipe[0], &number, 1)) < 0 && errno == EINTR) {
  }
  if (got != 1 || number == 0) return NULL;
  for (uint32_t k = 0; k < watch->arguments->value_count; k++) {
    const CliValue *value = &watch->arguments->values[k];
    if (is_output(value)) sup_file_sweep(value->text);
  }
  /* End as the signal would have ended us, so that a shell sees why. */
  signal(number, SIG_DFL);
  raise(number);
  return NULL;
}

static void handle_signals(CliWatch *watch) {
  for (int k = 0; k < CLI_WATCHED; k++) {
    struct sigaction action = {.sa_handler = pass_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(watched[k], NULL, &watch->old[k]);
    /* nohup and shells in the background ignore signals on purpose. */
    if (watch->old[k].sa_handler != SIG_IGN) sigaction(watched[k], &action, NULL);
  }
}

void cli_watch_begin(CliWatch *watch, const CliArguments *arguments) {
  *watch = (CliWatch){.arguments = arguments};
  watch->runs =
      open_watch_pipe() && pthread_create(&watch->thread, NULL, watch_signals, watch) == 0;
  if (watch->runs) handle_signals(watch);
}

void cli_watch_end(CliWatch *watch) {
  if (!watch->runs) return;
  unsigned char end = 0;
  for (int k = 0; k < CLI_WATCHED; k++) sigaction(watched[k], &watch->old[k], NULL);
  if (write(watch_pipe[1], &end, 1) == 1) pthread_join(watch->thread, NULL);
  watch->runs = false;
}
