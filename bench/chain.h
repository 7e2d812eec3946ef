/* SPDX-License-Identifier: MIT */
/* A chain of four joints with helpers of random numbers: what benches and tests of helpers pose. */
#ifndef SUP_BENCH_CHAIN_H
#define SUP_BENCH_CHAIN_H

#include "supple/author/helpers_pack.h"

enum { CHAIN_JOINTS = 4, CHAIN_INPUTS = 6, CHAIN_TERMS = 14, CHAIN_HELPERS = 8 };

/* Helper h (below CHAIN_HELPERS), driven by how a joint is pushed and whirled, so strongly; posed
 * by products of its turn and the next one's. At rest in its joint, without limits. False: no
 * memory. */
bool chain_helper(SupArena *arena, SupRng *rng, uint32_t h, uint32_t states, double push,
                  SupHelperDef *out_helper);

/* The model of the chain with these helpers; inputs are cut at +-most. */
SupResult chain_pack(SupArena *arena, uint32_t helper_count, const SupHelperDef *helpers,
                     double most, SupModel **out_model, SupError *error);

/* The same in two materials, "soft" and "firm" of frequency ratio 1.3: helpers[2 * helper_count].
 */
SupResult chain_pack_two(SupArena *arena, uint32_t helper_count, const SupHelperDef *helpers,
                         double most, SupModel **out_model, SupError *error);

#endif
