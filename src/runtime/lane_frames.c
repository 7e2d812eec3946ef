/* SPDX-License-Identifier: MIT */
/* Turning frames, through the backend's kernel. */
#include "runtime/lane_frames.h"

#define BLOCKS_PER_TASK 64

typedef struct FramesTask {
  SupLaneFramesKernel *kernel;
  const SupLaneFramesCall *call;
} FramesTask;

static void run_blocks(void *context, SupRange range) {
  const FramesTask *task = (const FramesTask *)context;
  task->kernel(task->call, range);
}

void sup_lane_frames(const SupSkinView *skin, SupLaneRings rings, const SupBackend *backend,
                     const SupJobs *jobs, const SupAffine *palette, const float *pairs,
                     float *out_frames) {
  const SupLaneFramesCall call = {skin, rings, palette, pairs, out_frames};
  FramesTask task = {backend->lane_frames, &call};
  sup_parallel_for(jobs, skin->block_count, BLOCKS_PER_TASK, run_blocks, &task);
}
