/* SPDX-License-Identifier: MIT */
/* One set of helpers in several materials: each alone, their mean, one frequency for all, instances
 * that differ, fractions that change while a character moves. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "marionette.h"
#include "runtime/helpers/helpers_rate.h"
#include "supple/io/file.h"
#include "supple/stack.h"
#include "supple/surface.h"

enum { OWN = 3, HELPERS = 4, JOINTS = OWN + HELPERS, COUNT = 6 * HELPERS, FRAMES = 150 };

typedef struct World {
  SupArena arena;
  Marionette soft, firm; /* the same joints, other controllers and numbers of states */
  SupModel *model;       /* of both */
  SupHelpersView view;
} World;

static SupError error;

/* The second looks at an input that the first does not, and at others in another order. */
static void look_elsewhere(World *w) {
  SupHelperDef *d = (SupHelperDef *)(uintptr_t)w->firm.def.helpers;
  uint32_t *inputs = SUP_COPY(&w->arena, uint32_t, d->inputs, d->input_count);
  inputs[2] = inputs[0];
  inputs[0] = sup_helpers_frame_input(OWN, OWN, 1, SUP_HELPERS_SPEED);
  d->inputs = inputs;
  SupModel *model;
  assert_int_equal(sup_helpers_pack(&w->arena, &w->firm.character, &w->firm.def, &model, &error),
                   SUP_OK);
  w->firm.model = model;
  w->firm.view = sup_helpers_view(model);
}

static SupModel *pack_both(World *w, double soft, double firm) {
  const SupHelpersMaterialDef materials[2] = {{"soft", soft, &w->soft.def},
                                              {"firm", firm, &w->firm.def}};
  SupModel *model = NULL;
  assert_int_equal(
      sup_helpers_pack_materials(&w->arena, &w->soft.character, 2, materials, &model, &error),
      SUP_OK);
  return model;
}

static int set_up(void **state) {
  World *w = calloc(1, sizeof *w);
  sup_arena_init(&w->arena, sup_heap_allocator(), 0);
  if (!marionette_make(&w->arena, OWN, HELPERS, 4, &w->soft) ||
      !marionette_make(&w->arena, OWN, HELPERS, 6, &w->firm)) {
    return 1;
  }
  w->model = pack_both(w, 1, 1);
  w->view = sup_helpers_view(w->model);
  *state = w;
  return 0;
}

static int tear_down(void **state) {
  World *w = *state;
  sup_arena_free(&w->arena);
  free(w);
  return 0;
}

static SupHelpersState *fresh(World *w, const SupHelpersView *v) {
  return sup_helpers_init(v, sup_arena_alloc(&w->arena, sup_helpers_bytes(v), 1));
}

static const float *step(World *w, const SupHelpersView *v, SupHelpersState *s,
                         const SupHelpersControls *controls, int frame) {
  SupTransform joints[JOINTS];
  SupAffine globals[JOINTS];
  const SupHelpersControls usual = sup_helpers_controls();
  marionette_pose(&w->soft, frame / 60.0, 0, joints, globals);
  const SupPose pose = {JOINTS, sup_transform_identity(), joints};
  sup_helpers_step(v, s, sup_backend_cpu(), controls ? controls : &usual, &pose, globals, joints);
  return sup_helpers_moves(s);
}

static void fraction(World *w, const SupHelpersView *v, SupHelpersState *s, float soft) {
  const float fractions[2] = {soft, 1 - soft};
  assert_int_equal(sup_helpers_blend(&w->arena, v, s, fractions, &error), SUP_OK);
  assert_memory_equal(sup_helpers_fractions(s), fractions, sizeof fractions);
}

static SupHelpersState *blend(World *w, const SupHelpersView *v, float soft) {
  SupHelpersState *s = fresh(w, v);
  fraction(w, v, s, soft);
  return s;
}

static uint64_t hash_of(const SupModel *model) { return sup_hash(model, (size_t)model->bytes, 0); }

/* ---- Tests ----------------------------------------------------------------------------------- */

