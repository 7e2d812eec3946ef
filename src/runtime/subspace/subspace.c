/* SPDX-License-Identifier: MIT */
/*
 * The subspace technique's state: layout, frames, steps of h.
 *
 * Bones move evenly between two palettes. Flesh starts in balance; behind a start the bones are
 * taken to have moved before as they do then, so that a character that starts in motion is not
 * jerked. The first try of a step is that amplitudes change as they did; where that leads to more
 * energy than staying does, the step starts from staying.
 */
#include "supple/subspace.h"

#include "runtime/subspace/subspace_work.h"

_Static_assert(sizeof(SupSubspaceState) == 256, "states are copied between builds");

#define SLACK 1e-4f /* of h: a caller who steps by h hits every step */
#define TURNS 12    /* rounds of the rotations' fit per step, at most; they start from the last */
#define TURNS_FRESH 40 /* from anywhere */

/* ---- Layout -----------------------------------------------------------------------------------
 */

static uint64_t aligned(uint64_t bytes) {
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

static uint64_t take(uint64_t *io_at, uint64_t bytes) {
  const uint64_t here = *io_at;
  *io_at += aligned(bytes);
  return here;
}

static SupSubspaceState lay_out(const SupSubspaceView *model) {
  SupSubspaceState s = {.function_count = model->function_count,
                        .bone_count = model->bone_count,
                        .block_count = model->block_count};
  const uint64_t row = 3 * (uint64_t)model->function_count * sizeof(double);
  const uint64_t bones = 12 * (uint64_t)model->bone_count * sizeof(double);
  const uint64_t lanes = SUBSPACE_L * (uint64_t)model->block_count * sizeof(float);
  uint64_t at = sizeof s;
  s.last = take(&at, model->bone_count * sizeof(SupAffine));
  for (int k = 0; k < 2; k++) {
    s.amplitudes[k] = take(&at, row);
    s.velocities[k] = take(&at, row);
    s.bones[k] = take(&at, bones);
    s.bone_velocities[k] = take(&at, bones);
    s.changes[k] = take(&at, 9 * lanes);
  }
  s.turns = take(&at, 9 * lanes);
  s.steps = take(&at, SUP_SUBSPACE_HISTORY * row);
  s.yields = take(&at, SUP_SUBSPACE_HISTORY * row);
  s.products = take(&at, SUP_SUBSPACE_HISTORY * sizeof(double));
  s.work = take(&at, sup_subspace_work_bytes(model));
  s.bytes = at;
  return s;
}

size_t sup_subspace_bytes(const SupSubspaceView *model) { return (size_t)lay_out(model).bytes; }

static SupAffine *last_of(SupSubspaceState *state) {
  return (SupAffine *)(void *)((char *)state + state->last);
}

SupSubspaceState *sup_subspace_init(const SupSubspaceView *model, void *block) {
  sup_zero(block, sup_subspace_bytes(model));
  SupSubspaceState *state = (SupSubspaceState *)block;
  *state = lay_out(model);
  sup_subspace_reset(state);
  return state;
}

void sup_subspace_reset(SupSubspaceState *state) { state->fresh = 2; }

double *sup_subspace_amplitudes(SupSubspaceState *state) {
  return subspace_doubles(state, state->amplitudes[0]);
}

double *sup_subspace_velocities(SupSubspaceState *state) {
  return subspace_doubles(state, state->velocities[0]);
}

/* ---- What is believed ------------------------------------------------------------------------ */

static bool within(float x, float limit) { return x >= -limit && x <= limit; }

static bool believable(const SupSubspaceView *model, const SupAffine *palette) {
  const float strongest = SUP_SUBSPACE_STRONGEST * model->scale;
  for (uint32_t b = 0; b < model->bone_count; b++) {
    for (int i = 0; i < 12; i++) {
      if (!within(palette[b].m[i], i < 9 ? strongest : SUP_SUBSPACE_FARTHEST)) return false;
    }
  }
  return true;
}

static float believed(float x) { return within(x, SUP_SUBSPACE_HEAVIEST) ? x : 0; }

static SupVec3 believed_gravity(SupVec3 g) {
  return (SupVec3){believed(g.x), believed(g.y), believed(g.z)};
}

/* ---- A step ---------------------------------------------------------------------------------- */

static void swap(uint64_t pair[2]) {
  const uint64_t first = pair[0];
  pair[0] = pair[1];
  pair[1] = first;
}

/* No flesh is farther away than the model says, whatever the bones did. */
static void hold_back(const SubspaceWork *w, double *z) {
  const double limit = (double)w->model->limit;
  double square = 0;
  for (uint32_t i = 0; i < w->n; i++) square += z[i] * z[i];
  const double factor = square > limit * limit ? limit / sup_sqrt(square) : square >= 0 ? 1 : 0;
  for (uint32_t i = 0; i < w->n; i++) z[i] = factor > 0 ? z[i] * factor : 0;
}

/* What clusters were at the end of a step becomes their past. */
static void keep_clusters(SubspaceWork *w) {
  SupSubspaceState *s = w->state;
  const size_t lanes = SUBSPACE_L * (size_t)w->model->block_count * sizeof(float);
  swap(s->changes);
  __builtin_memcpy(subspace_floats(s, s->changes[0]), w->change, 9 * lanes);
}

/* The end of a step becomes the present; x* is where nothing has a velocity. */
static void advance(uint64_t places[2], uint64_t velocities[2], SupSubspaceState *s,
                    const double *x, uint32_t count, double rate) {
  const double *now = subspace_doubles(s, places[0]);
  double *old = subspace_doubles(s, places[1]), *v = subspace_doubles(s, velocities[1]);
  for (uint32_t i = 0; i < count; i++) {
    v[i] = rate * (x[i] - (4 * now[i] - old[i]) / 3);
    old[i] = x[i];
  }
  swap(places);
  swap(velocities);
}

/* Where the search of a step begins. */
static void guess(SubspaceWork *w) {
  SupSubspaceState *s = w->state;
  const double *now = subspace_doubles(s, s->amplitudes[0]);
  const double *old = subspace_doubles(s, s->amplitudes[1]);
  for (uint32_t i = 0; i < w->n; i++) w->z[i] = 2 * now[i] - old[i];
  sup_subspace_turn(w, w->z, TURNS);
  const double moved = sup_subspace_evaluate(w, w->z, w->gradient);
  const double stayed = sup_subspace_evaluate(w, now, w->trial_gradient);
  if (moved <= stayed) return;
  s->fallbacks++;
  for (uint32_t i = 0; i < w->n; i++) w->z[i] = now[i];
}

static void step(const SupSubspaceView *model, SupSubspaceState *s, const double *bones,
                 SupVec3 gravity) {
  SubspaceWork w = sup_subspace_work(model, s);
  sup_subspace_prepare(&w, (double)model->h, bones, gravity);
  guess(&w);
  sup_subspace_minimise(&w, model->iterations);
  hold_back(&w, w.z);
  keep_clusters(&w);
  advance(s->amplitudes, s->velocities, s, w.z, w.n, w.rate);
  advance(s->bones, s->bone_velocities, s, bones, 12 * model->bone_count, w.rate);
}

/* ---- A start --------------------------------------------------------------------------------- */

static void straight(const SupSubspaceView *model, SupSubspaceState *s) {
  float *turns = subspace_floats(s, s->turns);
  for (size_t i = 0; i < (size_t)9 * SUBSPACE_L * model->block_count; i++) {
    turns[i] = i / SUBSPACE_L % 9 % 4 == 0 ? 1 : 0;
  }
}

/* Flesh in balance at the palette, from plain skinning on. */
static void place(const SupSubspaceView *model, SupSubspaceState *s, const SupAffine *palette,
                  SupVec3 gravity) {
  const size_t row = 3 * (size_t)model->function_count * sizeof(double);
  const size_t twelve = 12 * (size_t)model->bone_count;
  double *bones = subspace_doubles(s, s->bones[0]);
  sup_subspace_place_bones(model->bone_count, palette, bones);
  __builtin_memcpy(subspace_doubles(s, s->bones[1]), bones, twelve * sizeof(double));
  for (int k = 0; k < 2; k++) {
    sup_zero(subspace_doubles(s, s->amplitudes[k]), row);
    sup_zero(subspace_doubles(s, s->velocities[k]), row);
    sup_zero(subspace_doubles(s, s->bone_velocities[k]), twelve * sizeof(double));
  }
  SubspaceWork w = sup_subspace_work(model, s);
  sup_zero(w.z, row);
  s->pairs = 0;
  s->ahead = 0;
  straight(model, s);
  sup_subspace_prepare(&w, 0, bones, gravity);
  sup_subspace_minimise(&w, model->settle);
  hold_back(&w, w.z);
  sup_subspace_turn(&w, w.z, TURNS_FRESH);
  sup_subspace_evaluate(&w, w.z, w.gradient);
  s->pairs = 0;
  for (int k = 0; k < 2; k++) {
    __builtin_memcpy(subspace_doubles(s, s->amplitudes[k]), w.z, row);
    keep_clusters(&w);
  }
}

/* The bones moved before as they do now, by `part` of the way to the palette in a step. */
static void lead_in(SupSubspaceState *s, const SupAffine *from, const SupAffine *to, double part,
                    double h) {
  const uint32_t bones = s->bone_count;
  double *old = subspace_doubles(s, s->bones[1]);
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t b = 0; b < bones; b++) {
      for (uint32_t c = 0; c < 4; c++) {
        const size_t at = 4 * ((size_t)i * bones + b) + c;
        const double way = part * ((double)to[b].m[3 * c + i] - (double)from[b].m[3 * c + i]);
        old[at] -= way;
        subspace_doubles(s, s->bone_velocities[0])[at] = way / h;
        subspace_doubles(s, s->bone_velocities[1])[at] = way / h;
      }
    }
  }
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The bones `part` of the way between two palettes. */
static const double *between(const SupSubspaceView *model, SupSubspaceState *s, const SupAffine *to,
                             double part) {
  const SupAffine *from = last_of(s);
  const size_t bones = model->bone_count;
  double *out = sup_subspace_next_bones(model, s);
  for (uint32_t i = 0; i < 3; i++) {
    for (size_t b = 0; b < bones; b++) {
      for (uint32_t c = 0; c < 4; c++) {
        const double x = (double)from[b].m[3 * c + i], y = (double)to[b].m[3 * c + i];
        out[4 * (i * bones + b) + c] = x * (1 - part) + y * part;
      }
    }
  }
  return out;
}

