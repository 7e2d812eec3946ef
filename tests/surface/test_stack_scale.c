/* SPDX-License-Identifier: MIT */
/*
 * A character that is larger, smaller or mirrored behaves as itself: at rest it stands still, it
 * moves alike up to its size, and what acts on it in the scene acts at the right place and size.
 * Morph targets are asked for, or interpolated, between frames.
 */
#include "puppet.h"

#include <math.h>
#include <string.h>
#include "supple/surface.h"

#define FRAME (1.0 / 60)

static void step_with(Puppet *p, SupStackState *state, const SupExternalForces *forces,
                      const SupImpulse *blow) {
  const SupStackFrame frame = {.dt = (float)FRAME,
                               .pose = &p->pose,
                               .forces = forces,
                               .impulse_count = blow != NULL,
                               .impulses = blow,
                               .positions = {&p->positions[0].x, 3},
                               .normals = {&p->normals[0].x, 3}};
  sup_stack_step(&p->stack, state, sup_backend_cpu(), NULL, &frame);
}

static void make(Puppet *p, SupSpace space, uint32_t flags) {
  SupSurfaceDef def = puppet_def();
  def.flags = flags;
  puppet_make(p, 500, &def, false);
  p->def.space = space;
  p->def.teleport_distance = 1e9f;
  puppet_stack(p);
}

/* ---- Scale ------------------------------------------------------------------------------------
 */

static const SupVec3 scales[] = {
    {0.01f, 0.01f, 0.01f}, {2, 2, 2}, {-1, 1, 1}, {0.3f, -0.3f, 0.3f}, {-7, -7, -7}};
#define SCALES (int)(sizeof scales / sizeof scales[0])

static void scaled_characters_stand_still(void **state) {
  (void)state;
  for (int turned = 0; turned < 2; turned++) {
    for (int k = 0; k < SCALES; k++) {
      Puppet p;
      make(&p, SUP_SPACE_WORLD, turned ? SUP_SURFACE_BONE_ROTATION : 0);
      SupStackState *s = puppet_state(&p);
      p.pose.root.scale = scales[k];
      for (int i = 0; i < 100; i++) step_with(&p, s, NULL, NULL);
      puppet_goal(&p);
      const double size = fabs((double)scales[k].x) * (double)p.stack.size;
      assert_true(puppet_distance(&p, p.positions, p.goal) < 2e-5 * size);
      puppet_free(&p);
    }
  }
}

/* The whole jump, scaled and mirrored, is the jump of the character as it is. */
static void scaled_characters_move_alike(void **state) {
  (void)state;
  enum { FRAMES = 60, VERTICES = 600 };
  static SupVec3 offsets[FRAMES][VERTICES];
  for (int k = -1; k < SCALES; k++) {
    Puppet p;
    make(&p, SUP_SPACE_WORLD, 0);
    assert_true(p.vertices <= VERTICES);
    SupStackState *s = puppet_state(&p);
    const SupVec3 by = k < 0 ? (SupVec3){1, 1, 1} : scales[k];
    double peak = 0, worst = 0;
    for (int i = 0; i < FRAMES; i++) {
      puppet_pose(&p, i * FRAME);
      p.pose.root.scale = by;
      step_with(&p, s, NULL, NULL);
      puppet_goal(&p);
      for (uint32_t v = 0; v < p.vertices; v++) {
        const SupVec3 d = sup_vec3_sub(p.positions[v], p.goal[v]);
        const SupVec3 own = {d.x / by.x, d.y / by.y, d.z / by.z};
        if (k < 0) offsets[i][v] = own;
        peak = fmax(peak, (double)sup_vec3_length(offsets[i][v]));
        worst = fmax(worst, (double)sup_vec3_distance(own, offsets[i][v]));
      }
    }
    assert_true(peak > 0.01 * (double)p.stack.size);
    assert_true(worst < 2e-3 * peak);
    puppet_free(&p);
  }
}

/* ---- What acts from outside -------------------------------------------------------------------
 */

