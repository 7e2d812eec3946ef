/* SPDX-License-Identifier: MIT */
/* GUO-T5, T6, T7 and T10 for what sup_envelope_train learns. */
#include <math.h>

#include "arm_body.h"
#include "numerics/rbf.h"
#include "supple/io/pool.h"
#include "train/envelope/envelope_work.h"

static SupEnvelopeTrained train(ArmBody *arm, const SupEnvelopeTrainDef *def) {
  SupEnvelopeTrained trained;
  SupError error = {0};
  if (sup_envelope_train(&arm->body->arena, def, &trained, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  return trained;
}

/* ---- GUO-T5 ---------------------------------------------------------------------------------- */

static void check_rbf(SupRbfKernel kernel, uint32_t dimensions, bool affine) {
  enum { CENTRES = 60 };
  SupArena arena;
  SupRbf rbf;
  SupRng rng = sup_rng(7, dimensions);
  double centres[CENTRES * 5], values[CENTRES * 2], at[5], got[2];
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (uint32_t i = 0; i < CENTRES; i++) {
    double *x = centres + i * dimensions;
    for (uint32_t d = 0; d < dimensions; d++) x[d] = 2 * sup_rng_double(&rng) - 1;
    values[2 * i] = affine ? 1 + 2 * x[0] - 3 * x[dimensions - 1] : sin(3 * x[0]) * x[1];
    values[2 * i + 1] = affine ? x[1] : exp(-x[0] * x[0] - x[dimensions - 1]);
  }
  const SupRbfDef def = {kernel, dimensions, CENTRES, 2, centres, values, 0};
  assert_int_equal(sup_rbf_fit(&arena, &def, &rbf, NULL), SUP_OK);
  for (uint32_t i = 0; i < CENTRES; i++) {
    sup_rbf_at(&rbf, centres + i * dimensions, got);
    for (uint32_t k = 0; k < 2; k++) assert_true(fabs(got[k] - values[2 * i + k]) < 1e-8);
  }
  for (uint32_t k = 0; k < 2; k++) { /* sum w = 0, sum w x = 0 */
    double sums[6] = {0};
    for (uint32_t i = 0; i < CENTRES; i++) {
      sums[0] += rbf.factors[2 * i + k];
      for (uint32_t d = 0; d < dimensions; d++) {
        sums[1 + d] += rbf.factors[2 * i + k] * centres[i * dimensions + d];
      }
    }
    for (uint32_t d = 0; d <= dimensions; d++) assert_true(fabs(sums[d]) < 1e-9);
  }
  for (uint32_t i = 0; affine && i < 50; i++) {
    for (uint32_t d = 0; d < dimensions; d++) at[d] = 6 * sup_rng_double(&rng) - 3;
    sup_rbf_at(&rbf, at, got);
    assert_true(fabs(got[0] - (1 + 2 * at[0] - 3 * at[dimensions - 1])) < 1e-8);
    assert_true(fabs(got[1] - at[1]) < 1e-8);
  }
  sup_arena_free(&arena);
}

static void functions_interpolate(void **state) {
  (void)state;
  for (uint32_t d = 2; d <= 5; d++) {
    check_rbf(SUP_RBF_THIN_PLATE, d, false);
    check_rbf(SUP_RBF_CUBIC, d, false);
    check_rbf(SUP_RBF_THIN_PLATE, d, true);
    check_rbf(SUP_RBF_CUBIC, d, true);
  }
}

static void flat_centres_are_refused(void **state) {
  (void)state;
  const double centres[12] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}, values[6] = {0, 1, 0, 2, 0, 3};
  const SupRbfDef def = {SUP_RBF_THIN_PLATE, 2, 6, 1, centres, values, 0};
  SupArena arena;
  SupRbf rbf;
  SupError error = {0};
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_rbf_fit(&arena, &def, &rbf, &error), SUP_ERROR_NUMERIC);
  assert_non_null(strstr(error.text, "singular"));
  sup_arena_free(&arena);
}

