/* SPDX-License-Identifier: MIT */
/* Bars of wedges: triangles in the plane of x and y, drawn along z. */
#ifndef SUP_TESTS_WEDGE_BAR_H
#define SUP_TESTS_WEDGE_BAR_H

#include "check.h"
#include "fem/wedge_body.h"
#include "supple/io/file.h"

/* [0, size.x] x [0, size.y] x [0, size.z] of n[0] x n[1] x n[2] boxes, two wedges each, whose
 * diagonals alternate; nodes inside are moved by up to `moved` boxes each way. */
static inline SupWedgeMesh wedge_bar(SupArena *arena, const uint32_t n[3], SupVec3d size,
                                     double moved) {
  const uint32_t x = n[0] + 1, y = n[1] + 1, z = n[2] + 1;
  const SupVec3d box = {size.x / n[0], size.y / n[1], size.z / n[2]};
  SupVec3d *nodes = SUP_ALLOC(arena, SupVec3d, (size_t)x * y * z);
  uint32_t *wedges = SUP_ALLOC(arena, uint32_t, 12 * (size_t)n[0] * n[1] * n[2]), count = 0;
  SupRng rng = sup_rng(3, 1);
  assert_true(nodes && wedges);
  for (uint32_t v = 0; v < x * y * z; v++) {
    const uint32_t at[3] = {v % x, v / x % y, v / x / y};
    SupVec3d p = {at[0], at[1], at[2]};
    bool inside = true;
    for (uint32_t k = 0; k < 3; k++) inside = inside && at[k] > 0 && at[k] < n[k];
    if (inside) {
      p.x += moved * (2 * sup_rng_double(&rng) - 1);
      p.y += moved * (2 * sup_rng_double(&rng) - 1);
      p.z += moved * (2 * sup_rng_double(&rng) - 1);
    }
    nodes[v] = sup_vec3d_mul(p, box);
  }
  for (uint32_t e = 0; e < n[0] * n[1] * n[2]; e++) {
    const uint32_t i = e % n[0], j = e / n[0] % n[1], k = e / n[0] / n[1];
    const uint32_t a = i + x * (j + y * k), b = a + 1, c = b + x, d = a + x;
    const uint32_t even[6] = {a, b, d, b, c, d}, odd[6] = {a, b, c, a, c, d};
    for (uint32_t t = 0; t < 12; t++) {
      const uint32_t v = ((i + j) % 2 ? odd : even)[t / 6 * 3 + t % 3];
      wedges[count++] = v + (t % 6 < 3 ? 0 : x * y);
    }
  }
  return (SupWedgeMesh){x * y * z, count / 6, nodes, wedges};
}

static inline double uniform(SupRng *rng) { return 2 * sup_rng_double(rng) - 1; }

/* A reference wedge with its corners moved by up to `moved`. */
static inline void odd_wedge(SupRng *rng, double moved, SupVec3d out[6]) {
  for (uint32_t k = 0; k < 6; k++) {
    const double angle = 2 * SUP_PI * (k % 3) / 3;
    out[k] =
        (SupVec3d){sup_cos(angle) + moved * uniform(rng), sup_sin(angle) + moved * uniform(rng),
                   (k < 3 ? -1 : 1) + moved * uniform(rng)};
  }
}

#endif
