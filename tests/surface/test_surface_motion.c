/* SPDX-License-Identifier: MIT */
/* The surface technique in motion: SHI-T6 (decay), T10 (odd meshes), T11 (renumbering) and T15
 * (dragging) by their names. */
#include "flesh.h"

#include <math.h>
#include <string.h>
#include "supple/surface.h"

/* ---- SHI-T6: when the goal stops, motion dies as fast as the step's largest eigenvalue says ----
 */

/* The state as numbers: x and dx of every vertex, as offsets from the goal at rest. */
static void get_state(const Flesh *f, double *y) {
  uint32_t n = f->view.skin.vertex_count;
  for (uint32_t v = 0; v < n; v++) {
    uint32_t lane = f->view.lanes[v];
    SupVec3d x = sup_vec3d_sub(flesh_get(f->x, lane), flesh_get(f->next_goal, lane));
    SupVec3d dx = flesh_get(f->dx, lane);
    const double numbers[6] = {x.x, x.y, x.z, dx.x, dx.y, dx.z};
    memcpy(y + 6 * v, numbers, sizeof numbers);
  }
}

static void set_state(Flesh *f, const double *y) {
  for (uint32_t lane = 0; lane < f->lanes; lane++) {
    const double *p = y + 6 * f->view.skin.order[lane];
    SupVec3d goal = flesh_get(f->next_goal, lane);
    flesh_set(f->x, lane, (SupVec3d){goal.x + p[0], goal.y + p[1], goal.z + p[2]});
    flesh_set(f->dx, lane, (SupVec3d){p[3], p[4], p[5]});
    flesh_set(f->goal, lane, goal);
    flesh_set(f->goal_step, lane, (SupVec3d){0, 0, 0});
    set_rotation(f, lane, (SupQuatd){0, 0, 0, 1});
  }
}

static double norm(const double *y, uint32_t n) {
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += y[i] * y[i];
  return sqrt(sum);
}

/* out = a a, by columns; scaled by its norm, whose logarithm is returned. */
static double square(const double *a, uint32_t n, double *out) {
  memset(out, 0, (size_t)n * n * sizeof(double));
  for (uint32_t j = 0; j < n; j++) {
    for (uint32_t k = 0; k < n; k++) {
      for (uint32_t i = 0; i < n; i++) out[j * n + i] += a[k * n + i] * a[j * n + k];
    }
  }
  double size = norm(out, n * n);
  for (uint32_t i = 0; i < n * n; i++) out[i] /= size;
  return log(size);
}

/* The spectral radius of the step linearised at rest, out of two high powers: |J^2p| / |J^p|. */
static double spectral_radius(SupArena *arena, Flesh *f) {
  uint32_t n = 6 * f->view.skin.vertex_count;
  double *j = SUP_ALLOC(arena, double, (size_t)n *n), *next = SUP_ALLOC(arena, double, n *n);
  double *y = SUP_ALLOC(arena, double, n), *high = SUP_ALLOC(arena, double, n), *low = j;
  for (uint32_t c = 0; c < n; c++) {
    low = j + (size_t)c * n;
    for (int sign = -1; sign <= 1; sign += 2) {
      memset(y, 0, n * sizeof *y);
      y[c] = sign * 1e-5;
      set_state(f, y);
      flesh_step(f, NULL);
      get_state(f, sign < 0 ? low : high);
    }
    for (uint32_t i = 0; i < n; i++) low[i] = (high[i] - low[i]) / 2e-5;
  }
  double logarithm = 0, last = 0, power = 1; /* J^power = exp(logarithm) j */
  for (int k = 0; k < 12; k++) {
    last = logarithm;
    logarithm = 2 * logarithm + square(j, n, next);
    power *= 2;
    double *swap = j;
    j = next;
    next = swap;
  }
  return exp((logarithm - last) / (power / 2));
}

