/* SPDX-License-Identifier: MIT */
/*
 * Supple: the chunks technique (SWDC, Guo 2007): elastic flesh under a skin, condensed offline.
 *
 * Bones and a shell inside the trunk move what holds each chunk: a few hundred numbers. One matrix
 * per chunk says where the nodes of its surface come to rest; skin vertices follow these nodes, and
 * chunks agree along their seams, and are smooth across them. The result depends on the pose alone
 * and replaces skinning as the goal; what is in no patch and not beside one is skinned.
 * docs/techniques/chunks.md has the equations.
 *
 * "Still" means without the motion of the root: P_root^-1 P_b in place of the palette P_b.
 */
#ifndef SUPPLE_CHUNKS_H
#define SUPPLE_CHUNKS_H

#include "supple/patch_parts.h"
#include "supple/skeleton.h"
#include "supple/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_CHUNKS_KIND SUP_FOURCC('C', 'H', 'N', 'K')
#define SUP_CHUNKS_VERSION 1u
#define SUP_CHUNKS_NAME 32u         /* bytes of a chunk's or bulge's name, with its end */
#define SUP_CHUNKS_NONE UINT32_MAX  /* no vertex, no bone, no row, no piece, no joint */
#define SUP_CHUNKS_PIECES 65536u    /* chunks in one model */
#define SUP_CHUNKS_CORNERS 64u      /* of one face of the shell, at least 3 */
#define SUP_CHUNKS_SLICES 256u      /* of one chunk, at least 2 */
#define SUP_CHUNKS_NODES 65535u     /* of the surface of one chunk */
#define SUP_CHUNKS_COLUMNS 65535u   /* numbers that one chunk follows */
#define SUP_CHUNKS_SAMPLES 256u     /* of a bulge's curve, at least 2 */
#define SUP_CHUNKS_VERTEX_NODES 4u  /* that one skin vertex follows */
#define SUP_CHUNKS_MOST_SCALE 16.0f /* that a frame may multiply a bulge's height with */

/* How much a bone carries a point. */
typedef struct SupChunksInfluence {
  uint32_t bone;
  float weight; /* >= 0; those of a point add up to 1 */
} SupChunksInfluence;

/* A bone that flesh lies around, with or without a chunk of its own. */
typedef struct SupChunksLimb {
  SupAffined rest;   /* rigid: from the limb's space (bone along z from the origin) to bind space */
  double length;     /* > 0 */
  uint32_t bone;     /* whose palette carries it */
  uint32_t reserved; /* 0 */
} SupChunksLimb;

/* Where two limbs meet: the end of the first and the start of the second. Both slices there lie in
 * the plane between the bones and each takes half of the twist. Either may be without a chunk: then
 * the other ends as if there were one. A limb's end is in one joint at most. */
typedef struct SupChunksJoint {
  uint32_t first, second; /* limbs */
} SupChunksJoint;

/* An edge of the shell. */
typedef struct SupChunksEdge {
  uint32_t from, to; /* vertices of the shell, from < to */
  uint32_t faces[2]; /* [0] has it from `from` to `to`; SUP_CHUNKS_NONE beyond the border */
} SupChunksEdge;

/* What an end of a limb's chunk follows. */
typedef enum SupChunksEnd {
  SUP_CHUNKS_END_OWN,   /* the pose's own slice: no columns */
  SUP_CHUNKS_END_JOINT, /* the shared slice of the limb's joint there: an affine map, 12 columns */
  SUP_CHUNKS_END_RIM    /* places of its rim: 3 columns each */
} SupChunksEnd;

/* A place that a rim follows: a node of an ordinary chunk, or a skinned point. */
typedef struct SupChunksPlace {
  uint32_t piece; /* ordinary; SUP_CHUNKS_NONE: `node` is a point */
  uint32_t node;
  SupVec3 at; /* where the rim's node is at rest, in the chunk's own space */
} SupChunksPlace;

/* A held node of a surface: adds weight (t + L at) of the numbers from `column` on. */
typedef struct SupChunksHold {
  uint32_t node;
  uint32_t column;
  uint32_t size; /* 3: a translation t; 12: t, then the columns of L */
  float weight;
  SupVec3 at; /* chunk's own space; 0 for a translation */
} SupChunksHold;

/* What raises a bulge. */
typedef enum SupChunksDriver {
  SUP_CHUNKS_BY_HAND,  /* nothing but SupChunksControls */
  SUP_CHUNKS_BY_ANGLE, /* a curve over an angle */
  SUP_CHUNKS_BY_AREA   /* height (rest area / area - 1) of a face of the shell */
} SupChunksDriver;

