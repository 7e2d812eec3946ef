/* SPDX-License-Identifier: MIT */
/*
 * Speed of batches, on the processor or on a GPU: whole frames of one or many characters.
 *
 * On a GPU a sample is a recording of several frames, timed by the GPU's own events; on the
 * processor the wall clock. Beside the time stands what must at least be moved through memory,
 * and a copy within that memory to compare with.
 */
#ifndef SUP_BENCH_BATCHES_H
#define SUP_BENCH_BATCHES_H

#include "supple/batch.h"

typedef struct BatchesRow {
  const char *name, *unit;
  uint64_t items;           /* units in a frame */
  double seconds, p10, p90; /* per frame: median and spread */
  double bytes;             /* that a frame moves through memory at least; 0: not counted */
  double copied; /* bytes per second of a large copy, read and written; 0: not measured */
} BatchesRow;

typedef struct Batches {
  const SupBackend *backend;
  const SupJobs *jobs;
  uint32_t samples;
  uint32_t tile_lanes;   /* 0: the backend's choice */
  bool brief;            /* leave out large sizes */
  const char *only;      /* cases whose names hold this; NULL: all */
  double (*clock)(void); /* seconds, for the processor */
  void (*row)(void *user, const BatchesRow *row);
  void *user;
  double copied; /* filled in by batches_run */
} Batches;

SupResult batches_run(Batches *b, SupError *error);

#endif
