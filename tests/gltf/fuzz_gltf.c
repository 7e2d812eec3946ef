/* SPDX-License-Identifier: MIT */
/* Any bytes as a document: opened, told, saved, read, edited, saved and read again. What saves must
 * open again and hold as many characters. */
#include <stdlib.h>
#include <string.h>

#include "supple/io/file.h"
#include "supple/io/gltf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Writes into the document what fits its first character. */
static void edit(SupGltf *document, const SupGltfCharacter *character, SupArena *arena) {
  SupError error;
  const SupCharacter *noun = &character->character;
  float *values = SUP_ALLOC(arena, float, noun->body.vertex_count);
  SupVec3 *offsets = SUP_ALLOC(arena, SupVec3, noun->render.vertex_count);
  if (!values || !offsets) return;
  SupGltfMorph morph = {"m", 1, offsets, NULL};
  SupGltfModel model = {"modes", (const uint8_t *)"12345678", 8};
  SupGltfJoint joint = {"j", 0, sup_transform_identity(), sup_affine_identity()};
  SupResult result = sup_gltf_put_map(document, character, "lock", values, &error);
  if (result == SUP_OK) result = sup_gltf_put_models(document, character, 1, &model, &error);
  if (result == SUP_OK) result = sup_gltf_keep_skin(document, character, &error);
  if (result == SUP_OK) result = sup_gltf_put_skin(document, character, &noun->skin, &error);
  if (result == SUP_OK && noun->clip_count) {
    sup_gltf_put_clip(document, character, &noun->clips[0], &error);
    sup_gltf_remove_clip(document, character, noun->clips[0].name, &error);
  }
  if (result == SUP_OK) result = sup_gltf_add_morphs(document, character, 1, &morph, &error);
  if (result == SUP_OK) sup_gltf_add_joints(document, character, 1, &joint, NULL, &error);
}

/* Saves to memory and opens that; NULL if memory was short. */
static SupGltf *reopen(const SupGltf *document, SupArena *arena, const SupGltfOptions *options) {
  const uint8_t *saved;
  size_t bytes;
  SupError error = {{0}};
  SupGltf *again = NULL;
  if (sup_gltf_save_memory(document, arena, &saved, &bytes, &error) != SUP_OK) return NULL;
  SupResult result = sup_gltf_open_memory(saved, bytes, NULL, options, &again, &error);
  if (result != SUP_OK && result != SUP_ERROR_MEMORY) abort();
  return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  SupGltfOptions options = sup_gltf_options();
  options.memory_limit = (size_t)1 << 26;
  SupArena arena;
  sup_arena_init(&arena, options.allocator, options.memory_limit);
  SupError error = {{0}};
  SupGltf *document = NULL, *again = NULL;
  SupGltfContents contents;
  SupGltfCharacter *characters = NULL, *others = NULL;
  uint32_t count = 0, other_count = 0;
  SupResult result = sup_gltf_open_memory(data, bytes, NULL, &options, &document, &error);
  if (result == SUP_OK) result = sup_gltf_contents(document, &arena, &contents, &error);
  if (result == SUP_OK) {
    result = sup_gltf_characters(document, &arena, &count, &characters, &error);
    again = reopen(document, &arena, &options);
  }
  if (result != SUP_OK && error.text[0] == 0) abort();
  if (result == SUP_OK && again) {
    result = sup_gltf_characters(again, &arena, &other_count, &others, &error);
    if (result == SUP_OK && other_count != count) abort();
    if (result != SUP_OK && result != SUP_ERROR_MEMORY) abort();
  }
  if (result == SUP_OK && count) {
    edit(document, &characters[0], &arena);
    sup_gltf_close(again);
    again = reopen(document, &arena, &options);
  }
  sup_gltf_close(again);
  sup_gltf_close(document);
  sup_arena_free(&arena);
  return 0;
}
