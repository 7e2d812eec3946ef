/* SPDX-License-Identifier: MIT */
/*
 * The check of a chunks model. Every index and number that a step would trust is looked at; a
 * chunk that sensible numbers drive out of bounds all the same is skinned by the step.
 */
#include "runtime/chunks/chunks_check.h"

#define MOST_BORDER 65535u    /* points on the border of one patch */
#define MOST_INSIDE 16777216u /* points inside one patch */

static SupResult bad(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_FORMAT, "the model's chunks are damaged (%s): build it again",
                  what);
}

/* ---- Limbs, points and the shell --------------------------------------------------------------
 */

bool sup_chunks_rigid(const SupAffined *map) {
  for (uint32_t c = 0; c < 3; c++) {
    const double *m = map->m + 3 * (size_t)c, square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    const double at = map->m[9 + c];
    if (!(square > 0.99 && square < 1.01) || !(at > -1e9 && at < 1e9)) return false;
  }
  return sup_mat3d_determinant(sup_affined_linear(*map)) > 0.9;
}

bool sup_chunks_limbs_sensible(const SupChunksView *view, const ChunksSections *n) {
  if (n->limbs != view->limb_count || n->limb_joints != view->limb_joint_count) return false;
  for (uint32_t k = 0; k < view->limb_count; k++) {
    const SupChunksLimb *limb = &view->limbs[k];
    if (!sup_chunks_rigid(&limb->rest) || !(limb->length > 0 && limb->length < 1e9) ||
        limb->bone >= view->skin.bone_count || limb->reserved) {
      return false;
    }
  }
  for (uint32_t j = 0; j < view->limb_joint_count; j++) {
    const SupChunksJoint *joint = &view->limb_joints[j];
    if (joint->first >= view->limb_count || joint->second >= view->limb_count) return false;
  }
  return true;
}

/* From 0, never falling, to `end`. */
static bool offsets_rise(const uint32_t *first, uint64_t count, uint64_t items, uint64_t end) {
  if (count != items + 1 || first[0] != 0 || first[items] != end) return false;
  for (uint64_t k = 0; k < items; k++) {
    if (first[k + 1] < first[k]) return false;
  }
  return true;
}

bool sup_chunks_points_sensible(const SupChunksView *view, const ChunksSections *n) {
  if (n->points != view->point_count || view->vertex_count > view->point_count ||
      !sup_lengths_sensible(view->points, n->points, SUP_CHUNKS_MOST_LENGTH) ||
      !offsets_rise(view->influence_first, n->influence_first, view->point_count, n->influences)) {
    return false;
  }
  for (uint64_t i = 0; i < n->influences; i++) {
    if (view->influences[i].bone >= view->skin.bone_count ||
        !sup_within(view->influences[i].weight, 0, 1)) {
      return false;
    }
  }
  return true;
}

static bool edge_sensible(const SupChunksView *view, const SupChunksEdge *edge) {
  for (uint32_t k = 0; k < 2; k++) {
    if (edge->faces[k] >= view->face_count && edge->faces[k] != SUP_CHUNKS_NONE) return false;
  }
  return edge->from < edge->to && edge->to < view->vertex_count;
}

bool sup_chunks_shell_sensible(const SupChunksView *view, const ChunksSections *n) {
  if (n->edges != view->edge_count || n->corner_edges != n->corners ||
      !offsets_rise(view->face_first, n->face_first, view->face_count, n->corners) ||
      !offsets_rise(view->vertex_first, n->vertex_first, view->vertex_count, n->vertex_edges)) {
    return false;
  }
  for (uint32_t f = 0; f < view->face_count; f++) {
    const uint32_t count = view->face_first[f + 1] - view->face_first[f];
    if (count < 3 || count > SUP_CHUNKS_CORNERS) return false;
  }
  for (uint32_t e = 0; e < view->edge_count; e++) {
    if (!edge_sensible(view, &view->edges[e])) return false;
  }
  return sup_all_below(view->corners, n->corners, view->vertex_count) &&
         sup_all_below(view->corner_edges, n->corner_edges, view->edge_count) &&
         sup_all_below(view->vertex_edges, n->vertex_edges, view->edge_count);
}

/* ---- Patches ----------------------------------------------------------------------------------
 */

/* What the patches before one fill. */
typedef struct Filled {
  uint64_t borders, blocks, spread;
} Filled;

static bool patch_fits(const SupChunksView *view, const SupChunksSkin *patch, Filled *io) {
  if (patch->piece >= view->piece_count || patch->border_count < 3 ||
      patch->border_count > MOST_BORDER || patch->interior_count > MOST_INSIDE || patch->reserved ||
      patch->first_border != io->borders || patch->first_block != io->blocks ||
      patch->first_spread != io->spread) {
    return false;
  }
  const uint64_t inside = sup_sewn_blocks(patch->interior_count);
  io->borders += patch->border_count;
  io->blocks += sup_sewn_blocks(patch->border_count) + inside;
  io->spread += SUP_SKIN_BLOCK * inside * patch->border_count;
  return true;
}

