/* SPDX-License-Identifier: MIT */
/* A surface model in double precision. */
#include "runtime/surface_kernel.h"

typedef struct Counts {
  size_t parameters, edges, spokes;
} Counts;

static Counts counts_of(const SupSurfaceView *model) {
  const size_t blocks = model->skin.block_count;
  return (Counts){(size_t)(SUP_SURFACE_ROWS * SUP_BLOCK) * blocks,
                  (size_t)(3 * SUP_BLOCK) * model->slot_first[blocks],
                  (size_t)(2 * SUP_BLOCK) * model->spoke_first[blocks]};
}

static size_t aligned(size_t bytes) {
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

static const double *widened(const float *from, size_t count, double **io_to) {
  double *to = *io_to;
  for (size_t i = 0; i < count; i++) to[i] = (double)from[i];
  *io_to += count;
  return to;
}

size_t sup_surface_widen_bytes(const SupSurfaceView *model) {
  const Counts n = counts_of(model);
  return aligned(sup_skin_widen_bytes(&model->skin)) +
         sizeof(double) * (n.parameters + n.edges + n.spokes);
}

void sup_surface_widen(const SupSurfaceView *model, void *out_block, SupSurfaceViewd *out_model) {
  const Counts n = counts_of(model);
  double *room =
      (double *)(void *)((char *)out_block + aligned(sup_skin_widen_bytes(&model->skin)));
  SupSurfaceViewd wide = {.flags = model->flags,
                          .segment_count = model->segment_count,
                          .h = (double)model->h,
                          .size = (double)model->size,
                          .lanes = model->lanes,
                          .slot_first = model->slot_first,
                          .slots = model->slots,
                          .spoke_first = model->spoke_first,
                          .spokes = model->spokes,
                          .fan_first = model->fan_first,
                          .fans = model->fans,
                          .segments = model->segments};
  sup_skin_widen(&model->skin, out_block, &wide.skin);
  wide.parameters = widened(model->parameters, n.parameters, &room);
  wide.edges = widened(model->edges, n.edges, &room);
  wide.spoke_rows = widened(model->spoke_rows, n.spokes, &room);
  *out_model = wide;
}
