/* SPDX-License-Identifier: MIT */
/* JSON as text, appended piece by piece. */
#include "runner/report.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/text.h"

static void append(CliReport *report, const char *text, size_t length) {
  if (report->failed) return;
  if (report->capacity - report->length < length + 1) {
    size_t capacity = report->capacity * 2 + length + 256;
    char *grown = report->allocator.allocate(report->allocator.user, capacity);
    if (!grown) {
      report->failed = true;
      return;
    }
    if (report->text) {
      memcpy(grown, report->text, report->length);
      report->allocator.release(report->allocator.user, report->text, report->capacity);
    }
    report->text = grown;
    report->capacity = capacity;
  }
  memcpy(report->text + report->length, text, length);
  report->length += length;
  report->text[report->length] = 0;
}

static void append_text(CliReport *report, const char *text) { append(report, text, strlen(text)); }

static void append_quoted(CliReport *report, const char *text) {
  append(report, "\"", 1);
  while (*text) {
    uint32_t code = 0;
    size_t length = cli_utf8(text, &code);
    if (code == '"' || code == '\\') {
      append(report, (const char[]){'\\', *text}, 2);
    } else if (length == 0) {
      append_text(report, "\xef\xbf\xbd");
    } else if (cli_is_control(code)) { /* a report may go to a terminal: --json - */
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code & 0xffff);
      append_text(report, escape);
    } else {
      append(report, text, length);
    }
    text += length ? length : 1;
  }
  append(report, "\"", 1);
}

static void new_line(CliReport *report) {
  append(report, "\n", 1);
  for (uint32_t k = 0; k < report->depth; k++) append(report, "  ", 2);
}

/* Comma, line and key in front of a value. */
static void begin_value(CliReport *report, const char *key) {
  uint32_t level = report->depth - 1;
  assert(report->depth > 0 && (key != NULL) == (report->closers[level] == '}'));
  if (!report->is_empty[level]) append(report, ",", 1);
  report->is_empty[level] = false;
  new_line(report);
  if (key) {
    append_quoted(report, key);
    append(report, ": ", 2);
  }
}

static void open_level(CliReport *report, const char *opener, char closer) {
  assert(report->depth < CLI_REPORT_DEPTH);
  append(report, opener, 1);
  report->closers[report->depth] = closer;
  report->is_empty[report->depth] = true;
  report->depth++;
}

void cli_report_init(CliReport *report, SupAllocator allocator) {
  *report = (CliReport){.allocator = allocator};
  open_level(report, "{", '}');
}

void cli_report_free(CliReport *report) {
  if (report->text) {
    report->allocator.release(report->allocator.user, report->text, report->capacity);
  }
  *report = (CliReport){.failed = true};
}

static void append_double(CliReport *report, double value) {
  char digits[32] = "null";
  for (int precision = 15; isfinite(value) && precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (strtod(digits, NULL) == value) break;
  }
  append_text(report, digits);
}

void cli_report_number(CliReport *report, const char *key, double value) {
  begin_value(report, key);
  append_double(report, value);
}

void cli_report_float(CliReport *report, const char *key, float value) {
  char digits[32] = "null";
  for (int precision = 6; isfinite(value) && precision <= 9; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
    if (strtof(digits, NULL) == value) break;
  }
  begin_value(report, key);
  append_text(report, digits);
}

void cli_report_integer(CliReport *report, const char *key, int64_t value) {
  char digits[32];
  snprintf(digits, sizeof digits, "%" PRId64, value);
  begin_value(report, key);
  append_text(report, digits);
}

void cli_report_text(CliReport *report, const char *key, const char *value) {
  begin_value(report, key);
  if (value) {
    append_quoted(report, value);
  } else {
    append_text(report, "null");
  }
}

void cli_report_bool(CliReport *report, const char *key, bool value) {
  begin_value(report, key);
  append_text(report, value ? "true" : "false");
}

void cli_report_hash(CliReport *report, const char *key, uint64_t value) {
  char digits[17];
  snprintf(digits, sizeof digits, "%016" PRIx64, value);
  cli_report_text(report, key, digits);
}

/* On one line: rows of a hundred numbers are for machines. */
void cli_report_numbers(CliReport *report, const char *key, const double *values, size_t count) {
  begin_value(report, key);
  append(report, "[", 1);
  for (size_t k = 0; k < count; k++) {
    if (k) append(report, ", ", 2);
    append_double(report, values[k]);
  }
  append(report, "]", 1);
}

void cli_report_begin_object(CliReport *report, const char *key) {
  begin_value(report, key);
  open_level(report, "{", '}');
}

void cli_report_begin_array(CliReport *report, const char *key) {
  begin_value(report, key);
  open_level(report, "[", ']');
}

void cli_report_end(CliReport *report) {
  assert(report->depth > 0);
  report->depth--;
  if (!report->is_empty[report->depth]) new_line(report);
  append(report, &report->closers[report->depth], 1);
}

void cli_report_nest(CliReport *report, const char *key, const CliReport *inner) {
  begin_value(report, key);
  if (inner->failed) report->failed = true;
  if (report->failed) return;
  /* Indents the inner lines to our depth; a line end is never inside a string. */
  const char *line = inner->text;
  for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    append(report, line, (size_t)(end - line));
    new_line(report);
  }
  append_text(report, line);
  for (uint32_t level = inner->depth; level-- > 0;) {
    if (!inner->is_empty[level]) {
      new_line(report);
      for (uint32_t k = 0; k < level; k++) append(report, "  ", 2);
    }
    append(report, &inner->closers[level], 1);
  }
}

const char *cli_report_finish(CliReport *report, size_t *out_length) {
  while (report->depth) cli_report_end(report);
  append(report, "\n", 1);
  if (report->failed) return NULL;
  *out_length = report->length;
  return report->text;
}
