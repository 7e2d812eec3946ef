/* SPDX-License-Identifier: MIT */
/*
 * A piece of the definition from a chunk: its surface, what holds it, its inside condensed away.
 *
 * The columns are those of the groups that hold the chunk, but that a bulge has one, in its
 * direction, and that an end that nothing moves has none.
 */
#include "chunk_bulge.h"
#include "chunks_work.h"

/* ---- The surface ----------------------------------------------------------------------------- */

/* Free nodes, then held ones: the rim above the shell; both end rims of a limb. */
static SupResult list_surface(ChunksWork *w, ChunkPiece *piece) {
  const SupChunk *chunk = &piece->chunk;
  const uint32_t rim = chunk->slice.corner_count * chunk->slice.parts;
  const uint32_t held = piece->limb ? 2 * rim : rim;
  uint32_t *surface = SUP_ALLOC(w->arena, uint32_t, (size_t)chunk->kept_count + held);
  uint32_t *numbers = SUP_ALLOC(w->arena, uint32_t, chunk->mesh.node_count);
  if (!surface || !numbers) return sup_fail_memory(w->error, "chunks");
  sup_copy(surface, chunk->kept, chunk->kept_count * sizeof *surface);
  piece->free_count = piece->surface_count = chunk->kept_count;
  for (uint32_t i = 0; i < held; i++) {
    surface[piece->surface_count++] =
        sup_chunk_node(chunk, i < rim ? 0 : chunk->slice_count - 1, chunk->slice.rim[i % rim]);
  }
  for (uint32_t v = 0; v < chunk->mesh.node_count; v++) numbers[v] = SUP_NONE;
  for (uint32_t i = 0; i < piece->surface_count; i++) numbers[surface[i]] = i;
  piece->surface = surface;
  piece->numbers = numbers;
  return SUP_OK;
}

static SupResult define_surface(ChunksWork *w, ChunkPiece *piece, SupChunksPieceDef *out) {
  const SupChunk *chunk = &piece->chunk;
  const uint32_t count = piece->surface_count, corners = chunk->slice.corner_count;
  SupVec3 *nodes = SUP_ALLOC(w->arena, SupVec3, count);
  uint32_t *slices = SUP_ALLOC(w->arena, uint32_t, piece->limb ? count : 0);
  float *weights = SUP_ALLOC(w->arena, float, piece->limb ? 0 : (size_t)count *corners);
  if (!nodes || !slices || !weights) return sup_fail_memory(w->error, "chunks");
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t node = piece->surface[i];
    nodes[i] = sup_vec3d_to_float(chunk->mesh.nodes[node]);
    if (piece->limb) slices[i] = node / chunk->slice.node_count;
    for (uint32_t c = 0; c < corners && !piece->limb; c++) {
      weights[(size_t)i * corners + c] =
          (float)sup_slice_corner_weight(&chunk->slice, node % chunk->slice.node_count, c);
    }
  }
  out->free_count = piece->free_count;
  out->held_count = count - piece->free_count;
  out->nodes = nodes;
  out->node_slices = piece->limb ? slices : NULL;
  out->node_weights = piece->limb ? NULL : weights;
  return SUP_OK;
}

/* ---- Stiffness ------------------------------------------------------------------------------- */

static double stiffness_at(const ChunksWork *w, uint32_t patch, const double uv[2]) {
  const SupChartPlace place = {patch, {uv[0], uv[1]}};
  const SupSkinPlace skin = sup_chart_to_skin(w->def->charts, place);
  double sum = 0;
  if (skin.triangle == SUP_NONE) return 1;
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t v = w->def->character->body.triangles[3 * (size_t)skin.triangle + k];
    sum += skin.weights[k] * (double)w->def->stiffness[v];
  }
  return sum;
}

