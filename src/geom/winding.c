/* SPDX-License-Identifier: MIT */
/*
 * Generalised winding numbers (Jacobson, Kavan, Sorkine-Hornung 2013), fast by dipoles: Barill,
 * Dickson, Schmidt, Levin, Jacobson, "Fast winding numbers for soups and clouds" (2018).
 *
 *   solid angle of a triangle (Van Oosterom, Strackee 1983)    solid_angle
 *   Taylor series of a cluster to second order                 triangle_sums, make_dipole,
 * far_angle far enough: |q - centre| > beta * radius                   sup_winding_at
 *
 * With G(r) = r / |r|^3, a cluster of elements n_e at r + d_e has the angle
 *   N . G + M : dG + T : ddG / 2,   N = sum n,   M = sum n d^T,   T = sum n d d^T.
 * G is the gradient of a harmonic function, so dG and ddG are symmetric and free of trace in all
 * indices: dG = -3 (rr)/|r|^5 and ddG = 15 (rrr)/|r|^7 up to traces. Only the symmetric, trace-free
 * parts of M and T matter, and the terms become polynomials in r, which is what is stored.
 */
#include "supple/geom/winding.h"

#include "base/scratch.h"
#include "geom/corner.h"

#define PI 3.14159265358979323846
#define GRAIN 256

/* ---- Exact ---------------------------------------------------------------------------------- */

/* The solid angle of triangle f seen from q, positive from behind (inside). */
static double solid_angle(const SupMesh *mesh, uint32_t f, SupVec3d q) {
  SupVec3d a = sup_vec3d_sub(sup_mesh_corner(mesh, f, 0), q);
  SupVec3d b = sup_vec3d_sub(sup_mesh_corner(mesh, f, 1), q);
  SupVec3d c = sup_vec3d_sub(sup_mesh_corner(mesh, f, 2), q);
  double la = sup_vec3d_length(a), lb = sup_vec3d_length(b), lc = sup_vec3d_length(c);
  double volume = sup_vec3d_dot(a, sup_vec3d_cross(b, c));
  if (volume == 0) return 0; /* in the plane: the mean of both sides */
  double side =
      la * lb * lc + sup_vec3d_dot(a, b) * lc + sup_vec3d_dot(b, c) * la + sup_vec3d_dot(c, a) * lb;
  return 2 * sup_atan2(volume, side);
}

double sup_winding_exact(const SupMesh *mesh, SupVec3 point) {
  SupVec3d q = sup_vec3_to_double(point);
  double angle = 0;
  for (uint32_t f = 0; f < mesh->triangle_count; f++) angle += solid_angle(mesh, f, q);
  return angle / (4 * PI);
}

/* ---- Clusters ------------------------------------------------------------------------------- */

/* Sums over the triangles of a node; places are measured from `centre`. */
typedef struct Sums {
  double area;
  SupVec3d centre;
  double n[3];    /* area times normal */
  double m[3][3]; /* area times normal times place */
  double t[3][6]; /* area times normal times place times place: xx xy xz yy yz zz */
} Sums;

static const unsigned char rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};

/* Adds a part whose sums are around its own centre. */
static void add_part(const Sums *part, Sums *sums) {
  SupVec3d shift = sup_vec3d_sub(part->centre, sums->centre);
  const double d[3] = {shift.x, shift.y, shift.z};
  for (unsigned i = 0; i < 3; i++) {
    sums->n[i] += part->n[i];
    for (unsigned j = 0; j < 3; j++) sums->m[i][j] += part->m[i][j] + part->n[i] * d[j];
    for (unsigned jk = 0; jk < 6; jk++) {
      unsigned j = rows[jk], k = columns[jk];
      sums->t[i][jk] +=
          part->t[i][jk] + part->m[i][j] * d[k] + part->m[i][k] * d[j] + part->n[i] * d[j] * d[k];
    }
  }
}

