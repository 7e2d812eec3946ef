/* SPDX-License-Identifier: MIT */
/*
 * The table of hashes: what must have the same bits on every target.
 *
 * A row computes something through a backend and hashes the result. To add one: write a function
 * in a hash_rows_AREA.c file, name it in HASH_ROWS below, run `hash_table
 * --print` on any machine and put the new line into golden.txt. Rows need no C library, so that the
 * same sources run natively and as a WebAssembly module.
 */
#ifndef SUP_TESTS_HASH_ROWS_H
#define SUP_TESTS_HASH_ROWS_H

#include "supple/backend.h"

typedef struct HashRow {
  const char *name;
  uint64_t (*compute)(const SupBackend *backend);
} HashRow;

extern const HashRow hash_rows[];
extern const uint32_t hash_row_count;

/* Random floats for rows: ordinary ones in [-20, 20), or any bits at all. */
void hash_fill(uint64_t seed, float *out, uint32_t count);
void hash_fill_any(uint64_t seed, float *out, uint32_t count);

/* An arena for code without a C library. All calls give the same memory: one row at a time. */
SupArena hash_arena(void);

/* The rows, in order: ROW(name) is hash_name in some hash_rows_AREA.c. */
/* clang-format off */
#define HASH_ROWS(ROW) \
  ROW(rng) ROW(sin) ROW(cos) ROW(exp) ROW(log) ROW(acos) ROW(atan2) ROW(functions_double) \
  ROW(rotation_fit) ROW(rotation_fit_any) ROW(horn) ROW(horn_double) ROW(svd) ROW(exp_log) \
  ROW(slerp) ROW(affine_chain) ROW(decompose) ROW(float_double) ROW(clip) ROW(pose) \
  ROW(skin_lbs) ROW(skin_dqs) ROW(skin_dqs_stretched) ROW(weld) ROW(topology) ROW(order) \
  ROW(laplacian) ROW(geodesic) ROW(bvh) ROW(winding) ROW(builtin) ROW(builtin_cat) \
  ROW(correctives) ROW(envelope) ROW(chunks) ROW(popping) ROW(helpers) ROW(modes) ROW(modes_warp) ROW(surface) \
  ROW(surface_bones) ROW(surface_absolute) ROW(surface_normal) ROW(surface_undelayed) \
  ROW(surface_scaled)
/* clang-format on */

#define ROW(name) uint64_t hash_##name(const SupBackend *backend);
HASH_ROWS(ROW)
#undef ROW

#endif
