/* SPDX-License-Identifier: MIT */
/* A simulated character in motion: one clip, or a list of poses, into one cache. */
#ifndef SUPPLE_APP_SIMULATE_RUN_H
#define SUPPLE_APP_SIMULATE_RUN_H

#include "supple/app/simulate_character.h"

/* A clip, or a list of poses, as a function of time. */
typedef struct SupSimMotion {
  const SupCharacter *character;
  const SupClip *clip;       /* NULL: poses */
  const SupTransform *poses; /* [count * joint_count], pose k at time k */
  uint32_t pose_count;
  bool loop;
  double start; /* the time that the way from the rest pose leads to */
  SupPosed pose;
  SupPosed other; /* scratch, like the pose and the globals */
  SupAffined *globals;
} SupSimMotion;

typedef struct SupSimRun {
  const SupAppContext *app;
  const SupCharacter *character;
  SupSim *sim;
  SupSimMotion motion;
  double fps;
  double preroll; /* seconds */
  double until;   /* seconds of a clip that are wanted; INFINITY for all */
  SupSampleOrder order;
  double height; /* metres */
  uint32_t pull_count;
  const SupSimPull *pulls;
  bool clench;     /* of poses: every second frame is the one before with all muscles pulling */
  SupVec3 *body;   /* [body.vertex_count] */
  SupVec3 *render; /* [render.vertex_count] */
  SupSimulatedClip *found; /* of the file that is being written */
} SupSimRun;

/* Room for a run of `character`; the members above `motion` are set. In the arena. */
SupResult sup_sim_run_prepare(SupSimRun *run, SupError *error);

/* Frames of a clip that are wanted. */
uint32_t sup_sim_run_frames(const SupSimRun *run, const SupClip *clip);

/* Simulates out->frame_count frames of the motion and writes them to out->path. */
SupResult sup_sim_run_write(SupSimRun *run, SupSimulatedClip *out, SupError *error);

#endif
