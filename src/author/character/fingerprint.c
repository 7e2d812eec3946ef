/* SPDX-License-Identifier: MIT */
/*
 * Fingerprints of meshes.
 *
 * A hash of the positions would change with the last bit of one float, and quantising only moves
 * the edge where that happens. So connectivity, which is made of integers, is hashed exactly, and
 * the shape is kept as a *sketch*, three numbers that are compared with a tolerance: the sum over
 * all vertices of s_v p_v / diagonal with random signs s_v (Alon, Matias, Szegedy, "The space
 * complexity of approximating the frequency moments", 1996). Rounding every coordinate by r changes
 * a sketch by about r sqrt(n); moving one vertex by d, or exchanging two at that distance, changes
 * it by d or 2 d. The tolerance of 1e-5 sqrt(n) diagonals is far above what re-exporting floats
 * does and far below what an order does that connectivity cannot tell (a mirror image). Positions
 * that were quantised to 16 bits count as moved.
 */
#include "supple/author/fingerprint.h"

#include "supple/geom/bounds.h"

/* A triangle whatever its first corner; the winding counts. */
static uint64_t triangle_hash(const uint32_t *corner) {
  unsigned first = corner[1] < corner[0] ? 1 : 0;
  if (corner[2] < corner[first]) first = 2;
  uint32_t turned[3] = {corner[first], corner[(first + 1) % 3], corner[(first + 2) % 3]};
  return sup_hash(turned, sizeof turned, 0);
}

SupFingerprint sup_fingerprint(const SupMesh *mesh) {
  SupFingerprint print = {
      .vertex_count = mesh->vertex_count,
      .triangle_count = mesh->triangle_count,
      .diagonal = sup_bounds_diagonal(sup_bounds(mesh->positions, mesh->vertex_count)),
  };
  /* A sum does not depend on the order of the triangles. */
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    print.topology += triangle_hash(mesh->triangles + 3 * (size_t)f);
  }
  double sum[3] = {0, 0, 0};
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    double sign = sup_hash(&v, sizeof v, 1) & 1 ? 1 : -1;
    sum[0] += sign * (double)mesh->positions[v].x;
    sum[1] += sign * (double)mesh->positions[v].y;
    sum[2] += sign * (double)mesh->positions[v].z;
  }
  if (print.diagonal > 0) {
    for (int k = 0; k < 3; k++) print.sketch[k] = (float)(sum[k] / (double)print.diagonal);
  }
  return print;
}

static bool within(float a, float b, double tolerance) {
  double difference = (double)a - (double)b;
  return difference <= tolerance && difference >= -tolerance;
}

SupKinship sup_fingerprint_compare(const SupFingerprint *a, const SupFingerprint *b) {
  if (a->topology != b->topology || a->vertex_count != b->vertex_count ||
      a->triangle_count != b->triangle_count) {
    return SUP_KIN_STRANGE;
  }
  double tolerance = 1e-5 * __builtin_sqrt((double)a->vertex_count);
  bool same = within(a->diagonal, b->diagonal, 1e-5 * (double)a->diagonal);
  for (int k = 0; k < 3; k++) {
    /* The sketch itself is a float. */
    double size = a->sketch[k] < 0 ? -(double)a->sketch[k] : (double)a->sketch[k];
    same = same && within(a->sketch[k], b->sketch[k], tolerance + 1e-6 * size);
  }
  return same ? SUP_KIN_SAME : SUP_KIN_MOVED;
}
