/* SPDX-License-Identifier: MIT */
/* Geometry: one group per header of include/supple/geom. */
#include "groups.h"

int main(void) {
  int failed = run_weld_tests() + run_topology_tests();
  return failed ? 1 : 0;
}
