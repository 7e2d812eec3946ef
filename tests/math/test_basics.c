/* SPDX-License-Identifier: MIT */
/* Vectors, quaternions, matrices, affine maps; and the choice of a backend. */
#include "check.h"

#include <string.h>

#include "math_random.h"
#include "supple/backend.h"

enum { TRIALS = 20000 };

static double largest_difference(const double *a, const double *b, int count) {
  double worst = 0;
  for (int k = 0; k < count; k++) worst = fmax(worst, fabs(a[k] - b[k]));
  return worst;
}

/* The textbook product, the three loops. */
static SupMat3d product(SupMat3d a, SupMat3d b) {
  SupMat3d r;
  for (int c = 0; c < 3; c++) {
    for (int row = 0; row < 3; row++) {
      r.m[3 * c + row] = 0;
      for (int k = 0; k < 3; k++) r.m[3 * c + row] += a.m[3 * k + row] * b.m[3 * c + k];
    }
  }
  return r;
}

/* q v q* by the multiplication table of the units, each product written out. */
static SupVec3d sandwich(SupQuatd q, SupVec3d v) {
  /* i j = k and so on: unit a times unit b is sign[a][b] unit index[a][b], units 1 i j k. */
  static const int index[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
  static const double sign[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, -1, -1, 1}, {1, 1, -1, -1}};
  const double left[4] = {q.w, q.x, q.y, q.z}, middle[4] = {0, v.x, v.y, v.z};
  const double right[4] = {q.w, -q.x, -q.y, -q.z};
  double first[4] = {0}, both[4] = {0};
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 4; b++) first[index[a][b]] += sign[a][b] * left[a] * middle[b];
  }
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 4; b++) both[index[a][b]] += sign[a][b] * first[a] * right[b];
  }
  return sup_vec3d_make(both[1], both[2], both[3]);
}

static void quaternions_matrices_and_turning_agree(void **state) {
  (void)state;
  SupRng rng = sup_rng(1, 1);
  for (int i = 0; i < TRIALS; i++) {
    SupQuatd a = random_quatd(&rng), b = random_quatd(&rng);
    SupVec3d v = random_vec3d(&rng);
    SupVec3d want = sandwich(a, v);
    assert_true(sup_vec3d_distance(want, sup_quatd_rotate(a, v)) < 1e-14);
    assert_true(sup_vec3d_distance(want, sup_mat3d_mul_vec3(sup_mat3d_from_quat(a), v)) < 1e-14);
    SupMat3d ab = sup_mat3d_from_quat(sup_quatd_mul(a, b));
    SupMat3d both = product(sup_mat3d_from_quat(a), sup_mat3d_from_quat(b));
    assert_true(largest_difference(ab.m, both.m, 9) < 1e-14);
    assert_true(angle_between(a, sup_quatd_from_mat3(sup_mat3d_from_quat(a))) < 1e-14);
    SupQuat narrow = sup_quat_from_mat3(sup_mat3_from_quat(sup_quatd_to_float(a)));
    assert_true(angle_between(a, sup_quat_to_double(narrow)) < 1e-6);
    assert_true(narrow.w >= 0);
  }
}

static void half_turns_are_read_off_matrices(void **state) {
  (void)state;
  for (int axis = 0; axis < 3; axis++) {
    SupQuatd q = {axis == 0, axis == 1, axis == 2, 0};
    SupQuatd back = sup_quatd_from_mat3(sup_mat3d_from_quat(q));
    assert_true(angle_between(q, back) < 1e-15);
  }
}

