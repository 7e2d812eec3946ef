/* SPDX-License-Identifier: MIT */
/* Batches on the processor: the table, and its memory, which is the caller's. */
#include "runtime/backend_tables.h"
#include "runtime/batch_cpu.h"

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

SupResult sup_batch_no_memory(SupError *error) {
  return sup_fail(error, SUP_ERROR_MEMORY, "no memory for a batch");
}

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
    .skin_make = sup_cpu_skin_make,
    .skin_free = sup_cpu_skin_free,
    .skin_lbs = sup_cpu_skin_lbs,
};
