/* SPDX-License-Identifier: MIT */
/* Controllers at run time: bits, bounds, levels of detail, frame rates (MUK-T4, T13-T16). */
#include "check.h"

#include <math.h>
#include <string.h>

#include "marionette.h"
#include "numerics/state_space.h"
#include "runtime/helpers/helpers_rate.h"
#include "supple/io/file.h"
#include "supple/stack.h"

enum { OWN = 3, HELPERS = 4, STATES = 4, JOINTS = OWN + HELPERS };

typedef struct World {
  SupArena arena;
  Marionette marionette;
  SupHelpersState *state;
  SupHelpersControls controls;
  SupTransform joints[JOINTS];
  SupAffine globals[JOINTS];
  const SupBackend *backend;
} World;

static SupError error;

static int set_up(void **state) {
  World *w = calloc(1, sizeof *w);
  sup_arena_init(&w->arena, sup_heap_allocator(), 0);
  if (!marionette_make(&w->arena, OWN, HELPERS, STATES, &w->marionette)) return 1;
  w->state = sup_helpers_init(
      &w->marionette.view, sup_arena_alloc(&w->arena, sup_helpers_bytes(&w->marionette.view), 1));
  w->controls = sup_helpers_controls();
  w->backend = sup_backend_cpu();
  *state = w;
  return 0;
}

static int tear_down(void **state) {
  World *w = *state;
  sup_arena_free(&w->arena);
  free(w);
  return 0;
}

static void step_at(World *w, double time) {
  marionette_pose(&w->marionette, time, 0, w->joints, w->globals);
  const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
  sup_helpers_step(&w->marionette.view, w->state, w->backend, &w->controls, &pose, w->globals,
                   w->joints);
}

/* The linear algebra, written down plainly in double. */
static void as_written(void **state) {
  World *w = *state;
  const SupHelpersView *v = &w->marionette.view;
  double z[HELPERS][STATES] = {{0}};
  for (int i = 0; i < 200; i++) {
    step_at(w, i / 60.0);
    const float *u = (const float *)(const void *)((const char *)w->state + w->state->u);
    const float *moves = sup_helpers_moves(w->state);
    for (uint32_t h = 0; h < HELPERS; h++) {
      const SupHelperDef *d = &w->marionette.def.helpers[h];
      double in[16], next[STATES];
      for (uint32_t k = 0; k < d->input_count; k++) in[k] = (double)u[d->inputs[k]];
      in[d->input_count] = 1;
      const uint32_t width = d->input_count + 1;
      if (i < 2) { /* in balance: z = A z + B u */
        for (int round = 0; round < 2000; round++) {
          for (uint32_t r = 0; r < STATES; r++) {
            next[r] = 0;
            for (uint32_t c = 0; c < STATES; c++) next[r] += d->a[STATES * r + c] * z[h][c];
            for (uint32_t c = 0; c < width; c++) next[r] += d->b[width * r + c] * in[c];
          }
          memcpy(z[h], next, sizeof next);
        }
      }
      for (uint32_t o = 0; o < 6; o++) {
        double q = d->static_part[(1 + d->feature_count) * o];
        for (uint32_t k = 0; k < d->feature_count; k++) {
          const uint32_t *f = v->features + 3 * k;
          q += d->static_part[(1 + d->feature_count) * o + 1 + k] * (double)u[f[0]] *
               (double)u[f[1]] * (double)u[f[2]];
        }
        for (uint32_t c = 0; c < STATES; c++) q += d->c[STATES * o + c] * z[h][c];
        for (uint32_t c = 0; c < width; c++) q += d->d[width * o + c] * in[c];
        assert_true(fabs(q - (double)moves[6 * h + o]) < 2e-6);
      }
      for (uint32_t r = 0; r < STATES; r++) {
        next[r] = 0;
        for (uint32_t c = 0; c < STATES; c++) next[r] += d->a[STATES * r + c] * z[h][c];
        for (uint32_t c = 0; c < width; c++) next[r] += d->b[width * r + c] * in[c];
      }
      memcpy(z[h], next, sizeof next);
    }
  }
}