/* Levels: the same numbers as one by one. */
static void levels_are_the_same(void **state) {
  (void)state;
  enum { PLACES = 30, LEVELS = 3, DIMENSIONS = 4 };
  double centres[LEVELS * PLACES * DIMENSIONS], values[LEVELS * PLACES * 3], squares[PLACES];
  const double levels[LEVELS][2] = {{0, 0}, {0.5, 0.1}, {0.2, 0.6}};
  const double place[2] = {0.2, -0.3}, asked[4] = {0.1, 0.2, 0.5, 0.1};
  SupArena arena;
  SupRng rng = sup_rng(1, 2);
  double uv[PLACES][2], got[6], one[3];
  for (uint32_t i = 0; i < PLACES; i++) {
    for (uint32_t d = 0; d < 2; d++) uv[i][d] = 2 * sup_rng_double(&rng) - 1;
  }
  for (uint32_t i = 0; i < LEVELS * PLACES; i++) {
    for (uint32_t d = 0; d < 2; d++) centres[4 * i + d] = uv[i % PLACES][d];
    for (uint32_t d = 0; d < 2; d++) centres[4 * i + 2 + d] = levels[i / PLACES][d];
    for (uint32_t k = 0; k < 3; k++) values[3 * i + k] = sup_rng_double(&rng);
  }
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (SupRbfKernel kernel = SUP_RBF_THIN_PLATE; kernel <= SUP_RBF_CUBIC; kernel++) {
    const SupRbfDef def = {kernel, DIMENSIONS, LEVELS * PLACES, 3, centres, values, 0};
    SupRbf rbf;
    assert_int_equal(sup_rbf_fit(&arena, &def, &rbf, NULL), SUP_OK);
    sup_rbf_at_levels(&rbf, PLACES, place, 2, asked, squares, got);
    for (uint32_t s = 0; s < 2; s++) {
      const double x[4] = {place[0], place[1], asked[2 * s], asked[2 * s + 1]};
      sup_rbf_at(&rbf, x, one);
      for (uint32_t k = 0; k < 3; k++) assert_true(fabs(one[k] - got[3 * s + k]) < 1e-10);
    }
  }
  sup_arena_free(&arena);
}

/* ---- GUO-T6 ---------------------------------------------------------------------------------- */

static void blends_are_cardinal(void **state) {
  (void)state;
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  arm_examples(arm, 1);
  const SupEnvelopeTrainDef def = arm_def(arm, ARM_EXAMPLES);
  const SupEnvelopeTrained t = train(arm, &def);
  SupRng rng = sup_rng(3, 3);
  uint32_t full = 0;
  for (uint32_t b = 0; b < t.learned->control.blend_count; b++) {
    const EnvelopeBlend *blend = &t.learned->control.list[b];
    double omega[8], at[3];
    full += blend->centre_count == ARM_EXAMPLES + 1;
    for (uint32_t i = 0; i < blend->centre_count; i++) {
      sup_envelope_blend_weights(blend, blend->centres + i * blend->angle_count, omega);
      for (uint32_t j = 0; j < blend->centre_count; j++) {
        assert_true(fabs(omega[j] - (i == j)) < 1e-10);
      }
    }
    for (uint32_t k = 0; k < 100; k++) {
      double sum = 0;
      for (uint32_t a = 0; a < 3; a++) at[a] = 20 * sup_rng_double(&rng) - 10;
      sup_envelope_blend_weights(blend, at, omega);
      for (uint32_t j = 0; j < blend->centre_count; j++) sum += omega[j];
      assert_true(fabs(sum - 1) < 1e-10);
    }
  }
  assert_true(full > 0);
  arm_free(arm);
}

/* ---- GUO-T7 ---------------------------------------------------------------------------------- */

static void control_meshes_are_met(void **state) {
  (void)state;
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  arm_examples(arm, 1);
  const SupEnvelopeTrainDef def = arm_def(arm, ARM_EXAMPLES);
  const SupEnvelopeTrained t = train(arm, &def);
  const EnvelopeControl *c = &t.learned->control;
  SupVec3d control[6];
  uint32_t exact = 0;
  assert_int_equal(c->count, 6);
  for (uint32_t i = 0; i <= ARM_EXAMPLES; i++) {
    sup_envelope_layered(t.learned, i, control);
    for (uint32_t v = 0; v < c->count; v++) {
      const double apart = sup_vec3d_distance(control[v], c->shapes[i * c->count + v]);
      const bool all = c->list[c->blends[v]].centre_count == ARM_EXAMPLES + 1;
      assert_true(apart < (all ? 1e-9 : 1e-6)); /* else it moves with the bones alone */
      exact += all;
    }
  }
  assert_true(exact >= 4 * (ARM_EXAMPLES + 1));
  arm_free(arm);
}

