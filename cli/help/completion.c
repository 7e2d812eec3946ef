/* SPDX-License-Identifier: MIT */
/* Completion scripts for bash and zsh, from the same tables as the help. */
#include <string.h>

#include "help/help.h"

/* Calls visit(file, verb, kind) for every page; kind NULL is the verb itself. */
static void each_page(FILE *file,
                      void (*visit)(FILE *file, const CliVerb *verb, const CliVerb *kind)) {
  for (const CliVerb *const *verb = cli_verbs; *verb; verb++) {
    visit(file, *verb, NULL);
    for (const CliVerb *const *kind = (*verb)->kinds; kind && *kind; kind++) {
      visit(file, *verb, *kind);
    }
  }
}

/* The options of a page in one list, every verb's apart. */
static void each_option(FILE *file, const CliVerb *verb, const CliVerb *kind,
                        void (*visit)(FILE *file, const char *page, const CliOption *option)) {
  const CliOption *tables[] = {kind ? kind->options : NULL, verb->options};
  char page[64];
  snprintf(page, sizeof page, "%s%s%s", verb->name, kind ? " " : "", kind ? kind->name : "");
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    for (const CliOption *option = tables[t]; option && option->name; option++) {
      visit(file, page, option);
    }
  }
}

static void put_names(FILE *file, const CliVerb *const *pages) {
  for (const CliVerb *const *page = pages; *page; page++) {
    fprintf(file, "%s%s", page == pages ? "" : " ", (*page)->name);
  }
}

/* ---- Bash ----------------------------------------------------------------------------------- */

static void put_option_name(FILE *file, const char *page, const CliOption *option) {
  (void)page;
  if (option->letter) fprintf(file, "-%c ", option->letter);
  fprintf(file, "--%s ", option->name);
}

static void put_bash_options(FILE *file, const CliVerb *verb, const CliVerb *kind) {
  fprintf(file, "    '%s%s%s') printf '%%s' '", verb->name, kind ? " " : "",
          kind ? kind->name : "");
  each_option(file, verb, kind, put_option_name);
  fputs("' ;;\n", file);
}

/* What completes the value: words, or a word with @ that _supple knows. Flags have none. */
static void put_bash_value(FILE *file, const char *page, const CliOption *option) {
  if (option->kind == CLI_FLAG) return;
  fprintf(file, "    '%s --%s'", page, option->name);
  if (option->letter) fprintf(file, "|'%s -%c'", page, option->letter);
  fputs(") printf '%s' '", file);
  if (option->kind == CLI_CHOICE) {
    for (size_t k = 0; option->choices[k]; k++) {
      fprintf(file, "%s%s", k ? " " : "", option->choices[k]);
    }
  } else if (option->kind == CLI_INPUT || option->kind == CLI_OUTPUT) {
    fputs("@file", file);
  } else {
    fputs(option->kind == CLI_FOLDER ? "@folder" : "@any", file);
  }
  fputs("' ;;\n", file);
}

static void put_bash_values(FILE *file, const CliVerb *verb, const CliVerb *kind) {
  each_option(file, verb, kind, put_bash_value);
}

static void put_bash_kinds(FILE *file) {
  for (const CliVerb *const *verb = cli_verbs; *verb; verb++) {
    if (!(*verb)->kinds) continue;
    fprintf(file, "    %s) kinds='", (*verb)->name);
    put_names(file, (*verb)->kinds);
    fputs("' ;;\n", file);
  }
}

static const char bash_function[] =
    "_supple() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  local verb=${COMP_WORDS[1]} page kinds='' words='' value k\n"
    "  COMPREPLY=()\n"
    "  if ((COMP_CWORD == 1)); then\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$_supple_verbs --help --version\" -- \"$cur\")\n"
    "    return\n"
    "  fi\n"
    "  # --name=VALUE comes as three words.\n"
    "  if [[ $cur == = ]]; then\n"
    "    cur=''\n"
    "  elif [[ $prev == = ]]; then\n"
    "    prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  fi\n"
    "  page=$verb\n"
    "  case $verb in\n"
    "%s"
    "  esac\n"
    "  for ((k = 2; k < COMP_CWORD; k++)); do\n"
    "    if [[ \" $kinds \" == *\" ${COMP_WORDS[k]} \"* ]]; then\n"
    "      page=\"$verb ${COMP_WORDS[k]}\" kinds=''\n"
    "      break\n"
    "    fi\n"
    "  done\n"
    "  value=$(_supple_value \"$page\" \"$prev\")\n"
    "  case $value in\n"
    "    '') ;;\n"
    "    @any) return ;;\n"
    "    @file) compopt -o filenames 2> /dev/null\n"
    "      mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "      return ;;\n"
    "    @folder) compopt -o filenames 2> /dev/null\n"
    "      mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
    "      return ;;\n"
    "    *) mapfile -t COMPREPLY < <(compgen -W \"$value\" -- \"$cur\")\n"
    "      return ;;\n"
    "  esac\n"
    "  if [[ $cur == -* ]]; then\n"
    "    words=$(_supple_options \"$page\")\n"
    "  elif [[ $verb == help ]]; then\n"
    "    words=$_supple_verbs\n"
    "  elif [[ -n $kinds ]]; then\n"
    "    words=$kinds\n"
    "  else\n"
    "    compopt -o filenames 2> /dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "    return\n"
    "  fi\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
    "}\n"
    "complete -F _supple supple\n";

