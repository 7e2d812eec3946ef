/* SPDX-License-Identifier: MIT */
/*
 * Implicit time stepping: every step minimises the incremental potential (fem/potential.h) over
 * the free nodes. Newton with projected stiffness, Cholesky, Armijo backtracking; between Newton's
 * moves, and from step to step, moves by the factor that is there (kept_factor.h).
 */
#include "sim/stepper.h"

#include <math.h>
#include <string.h>

#include "sim/kept_factor.h"

struct SupStepper {
  SupElastic *body;
  SupCholesky *factor;
  SupKeptFactor kept;
  SupHistory history;
  SupPotential potential;
  SupVec3d *trial, *best, *move; /* [node_count] */
  double *right;                 /* [3 * free_count] */
  double shift;                  /* what the last iteration added to the diagonal */
  uint64_t factorisations;
  double (*seconds)(void);
  double factor_seconds, solve_seconds;
  SupHessian hessian; /* which stiffness is computed, where one is */
  int good_moves;     /* whole Newton moves, one after the other */
  bool keeping;       /* the next move is one of the kept factor */
  double shrink;      /* how much shorter its last move was than the one before */
  uint32_t fewest;    /* moves of the best step by it, */
  uint32_t excess;    /* ... and of all others, beyond that */
  /* What is known already, so that no element is looked at twice in one place. */
  bool trial_known; /* gradient, diagonal, stiffness and extra blocks are those of the trial */
};

SupResult sup_stepper_create(SupArena *arena, SupElastic *body, SupStepper **out_stepper,
                             SupError *error) {
  size_t nodes = body->mesh.node_count;
  SupStepper *s = SUP_ALLOC(arena, SupStepper, 1);
  if (!s) goto memory;
  s->body = body;
  s->trial = SUP_ALLOC(arena, SupVec3d, nodes);
  s->best = SUP_ALLOC(arena, SupVec3d, nodes);
  s->move = SUP_ALLOC(arena, SupVec3d, nodes);
  s->right = SUP_ALLOC(arena, double, 3 * (size_t)body->free_count);
  if (!s->trial || !s->best || !s->move || !s->right) goto memory;
  if (!sup_history_create(arena, body->mesh.node_count, &s->history)) goto memory;
  if (!sup_potential_create(arena, body, &s->potential)) goto memory;
  if (body->free_count > 0) {
    SupResult result = sup_cholesky_create(&body->matrix, &s->factor, error);
    if (result != SUP_OK) return result;
  }
  if (!sup_kept_factor_create(arena, body, s->factor, &s->kept)) {
    sup_stepper_free(s);
    goto memory;
  }
  sup_stepper_place(s, body->mesh.nodes, NULL);
  *out_stepper = s;
  return SUP_OK;
memory:
  return sup_fail(error, SUP_ERROR_MEMORY, "simulating %u tetrahedra: out of memory",
                  body->mesh.tet_count);
}

void sup_stepper_free(SupStepper *stepper) {
  if (stepper) sup_cholesky_free(stepper->factor);
}

void sup_stepper_place(SupStepper *s, const SupVec3d *x, const SupVec3d *v) {
  sup_history_place(&s->history, x, v);
  s->shift = 0;
}

void sup_stepper_put(SupStepper *s, uint32_t node, SupVec3d x) {
  SupHistory *history = &s->history;
  history->x[node] = history->x_old[node] = x;
  history->v[node] = history->v_old[node] = (SupVec3d){0, 0, 0};
  history->serial += 2; /* what is known of the last two steps is not true any more */
}

SupDifference sup_stepper_difference(const SupStepper *s, const SupStepDef *def) {
  switch (def->integrator) {
    case SUP_INTEGRATE_STATIC: return sup_difference_static();
    case SUP_INTEGRATE_BDF2: return sup_difference_bdf2(def->h, s->history.h_old);
    default: return sup_difference_euler(def->h);
  }
}