/* ---- The model -------------------------------------------------------------------------------
 */

/* The sections besides the skin's (supple/skin.h), in the order of SupChunksView. */
#define SUP_SECTION_CHUNKS_COUNTS SUP_FOURCC('C', 'K', 'C', 'N') /* flags .. block_count */
#define SUP_SECTION_CHUNKS_LIMBS SUP_FOURCC('C', 'K', 'L', 'M')
#define SUP_SECTION_CHUNKS_JOINTS SUP_FOURCC('C', 'K', 'J', 'T')
#define SUP_SECTION_CHUNKS_POINTS SUP_FOURCC('C', 'K', 'P', 'T')
#define SUP_SECTION_CHUNKS_INFLUENCE_FIRST SUP_FOURCC('C', 'K', 'I', 'F')
#define SUP_SECTION_CHUNKS_INFLUENCES SUP_FOURCC('C', 'K', 'I', 'N')
#define SUP_SECTION_CHUNKS_FACE_FIRST SUP_FOURCC('C', 'K', 'F', 'F')
#define SUP_SECTION_CHUNKS_CORNERS SUP_FOURCC('C', 'K', 'F', 'C')
#define SUP_SECTION_CHUNKS_CORNER_EDGES SUP_FOURCC('C', 'K', 'F', 'E')
#define SUP_SECTION_CHUNKS_EDGES SUP_FOURCC('C', 'K', 'E', 'D')
#define SUP_SECTION_CHUNKS_VERTEX_FIRST SUP_FOURCC('C', 'K', 'V', 'F')
#define SUP_SECTION_CHUNKS_VERTEX_EDGES SUP_FOURCC('C', 'K', 'V', 'E')
#define SUP_SECTION_CHUNKS_PIECES SUP_FOURCC('C', 'K', 'P', 'C')
#define SUP_SECTION_CHUNKS_NAMES SUP_FOURCC('C', 'K', 'N', 'M')
#define SUP_SECTION_CHUNKS_NODES SUP_FOURCC('C', 'K', 'N', 'D')
#define SUP_SECTION_CHUNKS_NODE_SLICES SUP_FOURCC('C', 'K', 'N', 'S')
#define SUP_SECTION_CHUNKS_NODE_WEIGHTS SUP_FOURCC('C', 'K', 'N', 'W')
#define SUP_SECTION_CHUNKS_MATRICES SUP_FOURCC('C', 'K', 'M', 'X')
#define SUP_SECTION_CHUNKS_HOLDS SUP_FOURCC('C', 'K', 'H', 'D')
#define SUP_SECTION_CHUNKS_PLACES SUP_FOURCC('C', 'K', 'P', 'L')
#define SUP_SECTION_CHUNKS_ANGLES SUP_FOURCC('C', 'K', 'A', 'N')
#define SUP_SECTION_CHUNKS_BULGES SUP_FOURCC('C', 'K', 'B', 'G')
#define SUP_SECTION_CHUNKS_BULGE_NAMES SUP_FOURCC('C', 'K', 'B', 'N')
#define SUP_SECTION_CHUNKS_CURVES SUP_FOURCC('C', 'K', 'B', 'C')
#define SUP_SECTION_CHUNKS_SEAMS SUP_FOURCC('C', 'K', 'S', 'M')
#define SUP_SECTION_CHUNKS_PATCHES SUP_FOURCC('C', 'K', 'P', 'A')
#define SUP_SECTION_CHUNKS_BORDERS SUP_FOURCC('C', 'K', 'P', 'B')
#define SUP_SECTION_CHUNKS_VERTEX_NODES SUP_FOURCC('C', 'K', 'P', 'N')
#define SUP_SECTION_CHUNKS_VERTEX_WEIGHTS SUP_FOURCC('C', 'K', 'P', 'W')
#define SUP_SECTION_CHUNKS_RESIDUALS SUP_FOURCC('C', 'K', 'P', 'R')
#define SUP_SECTION_CHUNKS_SPREAD SUP_FOURCC('C', 'K', 'P', 'S')
#define SUP_SECTION_CHUNKS_SOURCES SUP_FOURCC('C', 'K', 'S', 'R')
#define SUP_SECTION_CHUNKS_ROW_LANES SUP_FOURCC('C', 'K', 'R', 'L')
#define SUP_SECTION_CHUNKS_LANES SUP_FOURCC('C', 'K', 'L', 'N')
#define SUP_SECTION_CHUNKS_RING_FIRST SUP_FOURCC('C', 'K', 'R', '1')
#define SUP_SECTION_CHUNKS_RINGS SUP_FOURCC('C', 'K', 'R', 'G')
#define SUP_CHUNKS_SECTION_COUNT 36

