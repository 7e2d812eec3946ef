/* SPDX-License-Identifier: MIT */
/* The groups of test_gltf; each returns the number of failed tests. */
#ifndef SUP_TESTS_GLTF_GROUPS_H
#define SUP_TESTS_GLTF_GROUPS_H

int run_gltf_read_tests(void);
int run_gltf_round_trip_tests(void);
int run_gltf_edit_tests(void);
int run_gltf_hostile_tests(void);
int run_gltf_json_tests(void);
int run_gltf_path_tests(void);

#endif
