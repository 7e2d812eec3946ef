/* SPDX-License-Identifier: MIT */
/* How far flesh can move: never farther than the report says, and an adversary gets half-way. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/modes/modes_volume.h"
#include "wobble.h"

#ifndef FRAMES
#define FRAMES 100000
#endif
#define BONES_MOST 64
static const float dt = 1.0f / 90;

/* One frame of accelerations, all at its start. */
static void frame(Wobble *w, const SupAffine *palette, const SupAffine *accelerations) {
  static const float none[4 * 16];
  float push[16], *v = sup_modes_velocities(w->state);
  assert_int_equal(w->view.block_count, 1);
  sup_modes_drive(&w->view, w->backend, palette, accelerations, push);
  for (uint32_t k = 0; k < w->view.mode_count; k++) v[k] -= dt * push[k];
  sup_modes_advance(&w->view, w->state, w->backend, dt, none);
}

static void calm(Wobble *w) {
  memset(sup_modes_amplitudes(w->state), 0, 16 * sizeof(float));
  memset(sup_modes_velocities(w->state), 0, 16 * sizeof(float));
}

/* Metres of offset of a vertex, in rest space. */
static SupVec3 offset_of(const Wobble *w, uint32_t v) {
  const SupSkinView *skin = &w->view.skin;
  const uint32_t lane = w->view.lanes[v], first = skin->morph_count - w->view.mode_count;
  const float *q = sup_modes_amplitudes(w->state);
  SupVec3 sum = {0, 0, 0};
  for (uint32_t s = skin->morph_first[lane / 16]; s < skin->morph_first[lane / 16 + 1]; s++) {
    const float *row = skin->morph_offsets + 48 * (size_t)s + lane % 16;
    const float fraction = q[skin->morph_targets[s] - first] * w->view.scale;
    sum = sup_vec3_add_scaled(sum, (SupVec3){row[0], row[16], row[32]}, fraction);
  }
  return sum;
}

/* Random accelerations of at most 1 m/s^2: pushes to and fro near a mode's frequency, every few
 * seconds another, each bone its own way; now and then nothing but noise. */
static void never_exceeded(void **state) {
  Wobble *w = *state;
  SupRng rng = sup_rng(11, 1);
  SupAffine palette[BONES_MOST], accelerations[BONES_MOST] = {{{0}}};
  SupVec3 ways[BONES_MOST];
  const uint32_t bones = w->view.skin.bone_count, vertices = w->view.skin.vertex_count;
  double hertz = 1, most = 0;
  bool noise = false, together = false;
  assert_true(bones <= BONES_MOST);
  calm(w);
  for (uint32_t i = 0; i < FRAMES; i++) {
    if (i % 240 == 0) {
      wobble_palette(w, i, palette);
      hertz = w->report.frequencies[sup_rng_below(&rng, w->view.mode_count)];
      noise = sup_rng_below(&rng, 4) == 0;
      together = sup_rng_below(&rng, 2) == 0;
    }
    for (uint32_t b = 0; b < bones; b++) {
      if (i % 240 == 0 || noise) {
        const SupVec3 way = {sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f,
                             sup_rng_float(&rng) - 0.5f};
        ways[b] = sup_vec3_normalise(way);
        if (together && b > 0) ways[b] = ways[0];
      }
      const float sign = sin(2 * SUP_PI * hertz * i * (double)dt) < 0 ? -1 : 1;
      accelerations[b].m[9] = sign * ways[b].x;
      accelerations[b].m[10] = sign * ways[b].y;
      accelerations[b].m[11] = sign * ways[b].z;
    }
    frame(w, palette, accelerations);
    for (uint32_t n = 0; n < 3; n++) {
      const uint32_t v = n == 0 ? w->report.worst_vertex : sup_rng_below(&rng, vertices);
      most = fmax(most, (double)sup_vec3_length(offset_of(w, v)));
    }
  }
  printf("%u random frames: %.3g m of at most %.3g (%.0f %%)\n", (unsigned)FRAMES, most,
         w->report.worst, 100 * most / w->report.worst);
  assert_true(most > 0 && most < w->report.worst);
}

/* ---- The adversary ----------------------------------------------------------------------------
 */

typedef struct Adversary {
  Wobble *w;
  ModesVolume volume;
  SupVec3d *wanted; /* [free_count] mass times what a node's acceleration does to the vertex */
} Adversary;

static double bone_weight(const ModesVolume *volume, uint32_t node, uint32_t bone) {
  double sum = 0;
  for (uint32_t s = 0; s < SUP_ATTACH_BONES; s++) {
    const size_t at = SUP_ATTACH_BONES * (size_t)node + s;
    if (volume->attachment.bones[at] == bone) sum += (double)volume->attachment.weights[at];
  }
  return sum;
}

/* Solves the symmetric positive 4 x 4 system for three right sides, in place. */
static void solve4(double m[4][4], double x[4][3]) {
  for (int c = 0; c < 4; c++) {
    for (int r = 0; r < 4; r++) {
      if (r == c) continue;
      const double f = m[r][c] / m[c][c];
      for (int k = 0; k < 4; k++) m[r][k] -= f * m[c][k];
      for (int k = 0; k < 3; k++) x[r][k] -= f * x[c][k];
    }
  }
  for (int r = 0; r < 4; r++) {
    for (int k = 0; k < 3; k++) x[r][k] /= m[r][r];
  }
}

