/* SPDX-License-Identifier: MIT */
/*
 * Supple: packing a character and its maps into a surface model (supple/surface.h).
 */
#ifndef SUPPLE_AUTHOR_SURFACE_PACK_H
#define SUPPLE_AUTHOR_SURFACE_PACK_H

#include "supple/author/skin_pack.h"
#include "supple/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a surface model is made of. Start from sup_surface_def. */
typedef struct SupSurfaceDef {
  uint32_t cookie; /* set by sup_surface_def */
  uint32_t flags;  /* SUP_SURFACE_BONE_ROTATION, SUP_SURFACE_ABSOLUTE, SUP_SURFACE_NORMAL */
  float h;         /* seconds per step; 1/60 */
  /* By SupSurfaceRow, below SUP_SURFACE_MAPS: one number per body vertex, or NULL for a value that
   * is the same everywhere. Numbers must be finite and in their range; MAX_DISTANCE and STOP may be
   * infinite, which means the whole character's size. Then, with SUP_SURFACE_NORMAL, those of
   * SUP_SURFACE_MAP_NORMAL_ALPHA and SUP_SURFACE_MAP_NORMAL_DELTA. */
  const float *maps[SUP_SURFACE_ALL_MAPS];
  float values[SUP_SURFACE_ALL_MAPS]; /* where maps[] is NULL */
  /* Bone segments, in bind space; a vertex is tied to the nearest segment of each of its bones. */
  uint32_t segment_count;
  const SupSurfaceSegment *segments;
  /* Also pack spokes of blocks whose gamma is 0 everywhere: for whoever edits gamma in place. */
  bool all_spokes;
} SupSurfaceDef;

/* Everything at its default: h = 1/60, alpha 0.2, beta 0.1, gamma 0, lambda 0.05, delta 0.1, eta 0,
 * maximum distance and stop infinite, along the normal 0.2 and 0.1, no segments. */
SupSurfaceDef sup_surface_def(void);

/* Packs the character's body. The model lives in `arena`; it has passed sup_model_check, but not
 * the limiter and the probe, which whoever chose the numbers must apply. */
SupResult sup_surface_pack(SupArena *arena, const SupCharacter *character, const SupSurfaceDef *def,
                           SupModel **out_model, SupError *error);

/* Reads a map of a packed model back: out_values[vertex_count], `map` below SUP_SURFACE_ALL_MAPS. A
 * model without SUP_SURFACE_NORMAL has along the normal what it has everywhere. */
void sup_surface_get_map(const SupModel *model, uint32_t map, float *out_values);

/* Replaces a map of a packed model in place and seals it: values[vertex_count] as in
 * SupSurfaceDef. Nobody may step with the model meanwhile. gamma can only be raised from 0 where
 * the block has spokes (all_spokes); the normal's two maps are ignored without that flag. */
void sup_surface_set_map(SupModel *io_model, uint32_t map, const float *values);

#ifdef __cplusplus
}
#endif
#endif
