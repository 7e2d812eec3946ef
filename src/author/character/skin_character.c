/* SPDX-License-Identifier: MIT */
/* The packed skins of a character: of its body and of its render vertices. */
#include "supple/author/skin_pack.h"

#include "author/pack/packer_list.h"
#include "base/scratch.h"
#include "supple/author/fingerprint.h"
#include "supple/geom/measure.h"
#include "supple/geom/order.h"

/* Sorts the whole blocks of order[count] by their lowest vertex; a short last one stays. */
static SupResult sort_blocks(SupArena *scratch, uint32_t count, uint32_t *order, SupError *error) {
  uint32_t blocks = count / SUP_SKIN_BLOCK;
  uint32_t *block_of_lowest = SUP_ALLOC(scratch, uint32_t, count); /* plus one; 0 for none */
  uint32_t *sorted = SUP_ALLOC(scratch, uint32_t, (size_t)blocks * SUP_SKIN_BLOCK);
  if (!block_of_lowest || !sorted) return sup_fail_memory(error, "packing the skin");
  for (uint32_t b = 0; b < blocks; b++) {
    uint32_t lowest = order[SUP_SKIN_BLOCK * b];
    for (uint32_t lane = 1; lane < SUP_SKIN_BLOCK; lane++) {
      uint32_t v = order[SUP_SKIN_BLOCK * b + lane];
      if (v < lowest) lowest = v;
    }
    block_of_lowest[lowest] = b + 1;
  }
  uint32_t *to = sorted;
  for (uint32_t v = 0; v < count; v++) {
    if (!block_of_lowest[v]) continue;
    sup_copy(to, order + (size_t)SUP_SKIN_BLOCK * (block_of_lowest[v] - 1),
             SUP_SKIN_BLOCK * sizeof(uint32_t));
    to += SUP_SKIN_BLOCK;
  }
  sup_copy(order, sorted, (size_t)blocks * SUP_SKIN_BLOCK * sizeof(uint32_t));
  return SUP_OK;
}

/* Where the mesh's own order is nearly as good it is kept: blocks are then runs of vertices, which
 * is what skinning into vertex order likes best. */
#define OWN_ORDER_MARGIN 1.1

static SupResult find_order(SupArena *scratch, const SupMesh *mesh, const SupSkin *skin,
                            uint32_t bone_count, uint32_t *order, SupError *error) {
  SupOrderDef def = {.bone_offsets = skin->offsets, .bones = skin->bones, .bone_count = bone_count};
  SupOrder found;
  double own_bones, own_outside;
  SupResult result = sup_rings(scratch, mesh, &def.rings, error);
  if (!result) result = sup_order(scratch, &def, &found, error);
  if (!result) result = sup_order_measure(scratch, &def, NULL, &own_bones, &own_outside, error);
  if (result) return result;
  bool own = own_bones <= OWN_ORDER_MARGIN * found.bones_per_block;
  for (uint32_t i = 0; i < mesh->vertex_count; i++) order[i] = own ? i : found.old_of_new[i];
  return own ? SUP_OK : sort_blocks(scratch, mesh->vertex_count, order, error);
}

SupResult sup_skin_order(SupArena *arena, const SupMesh *mesh, const SupSkin *skin,
                         uint32_t bone_count, const uint32_t **out_order, SupError *error) {
  uint32_t *order = SUP_ALLOC(arena, uint32_t, mesh->vertex_count);
  if (!order) return sup_fail_memory(error, "packing the skin");
  SupArena scratch = sup_scratch(arena);
  SupResult result = find_order(&scratch, mesh, skin, bone_count, order, error);
  if (!result) *out_order = order;
  sup_arena_free(&scratch);
  return result;
}

/* The mean of the render normals at each body vertex, or of its triangles. */
static SupResult body_normals(SupArena *scratch, const SupCharacter *character,
                              const SupVec3 **out_normals, SupError *error) {
  const SupRender *render = &character->render;
  SupVec3 *normals = SUP_ALLOC(scratch, SupVec3, character->body.vertex_count);
  if (!normals) return sup_fail_memory(error, "packing the skin");
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
  SupResult result = sup_skin_order(scratch, &character->body, &character->skin,
                                    character->skeleton.bone_count, &out_source->order, error);
  if (!result) result = body_normals(scratch, character, &out_source->normals, error);
  if (result) return result;
  out_source->vertex_count = character->body.vertex_count;
  out_source->positions = character->body.positions;
  out_source->skin = character->skin;
  out_source->morphs = character->morphs;
  return SUP_OK;
}

