/* SPDX-License-Identifier: MIT */
/*
 * The generalised eigenproblem K phi = omega^2 M phi of the filled character, lumped masses, nodes
 * at the bones held: its lowest solutions are the modes (James and Pai 2002, section 2).
 */
#include "train/modes/modes_volume.h"

#include "fem/rest_flesh.h"
#include "numerics/eigen.h"

static SupResult no_memory(SupError *error) {
  return sup_fail(error, SUP_ERROR_MEMORY, "modes: out of memory");
}

static SupResult fill_and_attach(SupArena *arena, const SupModesTrainDef *def, ModesVolume *volume,
                                 SupModesTrainReport *report, SupError *error) {
  SupResult result = SUP_OK;
  if (def->volume) {
    volume->fill = *def->volume;
  } else {
    SupFillDef fill = def->fill;
    fill.jobs = def->jobs;
    result = sup_fill(arena, &def->character->body, &fill, &volume->fill, &report->fill, error);
  }
  if (!result) {
    result = sup_smooth_create(arena, &def->character->body, &volume->fill, &volume->smooth, error);
  }
  if (!result) {
    result = sup_attach(arena, def->character, &volume->fill, &def->attach, &volume->attachment,
                        &report->attach, error);
  }
  return result;
}

static SupResult make_body(SupArena *arena, const SupModesTrainDef *def, ModesVolume *volume,
                           SupError *error) {
  const SupTetMesh *mesh = &volume->fill.mesh;
  double *factors;
  SupVec3d *rest = SUP_ALLOC(arena, SupVec3d, mesh->node_count);
  if (!rest) return no_memory(error);
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    rest[n] = sup_vec3d_scale(mesh->nodes[n], volume->scale);
  }
  SupResult result = sup_rest_stiffness(arena, def->character, &volume->fill, def->vertex_stiffness,
                                        def->bone_stiffness, &factors, error);
  if (result) return result;
  SupElasticDef elastic = {.mesh = *mesh,
                           .materials = &def->material,
                           .material_count = 1,
                           .stiffness = factors,
                           .fractions = volume->fill.fractions,
                           .prescribed = volume->attachment.held,
                           .jobs = def->jobs};
  elastic.mesh.nodes = rest;
  return sup_elastic_create(arena, &elastic, &volume->body, error);
}

/* Another lowest frequency is another Young's modulus. */
static void tune(const SupModesTrainDef *def, uint32_t count, double *stiffness, double *decay) {
  const double wanted = 2 * SUP_PI * def->frequency;
  const double factor = def->frequency > 0 ? wanted * wanted / stiffness[0] : 1;
  for (uint32_t k = 0; k < count; k++) {
    stiffness[k] *= factor;
    decay[k] = (def->material.damping * stiffness[k] + def->material.drag) / 2;
    if (def->damping_ratio > 0) {
      decay[k] = def->damping_ratio * sup_sqrt(stiffness[0]) * stiffness[k] / stiffness[0];
    }
  }
}

static SupResult find_modes(SupArena *arena, const SupModesTrainDef *def, ModesVolume *volume,
                            SupError *error) {
  SupElastic *body = &volume->body;
  const uint32_t size = 3 * body->free_count, count = def->mode_count;
  if (count == 0 || count >= size) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%u modes cannot be found: the flesh has %u free nodes", count,
                    body->free_count);
  }
  double *masses = SUP_ALLOC(arena, double, size);
  volume->stiffness = SUP_ALLOC(arena, double, count);
  volume->decay = SUP_ALLOC(arena, double, count);
  volume->shapes = SUP_ALLOC(arena, double, (size_t)count *size);
  if (!masses || !volume->stiffness || !volume->decay || !volume->shapes) return no_memory(error);
  for (uint32_t k = 0; k < size; k++) masses[k] = body->masses[body->free_nodes[k / 3]];
  sup_elastic_linearise(body, body->mesh.nodes, false, NULL);
  sup_elastic_assemble(body, NULL, NULL);
  SupResult result = sup_eigen_lowest(arena, &body->matrix, masses, count, volume->stiffness,
                                      volume->shapes, error);
  if (!result) tune(def, count, volume->stiffness, volume->decay);
  volume->mode_count = count;
  return result;
}

SupResult sup_modes_volume(SupArena *arena, const SupModesTrainDef *def, ModesVolume *out_volume,
                           SupModesTrainReport *report, SupError *error) {
  ModesVolume volume = {.character = def->character};
  SupModesTrainDef own = *def;
  SupResult result = sup_rest_scale(arena, def->character, &volume.scale, NULL, error);
  /* Lengths come in metres and are used in body units. */
  own.fill.edge /= volume.scale > 0 ? volume.scale : 1;
  own.attach.radius /= volume.scale > 0 ? volume.scale : 1;
  if (!result) result = fill_and_attach(arena, &own, &volume, report, error);
  if (!result) result = make_body(arena, &own, &volume, error);
  if (!result) result = find_modes(arena, &own, &volume, error);
  if (!result) *out_volume = volume;
  return result;
}

SupVec3d sup_modes_at_vertex(const ModesVolume *volume, uint32_t k, uint32_t v) {
  const SupSmooth *smooth = &volume->smooth;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t s = smooth->offsets[v]; s < smooth->offsets[v + 1]; s++) {
    const int32_t i = volume->body.free_index[smooth->nodes[s]];
    if (i < 0) continue;
    sum = sup_vec3d_add_scaled(sum, modes_at_node(volume, k, (uint32_t)i), smooth->weights[s]);
  }
  return sum;
}
