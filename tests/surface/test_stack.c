/* SPDX-License-Identifier: MIT */
/* The stack: what it refuses, starting afresh, spaces, level of detail, any dt, memory. */
#include "allocations.h"
#include "puppet.h"

#include <math.h>
#include <string.h>
#include "supple/surface.h"

#define H (1.0 / 60)
static const double tiny = 2e-6; /* rounding of positions of a character of a metre or two */

/* ---- Legality ---------------------------------------------------------------------------------
 */

static void expect_refused(const SupStackDef *def, const char *word) {
  SupError error = {{0}};
  SupStack stack, before;
  memset(&stack, 0x5a, sizeof stack);
  memcpy(&before, &stack, sizeof stack);
  assert_int_not_equal(sup_stack_make(def, &stack, &error), SUP_OK);
  if (!strstr(error.text, word)) fail_msg("\"%s\" does not speak of \"%s\"", error.text, word);
  assert_memory_equal(&stack, &before, sizeof stack);
}

static void senseless_stacks_are_refused(void **state) {
  (void)state;
  Puppet p, other;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, true);
  puppet_make(&other, 700, &values, false);
  SupStackDef def = p.def;
  def.cookie = 0;
  expect_refused(&def, "sup_stack_def");
  def = p.def;
  def.model_count = 0;
  expect_refused(&def, "0 models");
  const SupModel *twice[2] = {p.model, p.model};
  def.model_count = 2;
  def.models = twice;
  expect_refused(&def, "two surface");

  SupModel strange = *p.model;
  strange.kind = SUP_FOURCC('W', 'H', 'A', 'T');
  const SupModel *unknown[1] = {&strange};
  def = p.def;
  def.models = unknown;
  expect_refused(&def, "cannot run in a stack");
  strange.kind = SUP_SKIN_KIND; /* of another mesh */
  strange.mesh = other.model->mesh;
  const SupModel *both[2] = {p.model, &strange};
  def.models = both;
  def.model_count = 2;
  expect_refused(&def, "different meshes");

  SupSkeleton fewer = p.character.skeleton;
  fewer.bone_count--;
  def = p.def;
  def.skeleton = &fewer;
  expect_refused(&def, "bones");
  def = p.def;
  def.space = SUP_SPACE_JOINT;
  def.space_joint = 1000;
  expect_refused(&def, "joint 1000");
  def = p.def;
  def.longest = 0;
  expect_refused(&def, "negative");
  def = p.def;
  uint32_t *beyond = SUP_ALLOC(&p.arena, uint32_t, def.render.vertex_count);
  beyond[3] = 500000;
  def.render.to_body = beyond;
  expect_refused(&def, "500000");

  assert_int_equal(sup_stack_stage(NULL, SUP_SURFACE_KIND), SUP_STAGE_DYNAMICS);
  assert_int_equal(sup_stack_stage(NULL, SUP_SKIN_KIND), SUP_STAGE_SHAPE);
  assert_int_equal(sup_stack_stage(NULL, 0), SUP_STAGE_COUNT);
  puppet_free(&p);
  puppet_free(&other);
}

/* ---- Starting afresh --------------------------------------------------------------------------
 */

/* From now on both give the same bits, and after some frames they are away from the goal. */
static void expect_same_future(Puppet *p, SupStackState *a, SupStackState *b, double time) {
  SupVec3 *kept = SUP_ALLOC(&p->arena, SupVec3, p->vertices);
  double most = 0;
  for (int i = 0; i < 30; i++) {
    puppet_pose(p, time + i * H);
    puppet_step(p, a, i ? H : 0);
    memcpy(kept, p->positions, p->vertices * sizeof *kept);
    puppet_step(p, b, i ? H : 0);
    assert_memory_equal(kept, p->positions, p->vertices * sizeof *kept);
    puppet_goal(p);
    double distance = puppet_distance(p, p->positions, p->goal);
    if (i < 2) assert_true(distance < tiny);
    most = fmax(most, distance);
  }
  assert_true(most > 0.01);
}

