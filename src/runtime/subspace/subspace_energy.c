/* SPDX-License-Identifier: MIT */
/*
 * What one step minimises over the amplitudes Z, with gradients F_c = B_c + D_c of the clusters, of
 * the bones B_c and of the amplitudes D_c = Z G_c:
 *
 *   sum_k q_k/2 |Z_k|^2 + <linear, Z>            inertia, drag, ties, strain within clusters
 *   + sum_c m_c (w + stiffening/2 w^2)           material, in units of the shear modulus
 *   + sum_c m_c a (|E|^2 + (r - 1)/2 tr(E)^2)                    damping of the strain's rate
 *   - rho sum_c m_c (|D_c|^2 + a |D_c - D*_c|^2)                 what clusters have counted
 * themselves
 *
 *   w = (|F|^2 - 3)/2 - (J - 1) + r/2 (J - 1)^2      neo-Hookean, r = lambda/mu, zero at rest,
 *       and r crush(J) below 0.4 of the volume, as in the whole body
 *   E = sym(R^T (F - F*)), R of the beginning of the step; * : where nothing would have a rate
 *
 * The bones' part of the last line is in `linear` (elastic_bones): taken together there it is
 * exact, and here only what the amplitudes do is left, so that floats carry it. Sums are double,
 * those over 16 lanes in a fixed order.
 */
#include "runtime/subspace/subspace_work.h"

/* ---- Gradients of the clusters --------------------------------------------------------------- */

/* D = Z G of a block: out[9 * 16]. */
static void block_change(const SupSubspaceView *model, uint32_t block, const float *z, float *out) {
  const uint32_t count = model->function_count;
  const float *g = model->gradients + (size_t)block * count * 3 * SUBSPACE_L;
  float sum[9][SUBSPACE_L] = {{0}};
  for (uint32_t k = 0; k < count; k++, g += 3 * SUBSPACE_L) {
    for (int i = 0; i < 3; i++) {
      const float amplitude = z[(uint32_t)i * count + k];
      for (int c = 0; c < 3; c++) {
        for (int l = 0; l < SUBSPACE_L; l++) {
          sum[3 * i + c][l] += amplitude * g[c * SUBSPACE_L + l];
        }
      }
    }
  }
  __builtin_memcpy(out, sum, sizeof sum);
}

/* Adds P G^T of a block to sums[K * 3 * 16]. */
static void block_gradient(const SupSubspaceView *model, uint32_t block, const float *stress,
                           float *io_sums) {
  const uint32_t count = model->function_count;
  const float *g = model->gradients + (size_t)block * count * 3 * SUBSPACE_L;
  for (uint32_t k = 0; k < count; k++, g += 3 * SUBSPACE_L) {
    for (int i = 0; i < 3; i++) {
      const float *p = stress + 3 * i * SUBSPACE_L;
      float *to = io_sums + (3 * (size_t)k + (size_t)i) * SUBSPACE_L;
      for (int l = 0; l < SUBSPACE_L; l++) {
        to[l] += p[l] * g[l] + p[SUBSPACE_L + l] * g[SUBSPACE_L + l] +
                 p[2 * SUBSPACE_L + l] * g[2 * SUBSPACE_L + l];
      }
    }
  }
}

/* ---- Sixteen clusters ------------------------------------------------------------------------ */

typedef double Lanes[SUBSPACE_L];

/* Matrices row by row; off: D - D*; rate: F - F*. */
typedef struct Block {
  Lanes F[9], change[9], off[9], rate[9], turn[9];
  Lanes stiffness, ratio;
  Lanes P[9], energy, size;
} Block;

#define CRUSH 5 /* times lambda */
#define EACH(l) for (int l = 0; l < SUBSPACE_L; l++)

/* What resists being crushed below 0.4 of the volume, as in fem/constitutive.c, and its derivative
 * by J = 1 + gap; both in units of lambda. */
