/* SPDX-License-Identifier: MIT */
/* A freestanding WebAssembly module on libsupple and libsupple_author, run by house_module.mjs. */
#include "supple/author/character.h"
#include "supple/base.h"

#define EXPORT(name) __attribute__((export_name(name), used))

static unsigned char block[4096];
EXPORT("block") unsigned char *house_block(void);
EXPORT("hash") uint32_t house_hash(uint32_t bytes, uint32_t seed);
EXPORT("move") void house_move(uint32_t to, uint32_t from, uint32_t bytes);

unsigned char *house_block(void) { return block; }

uint32_t house_hash(uint32_t bytes, uint32_t seed) {
  return (uint32_t)sup_hash(block, bytes, seed);
}

void house_move(uint32_t to, uint32_t from, uint32_t bytes) {
  __builtin_memmove(block + to, block + from, bytes);
}
