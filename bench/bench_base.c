/* SPDX-License-Identifier: MIT */
/* Hashing, and what it costs to hand work to other threads. */
#include "bench.h"

/* ---- Hash: FNV-1a, the hash everybody writes first, against XXH64 ---------------------------- */

typedef struct HashJob {
  const uint8_t *bytes;
  size_t count;
  uint64_t result;
} HashJob;

static void run_fnv(void *context) {
  HashJob *job = context;
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t k = 0; k < job->count; k++) hash = (hash ^ job->bytes[k]) * 0x100000001b3u;
  job->result = hash;
}

static void run_xxh64(void *context) {
  HashJob *job = context;
  job->result = sup_hash(job->bytes, job->count, 0);
}

static uint64_t hash_result(const void *context) { return ((const HashJob *)context)->result; }

static SupResult measure_hash(Bench *bench, SupError *error) {
  enum { BYTES = 1 << 16 };
  uint8_t *bytes = SUP_ALLOC(bench->arena, uint8_t, BYTES);
  if (!bytes) return sup_fail(error, SUP_ERROR_MEMORY, "bench base: out of memory");
  SupRng rng = sup_rng(bench->seed, 0);
  for (size_t k = 0; k < BYTES; k++) bytes[k] = (uint8_t)sup_rng_u32(&rng);
  HashJob fnv = {bytes, BYTES, 0}, xxh64 = {bytes, BYTES, 0};
  BenchVariant variants[] = {
      {.name = "FNV-1a", .run = run_fnv, .hash = hash_result, .context = &fnv},
      {.name = "XXH64", .run = run_xxh64, .hash = hash_result, .context = &xxh64},
  };
  BenchCase hash = {"hash, 64 KiB", "byte", BYTES, 2, variants};
  return bench_measure(bench, &hash, error);
}

/* ---- Jobs: a loop of about 0.2 ms, split into ranges, on one thread and on all --------------- */

enum { LOOP_ITEMS = 1 << 16, LOOP_GRAIN = 1 << 12 };

typedef struct LoopJob {
  const SupJobs *jobs;
  const float *input; /* [LOOP_ITEMS] */
  float *output;      /* [LOOP_ITEMS] */
} LoopJob;

/* A chain of dependent operations per item: bound by the processor, not by memory. */
static void loop_range(void *context, SupRange range) {
  LoopJob *job = context;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    float x = job->input[k];
    for (int step = 0; step < 8; step++) x = x * (1.5f - 0.5f * x * x);
    job->output[k] = x;
  }
}

static void run_loop(void *context) {
  LoopJob *job = context;
  sup_parallel_for(job->jobs, LOOP_ITEMS, LOOP_GRAIN, loop_range, job);
}

static uint64_t hash_loop(const void *context) {
  return sup_hash(((const LoopJob *)context)->output, LOOP_ITEMS * sizeof(float), 0);
}

static void nothing(void *context, uint32_t index) {
  (void)context;
  (void)index;
}

/* As many tasks as threads that do nothing: the cost of starting and ending a job. */
typedef struct EmptyJob {
  const SupJobs *jobs;
  uint32_t task_count;
} EmptyJob;

static void run_empty(void *context) {
  EmptyJob *job = context;
  if (job->jobs) {
    job->jobs->run(job->jobs->user, job->task_count, nothing, NULL);
  } else {
    for (uint32_t k = 0; k < job->task_count; k++) nothing(NULL, k);
  }
}

static uint64_t hash_empty(const void *context) { return ((const EmptyJob *)context)->task_count; }

static SupResult measure_jobs(Bench *bench, SupError *error) {
  float *input = SUP_ALLOC(bench->arena, float, LOOP_ITEMS);
  float *output = SUP_ALLOC(bench->arena, float, LOOP_ITEMS);
  if (!input || !output) return sup_fail(error, SUP_ERROR_MEMORY, "bench base: out of memory");
  SupRng rng = sup_rng(bench->seed, 1);
  for (uint32_t k = 0; k < LOOP_ITEMS; k++) input[k] = sup_rng_float(&rng);
  LoopJob serial = {NULL, input, output}, parallel = {bench->jobs, input, output};
  BenchVariant loops[] = {
      {.name = "one thread",
       .run = run_loop,
       .hash = hash_loop,
       .context = &serial,
       .threaded = true,
       .exact = true},
      {.name = "all threads",
       .run = run_loop,
       .hash = hash_loop,
       .context = &parallel,
       .threaded = true,
       .exact = true},
  };
  BenchCase loop = {"jobs, loop in 16 ranges", "loop", 1, 2, loops};
  SupResult result = bench_measure(bench, &loop, error);
  if (result != SUP_OK) return result;
  EmptyJob empty = {bench->jobs, bench->thread_count};
  BenchVariant dispatch = {.name = "all threads",
                           .run = run_empty,
                           .hash = hash_empty,
                           .context = &empty,
                           .threaded = true};
  BenchCase start = {"jobs, start and end", "job", 1, 1, &dispatch};
  return bench_measure(bench, &start, error);
}

static SupResult run(Bench *bench, SupError *error) {
  SupResult result = measure_hash(bench, error);
  return result == SUP_OK ? measure_jobs(bench, error) : result;
}

const BenchSuite bench_base = {"base", "hashing; the cost of handing work to threads", run};
