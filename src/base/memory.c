/* SPDX-License-Identifier: MIT */
/* Plain memory and string functions, and the arena. */
#include "supple/base.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *sup_version(void) {
  return TEXT(SUP_VERSION_MAJOR) "." TEXT(SUP_VERSION_MINOR) "." TEXT(SUP_VERSION_PATCH);
}

/* GCC and Clang turn these loops into calls of memcpy and memset, also in freestanding code, and
 * expect the environment to have them; the WebAssembly build brings its own (wasm.c). */
void *sup_copy(void *to, const void *from, size_t bytes) {
  unsigned char *target = (unsigned char *)to;
  const unsigned char *source = (const unsigned char *)from;
  for (size_t i = 0; i < bytes; i++) target[i] = source[i];
  return to;
}

void sup_zero(void *block, size_t bytes) {
  unsigned char *target = (unsigned char *)block;
  for (size_t i = 0; i < bytes; i++) target[i] = 0;
}

size_t sup_string_length(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  return length;
}

bool sup_string_equal(const char *a, const char *b) {
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return *a == *b;
}

/* ---- Arena ---------------------------------------------------------------------------------- */

/* Sits at the start of every chunk; the first item follows at SUP_ALIGNMENT. */
typedef struct SupArenaChunk {
  struct SupArenaChunk *next;
  size_t bytes; /* of the whole chunk, header included */
  size_t used;  /* header included */
} SupArenaChunk;

/* Large enough that small jobs need one chunk, small enough to be free of charge. */
#define SUP_ARENA_CHUNK ((size_t)1 << 16)

static size_t round_up(size_t bytes) {
  return (bytes + SUP_ALIGNMENT - 1) & ~(size_t)(SUP_ALIGNMENT - 1);
}

void sup_arena_init(SupArena *arena, SupAllocator allocator, size_t limit) {
  *arena = (SupArena){.allocator = allocator, .limit = limit};
}

void sup_arena_free(SupArena *arena) {
  SupArenaChunk *chunk = arena->chunks;
  while (chunk) {
    SupArenaChunk *next = chunk->next;
    arena->allocator.release(arena->allocator.user, chunk, chunk->bytes);
    chunk = next;
  }
  arena->chunks = NULL;
  arena->used = 0;
  arena->reserved = 0;
}

/* A chunk with room for `bytes`; chunks double until 64 MiB so that large jobs need few. */
static SupArenaChunk *arena_grow(SupArena *arena, size_t bytes) {
  size_t least = bytes + SUP_ALIGNMENT;
  size_t wanted = arena->reserved < SUP_ARENA_CHUNK ? SUP_ARENA_CHUNK : arena->reserved;
  if (wanted > ((size_t)1 << 26)) wanted = (size_t)1 << 26;
  if (wanted < least) wanted = least;
  if (arena->limit) {
    if (arena->reserved >= arena->limit || arena->limit - arena->reserved < least) return NULL;
    if (wanted > arena->limit - arena->reserved) wanted = arena->limit - arena->reserved;
  }
  SupArenaChunk *chunk = (SupArenaChunk *)arena->allocator.allocate(arena->allocator.user, wanted);
  if (!chunk) return NULL;
  chunk->bytes = wanted;
  chunk->used = SUP_ALIGNMENT;
  arena->reserved += wanted;
  /* A chunk made for one large item goes behind the current one, whose rest is still useful. */
  SupArenaChunk *current = arena->chunks;
  if (current && wanted == least) {
    chunk->next = current->next;
    current->next = chunk;
  } else {
    chunk->next = current;
    arena->chunks = chunk;
  }
  return chunk;
}

void *sup_arena_alloc(SupArena *arena, size_t count, size_t item_bytes) {
  if (item_bytes && count > (SIZE_MAX / 2) / item_bytes) return NULL;
  size_t bytes = round_up(count * item_bytes);
  if (bytes == 0) bytes = SUP_ALIGNMENT;
  SupArenaChunk *chunk = arena->chunks;
  if (!chunk || chunk->bytes - chunk->used < bytes) {
    chunk = arena_grow(arena, bytes);
    if (!chunk) return NULL;
  }
  void *items = (char *)chunk + chunk->used;
  chunk->used += bytes;
  arena->used += bytes;
  sup_zero(items, bytes);
  return items;
}

void *sup_arena_copy(SupArena *arena, const void *items, size_t count, size_t item_bytes) {
  void *copy = sup_arena_alloc(arena, count, item_bytes);
  if (copy && count) sup_copy(copy, items, count * item_bytes);
  return copy;
}

char *sup_arena_string(SupArena *arena, const char *text, size_t length) {
  char *copy = length < SIZE_MAX ? SUP_ALLOC(arena, char, length + 1) : NULL;
  if (copy) sup_copy(copy, text, length);
  return copy;
}
