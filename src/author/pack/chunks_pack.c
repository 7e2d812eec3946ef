/* SPDX-License-Identifier: MIT */
/* Chunks as a model block: matrices by blocks of 16 nodes, patches in rows of 16 vertices. */
#include "author/pack/chunks_packing.h"

#include "base/scratch.h"
#include "runtime/chunks/shell_frames.h"
#include "runtime/sewn/sewn_skin.h"

#define BLOCK SUP_SKIN_BLOCK
#define COUNTS 19 /* flags and how many of everything */

SupChunksPackDef sup_chunks_pack_def(void) {
  return (SupChunksPackDef){.cookie = SUP_CHUNKS_COOKIE};
}

/* ---- Where everything goes --------------------------------------------------------------------
 */

static uint32_t joint_of(const SupChunksPackDef *def, const SupChunksPieceDef *piece,
                         uint32_t end) {
  if (piece->limb == SUP_CHUNKS_NONE || piece->ends[end] != SUP_CHUNKS_END_JOINT) {
    return SUP_CHUNKS_NONE;
  }
  uint32_t j = 0;
  while ((end ? def->limb_joints[j].first : def->limb_joints[j].second) != piece->limb) j++;
  return j;
}

static void next_sizes(ChunksPack *p, const SupChunksPieceDef *def, const SupChunksPiece *piece) {
  const uint64_t nodes = (uint64_t)piece->free_count + piece->held_count;
  const uint64_t blocks = sup_sewn_blocks(piece->free_count);
  const bool ordinary = piece->limb == SUP_CHUNKS_NONE;
  const uint64_t corners = ordinary ? sup_chunks_corner_count(p->def, piece->face) : 0;
  p->nodes += nodes;
  p->node_blocks += blocks;
  p->numbers += piece->column_count;
  p->frames += ordinary ? 1 + corners : 2 * (uint64_t)piece->slice_count;
  p->holds += piece->hold_count;
  p->places += (uint64_t)piece->place_counts[0] + piece->place_counts[1];
  p->bulge_count += piece->bulge_count;
  p->node_weight_count += nodes * corners;
  p->matrix_count += 3 * BLOCK * blocks * piece->column_count;
  for (uint32_t b = 0; b < def->bulge_count; b++) {
    if (def->bulges[b].driver == SUP_CHUNKS_BY_ANGLE)
      p->sample_count += def->bulges[b].sample_count;
  }
}

static SupChunksPiece next_piece(ChunksPack *p, const SupChunksPieceDef *def) {
  const bool ordinary = def->limb == SUP_CHUNKS_NONE;
  SupChunksPiece piece = {
      .rest = ordinary ? def->rest : p->def->limbs[def->limb].rest,
      .limb = def->limb,
      .face = ordinary ? def->face : SUP_CHUNKS_NONE,
      .slice_count = def->slice_count,
      .joints = {joint_of(p->def, def, 0), joint_of(p->def, def, 1)},
      .free_count = def->free_count,
      .held_count = def->held_count,
      .hold_count = def->hold_count,
      .bulge_count = def->bulge_count,
      .column_count = (uint32_t)sup_chunks_driven_columns(p->def, def) + def->bulge_count,
      .first_node = (uint32_t)p->nodes,
      .first_block = (uint32_t)p->node_blocks,
      .first_number = (uint32_t)p->numbers,
      .first_frame = (uint32_t)p->frames,
      .first_hold = (uint32_t)p->holds,
      .first_place = (uint32_t)p->places,
      .first_bulge = (uint32_t)p->bulge_count,
      .first_weight = p->node_weight_count,
      .first_matrix = p->matrix_count};
  for (uint32_t end = 0; end < 2 && !ordinary; end++) {
    piece.ends[end] = (uint32_t)def->ends[end];
    piece.place_counts[end] = def->place_counts[end];
  }
  next_sizes(p, def, &piece);
  return piece;
}

