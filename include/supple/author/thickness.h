/* SPDX-License-Identifier: MIT */
/*
 * Supple: how much flesh lies under each point of a skin.
 */
#ifndef SUPPLE_AUTHOR_THICKNESS_H
#define SUPPLE_AUTHOR_THICKNESS_H

#include "supple/author/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupThicknessDef {
  const SupCharacter *character;
  uint32_t segment_count;
  const SupSegment *segments; /* sup_segments_create */
  const SupJobs *jobs;        /* or NULL */
} SupThicknessDef;

/* The depth of the flesh at each body vertex, metres: the smaller of the distance to the bones that
 * carry it and half the width of the body below it, smoothed over some hundredths of the
 * character's size. Small separate pieces (eyes, buttons, lashes) take the depth of what they lie
 * on, so that they move with it. out_thickness[body.vertex_count], each > 0. `arena` gives scratch
 * memory. The same bits for any number of threads. */
SupResult sup_thickness(SupArena *arena, const SupThicknessDef *def, float *out_thickness,
                        SupError *error);

/* The value below which `share` of the body's area lies: values[mesh.vertex_count], >= 0. */
float sup_area_quantile(const SupMesh *mesh, const float *values, float fraction);

#ifdef __cplusplus
}
#endif
#endif
