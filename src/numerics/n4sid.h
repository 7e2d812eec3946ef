/* SPDX-License-Identifier: MIT */
/*
 * Subspace identification (N4SID: Van Overschee and De Moor 1994): the order of a linear system
 * and its A and C out of measured inputs and outputs, by projections and one singular value
 * decomposition. Several sequences are joined by their columns, none of which crosses a cut.
 */
#ifndef SUP_SRC_NUMERICS_N4SID_H
#define SUP_SRC_NUMERICS_N4SID_H

#include "numerics/state_space.h"

/* Block Hankel matrices of a series, one row per column of the textbook's: [columns * width]. */
typedef struct SupHankel {
  uint32_t blocks, columns;
  uint32_t input_width, output_width; /* blocks * inputs, blocks * outputs */
  double *past_u, *past_y;            /* frames j .. j + blocks - 1 */
  double *future_u, *future_y;        /* frames j + blocks .. j + 2 blocks - 1 */
} SupHankel;

SupResult sup_hankel(SupArena *arena, const SupSeries *series, uint32_t blocks, SupHankel *out,
                     SupError *error);

/* Takes the row space of `u` (columns x width, overwritten) out of io_m (columns x others): the
 * projector I - U^T (U U^T)^+ U, never formed. *out_rank is the rank of u. */
SupResult sup_project_out(SupArena *arena, uint32_t columns, uint32_t width, double *u,
                          uint32_t others, double *io_m, uint32_t *out_rank, SupError *error);

/* (M + e I)^(-1/2) and its inverse for a symmetric m[n * n], overwritten, with e the fraction
 * `faint` of its mean diagonal; directions whose eigenvalue is below floor times the largest are
 * left out of both. out_root may be NULL. */
SupResult sup_inverse_root(SupArena *arena, uint32_t n, double *m, double faint, double floor,
                           double *out_inverse, double *out_root, SupError *error);

typedef struct SupN4sidDef {
  uint32_t blocks;
  /* Squares, as fractions of the mean one, at which a direction of the future inputs, and one of
   * the past and of the future outputs, begins to count. 0: what is above rounding counts fully,
   * which is right for exact series; what was measured has errors there, and the result hangs on
   * them. */
  double faint_inputs, faint;
} SupN4sidDef;

/* Everything that does not depend on the order. */
typedef struct SupN4sid {
  uint32_t blocks, outputs, rows; /* rows = blocks * outputs */
  double *singular;               /* [rows] falling */
  double *left;                   /* [rows * rows] column k: W1^-1 times left vector k */
  double *w1, *root1;             /* [rows * rows] output weighting and its inverse */
  double *g;                      /* [columns * phi] Pi Phi^T W2, for the nuclear norm */
  uint32_t columns, phi;
} SupN4sid;

/* `future` (frames * outputs) replaces the outputs of the future block rows, or NULL. g is not
 * made. */
SupResult sup_n4sid(SupArena *arena, const SupSeries *series, const SupN4sidDef *def,
                    const double *future, SupN4sid *out, SupError *error);

/* The same with g, for the nuclear norm. */
SupResult sup_n4sid_with_g(SupArena *arena, const SupSeries *series, const SupN4sidDef *def,
                           SupN4sid *out, SupError *error);

/* The published rule: as many as make up `share` of the sum of the singular values. */
uint32_t sup_n4sid_order(const SupN4sid *n4sid, double fraction);

/* A and C of that order (1 .. (blocks - 1) outputs). */
SupResult sup_n4sid_system(SupArena *arena, const SupN4sid *n4sid, uint32_t order, double *out_a,
                           double *out_c, SupError *error);

/* ---- Nuclear norm (Liu, Hansson and Vandenberghe 2013) --------------------------------------- */

typedef struct SupNuclear {
  double beta; /* > 0: weight of staying near the measured outputs; small gives low rank */
  double rho;  /* start of the penalty; 10 */
  uint32_t most_rounds;
  double tolerance;
} SupNuclear;

typedef struct SupNuclearReport {
  double norm, objective; /* |Theta(v)|_* and that + beta |v - y|^2 */
  double primal, dual;    /* residuals reached, relative */
  uint32_t rounds;
} SupNuclearReport;

/* Outputs near the measured ones whose weighted Hankel product has a small nuclear norm,
 * out_v[frames * outputs], by ADMM. */
SupResult sup_nuclear_outputs(SupArena *arena, const SupSeries *series, const SupN4sid *n4sid,
                              const SupNuclear *def, double *out_v, SupNuclearReport *out_report,
                              SupError *error);

/* Theta(v) = W1 H(v) G, out[rows * phi]; and its adjoint, out_v[frames * outputs]. scratch
 * [max(rows * columns, rows * phi)] each. Exposed for tests. */
void sup_nuclear_map(const SupSeries *series, const SupN4sid *n4sid, const double *v,
                     double *scratch, double *out);
void sup_nuclear_adjoint(const SupSeries *series, const SupN4sid *n4sid, const double *x,
                         double *scratch, double *out_v);

#endif