static void shi_t6_decay(void **state) {
  (void)state;
  static const float values[3][5] = {
      {0.2f, 0, 0, 0, 0.05f}, {0.15f, 0.2f, 0, 0.1f, 0.05f}, {0.1f, 0.1f, 0.3f, 0.1f, 0.05f}};
  for (int k = 0; k < 3; k++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(6, 6);
    SupCharacter tube;
    Flesh f;
    tube_make(&arena, 5, 5, NULL, &tube);
    const float *p = values[k];
    SupSurfaceDef def = def_of(p[0], p[1], p[2], p[3], p[4]);
    flesh_make(&arena, &tube, &def, &f);
    f.rotation_steps = 12; /* so that rotations are a function of the positions */
    flesh_goal(&f);
    double rho = spectral_radius(&arena, &f);
    uint32_t n = 6 * tube.body.vertex_count;
    double *y = SUP_ALLOC(&arena, double, n);
    for (uint32_t i = 0; i < n; i++) y[i] = 1e-3 * (2 * sup_rng_double(&rng) - 1);
    set_state(&f, y);
    double sizes[2] = {0, 0}; /* means over 100 steps: motion swings */
    for (int s = 0; s < 600; s++) {
      flesh_step(&f, NULL);
      get_state(&f, y);
      if (s >= 200 && s < 300) sizes[0] += norm(y, n);
      if (s >= 500) sizes[1] += norm(y, n);
    }
    double rate = pow(sizes[1] / sizes[0], 1 / 300.0);
    print_message("largest eigenvalue %.5f, measured decay %.5f per step\n", rho, rate);
    assert_true(fabs(log(rate) / log(rho) - 1) < 0.02);
    if (k == 0) assert_true(fabs(rho - sqrt(1 - 0.05)) < 1e-3);
    sup_arena_free(&arena);
  }
}

/* ---- SHI-T10, continued: meshes with hardly any neighbours ------------------------------------
 */

/* Leaves a vertex one of its neighbours. */
static void cut_ring(Flesh *f, uint32_t v) {
  uint32_t lane = f->view.lanes[v], block = lane / 16, at = lane % 16;
  uint32_t first = f->view.slot_first[block];
  for (uint32_t s = first + 1; s < f->view.slot_first[block + 1]; s++) {
    ((uint32_t *)(uintptr_t)f->view.slots)[16 * s + at] = lane;
    for (uint32_t c = 0; c < 3; c++) {
      ((float *)(uintptr_t)f->view.edges)[48 * s + 16 * c + at] = 0;
      ((double *)(uintptr_t)f->wide.edges)[48 * s + 16 * c + at] = 0;
    }
  }
  for (uint32_t c = 0; c < 4; c++) {
    size_t to = 16 * ((size_t)SUP_SURFACE_ROWS * block + SUP_SURFACE_RING_WEIGHT + c) + at;
    size_t from = 48 * first + 16 * (c - 1) + at;
    ((float *)(uintptr_t)f->view.parameters)[to] = c ? f->view.edges[from] : 1;
    ((double *)(uintptr_t)f->wide.parameters)[to] = c ? f->wide.edges[from] : 1;
  }
}

static void shi_t10_odd_meshes(void **state) {
  (void)state;
  /* Two lone vertices, two triangles by themselves, one with all corners in a line. */
  static const SupVec3 places[10] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},   {0, 0, 1},   {2, 0, 0},
                                     {2, 1, 0}, {3, 0, 0}, {3, 0.5, 0}, {3, 1.5, 0}, {0, 0.5f, 0}};
  static const uint32_t triangles[9] = {1, 2, 3, 3, 4, 5, 6, 7, 8};
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(10, 1);
    SupCharacter odd;
    Flesh f;
    tube_make(&arena, 5, 5, NULL, &odd); /* its skeleton */
    odd.body = (SupMesh){10, 3, places, triangles};
    static const uint32_t offsets[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const uint32_t bones[10] = {0, 0, 0, 1, 1, 1, 0, 0, 1, 0};
    static const float weights[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    odd.skin = (SupSkin){10, 1, offsets, bones, weights};
    SupSurfaceDef def = def_of(0.2f, 0.5f, 0.5f, 0.2f, 0.05f);
    flesh_make(&arena, &odd, &def, &f);
    cut_ring(&f, 1);
    /* Vertices 0 and 9 have no neighbours, and lie on a bone. */
    for (uint32_t v = 0; v < 10; v += 9) {
      double *fraction = flesh_at((double *)(uintptr_t)f.wide.parameters, SUP_SURFACE_ROWS,
                                  f.view.lanes[v], SUP_SURFACE_RING_WEIGHT);
      assert_true(*fraction == 0);
    }
    flesh_goal(&f);
    flesh_start(&f);
    for (int k = 0; k < 200; k++) {
      f.palette[1] = rigid(random_rotation(&rng), random_vector(&rng, 0.2));
      flesh_goal(&f);
      flesh_step(&f, precision(p).backend);
      for (uint32_t i = 0; i < 3 * f.lanes; i++) assert_true(isfinite(f.x[i]) && fabs(f.x[i]) < 50);
    }
    /* And comes to rest again where it began, being nothing but springs. */
    f.palette[1] = f.palette[0];
    for (int k = 0; k < 2000; k++) {
      flesh_goal(&f);
      flesh_step(&f, precision(p).backend);
    }
    for (uint32_t v = 0; v < 10; v++) {
      SupVec3d x = flesh_get(f.x, f.view.lanes[v]);
      assert_true(sup_vec3d_distance(x, sup_vec3_to_double(places[v])) < 1e-5);
    }
    sup_arena_free(&arena);
  }
}

