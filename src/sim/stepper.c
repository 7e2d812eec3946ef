/* SPDX-License-Identifier: MIT */
/*
 * Implicit time stepping as minimisation.
 *
 * With v = (c0 x + c1 x_n + c2 x_{n-1}) / h and a = (c0 v + c1 v_n + c2 v_{n-1}) / h, the next x
 * minimises
 *   c0^2/(2 h^2) |x - xt|_M^2 + c0/(2 h) |x - xb|_D^2 + W(x) + contact - (f + M g) . x
 * where xb is the x of zero velocity and xt that of zero acceleration. Euler: c = (1, -1, 0).
 * BDF2 with step ratio q = h / h_before: c0 = (1 + 2q)/(1 + q), c1 = -(1 + q), c2 = q^2/(1 + q).
 * D = drag + damping * K, K the projected stiffness at the start of the step, so that damping
 * never adds energy. Newton with projected stiffness, Cholesky, Armijo backtracking.
 * Euler's functional is Eq. 3 of Hahn et al. 2013 with external forces and damping added.
 */
#include "sim/stepper.h"

#include <math.h>
#include <string.h>

struct SupStepper {
  SupElastic *body;
  SupCholesky *factor;
  SupVec3d *x, *v;         /* now */
  SupVec3d *x_old, *v_old; /* one step before */
  double h_old;            /* length of that step; 0 when there is none */
  SupVec3d *trial, *best, *gradient, *move;
  SupVec3d *inertial; /* xt */
  SupVec3d *still;    /* xb */
  double *diagonal;   /* [free_count] */
  double *damping;    /* [144 * tet_count] damping * K, times c0 / h */
  double *extra;      /* damping + contact blocks */
  double *right;      /* [3 * free_count] */
  double shift;       /* what the last iteration added to the diagonal */
  uint64_t factorisations;
  double (*seconds)(void);
  double factor_seconds, solve_seconds;
  bool exact; /* the stiffness is not projected */
  /* What is known already, so that no element is looked at twice in one place. */
  bool trial_known; /* gradient, diagonal, stiffness and extra blocks are those of the trial */
  bool state_known; /* the body's stiffness blocks are those of x */
};

SupResult sup_stepper_create(SupArena *arena, SupElastic *body, SupStepper **out_stepper,
                             SupError *error) {
  size_t nodes = body->mesh.node_count;
  SupStepper *s = SUP_ALLOC(arena, SupStepper, 1);
  if (!s) goto memory;
  s->body = body;
  SupVec3d **vectors[] = {&s->x,    &s->v,        &s->x_old, &s->v_old,    &s->trial,
                          &s->best, &s->gradient, &s->move,  &s->inertial, &s->still};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
    *vectors[k] = SUP_ALLOC(arena, SupVec3d, nodes);
    if (!*vectors[k]) goto memory;
  }
  s->diagonal = SUP_ALLOC(arena, double, body->free_count);
  s->right = SUP_ALLOC(arena, double, 3 * (size_t)body->free_count);
  s->damping = SUP_ALLOC(arena, double, 144 * (size_t)body->mesh.tet_count);
  s->extra = SUP_ALLOC(arena, double, 144 * (size_t)body->mesh.tet_count);
  if (!s->diagonal || !s->right || !s->damping || !s->extra) goto memory;
  if (body->free_count > 0) {
    SupResult result = sup_cholesky_create(&body->matrix, &s->factor, error);
    if (result != SUP_OK) return result;
  }
  sup_stepper_place(s, body->mesh.nodes, NULL);
  *out_stepper = s;
  return SUP_OK;
memory:
  return sup_fail(error, SUP_ERROR_MEMORY, "simulating %u tetrahedra needs more memory",
                  body->mesh.tet_count);
}

void sup_stepper_free(SupStepper *stepper) {
  if (stepper) sup_cholesky_free(stepper->factor);
}

void sup_stepper_place(SupStepper *s, const SupVec3d *x, const SupVec3d *v) {
  size_t bytes = s->body->mesh.node_count * sizeof *x;
  memmove(s->x, x, bytes);
  if (v)
    memmove(s->v, v, bytes);
  else
    memset(s->v, 0, bytes);
  s->h_old = 0;
  s->shift = 0;
  s->state_known = false;
}

/* ---- What is minimised ---------------------------------------------------------------------- */

/* The coefficients of one step; both zero when static. */
typedef struct Weights {
  double inertia; /* c0^2 / h^2 */
  double damping; /* c0 / h */
} Weights;

static SupVec3d combine(double a, SupVec3d p, double b, SupVec3d q) {
  return (SupVec3d){a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z};
}

static double dot(SupVec3d p, SupVec3d q) { return p.x * q.x + p.y * q.y + p.z * q.z; }