/* With a fraction of 1 a material is what it is without the others, number by number; a state
 * begins as the first. */
static void one_alone(void **state) {
  World *w = *state;
  assert_int_equal(w->view.material_count, 2);
  assert_string_equal(sup_helpers_material(&w->view, 0), "soft");
  assert_string_equal(sup_helpers_material(&w->view, 1), "firm");
  assert_null(sup_helpers_material(&w->view, 2));
  assert_null(sup_helpers_fractions(fresh(w, &w->soft.view)));
  const float first[2] = {1, 0};
  assert_memory_equal(sup_helpers_fractions(fresh(w, &w->view)), first, sizeof first);
  for (int k = 0; k < 3; k++) {
    const bool soft = k != 1;
    const Marionette *alone = soft ? &w->soft : &w->firm;
    SupHelpersState *one = fresh(w, &alone->view);
    SupHelpersState *both = k > 0 ? blend(w, &w->view, soft ? 1 : 0) : fresh(w, &w->view);
    for (int i = 0; i < FRAMES; i++) {
      const float *want = step(w, &alone->view, one, NULL, i);
      const float *is = step(w, &w->view, both, NULL, i);
      for (int c = 0; c < COUNT; c++) assert_true(want[c] == is[c]);
    }
  }
}

/* Instances of one model, each with fractions of its own, stepped by turns: each moves as if it
 * were alone, the outer ones as their material without the other; and no byte of the model changes.
 */
static void two_instances(void **state) {
  World *w = *state;
  SupModel *model = pack_both(w, 1, 1.4);
  const SupHelpersView v = sup_helpers_view(model);
  const uint64_t before = hash_of(model);
  enum { INSTANCES = 4 };
  const float soft[INSTANCES] = {1, 0, 0.3f, 0.8f};
  static float lone[INSTANCES][FRAMES][COUNT];
  for (int k = 0; k < INSTANCES; k++) {
    const Marionette *alone = k == 0 ? &w->soft : &w->firm;
    const SupHelpersView *of = k < 2 ? &alone->view : &v;
    SupHelpersState *s = k < 2 ? fresh(w, of) : blend(w, of, soft[k]);
    for (int i = 0; i < FRAMES; i++) {
      memcpy(lone[k][i], step(w, of, s, NULL, i), sizeof lone[k][i]);
    }
  }
  SupHelpersState *together[INSTANCES];
  for (int k = 0; k < INSTANCES; k++) together[k] = blend(w, &v, soft[k]);
  double apart = 0;
  for (int i = 0; i < FRAMES; i++) {
    for (int k = 0; k < INSTANCES; k++) {
      const float *is = step(w, &v, together[k], NULL, i);
      for (int c = 0; c < COUNT; c++) {
        assert_true(is[c] == lone[k][i][c]);
        apart = fmax(apart, fabs((double)is[c] - (double)lone[(k + 1) % INSTANCES][i][c]));
      }
    }
  }
  assert_true(apart > 0.02);
  assert_true(hash_of(model) == before);
  assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, &error), SUP_OK);
}

/* Copying the bytes of a state copies its blend; a reset keeps it. */
static void copied(void **state) {
  World *w = *state;
  SupHelpersState *s = blend(w, &w->view, 0.3f);
  for (int i = 0; i < 30; i++) step(w, &w->view, s, NULL, i);
  SupHelpersState *copy = sup_arena_copy(&w->arena, s, (size_t)s->bytes, 1);
  fraction(w, &w->view, s, 0.9f);
  assert_true(sup_helpers_fractions(copy)[0] == 0.3f);
  fraction(w, &w->view, s, 0.3f);
  sup_helpers_reset(s);
  sup_helpers_reset(copy);
  for (int i = 0; i < 30; i++) {
    const float *one = step(w, &w->view, s, NULL, i), *two = step(w, &w->view, copy, NULL, i);
    assert_memory_equal(one, two, COUNT * sizeof *one);
  }
}