static void check_examples(SupEnvelopeResidual residual, double tolerance, double most) {
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  SupVec3 *got = calloc(arm->body->mesh.vertex_count, sizeof *got);
  arm_examples(arm, 1);
  SupEnvelopeTrainDef def = arm_def(arm, ARM_EXAMPLES);
  def.residual = residual;
  def.tolerance = tolerance;
  def.smooth_weights = residual == SUP_ENVELOPE_CUBIC;
  const SupEnvelopeTrained t = train(arm, &def);
  for (uint32_t p = 0; p < t.report.patch_count; p++) {
    assert_true(t.report.patches[p].residual > 0.01);
    assert_int_equal(t.report.patches[p].example_count, ARM_EXAMPLES);
  }
  assert_int_equal(t.report.note_count, 0);
  double worst = 0, plain = 0;
  for (uint32_t k = 0; k < ARM_EXAMPLES; k++) {
    arm_play(arm, &t.def, arm->poses[k], got);
    const double apart = arm_apart(arm, got, arm->examples[k].positions);
    if (apart > worst) worst = apart;
    arm_skin(arm, arm->poses[k], NULL, got);
    const double skinned = arm_apart(arm, got, arm->examples[k].positions);
    if (skinned > plain) plain = skinned;
  }
  print_message("%s: examples met within %.2e of the size, skinning %.2e; %u fields, lost %.1e\n",
                sup_envelope_residual_name(residual), worst / t.learned->figure.size,
                plain / t.learned->figure.size, t.report.patches[0].field_count,
                t.report.patches[0].lost);
  assert_true(worst < most * t.learned->figure.size);
  arm_play(arm, &t.def, arm->rest, got);
  assert_true(arm_apart(arm, got, arm->body->mesh.positions) < 2e-6 * t.learned->figure.size);
  arm_free(arm);
  free(got);
}

static void examples_are_met(void **state) {
  (void)state;
  check_examples(SUP_ENVELOPE_THIN_PLATE, 1e-6, 1e-5);
  check_examples(SUP_ENVELOPE_THIN_PLATE, 5e-4, 1e-5);
  check_examples(SUP_ENVELOPE_CUBIC, 1e-6, 1e-5);
  check_examples(SUP_ENVELOPE_PSD, 1e-6, 1e-5);
}

/* Many examples on one angle, of which none is on a sample of the tables: what is PLAYED is all of
 * them, and nothing far away between them. Every second of angles[2 * count - 1] is an example. */
static void play_angles(uint32_t count, const double *angles, double sigma, double most_between) {
  enum { MOST = 64 };
  ArmBody *arm = arm_make(2, 1, 1, 0, NULL);
  const uint32_t vertices = arm->body->mesh.vertex_count;
  SupVec3 *got = calloc(vertices, sizeof *got);
  SupVec3d *offsets = calloc(vertices, sizeof *offsets);
  SupEnvelopeExample examples[MOST];
  SupTransform poses[2 * MOST][ARM_JOINTS];
  SupVec3 *shapes[2 * MOST];
  for (uint32_t k = 0; k + 1 < 2 * count; k++) {
    const double angle = angles[k];
    arm_pose(arm, angle, 0, 0, poses[k]);
    for (uint32_t v = 0; v < vertices; v++) {
      const SupVec3d p = sup_vec3_to_double(arm->body->mesh.positions[v]);
      const double much = 0.2 * sin(1.5 * angle) * exp(-2 * (p.y + 0.4) * (p.y + 0.4));
      offsets[v] = (SupVec3d){much * p.x, 0, much * p.z};
    }
    shapes[k] = SUP_ALLOC(&arm->body->arena, SupVec3, vertices);
    assert_non_null(shapes[k]);
    arm_skin(arm, poses[k], offsets, shapes[k]);
    if (k % 2 == 0) examples[k / 2] = (SupEnvelopeExample){"one of many", poses[k], shapes[k]};
  }
  SupEnvelopeTrainDef def = arm_def(arm, count);
  def.examples = examples;
  def.sigma = sigma;
  const SupEnvelopeTrained t = train(arm, &def);
  double met = 0, between = 0;
  for (uint32_t k = 0; k + 1 < 2 * count; k++) {
    arm_play(arm, &t.def, poses[k], got);
    const double apart = arm_apart(arm, got, shapes[k]) / t.learned->figure.size;
    if (k % 2 == 0 && !(apart <= met)) met = apart;
    if (k % 2 == 1 && !(apart <= between)) between = apart;
  }
  print_message("%u examples, sigma %g: met within %.1e of the size, %.1e between, %u samples\n",
                count, sigma, met, between, t.def.patches[0].samples[0]);
  assert_true(met < 1e-5);
  assert_true(between < most_between);
  arm_free(arm);
  free(got), free(offsets);
}

