/* SPDX-License-Identifier: MIT */
/* Manual pages in roff, from the same tables as the help, and the files that are installed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "help/help.h"
#include "supple/io/file.h"

/* ---- Roff ----------------------------------------------------------------------------------- */

/* Text that means nothing to roff. */
static void put(FILE *file, const char *text, size_t length) {
  for (size_t k = 0; k < length; k++) {
    if (k == 0 && (text[k] == '.' || text[k] == '\'')) fputs("\\&", file);
    if (text[k] == '\\') {
      fputs("\\e", file);
    } else if (text[k] == '-') {
      fputs("\\-", file);
    } else if (text[k] == '\'') {
      fputs("\\(aq", file);
    } else if (text[k] == '`') {
      fputs("\\(ga", file);
    } else {
      fputc(text[k], file);
    }
  }
}

static void put_text(FILE *file, const char *text) { put(file, text, strlen(text)); }

/* "supple-build-surface", for file names and headings. */
static void page_name(const CliVerb *verb, const CliVerb *kind, char *name, size_t size) {
  snprintf(name, size, "supple%s%s%s%s", verb ? "-" : "", verb ? verb->name : "", kind ? "-" : "",
           kind ? kind->name : "");
}

static void begin_page(FILE *file, const char *name, const char *summary) {
  fputs(".TH \"", file);
  for (const char *c = name; *c; c++) {
    const char upper = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    put(file, &upper, 1);
  }
  fprintf(file, "\" 1 \"\" \"Supple %s\" \"Supple manual\"\n.SH NAME\n", sup_version());
  put_text(file, name);
  fputs(" \\- ", file);
  put_text(file, summary);
  fputs("\n.SH SYNOPSIS\n", file);
}

/* Paragraphs; lines that begin with a blank stay as they are. */
static void put_details(FILE *file, const char *text) {
  bool as_is = false;
  while (*text) {
    const size_t length = strcspn(text, "\n");
    const bool indented = *text == ' ';
    if (indented != as_is && length) {
      fputs(indented ? ".PP\n.nf\n" : ".fi\n.PP\n", file);
      as_is = indented;
    }
    if (length == 0) {
      if (!as_is) fputs(".PP\n", file);
    } else {
      put(file, text, length);
      fputc('\n', file);
    }
    text += length + (text[length] == '\n');
  }
  if (as_is) fputs(".fi\n", file);
}

static void put_options(FILE *file, const CliOption *option, bool advanced) {
  for (; option && option->name; option++) {
    char value[160], text[512];
    if (option->advanced != advanced) continue;
    fputs(".TP\n", file);
    if (option->letter) fprintf(file, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", file);
    put_text(file, option->name);
    fputs("\\fR", file);
    if (*cli_option_value(option, value, sizeof value)) {
      fputs(" \\fI", file);
      put_text(file, value);
      fputs("\\fR", file);
    }
    cli_option_text(option, text, sizeof text);
    fputc('\n', file);
    put_text(file, text);
    fputc('\n', file);
  }
}

static void put_section(FILE *file, const char *heading, const CliOption *shared,
                        const CliOption *own, bool advanced) {
  if (!cli_options_any(own, advanced) && !cli_options_any(shared, advanced)) return;
  fprintf(file, ".SH %s\n", heading);
  put_options(file, advanced ? own : shared, advanced);
  put_options(file, advanced ? shared : own, advanced);
}

static void put_list(FILE *file, const CliVerb *const *pages) {
  for (; *pages; pages++) {
    fprintf(file, ".TP\n\\fB%s\\fR\n", (*pages)->name);
    put_text(file, (*pages)->summary);
    fputc('\n', file);
  }
}

static void put_example(void *user, const char *text, int length) {
  put(user, text, (size_t)length);
  fputc('\n', user);
}

/* The pages beside this one. */
static void put_others(FILE *file, const CliVerb *verb, const CliVerb *kind) {
  const CliVerb *const *others = !verb ? cli_verbs : verb->kinds && !kind ? verb->kinds : NULL;
  char name[64];
  fputs(".SH SEE ALSO\n", file);
  if (verb) fputs("\\fBsupple\\fR(1)", file);
  if (kind) {
    page_name(verb, NULL, name, sizeof name);
    fputs(",\n\\fB", file);
    put_text(file, name);
    fputs("\\fR(1)", file);
  }
  for (size_t k = 0; others && others[k]; k++) {
    page_name(verb ? verb : others[k], verb ? others[k] : NULL, name, sizeof name);
    fputs(verb || k ? ",\n\\fB" : "\\fB", file);
    put_text(file, name);
    fputs("\\fR(1)", file);
  }
  fputc('\n', file);
}

static void put_exit_status(FILE *file) {
  fputs(
      ".SH EXIT STATUS\n"
      ".TP\n0\nEverything was done.\n"
      ".TP\n1\nSomething could not be done; one line on stderr says what, where and what to do.\n"
      ".TP\n2\nThe command line is wrong.\n",
      file);
}

static void print_tool(FILE *file) {
  begin_page(file, "supple", "dynamic skinning for characters");
  fputs(
      "\\fBsupple\\fR \\fIVERB\\fR [\\fIINPUT\\fR...] [\\fB\\-o\\fR \\fIOUTPUT\\fR] [options]\n"
      ".SH DESCRIPTION\n"
      "Gives a rigged character secondary motion: flesh that jiggles, muscles that bulge and\n"
      "quiver. A file's extension decides its format. A file is written whole or not at all.\n"
      ".SH VERBS\n",
      file);
  put_list(file, cli_verbs);
  fputs(".SH OPTIONS OF EVERY VERB\n", file);
  put_options(file, cli_global_options, false);
  put_exit_status(file);
  put_others(file, NULL, NULL);
}

void cli_print_manual(FILE *file, const CliVerb *verb, const CliVerb *kind) {
  const CliVerb *page = kind ? kind : verb;
  char name[64];
  if (!verb) {
    print_tool(file);
    return;
  }
  page_name(verb, kind, name, sizeof name);
  begin_page(file, name, page->summary);
  fprintf(file, "\\fBsupple %s%s%s\\fR ", verb->name, kind ? " " : "", kind ? kind->name : "");
  put_text(file, page->usage);
  fputc('\n', file);
  if (page->details) {
    fputs(".SH DESCRIPTION\n", file);
    put_details(file, page->details);
  }
  if (verb->kinds && !kind) {
    fputs(".SH KINDS\n", file);
    put_list(file, verb->kinds);
  }
  const CliOption *own = kind ? kind->options : NULL;
  put_section(file, verb->kinds && !kind ? "OPTIONS OF EVERY KIND" : "OPTIONS", verb->options, own,
              false);
  put_section(file, "ADVANCED OPTIONS", verb->options, own, true);
  fputs(".SH OPTIONS OF EVERY VERB\n", file);
  put_options(file, cli_global_options, false);
  put_exit_status(file);
  fputs(".SH EXAMPLE\n.nf\n", file);
  cli_each_example(page, put_example, file);
  fputs(".fi\n", file);
  put_others(file, verb, kind);
}

/* ---- Files ---------------------------------------------------------------------------------- */

typedef struct Share {
  CliContext *cli;
  const char *folder;
  uint32_t count;
  SupResult result;
  SupError *error;
} Share;

/* Makes all folders in front of the last name of a path. */
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0777); /* where it fails, so does writing the file, with a sentence */
    *slash = '/';
  }
}

