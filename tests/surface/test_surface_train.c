/* SPDX-License-Identifier: MIT */
/* Learning the surface technique: SHI-T7 by its name, both ways. */
#include "lesson.h"

#include <math.h>
#include <string.h>

static SupSurfaceTrainReport learn(const Lesson *l, const SupSurfaceTrainDef *def,
                                   SupSurfaceMaps *out_maps, SupModel **out_model) {
  SupSurfaceTrainReport report;
  SupError error = {{0}};
  if (sup_surface_train(l->arena, def, out_maps, out_model, &report, &error)) {
    fail_msg("%s", error.text);
  }
  assert_true(report.build.probe.growth < SUP_SURFACE_GROWTH);
  return report;
}

/* ---- SHI-T7: from its own motion the model finds its numbers again -----------------------------
 */

/* The published algorithm does on short clips, and does not on one of three seconds. */
static void shi_t7_literal(void **state) {
  (void)state;
  static const uint32_t lengths[3] = {20, 40, 90};
  for (int k = 0; k < 3; k++) {
    SupArena arena = new_arena();
    Lesson l;
    SupSurfaceMaps maps;
    SupModel *model;
    lesson_make(&arena, 12, 10, lengths[k], 2, SUP_SURFACE_ABSOLUTE, &l);
    SupSurfaceTrainDef def = lesson_def(&l);
    def.literal = true;
    def.tolerance = 0;
    def.iterations = 120;
    SupSurfaceTrainReport r = learn(&l, &def, &maps, &model);
    const double e = r.errors[SUP_SURFACE_WINDOWS];
    print_message("literal, %u frames: E_rel %.2g, maps off by %.2g\n", lengths[k], e * e,
                  lesson_distance(&l, &maps));
    assert_true(k < 2 ? e < 1e-4 : e > 0.9);
    sup_arena_free(&arena);
  }
}

/* Teacher forcing finds them from clips of any length, also where the literal iteration fails. */
static void shi_t7_exact(void **state) {
  (void)state;
  static const uint32_t lengths[4] = {20, 40, 90, 240};
  for (int k = 0; k < 8; k++) {
    SupArena arena = new_arena();
    Lesson l;
    SupSurfaceMaps maps;
    SupModel *model;
    const bool published = k >= 4;
    lesson_make(&arena, 12, 10, lengths[k % 4], published ? 2 : 0,
                published ? SUP_SURFACE_ABSOLUTE : 0, &l);
    SupSurfaceTrainDef def = lesson_def(&l);
    def.passes = 1;
    def.descents = 0;
    SupSurfaceTrainReport r = learn(&l, &def, &maps, &model);
    print_message("%u frames, %s: uniform %.2g, forced %.1e, saved %.1e, maps off by %.1e\n",
                  lengths[k % 4], published ? "absolute" : "relative",
                  r.errors[SUP_SURFACE_UNIFORM], r.errors[SUP_SURFACE_FORCED],
                  r.errors[SUP_SURFACE_SAVED], lesson_distance(&l, &maps));
    assert_true(r.errors[SUP_SURFACE_FORCED] < 1e-9 && r.errors[SUP_SURFACE_SAVED] < 1e-9);
    assert_true(lesson_distance(&l, &maps) < 1e-6);
    assert_true(r.errors[SUP_SURFACE_UNIFORM] > 0.1);
    sup_arena_free(&arena);
  }
}

/* With noise teacher forcing is biased; windows and the descent take most of that away. The error
 * is that against the motion without the noise. */
static void shi_t7_noise(void **state) {
  (void)state;
  static const uint32_t lengths[3] = {40, 90, 240};
  for (int k = 0; k < 3; k++) {
    SupArena arena = new_arena();
    Lesson l, clean;
    SupSurfaceMaps maps;
    SupModel *model;
    lesson_make(&arena, 12, 10, lengths[k], 0, 0, &l);
    lesson_make(&arena, 12, 10, lengths[k], 0, 0, &clean);
    lesson_noise(&l, 0.01, 1);
    SupSurfaceTrainDef def = lesson_def(&l), check = lesson_def(&clean);
    if (k == 2) def.passes = 10, def.descents = 5; /* so that it does not take long */
    SupSurfaceTrainReport r = learn(&l, &def, &maps, &model);
    const double e = sup_surface_error(&arena, &check, model, NULL);
    print_message(
        "%u frames, 1 %% noise: forced %.3f, windows %.3f, saved %.3f; E_rel without "
        "the noise %.1e\n",
        lengths[k], r.errors[SUP_SURFACE_FORCED], r.errors[SUP_SURFACE_WINDOWS],
        r.errors[SUP_SURFACE_SAVED], e * e);
    assert_true(e * e < 1e-3);
    assert_true(r.errors[SUP_SURFACE_WINDOWS] < 0.6 * r.errors[SUP_SURFACE_FORCED]);
    sup_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shi_t7_literal),
      cmocka_unit_test(shi_t7_exact),
      cmocka_unit_test(shi_t7_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
