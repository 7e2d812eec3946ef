/* SPDX-License-Identifier: MIT */
/*
 * One frame with a value that is no finite number, in the pose, the time or the forces: what is
 * shown is finite at once and for ever, and soon that of a twin who never saw it. Every technique
 * alone, in stacks and in crowds.
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "fuzz/sound_models.h"
#include "supple/helpers.h"
#include "supple/io/file.h"
#include "supple/modes.h"
#include "supple/popping.h"
#include "supple/stack.h"

enum { MOST = 256, JOINTS = 8, FAULT_AT = 20, FRAMES = 360, HELPERS = 6 };
/* FRAMES is 6 s: decay is 1 /s. HELPERS: where they are among the sound models. */

typedef enum Fault {
  FAULT_NONE,
  FAULT_DT,
  FAULT_ROOT,
  FAULT_TRANSLATION,
  FAULT_ROTATION,
  FAULT_SCALE,
  FAULT_BETWEEN, /* a pose between frames */
  FAULT_GRAVITY,
  FAULT_WIND,
  FAULT_VERTEX,
  FAULT_PULL,
  FAULT_COLLIDER,
  FAULT_IMPULSE,
  FAULTS
} Fault;

typedef struct Actor {
  SupStack stack;
  SupStackState *state;
  double time;
  Fault fault;
  float value; /* of the fault */
  bool off;
  float positions[3 * MOST], normals[3 * MOST];
} Actor;

static void act(const Actor *actor, double time, SupPose *out_pose) {
  const SupSkeleton *skeleton = actor->stack.def.skeleton;
  memcpy(out_pose->joints, skeleton->rest, skeleton->joint_count * sizeof *skeleton->rest);
  out_pose->root = sup_transform_identity();
  out_pose->root.translation.x = 0.1f * sinf(9 * (float)time);
  out_pose->joints[1].rotation =
      sup_quat_from_axis_angle((SupVec3){0, 0, 1}, 0.4f * sinf(5 * (float)time));
}

static void act_before(void *user, float ago, SupPose *out_pose) {
  const Actor *actor = user;
  act(actor, actor->time - (double)ago, out_pose);
  if (actor->fault == FAULT_BETWEEN) out_pose->joints[0].translation.y = actor->value;
}

/* A frame and all that it points to. */
typedef struct Shot {
  SupVec3 pushed[MOST];
  SupTransform joints[JOINTS];
  SupPose pose;
  SupPull hand;
  SupCollider ball;
  SupImpulse blow;
  SupExternalForces forces;
  SupPoppingEvent event;
  SupPoppingControls muscles;
  SupStackControl control;
  SupStackFrame frame;
} Shot;

static void put_fault(Fault fault, float bad, Shot *io) {
  if (fault == FAULT_ROOT) io->pose.root.translation.z = bad;
  if (fault == FAULT_TRANSLATION) io->joints[0].translation.y = bad;
  if (fault == FAULT_ROTATION) io->joints[1].rotation.w = bad;
  if (fault == FAULT_SCALE) io->joints[1].scale.x = bad;
  if (fault == FAULT_GRAVITY) io->forces.acceleration.y = bad;
  if (fault == FAULT_WIND) io->forces.wind.x = bad;
  if (fault == FAULT_VERTEX) io->pushed[7].z = bad;
  if (fault == FAULT_PULL) io->hand.target.x = bad;
  if (fault == FAULT_COLLIDER) io->ball.a.x = bad;
  if (fault == FAULT_IMPULSE) io->blow.velocity.x = bad;
  if (fault == FAULT_DT) io->frame.dt = bad;
}

