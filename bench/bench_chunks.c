/* SPDX-License-Identifier: MIT */
/*
 * The chunks technique: the goal of one character of about 20,000 vertices on as many chunks as
 * Guo's upper body (24, with 5,800 nodes) and quadruped (44, with 11,000) have.
 *
 * The first row is one pass of naive skinning for the same instruction set: the others' ratios are
 * parts of such a pass.
 */
#include "bench.h"
#include "fleshwork.h"
#include "naive_skin.h"

#if defined(__x86_64__)
NaiveSkin naive_skin_scalar, naive_skin_sse2, naive_skin_avx2, naive_skin_avx512;
#elif defined(__aarch64__)
NaiveSkin naive_skin_scalar, naive_skin_neon;
#else
NaiveSkin naive_skin_scalar;
#endif

static const struct {
  const char *name;
  NaiveSkin *naive;
} rows[] = {
    {"scalar", naive_skin_scalar},
#if defined(__x86_64__)
    {"sse2", naive_skin_sse2},
    {"avx2", naive_skin_avx2},
    {"avx512", naive_skin_avx512},
#elif defined(__aarch64__)
    {"neon", naive_skin_neon},
#endif
};

static const struct {
  PatchworkDef skin;
  FleshworkDef flesh;
} bodies[2] = {
    {{.around = 4, .along = 9, .cells = 23, .bare = 1, .seed = 1}, {"ollollooo", 4, 17}},
    {{.around = 4, .along = 17, .cells = 17, .bare = 1, .seed = 1}, {"ollollollollooooo", 4, 17}},
};

typedef struct Data {
  Patchwork patchwork;
  Fleshwork fleshwork;
  NaiveVertex *naive;
  SupModel *model;
  SupChunksView view;
  SupTransform joints[2][PATCHWORK_JOINTS]; /* two poses */
  SupAffine palettes[2][PATCHWORK_JOINTS];
  float *positions, *normals, *frames;
} Data;

typedef struct Job {
  const Data *data;
  const SupBackend *backend;
  const SupJobs *jobs;
  NaiveSkin *naive;
  SupChunksState *state;
  uint32_t turn;
} Job;

static void run_naive(void *context) {
  const Job *job = context;
  job->naive(job->data->naive, job->data->view.skin.vertex_count, job->data->palettes[0],
             (SupVec3 *)(void *)job->data->positions, (SupVec3 *)(void *)job->data->normals);
}

static void run_skin(void *context) {
  const Job *job = context;
  const SupSkinCall call = {.skin = &job->data->view.skin,
                            .palette = job->data->palettes[0],
                            .positions = {job->data->positions, 0},
                            .normals = {job->data->normals, 0}};
  sup_skin_lbs(job->backend, NULL, &call);
}

static void shape(Job *job, uint32_t pose, float *frames, float *normals) {
  const Data *data = job->data;
  const SupPose joints = {PATCHWORK_JOINTS, sup_transform_identity(),
                          (SupTransform *)(uintptr_t)data->joints[pose]};
  const SupChunksCall call = {&joints, data->palettes[pose], NULL, data->positions, normals,
                              frames};
  sup_chunks_shape(&data->view, job->state, job->backend, job->jobs, &call);
}

/* As a stack asks for it: with frames. */
static void run_moving(void *context) {
  Job *job = context;
  job->turn = 1 - job->turn;
  shape(job, job->turn, job->data->frames, NULL);
}

static void run_normals(void *context) {
  Job *job = context;
  job->turn = 1 - job->turn;
  shape(job, job->turn, job->data->frames, job->data->normals);
}

static void prepare(void *context) {
  Job *job = context;
  job->turn = 0;
  sup_chunks_init(&job->data->view, job->state);
  shape(job, 0, NULL, NULL);
}

static uint64_t hash_positions(const void *context) {
  const Job *job = context;
  return sup_hash(job->data->positions,
                  (size_t)3 * job->data->view.skin.vertex_count * sizeof(float), 0);
}

