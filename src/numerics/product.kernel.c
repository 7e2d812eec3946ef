/* SPDX-License-Identifier: MIT */
/*
 * Products of matrices. Slices of both are packed for a kernel that makes a tile, and tiles are
 * added slice by slice: every number of the product is summed by itself and in one order, so all
 * widths give the same bits.
 */
#include "numerics/product.h"
#include "base/simd.h"

enum { ROWS = 8, COLUMNS = 16, PANEL = 64, SLICE = 128 };

/* out[ROWS * COLUMNS] = sum over k of a[k * ROWS + row] b[k * COLUMNS + column]. */
static void make_tile(int inner, const sup_real *a, const sup_real *b, sup_real *out) {
  for (int first = 0; first < COLUMNS; first += SUP_WIDTH) {
    sup_vf sums[ROWS];
    for (int r = 0; r < ROWS; r++) sums[r] = SUP_C(0);
    for (int k = 0; k < inner; k++) {
      const sup_real *left = a + ROWS * k;
      const sup_vf right = sup_vf_load(b + COLUMNS * k + first);
      for (int r = 0; r < ROWS; r++) sums[r] += sup_vf_splat(left[r]) * right;
    }
    for (int r = 0; r < ROWS; r++) sup_vf_store(out + COLUMNS * r + first, sums[r]);
  }
}

/* to[k * width + i] = from[i * across + k * along], zero beyond `count` of i. */
static void pack(const sup_real *from, size_t across, size_t along, int count, int width, int inner,
                 sup_real *to) {
  for (int k = 0; k < inner; k++, from += along, to += width) {
    if (across == 1) {
      for (int i = 0; i < count; i++) to[i] = from[i];
    } else {
      for (int i = 0; i < count; i++) to[i] = from[(size_t)i * across];
    }
    for (int i = count; i < width; i++) to[i] = 0;
  }
}

static int least(int a, int b) { return a < b ? a : b; }

/* Begins a tile of the product, or adds to it. */
static void put(const SupProduct *p, const sup_real *tile, int row, int column, bool begin,
                sup_real *out) {
  const int rows = least(ROWS, p->rows - row), columns = least(COLUMNS, p->columns - column);
  for (int r = 0; r < rows; r++) {
    sup_real *to = out + (size_t)(row + r) * (size_t)p->out_stride + (size_t)column;
    for (int c = 0; c < columns; c++) {
      const sup_real more = tile[r * COLUMNS + c];
      to[c] = begin ? more : to[c] + more;
    }
  }
}

/* Adds numbers first .. first + inner of all sums to rows top .. top + PANEL. */
static void add_panel(const SupProduct *p, const sup_real *a, const sup_real *b, int top, int first,
                      int inner, sup_real *out) {
  sup_real left[PANEL * SLICE], right[COLUMNS * SLICE], tile[ROWS * COLUMNS];
  const size_t a_stride = (size_t)p->a_stride, b_stride = (size_t)p->b_stride;
  const size_t a_across = p->a_transposed ? 1 : a_stride, a_along = p->a_transposed ? a_stride : 1;
  const size_t b_across = p->b_transposed ? b_stride : 1, b_along = p->b_transposed ? 1 : b_stride;
  const int rows = least(PANEL, p->rows - top);
  const size_t k = (size_t)first;
  for (int r = 0; r < rows; r += ROWS) {
    pack(a + (size_t)(top + r) * a_across + k * a_along, a_across, a_along, least(ROWS, rows - r),
         ROWS, inner, left + r * SLICE);
  }
  for (int c = 0; c < p->columns; c += COLUMNS) {
    pack(b + (size_t)c * b_across + k * b_along, b_across, b_along, least(COLUMNS, p->columns - c),
         COLUMNS, inner, right);
    for (int r = 0; r < rows; r += ROWS) {
      make_tile(inner, left + r * SLICE, right, tile);
      put(p, tile, top + r, c, first == 0, out);
    }
  }
}

void SUP_KERNEL(product)(const SupProduct *p, const sup_real *a, const sup_real *b, sup_real *out) {
  for (int r = 0; r < p->rows && p->inner == 0; r++) {
    sup_zero(out + (size_t)r * (size_t)p->out_stride, (size_t)p->columns * sizeof *out);
  }
  for (int top = 0; top < p->rows; top += PANEL) {
    for (int first = 0; first < p->inner; first += SLICE) {
      add_panel(p, a, b, top, first, least(SLICE, p->inner - first), out);
    }
  }
}
