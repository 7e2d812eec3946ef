/* SPDX-License-Identifier: MIT */
/* cmocka with the headers it wants, and a heap that counts and can fail. */
#ifndef SUP_TESTS_CHECK_H
#define SUP_TESTS_CHECK_H

/* Tests may use POSIX; this header comes first in every test. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After the four above: cmocka.h does not include what it uses. */
#include <cmocka.h>

#include "supple/base.h"

/*
 * A skipped case must not count as passed, but cmocka's exit status does not tell of it. So a group
 * in which every case was skipped returns 77, which CTest counts as skipped; of any other each
 * skipped case is a line "file:case" in the file that $SUPPLE_SKIPPED names, where scripts/test.sh
 * finds it. A case and its group lie in one source.
 */
typedef struct SkippedCases {
  size_t count;
  const char *names[64];
} SkippedCases;

static inline SkippedCases *skipped_cases(void) {
  static SkippedCases cases;
  return &cases;
}

static inline void remember_skipped(const char *name) {
  SkippedCases *cases = skipped_cases();
  if (cases->count < sizeof cases->names / sizeof *cases->names) {
    cases->names[cases->count++] = name;
  }
}

/* Returns the group's exit status; case_count 0: 77 is not wanted. */
static inline int report_skipped(int failed, size_t case_count, const char *source) {
  SkippedCases *cases = skipped_cases();
  if (failed == 0 && case_count > 0 && cases->count == case_count) return 77;
  const char *path = getenv("SUPPLE_SKIPPED"), *slash = strrchr(source, '/');
  FILE *file = path && cases->count ? fopen(path, "a") : NULL;
  for (size_t k = 0; file && k < cases->count; k++) {
    fprintf(file, "%s:%s\n", slash ? slash + 1 : source, cases->names[k]);
  }
  if (file) fclose(file);
  return failed;
}

#undef skip
#define skip() (remember_skipped(__func__), _skip(__FILE__, __LINE__))
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                          \
  report_skipped(                                                                               \
      _cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof *(tests), setup, teardown), \
      sizeof(tests) / sizeof *(tests), __FILE__)
/* One group of several in a program: never 77. */
#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                \
  report_skipped(                                                                                \
      _cmocka_run_group_tests(name, tests, sizeof(tests) / sizeof *(tests), setup, teardown), 0, \
      __FILE__)

/* A heap that knows how many blocks live, and refuses the allocation numbered `fail_at` (counted
 * from 1; 0 never). */
typedef struct CountingHeap {
  size_t live_blocks;
  size_t live_bytes;
  size_t peak_bytes; /* the most that lived at once */
  size_t calls;
  size_t fail_at;
} CountingHeap;

static inline void *counting_allocate(void *user, size_t bytes) {
  CountingHeap *heap = (CountingHeap *)user;
  heap->calls++;
  if (heap->fail_at && heap->calls >= heap->fail_at) return NULL;
  size_t rounded = (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  void *block = aligned_alloc(SUP_ALIGNMENT, rounded ? rounded : SUP_ALIGNMENT);
  if (!block) return NULL;
  heap->live_blocks++;
  heap->live_bytes += bytes;
  if (heap->live_bytes > heap->peak_bytes) heap->peak_bytes = heap->live_bytes;
  return block;
}

static inline void counting_release(void *user, void *block, size_t bytes) {
  CountingHeap *heap = (CountingHeap *)user;
  heap->live_blocks--;
  heap->live_bytes -= bytes;
  free(block);
}

static inline SupAllocator counting_allocator(CountingHeap *heap) {
  return (SupAllocator){counting_allocate, counting_release, heap};
}

#endif
