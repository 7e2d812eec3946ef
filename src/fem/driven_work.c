/* SPDX-License-Identifier: MIT */
#include "fem/driven_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RINGS 2 /* of tetrahedra around a node, in which its skin is looked for */
#define RING_MOST 512u

/* ---- Set-up --------------------------------------------------------------------------------- */

/* CSR of `count` entries by key(k) < key_count; offsets[key_count + 1] is zeroed. */
static void group(const uint32_t *keys, uint32_t count, uint32_t key_count, uint32_t *offsets,
                  uint32_t *out) {
  for (uint32_t k = 0; k < count; k++) offsets[keys[k] + 1]++;
  for (uint32_t k = 0; k < key_count; k++) offsets[k + 1] += offsets[k];
  for (uint32_t k = 0; k < count; k++) out[offsets[keys[k]]++] = k;
  for (uint32_t k = key_count; k > 0; k--) offsets[k] = offsets[k - 1];
  offsets[0] = 0;
}

static bool allocate(SupArena *arena, SupDrivenWork *w) {
  const SupTetMesh *mesh = &w->fill->mesh;
  const size_t nodes = mesh->node_count, tets = mesh->tet_count;
  w->alive = SUP_ALLOC(arena, uint8_t, tets);
  w->state = SUP_ALLOC(arena, uint8_t, nodes);
  w->at = SUP_COPY(arena, SupVec3d, mesh->nodes, nodes);
  w->ties = SUP_ALLOC(arena, SupDrivenTie, nodes);
  w->boundary = SUP_ALLOC(arena, uint8_t, nodes);
  w->faces = SUP_ALLOC(arena, uint32_t, 12 * tets);
  w->corner_offsets = SUP_ALLOC(arena, uint32_t, nodes + 1);
  w->corners = SUP_ALLOC(arena, uint32_t, 4 * tets);
  w->inside_offsets = SUP_ALLOC(arena, uint32_t, tets + 1);
  w->inside = SUP_ALLOC(arena, uint32_t, w->skin->vertex_count);
  w->triangle_offsets = SUP_ALLOC(arena, uint32_t, (size_t)w->skin->vertex_count + 1);
  w->triangles = SUP_ALLOC(arena, uint32_t, 3 * (size_t)w->skin->triangle_count);
  return w->alive && w->state && w->at && w->ties && w->boundary && w->faces && w->corner_offsets &&
         w->corners && w->inside_offsets && w->inside && w->triangle_offsets && w->triangles;
}

SupResult sup_driven_begin(SupArena *scratch, const SupMesh *skin, const SupFill *fill,
                           const SupDrivenDef *def, SupDrivenWork *out_work, SupError *error) {
  SupDrivenWork *w = out_work;
  *w =
      (SupDrivenWork){.skin = skin, .fill = fill, .quality = def->quality > 0 ? def->quality : 0.1};
  const double fraction = def->fraction > 0 ? def->fraction : 0.3;
  SupResult result = sup_bvh_build(scratch, skin, &w->bvh, error);
  if (result != SUP_OK) return result;
  if (!allocate(scratch, w)) return sup_fail_memory(error, "the driven volume");
  const SupTetMesh *mesh = &fill->mesh;
  for (uint32_t t = 0; t < mesh->tet_count; t++) w->alive[t] = fill->fractions[t] >= fraction;
  group(mesh->tets, 4 * mesh->tet_count, mesh->node_count, w->corner_offsets, w->corners);
  group(fill->embedding.tets, skin->vertex_count, mesh->tet_count, w->inside_offsets, w->inside);
  group(skin->triangles, 3 * skin->triangle_count, skin->vertex_count, w->triangle_offsets,
        w->triangles);
  return SUP_OK;
}

/* ---- The boundary --------------------------------------------------------------------------- */

static int by_face(const void *a, const void *b) {
  const uint32_t *p = a, *q = b;
  for (int k = 0; k < 3; k++) {
    if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
  }
  return 0;
}

static void sort3(uint32_t f[3]) {
  for (int k = 0; k < 3; k++) {
    const int i = k % 2; /* compare 0-1, 1-2, 0-1 */
    if (f[i] > f[i + 1]) {
      const uint32_t swap = f[i];
      f[i] = f[i + 1];
      f[i + 1] = swap;
    }
  }
}

