/* SPDX-License-Identifier: MIT */
/* Calls of the surface kernels over all blocks; compiled for float, and for double. */
#include "runtime/surface/surface_kernel.h"

/* A task is a microsecond or more: many times what handing it out costs, and as small as that for
 * an even split of a small character. Below 1,024 vertices one thread is faster than two. */
#define BLOCKS_PER_PREPARE 64
#define BLOCKS_PER_SOLVE 8
#define BLOCKS_FOR_ONE 64

#if SUP_DOUBLE

/* One instruction set's kernels in double; a backend's table has those in float. */
typedef struct Kernels {
  void (*surface_start)(const SupSurfaceCalld *call, SupRange blocks, bool moving);
  void (*surface_prepare)(const SupSurfaceCalld *call, SupRange blocks);
  void (*surface_solve)(const SupSurfaceCalld *call, SupRange blocks);
} Kernels;

#define KERNELS(isa)                                                                  \
  {                                                                                   \
    SUP_KERNEL_(surface_start_blocks, isa), SUP_KERNEL_(surface_prepare_blocks, isa), \
        SUP_KERNEL_(surface_solve_blocks, isa)                                        \
  }
#define DECLARE(isa)                                                                    \
  void SUP_KERNEL_(surface_start_blocks, isa)(const SupSurfaceCalld *, SupRange, bool); \
  void SUP_KERNEL_(surface_prepare_blocks, isa)(const SupSurfaceCalld *, SupRange);     \
  void SUP_KERNEL_(surface_solve_blocks, isa)(const SupSurfaceCalld *, SupRange);       \
  static const Kernels kernels_##isa = KERNELS(isa)

static const Kernels kernels_f64 = KERNELS(f64);
#if defined(__x86_64__)
DECLARE(f64avx2);
DECLARE(f64avx512);
#endif

static const Kernels *kernels_of(const SupBackend *backend) {
#if defined(__x86_64__)
  if (backend && sup_string_equal(backend->name, "avx2")) return &kernels_f64avx2;
  if (backend && sup_string_equal(backend->name, "avx512")) return &kernels_f64avx512;
#endif
  (void)backend;
  return &kernels_f64;
}

#else
typedef SupBackend Kernels;
#endif

typedef struct SurfaceTask {
  const Kernels *kernels;
  const RealSurfaceCall *call;
  bool moving;
} SurfaceTask;

static void start_task(void *context, SupRange range) {
  const SurfaceTask *task = (const SurfaceTask *)context;
  task->kernels->surface_start(task->call, range, task->moving);
}

static void prepare_task(void *context, SupRange range) {
  const SurfaceTask *task = (const SurfaceTask *)context;
  task->kernels->surface_prepare(task->call, range);
}

static void solve_task(void *context, SupRange range) {
  const SurfaceTask *task = (const SurfaceTask *)context;
  task->kernels->surface_solve(task->call, range);
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

#if SUP_DOUBLE

void sup_surface_start_f64(const SupBackend *backend, const SupJobs *jobs,
                           const SupSurfaceCalld *call, bool moving) {
  start_all(jobs, &(SurfaceTask){kernels_of(backend), call, moving});
}

void sup_surface_solve_f64(const SupBackend *backend, const SupJobs *jobs,
                           const SupSurfaceCalld *call) {
  solve_all(jobs, &(SurfaceTask){kernels_of(backend), call, false});
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