static SupChunksSkin next_patch(ChunksPack *p, const SupChunksPatchDef *def) {
  const SupChunksSkin patch = {.piece = def->piece,
                               .border_count = def->border_count,
                               .interior_count = def->vertex_count - def->border_count,
                               .first_border = (uint32_t)p->border_count,
                               .first_block = (uint32_t)p->blocks,
                               .first_spread = p->spread_count};
  const uint64_t inside = sup_sewn_blocks(patch.interior_count);
  p->border_count += patch.border_count;
  p->blocks += sup_sewn_blocks(patch.border_count) + inside;
  p->spread_count += BLOCK * inside * patch.border_count;
  return patch;
}

/* ---- Room -------------------------------------------------------------------------------------
 */

/* Counts have 64 bits also where sizes have 32. */
static void *room(SupArena *arena, uint64_t count, size_t item_bytes) {
  return count <= SIZE_MAX ? sup_arena_alloc(arena, (size_t)count, item_bytes) : NULL;
}

#define ROOM(arena, type, count) ((type *)room(arena, count, sizeof(type)))

static bool lay_out(SupArena *arena, ChunksPack *p) {
  const SupChunksPackDef *def = p->def;
  p->pieces = ROOM(arena, SupChunksPiece, def->piece_count);
  p->patches = ROOM(arena, SupChunksSkin, def->patch_count);
  if (!p->pieces || !p->patches) return false;
  for (uint32_t k = 0; k < def->piece_count; k++) p->pieces[k] = next_piece(p, &def->pieces[k]);
  for (uint32_t k = 0; k < def->patch_count; k++) p->patches[k] = next_patch(p, &def->patches[k]);
  return true;
}

static bool make_room(SupArena *arena, ChunksPack *p) {
  const uint64_t rows = BLOCK * p->blocks;
  p->bulges = ROOM(arena, SupChunksBulge, p->bulge_count);
  p->all_holds = ROOM(arena, SupChunksHold, p->holds);
  p->all_places = ROOM(arena, SupChunksPlace, p->places);
  p->all_nodes = ROOM(arena, SupVec3, p->nodes);
  p->names = ROOM(arena, char, (uint64_t)SUP_CHUNKS_NAME * p->def->piece_count);
  p->bulge_names = ROOM(arena, char, SUP_CHUNKS_NAME * p->bulge_count);
  p->node_slices = ROOM(arena, uint32_t, p->nodes);
  p->node_weights = ROOM(arena, float, p->node_weight_count);
  p->matrices = ROOM(arena, float, p->matrix_count);
  p->curves = ROOM(arena, float, p->sample_count);
  p->borders = ROOM(arena, uint32_t, p->border_count);
  p->vertex_nodes = ROOM(arena, uint32_t, 4 * rows);
  p->vertex_weights = ROOM(arena, float, 4 * rows);
  p->residuals = ROOM(arena, float, 3 * rows);
  p->spread = ROOM(arena, float, p->spread_count);
  p->row_lanes = ROOM(arena, uint32_t, rows);
  p->sources = ROOM(arena, uint32_t, (uint64_t)BLOCK * p->skin.block_count);
  return p->bulges && p->all_holds && p->all_places && p->all_nodes && p->names && p->bulge_names &&
         p->node_slices && p->node_weights && p->matrices && p->curves && p->borders &&
         p->vertex_nodes && p->vertex_weights && p->residuals && p->spread && p->row_lanes &&
         p->sources;
}

/* ---- Chunks -----------------------------------------------------------------------------------
 */

static void fill_name(const char *name, char *out_name) {
  for (uint32_t k = 0; name && k < SUP_CHUNKS_NAME - 1 && name[k]; k++) out_name[k] = name[k];
}

static double rest_area(const SupChunksPackDef *def, uint32_t face) {
  const uint32_t first = def->face_offsets[face], count = sup_chunks_corner_count(def, face);
  SupVec3d corners[SUP_CHUNKS_CORNERS];
  for (uint32_t k = 0; k < count; k++) {
    corners[k] = sup_vec3_to_double(def->points[def->corners[first + k]]);
  }
  return sup_vec3d_length(sup_face_area(count, corners));
}

