/* SPDX-License-Identifier: MIT */
/* Names and poses that an envelope keeps for people, and moves of its control vertices. */
#include "supple/author/envelope_origin.h"

#include "base/finite.h"

#define LEAST_VOLUME 1e-12f /* of what carries a vertex, so that it can be asked backwards */
#define LEAST_SHARE 1e-3f

/* The k-th of the names one after another, or NULL. */
static const char *label(const SupModel *model, uint32_t k) {
  uint64_t bytes;
  const char *at = (const char *)sup_model_section(model, SUP_SECTION_ENVELOPE_LABELS, 1, &bytes);
  for (uint64_t i = 0; at && k > 0 && i < bytes; i++) {
    if (at[i] != 0 || --k > 0) continue;
    at += i + 1;
    break;
  }
  return at;
}

const char *sup_envelope_control_label(const SupModel *model, uint32_t control) {
  return label(model, control);
}

const char *sup_envelope_shape_label(const SupModel *model, uint32_t shape) {
  return label(model, sup_envelope_view(model).control_count + shape);
}

const SupTransform *sup_envelope_shape_joints(const SupModel *model, uint32_t shape) {
  const SupTransform *poses = (const SupTransform *)sup_model_section(
      model, SUP_SECTION_ENVELOPE_POSES, sizeof(SupTransform), NULL);
  return poses ? poses + (size_t)shape * sup_envelope_view(model).joint_count : NULL;
}

/* ---- Blends -----------------------------------------------------------------------------------
 */

static bool knows(const SupEnvelopeView *view, uint32_t blend, uint32_t shape) {
  return view->shape_shares[(size_t)blend * view->shape_count + shape] > 0;
}

/* Of the dress shape, whose palettes are the identity. */
static SupVec3 dress_place(const SupEnvelopeView *view, uint32_t control) {
  return view->points[(size_t)view->influence_first[control] * view->shape_count];
}

uint32_t sup_envelope_blend_showing(const SupEnvelopeView *view, uint32_t control, uint32_t shape) {
  const SupVec3 own = dress_place(view, control);
  uint32_t best = SUP_ENVELOPE_NONE;
  float least = 0;
  if (knows(view, view->control_blends[control], shape)) return view->control_blends[control];
  for (uint32_t c = 0; c < view->control_count; c++) {
    const float distance = sup_vec3_distance(own, dress_place(view, c));
    if (!knows(view, view->control_blends[c], shape)) continue;
    if (best == SUP_ENVELOPE_NONE || distance < least) {
      best = view->control_blends[c], least = distance;
    }
  }
  return best;
}

/* ---- Moves ------------------------------------------------------------------------------------
 */

static bool has_volume(SupMat3 m) {
  const float volume = sup_mat3_determinant(m);
  return volume > LEAST_VOLUME || volume < -LEAST_VOLUME;
}

static bool can_move(const SupEnvelopeView *view, const SupAffine *palette, uint32_t control) {
  const uint32_t *first = view->influence_first + control;
  const uint32_t revised = view->revisions[control].bone;
  for (uint32_t i = first[0]; i < first[1]; i++) {
    if (!has_volume(sup_affine_linear(palette[view->influences[i].bone]))) return false;
  }
  return revised == SUP_ENVELOPE_NONE || has_volume(sup_affine_linear(palette[revised]));
}

/* A direction of the scene as a bone has it. */
static SupVec3 for_bone(SupAffine bone, SupVec3 move) {
  return sup_mat3_mul_vec3(sup_mat3_inverse(sup_affine_linear(bone)), move);
}

bool sup_envelope_move(const SupEnvelopeView *view, const SupAffine *palette, uint32_t control,
                       uint32_t shape, SupVec3 move, SupVec3 *io_points,
                       SupVec3 *io_revision_points) {
  const uint32_t revised = view->revisions[control].bone;
  if (!sup_finite_all(&move.x, 3) || !can_move(view, palette, control)) return false;
  for (uint32_t i = view->influence_first[control]; i < view->influence_first[control + 1]; i++) {
    const size_t at = (size_t)i * view->shape_count + shape;
    const SupVec3 way = for_bone(palette[view->influences[i].bone], move);
    io_points[at] = sup_vec3_add(view->points[at], way);
  }
  if (revised != SUP_ENVELOPE_NONE) {
    const size_t at = (size_t)control * view->shape_count + shape;
    io_revision_points[at] =
        sup_vec3_add(view->revision_points[at], for_bone(palette[revised], move));
  }
  return true;
}

bool sup_envelope_move_seen(const SupEnvelopeView *view, const SupAffine *palette,
                            const SupAffine *now, uint32_t control, float share, SupVec3 seen,
                            SupVec3 *out_move) {
  SupMat3 carried = {{0}};
  if (!can_move(view, palette, control)) return false;
  for (uint32_t i = view->influence_first[control]; i < view->influence_first[control + 1]; i++) {
    const SupEnvelopeInfluence *in = &view->influences[i];
    const SupMat3 back = sup_mat3_inverse(sup_affine_linear(palette[in->bone]));
    const SupMat3 way = sup_mat3_mul(sup_affine_linear(now[in->bone]), back);
    for (int k = 0; k < 9; k++) carried.m[k] += share * in->weight * way.m[k];
  }
  if (!(share > LEAST_SHARE) || !has_volume(carried)) return false;
  *out_move = sup_mat3_mul_vec3(sup_mat3_inverse(carried), seen);
  return sup_finite_all(&out_move->x, 3);
}
