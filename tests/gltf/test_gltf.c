/* SPDX-License-Identifier: MIT */
/* glTF documents: reading, round trips, editing, hostile input, files beside a document. */
#include "gltf_groups.h"

int main(void) {
  int failed = 0;
  failed += run_gltf_read_tests();
  failed += run_gltf_round_trip_tests();
  failed += run_gltf_edit_tests();
  failed += run_gltf_hostile_tests();
  failed += run_gltf_json_tests();
  failed += run_gltf_path_tests();
  return failed ? 1 : 0;
}
