/* SPDX-License-Identifier: MIT */
/* supple version */
#include <string.h>

#include "supple/backend.h"
#include "verbs/verb.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#if defined(__x86_64__)
#define PROCESSOR "x86-64"
#elif defined(__aarch64__)
#define PROCESSOR "AArch64"
#else
#define PROCESSOR "unknown"
#endif

static SupResult run(CliContext *cli, SupError *error) {
  (void)error;
  enum { MOST = 8 };
  const SupBackend *backends[MOST];
  uint32_t count = sup_backend_list(backends, MOST);
  if (count > MOST) count = MOST;
  const char *chosen = sup_backend_cpu()->name;
  char list[128] = "";
  cli_report_text(cli->report, "library", sup_version());
  cli_report_text(cli->report, "compiler", COMPILER);
  cli_report_text(cli->report, "build", SUPPLE_BUILD);
  cli_report_text(cli->report, "processor", PROCESSOR);
  cli_report_begin_array(cli->report, "instruction_sets");
  for (uint32_t k = 0; k < count; k++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", backends[k]->name);
    cli_report_text(cli->report, NULL, backends[k]->name);
  }
  cli_report_end(cli->report);
  cli_report_text(cli->report, "instruction_set", chosen);
  cli_say(cli, "supple %s\n", sup_version());
  cli_say(cli, "  compiler          %s\n", COMPILER);
  cli_say(cli, "  build             %s\n", SUPPLE_BUILD);
  cli_say(cli, "  processor         %s, %u threads\n", PROCESSOR, cli->thread_count);
  cli_say(cli, "  instruction sets  %s; using %s\n", list, chosen);
  return SUP_OK;
}

const CliVerb cli_verb_version = {
    .name = "version",
    .summary = "show version, compiler, build options and instruction sets",
    .usage = "[options]",
    .example = "supple version",
    .run = run,
};
