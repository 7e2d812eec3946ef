/* SPDX-License-Identifier: MIT */
/* A skin model out of weights: unions of bones per block, then the records (docs/skinning.md). */
#include "supple/author/skin_pack.h"

#include "base/scratch.h"

/* What packing works with. All arrays are in the arena of the job. */
typedef struct Pack {
  const SupSkinSource *source;
  uint32_t block_count;
  uint32_t *lanes;      /* [16 * block_count] vertex of each lane */
  uint32_t *bone_first; /* [block_count + 1] */
  uint32_t *bones;      /* [bone_first[block_count]] */
  uint32_t *place;      /* [bone_count] where a bone stands in the union at hand */
  uint32_t *morph_first;
  uint32_t *morph_targets;
} Pack;

/* The numbers that packing writes after everything is laid out. */
typedef struct Room {
  float *records, *pivots, *offsets;
} Room;

static bool finite3(SupVec3 v) {
  return v.x - v.x == 0.0f && v.y - v.y == 0.0f && v.z - v.z == 0.0f;
}

static SupResult check_source(SupArena *arena, const SupSkinSource *source, SupError *error) {
  uint32_t n = source->vertex_count;
  const SupSkin *skin = &source->skin;
  if (n == 0 || source->bone_count == 0 || skin->vertex_count != n) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "skin: nothing to pack (%u vertices, %u bones, weights for %u)", n,
                    source->bone_count, skin->vertex_count);
  }
  if (source->morph_count > SUP_SKIN_MORPHS) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "skin: %u morph targets; the maximum is %u",
                    source->morph_count, SUP_SKIN_MORPHS);
  }
  uint8_t *seen = SUP_ALLOC(arena, uint8_t, n);
  if (!seen) return sup_fail_memory(error, "packing the skin");
  for (uint32_t i = 0; i < n; i++) {
    uint32_t v = source->order[i];
    if (v >= n || seen[v]) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "skin: the order is not a permutation at %u", i);
    }
    seen[v] = 1;
  }
  for (uint32_t v = 0; v < n; v++) {
    if (!finite3(source->positions[v])) {
      return sup_fail(error, SUP_ERROR_FORMAT, "skin: the position of vertex %u is not finite", v);
    }
    if (skin->offsets[v + 1] <= skin->offsets[v]) {
      return sup_fail(error, SUP_ERROR_FORMAT, "skin: no bone moves vertex %u", v);
    }
    for (uint32_t s = skin->offsets[v]; s < skin->offsets[v + 1]; s++) {
      if (skin->bones[s] >= source->bone_count || !(skin->weights[s] > 0.0f)) {
        return sup_fail(error, SUP_ERROR_FORMAT, "skin: vertex %u has bone %u with weight %g", v,
                        skin->bones[s], (double)skin->weights[s]);
      }
    }
  }
  return SUP_OK;
}

/* The vertices of the blocks; spare lanes of the last one repeat its first vertex. */
static void fill_lanes(Pack *pack) {
  uint32_t n = pack->source->vertex_count;
  uint32_t lanes = SUP_SKIN_BLOCK * pack->block_count;
  for (uint32_t i = 0; i < n; i++) pack->lanes[i] = pack->source->order[i];
  for (uint32_t i = n; i < lanes; i++) pack->lanes[i] = pack->lanes[lanes - SUP_SKIN_BLOCK];
}

/* Writes the union of a block's bones, rising, to out_bones (room for all influences of the
 * block) and returns its size. `place` must be SUP_NONE everywhere, and is again on return. */
static uint32_t union_of_block(const Pack *pack, uint32_t block, uint32_t *out_bones) {
  const SupSkin *skin = &pack->source->skin;
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < SUP_SKIN_BLOCK; lane++) {
    uint32_t v = pack->lanes[SUP_SKIN_BLOCK * block + lane];
    for (uint32_t s = skin->offsets[v]; s < skin->offsets[v + 1]; s++) {
      uint32_t bone = skin->bones[s];
      if (pack->place[bone] != SUP_NONE) continue;
      pack->place[bone] = 0;
      uint32_t k = count++;
      for (; k > 0 && out_bones[k - 1] > bone; k--) out_bones[k] = out_bones[k - 1];
      out_bones[k] = bone;
    }
  }
  for (uint32_t k = 0; k < count; k++) pack->place[out_bones[k]] = SUP_NONE;
  return count;
}

