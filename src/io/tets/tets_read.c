/* SPDX-License-Identifier: MIT */
/* From a file's nodes and tetrahedra to a mesh: numbers looked up, corners turned, leftovers gone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/tets/tets_text.h"
#include "supple/io/file.h"

/* ---- From the file's numbers to ours -------------------------------------------------------- */

typedef struct Label {
  int64_t label;
  uint32_t node;
} Label;

static int compare_labels(const void *left, const void *right) {
  const Label *a = left, *b = right;
  if (a->label != b->label) return a->label < b->label ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

static SupResult sort_labels(const SupTetsJob *job, Label **out_labels, SupError *error) {
  Label *labels = SUP_ALLOC(job->arena, Label, job->node_count);
  if (!labels) return sup_fail_memory(error, job->name);
  for (uint32_t n = 0; n < job->node_count; n++) labels[n] = (Label){job->labels[n], n};
  qsort(labels, job->node_count, sizeof *labels, compare_labels);
  for (uint32_t k = 1; k < job->node_count; k++) {
    if (labels[k].label != labels[k - 1].label) continue;
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: two nodes have the number %lld", job->name,
                    (long long)labels[k].label);
  }
  *out_labels = labels;
  return SUP_OK;
}

static SupResult look_up(const SupTetsJob *job, const Label *labels, uint32_t *out_tets,
                         SupError *error) {
  for (size_t k = 0; k < 4 * (size_t)job->tet_count; k++) {
    Label key = {job->tets[k], 0};
    size_t low = 0, high = job->node_count;
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (labels[middle].label < key.label)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == job->node_count || labels[low].label != key.label) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "%s: tetrahedron %zu uses node %lld, which does not exist", job->name,
                      k / 4 + 1, (long long)key.label);
    }
    out_tets[k] = labels[low].node;
  }
  return SUP_OK;
}

/* ---- Mending -------------------------------------------------------------------------------- */

/* Six times the volume, and as `out_size` what it would be if all edges were at right angles. */
static double six_volumes(const SupVec3d *nodes, const uint32_t *t, double *out_size) {
  SupVec3d a = sup_vec3d_sub(nodes[t[1]], nodes[t[0]]);
  SupVec3d b = sup_vec3d_sub(nodes[t[2]], nodes[t[0]]);
  SupVec3d c = sup_vec3d_sub(nodes[t[3]], nodes[t[0]]);
  *out_size = sup_vec3d_length(a) * sup_vec3d_length(b) * sup_vec3d_length(c);
  return sup_vec3d_dot(a, sup_vec3d_cross(b, c));
}

/* Turns what is inside out and leaves out what is flat. */
static uint32_t mend_tets(const SupTetsJob *job, uint32_t *tets, SupTetsReport *report) {
  uint32_t count = 0;
  for (uint32_t t = 0; t < job->tet_count; t++) {
    uint32_t *from = tets + 4 * (size_t)t, *to = tets + 4 * (size_t)count;
    double size, volume = six_volumes(job->nodes, from, &size);
    if (!(fabs(volume) > 1e-9 * size)) {
      report->flat_count++;
      continue;
    }
    memmove(to, from, 4 * sizeof *to);
    if (volume < 0) {
      uint32_t swap = to[2];
      to[2] = to[3];
      to[3] = swap;
      report->turned_count++;
    }
    count++;
  }
  return count;
}

/* Keeps the nodes that are used. */
static SupResult pack_nodes(const SupTetsJob *job, uint32_t tet_count, uint32_t *tets,
                            SupTetMesh *out_mesh, SupTetsReport *report, SupError *error) {
  uint32_t *place = SUP_ALLOC(job->arena, uint32_t, job->node_count);
  if (!place) return sup_fail_memory(error, job->name);
  for (size_t k = 0; k < 4 * (size_t)tet_count; k++) place[tets[k]] = 1;
  uint32_t count = 0;
  for (uint32_t n = 0; n < job->node_count; n++) {
    if (!place[n]) continue;
    job->nodes[count] = job->nodes[n];
    place[n] = count++;
  }
  for (size_t k = 0; k < 4 * (size_t)tet_count; k++) tets[k] = place[tets[k]];
  report->unused_count = job->node_count - count;
  *out_mesh = (SupTetMesh){count, tet_count, job->nodes, tets};
  return SUP_OK;
}

