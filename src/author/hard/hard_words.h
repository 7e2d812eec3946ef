/* SPDX-License-Identifier: MIT */
/* Words for what is not flesh. */
#ifndef SUP_SRC_AUTHOR_HARD_WORDS_H
#define SUP_SRC_AUTHOR_HARD_WORDS_H

#include "author/name_words.h"
#include "supple/author/hard_parts.h"

#define SUP_HARD_WORDS_MOST 6 /* of one name */

/* A word that a name has. `word` points into a table: the same word is the same pointer. */
typedef struct SupHardWord {
  const char *word;
  SupHardKind kind;
} SupHardWord;

/* The known words of a name, in its order; those of other scripts last. */
uint32_t sup_hard_words(const char *name, SupHardWord out_words[SUP_HARD_WORDS_MOST]);

/* Those of a bone: fewer, since bones are also named after rigs ("ribbon", "chain"), places of
 * flesh
 * ("crown", "belly_button") and never after what they are made of. */
uint32_t sup_hard_bone_words(const char *name, SupHardWord out_words[SUP_HARD_WORDS_MOST]);

#endif
