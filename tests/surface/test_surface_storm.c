/* SPDX-License-Identifier: MIT */
/*
 * STORM_STEPS frames of everything at once on mochi: random maps (anything a model may hold, far
 * beyond what the limiter lets pass), poses, hitches, teleports, drags, blows, colliders. What must
 * hold: every number is finite, and no vertex is farther from its goal than its maximum distance,
 * times the scale that bones have, except one that is being held.
 */
#include "puppet.h"

#include <math.h>
#include <string.h>
#include "supple/surface.h"

enum { FRAMES_PER_MAP = 500, VERTICES_MOST = 600 };

static float uniform(SupRng *rng, float low, float high) {
  return low + (high - low) * sup_rng_float(rng);
}

static SupVec3 anywhere(SupRng *rng, float size) {
  const float x = uniform(rng, -size, size), y = uniform(rng, -size, size);
  return (SupVec3){x, y, uniform(rng, -size, size)};
}

static SupQuat any_turn(SupRng *rng, float most) {
  return sup_quat_from_axis_angle(sup_vec3_normalise(anywhere(rng, 1)), uniform(rng, 0, most));
}

/* Maps of which no author would dream. */
static void random_maps(Puppet *p, SupRng *rng) {
  static const float most[SUP_SURFACE_TERMS] = {1, 1, 1, 0.5f, 1, 1};
  float values[VERTICES_MOST];
  for (int row = 0; row < SUP_SURFACE_MAPS; row++) {
    const float scale = sup_rng_float(rng);
    for (uint32_t v = 0; v < p->vertices; v++) {
      values[v] = row < SUP_SURFACE_TERMS           ? most[row] * scale * sup_rng_float(rng)
                  : row == SUP_SURFACE_MAX_DISTANCE ? uniform(rng, 0.01f, 0.5f)
                                                    : sup_rng_float(rng) /* STOP */;
    }
    sup_surface_set_map(p->model, (SupSurfaceRow)row, values);
  }
  assert_int_equal(sup_model_check(p->model, (size_t)p->model->bytes, NULL, NULL), SUP_OK);
  puppet_stack(p);
}

typedef struct Storm {
  Puppet p;
  SupRng rng;
  SupStackState *state;
  float max_distance[VERTICES_MOST];
  SupPull pulls[3];
  SupCollider colliders[2];
  SupImpulse blow;
  SupExternalForces forces;
  uint32_t restarts, held, at_max_distance;
} Storm;

static void random_pose(Storm *s, double time) {
  Puppet *p = &s->p;
  const uint32_t kind = sup_rng_below(&s->rng, 100);
  if (kind < 60) {
    puppet_pose(p, time);
  } else if (kind < 95) {
    for (uint32_t j = 0; j < p->pose.joint_count; j++) {
      p->joints[j].rotation = sup_quat_mul(p->joints[j].rotation, any_turn(&s->rng, 0.2f));
    }
  } else { /* broken limbs, stretched and mirrored bones */
    SupTransform *joint = &p->joints[sup_rng_below(&s->rng, p->pose.joint_count)];
    joint->rotation = any_turn(&s->rng, 3);
    joint->scale = (SupVec3){uniform(&s->rng, -1, 2), uniform(&s->rng, 0, 2), 1};
  }
  p->pose.root.translation =
      sup_vec3_add(p->pose.root.translation, anywhere(&s->rng, kind == 99 ? 100 : 0.1f));
  if (sup_vec3_length(p->pose.root.translation) > 1000) p->pose.root.translation.x = 0;
  p->pose.root.rotation = sup_quat_mul(p->pose.root.rotation, any_turn(&s->rng, 0.1f));
}

static void random_forces(Storm *s) {
  SupRng *rng = &s->rng;
  const SupVec3 root = s->p.pose.root.translation;
  s->forces = (SupExternalForces){.pulls = s->pulls, .colliders = s->colliders};
  s->forces.pull_count = sup_rng_below(rng, 4) ? 0 : 1 + sup_rng_below(rng, 3);
  for (uint32_t k = 0; k < 3; k++) {
    s->pulls[k] = (SupPull){sup_rng_below(rng, s->p.vertices), sup_vec3_add(root, anywhere(rng, 3)),
                            uniform(rng, 0, 2)};
  }
  s->forces.collider_count = sup_rng_below(rng, 3);
  for (uint32_t k = 0; k < 2; k++) {
    const SupVec3 a = sup_vec3_add(root, anywhere(rng, 1));
    s->colliders[k] = (SupCollider){a, k ? a : sup_vec3_add(a, anywhere(rng, 1)),
                                    anywhere(rng, 0.1f), uniform(rng, 0, 0.5f), sup_rng_float(rng)};
  }
  s->blow =
      (SupImpulse){sup_vec3_add(root, anywhere(rng, 1)), uniform(rng, 0.1f, 1), anywhere(rng, 50)};
  if (sup_rng_below(rng, 2)) s->forces.acceleration = anywhere(rng, 30);
  if (sup_rng_below(rng, 4) == 0) {
    s->forces.wind = anywhere(rng, 30);
    s->forces.wind_drag = uniform(rng, 0, 100);
  }
}

