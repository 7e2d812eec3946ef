/* SPDX-License-Identifier: MIT */
/* What is made of the numbers of helpers: exaggeration by bone and component, turns of any size,
 * dual quaternions, vertices of those drawn. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "marionette.h"
#include "supple/io/file.h"
#include "supple/stack.h"

enum { OWN = 3, HELPERS = 5, JOINTS = OWN + HELPERS, COUNT = 6 * HELPERS, CROWD = 20, FRAMES = 40 };

typedef struct World {
  SupArena arena;
  Marionette marionette;
  SupTransform joints[JOINTS];
  SupAffine globals[JOINTS];
} World;

static int set_up(void **state) {
  World *w = calloc(1, sizeof *w);
  sup_arena_init(&w->arena, sup_heap_allocator(), 0);
  *state = w;
  return marionette_make(&w->arena, OWN, HELPERS, 6, &w->marionette) ? 0 : 1;
}

static int tear_down(void **state) {
  World *w = *state;
  sup_arena_free(&w->arena);
  free(w);
  return 0;
}

static SupHelpersState *fresh(World *w) {
  const SupHelpersView *v = &w->marionette.view;
  return sup_helpers_init(v, sup_arena_alloc(&w->arena, sup_helpers_bytes(v), 1));
}

static void step_at(World *w, SupHelpersState *s, const SupBackend *backend,
                    const SupHelpersControls *controls, int frame, uint32_t who) {
  marionette_pose(&w->marionette, frame / 60.0, who, w->joints, w->globals);
  const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
  sup_helpers_step(&w->marionette.view, s, backend, controls, &pose, w->globals, w->joints);
}

/* Every component of every helper by a factor of its own. */
static void by_number(void **state) {
  World *w = *state;
  const SupBackend *backend = sup_backend_cpu();
  SupHelpersState *plain = fresh(w), *grown = fresh(w);
  SupHelpersControls controls = sup_helpers_controls();
  float factors[COUNT], most = 0;
  for (int c = 0; c < COUNT; c++) factors[c] = 0.25f * (float)(c % 9);
  for (int i = 0; i < FRAMES; i++) {
    controls.exaggerations = NULL;
    step_at(w, plain, backend, &controls, i, 0);
    controls.exaggerations = factors;
    step_at(w, grown, backend, &controls, i, 0);
    const float *a = sup_helpers_moves(plain) + 6 * 16, *b = sup_helpers_moves(grown) + 6 * 16;
    for (int c = 0; c < COUNT; c++) {
      assert_true(b[c] == factors[c] * a[c]);
      most = fmaxf(most, fabsf(a[c]));
    }
  }
  assert_true(most > 1e-3f);
}

/* A crowd that is exaggerated by number and held within limits: the bits of each alone. */
static void crowd_by_number(void **state) {
  World *w = *state;
  const SupHelpersView *v = &w->marionette.view;
  const SupBackend *backends[7];
  const uint32_t count = sup_backend_list(backends, 7);
  SupHelpersControls controls = sup_helpers_controls();
  float factors[COUNT];
  for (int c = 0; c < COUNT; c++) factors[c] = 0.5f + (float)(c % 7);
  controls.exaggerations = factors;
  controls.exaggerate = 40;
  controls.range = 0.02f;
  for (uint32_t b = 0; b < count; b++) {
    SupHelpersState *alone[CROWD];
    SupHelpersBatch *batch = sup_helpers_batch_init(
        v, CROWD, sup_arena_alloc(&w->arena, sup_helpers_batch_bytes(v, CROWD), 1));
    for (int k = 0; k < CROWD; k++) alone[k] = fresh(w);
    for (int i = 0; i < FRAMES; i++) {
      SupTransform one[CROWD][JOINTS];
      for (uint32_t k = 0; k < CROWD; k++) {
        const uint32_t lod = (uint32_t)i / 13 + k;
        controls.lod = (SupHelpersLod)(lod % 3);
        step_at(w, alone[k], backends[b], &controls, i, k);
        memcpy(one[k], w->joints, sizeof one[k]);
        marionette_pose(&w->marionette, i / 60.0, k, w->joints, w->globals);
        const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
        sup_helpers_batch_lod(batch, k, controls.lod);
        sup_helpers_batch_pose(v, batch, k, &pose, w->globals);
      }
      sup_helpers_batch_step(v, batch, backends[b], NULL, &controls);
      for (uint32_t k = 0; k < CROWD; k++) {
        SupTransform together[JOINTS];
        memcpy(together, one[k], sizeof together);
        sup_helpers_batch_read(v, batch, k, together);
        assert_memory_equal(together, one[k], sizeof together);
      }
    }
  }
}

