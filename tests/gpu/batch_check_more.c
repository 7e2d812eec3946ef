/* SPDX-License-Identifier: MIT */
/* Batches of modes, skins and helpers against single characters on the processor. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch_check.h"

/* ---- Modes and skinning -------------------------------------------------------------------------
 */

static double weights_apart(const float *a, const float *b, size_t count, double *io_most) {
  double apart = 0;
  for (size_t i = 0; i < count; i++) {
    apart = fmax(apart, fabs((double)a[i] - (double)b[i]));
    *io_most = fmax(*io_most, fabs((double)b[i]));
    if (a[i] - a[i] != 0) apart = 1e9;
  }
  return apart;
}

void check_modes(const SupBackend *backend) {
  SupArena arena = crowd_arena();
  SupError error;
  enum { MODES_A = 16, MODES_B = 23, ALL = 3 * MODES_A + 2 * MODES_B };
  const SupModel *a = crowd_modes(&arena, 494, MODES_A), *b = crowd_modes(&arena, 300, MODES_B);
  const SupModesView views[2] = {sup_modes_view(a), sup_modes_view(b)};
  Crowd c;
  crowd_open(&c, backend, a, b);
  SupModesBatch *batch;
  SupSkinBatch *skins;
  must(c.table->modes_make(backend, &c.def, &batch, &error), &error);
  must(c.table->skin_make(backend, &c.def, &skins, &error), &error);
  SupModesState *states[CHARACTERS];
  for (uint32_t k = 0; k < CHARACTERS; k++) {
    const SupModesView *v = &views[k >= 3];
    states[k] = sup_modes_init(v, sup_arena_alloc(&arena, 1, sup_modes_bytes(v)));
  }
  const size_t vertices = 3 * 494 + 2 * 300, bytes = vertices * 3 * sizeof(float);
  float *device = c.table->allocate(&c.def.allocator, ALL * sizeof(float));
  float *out = c.table->allocate(&c.def.allocator, bytes);
  float *skinned = sup_arena_alloc(&arena, 1, bytes), *single = sup_arena_alloc(&arena, 1, bytes);
  float weights[ALL], own[ALL];
  double apart = 0, most = 0, skin_apart = 0, unused = 0;
  const SupVec3 gravity = {0, -9.81f, 0}, none = {0, 0, 0};
  for (uint32_t frame = 0; frame < check_frames; frame++) {
    const float dt = frame < 40 ? 1.0f / 60 : 1.0f / 90;
    const SupModesForces f = {.gravity = frame % 100 < 50 ? none : gravity};
    pose(&c, frame, false);
    c.table->modes_step(batch, dt, c.palettes, f.gravity, c.stream);
    float *to = own;
    for (uint32_t k = 0; k < CHARACTERS; k++) {
      const SupModesView *v = &views[k >= 3];
      sup_modes_step(v, states[k], sup_backend_cpu(), dt, c.host + (size_t)CROWD_BONES * k, &f);
      sup_modes_weights(v, states[k], 1000, 0.5f, to);
      to += v->mode_count;
    }
    if (frame % 20 && frame + 1 != check_frames) continue;
    c.table->modes_weights(batch, 1000, 0.5f, device, c.stream);
    c.table->skin_lbs(skins, c.palettes, device, (SupBatchOutput){out, 3},
                      (SupBatchOutput){NULL, 0}, c.stream);
    must(c.table->download(weights, device, sizeof weights, c.stream, &error), &error);
    must(c.table->download(skinned, out, bytes, c.stream, &error), &error);
    apart = fmax(apart, weights_apart(weights, own, ALL, &most));
    const float *w = own;
    float *place = single;
    for (uint32_t k = 0; k < CHARACTERS; k++) {
      const SupModesView *v = &views[k >= 3];
      const SupSkinCall call = {.skin = &v->skin,
                                .palette = c.host + (size_t)CROWD_BONES * k,
                                .morph_weights = w,
                                .positions = {place, 3}};
      sup_skin_lbs(sup_backend_cpu(), NULL, &call);
      w += v->mode_count;
      place += (size_t)3 * v->skin.vertex_count;
    }
    skin_apart = fmax(skin_apart, weights_apart(skinned, single, 3 * vertices, &unused));
  }
  printf("modes: %u frames, weights %.3g apart of %.3g, skins %.3g apart\n", check_frames, apart,
         most, skin_apart);
  expect(most > (check_frames < 200 ? 0.001 : 0.01), "modes: they swing");
  expect(apart < 1e-4 * most, "modes: as on the processor");
  expect(skin_apart < 2e-5, "skin: as on the processor");
  must(c.table->modes_get(batch, 4, states[0], c.stream, &error), &error);
  must(c.table->modes_put(batch, 3, states[0], c.stream, &error), &error);
  c.table->modes_weights(batch, 1000, 1, device, c.stream);
  must(c.table->download(weights, device, sizeof weights, c.stream, &error), &error);
  expect(
      memcmp(weights + 3 * MODES_A, weights + 3 * MODES_A + MODES_B, MODES_B * sizeof(float)) == 0,
      "modes: a state goes out and in");
  c.table->release(&c.def.allocator, device, ALL * sizeof(float));
  c.table->release(&c.def.allocator, out, bytes);
  c.table->modes_free(batch);
  c.table->skin_free(skins);
  crowd_free(&c);
  sup_arena_free(&arena);
}

