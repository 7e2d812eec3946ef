/* SPDX-License-Identifier: MIT */
/*
 * Output-error polish: damped Gauss-Newton steps (Levenberg and Marquardt) over all elements of A,
 * B, C and D on the error of the free-running output. The elements are too many by a change of
 * coordinates of the state; damping takes care of those directions.
 */
#include "numerics/dense.h"

#include "base/scratch.h"
#include "numerics/state_space.h"

#define FRAMES_AT_ONCE 256

typedef struct Polish {
  const SupSeries *series;
  const bool *left_out; /* [frames] or NULL */
  SupSystem *s;
  uint32_t count; /* parameters: A, B, C, D row by row */
  double *z;      /* [states] */
  double *dz;     /* [count * states] derivatives of the state */
  double *next;   /* [count * states] */
  double *j;      /* [(count + 1) * outputs * FRAMES_AT_ONCE] by row; the error behind */
  double *normal; /* [(count + 1)^2] */
} Polish;

static double *parameter(const SupSystem *s, uint32_t p) {
  const uint32_t of_a = s->states * s->states, of_b = s->states * s->inputs;
  const uint32_t of_c = s->outputs * s->states;
  if (p < of_a) return s->a + p;
  if (p < of_a + of_b) return s->b + p - of_a;
  if (p < of_a + of_b + of_c) return s->c + p - of_a - of_b;
  return s->d + p - of_a - of_b - of_c;
}

/* Rows of the Jacobian for one frame, and the state and its derivatives a frame on. */
static void frame(Polish *f, const double *u, const double *y, double *rows) {
  const SupSystem *s = f->s;
  const uint32_t n = s->states, nu = s->inputs, ny = s->outputs, width = f->count + 1;
  const uint32_t of_a = n * n, of_b = n * nu, moving = of_a + of_b;
  for (uint32_t o = 0; o < ny; o++) {
    double *row = rows + (size_t)width * o, sum = 0;
    const double *c = s->c + (size_t)n * o;
    for (uint32_t p = 0; p < moving; p++) {
      const double *dz = f->dz + (size_t)n * p;
      double value = 0;
      for (uint32_t k = 0; k < n; k++) value += c[k] * dz[k];
      row[p] = value;
    }
    for (uint32_t p = moving; p < f->count; p++) row[p] = 0;
    for (uint32_t k = 0; k < n; k++) {
      row[moving + n * o + k] = f->z[k];
      sum += c[k] * f->z[k];
    }
    for (uint32_t j = 0; j < nu; j++) {
      row[moving + ny * n + nu * o + j] = u[j];
      sum += s->d[(size_t)nu * o + j] * u[j];
    }
    row[f->count] = y[o] - sum;
  }
  const SupProduct carry = {false, true, (int)moving, (int)n, (int)n, (int)n, (int)n, (int)n};
  if (moving) sup_dense_product(&carry, f->dz, s->a, f->next);
  for (uint32_t p = 0; p < of_a; p++) f->next[(size_t)n * p + p / n] += f->z[p % n];
  for (uint32_t p = 0; p < of_b; p++) f->next[(size_t)n * (of_a + p) + p / nu] += u[p % nu];
  double *swap = f->dz;
  f->dz = f->next;
  f->next = swap;
}

static void advance(const SupSystem *s, const double *u, double *z, double *scratch) {
  for (uint32_t r = 0; r < s->states; r++) {
    double sum = 0;
    for (uint32_t c = 0; c < s->states; c++) sum += s->a[(size_t)s->states * r + c] * z[c];
    for (uint32_t j = 0; j < s->inputs; j++) sum += s->b[(size_t)s->inputs * r + j] * u[j];
    scratch[r] = sum;
  }
  for (uint32_t k = 0; k < s->states; k++) z[k] = scratch[k];
}

/* Normal equations of all frames, the error's square in the last corner. */
static void assemble(Polish *f, double *scratch) {
  const SupSystem *s = f->s;
  const uint32_t width = f->count + 1;
  sup_zero(f->normal, (size_t)width * width * sizeof *f->normal);
  size_t at = 0;
  for (uint32_t q = 0; q < f->series->count; q++) {
    uint32_t held = 0;
    sup_zero(f->z, s->states * sizeof *f->z);
    sup_zero(f->dz, (size_t)s->states * f->count * sizeof *f->dz);
    for (uint32_t t = 0; t < f->series->lengths[q]; t++, at++) {
      const double *u = f->series->u + at * s->inputs;
      frame(f, u, f->series->y + at * s->outputs, f->j + (size_t)width * s->outputs * held);
      advance(s, u, f->z, scratch);
      held += !(f->left_out && f->left_out[at]);
      if (held == FRAMES_AT_ONCE || t + 1 == f->series->lengths[q]) {
        sup_dense_add_squares((int)width, (int)(held * s->outputs), f->j, f->normal);
        held = 0;
      }
    }
  }
}

