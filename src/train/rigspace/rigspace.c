/* SPDX-License-Identifier: MIT */
/*
 * Physics in rig-space: set-up, start, steps.
 *
 *   Eq. 3   H = h^2/2 a^T M a + W(s, q) - f . x, a = (x - x_n - h v_n) / h^2   fem/potential.c
 *   Eq. 4   s(p) = s(pb) + J (p_f - p_f^n), pb = (p_s^{n+1}, p_f^n) sup_rigspace_minimise Eq. 5   q
 * = argmin W(s, q)                                       rigspace_inside.c Eq. 7   dE = e^T M_s e /
 * (2 h^2), e = s(p) - its linearisation   linear_enough, step_once
 *
 * Errata: Eq. 4's base point has the scripted parameters of the next step (HAHN-E16); Eq. 7 has
 * 1/(2h^2), not 1/(2h) (E2); the prediction is p_n + (h / h_old) (p_n - p_{n-1}), without 1/h (E3).
 */
#include "supple/train/rigspace.h"

#include <math.h>
#include <string.h>

#include "supple/rig/rig.h"
#include "train/rigspace/rigspace_parts.h"

/* ---- Set-up --------------------------------------------------------------------------------- */

SupRigspaceDef sup_rigspace_def(const SupRig *rig, const SupDrivenVolume *volume) {
  return (SupRigspaceDef){.rig = rig,
                          .volume = volume,
                          .scale = 1,
                          .inside = SUP_RIGSPACE_STATIC,
                          .theta = 3e-4,
                          .tolerance = 1e-6,
                          .iteration_max = 30,
                          .seed = 1};
}

static SupResult check(SupArena *arena, const SupRigspaceDef *def, SupError *error) {
  const SupDrivenVolume *volume = def->volume;
  const uint32_t inside = volume->mesh.node_count - volume->surface_count;
  SupResult result = sup_rig_check(arena, def->rig, error);
  if (result != SUP_OK) return result;
  if (def->rig->vertex_count != volume->skin_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the rig answers with %u vertices, and the volume is driven by %u",
                    def->rig->vertex_count, volume->skin_count);
  }
  if (sup_rig_parameters(def->rig, SUP_RIG_FREE, NULL) == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the rig has no free parameter; nothing would be simulated");
  }
  for (uint32_t k = 0; k < def->material_count; k++) {
    result = sup_material_check(&def->materials[k], error);
    if (result != SUP_OK) return result;
  }
  if (def->inside == SUP_RIGSPACE_SKINNED &&
      (!def->weights || def->weights->inside_count != inside)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the weights are for %u nodes inside, and the volume has %u",
                    def->weights ? def->weights->inside_count : 0, inside);
  }
  return SUP_OK;
}

static SupResult create_bodies(SupArena *arena, SupRigspace *rs, SupError *error) {
  const SupDrivenVolume *volume = rs->def.volume;
  const double scale = rs->def.scale > 0 ? rs->def.scale : 1;
  SupVec3d *nodes = SUP_ALLOC(arena, SupVec3d, rs->node_count);
  uint8_t *held = SUP_ALLOC(arena, uint8_t, rs->node_count);
  if (!nodes || !held) return sup_fail_memory(error, "rigspace");
  for (uint32_t k = 0; k < rs->node_count; k++) {
    nodes[k] = sup_vec3d_scale(volume->mesh.nodes[k], scale);
    held[k] = k < rs->surface_count;
  }
  SupVec3d low = nodes[0], high = nodes[0];
  for (uint32_t k = 1; k < rs->node_count; k++) {
    low = (SupVec3d){fmin(low.x, nodes[k].x), fmin(low.y, nodes[k].y), fmin(low.z, nodes[k].z)};
    high = (SupVec3d){fmax(high.x, nodes[k].x), fmax(high.y, nodes[k].y), fmax(high.z, nodes[k].z)};
  }
  rs->size = sup_vec3d_distance(low, high);
  SupElasticDef def = {.mesh = volume->mesh,
                       .materials = rs->def.materials,
                       .material_count = rs->def.material_count,
                       .material_of = rs->def.material_of,
                       .stiffness = rs->def.stiffness,
                       .fractions = volume->fractions,
                       .jobs = rs->def.jobs};
  def.mesh.nodes = nodes;
  SupResult result = sup_elastic_create(arena, &def, &rs->body, error);
  def.prescribed = held;
  if (result == SUP_OK) result = sup_elastic_create(arena, &def, &rs->flesh, error);
  if (result != SUP_OK) return result;
  rs->own_blocks = rs->flesh.blocks;
  for (uint32_t k = 0; k < rs->node_count; k++) rs->dragged |= rs->body.drags[k] > 0;
  if (rs->inside_count > 0) result = sup_cholesky_create(&rs->flesh.matrix, &rs->factor, error);
  return result;
}

