/* SPDX-License-Identifier: MIT */
/*
 * Which surface nodes a node inside may follow.
 *
 * With weights >= 0 that sum to 1 a node lies in the convex hull of what it follows. The nearest
 * surface nodes, which the paper takes, lie on one side of it nearly always; those at the ends of
 * rays in all directions lie around it.
 */
#include <math.h>
#include <stdlib.h>

#include "fem/neighbours.h"
#include "train/rigspace/rigspace_weights_parts.h"

/* ---- Set-up --------------------------------------------------------------------------------- */

typedef struct Face {
  uint32_t sorted[3], turned[3];
} Face;

static int by_nodes(const void *a, const void *b) {
  const Face *p = a, *q = b;
  for (int k = 0; k < 3; k++) {
    if (p->sorted[k] != q->sorted[k]) return p->sorted[k] < q->sorted[k] ? -1 : 1;
  }
  return 0;
}

static Face make_face(const uint32_t *tet, const int corners[3]) {
  Face face;
  for (int k = 0; k < 3; k++) face.sorted[k] = face.turned[k] = tet[corners[k]];
  for (int k = 0; k < 3; k++) {
    const int i = k % 2;
    if (face.sorted[i] <= face.sorted[i + 1]) continue;
    const uint32_t swap = face.sorted[i];
    face.sorted[i] = face.sorted[i + 1];
    face.sorted[i + 1] = swap;
  }
  return face;
}

SupResult sup_rigspace_around_create(SupArena *arena, const SupDrivenVolume *volume,
                                     SupRigspaceAround *out, SupError *error) {
  static const int corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  const SupTetMesh *mesh = &volume->mesh;
  const size_t count = 4 * (size_t)mesh->tet_count;
  SupTetNeighbours neighbours;
  Face *faces = SUP_ALLOC(arena, Face, count);
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, mesh->node_count);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 3 * count), used = 0;
  if (!faces || !positions || !triangles || !sup_tet_neighbours(arena, mesh, &neighbours)) {
    return sup_fail_memory(error, "the weights");
  }
  for (size_t f = 0; f < count; f++) faces[f] = make_face(&mesh->tets[f / 4 * 4], corners[f % 4]);
  qsort(faces, count, sizeof *faces, by_nodes);
  for (size_t f = 0; f < count;) {
    size_t end = f + 1;
    while (end < count && by_nodes(&faces[f], &faces[end]) == 0) end++;
    if (end == f + 1) {
      for (int k = 0; k < 3; k++) triangles[3 * (size_t)used + (size_t)k] = faces[f].turned[k];
      used++;
    }
    f = end;
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) positions[n] = sup_vec3d_to_float(mesh->nodes[n]);
  const SupMesh boundary = {mesh->node_count, used, positions, triangles};
  *out = (SupRigspaceAround){
      .volume = volume, .offsets = neighbours.offsets, .neighbours = neighbours.nodes};
  return sup_bvh_build(arena, &boundary, &out->boundary, error);
}

/* ---- Rays ----------------------------------------------------------------------------------- */

/* Puts `node` into the rising list, once. */
static uint32_t put(uint32_t *list, uint32_t count, uint32_t node) {
  uint32_t at = count;
  while (at > 0 && list[at - 1] > node) at--;
  if (at > 0 && list[at - 1] == node) return count;
  for (uint32_t k = count; k > at; k--) list[k] = list[k - 1];
  list[at] = node;
  return count + 1;
}

/* Direction k of n spread evenly over the sphere (Fibonacci). */
static SupVec3 spread(uint32_t k, uint32_t n) {
  const double z = 1 - (2.0 * k + 1) / n, turn = 2.39996322972865332 * k;
  const double r = sqrt(fmax(0, 1 - z * z));
  return (SupVec3){(float)(r * sup_cos(turn)), (float)(r * sup_sin(turn)), (float)z};
}

uint32_t sup_rigspace_rays(const SupRigspaceAround *around, uint32_t node, uint32_t count,
                           uint32_t *out_nodes) {
  const SupVec3 from = sup_vec3d_to_float(around->volume->mesh.nodes[node]);
  uint32_t found = 0;
  for (uint32_t k = 0; k < count; k++) {
    const SupRayHit hit = sup_bvh_ray(&around->boundary, from, spread(k, count), INFINITY);
    if (hit.triangle == SUP_NONE) continue;
    const uint32_t *corners = &around->boundary.mesh.triangles[3 * (size_t)hit.triangle];
    int best = -1; /* a released node drives nothing */
    for (int c = 0; c < 3; c++) {
      if (corners[c] >= around->volume->surface_count) continue;
      if (best < 0 || hit.barycentric[c] > hit.barycentric[best]) best = c;
    }
    if (best >= 0) found = put(out_nodes, found, corners[best]);
  }
  return found;
}

/* ---- Nearest -------------------------------------------------------------------------------- */

static void sift_up(const double *distances, uint32_t *heap, uint32_t at) {
  while (at > 0 && distances[heap[at]] < distances[heap[(at - 1) / 2]]) {
    const uint32_t up = (at - 1) / 2, swap = heap[at];
    heap[at] = heap[up];
    heap[up] = swap;
    at = up;
  }
}

static uint32_t pop(const double *distances, uint32_t *heap, uint32_t *io_count) {
  const uint32_t top = heap[0];
  uint32_t at = 0, count = --*io_count;
  heap[0] = heap[count];
  for (;;) {
    uint32_t least = at;
    for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
      if (distances[heap[child]] < distances[heap[least]]) least = child;
    }
    if (least == at) return top;
    const uint32_t swap = heap[at];
    heap[at] = heap[least];
    heap[least] = swap;
    at = least;
  }
}

/* Dijkstra along the edges of the volume. A node is in the heap once; a nearer way moves it up,
 * which needs its place: it is searched, since few are in the heap at a time. */
uint32_t sup_rigspace_nearest(const SupRigspaceAround *around, uint32_t node, uint32_t count,
                              double *distances, uint32_t *heap, uint32_t *out_nodes) {
  const SupVec3d *nodes = around->volume->mesh.nodes;
  uint32_t waiting = 0, found = 0;
  distances[node] = 0;
  heap[waiting++] = node;
  while (waiting > 0 && found < count) {
    const uint32_t at = pop(distances, heap, &waiting);
    if (at < around->volume->surface_count) found = put(out_nodes, found, at);
    for (uint32_t k = around->offsets[at]; k < around->offsets[at + 1]; k++) {
      const uint32_t next = around->neighbours[k];
      const double d = distances[at] + sup_vec3d_distance(nodes[at], nodes[next]);
      if (!(d < distances[next])) continue;
      uint32_t place = waiting;
      if (isinf(distances[next])) {
        heap[waiting++] = next;
      } else {
        place = 0;
        while (heap[place] != next) place++;
      }
      distances[next] = d;
      sift_up(distances, heap, place);
    }
  }
  for (uint32_t n = 0; n < around->volume->mesh.node_count; n++) distances[n] = INFINITY;
  return found;
}
