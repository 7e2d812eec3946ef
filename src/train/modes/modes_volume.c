/* SPDX-License-Identifier: MIT */
/*
 * The generalised eigenproblem K phi = omega^2 M phi of the filled character, lumped masses, nodes
 * tied to the bones: its lowest solutions are the modes (James and Pai 2002, section 2).
 */
#include "train/modes/modes_volume.h"

#include "fem/rest_volume.h"
#include "numerics/eigen.h"

static SupResult fill_and_attach(SupArena *arena, const SupModesTrainDef *def, ModesVolume *volume,
                                 SupModesTrainReport *report, SupError *error) {
  SupResult result = SUP_OK;
  if (def->volume) {
    volume->fill = *def->volume;
  } else {
    SupFillDef fill = def->fill;
    fill.jobs = def->jobs;
    fill.skin = &def->character->skin;
    fill.lock = def->attach.lock;
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

/* What the flesh is made of: everything of an elastic body but who holds it. */
static SupResult describe(SupArena *arena, const SupModesTrainDef *def, ModesVolume *volume,
                          SupElasticDef *out_elastic, SupError *error) {
  const SupTetMesh *mesh = &volume->fill.mesh;
  double *factors;
  uint32_t *bones = NULL;
  SupVec3d *rest = SUP_ALLOC(arena, SupVec3d, mesh->node_count);
  if (!rest) return sup_fail_memory(error, "modes");
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    rest[n] = sup_vec3d_scale(mesh->nodes[n], volume->scale);
  }
  SupResult result = sup_rest_stiffness(arena, def->character, &volume->fill, def->vertex_stiffness,
                                        def->bone_stiffness, &factors, error);
  if (!result && def->bone_materials) {
    result = sup_rest_bones(arena, &volume->fill, &volume->attachment, &bones, error);
  }
  if (result) return result;
  *out_elastic = (SupElasticDef){.mesh = *mesh,
                                 .materials = bones ? def->bone_materials : &def->material,
                                 .material_count = bones ? def->character->skeleton.bone_count : 1,
                                 .material_of = bones,
                                 .stiffness = factors,
                                 .fractions = volume->fill.fractions,
                                 .jobs = def->jobs};
  out_elastic->mesh.nodes = rest;
  return SUP_OK;
}

/* phi^T C phi of a mode over the free nodes, C the damping of the elements as linearised. */
static double damping_of(const SupElastic *body, const double *shape) {
  double sum = 0;
  for (uint32_t a = 0; a < body->active_count; a++) {
    const uint32_t t = body->active[a];
    const double *block = body->blocks + 144 * (size_t)t;
    double x[12] = {0}, square = 0;
    for (int c = 0; c < 4; c++) {
      const int32_t i = body->free_index[body->mesh.tets[4 * (size_t)t + (size_t)c]];
      for (int e = 0; e < 3 && i >= 0; e++) x[3 * c + e] = shape[3 * (size_t)i + (size_t)e];
    }
    for (int r = 0; r < 12; r++) {
      for (int c = 0; c < 12; c++) square += x[r] * block[12 * r + c] * x[c];
    }
    sum += body->damping[t] * square;
  }
  return sum;
}

static double drag_of(const SupElastic *body, const double *shape) {
  double sum = 0;
  for (uint32_t i = 0; i < body->free_count; i++) {
    const double *p = shape + 3 * (size_t)i;
    sum += body->drags[body->free_nodes[i]] * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  }
  return sum;
}

/* Linearises the body and its ties at rest. */
static SupResult assemble(SupArena *arena, SupElastic *body, const SupAttachment *attachment,
                          double scale, SupError *error) {
  SupTies ties;
  double *blocks = SUP_ALLOC(arena, double, 144 * (size_t)body->mesh.tet_count);
  SupVec3d *gradient = SUP_ALLOC(arena, SupVec3d, body->mesh.node_count);
  if (!blocks || !gradient) return sup_fail_memory(error, "modes");
  SupResult result = sup_ties_create(arena, attachment, body, scale, &ties, error);
  if (result) return result;
  sup_ties_add(&ties, &body->mesh, body->mesh.nodes, gradient, blocks);
  sup_elastic_linearise(body, body->mesh.nodes, NULL, SUP_HESSIAN_PROJECTED, NULL);
  sup_elastic_assemble(body, NULL, blocks);
  return SUP_OK;
}

SupResult sup_modes_solve(SupArena *arena, SupElastic *body, const SupAttachment *attachment,
                          double scale, uint32_t count, ModesSolution *out, SupError *error) {
  const uint32_t size = 3 * body->free_count;
  double *masses = SUP_ALLOC(arena, double, size);
  ModesSolution solution = {.count = count};
  solution.stiffness = SUP_ALLOC(arena, double, count);
  solution.damping = SUP_ALLOC(arena, double, count);
  solution.drag = SUP_ALLOC(arena, double, count);
  solution.shapes = SUP_ALLOC(arena, double, (size_t)count *size);
  if (!masses || !solution.stiffness || !solution.damping || !solution.drag || !solution.shapes) {
    return sup_fail_memory(error, "modes");
  }
  for (uint32_t k = 0; k < size; k++) masses[k] = body->masses[body->free_nodes[k / 3]];
  SupResult result = assemble(arena, body, attachment, scale, error);
  if (result) return result;
  result = sup_eigen_lowest(arena, &body->matrix, masses, count, solution.stiffness,
                            solution.shapes, error);
  if (result) return result;
  for (uint32_t k = 0; k < count; k++) {
    const double *shape = solution.shapes + (size_t)k * size;
    solution.damping[k] = damping_of(body, shape);
    solution.drag[k] = drag_of(body, shape);
  }
  *out = solution;
  return SUP_OK;
}

/* Another lowest frequency is another Young's modulus. */
static void tune(const SupModesTrainDef *def, const ModesSolution *s, double *decay) {
  const double wanted = 2 * SUP_PI * def->frequency;
  const double factor = def->frequency > 0 ? wanted * wanted / s->stiffness[0] : 1;
  for (uint32_t k = 0; k < s->count; k++) {
    s->stiffness[k] *= factor;
    decay[k] = (s->damping[k] * factor + s->drag[k]) / 2;
  }
  for (uint32_t k = 0; k < s->count && def->damping_ratio > 0; k++) {
    decay[k] = def->damping_ratio * sup_sqrt(s->stiffness[0]) * s->stiffness[k] / s->stiffness[0];
  }
}

static SupResult find_modes(SupArena *arena, const SupModesTrainDef *def, ModesVolume *volume,
                            SupError *error) {
  SupElasticDef elastic;
  ModesSolution solution;
  SupResult result = describe(arena, def, volume, &elastic, error);
  if (!result && def->bone_zones) {
    result = sup_modes_zones(arena, def, &elastic, volume, &solution, error);
  } else if (!result) {
    uint8_t *held = SUP_COPY(arena, uint8_t, volume->attachment.held, elastic.mesh.node_count);
    if (!held) return sup_fail_memory(error, "modes");
    elastic.prescribed = held;
    elastic.unseen = volume->attachment.unseen;
    result = sup_modes_anchor(arena, &elastic.mesh, &volume->attachment, held, error);
    if (!result) result = sup_elastic_create(arena, &elastic, &volume->body, error);
    const uint32_t most = 3 * volume->body.free_count;
    const uint32_t count =
        def->fewer && def->mode_count >= most && most > 1 ? most - 1 : def->mode_count;
    if (!result && (count == 0 || count >= most)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "%u modes cannot be found: the flesh has %u free nodes", def->mode_count,
                      volume->body.free_count);
    }
    if (!result)
      result = sup_modes_solve(arena, &volume->body, &volume->attachment, volume->scale, count,
                               &solution, error);
  }
  if (result) return result;
  volume->mode_count = solution.count;
  volume->stiffness = solution.stiffness;
  volume->shapes = solution.shapes;
  volume->decay = SUP_ALLOC(arena, double, solution.count);
  if (!volume->decay) return sup_fail_memory(error, "modes");
  tune(def, &solution, volume->decay);
  return SUP_OK;
}

