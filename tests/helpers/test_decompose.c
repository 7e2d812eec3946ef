/* SPDX-License-Identifier: MIT */
/* Skinning decomposition: MUK-T1, T2, T3, and what it is made of. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "supple/io/file.h"
#include "supple/io/pool.h"
#include "supple/train/decompose.h"
#include "train/helpers/decompose.h"

/* ---- A tube that is known ---------------------------------------------------------------------
 */

enum {
  RINGS = 24,
  AROUND = 10,
  VERTICES = RINGS * AROUND,
  FRAMES = 60,
  FIXED = 2,
  HELPERS_MOST = 4
};

typedef struct Tube {
  SupVec3 rest[VERTICES];
  SupVec3 positions[FRAMES * VERTICES];
  SupAffine fixed[FRAMES * FIXED];
  SupAffine helpers[FRAMES * HELPERS_MOST];
  double weights[VERTICES][FIXED + HELPERS_MOST];
  double diagonal;
} Tube;

static SupAffined motion(uint32_t bone, uint32_t t, SupVec3d pivot) {
  const double time = (double)t / FRAMES, b = bone;
  const SupVec3d axis = sup_vec3d_normalise(
      sup_vec3d_make(sup_sin(1.3 * b + 0.4), sup_cos(2.1 * b), sup_sin(0.7 * b + 1)));
  const double angle = 0.5 * sup_sin(2 * SUP_PI * time * (1 + 0.37 * b) + b);
  const SupMat3d turn = sup_mat3d_from_quat(sup_quatd_from_axis_angle(axis, angle));
  const SupVec3d turned = sup_quatd_rotate(sup_quatd_from_axis_angle(axis, angle), pivot);
  const SupVec3d shift = {0.1 * sup_sin(5 * time + b), 0.1 * sup_cos(7 * time + 2 * b),
                          0.05 * b * time};
  return sup_affined_from_parts(turn, sup_vec3d_add(sup_vec3d_sub(pivot, turned), shift));
}

/* Two bones along the axis and helpers on its sides, smooth weights of at most four. */
static void make_tube(uint32_t helpers, Tube *tube) {
  SupVec3d places[FIXED + HELPERS_MOST] = {{0, 0.5, 0},    {0, 1.5, 0},   {0.3, 1, 0},
                                           {-0.3, 0.4, 0}, {0, 1.7, 0.3}, {0, 0.9, -0.3}};
  for (uint32_t i = 0; i < VERTICES; i++) {
    const double angle = 2 * SUP_PI * (i % AROUND) / AROUND,
                 height = 2.0 * (i / AROUND) / (RINGS - 1);
    const SupVec3d v = {0.3 * sup_cos(angle), height, 0.3 * sup_sin(angle)};
    tube->rest[i] = sup_vec3d_to_float(v);
    double *w = tube->weights[i], sum = 0;
    for (uint32_t b = 0; b < FIXED + helpers; b++) {
      const double reach = b < FIXED ? 0.9 : 0.5, far = sup_vec3d_distance(v, places[b]) / reach;
      w[b] = far < 1 || b < FIXED ? sup_exp(-4 * far * far) : 0;
    }
    for (;;) { /* four at most */
      uint32_t used = 0, least = 0;
      double low = 1e9;
      for (uint32_t b = 0; b < FIXED + helpers; b++) {
        if (w[b] <= 0) continue;
        used++;
        if (w[b] < low) low = w[b], least = b;
      }
      if (used <= 4) break;
      w[least] = 0;
    }
    for (uint32_t b = 0; b < FIXED + helpers; b++) sum += w[b];
    for (uint32_t b = 0; b < FIXED + helpers; b++) w[b] /= sum;
  }
  for (uint32_t t = 0; t < FRAMES; t++) {
    SupAffined m[FIXED + HELPERS_MOST];
    for (uint32_t b = 0; b < FIXED + helpers; b++) {
      m[b] = motion(b, t, places[b]);
      if (b < FIXED) {
        tube->fixed[t * FIXED + b] = sup_affined_to_float(m[b]);
      } else {
        tube->helpers[t * helpers + b - FIXED] = sup_affined_to_float(m[b]);
      }
    }
    for (uint32_t i = 0; i < VERTICES; i++) {
      SupVec3d sum = {0, 0, 0};
      for (uint32_t b = 0; b < FIXED + helpers; b++) {
        sum = sup_vec3d_add_scaled(sum, sup_affined_point(m[b], sup_vec3_to_double(tube->rest[i])),
                                   tube->weights[i][b]);
      }
      tube->positions[t * VERTICES + i] = sup_vec3d_to_float(sum);
    }
  }
  tube->diagonal = __builtin_sqrt(0.6 * 0.6 * 2 + 4);
}

