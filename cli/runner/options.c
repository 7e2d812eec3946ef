/* SPDX-License-Identifier: MIT */
/* Parses a command line against tables of options. */
#include "runner/options.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT 64 /* of an unknown option, in a sentence */

/* ---- Values --------------------------------------------------------------------------------- */

static SupResult refuse(SupError *error, const CliOption *option, const char *text,
                        const char *expected) {
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: '%s' is not %s", option->name, text, expected);
}

static bool in_range(const CliOption *option, double value) {
  const bool bounded = option->low != 0 || option->high != 0;
  return !bounded || (value >= option->low && value <= option->high);
}

static SupResult check_range(const CliOption *option, double value, const char *text,
                             SupError *error) {
  if (in_range(option, value)) return SUP_OK;
  const char *side = value < option->low ? "small" : "large";
  if (option->high > 1e15) { /* no bound that anybody would choose */
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: %s is too %s; give a number from %.16g on",
                    option->name, text, side, option->low);
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "--%s: %s is too %s; give a number from %.16g to %.16g", option->name, text, side,
                  option->low, option->high);
}

/* "--amount: '50%' is not a number from 0 to 1" */
static SupResult refuse_number(SupError *error, const CliValue *value, const char *expected) {
  const CliOption *option = value->option;
  char range[120];
  sup_format(range, sizeof range, "%s", expected);
  if ((option->low != 0 || option->high != 0) && option->high <= 1e15) {
    sup_format(range, sizeof range, "%s from %.16g to %.16g", expected, option->low, option->high);
  }
  return refuse(error, option, value->text, range);
}

static SupResult parse_integer(CliValue *value, SupError *error) {
  char *end;
  errno = 0;
  long long number = strtoll(value->text, &end, 10);
  if (end == value->text || *end || errno) {
    return refuse_number(error, value, "a whole number");
  }
  value->integer = number;
  return check_range(value->option, (double)number, value->text, error);
}

static SupResult parse_number(CliValue *value, SupError *error) {
  char *end;
  double number = strtod(value->text, &end);
  if (end == value->text || *end || !isfinite(number)) {
    /* Fractions only: other ranges may be in per cent themselves. */
    const bool percent = end != value->text && strcmp(end, "%") == 0 && value->option->high == 1;
    SupResult result = refuse_number(error, value, "a number");
    if (!percent || !in_range(value->option, number / 100)) return result;
    const SupError said = *error;
    return sup_fail(error, result, "%s; for %s give %.6g", said.text, value->text, number / 100);
  }
  value->number = number;
  return check_range(value->option, number, value->text, error);
}

static SupResult parse_size(CliValue *value, SupError *error) {
  static const char units[] = "KMGT";
  char *end;
  double number = strtod(value->text, &end);
  bool valid = end != value->text && isfinite(number) && number >= 0;
  if (valid && *end) {
    const char *unit = strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end);
    const char *rest = unit && end[1] == 'i' ? end + 2 : end + 1; /* 2G, 2GB, 2GiB */
    valid = unit && (*rest == 0 || ((*rest == 'B' || *rest == 'b') && rest[1] == 0));
    if (valid) number *= exp2(10.0 * (double)(unit - units + 1));
  }
  if (!valid || (number > 0 && number < 1) || number > 1e18) {
    return refuse(error, value->option, value->text, "a size such as 500M or 2G");
  }
  value->integer = (int64_t)number;
  return SUP_OK;
}

static SupResult parse_choice(CliValue *value, SupError *error) {
  const char *const *choices = value->option->choices;
  char list[256] = "", hint[96];
  size_t count = 0, length = 0;
  for (; choices[count]; count++) {
    if (length < sizeof list) {
      length += sup_format(list + length, sizeof list - length, "%s%s", count ? ", " : "",
                           choices[count]);
    }
  }
  const SupNameList names = {choices, sizeof *choices, count};
  const size_t found = sup_name_find(value->text, names);
  if (found < count && strlen(choices[found]) == strlen(value->text)) { /* capitals, no parts */
    value->integer = (int64_t)found;
    value->text = choices[found];
    return SUP_OK;
  }
  sup_did_you_mean(hint, sizeof hint, sup_nearest_name(value->text, choices, count));
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: '%s' is not one of %s%s", value->option->name,
                  value->text, list, hint);
}

static SupResult parse_value(CliValue *value, SupError *error) {
  switch (value->option->kind) {
    case CLI_INTEGER: return parse_integer(value, error);
    case CLI_NUMBER: return parse_number(value, error);
    case CLI_SIZE: return parse_size(value, error);
    case CLI_CHOICE: return parse_choice(value, error);
    case CLI_INPUT:
    case CLI_OUTPUT:
    case CLI_FOLDER:
      if (value->text[0]) return SUP_OK;
      return refuse(error, value->option, value->text, "a file name");
    case CLI_FLAG:
    case CLI_TEXT: break;
  }
  return SUP_OK;
}

/* ---- Words ---------------------------------------------------------------------------------- */