/* What a bone gains by acceleration a: a is first scaled so that no node gets more than 1. */
static double worth(const Adversary *e, uint32_t bone, SupAffined *io_a) {
  double most = 0, gain = 0;
  for (uint32_t i = 0; i < e->volume.body.free_count; i++) {
    const uint32_t n = e->volume.body.free_nodes[i];
    const double weight = bone_weight(&e->volume, n, bone);
    if (!(weight > 0)) continue;
    const SupVec3d a = sup_affined_point(*io_a, e->volume.fill.mesh.nodes[n]);
    most = fmax(most, sup_vec3d_length(a));
    gain += weight * sup_vec3d_dot(a, e->wanted[i]);
  }
  if (!(most > 0)) return 0;
  for (int k = 0; k < 12; k++) io_a->m[k] /= most;
  return gain / most;
}

/* The better of a translation and of the affine field that fits the wanted directions best. */
static SupAffined best_push(const Adversary *e, uint32_t bone) {
  double m[4][4] = {{0}}, x[4][3] = {{0}};
  SupAffined shift = {{0}}, field;
  for (uint32_t i = 0; i < e->volume.body.free_count; i++) {
    const uint32_t n = e->volume.body.free_nodes[i];
    const double weight = bone_weight(&e->volume, n, bone);
    const SupVec3d X = e->volume.fill.mesh.nodes[n], g = e->wanted[i];
    const double size = sup_vec3d_length(g), p[4] = {X.x, X.y, X.z, 1}, f[3] = {g.x, g.y, g.z};
    for (int r = 0; r < 4; r++) {
      for (int c = 0; c < 4; c++) m[r][c] += weight * size * p[r] * p[c];
      for (int c = 0; c < 3; c++) x[r][c] += weight * p[r] * f[c];
    }
  }
  for (int c = 0; c < 3; c++) shift.m[9 + c] = x[3][c];
  const double trace = m[0][0] + m[1][1] + m[2][2] + m[3][3];
  if (!(trace > 0)) return (SupAffined){{0}};
  double best = worth(e, bone, &shift);
  for (double stiff = 1e-4; stiff < 1; stiff *= 5) { /* from bold to nearly a translation */
    double left[4][4], right[4][3];
    memcpy(left, m, sizeof left);
    memcpy(right, x, sizeof right);
    for (int r = 0; r < 4; r++) left[r][r] += stiff * trace;
    solve4(left, right);
    for (int c = 0; c < 4; c++) {
      for (int r = 0; r < 3; r++) field.m[3 * c + r] = right[c][r];
    }
    const double gain = worth(e, bone, &field);
    if (gain > best) best = gain, shift = field;
  }
  return shift;
}

/* Backwards in time, each bone pushes the way that moves the worst vertex along `way` most. */
static SupVec3d attack(Adversary *e, SupVec3d way) {
  enum { STEPS = 450 };
  Wobble *w = e->w;
  const uint32_t modes = w->view.mode_count;
  SupAffine palette[BONES_MOST], accelerations[BONES_MOST];
  for (uint32_t b = 0; b < BONES_MOST; b++) palette[b] = sup_affine_identity();
  calm(w);
  for (int i = 0; i < STEPS; i++) {
    memset(e->wanted, 0, e->volume.body.free_count * sizeof *e->wanted);
    for (uint32_t k = 0; k < modes; k++) {
      const double show =
          sup_vec3d_dot(sup_modes_at_vertex(&e->volume, k, w->report.worst_vertex), way);
      const SupModesTransition t = sup_modes_transition(e->volume.stiffness[k], e->volume.decay[k],
                                                        (STEPS - i) * (double)dt);
      for (uint32_t n = 0; n < e->volume.body.free_count; n++) {
        const double mass = e->volume.body.masses[e->volume.body.free_nodes[n]];
        e->wanted[n] = sup_vec3d_add_scaled(e->wanted[n], modes_at_node(&e->volume, k, n),
                                            -mass * show * t.q[1]);
      }
    }
    for (uint32_t b = 0; b < w->view.skin.bone_count; b++) {
      accelerations[b] = sup_affined_to_float(best_push(e, b));
    }
    frame(w, palette, accelerations);
  }
  return sup_vec3_to_double(offset_of(w, w->report.worst_vertex));
}

static void adversary(void **state) {
  Adversary e = {.w = *state};
  SupModesTrainReport report = {0};
  SupError error;
  assert_int_equal(sup_modes_volume(&e.w->arena, &e.w->def, &e.volume, &report, &error), SUP_OK);
  e.wanted = SUP_ALLOC(&e.w->arena, SupVec3d, e.volume.body.free_count);
  double most = 0;
  for (int k = 0; k < 3; k++) {
    SupVec3d way = {k == 0, k == 1, k == 2};
    for (int round = 0; round < 3; round++) { /* where it went is the better way to push it */
      const SupVec3d end = attack(&e, way);
      most = fmax(most, sup_vec3d_length(end));
      way = sup_vec3d_normalise(end);
    }
  }
  printf("an adversary reaches %.3g m of %.3g (%.0f %%)\n", most, e.w->report.worst,
         100 * most / e.w->report.worst);
  assert_true(most < e.w->report.worst);
  assert_true(most > 0.5 * e.w->report.worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(never_exceeded), cmocka_unit_test(adversary)};
  return cmocka_run_group_tests(tests, wobble_make, wobble_unmake);
}
