/* SPDX-License-Identifier: MIT */
/*
 * One frame of the surface technique: linear blend skinning of the goal and one step, on a body of
 * 24 bones with four influences and four spokes per vertex, in motion.
 *
 * Each instruction set is compared with the naive version compiled for the same one, with all
 * threads, and with itself compiled with fused multiply-add: what the promise of the same bits
 * everywhere costs.
 */
#include <string.h>

#include "bench.h"
#include "limbed.h"
#include "naive_surface.h"
#include "supple/author/surface_pack.h"
#include "supple/geom/measure.h"
#include "supple/geom/topology.h"

#if defined(__x86_64__)
NaiveSurface naive_surface_scalar, naive_surface_sse2, naive_surface_avx2, naive_surface_avx512;
SupSkinKernel fused_skin_lbs_avx2, fused_skin_lbs_avx512;
SupSurfaceKernel fused_surface_prepare_avx2, fused_surface_prepare_avx512;
SupSurfaceKernel fused_surface_solve_avx2, fused_surface_solve_avx512;
#elif defined(__aarch64__)
NaiveSurface naive_surface_scalar, naive_surface_neon;
SupSkinKernel fused_skin_lbs_neon;
SupSurfaceKernel fused_surface_prepare_neon, fused_surface_solve_neon;
#else
NaiveSurface naive_surface_scalar;
#endif

/* What belongs to each backend. */
static const struct {
  const char *name;
  NaiveSurface *naive;
  SupSkinKernel *skin; /* fused; NULL where there is no such instruction */
  SupSurfaceKernel *prepare, *solve;
} rows[] = {
    {"scalar", naive_surface_scalar, NULL, NULL, NULL},
#if defined(__x86_64__)
    {"sse2", naive_surface_sse2, NULL, NULL, NULL},
    {"avx2", naive_surface_avx2, fused_skin_lbs_avx2, fused_surface_prepare_avx2,
     fused_surface_solve_avx2},
    {"avx512", naive_surface_avx512, fused_skin_lbs_avx512, fused_surface_prepare_avx512,
     fused_surface_solve_avx512},
#elif defined(__aarch64__)
    {"neon", naive_surface_neon, fused_skin_lbs_neon, fused_surface_prepare_neon,
     fused_surface_solve_neon},
#endif
};
enum { ROWS = sizeof rows / sizeof *rows };

enum { POSES = 16 }; /* of a motion that repeats */

typedef struct SurfaceData {
  Limbed body;
  SupSurfaceSegment segments[LIMBED_BONES];
  SupSurfaceView view;
  SupAffine palettes[POSES][LIMBED_BONES];
  NaiveBody naive;
  SupSurfaceState *state, *start; /* the same size; `start` is what a sample begins with */
} SurfaceData;

typedef struct SurfaceJob {
  SurfaceData *data;
  SupBackend backend;
  const SupJobs *jobs;
  NaiveSurface *naive;
  uint32_t pose;
} SurfaceJob;

/* ---- Running ----------------------------------------------------------------------------------
 */

static void run_naive(void *context) {
  SurfaceJob *job = context;
  job->naive(&job->data->naive, job->data->palettes[job->pose++ % POSES]);
}

static void run_ours(void *context) {
  SurfaceJob *job = context;
  SurfaceData *data = job->data;
  const SupAffine *palette = data->palettes[job->pose++ % POSES];
  const bool turned = sup_surface_wants_normals(data->view.flags);
  const SupSkinCall call = {.skin = &data->view.skin,
                            .palette = palette,
                            .positions = {sup_surface_next_goal(data->state), 0},
                            .normals = {turned ? sup_surface_next_normals(data->state) : NULL, 0}};
  sup_skin_lbs(&job->backend, job->jobs, &call);
  sup_surface_step(&data->view, data->state, &job->backend, job->jobs, palette, NULL);
}

static void prepare_ours(void *context) {
  SurfaceJob *job = context;
  memcpy(job->data->state, job->data->start, (size_t)job->data->start->bytes);
  job->pose = 2;
}

static uint64_t hash_ours(const void *context) {
  const SurfaceData *data = ((const SurfaceJob *)context)->data;
  return sup_hash(data->state, (size_t)data->state->bytes, 0);
}

