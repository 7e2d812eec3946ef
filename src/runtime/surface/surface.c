/* SPDX-License-Identifier: MIT */
/* The surface technique's state: layout, one step with everything that acts on it, showing it. */
#include "supple/surface.h"

#include "runtime/surface/surface_kernel.h"

#define BLOCKS_PER_TASK 32

_Static_assert(sizeof(SupSurfaceState) == 128, "states are copied between builds");

/* ---- Layout -----------------------------------------------------------------------------------
 */

static size_t lane_count(const SupSurfaceView *model) {
  return (size_t)SUP_SKIN_BLOCK * model->skin.block_count;
}

size_t sup_surface_bytes(const SupSurfaceView *model) {
  size_t bytes = sizeof(SupSurfaceState) + SUP_SURFACE_STATE_BYTES * lane_count(model) +
                 sizeof(SupSurfacePlaced) * model->segment_count +
                 sizeof(float) * model->skin.bone_count;
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

SupSurfaceState *sup_surface_init(const SupSurfaceView *model, void *block) {
  const size_t rows = lane_count(model) * sizeof(float); /* of one component */
  SupSurfaceState *state = (SupSurfaceState *)block;
  sup_zero(block, sup_surface_bytes(model));
  state->bytes = sup_surface_bytes(model);
  state->block_count = model->skin.block_count;
  state->segment_count = model->segment_count;
  state->records = sizeof *state;
  state->x = state->records + 8 * rows;
  state->dx = state->x + 3 * rows;
  state->goal = state->dx + 3 * rows;
  state->goal_step = state->goal + 3 * rows;
  state->rotation = state->goal_step + 3 * rows;
  state->next_goal = state->rotation + 4 * rows;
  state->normals = state->next_goal + 3 * rows;
  state->forces = state->normals + 3 * rows;
  state->segments = state->forces + 3 * rows;
  state->scales = state->segments + sizeof(SupSurfacePlaced) * model->segment_count;
  sup_surface_reset(state);
  return state;
}

void sup_surface_reset(SupSurfaceState *state) { state->fresh = 2; }

static float *rows_at(SupSurfaceState *state, uint64_t offset) {
  return (float *)(void *)((char *)state + offset);
}

static const float *rows_of(const SupSurfaceState *state, uint64_t offset) {
  return (const float *)(const void *)((const char *)state + offset);
}

float *sup_surface_next_goal(SupSurfaceState *state) { return rows_at(state, state->next_goal); }
float *sup_surface_next_normals(SupSurfaceState *state) { return rows_at(state, state->normals); }

/* ---- Single vertices --------------------------------------------------------------------------
 */

/* Where component 0 of a lane lies in blocks of 3. */
static size_t lane_offset(uint32_t lane) {
  return (size_t)(3 * SUP_SKIN_BLOCK) * (lane / SUP_SKIN_BLOCK) + lane % SUP_SKIN_BLOCK;
}

static SupVec3 get_lane(const float *rows, uint32_t lane) {
  const float *p = rows + lane_offset(lane);
  return (SupVec3){p[0], p[SUP_SKIN_BLOCK], p[2 * SUP_SKIN_BLOCK]};
}

static void set_lane(float *rows, uint32_t lane, SupVec3 v) {
  float *p = rows + lane_offset(lane);
  p[0] = v.x, p[SUP_SKIN_BLOCK] = v.y, p[2 * SUP_SKIN_BLOCK] = v.z;
}

/* The lanes of a vertex: its own, and for the first of the last block the spare ones after the
 * last vertex. Returns the next lane, or UINT32_MAX after the last. */
static uint32_t next_lane(const SupSurfaceView *model, uint32_t v, uint32_t lane) {
  const uint32_t lanes = SUP_SKIN_BLOCK * model->skin.block_count;
  uint32_t next = lane < model->skin.vertex_count ? model->skin.vertex_count : lane + 1;
  return next < lanes && model->skin.order[next] == v ? next : UINT32_MAX;
}

static SupVec3 point_in(const SupAffine *space, SupVec3 p) {
  return space ? sup_affine_point(*space, p) : p;
}

static SupVec3 vector_in(const SupAffine *space, SupVec3 v) {
  return space ? sup_affine_direction(*space, v) : v;
}

/* ---- Scale ------------------------------------------------------------------------------------
 */

/* The cube root of the determinant: how much longer lengths become, negative where mirrored. What
 * rounding does to a rotation is not a scale. */
static float affine_scale(SupAffine t) {
  const float *m = t.m;
  const float det = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[3] * (m[1] * m[8] - m[2] * m[7]) +
                    m[6] * (m[1] * m[5] - m[2] * m[4]);
  const float size = det < 0 ? -det : det;
  if (!(size > 1e-30f)) return 0;
  const float scale = size > 0.999f && size < 1.001f ? 1 : sup_expf(sup_logf(size) / 3);
  return det < 0 ? -scale : scale;
}

static float radius_in(const SupAffine *space, float radius) {
  const float scale = space ? affine_scale(*space) : 1;
  return radius * (scale < 0 ? -scale : scale);
}

bool sup_surface_scales(uint32_t bone_count, const SupAffine *palette, float *out_scales) {
  bool scaled = false;
  for (uint32_t b = 0; b < bone_count; b++) {
    out_scales[b] = affine_scale(palette[b]);
    scaled |= out_scales[b] != 1;
  }
  return scaled;
}

/* ---- What acts on a step ----------------------------------------------------------------------
 */

void sup_surface_strike(const SupSurfaceView *model, SupSurfaceState *state,
                        const SupImpulse *impulses, uint32_t count, const SupAffine *space) {
  float *dx = rows_at(state, state->dx);
  const float *x = rows_at(state, state->x);
  for (uint32_t k = 0; k < count; k++) {
    const SupVec3 centre = point_in(space, impulses[k].centre);
    const SupVec3 kick = sup_vec3_scale(vector_in(space, impulses[k].velocity), model->h);
    const float radius = radius_in(space, impulses[k].radius);
    for (uint32_t lane = 0; lane < SUP_SKIN_BLOCK * model->skin.block_count; lane++) {
      const SupVec3 d = sup_vec3_sub(get_lane(x, lane), centre);
      const float near = 1 - sup_vec3_dot(d, d) / (radius * radius);
      if (!(near > 0)) continue;
      set_lane(dx, lane, sup_vec3_add_scaled(get_lane(dx, lane), kick, near * near));
    }
  }
}

/* Accelerations of single vertices and soft pulls, times h^2. False where there are none. */
static bool fill_forces(const SupSurfaceView *model, SupSurfaceState *state,
                        const SupExternalForces *forces) {
  bool soft = false;
  for (uint32_t k = 0; k < forces->pull_count; k++) soft |= forces->pulls[k].strength < 1;
  if (!forces->vertices && !soft) return false;
  float *rows = rows_at(state, state->forces);
  const float *x = rows_at(state, state->x);
  sup_zero(rows, 3 * sizeof(float) * lane_count(model));
  for (uint32_t lane = 0; forces->vertices && lane < lane_count(model); lane++) {
    const SupVec3 a = vector_in(forces->space, forces->vertices[model->skin.order[lane]]);
    set_lane(rows, lane, sup_vec3_scale(a, model->h * model->h));
  }
  for (uint32_t k = 0; k < forces->pull_count; k++) {
    const SupPull *pull = &forces->pulls[k];
    if (!(pull->strength < 1) || pull->vertex >= model->skin.vertex_count) continue;
    const SupVec3 target = point_in(forces->space, pull->target);
    for (uint32_t lane = model->lanes[pull->vertex]; lane != UINT32_MAX;
         lane = next_lane(model, pull->vertex, lane)) {
      const SupVec3 way = sup_vec3_sub(target, get_lane(x, lane));
      set_lane(rows, lane, sup_vec3_add_scaled(get_lane(rows, lane), way, pull->strength));
    }
  }
  return true;
}

/* Held vertices: there after the step, having moved there. */
static void hold(const SupSurfaceView *model, SupSurfaceState *state,
                 const SupExternalForces *forces) {
  float *x = rows_at(state, state->x), *dx = rows_at(state, state->dx);
  const float *records = rows_at(state, state->records);
  for (uint32_t k = 0; k < forces->pull_count; k++) {
    const SupPull *pull = &forces->pulls[k];
    if (pull->strength < 1 || pull->vertex >= model->skin.vertex_count) continue;
    const SupVec3 target = point_in(forces->space, pull->target);
    for (uint32_t lane = model->lanes[pull->vertex]; lane != UINT32_MAX;
         lane = next_lane(model, pull->vertex, lane)) {
      const float *before = records + 8 * (size_t)lane;
      set_lane(dx, lane, sup_vec3_sub(target, (SupVec3){before[0], before[1], before[2]}));
      set_lane(x, lane, target);
    }
  }
}

static uint32_t place_colliders(const SupExternalForces *forces, SupCollider *out) {
  uint32_t count = forces->collider_count;
  if (count > SUP_COLLIDERS) count = SUP_COLLIDERS;
  for (uint32_t k = 0; k < count; k++) {
    out[k] = forces->colliders[k];
    out[k].a = point_in(forces->space, out[k].a);
    out[k].b = point_in(forces->space, out[k].b);
    out[k].motion = vector_in(forces->space, out[k].motion);
    out[k].radius = radius_in(forces->space, out[k].radius);
  }
  return count;
}

/* ---- One step ---------------------------------------------------------------------------------
 */

static SupSurfaceCall call_of(const SupSurfaceView *model, SupSurfaceState *state,
                              const SupAffine *palette) {
  return (SupSurfaceCall){
      .model = model,
      .palette = palette,
      .segments = (const SupSurfacePlaced *)(const void *)rows_at(state, state->segments),
      .next_goal = rows_at(state, state->next_goal),
      .normals = sup_surface_wants_normals(model->flags) ? rows_at(state, state->normals) : NULL,
      .x = rows_at(state, state->x),
      .dx = rows_at(state, state->dx),
      .goal = rows_at(state, state->goal),
      .goal_step = rows_at(state, state->goal_step),
      .rotation = rows_at(state, state->rotation),
      .records = rows_at(state, state->records)};
}

void sup_surface_hand_on(SupSurfaceState *state, float *bends) {
  const float *next = sup_surface_next_goal(state), *goal = rows_of(state, state->goal);
  const float *step = rows_of(state, state->goal_step);
  float *x = rows_at(state, state->x), *dx = rows_at(state, state->dx);
  const bool fresh = state->fresh > 0;
  for (size_t i = 0; i < (size_t)(3 * SUP_SKIN_BLOCK) * state->block_count; i++) {
    const float bend = fresh ? 0 : next[i] - goal[i] - step[i], miss = fresh ? 0 : bend - bends[i];
    x[i] += miss;
    dx[i] += miss;
    bends[i] = bend;
  }
}

void sup_surface_step(const SupSurfaceView *model, SupSurfaceState *state,
                      const SupBackend *backend, const SupJobs *jobs, const SupAffine *palette,
                      const SupExternalForces *forces) {
  static const SupExternalForces none = {0};
  if (!forces) forces = &none;
  SupSurfaceCall call = call_of(model, state, palette);
  float *scales = rows_at(state, state->scales);
  if (sup_surface_scales(model->skin.bone_count, palette, scales)) call.scales = scales;
  SupCollider colliders[SUP_COLLIDERS];
  const float h = model->h;
  sup_surface_place(model, palette, (SupSurfacePlaced *)(void *)rows_at(state, state->segments));
  if (state->fresh) {
    sup_surface_start(backend, jobs, &call, state->fresh == 1);
    state->fresh--;
    state->owed = 0;
  } else {
    const float wind = h * forces->wind_drag;
    call.wind = wind > 1 ? 1 : wind > 0 ? wind : 0;
    call.feed = forces->feed_forward;
    call.push = sup_vec3_scale(vector_in(forces->space, forces->acceleration), h * h);
    call.push =
        sup_vec3_add_scaled(call.push, vector_in(forces->space, forces->wind), call.wind * h);
    if (fill_forces(model, state, forces)) call.forces = rows_at(state, state->forces);
    call.collider_count = place_colliders(forces, colliders);
    call.colliders = colliders;
    call.owed = state->owed != 0;
    sup_surface_solve(backend, jobs, &call);
    state->owed = model->flags & SUP_SURFACE_UNDELAYED && !(call.feed > 0);
  }
  hold(model, state, forces);
}

/* ---- Showing ----------------------------------------------------------------------------------
 */

typedef struct ShowTask {
  SupSurfaceShowKernel *kernel;
  const SupSurfaceShowCall *call;
} ShowTask;

static void show_task(void *context, SupRange range) {
  const ShowTask *task = (const ShowTask *)context;
  task->kernel(task->call, range);
}

void sup_surface_show(const SupSurfaceView *model, const SupSurfaceState *state,
                      const SupBackend *backend, const SupJobs *jobs, const SupSurfaceShow *show,
                      float *out_pairs) {
  const SupSurfaceShowCall call = {.model = model,
                                   .scales = show->scales,
                                   .x = rows_of(state, state->x),
                                   .goal = rows_of(state, state->goal),
                                   .goal_step = rows_of(state, state->goal_step),
                                   .records = rows_of(state, state->records),
                                   .now = show->between ? rows_of(state, state->next_goal) : NULL,
                                   .part = show->part,
                                   .fade = show->fade,
                                   .at_goal = state->fresh == 1,
                                   .owed = state->owed != 0,
                                   .pairs = out_pairs};
  ShowTask task = {backend->surface_show, &call};
  sup_parallel_for(jobs, model->skin.block_count, BLOCKS_PER_TASK, show_task, &task);
  for (uint32_t k = 0; k < show->pull_count; k++) {
    const SupPull *pull = &show->pulls[k];
    if (pull->strength < 1 || pull->vertex >= model->skin.vertex_count) continue;
    const SupVec3 target = point_in(show->space, pull->target);
    for (uint32_t lane = model->lanes[pull->vertex]; lane != UINT32_MAX;
         lane = next_lane(model, pull->vertex, lane)) {
      float *pair = out_pairs + 8 * (size_t)lane;
      pair[0] = target.x, pair[1] = target.y, pair[2] = target.z;
    }
  }
}
