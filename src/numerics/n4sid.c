/* SPDX-License-Identifier: MIT */
/*
 * Subspace identification. With U_f, Y_f the future and Phi = [U_p; Y_p] the past block Hankel
 * matrices and Pi the projector that takes the future inputs out,
 *
 *   Theta = W1 Y_f Pi Phi^T W2,  W1 = (Y_f Pi Y_f^T)^(-1/2),  W2 = (Phi Phi^T)^(-1/2):
 *
 * the left singular vectors (not the right ones, as printed) times W1^-1 span the observability
 * matrix [C; C A; C A^2; ...], whose first block row is C and whose shift is A.
 *
 * Matrices are kept transposed, a row per Hankel column, so that frames lie one after the other.
 *
 * Smooth motions span few directions; the others hold rounding errors. To take all of them out
 * or to weigh them like the rest makes the result a function of those errors. What is faint
 * is therefore counted in gradually, with ridges where the textbook has inverses:
 *
 *   Pi = I - U_f^T (U_f U_f^T + e1 I)^-1 U_f,   W = (M + e2 I)^(-1/2)
 */
#include "numerics/n4sid.h"

#include "base/scratch.h"
#include "numerics/dense.h"
#include "supple/math.h"

#define RANK_FLOOR 1e-8
#define EIGEN_FLOOR 1e-10

/* Columns of a sequence that do not cross its ends. */
static uint32_t columns_of(uint32_t length, uint32_t blocks) {
  return length >= 2 * blocks ? length - 2 * blocks + 1 : 0;
}

/* Windows of `blocks` frames from `shift` frames on, column-major [columns * width]. */
static void windows(const SupSeries *series, uint32_t blocks, uint32_t shift, uint32_t width,
                    const double *from, uint32_t columns, double *out) {
  uint32_t row = 0;
  size_t at = 0;
  for (uint32_t q = 0; q < series->count; at += series->lengths[q++]) {
    const uint32_t count = columns_of(series->lengths[q], blocks);
    for (uint32_t j = 0; j < count; j++, row++) {
      const double *first = from + (at + j + shift) * width;
      for (uint32_t k = 0; k < blocks * width; k++) out[(size_t)columns * k + row] = first[k];
    }
  }
}

SupResult sup_hankel(SupArena *arena, const SupSeries *series, uint32_t blocks, SupHankel *out,
                     SupError *error) {
  SupHankel h = {.blocks = blocks,
                 .input_width = blocks * series->inputs,
                 .output_width = blocks * series->outputs};
  for (uint32_t q = 0; q < series->count; q++) h.columns += columns_of(series->lengths[q], blocks);
  if (h.columns < 2 * blocks * series->outputs) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "identification: %u frames are too few for %u block rows of %u outputs",
                    sup_series_frames(series), blocks, series->outputs);
  }
  h.past_u = SUP_ALLOC(arena, double, (size_t)h.columns *h.input_width);
  h.past_y = SUP_ALLOC(arena, double, (size_t)h.columns *h.output_width);
  h.future_u = SUP_ALLOC(arena, double, (size_t)h.columns *h.input_width);
  h.future_y = SUP_ALLOC(arena, double, (size_t)h.columns *h.output_width);
  if (!h.past_u || !h.past_y || !h.future_u || !h.future_y) {
    return sup_fail_memory(error, "subspace identification");
  }
  windows(series, blocks, 0, series->inputs, series->u, h.columns, h.past_u);
  windows(series, blocks, 0, series->outputs, series->y, h.columns, h.past_y);
  windows(series, blocks, blocks, series->inputs, series->u, h.columns, h.future_u);
  windows(series, blocks, blocks, series->outputs, series->y, h.columns, h.future_y);
  *out = h;
  return SUP_OK;
}

SupResult sup_project_out(SupArena *arena, uint32_t columns, uint32_t width, double *u,
                          uint32_t others, double *io_m, uint32_t *out_rank, SupError *error) {
  int rank;
  SupResult result = sup_dense_rotate_out(arena, (int)columns, (int)width, u, (int)others, io_m,
                                          RANK_FLOOR, &rank, error);
  if (result != SUP_OK) return result;
  /* In the rotated coordinates the projection forgets the first `rank` numbers. Products of two
   * matrices projected alike need not be rotated back. */
  for (uint32_t c = 0; c < others; c++) {
    for (int r = 0; r < rank; r++) io_m[(size_t)columns * c + (size_t)r] = 0;
  }
  *out_rank = (uint32_t)rank;
  return SUP_OK;
}

