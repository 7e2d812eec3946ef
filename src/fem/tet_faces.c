/* SPDX-License-Identifier: MIT */
#include "fem/tet_faces.h"

#include <stdlib.h>

#include "base/union_find.h"

static int compare_faces(const void *left, const void *right) {
  const SupTetFace *a = left, *b = right;
  for (int k = 0; k < 3; k++) {
    if (a->nodes[k] != b->nodes[k]) return a->nodes[k] < b->nodes[k] ? -1 : 1;
  }
  return a->tets[0] < b->tets[0] ? -1 : a->tets[0] > b->tets[0];
}

static void swap_down(uint32_t *a, uint32_t *b) {
  if (*a <= *b) return;
  uint32_t swap = *a;
  *a = *b;
  *b = swap;
}

static SupTetFace face_of(const SupTetMesh *mesh, uint32_t t, uint32_t opposite) {
  SupTetFace face = {.tets = {t, SUP_NONE}};
  for (uint32_t a = 0, k = 0; a < 4; a++) {
    if (a != opposite) face.nodes[k++] = mesh->tets[4 * (size_t)t + a];
  }
  swap_down(&face.nodes[0], &face.nodes[1]);
  swap_down(&face.nodes[1], &face.nodes[2]);
  swap_down(&face.nodes[0], &face.nodes[1]);
  return face;
}

SupResult sup_tet_faces(SupArena *arena, const SupTetMesh *mesh, SupTetFace **out_faces,
                        uint32_t *out_count, SupError *error) {
  SupTetFace *faces = SUP_ALLOC(arena, SupTetFace, 4 * (size_t)mesh->tet_count);
  if (!faces) return sup_fail_memory(error, "embedding");
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    for (uint32_t a = 0; a < 4; a++) faces[4 * (size_t)t + a] = face_of(mesh, t, a);
  }
  qsort(faces, 4 * (size_t)mesh->tet_count, sizeof *faces, compare_faces);
  uint32_t count = 0;
  for (size_t k = 0; k < 4 * (size_t)mesh->tet_count; k++) {
    SupTetFace *last = count ? &faces[count - 1] : NULL;
    bool same = last && last->tets[1] == SUP_NONE;
    for (int i = 0; i < 3 && same; i++) same = last->nodes[i] == faces[k].nodes[i];
    if (same)
      last->tets[1] = faces[k].tets[0];
    else
      faces[count++] = faces[k];
  }
  *out_faces = faces;
  *out_count = count;
  return SUP_OK;
}

/* How many tetrahedra each set of `parents`, which is named by its root, has. */
static void count_sets(uint32_t *parents, uint32_t count, uint32_t *out_sizes) {
  for (uint32_t k = 0; k < count; k++) out_sizes[sup_union_find_root(parents, k)]++;
}

SupResult sup_tet_hinged(SupArena *arena, const SupTetMesh *mesh, uint8_t **out_hinged,
                         SupError *error) {
  const uint32_t count = mesh->tet_count;
  SupTetFace *faces = NULL;
  uint32_t face_count = 0;
  SupResult result = sup_tet_faces(arena, mesh, &faces, &face_count, error);
  if (result != SUP_OK) return result;
  uint32_t *by_face = SUP_ALLOC(arena, uint32_t, count);
  uint32_t *by_node = SUP_ALLOC(arena, uint32_t, mesh->node_count);
  uint32_t *sizes = SUP_ALLOC(arena, uint32_t, count);
  uint32_t *largest = SUP_ALLOC(arena, uint32_t, mesh->node_count);
  uint8_t *hinged = SUP_ALLOC(arena, uint8_t, count);
  if (!by_face || !by_node || !sizes || !largest || !hinged) {
    return sup_fail_memory(error, "attaching");
  }
  sup_union_find_init(by_face, count);
  sup_union_find_init(by_node, mesh->node_count);
  for (uint32_t f = 0; f < face_count; f++) {
    if (faces[f].tets[1] != SUP_NONE) {
      sup_union_find_join(by_face, faces[f].tets[0], faces[f].tets[1]);
    }
  }
  for (size_t k = 0; k < 4 * (size_t)count; k++) {
    sup_union_find_join(by_node, mesh->tets[k], mesh->tets[k - k % 4]);
  }
  count_sets(by_face, count, sizes);
  /* Of every piece the largest part; the first of equal ones. */
  for (uint32_t n = 0; n < mesh->node_count; n++) largest[n] = SUP_NONE;
  for (uint32_t t = 0; t < count; t++) {
    uint32_t *best = &largest[sup_union_find_root(by_node, mesh->tets[4 * (size_t)t])];
    if (sizes[t] > (*best == SUP_NONE ? 0 : sizes[*best])) *best = t;
  }
  for (uint32_t t = 0; t < count; t++) {
    const uint32_t part = sup_union_find_root(by_face, t);
    hinged[t] = largest[sup_union_find_root(by_node, mesh->tets[4 * (size_t)t])] != part;
  }
  *out_hinged = hinged;
  return SUP_OK;
}
