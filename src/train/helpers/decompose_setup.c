/* SPDX-License-Identifier: MIT */
/* Memory of a decomposition, and what it starts from; motions for weights that are given. */
#include "numerics/dense.h"
#include "train/helpers/decompose.h"

static SupVec3d mean(const SupVec3 *p, uint32_t count) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t i = 0; i < count; i++) sum = sup_vec3d_add(sum, sup_vec3_to_double(p[i]));
  return sup_vec3d_scale(sum, 1.0 / count);
}

bool sup_decompose_allocate(SupArena *arena, const SupDecomposeDef *def, Decompose *d,
                            DecomposeCentre *centre) {
  const size_t n = def->vertex_count, most = def->influences, helpers = def->helper_count;
  *d = (Decompose){.def = def,
                   .vertices = def->vertex_count,
                   .frames = def->frame_count,
                   .fixed = def->fixed_count,
                   .capacity = def->fixed_count + def->helper_count,
                   .stride = (3 * def->frame_count + 15) / 16 * 16,
                   .weight = def->vertex_weights};
  d->bones = d->fixed;
  const size_t row = d->stride, rows = (size_t)4 * d->capacity;
  d->rest = (double(*)[4])sup_arena_alloc(arena, n, sizeof *d->rest);
  d->targets = SUP_ALLOC(arena, float, n *row);
  d->residuals = SUP_ALLOC(arena, float, n *row);
  d->matrices = SUP_ALLOC(arena, double, rows *row);
  d->narrow = SUP_ALLOC(arena, float, rows *row);
  d->products = SUP_ALLOC(arena, double, rows *rows);
  d->turns = SUP_ALLOC(arena, SupQuatd, (size_t)d->capacity * d->frames);
  d->counts = SUP_ALLOC(arena, uint32_t, n);
  d->of = SUP_ALLOC(arena, uint32_t, n * most);
  d->fractions = SUP_ALLOC(arena, double, n *most);
  d->errors = SUP_ALLOC(arena, double, n);
  d->losses = SUP_ALLOC(arena, double, n *most);
  d->lanes = SUP_ALLOC(arena, float, n *rows);
  d->moments = SUP_ALLOC(arena, float, 4 * helpers * row);
  d->masses = SUP_ALLOC(arena, double, 16 * helpers * helpers);
  d->gains = SUP_ALLOC(arena, double, n);
  d->partial = SUP_ALLOC(arena, double, n);
  centre->frames = SUP_ALLOC(arena, SupVec3d, def->frame_count);
  return centre->frames && d->rest && d->targets && d->residuals && d->matrices && d->narrow &&
         d->products && d->turns && d->counts && d->of && d->fractions && d->errors && d->losses &&
         d->lanes && d->moments && d->masses && d->gains && d->partial;
}

/* Everything is counted from the centre of the rest shape and of each frame: with weights that sum
 * to one nothing changes, and scalar products lose less. */
void sup_decompose_fill_in(Decompose *d, DecomposeCentre *centre) {
  const SupDecomposeDef *def = d->def;
  centre->rest = mean(def->rest, d->vertices);
  for (uint32_t t = 0; t < d->frames; t++) {
    centre->frames[t] = mean(def->positions + (size_t)t * d->vertices, d->vertices);
  }
  for (uint32_t i = 0; i < d->vertices; i++) {
    const SupVec3d v = sup_vec3d_sub(sup_vec3_to_double(def->rest[i]), centre->rest);
    d->rest[i][0] = v.x, d->rest[i][1] = v.y, d->rest[i][2] = v.z, d->rest[i][3] = 1;
    float *row = d->targets + (size_t)i * d->stride;
    for (uint32_t t = 0; t < d->frames; t++) {
      const SupVec3 p = def->positions[(size_t)t * d->vertices + i];
      const SupVec3d y = sup_vec3d_sub(sup_vec3_to_double(p), centre->frames[t]);
      row[3 * t] = (float)y.x, row[3 * t + 1] = (float)y.y, row[3 * t + 2] = (float)y.z;
    }
  }
  for (uint32_t b = 0; b < d->fixed; b++) {
    for (uint32_t t = 0; t < d->frames; t++) {
      const SupAffined m = sup_affine_to_double(def->fixed[(size_t)t * d->fixed + b]);
      const SupVec3d at = sup_vec3d_sub(sup_affined_point(m, centre->rest), centre->frames[t]);
      const double last[3] = {at.x, at.y, at.z};
      for (uint32_t c = 0; c < 4; c++) {
        double *row = sup_decompose_row(d, b, c) + (size_t)3 * t;
        for (uint32_t r = 0; r < 3; r++) row[r] = c < 3 ? m.m[3 * c + r] : last[r];
      }
    }
  }
}