SupResult sup_inverse_root(SupArena *arena, uint32_t n, double *m, double faint, double floor,
                           double *out_inverse, double *out_root, SupError *error) {
  double *values = SUP_ALLOC(arena, double, n), *scaled = SUP_ALLOC(arena, double, (size_t)n *n);
  if (!values || !scaled) return sup_fail_memory(error, "subspace identification");
  double ridge = 0;
  for (uint32_t k = 0; k < n; k++) ridge += faint * m[(size_t)n * k + k] / n;
  SupResult result = sup_dense_eig_symmetric((int)n, m, values, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < n; k++) values[k] = (values[k] > 0 ? values[k] : 0) + ridge;
  const SupProduct product = {true, false, (int)n, (int)n, (int)n, (int)n, (int)n, (int)n};
  for (int inverse = 0; inverse < 2; inverse++) {
    double *out = inverse ? out_inverse : out_root;
    if (!out) continue;
    for (uint32_t k = 0; k < n; k++) {
      const bool kept = values[k] > floor * values[n - 1] && values[k] > 0;
      const double root = kept ? sup_sqrt(values[k]) : 0;
      for (uint32_t r = 0; r < n; r++) {
        scaled[(size_t)n * k + r] = kept ? m[(size_t)n * k + r] * (inverse ? 1 / root : root) : 0;
      }
    }
    sup_dense_product(&product, m, scaled, out); /* symmetric: the order of storage is the same */
  }
  return SUP_OK;
}

/* out[n * m] row-major = a^T b of column-major a[rows * n], b[rows * m]. */
static void cross(uint32_t rows, uint32_t n, const double *a, uint32_t m, const double *b,
                  double *out) {
  const SupProduct product = {false, true, (int)n, (int)m, (int)rows, (int)rows, (int)rows, (int)m};
  sup_dense_product(&product, a, b, out);
}

static void multiply(uint32_t rows, uint32_t inner, uint32_t columns, const double *a,
                     const double *b, double *out) {
  const SupProduct product = {false,      false,      (int)rows,    (int)columns,
                              (int)inner, (int)inner, (int)columns, (int)columns};
  sup_dense_product(&product, a, b, out);
}

/* What is added to the squares of the future inputs. */
static double input_ridge(const SupHankel *h, double faint) {
  double sum = 0;
  for (size_t k = 0; k < (size_t)h->columns * h->input_width; k++) {
    sum += h->future_u[k] * h->future_u[k];
  }
  return h->input_width ? faint * sum / h->input_width : 0;
}

/* The projected past times W2, in frames again: needed by the nuclear norm alone. */
static SupResult keep_g(SupArena *arena, const SupHankel *h, double ridge, const double *past,
                        const double *w2, uint32_t phi, SupN4sid *out, SupError *error) {
  /* Pi = I - Q S^2 (S^2 + ridge)^-1 Q^T with the future inputs' Q and S. */
  const uint32_t n = h->columns, nu = h->input_width;
  SupArena own = sup_scratch(arena);
  double *left = SUP_COPY(&own, double, h->future_u, (size_t)n *nu),
         *singular = SUP_ALLOC(&own, double, nu);
  double *q = SUP_ALLOC(&own, double, (size_t)n *nu), *vt = SUP_ALLOC(&own, double, (size_t)nu *nu);
  double *inner = SUP_ALLOC(&own, double, (size_t)nu *phi);
  double *projected = SUP_COPY(&own, double, past, (size_t)n *phi);
  out->g = SUP_ALLOC(arena, double, (size_t)n *phi);
  SupResult result = SUP_OK;
  if (!left || !singular || !q || !vt || !inner || !projected || !out->g || n < nu) {
    result = sup_fail_memory(error, "subspace identification");
  }
  if (result == SUP_OK) result = sup_dense_svd(&own, (int)n, (int)nu, left, singular, q, vt, error);
  uint32_t rank = 0;
  while (result == SUP_OK && rank < nu && singular[rank] > RANK_FLOOR * singular[0]) rank++;
  if (result == SUP_OK) {
    cross(n, rank, q, phi, past, inner);
    for (uint32_t c = 0; c < phi; c++) {
      for (uint32_t k = 0; k < rank; k++) {
        const double square = singular[k] * singular[k];
        const double fraction = inner[(size_t)phi * k + c] * square / (square + ridge);
        for (uint32_t r = 0; r < n; r++) {
          projected[(size_t)n * c + r] -= fraction * q[(size_t)n * k + r];
        }
      }
    }
    /* g row-major [n * phi] = projected (column-major) w2. */
    const SupProduct product = {true,     false,  (int)n,   (int)phi,
                                (int)phi, (int)n, (int)phi, (int)phi};
    sup_dense_product(&product, projected, w2, out->g);
  }
  sup_arena_free(&own);
  return result;
}

