/* SPDX-License-Identifier: MIT */
/* An envelope on the stage: strengths of its patches, its control mesh, figures about the shape. */
#include "module.h"

static const SupEnvelopeView *view_of(const WebStage *stage) {
  return (const SupEnvelopeView *)sup_stack_view(&stage->player.stack, SUP_ENVELOPE_KIND);
}

static const SupEnvelopeState *state_of(const WebStage *stage) {
  return (const SupEnvelopeState *)sup_stack_state_of(&stage->player.stack, stage->player.state,
                                                      SUP_ENVELOPE_KIND);
}

static bool is_new(const uint32_t *edges, uint32_t count, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < count; k++) {
    if ((edges[2 * k] == a && edges[2 * k + 1] == b) ||
        (edges[2 * k] == b && edges[2 * k + 1] == a)) {
      return false;
    }
  }
  return true;
}

/* Every edge of the control mesh once: out_edges[2 * corners of all patches]. */
static uint32_t find_edges(const SupEnvelopeView *view, uint32_t *out_edges) {
  uint32_t count = 0;
  for (uint32_t p = 0; p < view->patch_count; p++) {
    const SupEnvelopeFace *face = &view->faces[p];
    const uint32_t *corners = view->corners + face->first_corner;
    for (uint32_t k = 0; k < face->corner_count; k++) {
      const uint32_t a = corners[k], b = corners[k + 1 < face->corner_count ? k + 1 : 0];
      if (!is_new(out_edges, count, a, b)) continue;
      out_edges[2 * count] = a, out_edges[2 * count + 1] = b;
      count++;
    }
  }
  return count;
}

const uint32_t *web_stage_envelope(WebStage *stage) {
  const SupEnvelopeView *view = view_of(stage);
  if (!view) return NULL;
  uint32_t corners = 0;
  for (uint32_t p = 0; p < view->patch_count; p++) corners += view->faces[p].corner_count;
  uint32_t *words = SUP_ALLOC(&stage->arena, uint32_t, 6);
  uint32_t *edges = SUP_ALLOC(&stage->arena, uint32_t, 2 * corners);
  float *strengths = SUP_COPY(&stage->arena, float, view->strengths, view->patch_count);
  if (!words || !edges || !strengths) return NULL;
  stage->envelope.strengths = strengths;
  words[0] = view->patch_count;
  words[1] = (uint32_t)view->names;
  words[2] = (uint32_t)strengths;
  words[3] = view->control_count;
  words[4] = find_edges(view, edges);
  words[5] = (uint32_t)edges;
  return words;
}

const SupVec3 *web_stage_controls(const WebStage *stage) {
  return sup_envelope_controls(state_of(stage));
}

void web_stage_stitching(const WebStage *stage, float *out_stitched) {
  const SupEnvelopeView *view = view_of(stage);
  sup_envelope_measure(view, state_of(stage), out_stitched, out_stitched + view->skin.vertex_count);
}
