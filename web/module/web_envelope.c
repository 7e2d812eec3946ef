/* SPDX-License-Identifier: MIT */
/* An envelope on the stage: strengths of its patches, its control mesh, figures about the shape. */
#include "module.h"
#include "supple/author/envelope_origin.h"

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

static const SupModel *model_of(const WebStage *stage) {
  const SupPlayerDef *def = &stage->player.def;
  uint32_t k = 0;
  while (def->models[k]->kind != SUP_ENVELOPE_KIND) k++;
  return def->models[k];
}

/* Room for a control mesh that is not the model's, if the model says where its shapes are from. */
static bool can_try(WebStage *stage, const SupEnvelopeView *view) {
  const SupModel *model = model_of(stage);
  const SupSkeleton *skeleton = &stage->cast->character.skeleton;
  const uint32_t controls = view->control_count, shapes = view->shape_count;
  if (!sup_envelope_shape_joints(model, 0) || !sup_envelope_control_label(model, 0)) return false;
  if (view->joint_count != skeleton->joint_count || view->skin.bone_count != skeleton->bone_count) {
    return false;
  }
  const SupVec3 *points = SUP_COPY(&stage->arena, SupVec3, view->points,
                                   (size_t)view->influence_first[controls] * shapes);
  const SupVec3 *alone =
      SUP_COPY(&stage->arena, SupVec3, view->revision_points, (size_t)controls * shapes);
  const uint32_t *blends = SUP_COPY(&stage->arena, uint32_t, view->control_blends, controls);
  stage->shape_palette = SUP_ALLOC(&stage->arena, SupAffine, 2 * skeleton->bone_count);
  if (!points || !alone || !blends || !stage->shape_palette) return false;
  stage->envelope.points = points;
  stage->envelope.revision_points = alone;
  stage->envelope.control_blends = blends;
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
  uint32_t *words = SUP_ALLOC(&stage->arena, uint32_t, 8);
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
  words[6] = view->shape_count;
  words[7] = can_try(stage, view);
  return words;
}

const SupVec3 *web_stage_controls(const WebStage *stage) {
  return sup_envelope_controls(state_of(stage));
}

void web_stage_stitching(const WebStage *stage, float *out_stitched) {
  const SupEnvelopeView *view = view_of(stage);
  sup_envelope_measure(view, state_of(stage), out_stitched, out_stitched + view->skin.vertex_count);
}

/* ---- Moving control vertices -------------------------------------------------------------------
 */

const char *web_stage_control_label(const WebStage *stage, uint32_t control) {
  return sup_envelope_control_label(model_of(stage), control);
}

const char *web_stage_shape_label(const WebStage *stage, uint32_t shape) {
  return sup_envelope_shape_label(model_of(stage), shape);
}

/* The blend that a moved vertex would have. */
static uint32_t blend_of(const WebStage *stage, uint32_t control, uint32_t shape) {
  SupEnvelopeView tried = *view_of(stage);
  if (stage->envelope.control_blends) tried.control_blends = stage->envelope.control_blends;
  return sup_envelope_blend_showing(&tried, control, shape);
}

float web_stage_share(const WebStage *stage, uint32_t control, uint32_t shape) {
  const uint32_t blend = blend_of(stage, control, shape);
  if (blend == SUP_ENVELOPE_NONE) return 0;
  return sup_envelope_mixes(state_of(stage))[(size_t)blend * view_of(stage)->shape_count + shape];
}

/* Into shape_palette. */
static void pose_of_shape(const WebStage *stage, uint32_t shape) {
  const SupSkeleton *skeleton = &stage->cast->character.skeleton;
  const SupPose pose = {
      skeleton->joint_count, sup_transform_identity(),
      (SupTransform *)(uintptr_t)sup_envelope_shape_joints(model_of(stage), shape)};
  sup_pose_evaluate(skeleton, &pose, stage->globals, stage->shape_palette);
  sup_pose_globals(skeleton, &stage->player.pose, stage->globals);
}

uint32_t web_stage_move_control(WebStage *stage, uint32_t control, uint32_t shape, float x, float y,
                                float z) {
  const SupEnvelopeView *view = view_of(stage);
  SupEnvelopeControls *tried = &stage->envelope;
  if (!stage->shape_palette) return 0;
  const uint32_t blend = blend_of(stage, control, shape);
  pose_of_shape(stage, shape);
  if (blend == SUP_ENVELOPE_NONE ||
      !sup_envelope_move(view, stage->shape_palette, control, shape, (SupVec3){x, y, z},
                         (SupVec3 *)(uintptr_t)tried->points,
                         (SupVec3 *)(uintptr_t)tried->revision_points)) {
    return 0;
  }
  ((uint32_t *)(uintptr_t)tried->control_blends)[control] = blend;
  return 1;
}

const SupVec3 *web_stage_move_seen(WebStage *stage, uint32_t control, uint32_t shape, float x,
                                   float y, float z) {
  const SupSkeleton *skeleton = &stage->cast->character.skeleton;
  const float share = web_stage_share(stage, control, shape);
  if (!stage->shape_palette) return NULL;
  SupAffine *now = stage->shape_palette + skeleton->bone_count;
  pose_of_shape(stage, shape);
  sup_pose_palette(skeleton, stage->globals, now);
  return sup_envelope_move_seen(view_of(stage), stage->shape_palette, now, control, share,
                                (SupVec3){x, y, z}, &stage->move_asked)
             ? &stage->move_asked
             : NULL;
}

void web_stage_move_none(WebStage *stage) {
  if (!stage->shape_palette) return;
  const SupEnvelopeView *view = view_of(stage);
  const SupEnvelopeControls *tried = &stage->envelope;
  const size_t controls = view->control_count, shapes = view->shape_count;
  sup_copy((void *)(uintptr_t)tried->points, view->points,
           view->influence_first[controls] * shapes * sizeof *view->points);
  sup_copy((void *)(uintptr_t)tried->revision_points, view->revision_points,
           controls * shapes * sizeof *view->revision_points);
  sup_copy((void *)(uintptr_t)tried->control_blends, view->control_blends,
           controls * sizeof *view->control_blends);
}

uint32_t web_stage_stand(WebStage *stage, uint32_t shape) {
  const SupTransform *joints = sup_envelope_shape_joints(model_of(stage), shape);
  const SupPose *pose = &stage->player.pose;
  if (!stage->shape_palette) return 0;
  for (uint32_t j = 0; j < pose->joint_count; j++) {
    const SupQuat back = sup_quat_mul(sup_quat_conjugate(pose->joints[j].rotation),
                                      stage->turns[j]); /* of the clip alone, the other way */
    stage->turns[j] = sup_quat_mul(joints[j].rotation, back);
  }
  return 1;
}
