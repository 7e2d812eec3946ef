/* SPDX-License-Identifier: MIT */
/*
 * Moving least squares from nodes to skin vertices (Lancaster, Salkauskas 1981).
 *
 * A vertex at p sees the nodes of its tetrahedron and their neighbours through flesh, with weights
 * t_i = (1 - (d_i / r)^2)^3 that vanish smoothly at the radius r. Its fraction of node i is
 *   w_i = t_i q(p)^T A^-1 q(x_i),  A = sum t_i q(x_i) q(x_i)^T,  q(x) = (1, x - p)
 * which reproduces affine functions. Where the nodes lie in a plane A is singular, and the
 * barycentric weights are kept.
 */
#include "fem/smooth.h"

#define RADIUS 1.5 /* in lattice spacings */
/* Nodes that one vertex may see: the tetrahedron's and their neighbours are fewer on the lattice.
 */
#define SEEN_MOST 128

typedef struct Seen {
  uint32_t count;
  uint32_t nodes[SEEN_MOST];
  double weights[SEEN_MOST];
} Seen;

typedef struct Work {
  const SupMesh *skin;
  const SupFill *fill;
  uint32_t *corner_offsets; /* tetrahedra of a node, CSR */
  uint32_t *corners;
} Work;

static void see(Seen *seen, uint32_t node) {
  for (uint32_t k = 0; k < seen->count; k++) {
    if (seen->nodes[k] == node) return;
  }
  if (seen->count < SEEN_MOST) seen->nodes[seen->count++] = node;
}

/* The nodes of tetrahedron t and of all tetrahedra around it, in a fixed order. */
static void see_around(const Work *w, uint32_t t, Seen *seen) {
  const uint32_t *tets = w->fill->mesh.tets;
  seen->count = 0;
  for (uint32_t a = 0; a < 4; a++) see(seen, tets[4 * (size_t)t + a]);
  for (uint32_t a = 0; a < 4; a++) {
    uint32_t node = tets[4 * (size_t)t + a];
    for (uint32_t k = w->corner_offsets[node]; k < w->corner_offsets[node + 1]; k++) {
      for (uint32_t b = 0; b < 4; b++) see(seen, tets[4 * (size_t)w->corners[k] + b]);
    }
  }
}

/* Solves the symmetric positive 4x4 system A x = (1, 0, 0, 0) by Cholesky; false if singular. */
static bool solve_first(double A[4][4], double x[4]) {
  double trace = A[0][0] + A[1][1] + A[2][2] + A[3][3];
  for (int c = 0; c < 4; c++) {
    for (int k = 0; k < c; k++) A[c][c] -= A[c][k] * A[c][k];
    if (!(A[c][c] > 1e-7 * trace)) return false;
    A[c][c] = sup_sqrt(A[c][c]);
    for (int r = c + 1; r < 4; r++) {
      for (int k = 0; k < c; k++) A[r][c] -= A[r][k] * A[c][k];
      A[r][c] /= A[c][c];
    }
  }
  for (int r = 0; r < 4; r++) {
    x[r] = r == 0 ? 1 : 0;
    for (int k = 0; k < r; k++) x[r] -= A[r][k] * x[k];
    x[r] /= A[r][r];
  }
  for (int r = 3; r >= 0; r--) {
    for (int k = r + 1; k < 4; k++) x[r] -= A[k][r] * x[k];
    x[r] /= A[r][r];
  }
  return true;
}

/* Fills seen->weights; false where the nodes do not span space. */
static bool fit(const Work *w, SupVec3d p, Seen *seen) {
  double radius = RADIUS * w->fill->spacing, A[4][4] = {{0}}, x[4];
  for (uint32_t i = 0; i < seen->count; i++) {
    SupVec3d d = sup_vec3d_sub(w->fill->mesh.nodes[seen->nodes[i]], p);
    double fraction = 1 - sup_vec3d_dot(d, d) / (radius * radius);
    double t = fraction > 0 ? fraction * fraction * fraction : 0;
    const double q[4] = {1, d.x / radius, d.y / radius, d.z / radius};
    seen->weights[i] = t;
    for (int r = 0; r < 4; r++) {
      for (int c = 0; c < 4; c++) A[r][c] += t * q[r] * q[c];
    }
  }
  if (!solve_first(A, x)) return false;
  for (uint32_t i = 0; i < seen->count; i++) {
    SupVec3d d = sup_vec3d_sub(w->fill->mesh.nodes[seen->nodes[i]], p);
    seen->weights[i] *= x[0] + (x[1] * d.x + x[2] * d.y + x[3] * d.z) / radius;
  }
  return true;
}

/* The weights of one vertex; those of no effect are dropped. */
static void weigh(const Work *w, uint32_t v, Seen *seen) {
  uint32_t t = w->fill->embedding.tets[v];
  see_around(w, t, seen);
  if (!fit(w, sup_vec3_to_double(w->skin->positions[v]), seen)) {
    seen->count = 4;
    for (size_t a = 0; a < 4; a++) {
      seen->nodes[a] = w->fill->mesh.tets[4 * (size_t)t + a];
      seen->weights[a] = w->fill->embedding.weights[4 * (size_t)v + a];
    }
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < seen->count; i++) {
    if (seen->weights[i] == 0) continue;
    seen->nodes[kept] = seen->nodes[i];
    seen->weights[kept++] = seen->weights[i];
  }
  seen->count = kept;
}

static bool list_corners(SupArena *arena, Work *w) {
  const SupTetMesh *mesh = &w->fill->mesh;
  w->corner_offsets = SUP_ALLOC(arena, uint32_t, (size_t)mesh->node_count + 2);
  w->corners = SUP_ALLOC(arena, uint32_t, 4 * (size_t)mesh->tet_count);
  if (!w->corner_offsets || !w->corners) return false;
  /* Counted two places up, so that after filling offsets[n] is where node n begins. */
  for (size_t k = 0; k < 4 * (size_t)mesh->tet_count; k++) w->corner_offsets[mesh->tets[k] + 2]++;
  for (uint32_t n = 0; n < mesh->node_count; n++)
    w->corner_offsets[n + 2] += w->corner_offsets[n + 1];
  for (uint32_t k = 0; k < 4 * mesh->tet_count; k++) {
    w->corners[w->corner_offsets[mesh->tets[k] + 1]++] = k / 4;
  }
  return true;
}

SupResult sup_smooth_create(SupArena *arena, const SupMesh *skin, const SupFill *fill,
                            SupSmooth *out_smooth, SupError *error) {
  Work w = {.skin = skin, .fill = fill};
  uint32_t count = skin->vertex_count;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)count + 1);
  if (!offsets || !list_corners(arena, &w)) goto memory;
  Seen seen;
  for (uint32_t v = 0; v < count; v++) {
    weigh(&w, v, &seen);
    offsets[v + 1] = offsets[v] + seen.count;
  }
  uint32_t *nodes = SUP_ALLOC(arena, uint32_t, offsets[count]);
  double *weights = SUP_ALLOC(arena, double, offsets[count]);
  if (!nodes || !weights) goto memory;
  for (uint32_t v = 0; v < count; v++) {
    weigh(&w, v, &seen);
    for (uint32_t k = 0; k < seen.count; k++) {
      nodes[offsets[v] + k] = seen.nodes[k];
      weights[offsets[v] + k] = seen.weights[k];
    }
  }
  *out_smooth = (SupSmooth){count, offsets, nodes, weights};
  return SUP_OK;
memory:
  return sup_fail_memory(error, "smoothing the skin");
}
