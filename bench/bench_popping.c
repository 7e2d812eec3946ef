/* SPDX-License-Identifier: MIT */
/*
 * The popping technique: one character of 4,380 vertices (Son and Han's number) with three pairs of
 * shapes that move every vertex, all of it clenched: a frame at the model's own rate, and its
 * parts.
 *
 * The first row is one pass of naive skinning for the same instruction set: the others' ratios are
 * parts of such a pass.
 */
#include "bench.h"
#include "limbed.h"
#include "naive_skin.h"
#include "supple/author/popping_pack.h"

enum { PAIRS = 3, VERTICES = 4380, FEATURES = 1 + 9 * LIMBED_BONES + PAIRS };

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

typedef struct Data {
  Limbed body;
  NaiveVertex *naive;
  SupModel *model;
  SupPoppingView view;
  SupTransform joints[LIMBED_BONES];
  SupAffine palette[LIMBED_BONES];
  float *positions, *normals;
} Data;

typedef struct Job {
  const Data *data;
  const SupBackend *backend;
  NaiveSkin *naive;
  SupPoppingState *state;
  float features[FEATURES], weights[PAIRS];
  const float *fractions;
} Job;

static void run_naive(void *context) {
  Job *job = context;
  job->naive(job->data->naive, VERTICES, job->data->palette,
             (SupVec3 *)(void *)job->data->positions, (SupVec3 *)(void *)job->data->normals);
}

static void weigh(Job *job) {
  const Data *data = job->data;
  const SupPose pose = {LIMBED_BONES, sup_transform_identity(),
                        (SupTransform *)(uintptr_t)data->joints};
  sup_correctives_read(&data->view.poses, &pose, data->palette, (SupVec3){0, 0, 0}, job->features);
  sup_correctives_weights(&data->view.poses, job->features, job->weights);
}

static void skin(const Job *job, bool shaped, bool clenched) {
  const Data *data = job->data;
  const SupSkinLayer layer = {
      .skin = &data->view.bulge, .weights = job->weights, .fractions = job->fractions};
  const SupSkinCall call = {.skin = &data->view.poses.skin,
                            .palette = data->palette,
                            .morph_weights = shaped ? job->weights : NULL,
                            .layer_count = clenched,
                            .layers = &layer,
                            .positions = {data->positions, 0},
                            .normals = {data->normals, 0}};
  sup_skin_lbs(job->backend, NULL, &call);
}

static void move(Job *job) {
  sup_popping_step(&job->data->view, job->state, job->backend, 1.0 / 60, 0, NULL);
  job->fractions = sup_popping_show(&job->data->view, job->state, job->backend);
}

static void run_skin(void *context) { skin(context, false, false); }
static void run_move(void *context) { move(context); }

static void run_shape(void *context) {
  weigh(context);
  skin(context, true, true);
}

static void run_all(void *context) {
  weigh(context);
  move(context);
  skin(context, true, true);
}

/* Between two steps the fraction of one is shown. */
static void run_between(void *context) {
  Job *job = context;
  weigh(job);
  sup_popping_step(&job->data->view, job->state, job->backend, 1.0 / 144, 0, NULL);
  job->fractions = sup_popping_show(&job->data->view, job->state, job->backend);
  skin(job, true, true);
}

static void prepare(void *context) {
  Job *job = context;
  const SupPoppingEvent activate = {.group = SUP_POPPING_ALL, .strength = 1};
  sup_popping_reset(job->state);
  sup_popping_step(&job->data->view, job->state, job->backend, 1.0 / 60, 1, &activate);
  weigh(job);
  move(job);
}

static uint64_t hash_positions(const void *context) {
  const Job *job = context;
  return sup_hash(job->data->positions, (size_t)3 * VERTICES * sizeof(float), 0);
}

static uint64_t hash_fractions(const void *context) {
  const Job *job = context;
  return sup_hash(job->fractions, VERTICES * sizeof(float), 0);
}

/* Three random poses and shapes; what they look like does not matter here. */
static SupResult make_model(Bench *bench, Data *data, SupError *error) {
  SupRng rng = sup_rng(bench->seed, 8);
  SupVec3 *shapes = SUP_ALLOC(bench->arena, SupVec3, 2 * PAIRS * VERTICES);
  double *numbers = SUP_ALLOC(bench->arena, double, PAIRS *FEATURES + 2 * VERTICES);
  float *centres = SUP_ALLOC(bench->arena, float, PAIRS *(1 + 9 * LIMBED_BONES) + 2 * PAIRS);
  uint32_t *drivers = SUP_ALLOC(bench->arena, uint32_t, LIMBED_BONES);
  if (!shapes || !numbers || !centres || !drivers) {
    return sup_fail_memory(error, "bench popping");
  }
  double *keep = numbers + PAIRS * FEATURES, *pull = keep + VERTICES;
  float *limits = centres + PAIRS * (1 + 9 * LIMBED_BONES);
  for (uint32_t i = 0; i < 2 * PAIRS * VERTICES; i++) {
    shapes[i] = (SupVec3){0.02f * sup_rng_float(&rng), 0.02f * sup_rng_float(&rng), 0.01f};
  }
  for (uint32_t i = 0; i < PAIRS * FEATURES; i++) numbers[i] = 0.1 * sup_rng_double(&rng);
  for (uint32_t i = 0; i < PAIRS * (1 + 9 * LIMBED_BONES); i++) centres[i] = sup_rng_float(&rng);
  for (uint32_t i = 0; i < PAIRS; i++) limits[2 * i] = -0.5f, limits[2 * i + 1] = 1.5f;
  for (uint32_t v = 0; v < VERTICES; v++) {
    const SupPoppingSwing swing = sup_popping_swing_stiff(0.2 + 0.7 * sup_rng_double(&rng));
    keep[v] = swing.keep;
    pull[v] = swing.pull;
  }
  for (uint32_t j = 0; j < LIMBED_BONES; j++) drivers[j] = j;
  SupPoppingDef def = sup_popping_def();
  def.poses.component_count = def.poses.centre_count = PAIRS;
  def.poses.shapes = shapes;
  def.poses.driver_count = LIMBED_BONES;
  def.poses.drivers = drivers;
  def.poses.centres = centres;
  def.poses.matrix = numbers;
  def.poses.limits = limits;
  def.bulges = shapes + PAIRS * VERTICES;
  def.keep = keep;
  def.pull = pull;
  const SupCharacter character = {
      .name = "limbed",
      .skeleton = {.joint_count = LIMBED_BONES, .bone_count = LIMBED_BONES, .rest = data->joints},
      .body = data->body.mesh,
      .skin = data->body.skin};
  SupResult result = sup_popping_pack(bench->arena, &character, &def, &data->model, error);
  if (!result) data->view = sup_popping_view(data->model);
  return result;
}

