/* SPDX-License-Identifier: MIT */
/* The same bits for any number of threads, any instruction set of this processor, and in crowds. */
#include "puppet.h"

#include <string.h>

#include "supple/io/file.h"
#include "supple/io/pool.h"
#include "supple/surface.h"

enum { FRAMES = 24, CROWD = 7 };

/* A second of everything: uneven frames, blows, colliders, drags, wind. */
static uint64_t play(Puppet *p, const SupBackend *backend, const SupJobs *jobs) {
  SupStackState *s = puppet_state(p);
  puppet_pose(p, 0);
  puppet_goal(p);
  const SupImpulse blow = {p->goal[10], 0.4f, {2, 1, 0}};
  const SupCollider ball = {{0.3f, 0.5f, 0.2f}, {0.3f, 0.7f, 0.2f}, {0, 0, 0}, 0.2f, 0.5f};
  const SupPull pulls[2] = {{5, {0.5f, 1, 0.5f}, 1}, {50, {-0.5f, 1, 0.5f}, 0.3f}};
  const SupExternalForces forces = {.acceleration = {0, -2, 0},
                                    .wind = {5, 0, 1},
                                    .wind_drag = 0.5f,
                                    .collider_count = 1,
                                    .colliders = &ball,
                                    .pull_count = 2,
                                    .pulls = pulls};
  uint64_t hash = 0;
  double time = 0;
  for (int i = 0; i < FRAMES; i++) {
    const double dt = i % 5 == 3 ? 0.05 : 0.013;
    puppet_pose(p, time += dt);
    const SupStackFrame frame = {.dt = (float)dt,
                                 .pose = &p->pose,
                                 .forces = i % 3 ? &forces : NULL,
                                 .impulse_count = i % 7 == 0,
                                 .impulses = &blow,
                                 .positions = {&p->positions[0].x, 3},
                                 .normals = {&p->normals[0].x, 3}};
    sup_stack_step(&p->stack, s, backend, jobs, &frame);
    hash = sup_hash(p->positions, p->vertices * sizeof(SupVec3), hash);
    hash = sup_hash(p->normals, p->vertices * sizeof(SupVec3), hash);
  }
  /* The whole state too, spare lanes and all. */
  return sup_hash(s, sup_stack_bytes(&p->stack), hash);
}

static void make(Puppet *p, uint32_t vertices) {
  SupSurfaceDef def = puppet_def();
  def.values[SUP_SURFACE_MAX_DISTANCE] = 0.3f;
  def.values[SUP_SURFACE_STOP] = 0.02f;
  def.values[SUP_SURFACE_ETA] = 0.2f;
  puppet_make(p, vertices, &def, true);
}

static void threads_give_the_same_bits(void **state) {
  (void)state;
  Puppet p;
  make(&p, 3000);
  const uint64_t alone = play(&p, sup_backend_cpu(), NULL);
  for (uint32_t threads = 1; threads <= 8; threads++) {
    SupPool *pool = sup_pool_create(sup_heap_allocator(), threads);
    assert_non_null(pool);
    const SupJobs jobs = sup_pool_jobs(pool);
    assert_true(play(&p, sup_backend_cpu(), &jobs) == alone);
    sup_pool_destroy(pool);
  }
  puppet_free(&p);
}

static void backends_give_the_same_bits(void **state) {
  (void)state;
  Puppet p;
  make(&p, 500);
  const SupBackend *backends[8];
  const uint32_t count = sup_backend_list(backends, 8);
  const uint64_t first = play(&p, backends[0], NULL);
  for (uint32_t k = 1; k < count; k++) {
    if (play(&p, backends[k], NULL) != first) {
      fail_msg("%s and %s differ", backends[k]->name, backends[0]->name);
    }
  }
  puppet_free(&p);
}

static void crowds_give_the_same_bits(void **state) {
  (void)state;
  Puppet p;
  make(&p, 500);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  const SupJobs jobs = sup_pool_jobs(pool);
  const uint32_t joint_count = p.character.skeleton.joint_count;
  SupStackState *together[CROWD], *alone[CROWD];
  SupPose poses[CROWD];
  SupStackFrame frames[CROWD];
  SupVec3 *out[CROWD];
  for (uint32_t k = 0; k < CROWD; k++) {
    together[k] = puppet_state(&p);
    alone[k] = puppet_state(&p);
    SupTransform *joints = SUP_ALLOC(&p.arena, SupTransform, joint_count);
    poses[k] = (SupPose){joint_count, sup_transform_identity(), joints};
    out[k] = SUP_ALLOC(&p.arena, SupVec3, p.vertices);
    frames[k] =
        (SupStackFrame){.pose = &poses[k], .positions = {&out[k][0].x, 3}, .off = k == CROWD - 1};
  }
  for (int i = 0; i < 30; i++) {
    for (uint32_t k = 0; k < CROWD; k++) {
      frames[k].dt = 0.01f + 0.003f * (float)k;
      puppet_pose(&p, i * (double)frames[k].dt + k);
      memcpy(poses[k].joints, p.joints, joint_count * sizeof(SupTransform));
    }
    sup_stack_step_all(&p.stack, together, CROWD, sup_backend_cpu(), &jobs, frames);
    for (uint32_t k = 0; k < CROWD; k++) {
      SupStackFrame frame = frames[k];
      frame.positions.data = &p.positions[0].x;
      sup_stack_step(&p.stack, alone[k], sup_backend_cpu(), NULL, &frame);
      assert_memory_equal(p.positions, out[k], p.vertices * sizeof(SupVec3));
      assert_memory_equal(alone[k], together[k], sup_stack_bytes(&p.stack));
    }
  }
  sup_pool_destroy(pool);
  puppet_free(&p);
}

/* A living character is its bytes. */
static void copies_live_on(void **state) {
  (void)state;
  Puppet p;
  make(&p, 500);
  SupStackState *s = puppet_state(&p);
  SupVec3 *kept = SUP_ALLOC(&p.arena, SupVec3, p.vertices);
  for (int i = 0; i < 20; i++) puppet_pose(&p, i * 0.02), puppet_step(&p, s, 0.02);
  SupStackState *copy = sup_arena_alloc(&p.arena, sup_stack_bytes(&p.stack), 1);
  memcpy(copy, s, sup_stack_bytes(&p.stack));
  for (int i = 20; i < 40; i++) {
    puppet_pose(&p, i * 0.02);
    puppet_step(&p, s, 0.02);
    memcpy(kept, p.positions, p.vertices * sizeof(SupVec3));
    puppet_step(&p, copy, 0.02);
    assert_memory_equal(kept, p.positions, p.vertices * sizeof(SupVec3));
  }
  puppet_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_give_the_same_bits),
      cmocka_unit_test(backends_give_the_same_bits),
      cmocka_unit_test(crowds_give_the_same_bits),
      cmocka_unit_test(copies_live_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
