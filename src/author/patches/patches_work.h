/* SPDX-License-Identifier: MIT */
/* What the steps of sup_patches_create hand to each other. */
#ifndef SUP_AUTHOR_PATCHES_WORK_H
#define SUP_AUTHOR_PATCHES_WORK_H

#include "supple/author/patches.h"

/* A piece of a boundary within one triangle or along one edge: vertices of the cut mesh. */
typedef struct SupPatchSegment {
  uint32_t from, to;
  uint32_t boundary;
  uint32_t triangle; /* of the skin, or SUP_NONE: along an edge */
} SupPatchSegment;

typedef struct SupPatchCut {
  uint32_t point_count;
  const SupSkinPoint *points;      /* [point_count] */
  const uint32_t *edge_offsets;    /* [edge_count + 1] into edge_points */
  const uint32_t *edge_points;     /* points on each edge, by their place on it */
  uint32_t segment_count;          /* those across triangles first, by triangle */
  const SupPatchSegment *segments; /* [segment_count] none along an edge passes a point of it */
  uint32_t across_count;
  SupMesh mesh;
  const uint32_t *owners;
  const uint32_t *features; /* [feature_count] vertices */
} SupPatchCut;

/* Puts where it stands before a sentence: the source, and the line if it is not 0. */
SupResult sup_patch_prefix(const char *source, uint32_t line, SupResult result, SupError *error);

/* Points on edges, segments, and the divided triangles. */
SupResult sup_patch_cut(SupArena *arena, SupArena *scratch, const SupPatchesDef *def,
                        SupPatchCut *out_cut, SupError *error);

/* Divides a convex polygon corners[count], which may have corners on its straight sides, into
 * count - 2 triangles of positive area: out_triangles[3 * (count - 2)] are indices into corners.
 * Places are in the plane. False if it has no area. count is at most SUP_POLYGON_MAX. */
#define SUP_POLYGON_MAX 64u
bool sup_polygon_divide(uint32_t count, const double (*places)[2], uint32_t *out_triangles);

/* The edge of two vertices, or SUP_NONE. */
uint32_t sup_edge_between(const SupTopology *topology, uint32_t a, uint32_t b);

/* Where on the line through a and b the two lines to the unfolded neighbours are one, from 0 at a
 * to 1 at b; `t` where there is no such place. */
double sup_straight_at(SupVec3d a, SupVec3d b, SupVec3d before, SupVec3d after, double t);
/* The edge that both points lie on, ends included, or SUP_NONE. */
uint32_t sup_edge_of_both(const SupTopology *topology, SupSkinPoint p, SupSkinPoint q);

/* A triangle with both points in its inside or on its border, or SUP_NONE. */
uint32_t sup_triangle_of_both(const SupMesh *mesh, const SupTopology *topology, SupSkinPoint p,
                              SupSkinPoint q);

#endif