static void inverses_undo(void **state) {
  (void)state;
  SupRng rng = sup_rng(2, 1);
  const SupMat3d identity = sup_mat3d_identity();
  for (int i = 0; i < TRIALS; i++) {
    SupMat3d a = random_with_singular(&rng, random_between(&rng, 1, 2), 1, -0.5);
    SupMat3d one = product(a, sup_mat3d_inverse(a));
    assert_true(largest_difference(one.m, identity.m, 9) < 1e-13);
    assert_true(largest_difference(sup_mat3d_mul(a, identity).m, a.m, 9) == 0);
    SupAffined map = sup_affined_from_parts(a, random_vec3d(&rng));
    SupVec3d p = random_vec3d(&rng);
    SupVec3d there = sup_affined_point(map, p);
    assert_true(sup_vec3d_distance(p, sup_affined_point(sup_affined_inverse(map), there)) < 1e-13);
    SupMat3d turn = sup_mat3d_from_quat(random_quatd(&rng));
    SupAffined next = sup_affined_from_parts(turn, random_vec3d(&rng));
    SupVec3d beyond = sup_affined_point(sup_affined_mul(next, map), p);
    assert_true(sup_vec3d_distance(sup_affined_point(next, there), beyond) < 1e-13);
  }
}

/* Signs of scales cannot be told apart from turns, so the maps are compared, not the parts. */
static void decomposing_and_composing_give_the_map_back(void **state) {
  (void)state;
  SupRng rng = sup_rng(3, 1);
  for (int i = 0; i < TRIALS; i++) {
    SupTransformd t;
    t.translation = random_vec3d(&rng);
    t.rotation = random_quatd(&rng);
    double size = i % 5 ? 1 : exp2(random_between(&rng, -60, 60));
    t.scale = sup_vec3d_make(size * random_between(&rng, 0.1, 2), size,
                             -size * random_between(&rng, 0.1, 2));
    SupAffined map = sup_affined_compose(t);
    SupAffined again = sup_affined_compose(sup_affined_decompose(map));
    assert_true(largest_difference(map.m, again.m, 9) < 1e-14 * size * 4);
    assert_memory_equal(map.m + 9, again.m + 9, 3 * sizeof(double));

    SupAffine narrow = sup_affined_to_float(map);
    SupAffine narrow_again = sup_affine_compose(sup_affine_decompose(narrow));
    for (int k = 0; k < 9; k++) {
      assert_true(fabsf(narrow.m[k] - narrow_again.m[k]) <= 4e-6f * (float)size);
    }
  }
  /* Flat and empty maps have no inverse but still parts. */
  SupTransform flat = {{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 0}};
  SupTransform parts = sup_affine_decompose(sup_affine_compose(flat));
  assert_memory_equal(&flat, &parts, sizeof flat);
  SupAffine nothing = {{0}};
  parts = sup_affine_decompose(nothing);
  assert_true(parts.scale.x == 0 && parts.rotation.w == 1);
}

static void sheared_maps_get_the_best_rotation(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 1);
  for (int i = 0; i < 1000; i++) {
    SupMat3d sheared = sup_mat3d_from_quat(random_quatd(&rng));
    SupMat3d shear = {{1, 0, 0, 0.6, 0.8, 0, 0, 0, 1}}; /* unit columns */
    sheared = product(sheared, shear);
    SupTransformd t =
        sup_affined_decompose(sup_affined_from_parts(sheared, sup_vec3d_make(0, 0, 0)));
    SupQuatd best = sup_quatd_fit(sheared, sup_quatd_identity());
    assert_true(angle_between(best, t.rotation) < 1e-14);
    assert_true(fabs(t.scale.y - 1) < 1e-14);
  }
}

static void slerp_turns_evenly(void **state) {
  (void)state;
  SupRng rng = sup_rng(5, 1);
  for (int i = 0; i < TRIALS; i++) {
    SupQuatd a = random_quatd(&rng), b = random_quatd(&rng);
    if (i % 4 == 0) { /* nearly the same */
      b = sup_quatd_mul(a, sup_quatd_exp(sup_vec3d_scale(random_vec3d(&rng), 1e-9)));
    }
    if (i % 3 == 0) b = sup_quatd_negate(b);
    double t = sup_rng_double(&rng), whole = angle_between(a, b);
    SupQuatd q = sup_quatd_slerp(a, b, t);
    assert_true(fabs(angle_between(a, q) - t * whole) < 1e-7 * whole + 1e-15);
    assert_true(fabs(angle_between(q, b) - (1 - t) * whole) < 1e-7 * whole + 1e-15);
    assert_true(angle_between(a, sup_quatd_slerp(a, b, 0)) < 1e-15);
    assert_true(angle_between(b, sup_quatd_slerp(a, b, 1)) < 1e-15);
  }
}

