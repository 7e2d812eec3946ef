/* SPDX-License-Identifier: MIT */
/* What the files of the chunks share: the layout of a state, and the stages of a shape. */
#ifndef SUP_SRC_RUNTIME_CHUNKS_PARTS_H
#define SUP_SRC_RUNTIME_CHUNKS_PARTS_H

#include "runtime/chunks/limb_frame.h"
#include "runtime/chunks/shell_frames.h"
#include "supple/chunks.h"

#define SUP_CHUNKS_FRAME 16 /* floats of a frame: linear part, translation, zeros */
#define SUP_CHUNKS_OFFSET \
  4 /* floats of a displacement from plain skinning: x y z, one to fill up */

/* Offsets are in bytes from the start of the state. */
struct SupChunksState {
  uint64_t bytes;
  uint64_t backs;      /* [edge_count] SupAffined, from sup_shell_edge_backs */
  uint64_t palette;    /* [bone_count] SupAffine, still */
  uint64_t points;     /* [point_count] SupVec3d, skinned; still, as all that follows */
  uint64_t edges;      /* [edge_count] SupAffined, maps from bind space */
  uint64_t vertices;   /* [vertex_count] SupAffined, their means */
  uint64_t limbs;      /* [limb_count] SupLimbPose */
  uint64_t joints;     /* [limb_joint_count] SupAffined, the shared slices */
  uint64_t heights;    /* [bulge_count] float */
  uint64_t wide;       /* [number_count] double */
  uint64_t numbers;    /* [number_count] float, the same */
  uint64_t frames;     /* [16 * frame_count] float */
  uint64_t nodes;      /* [16 * node_count] float */
  uint64_t strengths;  /* [piece_count] float */
  uint64_t unsound;    /* [piece_count] uint32_t: 1: out of bounds, plainly skinned */
  uint64_t rows;       /* [48 * block_count] float, moved by the root */
  uint64_t seams;      /* [4 * seam_count] float, sum and number, then the place */
  uint64_t pulls;      /* [16 * blocks of the skin] float, from sup_chunks_find_band */
  uint64_t offsets[2]; /* [4 * 16 * blocks of the skin] float each */
};

static inline void *sup_chunks_at(const SupChunksState *state, uint64_t offset) {
  return (char *)(uintptr_t)state + offset;
}

/* The shell, in the model's arrays. */
SupShell sup_chunks_shell(const SupChunksView *model);

/* out_points[point_count] of the bind pose. */
void sup_chunks_rest_points(const SupChunksView *model, SupVec3d *out_points);

/* Palette, points, shell, limbs and joints, heights, strengths. The root has an inverse. */
void sup_chunks_drive(const SupChunksView *model, SupChunksState *state, const SupChunksCall *call);

/* The numbers and frames of one chunk; a limb's needs the nodes of the ordinary ones beside it. */
void sup_chunks_drive_piece(const SupChunksView *model, SupChunksState *state, uint32_t piece);

/* out_pulls[16 * blocks of the skin]: what smoothing multiplies the sum of the differences to a
 * lane's neighbours with; 0 beyond the band around the seams. */
void sup_chunks_find_band(const SupChunksView *model, float *out_pulls);

/* From skinned positions of all lanes to those of the patches' rows, smooth across seams. */
void sup_chunks_smooth(const SupChunksView *model, const SupChunksState *state, const SupJobs *jobs,
                       float *io_positions);

#endif
