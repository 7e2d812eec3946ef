/* SPDX-License-Identifier: MIT */
/*
 * JSON for documents that are edited without loss: jansson's tree, and beside it the text of every
 * number that jansson would print differently (0.1, 1.50, -0, 1e400, integers beyond 64 bits).
 */
#ifndef SUP_IO_GLTF_JSON_H
#define SUP_IO_GLTF_JSON_H

#include <jansson.h>

#include "supple/base.h"

/* A number of the tree and how the file spelt it. Holds a reference, so that the node cannot be
 * freed and its address used again. */
typedef struct GltfNumber {
  json_t *node;
  const char *text; /* inside the file's text */
  size_t length;
} GltfNumber;

typedef struct GltfJson {
  json_t *root;        /* an object */
  GltfNumber *numbers; /* [number_count] by rising address */
  size_t number_count;
} GltfJson;

/* Parses text[bytes], which must live as long as the tree: duplicate keys, comments, trailing
 * commas, broken UTF-8 and more than 2048 levels are errors with line and column. */
SupResult sup_gltf_json_parse(SupArena *arena, const char *text, size_t bytes, GltfJson *out_json,
                              SupError *error);

void sup_gltf_json_free(GltfJson *json);

/* A copy of an object or array that shares its members, all of them; NULL if memory is short, where
 * jansson's own copy leaves members out. */
json_t *sup_gltf_json_copy(json_t *value);

/* Where text goes. */
typedef void GltfWrite(void *user, const char *text, size_t bytes);

/* Writes `root`, any tree that shares nodes with the parsed one. `indent` is the number of spaces
 * per level, 0 for one compact line. */
void sup_gltf_json_write(const GltfJson *json, const json_t *root, unsigned indent,
                         GltfWrite *write, void *user);

#endif
