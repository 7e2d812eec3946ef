/* SPDX-License-Identifier: MIT */
/*
 * Isotropic materials in principal stretches.
 *
 * With F = U diag(s) V^T (U, V rotations, only s[2] may be negative) and w(s0, s1, s2):
 *   P = U diag(dw/ds) V^T
 *   stiffness on the diagonal of that frame: the 3x3 matrix d2w/ds2                  "stretch"
 *   on (e_i e_j^T - e_j e_i^T) / sqrt 2: (w_i + w_j) / (s_i + s_j)                    "twist"
 *   on (e_i e_j^T + e_j e_i^T) / sqrt 2: (w_i - w_j) / (s_i - s_j)                    "flip"
 * (Smith, de Goes, Kim 2019). The quotients are given in closed form per material, so that equal
 * stretches need no special case.
 *
 *   corotational  w = mu sum (s_i - 1)^2 + lambda/2 (sum s_i - 3)^2
 *   StVK          w = mu/2 |E|^2 + lambda (1 - J)^2, E = (F^T F - I)/2: Hahn et al. 2013, Eq. 2
 *                 with the squares that its print lost (without them it has no lower bound)
 *   neo-Hookean   w = mu/2 (|F|^2 - 3) + lambda/2 (J - a)^2 - mu^2 / (2 lambda), a = 1 + mu/lambda:
 *                 Smith, de Goes, Kim 2018 without the logarithm, zero at rest; and below c = 0.4
 *                 of the volume - 5 lambda (c - J)^2 log(J / c): where joints fold flesh,
 * neighbours take their share before an element is crushed. Below J = 0.02 its parabola goes on
 * instead: elements that are inside out find back Small strain: corotational (mu_L, lambda_L); StVK
 * mu_L = mu/2, lambda_L = 2 lambda; neo-Hookean mu_L = mu, lambda_L = lambda - mu. Stiffening: w +
 * k w^2 / (2 mu): P gains the factor 1 + k w / mu, and the stiffness that factor and the term (k /
 * mu) P P^T, which never makes it less definite.
 */
#include "fem/constitutive.h"

/* Below this fraction of its volume neo-Hookean flesh gets harder to compress; below the other one
 * that energy is a parabola. */
#define CRUSH_BELOW 0.4
#define CRUSH_LEAST 0.02

/* Value and derivatives of w in principal stretches. Pairs are (1,2), (2,0), (0,1): index k is the
 * stretch that is not in the pair. */
typedef struct Principal {
  double w;
  double first[3];
  double second[3][3];
  double twist[3];
  double flip[3];
} Principal;

static const int pair_of[3][2] = {{1, 2}, {2, 0}, {0, 1}};

SupLaw sup_law(const SupMaterialDef *material) {
  double mu = material->young / (2 * (1 + material->poisson));
  double lambda =
      material->young * material->poisson / ((1 + material->poisson) * (1 - 2 * material->poisson));
  SupLaw law = {material->kind, mu, lambda, material->stiffening, SUP_LAW_CRUSH};
  if (material->kind == SUP_MATERIAL_STVK) {
    law.mu = 2 * mu;
    law.lambda = lambda / 2;
  } else if (material->kind == SUP_MATERIAL_NEO_HOOKEAN) {
    law.lambda = lambda + mu;
  }
  return law;
}

void sup_law_lame(const SupLaw *law, double *out_mu, double *out_lambda) {
  const bool stvk = law->kind == SUP_MATERIAL_STVK;
  const bool neo_hookean = law->kind == SUP_MATERIAL_NEO_HOOKEAN;
  *out_mu = stvk ? law->mu / 2 : law->mu;
  *out_lambda = stvk ? 2 * law->lambda : neo_hookean ? law->lambda - law->mu : law->lambda;
}

/* A denominator that may vanish when an element is turned inside out. */
static double away_from_zero(double x) {
  const double least = 1e-6;
  return x >= 0 ? (x > least ? x : least) : (x < -least ? x : -least);
}

static void corotational(const SupLaw *law, const double s[3], Principal *p) {
  double sum = s[0] + s[1] + s[2] - 3;
  p->w = 0.5 * law->lambda * sum * sum;
  for (int i = 0; i < 3; i++) {
    p->w += law->mu * (s[i] - 1) * (s[i] - 1);
    p->first[i] = 2 * law->mu * (s[i] - 1) + law->lambda * sum;
    for (int j = 0; j < 3; j++) p->second[i][j] = law->lambda + (i == j ? 2 * law->mu : 0);
  }
  for (int k = 0; k < 3; k++) {
    int i = pair_of[k][0], j = pair_of[k][1];
    p->twist[k] = (p->first[i] + p->first[j]) / away_from_zero(s[i] + s[j]);
    p->flip[k] = 2 * law->mu;
  }
}

