/* SPDX-License-Identifier: MIT */
/* One step of the surface technique: the tests SHI-T1 to T5, T10, T13 by their names, in double
 * precision and in float; limits, colliders, forces; damaged models. */
#include "flesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/io/file.h"

typedef struct Precision {
  const SupBackend *backend; /* NULL: double */
  double tolerance;
} Precision;

static Precision precision(int k) {
  return k ? (Precision){sup_backend_cpu(), 1e-5} : (Precision){NULL, 1e-12};
}

static SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

static SupSurfaceDef def_of(float alpha, float beta, float gamma, float lambda, float delta) {
  SupSurfaceDef def = sup_surface_def();
  const float values[5] = {alpha, beta, gamma, lambda, delta};
  for (int k = 0; k < 5; k++) def.values[k] = values[k];
  def.segment_count = 2;
  def.segments = tube_segments;
  return def;
}

static SupVec3d random_vector(SupRng *rng, double size) {
  double x = sup_rng_double(rng), y = sup_rng_double(rng), z = sup_rng_double(rng);
  return (SupVec3d){(2 * x - 1) * size, (2 * y - 1) * size, (2 * z - 1) * size};
}

static SupQuatd random_rotation(SupRng *rng) {
  SupVec3d v = random_vector(rng, 1);
  return sup_quatd_normalise((SupQuatd){v.x, v.y, v.z, 2 * sup_rng_double(rng) - 1});
}

static SupAffined rigid(SupQuatd q, SupVec3d t) {
  return sup_affined_compose((SupTransformd){t, q, {1, 1, 1}});
}

static SupQuatd get_rotation(const Flesh *f, uint32_t lane) {
  const double *p = f->rotation + (size_t)64 * (lane / 16) + lane % 16;
  return (SupQuatd){p[0], p[16], p[32], p[48]};
}

static void set_rotation(Flesh *f, uint32_t lane, SupQuatd q) {
  double *p = f->rotation + (size_t)64 * (lane / 16) + lane % 16;
  p[0] = q.x, p[16] = q.y, p[32] = q.z, p[48] = q.w;
}

static double largest_term(const Flesh *f, int term) {
  double worst = 0;
  for (uint32_t lane = 0; lane < f->lanes; lane++) {
    const double *p = f->terms + ((size_t)18 * (lane / 16) + 3 * (size_t)term) * 16 + lane % 16;
    worst = fmax(worst, sqrt(p[0] * p[0] + p[16] * p[16] + p[32] * p[32]));
  }
  return worst;
}

/* ---- SHI-T1: the model has no preferred place or direction ----------------------------------- */

/* Everything that can differ between vertices, at random; the spare lanes repeat the first lane of
 * their block as in a real state. */
static void randomise(Flesh *f, SupRng *rng) {
  uint32_t n = f->view.skin.vertex_count;
  for (uint32_t lane = 0; lane < f->lanes; lane++) {
    SupRng own = sup_rng(sup_rng_u32(rng), 0);
    if (lane >= n) own = sup_rng(99, 0);
    SupVec3d goal = flesh_get(f->next_goal, lane);
    flesh_set(f->x, lane, sup_vec3d_add(goal, random_vector(&own, 0.05)));
    flesh_set(f->dx, lane, random_vector(&own, 0.02));
    flesh_set(f->goal, lane, sup_vec3d_add(goal, random_vector(&own, 0.02)));
    flesh_set(f->goal_step, lane, random_vector(&own, 0.02));
    flesh_set(f->forces, lane, random_vector(&own, 0.01));
    SupVec3d t = random_vector(&own, 0.2);
    set_rotation(f, lane, sup_quatd_normalise((SupQuatd){t.x, t.y, t.z, 1}));
  }
}

