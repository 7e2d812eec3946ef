/* SPDX-License-Identifier: MIT */
/*
 * Chunks of limbs, and what their ends meet: the next limb at a joint, chunks above the shell, or
 * flesh without a chunk.
 */
#include "chunks_work.h"

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* Fewer slices and more relaxation, until no wedge is inverted. */
static SupResult make_limb(ChunksWork *w, ChunkPiece *piece) {
  const uint32_t slices[5] = {piece->slices, piece->slices * 2 / 3, piece->slices / 2, 4, 3};
  SupResult result = SUP_ERROR_FORMAT;
  for (uint32_t a = 0; a < 20 && result == SUP_ERROR_FORMAT; a++) {
    const uint32_t count = slices[a / 4], relaxing = a / 2 % 2 ? 3 : 1, bone = a % 2;
    if (count < 3 || (a >= 4 && count >= slices[a / 4 - 1])) continue;
    const SupChunkDef def = {.name = piece->name,
                             .skin = &w->def->character->body,
                             .charts = w->def->charts,
                             .levels = piece->levels,
                             .slice_count = count,
                             .relaxations = relaxing * w->def->relaxations};
    result = sup_chunk_separable(w->arena, &def, &piece->ring, piece->bones[bone], &piece->chunk,
                                 w->error);
  }
  if (result == SUP_ERROR_FORMAT) {
    sup_chunks_refuse(w, piece, w->error->text);
    return SUP_OK;
  }
  piece->made = result == SUP_OK;
  return result;
}

SupResult sup_chunks_limbs(ChunksWork *w) {
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < w->piece_count && result == SUP_OK; k++) {
    if (w->pieces[k].limb && !w->pieces[k].reason) result = make_limb(w, &w->pieces[k]);
  }
  return result;
}

/* ---- Who is there ---------------------------------------------------------------------------- */

static uint32_t end_boundary(const ChunksWork *w, const ChunkPiece *piece, uint32_t end,
                             uint32_t side) {
  const SupPatch *patch = &w->def->patches->patches[piece->ring.patches[side]];
  return patch->sides[(piece->ring.first_corners[side] + 2 * end) % 4].boundary;
}

/* The patch beyond side `side` of an end, or SUP_NONE. */
static uint32_t beyond(const ChunksWork *w, const ChunkPiece *piece, uint32_t end, uint32_t side) {
  return sup_chunks_across(w, end_boundary(w, piece, end, side), piece->ring.patches[side]);
}

static ChunkPiece *piece_beyond(ChunksWork *w, const ChunkPiece *piece, uint32_t end,
                                uint32_t side) {
  const uint32_t patch = beyond(w, piece, end, side);
  return patch == SUP_NONE || w->piece_of[patch] == SUP_NONE ? NULL
                                                             : &w->pieces[w->piece_of[patch]];
}

/* The limb, made or not, whose other end is all of this one's. */
static ChunkPiece *limb_beyond(ChunksWork *w, const ChunkPiece *piece, uint32_t end) {
  ChunkPiece *other = piece_beyond(w, piece, end, 0);
  if (!other || !other->limb || other == piece || other->ring.count != piece->ring.count) {
    return NULL;
  }
  for (uint32_t k = 0; k < piece->ring.count; k++) {
    bool found = false;
    for (uint32_t i = 0; i < other->ring.count; i++) {
      found |= end_boundary(w, other, !end, i) == end_boundary(w, piece, end, k);
    }
    if (!found) return NULL;
  }
  return other;
}

static bool meets_stratum(ChunksWork *w, const ChunkPiece *piece, uint32_t end) {
  for (uint32_t k = 0; k < piece->ring.count; k++) {
    const ChunkPiece *other = piece_beyond(w, piece, end, k);
    if (other && !other->limb) return true;
  }
  return false;
}

/* ---- Joints ---------------------------------------------------------------------------------- */

static uint32_t add_limb(ChunksWork *w, SupAffined rest, double length, uint32_t bone) {
  w->limbs[w->limb_count] = (SupChunksLimb){.rest = rest, .length = length, .bone = bone};
  return w->limb_count++;
}

static void add_joint(ChunksWork *w, uint32_t limb, uint32_t other, uint32_t end) {
  w->limb_joints[w->limb_joint_count++] =
      end ? (SupChunksJoint){limb, other} : (SupChunksJoint){other, limb};
}

/* The bone of the flesh beyond an end that has no chunk. */
static uint32_t bone_beyond(ChunksWork *w, const ChunkPiece *piece, uint32_t end) {
  const SupSkeleton *s = &w->def->character->skeleton;
  const ChunkPiece *other = limb_beyond(w, piece, end);
  if (other) return other->bone;
  if (end) return w->figure.bones[piece->joints[1]];
  for (int32_t j = s->parents[piece->joints[0]]; j >= 0; j = s->parents[j]) {
    if (w->figure.bones[j] != SUP_NONE) return w->figure.bones[j];
  }
  return SUP_NONE;
}

/* A limb without a chunk goes on in the same direction, so that the end bends and twists half way.
 */
static void meet_nothing(ChunksWork *w, ChunkPiece *piece, uint32_t end) {
  const uint32_t bone = bone_beyond(w, piece, end);
  const double length = piece->chunk.length;
  piece->ends[end].kind = bone == SUP_NONE ? SUP_CHUNKS_END_OWN : SUP_CHUNKS_END_JOINT;
  if (bone == SUP_NONE) return;
  const SupAffined frame = piece->chunk.frame;
  const SupVec3d origin = sup_affined_point(frame, (SupVec3d){0, 0, end ? length : -length});
  const SupAffined rest = sup_affined_from_parts(sup_affined_linear(frame), origin);
  add_joint(w, piece->limb_number, add_limb(w, rest, length, bone), end);
}

