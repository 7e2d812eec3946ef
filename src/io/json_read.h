/* SPDX-License-Identifier: MIT */
/*
 * Reads JSON text into jansson's tree.
 *
 * jansson's own reader cannot be left without memory: it takes a failed allocation for an error of
 * the text, ends the program by an assertion, or tries again for every character of a long string.
 * Its constructors can: they return NULL. So the text is read here, and jansson holds and edits the
 * tree (docs/design.md, "Dependencies").
 */
#ifndef SUP_IO_JSON_READ_H
#define SUP_IO_JSON_READ_H

#include <jansson.h>

#include "supple/base.h"

typedef struct SupJsonDef {
  const char *text; /* [bytes] */
  size_t bytes;
  bool allow_zero;    /* "\u0000" in values; names never have it */
  bool refuse_beyond; /* numbers that no double or 64-bit integer holds are errors */
  /* Called for every number in the order of the text, with how the text spells it; or NULL. */
  void (*number)(void *user, json_t *node, const char *text, size_t length);
  /* Called for every object, array, number and string that is a value (true, false and null are the
   * same nodes everywhere), in the order of the text, with the line where it begins; or NULL.
   * Returns false when memory is short. */
  bool (*place)(void *user, const json_t *node, unsigned line);
  void *user;
} SupJsonDef;

/* The value that the text is; the caller owns it. Strict: duplicate names, comments, trailing
 * commas, broken UTF-8 and more than 2048 levels are errors (SUP_ERROR_FORMAT, with line and
 * column). Numbers that no double or 64-bit integer holds, or of more than 500 characters, are
 * read as 1e99 or -1e99 unless they are to be refused. Strings with escapes take room in `scratch`;
 * short memory there or in jansson's allocator is SUP_ERROR_MEMORY. Time is in proportion to the
 * text, whatever happens. */
SupResult sup_json_read(SupArena *scratch, const SupJsonDef *def, json_t **out_root,
                        SupError *error);

/* An upper bound of the memory that the tree of text[bytes] takes while it is made, on glibc's
 * heap. */
size_t sup_json_bound(const char *text, size_t bytes);

#endif