static double crush(double gap, double *out_slope) {
  const double below = 0.4, least = 0.02, J = 1 + gap;
  *out_slope = 0;
  if (J >= below) return 0;
  const double at = J > least ? J : least, left = below - at, beyond = J - at;
  const double log = sup_log(at / below), ratio = left / at;
  const double first = 2 * left * log - left * ratio;
  const double second = -2 * log + 4 * ratio + ratio * ratio;
  *out_slope = CRUSH * (first + beyond * second);
  return CRUSH * (-left * left * log + beyond * (first + 0.5 * beyond * second));
}

/* Sets P and the energy: w with its stiffening. */
static void material(Block *b, double stiffening) {
  Lanes C[9], gap, w, slope;
  for (int i = 0; i < 9; i++) {
    const int p = 3 * ((i / 3 + 1) % 3), q = 3 * ((i / 3 + 2) % 3);
    const int c = (i + 1) % 3, d = (i + 2) % 3;
    EACH(l) C[i][l] = b->F[p + c][l] * b->F[q + d][l] - b->F[p + d][l] * b->F[q + c][l];
  }
  EACH(l) {
    gap[l] = b->F[0][l] * C[0][l] + b->F[1][l] * C[1][l] + b->F[2][l] * C[2][l] - 1;
    w[l] = -3;
  }
  for (int i = 0; i < 9; i++) EACH(l) w[l] += b->F[i][l] * b->F[i][l];
  EACH(l) {
    w[l] = 0.5 * w[l] - gap[l] + b->ratio[l] * (0.5 * gap[l] * gap[l] + crush(gap[l], &slope[l]));
    slope[l] = b->ratio[l] * (gap[l] + slope[l]) - 1;
    b->energy[l] = w[l] + 0.5 * stiffening * w[l] * w[l];
    b->size[l] = b->energy[l] > 0 ? b->energy[l] : -b->energy[l];
  }
  for (int i = 0; i < 9; i++) {
    EACH(l) { b->P[i][l] = (1 + stiffening * w[l]) * (b->F[i][l] + slope[l] * C[i][l]); }
  }
}

/* sym(R^T (F - F*)): xx yy zz yz zx xy. */
static void find_rate(const Block *b, Lanes rate[6]) {
  Lanes T[9];
  for (int i = 0; i < 9; i++) {
    const int r = i / 3, c = i % 3;
    EACH(l) {
      T[i][l] = b->turn[r][l] * b->rate[c][l] + b->turn[3 + r][l] * b->rate[3 + c][l] +
                b->turn[6 + r][l] * b->rate[6 + c][l];
    }
  }
  EACH(l) {
    for (int i = 0; i < 3; i++) rate[i][l] = T[4 * i][l];
    rate[3][l] = 0.5 * (T[5][l] + T[7][l]);
    rate[4][l] = 0.5 * (T[2][l] + T[6][l]);
    rate[5][l] = 0.5 * (T[1][l] + T[3][l]);
  }
}

/* Adds the damping's stress and energy. */
static void stretch_rate(Block *b, double a) {
  static const uint8_t six[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2}; /* entries of a symmetric matrix */
  Lanes rate[6], volume;
  find_rate(b, rate);
  EACH(l) {
    const double trace = rate[0][l] + rate[1][l] + rate[2][l];
    double square = 0;
    for (int i = 0; i < 6; i++) square += (i < 3 ? 1 : 2) * rate[i][l] * rate[i][l];
    volume[l] = (b->ratio[l] - 1) * trace;
    square = a * (square + 0.5 * volume[l] * trace);
    b->energy[l] += square;
    b->size[l] += square;
  }
  for (int i = 0; i < 9; i++) {
    const int r = 3 * (i / 3), c = i % 3;
    EACH(l) {
      double sum = volume[l] * b->turn[i][l];
      for (int k = 0; k < 3; k++) sum += 2 * b->turn[r + k][l] * rate[six[3 * k + c]][l];
      b->P[i][l] += a * sum;
    }
  }
}

