/* SPDX-License-Identifier: MIT */
/* Curves of rig parameters from CSV, as they are written, or edited since. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supple/io/file.h"
#include "supple/io/rig_curves_file.h"

#define COLUMNS_MAX 100001u /* parameters of a rig, and the time */

/* A place in the text, which ends with a zero byte. */
typedef struct Place {
  SupArena *arena;
  const char *path, *at, *end;
  uint32_t line;
} Place;

static SupResult refuse(const Place *p, const char *what, SupError *error) {
  return sup_fail(error, SUP_ERROR_FORMAT, "%s, line %u: %s", p->path, p->line, what);
}

static bool at_line_end(const Place *p) {
  return p->at == p->end || *p->at == '\n' || (*p->at == '\r' && p->at[1] == '\n');
}

static void next_line(Place *p) {
  while (p->at < p->end && *p->at != '\n') p->at++;
  if (p->at < p->end) p->at++;
  p->line++;
}

/* Lines without anything in them. */
static void skip_empty(Place *p) {
  while (p->at < p->end && at_line_end(p)) next_line(p);
}

/* One field into `out`, which has room for all of the text; in quotation marks "" is one of them.
 */
static SupResult read_name(Place *p, char *out, size_t *out_length, SupError *error) {
  const bool quoted = *p->at == '"';
  size_t n = 0;
  if (quoted) p->at++;
  for (;; p->at++) {
    if (quoted && p->at == p->end) return refuse(p, "a quotation mark is not closed", error);
    if (quoted && *p->at == '"' && p->at[1] == '"') {
      p->at++;
    } else if (quoted && *p->at == '"') {
      p->at++;
      break;
    }
    if (!quoted && (at_line_end(p) || *p->at == ',')) break;
    if (*p->at == 0) return refuse(p, "a byte of zero is no text", error);
    out[n++] = *p->at;
  }
  *out_length = n;
  return at_line_end(p) || *p->at == ',' ? SUP_OK : refuse(p, "a comma is missing", error);
}

/* The first line: time, and the names of the parameters. */
static SupResult read_head(Place *p, SupRigTable *out, SupError *error) {
  char *text = SUP_ALLOC(p->arena, char, (size_t)(p->end - p->at) + 1);
  uint32_t most = 1, count = 0;
  for (const char *c = p->at; c < p->end && *c != '\n'; c++) most += *c == ',';
  if (most > COLUMNS_MAX) return refuse(p, "there are too many columns", error);
  const char **names = SUP_ALLOC(p->arena, const char *, most);
  if (!text || !names) return sup_fail_memory(error, p->path);
  for (bool more = true; more && count < most; count++) {
    size_t length = 0;
    SupResult result = read_name(p, text, &length, error);
    if (result != SUP_OK) return result;
    names[count] = sup_arena_string(p->arena, text, length);
    if (!names[count]) return sup_fail_memory(error, p->path);
    more = p->at < p->end && *p->at == ',';
    if (more) p->at++;
  }
  if (!at_line_end(p) || count < 2 || strcmp(names[0], "time") != 0) {
    return refuse(p, "a table of curves begins with `time` and names of parameters", error);
  }
  out->names = names + 1;
  out->column_count = count - 1;
  next_line(p);
  return SUP_OK;
}

static SupResult read_row(Place *p, uint32_t columns, double *out_time, double *out_values,
                          SupError *error) {
  for (uint32_t k = 0; k <= columns; k++) {
    char *end = NULL;
    while (*p->at == ' ' || *p->at == '\t') p->at++;
    const double value = at_line_end(p) ? NAN : strtod(p->at, &end);
    if (!isfinite(value) || end == p->at) {
      return sup_fail(error, SUP_ERROR_FORMAT, "%s, line %u: column %u is no number", p->path,
                      p->line, k + 1);
    }
    p->at = end;
    while (*p->at == ' ' || *p->at == '\t') p->at++;
    if (k < columns && *p->at != ',') {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "%s, line %u: %u numbers are too few, there are %u columns", p->path, p->line,
                      k + 1, columns + 1);
    }
    if (k < columns) p->at++;
    *(k ? &out_values[k - 1] : out_time) = value;
  }
  return at_line_end(p) ? SUP_OK : refuse(p, "there is more than the columns have", error);
}

SupResult sup_rig_curves_parse_csv(SupArena *arena, const char *text, size_t bytes,
                                   const char *path, SupRigTable *out_table, SupError *error) {
  Place p = {arena, path, text, text + bytes, 1};
  SupRigTable table = {.row_count = 0};
  size_t lines = 1;
  if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) p.at += 3; /* as spreadsheets begin */
  for (const char *c = p.at; c < p.end; c++) lines += *c == '\n';
  SupResult result = read_head(&p, &table, error);
  if (result != SUP_OK) return result;
  const size_t most = bytes / (2 * (size_t)table.column_count) + 1; /* a digit and a comma each */
  if (lines > most) lines = most;
  double *times = SUP_ALLOC(arena, double, lines);
  double *values = SUP_ALLOC(arena, double, lines *table.column_count);
  if (!times || !values) return sup_fail_memory(error, path);
  for (skip_empty(&p); p.at < p.end; next_line(&p), skip_empty(&p)) {
    const uint32_t i = table.row_count;
    if (i == lines) return refuse(&p, "the row is too short", error);
    result =
        read_row(&p, table.column_count, &times[i], &values[(size_t)i * table.column_count], error);
    if (result != SUP_OK) return result;
    if (i && !(times[i] > times[i - 1])) return refuse(&p, "times must rise", error);
    table.row_count++;
  }
  if (table.row_count == 0) return refuse(&p, "the table has no rows", error);
  table.times = times;
  table.values = values;
  *out_table = table;
  return SUP_OK;
}

SupResult sup_rig_curves_read_csv(SupArena *arena, const char *path, SupRigTable *out_table,
                                  SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  return sup_rig_curves_parse_csv(arena, (const char *)data, bytes, path, out_table, error);
}
