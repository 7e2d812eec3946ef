/* SPDX-License-Identifier: MIT */
/* Learning from examples as they come: a few markers, bad frames, goals with modes; and with any
 * number of threads. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "lesson.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

static SupSurfaceTrainReport learn(const Lesson *l, const SupSurfaceTrainDef *def,
                                   SupModel **out_model) {
  SupSurfaceTrainReport report;
  SupSurfaceMaps maps;
  SupError error = {{0}};
  if (sup_surface_train(l->arena, def, &maps, out_model, &report, &error)) {
    fail_msg("%s", error.text);
  }
  assert_true(report.build.probe.growth < SUP_SURFACE_GROWTH);
  return report;
}

/* The error of a model on the clean motion, trained (0) or another one (1). */
static double error_on(SupArena *arena, int motion, const SupModel *model) {
  Lesson clean;
  lesson_make(arena, 12, 10, 90, motion, 0, &clean);
  SupSurfaceTrainDef def = lesson_def(&clean);
  return sup_surface_error(arena, &def, model, NULL);
}

static const SupVec3d nowhere = {(double)NAN, (double)NAN, (double)NAN};

/* Every fifth vertex is seen. The others are filled in, and still swing as they should. */
static void markers_only(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l;
  SupModel *model;
  lesson_make(&arena, 12, 10, 90, 0, 0, &l);
  uint32_t seen = 0;
  for (uint32_t v = 0; v < l.n; v++) {
    if (v % 5 == 0) seen++;
    for (uint32_t t = 0; t < 90 && v % 5; t++) l.positions[(size_t)t * l.n + v] = nowhere;
  }
  SupSurfaceTrainDef def = lesson_def(&l);
  def.smooth = 0.03;
  def.passes = 6;
  def.descents = 10;
  const SupSurfaceTrainReport r = learn(&l, &def, &model);
  const double trained = error_on(&arena, 0, model), other = error_on(&arena, 1, model);
  print_message("%u of %u vertices seen: %.3f on them, %.3f on all, %.3f in another motion\n",
                r.seen, l.n, r.errors[SUP_SURFACE_SAVED], trained, other);
  assert_int_equal(r.seen, seen);
  assert_true(trained < 0.35 && other < 0.35);
  sup_arena_free(&arena);
}

/* Weights say the same as positions that are not there. */
static void weights_hide(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l;
  SupModel *model;
  lesson_make(&arena, 12, 10, 40, 0, 0, &l);
  float *weights = SUP_ALLOC(&arena, float, l.n), times[40];
  for (uint32_t v = 0; v < l.n; v++) weights[v] = v % 2 ? 1.0f : 0.0f;
  for (uint32_t t = 0; t < 40; t++) times[t] = t == 20 ? 0.0f : 2.0f;
  for (uint32_t v = 0; v < l.n; v++) { /* what has no weight may be anything */
    l.positions[(size_t)20 * l.n + v].x += v % 2 ? 0.2 : 0;
    if (v % 2 == 0) l.positions[(size_t)25 * l.n + v].x += 1;
  }
  SupSurfaceTrainDef def = lesson_def(&l);
  def.vertex_weights = weights;
  l.example.frame_weights = times;
  def.smooth = 0.01;
  const SupSurfaceTrainReport r = learn(&l, &def, &model);
  print_message("half of the vertices, a frame without weight: %.3f on what counts\n",
                r.errors[SUP_SURFACE_SAVED]);
  assert_int_equal(r.seen, l.n / 2);
  assert_true(r.errors[SUP_SURFACE_SAVED] < 0.2);
  sup_arena_free(&arena);
}

