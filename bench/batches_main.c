/* SPDX-License-Identifier: MIT */
/*
 * The bench of batches as a program by itself, for machines where the tool is not built.
 *
 * usage: bench_batches NAME [SAMPLES [LANES [brief|all [WORD]]]]
 *
 * NAME: cpu, scalar, ..., cuda. WORD: only cases that have it in their name.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "batches.h"

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_row(void *user, const BatchesRow *row) {
  (void)user;
  printf("%-48s %11.2f us (%.2f .. %.2f) %9.3f ns/%s", row->name, 1e6 * row->seconds,
         1e6 * row->p10, 1e6 * row->p90, 1e9 * row->seconds / (double)row->items, row->unit);
  if (row->bytes > 0) {
    const double rate = row->bytes / row->seconds;
    printf("  %7.1f B each, %6.0f GB/s", row->bytes / (double)row->items, 1e-9 * rate);
    if (row->copied > 0) printf(", %.0f %% of copy", 100 * rate / row->copied);
  }
  printf("\n");
  fflush(stdout);
}

int main(int count, char **arguments) {
  const char *name = count > 1 ? arguments[1] : "cpu", *why = NULL;
  Batches b = {.samples = count > 2 ? (uint32_t)atoi(arguments[2]) : 31,
               .tile_lanes = count > 3 ? (uint32_t)atoi(arguments[3]) : 0,
               .brief = count > 4 && strcmp(arguments[4], "brief") == 0,
               .only = count > 5 ? arguments[5] : NULL,
               .clock = seconds_now,
               .row = print_row};
  b.backend = strcmp(name, "cpu") == 0    ? sup_backend_cpu()
              : strcmp(name, "cuda") == 0 ? sup_backend_cuda(&why)
                                          : sup_backend_find(name);
  if (!b.backend) {
    printf("skipped: %s\n", why ? why : "no such backend here");
    return 77;
  }
  SupError error = {""};
  const SupResult result = batches_run(&b, &error);
  if (b.copied > 0) printf("copy: %.0f GB/s\n", 1e-9 * b.copied);
  if (result) printf("%s\n", error.text);
  return result != SUP_OK;
}
