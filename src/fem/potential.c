/* SPDX-License-Identifier: MIT */
/*
 * The incremental potential of an implicit step.
 *
 * With v = (c0 x + c1 x_n + c2 x_{n-1}) / h and a = (c0 v + c1 v_n + c2 v_{n-1}) / h, the next x
 * minimises
 *   c0^2/(2 h^2) |x - xt|_M^2 + c0/(2 h) |x - xc|_drag^2 + V(x) + W(x) + contact - (f + M g) . x
 * where xt (`inertial`) is the x of zero acceleration and xc that of the carrier's velocity, zero
 * where there is none (`still`).
 * Euler: c = (1, -1, 0). BDF2 with step ratio q = h / h_before: c0 = (1 + 2q)/(1 + q),
 * c1 = -(1 + q), c2 = q^2/(1 + q).
 * V damps the rate of the elements' stretches S, (c0 S + c1 S_n + c2 S_{n-1}) / h, by `damping`
 * times their elasticity at rest (strain_rate.c): like W it does not change when the body turns.
 * With Euler it is zero where the body stays, so that damping never adds energy. Euler's potential
 * is Eq. 3 of Hahn et al. 2013 with external forces and damping added.
 */
#include "fem/potential.h"

#include <string.h>

static SupVec3d combine(double a, SupVec3d p, double b, SupVec3d q) {
  return (SupVec3d){a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z};
}

/* ---- Time ----------------------------------------------------------------------------------- */

SupDifference sup_difference_static(void) { return (SupDifference){0, {1, -1, 0}}; }

SupDifference sup_difference_euler(double h) { return (SupDifference){h, {1, -1, 0}}; }

SupDifference sup_difference_bdf2(double h, double h_old) {
  if (h_old <= 0) return sup_difference_euler(h);
  double q = h / h_old;
  return (SupDifference){h, {(1 + 2 * q) / (1 + q), -(1 + q), q * q / (1 + q)}};
}

bool sup_history_create(SupArena *arena, uint32_t node_count, SupHistory *out_history) {
  *out_history = (SupHistory){.node_count = node_count,
                              .serial = 1,
                              .x = SUP_ALLOC(arena, SupVec3d, node_count),
                              .v = SUP_ALLOC(arena, SupVec3d, node_count),
                              .x_old = SUP_ALLOC(arena, SupVec3d, node_count),
                              .v_old = SUP_ALLOC(arena, SupVec3d, node_count)};
  return out_history->x && out_history->v && out_history->x_old && out_history->v_old;
}

void sup_history_place(SupHistory *history, const SupVec3d *x, const SupVec3d *v) {
  size_t bytes = history->node_count * sizeof *x;
  memmove(history->x, x, bytes);
  if (v)
    memmove(history->v, v, bytes);
  else
    memset(history->v, 0, bytes);
  history->h_old = 0;
  history->serial++;
}

void sup_history_advance(SupHistory *history, const SupDifference *step, const SupVec3d *x) {
  const double *c = step->c;
  for (uint32_t n = 0; n < history->node_count; n++) {
    SupVec3d velocity = {0, 0, 0};
    if (step->h > 0) {
      velocity = combine(c[0] / step->h, x[n], c[1] / step->h, history->x[n]);
      velocity = sup_vec3d_add_scaled(velocity, history->x_old[n], c[2] / step->h);
    }
    history->x_old[n] = history->x[n];
    history->v_old[n] = history->v[n];
    history->x[n] = x[n];
    history->v[n] = velocity;
  }
  history->h_old = step->h;
  history->serial++;
}

/* ---- What is minimised ---------------------------------------------------------------------- */

bool sup_potential_create(SupArena *arena, SupElastic *body, SupPotential *out_potential) {
  size_t nodes = body->mesh.node_count, tets = body->mesh.tet_count;
  SupPotential *p = out_potential;
  *p = (SupPotential){.body = body,
                      .inertial = SUP_ALLOC(arena, SupVec3d, nodes),
                      .still = SUP_ALLOC(arena, SupVec3d, nodes),
                      .rates = SUP_ALLOC(arena, SupStrainRate, tets),
                      .stretch = SUP_ALLOC(arena, SupStretch, tets),
                      .stretch_old = SUP_ALLOC(arena, SupStretch, tets),
                      .gradient = SUP_ALLOC(arena, SupVec3d, nodes),
                      .diagonal = SUP_ALLOC(arena, double, body->free_count),
                      .extra = SUP_ALLOC(arena, double, 144 * tets)};
  return p->inertial && p->still && p->rates && p->stretch && p->stretch_old && p->gradient &&
         p->diagonal && p->extra;
}

/* Stretches of the present and, where there is one, of the step before. After a step only those of
 * the new present are computed. */
