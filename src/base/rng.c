/* SPDX-License-Identifier: MIT */
/* PCG32, variant XSH-RR 64/32 (M. O'Neill, "PCG: a family of simple fast space-efficient
 * statistically good algorithms for random number generation", 2014). */
#include "supple/base.h"

#define PCG_MULTIPLIER 6364136223846793005u

SupRng sup_rng(uint64_t seed, uint64_t stream) {
  SupRng rng = {.state = 0, .increment = (stream << 1) | 1};
  sup_rng_u32(&rng);
  rng.state += seed;
  sup_rng_u32(&rng);
  return rng;
}

uint32_t sup_rng_u32(SupRng *rng) {
  uint64_t old = rng->state;
  rng->state = old * PCG_MULTIPLIER + rng->increment;
  uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
  uint32_t turn = (uint32_t)(old >> 59);
  return (shifted >> turn) | (shifted << ((32 - turn) & 31));
}

uint32_t sup_rng_below(SupRng *rng, uint32_t bound) {
  /* Values under 2^32 mod bound would make the small results more likely: draw again. */
  uint32_t threshold = (uint32_t)(0u - bound) % bound;
  for (;;) {
    uint32_t value = sup_rng_u32(rng);
    if (value >= threshold) return value % bound;
  }
}

float sup_rng_float(SupRng *rng) { return (float)(sup_rng_u32(rng) >> 8) * 0x1p-24f; }

double sup_rng_double(SupRng *rng) {
  uint64_t high = sup_rng_u32(rng) >> 5; /* 27 bits */
  uint64_t low = sup_rng_u32(rng) >> 6;  /* 26 bits */
  return (double)((high << 26) | low) * 0x1p-53;
}
