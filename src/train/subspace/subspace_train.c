/* SPDX-License-Identifier: MIT */
/*
 * Setting up the subspace technique.
 *
 *   the volume and its quadratic term           subspace_body.c
 *   static shapes in poses                      subspace_poses.c
 *   functions                                   subspace_basis.c
 *   clusters                                    subspace_clusters.c
 *   projections, frequencies                    subspace_tables.c
 *   what the skin shows                         subspace_skin.c
 *   helpers                                     subspace_helpers.c
 *   the correction, and the tables as floats    here
 */
#include <math.h>

#include "base/scratch.h"
#include "train/subspace/subspace_parts.h"

#define COOKIE SUP_FOURCC('s', 's', 't', 'r')
#define COMPARED 10   /* frequencies that the correction is taken from */
#define SETTLE 150    /* iterations where flesh starts afresh */
#define FARTHEST 0.25 /* of the size, where no distance is given */

SupSubspaceTrainDef sup_subspace_train_def(const SupCharacter *character) {
  SupSubspaceTrainDef def = {.cookie = COOKIE,
                             .character = character,
                             .function_count = 80,
                             .cluster_count = 300,
                             .iterations = 7,
                             .mode_count = 15,
                             .pose_count = 24,
                             .affine_count = 5,
                             .helper_count = 20,
                             .influence_count = 4,
                             .rho = 0.7,
                             .seed = 1,
                             .unit = 1,
                             .fill = {.tet_target = SUP_FILL_USUAL},
                             .h = 1.0 / 60};
  sup_material_preset("fat", &def.material, NULL);
  return def;
}

static SupResult check(const SupSubspaceTrainDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "subspace: start from sup_subspace_train_def()");
  }
  if (def->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  if (def->function_count == 0 || def->function_count > SUP_SUBSPACE_MOST) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%u functions; a model has 1 to %u",
                    def->function_count, SUP_SUBSPACE_MOST);
  }
  if (def->cluster_count == 0 || def->iterations == 0 || def->mode_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "clusters, iterations and modes: at least one of each");
  }
  if (def->influence_count != 4 && def->influence_count != 8) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "a vertex has 4 or 8 helpers, not %u",
                    def->influence_count);
  }
  if (!(def->rho >= 0 && def->rho <= 1)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "rho must be between 0 and 1, not %g", def->rho);
  }
  if (!(def->h >= 1e-3 && def->h <= 0.1)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "steps of %g s; between 0.001 and 0.1 s", def->h);
  }
  return sup_material_check(&def->material, error);
}

/* ---- Stiffness and damping ------------------------------------------------------------------- */

static double omega(const SubspaceBody *body, uint32_t k) {
  return sqrt(body->tuning * body->volume.stiffness[k]);
}

/* Few functions and clusters are stiffer than the body, and BDF2 is slow by (omega h)^2 / 3: all
 * stiffness is scaled by the mean ratio of the lowest frequencies, squared, and by twice that. */
static SupResult correct(SupArena *arena, const SubspaceBody *body, SubspaceTables *tables,
                         SupSubspaceTrainReport *report, SupError *error) {
  const uint32_t most = 3 * tables->functions;
  const uint32_t count = body->volume.mode_count < most ? body->volume.mode_count : most;
  const double first = omega(body, 0) * body->def->h;
  double *reduced = SUP_ALLOC(arena, double, count);
  double *whole = SUP_ALLOC(arena, double, count);
  if (!reduced || !whole) return sup_fail_memory(error, "subspace");
  SupResult result = sup_subspace_frequencies(arena, tables, body->def->rho, count, reduced, error);
  if (result) return result;
  double sum = 0;
  const uint32_t compared = count < COMPARED ? count : COMPARED;
  for (uint32_t k = 0; k < compared; k++) sum += log(omega(body, k) / reduced[k]);
  const double ratio = exp(sum / compared);
  for (uint32_t k = 0; k < count; k++) {
    whole[k] = omega(body, k) / (2 * SUP_PI);
    reduced[k] *= ratio / (2 * SUP_PI);
  }
  report->correction = ratio * ratio * (1 + 2.0 / 3 * first * first);
  report->mode_count = count;
  report->frequencies = whole;
  report->reduced = reduced;
  sup_subspace_scale(tables, report->correction);
  return SUP_OK;
}

/* Seconds of the strain, and 1/s relative to the bones; less the damping ratio (omega h)^3 / 4 that
 * BDF2 has at the lowest frequency. */
