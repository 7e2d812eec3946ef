/* SPDX-License-Identifier: MIT */
/* Supple: the elastic ground truth of a character's clips, or of its poses, as point caches. */
#ifndef SUPPLE_APP_SIMULATE_CHARACTER_H
#define SUPPLE_APP_SIMULATE_CHARACTER_H

#include "supple/app/choose_flesh.h"
#include "supple/app/lock_character.h"
#include "supple/author/samples.h"
#include "supple/sim/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When the muscles pull. */
typedef struct SupSimPull {
  double from, until; /* seconds */
  double rise;        /* seconds to full strength, and back */
} SupSimPull;

/* Numbers per simulated frame in a report: elastic, kinetic and potential energy, iterations, worst
 * volume, inverted elements. */
#define SUP_SIMULATED_NUMBERS 6

/* One cache. */
typedef struct SupSimulatedClip {
  const char *name; /* of the clip; "poses" or "clench" for poses */
  const char *path;
  uint32_t frame_count;
  uint32_t loop_rounds; /* that it took until the motion repeated */
  uint32_t row_count;   /* frames after the first that were simulated */
  const double *rows;   /* [row_count * SUP_SIMULATED_NUMBERS] */
  double seconds;       /* that it took */
  SupSimFrame total;
  uint32_t inverted_frames; /* frames with an element inside out */
} SupSimulatedClip;

/* Filled clip by clip, the last one maybe in part where a failure ended it. */
typedef struct SupSimulateReport {
  SupFleshChoice flesh; /* of usual flesh; no frequency otherwise */
  SupHardParts hard;    /* what is not flesh and follows its bones */
  SupSimReport body;    /* no tetrahedra: not made yet */
  uint32_t clip_count;
  SupSimulatedClip *clips; /* [clip_count] */
} SupSimulateReport;

/* Start from sup_simulate_def. */
typedef struct SupSimulateDef {
  uint32_t cookie;
  SupSimDef body;      /* flesh, forces and steps, the map `material` of the file; what is locked
                          is found by sup_lock_character */
  SupLockDef lock;     /* ... and corrected by these */
  bool usual_flesh;    /* stiffness and damping are chosen (sup_choose_flesh); true */
  bool own_damping;    /* ... but for the damping: that of body.material is meant */
  bool own_tension;    /* body.muscles.tension is meant as it is; otherwise it goes with the
                          stiffness that is chosen */
  SupFillReport fill;  /* of body.volume, where that is given */
  SupNames clips;      /* none: all; also @calibration */
  uint32_t pose_count; /* instead of clips: the equilibrium of so many poses, a frame each */
  bool far;            /* poses beyond what the clips show */
  SupNames at;         /* the poses, pose_count of them, as of sup_named_poses; or none */
  double fps;          /* 60 */
  double amplitude;    /* of sup_clips_amplify; 1 */
  double preroll;      /* seconds before the first frame, in its pose or round the loop */
  double until;        /* seconds of every clip; INFINITY: all */
  bool loop;           /* go round until the motion repeats, and write that round */
  SupSampleOrder order;
  bool clench;         /* muscles pull: in time, or in every second frame of poses */
  uint32_t pull_count; /* 0: through the middle half of a clip */
  const SupSimPull *pulls;
  /* Told when the body is made (no clips yet) and after every clip; or NULL. */
  void (*done)(void *user, const SupSimulateReport *so_far);
  void *user;
} SupSimulateDef;

SupSimulateDef sup_simulate_def(const SupAppContext *app, const SupCharacterFile *file);

/* Simulates everything into `output`, a .pc2 or .mdd, or for several clips into files beside it
 * (sup_clip_paths). The report is in the arena, and as far as it got after a failure. */
SupResult sup_simulate_character(const SupAppContext *app, const SupCharacterFile *file,
                                 const SupSimulateDef *def, const char *output,
                                 SupSimulateReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
