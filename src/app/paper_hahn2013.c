/* SPDX-License-Identifier: MIT */
/*
 * F. Hahn, B. Thomaszewski, S. Coros, R. Sumner, M. Gross 2013: the five rows of table 1 on three
 * bodies, the deferred Jacobian with and without prediction, the energy of skinned flesh.
 *
 * The paper's characters are not public: the example rigs have its numbers of parameters; volumes
 * are smaller, so that it takes minutes, or of its sizes (1,328 nodes inside and 761 on the
 * surface; 967 and 1,302). Table 1 is per frame; here a step
 * of 0.01 s is a frame.
 */
#include "supple/app/paper_hahn2013.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "app/paper_hahn_parts.h"
#include "supple/author/builtin.h"
#include "supple/rig/rig.h"
#include "supple/rig/rig_examples.h"

#define POSES 6u
#define PUSHES 1u
#define STIFFER 4.0 /* than the preset: the skin alone holds this flesh */
#define AROUND 0.1  /* of a range: free parameters of example poses */

/* With 600 tetrahedra and 174 parameters, steps go to the limit of Newton iterations and fail; with
 * 3,000 the short version takes less time. */
static const SupHahnScene scenes[][3] = {
    {{"trunk", "tube", "lateral", 800, 6000, 12, 12, {7.24, .37, .39, .12, .13}, 0},
     {"trunk", "tube", "lateral", 800, 600, 4, 4, {7.24, .37, .39, .12, .13}, 0},
     {"trunk", "tube", "lateral", 1500, 14000, 48, 48, {7.24, .37, .39, .12, .13}, 0}},
    {{"belly", "mochi", "idle", 1500, 3000, 4, 4, {46.5, .53, .39, .27, .13}, 0},
     {"belly", "mochi", "idle", 1000, 1000, 2, 1, {46.5, .53, .39, .27, .13}, 0},
     {"belly", "mochi", "idle", 3000, 13500, 24, 24, {46.5, .53, .39, .27, .13}, 0}},
    {{"mochi", "mochi", "idle", 1500, 3000, 2, 1, {0, 2.82, 2.48, 1.04, .58}, 0},
     {"mochi", "mochi", "idle", 1500, 3000, 1, 0, {0, 2.82, 2.48, 1.04, .58}, 0},
     {"mochi", "mochi", "idle", 3000, 11000, 12, 1, {0, 2.82, 2.48, 1.04, .58}, 0}}};

const SupHahnScene *sup_hahn_scene(const char *name, SupHahnSize size) {
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    if (strcmp(name, scenes[k][0].rig) == 0) return &scenes[k][size];
  }
  return NULL;
}

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* ---- The lab -------------------------------------------------------------------------------- */

void sup_hahn_script(const SupHahnLab *lab, double time, double *io_parameters) {
  SupPosed pose = {lab->character.skeleton.joint_count, sup_transformd_identity(), lab->joints};
  sup_pose_rest_f64(&lab->character.skeleton, &pose);
  sup_clip_sample_f64(lab->clip, time, true, NULL, &pose, NULL);
  sup_character_rig_script(lab->rig, &pose, NULL, io_parameters);
}

static SupRigspaceDef solver(const SupHahnLab *lab) {
  SupRigspaceDef def = sup_rigspace_def(sup_character_rig(lab->rig), &lab->volume);
  def.materials = &lab->material;
  def.material_count = 1;
  def.jobs = lab->app->jobs;
  return def;
}

static SupResult make_body(SupHahnLab *lab, SupError *error) {
  const SupAppContext *app = lab->app;
  const SupBuiltinDef def = {
      .name = lab->scene->body, .vertices = lab->scene->vertices, .jobs = app->jobs};
  const SupFillDef filling = {.tet_target = lab->scene->tets, .jobs = app->jobs};
  const SupMesh *skin = &lab->character.body;
  SupFill fill;
  SupFillReport filled;
  SupResult result = sup_builtin_character(app->arena, &def, &lab->character, error);
  if (result == SUP_OK) result = sup_fill(app->arena, skin, &filling, &fill, &filled, error);
  if (result == SUP_OK) {
    result = sup_driven_volume(app->arena, skin, &fill, NULL, &lab->volume, NULL, error);
  }
  if (result == SUP_OK) result = sup_material_preset("fat", &lab->material, error);
  lab->material.young *= STIFFER;
  return result;
}

