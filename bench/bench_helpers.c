/* SPDX-License-Identifier: MIT */
/*
 * The helpers technique: from poses to the local transforms of four helpers, without skinning. One
 * character at a time; and a crowd of 4,900 of which 700 swing, 1,700 only follow their pose and
 * the rest do nothing (as in the paper), poses copied into the crowd's blocks included.
 *
 * The naive way is the same algorithm as plain loops over the definition's own matrices.
 */
#include <string.h>

#include "bench.h"
#include "chain.h"

enum { OWN = CHAIN_JOINTS, HELPERS = 4, JOINTS = OWN + HELPERS, STATES = 10 };
enum { INPUTS = CHAIN_INPUTS, TERMS = CHAIN_TERMS };
enum { ALONE = 256, CROWD = 4900, FULL = 700, POSED = 1700 };

/* One helper, as floats by rows. */
typedef struct Plain {
  float a[STATES][STATES], b[STATES][INPUTS + 1], c[6][STATES], d[6][INPUTS + 1];
  float fixed[6][1 + TERMS];
} Plain;

typedef struct PlainState {
  float z[HELPERS][STATES];
  SupVec3 at[OWN], velocity[OWN], spin[OWN];
  SupQuat rotation[OWN];
} PlainState;

typedef struct HelpersJob {
  const SupBackend *backend; /* NULL: naive */
  const SupHelpersView *view;
  const Plain *plain;
  const SupTransform *poses; /* [2][CROWD][JOINTS] two poses of each */
  const SupAffine *globals;
  uint32_t count;
  bool crowd;
  SupHelpersState **states;
  SupHelpersBatch *batch;
  PlainState *naive;
  SupTransform *out; /* [count * JOINTS] */
  uint32_t turn;
} HelpersJob;

/* ---- Naive ----------------------------------------------------------------------------------- */

static SupVec3 rate(SupVec3 now, SupVec3 last) {
  return sup_vec3_scale(sup_vec3_sub(now, last), 60);
}

