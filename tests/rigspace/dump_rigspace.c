/* SPDX-License-Identifier: MIT */
/* A step in rig-space and our answers, for check_rigspace.py: lines `NAME COUNT`, then doubles. */
#include "rigspace/boxed_rig.h"

static void put(const char *name, const double *numbers, size_t count) {
  printf("%s %zu\n", name, count);
  fwrite(numbers, sizeof *numbers, count, stdout);
}

/* The present of `rs` and the linearised rig of the step to t. */
static void set_up(SupRigspace *rs, double t) {
  SupError error;
  double next[PARAMETERS];
  script(t, next);
  memcpy(rs->base, rs->p, sizeof next);
  memcpy(rs->base, next, SCRIPTED * sizeof *next);
  const SupDifference step = sup_difference_euler(0.01);
  assert_int_equal(sup_rigspace_surface(rs, rs->base, rs->at, &error), SUP_OK);
  assert_int_equal(sup_rigspace_jacobian(rs, rs->base, &error), SUP_OK);
  sup_potential_begin(&rs->potential, &rs->history, &step);
}

static void minimise(SupRigspace *rs, uint32_t iterations) {
  SupError error;
  rs->def.iteration_max = iterations;
  memcpy(rs->x, rs->history.x, rs->node_count * sizeof *rs->x);
  assert_int_equal(sup_rigspace_minimise_reference(rs, &error), SUP_OK);
}

static void dump(void) {
  static const int block[3] = {3, 4, 3};
  static const double size[3] = {0.4, 1, 0.4};
  const SupVec3d gravity = {0, -9.81, 0};
  Lab *lab = lab_create(block, size, false);
  lab->material = (SupMaterialDef){SUP_MATERIAL_STVK, 8e4, 0.35, 1000, 0, 0, 0};
  const SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_REFERENCE);
  SupRigspace *rs = lab_rigspace(lab, &def);
  static Run run;
  begin(rs, gravity, script);
  take_steps(rs, 0, 6, gravity, script, &run);
  const size_t nodes = 3 * (size_t)rs->node_count, tets = 4 * (size_t)lab->volume.mesh.tet_count;
  double *corners = SUP_ALLOC(&lab->arena, double, tets);
  for (size_t k = 0; k < tets; k++) corners[k] = lab->volume.mesh.tets[k];
  set_up(rs, 0.07);
  put("rest", &lab->volume.mesh.nodes[0].x, nodes);
  put("tets", corners, tets);
  put("material", (const double[]){8e4, 0.35, 1000}, 3);
  put("gravity", &gravity.x, 3);
  put("x", &rs->history.x[0].x, nodes);
  put("v", &rs->history.v[0].x, nodes);
  put("at", &rs->at[0].x, 3 * (size_t)rs->surface_count);
  put("columns", rs->surface, rs->n * 3 * (size_t)rs->surface_count);
  minimise(rs, 1);
  put("first_y", rs->y, rs->n);
  put("first_x", &rs->x[0].x, nodes);
  minimise(rs, 30);
  assert_true(rs->report.converged);
  put("last_y", rs->y, rs->n);
  put("last_x", &rs->x[0].x, nodes);
  sup_rigspace_free(rs);
  lab_free(lab);
}

int main(void) {
  dump();
  return 0;
}