/* Adds a volume energy with derivatives v1 = dv/dJ and v2 = d2v/dJ2 at J = s0 s1 s2. */
static void add_volume(const double s[3], double v1, double v2, Principal *p) {
  double minor[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]}; /* dJ/ds_i */
  for (int i = 0; i < 3; i++) {
    p->first[i] += v1 * minor[i];
    for (int j = 0; j < 3; j++) {
      p->second[i][j] += v2 * minor[i] * minor[j];
      if (i != j) p->second[i][j] += v1 * s[3 - i - j];
    }
    p->twist[i] += v1 * s[i];
    p->flip[i] -= v1 * s[i];
  }
}

static void stvk(const SupLaw *law, const double s[3], Principal *p) {
  *p = (Principal){0};
  for (int i = 0; i < 3; i++) {
    double e = s[i] * s[i] - 1;
    p->w += law->mu / 8 * e * e;
    p->first[i] = law->mu / 2 * s[i] * e;
    p->second[i][i] = law->mu / 2 * (3 * s[i] * s[i] - 1);
  }
  for (int k = 0; k < 3; k++) {
    double a = s[pair_of[k][0]], b = s[pair_of[k][1]];
    p->twist[k] = law->mu / 2 * (a * a - a * b + b * b - 1);
    p->flip[k] = law->mu / 2 * (a * a + a * b + b * b - 1);
  }
  double loss = 1 - s[0] * s[1] * s[2];
  p->w += law->lambda * loss * loss;
  add_volume(s, -2 * law->lambda * loss, 2 * law->lambda, p);
}

/* What resists an element's being crushed: value, first and second derivative by J. */
static void crush(double J, double out[3]) {
  out[0] = out[1] = out[2] = 0;
  if (J >= CRUSH_BELOW) return;
  const double at = J > CRUSH_LEAST ? J : CRUSH_LEAST, gap = CRUSH_BELOW - at, beyond = J - at;
  const double log = sup_log(at / CRUSH_BELOW), ratio = gap / at;
  const double first = 2 * gap * log - gap * ratio, second = -2 * log + 4 * ratio + ratio * ratio;
  out[0] = -gap * gap * log + beyond * (first + 0.5 * beyond * second);
  out[1] = first + beyond * second;
  out[2] = second;
}

static void neo_hookean(const SupLaw *law, const double s[3], Principal *p) {
  *p = (Principal){.w = -law->mu * law->mu / (2 * law->lambda)};
  for (int i = 0; i < 3; i++) {
    p->w += law->mu / 2 * (s[i] * s[i] - 1);
    p->first[i] = law->mu * s[i];
    p->second[i][i] = law->mu;
    p->twist[i] = law->mu;
    p->flip[i] = law->mu;
  }
  double J = s[0] * s[1] * s[2], gap = J - (1 + law->mu / law->lambda), crushed[3];
  crush(J, crushed);
  p->w += law->lambda * (0.5 * gap * gap + law->crush * crushed[0]);
  add_volume(s, law->lambda * (gap + law->crush * crushed[1]),
             law->lambda * (1 + law->crush * crushed[2]), p);
}

double sup_law_volume(const SupLaw *law, double J, double *out_slope) {
  if (law->kind == SUP_MATERIAL_STVK) {
    *out_slope = -2 * law->lambda * (1 - J);
    return law->lambda * (1 - J) * (1 - J);
  }
  const double gap = J - (1 + law->mu / law->lambda);
  double crushed[3];
  crush(J, crushed);
  *out_slope = law->lambda * (gap + law->crush * crushed[1]);
  return law->lambda * (0.5 * (J - 1) * (J - 1) + law->crush * crushed[0]);
}

/* What stiffening makes of the material: P = gain w', stiffness = gain w'' + rank_one w' w'^T. */
typedef struct Stiffening {
  double gain;
  double rank_one;
} Stiffening;

static Stiffening principal(const SupLaw *law, const double s[3], Principal *p) {
  switch (law->kind) {
    case SUP_MATERIAL_COROTATIONAL: corotational(law, s, p); break;
    case SUP_MATERIAL_STVK: stvk(law, s, p); break;
    case SUP_MATERIAL_NEO_HOOKEAN: neo_hookean(law, s, p); break;
  }
  Stiffening stiffening = {1 + law->stiffening * p->w / law->mu, law->stiffening / law->mu};
  p->w += law->stiffening * p->w * p->w / (2 * law->mu);
  return stiffening;
}

