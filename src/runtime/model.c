/* SPDX-License-Identifier: MIT */
/* The model container: everything is checked here, once, so that a step may trust its block. */
#include "supple/model.h"

#include "supple/technique.h"

_Static_assert(sizeof(SupFingerprint) == 32, "part of the file format");
_Static_assert(sizeof(SupModel) == 128, "part of the file format");
_Static_assert(sizeof(SupModelSection) == 32, "part of the file format");

void sup_fourcc_text(uint32_t fourcc, char *out_text) {
  for (unsigned k = 0; k < 4; k++) {
    char letter = (char)(fourcc >> (8 * k) & 0xff);
    out_text[k] = letter >= ' ' && letter <= '~' ? letter : '?';
  }
  out_text[4] = 0;
}

static const SupModelSection *table_of(const SupModel *model) {
  return (const SupModelSection *)(model + 1);
}

uint64_t sup_model_checksum(const SupModel *model) {
  /* Everything behind the field, seeded by everything in front of it. */
  const size_t front = offsetof(SupModel, checksum);
  const size_t behind = front + sizeof model->checksum;
  return sup_hash((const char *)model + behind, (size_t)model->bytes - behind,
                  sup_hash(model, front, 0));
}

const void *sup_model_section(const SupModel *model, uint32_t id, size_t item_bytes,
                              uint64_t *out_count) {
  const SupModelSection *sections = table_of(model);
  for (uint32_t k = 0; k < model->section_count; k++) {
    if (sections[k].id != id || sections[k].item_bytes != item_bytes) continue;
    if (out_count) *out_count = sections[k].count;
    return (const char *)model + sections[k].offset;
  }
  return NULL;
}

static SupResult check_head(const SupModel *model, size_t bytes, SupError *error) {
  if (bytes < sizeof *model || model->magic != SUP_MODEL_MAGIC) {
    return sup_fail(error, SUP_ERROR_FORMAT, "not a model: it does not begin with SUPM");
  }
  if (model->layout != SUP_MODEL_LAYOUT) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the model has layout %u, but this build reads %u: update Supple",
                    model->layout, SUP_MODEL_LAYOUT);
  }
  if (model->bytes > bytes) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "the model's header says %llu bytes, but there are %zu: it was truncated",
                    (unsigned long long)model->bytes, bytes);
  }
  if (model->bytes < sizeof *model || model->bytes % SUP_ALIGNMENT ||
      model->section_count > SUP_MODEL_SECTION_MAX ||
      model->section_count > (model->bytes - sizeof *model) / sizeof(SupModelSection)) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "the model's header is damaged (%llu bytes, %u sections)",
                    (unsigned long long)model->bytes, model->section_count);
  }
  if (model->checksum != sup_model_checksum(model)) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "the model's checksum is wrong: the file was damaged or edited by hand");
  }
  return SUP_OK;
}

static bool section_sound(const SupModel *model, const SupModelSection *section) {
  uint64_t first = sizeof *model + model->section_count * sizeof *section;
  return section->id && section->item_bytes && section->reserved == 0 &&
         section->offset % SUP_ALIGNMENT == 0 && section->offset >= first &&
         section->offset <= model->bytes &&
         section->count <= (model->bytes - section->offset) / section->item_bytes;
}

/* Both are inside the block. */
static bool sections_overlap(const SupModelSection *a, const SupModelSection *b) {
  uint64_t end_a = a->offset + a->count * a->item_bytes;
  uint64_t end_b = b->offset + b->count * b->item_bytes;
  return a->offset < end_b && b->offset < end_a;
}

static SupResult check_table(const SupModel *model, SupError *error) {
  const SupModelSection *sections = table_of(model);
  char name[5];
  for (uint32_t k = 0; k < model->section_count; k++) {
    sup_fourcc_text(sections[k].id, name);
    if (!section_sound(model, &sections[k])) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "the model's section %u (%s) is outside the block, misaligned or invalid", k,
                      name);
    }
    for (uint32_t i = 0; i < k; i++) {
      if (sections[i].id == sections[k].id || sections_overlap(&sections[i], &sections[k])) {
        return sup_fail(error, SUP_ERROR_FORMAT,
                        "the model's sections %u and %u (%s) have the same name or overlap", i, k,
                        name);
      }
    }
  }
  return SUP_OK;
}

/* What every kind's header has to satisfy. */
static SupResult check_fields(const SupModel *model, SupError *error) {
  if (!(model->h > 0 && model->h <= 1)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "the model's step is %g seconds; it must be in (0, 1]",
                    (double)model->h);
  }
  uint32_t others = 0;
  for (unsigned k = 0; k < sizeof model->reserved / sizeof *model->reserved; k++) {
    others |= model->reserved[k];
  }
  if (others) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the model uses fields that this build does not know: update Supple");
  }
  uint64_t count = model->mesh.vertex_count;
  const SupModelSection *sections = table_of(model);
  for (uint32_t k = 0; k < model->section_count; k++) {
    if (sections[k].id != SUP_SECTION_REST) continue;
    if (sections[k].item_bytes != 3 * sizeof(float) || sections[k].count != count) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "the model has %llu rest positions for a mesh of %llu vertices",
                      (unsigned long long)sections[k].count, (unsigned long long)count);
    }
  }
  return SUP_OK;
}

SupResult sup_model_check_container(const void *block, size_t bytes, SupError *error) {
  const SupModel *model = (const SupModel *)block;
  SupResult result = check_head(model, bytes, error);
  if (result == SUP_OK) result = check_table(model, error);
  if (result == SUP_OK) result = check_fields(model, error);
  return result;
}

SupResult sup_model_check(const void *block, size_t bytes, const SupTechnique *const *techniques,
                          SupError *error) {
  SupResult result = sup_model_check_container(block, bytes, error);
  if (result != SUP_OK) return result;
  const SupModel *model = (const SupModel *)block;
  const SupTechnique *technique = sup_technique_find(techniques, model->kind);
  if (!technique) {
    char name[5];
    sup_fourcc_text(model->kind, name);
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the model is of kind %s, which this build does not know: update Supple", name);
  }
  if (model->version > technique->version) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the %s model has version %u, but this build reads up to %u: update Supple",
                    technique->name, model->version, technique->version);
  }
  return technique->check(model, error);
}
