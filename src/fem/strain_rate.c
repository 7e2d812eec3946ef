/* SPDX-License-Identifier: MIT */
/*
 * Damping on the rate of the stretch.
 *
 * F = U diag(s) V^T = R S with R = U V^T and S = V diag(s) V^T. In the frame of U and V, where a
 * change of F is A = U^T dF V, that of S follows from S^2 = F^T F:
 *   dS_ij = (s_i A_ij + s_j A_ji) / (s_i + s_j)                                      (change_of)
 *   d2S_ij = 2 ((A^T A)_ij - (dS dS)_ij) / (s_i + s_j)
 * With N = 2 mu D + lambda tr(D) (stress) the energy mu |D|^2 + lambda/2 tr(D)^2 has the gradient
 *   2 N_ij s_i / (s_i + s_j)                                           (sup_strain_rate_stress)
 * and the stiffness 2 mu |dS|^2 + lambda tr(dS)^2, never negative, plus N : d2S. The first is, in
 * the modes of constitutive.c, with f and t the flip and the twist of pair (i, j):
 *   2 mu on every stretch, lambda on the trace, 2 mu (f + r t)^2, r = (s_i - s_j) / (s_i + s_j)
 *
 * Why S and not sym(R^T dF/dt), the usual corotated rate: R^T dF/dt of a strained element that
 * turns as it is with the angular velocity W is W S, whose symmetric part is not zero unless S is
 * round. Flesh that its own turning stretches would be braked.
 */
#include "fem/strain_rate.h"

/* Stretches of an element inside out may cancel: no quotient is larger than its difference times
 * this. */
#define LEAST_SUM 1e-3

static const int pair_of[3][2] = {{1, 2}, {2, 0}, {0, 1}};

static double sum_of(const double s[3], int i, int j) {
  const double sum = s[i] + s[j];
  return sum > LEAST_SUM ? sum : LEAST_SUM;
}

SupStretch sup_stretch(const SupSvdd *svd) {
  const double s[3] = {svd->s.x, svd->s.y, svd->s.z};
  const double *v = svd->v.m;
  SupStretch out;
  for (int k = 0; k < 3; k++) {
    const int i = pair_of[k][0], j = pair_of[k][1];
    out.m[k] = s[0] * v[k] * v[k] + s[1] * v[3 + k] * v[3 + k] + s[2] * v[6 + k] * v[6 + k];
    out.m[3 + k] = s[0] * v[i] * v[j] + s[1] * v[3 + i] * v[3 + j] + s[2] * v[6 + i] * v[6 + j];
  }
  return out;
}

/* A symmetric matrix in the frame of V: V^T M V. */
static void to_frame(const SupStretch *matrix, const SupMat3d *V, double out[3][3]) {
  const double *m = matrix->m;
  for (int j = 0; j < 3; j++) {
    const double *v = V->m + 3 * j;
    const double column[3] = {m[0] * v[0] + m[5] * v[1] + m[4] * v[2],
                              m[5] * v[0] + m[1] * v[1] + m[3] * v[2],
                              m[4] * v[0] + m[3] * v[1] + m[2] * v[2]};
    for (int i = 0; i <= j; i++) {
      const double *w = V->m + 3 * i;
      out[i][j] = out[j][i] = w[0] * column[0] + w[1] * column[1] + w[2] * column[2];
    }
  }
}

/* N in the frame of V; returns the energy density. */
static double stress_of(const SupStrainRate *rate, const SupSvdd *svd, double N[3][3]) {
  const double s[3] = {svd->s.x, svd->s.y, svd->s.z};
  double square = 0;
  to_frame(&rate->still, &svd->v, N);
  const double trace = s[0] + s[1] + s[2] - (N[0][0] + N[1][1] + N[2][2]);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double d = (i == j ? s[i] : 0) - N[i][j];
      square += d * d;
      N[i][j] = 2 * rate->mu * d + (i == j ? rate->lambda * trace : 0);
    }
  }
  return rate->mu * square + 0.5 * rate->lambda * trace * trace;
}

