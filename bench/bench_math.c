/* SPDX-License-Identifier: MIT */
/* The elementary functions against the C library's, and the rotation fit against scalar code. */
#include "bench.h"

#include <math.h>

#include "naive_math.h"
#include "supple/backend.h"
#include "supple/math.h"

enum { MOST_BACKENDS = 8, VALUES = 4096, MATRICES = 4096, BLOCK = SUP_BACKEND_BLOCK };

/* ---- Elementary functions ------------------------------------------------------------------- */

typedef struct MapJob {
  float (*scalar)(float); /* the C library's, or NULL */
  SupMapKernel *map;      /* or ours */
  SupMapAtan2Kernel *map_atan2;
  const float *x, *y; /* [VALUES] */
  float *out;         /* [VALUES] */
} MapJob;

static void run_libm(void *context) {
  const MapJob *job = context;
  for (uint32_t i = 0; i < VALUES; i++) job->out[i] = job->scalar(job->x[i]);
}

static void run_libm_atan2(void *context) {
  const MapJob *job = context;
  for (uint32_t i = 0; i < VALUES; i++) job->out[i] = atan2f(job->y[i], job->x[i]);
}

static void run_map(void *context) {
  const MapJob *job = context;
  if (job->map) {
    job->map(job->x, VALUES, job->out);
  } else {
    job->map_atan2(job->y, job->x, VALUES, job->out);
  }
}

static uint64_t hash_map(const void *context) {
  return sup_hash(((const MapJob *)context)->out, VALUES * sizeof(float), 0);
}

typedef struct MapCase {
  const char *name;
  float (*libm)(float); /* NULL for atan2 */
  size_t map;           /* where the kernel stands in SupBackend */
  float low, high;      /* the arguments */
} MapCase;

static const MapCase map_cases[] = {
    {"sin, 4096 values", sinf, offsetof(SupBackend, map_sin), -20, 20},
    {"cos, 4096 values", cosf, offsetof(SupBackend, map_cos), -20, 20},
    {"exp, 4096 values", expf, offsetof(SupBackend, map_exp), -20, 20},
    {"log, 4096 values", logf, offsetof(SupBackend, map_log), 0, 20},
    {"acos, 4096 values", acosf, offsetof(SupBackend, map_acos), -1, 1},
    {"atan2, 4096 values", NULL, 0, -1, 1},
};

static SupMapKernel *map_of(const SupBackend *backend, size_t offset) {
  SupMapKernel *map;
  sup_copy(&map, (const char *)backend + offset, sizeof map);
  return map;
}

static SupResult measure_map(Bench *bench, const MapCase *map, SupError *error) {
  const SupBackend *backends[MOST_BACKENDS];
  uint32_t count = sup_backend_list(backends, MOST_BACKENDS);
  float *x = SUP_ALLOC(bench->arena, float, VALUES);
  float *y = SUP_ALLOC(bench->arena, float, VALUES);
  float *out = SUP_ALLOC(bench->arena, float, VALUES);
  if (!x || !y || !out) return sup_fail_memory(error, "bench math");
  SupRng rng = sup_rng(bench->seed, 1);
  for (uint32_t i = 0; i < VALUES; i++) {
    x[i] = map->low + (map->high - map->low) * sup_rng_float(&rng);
    y[i] = 2 * sup_rng_float(&rng) - 1;
  }
  MapJob jobs[MOST_BACKENDS + 1];
  BenchVariant variants[MOST_BACKENDS + 1];
  jobs[0] = (MapJob){.scalar = map->libm, .x = x, .y = y, .out = out};
  variants[0] = (BenchVariant){.name = "libm",
                               .run = map->libm ? run_libm : run_libm_atan2,
                               .hash = hash_map,
                               .context = &jobs[0]};
  for (uint32_t b = 0; b < count; b++) {
    jobs[b + 1] = (MapJob){.x = x, .y = y, .out = out, .map_atan2 = backends[b]->map_atan2};
    if (map->libm) jobs[b + 1].map = map_of(backends[b], map->map);
    variants[b + 1] = (BenchVariant){.name = backends[b]->name,
                                     .run = run_map,
                                     .hash = hash_map,
                                     .context = &jobs[b + 1],
                                     .exact = true};
  }
  BenchCase job = {map->name, "value", VALUES, count + 1, variants};
  return bench_measure(bench, &job, error);
}

/* ---- Rotation fit --------------------------------------------------------------------------- */

/* Every run starts from the same rotations, 0.1 rad away: what a warm start finds in motion. */
typedef struct FitJob {
  SupRotationFitKernel *fit;
  void (*naive)(const SupMat3 *matrices, uint32_t count, SupQuat *io_rotations);
  const SupMat3 *matrices;    /* [MATRICES] */
  const SupQuat *start;       /* [MATRICES] */
  SupQuat *rotations;         /* [MATRICES] */
  const float *matrix_blocks; /* [9 * MATRICES] the same in blocks */
  const float *start_blocks;  /* [4 * MATRICES] */
  float *rotation_blocks;     /* [4 * MATRICES] */
} FitJob;

static void run_naive_fit(void *context) {
  const FitJob *job = context;
  sup_copy(job->rotations, job->start, MATRICES * sizeof(SupQuat));
  job->naive(job->matrices, MATRICES, job->rotations);
}

