/* SPDX-License-Identifier: MIT */
/* Text that grows in an arena, and JSON's strings and numbers in it. */
#ifndef SUP_SRC_IO_JSON_TEXT_H
#define SUP_SRC_IO_JSON_TEXT_H

#include "supple/math.h"

/* Start with the arena alone. After a failure nothing more is added. */
typedef struct SupText {
  SupArena *arena;
  char *data; /* [length] */
  size_t length, capacity;
  bool failed;
} SupText;

void sup_text_put_bytes(SupText *text, const char *data, size_t length);
void sup_text_put(SupText *text, const char *words);

/* In quotation marks, with what JSON wants escaped. */
void sup_text_put_quoted(SupText *text, const char *words);

/* The shortest digits that read back as the same number, with a point whatever the locale; null for
 * one that is not finite. */
void sup_text_put_number(SupText *text, double value);

/* "key": */
void sup_text_put_key(SupText *text, const char *key);

/* [x, y, z] */
void sup_text_put_vector(SupText *text, SupVec3d x);

/* A member of an object behind others: items first .. first + count - 1 of `whole` by `item`, one
 * per line, in these brackets. */
void sup_text_put_items(SupText *text, const char *key, const char brackets[2], const void *whole,
                        uint32_t first, uint32_t count,
                        void (*item)(SupText *text, const void *whole, uint32_t k));

#endif
