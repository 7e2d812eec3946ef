/* SPDX-License-Identifier: MIT */
/*
 * Joint channels, linear blend skinning and morph targets, with derivatives.
 *
 *   local   L = T(t_rest + c_t) R(q_rest exp(c_r) exp(c_u)) S(s_rest * c_s)
 *   global  G_j = G_parent L_j              bone  M_b = G_j inverse_bind_b
 *   vertex  x = sum_b w_b M_b x_0           dx = sum_b w_b (dM_b x_0 + M_b dx_0)
 */
#include <string.h>

#include "rig/layers.h"

/* ---- Joints --------------------------------------------------------------------------------- */

static SupDual3 channel3(const double *channels, const double *rates, uint32_t at) {
  SupDual3 out = {{channels[at], channels[at + 1], channels[at + 2]}, {0, 0, 0}};
  if (rates) out.d = (SupVec3d){rates[at], rates[at + 1], rates[at + 2]};
  return out;
}

/* Translation, rotation and scale of a joint; rates may be NULL. */
static void local_parts(const SupRigJoints *joints, uint32_t j, const double *channels,
                        const double *rates, SupDual3 *out_t, SupDualQuat *out_q, SupDual3 *out_s) {
  const uint32_t first = joints->first_channel + j * SUP_RIG_JOINT_CHANNELS;
  const SupTransform *rest = &joints->skeleton.rest[j];
  const SupDual3 t = channel3(channels, rates, first);
  const SupDual3 s = channel3(channels, rates, first + 9);
  const SupDualQuat q = {sup_quatd_normalise(sup_quat_to_double(rest->rotation)), {0, 0, 0, 0}};
  const SupDualQuat turn =
      sup_dual_quat_mul(q, sup_dual_quat_exp(channel3(channels, rates, first + 3)));
  const SupVec3d scale = sup_vec3_to_double(rest->scale);
  *out_t = (SupDual3){sup_vec3d_add(sup_vec3_to_double(rest->translation), t.v), t.d};
  *out_q = sup_dual_quat_mul(turn, sup_dual_quat_exp(channel3(channels, rates, first + 6)));
  *out_s = (SupDual3){sup_vec3d_mul(scale, s.v), sup_vec3d_mul(scale, s.d)};
}

SupTransformd sup_rig_joint_local(const SupRigJoints *joints, uint32_t joint,
                                  const double *channels) {
  SupDual3 t, s;
  SupDualQuat q;
  local_parts(joints, joint, channels, NULL, &t, &q, &s);
  return (SupTransformd){t.v, sup_quatd_normalise(q.v), s.v};
}

static bool any(const double *rates, uint32_t first, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    if (rates[first + k] != 0) return true;
  }
  return false;
}

void sup_rig_joints_pose(const SupRigJoints *joints, SupRigEvaluation *evaluation) {
  const SupSkeleton *skeleton = &joints->skeleton;
  const double *rates = evaluation->moving ? evaluation->rates : NULL;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    SupDual3 t, s;
    SupDualQuat q;
    const uint32_t first = joints->first_channel + j * SUP_RIG_JOINT_CHANNELS;
    const int32_t parent = skeleton->parents[j];
    local_parts(joints, j, evaluation->channels, rates, &t, &q, &s);
    const SupDualAffine local = sup_dual_affine_compose(t, q, s);
    evaluation->turns[j] = rates && (any(rates, first, SUP_RIG_JOINT_CHANNELS) ||
                                     (parent >= 0 && evaluation->turns[parent]));
    if (parent < 0) {
      evaluation->globals[j] = local;
    } else if (evaluation->turns[j]) {
      evaluation->globals[j] = sup_dual_affine_mul(&evaluation->globals[parent], &local);
    } else {
      evaluation->globals[j].v = sup_affined_product(&evaluation->globals[parent].v, &local.v, 1);
      memset(&evaluation->globals[j].d, 0, sizeof evaluation->globals[j].d);
    }
  }
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    const SupDualAffine *global = &evaluation->globals[skeleton->bone_joints[b]];
    SupDualAffine *bone = &evaluation->palette[b];
    bone->v = sup_affined_product(&global->v, &joints->inverse_bind[b], 1);
    bone->d = sup_affined_product(&global->d, &joints->inverse_bind[b], 1);
  }
}

static void add_image(const SupAffined *a, SupVec3d x, double w, double e, SupVec3d *io_sum) {
  const double *m = a->m;
  io_sum->x += w * (m[0] * x.x + m[3] * x.y + m[6] * x.z + e * m[9]);
  io_sum->y += w * (m[1] * x.x + m[4] * x.y + m[7] * x.z + e * m[10]);
  io_sum->z += w * (m[2] * x.x + m[5] * x.y + m[8] * x.z + e * m[11]);
}

void sup_rig_joints_skin(const SupRigJoints *joints, SupRigEvaluation *evaluation) {
  const SupSkin *skin = &joints->skin;
  for (uint32_t i = 0; i < joints->vertex_count; i++) {
    const uint32_t v = joints->vertices ? joints->vertices[i] : i;
    const SupVec3d x = evaluation->x[i];
    const SupVec3d dx = evaluation->moving ? evaluation->dx[i] : (SupVec3d){0, 0, 0};
    const bool shifted = dx.x != 0 || dx.y != 0 || dx.z != 0;
    SupVec3d sum = {0, 0, 0}, rate = {0, 0, 0};
    double total = 0; /* floats that sum to 1 within their rounding */
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      const uint32_t bone = skin->bones[k];
      const SupDualAffine *map = &evaluation->palette[bone];
      const double w = (double)skin->weights[k];
      total += w;
      add_image(&map->v, x, w, 1, &sum);
      if (!evaluation->moving) continue;
      if (shifted) add_image(&map->v, dx, w, 0, &rate);
      if (evaluation->turns[joints->skeleton.bone_joints[bone]]) {
        add_image(&map->d, x, w, 1, &rate);
      }
    }
    evaluation->x[i] = sup_vec3d_scale(sum, 1 / total);
    if (evaluation->moving) evaluation->dx[i] = sup_vec3d_scale(rate, 1 / total);
  }
}

/* ---- Morph targets -------------------------------------------------------------------------- */

void sup_rig_morphs_apply(const SupRigMorphs *morphs, SupRigEvaluation *evaluation) {
  for (uint32_t m = 0; m < morphs->morph_count; m++) {
    const double weight = evaluation->channels[morphs->first_channel + m];
    const double rate = evaluation->moving ? evaluation->rates[morphs->first_channel + m] : 0;
    if (weight == 0 && rate == 0) continue;
    for (uint32_t i = 0; i < morphs->vertex_count; i++) {
      const uint32_t v = morphs->vertices ? morphs->vertices[i] : i;
      const SupVec3d offset = sup_vec3_to_double(morphs->morphs[m].offsets[v]);
      evaluation->x[i] = sup_vec3d_add_scaled(evaluation->x[i], offset, weight);
      if (rate != 0) evaluation->dx[i] = sup_vec3d_add_scaled(evaluation->dx[i], offset, rate);
    }
  }
}
