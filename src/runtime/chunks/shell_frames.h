/* SPDX-License-Identifier: MIT */
/*
 * How the base shell carries the flesh above it: frames of its edges and faces, and the numbers
 * that an ordinary chunk follows (docs/techniques/chunks.md).
 */
#ifndef SUP_SRC_RUNTIME_CHUNKS_SHELL_FRAMES_H
#define SUP_SRC_RUNTIME_CHUNKS_SHELL_FRAMES_H

#include "supple/chunks.h"

typedef SupChunksEdge SupShellEdge;

typedef struct SupShell {
  uint32_t vertex_count, face_count, edge_count;
  const uint32_t *offsets;        /* [face_count + 1] into corners and edges_of */
  const uint32_t *corners;        /* vertices, counter-clockwise seen from outside */
  const uint32_t *edges_of;       /* the edge from each corner to the next */
  const SupShellEdge *edges;      /* [edge_count] */
  const uint32_t *vertex_offsets; /* [vertex_count + 1] into vertex_edges */
  const uint32_t *vertex_edges;   /* edges at each vertex */
} SupShell;

/* Twice the area, times the normal, of a polygon that need not be flat. */
SupVec3d sup_face_area(uint32_t count, const SupVec3d *corners);

/* The frame of a polygon: origin in the middle of its corners, z along its normal, y along its
 * first side. Rigid. */
SupAffined sup_face_frame(uint32_t count, const SupVec3d *corners);

/* How each edge carries flesh from rest to now, out_maps[edge_count], Guo 2007, 4.4.1: the origin
 * of its frame is its beginning, z the mean normal of its faces made perpendicular, y its
 * direction, along which the frame becomes as much longer as the edge does. Positions are
 * [vertex_count]. */
void sup_shell_edge_maps(const SupShell *shell, const SupVec3d *rest, const SupVec3d *now,
                         SupAffined *out_maps);

/* The same in two parts: once from the scene to the frames at rest, out_backs[edge_count]; then in
 * every pose. `backs` may be out_maps. */
void sup_shell_edge_backs(const SupShell *shell, const SupVec3d *rest, SupAffined *out_backs);
void sup_shell_edge_maps_from(const SupShell *shell, const SupAffined *backs, const SupVec3d *now,
                              SupAffined *out_maps);

/* The mean of the maps of the edges at a vertex. */
SupAffined sup_shell_vertex_map(const SupShell *shell, const SupAffined *edge_maps,
                                uint32_t vertex);

/* A face and what moves the chunk above it, corner by corner; side k goes from corner k on. */
typedef struct SupShellFace {
  uint32_t count;
  const SupVec3d *rest, *now;
  const SupAffined *side_maps, *corner_maps;
} SupShellFace;

/* What an ordinary chunk follows, in its own space, which is `rest` in bind space:
 * out_numbers[27 count], the maps of the sides less the identity (t, then the columns of L), those
 * of the corners, the displacements of the face's vertices. Returns the frame of the face, now. */
SupAffined sup_shell_face_numbers(const SupShellFace *face, SupAffined rest, double *out_numbers);

/* How high a bulge is that grows as a face of the shell gets smaller: height (rest / now - 1),
 * below 0 a dent unless `no_dents`. */
double sup_bulge_height_by_area(double height, double rest_area, double area, bool no_dents);

#endif
