/* SPDX-License-Identifier: MIT */
/* Skinning in double precision: the same kernels, compiled as f64, on a double-precision copy of a
 * skin. */
#include "anim/skin_kernel.h"

static void to_double(const float *from, size_t count, double *to) {
  for (size_t i = 0; i < count; i++) to[i] = (double)from[i];
}

static size_t record_count(const SupSkinView *skin) {
  size_t rows = (size_t)skin->block_count * sup_skin_record_rows(skin->flags);
  return SUP_BLOCK * (rows + skin->bone_first[skin->block_count]);
}

static size_t pivot_count(const SupSkinView *skin) { return (size_t)SUP_BLOCK * skin->block_count; }

static size_t offset_count(const SupSkinView *skin) {
  return (size_t)(3 * SUP_BLOCK) * skin->morph_first[skin->block_count];
}

size_t sup_skin_to_double_bytes(const SupSkinView *skin) {
  const size_t sets = skin->morph_turns ? 2 : 1;
  return sizeof(double) * (record_count(skin) + pivot_count(skin) + sets * offset_count(skin));
}

void sup_skin_to_double(const SupSkinView *skin, void *out_block, SupSkinViewd *out_skin) {
  double *records = (double *)out_block;
  double *pivots = records + record_count(skin);
  double *offsets = pivots + pivot_count(skin);
  to_double(skin->records, record_count(skin), records);
  to_double(skin->pivots, pivot_count(skin), pivots);
  double *turns = skin->morph_turns ? offsets + offset_count(skin) : NULL;
  to_double(skin->morph_offsets, offset_count(skin), offsets);
  if (turns) to_double(skin->morph_turns, offset_count(skin), turns);
  *out_skin = (SupSkinViewd){.flags = skin->flags,
                             .vertex_count = skin->vertex_count,
                             .block_count = skin->block_count,
                             .bone_count = skin->bone_count,
                             .morph_count = skin->morph_count,
                             .order = skin->order,
                             .bone_first = skin->bone_first,
                             .bones = skin->bones,
                             .records = records,
                             .pivots = pivots,
                             .morph_first = skin->morph_first,
                             .morph_targets = skin->morph_targets,
                             .morph_offsets = offsets,
                             .morph_turns = turns,
                             .turn_first = skin->turn_first};
}

#define BLOCKS_PER_TASK 64

static void lbs_task(void *context, SupRange range) {
  sup_skin_lbs_blocks_f64((const SupSkinCalld *)context, range);
}

static void dqs_task(void *context, SupRange range) {
  sup_skin_dqs_blocks_f64((const SupSkinCalld *)context, range);
}

void sup_skin_lbs_f64(const SupJobs *jobs, const SupSkinCalld *call) {
  SupSkinCalld copy = *call;
  sup_parallel_for(jobs, call->skin->block_count, BLOCKS_PER_TASK, lbs_task, &copy);
}

void sup_skin_dqs_f64(const SupJobs *jobs, const SupSkinCalld *call) {
  SupSkinCalld copy = *call;
  sup_parallel_for(jobs, call->skin->block_count, BLOCKS_PER_TASK, dqs_task, &copy);
}