/* Coefficients c0, c1, c2 of the difference formula. */
static void difference_formula(const SupStepper *s, const SupStepDef *def, double c[3]) {
  c[0] = 1;
  c[1] = -1;
  c[2] = 0;
  if (def->integrator == SUP_INTEGRATE_BDF2 && s->h_old > 0) {
    double q = def->h / s->h_old;
    c[0] = (1 + 2 * q) / (1 + q);
    c[1] = -(1 + q);
    c[2] = q * q / (1 + q);
  }
}

/* Fills xt, xb and the frozen damping blocks. */
static Weights prepare(SupStepper *s, const SupStepDef *def, const double c[3]) {
  const SupElastic *body = s->body;
  Weights weights = {0, 0};
  if (def->integrator == SUP_INTEGRATE_STATIC) return weights;
  weights.inertia = c[0] * c[0] / (def->h * def->h);
  weights.damping = c[0] / def->h;
  for (uint32_t n = 0; n < body->mesh.node_count; n++) {
    SupVec3d still = combine(-c[1] / c[0], s->x[n], -c[2] / c[0], s->x_old[n]);
    SupVec3d drift = combine(-c[1], s->v[n], -c[2], s->v_old[n]);
    s->still[n] = still;
    s->inertial[n] = combine(1, still, def->h / (c[0] * c[0]), drift);
  }
  bool damped = false;
  for (uint32_t k = 0; k < body->active_count && !damped; k++) {
    damped = body->damping[body->active[k]] > 0;
  }
  if (!damped) {
    memset(s->damping, 0, 144 * (size_t)body->mesh.tet_count * sizeof *s->damping);
    return weights;
  }
  /* Muscles may pull otherwise than they did when the last step ended. */
  if (!s->state_known || body->fibres) sup_elastic_linearise(s->body, s->x, false, NULL);
  for (uint32_t i = 0; i < body->active_count; i++) {
    uint32_t t = body->active[i];
    double scale = weights.damping * body->damping[t];
    for (size_t k = 144 * (size_t)t; k < 144 * ((size_t)t + 1); k++) {
      s->damping[k] = scale * body->blocks[k];
    }
  }
  return weights;
}

/* Adds energy and gradient of the frozen stiffness damping: 1/2 u^T B u per element, u = x - xb. */
static double add_element_damping(const SupStepper *s, const SupVec3d *x, SupVec3d *gradient) {
  const SupElastic *body = s->body;
  double energy = 0;
  for (uint32_t i = 0; i < body->active_count; i++) {
    uint32_t t = body->active[i];
    if (body->damping[t] == 0) continue;
    const uint32_t *n = body->mesh.tets + 4 * (size_t)t;
    const double *block = s->damping + 144 * (size_t)t;
    double u[12], f[12];
    for (size_t a = 0; a < 4; a++) {
      SupVec3d d = combine(1, x[n[a]], -1, s->still[n[a]]);
      u[3 * a] = d.x;
      u[3 * a + 1] = d.y;
      u[3 * a + 2] = d.z;
    }
    for (size_t r = 0; r < 12; r++) {
      f[r] = 0;
      for (size_t k = 0; k < 12; k++) f[r] += block[12 * r + k] * u[k];
      energy += 0.5 * u[r] * f[r];
    }
    for (size_t a = 0; a < 4; a++) {
      gradient[n[a]] =
          combine(1, gradient[n[a]], 1, (SupVec3d){f[3 * a], f[3 * a + 1], f[3 * a + 2]});
    }
  }
  return energy;
}

/* The functional and its gradient at x; with `linear` also the element blocks for Newton. */
static double evaluate(SupStepper *s, const SupStepDef *def, Weights weights, const SupVec3d *x,
                       bool linear) {
  SupElastic *body = s->body;
  double total = linear ? sup_elastic_linearise(body, x, s->exact, s->gradient)
                        : sup_elastic_energy(body, x, s->gradient);
  if (weights.damping > 0) total += add_element_damping(s, x, s->gradient);
  size_t blocks = 144 * (size_t)body->mesh.tet_count;
  if (linear) {
    if (weights.damping > 0)
      memcpy(s->extra, s->damping, blocks * sizeof *s->extra);
    else
      memset(s->extra, 0, blocks * sizeof *s->extra);
  }
  if (def->contact) {
    total += def->contact(def->contact_user, x, s->gradient, linear ? s->extra : NULL);
  }
  for (uint32_t k = 0; k < body->free_count; k++) {
    uint32_t n = body->free_nodes[k];
    double mass = body->masses[n];
    SupVec3d load = combine(mass, def->gravity, def->force ? 1 : 0,
                            def->force ? def->force[n] : (SupVec3d){0, 0, 0});
    total -= dot(load, x[n]);
    s->gradient[n] = combine(1, s->gradient[n], -1, load);
    s->diagonal[k] = 0;
    if (weights.inertia > 0) {
      SupVec3d lag = combine(1, x[n], -1, s->inertial[n]), move = combine(1, x[n], -1, s->still[n]);
      double inertia = weights.inertia * mass, drag = weights.damping * body->drags[n];
      total += 0.5 * (inertia * dot(lag, lag) + drag * dot(move, move));
      s->gradient[n] = combine(1, s->gradient[n], 1, combine(inertia, lag, drag, move));
      s->diagonal[k] = inertia + drag;
    }
  }
  return total;
}