static bool allocate(SupArena *arena, SupRigspace *rs) {
  const size_t n = rs->n, nodes = rs->node_count, all = rs->def.rig->parameter_count;
  const size_t s = 3 * (size_t)rs->surface_count, q = 3 * (size_t)rs->inside_count;
  double **const numbers[] = {&rs->p,       &rs->p_old,   &rs->base,          &rs->vector,
                              &rs->typical, &rs->slope,   &rs->step,          &rs->y,
                              &rs->y_trial, &rs->scales,  &rs->full_slope,    &rs->sides,
                              &rs->held,    &rs->held_at, &rs->held_stiffness};
  bool good = true;
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    *numbers[k] = SUP_ALLOC(arena, double, k < 4 ? all : n);
    good &= *numbers[k] != NULL;
  }
  SupVec3d **const vectors[] = {&rs->at,   &rs->x,     &rs->trial,          &rs->from,
                                &rs->move, &rs->ahead, &rs->flesh_gradient, &rs->carrier};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
    *vectors[k] = SUP_ALLOC(arena, SupVec3d, nodes);
    good &= *vectors[k] != NULL;
  }
  rs->free = SUP_ALLOC(arena, uint32_t, all);
  rs->open = SUP_ALLOC(arena, uint32_t, n);
  rs->surface = SUP_ALLOC(arena, double, n *s);
  rs->inside = SUP_ALLOC(arena, double, n *q);
  rs->solved = SUP_ALLOC(arena, double, n *q);
  rs->right = SUP_ALLOC(arena, double, q);
  rs->skin = SUP_ALLOC(arena, SupVec3d, rs->def.volume->skin_count);
  rs->skin_columns = SUP_ALLOC(arena, SupVec3d, n * rs->def.volume->skin_count);
  rs->product = SUP_ALLOC(arena, double, n *(s + q));
  rs->column_scratch = SUP_ALLOC(arena, double, n *(s + q));
  rs->hessian = SUP_ALLOC(arena, double, n *n);
  rs->small = SUP_ALLOC(arena, double, n *n);
  return good && rs->free && rs->open && rs->surface && rs->inside && rs->solved && rs->right &&
         rs->skin && rs->skin_columns && rs->product && rs->column_scratch && rs->hessian &&
         rs->small;
}

SupResult sup_rigspace_create(SupArena *arena, const SupRigspaceDef *def, SupRigspace **out,
                              SupError *error) {
  SupResult result = check(arena, def, error);
  if (result != SUP_OK) return result;
  SupRigspace *rs = SUP_ALLOC(arena, SupRigspace, 1);
  if (!rs) return sup_fail_memory(error, "rigspace");
  rs->def = *def;
  rs->arena = arena;
  rs->n = sup_rig_parameters(def->rig, SUP_RIG_FREE, NULL);
  rs->node_count = def->volume->mesh.node_count;
  rs->surface_count = def->volume->surface_count;
  rs->inside_count = rs->node_count - rs->surface_count;
  result = create_bodies(arena, rs, error);
  if (result == SUP_OK &&
      (!allocate(arena, rs) || !sup_history_create(arena, rs->node_count, &rs->history) ||
       !sup_potential_create(arena, &rs->body, &rs->potential))) {
    result = sup_fail_memory(error, "rigspace");
  }
  if (result == SUP_OK) result = sup_rigspace_contact_create(arena, rs, error);
  if (result == SUP_OK) result = sup_rigspace_moving_create(arena, rs, error);
  if (result != SUP_OK) {
    sup_cholesky_free(rs->factor);
    return result;
  }
  sup_rig_parameters(def->rig, SUP_RIG_FREE, rs->free);
  for (uint32_t k = 0; k < rs->n; k++) rs->scales[k] = def->rig->parameters[rs->free[k]].scale;
  sup_rig_rest(def->rig, rs->p);
  *out = rs;
  return SUP_OK;
}

