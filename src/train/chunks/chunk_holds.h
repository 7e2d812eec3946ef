/* SPDX-License-Identifier: MIT */
/*
 * What holds chunks, in groups, and how far these have moved (docs/techniques/chunks.md).
 *
 * sup_chunk_..._holds says once what holds a chunk; the matrix of sup_wedge_condense belongs to it.
 * sup_chunk_..._numbers says in each pose how the groups move, in the chunk's own space: all 0
 * where everything is as at rest.
 */
#ifndef SUP_TRAIN_CHUNKS_CHUNK_HOLDS_H
#define SUP_TRAIN_CHUNKS_CHUNK_HOLDS_H

#include "chunk.h"
#include "fem/wedge_condense.h"
#include "runtime/chunks/limb_frame.h"
#include "shell.h"

/* ---- Limbs ---------------------------------------------------------------------------------- */

/* What an end of a limb follows. */
typedef enum SupLimbEnd {
  SUP_LIMB_END_SLICE, /* a map of the whole slice: that of a joint, or none */
  SUP_LIMB_END_RIM    /* places of its rim, which ordinary chunks share */
} SupLimbEnd;

/* A centre line raised by a bulge towards the middle of its patch. */
typedef struct SupLimbBulge {
  double centre, width; /* fractions of the bone */
} SupLimbBulge;

typedef struct SupLimbHolds {
  SupHolds holds;
  SupLimbEnd ends[2];
  uint32_t first_groups[3];   /* of the start, the end and the centre lines, one group per side */
  const SupVec3d *directions; /* [corner_count] of the bulges, in the limb's space, unit */
} SupLimbHolds;

/* bulges[corner_count], one per side. In `arena`. */
SupResult sup_chunk_limb_holds(SupArena *arena, const SupChunk *chunk, const SupLimbEnd ends[2],
                               const SupLimbBulge *bulges, SupLimbHolds *out_holds,
                               SupError *error);

/* A limb's pose and what moves its ends. */
typedef struct SupLimbDrive {
  SupLimbPose pose;
  const SupAffined *maps[2]; /* SLICE: from bind space to the scene, or NULL: the pose's own */
  const SupVec3d *rims[2];   /* RIM: [corner_count * parts] in the scene, as slice.rim */
  const double *heights;     /* [corner_count] of the bulges */
} SupLimbDrive;

/* out_numbers[holds.columns[group_count]]. */
void sup_chunk_limb_numbers(const SupChunk *chunk, const SupLimbHolds *holds,
                            const SupLimbDrive *drive, double *out_numbers);

/* ---- Above the shell ------------------------------------------------------------------------ */

typedef struct SupShellHolds {
  SupHolds holds; /* sides, corner columns, vertices of the face, the bulge */
  uint32_t face;
} SupShellHolds;

/* The chunk above a face of the shell, whose sides follow the shell's edges and whose bottom
 * follows its vertices; bulge[slice.node_count] is the shape of its bulge (sup_bulge_below). In
 * `arena`. */
SupResult sup_chunk_shell_holds(SupArena *arena, const SupChunk *chunk, uint32_t face,
                                const double *bulge, SupShellHolds *out_holds, SupError *error);

typedef struct SupShellDrive {
  const SupShell *shell;
  const SupVec3d *rest, *now;  /* [vertex_count] in bind space and in the scene */
  const SupAffined *edge_maps; /* [edge_count] of sup_shell_edge_maps */
} SupShellDrive;

/* out_numbers[holds.columns[group_count]]; returns the frame of the face, now: a node of the chunk
 * is at frame (node + displacement). */
SupAffined sup_chunk_shell_numbers(const SupChunk *chunk, const SupShellHolds *holds,
                                   const SupShellDrive *drive, double height, double *out_numbers);

#endif