static void fill_bulges(ChunksPack *p) {
  uint32_t b = 0, sample = 0;
  for (uint32_t k = 0; k < p->def->piece_count; k++) {
    const SupChunksPieceDef *piece = &p->def->pieces[k];
    for (uint32_t i = 0; i < piece->bulge_count; i++, b++) {
      const SupChunksBulgeDef *from = &piece->bulges[i];
      SupChunksBulge *to = &p->bulges[b];
      *to = (SupChunksBulge){.driver = (uint32_t)from->driver,
                             .no_dents = from->no_dents,
                             .first_sample = sample,
                             .most = from->most};
      if (from->driver == SUP_CHUNKS_BY_ANGLE) {
        to->angle = from->angle;
        to->sample_count = from->sample_count;
        sup_copy(p->curves + sample, from->curve, from->sample_count * sizeof(float));
        sample += from->sample_count;
      }
      if (from->driver == SUP_CHUNKS_BY_AREA) {
        to->face = from->face;
        to->height = from->height;
        to->rest_area = rest_area(p->def, from->face);
      }
      fill_name(from->name, p->bulge_names + (size_t)SUP_CHUNKS_NAME * b);
    }
  }
}

/* In the order of their nodes. */
static void fill_holds(const SupChunksPieceDef *def, const SupChunksPiece *piece,
                       SupChunksHold *out) {
  for (uint32_t i = piece->free_count; i < piece->free_count + piece->held_count; i++) {
    for (uint32_t k = 0; k < def->hold_count; k++) {
      if (def->holds[k].node == i) *out++ = def->holds[k];
    }
  }
}

static void fill_matrix(const SupChunksPieceDef *def, const SupChunksPiece *piece, float *out) {
  const size_t columns = piece->column_count;
  for (size_t i = 0; i < piece->free_count; i++) {
    float *to = out + 3 * (i - i % BLOCK) * columns + i % BLOCK;
    for (size_t k = 0; k < 3; k++) {
      const float *from = def->matrix + (3 * i + k) * columns;
      for (size_t c = 0; c < columns; c++) to[(3 * c + k) * BLOCK] = from[c];
    }
  }
}

static void fill_piece(ChunksPack *p, uint32_t k) {
  const SupChunksPieceDef *def = &p->def->pieces[k];
  const SupChunksPiece *piece = &p->pieces[k];
  const size_t nodes = (size_t)piece->free_count + piece->held_count;
  const size_t places = (size_t)piece->place_counts[0] + piece->place_counts[1];
  fill_name(def->name, p->names + (size_t)SUP_CHUNKS_NAME * k);
  sup_copy(p->all_nodes + piece->first_node, def->nodes, nodes * sizeof(SupVec3));
  sup_copy(p->all_places + piece->first_place, def->places, places * sizeof(SupChunksPlace));
  if (piece->limb == SUP_CHUNKS_NONE) {
    sup_copy(p->node_weights + piece->first_weight, def->node_weights,
             nodes * sup_chunks_corner_count(p->def, piece->face) * sizeof(float));
  } else {
    sup_copy(p->node_slices + piece->first_node, def->node_slices, nodes * sizeof(uint32_t));
  }
  fill_holds(def, piece, p->all_holds + piece->first_hold);
  fill_matrix(def, piece, p->matrices + piece->first_matrix);
}

/* ---- Skin -------------------------------------------------------------------------------------
 */

