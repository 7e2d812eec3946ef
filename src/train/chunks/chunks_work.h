/* SPDX-License-Identifier: MIT */
/* What the steps of sup_chunks_train hand to each other. */
#ifndef SUP_TRAIN_CHUNKS_WORK_H
#define SUP_TRAIN_CHUNKS_WORK_H

#include "base/scratch.h"
#include "chunk.h"
#include "chunk_holds.h"
#include "shell.h"
#include "supple/train/chunks.h"
#include "train/envelope/envelope_work.h"

/* What an end of a limb's chunk meets. */
typedef struct ChunkEnd {
  SupChunksEnd kind;
  uint32_t place_count;
  SupChunksPlace *places;
} ChunkEnd;

/* A chunk that is wanted. */
typedef struct ChunkPiece {
  const char *name;
  const SupPatchZone *zone;
  bool limb;
  uint32_t patch_count;
  const uint32_t *patches; /* [patch_count] one, or a ring in its order */
  uint32_t slices, levels;
  double poisson, depth;
  bool levels_given;
  const char *reason; /* why it cannot be, or NULL */
  bool made;
  SupChunk chunk;
  uint32_t number; /* in the definition, once all are made */
  /* Above the shell. */
  uint32_t face;
  /* Limbs. */
  SupPatchRing ring;
  uint32_t joints[2];
  uint32_t bone;        /* of the palette */
  SupVec3d bones[2][2]; /* two ways to lay it: along the joints' line, between middles of rings */
  double radius;
  uint32_t limb_number; /* in the definition */
  ChunkEnd ends[2];
  /* Its surface as it is packed. */
  uint32_t free_count, surface_count;
  const uint32_t *surface; /* [surface_count] nodes of the mesh, free ones first */
  const uint32_t *numbers; /* [mesh.node_count] places in it, or SUP_NONE */
} ChunkPiece;

/* The base shell below all strata. */
typedef struct ChunkShell {
  SupShell shell;
  uint32_t *features; /* [vertex_count] */
  SupVec3d *tops;     /* [vertex_count] on the skin */
  SupVec3d *normals;
  double *wanted; /* [vertex_count] before anything is in the way */
  double *depths;
  uint8_t *given; /* [vertex_count] where the file puts them */
  SupVec3d *rest; /* [vertex_count] */
  double depth;
  uint32_t raised_count;
} ChunkShell;

typedef struct ChunkNote {
  const char *text;
  struct ChunkNote *next;
} ChunkNote;

typedef struct ChunksWork {
  SupArena *arena, *scratch;
  const SupChunksTrainDef *def;
  SupError *error;
  EnvelopeFigure figure;
  uint32_t piece_count;
  ChunkPiece *pieces; /* ordinary ones first */
  uint32_t *piece_of; /* [patch_count] or SUP_NONE */
  uint32_t *across;   /* [2 * boundary_count] patches at each boundary, or SUP_NONE */
  ChunkShell shell;
  /* The definition as it grows. */
  uint32_t limb_count, limb_joint_count, point_count, influence_count, angle_count;
  SupChunksLimb *limbs;
  SupChunksJoint *limb_joints;
  SupVec3 *points;
  uint32_t *influence_offsets;
  SupChunksInfluence *influences;
  SupPoseAngle *angles;
  uint32_t note_count;
  ChunkNote *notes, *last_note;
  SupChunksTrainReport report;
} ChunksWork;

void sup_chunks_note(ChunksWork *work, const char *format, ...);

/* A copy of the sentence of an error, which is why the piece cannot be. */
void sup_chunks_refuse(ChunksWork *work, ChunkPiece *piece, const char *sentence);

/* The patch on the other side of a boundary, or SUP_NONE. */
uint32_t sup_chunks_across(const ChunksWork *work, uint32_t boundary, uint32_t patch);

/* ---- Steps, in their order ------------------------------------------------------------------- */

/* chunks_train_check.c: what is wrong with the definition. */
SupResult sup_chunks_check_def(ChunksWork *work);
/* chunks_zones.c: pieces of zones, their patches and bones; then their slices and levels. */
SupResult sup_chunks_zones(ChunksWork *work);
SupResult sup_chunks_resolution(ChunksWork *work);
/* chunks_trial.c: what does not know a joint that moves it is refused; later what its own clips
 * turn over. */
SupResult sup_chunks_unknown_joints(ChunksWork *work);
SupResult sup_chunks_trial(ChunksWork *work);
/* chunks_shell.c: the base shell, and the chunks above it. */
SupResult sup_chunks_above_shell(ChunksWork *work);
/* chunks_limbs.c: those of limbs, and what their ends meet. */
SupResult sup_chunks_limbs(ChunksWork *work);
SupResult sup_chunks_ends(ChunksWork *work);
/* chunks_condense.c: everything about a piece but its skin. */
SupResult sup_chunks_condense(ChunksWork *work, ChunkPiece *piece, SupChunksPieceDef *out_def);
/* chunks_skin.c: patches and seams. */
SupResult sup_chunks_skin(ChunksWork *work, SupChunksPackDef *io_def);

/* ---- Parts ----------------------------------------------------------------------------------- */

/* chunks_points.c: a skinned point at vertices[count] of the body with these shares; its number. */
SupResult sup_chunks_add_point(ChunksWork *work, SupVec3d at, uint32_t count,
                               const uint32_t *vertices, const double *shares,
                               uint32_t *out_number);

/* shell_cross.c: pairs of faces that share no vertex and cross: calls `found` for each. */
SupResult sup_shell_crossings(SupArena *arena, const SupShell *shell, const SupVec3d *positions,
                              void (*found)(void *context, uint32_t a, uint32_t b), void *context,
                              SupError *error);

/* The bulge of a patch, given or not. */
SupChunksTrainBulge sup_chunks_bulge_of(const ChunksWork *work, uint32_t patch, bool limb);
/* chunks_bulges.c: its driver. */
SupResult sup_chunks_define_bulge(ChunksWork *work, uint32_t patch, const ChunkPiece *piece,
                                  SupChunksBulgeDef *out_def);
/* chunks_train_check.c: N where the name is that of the N-th ring of a zone, from the second on,
 * else 0; and whether options name rings of a zone that it does not have. */
uint32_t sup_chunks_ring_number(const char *zone, const char *name);
SupResult sup_chunks_check_rings(const ChunksWork *work, const SupPatchZone *zone, uint32_t count);

/* Notes on bulges that were asked for where there is no chunk. */
void sup_chunks_note_bulges(ChunksWork *work);
/* What is wrong with the bulges. */
SupResult sup_chunks_check_bulges(ChunksWork *work);
/* How far the clips turn a joint at most from the bind pose, radians, and about which axis; 0: they
 * do not. */
double sup_chunks_largest_turn(const ChunksWork *work, uint32_t joint, SupVec3 *out_axis);

#endif
