/* SPDX-License-Identifier: MIT */
#include "pose_law.h"

#include <math.h>

#include "supple/author/builtin.h"
#include "supple/io/file.h"

Lesson *lesson_create(const char *name, uint32_t vertices) {
  Lesson *l = calloc(1, sizeof *l);
  SupError error;
  assert_non_null(l);
  sup_arena_init(&l->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef builtin = {.name = name, .vertices = vertices};
  if (sup_builtin_character(&l->arena, &builtin, &l->character, &error)) fail_msg("%s", error.text);
  const SupSkeleton *skeleton = &l->character.skeleton;
  l->pose = (SupPose){skeleton->joint_count, sup_transform_identity(),
                      SUP_ALLOC(&l->arena, SupTransform, skeleton->joint_count)};
  l->globals = SUP_ALLOC(&l->arena, SupAffine, skeleton->joint_count);
  l->palette = SUP_ALLOC(&l->arena, SupAffine, skeleton->bone_count);
  l->positions = SUP_ALLOC(&l->arena, SupVec3, l->character.body.vertex_count);
  l->rng = sup_rng(11, 4);
  l->bend = 1;
  return l;
}

void lesson_free(Lesson *lesson) {
  sup_arena_free(&lesson->arena);
  free(lesson);
}

static float spread(Lesson *l, double range) {
  return (float)(range * (2 * sup_rng_double(&l->rng) - 1));
}

void lesson_random_pose(Lesson *l, double range) {
  const SupSkeleton *skeleton = &l->character.skeleton;
  const bool heavy = l->gravity.x != 0 || l->gravity.y != 0 || l->gravity.z != 0;
  sup_pose_rest(skeleton, &l->pose);
  for (uint32_t j = heavy ? 0 : 1; j < skeleton->joint_count; j++) {
    const double r = j == 0 ? 3 : range;
    const SupVec3 turn = {spread(l, r), spread(l, r), spread(l, r)};
    l->pose.joints[j].rotation =
        sup_quat_mul(sup_quat_normalise(skeleton->rest[j].rotation), sup_quat_exp(turn));
  }
}

/* The entry of joint j's rotation that the law looks at. */
static float entry(const Lesson *l, uint32_t j, int k) {
  const SupQuat rest = sup_quat_normalise(l->character.skeleton.rest[j].rotation);
  const SupMat3 m =
      sup_mat3_from_quat(sup_quat_mul(sup_quat_conjugate(rest), l->pose.joints[j].rotation));
  return m.m[k] - (k % 4 == 0 ? 1.0f : 0.0f);
}

/* How far joint j turns about one axis: the sine. */
static float turn(const Lesson *l, uint32_t j, int a, int b) {
  return (entry(l, j, 3 * a + b) - entry(l, j, 3 * b + a)) / 2;
}

void lesson_shape(Lesson *l) {
  const SupSkeleton *skeleton = &l->character.skeleton;
  const SupSkin *skin = &l->character.skin;
  sup_pose_evaluate(skeleton, &l->pose, l->globals, l->palette);
  for (uint32_t v = 0; v < l->character.body.vertex_count; v++) {
    const SupVec3 p = l->character.body.positions[v];
    SupVec3 offset = {0, 0, 0};
    for (uint32_t j = 1; j < skeleton->joint_count; j++) {
      const float x = entry(l, j, 1), y = entry(l, j, 5), z = entry(l, j, 8);
      const float wave = sup_sinf(9 * p.y + (float)j);
      offset.x += 0.03f * wave * (l->bend * x + l->round * x * x);
      offset.y += 0.02f * wave * l->bend * z;
      offset.z += 0.03f * sup_cosf(7 * p.y) * l->bend * y;
      const int32_t above = skeleton->parents[j];
      if (above > 0)
        offset.y += 0.1f * l->pair * wave * turn(l, j, 0, 1) * turn(l, (uint32_t)above, 1, 2);
    }
    SupAffine blend = {{0}};
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      for (int i = 0; i < 12; i++) {
        blend.m[i] += skin->weights[k] * l->palette[skin->bones[k]].m[i];
      }
    }
    const SupMat3 turn =
        sup_mat3_transpose(sup_affine_linear(l->palette[skin->bones[skin->offsets[v]]]));
    const SupVec3 felt = sup_mat3_mul_vec3(turn, l->gravity);
    offset = sup_vec3_add(offset, sup_vec3_scale(sup_vec3_mul(felt, l->sag), p.y));
    l->positions[v] = sup_affine_point(blend, sup_vec3_add(p, offset));
  }
}

SupCorrectivesExample lesson_examples(Lesson *l, uint32_t count, double range) {
  const size_t joints = l->character.skeleton.joint_count,
               vertices = l->character.body.vertex_count;
  SupTransform *poses = SUP_ALLOC(&l->arena, SupTransform, count * joints);
  SupVec3 *positions = SUP_ALLOC(&l->arena, SupVec3, count * vertices);
  for (uint32_t i = 0; i < count; i++) {
    lesson_random_pose(l, range);
    lesson_shape(l);
    for (size_t j = 0; j < joints; j++) poses[i * joints + j] = l->pose.joints[j];
    for (size_t v = 0; v < vertices; v++) positions[i * vertices + v] = l->positions[v];
  }
  return (SupCorrectivesExample){.samples = {.fps = 60,
                                             .frame_count = count,
                                             .vertex_count = (uint32_t)vertices,
                                             .order = SUP_ORDER_BODY,
                                             .positions = positions,
                                             .joint_count = (uint32_t)joints,
                                             .poses = poses}};
}

void lesson_show(Lesson *l, const SupModel *model, SupVec3 *out) {
  const SupCorrectivesView view = sup_correctives_view(model);
  float *features = SUP_ALLOC(&l->arena, float, sup_correctives_features(&view));
  float *weights = SUP_ALLOC(&l->arena, float, view.skin.morph_count);
  sup_pose_evaluate(&l->character.skeleton, &l->pose, l->globals, l->palette);
  sup_correctives_read(&view, &l->pose, l->palette, l->gravity, features);
  sup_correctives_weights(&view, features, weights + view.skin.morph_count - view.component_count);
  const SupSkinCall call = {.skin = &view.skin,
                            .palette = l->palette,
                            .morph_weights = weights,
                            .positions = {(float *)out, 3}};
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
}

double lesson_error(Lesson *l, const SupModel *model, uint32_t count, double range) {
  const uint32_t vertices = l->character.body.vertex_count;
  const SupCorrectivesView view = sup_correctives_view(model);
  SupVec3 *shown = SUP_ALLOC(&l->arena, SupVec3, vertices);
  SupVec3 *plain = SUP_ALLOC(&l->arena, SupVec3, vertices);
  double above = 0, below = 0;
  for (uint32_t i = 0; i < count; i++) {
    lesson_random_pose(l, range);
    lesson_shape(l);
    lesson_show(l, model, shown);
    const SupSkinCall call = {
        .skin = &view.skin, .palette = l->palette, .positions = {(float *)plain, 3}};
    sup_skin_lbs(sup_backend_cpu(), NULL, &call);
    for (uint32_t v = 0; v < vertices; v++) {
      above += pow((double)sup_vec3_distance(shown[v], l->positions[v]), 2);
      below += pow((double)sup_vec3_distance(plain[v], l->positions[v]), 2);
    }
  }
  return sqrt(above / below);
}
