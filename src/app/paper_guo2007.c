/* SPDX-License-Identifier: MIT */
/* The study of Guo 2007: its characters, and the rows of its tables. */
#include "supple/app/paper_guo2007.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "app/envelope_job.h"
#include "app/paper_guo_parts.h"
#include "app/paper_keys.h"
#include "base/scratch.h"
#include "numerics/rbf.h"
#include "supple/app/example_files.h"
#include "supple/author/builtin.h"
#include "supple/author/metrics.h"

#define COOKIE 0x47554f37u

SupGuoDef sup_guo_def(void) { return (SupGuoDef){.cookie = COOKIE}; }

/* ---- Characters ----------------------------------------------------------------------------- */

/* The built-in arm, another mesh each: factors of its length along x and of its thickness. */
typedef struct GuoArm {
  const char *name;
  uint32_t vertices, quick;
  float along, across;
} GuoArm;

static const GuoArm arms[] = {{"arm", 6000, 1200, 1, 1},
                              {"a finer arm", 9000, 1600, 1, 1},
                              {"a long thin arm", 4500, 900, 1.06f, 0.97f},
                              {"a short fat arm", 5300, 1000, 0.9f, 1.1f}};

/* Stretches a character whose joints all stand upright at rest. */
static SupResult stretch(const SupAppContext *app, const GuoArm *arm, SupCharacter *io,
                         SupError *error) {
  const uint32_t joints = io->skeleton.joint_count, bones = io->skeleton.bone_count;
  const SupVec3 s = {arm->along, arm->across, arm->across};
  SupVec3 *body = SUP_ALLOC(app->arena, SupVec3, io->body.vertex_count);
  SupVec3 *render = SUP_ALLOC(app->arena, SupVec3, io->render.vertex_count);
  SupTransform *rest = SUP_COPY(app->arena, SupTransform, io->skeleton.rest, joints);
  SupAffine *bind = SUP_COPY(app->arena, SupAffine, io->skeleton.inverse_bind, bones);
  if (!body || !render || !rest || !bind) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < io->body.vertex_count; v++) {
    body[v] = sup_vec3_mul(io->body.positions[v], s);
  }
  for (uint32_t v = 0; v < io->render.vertex_count; v++) {
    render[v] = sup_vec3_mul(io->render.positions[v], s);
  }
  for (uint32_t j = 0; j < joints; j++) rest[j].translation = sup_vec3_mul(rest[j].translation, s);
  for (uint32_t b = 0; b < bones; b++) {
    for (int k = 0; k < 3; k++) bind[b].m[9 + k] *= k == 0 ? s.x : k == 1 ? s.y : s.z;
  }
  io->body.positions = body;
  io->render.positions = render;
  io->render.normals = NULL; /* of another shape; found again where they are wanted */
  io->skeleton.rest = rest;
  io->skeleton.inverse_bind = bind;
  io->clip_count = 0; /* clips move joints that are elsewhere now */
  return SUP_OK;
}

static SupResult make_arm(const SupAppContext *app, const GuoArm *arm, bool quick,
                          SupGuoFigure *out, SupError *error) {
  const SupBuiltinDef def = {
      .name = "arm", .vertices = quick ? arm->quick : arm->vertices, .jobs = app->jobs};
  SupGltfOptions options = sup_gltf_options();
  SupCharacter made;
  SupGltfCharacter *found;
  uint32_t count;
  options.allocator = app->allocator;
  options.memory_limit = 0;
  SupResult result = sup_builtin_character(app->arena, &def, &made, error);
  if (result == SUP_OK && (arm->along != 1 || arm->across != 1)) {
    result = stretch(app, arm, &made, error);
  }
  *out = (SupGuoFigure){.name = arm->name, .file = {.path = arm->name, .clips_path = arm->name}};
  if (result == SUP_OK) {
    result = sup_gltf_from_character(&made, &options, &out->file.document, error);
  }
  if (result == SUP_OK) {
    result = sup_gltf_characters(out->file.document, app->arena, &count, &found, error);
  }
  if (result != SUP_OK) {
    sup_character_close(&out->file);
    return result;
  }
  out->file.found = &found[0];
  out->file.character = &found[0].character;
  return SUP_OK;
}

static SupResult open_figure(const SupAppContext *app, const char *path, const char *patches,
                             SupGuoFigure *out, SupError *error) {
  const SupOpenDef def = sup_open_def();
  const char *slash = strrchr(path, '/');
  *out = (SupGuoFigure){.name = sup_app_shown(app, slash ? slash + 1 : path)};
  out->patch_file = patches;
  return sup_character_open(app, path, &def, &out->file, error);
}

