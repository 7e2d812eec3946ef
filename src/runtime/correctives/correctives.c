/* SPDX-License-Identifier: MIT */
/* Correctives: from a pose to the weights of its morph targets. */
#include "supple/correctives.h"

#define ENTRIES 9

/* The rotation away from the rest pose, less the identity. */
static void read_joint(SupQuat rest, SupQuat now, float *out) {
  const SupQuat turn = sup_quat_mul(sup_quat_conjugate(rest), sup_quat_normalise(now));
  const SupMat3 m = sup_mat3_from_quat(turn);
  for (int i = 0; i < ENTRIES; i++) out[i] = m.m[i] - (i % 4 == 0 ? 1.0f : 0.0f);
}

/* Gravity as the bone feels it: its linear part transposed, divided by its size. */
static void read_bone(const SupAffine *bone, SupVec3 gravity, float *out) {
  const float *m = bone->m;
  for (int c = 0; c < 3; c++) {
    const float x = m[3 * c], y = m[3 * c + 1], z = m[3 * c + 2];
    const float length = sup_sqrtf(x * x + y * y + z * z);
    const float along = x * gravity.x + y * gravity.y + z * gravity.z;
    out[c] = length > 0 ? along / (length * SUP_CORRECTIVES_GRAVITY) : 0;
  }
}

static float turn_of(const SupCorrectivesAxis *axis, const float *joint) {
  float sum = axis->rest;
  for (int i = 0; i < ENTRIES; i++) sum += axis->factors[i] * joint[i];
  return sum > axis->high ? axis->high : sum > axis->low ? sum : axis->low;
}

/* out[pair_count + axis_count]. Turns wait where their squares will be. */
static void read_products(const SupCorrectivesView *model, const float *joints, float *out) {
  float *turns = out + model->pair_count;
  for (uint32_t a = 0; a < model->axis_count; a++) {
    turns[a] = turn_of(&model->axes[a], joints + (size_t)ENTRIES * model->axis_drivers[a]);
  }
  for (uint32_t k = 0; k < model->pair_count; k++) {
    const uint32_t a = model->pairs[2 * (size_t)k], b = model->pairs[2 * (size_t)k + 1];
    out[k] = turns[a] * turns[b] - model->axes[a].rest * model->axes[b].rest;
  }
  for (uint32_t a = 0; a < model->axis_count; a++) {
    const float rest = model->axes[a].rest;
    turns[a] = turns[a] * turns[a] - rest * rest;
  }
}

void sup_correctives_read(const SupCorrectivesView *model, const SupPose *pose,
                          const SupAffine *palette, SupVec3 gravity, float *out_features) {
  const uint32_t width = ENTRIES * model->driver_count;
  float *joints = out_features + 1, *bones = joints + width;
  float *products = bones + (size_t)3 * model->heavy_count;
  float *centres = products + model->pair_count + model->axis_count;
  out_features[0] = 1;
  for (uint32_t k = 0; k < model->driver_count; k++) {
    read_joint(model->rest[k], pose->joints[model->drivers[k]].rotation,
               joints + (size_t)ENTRIES * k);
  }
  for (uint32_t k = 0; k < model->heavy_count; k++) {
    read_bone(&palette[model->heavy[k]], gravity, bones + (size_t)3 * k);
  }
  read_products(model, joints, products);
  for (uint32_t k = 0; k < model->centre_count; k++) {
    const float *centre = model->centres + (size_t)(1 + width) * k;
    float sum = 0;
    for (uint32_t i = 0; i < width; i++) {
      const float d = joints[i] - centre[1 + i];
      sum += d * d;
    }
    centres[k] = 1 / (1 + sum * centre[0] * centre[0]);
  }
}

void sup_correctives_weights(const SupCorrectivesView *model, const float *features,
                             float *out_weights) {
  const uint32_t count = sup_correctives_features(model);
  for (uint32_t k = 0; k < model->component_count; k++) {
    const float *row = model->matrix + (size_t)count * k;
    float sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += row[i] * features[i];
    const float low = model->limits[2 * k], high = model->limits[2 * k + 1];
    out_weights[k] = sum > high ? high : sum > low ? sum : low; /* not a number: low */
  }
}