/* The potential and its gradient at x; with `linear` also the element blocks for Newton. */
static double evaluate(SupStepper *s, const SupStepDef *def, const SupVec3d *x, bool linear) {
  SupHessian hessian = linear ? s->hessian : SUP_HESSIAN_NONE;
  return sup_potential_evaluate(&s->potential, &def->loads, x, hessian);
}

/* ---- Newton --------------------------------------------------------------------------------- */

static double longest(const SupStepper *s) {
  double square = 0;
  for (uint32_t k = 0; k < s->body->free_count; k++) {
    SupVec3d move = s->move[s->body->free_nodes[k]];
    square = fmax(square, sup_vec3d_dot(move, move));
  }
  return sqrt(square);
}

static double now(const SupStepper *s) { return s->seconds ? s->seconds() : 0; }

/* The diagonal entry of scalar column k: axis k % 3 of the column's first block. */
static double *diagonal_entry(const SupSparse *matrix, uint32_t k) {
  return &matrix->values[matrix->columns[k] + k % 3];
}

/* s->move = -(matrix + shift)^-1 gradient on the free nodes, for the present factor. */
static SupResult solve_direction(SupStepper *s, SupError *error) {
  const SupElastic *body = s->body;
  for (uint32_t k = 0; k < body->free_count; k++) {
    SupVec3d g = s->potential.gradient[body->free_nodes[k]];
    s->right[3 * k] = -g.x;
    s->right[3 * k + 1] = -g.y;
    s->right[3 * k + 2] = -g.z;
  }
  SupResult result = sup_cholesky_solve(s->factor, s->right, s->right, error);
  for (uint32_t k = 0; k < body->free_count; k++) {
    s->move[body->free_nodes[k]] =
        (SupVec3d){s->right[3 * k], s->right[3 * k + 1], s->right[3 * k + 2]};
  }
  return result;
}

/* Newton's direction. With an exact stiffness one attempt is made. Where the projected matrix is
 * (nearly) singular, as in the static case with loose parts, the diagonal is raised until Cholesky
 * succeeds and no node moves farther than allowed (Levenberg, Marquardt). The raise is remembered
 * for the next iteration. */
static SupResult newton_direction(SupStepper *s, double farthest, bool *out_solved,
                                  SupError *error) {
  SupElastic *body = s->body;
  sup_potential_assemble(&s->potential);
  double largest = 0, raised = 0;
  for (uint32_t k = 0; k < 3 * body->free_count; k++) {
    largest = fmax(largest, *diagonal_entry(&body->matrix, k));
  }
  double shift = s->shift > 1e-10 * largest ? s->shift / 100 : 0;
  *out_solved = false;
  const int most = s->hessian == SUP_HESSIAN_PROJECTED ? 12 : 1;
  for (int attempt = 0; attempt < most && !*out_solved; attempt++) {
    for (uint32_t k = 0; k < 3 * body->free_count; k++) {
      *diagonal_entry(&body->matrix, k) += shift - raised;
    }
    raised = shift;
    double began = now(s);
    SupResult result = sup_cholesky_factor(s->factor, &body->matrix, error);
    s->factor_seconds += now(s) - began;
    s->factorisations++;
    if (result == SUP_OK) {
      began = now(s);
      result = solve_direction(s, error);
      s->solve_seconds += now(s) - began;
      if (result != SUP_OK) return result;
      *out_solved = longest(s) <= farthest;
    } else if (result != SUP_ERROR_NUMERIC) {
      return result;
    }
    s->shift = shift;
    shift = fmax(10 * shift, 1e-8 * largest);
  }
  return SUP_OK;
}

/* ---- Moves by an old factor ------------------------------------------------------------------ */

/* A move by an old factor is to be shorter than the one before by this factor; otherwise a new
 * factor costs less than the moves that it saves. */
#define KEPT_SHRINK 0.5
/* Moves by one factor, one after the other. */
#define KEPT_MOST 8
/* What such a move would still be followed by, as a fraction of the tolerance, where they end. */
#define KEPT_REST 0.03
/* Moves beyond the fewest of a step, in all steps by one factor, after which it is renewed. */
#define KEPT_EXCESS 10
/* How much shorter moves get with a factor of which nothing is known yet. */
#define NEW_SHRINK 0.1

