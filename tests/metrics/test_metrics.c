/* SPDX-License-Identifier: MIT */
/* Errors between motions: planted truth, plain loops, invariants. */
#include <math.h>

#include "check.h"
#include "supple/author/metrics.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

enum { FRAMES = 150, VERTICES = 137 };

typedef struct Motions {
  SupVec3 skinning[FRAMES * VERTICES], a[FRAMES * VERTICES], b[FRAMES * VERTICES];
  SupVec3 still[FRAMES * VERTICES];
  float weights[VERTICES];
} Motions;

static const double pi = 3.14159265358979323846;

/* A body that walks, whose true flesh swings at `hertz`; A swings with `ratio` of the amplitude
 * and `lag` radians late. The pattern swells on one side and shrinks on the other. */
static Motions *plant(double hertz, double ratio, double lag) {
  Motions *m = calloc(1, sizeof *m);
  assert_non_null(m);
  SupRng rng = sup_rng(7, 1);
  for (int v = 0; v < VERTICES; v++) {
    double x = sup_rng_double(&rng), y = 1.7 * sup_rng_double(&rng), z = sup_rng_double(&rng);
    m->weights[v] = 0.1f + sup_rng_float(&rng);
    double swing = 0.03 * sin(7 * x + 3 * y);
    for (int i = 0; i < FRAMES; i++) {
      double t = i / 60.0;
      SupVec3 s = {(float)x, (float)(y + 0.2 * sin(0.8 * t)), (float)(z + 1.3 * t)};
      int at = i * VERTICES + v;
      m->skinning[at] = s;
      m->still[at] = (SupVec3){s.x + 0.01f, s.y, s.z};
      double b = swing * sin(2 * pi * hertz * t), a = ratio * swing * sin(2 * pi * hertz * t - lag);
      m->b[at] = (SupVec3){(float)(x + b), s.y, (float)((double)s.z - b)};
      m->a[at] = (SupVec3){(float)(x + a), s.y, (float)((double)s.z - a)};
    }
  }
  return m;
}

static SupCompareDef def_of(const Motions *m) {
  return (SupCompareDef){.frame_count = FRAMES,
                         .vertex_count = VERTICES,
                         .fps = 60,
                         .height = 1.7f,
                         .a = m->a,
                         .b = m->b,
                         .skinning = m->skinning,
                         .vertex_weights = m->weights};
}

static SupCompareReport compare(const SupCompareDef *def, SupFrameError *frames, float *vertices) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupCompareReport report;
  SupError error;
  assert_int_equal(sup_compare(&arena, def, &report, frames, vertices, &error), SUP_OK);
  sup_arena_free(&arena);
  return report;
}

static void near(double actual, double expected, double tolerance) {
  if (!(fabs(actual - expected) <= tolerance)) fail_msg("%g is not %g", actual, expected);
}

static void errors_equal_plain_loops(void **state) {
  (void)state;
  Motions *m = plant(3.3, 0.7, 0.4);
  SupCompareDef def = def_of(m);
  def.quasistatic = m->still;
  static SupFrameError frames[FRAMES];
  static float vertices[VERTICES];
  SupCompareReport report = compare(&def, frames, vertices);
  double ab = 0, sb = 0, qb = 0, weight = 0, worst = 0, vertex_total = 0, velocity = 0;
  for (int i = 0; i < FRAMES; i++) {
    double frame = 0, frame_weight = 0;
    for (int v = 0; v < VERTICES; v++) {
      int at = i * VERTICES + v;
      double w = m->weights[v];
      double dx = (double)m->a[at].x - m->b[at].x, dz = (double)m->a[at].z - m->b[at].z;
      double sx = (double)m->skinning[at].x - m->b[at].x;
      double sz = (double)m->skinning[at].z - m->b[at].z;
      double qx = (double)m->still[at].x - m->b[at].x;
      ab += w * (dx * dx + dz * dz);
      sb += w * (sx * sx + sz * sz);
      qb += w * (qx * qx + sz * sz);
      frame += w * (dx * dx + dz * dz);
      frame_weight += w;
      worst = fmax(worst, sqrt(dx * dx + dz * dz));
      if (v == 5) vertex_total += dx * dx + dz * dz;
      if (i > 0) {
        int p = at - VERTICES;
        double ex = dx - ((double)m->a[p].x - m->b[p].x), ez = dz - ((double)m->a[p].z - m->b[p].z);
        velocity += w * (ex * ex + ez * ez) * 3600;
      }
    }
    weight += frame_weight;
    near(frames[i].rms, sqrt(frame / frame_weight), 1e-8);
  }
  near(report.rms, sqrt(ab / weight), 1e-8);
  near(report.rms_percent, 100 * sqrt(ab / weight) / 1.7, 1e-5);
  near(report.worst, worst, 1e-8);
  near(report.relative_error, sqrt(ab / sb), 1e-6);
  near(report.dynamic_error, sqrt(ab / qb), 1e-6);
  near(report.velocity_rms, sqrt(velocity / (weight * (FRAMES - 1) / FRAMES)), 1e-6);
  near(vertices[5], sqrt(vertex_total / FRAMES), 1e-8);
  int at = (int)report.worst_frame * VERTICES + (int)report.worst_vertex;
  near(hypot((double)m->a[at].x - m->b[at].x, (double)m->a[at].z - m->b[at].z), worst, 1e-8);
  free(m);
}

