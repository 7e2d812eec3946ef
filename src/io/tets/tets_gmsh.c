/* SPDX-License-Identifier: MIT */
/*
 * Gmsh's .msh, ascii, versions 2.2 and 4.1: sections between $Name and $EndName. Elements are read
 * line by line, so that kinds we do not know are passed over.
 */
#include <string.h>

#include "io/tets/tets_text.h"

/* Gmsh's numbers for tetrahedra of first and second order. */
#define TET4 4
#define TET10 11

static void skip_line(SupTetsJob *job) { sup_obj_scan_next_line(&job->scan); }

static SupResult read_format(SupTetsJob *job, int *out_major, SupError *error) {
  double version;
  int64_t kind, size;
  SupResult result = sup_tets_number(job, "the version", &version, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "the file type", &kind, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "the data size", &size, error);
  if (result != SUP_OK) return result;
  if (kind != 0) {
    return sup_tets_fail(job, "the file is binary; save it as ASCII (gmsh -format msh2)", error);
  }
  if (version >= 2 && version < 3) {
    *out_major = 2;
  } else if (version > 4.05 && version < 5) {
    *out_major = 4;
  } else {
    return sup_tets_fail(job, "versions 2.2 and 4.1 are read; save it as one of them", error);
  }
  return SUP_OK;
}

/* ---- Version 2 ------------------------------------------------------------------------------ */

static SupResult read_nodes_2(SupTetsJob *job, SupError *error) {
  uint32_t count;
  SupResult result = sup_tets_announced(job, "the number of nodes", 4, &count, error);
  if (result == SUP_OK) result = sup_tets_room_nodes(job, count, error);
  for (uint32_t n = 0; n < count && result == SUP_OK; n++) {
    result = sup_tets_integer(job, "the number of a node", &job->labels[n], error);
    if (result == SUP_OK) result = sup_tets_place(job, &job->nodes[n], error);
  }
  if (result == SUP_OK) job->node_count = count;
  return result;
}

static SupResult read_elements_2(SupTetsJob *job, SupError *error) {
  uint32_t count;
  SupResult result = sup_tets_announced(job, "the number of elements", 4, &count, error);
  skip_line(job);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    int64_t number, kind, tags, tag;
    result = sup_tets_integer(job, "the number of an element", &number, error);
    if (result == SUP_OK) result = sup_tets_integer(job, "the kind of an element", &kind, error);
    if (result == SUP_OK) result = sup_tets_integer(job, "the number of tags", &tags, error);
    if (result == SUP_OK && (kind == TET4 || kind == TET10)) {
      for (int64_t i = 0; i < tags && result == SUP_OK; i++) {
        result = sup_tets_integer(job, "a tag", &tag, error);
      }
      if (result == SUP_OK) result = sup_tets_room_tets(job, 1, error);
      if (result == SUP_OK) result = sup_tets_corners(job, error);
    }
    skip_line(job);
  }
  return result;
}

/* ---- Version 4.1 ---------------------------------------------------------------------------- */

/* One block of nodes: all numbers first, then all places, each with up to three parameters. */
static SupResult read_node_block(SupTetsJob *job, uint32_t total, SupError *error) {
  int64_t dimension, entity, parametric;
  uint32_t count;
  SupResult result = sup_tets_integer(job, "the dimension of an entity", &dimension, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "the number of an entity", &entity, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "`parametric`", &parametric, error);
  if (result == SUP_OK) result = sup_tets_announced(job, "the nodes of a block", 4, &count, error);
  if (result != SUP_OK) return result;
  if (count > total - job->node_count) {
    return sup_tets_fail(job, "there are more nodes in the blocks than were announced", error);
  }
  uint32_t first = job->node_count;
  for (uint32_t n = first; n < first + count && result == SUP_OK; n++) {
    result = sup_tets_integer(job, "the number of a node", &job->labels[n], error);
  }
  for (uint32_t n = first; n < first + count && result == SUP_OK; n++) {
    result = sup_tets_place(job, &job->nodes[n], error);
    skip_line(job); /* what stands behind are parameters */
  }
  if (result == SUP_OK) job->node_count += count;
  return result;
}

