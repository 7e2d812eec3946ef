/* SPDX-License-Identifier: MIT */
/*
 * Implicit time stepping: every step minimises the incremental potential (fem/potential.h) over
 * the free nodes. Newton with projected stiffness, Cholesky, Armijo backtracking.
 */
#include "sim/stepper.h"

#include <math.h>
#include <string.h>

struct SupStepper {
  SupElastic *body;
  SupCholesky *factor;
  SupHistory history;
  SupPotential potential;
  SupVec3d *trial, *best, *move; /* [node_count] */
  double *right;                 /* [3 * free_count] */
  double shift;                  /* what the last iteration added to the diagonal */
  uint64_t factorisations;
  double (*seconds)(void);
  double factor_seconds, solve_seconds;
  SupHessian hessian; /* which stiffness is computed, where one is */
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

/* Goes from s->trial along s->move until the potential has fallen enough; s->trial is where it
 * ends, *io_value the potential there. Returns the fraction of the move taken, 0 if none helps. The
 * whole move is nearly always good: its stiffness is computed at once, for the next iteration,
 * unless this is the last one. */
static double line_search(SupStepper *s, const SupStepDef *def, bool last, double *io_value,
                          uint32_t *io_backtracks) {
  const double start = *io_value;
  const SupElastic *body = s->body;
  double slope = 0;
  for (uint32_t k = 0; k < body->free_count; k++) {
    uint32_t n = body->free_nodes[k];
    slope += sup_vec3d_dot(s->potential.gradient[n], s->move[n]);
  }
  memcpy(s->best, s->trial, body->mesh.node_count * sizeof *s->best);
  double fraction = 1;
  for (int halving = 0; halving < 24; halving++, fraction *= 0.5) {
    for (uint32_t k = 0; k < body->free_count; k++) {
      uint32_t n = body->free_nodes[k];
      s->trial[n] = sup_vec3d_add_scaled(s->best[n], s->move[n], fraction);
    }
    s->trial_known = halving == 0 && !last;
    *io_value = evaluate(s, def, s->trial, s->trial_known);
    /* The last term: below the rounding of the sum, a rise means nothing. */
    if (*io_value <= start + 1e-4 * fraction * slope + 1e-13 * fabs(start)) return fraction;
    (*io_backtracks)++;
  }
  memcpy(s->trial, s->best, body->mesh.node_count * sizeof *s->best);
  return 0;
}

/* Moves with a projected stiffness after one whose exact stiffness was of no use. */
#define PROJECTED_MOVES 8

/* Once whole moves are good, the exact stiffness is used: with the projected one compressed flesh
 * comes to its place slowly, and stops before it is there. In a step that is after one such move,
 * for an equilibrium, which begins farther away, after two. */
static SupResult minimise(SupStepper *s, const SupStepDef *def, SupStepReport *report,
                          SupError *error) {
  double value = 0;
  int good_moves = 0; /* whole moves, one after the other */
  const int needed = s->potential.inertia > 0 ? 1 : 2;
  s->hessian = SUP_HESSIAN_PROJECTED;
  if (s->body->free_count == 0) report->converged = true;
  s->trial_known = false;
  while (!report->converged && report->iterations < def->iteration_max) {
    if (!s->trial_known) value = evaluate(s, def, s->trial, true);
    bool solved;
    SupResult result = newton_direction(s, def->farthest, &solved, error);
    if (result != SUP_OK) return result;
    report->iterations++;
    if (!solved && s->hessian != SUP_HESSIAN_PROJECTED) {
      s->hessian = SUP_HESSIAN_PROJECTED;
      s->trial_known = false;
      good_moves = -PROJECTED_MOVES;
      continue;
    }
    if (!solved || !isfinite(value)) return SUP_OK;
    report->last_move = longest(s);
    report->converged = report->last_move <= def->tolerance;
    if (++good_moves >= needed) s->hessian = SUP_HESSIAN_ELASTIC;
    double fraction = line_search(s, def, report->converged, &value, &report->backtracks);
    if (fraction == 0) return SUP_OK;
    if (fraction < 1) {
      s->hessian = SUP_HESSIAN_PROJECTED;
      good_moves = 0;
    }
  }
  return SUP_OK;
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