static void move_all(Flesh *f, SupQuatd q, SupVec3d t) {
  for (uint32_t lane = 0; lane < f->lanes; lane++) {
    double *places[3] = {f->x, f->goal, f->next_goal};
    double *directions[3] = {f->dx, f->goal_step, f->forces};
    for (int k = 0; k < 3; k++) {
      SupVec3d p = sup_quatd_rotate(q, flesh_get(places[k], lane));
      flesh_set(places[k], lane, sup_vec3d_add(p, t));
      flesh_set(directions[k], lane, sup_quatd_rotate(q, flesh_get(directions[k], lane)));
    }
    set_rotation(f, lane, sup_quatd_mul(q, get_rotation(f, lane)));
  }
  for (int k = 0; k < 2; k++) f->palette[k] = sup_affined_mul(rigid(q, t), f->palette[k]);
}

static void shi_t1_equivariance(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(1, 1);
    SupCharacter tube;
    Flesh a, b;
    tube_make(&arena, 10, 9, NULL, &tube);
    SupSurfaceDef def = def_of(0.3f, 0.4f, 0.3f, 0.2f, 0.1f);
    def.values[SUP_SURFACE_ETA] = 0.5f;
    def.values[SUP_SURFACE_REACH] = 0.06f; /* some vertices reach it */
    for (int k = 0; k < 10; k++) {
      flesh_make(&arena, &tube, &def, &a);
      flesh_make(&arena, &tube, &def, &b);
      /* Bent by up to 40 degrees: rings whose best rotation is unique, found in full. */
      SupVec3d bend = random_vector(&rng, 0.2);
      a.palette[1] = b.palette[1] = rigid(
          sup_quatd_normalise((SupQuatd){bend.x, bend.y, bend.z, 1}), random_vector(&rng, 0.1));
      a.rotation_steps = b.rotation_steps = 12;
      a.forced = b.forced = true;
      flesh_goal(&a);
      flesh_goal(&b);
      SupRng same = rng;
      randomise(&a, &rng);
      randomise(&b, &same);
      SupQuatd q = random_rotation(&rng);
      SupVec3d t = random_vector(&rng, 3);
      move_all(&b, q, t);
      flesh_step(&a, precision(p).backend);
      flesh_step(&b, precision(p).backend);
      double worst = 0;
      for (uint32_t lane = 0; lane < a.lanes; lane++) {
        SupVec3d expected = sup_vec3d_add(sup_quatd_rotate(q, flesh_get(a.x, lane)), t);
        worst = fmax(worst, sup_vec3d_distance(expected, flesh_get(b.x, lane)));
      }
      assert_true(worst < precision(p).tolerance);
      assert_true(worst > 0);
    }
    sup_arena_free(&arena);
  }
}

/* ---- SHI-T2: a body at rest stays at rest -----------------------------------------------------
 */

static void shi_t2_rest_equilibrium(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(2, 2);
    SupCharacter tube;
    Flesh f;
    tube_make(&arena, 12, 11, NULL, &tube);
    SupSurfaceDef def = def_of(0.5f, 0.5f, 0.5f, 0.3f, 0.3f);
    flesh_make(&arena, &tube, &def, &f);
    f.palette[0] = f.palette[1] = rigid(random_rotation(&rng), random_vector(&rng, 2));
    f.rotation_steps = 12;
    flesh_goal(&f);
    flesh_start(&f);
    flesh_step(&f, precision(p).backend);
    for (int term = 0; term < SUP_SURFACE_TERMS; term++) {
      /* Rest lengths and edges are stored as float, also for the double build. */
      double tolerance = p || term == SUP_SURFACE_GAMMA || term == SUP_SURFACE_BETA ? 1e-5 : 1e-12;
      if (term == SUP_SURFACE_BETA && !p) tolerance = 1e-7;
      if (term == SUP_SURFACE_GAMMA && !p) tolerance = 1e-7;
      assert_true(largest_term(&f, term) < tolerance);
    }
    /* Equation 6 as printed: c = mean(R d0 + x_j) is not where the vertex is. */
    double printed = 0;
    for (uint32_t lane = 0; lane < f.lanes; lane++) {
      double *share = flesh_at((double *)(uintptr_t)f.wide.parameters, SUP_SURFACE_ROWS, lane, 0);
      SupVec3d edge = {share[16 * SUP_SURFACE_EDGE_X], share[16 * SUP_SURFACE_EDGE_Y],
                       share[16 * SUP_SURFACE_EDGE_Z]};
      printed = fmax(printed, 2 * sup_vec3d_length(edge));
    }
    assert_true(printed > 0.01);
    sup_arena_free(&arena);
  }
}