static void run_in(Puppet *p, SupStackState *state, int frames) {
  for (int i = 0; i < frames; i++) {
    puppet_pose(p, i * H);
    puppet_step(p, state, H);
  }
}

static void reset_is_a_new_beginning(void **state) {
  (void)state;
  Puppet p;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, false);
  SupStackState *old = puppet_state(&p), *new = puppet_state(&p);
  run_in(&p, old, 50);
  sup_stack_reset(old);
  expect_same_future(&p, old, new, 0.3);
  puppet_free(&p);
}

static void teleports_are_new_beginnings(void **state) {
  (void)state;
  for (int turn = 0; turn < 2; turn++) {
    Puppet p;
    const SupSurfaceDef values = puppet_def();
    puppet_make(&p, 500, &values, false);
    p.def.teleport_angle = 1;
    puppet_stack(&p);
    SupStackState *old = puppet_state(&p), *new = puppet_state(&p);
    run_in(&p, old, 50);
    if (turn) {
      p.pose.root.rotation = sup_quat_from_axis_angle((SupVec3){0, 1, 0}, 1.1f);
    } else {
      p.pose.root.translation.x += 10.1f * p.stack.size;
    }
    expect_same_future(&p, old, new, 0.3);
    /* A step that is just allowed is no teleport. */
    p.pose.root.translation.x += turn ? 0.1f : 0.5f;
    p.pose.root.rotation =
        sup_quat_mul(sup_quat_from_axis_angle((SupVec3){0, 1, 0}, 0.9f), p.pose.root.rotation);
    puppet_step(&p, old, H);
    puppet_goal(&p);
    assert_true(puppet_distance(&p, p.positions, p.goal) > 0.05);
    puppet_free(&p);
  }
}

static void long_pauses_are_new_beginnings(void **state) {
  (void)state;
  Puppet p;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, false);
  SupStackState *s = puppet_state(&p);
  run_in(&p, s, 50);
  puppet_pose(&p, 1.3);
  puppet_step(&p, s, 0.26);
  puppet_goal(&p);
  assert_true(puppet_distance(&p, p.positions, p.goal) < tiny);
  run_in(&p, s, 50);
  puppet_pose(&p, 50 * H + 0.2);
  puppet_step(&p, s, 0.24); /* twelve steps in one frame */
  puppet_goal(&p);
  assert_true(puppet_distance(&p, p.positions, p.goal) > 0.01);
  puppet_free(&p);
}

/* ---- Spaces -----------------------------------------------------------------------------------
 */

/* How far the flesh ever is from its goal while a still character is shaken by its root, or by
 * its first joint. */
static double shaken(SupSpace space, bool root) {
  Puppet p;
  SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, false);
  p.def.space = space;
  p.def.space_joint = 0;
  puppet_stack(&p);
  SupStackState *s = puppet_state(&p);
  double most = 0;
  const SupTransform first = p.joints[0];
  for (int i = 0; i < 60; i++) {
    const float t = (float)i;
    SupTransform *moved = root ? &p.pose.root : &p.joints[0];
    moved->translation = sup_vec3_add(root ? (SupVec3){0, 0, 0} : first.translation,
                                      (SupVec3){0.02f * t, 0.3f * sinf(0.4f * t), 0});
    moved->rotation = sup_quat_from_axis_angle((SupVec3){0, 0.6f, 0.8f}, 0.2f * sinf(0.3f * t));
    puppet_step(&p, s, H);
    puppet_goal(&p);
    most = fmax(most, puppet_distance(&p, p.positions, p.goal));
  }
  puppet_free(&p);
  return most;
}

static void motion_of_the_space_is_not_felt(void **state) {
  (void)state;
  assert_true(shaken(SUP_SPACE_WORLD, true) > 0.1);
  assert_true(shaken(SUP_SPACE_WORLD, false) > 0.1);
  assert_true(shaken(SUP_SPACE_MODEL, true) < 1e-5);
  assert_true(shaken(SUP_SPACE_MODEL, false) > 0.1);
  assert_true(shaken(SUP_SPACE_JOINT, true) < 1e-5);
  assert_true(shaken(SUP_SPACE_JOINT, false) < 1e-5);
}

