/* SPDX-License-Identifier: MIT */
/* A body in motion: its bones lead, it follows. */
#include <math.h>

#include "sim/sim_body.h"

/* A step that Newton cannot do is halved at most this often. */
#define HALVINGS 6
/* How far a Newton step may still move a node when a step ends, as a fraction of the lattice. */
#define TOLERANCE 5e-4
/* How far a Newton step may move a node, in lattice spacings. */
#define FARTHEST 4
/* Newton steps after which an equilibrium is rather approached in smaller steps. */
#define PATIENCE 100
/* Newton steps for one pose, and for one step in time with all its halves, after which it is given
 * up: nobody waits for ever. */
#define POSE_MOST 1000
#define STEP_MOST 500
/* How often an equilibrium is settled again with the wind that its skin then meets. */
#define LOAD_ROUNDS 60

void sup_sim_skin_nodes(const SupSim *sim, const SupAffined *palette, SupVec3d *out_nodes) {
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

SupStepDef sup_sim_step_def(const SupSim *sim) {
  return (SupStepDef){.prescribed = sim->target,
                      .loads = {.gravity = sim->def.forces.gravity, .ties = &sim->ties},
                      .farthest = FARTHEST * sim->fill.spacing * sim->scale,
                      .tolerance = TOLERANCE * sim->fill.spacing * sim->scale,
                      .iteration_max = 30};
}

SupStepDef sup_sim_static_def(const SupSim *sim) {
  SupStepDef def = sup_sim_step_def(sim);
  def.integrator = SUP_INTEGRATE_STATIC;
  def.iteration_max = 400;
  return def;
}

static void to_metres(SupSim *sim) {
  const uint32_t bones = sim->def.character->skeleton.bone_count;
  for (uint32_t b = 0; b < bones; b++) {
    for (int k = 0; k < 12; k++) sim->scales.shown[b].m[k] *= sim->def.unit;
  }
}

/* The bones at a time, and where they put the nodes. */
static void pose_bones(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                       SupVec3d *out_nodes) {
  palette(user, time, sim->scales.shown);
  if (sim->def.unit != 1) to_metres(sim);
  sup_bone_scale_limit(&sim->scales, sim->palette);
  sup_sim_skin_nodes(sim, sim->palette, out_nodes);
}

/* Where the bones of the file put the nodes, for what flesh feels of their motion. */
static void look_around(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                        SupVec3d *out_nodes) {
  palette(user, time, sim->scales.shown);
  if (sim->def.unit != 1) to_metres(sim);
  sup_sim_skin_nodes(sim, sim->scales.shown, out_nodes);
}

/* Flesh that is too small to be seen goes where its bones are, however far they jump meanwhile. */
static void carry_hidden(SupSim *sim) {
  const SupAttachment *a = &sim->attachment;
  if (!sim->scales.any_hidden || sim->def.integrator == SUP_INTEGRATE_STATIC) return;
  for (uint32_t n = 0; n < a->node_count; n++) {
    bool hidden = true;
    for (size_t k = SUP_ATTACH_BONES * (size_t)n; k < SUP_ATTACH_BONES * ((size_t)n + 1); k++) {
      hidden &= a->weights[k] == 0 || sim->scales.state[a->bones[k]] == SUP_BONE_HIDDEN;
    }
    if (!hidden) continue;
    sup_stepper_put(sim->stepper, n, sim->target[n]);
    if (sim->felt.most > 0) sup_felt_put(&sim->felt, n);
    sim->lead[n] = sim->lead_old[n] = sim->target[n];
  }
}

/* Bones and obstacles at the end of a step. */
static void prepare_step(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                         SupStepDef *io_def) {
  pose_bones(sim, palette, user, time, sim->target);
  sup_ties_aim(&sim->ties, sim->palette);
  carry_hidden(sim);
  if (sup_loads_place_obstacles(&sim->loads, time, sim->palette)) {
    io_def->loads.contact = sup_loads_contact;
    io_def->loads.contact_user = &sim->loads;
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
    def->loads.force = loaded ? sim->held : NULL;
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

/* The equilibrium at `time`, looked for from `guess` on (NULL: from where the body is). `last` is
 * the last attempt at it: one that gets more time, and may leave elements inside out. */
static SupResult settle_now(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                            const SupVec3d *guess, bool last, SupStepReport *out_report,
                            SupError *error) {
  SupStepDef def = sup_sim_static_def(sim);
  prepare_step(sim, palette, user, time, &def);
  def.guess = guess;
  def.guarded = !last;
  if (!last) def.iteration_max = PATIENCE;
  if (sim->def.integrator == SUP_INTEGRATE_STATIC) {
    return settle_in_loads(sim, &def, time, out_report, error);
  }
  return sup_stepper_step(sim->stepper, &def, out_report, error); /* the wind begins with time */
}

/* Every node where its skin weights put it, at rest. */
static void place_as_skin(SupSim *sim, SupPaletteFn *palette, void *user, double time) {
  pose_bones(sim, palette, user, time, sim->target);
  sup_stepper_place(sim->stepper, sim->target, NULL);
}

/* Sets the velocities to those of the skin weights; the bones' motion begins here. */
static void move_as_skin(SupSim *sim, SupPaletteFn *palette, void *user, double time) {
  const double instant = 1e-4; /* seconds */
  pose_bones(sim, palette, user, time + instant, sim->scratch);
  pose_bones(sim, palette, user, time, sim->target);
  for (uint32_t n = 0; n < sim->fill.mesh.node_count; n++) {
    sim->scratch[n] = sup_vec3d_scale(sup_vec3d_sub(sim->scratch[n], sim->target[n]), 1 / instant);
    sim->lead[n] = sim->target[n];
  }
  sup_stepper_place(sim->stepper, sup_stepper_positions(sim->stepper), sim->scratch);
  if (sim->felt.most > 0) sup_felt_begin(&sim->felt, sim->scratch);
}

static SupResult no_equilibrium(double time, uint32_t iterations, SupError *error) {
  return sup_fail(error, SUP_ERROR_NUMERIC,
                  "no equilibrium was found at %g s in %u Newton steps; make the flesh stiffer",
                  time, iterations);
}

/* Elements inside out are no flesh: what follows from them is not true. */
static SupResult check_elements(const SupSim *sim, double time, uint32_t inverted,
                                SupError *error) {
  if (inverted == 0 || sim->def.allow_inverted) return SUP_OK;
  return sup_fail(error, SUP_ERROR_NUMERIC,
                  "%u of %u tetrahedra are inside out at %g s: the flesh is too soft for this "
                  "motion; make it stiffer (--young), or take it as it is (--allow-inverted)",
                  inverted, sim->fill.mesh.tet_count, time);
}

void sup_sim_place(SupSim *sim, SupPaletteFn *palette, void *user, double time) {
  place_as_skin(sim, palette, user, time);
  move_as_skin(sim, palette, user, time);
}

static void add_report(SupSimFrame *frame, const SupStepReport *report) {
  frame->iterations += report->iterations;
  frame->backtracks += report->backtracks;
  frame->kept_moves += report->kept_moves;
  if (!report->converged) {
    frame->refused++;
    return;
  }
  frame->steps++;
  frame->elastic = report->elastic;
  frame->kinetic = report->kinetic;
  frame->potential = report->potential;
}

void sup_sim_judge(const SupSim *sim, SupSimFrame *io_frame) {
  const SupVec3d *x = sup_stepper_positions(sim->stepper);
  io_frame->worst_volume = sup_elastic_worst(&sim->body, x, NULL, &io_frame->inverted);
  io_frame->least_angle = sup_elastic_sharpest(&sim->body, x);
}

/* One equilibrium at `until`: from the one at `from`, moved along with the bones. */
static SupResult settle_from(SupSim *sim, SupPaletteFn *palette, void *user, double from,
                             double until, bool last, SupStepReport *out_report, SupError *error) {
  pose_bones(sim, palette, user, from, sim->scratch);
  pose_bones(sim, palette, user, until, sim->target);
  const SupVec3d *x = sup_stepper_positions(sim->stepper);
  for (uint32_t n = 0; n < sim->fill.mesh.node_count; n++) {
    sim->scratch[n] = sup_vec3d_add(x[n], sup_vec3d_sub(sim->target[n], sim->scratch[n]));
  }
  return settle_now(sim, palette, user, until, sim->scratch, last, out_report, error);
}

/* Where an equilibrium is not found at once, it is approached through those of times between. The
 * first attempt goes the 1/`parts` of the way. */
static SupResult advance_static(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                                double duration, uint32_t parts, SupSimFrame *frame,
                                SupError *error) {
  const uint32_t total = 1u << HALVINGS;
  uint32_t at = 0, step = total / parts;
  while (at < total) {
    double from = time + duration * at / total, until = time + duration * (at + step) / total;
    SupStepReport report;
    SupResult result = settle_from(sim, palette, user, from, until, step == 1, &report, error);
    if (result != SUP_OK) return result;
    add_report(frame, &report);
    if (report.converged) {
      at += step;
      if (step < total && at % (2 * step) == 0) step *= 2;
    } else if (step == 1 || frame->iterations > POSE_MOST) {
      return no_equilibrium(until, frame->iterations, error);
    } else {
      step /= 2;
    }
  }
  sup_sim_judge(sim, frame);
  return SUP_OK;
}

/* From the rest pose on, where nothing is crushed, through the equilibria of the way. */
static SupResult follow_way(SupSim *sim, SupPaletteFn *way, void *user, SupError *error) {
  SupSimFrame frame = {0};
  SupStepReport report;
  place_as_skin(sim, way, user, 0);
  SupResult result = settle_now(sim, way, user, 0, NULL, true, &report, error);
  if (result == SUP_OK && !report.converged) result = no_equilibrium(0, report.iterations, error);
  if (result != SUP_OK) return result;
  return advance_static(sim, way, user, 0, 1, 8, &frame, error);
}

SupResult sup_sim_settle(SupSim *sim, SupPaletteFn *palette, SupPaletteFn *way, void *user,
                         double time, SupError *error) {
  SupStepReport report;
  place_as_skin(sim, palette, user, time);
  SupResult result = settle_now(sim, palette, user, time, NULL, !way, &report, error);
  if (result != SUP_OK) return result;
  uint32_t inverted = 0;
  if (report.converged) {
    sup_elastic_worst(&sim->body, sup_stepper_positions(sim->stepper), NULL, &inverted);
  }
  if (way && (!report.converged || inverted)) {
    result = follow_way(sim, way, user, error);
  } else if (!report.converged) {
    result = no_equilibrium(time, report.iterations, error);
  }
  if (result != SUP_OK) return result;
  move_as_skin(sim, palette, user, time);
  sup_elastic_worst(&sim->body, sup_stepper_positions(sim->stepper), NULL, &inverted);
  return check_elements(sim, time, inverted, error);
}

/* Drag acts on motion relative to that of the bones: flesh that is carried along is not braked. */
static const SupVec3d *carry(SupSim *sim, const SupStepDef *def) {
  const SupDifference step = sup_stepper_difference(sim->stepper, def);
  for (uint32_t n = 0; sim->carrier && n < sim->fill.mesh.node_count; n++) {
    SupVec3d sum = sup_vec3d_scale(sim->target[n], step.c[0] / step.h);
    sum = sup_vec3d_add_scaled(sum, sim->lead[n], step.c[1] / step.h);
    sim->carrier[n] = sup_vec3d_add_scaled(sum, sim->lead_old[n], step.c[2] / step.h);
  }
  return sim->carrier;
}

/* A step has ended: where the bones put the nodes becomes the past. */
static void follow_lead(SupSim *sim) {
  SupVec3d *swap = sim->lead_old;
  sim->lead_old = sim->lead;
  sim->lead = swap;
  for (uint32_t n = 0; n < sim->fill.mesh.node_count; n++) sim->lead[n] = sim->target[n];
  if (sim->felt.most > 0) sup_felt_follow(&sim->felt, sim->carrier);
}

/* Steps are counted in ticks, 2^HALVINGS to a full step, so that halves add up exactly. */
static SupResult advance_steps(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                               double duration, SupSimFrame *frame, SupError *error) {
  const uint32_t full = 1u << HALVINGS, total = full * (sim->def.substeps ? sim->def.substeps : 1);
  uint32_t at = 0, step = full;
  sim->loads.step = duration * full / total;
  while (at < total) {
    double start = time + duration * at / total, h = duration * step / total;
    SupStepDef def = sup_sim_step_def(sim);
    def.integrator = sim->def.integrator;
    def.h = h;
    def.guarded = step > 1;
    const double end = time + duration * (at + step) / total;
    if (sim->felt.most > 0) {
      look_around(sim, palette, user, end - SUP_FELT_WINDOW, sim->felt.earlier);
      look_around(sim, palette, user, end + SUP_FELT_WINDOW, sim->felt.later);
    }
    prepare_step(sim, palette, user, end, &def);
    def.loads.carrier = carry(sim, &def);
    def.loads.force = sup_loads_apply(&sim->loads, start, h, sup_stepper_positions(sim->stepper),
                                      sup_stepper_velocities(sim->stepper));
    if (sim->felt.most > 0) {
      def.loads.force = sup_felt_force(&sim->felt, sup_stepper_difference(sim->stepper, &def),
                                       sim->target, sim->carrier, def.loads.force);
    }
    SupStepReport report;
    SupResult result = sup_stepper_step(sim->stepper, &def, &report, error);
    if (result != SUP_OK) return result;
    add_report(frame, &report);
    if (report.converged) {
      follow_lead(sim);
      at += step;
      if (step < full && at % (2 * step) == 0) step *= 2;
    } else if (step == 1 || frame->iterations > STEP_MOST * (total / full)) {
      return sup_fail(
          error, SUP_ERROR_NUMERIC,
          "the flesh cannot follow its bones at %g s; make the flesh stiffer or the motion slower",
          start);
    } else {
      step /= 2;
    }
  }
  sup_sim_judge(sim, frame);
  return SUP_OK;
}

SupResult sup_sim_advance(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                          double duration, SupSimFrame *out_frame, SupError *error) {
  SupSimFrame frame = {0};
  SupStepperCost before = sup_stepper_cost(sim->stepper);
  SupResult result = sim->def.integrator == SUP_INTEGRATE_STATIC
                         ? advance_static(sim, palette, user, time, duration, 1, &frame, error)
                         : advance_steps(sim, palette, user, time, duration, &frame, error);
  SupStepperCost after = sup_stepper_cost(sim->stepper);
  frame.factor_seconds = after.factor_seconds - before.factor_seconds;
  frame.solve_seconds = after.solve_seconds - before.solve_seconds;
  if (result == SUP_OK) result = check_elements(sim, time + duration, frame.inverted, error);
  if (result == SUP_OK) *out_frame = frame;
  return result;
}
