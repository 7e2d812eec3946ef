/* SPDX-License-Identifier: MIT */
#include "puppet.h"

#include <math.h>
#include <string.h>

#include "supple/author/builtin.h"
#include "supple/author/segments.h"
#include "supple/io/file.h"

SupSurfaceDef puppet_def(void) {
  SupSurfaceDef def = sup_surface_def();
  static const float values[5] = {0.1f, 0.15f, 0.1f, 0.1f, 0.08f};
  for (int k = 0; k < 5; k++) def.values[k] = values[k];
  return def;
}

/* Each character is made once, for all tests of a program. */
static const SupCharacter *mochi_of(uint32_t vertices) {
  static SupArena arena;
  static SupCharacter made[4];
  static uint32_t sizes[4], count;
  for (uint32_t k = 0; k < count; k++) {
    if (sizes[k] == vertices) return &made[k];
  }
  assert_true(count < 4);
  if (count == 0) sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {"mochi", vertices, NULL};
  SupError error;
  if (sup_builtin_character(&arena, &def, &made[count], &error)) fail_msg("%s", error.text);
  sizes[count] = vertices;
  return &made[count++];
}

static void fill_segments(Puppet *p, SupSurfaceDef *def) {
  const SupSegment *from;
  SupError error;
  if (sup_segments_create(&p->arena, &p->character, &from, &def->segment_count, &error)) {
    fail_msg("%s", error.text);
  }
  SupSurfaceSegment *to = SUP_ALLOC(&p->arena, SupSurfaceSegment, def->segment_count);
  for (uint32_t k = 0; k < def->segment_count; k++) {
    to[k] = (SupSurfaceSegment){from[k].bone, from[k].a, from[k].b};
  }
  def->segments = to;
}

void puppet_make(Puppet *p, uint32_t vertices, const SupSurfaceDef *def, bool render) {
  *p = (Puppet){0};
  sup_arena_init(&p->arena, sup_heap_allocator(), 0);
  SupError error;
  SupSurfaceDef own = *def;
  p->character = *mochi_of(vertices);
  if (!own.segments) fill_segments(p, &own);
  if (sup_surface_pack(&p->arena, &p->character, &own, &p->model, &error)) {
    fail_msg("%s", error.text);
  }
  for (uint32_t k = 0; k < p->character.clip_count; k++) {
    if (!strcmp(p->character.clips[k].name, "jump")) p->clip = &p->character.clips[k];
  }
  assert_non_null(p->clip);
  p->models[0] = p->model;
  p->def = sup_stack_def();
  p->def.skeleton = &p->character.skeleton;
  p->def.model_count = 1;
  p->def.models = p->models;
  const SupRender *r = &p->character.render;
  if (render) {
    p->def.render = (SupStackRender){r->vertex_count, r->to_body, r->normals, r->tangents};
  }
  p->vertices = render ? r->vertex_count : p->character.body.vertex_count;
  p->joints = SUP_ALLOC(&p->arena, SupTransform, p->character.skeleton.joint_count);
  p->pose = (SupPose){p->character.skeleton.joint_count, sup_transform_identity(), p->joints};
  sup_pose_rest(&p->character.skeleton, &p->pose);
  p->positions = SUP_ALLOC(&p->arena, SupVec3, p->vertices);
  p->normals = SUP_ALLOC(&p->arena, SupVec3, p->vertices);
  p->goal = SUP_ALLOC(&p->arena, SupVec3, p->vertices);
  puppet_stack(p);
}

void puppet_free(Puppet *p) { sup_arena_free(&p->arena); }

void puppet_stack(Puppet *p) {
  SupError error;
  if (sup_stack_make(&p->def, &p->stack, &error)) fail_msg("%s", error.text);
}

SupStackState *puppet_state(Puppet *p) {
  void *block = sup_arena_alloc(&p->arena, sup_stack_bytes(&p->stack), 1);
  assert_non_null(block);
  return sup_stack_init(&p->stack, block);
}

void puppet_pose(Puppet *p, double time) {
  const SupTransform root = p->pose.root;
  sup_pose_rest(&p->character.skeleton, &p->pose);
  sup_clip_sample(p->clip, (float)time, true, NULL, &p->pose, NULL);
  p->pose.root = root;
}

void puppet_step(Puppet *p, SupStackState *state, double dt) {
  const SupStackFrame frame = {.dt = (float)dt,
                               .pose = &p->pose,
                               .positions = {&p->positions[0].x, 3},
                               .normals = {&p->normals[0].x, 3}};
  sup_stack_step(&p->stack, state, sup_backend_cpu(), NULL, &frame);
}

void puppet_goal(Puppet *p) {
  const SupSkeleton *skeleton = &p->character.skeleton;
  SupAffine globals[128], palette[128];
  assert_true(skeleton->joint_count <= 128 && skeleton->bone_count <= 128);
  sup_pose_evaluate(skeleton, &p->pose, globals, palette);
  for (uint32_t i = 0; i < p->vertices; i++) {
    const uint32_t v = p->def.render.vertex_count ? p->def.render.to_body[i] : i;
    const SupSkin *skin = &p->character.skin;
    SupVec3 sum = {0, 0, 0};
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      const SupVec3 x = sup_affine_point(palette[skin->bones[k]], p->character.body.positions[v]);
      sum = sup_vec3_add_scaled(sum, x, skin->weights[k]);
    }
    p->goal[i] = sum;
  }
}

double puppet_distance(const Puppet *p, const SupVec3 *a, const SupVec3 *b) {
  double most = 0;
  for (uint32_t v = 0; v < p->vertices; v++) {
    most = fmax(most, (double)sup_vec3_distance(a[v], b[v]));
  }
  return most;
}
