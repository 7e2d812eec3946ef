/* SPDX-License-Identifier: MIT */
/*
 * A character as an elastic body that its skeleton drives.
 *
 * Flesh lives in scene space and metres. Its rest shape is the bind pose times the scale that the
 * palette has (characters are often bound in centimetres); a rotation between the two does not
 * matter, since all materials are isotropic.
 */
#include "supple/sim/simulate.h"

#include <math.h>

#include "fem/rest_flesh.h"
#include "fem/smooth.h"
#include "sim/contraction.h"
#include "sim/loads.h"
#include "sim/stepper.h"
#include "sim/tissue.h"
#include "supple/geom/bvh.h"
#include "supple/pose.h"

/* A step that Newton cannot do is halved at most this often. */
#define HALVINGS 6
/* How far a Newton step may still move a node when a step ends, as a share of the lattice. */
#define TOLERANCE 1e-4
/* How far a Newton step may move a node, in lattice spacings. */
#define FARTHEST 4
/* How often an equilibrium is settled again with the wind that its skin then meets. */
#define LOAD_ROUNDS 60

struct SupSim {
  SupArena arena;
  SupSimDef def;
  SupFill fill;
  SupAttachment attachment;
  SupMuscles muscles;
  SupElastic body;
  SupStepper *stepper;
  SupLoads loads;
  SupSmooth smooth;
  double scale;
  SupVec3d *rest;      /* [node_count] metres, the shape without stress */
  SupAffined *palette; /* [bone_count] */
  SupVec3d *target;    /* [node_count] where the skeleton would put each node */
  SupVec3d *scratch;   /* [node_count] */
  SupVec3d *before;    /* [node_count] of settling in wind: where it was */
  SupVec3d *held;      /* [node_count] ... and what acts on it */
};

SupSimDef sup_sim_def(const SupCharacter *character, SupAllocator allocator) {
  SupSimDef def = {.character = character,
                   .fill = {.tet_target = 5000},
                   .integrator = SUP_INTEGRATE_BDF2,
                   .substeps = 2,
                   .allocator = allocator};
  sup_material_preset("fat", &def.material, NULL);
  return def;
}

/* ---- Setting up ----------------------------------------------------------------------------- */

/* Where the skeleton puts the nodes of the volume. */
static void skin_nodes(const SupSim *sim, const SupAffined *palette, SupVec3d *out_nodes) {
  for (uint32_t n = 0; n < sim->fill.mesh.node_count; n++) {
    size_t at = SUP_ATTACH_BONES * (size_t)n;
    SupVec3d sum = {0, 0, 0};
    for (size_t k = at; k < at + SUP_ATTACH_BONES; k++) {
      SupVec3d moved =
          sup_affined_point(palette[sim->attachment.bones[k]], sim->fill.mesh.nodes[n]);
      sum = sup_vec3d_add_scaled(sum, moved, (double)sim->attachment.weights[k]);
    }
    out_nodes[n] = sum;
  }
}

/* Metres per body unit, and how the rest pose turns the body. */
static SupResult measure_rest_pose(SupSim *sim, SupMat3d *out_turn, SupError *error) {
  SupResult result = sup_rest_scale(&sim->arena, sim->def.character, &sim->scale, out_turn, error);
  if (result != SUP_OK) return result;
  /* Lengths come in metres and are used in body units. */
  sim->def.fill.edge /= sim->scale;
  sim->def.attach.radius /= sim->scale;
  return SUP_OK;
}