/* ---- SHI-T3 and T5: one vertex is an oscillator -----------------------------------------------
 */

static void shi_t3_step_response(void **state) {
  (void)state;
  const double expected[12] = {1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0};
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupCharacter tube;
    Flesh f;
    tube_make(&arena, 5, 5, NULL, &tube);
    SupSurfaceDef def = def_of(1, 0, 0, 0, 0);
    flesh_make(&arena, &tube, &def, &f);
    for (uint32_t i = 0; i < 3 * f.lanes; i++) f.next_goal[i] = f.goal[i] = 1;
    for (int k = 0; k < 12; k++) {
      flesh_step(&f, precision(p).backend);
      for (uint32_t i = 0; i < 3 * f.lanes; i++) assert_true(f.x[i] == expected[k]);
    }
    sup_arena_free(&arena);
  }
}

static void shi_t5_constant_acceleration(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  Flesh f;
  tube_make(&arena, 5, 5, NULL, &tube);
  const double alpha = (double)0.2f, a = 0.001;
  SupSurfaceDef def = def_of(0.2f, 0, 0, 0, 0);
  flesh_make(&arena, &tube, &def, &f);
  for (uint32_t i = 0; i < 3 * f.lanes; i++) {
    f.x[i] = -a / alpha;
    f.dx[i] = -a / 2; /* the goal's, from t = -1 to 0 of a t^2 / 2 */
    f.goal[i] = a / 2;
  }
  for (int k = 0; k < 60; k++) {
    for (uint32_t i = 0; i < 3 * f.lanes; i++) f.next_goal[i] = a * k * k / 2;
    for (uint32_t i = 0; i < 3 * f.lanes; i++) {
      assert_true(fabs(f.x[i] - (a * k * k / 2 - a / alpha)) < 1e-13);
    }
    flesh_step(&f, NULL);
  }
  sup_arena_free(&arena);
}

static void shi_t5_transients_decay(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  Flesh f;
  tube_make(&arena, 5, 5, NULL, &tube);
  const double delta = (double)0.1f;
  SupSurfaceDef def = def_of(0.2f, 0, 0, 0, 0.1f);
  flesh_make(&arena, &tube, &def, &f);
  double y[3] = {0, 0, 0}; /* offset from where it settles, three steps running */
  for (uint32_t i = 0; i < 3 * f.lanes; i++) f.x[i] = 0.1, f.goal[i] = -0.01;
  for (int k = 0; k < 50; k++) {
    y[0] = y[1], y[1] = y[2], y[2] = f.x[0] - 0.01 * k;
    for (uint32_t i = 0; i < 3 * f.lanes; i++) f.next_goal[i] = 0.01 * k;
    double before = y[2] * y[0] - y[1] * y[1];
    flesh_step(&f, NULL);
    double now = (f.x[0] - 0.01 * (k + 1)) * y[1] - y[2] * y[2];
    /* The poles multiply to 1 - delta: the magnitude is its square root. */
    if (k > 2) assert_true(fabs(now / before - (1 - delta)) < 1e-6);
  }
  sup_arena_free(&arena);
}

/* ---- SHI-T4: uniform motion is no motion ------------------------------------------------------
 */

