/* SPDX-License-Identifier: MIT */
/* Batches of surface models on the processor: single states one after the other. */
#include "runtime/batch/batch_cpu.h"
#include "runtime/batch/batch_finite.h"
#include "runtime/batch/batch_kind.h"

struct SupSurfaceBatch {
  Batch batch;
  SupSurfaceView *views;
};

SupResult sup_cpu_surface_make(const SupBackend *backend, const SupBatchDef *def,
                               SupSurfaceBatch **out, SupError *error) {
  const SupResult fits = sup_batch_kind(def, SUP_SURFACE_KIND, "surface", error);
  if (fits) return fits;
  SupSurfaceBatch *b = (SupSurfaceBatch *)sup_batch_open(backend, def, sizeof *b);
  bool room = b && (b->views = SUP_ALLOC(&b->batch.arena, SupSurfaceView, def->group_count));
  for (uint32_t g = 0; room && g < def->group_count; g++) {
    SupSurfaceView *view = &b->views[g];
    *view = sup_surface_view(def->groups[g].model);
    const BatchGroup *group = sup_batch_add(&b->batch, def->groups[g].count, view->skin.bone_count,
                                            view->skin.vertex_count, 0, sup_surface_bytes(view));
    room = group != NULL;
    for (uint32_t k = 0; room && k < group->span.count; k++) {
      sup_surface_init(view, group->states + group->state_bytes * k);
    }
  }
  if (!room) {
    sup_cpu_surface_free(b);
    return sup_fail_memory(error, "a batch");
  }
  *out = b;
  return SUP_OK;
}

void sup_cpu_surface_free(SupSurfaceBatch *b) { sup_batch_close(b ? &b->batch : NULL); }

static SupSurfaceState *state_of(const SupSurfaceBatch *b, uint32_t character) {
  return (SupSurfaceState *)sup_batch_state(&b->batch, character);
}

void sup_cpu_surface_reset(SupSurfaceBatch *b, uint32_t first, uint32_t count, SupStream stream) {
  (void)stream;
  for (uint32_t k = first; k < first + count && k < b->batch.end.first; k++) {
    sup_surface_reset(state_of(b, k));
  }
}

/* ---- A step -------------------------------------------------------------------------------------
 */

typedef struct StepTask {
  const SupSurfaceBatch *batch;
  const SupAffine *palettes;
  SupExternalForces forces;
} StepTask;

/* With a palette that is not finite a character stays as it is. */
static void step_character(const StepTask *task, uint32_t character, const SupJobs *jobs) {
  const SupSurfaceBatch *b = task->batch;
  const uint32_t g = sup_batch_group(&b->batch, character);
  SupSurfaceState *state = state_of(b, character);
  const SupSurfaceView *view = &b->views[g];
  const BatchSpan *span = &b->batch.groups[g].span;
  const SupAffine *palette =
      task->palettes + span->bone + (size_t)(character - span->first) * view->skin.bone_count;
  if (!sup_finite_all(palette, 12 * (size_t)view->skin.bone_count)) return;
  const bool turned = sup_surface_wants_normals(view->flags);
  const SupSkinCall call = {.skin = &view->skin,
                            .palette = palette,
                            .positions = {sup_surface_next_goal(state), 0},
                            .normals = {turned ? sup_surface_next_normals(state) : NULL, 0}};
  sup_skin_lbs(b->batch.backend, jobs, &call);
  sup_surface_step(view, state, b->batch.backend, jobs, palette, &task->forces);
}

static void step_range(void *context, SupRange range) {
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    step_character((const StepTask *)context, k, NULL);
  }
}

void sup_cpu_surface_step(SupSurfaceBatch *b, const SupAffine *palettes,
                          const SupBatchForces *forces, SupStream stream) {
  (void)stream;
  StepTask task = {.batch = b, .palettes = palettes};
  forces = sup_batch_forces(forces);
  if (forces) {
    task.forces = (SupExternalForces){.acceleration = forces->acceleration,
                                      .wind = forces->wind,
                                      .wind_drag = forces->wind_drag,
                                      .feed_forward = forces->feed_forward,
                                      .collider_count = forces->collider_count,
                                      .colliders = forces->colliders};
  }
  if (b->batch.end.first == 1) {
    step_character(&task, 0, b->batch.jobs);
  } else {
    sup_parallel_for(b->batch.jobs, b->batch.end.first, 1, step_range, &task);
  }
}

/* ---- What is shown ------------------------------------------------------------------------------
 */

static const float *shown_of(const SupSurfaceState *state, uint32_t lane) {
  return (const float *)(const void *)((const char *)state + state->records) + 8 * (size_t)lane;
}

static SupVec3 difference(const float *a, const float *b) {
  return (SupVec3){a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/* Of the triangles around a lane, weighted by area. */
static SupVec3 normal_of(const SupSurfaceView *view, const SupSurfaceState *state, uint32_t lane) {
  const uint32_t *first = view->one_ring_first + lane / SUP_SKIN_BLOCK;
  const float *own = shown_of(state, lane);
  SupVec3 sum = {0, 0, 0};
  for (uint32_t s = first[0]; s < first[1]; s++) {
    const uint32_t *one_ring =
        view->one_rings + (size_t)(2 * SUP_SKIN_BLOCK) * s + lane % SUP_SKIN_BLOCK;
    sum = sup_vec3_add(sum,
                       sup_vec3_cross(difference(shown_of(state, one_ring[0]), own),
                                      difference(shown_of(state, one_ring[SUP_SKIN_BLOCK]), own)));
  }
  return sup_vec3_normalise(sum);
}

static void show_character(const SupSurfaceBatch *b, uint32_t character, SupBatchOutput positions,
                           SupBatchOutput normals) {
  const uint32_t g = sup_batch_group(&b->batch, character);
  const SupSurfaceView *view = &b->views[g];
  const SupSurfaceState *state = state_of(b, character);
  const BatchSpan *span = &b->batch.groups[g].span;
  const uint64_t first =
      span->vertex + (uint64_t)(character - span->first) * view->skin.vertex_count;
  for (uint32_t v = 0; v < view->skin.vertex_count; v++) {
    const uint32_t lane = view->lanes[v];
    if (positions.data) {
      sup_copy(positions.data + (first + v) * positions.stride, shown_of(state, lane),
               3 * sizeof(float));
    }
    if (normals.data) {
      const SupVec3 n = normal_of(view, state, lane);
      sup_copy(normals.data + (first + v) * normals.stride, &n, sizeof n);
    }
  }
}

void sup_cpu_surface_show(SupSurfaceBatch *b, SupBatchOutput positions, SupBatchOutput normals,
                          SupStream stream) {
  (void)stream;
  for (uint32_t k = 0; k < b->batch.end.first; k++) show_character(b, k, positions, normals);
}

/* ---- Single states ------------------------------------------------------------------------------
 */

SupResult sup_cpu_surface_get(SupSurfaceBatch *b, uint32_t character, SupSurfaceState *io_state,
                              SupStream stream, SupError *error) {
  (void)stream;
  (void)error;
  sup_batch_get(&b->batch, character, io_state);
  return SUP_OK;
}

SupResult sup_cpu_surface_put(SupSurfaceBatch *b, uint32_t character, const SupSurfaceState *state,
                              const SupAffine *palettes, SupStream stream, SupError *error) {
  (void)palettes;
  (void)stream;
  (void)error;
  sup_batch_put(&b->batch, character, state);
  return SUP_OK;
}