/* Forces, colliders and drags are given in the scene, whatever space the simulation runs in. */
static void forces_are_in_scene_space(void **state) {
  (void)state;
  Puppet p;
  SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, false);
  p.def.space = SUP_SPACE_MODEL;
  puppet_stack(&p);
  SupStackState *s = puppet_state(&p);
  p.pose.root.rotation = sup_quat_from_axis_angle((SupVec3){0, 0, 1}, 1.5f);
  p.pose.root.translation = (SupVec3){3, 4, 5};
  puppet_goal(&p);
  SupVec3 target = sup_vec3_add(p.goal[7], (SupVec3){0.1f, 0.2f, 0.3f});
  const SupPull pull = {7, target, 1};
  const SupExternalForces forces = {.acceleration = {0, -10, 0}, .pull_count = 1, .pulls = &pull};
  for (int i = 0; i < 200; i++) {
    const SupStackFrame frame = {
        .dt = 1.0f / 60, .pose = &p.pose, .forces = &forces, .positions = {&p.positions[0].x, 3}};
    sup_stack_step(&p.stack, s, sup_backend_cpu(), NULL, &frame);
  }
  assert_true(sup_vec3_distance(p.positions[7], target) < 2e-6f);
  double mean = 0;
  for (uint32_t v = 0; v < p.vertices; v++) {
    mean += (double)(p.positions[v].y - p.goal[v].y) / p.vertices;
  }
  assert_true(mean < -0.005); /* sagging downwards, in the scene */
  puppet_free(&p);
}

/* ---- Level of detail --------------------------------------------------------------------------
 */

static void far_away_fades_out_and_back(void **state) {
  (void)state;
  Puppet p;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, false);
  SupStackState *s = puppet_state(&p), *always = puppet_state(&p);
  SupVec3 *full = SUP_ALLOC(&p.arena, SupVec3, p.vertices);
  uint64_t resting = 0;
  double last_fraction = 1;
  for (int i = 0; i < 200; i++) {
    const bool off = i >= 60 && i < 120;
    puppet_pose(&p, i * H);
    puppet_step(&p, always, H);
    memcpy(full, p.positions, p.vertices * sizeof *full);
    const SupStackFrame frame = {.dt = (float)H,
                                 .pose = &p.pose,
                                 .off = off,
                                 .positions = {&p.positions[0].x, 3},
                                 .normals = {&p.normals[0].x, 3}};
    sup_stack_step(&p.stack, s, sup_backend_cpu(), NULL, &frame);
    puppet_goal(&p);
    const double amplitude = puppet_distance(&p, full, p.goal);
    const double fraction = puppet_distance(&p, p.positions, p.goal) / amplitude;
    if (i < 60) assert_true(amplitude < tiny || fabs(fraction - 1) < 1e-6);
    if (i >= 60 && i < 74) assert_true(fabs(fraction - (1 - (i - 59) * H / 0.25)) < 0.02);
    if (i >= 76 && i <= 120) assert_true(fraction * amplitude < tiny); /* 120 starts again */
    /* Nothing is simulated while it is off. */
    const char *flesh = (const char *)s + sup_stack_layer(&p.stack, SUP_SURFACE_KIND)->state;
    const uint64_t hash = sup_hash(flesh, sup_surface_bytes(puppet_surface(&p)), 0);
    if (i == 80) resting = hash;
    if (i > 80 && i < 120) assert_true(hash == resting);
    /* Back: never more than the fade allows, and all of it at the end. */
    if (i > 120 && i < 135) assert_true(fraction <= (i - 120) * H / 0.25 * 1.5 + 1e-3);
    if (i > 60) assert_true(fabs(fraction - last_fraction) < 0.25); /* no jump */
    last_fraction = fraction;
    if (i == 199) assert_true(puppet_distance(&p, p.positions, full) < 0.02 * amplitude + 1e-4);
  }
  puppet_free(&p);
}