static void shi_t4_galilean(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    for (int bones = 0; bones < 2; bones++) {
      SupArena arena = new_arena();
      SupRng rng = sup_rng(4, 4);
      SupCharacter tube;
      Flesh f;
      tube_make(&arena, 12, 11, NULL, &tube);
      SupSurfaceDef def = def_of(0.3f, 0.3f, 0.3f, 0.3f, 0.3f);
      if (bones) def.flags = SUP_SURFACE_BONE_ROTATION;
      flesh_make(&arena, &tube, &def, &f);
      SupQuatd q = random_rotation(&rng);
      SupVec3d velocity = random_vector(&rng, 0.05);
      f.rotation_steps = 2;
      f.palette[0] = f.palette[1] = rigid(q, (SupVec3d){0, 0, 0});
      flesh_goal(&f);
      flesh_start(&f);
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        flesh_set(f.dx, lane, velocity);
        flesh_set(f.goal, lane, sup_vec3d_sub(flesh_get(f.next_goal, lane), velocity));
      }
      for (int k = 0; k < 60; k++) {
        f.palette[0] = f.palette[1] = rigid(q, sup_vec3d_scale(velocity, k));
        flesh_goal(&f);
        flesh_step(&f, precision(p).backend);
      }
      double worst = 0;
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        SupVec3d next = sup_vec3d_add(flesh_get(f.next_goal, lane), velocity);
        worst = fmax(worst, sup_vec3d_distance(next, flesh_get(f.x, lane)));
      }
      assert_true(worst < (p ? 2e-5 : 2e-7)); /* rest edges and lengths are rounded to float */
      sup_arena_free(&arena);
    }
  }
}

/* ---- SHI-T10: nothing degenerate is not finite ------------------------------------------------
 */

static void shi_t10_degenerate(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    for (int kind = 0; kind < 5; kind++) {
      SupArena arena = new_arena();
      SupCharacter tube;
      Flesh f;
      tube_make(&arena, 8, 7, NULL, &tube);
      SupSurfaceDef def = def_of(0.3f, 0.5f, 0.5f, 0.2f, 0.1f);
      flesh_make(&arena, &tube, &def, &f);
      flesh_goal(&f);
      flesh_start(&f);
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        SupVec3d x = flesh_get(f.x, lane);
        if (kind == 0) x.x = -x.x;                   /* mirrored */
        if (kind == 1) x.x = x.z = 0;                /* on the bone: collinear, |s| = 0 */
        if (kind == 2) x.y = 0;                      /* flat */
        if (kind == 3) x = (SupVec3d){0, 0, 0};      /* all in one point */
        if (kind == 4) x = sup_vec3d_scale(x, 1e18); /* absurd */
        flesh_set(f.x, lane, x);
      }
      for (int k = 0; k < 30; k++) {
        flesh_step(&f, precision(p).backend);
        for (uint32_t lane = 0; lane < f.lanes; lane++) {
          SupVec3d x = flesh_get(f.x, lane);
          assert_true(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
          /* A quaternion is a rotation with determinant 1 if its length is 1. */
          SupQuatd q = get_rotation(&f, lane);
          assert_true(fabs(sup_quatd_dot(q, q) - 1) < 1e-4);
        }
      }
      sup_arena_free(&arena);
    }
  }
}

/* ---- SHI-T13: spokes keep the volume ----------------------------------------------------------
 */