static SupResult make_volume(SupSim *sim, SupSimReport *report, SupError *error) {
  const SupSimDef *def = &sim->def;
  if (def->volume) {
    sim->fill = *def->volume;
  } else {
    SupFillDef fill = def->fill;
    fill.jobs = def->jobs;
    SupResult result =
        sup_fill(&sim->arena, &def->character->body, &fill, &sim->fill, &report->fill, error);
    if (result != SUP_OK) return result;
  }
  SupResult result =
      sup_smooth_create(&sim->arena, &def->character->body, &sim->fill, &sim->smooth, error);
  if (result != SUP_OK) return result;
  return sup_attach(&sim->arena, def->character, &sim->fill, &def->attach, &sim->attachment,
                    &report->attach, error);
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
                       .fibres = sim->muscles.directions,
                       .jobs = sim->def.jobs};
  def.mesh.nodes = sim->rest;
  result = sup_elastic_create(&sim->arena, &def, &sim->body, error);
  if (result == SUP_OK) result = sup_stepper_create(&sim->arena, &sim->body, &sim->stepper, error);
  if (result == SUP_OK) sup_stepper_clock(sim->stepper, sim->def.seconds);
  return result;
}

/* How many places along a bone are looked at. */
#define PLACES 17

/* Keeps the part of a bone that has flesh around it: its capsule must not stick out at the tip of a
 * finger. Returns the capsule's radius in body units; 0 where nothing is left. */