/* ---- Time -------------------------------------------------------------------------------------
 */

static void any_dt_will_do(void **state) {
  (void)state;
  static const double times[] = {0,    1e-9, -1,  NAN,  1e-4,     H, 1.5 * H, 0.1,
                                 0.25, 0.3,  100, 1e30, INFINITY, 0, H};
  Puppet p;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, false);
  SupStackState *s = puppet_state(&p);
  SupRng rng = sup_rng(3, 3);
  for (int i = 0; i < 2000; i++) {
    puppet_pose(&p, 0.013 * i);
    puppet_step(&p, s, times[sup_rng_below(&rng, sizeof times / sizeof *times)]);
    puppet_goal(&p);
    assert_true(puppet_distance(&p, p.positions, p.goal) < 1);
  }
  puppet_free(&p);
}

static void no_time_is_no_motion(void **state) {
  (void)state;
  Puppet p;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, true);
  SupStackState *s = puppet_state(&p);
  for (int i = 0; i < 40; i++) {
    puppet_pose(&p, i * 0.01);
    puppet_step(&p, s, 0.01);
    SupVec3 *kept = SUP_ALLOC(&p.arena, SupVec3, p.vertices);
    memcpy(kept, p.positions, p.vertices * sizeof *kept);
    for (int k = 0; k < 3; k++) puppet_step(&p, s, 0);
    assert_memory_equal(kept, p.positions, p.vertices * sizeof *kept);
  }
  puppet_free(&p);
}

/* A pose that jumps between two steps moves the goal; flesh stays, and does not recoil. */
static void a_jump_between_steps_is_no_recoil(void **state) {
  (void)state;
  Puppet p;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, false);
  for (int k = 0; k < 2; k++) {
    const double dt = k ? 0.3 * H : 0; /* also when the pose changes and time does not */
    SupStackState *jumping = puppet_state(&p), *smooth = puppet_state(&p);
    SupVec3 *kept = SUP_ALLOC(&p.arena, SupVec3, p.vertices);
    for (int i = 0; i < 30; i++) {
      puppet_pose(&p, i * H);
      puppet_step(&p, jumping, H);
      puppet_step(&p, smooth, H);
    }
    puppet_pose(&p, 29 * H + dt);
    puppet_step(&p, smooth, dt);
    memcpy(kept, p.positions, p.vertices * sizeof *kept);
    p.pose.root.translation.x = 0.2f;
    puppet_step(&p, jumping, dt);
    puppet_goal(&p);
    double most = 0;
    for (uint32_t v = 0; v < p.vertices; v++) {
      most = fmax(most, (double)sup_vec3_distance(kept[v], p.positions[v]));
    }
    assert_true(most < 0.01);
    assert_true(puppet_distance(&p, p.positions, p.goal) > 0.15);
    p.pose.root.translation.x = 0;
  }
  puppet_free(&p);
}

/* ---- Output -----------------------------------------------------------------------------------
 */

/* out_normals[vertex]: of the ring of triangles, weighted by area. */
static void ring_normals(const SupMesh *mesh, const SupVec3 *x, SupVec3 *out_normals) {
  memset(out_normals, 0, mesh->vertex_count * sizeof *out_normals);
  for (uint32_t c = 0; c < 3 * mesh->triangle_count; c++) {
    const uint32_t *t = mesh->triangles + c - c % 3;
    const SupVec3 n =
        sup_vec3_cross(sup_vec3_sub(x[t[1]], x[t[0]]), sup_vec3_sub(x[t[2]], x[t[0]]));
    out_normals[t[c % 3]] = sup_vec3_add(out_normals[t[c % 3]], n);
  }
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    out_normals[v] = sup_vec3_normalise(out_normals[v]);
  }
}

static double angle_between(SupVec3 a, SupVec3 b) {
  return atan2((double)sup_vec3_length(sup_vec3_cross(a, b)), (double)sup_vec3_dot(a, b));
}

