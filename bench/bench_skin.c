/* SPDX-License-Identifier: MIT */
/*
 * Linear blend skinning: 24 bones, 4 influences, positions and normals.
 *
 * Each instruction set is compared with the naive loop compiled for the same one (as the compiler
 * likes, and kept scalar), with a copy of as many bytes, and with itself compiled with fused
 * multiply-add: what the promise of the same bits everywhere costs.
 */
#include <string.h>

#include "bench.h"
#include "limbed.h"
#include "naive_skin.h"
#include "supple/author/skin_pack.h"

typedef void FusedKernel(const SupSkinCall *call, SupRange blocks);

#if defined(__x86_64__)
NaiveSkin naive_skin_scalar, naive_skin_sse2, naive_skin_avx2, naive_skin_avx512;
NaiveSkin naive_loop_scalar, naive_loop_sse2, naive_loop_avx2, naive_loop_avx512;
FusedKernel fused_skin_lbs_avx2, fused_skin_lbs_avx512;
#elif defined(__aarch64__)
NaiveSkin naive_skin_scalar, naive_skin_neon, naive_loop_scalar, naive_loop_neon;
FusedKernel fused_skin_lbs_neon;
#else
NaiveSkin naive_skin_scalar, naive_loop_scalar;
#endif

/* What belongs to each backend. */
static const struct {
  const char *name;
  NaiveSkin *naive, *loop;
  FusedKernel *fused; /* NULL where there is no such instruction */
} rows[] = {
    {"scalar", naive_skin_scalar, naive_loop_scalar, NULL},
#if defined(__x86_64__)
    {"sse2", naive_skin_sse2, naive_loop_sse2, NULL},
    {"avx2", naive_skin_avx2, naive_loop_avx2, fused_skin_lbs_avx2},
    {"avx512", naive_skin_avx512, naive_loop_avx512, fused_skin_lbs_avx512},
#elif defined(__aarch64__)
    {"neon", naive_skin_neon, naive_loop_neon, fused_skin_lbs_neon},
#endif
};

typedef struct SkinJob {
  const Limbed *body;
  const NaiveVertex *naive_vertices;
  const SupAffine *palette;
  const SupBackend *backend;
  const SupJobs *jobs;
  NaiveSkin *naive;
  FusedKernel *fused;
  SupSkinCall call;
  float *positions, *normals; /* [3 * lanes] */
} SkinJob;

static void run_naive(void *context) {
  SkinJob *job = context;
  job->naive(job->naive_vertices, job->body->mesh.vertex_count, job->palette,
             (SupVec3 *)(void *)job->positions, (SupVec3 *)(void *)job->normals);
}

static void run_copy(void *context) {
  SkinJob *job = context;
  size_t bytes = job->body->mesh.vertex_count * sizeof(SupVec3);
  memcpy(job->positions, job->body->mesh.positions, bytes);
  memcpy(job->normals, job->body->normals, bytes);
}

static void run_skin(void *context) {
  SkinJob *job = context;
  sup_skin_lbs(job->backend, job->jobs, &job->call);
}

static void run_fused(void *context) {
  SkinJob *job = context;
  SupRange all = {0, job->call.skin->block_count, 0};
  job->fused(&job->call, all);
}

/* Of results in vertex order. */
static uint64_t hash_vertices(const void *context) {
  const SkinJob *job = context;
  size_t bytes = job->body->mesh.vertex_count * sizeof(SupVec3);
  return sup_hash(job->normals, bytes, sup_hash(job->positions, bytes, 0));
}

static uint64_t hash_blocks(const void *context) {
  /* Skin once more into vertices: the kernel gives the same bits in both layouts (a test asserts
   * it), so this is the hash of what was timed. */
  SkinJob job = *(const SkinJob *)context;
  job.call.positions.stride = job.call.normals.stride = 3;
  if (job.fused) {
    run_fused(&job);
  } else {
    run_skin(&job);
  }
  return hash_vertices(&job);
}

typedef struct SkinData {
  Limbed body;
  SupSkinView skin;
  NaiveVertex *naive_vertices;
  SupAffine palette[LIMBED_BONES];
  float *positions, *normals;
} SkinData;

static void make_palette(uint64_t seed, SupAffine *palette) {
  SupRng rng = sup_rng(seed, 3);
  for (int k = 0; k < LIMBED_BONES; k++) {
    SupVec3 axis = {sup_rng_float(&rng), sup_rng_float(&rng), sup_rng_float(&rng)};
    SupTransform t = {{sup_rng_float(&rng), sup_rng_float(&rng), sup_rng_float(&rng)},
                      sup_quat_from_axis_angle(sup_vec3_normalise(axis), sup_rng_float(&rng)),
                      {1, 1, 1}};
    palette[k] = sup_affine_compose(t);
  }
}