static const SupVec3 *naive_rest(const NaiveBody *body, uint32_t v) {
  return &body->vertices[v].rest;
}

/* At the goal of pose 1, moving as it does since pose 0. */
static void prepare_naive(void *context) {
  SurfaceJob *job = context;
  NaiveBody *body = &job->data->naive;
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    SupVec3 goals[2] = {{0, 0, 0}, {0, 0, 0}};
    const NaiveFlesh *flesh = &body->vertices[v];
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 4; k++) {
        const SupVec3 p =
            sup_affine_point(job->data->palettes[i][flesh->bones[k]], *naive_rest(body, v));
        goals[i] = sup_vec3_add_scaled(goals[i], p, flesh->weights[k]);
      }
    }
    body->goal[v] = goals[1];
    body->goal_step[v] = body->dx[v] = sup_vec3_sub(goals[1], goals[0]);
    body->x[v] = sup_vec3_add(goals[1], body->dx[v]);
    body->rotation[v] = sup_quat_identity();
  }
  job->pose = 2;
}

static uint64_t hash_naive(const void *context) {
  const NaiveBody *body = &((const SurfaceJob *)context)->data->naive;
  return sup_hash(body->x, body->vertex_count * sizeof(SupVec3), 0);
}

/* ---- Data -------------------------------------------------------------------------------------
 */

/* Bones wave and turn, each by itself; the whole body goes up and down. */
static void make_palettes(SurfaceData *data, uint64_t seed) {
  SupRng rng = sup_rng(seed, 4);
  for (int k = 0; k < LIMBED_BONES; k++) {
    const SupVec3 axis = sup_vec3_normalise((SupVec3){
        sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f});
    const float swing = 0.15f * sup_rng_float(&rng), phase = 6 * sup_rng_float(&rng);
    for (int i = 0; i < POSES; i++) {
      const float t = (float)(2 * SUP_PI) * (float)i / POSES;
      const SupTransform pose = {{0, 0.1f * sup_sinf(t), 0},
                                 sup_quat_from_axis_angle(axis, swing * sup_sinf(t + phase)),
                                 {1, 1, 1}};
      data->palettes[i][k] = sup_affine_compose(pose);
    }
  }
}

static float segment_distance(const SupSurfaceSegment *s, SupVec3 p) {
  const SupVec3 d = sup_vec3_sub(s->b, s->a), r = sup_vec3_sub(p, s->a);
  float t = sup_vec3_dot(r, d) / sup_vec3_dot(d, d);
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return sup_vec3_length(sup_vec3_sub(r, sup_vec3_scale(d, t)));
}