static void play_many(uint32_t count, double sigma) {
  double angles[128];
  for (uint32_t k = 0; k < 2 * count; k++) {
    angles[k] = 0.2 + 1.2 * (0.5 * k + 0.3 * sin(0.5 * k)) / count;
  }
  play_angles(count, angles, sigma, 2e-3);
}

static void many_examples_are_met(void **state) {
  (void)state;
  play_many(5, 0);
  play_many(8, 0);
  play_many(16, 0);
  play_many(64, 0);
  play_many(16, 6);
}

/* Frames of a clip a degree or two apart, and one far away: functions as round as the gap is wide
 * are all alike among the frames, and swing out in the gap. */
static void close_examples_are_blended_calmly(void **state) {
  (void)state;
  double angles[64];
  for (uint32_t count = 4; count <= 32; count *= 2) {
    for (uint32_t k = 0; k + 2 < 2 * count; k++) angles[k] = 0.3 + 0.0125 * k;
    angles[2 * count - 2] = angles[2 * count - 4] + 1;
    angles[2 * count - 3] = (angles[2 * count - 2] + angles[2 * count - 4]) / 2;
    play_angles(count, angles, 0, 4e-2);
  }
}

/* Features go where control vertices are where there is no residual. */
static void features_are_control_vertices(void **state) {
  (void)state;
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  SupVec3 *got = calloc(arm->body->mesh.vertex_count, sizeof *got);
  SupVec3d control[6];
  SupEnvelopePatchOption options[8];
  arm_examples(arm, 1);
  SupEnvelopeTrainDef def = arm_def(arm, ARM_EXAMPLES);
  for (uint32_t p = 0; p < 8; p++) {
    options[p] = sup_envelope_patch_option(arm->body->patches.patches[p].name);
    options[p].chosen_examples = true;
  }
  def.option_count = 8;
  def.options = options;
  const SupEnvelopeTrained t = train(arm, &def);
  for (uint32_t i = 1; i <= ARM_EXAMPLES; i++) {
    sup_envelope_shape_control(&t, i, control);
    arm_play(arm, &t.def, arm->poses[i - 1], got);
    for (uint32_t v = 0; v < 6; v++) {
      const uint32_t f = t.learned->control.features[v];
      const uint32_t vertex = arm->body->features[f].at.a;
      const SupVec3d at =
          sup_affined_point(t.learned->figure.roots[i], sup_vec3_to_double(got[vertex]));
      assert_true(sup_vec3d_distance(at, control[v]) < 1e-5);
    }
  }
  for (uint32_t p = 0; p < 8; p++) assert_int_equal(t.def.patches[p].field_count, 0);
  arm_free(arm);
  free(got);
}

/* ---- Threads -------------------------------------------------------------------------------- */

static void threads_change_nothing(void **state) {
  (void)state;
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  assert_non_null(pool);
  const SupJobs jobs = sup_pool_jobs(pool);
  arm_examples(arm, 1);
  SupEnvelopeTrainDef def = arm_def(arm, 2);
  const SupEnvelopeTrained alone = train(arm, &def);
  def.jobs = &jobs;
  const SupEnvelopeTrained shared = train(arm, &def);
  for (uint32_t p = 0; p < 8; p++) {
    const SupEnvelopePatch *a = &alone.def.patches[p], *b = &shared.def.patches[p];
    assert_int_equal(a->field_count, b->field_count);
    const size_t fields = (size_t)a->field_count * a->vertex_count * sizeof *a->fields;
    assert_true(fields > 0);
    assert_memory_equal(a->fields, b->fields, fields);
    assert_memory_equal(a->tables, b->tables, a->samples[0] * a->field_count * sizeof *a->tables);
  }
  sup_pool_destroy(pool);
  arm_free(arm);
}

