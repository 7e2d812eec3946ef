/* SPDX-License-Identifier: MIT */
/*
 * Flesh that hangs by an edge or a corner swings freely: it has no stiffness there, and no mode
 * either. Elements that share faces are rigid to each other; such a group is anchored when it
 * contains three held nodes or ties that are not on a line, and is held whole otherwise.
 */
#include <stdlib.h>

#include "base/union_find.h"
#include "train/modes/modes_volume.h"

typedef struct Face {
  uint32_t nodes[3]; /* rising */
  uint32_t tet;
} Face;

static int compare_faces(const void *left, const void *right) {
  const Face *a = left, *b = right;
  for (int k = 0; k < 3; k++) {
    if (a->nodes[k] != b->nodes[k]) return a->nodes[k] < b->nodes[k] ? -1 : 1;
  }
  return a->tet < b->tet ? -1 : a->tet > b->tet;
}

static Face make_face(const uint32_t *corners, uint32_t tet, uint32_t without) {
  Face face = {.tet = tet};
  uint32_t count = 0;
  for (uint32_t c = 0; c < 4; c++) {
    if (c == without) continue;
    uint32_t at = count++;
    for (; at > 0 && face.nodes[at - 1] > corners[c]; at--) face.nodes[at] = face.nodes[at - 1];
    face.nodes[at] = corners[c];
  }
  return face;
}

/* Groups of elements that share faces: parents[tet_count]. */
static bool group(SupArena *arena, const SupTetMesh *mesh, uint32_t *parents) {
  const size_t count = 4 * (size_t)mesh->tet_count;
  Face *faces = SUP_ALLOC(arena, Face, count);
  if (!faces) return false;
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    parents[t] = t;
    for (uint32_t c = 0; c < 4; c++) {
      faces[4 * (size_t)t + c] = make_face(mesh->tets + 4 * (size_t)t, t, c);
    }
  }
  qsort(faces, count, sizeof *faces, compare_faces);
  for (size_t f = 1; f < count; f++) {
    const Face *a = &faces[f - 1], *b = &faces[f];
    if (a->nodes[0] == b->nodes[0] && a->nodes[1] == b->nodes[1] && a->nodes[2] == b->nodes[2]) {
      sup_union_find_join(parents, a->tet, b->tet);
    }
  }
  return true;
}

/* What a group is held by so far. */
typedef struct Hold {
  uint32_t count; /* held nodes seen, up to 3 that are not on a line */
  SupVec3d a, b;
} Hold;

static void add_hold(Hold *hold, SupVec3d p) {
  if (hold->count == 0) {
    hold->a = p;
    hold->count = 1;
    return;
  }
  const SupVec3d d = sup_vec3d_sub(p, hold->a);
  if (hold->count == 1 && sup_vec3d_dot(d, d) > 0) {
    hold->b = p;
    hold->count = 2;
  } else if (hold->count == 2) {
    const SupVec3d e = sup_vec3d_sub(hold->b, hold->a), across = sup_vec3d_cross(d, e);
    const double square = sup_vec3d_dot(d, d) * sup_vec3d_dot(e, e);
    if (sup_vec3d_dot(across, across) > 1e-6 * square) hold->count = 3;
  }
}

static SupVec3d tie_place(const SupTetMesh *mesh, const SupTie *tie) {
  SupVec3d sum = {0, 0, 0};
  for (int a = 0; a < 4; a++) {
    const uint32_t node = mesh->tets[4 * (size_t)tie->tet + (size_t)a];
    sum = sup_vec3d_add_scaled(sum, mesh->nodes[node], tie->corners[a]);
  }
  return sum;
}

SupResult sup_modes_anchor(SupArena *arena, const SupTetMesh *mesh, const SupAttachment *attachment,
                           uint8_t *io_held, SupError *error) {
  uint32_t *parents = SUP_ALLOC(arena, uint32_t, mesh->tet_count);
  Hold *holds = SUP_ALLOC(arena, Hold, mesh->tet_count);
  if (!parents || !holds || !group(arena, mesh, parents)) {
    return sup_fail_memory(error, "modes");
  }
  /* A group that gets held may anchor another one. */
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t t = 0; t < mesh->tet_count; t++) holds[t].count = 0;
    for (uint32_t k = 0; k < attachment->tie_count; k++) {
      const SupTie *tie = &attachment->ties[k];
      add_hold(&holds[sup_union_find_root(parents, tie->tet)], tie_place(mesh, tie));
    }
    for (size_t k = 0; k < 4 * (size_t)mesh->tet_count; k++) {
      Hold *hold = &holds[sup_union_find_root(parents, (uint32_t)(k / 4))];
      if (io_held[mesh->tets[k]]) add_hold(hold, mesh->nodes[mesh->tets[k]]);
    }
    for (size_t k = 0; k < 4 * (size_t)mesh->tet_count; k++) {
      if (holds[sup_union_find_root(parents, (uint32_t)(k / 4))].count == 3) continue;
      changed |= !io_held[mesh->tets[k]];
      io_held[mesh->tets[k]] = 1;
    }
  }
  return SUP_OK;
}
