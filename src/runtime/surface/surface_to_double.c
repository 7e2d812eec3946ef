/* SPDX-License-Identifier: MIT */
/*
 * A surface model in double precision. What follows from the rest positions (edges, fractions,
 * lengths of spokes) is computed again out of them: rounded to float it would leave forces of 1e-8
 * at rest.
 */
#include "runtime/surface/surface_kernel.h"

typedef struct Counts {
  size_t parameters, edges, spokes, normals;
} Counts;

static Counts counts_of(const SupSurfaceView *model) {
  const size_t blocks = model->skin.block_count;
  return (Counts){(size_t)(SUP_SURFACE_ROWS * SUP_BLOCK) * blocks,
                  (size_t)(3 * SUP_BLOCK) * model->slot_first[blocks],
                  (size_t)(2 * SUP_BLOCK) * model->spoke_first[blocks],
                  model->normal_rows ? (size_t)(SUP_SURFACE_NORMAL_ROWS * SUP_BLOCK) * blocks : 0};
}

static size_t aligned(size_t bytes) {
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

static double *as_double(const float *from, size_t count, double **io_to) {
  double *to = *io_to;
  for (size_t i = 0; i < count; i++) to[i] = (double)from[i];
  *io_to += count;
  return to;
}

static SupVec3d rest_of(const SupSkinViewd *skin, uint32_t lane) {
  const uint32_t block = lane / SUP_BLOCK;
  const size_t row = (size_t)sup_skin_record_rows(skin->flags) * block + skin->bone_first[block];
  const double *p = skin->records + SUP_BLOCK * row + lane % SUP_BLOCK;
  return (SupVec3d){p[0], p[SUP_BLOCK], p[2 * SUP_BLOCK]};
}

/* The rest edges of one lane and their mean. */
static void ring_to_double(const SupSurfaceViewd *model, uint32_t lane, double *edges,
                           double *parameters) {
  const uint32_t block = lane / SUP_BLOCK, at = lane % SUP_BLOCK;
  const SupVec3d own = rest_of(&model->skin, lane);
  double *rows = parameters + (size_t)(SUP_SURFACE_ROWS * SUP_BLOCK) * block + at;
  double *fraction = rows + SUP_SURFACE_RING_WEIGHT * SUP_BLOCK;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t s = model->slot_first[block]; s < model->slot_first[block + 1]; s++) {
    const uint32_t other = model->slots[(size_t)SUP_BLOCK * s + at];
    const SupVec3d edge = sup_vec3d_sub(rest_of(&model->skin, other), own);
    double *to = edges + (size_t)(3 * SUP_BLOCK) * s + at;
    to[0] = edge.x, to[SUP_BLOCK] = edge.y, to[2 * SUP_BLOCK] = edge.z;
    sum = sup_vec3d_add(sum, edge);
  }
  /* The fraction of n neighbours was 1/n, rounded. */
  if (*fraction > 1e-6) *fraction = 1.0 / (double)(uint32_t)(1.0 / *fraction + 0.5);
  rows[SUP_SURFACE_EDGE_X * SUP_BLOCK] = sum.x * *fraction;
  rows[SUP_SURFACE_EDGE_Y * SUP_BLOCK] = sum.y * *fraction;
  rows[SUP_SURFACE_EDGE_Z * SUP_BLOCK] = sum.z * *fraction;
}

static double spoke_length(const SupSurfaceSegment *segment, SupVec3d point) {
  const SupVec3d a = sup_vec3_to_double(segment->a);
  const SupVec3d d = sup_vec3d_sub(sup_vec3_to_double(segment->b), a), p = sup_vec3d_sub(point, a);
  const double square = sup_vec3d_dot(d, d);
  double t = square > 0 ? sup_vec3d_dot(p, d) / square : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return sup_vec3d_length(sup_vec3d_sub(p, sup_vec3d_scale(d, t)));
}

static void spokes_to_double(const SupSurfaceViewd *model, uint32_t block, double *spoke_rows) {
  for (uint32_t k = model->spoke_first[block]; k < model->spoke_first[block + 1]; k++) {
    double *rows = spoke_rows + (size_t)(2 * SUP_BLOCK) * k;
    for (uint32_t i = 0; i < SUP_BLOCK; i++) {
      if (!(rows[i] > 0)) continue; /* not tied to this segment */
      rows[SUP_BLOCK + i] = spoke_length(&model->segments[model->spokes[k]],
                                         rest_of(&model->skin, SUP_BLOCK * block + i));
    }
  }
}

size_t sup_surface_to_double_bytes(const SupSurfaceView *model) {
  const Counts n = counts_of(model);
  return aligned(sup_skin_to_double_bytes(&model->skin)) +
         sizeof(double) * (n.parameters + n.edges + n.spokes + n.normals);
}

void sup_surface_to_double(const SupSurfaceView *model, void *out_block,
                           SupSurfaceViewd *out_model) {
  const Counts n = counts_of(model);
  double *room =
      (double *)(void *)((char *)out_block + aligned(sup_skin_to_double_bytes(&model->skin)));
  SupSurfaceViewd wide = {.flags = model->flags,
                          .segment_count = model->segment_count,
                          .h = (double)model->h,
                          .size = (double)model->size,
                          .lanes = model->lanes,
                          .slot_first = model->slot_first,
                          .slots = model->slots,
                          .spoke_first = model->spoke_first,
                          .spokes = model->spokes,
                          .one_ring_first = model->one_ring_first,
                          .one_rings = model->one_rings,
                          .segments = model->segments};
  sup_skin_to_double(&model->skin, out_block, &wide.skin);
  double *parameters = as_double(model->parameters, n.parameters, &room);
  double *edges = as_double(model->edges, n.edges, &room);
  double *spokes = as_double(model->spoke_rows, n.spokes, &room);
  if (model->normal_rows) wide.normal_rows = as_double(model->normal_rows, n.normals, &room);
  for (uint32_t lane = 0; lane < SUP_BLOCK * model->skin.block_count; lane++) {
    ring_to_double(&wide, lane, edges, parameters);
  }
  for (uint32_t block = 0; block < model->skin.block_count; block++) {
    spokes_to_double(&wide, block, spokes);
  }
  wide.parameters = parameters;
  wide.edges = edges;
  wide.spoke_rows = spokes;
  *out_model = wide;
}