static void add_move(SupStepper *s, double fraction) {
  const SupElastic *body = s->body;
  for (uint32_t k = 0; k < body->free_count; k++) {
    uint32_t n = body->free_nodes[k];
    s->trial[n] = sup_vec3d_add_scaled(s->best[n], s->move[n], fraction);
  }
}

static double slope_of_move(const SupStepper *s) {
  double slope = 0;
  for (uint32_t k = 0; k < s->body->free_count; k++) {
    uint32_t n = s->body->free_nodes[k];
    slope += sup_vec3d_dot(s->potential.gradient[n], s->move[n]);
  }
  return slope;
}

/* Has the potential fallen enough, from `start` to `value`? The last term: below the rounding of
 * the sum, a rise means nothing. */
static bool fallen(double start, double value, double fraction, double slope) {
  return value <= start + 1e-4 * fraction * slope + 1e-13 * fabs(start);
}

/* Goes on from s->trial by whole moves of the kept factor, as long as they get shorter fast enough.
 * The potential and its gradient are known there; `length` is that of the move before, or
 * infinite. */
static SupResult move_by_kept(SupStepper *s, const SupStepDef *def, double value, double length,
                              SupStepReport *report, SupError *error) {
  const size_t bytes = s->body->mesh.node_count * sizeof *s->best;
  for (int k = 0; k < KEPT_MOST; k++) {
    const double began = now(s), before = length, start = value;
    SupResult result = sup_kept_factor_solve(&s->kept, s->potential.gradient, s->move, error);
    s->solve_seconds += now(s) - began;
    if (result != SUP_OK) return result;
    length = longest(s);
    if (isfinite(before)) s->shrink = length / before;
    if (!(length <= def->farthest) || length > KEPT_SHRINK * before) return SUP_OK;
    report->kept_moves++;
    report->last_move = length;
    report->converged =
        length <= def->tolerance && s->shrink * length <= KEPT_REST * def->tolerance;
    const double slope = slope_of_move(s);
    memcpy(s->best, s->trial, bytes);
    add_move(s, 1);
    if (report->converged) return SUP_OK;
    value = evaluate(s, def, s->trial, false);
    if (!fallen(start, value, 1, slope)) {
      memcpy(s->trial, s->best, bytes);
      return SUP_OK;
    }
    sup_kept_factor_learn(&s->kept, s->move, s->potential.gradient);
  }
  return SUP_OK;
}

/* Goes from s->trial along s->move until the potential has fallen enough; s->trial is where it
 * ends, *io_value the potential there. Returns the fraction of the move taken, 0 if none helps. The
 * whole move is nearly always good: with `linear` its stiffness is computed at once, for the next
 * iteration. */
static double line_search(SupStepper *s, const SupStepDef *def, bool linear, double *io_value,
                          uint32_t *io_backtracks) {
  const double start = *io_value, slope = slope_of_move(s);
  const size_t bytes = s->body->mesh.node_count * sizeof *s->best;
  memcpy(s->best, s->trial, bytes);
  double fraction = 1;
  for (int halving = 0; halving < 24; halving++, fraction *= 0.5) {
    add_move(s, fraction);
    s->trial_known = halving == 0 && linear;
    *io_value = evaluate(s, def, s->trial, s->trial_known);
    if (fallen(start, *io_value, fraction, slope)) return fraction;
    (*io_backtracks)++;
  }
  memcpy(s->trial, s->best, bytes);
  return 0;
}

/* ---- All together ---------------------------------------------------------------------------- */

/* Moves with a projected stiffness after one whose exact stiffness was of no use. */
#define PROJECTED_MOVES 8

