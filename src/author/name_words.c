/* SPDX-License-Identifier: MIT */
/* Cutting names into words. */
#include "author/name_words.h"

static bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_letter(char c) { return is_capital(c) || (c >= 'a' && c <= 'z'); }
static char lower(char c) { return (char)(is_capital(c) ? c - 'A' + 'a' : c); }

bool sup_next_word(const char **io_at, SupWord *out_word) {
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
  *out_word = (SupWord){at, length};
  *io_at = at + length;
  return true;
}

static bool begins_with(SupWord word, SupWord start) {
  size_t k = 0;
  while (k < start.length && k < word.length && lower(word.text[k]) == start.text[k]) k++;
  return k == start.length;
}

bool sup_word_is(SupWord word, SupWord wanted) {
  static const SupWord sides[] = {{"left", 4}, {"right", 5}};
  for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
    const size_t side = sides[s].length;
    if (!begins_with(word, sides[s]) || side == word.length) continue;
    word = (SupWord){word.text + side, word.length - side};
    break;
  }
  if (!begins_with(word, wanted)) return false;
  const size_t more = word.length - wanted.length;
  const char *end = word.text + wanted.length;
  return more == 0 || (more == 1 && lower(end[0]) == 's');
}