/* Moves the wire's points up, such that the curve begins at the scene's root: what is below is
 * nearest to its first point, which no parameter moves. */
static SupResult root_wire(SupHahnLab *lab, SupError *error) {
  SupRigDef *rig = &lab->description;
  SupRigLayer *layer = SUP_COPY(lab->app->arena, SupRigLayer, rig->layers, rig->layer_count);
  if (!layer) return sup_fail_memory(error, NULL);
  SupVec3d *curve = SUP_COPY(lab->app->arena, SupVec3d, layer->curve, layer->curve_count);
  if (!curve) return sup_fail_memory(error, NULL);
  const double low = curve[0].y, high = curve[layer->curve_count - 1].y;
  for (uint32_t k = 0; k < layer->curve_count; k++) {
    curve[k].y = high - (high - curve[k].y) * (high - lab->scene->root) / (high - low);
  }
  layer->curve = curve;
  rig->layers = layer;
  return SUP_OK;
}

static SupResult make_rig(SupHahnLab *lab, SupError *error) {
  const SupAppContext *app = lab->app;
  const SupCharacterRigDef def = {.character = &lab->character,
                                  .rig = &lab->description,
                                  .vertex_count = lab->volume.skin_count,
                                  .vertices = lab->volume.skin,
                                  .jobs = app->jobs};
  SupResult result = sup_rig_example(app->arena, lab->scene->rig, &lab->description, error);
  if (result == SUP_OK && lab->scene->root > 0) result = root_wire(lab, error);
  if (result == SUP_OK) result = sup_character_rig_create(app->arena, &def, &lab->rig, error);
  if (result != SUP_OK) return result;
  const uint32_t all = sup_character_rig(lab->rig)->parameter_count;
  lab->joints = SUP_ALLOC(app->arena, SupTransformd, lab->character.skeleton.joint_count);
  lab->now = SUP_ALLOC(app->arena, double, all);
  lab->before = SUP_ALLOC(app->arena, double, all);
  if (!lab->joints || !lab->now || !lab->before) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < lab->character.clip_count; k++) {
    const SupClip *clip = &lab->character.clips[k];
    if (strcmp(clip->name, lab->scene->clip) == 0) lab->clip = clip;
  }
  return lab->clip ? SUP_OK : sup_fail(error, SUP_ERROR_ARGUMENT, "no clip %s", lab->scene->clip);
}

/* The largest extent of the skin at rest. */
static double height_of(const SupHahnLab *lab) {
  const SupMesh *skin = &lab->character.body;
  SupVec3 low = skin->positions[0], high = low;
  for (uint32_t v = 1; v < skin->vertex_count; v++) {
    const SupVec3 x = skin->positions[v];
    low = (SupVec3){fminf(low.x, x.x), fminf(low.y, x.y), fminf(low.z, x.z)};
    high = (SupVec3){fmaxf(high.x, x.x), fmaxf(high.y, x.y), fmaxf(high.z, x.z)};
  }
  return (double)fmaxf(fmaxf(high.x - low.x, high.y - low.y), high.z - low.z);
}

/* ---- Weights -------------------------------------------------------------------------------- */

/* Poses of the clip, with free parameters drawn around rest. */
static SupResult draw_poses(const SupHahnLab *lab, const double **out_poses, SupError *error) {
  const SupRig *rig = sup_character_rig(lab->rig);
  SupRng rng = sup_rng(lab->app->seed, 4);
  double *poses = SUP_ALLOC(lab->app->arena, double, POSES *(size_t)rig->parameter_count);
  if (!poses) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < POSES; k++) {
    double *p = &poses[(size_t)k * rig->parameter_count];
    sup_rig_rest(rig, p);
    sup_hahn_script(lab, 0.25 * k, p);
    for (uint32_t i = 0; i < rig->parameter_count; i++) {
      if (rig->parameters[i].role != SUP_RIG_FREE) continue;
      p[i] += AROUND * rig->parameters[i].scale * (2 * sup_rng_double(&rng) - 1);
    }
  }
  *out_poses = poses;
  return SUP_OK;
}

