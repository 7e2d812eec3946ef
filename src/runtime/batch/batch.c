/* SPDX-License-Identifier: MIT */
/* Batches on the processor: the table, and its memory, which is the caller's. */
#include "runtime/backend_tables.h"
#include "runtime/batch/batch_cpu.h"

BatchSpan sup_batch_span(BatchSpan *io_end, uint32_t count, uint32_t bones, uint32_t vertices,
                         uint32_t weights) {
  BatchSpan span = *io_end;
  span.count = count;
  io_end->first += count;
  io_end->bone += (uint64_t)count * bones;
  io_end->vertex += (uint64_t)count * vertices;
  io_end->weight += (uint64_t)count * weights;
  return span;
}

/* ---- Batches of states --------------------------------------------------------------------------
 */

Batch *sup_batch_open(const SupBackend *backend, const SupBatchDef *def, size_t bytes) {
  SupArena arena;
  sup_arena_init(&arena, def->allocator, 0);
  Batch *b = (Batch *)sup_arena_alloc(&arena, 1, bytes);
  BatchGroup *groups = SUP_ALLOC(&arena, BatchGroup, def->group_count);
  if (!b || !groups) {
    sup_arena_free(&arena);
    return NULL;
  }
  *b = (Batch){.arena = arena, .backend = backend, .jobs = def->jobs, .groups = groups};
  return b;
}

void sup_batch_close(Batch *b) {
  if (!b) return;
  SupArena arena = b->arena;
  sup_arena_free(&arena);
}

BatchGroup *sup_batch_add(Batch *b, uint32_t count, uint32_t bones, uint32_t vertices,
                          uint32_t weights, size_t state_bytes) {
  BatchGroup *group = &b->groups[b->group_count];
  group->span = sup_batch_span(&b->end, count, bones, vertices, weights);
  group->state_bytes = state_bytes;
  group->states = (char *)sup_arena_alloc(&b->arena, count, state_bytes);
  b->group_count++;
  return group->states ? group : NULL;
}

uint32_t sup_batch_group(const Batch *b, uint32_t character) {
  uint32_t g = 0;
  while (g + 1 < b->group_count && character >= b->groups[g + 1].span.first) g++;
  return g;
}

void *sup_batch_state(const Batch *b, uint32_t character) {
  const BatchGroup *group = &b->groups[sup_batch_group(b, character)];
  return group->states + group->state_bytes * (character - group->span.first);
}

void sup_batch_get(const Batch *b, uint32_t character, void *state) {
  sup_copy(state, sup_batch_state(b, character),
           b->groups[sup_batch_group(b, character)].state_bytes);
}

void sup_batch_put(const Batch *b, uint32_t character, const void *state) {
  sup_copy(sup_batch_state(b, character), state,
           b->groups[sup_batch_group(b, character)].state_bytes);
}

/* ---- The table ----------------------------------------------------------------------------------
 */

static void *allocate(const SupAllocator *allocator, size_t bytes) {
  return allocator->allocate(allocator->user, bytes ? bytes : SUP_ALIGNMENT);
}

static void release(const SupAllocator *allocator, void *memory, size_t bytes) {
  if (memory) allocator->release(allocator->user, memory, bytes ? bytes : SUP_ALIGNMENT);
}

static SupResult copy(void *to, const void *from, size_t bytes, SupStream stream, SupError *error) {
  (void)stream;
  (void)error;
  sup_copy(to, from, bytes);
  return SUP_OK;
}

static SupResult wait(SupStream stream, SupError *error) {
  (void)stream;
  (void)error;
  return SUP_OK;
}

static SupStream stream_make(void) { return NULL; }
static void stream_free(SupStream stream) { (void)stream; }

const SupBatchTable sup_batch_cpu = {
    .allocate = allocate,
    .release = release,
    .upload = copy,
    .download = copy,
    .copy = copy,
    .wait = wait,
    .stream_make = stream_make,
    .stream_free = stream_free,
    .surface_make = sup_cpu_surface_make,
    .surface_free = sup_cpu_surface_free,
    .surface_reset = sup_cpu_surface_reset,
    .surface_step = sup_cpu_surface_step,
    .surface_show = sup_cpu_surface_show,
    .surface_get = sup_cpu_surface_get,
    .surface_put = sup_cpu_surface_put,
    .modes_make = sup_cpu_modes_make,
    .modes_free = sup_cpu_modes_free,
    .modes_reset = sup_cpu_modes_reset,
    .modes_step = sup_cpu_modes_step,
    .modes_weights = sup_cpu_modes_weights,
    .modes_get = sup_cpu_modes_get,
    .modes_put = sup_cpu_modes_put,
    .helpers_make = sup_cpu_helpers_make,
    .helpers_free = sup_cpu_helpers_free,
    .helpers_reset = sup_cpu_helpers_reset,
    .helpers_step = sup_cpu_helpers_step,
    .helpers_lods = sup_cpu_helpers_lods,
    .helpers_blend = sup_cpu_helpers_blend,
    .skin_make = sup_cpu_skin_make,
    .skin_free = sup_cpu_skin_free,
    .skin_lbs = sup_cpu_skin_lbs,
};
