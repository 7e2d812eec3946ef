/* SPDX-License-Identifier: MIT */
/* The rows of src/math. */
#include "hash_rows.h"
#include "supple/math.h"

/* Every row uses these anew, so rows are computed one at a time. */
enum { VALUES = 4096 };
static float x[VALUES], y[VALUES], out[VALUES];

/* ---- Elementary functions ------------------------------------------------------------------- */

/* Over ordinary numbers and over any bits; 4089 of each, so that vectors have a rest. */
static uint64_t hash_map(SupMapKernel *map) {
  enum { COUNT = VALUES - 7 };
  hash_fill(1, x, COUNT);
  map(x, COUNT, out);
  uint64_t hash = sup_hash(out, COUNT * sizeof(float), 0);
  hash_fill_any(2, x, COUNT);
  map(x, COUNT, out);
  return sup_hash(out, COUNT * sizeof(float), hash);
}

uint64_t hash_sin(const SupBackend *backend) { return hash_map(backend->map_sin); }
uint64_t hash_cos(const SupBackend *backend) { return hash_map(backend->map_cos); }
uint64_t hash_exp(const SupBackend *backend) { return hash_map(backend->map_exp); }
uint64_t hash_log(const SupBackend *backend) { return hash_map(backend->map_log); }
uint64_t hash_acos(const SupBackend *backend) { return hash_map(backend->map_acos); }

uint64_t hash_atan2(const SupBackend *backend) {
  hash_fill(3, x, VALUES);
  hash_fill_any(4, y, VALUES);
  for (uint32_t i = 0; i < VALUES; i += 2) y[i] = x[VALUES - 1 - i];
  backend->map_atan2(y, x, VALUES, out);
  return sup_hash(out, sizeof out, 0);
}

uint64_t hash_functions_double(const SupBackend *backend) {
  (void)backend;
  SupRng rng = sup_rng(5, 1);
  uint64_t hash = 0;
  for (uint32_t i = 0; i < 1024; i++) {
    double a = 40 * sup_rng_double(&rng) - 20, b = 2 * sup_rng_double(&rng) - 1;
    double large = a * 1e5 * sup_exp(30 * a);
    double results[] = {sup_sin(a),  sup_cos(large),  sup_exp(a),     sup_log(large),
                        sup_acos(b), sup_atan2(a, b), sup_sin(large), sup_log(a)};
    hash = sup_hash(results, sizeof results, hash);
  }
  return hash;
}

/* ---- Rotations ------------------------------------------------------------------------------ */

enum { BLOCKS = 16 };
static float matrices[BLOCKS * 9 * 16], rotations[BLOCKS * 4 * 16];

uint64_t hash_rotation_fit(const SupBackend *backend) {
  hash_fill(6, matrices, BLOCKS * 9 * 16);
  hash_fill(7, rotations, BLOCKS * 4 * 16);
  uint64_t hash = 0;
  for (uint32_t iterations = 1; iterations <= 4; iterations++) {
    backend->rotation_fit(matrices, BLOCKS, iterations, rotations);
    hash = sup_hash(rotations, sizeof rotations, hash);
  }
  return hash;
}

uint64_t hash_rotation_fit_any(const SupBackend *backend) {
  hash_fill_any(8, matrices, BLOCKS * 9 * 16);
  hash_fill_any(9, rotations, BLOCKS * 4 * 16);
  backend->rotation_fit(matrices, BLOCKS, 5, rotations);
  return sup_hash(rotations, sizeof rotations, 0);
}

static SupMat3 matrix_of(SupRng *rng) {
  SupMat3 a;
  for (int k = 0; k < 9; k++) a.m[k] = 2 * sup_rng_float(rng) - 1;
  return a;
}

static SupQuat quat_of(SupRng *rng) {
  float v[4];
  for (int k = 0; k < 4; k++) v[k] = 2 * sup_rng_float(rng) - 1;
  return sup_quat_normalise(sup_quat_make(v[0], v[1], v[2], v[3]));
}

uint64_t hash_horn(const SupBackend *backend) {
  (void)backend;
  SupRng rng = sup_rng(10, 1);
  SupQuat q = sup_quat_identity();
  uint64_t hash = 0;
  for (int i = 0; i < 256; i++) {
    q = sup_quat_fit(matrix_of(&rng), q);
    hash = sup_hash(&q, sizeof q, hash);
  }
  return hash;
}

uint64_t hash_horn_double(const SupBackend *backend) {
  (void)backend;
  SupRng rng = sup_rng(11, 1);
  SupQuatd q = sup_quatd_identity();
  uint64_t hash = 0;
  for (int i = 0; i < 256; i++) {
    q = sup_quatd_fit(sup_mat3_to_double(matrix_of(&rng)), q);
    hash = sup_hash(&q, sizeof q, hash);
  }
  return hash;
}