/* ---- Newton --------------------------------------------------------------------------------- */

static double longest(const SupStepper *s) {
  double square = 0;
  for (uint32_t k = 0; k < s->body->free_count; k++) {
    SupVec3d move = s->move[s->body->free_nodes[k]];
    square = fmax(square, dot(move, move));
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
    SupVec3d g = s->gradient[body->free_nodes[k]];
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
  sup_elastic_assemble(body, s->diagonal, s->extra);
  double largest = 0, raised = 0;
  for (uint32_t k = 0; k < 3 * body->free_count; k++) {
    largest = fmax(largest, *diagonal_entry(&body->matrix, k));
  }
  double shift = s->shift > 1e-10 * largest ? s->shift / 100 : 0;
  *out_solved = false;
  const int most = s->exact ? 1 : 12;
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

/* Goes from s->trial along s->move until the functional has fallen enough; s->trial is where it
 * ends, *io_value the functional there. Returns the share of the move taken, 0 if none helps. The
 * whole move is nearly always good: its stiffness is computed at once, for the next iteration. */
static double line_search(SupStepper *s, const SupStepDef *def, Weights weights, double *io_value,
                          uint32_t *io_backtracks) {
  const double start = *io_value;
  const SupElastic *body = s->body;
  double slope = 0;
  for (uint32_t k = 0; k < body->free_count; k++) {
    uint32_t n = body->free_nodes[k];
    slope += dot(s->gradient[n], s->move[n]);
  }
  memcpy(s->best, s->trial, body->mesh.node_count * sizeof *s->best);
  double share = 1;
  for (int halving = 0; halving < 24; halving++, share *= 0.5) {
    for (uint32_t k = 0; k < body->free_count; k++) {
      uint32_t n = body->free_nodes[k];
      s->trial[n] = combine(1, s->best[n], share, s->move[n]);
    }
    s->trial_known = halving == 0;
    *io_value = evaluate(s, def, weights, s->trial, s->trial_known);
    /* The last term: below the rounding of the sum, a rise means nothing. */
    if (*io_value <= start + 1e-4 * share * slope + 1e-13 * fabs(start)) return share;
    (*io_backtracks)++;
  }
  memcpy(s->trial, s->best, body->mesh.node_count * sizeof *s->best);
  return 0;
}

/* Moves with a projected stiffness after one whose exact stiffness was of no use. */
#define PROJECTED_MOVES 8

/* An equilibrium is looked for with the exact stiffness once whole moves are good: with the
 * projected one compressed flesh comes to rest slowly, and stops before it is there. */
static SupResult minimise(SupStepper *s, const SupStepDef *def, Weights weights,
                          SupStepReport *report, SupError *error) {
  double value = 0;
  int good_moves = 0; /* whole moves, one after the other */
  s->exact = false;
  if (s->body->free_count == 0) report->converged = true;
  s->trial_known = s->state_known = false;
  while (!report->converged && report->iterations < def->iteration_max) {
    if (!s->trial_known) value = evaluate(s, def, weights, s->trial, true);
    bool solved;
    SupResult result = newton_direction(s, def->farthest, &solved, error);
    if (result != SUP_OK) return result;
    report->iterations++;
    if (!solved && s->exact) {
      s->exact = s->trial_known = false;
      good_moves = -PROJECTED_MOVES;
      continue;
    }
    if (!solved || !isfinite(value)) return SUP_OK;
    double share = line_search(s, def, weights, &value, &report->backtracks);
    report->last_move = longest(s);
    report->converged = report->last_move <= def->tolerance;
    if (share == 0) return SUP_OK;
    good_moves = share < 1 ? 0 : good_moves + 1;
    const bool exact = weights.inertia == 0 && good_moves > 1;
    s->trial_known &= exact == s->exact;
    s->exact = exact;
  }
  s->exact = false;
  return SUP_OK;
}

/* Where Newton begins: prescribed nodes at their new place, the others as the caller guesses or
 * along their velocity. */
static void start_trial(SupStepper *s, const SupStepDef *def) {
  const SupElastic *body = s->body;
  bool moving = def->integrator != SUP_INTEGRATE_STATIC;
  for (uint32_t n = 0; n < body->mesh.node_count; n++) {
    if (body->free_index[n] < 0)
      s->trial[n] = def->prescribed ? def->prescribed[n] : s->x[n];
    else if (def->guess)
      s->trial[n] = def->guess[n];
    else
      s->trial[n] = moving ? combine(1, s->x[n], def->h, s->v[n]) : s->x[n];
  }
}

/* Takes s->trial as the new state. */
static void accept(SupStepper *s, const SupStepDef *def, const double c[3]) {
  for (uint32_t n = 0; n < s->body->mesh.node_count; n++) {
    SupVec3d velocity = {0, 0, 0};
    if (def->integrator != SUP_INTEGRATE_STATIC) {
      velocity = combine(c[0] / def->h, s->trial[n], c[1] / def->h, s->x[n]);
      velocity = combine(1, velocity, c[2] / def->h, s->x_old[n]);
    }
    s->x_old[n] = s->x[n];
    s->v_old[n] = s->v[n];
    s->x[n] = s->trial[n];
    s->v[n] = velocity;
  }
  s->h_old = def->integrator == SUP_INTEGRATE_STATIC ? 0 : def->h;
  s->state_known = s->trial_known;
}

/* An equilibrium that is looked for from elements inside out: first of flesh that does not resist
 * being crushed. Elements that do would block each other's way. */
static SupResult untangle(SupStepper *s, const SupStepDef *def, Weights weights,
                          SupStepReport *report, SupError *error) {
  if (sup_elastic_worst(s->body, s->trial, NULL, NULL) >= 0) return SUP_OK;
  SupStepDef rough = *def;
  rough.tolerance *= 20;
  rough.iteration_max /= 2;
  sup_elastic_resist(s->body, false);
  SupResult result = minimise(s, &rough, weights, report, error);
  sup_elastic_resist(s->body, true);
  report->converged = false;
  return result;
}

/* Has an element been turned inside out, where there was none? */
static bool turned(const SupStepper *s) {
  return sup_elastic_worst(s->body, s->trial, NULL, NULL) < 0 &&
         sup_elastic_worst(s->body, s->x, NULL, NULL) >= 0;
}

SupResult sup_stepper_step(SupStepper *s, const SupStepDef *def, SupStepReport *out_report,
                           SupError *error) {
  SupStepReport report = {0};
  double c[3];
  difference_formula(s, def, c);
  Weights weights = prepare(s, def, c);
  start_trial(s, def);
  SupResult result = SUP_OK;
  if (def->integrator == SUP_INTEGRATE_STATIC) result = untangle(s, def, weights, &report, error);
  if (result == SUP_OK) result = minimise(s, def, weights, &report, error);
  if (result != SUP_OK) return result;
  if (def->guarded && report.converged && turned(s)) report.converged = false;
  if (report.converged) {
    accept(s, def, c);
    const SupElastic *body = s->body;
    report.elastic = sup_elastic_energy(s->body, s->x, NULL);
    for (uint32_t n = 0; n < body->mesh.node_count; n++) {
      report.kinetic += 0.5 * body->masses[n] * dot(s->v[n], s->v[n]);
      report.potential -= body->masses[n] * dot(def->gravity, s->x[n]);
    }
  }
  *out_report = report;
  return SUP_OK;
}

double sup_stepper_functional(SupStepper *s, const SupStepDef *def, const SupVec3d *x, bool matrix,
                              SupVec3d *out_gradient) {
  double c[3];
  difference_formula(s, def, c);
  Weights weights = prepare(s, def, c);
  s->exact = true;
  s->state_known = false;
  double value = evaluate(s, def, weights, x, matrix);
  s->exact = false;
  if (matrix) sup_elastic_assemble(s->body, s->diagonal, s->extra);
  memcpy(out_gradient, s->gradient, s->body->mesh.node_count * sizeof *out_gradient);
  return value;
}

const SupVec3d *sup_stepper_positions(const SupStepper *stepper) { return stepper->x; }
const SupVec3d *sup_stepper_velocities(const SupStepper *stepper) { return stepper->v; }

SupStepperCost sup_stepper_cost(const SupStepper *stepper) {
  return (SupStepperCost){stepper->factorisations,
                          stepper->factor ? sup_cholesky_fill(stepper->factor) : 0,
                          stepper->factor_seconds, stepper->solve_seconds};
}

void sup_stepper_clock(SupStepper *stepper, double (*seconds)(void)) { stepper->seconds = seconds; }