/* Takes away what the quadratic term has counted of the mean gradient. */
static void counted(Block *b, double a, double rho) {
  for (int i = 0; i < 9; i++) {
    EACH(l) {
      const double change = b->change[i][l], off = b->off[i][l];
      const double square = rho * (change * change + a * off * off);
      b->energy[l] -= square;
      b->size[l] += square;
      b->P[i][l] -= 2 * rho * (change + a * off);
    }
  }
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void gather(const SubspaceWork *work, size_t block, Block *b) {
  const size_t nine = 9 * SUBSPACE_L * block;
  const double per = work->a > 0 ? 1 / work->a : 0;
  const float *turns = subspace_floats(work->state, work->state->turns) + nine;
  const float *change = work->change + nine, *rigid = work->rigid + nine;
  const float *still = work->still_change + nine, *rate = work->rigid_rate + nine;
  for (int i = 0; i < 9; i++) {
    EACH(l) {
      const int at = i * SUBSPACE_L + l;
      b->change[i][l] = (double)change[at];
      b->F[i][l] = (double)rigid[at] + (double)change[at];
      b->off[i][l] = (double)change[at] - (double)still[at];
      b->rate[i][l] = per * (double)rate[at] + b->off[i][l];
      b->turn[i][l] = (double)turns[at];
    }
  }
  EACH(l) {
    b->stiffness[l] = (double)work->model->stiffness[SUBSPACE_L * block + (size_t)l];
    b->ratio[l] = (double)work->model->ratio[SUBSPACE_L * block + (size_t)l];
  }
}

static void scatter(SubspaceWork *work, size_t block, const Block *b) {
  float *stress = work->stress + 9 * SUBSPACE_L * block;
  for (int i = 0; i < 9; i++) {
    EACH(l) stress[i * SUBSPACE_L + l] = (float)(b->stiffness[l] * b->P[i][l]);
  }
}

/* Energy of the clusters; sets stress. */
static double clusters(SubspaceWork *work) {
  Block b;
  double energy = 0;
  for (size_t block = 0; block < work->model->block_count; block++) {
    gather(work, block, &b);
    material(&b, (double)work->model->stiffening);
    if (work->a > 0) stretch_rate(&b, work->a);
    counted(&b, work->a, (double)work->model->rho);
    EACH(l) {
      energy += b.stiffness[l] * b.energy[l];
      work->size += b.stiffness[l] * b.size[l];
    }
    scatter(work, block, &b);
  }
  return energy;
}

/* Energy of the quadratic terms; sets the gradient. */
static double quadratic(SubspaceWork *work, const double *z, double *out_gradient) {
  const uint32_t count = work->model->function_count;
  double energy = 0;
  for (uint32_t i = 0; i < work->n; i++) {
    const double q =
        work->inertia + work->drag + (1 + work->a) * (double)work->model->elastic[i % count];
    const double own = 0.5 * q * z[i] * z[i], pull = work->linear[i] * z[i];
    out_gradient[i] = q * z[i] + work->linear[i];
    energy += own + pull;
    work->size += own + (pull > 0 ? pull : -pull);
  }
  return energy;
}

/* The sum of 16 lanes, always in the same order. */
static double lanes(const float *x) {
  double sum[4];
  for (int i = 0; i < 4; i++) {
    sum[i] = ((double)x[i] + (double)x[i + 4]) + ((double)x[i + 8] + (double)x[i + 12]);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void set_change(SubspaceWork *work, const double *z) {
  for (uint32_t i = 0; i < work->n; i++) work->rounded[i] = (float)z[i];
  for (uint32_t b = 0; b < work->model->block_count; b++) {
    block_change(work->model, b, work->rounded, work->change + (size_t)9 * SUBSPACE_L * b);
  }
}

double sup_subspace_evaluate(SubspaceWork *work, const double *z, double *out_gradient) {
  const uint32_t count = work->model->function_count;
  const size_t block = (size_t)9 * SUBSPACE_L;
  work->size = 0;
  set_change(work, z);
  const double energy = clusters(work) + quadratic(work, z, out_gradient);
  for (size_t i = 0; i < (size_t)count * 3 * SUBSPACE_L; i++) work->sums[i] = 0;
  for (uint32_t b = 0; b < work->model->block_count; b++) {
    block_gradient(work->model, b, work->stress + block * b, work->sums);
  }
  for (uint32_t k = 0; k < count; k++) {
    for (uint32_t i = 0; i < 3; i++) {
      out_gradient[i * count + k] += lanes(work->sums + (3 * (size_t)k + i) * SUBSPACE_L);
    }
  }
  return energy;
}

/* ---- Rotations ------------------------------------------------------------------------------- */

/* One step of M. Mueller et al. 2016 with the Cayley map instead of the exponential: R turns by
 * w = sum_j r_j x f_j / |sum_j r_j . f_j|, which is a rotation whatever F is. False where it hardly
 * turned any more. */
static bool turn_once(const double F[9], double R[9]) {
  double w[3] = {0, 0, 0}, along = 0, turned[9];
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      const int p = (i + 1) % 3, q = (i + 2) % 3;
      w[i] += R[3 * p + j] * F[3 * q + j] - R[3 * q + j] * F[3 * p + j];
      along += R[3 * i + j] * F[3 * i + j];
    }
  }
  const double divide = 0.5 / ((along > 0 ? along : -along) + 1e-9);
  double square = 0;
  for (int i = 0; i < 3; i++) {
    w[i] *= divide;
    square += w[i] * w[i];
  }
  /* The Cayley map of 2 w: v + 2 (w x v + w x (w x v)) / (1 + |w|^2). */
  for (int j = 0; j < 3; j++) {
    double once[3];
    for (int i = 0; i < 3; i++) {
      const int p = (i + 1) % 3, q = (i + 2) % 3;
      once[i] = w[p] * R[3 * q + j] - w[q] * R[3 * p + j];
    }
    for (int i = 0; i < 3; i++) {
      const int p = (i + 1) % 3, q = (i + 2) % 3;
      const double twice = w[p] * once[q] - w[q] * once[p];
      turned[3 * i + j] = R[3 * i + j] + 2 * (once[i] + twice) / (1 + square);
    }
  }
  for (int i = 0; i < 9; i++) R[i] = turned[i];
  return square > 1e-16;
}

/* Rounding would let a rotation drift over hours: one step towards orthonormal columns. */
static void straighten(double R[9]) {
  double fixed[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = 1.5 * R[3 * i + j];
      for (int k = 0; k < 3; k++) {
        double dot = 0;
        for (int l = 0; l < 3; l++) dot += R[3 * l + k] * R[3 * l + j];
        sum -= 0.5 * R[3 * i + k] * dot;
      }
      fixed[3 * i + j] = sum;
    }
  }
  for (int i = 0; i < 9; i++) R[i] = fixed[i];
}

void sup_subspace_turn(SubspaceWork *work, const double *z, int rounds) {
  float *turns = subspace_floats(work->state, work->state->turns);
  set_change(work, z);
  for (size_t at = 0; at < (size_t)SUBSPACE_L * work->model->block_count; at++) {
    const size_t first = 9 * (at / SUBSPACE_L * SUBSPACE_L) + at % SUBSPACE_L;
    double F[9], R[9];
    for (size_t i = 0; i < 9; i++) {
      const size_t row = first + i * SUBSPACE_L;
      F[i] = (double)work->rigid[row] + (double)work->change[row];
      R[i] = (double)turns[row];
    }
    for (int i = 0; i < rounds && turn_once(F, R); i++) continue;
    straighten(R);
    for (size_t i = 0; i < 9; i++) turns[first + i * SUBSPACE_L] = (float)R[i];
  }
}
