/* SPDX-License-Identifier: MIT */
/* The triangles around a vertex, laid flat (docs/patches.md). */
#include "supple/author/skin_path.h"

static uint32_t next_of(uint32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
static uint32_t last_of(uint32_t h) { return h % 3 == 0 ? h + 2 : h - 1; }

/* The corner of `vertex` in a triangle, or SUP_NONE. */
static uint32_t corner_at(const SupMesh *mesh, uint32_t vertex, uint32_t triangle) {
  for (uint32_t h = 3 * triangle; h < 3 * triangle + 3; h++) {
    if (mesh->triangles[h] == vertex) return h;
  }
  return SUP_NONE;
}

/* The corner of the same vertex across the half-edge that arrives at it (counter-clockwise) or
 * leaves it. SUP_NONE at the border, and where the triangle there is turned the other way. */
static uint32_t across(const SupMesh *mesh, const SupTopology *topology, uint32_t corner,
                       bool arriving) {
  const uint32_t twin = topology->twins[arriving ? last_of(corner) : corner];
  if (twin == SUP_NONE) return SUP_NONE;
  const uint32_t other = arriving ? twin : next_of(twin);
  return mesh->triangles[other] == mesh->triangles[corner] ? other : SUP_NONE;
}

static double angle_of(const SupMesh *mesh, uint32_t corner) {
  const uint32_t *c = mesh->triangles;
  const SupVec3d at = sup_vec3_to_double(mesh->positions[c[corner]]);
  const SupVec3d a = sup_vec3d_sub(sup_vec3_to_double(mesh->positions[c[next_of(corner)]]), at);
  const SupVec3d b = sup_vec3d_sub(sup_vec3_to_double(mesh->positions[c[last_of(corner)]]), at);
  return sup_atan2(sup_vec3d_length(sup_vec3d_cross(a, b)), sup_vec3d_dot(a, b));
}

SupResult sup_flat_ring(SupArena *arena, const SupMesh *mesh, const SupTopology *topology,
                        uint32_t vertex, uint32_t triangle, SupFlatRing *out_ring,
                        SupError *error) {
  const double turn = 6.283185307179586;
  const uint32_t start = corner_at(mesh, vertex, triangle);
  const uint32_t most = topology->corner_offsets[vertex + 1] - topology->corner_offsets[vertex];
  uint32_t first = start, count = 0;
  if (start == SUP_NONE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "triangle %u has no corner at vertex %u", triangle,
                    vertex);
  }
  /* Clockwise to the border, or once round. */
  for (uint32_t k = 0; k < most; k++) {
    const uint32_t before = across(mesh, topology, first, false);
    if (before == SUP_NONE || before == start) break;
    first = before;
  }
  const bool open = across(mesh, topology, first, false) == SUP_NONE;
  if (!open) first = start;
  uint32_t *vertices = SUP_ALLOC(arena, uint32_t, most + 1);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, most);
  double *angles = SUP_ALLOC(arena, double, most + 2),
         *lengths = SUP_ALLOC(arena, double, most + 1);
  if (!vertices || !triangles || !angles || !lengths) return sup_fail_memory(error, NULL);
  uint32_t corner = first;
  do {
    triangles[count] = corner / 3;
    vertices[count] = mesh->triangles[next_of(corner)];
    angles[count + 1] = angles[count] + angle_of(mesh, corner);
    vertices[++count] = mesh->triangles[last_of(corner)];
    corner = across(mesh, topology, corner, true);
  } while (corner != SUP_NONE && corner != first && count < most);
  const uint32_t neighbours = open ? count + 1 : count;
  const double sum = angles[count];
  for (uint32_t k = 0; !open && sum > 0 && k <= count; k++) angles[k] *= turn / sum;
  for (uint32_t k = 0; k < neighbours; k++) {
    lengths[k] = (double)sup_vec3_distance(mesh->positions[vertex], mesh->positions[vertices[k]]);
  }
  *out_ring = (SupFlatRing){.vertex = vertex,
                            .open = open,
                            .count = neighbours,
                            .triangle_count = count,
                            .vertices = vertices,
                            .triangles = triangles,
                            .angles = angles,
                            .lengths = lengths};
  return SUP_OK;
}
