/* SPDX-License-Identifier: MIT */
/*
 * The table of hashes: what must have the same bits on every target.
 *
 * A row computes something through a backend and hashes the result. To add one: write a function
 * in a hash_rows_AREA.c file, name it in the table at the end of hash_rows.c, run `hash_table
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

/* src/math: hash_rows_math.c */
uint64_t hash_sin(const SupBackend *backend);
uint64_t hash_cos(const SupBackend *backend);
uint64_t hash_exp(const SupBackend *backend);
uint64_t hash_log(const SupBackend *backend);
uint64_t hash_acos(const SupBackend *backend);
uint64_t hash_atan2(const SupBackend *backend);
uint64_t hash_functions_double(const SupBackend *backend);
uint64_t hash_rotation_fit(const SupBackend *backend);
uint64_t hash_rotation_fit_any(const SupBackend *backend);
uint64_t hash_horn(const SupBackend *backend);
uint64_t hash_horn_double(const SupBackend *backend);
uint64_t hash_svd(const SupBackend *backend);
uint64_t hash_exp_log(const SupBackend *backend);
uint64_t hash_slerp(const SupBackend *backend);
uint64_t hash_affine_chain(const SupBackend *backend);
uint64_t hash_decompose(const SupBackend *backend);
uint64_t hash_float_double(const SupBackend *backend);

/* src/anim: hash_rows_anim.c */
uint64_t hash_clip(const SupBackend *backend);
uint64_t hash_pose(const SupBackend *backend);
uint64_t hash_skin_lbs(const SupBackend *backend);
uint64_t hash_skin_dqs(const SupBackend *backend);
uint64_t hash_skin_dqs_stretched(const SupBackend *backend);

/* src/geom: hash_rows_geom.c */
uint64_t hash_weld(const SupBackend *backend);
uint64_t hash_topology(const SupBackend *backend);
uint64_t hash_order(const SupBackend *backend);
uint64_t hash_laplacian(const SupBackend *backend);
uint64_t hash_geodesic(const SupBackend *backend);
uint64_t hash_bvh(const SupBackend *backend);
uint64_t hash_winding(const SupBackend *backend);

/* src/runtime: hash_rows_correctives.c */
uint64_t hash_correctives(const SupBackend *backend);

/* src/runtime: hash_rows_helpers.c */
uint64_t hash_helpers(const SupBackend *backend);

/* src/runtime: hash_rows_modes.c */
uint64_t hash_modes(const SupBackend *backend);
uint64_t hash_modes_warp(const SupBackend *backend);

/* src/runtime: hash_rows_popping.c */
uint64_t hash_popping(const SupBackend *backend);

/* src/author: hash_rows_builtin.c */
uint64_t hash_builtin(const SupBackend *backend);

/* src/runtime: hash_rows_surface.c */
uint64_t hash_surface(const SupBackend *backend);
uint64_t hash_surface_bones(const SupBackend *backend);
uint64_t hash_surface_absolute(const SupBackend *backend);
uint64_t hash_surface_normal(const SupBackend *backend);
uint64_t hash_surface_undelayed(const SupBackend *backend);
uint64_t hash_surface_scaled(const SupBackend *backend);

#endif