/* The actor's next frame; `fault` is in it. */
static void direct(Actor *actor, Fault fault, int frame, Shot *out) {
  const bool follows = actor->stack.follower != SUP_NO_LAYER;
  actor->time += 1.0 / 60;
  actor->fault = fault;
  memset(out, 0, sizeof *out);
  out->pose =
      (SupPose){actor->stack.def.skeleton->joint_count, sup_transform_identity(), out->joints};
  act(actor, actor->time, &out->pose);
  out->hand = (SupPull){.vertex = 5, .target = {0.5f, 1, 0}, .strength = 0.2f};
  out->ball = (SupCollider){.a = {3, 0, 0}, .b = {3, 0, 0}, .radius = 0.1f};
  out->blow = (SupImpulse){.centre = {0, 1, 0}, .radius = 1, .velocity = {0.5f, 0, 0}};
  out->forces = (SupExternalForces){.acceleration = {0, -9.81f, 0},
                                    .wind = {1, 0, 0},
                                    .wind_drag = 0.1f,
                                    .vertices = out->pushed,
                                    .pull_count = 1,
                                    .pulls = &out->hand,
                                    .collider_count = 1,
                                    .colliders = &out->ball};
  out->event = (SupPoppingEvent){.group = SUP_POPPING_ALL, .strength = 1};
  out->muscles = (SupPoppingControls){frame == 0 ? 1 : 0, &out->event};
  out->control = (SupStackControl){SUP_POPPING_KIND, &out->muscles};
  out->frame = (SupStackFrame){.dt = 1.0f / 60,
                               .pose = &out->pose,
                               .pose_at = act_before,
                               .user = actor,
                               .forces = &out->forces,
                               .impulse_count = follows && frame == FAULT_AT ? 1 : 0,
                               .impulses = &out->blow,
                               .control_count = 1,
                               .controls = &out->control,
                               .off = actor->off,
                               .positions = {actor->positions, 3},
                               .normals = {actor->normals, 3}};
  put_fault(fault, actor->value, out);
}

static void play(Actor *actor, Fault fault, int frame) {
  Shot shot;
  direct(actor, fault, frame, &shot);
  sup_stack_step(&actor->stack, actor->state, sup_backend_cpu(), NULL, &shot.frame);
}

static void begin(SupArena *arena, const SupStackDef *def, Actor *out) {
  SupError error = {{0}};
  memset(out, 0, sizeof *out);
  if (sup_stack_make(def, &out->stack, &error)) fail_msg("%s", error.text);
  assert_true(out->stack.vertex_count <= MOST && def->skeleton->joint_count <= JOINTS);
  out->state = sup_stack_init(&out->stack, sup_arena_alloc(arena, 1, sup_stack_bytes(&out->stack)));
}

static bool shows_numbers(const Actor *actor) {
  for (uint32_t k = 0; k < 3 * actor->stack.vertex_count; k++) {
    if (!isfinite(actor->positions[k]) || !isfinite(actor->normals[k])) return false;
  }
  return true;
}

static float apart(const Actor *a, const Actor *b) {
  float most = 0;
  for (uint32_t k = 0; k < 3 * a->stack.vertex_count; k++) {
    const float d = fabsf(a->positions[k] - b->positions[k]);
    most = d > most || isnan(d) ? d : most;
  }
  return most;
}

/* 1 where it did not stand the fault. */
static int play_fault(const SupStackDef *def, const char *what, Fault fault, float value, int at) {
  static Actor hit, twin, plain;
  SupArena arena;
  float motion = 0, worst = 0;
  int unfit = 0;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  begin(&arena, def, &hit);
  begin(&arena, def, &twin);
  begin(&arena, def, &plain);
  hit.value = value;
  plain.off = true;
  for (int frame = 0; frame < FRAMES; frame++) {
    play(&hit, frame == at ? fault : FAULT_NONE, frame);
    play(&twin, FAULT_NONE, frame);
    play(&plain, FAULT_NONE, frame);
    unfit += !shows_numbers(&hit);
    motion = fmaxf(motion, apart(&twin, &plain));
    worst = apart(&twin, &hit);
  }
  sup_arena_free(&arena);
  const bool far = !(worst <= 0.01f * motion + 1e-5f);
  if (unfit || far) {
    print_error("%s, fault %d (%g) at %d: %d frames not finite, then %g off of %g\n", what,
                (int)fault, (double)value, at, unfit, (double)worst, (double)motion);
  }
  return unfit || far;
}

typedef struct Mix {
  SupStackDef def;
  const SupModel *models[4];
  char what[64];
} Mix;

