/* SPDX-License-Identifier: MIT */
/*
 * What learning a surface works with: the examples by lane, the model in double precision, and the
 * numbers that are sought.
 */
#ifndef SUP_SRC_TRAIN_SURFACE_PROBLEM_H
#define SUP_SRC_TRAIN_SURFACE_PROBLEM_H

#include "supple/train/surface.h"

#define BLOCK SUP_SKIN_BLOCK
#define MOST_TERMS SUP_SURFACE_ALL_TERMS
#define FIRST_STEP \
  2 /* the run time takes the first two goals over, and moves freely from then on */

/* Rows of a frame: blocks of 3, of all frames of a clip; float unless they were given in double. */
typedef struct SurfaceFrames {
  float *narrow;
  double *wide;
} SurfaceFrames;

typedef struct SurfaceClip {
  const char *name;
  uint32_t frame_count;
  const SupAffined *palettes; /* [frame_count * bone_count] */
  SurfaceFrames goals, targets;
  double *weights; /* [frame_count] 0: dropped */
  uint8_t *known;  /* [frame_count * lanes] or NULL: all */
  uint32_t dropped, missing;
  SupVec3d push;  /* h^2 times the acceleration */
  double feed;    /* least eta */
  bool handed_on; /* as in SupSurfaceExample */
  bool scaled;    /* some bone scales */
  bool used;      /* cross-validation leaves clips out */
} SurfaceClip;

/* One state, blocks in double. */
typedef struct SurfaceState {
  double *x, *dx, *goal, *goal_step, *rotation, *records, *next_goal, *terms, *target, *forces;
  double *normals; /* of the goal; with SUP_SURFACE_NORMAL only */
  double *bends;   /* NULL, or how the goal's step will change: with SUP_SURFACE_UNDELAYED */
  SupSurfacePlacedd *placed;
  double *scales;
} SurfaceState;

/* Smooth patterns over the body. */
typedef struct SurfaceBasis {
  uint32_t count;   /* 0: every vertex by itself */
  double *patterns; /* [count * lanes] */
} SurfaceBasis;

typedef struct SurfaceProblem {
  const SupSurfaceTrainDef *def;
  const SupJobs *jobs;
  const SupBackend *backend; /* of this processor */
  SupArena *arena;           /* scratch */
  SupModel *model;           /* with all spokes */
  SupSurfaceView view;
  SupSurfaceViewd wide;
  double *rows, *normal_rows; /* wide.parameters, wide.normal_rows */
  uint32_t blocks, lanes, vertices, bones;
  uint32_t free_rows;        /* that are fitted */
  bool handed_on;            /* of the clips: eta is 1 while learning, whatever is saved */
  uint32_t terms;            /* 6, or 8 with SUP_SURFACE_NORMAL: blocks of so many numbers */
  uint32_t pairs, sum_count; /* of them, and with the right side */
  double fixed[MOST_TERMS];  /* the numbers that are not fitted */
  double smooth;
  double
      inertia_gain; /* cross-validation: fraction of the goal's acceleration that shall be felt */
  uint32_t clip_count;
  SurfaceClip *clips;
  double *weights; /* [lanes] area, 0 for spare lanes and unseen vertices; mean 1 over the seen */
  uint32_t seen;
  SurfaceState state;
  double *numbers;     /* [blocks of terms] what is sought */
  double *sums;        /* [blocks of sum_count] normal equations of the last pass */
  double *errors;      /* [ranges] */
  double *before;      /* [9 * lanes] */
  double *spare;       /* [blocks of terms] */
  double *spare_frame; /* [3 * lanes] */
  float *maps;         /* [terms * vertices] */
  uint32_t passes;     /* simulations so far */
  uint32_t gradients, descents, window_passes;
  SurfaceBasis basis;
} SurfaceProblem;