static SupResult make_data(Bench *bench, uint32_t vertex_count, bool shuffled, SkinData *data,
                           SupError *error) {
  SupResult result =
      limbed_make(bench->arena, vertex_count, shuffled, bench->seed, &data->body, error);
  if (result) return result;
  const SupSkin *skin = &data->body.skin;
  const uint32_t *order = NULL;
  result = sup_skin_order(bench->arena, &data->body.mesh, skin, LIMBED_BONES, &order, error);
  if (result) return result;
  SupSkinSource source = {.vertex_count = vertex_count,
                          .bone_count = LIMBED_BONES,
                          .positions = data->body.mesh.positions,
                          .normals = data->body.normals,
                          .skin = *skin,
                          .order = order};
  result = sup_skin_pack(bench->arena, &source, &data->skin, error);
  if (result) return result;
  size_t lanes = (size_t)SUP_SKIN_BLOCK * data->skin.block_count;
  data->naive_vertices = SUP_ALLOC(bench->arena, NaiveVertex, vertex_count);
  data->positions = SUP_ALLOC(bench->arena, float, 3 * lanes);
  data->normals = SUP_ALLOC(bench->arena, float, 3 * lanes);
  if (!data->naive_vertices || !data->positions || !data->normals) {
    return sup_fail_memory(error, "bench skin");
  }
  for (uint32_t v = 0; v < vertex_count; v++) {
    NaiveVertex *to = &data->naive_vertices[v];
    to->position = source.positions[v];
    to->normal = source.normals[v];
    for (uint32_t k = 0; k < LIMBED_INFLUENCES; k++) {
      to->bones[k] = skin->bones[skin->offsets[v] + k];
      to->weights[k] = skin->weights[skin->offsets[v] + k];
    }
  }
  make_palette(bench->seed, data->palette);
  return SUP_OK;
}

static SupResult measure(Bench *bench, const SkinData *data, const SupBackend *backend,
                         const char *size_name, SupError *error) {
  uint32_t t = 0;
  while (t < sizeof rows / sizeof *rows && !sup_string_equal(rows[t].name, backend->name)) t++;
  if (t == sizeof rows / sizeof *rows) return SUP_OK;
  SkinJob naive = {.body = &data->body,
                   .naive_vertices = data->naive_vertices,
                   .palette = data->palette,
                   .backend = backend,
                   .naive = rows[t].naive,
                   .positions = data->positions,
                   .normals = data->normals};
  SkinJob loop = naive, ours = naive;
  loop.naive = rows[t].loop;
  ours.call = (SupSkinCall){.skin = &data->skin,
                            .palette = data->palette,
                            .positions = {data->positions, 0},
                            .normals = {data->normals, 0}};
  SkinJob unit = ours, vertices = ours, threads = ours, fused = ours;
  unit.call.unit = true;
  vertices.call.positions.stride = vertices.call.normals.stride = 3;
  threads.jobs = bench->jobs;
  fused.fused = rows[t].fused;
  BenchVariant variants[8] = {
      {.name = "naive", .run = run_naive, .hash = hash_vertices, .context = &naive},
      {.name = "naive, kept scalar", .run = run_naive, .hash = hash_vertices, .context = &loop},
      {.name = "memcpy", .run = run_copy, .hash = hash_vertices, .context = &naive},
      {.name = "blocks", .run = run_skin, .hash = hash_blocks, .context = &ours, .exact = true},
      {.name = "blocks, unit normals", .run = run_skin, .hash = hash_blocks, .context = &unit},
      {.name = "to vertices",
       .run = run_skin,
       .hash = hash_vertices,
       .context = &vertices,
       .exact = true},
  };
  uint32_t count = 6;
  if (bench->thread_count > 1) {
    variants[count++] = (BenchVariant){.name = "blocks, all threads",
                                       .run = run_skin,
                                       .hash = hash_blocks,
                                       .context = &threads,
                                       .threaded = true,
                                       .exact = true};
  }
  if (fused.fused) {
    variants[count++] = (BenchVariant){
        .name = "blocks, fused", .run = run_fused, .hash = hash_blocks, .context = &fused};
  }
  char *name = SUP_ALLOC(bench->arena, char, 64);
  if (!name) return sup_fail_memory(error, "bench skin");
  sup_format(name, 64, "%s, %s", size_name, backend->name);
  BenchCase job = {name, "vertex", data->body.mesh.vertex_count, count, variants};
  return bench_measure(bench, &job, error);
}

static SupResult run_suite(Bench *bench, SupError *error) {
  static const struct {
    const char *name;
    uint32_t vertex_count;
    bool shuffled;
  } sizes[] = {{"494 vertices", 494, false},
               {"25,001 vertices", 25001, false},
               {"25,001 shuffled", 25001, true},
               {"1,000,000 vertices", 1000000, false}};
  const SupBackend *backends[8];
  uint32_t backend_count = sup_backend_list(backends, 8);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    if (bench->brief && (sizes[s].shuffled || sizes[s].vertex_count > 100000)) continue;
    SkinData *data = SUP_ALLOC(bench->arena, SkinData, 1);
    if (!data) return sup_fail_memory(error, "bench skin");
    SupResult result = make_data(bench, sizes[s].vertex_count, sizes[s].shuffled, data, error);
    for (uint32_t k = 0; !result && k < backend_count; k++) {
      result = measure(bench, data, backends[k], sizes[s].name, error);
    }
    if (result) return result;
  }
  return SUP_OK;
}

const BenchSuite bench_skin = {"skin", "linear blend skinning of positions and normals", run_suite};
