/* SPDX-License-Identifier: MIT */
#include "runner/text.h"

#include <string.h>

size_t cli_utf8(const char *text, uint32_t *out_code) {
  static const struct {
    unsigned char low, high, second_low, second_high, length;
  } forms[] = {
      {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
      {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
      {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  const unsigned char *at = (const unsigned char *)text;
  for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
    const size_t length = forms[form].length;
    if (at[0] < forms[form].low || at[0] > forms[form].high) continue;
    uint32_t code = length == 1 ? at[0] : at[0] & (0xffu >> (length + 1));
    for (size_t k = 1; k < length; k++) {
      const unsigned char low = k == 1 ? forms[form].second_low : 0x80;
      const unsigned char high = k == 1 ? forms[form].second_high : 0xbf;
      if (at[k] < low || at[k] > high) return 0;
      code = code << 6 | (at[k] & 0x3fu);
    }
    *out_code = code;
    return length;
  }
  return 0;
}

bool cli_is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void cli_clean(char *text, bool keep_lines) {
  char *to = text;
  for (size_t length; *text; text += length) {
    uint32_t code = 0;
    length = cli_utf8(text, &code);
    if (length == 0 || (cli_is_control(code) && !(keep_lines && code == '\n'))) {
      *to++ = length ? ' ' : '?';
      if (!length) length = 1;
    } else {
      memmove(to, text, length);
      to += length;
    }
  }
  *to = 0;
}

void cli_trim_utf8(char *text) {
  size_t length = strlen(text), back = 0;
  while (back < length && back < 3 && ((unsigned char)text[length - 1 - back] & 0xc0) == 0x80) {
    back++;
  }
  if (back == length) return;
  uint32_t code;
  char *last = text + length - 1 - back;
  if ((unsigned char)*last >= 0xc0 && cli_utf8(last, &code) != back + 1) *last = 0;
}
