/* SPDX-License-Identifier: MIT */
/*
 * correctives_dump FILE: a leg with a planted law of two joints learns correctives with products;
 * its examples, the model and what the model shows in new poses, as records for
 * check_correctives.py (tests/dumped.py).
 */
#include <stdio.h>

#include "pose_law.h"

enum { EXAMPLES = 40, TESTS = 8 };
#define RIDGE 0.003

static FILE *file;

static void put(const char *name, const double *values, size_t count) {
  fprintf(file, "%s %zu\n", name, count);
  fwrite(values, sizeof *values, count, file);
}

static void put_floats(Lesson *l, const char *name, const float *values, size_t count) {
  double *wide = SUP_ALLOC(&l->arena, double, count);
  for (size_t i = 0; i < count; i++) wide[i] = (double)values[i];
  put(name, wide, count);
}

static void put_indices(Lesson *l, const char *name, const uint32_t *values, size_t count) {
  double *wide = SUP_ALLOC(&l->arena, double, count);
  for (size_t i = 0; i < count; i++) wide[i] = (double)(int32_t)values[i];
  put(name, wide, count);
}

static void put_rotations(Lesson *l, const char *name, const SupTransform *joints, size_t count) {
  double *wide = SUP_ALLOC(&l->arena, double, 4 * count);
  for (size_t i = 0; i < count; i++) {
    const SupQuat q = joints[i].rotation;
    const double values[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    for (int k = 0; k < 4; k++) wide[4 * i + (size_t)k] = values[k];
  }
  put(name, wide, 4 * count);
}

static void put_character(Lesson *l) {
  const SupCharacter *c = &l->character;
  const SupSkeleton *s = &c->skeleton;
  const uint32_t n = c->body.vertex_count;
  put_floats(l, "body", (const float *)c->body.positions, 3 * (size_t)n);
  put_indices(l, "triangles", c->body.triangles, 3 * (size_t)c->body.triangle_count);
  put_indices(l, "skin_first", c->skin.offsets, (size_t)n + 1);
  put_indices(l, "skin_bones", c->skin.bones, c->skin.offsets[n]);
  put_floats(l, "skin_weights", c->skin.weights, c->skin.offsets[n]);
  put_indices(l, "bone_joints", s->bone_joints, s->bone_count);
  put_indices(l, "parents", (const uint32_t *)(const void *)s->parents, s->joint_count);
  put_rotations(l, "rest", s->rest, s->joint_count);
}

static void put_examples(Lesson *l, const SupSamples *s) {
  const size_t bones = l->character.skeleton.bone_count;
  SupAffine *palettes = SUP_ALLOC(&l->arena, SupAffine, bones * s->frame_count);
  for (uint32_t i = 0; i < s->frame_count; i++) {
    for (uint32_t j = 0; j < s->joint_count; j++) {
      l->pose.joints[j] = s->poses[(size_t)i * s->joint_count + j];
    }
    sup_pose_evaluate(&l->character.skeleton, &l->pose, l->globals, palettes + i * bones);
  }
  put_rotations(l, "example_rotations", s->poses, (size_t)s->frame_count * s->joint_count);
  put_floats(l, "example_palettes", (const float *)palettes, 12 * bones * s->frame_count);
  put_floats(l, "example_positions", (const float *)s->positions,
             3 * (size_t)s->frame_count * s->vertex_count);
}

static void put_model(Lesson *l, const SupCorrectivesView *view) {
  put_indices(l, "drivers", view->drivers, view->driver_count);
  put_indices(l, "axis_drivers", view->axis_drivers, view->axis_count);
  put_floats(l, "axes", (const float *)view->axes, 12 * (size_t)view->axis_count);
  put_indices(l, "pairs", view->pairs, 2 * (size_t)view->pair_count);
}

static void put_tests(Lesson *l, const SupModel *model) {
  const SupCorrectivesView view = sup_correctives_view(model);
  const size_t n = l->character.body.vertex_count, features = sup_correctives_features(&view);
  const size_t bones = l->character.skeleton.bone_count, joints = l->pose.joint_count;
  SupTransform *poses = SUP_ALLOC(&l->arena, SupTransform, TESTS * joints);
  SupAffine *palettes = SUP_ALLOC(&l->arena, SupAffine, TESTS * bones);
  float *read = SUP_ALLOC(&l->arena, float, TESTS *features);
  SupVec3 *shown = SUP_ALLOC(&l->arena, SupVec3, TESTS * n);
  for (size_t i = 0; i < TESTS; i++) {
    /* Every other one far beyond the examples: only its features are compared. */
    lesson_random_pose(l, i % 2 ? 2 : 0.25);
    lesson_show(l, model, shown + i * n);
    sup_correctives_read(&view, &l->pose, l->palette, l->gravity, read + i * features);
    for (size_t j = 0; j < joints; j++) poses[i * joints + j] = l->pose.joints[j];
    for (size_t b = 0; b < bones; b++) palettes[i * bones + b] = l->palette[b];
  }
  put_rotations(l, "test_rotations", poses, TESTS * joints);
  put_floats(l, "test_palettes", (const float *)palettes, 12 * TESTS * bones);
  put_floats(l, "test_features", read, TESTS * features);
  put_floats(l, "test_positions", (const float *)shown, 3 * TESTS * n);
}

int main(int count, char **words) {
  file = count == 2 ? fopen(words[1], "wb") : NULL;
  if (!file) return 2;
  Lesson *l = lesson_create("leg", 500);
  SupCorrectivesTrainReport report;
  SupModel *model;
  SupError error;
  l->pair = 1;
  const SupCorrectivesExample examples = lesson_examples(l, EXAMPLES, 0.4);
  SupCorrectivesTrainDef def = sup_correctives_train_def(&l->character);
  def.example_count = 1;
  def.examples = &examples;
  def.ridge = RIDGE;
  def.fraction = 0;
  def.component_count = EXAMPLES;
  if (sup_correctives_train(&l->arena, &def, &model, &report, &error)) return 1;
  const SupCorrectivesView view = sup_correctives_view(model);
  const double settings[3] = {def.ridge, def.falloff, def.products};
  put("settings", settings, 3);
  put_character(l);
  put_examples(l, &examples.samples);
  put_model(l, &view);
  put_tests(l, model);
  lesson_free(l);
  return fclose(file) ? 1 : 0;
}
