/* SPDX-License-Identifier: MIT */
/* What is not flesh: the options that correct it, and how it is told. */
#ifndef SUPPLE_CLI_LOCKS_H
#define SUPPLE_CLI_LOCKS_H

#include "character/cli_character.h"
#include "supple/app/lock_character.h"

/* Options of every verb that gives a character flesh; a verb puts these rows into its table. */
#define CLI_LOCK_OPTIONS                                                                      \
  {.name = "lock",                                                                            \
   .kind = CLI_TEXT,                                                                          \
   .value_name = "PATTERN",                                                                   \
   .help =                                                                                    \
       "take what has this name for no flesh: a bone with those below it, a node, a mesh or " \
       "a material; * and ? stand for any letters and for one",                               \
   .otherwise = "eyes, teeth, horns, clothes, ... that are found",                            \
   .repeated = true},                                                                         \
  {                                                                                           \
    .name = "unlock", .kind = CLI_TEXT, .value_name = "PATTERN",                              \
    .help = "take what has this name, or was found as this kind (eyes, clothes), for flesh",  \
    .repeated = true                                                                          \
  }

/* What they say. */
SupLockDef cli_lock_def(const CliContext *cli);

/* How much of the skin is locked as that kind. */
double cli_hard_area(const SupHardParts *hard, SupHardKind kind);

/* Says what was found, and reports it. */
void cli_say_hard(const CliContext *cli, const SupHardParts *hard);
void cli_report_hard(CliReport *report, const SupHardParts *hard);

#endif
