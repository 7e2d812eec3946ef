/* SPDX-License-Identifier: MIT */
/* What the checks of batches share: a crowd of two models, and what they expect. */
#ifndef SUP_TESTS_GPU_BATCH_CHECK_H
#define SUP_TESTS_GPU_BATCH_CHECK_H

#include "crowd.h"
#include "supple/batch.h"

extern uint32_t check_frames;

/* Says what failed, and counts it. */
void expect(bool condition, const char *what);
/* Ends the program. */
void must(SupResult result, const SupError *error);

enum { GROUPS = 2, CHARACTERS = 5 };

typedef struct Crowd {
  const SupBackend *backend;
  const SupBatchTable *table;
  SupArena arena;
  SupBatchDef def;
  SupBatchGroup groups[GROUPS];
  SupStream stream;
  SupAffine *host, *palettes; /* of all characters: ordinary memory, the backend's */
  size_t palette_bytes;
} Crowd;

/* Points into itself: stays where it is made. */
void crowd_open(Crowd *out, const SupBackend *backend, const SupModel *a, const SupModel *b);
void crowd_free(Crowd *c);

/* The palettes of a frame, in ordinary memory and the backend's. */
void pose(Crowd *c, uint32_t frame, bool scaled);

/* Gravity, wind and a collider. */
extern const SupBatchForces forces;

/* Skinning and one step of a single character. */
void single_step(const SupBackend *backend, const CrowdModel *m, SupSurfaceState *state,
                 const SupAffine *palette, const SupBatchForces *acting);

/* Greatest distances: from a single character, of that from its goal; of normals from unit length;
 * and the mean. */
typedef struct Apart {
  double apart, moved, normals, squares, count;
} Apart;

/* The shown vertices of a character, 4 numbers each, beside its single state. */
void measure(const CrowdModel *m, const SupSurfaceState *state, const float *positions,
             const float *normals, Apart *io);

/* A model's tiles of so many lanes: how many, and entries of the largest; beyond USUAL_TILE CUDA
 * has another kernel, and beyond FEW_TILES in one launch as well. */
enum { USUAL_TILE = 384, FEW_TILES = 264 };
typedef struct TileSizes {
  uint32_t count, largest;
} TileSizes;
TileSizes tile_sizes(SupArena *arena, const SupSurfaceView *view, uint32_t lanes);

void check_faults(const SupBackend *backend);
void check_lanes(const SupBackend *backend);
void check_modes(const SupBackend *backend);
void check_helpers(const SupBackend *backend);

#endif
