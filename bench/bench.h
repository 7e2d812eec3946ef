/* SPDX-License-Identifier: MIT */
/*
 * Speed, measured so that it means something.
 *
 * - All variants of a case run interleaved in one process: sample 1 of each, sample 2 of each, ...
 *   What slows the machine down for a while slows all of them.
 * - Variants on one thread are timed by that thread's processor time, which preemption does not
 *   touch; variants on several threads by the wall clock.
 * - A ratio is taken per sample against the first variant (the naive one); shown are its median
 *   and the 10th and 90th percentile.
 * - The hash of the result stands beside the speed. Variants that promise the same bits and do not
 *   keep it make the bench fail.
 *
 * A new suite is one file bench_NAME.c (naive versions in naive_NAME.c) with one
 * `const BenchSuite bench_NAME`, its declaration at the end of this header, a line in suites.c and
 * its sources in CMakeLists.txt. Benches see public headers only.
 */
#ifndef SUPPLE_BENCH_H
#define SUPPLE_BENCH_H

#include "supple/base.h"

/* One way to compute something. */
typedef struct BenchVariant {
  const char *name;           /* "naive", "avx2", "avx512 2 threads" */
  void (*run)(void *context); /* does the work once */
  /* Brings the context to the same start, untimed, before every hash and every sample; NULL when
   * running twice is the same as running once. A sample may run several times after it. */
  void (*prepare)(void *context);
  uint64_t (*hash)(const void *context); /* of the result of one run */
  void *context;
  bool threaded; /* uses several threads: wall clock */
  bool exact;    /* gives the same bits as every other exact variant of the case */
} BenchVariant;

/* The same work in several ways; the first is what the others are compared with. */
typedef struct BenchCase {
  const char *name;    /* "sin, 4096 values" */
  const char *unit;    /* what is counted: "value", "vertex" */
  uint64_t item_count; /* units in one run */
  uint32_t variant_count;
  const BenchVariant *variants;
} BenchCase;

/* Median and spread over the samples. */
typedef struct BenchSpread {
  double median, p10, p90;
} BenchSpread;

/* What came out for one variant. */
typedef struct BenchRow {
  const char *suite, *name, *unit, *variant; /* names as the case gave them */
  BenchSpread nanoseconds;                   /* per unit */
  BenchSpread ratio; /* how many times faster than the first variant; 1 for itself */
  uint64_t hash;
  uint64_t item_count;
  uint32_t sample_count;
  bool threaded, exact;
} BenchRow;

/* A bench in progress, given to every suite. */
typedef struct Bench {
  SupArena *arena;     /* for the suites' data; the names of cases must live as long */
  const SupJobs *jobs; /* all threads that may be used */
  uint32_t thread_count;
  uint64_t seed;
  uint32_t sample_count; /* per variant */
  double sample_seconds; /* least time of one sample */
  bool brief;            /* leave out large sizes: the suite should take about a second */
  /* Receives every row as it is done. */
  void (*row)(void *user, const BenchRow *row);
  /* Tells how far the present case is; may be NULL. */
  void (*progress)(void *user, const char *name, double done, double total);
  void *user;
  const char *suite; /* set by bench_run_suite */
} Bench;

typedef struct BenchSuite {
  const char *name;    /* "math" */
  const char *summary; /* one line */
  /* Makes its data in bench->arena and calls bench_measure for each case. */
  SupResult (*run)(Bench *bench, SupError *error);
} BenchSuite;

/* Measures one case and hands its rows out. Fails with SUP_ERROR_NUMERIC if exact variants differ,
 * naming both. */
SupResult bench_measure(Bench *bench, const BenchCase *job, SupError *error);

/* Runs all cases of a suite. */
SupResult bench_run_suite(Bench *bench, const BenchSuite *suite, SupError *error);

/* Median, p10 and p90 of values[count], count > 0; sorts them in place. Between two samples the
 * percentile is interpolated linearly. */
BenchSpread bench_spread(double *values, size_t count);

/* All suites, ended by NULL. */
extern const BenchSuite *const bench_suites[];

extern const BenchSuite bench_base;
extern const BenchSuite bench_chunks;
extern const BenchSuite bench_envelope;
extern const BenchSuite bench_geom;
extern const BenchSuite bench_helpers;
extern const BenchSuite bench_math;
extern const BenchSuite bench_modes;
extern const BenchSuite bench_popping;
extern const BenchSuite bench_skin;
extern const BenchSuite bench_surface;

/* Of a paper's table; not in the list. */
extern const BenchSuite bench_envelope_thesis;

#endif
