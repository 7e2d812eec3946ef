/* SPDX-License-Identifier: MIT */
/*
 * A character as an elastic body that its skeleton drives: making it, and looking at it.
 *
 * Flesh lives in scene space, in metres. Its rest shape is the bind pose times the scale that the
 * palette has (characters are often bound in centimetres); a rotation between the two does not
 * matter, since all materials are isotropic.
 */
#include <math.h>

#include "fem/rest_volume.h"
#include "sim/sim_body.h"
#include "sim/tissue.h"
#include "supple/geom/bvh.h"
#include "supple/pose.h"

SupSimDef sup_sim_def(const SupCharacter *character, SupAllocator allocator) {
  SupSimDef def = {.character = character,
                   .unit = 1,
                   .fill = {.tet_target = SUP_FILL_USUAL},
                   .integrator = SUP_INTEGRATE_BDF2,
                   .substeps = 2,
                   .allocator = allocator};
  sup_material_preset("fat", &def.material, NULL);
  return def;
}

/* ---- Setting up ----------------------------------------------------------------------------- */

/* Metres per body unit, and how the rest pose turns the body. */
static SupResult measure_rest_pose(SupSim *sim, SupMat3d *out_turn, SupError *error) {
  SupResult result = sup_rest_scale(&sim->arena, sim->def.character, &sim->scale, out_turn, error);
  if (result != SUP_OK) return result;
  sim->scale *= sim->def.unit;
  /* Lengths come in metres and are used in body units. */
  sim->def.fill.edge /= sim->scale;
  sim->def.attach.radius /= sim->scale;
  return sup_bone_scale_create(&sim->arena, sim->def.character, sim->scale, &sim->scales, error);
}

/* Skin of locked nodes, and of parts that are finer than the lattice. */
static SupResult find_plain(SupSim *sim, SupError *error) {
  const SupSmooth *smooth = &sim->smooth;
  sim->plain = SUP_ALLOC(&sim->arena, float, smooth->vertex_count);
  if (!sim->plain) return sup_fail_memory(error, "simulating");
  for (uint32_t v = 0; v < smooth->vertex_count; v++) {
    double fraction = 0;
    for (uint32_t k = smooth->offsets[v]; k < smooth->offsets[v + 1]; k++) {
      if (sim->attachment.held[smooth->nodes[k]] == SUP_HELD_LOCKED) fraction += smooth->weights[k];
    }
    sim->plain[v] = fmaxf((float)fmin(fmax(fraction, 0), 1), sim->attachment.thin[v]);
  }
  return SUP_OK;
}

static SupResult make_volume(SupSim *sim, SupSimReport *report, SupError *error) {
  const SupSimDef *def = &sim->def;
  if (def->volume) {
    sim->fill = *def->volume;
  } else {
    SupFillDef fill = def->fill;
    fill.jobs = def->jobs;
    fill.skin = &def->character->skin;
    fill.lock = def->attach.lock;
    SupResult result =
        sup_fill(&sim->arena, &def->character->body, &fill, &sim->fill, &report->fill, error);
    if (result != SUP_OK) return result;
  }
  SupResult result =
      sup_smooth_create(&sim->arena, &def->character->body, &sim->fill, &sim->smooth, error);
  if (result != SUP_OK) return result;
  result = sup_attach(&sim->arena, def->character, &sim->fill, &def->attach, &sim->attachment,
                      &report->attach, error);
  return result == SUP_OK ? find_plain(sim, error) : result;
}