/* The nodes that a patch's rows refer to are those of its chunk. */
static bool nodes_fit(const SupChunksView *view, const SupChunksSkin *patch, uint64_t end_block) {
  const uint64_t rows = SUP_SKIN_BLOCK * (end_block - patch->first_block);
  return sup_all_below(view->vertex_nodes + (size_t)4 * SUP_SKIN_BLOCK * patch->first_block,
                       4 * rows, sup_chunks_node_count(&view->pieces[patch->piece]));
}

static bool patches_fit(const SupChunksView *view, const ChunksSections *n) {
  const uint64_t rows = (uint64_t)SUP_SKIN_BLOCK * view->block_count;
  Filled all = {0};
  if (n->patches != view->patch_count || n->vertex_nodes != 4 * rows ||
      n->vertex_weights != 4 * rows || n->residuals != 3 * rows || n->row_lanes != rows) {
    return false;
  }
  for (uint32_t p = 0; p < view->patch_count; p++) {
    if (!patch_fits(view, &view->patches[p], &all) || all.blocks > view->block_count ||
        !nodes_fit(view, &view->patches[p], all.blocks)) {
      return false;
    }
  }
  return n->borders == all.borders && view->block_count == all.blocks && n->spread == all.spread;
}

static bool row_lanes_fit(const SupChunksView *view, uint64_t count) {
  for (uint64_t k = 0; k < count; k++) {
    if (view->row_lanes[k] >= view->skin.vertex_count && view->row_lanes[k] != SUP_CHUNKS_NONE) {
      return false;
    }
  }
  return true;
}

static SupResult check_skin(const SupChunksView *view, const ChunksSections *n, SupError *error) {
  const uint64_t rows = (uint64_t)SUP_SKIN_BLOCK * view->block_count;
  if (n->seams != view->seam_count ||
      !sup_seams_sensible(view->seams, n->seams, view->skin.vertex_count)) {
    return bad(error, "seams");
  }
  if (!patches_fit(view, n) || !sup_all_below(view->borders, n->borders, view->seam_count) ||
      !row_lanes_fit(view, n->row_lanes)) {
    return bad(error, "patches");
  }
  if (!sup_all_within(view->vertex_weights, n->vertex_weights, SUP_CHUNKS_MOST_WEIGHT) ||
      !sup_all_within(view->residuals, n->residuals, SUP_CHUNKS_MOST_LENGTH) ||
      !sup_all_within(view->spread, n->spread, SUP_CHUNKS_MOST_WEIGHT)) {
    return bad(error, "numbers of the skin");
  }
  if (!sup_sources_fit(&view->skin, view->sources, n->sources, rows) ||
      !sup_lanes_fit(&view->skin, view->lanes, n->lanes)) {
    return bad(error, "order");
  }
  if (!sup_one_rings_fit(&view->skin, view->ring_first, n->ring_first, view->rings, n->rings)) {
    return bad(error, "triangles");
  }
  return SUP_OK;
}

/* ---- All --------------------------------------------------------------------------------------
 */

static SupResult check_counts(const SupChunksView *view, SupError *error) {
  if (view->flags != 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the model uses features of chunks that this build does not know: update "
                    "Supple");
  }
  if (view->piece_count == 0 || view->piece_count > SUP_CHUNKS_PIECES) {
    return bad(error, "number of chunks");
  }
  if (view->root >= view->skin.bone_count) return bad(error, "root");
  return SUP_OK;
}

SupResult sup_chunks_check(const SupModel *model, SupError *error) {
  SupResult result = sup_skin_check(model, error);
  if (result) return result;
  SupChunksView view = {.skin = sup_skin_view(model)};
  ChunksSections n = {0};
  if (!sup_skin_is_of_mesh(model, &view.skin)) return bad(error, "skin of another mesh");
  if (!sup_chunks_sections(model, &view, &n)) return bad(error, "a section is missing");
  result = check_counts(&view, error);
  if (result) return result;
  if (!sup_chunks_limbs_sensible(&view, &n)) return bad(error, "limbs");
  if (!sup_chunks_points_sensible(&view, &n)) return bad(error, "points");
  if (!sup_chunks_shell_sensible(&view, &n)) return bad(error, "shell");
  if (n.angles != view.angle_count ||
      !sup_pose_angles_sensible(view.angles, n.angles, view.joint_count)) {
    return bad(error, "angles");
  }
  if (!sup_chunks_pieces_sensible(&view, &n)) return bad(error, "chunks");
  if (!sup_chunks_bulges_sensible(&view, &n)) return bad(error, "bulges");
  return check_skin(&view, &n, error);
}
