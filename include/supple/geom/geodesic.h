/* SPDX-License-Identifier: MIT */
/* Supple: distances along a surface. */
#ifndef SUPPLE_GEOM_GEODESIC_H
#define SUPPLE_GEOM_GEODESIC_H

#include "supple/geom/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupGeodesicDef {
  SupMesh mesh;
  const SupTopology *topology; /* of the mesh */
  uint32_t source_count;
  const uint32_t *sources; /* [source_count] vertices at distance 0; repetition does no harm */
  double max_distance;     /* vertices farther away are not visited; 0 means no limit */
} SupGeodesicDef;

typedef struct SupGeodesic {
  const double *distances; /* [vertex_count] in units of the positions, INFINITY: not reached */
  const uint32_t *nearest; /* [vertex_count] the source vertex it was reached from, or SUP_NONE */
} SupGeodesic;

/* Shortest distances across triangles, from the nearest source, in O(n log n). Not exact, but
 * close: to rounding where a straight line on an unrolled surface leads to the source, within about
 * 0.1 % behind corners, 0.3 % on a sphere of 2,500 vertices (docs/geometry.md); near the border
 * between the regions of two sources single vertices may be off by a third of an edge. Edges with
 * more than two triangles are walls that are passed only along edges. Works on any number of
 * components; where no source is, the distance is INFINITY. Fails if memory is short or a source is
 * not a vertex. The result lives in `arena`; *out_geodesic is untouched on failure. `error` may be
 * NULL. */
SupResult sup_geodesic(SupArena *arena, const SupGeodesicDef *def, SupGeodesic *out_geodesic,
                       SupError *error);

/* The same along edges only (Dijkstra): longer than the true distance, by up to 15 % on regular
 * triangles, but cheap and never shorter than it. */
SupResult sup_edge_distance(SupArena *arena, const SupGeodesicDef *def, SupGeodesic *out_geodesic,
                            SupError *error);

#ifdef __cplusplus
}
#endif
#endif