static SupDecomposeDef tube_def(const Tube *tube, uint32_t helpers) {
  SupDecomposeDef def = sup_decompose_def();
  def.vertex_count = VERTICES;
  def.rest = tube->rest;
  def.frame_count = FRAMES;
  def.positions = tube->positions;
  def.fixed_count = FIXED;
  def.fixed = tube->fixed;
  def.helper_count = helpers;
  def.tolerance = 0;
  def.sweeps = 300;
  return def;
}

typedef struct World {
  SupArena arena;
  Tube tube;
} World;

static int set_up(void **state) {
  World *world = malloc(sizeof *world);
  sup_arena_init(&world->arena, sup_heap_allocator(), 0);
  *state = world;
  return 0;
}

static int tear_down(void **state) {
  World *world = *state;
  sup_arena_free(&world->arena);
  free(world);
  return 0;
}

static SupDecomposition decompose(World *world, const SupDecomposeDef *def) {
  SupDecomposition parts;
  SupError error = {{0}};
  if (sup_decompose(&world->arena, def, &parts, &error)) fail_msg("%s", error.text);
  return parts;
}

/* Recomputed here, from the answer alone. */
static double measure(const World *world, const SupDecomposeDef *def, const SupDecomposition *p) {
  double sum = 0;
  (void)world;
  for (uint32_t t = 0; t < def->frame_count; t++) {
    for (uint32_t i = 0; i < def->vertex_count; i++) {
      SupVec3d x = {0, 0, 0};
      for (uint32_t k = p->skin.offsets[i]; k < p->skin.offsets[i + 1]; k++) {
        const uint32_t b = p->skin.bones[k];
        const SupAffine m = b < def->fixed_count
                                ? def->fixed[t * def->fixed_count + b]
                                : p->helpers[t * p->helper_count + b - def->fixed_count];
        const SupVec3d at =
            sup_affined_point(sup_affine_to_double(m), sup_vec3_to_double(def->rest[i]));
        x = sup_vec3d_add_scaled(x, at, (double)p->skin.weights[k]);
      }
      const double far = sup_vec3d_distance(
          x, sup_vec3_to_double(def->positions[(size_t)t * def->vertex_count + i]));
      sum += far * far;
    }
  }
  return __builtin_sqrt(sum / ((double)def->vertex_count * def->frame_count));
}

/* MUK-T1: a mesh that known bones moved is taken apart again. */
static void test_planted(void **state) {
  World *world = *state;
  for (uint32_t helpers = 1; helpers <= HELPERS_MOST; helpers++) {
    make_tube(helpers, &world->tube);
    const SupDecomposeDef def = tube_def(&world->tube, helpers);
    const SupDecomposition parts = decompose(world, &def);
    const double error = measure(world, &def, &parts);
    print_message("%u helpers: %.2e of the diagonal after %u sweeps (two bones alone: %.3f)\n",
                  helpers, error / world->tube.diagonal, parts.sweep_count, parts.fixed_rmse);
    assert_true(error < 1e-5 * world->tube.diagonal);
    assert_true(parts.fixed_rmse > 1e-3);
    assert_true(fabs(parts.rmse - error) < 1e-6 * world->tube.diagonal);
    if (helpers > 1) continue; /* several may have changed places or mixed */
    double worst = 0;
    for (uint32_t i = 0; i < VERTICES; i++) {
      double w[FIXED + 1] = {0};
      for (uint32_t k = parts.skin.offsets[i]; k < parts.skin.offsets[i + 1]; k++) {
        w[parts.skin.bones[k]] = (double)parts.skin.weights[k];
      }
      for (uint32_t b = 0; b <= FIXED; b++) {
        worst = fmax(worst, fabs(w[b] - world->tube.weights[i][b]));
      }
    }
    print_message("  weights within %.1e\n", worst);
    assert_true(worst < 1e-5);
  }
}

