/* SPDX-License-Identifier: MIT */
/* Batches of helpers models on the processor: single states one after the other. */
#include "runtime/batch/batch_cpu.h"
#include "runtime/batch/batch_finite.h"
#include "runtime/batch/batch_kind.h"
#include "runtime/helpers/helpers_materials.h"
#include "runtime/helpers/helpers_parts.h"

#define CHARACTERS_PER_TASK 64

/* Of several materials, all characters of a group have one blend: what they are stepped with looks
 * like a model of one material whose matrices are the batch's. */
typedef struct Crew {
  SupHelpersView model, stepped;
  float *matrices; /* of several materials, or NULL */
} Crew;

struct SupHelpersCrowd {
  Batch batch;
  Crew *crews;   /* by group */
  uint8_t *lods; /* of all characters */
};

static bool open_crew(SupArena *arena, const SupModel *model, Crew *out) {
  *out = (Crew){.model = sup_helpers_view(model), .stepped = sup_helpers_view(model)};
  if (out->model.material_count == 0) return true;
  const size_t count = sup_helpers_matrix_count(&out->model);
  out->matrices = SUP_COPY(arena, float, out->model.matrices, count);
  out->stepped.matrices = out->matrices;
  out->stepped.material_count = 0;
  return out->matrices != NULL;
}

SupResult sup_cpu_helpers_make(const SupBackend *backend, const SupBatchDef *def,
                               SupHelpersCrowd **out, SupError *error) {
  const SupResult fits = sup_batch_kind(def, SUP_HELPERS_KIND, "helpers", error);
  if (fits) return fits;
  SupHelpersCrowd *b = (SupHelpersCrowd *)sup_batch_open(backend, def, sizeof *b);
  bool room = b && (b->crews = SUP_ALLOC(&b->batch.arena, Crew, def->group_count));
  for (uint32_t g = 0; room && g < def->group_count; g++) {
    const SupHelpersView *view = &b->crews[g].stepped;
    room = open_crew(&b->batch.arena, def->groups[g].model, &b->crews[g]);
    const BatchGroup *group = room ? sup_batch_add(&b->batch, def->groups[g].count,
                                                   view->joint_count, 0, 0, sup_helpers_bytes(view))
                                   : NULL;
    room = group != NULL;
    for (uint32_t k = 0; room && k < group->span.count; k++) {
      sup_helpers_init(view, group->states + group->state_bytes * k);
    }
  }
  if (room) room = (b->lods = SUP_ALLOC(&b->batch.arena, uint8_t, b->batch.end.first)) != NULL;
  for (uint32_t k = 0; room && k < b->batch.end.first; k++) b->lods[k] = SUP_HELPERS_FULL;
  if (!room) {
    sup_cpu_helpers_free(b);
    return sup_fail_memory(error, "a batch");
  }
  *out = b;
  return SUP_OK;
}

void sup_cpu_helpers_free(SupHelpersCrowd *b) { sup_batch_close(b ? &b->batch : NULL); }

void sup_cpu_helpers_reset(SupHelpersCrowd *b, uint32_t first, uint32_t count, SupStream stream) {
  (void)stream;
  for (uint32_t k = first; k < first + count && k < b->batch.end.first; k++) {
    sup_helpers_reset((SupHelpersState *)sup_batch_state(&b->batch, k));
  }
}

void sup_cpu_helpers_lods(SupHelpersCrowd *b, uint32_t first, uint32_t count, const uint8_t *lods,
                          SupStream stream) {
  (void)stream;
  for (uint32_t k = 0; k < count && first + k < b->batch.end.first; k++) {
    b->lods[first + k] = lods[k];
  }
}

SupResult sup_cpu_helpers_blend(SupHelpersCrowd *b, uint32_t group, const float *fractions,
                                SupStream stream, SupError *error) {
  (void)stream;
  const Crew *crew = &b->crews[group];
  const SupResult result =
      sup_helpers_mix(&b->batch.arena, &crew->model, fractions, crew->matrices, error);
  if (result != SUP_OK) return result;
  const BatchGroup *g = &b->batch.groups[group];
  for (uint32_t k = 0; k < g->span.count; k++) {
    sup_helpers_limit(&crew->stepped, crew->matrices,
                      (SupHelpersState *)(void *)(g->states + g->state_bytes * k));
  }
  return SUP_OK;
}

typedef struct StepTask {
  const SupHelpersCrowd *crowd;
  SupHelpersControls controls;
  const SupAffine *globals;
  SupTransform *joints;
} StepTask;

static void step_range(void *context, SupRange range) {
  const StepTask *task = (const StepTask *)context;
  const Batch *b = &task->crowd->batch;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    const uint32_t g = sup_batch_group(b, k);
    const SupHelpersView *view = &task->crowd->crews[g].stepped;
    const BatchSpan *span = &b->groups[g].span;
    const uint64_t first = span->bone + (uint64_t)(k - span->first) * view->joint_count;
    SupTransform *joints = task->joints + first;
    SupHelpersControls controls = task->controls;
    const uint8_t lod = task->crowd->lods[k];
    if (lod < controls.lod) controls.lod = (SupHelpersLod)lod;
    const SupPose pose = {view->joint_count, sup_transform_identity(), joints};
    if (!sup_helpers_reads_finite(view, &pose, task->globals + first)) {
      sup_helpers_hold(view, (SupHelpersState *)sup_batch_state(b, k), joints);
      continue;
    }
    sup_helpers_step(view, (SupHelpersState *)sup_batch_state(b, k), b->backend, &controls, &pose,
                     task->globals + first, joints);
  }
}

void sup_cpu_helpers_step(SupHelpersCrowd *b, const SupHelpersControls *controls,
                          const SupAffine *globals, SupTransform *io_joints, SupStream stream) {
  (void)stream;
  StepTask task = {b, *controls, globals, io_joints};
  task.controls.exaggerations = NULL;
  task.controls.gravity = sup_batch_gravity(controls->gravity);
  sup_parallel_for(b->batch.jobs, b->batch.end.first, CHARACTERS_PER_TASK, step_range, &task);
}
