/* SPDX-License-Identifier: MIT */
/* Medit's .mesh: keywords, each followed by a count and so many lines. Nodes count from 1. */
#include "io/tets/tets_text.h"

static SupResult read_vertices(SupTetsJob *job, SupError *error) {
  uint32_t count;
  SupResult result = sup_tets_announced(job, "the number of vertices", 4, &count, error);
  if (result == SUP_OK) result = sup_tets_room_nodes(job, count, error);
  for (uint32_t n = 0; n < count && result == SUP_OK; n++) {
    int64_t reference;
    result = sup_tets_place(job, &job->nodes[n], error);
    if (result == SUP_OK) result = sup_tets_integer(job, "a label", &reference, error);
    job->labels[n] = (int64_t)n + 1;
  }
  if (result == SUP_OK) job->node_count = count;
  return result;
}

static SupResult read_tetrahedra(SupTetsJob *job, SupError *error) {
  uint32_t count;
  SupResult result = sup_tets_announced(job, "the number of tetrahedra", 5, &count, error);
  if (result == SUP_OK) result = sup_tets_room_tets(job, count, error);
  for (uint32_t t = 0; t < count && result == SUP_OK; t++) {
    int64_t reference;
    result = sup_tets_corners(job, error);
    if (result == SUP_OK) result = sup_tets_integer(job, "a label", &reference, error);
  }
  return result;
}

static SupResult read_dimension(SupTetsJob *job, SupError *error) {
  int64_t dimension;
  SupResult result = sup_tets_integer(job, "the dimension", &dimension, error);
  if (result == SUP_OK && dimension != 3) {
    return sup_tets_fail(job, "only meshes of dimension 3 have tetrahedra", error);
  }
  return result;
}

SupResult sup_tets_medit(SupTetsJob *job, SupError *error) {
  SupResult result = SUP_OK;
  bool known = false;
  while (result == SUP_OK && sup_tets_seek(job)) {
    const char *word;
    size_t length;
    sup_obj_scan_word(&job->scan, &word, &length);
    if (sup_tets_word_is(word, length, "MeshVersionFormatted")) {
      known = true;
    } else if (!known) {
      return sup_tets_fail(job,
                           "this is not an ASCII Medit file: it must begin with "
                           "MeshVersionFormatted",
                           error);
    } else if (sup_tets_word_is(word, length, "Dimension")) {
      result = read_dimension(job, error);
    } else if (sup_tets_word_is(word, length, "Vertices")) {
      result = read_vertices(job, error);
    } else if (sup_tets_word_is(word, length, "Tetrahedra")) {
      result = read_tetrahedra(job, error);
    } else if (sup_tets_word_is(word, length, "End")) {
      break;
    } /* all else: keywords we do not know, and their numbers */
  }
  return result;
}