static SupResult open_all(SupGuoStudy *s, SupError *error) {
  const SupAppContext inside = sup_app_inside(s->app);
  const SupGuoDef *def = &s->def;
  SupResult result;
  if (def->primary) {
    result = open_figure(&inside, def->primary, def->primary_patches, &s->primary, error);
    for (uint32_t k = 0; k < def->target_count && result == SUP_OK; k++) {
      result = open_figure(&inside, def->targets[k], def->target_patches[k], &s->targets[k], error);
      s->target_count += result == SUP_OK;
    }
    return result;
  }
  result = make_arm(&inside, &arms[0], def->quick, &s->primary, error);
  const uint32_t all = sizeof arms / sizeof *arms - 1, count = def->quick ? all - 1 : all;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = make_arm(&inside, &arms[all - k], def->quick, &s->targets[k], error);
    s->target_count += result == SUP_OK;
  }
  return result;
}

static SupResult prepare(SupGuoStudy *s, const SupGuoFigure *primary, SupGuoFigure *figure,
                         SupError *error) {
  GuoArms found;
  SupResult result = sup_guo_find_arms(s->app, figure, &found, error);
  if (result == SUP_OK) result = sup_guo_upper_body(s->app, &found, figure, error);
  if (result == SUP_OK) result = sup_guo_pose_all(s, primary, figure, &found, error);
  if (result == SUP_OK) result = sup_guo_settle(s, &found, figure, error);
  return result;
}

/* Before minutes of work: is there anything that could not be done? */
static SupResult check_all(const SupGuoStudy *s, SupError *error) {
  GuoArms found;
  const SupGuoFigure *first = &s->primary;
  SupResult result = sup_guo_find_arms(s->app, first, &found, error);
  for (uint32_t k = 0; k < s->target_count && result == SUP_OK; k++) {
    const SupGuoFigure *target = &s->targets[k];
    result = sup_guo_find_arms(s->app, target, &found, error);
    if (result == SUP_OK) {
      result = sup_envelope_correspond(s->app, &first->file, first->patch_file, &target->file,
                                       target->patch_file, error);
    }
  }
  return result;
}

SupResult sup_guo_open(const SupAppContext *app, const SupGuoDef *def, SupGuoStudy *out_study,
                       SupError *error) {
  *out_study = (SupGuoStudy){.app = app, .def = *def};
  if (def->cookie != COOKIE || def->target_count > SUP_GUO_TARGETS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "guo2007-ebtle: start from sup_guo_def(); at most %d "
                    "targets",
                    SUP_GUO_TARGETS);
  }
  if (!def->primary && def->target_count > 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "guo2007-ebtle: a target without a primary; the built-in arm has its own");
  }
  SupResult result = open_all(out_study, error);
  if (result == SUP_OK) result = check_all(out_study, error);
  if (result == SUP_OK) result = prepare(out_study, NULL, &out_study->primary, error);
  return result;
}

void sup_guo_close(SupGuoStudy *s) {
  sup_character_close(&s->primary.file);
  for (uint32_t k = 0; k < s->target_count; k++) sup_character_close(&s->targets[k].file);
}

