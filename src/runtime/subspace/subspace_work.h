/* SPDX-License-Identifier: MIT */
/*
 * One implicit step of the subspace technique: what is minimised, and the minimiser. Amplitudes Z
 * are [3 K], by axis and function; data of clusters is by block of 16, row by row.
 *
 *   sup_subspace_prepare       constants of a step, from the past and where the bones are now
 *   sup_subspace_evaluate      energy and gradient at some Z
 *   sup_subspace_minimise      L-BFGS
 */
#ifndef SUP_SRC_RUNTIME_SUBSPACE_WORK_H
#define SUP_SRC_RUNTIME_SUBSPACE_WORK_H

#include "supple/subspace.h"

enum { SUBSPACE_L = SUP_SUBSPACE_LANES };

/* A step. Pointers into the state, valid while the call runs. */
typedef struct SubspaceWork {
  const SupSubspaceView *model;
  SupSubspaceState *state;
  uint32_t n; /* 3 K */
  /* Set by prepare. */
  double inertia;      /* c0^2 / h^2; 0: an equilibrium */
  double rate;         /* c0 / h */
  double a;            /* damping * rate */
  double drag;         /* drag * rate */
  double *still;       /* [n] where nothing would have a velocity */
  double *linear;      /* [n] constant part of the gradient */
  float *rigid;        /* [9 * 16 per block] the bones' part of the clusters' gradients */
  float *rigid_rate;   /* [9 * 16] a times how far that is from where it would have no rate */
  float *still_change; /* [9 * 16] */
  /* Set by evaluate. */
  float *change;  /* [9 * 16] the amplitudes' part */
  float *stress;  /* [9 * 16] */
  float *sums;    /* [K * 3 * 16] lanes of the gradient */
  float *rounded; /* [n] the amplitudes as floats */
  double size;    /* what the energy's terms amount to, all taken positive: for rounding */
  /* The minimiser's. */
  double *z, *gradient, *trial, *trial_gradient, *direction; /* [n] */
} SubspaceWork;

static inline double *subspace_doubles(SupSubspaceState *state, uint64_t offset) {
  return (double *)(void *)((char *)state + offset);
}

static inline float *subspace_floats(SupSubspaceState *state, uint64_t offset) {
  return (float *)(void *)((char *)state + offset);
}

/* Bytes of the arrays of a step; pointers to them from the state's block. */
uint64_t sup_subspace_work_bytes(const SupSubspaceView *model);
SubspaceWork sup_subspace_work(const SupSubspaceView *model, SupSubspaceState *state);

/* Room for the bones of a step, [12 * bone_count]. */
double *sup_subspace_next_bones(const SupSubspaceView *model, SupSubspaceState *state);

/* The bones' matrices by axis, bone, column: out[12 * bone_count]. */
void sup_subspace_place_bones(uint32_t bone_count, const SupAffine *palette, double *out);

/* Constants of a step of h to bones[12 * bone_count], or of an equilibrium there (h 0). */
void sup_subspace_prepare(SubspaceWork *work, double h, const double *bones, SupVec3 gravity);

/* Turns the clusters' rotations towards what z[n] asks for. */
void sup_subspace_turn(SubspaceWork *work, const double *z, int rounds);

/* The energy at z[n] and its gradient, out_gradient[n]. */
double sup_subspace_evaluate(SubspaceWork *work, const double *z, double *out_gradient);

/* From work->z to a place of less energy, in at most so many iterations; work->change is
 * that place's. */
void sup_subspace_minimise(SubspaceWork *work, uint32_t iterations);

#endif