/* A body that is larger by the number of units in a metre swings at the same frequency when it is
 * stiffer by the square of that. */
static SupResult use_scene_units(SupArena *arena, SupModesTrainDef *io_def, SupError *error) {
  const double square = io_def->unit * io_def->unit;
  if (square == 1) return SUP_OK;
  io_def->material.young /= square;
  if (!io_def->bone_materials) return SUP_OK;
  const uint32_t bones = io_def->character->skeleton.bone_count;
  SupMaterialDef *scaled = SUP_COPY(arena, SupMaterialDef, io_def->bone_materials, bones);
  if (!scaled) return sup_fail_memory(error, "modes");
  for (uint32_t b = 0; b < bones; b++) scaled[b].young /= square;
  io_def->bone_materials = scaled;
  return SUP_OK;
}

SupResult sup_modes_volume(SupArena *arena, const SupModesTrainDef *def, ModesVolume *out_volume,
                           SupModesTrainReport *report, SupError *error) {
  ModesVolume volume = {.character = def->character};
  SupModesTrainDef own = *def;
  SupResult result = sup_rest_scale(arena, def->character, &volume.scale, NULL, error);
  /* Lengths come in metres and are used in body units. */
  const double metres = def->unit * (volume.scale > 0 ? volume.scale : 1);
  own.fill.edge /= metres;
  own.attach.radius /= metres;
  if (!result) result = use_scene_units(arena, &own, error);
  if (!result) result = fill_and_attach(arena, &own, &volume, report, error);
  if (!result) result = find_modes(arena, &own, &volume, error);
  if (!result) *out_volume = volume;
  return result;
}

/* Where the flesh below a vertex goes, whether the vertex shows it or not. */
static SupVec3d below_vertex(const ModesVolume *volume, uint32_t k, uint32_t v) {
  const SupSmooth *smooth = &volume->smooth;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t s = smooth->offsets[v]; s < smooth->offsets[v + 1]; s++) {
    const int32_t i = volume->body.free_index[smooth->nodes[s]];
    if (i < 0) continue;
    sum = sup_vec3d_add_scaled(sum, modes_at_node(volume, k, (uint32_t)i), smooth->weights[s]);
  }
  return sum;
}

SupVec3d sup_modes_at_vertex(const ModesVolume *volume, uint32_t k, uint32_t v) {
  return sup_vec3d_scale(below_vertex(volume, k, v), 1 - (double)volume->attachment.thin[v]);
}

double sup_modes_seen(const ModesVolume *volume, uint32_t k) {
  double seen = 0, all = 0;
  for (uint32_t v = 0; v < volume->character->body.vertex_count; v++) {
    const SupVec3d moved = below_vertex(volume, k, v);
    const double square = sup_vec3d_dot(moved, moved);
    seen += square * (1 - (double)volume->attachment.thin[v]);
    all += square;
  }
  return all > 0 ? seen / all : 0;
}