SupResult sup_guo_target(SupGuoStudy *s, uint32_t target, SupError *error) {
  SupGuoFigure *figure = &s->targets[target];
  return figure->areas ? SUP_OK : prepare(s, &s->primary, figure, error);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Correctives are shown by a stack. */
static SupResult show_set(const SupGuoStudy *study, GuoShower *s, const SupGuoPoses *poses,
                          SupVec3 *out, SupError *error) {
  const SupCharacter *c = s->figure->file.character;
  if (s->model && !s->state) {
    SupModelList list = {0};
    const SupExample example = {.samples = {.fps = 60,
                                            .frame_count = poses->count,
                                            .vertex_count = c->body.vertex_count,
                                            .order = SUP_ORDER_BODY,
                                            .positions = poses->truth,
                                            .joint_count = c->skeleton.joint_count,
                                            .poses = poses->joints}};
    SupResult result = sup_models_place(&list, s->model, error);
    if (result != SUP_OK || poses->count == 0) return result;
    return sup_show_example(study->app, &s->figure->file, &list, 0, &example, out, error);
  }
  for (uint32_t k = 0; k < poses->count; k++) {
    sup_guo_show(s, poses->joints + (size_t)k * c->skeleton.joint_count,
                 out + (size_t)k * c->body.vertex_count);
  }
  return SUP_OK;
}

static SupResult judge(const SupGuoStudy *study, const SupGuoFigure *figure,
                       const SupGuoPoses *poses, const SupVec3 *shown, SupGuoError *out,
                       SupError *error) {
  const SupCharacter *c = figure->file.character;
  const uint32_t n = c->body.vertex_count;
  double sums[2] = {0}, area = 0;
  *out = (SupGuoError){0};
  if (poses->count == 0) return SUP_OK;
  for (uint32_t v = 0; v < n; v++) area += figure->areas[v];
  for (size_t k = 0; k < (size_t)poses->count * n; k++) {
    const double weight = figure->areas[k % n];
    if (!(weight > 0)) continue;
    const double off = (double)sup_vec3_distance(shown[k], poses->truth[k]);
    const double skinned = (double)sup_vec3_distance(poses->skinning[k], poses->truth[k]);
    sums[0] += weight * off * off;
    sums[1] += weight * skinned * skinned;
    out->worst = fmax(out->worst, off);
  }
  out->rms = sqrt(sums[0] / (area * poses->count));
  out->relative_error = sums[1] > 0 ? sqrt(sums[0] / sums[1]) : 0;
  const SupFoldedAreaDef folded = {.body = &c->body,
                                   .frame_count = poses->count,
                                   .a = shown,
                                   .b = poses->truth,
                                   .jobs = study->app->jobs};
  SupFoldedAreaReport report;
  SupResult result = sup_folded_area(study->app->arena, &folded, &report, NULL, error);
  if (result == SUP_OK) out->folded = (double)report.worst;
  return result;
}

static SupResult find_volume(const SupGuoStudy *study, const SupGuoFigure *figure, SupGuoRow *io,
                             SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t set = 0; set < SUP_GUO_CLIPS && result == SUP_OK; set++) {
    const SupVolumeDef def = {.body = &figure->file.character->body,
                              .frame_count = figure->sets[set].count,
                              .positions = io->positions[set],
                              .jobs = study->app->jobs};
    SupVolumeReport report;
    result = sup_volume_deviation(study->app->arena, &def, &report, NULL, error);
    if (result == SUP_OK) io->volume = fmax(io->volume, (double)report.peak);
  }
  return result;
}

/* ---- Times ---------------------------------------------------------------------------------- */

/* Seconds of the processor for so many rounds of both examples. */
static double rounds(GuoShower *s, uint32_t count, SupVec3 *out) {
  const SupGuoPoses *poses = &s->figure->sets[SUP_GUO_EXAMPLES];
  const uint32_t joints = s->figure->file.character->skeleton.joint_count;
  const clock_t began = clock();
  for (uint32_t k = 0; k < count * poses->count; k++) {
    sup_guo_show(s, poses->joints + (size_t)(k % poses->count) * joints, out);
  }
  return (double)(clock() - began) / CLOCKS_PER_SEC;
}

/* Microseconds of a pose: the two examples by turns, so that angles move. */
static double time_of(GuoShower *s, SupVec3 *out) {
  enum { RUNS = 7, LONGEST = 1 << 16 };
  const double enough = 4e-3; /* beside the clock's own microsecond */
  uint32_t count = 1;
  while (count < LONGEST && rounds(s, count, out) < enough) count *= 2;
  double least = INFINITY;
  for (int run = 0; run < RUNS; run++) least = fmin(least, rounds(s, count, out));
  return 1e6 * least / (count * s->figure->sets[SUP_GUO_EXAMPLES].count);
}

static void take_times(GuoShower *s, SupVec3 *out, SupGuoRow *io_row) {
  if (s->model && !s->state) return;
  io_row->micros = io_row->scalar_micros = time_of(s, out);
  const SupBackend *scalar = sup_backend_find("scalar");
  if (!s->state || !scalar) return;
  s->backend = scalar;
  io_row->scalar_micros = time_of(s, out);
}

double sup_guo_naive(const SupGuoStudy *study, const SupGuoFigure *figure) {
  SupGuoRow row;
  GuoShower shower;
  SupVec3 *out = SUP_ALLOC(study->app->arena, SupVec3, figure->file.character->body.vertex_count);
  if (!out || sup_guo_learn(study, figure, SUP_GUO_SKINNING, &shower, &row, NULL) != SUP_OK) {
    return 0;
  }
  return time_of(&shower, out);
}