static void find_damping(const SubspaceBody *body, double *out_damping, double *out_drag) {
  const SupElastic *elastic = &body->volume.body;
  const double first = omega(body, 0), own = pow(first * body->def->h, 3) / 4;
  double damped = 0, stiffness = 0, drag = 0;
  for (uint32_t i = 0; i < elastic->active_count; i++) {
    const uint32_t t = elastic->active[i];
    damped += body->shear[t] * elastic->damping[t];
    stiffness += body->shear[t];
  }
  for (uint32_t i = 0; i < elastic->free_count; i++) drag += elastic->drags[elastic->free_nodes[i]];
  *out_damping = damped / stiffness;
  *out_drag = drag / body->mass;
  if (body->def->damping_ratio > 0) {
    *out_damping = 2 * body->def->damping_ratio / first;
    *out_drag = 0;
  }
  const double ratio = *out_damping * first / 2;
  if (ratio > 0) *out_damping *= fmax(1 - own / ratio, 0);
}

/* ---- Floats ---------------------------------------------------------------------------------- */

static float *floats(SupArena *arena, const double *values, size_t count) {
  float *out = SUP_ALLOC(arena, float, count);
  for (size_t i = 0; i < count && out; i++) out[i] = (float)values[i];
  return out;
}

static SupResult write_functions(SupArena *arena, const SubspaceTables *t, SupSubspaceView *view,
                                 SupError *error) {
  const size_t fours = (size_t)t->functions * t->fours;
  view->function_count = t->functions;
  view->weight = floats(arena, t->weight, t->functions);
  view->elastic = floats(arena, t->elastic, t->functions);
  view->preconditioner = floats(arena, t->preconditioner, t->functions);
  view->inertia_bones = floats(arena, t->inertia_bones, fours);
  view->elastic_bones = floats(arena, t->elastic_bones, fours);
  return view->weight && view->elastic && view->preconditioner && view->inertia_bones &&
                 view->elastic_bones
             ? SUP_OK
             : sup_fail_memory(error, "subspace");
}

/* Clusters in blocks of 16. */
static SupResult write_clusters(SupArena *arena, const SubspaceTables *t, SupSubspaceView *view,
                                SupError *error) {
  const size_t lanes = SUP_SUBSPACE_LANES, blocks = (t->clusters + lanes - 1) / lanes;
  float *gradients = SUP_ALLOC(arena, float, blocks * t->functions * 3 * lanes);
  float *stiffness = SUP_ALLOC(arena, float, blocks *lanes);
  float *ratio = SUP_ALLOC(arena, float, blocks *lanes);
  if (!gradients || !stiffness || !ratio) return sup_fail_memory(error, "subspace");
  for (size_t i = 0; i < blocks * lanes; i++) ratio[i] = 2;
  for (size_t c = 0; c < t->clusters; c++) {
    const size_t block = c / lanes, lane = c % lanes;
    stiffness[c] = (float)t->shear[c];
    ratio[c] = (float)t->ratio[c];
    for (size_t i = 0; i < 3 * (size_t)t->functions; i++) {
      gradients[(block * 3 * t->functions + i) * lanes + lane] =
          (float)t->gradients[c * 3 * t->functions + i];
    }
  }
  view->cluster_count = t->clusters;
  view->block_count = (uint32_t)blocks;
  view->gradients = gradients;
  view->stiffness = stiffness;
  view->ratio = ratio;
  return SUP_OK;
}

/* Whether a bone moves any cluster of a block. */
static bool sees(const SubspaceTables *t, size_t block, size_t bone) {
  const size_t first = block * SUP_SUBSPACE_LANES;
  for (size_t c = first; c < first + SUP_SUBSPACE_LANES && c < t->clusters; c++) {
    const double *g = t->bone_gradients + 3 * (c * t->fours + 4 * bone);
    for (int i = 0; i < 12; i++) {
      if (g[i] != 0) return true;
    }
  }
  return false;
}

static SupResult write_bones(SupArena *arena, const SubspaceTables *t, SupSubspaceView *view,
                             SupError *error) {
  const size_t lanes = SUP_SUBSPACE_LANES, bones = t->fours / 4;
  uint32_t *first = SUP_ALLOC(arena, uint32_t, view->block_count + 1);
  uint32_t *names = SUP_ALLOC(arena, uint32_t, view->block_count * bones);
  if (!first || !names) return sup_fail_memory(error, "subspace");
  for (uint32_t block = 0; block < view->block_count; block++) {
    first[block + 1] = first[block];
    for (uint32_t b = 0; b < bones; b++) {
      if (sees(t, block, b)) names[first[block + 1]++] = b;
    }
  }
  float *rows = SUP_ALLOC(arena, float, 12 * lanes * first[view->block_count]);
  if (!rows) return sup_fail_memory(error, "subspace");
  for (size_t c = 0; c < t->clusters; c++) {
    for (uint32_t row = first[c / lanes]; row < first[c / lanes + 1]; row++) {
      const double *g = t->bone_gradients + 3 * (c * t->fours + 4 * names[row]);
      for (size_t i = 0; i < 12; i++) rows[(12 * row + i) * lanes + c % lanes] = (float)g[i];
    }
  }
  view->bone_first = first;
  view->bones = names;
  view->bone_gradients = rows;
  return SUP_OK;
}