/* Two characters of one stack, by the state of the technique inside theirs. */
static void in_a_stack(void **state) {
  World *w = *state;
  const SupModel *models[1] = {w->model};
  const uint64_t before = hash_of(w->model);
  SupStackDef def = sup_stack_def();
  SupStack stack;
  def.skeleton = &w->soft.character.skeleton;
  def.model_count = 1;
  def.models = models;
  assert_int_equal(sup_stack_make(&def, &stack, &error), SUP_OK);
  SupStackState *instances[2];
  SupHelpersState *helpers[2];
  for (int k = 0; k < 2; k++) {
    instances[k] = sup_stack_init(&stack, sup_arena_alloc(&w->arena, sup_stack_bytes(&stack), 1));
    helpers[k] = sup_stack_state_of(&stack, instances[k], SUP_HELPERS_KIND);
    assert_non_null(helpers[k]);
    assert_null(sup_stack_state_of(&stack, instances[k], SUP_SURFACE_KIND));
    fraction(w, &w->view, helpers[k], k ? 0 : 0.6f);
  }
  SupHelpersState *alone[2] = {blend(w, &w->view, 0.6f), blend(w, &w->view, 0)};
  for (int i = 0; i < FRAMES; i++) {
    SupTransform joints[JOINTS];
    SupAffine globals[JOINTS];
    SupVec3 out[64];
    for (int k = 0; k < 2; k++) {
      marionette_pose(&w->soft, i / 60.0, 0, joints, globals);
      const SupPose pose = {JOINTS, sup_transform_identity(), joints};
      const SupStackFrame frame = {
          .dt = i ? 1.0f / 60 : 0, .pose = &pose, .positions = {&out[0].x, 3}};
      sup_stack_step(&stack, instances[k], sup_backend_cpu(), NULL, &frame);
      const float *want = step(w, &w->view, alone[k], NULL, i);
      assert_memory_equal(want, sup_helpers_moves(helpers[k]), COUNT * sizeof *want);
    }
  }
  assert_true(hash_of(w->model) == before);
}

/* Fractions of what the materials do, whatever each looks at. */
static void mean(void **state) {
  World *w = *state;
  const float fractions[4] = {0.5f, 0.3f, 1.2f, -0.2f};
  for (int other = 0; other < 2; other++) {
    if (other) look_elsewhere(w), w->view = sup_helpers_view(w->model = pack_both(w, 1, 1));
    for (int k = 0; k < 4; k++) {
      SupHelpersState *soft = fresh(w, &w->soft.view), *firm = fresh(w, &w->firm.view);
      SupHelpersState *both = blend(w, &w->view, fractions[k]);
      double apart = 0, size = 0;
      for (int i = 0; i < FRAMES; i++) {
        const float *x = step(w, &w->soft.view, soft, NULL, i);
        const float *y = step(w, &w->firm.view, firm, NULL, i);
        const float *is = step(w, &w->view, both, NULL, i);
        for (int c = 0; c < COUNT; c++) {
          const double want =
              (double)fractions[k] * (double)x[c] + (1 - (double)fractions[k]) * (double)y[c];
          apart = fmax(apart, fabs(want - (double)is[c]));
          size = fmax(size, fabs((double)x[c] - (double)y[c]));
        }
      }
      assert_true(apart < 1e-6 && size > 0.02);
    }
  }
}

/* A body that swings twice as fast, a quarter as far: between them, by fractions of their
 * frequencies, is one that swings 1.4 times as fast. */
