/* SPDX-License-Identifier: MIT */
/* The table of verbs, and the help that is written from it. */
#include <string.h>

#include "verb.h"

const CliVerb *const cli_verbs[] = {
    &cli_verb_demo,
    &cli_verb_add,
    &cli_verb_make,
    &cli_verb_build,
    &cli_verb_learn,
    &cli_verb_info,
    &cli_verb_convert,
    &cli_verb_simulate,
    &cli_verb_paint,
    &cli_verb_play,
    &cli_verb_compare,
    &cli_verb_view,
    &cli_verb_bench,
    &cli_verb_reproduce,
    &cli_verb_version,
    &cli_verb_help,
    NULL,
};

const CliOption cli_global_options[] = {
    {.name = "json",
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "write the full report: figures, timings, seeds, hashes of inputs"},
    {.name = "threads",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "threads to use; default: all processors",
     .low = 1,
     .high = 256},
    {.name = "seed",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "seed of everything random",
     .fallback = "1",
     .low = 0,
     .high = 9007199254740991.0},
    {.name = "max-memory",
     .kind = CLI_SIZE,
     .value_name = "SIZE",
     .help = "stop with a sentence rather than use more, for example 2G; 0: no limit"},
    {.name = "quiet", .kind = CLI_FLAG, .help = "nothing on stdout, no progress bar"},
    {.name = "help", .letter = 'h', .kind = CLI_FLAG, .help = "this page"},
    {0},
};

const CliVerb *cli_verb_find(const char *name) {
  for (const CliVerb *const *verb = cli_verbs; *verb; verb++) {
    if (strcmp((*verb)->name, name) == 0) return *verb;
  }
  return NULL;
}

SupResult cli_unknown_verb(const char *name, SupError *error) {
  const char *names[sizeof cli_verbs / sizeof *cli_verbs];
  char hint[80];
  size_t count = 0;
  for (; cli_verbs[count]; count++) names[count] = cli_verbs[count]->name;
  cli_did_you_mean(hint, sizeof hint, cli_nearest(name, names, count));
  return sup_fail(error, SUP_ERROR_ARGUMENT, "unknown verb '%s'%s ('supple help' lists them all)",
                  name, hint);
}

/* What follows the help of an option: range, default, how often. */
static void describe_option(const CliOption *option, char *text, size_t size) {
  int used = snprintf(text, size, "%s", option->help);
  if (option->high > 1e15) {
    used += snprintf(text + used, size - (size_t)used, " (from %.16g on)", option->low);
  } else if (option->low != 0 || option->high != 0) {
    used +=
        snprintf(text + used, size - (size_t)used, " (%.16g .. %.16g)", option->low, option->high);
  }
  snprintf(text + used, size - (size_t)used, "%s%s%s%s%s", option->fallback ? " [" : "",
           option->fallback ? option->fallback : "", option->fallback ? "]" : "",
           option->required ? " (required)" : "", option->repeated ? " (may be repeated)" : "");
}

enum { HELP_INDENT = 27, HELP_WIDTH = 68 };

/* The rest of a line from column HELP_INDENT on, broken at blanks. */
static void print_wrapped(FILE *file, const char *text) {
  while (strlen(text) > HELP_WIDTH) {
    int length = HELP_WIDTH;
    while (length > 0 && text[length] != ' ') length--;
    if (length == 0) break;
    fprintf(file, "%.*s\n%*s", length, text, HELP_INDENT, "");
    text += length + 1;
  }
  fprintf(file, "%s\n", text);
}

static void print_options(FILE *file, const CliOption *option) {
  for (; option->name; option++) {
    char choices[120] = "", left[160], letter[8] = "", text[512];
    for (size_t k = 0; option->choices && option->choices[k]; k++) {
      size_t used = strlen(choices);
      snprintf(choices + used, sizeof choices - used, "%s%s", k ? "|" : "", option->choices[k]);
    }
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const char *value = option->value_name ? option->value_name : choices;
    snprintf(left, sizeof left, "%s--%s %s", letter, option->name, value);
    describe_option(option, text, sizeof text);
    fprintf(file, "  %-*s ", HELP_INDENT - 3, left);
    if (strlen(left) > HELP_INDENT - 3) fprintf(file, "\n%*s", HELP_INDENT, "");
    print_wrapped(file, text);
  }
}

static void print_example(FILE *file, const CliVerb *verb) {
  fprintf(file, "\nexample\n");
  if (verb != &cli_verb_make && strstr(verb->example, "mochi.glb")) {
    fprintf(file, "  %s\n", cli_verb_make.example);
  }
  for (const char *line = verb->example; *line;) {
    int length = (int)strcspn(line, "\n");
    fprintf(file, "  %.*s\n", length, line);
    line += length + (line[length] == '\n');
  }
}

void cli_print_help(FILE *file, const CliVerb *verb) {
  fprintf(file, "supple %s: %s\n\nusage: supple %s %s\n\n", verb->name, verb->summary, verb->name,
          verb->usage);
  if (verb->details) fprintf(file, "%s\n", verb->details);
  if (verb->options) {
    fprintf(file, "options\n");
    print_options(file, verb->options);
    fputc('\n', file);
  }
  fprintf(file, "on every verb\n");
  print_options(file, cli_global_options);
  print_example(file, verb);
}

void cli_print_overview(FILE *file) {
  fprintf(file,
          "supple %s: dynamic skinning for characters\n\n"
          "usage: supple VERB [INPUT...] [-o OUTPUT] [options]\n\n",
          sup_version());
  for (const CliVerb *const *verb = cli_verbs; *verb; verb++) {
    fprintf(file, "  %-10s %s\n", (*verb)->name, (*verb)->summary);
  }
  fprintf(file, "\n'supple VERB --help' tells more, with an example.\n");
}