/* U diag(d) V^T, times `gain`. */
static SupMat3d in_frame(const SupMat3d *U, const double d[3], const SupMat3d *V, double gain) {
  SupMat3d result = {{0}};
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++) {
      double vd = V->m[3 * k + c] * (gain * d[k]);
      for (int r = 0; r < 3; r++) result.m[3 * c + r] += U->m[3 * k + r] * vd;
    }
  }
  return result;
}

double sup_law_stress(const SupLaw *law, const SupSvdd *F, SupMat3d *out_P) {
  const double s[3] = {F->s.x, F->s.y, F->s.z};
  Principal p;
  Stiffening stiffening = principal(law, s, &p);
  *out_P = in_frame(&F->u, p.first, &F->v, stiffening.gain);
  return p.w;
}

/* Eigenvalues and, as columns, eigenvectors of a symmetric matrix, by cyclic Jacobi rotations. */
static void eigen_symmetric(SupMat3d a, double out_values[3], SupMat3d *out_vectors) {
  SupMat3d v = sup_mat3d_identity();
  for (int sweep = 0; sweep < 12; sweep++) {
    double off = a.m[1] * a.m[1] + a.m[2] * a.m[2] + a.m[5] * a.m[5];
    double size = a.m[0] * a.m[0] + a.m[4] * a.m[4] + a.m[8] * a.m[8];
    if (off <= 1e-32 * size) break;
    for (int k = 0; k < 3; k++) {
      int p = pair_of[k][0], q = pair_of[k][1];
      double apq = a.m[3 * q + p];
      if (apq == 0) continue;
      double theta = (a.m[4 * q] - a.m[4 * p]) / (2 * apq);
      double t =
          (theta >= 0 ? 1 : -1) / (sup_sqrt(theta * theta + 1) + (theta >= 0 ? theta : -theta));
      double c = 1 / sup_sqrt(t * t + 1), s = t * c;
      for (int r = 0; r < 3; r++) { /* columns p, q of a and v */
        double ap = a.m[3 * p + r], aq = a.m[3 * q + r];
        a.m[3 * p + r] = c * ap - s * aq;
        a.m[3 * q + r] = s * ap + c * aq;
        double vp = v.m[3 * p + r], vq = v.m[3 * q + r];
        v.m[3 * p + r] = c * vp - s * vq;
        v.m[3 * q + r] = s * vp + c * vq;
      }
      for (int r = 0; r < 3; r++) { /* rows p, q of a */
        double ap = a.m[3 * r + p], aq = a.m[3 * r + q];
        a.m[3 * r + p] = c * ap - s * aq;
        a.m[3 * r + q] = s * ap + c * aq;
      }
    }
  }
  for (int k = 0; k < 3; k++) out_values[k] = a.m[4 * k];
  *out_vectors = v;
}

/* (u_i v_j^T + sign u_j v_i^T) / sqrt 2 of pair k: twist with sign -1, flip with +1. */
static SupMat3d shear_mode(const SupMat3d *U, const SupMat3d *V, int k, double sign) {
  const double root_half = 0.70710678118654752440;
  const double *ui = U->m + 3 * pair_of[k][0], *uj = U->m + 3 * pair_of[k][1];
  const double *vi = V->m + 3 * pair_of[k][0], *vj = V->m + 3 * pair_of[k][1];
  SupMat3d mode;
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) {
      mode.m[3 * c + r] = root_half * (ui[r] * vj[c] + sign * uj[r] * vi[c]);
    }
  }
  return mode;
}

void sup_law_stiffness(const SupLaw *law, const SupSvdd *F, bool project,
                       SupStiffness *out_stiffness) {
  SupStiffness *out = out_stiffness;
  const SupMat3d *U = &F->u, *V = &F->v;
  const double s[3] = {F->s.x, F->s.y, F->s.z};
  SupMat3d stretch, directions;
  double values[3];
  Principal p;
  Stiffening stiffening = principal(law, s, &p);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      stretch.m[3 * i + j] =
          stiffening.gain * p.second[i][j] + stiffening.rank_one * p.first[i] * p.first[j];
    }
  }
  eigen_symmetric(stretch, values, &directions);
  for (int k = 0; k < 3; k++) {
    out->value[k] = values[k];
    out->mode[k] = in_frame(U, directions.m + 3 * k, V, 1);
    out->value[3 + k] = stiffening.gain * p.twist[k];
    out->mode[3 + k] = shear_mode(U, V, k, -1);
    out->value[6 + k] = stiffening.gain * p.flip[k];
    out->mode[6 + k] = shear_mode(U, V, k, 1);
  }
  for (int k = 0; k < 9 && project; k++) {
    if (!(out->value[k] > 0)) out->value[k] = 0;
  }
  out->value[SUP_STIFFNESS_TRACE] = 0;
  out->P = in_frame(U, p.first, V, stiffening.gain);
  out->energy = p.w;
}
