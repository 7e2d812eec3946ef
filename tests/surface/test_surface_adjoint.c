/* SPDX-License-Identifier: MIT */
/* The gradient of the simulation error against finite differences. */
#include <math.h>

#include "lesson.h"
#include "train/surface/problem.h"

/* Numbers that are not those of the example, with all terms at work. */
static void set_numbers(SurfaceProblem *p, uint64_t seed) {
  SupRng rng = sup_rng(seed, 5);
  static const double middle[MOST_TERMS] = {0.2, 0.25, 0.2, 0.12, 0.1, 0.3, 0.35, 0.04};
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    for (uint32_t k = 0; k < p->terms; k++) {
      *surface_at(p->numbers, p->terms, lane, k) = middle[k] * (0.7 + 0.6 * sup_rng_double(&rng));
    }
  }
}

/* The slope of the error along a direction, by central differences. */
static double slope_along(SurfaceProblem *p, SurfaceAdjoint *a, const double *at, const double *way,
                          double h) {
  double e[2];
  const size_t size = (size_t)p->terms * p->lanes;
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0; i < size; i++) p->numbers[i] = at[i] + (k ? h : -h) * way[i];
    e[k] = sup_surface_gradient(p, a);
  }
  for (size_t i = 0; i < size; i++) p->numbers[i] = at[i];
  return (e[1] - e[0]) / (2 * h);
}

/* Each row by itself in turn, then all; some vertices or all of them. */
static double worst_slope(SurfaceProblem *p) {
  SurfaceAdjoint a;
  SupRng rng = sup_rng(3, 3);
  const size_t size = (size_t)p->terms * p->lanes;
  assert_int_equal(sup_surface_adjoint_make(p, &a, NULL), SUP_OK);
  double *at = SUP_ALLOC(p->arena, double, size), *way = SUP_ALLOC(p->arena, double, size);
  double *gradient = SUP_ALLOC(p->arena, double, size), worst = 0;
  for (size_t i = 0; i < size; i++) at[i] = p->numbers[i];
  sup_surface_gradient(p, &a);
  for (size_t i = 0; i < size; i++) gradient[i] = a.gradient[i];
  for (uint32_t k = 0; k < 2 * (p->terms + 1); k++) {
    const uint32_t only = k % (p->terms + 1);
    const uint32_t lane = k > p->terms ? sup_rng_below(&rng, p->vertices) : SUP_NONE;
    double exact = 0;
    for (size_t i = 0; i < size; i++) way[i] = 0;
    for (uint32_t v = 0; v < p->vertices; v++) {
      for (uint32_t row = 0; row < p->terms; row++) {
        if ((only < p->terms && row != only) || (lane != SUP_NONE && v != lane)) continue;
        const double x = 2 * sup_rng_double(&rng) - 0.8;
        *surface_at(way, p->terms, v, row) = x;
        exact += x * surface_get(gradient, p->terms, v, row);
      }
    }
    const double measured = slope_along(p, &a, at, way, 1e-5);
    const double off = fabs(exact - measured) / (fabs(exact) + 1e-12);
    print_message("  %s %u: %.9g, by differences %.9g (%.1e)\n", lane == SUP_NONE ? "all" : "one",
                  only, exact, measured, off);
    worst = fmax(worst, off);
  }
  return worst;
}

static void adjoint(void **state) {
  (void)state;
  static const uint32_t flags[8] = {0,
                                    SUP_SURFACE_ABSOLUTE,
                                    0,
                                    0,
                                    SUP_SURFACE_NORMAL,
                                    SUP_SURFACE_NORMAL | SUP_SURFACE_ABSOLUTE,
                                    SUP_SURFACE_NORMAL,
                                    SUP_SURFACE_UNDELAYED};
  for (int k = 0; k < 8; k++) {
    SupArena arena = new_arena(), scratch = new_arena();
    Lesson l;
    SurfaceProblem p;
    lesson_make(&arena, 8, 7, 40, 0, flags[k], &l);
    lesson_noise(&l, 0.05, 2);
    SupSurfaceTrainDef def = lesson_def(&l);
    def.rotation_steps = 12;
    def.sobolev = k == 2 ? 3 : 0;
    if (k == 3 || k == 6) def.flags |= SUP_SURFACE_BONE_ROTATION;
    assert_int_equal(sup_surface_problem_make(&scratch, &def, &p, NULL), SUP_OK);
    set_numbers(&p, k < 7 ? 9 : 12);
    print_message("case %d\n", k);
    const double worst = worst_slope(&p);
    assert_true(worst < 1e-5);
    sup_arena_free(&scratch);
    sup_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(adjoint)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
