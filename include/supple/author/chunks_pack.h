/* SPDX-License-Identifier: MIT */
/*
 * Supple: packing chunks into a model (supple/chunks.h).
 *
 * "Own space" of a chunk is the one that its matrix was condensed in: of an ordinary chunk that of
 * the face of the shell below it, of a limb's chunk that of the limb. Everything else is in bind
 * space, where the palette of the bind pose is the identity.
 *
 * Limbs, joints, edges, holds, places, angles and seams are declared in supple/chunks.h.
 */
#ifndef SUPPLE_AUTHOR_CHUNKS_PACK_H
#define SUPPLE_AUTHOR_CHUNKS_PACK_H

#include "supple/author/skin_pack.h"
#include "supple/chunks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bulge: one column of its chunk's matrix. How high it is comes from its driver. */
typedef struct SupChunksBulgeDef {
  const char *name; /* "" or NULL: none; at most SUP_CHUNKS_NAME - 1 characters are kept */
  SupChunksDriver driver;
  uint32_t angle;        /* BY_ANGLE: into angles */
  uint32_t sample_count; /* BY_ANGLE: 2 or more, evenly from low to high of the angle */
  const float *curve;    /* [sample_count] heights; straight between samples */
  uint32_t face;         /* BY_AREA: of the shell */
  float height;          /* BY_AREA: height (rest area / area - 1) */
  bool no_dents;         /* never below 0 */
  float most;            /* the height is kept from -most to most; > 0 */
} SupChunksBulgeDef;

/* A chunk. Columns of its matrix, in this order:
 *   ordinary  for each side of the face 12 (map of the edge: t, then the columns of L), for each
 *             corner 12 (map of the vertex), for each corner 3 (its displacement), then the bulges:
 *             27 corner_count + bulge_count;
 *   limb's    of the start, of the end (SupChunksEnd: 0, 12 or 3 per place), then the bulges.
 * A bulge has one column: where nodes go when it is 1 high, its direction included (the group's
 * columns of sup_wedge_condense times the direction).
 *
 * Nodes are those of the surface alone, numbered as skin vertices refer to them: free ones first,
 * then held ones. Displacements of free nodes are rows of the matrix, those of held ones the sum of
 * their holds, whose columns are those of the same order. */
typedef struct SupChunksPieceDef {
  const char *name;         /* "" or NULL: none; at most SUP_CHUNKS_NAME - 1 characters are kept */
  uint32_t limb;            /* SUP_CHUNKS_NONE: an ordinary chunk */
  uint32_t face;            /* ordinary: of the shell; SUP_CHUNKS_NONE for a limb's */
  SupAffined rest;          /* rigid: from own space to bind space. Ordinary: sup_face_frame of the
                               face at rest. Of a limb's chunk the limb's is taken */
  uint32_t slice_count;     /* limb's: both ends counted, evenly along the bone; ordinary: any, 2 or
                               more (only told) */
  SupChunksEnd ends[2];     /* limb's */
  uint32_t place_counts[2]; /* END_RIM: nodes of the rim */
  const SupChunksPlace *places; /* of the start, then of the end */
  uint32_t free_count, held_count;
  const SupVec3 *nodes;        /* [free_count + held_count] at rest, own space */
  const uint32_t *node_slices; /* limb's: [free_count + held_count] the slice of each; or NULL */
  const float *node_weights;   /* ordinary: [nodes * corner_count] of the face's corners (the
                                  slice's triangulation), sum 1; or NULL */
  const float *matrix;         /* [3 * free_count * columns] a row per coordinate of a node */
  uint32_t hold_count;
  const SupChunksHold *holds; /* on held nodes alone */
  uint32_t bulge_count;
  const SupChunksBulgeDef *bulges;
} SupChunksPieceDef;

/* Skin that follows a chunk. A vertex is at
 *   sum over k of weight k (place of node k + frame of node k times residual),
 * where all frames are the identity in bind space: the residual is its position at rest less the
 * same sum of nodes at rest, in bind space. */
typedef struct SupChunksPatchDef {
  uint32_t piece;
  uint32_t vertex_count;    /* border first, then interior */
  uint32_t border_count;    /* counter-clockwise; 3 or more */
  const uint32_t *vertices; /* [vertex_count] body vertex, or SUP_CHUNKS_NONE (a point on an
                               edge) */
  const uint32_t *seams;    /* [border_count] into SupChunksPackDef.seams */
  const uint32_t *nodes;    /* [4 * vertex_count] of the chunk; any where the weight is 0 */
  const float *weights;     /* [4 * vertex_count] sum 1 */
  const SupVec3 *residuals; /* [vertex_count] */
  const float *spread; /* [(vertex_count - border_count) * border_count] F^-1 H: how displacements
                          of the border reach the interior; rows add up to 1 */
} SupChunksPatchDef;

/* What chunks are made of. Start from sup_chunks_pack_def. */
typedef struct SupChunksPackDef {
  uint32_t cookie; /* set by sup_chunks_pack_def */
  uint32_t root;   /* bone: everything is evaluated without its motion, then moved by it, scale
                      included */
  uint32_t limb_count;
  const SupChunksLimb *limbs;
  uint32_t limb_joint_count;
  const SupChunksJoint *limb_joints;
  uint32_t point_count;                 /* vertex_count or more */
  const SupVec3 *points;                /* [point_count] in bind space */
  const uint32_t *influence_offsets;    /* [point_count + 1] */
  const SupChunksInfluence *influences; /* [influence_offsets[point_count]] */
  /* The shell, as sup_shell_create has it. Its vertices are the first points; a face's sides go
   * round counter-clockwise seen from outside. */
  uint32_t vertex_count, face_count, edge_count;
  const uint32_t *face_offsets;   /* [face_count + 1] */
  const uint32_t *corners;        /* [face_offsets[face_count]] */
  const uint32_t *corner_edges;   /* the same: the edge from each corner to the next */
  const SupChunksEdge *edges;     /* [edge_count] */
  const uint32_t *vertex_offsets; /* [vertex_count + 1] */
  const uint32_t *vertex_edges;   /* [vertex_offsets[vertex_count]] */
  uint32_t angle_count;
  const SupPoseAngle *angles;
  uint32_t piece_count;
  const SupChunksPieceDef *pieces; /* ordinary ones before those of limbs */
  uint32_t seam_count;
  const SupSeam *seams;
  uint32_t patch_count;
  const SupChunksPatchDef *patches;
} SupChunksPackDef;

/* Empty. */
SupChunksPackDef sup_chunks_pack_def(void);

/* Packs the character's body. A body vertex is inside one patch, on the border of one or more (then
 * always at the same seam, which is that vertex), or in none: then it is plainly skinned. The model
 * lives in `arena` and has passed sup_model_check. */
SupResult sup_chunks_pack(SupArena *arena, const SupCharacter *character,
                          const SupChunksPackDef *def, SupModel **out_model, SupError *error);

/* What a packed model was made of: arrays in `arena`, vertices by the numbers that they had when it
 * was made. Packing it again for the same character gives the same bytes. */
SupResult sup_chunks_unpack(SupArena *arena, const SupModel *model, SupChunksPackDef *out_def,
                            SupError *error);

#ifdef __cplusplus
}
#endif
#endif
