/* SPDX-License-Identifier: MIT */
/* Papers whose figures `supple reproduce` measures again: a paper is a file reproduce_NAME.c and a
 * line in the table of verb_reproduce.c. */
#ifndef SUPPLE_CLI_REPRODUCE_H
#define SUPPLE_CLI_REPRODUCE_H

#include "verbs/verb.h"

#define CLI_PAPER_PARTS 8

typedef struct CliPaperPart {
  const char *name;    /* for --part */
  const char *summary; /* one line */
  /* Measures, says a table and writes it into cli->report, where an object is open for it. */
  SupResult (*run)(CliContext *cli, SupError *error);
} CliPaperPart;

typedef struct CliPaper {
  const char *name;                    /* "shi2008" */
  const char *title;                   /* author, year and title, one line */
  CliPaperPart parts[CLI_PAPER_PARTS]; /* ended by one without name */
  bool own_truth;                      /* it knows --cache */
  bool has_quick;                      /* it knows --quick */
  bool has_full;                       /* it knows --full */
  bool has_files;                      /* it knows --primary, --target and --pictures */
} CliPaper;

extern const CliPaper cli_paper_guo2007_ebtle;
extern const CliPaper cli_paper_guo_swdc;
extern const CliPaper cli_paper_hahn2013;
extern const CliPaper cli_paper_mukai2016;
extern const CliPaper cli_paper_shi2008;
extern const CliPaper cli_paper_sonhan;

#endif