/* The mean over the rings of |area / rest area - 1| while the bones accelerate downwards. */
static double area_change(float gamma) {
  SupArena arena = new_arena();
  SupCharacter tube;
  Flesh f;
  enum { AROUND = 16, ALONG = 17 };
  tube_make(&arena, AROUND, ALONG, NULL, &tube);
  /* Lying down, so that downwards is across the tube. */
  SupSurfaceDef def = def_of(0.05f, 0.3f, gamma, 0.1f, 0.05f);
  float alphas[AROUND * ALONG + 2];
  for (uint32_t v = 0; v < AROUND * ALONG + 2; v++) {
    /* Softer below than above: uneven, else the tube just hangs behind as a whole. */
    alphas[v] = tube.body.positions[v].z < 0 ? 0.02f : 0.15f;
  }
  def.maps[SUP_SURFACE_ALPHA] = alphas;
  flesh_make(&arena, &tube, &def, &f);
  flesh_goal(&f);
  flesh_start(&f);
  double worst = 0;
  for (int k = 0; k < 40; k++) {
    double z = -0.0005 * k * k;
    f.palette[0] = f.palette[1] = rigid((SupQuatd){0, 0, 0, 1}, (SupVec3d){0, 0, z});
    flesh_goal(&f);
    flesh_step(&f, NULL);
    double change = 0;
    for (uint32_t ring = 2; ring + 2 < ALONG; ring++) {
      double area = 0, rest = 0;
      for (uint32_t i = 0; i < AROUND; i++) {
        uint32_t v = ring * AROUND + i, w = ring * AROUND + (i + 1) % AROUND;
        SupVec3d a = flesh_get(f.x, f.view.lanes[v]), b = flesh_get(f.x, f.view.lanes[w]);
        SupVec3 c = tube.body.positions[v], d = tube.body.positions[w];
        area += (a.z * b.x - a.x * b.z) / 2;
        rest += ((double)c.z * (double)d.x - (double)c.x * (double)d.z) / 2;
      }
      change += fabs(area / rest - 1) / (ALONG - 4);
    }
    worst = fmax(worst, change);
  }
  sup_arena_free(&arena);
  return worst;
}

static void shi_t13_spokes_keep_the_volume(void **state) {
  (void)state;
  double without = area_change(0), with = area_change(0.8f);
  print_message("cross-section changes by %.3f without spokes, %.3f with: %.1f times less\n",
                without, with, without / with);
  assert_true(without > 0.05);
  assert_true(without > 3 * with);
}

/* ---- Limits, colliders, forces ----------------------------------------------------------------
 */

static void limits_hold(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(5, 5);
    SupCharacter tube;
    Flesh f;
    tube_make(&arena, 12, 11, NULL, &tube);
    SupSurfaceDef def = def_of(0.05f, 0.1f, 0, 0.1f, 0.01f);
    def.values[SUP_SURFACE_REACH] = 0.05f;
    def.values[SUP_SURFACE_STOP] = 0.01f;
    flesh_make(&arena, &tube, &def, &f);
    assert_true(f.view.flags & SUP_SURFACE_BACK_STOP);
    f.forced = f.stopped = true;
    flesh_goal(&f);
    flesh_start(&f);
    bool reached = false, stopped = false;
    for (int k = 0; k < 50; k++) {
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        SupVec3d n = flesh_get(f.next_goal, lane);
        n.y = 0; /* of a tube about y, of length 0.4; none at the ends, which then have no stop */
        flesh_set(f.normals, lane, n);
        flesh_set(f.forces, lane, random_vector(&rng, 0.1));
      }
      flesh_step(&f, precision(p).backend);
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        SupVec3d o = sup_vec3d_sub(flesh_get(f.x, lane), flesh_get(f.next_goal, lane));
        SupVec3d n = flesh_get(f.normals, lane);
        double length = sup_vec3d_length(n), distance = sup_vec3d_length(o);
        assert_true(distance < 0.05 + 1e-6);
        reached |= distance > 0.0499;
        if (length < 1e-3) continue;
        double depth = -sup_vec3d_dot(o, n) / length;
        assert_true(depth < 0.01 + 1e-6);
        stopped |= depth > 0.0099;
      }
    }
    assert_true(reached && stopped);
    sup_arena_free(&arena);
  }
}