static void one_frequency(void **state) {
  World *w = *state;
  SupHelpersDef defs[2] = {w->soft.def, w->soft.def};
  for (int k = 0; k < 2; k++) {
    const double pace = k == 0 ? 2 : sqrt(2);
    SupHelperDef *helpers = SUP_COPY(&w->arena, SupHelperDef, w->soft.def.helpers, HELPERS);
    for (uint32_t h = 0; h < HELPERS; h++) {
      SupHelperDef *d = &helpers[h];
      const uint32_t n = d->state_count, width = d->input_count + 1;
      double *a = SUP_ALLOC(&w->arena, double, n *n), *b = SUP_ALLOC(&w->arena, double, n *width);
      double *c = SUP_COPY(&w->arena, double, d->c, 6 * n);
      double *feed = SUP_COPY(&w->arena, double, d->d, 6 * width);
      assert_true(sup_helpers_power(&w->arena, n, width, d->a, d->b, pace, a, b));
      for (uint32_t i = 0; i < 6 * n; i++) c[i] /= pace * pace;
      for (uint32_t i = 0; i < 6 * width; i++) feed[i] /= pace * pace;
      d->a = a, d->b = b, d->c = c, d->d = feed;
    }
    defs[k].helpers = helpers;
  }
  const SupHelpersMaterialDef materials[2] = {{"soft", 3, &w->soft.def}, {"firm", 6, &defs[0]}};
  SupModel *model, *middle;
  assert_int_equal(
      sup_helpers_pack_materials(&w->arena, &w->soft.character, 2, materials, &model, &error),
      SUP_OK);
  assert_int_equal(sup_helpers_pack(&w->arena, &w->soft.character, &defs[1], &middle, &error),
                   SUP_OK);
  const SupHelpersView between = sup_helpers_view(middle), both = sup_helpers_view(model);
  SupHelpersState *x = fresh(w, &between), *y = blend(w, &both, 0.5f), *z = fresh(w, &w->soft.view);
  double apart = 0, size = 0;
  for (int i = 0; i < FRAMES; i++) {
    const float *want = step(w, &between, x, NULL, i), *is = step(w, &both, y, NULL, i);
    const float *other = step(w, &w->soft.view, z, NULL, i);
    for (int c = 0; c < COUNT; c++) {
      apart = fmax(apart, fabs((double)want[c] - (double)is[c]));
      size = fmax(size, fabs((double)want[c] - (double)other[c]));
    }
  }
  assert_true(apart < 2e-6 && size > 5e-3);
}

/* A slider that is dragged to and fro in half a second: no step is much larger than those of the
 * materials themselves, and where frequencies are alike every frame is the mean at that moment. */
static void dragged(void **state) {
  World *w = *state;
  for (int tuned = 0; tuned < 2; tuned++) {
    SupModel *model = pack_both(w, 1, tuned ? 1.6 : 1);
    const SupHelpersView view = sup_helpers_view(model);
    SupHelpersState *soft = fresh(w, &w->soft.view), *firm = fresh(w, &w->firm.view);
    SupHelpersState *both = fresh(w, &view);
    float last[3][COUNT];
    double usual = 0, worst = 0, gap = 0;
    for (int i = 0; i < 3 * FRAMES; i++) {
      const float s = i < 60 ? 1 : 0.5f + 0.5f * sup_cosf(6.2832f * (float)(i - 60) / 60);
      fraction(w, &view, both, s);
      const float *now[3] = {step(w, &w->soft.view, soft, NULL, i),
                             step(w, &w->firm.view, firm, NULL, i), step(w, &view, both, NULL, i)};
      for (int c = 0; c < COUNT; c++) {
        const double want = (double)s * (double)now[0][c] + (1 - (double)s) * (double)now[1][c];
        if (!tuned) assert_true(fabs(want - (double)now[2][c]) < 1e-6);
        gap = fmax(gap, fabs((double)now[0][c] - (double)now[1][c]));
        for (int k = 0; k < 3 && i > 2; k++) {
          double *most = k < 2 ? &usual : &worst;
          *most = fmax(*most, fabs((double)now[k][c] - (double)last[k][c]));
        }
      }
      for (int k = 0; k < 3; k++) memcpy(last[k], now[k], sizeof last[k]);
    }
    /* The slider's own speed is at most pi / 60 of what the materials are apart. */
    assert_true(usual > 0 && worst < 1.2 * usual + 0.06 * gap);
  }
}

