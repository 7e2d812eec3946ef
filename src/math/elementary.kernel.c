/* SPDX-License-Identifier: MIT */
/* The elementary functions over arrays. */
#include "math/elementary.h"
#include "math/math_kernels.h"

/* The last, incomplete vector of an array: the missing lanes are 0. */
SUP_INLINE sup_vf load_part(const sup_real *x, size_t count) {
  sup_real lanes[SUP_WIDTH] = {0};
  for (size_t k = 0; k < count; k++) lanes[k] = x[k];
  return sup_vf_load(lanes);
}

SUP_INLINE void store_part(sup_real *out, size_t count, sup_vf value) {
  sup_real lanes[SUP_WIDTH];
  sup_vf_store(lanes, value);
  for (size_t k = 0; k < count; k++) out[k] = lanes[k];
}

SUP_INLINE void map(sup_vf (*function)(sup_vf), const sup_real *x, size_t count, sup_real *out) {
  size_t i = 0;
  for (; i + SUP_WIDTH <= count; i += SUP_WIDTH) {
    sup_vf_store(out + i, function(sup_vf_load(x + i)));
  }
  if (i < count) store_part(out + i, count - i, function(load_part(x + i, count - i)));
}

void SUP_KERNEL(map_sin)(const sup_real *x, size_t count, sup_real *out) {
  map(sup_vf_sin, x, count, out);
}

void SUP_KERNEL(map_cos)(const sup_real *x, size_t count, sup_real *out) {
  map(sup_vf_cos, x, count, out);
}

void SUP_KERNEL(map_exp)(const sup_real *x, size_t count, sup_real *out) {
  map(sup_vf_exp, x, count, out);
}

void SUP_KERNEL(map_log)(const sup_real *x, size_t count, sup_real *out) {
  map(sup_vf_log, x, count, out);
}

void SUP_KERNEL(map_acos)(const sup_real *x, size_t count, sup_real *out) {
  map(sup_vf_acos, x, count, out);
}

void SUP_KERNEL(map_atan2)(const sup_real *y, const sup_real *x, size_t count, sup_real *out) {
  size_t i = 0;
  for (; i + SUP_WIDTH <= count; i += SUP_WIDTH) {
    sup_vf_store(out + i, sup_vf_atan2(sup_vf_load(y + i), sup_vf_load(x + i)));
  }
  if (i < count) {
    const size_t left = count - i;
    store_part(out + i, left, sup_vf_atan2(load_part(y + i, left), load_part(x + i, left)));
  }
}