/* What the map has on the skin above a node. */
static double node_stiffness(const ChunksWork *w, const ChunkPiece *piece, uint32_t v) {
  const SupChunk *chunk = &piece->chunk;
  const uint32_t node = v % chunk->slice.node_count, parts = chunk->slice.parts;
  double uv[2], sum = 0;
  if (!piece->limb) {
    sup_chunk_top_uv(&w->def->charts->charts[piece->patches[0]], &chunk->slice, node, uv);
    return stiffness_at(w, piece->patches[0], uv);
  }
  const SupSectorPlace place = sup_slice_sector_place(&chunk->slice, node);
  const double u = sup_chunk_depth(chunk, v / chunk->slice.node_count);
  for (uint32_t k = 0; k < 2; k++) {
    const double share = k ? place.t : 1 - place.t;
    if (!(share > 0)) continue;
    sup_chunk_side_uv(w->def->charts, &piece->ring, place.rim[k] / parts,
                      (double)(place.rim[k] % parts) / parts, u, uv);
    sum += share * stiffness_at(w, piece->ring.patches[place.rim[k] / parts], uv);
  }
  return sum;
}

/* [wedge_count], the mean of the nodes. NULL where it is even or memory is short. */
static double *find_stiffness(const ChunksWork *w, const ChunkPiece *piece, SupArena *scratch) {
  const SupWedgeMesh *mesh = &piece->chunk.mesh;
  double *nodes = SUP_ALLOC(scratch, double, mesh->node_count);
  double *wedges = SUP_ALLOC(scratch, double, mesh->wedge_count);
  if (!nodes || !wedges) return NULL;
  for (uint32_t v = 0; v < mesh->node_count; v++) nodes[v] = node_stiffness(w, piece, v);
  for (uint32_t e = 0; e < mesh->wedge_count; e++) {
    for (uint32_t k = 0; k < 6; k++) wedges[e] += nodes[mesh->wedges[6 * (size_t)e + k]] / 6;
  }
  return wedges;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* What the chunk follows: groups of holds, and which columns of theirs make the definition's. */
typedef struct Columns {
  SupHolds holds;
  const uint32_t *of_group; /* [group_count] the first column of the definition, or SUP_NONE */
  uint32_t count;
  uint32_t bulge_group;       /* the first; they are the last groups */
  const SupVec3d *directions; /* [bulges] */
} Columns;

static SupResult hold_ordinary(ChunksWork *w, ChunkPiece *piece, SupArena *scratch, Columns *out) {
  const SupChunksTrainBulge b = sup_chunks_bulge_of(w, piece->patches[0], false);
  const SupPatchChart *chart = &w->def->charts->charts[piece->patches[0]];
  double *shape = SUP_ALLOC(scratch, double, piece->chunk.slice.node_count);
  SupVec3d *up = SUP_ALLOC(scratch, SupVec3d, 1);
  SupShellHolds holds;
  if (!shape || !up) return sup_fail_memory(w->error, "chunks");
  *up = (SupVec3d){0, 0, 1};
  sup_bulge_below(&piece->chunk, chart->corners, b.centre, b.width, shape);
  SupResult result =
      sup_chunk_shell_holds(scratch, &piece->chunk, piece->face, shape, &holds, w->error);
  if (result != SUP_OK) return result;
  out->holds = holds.holds;
  out->bulge_group = holds.holds.group_count - 1;
  out->directions = up;
  return SUP_OK;
}

static SupResult hold_limb(ChunksWork *w, ChunkPiece *piece, SupArena *scratch, Columns *out) {
  const uint32_t sides = piece->ring.count;
  SupLimbBulge *bulges = SUP_ALLOC(scratch, SupLimbBulge, sides);
  SupLimbEnd ends[2];
  SupLimbHolds holds;
  if (!bulges) return sup_fail_memory(w->error, "chunks");
  for (uint32_t k = 0; k < sides; k++) {
    const SupChunksTrainBulge b = sup_chunks_bulge_of(w, piece->ring.patches[k], true);
    bulges[k] = (SupLimbBulge){b.centre[0], b.width};
  }
  for (uint32_t e = 0; e < 2; e++) {
    const bool rim = piece->ends[e].kind == SUP_CHUNKS_END_RIM;
    ends[e] = rim ? SUP_LIMB_END_RIM : SUP_LIMB_END_SLICE;
  }
  SupResult result = sup_chunk_limb_holds(scratch, &piece->chunk, ends, bulges, &holds, w->error);
  if (result != SUP_OK) return result;
  out->holds = holds.holds;
  out->bulge_group = holds.first_groups[2];
  out->directions = holds.directions;
  return SUP_OK;
}

static SupResult find_columns(ChunksWork *w, ChunkPiece *piece, SupArena *scratch, Columns *out) {
  SupResult result =
      piece->limb ? hold_limb(w, piece, scratch, out) : hold_ordinary(w, piece, scratch, out);
  if (result != SUP_OK) return result;
  uint32_t *of_group = SUP_ALLOC(scratch, uint32_t, out->holds.group_count);
  if (!of_group) return sup_fail_memory(w->error, "chunks");
  uint32_t seen = 0; /* ends that are one group */
  for (uint32_t g = 0; g < out->holds.group_count; g++) {
    const bool slice = piece->limb && out->holds.kinds[g] == SUP_HOLD_AFFINE;
    if (slice && seen == 0 && piece->ends[0].kind == SUP_CHUNKS_END_RIM) seen = 1;
    const bool still = slice && piece->ends[seen].kind == SUP_CHUNKS_END_OWN;
    seen += slice;
    of_group[g] = still ? SUP_NONE : out->count;
    if (!still) out->count += g < out->bulge_group ? (uint32_t)out->holds.kinds[g] : 1;
  }
  out->of_group = of_group;
  return SUP_OK;
}

/* ---- The matrix ------------------------------------------------------------------------------ */

/* The definition's columns of one row. */
static void put_row(const Columns *c, const double *from, float *to) {
  for (uint32_t g = 0; g < c->holds.group_count; g++) {
    const double *x = from + c->holds.columns[g];
    if (c->of_group[g] == SUP_NONE) continue;
    float *out = to + c->of_group[g];
    if (g < c->bulge_group) {
      for (uint32_t k = 0; k < (uint32_t)c->holds.kinds[g]; k++) out[k] = (float)x[k];
      continue;
    }
    const SupVec3d d = c->directions[g - c->bulge_group];
    out[0] = (float)(x[0] * d.x + x[1] * d.y + x[2] * d.z);
  }
}

static SupResult condense(ChunksWork *w, const ChunkPiece *piece, SupArena *scratch,
                          const Columns *c, SupChunksPieceDef *out) {
  SupWedgeBodyDef def = {.name = piece->name,
                         .mesh = piece->chunk.mesh,
                         .poisson = piece->poisson,
                         .held = piece->chunk.held};
  SupWedgeBody body;
  SupCondensed condensed;
  float *matrix = SUP_ALLOC(w->arena, float, 3 * (size_t)piece->free_count * c->count);
  if (!matrix) return sup_fail_memory(w->error, "chunks");
  if (w->def->stiffness) {
    def.stiffness = find_stiffness(w, piece, scratch);
    if (!def.stiffness) return sup_fail_memory(w->error, "chunks");
  }
  SupResult result = sup_wedge_body_create(scratch, &def, &body, w->error);
  if (result != SUP_OK) return result;
  result = sup_wedge_condense(scratch, &body, &c->holds, piece->free_count, piece->chunk.kept,
                              &condensed, w->error);
  sup_wedge_body_free(&body);
  for (size_t r = 0; r < 3 * (size_t)piece->free_count && result == SUP_OK; r++) {
    put_row(c, condensed.map + r * condensed.column_count, matrix + r * c->count);
  }
  out->matrix = matrix;
  return result;
}

/* What holds the surface's own held nodes. */
static SupResult define_holds(ChunksWork *w, const ChunkPiece *piece, const Columns *c,
                              SupChunksPieceDef *out) {
  SupChunksHold *holds = SUP_ALLOC(w->arena, SupChunksHold, c->holds.hold_count);
  if (!holds) return sup_fail_memory(w->error, "chunks");
  for (uint32_t h = 0; h < c->holds.hold_count; h++) {
    const SupHold *from = &c->holds.holds[h];
    const uint32_t node = piece->numbers[from->node];
    if (node == SUP_NONE || node < piece->free_count || from->group >= c->bulge_group) continue;
    if (c->of_group[from->group] == SUP_NONE) continue;
    holds[out->hold_count++] = (SupChunksHold){.node = node,
                                               .column = c->of_group[from->group],
                                               .size = (uint32_t)c->holds.kinds[from->group],
                                               .weight = (float)from->weight,
                                               .at = sup_vec3d_to_float(from->at)};
  }
  out->holds = holds;
  return SUP_OK;
}

/* ---- The piece ------------------------------------------------------------------------------- */

static SupResult define_bulges(ChunksWork *w, const ChunkPiece *piece, SupChunksPieceDef *out) {
  SupChunksBulgeDef *bulges = SUP_ALLOC(w->arena, SupChunksBulgeDef, piece->patch_count);
  SupResult result = bulges ? SUP_OK : sup_fail_memory(w->error, "chunks");
  for (uint32_t k = 0; k < piece->patch_count && result == SUP_OK; k++) {
    result = sup_chunks_define_bulge(w, piece->patches[k], piece, &bulges[k]);
  }
  out->bulge_count = piece->patch_count;
  out->bulges = bulges;
  return result;
}

/* Places of both ends, of nodes as they are packed: pieces above the shell come first. */
static SupResult define_places(ChunksWork *w, ChunkPiece *piece, SupChunksPieceDef *out) {
  const uint32_t all = piece->ends[0].place_count + piece->ends[1].place_count;
  SupChunksPlace *places = SUP_ALLOC(w->arena, SupChunksPlace, all);
  if (!places) return sup_fail_memory(w->error, "chunks");
  uint32_t used = 0;
  for (uint32_t e = 0; e < 2; e++) {
    out->ends[e] = piece->ends[e].kind;
    out->place_counts[e] = piece->ends[e].place_count;
    for (uint32_t i = 0; i < piece->ends[e].place_count; i++) {
      SupChunksPlace place = piece->ends[e].places[i];
      if (place.piece != SUP_CHUNKS_NONE) {
        const ChunkPiece *other = &w->pieces[place.piece];
        place.piece = other->number;
        place.node = other->numbers[place.node];
      }
      places[used++] = place;
    }
  }
  out->places = places;
  return SUP_OK;
}

SupResult sup_chunks_condense(ChunksWork *w, ChunkPiece *piece, SupChunksPieceDef *out) {
  SupArena scratch = sup_scratch(w->scratch);
  Columns columns = {.count = 0};
  *out = (SupChunksPieceDef){.name = piece->name,
                             .limb = piece->limb ? piece->limb_number : SUP_CHUNKS_NONE,
                             .face = piece->limb ? SUP_CHUNKS_NONE : piece->face,
                             .rest = piece->chunk.frame,
                             .slice_count = piece->chunk.slice_count};
  SupResult result = list_surface(w, piece);
  if (result == SUP_OK) result = define_surface(w, piece, out);
  if (result == SUP_OK) result = find_columns(w, piece, &scratch, &columns);
  if (result == SUP_OK) result = condense(w, piece, &scratch, &columns, out);
  if (result == SUP_OK) result = define_holds(w, piece, &columns, out);
  if (result == SUP_OK) result = define_places(w, piece, out);
  if (result == SUP_OK) result = define_bulges(w, piece, out);
  sup_arena_free(&scratch);
  w->report.column_count += columns.count;
  return result;
}
