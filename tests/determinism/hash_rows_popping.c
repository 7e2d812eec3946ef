/* SPDX-License-Identifier: MIT */
/* The row of the popping technique: a small sheet with random pairs and two muscles, packed, told
 * to clench and relax at an odd frame rate, and shown over its skin. */
#include "hash_rows.h"
#include "hash_sheet.h"
#include "supple/author/popping_pack.h"

enum { PAIRS = 3, FEATURES = 1 + 9 * 2 + PAIRS };

static SupVec3 shapes[PAIRS * SHEET_VERTICES], bulges[PAIRS * SHEET_VERTICES];
static float positions[3 * SHEET_LANES], centres[PAIRS * 19], limits[2 * PAIRS];
static float masks[2 * SHEET_VERTICES];
static double matrix[PAIRS * FEATURES], keep[SHEET_VERTICES], pull[SHEET_VERTICES];
static _Alignas(SUP_ALIGNMENT) unsigned char block[64 << 10];

static SupModel *make_model(SupArena *arena) {
  static const uint32_t drivers[2] = {1, 2};
  static const SupPoppingMask groups[2] = {{"a", masks}, {"b", masks + SHEET_VERTICES}};
  const SupCharacter sheet = hash_sheet();
  SupRng rng = sup_rng(7, 2);
  SupModel *model = NULL;
  hash_fill_vectors(&rng, shapes, PAIRS * SHEET_VERTICES);
  hash_fill_vectors(&rng, bulges, PAIRS * SHEET_VERTICES);
  for (uint32_t i = 0; i < PAIRS * FEATURES; i++) matrix[i] = sup_rng_double(&rng) - 0.5;
  for (uint32_t i = 0; i < PAIRS * 19; i++) centres[i] = sup_rng_float(&rng);
  for (uint32_t k = 0; k < PAIRS; k++) limits[2 * k] = -0.5f, limits[2 * k + 1] = 1.5f;
  for (uint32_t v = 0; v < SHEET_VERTICES; v++) {
    const SupPoppingSwing swing = sup_popping_swing_hz(3 + 4 * sup_rng_double(&rng), 0.2, 1.0 / 60);
    keep[v] = swing.keep;
    pull[v] = swing.pull;
    masks[v] = sup_rng_float(&rng);
    masks[SHEET_VERTICES + v] = v % 3 ? 1 - masks[v] : 0;
  }
  SupPoppingDef def = sup_popping_def();
  def.poses.component_count = def.poses.centre_count = PAIRS;
  def.poses.shapes = shapes;
  def.poses.driver_count = 2;
  def.poses.drivers = drivers;
  def.poses.centres = centres;
  def.poses.matrix = matrix;
  def.poses.limits = limits;
  def.bulges = bulges;
  def.keep = keep;
  def.pull = pull;
  def.times.fatigue = 0.5f;
  def.group_count = 2;
  def.groups = groups;
  return sup_popping_pack(arena, &sheet, &def, &model, NULL) ? NULL : model;
}

uint64_t hash_popping(const SupBackend *backend) {
  SupArena arena = hash_arena();
  const SupModel *model = make_model(&arena);
  if (!model) return 0;
  const SupPoppingView view = sup_popping_view(model);
  if (sup_popping_bytes(&view) > sizeof block) return 0;
  SupPoppingState *state = sup_popping_init(&view, block);
  SupTransform joints[SHEET_BONES];
  SupAffine palette[SHEET_BONES];
  float features[FEATURES], weights[PAIRS];
  uint64_t hash = sup_hash(model, (size_t)model->bytes, 0);
  for (int i = 0; i < 60; i++) {
    for (int b = 0; b < SHEET_BONES; b++) {
      const float t = (float)i * 0.25f * (float)(b + 1);
      joints[b] = (SupTransform){
          {0.25f * sup_sinf(t), 0.125f, 0}, {sup_sinf(t), 0.5f, sup_cosf(t), 2}, {1, 1.25f, 1}};
      palette[b] = sup_affine_compose(joints[b]);
    }
    const SupPose pose = {SHEET_BONES, sup_transform_identity(), joints};
    const SupPoppingEvent event = {
        .group = (uint32_t)i % 3 == 2 ? SUP_POPPING_ALL : (uint32_t)i % 3,
        .ago = 0.004f,
        .strength = i % 4 == 3 ? 0 : 1,
        .length = 0.125f};
    sup_popping_step(&view, state, backend, 0.013, i % 5 == 0, &event);
    const float *fractions = sup_popping_show(&view, state, backend);
    sup_correctives_read(&view.poses, &pose, palette, (SupVec3){0, 0, 0}, features);
    sup_correctives_weights(&view.poses, features, weights);
    const SupSkinLayer layer = {.skin = &view.bulge, .weights = weights, .fractions = fractions};
    const SupSkinCall call = {.skin = &view.poses.skin,
                              .palette = palette,
                              .morph_weights = weights,
                              .layers = &layer,
                              .layer_count = fractions != NULL,
                              .positions = {positions, 0}};
    sup_skin_lbs(backend, NULL, &call);
    hash = sup_hash(positions, sizeof positions, hash);
  }
  return sup_hash(state, (size_t)state->bytes, hash);
}
