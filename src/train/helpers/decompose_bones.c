/* SPDX-License-Identifier: MIT */
/* Motions of all helpers for given weights: rigid fits, frame by frame. */
#include "numerics/dense.h"
#include "train/helpers/decompose.h"

#define FRAMES_PER_TASK 16
#define VERTICES_PER_TASK 256
#define HELPERS_AT_ONCE 256 /* whose moments one frame keeps on the stack */

bool sup_rigid_fit(const double moment[12], const double mass[16], SupQuatd *turn, double out[12]) {
  const double all = mass[15];
  if (!(all > 1e-12)) return false;
  const double *first = mass + 12; /* sum w^2 v */
  SupMat3d a;
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) a.m[3 * c + r] = moment[3 * c + r] - moment[9 + r] * first[c] / all;
  }
  *turn = sup_quatd_fit(a, *turn);
  const SupMat3d R = sup_mat3d_from_quat(*turn);
  for (int k = 0; k < 9; k++) out[k] = R.m[k];
  for (int r = 0; r < 3; r++) {
    out[9 + r] =
        (moment[9 + r] - (R.m[r] * first[0] + R.m[3 + r] * first[1] + R.m[6 + r] * first[2])) / all;
  }
  return true;
}

/* matrix times mass, 3x4 times 4x4, added `times` to `to`. */
static void add_product(const double matrix[12], const double mass[16], double times, double *to) {
  for (int c = 0; c < 4; c++) {
    for (int r = 0; r < 3; r++) {
      to[3 * c + r] += times * (matrix[r] * mass[4 * c] + matrix[3 + r] * mass[4 * c + 1] +
                                matrix[6 + r] * mass[4 * c + 2] + matrix[9 + r] * mass[4 * c + 3]);
    }
  }
}

static void load(const Decompose *d, uint32_t bone, uint32_t t, double out[12]) {
  for (uint32_t c = 0; c < 4; c++) {
    const double *row = sup_decompose_row(d, bone, c) + 3 * (size_t)t;
    for (uint32_t r = 0; r < 3; r++) out[3 * c + r] = row[r];
  }
}

static void store(const Decompose *d, uint32_t bone, uint32_t t, const double in[12]) {
  for (uint32_t c = 0; c < 4; c++) {
    double *row = sup_decompose_row(d, bone, c) + 3 * (size_t)t;
    for (uint32_t r = 0; r < 3; r++) row[r] = in[3 * c + r];
  }
}

/* What the frames beside ask of a bone; from the motion before this step (the float copy). */
static double add_neighbours(const Decompose *d, uint32_t bone, uint32_t t, const double *mass,
                             double *moment) {
  double extra = 0;
  for (int side = -1; side <= 1; side += 2) {
    if ((t == 0 && side < 0) || (t + 1 == d->frames && side > 0)) continue;
    double beside[12];
    for (uint32_t c = 0; c < 4; c++) {
      const float *row = d->narrow + ((size_t)4 * bone + c) * d->stride;
      for (uint32_t r = 0; r < 3; r++) beside[3 * c + r] = (double)row[3 * ((int64_t)t + side) + r];
    }
    add_product(beside, mass, d->def->smooth, moment);
    extra += d->def->smooth;
  }
  return extra;
}

typedef struct Pass {
  Decompose *d;
  int rounds;
} Pass;

/* One bone of one frame, all others held; moments[] follow. */
static void settle_bone(const Pass *pass, uint32_t t, uint32_t h, double (*moments)[12]) {
  Decompose *d = pass->d;
  const uint32_t helpers = d->bones - d->fixed, bone = d->fixed + h;
  const double *mass = d->masses + (size_t)16 * (h * (size_t)helpers + h);
  double now[12], goal[12], heavier[16], to[12], change[12];
  load(d, bone, t, now);
  for (int k = 0; k < 12; k++) goal[k] = moments[h][k];
  add_product(now, mass, 1, goal);
  double scale = 1;
  if (d->def->smooth > 0) scale += add_neighbours(d, bone, t, mass, goal);
  for (int k = 0; k < 16; k++) heavier[k] = scale * mass[k];
  if (!sup_rigid_fit(goal, heavier, &d->turns[(size_t)bone * d->frames + t], to)) return;
  for (int k = 0; k < 12; k++) change[k] = to[k] - now[k];
  store(d, bone, t, to);
  for (uint32_t c = 0; c < helpers; c++) {
    add_product(change, d->masses + (size_t)16 * (h * (size_t)helpers + c), -1, moments[c]);
  }
}

static void settle_range(void *context, SupRange range) {
  const Pass *pass = (const Pass *)context;
  Decompose *d = pass->d;
  const uint32_t helpers = d->bones - d->fixed, rows = 4 * helpers;
  const size_t from = (size_t)3 * range.first;
  const SupProduct lanes_residuals = {.a_transposed = true,
                                      .rows = (int)rows,
                                      .columns = (int)(3 * range.count),
                                      .inner = (int)d->vertices,
                                      .a_stride = (int)rows,
                                      .b_stride = (int)d->stride,
                                      .out_stride = (int)d->stride};
  sup_dense_product_f32(&lanes_residuals, d->lanes, d->residuals + from, d->moments + from);
  double moments[HELPERS_AT_ONCE][12];
  for (uint32_t t = range.first; t < range.first + range.count; t++) {
    for (uint32_t h = 0; h < helpers; h++) {
      for (uint32_t c = 0; c < 4; c++) {
        const float *row = d->moments + ((size_t)4 * h + c) * d->stride + 3 * (size_t)t;
        for (uint32_t r = 0; r < 3; r++) moments[h][3 * c + r] = (double)row[r];
      }
    }
    for (int round = 0; round < pass->rounds; round++) {
      for (uint32_t h = 0; h < helpers; h++) settle_bone(pass, t, h, moments);
    }
  }
}

/* Fractions times rest positions of the helpers, dense; and the masses. */
static void gather(Decompose *d) {
  const uint32_t helpers = d->bones - d->fixed, most = d->def->influences;
  sup_zero(d->lanes, (size_t)4 * helpers * d->vertices * sizeof(float));
  sup_zero(d->masses, (size_t)16 * helpers * helpers * sizeof(double));
  for (uint32_t i = 0; i < d->vertices; i++) {
    const uint32_t *of = d->of + most * (size_t)i;
    const double *fractions = d->fractions + most * (size_t)i, *v = d->rest[i];
    const double weight = d->weight ? (double)d->weight[i] : 1;
    for (uint32_t a = 0; a < d->counts[i]; a++) {
      if (of[a] < d->fixed) continue;
      const uint32_t h = of[a] - d->fixed;
      float *lane = d->lanes + (size_t)4 * helpers * i + (size_t)4 * h;
      for (int c = 0; c < 4; c++) lane[c] = (float)(weight * fractions[a] * v[c]);
      for (uint32_t b = 0; b < d->counts[i]; b++) {
        if (of[b] < d->fixed) continue;
        double *mass = d->masses + (size_t)16 * (h * (size_t)helpers + (of[b] - d->fixed));
        const double w = weight * fractions[a] * fractions[b];
        for (int r = 0; r < 4; r++) {
          for (int c = 0; c < 4; c++) mass[4 * r + c] += w * v[r] * v[c];
        }
      }
    }
  }
}

void sup_decompose_transforms(Decompose *d, int rounds) {
  Pass pass = {d, rounds};
  gather(d);
  sup_parallel_for(d->def->jobs, d->frames, FRAMES_PER_TASK, settle_range, &pass);
}
