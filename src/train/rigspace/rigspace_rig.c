/* SPDX-License-Identifier: MIT */
/* The rig as the volume sees it: surface nodes, their derivatives, lengths in the measure of mass.
 */
#include <string.h>

#include "supple/rig/rig.h"
#include "train/rigspace/rigspace_parts.h"

SupResult sup_rigspace_surface(SupRigspace *rs, const double *parameters, SupVec3d *out_nodes,
                               SupError *error) {
  SupResult result = sup_rig_evaluate(rs->def.rig, 1, parameters, rs->skin, error);
  rs->report.rig_calls++;
  if (result == SUP_OK) sup_driven_surface(rs->def.volume, rs->skin, out_nodes);
  return result;
}

SupResult sup_rigspace_jacobian(SupRigspace *rs, const double *parameters, SupError *error) {
  const SupRig *rig = rs->def.rig;
  const size_t vertices = rs->def.volume->skin_count, rows = 3 * (size_t)rs->surface_count;
  SupResult result =
      sup_rig_jacobian(rs->arena, rig, parameters, rs->n, rs->free, rs->skin_columns, error);
  if (result != SUP_OK) return result;
  rs->report.rig_calls += rig->jacobian ? rs->n : 2 * rs->n;
  rs->report.jacobians++;
  rs->known = true;
  for (uint32_t k = 0; k < rs->n; k++) {
    SupVec3d *column = rs->trial; /* [N], s of them used */
    sup_driven_surface(rs->def.volume, &rs->skin_columns[k * vertices], column);
    double *out = &rs->surface[k * rows];
    for (uint32_t i = 0; i < rs->surface_count; i++) {
      out[3 * (size_t)i] = rs->scales[k] * column[i].x;
      out[3 * (size_t)i + 1] = rs->scales[k] * column[i].y;
      out[3 * (size_t)i + 2] = rs->scales[k] * column[i].z;
    }
  }
  sup_rigspace_mark_moved(rs);
  sup_rigspace_find_moving(rs);
  return SUP_OK;
}

void sup_rigspace_add_linear(const SupRigspace *rs, const double *y, SupVec3d *io_nodes) {
  const size_t rows = 3 * (size_t)rs->surface_count;
  for (uint32_t k = 0; k < rs->n; k++) {
    const double *column = &rs->surface[k * rows];
    for (uint32_t i = 0; y[k] != 0 && i < rs->surface_count; i++) {
      const double *c = &column[3 * (size_t)i];
      io_nodes[i] = sup_vec3d_add_scaled(io_nodes[i], (SupVec3d){c[0], c[1], c[2]}, y[k]);
    }
  }
}

double sup_rigspace_square(const SupRigspace *rs, const SupVec3d *nodes) {
  double sum = 0;
  for (uint32_t i = 0; i < rs->surface_count; i++) {
    sum += rs->body.masses[i] * sup_vec3d_dot(nodes[i], nodes[i]);
  }
  return sum;
}

void sup_rigspace_move(SupRigspace *rs, const double *base, const double *y) {
  memcpy(rs->vector, base, rs->def.rig->parameter_count * sizeof *base);
  for (uint32_t k = 0; k < rs->n; k++) rs->vector[rs->free[k]] += rs->scales[k] * y[k];
}