/* Inputs: rotation vectors up to half a turn, velocities and accelerations of places. */
static void inputs_are_right(void **state) {
  World *w = *state;
  const SupHelpersView *v = &w->marionette.view;
  const double h = (double)v->h;
  const float *u = (const float *)(const void *)((const char *)w->state + w->state->u);
  for (int i = 0; i < 60; i++) step_at(w, i * h);
  SupTransform joints[JOINTS];
  SupAffine g[3][JOINTS];
  for (int k = 0; k < 3; k++) marionette_pose(&w->marionette, (57 + k) * h, 0, joints, g[k]);
  for (uint32_t f = 0; f < v->frame_count; f++) {
    SupVec3d x[3];
    for (int k = 0; k < 3; k++) {
      x[k] = sup_vec3_to_double(sup_affine_point(g[k][v->frames[f].joint], v->frames[f].point));
    }
    const SupMat3d r = sup_affined_linear(sup_affine_to_double(g[2][v->frames[f].joint]));
    const double a[3] = {(x[2].x - 2 * x[1].x + x[0].x) / (h * h),
                         (x[2].y - 2 * x[1].y + x[0].y) / (h * h),
                         (x[2].z - 2 * x[1].z + x[0].z) / (h * h)};
    for (uint32_t c = 0; c < 3; c++) {
      const double local = r.m[3 * c] * a[0] + r.m[3 * c + 1] * a[1] + r.m[3 * c + 2] * a[2];
      const uint32_t i =
          sup_helpers_frame_input(v->turn_count, v->frame_count, f, SUP_HELPERS_PUSH + c);
      assert_true(fabs(local - (double)u[i]) < 2e-3); /* second differences of floats */
    }
  }
  /* Rotation vectors come back, up to half a turn (the rest rotations are the identity). */
  for (int k = 0; k <= 40; k++) {
    const float angle = (float)(SUP_PI * (k < 40 ? k / 40.0 : 0.99999));
    const SupVec3 turn = {0.6f * angle, 0, -0.8f * angle};
    marionette_pose(&w->marionette, 0, 0, w->joints, w->globals);
    w->joints[1].rotation = sup_quat_exp(turn);
    const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
    sup_helpers_step(v, w->state, w->backend, &w->controls, &pose, w->globals, w->joints);
    const float *want = &turn.x;
    for (uint32_t c = 0; c < 3; c++) {
      assert_true(fabs((double)(want[c] - u[sup_helpers_turn_input(v->turn_count, 1, c)])) < 1e-6);
    }
  }
}

/* The same bits on every instruction set, alone and in a crowd that changes its levels. */
static void same_bits(void **state) {
  World *w = *state;
  enum { CROWD = 37, FRAMES = 120 };
  const SupHelpersView *v = &w->marionette.view;
  const SupBackend *backends[8];
  const uint32_t count = sup_backend_list(backends, 8);
  uint64_t first = 0;
  for (uint32_t b = 0; b < count; b++) {
    SupHelpersState *alone[CROWD];
    SupHelpersBatch *batch = sup_helpers_batch_init(
        v, CROWD, sup_arena_alloc(&w->arena, sup_helpers_batch_bytes(v, CROWD), 1));
    for (int k = 0; k < CROWD; k++) {
      alone[k] = sup_helpers_init(v, sup_arena_alloc(&w->arena, sup_helpers_bytes(v), 1));
    }
    uint64_t hash = 0;
    SupRng rng = sup_rng(3, 3);
    uint8_t lods[CROWD];
    memset(lods, SUP_HELPERS_FULL, sizeof lods);
    for (int i = 0; i < FRAMES; i++) {
      SupHelpersControls controls = sup_helpers_controls();
      controls.exaggerate = 1.5f;
      controls.range = 0.02f;
      for (uint32_t k = 0; k < CROWD; k++) {
        if (sup_rng_below(&rng, 30) == 0) {
          lods[k] = (uint8_t)sup_rng_below(&rng, 3);
          sup_helpers_batch_lod(batch, k, (SupHelpersLod)lods[k]);
        }
        if (sup_rng_below(&rng, 200) == 0) {
          sup_helpers_batch_reset(batch, k);
          sup_helpers_reset(alone[k]);
        }
        marionette_pose(&w->marionette, i / 60.0, k, w->joints, w->globals);
        const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
        sup_helpers_batch_pose(v, batch, k, &pose, w->globals);
      }
      sup_helpers_batch_step(v, batch, backends[b], NULL, &controls);
      for (uint32_t k = 0; k < CROWD; k++) {
        SupTransform one[JOINTS], many[JOINTS];
        marionette_pose(&w->marionette, i / 60.0, k, one, w->globals);
        memcpy(many, one, sizeof one);
        const SupPose pose = {JOINTS, sup_transform_identity(), one};
        controls.lod = (SupHelpersLod)lods[k];
        sup_helpers_step(v, alone[k], backends[b], &controls, &pose, w->globals, one);
        sup_helpers_batch_read(v, batch, k, many);
        assert_memory_equal(one, many, sizeof one);
        hash = sup_hash(one, sizeof one, hash);
      }
    }
    if (b == 0) first = hash;
    assert_true(hash == first);
  }
}

