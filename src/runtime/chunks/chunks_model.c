/* SPDX-License-Identifier: MIT */
/* A chunks model as sections of a block. */
#include "runtime/chunks/chunks_sections.h"
#include "runtime/model_checks.h"

enum {
  COUNT_FLAGS,
  COUNT_JOINTS,
  COUNT_ROOT,
  COUNT_LIMBS,
  COUNT_LIMB_JOINTS,
  COUNT_POINTS,
  COUNT_VERTICES,
  COUNT_FACES,
  COUNT_EDGES,
  COUNT_PIECES,
  COUNT_NODES,
  COUNT_NODE_BLOCKS,
  COUNT_NUMBERS,
  COUNT_FRAMES,
  COUNT_ANGLES,
  COUNT_BULGES,
  COUNT_SEAMS,
  COUNT_PATCHES,
  COUNT_BLOCKS,
  COUNTS
};

static void take_counts(const uint32_t *counts, SupChunksView *view) {
  view->flags = counts[COUNT_FLAGS];
  view->joint_count = counts[COUNT_JOINTS];
  view->root = counts[COUNT_ROOT];
  view->limb_count = counts[COUNT_LIMBS];
  view->limb_joint_count = counts[COUNT_LIMB_JOINTS];
  view->point_count = counts[COUNT_POINTS];
  view->vertex_count = counts[COUNT_VERTICES];
  view->face_count = counts[COUNT_FACES];
  view->edge_count = counts[COUNT_EDGES];
  view->piece_count = counts[COUNT_PIECES];
  view->node_count = counts[COUNT_NODES];
  view->node_block_count = counts[COUNT_NODE_BLOCKS];
  view->number_count = counts[COUNT_NUMBERS];
  view->frame_count = counts[COUNT_FRAMES];
  view->angle_count = counts[COUNT_ANGLES];
  view->bulge_count = counts[COUNT_BULGES];
  view->seam_count = counts[COUNT_SEAMS];
  view->patch_count = counts[COUNT_PATCHES];
  view->block_count = counts[COUNT_BLOCKS];
}

bool sup_chunks_sections(const SupModel *model, SupChunksView *view, ChunksSections *n) {
  bool all = true;
#define FIND(type, name, count) \
  ((const type *)sup_need_section(model, SUP_SECTION_CHUNKS_##name, sizeof(type), &n->count, &all))
  const uint32_t *counts = FIND(uint32_t, COUNTS, counts);
  view->limbs = FIND(SupChunksLimb, LIMBS, limbs);
  view->limb_joints = FIND(SupChunksJoint, JOINTS, limb_joints);
  view->points = FIND(SupVec3, POINTS, points);
  view->influence_first = FIND(uint32_t, INFLUENCE_FIRST, influence_first);
  view->influences = FIND(SupChunksInfluence, INFLUENCES, influences);
  view->face_first = FIND(uint32_t, FACE_FIRST, face_first);
  view->corners = FIND(uint32_t, CORNERS, corners);
  view->corner_edges = FIND(uint32_t, CORNER_EDGES, corner_edges);
  view->edges = FIND(SupChunksEdge, EDGES, edges);
  view->vertex_first = FIND(uint32_t, VERTEX_FIRST, vertex_first);
  view->vertex_edges = FIND(uint32_t, VERTEX_EDGES, vertex_edges);
  view->pieces = FIND(SupChunksPiece, PIECES, pieces);
  view->names = FIND(char, NAMES, names);
  view->nodes = FIND(SupVec3, NODES, nodes);
  view->node_slices = FIND(uint32_t, NODE_SLICES, node_slices);
  view->node_weights = FIND(float, NODE_WEIGHTS, node_weights);
  view->matrices = FIND(float, MATRICES, matrices);
  view->holds = FIND(SupChunksHold, HOLDS, holds);
  view->places = FIND(SupChunksPlace, PLACES, places);
  view->angles = FIND(SupPoseAngle, ANGLES, angles);
  view->bulges = FIND(SupChunksBulge, BULGES, bulges);
  view->bulge_names = FIND(char, BULGE_NAMES, bulge_names);
  view->curves = FIND(float, CURVES, curves);
  view->seams = FIND(SupSeam, SEAMS, seams);
  view->patches = FIND(SupChunksSkin, PATCHES, patches);
  view->borders = FIND(uint32_t, BORDERS, borders);
  view->vertex_nodes = FIND(uint32_t, VERTEX_NODES, vertex_nodes);
  view->vertex_weights = FIND(float, VERTEX_WEIGHTS, vertex_weights);
  view->residuals = FIND(float, RESIDUALS, residuals);
  view->spread = FIND(float, SPREAD, spread);
  view->sources = FIND(uint32_t, SOURCES, sources);
  view->row_lanes = FIND(uint32_t, ROW_LANES, row_lanes);
  view->lanes = FIND(uint32_t, LANES, lanes);
  view->ring_first = FIND(uint32_t, RING_FIRST, ring_first);
  view->rings = FIND(uint32_t, RINGS, rings);
#undef FIND
  if (!all || n->counts != COUNTS) return false;
  take_counts(counts, view);
  return true;
}

SupChunksView sup_chunks_view(const SupModel *model) {
  SupChunksView view = {.skin = sup_skin_view(model)};
  ChunksSections unused = {0};
  sup_chunks_sections(model, &view, &unused);
  return view;
}