static const CliOption *find_name(size_t table_count, const CliOption *const *tables,
                                  const char *name, size_t length) {
  for (size_t t = 0; t < table_count; t++) {
    for (const CliOption *option = tables[t]; option && option->name; option++) {
      if (strncmp(option->name, name, length) == 0 && !option->name[length]) return option;
    }
  }
  return NULL;
}

/* The option of a word that begins with a dash, without its value; NULL: there is none. */
static const CliOption *find_option(size_t table_count, const CliOption *const *tables,
                                    const char *word, size_t length) {
  if (word[1] == '-') return find_name(table_count, tables, word + 2, length - 2);
  for (size_t t = 0; t < table_count && length == 2; t++) {
    for (const CliOption *option = tables[t]; option && option->name; option++) {
      if (option->letter == word[1]) return option;
    }
  }
  return NULL;
}

/* How much of a word names the option: "--name" of "--name=VALUE". */
static size_t option_length(const char *word) {
  return word[1] == '-' ? strcspn(word, "=") : strlen(word);
}

/* "-o=FILE" and "-oFILE", which other programs take: the value stands apart here. */
static SupResult refuse_joined(const CliOption *const *tables, const char *word, SupError *error) {
  const CliOption *option =
      word[1] != '-' && word[1] ? find_option(CLI_TABLES, tables, word, 2) : NULL;
  if (!option || option->kind == CLI_FLAG || !word[2]) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT, "unknown option '%s'; did you mean '-%c %s'?", word,
                  option->letter, word + 2 + (word[2] == '='));
}

static SupResult unknown_option(const CliOption *const *tables, const char *word, size_t length,
                                SupError *error) {
  const char *names[128];
  char name[NAME_LIMIT + 1], shown[NAME_LIMIT + 3], hint[NAME_LIMIT + 32];
  size_t count = 0;
  SupResult joined = refuse_joined(tables, word, error);
  if (joined != SUP_OK) return joined;
  for (size_t t = 0; t < CLI_TABLES; t++) {
    for (const CliOption *option = tables[t]; option && option->name; option++) {
      if (count < sizeof names / sizeof *names) names[count++] = option->name;
    }
  }
  while (length && *word == '-') {
    word++;
    length--;
  }
  sup_format(name, length + 1 < sizeof name ? length + 1 : sizeof name, "%s", word);
  const char *nearest = sup_nearest_name(name, names, count);
  if (nearest) sup_format(shown, sizeof shown, "--%s", nearest);
  sup_did_you_mean(hint, sizeof hint, nearest ? shown : NULL);
  return sup_fail(error, SUP_ERROR_ARGUMENT, "unknown option '%s%s'%s", length > 1 ? "--" : "-",
                  name, hint);
}

/* "-x" where a value is wanted is the next option, unless it is a negative number or "-". */
static bool looks_like_option(const char *word) {
  return word[0] == '-' && word[1] && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

typedef struct Words {
  int count, next;
  char *const *words;
} Words;

/* Reads one option with its value; words->next stands behind it afterwards. */
static SupResult parse_option(const CliOption *const *tables, Words *words, CliValue *out_value,
                              SupError *error) {
  const char *word = words->words[words->next++];
  const size_t length = option_length(word);
  const char *equals = word[length] ? word + length : NULL;
  const CliOption *option = find_option(CLI_TABLES, tables, word, length);
  if (!option) return unknown_option(tables, word, length, error);
  *out_value = (CliValue){.option = option, .given = true};
  if (option->kind == CLI_FLAG) {
    if (!equals) return SUP_OK;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s takes no value", option->name);
  }
  if (equals) {
    out_value->text = equals + 1;
  } else if (words->next < words->count && !looks_like_option(words->words[words->next])) {
    out_value->text = words->words[words->next++];
  } else {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s needs a value: %s %s", word, word,
                    option->value_name ? option->value_name : option->choices[0]);
  }
  return parse_value(out_value, error);
}

static const CliValue *find_value(const CliArguments *arguments, const CliOption *option) {
  for (uint32_t k = 0; k < arguments->value_count; k++) {
    if (arguments->values[k].option == option) return &arguments->values[k];
  }
  return NULL;
}

/* Options that were not given: the default, or a complaint. */
static SupResult fill_in(CliArguments *arguments, SupError *error) {
  for (size_t t = 0; t < CLI_TABLES; t++) {
    for (const CliOption *option = arguments->tables[t]; option && option->name; option++) {
      if (find_value(arguments, option)) continue;
      if (option->fallback) {
        CliValue *value = &arguments->values[arguments->value_count++];
        *value = (CliValue){.option = option, .text = option->fallback};
        SupResult result = parse_value(value, error);
        assert(result == SUP_OK); /* a table whose default is refused is a mistake */
        if (result != SUP_OK) return result;
      } else if (option->required) {
        char letter[3] = {'-', option->letter, 0};
        const char *value_name = option->value_name ? option->value_name : "VALUE";
        if (option->letter) {
          return sup_fail(error, SUP_ERROR_ARGUMENT, "%s %s (--%s) is missing; give it to %s",
                          letter, value_name, option->name, option->help);
        }
        return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s %s is missing; give it to %s",
                        option->name, value_name, option->help);
      }
    }
  }
  return SUP_OK;
}