static SupResult make_weights(SupHahnLab *lab, SupHahnSetup *setup, SupError *error) {
  SupArena *arena = lab->app->arena;
  const SupRigspaceDef def = solver(lab);
  const SupRigspaceFitDef fit = {.candidates = SUP_RIGSPACE_RAYS};
  SupRigspaceShakeDef shake = {
      .pose_count = POSES, .impulse_count = PUSHES, .speed = 0.5, .seed = lab->app->seed};
  SupRigspace *rigspace;
  SupResult result = draw_poses(lab, &shake.poses, error);
  if (result == SUP_OK) result = sup_rigspace_create(arena, &def, &rigspace, error);
  if (result != SUP_OK) return result;
  double began = processor_seconds();
  result = sup_rigspace_shake(arena, rigspace, &shake, &lab->examples, NULL, error);
  sup_rigspace_free(rigspace);
  setup->example_count = lab->examples.count;
  setup->example_seconds = processor_seconds() - began;
  began = processor_seconds();
  if (result == SUP_OK) {
    result = sup_rigspace_fit(arena, &lab->volume, 1, &lab->examples, &fit, &lab->weights,
                              &setup->fit, error);
  }
  setup->weight_seconds = processor_seconds() - began;
  return result;
}

SupResult sup_hahn_lab(const SupAppContext *app, const SupHahnScene *scene, SupHahnLab **out_lab,
                       SupHahnSetup *out_setup, SupError *error) {
  SupHahnLab *lab = SUP_ALLOC(app->arena, SupHahnLab, 1);
  if (!lab) return sup_fail_memory(error, NULL);
  *lab = (SupHahnLab){.app = app, .scene = scene};
  *out_setup = (SupHahnSetup){.free_count = 0};
  SupResult result = make_body(lab, error);
  if (result == SUP_OK) result = make_rig(lab, error);
  if (result != SUP_OK) return result;
  lab->height = out_setup->height = height_of(lab);
  out_setup->free_count = sup_rig_parameters(sup_character_rig(lab->rig), SUP_RIG_FREE, NULL);
  out_setup->surface_count = lab->volume.surface_count;
  out_setup->inside_count = lab->volume.mesh.node_count - lab->volume.surface_count;
  out_setup->tet_count = lab->volume.mesh.tet_count;
  sup_app_busy(app, "weights");
  result = make_weights(lab, out_setup, error);
  sup_app_busy(app, NULL);
  *out_lab = lab;
  return result;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* The start: in balance as the solver has it. One step of a reference with many parameters is too
 * dear for that, and skinned flesh may have no balance: they begin where IV1 does. */
SupResult sup_hahn_start(SupHahnLab *lab, SupRigspace *rigspace, uint32_t row, bool dear,
                         SupError *error) {
  const SupRig *rig = sup_character_rig(lab->rig);
  const SupVec3d none = {0, 0, 0};
  SupRigspaceReport report;
  sup_rig_rest(rig, lab->now);
  sup_rig_rest(rig, lab->before);
  sup_hahn_script(lab, SUP_HAHN_BEGIN, lab->now);
  sup_hahn_script(lab, SUP_HAHN_BEGIN - SUP_HAHN_STEP, lab->before);
  if (!dear) {
    SupResult result =
        sup_rigspace_start(rigspace, lab->now, lab->before, SUP_HAHN_STEP, none, &report, error);
    if (result != SUP_OK || report.converged) return result;
    if (row <= 2) {
      return sup_fail(error, SUP_ERROR_NUMERIC, "%s: the start finds no balance", lab->scene->rig);
    }
    sup_app_note(lab->app, "%s: skinned flesh finds no balance; it begins as IV1 does\n",
                 lab->scene->rig);
    sup_hahn_script(lab, SUP_HAHN_BEGIN, lab->now);
    sup_hahn_script(lab, SUP_HAHN_BEGIN - SUP_HAHN_STEP, lab->before);
  }
  const SupRigspaceDef def = solver(lab);
  SupRigspace *quick;
  SupResult result = sup_rigspace_create(lab->app->arena, &def, &quick, error);
  if (result != SUP_OK) return result;
  result = sup_hahn_start(lab, quick, 1, false, error);
  for (uint32_t k = 0; k < rig->parameter_count && result == SUP_OK; k++) {
    if (rig->parameters[k].role == SUP_RIG_FREE) lab->now[k] = sup_rigspace_parameters(quick)[k];
    if (rig->parameters[k].role == SUP_RIG_FREE) lab->before[k] = lab->now[k];
  }
  sup_rigspace_free(quick);
  return result == SUP_OK
             ? sup_rigspace_place(rigspace, lab->now, lab->before, SUP_HAHN_STEP, error)
             : result;
}

static void add_report(SupRigspaceReport *sum, const SupRigspaceReport *step) {
  sum->iterations += step->iterations;
  sum->kept_moves += step->kept_moves;
  sum->rig_calls += step->rig_calls;
  sum->jacobians += step->jacobians;
  sum->foreseen += step->foreseen;
  sum->roll_backs += step->roll_backs;
  sum->determinant_least = fmin(sum->determinant_least, step->determinant_least);
}

/* Distances from the first run at step i, and how far free parameters move the skin. */
static SupResult compare(SupHahnLab *lab, const SupRigspace *rigspace, uint32_t i, SupHahnRun *run,
                         SupError *error) {
  const SupRig *rig = sup_character_rig(lab->rig);
  const uint32_t count = lab->volume.surface_count;
  const SupVec3d *nodes = sup_rigspace_nodes(rigspace);
  SupVec3d *base = &lab->base[(size_t)i * count];
  double sum = 0;
  if (i == lab->base_steps) {
    memcpy(base, nodes, count * sizeof *base);
    lab->base_steps++;
  }
  for (uint32_t s = 0; s < count && i < lab->base_steps; s++) {
    const double far = sup_vec3d_distance(base[s], nodes[s]) / lab->height;
    sum += far / count;
    run->largest = fmax(run->largest, far);
  }
  run->average += sum;
  SupArena scratch;
  sup_arena_init(&scratch, lab->app->allocator, 0);
  SupVec3d *skin = SUP_ALLOC(&scratch, SupVec3d, rig->vertex_count);
  SupVec3d *still = SUP_ALLOC(&scratch, SupVec3d, count);
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    lab->before[k] = rig->parameters[k].role == SUP_RIG_FREE ? rig->parameters[k].rest
                                                             : sup_rigspace_parameters(rigspace)[k];
  }
  SupResult result = skin && still ? sup_rig_evaluate(rig, 1, lab->before, skin, error)
                                   : sup_fail_memory(error, NULL);
  if (result == SUP_OK) sup_driven_surface(&lab->volume, skin, still);
  for (uint32_t s = 0; s < count && result == SUP_OK; s++) {
    run->moved = fmax(run->moved, sup_vec3d_distance(still[s], nodes[s]) / lab->height);
  }
  sup_arena_free(&scratch);
  return result;
}

