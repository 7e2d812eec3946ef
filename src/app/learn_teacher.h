/* SPDX-License-Identifier: MIT */
/* The simulator as the teacher of learning. */
#ifndef SUPPLE_APP_LEARN_TEACHER_H
#define SUPPLE_APP_LEARN_TEACHER_H

#include "supple/app/app_context.h"
#include "supple/clip.h"
#include "supple/sim/simulate.h"
#include "supple/train/learn.h"

typedef struct SupLearnTeacher {
  const SupAppContext *app;
  const SupCharacter *character;
  SupSimDef def; /* the flesh; the integrator is chosen here */
  SupSim *still, *moving;
  const SupClip *clip;       /* being played, or NULL: */
  const SupTransform *poses; /* pose k at time k */
  uint32_t pose_count;
  SupPosed pose, other;
  SupAffined *globals;
} SupLearnTeacher;

/* Room in the arena; app, character and def are set. */
SupResult sup_learn_teacher_prepare(SupLearnTeacher *teacher, SupTeacher *out, SupError *error);
void sup_learn_teacher_free(SupLearnTeacher *teacher);

#endif