static void naive_step(const HelpersJob *job, PlainState *s, bool full, const SupTransform *pose,
                       const SupAffine *globals, SupTransform *out) {
  const SupHelpersView *v = job->view;
  SupVec3 turn[OWN], push[OWN], whirl[OWN];
  for (uint32_t j = 0; j < OWN; j++) {
    turn[j] = sup_quat_log(pose[j].rotation);
    if (!full) continue;
    const SupMat3 axes = sup_affine_linear(globals[j]);
    const SupQuat q = sup_quat_from_mat3(axes);
    const SupVec3 at = sup_affine_point(globals[j], v->frames[j].point);
    const SupVec3 velocity = rate(at, s->at[j]);
    const SupQuat between = sup_quat_mul(sup_quat_conjugate(s->rotation[j]), q);
    const SupVec3 spin = sup_vec3_scale(sup_quat_log(between), 60);
    push[j] = sup_quat_rotate(sup_quat_conjugate(q), rate(velocity, s->velocity[j]));
    whirl[j] = rate(spin, s->spin[j]);
    s->at[j] = at, s->velocity[j] = velocity, s->spin[j] = spin, s->rotation[j] = q;
  }
  for (uint32_t h = 0; h < HELPERS; h++) {
    const Plain *p = &job->plain[h];
    const uint32_t other = (h + 1) % OWN;
    const SupVec3 r = turn[h], w = turn[other];
    const float terms[TERMS] = {r.x,       r.y,       r.z,       r.x * r.x,      r.x * r.y,
                                r.x * r.z, r.y * r.y, r.y * r.z, r.z * r.z,      w.x,
                                w.y,       w.z,       w.x * w.y, w.x * w.y * w.z};
    float q[6];
    for (int o = 0; o < 6; o++) {
      q[o] = p->fixed[o][0];
      for (int k = 0; k < TERMS; k++) q[o] += p->fixed[o][1 + k] * terms[k];
    }
    if (full) {
      const float u[INPUTS + 1] = {push[h].x,  push[h].y,  push[h].z, whirl[h].x,
                                   whirl[h].y, whirl[h].z, 1};
      float next[STATES];
      for (int o = 0; o < 6; o++) {
        for (int k = 0; k < STATES; k++) q[o] += p->c[o][k] * s->z[h][k];
        for (int k = 0; k <= INPUTS; k++) q[o] += p->d[o][k] * u[k];
      }
      for (int r2 = 0; r2 < STATES; r2++) {
        next[r2] = 0;
        for (int k = 0; k < STATES; k++) next[r2] += p->a[r2][k] * s->z[h][k];
        for (int k = 0; k <= INPUTS; k++) next[r2] += p->b[r2][k] * u[k];
      }
      memcpy(s->z[h], next, sizeof next);
    }
    const SupTransform *rest = &v->bones[h].rest;
    SupTransform *to = &out[OWN + h];
    to->translation = sup_vec3_add(rest->translation, (SupVec3){q[0], q[1], q[2]});
    to->rotation = sup_quat_mul(rest->rotation, sup_quat_exp((SupVec3){q[3], q[4], q[5]}));
    to->scale = rest->scale;
  }
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static uint32_t level_of(const HelpersJob *job, uint32_t k) {
  if (!job->crowd) return SUP_HELPERS_FULL;
  const uint32_t place = k * 7 % CROWD; /* near and far ones are mixed */
  return place < FULL ? SUP_HELPERS_FULL : place < FULL + POSED ? SUP_HELPERS_STATIC : 0;
}

static void run(void *context) {
  HelpersJob *job = context;
  SupHelpersControls controls = sup_helpers_controls();
  job->turn++;
  for (uint32_t k = 0; k < job->count; k++) {
    const uint32_t lod = level_of(job, k);
    if (lod == 0) continue;
    const size_t at = JOINTS * (CROWD * (size_t)(job->turn % 2) + k);
    SupTransform *out = job->out + (size_t)JOINTS * k;
    const SupPose pose = {JOINTS, sup_transform_identity(),
                          (SupTransform *)(uintptr_t)(job->poses + at)};
    if (!job->backend) {
      naive_step(job, &job->naive[k], lod == SUP_HELPERS_FULL, pose.joints, job->globals + at, out);
    } else if (job->crowd) {
      sup_helpers_batch_pose(job->view, job->batch, k, &pose, job->globals + at);
    } else {
      sup_helpers_step(job->view, job->states[k], job->backend, &controls, &pose, job->globals + at,
                       out);
    }
  }
  if (job->crowd && job->backend) {
    sup_helpers_batch_step(job->view, job->batch, job->backend, NULL, &controls);
  }
}

static void prepare(void *context) {
  HelpersJob *job = context;
  memset(job->naive, 0, job->count * sizeof *job->naive);
  for (uint32_t k = 0; k < job->count; k++) {
    for (uint32_t j = 0; j < OWN; j++) job->naive[k].rotation[j] = sup_quat_identity();
    if (!job->crowd) sup_helpers_init(job->view, job->states[k]);
  }
  if (job->crowd) {
    sup_helpers_batch_init(job->view, job->count, job->batch);
    for (uint32_t k = 0; k < job->count; k++) {
      sup_helpers_batch_lod(job->batch, k, (SupHelpersLod)level_of(job, k));
    }
  }
  for (job->turn = 0; job->turn < 4;) run(job);
}

static uint64_t hash(const void *context) {
  const HelpersJob *job = context;
  uint64_t sum = 0;
  for (uint32_t k = 0; k < job->count; k++) {
    SupTransform *out = job->out + (size_t)JOINTS * k;
    if (level_of(job, k) == 0) continue;
    if (job->crowd && job->backend) sup_helpers_batch_read(job->view, job->batch, k, out);
    sum = sup_hash(out + OWN, HELPERS * sizeof *out, sum);
  }
  return sum;
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* The matrices of a helper as the naive way has them. */
static void make_plain(const SupHelperDef *helper, Plain *out) {
  for (uint32_t k = 0; k < STATES * STATES; k++) {
    out->a[k / STATES][k % STATES] = (float)helper->a[k];
  }
  for (uint32_t k = 0; k < STATES * (INPUTS + 1); k++) {
    out->b[k / (INPUTS + 1)][k % (INPUTS + 1)] = (float)helper->b[k];
  }
  for (uint32_t k = 0; k < 6 * STATES; k++) out->c[k / STATES][k % STATES] = (float)helper->c[k];
  for (uint32_t k = 0; k < 6 * (INPUTS + 1); k++) {
    out->d[k / (INPUTS + 1)][k % (INPUTS + 1)] = (float)helper->d[k];
  }
  for (uint32_t k = 0; k < 6 * (1 + TERMS); k++) {
    out->fixed[k / (1 + TERMS)][k % (1 + TERMS)] = (float)helper->static_part[k];
  }
}

static SupResult make_model(Bench *bench, Plain *plain, SupHelpersView *out, SupError *error) {
  SupHelperDef helpers[HELPERS];
  SupRng rng = sup_rng(bench->seed, 9);
  for (uint32_t h = 0; h < HELPERS; h++) {
    if (!chain_helper(bench->arena, &rng, h, STATES, 0.001, &helpers[h])) {
      return sup_fail_memory(error, "bench helpers");
    }
    make_plain(&helpers[h], &plain[h]);
  }
  SupModel *model;
  const SupResult result = chain_pack(bench->arena, HELPERS, helpers, 1e6, &model, error);
  if (result == SUP_OK) *out = sup_helpers_view(model);
  return result;
}

static bool make_poses(Bench *bench, HelpersJob *job) {
  const size_t count = (size_t)2 * CROWD * JOINTS;
  SupTransform *poses = SUP_ALLOC(bench->arena, SupTransform, count);
  SupAffine *globals = SUP_ALLOC(bench->arena, SupAffine, count);
  SupRng rng = sup_rng(bench->seed, 4);
  for (size_t k = 0; poses && globals && k < count; k++) {
    const SupVec3 turn = {sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f,
                          sup_rng_float(&rng) - 0.5f};
    poses[k] = sup_transform_identity();
    poses[k].rotation = sup_quat_exp(turn);
    poses[k].translation = (SupVec3){0.05f * turn.y, 1 + 0.05f * turn.z, 0};
    globals[k] = sup_affine_compose(poses[k]);
  }
  job->poses = poses;
  job->globals = globals;
  return poses && globals;
}

static SupResult measure(Bench *bench, const HelpersJob *like, const char *name, SupError *error) {
  const SupBackend *backends[7];
  const uint32_t backend_count = sup_backend_list(backends, 7);
  HelpersJob jobs[8];
  BenchVariant variants[8];
  for (uint32_t k = 0; k <= backend_count; k++) {
    HelpersJob *job = &jobs[k];
    *job = *like;
    job->backend = k ? backends[k - 1] : NULL;
    job->out = SUP_ALLOC(bench->arena, SupTransform, (size_t)job->count * JOINTS);
    job->naive = SUP_ALLOC(bench->arena, PlainState, job->count);
    job->states = SUP_ALLOC(bench->arena, SupHelpersState *, job->count);
    const size_t bytes = sup_helpers_batch_bytes(job->view, job->count);
    job->batch = bytes ? sup_arena_alloc(bench->arena, bytes, 1) : NULL;
    if (!job->out || !job->naive || !job->states || !job->batch) {
      return sup_fail_memory(error, "bench helpers");
    }
    for (uint32_t c = 0; c < job->count && !job->crowd; c++) {
      job->states[c] = sup_arena_alloc(bench->arena, sup_helpers_bytes(job->view), 1);
      if (!job->states[c]) return sup_fail_memory(error, "bench helpers");
    }
    variants[k] = (BenchVariant){.name = k ? job->backend->name : "naive",
                                 .run = run,
                                 .prepare = prepare,
                                 .hash = hash,
                                 .context = job,
                                 .exact = k > 0};
  }
  const BenchCase bench_case = {name, like->crowd ? "crowd" : "character",
                                like->crowd ? 1 : like->count, backend_count + 1, variants};
  return bench_measure(bench, &bench_case, error);
}

static SupResult run_suite(Bench *bench, SupError *error) {
  SupHelpersView *view = SUP_ALLOC(bench->arena, SupHelpersView, 1);
  Plain *plain = SUP_ALLOC(bench->arena, Plain, HELPERS);
  HelpersJob job = {.view = view, .plain = plain, .count = ALONE};
  if (!view || !plain || !make_poses(bench, &job)) {
    return sup_fail_memory(error, "bench helpers");
  }
  SupResult result = make_model(bench, plain, view, error);
  if (result == SUP_OK) result = measure(bench, &job, "one by one, 4 helpers", error);
  job.crowd = true;
  job.count = CROWD;
  if (result == SUP_OK && !bench->brief) {
    result = measure(bench, &job, "4,900: 700 full, 1,700 posed", error);
  }
  return result;
}

const BenchSuite bench_helpers = {
    .name = "helpers",
    .summary = "helper joints with controllers: one character, and a crowd",
    .run = run_suite,
};