static void script_at(void *user, double time, double *io_parameters) {
  sup_hahn_script(user, time, io_parameters);
}

/* A step that did not converge, in halves, quarters and so on. */
static SupResult in_parts(SupHahnLab *lab, SupRigspace *rigspace, double time, SupHahnRun *run,
                          SupError *error) {
  SupRigspaceAdvance a = {
      .script = script_at, .user = lab, .level = 1, .determinant_least = 1e-300};
  SupResult result =
      sup_rigspace_advance(lab->app->arena, rigspace, time, SUP_HAHN_STEP, &a, error);
  run->halved++;
  run->carried += a.carried_count;
  run->sum.iterations += a.iterations;
  run->sum.jacobians += a.jacobians;
  run->sum.roll_backs += a.roll_backs;
  run->sum.rig_calls += a.rig_calls;
  return result;
}

SupResult sup_hahn_step(SupHahnLab *lab, SupRigspace *rigspace, uint32_t i, SupHahnRun *run,
                        SupError *error) {
  const SupVec3d none = {0, 0, 0};
  SupRigspaceReport report;
  sup_hahn_script(lab, SUP_HAHN_BEGIN + SUP_HAHN_STEP * (i + 1), lab->now);
  const double began = processor_seconds();
  SupResult result = sup_rigspace_step(rigspace, lab->now, SUP_HAHN_STEP, none, &report, error);
  if (result == SUP_OK && !report.converged) {
    result = in_parts(lab, rigspace, SUP_HAHN_BEGIN + SUP_HAHN_STEP * i, run, error);
  }
  run->seconds += processor_seconds() - began;
  if (result == SUP_OK) add_report(&run->sum, &report);
  return result;
}

