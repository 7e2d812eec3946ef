/* SPDX-License-Identifier: MIT */
/*
 * Chunks in a stack: they give the goal in place of skinning.
 *
 * Their frames are skinning's own, as the envelope's are: what morph targets and modes add in them,
 * F u, is skin(X + u) - skin(X) exactly, and a follower keeps its offsets in the frames that it
 * would have over skinning.
 */
#include "runtime/chunks/chunks_sections.h"
#include "runtime/techniques.h"
#include "supple/stack.h"

_Static_assert(sizeof(SupChunksView) <= SUP_LAYER_VIEW, "view");

static const SupChunksView *view_of(const SupLayer *layer) {
  return (const SupChunksView *)sup_layer_view(layer);
}

static void open_chunks(const SupModel *model, void *out_view) {
  *(SupChunksView *)out_view = sup_chunks_view(model);
}

static const SupSkinView *skin_of(const void *view) { return &((const SupChunksView *)view)->skin; }

static void offer(const void *view, SupLayerOffer *out) {
  const SupChunksView *model = (const SupChunksView *)view;
  out->traits = SUP_TRAIT_STATIC_SHAPE;
  out->joint_count = model->joint_count;
  out->lanes = model->lanes;
  out->rings = (SupLaneRings){model->ring_first, model->rings};
}

/* ---- What a model holds -----------------------------------------------------------------------
 */

static uint32_t limb_pieces(const SupChunksView *view) {
  uint32_t count = 0;
  for (uint32_t p = 0; p < view->piece_count; p++) {
    count += view->pieces[p].limb != SUP_CHUNKS_NONE;
  }
  return count;
}

static uint32_t covered_count(const SupChunksView *view) {
  uint32_t count = 0;
  for (uint32_t v = 0; v < view->skin.vertex_count; v++) {
    count += view->sources[view->lanes[v]] != SUP_CHUNKS_NONE;
  }
  return count;
}

static void describe_pieces(const SupChunksView *view, const SupFacts *facts) {
  facts->open(facts->user, "chunk_list", true);
  for (uint32_t p = 0; p < view->piece_count; p++) {
    const SupChunksPiece *piece = &view->pieces[p];
    facts->open(facts->user, NULL, false);
    facts->text(facts->user, "name", view->names + (size_t)SUP_CHUNKS_NAME * p);
    facts->flag(facts->user, "limb", piece->limb != SUP_CHUNKS_NONE);
    facts->number(facts->user, "slices", piece->slice_count);
    facts->number(facts->user, "surface_nodes", sup_chunks_node_count(piece));
    facts->number(facts->user, "columns", piece->column_count);
    facts->number(facts->user, "bulges", piece->bulge_count);
    facts->close(facts->user);
  }
  facts->close(facts->user);
  facts->open(facts->user, "bulge_names", true);
  for (uint32_t b = 0; b < view->bulge_count; b++) {
    facts->text(facts->user, NULL, view->bulge_names + (size_t)SUP_CHUNKS_NAME * b);
  }
  facts->close(facts->user);
}

static void describe_lines(const SupChunksView *view, const SupFacts *facts, uint32_t covered) {
  const uint32_t limbs = limb_pieces(view);
  char text[160];
  sup_format(text, sizeof text, "%u chunks: %u above the shell, %u around limbs with %u joints",
             view->piece_count, view->piece_count - limbs, limbs, view->limb_joint_count);
  facts->line(facts->user, "shape", text);
  sup_format(text, sizeof text, "%u surface nodes follow %u numbers; %u bulge%s", view->node_count,
             view->number_count, view->bulge_count, view->bulge_count == 1 ? "" : "s");
  facts->line(facts->user, "", text);
  if (covered < view->skin.vertex_count) {
    sup_format(text, sizeof text, "%u vertices are in no patch and plainly skinned",
               view->skin.vertex_count - covered);
    facts->line(facts->user, "", text);
  }
}

static void describe(const SupModel *model, const SupFacts *facts) {
  const SupChunksView view = sup_chunks_view(model);
  const uint32_t covered = covered_count(&view);
  describe_lines(&view, facts, covered);
  facts->number(facts->user, "chunks", view.piece_count);
  facts->number(facts->user, "limbs", limb_pieces(&view));
  facts->number(facts->user, "patches", view.patch_count);
  facts->number(facts->user, "shell_vertices", view.vertex_count);
  facts->number(facts->user, "surface_nodes", view.node_count);
  facts->number(facts->user, "columns", view.number_count);
  facts->number(facts->user, "bulges", view.bulge_count);
  facts->number(facts->user, "covered_vertices", covered);
  facts->number(facts->user, "bytes", (double)model->bytes);
  facts->number(facts->user, "state_bytes", (double)sup_chunks_bytes(&view));
  describe_pieces(&view, facts);
}

/* ---- A frame ----------------------------------------------------------------------------------
 */

static size_t bytes(const SupStack *stack, const SupLayer *layer) {
  (void)stack;
  return sup_chunks_bytes(view_of(layer));
}

static void init(const SupStack *stack, const SupLayer *layer, void *state) {
  (void)stack;
  sup_chunks_init(view_of(layer), state);
}

static void goal(SupStackContext *c, const SupLayer *layer, void *state, double ago,
                 const SupGoal *goal) {
  const SupChunksCall call = {
      .pose = c->pose,
      .palette = c->palette,
      .controls = (const SupChunksControls *)sup_frame_controls(c->frame, SUP_CHUNKS_KIND),
      .positions = goal->positions,
      .normals = goal->normals,
      .frames = goal->frames};
  (void)ago;
  sup_chunks_shape(view_of(layer), (SupChunksState *)state, c->backend, c->jobs, &call);
}

const SupTechnique sup_chunks_technique = {
    .kind = SUP_CHUNKS_KIND,
    .name = "chunks",
    .version = SUP_CHUNKS_VERSION,
    .stage = SUP_STAGE_SHAPE,
    .check = sup_chunks_check,
    .describe = describe,
    .view_bytes = sizeof(SupChunksView),
    .open = open_chunks,
    .skin = skin_of,
    .skin_rank = 2,
    .offer = offer,
    .bytes = bytes,
    .init = init,
    .goal = goal,
};