static double fit_capsule(const SupSim *sim, const SupBvh *skin, SupSegment *segment) {
  double share = sim->def.attach.radius_share > 0 ? sim->def.attach.radius_share : 0.35;
  double depth[PLACES], radius = sim->def.attach.radius;
  int first = PLACES, last = -1;
  for (int k = 0; k < PLACES; k++) {
    SupVec3 place = sup_vec3_lerp(segment->a, segment->b, (float)k / (PLACES - 1));
    depth[k] = (double)sup_bvh_nearest(skin, place, INFINITY).distance;
  }
  if (!(radius > 0)) radius = share * depth[PLACES / 2];
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
  if (!radii || !segments) return sup_fail(error, SUP_ERROR_MEMORY, "simulating: out of memory");
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

static SupStepDef step_def(const SupSim *sim) {
  return (SupStepDef){.prescribed = sim->target,
                      .gravity = sim->def.forces.gravity,
                      .farthest = FARTHEST * sim->fill.spacing * sim->scale,
                      .tolerance = TOLERANCE * sim->fill.spacing * sim->scale,
                      .iteration_max = 30};
}

/* The equilibrium of the bind pose under gravity, which grows in steps: at once it may be too much
 * for Newton. */
static SupResult hang(SupSim *sim, SupVec3d gravity, SupError *error) {
  SupStepDef def = step_def(sim);
  SupStepReport report;
  const int steps = 4;
  def.integrator = SUP_INTEGRATE_STATIC;
  def.tolerance *= 5;
  def.iteration_max = 400;
  sup_stepper_place(sim->stepper, sim->target, NULL);
  for (int k = 1; k <= steps; k++) {
    def.gravity = sup_vec3d_scale(gravity, (double)k / steps);
    SupResult result = sup_stepper_step(sim->stepper, &def, &report, error);
    if (result != SUP_OK) return result;
    if (!report.converged) {
      return sup_fail(error, SUP_ERROR_NUMERIC,
                      "gravity is too strong for this flesh; make it stiffer or allow it to sag");
    }
  }
  return SUP_OK;
}

/* Finds the shape without stress that gravity bends into the given one, by taking away what it
 * bends too much. In the bind pose; gravity turned into it. */
static SupResult find_rest_shape(SupSim *sim, const SupMat3d *turn, double *out_sag,
                                 double *out_left, SupError *error) {
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
    if (worst <= 10 * step_def(sim).tolerance) return SUP_OK;
    result = sup_elastic_set_rest(&sim->body, sim->scratch, error);
    if (result != SUP_OK) {
      sup_error_prefix(error, "gravity is too strong for this flesh to be held up");
      return result;
    }
    for (uint32_t n = 0; n < nodes; n++) sim->rest[n] = sim->scratch[n];
  }
  if (worst <= 0.02 * *out_sag) return SUP_OK;
  return sup_fail(error, SUP_ERROR_NUMERIC,
                  "no shape was found that gravity bends into the given one: it sags by %g m; make "
                  "the flesh stiffer or allow it to sag",
                  *out_sag);
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
                    "a push sets flesh in motion, and an equilibrium has none: leave pushes out, "
                    "or hold the flesh by a force track");
  }
  result = sup_material_check(&def->material, error);
  for (uint32_t b = 0; def->bone_materials && b < def->character->skeleton.bone_count; b++) {
    if (result == SUP_OK) result = sup_material_check(&def->bone_materials[b], error);
  }
  if (result != SUP_OK) return result;
  SupSim *sim = def->allocator.allocate(def->allocator.user, sizeof *sim);
  if (!sim) return sup_fail(error, SUP_ERROR_MEMORY, "simulating: out of memory");
  *sim = (SupSim){.def = *def};
  sup_arena_init(&sim->arena, def->allocator, def->memory_limit);
  SupSimReport report = {0};
  SupMat3d turn = sup_mat3d_identity();
  sim->palette = SUP_ALLOC(&sim->arena, SupAffined, def->character->skeleton.bone_count);
  if (!sim->palette) result = sup_fail(error, SUP_ERROR_MEMORY, "simulating: out of memory");
  if (result == SUP_OK) result = measure_rest_pose(sim, &turn, error);
  if (result == SUP_OK) result = make_volume(sim, &report, error);
  if (result == SUP_OK) {
    uint32_t nodes = sim->fill.mesh.node_count;
    sim->rest = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->target = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->scratch = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->before = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    sim->held = SUP_ALLOC(&sim->arena, SupVec3d, nodes);
    if (!sim->rest || !sim->target || !sim->scratch || !sim->before || !sim->held) {
      result = sup_fail(error, SUP_ERROR_MEMORY, "simulating: out of memory");
    }
  }
  if (result == SUP_OK) result = make_body(sim, error);
  if (result == SUP_OK) result = make_loads(sim, error);
  if (result == SUP_OK && def->sag_free) {
    result = find_rest_shape(sim, &turn, &report.sag, &report.sag_left, error);
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

/* ---- Running -------------------------------------------------------------------------------- */

/* Bones and obstacles at the end of a step. */
static void prepare_step(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                         SupStepDef *io_def) {
  palette(user, time, sim->palette);
  skin_nodes(sim, sim->palette, sim->target);
  if (sup_loads_place_obstacles(&sim->loads, time, sim->palette)) {
    io_def->contact = sup_loads_contact;
    io_def->contact_user = &sim->loads;
  }
}

/* Half of the way from the force that was taken to the one that acts now: it grows without shocks,
 * and a sail that turns in the wind comes to rest. False where nothing acts. */
static bool take_loads(SupSim *sim, double time, const SupVec3d *x) {
  const SupVec3d *force = sup_loads_apply(&sim->loads, time, 0, x, NULL);
  for (uint32_t n = 0; force && n < sim->fill.mesh.node_count; n++) {
    sim->held[n] = sup_vec3d_lerp(sim->held[n], force[n], 0.5);
  }
  return force != NULL;
}

/* Wind and force track depend on where the skin is: the equilibrium is settled again with what acts
 * on it, until that moves nothing any more. */
static SupResult settle_in_loads(SupSim *sim, SupStepDef *def, double time,
                                 SupStepReport *out_report, SupError *error) {
  const uint32_t nodes = sim->fill.mesh.node_count;
  double moved = INFINITY;
  SupStepReport total = {.converged = true};
  for (uint32_t n = 0; n < nodes; n++) sim->held[n] = (SupVec3d){0, 0, 0};
  for (int round = 0; round < LOAD_ROUNDS && moved > def->tolerance && total.converged; round++) {
    const SupVec3d *x = def->guess ? def->guess : sup_stepper_positions(sim->stepper);
    SupStepReport report;
    const bool loaded = take_loads(sim, time, x);
    def->force = loaded ? sim->held : NULL;
    for (uint32_t n = 0; n < nodes; n++) sim->before[n] = x[n];
    SupResult result = sup_stepper_step(sim->stepper, def, &report, error);
    if (result != SUP_OK) return result;
    report.iterations += total.iterations;
    report.backtracks += total.backtracks;
    total = report;
    def->guess = NULL;
    x = sup_stepper_positions(sim->stepper);
    moved = 0;
    for (uint32_t n = 0; loaded && n < nodes; n++) {
      moved = fmax(moved, sup_vec3d_distance(x[n], sim->before[n]));
    }
  }
  total.converged &= moved <= def->tolerance;
  *out_report = total;
  return SUP_OK;
}

/* The equilibrium at `time`, looked for from `guess` on (NULL: from where the body is). */
static SupResult settle_now(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                            const SupVec3d *guess, SupStepReport *out_report, SupError *error) {
  SupStepDef def = step_def(sim);
  prepare_step(sim, palette, user, time, &def);
  def.integrator = SUP_INTEGRATE_STATIC;
  def.guess = guess;
  def.tolerance *= 5; /* there is no next step that would carry the error on */
  def.iteration_max = 400;
  if (sim->def.integrator == SUP_INTEGRATE_STATIC) {
    return settle_in_loads(sim, &def, time, out_report, error);
  }
  return sup_stepper_step(sim->stepper, &def, out_report, error); /* the wind begins with time */
}

SupResult sup_sim_place(SupSim *sim, SupPaletteFn *palette, void *user, double time, bool settle,
                        SupError *error) {
  const double instant = 1e-4; /* seconds, for the bones' velocity */
  palette(user, time + instant, sim->palette);
  skin_nodes(sim, sim->palette, sim->scratch);
  palette(user, time, sim->palette);
  skin_nodes(sim, sim->palette, sim->target);
  for (uint32_t n = 0; n < sim->fill.mesh.node_count; n++) {
    sim->scratch[n] = sup_vec3d_scale(sup_vec3d_sub(sim->scratch[n], sim->target[n]), 1 / instant);
  }
  sup_stepper_place(sim->stepper, sim->target, NULL);
  if (settle) {
    SupStepReport report;
    SupResult result = settle_now(sim, palette, user, time, NULL, &report, error);
    if (result != SUP_OK) return result;
    if (!report.converged) {
      return sup_fail(error, SUP_ERROR_NUMERIC,
                      "no equilibrium was found at %g s; make the flesh stiffer", time);
    }
  }
  sup_stepper_place(sim->stepper, sup_stepper_positions(sim->stepper), sim->scratch);
  return SUP_OK;
}

static void add_report(SupSimFrame *frame, const SupStepReport *report) {
  frame->iterations += report->iterations;
  frame->backtracks += report->backtracks;
  if (!report->converged) {
    frame->refused++;
    return;
  }
  frame->steps++;
  frame->elastic = report->elastic;
  frame->kinetic = report->kinetic;
  frame->potential = report->potential;
}

static void judge_elements(const SupSim *sim, SupSimFrame *frame) {
  const SupVec3d *x = sup_stepper_positions(sim->stepper);
  frame->worst_volume = sup_elastic_worst(&sim->body, x, NULL, &frame->inverted);
}

/* One equilibrium at `until`: from the one at `from`, moved along with the bones. */
static SupResult settle_from(SupSim *sim, SupPaletteFn *palette, void *user, double from,
                             double until, SupStepReport *out_report, SupError *error) {
  palette(user, from, sim->palette);
  skin_nodes(sim, sim->palette, sim->scratch);
  palette(user, until, sim->palette);
  skin_nodes(sim, sim->palette, sim->target);
  const SupVec3d *x = sup_stepper_positions(sim->stepper);
  for (uint32_t n = 0; n < sim->fill.mesh.node_count; n++) {
    sim->scratch[n] = sup_vec3d_add(x[n], sup_vec3d_sub(sim->target[n], sim->scratch[n]));
  }
  return settle_now(sim, palette, user, until, sim->scratch, out_report, error);
}

/* Where an equilibrium is not found at once, it is approached through those of times between. */
static SupResult advance_static(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                                double duration, SupSimFrame *frame, SupError *error) {
  const uint32_t total = 1u << HALVINGS;
  uint32_t at = 0, step = total;
  while (at < total) {
    double from = time + duration * at / total, until = time + duration * (at + step) / total;
    SupStepReport report;
    SupResult result = settle_from(sim, palette, user, from, until, &report, error);
    if (result != SUP_OK) return result;
    add_report(frame, &report);
    if (report.converged) {
      at += step;
      if (step < total && at % (2 * step) == 0) step *= 2;
    } else if (step == 1) {
      return sup_fail(error, SUP_ERROR_NUMERIC,
                      "no equilibrium was found at %g s; make the flesh stiffer", until);
    } else {
      step /= 2;
    }
  }
  judge_elements(sim, frame);
  return SUP_OK;
}

/* Steps are counted in ticks, 2^HALVINGS to a full step, so that halves add up exactly. */
static SupResult advance_steps(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                               double duration, SupSimFrame *frame, SupError *error) {
  const uint32_t full = 1u << HALVINGS, total = full * (sim->def.substeps ? sim->def.substeps : 1);
  uint32_t at = 0, step = full;
  sim->loads.step = duration * full / total;
  while (at < total) {
    double start = time + duration * at / total, h = duration * step / total;
    SupStepDef def = step_def(sim);
    def.integrator = sim->def.integrator;
    def.h = h;
    prepare_step(sim, palette, user, time + duration * (at + step) / total, &def);
    def.force = sup_loads_apply(&sim->loads, start, h, sup_stepper_positions(sim->stepper),
                                sup_stepper_velocities(sim->stepper));
    SupStepReport report;
    SupResult result = sup_stepper_step(sim->stepper, &def, &report, error);
    if (result != SUP_OK) return result;
    add_report(frame, &report);
    if (report.converged) {
      at += step;
      if (step < full && at % (2 * step) == 0) step *= 2;
    } else if (step == 1) {
      return sup_fail(error, SUP_ERROR_NUMERIC,
                      "the flesh cannot follow its bones at %g s; make it stiffer, or the motion "
                      "slower",
                      start);
    } else {
      step /= 2;
    }
  }
  judge_elements(sim, frame);
  return SUP_OK;
}

SupResult sup_sim_advance(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                          double duration, SupSimFrame *out_frame, SupError *error) {
  SupSimFrame frame = {0};
  SupStepperCost before = sup_stepper_cost(sim->stepper);
  SupResult result = sim->def.integrator == SUP_INTEGRATE_STATIC
                         ? advance_static(sim, palette, user, time, duration, &frame, error)
                         : advance_steps(sim, palette, user, time, duration, &frame, error);
  SupStepperCost after = sup_stepper_cost(sim->stepper);
  frame.factor_seconds = after.factor_seconds - before.factor_seconds;
  frame.solve_seconds = after.solve_seconds - before.solve_seconds;
  if (result == SUP_OK) *out_frame = frame;
  return result;
}

void sup_sim_contract(SupSim *sim, double amount) {
  for (uint32_t t = 0; sim->muscles.tension && t < sim->fill.mesh.tet_count; t++) {
    sim->body.tension[t] = amount * sim->muscles.tension[t];
  }
}

void sup_sim_skin(const SupSim *sim, SupVec3 *out_positions) {
  const SupVec3d *x = sup_stepper_positions(sim->stepper);
  const SupSmooth *smooth = &sim->smooth;
  for (uint32_t v = 0; v < smooth->vertex_count; v++) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = smooth->offsets[v]; k < smooth->offsets[v + 1]; k++) {
      sum = sup_vec3d_add_scaled(sum, x[smooth->nodes[k]], smooth->weights[k]);
    }
    out_positions[v] = sup_vec3d_narrow(sum);
  }
}

const SupVec3d *sup_sim_nodes(const SupSim *sim) { return sup_stepper_positions(sim->stepper); }

const SupFill *sup_sim_volume(const SupSim *sim) { return &sim->fill; }
