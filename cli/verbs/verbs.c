/* SPDX-License-Identifier: MIT */
/* The table of verbs, and how a command line finds its way through it. */
#include <string.h>

#include "verbs/verb.h"

const CliVerb *const cli_verbs[] = {
    &cli_verb_demo,    &cli_verb_add,      &cli_verb_make,
    &cli_verb_build,   &cli_verb_learn,    &cli_verb_info,
    &cli_verb_convert, &cli_verb_simulate, &cli_verb_paint,
    &cli_verb_patches, &cli_verb_play,     &cli_verb_compare,
    &cli_verb_view,    &cli_verb_bench,    &cli_verb_reproduce,
    &cli_verb_version, &cli_verb_help,     NULL,
};

const CliOption cli_global_options[] = {
    {.name = "json",
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "write the full report as JSON: results, timings, seeds, hashes of the inputs"},
    {.name = "threads",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the number of threads",
     .otherwise = "all processors",
     .low = 1,
     .high = 256},
    {.name = "seed",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "set the seed of all random numbers",
     .fallback = "1",
     .low = 0,
     .high = 9007199254740991.0},
    {.name = "max-memory",
     .kind = CLI_SIZE,
     .value_name = "SIZE",
     .help = "limit the memory, for example to 2G; 0: no limit"},
    {.name = "verbose", .kind = CLI_FLAG, .help = "also print figures for experts"},
    {.name = "quiet", .kind = CLI_FLAG, .help = "print nothing to stdout and show no progress"},
    {.name = "help", .letter = 'h', .kind = CLI_FLAG, .help = "show this page"},
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
  char hint[96];
  size_t count = 0;
  if (name[0] == '-') {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "'%s' stands where the verb should be; options follow it: supple VERB FILE "
                    "%s ... ('supple help' lists the verbs)",
                    name, name);
  }
  if (strchr(name, '.')) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "'%s' is not a verb; say first what to do with it, for example `supple info "
                    "%s` or `supple add %s -o OUT.glb`",
                    name, name, name);
  }
  for (; cli_verbs[count]; count++) names[count] = cli_verbs[count]->name;
  sup_did_you_mean(hint, sizeof hint, sup_nearest_name(name, names, count));
  return sup_fail(error, SUP_ERROR_ARGUMENT, "unknown verb '%s'%s ('supple help' lists them all)",
                  name, hint);
}

/* ---- Kinds ---------------------------------------------------------------------------------- */

SupResult cli_kind_find(const CliVerb *verb, const char *name, const CliVerb **out_kind,
                        SupError *error) {
  const char *names[32];
  char all[256] = "", hint[96];
  size_t length = 0, count = 0;
  for (const CliVerb *const *kind = verb->kinds; *kind; kind++) {
    if (strcmp((*kind)->name, name) == 0) {
      *out_kind = *kind;
      return SUP_OK;
    }
    if (count < sizeof names / sizeof *names) names[count++] = (*kind)->name;
    if (length >= sizeof all) continue;
    length +=
        sup_format(all + length, sizeof all - length, "%s%s", length ? ", " : "", (*kind)->name);
  }
  if (strchr(name, '.')) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "say what to %s before the file, one of %s: supple %s %s %s", verb->name, all,
                    verb->name, names[0], name);
  }
  sup_did_you_mean(hint, sizeof hint, sup_nearest_name(name, names, count));
  return sup_fail(error, SUP_ERROR_ARGUMENT, "cannot %s '%s'; there are: %s%s", verb->name, name,
                  all, hint);
}

SupResult cli_kind_choose(const CliVerb *verb, int word_count, char *const *words,
                          const CliVerb **out_kind, SupError *error) {
  /* An option in front of the kind may be any kind's: all agree on which ones have a value. */
  const CliOption *tables[32] = {cli_global_options, verb->options};
  size_t count = 2;
  *out_kind = NULL;
  if (!verb->kinds) return SUP_OK;
  for (const CliVerb *const *kind = verb->kinds; *kind; kind++) {
    if (count < sizeof tables / sizeof *tables) tables[count++] = (*kind)->options;
  }
  const char *name = cli_first_operand(count, tables, word_count, words);
  return name ? cli_kind_find(verb, name, out_kind, error) : SUP_OK;
}

/* Refuses options that only other kinds have. */
static SupResult check_foreign(const CliVerb *verb, const CliVerb *chosen, int word_count,
                               char *const *words, SupError *error) {
  for (int k = 0; k < word_count && strcmp(words[k], "--") != 0; k++) {
    char known[160] = "";
    size_t length = 0;
    const CliOption *option = NULL;
    if (words[k][0] != '-' || cli_option_find(chosen->options, words[k]) ||
        cli_option_find(verb->options, words[k]) || cli_option_find(cli_global_options, words[k])) {
      continue;
    }
    for (const CliVerb *const *kind = verb->kinds; *kind; kind++) {
      const CliOption *found = cli_option_find((*kind)->options, words[k]);
      if (!found || length >= sizeof known) continue;
      option = found;
      length += sup_format(known + length, sizeof known - length, "%s`%s %s`", length ? " or " : "",
                           verb->name, (*kind)->name);
    }
    if (!option) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s is for %s; leave it out", option->name, known);
  }
  return SUP_OK;
}

static SupResult check_operands(const CliVerb *verb, const CliVerb *kind,
                                const CliArguments *arguments, SupError *error) {
  const uint32_t count = arguments->operand_count;
  const char *middle = kind ? kind->name : "", *usage = kind ? kind->usage : verb->usage;
  if (count >= verb->least_operands && count <= verb->most_operands) return SUP_OK;
  if (count < verb->least_operands) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "an argument is missing; usage: supple %s %s%s%s",
                    verb->name, middle, kind ? " " : "", usage);
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT, "unexpected argument '%s'; usage: supple %s %s%s%s",
                  arguments->operands[verb->most_operands], verb->name, middle, kind ? " " : "",
                  usage);
}

/* A better sentence where an option is missing that must be given: `supple add`, and `supple add
 * IN.glb OUT.glb`. */
static SupResult explain_missing(const CliVerb *verb, const CliVerb *kind,
                                 const CliArguments *arguments, SupError *error) {
  const uint32_t count = arguments->operand_count;
  if (count < verb->least_operands) return check_operands(verb, kind, arguments, error);
  for (const CliOption *option = verb->options; option && option->name; option++) {
    if (!option->required || option->letter != 'o' || cli_count(arguments, option->name)) continue;
    if (count != verb->most_operands + 1) return SUP_ERROR_ARGUMENT;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "-o is missing; did you mean '-o %s'?",
                    arguments->operands[count - 1]);
  }
  return SUP_ERROR_ARGUMENT;
}

SupResult cli_verb_parse(SupArena *arena, const CliVerb *verb, int word_count, char *const *words,
                         const CliVerb **out_kind, CliArguments *out_arguments, SupError *error) {
  SupResult result = cli_kind_choose(verb, word_count, words, out_kind, error);
  const CliVerb *kind = result == SUP_OK ? *out_kind : NULL;
  if (kind) result = check_foreign(verb, kind, word_count, words, error);
  if (result != SUP_OK) return result;
  const CliOption *const tables[CLI_TABLES] = {kind ? kind->options : NULL, verb->options,
                                               cli_global_options};
  *out_arguments = (CliArguments){0};
  result = cli_parse_tables(arena, tables, word_count, words, out_arguments, error);
  if (result == SUP_ERROR_ARGUMENT && out_arguments->values) {
    return explain_missing(verb, kind, out_arguments, error);
  }
  return result == SUP_OK ? check_operands(verb, kind, out_arguments, error) : result;
}
