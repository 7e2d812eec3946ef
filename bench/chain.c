/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include "supple/math.h"

static double *random_numbers(SupArena *arena, SupRng *rng, size_t count, double size) {
  double *out = SUP_ALLOC(arena, double, count);
  for (size_t k = 0; out && k < count; k++) out[k] = size * (2 * sup_rng_double(rng) - 1);
  return out;
}

bool chain_helper(SupArena *arena, SupRng *rng, uint32_t h, uint32_t states, double push,
                  SupHelperDef *out_helper) {
  uint32_t *inputs = SUP_ALLOC(arena, uint32_t, CHAIN_INPUTS);
  uint32_t *terms = SUP_ALLOC(arena, uint32_t, CHAIN_TERMS);
  double *a = random_numbers(arena, rng, (size_t)states * states, 0.05);
  double *b = random_numbers(arena, rng, (size_t)states * (CHAIN_INPUTS + 1), push);
  double *c = random_numbers(arena, rng, 6 * (size_t)states, 0.05);
  double *d = random_numbers(arena, rng, 6 * (CHAIN_INPUTS + 1), 0.1 * push);
  double *fixed = random_numbers(arena, rng, 6 * (1 + CHAIN_TERMS), 0.02);
  if (!inputs || !terms || !a || !b || !c || !d || !fixed) return false;
  for (uint32_t k = 0; k < CHAIN_INPUTS; k++) {
    inputs[k] =
        sup_helpers_frame_input(CHAIN_JOINTS, CHAIN_JOINTS, h % CHAIN_JOINTS, SUP_HELPERS_PUSH + k);
  }
  for (uint32_t k = 0; k < CHAIN_TERMS; k++) terms[k] = CHAIN_TERMS * h + k;
  for (uint32_t k = 0; k < states; k++) a[(size_t)states * k + k] += 0.6;
  *out_helper = (SupHelperDef){.joint = CHAIN_JOINTS + h,
                               .rest = sup_transform_identity(),
                               .state_count = states,
                               .input_count = CHAIN_INPUTS,
                               .inputs = inputs,
                               .a = a,
                               .b = b,
                               .c = c,
                               .d = d,
                               .feature_count = CHAIN_TERMS,
                               .features = terms,
                               .static_part = fixed};
  for (int k = 0; k < 6; k++) {
    out_helper->range[2 * k] = -100, out_helper->range[2 * k + 1] = 100;
  }
  return true;
}

static void fill_terms(uint32_t h, uint32_t *out) {
  const uint32_t one = sup_helpers_inputs(CHAIN_JOINTS, CHAIN_JOINTS) - 1;
  uint32_t r[3], w[3];
  for (uint32_t c = 0; c < 3; c++) {
    r[c] = sup_helpers_turn_input(CHAIN_JOINTS, h % CHAIN_JOINTS, c);
    w[c] = sup_helpers_turn_input(CHAIN_JOINTS, (h + 1) % CHAIN_JOINTS, c);
  }
  const uint32_t all[CHAIN_TERMS][3] = {
      {r[0], one, one},  {r[1], one, one},  {r[2], one, one},  {r[0], r[0], one}, {r[0], r[1], one},
      {r[0], r[2], one}, {r[1], r[1], one}, {r[1], r[2], one}, {r[2], r[2], one}, {w[0], one, one},
      {w[1], one, one},  {w[2], one, one},  {w[0], w[1], one}, {w[0], w[1], w[2]}};
  for (uint32_t k = 0; k < 3 * CHAIN_TERMS; k++) out[k] = all[k / 3][k % 3];
}

static SupResult pack(SupArena *arena, uint32_t helper_count, const SupHelperDef *helpers,
                      double most, uint32_t materials, SupModel **out_model, SupError *error) {
  static const SupVec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  static const uint32_t triangle[3] = {0, 1, 2}, offsets[4] = {0, 1, 2, 3}, bones[3] = {0, 1, 2};
  static const float weights[3] = {1, 1, 1};
  const uint32_t joints = CHAIN_JOINTS + helper_count;
  const uint32_t inputs = sup_helpers_inputs(CHAIN_JOINTS, CHAIN_JOINTS);
  SupTransform rest[CHAIN_JOINTS + CHAIN_HELPERS];
  uint32_t turns[CHAIN_JOINTS], features[3 * CHAIN_TERMS * CHAIN_HELPERS];
  SupHelpersFrame frames[CHAIN_JOINTS];
  double *box = SUP_ALLOC(arena, double, 2 * (size_t)inputs);
  if (!box) return sup_fail_memory(error, "a chain of helpers");
  for (uint32_t i = 0; i < inputs; i++) box[i] = -most, box[inputs + i] = most;
  for (uint32_t j = 0; j < joints; j++) rest[j] = sup_transform_identity();
  for (uint32_t j = 0; j < CHAIN_JOINTS; j++) {
    turns[j] = j;
    frames[j] = (SupHelpersFrame){j, {0.1f, 0.2f, 0}};
  }
  for (uint32_t h = 0; h < helper_count; h++) fill_terms(h, features + 3 * CHAIN_TERMS * h);
  const SupCharacter character = {
      .name = "chain",
      .skeleton = {.joint_count = joints, .bone_count = joints, .rest = rest},
      .body = {.vertex_count = 3, .triangle_count = 1, .positions = corners, .triangles = triangle},
      .skin = {3, 1, offsets, bones, weights}};
  SupHelpersDef def = sup_helpers_def();
  def.turn_count = def.frame_count = CHAIN_JOINTS;
  def.turns = turns;
  def.frames = frames;
  def.feature_count = CHAIN_TERMS * helper_count;
  def.features = features;
  def.box = box;
  def.helper_count = helper_count;
  def.helpers = helpers;
  if (materials == 1) return sup_helpers_pack(arena, &character, &def, out_model, error);
  SupHelpersDef firm = def;
  firm.helpers = helpers + helper_count;
  const SupHelpersMaterialDef two[2] = {{"soft", 1, &def}, {"firm", 1.3, &firm}};
  return sup_helpers_pack_materials(arena, &character, 2, two, out_model, error);
}

SupResult chain_pack(SupArena *arena, uint32_t helper_count, const SupHelperDef *helpers,
                     double most, SupModel **out_model, SupError *error) {
  return pack(arena, helper_count, helpers, most, 1, out_model, error);
}

SupResult chain_pack_two(SupArena *arena, uint32_t helper_count, const SupHelperDef *helpers,
                         double most, SupModel **out_model, SupError *error) {
  return pack(arena, helper_count, helpers, most, 2, out_model, error);
}