static SupResult make_naive(Bench *bench, const SupSurfaceDef *def, SurfaceData *data,
                            SupError *error) {
  const uint32_t n = data->body.mesh.vertex_count;
  NaiveBody *body = &data->naive;
  SupRings rings;
  SupResult result = sup_rings(bench->arena, &data->body.mesh, &rings, error);
  if (result) return result;
  NaiveFlesh *vertices = SUP_ALLOC(bench->arena, NaiveFlesh, n);
  SupVec3 *normals = SUP_ALLOC(bench->arena, SupVec3, n);
  SupVec3 **arrays[8] = {&body->x, &body->dx,   &body->next_x,    &body->next_dx,
                         &body->w, &body->goal, &body->next_goal, &body->goal_step};
  for (int k = 0; k < 8; k++) {
    *arrays[k] = SUP_ALLOC(bench->arena, SupVec3, n);
    if (!*arrays[k]) return sup_fail_memory(error, "bench surface");
  }
  body->rotation = SUP_ALLOC(bench->arena, SupQuat, n);
  body->placed = SUP_ALLOC(bench->arena, SupSurfacePlaced, LIMBED_BONES);
  if (!vertices || !normals || !body->rotation || !body->placed) {
    return sup_fail_memory(error, "bench surface");
  }
  sup_vertex_normals(&data->body.mesh, normals);
  for (uint32_t v = 0; v < n; v++) {
    NaiveFlesh *to = &vertices[v];
    *to = (NaiveFlesh){.rest = data->body.mesh.positions[v],
                       .first_neighbour = rings.offsets[v],
                       .neighbour_count = rings.offsets[v + 1] - rings.offsets[v],
                       .alpha = def->values[SUP_SURFACE_ALPHA],
                       .beta = def->values[SUP_SURFACE_BETA],
                       .gamma = def->values[SUP_SURFACE_GAMMA],
                       .lambda = def->values[SUP_SURFACE_LAMBDA],
                       .delta = def->values[SUP_SURFACE_DELTA],
                       .eta = def->values[SUP_SURFACE_ETA],
                       .max_distance = def->values[SUP_SURFACE_MAX_DISTANCE],
                       .normal_alpha = def->values[SUP_SURFACE_MAP_NORMAL_ALPHA],
                       .normal_delta = def->values[SUP_SURFACE_MAP_NORMAL_DELTA],
                       .normal = normals[v]};
    for (uint32_t k = 0; k < to->neighbour_count; k++) {
      const uint32_t j = rings.neighbours[to->first_neighbour + k];
      const SupVec3 e = sup_vec3_sub(data->body.mesh.positions[j], to->rest);
      to->mean_edge = sup_vec3_add_scaled(to->mean_edge, e, 1.0f / (float)to->neighbour_count);
    }
    for (uint32_t k = 0; k < LIMBED_INFLUENCES; k++) {
      to->bones[k] = to->segments[k] = data->body.skin.bones[LIMBED_INFLUENCES * v + k];
      to->weights[k] = data->body.skin.weights[LIMBED_INFLUENCES * v + k];
      to->lengths[k] = segment_distance(&data->segments[to->bones[k]], to->rest);
    }
  }
  body->vertex_count = n;
  body->split = def->flags & SUP_SURFACE_NORMAL;
  body->segment_count = LIMBED_BONES;
  body->size = data->view.size;
  body->vertices = vertices;
  body->neighbours = rings.neighbours;
  body->segments = data->segments;
  return SUP_OK;
}

static SupResult make_data(Bench *bench, uint32_t vertex_count, uint32_t flags, SurfaceData *data,
                           SupError *error) {
  SupResult result =
      limbed_make(bench->arena, vertex_count, false, bench->seed, &data->body, error);
  if (result) return result;
  limbed_segments(data->segments);
  make_palettes(data, bench->seed);
  const SupCharacter character = {.name = "limbed",
                                  .skeleton = {.bone_count = LIMBED_BONES},
                                  .body = data->body.mesh,
                                  .skin = data->body.skin};
  SupSurfaceDef def = sup_surface_def();
  static const float values[SUP_SURFACE_TERMS] = {0.15f, 0.1f, 0.1f, 0.1f, 0.1f, 0.0f};
  for (int k = 0; k < SUP_SURFACE_TERMS; k++) def.values[k] = values[k];
  def.values[SUP_SURFACE_MAX_DISTANCE] = 1;
  def.values[SUP_SURFACE_MAP_NORMAL_ALPHA] = 0.4f;
  def.flags = flags;
  def.segment_count = LIMBED_BONES;
  def.segments = data->segments;
  SupModel *model;
  result = sup_surface_pack(bench->arena, &character, &def, &model, error);
  if (result) return result;
  data->view = sup_surface_view(model);
  const size_t bytes = sup_surface_bytes(&data->view);
  data->state = sup_arena_alloc(bench->arena, bytes, 1);
  data->start = sup_arena_alloc(bench->arena, bytes, 1);
  if (!data->state || !data->start) return sup_fail_memory(error, "bench surface");
  sup_surface_init(&data->view, data->state);
  SurfaceJob job = {.data = data, .backend = *sup_backend_find("scalar")};
  for (int i = 0; i < 2; i++) run_ours(&job);
  memcpy(data->start, data->state, bytes);
  return make_naive(bench, &def, data, error);
}

/* ---- Measuring --------------------------------------------------------------------------------
 */

/* Both versions must tell the same story: the mean distance after some frames is small beside the
 * mean distance from the goal. */
