/* SPDX-License-Identifier: MIT */
/*
 * The full elastic simulation of a chunk's flesh.
 *
 * A wedge is cut into three tetrahedra by diagonals that begin at the node of lowest number of each
 * side (Dompierre et al. 1999), so that wedges that share a side share its diagonal.
 */
#include <math.h>

#include "app/paper_guo_swdc_parts.h"

/* The wedge seen from its node i: an order that begins there and keeps its sense. */
static const uint8_t seen_from[6][6] = {{0, 1, 2, 3, 4, 5}, {1, 2, 0, 4, 5, 3}, {2, 0, 1, 5, 3, 4},
                                        {3, 5, 4, 0, 2, 1}, {4, 3, 5, 1, 0, 2}, {5, 4, 3, 2, 1, 0}};

/* By the diagonal of the side opposite the first node: from node 1 to 5, or from 2 to 4. */
static const uint8_t tets_of[2][12] = {{0, 1, 2, 5, 0, 1, 5, 4, 0, 4, 5, 3},
                                       {0, 1, 2, 4, 0, 4, 2, 5, 0, 4, 5, 3}};

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void divide(const uint32_t wedge[6], uint32_t out[12]) {
  uint32_t first = 0, n[6];
  for (uint32_t k = 1; k < 6; k++) {
    if (wedge[k] < wedge[first]) first = k;
  }
  for (uint32_t k = 0; k < 6; k++) n[k] = wedge[seen_from[first][k]];
  const uint8_t *tets = tets_of[least(n[1], n[5]) > least(n[2], n[4])];
  for (uint32_t k = 0; k < 12; k++) out[k] = n[tets[k]];
}

SupResult sup_swdc_tets(SupArena *arena, const SupWedgeMesh *wedges, SupTetMesh *out_mesh,
                        SupError *error) {
  uint32_t *tets = SUP_ALLOC(arena, uint32_t, 12 * (size_t)wedges->wedge_count);
  if (!tets) return sup_fail_memory(error, NULL);
  for (uint32_t w = 0; w < wedges->wedge_count; w++) {
    divide(wedges->wedges + 6 * (size_t)w, tets + 12 * (size_t)w);
  }
  *out_mesh = (SupTetMesh){wedges->node_count, 3 * wedges->wedge_count, wedges->nodes, tets};
  return SUP_OK;
}

/* ---- Equilibrium ---------------------------------------------------------------------------- */

SupResult sup_swdc_full(SupArena *arena, const SupChunk *chunk, const SupJobs *jobs,
                        SupSwdcFull *out_full, SupError *error) {
  static const SupMaterialDef flesh = {
      .kind = SUP_MATERIAL_NEO_HOOKEAN, .young = 1e5, .poisson = SUP_SWDC_POISSON, .density = 1000};
  *out_full = (SupSwdcFull){.stepper = NULL};
  SupResult result = sup_swdc_tets(arena, &chunk->mesh, &out_full->mesh, error);
  const SupElasticDef def = {.mesh = out_full->mesh,
                             .materials = &flesh,
                             .material_count = 1,
                             .prescribed = chunk->held,
                             .jobs = jobs};
  if (result == SUP_OK) result = sup_elastic_create(arena, &def, &out_full->body, error);
  if (result == SUP_OK) {
    result = sup_stepper_create(arena, &out_full->body, &out_full->stepper, error);
  }
  return result;
}

void sup_swdc_full_free(SupSwdcFull *full) {
  sup_stepper_free(full->stepper);
  full->stepper = NULL;
}

SupResult sup_swdc_full_settle(SupSwdcFull *full, const SupVec3d *places,
                               const SupVec3d **out_places, SupError *error) {
  SupStepReport report;
  const SupStepDef def = {.integrator = SUP_INTEGRATE_STATIC,
                          .prescribed = places,
                          .guess = places,
                          .farthest = 0.5,
                          .tolerance = 1e-6,
                          .iteration_max = 200};
  SupResult result = sup_stepper_step(full->stepper, &def, &report, error);
  if (result != SUP_OK) return result;
  if (!report.converged) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "the full simulation finds no equilibrium");
  }
  *out_places = sup_stepper_positions(full->stepper);
  return SUP_OK;
}

/* ---- Judging -------------------------------------------------------------------------------- */

SupSwdcSize sup_swdc_size(const SupChunk *chunk, double whole, const SupVec3d *places) {
  const SupWedgeSize size = sup_wedge_mesh_size(&chunk->mesh, places);
  return (SupSwdcSize){size.volume / whole, size.least};
}

void sup_swdc_add(const SupChunk *chunk, const SupVec3d *a, const SupVec3d *b, SupSwdcSum *io_sum) {
  for (uint32_t i = 0; i < chunk->kept_count; i++) {
    const double far = sup_vec3d_distance(a[chunk->kept[i]], b[chunk->kept[i]]);
    io_sum->squares += far * far;
    io_sum->most = fmax(io_sum->most, far);
  }
  io_sum->count += chunk->kept_count;
}