/* The four on the tube that `which` has bits for; helpers with bit 4. */
static void mix_models(uint32_t which, Mix *out) {
  const SoundModel *sound = sound_models();
  *out = (Mix){.def = sup_stack_def()};
  out->def.models = out->models;
  out->def.skeleton = which & 16 ? sound[HELPERS].skeleton : sound[0].skeleton;
  for (int k = 0; k < 4; k++) {
    if (!(which >> k & 1)) continue;
    strcat(strcat(out->what, sound[k].name), " ");
    out->models[out->def.model_count++] = sound[k].model;
  }
  if (which & 16) {
    strcat(out->what, sound[HELPERS].name);
    out->models[out->def.model_count++] = sound[HELPERS].model;
  }
  out->def.back_coupling = 0.3f;
}

static int play_stack(uint32_t which) {
  Mix mix;
  mix_models(which, &mix);
  int bad = 0;
  for (Fault fault = FAULT_DT; fault < FAULTS; fault++) {
    bad += play_fault(&mix.def, mix.what, fault, NAN, FAULT_AT);
    bad += play_fault(&mix.def, mix.what, fault, fault % 2 ? INFINITY : -INFINITY, FAULT_AT);
  }
  bad += play_fault(&mix.def, mix.what, FAULT_ROTATION, NAN, 0); /* with nothing to hold on to */
  return bad;
}

static void techniques_stand_a_nan_alone(void **state) {
  (void)state;
  int bad = 0;
  for (uint32_t bit = 0; bit < 5; bit++) bad += play_stack(1u << bit);
  assert_int_equal(bad, 0);
}

static void techniques_stand_a_nan_in_stacks(void **state) {
  (void)state;
  int bad = 0;
  for (uint32_t which = 1; which < 16; which++) {
    if (which & (which - 1)) bad += play_stack(which);
  }
  assert_int_equal(bad, 0);
}

/* Three in one call, one of whom is hit: the others keep the bits of the same three unhurt. */
static int play_crowd(const SupStackDef *def, const char *what, Fault fault, float value) {
  enum { CROWD = 3, HIT = 1 };
  static Actor actors[2][CROWD];
  static Shot shots[CROWD];
  SupArena arena;
  int unfit = 0, touched = 0;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (int k = 0; k < 2 * CROWD; k++) {
    begin(&arena, def, &actors[k / CROWD][k % CROWD]);
    actors[k / CROWD][k % CROWD].time = 0.1 * (k % CROWD);
    actors[k / CROWD][k % CROWD].value = value;
  }
  for (int frame = 0; frame < 2 * FAULT_AT; frame++) {
    for (int side = 0; side < 2; side++) {
      SupStackState *states[CROWD];
      SupStackFrame frames[CROWD];
      for (int k = 0; k < CROWD; k++) {
        const bool hit = side == 1 && k == HIT && frame == FAULT_AT;
        direct(&actors[side][k], hit ? fault : FAULT_NONE, frame, &shots[k]);
        states[k] = actors[side][k].state;
        frames[k] = shots[k].frame;
      }
      sup_stack_step_all(&actors[side][0].stack, states, CROWD, sup_backend_cpu(), NULL, frames);
    }
    for (int k = 0; k < CROWD; k++) {
      const Actor *a = &actors[0][k], *b = &actors[1][k];
      unfit += !shows_numbers(b);
      touched += k != HIT && (memcmp(a->positions, b->positions, sizeof a->positions) ||
                              memcmp(a->normals, b->normals, sizeof a->normals));
    }
  }
  sup_arena_free(&arena);
  if (unfit || touched) {
    print_error("%s, a crowd, fault %d: %d not finite, %d of others touched\n", what, (int)fault,
                unfit, touched);
  }
  return unfit || touched;
}

static void one_of_a_crowd_is_hit_alone(void **state) {
  (void)state;
  int bad = 0;
  for (uint32_t which = 1; which < 17; which++) {
    Mix mix;
    mix_models(which, &mix);
    for (Fault fault = FAULT_DT; fault < FAULTS; fault++) {
      bad += play_crowd(&mix.def, mix.what, fault, fault % 2 ? NAN : INFINITY);
    }
  }
  assert_int_equal(bad, 0);
}

