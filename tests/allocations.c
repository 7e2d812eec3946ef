/* SPDX-License-Identifier: MIT */
/* The linker sends every call here (--wrap). */
#include "allocations.h"

size_t allocation_count;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes) {
  allocation_count++;
  return __real_malloc(bytes);
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes) {
  allocation_count++;
  return __real_calloc(count, bytes);
}

void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  allocation_count++;
  return __real_aligned_alloc(alignment, bytes);
}

int __real_posix_memalign(void **out, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes) {
  allocation_count++;
  return __real_posix_memalign(out, alignment, bytes);
}
