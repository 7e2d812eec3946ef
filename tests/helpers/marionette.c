/* SPDX-License-Identifier: MIT */
#include "marionette.h"

enum { SIDE = 5, VERTICES = SIDE * SIDE };

static bool make_body(SupArena *arena, uint32_t bones, SupCharacter *c) {
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, VERTICES);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 6 * (SIDE - 1) * (SIDE - 1));
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, VERTICES + 1);
  uint32_t *of = SUP_ALLOC(arena, uint32_t, VERTICES);
  float *weights = SUP_ALLOC(arena, float, VERTICES);
  if (!positions || !triangles || !offsets || !of || !weights) return false;
  uint32_t used = 0;
  for (uint32_t v = 0; v < VERTICES; v++) {
    const uint32_t x = v % SIDE, y = v / SIDE;
    positions[v] = (SupVec3){0.1f * (float)x, 0.1f * (float)y, 0.01f * (float)(x * y)};
    offsets[v + 1] = v + 1;
    of[v] = v % bones;
    weights[v] = 1;
    if (x + 1 == SIDE || y + 1 == SIDE) continue;
    const uint32_t quad[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
    for (int k = 0; k < 6; k++) triangles[used++] = quad[k];
  }
  c->body = (SupMesh){.vertex_count = VERTICES,
                      .triangle_count = used / 3,
                      .positions = positions,
                      .triangles = triangles};
  c->skin = (SupSkin){VERTICES, 1, offsets, of, weights};
  return true;
}

static bool make_skeleton(SupArena *arena, uint32_t own, uint32_t helpers, SupSkeleton *out) {
  const uint32_t joints = own + helpers;
  int32_t *parents = SUP_ALLOC(arena, int32_t, joints);
  SupTransform *rest = SUP_ALLOC(arena, SupTransform, joints);
  const char **names = SUP_ALLOC(arena, const char *, joints);
  uint32_t *bone_joints = SUP_ALLOC(arena, uint32_t, joints);
  SupAffine *unbind = SUP_ALLOC(arena, SupAffine, joints);
  if (!parents || !rest || !names || !bone_joints || !unbind) return false;
  for (uint32_t j = 0; j < joints; j++) {
    /* The last helper hangs below the one before it. */
    const bool below = j + 1 == joints && helpers > 1;
    parents[j] = j < own ? (int32_t)j - 1 : below ? (int32_t)j - 1 : (int32_t)((j - own) % own);
    rest[j] = sup_transform_identity();
    rest[j].translation = (SupVec3){0.05f * (float)(j % 3), 0.2f, 0};
    names[j] = "joint";
    bone_joints[j] = j;
    unbind[j] = sup_affine_identity();
  }
  *out = (SupSkeleton){joints, joints, parents, rest, names, bone_joints, unbind};
  return true;
}

static double *numbers(SupArena *arena, SupRng *rng, size_t count, double size) {
  double *out = SUP_ALLOC(arena, double, count);
  for (size_t k = 0; out && k < count; k++) out[k] = size * (2 * sup_rng_double(rng) - 1);
  return out;
}

static bool make_helper(SupArena *arena, SupRng *rng, const Marionette *p, uint32_t h,
                        uint32_t states, SupHelperDef *out) {
  const uint32_t inputs = 9, features = p->def.feature_count;
  uint32_t *list = SUP_ALLOC(arena, uint32_t, inputs);
  uint32_t *terms = SUP_ALLOC(arena, uint32_t, features);
  double *a = SUP_ALLOC(arena, double, (size_t)states *states);
  if (!list || !terms || !a) return false;
  const uint32_t frame = h % p->def.frame_count;
  for (uint32_t k = 0; k < 6; k++) {
    list[k] =
        sup_helpers_frame_input(p->def.turn_count, p->def.frame_count, frame, SUP_HELPERS_PUSH + k);
  }
  for (uint32_t k = 0; k < 3; k++) {
    list[6 + k] = sup_helpers_turn_input(p->def.turn_count, h % p->def.turn_count, k);
  }
  for (uint32_t k = 0; k < features; k++) terms[k] = k;
  for (uint32_t k = 0; k + 1 < states; k += 2) {
    const double c = 0.9 * sup_cos(0.2 + 0.3 * k), s = 0.9 * sup_sin(0.2 + 0.3 * k);
    a[states * k + k] = a[states * (k + 1) + k + 1] = c;
    a[states * k + k + 1] = s;
    a[states * (k + 1) + k] = -s;
    if (k > 0) a[states * k] = 0.05;
  }
  *out = (SupHelperDef){.joint = p->own + h,
                        .rest = p->character.skeleton.rest[p->own + h],
                        .state_count = states,
                        .input_count = inputs,
                        .inputs = list,
                        .a = a,
                        .b = numbers(arena, rng, (size_t)states * (inputs + 1), 0.01),
                        .c = numbers(arena, rng, (size_t)6 * states, 0.05),
                        .d = numbers(arena, rng, (size_t)6 * (inputs + 1), 0.001),
                        .feature_count = features,
                        .features = terms,
                        .static_part = numbers(arena, rng, (size_t)6 * (1 + features), 0.02)};
  for (int k = 0; k < 6; k++) out->range[2 * k] = -3, out->range[2 * k + 1] = 3;
  return out->b && out->c && out->d && out->static_part;
}