/* Rest normals that are those of the surface stay so, nearly: closer than plain skinning's. */
static void normals_follow(void **state) {
  (void)state;
  Puppet p;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, false);
  const SupMesh *mesh = &p.character.body;
  uint32_t *same = SUP_ALLOC(&p.arena, uint32_t, mesh->vertex_count);
  SupVec3 *rest = SUP_ALLOC(&p.arena, SupVec3, mesh->vertex_count);
  SupVec3 *ring = SUP_ALLOC(&p.arena, SupVec3, mesh->vertex_count);
  SupVec3 *kept = SUP_ALLOC(&p.arena, SupVec3, mesh->vertex_count);
  for (uint32_t v = 0; v < mesh->vertex_count; v++) same[v] = v;
  ring_normals(mesh, mesh->positions, rest);
  p.def.render = (SupStackRender){mesh->vertex_count, same, rest, NULL};
  puppet_stack(&p);
  SupStackState *s = puppet_state(&p), *plain = puppet_state(&p);
  double sum = 0, skinned = 0;
  for (int i = 0; i < 60; i++) {
    puppet_pose(&p, i * H);
    const SupStackFrame frame = {.dt = (float)H,
                                 .pose = &p.pose,
                                 .off = true,
                                 .positions = {&p.positions[0].x, 3},
                                 .normals = {&kept[0].x, 3}};
    sup_stack_step(&p.stack, plain, sup_backend_cpu(), NULL, &frame);
    puppet_step(&p, s, H);
    ring_normals(mesh, p.positions, ring);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
      assert_true(fabs((double)sup_vec3_length(p.normals[v]) - 1) < 1e-6);
      sum += angle_between(p.normals[v], ring[v]) / (60 * mesh->vertex_count);
      skinned += angle_between(kept[v], ring[v]) / (60 * mesh->vertex_count);
    }
  }
  print_message("normals are %.2f degrees from the surface's on average, %.2f if not turned\n",
                sum * 180 / SUP_PI, skinned * 180 / SUP_PI);
  assert_true(sum < 3.5 * SUP_PI / 180 && skinned > 2 * sum);
  puppet_free(&p);
}

/* Render vertices are where their body vertices are, and have their own normals and tangents. */
static void render_vertices_follow_the_body(void **state) {
  (void)state;
  Puppet p, body;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, true);
  puppet_make(&body, 500, &values, false);
  SupVec4 *tangents = SUP_ALLOC(&p.arena, SupVec4, p.vertices);
  SupVec4 *turned = SUP_ALLOC(&p.arena, SupVec4, p.vertices);
  for (uint32_t r = 0; r < p.vertices; r++) {
    const SupVec3 n = p.def.render.normals[r];
    const SupVec3 t = sup_vec3_normalise(sup_vec3_cross(n, (SupVec3){0.6f, 0, 0.8f}));
    tangents[r] = (SupVec4){t.x, t.y, t.z, r % 2 ? 1 : -1};
  }
  p.def.render.tangents = tangents;
  puppet_stack(&p);
  SupStackState *s = puppet_state(&p), *sb = puppet_state(&body);
  double square = 0;
  for (int i = 0; i < 30; i++) {
    puppet_pose(&p, i * H);
    puppet_pose(&body, i * H);
    const SupStackFrame frame = {.dt = (float)H,
                                 .pose = &p.pose,
                                 .positions = {&p.positions[0].x, 3},
                                 .normals = {&p.normals[0].x, 3},
                                 .tangents = {&turned[0].x, 4}};
    sup_stack_step(&p.stack, s, sup_backend_cpu(), NULL, &frame);
    puppet_step(&body, sb, H);
    for (uint32_t r = 0; r < p.vertices; r++) {
      const SupVec3 b = body.positions[p.def.render.to_body[r]];
      const SupVec3 t = {turned[r].x, turned[r].y, turned[r].z};
      assert_memory_equal(&p.positions[r], &b, sizeof b);
      assert_true(turned[r].w == tangents[r].w);
      assert_true(fabs((double)sup_vec3_length(t) - 1) < 1e-6);
      square = fmax(square, fabs((double)sup_vec3_dot(t, p.normals[r])));
    }
  }
  assert_true(square < 0.5); /* blended bones shear, no more */
  puppet_free(&p);
  puppet_free(&body);
}

