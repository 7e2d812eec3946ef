/* SPDX-License-Identifier: MIT */
/*
 * The control mesh of an envelope: skinned from every example shape, kept off bending joints,
 * blended; then the frames of its faces.
 *
 *   cbar = sum_b w_b P_b^l (P_b^i)^-1 c^i                          carry
 *   ctilde: the part of cbar - o perpendicular to the axis
 *     becomes eta |c^i - o^i|                                      revise
 *   c^l = sum_i omega_i ctilde^i                                   control_vertex
 *   Mrot                                                           sup_envelope_frame
 *
 * All without the motion of the root; places and frames are then moved by it, scale included
 * (Mrot itself is a rotation and knows no scale).
 */
#include "runtime/envelope/envelope_parts.h"
#include "runtime/sewn/sewn_skin.h"

/* ---- One vertex -------------------------------------------------------------------------------
 */

static SupVec3 carry(const SupEnvelopeView *model, const SupAffine *palette, uint32_t control,
                     uint32_t shape) {
  SupVec3 sum = {0, 0, 0};
  for (uint32_t i = model->influence_first[control]; i < model->influence_first[control + 1]; i++) {
    const SupEnvelopeInfluence *in = &model->influences[i];
    const SupVec3 point = model->points[(size_t)i * model->shape_count + shape];
    sum = sup_vec3_add_scaled(sum, sup_affine_point(palette[in->bone], point), in->weight);
  }
  return sum;
}

static SupVec3 across(SupVec3 v, SupVec3 axis) {
  return sup_vec3_add_scaled(v, axis, -sup_vec3_dot(v, axis));
}

/* How many times as long as its rigidly carried self: grows with the bend past the shape's own. */
static float eta_of(const SupEnvelopeRevision *r, float phi) {
  const float cosine = sup_cosf(0.5f * phi);
  const float wanted = cosine * r->most > 1 ? 1 / cosine : r->most;
  return 1 + r->strength * (wanted - 1);
}

static SupVec3 revise(const SupEnvelopeView *model, const SupAffine *palette, const float *angles,
                      uint32_t control, uint32_t shape, SupVec3 skinned) {
  const SupEnvelopeRevision *r = &model->revisions[control];
  const size_t own = (size_t)control * model->shape_count + shape;
  const SupAffine bone = palette[r->bone];
  const SupVec3 centre = sup_affine_point(bone, r->centre);
  const SupVec3 axis = sup_vec3_normalise(sup_affine_direction(bone, r->axis));
  const SupVec3 alone = sup_affine_point(bone, model->revision_points[own]);
  const SupVec3 arm = across(sup_vec3_sub(skinned, centre), axis);
  const float eta = eta_of(r, angles[r->angle] - model->revision_angles[own]);
  const float wanted = eta * sup_vec3_length(across(sup_vec3_sub(alone, centre), axis));
  const float length = sup_vec3_length(arm), most = SUP_ENVELOPE_LONGER * length;
  if (!(length > 0)) return skinned;
  return sup_vec3_add_scaled(skinned, arm, (wanted < most ? wanted : most) / length - 1);
}

static SupVec3 control_vertex(const SupEnvelopeView *model, const SupEnvelopeState *state,
                              const SupAffine *palette, uint32_t control) {
  const float *angles = (const float *)sup_envelope_at(state, state->angles);
  const float *mix = (const float *)sup_envelope_at(state, state->mixes) +
                     (size_t)model->control_blends[control] * model->shape_count;
  SupVec3 sum = {0, 0, 0};
  for (uint32_t s = 0; s < model->shape_count; s++) {
    if (mix[s] == 0) continue;
    SupVec3 place = carry(model, palette, control, s);
    if (model->revisions[control].bone != SUP_ENVELOPE_NONE) {
      place = revise(model, palette, angles, control, s, place);
    }
    sum = sup_vec3_add_scaled(sum, place, mix[s]);
  }
  return sum;
}

/* ---- Faces ------------------------------------------------------------------------------------
 */

/* Some unit vector that is perpendicular to a unit vector. */
static SupVec3 any_across(SupVec3 z) {
  const SupVec3 far = z.x * z.x < 0.5f ? (SupVec3){1, 0, 0} : (SupVec3){0, 1, 0};
  return sup_vec3_normalise(across(far, z));
}

SupMat3 sup_envelope_frame(uint32_t count, const SupVec3 *corners) {
  SupVec3 centre = {0, 0, 0}, normal = {0, 0, 0};
  for (uint32_t k = 0; k < count; k++) {
    centre = sup_vec3_add_scaled(centre, corners[k], 1 / (float)count);
  }
  for (uint32_t k = 0; k < count; k++) {
    const SupVec3 a = sup_vec3_sub(corners[k], centre);
    const SupVec3 b = sup_vec3_sub(corners[k + 1 < count ? k + 1 : 0], centre);
    normal = sup_vec3_add(normal, sup_vec3_cross(a, b));
  }
  SupVec3 z = sup_vec3_normalise(normal);
  if (!(sup_vec3_dot(z, z) > 0)) z = (SupVec3){0, 0, 1};
  const SupVec3 middle = sup_vec3_scale(sup_vec3_add(corners[0], corners[1]), 0.5f);
  SupVec3 x = sup_vec3_normalise(across(sup_vec3_sub(middle, centre), z));
  if (!(sup_vec3_dot(x, x) > 0)) x = any_across(z);
  x = sup_vec3_normalise(across(x, z)); /* what the first time rounded */
  return sup_mat3_from_columns(x, sup_vec3_cross(z, x), z);
}

/* The frame of the face in the space of the palette. */
static SupMat3 turn_of(const SupEnvelopeView *model, const SupVec3 *controls,
                       const SupEnvelopeFace *face, SupAffine root) {
  SupVec3 corners[SUP_ENVELOPE_CORNERS];
  for (uint32_t k = 0; k < face->corner_count; k++) {
    corners[k] = controls[model->corners[face->first_corner + k]];
  }
  return sup_mat3_mul(sup_affine_linear(root), sup_envelope_frame(face->corner_count, corners));
}

/* ---- All of it --------------------------------------------------------------------------------
 */

bool sup_envelope_control(const SupEnvelopeView *model, SupEnvelopeState *state,
                          const SupAffine *palette) {
  SupAffine *still = (SupAffine *)sup_envelope_at(state, state->palette);
  SupVec3 *controls = (SupVec3 *)sup_envelope_at(state, state->controls);
  SupMat3 *turns = (SupMat3 *)sup_envelope_at(state, state->turns);
  const SupAffine root = palette[model->root];
  if (!sup_sewn_has_inverse(root)) return false;
  const SupAffine inverse = sup_affine_inverse(root);
  for (uint32_t k = 0; k < model->skin.bone_count; k++) {
    still[k] = sup_affine_mul(inverse, palette[k]);
  }
  for (uint32_t c = 0; c < model->control_count; c++) {
    controls[c] = control_vertex(model, state, still, c);
  }
  for (uint32_t p = 0; p < model->patch_count; p++) {
    turns[p] = turn_of(model, controls, &model->faces[p], root);
  }
  for (uint32_t c = 0; c < model->control_count; c++) {
    controls[c] = sup_affine_point(root, controls[c]);
  }
  return true;
}