uint64_t hash_svd(const SupBackend *backend) {
  (void)backend;
  SupRng rng = sup_rng(12, 1);
  uint64_t hash = 0;
  for (int i = 0; i < 256; i++) {
    SupMat3 a = matrix_of(&rng);
    SupSvd svd = sup_mat3_svd(a);
    SupSvdd svd_double = sup_mat3d_svd(sup_mat3_to_double(a));
    hash = sup_hash(&svd, sizeof svd, hash);
    hash = sup_hash(&svd_double, sizeof svd_double, hash);
  }
  return hash;
}

uint64_t hash_exp_log(const SupBackend *backend) {
  (void)backend;
  SupRng rng = sup_rng(13, 1);
  SupVec3 followed = {0, 0, 0};
  uint64_t hash = 0;
  for (int i = 0; i < 1024; i++) {
    SupVec3 v = sup_quat_log(quat_of(&rng));
    v = sup_vec3_scale(v, i % 2 ? 1e-3f : 2.0f);
    SupQuat q = sup_quat_exp(v);
    followed = sup_quat_log_near(q, followed);
    SupQuatd wide = sup_quatd_exp(sup_vec3_to_double(v));
    SupVec3d log = sup_quatd_log(wide);
    hash = sup_hash(&q, sizeof q, hash);
    hash = sup_hash(&followed, sizeof followed, hash);
    hash = sup_hash(&log, sizeof log, hash);
  }
  return hash;
}

uint64_t hash_slerp(const SupBackend *backend) {
  (void)backend;
  SupRng rng = sup_rng(14, 1);
  SupQuat q = sup_quat_identity();
  uint64_t hash = 0;
  for (int i = 0; i < 1024; i++) {
    SupQuat other = quat_of(&rng); /* drawn one after the other: C orders arguments as it likes */
    q = sup_quat_slerp(q, other, sup_rng_float(&rng));
    hash = sup_hash(&q, sizeof q, hash);
  }
  return hash;
}

/* ---- Affine maps ---------------------------------------------------------------------------- */

static SupTransform transform_of(SupRng *rng) {
  SupTransform t = sup_transform_identity();
  t.translation.x = sup_rng_float(rng);
  t.translation.y = sup_rng_float(rng);
  t.rotation = quat_of(rng);
  t.scale.x = 0.75f + 0.5f * sup_rng_float(rng);
  t.scale.z = 0.75f + 0.5f * sup_rng_float(rng);
  return t;
}

uint64_t hash_affine_chain(const SupBackend *backend) {
  (void)backend;
  SupRng rng = sup_rng(15, 1);
  SupAffine chain = sup_affine_identity();
  SupVec3 point = {1, 2, 3};
  uint64_t hash = 0;
  for (int i = 0; i < 1024; i++) {
    SupAffine step = sup_affine_compose(transform_of(&rng));
    chain = i % 16 ? sup_affine_mul(chain, step) : step;
    SupAffine back = sup_affine_inverse(chain);
    point = sup_affine_point(back, sup_affine_point(step, point));
    hash = sup_hash(&chain, sizeof chain, hash);
    hash = sup_hash(&back, sizeof back, hash);
    point = sup_vec3_normalise(point);
    hash = sup_hash(&point, sizeof point, hash);
  }
  return hash;
}

uint64_t hash_decompose(const SupBackend *backend) {
  (void)backend;
  SupRng rng = sup_rng(16, 1);
  uint64_t hash = 0;
  for (int i = 0; i < 256; i++) {
    SupAffine a = sup_affine_compose(transform_of(&rng));
    if (i % 2) a = sup_affine_mul(a, sup_affine_compose(transform_of(&rng))); /* has shear */
    SupTransform t = sup_affine_decompose(a);
    hash = sup_hash(&t, sizeof t, hash);
  }
  return hash;
}

/* A compiler may not drop the rounding in between (GCC 12 does, cmake/flags.cmake). */
uint64_t hash_float_double(const SupBackend *backend) {
  (void)backend;
  SupRng rng = sup_rng(17, 1);
  uint64_t hash = 0;
  for (int i = 0; i < 64; i++) {
    SupVec3d v;
    v.x = sup_rng_double(&rng);
    v.y = sup_rng_double(&rng);
    v.z = sup_rng_double(&rng);
    v = sup_vec3_to_double(sup_vec3d_to_float(v));
    hash = sup_hash(&v, sizeof v, hash);
  }
  return hash;
}
