/* SPDX-License-Identifier: MIT */
/*
 * Supple: welding, the merging of vertices that lie on top of each other.
 *
 * Files duplicate a vertex wherever its texture coordinate, normal or material changes; a surface
 * that is to be simulated must not fall apart there.
 */
#ifndef SUPPLE_GEOM_WELD_H
#define SUPPLE_GEOM_WELD_H

#include "supple/geom/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether vertices a < b, of different groups and within the tolerance, are the same vertex. */
typedef bool SupMayMerge(void *user, uint32_t a, uint32_t b);

typedef struct SupWeldDef {
  uint32_t vertex_count;
  const SupVec3 *positions; /* [vertex_count] */
  float tolerance;          /* greatest distance, in the unit of the positions; 0: equal only */
  /* [vertex_count] or NULL (all one group). Vertices of one group merge by position alone. */
  const uint32_t *groups;
  /* Asked for vertices of different groups; NULL: they never merge. Vertices of one group that
   * share a cell of half the tolerance are asked for together, by one pair of them. */
  SupMayMerge *may_merge;
  void *user; /* handed to may_merge */
} SupWeldDef;

/* Which vertices became one. Being close is passed on: where a is close to b and b to c, all three
 * are one vertex, however far c is from a. Each set is represented by its lowest vertex, and
 * welded vertices are numbered in the order of their representatives. */
typedef struct SupWeld {
  uint32_t welded_count;
  const uint32_t *map;             /* [vertex_count] welded vertex of each vertex */
  const uint32_t *representatives; /* [welded_count] rising; map[representatives[w]] is w */
  uint32_t largest_set;            /* vertices in the largest set */
  float farthest;                  /* greatest distance of a vertex from its representative */
  uint32_t refused;                /* how often may_merge said no */
} SupWeld;

/* Finds the sets in expected linear time. The result lives in `arena`. The partition does not
 * depend on the order of the vertices (with may_merge: as far as its answers do not depend on
 * which pair it is asked about). Fails if memory is short or a position or the tolerance is not
 * finite, or (SUP_ERROR_UNSUPPORTED) if thousands of groups lie at the same places, where every
 * pair of them would have to be compared; *out_weld is then untouched. `error` may be NULL. */
SupResult sup_weld(SupArena *arena, const SupWeldDef *def, SupWeld *out_weld, SupError *error);

/* Triangles after welding. */
typedef struct SupCleanTriangles {
  uint32_t triangle_count;
  const uint32_t *triangles; /* [3 * triangle_count] welded vertices, corners in their old order */
  const uint32_t *sources;   /* [triangle_count] rising: the old number of each triangle */
  uint32_t degenerate;       /* dropped: two corners became one vertex */
  uint32_t duplicate;        /* dropped: an earlier triangle has the same corners and side */
} SupCleanTriangles;

/* Renames the corners of triangles[3 * triangle_count] by `map` (NULL: as they are) and drops
 * degenerate triangles and repeated ones. Triangles with the same corners and opposite sides are
 * different: both stay. The result lives in `arena`. Fails only if memory is short. */
SupResult sup_triangles_clean(SupArena *arena, const uint32_t *triangles, uint32_t triangle_count,
                              const uint32_t *map, SupCleanTriangles *out_clean, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