SupResult sup_guo_try(const SupGuoStudy *study, const SupGuoFigure *figure, SupGuoWay way,
                      SupGuoRow *out_row, SupError *error) {
  const uint32_t n = figure->file.character->body.vertex_count;
  SupGuoRow row = {.way = way};
  GuoShower shower;
  SupResult result = sup_guo_learn(study, figure, way, &shower, &row, error);
  for (uint32_t set = 0; set <= SUP_GUO_CLIPS && result == SUP_OK; set++) {
    const SupGuoPoses *poses = &figure->sets[set];
    row.positions[set] = SUP_ALLOC(study->app->arena, SupVec3, (size_t)poses->count * n + 1);
    if (!row.positions[set]) return sup_fail_memory(error, NULL);
    result = show_set(study, &shower, poses, row.positions[set], error);
    if (result == SUP_OK) {
      result = judge(study, figure, poses, row.positions[set], &row.errors[set], error);
    }
  }
  if (result == SUP_OK) result = find_volume(study, figure, &row, error);
  if (result != SUP_OK) return result;
  SupVec3 *out = SUP_ALLOC(study->app->arena, SupVec3, n);
  if (!out) return sup_fail_memory(error, NULL);
  take_times(&shower, out, &row);
  *out_row = row;
  return SUP_OK;
}

/* ---- The tables of the thesis --------------------------------------------------------------- */

const SupGuoNetwork sup_guo_networks[SUP_GUO_NETWORKS] = {{"upper arm 1", 210, 0.032, 1.46e-4},
                                                          {"upper arm 2", 278, 0.079, 1.99e-4},
                                                          {"upper arm 3", 214, 0.047, 1.41e-4},
                                                          {"upper arm 4", 304, 0.094, 2.29e-4},
                                                          {"front chest", 322, 0.093, 2.28e-4}};

const SupGuoCharacter sup_guo_characters[SUP_GUO_CHARACTERS] = {
    {"muscular man", 7879, 0.016, 0.094, 0.278, 0.388},
    {"soldier", 11713, 0.016, 0.172, 0.353, 0.541},
    {"superhero", 20442, 0.016, 0.218, 0.546, 0.780},
    {"kid", 5945, 0.016, 0.051, 0.281, 0.348},
    {"gibbon", 5322, 0.016, 0.062, 0.216, 0.294}};

/* Places in a disc and two levels of one angle, and three numbers at each. */
static void fill_network(SupRng *rng, uint32_t count, double *centres, double *values) {
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t place = k % (count / 2);
    double *to = centres + 3 * (size_t)k;
    if (k < count / 2) {
      const double radius = sup_sqrt(sup_rng_double(rng));
      const double turn = 2 * SUP_PI * sup_rng_double(rng);
      to[0] = radius * sup_cos(turn);
      to[1] = radius * sup_sin(turn);
      to[2] = 0;
    } else {
      to[0] = centres[3 * (size_t)place];
      to[1] = centres[3 * (size_t)place + 1];
      to[2] = 0.5;
    }
    for (int i = 0; i < 3; i++) values[3 * k + (uint32_t)i] = sup_rng_double(rng);
  }
}

SupResult sup_guo_network(const SupAppContext *app, const SupGuoNetwork *network, double *out_solve,
                          double *out_evaluate, SupError *error) {
  enum { RUNS = 5, TIMES = 200 };
  const uint32_t n = network->function_count;
  double *centres = SUP_ALLOC(app->arena, double, 3 * (size_t)n);
  double *values = SUP_ALLOC(app->arena, double, 3 * (size_t)n);
  SupRng rng = sup_rng(app->seed, n);
  SupResult result = SUP_OK;
  if (!centres || !values) return sup_fail_memory(error, NULL);
  fill_network(&rng, n, centres, values);
  *out_solve = *out_evaluate = INFINITY;
  for (int run = 0; run < RUNS && result == SUP_OK; run++) {
    SupArena scratch = sup_scratch(app->arena);
    const SupRbfDef def = {SUP_RBF_THIN_PLATE, 3, n, 3, centres, values, 0};
    SupRbf rbf;
    double began = sup_app_seconds(), now[3];
    result = sup_rbf_fit(&scratch, &def, &rbf, error);
    *out_solve = fmin(*out_solve, sup_app_seconds() - began);
    began = sup_app_seconds();
    for (int k = 0; k < TIMES && result == SUP_OK; k++) {
      const double at[3] = {0.3, 0.1, 0.5 * k / TIMES};
      sup_rbf_at(&rbf, at, now);
    }
    *out_evaluate = fmin(*out_evaluate, (sup_app_seconds() - began) / TIMES);
    sup_arena_free(&scratch);
  }
  return result;
}
