/* SPDX-License-Identifier: MIT */
/*
 * Energy and stress from the polar decomposition F = R S.
 *
 *   R: Newton's X <- (X + X^-T) / 2 from F on, which squares the error in every step (Higham 1986)
 *   J = det F, cof F = dJ/dF; an energy v(J) has the stress v'(J) cof F
 *   corotational  w = mu |S - I|^2 + lambda/2 tr(S - I)^2,  P = 2 mu (F - R) + lambda tr(S - I) R
 *   StVK          w = mu/2 |E|^2 + v(J), E = (F^T F - I)/2,  P = mu F E + v' cof F
 *   neo-Hookean   w = mu/2 (|F|^2 - 3) + v(J),               P = mu F + v' cof F
 * near rest without the differences of nearly equal numbers in these, which searches along a line
 * would take for energy.
 * Damping has the energy mu |D|^2 + lambda/2 tr(D)^2, D = S - still. With N = 2 mu D +
 * lambda tr(D): dw = N : dS, and S^2 = F^T F makes of it P = R (N + W), W antisymmetric with
 * S W + W S = S N - N S; in axial vectors (tr S - S) w = axial(S N - N S).
 */
#include "fem/polar.h"

/* From here on singular values are the safer way: J against that of a round stretch of this size.
 */
#define LEAST_VOLUME 1e-3
#define MOST_STEPS 12
/* The step after one this small has an error of its square. */
#define LAST_STEP 1e-8

static SupMat3d cofactor(const SupMat3d *F) {
  const SupVec3d a = sup_mat3d_column(*F, 0), b = sup_mat3d_column(*F, 1);
  const SupVec3d c = sup_mat3d_column(*F, 2);
  return sup_mat3d_from_columns(sup_vec3d_cross(b, c), sup_vec3d_cross(c, a),
                                sup_vec3d_cross(a, b));
}

/* det F, given its cofactors. */
static double volume(const SupMat3d *F, const SupMat3d *cofactors) {
  return sup_vec3d_dot(sup_mat3d_column(*F, 0), sup_mat3d_column(*cofactors, 0));
}

static double square(const SupMat3d *F) {
  double sum = 0;
  for (int k = 0; k < 9; k++) sum += F->m[k] * F->m[k];
  return sum;
}

bool sup_polar(const SupMat3d *F, SupPolar *out_polar) {
  SupPolar *p = out_polar;
  p->F = *F;
  p->cofactor = cofactor(F);
  p->J = volume(F, &p->cofactor);
  const double size = square(F) / 3;
  if (!(p->J > LEAST_VOLUME * size * sup_sqrt(size))) return false;
  SupMat3d X = *F, inverse = p->cofactor;
  double J = p->J, step = 1;
  for (int k = 0; k < MOST_STEPS && step > LAST_STEP; k++) {
    const double half = 0.5 / J;
    step = 0;
    for (int e = 0; e < 9; e++) {
      const double next = 0.5 * X.m[e] + half * inverse.m[e], change = next - X.m[e];
      step = change > step ? change : -change > step ? -change : step;
      X.m[e] = next;
    }
    inverse = cofactor(&X);
    J = volume(&X, &inverse);
  }
  if (!(step <= LAST_STEP)) return false;
  p->R = X;
  const SupMat3d S = sup_mat3d_mul(sup_mat3d_transpose(X), *F);
  p->S = (SupStretch){{S.m[0], S.m[4], S.m[8], 0.5 * (S.m[5] + S.m[7]), 0.5 * (S.m[2] + S.m[6]),
                       0.5 * (S.m[1] + S.m[3])}};
  return true;
}

/* io += a A + b B. */
static void add(SupMat3d *io, double a, const SupMat3d *A, double b, const SupMat3d *B) {
  for (int k = 0; k < 9; k++) io->m[k] += a * A->m[k] + b * B->m[k];
}

/* (|F|^2 - 3) / 2 - (J - 1), of second order in D = S - I and computed so: with the sum of D's
 * principal minors, J - 1 = tr D + minors + det D and |F|^2 - 3 = 2 tr D + |D|^2. */
