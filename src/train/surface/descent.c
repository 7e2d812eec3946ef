/* SPDX-License-Identifier: MIT */
/*
 * Descent on the true simulation error: L-BFGS within the box and the limiter's region.
 *
 * Numbers are measured in the units in which the normal equations of the last pass curve alike.
 * Those that lie at a bound and are pushed against it stand still in a step (as in L-BFGS-B);
 * every trial point is brought back into the box and through the limiter before it is judged.
 */
#include <math.h>

#include "train/surface/problem.h"

enum { MEMORY = 8, MOST_PLANES = 8 };
#define FIRST_MOVE 0.02 /* greatest change of a number in the first step */
#define TRIALS 4
#define ENOUGH 1e-4 /* relative gain below which it stops */

/* The limiter's region of one vertex is cut out by planes, normal . numbers <= most, which is
 * what this file works with: the limiter itself leads into it, but not to the nearest point. */
typedef struct Plane {
  double normal[MOST_TERMS], most;
} Plane;

typedef struct Descent {
  SurfaceProblem *p;
  SurfaceAdjoint adjoint;
  size_t size;
  double pull[MOST_TERMS];
  uint32_t plane_count;
  Plane planes[MOST_PLANES]; /* of the limiter, and against creeping */
  double least;              /* alpha */
  double *unit;              /* [size] a number is so much times its coordinate; 0: not fitted */
  double *at;                /* numbers at the best point */
  double *slope;             /* gradient there, in coordinates */
  double *way;               /* direction, in coordinates */
  double *steps[MEMORY], *changes[MEMORY];
  double products[MEMORY];
  uint32_t held, next;
} Descent;

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static uint32_t row_of(const Descent *d, size_t i) { return (uint32_t)(i / BLOCK % d->p->terms); }
static uint32_t lane_of(const Descent *d, size_t i) {
  return (uint32_t)(i / (d->p->terms * BLOCK) * BLOCK + i % BLOCK);
}

static double least_of(const Descent *d, uint32_t row) {
  return row == SUP_SURFACE_ALPHA || row == SUP_SURFACE_TERM_NORMAL_ALPHA ? d->least : 0;
}

/* ---- The objective ----------------------------------------------------------------------------
 */

/* Smoothness, half the pull times the squared distance from the mean of the ring; adds its
 * gradient. */
static double add_smoothness(Descent *d) {
  SurfaceProblem *p = d->p;
  double *off = p->spare, sum = 0;
  if (!(p->smooth > 0)) return 0;
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    double ring[MOST_TERMS];
    sup_surface_ring_mean(p, lane, ring);
    for (uint32_t k = 0; k < d->p->terms; k++) {
      const double e = surface_get(p->numbers, d->p->terms, lane, k) - ring[k];
      *surface_at(off, d->p->terms, lane, k) = d->pull[k] * e;
      sum += d->pull[k] * e * e;
    }
  }
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    const uint32_t block = lane / BLOCK;
    for (uint32_t k = 0; k < d->p->terms; k++) {
      double g = surface_get(off, d->p->terms, lane, k);
      for (uint32_t s = p->view.slot_first[block]; s < p->view.slot_first[block + 1]; s++) {
        const uint32_t other = p->view.slots[(size_t)BLOCK * s + lane % BLOCK];
        if (other == lane) continue;
        g -= surface_get(off, d->p->terms, other, k) *
             surface_get(p->wide.parameters, SUP_SURFACE_ROWS, other, SUP_SURFACE_RING_WEIGHT);
      }
      *surface_at(d->adjoint.gradient, d->p->terms, lane, k) += 2 * g;
    }
  }
  return sum;
}

/* Objective and, in coordinates, gradient at the present numbers; *out_error without smoothness. */
static double judge(Descent *d, double *out_slope, double *out_error) {
  *out_error = sup_surface_gradient(d->p, &d->adjoint);
  const double value = *out_error + add_smoothness(d);
  for (size_t i = 0; i < d->size; i++) {
    out_slope[i] = lane_of(d, i) < d->p->vertices ? d->adjoint.gradient[i] * d->unit[i] : 0;
  }
  if (d->p->basis.count) sup_surface_basis_project(d->p, d->unit, out_slope);
  return value;
}

/* ---- Directions -------------------------------------------------------------------------------
 */

/* A plane of one direction; the sum has either direction's stiffness and either one's drag. */
static void add_plane(Descent *d, Plane plane, uint32_t alpha, uint32_t delta) {
  const double a = plane.normal[SUP_SURFACE_ALPHA], b = plane.normal[SUP_SURFACE_DELTA];
  plane.normal[SUP_SURFACE_ALPHA] = plane.normal[SUP_SURFACE_DELTA] = 0;
  plane.normal[alpha] = a, plane.normal[delta] = b;
  d->planes[d->plane_count++] = plane;
}

