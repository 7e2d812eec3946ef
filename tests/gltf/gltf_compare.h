/* SPDX-License-Identifier: MIT */
/* Comparing characters and documents, value for value. */
#ifndef SUP_TESTS_GLTF_COMPARE_H
#define SUP_TESTS_GLTF_COMPARE_H

#include "supple/io/gltf.h"

/* All characters of a document; asserts that it has some. */
typedef struct CharacterList {
  uint32_t count;
  SupGltfCharacter *items;
} CharacterList;

CharacterList characters_of(const SupGltf *document, SupArena *arena);

/* Asserts that the characters are the same bit for bit: skeleton, body, skin, render vertices,
 * clips, morph targets, maps, and where all of it is in the file. */
void assert_same_characters(const CharacterList *a, const CharacterList *b);

/* Asserts that two saved documents (.glb or .gltf bytes) have the same JSON: the same values in the
 * same order with numbers spelt alike. Members of `buffers` that hold where the data is are not
 * compared. */
void assert_same_json(const void *a, size_t a_bytes, const void *b, size_t b_bytes);

#endif