static Sums triangle_sums(const SupMesh *mesh, uint32_t f) {
  SupVec3d p[3] = {sup_mesh_corner(mesh, f, 0), sup_mesh_corner(mesh, f, 1),
                   sup_mesh_corner(mesh, f, 2)};
  SupVec3d normal = sup_vec3d_scale(sup_mesh_normal(mesh, f), 0.5);
  SupVec3d sum = sup_vec3d_add(sup_vec3d_add(p[0], p[1]), p[2]);
  Sums sums = {.area = sup_vec3d_length(normal), .centre = sup_vec3d_scale(sum, 1.0 / 3)};
  sums.n[0] = normal.x;
  sums.n[1] = normal.y;
  sums.n[2] = normal.z;
  for (unsigned k = 0; k < 3; k++) { /* the mean of d d^T is that of the corners over 4 */
    SupVec3d corner = sup_vec3d_sub(p[k], sums.centre);
    const double d[3] = {corner.x, corner.y, corner.z};
    for (unsigned i = 0; i < 3; i++) {
      for (unsigned jk = 0; jk < 6; jk++) {
        sums.t[i][jk] += sums.n[i] * d[rows[jk]] * d[columns[jk]] / 12;
      }
    }
  }
  return sums;
}

/* Area and centre first: the parts are shifted to it. */
static void join_parts(const Sums *parts, unsigned count, SupVec3d fallback, Sums *sums) {
  SupVec3d place = {0, 0, 0};
  *sums = (Sums){0};
  for (unsigned k = 0; k < count; k++) {
    sums->area += parts[k].area;
    place = sup_vec3d_add_scaled(place, parts[k].centre, parts[k].area);
  }
  sums->centre = sums->area > 0 ? sup_vec3d_scale(place, 1 / sums->area) : fallback;
  sums->centre = sup_vec3_to_double(sup_vec3d_to_float(sums->centre)); /* as it will be stored */
  for (unsigned k = 0; k < count; k++) add_part(&parts[k], sums);
}

/* -3 times the symmetric trace-free part of M, as a polynomial. */
static void make_quadratic(const Sums *s, float *out_q) {
  double mean = (s->m[0][0] + s->m[1][1] + s->m[2][2]) / 3;
  for (unsigned ij = 0; ij < 6; ij++) {
    unsigned i = rows[ij], j = columns[ij];
    double value = i == j ? s->m[i][i] - mean : s->m[i][j] + s->m[j][i];
    out_q[ij] = (float)(-3 * value);
  }
}

/* 15/2 times the symmetric trace-free part of T, as a polynomial: (n . r)(r^T X r) summed, less
 * |r|^2 times a linear form that makes it harmonic. */
static void make_cubic(const Sums *s, float *out_c) {
  const double *x = s->t[0], *y = s->t[1], *z = s->t[2];
  double c[10] = {x[0],
                  2 * x[1] + y[0],
                  2 * x[2] + z[0],
                  x[3] + 2 * y[1],
                  2 * (x[4] + y[2] + z[1]),
                  x[5] + 2 * z[2],
                  y[3],
                  2 * y[4] + z[3],
                  y[5] + 2 * z[4],
                  z[5]};
  /* The Laplacian of the polynomial is linear; that of |r|^2 l(r) is 10 l(r). */
  double lx = (6 * c[0] + 2 * c[3] + 2 * c[5]) / 10, ly = (2 * c[1] + 6 * c[6] + 2 * c[8]) / 10,
         lz = (2 * c[2] + 2 * c[7] + 6 * c[9]) / 10;
  const double trace[10] = {lx, ly, lz, lx, 0, lx, ly, lz, ly, lz};
  for (unsigned k = 0; k < 10; k++) out_c[k] = (float)(7.5 * (c[k] - trace[k]));
}

static double farther(double x, float low, float high) {
  double a = x - (double)low, b = (double)high - x;
  return a > b ? a : b;
}

static SupDipole make_dipole(const SupBvhNode *node, const Sums *sums) {
  SupDipole dipole = {.centre = sup_vec3d_to_float(sums->centre)};
  SupVec3d reach = {farther(sums->centre.x, node->low.x, node->high.x),
                    farther(sums->centre.y, node->low.y, node->high.y),
                    farther(sums->centre.z, node->low.z, node->high.z)};
  dipole.radius = (float)sup_vec3d_length(reach);
  dipole.normal = (SupVec3){(float)sums->n[0], (float)sums->n[1], (float)sums->n[2]};
  make_quadratic(sums, dipole.quadratic);
  make_cubic(sums, dipole.cubic);
  return dipole;
}

