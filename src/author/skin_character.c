/* SPDX-License-Identifier: MIT */
/* The packed skins of a character: of its body and of its render vertices. */
#include "supple/author/skin_pack.h"

#include "supple/author/fingerprint.h"
#include "supple/geom/measure.h"
#include "supple/geom/order.h"

static SupResult no_memory(SupError *error) {
  return sup_fail(error, SUP_ERROR_MEMORY, "packing a skin: out of memory");
}

static SupResult body_order(SupArena *scratch, const SupCharacter *character, SupOrder *out_order,
                            SupError *error) {
  SupOrderDef def = {.bone_offsets = character->skin.offsets,
                     .bones = character->skin.bones,
                     .bone_count = character->skeleton.bone_count};
  SupResult result = sup_rings(scratch, &character->body, &def.rings, error);
  return result ? result : sup_order(scratch, &def, out_order, error);
}

/* The mean of the render normals at each body vertex, or of its triangles. */
static SupResult body_normals(SupArena *scratch, const SupCharacter *character,
                              const SupVec3 **out_normals, SupError *error) {
  const SupRender *render = &character->render;
  SupVec3 *normals = SUP_ALLOC(scratch, SupVec3, character->body.vertex_count);
  if (!normals) return no_memory(error);
  if (render->normals) {
    for (uint32_t r = 0; r < render->vertex_count; r++) {
      SupVec3 *sum = &normals[render->to_body[r]];
      *sum = sup_vec3_add(*sum, render->normals[r]);
    }
    for (uint32_t v = 0; v < character->body.vertex_count; v++) {
      normals[v] = sup_vec3_normalise(normals[v]);
    }
  } else {
    sup_vertex_normals(&character->body, normals);
  }
  *out_normals = normals;
  return SUP_OK;
}

static SupResult body_source(SupArena *scratch, const SupCharacter *character,
                             SupSkinSource *out_source, SupError *error) {
  SupOrder order;
  SupResult result = body_order(scratch, character, &order, error);
  if (!result) result = body_normals(scratch, character, &out_source->normals, error);
  if (result) return result;
  out_source->vertex_count = character->body.vertex_count;
  out_source->positions = character->body.positions;
  out_source->skin = character->skin;
  out_source->morphs = character->morphs;
  out_source->order = order.old_of_new;
  return SUP_OK;
}

/* The weights of each render vertex's body vertex. */
static SupResult render_skin(SupArena *scratch, const SupCharacter *character, SupSkin *out_skin,
                             SupError *error) {
  const SupRender *render = &character->render;
  const SupSkin *body = &character->skin;
  uint32_t *offsets = SUP_ALLOC(scratch, uint32_t, (size_t)render->vertex_count + 1);
  if (!offsets) return no_memory(error);
  for (uint32_t r = 0; r < render->vertex_count; r++) {
    uint32_t v = render->to_body[r];
    offsets[r + 1] = offsets[r] + body->offsets[v + 1] - body->offsets[v];
  }
  uint32_t *bones = SUP_ALLOC(scratch, uint32_t, offsets[render->vertex_count]);
  float *weights = SUP_ALLOC(scratch, float, offsets[render->vertex_count]);
  if (!bones || !weights) return no_memory(error);
  for (uint32_t r = 0; r < render->vertex_count; r++) {
    uint32_t from = body->offsets[render->to_body[r]];
    for (uint32_t s = offsets[r]; s < offsets[r + 1]; s++, from++) {
      bones[s] = body->bones[from];
      weights[s] = body->weights[from];
    }
  }
  *out_skin = (SupSkin){render->vertex_count, body->influence_max, offsets, bones, weights};
  return SUP_OK;
}

/* Render vertices in the order of their body vertices: a counting sort. */
static SupResult render_order(SupArena *scratch, const SupCharacter *character,
                              const uint32_t **out_order, SupError *error) {
  const SupRender *render = &character->render;
  SupOrder body;
  SupResult result = body_order(scratch, character, &body, error);
  if (result) return result;
  uint32_t *next = SUP_ALLOC(scratch, uint32_t, (size_t)body.vertex_count + 1);
  uint32_t *order = SUP_ALLOC(scratch, uint32_t, render->vertex_count);
  if (!next || !order) return no_memory(error);
  for (uint32_t r = 0; r < render->vertex_count; r++) {
    next[body.new_of_old[render->to_body[r]] + 1]++;
  }
  for (uint32_t i = 0; i < body.vertex_count; i++) next[i + 1] += next[i];
  for (uint32_t r = 0; r < render->vertex_count; r++) {
    order[next[body.new_of_old[render->to_body[r]]]++] = r;
  }
  *out_order = order;
  return SUP_OK;
}

