/* SPDX-License-Identifier: MIT */
/* The table of hashes, and the rows of src/base. */
#include "hash_rows.h"

void hash_fill(uint64_t seed, float *out, uint32_t count) {
  SupRng rng = sup_rng(seed, 1);
  for (uint32_t i = 0; i < count; i++) out[i] = 40 * sup_rng_float(&rng) - 20;
}

void hash_fill_any(uint64_t seed, float *out, uint32_t count) {
  SupRng rng = sup_rng(seed, 2);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t bits = sup_rng_u32(&rng);
    sup_copy(&out[i], &bits, sizeof bits);
  }
}

static _Alignas(SUP_ALIGNMENT) unsigned char heap[16 << 20];
static size_t heap_used;

static void *take(void *user, size_t bytes) {
  (void)user;
  size_t at = heap_used;
  heap_used += (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  return heap_used <= sizeof heap ? heap + at : NULL;
}

static void give_back(void *user, void *block, size_t bytes) {
  (void)user;
  (void)block;
  (void)bytes;
}

SupArena hash_arena(void) {
  SupArena arena;
  heap_used = 0;
  sup_arena_init(&arena, (SupAllocator){take, give_back, NULL}, 0);
  return arena;
}

uint64_t hash_rng(const SupBackend *backend) {
  (void)backend;
  struct {
    uint32_t integer, below;
    float f;
    uint32_t padding;
    double d;
  } draws[256];
  SupRng rng = sup_rng(1, 2);
  for (int i = 0; i < 256; i++) {
    draws[i].integer = sup_rng_u32(&rng);
    draws[i].below = sup_rng_below(&rng, 1000003);
    draws[i].f = sup_rng_float(&rng);
    draws[i].padding = 0;
    draws[i].d = sup_rng_double(&rng);
  }
  return sup_hash(draws, sizeof draws, 0);
}

const HashRow hash_rows[] = {
#define ROW(name) {#name, hash_##name},
    HASH_ROWS(ROW)
#undef ROW
};
const uint32_t hash_row_count = sizeof hash_rows / sizeof hash_rows[0];