static void too_many_are_refused(void **state) {
  World *w = *state;
  SupHelpersView huge = w->marionette.view;
  assert_true(sup_helpers_batch_bytes(&huge, 37) > 0);
  huge.state_count = 1u << 29; /* numbers of a character; a crowd of 2^32 is beyond 2^63 bytes */
  assert_int_equal(sup_helpers_batch_bytes(&huge, UINT32_MAX), 0);
}

static void exaggeration_is_linear(void **state) {
  World *w = *state;
  enum { FRAMES = 50, COUNT = 6 * HELPERS };
  float y[3][FRAMES][COUNT];
  for (int k = 0; k < 3; k++) {
    sup_helpers_reset(w->state);
    w->controls.exaggerate = (float)k;
    for (int i = 0; i < FRAMES; i++) {
      step_at(w, i / 60.0);
      const float *swings = sup_helpers_moves(w->state) + 6 * 16; /* behind what is shown */
      memcpy(y[k][i], swings, sizeof y[k][i]);
    }
  }
  float most = 0;
  for (int i = 0; i < FRAMES; i++) {
    for (int c = 0; c < COUNT; c++) {
      assert_true(y[0][i][c] == 0 && y[2][i][c] == 2 * y[1][i][c]);
      most = fmaxf(most, fabsf(y[1][i][c]));
    }
  }
  assert_true(most > 1e-3f);
  /* With a limit nothing goes farther than it did in learning, times that. */
  w->controls.exaggerate = 100;
  w->controls.range = 0.01f;
  for (int i = 0; i < FRAMES; i++) {
    step_at(w, i / 60.0);
    const float *swings = sup_helpers_moves(w->state) + 6 * 16;
    for (int c = 0; c < COUNT; c++) assert_true(fabsf(swings[c]) <= 0.03f * 1.0001f);
  }
}

/* Swings go little farther than they did in learning, whatever comes. */
static void limited(void **state) {
  World *w = *state;
  const SupHelpersView *v = &w->marionette.view;
  float *range = (float *)(uintptr_t)(v->matrices + v->bones[0].range_at);
  range[0] = -1e-4f, range[1] = 2e-4f;
  sup_helpers_init(v, w->state);
  float low = 0, high = 0;
  for (int i = 0; i < 200; i++) {
    step_at(w, i / 60.0);
    const float y = sup_helpers_moves(w->state)[6 * 16];
    low = fminf(low, y), high = fmaxf(high, y);
  }
  assert_true(low == -1e-4f * SUP_HELPERS_LIMIT && high == 2e-4f * SUP_HELPERS_LIMIT);
}