static SupResult read_nodes_4(SupTetsJob *job, SupError *error) {
  uint32_t blocks, total;
  int64_t least, most;
  SupResult result = sup_tets_announced(job, "the number of blocks", 4, &blocks, error);
  if (result == SUP_OK) result = sup_tets_announced(job, "the number of nodes", 4, &total, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "the least number", &least, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "the greatest number", &most, error);
  if (result == SUP_OK) result = sup_tets_room_nodes(job, total, error);
  for (uint32_t b = 0; b < blocks && result == SUP_OK; b++) {
    result = read_node_block(job, total, error);
  }
  return result;
}

static SupResult read_element_block(SupTetsJob *job, SupError *error) {
  int64_t dimension, entity, kind, number;
  uint32_t count;
  SupResult result = sup_tets_integer(job, "the dimension of an entity", &dimension, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "the number of an entity", &entity, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "the kind of elements", &kind, error);
  if (result == SUP_OK) {
    result = sup_tets_announced(job, "the elements of a block", 2, &count, error);
  }
  if (result != SUP_OK) return result;
  bool wanted = kind == TET4 || kind == TET10;
  if (wanted) result = sup_tets_room_tets(job, count, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = sup_tets_integer(job, "the number of an element", &number, error);
    if (result == SUP_OK && wanted) result = sup_tets_corners(job, error);
    skip_line(job);
  }
  return result;
}

static SupResult read_elements_4(SupTetsJob *job, SupError *error) {
  uint32_t blocks, total;
  int64_t least, most;
  SupResult result = sup_tets_announced(job, "the number of blocks", 4, &blocks, error);
  if (result == SUP_OK) {
    result = sup_tets_announced(job, "the number of elements", 2, &total, error);
  }
  if (result == SUP_OK) result = sup_tets_integer(job, "the least number", &least, error);
  if (result == SUP_OK) result = sup_tets_integer(job, "the greatest number", &most, error);
  for (uint32_t b = 0; b < blocks && result == SUP_OK; b++) {
    result = read_element_block(job, error);
  }
  return result;
}

/* ---- Sections ------------------------------------------------------------------------------- */

/* Goes behind the line that begins with `end`. Text may stand there, with # and all. */
static SupResult skip_section(SupTetsJob *job, const char *word, size_t length, SupError *error) {
  while (sup_obj_scan_next_line(&job->scan)) {
    const SupObjScan *scan = &job->scan;
    size_t left = (size_t)(scan->end - scan->at);
    if (left < length + 3 || memcmp(scan->at, "$End", 4) != 0) continue;
    if (memcmp(scan->at + 4, word + 1, length - 1) == 0) {
      sup_obj_scan_next_line(&job->scan);
      return SUP_OK;
    }
  }
  return sup_tets_fail(job, "a section has no end", error);
}

static SupResult read_section(SupTetsJob *job, int *io_major, SupError *error) {
  const char *word;
  size_t length;
  sup_obj_scan_word(&job->scan, &word, &length);
  if (length < 2 || word[0] != '$') {
    return sup_tets_fail(job, "this is not a Gmsh file: a section begins with $", error);
  }
  if (sup_tets_word_is(word, length, "$MeshFormat")) {
    SupResult result = read_format(job, io_major, error);
    return result == SUP_OK ? skip_section(job, word, length, error) : result;
  }
  if (*io_major == 0) return sup_tets_fail(job, "$MeshFormat must come first", error);
  SupResult result = SUP_OK;
  if (sup_tets_word_is(word, length, "$Nodes")) {
    result = *io_major == 2 ? read_nodes_2(job, error) : read_nodes_4(job, error);
  } else if (sup_tets_word_is(word, length, "$Elements")) {
    result = *io_major == 2 ? read_elements_2(job, error) : read_elements_4(job, error);
  } else {
    return skip_section(job, word, length, error);
  }
  if (result != SUP_OK) return result;
  if (sup_tets_seek(job)) {
    const char *end;
    size_t end_length;
    sup_obj_scan_word(&job->scan, &end, &end_length);
    if (end_length == length + 3 && memcmp(end, "$End", 4) == 0) return SUP_OK;
  }
  return sup_tets_fail(job, "a section has more or fewer items than it announced", error);
}

SupResult sup_tets_gmsh(SupTetsJob *job, SupError *error) {
  SupResult result = SUP_OK;
  int major = 0;
  while (result == SUP_OK && sup_tets_seek(job)) result = read_section(job, &major, error);
  return result;
}