static const SupModel *halved(World *w, const SupModel *model) {
  SupModel *half;
  assert_int_equal(sup_helpers_convert(&w->arena, model, model->h / 2, &half, &error), SUP_OK);
  return half;
}

/* At another frame rate: the first alone as the model itself, to the bit; others as the mean. */
static void other_rate(void **state) {
  World *w = *state;
  const SupHelpersView v = sup_helpers_view(halved(w, pack_both(w, 1, 1.5)));
  SupHelpersState *plain = fresh(w, &v), *first = blend(w, &v, 1);
  const SupHelpersView alike = sup_helpers_view(halved(w, w->model));
  const SupHelpersView soft = sup_helpers_view(halved(w, w->soft.model));
  const SupHelpersView firm = sup_helpers_view(halved(w, w->firm.model));
  SupHelpersState *a = fresh(w, &soft), *b = fresh(w, &firm), *both = blend(w, &alike, 0.4f);
  for (int i = 0; i < FRAMES; i++) {
    const float *want = step(w, &v, plain, NULL, i), *is = step(w, &v, first, NULL, i);
    assert_memory_equal(want, is, COUNT * sizeof *want);
    const float *x = step(w, &soft, a, NULL, i), *y = step(w, &firm, b, NULL, i);
    const float *mix = step(w, &alike, both, NULL, i);
    for (int c = 0; c < COUNT; c++) {
      assert_true(fabsf(0.4f * x[c] + 0.6f * y[c] - mix[c]) < 2e-6f);
    }
  }
}

/* A crowd, exaggeration, levels. */
static void with_everything(void **state) {
  World *w = *state;
  const SupHelpersView v = sup_helpers_view(pack_both(w, 1, 1.5));
  const float fractions[2][2] = {{0.4f, 1 - 0.4f}, {0.8f, 1 - 0.8f}};
  SupHelpersControls controls = sup_helpers_controls(), twice = controls, still = controls;
  twice.exaggerate = 2;
  still.lod = SUP_HELPERS_STATIC;
  SupHelpersState *each[3] = {fresh(w, &v), fresh(w, &v), fresh(w, &v)};
  SupHelpersBatch *batch =
      sup_helpers_batch_init(&v, 3, sup_arena_alloc(&w->arena, sup_helpers_batch_bytes(&v, 3), 1));
  for (int i = 0; i < 60; i++) {
    if (i % 30 == 0) {
      const float *now = fractions[i / 30];
      for (int k = 0; k < 3; k++) fraction(w, &v, each[k], now[0]);
      assert_int_equal(sup_helpers_batch_blend(&w->arena, &v, batch, now, &error), SUP_OK);
    }
    const float *one = step(w, &v, each[0], &controls, i), *two = step(w, &v, each[1], &twice, i);
    const float *none = step(w, &v, each[2], &still, i);
    for (int k = 0; k < COUNT; k++) {
      assert_true(fabsf(two[k] - none[k] - 2 * (one[k] - none[k])) < 1e-6f);
    }
    SupTransform joints[JOINTS];
    SupAffine globals[JOINTS];
    marionette_pose(&w->soft, i / 60.0, 0, joints, globals);
    const SupPose pose = {JOINTS, sup_transform_identity(), joints};
    for (uint32_t k = 0; k < 3; k++) sup_helpers_batch_pose(&v, batch, k, &pose, globals);
    sup_helpers_batch_step(&v, batch, sup_backend_cpu(), NULL, &controls);
    sup_helpers_batch_read(&v, batch, 2, joints);
    for (uint32_t h = 0; h < HELPERS; h++) {
      const SupVec3 at = joints[v.bones[h].joint].translation, rest = v.bones[h].rest.translation;
      assert_true(at.x == rest.x + one[6 * h] && at.z == rest.z + one[6 * h + 2]);
    }
  }
}