static void fill_patch(ChunksPack *p, uint32_t k) {
  const SupChunksPatchDef *def = &p->def->patches[k];
  const SupChunksSkin *patch = &p->patches[k];
  float *spread = p->spread + patch->first_spread;
  sup_copy(p->borders + patch->first_border, def->seams, patch->border_count * sizeof(uint32_t));
  for (uint32_t i = 0; i < def->vertex_count; i++) {
    const size_t row = (size_t)BLOCK * patch->first_block + sup_sewn_row(patch->border_count, i);
    for (size_t n = 0; n < 4; n++) {
      const float weight = def->weights[4 * (size_t)i + n];
      p->vertex_nodes[4 * row + n] = weight != 0 ? def->nodes[4 * (size_t)i + n] : 0;
      p->vertex_weights[4 * row + n] = weight;
    }
    sup_sewn_put(p->residuals, (uint32_t)row, def->residuals[i]);
  }
  for (uint32_t i = 0; i < patch->interior_count; i++) {
    float *to = spread + (size_t)BLOCK * (i / BLOCK) * patch->border_count + i % BLOCK;
    const float *from = def->spread + (size_t)i * patch->border_count;
    for (uint32_t b = 0; b < patch->border_count; b++) to[(size_t)BLOCK * b] = from[b];
  }
}

/* The seam of a border row; SUP_CHUNKS_NONE inside. */
static uint32_t seam_of_row(const ChunksPack *p, uint32_t last, uint32_t row) {
  uint32_t k = 0;
  while (k < last && BLOCK * p->patches[k + 1].first_block <= row) k++;
  const SupChunksSkin *patch = &p->patches[k];
  const uint32_t own = row - BLOCK * patch->first_block;
  return own < patch->border_count ? p->borders[patch->first_border + own] : SUP_CHUNKS_NONE;
}

/* out_rows[vertex_count]: of the first patch that has it; nobody else may have what is inside. */
static SupResult find_rows(const ChunksPack *p, uint32_t *out_rows, SupError *error) {
  for (uint32_t v = 0; v < p->character->body.vertex_count; v++) out_rows[v] = SUP_CHUNKS_NONE;
  for (uint32_t k = 0; k < p->def->patch_count; k++) {
    const SupChunksPatchDef *patch = &p->def->patches[k];
    for (uint32_t i = 0; i < patch->vertex_count; i++) {
      const uint32_t v = patch->vertices[i];
      if (v == SUP_CHUNKS_NONE) continue;
      if (out_rows[v] == SUP_CHUNKS_NONE) {
        out_rows[v] =
            BLOCK * p->patches[k].first_block + sup_sewn_row(p->patches[k].border_count, i);
        continue;
      }
      const uint32_t seam = seam_of_row(p, k, out_rows[v]);
      if (i >= patch->border_count || seam == SUP_CHUNKS_NONE) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "chunks: vertex %u is inside patch %u and in another one too", v, k);
      }
      if (seam != patch->seams[i]) {
        return sup_fail(error, SUP_ERROR_ARGUMENT, "chunks: vertex %u is at two seams, %u and %u",
                        v, seam, patch->seams[i]);
      }
    }
  }
  return SUP_OK;
}

static void fill_row_lanes(ChunksPack *p) {
  for (uint64_t row = 0; row < BLOCK * p->blocks; row++) p->row_lanes[row] = SUP_CHUNKS_NONE;
  for (uint32_t k = 0; k < p->def->patch_count; k++) {
    const SupChunksPatchDef *patch = &p->def->patches[k];
    uint32_t *lanes = p->row_lanes + (size_t)BLOCK * p->patches[k].first_block;
    for (uint32_t i = 0; i < patch->vertex_count; i++) {
      if (patch->vertices[i] == SUP_CHUNKS_NONE) continue;
      lanes[sup_sewn_row(patch->border_count, i)] = p->rings.lanes[patch->vertices[i]];
    }
  }
}

static SupResult fill_sources(SupArena *arena, ChunksPack *p, SupError *error) {
  uint32_t *rows = SUP_ALLOC(arena, uint32_t, p->character->body.vertex_count);
  if (!rows) return sup_fail_memory(error, "packing chunks");
  SupResult result = find_rows(p, rows, error);
  if (result) return result;
  for (uint32_t i = 0; i < BLOCK * p->skin.block_count; i++) {
    p->sources[i] = rows[p->skin.order[i]];
  }
  fill_row_lanes(p);
  return SUP_OK;
}

/* ---- The block --------------------------------------------------------------------------------
 */

static const uint32_t *offsets_or_zero(const uint32_t *offsets) {
  static const uint32_t zero[1] = {0};
  return offsets ? offsets : zero;
}

