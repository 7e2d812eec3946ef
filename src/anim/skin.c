/* SPDX-License-Identifier: MIT */
/* Skinning calls: fixed ranges of blocks through the backend's kernels. */
#include "anim/real.h"

/* 1,024 vertices: about two microseconds of work, enough to hide what a job costs. */
#define BLOCKS_PER_TASK 64

typedef struct SkinTask {
  const SupSkinCall *call;
  SupSkinKernel *kernel;
} SkinTask;

static void run_blocks(void *context, SupRange range) {
  const SkinTask *task = (const SkinTask *)context;
  task->kernel(task->call, range);
}

void sup_skin_lbs(const SupBackend *backend, const SupJobs *jobs, const SupSkinCall *call) {
  SkinTask task = {call, backend->skin_lbs};
  sup_parallel_for(jobs, call->skin->block_count, BLOCKS_PER_TASK, run_blocks, &task);
}

void sup_skin_dqs(const SupBackend *backend, const SupJobs *jobs, const SupSkinCall *call) {
  SkinTask task = {call, backend->skin_dqs};
  sup_parallel_for(jobs, call->skin->block_count, BLOCKS_PER_TASK, run_blocks, &task);
}
