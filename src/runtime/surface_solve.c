/* SPDX-License-Identifier: MIT */
/* Calls of the surface kernels over all blocks; compiled for float, and for double. */
#include "runtime/surface_kernel.h"

/* A task is a microsecond or more: many times what handing it out costs, and as small as that for
 * an even split of a small character. Below 1,024 vertices one thread is faster than two. */
#define BLOCKS_PER_PREPARE 64
#define BLOCKS_PER_SOLVE 8
#define BLOCKS_FOR_ONE 64

#if SUP_ISA_NUMBER == SUP_ISA_f64
#define START(task, range) SUP_KERNEL(surface_start_blocks)((task)->call, range, (task)->moving)
#define PREPARE(task, range) SUP_KERNEL(surface_prepare_blocks)((task)->call, range)
#define SOLVE(task, range) SUP_KERNEL(surface_solve_blocks)((task)->call, range)
#else
#define START(task, range) (task)->backend->surface_start((task)->call, range, (task)->moving)
#define PREPARE(task, range) (task)->backend->surface_prepare((task)->call, range)
#define SOLVE(task, range) (task)->backend->surface_solve((task)->call, range)
#endif

typedef struct SurfaceTask {
  const SupBackend *backend;
  const RealSurfaceCall *call;
  bool moving;
} SurfaceTask;

static void start_task(void *context, SupRange range) {
  const SurfaceTask *task = (const SurfaceTask *)context;
  START(task, range);
}

static void prepare_task(void *context, SupRange range) {
  const SurfaceTask *task = (const SurfaceTask *)context;
  PREPARE(task, range);
}

static void solve_task(void *context, SupRange range) {
  const SurfaceTask *task = (const SurfaceTask *)context;
  SOLVE(task, range);
}

static uint32_t solve_grain(uint32_t blocks) {
  return blocks < BLOCKS_FOR_ONE ? BLOCKS_FOR_ONE : BLOCKS_PER_SOLVE;
}

static void start_all(const SupJobs *jobs, SurfaceTask *task) {
  const uint32_t blocks = task->call->model->skin.block_count;
  sup_parallel_for(jobs, blocks, solve_grain(blocks), start_task, task);
}

static void solve_all(const SupJobs *jobs, SurfaceTask *task) {
  const uint32_t blocks = task->call->model->skin.block_count;
  sup_parallel_for(jobs, blocks, BLOCKS_PER_PREPARE, prepare_task, task);
  sup_parallel_for(jobs, blocks, solve_grain(blocks), solve_task, task);
}

#if SUP_ISA_NUMBER == SUP_ISA_f64

void sup_surface_start_f64(const SupJobs *jobs, const SupSurfaceCalld *call, bool moving) {
  start_all(jobs, &(SurfaceTask){.call = call, .moving = moving});
}

void sup_surface_solve_f64(const SupJobs *jobs, const SupSurfaceCalld *call) {
  solve_all(jobs, &(SurfaceTask){.call = call});
}

#else

void sup_surface_start(const SupBackend *backend, const SupJobs *jobs, const SupSurfaceCall *call,
                       bool moving) {
  start_all(jobs, &(SurfaceTask){backend, call, moving});
}

void sup_surface_solve(const SupBackend *backend, const SupJobs *jobs, const SupSurfaceCall *call) {
  solve_all(jobs, &(SurfaceTask){backend, call, false});
}

#endif

/* Stored data is float in both precisions. */
static RealVec3 real_vec3(SupVec3 v) { return (RealVec3){v.x, v.y, v.z}; }

void REAL_NAME(sup_surface_place)(const RealSurfaceView *model, const RealAffine *palette,
                                  RealPlaced *out_placed) {
  for (uint32_t k = 0; k < model->segment_count; k++) {
    const SupSurfaceSegment *segment = &model->segments[k];
    const RealAffine bone = palette[segment->bone];
    const RealVec3 a = REAL(affine, point)(bone, real_vec3(segment->a));
    const RealVec3 d = REAL(vec3, sub)(REAL(affine, point)(bone, real_vec3(segment->b)), a);
    const sup_real square = REAL(vec3, dot)(d, d);
    /* A point, or so short that the square has no digits left. */
    const sup_real inverse = square > (sup_real)1e-30 ? 1 / square : 0;
    out_placed[k] = (RealPlaced){a, d, inverse, 0};
  }
}