static void own_parts(const ChunksPack *p, const uint32_t *counts, SupModelPart *out) {
  const SupChunksPackDef *def = p->def;
  const uint32_t *influences = offsets_or_zero(def->influence_offsets);
  const uint32_t *faces = offsets_or_zero(def->face_offsets);
  const uint32_t *vertices = offsets_or_zero(def->vertex_offsets);
  const uint64_t rows = BLOCK * p->blocks, corners = faces[def->face_count];
  const uint32_t rings = p->rings.first[p->skin.block_count];
  const SupModelPart parts[SUP_CHUNKS_SECTION_COUNT] = {
      {SUP_SECTION_CHUNKS_COUNTS, 4, COUNTS, counts},
      {SUP_SECTION_CHUNKS_LIMBS, sizeof(SupChunksLimb), def->limb_count, def->limbs},
      {SUP_SECTION_CHUNKS_JOINTS, sizeof(SupChunksJoint), def->limb_joint_count, def->limb_joints},
      {SUP_SECTION_CHUNKS_POINTS, sizeof(SupVec3), def->point_count, def->points},
      {SUP_SECTION_CHUNKS_INFLUENCE_FIRST, 4, (uint64_t)def->point_count + 1, influences},
      {SUP_SECTION_CHUNKS_INFLUENCES, sizeof(SupChunksInfluence), influences[def->point_count],
       def->influences},
      {SUP_SECTION_CHUNKS_FACE_FIRST, 4, (uint64_t)def->face_count + 1, faces},
      {SUP_SECTION_CHUNKS_CORNERS, 4, corners, def->corners},
      {SUP_SECTION_CHUNKS_CORNER_EDGES, 4, corners, def->corner_edges},
      {SUP_SECTION_CHUNKS_EDGES, sizeof(SupChunksEdge), def->edge_count, def->edges},
      {SUP_SECTION_CHUNKS_VERTEX_FIRST, 4, (uint64_t)def->vertex_count + 1, vertices},
      {SUP_SECTION_CHUNKS_VERTEX_EDGES, 4, vertices[def->vertex_count], def->vertex_edges},
      {SUP_SECTION_CHUNKS_PIECES, sizeof(SupChunksPiece), def->piece_count, p->pieces},
      {SUP_SECTION_CHUNKS_NAMES, 1, (uint64_t)SUP_CHUNKS_NAME * def->piece_count, p->names},
      {SUP_SECTION_CHUNKS_NODES, sizeof(SupVec3), p->nodes, p->all_nodes},
      {SUP_SECTION_CHUNKS_NODE_SLICES, 4, p->nodes, p->node_slices},
      {SUP_SECTION_CHUNKS_NODE_WEIGHTS, 4, p->node_weight_count, p->node_weights},
      {SUP_SECTION_CHUNKS_MATRICES, 4, p->matrix_count, p->matrices},
      {SUP_SECTION_CHUNKS_HOLDS, sizeof(SupChunksHold), p->holds, p->all_holds},
      {SUP_SECTION_CHUNKS_PLACES, sizeof(SupChunksPlace), p->places, p->all_places},
      {SUP_SECTION_CHUNKS_ANGLES, sizeof(SupPoseAngle), def->angle_count, def->angles},
      {SUP_SECTION_CHUNKS_BULGES, sizeof(SupChunksBulge), p->bulge_count, p->bulges},
      {SUP_SECTION_CHUNKS_BULGE_NAMES, 1, SUP_CHUNKS_NAME * p->bulge_count, p->bulge_names},
      {SUP_SECTION_CHUNKS_CURVES, 4, p->sample_count, p->curves},
      {SUP_SECTION_CHUNKS_SEAMS, sizeof(SupSeam), def->seam_count, def->seams},
      {SUP_SECTION_CHUNKS_PATCHES, sizeof(SupChunksSkin), def->patch_count, p->patches},
      {SUP_SECTION_CHUNKS_BORDERS, 4, p->border_count, p->borders},
      {SUP_SECTION_CHUNKS_VERTEX_NODES, 4, 4 * rows, p->vertex_nodes},
      {SUP_SECTION_CHUNKS_VERTEX_WEIGHTS, 4, 4 * rows, p->vertex_weights},
      {SUP_SECTION_CHUNKS_RESIDUALS, 4, 3 * rows, p->residuals},
      {SUP_SECTION_CHUNKS_SPREAD, 4, p->spread_count, p->spread},
      {SUP_SECTION_CHUNKS_SOURCES, 4, (uint64_t)BLOCK * p->skin.block_count, p->sources},
      {SUP_SECTION_CHUNKS_ROW_LANES, 4, rows, p->row_lanes},
      {SUP_SECTION_CHUNKS_LANES, 4, p->skin.vertex_count, p->rings.lanes},
      {SUP_SECTION_CHUNKS_RING_FIRST, 4, (uint64_t)p->skin.block_count + 1, p->rings.first},
      {SUP_SECTION_CHUNKS_RINGS, 4, (uint64_t)(2 * BLOCK) * rings, p->rings.one_rings}};
  sup_copy(out, parts, sizeof parts);
}