/* Swings are cut where the blend's own range ends, in a state that was made before. */
static void limits_follow(void **state) {
  World *w = *state;
  for (uint32_t h = 0; h < HELPERS; h++) {
    ((SupHelperDef *)(uintptr_t)w->soft.def.helpers)[h].range[0] = -1e-4;
    ((SupHelperDef *)(uintptr_t)w->soft.def.helpers)[h].range[1] = 1e-4;
  }
  SupModel *model = pack_both(w, 1, 1);
  const SupHelpersView v = sup_helpers_view(model);
  SupHelpersState *s = fresh(w, &v);
  float most[2] = {0, 0};
  for (int i = 0; i < 2 * FRAMES; i++) {
    if (i == FRAMES) fraction(w, &v, s, 0);
    step(w, &v, s, NULL, i);
    most[i / FRAMES] = fmaxf(most[i / FRAMES], fabsf(sup_helpers_moves(s)[6 * 16]));
  }
  assert_true(most[0] == 1e-4f * SUP_HELPERS_LIMIT && most[1] > 1e-3f);
  /* A negative share turns the other's range round. */
  fraction(w, &v, s, -0.25f);
  const float *range =
      (const float *)(const void *)((const char *)s + s->matrices) + v.bones[0].range_at;
  assert_true(fabsf(range[0] + 3.750025f) < 1e-5f && fabsf(range[1] - 3.750025f) < 1e-5f);
}

/* The vertices were put into another order: the materials are still there. */
static void packed_again(void **state) {
  World *w = *state;
  SupModel *again;
  assert_int_equal(sup_helpers_repack(&w->arena, &w->soft.character, w->model, &again, &error),
                   SUP_OK);
  assert_int_equal(again->bytes, w->model->bytes);
  assert_memory_equal(again, w->model, (size_t)again->bytes);
  assert_int_equal(sup_helpers_view(again).material_count, 2);
}

static void refused_pack(World *w, uint32_t count, const SupHelpersMaterialDef *materials,
                         const char *sentence) {
  SupModel *model;
  assert_int_equal(
      sup_helpers_pack_materials(&w->arena, &w->soft.character, count, materials, &model, &error),
      SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, sentence));
}

/* Files that nobody may trust: odd frequencies and names are seen, and a blend that would leave all
 * bounds leaves the state as it is. */
static void strange_files(void **state) {
  World *w = *state;
  SupModel *model = pack_both(w, 1, 64);
  const SupHelpersView v = sup_helpers_view(model);
  float *frequency = (float *)(uintptr_t)v.fractions + 3, *numbers = (float *)(uintptr_t)v.blends;
  char *name = (char *)(uintptr_t)v.names;
  assert_int_equal(sup_helpers_check(model, &error), SUP_OK);
  *frequency = 65;
  assert_int_equal(sup_helpers_check(model, &error), SUP_ERROR_FORMAT);
  *frequency = 64;
  *name = ',';
  assert_int_equal(sup_helpers_check(model, &error), SUP_ERROR_FORMAT);
  *name = 's';
  assert_int_equal(sup_helpers_check(model, &error), SUP_OK);
  for (int k = 0; k < 6; k++) numbers[k] = 9e8f; /* C of the first state */
  SupHelpersState *s = blend(w, &v, 0.5f);
  SupHelpersState *before = sup_arena_copy(&w->arena, s, (size_t)s->bytes, 1);
  const float beyond[2] = {1.25f, -0.25f};
  assert_int_equal(sup_helpers_blend(&w->arena, &v, s, beyond, &error), SUP_ERROR_NUMERIC);
  assert_memory_equal(before, s, (size_t)s->bytes);
}

