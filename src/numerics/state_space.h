/* SPDX-License-Identifier: MIT */
/*
 * Linear systems in discrete time, z' = A z + B u, y = C z + D u: playing them, making them stable,
 * fitting them to measured series. All matrices are row-major.
 */
#ifndef SUP_SRC_NUMERICS_STATE_SPACE_H
#define SUP_SRC_NUMERICS_STATE_SPACE_H

#include "supple/base.h"

/* Several measured sequences, one after the other. */
typedef struct SupSeries {
  uint32_t count;          /* sequences */
  const uint32_t *lengths; /* [count] frames of each */
  uint32_t inputs, outputs;
  const double *u; /* [frames * inputs] */
  const double *y; /* [frames * outputs] */
} SupSeries;

uint32_t sup_series_frames(const SupSeries *series);

typedef struct SupSystem {
  uint32_t states, inputs, outputs;
  double *a; /* [states * states] */
  double *b; /* [states * inputs] */
  double *c; /* [outputs * states] */
  double *d; /* [outputs * inputs] */
} SupSystem;

/* A system of zeroes; false when memory is short. */
bool sup_system_make(SupArena *arena, uint32_t states, uint32_t inputs, uint32_t outputs,
                     SupSystem *out_system);

/* out_y[frames * outputs], from u[frames * inputs]; io_z[states] is the state before and after.
 * scratch[states]. */
void sup_system_run(const SupSystem *system, uint32_t frames, const double *u, double *io_z,
                    double *scratch, double *out_y);

/* The state in which a constant input leaves everything: (I - A)^-1 B u, out_z[states]. */
SupResult sup_system_settle(SupArena *arena, const SupSystem *system, const double *u,
                            double *out_z, SupError *error);

/* Runs every sequence from the state in balance with its first input; out_y as series->y. Returns
 * in *out_square the sum of squared distances from series->y. */
SupResult sup_system_predict(SupArena *arena, const SupSystem *system, const SupSeries *series,
                             double *out_y, double *out_square, SupError *error);

/* Makes a[n * n] stable: eigenvalues on or outside the circle of radius 1 - margin are mirrored
 * into it, in the real Schur form, so the result is real. A stable matrix is not touched.
 * `least_real` > 0 also lifts real eigenvalues below it (negative ones included) up to it, so that
 * the matrix has a real logarithm. *out_changed says how many blocks were changed. */
SupResult sup_stabilise(SupArena *arena, uint32_t n, double *a, double margin, double least_real,
                        uint32_t *out_changed, SupError *error);

/* The largest modulus of an eigenvalue; a[n * n] is kept. */
SupResult sup_spectral_radius(SupArena *arena, uint32_t n, const double *a, double *out_radius,
                              SupError *error);

/* How B and D are estimated when A and C are known. */
typedef struct SupInputFit {
  double ridge;    /* fraction of the largest scalar product added to all; 1e-10 */
  double sparse;   /* LASSO on B and D: fraction of the smallest alpha that leaves nothing; 0 */
  bool without_d;  /* D = 0 */
  bool free_start; /* a start state per sequence is estimated too (and thrown away) */
} SupInputFit;

/* B and D (io_system->b, d) from linear least squares over all frames. With free_start == false
 * every sequence starts in balance with nothing: z = 0. */
SupResult sup_fit_inputs(SupArena *arena, const SupSeries *series, const SupInputFit *fit,
                         SupSystem *io_system, SupError *error);

/* The same by parts of the series, which may be left out one at a time: normal equations of every
 * part, in each of which the free run goes on from what was before it. */
typedef struct SupInputParts {
  uint32_t count, columns; /* parts; unknowns: B, D, starts */
  double *normal;          /* [(count + 1) * (columns + 1)^2] lower half; all together last */
} SupInputParts;

/* part_of[frames] < part_count. `fit` may not ask for sparseness. */
SupResult sup_input_parts(SupArena *arena, const SupSeries *series, const SupInputFit *fit,
                          const SupSystem *system, uint32_t part_count, const uint8_t *part_of,
                          SupInputParts *out, SupError *error);

/* How well B and D that were found without a part say its outputs y. */
typedef struct SupInputCheck {
  double square;   /* (said - y)^2 */
  double said, is; /* said^2, y^2 */
  double together; /* said * y */
} SupInputCheck;

/* B and D of all parts but `left_out` (none of them: of all) by a ridge > 0; of that part, or of
 * all, the check, which may be NULL. */
SupResult sup_input_solve(SupArena *arena, const SupInputParts *parts, const SupInputFit *fit,
                          uint32_t left_out, SupSystem *io_system, SupInputCheck *out_check,
                          SupError *error);

/* Lowers the error of the free-running output by damped Gauss-Newton steps over A, B, C and D, at
 * most `rounds`; never raises it and keeps the spectral radius below 1 - margin. A ridge > 0 holds
 * the elements near where they were, in fractions of their own squares. Frames where
 * left_out[frames] is true (NULL: none) are run through and not looked at. *out_square is the error
 * reached, with a ridge the error plus what holds. */
SupResult sup_polish_output(SupArena *arena, const SupSeries *series, const bool *left_out,
                            uint32_t rounds, double ridge, double margin, SupSystem *io_system,
                            double *out_square, SupError *error);

/* What a system can do. */
typedef struct SupGain {
  double radius;    /* spectral */
  double transient; /* max over n of the Frobenius norm of A^n: non-normal growth */
  double peak;      /* largest singular value of the transfer matrix over 512 frequencies */
} SupGain;

SupResult sup_system_gain(SupArena *arena, const SupSystem *system, SupGain *out_gain,
                          SupError *error);

/* Bound of every output when input j stays within +-most[j]: |D| m + sum_n |C A^n B| m, for ever;
 * out_bound[outputs]. Starting from any balance within those inputs is covered. */
SupResult sup_system_bound(SupArena *arena, const SupSystem *system, const double *most,
                           double *out_bound, SupError *error);

/* ---- Baseline -------------------------------------------------------------------------------- */

/* Auto-regression with inputs: y_t = sum_{i=1..lags} P_i y_{t-i} + sum_{i=0..lags-1} Q_i u_{t-i},
 * by least squares; as a system whose state is the last outputs and inputs. */
SupResult sup_arx(SupArena *arena, const SupSeries *series, uint32_t lags, SupSystem *out_system,
                  SupError *error);

#endif