/* The weights of each render vertex: its own, or its body vertex's where these are the same. */
static SupResult render_skin(SupArena *scratch, const SupCharacter *character, SupSkin *out_skin,
                             SupError *error) {
  const SupRender *render = &character->render;
  const SupSkin *body = &character->skin;
  if (render->skin.vertex_count) {
    *out_skin = render->skin;
    return SUP_OK;
  }
  uint32_t *offsets = SUP_ALLOC(scratch, uint32_t, (size_t)render->vertex_count + 1);
  if (!offsets) return sup_fail_memory(error, "packing the skin");
  for (uint32_t r = 0; r < render->vertex_count; r++) {
    uint32_t v = render->to_body[r];
    offsets[r + 1] = offsets[r] + body->offsets[v + 1] - body->offsets[v];
  }
  uint32_t *bones = SUP_ALLOC(scratch, uint32_t, offsets[render->vertex_count]);
  float *weights = SUP_ALLOC(scratch, float, offsets[render->vertex_count]);
  if (!bones || !weights) return sup_fail_memory(error, "packing the skin");
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
  uint32_t body_count = character->body.vertex_count;
  uint32_t *body_order = SUP_ALLOC(scratch, uint32_t, body_count);
  uint32_t *place = SUP_ALLOC(scratch, uint32_t, body_count); /* of a body vertex in that order */
  uint32_t *next = SUP_ALLOC(scratch, uint32_t, (size_t)body_count + 1);
  uint32_t *order = SUP_ALLOC(scratch, uint32_t, render->vertex_count);
  if (!body_order || !place || !next || !order) return sup_fail_memory(error, "packing the skin");
  SupResult result = find_order(scratch, &character->body, &character->skin,
                                character->skeleton.bone_count, body_order, error);
  if (result) return result;
  for (uint32_t i = 0; i < body_count; i++) place[body_order[i]] = i;
  for (uint32_t r = 0; r < render->vertex_count; r++) next[place[render->to_body[r]] + 1]++;
  for (uint32_t i = 0; i < body_count; i++) next[i + 1] += next[i];
  for (uint32_t r = 0; r < render->vertex_count; r++) order[next[place[render->to_body[r]]]++] = r;
  *out_order = order;
  return sort_blocks(scratch, render->vertex_count, order, error);
}

static SupResult render_morphs(SupArena *scratch, const SupCharacter *character,
                               const SupMorph **out_morphs, SupError *error) {
  const SupRender *render = &character->render;
  SupMorph *morphs = SUP_COPY(scratch, SupMorph, character->morphs, character->morph_count);
  if (!morphs) return sup_fail_memory(error, "packing the skin");
  for (uint32_t m = 0; m < character->morph_count; m++) {
    SupVec3 *offsets = SUP_ALLOC(scratch, SupVec3, render->vertex_count);
    if (!offsets) return sup_fail_memory(error, "packing the skin");
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
  SupArena scratch = sup_scratch(arena);
  SupSkinSource source = {.bone_count = character->skeleton.bone_count,
                          .morph_count = character->morph_count};
  SupResult result = vertices == SUP_ORDER_BODY
                         ? body_source(&scratch, character, &source, error)
                         : render_source(&scratch, character, &source, error);
  size_t limit = sup_scratch_charge(arena, &scratch);
  if (!result) result = sup_skin_pack(arena, &source, out_skin, error);
  arena->limit = limit;
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

SupResult sup_skin_pack_model(SupArena *arena, const SupCharacter *character,
                              const SupSkinView *skin, const SupModelDef *def, SupModel **out_model,
                              SupError *error) {
  SupModelPart parts[SUP_MODEL_SECTION_MAX];
  if (def->part_count > SUP_MODEL_SECTION_MAX - SUP_SKIN_SECTION_COUNT) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "skin: %u sections besides the skin's own are too many", def->part_count);
  }
  sup_skin_parts(skin, parts);
  for (uint32_t k = 0; k < def->part_count; k++) parts[SUP_SKIN_SECTION_COUNT + k] = def->parts[k];
  SupModelDef whole = *def;
  whole.mesh = sup_fingerprint(&character->body);
  whole.part_count += SUP_SKIN_SECTION_COUNT;
  whole.parts = parts;
  SupModel *model;
  SupResult result = sup_model_pack(arena, &whole, &model, error);
  if (!result) result = sup_model_check(model, (size_t)model->bytes, def->techniques, error);
  if (!result) *out_model = model;
  return result;
}

SupResult sup_skin_model(SupArena *arena, const SupCharacter *character, SupSampleOrder vertices,
                         SupModel **out_model, SupError *error) {
  SupSkinView skin;
  SupArena scratch = sup_scratch(arena);
  SupResult result = sup_skin_pack_character(&scratch, character, vertices, &skin, error);
  if (result) goto done;
  const SupModelPart rest = {SUP_SECTION_REST, sizeof(SupVec3), character->body.vertex_count,
                             character->body.positions};
  const SupModelDef def = {.kind = SUP_SKIN_KIND,
                           .version = SUP_SKIN_VERSION,
                           .h = 1.0f / 60.0f,
                           .part_count = 1,
                           .parts = &rest};
  size_t limit = sup_scratch_charge(arena, &scratch);
  result = sup_skin_pack_model(arena, character, &skin, &def, out_model, error);
  arena->limit = limit;
done:
  sup_arena_free(&scratch);
  return result;
}

/* ---- Binding again ----------------------------------------------------------------------------
 */

static SupResult rebind(SupArena *arena, const SupCharacter *character, const SupModel *model,
                        const SupRebinding *binding, SupModel **out_model, SupError *error) {
  (void)model, (void)binding; /* it is what the character says */
  return sup_skin_model(arena, character, SUP_ORDER_BODY, out_model, error);
}

const SupPacker sup_skin_packer = {SUP_SKIN_KIND, rebind};
