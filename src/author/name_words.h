/* SPDX-License-Identifier: MIT */
/*
 * Names as words: runs of letters, cut where a capital begins ("LeftEye", "eye_01.L", "LEye"), with
 * left or right in front left out ("lefteye"), in the singular.
 */
#ifndef SUP_SRC_AUTHOR_NAME_WORDS_H
#define SUP_SRC_AUTHOR_NAME_WORDS_H

#include "supple/base.h"

typedef struct SupWord {
  const char *text;
  size_t length;
} SupWord;

/* The next word from *io_at on; false at the end. Letters are those of ASCII. */
bool sup_next_word(const char **io_at, SupWord *out_word);

/* Is it `wanted` (lower case), as it stands, in the plural or with a side in front? */
bool sup_word_is(SupWord word, SupWord wanted);

#endif