/* MUK-T2: the error never rises, and the constraints hold. */
static void test_constraints(void **state) {
  World *world = *state;
  make_tube(4, &world->tube);
  SupDecomposeDef def = tube_def(&world->tube, 3); /* one too few: something is left */
  def.influences = 3;
  def.sweeps = 40;
  const SupDecomposition parts = decompose(world, &def);
  assert_int_equal(parts.history_count, 40);
  for (uint32_t k = 1; k < parts.history_count; k++) {
    assert_true(parts.history[k] <= parts.history[k - 1]);
  }
  assert_true(parts.history[39] < parts.history[0]);
  for (uint32_t i = 0; i < VERTICES; i++) {
    const uint32_t first = parts.skin.offsets[i], count = parts.skin.offsets[i + 1] - first;
    double sum = 0;
    assert_in_range(count, 1, 3);
    for (uint32_t k = 0; k < count; k++) {
      assert_true(parts.skin.weights[first + k] > 0);
      assert_true(parts.skin.bones[first + k] < FIXED + 3);
      assert_true(k == 0 || parts.skin.weights[first + k] <= parts.skin.weights[first + k - 1]);
      sum += (double)parts.skin.weights[first + k];
    }
    assert_true(fabs(sum - 1) < 1e-6);
  }
  double worst = 0;
  for (uint32_t k = 0; k < FRAMES * 3; k++) {
    const float *m = parts.helpers[k].m;
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        double dot = a == b ? -1 : 0;
        for (int r = 0; r < 3; r++) dot += (double)m[3 * a + r] * (double)m[3 * b + r];
        worst = fmax(worst, fabs(dot));
      }
    }
  }
  print_message("rotations within %.1e\n", worst);
  assert_true(worst < 1e-6); /* rounded to float */
  assert_true(fabs(measure(world, &def, &parts) - parts.rmse) < 1e-6);
}

/* Weak influences are left out when asked, and the others make the best of it. */
static void test_least_weight(void **state) {
  World *world = *state;
  make_tube(4, &world->tube);
  SupDecomposeDef def = tube_def(&world->tube, 3);
  def.sweeps = 5;
  const SupDecomposition all = decompose(world, &def);
  def.least_weight = 0.05;
  const SupDecomposition strong = decompose(world, &def);
  uint32_t weak = 0;
  for (uint32_t k = 0; k < all.skin.offsets[VERTICES]; k++) {
    weak += (double)all.skin.weights[k] < def.least_weight;
  }
  assert_true(weak > VERTICES / 20);
  for (uint32_t i = 0; i < VERTICES; i++) {
    const uint32_t first = strong.skin.offsets[i], last = strong.skin.offsets[i + 1];
    double sum = 0;
    assert_true(last > first);
    for (uint32_t k = first; k < last; k++) {
      assert_true((double)strong.skin.weights[k] >= def.least_weight - 1e-7);
      sum += (double)strong.skin.weights[k];
    }
    assert_true(fabs(sum - 1) < 1e-6);
  }
  print_message("%u of %u influences left out: %.2e instead of %.2e\n", weak,
                all.skin.offsets[VERTICES], strong.rmse, all.rmse);
  assert_true(strong.rmse >= all.rmse && strong.rmse < 2 * all.rmse);
  assert_true(fabs(measure(world, &def, &strong) - strong.rmse) < 1e-6);
}