static void colliders_push_out(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupCharacter tube;
    Flesh f;
    tube_make(&arena, 16, 15, NULL, &tube);
    SupSurfaceDef def = def_of(0.1f, 0.1f, 0, 0.1f, 0.1f);
    flesh_make(&arena, &tube, &def, &f);
    const SupSurfaceColliderd colliders[2] = {
        {{0.5, 1, 0}, {0.5, 1, 0}, {0, 0, 0}, 0.3, 0},
        {{-0.5, 0.2, 0}, {-0.5, 1.8, 0}, {0.001, 0, 0}, 0.2, 0.5}};
    f.collider_count = 2;
    f.colliders = colliders;
    flesh_goal(&f);
    flesh_start(&f);
    uint32_t touched = 0;
    for (int k = 0; k < 40; k++) {
      flesh_step(&f, precision(p).backend);
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        SupVec3d x = flesh_get(f.x, lane), goal = flesh_get(f.next_goal, lane);
        SupVec3d foot = {-0.5, fmin(1.8, fmax(0.2, x.y)), 0};
        assert_true(sup_vec3d_distance(x, colliders[0].a) > 0.3 - 1e-6);
        assert_true(sup_vec3d_distance(x, foot) > 0.2 - 1e-6);
        touched += k == 39 && sup_vec3d_distance(x, goal) > 0.05;
      }
    }
    assert_true(touched > 10);
    sup_arena_free(&arena);
  }
}

/* A vertex that flies into a wall at speed v comes back with restitution times v. */
static void restitution_is_what_it_says(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  Flesh f;
  tube_make(&arena, 5, 5, NULL, &tube);
  SupSurfaceDef def = def_of(0, 0, 0, 0, 0);
  flesh_make(&arena, &tube, &def, &f);
  const SupSurfaceColliderd wall = {{1000, 0, 0}, {1000, 0, 0}, {0.01, 0, 0}, 999, 0.5};
  f.collider_count = 1;
  f.colliders = &wall;
  for (uint32_t lane = 0; lane < f.lanes; lane++) {
    flesh_set(f.x, lane, (SupVec3d){0.95, 0, 0});
    flesh_set(f.dx, lane, (SupVec3d){0.2, 0, 0});
  }
  flesh_step(&f, NULL);
  assert_true(fabs(f.x[0] - 1) < 1e-12);
  assert_true(fabs(f.dx[0] - (0.01 - 0.5 * (0.2 - 0.01))) < 1e-12);
  sup_arena_free(&arena);
}

/* External accelerations: h^2 F is added once, whatever else acts (SHI-E4). */
static void forces_add(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(7, 7);
  SupCharacter tube;
  Flesh a, b;
  tube_make(&arena, 10, 9, NULL, &tube);
  SupSurfaceDef def = def_of(0.3f, 0.3f, 0.3f, 0.2f, 0.2f);
  flesh_make(&arena, &tube, &def, &a);
  flesh_make(&arena, &tube, &def, &b);
  flesh_goal(&a);
  flesh_goal(&b);
  SupRng same = rng;
  randomise(&a, &rng);
  randomise(&b, &same);
  b.forced = true;
  b.push = (SupVec3d){0.001, -0.002, 0.003};
  flesh_step(&a, NULL);
  flesh_step(&b, NULL);
  for (uint32_t lane = 0; lane < a.lanes; lane++) {
    SupVec3d f = sup_vec3d_add(flesh_get(b.forces, lane), b.push);
    SupVec3d expected = sup_vec3d_add(flesh_get(a.dx, lane), f);
    assert_true(sup_vec3d_distance(expected, flesh_get(b.dx, lane)) < 1e-14);
  }
  sup_arena_free(&arena);
}

/* ---- Damaged models ---------------------------------------------------------------------------
 */