double sup_strain_rate_stress(const SupStrainRate *rate, const SupSvdd *svd, SupMat3d *io_P) {
  const double s[3] = {svd->s.x, svd->s.y, svd->s.z};
  double N[3][3];
  const double energy = stress_of(rate, svd, N);
  for (int i = 0; i < 3; i++) {
    double row[3] = {0, 0, 0}; /* row i of the gradient, times V^T */
    for (int j = 0; j < 3; j++) {
      const double value = i == j ? N[i][i] : 2 * N[i][j] * s[i] / sum_of(s, i, j);
      for (int c = 0; c < 3; c++) row[c] += value * svd->v.m[3 * j + c];
    }
    for (int c = 0; c < 3; c++) {
      for (int r = 0; r < 3; r++) io_P->m[3 * c + r] += svd->u.m[3 * i + r] * row[c];
    }
  }
  return energy;
}

void sup_strain_rate_stiffness(const SupStrainRate *rate, const SupSvdd *svd,
                               SupStiffness *io_stiffness) {
  SupStiffness *out = io_stiffness;
  const double s[3] = {svd->s.x, svd->s.y, svd->s.z}, gain = 2 * rate->mu;
  out->energy += sup_strain_rate_stress(rate, svd, &out->P);
  for (int k = 0; k < 3; k++) {
    const int i = pair_of[k][0], j = pair_of[k][1];
    const double r = (s[i] - s[j]) / sum_of(s, i, j);
    out->value[k] += gain;
    /* twist t^2 + flip f^2 + gain (f + r t)^2 = sum (f + share r t)^2 + rest t^2 */
    const double flip = out->value[6 + k] > 0 ? out->value[6 + k] : 0;
    const double sum = flip + gain, share = gain / sum * r;
    out->value[6 + k] = sum;
    out->value[3 + k] += flip * share * r;
    for (int e = 0; e < 9; e++) out->mode[6 + k].m[e] += share * out->mode[3 + k].m[e];
  }
  out->value[SUP_STIFFNESS_TRACE] = rate->lambda;
  out->mode[SUP_STIFFNESS_TRACE] = sup_mat3d_mul(svd->u, sup_mat3d_transpose(svd->v));
}

/* A = U^T dF V and the change of S in the frame of V. */
static void change_of(const SupSvdd *svd, const SupMat3d *dF, double A[3][3], double dS[3][3]) {
  const double s[3] = {svd->s.x, svd->s.y, svd->s.z};
  const SupMat3d a = sup_mat3d_mul(sup_mat3d_transpose(svd->u), sup_mat3d_mul(*dF, svd->v));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[i][j] = a.m[3 * j + i];
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      dS[i][j] = i == j ? A[i][i] : (s[i] * A[i][j] + s[j] * A[j][i]) / sum_of(s, i, j);
    }
  }
}

double sup_strain_rate_curvature(const SupStrainRate *rate, const SupSvdd *svd, const SupMat3d *dF,
                                 const SupMat3d *dG) {
  const double s[3] = {svd->s.x, svd->s.y, svd->s.z};
  double N[3][3], A[3][3], B[3][3], dS[3][3], dT[3][3], sum = 0;
  stress_of(rate, svd, N);
  change_of(svd, dF, A, dS);
  change_of(svd, dG, B, dT);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double bend = 0; /* of the second derivative of S, made symmetric in the two changes */
      for (int k = 0; k < 3; k++) {
        bend += A[k][i] * B[k][j] + B[k][i] * A[k][j] - dS[i][k] * dT[k][j] - dT[i][k] * dS[k][j];
      }
      sum += 2 * rate->mu * dS[i][j] * dT[i][j] + N[i][j] * bend / sum_of(s, i, j);
    }
  }
  const double trace = dS[0][0] + dS[1][1] + dS[2][2], other = dT[0][0] + dT[1][1] + dT[2][2];
  return sum + rate->lambda * trace * other;
}
