/* SPDX-License-Identifier: MIT */
/* TetGen's .node and .ele. Every line: its number, then nodes or coordinates, then attributes. */
#include "io/tets/tets_text.h"

/* Passes over what is left of a line. */
static void skip_line(SupTetsJob *job) { sup_obj_scan_next_line(&job->scan); }

static SupResult read_nodes(SupTetsJob *job, SupError *error) {
  uint32_t count;
  int64_t dimension;
  SupResult result = sup_tets_announced(job, "the number of nodes", 4, &count, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "the dimension", &dimension, error);
  if (result == SUP_OK && dimension != 3) {
    return sup_tets_fail(job, "the dimension must be 3", error);
  }
  if (result == SUP_OK) result = sup_tets_room_nodes(job, count, error);
  skip_line(job);
  for (uint32_t n = 0; n < count && result == SUP_OK; n++) {
    result = sup_tets_integer(job, "the number of a node", &job->labels[n], error);
    if (result == SUP_OK) result = sup_tets_place(job, &job->nodes[n], error);
    skip_line(job);
  }
  if (result == SUP_OK) job->node_count = count;
  return result;
}

static SupResult read_elements(SupTetsJob *job, SupError *error) {
  uint32_t count;
  int64_t corners, number;
  SupResult result = sup_tets_announced(job, "the number of tetrahedra", 5, &count, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "nodes per tetrahedron", &corners, error);
  if (result == SUP_OK && corners != 4 && corners != 10) {
    return sup_tets_fail(job, "a tetrahedron has 4 or 10 nodes", error);
  }
  if (result == SUP_OK) result = sup_tets_room_tets(job, count, error);
  skip_line(job);
  for (uint32_t t = 0; t < count && result == SUP_OK; t++) {
    result = sup_tets_integer(job, "the number of a tetrahedron", &number, error);
    if (result == SUP_OK) result = sup_tets_corners(job, error);
    skip_line(job);
  }
  return result;
}

SupResult sup_tets_tetgen(SupTetsJob *job, const SupTetsText *source, SupError *error) {
  SupResult result = read_nodes(job, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, ".node");
    return result;
  }
  job->scan = (SupObjScan){source->more, source->more + source->more_bytes, 1};
  result = read_elements(job, error);
  if (result != SUP_OK) sup_error_prefix(error, ".ele");
  return result;
}
