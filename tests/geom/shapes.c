/* SPDX-License-Identifier: MIT */
#include "shapes.h"

#include <math.h>

#define PI 3.14159265358979323846

/* A mesh whose arrays are still to be filled. */
typedef struct Builder {
  SupVec3 *positions;
  uint32_t *triangles;
  uint32_t vertex_count, triangle_count;
} Builder;

static Builder begin(SupArena *arena, uint32_t vertex_max, uint32_t triangle_max) {
  return (Builder){SUP_ALLOC(arena, SupVec3, vertex_max),
                   SUP_ALLOC(arena, uint32_t, 3 * (size_t)triangle_max), 0, 0};
}

static uint32_t add_vertex(Builder *b, double x, double y, double z) {
  b->positions[b->vertex_count] = (SupVec3){(float)x, (float)y, (float)z};
  return b->vertex_count++;
}

static void add_triangle(Builder *b, uint32_t i, uint32_t j, uint32_t k) {
  uint32_t *corners = b->triangles + 3 * (size_t)b->triangle_count++;
  corners[0] = i;
  corners[1] = j;
  corners[2] = k;
}

static void add_quad(Builder *b, uint32_t i, uint32_t j, uint32_t k, uint32_t l) {
  add_triangle(b, i, j, k);
  add_triangle(b, i, k, l);
}

static SupMesh end(Builder b) {
  return (SupMesh){b.vertex_count, b.triangle_count, b.positions, b.triangles};
}

static uint32_t midpoint(Builder *b, uint32_t *made, uint32_t i, uint32_t j) {
  /* Each vertex of the coarse mesh has at most 6 edges: a small list per vertex. */
  uint32_t low = i < j ? i : j, high = i < j ? j : i;
  uint32_t *list = made + 12 * (size_t)low;
  unsigned k = 0;
  for (; list[2 * k + 1]; k++) {
    if (list[2 * k] == high) return list[2 * k + 1];
  }
  SupVec3 p = b->positions[i], q = b->positions[j];
  double x = (double)p.x + (double)q.x, y = (double)p.y + (double)q.y,
         z = (double)p.z + (double)q.z;
  double n = sqrt(x * x + y * y + z * z);
  list[2 * k] = high;
  return list[2 * k + 1] = add_vertex(b, x / n, y / n, z / n);
}

SupMesh shape_icosphere(SupArena *arena, unsigned subdivisions) {
  static const uint32_t faces[60] = {0, 11, 5, 0, 5,  1,  0,  1,  7,  0,  7, 10, 0, 10, 11,
                                     1, 5,  9, 5, 11, 4,  11, 10, 2,  10, 7, 6,  7, 1,  8,
                                     3, 9,  4, 3, 4,  2,  3,  2,  6,  3,  6, 8,  3, 8,  9,
                                     4, 9,  5, 2, 4,  11, 6,  2,  10, 8,  6, 7,  9, 8,  1};
  uint32_t vertices = 12, triangles = 20;
  for (unsigned s = 0; s < subdivisions; s++) {
    vertices += triangles + triangles / 2; /* one per edge */
    triangles *= 4;
  }
  Builder b = begin(arena, vertices, triangles);
  double t = (1 + sqrt(5.0)) / 2, n = sqrt(1 + t * t);
  for (unsigned k = 0; k < 12; k++) {
    double one = (k & 1 ? 1 : -1) / n, far = (k & 2 ? -t : t) / n;
    if (k < 4)
      add_vertex(&b, one, far, 0);
    else if (k < 8)
      add_vertex(&b, 0, one, far);
    else
      add_vertex(&b, far, 0, one);
  }
  for (unsigned f = 0; f < 20; f++)
    add_triangle(&b, faces[3 * f], faces[3 * f + 1], faces[3 * f + 2]);
  for (unsigned s = 0; s < subdivisions; s++) {
    uint32_t *made = SUP_ALLOC(arena, uint32_t, 12 * (size_t)b.vertex_count);
    Builder fine = begin(arena, 0, 4 * b.triangle_count);
    for (uint32_t f = 0; f < b.triangle_count; f++) {
      const uint32_t *c = b.triangles + 3 * (size_t)f;
      uint32_t ab = midpoint(&b, made, c[0], c[1]), bc = midpoint(&b, made, c[1], c[2]),
               ca = midpoint(&b, made, c[2], c[0]);
      add_triangle(&fine, c[0], ab, ca);
      add_triangle(&fine, c[1], bc, ab);
      add_triangle(&fine, c[2], ca, bc);
      add_triangle(&fine, ab, bc, ca);
    }
    b.triangles = fine.triangles;
    b.triangle_count = fine.triangle_count;
  }
  return end(b);
}

