/* SPDX-License-Identifier: MIT */
/* Weights of all vertices for given bones: a small quadratic program each. */
#include "numerics/dense.h"
#include "numerics/simplex_qp.h"
#include "train/helpers/decompose.h"

#define VERTICES_PER_TASK 64
#define CANDIDATES 24 /* bones that are looked at for one vertex, if there are no more */
#define CHOSEN 12     /* of more bones */

/* v^T Q_bc v. */
static double form(const Decompose *d, uint32_t b, uint32_t c, const double v[4]) {
  const size_t side = (size_t)4 * d->capacity;
  const double *q = d->products + 4 * b * side + (size_t)4 * c;
  double sum = 0;
  for (int r = 0; r < 4; r++, q += side) {
    sum += v[r] * (q[0] * v[0] + q[1] * v[1] + q[2] * v[2] + q[3] * v[3]);
  }
  return sum;
}

/* What a vertex's program is made of. */
typedef struct Program {
  const double *v;
  uint32_t used;      /* influences now */
  const uint32_t *of; /* theirs */
  const double *fractions;
  double left;    /* |r|^2 */
  double along;   /* skin . residual = sum of fractions times a_b . r */
  uint32_t count; /* candidates: those in use first */
  uint32_t bones[CANDIDATES];
  double pulls[CANDIDATES];             /* a_b . r */
  double gram[CANDIDATES * CANDIDATES]; /* (a_b - y) . (a_c - y) */
} Program;

/* a_b . r out of the row of products with the residual. */
static double pull_of(const float *row, uint32_t bone, const double v[4]) {
  const float *p = row + (size_t)4 * bone;
  return v[0] * (double)p[0] + v[1] * (double)p[1] + v[2] * (double)p[2] + v[3] * (double)p[3];
}

static void add_candidate(Program *p, uint32_t bone, double pull) {
  p->bones[p->count] = bone;
  p->pulls[p->count++] = pull;
}

static bool has(const Program *p, uint32_t bone) {
  for (uint32_t k = 0; k < p->count; k++) {
    if (p->bones[k] == bone) return true;
  }
  return false;
}

/* How much less error there would be on the straight way from the skin to bone b alone. */
static double promise(const Decompose *d, const Program *p, uint32_t b, double pull, double skin) {
  double between = 0;
  for (uint32_t k = 0; k < p->used; k++) between += p->fractions[k] * form(d, b, p->of[k], p->v);
  const double way = form(d, b, b, p->v) - 2 * between + skin, slope = pull - p->along;
  return slope > 0 && way > 0 ? slope * slope / way : 0;
}

/* All bones where there are few of them; otherwise those in use and those that promise most. */
static void choose_candidates(const Decompose *d, const float *row, Program *p) {
  p->count = 0;
  for (uint32_t k = 0; k < p->used; k++) {
    add_candidate(p, p->of[k], pull_of(row, p->of[k], p->v));
    p->along += p->fractions[k] * p->pulls[k];
  }
  if (d->bones <= CANDIDATES) {
    for (uint32_t b = 0; b < d->bones; b++) {
      if (!has(p, b)) add_candidate(p, b, pull_of(row, b, p->v));
    }
    return;
  }
  double skin = 0, promises[CANDIDATES];
  for (uint32_t i = 0; i < p->used; i++) {
    for (uint32_t k = 0; k < p->used; k++) {
      skin += p->fractions[i] * p->fractions[k] * form(d, p->of[i], p->of[k], p->v);
    }
  }
  const uint32_t first = p->count;
  for (uint32_t b = 0; b < d->bones; b++) {
    if (p->used && has(p, b)) continue;
    const double pull = pull_of(row, b, p->v);
    /* Without any influence yet: the nearest bones. */
    const double value = p->used ? promise(d, p, b, pull, skin) : 2 * pull - form(d, b, b, p->v);
    uint32_t at = p->count;
    if (at == CHOSEN) {
      if (!(value > promises[at - 1])) continue;
      at--;
    } else {
      p->count++;
    }
    for (; at > first && promises[at - 1] < value; at--) {
      promises[at] = promises[at - 1];
      p->bones[at] = p->bones[at - 1];
      p->pulls[at] = p->pulls[at - 1];
    }
    promises[at] = value;
    p->bones[at] = b;
    p->pulls[at] = pull;
  }
}

