/* SPDX-License-Identifier: MIT */
#include "supple/author/model_pack.h"

/* The end of `count` items behind `offset`, rounded up to the alignment; false on overflow. */
static bool add_section(uint64_t *offset, const SupModelPart *part) {
  uint64_t room =
      (UINT64_MAX - SUP_ALIGNMENT - *offset) / (part->item_bytes ? part->item_bytes : 1);
  if (part->count > room) return false;
  uint64_t end = *offset + part->count * part->item_bytes;
  *offset = (end + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  return true;
}

static uint64_t table_end(uint32_t part_count) {
  uint64_t end = sizeof(SupModel) + (uint64_t)part_count * sizeof(SupModelSection);
  return (end + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

void sup_model_seal(SupModel *model) { model->checksum = sup_model_checksum(model); }

SupResult sup_model_pack(SupArena *arena, const SupModelDef *def, SupModel **out_model,
                         SupError *error) {
  uint64_t bytes = table_end(def->part_count);
  bool fits = def->part_count <= SUP_MODEL_SECTION_MAX;
  for (uint32_t k = 0; fits && k < def->part_count; k++) fits = add_section(&bytes, &def->parts[k]);
  char *block = fits && bytes <= SIZE_MAX ? SUP_ALLOC(arena, char, (size_t)bytes) : NULL;
  if (!block) {
    return sup_fail(error, SUP_ERROR_MEMORY, "a model of %u sections does not fit into memory",
                    def->part_count);
  }
  SupModel *model = (SupModel *)block;
  *model = (SupModel){
      .magic = SUP_MODEL_MAGIC,
      .layout = SUP_MODEL_LAYOUT,
      .kind = def->kind,
      .version = def->version,
      .bytes = bytes,
      .mesh = def->mesh,
      .h = def->h,
      .section_count = def->part_count,
  };
  SupModelSection *sections = (SupModelSection *)(model + 1);
  uint64_t offset = table_end(def->part_count);
  for (uint32_t k = 0; k < def->part_count; k++) {
    const SupModelPart *part = &def->parts[k];
    sections[k] = (SupModelSection){
        .id = part->id, .item_bytes = part->item_bytes, .count = part->count, .offset = offset};
    if (part->items) {
      sup_copy(block + offset, part->items, (size_t)part->count * part->item_bytes);
    }
    add_section(&offset, part);
  }
  sup_model_seal(model);
  SupResult result = sup_model_check_container(model, (size_t)bytes, error);
  if (result == SUP_OK) *out_model = model;
  return result;
}