static SupResult make_data(Bench *bench, uint32_t which, Data *data, SupError *error) {
  static const float angles[2][2] = {{0.9f, 0.3f}, {1.1f, -0.2f}};
  Patchwork *p = &data->patchwork;
  if (!patchwork_make(bench->arena, &bodies[which].skin, p) ||
      !fleshwork_make(bench->arena, &bodies[which].skin, p, &bodies[which].flesh,
                      &data->fleshwork)) {
    return sup_fail_memory(error, "bench chunks");
  }
  SupResult result =
      sup_chunks_pack(bench->arena, &p->character, &data->fleshwork.def, &data->model, error);
  if (result) return result;
  data->view = sup_chunks_view(data->model);
  const uint32_t count = data->view.skin.vertex_count;
  const size_t lanes = (size_t)SUP_SKIN_BLOCK * data->view.skin.block_count;
  data->naive = SUP_ALLOC(bench->arena, NaiveVertex, count);
  data->positions = SUP_ALLOC(bench->arena, float, 3 * lanes);
  data->normals = SUP_ALLOC(bench->arena, float, 3 * lanes);
  data->frames = SUP_ALLOC(bench->arena, float, 9 * lanes);
  if (!data->naive || !data->positions || !data->normals || !data->frames) {
    return sup_fail_memory(error, "bench chunks");
  }
  for (uint32_t v = 0; v < count; v++) {
    const SupSkin *skin = &p->character.skin;
    data->naive[v].position = p->character.body.positions[v];
    data->naive[v].normal = sup_vec3_normalise(data->naive[v].position);
    for (uint32_t k = 0; k < skin->offsets[v + 1] - skin->offsets[v]; k++) {
      data->naive[v].bones[k] = skin->bones[skin->offsets[v] + k];
      data->naive[v].weights[k] = skin->weights[skin->offsets[v] + k];
    }
  }
  for (int k = 0; k < 2; k++) {
    SupAffine globals[PATCHWORK_JOINTS];
    patchwork_pose(p, angles[k][0], angles[k][1], data->joints[k]);
    const SupPose pose = {PATCHWORK_JOINTS, sup_transform_identity(), data->joints[k]};
    sup_pose_evaluate(&p->character.skeleton, &pose, globals, data->palettes[k]);
  }
  return SUP_OK;
}

static Job *make_job(Bench *bench, const Data *data, const SupBackend *backend, uint32_t row,
                     const SupJobs *jobs) {
  Job *job = SUP_ALLOC(bench->arena, Job, 1);
  void *block = sup_arena_alloc(bench->arena, 1, sup_chunks_bytes(&data->view));
  if (!job || !block) return NULL;
  *job = (Job){.data = data, .backend = backend, .jobs = jobs, .naive = rows[row].naive};
  job->state = sup_chunks_init(&data->view, block);
  return job;
}

static SupResult measure(Bench *bench, const Data *data, const SupBackend *backend,
                         SupError *error) {
  uint32_t t = 0;
  while (t < sizeof rows / sizeof *rows && !sup_string_equal(rows[t].name, backend->name)) t++;
  if (t == sizeof rows / sizeof *rows) return SUP_OK;
  Job *one = make_job(bench, data, backend, t, NULL);
  Job *all = make_job(bench, data, backend, t, bench->jobs);
  char *name = SUP_ALLOC(bench->arena, char, 80), *threads = SUP_ALLOC(bench->arena, char, 64);
  if (!one || !all || !name || !threads) return sup_fail_memory(error, "bench chunks");
  const uint32_t count = data->view.skin.vertex_count;
  sup_format(name, 80, "%u chunks, %u nodes, %u vertices, %s", data->view.piece_count,
             data->fleshwork.node_count, count, backend->name);
  sup_format(threads, 64, "goal, %u threads", bench->thread_count);
  const BenchVariant variants[] = {
      {"one naive skinning pass", run_naive, prepare, hash_positions, one, false, false},
      {"skinning", run_skin, prepare, hash_positions, one, false, false},
      {"goal", run_moving, prepare, hash_positions, one, false, false},
      {"goal with normals", run_normals, prepare, hash_positions, one, false, false},
      {threads, run_moving, prepare, hash_positions, all, true, false}};
  const uint32_t variant_count = bench->thread_count > 1 ? 5 : 4;
  const BenchCase cases = {name, "vertex", count, variant_count, variants};
  return bench_measure(bench, &cases, error);
}

static SupResult run_suite(Bench *bench, SupError *error) {
  const SupBackend *backends[8];
  const uint32_t count = sup_backend_list(backends, 8);
  SupResult result = SUP_OK;
  for (uint32_t which = 0; which < 2 && !result; which++) {
    Data *data = SUP_ALLOC(bench->arena, Data, 1);
    if (!data) return sup_fail_memory(error, "bench chunks");
    result = make_data(bench, which, data, error);
    for (uint32_t k = 0; k < count && !result; k++) {
      if (bench->brief && k + 1 < count) continue;
      result = measure(bench, data, backends[k], error);
    }
  }
  return result;
}

const BenchSuite bench_chunks = {"chunks", "the shape of a pose on 24 and on 44 chunks", run_suite};
