/* SPDX-License-Identifier: MIT */
/* Interleaved timing with per-sample ratios. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#define MOST_RUNS 1000000u /* in one sample */

static double seconds(bool threaded) {
  struct timespec now;
  clock_gettime(threaded ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void prepare(const BenchVariant *variant) {
  if (variant->prepare) variant->prepare(variant->context);
}

/* Seconds of `runs` runs. */
static double time_runs(const BenchVariant *variant, uint32_t runs) {
  prepare(variant);
  double began = seconds(variant->threaded);
  for (uint32_t k = 0; k < runs; k++) variant->run(variant->context);
  return seconds(variant->threaded) - began;
}

/* How many runs one sample needs to last `least` seconds; also warms caches and clocks. */
static uint32_t runs_per_sample(const BenchVariant *variant, double least) {
  uint32_t runs = 1;
  for (;;) {
    double taken = time_runs(variant, runs);
    if (taken >= least || runs >= MOST_RUNS) return runs;
    double factor = taken > 0 ? 1.1 * least / taken : 10;
    double more = (double)runs * (factor < 1.5 ? 1.5 : factor > 10 ? 10 : factor) + 1;
    runs = more > MOST_RUNS ? MOST_RUNS : (uint32_t)more;
  }
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double percentile(const double *sorted, size_t count, double part) {
  double place = part * (double)(count - 1);
  size_t below = (size_t)place;
  size_t above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

BenchSpread bench_spread(double *values, size_t count) {
  assert(count > 0);
  qsort(values, count, sizeof *values, compare_doubles);
  return (BenchSpread){percentile(values, count, 0.5), percentile(values, count, 0.1),
                       percentile(values, count, 0.9)};
}

/* Runs every variant once, for its hash, and compares those that promise the same bits. */
static SupResult hash_variants(const BenchCase *job, uint64_t *out_hashes, SupError *error) {
  const BenchVariant *first = NULL;
  uint64_t expected = 0;
  for (uint32_t k = 0; k < job->variant_count; k++) {
    const BenchVariant *variant = &job->variants[k];
    prepare(variant);
    variant->run(variant->context);
    out_hashes[k] = variant->hash(variant->context);
    if (!variant->exact) continue;
    if (first && out_hashes[k] != expected) {
      return sup_fail(error, SUP_ERROR_NUMERIC,
                      "bench %s: %s and %s must give the same bits and do not; this build is wrong",
                      job->name, first->name, variant->name);
    }
    first = variant;
    expected = out_hashes[k];
  }
  return SUP_OK;
}

/* Fills times[variant * sample_count + sample] with nanoseconds per unit. */
static void sample_variants(Bench *bench, const BenchCase *job, const uint32_t *runs,
                            double *times) {
  for (uint32_t sample = 0; sample < bench->sample_count; sample++) {
    for (uint32_t k = 0; k < job->variant_count; k++) {
      double items = (double)runs[k] * (double)job->item_count;
      times[k * bench->sample_count + sample] = 1e9 * time_runs(&job->variants[k], runs[k]) / items;
    }
    if (bench->progress) {
      bench->progress(bench->user, job->name, sample + 1, bench->sample_count);
    }
  }
}

/* scratch[sample_count]. */
static BenchRow summarise(const Bench *bench, const BenchCase *job, uint32_t k, const double *times,
                          double *scratch) {
  uint32_t count = bench->sample_count;
  const double *own = times + k * count;
  BenchRow row = {.suite = bench->suite,
                  .name = job->name,
                  .unit = job->unit,
                  .variant = job->variants[k].name,
                  .item_count = job->item_count,
                  .sample_count = count,
                  .threaded = job->variants[k].threaded,
                  .exact = job->variants[k].exact};
  for (uint32_t sample = 0; sample < count; sample++) scratch[sample] = times[sample] / own[sample];
  row.ratio = bench_spread(scratch, count);
  sup_copy(scratch, own, count * sizeof *own);
  row.nanoseconds = bench_spread(scratch, count);
  return row;
}

SupResult bench_measure(Bench *bench, const BenchCase *job, SupError *error) {
  uint32_t count = bench->sample_count, variant_count = job->variant_count;
  uint64_t *hashes = SUP_ALLOC(bench->arena, uint64_t, variant_count);
  uint32_t *runs = SUP_ALLOC(bench->arena, uint32_t, variant_count);
  double *times = SUP_ALLOC(bench->arena, double, (size_t)(variant_count + 1) * count);
  if (!hashes || !runs || !times) {
    return sup_fail(error, SUP_ERROR_MEMORY, "bench %s: out of memory", job->name);
  }
  SupResult result = hash_variants(job, hashes, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < variant_count; k++) {
    runs[k] = runs_per_sample(&job->variants[k], bench->sample_seconds);
  }
  sample_variants(bench, job, runs, times);
  for (uint32_t k = 0; k < variant_count; k++) {
    BenchRow row = summarise(bench, job, k, times, times + variant_count * count);
    row.hash = hashes[k];
    bench->row(bench->user, &row);
  }
  return SUP_OK;
}

SupResult bench_run_suite(Bench *bench, const BenchSuite *suite, SupError *error) {
  bench->suite = suite->name;
  return suite->run(bench, error);
}
