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
#include <stdlib.h>

/* After the four above: cmocka.h does not include what it uses. */
#include <cmocka.h>

#include "supple/base.h"

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
