/* SPDX-License-Identifier: MIT */
/*
 * Patches as they are played: which vertices each moves, where their borders meet, and how
 * displacements of a border reach the inside.
 */
#ifndef SUP_TRAIN_PATCHES_PATCH_LAYOUT_H
#define SUP_TRAIN_PATCHES_PATCH_LAYOUT_H

#include "supple/author/patch_chart.h"
#include "supple/patch_parts.h"

/* Vertices of a patch that are the body's, or points on its edges: the border, counter-clockwise,
 * then the inside. Vertices of the chart in the middle of divided edges are left out. */
typedef struct SupPatchLayout {
  uint32_t count, border_count;
  const SupSkinPoint *points; /* [count] */
  const double (*uv)[2];      /* [count] in the chart */
} SupPatchLayout;

/* In `arena`. */
SupResult sup_patch_layout(SupArena *arena, const SupPatches *patches, const SupPatchChart *chart,
                           SupPatchLayout *out_layout, SupError *error);

typedef struct SupPatchSeams {
  uint32_t count, open_count;
  SupSeam *seams;         /* [count] */
  const uint32_t *places; /* [patches->mesh.vertex_count] seam of each vertex of the cut mesh, or
                             SUP_NONE */
} SupPatchSeams;

/* The seams of all patches; open beside triangles that no patch has. In `arena`. */
SupResult sup_patch_seams(SupArena *arena, const SupPatches *patches, SupPatchSeams *out_seams,
                          SupError *error);

/* F^-1 H (Guo 2007, Eq. 3.24, corrected), out_spread[(count - border_count) * border_count] rows of
 * the inner vertices of a layout: each row is a mean. positions[] are those of the skin's vertices.
 */
SupResult sup_patch_spread(const SupArena *arena, const SupPatches *patches,
                           const SupPatchChart *chart, const SupVec3d *positions, float *out_spread,
                           SupError *error);

#endif
