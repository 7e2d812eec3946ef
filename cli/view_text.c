/* SPDX-License-Identifier: MIT */
/* Text that goes into a page. */
#include "view_text.h"

#include <stdbool.h>
#include <string.h>

void cli_put_text(SupFileWriter *writer, const char *text) {
  sup_file_write(writer, text, strlen(text));
}

void cli_put_base64(SupFileWriter *writer, const void *data, size_t bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const uint8_t *from = data;
  char text[4096];
  size_t length = 0;
  for (size_t k = 0; k < bytes; k += 3) {
    const size_t left = bytes - k;
    const uint32_t b1 = left > 1 ? from[k + 1] : 0, b2 = left > 2 ? from[k + 2] : 0;
    const uint32_t bits = (uint32_t)from[k] << 16 | b1 << 8 | b2;
    text[length++] = digits[bits >> 18];
    text[length++] = digits[bits >> 12 & 63];
    text[length++] = left > 1 ? digits[bits >> 6 & 63] : '=';
    text[length++] = left > 2 ? digits[bits & 63] : '=';
    if (length == sizeof text) {
      sup_file_write(writer, text, length);
      length = 0;
    }
  }
  sup_file_write(writer, text, length);
}

/* The bytes of the UTF-8 character at `at`, or 0 if there is none. */
static size_t utf8_length(const unsigned char *at) {
  const size_t length = at[0] < 0x80   ? 1
                        : at[0] < 0xc2 ? 0
                        : at[0] < 0xe0 ? 2
                        : at[0] < 0xf0 ? 3
                                       : 4;
  if (at[0] > 0xf4) return 0;
  for (size_t k = 1; k < length; k++) {
    if ((at[k] & 0xc0) != 0x80) return 0;
  }
  if (length == 3 && at[0] == 0xe0 && at[1] < 0xa0) return 0; /* too long */
  if (length == 3 && at[0] == 0xed && at[1] > 0x9f) return 0; /* half of a surrogate pair */
  if (length == 4 && at[0] == 0xf0 && at[1] < 0x90) return 0;
  if (length == 4 && at[0] == 0xf4 && at[1] > 0x8f) return 0;
  return length;
}

void cli_put_json_text(SupFileWriter *writer, const char *text) {
  sup_file_write(writer, "\"", 1);
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    const size_t length = utf8_length(at);
    const bool plain = length == 1 && *at >= 32 && *at < 127 && !strchr("\"\\<>&", *at);
    /* U+2028 and U+2029 end a line of script. */
    const bool line = length == 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] & 0xfe) == 0xa8;
    if (plain || (length > 1 && !line)) {
      sup_file_write(writer, at, length);
    } else {
      const uint32_t code = line ? 0x2000u | (at[2] & 0x3fu) : length == 1 ? *at : 0xfffdu;
      static const char hex[] = "0123456789abcdef";
      const char escape[] = {
          '\\',          'u', hex[code >> 12 & 15], hex[code >> 8 & 15], hex[code >> 4 & 15],
          hex[code & 15]};
      sup_file_write(writer, escape, sizeof escape);
    }
    at += length ? length : 1;
  }
  sup_file_write(writer, "\"", 1);
}