/* Past inputs and outputs side by side, [columns * phi]. */
static double *join_past(SupArena *arena, const SupHankel *h) {
  const size_t inputs = (size_t)h->columns * h->input_width;
  const size_t outputs = (size_t)h->columns * h->output_width;
  double *past = SUP_ALLOC(arena, double, inputs + outputs);
  if (past) {
    sup_copy(past, h->past_u, inputs * sizeof *past);
    sup_copy(past + inputs, h->past_y, outputs * sizeof *past);
  }
  return past;
}

/* The past and the future outputs side by side, [height * (phi + rows)], without what the future
 * inputs say. With a ridge there is a row for every input below: the projection of both together
 * is that with the ridge. */
typedef struct Projected {
  uint32_t height;
  double *past, *future; /* column-major */
} Projected;

static SupResult project(SupArena *arena, const SupHankel *h, const double *past, double ridge,
                         Projected *out, SupError *error) {
  const uint32_t n = h->columns, nu = h->input_width, rows = h->output_width, phi = nu + rows;
  const uint32_t height = n + (ridge > 0 ? nu : 0);
  double *all = SUP_ALLOC(arena, double, (size_t)height *(phi + rows));
  double *inputs = SUP_ALLOC(arena, double, (size_t)height *nu);
  if (!all || !inputs) return sup_fail_memory(error, "subspace identification");
  for (uint32_t c = 0; c < phi + rows; c++) {
    const double *from = c < phi ? past + (size_t)n * c : h->future_y + (size_t)n * (c - phi);
    sup_copy(all + (size_t)height * c, from, n * sizeof *all);
  }
  for (uint32_t c = 0; c < nu; c++) {
    double *to = inputs + (size_t)height * c;
    sup_copy(to, h->future_u + (size_t)n * c, n * sizeof *to);
    if (ridge > 0) to[n + c] = sup_sqrt(ridge);
  }
  uint32_t rank;
  SupResult result = sup_project_out(arena, height, nu, inputs, phi + rows, all, &rank, error);
  *out = (Projected){height, all, all + (size_t)height * phi};
  if (result != SUP_OK || n >= rank + rows) return result;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "identification: %u windows are too few for %u inputs of %u frames: learn from "
                  "longer clips, or with fewer inputs",
                  n, nu / h->blocks, h->blocks);
}

/* Weights, and Theta between them; left vectors of the whole. */
static SupResult decompose(SupArena *arena, const Projected *p, const double *past, double faint,
                           double *w2, SupN4sid *io, SupError *error) {
  const uint32_t rows = io->rows, phi = io->phi;
  double *square = SUP_ALLOC(arena, double, (size_t)phi *phi);
  double *theta = SUP_ALLOC(arena, double, (size_t)rows *phi);
  double *half = SUP_ALLOC(arena, double, (size_t)rows *phi);
  double *u = SUP_ALLOC(arena, double, (size_t)rows *rows);
  double *vt = SUP_ALLOC(arena, double, (size_t)rows *phi);
  if (!square || !theta || !half || !u || !vt) {
    return sup_fail_memory(error, "subspace identification");
  }
  cross(p->height, rows, p->future, rows, p->future, square);
  SupResult result =
      sup_inverse_root(arena, rows, square, faint, EIGEN_FLOOR, io->w1, io->root1, error);
  if (result != SUP_OK) return result;
  cross(io->columns, phi, past, phi, past, square);
  result = sup_inverse_root(arena, phi, square, faint, EIGEN_FLOOR, w2, NULL, error);
  if (result != SUP_OK) return result;
  cross(p->height, rows, p->future, phi, p->past, theta);
  multiply(rows, rows, phi, io->w1, theta, half);
  multiply(rows, phi, phi, half, w2, theta);
  /* Row-major theta is its transpose in columns: left vectors come out as right ones. */
  result = sup_dense_svd(arena, (int)phi, (int)rows, theta, io->singular, vt, u, error);
  /* u (column-major, transposed) has left vector k in row k: row-major [component][k]. */
  if (result == SUP_OK) multiply(rows, rows, rows, io->root1, u, io->left);
  return result;
}