/* Flesh that is hardly pulled back creeps: it can imitate how an example's pose differs from
 * skinning, and goes astray in every other motion. So what is learned swings at 1 Hz at least and,
 * where it does not swing, is back in a sixth of a second: alpha >= SOFTEST + CREEP delta, at 60
 * steps a second. */
#define SURFACE_SOFTEST 0.01
#define SURFACE_CREEP 0.1

extern const double sup_surface_most[MOST_TERMS]; /* the box: 0 .. */

/* The map that a number is stored as. */
static inline uint32_t surface_map_of(uint32_t term) {
  return term < SUP_SURFACE_TERMS ? term : SUP_SURFACE_MAPS + term - SUP_SURFACE_TERMS;
}

static inline double surface_most_of(uint32_t row) { return sup_surface_most[row]; }

static inline double *surface_at(double *rows, uint32_t n, uint32_t lane, uint32_t k) {
  return rows + ((size_t)n * (lane / BLOCK) + k) * BLOCK + lane % BLOCK;
}

static inline double surface_get(const double *rows, uint32_t n, uint32_t lane, uint32_t k) {
  return rows[((size_t)n * (lane / BLOCK) + k) * BLOCK + lane % BLOCK];
}

static inline SupVec3d surface_vec(const double *rows, uint32_t lane) {
  const double *p = rows + (size_t)(3 * BLOCK) * (lane / BLOCK) + lane % BLOCK;
  return (SupVec3d){p[0], p[BLOCK], p[2 * BLOCK]};
}

static inline void surface_put(double *rows, uint32_t lane, SupVec3d v) {
  double *p = rows + (size_t)(3 * BLOCK) * (lane / BLOCK) + lane % BLOCK;
  p[0] = v.x, p[BLOCK] = v.y, p[2 * BLOCK] = v.z;
}

/* One frame into out[3 * lanes]. */
void sup_surface_frame(const SurfaceFrames *frames, uint32_t frame, size_t count, double *out);
void sup_surface_frame_put(const SurfaceFrames *frames, uint32_t frame, size_t count,
                           const double *values);

/* ---- problem.c, missing.c: from examples to a problem ------------------------------------------
 */

SupResult sup_surface_problem_make(SupArena *scratch, const SupSurfaceTrainDef *def,
                                   SurfaceProblem *out_problem, SupError *error);

/* Drops frames that cannot be, and fills in what is not known. */
SupResult sup_surface_fill_missing(SurfaceProblem *p, SupError *error);

/* ---- passes.c: simulating the examples ---------------------------------------------------------
 */

typedef struct SurfacePass {
  uint32_t window; /* frames after which the flesh is put back onto the example; 0: never, and it
                      begins as the run time does */
  bool sums;       /* gather normal equations */
} SurfacePass;

/* Simulates with `numbers`; returns the weighted sum of squares. out_clips[clip_count] or NULL.
 */
double sup_surface_pass(SurfaceProblem *p, const SurfacePass *pass, double *out_clips);

/* The same of plain goals: what errors are measured by. */
double sup_surface_goal_error(SurfaceProblem *p, double *out_clips);

/* Weighs the clips so that all differ alike from their goals: lively ones would else be all that
 * counts. goals[clip_count] scratch. */
void sup_surface_balance(SurfaceProblem *p, double *goals);

/* One clip from the run time's beginning; errors[steps][3 * lanes] are x - target behind each
 * step.
 */
double sup_surface_pass_clip(SurfaceProblem *p, uint32_t clip, float *errors);

/* Puts the numbers where the kernel reads them. */
void sup_surface_numbers_apply(SurfaceProblem *p);

/* The state before the step that leads from frame `t` to t + 1: as the run time is when it begins
 * (from_goal), or on the example. */
void sup_surface_begin(SurfaceProblem *p, const SurfaceClip *clip, uint32_t t, bool from_goal);
void sup_surface_hand_over(SurfaceProblem *p, const SurfaceClip *clip, uint32_t t);
SupSurfaceCalld sup_surface_call(SurfaceProblem *p, const SurfaceClip *clip, uint32_t t);

