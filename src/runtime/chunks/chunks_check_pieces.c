/* SPDX-License-Identifier: MIT */
/* The check of a chunks model: chunks, and what their nodes follow. */
#include "runtime/chunks/chunks_check.h"

/* What the chunks before one fill. */
typedef struct Filled {
  uint64_t nodes, blocks, numbers, frames, holds, places, bulges, weights, matrices;
} Filled;

static bool ordinary_sensible(const SupChunksView *view, const SupChunksPiece *piece) {
  return piece->face < view->face_count && piece->ends[0] == SUP_CHUNKS_END_OWN &&
         piece->ends[1] == SUP_CHUNKS_END_OWN;
}

/* An end's joint is one of its limb, there. */
static bool end_sensible(const SupChunksView *view, const SupChunksPiece *piece, uint32_t end) {
  const uint32_t j = piece->joints[end];
  const bool joined = piece->ends[end] == SUP_CHUNKS_END_JOINT;
  const bool rim = piece->ends[end] == SUP_CHUNKS_END_RIM;
  if (piece->ends[end] > SUP_CHUNKS_END_RIM || rim != (piece->place_counts[end] > 0) ||
      piece->place_counts[end] > SUP_CHUNKS_COLUMNS / 3) {
    return false;
  }
  if (!joined) return j == SUP_CHUNKS_NONE;
  if (j >= view->limb_joint_count) return false;
  return (end ? view->limb_joints[j].first : view->limb_joints[j].second) == piece->limb;
}

static bool limb_sensible(const SupChunksView *view, const SupChunksPiece *piece) {
  return piece->limb < view->limb_count && piece->face == SUP_CHUNKS_NONE;
}

static uint64_t driven_columns(const SupChunksView *view, const SupChunksPiece *piece) {
  if (piece->limb == SUP_CHUNKS_NONE) {
    return 27 * (uint64_t)(view->face_first[piece->face + 1] - view->face_first[piece->face]);
  }
  return (uint64_t)sup_chunks_end_columns(piece->ends[0], piece->place_counts[0]) +
         sup_chunks_end_columns(piece->ends[1], piece->place_counts[1]);
}

static bool sizes_sensible(const SupChunksView *view, const SupChunksPiece *piece) {
  const uint64_t nodes = (uint64_t)piece->free_count + piece->held_count;
  const bool ordinary = piece->limb == SUP_CHUNKS_NONE;
  if (!(ordinary ? ordinary_sensible : limb_sensible)(view, piece)) return false;
  return end_sensible(view, piece, 0) && end_sensible(view, piece, 1) &&
         sup_chunks_rigid(&piece->rest) && piece->slice_count >= 2 &&
         piece->slice_count <= SUP_CHUNKS_SLICES && nodes > 0 && nodes <= SUP_CHUNKS_NODES &&
         piece->column_count <= SUP_CHUNKS_COLUMNS && !piece->reserved &&
         piece->column_count == driven_columns(view, piece) + piece->bulge_count;
}

static bool starts_fit(const SupChunksPiece *piece, const Filled *at) {
  return piece->first_node == at->nodes && piece->first_block == at->blocks &&
         piece->first_number == at->numbers && piece->first_frame == at->frames &&
         piece->first_hold == at->holds && piece->first_place == at->places &&
         piece->first_bulge == at->bulges && piece->first_weight == at->weights &&
         piece->first_matrix == at->matrices;
}

static void fill(const SupChunksView *view, const SupChunksPiece *piece, Filled *io) {
  const uint64_t nodes = sup_chunks_node_count(piece), blocks = sup_sewn_blocks(piece->free_count);
  uint64_t corners = 0;
  if (piece->limb == SUP_CHUNKS_NONE) {
    corners = view->face_first[piece->face + 1] - view->face_first[piece->face];
  }
  io->nodes += nodes;
  io->blocks += blocks;
  io->numbers += piece->column_count;
  io->frames += corners ? 1 + corners : 2 * (uint64_t)piece->slice_count;
  io->holds += piece->hold_count;
  io->places += (uint64_t)piece->place_counts[0] + piece->place_counts[1];
  io->bulges += piece->bulge_count;
  io->weights += nodes * corners;
  io->matrices += 3 * SUP_SKIN_BLOCK * blocks * piece->column_count;
}

/* On held nodes, rising; of numbers that the chunk follows, bulges excepted. */
static bool holds_sensible(const SupChunksView *view, const SupChunksPiece *piece) {
  const SupChunksHold *holds = view->holds + piece->first_hold;
  const uint32_t driven = piece->column_count - piece->bulge_count;
  for (uint32_t k = 0; k < piece->hold_count; k++) {
    const SupChunksHold *hold = &holds[k];
    if (hold->node < piece->free_count || hold->node >= sup_chunks_node_count(piece) ||
        (k > 0 && hold->node < holds[k - 1].node) || (hold->size != 3 && hold->size != 12) ||
        hold->column > driven || hold->size > driven - hold->column ||
        !sup_within(hold->weight, -SUP_CHUNKS_MOST_WEIGHT, SUP_CHUNKS_MOST_WEIGHT) ||
        !sup_lengths_sensible(&hold->at, 1, SUP_CHUNKS_MOST_LENGTH)) {
      return false;
    }
  }
  return true;
}

