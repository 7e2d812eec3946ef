/* SPDX-License-Identifier: MIT */
/*
 * The modes technique's state: layout, steps, seeking, loops.
 *
 * Between two palettes the bones move evenly, so their accelerations are jumps of velocity at the
 * palettes. A jump dV of the bones pushes the modes by -<D, L^T dV> at once (sup_modes_drive),
 * after which they swing freely for dt: exact for such a motion, without delay and without dividing
 * by dt^2, so that rounding of the palettes is not magnified at short steps.
 */
#include "supple/modes.h"

#include "base/finite.h"
#include "runtime/modes/modes_kernel.h"

_Static_assert(sizeof(SupModesState) == 128, "states are copied between builds");

/* ---- Layout -----------------------------------------------------------------------------------
 */

static uint32_t lane_count(const SupModesView *model) {
  return SUP_SKIN_BLOCK * model->block_count;
}

static uint64_t aligned(uint64_t bytes) {
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

/* The offsets of a state's arrays, and its size. */
static SupModesState lay_out(const SupModesView *model) {
  const uint64_t row = lane_count(model) * sizeof(float);
  const uint64_t bones = aligned(model->skin.bone_count * sizeof(SupAffine));
  SupModesState s = {.block_count = model->block_count, .bone_count = model->skin.bone_count};
  s.q = sizeof s;
  s.v = s.q + row;
  s.force = s.v + row; /* last, present, and a row to add up in */
  s.transitions = s.force + 3 * row;
  s.palette = s.transitions + MODES_TRANSITION_ROWS * row;
  s.velocity = s.palette + bones;
  s.change = s.velocity + bones;
  s.next = s.change + bones;
  s.bytes = s.next + bones;
  return s;
}

size_t sup_modes_bytes(const SupModesView *model) { return (size_t)lay_out(model).bytes; }

SupModesState *sup_modes_init(const SupModesView *model, void *block) {
  sup_zero(block, sup_modes_bytes(model));
  SupModesState *state = (SupModesState *)block;
  *state = lay_out(model);
  sup_modes_reset(state);
  return state;
}

void sup_modes_reset(SupModesState *state) { state->fresh = 2; }

static float *floats_at(SupModesState *state, uint64_t offset) {
  return (float *)(void *)((char *)state + offset);
}

static SupAffine *bones_at(SupModesState *state, uint64_t offset) {
  return (SupAffine *)(void *)((char *)state + offset);
}

float *sup_modes_amplitudes(SupModesState *state) { return floats_at(state, state->q); }
float *sup_modes_velocities(SupModesState *state) { return floats_at(state, state->v); }

static float oscillator(const SupModesView *model, uint32_t k, SupModesRow row) {
  return model->oscillators[SUP_SKIN_BLOCK * ((size_t)SUP_MODES_ROWS * (k / SUP_SKIN_BLOCK) + row) +
                            k % SUP_SKIN_BLOCK];
}

/* ---- Forces -----------------------------------------------------------------------------------
 */

void sup_modes_drive(const SupModesView *model, const SupBackend *backend, const SupAffine *palette,
                     const SupAffine *accelerations, float *out) {
  const SupModesDriveCall call = {
      .model = model, .palette = palette, .accelerations = accelerations, .out = out};
  backend->modes_drive(&call);
}

/* A force at a vertex, turned into rest space and projected onto the rows of its block. */
static void add_pull(const SupModesView *model, const SupAffine *palette, const SupModesPull *pull,
                     float *io_force) {
  const SupSkinView *skin = &model->skin;
  if (pull->vertex >= skin->vertex_count) return;
  const uint32_t lane = model->lanes[pull->vertex], block = lane / SUP_SKIN_BLOCK;
  const uint32_t at = lane % SUP_SKIN_BLOCK, first = skin->morph_count - model->mode_count;
  const size_t rows = sup_skin_record_rows(skin->flags);
  const float *weights =
      skin->records + SUP_SKIN_BLOCK * (rows * (block + 1) + skin->bone_first[block]) + at;
  const float f[3] = {pull->force.x, pull->force.y, pull->force.z};
  float local[3] = {0, 0, 0};
  for (uint32_t k = skin->bone_first[block]; k < skin->bone_first[block + 1]; k++) {
    const float *m = palette[skin->bones[k]].m;
    for (int i = 0; i < 3; i++) {
      local[i] += *weights * (m[3 * i] * f[0] + m[3 * i + 1] * f[1] + m[3 * i + 2] * f[2]);
    }
    weights += SUP_SKIN_BLOCK;
  }
  for (uint32_t s = skin->morph_first[block]; s < skin->morph_first[block + 1]; s++) {
    if (skin->morph_targets[s] < first) continue;
    const float *row = skin->morph_offsets + (size_t)(3 * SUP_SKIN_BLOCK) * s + at;
    io_force[skin->morph_targets[s] - first] +=
        row[0] * local[0] + row[SUP_SKIN_BLOCK] * local[1] + row[2 * SUP_SKIN_BLOCK] * local[2];
  }
}

/* What acts on the modes besides the bones' motion; false when nothing does. */
static bool add_forces(const SupModesView *model, const SupBackend *backend,
                       const SupAffine *palette, const SupModesForces *forces, float *out) {
  for (uint32_t i = 0; i < lane_count(model); i++) out[i] = 0;
  if (!forces) return false;
  const SupVec3 g = forces->gravity;
  const bool heavy = g.x != 0 || g.y != 0 || g.z != 0;
  if (heavy) {
    const SupModesDriveCall call = {.model = model, .palette = palette, .uniform = g, .out = out};
    backend->modes_drive(&call);
  }
  for (uint32_t k = 0; k < forces->pull_count; k++) {
    add_pull(model, palette, &forces->pulls[k], out);
  }
  for (uint32_t i = 0; i < lane_count(model) && forces->modal; i++) out[i] += forces->modal[i];
  return heavy || forces->pull_count > 0 || forces->modal;
}

/* ---- Steps ------------------------------------------------------------------------------------
 */

static void find_transitions(const SupModesView *model, SupModesState *state, float dt) {
  if (state->dt == dt) return;
  state->dt = dt;
  for (uint32_t k = 0; k < lane_count(model); k++) {
    const SupModesTransition t =
        sup_modes_transition((double)oscillator(model, k, SUP_MODES_STIFFNESS),
                             (double)oscillator(model, k, SUP_MODES_DECAY), (double)dt);
    float *rows = floats_at(state, state->transitions) +
                  (size_t)(MODES_TRANSITION_ROWS * SUP_SKIN_BLOCK) * (k / SUP_SKIN_BLOCK) +
                  k % SUP_SKIN_BLOCK;
    rows[SUP_SKIN_BLOCK * MODES_Q_Q] = (float)t.q[0];
    rows[SUP_SKIN_BLOCK * MODES_Q_V] = (float)t.q[1];
    rows[SUP_SKIN_BLOCK * MODES_V_Q] = (float)t.v[0];
    rows[SUP_SKIN_BLOCK * MODES_V_V] = (float)t.v[1];
    for (int j = 0; j < 4; j++) {
      rows[SUP_SKIN_BLOCK * (MODES_Q_F + j)] = (float)t.force_q[j];
      rows[SUP_SKIN_BLOCK * (MODES_V_F + j)] = (float)t.force_v[j];
    }
  }
}

static SupModesAdvanceCall advance_call(const SupModesView *model, SupModesState *state) {
  return (SupModesAdvanceCall){.block_count = model->block_count,
                               .transitions = floats_at(state, state->transitions),
                               .q = floats_at(state, state->q),
                               .v = floats_at(state, state->v)};
}

void sup_modes_advance(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                       float dt, const float *forces) {
  if (!(dt > 0)) return;
  find_transitions(model, state, dt);
  SupModesAdvanceCall call = advance_call(model, state);
  call.force_count = 4;
  for (uint32_t j = 0; j < 4; j++) call.forces[j] = forces + (size_t)j * lane_count(model);
  backend->modes_advance(&call);
}

/* The first two palettes: where the bones are, then how they move. Flesh rests. */
static void start(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                  float dt, const SupAffine *palette, const SupModesForces *forces) {
  float *q = floats_at(state, state->q), *v = floats_at(state, state->v);
  float *force = floats_at(state, state->force);
  SupAffine *last = bones_at(state, state->palette), *velocity = bones_at(state, state->velocity);
  add_forces(model, backend, palette, forces, force);
  for (uint32_t k = 0; k < lane_count(model); k++) {
    q[k] = force[k] / oscillator(model, k, SUP_MODES_STIFFNESS);
    v[k] = 0;
  }
  const float rate = state->fresh == 1 && dt > 0 ? 1 / dt : 0;
  for (uint32_t b = 0; b < state->bone_count; b++) {
    for (int i = 0; i < 12; i++) velocity[b].m[i] = (palette[b].m[i] - last[b].m[i]) * rate;
    last[b] = palette[b];
  }
  state->fresh--;
}

/* The velocity of the bones jumps, and the modes' with it, the other way. */
static void push(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                 float dt, const SupAffine *palette) {
  SupAffine *last = bones_at(state, state->palette), *velocity = bones_at(state, state->velocity);
  SupAffine *change = bones_at(state, state->change);
  float *v = floats_at(state, state->v);
  float *pushes = floats_at(state, state->force) + 2 * (size_t)lane_count(model);
  const float rate = 1 / dt;
  const float *to = (const float *)palette, *from = (const float *)last;
  float *speeds = (float *)velocity, *changes = (float *)change;
  for (size_t i = 0; i < 12 * (size_t)state->bone_count; i++) {
    const float speed = (to[i] - from[i]) * rate;
    changes[i] = speed - speeds[i];
    speeds[i] = speed;
  }
  sup_modes_drive(model, backend, last, change, pushes);
  for (uint32_t k = 0; k < lane_count(model); k++) v[k] -= pushes[k];
  sup_copy(last, palette, state->bone_count * sizeof *palette);
}

/* Is everything that a step takes a finite number? */
static bool finite_step(const SupModesView *model, float dt, const SupAffine *palette,
                        const SupModesForces *forces) {
  if (!sup_finite_all(&dt, 1)) return false;
  if (!sup_finite_all((const float *)palette, 12 * (size_t)model->skin.bone_count)) return false;
  if (!forces) return true;
  for (uint32_t k = 0; k < forces->pull_count; k++) {
    if (!sup_finite_all(&forces->pulls[k].force.x, 3)) return false;
  }
  return sup_finite_all(&forces->gravity.x, 3) &&
         (!forces->modal || sup_finite_all(forces->modal, lane_count(model)));
}

void sup_modes_step(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                    float dt, const SupAffine *palette, const SupModesForces *forces) {
  if (!finite_step(model, dt, palette, forces)) {
    sup_modes_reset(state);
    return;
  }
  state->balanced = forces && forces->balanced;
  if (state->fresh) {
    if (state->fresh == 2 || dt > 0) start(model, state, backend, dt, palette, forces);
    return;
  }
  if (!(dt > 0)) return;
  const uint32_t lanes = lane_count(model);
  float *before = floats_at(state, state->force), *rise = before + lanes;
  find_transitions(model, state, dt);
  push(model, state, backend, dt, palette);
  bool forced = add_forces(model, backend, palette, forces, rise);
  for (uint32_t k = 0; k < lanes; k++) {
    forced |= before[k] != 0;
    rise[k] -= before[k];
  }
  SupModesAdvanceCall call = advance_call(model, state);
  call.force_count = forced ? 2 : 0;
  call.forces[0] = before;
  call.forces[1] = rise;
  backend->modes_advance(&call);
  for (uint32_t k = 0; k < lanes; k++) before[k] += rise[k];
}

void sup_modes_weights(const SupModesView *model, const SupModesState *state, float lod, float fade,
                       float *out_weights) {
  const float *q = (const float *)(const void *)((const char *)state + state->q);
  const float *force = (const float *)(const void *)((const char *)state + state->force);
  for (uint32_t k = 0; k < model->mode_count; k++) {
    const float fraction = lod - (float)k, max_weight = oscillator(model, k, SUP_MODES_MAX_WEIGHT);
    const float rest = state->balanced ? force[k] / oscillator(model, k, SUP_MODES_STIFFNESS) : 0;
    const float weight = oscillator(model, k, SUP_MODES_GAIN) * (q[k] - rest);
    const float near = weight > max_weight    ? max_weight
                       : weight < -max_weight ? -max_weight
                                              : weight;
    out_weights[k] = near * (fraction >= 1 ? 1 : fraction > 0 ? fraction : 0) * fade;
  }
}

/* ---- What linearity gives ---------------------------------------------------------------------
 */

/* The slower of the two rates at which an oscillation dies away. */
static double slowest_rate(double stiffness, double decay) {
  if (decay * decay <= stiffness) return decay;
  /* decay - sqrt(decay^2 - stiffness) without cancellation. */
  return stiffness / (decay + sup_sqrt(decay * decay - stiffness));
}

double sup_modes_memory(const SupModesView *model, double tolerance) {
  double longest = 0;
  for (uint32_t k = 0; k < model->mode_count; k++) {
    const double rate = slowest_rate((double)oscillator(model, k, SUP_MODES_STIFFNESS),
                                     (double)oscillator(model, k, SUP_MODES_DECAY));
    if (!(rate > 0)) return __builtin_inf();
    const double seconds = -sup_log(tolerance) / rate;
    if (seconds > longest) longest = seconds;
  }
  return longest;
}

/* Steps first .. last (in units of motion->step after its start), and on to `time`. */
static void play(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                 const SupModesMotion *motion, int64_t first, int64_t last, double time) {
  SupAffine *next = bones_at(state, state->next);
  double at = 0;
  for (int64_t i = first; i <= last; i++) {
    at = motion->start + (double)i * motion->step;
    motion->palette(motion->user, at, next);
    sup_modes_step(model, state, backend, (float)motion->step, next, motion->forces);
  }
  if (time - at > 1e-6 * motion->step) {
    motion->palette(motion->user, time, next);
    sup_modes_step(model, state, backend, (float)(time - at), next, motion->forces);
  }
}

void sup_modes_seek(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                    const SupModesMotion *motion, double time, double tolerance) {
  const double steps = (time - motion->start) / motion->step;
  const double memory = sup_modes_memory(model, tolerance) / motion->step;
  const int64_t last = steps > 0 ? (int64_t)(steps + 1e-6) : 0;
  const int64_t first = memory + 2 < (double)last ? last - (int64_t)memory - 2 : 0;
  sup_modes_reset(state);
  play(model, state, backend, motion, first, last, time);
}

/* (I - A) x = y for the two by two map A over one period. */
static void close_loop(const SupModesTransition *a, float *io_q, float *io_v) {
  const double m00 = 1 - a->q[0], m01 = -a->q[1], m10 = -a->v[0], m11 = 1 - a->v[1];
  const double det = m00 * m11 - m01 * m10, q = (double)*io_q, v = (double)*io_v;
  if (!(det > 1e-12)) return; /* undamped and in tune with the loop: there is no steady state */
  *io_q = (float)((m11 * q - m01 * v) / det);
  *io_v = (float)((m00 * v - m10 * q) / det);
}

void sup_modes_loop(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                    const SupModesMotion *motion, double period) {
  const double count = period / motion->step;
  const int64_t steps = (int64_t)(count + 0.5) > 0 ? (int64_t)(count + 0.5) : 1;
  SupModesMotion even = *motion;
  even.step = period / (double)steps;
  /* The last step of the round before, for the bones' velocity; then one round from zero. */
  sup_modes_reset(state);
  SupAffine *next = bones_at(state, state->next);
  motion->palette(motion->user, motion->start + period - even.step, next);
  sup_modes_step(model, state, backend, 0, next, motion->forces);
  motion->palette(motion->user, motion->start, next);
  sup_modes_step(model, state, backend, (float)even.step, next, motion->forces);
  float *q = floats_at(state, state->q), *v = floats_at(state, state->v);
  for (uint32_t k = 0; k < lane_count(model); k++) q[k] = v[k] = 0;
  play(model, state, backend, &even, 1, steps, motion->start + period);
  for (uint32_t k = 0; k < lane_count(model); k++) {
    const SupModesTransition round =
        sup_modes_transition((double)oscillator(model, k, SUP_MODES_STIFFNESS),
                             (double)oscillator(model, k, SUP_MODES_DECAY), period);
    close_loop(&round, &q[k], &v[k]);
  }
}