static void play(const SupSubspaceView *model, SupSubspaceState *s, float dt,
                 const SupAffine *palette, SupVec3 gravity) {
  const float h = model->h;
  if (s->fresh == 1) {
    lead_in(s, last_of(s), palette, (double)h / (double)dt, (double)h);
    s->fresh = 0;
  }
  s->ahead += dt;
  while (s->ahead >= h * (1 - SLACK)) {
    s->ahead -= h;
    const double part = 1 - (double)s->ahead / (double)dt;
    step(model, s, between(model, s, palette, part < 1 ? part : 1), gravity);
  }
  if (s->ahead < 0) s->ahead = 0;
}

void sup_subspace_step(const SupSubspaceView *model, SupSubspaceState *state, float dt,
                       const SupAffine *palette, SupVec3 gravity) {
  if (!believable(model, palette)) {
    sup_subspace_reset(state);
    return;
  }
  if (state->fresh == 0 && !(dt > 0)) return;
  if (!(dt <= SUP_SUBSPACE_LONGEST)) sup_subspace_reset(state);
  if (state->fresh == 2) {
    place(model, state, palette, believed_gravity(gravity));
    state->fresh = 1;
  } else if (dt > 0) {
    play(model, state, dt, palette, believed_gravity(gravity));
  }
  __builtin_memcpy(last_of(state), palette, model->bone_count * sizeof *palette);
}

double sup_subspace_energy(const SupSubspaceView *model, SupSubspaceState *state, SupVec3 gravity) {
  SubspaceWork w = sup_subspace_work(model, state);
  const double *v = sup_subspace_velocities(state);
  sup_subspace_prepare(&w, 0, subspace_doubles(state, state->bones[0]), believed_gravity(gravity));
  double energy = sup_subspace_evaluate(&w, sup_subspace_amplitudes(state), w.gradient);
  for (uint32_t i = 0; i < w.n; i++) energy += 0.5 * v[i] * v[i];
  return energy;
}
