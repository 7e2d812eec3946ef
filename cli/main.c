/* SPDX-License-Identifier: MIT */
/* The `supple` command: finds the verb and runs it. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "verbs/verb.h"

/* What people type out of habit. */
static const char *verb_name(const char *word) {
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return "help";
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return "version";
  return word;
}

/* Where a stream was closed (`supple ... >&-`) the next file would get its number, and what is said
 * would end up in that file. */
static void fill_standard_streams(void) {
  for (int k = 0; k < 3; k++) {
    if (fcntl(k, F_GETFD) < 0 && open("/dev/null", O_RDWR) != k) _exit(1);
  }
}

int main(int argc, char **argv) {
  fill_standard_streams();
  if (argc < 2) {
    cli_print_overview(stderr);
    return 2;
  }
  const char *name = verb_name(argv[1]);
  const CliVerb *verb = cli_verb_find(name);
  if (!verb) {
    SupError error;
    cli_unknown_verb(name, &error);
    cli_one_line(error.text);
    fprintf(stderr, "supple: %s\n", error.text);
    return 2;
  }
  return cli_run(verb, argc - 2, argv + 2);
}