static void know_stretches(SupPotential *p, const SupHistory *history) {
  if (p->serial == history->serial) return;
  if (p->serial + 1 == history->serial && p->serial != 0) {
    SupStretch *swap = p->stretch;
    p->stretch = p->stretch_old;
    p->stretch_old = swap;
  } else if (history->h_old > 0) {
    sup_elastic_stretch(p->body, history->x_old, p->stretch_old);
  }
  sup_elastic_stretch(p->body, history->x, p->stretch);
  p->serial = history->serial;
}

/* What damps the elements in this step. */
static void begin_damping(SupPotential *p, const SupHistory *history, const double c[3]) {
  const SupElastic *body = p->body;
  for (uint32_t k = 0; k < body->active_count && !p->damped; k++) {
    p->damped = body->damping[body->active[k]] > 0;
  }
  if (!p->damped) return;
  know_stretches(p, history);
  const double now = -c[1] / c[0], old = -c[2] / c[0];
  for (uint32_t i = 0; i < body->active_count; i++) {
    const uint32_t t = body->active[i];
    const double scale = p->rate * body->damping[t];
    SupStrainRate *rate = &p->rates[t];
    sup_law_lame(&body->laws[t], &rate->mu, &rate->lambda);
    rate->mu *= scale;
    rate->lambda *= scale;
    for (int k = 0; k < 6; k++) {
      rate->still.m[k] = now * p->stretch[t].m[k] + old * p->stretch_old[t].m[k];
    }
  }
}

void sup_potential_begin(SupPotential *p, const SupHistory *history, const SupDifference *step) {
  const double *c = step->c;
  p->inertia = p->rate = 0;
  p->damped = false;
  if (step->h == 0) return;
  p->inertia = c[0] * c[0] / (step->h * step->h);
  p->rate = c[0] / step->h;
  for (uint32_t n = 0; n < history->node_count; n++) {
    SupVec3d still = combine(-c[1] / c[0], history->x[n], -c[2] / c[0], history->x_old[n]);
    SupVec3d drift = combine(-c[1], history->v[n], -c[2], history->v_old[n]);
    p->still[n] = still;
    p->inertial[n] = sup_vec3d_add_scaled(still, drift, step->h / (c[0] * c[0]));
  }
  begin_damping(p, history, c);
}

/* Adds what acts on a free node by itself: loads, inertia, drag. Fills its diagonal. Returns
 * `total` with the energies added; term by term, since the order of a sum is part of the result. */
static double add_node(SupPotential *p, const SupPotentialLoads *loads, const SupVec3d *x,
                       uint32_t k, double total) {
  const SupElastic *body = p->body;
  uint32_t n = body->free_nodes[k];
  double mass = body->masses[n];
  SupVec3d force = loads->force ? loads->force[n] : (SupVec3d){0, 0, 0};
  SupVec3d load = sup_vec3d_add(sup_vec3d_scale(loads->gravity, mass), force);
  total -= sup_vec3d_dot(load, x[n]);
  SupVec3d gradient = sup_vec3d_sub(p->gradient[n], load);
  p->diagonal[k] = 0;
  if (p->inertia > 0) {
    SupVec3d lag = sup_vec3d_sub(x[n], p->inertial[n]), move = sup_vec3d_sub(x[n], p->still[n]);
    if (loads->carrier) move = sup_vec3d_add_scaled(move, loads->carrier[n], -1 / p->rate);
    double inertia = p->inertia * mass, drag = p->rate * body->drags[n];
    total += 0.5 * (inertia * sup_vec3d_dot(lag, lag) + drag * sup_vec3d_dot(move, move));
    gradient = sup_vec3d_add(gradient, combine(inertia, lag, drag, move));
    p->diagonal[k] = inertia + drag;
  }
  p->gradient[n] = gradient;
  return total;
}

double sup_potential_evaluate(SupPotential *p, const SupPotentialLoads *loads, const SupVec3d *x,
                              SupHessian hessian) {
  SupElastic *body = p->body;
  const bool linear = hessian != SUP_HESSIAN_NONE;
  const SupStrainRate *rates = p->damped ? p->rates : NULL;
  double total = linear ? sup_elastic_linearise(body, x, rates, hessian, p->gradient)
                        : sup_elastic_energy(body, x, rates, p->gradient);
  if (linear) {
    p->touched = loads->contact || loads->ties;
    const size_t numbers = p->touched ? 144 * (size_t)body->mesh.tet_count : 0;
    memset(p->extra, 0, numbers * sizeof *p->extra);
  }
  double *extra = linear ? p->extra : NULL;
  if (loads->contact) total += loads->contact(loads->contact_user, x, p->gradient, extra);
  if (loads->ties) total += sup_ties_add(loads->ties, &body->mesh, x, p->gradient, extra);
  for (uint32_t k = 0; k < body->free_count; k++) total = add_node(p, loads, x, k, total);
  return total;
}

void sup_potential_assemble(SupPotential *potential) {
  sup_elastic_assemble(potential->body, potential->diagonal,
                       potential->touched ? potential->extra : NULL);
}