/* A frame that is somewhere else, one that is missing, and a vertex that jumps once. */
static void bad_frames(void **state) {
  (void)state;
  double errors[2];
  for (int keep = 0; keep < 2; keep++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(4, 4);
    Lesson l;
    SupModel *model;
    lesson_make(&arena, 12, 10, 90, 0, 0, &l);
    for (uint32_t v = 0; v < l.n; v++) {
      SupVec3d *p = &l.positions[(size_t)30 * l.n + v];
      *p = sup_vec3d_add(*p, random_vector(&rng, 0.2));
      if (!keep) l.positions[(size_t)55 * l.n + v] = nowhere;
    }
    l.positions[(size_t)70 * l.n + 17].y += 0.5;
    SupSurfaceTrainDef def = lesson_def(&l);
    def.outlier = keep ? 0 : 20;
    def.passes = 2;
    def.descents = 0;
    const SupSurfaceTrainReport r = learn(&l, &def, &model);
    errors[keep] = error_on(&arena, 0, model);
    print_message("bad frames %s: %u dropped, %u positions unknown, error without them %.2g\n",
                  keep ? "kept" : "dropped", r.clips[0].dropped, r.clips[0].missing, errors[keep]);
    if (!keep) {
      assert_int_equal(r.clips[0].dropped, 2);
      assert_true(r.clips[0].missing >= 2 * l.n + 1 && r.clips[0].missing < 2 * l.n + 10);
    }
    sup_arena_free(&arena);
  }
  assert_true(errors[0] < 0.02 && errors[1] > 10 * errors[0]);
}

/* Goals that move as the flesh does already (modes): nothing is left to answer, and nothing may be
 * stirred up. */
static void handed_on(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l;
  SupModel *model;
  lesson_make(&arena, 12, 10, 60, 0, 0, &l);
  SupVec3d *goals = SUP_ALLOC(&arena, SupVec3d, (size_t)60 * l.n);
  SupRng rng = sup_rng(5, 5);
  for (size_t i = 0; i < (size_t)60 * l.n; i++) { /* what is left: a little that swings */
    const double t = (double)(i / l.n), v = (double)(i % l.n);
    goals[i] = l.positions[i];
    goals[i].y -= 0.002 * sin(0.5 * t + 0.1 * v) + 1e-5 * sup_rng_double(&rng);
  }
  l.example.exact_goals = goals;
  SupSurfaceTrainDef def = lesson_def(&l);
  l.example.handed_on = true;
  def.passes = 3;
  def.descents = 5;
  const SupSurfaceTrainReport r = learn(&l, &def, &model);
  l.example.handed_on = false;
  const double stirred = sup_surface_error(&arena, &def, model, NULL);
  print_message("goals that answer for inertia: %.3f; if they did not: %.1f\n",
                r.errors[SUP_SURFACE_SAVED], stirred);
  assert_true(r.errors[SUP_SURFACE_SAVED] < 1.05 && stirred > 5);
  sup_arena_free(&arena);
}

/* Few smooth patterns instead of a number per vertex: the more, the nearer. */
static void patterns(void **state) {
  (void)state;
  double errors[3];
  static const uint32_t counts[3] = {1, 6, 24};
  for (int k = 0; k < 3; k++) {
    SupArena arena = new_arena();
    Lesson l;
    SupModel *model;
    lesson_make(&arena, 8, 7, 40, 0, 0, &l);
    SupSurfaceTrainDef def = lesson_def(&l);
    def.basis = counts[k];
    def.passes = 6;
    def.descents = 20;
    errors[k] = learn(&l, &def, &model).errors[SUP_SURFACE_SAVED];
    print_message("%u patterns: %.3f\n", counts[k], errors[k]);
    sup_arena_free(&arena);
  }
  assert_true(errors[2] < errors[1] && errors[1] < errors[0] && errors[2] < 0.15);
}

/* Smoothness and terms by a clip that is left out: all that was tried is told, the best is used. */
static void cross_validation(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l, other;
  SupModel *model;
  lesson_make(&arena, 8, 7, 40, 0, 0, &l);
  lesson_make(&arena, 8, 7, 40, 1, 0, &other);
  lesson_noise(&l, 0.02, 1);
  lesson_noise(&other, 0.02, 2);
  const SupSurfaceExample both[2] = {l.example, other.example};
  SupSurfaceTrainDef def = lesson_def(&l);
  def.example_count = 2;
  def.examples = both;
  def.cross_validate = true;
  def.inertia_gain = 0;
  def.passes = 2;
  def.descents = 4;
  const SupSurfaceTrainReport r = learn(&l, &def, &model);
  uint32_t best = 0;
  for (uint32_t k = 1; k < r.choice_count; k++) {
    best = r.choices[k].error < r.choices[best].error ? k : best;
  }
  print_message("%u choices, smoothness %g with %.3f on what was left out; %.3f on all\n",
                r.choice_count, r.smooth, r.choices[best].error, r.errors[SUP_SURFACE_SAVED]);
  assert_int_equal(r.choice_count, 6);
  assert_true(r.choices[best].smooth == r.smooth && r.choices[best].rows == r.rows);
  assert_true(r.inertia_gain == 1 &&
              r.choices[best].inertia_gain == 1); /* both motions are of one flesh */
  assert_true(r.choices[best].error < 0.6 && r.errors[SUP_SURFACE_SAVED] < 0.6);
  sup_arena_free(&arena);
}