static SupResult play(SupHahnLab *lab, SupRigspace *rigspace, uint32_t steps, SupHahnRun *run,
                      SupError *error) {
  uint32_t compared = 0;
  for (uint32_t i = 0; i < steps; i++) {
    SupResult result = sup_hahn_step(lab, rigspace, i, run, error);
    if (result == SUP_OK) result = compare(lab, rigspace, i, run, error);
    if (result != SUP_OK) return result;
    compared += i < lab->base_steps;
    sup_app_progress(lab->app, lab->scene->rig, i + 1, steps);
  }
  run->steps = steps;
  run->seconds /= steps;
  run->average /= compared;
  return SUP_OK;
}

void sup_hahn_theta(SupHahnLab *lab, double theta) { lab->theta = theta; }

SupResult sup_hahn_create(SupHahnLab *lab, uint32_t row, bool no_prediction, SupRigspace **out,
                          SupError *error) {
  SupRigspaceDef def = solver(lab);
  def.inside = row == 0   ? SUP_RIGSPACE_REFERENCE
               : row <= 2 ? SUP_RIGSPACE_STATIC
                          : SUP_RIGSPACE_SKINNED;
  def.weights = &lab->weights;
  def.deferred = row == 2 || row == 4;
  def.no_prediction = no_prediction;
  if (lab->theta > 0) def.theta = lab->theta;
  return sup_rigspace_create(lab->app->arena, &def, out, error);
}

SupResult sup_hahn_run(SupHahnLab *lab, uint32_t row, uint32_t steps, bool no_prediction,
                       SupHahnRun *out_run, SupError *error) {
  const bool first = lab->base == NULL;
  SupRigspace *rigspace;
  *out_run = (SupHahnRun){.sum = {.determinant_least = 1}};
  if (first) {
    lab->base = SUP_ALLOC(lab->app->arena, SupVec3d, (size_t)steps * lab->volume.surface_count);
    if (!lab->base) return sup_fail_memory(error, NULL);
  }
  SupResult result = sup_hahn_create(lab, row, no_prediction, &rigspace, error);
  if (result != SUP_OK) return result;
  result = sup_hahn_start(lab, rigspace, row, row == 0 && steps == 1, error);
  if (result == SUP_OK) result = play(lab, rigspace, steps, out_run, error);
  sup_rigspace_free(rigspace);
  return result;
}

