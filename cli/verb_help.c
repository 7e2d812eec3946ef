/* SPDX-License-Identifier: MIT */
/* supple help [VERB [KIND]] */
#include "verb.h"

static SupResult run(CliContext *cli, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  if (arguments->operand_count == 0) {
    if (!cli->quiet) cli_print_overview(stdout);
    return SUP_OK;
  }
  const CliVerb *verb = cli_verb_find(arguments->operands[0]), *kind = NULL;
  if (!verb) return cli_unknown_verb(arguments->operands[0], error);
  if (arguments->operand_count > 1) {
    const char *name = arguments->operands[1];
    if (!verb->kinds) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "unexpected argument '%s'; usage: supple help %s",
                      name, verb->name);
    }
    SupResult result = cli_kind_find(verb, name, &kind, error);
    if (result != SUP_OK) return result;
  }
  if (!cli->quiet) cli_print_help(stdout, verb, kind);
  return SUP_OK;
}

const CliVerb cli_verb_help = {
    .name = "help",
    .summary = "list the verbs, or explain one",
    .usage = "[VERB [KIND]]",
    .example = "supple help build surface",
    .most_operands = 2,
    .word_operands = 2,
    .run = run,
};