static SupResult render_morphs(SupArena *scratch, const SupCharacter *character,
                               const SupMorph **out_morphs, SupError *error) {
  const SupRender *render = &character->render;
  SupMorph *morphs = SUP_COPY(scratch, SupMorph, character->morphs, character->morph_count);
  if (!morphs) return no_memory(error);
  for (uint32_t m = 0; m < character->morph_count; m++) {
    SupVec3 *offsets = SUP_ALLOC(scratch, SupVec3, render->vertex_count);
    if (!offsets) return no_memory(error);
    for (uint32_t r = 0; r < render->vertex_count; r++) {
      offsets[r] = character->morphs[m].offsets[render->to_body[r]];
    }
    morphs[m].offsets = offsets;
  }
  *out_morphs = morphs;
  return SUP_OK;
}

static SupResult render_source(SupArena *scratch, const SupCharacter *character,
                               SupSkinSource *out_source, SupError *error) {
  SupResult result = render_order(scratch, character, &out_source->order, error);
  if (!result) result = render_skin(scratch, character, &out_source->skin, error);
  if (!result) result = render_morphs(scratch, character, &out_source->morphs, error);
  out_source->vertex_count = character->render.vertex_count;
  out_source->positions = character->render.positions;
  out_source->normals = character->render.normals;
  out_source->tangents = character->render.tangents;
  return result;
}

SupResult sup_skin_pack_character(SupArena *arena, const SupCharacter *character,
                                  SupSampleOrder vertices, SupSkinView *out_skin, SupError *error) {
  SupArena scratch;
  sup_arena_init(&scratch, arena->allocator, arena->limit);
  SupSkinSource source = {.bone_count = character->skeleton.bone_count,
                          .morph_count = character->morph_count};
  SupResult result = vertices == SUP_ORDER_BODY
                         ? body_source(&scratch, character, &source, error)
                         : render_source(&scratch, character, &source, error);
  if (!result) result = sup_skin_pack(arena, &source, out_skin, error);
  sup_arena_free(&scratch);
  return result;
}

_Static_assert(offsetof(SupSkinView, morph_count) == 4 * sizeof(uint32_t),
               "the counts are one array of five");

void sup_skin_parts(const SupSkinView *skin, SupModelPart *out_parts) {
  uint64_t blocks = skin->block_count, lanes = SUP_SKIN_BLOCK * blocks;
  uint64_t bones = skin->bone_first[blocks], morphs = skin->morph_first[blocks];
  uint64_t rows = blocks * sup_skin_record_rows(skin->flags) + bones;
  const SupModelPart parts[SUP_SKIN_SECTION_COUNT] = {
      {SUP_SECTION_SKIN_COUNTS, 4, 5, &skin->flags},
      {SUP_SECTION_SKIN_ORDER, 4, lanes, skin->order},
      {SUP_SECTION_SKIN_BONE_FIRST, 4, blocks + 1, skin->bone_first},
      {SUP_SECTION_SKIN_BONES, 4, bones, skin->bones},
      {SUP_SECTION_SKIN_RECORDS, 4, SUP_SKIN_BLOCK * rows, skin->records},
      {SUP_SECTION_SKIN_PIVOTS, 4, lanes, skin->pivots},
      {SUP_SECTION_SKIN_MORPH_FIRST, 4, blocks + 1, skin->morph_first},
      {SUP_SECTION_SKIN_MORPHS, 4, morphs, skin->morph_targets},
      {SUP_SECTION_SKIN_OFFSETS, 4, 3 * SUP_SKIN_BLOCK * morphs, skin->morph_offsets}};
  for (uint32_t k = 0; k < SUP_SKIN_SECTION_COUNT; k++) out_parts[k] = parts[k];
}

SupResult sup_skin_model(SupArena *arena, const SupCharacter *character, SupSampleOrder vertices,
                         SupModel **out_model, SupError *error) {
  SupArena scratch;
  SupSkinView skin;
  SupModelPart parts[SUP_SKIN_SECTION_COUNT + 1];
  sup_arena_init(&scratch, arena->allocator, arena->limit);
  SupResult result = sup_skin_pack_character(&scratch, character, vertices, &skin, error);
  if (result) goto done;
  sup_skin_parts(&skin, parts);
  parts[SUP_SKIN_SECTION_COUNT] = (SupModelPart){
      SUP_SECTION_REST, sizeof(SupVec3), character->body.vertex_count, character->body.positions};
  const SupModelDef def = {.kind = SUP_SKIN_KIND,
                           .version = SUP_SKIN_VERSION,
                           .h = 1.0f / 60.0f,
                           .mesh = sup_fingerprint(&character->body),
                           .part_count = SUP_SKIN_SECTION_COUNT + 1,
                           .parts = parts};
  result = sup_model_pack(arena, &def, out_model, error);
done:
  sup_arena_free(&scratch);
  return result;
}
