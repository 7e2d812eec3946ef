/* SPDX-License-Identifier: MIT */
/*
 * JSON, written in the order it is told.
 *
 * Keys are NULL inside arrays and given inside objects. Numbers are written with the fewest
 * digits that read back to the same double; NaN and infinities, which JSON does not have, as
 * null. A shortage of memory is remembered and told by cli_report_text_of. Text is taken to be
 * UTF-8; bytes that are not become U+FFFD, and characters that would act on a terminal are escaped.
 */
#ifndef SUPPLE_CLI_REPORT_H
#define SUPPLE_CLI_REPORT_H

#include "supple/base.h"

#define CLI_REPORT_DEPTH 32

/* An object or array being written. Its members are private. */
typedef struct CliReport {
  SupAllocator allocator;
  char *text;
  size_t length, capacity;
  uint32_t depth;
  char closers[CLI_REPORT_DEPTH];  /* '}' or ']' of every open level */
  bool is_empty[CLI_REPORT_DEPTH]; /* nothing was written at this level yet */
  bool failed;
} CliReport;

/* Begins with an open object, the outermost level. */
void cli_report_init(CliReport *report, SupAllocator allocator);
void cli_report_free(CliReport *report);

void cli_report_number(CliReport *report, const char *key, double value);
void cli_report_float(CliReport *report, const char *key, float value); /* shortest as a float */
void cli_report_integer(CliReport *report, const char *key, int64_t value);
void cli_report_text(CliReport *report, const char *key, const char *value); /* NULL: null */
void cli_report_bool(CliReport *report, const char *key, bool value);

/* 16 hexadecimal digits as a string: a double cannot hold 64 bits. */
void cli_report_hash(CliReport *report, const char *key, uint64_t value);

/* values[count] as an array. */
void cli_report_numbers(CliReport *report, const char *key, const double *values, size_t count);

/* Levels; each begin needs its end. */
void cli_report_begin_object(CliReport *report, const char *key);
void cli_report_begin_array(CliReport *report, const char *key);
void cli_report_end(CliReport *report);

/* A finished copy of another report's object under `key`. `inner` stays usable. */
void cli_report_nest(CliReport *report, const char *key, const CliReport *inner);

/* Closes every level and gives the whole text, with a newline at its end; NULL if memory was
 * short. Belongs to the report; nothing may be added afterwards. */
const char *cli_report_finish(CliReport *report, size_t *out_length);

#endif
