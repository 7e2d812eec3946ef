/* SPDX-License-Identifier: MIT */
/*
 * Supple: Guo 2007, chapter 4 (SWDC), again: chunks against the full elastic simulation of the same
 * flesh, which the thesis does not have.
 *
 * Full: the wedges divided into three tetrahedra each, stable neo-Hookean, in equilibrium, with the
 * nodes held that the chunk holds, where it holds them.
 */
#ifndef SUPPLE_APP_PAPER_GUO_SWDC_H
#define SUPPLE_APP_PAPER_GUO_SWDC_H

#include "supple/app/app_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Poisson's ratio of all of this; the thesis has 0.4 to 0.49. */
#define SUP_SWDC_POISSON 0.4

/* ---- Table 4.3 ------------------------------------------------------------------------------ */

typedef struct SupSwdcCount {
  const char *part; /* of the thesis's upper body */
  uint32_t corner_count, levels, slice_count;
  uint32_t node_count, triangle_count; /* triangles of a slice */
  uint32_t paper_nodes, paper_triangles;
} SupSwdcCount;

#define SUP_SWDC_COUNTS 4
SupResult sup_swdc_count(SupArena *arena, uint32_t row, SupSwdcCount *out, SupError *error);

/* ---- Against the full simulation ------------------------------------------------------------ */

typedef struct SupSwdcPose {
  double bend, twist; /* degrees */
} SupSwdcPose;

typedef struct SupSwdcSize {
  double volume; /* of that at rest */
  double least;  /* ratio of a determinant at a Gauss point to that at rest */
} SupSwdcSize;

/* How a chunk does: distance of its free skin nodes from the full simulation, in radii. */
typedef struct SupSwdcNear {
  double rms, most;
  SupSwdcSize size;
} SupSwdcNear;

/* Ways to move a limb. All but the last two hold the same nodes at the same places; in these its
 * end slices turn with their joints, displaced in the frame of the bone. */
typedef enum SupSwdcWay {
  SUP_SWDC_EASED,       /* as it is played: frames of slices, part of a bend is left to the flesh */
  SUP_SWDC_EASED_NODAL, /* the same by the points of Table 4.2 */
  SUP_SWDC_SLICES,      /* slices take all of a bend */
  SUP_SWDC_UNTWISTED,   /* as played, but all twist is an elastic displacement */
  SUP_SWDC_ONE_FRAME,   /* the thesis's, with Gauss points */
  SUP_SWDC_PRINTED,     /* the thesis's, with the points of Table 4.2 */
  SUP_SWDC_WAYS
} SupSwdcWay;

typedef struct SupSwdcLimbRow {
  SupSwdcSize full, full_turned; /* of the two sets of held nodes */
  SupSwdcNear ways[SUP_SWDC_WAYS];
} SupSwdcLimbRow;

/* A limb of radius 1 and length 4, 1,008 nodes as in Table 4.3, straight as bound. Its bone stays;
 * the joint at its end bends by `bend`, so that the slice there tilts by half of it, and `twist` is
 * what one end has beside the other. `hourglass`: 0.4 as wide in the middle. out[count]. */
SupResult sup_swdc_limb(const SupAppContext *app, bool hourglass, uint32_t count,
                        const SupSwdcPose *poses, SupSwdcLimbRow *out, SupError *error);

/* Distances, root mean square in radii, from a full simulation whose every wedge is divided into
 * eight: of the full simulation as above, and of the limb as it is played. */
typedef struct SupSwdcFiner {
  double full, gauss, nodal;
} SupSwdcFiner;

SupResult sup_swdc_limb_finer(const SupAppContext *app, SupSwdcPose pose, SupSwdcFiner *out,
                              SupError *error);

typedef struct SupSwdcTrunkRow {
  SupSwdcSize full;
  SupSwdcNear gauss, nodal;
} SupSwdcTrunkRow;

/* The six chunks in the middle row of a trunk of three, radius 1 and height 4, 324 nodes each as in
 * Table 4.3, above a shell of half its volume that is bent along an arc and twisted evenly. */
SupResult sup_swdc_trunk(const SupAppContext *app, uint32_t count, const SupSwdcPose *poses,
                         SupSwdcTrunkRow *out, SupError *error);

/* ---- Times ---------------------------------------------------------------------------------- */

/* Set-up and frames of a body of the thesis's size, made of tubes: a trunk and arms, or a trunk,
 * legs and a tail. */
typedef struct SupSwdcTimes {
  const char *name;
  uint32_t vertex_count, patch_count, chunk_count, limb_count, node_count, column_count;
  size_t bytes;
  double cut_seconds;   /* patches and their charts */
  double setup_seconds; /* chunks, condensation, packing */
  double frame_seconds; /* the shape of a pose, one thread */
  uint32_t paper_vertices, paper_chunks, paper_nodes;
  double paper_setup, paper_frame;
} SupSwdcTimes;

#define SUP_SWDC_BODIES 2
SupResult sup_swdc_times(const SupAppContext *app, uint32_t body, SupSwdcTimes *out,
                         SupError *error);

#ifdef __cplusplus
}
#endif
#endif