static void write_numbers(const SubspaceBody *body, SupSubspaceView *view,
                          SupSubspaceTrainReport *report) {
  const SupSubspaceTrainDef *def = body->def;
  double drag;
  find_damping(body, &report->damping, &drag);
  const double farthest = def->max_distance > 0 ? def->max_distance : FARTHEST * body->size;
  view->bone_count = body->bones;
  view->iterations = def->iterations;
  view->settle = SETTLE;
  view->h = (float)def->h;
  view->damping = (float)report->damping;
  view->drag = (float)drag;
  view->stiffening = (float)def->material.stiffening;
  view->rho = (float)def->rho;
  view->limit = (float)(farthest * sqrt(body->mass));
  view->scale = (float)body->volume.scale;
  const SupTetMesh *mesh = &body->volume.fill.mesh;
  SupVec3d centre = {0, 0, 0};
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    centre = sup_vec3d_add_scaled(centre, mesh->nodes[n], 1.0 / mesh->node_count);
  }
  view->centre = sup_vec3d_to_float(centre);
}

static SupResult write(SupArena *arena, const SubspaceBody *body,
                       const SubspaceFunctions *functions, const SubspaceTables *tables,
                       SupSubspaceView *view, SupSubspaceTrainReport *report, SupError *error) {
  SupResult result = write_functions(arena, tables, view, error);
  if (!result) result = write_clusters(arena, tables, view, error);
  if (!result) result = write_bones(arena, tables, view, error);
  if (result) return result;
  write_numbers(body, view, report);
  result = sup_subspace_skin(arena, body, functions, view, error);
  if (result) return result;
  return sup_subspace_fit_helpers(arena, body, view, &report->helper_error, error);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static SupResult prepare(SupArena *scratch, SubspaceBody *body, SubspaceFunctions *functions,
                         SubspaceTables *tables, SupSubspaceTrainReport *report, SupError *error) {
  SupResult result = sup_subspace_body(scratch, body, &report->fill, &report->attach, error);
  if (!result) {
    result = sup_subspace_basis(scratch, body, functions, &report->pose_count, error);
  }
  if (result) return result;
  uint32_t clusters;
  uint32_t *labels = SUP_ALLOC(scratch, uint32_t, body->volume.body.mesh.tet_count);
  if (!labels) return sup_fail_memory(error, "subspace");
  result = sup_subspace_clusters(scratch, body, labels, &clusters, error);
  if (!result) {
    result = sup_subspace_tables(scratch, body, functions, labels, clusters, tables, error);
  }
  return result;
}

static void fill_report(const SubspaceBody *body, const SupSubspaceView *view,
                        SupSubspaceTrainReport *report) {
  report->node_count = body->volume.fill.mesh.node_count;
  report->tet_count = body->volume.fill.mesh.tet_count;
  report->free_count = body->volume.body.free_count;
  report->function_count = view->function_count;
  report->cluster_count = view->cluster_count;
  report->scale = body->volume.scale;
  report->mass = body->mass;
  report->size = body->size;
}

SupResult sup_subspace_train(SupArena *arena, const SupSubspaceTrainDef *def,
                             SupSubspaceView *out_model, SupSubspaceTrainReport *out_report,
                             SupError *error) {
  SupResult result = check(def, error);
  if (result) return result;
  SupArena scratch = sup_scratch(arena);
  SubspaceBody body = {.def = def};
  SubspaceFunctions functions = {0};
  SubspaceTables tables = {0};
  SupSubspaceView view = {0};
  SupSubspaceTrainReport report = {0};
  result = prepare(&scratch, &body, &functions, &tables, &report, error);
  if (!result) result = correct(arena, &body, &tables, &report, error);
  if (!result) result = write(arena, &body, &functions, &tables, &view, &report, error);
  if (!result) {
    fill_report(&body, &view, &report);
    *out_model = view;
    *out_report = report;
  }
  sup_arena_free(&scratch);
  return result;
}