static void find_planes(Descent *d) {
  const double rate = 60 * (double)d->p->def->h;
  const Plane sum = {{1, 2, 1, 4, 2}, SUP_SURFACE_LIMIT_SUM};
  const Plane damped = {{0, SUP_SURFACE_LIMIT_DETAIL / rate, 0, -1, -1},
                        -SUP_SURFACE_LIMIT_DAMPING * rate};
  const Plane creep = {{-1, 0, 0, 0, SURFACE_CREEP * rate}, -SURFACE_SOFTEST * rate * rate};
  const uint32_t alphas[2] = {SUP_SURFACE_ALPHA, SUP_SURFACE_TERM_NORMAL_ALPHA};
  const uint32_t deltas[2] = {SUP_SURFACE_DELTA, SUP_SURFACE_TERM_NORMAL_DELTA};
  const uint32_t ways = d->p->terms > SUP_SURFACE_TERMS ? 2 : 1;
  for (uint32_t k = 0; k < ways * ways; k++) add_plane(d, sum, alphas[k % ways], deltas[k / ways]);
  for (uint32_t k = 0; k < ways; k++) add_plane(d, damped, alphas[k], deltas[k]);
  for (uint32_t k = 0; k < ways; k++) add_plane(d, creep, alphas[k], deltas[k]);
}

/* normal . numbers - most of a vertex, and the square of the normal in coordinates. */
static double beyond(const Descent *d, const Plane *plane, const double *numbers, uint32_t lane,
                     double *out_square) {
  double sum = -plane->most;
  *out_square = 0;
  for (uint32_t k = 0; k < d->p->terms; k++) {
    const double n = plane->normal[k] * surface_get(d->unit, d->p->terms, lane, k);
    sum += plane->normal[k] * surface_get(numbers, d->p->terms, lane, k);
    *out_square += n * n;
  }
  return sum;
}

/* The nearest numbers, in coordinates, within box and planes. */
static void bring_back(Descent *d, uint32_t lane) {
  double *numbers = d->p->numbers;
  for (int round = 0; round < 12; round++) {
    bool moved = false;
    for (uint32_t c = 0; c < d->plane_count; c++) {
      double square;
      const double off = beyond(d, &d->planes[c], numbers, lane, &square);
      if (!(off > 1e-12) || !(square > 0)) continue;
      moved = true;
      for (uint32_t k = 0; k < d->p->terms; k++) {
        const double unit = surface_get(d->unit, d->p->terms, lane, k);
        *surface_at(numbers, d->p->terms, lane, k) -=
            off / square * d->planes[c].normal[k] * unit * unit;
      }
    }
    for (uint32_t k = 0; k < d->p->terms; k++) {
      if (!(surface_get(d->unit, d->p->terms, lane, k) > 0)) continue;
      double *x = surface_at(numbers, d->p->terms, lane, k);
      const double least = least_of(d, k), most = surface_most_of(k);
      *x = *x < least ? least : *x > most ? most : *x;
    }
    if (!moved) return;
  }
}

/* At a bound and pushed against it. */
static bool stands(const Descent *d, size_t i) {
  const uint32_t row = row_of(d, i);
  const double x = d->at[i], most = surface_most_of(row), least = least_of(d, row);
  return (x <= least + 1e-9 && d->slope[i] > 0) || (x >= most - 1e-9 && d->slope[i] < 0);
}

/* Takes out of the direction what would leave the region at once. */
static void keep_within(Descent *d) {
  for (size_t i = 0; i < d->size; i++) d->way[i] = stands(d, i) ? 0 : d->way[i];
  for (uint32_t lane = 0; lane < d->p->vertices; lane++) {
    for (uint32_t c = 0; c < d->plane_count; c++) {
      double all, square = 0, along = 0, normal[MOST_TERMS];
      if (beyond(d, &d->planes[c], d->at, lane, &all) < -1e-7) continue;
      for (uint32_t k = 0; k < d->p->terms; k++) {
        const size_t i = (size_t)(surface_at(d->way, d->p->terms, lane, k) - d->way);
        normal[k] = stands(d, i) ? 0 : d->planes[c].normal[k] * d->unit[i];
        square += normal[k] * normal[k];
        along += normal[k] * d->way[i];
      }
      if (!(along > 0) || !(square > 0)) continue;
      for (uint32_t k = 0; k < d->p->terms; k++) {
        *surface_at(d->way, d->p->terms, lane, k) -= along / square * normal[k];
      }
    }
  }
}

