/* SPDX-License-Identifier: MIT */
#include "io/json_text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sup_text_put_bytes(SupText *t, const char *text, size_t length) {
  if (t->failed) return;
  if (t->length + length > t->capacity) {
    const size_t capacity = 2 * (t->length + length) + 4096;
    char *data = SUP_ALLOC(t->arena, char, capacity);
    t->failed = !data;
    if (!data) return;
    if (t->length) memcpy(data, t->data, t->length);
    t->data = data;
    t->capacity = capacity;
  }
  memcpy(t->data + t->length, text, length);
  t->length += length;
}

void sup_text_put(SupText *t, const char *words) { sup_text_put_bytes(t, words, strlen(words)); }

void sup_text_put_quoted(SupText *t, const char *text) {
  sup_text_put_bytes(t, "\"", 1);
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') sup_text_put_bytes(t, "\\", 1);
    if (c < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
      sup_text_put(t, escape);
    } else {
      sup_text_put_bytes(t, text, 1);
    }
  }
  sup_text_put_bytes(t, "\"", 1);
}

void sup_text_put_number(SupText *t, double value) {
  char digits[40] = "null";
  for (int precision = 6; isfinite(value) && precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (strtod(digits, NULL) == value) break;
  }
  char *point = strchr(digits, *localeconv()->decimal_point);
  if (point) *point = '.';
  /* A whole number has no sign of its zero. */
  sup_text_put(t, value == 0 && signbit(value) ? "-0.0" : digits);
}

void sup_text_put_key(SupText *text, const char *key) {
  sup_text_put_quoted(text, key);
  sup_text_put(text, ": ");
}

void sup_text_put_vector(SupText *text, SupVec3d x) {
  sup_text_put(text, "[");
  sup_text_put_number(text, x.x);
  sup_text_put(text, ", ");
  sup_text_put_number(text, x.y);
  sup_text_put(text, ", ");
  sup_text_put_number(text, x.z);
  sup_text_put(text, "]");
}

void sup_text_put_items(SupText *text, const char *key, const char brackets[2], const void *whole,
                        uint32_t first, uint32_t count,
                        void (*item)(SupText *text, const void *whole, uint32_t k)) {
  sup_text_put(text, ",\n  ");
  sup_text_put_key(text, key);
  sup_text_put_bytes(text, &brackets[0], 1);
  for (uint32_t k = 0; k < count; k++) {
    sup_text_put(text, k ? ",\n    " : "\n    ");
    item(text, whole, first + k);
  }
  if (count) sup_text_put(text, "\n  ");
  sup_text_put_bytes(text, &brackets[1], 1);
}
