/* SPDX-License-Identifier: MIT */
/* Batches of modes models on the processor: single states one after the other. */
#include "runtime/batch/batch_cpu.h"
#include "runtime/batch/batch_finite.h"
#include "runtime/batch/batch_kind.h"

#define CHARACTERS_PER_TASK 16

struct SupModesBatch {
  Batch batch;
  SupModesView *views;
};

SupResult sup_cpu_modes_make(const SupBackend *backend, const SupBatchDef *def, SupModesBatch **out,
                             SupError *error) {
  const SupResult fits = sup_batch_kind(def, SUP_MODES_KIND, "modes", error);
  if (fits) return fits;
  SupModesBatch *b = (SupModesBatch *)sup_batch_open(backend, def, sizeof *b);
  bool room = b && (b->views = SUP_ALLOC(&b->batch.arena, SupModesView, def->group_count));
  for (uint32_t g = 0; room && g < def->group_count; g++) {
    SupModesView *view = &b->views[g];
    *view = sup_modes_view(def->groups[g].model);
    const BatchGroup *group = sup_batch_add(&b->batch, def->groups[g].count, view->skin.bone_count,
                                            0, view->mode_count, sup_modes_bytes(view));
    room = group != NULL;
    for (uint32_t k = 0; room && k < group->span.count; k++) {
      sup_modes_init(view, group->states + group->state_bytes * k);
    }
  }
  if (!room) {
    sup_cpu_modes_free(b);
    return sup_fail_memory(error, "a batch");
  }
  *out = b;
  return SUP_OK;
}

void sup_cpu_modes_free(SupModesBatch *b) { sup_batch_close(b ? &b->batch : NULL); }

void sup_cpu_modes_reset(SupModesBatch *b, uint32_t first, uint32_t count, SupStream stream) {
  (void)stream;
  for (uint32_t k = first; k < first + count && k < b->batch.end.first; k++) {
    sup_modes_reset((SupModesState *)sup_batch_state(&b->batch, k));
  }
}

typedef struct StepTask {
  const SupModesBatch *batch;
  const SupAffine *palettes;
  SupModesForces forces;
  float dt;
} StepTask;

static void step_range(void *context, SupRange range) {
  const StepTask *task = (const StepTask *)context;
  const Batch *b = &task->batch->batch;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    const uint32_t g = sup_batch_group(b, k);
    const SupModesView *view = &task->batch->views[g];
    const BatchSpan *span = &b->groups[g].span;
    const SupAffine *palette =
        task->palettes + span->bone + (size_t)(k - span->first) * view->skin.bone_count;
    sup_modes_step(view, (SupModesState *)sup_batch_state(b, k), b->backend, task->dt, palette,
                   &task->forces);
  }
}

void sup_cpu_modes_step(SupModesBatch *b, float dt, const SupAffine *palettes, SupVec3 gravity,
                        SupStream stream) {
  (void)stream;
  if (!sup_batch_seconds(dt)) return;
  StepTask task = {b, palettes, {.gravity = sup_batch_gravity(gravity)}, dt};
  sup_parallel_for(b->batch.jobs, b->batch.end.first, CHARACTERS_PER_TASK, step_range, &task);
}

void sup_cpu_modes_weights(SupModesBatch *b, float lod, float fade, float *weights,
                           SupStream stream) {
  (void)stream;
  for (uint32_t k = 0; k < b->batch.end.first; k++) {
    const uint32_t g = sup_batch_group(&b->batch, k);
    const BatchSpan *span = &b->batch.groups[g].span;
    sup_modes_weights(&b->views[g], (const SupModesState *)sup_batch_state(&b->batch, k), lod, fade,
                      weights + span->weight + (size_t)(k - span->first) * b->views[g].mode_count);
  }
}

SupResult sup_cpu_modes_get(SupModesBatch *b, uint32_t character, SupModesState *io_state,
                            SupStream stream, SupError *error) {
  (void)stream;
  (void)error;
  sup_batch_get(&b->batch, character, io_state);
  return SUP_OK;
}

SupResult sup_cpu_modes_put(SupModesBatch *b, uint32_t character, const SupModesState *state,
                            SupStream stream, SupError *error) {
  (void)stream;
  (void)error;
  sup_batch_put(&b->batch, character, state);
  return SUP_OK;
}
