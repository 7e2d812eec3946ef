/* SPDX-License-Identifier: MIT */
/* Text that goes into a page. */
#include "view_text.h"

#include <stdbool.h>
#include <string.h>

#include "runner/text.h"

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

void cli_put_json_text(SupFileWriter *writer, const char *text) {
  sup_file_write(writer, "\"", 1);
  for (const char *at = text; *at;) {
    uint32_t code = 0xfffd;
    const size_t length = cli_utf8(at, &code);
    const bool plain = code >= 32 && code != 127 && code != 0xfffd &&
                       !(code < 127 && strchr("\"\\<>&", (int)code));
    /* U+2028 and U+2029 end a line of script. */
    if (plain && code != 0x2028 && code != 0x2029) {
      sup_file_write(writer, at, length);
    } else {
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
