/* SPDX-License-Identifier: MIT */
/*
 * The modes technique: how many characters can swing in a frame. One step of each character: the
 * drive by 24 bones and the oscillators, without skinning.
 *
 * The naive way is the same algorithm as plain loops.
 */
#include <string.h>

#include "bench.h"
#include "limbed.h"
#include "supple/author/modes_pack.h"

#define CHARACTERS 256
#define MODES_MOST 64

typedef struct ModesJob {
  const SupBackend *backend; /* NULL: naive */
  const SupModesView *view;
  const SupAffine *palettes; /* [2 * CHARACTERS * bones] two poses of each */
  SupModesState **states;    /* [CHARACTERS] */
  uint32_t turn;
} ModesJob;

static float dot3(const float *a, const float *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The drive by plain loops over pairs, columns, rows and modes. */
static void naive_drive(const SupModesView *view, const SupAffine *palette, const SupAffine *change,
                        float *out) {
  for (uint32_t k = 0; k < view->mode_count; k++) out[k] = 0;
  for (uint32_t p = 0; p < view->pair_count; p++) {
    const uint32_t c = view->pairs[2 * p], b = view->pairs[2 * p + 1];
    for (int e = 0; e < 12; e++) {
      float s = dot3(palette[c].m + 3 * (e % 3), change[b].m + 3 * (e / 3));
      if (c != b) s += dot3(palette[b].m + 3 * (e % 3), change[c].m + 3 * (e / 3));
      for (uint32_t k = 0; k < view->mode_count; k++) {
        const size_t row = 12 * ((size_t)view->pair_count * (k / 16) + p) + (size_t)e;
        out[k] += view->drive[16 * row + k % 16] * s;
      }
    }
  }
}

static void naive_step(const SupModesView *view, SupModesState *state, float dt,
                       const SupAffine *palette) {
  SupAffine change[LIMBED_BONES];
  float push[MODES_MOST];
  char *block = (char *)state;
  SupAffine *last = (SupAffine *)(void *)(block + state->palette);
  SupAffine *velocity = (SupAffine *)(void *)(block + state->velocity);
  const float *rows = (const float *)(void *)(block + state->transitions);
  float *q = sup_modes_amplitudes(state), *v = sup_modes_velocities(state);
  for (uint32_t b = 0; b < LIMBED_BONES; b++) {
    for (int i = 0; i < 12; i++) {
      const float speed = (palette[b].m[i] - last[b].m[i]) / dt;
      change[b].m[i] = speed - velocity[b].m[i];
      velocity[b].m[i] = speed;
    }
  }
  naive_drive(view, last, change, push);
  for (uint32_t k = 0; k < view->mode_count; k++) {
    const float *t = rows + (size_t)192 * (k / 16) + k % 16, speed = v[k] - push[k];
    const float q1 = t[0] * q[k] + t[16] * speed;
    v[k] = t[32] * q[k] + t[48] * speed;
    q[k] = q1;
  }
  memcpy(last, palette, sizeof change);
}

static const SupAffine *palette_of(const ModesJob *job, uint32_t character) {
  return job->palettes + (size_t)LIMBED_BONES * (2 * character + job->turn % 2);
}

static void run(void *context) {
  ModesJob *job = context;
  const float dt = 1.0f / 60;
  job->turn++;
  for (uint32_t c = 0; c < CHARACTERS; c++) {
    if (job->backend) {
      sup_modes_step(job->view, job->states[c], job->backend, dt, palette_of(job, c), NULL);
    } else {
      naive_step(job->view, job->states[c], dt, palette_of(job, c));
    }
  }
}

static void prepare(void *context) {
  ModesJob *job = context;
  const SupBackend *backend = job->backend ? job->backend : sup_backend_find("scalar");
  for (uint32_t c = 0; c < CHARACTERS; c++) {
    sup_modes_init(job->view, job->states[c]);
    for (job->turn = 0; job->turn < 4; job->turn++) {
      sup_modes_step(job->view, job->states[c], backend, 1.0f / 60, palette_of(job, c), NULL);
    }
  }
}

static uint64_t hash(const void *context) {
  const ModesJob *job = context;
  uint64_t sum = 0;
  for (uint32_t c = 0; c < CHARACTERS; c++) {
    sum =
        sup_hash(sup_modes_amplitudes(job->states[c]), job->view->mode_count * sizeof(float), sum);
  }
  return sum;
}

/* Pairs of bones that share a vertex, and a drive as if the skin were the flesh. */
static SupResult fill_drive(Bench *bench, const Limbed *body, SupModesDef *def, SupError *error) {
  uint32_t *table = SUP_ALLOC(bench->arena, uint32_t, LIMBED_BONES * LIMBED_BONES);
  uint32_t *pairs = SUP_ALLOC(bench->arena, uint32_t, 2 * LIMBED_BONES * LIMBED_BONES);
  if (!table || !pairs) return sup_fail_memory(error, "bench modes");
  const SupSkin *skin = &body->skin;
  for (uint32_t v = 0; v < body->mesh.vertex_count; v++) {
    for (uint32_t a = skin->offsets[v]; a < skin->offsets[v + 1]; a++) {
      for (uint32_t z = skin->offsets[v]; z < skin->offsets[v + 1]; z++) {
        table[skin->bones[a] * LIMBED_BONES + skin->bones[z]] = 1;
      }
    }
  }
  for (uint32_t c = 0; c < LIMBED_BONES; c++) {
    for (uint32_t b = c; b < LIMBED_BONES; b++) {
      if (!table[c * LIMBED_BONES + b]) continue;
      pairs[2 * def->pair_count] = c;
      pairs[2 * def->pair_count++ + 1] = b;
    }
  }
  double *drive = SUP_ALLOC(bench->arena, double, 12 * (size_t)def->pair_count * def->mode_count);
  if (!drive) return sup_fail_memory(error, "bench modes");
  SupRng rng = sup_rng(bench->seed, 6);
  for (size_t i = 0; i < 12 * (size_t)def->pair_count * def->mode_count; i++) {
    drive[i] = sup_rng_double(&rng) - 0.5;
  }
  def->pairs = pairs;
  def->drive = drive;
  return SUP_OK;
}

static SupResult make_model(Bench *bench, uint32_t modes, SupModesView *out_view,
                            SupModel **out_model, SupError *error) {
  Limbed *body = SUP_ALLOC(bench->arena, Limbed, 1);
  double *numbers = SUP_ALLOC(bench->arena, double, 2 * (size_t)modes);
  if (!body || !numbers) return sup_fail_memory(error, "bench modes");
  SupResult result = limbed_make(bench->arena, 4430, false, bench->seed, body, error);
  if (result) return result;
  SupModesDef def = sup_modes_def();
  SupVec3 *shapes = SUP_ALLOC(bench->arena, SupVec3, (size_t)modes * body->mesh.vertex_count);
  if (!shapes) return sup_fail_memory(error, "bench modes");
  def.mode_count = modes;
  def.shapes = shapes;
  def.stiffness = numbers;
  def.decay = numbers + modes;
  for (uint32_t k = 0; k < modes; k++) {
    numbers[k] = 200 + 30 * k;
    numbers[modes + k] = 1 + 0.1 * k;
  }
  result = fill_drive(bench, body, &def, error);
  if (result) return result;
  const SupCharacter character = {
      .name = "limbed",
      .skeleton = {.joint_count = LIMBED_BONES, .bone_count = LIMBED_BONES},
      .body = body->mesh,
      .skin = body->skin};
  result = sup_modes_pack(bench->arena, &character, &def, out_model, error);
  if (!result) *out_view = sup_modes_view(*out_model);
  return result;
}

static SupAffine *make_palettes(Bench *bench) {
  const uint32_t count = 2 * CHARACTERS * LIMBED_BONES;
  SupAffine *palettes = SUP_ALLOC(bench->arena, SupAffine, count);
  SupRng rng = sup_rng(bench->seed, 4);
  for (uint32_t k = 0; palettes && k < count; k++) {
    const SupVec3 axis = {sup_rng_float(&rng), sup_rng_float(&rng), sup_rng_float(&rng)};
    const SupQuat turn =
        sup_quat_from_axis_angle(sup_vec3_normalise(axis), 0.1f * sup_rng_float(&rng));
    palettes[k] = sup_affine_compose((SupTransform){
        {0.1f * sup_rng_float(&rng), 0.1f * sup_rng_float(&rng), 0}, turn, {1, 1, 1}});
  }
  return palettes;
}

static SupResult measure(Bench *bench, uint32_t modes, SupError *error) {
  const SupBackend *backends[7];
  const uint32_t backend_count = sup_backend_list(backends, 7);
  SupModesView *view = SUP_ALLOC(bench->arena, SupModesView, 1);
  SupModel *model;
  const SupAffine *palettes = make_palettes(bench);
  char *name = SUP_ALLOC(bench->arena, char, 64);
  if (!view || !palettes || !name) {
    return sup_fail_memory(error, "bench modes");
  }
  SupResult result = make_model(bench, modes, view, &model, error);
  if (result) return result;
  ModesJob jobs[8];
  BenchVariant variants[8];
  for (uint32_t k = 0; k <= backend_count; k++) {
    jobs[k] = (ModesJob){.backend = k ? backends[k - 1] : NULL, .view = view, .palettes = palettes};
    jobs[k].states = SUP_ALLOC(bench->arena, SupModesState *, CHARACTERS);
    for (uint32_t c = 0; jobs[k].states && c < CHARACTERS; c++) {
      jobs[k].states[c] = sup_arena_alloc(bench->arena, 1, sup_modes_bytes(view));
      if (!jobs[k].states[c]) jobs[k].states = NULL;
    }
    if (!jobs[k].states) return sup_fail_memory(error, "bench modes");
    variants[k] = (BenchVariant){.name = k ? backends[k - 1]->name : "naive",
                                 .run = run,
                                 .prepare = prepare,
                                 .hash = hash,
                                 .context = &jobs[k],
                                 .exact = k > 0};
  }
  sup_format(name, 64, "%u modes, 24 bones", modes);
  const BenchCase job = {name, "character", CHARACTERS, backend_count + 1, variants};
  return bench_measure(bench, &job, error);
}

static SupResult run_suite(Bench *bench, SupError *error) {
  SupResult result = measure(bench, 16, error);
  if (!result) result = measure(bench, 64, error);
  return result;
}

const BenchSuite bench_modes = {"modes", "a step of a character's vibration modes", run_suite};
