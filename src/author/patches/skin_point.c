/* SPDX-License-Identifier: MIT */
/* Places on a skin. */
#include "patches_work.h"

#define EDGE_PLACES 1048576.0 /* different places on an edge */

SupSkinPoint sup_skin_edge_point(uint32_t from, uint32_t to, double t, double snap) {
  if (from > to) {
    const uint32_t other = from;
    from = to;
    to = other;
    t = 1 - t;
  }
  /* Places on an edge are counted, so that two ways to the same one meet. */
  t = (double)(int64_t)(t * EDGE_PLACES + 0.5) / EDGE_PLACES;
  if (from == to || !(t > snap && t > 0)) return sup_skin_vertex(from);
  if (!(t < 1 - snap && t < 1)) return sup_skin_vertex(to);
  return (SupSkinPoint){from, to, t};
}

bool sup_skin_point_same(SupSkinPoint p, SupSkinPoint q) {
  return p.a == q.a && p.b == q.b && p.t == q.t;
}

SupVec3d sup_skin_point_place(const SupMesh *mesh, SupSkinPoint p) {
  const SupVec3d a = sup_vec3_to_double(mesh->positions[p.a]);
  return sup_vec3d_add_scaled(a, sup_vec3d_sub(sup_vec3_to_double(mesh->positions[p.b]), a), p.t);
}

SupSkinPoint sup_skin_point_nearest(const SupBvh *bvh, SupVec3 place, double snap) {
  const SupNearest nearest = sup_bvh_nearest(bvh, place, __builtin_inff());
  if (nearest.triangle == SUP_NONE) return (SupSkinPoint){SUP_NONE, SUP_NONE, 0};
  const uint32_t *c = bvh->mesh.triangles + 3 * (size_t)nearest.triangle;
  const SupVec3d point = sup_vec3_to_double(place);
  SupSkinPoint best = sup_skin_vertex(c[0]);
  double least = __builtin_inf();
  for (unsigned k = 0; k < 3; k++) {
    const uint32_t a = c[k], b = c[(k + 1) % 3];
    const SupVec3d from = sup_vec3_to_double(bvh->mesh.positions[a]);
    const SupVec3d along = sup_vec3d_sub(sup_vec3_to_double(bvh->mesh.positions[b]), from);
    const double square = sup_vec3d_dot(along, along);
    double t = square > 0 ? sup_vec3d_dot(sup_vec3d_sub(point, from), along) / square : 0;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    const double away = sup_vec3d_distance(point, sup_vec3d_add_scaled(from, along, t));
    if (away < least) {
      least = away;
      best = sup_skin_edge_point(a, b, t, snap);
    }
  }
  return best;
}

double sup_skin_points_length(const SupMesh *mesh, uint32_t count, const SupSkinPoint *points) {
  double length = 0;
  for (uint32_t k = 1; k < count; k++) {
    length += sup_vec3d_distance(sup_skin_point_place(mesh, points[k - 1]),
                                 sup_skin_point_place(mesh, points[k]));
  }
  return length;
}

uint32_t sup_edge_between(const SupTopology *topology, uint32_t a, uint32_t b) {
  if (a > b) {
    const uint32_t other = a;
    a = b;
    b = other;
  }
  uint32_t low = 0, high = topology->edge_count;
  while (low < high) {
    const uint32_t mid = low + (high - low) / 2;
    const uint32_t *e = topology->edges + 2 * (size_t)mid;
    if (e[0] < a || (e[0] == a && e[1] < b)) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  const uint32_t *e = topology->edges + 2 * (size_t)low;
  return low < topology->edge_count && e[0] == a && e[1] == b ? low : SUP_NONE;
}

uint32_t sup_edge_of_both(const SupTopology *topology, SupSkinPoint p, SupSkinPoint q) {
  if (p.a != p.b) {
    const bool both = (q.a == p.a || q.a == p.b) && (q.b == p.a || q.b == p.b);
    return both ? sup_edge_between(topology, p.a, p.b) : SUP_NONE;
  }
  if (q.a != q.b) return sup_edge_of_both(topology, q, p);
  return sup_edge_between(topology, p.a, q.a);
}

uint32_t sup_triangle_of_both(const SupMesh *mesh, const SupTopology *topology, SupSkinPoint p,
                              SupSkinPoint q) {
  for (uint32_t i = topology->corner_offsets[p.a]; i < topology->corner_offsets[p.a + 1]; i++) {
    const uint32_t f = topology->corners[i] / 3;
    const uint32_t *c = mesh->triangles + 3 * (size_t)f;
    unsigned found = 0;
    for (unsigned k = 0; k < 3; k++) {
      found |= (c[k] == p.b ? 1u : 0) | (c[k] == q.a ? 2u : 0) | (c[k] == q.b ? 4u : 0);
    }
    if (found == 7) return f;
  }
  return SUP_NONE;
}

bool sup_skin_points_meet(const SupMesh *mesh, const SupTopology *topology, SupSkinPoint p,
                          SupSkinPoint q) {
  return sup_triangle_of_both(mesh, topology, p, q) != SUP_NONE;
}
