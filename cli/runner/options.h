/* SPDX-License-Identifier: MIT */
/*
 * Declarative options of the command line.
 *
 * A verb lists its options in a table; the runner parses, checks ranges, fills in defaults and
 * writes the help. A verb then asks for values by name and never sees argv.
 *
 * Syntax: --name VALUE, --name=VALUE, -o VALUE, and -- to end the options. A value that begins
 * with a dash and is not a number must be written --name=VALUE. Names are never abbreviated.
 */
#ifndef SUPPLE_CLI_OPTIONS_H
#define SUPPLE_CLI_OPTIONS_H

#include "supple/base.h"

typedef enum CliOptionKind {
  CLI_FLAG,    /* no value */
  CLI_TEXT,    /* any text */
  CLI_INTEGER, /* a whole number in [low, high] */
  CLI_NUMBER,  /* a finite number in [low, high] */
  CLI_SIZE,    /* bytes: 500M, 2G, 1.5G, 4096; K, M, G, T are powers of 1024; 0 */
  CLI_CHOICE,  /* one of `choices` */
  CLI_INPUT,   /* a file that is read: its hash goes into the report */
  CLI_OUTPUT,  /* a file that is written: checked before the work begins, and its temporary file
                  is removed when the tool is interrupted */
  CLI_FOLDER   /* the same for a folder that is written whole */
} CliOptionKind;

/* One row of a table; the table ends with a row without a name ({0}). */
typedef struct CliOption {
  const char *name; /* without dashes, "clip" */
  char letter;      /* short form, 'o', or 0 */
  CliOptionKind kind;
  const char *value_name;     /* for the help, "FILE"; NULL for flags and choices */
  const char *help;           /* one line */
  const char *fallback;       /* default, as it would be typed; NULL: none */
  const char *otherwise;      /* what the help gives as the default; NULL: `fallback` */
  const char *const *choices; /* CLI_CHOICE: names, ended by NULL */
  double low, high;           /* CLI_INTEGER, CLI_NUMBER: inclusive; both 0 for no bounds */
  bool required;
  bool repeated; /* may be given several times; the order is kept */
  bool advanced; /* the help shows it after the usual ones, under a heading of its own */
} CliOption;

/* One value that was given, or filled in from `fallback`. */
typedef struct CliValue {
  const CliOption *option;
  const char *text;
  double number;   /* CLI_NUMBER */
  int64_t integer; /* CLI_INTEGER; CLI_SIZE in bytes; CLI_CHOICE index into choices */
  bool given;      /* by the user, not by the default */
} CliValue;

/* Tables of a command line: those of the kind, of the verb and of every verb. Any may be NULL. */
enum { CLI_TABLES = 3 };

typedef struct CliArguments {
  const CliOption *tables[CLI_TABLES];
  uint32_t value_count;
  CliValue *values; /* in the order given, defaults at the end */
  uint32_t operand_count;
  const char **operands; /* what is not an option, in order */
} CliArguments;

/* Parses words[word_count] against the tables. Everything lies in `arena` or points into `words`.
 * Fails with SUP_ERROR_ARGUMENT and a sentence with the nearest name for an unknown option. Where
 * only a required option is missing, *out_arguments has all that was given. */
SupResult cli_parse_tables(SupArena *arena, const CliOption *const tables[CLI_TABLES],
                           int word_count, char *const *words, CliArguments *out_arguments,
                           SupError *error);

/* The same for a verb without kinds. */
SupResult cli_parse(SupArena *arena, const CliOption *own, const CliOption *global, int word_count,
                    char *const *words, CliArguments *out_arguments, SupError *error);

/* The first word that is neither an option nor the value of one of tables[table_count]; NULL:
 * there is none. */
const char *cli_first_operand(size_t table_count, const CliOption *const *tables, int word_count,
                              char *const *words);

/* The option of the table that a word such as --name, --name=VALUE or -o gives; NULL: none. */
const CliOption *cli_option_find(const CliOption *table, const char *word);

/* Values by name. Asking for a name that no table has, or of another kind, is a programmer's
 * mistake and asserts. */
bool cli_flag(const CliArguments *arguments, const char *name);

/* How often the user gave it; a default does not count. */
uint32_t cli_count(const CliArguments *arguments, const char *name);

/* CLI_TEXT, CLI_CHOICE, CLI_INPUT, CLI_OUTPUT, CLI_FOLDER: the value, the default, or NULL. */
const char *cli_text(const CliArguments *arguments, const char *name);

/* The k-th value of a repeated option, k < cli_count. */
const char *cli_text_at(const CliArguments *arguments, const char *name, uint32_t k);

/* CLI_INTEGER, CLI_SIZE, CLI_CHOICE (index); 0 when neither given nor defaulted. */
int64_t cli_integer(const CliArguments *arguments, const char *name);

/* CLI_NUMBER; 0 when neither given nor defaulted. */
double cli_number(const CliArguments *arguments, const char *name);

#endif
