/* SPDX-License-Identifier: MIT */
/* Batches of surface models on the processor: single states one after the other. */
#include "runtime/batch_cpu.h"

typedef struct Group {
  SupSurfaceView view;
  BatchSpan span;
  char *states; /* state_bytes each */
  size_t state_bytes;
} Group;

struct SupSurfaceBatch {
  SupArena arena; /* holds the batch itself */
  const SupBackend *backend;
  const SupJobs *jobs;
  uint32_t group_count, character_count;
  Group *groups;
};

static const Group *group_of(const SupSurfaceBatch *b, uint32_t character) {
  uint32_t g = 0;
  while (g + 1 < b->group_count && character >= b->groups[g + 1].span.first) g++;
  return &b->groups[g];
}

static SupSurfaceState *state_of(const Group *group, uint32_t character) {
  return (SupSurfaceState *)(void *)(group->states +
                                     group->state_bytes * (character - group->span.first));
}

SupResult sup_cpu_surface_make(const SupBackend *backend, const SupBatchDef *def,
                               SupSurfaceBatch **out, SupError *error) {
  SupArena arena;
  sup_arena_init(&arena, def->allocator, 0);
  SupSurfaceBatch *b = SUP_ALLOC(&arena, SupSurfaceBatch, 1);
  Group *groups = SUP_ALLOC(&arena, Group, def->group_count);
  bool room = b && groups;
  BatchSpan end = {0};
  for (uint32_t g = 0; room && g < def->group_count; g++) {
    Group *group = &groups[g];
    group->view = sup_surface_view(def->groups[g].model);
    const SupSkinView *skin = &group->view.skin;
    group->span =
        sup_batch_span(&end, def->groups[g].count, skin->bone_count, skin->vertex_count, 0);
    group->state_bytes = sup_surface_bytes(&group->view);
    group->states = (char *)sup_arena_alloc(&arena, group->span.count, group->state_bytes);
    room = group->states != NULL;
    for (uint32_t k = 0; room && k < group->span.count; k++) {
      sup_surface_init(&group->view, group->states + group->state_bytes * k);
    }
  }
  if (!room) {
    sup_arena_free(&arena);
    return sup_batch_no_memory(error);
  }
  *b = (SupSurfaceBatch){arena, backend, def->jobs, def->group_count, end.first, groups};
  *out = b;
  return SUP_OK;
}

void sup_cpu_surface_free(SupSurfaceBatch *b) {
  if (!b) return;
  SupArena arena = b->arena;
  sup_arena_free(&arena);
}

void sup_cpu_surface_reset(SupSurfaceBatch *b, uint32_t first, uint32_t count, SupStream stream) {
  (void)stream;
  for (uint32_t k = first; k < first + count && k < b->character_count; k++) {
    sup_surface_reset(state_of(group_of(b, k), k));
  }
}

/* ---- A step -------------------------------------------------------------------------------------
 */

typedef struct StepTask {
  const SupSurfaceBatch *batch;
  const SupAffine *palettes;
  SupSurfaceForces forces;
} StepTask;

static void step_character(const StepTask *task, uint32_t character, const SupJobs *jobs) {
  const SupSurfaceBatch *b = task->batch;
  const Group *group = group_of(b, character);
  SupSurfaceState *state = state_of(group, character);
  const SupSurfaceView *view = &group->view;
  const SupAffine *palette = task->palettes + group->span.bone +
                             (size_t)(character - group->span.first) * view->skin.bone_count;
  const bool turned = sup_surface_wants_normals(view->flags);
  const SupSkinCall call = {.skin = &view->skin,
                            .palette = palette,
                            .positions = {sup_surface_next_goal(state), 0},
                            .normals = {turned ? sup_surface_next_normals(state) : NULL, 0}};
  sup_skin_lbs(b->backend, jobs, &call);
  sup_surface_step(view, state, b->backend, jobs, palette, &task->forces);
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
  if (forces) {
    task.forces = (SupSurfaceForces){.acceleration = forces->acceleration,
                                     .wind = forces->wind,
                                     .wind_drag = forces->wind_drag,
                                     .feed_forward = forces->feed_forward,
                                     .collider_count = forces->collider_count,
                                     .colliders = forces->colliders};
  }
  if (b->character_count == 1) {
    step_character(&task, 0, b->jobs);
  } else {
    sup_parallel_for(b->jobs, b->character_count, 1, step_range, &task);
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
  const uint32_t *first = view->fan_first + lane / SUP_SKIN_BLOCK;
  const float *own = shown_of(state, lane);
  SupVec3 sum = {0, 0, 0};
  for (uint32_t s = first[0]; s < first[1]; s++) {
    const uint32_t *fan = view->fans + (size_t)(2 * SUP_SKIN_BLOCK) * s + lane % SUP_SKIN_BLOCK;
    sum = sup_vec3_add(sum, sup_vec3_cross(difference(shown_of(state, fan[0]), own),
                                           difference(shown_of(state, fan[SUP_SKIN_BLOCK]), own)));
  }
  return sup_vec3_normalise(sum);
}

static void show_character(const Group *group, uint32_t k, SupBatchOutput positions,
                           SupBatchOutput normals) {
  const SupSurfaceView *view = &group->view;
  const SupSurfaceState *state = state_of(group, group->span.first + k);
  const uint64_t first = group->span.vertex + (uint64_t)k * view->skin.vertex_count;
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
  for (uint32_t g = 0; g < b->group_count; g++) {
    for (uint32_t k = 0; k < b->groups[g].span.count; k++) {
      show_character(&b->groups[g], k, positions, normals);
    }
  }
}

/* ---- Single states ------------------------------------------------------------------------------
 */

SupResult sup_cpu_surface_get(SupSurfaceBatch *b, uint32_t character, SupSurfaceState *io_state,
                              SupStream stream, SupError *error) {
  (void)stream;
  (void)error;
  const Group *group = group_of(b, character);
  sup_copy(io_state, state_of(group, character), group->state_bytes);
  return SUP_OK;
}

SupResult sup_cpu_surface_put(SupSurfaceBatch *b, uint32_t character, const SupSurfaceState *state,
                              const SupAffine *palettes, SupStream stream, SupError *error) {
  (void)palettes;
  (void)stream;
  (void)error;
  const Group *group = group_of(b, character);
  sup_copy(state_of(group, character), state, group->state_bytes);
  return SUP_OK;
}
