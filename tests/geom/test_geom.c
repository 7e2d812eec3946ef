/* SPDX-License-Identifier: MIT */
/* Geometry: one group per header of include/supple/geom. */
#include "groups.h"

int main(void) {
  int failed = 0;
  failed += run_weld_tests();
  failed += run_topology_tests();
  failed += run_order_tests();
  failed += run_bvh_tests();
  failed += run_winding_tests();
  failed += run_laplacian_tests();
  failed += run_geodesic_tests();
  return failed ? 1 : 0;
}