/* Levels fade: no step is much larger than those of the motion itself. */
static void levels_fade(void **state) {
  World *w = *state;
  float last[6 * HELPERS], usual = 0, worst = 0;
  for (int i = 0; i < 600; i++) {
    w->controls.lod = i < 200 ? SUP_HELPERS_FULL : (SupHelpersLod)(i / 40 % 3);
    step_at(w, i / 60.0);
    const float *moves = sup_helpers_moves(w->state);
    for (int c = 0; c < 6 * HELPERS && i > 0; c++) {
      float *most = i < 200 ? &usual : &worst;
      *most = fmaxf(*most, fabsf(moves[c] - last[c]));
    }
    memcpy(last, moves, sizeof last);
  }
  float size = 0; /* what is faded: at most all of it in 12 steps */
  for (int c = 0; c < 6 * HELPERS; c++) size = fmaxf(size, fabsf(last[c]));
  assert_true(usual > 0 && worst < 3 * usual + 0.03f);
}

/* Random poses for ever: swings stay within what is printed. */
static void bounded(void **state) {
  World *w = *state;
  const SupHelpersView *v = &w->marionette.view;
  double bounds[6 * HELPERS];
  for (uint32_t h = 0; h < HELPERS; h++) {
    const SupHelperDef *d = &w->marionette.def.helpers[h];
    const SupSystem s = {STATES,
                         d->input_count + 1,
                         6,
                         (double *)(uintptr_t)d->a,
                         (double *)(uintptr_t)d->b,
                         (double *)(uintptr_t)d->c,
                         (double *)(uintptr_t)d->d};
    double most[16];
    for (uint32_t k = 0; k < d->input_count; k++) most[k] = 30;
    most[d->input_count] = 1;
    assert_int_equal(sup_system_bound(&w->arena, &s, most, bounds + 6 * h, &error), SUP_OK);
  }
  SupRng rng = sup_rng(8, 8);
  marionette_pose(&w->marionette, 0, 0, w->joints, w->globals);
  const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
  double seen = 0;
  for (int i = 0; i < 1000000; i++) {
    for (uint32_t j = 0; j < OWN; j++) {
      for (int c = 9; c < 12; c++) w->globals[j].m[c] = 20 * sup_rng_float(&rng) - 10;
    }
    sup_helpers_step(v, w->state, w->backend, &w->controls, &pose, w->globals, w->joints);
    const float *swings = sup_helpers_moves(w->state) + 6 * 16;
    for (int c = 0; c < 6 * HELPERS; c++) {
      const double y = fabs((double)swings[c]);
      assert_true(y <= bounds[c] * 1.0001);
      seen = fmax(seen, y / bounds[c]);
    }
  }
  assert_true(seen > 0.1);
}

/* A root of a system taken so often is the system; and the converted model runs alike. */
static void frame_rates(void **state) {
  World *w = *state;
  const SupHelperDef *d = &w->marionette.def.helpers[0];
  const uint32_t inputs = d->input_count + 1;
  double a[STATES * STATES], b[STATES * 16], z[STATES] = {0}, fine[STATES] = {0}, u[16];
  assert_true(sup_helpers_power(&w->arena, STATES, inputs, d->a, d->b, 1.0 / 3, a, b));
  SupRng rng = sup_rng(5, 5);
  for (int i = 0; i < 300; i++) {
    for (uint32_t k = 0; k < inputs; k++) u[k] = 2 * sup_rng_double(&rng) - 1;
    for (int part = 0; part < 4; part++) {
      const double *m = part < 3 ? a : d->a, *n = part < 3 ? b : d->b;
      double *now = part < 3 ? fine : z, next[STATES];
      for (uint32_t r = 0; r < STATES; r++) {
        next[r] = 0;
        for (uint32_t c = 0; c < STATES; c++) next[r] += m[STATES * r + c] * now[c];
        for (uint32_t c = 0; c < inputs; c++) next[r] += n[inputs * r + c] * u[c];
      }
      memcpy(now, next, sizeof next);
    }
    for (uint32_t k = 0; k < STATES; k++) assert_true(fabs(z[k] - fine[k]) < 1e-10);
  }
  const double mirror[1] = {-0.5}, one[1] = {1};
  assert_false(sup_helpers_power(&w->arena, 1, 1, mirror, one, 0.5, a, b));
  SupModel *half;
  assert_int_equal(
      sup_helpers_convert(&w->arena, w->marionette.model, w->marionette.view.h / 2, &half, &error),
      SUP_OK);
  const SupHelpersView view = sup_helpers_view(half);
  SupHelpersState *other =
      sup_helpers_init(&view, sup_arena_alloc(&w->arena, sup_helpers_bytes(&view), 1));
  double apart = 0, size = 0;
  for (int i = 0; i < 240; i++) {
    step_at(w, i / 60.0);
    for (int part = i > 0 ? 1 : 0; part >= 0; part--) {
      marionette_pose(&w->marionette, i / 60.0 - part / 120.0, 0, w->joints, w->globals);
      const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
      sup_helpers_step(&view, other, w->backend, &w->controls, &pose, w->globals, w->joints);
    }
    const float *x = sup_helpers_moves(w->state) + 6 * 16, *y = sup_helpers_moves(other) + 6 * 16;
    for (int c = 0; c < 6 * HELPERS && i > 60; c++) {
      apart += ((double)x[c] - (double)y[c]) * ((double)x[c] - (double)y[c]);
      size += (double)x[c] * (double)x[c];
    }
  }
  assert_true(sqrt(apart / size) < 0.15); /* inputs are held for 1/120 s instead of 1/60 */
}

