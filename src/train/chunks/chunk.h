/* SPDX-License-Identifier: MIT */
/*
 * Chunks: pieces of elastic flesh between skin and bones, of slices of wedges
 * (docs/techniques/chunks.md).
 *
 * An ordinary chunk lies between a patch of the skin and a face of the base shell; its first slice
 * is on the skin. A separable one lies around a bone, from one joint to the next, below a ring of
 * patches; along the bone its sectors are separate, so that muscles can bulge one by one.
 */
#ifndef SUP_TRAIN_CHUNKS_CHUNK_H
#define SUP_TRAIN_CHUNKS_CHUNK_H

#include "chunk_slice.h"
#include "fem/wedge.h"
#include "supple/author/patch_chart.h"

#define SUP_CHUNK_MOST_SLICES 256
#define SUP_CHUNK_RELAXATIONS 10

typedef struct SupChunk {
  const char *name;
  SupChunkSlice slice;
  uint32_t slice_count; /* both ends counted */
  SupAffined frame;     /* rigid: from the chunk's own space to bind space */
  double length;        /* separable: of the bone, which is (0, 0, 0) to (0, 0, length) */
  SupWedgeMesh mesh;    /* in the chunk's own space, slice by slice */
  const uint8_t *held;  /* [mesh.node_count] */
  uint32_t kept_count;
  const uint32_t *kept; /* [kept_count] free nodes on the skin, rising */
} SupChunk;

static inline uint32_t sup_chunk_node(const SupChunk *chunk, uint32_t slice, uint32_t node) {
  return slice * chunk->slice.node_count + node;
}

/* How far slice j is from the first to the last. */
static inline double sup_chunk_depth(const SupChunk *chunk, uint32_t j) {
  return (double)j / (chunk->slice_count - 1);
}

typedef struct SupChunkDef {
  const char *name;    /* for sentences */
  const SupMesh *skin; /* in bind space */
  const SupPatchCharts *charts;
  uint32_t levels;      /* how often triangles are divided into four */
  uint32_t slice_count; /* 2 to SUP_CHUNK_MOST_SLICES */
  uint32_t relaxations; /* of inner nodes, such as SUP_CHUNK_RELAXATIONS */
  double curved;        /* above the shell: how much of the skin's shape the bottom has; 0: it is
                           flat, 1: as the skin */
} SupChunkDef;

/* Below one patch. `kind` is a fan or diagonals; shell[corner_count of the patch's chart] are the
 * shell's vertices below its corners, in bind space. What is refused is told with the chunk's name:
 * too many divisions, wedges that are flat or inverted. In `arena`. */
SupResult sup_chunk_ordinary(SupArena *arena, const SupChunkDef *def, uint32_t patch,
                             SupSliceKind kind, const SupVec3d *shell, SupChunk *out_chunk,
                             SupError *error);

/* Where the chart of its patch has a node of the first slice. */
void sup_chunk_top_uv(const SupPatchChart *chart, const SupChunkSlice *slice, uint32_t node,
                      double out_uv[2]);

/* A ring of patches around a bone: four-sided, counter-clockwise around the direction of the bone;
 * first_corners[k] is the corner of patch k where the side at the bone's start begins. */
typedef struct SupPatchRing {
  uint32_t count;
  const uint32_t *patches;       /* [count] */
  const uint32_t *first_corners; /* [count] */
} SupPatchRing;

/* Brings patches[count] in order around the bone from `start` to `end`. Refused by the chunk's
 * name: fewer than three, one that has not four sides, ones that do not meet in a ring. In `arena`.
 */
SupResult sup_chunk_ring(SupArena *arena, const char *name, const SupPatches *patches,
                         uint32_t count, const uint32_t *members, const SupVec3d bone[2],
                         SupPatchRing *out_ring, SupError *error);

/* A place of side `side` in the chart of its patch: v across it, u along the bone, both from its
 * first corner. */
void sup_chunk_side_uv(const SupPatchCharts *charts, const SupPatchRing *ring, uint32_t side,
                       double v, double u, double out_uv[2]);

/* Around the bone from bone[0] to bone[1], in bind space. As sup_chunk_ordinary. */
SupResult sup_chunk_separable(SupArena *arena, const SupChunkDef *def, const SupPatchRing *ring,
                              const SupVec3d bone[2], SupChunk *out_chunk, SupError *error);

#endif