static size_t table_size(const CliOption *table) {
  size_t count = 0;
  while (table && table[count].name) count++;
  return count;
}

const char *cli_first_operand(size_t table_count, const CliOption *const *tables, int word_count,
                              char *const *words) {
  for (int k = 0; k < word_count; k++) {
    const char *word = words[k];
    if (word[0] != '-' || !word[1]) return word;
    if (strcmp(word, "--") == 0) return k + 1 < word_count ? words[k + 1] : NULL;
    const size_t length = option_length(word);
    const CliOption *option = find_option(table_count, tables, word, length);
    const bool takes_next = option && option->kind != CLI_FLAG && !word[length];
    if (takes_next && k + 1 < word_count && !looks_like_option(words[k + 1])) k++;
  }
  return NULL;
}

const CliOption *cli_option_find(const CliOption *table, const char *word) {
  return word[0] == '-' && word[1] ? find_option(1, &table, word, option_length(word)) : NULL;
}

SupResult cli_parse(SupArena *arena, const CliOption *own, const CliOption *global, int word_count,
                    char *const *words, CliArguments *out_arguments, SupError *error) {
  const CliOption *const tables[CLI_TABLES] = {NULL, own, global};
  return cli_parse_tables(arena, tables, word_count, words, out_arguments, error);
}

SupResult cli_parse_tables(SupArena *arena, const CliOption *const tables[CLI_TABLES],
                           int word_count, char *const *words, CliArguments *out_arguments,
                           SupError *error) {
  CliArguments arguments = {0};
  size_t most = (size_t)word_count;
  for (size_t t = 0; t < CLI_TABLES; t++) {
    arguments.tables[t] = tables[t];
    most += table_size(tables[t]);
  }
  arguments.values = SUP_ALLOC(arena, CliValue, most);
  arguments.operands = SUP_ALLOC(arena, const char *, (size_t)word_count);
  if (!arguments.values || !arguments.operands) {
    return sup_fail(error, SUP_ERROR_MEMORY, "the command line does not fit into memory");
  }
  Words rest = {word_count, 0, words};
  bool options_ended = false;
  while (rest.next < rest.count) {
    const char *word = rest.words[rest.next];
    if (options_ended || word[0] != '-' || !word[1]) {
      arguments.operands[arguments.operand_count++] = word;
      rest.next++;
    } else if (strcmp(word, "--") == 0) {
      options_ended = true;
      rest.next++;
    } else {
      CliValue value;
      SupResult result = parse_option(arguments.tables, &rest, &value, error);
      if (result != SUP_OK) return result;
      if (!value.option->repeated && value.option->kind != CLI_FLAG &&
          find_value(&arguments, value.option)) {
        return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s is given twice; leave one out",
                        value.option->name);
      }
      arguments.values[arguments.value_count++] = value;
    }
  }
  SupResult result = fill_in(&arguments, error);
  *out_arguments = arguments;
  return result;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static const CliValue *value_of(const CliArguments *arguments, const char *name, unsigned kinds) {
  const CliOption *option = find_name(CLI_TABLES, arguments->tables, name, strlen(name));
  assert(option && (1u << option->kind & kinds));
  (void)kinds;
  return option ? find_value(arguments, option) : NULL;
}

enum {
  TEXT_KINDS = 1 << CLI_TEXT | 1 << CLI_CHOICE | 1 << CLI_INPUT | 1 << CLI_OUTPUT | 1 << CLI_FOLDER
};

bool cli_flag(const CliArguments *arguments, const char *name) {
  return value_of(arguments, name, 1u << CLI_FLAG) != NULL;
}

uint32_t cli_count(const CliArguments *arguments, const char *name) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < arguments->value_count; k++) {
    const CliValue *value = &arguments->values[k];
    if (value->given && strcmp(value->option->name, name) == 0) count++;
  }
  return count;
}

const char *cli_text(const CliArguments *arguments, const char *name) {
  const CliValue *value = value_of(arguments, name, TEXT_KINDS);
  return value ? value->text : NULL;
}

const char *cli_text_at(const CliArguments *arguments, const char *name, uint32_t k) {
  for (uint32_t v = 0; v < arguments->value_count; v++) {
    const CliValue *value = &arguments->values[v];
    if (value->given && strcmp(value->option->name, name) == 0 && k-- == 0) return value->text;
  }
  assert(!"k is below cli_count");
  return NULL;
}

int64_t cli_integer(const CliArguments *arguments, const char *name) {
  const CliValue *value =
      value_of(arguments, name, 1u << CLI_INTEGER | 1u << CLI_SIZE | 1u << CLI_CHOICE);
  return value ? value->integer : 0;
}

double cli_number(const CliArguments *arguments, const char *name) {
  const CliValue *value = value_of(arguments, name, 1u << CLI_NUMBER);
  return value ? value->number : 0;
}