/* -H slope by the two loops of L-BFGS; -slope at first. */
static void find_way(Descent *d) {
  double factors[MEMORY];
  for (size_t i = 0; i < d->size; i++) d->way[i] = -d->slope[i];
  keep_within(d);
  for (uint32_t k = 0; k < d->held; k++) {
    const uint32_t m = (d->next + MEMORY - 1 - k) % MEMORY;
    factors[m] = dot(d->steps[m], d->way, d->size) / d->products[m];
    for (size_t i = 0; i < d->size; i++) d->way[i] -= factors[m] * d->changes[m][i];
  }
  if (d->held) {
    const uint32_t m = (d->next + MEMORY - 1) % MEMORY;
    const double scale = d->products[m] / dot(d->changes[m], d->changes[m], d->size);
    for (size_t i = 0; i < d->size; i++) d->way[i] *= scale;
  }
  for (uint32_t k = d->held; k-- > 0;) {
    const uint32_t m = (d->next + MEMORY - 1 - k) % MEMORY;
    const double b = dot(d->changes[m], d->way, d->size) / d->products[m];
    for (size_t i = 0; i < d->size; i++) d->way[i] += (factors[m] - b) * d->steps[m][i];
  }
  keep_within(d);
  if (dot(d->way, d->slope, d->size) < 0) return;
  d->held = 0;
  for (size_t i = 0; i < d->size; i++) d->way[i] = -d->slope[i];
  keep_within(d);
}

static double first_step(const Descent *d) {
  double most = 0;
  for (size_t i = 0; i < d->size; i++) most = fmax(most, fabs(d->way[i] * d->unit[i]));
  return most > 0 ? FIRST_MOVE / most : 0;
}

static void go(Descent *d, double step) {
  SurfaceProblem *p = d->p;
  for (size_t i = 0; i < d->size; i++) {
    p->numbers[i] = d->at[i] + step * d->way[i] * d->unit[i];
  }
  for (uint32_t lane = 0; lane < p->vertices; lane++) bring_back(d, lane);
  sup_surface_limit_numbers(p); /* what rounding left */
}

/* Remembers how the slope changed along the step that was really made. */
static void remember(Descent *d, const double *slope) {
  double *s = d->steps[d->next], *y = d->changes[d->next];
  for (size_t i = 0; i < d->size; i++) {
    s[i] = d->unit[i] > 0 ? (d->p->numbers[i] - d->at[i]) / d->unit[i] : 0;
    y[i] = slope[i] - d->slope[i];
  }
  const double product = dot(s, y, d->size);
  if (!(product > 1e-10 * sqrt(dot(s, s, d->size) * dot(y, y, d->size)))) return;
  d->products[d->next] = product;
  d->next = (d->next + 1) % MEMORY;
  if (d->held < MEMORY) d->held++;
}

/* ---- The descent ------------------------------------------------------------------------------
 */

static SupResult prepare(SurfaceProblem *p, Descent *d, double **out_slope, SupError *error) {
  *d = (Descent){.p = p, .size = (size_t)p->terms * p->lanes};
  double **rows[] = {&d->unit, &d->at, &d->slope, &d->way, out_slope};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    *rows[k] = SUP_ALLOC(p->arena, double, d->size);
    if (!*rows[k]) return sup_fail_memory(error, "learning");
  }
  for (int k = 0; k < MEMORY; k++) {
    d->steps[k] = SUP_ALLOC(p->arena, double, d->size);
    d->changes[k] = SUP_ALLOC(p->arena, double, d->size);
    if (!d->steps[k] || !d->changes[k]) return sup_fail_memory(error, "learning");
  }
  return sup_surface_adjoint_make(p, &d->adjoint, error);
}

SupResult sup_surface_descend(SurfaceProblem *p, double *io_error, SupError *error) {
  Descent d;
  double *slope, *swap, now, least = 0;
  SupResult result = prepare(p, &d, &slope, error);
  if (result != SUP_OK) return result;
  const size_t bytes = d.size * sizeof(double);
  sup_surface_pass(p, &(SurfacePass){.sums = true}, NULL);
  sup_surface_pull(p, d.pull);
  sup_surface_units(p, d.unit);
  find_planes(&d);
  d.least = SURFACE_SOFTEST * 3600 * (double)p->def->h * (double)p->def->h;
  sup_copy(d.at, p->numbers, bytes);
  go(&d, 0); /* into the region */
  sup_copy(d.at, p->numbers, bytes);
  double value = judge(&d, d.slope, &now);
  least = now;
  for (uint32_t k = 0; k < p->descents; k++) {
    bool better = false;
    double gain = 0;
    sup_surface_progress(p, "descent", k, p->descents);
    find_way(&d);
    double step = d.held ? 1 : first_step(&d);
    for (int trial = 0; trial < TRIALS && !better; trial++, step *= 0.3) {
      go(&d, step);
      const double next = judge(&d, slope, &now);
      better = next < value;
      if (!better) continue;
      gain = (value - next) / value;
      value = next;
      least = now;
      remember(&d, slope);
      sup_copy(d.at, p->numbers, bytes);
      swap = d.slope, d.slope = slope, slope = swap;
    }
    if (!better && !d.held) break;
    if (!better) d.held = 0; /* once more, straight down */
    if (better && gain < ENOUGH) break;
  }
  sup_copy(p->numbers, d.at, bytes);
  *io_error = least;
  return SUP_OK;
}
