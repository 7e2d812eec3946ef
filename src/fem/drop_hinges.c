/* SPDX-License-Identifier: MIT */
/*
 * Where the skin cuts the corner of a lattice cell, a tetrahedron may touch the flesh by an edge
 * only: it would swing freely about it. Its few skin vertices go to tetrahedra beside it.
 */
#include "fem/drop_hinges.h"

#include <math.h>
#include <string.h>

#include "fem/locate.h"
#include "fem/tet_faces.h"

/* The least coordinate that a vertex outside its tetrahedron may have: all heights are 0.7
 * spacings, so half a spacing. */
#define OUTSIDE (-0.7)

typedef struct Dropper {
  const SupMesh *skin;
  const SupFill *fill;
  uint8_t *state;    /* [tet_count] see below */
  uint32_t *offsets; /* [node_count + 1] tetrahedra of a node, CSR */
  uint32_t *around;
  uint32_t *homes; /* [vertex_count] new tetrahedra of vertices */
  double *weights; /* [4 * vertex_count] */
} Dropper;

enum { KEPT, HINGED, NEEDED /* hinged, but some skin has nowhere else to go */ };

static bool list_around(SupArena *arena, Dropper *d) {
  const SupTetMesh *mesh = &d->fill->mesh;
  d->offsets = SUP_ALLOC(arena, uint32_t, (size_t)mesh->node_count + 2);
  d->around = SUP_ALLOC(arena, uint32_t, 4 * (size_t)mesh->tet_count);
  if (!d->offsets || !d->around) return false;
  /* Counted two places up, so that after filling offsets[n] is where node n begins. */
  for (size_t k = 0; k < 4 * (size_t)mesh->tet_count; k++) d->offsets[mesh->tets[k] + 2]++;
  for (uint32_t n = 0; n < mesh->node_count; n++) d->offsets[n + 2] += d->offsets[n + 1];
  for (uint32_t k = 0; k < 4 * mesh->tet_count; k++) {
    d->around[d->offsets[mesh->tets[k] + 1]++] = k / 4;
  }
  return true;
}

/* Puts vertex v into the tetrahedron beside its own that it is nearest to. */
static void move_vertex(Dropper *d, uint32_t v) {
  const SupTetMesh *mesh = &d->fill->mesh;
  const uint32_t own = d->homes[v];
  const SupVec3d point = sup_vec3_to_double(d->skin->positions[v]);
  double best = OUTSIDE;
  bool found = false;
  for (size_t a = 0; a < 4; a++) {
    const uint32_t n = mesh->tets[4 * (size_t)own + a];
    for (uint32_t k = d->offsets[n]; k < d->offsets[n + 1]; k++) {
      const uint32_t t = d->around[k];
      double c[4];
      if (d->state[t] != KEPT) continue;
      sup_tet_coordinates(mesh, t, point, c);
      const double least = fmin(fmin(c[0], c[1]), fmin(c[2], c[3]));
      if (!(least > best)) continue;
      best = least;
      found = true;
      d->homes[v] = t;
      memcpy(d->weights + 4 * (size_t)v, c, sizeof c);
    }
  }
  if (!found) d->state[own] = NEEDED;
}

/* Vertices of tetrahedra that stay after all go back. */
static void move_back(Dropper *d) {
  const SupEmbedding *embedding = &d->fill->embedding;
  for (uint32_t v = 0; v < embedding->vertex_count; v++) {
    const uint32_t t = embedding->tets[v];
    if (d->state[t] != NEEDED || d->homes[v] == t) continue;
    d->homes[v] = t;
    memcpy(d->weights + 4 * (size_t)v, embedding->weights + 4 * (size_t)v, 4 * sizeof(double));
  }
}

/* The fill without what is still HINGED. */
static SupResult rebuild(SupArena *arena, const Dropper *d, SupFill *out, SupError *error) {
  const SupFill *fill = d->fill;
  const SupTetMesh *mesh = &fill->mesh;
  uint32_t *tets = SUP_ALLOC(arena, uint32_t, 4 * (size_t)mesh->tet_count);
  uint32_t *tet_at = SUP_ALLOC(arena, uint32_t, mesh->tet_count);
  uint32_t *node_at = SUP_ALLOC(arena, uint32_t, mesh->node_count);
  double *fractions = SUP_ALLOC(arena, double, mesh->tet_count);
  SupVec3d *nodes = SUP_ALLOC(arena, SupVec3d, mesh->node_count);
  uint32_t tet_count = 0, node_count = 0;
  if (!tets || !tet_at || !node_at || !fractions || !nodes) {
    return sup_fail_memory(error, "filling");
  }
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    for (size_t a = 0; a < 4; a++) {
      if (d->state[t] != HINGED) node_at[mesh->tets[4 * (size_t)t + a]] = 1;
    }
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    if (!node_at[n]) continue;
    nodes[node_count] = mesh->nodes[n];
    node_at[n] = node_count++;
  }
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    if (d->state[t] == HINGED) continue;
    for (size_t a = 0; a < 4; a++) {
      tets[4 * (size_t)tet_count + a] = node_at[mesh->tets[4 * (size_t)t + a]];
    }
    fractions[tet_count] = fill->fractions[t];
    tet_at[t] = tet_count++;
  }
  for (uint32_t v = 0; v < d->skin->vertex_count; v++) d->homes[v] = tet_at[d->homes[v]];
  out->mesh = (SupTetMesh){node_count, tet_count, nodes, tets};
  out->embedding = (SupEmbedding){d->skin->vertex_count, d->homes, d->weights};
  out->fractions = fractions;
  return SUP_OK;
}

SupResult sup_drop_hinges(SupArena *arena, const SupMesh *skin, SupFill *io_fill, SupError *error) {
  const SupTetMesh *mesh = &io_fill->mesh;
  Dropper d = {.skin = skin, .fill = io_fill};
  SupResult result = sup_tet_hinged(arena, mesh, &d.state, error);
  if (result != SUP_OK) return result;
  d.homes = SUP_COPY(arena, uint32_t, io_fill->embedding.tets, skin->vertex_count);
  d.weights = SUP_COPY(arena, double, io_fill->embedding.weights, 4 * (size_t)skin->vertex_count);
  if (!d.homes || !d.weights || !list_around(arena, &d)) return sup_fail_memory(error, "filling");
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    if (d.state[d.homes[v]] != KEPT) move_vertex(&d, v);
  }
  move_back(&d);
  SupFill fill = *io_fill;
  result = rebuild(arena, &d, &fill, error);
  if (result == SUP_OK) *io_fill = fill;
  return result;
}
