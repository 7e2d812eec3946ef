/* SPDX-License-Identifier: MIT */
/* What the help pages, the manual pages and the shell completions say about an option. */
#ifndef SUPPLE_CLI_HELP_H
#define SUPPLE_CLI_HELP_H

#include "verbs/verb.h"

/* "FILE", "fat|soft|firm"; "" for a flag. Writes into text[size] and returns it. */
const char *cli_option_value(const CliOption *option, char *text, size_t size);

/* The help of an option with its range, its default, and whether it is required or may be
 * repeated. */
void cli_option_text(const CliOption *option, char *text, size_t size);

/* Whether the table (NULL: none) has options that are usual, or advanced. */
bool cli_options_any(const CliOption *table, bool advanced);

/* The whole example of a page, in front of it the line that makes mochi.glb where it reads that:
 * calls line(user, text, length) for every line. */
void cli_each_example(const CliVerb *page, void (*line)(void *user, const char *text, int length),
                      void *user);

/* Manual pages, in roff: of a verb, of one of its kinds, or of the tool (verb NULL). */
void cli_print_manual(FILE *file, const CliVerb *verb, const CliVerb *kind);

/* Completion scripts. */
void cli_print_bash(FILE *file);
void cli_print_zsh(FILE *file);

/* Writes man/man1, bash-completion/completions and zsh/site-functions below `folder`, as they
 * belong below PREFIX/share. */
SupResult cli_write_manual(CliContext *cli, const char *folder, SupError *error);

#endif
