/* SPDX-License-Identifier: MIT */
/* supple help [VERB [KIND]]; the manual and the completions of shells. */
#include "help/help.h"

static const char *const shells[] = {"bash", "zsh", NULL};

/* --manual and --completion, which are about everything. */
static SupResult write_generated(CliContext *cli, const char *folder, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  if (arguments->operand_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s is about all verbs; leave out '%s'",
                    folder ? "manual" : "completion", arguments->operands[0]);
  }
  if (folder && cli_count(arguments, "completion")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "give --manual or --completion, not both");
  }
  if (folder) return cli_write_manual(cli, folder, error);
  if (!cli->quiet) (cli_integer(arguments, "completion") ? cli_print_zsh : cli_print_bash)(stdout);
  return SUP_OK;
}

static SupResult run(CliContext *cli, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const char *folder = cli_text(arguments, "manual");
  if (folder || cli_count(arguments, "completion")) return write_generated(cli, folder, error);
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

static const CliOption options[] = {
    {.name = "completion",
     .kind = CLI_CHOICE,
     .choices = shells,
     .help = "print a completion script, for `source <(supple help --completion bash)`",
     .advanced = true},
    {.name = "manual",
     .kind = CLI_FOLDER,
     .value_name = "DIR",
     .help = "write manual pages and completion scripts into DIR, laid out like PREFIX/share",
     .advanced = true},
    {0},
};

const CliVerb cli_verb_help = {
    .name = "help",
    .summary = "list the verbs, or explain one",
    .usage = "[VERB [KIND]]",
    .example = "supple help build surface",
    .options = options,
    .most_operands = 2,
    .word_operands = 2,
    .run = run,
};
