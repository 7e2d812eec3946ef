// SPDX-License-Identifier: MIT
// A C++ program around Supple as a subproject. Exit 1 if something is wrong.
#include <cstdio>

#include "supple/author/character.h"
#include "supple/base.h"

int main() {
  std::puts(sup_version());
  SupRng rng = sup_rng(42, 54);
  // The first number of PCG32's own demonstration program.
  return sup_rng_u32(&rng) == 0xa15c02b7u ? 0 : 1;
}