static SupResult finish(SupTetsJob *job, SupTetMesh *out_mesh, SupTetsReport *out_report,
                        SupError *error) {
  if (job->node_count == 0 || job->tet_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: no %s; this is not a tetrahedral mesh", job->name,
                    job->node_count ? "tetrahedra" : "nodes");
  }
  Label *labels = NULL;
  SupTetsReport report = {0};
  uint32_t *tets = SUP_ALLOC(job->arena, uint32_t, 4 * (size_t)job->tet_count);
  if (!tets) return sup_fail_memory(error, job->name);
  SupResult result = sort_labels(job, &labels, error);
  if (result == SUP_OK) result = look_up(job, labels, tets, error);
  if (result != SUP_OK) return result;
  uint32_t count = mend_tets(job, tets, &report);
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: all tetrahedra have zero volume", job->name);
  }
  SupTetMesh mesh;
  result = pack_nodes(job, count, tets, &mesh, &report, error);
  if (result != SUP_OK) return result;
  *out_mesh = mesh;
  if (out_report) *out_report = report;
  return SUP_OK;
}

SupResult sup_tets_parse(SupArena *arena, const SupTetsText *source, SupTetMesh *out_mesh,
                         SupTetsReport *out_report, SupError *error) {
  SupTetsJob job = {.arena = arena,
                    .name = source->name,
                    .scan = {source->text, source->text + source->bytes, 1}};
  SupResult result = SUP_OK;
  switch (source->format) {
    case SUP_TETS_MEDIT: result = sup_tets_medit(&job, error); break;
    case SUP_TETS_GMSH: result = sup_tets_gmsh(&job, error); break;
    case SUP_TETS_TETGEN: result = sup_tets_tetgen(&job, source, error); break;
  }
  return result == SUP_OK ? finish(&job, out_mesh, out_report, error) : result;
}

/* ---- Files ---------------------------------------------------------------------------------- */

bool sup_tets_format(const char *path, SupTetsFormat *out_format) {
  static const struct {
    const char *ending;
    SupTetsFormat format;
  } rows[] = {{".mesh", SUP_TETS_MEDIT},
              {".msh", SUP_TETS_GMSH},
              {".node", SUP_TETS_TETGEN},
              {".ele", SUP_TETS_TETGEN}};
  size_t length = strlen(path);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    size_t size = strlen(rows[k].ending);
    if (length > size && strcmp(path + length - size, rows[k].ending) == 0) {
      *out_format = rows[k].format;
      return true;
    }
  }
  return false;
}

/* `path` with another ending. */
static const char *sibling(SupArena *arena, const char *path, const char *ending) {
  size_t stem = (size_t)(strrchr(path, '.') - path), size = strlen(ending);
  char *other = SUP_ALLOC(arena, char, stem + size + 1);
  if (!other) return NULL;
  memcpy(other, path, stem);
  memcpy(other + stem, ending, size + 1);
  return other;
}

SupResult sup_tets_read(SupArena *arena, const char *path, SupTetMesh *out_mesh,
                        SupTetsReport *out_report, SupError *error) {
  SupTetsText source = {.name = path};
  if (!sup_tets_format(path, &source.format)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: tetrahedra are read from .mesh, .msh, or .node and .ele", path);
  }
  const char *paths[2] = {path, NULL};
  if (source.format == SUP_TETS_TETGEN) {
    paths[0] = sibling(arena, path, ".node");
    paths[1] = sibling(arena, path, ".ele");
    if (!paths[0] || !paths[1]) return sup_fail_memory(error, path);
  }
  const uint8_t *data;
  SupResult result = sup_file_read(arena, paths[0], &data, &source.bytes, error);
  if (result != SUP_OK) return result;
  source.text = (const char *)data;
  if (paths[1]) {
    result = sup_file_read(arena, paths[1], &data, &source.more_bytes, error);
    if (result != SUP_OK) return result;
    source.more = (const char *)data;
  }
  return sup_tets_parse(arena, &source, out_mesh, out_report, error);
}
