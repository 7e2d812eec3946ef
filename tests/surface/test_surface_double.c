/* SPDX-License-Identifier: MIT */
/* The step in double precision: the same bits with every instruction set. */
#include <string.h>

#include "flesh.h"
#include "supple/surface.h"

/* The rows of a state and what a step told of itself, one behind the other. */
static double *copy_state(SupArena *arena, const Flesh *f, size_t *out_count) {
  const double *rows[] = {f->x, f->dx, f->goal, f->goal_step, f->rotation, f->records, f->terms};
  const size_t widths[] = {3, 3, 3, 3, 4, 8, 3 * SUP_SURFACE_ALL_TERMS};
  double *copy = SUP_ALLOC(arena, double, f->lanes *(24 + 3 * SUP_SURFACE_ALL_TERMS));
  *out_count = 0;
  for (int k = 0; k < 7; k++) {
    memcpy(copy + *out_count, rows[k], f->lanes * widths[k] * sizeof(double));
    *out_count += f->lanes * widths[k];
  }
  return copy;
}

typedef struct Kind {
  uint32_t flags;
  bool ahead; /* how the goal will bend is known, as in learning */
} Kind;

/* Random flesh among balls, pushed against its limits, five steps on. */
static double *steps_of(SupArena *arena, const SupBackend *backend, Kind kind, size_t *out_count) {
  static const SupColliderd ball = {.a = {0.5, 1, 0}, .b = {0.6, 1, 0.2}, .radius = 0.3};
  SupRng rng = sup_rng(11, kind.flags);
  SupCharacter tube;
  Flesh f;
  tube_make(arena, 13, 9, NULL, &tube);
  SupSurfaceDef def = def_of(0.2f, 0.3f, 0.2f, 0.1f, 0.1f);
  def.values[SUP_SURFACE_ETA] = 0.4f;
  def.values[SUP_SURFACE_MAX_DISTANCE] = 0.2f;
  def.values[SUP_SURFACE_STOP] = 0.05f;
  def.values[SUP_SURFACE_MAP_NORMAL_ALPHA] = 0.3f;
  def.values[SUP_SURFACE_MAP_NORMAL_DELTA] = 0.2f;
  def.flags = kind.flags;
  flesh_make(arena, &tube, &def, &f);
  f.collider_count = 1;
  f.colliders = &ball;
  f.forced = true;
  f.stopped = kind.flags & SUP_SURFACE_BACKSTOPS;
  f.backend = backend;
  if (kind.ahead) f.bends = SUP_ALLOC(arena, double, (size_t)3 * f.lanes);
  flesh_goal(&f);
  flesh_start(&f);
  for (int step = 0; step < 5; step++) {
    f.palette[0] = rigid(random_rotation(&rng), random_vector(&rng, 0.1));
    f.palette[1] = rigid(random_rotation(&rng), random_vector(&rng, 0.1));
    flesh_goal(&f);
    if (step == 0) randomise(&f, &rng);
    for (uint32_t k = 0; f.bends && k < f.lanes; k++)
      flesh_set(f.bends, k, random_vector(&rng, 0.1));
    flesh_step(&f, NULL);
  }
  return copy_state(arena, &f, out_count);
}

static void instruction_sets_agree(void **state) {
  static const Kind kinds[] = {{0, false},
                               {SUP_SURFACE_UNDELAYED, false},
                               {SUP_SURFACE_UNDELAYED, true},
                               {SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL, false},
                               {SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL, true},
                               {SUP_SURFACE_NORMAL | SUP_SURFACE_BACKSTOPS, false},
                               {SUP_SURFACE_ABSOLUTE | SUP_SURFACE_BONE_ROTATION, false}};
  const SupBackend *backends[8];
  const uint32_t count = sup_backend_list(backends, 8);
  (void)state;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    SupArena arena = new_arena();
    size_t numbers;
    const double *plain = steps_of(&arena, NULL, kinds[k], &numbers);
    for (size_t i = 0; i < numbers; i++) assert_true(plain[i] - plain[i] == 0);
    for (uint32_t b = 0; b < count && b < 8; b++) {
      const double *wide = steps_of(&arena, backends[b], kinds[k], &numbers);
      if (memcmp(wide, plain, numbers * sizeof *plain) == 0) continue;
      fail_msg("%s differs with flags %x%s", backends[b]->name, kinds[k].flags,
               kinds[k].ahead ? ", bends known" : "");
    }
    sup_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(instruction_sets_agree)};
  return cmocka_run_group_tests_name("surface_double", tests, NULL, NULL);
}
