/* SPDX-License-Identifier: MIT */
/* The rows of the built-in characters: mochi and the cat at their smallest, shape, weights and all
 * clips. */
#include "hash_rows.h"
#include "supple/author/builtin.h"

/* Where the character is made; there is no C library to ask. */
static _Alignas(SUP_ALIGNMENT) unsigned char pool[64 << 20];
static size_t pool_used;

static void *pool_allocate(void *user, size_t bytes) {
  (void)user;
  size_t rounded = (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  if (rounded > sizeof pool - pool_used) return NULL;
  unsigned char *block = &pool[pool_used];
  pool_used += rounded;
  return block;
}

static void pool_release(void *user, void *block, size_t bytes) {
  (void)user;
  (void)block;
  (void)bytes;
}

static uint64_t hash_character(const SupCharacter *c) {
  const SupMesh *body = &c->body;
  uint64_t hash = sup_hash(body->positions, body->vertex_count * sizeof(SupVec3), 0);
  hash = sup_hash(body->triangles, 3 * body->triangle_count * sizeof(uint32_t), hash);
  uint32_t influences = c->skin.offsets[body->vertex_count];
  hash = sup_hash(c->skin.bones, influences * sizeof(uint32_t), hash);
  hash = sup_hash(c->skin.weights, influences * sizeof(float), hash);
  hash = sup_hash(c->render.normals, c->render.vertex_count * sizeof(SupVec3), hash);
  for (uint32_t k = 0; k < c->clip_count; k++) {
    for (uint32_t t = 0; t < c->clips[k].track_count; t++) {
      const SupTrack *track = &c->clips[k].tracks[t];
      hash = sup_hash(track->values, track->key_count * track->width * sizeof(float), hash);
    }
  }
  return hash;
}

static uint64_t hash_smallest(const char *name) {
  SupArena arena;
  SupCharacter character;
  SupBuiltinDef def = {name, SUP_BUILTIN_VERTICES_MIN, NULL};
  pool_used = 0;
  sup_arena_init(&arena, (SupAllocator){pool_allocate, pool_release, NULL}, 0);
  if (sup_builtin_character(&arena, &def, &character, NULL) != SUP_OK) return 0;
  return hash_character(&character);
}

/* No backend takes part, so each is made once. */
uint64_t hash_builtin(const SupBackend *backend) {
  (void)backend;
  static uint64_t hash;
  if (!hash) hash = hash_smallest("mochi");
  return hash;
}

uint64_t hash_builtin_cat(const SupBackend *backend) {
  (void)backend;
  static uint64_t hash;
  if (!hash) hash = hash_smallest("cat");
  return hash;
}
