/* SPDX-License-Identifier: MIT */
/*
 * Memory of the module: blocks from the end of its data on, a list of free ones in rising order,
 * neighbours joined. Few and large blocks (arenas, arrays from JavaScript), so first fit does.
 */
#include "module.h"

#define PAGE 65536u
#define HEAD SUP_ALIGNMENT /* in front of every block, so that it stays aligned */

typedef struct Block {
  uint32_t bytes; /* with its head, a multiple of SUP_ALIGNMENT */
  struct Block *next;
} Block;

extern unsigned char __heap_base; /* set by the linker */

SupError web_last_error;

static Block *free_blocks;
static uintptr_t top; /* end of what was handed out of the memory so far */

static void join(Block *a) {
  if (a->next && (uintptr_t)a + a->bytes == (uintptr_t)a->next) {
    a->bytes += a->next->bytes;
    a->next = a->next->next;
  }
}

static void give_back(Block *block) {
  Block **link = &free_blocks;
  Block *before = NULL;
  while (*link && *link < block) {
    before = *link;
    link = &(*link)->next;
  }
  block->next = *link;
  *link = block;
  join(block);
  if (before) join(before);
}

/* New memory at the end, at least so much. */
static bool grow(uint32_t bytes) {
  if (!top) top = ((uintptr_t)&__heap_base + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  const uint64_t end = (uint64_t)top + bytes;
  const uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
  if (end > 0xffff0000u) return false;
  if (end > have) {
    const size_t pages = (size_t)((end - have + PAGE - 1) / PAGE);
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return false;
  }
  Block *block = (Block *)top;
  block->bytes = bytes;
  top += bytes;
  give_back(block);
  return true;
}

static Block *take(uint32_t bytes) {
  for (Block **link = &free_blocks; *link; link = &(*link)->next) {
    Block *block = *link;
    if (block->bytes < bytes) continue;
    if (block->bytes >= bytes + 2 * HEAD) {
      Block *rest = (Block *)((uintptr_t)block + bytes);
      rest->bytes = block->bytes - bytes;
      rest->next = block->next;
      block->bytes = bytes;
      *link = rest;
    } else {
      *link = block->next;
    }
    return block;
  }
  return NULL;
}

void *web_allocate(uint32_t bytes) {
  if (bytes > 0xf0000000u) return NULL;
  const uint32_t whole = (bytes + HEAD + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  Block *block = take(whole);
  if (!block && grow(whole)) block = take(whole);
  return block ? (unsigned char *)block + HEAD : NULL;
}

void web_release(void *block) {
  if (block) give_back((Block *)((uintptr_t)block - HEAD));
}

static void *allocate(void *user, size_t bytes) {
  (void)user;
  return web_allocate((uint32_t)bytes);
}

static void release(void *user, void *block, size_t bytes) {
  (void)user;
  (void)bytes;
  web_release(block);
}

SupAllocator web_allocator(void) { return (SupAllocator){allocate, release, NULL}; }

const char *web_error(void) { return web_last_error.text; }

uint64_t web_hash(const void *block, uint32_t bytes, uint64_t seed) {
  return sup_hash(block, bytes, seed);
}