/* (a_b - y) . (a_c - y), from a_b . y = sum_k w_k a_b . a_k + a_b . r. */
static void make_gram(const Decompose *d, Program *p) {
  const uint32_t n = p->count;
  double onto[CANDIDATES], target = p->left + 2 * p->along;
  for (uint32_t b = 0; b < n; b++) {
    for (uint32_t c = 0; c <= b; c++) {
      p->gram[b * n + c] = p->gram[c * n + b] = form(d, p->bones[b], p->bones[c], p->v);
    }
  }
  for (uint32_t b = 0; b < n; b++) {
    onto[b] = p->pulls[b];
    for (uint32_t k = 0; k < p->used; k++) onto[b] += p->fractions[k] * p->gram[b * n + k];
  }
  for (uint32_t i = 0; i < p->used; i++) {
    target += p->fractions[i] * (onto[i] - p->pulls[i]);
  }
  for (uint32_t b = 0; b < n; b++) {
    for (uint32_t c = 0; c < n; c++) p->gram[b * n + c] += target - onto[b] - onto[c];
  }
}

static void set_influences(Decompose *d, uint32_t i, const Program *p, SupSimplexPoint *point) {
  const uint32_t most = d->def->influences;
  /* By descending share. */
  for (int a = 1; a < point->count; a++) {
    for (int b = a; b > 0 && point->weights[b] > point->weights[b - 1]; b--) {
      const double w = point->weights[b];
      const int corner = point->corners[b];
      point->weights[b] = point->weights[b - 1], point->corners[b] = point->corners[b - 1];
      point->weights[b - 1] = w, point->corners[b - 1] = corner;
    }
  }
  d->counts[i] = (uint32_t)point->count;
  for (int k = 0; k < point->count; k++) {
    d->of[most * (size_t)i + (size_t)k] = p->bones[point->corners[k]];
    d->fractions[most * (size_t)i + (size_t)k] = point->weights[k];
  }
  d->errors[i] = point->value;
}

/* How much more error there would be without each influence, the others making the best of it. */
static void measure_losses(Decompose *d, uint32_t i, const Program *p,
                           const SupSimplexPoint *point) {
  const uint32_t most = d->def->influences;
  for (int k = 0; k < point->count; k++) {
    SupSimplexPoint without = *point;
    without.count--;
    for (int j = k; j < without.count; j++) without.corners[j] = without.corners[j + 1];
    double loss = 1e300;
    if (without.count > 0) {
      sup_simplex_within((int)p->count, p->gram, &without);
      loss = without.value - point->value;
    }
    d->losses[most * (size_t)i + (size_t)k] = loss;
  }
}

/* Without influences that are next to nothing, the weakest first. */
static void leave_out_weak(const Program *p, double least, SupSimplexPoint *io_point) {
  while (io_point->count > 1) {
    int weakest = 0;
    for (int k = 1; k < io_point->count; k++) {
      if (io_point->weights[k] < io_point->weights[weakest]) weakest = k;
    }
    if (io_point->weights[weakest] >= least) return;
    io_point->corners[weakest] = io_point->corners[--io_point->count];
    sup_simplex_within((int)p->count, p->gram, io_point);
  }
}

/* The best of: what the influences in use can do, and the whole answer thinned out. So the error of
 * a vertex never rises, but for weak influences that are left out at last. */
static void solve_vertex(Decompose *d, uint32_t i, const float *row, SupDecomposeEffort effort) {
  const uint32_t most = d->def->influences;
  const float *r = d->residuals + (size_t)i * d->stride;
  Program p = {.v = d->rest[i],
               .used = d->counts[i],
               .of = d->of + most * (size_t)i,
               .fractions = d->fractions + most * (size_t)i};
  p.left = sup_decompose_dot(r, r, d->stride);
  if (d->def->locked && d->def->locked[i]) {
    d->errors[i] = p.left;
    return;
  }
  choose_candidates(d, row, &p);
  make_gram(d, &p);
  const int n = (int)p.count;
  SupSimplexPoint old = {.count = (int)p.used}, best = {0};
  for (int k = 0; k < old.count; k++) old.corners[k] = k;
  if (old.count) sup_simplex_within(n, p.gram, &old);
  best = old;
  sup_simplex_nearest(n, p.gram, &best);
  sup_simplex_thin(n, p.gram, (int)most, &best);
  if (old.count && old.value <= best.value) best = old;
  if (effort == SUP_DECOMPOSE_THOROUGH || effort == SUP_DECOMPOSE_LAST) {
    sup_simplex_exchange(n, p.gram, (int)most, 1e-6, &best);
  }
  if (effort == SUP_DECOMPOSE_LAST) leave_out_weak(&p, d->def->least_weight, &best);
  set_influences(d, i, &p, &best);
  if (effort == SUP_DECOMPOSE_LOSSES) measure_losses(d, i, &p, &best);
}

