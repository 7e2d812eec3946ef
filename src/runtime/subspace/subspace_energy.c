/* SPDX-License-Identifier: MIT */
/*
 * What one step minimises over the amplitudes Z, with gradients F_c = B_c + D_c of the clusters, of
 * the bones B_c and of the amplitudes D_c = Z G_c:
 *
 *   sum_k q_k/2 |Z_k|^2 + <linear, Z>            inertia, drag, ties, strain within clusters
 *   + sum_c m_c (w + stiffening/2 w^2)           material, in units of the shear modulus
 *   + sum_c m_c a (|S - S*|^2 + (r - 1)/2 tr(S - S*)^2)          damping of the stretch's rate
 *   - rho sum_c m_c (|D_c|^2 + a |D_c - D*_c|^2)                 what clusters have counted
 * themselves
 *
 *   w = (|F|^2 - 3)/2 - (J - 1) + r/2 (J - 1)^2      neo-Hookean, r = lambda/mu, zero at rest
 *   S = sym(R^T F), R of the beginning of the step; * : where nothing would have a rate
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

/* ---- One cluster ----------------------------------------------------------------------------- */

typedef struct Cluster {
  double F[9], change[9], off[9], turn[9], still[6]; /* row-major; off: D - D* */
  double ratio, stiffening, a, rho;
  double P[9], stretch[6], size;
} Cluster;

/* Entries of a symmetric matrix in its six numbers. */
static const uint8_t SIX[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};

static void cofactor(const double f[9], double out[9]) {
  for (int i = 0; i < 3; i++) {
    const double *p = f + 3 * ((i + 1) % 3), *q = f + 3 * ((i + 2) % 3);
    out[3 * i] = p[1] * q[2] - p[2] * q[1];
    out[3 * i + 1] = p[2] * q[0] - p[0] * q[2];
    out[3 * i + 2] = p[0] * q[1] - p[1] * q[0];
  }
}

/* Sets P; returns w with its stiffening. */
static double material(Cluster *c) {
  double C[9], square = -3;
  cofactor(c->F, C);
  const double gap = c->F[0] * C[0] + c->F[1] * C[1] + c->F[2] * C[2] - 1;
  for (int i = 0; i < 9; i++) square += c->F[i] * c->F[i];
  const double w = 0.5 * square - gap + 0.5 * c->ratio * gap * gap;
  const double factor = 1 + c->stiffening * w;
  for (int i = 0; i < 9; i++) c->P[i] = factor * (c->F[i] + (c->ratio * gap - 1) * C[i]);
  return w + 0.5 * c->stiffening * w * w;
}

/* Adds the damping's stress; returns its energy. Sets the stretch. */
static double stretch_rate(Cluster *c) {
  double T[9], rate[6], energy = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      T[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) T[3 * i + j] += c->turn[3 * k + i] * c->F[3 * k + j];
    }
  }
  for (int i = 0; i < 3; i++) c->stretch[i] = T[4 * i];
  c->stretch[3] = 0.5 * (T[5] + T[7]);
  c->stretch[4] = 0.5 * (T[2] + T[6]);
  c->stretch[5] = 0.5 * (T[1] + T[3]);
  if (c->a == 0) return 0;
  for (int i = 0; i < 6; i++) {
    rate[i] = c->stretch[i] - c->still[i];
    energy += (i < 3 ? 1 : 2) * rate[i] * rate[i];
  }
  const double trace = rate[0] + rate[1] + rate[2], volume = (c->ratio - 1) * trace;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = volume * c->turn[3 * i + j];
      for (int k = 0; k < 3; k++) sum += 2 * c->turn[3 * i + k] * rate[SIX[3 * k + j]];
      c->P[3 * i + j] += c->a * sum;
    }
  }
  return c->a * (energy + 0.5 * volume * trace);
}

/* Takes away what the quadratic term has counted of the mean gradient. */
static double counted(Cluster *c) {
  double square = 0;
  for (int i = 0; i < 9; i++) {
    square += c->change[i] * c->change[i] + c->a * c->off[i] * c->off[i];
    c->P[i] -= 2 * c->rho * (c->change[i] + c->a * c->off[i]);
  }
  return c->rho * square;
}

static double cluster(Cluster *c) {
  const double w = material(c), damped = stretch_rate(c), less = counted(c);
  c->size = (w > 0 ? w : -w) + damped + less;
  return w + damped - less;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void gather(const SubspaceWork *work, size_t at, Cluster *c) {
  const float *turns = subspace_floats(work->state, work->state->turns);
  for (size_t i = 0; i < 9; i++) {
    const size_t row = 9 * (at / SUBSPACE_L * SUBSPACE_L) + i * SUBSPACE_L + at % SUBSPACE_L;
    c->change[i] = (double)work->change[row];
    c->F[i] = (double)work->rigid[row] + c->change[i];
    c->off[i] = c->change[i] - (double)work->still_change[row];
    c->turn[i] = (double)turns[row];
  }
  for (size_t i = 0; i < 6; i++) {
    const size_t row = 6 * (at / SUBSPACE_L * SUBSPACE_L) + i * SUBSPACE_L + at % SUBSPACE_L;
    c->still[i] = (double)work->still_stretch[row];
  }
  c->ratio = (double)work->model->ratio[at];
}

static void scatter(SubspaceWork *work, size_t at, double stiffness, const Cluster *c) {
  const size_t block = at / SUBSPACE_L * SUBSPACE_L, lane = at % SUBSPACE_L;
  for (size_t i = 0; i < 9; i++) {
    work->stress[9 * block + i * SUBSPACE_L + lane] = (float)(stiffness * c->P[i]);
  }
  for (size_t i = 0; i < 6; i++) {
    work->stretch[6 * block + i * SUBSPACE_L + lane] = (float)c->stretch[i];
  }
}

/* Energy of the clusters; sets stress and stretch. */
static double clusters(SubspaceWork *work) {
  const SupSubspaceView *model = work->model;
  Cluster c = {.stiffening = (double)model->stiffening, .a = work->a, .rho = (double)model->rho};
  double energy = 0;
  for (size_t at = 0; at < (size_t)SUBSPACE_L * model->block_count; at++) {
    const double stiffness = (double)model->stiffness[at];
    gather(work, at, &c);
    energy += stiffness * cluster(&c);
    work->size += stiffness * c.size;
    scatter(work, at, stiffness, &c);
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
  Cluster c;
  set_change(work, z);
  for (size_t at = 0; at < (size_t)SUBSPACE_L * work->model->block_count; at++) {
    gather(work, at, &c);
    for (int i = 0; i < rounds && turn_once(c.F, c.turn); i++) continue;
    straighten(c.turn);
    for (size_t i = 0; i < 9; i++) {
      turns[9 * (at / SUBSPACE_L * SUBSPACE_L) + i * SUBSPACE_L + at % SUBSPACE_L] =
          (float)c.turn[i];
    }
  }
}
