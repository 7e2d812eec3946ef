/* SPDX-License-Identifier: MIT */
/* --max-memory: the heap with a count and a limit. */
#include "runner/runner.h"
#include "supple/io/file.h"

static void *limited_allocate(void *user, size_t bytes) {
  CliMemory *memory = user;
  size_t used = atomic_fetch_add(&memory->used, bytes) + bytes;
  if (memory->limit && used > memory->limit) {
    atomic_fetch_sub(&memory->used, bytes);
    return NULL;
  }
  void *block = memory->heap.allocate(memory->heap.user, bytes);
  if (!block) {
    atomic_fetch_sub(&memory->used, bytes);
    return NULL;
  }
  size_t peak = atomic_load(&memory->peak);
  while (used > peak && !atomic_compare_exchange_weak(&memory->peak, &peak, used)) {
  }
  return block;
}

static void limited_release(void *user, void *block, size_t bytes) {
  CliMemory *memory = user;
  memory->heap.release(memory->heap.user, block, bytes);
  atomic_fetch_sub(&memory->used, bytes);
}

SupAllocator cli_memory_allocator(CliMemory *memory, size_t limit) {
  *memory = (CliMemory){.heap = sup_heap_allocator(), .limit = limit};
  return (SupAllocator){limited_allocate, limited_release, memory};
}