/* ---- SHI-T11: the numbering of the vertices does not matter -----------------------------------
 */

static void shi_t11_permutation(void **state) {
  (void)state;
  enum { AROUND = 10, ALONG = 11, N = AROUND * ALONG + 2 };
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(11, 1);
    uint32_t order[N];
    for (uint32_t v = 0; v < N; v++) order[v] = v;
    for (uint32_t v = N - 1; v > 0; v--) {
      uint32_t other = sup_rng_below(&rng, v + 1), keep = order[v];
      order[v] = order[other];
      order[other] = keep;
    }
    SupCharacter tubes[2];
    Flesh f[2];
    SupSurfaceDef def = def_of(0.2f, 0.3f, 0.3f, 0.2f, 0.1f);
    for (int k = 0; k < 2; k++) {
      tube_make(&arena, AROUND, ALONG, k ? order : NULL, &tubes[k]);
      flesh_make(&arena, &tubes[k], &def, &f[k]);
    }
    double worst = 0, most = 0;
    for (int i = 0; i < 100; i++) {
      double angle = 0.3 * sin(0.2 * i);
      for (int k = 0; k < 2; k++) {
        f[k].palette[1] =
            rigid((SupQuatd){sin(angle), 0, 0, cos(angle)}, (SupVec3d){0, 0.1 * sin(0.5 * i), 0});
        flesh_goal(&f[k]);
        if (i == 0) flesh_start(&f[k]);
        flesh_step(&f[k], precision(p).backend);
      }
      for (uint32_t v = 0; v < N; v++) {
        SupVec3d a = flesh_get(f[0].x, f[0].view.lanes[v]);
        SupVec3d b = flesh_get(f[1].x, f[1].view.lanes[order[v]]);
        worst = fmax(worst, sup_vec3d_distance(a, b));
        SupVec3d goal = flesh_get(f[0].next_goal, f[0].view.lanes[v]);
        most = fmax(most, sup_vec3d_distance(a, goal));
      }
    }
    print_message("renumbered: differs by %.1e at most, amplitude %.2f\n", worst, most);
    assert_true(worst < (p ? 1e-6 : 1e-12) && most > 0.05);
    sup_arena_free(&arena);
  }
}

/* ---- SHI-T15: dragging ------------------------------------------------------------------------
 */

typedef struct Drag {
  SupArena arena;
  SupCharacter tube;
  SupModel *model;
  SupStack stack;
  SupStackState *state;
  SupTransform joints[2];
  SupPose pose;
  SupVec3 *positions;
} Drag;

static void drag_start(Drag *d, const SupSurfaceDef *def) {
  d->arena = new_arena();
  tube_make(&d->arena, 12, 11, NULL, &d->tube);
  assert_int_equal(sup_surface_pack(&d->arena, &d->tube, def, &d->model, NULL), SUP_OK);
  const SupModel *models[1] = {d->model};
  SupStackDef stack = sup_stack_def();
  stack.skeleton = &d->tube.skeleton;
  stack.model_count = 1;
  stack.models = models;
  assert_int_equal(sup_stack_make(&stack, &d->stack, NULL), SUP_OK);
  d->state = sup_stack_init(&d->stack, sup_arena_alloc(&d->arena, sup_stack_bytes(&d->stack), 1));
  d->pose = (SupPose){2, sup_transform_identity(), d->joints};
  sup_pose_rest(&d->tube.skeleton, &d->pose);
  d->positions = SUP_ALLOC(&d->arena, SupVec3, d->tube.body.vertex_count);
}