/* Nodes of ordinary chunks, which all go before those of limbs, or points. */
static bool places_sensible(const SupChunksView *view, const SupChunksPiece *piece) {
  const SupChunksPlace *places = view->places + piece->first_place;
  for (uint32_t k = 0; k < piece->place_counts[0] + piece->place_counts[1]; k++) {
    const SupChunksPlace *place = &places[k];
    if (!sup_lengths_sensible(&place->at, 1, SUP_CHUNKS_MOST_LENGTH)) return false;
    if (place->piece == SUP_CHUNKS_NONE) {
      if (place->node >= view->point_count) return false;
      continue;
    }
    if (place->piece >= view->piece_count) return false;
    const SupChunksPiece *other = &view->pieces[place->piece];
    if (other->limb != SUP_CHUNKS_NONE || place->node >= sup_chunks_node_count(other)) return false;
  }
  return true;
}

static bool slices_sensible(const SupChunksView *view, const SupChunksPiece *piece) {
  const uint32_t slices = piece->limb == SUP_CHUNKS_NONE ? 1 : piece->slice_count;
  return sup_all_below(view->node_slices + piece->first_node, sup_chunks_node_count(piece), slices);
}

static bool pieces_fit(const SupChunksView *view, const ChunksSections *n) {
  Filled all = {0};
  if (n->pieces != view->piece_count || n->names != (uint64_t)SUP_CHUNKS_NAME * n->pieces) {
    return false;
  }
  for (uint32_t p = 0; p < view->piece_count; p++) {
    const SupChunksPiece *piece = &view->pieces[p];
    const bool limb_before = p > 0 && view->pieces[p - 1].limb != SUP_CHUNKS_NONE;
    if (!sizes_sensible(view, piece) || !starts_fit(piece, &all) ||
        (limb_before && piece->limb == SUP_CHUNKS_NONE) ||
        view->names[(size_t)SUP_CHUNKS_NAME * (p + 1) - 1] != 0) {
      return false;
    }
    fill(view, piece, &all);
  }
  return n->nodes == all.nodes && view->node_count == all.nodes && n->node_slices == all.nodes &&
         view->node_block_count == all.blocks && view->number_count == all.numbers &&
         view->frame_count == all.frames && n->holds == all.holds && n->places == all.places &&
         view->bulge_count == all.bulges && n->node_weights == all.weights &&
         n->matrices == all.matrices;
}

bool sup_chunks_pieces_sensible(const SupChunksView *view, const ChunksSections *n) {
  if (!pieces_fit(view, n)) return false;
  for (uint32_t p = 0; p < view->piece_count; p++) {
    const SupChunksPiece *piece = &view->pieces[p];
    if (!holds_sensible(view, piece) || !places_sensible(view, piece) ||
        !slices_sensible(view, piece)) {
      return false;
    }
  }
  return sup_lengths_sensible(view->nodes, n->nodes, SUP_CHUNKS_MOST_LENGTH) &&
         sup_all_within(view->node_weights, n->node_weights, SUP_CHUNKS_MOST_WEIGHT) &&
         sup_all_within(view->matrices, n->matrices, SUP_CHUNKS_MOST_LENGTH);
}

/* ---- Bulges -----------------------------------------------------------------------------------
 */

static bool driver_sensible(const SupChunksView *view, const SupChunksBulge *bulge) {
  switch (bulge->driver) {
    case SUP_CHUNKS_BY_HAND: return bulge->sample_count == 0;
    case SUP_CHUNKS_BY_ANGLE:
      return bulge->angle < view->angle_count && bulge->sample_count >= 2 &&
             bulge->sample_count <= SUP_CHUNKS_SAMPLES;
    case SUP_CHUNKS_BY_AREA:
      return bulge->face < view->face_count && bulge->sample_count == 0 && bulge->rest_area > 0 &&
             bulge->rest_area < 1e18;
    default: return false;
  }
}

bool sup_chunks_bulges_sensible(const SupChunksView *view, const ChunksSections *n) {
  uint64_t samples = 0;
  if (n->bulges != view->bulge_count || n->bulge_names != (uint64_t)SUP_CHUNKS_NAME * n->bulges) {
    return false;
  }
  for (uint32_t b = 0; b < view->bulge_count; b++) {
    const SupChunksBulge *bulge = &view->bulges[b];
    if (!driver_sensible(view, bulge) || bulge->no_dents > 1 || bulge->first_sample != samples ||
        !sup_within(bulge->height, -SUP_CHUNKS_MOST_LENGTH, SUP_CHUNKS_MOST_LENGTH) ||
        !(bulge->most > 0 && bulge->most <= SUP_CHUNKS_MOST_LENGTH) ||
        view->bulge_names[(size_t)SUP_CHUNKS_NAME * (b + 1) - 1] != 0) {
      return false;
    }
    samples += bulge->sample_count;
  }
  return n->curves == samples && sup_all_within(view->curves, samples, SUP_CHUNKS_MOST_LENGTH);
}