static void planted_vibration_is_found(void **state) {
  (void)state;
  static const double cases[][3] = {{2.0, 1, 0},    {3.37, 0.8, 0.5}, {6.1, 1.3, -1.2},
                                    {11.7, 0.2, 3}, {1.6, 1, 1.5},    {25, 0.5, -3}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    Motions *m = plant(cases[c][0], cases[c][1], cases[c][2]);
    SupCompareDef def = def_of(m);
    SupVibration vibration = compare(&def, NULL, NULL).vibration;
    near(vibration.frequency, cases[c][0], 0.02);
    near(vibration.amplitude_ratio, cases[c][1], 0.01);
    near(vibration.phase, cases[c][2], 0.05);
    near(vibration.coherence, 1, 0.002);
    /* So near to half the frame rate, 25 Hz could be noise. */
    if ((vibration.clarity >= 1) != (cases[c][0] < 20)) fail_msg("%g Hz", cases[c][0]);
    free(m);
  }
  Motions *slow = plant(0.7, 1, 0); /* not two periods: as well the pose */
  SupCompareDef def = def_of(slow);
  assert_true(compare(&def, NULL, NULL).vibration.clarity < 1);
  free(slow);
}

/* Flesh that a step every second sets ringing, over a pose that leaves skinning slowly and far. */
static void ringing_flesh_is_clear(void **state) {
  (void)state;
  Motions *m = plant(3, 1, 0);
  for (int v = 0; v < VERTICES; v++) {
    const double swing = 0.03 * sin(0.4 * v), slow = 0.1 * cos(0.9 * v);
    for (int i = 0; i < FRAMES; i++) {
      const double t = i / 60.0, since = t - floor(t), lag = 0.5, ring = 2 * pi * 3;
      const double rings = exp(-0.1 * ring * since);
      const int at = i * VERTICES + v;
      const double b = slow * sin(2 * t) + swing * rings * sin(ring * since);
      const double a = slow * sin(2 * t) + 0.6 * swing * rings * sin(ring * since - lag);
      m->b[at] = (SupVec3){m->skinning[at].x + (float)b, m->skinning[at].y, m->skinning[at].z};
      m->a[at] = (SupVec3){m->skinning[at].x + (float)a, m->skinning[at].y, m->skinning[at].z};
    }
  }
  SupCompareDef def = def_of(m);
  const SupVibration vibration = compare(&def, NULL, NULL).vibration;
  near(vibration.frequency, 3, 0.15);
  near(vibration.amplitude_ratio, 0.6, 0.06);
  near(vibration.phase, 0.5, 0.1);
  assert_true(vibration.clarity >= 1);
  free(m);
}

/* A motion without an oscillation has none: noise of one pattern and of two, drifts of the same.
 * One pattern is the hardest case; one in forty may look like an oscillation. */
static void noise_is_no_oscillation(void **state) {
  enum { DRAWS = 40 };
  uint32_t clear[3] = {0};
  (void)state;
  Motions *m = plant(3, 1, 0);
  SupRng rng = sup_rng(11, 3);
  for (int k = 0; k < 3 * DRAWS; k++) {
    const int kind = k / DRAWS; /* one pattern, two, a walk */
    double noise[2] = {0, 0};
    for (int i = 0; i < FRAMES; i++) {
      for (int r = 0; r < 2; r++) {
        noise[r] = (kind == 2 ? noise[r] : 0) + 0.02 * (sup_rng_double(&rng) - 0.5);
      }
      for (int v = 0; v < VERTICES; v++) {
        const int at = i * VERTICES + v;
        const double b = noise[0] * sin(0.4 * v) + (kind == 1 ? noise[1] * cos(0.9 * v) : 0);
        m->b[at] = (SupVec3){m->skinning[at].x + (float)b, m->skinning[at].y, m->skinning[at].z};
      }
    }
    SupCompareDef def = def_of(m);
    clear[kind] += compare(&def, NULL, NULL).vibration.clarity >= 1;
  }
  if (clear[0] > 1 || clear[1] > 1 || clear[2] > 2) {
    fail_msg("noise rings: %u, %u, %u of %d", clear[0], clear[1], clear[2], DRAWS);
  }
  free(m);
}

