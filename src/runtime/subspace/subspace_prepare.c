/* SPDX-License-Identifier: MIT */
/*
 * The constants of a step. With BDF2 (c = 3/2, -2, 1/2), velocities (c0 x + c1 x_n + c2 x_n-1) / h
 * and accelerations from velocities likewise,
 *
 *   x* = -(c1 x_n + c2 x_n-1) / c0                       where nothing would have a velocity
 *   x~ = x* - h (c1 v_n + c2 v_n-1) / c0^2               where nothing would accelerate
 *
 * for amplitudes and bones alike. What does not depend on the amplitudes of the step's end is a
 * vector, `linear`, and one gradient per cluster, `rigid`.
 */
#include "runtime/subspace/subspace_work.h"

static const double NOW = 1.5, PAST = -2, BEFORE = 0.5;

static uint64_t aligned(uint64_t bytes) {
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

/* Takes `bytes` from the block at *io_at; where it began. */
static char *take(char *base, uint64_t *io_at, uint64_t bytes) {
  char *here = base ? base + *io_at : NULL;
  *io_at += aligned(bytes);
  return here;
}

static uint64_t lay_out(const SupSubspaceView *model, char *base, SubspaceWork *w) {
  const uint64_t n = 3 * (uint64_t)model->function_count;
  const uint64_t lanes = SUBSPACE_L * (uint64_t)model->block_count;
  double **const rows[] = {&w->still, &w->linear,         &w->z,        &w->gradient,
                           &w->trial, &w->trial_gradient, &w->direction};
  float **const nine[] = {&w->rigid, &w->rigid_rate, &w->still_change, &w->change, &w->stress};
  uint64_t at = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    *rows[i] = (double *)(void *)take(base, &at, n * sizeof(double));
  }
  for (size_t i = 0; i < sizeof nine / sizeof *nine; i++) {
    *nine[i] = (float *)(void *)take(base, &at, 9 * lanes * sizeof(float));
  }
  w->sums = (float *)(void *)take(base, &at, n * SUBSPACE_L * sizeof(float));
  w->rounded = (float *)(void *)take(base, &at, n * sizeof(float));
  return at;
}

/* Four rows of bones come first: what pushes (2), where they are (1), and where they will be. */
static uint64_t bone_bytes(const SupSubspaceView *model) {
  return aligned(4 * 12 * (uint64_t)model->bone_count * sizeof(double));
}

uint64_t sup_subspace_work_bytes(const SupSubspaceView *model) {
  SubspaceWork none;
  return lay_out(model, NULL, &none) + bone_bytes(model);
}

SubspaceWork sup_subspace_work(const SupSubspaceView *model, SupSubspaceState *state) {
  SubspaceWork work = {.model = model, .state = state, .n = 3 * model->function_count};
  lay_out(model, (char *)state + state->work + bone_bytes(model), &work);
  return work;
}

double *sup_subspace_next_bones(const SupSubspaceView *model, SupSubspaceState *state) {
  return subspace_doubles(state, state->work) + 3 * 12 * (size_t)model->bone_count;
}

void sup_subspace_place_bones(uint32_t bone_count, const SupAffine *palette, double *out) {
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t b = 0; b < bone_count; b++) {
      for (uint32_t c = 0; c < 4; c++) {
        out[4 * ((size_t)i * bone_count + b) + c] = (double)palette[b].m[3 * c + i];
      }
    }
  }
}

/* Where nothing would have a velocity, and how far from there nothing would accelerate. */
static double still_of(const double *now, const double *past, uint32_t i) {
  return -(PAST * now[i] + BEFORE * past[i]) / NOW;
}

static double drift_of(const double *now, const double *past, uint32_t i, double h) {
  return -h * (PAST * now[i] + BEFORE * past[i]) / (NOW * NOW);
}

/* What the bones do, in three rows of the state: `push`, inertia times their distance from where
 * they would not accelerate; `pose`, moved near the origin, with its rate. */
static void bones_terms(SubspaceWork *w, double h, const double *bones, double *push,
                        double *pose) {
  const uint32_t four = 4 * w->model->bone_count;
  SupSubspaceState *s = w->state;
  const double *x = subspace_doubles(s, s->bones[0]), *x_old = subspace_doubles(s, s->bones[1]);
  const double *v = subspace_doubles(s, s->bone_velocities[0]),
               *v_old = subspace_doubles(s, s->bone_velocities[1]);
  const SupVec3 centre = w->model->centre;
  for (uint32_t i = 0; i < 3; i++) {
    const double *first = bones + (size_t)i * four;
    const double middle = first[0] * (double)centre.x + first[1] * (double)centre.y +
                          first[2] * (double)centre.z + first[3];
    for (uint32_t j = 0; j < four; j++) {
      const uint32_t at = i * four + j;
      const double still = still_of(x, x_old, at);
      pose[at] = bones[at] - (j % 4 == 3 ? middle : 0);
      push[at] = 0;
      if (h == 0) continue;
      push[at] = w->inertia * (bones[at] - still - drift_of(v, v_old, at, h));
    }
    for (uint32_t j = 0; j < four && h > 0; j++) {
      const uint32_t at = i * four + j;
      push[3 * four + at] = w->a * (bones[at] - still_of(x, x_old, at));
    }
  }
}