static SupResult make_body(SupSim *sim, SupError *error) {
  const SupTetMesh *mesh = &sim->fill.mesh;
  SupTissue tissue;
  SupResult result =
      sup_tissue_create(&sim->arena, &sim->def, &sim->fill, &sim->attachment, &tissue, error);
  if (result == SUP_OK) {
    result = sup_muscles_create(&sim->arena, &sim->def.muscles, sim->def.character, &sim->fill,
                                &sim->attachment, &sim->muscles, error);
  }
  if (result != SUP_OK) return result;
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    sim->rest[n] = sup_vec3d_scale(mesh->nodes[n], sim->scale);
  }
  SupElasticDef def = {.mesh = *mesh,
                       .materials = tissue.materials,
                       .material_count = tissue.material_count,
                       .material_of = tissue.material_of,
                       .stiffness = tissue.factors,
                       .fractions = sim->fill.fractions,
                       .prescribed = sim->attachment.held,
                       .unseen = sim->attachment.unseen,
                       .fibres = sim->muscles.directions,
                       .jobs = sim->def.jobs};
  def.mesh.nodes = sim->rest;
  result = sup_elastic_create(&sim->arena, &def, &sim->body, error);
  if (result == SUP_OK) {
    result =
        sup_ties_create(&sim->arena, &sim->attachment, &sim->body, sim->scale, &sim->ties, error);
  }
  if (result == SUP_OK) result = sup_stepper_create(&sim->arena, &sim->body, &sim->stepper, error);
  if (result == SUP_OK) sup_stepper_clock(sim->stepper, sim->def.seconds);
  bool dragged = false;
  for (uint32_t n = 0; result == SUP_OK && n < mesh->node_count; n++) {
    dragged |= sim->body.drags[n] > 0;
  }
  if (result == SUP_OK && sim->def.felt > 0) {
    result = sup_felt_create(&sim->arena, sim->def.felt, mesh->node_count, sim->body.masses,
                             &sim->felt, error);
  }
  if (result != SUP_OK || (!dragged && !(sim->def.felt > 0))) return result;
  sim->carrier = SUP_ALLOC(&sim->arena, SupVec3d, mesh->node_count);
  return sim->carrier ? SUP_OK : sup_fail_memory(error, "simulating");
}

/* How many places along a bone are looked at. */
#define PLACES 17

/* Keeps the part of a bone that has flesh around it: its capsule must not stick out at the tip of a
 * finger. Returns the capsule's radius in body units; 0 where nothing is left. */
static double fit_capsule(const SupSim *sim, const SupBvh *skin, SupSegment *segment) {
  double fraction = sim->def.attach.radius_fraction > 0 ? sim->def.attach.radius_fraction : 0.35;
  double depth[PLACES], radius = sim->def.attach.radius;
  int first = PLACES, last = -1;
  for (int k = 0; k < PLACES; k++) {
    SupVec3 place = sup_vec3_lerp(segment->a, segment->b, (float)k / (PLACES - 1));
    depth[k] = (double)sup_bvh_nearest(skin, place, INFINITY).distance;
  }
  if (!(radius > 0)) radius = fraction * depth[PLACES / 2];
  for (int k = 0; k < PLACES; k++) {
    if (depth[k] < 1.25 * radius) continue;
    if (first == PLACES) first = k;
    last = k;
  }
  if (last < 0) return 0;
  SupVec3 a = segment->a, b = segment->b;
  segment->a = sup_vec3_lerp(a, b, (float)first / (PLACES - 1));
  segment->b = sup_vec3_lerp(a, b, (float)last / (PLACES - 1));
  return radius;
}

/* Capsules around the bones: as thick as what holds the nodes, so that flesh rests on them. */
static SupResult make_capsules(SupSim *sim, SupLoadsDef *def, SupError *error) {
  const SupCharacter *character = sim->def.character;
  const SupSegment *found;
  SupBvh bvh;
  SupResult result =
      sup_segments_create(&sim->arena, character, &found, &def->segment_count, error);
  if (result == SUP_OK) result = sup_bvh_build(&sim->arena, &character->body, &bvh, error);
  if (result != SUP_OK) return result;
  SupSegment *segments = SUP_COPY(&sim->arena, SupSegment, found, def->segment_count);
  double *radii = SUP_ALLOC(&sim->arena, double, def->segment_count);
  if (!radii || !segments) return sup_fail_memory(error, "simulating");
  for (uint32_t s = 0; s < def->segment_count; s++) {
    radii[s] = fit_capsule(sim, &bvh, &segments[s]) * sim->scale;
  }
  def->segments = segments;
  def->radii = radii;
  return SUP_OK;
}

static SupResult make_loads(SupSim *sim, SupError *error) {
  SupLoadsDef def = {.forces = sim->def.forces,
                     .skin = &sim->def.character->body,
                     .fill = &sim->fill,
                     .scale = sim->scale,
                     /* A fiftieth of an element deep, it bears the stress of full compression. */
                     .stiffness = 50 * sim->def.material.young / (sim->fill.spacing * sim->scale)};
  if (sim->def.forces.bone_contact) {
    SupResult result = make_capsules(sim, &def, error);
    if (result != SUP_OK) return result;
  }
  return sup_loads_create(&sim->arena, &def, &sim->loads, error);
}