/* MUK-T3: the weighted rigid fit is exact where it can be, and the best elsewhere. */
static void test_rigid_fit(void **state) {
  (void)state;
  SupRng rng = sup_rng(3, 0);
  for (int trial = 0; trial < 1000; trial++) {
    double v[12][4], w[12], e[12][3], moment[12] = {0}, mass[16] = {0}, out[12], worst = 0;
    const bool noisy = trial % 2;
    const SupVec3d axis = sup_vec3d_normalise(sup_vec3d_make(
        sup_rng_double(&rng) - 0.5, sup_rng_double(&rng) - 0.5, sup_rng_double(&rng) - 0.5));
    const SupQuatd turn = sup_quatd_from_axis_angle(axis, 6 * sup_rng_double(&rng));
    for (int i = 0; i < 12; i++) {
      for (int c = 0; c < 3; c++) v[i][c] = sup_rng_double(&rng) - 0.5;
      v[i][3] = 1;
      w[i] = sup_rng_double(&rng);
      const SupVec3d at = sup_quatd_rotate(turn, sup_vec3d_make(v[i][0], v[i][1], v[i][2]));
      const double p[3] = {at.x + 1, at.y - 2, at.z + 3};
      for (int r = 0; r < 3; r++) {
        e[i][r] = w[i] * p[r] + (noisy ? 0.1 * (sup_rng_double(&rng) - 0.5) : 0);
      }
      for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 3; r++) moment[3 * c + r] += w[i] * e[i][r] * v[i][c];
        for (int r = 0; r < 4; r++) mass[4 * c + r] += w[i] * w[i] * v[i][r] * v[i][c];
      }
    }
    SupQuatd found = sup_quatd_identity();
    assert_true(sup_rigid_fit(moment, mass, &found, out));
    double least = 0;
    for (int variant = 0; variant < 13; variant++) { /* 0: the answer; then it nudged */
      double m[12], sum = 0;
      for (int k = 0; k < 12; k++) m[k] = out[k];
      if (variant > 6) {
        m[9 + (variant - 7) / 2] += variant % 2 ? 1e-3 : -1e-3;
      } else if (variant > 0) {
        SupVec3d about = {(variant - 1) / 2 == 0, (variant - 1) / 2 == 1, (variant - 1) / 2 == 2};
        const SupQuatd nudge = sup_quatd_from_axis_angle(about, variant % 2 ? 1e-3 : -1e-3);
        const SupMat3d R = sup_mat3d_from_quat(sup_quatd_mul(nudge, found));
        for (int k = 0; k < 9; k++) m[k] = R.m[k];
      }
      for (int i = 0; i < 12; i++) {
        for (int r = 0; r < 3; r++) {
          const double x = m[r] * v[i][0] + m[3 + r] * v[i][1] + m[6 + r] * v[i][2] + m[9 + r];
          const double gap = e[i][r] - w[i] * x;
          sum += gap * gap;
          if (variant == 0) worst = fmax(worst, fabs(gap));
        }
      }
      if (variant == 0) least = sum;
      assert_true(sum >= least);
    }
    if (!noisy) assert_true(worst < 1e-13);
  }
}

/* Any number of threads, the same bits. */
static void test_threads(void **state) {
  World *world = *state;
  uint64_t hashes[3];
  make_tube(3, &world->tube);
  SupDecomposeDef def = tube_def(&world->tube, 3);
  def.sweeps = 10;
  for (uint32_t k = 0; k < 3; k++) {
    SupPool *pool = sup_pool_create(sup_heap_allocator(), k + 1);
    const SupJobs jobs = sup_pool_jobs(pool);
    def.jobs = &jobs;
    const SupDecomposition parts = decompose(world, &def);
    hashes[k] = sup_hash(parts.helpers, FRAMES * 3 * sizeof(SupAffine), 0);
    hashes[k] =
        sup_hash(parts.skin.weights, parts.skin.offsets[VERTICES] * sizeof(float), hashes[k]);
    sup_pool_destroy(pool);
  }
  assert_int_equal(hashes[0], hashes[1]);
  assert_int_equal(hashes[0], hashes[2]);
}

/* Locked vertices keep their weights; others take the helpers. */
static void test_locks(void **state) {
  World *world = *state;
  static uint32_t offsets[VERTICES + 1], bones[VERTICES];
  static float weights[VERTICES];
  static uint8_t locked[VERTICES];
  make_tube(2, &world->tube);
  for (uint32_t i = 0; i < VERTICES; i++) {
    offsets[i + 1] = i + 1;
    bones[i] = i / AROUND < RINGS / 2 ? 0 : 1;
    weights[i] = 1;
    locked[i] = i < VERTICES / 4;
  }
  const SupSkin skin = {VERTICES, 1, offsets, bones, weights};
  SupDecomposeDef def = tube_def(&world->tube, 2);
  def.skin = &skin;
  def.locked = locked;
  def.sweeps = 10;
  const SupDecomposition parts = decompose(world, &def);
  uint32_t helped = 0;
  for (uint32_t i = 0; i < VERTICES; i++) {
    const uint32_t first = parts.skin.offsets[i], count = parts.skin.offsets[i + 1] - first;
    if (locked[i]) {
      assert_int_equal(count, 1);
      assert_int_equal(parts.skin.bones[first], bones[i]);
      assert_true(parts.skin.weights[first] == 1);
    }
    for (uint32_t k = 0; k < count; k++) helped += parts.skin.bones[first + k] >= FIXED;
  }
  assert_true(helped > VERTICES / 4);
  assert_true(fabs(measure(world, &def, &parts) - parts.rmse) < 1e-6);
}