/* Newton's move, from where the stiffness is known or not. Once whole moves are good, the exact
 * stiffness is used: with the projected one compressed flesh comes to its place slowly, and stops
 * before it is there. In a step that is after one such move, for an equilibrium, which begins
 * farther away, after two. Returns in *out_fraction what was taken of the move: -1 where the exact
 * stiffness is of no use and none was made, 0 where none helps. */
static SupResult move_by_newton(SupStepper *s, const SupStepDef *def, double *io_value,
                                SupStepReport *report, double *out_fraction, SupError *error) {
  const bool moving = s->potential.inertia > 0;
  bool solved;
  *out_fraction = 0;
  if (!s->trial_known) *io_value = evaluate(s, def, s->trial, true);
  SupResult result = newton_direction(s, def->farthest, &solved, error);
  if (result != SUP_OK) return result;
  report->iterations++;
  s->kept.known = false;
  if (!solved && s->hessian != SUP_HESSIAN_PROJECTED) {
    s->hessian = SUP_HESSIAN_PROJECTED;
    s->trial_known = false;
    s->good_moves = -PROJECTED_MOVES;
    *out_fraction = -1;
    return SUP_OK;
  }
  if (!solved || !isfinite(*io_value)) return SUP_OK;
  sup_kept_factor_renew(&s->kept, s->trial, s->potential.inertia);
  report->last_move = longest(s);
  report->converged = report->last_move <= def->tolerance;
  const bool exact = s->hessian == SUP_HESSIAN_ELASTIC;
  if (++s->good_moves >= (moving ? 1 : 2)) s->hessian = SUP_HESSIAN_ELASTIC;
  s->keeping = (moving || exact) && s->shift == 0;
  const bool linear = !report->converged && !s->keeping;
  *out_fraction = line_search(s, def, linear, io_value, &report->backtracks);
  if (*out_fraction < 1) {
    s->hessian = SUP_HESSIAN_PROJECTED;
    s->good_moves = 0;
    s->keeping = false;
  }
  return SUP_OK;
}

/* A factor that is kept gets worse; a new one costs as much as some ten moves. It is due when the
 * moves since that a new one would have saved add up to that. */
static void count_moves(SupStepper *s, const SupStepReport *report) {
  if (report->iterations > 0) {
    s->fewest = UINT32_MAX;
    s->excess = 0;
    return;
  }
  if (report->kept_moves < s->fewest) s->fewest = report->kept_moves;
  s->excess += report->kept_moves - s->fewest;
}

/* From s->trial on to the minimum: by the factor of the steps before, where there is a good one, by
 * Newton where moves by it do not get shorter, and on by Newton's factor. An equilibrium begins far
 * from where any other was. */
static SupResult minimise(SupStepper *s, const SupStepDef *def, SupStepReport *report,
                          SupError *error) {
  const bool moving = s->potential.inertia > 0;
  const bool known = moving && sup_kept_factor_fits(&s->kept, s->potential.inertia);
  double value = 0, length = INFINITY, fraction;
  SupResult result = SUP_OK;
  if (s->body->free_count == 0) report->converged = true;
  s->trial_known = false;
  s->keeping = known && s->excess <= KEPT_EXCESS && !report->converged;
  if (!known) {
    s->hessian = SUP_HESSIAN_PROJECTED;
    s->good_moves = 0;
  }
  if (s->keeping) {
    sup_kept_factor_turn(&s->kept, s->trial);
    value = evaluate(s, def, s->trial, false);
  }
  while (result == SUP_OK && !report->converged && report->iterations < def->iteration_max) {
    if (s->keeping) {
      result = move_by_kept(s, def, value, length, report, error);
      s->keeping = s->trial_known = false;
      continue;
    }
    result = move_by_newton(s, def, &value, report, &fraction, error);
    if (result != SUP_OK || fraction == 0) break;
    length = report->last_move;
    s->shrink = NEW_SHRINK;
  }
  count_moves(s, report);
  return result;
}

/* Where Newton begins: prescribed nodes at their new place, the others as the caller guesses or
 * along their velocity. */