static void drag_step(Drag *d, const SupPull *pull) {
  SupExternalForces forces = {.pull_count = pull ? 1 : 0, .pulls = pull};
  SupStackFrame frame = {
      .dt = 1.0f / 60, .pose = &d->pose, .forces = &forces, .positions = {&d->positions[0].x, 3}};
  sup_stack_step(&d->stack, d->state, sup_backend_cpu(), NULL, &frame);
}

static double farthest(const Drag *d, uint32_t only) {
  double most = 0;
  for (uint32_t v = 0; v < d->tube.body.vertex_count; v++) {
    if (only != SUP_NONE && v != only) continue;
    most = fmax(most, (double)sup_vec3_distance(d->positions[v], d->tube.body.positions[v]));
  }
  return most;
}

static void shi_t15_drag(void **state) {
  (void)state;
  static const float values[2][5] = {{0.1f, 0.2f, 0, 0.1f, 0.05f}, {0.1f, 0.1f, 0.2f, 0.1f, 0.05f}};
  for (int k = 0; k < 2; k++) {
    Drag d;
    const float *p = values[k];
    SupSurfaceDef def = def_of(p[0], p[1], p[2], p[3], p[4]);
    drag_start(&d, &def);
    for (int i = 0; i < 5; i++) drag_step(&d, NULL);
    assert_true(farthest(&d, SUP_NONE) < 1e-5);
    const uint32_t held = 5 * 12 + 3;
    SupPull pull = {held, {0, 0, 0}, 1};
    for (int i = 0; i < 40; i++) {
      pull.target = sup_vec3_add(d.tube.body.positions[held],
                                 (SupVec3){0.005f * (float)i, 0.003f * (float)i, 0.1f});
      drag_step(&d, &pull);
      assert_memory_equal(&d.positions[held], &pull.target, sizeof pull.target);
    }
    /* It drags others along. */
    assert_true(farthest(&d, held + 1) > 0.01 && farthest(&d, held + 12) > 0.01);
    /* The period of a vertex that only its goal pulls; whole windows of it. */
    double window =
        ceil(2 * SUP_PI / acos((2 - (double)p[0] - (double)p[4]) / (2 * sqrt(1 - (double)p[4]))));
    double before = INFINITY, before_all = INFINITY;
    for (int w = 0; w < 12; w++) {
      double peak = 0, all = 0;
      for (int i = 0; i < (int)window; i++) {
        drag_step(&d, NULL);
        peak = fmax(peak, farthest(&d, held));
        all = fmax(all, farthest(&d, SUP_NONE));
      }
      assert_true(peak <= before + 1e-6 && all <= before_all + 1e-6);
      before = peak;
      before_all = all;
    }
    assert_true(before_all < 0.01);
    sup_arena_free(&d.arena);
  }
}

/* A soft pull comes to rest where pull and goal balance: s (target - x) = alpha (x - goal). */
static void soft_drag_balances(void **state) {
  (void)state;
  Drag d;
  SupSurfaceDef def = def_of(0.1f, 0, 0, 0, 0.2f);
  drag_start(&d, &def);
  const uint32_t held = 40;
  SupVec3 rest = d.tube.body.positions[held];
  SupPull pull = {held, sup_vec3_add(rest, (SupVec3){0.3f, 0, 0}), 0.2f};
  for (int i = 0; i < 300; i++) drag_step(&d, &pull);
  assert_true(fabs((double)(d.positions[held].x - rest.x) - 0.3 * 0.2 / 0.3) < 1e-5);
  for (int i = 0; i < 300; i++) drag_step(&d, NULL);
  assert_true(farthest(&d, SUP_NONE) < 1e-5);
  sup_arena_free(&d.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shi_t6_decay),        cmocka_unit_test(shi_t10_odd_meshes),
      cmocka_unit_test(shi_t11_permutation), cmocka_unit_test(shi_t15_drag),
      cmocka_unit_test(soft_drag_balances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
