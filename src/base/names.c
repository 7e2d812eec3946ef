/* SPDX-License-Identifier: MIT */
/*
 * Finds the name that somebody gave, whole or in part, and the one that was meant where it cannot
 * be found: by a slip, by the beginning of a name ("freq"), by more slips, by a part of a name
 * ("LeftArm" of "mixamorig:LeftArm"). Capitals do not matter.
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

static const char *name_at(const SupNameList *names, size_t k) {
  const char *first = names->first;
  return *(const char *const *)(const void *)(first + k * names->stride);
}

/* The shortest name that `fits` the word, or NULL. */
static const char *shortest(const char *word, const SupNameList *names,
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
  const SupNameList names = {first, stride, count};
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

/* ---- Finding -------------------------------------------------------------------------------- */

static bool is_equal(const char *name, const char *word) {
  return begins_with(name, word) && begins_with(word, name);
}

/* Without what stands before the last colon or bar: "mixamorig:Head", "rig|Walk". */
static bool ends_alike(const char *name, const char *word) {
  const char *tail = name;
  for (; *name; name++) {
    if (*name == ':' || *name == '|') tail = name + 1;
  }
  return is_equal(tail, word);
}

/* The only name that `fits`; names that are the same count once. */
static size_t only_one(const char *word, const SupNameList *names,
                       bool (*fits)(const char *name, const char *word)) {
  size_t found = SUP_NAME_NONE;
  for (size_t k = 0; k < names->count; k++) {
    const char *name = name_at(names, k);
    if (!name || !fits(name, word)) continue;
    if (found != SUP_NAME_NONE && !sup_string_equal(name, name_at(names, found))) {
      return SUP_NAME_SEVERAL;
    }
    if (found == SUP_NAME_NONE) found = k;
  }
  return found;
}

size_t sup_name_find(const char *word, SupNameList names) {
  size_t found = only_one(word, &names, sup_string_equal);
  if (*word == 0) return found;
  if (found == SUP_NAME_NONE) found = only_one(word, &names, is_equal);
  if (found == SUP_NAME_NONE) found = only_one(word, &names, ends_alike);
  return found == SUP_NAME_NONE ? only_one(word, &names, contains) : found;
}

/* "; 'arm' could be arm_l, arm_r or 2 more: give more of the name" */
static void hint_several(char *buffer, size_t size, const char *word, const SupNameList *names) {
  enum { SHOWN = 4 };
  const char *shown[SHOWN] = {NULL};
  size_t count = 0;
  for (size_t k = 0; k < names->count; k++) {
    const char *name = name_at(names, k);
    bool seen = !name || !contains(name, word);
    for (size_t i = 0; i < SHOWN && !seen && shown[i]; i++) {
      seen = sup_string_equal(shown[i], name);
    }
    if (seen) continue;
    if (count < SHOWN) shown[count] = name;
    count++;
  }
  size_t at = sup_format(buffer, size, "; '%s' could be ", word);
  for (size_t i = 0; i < SHOWN && i < count && at < size; i++) {
    const char *lead = i == 0 ? "" : i + 1 == count ? " or " : ", ";
    at += sup_format(buffer + at, size - at, "%s%s", lead, shown[i]);
  }
  if (count > SHOWN && at < size) {
    at += sup_format(buffer + at, size - at, " or %zu more", count - SHOWN);
  }
  if (at < size) sup_format(buffer + at, size - at, ": give more of the name");
}

const char *sup_name_hint(char *buffer, size_t size, const char *word, SupNameList names) {
  if (sup_name_find(word, names) == SUP_NAME_SEVERAL) {
    hint_several(buffer, size, word, &names);
    return buffer;
  }
  const char *nearest =
      names.count ? sup_nearest_member(word, names.first, names.stride, names.count) : NULL;
  return sup_did_you_mean(buffer, size, nearest);
}

bool sup_name_is_pattern(const char *word) {
  for (; *word; word++) {
    if (*word == '*' || *word == '?') return true;
  }
  return false;
}

/* The last star is the only one that ever needs to take more. */
bool sup_name_fits(const char *pattern, const char *name) {
  const char *star = NULL, *from = name;
  while (*name) {
    if (*pattern == '*') {
      star = pattern++;
      from = name;
    } else if (*pattern && (*pattern == '?' || lower(*pattern) == lower(*name))) {
      pattern++;
      name++;
    } else if (star) {
      pattern = star + 1;
      name = ++from;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}