static SupResult find_unions(SupArena *arena, Pack *pack, SupError *error) {
  const SupSkin *skin = &pack->source->skin;
  size_t most = (size_t)skin->offsets[skin->vertex_count];
  /* The spare lanes repeat a vertex, so the influences bound the unions. */
  pack->bones = SUP_ALLOC(arena, uint32_t, most);
  pack->bone_first = SUP_ALLOC(arena, uint32_t, (size_t)pack->block_count + 1);
  pack->place = SUP_ALLOC(arena, uint32_t, pack->source->bone_count);
  if (!pack->bones || !pack->bone_first || !pack->place) {
    return sup_fail_memory(error, "packing the skin");
  }
  for (uint32_t j = 0; j < pack->source->bone_count; j++) pack->place[j] = SUP_NONE;
  for (uint32_t block = 0; block < pack->block_count; block++) {
    uint32_t first = pack->bone_first[block];
    pack->bone_first[block + 1] = first + union_of_block(pack, block, pack->bones + first);
  }
  return SUP_OK;
}

static bool morph_moves_block(const Pack *pack, uint32_t block, const SupMorph *morph) {
  for (uint32_t lane = 0; lane < SUP_SKIN_BLOCK; lane++) {
    SupVec3 d = morph->offsets[pack->lanes[SUP_SKIN_BLOCK * block + lane]];
    if (d.x != 0.0f || d.y != 0.0f || d.z != 0.0f) return true;
  }
  return false;
}

static SupResult find_morphs(SupArena *arena, Pack *pack, SupError *error) {
  const SupSkinSource *source = pack->source;
  pack->morph_first = SUP_ALLOC(arena, uint32_t, (size_t)pack->block_count + 1);
  if (!pack->morph_first) return sup_fail_memory(error, "packing the skin");
  for (uint32_t pass = 0; pass < 2; pass++) {
    uint32_t count = 0;
    for (uint32_t block = 0; block < pack->block_count; block++) {
      for (uint32_t m = 0; m < source->morph_count; m++) {
        if (!morph_moves_block(pack, block, &source->morphs[m])) continue;
        if (pass == 1) pack->morph_targets[count] = m;
        count++;
      }
      pack->morph_first[block + 1] = count;
    }
    if (pass == 0) pack->morph_targets = SUP_ALLOC(arena, uint32_t, count);
    if (!pack->morph_targets) return sup_fail_memory(error, "packing the skin");
  }
  return SUP_OK;
}

/* The arrays of the result, in the caller's arena. */
static SupResult make_room(SupArena *arena, const Pack *pack, SupSkinView *out, Room *room,
                           SupError *error) {
  const SupSkinSource *source = pack->source;
  size_t blocks = pack->block_count;
  out->flags =
      (source->normals ? SUP_SKIN_NORMALS : 0) | (source->tangents ? SUP_SKIN_TANGENTS : 0);
  out->vertex_count = source->vertex_count;
  out->block_count = pack->block_count;
  out->bone_count = source->bone_count;
  out->morph_count = source->morph_count;
  size_t slots = pack->bone_first[blocks], morph_slots = pack->morph_first[blocks];
  size_t rows = blocks * sup_skin_record_rows(out->flags) + slots;
  out->order = SUP_COPY(arena, uint32_t, pack->lanes, blocks * SUP_SKIN_BLOCK);
  out->bone_first = SUP_COPY(arena, uint32_t, pack->bone_first, blocks + 1);
  out->bones = SUP_COPY(arena, uint32_t, pack->bones, slots);
  out->records = room->records = SUP_ALLOC(arena, float, rows *SUP_SKIN_BLOCK);
  out->pivots = room->pivots = SUP_ALLOC(arena, float, blocks *SUP_SKIN_BLOCK);
  out->morph_first = SUP_COPY(arena, uint32_t, pack->morph_first, blocks + 1);
  out->morph_targets = SUP_COPY(arena, uint32_t, pack->morph_targets, morph_slots);
  out->morph_offsets = room->offsets = SUP_ALLOC(arena, float, morph_slots * 3 * SUP_SKIN_BLOCK);
  if (!out->order || !out->bone_first || !out->bones || !out->records || !out->pivots ||
      !out->morph_first || !out->morph_targets || !out->morph_offsets) {
    return sup_fail(error, SUP_ERROR_MEMORY, "skin: out of memory for %u blocks", out->block_count);
  }
  return SUP_OK;
}

