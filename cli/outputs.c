/* SPDX-License-Identifier: MIT */
/* Files on the command line: refused early, hashed for the report, cleaned up on interruption. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame.h"
#include "supple/io/file.h"

static bool is_output(const CliValue *value) {
  return value->option->kind == CLI_OUTPUT || value->option->kind == CLI_FOLDER;
}

/* Calls visit(user, path) for every input file until it gives false. */
static void each_input(const CliVerb *verb, const CliArguments *arguments,
                       bool (*visit)(void *user, const char *path), void *user) {
  for (uint32_t k = verb->word_operands; k < arguments->operand_count; k++) {
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
        return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: %s is also written by --%s", name,
                        value->text, earlier->option->name);
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

/* A thread rather than a handler: removing files needs more than handlers may call. */
static void *watch_signals(void *user) {
  CliWatch *watch = user;
  int number;
  if (sigwait(&watch->signals, &number) != 0) return NULL;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  for (uint32_t k = 0; k < watch->arguments->value_count; k++) {
    const CliValue *value = &watch->arguments->values[k];
    if (is_output(value)) sup_file_sweep(value->text);
  }
  /* End as the signal would have ended us, so that a shell sees why. */
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, NULL);
  raise(number);
  return NULL;
}

void cli_watch_begin(CliWatch *watch, const CliArguments *arguments) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  *watch = (CliWatch){.arguments = arguments};
  sigemptyset(&watch->signals);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    struct sigaction action;
    /* nohup and shells in the background ignore signals on purpose. */
    bool ignored = sigaction(numbers[k], NULL, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&watch->signals, numbers[k]);
  }
  pthread_sigmask(SIG_BLOCK, &watch->signals, &watch->old_mask);
  watch->runs = pthread_create(&watch->thread, NULL, watch_signals, watch) == 0;
  if (!watch->runs) pthread_sigmask(SIG_SETMASK, &watch->old_mask, NULL);
}

void cli_watch_end(CliWatch *watch) {
  if (!watch->runs) return;
  pthread_cancel(watch->thread); /* sigwait is a cancellation point */
  pthread_join(watch->thread, NULL);
  pthread_sigmask(SIG_SETMASK, &watch->old_mask, NULL);
  watch->runs = false;
}