/* The sums of node n; those of its children are known. */
static void sum_node(const SupBvh *bvh, uint32_t n, Sums *sums) {
  const SupBvhNode *node = &bvh->nodes[n];
  SupVec3d middle =
      sup_vec3d_lerp(sup_vec3_to_double(node->low), sup_vec3_to_double(node->high), 0.5);
  Sums parts[4];
  for (unsigned k = 0; k < node->count; k++) {
    parts[k] = triangle_sums(&bvh->mesh, bvh->triangles[node->first + k]);
  }
  if (node->count) {
    join_parts(parts, node->count, middle, &sums[n]);
  } else {
    join_parts(&sums[node->first], 2, middle, &sums[n]);
  }
}

SupResult sup_winding_build(SupArena *arena, const SupBvh *bvh, SupWinding *out_winding,
                            SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupResult result = SUP_OK;
  Sums *sums = SUP_ALLOC(&scratch, Sums, bvh->node_count);
  SupDipole *dipoles = SUP_ALLOC(arena, SupDipole, bvh->node_count);
  if (!sums || !dipoles) {
    result = sup_fail_memory(error, "winding numbers");
    goto done;
  }
  for (uint32_t n = bvh->node_count; n-- > 0;) { /* children lie behind their parents */
    sum_node(bvh, n, sums);
    dipoles[n] = make_dipole(&bvh->nodes[n], &sums[n]);
  }
  *out_winding = (SupWinding){bvh, dipoles};
done:
  sup_arena_free(&scratch);
  return result;
}

/* ---- Queries -------------------------------------------------------------------------------- */

/* The solid angle of a cluster whose centre is at r from the point. */
static double far_angle(const SupDipole *dipole, SupVec3d r, double distance_2) {
  const float *q = dipole->quadratic, *c = dipole->cubic;
  double x = r.x, y = r.y, z = r.z, inverse_2 = 1 / distance_2;
  double linear = sup_vec3d_dot(sup_vec3_to_double(dipole->normal), r);
  double quadratic = x * ((double)q[0] * x + (double)q[1] * y + (double)q[2] * z) +
                     y * ((double)q[3] * y + (double)q[4] * z) + (double)q[5] * z * z;
  double cubic = x * (x * ((double)c[0] * x + (double)c[1] * y + (double)c[2] * z) +
                      y * ((double)c[3] * y + (double)c[4] * z) + (double)c[5] * z * z) +
                 y * (y * ((double)c[6] * y + (double)c[7] * z) + (double)c[8] * z * z) +
                 (double)c[9] * z * z * z;
  return (linear + (quadratic + cubic * inverse_2) * inverse_2) * inverse_2 / sup_sqrt(distance_2);
}

double sup_winding_at(const SupWinding *winding, SupVec3 point, float accuracy) {
  const SupBvh *bvh = winding->bvh;
  SupVec3d q = sup_vec3_to_double(point);
  double beta_2 = (double)accuracy * (double)accuracy, angle = 0;
  uint32_t stack[SUP_BVH_DEPTH_MAX + 1] = {0};
  unsigned height = bvh->node_count ? 1 : 0;
  while (height) {
    uint32_t n = stack[--height];
    const SupDipole *dipole = &winding->dipoles[n];
    SupVec3d r = sup_vec3d_sub(sup_vec3_to_double(dipole->centre), q);
    double distance_2 = sup_vec3d_dot(r, r), radius = (double)dipole->radius;
    const SupBvhNode *node = &bvh->nodes[n];
    if (distance_2 > beta_2 * radius * radius) {
      angle += far_angle(dipole, r, distance_2);
    } else if (node->count) {
      for (uint32_t i = node->first; i < node->first + node->count; i++) {
        angle += solid_angle(&bvh->mesh, bvh->triangles[i], q);
      }
    } else {
      stack[height++] = node->first + 1;
      stack[height++] = node->first;
    }
  }
  return angle / (4 * PI);
}

typedef struct WindingBatch {
  const SupWinding *winding;
  const SupVec3 *points;
  float accuracy;
  double *numbers;
} WindingBatch;

static void winding_range(void *context, SupRange range) {
  const WindingBatch *batch = (const WindingBatch *)context;
  for (uint32_t i = range.first; i < range.first + range.count; i++) {
    batch->numbers[i] = sup_winding_at(batch->winding, batch->points[i], batch->accuracy);
  }
}

void sup_winding_all(const SupWinding *winding, const SupVec3 *points, uint32_t count,
                     float accuracy, const SupJobs *jobs, double *out_numbers) {
  WindingBatch batch = {winding, points, accuracy, out_numbers};
  sup_parallel_for(jobs, count, GRAIN, winding_range, &batch);
}