static SupResult make_model(SupArena *arena, const ChunksPack *p, SupModel **out_model,
                            SupError *error) {
  const SupChunksPackDef *def = p->def;
  const uint32_t counts[COUNTS] = {0,
                                   p->character->skeleton.joint_count,
                                   def->root,
                                   def->limb_count,
                                   def->limb_joint_count,
                                   def->point_count,
                                   def->vertex_count,
                                   def->face_count,
                                   def->edge_count,
                                   def->piece_count,
                                   (uint32_t)p->nodes,
                                   (uint32_t)p->node_blocks,
                                   (uint32_t)p->numbers,
                                   (uint32_t)p->frames,
                                   def->angle_count,
                                   (uint32_t)p->bulge_count,
                                   def->seam_count,
                                   def->patch_count,
                                   (uint32_t)p->blocks};
  SupModelPart parts[SUP_CHUNKS_SECTION_COUNT + 1];
  own_parts(p, counts, parts);
  parts[SUP_CHUNKS_SECTION_COUNT] = (SupModelPart){
      SUP_SECTION_REST, sizeof(SupVec3), p->skin.vertex_count, p->character->body.positions};
  const SupModelDef container = {.kind = SUP_CHUNKS_KIND,
                                 .version = SUP_CHUNKS_VERSION,
                                 .h = 1.0f / 60, /* means nothing: the pose alone says all */
                                 .part_count = SUP_CHUNKS_SECTION_COUNT + 1,
                                 .parts = parts};
  return sup_skin_pack_model(arena, p->character, &p->skin, &container, out_model, error);
}

static SupResult fill(SupArena *arena, ChunksPack *p, SupError *error) {
  const SupCharacter *character = p->character;
  SupResult result = sup_skin_pack_character(arena, character, SUP_ORDER_BODY, &p->skin, error);
  if (!result) result = sup_one_rings_pack(arena, &character->body, &p->skin, &p->rings, error);
  if (result) return result;
  if (!lay_out(arena, p) || !make_room(arena, p)) return sup_fail_memory(error, "packing chunks");
  fill_bulges(p);
  for (uint32_t k = 0; k < p->def->piece_count; k++) fill_piece(p, k);
  for (uint32_t k = 0; k < p->def->patch_count; k++) fill_patch(p, k);
  return fill_sources(arena, p, error);
}

SupResult sup_chunks_pack(SupArena *arena, const SupCharacter *character,
                          const SupChunksPackDef *def, SupModel **out_model, SupError *error) {
  ChunksPack p = {.character = character, .def = def};
  SupResult result = sup_chunks_pack_check(&p, error);
  if (result) return result;
  SupArena scratch = sup_scratch(arena);
  result = fill(&scratch, &p, error);
  if (!result) result = make_model(arena, &p, out_model, error);
  sup_arena_free(&scratch);
  return result;
}