/* A blow is felt once: it changes the velocities by the same whatever the frame rate. */
static void a_blow_is_felt_once(void **state) {
  (void)state;
  double peaks[3];
  for (int k = 0; k < 3; k++) {
    Puppet p;
    const SupSurfaceDef values = puppet_def();
    puppet_make(&p, 500, &values, false);
    SupStackState *s = puppet_state(&p);
    puppet_goal(&p);
    const SupImpulse blow = {p.goal[20], 0.5f, {3, 0, 0}};
    const double dt = k == 0 ? H : k == 1 ? 4 * H : H / 4;
    for (int i = 0; i < 4; i++) puppet_step(&p, s, H);
    peaks[k] = 0;
    for (int i = 0; i * dt < 1; i++) {
      const SupStackFrame frame = {.dt = (float)dt,
                                   .pose = &p.pose,
                                   .impulse_count = i == 0,
                                   .impulses = &blow,
                                   .positions = {&p.positions[0].x, 3}};
      sup_stack_step(&p.stack, s, sup_backend_cpu(), NULL, &frame);
      if (fmod((i + 1) * dt + 1e-9, 4 * H) < 1e-6) {
        peaks[k] = fmax(peaks[k], puppet_distance(&p, p.positions, p.goal));
      }
    }
    puppet_free(&p);
  }
  assert_true(peaks[0] > 0.02);
  assert_true(fabs(peaks[1] - peaks[0]) < 1e-5 && fabs(peaks[2] - peaks[0]) < 1e-5);
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

static void a_step_allocates_nothing(void **state) {
  (void)state;
  Puppet p;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 500, &values, true);
  SupStackState *s = puppet_state(&p);
  allocation_count = 0;
  for (int i = 0; i < 100; i++) {
    puppet_pose(&p, i * 0.023);
    puppet_step(&p, s, i == 50 ? 1 : 0.023);
  }
  assert_int_equal(allocation_count, 0);
  void *volatile block = malloc(1);
  free(block);
  assert_int_equal(allocation_count, 1); /* it does count */
  puppet_free(&p);
}

/* What docs/techniques/surface.md states. */
static void memory_is_what_the_page_says(void **state) {
  (void)state;
  Puppet p;
  const SupSurfaceDef values = puppet_def();
  puppet_make(&p, 5000, &values, false);
  const double n = p.character.body.vertex_count;
  const double model = (double)p.model->bytes / n;
  const double flesh = (double)sup_surface_bytes(puppet_surface(&p)) / n;
  const double whole = (double)sup_stack_bytes(&p.stack) / n;
  print_message("bytes per vertex: model %.1f, flesh %.1f, living character %.1f\n", model, flesh,
                whole);
  assert_true(model < 310);
  assert_true(flesh < 133 && flesh >= SUP_SURFACE_STATE_BYTES);
  assert_true(whole < 216);
  puppet_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(senseless_stacks_are_refused),
      cmocka_unit_test(reset_is_a_new_beginning),
      cmocka_unit_test(teleports_are_new_beginnings),
      cmocka_unit_test(long_pauses_are_new_beginnings),
      cmocka_unit_test(motion_of_the_space_is_not_felt),
      cmocka_unit_test(forces_are_in_scene_space),
      cmocka_unit_test(far_away_fades_out_and_back),
      cmocka_unit_test(any_dt_will_do),
      cmocka_unit_test(no_time_is_no_motion),
      cmocka_unit_test(a_jump_between_steps_is_no_recoil),
      cmocka_unit_test(normals_follow),
      cmocka_unit_test(render_vertices_follow_the_body),
      cmocka_unit_test(a_blow_is_felt_once),
      cmocka_unit_test(a_step_allocates_nothing),
      cmocka_unit_test(memory_is_what_the_page_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