/* A chunk: the nodes of its surface and what moves them. Its columns are the numbers that it
 * follows, in the order of SupChunksPieceDef. What its arrays hold starts where that of the chunk
 * before it ends. */
typedef struct SupChunksPiece {
  SupAffined rest; /* rigid: from the chunk's own space to bind space; a limb's is the limb's */
  uint32_t limb;   /* SUP_CHUNKS_NONE: an ordinary chunk */
  uint32_t face;   /* of the shell below an ordinary chunk; SUP_CHUNKS_NONE for a limb's */
  uint32_t slice_count;
  uint32_t ends[2]; /* SupChunksEnd of a limb's chunk */
  uint32_t place_counts[2];
  uint32_t joints[2];              /* END_JOINT; SUP_CHUNKS_NONE otherwise */
  uint32_t free_count, held_count; /* nodes: those with rows in the matrix first */
  uint32_t hold_count, bulge_count, column_count;
  uint32_t first_node;   /* among all nodes */
  uint32_t first_block;  /* of its free nodes' rows, among all */
  uint32_t first_number; /* among the columns of all */
  uint32_t first_frame;  /* among the frames of all: of a limb's chunk two per slice, of an ordinary
                            one 1 + corner_count */
  uint32_t first_hold, first_place, first_bulge;
  uint32_t reserved;     /* 0 */
  uint64_t first_weight; /* into node_weights */
  uint64_t first_matrix; /* into matrices */
} SupChunksPiece;

/* A bulge, in the order of the chunks and their columns. */
typedef struct SupChunksBulge {
  uint32_t driver;                     /* SupChunksDriver */
  uint32_t angle;                      /* BY_ANGLE */
  uint32_t face;                       /* BY_AREA */
  uint32_t no_dents;                   /* 1: never below 0 */
  uint32_t first_sample, sample_count; /* BY_ANGLE: its curve, evenly from low to high */
  float height;                        /* BY_AREA; the curve is in lengths itself */
  float most;                          /* no higher, and no deeper, than this; > 0 */
  double rest_area;                    /* BY_AREA, twice the area at rest */
} SupChunksBulge;

/* A patch: skin that follows one chunk. Rows in blocks of 16 as in SupEnvelopeFace: the border,
 * filled up to whole blocks, then the interior, filled up likewise. */
typedef struct SupChunksSkin {
  uint32_t piece;
  uint32_t border_count, interior_count;
  uint32_t first_border; /* into borders */
  uint32_t first_block;  /* of its rows */
  uint32_t reserved;     /* 0 */
  uint64_t first_spread; /* into spread */
} SupChunksSkin;

