/* SPDX-License-Identifier: MIT */
/* The groups of test_geom; each returns the number of failed tests. */
#ifndef SUP_TESTS_GEOM_GROUPS_H
#define SUP_TESTS_GEOM_GROUPS_H

int run_bvh_tests(void);
int run_geodesic_tests(void);
int run_laplacian_tests(void);
int run_order_tests(void);
int run_weld_tests(void);
int run_winding_tests(void);
int run_topology_tests(void);

#endif
