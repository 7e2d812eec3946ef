/* SPDX-License-Identifier: MIT */
/* The goal's acceleration handed on when it happens: on a goal that jerks, and learned. */
#include <math.h>
#include <string.h>

#include "lesson.h"
#include "supple/surface.h"

enum { STEPS = 30 };

/* At rest when it begins; then a pose that nobody could foresee. */
static SupAffine jerk(SupRng *rng, int step) {
  const SupVec3d t = random_vector(rng, step < 3 ? 0 : 0.05);
  return sup_affined_to_float(rigid((SupQuatd){0, 0, 0, 1}, t));
}

static void goal_of(const SupSurfaceView *view, SupSurfaceState *state, const SupAffine *palette) {
  const SupSkinCall call = {
      .skin = &view->skin, .palette = palette, .positions = {sup_surface_next_goal(state), 0}};
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
}

/* The farthest that a vertex is shown from its goal. */
static double farthest(const SupSurfaceView *view, const SupSurfaceState *state, float part,
                       float *pairs) {
  const SupSurfaceShow show = {.between = part > 0, .part = part, .fade = 1};
  double worst = 0;
  sup_surface_show(view, state, sup_backend_cpu(), NULL, &show, pairs);
  for (uint32_t lane = 0; lane < view->skin.vertex_count; lane++) {
    const float *p = pairs + 8 * lane;
    const SupVec3 x = {p[0], p[1], p[2]}, goal = {p[4], p[5], p[6]};
    worst = fmax(worst, (double)sup_vec3_distance(x, goal));
  }
  return worst;
}

/* Flesh that feels nothing (eta 1) is at its goal in every frame, between steps as well; without
 * the flag it is a third difference of the goal away. */
static void nothing_felt_is_nothing_seen(void **state_) {
  (void)state_;
  double worst[2] = {0, 0}, between[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(6, 6);
    SupCharacter tube;
    SupModel *model;
    tube_make(&arena, 10, 9, NULL, &tube);
    SupSurfaceDef def = def_of(0.2f, 0.1f, 0, 0.1f, 0.1f);
    def.values[SUP_SURFACE_ETA] = 1;
    def.flags = k ? SUP_SURFACE_UNDELAYED : 0;
    assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
    const SupSurfaceView view = sup_surface_view(model);
    SupSurfaceState *state =
        sup_surface_init(&view, sup_arena_alloc(&arena, sup_surface_bytes(&view), 1));
    float *pairs = SUP_ALLOC(&arena, float, 128 * view.skin.block_count);
    for (int t = 0; t < STEPS; t++) {
      SupAffine palette[2];
      palette[0] = palette[1] = jerk(&rng, t);
      goal_of(&view, state, palette);
      sup_surface_step(&view, state, sup_backend_cpu(), NULL, palette, NULL);
      if (t < 3) continue;
      worst[k] = fmax(worst[k], farthest(&view, state, 0, pairs));
      palette[0] = palette[1] = jerk(&rng, t);
      goal_of(&view, state, palette);
      between[k] = fmax(between[k], farthest(&view, state, 0.6f, pairs));
    }
    sup_arena_free(&arena);
  }
  print_message("at steps %.2g delayed, %.2g undelayed; between %.2g, %.2g\n", worst[0], worst[1],
                between[0], between[1]);
  assert_true(worst[0] > 0.1 && worst[1] < 1e-5);
  assert_true(between[1] < 0.1 * between[0]);
}

/* What is handed on does not lead into a collider. */
static void colliders_stay_empty(void **state_) {
  (void)state_;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(6, 7);
  SupCharacter tube;
  SupModel *model;
  tube_make(&arena, 10, 9, NULL, &tube);
  SupSurfaceDef def = def_of(0.2f, 0.1f, 0, 0.1f, 0.1f);
  def.values[SUP_SURFACE_ETA] = 1;
  def.flags = SUP_SURFACE_UNDELAYED;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
  const SupSurfaceView view = sup_surface_view(model);
  SupSurfaceState *state =
      sup_surface_init(&view, sup_arena_alloc(&arena, sup_surface_bytes(&view), 1));
  float *pairs = SUP_ALLOC(&arena, float, 128 * view.skin.block_count);
  const SupCollider ball = {.a = {0.5f, 1, 0}, .b = {0.5f, 1, 0}, .radius = 0.3f};
  const SupExternalForces forces = {.collider_count = 1, .colliders = &ball};
  uint32_t touched = 0;
  for (int t = 0; t < STEPS; t++) {
    SupAffine palette[2];
    palette[0] = palette[1] = jerk(&rng, t);
    goal_of(&view, state, palette);
    sup_surface_step(&view, state, sup_backend_cpu(), NULL, palette, &forces);
    farthest(&view, state, 0, pairs);
    for (uint32_t lane = 0; t > 3 && lane < view.skin.vertex_count; lane++) {
      const float *p = pairs + 8 * lane;
      const float reach = sup_vec3_distance((SupVec3){p[0], p[1], p[2]}, ball.a);
      assert_true(reach > 0.3f - 1e-5f);
      touched += reach < 0.3f + 1e-5f;
    }
  }
  assert_true(touched > STEPS);
  sup_arena_free(&arena);
}