/* Writes what `print` prints, unless something failed before. */
static void save(Share *pages, const char *place, const char *name,
                 void (*print)(FILE *file, const CliVerb *verb, const CliVerb *kind),
                 const CliVerb *verb, const CliVerb *kind) {
  char path[4096], *text = NULL;
  size_t length = 0;
  if (pages->result != SUP_OK) return;
  if (sup_format(path, sizeof path, "%s/%s/%s", pages->folder, place, name) >= sizeof path) {
    pages->result = sup_fail(pages->error, SUP_ERROR_IO, "%s: the name is too long", pages->folder);
    return;
  }
  FILE *memory = open_memstream(&text, &length);
  if (!memory) {
    pages->result = sup_fail_memory(pages->error, NULL);
    return;
  }
  print(memory, verb, kind);
  if (fclose(memory) == 0) {
    make_folders(path);
    pages->result = sup_file_save(pages->cli->allocator, path, text, length, pages->error);
  } else {
    pages->result = sup_fail_memory(pages->error, NULL);
  }
  free(text);
  pages->count++;
}

static void save_page(Share *pages, const CliVerb *verb, const CliVerb *kind) {
  char name[64], file[80];
  page_name(verb, kind, name, sizeof name);
  snprintf(file, sizeof file, "%s.1", name);
  save(pages, "man/man1", file, cli_print_manual, verb, kind);
}

static void print_bash(FILE *file, const CliVerb *verb, const CliVerb *kind) {
  (void)verb, (void)kind;
  cli_print_bash(file);
}

static void print_zsh(FILE *file, const CliVerb *verb, const CliVerb *kind) {
  (void)verb, (void)kind;
  cli_print_zsh(file);
}

SupResult cli_write_manual(CliContext *cli, const char *folder, SupError *error) {
  Share pages = {.cli = cli, .folder = folder, .error = error};
  save_page(&pages, NULL, NULL);
  for (const CliVerb *const *verb = cli_verbs; *verb; verb++) {
    save_page(&pages, *verb, NULL);
    for (const CliVerb *const *kind = (*verb)->kinds; kind && *kind; kind++) {
      save_page(&pages, *verb, *kind);
    }
  }
  save(&pages, "bash-completion/completions", "supple", print_bash, NULL, NULL);
  save(&pages, "zsh/site-functions", "_supple", print_zsh, NULL, NULL);
  if (pages.result != SUP_OK) return pages.result;
  cli_say(cli, "%s: %u files\n", folder, pages.count);
  cli_report_integer(cli->report, "files", pages.count);
  return SUP_OK;
}