/* ---- Energies ------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  SupRigspaceFitDef fit;
} variants[SUP_HAHN_VARIANTS] = {
    {"rays, sparse", {.candidates = SUP_RIGSPACE_RAYS}},
    {"500 nearest, all",
     {.candidates = SUP_RIGSPACE_NEAREST,
      .any_rest = true,
      .keep_all = true,
      .candidate_count = 500}},
    {"20 nearest, sparse", {.candidates = SUP_RIGSPACE_NEAREST, .any_rest = true}},
    {"20 nearest, all", {.candidates = SUP_RIGSPACE_NEAREST, .any_rest = true, .keep_all = true}},
    {"5 nearest",
     {.candidates = SUP_RIGSPACE_NEAREST,
      .any_rest = true,
      .keep_all = true,
      .candidate_count = 5}}};

static SupResult fit_variants(SupHahnLab *lab, SupRigspaceWeights *weights, SupHahnVariant *out,
                              SupError *error) {
  SupResult result = SUP_OK;
  for (int k = 0; k < SUP_HAHN_VARIANTS && result == SUP_OK; k++) {
    SupRigspaceFitReport report;
    const double began = processor_seconds();
    result = sup_rigspace_fit(lab->app->arena, &lab->volume, 1, &lab->examples, &variants[k].fit,
                              &weights[k], &report, error);
    out[k] = (SupHahnVariant){.name = variants[k].name,
                              .weights = report.mean_count,
                              .outside = report.outside,
                              .seconds = processor_seconds() - began};
  }
  return result;
}

/* Elements that the weights turn inside out at rest. */
static SupResult count_inverted(const SupHahnLab *lab, const SupRigspaceWeights *w,
                                uint32_t *out_count, SupError *error) {
  const SupTetMesh *mesh = &lab->volume.mesh;
  SupArena scratch;
  sup_arena_init(&scratch, lab->app->allocator, 0);
  SupVec3d *x = SUP_COPY(&scratch, SupVec3d, mesh->nodes, mesh->node_count);
  *out_count = 0;
  for (uint32_t q = 0; x && q < w->inside_count; q++) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = w->offsets[q]; k < w->offsets[q + 1]; k++) {
      sum = sup_vec3d_add_scaled(sum, mesh->nodes[w->nodes[k]], w->weights[k]);
    }
    x[lab->volume.surface_count + q] = sum;
  }
  for (uint32_t t = 0; x && t < mesh->tet_count; t++) {
    const uint32_t *n = &mesh->tets[4 * (size_t)t];
    const SupVec3d a = sup_vec3d_sub(x[n[1]], x[n[0]]), b = sup_vec3d_sub(x[n[2]], x[n[0]]);
    *out_count += sup_vec3d_dot(sup_vec3d_cross(a, b), sup_vec3d_sub(x[n[3]], x[n[0]])) <= 0;
  }
  const bool good = x != NULL;
  sup_arena_free(&scratch);
  return good ? SUP_OK : sup_fail_memory(error, NULL);
}

SupResult sup_hahn_energies(SupHahnLab *lab, uint32_t steps, SupHahnVariant *out, SupError *error) {
  const SupRig *rig = sup_character_rig(lab->rig);
  const SupRigspaceDef def = solver(lab);
  const SupVec3d none = {0, 0, 0};
  SupRigspaceWeights weights[SUP_HAHN_VARIANTS];
  SupRigspace *rigspace;
  SupResult result = fit_variants(lab, weights, out, error);
  if (result == SUP_OK) result = sup_rigspace_create(lab->app->arena, &def, &rigspace, error);
  if (result != SUP_OK) return result;
  sup_rig_rest(rig, lab->now);
  result = sup_rigspace_place(rigspace, lab->now, lab->now, SUP_HAHN_STEP, error);
  for (int k = 0; k < SUP_HAHN_VARIANTS && result == SUP_OK; k++) {
    out[k].rest = sup_rigspace_skinned_energy(rigspace, &weights[k]);
    result = count_inverted(lab, &weights[k], &out[k].inverted, error);
  }
  if (result == SUP_OK) result = sup_hahn_start(lab, rigspace, 1, false, error);
  for (uint32_t i = 0; i < steps && result == SUP_OK; i++) {
    SupRigspaceReport report;
    sup_hahn_script(lab, SUP_HAHN_BEGIN + SUP_HAHN_STEP * (i + 1), lab->now);
    result = sup_rigspace_step(rigspace, lab->now, SUP_HAHN_STEP, none, &report, error);
    const double energy = sup_rigspace_elastic_energy(rigspace);
    for (int k = 0; k < SUP_HAHN_VARIANTS && result == SUP_OK; k++) {
      const double times = sup_rigspace_skinned_energy(rigspace, &weights[k]) / energy;
      out[k].mean += times / steps;
      out[k].most = fmax(out[k].most, times);
    }
  }
  sup_rigspace_free(rigspace);
  return result;
}