/* A node is on the boundary if it is on a face that one living tetrahedron alone has. */
static void find_boundary(SupDrivenWork *w) {
  static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  const SupTetMesh *mesh = &w->fill->mesh;
  size_t count = 0;
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    for (int f = 0; w->alive[t] && f < 4; f++, count++) {
      uint32_t *face = &w->faces[3 * count];
      for (int k = 0; k < 3; k++) face[k] = mesh->tets[4 * (size_t)t + (size_t)faces[f][k]];
      sort3(face);
    }
  }
  if (count) qsort(w->faces, count, 3 * sizeof *w->faces, by_face);
  memset(w->boundary, 0, mesh->node_count);
  for (size_t f = 0; f < count;) {
    size_t end = f + 1;
    while (end < count && by_face(&w->faces[3 * f], &w->faces[3 * end]) == 0) end++;
    for (int k = 0; end == f + 1 && k < 3; k++) w->boundary[w->faces[3 * f + (size_t)k]] = 1;
    f = end;
  }
}

/* ---- The skin nearby ------------------------------------------------------------------------ */

/* The tetrahedra around a node, ring after ring; at most RING_MOST. */
static uint32_t rings(const SupDrivenWork *w, uint32_t node, uint32_t *out_tets) {
  const uint32_t *tets = w->fill->mesh.tets;
  uint32_t nodes[4 * RING_MOST + 1], node_count = 1, first = 0, count = 0;
  nodes[0] = node;
  for (int ring = 0; ring < RINGS; ring++) {
    const uint32_t last = node_count;
    for (; first < last; first++) {
      for (uint32_t c = w->corner_offsets[nodes[first]]; c < w->corner_offsets[nodes[first] + 1];
           c++) {
        const uint32_t tet = w->corners[c] / 4;
        uint32_t k = 0;
        while (k < count && out_tets[k] != tet) k++;
        if (k < count || count == RING_MOST) continue;
        out_tets[count++] = tet;
        for (uint32_t n = 0; n < 4; n++) nodes[node_count++] = tets[4 * (size_t)tet + n];
      }
    }
  }
  return count;
}

static void try_triangle(const SupDrivenWork *w, uint32_t triangle, SupVec3d x,
                         SupDrivenTie *best) {
  double weights[3];
  const double distance = sqrt(sup_triangle_nearest(w->skin, triangle, x, weights));
  if (distance > best->distance || (distance == best->distance && triangle >= best->triangle)) {
    return;
  }
  *best = (SupDrivenTie){triangle, {weights[0], weights[1], weights[2]}, distance};
}

/* The nearest place on the skin that this part of the volume carries: beside a thigh the nearest of
 * all may be on the other thigh. Where the skin has no vertex nearby, the nearest of all. */
static SupDrivenTie find_tie(const SupDrivenWork *w, uint32_t node) {
  uint32_t around[RING_MOST];
  const SupVec3d x = w->fill->mesh.nodes[node];
  SupDrivenTie best = {SUP_NONE, {0, 0, 0}, INFINITY};
  const uint32_t count = rings(w, node, around);
  for (uint32_t k = 0; k < count; k++) {
    for (uint32_t i = w->inside_offsets[around[k]]; i < w->inside_offsets[around[k] + 1]; i++) {
      const uint32_t v = w->inside[i];
      for (uint32_t c = w->triangle_offsets[v]; c < w->triangle_offsets[v + 1]; c++) {
        try_triangle(w, w->triangles[c] / 3, x, &best);
      }
    }
  }
  if (best.triangle != SUP_NONE) return best;
  const SupNearest near = sup_bvh_nearest(&w->bvh, sup_vec3d_to_float(x), INFINITY);
  if (near.triangle != SUP_NONE) try_triangle(w, near.triangle, x, &best);
  return best;
}

static SupVec3d tie_place(const SupDrivenWork *w, const SupDrivenTie *tie) {
  SupVec3d x = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    const uint32_t v = w->skin->triangles[3 * (size_t)tie->triangle + (size_t)k];
    x = sup_vec3d_add_scaled(x, sup_vec3_to_double(w->skin->positions[v]), tie->weights[k]);
  }
  return x;
}

