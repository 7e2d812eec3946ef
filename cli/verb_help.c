/* SPDX-License-Identifier: MIT */
/* supple help [VERB] */
#include "verb.h"

static SupResult run(CliContext *cli, SupError *error) {
  if (cli->arguments->operand_count == 0) {
    if (!cli->quiet) cli_print_overview(stdout);
    return SUP_OK;
  }
  const char *name = cli->arguments->operands[0];
  const CliVerb *verb = cli_verb_find(name);
  if (!verb) return cli_unknown_verb(name, error);
  if (!cli->quiet) cli_print_help(stdout, verb);
  return SUP_OK;
}

const CliVerb cli_verb_help = {
    .name = "help",
    .summary = "list the verbs, or tell about one",
    .usage = "[VERB]",
    .example = "supple help bench",
    .most_operands = 1,
    .word_operands = 1,
    .run = run,
};