void sup_rigspace_free(SupRigspace *rigspace) {
  if (rigspace) sup_cholesky_free(rigspace->factor);
}

void sup_rigspace_hold(SupRigspace *rs, const double *rates, const double *values) {
  memset(rs->held, 0, rs->n * sizeof *rs->held);
  if (!rates) return;
  memcpy(rs->held, rates, rs->n * sizeof *rs->held);
  memcpy(rs->held_at, values, rs->n * sizeof *rs->held_at);
}

/* ---- Base points ---------------------------------------------------------------------------- */

void sup_rigspace_set_base(SupRigspace *rs, const double *next, const double *from) {
  for (uint32_t k = 0; k < rs->def.rig->parameter_count; k++) {
    rs->base[k] = rs->def.rig->parameters[k].role == SUP_RIG_FREE ? from[k] : next[k];
  }
  for (uint32_t k = 0; k < rs->n; k++) {
    if (isinf(rs->held[k])) rs->base[rs->free[k]] = rs->held_at[k];
  }
}

SupResult sup_rigspace_new_jacobian(SupRigspace *rs, SupError *error) {
  SupResult result = sup_rigspace_jacobian(rs, rs->base, error);
  if (result == SUP_OK && rs->def.inside == SUP_RIGSPACE_SKINNED) sup_rigspace_skin_columns(rs);
  return result;
}

SupResult sup_rigspace_follow(SupRigspace *rs, SupVec3d *io_x, bool *out_good, SupError *error) {
  *out_good = true;
  if (rs->def.inside == SUP_RIGSPACE_SKINNED) {
    sup_rigspace_skin_inside(rs, io_x);
    return SUP_OK;
  }
  return sup_rigspace_balance(rs, io_x, out_good, error);
}

/* ---- Deferred Jacobian ---------------------------------------------------------------------- */

/* Whether the old Jacobian foretells the rig at y around the base. `floor_` is an energy below
 * which nothing matters. */
static SupResult linear_enough(SupRigspace *rs, const double *y, double h, double floor_,
                               bool *out_enough, SupError *error) {
  memset(rs->move, 0, rs->node_count * sizeof *rs->move);
  sup_rigspace_add_linear(rs, y, rs->move);
  const double motion = sup_rigspace_square(rs, rs->move) / (2 * h * h);
  sup_rigspace_move(rs, rs->base, y);
  SupResult result = sup_rigspace_surface(rs, rs->vector, rs->trial, error);
  if (result != SUP_OK) return result;
  for (uint32_t i = 0; i < rs->surface_count; i++) {
    rs->trial[i] = sup_vec3d_sub(sup_vec3d_sub(rs->trial[i], rs->at[i]), rs->move[i]);
  }
  const double wrong = sup_rigspace_square(rs, rs->trial) / (2 * h * h);
  *out_enough = wrong <= rs->def.theta * fmax(motion, floor_);
  return SUP_OK;
}

/* Energies below this are no motion: a millionth of the mass at one diagonal per second. */
static double energy_floor(const SupRigspace *rs) {
  double mass = 0;
  for (uint32_t k = 0; k < rs->node_count; k++) mass += rs->body.masses[k];
  return 1e-6 * mass * rs->size * rs->size;
}

/* Looks ahead: where the parameters are going, and at a probe around the base, without which
 * scripted motion could turn the rig unnoticed while the free parameters rest. */
