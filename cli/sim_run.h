/* SPDX-License-Identifier: MIT */
/* A simulated character in motion: one clip, or a list of postures, into one cache. */
#ifndef SUPPLE_CLI_SIM_RUN_H
#define SUPPLE_CLI_SIM_RUN_H

#include "actor.h"
#include "supple/io/cache.h"
#include "supple/sim/simulate.h"

/* A clip, or a list of postures, as a function of time. */
typedef struct SimMotion {
  const SupCharacter *character;
  const SupClip *clip;          /* NULL: postures */
  const SupTransform *postures; /* [count * joint_count], posture k at time k */
  uint32_t posture_count;
  bool loop;
  double start; /* the time that the way from the rest pose leads to */
  SupPosed pose;
  SupPosed other; /* scratch, like the pose and the globals */
  SupAffined *globals;
} SimMotion;

/* When the muscles pull. */
typedef struct SimPull {
  double from, until; /* seconds */
  double rise;        /* seconds to full strength, and back */
} SimPull;

typedef struct SimRun {
  CliContext *cli;
  const SupCharacter *character;
  SupSim *sim;
  SimMotion motion;
  double fps;
  double preroll; /* seconds */
  double until;   /* seconds of a clip that are wanted; INFINITY for all */
  SupSampleOrder order;
  double height; /* metres */
  uint32_t pull_count;
  const SimPull *pulls;
  bool clench;     /* of postures: every second frame is the one before with all muscles pulling */
  SupVec3 *body;   /* [body.vertex_count] */
  SupVec3 *render; /* [render.vertex_count] */
  SupSimFrame total;
  uint32_t inverted_frames; /* frames with an element inside out */
} SimRun;

/* Room for a run of `character`; the members above `motion` are set. In `cli->arena`. */
SupResult sim_run_prepare(SimRun *run, SupError *error);

/* Frames of a clip that are wanted. */
uint32_t sim_run_frames(const SimRun *run, const SupClip *clip);

/* Simulates `frames` frames of the motion and writes them to `path`; tells and reports. `name`
 * stands in both. */
SupResult sim_run_write(SimRun *run, const char *name, uint32_t frames, const char *path,
                        SupError *error);

#endif