SupAffine sup_decompose_motion(const Decompose *d, const DecomposeCentre *centre, uint32_t helper,
                               uint32_t frame) {
  SupAffined m;
  for (uint32_t c = 0; c < 4; c++) {
    const double *row = sup_decompose_row(d, d->fixed + helper, c) + (size_t)3 * frame;
    for (uint32_t r = 0; r < 3; r++) m.m[3 * c + r] = row[r];
  }
  /* x = R (v - v0) + t + y0 */
  const SupVec3d back = sup_affined_point(m, sup_vec3d_negate(centre->rest));
  m.m[9] = back.x + centre->frames[frame].x;
  m.m[10] = back.y + centre->frames[frame].y;
  m.m[11] = back.z + centre->frames[frame].z;
  return sup_affined_to_float(m);
}

/* The other way round: a motion as rows counted from the centres. */
static void set_motion(Decompose *d, const DecomposeCentre *centre, uint32_t helper, uint32_t frame,
                       SupAffine motion) {
  SupAffined m = sup_affine_to_double(motion);
  const SupVec3d at = sup_vec3d_sub(sup_affined_point(m, centre->rest), centre->frames[frame]);
  m.m[9] = at.x, m.m[10] = at.y, m.m[11] = at.z;
  for (uint32_t c = 0; c < 4; c++) {
    double *row = sup_decompose_row(d, d->fixed + helper, c) + (size_t)3 * frame;
    for (uint32_t r = 0; r < 3; r++) row[r] = m.m[3 * c + r];
  }
  SupQuatd *turn = &d->turns[(size_t)(d->fixed + helper) * d->frames + frame];
  *turn = sup_quatd_fit(sup_affined_linear(m), sup_quatd_identity());
}

/* ---- Given weights ---------------------------------------------------------------------------
 */

#define PASSES 2  /* residuals are taken afresh: single precision counts from nearby then */
#define ROUNDS 40 /* over the bones of a frame, in each pass */

static void take_skin(Decompose *d, const SupSkin *skin) {
  for (uint32_t i = 0; i < d->vertices; i++) {
    d->counts[i] = 0;
    for (uint32_t k = skin->offsets[i]; k < skin->offsets[i + 1]; k++) {
      const size_t at = (size_t)d->def->influences * i + d->counts[i]++;
      d->of[at] = skin->bones[k];
      d->fractions[at] = (double)skin->weights[k];
    }
  }
}

SupResult sup_decompose_follow(const SupDecomposeDef *def, SupAllocator allocator,
                               const SupSkin *skin, SupAffine *io_motions, SupError *error) {
  SupArena arena;
  Decompose d;
  DecomposeCentre centre;
  sup_dense_one_thread();
  sup_arena_init(&arena, allocator, 0);
  if (!sup_decompose_allocate(&arena, def, &d, &centre)) {
    sup_arena_free(&arena);
    return sup_fail_memory(error, "decomposition");
  }
  sup_decompose_fill_in(&d, &centre);
  d.bones = d.capacity;
  take_skin(&d, skin);
  for (uint32_t t = 0; t < d.frames; t++) {
    for (uint32_t h = 0; h < def->helper_count; h++) {
      set_motion(&d, &centre, h, t, io_motions[(size_t)t * def->helper_count + h]);
    }
  }
  for (int pass = 0; pass < PASSES; pass++) {
    sup_decompose_moved(&d, 0);
    sup_decompose_transforms(&d, ROUNDS);
  }
  for (uint32_t t = 0; t < d.frames; t++) {
    for (uint32_t h = 0; h < def->helper_count; h++) {
      io_motions[(size_t)t * def->helper_count + h] = sup_decompose_motion(&d, &centre, h, t);
    }
  }
  sup_arena_free(&arena);
  return SUP_OK;
}
