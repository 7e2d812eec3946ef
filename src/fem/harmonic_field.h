/* SPDX-License-Identifier: MIT */
/* What is known on the skin, carried into the volume. */
#ifndef SUP_SRC_FEM_HARMONIC_FIELD_H
#define SUP_SRC_FEM_HARMONIC_FIELD_H

#include "supple/fem/fill.h"

/* Adds `share` times the values of skin vertex v to row[width]. */
typedef void SupSkinRow(const void *user, uint32_t v, float fraction, float *row);

/* Rows of `width` numbers for every node: out_rows[node_count * width], zeroed before. Nodes of
 * tetrahedra that carry skin vertices get the weighted mean of those vertices' rows, all others
 * the mean of their neighbours (a harmonic field): values travel through flesh, not through the
 * air between two thighs. A piece of volume without skin keeps zeros. */
SupResult sup_harmonic_field(SupArena *arena, const SupFill *fill, uint32_t width,
                             SupSkinRow *skin_row, const void *user, float *out_rows,
                             SupError *error);

#endif
