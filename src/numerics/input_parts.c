/* SPDX-License-Identifier: MIT */
/*
 * B and D by parts of the series. With Z_j = sum_{s < t} u_j(s) A^(t-1-s), which goes on as
 * Z_j' = A Z_j + u_j, output o is linear in B, D and the start z0 of its sequence:
 *
 *   y_o = sum_ij (C Z_j)_oi B_ij + sum_j D_oj u_j + sum_i (C A^t)_oi z0_i
 *
 * Scalar products of these columns, and of y with them, are added up part by part: B and D without
 * a part, and their error on it, cost no further pass over the frames.
 */
#include "numerics/dense.h"

#include "base/scratch.h"
#include "numerics/state_space.h"
#include "supple/math.h"

#define FRAMES_AT_ONCE 64

typedef struct Pass {
  const SupSeries *series;
  const SupSystem *s;
  bool with_d, free_start;
  uint32_t width; /* columns and y */
  double *z;      /* [inputs + 1][states * states] Z_j; A^t last */
  double *next;   /* [states * states] */
  double *rows;   /* [FRAMES_AT_ONCE * outputs * width] */
} Pass;

/* out = a b, all n x n. */
static void product(uint32_t n, const double *a, const double *b, double *out) {
  for (uint32_t r = 0; r < n; r++) {
    double *to = out + (size_t)n * r;
    for (uint32_t c = 0; c < n; c++) to[c] = 0;
    for (uint32_t k = 0; k < n; k++) {
      const double by = a[(size_t)n * r + k], *from = b + (size_t)n * k;
      for (uint32_t c = 0; c < n; c++) to[c] += by * from[c];
    }
  }
}

static void see(const Pass *p, const double *z, uint32_t stride, uint32_t first, double *rows) {
  const uint32_t n = p->s->states;
  for (uint32_t o = 0; o < p->s->outputs; o++) {
    const double *c = p->s->c + (size_t)n * o;
    double *to = rows + (size_t)p->width * o + first;
    for (uint32_t i = 0; i < n; i++) to[(size_t)stride * i] = 0;
    for (uint32_t k = 0; k < n; k++) {
      for (uint32_t i = 0; i < n; i++) to[(size_t)stride * i] += c[k] * z[(size_t)n * k + i];
    }
  }
}

static void carry(Pass *p, double u, bool driven, double *z) {
  const uint32_t n = p->s->states;
  product(n, p->s->a, z, p->next);
  sup_copy(z, p->next, (size_t)n * n * sizeof *z);
  for (uint32_t i = 0; i < n && driven; i++) z[(size_t)n * i + i] += u;
}

/* The rows of frame `at`, which is in sequence q, and everything a frame on. */
static void frame(Pass *p, size_t at, uint32_t q, double *rows) {
  const SupSystem *s = p->s;
  const uint32_t n = s->states, nu = s->inputs, ny = s->outputs, of_b = n * nu;
  const double *u = p->series->u + at * nu;
  sup_zero(rows, (size_t)p->width * ny * sizeof *rows);
  for (uint32_t j = 0; j < nu; j++) {
    double *z = p->z + (size_t)n * n * j;
    see(p, z, nu, j, rows);
    carry(p, u[j], true, z);
  }
  uint32_t first = of_b;
  for (uint32_t o = 0; o < ny && p->with_d; o++, first += nu) {
    sup_copy(rows + (size_t)p->width * o + first, u, nu * sizeof *u);
  }
  if (p->free_start) {
    double *z = p->z + (size_t)n * n * nu;
    see(p, z, 1, first + n * q, rows);
    carry(p, 0, false, z);
  }
  for (uint32_t o = 0; o < ny; o++) {
    rows[(size_t)p->width * o + p->width - 1] = p->series->y[at * ny + o];
  }
}

static void begin(Pass *p) {
  const uint32_t n = p->s->states, nu = p->s->inputs;
  double *power = p->z + (size_t)n * n * nu;
  sup_zero(p->z, (size_t)n * n * (nu + 1) * sizeof *p->z);
  for (uint32_t i = 0; i < n; i++) power[(size_t)n * i + i] = 1;
}

static void add_all(Pass *p, const uint8_t *part_of, SupInputParts *out) {
  const size_t square = (size_t)p->width * p->width;
  const uint32_t ny = p->s->outputs;
  size_t at = 0;
  for (uint32_t q = 0; q < p->series->count; q++) {
    const size_t end = at + p->series->lengths[q];
    uint32_t held = 0;
    begin(p);
    for (; at < end; at++) {
      frame(p, at, q, p->rows + (size_t)p->width * ny * held);
      held++;
      if (held < FRAMES_AT_ONCE && at + 1 < end && part_of[at + 1] == part_of[at]) continue;
      sup_dense_add_squares((int)p->width, (int)(held * ny), p->rows,
                            out->normal + square * part_of[at]);
      held = 0;
    }
  }
  double *all = out->normal + square * out->count;
  for (uint32_t k = 0; k < out->count; k++) {
    for (size_t i = 0; i < square; i++) all[i] += out->normal[square * k + i];
  }
}

