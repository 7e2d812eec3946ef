/* SPDX-License-Identifier: MIT */
/* The triangulation that all slices of a chunk have in common (docs/techniques/chunks.md). */
#ifndef SUP_TRAIN_CHUNKS_CHUNK_SLICE_H
#define SUP_TRAIN_CHUNKS_CHUNK_SLICE_H

#include "supple/geom/mesh.h"

/* How a polygon is divided into triangles before these are divided into four, again and again. */
typedef enum SupSliceKind {
  SUP_SLICE_FAN,       /* around a centre, the mean of the corners */
  SUP_SLICE_DIAGONALS, /* in zigzag from side to side */
  SUP_SLICE_SECTORS /* one sector per side, each with a centre of its own: they share only corners
                     */
} SupSliceKind;

#define SUP_SLICE_MOST_LEVELS 5
#define SUP_SLICE_MOST_CORNERS 64

/* A node between three points: corners 0 .. corner_count - 1, then centres. */
typedef struct SupSliceNode {
  uint32_t points[3];
  double weights[3]; /* exact multiples of 1 / parts, with sum 1; 0 where there are fewer points */
} SupSliceNode;

typedef struct SupChunkSlice {
  SupSliceKind kind;
  uint32_t corner_count;
  uint32_t parts; /* of a side: 2^levels */
  uint32_t node_count, triangle_count;
  const SupSliceNode *nodes;  /* [node_count] */
  const uint32_t *triangles;  /* [3 * triangle_count] counter-clockwise as the corners are */
  const uint32_t *rim;        /* [corner_count * parts] nodes, from corner 0 on */
  const uint32_t *rim_places; /* [node_count] where each is in rim, or SUP_NONE */
  const uint32_t *offsets;    /* [node_count + 1] into neighbours */
  const uint32_t *neighbours; /* rising for each node */
} SupChunkSlice;

/* corner_count from 3 to SUP_SLICE_MOST_CORNERS, levels to SUP_SLICE_MOST_LEVELS. */
SupResult sup_chunk_slice(SupArena *arena, SupSliceKind kind, uint32_t corner_count,
                          uint32_t levels, SupChunkSlice *out_slice, SupError *error);

/* How much of corner k is in a node of a fan or of diagonals, whose centre is the corners' mean. */
double sup_slice_corner_weight(const SupChunkSlice *slice, uint32_t node, uint32_t corner);

/* A node of a sector: how far it is from the centre (1: on the rim), and the two nodes of the rim,
 * as numbers in `rim`, between which the ray from the centre through it ends. */
typedef struct SupSectorPlace {
  double radius;
  uint32_t rim[2];
  double t; /* from rim[0] to rim[1] */
} SupSectorPlace;

SupSectorPlace sup_slice_sector_place(const SupChunkSlice *slice, uint32_t node);

#endif
