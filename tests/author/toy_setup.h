/* SPDX-License-Identifier: MIT */
/* A small set-up of rigspace by hand, and a walk through all of it that trusts its check. */
#ifndef SUP_TESTS_AUTHOR_TOY_SETUP_H
#define SUP_TESTS_AUTHOR_TOY_SETUP_H

#include "supple/author/rigspace_pack.h"
#include "surface/tube.h"

/* Four tetrahedra around a node inside a larger one, for the tube of tests/surface. */
static inline SupModel *toy_setup(SupArena *arena, SupCharacter *out_character, SupError *error) {
  static const SupVec3d nodes[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.25, 0.25, 0.25}};
  static const uint32_t tets[16] = {4, 1, 2, 3, 0, 4, 2, 3, 0, 1, 4, 3, 0, 1, 2, 4};
  static const double fractions[4] = {1, 0.5, 1, 1};
  static const uint32_t skin[3] = {1, 4, 7};
  static const uint32_t corners[12] = {0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 0, 0};
  static const double weights[12] = {1, 0, 0, 0.5, 0.5, 0, 0.25, 0.25, 0.5, 0, 0, 1};
  static const uint32_t offsets[2] = {0, 4}, inside_nodes[4] = {0, 1, 2, 3};
  static const double inside[4] = {0.25, 0.25, 0.25, 0.25};
  tube_make(arena, 8, 6, NULL, out_character);
  const SupRigspaceSetup setup = {
      .numbers = {.character = sup_rigspace_character_key(out_character),
                  .surface_count = 4,
                  .example_count = 7,
                  .material_kind = 1,
                  .scale = 1,
                  .unit = 1,
                  .young = 3e4,
                  .poisson = 0.45,
                  .density = 1000,
                  .frequency = 4},
      .name = "toy",
      .rig = "{}",
      .rig_bytes = 2,
      .volume = {5, 4, nodes, tets},
      .skin_count = 3,
      .skin = skin,
      .corners = corners,
      .weights = weights,
      .fractions = fractions,
      .inside_count = 1,
      .offsets = offsets,
      .nodes = inside_nodes,
      .inside = inside};
  SupModel *model = NULL;
  return sup_rigspace_pack(arena, out_character, &setup, &model, error) == SUP_OK ? model : NULL;
}

/* A sum over everything that a set-up has, by every index that it has. */
static inline double toy_setup_walk(const SupModel *model) {
  const SupRigspaceSetup s = sup_rigspace_setup(model);
  const SupVec3 *rest = sup_model_section(model, SUP_SECTION_REST, sizeof(SupVec3), NULL);
  double sum = 0;
  for (uint64_t i = 0; i < 3 * s.numbers.surface_count; i++) {
    sum += s.weights[i] * (double)rest[s.skin[s.corners[i]]].x;
  }
  for (uint32_t t = 0; t < s.volume.tet_count; t++) {
    for (uint32_t c = 0; c < 4; c++)
      sum += s.fractions[t] * s.volume.nodes[s.volume.tets[4 * (size_t)t + c]].y;
  }
  for (uint32_t k = 0; k < s.inside_count; k++) {
    for (uint32_t i = s.offsets[k]; i < s.offsets[k + 1]; i++) {
      sum += s.inside[i] * s.volume.nodes[s.nodes[i]].z;
    }
  }
  for (uint64_t k = 0; k < s.rig_bytes; k++) sum += s.rig[k];
  for (const char *at = s.name; *at; at++) sum += *at;
  return sum;
}

#endif