static void start_trial(SupStepper *s, const SupStepDef *def) {
  const SupElastic *body = s->body;
  const SupVec3d *x = s->history.x, *v = s->history.v;
  bool moving = def->integrator != SUP_INTEGRATE_STATIC;
  for (uint32_t n = 0; n < body->mesh.node_count; n++) {
    if (body->free_index[n] < 0)
      s->trial[n] = def->prescribed ? def->prescribed[n] : x[n];
    else if (def->guess)
      s->trial[n] = def->guess[n];
    else
      s->trial[n] = moving ? sup_vec3d_add_scaled(x[n], v[n], def->h) : x[n];
  }
}

/* An equilibrium that is looked for from elements inside out: first of flesh that does not resist
 * being crushed. Elements that do would block each other's way. */
static SupResult untangle(SupStepper *s, const SupStepDef *def, SupStepReport *report,
                          SupError *error) {
  if (sup_elastic_worst(s->body, s->trial, NULL, NULL) >= 0) return SUP_OK;
  SupStepDef rough = *def;
  rough.tolerance *= 20;
  rough.iteration_max /= 2;
  sup_elastic_resist(s->body, false);
  SupResult result = minimise(s, &rough, report, error);
  sup_elastic_resist(s->body, true);
  report->converged = false;
  return result;
}

/* Has an element been turned inside out, where there was none? */
static bool turned(const SupStepper *s) {
  return sup_elastic_worst(s->body, s->trial, NULL, NULL) < 0 &&
         sup_elastic_worst(s->body, s->history.x, NULL, NULL) >= 0;
}

SupResult sup_stepper_step(SupStepper *s, const SupStepDef *def, SupStepReport *out_report,
                           SupError *error) {
  SupStepReport report = {0};
  SupDifference step = sup_stepper_difference(s, def);
  sup_potential_begin(&s->potential, &s->history, &step);
  start_trial(s, def);
  SupResult result = SUP_OK;
  if (def->integrator == SUP_INTEGRATE_STATIC) result = untangle(s, def, &report, error);
  if (result == SUP_OK) result = minimise(s, def, &report, error);
  if (result != SUP_OK) return result;
  if (def->guarded && report.converged && turned(s)) report.converged = false;
  if (report.converged) {
    sup_history_advance(&s->history, &step, s->trial);
    const SupElastic *body = s->body;
    const SupVec3d *x = s->history.x, *v = s->history.v;
    report.elastic = sup_elastic_energy(s->body, x, NULL, NULL);
    for (uint32_t n = 0; n < body->mesh.node_count; n++) {
      report.kinetic += 0.5 * body->masses[n] * sup_vec3d_dot(v[n], v[n]);
      report.potential -= body->masses[n] * sup_vec3d_dot(def->loads.gravity, x[n]);
    }
  }
  *out_report = report;
  return SUP_OK;
}

double sup_stepper_functional(SupStepper *s, const SupStepDef *def, const SupVec3d *x, bool matrix,
                              SupVec3d *out_gradient) {
  SupDifference step = sup_stepper_difference(s, def);
  sup_potential_begin(&s->potential, &s->history, &step);
  s->hessian = SUP_HESSIAN_EXACT;
  double value = evaluate(s, def, x, matrix);
  if (matrix) sup_potential_assemble(&s->potential);
  memcpy(out_gradient, s->potential.gradient, s->body->mesh.node_count * sizeof *out_gradient);
  return value;
}

const SupVec3d *sup_stepper_positions(const SupStepper *stepper) { return stepper->history.x; }
const SupVec3d *sup_stepper_velocities(const SupStepper *stepper) { return stepper->history.v; }

SupStepperCost sup_stepper_cost(const SupStepper *stepper) {
  return (SupStepperCost){stepper->factorisations,
                          stepper->factor ? sup_cholesky_fill(stepper->factor) : 0,
                          stepper->factor_seconds, stepper->solve_seconds};
}

void sup_stepper_clock(SupStepper *stepper, double (*seconds)(void)) { stepper->seconds = seconds; }
