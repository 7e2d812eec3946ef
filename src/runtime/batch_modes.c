/* SPDX-License-Identifier: MIT */
/* Batches of modes models on the processor: single states one after the other. */
#include "runtime/batch_cpu.h"

#define CHARACTERS_PER_TASK 16

typedef struct Group {
  SupModesView view;
  BatchSpan span;
  char *states; /* state_bytes each */
  size_t state_bytes;
} Group;

struct SupModesBatch {
  SupArena arena; /* holds the batch itself */
  const SupBackend *backend;
  const SupJobs *jobs;
  uint32_t group_count, character_count;
  Group *groups;
};

static const Group *group_of(const SupModesBatch *b, uint32_t character) {
  uint32_t g = 0;
  while (g + 1 < b->group_count && character >= b->groups[g + 1].span.first) g++;
  return &b->groups[g];
}

static SupModesState *state_of(const Group *group, uint32_t character) {
  return (SupModesState *)(void *)(group->states +
                                   group->state_bytes * (character - group->span.first));
}

SupResult sup_cpu_modes_make(const SupBackend *backend, const SupBatchDef *def, SupModesBatch **out,
                             SupError *error) {
  SupArena arena;
  sup_arena_init(&arena, def->allocator, 0);
  SupModesBatch *b = SUP_ALLOC(&arena, SupModesBatch, 1);
  Group *groups = SUP_ALLOC(&arena, Group, def->group_count);
  bool room = b && groups;
  BatchSpan end = {0};
  for (uint32_t g = 0; room && g < def->group_count; g++) {
    Group *group = &groups[g];
    group->view = sup_modes_view(def->groups[g].model);
    group->span = sup_batch_span(&end, def->groups[g].count, group->view.skin.bone_count, 0,
                                 group->view.mode_count);
    group->state_bytes = sup_modes_bytes(&group->view);
    group->states = (char *)sup_arena_alloc(&arena, group->span.count, group->state_bytes);
    room = group->states != NULL;
    for (uint32_t k = 0; room && k < group->span.count; k++) {
      sup_modes_init(&group->view, group->states + group->state_bytes * k);
    }
  }
  if (!room) {
    sup_arena_free(&arena);
    return sup_batch_no_memory(error);
  }
  *b = (SupModesBatch){arena, backend, def->jobs, def->group_count, end.first, groups};
  *out = b;
  return SUP_OK;
}

void sup_cpu_modes_free(SupModesBatch *b) {
  if (!b) return;
  SupArena arena = b->arena;
  sup_arena_free(&arena);
}

void sup_cpu_modes_reset(SupModesBatch *b, uint32_t first, uint32_t count, SupStream stream) {
  (void)stream;
  for (uint32_t k = first; k < first + count && k < b->character_count; k++) {
    sup_modes_reset(state_of(group_of(b, k), k));
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
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    const Group *group = group_of(task->batch, k);
    const SupAffine *palette = task->palettes + group->span.bone +
                               (size_t)(k - group->span.first) * group->view.skin.bone_count;
    sup_modes_step(&group->view, state_of(group, k), task->batch->backend, task->dt, palette,
                   &task->forces);
  }
}

void sup_cpu_modes_step(SupModesBatch *b, float dt, const SupAffine *palettes, SupVec3 gravity,
                        SupStream stream) {
  (void)stream;
  if (!(dt > 0)) return;
  StepTask task = {b, palettes, {.gravity = gravity}, dt};
  sup_parallel_for(b->jobs, b->character_count, CHARACTERS_PER_TASK, step_range, &task);
}

void sup_cpu_modes_weights(SupModesBatch *b, float level, float fade, float *weights,
                           SupStream stream) {
  (void)stream;
  for (uint32_t k = 0; k < b->character_count; k++) {
    const Group *group = group_of(b, k);
    sup_modes_weights(
        &group->view, state_of(group, k), level, fade,
        weights + group->span.weight + (size_t)(k - group->span.first) * group->view.mode_count);
  }
}

SupResult sup_cpu_modes_get(SupModesBatch *b, uint32_t character, SupModesState *io_state,
                            SupStream stream, SupError *error) {
  (void)stream;
  (void)error;
  const Group *group = group_of(b, character);
  sup_copy(io_state, state_of(group, character), group->state_bytes);
  return SUP_OK;
}

SupResult sup_cpu_modes_put(SupModesBatch *b, uint32_t character, const SupModesState *state,
                            SupStream stream, SupError *error) {
  (void)stream;
  (void)error;
  const Group *group = group_of(b, character);
  sup_copy(state_of(group, character), state, group->state_bytes);
  return SUP_OK;
}