/* Two motions of which one answers a third as much as the other: what either teaches is too much or
 * too little for the other, and less of it is felt. */
static void less_is_felt(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l, other;
  SupModel *model;
  lesson_make(&arena, 8, 7, 40, 0, 0, &l);
  lesson_make(&arena, 8, 7, 40, 1, 0, &other);
  lesson_calm(&other, 0.3);
  const SupSurfaceExample both[2] = {l.example, other.example};
  SupSurfaceTrainDef def = lesson_def(&l);
  def.example_count = 2;
  def.examples = both;
  def.cross_validate = true;
  def.inertia_gain = 0;
  def.passes = 2;
  def.descents = 4;
  const SupSurfaceTrainReport r = learn(&l, &def, &model);
  print_message("%g of it felt\n", r.inertia_gain);
  assert_true(r.inertia_gain < 1);
  sup_arena_free(&arena);
}

static void threads(void **state) {
  (void)state;
  uint64_t alone = 0;
  for (uint32_t count = 0; count <= 4; count++) {
    SupArena arena = new_arena();
    Lesson l;
    SupModel *model;
    SupPool *pool = count ? sup_pool_create(sup_heap_allocator(), count) : NULL;
    lesson_make(&arena, 20, 70, 24, 0, 0, &l); /* some 1,400 vertices: many ranges */
    lesson_noise(&l, 0.01, 1);
    SupSurfaceTrainDef def = lesson_def(&l);
    const SupJobs jobs = pool ? sup_pool_jobs(pool) : (SupJobs){0};
    if (pool) def.jobs = &jobs;
    def.smooth = 0.01;
    def.passes = 1;
    def.descents = 3;
    def.rotation_steps = 1;
    learn(&l, &def, &model);
    const uint64_t hash = sup_hash(model, (size_t)model->bytes, 0);
    if (!count) alone = hash;
    assert_true(hash == alone);
    if (pool) sup_pool_destroy(pool);
    sup_arena_free(&arena);
  }
}

/* Seconds of this process: passes and descents fixed, so that only the size differs. */
static double seconds_for(uint32_t along, uint32_t frames) {
  SupArena arena = new_arena();
  Lesson l;
  SupModel *model;
  lesson_make(&arena, 24, along, frames, 0, 0, &l);
  SupSurfaceTrainDef def = lesson_def(&l);
  def.passes = 2;
  def.descents = 2;
  def.rotation_steps = 1;
  const clock_t began = clock();
  const SupSurfaceTrainReport r = learn(&l, &def, &model);
  const double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
  sup_arena_free(&arena);
  /* Windows are as many as doublings: the passes per frame are not quite constant. */
  return seconds / (r.iterations + 3 * r.gradients);
}

static void time_is_linear(void **state) {
  (void)state;
  const double one = seconds_for(20, 60), wide = seconds_for(80, 60),
               lengthy = seconds_for(20, 240);
  print_message("four times the vertices: %.2f times the time; four times the frames: %.2f\n",
                wide / one, lengthy / one);
  assert_true(wide / one < 7 && lengthy / one < 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(markers_only),   cmocka_unit_test(weights_hide),
      cmocka_unit_test(bad_frames),     cmocka_unit_test(handed_on),
      cmocka_unit_test(patterns),       cmocka_unit_test(cross_validation),
      cmocka_unit_test(less_is_felt),   cmocka_unit_test(threads),
      cmocka_unit_test(time_is_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