void sup_driven_snap(SupDrivenWork *w) {
  find_boundary(w);
  for (uint32_t n = 0; n < w->fill->mesh.node_count; n++) {
    if (!w->boundary[n] || w->state[n] != SUP_DRIVEN_INSIDE) continue;
    w->ties[n] = find_tie(w, n);
    if (w->ties[n].distance <= w->fill->spacing) {
      w->state[n] = SUP_DRIVEN_SURFACE;
      w->at[n] = tie_place(w, &w->ties[n]);
    } else {
      w->state[n] = SUP_DRIVEN_RELEASED;
      w->at[n] = w->fill->mesh.nodes[n];
    }
  }
}

/* ---- Quality -------------------------------------------------------------------------------- */

static double quality_of(const uint32_t n[4], const SupVec3d *at) {
  SupVec3d e[3];
  double squares = 0;
  for (int k = 0; k < 3; k++) e[k] = sup_vec3d_sub(at[n[k + 1]], at[n[0]]);
  for (int k = 0; k < 3; k++) {
    const SupVec3d across = sup_vec3d_sub(e[(k + 1) % 3], e[k]);
    squares += sup_vec3d_dot(e[k], e[k]) + sup_vec3d_dot(across, across);
  }
  const double length = sqrt(squares / 6);
  const double volume = sup_vec3d_dot(e[0], sup_vec3d_cross(e[1], e[2])) / 6;
  return length > 0 ? 6 * sqrt(2) * volume / (length * length * length) : 0;
}

double sup_driven_quality(const SupDrivenWork *w, uint32_t tet) {
  return quality_of(&w->fill->mesh.tets[4 * (size_t)tet], w->at);
}

bool sup_driven_is_bad(const SupDrivenWork *w, uint32_t tet, double limit) {
  const double quality = sup_driven_quality(w, tet);
  if (quality >= limit) return false;
  const SupTetMesh *mesh = &w->fill->mesh;
  return quality < 0.5 * quality_of(&mesh->tets[4 * (size_t)tet], mesh->nodes);
}

static bool any_bad(const SupDrivenWork *w, uint32_t node) {
  for (uint32_t c = w->corner_offsets[node]; c < w->corner_offsets[node + 1]; c++) {
    const uint32_t tet = w->corners[c] / 4;
    if (w->alive[tet] && sup_driven_is_bad(w, tet, 2 * w->quality)) return true;
  }
  return false;
}

/* The worst quality around a node. */
static double worst_around(const SupDrivenWork *w, uint32_t node) {
  double worst = INFINITY;
  for (uint32_t c = w->corner_offsets[node]; c < w->corner_offsets[node + 1]; c++) {
    if (w->alive[w->corners[c] / 4]) worst = fmin(worst, sup_driven_quality(w, w->corners[c] / 4));
  }
  return worst;
}

static SupVec3d middle_of(const SupDrivenWork *w, uint32_t node) {
  const uint32_t *tets = w->fill->mesh.tets;
  SupVec3d sum = {0, 0, 0};
  double count = 0;
  for (uint32_t c = w->corner_offsets[node]; c < w->corner_offsets[node + 1]; c++) {
    const uint32_t tet = w->corners[c] / 4;
    for (uint32_t k = 0; w->alive[tet] && k < 4; k++) {
      if (tets[4 * (size_t)tet + k] == node) continue;
      sum = sup_vec3d_add(sum, w->at[tets[4 * (size_t)tet + k]]);
      count++;
    }
  }
  return count > 0 ? sup_vec3d_scale(sum, 1 / count) : w->at[node];
}

void sup_driven_smooth(SupDrivenWork *w, int sweeps) {
  for (int sweep = 0; sweep < sweeps; sweep++) {
    for (uint32_t n = 0; n < w->fill->mesh.node_count; n++) {
      if (w->state[n] == SUP_DRIVEN_SURFACE || !any_bad(w, n)) continue;
      const double before = worst_around(w, n);
      const SupVec3d old = w->at[n], middle = middle_of(w, n);
      for (double step = 1; step > 0.1; step *= 0.5) {
        w->at[n] = sup_vec3d_lerp(old, middle, step);
        if (worst_around(w, n) > before) break;
        w->at[n] = old;
      }
    }
  }
}