static void put3(float *rows, uint32_t lane, SupVec3 v) {
  rows[lane] = v.x;
  rows[SUP_SKIN_BLOCK + lane] = v.y;
  rows[2 * SUP_SKIN_BLOCK + lane] = v.z;
}

/* One vertex into its lane of the record; returns the place of its heaviest bone. */
static uint32_t fill_vertex(const Pack *pack, uint32_t v, uint32_t lane, float *record) {
  const SupSkinSource *source = pack->source;
  put3(record, lane, source->positions[v]);
  float *row = record + 3 * SUP_SKIN_BLOCK;
  if (source->normals) {
    put3(row, lane, source->normals[v]);
    row += 3 * SUP_SKIN_BLOCK;
  }
  if (source->tangents) {
    SupVec4 t = source->tangents[v];
    put3(row, lane, (SupVec3){t.x, t.y, t.z});
    row[3 * SUP_SKIN_BLOCK + lane] = t.w;
    row += 4 * SUP_SKIN_BLOCK;
  }
  const SupSkin *skin = &source->skin;
  uint32_t heaviest = skin->offsets[v];
  for (uint32_t s = skin->offsets[v]; s < skin->offsets[v + 1]; s++) {
    row[SUP_SKIN_BLOCK * pack->place[skin->bones[s]] + lane] += skin->weights[s];
    if (skin->weights[s] > skin->weights[heaviest]) heaviest = s;
  }
  return pack->place[skin->bones[heaviest]];
}

static void fill_blocks(const Pack *pack, uint32_t flags, const Room *room) {
  size_t rows = sup_skin_record_rows(flags);
  for (uint32_t block = 0; block < pack->block_count; block++) {
    uint32_t first = pack->bone_first[block], end = pack->bone_first[block + 1];
    for (uint32_t s = first; s < end; s++) pack->place[pack->bones[s]] = s - first;
    float *record = room->records + SUP_SKIN_BLOCK * (rows * block + first);
    for (uint32_t lane = 0; lane < SUP_SKIN_BLOCK; lane++) {
      uint32_t i = SUP_SKIN_BLOCK * block + lane;
      room->pivots[i] = (float)fill_vertex(pack, pack->lanes[i], lane, record);
    }
    for (uint32_t s = first; s < end; s++) pack->place[pack->bones[s]] = SUP_NONE;
  }
}

static void fill_morphs(const Pack *pack, const Room *room) {
  for (uint32_t block = 0; block < pack->block_count; block++) {
    for (uint32_t s = pack->morph_first[block]; s < pack->morph_first[block + 1]; s++) {
      const SupMorph *morph = &pack->source->morphs[pack->morph_targets[s]];
      float *rows = room->offsets + (size_t)(3 * SUP_SKIN_BLOCK) * s;
      for (uint32_t lane = 0; lane < SUP_SKIN_BLOCK; lane++) {
        put3(rows, lane, morph->offsets[pack->lanes[SUP_SKIN_BLOCK * block + lane]]);
      }
    }
  }
}

SupResult sup_skin_pack(SupArena *arena, const SupSkinSource *source, SupSkinView *out_skin,
                        SupError *error) {
  SupResult result = SUP_OK;
  SupArena scratch = sup_scratch(arena);
  Pack pack = {.source = source};
  SupSkinView skin = {0};
  Room room = {0};
  result = check_source(&scratch, source, error);
  if (result) goto done;
  pack.block_count = sup_range_count(source->vertex_count, SUP_SKIN_BLOCK);
  pack.lanes = SUP_ALLOC(&scratch, uint32_t, (size_t)SUP_SKIN_BLOCK * pack.block_count);
  if (!pack.lanes) {
    result = sup_fail_memory(error, "packing the skin");
    goto done;
  }
  fill_lanes(&pack);
  result = find_unions(&scratch, &pack, error);
  if (!result) result = find_morphs(&scratch, &pack, error);
  size_t limit = sup_scratch_charge(arena, &scratch);
  if (!result) result = make_room(arena, &pack, &skin, &room, error);
  arena->limit = limit;
  if (result) goto done;
  fill_blocks(&pack, skin.flags, &room);
  fill_morphs(&pack, &room);
  *out_skin = skin;
done:
  sup_arena_free(&scratch);
  return result;
}
