/* SPDX-License-Identifier: MIT */
#include "wobble.h"

#include <math.h>

#include "supple/author/builtin.h"
#include "supple/io/file.h"

Wobble *wobble_create(const char *name, uint32_t vertices, uint32_t tets, uint32_t modes) {
  Wobble *w = calloc(1, sizeof *w);
  SupError error;
  assert_non_null(w);
  sup_arena_init(&w->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef builtin = {.name = name, .vertices = vertices};
  if (sup_builtin_character(&w->arena, &builtin, &w->character, &error)) fail_msg("%s", error.text);
  w->def = sup_modes_train_def(&w->character);
  w->def.fill.tet_target = tets;
  w->def.mode_count = modes;
  w->def.damping_ratio = 0.07; /* whatever the material is: tests should not ring for minutes */
  if (sup_modes_train(&w->arena, &w->def, &w->model, &w->report, &error)) {
    fail_msg("%s", error.text);
  }
  const SupSkeleton *skeleton = &w->character.skeleton;
  w->view = sup_modes_view(w->model);
  w->state = sup_modes_init(&w->view, SUP_ALLOC(&w->arena, char, sup_modes_bytes(&w->view)));
  w->backend = sup_backend_cpu();
  w->pose = (SupPose){skeleton->joint_count, sup_transform_identity(),
                      SUP_ALLOC(&w->arena, SupTransform, skeleton->joint_count)};
  w->globals = SUP_ALLOC(&w->arena, SupAffine, skeleton->joint_count);
  w->palette = SUP_ALLOC(&w->arena, SupAffine, skeleton->bone_count);
  w->weights = SUP_ALLOC(&w->arena, float, w->view.skin.morph_count);
  w->seed = 1;
  w->amplitude = 1;
  return w;
}

void wobble_free(Wobble *wobble) {
  sup_arena_free(&wobble->arena);
  free(wobble);
}

int wobble_make(void **state) {
  *state = wobble_create("mochi", 600, 1500, 15);
  return 0;
}

int wobble_unmake(void **state) {
  wobble_free(*state);
  return 0;
}

/* A sum of sines; of whole rounds per period where there is one. */
static double wave(const Wobble *w, SupRng *rng, double time) {
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    double hertz = 0.2 + 2.8 * sup_rng_double(rng);
    const double phase = 2 * SUP_PI * sup_rng_double(rng);
    if (w->period > 0) hertz = ceil(hertz * w->period) / w->period;
    sum += sin(2 * SUP_PI * hertz * time + phase) / 4;
  }
  return w->amplitude * sum;
}

void wobble_palette(void *user, double time, SupAffine *out_palette) {
  Wobble *w = user;
  const SupSkeleton *skeleton = &w->character.skeleton;
  SupRng rng = sup_rng(w->seed, 3);
  sup_pose_rest(skeleton, &w->pose);
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const double x = 0.2 * wave(w, &rng, time), y = 0.2 * wave(w, &rng, time),
                 z = 0.2 * wave(w, &rng, time);
    const SupQuat turn = sup_quat_normalise((SupQuat){(float)x / 2, (float)y / 2, (float)z / 2, 1});
    w->pose.joints[j].rotation = sup_quat_mul(w->pose.joints[j].rotation, turn);
  }
  const double x = 0.1 * wave(w, &rng, time), y = 0.1 * wave(w, &rng, time);
  w->pose.root.translation = (SupVec3){(float)x, (float)y, (float)(0.1 * wave(w, &rng, time))};
  sup_pose_evaluate(skeleton, &w->pose, w->globals, out_palette);
}

void wobble_skin(Wobble *w, const SupAffine *palette, float *out_positions) {
  const uint32_t first = w->view.skin.morph_count - w->view.mode_count;
  sup_modes_weights(&w->view, w->state, INFINITY, 1, w->weights + first);
  const SupSkinCall call = {.skin = &w->view.skin,
                            .palette = palette,
                            .morph_weights = w->weights,
                            .positions = {out_positions, 3}};
  sup_skin_lbs(w->backend, NULL, &call);
}

float wobble_peak(const Wobble *wobble, const float *q) {
  float peak = 0;
  for (uint32_t k = 0; k < wobble->view.mode_count; k++) peak = fmaxf(peak, fabsf(q[k]));
  return peak;
}

float wobble_gap(const Wobble *wobble, const float *a, const float *b) {
  float gap = 0;
  for (uint32_t k = 0; k < wobble->view.mode_count; k++) gap = fmaxf(gap, fabsf(a[k] - b[k]));
  return gap;
}
