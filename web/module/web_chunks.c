/* SPDX-License-Identifier: MIT */
/* Chunks on the stage: how strong they are, their bulges, and where their nodes are. */
#include "module.h"

/* What chunks.ts reads of them. */
_Static_assert(sizeof(SupChunksBulge) == 40 && offsetof(SupChunksBulge, most) == 28, "bulge");
_Static_assert(sizeof(SupChunksEdge) == 16 && sizeof(SupVec3) == 12, "edge");
_Static_assert(sizeof(SupChunksPiece) == 200 && offsetof(SupChunksPiece, limb) == 96 &&
                   offsetof(SupChunksPiece, face) == 100 &&
                   offsetof(SupChunksPiece, free_count) == 132 &&
                   offsetof(SupChunksPiece, held_count) == 136 &&
                   offsetof(SupChunksPiece, first_node) == 152 &&
                   offsetof(SupChunksPiece, first_weight) == 184,
               "piece");

static const SupChunksView *view_of(const WebStage *stage) {
  return (const SupChunksView *)sup_stack_view(&stage->player.stack, SUP_CHUNKS_KIND);
}

static float *filled(SupArena *arena, uint32_t count, float value) {
  float *values = SUP_ALLOC(arena, float, count);
  for (uint32_t k = 0; k < count && values; k++) values[k] = value;
  return values;
}

const uint32_t *web_stage_chunks(WebStage *stage) {
  const SupChunksView *view = view_of(stage);
  if (!view) return NULL;
  float *strengths = filled(&stage->arena, view->piece_count, 1);
  float *scales = filled(&stage->arena, view->bulge_count, 1);
  float *heights = filled(&stage->arena, view->bulge_count, 0);
  const uint32_t words[] = {view->piece_count,
                            (uint32_t)view->names,
                            (uint32_t)strengths,
                            view->bulge_count,
                            (uint32_t)view->bulge_names,
                            (uint32_t)scales,
                            (uint32_t)heights,
                            (uint32_t)view->bulges,
                            (uint32_t)view->pieces,
                            view->node_count,
                            (uint32_t)view->nodes,
                            (uint32_t)view->node_slices,
                            (uint32_t)view->node_weights,
                            view->vertex_count,
                            (uint32_t)view->face_first,
                            (uint32_t)view->corners,
                            view->edge_count,
                            (uint32_t)view->edges};
  uint32_t *kept = SUP_COPY(&stage->arena, uint32_t, words, sizeof words / sizeof *words);
  if (!strengths || !scales || !heights) return NULL;
  stage->chunks = (SupChunksControls){scales, heights, strengths};
  return kept;
}

void web_stage_chunk_places(const WebStage *stage, SupVec3 *out_places) {
  const SupChunksView *view = view_of(stage);
  const SupChunksState *state = (const SupChunksState *)sup_stack_state_of(
      &stage->player.stack, stage->player.state, SUP_CHUNKS_KIND);
  const SupSkeleton *skeleton = &stage->cast->character.skeleton;
  const SupAffine root = sup_affine_mul(stage->globals[skeleton->bone_joints[view->root]],
                                        skeleton->inverse_bind[view->root]);
  const SupVec3d *shell = sup_chunks_shell_vertices(state);
  const float *nodes = sup_chunks_nodes(view, state, 0);
  for (uint32_t k = 0; k < view->node_count; k++) {
    const float *at = nodes + (size_t)16 * k + 9;
    out_places[k] = sup_affine_point(root, (SupVec3){at[0], at[1], at[2]});
  }
  for (uint32_t v = 0; v < view->vertex_count; v++) {
    out_places[view->node_count + v] = sup_affine_point(root, sup_vec3d_to_float(shell[v]));
  }
}
