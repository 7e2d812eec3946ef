/* SPDX-License-Identifier: MIT */
/* The row of the correctives technique: a small sheet with random components, packed, read off
 * poses and shown, as the skin's own morph targets and as a layer. */
#include "hash_rows.h"
#include "supple/author/correctives_pack.h"

enum { WIDE = 13, LONG = 11, VERTICES = WIDE * LONG, TRIANGLES = 2 * (WIDE - 1) * (LONG - 1) };
enum { BONES = 3, COMPONENTS = 6, CENTRES = 2, FEATURES = 1 + 9 * 2 + 3 * 2 + CENTRES };
enum { LANES = (VERTICES + 15) / 16 * 16 };

static SupVec3 rest[VERTICES], shapes[COMPONENTS * VERTICES];
static uint32_t triangles[3 * TRIANGLES], offsets[VERTICES + 1], bones[2 * VERTICES];
static float weights[2 * VERTICES], positions[3 * LANES], centres[CENTRES * 19];
static float limits[2 * COMPONENTS];
static double matrix[COMPONENTS * FEATURES];

static SupCharacter make_sheet(void) {
  static const uint32_t joints[BONES] = {0, 1, 2};
  static const int32_t parents[BONES] = {-1, 0, 1};
  static const SupTransform pose[BONES] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                           {{1, 0, 0}, {0.6f, 0, 0, 0.8f}, {1, 1, 1}},
                                           {{0, 1, 0}, {0, 0.8f, 0.6f, 0}, {1, 1, 1}}};
  uint32_t t = 0;
  for (uint32_t v = 0; v < VERTICES; v++) {
    const uint32_t i = v % WIDE, k = v / WIDE, bone = i < WIDE / 2 ? 0 : 1;
    rest[v] = (SupVec3){(float)i * 0.125f, (float)k * 0.125f, (float)(i * k % 5) * 0.03125f};
    bones[2 * v] = bone, bones[2 * v + 1] = bone + 1;
    weights[2 * v] = 0.75f, weights[2 * v + 1] = 0.25f;
    offsets[v + 1] = 2 * v + 2;
    if (i + 1 == WIDE || k + 1 == LONG) continue;
    const uint32_t corners[6] = {v, v + 1, v + WIDE, v + 1, v + WIDE + 1, v + WIDE};
    for (int c = 0; c < 6; c++) triangles[t++] = corners[c];
  }
  return (SupCharacter){.name = "sheet",
                        .skeleton = {.joint_count = BONES,
                                     .bone_count = BONES,
                                     .parents = parents,
                                     .rest = pose,
                                     .bone_joints = joints},
                        .body = {VERTICES, TRIANGLES, rest, triangles},
                        .skin = {VERTICES, 2, offsets, bones, weights}};
}

static SupModel *make_model(SupArena *arena) {
  static const uint32_t drivers[2] = {1, 2}, heavy[2] = {0, 2};
  const SupCharacter sheet = make_sheet();
  SupRng rng = sup_rng(5, 9);
  SupModel *model = NULL;
  for (uint32_t i = 0; i < COMPONENTS * VERTICES; i++) {
    shapes[i] = (SupVec3){sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f,
                          sup_rng_float(&rng) - 0.5f};
  }
  for (uint32_t i = 0; i < COMPONENTS * FEATURES; i++) matrix[i] = sup_rng_double(&rng) - 0.5;
  for (uint32_t i = 0; i < CENTRES * 19; i++) centres[i] = sup_rng_float(&rng);
  for (uint32_t k = 0; k < COMPONENTS; k++) limits[2 * k] = -0.75f, limits[2 * k + 1] = 1.5f;
  SupCorrectivesDef def = sup_correctives_def();
  def.component_count = COMPONENTS;
  def.shapes = shapes;
  def.driver_count = def.heavy_count = 2;
  def.drivers = drivers;
  def.heavy = heavy;
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
  SupTransform joints[BONES];
  SupAffine palette[BONES];
  float features[FEATURES], shown[COMPONENTS];
  uint64_t hash = sup_hash(model, (size_t)model->bytes, 0);
  for (int i = 0; i < 30; i++) {
    for (int b = 0; b < BONES; b++) {
      const float t = (float)i * 0.25f * (float)(b + 1);
      joints[b] = (SupTransform){
          {0.25f * sup_sinf(t), 0.125f, 0}, {sup_sinf(t), 0.5f, sup_cosf(t), 2}, {1, 1.25f, 1}};
      palette[b] = sup_affine_compose(joints[b]);
    }
    const SupPose pose = {BONES, sup_transform_identity(), joints};
    sup_correctives_read(&view, &pose, palette, (SupVec3){0.5f, -9.81f, 0}, features);
    sup_correctives_weights(&view, features, shown);
    const SupSkinLayer layer = {&view.skin, shown};
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
