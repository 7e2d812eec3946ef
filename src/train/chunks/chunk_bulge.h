/* SPDX-License-Identifier: MIT */
/*
 * Bulges: where the bottom of an ordinary chunk, or a centre line of a separable one, is raised
 * (docs/techniques/chunks.md).
 *
 * exp(-distance^2 / width^2), times a window that is 0 where the chunk ends, over its largest value
 * at a node: the height of a bulge is that of its highest node.
 */
#ifndef SUP_TRAIN_CHUNKS_CHUNK_BULGE_H
#define SUP_TRAIN_CHUNKS_CHUNK_BULGE_H

#include "chunk.h"
#include "runtime/chunks/shell_frames.h"

/* t^2 (3 - 2 t), from 0 at t = 0 to 1 at t = 1 and beyond. */
double sup_bulge_window(double t);

/* Shapes of centre lines: out_shape[slice_count] with the largest 1; all 0 where no slice is
 * inside. `centre` and `width` > 0 are fractions of the bone; the window is a quarter of it at each
 * end. */
void sup_bulge_along(const SupChunk *chunk, double centre, double width, double *out_shape);

/* Shapes of bottoms: out_shape[slice.node_count], 0 on the rim. corners[corner_count] are those of
 * the patch's chart; `centre` is an offset from the middle of the corners in units of the distance
 * from there to the nearest side, `width` > 0 too. The window is half that distance. */
void sup_bulge_below(const SupChunk *chunk, const double (*corners)[2], const double centre[2],
                     double width, double *out_shape);

#endif