/* Small turns, large ones, several times round: what the exponential map says, of length 1. */
static void turns_of_any_size(void **state) {
  World *w = *state;
  const SupBackend *backend = sup_backend_cpu();
  SupHelpersControls controls = sup_helpers_controls();
  float largest = 0;
  for (float by = 1e-4f; by < 2e4f; by *= 10) {
    SupHelpersState *s = fresh(w);
    controls.exaggerate = by;
    for (int i = 0; i < FRAMES; i++) {
      step_at(w, s, backend, &controls, i, 0);
      for (uint32_t h = 0; h < HELPERS; h++) {
        const float *m = sup_helpers_moves(s) + 6 * h;
        const SupVec3 turn = {m[3], m[4], m[5]};
        const SupHelpersBone *bone = &w->marionette.view.bones[h];
        const SupQuat want = sup_quat_mul(bone->rest.rotation, sup_quat_exp(turn));
        const SupQuat is = w->joints[bone->joint].rotation;
        const float size = sup_vec3_length(turn);
        const float near = 1 - fabsf(sup_quat_dot(want, is));
        assert_true(fabsf(sup_quat_dot(is, is) - 1) < 1e-6f);
        assert_true(near < 1e-6f + 1e-13f * size * size);
        largest = fmaxf(largest, size);
      }
    }
  }
  assert_true(largest > 7);
}

/* A stack that skins with dual quaternions has its helpers too: rigid bones, one to a vertex, are
 * where linear blending puts them. */
static void dual_quaternions(void **state) {
  World *w = *state;
  SupStackDef def = sup_stack_def();
  const SupModel *models[1] = {w->marionette.model};
  SupStack stacks[2];
  SupStackState *instances[2];
  SupError error;
  SupVec3 out[2][32], first[32];
  def.skeleton = &w->marionette.character.skeleton;
  def.model_count = 1;
  def.models = models;
  for (int d = 0; d < 2; d++) {
    def.dual_quaternions = d == 1;
    assert_int_equal(sup_stack_make(&def, &stacks[d], &error), SUP_OK);
    instances[d] =
        sup_stack_init(&stacks[d], sup_arena_alloc(&w->arena, sup_stack_bytes(&stacks[d]), 1));
  }
  const uint32_t vertices = w->marionette.character.body.vertex_count;
  float moved = 0;
  for (int i = 0; i < FRAMES; i++) {
    marionette_pose(&w->marionette, i / 60.0, 0, w->joints, w->globals);
    const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
    for (int d = 0; d < 2; d++) {
      const SupStackFrame frame = {
          .dt = i ? 1.0f / 60 : 0, .pose = &pose, .positions = {&out[d][0].x, 3}};
      sup_stack_step(&stacks[d], instances[d], sup_backend_cpu(), NULL, &frame);
    }
    if (i == 0) memcpy(first, out[1], sizeof first);
    for (uint32_t k = 0; k < vertices; k++) {
      assert_true(sup_vec3_distance(out[0][k], out[1][k]) < 1e-5f);
      moved = fmaxf(moved, sup_vec3_distance(first[k], out[1][k]));
    }
  }
  assert_true(moved > 0.01f);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(by_number),
      TEST(crowd_by_number),
      TEST(turns_of_any_size),
      TEST(dual_quaternions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
