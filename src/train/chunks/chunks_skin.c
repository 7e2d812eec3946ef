/* SPDX-License-Identifier: MIT */
/*
 * Skin on chunks: the nodes that each vertex follows, its residual, and where patches meet.
 *
 * The residual is from the same nodes and weights that the run time has, so that the bind pose
 * comes out whole. Patches without a chunk count as flesh without a patch: seams beside them are
 * open.
 */
#include "chunk_register.h"
#include "chunks_work.h"
#include "train/patches/patch_layout.h"

#define VERTICES_PER_TASK 32

/* ---- One patch ------------------------------------------------------------------------------- */

static uint32_t side_of(const ChunkPiece *piece, uint32_t patch) {
  uint32_t side = 0;
  while (piece->patches[side] != patch) side++;
  return side;
}

static SupVec3d body_place(const ChunksWork *w, SupSkinPoint p) {
  return sup_envelope_place(&w->figure, 0, p);
}

typedef struct Hanging {
  const ChunksWork *work;
  const ChunkPiece *piece;
  const SupPatchLayout *layout;
  uint32_t patch;
  uint32_t *vertices, *nodes;
  float *weights;
  SupVec3 *residuals;
} Hanging;

static void hang(const Hanging *to, uint32_t v) {
  const ChunksWork *w = to->work;
  const ChunkPiece *piece = to->piece;
  const SupPatchLayout *layout = to->layout;
  const uint32_t patch = to->patch;
  const SupSkinPoint point = layout->points[v];
  const SupChunkRegister r =
      piece->limb
          ? sup_chunk_register_side(&piece->chunk, w->def->charts, &piece->ring,
                                    side_of(piece, patch), layout->uv[v])
          : sup_chunk_register_top(&piece->chunk, &w->def->charts->charts[patch], layout->uv[v]);
  SupVec3d rest = body_place(w, point);
  for (uint32_t k = 0; k < SUP_CHUNKS_VERTEX_NODES; k++) {
    const uint32_t node = piece->numbers[r.nodes[k]];
    const float weight = (float)r.weights[k];
    const SupVec3d at = sup_vec3_to_double(sup_vec3d_to_float(piece->chunk.mesh.nodes[r.nodes[k]]));
    to->nodes[SUP_CHUNKS_VERTEX_NODES * (size_t)v + k] = node;
    to->weights[SUP_CHUNKS_VERTEX_NODES * (size_t)v + k] = weight;
    rest = sup_vec3d_add_scaled(rest, sup_affined_point(piece->chunk.frame, at), -(double)weight);
  }
  to->vertices[v] = point.a == point.b ? point.a : SUP_CHUNKS_NONE;
  to->residuals[v] = sup_vec3d_to_float(rest);
}

static void hang_range(void *context, SupRange range) {
  for (uint32_t v = range.first; v < range.first + range.count; v++) hang(context, v);
}

/* `kept` is the number of the patch in `patches`, whose patches all have chunks. */
static SupResult define_patch(ChunksWork *w, const SupPatches *patches, const SupPatchSeams *seams,
                              uint32_t patch, uint32_t kept, SupChunksPatchDef *out) {
  const ChunkPiece *piece = &w->pieces[w->piece_of[patch]];
  const SupPatchChart *chart = &w->def->charts->charts[patch];
  SupPatchLayout layout;
  SupResult result = sup_patch_layout(w->scratch, patches, chart, &layout, w->error);
  if (result != SUP_OK) return result;
  const size_t count = layout.count, border = layout.border_count;
  Hanging to = {w,
                piece,
                &layout,
                patch,
                SUP_ALLOC(w->arena, uint32_t, count),
                SUP_ALLOC(w->arena, uint32_t, SUP_CHUNKS_VERTEX_NODES * count),
                SUP_ALLOC(w->arena, float, SUP_CHUNKS_VERTEX_NODES *count),
                SUP_ALLOC(w->arena, SupVec3, count)};
  uint32_t *own = SUP_ALLOC(w->arena, uint32_t, border);
  float *spread = SUP_ALLOC(w->arena, float, (count - border) * border);
  if (!to.vertices || !to.nodes || !to.weights || !to.residuals || !own || !spread) {
    return sup_fail_memory(w->error, "chunks");
  }
  sup_parallel_for(w->def->jobs, layout.count, VERTICES_PER_TASK, hang_range, &to);
  for (uint32_t k = 0; k < border; k++) own[k] = seams->places[patches->patches[kept].loop[k]];
  result = sup_patch_spread(w->scratch, patches, chart, w->figure.positions, spread, w->error);
  if (result != SUP_OK) {
    sup_error_prefix(w->error, "patch '%s'", patches->patches[kept].name);
    return result;
  }
  *out = (SupChunksPatchDef){.piece = piece->number,
                             .vertex_count = layout.count,
                             .border_count = layout.border_count,
                             .vertices = to.vertices,
                             .seams = own,
                             .nodes = to.nodes,
                             .weights = to.weights,
                             .residuals = to.residuals,
                             .spread = spread};
  return SUP_OK;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool has_chunk(const ChunksWork *w, uint32_t patch) {
  return w->piece_of[patch] != SUP_NONE && w->pieces[w->piece_of[patch]].made;
}

/* Which body vertices patches move: out_moved[vertex_count] by piece + 1. */
static void count_moved(ChunksWork *w, const SupChunksPackDef *def, uint32_t *owners,
                        SupChunksPieceReport *io_pieces) {
  for (uint32_t p = 0; p < def->patch_count; p++) {
    for (uint32_t v = 0; v < def->patches[p].vertex_count; v++) {
      const uint32_t vertex = def->patches[p].vertices[v];
      if (vertex == SUP_CHUNKS_NONE || owners[vertex] == def->patches[p].piece + 1) continue;
      w->report.moved_count += !owners[vertex];
      owners[vertex] = def->patches[p].piece + 1;
      io_pieces[def->patches[p].piece].vertex_count++;
    }
  }
}

SupResult sup_chunks_skin(ChunksWork *w, SupChunksPackDef *io_def) {
  const uint32_t all = w->def->patches->patch_count;
  bool *keep = SUP_ALLOC(w->scratch, bool, all);
  uint32_t *owners = SUP_ALLOC(w->scratch, uint32_t, w->def->character->body.vertex_count);
  SupChunksPatchDef *out = SUP_ALLOC(w->arena, SupChunksPatchDef, all);
  SupPatches kept;
  SupPatchSeams seams;
  if (!keep || !owners || !out) return sup_fail_memory(w->error, "chunks");
  for (uint32_t p = 0; p < all; p++) keep[p] = has_chunk(w, p);
  SupResult result = sup_patches_keep(w->scratch, w->def->patches, keep, &kept, w->error);
  if (result == SUP_OK) result = sup_patch_seams(w->arena, &kept, &seams, w->error);
  for (uint32_t p = 0; p < all && result == SUP_OK; p++) {
    if (!keep[p]) continue;
    const uint32_t number = io_def->patch_count++;
    result = define_patch(w, &kept, &seams, p, number, &out[number]);
  }
  if (result != SUP_OK) return result;
  io_def->patches = out;
  io_def->seam_count = w->report.seam_count = seams.count;
  io_def->seams = seams.seams;
  w->report.open_count = seams.open_count;
  count_moved(w, io_def, owners, (SupChunksPieceReport *)w->report.pieces);
  return SUP_OK;
}
