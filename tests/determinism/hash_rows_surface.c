/* SPDX-License-Identifier: MIT */
/* The rows of the surface technique and the stack: a tube that is packed, shaken and struck. */
#include "hash_rows.h"
#include "supple/stack.h"
#include "supple/surface.h"
#include "surface/tube.h"

enum { AROUND = 22, ALONG = 31, VERTICES = AROUND * ALONG + 2, FRAMES = 40 };

static SupVec3 positions[VERTICES], normals[VERTICES];
static float maps[SUP_SURFACE_ALL_MAPS][VERTICES];

/* Every map uneven. */
static SupSurfaceDef uneven(uint32_t flags) {
  static const float most[SUP_SURFACE_ALL_MAPS] = {0.3f, 0.3f, 0.3f, 0.2f, 0.2f,
                                                   0.5f, 0.3f, 0.1f, 0.6f, 0.3f};
  SupRng rng = sup_rng(6, 1);
  SupSurfaceDef def = sup_surface_def();
  for (int row = 0; row < SUP_SURFACE_ALL_MAPS; row++) {
    for (uint32_t v = 0; v < VERTICES; v++) {
      maps[row][v] = most[row] * (0.1f + 0.9f * sup_rng_float(&rng));
    }
    def.maps[row] = maps[row];
  }
  def.flags = flags;
  def.segment_count = 2;
  def.segments = tube_segments;
  return def;
}

static void move(SupPose *pose, float time) {
  const SupVec3 axis = sup_vec3_normalise((SupVec3){0.3f, 0.2f, 1});
  pose->joints[1].rotation = sup_quat_from_axis_angle(axis, 0.8f * sup_sinf(9 * time));
  pose->joints[0].translation.x = 0.3f * sup_sinf(7 * time);
  pose->root.translation.y = time;
  pose->root.rotation = sup_quat_from_axis_angle((SupVec3){0, 1, 0}, time);
}

/* Another order of tasks than one after the other: what threads do. */
static void run_backwards(void *user, uint32_t task_count, SupTask *task, void *context) {
  (void)user;
  for (uint32_t k = task_count; k > 0; k--) task(context, k - 1);
}

static uint64_t hash_play(const SupBackend *backend, uint32_t flags, SupSpace space, bool dual,
                          SupVec3 scale) {
  const SupJobs jobs = {run_backwards, NULL};
  SupArena arena = hash_arena();
  SupCharacter tube;
  SupModel *model;
  SupStack stack;
  tube_make(&arena, AROUND, ALONG, NULL, &tube);
  const SupSurfaceDef def = uneven(flags);
  if (sup_surface_pack(&arena, &tube, &def, &model, NULL)) return 0;
  uint64_t hash = sup_hash(model, (size_t)model->bytes, 0);
  const SupModel *models[1] = {model};
  SupStackDef stack_def = sup_stack_def();
  stack_def.skeleton = &tube.skeleton;
  stack_def.model_count = 1;
  stack_def.models = models;
  stack_def.space = space;
  stack_def.dual_quaternions = dual;
  if (sup_stack_make(&stack_def, &stack, NULL)) return 0;
  SupStackState *state =
      sup_stack_init(&stack, sup_arena_alloc(&arena, sup_stack_bytes(&stack), 1));
  SupTransform joints[2];
  SupPose pose = {2, sup_transform_identity(), joints};
  sup_pose_rest(&tube.skeleton, &pose);
  const SupImpulse blow = {{0.4f, 1, 0}, 0.5f, {-3, 1, 0}};
  const SupCollider capsule = {{0.6f, 0.2f, 0}, {0.6f, 1.4f, 0}, {-0.01f, 0, 0}, 0.25f, 0.5f};
  const SupPull pulls[2] = {{40, {0.7f, 0.4f, 0.1f}, 1}, {400, {0.1f, 2, 0.9f}, 0.2f}};
  const SupExternalForces forces = {.acceleration = {0, -9.8f, 0},
                                    .wind = {1, 0, 4},
                                    .wind_drag = 0.7f,
                                    .collider_count = 1,
                                    .colliders = &capsule,
                                    .pull_count = 2,
                                    .pulls = pulls};
  float time = 0;
  for (uint32_t i = 0; i < FRAMES; i++) {
    const float dt = i % 9 == 8 ? 0.09f : i % 3 ? 0.011f : 1.0f / 60;
    move(&pose, time += dt);
    pose.root.scale = scale;
    const SupStackFrame frame = {.dt = dt,
                                 .pose = &pose,
                                 .forces = i % 10 > 4 ? &forces : NULL,
                                 .impulse_count = i % 8 == 3,
                                 .impulses = &blow,
                                 .off = i > 30 && i < 34,
                                 .positions = {&positions[0].x, 3},
                                 .normals = {&normals[0].x, 3}};
    sup_stack_step(&stack, state, backend, &jobs, &frame);
    hash = sup_hash(positions, sizeof positions, hash);
    hash = sup_hash(normals, sizeof normals, hash);
  }
  const SupLayer *layer = sup_stack_layer(&stack, SUP_SURFACE_KIND);
  const SupSurfaceView *view = (const SupSurfaceView *)sup_layer_view(layer);
  return sup_hash((const char *)state + layer->state, sup_surface_bytes(view), hash);
}

static const SupVec3 as_at_rest = {1, 1, 1};

uint64_t hash_surface(const SupBackend *backend) {
  return hash_play(backend, 0, SUP_SPACE_WORLD, false, as_at_rest);
}
uint64_t hash_surface_bones(const SupBackend *backend) {
  return hash_play(backend, SUP_SURFACE_BONE_ROTATION, SUP_SPACE_MODEL, true, as_at_rest);
}
uint64_t hash_surface_absolute(const SupBackend *backend) {
  return hash_play(backend, SUP_SURFACE_ABSOLUTE, SUP_SPACE_JOINT, false, as_at_rest);
}
uint64_t hash_surface_normal(const SupBackend *backend) {
  return hash_play(backend, SUP_SURFACE_NORMAL, SUP_SPACE_WORLD, false, as_at_rest);
}
uint64_t hash_surface_undelayed(const SupBackend *backend) {
  return hash_play(backend, SUP_SURFACE_UNDELAYED, SUP_SPACE_WORLD, false, as_at_rest);
}
uint64_t hash_surface_scaled(const SupBackend *backend) {
  return hash_play(backend, 0, SUP_SPACE_WORLD, false, (SupVec3){-0.3f, 0.4f, 0.3f});
}
