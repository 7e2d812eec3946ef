/* SPDX-License-Identifier: MIT */
/* A model of helper joints for the tests and benches of batches. */
#include <stdio.h>
#include <stdlib.h>

#include "crowd.h"
#include "supple/author/helpers_pack.h"

enum { OWN = CROWD_JOINTS, INPUTS = 6, TERMS = 14, MOST = 8 };

static void stop_on(SupResult result, const SupError *error) {
  if (!result) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

static double *numbers(SupArena *arena, SupRng *rng, size_t count, double size) {
  double *out = SUP_ALLOC(arena, double, count);
  for (size_t k = 0; k < count; k++) out[k] = size * (2 * sup_rng_double(rng) - 1);
  return out;
}

/* Driven by how a joint is pushed and whirled; posed by products of its turn and the next one's. */
static SupHelperDef make_helper(SupArena *arena, SupRng *rng, uint32_t h, uint32_t states) {
  uint32_t *inputs = SUP_ALLOC(arena, uint32_t, INPUTS), *terms = SUP_ALLOC(arena, uint32_t, TERMS);
  double *a = numbers(arena, rng, (size_t)states * states, 0.05);
  for (uint32_t k = 0; k < INPUTS; k++) {
    inputs[k] = sup_helpers_frame_input(OWN, OWN, h % OWN, SUP_HELPERS_PUSH + k);
  }
  for (uint32_t k = 0; k < TERMS; k++) terms[k] = TERMS * h + k;
  for (uint32_t k = 0; k < states; k++) a[(size_t)states * k + k] += 0.6;
  SupHelperDef out = {.joint = OWN + h,
                      .rest = {{0, 0.1f * (float)h, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                      .state_count = states,
                      .input_count = INPUTS,
                      .inputs = inputs,
                      .a = a,
                      .b = numbers(arena, rng, (size_t)states * (INPUTS + 1), 0.01),
                      .c = numbers(arena, rng, 6 * (size_t)states, 0.05),
                      .d = numbers(arena, rng, 6 * (INPUTS + 1), 0.001),
                      .feature_count = TERMS,
                      .features = terms,
                      .static_part = numbers(arena, rng, 6 * (1 + TERMS), 0.02)};
  for (int k = 0; k < 6; k++) out.range[2 * k] = -100, out.range[2 * k + 1] = 100;
  out.range[0] = -0.01, out.range[1] = 0.01; /* a limit that acts */
  return out;
}

static void fill_terms(uint32_t h, uint32_t *out) {
  const uint32_t one = sup_helpers_inputs(OWN, OWN) - 1;
  uint32_t r[3], w[3];
  for (uint32_t c = 0; c < 3; c++) {
    r[c] = sup_helpers_turn_input(OWN, h % OWN, c);
    w[c] = sup_helpers_turn_input(OWN, (h + 1) % OWN, c);
  }
  const uint32_t all[TERMS][3] = {
      {r[0], one, one},  {r[1], one, one},  {r[2], one, one},  {r[0], r[0], one}, {r[0], r[1], one},
      {r[0], r[2], one}, {r[1], r[1], one}, {r[1], r[2], one}, {r[2], r[2], one}, {w[0], one, one},
      {w[1], one, one},  {w[2], one, one},  {w[0], w[1], one}, {w[0], w[1], w[2]}};
  for (uint32_t k = 0; k < 3 * TERMS; k++) out[k] = all[k / 3][k % 3];
}

SupModel *crowd_helpers(SupArena *arena, uint32_t helper_count, uint32_t states) {
  static const SupVec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  static const uint32_t triangle[3] = {0, 1, 2}, offsets[4] = {0, 1, 2, 3}, bones[3] = {0, 1, 2};
  static const float weights[3] = {1, 1, 1};
  SupTransform rest[OWN + MOST];
  uint32_t turns[OWN], features[3 * TERMS * MOST];
  SupHelpersFrame frames[OWN];
  SupHelperDef helpers[MOST];
  SupRng rng = sup_rng(states, helper_count);
  const uint32_t inputs = sup_helpers_inputs(OWN, OWN);
  double *box = SUP_ALLOC(arena, double, 2 * (size_t)inputs);
  for (uint32_t i = 0; i < inputs; i++) box[i] = -60, box[inputs + i] = 60;
  for (uint32_t j = 0; j < OWN + helper_count; j++) rest[j] = sup_transform_identity();
  for (uint32_t j = 0; j < OWN; j++) {
    turns[j] = j;
    frames[j] = (SupHelpersFrame){j, {0.1f, 0.2f, 0}};
  }
  for (uint32_t h = 0; h < helper_count; h++) {
    fill_terms(h, features + (size_t)(3 * TERMS) * h);
    helpers[h] = make_helper(arena, &rng, h, states);
  }
  const uint32_t joints = OWN + helper_count;
  const SupCharacter character = {
      .name = "chain",
      .skeleton = {.joint_count = joints, .bone_count = joints, .rest = rest},
      .body = {.vertex_count = 3, .triangle_count = 1, .positions = corners, .triangles = triangle},
      .skin = {3, 1, offsets, bones, weights}};
  SupHelpersDef def = sup_helpers_def();
  def.turn_count = def.frame_count = OWN;
  def.turns = turns;
  def.frames = frames;
  def.feature_count = TERMS * helper_count;
  def.features = features;
  def.box = box;
  def.helper_count = helper_count;
  def.helpers = helpers;
  SupModel *model = NULL;
  SupError error;
  stop_on(sup_helpers_pack(arena, &character, &def, &model, &error), &error);
  return model;
}

void crowd_joints(uint32_t character, double seconds, uint32_t joint_count, SupTransform *joints,
                  SupAffine *globals) {
  for (uint32_t j = 0; j < joint_count; j++) {
    SupRng rng = sup_rng(character, 100 + j);
    const SupVec3 axis = sup_vec3_normalise((SupVec3){
        sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f});
    const double t = 2 * SUP_PI * seconds * (0.7 + 0.6 * sup_rng_double(&rng));
    joints[j] = sup_transform_identity();
    if (j < OWN) {
      joints[j].translation = (SupVec3){0.05f * (float)sup_sin(t), 0.5f, 0};
      joints[j].rotation = sup_quat_from_axis_angle(axis, 0.6f * (float)sup_sin(t + j));
    }
    const SupAffine local = sup_affine_compose(joints[j]);
    globals[j] = j > 0 && j < OWN ? sup_affine_mul(globals[j - 1], local) : local;
  }
}