static double jumps(const SupDecomposition *p) {
  double sum = 0;
  for (uint32_t t = 1; t < p->frame_count; t++) {
    for (uint32_t h = 0; h < p->helper_count; h++) {
      const float *a = p->helpers[t * p->helper_count + h].m;
      const float *b = p->helpers[(t - 1) * p->helper_count + h].m;
      for (int k = 0; k < 9; k++) sum += pow((double)(a[k] - b[k]), 2);
    }
  }
  return sqrt(sum);
}

/* Noise on the examples makes helpers flicker; smoothing takes that away and costs little. */
static void test_smooth(void **state) {
  World *world = *state;
  SupRng rng = sup_rng(9, 0);
  make_tube(2, &world->tube);
  for (uint32_t k = 0; k < FRAMES * VERTICES; k++) {
    world->tube.positions[k].x += 0.02f * (sup_rng_float(&rng) - 0.5f);
  }
  SupDecomposeDef def = tube_def(&world->tube, 2);
  def.sweeps = 20;
  const SupDecomposition rough = decompose(world, &def);
  def.smooth = 1;
  const SupDecomposition smooth = decompose(world, &def);
  print_message("jumps %.3f -> %.3f, error %.5f -> %.5f\n", jumps(&rough), jumps(&smooth),
                rough.rmse, smooth.rmse);
  assert_true(jumps(&smooth) < jumps(&rough));
  assert_true(smooth.rmse < 1.2 * rough.rmse);
}

/* Bones that are all free; more of them never fit worse; tries after the first are other ones. */
static void test_free_bones(void **state) {
  World *world = *state;
  double last = 1e300;
  make_tube(2, &world->tube);
  for (uint32_t bones = 1; bones <= 4; bones++) {
    SupDecomposeDef def = tube_def(&world->tube, bones);
    def.fixed_count = 0;
    def.sweeps = 60;
    def.starts = 2;
    const SupDecomposition parts = decompose(world, &def);
    print_message("%u free bones: %.2e\n", bones, parts.rmse / world->tube.diagonal);
    assert_true(parts.rmse < last);
    last = parts.rmse;
  }
  assert_true(last < 1e-4 * world->tube.diagonal);
}

static void test_refusals(void **state) {
  World *world = *state;
  SupDecomposition parts;
  SupError error;
  make_tube(1, &world->tube);
  const SupDecomposeDef good = tube_def(&world->tube, 1);
  SupDecomposeDef def = good;
  def.influences = 9;
  assert_int_equal(sup_decompose(&world->arena, &def, &parts, &error), SUP_ERROR_ARGUMENT);
  def = good;
  def.helper_count = def.fixed_count = 0;
  assert_int_equal(sup_decompose(&world->arena, &def, &parts, &error), SUP_ERROR_ARGUMENT);
  def = good;
  def.helper_count = 1000;
  assert_int_equal(sup_decompose(&world->arena, &def, &parts, &error), SUP_ERROR_ARGUMENT);
  def = good;
  def.frame_count = 0;
  assert_int_equal(sup_decompose(&world->arena, &def, &parts, &error), SUP_ERROR_ARGUMENT);
  world->tube.positions[7 * VERTICES + 3].y = NAN;
  assert_int_equal(sup_decompose(&world->arena, &good, &parts, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "frame 7"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rigid_fit),
      cmocka_unit_test_setup_teardown(test_planted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_constraints, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_least_weight, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_locks, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_smooth, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_free_bones, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
