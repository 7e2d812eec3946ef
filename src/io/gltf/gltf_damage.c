/* SPDX-License-Identifier: MIT */
/* Says what is damaged in a document that is passed on as it is. */
#include "io/gltf/gltf_reader.h"

static void note(SupGltfDamage *damage, SupResult result, const SupError *found) {
  if (result != SUP_ERROR_FORMAT) return;
  if (damage->count < 3)
    sup_format(damage->first[damage->count], sizeof(SupError), "%s", found->text);
  damage->count++;
}

SupResult sup_gltf_find_damage(const SupGltf *document, SupAllocator allocator,
                               SupGltfDamage *out_damage, SupError *error) {
  SupArena arena;
  GltfReader reader;
  SupError found = {""};
  *out_damage = (SupGltfDamage){0};
  sup_arena_init(&arena, allocator, 0);
  SupResult result = sup_gltf_reader_init(&reader, document, &arena, error);
  reader.error = &found;
  for (uint32_t k = 0; result == SUP_OK && k < sup_gltf_count(document, GLTF_VIEW); k++) {
    GltfView view;
    note(out_damage, sup_gltf_view(&reader, k, &view), &found);
  }
  for (uint32_t k = 0; result == SUP_OK && k < sup_gltf_count(document, GLTF_ACCESSOR); k++) {
    GltfAccessor accessor;
    note(out_damage, sup_gltf_accessor(&reader, k, &accessor), &found);
  }
  sup_gltf_reader_free(&reader);
  sup_arena_free(&arena);
  return result;
}
