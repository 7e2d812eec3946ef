/* SPDX-License-Identifier: MIT */
/* A built-in character with a planted law of shape, and examples of it. */
#ifndef SUP_TESTS_CORRECTIVES_POSE_LAW_H
#define SUP_TESTS_CORRECTIVES_POSE_LAW_H

#include "check.h"
#include "supple/author/character.h"
#include "supple/correctives.h"
#include "supple/pose.h"
#include "supple/train/correctives.h"

typedef struct Lesson {
  SupArena arena;
  SupCharacter character;
  SupPose pose;
  SupAffine *globals, *palette;
  SupVec3 *positions; /* [vertex_count] scratch */
  SupRng rng;
  /* The law: offsets = sum over joints of a fixed field times an entry of the rotation; */
  float bend;  /* ... times this, 1 */
  float round; /* ... and this times the square of it, 0 */
  float pair;  /* ... and this times the turns of the joint and the one above, 0 */
  SupVec3 sag; /* times gravity in the vertex's own frame (its rest position's height), 0 */
  SupVec3 gravity;
} Lesson;

Lesson *lesson_create(const char *name, uint32_t vertices);
void lesson_free(Lesson *lesson);

/* Every joint somewhere within `range` radians of its rest pose; the root too where gravity acts.
 */
void lesson_random_pose(Lesson *lesson, double range);

/* Where the planted law puts the vertices in lesson->pose: lesson->positions. Fills the palette. */
void lesson_shape(Lesson *lesson);

/* `count` random poses with their truth, in the lesson's arena. */
SupCorrectivesExample lesson_examples(Lesson *lesson, uint32_t count, double range);

/* RMS(model - truth) / RMS(skinning - truth) over `count` new random poses. */
double lesson_error(Lesson *lesson, const SupModel *model, uint32_t count, double range);

/* What the model shows in lesson->pose, out[vertex_count]. */
void lesson_show(Lesson *lesson, const SupModel *model, SupVec3 *out);

#endif