static double without_volume(const SupStretch *S) {
  const double x = S->m[0] - 1, y = S->m[1] - 1, z = S->m[2] - 1;
  const double a = S->m[3], b = S->m[4], c = S->m[5]; /* yz, zx, xy */
  const double mixed = a * a + b * b + c * c;
  const double minors = x * y + y * z + z * x - mixed;
  const double volume = x * (y * z - a * a) - c * (c * z - a * b) + b * (c * a - y * b);
  return 0.5 * (x * x + y * y + z * z) + mixed - minors - volume;
}

double sup_polar_stress(const SupLaw *law, const SupPolar *polar, SupMat3d *out_P) {
  double w, slope;
  SupMat3d P = {{0}};
  if (law->kind == SUP_MATERIAL_COROTATIONAL) {
    const double *s = polar->S.m, x = s[0] - 1, y = s[1] - 1, z = s[2] - 1, trace = x + y + z;
    const double mixed = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    w = law->mu * (x * x + y * y + z * z + 2 * mixed) + 0.5 * law->lambda * trace * trace;
    add(&P, 2 * law->mu, &polar->F, law->lambda * trace - 2 * law->mu, &polar->R);
  } else if (law->kind == SUP_MATERIAL_STVK) {
    SupMat3d E = sup_mat3d_mul(sup_mat3d_transpose(polar->F), polar->F);
    for (int k = 0; k < 9; k++) E.m[k] = 0.5 * (E.m[k] - (k % 4 == 0));
    const SupMat3d FE = sup_mat3d_mul(polar->F, E);
    w = law->mu / 2 * square(&E) + sup_law_volume(law, polar->J, &slope);
    add(&P, law->mu, &FE, slope, &polar->cofactor);
  } else {
    w = law->mu * without_volume(&polar->S) + sup_law_volume(law, polar->J, &slope);
    add(&P, law->mu, &polar->F, slope, &polar->cofactor);
  }
  const double gain = 1 + law->stiffening * w / law->mu;
  for (int k = 0; k < 9; k++) out_P->m[k] = gain * P.m[k];
  return w + law->stiffening * w * w / (2 * law->mu);
}

static SupMat3d full(const double m[6]) {
  return (SupMat3d){{m[0], m[5], m[4], m[5], m[1], m[3], m[4], m[3], m[2]}};
}

/* (tr S - S)^-1 v: the matrix is symmetric, and positive definite where S is. */
static SupVec3d untwist(const SupStretch *S, SupVec3d v) {
  const double *s = S->m;
  const double a = s[1] + s[2], b = s[2] + s[0], c = s[0] + s[1], d = -s[3], e = -s[4], f = -s[5];
  const double aa = b * c - d * d, bb = c * a - e * e, cc = a * b - f * f;
  const double dd = e * f - a * d, ee = f * d - b * e, ff = d * e - c * f;
  const double scale = 1 / (a * aa + f * ff + e * ee);
  return (SupVec3d){scale * (aa * v.x + ff * v.y + ee * v.z),
                    scale * (ff * v.x + bb * v.y + dd * v.z),
                    scale * (ee * v.x + dd * v.y + cc * v.z)};
}

double sup_polar_rate_stress(const SupStrainRate *rate, const SupPolar *polar, SupMat3d *io_P) {
  double d[6], n[6];
  for (int k = 0; k < 6; k++) d[k] = polar->S.m[k] - rate->still.m[k];
  const double trace = d[0] + d[1] + d[2];
  for (int k = 0; k < 6; k++) n[k] = 2 * rate->mu * d[k] + (k < 3 ? rate->lambda * trace : 0);
  const SupMat3d N = full(n), SN = sup_mat3d_mul(full(polar->S.m), N);
  /* SN - NS, NS = (SN)^T, has these axial components. */
  const SupVec3d w =
      untwist(&polar->S, (SupVec3d){SN.m[5] - SN.m[7], SN.m[6] - SN.m[2], SN.m[1] - SN.m[3]});
  const SupMat3d Q = {
      {n[0], n[5] + w.z, n[4] - w.y, n[5] - w.z, n[1], n[3] + w.x, n[4] + w.y, n[3] - w.x, n[2]}};
  const SupMat3d P = sup_mat3d_mul(polar->R, Q);
  for (int k = 0; k < 9; k++) io_P->m[k] += P.m[k];
  const double own = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  const double mixed = d[3] * d[3] + d[4] * d[4] + d[5] * d[5];
  return rate->mu * (own + 2 * mixed) + 0.5 * rate->lambda * trace * trace;
}