static void amplitude_is_in_metres(void **state) {
  (void)state;
  Motions *m = plant(5, 1, 0);
  SupCompareDef def = def_of(m);
  double square = 0, weight = 0;
  SupRng rng = sup_rng(7, 1);
  for (int v = 0; v < VERTICES; v++) {
    double x = sup_rng_double(&rng), y = 1.7 * sup_rng_double(&rng);
    sup_rng_double(&rng);
    sup_rng_float(&rng);
    double swing = 0.03 * sin(7 * x + 3 * y);
    square += m->weights[v] * 2 * swing * swing; /* x and z swing */
    weight += m->weights[v];
  }
  near(compare(&def, NULL, NULL).vibration.amplitude, sqrt(square / weight), 2e-4);
  free(m);
}

static void equal_motions_have_no_error(void **state) {
  (void)state;
  Motions *m = plant(4, 1, 0);
  SupCompareDef def = def_of(m);
  def.a = def.b;
  SupCompareReport report = compare(&def, NULL, NULL);
  assert_true(report.rms == 0 && report.worst == 0 && report.relative_error == 0);
  near(report.vibration.amplitude_ratio, 1, 1e-6);
  near(report.vibration.phase, 0, 1e-6);
  def.a = def.skinning;
  near(compare(&def, NULL, NULL).relative_error, 1, 1e-7);
  def.b = def.skinning; /* nothing vibrates, nothing to be relative to */
  report = compare(&def, NULL, NULL);
  assert_true(isnan(report.relative_error) && isnan(report.dynamic_error));
  assert_true(report.vibration.frequency == 0);
  free(m);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  Motions *m = plant(4, 0.9, 0.1);
  SupCompareDef def = def_of(m);
  SupCompareReport expected = compare(&def, NULL, NULL);
  for (uint32_t threads = 1; threads <= 8; threads++) {
    SupPool *pool = sup_pool_create(sup_heap_allocator(), threads);
    assert_non_null(pool);
    SupJobs jobs = sup_pool_jobs(pool);
    def.jobs = &jobs;
    SupCompareReport report = compare(&def, NULL, NULL);
    assert_memory_equal(&report, &expected, sizeof report);
    sup_pool_destroy(pool);
  }
  free(m);
}

static void bad_requests_are_refused(void **state) {
  (void)state;
  Motions *m = plant(4, 1, 0);
  SupArena arena;
  SupError error;
  SupCompareReport report;
  CountingHeap heap = {0};
  sup_arena_init(&arena, counting_allocator(&heap), 0);
  SupCompareDef def = def_of(m);
  def.frame_count = 0;
  assert_int_equal(sup_compare(&arena, &def, &report, NULL, NULL, &error), SUP_ERROR_FORMAT);
  def = def_of(m);
  float nothing[VERTICES] = {0};
  def.vertex_weights = nothing;
  assert_int_equal(sup_compare(&arena, &def, &report, NULL, NULL, &error), SUP_ERROR_FORMAT);
  def = def_of(m);
  for (size_t k = 1;; k++) {
    sup_arena_free(&arena);
    heap = (CountingHeap){.fail_at = k};
    SupResult result = sup_compare(&arena, &def, &report, NULL, NULL, &error);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(k < 20);
  }
  sup_arena_free(&arena);
  assert_int_equal(heap.live_blocks, 0);
  free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_equal_plain_loops),    cmocka_unit_test(planted_vibration_is_found),
      cmocka_unit_test(ringing_flesh_is_clear),      cmocka_unit_test(noise_is_no_oscillation),
      cmocka_unit_test(amplitude_is_in_metres),      cmocka_unit_test(equal_motions_have_no_error),
      cmocka_unit_test(threads_do_not_change_a_bit), cmocka_unit_test(bad_requests_are_refused),
  };
  return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
