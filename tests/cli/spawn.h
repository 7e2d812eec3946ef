/* SPDX-License-Identifier: MIT */
/* Runs commands, and verbs of a test's own, in a process of their own. */
#ifndef SUP_TESTS_SPAWN_H
#define SUP_TESTS_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "verbs/verb.h"

/* What became of it. */
typedef struct Outcome {
  int exit_code; /* -1 when it ended by a signal */
  int signal;    /* 0 when it ended by itself */
  char out[1 << 16];
  char err[1 << 14];
} Outcome;

/* A process that has been started and not yet waited for. */
typedef struct Child {
  pid_t process;
  int out, err; /* files it writes to */
} Child;

/* What to run: a program found along PATH with words[0] its name, or, with `verb`, cli_run on all
 * words. `words` ends with NULL. `terminal`, unless -1, becomes its stderr. */
typedef struct Command {
  const CliVerb *verb;
  char *const *words;
  int terminal;
} Command;

/* Starts it in the present folder. */
Child spawn_begin(Command command);

/* Waits for the end. */
void spawn_end(Child child, Outcome *out_outcome);

/* Runs the real `supple` with the words of `line`, split at blanks. */
void run_supple(const char *line, Outcome *out_outcome);

/* Runs a verb of the test's own in the same way. */
void run_verb_of_test(const CliVerb *verb, const char *line, Outcome *out_outcome);

#endif