typedef struct Playing {
  const World *w;
  double time;
} Playing;

static void pose_then(void *user, float ago, SupPose *out_pose) {
  const Playing *p = user;
  SupAffine globals[JOINTS];
  out_pose->root = sup_transform_identity();
  marionette_pose(&p->w->marionette, p->time - (double)ago, 0, out_pose->joints, globals);
}

/* In the stack: 60 frames a second are the steps themselves, others are near. */
static void in_the_stack(void **state) {
  World *w = *state;
  SupStackDef def = sup_stack_def();
  const SupModel *models[1] = {w->marionette.model};
  SupStack stack;
  def.skeleton = &w->marionette.character.skeleton;
  def.model_count = 1;
  def.models = models;
  assert_int_equal(sup_stack_make(&def, &stack, &error), SUP_OK);
  static SupVec3 shown[4][61][32];
  const int rates[4] = {60, 30, 144, 240};
  for (int r = 0; r < 4; r++) {
    SupStackState *instance =
        sup_stack_init(&stack, sup_arena_alloc(&w->arena, sup_stack_bytes(&stack), 1));
    for (int i = 0; i <= rates[r]; i++) {
      marionette_pose(&w->marionette, (double)i / rates[r], 0, w->joints, w->globals);
      const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
      SupVec3 out[32];
      Playing playing = {w, (double)i / rates[r]};
      const SupStackFrame frame = {.dt = i ? 1.0f / (float)rates[r] : 0,
                                   .pose = &pose,
                                   .pose_at = pose_then,
                                   .user = &playing,
                                   .positions = {&out[0].x, 3}};
      sup_stack_step(&stack, instance, w->backend, NULL, &frame);
      if (i * 6 % rates[r] == 0) memcpy(shown[r][i * 6 / rates[r]], out, sizeof out);
      if (r > 0) continue;
      /* By hand. */
      step_at(w, i / 60.0);
      const SupPose moved = {JOINTS, sup_transform_identity(), w->joints};
      SupAffine palette[JOINTS];
      sup_pose_evaluate(def.skeleton, &moved, w->globals, palette);
      for (uint32_t k = 0; k < w->marionette.character.body.vertex_count; k++) {
        const uint32_t bone = w->marionette.character.skin.bones[k];
        const SupVec3 want =
            sup_affine_point(palette[bone], w->marionette.character.body.positions[k]);
        assert_true(sup_vec3_distance(want, out[k]) < 1e-5f);
      }
    }
  }
  for (int r = 1; r < 4; r++) {
    double apart = 0;
    for (int i = 2; i <= 6; i++) {
      for (uint32_t k = 0; k < 25; k++) {
        apart = fmax(apart, (double)sup_vec3_distance(shown[0][i][k], shown[r][i][k]));
      }
    }
    /* 30 frames a second make the same steps; 144 make them at times between the poses. */
    assert_true(apart < (r == 1 ? 1e-5 : 2e-3));
  }
}

