/* SPDX-License-Identifier: MIT */
/* A packed skin as sections of a model block: checking them, and looking at them. */
#include "supple/model.h"

#include "runtime/model_checks.h"
#include "supple/skin.h"

enum { COUNT_FLAGS, COUNT_VERTICES, COUNT_BLOCKS, COUNT_BONES, COUNT_MORPHS, COUNTS };

/* The weights behind the rows of each block: fractions. */
static bool weights_sensible(const SupSkinView *skin) {
  const float *rows = skin->records;
  for (uint32_t block = 0; block < skin->block_count; block++) {
    rows += SUP_SKIN_BLOCK * sup_skin_record_rows(skin->flags);
    const uint32_t bones = skin->bone_first[block + 1] - skin->bone_first[block];
    for (uint64_t i = 0; i < (uint64_t)SUP_SKIN_BLOCK * bones; i++) {
      if (!(rows[i] >= 0 && rows[i] <= 1.001f)) return false;
    }
    rows += (size_t)SUP_SKIN_BLOCK * bones;
  }
  return true;
}

/* first[count + 1] rises from 0 to `end`, by at least `least` each time. */
static bool rises(const uint32_t *first, uint32_t count, uint64_t end, uint32_t least) {
  if (first[0] != 0 || first[count] != end) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (first[i + 1] < first[i] || first[i + 1] - first[i] < least) return false;
  }
  return true;
}

/* Each pivot is the place of a bone in its block's union. */
static bool pivots_fit(const SupSkinView *skin) {
  for (uint32_t i = 0; i < SUP_SKIN_BLOCK * skin->block_count; i++) {
    const uint32_t *first = skin->bone_first + i / SUP_SKIN_BLOCK;
    float pivot = skin->pivots[i];
    if (!(pivot >= 0.0f && pivot < (float)(first[1] - first[0]))) return false;
  }
  return true;
}

static SupResult bad(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_FORMAT, "the model's skin is damaged (%s): build it again",
                  what);
}

/* The items of a section that must be there. */
typedef struct Sections {
  const SupModel *model;
  bool complete;
} Sections;

static const void *items(Sections *sections, uint32_t id, uint64_t *out_count) {
  const void *found = sup_model_section(sections->model, id, 4, out_count);
  if (!found) sections->complete = false;
  return found;
}

typedef struct SkinCounts {
  uint64_t counts, order, bone_first, bones, records, pivots, morph_first, morphs, offsets;
} SkinCounts;

static bool find_sections(const SupModel *model, SupSkinView *skin, SkinCounts *n) {
  Sections s = {model, true};
  const uint32_t *counts = (const uint32_t *)items(&s, SUP_SECTION_SKIN_COUNTS, &n->counts);
  skin->order = (const uint32_t *)items(&s, SUP_SECTION_SKIN_ORDER, &n->order);
  skin->bone_first = (const uint32_t *)items(&s, SUP_SECTION_SKIN_BONE_FIRST, &n->bone_first);
  skin->bones = (const uint32_t *)items(&s, SUP_SECTION_SKIN_BONES, &n->bones);
  skin->records = (const float *)items(&s, SUP_SECTION_SKIN_RECORDS, &n->records);
  skin->pivots = (const float *)items(&s, SUP_SECTION_SKIN_PIVOTS, &n->pivots);
  skin->morph_first = (const uint32_t *)items(&s, SUP_SECTION_SKIN_MORPH_FIRST, &n->morph_first);
  skin->morph_targets = (const uint32_t *)items(&s, SUP_SECTION_SKIN_MORPHS, &n->morphs);
  skin->morph_offsets = (const float *)items(&s, SUP_SECTION_SKIN_OFFSETS, &n->offsets);
  if (!s.complete || n->counts != COUNTS) return false;
  skin->flags = counts[COUNT_FLAGS];
  skin->vertex_count = counts[COUNT_VERTICES];
  skin->block_count = counts[COUNT_BLOCKS];
  skin->bone_count = counts[COUNT_BONES];
  skin->morph_count = counts[COUNT_MORPHS];
  return true;
}

SupResult sup_skin_check(const SupModel *model, SupError *error) {
  SupSkinView skin = {0};
  SkinCounts n = {0};
  if (!find_sections(model, &skin, &n)) return bad(error, "a section is missing");
  uint64_t blocks = skin.block_count, lanes = SUP_SKIN_BLOCK * blocks;
  if (skin.vertex_count == 0 || skin.vertex_count > UINT32_MAX - SUP_SKIN_BLOCK ||
      blocks != sup_range_count(skin.vertex_count, SUP_SKIN_BLOCK)) {
    return bad(error, "number of vertices");
  }
  if (skin.flags > (SUP_SKIN_NORMALS | SUP_SKIN_TANGENTS)) return bad(error, "flags");
  if (n.order != lanes || !sup_all_below(skin.order, lanes, skin.vertex_count))
    return bad(error, "order");
  if (n.bone_first != blocks + 1 || !rises(skin.bone_first, skin.block_count, n.bones, 1) ||
      !sup_all_below(skin.bones, n.bones, skin.bone_count)) {
    return bad(error, "bones");
  }
  uint64_t rows = blocks * sup_skin_record_rows(skin.flags) + n.bones;
  if (n.records != SUP_SKIN_BLOCK * rows || !sup_all_moderate(skin.records, n.records) ||
      !weights_sensible(&skin)) {
    return bad(error, "numbers");
  }
  if (n.pivots != lanes || !pivots_fit(&skin)) return bad(error, "heaviest bones");
  if (skin.morph_count > SUP_SKIN_MORPHS || n.morph_first != blocks + 1 ||
      !rises(skin.morph_first, skin.block_count, n.morphs, 0) ||
      !sup_all_below(skin.morph_targets, n.morphs, skin.morph_count) ||
      n.offsets != 3 * SUP_SKIN_BLOCK * n.morphs ||
      !sup_all_moderate(skin.morph_offsets, n.offsets)) {
    return bad(error, "morph targets");
  }
  return SUP_OK;
}

SupSkinView sup_skin_view(const SupModel *model) {
  SupSkinView skin = {0};
  SkinCounts unused = {0};
  find_sections(model, &skin, &unused);
  return skin;
}
