/* SPDX-License-Identifier: MIT */
/*
 * The base shell: the polygons below ordinary chunks, one for each patch of a zone
 * (docs/techniques/chunks.md).
 */
#ifndef SUP_TRAIN_CHUNKS_SHELL_H
#define SUP_TRAIN_CHUNKS_SHELL_H

#include "supple/geom/mesh.h"

typedef struct SupShellEdge {
  uint32_t from, to; /* vertices, from < to */
  uint32_t faces[2]; /* SUP_NONE beyond the border */
} SupShellEdge;

typedef struct SupShell {
  uint32_t vertex_count, face_count, edge_count;
  const uint32_t *offsets;        /* [face_count + 1] into corners and edges_of */
  const uint32_t *corners;        /* vertices, counter-clockwise seen from outside */
  const uint32_t *edges_of;       /* the edge from each corner to the next */
  const SupShellEdge *edges;      /* [edge_count] */
  const uint32_t *vertex_offsets; /* [vertex_count + 1] into vertex_edges */
  const uint32_t *vertex_edges;   /* edges at each vertex */
} SupShell;

/* Faces of three corners or more. SUP_ERROR_FORMAT: more than two faces at an edge, or two that run
 * along it in one direction. In `arena`; offsets and corners are the caller's. */
SupResult sup_shell_create(SupArena *arena, uint32_t vertex_count, uint32_t face_count,
                           const uint32_t *offsets, const uint32_t *corners, SupShell *out_shell,
                           SupError *error);

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

/* The mean of the maps of the edges at a vertex. */
SupAffined sup_shell_vertex_map(const SupShell *shell, const SupAffined *edge_maps,
                                uint32_t vertex);

/* What the shell encloses; its openings are closed by fans around their middles. */
SupResult sup_shell_volume(SupArena *arena, const SupShell *shell, const SupVec3d *positions,
                           double *out_volume, SupError *error);

/* How far its vertices have to go inwards, against normals[vertex_count], for it to enclose half of
 * what it does. SUP_ERROR_FORMAT where no distance does that. */
SupResult sup_shell_half_depth(SupArena *arena, const SupShell *shell, const SupVec3d *positions,
                               const SupVec3d *normals, double *out_depth, SupError *error);

#endif