static SupResult make_data(Bench *bench, Data *data, SupError *error) {
  SupResult result = limbed_make(bench->arena, VERTICES, false, bench->seed, &data->body, error);
  if (result) return result;
  SupRng rng = sup_rng(bench->seed, 3);
  for (int k = 0; k < LIMBED_BONES; k++) {
    const SupVec3 axis = {sup_rng_float(&rng), sup_rng_float(&rng), 1};
    data->joints[k] =
        (SupTransform){{sup_rng_float(&rng), sup_rng_float(&rng), sup_rng_float(&rng)},
                       sup_quat_from_axis_angle(sup_vec3_normalise(axis), sup_rng_float(&rng)),
                       {1, 1, 1}};
    data->palette[k] = sup_affine_compose(data->joints[k]);
  }
  result = make_model(bench, data, error);
  if (result) return result;
  const size_t lanes = (size_t)SUP_SKIN_BLOCK * data->view.bulge.block_count;
  const SupSkin *skin_of = &data->body.skin;
  data->naive = SUP_ALLOC(bench->arena, NaiveVertex, VERTICES);
  data->positions = SUP_ALLOC(bench->arena, float, 3 * lanes);
  data->normals = SUP_ALLOC(bench->arena, float, 3 * lanes);
  if (!data->naive || !data->positions || !data->normals) {
    return sup_fail_memory(error, "bench popping");
  }
  for (uint32_t v = 0; v < VERTICES; v++) {
    data->naive[v].position = data->body.mesh.positions[v];
    data->naive[v].normal = data->body.normals[v];
    for (uint32_t k = 0; k < LIMBED_INFLUENCES; k++) {
      data->naive[v].bones[k] = skin_of->bones[skin_of->offsets[v] + k];
      data->naive[v].weights[k] = skin_of->weights[skin_of->offsets[v] + k];
    }
  }
  return SUP_OK;
}

static SupResult measure(Bench *bench, const Data *data, const SupBackend *backend,
                         SupError *error) {
  uint32_t t = 0;
  while (t < sizeof rows / sizeof *rows && !sup_string_equal(rows[t].name, backend->name)) t++;
  if (t == sizeof rows / sizeof *rows) return SUP_OK;
  Job *job = SUP_ALLOC(bench->arena, Job, 1);
  void *block = sup_arena_alloc(bench->arena, 1, sup_popping_bytes(&data->view));
  char *name = SUP_ALLOC(bench->arena, char, 64);
  if (!job || !block || !name) {
    return sup_fail_memory(error, "bench popping");
  }
  *job = (Job){.data = data, .backend = backend, .naive = rows[t].naive};
  job->state = sup_popping_init(&data->view, block);
  const BenchVariant variants[] = {
      {"one naive skinning pass", run_naive, prepare, hash_positions, job, false, false},
      {"skinning", run_skin, prepare, hash_positions, job, false, false},
      {"dynamics", run_move, prepare, hash_fractions, job, false, false},
      {"interpolation and skinning", run_shape, prepare, hash_positions, job, false, false},
      {"all of a frame", run_all, prepare, hash_positions, job, false, false},
      {"all, between steps", run_between, prepare, hash_positions, job, false, false}};
  sup_format(name, 64, "4,380 vertices, 3 pairs, %s", backend->name);
  const BenchCase all = {name, "vertex", VERTICES, sizeof variants / sizeof *variants, variants};
  return bench_measure(bench, &all, error);
}

static SupResult run_suite(Bench *bench, SupError *error) {
  const SupBackend *backends[8];
  const uint32_t count = sup_backend_list(backends, 8);
  Data *data = SUP_ALLOC(bench->arena, Data, 1);
  if (!data) return sup_fail_memory(error, "bench popping");
  SupResult result = make_data(bench, data, error);
  for (uint32_t k = 0; k < count && !result; k++) {
    if (bench->brief && k + 1 < count) continue;
    result = measure(bench, data, backends[k], error);
  }
  return result;
}

const BenchSuite bench_popping = {"popping", "a frame of a character whose muscles are clenched",
                                  run_suite};
