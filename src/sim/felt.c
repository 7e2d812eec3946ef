/* SPDX-License-Identifier: MIT */
#include "sim/felt.h"

#include <math.h>

SupResult sup_felt_create(SupArena *arena, double most, uint32_t node_count, const double *masses,
                          SupFelt *out_felt, SupError *error) {
  SupFelt felt = {.most = most, .node_count = node_count, .masses = masses};
  felt.earlier = SUP_ALLOC(arena, SupVec3d, node_count);
  felt.later = SUP_ALLOC(arena, SupVec3d, node_count);
  felt.velocities = SUP_ALLOC(arena, SupVec3d, node_count);
  felt.velocities_old = SUP_ALLOC(arena, SupVec3d, node_count);
  felt.force = SUP_ALLOC(arena, SupVec3d, node_count);
  if (!felt.earlier || !felt.later || !felt.velocities || !felt.velocities_old || !felt.force) {
    return sup_fail_memory(error, "simulating");
  }
  *out_felt = felt;
  return SUP_OK;
}

void sup_felt_begin(SupFelt *felt, const SupVec3d *velocities) {
  for (uint32_t n = 0; n < felt->node_count; n++) {
    felt->velocities[n] = felt->velocities_old[n] = velocities[n];
  }
}

void sup_felt_put(SupFelt *felt, uint32_t node) {
  felt->velocities[node] = felt->velocities_old[node] = (SupVec3d){0, 0, 0};
}

/* The share of an acceleration that is felt: nearly all of it below the most, the most beyond. */
static double share(double acceleration, double most) {
  const double ratio = acceleration / most, square = ratio * ratio;
  return 1 / sqrt(sqrt(1 + square * square));
}

const SupVec3d *sup_felt_force(SupFelt *felt, SupDifference step, const SupVec3d *places,
                               const SupVec3d *velocities, const SupVec3d *force) {
  for (uint32_t n = 0; n < felt->node_count; n++) {
    SupVec3d bend = sup_vec3d_add(felt->earlier[n], felt->later[n]);
    bend = sup_vec3d_add_scaled(bend, places[n], -2);
    const double around = sup_vec3d_length(bend) / (SUP_FELT_WINDOW * SUP_FELT_WINDOW);
    const double carried = felt->masses[n] * (1 - share(around, felt->most)) / step.h;
    /* By the difference that the step itself uses: what is carried wholly does not lag. */
    SupVec3d sum = sup_vec3d_scale(velocities[n], step.c[0]);
    sum = sup_vec3d_add_scaled(sum, felt->velocities[n], step.c[1]);
    sum = sup_vec3d_add_scaled(sum, felt->velocities_old[n], step.c[2]);
    felt->force[n] = sup_vec3d_add_scaled(force ? force[n] : (SupVec3d){0, 0, 0}, sum, carried);
  }
  return felt->force;
}

void sup_felt_follow(SupFelt *felt, const SupVec3d *velocities) {
  SupVec3d *swap = felt->velocities_old;
  felt->velocities_old = felt->velocities;
  felt->velocities = swap;
  for (uint32_t n = 0; n < felt->node_count; n++) felt->velocities[n] = velocities[n];
}