/* The same blow, far from the origin, in every space and at every scale. */
static void blows_hit_in_every_space(void **state) {
  (void)state;
  double first = 0;
  for (int space = 0; space < 3; space++) {
    for (int small = 0; small < 2; small++) {
      Puppet p;
      make(&p, (SupSpace)space, 0);
      SupStackState *s = puppet_state(&p);
      const float size = small ? 0.1f : 1;
      p.pose.root.translation = (SupVec3){50, 0, 0};
      p.pose.root.scale = (SupVec3){size, size, size};
      for (int i = 0; i < 10; i++) step_with(&p, s, NULL, NULL);
      const SupImpulse blow = {p.positions[100], 0.3f * size, {0, 0, 3 * size}};
      step_with(&p, s, NULL, &blow);
      for (int i = 0; i < 3; i++) step_with(&p, s, NULL, NULL);
      puppet_goal(&p);
      const double moved = puppet_distance(&p, p.positions, p.goal) / (double)size;
      if (first == 0) first = moved;
      assert_true(moved > 0.02);
      assert_true(fabs(moved - first) < 0.02 * first);
      puppet_free(&p);
    }
  }
}

static void balls_keep_their_size_in_every_space(void **state) {
  (void)state;
  for (int space = 0; space < 3; space++) {
    Puppet p;
    make(&p, (SupSpace)space, 0);
    SupStackState *s = puppet_state(&p);
    p.pose.root.scale = (SupVec3){0.1f, 0.1f, 0.1f};
    for (int i = 0; i < 10; i++) step_with(&p, s, NULL, NULL);
    SupVec3 centre = p.positions[100];
    centre.z += 0.005f;
    const SupCollider ball = {.a = centre, .b = centre, .radius = 0.01f};
    const SupExternalForces forces = {.collider_count = 1, .colliders = &ball};
    for (int i = 0; i < 60; i++) step_with(&p, s, &forces, NULL);
    double nearest = 1;
    for (uint32_t v = 0; v < p.vertices; v++) {
      nearest = fmin(nearest, (double)sup_vec3_distance(p.positions[v], centre));
    }
    assert_true(nearest > 0.0099 && nearest < 0.02);
    puppet_free(&p);
  }
}

/* ---- Morph targets ----------------------------------------------------------------------------
 */

static double push_at(double time) { return sin(12 * time); }

static void push_ago(void *user, float ago, float *out_weights) {
  const double *now = user;
  out_weights[0] = (float)push_at(*now - (double)ago);
}

/* Where mochi is after a second of a swinging morph target, at `steps` steps of h a frame. */
static void play_morph(Puppet *p, int steps, bool ask) {
  SupStackState *s = puppet_state(p);
  sup_pose_rest(&p->character.skeleton, &p->pose);
  for (int i = 0; i <= 60; i += steps) {
    double now = i * FRAME;
    const float weight = (float)push_at(now);
    const SupStackFrame frame = {.dt = i ? (float)(steps * FRAME) : 0,
                                 .pose = &p->pose,
                                 .morphs_at = ask ? push_ago : NULL,
                                 .user = &now,
                                 .morph_weights = &weight,
                                 .positions = {&p->positions[0].x, 3}};
    sup_stack_step(&p->stack, s, sup_backend_cpu(), NULL, &frame);
  }
}

static void morph_targets_move_between_frames(void **state) {
  (void)state;
  Puppet p;
  SupSurfaceDef def = puppet_def();
  puppet_make(&p, 500, &def, false);
  SupVec3 *offsets = SUP_ALLOC(&p.arena, SupVec3, p.vertices);
  for (uint32_t v = 0; v < p.vertices; v++) offsets[v] = (SupVec3){0, 0, 0.1f};
  const SupMorph morph = {.name = "push", .offsets = offsets};
  p.character.morph_count = 1;
  p.character.morphs = &morph;
  if (sup_surface_pack(&p.arena, &p.character, &def, &p.model, NULL)) fail();
  p.models[0] = p.model;
  puppet_stack(&p);
  SupVec3 *truth = SUP_ALLOC(&p.arena, SupVec3, p.vertices);
  play_morph(&p, 1, false);
  memcpy(truth, p.positions, p.vertices * sizeof *truth);
  puppet_goal(&p);
  const double moved = puppet_distance(&p, truth, p.goal);
  assert_true(moved > 0.02);
  play_morph(&p, 6, true);
  assert_true(puppet_distance(&p, p.positions, truth) < 1e-3 * moved);
  play_morph(&p, 3, false);
  assert_true(puppet_distance(&p, p.positions, truth) < 0.1 * moved);
  puppet_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scaled_characters_stand_still),
      cmocka_unit_test(scaled_characters_move_alike),
      cmocka_unit_test(blows_hit_in_every_space),
      cmocka_unit_test(balls_keep_their_size_in_every_space),
      cmocka_unit_test(morph_targets_move_between_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
