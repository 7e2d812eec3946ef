/* SPDX-License-Identifier: MIT */
/*
 * What the names of bones say about flesh.
 *
 * Names are read as words: runs of letters, cut where a capital begins ("LeftEye", "eye_01.L",
 * "LEye"), with left or right in front left out ("lefteye"), in the singular. A word that all bones
 * have is the character's name, not the bone's ("EyeBot_spine").
 */
#include "supple/author/surface_build.h"

typedef struct Word {
  const char *text;
  size_t length;
} Word;

static bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_letter(char c) { return is_capital(c) || (c >= 'a' && c <= 'z'); }
static char lower(char c) { return (char)(is_capital(c) ? c - 'A' + 'a' : c); }

/* The next word from *io_at on; false at the end. */
static bool next_word(const char **io_at, Word *out_word) {
  const char *at = *io_at;
  while (*at && !is_letter(*at)) at++;
  if (!*at) return false;
  size_t length = 1;
  for (; is_letter(at[length]); length++) {
    if (!is_capital(at[length])) continue;
    const bool follows_small = !is_capital(at[length - 1]);
    const bool begins_small = is_letter(at[length + 1]) && !is_capital(at[length + 1]);
    if (follows_small || begins_small) break;
  }
  *out_word = (Word){at, length};
  *io_at = at + length;
  return true;
}

static bool begins_with(Word word, const char *start, size_t *out_length) {
  size_t k = 0;
  while (start[k] && k < word.length && lower(word.text[k]) == start[k]) k++;
  *out_length = k;
  return !start[k];
}

static bool is_word(Word word, const char *wanted) {
  static const char *const sides[] = {"left", "right"};
  size_t length;
  for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
    if (!begins_with(word, sides[s], &length) || length == word.length) continue;
    word = (Word){word.text + length, word.length - length};
    break;
  }
  if (!begins_with(word, wanted, &length)) return false;
  return length == word.length || (length + 1 == word.length && lower(word.text[length]) == 's');
}

static bool has_word(const char *name, const char *wanted) {
  Word word;
  while (next_word(&name, &word)) {
    if (is_word(word, wanted)) return true;
  }
  return false;
}

static bool all_have(const SupSkeleton *skeleton, const char *wanted) {
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    if (!has_word(skeleton->names[skeleton->bone_joints[b]], wanted)) return false;
  }
  return true;
}

float sup_bone_freedom(const SupSkeleton *skeleton, uint32_t bone) {
  static const struct {
    const char *word;
    float freedom;
  } words[] = {{"eye", 0},     {"eyeball", 0}, {"eyelid", 0}, {"eyelash", 0},
               {"eyebrow", 0}, {"teeth", 0},   {"tooth", 0},  {"tongue", 0},
               {"hair", 0},    {"head", 0.3f}, {"jaw", 0.3f}, {"skull", 0.3f}};
  const char *name = skeleton->names[skeleton->bone_joints[bone]];
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    if (has_word(name, words[k].word) && !all_have(skeleton, words[k].word)) {
      return words[k].freedom;
    }
  }
  return 1;
}
