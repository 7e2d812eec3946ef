/* SPDX-License-Identifier: MIT */
/* What the functions of supple/app get from a run of the tool, and tell it. */
#include <string.h>

#include "verbs/verb.h"

static void progress(void *user, const char *label, double done, double total) {
  cli_progress(user, label, done, total);
}

static void busy(void *user, const char *label) {
  if (label) {
    cli_busy_begin(user, label);
  } else {
    cli_busy_end(user);
  }
}

static void note(void *user, uint32_t depth, const char *text) {
  const size_t length = strlen(text);
  const bool ends = length && text[length - 1] == '\n';
  cli_say_at(user, depth, ends ? "%.*s\n" : "%.*s", (int)(length - ends), text);
}

static void timing(void *user, const char *phase, double seconds) {
  cli_timing(user, phase, cli_seconds() - seconds);
}

SupAppContext cli_app(const CliContext *cli) {
  SupAppContext app = sup_app_context(cli->allocator, cli->arena);
  app.jobs = cli->jobs;
  app.seed = cli->seed;
  if (cli_count(cli->arguments, "max-memory")) {
    app.document_limit = (size_t)cli_integer(cli->arguments, "max-memory");
  }
  app.progress = progress;
  app.busy = busy;
  app.note = note;
  app.timing = timing;
  app.user = (void *)cli;
  return app;
}
