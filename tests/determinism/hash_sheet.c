/* SPDX-License-Identifier: MIT */
#include "hash_sheet.h"

enum { TRIANGLES = 2 * (SHEET_WIDE - 1) * (SHEET_LONG - 1) };

static SupVec3 rest[SHEET_VERTICES];
static uint32_t triangles[3 * TRIANGLES], offsets[SHEET_VERTICES + 1], bones[2 * SHEET_VERTICES];
static float weights[2 * SHEET_VERTICES];

SupCharacter hash_sheet(void) {
  static const uint32_t joints[SHEET_BONES] = {0, 1, 2};
  static const int32_t parents[SHEET_BONES] = {-1, 0, 1};
  static const SupTransform pose[SHEET_BONES] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                                 {{1, 0, 0}, {0.6f, 0, 0, 0.8f}, {1, 1, 1}},
                                                 {{0, 1, 0}, {0, 0.8f, 0.6f, 0}, {1, 1, 1}}};
  uint32_t t = 0;
  for (uint32_t v = 0; v < SHEET_VERTICES; v++) {
    const uint32_t i = v % SHEET_WIDE, k = v / SHEET_WIDE, bone = i < SHEET_WIDE / 2 ? 0 : 1;
    rest[v] = (SupVec3){(float)i * 0.125f, (float)k * 0.125f, (float)(i * k % 5) * 0.03125f};
    bones[2 * v] = bone, bones[2 * v + 1] = bone + 1;
    weights[2 * v] = 0.75f, weights[2 * v + 1] = 0.25f;
    offsets[v + 1] = 2 * v + 2;
    if (i + 1 == SHEET_WIDE || k + 1 == SHEET_LONG) continue;
    const uint32_t below = v + SHEET_WIDE;
    const uint32_t corners[6] = {v, v + 1, below, v + 1, below + 1, below};
    for (int c = 0; c < 6; c++) triangles[t++] = corners[c];
  }
  return (SupCharacter){.name = "sheet",
                        .skeleton = {.joint_count = SHEET_BONES,
                                     .bone_count = SHEET_BONES,
                                     .parents = parents,
                                     .rest = pose,
                                     .bone_joints = joints},
                        .body = {SHEET_VERTICES, TRIANGLES, rest, triangles},
                        .skin = {SHEET_VERTICES, 2, offsets, bones, weights}};
}

void hash_fill_vectors(SupRng *rng, SupVec3 *out, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    out[i] =
        (SupVec3){sup_rng_float(rng) - 0.5f, sup_rng_float(rng) - 0.5f, sup_rng_float(rng) - 0.5f};
  }
}
