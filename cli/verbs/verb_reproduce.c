/* SPDX-License-Identifier: MIT */
/* supple reproduce PAPER */
#include "reproduce/reproduce.h"

#include <string.h>
#include <sys/stat.h>

static const CliPaper *const papers[] = {&cli_paper_guo2007_ebtle, &cli_paper_guo_swdc,
                                         &cli_paper_hahn2013,      &cli_paper_mukai2016,
                                         &cli_paper_shi2008,       &cli_paper_sonhan};

enum { PAPER_COUNT = sizeof papers / sizeof *papers };

static SupResult find_paper(const char *name, const CliPaper **out_paper, SupError *error) {
  const char *names[PAPER_COUNT];
  char all[256] = "", hint[80];
  size_t length = 0;
  for (size_t k = 0; k < PAPER_COUNT; k++) {
    names[k] = papers[k]->name;
    if (strcmp(name, names[k]) == 0) {
      *out_paper = papers[k];
      return SUP_OK;
    }
    length += sup_format(all + length, sizeof all - length, "%s%s", k ? ", " : "", names[k]);
  }
  sup_did_you_mean(hint, sizeof hint, sup_nearest_name(name, names, PAPER_COUNT));
  return sup_fail(error, SUP_ERROR_ARGUMENT, "'%s' is not among the papers: %s%s", name, all, hint);
}

static bool wanted(const CliArguments *arguments, const char *part) {
  const uint32_t count = cli_count(arguments, "part");
  for (uint32_t k = 0; k < count; k++) {
    if (strcmp(cli_text_at(arguments, "part", k), part) == 0) return true;
  }
  return count == 0;
}

static SupResult check_parts(const CliArguments *arguments, const CliPaper *paper,
                             SupError *error) {
  for (uint32_t k = 0; k < cli_count(arguments, "part"); k++) {
    const char *name = cli_text_at(arguments, "part", k), *names[CLI_PAPER_PARTS];
    char all[256] = "", hint[80];
    size_t length = 0, count = 0;
    bool found = false;
    for (; paper->parts[count].name; count++) {
      names[count] = paper->parts[count].name;
      found |= strcmp(name, names[count]) == 0;
      length +=
          sup_format(all + length, sizeof all - length, "%s%s", count ? ", " : "", names[count]);
    }
    if (found) continue;
    sup_did_you_mean(hint, sizeof hint, sup_nearest_name(name, names, count));
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s has no part '%s'; there are: %s%s", paper->name,
                    name, all, hint);
  }
  return SUP_OK;
}

static SupResult check_folder(const CliArguments *arguments, const char *option, SupError *error) {
  const char *folder = cli_text(arguments, option);
  struct stat status;
  if (!folder || (stat(folder, &status) == 0 && S_ISDIR(status.st_mode))) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s %s is not a folder; make it first", option,
                  folder);
}

static SupResult check_options(const CliArguments *arguments, const CliPaper *paper,
                               SupError *error) {
  static const char *const names[] = {"quick",  "cache",           "full",           "primary",
                                      "target", "primary-patches", "target-patches", "pictures"};
  const bool files = paper->has_files;
  const bool known[] = {
      paper->has_quick, paper->own_truth, paper->has_full, files, files, files, files, files};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    if (known[k] || !cli_count(arguments, names[k])) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s means nothing to %s; leave it out", names[k],
                    paper->name);
  }
  if (cli_flag(arguments, "quick") && cli_flag(arguments, "full")) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--quick and --full contradict each other");
  }
  SupResult result = check_folder(arguments, "cache", error);
  return result == SUP_OK ? check_folder(arguments, "pictures", error) : result;
}

static void say_list(const CliContext *cli) {
  for (size_t k = 0; k < PAPER_COUNT; k++) {
    cli_say(cli, "%s  %s\n", papers[k]->name, papers[k]->title);
    for (const CliPaperPart *part = papers[k]->parts; part->name; part++) {
      cli_say(cli, "  %-8s %s\n", part->name, part->summary);
    }
  }
}

static SupResult run(CliContext *cli, SupError *error) {
  const CliPaper *paper;
  if (cli_flag(cli->arguments, "list")) {
    say_list(cli);
    return SUP_OK;
  }
  if (cli->arguments->operand_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "name a paper; `supple reproduce --list` shows them");
  }
  SupResult result = find_paper(cli->arguments->operands[0], &paper, error);
  if (result == SUP_OK) result = check_parts(cli->arguments, paper, error);
  if (result == SUP_OK) result = check_options(cli->arguments, paper, error);
  if (result != SUP_OK) return result;
  cli_say(cli, "%s\n", paper->title);
  for (const CliPaperPart *part = paper->parts; part->name && result == SUP_OK; part++) {
    if (!wanted(cli->arguments, part->name)) continue;
    const double began = cli_seconds();
    cli_say(cli, "\n%s: %s\n", part->name, part->summary);
    cli_report_begin_object(cli->report, part->name);
    result = part->run(cli, error);
    cli_report_end(cli->report);
    cli_timing(cli, part->name, began);
  }
  return result;
}

static const CliOption options[] = {
    {.name = "part",
     .kind = CLI_TEXT,
     .value_name = "NAME",
     .help = "run only this part",
     .otherwise = "all",
     .repeated = true},
    {.name = "quick",
     .kind = CLI_FLAG,
     .help = "guo2007-ebtle, guo2007-swdc, hahn2013, mukai2016: run a much smaller version, as a "
             "smoke test"},
    {.name = "full",
     .kind = CLI_FLAG,
     .help = "hahn2013: run at the paper's sizes, for half an hour or more; guo2007-ebtle: learn "
             "from 60 more poses, too",
     .advanced = true},
    {.name = "cache",
     .kind = CLI_TEXT,
     .value_name = "DIR",
     .help = "mukai2016: keep the simulations in this folder and reuse them",
     .advanced = true},
    {.name = "primary",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "guo2007-ebtle: take the examples of this character, in place of the built-in arm"},
    {.name = "target",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "guo2007-ebtle: carry them over to this one; up to four",
     .repeated = true},
    {.name = "primary-patches",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "guo2007-ebtle: take the primary apart as this patch file says",
     .otherwise = "found automatically",
     .advanced = true},
    {.name = "target-patches",
     .kind = CLI_INPUT,
     .value_name = "FILE",
     .help = "guo2007-ebtle: the same for each target, in their order",
     .otherwise = "found automatically",
     .repeated = true,
     .advanced = true},
    {.name = "pictures",
     .kind = CLI_TEXT,
     .value_name = "DIR",
     .help = "guo2007-ebtle: draw the poses into this folder"},
    {.name = "list", .kind = CLI_FLAG, .help = "list the papers and their parts"},
    {0},
};

const CliVerb cli_verb_reproduce = {
    .name = "reproduce",
    .summary = "measure the figures of a paper again",
    .usage = "PAPER [--part NAME]... | reproduce --list",
    .details =
        "Makes characters, motion and ground truth from scratch and prints the paper's figures\n"
        "beside ours. Takes a minute or two (guo2007-ebtle: five; mukai2016: half an hour or\n"
        "more). Absolute times are those of this machine, not the paper's.\n"
        "\n"
        "  supple reproduce guo2007-ebtle --primary man.glb --target other.glb --pictures .\n",
    .example = "supple reproduce shi2008 --part table1",
    .options = options,
    .least_operands = 0,
    .most_operands = 1,
    .word_operands = 1,
    .run = run,
};
