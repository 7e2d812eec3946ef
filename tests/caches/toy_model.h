/* SPDX-License-Identifier: MIT */
/* A model kind for tests only: numbers, and for each a link to another one. */
#ifndef SUP_TESTS_TOY_MODEL_H
#define SUP_TESTS_TOY_MODEL_H

#include "supple/author/model_pack.h"
#include "supple/technique.h"

#define TOY_KIND SUP_FOURCC('T', 'O', 'Y', '!')
#define TOY_VALUES SUP_FOURCC('V', 'A', 'L', 'S')
#define TOY_LINKS SUP_FOURCC('L', 'I', 'N', 'K')

static inline SupResult toy_check(const SupModel *model, SupError *error) {
  uint64_t value_count = 0, link_count = 0;
  const float *values = sup_model_section(model, TOY_VALUES, sizeof(float), &value_count);
  const uint32_t *links = sup_model_section(model, TOY_LINKS, sizeof(uint32_t), &link_count);
  if (!values || !links || value_count != link_count) {
    return sup_fail(error, SUP_ERROR_FORMAT, "the toy model lacks a section");
  }
  for (uint64_t k = 0; k < link_count; k++) {
    if (links[k] >= value_count || !(values[k] >= -1 && values[k] <= 1)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "the toy model's entry %llu is out of range",
                      (unsigned long long)k);
    }
  }
  return SUP_OK;
}

/* The sum along the links: a step that trusts the check. */
static inline float toy_step(const SupModel *model) {
  uint64_t count;
  const float *values = sup_model_section(model, TOY_VALUES, sizeof(float), &count);
  const uint32_t *links = sup_model_section(model, TOY_LINKS, sizeof(uint32_t), NULL);
  float sum = 0;
  for (uint64_t k = 0; k < count; k++) sum += values[links[k]];
  return sum;
}

static const SupTechnique toy_technique = {
    .kind = TOY_KIND, .name = "toy", .version = 3, .stage = SUP_STAGE_COUNT, .check = toy_check};
static const SupTechnique *const toy_techniques[] = {&toy_technique, NULL};

static inline SupModel *toy_pack(SupArena *arena, SupError *error) {
  static const float values[5] = {0.5f, -0.25f, 1, 0, -1};
  static const uint32_t links[5] = {4, 3, 2, 1, 0};
  static const float rest[6] = {0, 0, 0, 1, 2, 3};
  const SupModelPart parts[] = {
      {SUP_SECTION_REST, 12, 2, rest},
      {TOY_VALUES, sizeof(float), 5, values},
      {TOY_LINKS, sizeof(uint32_t), 5, links},
  };
  SupModelDef def = {.kind = TOY_KIND,
                     .version = 2,
                     .h = 1.0f / 60,
                     .mesh = {.vertex_count = 2},
                     .part_count = 3,
                     .parts = parts};
  SupModel *model = NULL;
  return sup_model_pack(arena, &def, &model, error) == SUP_OK ? model : NULL;
}

#endif