static SupResult look_ahead(SupRigspace *rs, double h, bool *out_enough, SupError *error) {
  SupRng rng = sup_rng(rs->def.seed, rs->steps);
  double *y = rs->y_trial;
  for (uint32_t k = 0; k < rs->n; k++) {
    const uint32_t p = rs->free[k];
    y[k] = (h / rs->history.h_old) * (rs->p[p] - rs->p_old[p]) / rs->scales[k];
    if (isinf(rs->held[k])) y[k] = 0; /* the base has it already */
  }
  SupResult result = linear_enough(rs, y, h, energy_floor(rs), out_enough, error);
  if (result != SUP_OK || !*out_enough) return result;
  for (uint32_t k = 0; k < rs->n; k++) {
    const double size = fmax(sqrt(rs->typical[k]), 0.01);
    y[k] = sup_rng_u32(&rng) & 1 ? size : -size;
  }
  return linear_enough(rs, y, h, 0, out_enough, error);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Drag is of motion relative to what the nodes would do if the free parameters stayed. */
static SupResult set_carrier(SupRigspace *rs, double h, bool *out_good, SupError *error) {
  *out_good = true;
  if (!rs->dragged) return SUP_OK;
  memcpy(rs->x, rs->history.x, rs->node_count * sizeof *rs->x);
  memcpy(rs->x, rs->at, rs->surface_count * sizeof *rs->x);
  SupResult result = sup_rigspace_follow(rs, rs->x, out_good, error);
  for (uint32_t i = 0; i < rs->node_count; i++) {
    rs->carrier[i] = sup_vec3d_scale(sup_vec3d_sub(rs->x[i], rs->history.x[i]), 1 / h);
  }
  rs->loads.carrier = rs->carrier;
  return result;
}

/* Are free parameters pulled in this step? The pull is in the matrix, and the next step has
 * another. */
static bool is_pulled(const SupRigspace *rs) {
  for (uint32_t k = 0; k < rs->n; k++) {
    if (rs->held[k] > 0 && !isinf(rs->held[k])) return true;
  }
  return false;
}

/* Solves the step with the Jacobian there is; rs->x are then the nodes by the rig itself, and the
 * report has the error of its linearisation. */
static SupResult step_once(SupRigspace *rs, const SupDifference *step, SupError *error) {
  const double h = step->h;
  bool good;
  rs->held_known = false;
  rs->step_seconds = h;
  memset(rs->held_stiffness, 0, rs->n * sizeof *rs->held_stiffness);
  memcpy(rs->x, rs->history.x, rs->node_count * sizeof *rs->x);
  const bool pulled = is_pulled(rs);
  rs->kept &= h == rs->history.h_old && !pulled;
  sup_rigspace_look_at_moving(rs);
  sup_potential_begin(&rs->potential, &rs->history, step);
  SupResult result = rs->def.inside == SUP_RIGSPACE_REFERENCE
                         ? sup_rigspace_minimise_reference(rs, error)
                         : sup_rigspace_minimise(rs, error);
  rs->kept &= !pulled;
  sup_rigspace_look_at_all(rs);
  if (result != SUP_OK || !rs->report.converged) return result;
  if (rs->def.inside == SUP_RIGSPACE_REFERENCE) {
    sup_rigspace_move(rs, rs->base, rs->y);
    return SUP_OK;
  }
  memcpy(rs->from, rs->x, rs->surface_count * sizeof *rs->x);
  sup_rigspace_move(rs, rs->base, rs->y);
  result = sup_rigspace_surface(rs, rs->vector, rs->x, error);
  if (result != SUP_OK) return result;
  for (uint32_t i = 0; i < rs->surface_count; i++) {
    rs->trial[i] = sup_vec3d_sub(rs->x[i], rs->from[i]);
  }
  rs->report.linearity_error = sup_rigspace_square(rs, rs->trial) / (2 * h * h);
  result = sup_rigspace_follow(rs, rs->x, &good, error);
  rs->report.converged = good;
  return result;
}

/* Is the step to be done again with a new Jacobian? */
static bool is_rolled_back(SupRigspace *rs, double h) {
  memset(rs->move, 0, rs->node_count * sizeof *rs->move);
  sup_rigspace_add_linear(rs, rs->y, rs->move);
  const double motion = sup_rigspace_square(rs, rs->move) / (2 * h * h);
  return rs->report.linearity_error > rs->def.theta * fmax(motion, energy_floor(rs));
}

static void finish(SupRigspace *rs, const SupDifference *step) {
  const uint32_t all = rs->def.rig->parameter_count;
  sup_history_advance(&rs->history, step, rs->x);
  for (uint32_t k = 0; k < rs->n; k++) {
    rs->typical[k] = 0.9 * rs->typical[k] + 0.1 * rs->y[k] * rs->y[k];
  }
  sup_rigspace_move(rs, rs->base, rs->y);
  memcpy(rs->p_old, rs->p, all * sizeof *rs->p);
  memcpy(rs->p, rs->vector, all * sizeof *rs->p);
  rs->steps++;
  for (uint32_t i = 0; i < rs->node_count; i++) {
    const SupVec3d v = rs->history.v[i];
    rs->report.kinetic += 0.5 * rs->body.masses[i] * sup_vec3d_dot(v, v);
  }
  rs->report.determinant_least = sup_elastic_worst(&rs->body, rs->x, NULL, NULL);
}

SupResult sup_rigspace_step(SupRigspace *rs, const double *next, double h, SupVec3d gravity,
                            SupRigspaceReport *out_report, SupError *error) {
  const SupDifference step = sup_difference_euler(h);
  const bool reference = rs->def.inside == SUP_RIGSPACE_REFERENCE;
  bool fresh = false, enough = true;
  rs->report = (SupRigspaceReport){0};
  rs->loads = sup_rigspace_loads(rs, gravity);
  sup_rigspace_set_base(rs, next, rs->p);
  SupResult result = sup_rigspace_surface(rs, rs->base, rs->at, error);
  if (result != SUP_OK) return result;
  const bool keep = rs->def.deferred && rs->known && rs->def.theta > 0;
  if (!reference && keep && !rs->def.no_prediction) result = look_ahead(rs, h, &enough, error);
  if (result == SUP_OK && !reference && (!keep || !enough)) {
    rs->report.foreseen = keep;
    fresh = true;
    result = sup_rigspace_new_jacobian(rs, error);
  }
  if (result != SUP_OK) return result;
  bool carried;
  result = set_carrier(rs, h, &carried, error);
  if (result == SUP_OK && carried) result = step_once(rs, &step, error);
  if (result == SUP_OK && carried && !reference && !fresh &&
      (!rs->report.converged || is_rolled_back(rs, h))) {
    rs->report.roll_backs++;
    result = sup_rigspace_new_jacobian(rs, error);
    if (result == SUP_OK) result = step_once(rs, &step, error);
  }
  if (result == SUP_OK && rs->report.converged) finish(rs, &step);
  if (out_report) *out_report = rs->report;
  return result;
}

double sup_rigspace_elastic_energy(SupRigspace *rs) {
  return sup_elastic_energy(&rs->body, rs->history.x, NULL, NULL);
}

double sup_rigspace_skinned_energy(SupRigspace *rs, const SupRigspaceWeights *weights) {
  const SupRigspaceWeights *kept = rs->def.weights;
  memcpy(rs->trial, rs->history.x, rs->node_count * sizeof *rs->trial);
  rs->def.weights = weights;
  sup_rigspace_skin_inside(rs, rs->trial);
  rs->def.weights = kept;
  return sup_elastic_energy(&rs->body, rs->trial, NULL, NULL);
}

const double *sup_rigspace_parameters(const SupRigspace *rigspace) { return rigspace->p; }

const SupVec3d *sup_rigspace_nodes(const SupRigspace *rigspace) { return rigspace->history.x; }

SupResult sup_rigspace_carry(SupRigspace *rs, const double *next, double h, SupError *error) {
  const SupDifference step = sup_difference_euler(h);
  bool good;
  rs->report = (SupRigspaceReport){0};
  sup_rigspace_set_base(rs, next, rs->p);
  memcpy(rs->x, rs->history.x, rs->node_count * sizeof *rs->x);
  SupResult result = sup_rigspace_surface(rs, rs->base, rs->x, error);
  if (result == SUP_OK) result = sup_rigspace_follow(rs, rs->x, &good, error);
  if (result != SUP_OK) return result;
  if (!good) sup_rigspace_guess_inside(rs, rs->x);
  memset(rs->y, 0, rs->n * sizeof *rs->y);
  finish(rs, &step);
  return SUP_OK;
}