/* ---- Helpers ------------------------------------------------------------------------------------
 */

enum { HELPERS_A = 4, HELPERS_B = 7, JOINTS_A = CROWD_JOINTS + HELPERS_A };
enum { JOINTS_B = CROWD_JOINTS + HELPERS_B, ALL_JOINTS = 3 * JOINTS_A + 2 * JOINTS_B };

/* How far helpers are apart, and how far from where they stand at rest. */
static void helpers_apart(const SupHelpersView *view, const SupTransform *a, const SupTransform *b,
                          double *io_apart, double *io_moved) {
  for (uint32_t h = 0; h < view->helper_count; h++) {
    const float *x = &a[view->bones[h].joint].translation.x,
                *rest = &view->bones[h].rest.translation.x;
    const float *y = &b[view->bones[h].joint].translation.x;
    for (int k = 0; k < 10; k++) {
      const double apart = fabs((double)x[k] - (double)y[k]);
      *io_apart = fmax(*io_apart, apart < 1e9 ? apart : 1e9);
      *io_moved = fmax(*io_moved, fabs((double)y[k] - (double)rest[k]));
    }
  }
}

/* Now and then the levels of three characters of both models change; returns who has which. */
static void choose_levels(Crowd *c, SupHelpersCrowd *batch, uint32_t frame, uint8_t *device,
                          uint8_t lods[CHARACTERS]) {
  if (frame % 45 != 20) return;
  SupError error;
  for (uint32_t k = 1; k < 4; k++) lods[k] = (uint8_t)((frame / 45 + k) % 3);
  must(c->table->upload(device, lods + 1, 3, c->stream, &error), &error);
  c->table->helpers_lods(batch, 1, 3, device, c->stream);
  must(c->table->wait(c->stream, &error), &error);
}

/* Now and then the characters of the second model are made of something else. */
static void choose_blend(Crowd *c, SupHelpersCrowd *batch, uint32_t frame,
                         const SupHelpersView *view, SupHelpersState *const states[2]) {
  if (frame % 60 != 25) return;
  const float soft = frame % 120 < 60 ? 0.3f : 1.1f, fractions[2] = {soft, 1 - soft};
  const float wrong[2] = {0.5f, 0.6f};
  SupError error;
  must(c->table->helpers_blend(batch, 1, fractions, c->stream, &error), &error);
  expect(c->table->helpers_blend(batch, 1, wrong, c->stream, &error) == SUP_ERROR_ARGUMENT,
         "helpers: a sum of 1.1 is refused");
  expect(c->table->helpers_blend(batch, 0, fractions, c->stream, &error) == SUP_ERROR_ARGUMENT,
         "helpers: one material cannot be blended");
  for (int k = 0; k < 2; k++) {
    must(sup_helpers_blend(&c->arena, view, states[k], fractions, &error), &error);
  }
}