/* The error when every sequence starts at rest. */
static double error_of(const Polish *f, const SupSystem *s, double *z, double *scratch, double *y) {
  double sum = 0;
  size_t at = 0;
  for (uint32_t q = 0; q < f->series->count; q++) {
    sup_zero(z, s->states * sizeof *z);
    for (uint32_t t = 0; t < f->series->lengths[q]; t++, at++) {
      sup_system_run(s, 1, f->series->u + at * s->inputs, z, scratch, y);
      for (uint32_t o = 0; o < s->outputs && !(f->left_out && f->left_out[at]); o++) {
        const double off = y[o] - f->series->y[at * s->outputs + o];
        sum += off * off;
      }
    }
  }
  return sum;
}

SupResult sup_polish_output(SupArena *arena, const SupSeries *series, const bool *left_out,
                            uint32_t rounds, double ridge, double margin, SupSystem *io_system,
                            double *out_square, SupError *error) {
  SupArena own = sup_scratch(arena);
  SupSystem *s = io_system, trial;
  Polish f = {.series = series, .left_out = left_out, .s = s};
  const uint32_t n = s->states, ny = s->outputs;
  f.count = n * n + n * s->inputs + ny * n + ny * s->inputs;
  const size_t width = (size_t)f.count + 1;
  f.z = SUP_ALLOC(&own, double, n);
  f.dz = SUP_ALLOC(&own, double, width *n);
  f.next = SUP_ALLOC(&own, double, width *n);
  f.j = SUP_ALLOC(&own, double, width *ny *FRAMES_AT_ONCE);
  f.normal = SUP_ALLOC(&own, double, width *width);
  double *m = SUP_ALLOC(&own, double, (size_t)f.count *f.count);
  double *step = SUP_ALLOC(&own, double, f.count), *y = SUP_ALLOC(&own, double, ny);
  double *begun = SUP_ALLOC(&own, double, f.count), *hold = SUP_ALLOC(&own, double, f.count);
  double *scratch = SUP_ALLOC(&own, double, n), *z = SUP_ALLOC(&own, double, n);
  SupResult result = SUP_OK;
  if (!f.z || !f.dz || !f.next || !f.j || !f.normal || !m || !step || !y || !begun || !hold ||
      !scratch || !z || !sup_system_make(&own, n, s->inputs, ny, &trial)) {
    result = sup_fail_memory(error, "polishing a system");
  }
  double damping = 1e-3, best = result == SUP_OK ? error_of(&f, s, z, scratch, y) : 0;
  for (uint32_t round = 0; round < rounds && result == SUP_OK; round++) {
    assemble(&f, scratch);
    for (uint32_t p = 0; p < f.count && round == 0; p++) {
      begun[p] = *parameter(s, p);
      hold[p] = ridge * f.normal[width * p + p];
    }
    bool better = false;
    for (uint32_t attempt = 0; attempt < 6 && !better; attempt++) {
      double radius = 2;
      for (uint32_t c = 0; c < f.count; c++) {
        for (uint32_t r = c; r < f.count; r++) m[(size_t)f.count * c + r] = f.normal[width * c + r];
        m[(size_t)f.count * c + c] += hold[c] + damping * f.normal[width * c + c] + 1e-300;
        step[c] = f.normal[width * c + f.count] - hold[c] * (*parameter(s, c) - begun[c]);
      }
      const bool solved = sup_dense_solve_definite((int)f.count, 1, m, step, NULL) == SUP_OK;
      for (uint32_t p = 0; p < f.count && solved; p++) {
        *parameter(&trial, p) = *parameter(s, p) + step[p];
      }
      if (solved) result = sup_spectral_radius(&own, n, trial.a, &radius, error);
      if (result == SUP_OK && solved && radius > 1 - margin) {
        uint32_t changed;
        result = sup_stabilise(&own, n, trial.a, margin, 0, &changed, error);
        if (result == SUP_OK) result = sup_spectral_radius(&own, n, trial.a, &radius, error);
      }
      if (result != SUP_OK) break;
      double now =
          radius <= 1 - margin * (1 - 1e-9) ? error_of(&f, &trial, z, scratch, y) : 2 * best;
      for (uint32_t p = 0; p < f.count && ridge > 0; p++) {
        const double moved = *parameter(&trial, p) - begun[p];
        now += hold[p] * moved * moved;
      }
      better = now < best;
      if (better) {
        if (best - now < 1e-5 * best) round = rounds;
        for (uint32_t p = 0; p < f.count; p++) *parameter(s, p) = *parameter(&trial, p);
        best = now;
      }
      damping *= better ? 0.2 : 6;
    }
    if (!better) break;
  }
  *out_square = best; /* with what holds */
  sup_arena_free(&own);
  return result;
}