static void damaged_models_are_refused_or_harmless(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  Flesh f;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = def_of(0.3f, 0.3f, 0.3f, 0.2f, 0.2f);
  flesh_make(&arena, &tube, &def, &f);
  size_t bytes = (size_t)f.model->bytes;
  SupRng rng = sup_rng(8, 8);
  uint32_t refused = 0, accepted = 0;
  SupModel *copy = aligned_alloc(64, bytes);
  for (int k = 0; k < 3000; k++) {
    memcpy(copy, f.model, bytes);
    size_t at = 128 + sup_rng_below(&rng, (uint32_t)(bytes - 128) / 4) * 4;
    uint32_t word = sup_rng_below(&rng, 3) ? sup_rng_u32(&rng) : sup_rng_below(&rng, 64);
    memcpy((char *)copy + at, &word, 4);
    sup_model_seal(copy);
    SupError error = {{0}};
    if (sup_model_check(copy, bytes, NULL, &error)) {
      refused++;
      assert_true(error.text[0]);
      continue;
    }
    accepted++;
    SupSurfaceView view = sup_surface_view(copy);
    SupSurfaceState *flesh = aligned_alloc(64, sup_surface_bytes(&view));
    sup_surface_init(&view, flesh);
    SupAffine palette[2] = {sup_affine_identity(), sup_affine_identity()};
    for (int i = 0; i < 5; i++) {
      SupSkinCall call = {
          .skin = &view.skin, .palette = palette, .positions = {sup_surface_next_goal(flesh), 0}};
      sup_skin_lbs(sup_backend_cpu(), NULL, &call);
      sup_surface_step(&view, flesh, sup_backend_cpu(), NULL, palette, NULL);
    }
    free(flesh);
  }
  free(copy);
  assert_true(refused > 500 && accepted > 100);
  sup_arena_free(&arena);
}

static void bad_maps_are_refused(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  SupModel *model = NULL;
  SupError error;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = def_of(1.5f, 0, 0, 0, 0);
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "stiffness"));
  def = def_of(NAN, 0, 0, 0, 0);
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_ERROR_ARGUMENT);
  def = def_of(0.1f, 0, 0, 0, 0);
  def.values[SUP_SURFACE_REACH] = 0;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_ERROR_ARGUMENT);
  def = (SupSurfaceDef){0};
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_ERROR_ARGUMENT);
  assert_null(model);
  sup_arena_free(&arena);
}

static void maps_come_back(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  SupModel *model;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = def_of(0.3f, 0.3f, 0.3f, 0.2f, 0.2f);
  float values[32], back[32];
  for (int v = 0; v < 32; v++) values[v] = (float)v / 64;
  def.maps[SUP_SURFACE_DELTA] = values;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
  sup_surface_get_map(model, SUP_SURFACE_DELTA, back);
  assert_memory_equal(values, back, sizeof back);
  for (int v = 0; v < 32; v++) values[v] = (float)v / 128;
  sup_surface_set_map(model, SUP_SURFACE_STOP, values);
  sup_surface_get_map(model, SUP_SURFACE_STOP, back);
  assert_memory_equal(values, back, sizeof back);
  assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, NULL), SUP_OK);
  assert_true(sup_surface_view(model).flags & SUP_SURFACE_BACK_STOP);
  sup_arena_free(&arena);
}

static void packing_survives_short_memory(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = def_of(0.3f, 0.3f, 0.3f, 0.2f, 0.2f);
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena tight;
    SupModel *model = NULL;
    SupError error;
    sup_arena_init(&tight, counting_allocator(&heap), 0);
    SupResult result = sup_surface_pack(&tight, &tube, &def, &model, &error);
    assert_true(result == SUP_OK ? model != NULL : result == SUP_ERROR_MEMORY && !model);
    sup_arena_free(&tight);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
  }
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shi_t1_equivariance),
      cmocka_unit_test(shi_t2_rest_equilibrium),
      cmocka_unit_test(shi_t3_step_response),
      cmocka_unit_test(shi_t4_galilean),
      cmocka_unit_test(shi_t5_constant_acceleration),
      cmocka_unit_test(shi_t5_transients_decay),
      cmocka_unit_test(shi_t10_degenerate),
      cmocka_unit_test(shi_t13_spokes_keep_the_volume),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(colliders_push_out),
      cmocka_unit_test(restitution_is_what_it_says),
      cmocka_unit_test(forces_add),
      cmocka_unit_test(damaged_models_are_refused_or_harmless),
      cmocka_unit_test(bad_maps_are_refused),
      cmocka_unit_test(maps_come_back),
      cmocka_unit_test(packing_survives_short_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
