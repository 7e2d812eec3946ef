/* SPDX-License-Identifier: MIT */
/* Hashing, and what it costs to hand work to other threads. */
#include <stdatomic.h>

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
  if (!bytes) return sup_fail_memory(error, "bench base");
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

/* Two tasks of which each ends when both have begun: the time until a second thread works. */
typedef struct MeetJob {
  const SupJobs *jobs;
  atomic_uint arrived;
  uint32_t task_count; /* that arrived in the end */
} MeetJob;

static void meet(void *context, uint32_t index) {
  MeetJob *job = context;
  (void)index;
  atomic_fetch_add(&job->arrived, 1);
  /* Bounded: whoever brings the jobs may run them one after the other. */
  for (int k = 0; k < 10000000 && atomic_load(&job->arrived) < 2; k++) {
  }
}

static void run_meet(void *context) {
  MeetJob *job = context;
  atomic_store(&job->arrived, 0);
  job->jobs->run(job->jobs->user, 2, meet, job);
  job->task_count = atomic_load(&job->arrived);
}

static uint64_t hash_meet(const void *context) { return ((const MeetJob *)context)->task_count; }

static SupResult measure_jobs(Bench *bench, SupError *error) {
  float *input = SUP_ALLOC(bench->arena, float, LOOP_ITEMS);
  float *output = SUP_ALLOC(bench->arena, float, LOOP_ITEMS);
  if (!input || !output) return sup_fail_memory(error, "bench base");
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
  BenchCase loop = {"jobs, 16 ranges", "loop", 1, 2, loops};
  SupResult result = bench_measure(bench, &loop, error);
  if (result != SUP_OK) return result;
  if (bench->thread_count < 2) return SUP_OK;
  MeetJob meeting = {.jobs = bench->jobs};
  BenchVariant dispatch = {.name = "all threads",
                           .run = run_meet,
                           .hash = hash_meet,
                           .context = &meeting,
                           .threaded = true};
  BenchCase start = {"jobs, two threads meet", "job", 1, 1, &dispatch};
  return bench_measure(bench, &start, error);
}

static SupResult run(Bench *bench, SupError *error) {
  SupResult result = measure_hash(bench, error);
  return result == SUP_OK ? measure_jobs(bench, error) : result;
}

const BenchSuite bench_base = {"base", "hashing; the cost of handing work to threads", run};
