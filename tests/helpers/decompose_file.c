/* SPDX-License-Identifier: MIT */
/*
 * Takes a point cache apart: decompose_file REST.obj SAMPLES.pc2 BONES INFLUENCES [SWEEPS [RESEEDS
 * [STARTS [THREADS]]]]. Prints the error, the rounds and the seconds.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "supple/io/cache.h"
#include "supple/io/file.h"
#include "supple/io/obj.h"
#include "supple/io/pool.h"
#include "supple/train/decompose.h"

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double processor(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t number(int argc, char **argv, int at, uint32_t otherwise) {
  return argc > at ? (uint32_t)strtoul(argv[at], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
  SupArena arena;
  SupError error;
  SupCharacter character;
  SupSamples samples;
  SupDecomposition parts;
  if (argc < 5) return 2;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (sup_obj_read(&arena, argv[1], &character, NULL, &error) ||
      sup_cache_load(&arena, argv[2], 30, &samples, &error)) {
    return fprintf(stderr, "%s\n", error.text), 1;
  }
  SupDecomposeDef def = sup_decompose_def();
  def.vertex_count = samples.vertex_count;
  SupVec3 *rest = SUP_ALLOC(&arena, SupVec3, samples.vertex_count);
  for (uint32_t i = 0; i < samples.vertex_count; i++) {
    rest[i] = character.body.positions[character.render.to_body[i]];
  }
  def.rest = rest;
  def.frame_count = samples.frame_count;
  def.positions = samples.positions;
  def.helper_count = number(argc, argv, 3, 16);
  def.influences = number(argc, argv, 4, 4);
  def.sweeps = number(argc, argv, 5, def.sweeps);
  def.reseeds = number(argc, argv, 6, def.reseeds);
  def.starts = number(argc, argv, 7, def.starts);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), number(argc, argv, 8, 1));
  const SupJobs jobs = sup_pool_jobs(pool);
  def.jobs = &jobs;
  const double wall = seconds(), cpu = processor();
  if (sup_decompose(&arena, &def, &parts, &error)) return fprintf(stderr, "%s\n", error.text), 1;
  printf("rmse %.6f sweeps %u (last %u) wall %.2f s cpu %.2f s hash %016llx\n", parts.rmse,
         parts.sweep_count, parts.history_count, seconds() - wall, processor() - cpu,
         (unsigned long long)sup_hash(
             parts.helpers, (size_t)parts.frame_count * parts.helper_count * sizeof(SupAffine), 0));
  for (uint32_t k = 0; k < parts.history_count; k += 10) printf(" %.5f", parts.history[k]);
  printf("\n");
  sup_pool_destroy(pool);
  sup_arena_free(&arena);
  return 0;
}