/* The bones' part of the gradients of a block of clusters. */
static void block_rigid(const SupSubspaceView *model, uint32_t block, const double *pose,
                        float *out) {
  double sum[9][SUBSPACE_L] = {{0}};
  for (uint32_t row = model->bone_first[block]; row < model->bone_first[block + 1]; row++) {
    const float *g = model->bone_gradients + (size_t)12 * SUBSPACE_L * row;
    for (uint32_t i = 0; i < 3; i++) {
      const double *p = pose + 4 * ((size_t)i * model->bone_count + model->bones[row]);
      for (int f = 0; f < 4; f++) {
        for (int c = 0; c < 3; c++) {
          for (int l = 0; l < SUBSPACE_L; l++) {
            sum[3 * (int)i + c][l] += p[f] * (double)g[(3 * f + c) * SUBSPACE_L + l];
          }
        }
      }
    }
  }
  for (int i = 0; i < 9; i++) {
    for (int l = 0; l < SUBSPACE_L; l++) out[i * SUBSPACE_L + l] = (float)sum[i][l];
  }
}

/* rate: a times how far the bones are from where they would have no velocity. */
static void clusters_terms(SubspaceWork *w, bool moves, const double *pose, const double *rate) {
  SupSubspaceState *s = w->state;
  const SupSubspaceView *model = w->model;
  const size_t count = (size_t)9 * SUBSPACE_L * model->block_count;
  const float *change = subspace_floats(s, s->changes[0]);
  const float *before = subspace_floats(s, s->changes[1]);
  for (uint32_t b = 0; b < model->block_count; b++) {
    const size_t first = (size_t)9 * SUBSPACE_L * b;
    block_rigid(model, b, pose, w->rigid + first);
    if (w->a > 0) block_rigid(model, b, rate, w->rigid_rate + first);
  }
  const float now = moves ? (float)(-PAST / NOW) : 1, old = moves ? (float)(-BEFORE / NOW) : 0;
  for (size_t i = 0; i < count; i++) w->still_change[i] = now * change[i] + old * before[i];
}

static double product(const float *row, const double *x, uint32_t count) {
  double sum[4] = {0, 0, 0, 0};
  for (uint32_t j = 0; j < count; j++) sum[j % 4] += (double)row[j] * x[j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void linear_terms(SubspaceWork *w, double h, const double *push, const double *pose,
                         SupVec3 gravity) {
  const SupSubspaceView *model = w->model;
  SupSubspaceState *s = w->state;
  const uint32_t count = model->function_count, four = 4 * model->bone_count;
  const double g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
  const double *z = subspace_doubles(s, s->amplitudes[0]),
               *z_old = subspace_doubles(s, s->amplitudes[1]);
  const double *v = subspace_doubles(s, s->velocities[0]),
               *v_old = subspace_doubles(s, s->velocities[1]);
  for (uint32_t i = 0; i < w->n; i++) {
    const uint32_t axis = i / count, k = i % count;
    const float *inertia = model->inertia_bones + (size_t)k * four;
    const float *elastic = model->elastic_bones + (size_t)k * four;
    w->still[i] = h > 0 ? still_of(z, z_old, i) : z[i];
    w->linear[i] =
        product(elastic, pose + (size_t)axis * four, four) - (double)model->weight[k] * g[axis];
    if (h == 0) continue;
    w->linear[i] += product(inertia, push + (size_t)axis * four, four) +
                    product(elastic, push + (size_t)(3 + axis) * four, four) -
                    w->inertia * (w->still[i] + drift_of(v, v_old, i, h)) -
                    (w->drag + w->a * (double)model->elastic[k]) * w->still[i];
  }
}

void sup_subspace_prepare(SubspaceWork *w, double h, const double *bones, SupVec3 gravity) {
  const size_t twelve = 12 * (size_t)w->model->bone_count;
  double *push = subspace_doubles(w->state, w->state->work), *pose = push + 2 * twelve;
  w->inertia = h > 0 ? NOW * NOW / (h * h) : 0;
  w->rate = h > 0 ? NOW / h : 0;
  w->a = (double)w->model->damping * w->rate;
  w->drag = (double)w->model->drag * w->rate;
  bones_terms(w, h, bones, push, pose);
  clusters_terms(w, h > 0, pose, push + twelve);
  linear_terms(w, h, push, pose, gravity);
}