static void normalising_works_at_any_size(void **state) {
  (void)state;
  SupRng rng = sup_rng(6, 1);
  for (int i = 0; i < TRIALS; i++) {
    SupVec3d direction = sup_vec3d_normalise(random_vec3d(&rng));
    float size = (float)exp2(random_between(&rng, -126, 127));
    SupVec3 a = sup_vec3_scale(sup_vec3d_to_float(direction), size);
    SupVec3 unit = sup_vec3_normalise(a);
    assert_true(sup_vec3d_distance(direction, sup_vec3_to_double(unit)) < 1e-6);
    SupQuat q = sup_quat_normalise(sup_quat_make(a.x, a.y, a.z, 0));
    assert_true(fabsf(sup_quat_dot(q, q) - 1) < 1e-6f);
  }
  SupVec3 zero = sup_vec3_normalise(sup_vec3_make(0, 0, 0));
  assert_true(zero.x == 0 && zero.y == 0 && zero.z == 0);
  SupVec3 tiny = sup_vec3_normalise(sup_vec3_make(0, 1e-45f, 0));
  assert_true(tiny.y == 1);
  assert_true(sup_quat_normalise(sup_quat_make(0, 0, 0, 0)).w == 1);
}

static void lerp_meets_its_ends(void **state) {
  (void)state;
  SupVec3 a = {0.1f, 1e20f, -3}, b = {0.7f, 1, 1e-20f};
  SupVec3 first = sup_vec3_lerp(a, b, 0), last = sup_vec3_lerp(a, b, 1);
  assert_memory_equal(&a, &first, sizeof a);
  assert_memory_equal(&b, &last, sizeof b);
}

static void backends_are_found_by_name(void **state) {
  (void)state;
  const SupBackend *backends[8];
  uint32_t count = sup_backend_list(backends, 8);
  assert_true(count >= 1 && count <= 8);
  assert_int_equal(count, sup_backend_list(NULL, 0));
  assert_string_equal("scalar", backends[0]->name);
  assert_int_equal(1, backends[0]->lanes);
  for (uint32_t b = 0; b < count; b++) {
    assert_ptr_equal(backends[b], sup_backend_find(backends[b]->name));
    assert_int_equal(0, SUP_BACKEND_BLOCK % backends[b]->lanes);
    if (b) assert_true(backends[b]->lanes > backends[b - 1]->lanes);
  }
  assert_ptr_equal(backends[count - 1], sup_backend_cpu());
  assert_null(sup_backend_find("sse9"));
  assert_null(sup_backend_find(""));
#if defined(__x86_64__)
  /* The compiler's run-time library asks the processor in its own way. */
  assert_int_equal(__builtin_cpu_supports("avx2") != 0, sup_backend_find("avx2") != NULL);
  assert_int_equal(__builtin_cpu_supports("avx512bw") != 0, sup_backend_find("avx512") != NULL);
  assert_null(sup_backend_find("neon"));
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quaternions_matrices_and_turning_agree),
      cmocka_unit_test(half_turns_are_read_off_matrices),
      cmocka_unit_test(inverses_undo),
      cmocka_unit_test(decomposing_and_composing_give_the_map_back),
      cmocka_unit_test(sheared_maps_get_the_best_rotation),
      cmocka_unit_test(slerp_turns_evenly),
      cmocka_unit_test(normalising_works_at_any_size),
      cmocka_unit_test(lerp_meets_its_ends),
      cmocka_unit_test(backends_are_found_by_name),
  };
  return cmocka_run_group_tests_name("basics", tests, NULL, NULL);
}
