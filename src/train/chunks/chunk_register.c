/* SPDX-License-Identifier: MIT */
/* Places of skin on chunks. */
#include "chunk_register.h"

#define NOTHING 1e-9 /* weights below are those of places on an edge */

/* ---- Above the shell ------------------------------------------------------------------------- */

/* Barycentric coordinates; returns the least. */
static double in_triangle(const double a[2], const double b[2], const double c[2],
                          const double at[2], double out[3]) {
  const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  out[1] = ((at[0] - a[0]) * (c[1] - a[1]) - (at[1] - a[1]) * (c[0] - a[0])) / area;
  out[2] = ((b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0])) / area;
  out[0] = 1 - out[1] - out[2];
  const double least = out[1] < out[2] ? out[1] : out[2];
  return least < out[0] ? least : out[0];
}

/* None below 0, sum 1. */
static void tidy(SupChunkRegister *r) {
  double sum = 0;
  for (uint32_t k = 0; k < 4; k++) {
    if (!(r->weights[k] > NOTHING)) r->weights[k] = 0;
    sum += r->weights[k];
  }
  for (uint32_t k = 0; k < 4; k++) r->weights[k] /= sum;
}

SupChunkRegister sup_chunk_register_top(const SupChunk *chunk, const SupPatchChart *chart,
                                        const double uv[2]) {
  const SupChunkSlice *s = &chunk->slice;
  SupChunkRegister best = {{0}, {0}};
  double most = -__builtin_inf();
  for (uint32_t t = 0; t < s->triangle_count; t++) {
    const uint32_t *n = s->triangles + 3 * (size_t)t;
    double corners[3][2], weights[3];
    for (uint32_t k = 0; k < 3; k++) sup_chunk_top_uv(chart, s, n[k], corners[k]);
    const double least = in_triangle(corners[0], corners[1], corners[2], uv, weights);
    if (!(least > most)) continue;
    most = least;
    best = (SupChunkRegister){{n[0], n[1], n[2], n[2]}, {weights[0], weights[1], weights[2], 0}};
  }
  tidy(&best);
  return best;
}

/* ---- Limbs ----------------------------------------------------------------------------------- */

static double cross(const double a[2], const double b[2]) { return a[0] * b[1] - a[1] * b[0]; }

static double outside(double s) { return s < 0 ? -s : s > 1 ? s - 1 : 0; }

/* The root of a s^2 + b s + c nearest to 0 .. 1. */
static double root_between(double a, double b, double c) {
  const double square = b * b - 4 * a * c;
  const double q = -(b + (b < 0 ? -1 : 1) * sup_sqrt(square > 0 ? square : 0)) / 2;
  const double first = q != 0 ? c / q : 0;
  if (a == 0) return first;
  const double second = q / a;
  return outside(second) < outside(first) ? second : first;
}

void sup_inverse_bilinear(const double *const corners[4], const double at[2], double out[2]) {
  double across[2], along[2], twist[2], from[2], rest[2], rise[2];
  for (uint32_t k = 0; k < 2; k++) {
    across[k] = corners[1][k] - corners[0][k];
    along[k] = corners[3][k] - corners[0][k];
    twist[k] = corners[0][k] - corners[1][k] + corners[2][k] - corners[3][k];
    from[k] = at[k] - corners[0][k];
  }
  /* (from - s across) is parallel to (along + s twist). */
  const double s = root_between(-cross(across, twist), cross(from, twist) - cross(across, along),
                                cross(from, along));
  for (uint32_t k = 0; k < 2; k++) {
    rest[k] = from[k] - s * across[k];
    rise[k] = along[k] + s * twist[k];
  }
  const double t =
      (rest[0] * rise[0] + rest[1] * rise[1]) / (rise[0] * rise[0] + rise[1] * rise[1]);
  out[0] = s < 0 ? 0 : s > 1 ? 1 : s;
  out[1] = t < 0 ? 0 : t > 1 ? 1 : t;
}

/* The cell of `count` that x, 0 to 1, is in; and where. */
static uint32_t cell_of(double x, uint32_t count, double *out_inside) {
  uint32_t cell = (uint32_t)(x * count);
  if (cell >= count) cell = count - 1;
  *out_inside = x * count - cell;
  return cell;
}

SupChunkRegister sup_chunk_register_side(const SupChunk *chunk, const SupPatchCharts *charts,
                                         const SupPatchRing *ring, uint32_t side,
                                         const double uv[2]) {
  const SupPatchChart *chart = &charts->charts[ring->patches[side]];
  const SupChunkSlice *slice = &chunk->slice;
  const uint32_t all = slice->corner_count * slice->parts;
  const double *corners[4];
  double at[2], v, u;
  for (uint32_t k = 0; k < 4; k++) corners[k] = chart->corners[(ring->first_corners[side] + k) % 4];
  sup_inverse_bilinear(corners, uv, at);
  const uint32_t i = side * slice->parts + cell_of(at[0], slice->parts, &v);
  const uint32_t j = cell_of(at[1], chunk->slice_count - 1, &u);
  SupChunkRegister r = {
      {sup_chunk_node(chunk, j, slice->rim[i]), sup_chunk_node(chunk, j, slice->rim[(i + 1) % all]),
       sup_chunk_node(chunk, j + 1, slice->rim[(i + 1) % all]),
       sup_chunk_node(chunk, j + 1, slice->rim[i])},
      {(1 - u) * (1 - v), (1 - u) * v, u * v, u * (1 - v)}};
  tidy(&r);
  return r;
}
