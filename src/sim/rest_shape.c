/* SPDX-License-Identifier: MIT */
/* The shape that gravity bends into the given one. */
#include <math.h>

#include "sim/sim_body.h"
#include "supple/quantity.h"

/* The equilibrium of the bind pose under gravity, which grows in steps: at once it may be too much
 * for Newton. */
static SupResult hang(SupSim *sim, SupVec3d gravity, SupError *error) {
  SupStepDef def = sup_sim_static_def(sim);
  SupStepReport report;
  const int steps = 4;
  sup_stepper_place(sim->stepper, sim->target, NULL);
  for (int k = 1; k <= steps; k++) {
    def.loads.gravity = sup_vec3d_scale(gravity, (double)k / steps);
    SupResult result = sup_stepper_step(sim->stepper, &def, &report, error);
    if (result != SUP_OK) return result;
    if (!report.converged) {
      return sup_fail(error, SUP_ERROR_NUMERIC,
                      "gravity is too strong for this flesh; make it stiffer or allow it to sag");
    }
  }
  return SUP_OK;
}

/* Where ties pull to takes back what gravity moved their points by. */
static void pull_back(SupSim *sim, const SupVec3d *x) {
  for (uint32_t k = 0; k < sim->ties.count; k++) {
    const SupTie *tie = &sim->ties.ties[k];
    SupVec3d gap = sup_vec3d_scale(tie->point, -sim->scale);
    for (size_t a = 0; a < 4; a++) {
      const uint32_t node = sim->fill.mesh.tets[4 * (size_t)tie->tet + a];
      gap = sup_vec3d_add_scaled(gap, x[node], tie->corners[a]);
    }
    sim->ties.targets[k] = sup_vec3d_sub(sim->ties.targets[k], gap);
    sim->ties.points[k] = sup_vec3d_scale(sim->ties.targets[k], 1 / sim->scale);
  }
}

/* Finds the shape without stress that gravity bends into the given one, by taking away what it
 * bends too much. In the bind pose; gravity turned into it. */
SupResult sup_sim_find_rest(SupSim *sim, const SupMat3d *turn, double *out_sag, double *out_left,
                            SupError *error) {
  uint32_t nodes = sim->fill.mesh.node_count;
  SupVec3d gravity = sup_mat3d_mul_vec3(sup_mat3d_transpose(*turn), sim->def.forces.gravity);
  for (uint32_t n = 0; n < nodes; n++) {
    sim->target[n] = sup_vec3d_scale(sim->fill.mesh.nodes[n], sim->scale);
  }
  double worst = 0;
  for (int round = 0; round < 30; round++) {
    SupResult result = hang(sim, gravity, error);
    if (result != SUP_OK) return result;
    const SupVec3d *x = sup_stepper_positions(sim->stepper);
    worst = 0;
    for (uint32_t n = 0; n < nodes; n++) {
      SupVec3d gap = sup_vec3d_sub(x[n], sim->target[n]);
      worst = fmax(worst, sup_vec3d_length(gap));
      sim->scratch[n] = sup_vec3d_sub(sim->rest[n], gap);
    }
    if (round == 0) *out_sag = worst;
    *out_left = worst;
    if (worst <= 2 * sup_sim_step_def(sim).tolerance) return SUP_OK;
    result = sup_elastic_set_rest(&sim->body, sim->scratch, error);
    if (result != SUP_OK) {
      sup_error_prefix(error, "gravity is too strong for this flesh");
      return result;
    }
    for (uint32_t n = 0; n < nodes; n++) sim->rest[n] = sim->scratch[n];
    pull_back(sim, x);
  }
  if (worst <= 0.02 * *out_sag) return SUP_OK;
  return sup_fail(error, SUP_ERROR_NUMERIC,
                  "no unloaded shape was found that sags into the given one (it sags by %s); "
                  "make the flesh stiffer or allow it to sag",
                  sup_length_text(*out_sag).text);
}
