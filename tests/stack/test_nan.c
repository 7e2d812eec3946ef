/* SPDX-License-Identifier: MIT */
/*
 * One frame with a value that is no finite number, in the pose, the time or the forces: what is
 * shown is finite at once and for ever, and soon that of a twin who never saw it. Every technique
 * alone and in stacks.
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "fuzz/sound_models.h"
#include "supple/io/file.h"
#include "supple/modes.h"
#include "supple/popping.h"
#include "supple/stack.h"

enum { MOST = 256, JOINTS = 8, FAULT_AT = 20, FRAMES = 360 }; /* 6 s: decay is 1 /s */

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

/* The next frame; `fault` is in it. */
static void play(Actor *actor, Fault fault, int frame) {
  static const SupVec3 still[MOST];
  SupVec3 pushed[MOST];
  SupTransform joints[JOINTS];
  SupPose pose = {actor->stack.def.skeleton->joint_count, sup_transform_identity(), joints};
  const float bad = actor->value;
  actor->time += 1.0 / 60;
  actor->fault = fault;
  act(actor, actor->time, &pose);
  memcpy(pushed, still, sizeof pushed);
  SupPull hand = {.vertex = 5, .target = {0.5f, 1, 0}, .strength = 0.2f};
  SupCollider ball = {.a = {3, 0, 0}, .b = {3, 0, 0}, .radius = 0.1f};
  SupImpulse blow = {.centre = {0, 1, 0}, .radius = 1, .velocity = {0.5f, 0, 0}};
  SupExternalForces forces = {.acceleration = {0, -9.81f, 0},
                              .wind = {1, 0, 0},
                              .wind_drag = 0.1f,
                              .vertices = pushed,
                              .pull_count = 1,
                              .pulls = &hand,
                              .collider_count = 1,
                              .colliders = &ball};
  const SupPoppingEvent event = {.group = SUP_POPPING_ALL, .strength = 1};
  const SupPoppingControls muscles = {frame == 0 ? 1 : 0, &event};
  const SupStackControl control = {SUP_POPPING_KIND, &muscles};
  if (fault == FAULT_ROOT) pose.root.translation.z = bad;
  if (fault == FAULT_TRANSLATION) joints[0].translation.y = bad;
  if (fault == FAULT_ROTATION) joints[1].rotation.w = bad;
  if (fault == FAULT_SCALE) joints[1].scale.x = bad;
  if (fault == FAULT_GRAVITY) forces.acceleration.y = bad;
  if (fault == FAULT_WIND) forces.wind.x = bad;
  if (fault == FAULT_VERTEX) pushed[7].z = bad;
  if (fault == FAULT_PULL) hand.target.x = bad;
  if (fault == FAULT_COLLIDER) ball.a.x = bad;
  if (fault == FAULT_IMPULSE) blow.velocity.x = bad;
  const bool follows = actor->stack.follower != SUP_NO_LAYER;
  const SupStackFrame now = {.dt = fault == FAULT_DT ? bad : 1.0f / 60,
                             .pose = &pose,
                             .pose_at = act_before,
                             .user = actor,
                             .forces = &forces,
                             .impulse_count = follows && frame == FAULT_AT ? 1 : 0,
                             .impulses = &blow,
                             .control_count = 1,
                             .controls = &control,
                             .off = actor->off,
                             .positions = {actor->positions, 3},
                             .normals = {actor->normals, 3}};
  sup_stack_step(&actor->stack, actor->state, sup_backend_cpu(), NULL, &now);
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

/* The four on the tube that `which` has bits for; helpers with bit 4. */
static int play_stack(uint32_t which) {
  const SoundModel *sound = sound_models();
  static const int helpers = 6;
  const SupModel *models[4];
  char what[64] = "";
  SupStackDef def = sup_stack_def();
  def.models = models;
  def.skeleton = which & 16 ? sound[helpers].skeleton : sound[0].skeleton;
  for (int k = 0; k < 4; k++) {
    if (!(which >> k & 1)) continue;
    strcat(strcat(what, sound[k].name), " ");
    models[def.model_count++] = sound[k].model;
  }
  if (which & 16) {
    strcat(what, sound[helpers].name);
    models[def.model_count++] = sound[helpers].model;
  }
  def.back_coupling = 0.3f;
  int bad = 0;
  for (Fault fault = FAULT_DT; fault < FAULTS; fault++) {
    bad += play_fault(&def, what, fault, NAN, FAULT_AT);
    bad += play_fault(&def, what, fault, fault % 2 ? INFINITY : -INFINITY, FAULT_AT);
  }
  bad += play_fault(&def, what, FAULT_ROTATION, NAN, 0); /* with nothing to hold on to */
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
      cmocka_unit_test(modes_stand_a_nan_palette),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
