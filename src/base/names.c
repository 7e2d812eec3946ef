/* SPDX-License-Identifier: MIT */
/*
 * Finds the name that somebody meant: by a slip, by the beginning of a name ("freq"), by more
 * slips, by a part of a name ("LeftArm" of "mixamorig:LeftArm"). Capitals do not matter.
 */
#include "supple/base.h"

enum { NAME_LIMIT = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Insertions, deletions, replacements and swaps of neighbours that lead from a to b ("optimal
 * string alignment"); SIZE_MAX when either is too long to be a name. */
static size_t edit_distance(const char *a, const char *b) {
  size_t rows[3][NAME_LIMIT + 1];
  const size_t length_a = sup_string_length(a), length_b = sup_string_length(b);
  if (length_a > NAME_LIMIT || length_b > NAME_LIMIT) return SIZE_MAX;
  for (size_t j = 0; j <= length_b; j++) rows[0][j] = j;
  for (size_t i = 1; i <= length_a; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    const char at = lower(a[i - 1]);
    row[0] = i;
    for (size_t j = 1; j <= length_b; j++) {
      const char to = lower(b[j - 1]);
      row[j] = least(above[j - 1] + (at != to), least(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && at == lower(b[j - 2]) && lower(a[i - 2]) == to) {
        row[j] = least(row[j], two_above[j - 2] + 1);
      }
    }
  }
  return rows[length_a % 3][length_b];
}

static bool begins_with(const char *name, const char *word) {
  while (*word && lower(*name) == lower(*word)) name++, word++;
  return *word == 0;
}

static bool contains(const char *name, const char *word) {
  for (; *name; name++) {
    if (begins_with(name, word)) return true;
  }
  return false;
}

/* Names in a list, or in a list of structs. */
typedef struct Names {
  const char *first;
  size_t stride, count;
} Names;

static const char *name_at(const Names *names, size_t k) {
  return *(const char *const *)(const void *)(names->first + k * names->stride);
}

/* The shortest name that `fits` the word, or NULL. */
static const char *shortest(const char *word, const Names *names,
                            bool (*fits)(const char *name, const char *word)) {
  const char *found = NULL;
  for (size_t k = 0; k < names->count; k++) {
    const char *name = name_at(names, k);
    if (!name || !fits(name, word)) continue;
    if (!found || sup_string_length(name) < sup_string_length(found)) found = name;
  }
  return found;
}

const char *sup_nearest_member(const char *word, const void *first, size_t stride, size_t count) {
  const Names names = {first, stride, count};
  /* About one slip in three letters is a slip; more is another word. */
  const size_t length = sup_string_length(word);
  size_t best = length / 3 + 2;
  const char *nearest = NULL;
  for (size_t k = 0; k < count; k++) {
    const char *name = name_at(&names, k);
    const size_t distance = name ? edit_distance(word, name) : SIZE_MAX;
    if (distance < best && distance < sup_string_length(name)) {
      best = distance;
      nearest = name;
    }
  }
  /* One slip is a slip; before two are believed, the word is the beginning of a name. A letter or
   * two begin too many names. */
  if ((nearest && best < 2) || length < 3) return nearest;
  const char *longer = shortest(word, &names, begins_with);
  if (longer || nearest) return longer ? longer : nearest;
  return shortest(word, &names, contains);
}

const char *sup_nearest_name(const char *word, const char *const *names, size_t count) {
  return sup_nearest_member(word, names, sizeof *names, count);
}

const char *sup_did_you_mean(char *buffer, size_t size, const char *nearest) {
  buffer[0] = 0;
  if (nearest) sup_format(buffer, size, "; did you mean '%s'?", nearest);
  return buffer;
}