SupResult sup_input_parts(SupArena *arena, const SupSeries *series, const SupInputFit *fit,
                          const SupSystem *s, uint32_t part_count, const uint8_t *part_of,
                          SupInputParts *out, SupError *error) {
  const size_t n = s->states;
  SupArena own = sup_scratch(arena);
  SupInputParts parts = {.count = part_count, .columns = s->states * s->inputs};
  if (!fit->without_d) parts.columns += s->outputs * s->inputs;
  if (fit->free_start) parts.columns += series->count * s->states;
  Pass p = {.series = series,
            .s = s,
            .with_d = !fit->without_d,
            .free_start = fit->free_start,
            .width = parts.columns + 1};
  p.z = SUP_ALLOC(&own, double, n *n *((size_t)s->inputs + 1));
  p.next = SUP_ALLOC(&own, double, n *n);
  p.rows = SUP_ALLOC(&own, double, (size_t)FRAMES_AT_ONCE * s->outputs * p.width);
  parts.normal = SUP_ALLOC(arena, double, ((size_t)part_count + 1) * p.width * p.width);
  SupResult result =
      p.z && p.next && p.rows && parts.normal ? SUP_OK : sup_fail_memory(error, "fitting a system");
  if (result == SUP_OK) {
    add_all(&p, part_of, &parts);
    *out = parts;
  }
  sup_arena_free(&own);
  return result;
}

/* x^T N x with the lower half of N, of `width` columns; x is one shorter. */
static double square_of(uint32_t width, const double *normal, const double *x) {
  double sum = 0;
  for (uint32_t c = 0; c + 1 < width; c++) {
    const double *column = normal + (size_t)width * c;
    double inner = column[c] * x[c] / 2;
    for (uint32_t r = c + 1; r + 1 < width; r++) inner += column[r] * x[r];
    sum += 2 * inner * x[c];
  }
  return sum;
}

SupResult sup_input_solve(SupArena *arena, const SupInputParts *parts, const SupInputFit *fit,
                          uint32_t left_out, SupSystem *io_system, SupInputCheck *out_check,
                          SupError *error) {
  const uint32_t columns = parts->columns, width = columns + 1;
  const size_t square = (size_t)width * width;
  const double *all = parts->normal + square * parts->count;
  const double *judged = left_out < parts->count ? parts->normal + square * left_out : all;
  const double keep = left_out < parts->count ? 1 : 0; /* of what is taken away again */
  SupArena own = sup_scratch(arena);
  double *m = SUP_ALLOC(&own, double, (size_t)columns *columns);
  double *x = SUP_ALLOC(&own, double, columns), *scale = SUP_ALLOC(&own, double, columns);
  SupResult result = m && x && scale ? SUP_OK : sup_fail_memory(error, "fitting a system");
  for (uint32_t c = 0; c < columns && result == SUP_OK; c++) {
    /* By all frames: what is hardly seen without the part stays small. */
    const double own_square = all[(size_t)width * c + c];
    scale[c] = own_square > 0 ? 1 / sup_sqrt(own_square) : 0;
  }
  for (uint32_t c = 0; c < columns && result == SUP_OK; c++) {
    for (uint32_t r = c; r < columns; r++) {
      const size_t at = (size_t)width * c + r;
      m[(size_t)columns * c + r] = (all[at] - keep * judged[at]) * scale[c] * scale[r];
    }
    const size_t y = (size_t)width * c + columns;
    m[(size_t)columns * c + c] += scale[c] > 0 ? fit->ridge : 1;
    x[c] = (all[y] - keep * judged[y]) * scale[c];
  }
  if (result == SUP_OK) result = sup_dense_solve_definite((int)columns, 1, m, x, error);
  if (result == SUP_OK) {
    const uint32_t of_b = io_system->states * io_system->inputs;
    const uint32_t of_d = fit->without_d ? 0 : io_system->outputs * io_system->inputs;
    for (uint32_t c = 0; c < columns; c++) x[c] *= scale[c];
    sup_copy(io_system->b, x, of_b * sizeof *x);
    sup_zero(io_system->d, (size_t)io_system->outputs * io_system->inputs * sizeof *x);
    sup_copy(io_system->d, x + of_b, of_d * sizeof *x);
    if (out_check) {
      SupInputCheck check = {.said = square_of(width, judged, x), .is = judged[square - 1]};
      for (uint32_t c = 0; c < columns; c++) {
        check.together += x[c] * judged[(size_t)width * c + columns];
      }
      check.square = check.said - 2 * check.together + check.is;
      *out_check = check;
    }
  }
  sup_arena_free(&own);
  return result;
}
