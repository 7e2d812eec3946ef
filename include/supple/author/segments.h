/* SPDX-License-Identifier: MIT */
/*
 * Supple: the straight pieces of bone inside a character, in its bind pose.
 */
#ifndef SUPPLE_AUTHOR_SEGMENTS_H
#define SUPPLE_AUTHOR_SEGMENTS_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From a joint to one of its children, or to the tip of a leaf; bind space. */
typedef struct SupSegment {
  uint32_t bone; /* the bone that carries it */
  SupVec3 a, b;  /* both ends; equal for a leaf that moves no vertex */
} SupSegment;

/* All segments, by rising bone: one per child joint, and one for a leaf, which reaches along its
 * parent's direction to its farthest vertex of weight 0.5 or more. A bone of a leaf without
 * parent is a point. *out_segments lives in `arena`. Takes time in proportion to joints, bones and
 * weights; SUP_ERROR_UNSUPPORTED if there would be millions. */
SupResult sup_segments_create(SupArena *arena, const SupCharacter *character,
                              const SupSegment **out_segments, uint32_t *out_count,
                              SupError *error);

/* Where the joints stand in the bind pose, [joint_count] in `arena`: joints with a bone know it,
 * the others hang on their parent as in the rest pose. NULL if memory is short. */
const SupVec3 *sup_joint_places(SupArena *arena, const SupSkeleton *skeleton);

/* The place on a segment that is nearest to a point. */
SupVec3 sup_segment_foot(const SupSegment *segment, SupVec3 point);

#ifdef __cplusplus
}
#endif
#endif