/* ---- adjoint.c: the gradient of the true error
 * -------------------------------------------------
 */

typedef struct SurfaceAdjoint {
  float *errors; /* of the longest clip */
  float *first;  /* [3 * lanes] where it begins */
  double *x, *before, *by_x, *by_dx;
  void *messages;
  double *gradient; /* [blocks of terms] */
} SurfaceAdjoint;

SupResult sup_surface_adjoint_make(SurfaceProblem *p, SurfaceAdjoint *out, SupError *error);

/* The error of the present numbers (positions, and velocities where they count); its gradient by
 * all of them into a->gradient. */
double sup_surface_gradient(SurfaceProblem *p, SurfaceAdjoint *a);

/* ---- fit.c: normal equations to numbers
 * --------------------------------------------------------
 */

/* numbers = (1 - rate) numbers + rate (best for the sums), `sweeps` times over the neighbours. */
void sup_surface_fit(SurfaceProblem *p, double rate, uint32_t sweeps);

/* What smoothness weighs, by number, with the sums of the last pass. */
void sup_surface_pull(SurfaceProblem *p, double *out_pull);

/* [blocks of terms] the change of a number that counts alike for all; 0: not fitted. */
void sup_surface_units(SurfaceProblem *p, double *out_units);

/* The mean of the numbers of the neighbours; its own where there are none. */
void sup_surface_ring_mean(const SurfaceProblem *p, uint32_t lane, double *out);

/* The limiter on numbers, after creeping was stopped. */
void sup_surface_limit_numbers(SurfaceProblem *p);

/* Vertices that no example shows take the numbers of the nearest that one does. */
SupResult sup_surface_spread(SurfaceProblem *p, SupError *error);

/* ---- stages
 * ------------------------------------------------------------------------------------
 */

/* The best uniform spring, into numbers; its error by full simulation. */
double sup_surface_uniform(SurfaceProblem *p);

/* Everything that is fitted 0, but for alpha. */
void sup_surface_start_numbers(SurfaceProblem *p, double alpha);

/* Teacher forcing, into numbers. */
SupResult sup_surface_forced(SurfaceProblem *p, SupError *error);

/* Growing windows from the present numbers. best[blocks of terms] with *io_error are what to
 * beat, and what is left in numbers. */
SupResult sup_surface_windows(SurfaceProblem *p, double *best, double *io_error, SupError *error);

/* Descends on the true error from the present numbers; io_error becomes what is left. */
SupResult sup_surface_descend(SurfaceProblem *p, double *io_error, SupError *error);

void sup_surface_progress(const SurfaceProblem *p, const char *what, double done, double total);

/* The published iteration; gives its error. */
double sup_surface_literal(SurfaceProblem *p);

/* ---- basis.c: smooth patterns
 * ------------------------------------------------------------------
 */

/* The lowest patterns of the mesh's Laplacian. */
SupResult sup_surface_basis_make(SurfaceProblem *p, uint32_t count, SupError *error);

/* Brings coordinates (numbers over units) to the nearest that the patterns can make: io[blocks of
 * terms]. */
void sup_surface_basis_project(SurfaceProblem *p, const double *units, double *io);

/* ---- validate.c -------------------------------------------------------------------------------
 */

/* Learns quickly from the frames that have weight, into numbers. */
typedef SupResult SurfaceLearn(SurfaceProblem *p, SupError *error);

/* Lets only this fraction of the goal's acceleration through that the numbers let through. */
void sup_surface_scale_inertia(SurfaceProblem *p, double fraction);

/* Sets smooth, free_rows and inertia_gain to what does best on what is left out. */
SupResult sup_surface_validate(SurfaceProblem *p, SurfaceLearn *learn,
                               SupSurfaceTrainReport *report, SupError *error);

#endif