/* A packed model. Pointers into the block that holds it. */
typedef struct SupChunksView {
  SupSkinView skin;     /* of the body */
  uint32_t flags;       /* 0 */
  uint32_t joint_count; /* of the skeleton it was made for */
  uint32_t root;        /* bone */
  uint32_t limb_count;
  uint32_t limb_joint_count;
  uint32_t point_count;  /* the shell's vertices, then other skinned points */
  uint32_t vertex_count; /* of the shell */
  uint32_t face_count;
  uint32_t edge_count;
  uint32_t piece_count;
  uint32_t node_count;       /* of all chunks */
  uint32_t node_block_count; /* of their free nodes' rows */
  uint32_t number_count;     /* columns of all chunks */
  uint32_t frame_count;      /* of all chunks */
  uint32_t angle_count;
  uint32_t bulge_count;
  uint32_t seam_count;
  uint32_t patch_count;
  uint32_t block_count;                 /* of the patches' rows */
  const SupChunksLimb *limbs;           /* [limb_count] */
  const SupChunksJoint *limb_joints;    /* [limb_joint_count] */
  const SupVec3 *points;                /* [point_count] in bind space */
  const uint32_t *influence_first;      /* [point_count + 1] */
  const SupChunksInfluence *influences; /* [influence_first[point_count]] */
  const uint32_t *face_first;           /* [face_count + 1] into corners and corner_edges */
  const uint32_t *corners;              /* vertices of the shell */
  const uint32_t *corner_edges;         /* the edge from each corner to the next */
  const SupChunksEdge *edges;           /* [edge_count] */
  const uint32_t *vertex_first;         /* [vertex_count + 1] into vertex_edges */
  const uint32_t *vertex_edges;         /* edges at each vertex */
  const SupChunksPiece *pieces;         /* [piece_count] */
  const char *names;                    /* [piece_count * SUP_CHUNKS_NAME] */
  const SupVec3 *nodes;                 /* [node_count] at rest, in the chunk's own space */
  const uint32_t *node_slices;          /* [node_count] 0 in ordinary chunks */
  const float *node_weights;            /* by ordinary chunk and node: of the face's corners */
  const float *matrices;        /* by chunk and block of free nodes: x y z rows of 16 per column */
  const SupChunksHold *holds;   /* by chunk */
  const SupChunksPlace *places; /* by chunk: of the start, then of the end */
  const SupPoseAngle *angles;   /* [angle_count] */
  const SupChunksBulge *bulges; /* [bulge_count] */
  const char *bulge_names;      /* [bulge_count * SUP_CHUNKS_NAME] */
  const float *curves;          /* by bulge */
  const SupSeam *seams;         /* [seam_count] */
  const SupChunksSkin *patches; /* [patch_count] */
  const uint32_t *borders;      /* by patch: the seam of each border point */
  const uint32_t *vertex_nodes; /* [4 * 16 * block_count] by row: nodes of its chunk */
  const float *vertex_weights;  /* [4 * 16 * block_count] by row */
  const float *residuals;       /* [48 * block_count] x y z rows, in bind space */
  const float *spread;          /* by patch and interior block: a row of 16 per border point */
  const uint32_t *sources;      /* [16 * blocks of the skin] row of each lane, or SUP_CHUNKS_NONE */
  const uint32_t *row_lanes;    /* [16 * block_count] lane of the vertex, or SUP_CHUNKS_NONE */
  const uint32_t *lanes;        /* [vertex_count] of the skin */
  const uint32_t *ring_first;   /* the triangles around each lane (SupLaneRings) */
  const uint32_t *rings;
} SupChunksView;

/* Checks the sections of a model whose container is sound, the skin's included: sizes, every
 * index, every number. */
SupResult sup_chunks_check(const SupModel *model, SupError *error);

/* A checked model; it points into the block. */
SupChunksView sup_chunks_view(const SupModel *model);

/* ---- Playing ---------------------------------------------------------------------------------
 */

/* What a program may tell the technique in a frame (SupStackFrame.controls). Any may be NULL; a
 * value that is no number counts as not given, others are moved into their range. */
typedef struct SupChunksControls {
  const float *bulge_scales;  /* [bulge_count] times the height that the pose gives; 1 */
  const float *bulge_heights; /* [bulge_count] added to it, in body units; 0 */
  const float *strengths;     /* [piece_count] 1: the chunk; 0: muted, plainly skinned; 1 */
} SupChunksControls;

/* One character: one block without pointers. Nothing in it outlives a frame but what follows from
 * the model alone. */
typedef struct SupChunksState SupChunksState;

size_t sup_chunks_bytes(const SupChunksView *model);
SupChunksState *sup_chunks_init(const SupChunksView *model, void *block);

/* Where a pose is and where its shape goes. Rows as in SupGoal (supple/technique.h). */
typedef struct SupChunksCall {
  const SupPose *pose;               /* at least joint_count joints */
  const SupAffine *palette;          /* [bone_count] of that pose */
  const SupChunksControls *controls; /* or NULL */
  float *positions;                  /* [blocks of 3] in the space of the palette */
  float *normals;                    /* [blocks of 3] any length, those of the triangles; or NULL */
  float *frames;                     /* [blocks of 9] linear part of the blended bones; or NULL */
} SupChunksCall;

/* The shape of a pose. Where the root has no inverse everything is skinned, and so is a chunk that
 * a pose has driven out of all bounds. `jobs` may be NULL. */
void sup_chunks_shape(const SupChunksView *model, SupChunksState *state, const SupBackend *backend,
                      const SupJobs *jobs, const SupChunksCall *call);

/* The nodes of a chunk in the frame that was shaped last (pictures, pages), still: [16] per node,
 * the columns of its frame, then its place, then zeros. */
const float *sup_chunks_nodes(const SupChunksView *model, const SupChunksState *state,
                              uint32_t piece);

/* The shell's vertices in that frame, still: [vertex_count]. */
const SupVec3d *sup_chunks_shell_vertices(const SupChunksState *state);

#ifdef __cplusplus
}
#endif
#endif
