/* SPDX-License-Identifier: MIT */
#include "io/tets/tets_text.h"

#include <string.h>

SupResult sup_tets_fail(const SupTetsJob *job, const char *what, SupError *error) {
  return sup_fail(error, SUP_ERROR_FORMAT, "%s, line %u: %s", job->name, job->scan.line, what);
}

bool sup_tets_word_is(const char *word, size_t length, const char *text) {
  return strlen(text) == length && memcmp(word, text, length) == 0;
}

bool sup_tets_seek(SupTetsJob *job) {
  while (!sup_obj_scan_more(&job->scan)) {
    if (!sup_obj_scan_next_line(&job->scan)) return false;
  }
  return true;
}

static SupResult wanted(const SupTetsJob *job, const char *what, const char *kind,
                        SupError *error) {
  return sup_fail(error, SUP_ERROR_FORMAT, "%s, line %u: %s must be %s", job->name, job->scan.line,
                  what, kind);
}

SupResult sup_tets_number(SupTetsJob *job, const char *what, double *out_value, SupError *error) {
  if (sup_tets_seek(job) && sup_obj_scan_double(&job->scan, out_value)) return SUP_OK;
  return wanted(job, what, "a finite number", error);
}

SupResult sup_tets_integer(SupTetsJob *job, const char *what, int64_t *out_value, SupError *error) {
  const char *word = "";
  size_t length = 0;
  if (sup_tets_seek(job)) sup_obj_scan_word(&job->scan, &word, &length);
  bool negative = length > 0 && word[0] == '-';
  int64_t value = 0;
  size_t first = negative ? 1 : 0;
  bool good = length > first && length <= 15 + first;
  for (size_t k = first; good && k < length; k++) {
    good = word[k] >= '0' && word[k] <= '9';
    value = 10 * value + (word[k] - '0');
  }
  if (!good) return wanted(job, what, "a whole number", error);
  *out_value = negative ? -value : value;
  return SUP_OK;
}

SupResult sup_tets_announced(SupTetsJob *job, const char *what, uint32_t words, uint32_t *out_count,
                             SupError *error) {
  int64_t count;
  SupResult result = sup_tets_integer(job, what, &count, error);
  if (result != SUP_OK) return result;
  /* A word takes a byte and the blank behind it; the last one has none. */
  int64_t left = (int64_t)(job->scan.end - job->scan.at) + 1;
  if (count < 0 || count > left / 2 / (int64_t)words) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s, line %u: %s is %lld, but the file is too short for that", job->name,
                    job->scan.line, what, (long long)count);
  }
  if (count > INT32_MAX / 16) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "%s, line %u: %s is %lld, more than %d",
                    job->name, job->scan.line, what, (long long)count, INT32_MAX / 16);
  }
  *out_count = (uint32_t)count;
  return SUP_OK;
}

SupResult sup_tets_place(SupTetsJob *job, SupVec3d *out_place, SupError *error) {
  double c[3];
  for (int k = 0; k < 3; k++) {
    SupResult result = sup_tets_number(job, "a coordinate", &c[k], error);
    if (result != SUP_OK) return result;
    if (!(c[k] > -1e30 && c[k] < 1e30)) return wanted(job, "a coordinate", "below 1e30", error);
  }
  *out_place = (SupVec3d){c[0], c[1], c[2]};
  return SUP_OK;
}

SupResult sup_tets_room_nodes(SupTetsJob *job, uint32_t count, SupError *error) {
  if (job->nodes) return sup_tets_fail(job, "the nodes are announced a second time", error);
  job->nodes = SUP_ALLOC(job->arena, SupVec3d, count);
  job->labels = SUP_ALLOC(job->arena, int64_t, count);
  if (job->nodes && job->labels) return SUP_OK;
  return sup_fail_memory(error, job->name);
}

SupResult sup_tets_room_tets(SupTetsJob *job, uint32_t count, SupError *error) {
  size_t wish = (size_t)job->tet_count + count;
  if (wish <= job->tet_places) return SUP_OK;
  size_t places = wish > 2 * job->tet_places ? wish : 2 * job->tet_places;
  int64_t *tets = SUP_ALLOC(job->arena, int64_t, 4 * places);
  if (!tets) return sup_fail_memory(error, job->name);
  if (job->tet_count) memcpy(tets, job->tets, 4 * (size_t)job->tet_count * sizeof *tets);
  job->tets = tets;
  job->tet_places = places;
  return SUP_OK;
}

SupResult sup_tets_corners(SupTetsJob *job, SupError *error) {
  int64_t *corners = job->tets + 4 * (size_t)job->tet_count;
  for (int k = 0; k < 4; k++) {
    SupResult result = sup_tets_integer(job, "a corner", &corners[k], error);
    if (result != SUP_OK) return result;
  }
  job->tet_count++;
  return SUP_OK;
}