static SupResult find(SupArena *arena, const SupSeries *series, const SupN4sidDef *def,
                      const double *future, bool with_g, SupN4sid *out, SupError *error) {
  SupArena own = sup_scratch(arena);
  SupHankel h;
  Projected projected = {0};
  SupResult result = sup_hankel(&own, series, def->blocks, &h, error);
  if (result != SUP_OK) {
    sup_arena_free(&own);
    return result;
  }
  if (future) {
    windows(series, def->blocks, def->blocks, series->outputs, future, h.columns, h.future_y);
  }
  const uint32_t rows = h.output_width, phi = h.input_width + h.output_width;
  const double ridge = input_ridge(&h, def->faint_inputs);
  SupN4sid s = {.blocks = def->blocks,
                .outputs = series->outputs,
                .rows = rows,
                .columns = h.columns,
                .phi = phi};
  s.singular = SUP_ALLOC(arena, double, rows);
  s.left = SUP_ALLOC(arena, double, (size_t)rows *rows);
  s.w1 = SUP_ALLOC(arena, double, (size_t)rows *rows);
  s.root1 = SUP_ALLOC(arena, double, (size_t)rows *rows);
  double *w2 = SUP_ALLOC(&own, double, (size_t)phi *phi), *past = join_past(&own, &h);
  result = s.singular && s.left && s.w1 && s.root1 && w2 && past
               ? project(&own, &h, past, ridge, &projected, error)
               : sup_fail_memory(error, "subspace identification");
  if (result == SUP_OK) result = decompose(&own, &projected, past, def->faint, w2, &s, error);
  if (result == SUP_OK && with_g) result = keep_g(arena, &h, ridge, past, w2, phi, &s, error);
  *out = s;
  sup_arena_free(&own);
  return result;
}

SupResult sup_n4sid(SupArena *arena, const SupSeries *series, const SupN4sidDef *def,
                    const double *future, SupN4sid *out, SupError *error) {
  return find(arena, series, def, future, false, out, error);
}

SupResult sup_n4sid_with_g(SupArena *arena, const SupSeries *series, const SupN4sidDef *def,
                           SupN4sid *out, SupError *error) {
  return find(arena, series, def, NULL, true, out, error);
}

uint32_t sup_n4sid_order(const SupN4sid *s, double fraction) {
  double sum = 0, part = 0;
  for (uint32_t k = 0; k < s->rows; k++) sum += s->singular[k];
  uint32_t order = 0;
  const uint32_t most = (s->blocks - 1) * s->outputs;
  while (order < most && part < fraction * sum) part += s->singular[order++];
  return order > 0 ? order : 1;
}

SupResult sup_n4sid_system(SupArena *arena, const SupN4sid *s, uint32_t order, double *out_a,
                           double *out_c, SupError *error) {
  const uint32_t rows = s->rows - s->outputs;
  if (order == 0 || order > rows) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "identification: %u states from %u rows", order,
                    s->rows);
  }
  double *m = SUP_ALLOC(arena, double, (size_t)rows *order);
  double *right = SUP_ALLOC(arena, double, (size_t)rows *order);
  if (!m || !right) return sup_fail_memory(error, "subspace identification");
  for (uint32_t k = 0; k < order; k++) {
    const double scale = sup_sqrt(s->singular[k]);
    for (uint32_t r = 0; r < s->rows; r++) {
      const double value = scale * s->left[(size_t)s->rows * r + k];
      if (r < rows) m[(size_t)rows * k + r] = value;
      if (r >= s->outputs) right[(size_t)rows * k + r - s->outputs] = value;
      if (r < s->outputs) out_c[(size_t)order * r + k] = value;
    }
  }
  SupResult result =
      sup_dense_least_squares(arena, (int)rows, (int)order, (int)order, m, right, 1e-12, error);
  for (uint32_t c = 0; c < order; c++) {
    for (uint32_t r = 0; r < order; r++) {
      out_a[(size_t)order * r + c] = right[(size_t)rows * c + r];
    }
  }
  return result;
}
