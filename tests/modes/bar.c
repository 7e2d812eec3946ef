/* SPDX-License-Identifier: MIT */
#include "bar.h"

/* A point of the square's rim, counter-clockwise seen from +x, from its lowest corner on. */
static void rim(uint32_t i, uint32_t *out_y, uint32_t *out_z) {
  const uint32_t side = i / BAR_WIDE, along = i % BAR_WIDE;
  const uint32_t y[4] = {along, BAR_WIDE, BAR_WIDE - along, 0};
  const uint32_t z[4] = {0, along, BAR_WIDE, BAR_WIDE - along};
  *out_y = y[side];
  *out_z = z[side];
}

/* The vertex at (y, z) of a cap. */
static uint32_t cap_vertex(uint32_t cap, uint32_t y, uint32_t z) {
  for (uint32_t i = 0; i < BAR_RING; i++) {
    uint32_t ry, rz;
    rim(i, &ry, &rz);
    if (ry == y && rz == z) return cap * BAR_LONG * BAR_RING + i;
  }
  return BAR_RING * (BAR_LONG + 1) + 9 * cap + 3 * (y - 1) + (z - 1);
}

static SupVec3 place(double length, double x, uint32_t y, uint32_t z) {
  const double side = 0.1 * length / BAR_WIDE;
  return (SupVec3){(float)(x * length), (float)((y - BAR_WIDE / 2.0) * side),
                   (float)((z - BAR_WIDE / 2.0) * side)};
}

static uint32_t put(uint32_t *to, uint32_t t, uint32_t a, uint32_t b, uint32_t c) {
  to[t] = a, to[t + 1] = b, to[t + 2] = c;
  return t + 3;
}

SupCharacter bar_character(SupArena *arena, double length) {
  enum { TRIANGLES = 2 * BAR_RING * BAR_LONG + 4 * BAR_WIDE * BAR_WIDE };
  SupVec3 *rest = SUP_ALLOC(arena, SupVec3, BAR_VERTICES);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 3 * TRIANGLES), t = 0, y, z;
  for (uint32_t i = 0; i <= BAR_LONG; i++) {
    for (uint32_t k = 0; k < BAR_RING; k++) {
      const uint32_t a = i * BAR_RING + k, b = i * BAR_RING + (k + 1) % BAR_RING;
      rim(k, &y, &z);
      rest[a] = place(length, (double)i / BAR_LONG, y, z);
      if (i == BAR_LONG) continue;
      t = put(triangles, t, a, b, a + BAR_RING);
      t = put(triangles, t, b, b + BAR_RING, a + BAR_RING);
    }
  }
  for (uint32_t cap = 0; cap < 2; cap++) {
    for (y = 0; y < BAR_WIDE; y++) {
      for (z = 0; z < BAR_WIDE; z++) {
        const uint32_t a = cap_vertex(cap, y, z), b = cap_vertex(cap, y + 1, z),
                       c = cap_vertex(cap, y + 1, z + 1), d = cap_vertex(cap, y, z + 1);
        if (y > 0 && z > 0) rest[a] = place(length, cap, y, z);
        t = cap ? put(triangles, t, a, b, c) : put(triangles, t, a, c, b);
        t = cap ? put(triangles, t, a, c, d) : put(triangles, t, a, d, c);
      }
    }
  }
  assert_int_equal(t, 3 * TRIANGLES);
  int32_t *parents = SUP_ALLOC(arena, int32_t, 1);
  uint32_t *joints = SUP_ALLOC(arena, uint32_t, 1),
           *bones = SUP_ALLOC(arena, uint32_t, BAR_VERTICES);
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, BAR_VERTICES + 1);
  float *weights = SUP_ALLOC(arena, float, BAR_VERTICES);
  SupTransform *pose = SUP_ALLOC(arena, SupTransform, 1);
  SupAffine *bind = SUP_ALLOC(arena, SupAffine, 1);
  const char **names = SUP_ALLOC(arena, const char *, 1);
  parents[0] = -1;
  pose[0] = sup_transform_identity();
  bind[0] = sup_affine_identity();
  names[0] = "wall";
  for (uint32_t v = 0; v < BAR_VERTICES; v++) {
    weights[v] = 1;
    offsets[v + 1] = v + 1;
  }
  return (SupCharacter){.name = "bar",
                        .skeleton = {1, 1, parents, pose, names, joints, bind},
                        .body = {BAR_VERTICES, TRIANGLES, rest, triangles},
                        .skin = {BAR_VERTICES, 1, offsets, bones, weights}};
}

SupVec3d bar_middle(const float *positions, uint32_t ring) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 0; k < BAR_RING; k++) {
    const float *p = positions + 3 * (size_t)(ring * BAR_RING + k);
    sum.x += (double)p[0] / BAR_RING, sum.y += (double)p[1] / BAR_RING;
    sum.z += (double)p[2] / BAR_RING;
  }
  return sum;
}