static void refusals(void **state) {
  World *w = *state;
  const float bad[4][2] = {{0.5f, 0.6f}, {1.5f, -0.5f}, {NAN, 1}, {1, INFINITY}};
  const float half[2] = {0.5f, 0.5f};
  SupHelpersState *s = blend(w, &w->view, 0.25f), *alone = fresh(w, &w->soft.view);
  SupHelpersState *before = sup_arena_copy(&w->arena, s, (size_t)s->bytes, 1);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(sup_helpers_blend(&w->arena, &w->view, s, bad[k], &error), SUP_ERROR_ARGUMENT);
  }
  assert_memory_equal(before, s, (size_t)s->bytes);
  assert_int_equal(sup_helpers_blend(&w->arena, &w->soft.view, alone, half, &error),
                   SUP_ERROR_ARGUMENT);
  SupHelpersDef other = w->soft.def;
  SupHelpersMaterialDef two[2] = {{"soft", 1, &w->soft.def}, {"firm", 1, &other}};
  other.h = 1.0 / 30;
  refused_pack(w, 2, two, "different steps");
  other = w->soft.def;
  other.turn_count--;
  refused_pack(w, 2, two, "different inputs");
  other = w->soft.def;
  SupHelperDef *helpers = SUP_COPY(&w->arena, SupHelperDef, other.helpers, HELPERS);
  helpers[1].rest.translation.x += 0.01f;
  other.helpers = helpers;
  refused_pack(w, 2, two, "different joints");
  two[1] = two[0];
  refused_pack(w, 2, two, "two materials are called 'soft'");
  two[1].name = "";
  refused_pack(w, 2, two, "needs a name");
  two[1].name = "a=b";
  refused_pack(w, 2, two, "needs a name");
  two[1].name = "a name of more than sixty-three letters, which no list of names would show";
  refused_pack(w, 2, two, "needs a name");
  two[1] = (SupHelpersMaterialDef){"firm", 65, &w->soft.def};
  refused_pack(w, 2, two, "within a factor of 64");
  refused_pack(w, 0, two, "0 materials");
  /* Four of 12 states go into one helper, five do not. */
  Marionette big;
  assert_true(marionette_make(&w->arena, OWN, HELPERS, 12, &big));
  const SupHelpersMaterialDef five[5] = {{"a", 1, &big.def},
                                         {"b", 1, &big.def},
                                         {"c", 1, &big.def},
                                         {"d", 1, &big.def},
                                         {"e", 1, &big.def}};
  SupModel *model;
  assert_int_equal(sup_helpers_pack_materials(&w->arena, &big.character, 4, five, &model, &error),
                   SUP_OK);
  assert_int_equal(sup_helpers_view(model).bones[0].states, 48);
  refused_pack(w, 5, five, "60 states");
}

/* Whatever is wrong with the sections is found. */
static void damaged(void **state) {
  World *w = *state;
  const SupHelpersView v = w->view;
  SupModel *m = w->model;
  uint32_t *first = (uint32_t *)(uintptr_t)&v.parts[1].state_first;
  uint32_t *at = (uint32_t *)(uintptr_t)&v.parts[2].blend_at;
  float *frequency = (float *)(uintptr_t)&v.fractions[2],
        *number = (float *)(uintptr_t)&v.blends[5];
  char *name = (char *)(uintptr_t)&v.names[4];
  for (int k = 0; k < 6; k++) {
    SupModel *before = sup_arena_copy(&w->arena, m, (size_t)m->bytes, 1);
    if (k == 0) *first += 1;
    if (k == 1) *at = 0xfffffff0u;
    if (k == 2) *frequency = 0;
    if (k == 3) *number = NAN;
    if (k == 4) *name = 'x';
    if (k == 5) name[1] = 0;
    m->checksum = sup_model_checksum(m);
    assert_int_equal(sup_model_check(m, (size_t)m->bytes, NULL, &error), SUP_ERROR_FORMAT);
    memcpy(m, before, (size_t)m->bytes);
    assert_int_equal(sup_model_check(m, (size_t)m->bytes, NULL, &error), SUP_OK);
  }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(one_alone),       TEST(two_instances), TEST(copied),        TEST(in_a_stack),
      TEST(other_rate),      TEST(mean),          TEST(one_frequency), TEST(dragged),
      TEST(with_everything), TEST(limits_follow), TEST(packed_again),  TEST(refusals),
      TEST(damaged),         TEST(strange_files),
  };
  return cmocka_run_group_tests_name("helpers_blend", tests, NULL, NULL);
}