bool marionette_make(SupArena *arena, uint32_t own, uint32_t helpers, uint32_t states,
                     Marionette *out) {
  Marionette p = {.own = own};
  SupRng rng = sup_rng(11, own + 100 * helpers);
  p.character.name = "marionette";
  p.def = sup_helpers_def();
  p.def.turn_count = own;
  p.def.frame_count = own;
  p.def.helper_count = helpers;
  p.def.feature_count = 4 * own;
  const uint32_t inputs = sup_helpers_inputs(own, own);
  uint32_t *turns = SUP_ALLOC(arena, uint32_t, own);
  SupHelpersFrame *frames = SUP_ALLOC(arena, SupHelpersFrame, own);
  uint32_t *features = SUP_ALLOC(arena, uint32_t, 3 * (size_t)p.def.feature_count);
  double *box = SUP_ALLOC(arena, double, 2 * (size_t)inputs);
  SupHelperDef *defs = SUP_ALLOC(arena, SupHelperDef, helpers);
  if (!turns || !frames || !features || !box || !defs ||
      !make_skeleton(arena, own, helpers, &p.character.skeleton) ||
      !make_body(arena, own + helpers, &p.character)) {
    return false;
  }
  for (uint32_t t = 0; t < own; t++) {
    turns[t] = t;
    frames[t] = (SupHelpersFrame){t, {0.1f, 0.02f * (float)t, 0}};
    const uint32_t one = inputs - 1, x = sup_helpers_turn_input(own, t, 0);
    const uint32_t y = sup_helpers_turn_input(own, t, 1), z = sup_helpers_turn_input(own, t, 2);
    const uint32_t terms[12] = {x, one, one, y, one, one, z, z, one, x, y, z};
    for (int k = 0; k < 12; k++) features[12 * t + (uint32_t)k] = terms[k];
  }
  for (uint32_t i = 0; i < inputs; i++) box[i] = -30, box[inputs + i] = 30;
  p.def.turns = turns;
  p.def.frames = frames;
  p.def.features = features;
  p.def.box = box;
  p.def.helpers = defs;
  for (uint32_t h = 0; h < helpers; h++) {
    if (!make_helper(arena, &rng, &p, h, states, &defs[h])) return false;
  }
  if (sup_helpers_pack(arena, &p.character, &p.def, &p.model, NULL) != SUP_OK) return false;
  p.view = sup_helpers_view(p.model);
  *out = p;
  return true;
}

void marionette_pose(const Marionette *marionette, double time, uint32_t who, SupTransform *joints,
                     SupAffine *globals) {
  const SupSkeleton *skeleton = &marionette->character.skeleton;
  const float t = (float)time, w = (float)who;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    joints[j] = skeleton->rest[j];
    if (j >= marionette->own) continue;
    const SupVec3 turn = {0.5f * sup_sinf(3 * t + (float)j + w), 0.3f * sup_cosf(2 * t - w),
                          0.2f * sup_sinf(5 * t + 2 * w)};
    joints[j].rotation = sup_quat_mul(joints[j].rotation, sup_quat_exp(turn));
    if (j == 0) {
      joints[j].translation.x += 0.3f * sup_sinf(4 * t + w);
      joints[j].translation.y += 0.1f * sup_sinf(9 * t);
    }
  }
  const SupPose pose = {skeleton->joint_count, sup_transform_identity(), joints};
  sup_pose_globals(skeleton, &pose, globals);
}
