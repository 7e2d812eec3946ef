/* SPDX-License-Identifier: MIT */
/* The row of the correctives technique: a small sheet with random components, packed, read off
 * poses and shown, as the skin's own morph targets and as a layer. */
#include "hash_rows.h"
#include "hash_sheet.h"
#include "supple/author/correctives_pack.h"

enum {
  COMPONENTS = 6,
  CENTRES = 2,
  AXES = 3,
  PAIRS = 2,
  FEATURES = 1 + 9 * 2 + 3 * 2 + PAIRS + AXES + CENTRES
};

static SupVec3 shapes[COMPONENTS * SHEET_VERTICES];
static float positions[3 * SHEET_LANES], centres[CENTRES * 19];
static float limits[2 * COMPONENTS];
static double matrix[COMPONENTS * FEATURES];
static SupCorrectivesAxis axes[AXES];

static SupModel *make_model(SupArena *arena) {
  static const uint32_t drivers[2] = {1, 2}, heavy[2] = {0, 2};
  static const uint32_t axis_drivers[AXES] = {0, 0, 1}, pairs[2 * PAIRS] = {0, 1, 1, 2};
  const SupCharacter sheet = hash_sheet();
  SupRng rng = sup_rng(5, 9);
  SupModel *model = NULL;
  hash_fill_vectors(&rng, shapes, COMPONENTS * SHEET_VERTICES);
  for (uint32_t i = 0; i < COMPONENTS * FEATURES; i++) matrix[i] = sup_rng_double(&rng) - 0.5;
  for (uint32_t i = 0; i < CENTRES * 19; i++) centres[i] = sup_rng_float(&rng);
  for (uint32_t a = 0; a < AXES; a++) {
    for (int i = 0; i < 9; i++) axes[a].factors[i] = sup_rng_float(&rng) - 0.5f;
    axes[a].rest = 0.25f * (float)a;
    axes[a].low = -0.5f;
    axes[a].high = 0.75f;
  }
  for (uint32_t k = 0; k < COMPONENTS; k++) limits[2 * k] = -0.75f, limits[2 * k + 1] = 1.5f;
  SupCorrectivesDef def = sup_correctives_def();
  def.component_count = COMPONENTS;
  def.shapes = shapes;
  def.driver_count = def.heavy_count = 2;
  def.drivers = drivers;
  def.heavy = heavy;
  def.axis_count = AXES;
  def.axis_drivers = axis_drivers;
  def.axes = axes;
  def.pair_count = PAIRS;
  def.pairs = pairs;
  def.centre_count = CENTRES;
  def.centres = centres;
  def.matrix = matrix;
  def.limits = limits;
  return sup_correctives_pack(arena, &sheet, &def, &model, NULL) ? NULL : model;
}

uint64_t hash_correctives(const SupBackend *backend) {
  SupArena arena = hash_arena();
  const SupModel *model = make_model(&arena);
  if (!model) return 0;
  const SupCorrectivesView view = sup_correctives_view(model);
  SupTransform joints[SHEET_BONES];
  SupAffine palette[SHEET_BONES];
  float features[FEATURES], shown[COMPONENTS];
  uint64_t hash = sup_hash(model, (size_t)model->bytes, 0);
  for (int i = 0; i < 30; i++) {
    for (int b = 0; b < SHEET_BONES; b++) {
      const float t = (float)i * 0.25f * (float)(b + 1);
      joints[b] = (SupTransform){
          {0.25f * sup_sinf(t), 0.125f, 0}, {sup_sinf(t), 0.5f, sup_cosf(t), 2}, {1, 1.25f, 1}};
      palette[b] = sup_affine_compose(joints[b]);
    }
    const SupPose pose = {SHEET_BONES, sup_transform_identity(), joints};
    sup_correctives_read(&view, &pose, palette, (SupVec3){0.5f, -9.81f, 0}, features);
    sup_correctives_weights(&view, features, shown);
    const SupSkinLayer layer = {.skin = &view.skin, .weights = shown};
    SupSkinCall call = {.skin = &view.skin,
                        .palette = palette,
                        .morph_weights = shown,
                        .positions = {positions, 0}};
    call.layer_count = (uint32_t)i % 2;
    call.layers = &layer;
    sup_skin_lbs(backend, NULL, &call);
    hash = sup_hash(positions, sizeof positions, hash);
  }
  return hash;
}
