/* SPDX-License-Identifier: MIT */
/* A loop split into fixed ranges, run by the caller's job system. */
#include "supple/base.h"

typedef struct LoopContext {
  SupRangeTask *task;
  void *context;
  uint32_t count;
  uint32_t grain;
} LoopContext;

uint32_t sup_range_count(uint32_t count, uint32_t grain) {
  return count / grain + (count % grain ? 1 : 0);
}

static void run_range(void *context, uint32_t chunk) {
  const LoopContext *loop = (const LoopContext *)context;
  uint32_t first = chunk * loop->grain;
  uint32_t left = loop->count - first;
  SupRange range = {first, left < loop->grain ? left : loop->grain, chunk};
  loop->task(loop->context, range);
}

void sup_parallel_for(const SupJobs *jobs, uint32_t count, uint32_t grain, SupRangeTask *task,
                      void *context) {
  LoopContext loop = {task, context, count, grain};
  uint32_t chunks = sup_range_count(count, grain);
  if (jobs && jobs->run && chunks > 1) {
    jobs->run(jobs->user, chunks, run_range, &loop);
  } else {
    for (uint32_t chunk = 0; chunk < chunks; chunk++) run_range(&loop, chunk);
  }
}