static void meet_limb(ChunksWork *w, ChunkPiece *piece, ChunkPiece *other, uint32_t end) {
  piece->ends[end].kind = SUP_CHUNKS_END_JOINT;
  if (end) add_joint(w, piece->limb_number, other->limb_number, end);
}

/* ---- Rims ------------------------------------------------------------------------------------ */

static SupVec3d bind_place(const SupChunk *chunk, uint32_t node) {
  return sup_affined_point(chunk->frame, chunk->mesh.nodes[node]);
}

/* The node of the rim of an ordinary chunk at a place on one of its boundaries, `t` parts from one
 * end or from the other. */
static uint32_t rim_node(const ChunksWork *w, const ChunkPiece *other, uint32_t boundary,
                         uint32_t t, SupVec3d place) {
  const SupPatch *patch = &w->def->patches->patches[other->patches[0]];
  const SupChunkSlice *slice = &other->chunk.slice;
  const uint32_t all = slice->corner_count * slice->parts;
  uint32_t side = 0;
  while (patch->sides[side].boundary != boundary) side++;
  const uint32_t nodes[2] = {slice->rim[(side * slice->parts + t) % all],
                             slice->rim[(side * slice->parts + slice->parts - t) % all]};
  const double far[2] = {sup_vec3d_distance(place, bind_place(&other->chunk, nodes[0])),
                         sup_vec3d_distance(place, bind_place(&other->chunk, nodes[1]))};
  return nodes[far[1] < far[0]];
}

static SupResult skinned_place(ChunksWork *w, const ChunkPiece *piece, uint32_t end, uint32_t side,
                               double v, SupVec3d at, uint32_t *out_point) {
  SupChartPlace place = {.patch = piece->ring.patches[side]};
  sup_chunk_side_uv(w->def->charts, &piece->ring, side, v, end, place.uv);
  const SupSkinPlace skin = sup_chart_to_skin(w->def->charts, place);
  if (skin.triangle == SUP_NONE) {
    return sup_fail(w->error, SUP_ERROR_FORMAT, "chunk '%s': its rim is not on the skin",
                    piece->name);
  }
  return sup_chunks_add_point(w, at, 3,
                              w->def->character->body.triangles + 3 * (size_t)skin.triangle,
                              skin.weights, out_point);
}

/* Place `i` of a rim: a node of a chunk beside it, at corners of either of two; else a point. */
static SupResult find_place(ChunksWork *w, ChunkPiece *piece, uint32_t end, uint32_t i,
                            SupChunksPlace *out) {
  const SupChunk *chunk = &piece->chunk;
  const uint32_t parts = chunk->slice.parts, side = i / parts, t = i % parts;
  const uint32_t before = (side + piece->ring.count - 1) % piece->ring.count;
  const uint32_t node =
      sup_chunk_node(chunk, end ? chunk->slice_count - 1 : 0, chunk->slice.rim[i]);
  const SupVec3d place = bind_place(chunk, node);
  *out =
      (SupChunksPlace){.piece = SUP_CHUNKS_NONE, .at = sup_vec3d_to_float(chunk->mesh.nodes[node])};
  for (uint32_t k = 0; k < (t == 0 ? 2u : 1u); k++) {
    const uint32_t of = k ? before : side;
    const ChunkPiece *other = piece_beyond(w, piece, end, of);
    if (!other || other->limb || !other->made) continue;
    if (other->chunk.slice.parts != parts) continue;
    out->piece = (uint32_t)(other - w->pieces); /* its number, once all are counted */
    out->node = rim_node(w, other, end_boundary(w, piece, end, of), t, place);
    return SUP_OK;
  }
  return skinned_place(w, piece, end, side, (double)t / parts, place, &out->node);
}

static SupResult meet_stratum(ChunksWork *w, ChunkPiece *piece, uint32_t end) {
  ChunkEnd *e = &piece->ends[end];
  const uint32_t count = piece->ring.count * piece->chunk.slice.parts;
  e->kind = SUP_CHUNKS_END_RIM;
  e->place_count = count;
  e->places = SUP_ALLOC(w->arena, SupChunksPlace, count);
  if (!e->places) return sup_fail_memory(w->error, "chunks");
  SupResult result = SUP_OK;
  for (uint32_t i = 0; i < count && result == SUP_OK; i++) {
    result = find_place(w, piece, end, i, &e->places[i]);
  }
  return result;
}

/* ---- All of them ----------------------------------------------------------------------------- */

SupResult sup_chunks_ends(ChunksWork *w) {
  w->limbs = SUP_ALLOC(w->arena, SupChunksLimb, 3 * (size_t)w->piece_count);
  w->limb_joints = SUP_ALLOC(w->arena, SupChunksJoint, 2 * (size_t)w->piece_count);
  if (!w->limbs || !w->limb_joints) return sup_fail_memory(w->error, "chunks");
  for (uint32_t k = 0; k < w->piece_count; k++) {
    ChunkPiece *piece = &w->pieces[k];
    if (!piece->limb || !piece->made) continue;
    piece->limb_number = add_limb(w, piece->chunk.frame, piece->chunk.length, piece->bone);
  }
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < 2 * w->piece_count && result == SUP_OK; k++) {
    ChunkPiece *piece = &w->pieces[k / 2];
    const uint32_t end = k % 2;
    if (!piece->limb || !piece->made) continue;
    ChunkPiece *other = limb_beyond(w, piece, end);
    if (other && other->made) {
      meet_limb(w, piece, other, end);
    } else if (meets_stratum(w, piece, end)) {
      result = meet_stratum(w, piece, end);
    } else {
      meet_nothing(w, piece, end);
    }
  }
  return result;
}
