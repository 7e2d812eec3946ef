/* SPDX-License-Identifier: MIT */
/* The help pages, written from the tables of verbs, kinds and options. */
#include "help/help.h"

#include <string.h>

/* ---- Options -------------------------------------------------------------------------------- */

const char *cli_option_value(const CliOption *option, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  if (option->value_name) {
    snprintf(text, size, "%s", option->value_name);
    return text;
  }
  for (size_t k = 0; option->choices && option->choices[k] && used < size; k++) {
    used += (size_t)snprintf(text + used, size - used, "%s%s", k ? "|" : "", option->choices[k]);
  }
  return text;
}

/* Adds "; note" to the notes in brackets. */
static void add_note(char *text, size_t size, bool *io_open, const char *before, const char *note) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%s%s", *io_open ? "; " : " (", before, note);
  *io_open = true;
}

void cli_option_text(const CliOption *option, char *text, size_t size) {
  bool open = false;
  char range[64];
  snprintf(text, size, "%s", option->help);
  if (option->high > 1e15) { /* no bound that anybody would choose */
    snprintf(range, sizeof range, "%.16g or more", option->low);
    add_note(text, size, &open, "", range);
  } else if (option->low != 0 || option->high != 0) {
    snprintf(range, sizeof range, "%.16g..%.16g", option->low, option->high);
    add_note(text, size, &open, "", range);
  }
  if (option->fallback || option->otherwise) {
    add_note(text, size, &open,
             "default: ", option->otherwise ? option->otherwise : option->fallback);
  }
  if (option->required) add_note(text, size, &open, "", "required");
  if (option->repeated) add_note(text, size, &open, "", "may be repeated");
  const size_t used = strlen(text);
  if (open) snprintf(text + used, size - used, ")");
}

bool cli_options_any(const CliOption *table, bool advanced) {
  for (; table && table->name; table++) {
    if (table->advanced == advanced) return true;
  }
  return false;
}

enum { HELP_INDENT = 27, HELP_WIDTH = 72 };

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

static void print_options(FILE *file, const CliOption *option, bool advanced) {
  for (; option && option->name; option++) {
    char value[160], left[200], letter[8] = "", text[512];
    if (option->advanced != advanced) continue;
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    cli_option_value(option, value, sizeof value);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, *value ? " " : "", value);
    cli_option_text(option, text, sizeof text);
    fprintf(file, "  %-*s", HELP_INDENT - 3, left);
    if (strlen(left) > HELP_INDENT - 3) {
      fprintf(file, "\n%*s", HELP_INDENT, "");
    } else {
      fputc(' ', file);
    }
    print_wrapped(file, text);
  }
}

/* The options of the kind and of the verb: usual or advanced. */
static void print_section(FILE *file, const char *heading, const CliOption *shared,
                          const CliOption *own, bool advanced) {
  if (!cli_options_any(own, advanced) && !cli_options_any(shared, advanced)) return;
  fprintf(file, "%s\n", heading);
  print_options(file, advanced ? own : shared, advanced); /* the output first, rarities last */
  print_options(file, advanced ? shared : own, advanced);
  fputc('\n', file);
}

/* ---- Pages ---------------------------------------------------------------------------------- */

void cli_each_example(const CliVerb *page, void (*line)(void *user, const char *text, int length),
                      void *user) {
  if (page != &cli_verb_make && strstr(page->example, "mochi.glb")) {
    line(user, cli_verb_make.example, (int)strlen(cli_verb_make.example));
  }
  for (const char *at = page->example; *at;) {
    const int length = (int)strcspn(at, "\n");
    line(user, at, length);
    at += length + (at[length] == '\n');
  }
}

static void print_line(void *user, const char *text, int length) {
  fprintf(user, "  %.*s\n", length, text);
}

static void print_kinds(FILE *file, const CliVerb *verb) {
  fprintf(file, "Kinds ('supple %s KIND --help' shows the options of one)\n", verb->name);
  for (const CliVerb *const *kind = verb->kinds; *kind; kind++) {
    fprintf(file, "  %-12s %s\n", (*kind)->name, (*kind)->summary);
  }
  fputc('\n', file);
}

void cli_print_help(FILE *file, const CliVerb *verb, const CliVerb *kind) {
  const CliVerb *page = kind ? kind : verb;
  char name[64];
  snprintf(name, sizeof name, "%s%s%s", verb->name, kind ? " " : "", kind ? kind->name : "");
  fprintf(file, "supple %s: %s\n\nusage: supple %s %s\n\n", name, page->summary, name, page->usage);
  if (page->details) fprintf(file, "%s\n", page->details);
  if (verb->kinds && !kind) print_kinds(file, verb);
  const CliOption *own = kind ? kind->options : NULL;
  print_section(file, verb->kinds && !kind ? "Options of every kind" : "Options", verb->options,
                own, false);
  print_section(file, "Advanced options", verb->options, own, true);
  fprintf(file, "Options of every verb\n");
  print_options(file, cli_global_options, false);
  fprintf(file, "\nExample\n");
  cli_each_example(page, print_line, file);
}

void cli_print_overview(FILE *file) {
  fprintf(file,
          "supple %s: dynamic skinning for characters\n\n"
          "usage: supple VERB [INPUT...] [-o OUTPUT] [options]\n\n",
          sup_version());
  for (const CliVerb *const *verb = cli_verbs; *verb; verb++) {
    fprintf(file, "  %-10s %s\n", (*verb)->name, (*verb)->summary);
  }
  fprintf(file, "\n'supple VERB --help' explains a verb, with an example.\n");
}