typedef struct Pass {
  Decompose *d;
  SupDecomposeEffort effort;
  float *rows; /* [vertices * 4 * bones] residual . bones */
} Pass;

/* out = from - (a bone's fraction of the skin). */
static void subtract_bone(const Decompose *d, uint32_t bone, double fraction, const double v[4],
                          const float *from, float *out) {
  const float *m = d->narrow + (size_t)4 * bone * d->stride, *m1 = m + d->stride;
  const float *m2 = m1 + d->stride, *m3 = m2 + d->stride, w = (float)fraction;
  const float a = (float)(fraction * v[0]), b = (float)(fraction * v[1]),
              c = (float)(fraction * v[2]);
  for (uint32_t t = 0; t < d->stride; t++) {
    out[t] = from[t] - ((a * m[t] + b * m1[t]) + (c * m2[t] + w * m3[t]));
  }
}

/* The residual of a vertex. */
static void subtract_skin(const Decompose *d, uint32_t i) {
  const uint32_t most = d->def->influences;
  const float *from = d->targets + (size_t)i * d->stride;
  float *out = d->residuals + (size_t)i * d->stride;
  if (d->counts[i] == 0) sup_copy(out, from, d->stride * sizeof(float));
  for (uint32_t k = 0; k < d->counts[i]; k++) {
    const size_t at = (size_t)most * i + k;
    subtract_bone(d, d->of[at], d->fractions[at], d->rest[i], k ? out : from, out);
  }
}

static void subtract_range(void *context, SupRange range) {
  const Pass *pass = (const Pass *)context;
  for (uint32_t i = range.first; i < range.first + range.count; i++) subtract_skin(pass->d, i);
}

static void solve_range(void *context, SupRange range) {
  const Pass *pass = (const Pass *)context;
  Decompose *d = pass->d;
  const uint32_t columns = 4 * d->bones;
  float *rows = pass->rows + (size_t)range.first * columns;
  const int stride = (int)d->stride;
  const SupProduct with_bones = {.b_transposed = true,
                                 .rows = (int)range.count,
                                 .columns = (int)columns,
                                 .inner = stride,
                                 .a_stride = stride,
                                 .b_stride = stride,
                                 .out_stride = (int)columns};
  sup_dense_product_f32(&with_bones, d->residuals + (size_t)range.first * d->stride, d->narrow,
                        rows);
  double sum = 0;
  for (uint32_t k = 0; k < range.count; k++) {
    const uint32_t i = range.first + k;
    solve_vertex(d, i, rows + (size_t)k * columns, pass->effort);
    subtract_skin(d, i);
    sum += (d->weight ? (double)d->weight[i] : 1) * d->errors[i];
  }
  d->partial[range.chunk] = sum;
}

double sup_decompose_weights(Decompose *d, SupDecomposeEffort effort) {
  Pass pass = {d, effort, d->lanes};
  double sum = 0;
  sup_parallel_for(d->def->jobs, d->vertices, VERTICES_PER_TASK, solve_range, &pass);
  for (uint32_t k = 0; k < sup_range_count(d->vertices, VERTICES_PER_TASK); k++) {
    sum += d->partial[k];
  }
  return sum;
}

void sup_decompose_moved(Decompose *d, uint32_t first) {
  const size_t rows = (size_t)4 * d->bones, from = (size_t)4 * first, stride = d->stride;
  for (size_t k = from * stride; k < rows * stride; k++) d->narrow[k] = (float)d->matrices[k];
  /* Q, the rows of the bones that moved against all. */
  const size_t side = (size_t)4 * d->capacity;
  const SupProduct with_all = {.b_transposed = true,
                               .rows = (int)(rows - from),
                               .columns = (int)rows,
                               .inner = (int)stride,
                               .a_stride = (int)stride,
                               .b_stride = (int)stride,
                               .out_stride = (int)side};
  sup_dense_product(&with_all, d->matrices + from * stride, d->matrices, d->products + from * side);
  for (size_t r = from; r < rows; r++) {
    for (size_t c = 0; c < from; c++) d->products[c * side + r] = d->products[r * side + c];
  }
  Pass pass = {d, SUP_DECOMPOSE_PLAIN, NULL};
  sup_parallel_for(d->def->jobs, d->vertices, VERTICES_PER_TASK, subtract_range, &pass);
}
