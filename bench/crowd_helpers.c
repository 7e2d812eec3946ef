/* SPDX-License-Identifier: MIT */
/* A model of helper joints for the tests and benches of batches. */
#include <stdio.h>
#include <stdlib.h>

#include "chain.h"
#include "crowd.h"

static void stop_on(SupResult result, const SupError *error) {
  if (!result) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

static void make_helpers(SupArena *arena, uint32_t helper_count, uint32_t states, SupRng *rng,
                         SupHelperDef *out_helpers) {
  const SupError error = {"a chain of helpers: out of memory"};
  for (uint32_t h = 0; h < helper_count; h++) {
    SupHelperDef *helper = &out_helpers[h];
    const bool made = chain_helper(arena, rng, h, states, 0.01, helper);
    stop_on(made ? SUP_OK : SUP_ERROR_MEMORY, &error);
    helper->rest.translation.y = 0.1f * (float)h;
    helper->range[0] = -0.01, helper->range[1] = 0.01; /* a limit that acts */
  }
}

SupModel *crowd_helpers(SupArena *arena, uint32_t helper_count, uint32_t states) {
  SupHelperDef helpers[CHAIN_HELPERS];
  SupRng rng = sup_rng(states, helper_count);
  SupModel *model = NULL;
  SupError error;
  make_helpers(arena, helper_count, states, &rng, helpers);
  stop_on(chain_pack(arena, helper_count, helpers, 60, &model, &error), &error);
  return model;
}

SupModel *crowd_helpers_two(SupArena *arena, uint32_t helper_count, uint32_t states) {
  SupHelperDef helpers[2 * CHAIN_HELPERS];
  SupRng rng = sup_rng(states, helper_count);
  SupModel *model = NULL;
  SupError error;
  make_helpers(arena, helper_count, states, &rng, helpers);
  make_helpers(arena, helper_count, states, &rng, helpers + helper_count);
  stop_on(chain_pack_two(arena, helper_count, helpers, 60, &model, &error), &error);
  return model;
}

void crowd_joints(uint32_t character, double seconds, uint32_t joint_count, SupTransform *joints,
                  SupAffine *globals) {
  for (uint32_t j = 0; j < joint_count; j++) {
    SupRng rng = sup_rng(character, 100 + j);
    float way[3];
    for (int k = 0; k < 3; k++) way[k] = sup_rng_float(&rng) - 0.5f;
    const SupVec3 axis = sup_vec3_normalise((SupVec3){way[0], way[1], way[2]});
    const double t = 2 * SUP_PI * seconds * (0.7 + 0.6 * sup_rng_double(&rng));
    joints[j] = sup_transform_identity();
    if (j < CROWD_JOINTS) {
      joints[j].translation = (SupVec3){0.05f * (float)sup_sin(t), 0.5f, 0};
      joints[j].rotation = sup_quat_from_axis_angle(axis, 0.6f * (float)sup_sin(t + j));
    }
    const SupAffine local = sup_affine_compose(joints[j]);
    globals[j] = j > 0 && j < CROWD_JOINTS ? sup_affine_mul(globals[j - 1], local) : local;
  }
}