static SupResult agree(SurfaceJob naive, SurfaceJob ours, SupError *error) {
  SurfaceData *data = ours.data;
  prepare_naive(&naive);
  prepare_ours(&ours);
  for (int i = 0; i < 20; i++) {
    run_naive(&naive);
    run_ours(&ours);
  }
  const float *x = (const float *)(const void *)((const char *)data->state + data->state->x);
  double apart = 0, moved = 0;
  for (uint32_t v = 0; v < data->naive.vertex_count; v++) {
    const uint32_t lane = data->view.lanes[v];
    const float *p = x + (size_t)48 * (lane / 16) + lane % 16;
    const SupVec3 own = {p[0], p[16], p[32]};
    apart += (double)sup_vec3_distance(own, data->naive.x[v]);
    moved += (double)sup_vec3_distance(own, data->naive.goal[v]);
  }
  if (apart < 0.01 * moved) return SUP_OK;
  return sup_fail(error, SUP_ERROR_NUMERIC,
                  "bench surface: the naive version is %.3f of the motion away from ours",
                  apart / moved);
}

static SupResult measure(Bench *bench, SurfaceData *data, const SupBackend *backend,
                         const char *size_name, SupError *error) {
  uint32_t t = 0;
  while (t < ROWS && !sup_string_equal(rows[t].name, backend->name)) t++;
  if (t == ROWS) return SUP_OK;
  SurfaceJob naive = {.data = data, .backend = *backend, .naive = rows[t].naive};
  SurfaceJob ours = naive, threads = naive, fused = naive;
  threads.jobs = bench->jobs;
  SupResult result = agree(naive, ours, error);
  if (result) return result;
  BenchVariant variants[4] = {{.name = "naive",
                               .run = run_naive,
                               .prepare = prepare_naive,
                               .hash = hash_naive,
                               .context = &naive},
                              {.name = "blocks",
                               .run = run_ours,
                               .prepare = prepare_ours,
                               .hash = hash_ours,
                               .context = &ours,
                               .exact = true}};
  uint32_t count = 2;
  if (bench->thread_count > 1) {
    variants[count] = variants[1];
    variants[count].name = "blocks, all threads";
    variants[count].context = &threads;
    variants[count++].threaded = true;
  }
  if (rows[t].skin) {
    fused.backend.skin_lbs = rows[t].skin;
    fused.backend.surface_prepare = rows[t].prepare;
    fused.backend.surface_solve = rows[t].solve;
    variants[count] = variants[1];
    variants[count].name = "blocks, fused";
    variants[count].context = &fused;
    variants[count++].exact = false;
  }
  char *name = SUP_ALLOC(bench->arena, char, 64);
  if (!name) return sup_fail_memory(error, "bench surface");
  sup_format(name, 64, "%s, %s", size_name, backend->name);
  const BenchCase job = {name, "vertex", data->naive.vertex_count, count, variants};
  return bench_measure(bench, &job, error);
}

static SupResult run_suite(Bench *bench, SupError *error) {
  static const struct {
    const char *name;
    uint32_t vertex_count, flags;
    bool brief; /* measured even then */
  } sizes[] = {{"494 vertices", 494, 0, true},
               {"4,430 vertices", 4430, 0, false},
               {"6,969 vertices", 6969, 0, false},
               {"6,969, normals apart", 6969, SUP_SURFACE_NORMAL, false},
               {"25,001 vertices", 25001, 0, true},
               {"100,000 vertices", 100000, 0, false},
               {"1,000,000 vertices", 1000000, 0, false}};
  const SupBackend *backends[8];
  const uint32_t backend_count = sup_backend_list(backends, 8);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    if (bench->brief && !sizes[s].brief) continue;
    SurfaceData *data = SUP_ALLOC(bench->arena, SurfaceData, 1);
    if (!data) return sup_fail_memory(error, "bench surface");
    SupResult result = make_data(bench, sizes[s].vertex_count, sizes[s].flags, data, error);
    for (uint32_t k = 0; !result && k < backend_count; k++) {
      result = measure(bench, data, backends[k], sizes[s].name, error);
    }
    if (result) return result;
  }
  return SUP_OK;
}

const BenchSuite bench_surface = {"surface", "skinning and one step of the surface technique",
                                  run_suite};