void cli_print_bash(FILE *file) {
  fputs(
      "# shellcheck shell=bash\n"
      "# Completes `supple` in bash. Written by `supple help --completion bash`.\n"
      "_supple_verbs='",
      file);
  put_names(file, cli_verbs);
  fputs("'\n\n# The options of a page, as words.\n_supple_options() {\n  case $1 in\n", file);
  each_page(file, put_bash_options);
  fputs("  esac\n  printf '%s' '", file);
  for (const CliOption *o = cli_global_options; o->name; o++) put_option_name(file, NULL, o);
  fputs(
      "'\n}\n\n"
      "# What completes the value of an option: words, @file, @folder, @any; nothing for a flag.\n"
      "_supple_value() {\n  case \"$1 $2\" in\n",
      file);
  each_page(file, put_bash_values);
  for (const CliOption *o = cli_global_options; o->name; o++) {
    if (o->kind == CLI_FLAG) continue;
    fprintf(file, "    *' --%s') printf '%%s' '%s' ;;\n", o->name,
            o->kind == CLI_OUTPUT ? "@file" : "@any");
  }
  fputs("  esac\n}\n\n", file);
  /* The kinds go into the middle of the function. */
  const char *gap = strstr(bash_function, "%s");
  fwrite(bash_function, 1, (size_t)(gap - bash_function), file);
  put_bash_kinds(file);
  fputs(gap + 2, file);
}

/* ---- Zsh ------------------------------------------------------------------------------------ */

/* Inside single quotes, with what _arguments and _describe would take for their own. */
static void put_quoted(FILE *file, const char *text) {
  for (; *text; text++) {
    if (*text == '\'') {
      fputs("'\\''", file);
    } else {
      if (strchr("[]:\\", *text)) fputc('\\', file);
      fputc(*text, file);
    }
  }
}

static void put_zsh_option(FILE *file, const char *page, const CliOption *option) {
  char value[160];
  (void)page;
  fputs(" \\\n        ", file);
  if (option->letter) {
    fprintf(file, "'(-%c --%s)'{-%c,--%s%s}'", option->letter, option->name, option->letter,
            option->name, option->kind == CLI_FLAG ? "" : "=");
  } else {
    fprintf(file, "'%s--%s%s", option->repeated ? "*" : "", option->name,
            option->kind == CLI_FLAG ? "" : "=");
  }
  fputc('[', file);
  put_quoted(file, option->help);
  fputc(']', file);
  if (option->kind != CLI_FLAG) {
    fputc(':', file);
    put_quoted(file, option->kind == CLI_CHOICE ? option->name
                                                : cli_option_value(option, value, sizeof value));
    fputc(':', file);
  }
  if (option->kind == CLI_CHOICE) {
    fputc('(', file);
    for (size_t k = 0; option->choices[k]; k++) {
      fprintf(file, "%s%s", k ? " " : "", option->choices[k]);
    }
    fputc(')', file);
  } else if (option->kind == CLI_INPUT || option->kind == CLI_OUTPUT) {
    fputs("_files", file);
  } else if (option->kind == CLI_FOLDER) {
    fputs("_files -/", file);
  }
  fputc('\'', file);
}

static void put_zsh_arguments(FILE *file, const CliVerb *verb, const CliVerb *kind) {
  fputs("_arguments -s -S", file);
  each_option(file, verb, kind, put_zsh_option);
  for (const CliOption *o = cli_global_options; o->name; o++) put_zsh_option(file, NULL, o);
  fprintf(file, " \\\n        '*:%s' ;;\n",
          verb == &cli_verb_help ? "verb:($verb_names)" : "file:_files");
}

static void put_zsh_list(FILE *file, const char *name, const CliVerb *const *pages) {
  fprintf(file, "  %s=(\n", name);
  for (; *pages; pages++) {
    fprintf(file, "    '%s:", (*pages)->name);
    put_quoted(file, (*pages)->summary);
    fputs("'\n", file);
  }
  fputs("  )\n", file);
}

static void put_zsh_kinds(FILE *file, const CliVerb *verb) {
  fprintf(file, "    %s)\n", verb->name);
  put_zsh_list(file, "kinds", verb->kinds);
  fputs(
      "      if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
      "        _describe kind kinds\n"
      "        return\n"
      "      fi\n"
      "      page=\"$page $words[2]\"\n"
      "      shift words\n"
      "      (( CURRENT-- )) ;;\n",
      file);
}

static void put_zsh_page(FILE *file, const CliVerb *verb, const CliVerb *kind) {
  if (verb->kinds && !kind) return;
  fprintf(file, "    '%s%s%s')\n      ", verb->name, kind ? " " : "", kind ? kind->name : "");
  put_zsh_arguments(file, verb, kind);
}

void cli_print_zsh(FILE *file) {
  fputs(
      "#compdef supple\n"
      "# Completes `supple` in zsh. Written by `supple help --completion zsh`.\n"
      "_supple() {\n"
      "  local page\n"
      "  local -a verbs kinds verb_names\n",
      file);
  put_zsh_list(file, "verbs", cli_verbs);
  fputs(
      "  verb_names=(${verbs%%:*})\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  page=$words[1]\n"
      "  case $page in\n",
      file);
  for (const CliVerb *const *verb = cli_verbs; *verb; verb++) {
    if ((*verb)->kinds) put_zsh_kinds(file, *verb);
  }
  fputs("  esac\n  case $page in\n", file);
  each_page(file, put_zsh_page);
  fputs("    *) _files ;;\n  esac\n}\n_supple \"$@\"\n", file);
}