/* ---- GUO-T10 --------------------------------------------------------------------------------- */

static void check_rows(const SupEnvelopeDef *def) {
  for (uint32_t p = 0; p < 8; p++) {
    const SupEnvelopePatch *patch = &def->patches[p];
    const uint32_t n = patch->border_count;
    assert_true(patch->vertex_count > n);
    for (uint32_t r = 0; r < patch->vertex_count - n; r++) {
      double sum = 0;
      for (uint32_t k = 0; k < n; k++) {
        const double x = (double)patch->spread[r * n + k];
        assert_true(x >= 0); /* so that nothing inside goes farther than the border */
        sum += x;
      }
      assert_true(fabs(sum - 1) < 1e-6);
    }
    for (uint32_t k = 0; k < n; k++) {
      const SupEnvelopeSeam *seam = &def->seams[patch->seams[k]];
      assert_int_equal(seam->open, 0);
      assert_int_equal(seam->a, patch->vertices[k]);
    }
  }
}

/* F s = H b: cot-weighted differences to the neighbours add up to 0. */
static double left_over(const ArmBody *arm, const SupEnvelopePatch *patch, const double *s) {
  const SupPatchChart *chart = &arm->charts.charts[0];
  const SupVec3 *at = arm->body->mesh.positions;
  double worst = 0;
  for (uint32_t v = patch->border_count; v < chart->vertex_count; v++) {
    double sum = 0, weights = 0;
    for (uint32_t h = 0; h < 3 * chart->triangle_count; h++) {
      const uint32_t f = h / 3 * 3, x = chart->triangles[h];
      const uint32_t y = chart->triangles[f + (h + 1) % 3], z = chart->triangles[f + (h + 2) % 3];
      if (x != v && y != v) continue;
      const SupVec3 pz = at[chart->vertices[z].a];
      const SupVec3 e = sup_vec3_sub(at[chart->vertices[x].a], pz);
      const SupVec3 g = sup_vec3_sub(at[chart->vertices[y].a], pz);
      const double cot = (double)(sup_vec3_dot(e, g) / sup_vec3_length(sup_vec3_cross(e, g)));
      sum += cot * (s[x == v ? y : x] - s[v]);
      weights += fabs(cot);
    }
    if (fabs(sum) / weights > worst) worst = fabs(sum) / weights;
  }
  return worst;
}

static void spreads_are_means(void **state) {
  (void)state;
  /* A thin arm has cotangents below 0, a round one has none. */
  for (uint32_t round = 0; round < 2; round++) {
    ArmBody *arm = arm_make(4, 1, round ? 2.5 : 0.4, 3, NULL);
    arm_examples(arm, 1);
    const SupEnvelopeTrainDef def = arm_def(arm, 1);
    const SupEnvelopeTrained t = train(arm, &def);
    const SupEnvelopePatch *patch = &t.def.patches[0];
    SupRng rng = sup_rng(4, 4);
    double s[2048] = {0};
    check_rows(&t.def);
    for (uint32_t k = 0; k < patch->border_count; k++) s[k] = sup_rng_double(&rng);
    for (uint32_t v = patch->border_count; v < patch->vertex_count; v++) {
      for (uint32_t k = 0; k < patch->border_count; k++) {
        s[v] += (double)patch->spread[(v - patch->border_count) * patch->border_count + k] * s[k];
      }
    }
    if (round) assert_true(left_over(arm, patch, s) < 1e-5);
    arm_free(arm);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_interpolate),
      cmocka_unit_test(flat_centres_are_refused),
      cmocka_unit_test(levels_are_the_same),
      cmocka_unit_test(blends_are_cardinal),
      cmocka_unit_test(control_meshes_are_met),
      cmocka_unit_test(examples_are_met),
      cmocka_unit_test(features_are_control_vertices),
      cmocka_unit_test(spreads_are_means),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(many_examples_are_met),
      cmocka_unit_test(close_examples_are_blended_calmly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
