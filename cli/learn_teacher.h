/* SPDX-License-Identifier: MIT */
/* The simulator as the teacher of `learn`. */
#ifndef SUPPLE_CLI_LEARN_TEACHER_H
#define SUPPLE_CLI_LEARN_TEACHER_H

#include "actor.h"
#include "supple/sim/simulate.h"
#include "supple/train/learn.h"

typedef struct LearnTeacher {
  CliContext *cli;
  const SupCharacter *character;
  SupSimDef def; /* the flesh; the integrator is chosen here */
  SupSim *still, *moving;
  const SupClip *clip;          /* being played, or NULL: */
  const SupTransform *postures; /* posture k at time k */
  uint32_t posture_count;
  SupPosed pose, other;
  SupAffined *globals;
} LearnTeacher;

/* Room in `cli->arena`; cli, character and def are set. */
SupResult learn_teacher_prepare(LearnTeacher *teacher, SupTeacher *out, SupError *error);
void learn_teacher_free(LearnTeacher *teacher);

#endif