/* What the run time's step made is found again by learning, which knows goals ahead: the two are
 * the same. */
static void what_it_made_is_learned(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l;
  SupSurfaceMaps maps;
  SupModel *model;
  SupSurfaceTrainReport report;
  lesson_make(&arena, 12, 10, 90, 0, SUP_SURFACE_UNDELAYED, &l);
  SupSurfaceTrainDef def = lesson_def(&l);
  def.passes = 1;
  def.descents = 0;
  assert_int_equal(sup_surface_train(&arena, &def, &maps, &model, &report, NULL), SUP_OK);
  print_message("saved %.1e, maps off by %.1e\n", report.errors[SUP_SURFACE_SAVED],
                lesson_distance(&l, &maps));
  assert_true(report.errors[SUP_SURFACE_SAVED] < 1e-8);
  assert_true(lesson_distance(&l, &maps) < 1e-6);
  assert_true(sup_surface_view(model).flags & SUP_SURFACE_UNDELAYED);
  sup_arena_free(&arena);
}

/* What the examples do not explain is not kept: noise of a twentieth of the motion's peak. */
static void what_is_not_explained_is_not_felt(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l;
  SupSurfaceMaps maps;
  SupModel *model;
  SupSurfaceTrainReport r[2];
  lesson_make(&arena, 10, 8, 60, 0, SUP_SURFACE_UNDELAYED, &l);
  lesson_noise(&l, 0.05, 4);
  SupSurfaceTrainDef def = lesson_def(&l);
  def.passes = 2;
  def.descents = 0;
  double felt[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    def.inertia_gain = k ? 0 : 1;
    assert_int_equal(sup_surface_train(&arena, &def, &maps, &model, &r[k], NULL), SUP_OK);
    for (uint32_t v = 0; v < l.n; v++) felt[k] += 1 - (double)maps.rows[SUP_SURFACE_ETA][v];
  }
  const double left = r[1].errors[SUP_SURFACE_WINDOWS];
  print_message("error %.3f, inertia gain %.3f, felt %.3f of it\n", left, r[1].inertia_gain,
                felt[1] / felt[0]);
  assert_true(left > 0.1 && left < 0.75);
  assert_true(fabs(r[1].inertia_gain - (1 - 1.3 * left * left)) < 1e-6 && r[0].inertia_gain == 1);
  assert_true(fabs(felt[1] / felt[0] - r[1].inertia_gain) < 1e-3);
  sup_arena_free(&arena);
}

/* Flesh that hardly feels anything may hardly leave its goal, and learning knows where that is:
 * what it says is left of the error is what the run time will show, nearly all. */
static void what_is_not_felt_is_left(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l;
  SupSurfaceMaps maps;
  SupModel *model;
  SupSurfaceTrainReport report;
  lesson_make(&arena, 10, 8, 60, 0, SUP_SURFACE_UNDELAYED, &l);
  lesson_calm(&l, 0.1);
  SupSurfaceTrainDef def = lesson_def(&l);
  def.rows = 1u << SUP_SURFACE_ALPHA | 1u << SUP_SURFACE_DELTA | 1u << SUP_SURFACE_ETA;
  def.passes = 1;
  def.descents = 0;
  def.inertia_gain = 1e-3;
  assert_int_equal(sup_surface_train(&arena, &def, &maps, &model, &report, NULL), SUP_OK);
  print_message("left with a thousandth felt: %.4f\n", report.errors[SUP_SURFACE_SAVED]);
  assert_true(report.errors[SUP_SURFACE_SAVED] > 0.95 && report.errors[SUP_SURFACE_SAVED] < 1.01);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_felt_is_nothing_seen),
      cmocka_unit_test(colliders_stay_empty),
      cmocka_unit_test(what_it_made_is_learned),
      cmocka_unit_test(what_is_not_explained_is_not_felt),
      cmocka_unit_test(what_is_not_felt_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