/* All levels, for all and for single characters, cuts, gravity, exaggeration, materials. */
static uint64_t run_helpers(const SupBackend *backend, const SupModel *const models[2],
                            double *io_apart, double *io_moved) {
  const SupHelpersView views[2] = {sup_helpers_view(models[0]), sup_helpers_view(models[1])};
  SupError error;
  Crowd c;
  crowd_open(&c, backend, models[0], models[1]);
  SupHelpersCrowd *batch;
  must(c.table->helpers_make(backend, &c.def, &batch, &error), &error);
  const SupBackend *cpu = sup_backend_cpu();
  SupHelpersState *states[CHARACTERS];
  for (uint32_t k = 0; k < CHARACTERS; k++) {
    const SupHelpersView *v = &views[k >= 3];
    states[k] = sup_helpers_init(v, sup_arena_alloc(&c.arena, 1, sup_helpers_bytes(v)));
  }
  static SupTransform single[ALL_JOINTS], many[ALL_JOINTS];
  static SupAffine globals[ALL_JOINTS];
  SupTransform *joints = c.table->allocate(&c.def.allocator, sizeof many);
  SupAffine *places = c.table->allocate(&c.def.allocator, sizeof globals);
  uint8_t *chosen = c.table->allocate(&c.def.allocator, CHARACTERS), lods[CHARACTERS];
  memset(lods, SUP_HELPERS_FULL, sizeof lods);
  uint64_t hash = 0;
  for (uint32_t frame = 0; frame < check_frames; frame++) {
    SupHelpersControls controls = sup_helpers_controls();
    controls.lod = frame % 200 < 140   ? SUP_HELPERS_FULL
                   : frame % 200 < 170 ? SUP_HELPERS_STATIC
                                       : SUP_HELPERS_OFF;
    choose_levels(&c, batch, frame, chosen, lods);
    choose_blend(&c, batch, frame, &views[1], states + 3);
    if (frame % 150 > 75) controls.gravity = (SupVec3){0, -9.81f, 0};
    if (frame % 130 > 100) controls.exaggerate = 1.7f, controls.range = 1.2f;
    if (frame == 50) {
      c.table->helpers_reset(batch, 2, 2, c.stream);
      sup_helpers_reset(states[2]);
      sup_helpers_reset(states[3]);
    }
    for (uint32_t k = 0, at = 0; k < CHARACTERS; k++) {
      const SupHelpersView *v = &views[k >= 3];
      crowd_joints(k, frame / 60.0, v->joint_count, single + at, globals + at);
      at += v->joint_count;
    }
    must(c.table->upload(joints, single, sizeof single, c.stream, &error), &error);
    must(c.table->upload(places, globals, sizeof globals, c.stream, &error), &error);
    c.table->helpers_step(batch, &controls, places, joints, c.stream);
    must(c.table->download(many, joints, sizeof many, c.stream, &error), &error);
    hash = sup_hash(many, sizeof many, hash);
    for (uint32_t k = 0, at = 0; k < CHARACTERS; k++) {
      const SupHelpersView *v = &views[k >= 3];
      const SupPose pose = {v->joint_count, sup_transform_identity(), single + at};
      SupHelpersControls own = controls;
      if (lods[k] < own.lod) own.lod = (SupHelpersLod)lods[k];
      sup_helpers_step(v, states[k], cpu, &own, &pose, globals + at, single + at);
      helpers_apart(v, many + at, single + at, io_apart, io_moved);
      at += v->joint_count;
    }
  }
  c.table->release(&c.def.allocator, joints, sizeof many);
  c.table->release(&c.def.allocator, places, sizeof globals);
  c.table->release(&c.def.allocator, chosen, CHARACTERS);
  c.table->helpers_free(batch);
  crowd_free(&c);
  return hash;
}

void check_helpers(const SupBackend *backend) {
  SupArena arena = crowd_arena();
  const SupModel *models[2] = {crowd_helpers(&arena, HELPERS_A, 10),
                               crowd_helpers_two(&arena, HELPERS_B, 3)};
  double apart = 0, moved = 0;
  const uint64_t hash = run_helpers(backend, models, &apart, &moved);
  const uint64_t again = run_helpers(backend, models, &apart, &moved);
  printf("helpers: %u frames, of %.3g: %.2g apart, hash %016llx\n", check_frames, moved,
         apart / moved, (unsigned long long)hash);
  expect(moved > 0.05, "helpers: they move");
  expect(apart < 1e-4 * moved, "helpers: as on the processor");
  expect(hash == again, "helpers: the same bits again");
  sup_arena_free(&arena);
}