/* Helpers in slots, 16 to a block: who has no pose keeps the last one. */
static void helpers_in_slots_stand_a_nan(void **state) {
  (void)state;
  enum { COUNT = 20, HIT = 7 };
  const SoundModel *sound = &sound_models()[HELPERS];
  const SupHelpersView view = sup_helpers_view(sound->model);
  const SupHelpersControls controls = sup_helpers_controls();
  const uint32_t joints = sound->skeleton->joint_count;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupHelpersBatch *sides[2];
  for (int side = 0; side < 2; side++) {
    void *block = sup_arena_alloc(&arena, 1, sup_helpers_batch_bytes(&view, COUNT));
    sides[side] = sup_helpers_batch_init(&view, COUNT, block);
  }
  for (int frame = 0; frame < FRAMES; frame++) {
    SupTransform shown[2][COUNT][JOINTS] = {0};
    float most = 0;
    for (int side = 0; side < 2; side++) {
      for (uint32_t k = 0; k < COUNT; k++) {
        SupTransform local[JOINTS];
        SupAffine globals[JOINTS];
        memcpy(local, sound->skeleton->rest, joints * sizeof *local);
        for (uint32_t j = 0; j < joints; j++) {
          local[j].rotation = sup_quat_from_axis_angle(
              (SupVec3){0, 0, 1}, 0.4f * sinf(0.1f * (float)frame + (float)(k + j)));
          globals[j] = sup_affine_identity();
          globals[j].m[9] = 0.1f * sinf(0.15f * (float)frame + (float)k);
          if (side == 0 || k != HIT || frame != FAULT_AT) continue;
          local[j].rotation.x = NAN;
          globals[j].m[10] = INFINITY;
        }
        const SupPose pose = {joints, sup_transform_identity(), local};
        sup_helpers_batch_pose(&view, sides[side], k, &pose, globals);
      }
      sup_helpers_batch_step(&view, sides[side], sup_backend_cpu(), NULL, &controls);
      for (uint32_t k = 0; k < COUNT; k++) {
        sup_helpers_batch_read(&view, sides[side], k, shown[side][k]);
      }
    }
    for (uint32_t k = 0; k < COUNT; k++) {
      const float *a = (const float *)shown[0][k], *b = (const float *)shown[1][k];
      if (k != HIT) assert_memory_equal(a, b, sizeof shown[0][k]);
      for (uint32_t i = 0; i < 10 * joints; i++) {
        assert_true(isfinite(b[i]));
        most = fmaxf(most, fabsf(a[i] - b[i]));
      }
    }
    assert_true(most < 0.2f);
    if (frame + 1 == FRAMES) assert_true(most < 1e-4f);
  }
  sup_arena_free(&arena);
}

/* Modes without a stack, as batches step them. */
static void modes_stand_a_nan_palette(void **state) {
  (void)state;
  const SupModesView view = sup_modes_view(sound_models()[3].model);
  const SupBackend *backend = sup_backend_cpu();
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupModesState *states[2];
  for (int k = 0; k < 2; k++) {
    states[k] = sup_modes_init(&view, sup_arena_alloc(&arena, 1, sup_modes_bytes(&view)));
  }
  SupAffine palette[2] = {sup_affine_identity(), sup_affine_identity()};
  float most = 0, apart = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    const float x = 0.1f * sinf(0.2f * (float)frame);
    for (int k = 0; k < 2; k++) {
      const bool hit = k == 1 && frame == FAULT_AT, pulled = k == 1 && frame == FAULT_AT + 5;
      const SupModesForces forces = {.gravity = {0, pulled ? NAN : -9.81f, 0}};
      palette[1].m[9] = hit ? NAN : x;
      sup_modes_step(&view, states[k], backend, 1.0f / 60, palette, &forces);
    }
    apart = 0;
    for (uint32_t m = 0; m < view.mode_count; m++) {
      const float a = sup_modes_amplitudes(states[0])[m], b = sup_modes_amplitudes(states[1])[m];
      assert_true(isfinite(b) && fabsf(b) < 1e6f);
      most = fmaxf(most, fabsf(a));
      apart = fmaxf(apart, fabsf(a - b));
    }
  }
  assert_true(apart < 0.01f * most);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(techniques_stand_a_nan_alone),
      cmocka_unit_test(techniques_stand_a_nan_in_stacks),
      cmocka_unit_test(one_of_a_crowd_is_hit_alone),
      cmocka_unit_test(helpers_in_slots_stand_a_nan),
      cmocka_unit_test(modes_stand_a_nan_palette),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
