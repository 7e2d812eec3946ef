/* SPDX-License-Identifier: MIT */
/*
 * Model blocks from any bytes with the checksum repaired; what passes the check is stepped.
 *
 * Random bytes hardly ever become a surface model. So a sound one is made first, and the input is
 * also read as a list of changes to it: eight bytes each, where and what.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caches/toy_model.h"
#include "supple/author/surface_build.h"
#include "supple/io/file.h"
#include "supple/stack.h"
#include "surface/tube.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void seal(SupModel *model, size_t bytes) {
  if (bytes >= sizeof *model && model->bytes >= sizeof *model && model->bytes <= bytes) {
    sup_model_seal(model);
  }
}

/* ---- Toys -------------------------------------------------------------------------------------
 */

static void step_toy(SupAllocator heap, const uint8_t *data, size_t bytes) {
  SupModel *model = heap.allocate(heap.user, bytes);
  if (!model) return;
  if (bytes) memcpy(model, data, bytes);
  SupError error = {{0}};
  sup_model_check(model, bytes, toy_kinds, &error);
  seal(model, bytes);
  SupResult result = sup_model_check(model, bytes, toy_kinds, &error);
  if (result != SUP_OK && error.text[0] == 0) abort();
  float sum = 0;
  for (int step = 0; result == SUP_OK && step < 100; step++) sum += toy_step(model);
  if (sum != sum) abort();
  heap.release(heap.user, model, bytes);
}

/* ---- Flesh ------------------------------------------------------------------------------------
 */

/* A sound model and its character, made once. */
typedef struct Flesh {
  SupArena arena;
  SupCharacter tube;
  const SupModel *model;
} Flesh;

static const Flesh *flesh(void) {
  static Flesh made;
  if (made.model) return &made;
  SupError error = {{0}};
  SupSurfaceMaps maps;
  SupSurfaceBuildReport report;
  SupModel *model;
  const SupSurfaceBuildDef def = sup_surface_build_def();
  sup_arena_init(&made.arena, sup_heap_allocator(), 0);
  tube_make(&made.arena, 6, 5, NULL, &made.tube);
  if (sup_surface_maps_create(&made.arena, made.tube.body.vertex_count, &maps, &error)) abort();
  for (uint32_t v = 0; v < maps.vertex_count; v++) {
    maps.rows[SUP_SURFACE_GAMMA][v] = 0.1f;
    maps.rows[SUP_SURFACE_STOP][v] = 0.2f;
  }
  if (sup_surface_build(&made.arena, &made.tube, &def, &maps, &model, &report, &error)) {
    fprintf(stderr, "%s\n", error.text);
    abort();
  }
  made.model = model;
  return &made;
}

static void check_finite(const float *numbers, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (!(numbers[k] - numbers[k] == 0)) abort();
  }
}

static void step_stack(SupAllocator heap, const SupSkeleton *skeleton, const SupModel *model) {
  SupStack stack;
  SupStackDef def = sup_stack_def();
  SupError error = {{0}};
  def.skeleton = skeleton;
  def.model_count = 1;
  def.models = &model;
  if (sup_stack_make(&def, &stack, &error)) {
    if (error.text[0] == 0) abort();
    return;
  }
  const size_t numbers = 3 * (size_t)stack.vertex_count;
  const size_t bytes = sup_stack_bytes(&stack), out_bytes = 2 * numbers * sizeof(float);
  void *block = heap.allocate(heap.user, bytes);
  float *out = heap.allocate(heap.user, out_bytes);
  if (!block || !out) abort();
  SupStackState *state = sup_stack_init(&stack, block);
  SupTransform joints[2] = {skeleton->rest[0], skeleton->rest[1]};
  SupPose pose = {2, sup_transform_identity(), joints};
  for (int step = 0; step < 100; step++) {
    pose.root.translation.x = 0.05f * (float)(step % 7);
    const SupStackFrame frame = {.dt = step % 11 ? 1.0f / 60 : 0.04f,
                                 .pose = &pose,
                                 .positions = {out, 3},
                                 .normals = {out + numbers, 3}};
    sup_stack_step(&stack, state, sup_backend_cpu(), NULL, &frame);
    check_finite(out, 2 * numbers);
  }
  heap.release(heap.user, out, out_bytes);
  heap.release(heap.user, block, bytes);
}

static void step_changed(SupAllocator heap, const uint8_t *data, size_t bytes) {
  const Flesh *sound = flesh();
  const size_t size = (size_t)sound->model->bytes;
  SupModel *model = heap.allocate(heap.user, size);
  if (!model) return;
  memcpy(model, sound->model, size);
  for (; bytes >= 8; data += 8, bytes -= 8) {
    uint32_t where;
    memcpy(&where, data, 4);
    memcpy((char *)model + 4 * (where % (size / 4)), data + 4, 4);
  }
  SupError error = {{0}};
  seal(model, size);
  SupResult result = sup_model_check(model, size, NULL, &error);
  if (result != SUP_OK && error.text[0] == 0) abort();
  if (result == SUP_OK) step_stack(heap, &sound->tube.skeleton, model);
  heap.release(heap.user, model, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  SupAllocator heap = sup_heap_allocator();
  step_toy(heap, data, bytes);
  step_changed(heap, data, bytes);
  return 0;
}