static float random_dt(Storm *s) {
  switch (sup_rng_below(&s->rng, 12)) {
    case 0: return 0;
    case 1: return uniform(&s->rng, 0, 0.25f);
    case 2: return uniform(&s->rng, 0.25f, 10);
    case 3: return 1e-5f;
    default: return uniform(&s->rng, 0.005f, 0.035f);
  }
}

static bool is_held(const Storm *s, uint32_t v) {
  for (uint32_t k = 0; k < s->forces.pull_count; k++) {
    if (s->pulls[k].vertex == v && s->pulls[k].strength >= 1) return true;
  }
  return false;
}

static float largest_scale(const Puppet *p) {
  SupAffine globals[64], palette[64];
  float scales[64], largest = 1;
  const SupSkeleton *skeleton = &p->character.skeleton;
  assert_true(skeleton->joint_count <= 64 && skeleton->bone_count <= 64);
  sup_pose_evaluate(skeleton, &p->pose, globals, palette);
  sup_surface_scales(skeleton->bone_count, palette, scales);
  for (uint32_t b = 0; b < skeleton->bone_count; b++) largest = fmaxf(largest, fabsf(scales[b]));
  return largest * 1.00001f;
}

static void check_frame(Storm *s) {
  Puppet *p = &s->p;
  puppet_goal(p);
  const float scale = largest_scale(p);
  for (uint32_t v = 0; v < p->vertices; v++) {
    const SupVec3 x = p->positions[v], n = p->normals[v];
    const float distance = sup_vec3_distance(x, p->goal[v]);
    const float size = sup_vec3_length(p->goal[v]);
    const bool held = is_held(s, v);
    assert_true(isfinite(distance) && isfinite(n.x) && isfinite(n.y) && isfinite(n.z));
    if (!held) assert_true(distance <= scale * s->max_distance[v] + 1e-6f * (size + 10));
    s->held += held;
    s->at_max_distance += distance > 0.999f * s->max_distance[v];
  }
}

static void play_frame(Storm *s, double *io_time) {
  Puppet *p = &s->p;
  const float dt = random_dt(s);
  *io_time += (double)dt;
  random_pose(s, *io_time);
  random_forces(s);
  const SupStackFrame frame = {.dt = dt,
                               .pose = &p->pose,
                               .forces = sup_rng_below(&s->rng, 2) ? &s->forces : NULL,
                               .impulse_count = sup_rng_below(&s->rng, 10) == 0,
                               .impulses = &s->blow,
                               .off = sup_rng_below(&s->rng, 50) == 0,
                               .positions = {&p->positions[0].x, 3},
                               .normals = {&p->normals[0].x, 3}};
  if (!frame.forces) s->forces.pull_count = 0;
  if (sup_rng_below(&s->rng, 100) == 0) sup_stack_reset(s->state), s->restarts++;
  sup_stack_step(&p->stack, s->state, sup_backend_cpu(), NULL, &frame);
  check_frame(s);
}

static void nothing_breaks_in_a_storm(void **unused) {
  (void)unused;
  static Storm s;
  SupSurfaceDef def = puppet_def();
  def.all_spokes = true; /* gamma comes later */
  puppet_make(&s.p, 500, &def, false);
  assert_true(s.p.vertices <= VERTICES_MOST);
  s.rng = sup_rng(2008, 6);
  s.state = puppet_state(&s.p);
  double time = 0;
  for (uint32_t i = 0; i < STORM_STEPS; i++) {
    if (i % FRAMES_PER_MAP == 0) {
      random_maps(&s.p, &s.rng);
      sup_surface_get_map(s.p.model, SUP_SURFACE_MAX_DISTANCE, s.max_distance);
      s.state = sup_stack_init(&s.p.stack, s.state);
    }
    play_frame(&s, &time);
  }
  print_message("%u frames: %u resets, %u held vertices, %u at their maximum distance\n",
                STORM_STEPS, s.restarts, s.held, s.at_max_distance);
  assert_true(s.restarts > 10 && s.held > 1000 && s.at_max_distance > 1000);
  puppet_free(&s.p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_breaks_in_a_storm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
