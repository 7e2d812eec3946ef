/* SPDX-License-Identifier: MIT */
#include "fem/rest_volume.h"

#include <math.h>

#include "fem/harmonic_field.h"
#include "supple/pose.h"

/* The palette of the rest pose. */
static SupResult rest_palette(SupArena *arena, const SupSkeleton *skeleton, SupAffined *palette,
                              SupError *error) {
  SupPosed pose = {.joint_count = skeleton->joint_count};
  pose.joints = SUP_ALLOC(arena, SupTransformd, skeleton->joint_count);
  SupAffined *globals = SUP_ALLOC(arena, SupAffined, skeleton->joint_count);
  if (!pose.joints || !globals) return sup_fail_memory(error, "flesh");
  sup_pose_rest_f64(skeleton, &pose);
  sup_pose_evaluate_f64(skeleton, &pose, globals, palette);
  return SUP_OK;
}

SupResult sup_rest_scale(SupArena *arena, const SupCharacter *character, double *out_scale,
                         SupMat3d *out_turn, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  double *fractions = SUP_ALLOC(arena, double, skeleton->bone_count);
  SupAffined *palette = SUP_ALLOC(arena, SupAffined, skeleton->bone_count);
  if (!fractions || !palette) return sup_fail_memory(error, "flesh");
  SupResult result = rest_palette(arena, skeleton, palette, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < character->skin.offsets[character->skin.vertex_count]; k++) {
    fractions[character->skin.bones[k]] += (double)character->skin.weights[k];
  }
  double total = 0, scale = 0;
  SupMat3d mean = {{0}};
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    SupMat3d linear = sup_affined_linear(palette[b]);
    /* By the area that is seen: parts that the rest pose hides by a tiny scale do not count. */
    const double own = cbrt(fabs(sup_mat3d_determinant(linear)));
    scale += fractions[b] * own * own * own;
    total += fractions[b] * own * own;
    for (int k = 0; k < 9; k++) mean.m[k] += fractions[b] * linear.m[k];
  }
  scale = total > 0 ? scale / total : 0;
  if (!(scale > 0) || !isfinite(scale)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "the rest pose flattens the body: its scale is %g",
                    scale);
  }
  *out_scale = scale;
  if (out_turn) *out_turn = sup_mat3d_from_quat(sup_quatd_fit(mean, (SupQuatd){0, 0, 0, 1}));
  return SUP_OK;
}

typedef struct Factors {
  const SupSkin *skin;
  const float *by_vertex, *by_bone;
} Factors;

static void factor_row(const void *user, uint32_t v, float fraction, float *row) {
  const Factors *factors = (const Factors *)user;
  const SupSkin *skin = factors->skin;
  float factor = factors->by_vertex ? factors->by_vertex[v] : 1;
  if (factors->by_bone) {
    float mean = 0;
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      mean += skin->weights[k] * factors->by_bone[skin->bones[k]];
    }
    factor *= mean;
  }
  row[0] += fraction * factor;
}

SupResult sup_rest_stiffness(SupArena *arena, const SupCharacter *character, const SupFill *fill,
                             const float *by_vertex, const float *by_bone, double **out_factors,
                             SupError *error) {
  *out_factors = NULL;
  if (!by_vertex && !by_bone) return SUP_OK;
  const SupTetMesh *mesh = &fill->mesh;
  const Factors user = {&character->skin, by_vertex, by_bone};
  float *rows = SUP_ALLOC(arena, float, mesh->node_count);
  double *factors = SUP_ALLOC(arena, double, mesh->tet_count);
  if (!rows || !factors) return sup_fail_memory(error, "flesh");
  SupResult result = sup_harmonic_field(arena, fill, 1, factor_row, &user, rows, error);
  if (result != SUP_OK) return result;
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    double sum = 0;
    for (size_t a = 0; a < 4; a++) sum += (double)rows[mesh->tets[4 * (size_t)t + a]];
    factors[t] = sum > 0.04 ? sum / 4 : 0.01; /* flesh of no stiffness at all cannot be solved */
  }
  *out_factors = factors;
  return SUP_OK;
}

/* The bone with the greatest weight over the four nodes. */
static uint32_t main_bone(const SupFill *fill, const SupAttachment *attachment, uint32_t t) {
  uint32_t best = 0;
  float most = -1;
  const uint32_t *nodes = fill->mesh.tets + 4 * (size_t)t;
  for (size_t i = 0; i < 4 * SUP_ATTACH_BONES; i++) {
    uint32_t bone =
        attachment
            ->bones[SUP_ATTACH_BONES * (size_t)nodes[i / SUP_ATTACH_BONES] + i % SUP_ATTACH_BONES];
    float sum = 0;
    for (size_t a = 0; a < 4; a++) {
      size_t at = SUP_ATTACH_BONES * (size_t)nodes[a];
      for (size_t k = at; k < at + SUP_ATTACH_BONES; k++) {
        if (attachment->bones[k] == bone) sum += attachment->weights[k];
      }
    }
    if (sum > most || (sum == most && bone < best)) {
      most = sum;
      best = bone;
    }
  }
  return best;
}

SupResult sup_rest_bones(SupArena *arena, const SupFill *fill, const SupAttachment *attachment,
                         uint32_t **out_bones, SupError *error) {
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, fill->mesh.tet_count);
  if (!bones) return sup_fail_memory(error, "flesh of bones");
  for (uint32_t t = 0; t < fill->mesh.tet_count; t++) bones[t] = main_bone(fill, attachment, t);
  *out_bones = bones;
  return SUP_OK;
}