static void add_box(Builder *b, const double frame[12]) {
  uint32_t v[8];
  for (unsigned k = 0; k < 8; k++) {
    double x = k & 1 ? 1 : -1, y = k & 2 ? 1 : -1, z = k & 4 ? 1 : -1;
    v[k] = add_vertex(b, frame[0] * x + frame[3] * y + frame[6] * z + frame[9],
                      frame[1] * x + frame[4] * y + frame[7] * z + frame[10],
                      frame[2] * x + frame[5] * y + frame[8] * z + frame[11]);
  }
  add_quad(b, v[0], v[2], v[3], v[1]);
  add_quad(b, v[4], v[5], v[7], v[6]);
  add_quad(b, v[0], v[1], v[5], v[4]);
  add_quad(b, v[2], v[6], v[7], v[3]);
  add_quad(b, v[0], v[4], v[6], v[2]);
  add_quad(b, v[1], v[3], v[7], v[5]);
}

SupMesh shape_box(SupArena *arena) {
  Builder b = begin(arena, 8, 12);
  add_box(&b, (double[12]){1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  return end(b);
}

SupMesh shape_box_soup(SupArena *arena, uint32_t count, SupRng *rng) {
  Builder b = begin(arena, 8 * count, 12 * count);
  for (uint32_t k = 0; k < count; k++) {
    double q[4], n = 0, f[12];
    for (int i = 0; i < 4; i++) {
      q[i] = sup_rng_double(rng) - 0.5;
      n += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) q[i] /= sqrt(n);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                   2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                   2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    for (int c = 0; c < 3; c++) {
      double scale = 0.1 + 0.6 * sup_rng_double(rng);
      for (int i = 0; i < 3; i++) f[3 * c + i] = scale * r[3 * c + i];
    }
    for (int i = 0; i < 3; i++) f[9 + i] = 2 * sup_rng_double(rng) - 1;
    add_box(&b, f);
  }
  return end(b);
}

SupMesh shape_grid(SupArena *arena, uint32_t nx, uint32_t ny) {
  Builder b = begin(arena, (nx + 1) * (ny + 1), 2 * nx * ny);
  for (uint32_t y = 0; y <= ny; y++) {
    for (uint32_t x = 0; x <= nx; x++) add_vertex(&b, x, y, 0);
  }
  for (uint32_t y = 0; y < ny; y++) {
    for (uint32_t x = 0; x < nx; x++) {
      uint32_t v = y * (nx + 1) + x;
      add_quad(&b, v, v + 1, v + nx + 2, v + nx + 1);
    }
  }
  return end(b);
}

SupMesh shape_torus(SupArena *arena, uint32_t nu, uint32_t nv, double radius, double tube) {
  Builder b = begin(arena, nu * nv, 2 * nu * nv);
  for (uint32_t u = 0; u < nu; u++) {
    for (uint32_t v = 0; v < nv; v++) {
      double a = 2 * PI * u / nu, c = 2 * PI * v / nv;
      double r = radius + tube * cos(c);
      add_vertex(&b, r * cos(a), r * sin(a), tube * sin(c));
    }
  }
  for (uint32_t u = 0; u < nu; u++) {
    for (uint32_t v = 0; v < nv; v++) {
      uint32_t u1 = (u + 1) % nu, v1 = (v + 1) % nv;
      add_quad(&b, u * nv + v, u1 * nv + v, u1 * nv + v1, u * nv + v1);
    }
  }
  return end(b);
}

SupMesh shape_tube(SupArena *arena, uint32_t around, uint32_t along, double height) {
  Builder b = begin(arena, around * (along + 1), 2 * around * along);
  for (uint32_t y = 0; y <= along; y++) {
    for (uint32_t u = 0; u < around; u++) {
      double a = 2 * PI * u / around;
      add_vertex(&b, cos(a), height * y / along, sin(a));
    }
  }
  for (uint32_t y = 0; y < along; y++) {
    for (uint32_t u = 0; u < around; u++) {
      uint32_t u1 = (u + 1) % around;
      add_quad(&b, y * around + u, (y + 1) * around + u, (y + 1) * around + u1, y * around + u1);
    }
  }
  return end(b);
}

SupMesh shape_union(SupArena *arena, SupMesh a, SupMesh b, SupVec3 offset) {
  Builder both = begin(arena, a.vertex_count + b.vertex_count, a.triangle_count + b.triangle_count);
  for (uint32_t v = 0; v < a.vertex_count; v++)
    both.positions[both.vertex_count++] = a.positions[v];
  for (uint32_t v = 0; v < b.vertex_count; v++) {
    SupVec3 p = b.positions[v];
    both.positions[both.vertex_count++] = (SupVec3){p.x + offset.x, p.y + offset.y, p.z + offset.z};
  }
  for (uint32_t k = 0; k < 3 * a.triangle_count; k++) both.triangles[k] = a.triangles[k];
  for (uint32_t k = 0; k < 3 * b.triangle_count; k++) {
    both.triangles[3 * a.triangle_count + k] = a.vertex_count + b.triangles[k];
  }
  both.triangle_count = a.triangle_count + b.triangle_count;
  return end(both);
}

SupMesh shape_explode(SupArena *arena, SupMesh mesh, const uint32_t **out_origins) {
  Builder b = begin(arena, 3 * mesh.triangle_count, mesh.triangle_count);
  for (uint32_t k = 0; k < 3 * mesh.triangle_count; k++) {
    b.positions[k] = mesh.positions[mesh.triangles[k]];
    b.triangles[k] = k;
  }
  b.vertex_count = 3 * mesh.triangle_count;
  b.triangle_count = mesh.triangle_count;
  if (out_origins) *out_origins = mesh.triangles;
  return end(b);
}

SupMesh shape_without(SupArena *arena, SupMesh mesh, const bool *drop) {
  Builder b = begin(arena, 0, mesh.triangle_count);
  for (uint32_t f = 0; f < mesh.triangle_count; f++) {
    const uint32_t *c = mesh.triangles + 3 * (size_t)f;
    if (!drop[f]) add_triangle(&b, c[0], c[1], c[2]);
  }
  return (SupMesh){mesh.vertex_count, b.triangle_count, mesh.positions, b.triangles};
}

uint32_t *shape_permutation(SupArena *arena, uint32_t count, SupRng *rng) {
  uint32_t *p = SUP_ALLOC(arena, uint32_t, count);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t other = sup_rng_below(rng, k + 1);
    p[k] = p[other];
    p[other] = k;
  }
  return p;
}

SupMesh shape_shuffle(SupArena *arena, SupMesh mesh, SupRng *rng, const uint32_t **out_new) {
  const uint32_t *renamed = shape_permutation(arena, mesh.vertex_count, rng);
  const uint32_t *moved = shape_permutation(arena, mesh.triangle_count, rng);
  Builder b = begin(arena, mesh.vertex_count, mesh.triangle_count);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) b.positions[renamed[v]] = mesh.positions[v];
  for (uint32_t f = 0; f < mesh.triangle_count; f++) {
    for (unsigned k = 0; k < 3; k++) {
      b.triangles[3 * moved[f] + k] = renamed[mesh.triangles[3 * f + (k + f) % 3]];
    }
  }
  b.vertex_count = mesh.vertex_count;
  b.triangle_count = mesh.triangle_count;
  if (out_new) *out_new = renamed;
  return end(b);
}

SupMesh shape_jitter(SupArena *arena, SupMesh mesh, double amount, SupRng *rng) {
  SupVec3 *positions = SUP_COPY(arena, SupVec3, mesh.positions, mesh.vertex_count);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    positions[v].x += (float)(amount * (2 * sup_rng_double(rng) - 1));
    positions[v].y += (float)(amount * (2 * sup_rng_double(rng) - 1));
    positions[v].z += (float)(amount * (2 * sup_rng_double(rng) - 1));
  }
  mesh.positions = positions;
  return mesh;
}