/* A cut: the next pose is shown as if the character had always been there. */
static void cuts(void **state) {
  World *w = *state;
  for (int i = 0; i < 90; i++) step_at(w, i / 60.0);
  sup_helpers_reset(w->state);
  step_at(w, 7.7);
  float after[6 * HELPERS];
  memcpy(after, sup_helpers_moves(w->state), sizeof after);
  SupHelpersState *fresh = sup_helpers_init(
      &w->marionette.view, sup_arena_alloc(&w->arena, sup_helpers_bytes(&w->marionette.view), 1));
  w->state = fresh;
  step_at(w, 7.7);
  assert_memory_equal(after, sup_helpers_moves(fresh), sizeof after);
}

static void damage_is_refused(void **state) {
  World *w = *state;
  const size_t bytes = (size_t)w->marionette.model->bytes;
  SupRng rng = sup_rng(6, 1);
  uint32_t refused = 0;
  for (int k = 0; k < 400; k++) {
    SupModel *copy = (SupModel *)sup_arena_copy(&w->arena, w->marionette.model, bytes, 1);
    uint32_t *words = (uint32_t *)(void *)copy;
    words[64 + sup_rng_below(&rng, (uint32_t)(bytes / 4 - 64))] = sup_rng_u32(&rng);
    copy->checksum = sup_model_checksum(copy);
    if (sup_model_check(copy, bytes, NULL, &error) != SUP_OK) {
      refused++;
      continue;
    }
    const SupHelpersView view = sup_helpers_view(copy); /* what passes can be stepped */
    SupHelpersState *s =
        sup_helpers_init(&view, sup_arena_alloc(&w->arena, sup_helpers_bytes(&view), 1));
    for (int i = 0; i < 3; i++) {
      marionette_pose(&w->marionette, i / 60.0, 0, w->joints, w->globals);
      const SupPose pose = {JOINTS, sup_transform_identity(), w->joints};
      sup_helpers_step(&view, s, w->backend, &w->controls, &pose, w->globals, w->joints);
    }
  }
  assert_true(refused > 20);
}

/* A block that is sound by itself may still be another skeleton's. */
static void other_skeletons_are_refused(void **state) {
  World *w = *state;
  const size_t bytes = (size_t)w->marionette.model->bytes;
  SupModel *copy = (SupModel *)sup_arena_copy(&w->arena, w->marionette.model, bytes, 1);
  uint64_t count;
  const uint32_t *counts = sup_model_section(copy, SUP_SECTION_HELPERS_COUNTS, 4, &count);
  uint32_t *joints = (uint32_t *)((char *)copy + ((const char *)(counts + 1) - (const char *)copy));
  assert_int_equal(*joints, JOINTS);
  *joints = JOINTS + 1;
  copy->checksum = sup_model_checksum(copy);
  assert_int_equal(sup_model_check(copy, bytes, NULL, &error), SUP_OK);
  SupStackDef def = sup_stack_def();
  const SupModel *models[1] = {copy};
  SupStack stack;
  def.skeleton = &w->marionette.character.skeleton;
  def.model_count = 1;
  def.models = models;
  assert_int_equal(sup_stack_make(&def, &stack, &error), SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "joints"));
  *joints = JOINTS;
  copy->h = 1e-30f;
  copy->checksum = sup_model_checksum(copy);
  assert_int_equal(sup_model_check(copy, bytes, NULL, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "steps"));
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(as_written),
      TEST(inputs_are_right),
      TEST(same_bits),
      TEST(too_many_are_refused),
      TEST(exaggeration_is_linear),
      TEST(levels_fade),
      TEST(bounded),
      TEST(frame_rates),
      TEST(in_the_stack),
      TEST(cuts),
      TEST(limited),
      TEST(damage_is_refused),
      TEST(other_skeletons_are_refused),
  };
  return cmocka_run_group_tests_name("helpers", tests, NULL, NULL);
}
