/* SPDX-License-Identifier: MIT */
#include "dancer.h"

#include <math.h>

#include "supple/author/builtin.h"
#include "supple/io/file.h"
#include "supple/popping.h"
#include "supple/pose.h"

void dancer_bend(Dancer *d, float angle) {
  const SupSkeleton *skeleton = &d->character.skeleton;
  sup_pose_rest(skeleton, &d->pose);
  for (uint32_t j = 1; j < skeleton->joint_count; j++) {
    const SupVec3 turn = {angle, 0.2f * angle * (float)(j % 2), 0};
    d->pose.joints[j].rotation =
        sup_quat_mul(sup_quat_normalise(skeleton->rest[j].rotation), sup_quat_exp(turn));
  }
  sup_pose_evaluate(skeleton, &d->pose, d->globals, d->palette);
}

void dancer_pose(Dancer *d, uint32_t pair) { dancer_bend(d, 0.45f * (float)pair); }

SupVec3 dancer_place(const Dancer *d, uint32_t v, SupVec3 offset) {
  const SupSkin *skin = &d->character.skin;
  const SupVec3 rest = sup_vec3_add(d->character.body.positions[v], offset);
  SupVec3 sum = {0, 0, 0};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    sum = sup_vec3_add_scaled(sum, sup_affine_point(d->palette[skin->bones[k]], rest),
                              skin->weights[k]);
  }
  return sum;
}

/* A small change of shape with the pose, and a belly that swells: more the more it is bent. */
static SupVec3 relaxed_law(SupVec3 p, uint32_t pair) {
  return (SupVec3){0.004f * (float)pair * sup_sinf(11 * p.y), 0, 0.003f * (float)pair};
}

static SupVec3 bulge_law(SupVec3 p, uint32_t pair, float middle) {
  const float y = (p.y - middle) / 0.15f, size = 0.02f * (1 + 0.5f * (float)pair);
  const float swell = y * y < 1 ? size * (1 - y * y) * (1 - y * y) : 0;
  const float length = sup_sqrtf(p.x * p.x + p.z * p.z) + 1e-3f;
  return (SupVec3){swell * p.x / length, 0, swell * p.z / length};
}

static void make_pairs(Dancer *d) {
  const SupMesh *body = &d->character.body;
  const uint32_t joints = d->character.skeleton.joint_count;
  float low = 1e9f, high = -1e9f;
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    low = fminf(low, body->positions[v].y);
    high = fmaxf(high, body->positions[v].y);
  }
  for (uint32_t k = 0; k < DANCER_PAIRS; k++) {
    SupTransform *pose = SUP_ALLOC(&d->arena, SupTransform, joints);
    d->shapes[k][0] = SUP_ALLOC(&d->arena, SupVec3, body->vertex_count);
    d->shapes[k][1] = SUP_ALLOC(&d->arena, SupVec3, body->vertex_count);
    dancer_pose(d, k);
    for (uint32_t j = 0; j < joints; j++) pose[j] = d->pose.joints[j];
    for (uint32_t v = 0; v < body->vertex_count; v++) {
      const SupVec3 p = body->positions[v], relaxed = relaxed_law(p, k);
      d->shapes[k][0][v] = dancer_place(d, v, relaxed);
      d->shapes[k][1][v] =
          dancer_place(d, v, sup_vec3_add(relaxed, bulge_law(p, k, low + 0.7f * (high - low))));
    }
    d->pairs[k] =
        (SupPoppingPair){.pose = pose, .relaxed = d->shapes[k][0], .clenched = d->shapes[k][1]};
  }
}

Dancer *dancer_create(const char *name, uint32_t vertices) {
  Dancer *d = calloc(1, sizeof *d);
  SupError error;
  assert_non_null(d);
  sup_arena_init(&d->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef builtin = {.name = name, .vertices = vertices};
  if (sup_builtin_character(&d->arena, &builtin, &d->character, &error)) fail_msg("%s", error.text);
  const SupSkeleton *skeleton = &d->character.skeleton;
  d->backend = sup_backend_cpu();
  d->pose = (SupPose){skeleton->joint_count, sup_transform_identity(),
                      SUP_ALLOC(&d->arena, SupTransform, skeleton->joint_count)};
  d->globals = SUP_ALLOC(&d->arena, SupAffine, skeleton->joint_count);
  d->palette = SUP_ALLOC(&d->arena, SupAffine, skeleton->bone_count);
  make_pairs(d);
  d->def = sup_popping_train_def(&d->character);
  d->def.pair_count = DANCER_PAIRS;
  d->def.pairs = d->pairs;
  return d;
}

void dancer_free(Dancer *dancer) {
  sup_arena_free(&dancer->arena);
  free(dancer);
}

SupModel *dancer_model(Dancer *dancer) {
  SupModel *model;
  SupError error;
  if (sup_popping_train(&dancer->arena, &dancer->def, &model, &dancer->report, &error)) {
    fail_msg("%s", error.text);
  }
  return model;
}

Show show_begin(Dancer *dancer, const SupModel *a, const SupModel *b, const SupModel *c) {
  const SupModel *given[3] = {a, b, c};
  const SupModel **models = SUP_ALLOC(&dancer->arena, const SupModel *, 3);
  Show show = {.dancer = dancer};
  SupError error;
  SupStackDef def = sup_stack_def();
  for (int k = 0; k < 3; k++) {
    if (given[k]) models[def.model_count++] = given[k];
  }
  def.skeleton = &dancer->character.skeleton;
  def.models = models;
  if (sup_stack_make(&def, &show.stack, &error)) fail_msg("%s", error.text);
  show.state =
      sup_stack_init(&show.stack, SUP_ALLOC(&dancer->arena, char, sup_stack_bytes(&show.stack)));
  show.positions = SUP_ALLOC(&dancer->arena, float, 3 * (size_t)show.stack.vertex_count);
  show.normals = SUP_ALLOC(&dancer->arena, float, 3 * (size_t)show.stack.vertex_count);
  return show;
}

void show_frame(Show *show, double dt, uint32_t count, const SupPoppingEvent *events) {
  const SupPoppingControls muscles = {count, events};
  const SupStackControl control = {SUP_POPPING_KIND, &muscles};
  const SupStackFrame frame = {.dt = (float)dt,
                               .pose = &show->dancer->pose,
                               .control_count = 1,
                               .controls = &control,
                               .positions = {show->positions, 3},
                               .normals = {show->normals, 3}};
  sup_stack_step(&show->stack, show->state, show->dancer->backend, NULL, &frame);
}