static void run_horn(void *context) {
  const FitJob *job = context;
  for (uint32_t v = 0; v < MATRICES; v++) {
    job->rotations[v] = sup_quat_fit(job->matrices[v], job->start[v]);
  }
}

static void run_fit(void *context) {
  const FitJob *job = context;
  sup_copy(job->rotation_blocks, job->start_blocks, 4 * MATRICES * sizeof(float));
  job->fit(job->matrix_blocks, MATRICES / BLOCK, 1, job->rotation_blocks);
}

static uint64_t hash_naive_fit(const void *context) {
  return sup_hash(((const FitJob *)context)->rotations, MATRICES * sizeof(SupQuat), 0);
}

static uint64_t hash_fit(const void *context) {
  return sup_hash(((const FitJob *)context)->rotation_blocks, 4 * MATRICES * sizeof(float), 0);
}

/* Rotations with 10 % noise, and starts near them, in both layouts. */
static void fill_fit(uint64_t seed, SupMat3 *matrices, SupQuat *start, float *matrix_blocks,
                     float *start_blocks) {
  SupRng rng = sup_rng(seed, 2);
  for (uint32_t v = 0; v < MATRICES; v++) {
    float d[7];
    for (int k = 0; k < 7; k++) d[k] = 2 * sup_rng_float(&rng) - 1;
    SupQuat q = sup_quat_normalise(sup_quat_make(d[0], d[1], d[2], d[3]));
    SupVec3 away = sup_vec3_normalise(sup_vec3_make(d[4], d[5], d[6]));
    matrices[v] = sup_mat3_from_quat(q);
    for (int k = 0; k < 9; k++) matrices[v].m[k] += 0.2f * sup_rng_float(&rng) - 0.1f;
    start[v] = sup_quat_mul(q, sup_quat_exp(sup_vec3_scale(away, 0.1f)));
    const float parts[4] = {start[v].x, start[v].y, start[v].z, start[v].w};
    for (uint32_t k = 0; k < 9; k++) {
      matrix_blocks[(v / BLOCK * 9 + k) * BLOCK + v % BLOCK] = matrices[v].m[k];
    }
    for (uint32_t k = 0; k < 4; k++) {
      start_blocks[(v / BLOCK * 4 + k) * BLOCK + v % BLOCK] = parts[k];
    }
  }
}

static SupResult measure_fit(Bench *bench, SupError *error) {
  const SupBackend *backends[MOST_BACKENDS];
  uint32_t count = sup_backend_list(backends, MOST_BACKENDS);
  SupMat3 *matrices = SUP_ALLOC(bench->arena, SupMat3, MATRICES);
  SupQuat *start = SUP_ALLOC(bench->arena, SupQuat, MATRICES);
  SupQuat *rotations = SUP_ALLOC(bench->arena, SupQuat, MATRICES);
  float *matrix_blocks = SUP_ALLOC(bench->arena, float, 9 * MATRICES);
  float *start_blocks = SUP_ALLOC(bench->arena, float, 4 * MATRICES);
  float *rotation_blocks = SUP_ALLOC(bench->arena, float, 4 * MATRICES);
  if (!matrices || !start || !rotations || !matrix_blocks || !start_blocks || !rotation_blocks) {
    return sup_fail_memory(error, "bench math");
  }
  fill_fit(bench->seed, matrices, start, matrix_blocks, start_blocks);
  FitJob jobs[MOST_BACKENDS + 3];
  BenchVariant variants[MOST_BACKENDS + 3];
  for (uint32_t k = 0; k < count + 3; k++) {
    jobs[k] = (FitJob){.matrices = matrices,
                       .start = start,
                       .rotations = rotations,
                       .matrix_blocks = matrix_blocks,
                       .start_blocks = start_blocks,
                       .rotation_blocks = rotation_blocks};
    variants[k] = (BenchVariant){.run = run_fit, .hash = hash_fit, .context = &jobs[k]};
  }
  const char *names[3] = {"naive Newton", "Mueller to 1e-4", "Horn"};
  for (int k = 0; k < 3; k++) {
    variants[k].name = names[k];
    variants[k].run = k == 2 ? run_horn : run_naive_fit;
    variants[k].hash = hash_naive_fit;
  }
  jobs[0].naive = naive_newton;
  jobs[1].naive = naive_mueller;
  for (uint32_t b = 0; b < count; b++) {
    jobs[b + 3].fit = backends[b]->rotation_fit;
    variants[b + 3].name = backends[b]->name;
    variants[b + 3].exact = true;
  }
  BenchCase job = {"rotation fit, 1 warm step", "matrix", MATRICES, count + 3, variants};
  return bench_measure(bench, &job, error);
}

static SupResult run(Bench *bench, SupError *error) {
  SupResult result = SUP_OK;
  for (size_t k = 0; k < sizeof map_cases / sizeof map_cases[0] && result == SUP_OK; k++) {
    result = measure_map(bench, &map_cases[k], error);
  }
  return result == SUP_OK ? measure_fit(bench, error) : result;
}

const BenchSuite bench_math = {"math", "elementary functions and the rotation fit", run};
