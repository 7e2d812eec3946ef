/* SPDX-License-Identifier: MIT */
/*
 * Supple: where a character is soft, found without asking: thick flesh far from bones, by a preset,
 * by what is painted, by what is not flesh (hard_parts.h), and by the bones that somebody names.
 */
#ifndef SUPPLE_AUTHOR_SOFT_PARTS_H
#define SUPPLE_AUTHOR_SOFT_PARTS_H

#include "supple/author/surface_build.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sup_soft_parts_def. */
typedef struct SupSoftPartsDef {
  uint32_t cookie;
  const SupCharacter *character; /* skinned */
  SupSurfacePreset preset;       /* `soft`; its amount may be lowered */
  const SupVec3 *rest; /* [body.vertex_count] the rest pose in the scene: a skin may be bound in
                          other units */
  const bool *only;    /* [joint_count] only what hangs on these joints moves, or NULL: all */
  const float *lock; /* [body.vertex_count] 1: held, as of sup_hard_parts; NULL: what is painted */
  float h;           /* seconds, of the surface; 1/60 */
  const SupJobs *jobs; /* or NULL */
} SupSoftPartsDef;

SupSoftPartsDef sup_soft_parts_def(const SupCharacter *character);

/* Bones that are named as the softest, at most. */
#define SUP_SOFTEST 4

typedef struct SupSoftParts {
  SupSurfaceMaps maps; /* of a surface of the preset, with the paint; what is held is locked */
  float *soft;         /* [body.vertex_count] 0 follows its bones, 1 moves as it likes */
  double soft_area;    /* fraction of the skin that is softer than a half */
  bool any;            /* some vertex is not held */
  double size, deep; /* metres: the diagonal at rest; thickness that a tenth of the skin exceeds */
  uint32_t painted_count; /* maps of the character that were used */
  uint32_t softest_count; /* joints whose flesh is most of the soft, at least 2 % of it each */
  uint32_t softest[SUP_SOFTEST];
} SupSoftParts;

/* Finds them; everything is in `arena`. The same bits for any number of threads. */
SupResult sup_soft_parts(SupArena *arena, const SupSoftPartsDef *def, SupSoftParts *out_parts,
                         SupError *error);

/* Marks joints with all that hang below them: io_marked[joint_count]. */
void sup_mark_below(const SupSkeleton *skeleton, bool *io_marked);

#ifdef __cplusplus
}
#endif
#endif
