/* SPDX-License-Identifier: MIT */
/*
 * Supple: a surface model laid out for GPUs, in tiles.
 *
 * A tile is a run of up to 256 lanes of the model with the neighbours that lie in other tiles. One
 * group of threads steps a tile from the palette alone: skinning and the step of the surface
 * technique in one pass, 64 bytes of state per vertex and frame (80 with SUP_SURFACE_UNDELAYED).
 * docs/gpu.md has the layout and what every byte is for; libsupple_cuda and shaders/surface.comp
 * step it.
 *
 * Tiles are made from a checked model and hold nothing new: rest positions, weights (24 bits),
 * the six maps alpha to eta and the normal's two (16 bits of their range), neighbours and spokes.
 */
#ifndef SUPPLE_TILES_H
#define SUPPLE_TILES_H

#include "supple/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One block of 32-bit words without pointers; copy it to the GPU as it is. */
typedef struct SupTiles {
  uint32_t tile_count;
  uint32_t lane_count;   /* 16 * block_count of the model's skin */
  uint32_t bone_count;   /* of the palette */
  uint32_t halo_count;   /* entries of all halos: what is read and skinned twice */
  size_t bytes;          /* of words */
  size_t one_ring_bytes; /* of these, for normals; a step does not read them */
  size_t state_bytes;    /* of one character, a multiple of 128 */
  size_t history;        /* where a state's history and records begin, bytes */
  size_t records;        /* 2 sets: 16 bytes per lane, x y z first, then 16 more of each; with
                            SUP_SURFACE_UNDELAYED a third, of 16 alone. To be drawn: the set that the
                            lowest bit of the state's first word is not; with UNDELAYED the third */
  const uint32_t *order; /* [lane_count] the model's lane of each lane of the tiles */
  const uint32_t *words;
} SupTiles;

/* Lays a model out; `lanes` per tile, at most 256, a multiple of 32, or 0 for 256. Refuses a model
 * of which 16 lanes have more than 64 bones or 640 neighbours. Lives in `arena`. */
SupResult sup_tiles_make(SupArena *arena, const SupSurfaceView *model, uint32_t lanes,
                         SupTiles *out, SupError *error);

/* A character that starts at its next goal: io_state[state_bytes]. */
void sup_tiles_init(const SupTiles *tiles, void *io_state);

/* The next two steps put the vertices onto their goals, as sup_surface_reset does. */
void sup_tiles_reset(const SupTiles *tiles, void *io_state);

/* A character's flesh from a single state and back. palettes[2 * bone_count] are those of the last
 * step and of the one before, from which `state` came; they do not enter a SupSurfaceState. What
 * tiles do not keep (forces, normals) is left alone in *io_state, which sup_surface_init made. */
void sup_tiles_put(const SupTiles *tiles, const SupSurfaceState *state, const SupAffine *palettes,
                   void *io_tiled);
void sup_tiles_get(const SupTiles *tiles, const void *tiled, SupSurfaceState *io_state);

#ifdef __cplusplus
}
#endif
#endif
