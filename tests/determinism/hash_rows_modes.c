/* SPDX-License-Identifier: MIT */
/* The row of the modes technique: a small sheet with random modes, packed, stepped and shown. */
#include "hash_rows.h"
#include "hash_sheet.h"
#include "supple/author/modes_pack.h"

enum { PAIRS = 6, MODES = 20 };

static SupVec3 shapes[MODES * SHEET_VERTICES], turns[MODES * SHEET_VERTICES];
static float positions[3 * SHEET_LANES];
static double stiffness[MODES], decay[MODES], drive[12 * PAIRS * MODES];

static SupModel *make_model(SupArena *arena, bool warp) {
  static const uint32_t pairs[2 * PAIRS] = {0, 0, 0, 1, 0, 2, 1, 1, 1, 2, 2, 2};
  const SupCharacter sheet = hash_sheet();
  SupRng rng = sup_rng(5, 8);
  SupModel *model = NULL;
  hash_fill_vectors(&rng, shapes, MODES * SHEET_VERTICES);
  for (uint32_t k = 0; k < MODES; k++) {
    stiffness[k] = 100 + 300.0 * k;
    decay[k] = 0.25 * k * k; /* the last ones are damped beyond critical */
  }
  for (uint32_t i = 0; i < 12 * PAIRS * MODES; i++) drive[i] = sup_rng_double(&rng) - 0.5;
  SupModesDef def = sup_modes_def();
  def.mode_count = MODES;
  def.shapes = shapes;
  for (uint32_t i = 0; i < MODES * SHEET_VERTICES; i++) {
    turns[i] = (SupVec3){10 * shapes[i].y, 10 * shapes[i].z, 10 * shapes[i].x};
  }
  def.turns = warp ? turns : NULL;
  def.stiffness = stiffness;
  def.decay = decay;
  def.pair_count = PAIRS;
  def.pairs = pairs;
  def.drive = drive;
  return sup_modes_pack(arena, &sheet, &def, &model, NULL) ? NULL : model;
}

/* Bones at a time: they turn and move. */
static void place(double time, SupAffine *palette) {
  for (int b = 0; b < SHEET_BONES; b++) {
    const SupQuat q = sup_quat_normalise(
        (SupQuat){sup_sinf((float)time * (float)(b + 2)), 0.5f, sup_cosf((float)time), 2});
    palette[b] = sup_affine_compose(
        (SupTransform){{0.25f * sup_sinf((float)(3 * time)), 0.125f, 0}, q, {1, 1, 1}});
  }
}

static void place_for(void *user, double time, SupAffine *palette) {
  (void)user;
  place(time, palette);
}

static uint64_t hash_model(const SupBackend *backend, bool warp) {
  SupArena arena = hash_arena();
  const SupModel *model = make_model(&arena, warp);
  if (!model) return 0;
  const SupModesView view = sup_modes_view(model);
  SupModesState *state = sup_modes_init(&view, sup_arena_alloc(&arena, 1, sup_modes_bytes(&view)));
  const SupModesPull pull = {17, {1, 2, 3}};
  const SupModesForces forces = {.gravity = {0, -9.81f, 0}, .pull_count = 1, .pulls = &pull};
  SupAffine palette[SHEET_BONES];
  float shown[MODES];
  uint64_t hash = sup_hash(model, (size_t)model->bytes, 0);
  double time = 0;
  for (int i = 0; i < 60; i++) {
    const float dt = i % 5 ? 1.0f / 60 : 0.05f;
    place(time, palette);
    sup_modes_step(&view, state, backend, dt, palette, i > 20 ? &forces : NULL);
    time += (double)dt;
    sup_modes_weights(&view, state, 17.5f, 0.75f, shown);
    const SupSkinCall call = {.skin = &view.skin,
                              .palette = palette,
                              .morph_weights = shown,
                              .positions = {positions, 0}};
    sup_skin_lbs(backend, NULL, &call);
    hash = sup_hash(positions, sizeof positions, hash);
  }
  const SupModesMotion motion = {place_for, NULL, 0, 1.0 / 30, &forces};
  sup_modes_seek(&view, state, backend, &motion, 3.25, 1e-5);
  hash = sup_hash(state, (size_t)state->bytes, hash);
  sup_modes_loop(&view, state, backend, &motion, 2);
  return sup_hash(state, (size_t)state->bytes, hash);
}

uint64_t hash_modes(const SupBackend *backend) { return hash_model(backend, false); }
uint64_t hash_modes_warp(const SupBackend *backend) { return hash_model(backend, true); }
