/* SPDX-License-Identifier: MIT */
/* One step of the surface technique: the tests SHI-T1 to T5, T10 and T13 by their names, in double
 * precision and in float. */
#include "flesh.h"

#include <math.h>
#include <stdio.h>

static double largest_term(const Flesh *f, int term) {
  double worst = 0;
  for (uint32_t lane = 0; lane < f->lanes; lane++) {
    const double *p = f->terms + ((size_t)18 * (lane / 16) + 3 * (size_t)term) * 16 + lane % 16;
    worst = fmax(worst, sqrt(p[0] * p[0] + p[16] * p[16] + p[32] * p[32]));
  }
  return worst;
}

/* ---- SHI-T1: the model has no preferred place or direction ----------------------------------- */

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
    def.values[SUP_SURFACE_MAX_DISTANCE] = 0.06f; /* some vertices reach it */
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
      assert_true(largest_term(&f, term) < precision(p).tolerance);
    }
    /* Equation 6 as printed: c = mean(R d0 + x_j) is not where the vertex is. */
    double printed = 0;
    for (uint32_t lane = 0; lane < f.lanes; lane++) {
      double *fraction =
          flesh_at((double *)(uintptr_t)f.wide.parameters, SUP_SURFACE_ROWS, lane, 0);
      SupVec3d edge = {fraction[16 * SUP_SURFACE_EDGE_X], fraction[16 * SUP_SURFACE_EDGE_Y],
                       fraction[16 * SUP_SURFACE_EDGE_Z]};
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
      assert_true(worst < (p ? 2e-5 : 1e-12));
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

/* For the figure of docs/measurements/surface.md: the tube as OBJ, where SUPPLE_TUBE_FIGURE says.
 */
static void save_tube(const Flesh *f, const SupMesh *mesh, float gamma) {
  char path[512];
  const char *folder = getenv("SUPPLE_TUBE_FIGURE");
  if (!folder) return;
  snprintf(path, sizeof path, "%s/tube-%g.obj", folder, (double)gamma);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    const uint32_t lane = f->view.lanes[v]; /* x is one step ahead */
    SupVec3d x = flesh_get(f->x, lane);
    SupVec3d g = sup_vec3d_add(flesh_get(f->next_goal, lane), flesh_get(f->goal_step, lane));
    fprintf(file, "v %g %g %g\n# goal %g %g %g\n", x.x, x.y, x.z, g.x, g.y, g.z);
  }
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *c = mesh->triangles + 3 * t;
    fprintf(file, "f %u %u %u\n", c[0] + 1, c[1] + 1, c[2] + 1);
  }
  fclose(file);
}

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
    double z = -0.0016 * k * k; /* 11.5 m/s^2 at 60 steps a second */
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
    if (k == 14) save_tube(&f, &tube.body, gamma);
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