SupResult sup_sim_create(const SupSimDef *def, SupSim **out_sim, SupSimReport *out_report,
                         SupError *error) {
  SupResult result = SUP_OK;
  if (def->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  if (def->integrator == SUP_INTEGRATE_STATIC && def->forces.push_count > 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "pushes have no effect on an equilibrium, which has no motion; leave them out, "
                    "or use a force track");
  }
  result = sup_material_check(&def->material, error);
  for (uint32_t b = 0; def->bone_materials && b < def->character->skeleton.bone_count; b++) {
    if (result == SUP_OK) result = sup_material_check(&def->bone_materials[b], error);
  }
  if (result != SUP_OK) return result;
  SupSim *sim = def->allocator.allocate(def->allocator.user, sizeof *sim);
  if (!sim) return sup_fail_memory(error, "simulating");
  *sim = (SupSim){.def = *def};
  sup_arena_init(&sim->arena, def->allocator, def->memory_limit);
  SupSimReport report = {0};
  SupMat3d turn = sup_mat3d_identity();
  sim->palette = SUP_ALLOC(&sim->arena, SupAffined, def->character->skeleton.bone_count);
  if (!sim->palette) result = sup_fail_memory(error, "simulating");
  if (result == SUP_OK) result = measure_rest_pose(sim, &turn, error);
  if (result == SUP_OK) result = make_volume(sim, &report, error);
  if (result == SUP_OK) {
    uint32_t nodes = sim->fill.mesh.node_count;
    sim->rest = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->target = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->scratch = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->before = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->held = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->lead = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->lead_old = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    if (!sim->rest || !sim->target || !sim->scratch || !sim->before || !sim->held || !sim->lead ||
        !sim->lead_old) {
      result = sup_fail_memory(error, "simulating");
    }
  }
  if (result == SUP_OK) result = make_body(sim, error);
  if (result == SUP_OK) result = make_loads(sim, error);
  if (result == SUP_OK && def->sag_free) {
    result = sup_sim_find_rest(sim, &turn, &report.sag, &report.sag_left, error);
  }
  if (result != SUP_OK) {
    sup_sim_free(sim);
    return result;
  }
  report.node_count = sim->fill.mesh.node_count;
  report.tet_count = sim->fill.mesh.tet_count;
  report.free_count = sim->body.free_count;
  report.scale = sim->scale;
  for (uint32_t n = 0; n < report.node_count; n++) report.mass += sim->body.masses[n];
  report.mass += sim->body.carried;
  report.factor_nonzeros = sup_stepper_cost(sim->stepper).factor_nonzeros;
  *out_sim = sim;
  *out_report = report;
  return SUP_OK;
}

void sup_sim_free(SupSim *sim) {
  if (!sim) return;
  SupAllocator allocator = sim->def.allocator;
  sup_stepper_free(sim->stepper);
  sup_arena_free(&sim->arena);
  allocator.release(allocator.user, sim, sizeof *sim);
}

/* ---- Looking at it -------------------------------------------------------------------------- */

void sup_sim_contract(SupSim *sim, double amount) {
  for (uint32_t t = 0; sim->muscles.tension && t < sim->fill.mesh.tet_count; t++) {
    sim->body.tension[t] = amount * sim->muscles.tension[t];
  }
}

/* Where the skin weights alone put a vertex. */
static SupVec3d plain_place(const SupSim *sim, uint32_t v) {
  const SupSkin *skin = &sim->def.character->skin;
  const SupVec3d point = sup_vec3_to_double(sim->def.character->body.positions[v]);
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    SupVec3d moved = sup_affined_point(sim->scales.shown[skin->bones[k]], point);
    sum = sup_vec3d_add_scaled(sum, moved, (double)skin->weights[k]);
  }
  return sum;
}

void sup_sim_skin(const SupSim *sim, SupVec3 *out_positions) {
  const SupVec3d *x = sup_stepper_positions(sim->stepper);
  const SupSmooth *smooth = &sim->smooth;
  for (uint32_t v = 0; v < smooth->vertex_count; v++) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = smooth->offsets[v]; k < smooth->offsets[v + 1]; k++) {
      sum = sup_vec3d_add_scaled(sum, x[smooth->nodes[k]], smooth->weights[k]);
    }
    if (sim->scales.any) sum = sup_bone_scale_show(&sim->scales, v, sum);
    if (sim->plain[v] > 0) {
      sum = sup_vec3d_lerp(sum, plain_place(sim, v), (double)sim->plain[v]);
    }
    if (sim->def.unit != 1) sum = sup_vec3d_scale(sum, 1 / sim->def.unit);
    out_positions[v] = sup_vec3d_to_float(sum);
  }
}

const SupVec3d *sup_sim_nodes(const SupSim *sim) { return sup_stepper_positions(sim->stepper); }

const SupFill *sup_sim_volume(const SupSim *sim) { return &sim->fill; }
