/* SPDX-License-Identifier: MIT */
/*
 * Names of joints that are equal but for conventions.
 *
 * A name becomes a key: what most names of the skeleton begin with is taken off, words are written
 * small without their side, numbers without zeros in front, and the side comes last: "upper_arm.L",
 * "UpperArm_L" and "mixamorig:LeftUpperArm" are "upperarm/l".
 */
#include "author/name_words.h"
#include "author/rig/joint_map_parts.h"
#include "base/scratch.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }
static bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

static const char *bare(const char *name) {
  const char *start = name;
  for (const char *c = name; *c; c++) {
    if (*c == ':' || *c == '|') start = c + 1;
  }
  return start;
}

/* No start that many names share is longer; names may have any length. */
enum { LONGEST_START = 64 };

/* How many characters both names begin with, up to the last one that is neither letter nor digit.
 */
static size_t shared_start(const char *a, const char *b) {
  size_t shared = 0;
  for (size_t k = 0; k < LONGEST_START && a[k] && a[k] == b[k]; k++) {
    if (!is_letter(a[k]) && !is_digit(a[k])) shared = k + 1;
  }
  return shared;
}

/* The longest start that three quarters of the names share: "Bip01 ", "DEF-", "Yeti_". */
static size_t common_start(const SupSkeleton *skeleton, const char **out_start) {
  size_t best = 0;
  *out_start = "";
  for (uint32_t j = 0; j < skeleton->joint_count && j < 8; j++) { /* one of the first has it */
    const char *name = bare(skeleton->names[j]);
    size_t length = 0;
    while (length < LONGEST_START && name[length]) length++;
    for (; length > best; length--) {
      if (is_letter(name[length - 1]) || is_digit(name[length - 1])) continue;
      uint32_t count = 0;
      for (uint32_t k = 0; k < skeleton->joint_count; k++) {
        count += shared_start(name, bare(skeleton->names[k])) >= length;
      }
      if (4 * (uint64_t)count < 3 * (uint64_t)skeleton->joint_count) continue;
      best = length;
      *out_start = name;
    }
  }
  return best;
}

/* Letters of the word behind its side; all of it where it says none. */
static SupWord without_side(SupWord word) {
  static const SupWord sides[] = {{"left", 4}, {"right", 5}, {"l", 1}, {"r", 1}};
  for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
    size_t k = 0;
    while (k < sides[s].length && k < word.length && lower(word.text[k]) == sides[s].text[k]) k++;
    if (k < sides[s].length || (k == 1 && word.length > 1)) continue;
    return (SupWord){word.text + k, word.length - k};
  }
  return word;
}

/* The key of the name behind its first `skip` characters; at most twice as long as the name. */
static char *key_of(SupArena *arena, const char *name, size_t skip) {
  char *key = SUP_ALLOC(arena, char, 2 * sup_string_length(name) + 4);
  const SupSide side = sup_side_of(name);
  size_t used = 0;
  for (name += skip; key && *name;) {
    if (is_digit(*name)) {
      while (*name == '0' && is_digit(name[1])) name++;
      key[used++] = '-';
      while (is_digit(*name)) key[used++] = *name++;
    } else if (is_letter(*name)) {
      SupWord word;
      sup_next_word(&name, &word);
      word = side == SUP_SIDE_NONE ? word : without_side(word);
      for (size_t k = 0; k < word.length; k++) key[used++] = lower(word.text[k]);
    } else {
      name++;
    }
  }
  if (key && used && side != SUP_SIDE_NONE) {
    key[used++] = '/';
    key[used++] = side == SUP_SIDE_LEFT ? 'l' : 'r';
  }
  return key;
}

static char **keys_of(SupArena *arena, const SupSkeleton *skeleton) {
  char **keys = SUP_ALLOC(arena, char *, skeleton->joint_count);
  const char *start;
  const size_t length = common_start(skeleton, &start);
  for (uint32_t j = 0; keys && j < skeleton->joint_count; j++) {
    const char *name = bare(skeleton->names[j]);
    keys[j] = key_of(arena, name, shared_start(start, name) >= length ? length : 0);
    if (!keys[j]) return NULL;
  }
  return keys;
}

/* The one joint of that name; SUP_NONE where none or several are called so, or it is empty. */
static uint32_t only_one(const char *name, const char *const *names, uint32_t count) {
  uint32_t found = SUP_NONE;
  for (uint32_t j = 0; *name && j < count; j++) {
    if (!sup_string_equal(name, names[j])) continue;
    if (found != SUP_NONE) return SUP_NONE;
    found = j;
  }
  return found;
}

SupResult sup_joint_names_match(SupArena *arena, const SupSkeleton *source,
                                const SupSkeleton *target, uint32_t *out_same, uint32_t *out_like,
                                SupError *error) {
  SupArena scratch = sup_scratch(arena);
  char **keys[2] = {keys_of(&scratch, source), keys_of(&scratch, target)};
  const bool enough = keys[0] && keys[1];
  for (uint32_t j = 0; enough && j < target->joint_count; j++) {
    const char *const *const mine = (const char *const *)keys[1];
    const char *const *const theirs = (const char *const *)keys[0];
    out_same[j] = only_one(target->names[j], source->names, source->joint_count);
    const bool one = only_one(mine[j], mine, target->joint_count) == j;
    out_like[j] = one ? only_one(mine[j], theirs, source->joint_count) : SUP_NONE;
  }
  sup_arena_free(&scratch);
  return enough ? SUP_OK : sup_fail_memory(error, NULL);
}
