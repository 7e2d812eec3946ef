/* SPDX-License-Identifier: MIT */
/*
 * One group of a skin filled with tetrahedra of a body-centred cubic lattice.
 *
 * 1. The lattice is placed, the skin in its middle                          (place_lattice)
 * 2. Voxels, five along a cell, say where flesh is                          (voxels.c)
 * 3. The flesh voxels of one tetrahedron that hang together are one copy of it; a tetrahedron
 *    that two thighs reach into has two copies                              (find_copies)
 * 4. Copies whose voxels touch share the lattice points they have in common; other copies keep
 *    nodes of their own                                                     (join_nodes)
 * 5. Every skin vertex goes to the copy of the flesh just beneath it        (embed)
 * 6. Corners that only an edge or a node holds are dropped                   (drop_hinges.c)
 * Steps 3 and 4 are the virtual nodes of Molino, Bao, Fedkiw 2004, decided by voxels.
 */
#include "fem/fill_lattice.h"

#include <math.h>
#include <stdlib.h>

#include "base/union_find.h"
#include "fem/drop_hinges.h"
#include "fem/voxels.h"
#include "supple/geom/bounds.h"
#include "supple/geom/bvh.h"
#include "supple/geom/measure.h"
#include "supple/quantity.h"

/* The least fraction of a tetrahedron that counts as flesh: less would make it weightless. */
#define FRACTION_FLOOR 0.25

typedef struct Builder {
  SupArena *arena;
  const SupMesh *skin;
  const SupInside *inside;
  SupVoxels voxels;
  uint8_t *near_skin; /* [voxel] not 0 where the skin is as near as the next voxel */
  uint32_t *copy_of;  /* [voxel] copy of a flesh voxel, SUP_NONE elsewhere */
  uint32_t copy_count;
  SupLatticeTet *tets;    /* [copy_count] */
  uint32_t *voxel_counts; /* [copy_count] */
  uint32_t *nodes;        /* [4 * copy_count] */
  uint32_t node_count;
} Builder;

/* ---- Which lattice -------------------------------------------------------------------------- */

static SupResult place_lattice(SupBounds box, double spacing, SupLattice *out_lattice,
                               SupError *error) {
  double low[3] = {(double)box.low.x, (double)box.low.y, (double)box.low.z};
  double high[3] = {(double)box.high.x, (double)box.high.y, (double)box.high.z};
  double origin[3], cells = 1;
  for (int a = 0; a < 3; a++) {
    /* One empty cell on every side; the skin in the middle, so that a mirrored skin gets a
     * mirrored lattice. */
    double count = ceil((high[a] - low[a]) / spacing) + 2;
    cells *= count;
    if (!(count < 1e5) || !(cells < 4e6)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "tetrahedra with edges of %s are too small for a skin of %s; ask for fewer",
                      sup_length_text(spacing).text, sup_length_text(high[a] - low[a]).text);
    }
    out_lattice->cells[a] = (int32_t)count;
    origin[a] = (low[a] + high[a]) / 2 - count * spacing / 2;
  }
  out_lattice->origin = (SupVec3d){origin[0], origin[1], origin[2]};
  out_lattice->spacing = spacing;
  return SUP_OK;
}

/* ---- Copies --------------------------------------------------------------------------------- */

static bool same_tet(SupLatticeTet a, SupLatticeTet b) {
  return a.kind == b.kind && a.cell[0] == b.cell[0] && a.cell[1] == b.cell[1] &&
         a.cell[2] == b.cell[2];
}

typedef struct NearSkin {
  Builder *b;
  float reach; /* the distance of two diagonal voxels */
} NearSkin;

static void near_layers(void *context, SupRange range) {
  const NearSkin *job = (const NearSkin *)context;
  const SupVoxels *voxels = &job->b->voxels;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    for (int32_t j = 0; j < voxels->size[1]; j++) {
      for (int32_t i = 0; i < voxels->size[0]; i++) {
        const int32_t at[3] = {i, j, (int32_t)k};
        size_t v = sup_voxel_index(voxels, at);
        if (voxels->inside[v] != SUP_VOXEL_FLESH) continue;
        SupVec3 point = sup_vec3d_to_float(sup_voxel_point(voxels, at));
        job->b->near_skin[v] =
            sup_bvh_nearest(job->b->inside->bvh, point, job->reach).triangle != SUP_NONE;
      }
    }
  }
}

/* A hand on a hip: flesh on both sides of a gap that is too narrow for a voxel. Is there air
 * between the points of two flesh voxels, where the way leaves the skin and comes back? Skins that
 * reach into each other leave no air, and stay joined. */
static bool air_between(const Builder *b, const int32_t p[3], const int32_t q[3]) {
  size_t first = sup_voxel_index(&b->voxels, p), second = sup_voxel_index(&b->voxels, q);
  if (!b->near_skin[first] || !b->near_skin[second]) return false;
  const float ahead = 1e-4f;
  SupVec3 from = sup_vec3d_to_float(sup_voxel_point(&b->voxels, p));
  SupVec3 way = sup_vec3_sub(sup_vec3d_to_float(sup_voxel_point(&b->voxels, q)), from);
  SupRayHit out = sup_bvh_ray(b->inside->bvh, from, way, 1);
  if (out.triangle == SUP_NONE || out.t + ahead >= 1) return false;
  SupVec3 behind = sup_vec3_add_scaled(from, way, out.t + ahead);
  SupRayHit back = sup_bvh_ray(b->inside->bvh, behind, way, 1 - out.t - ahead);
  if (back.triangle == SUP_NONE) return false;
  return !sup_inside(b->inside, sup_vec3_to_double(sup_vec3_add_scaled(behind, way, back.t / 2)));
}

static SupResult find_near_skin(Builder *b, const SupJobs *jobs, SupError *error) {
  const int32_t *size = b->voxels.size;
  b->near_skin = SUP_ALLOC(b->arena, uint8_t, (size_t)size[0] * (size_t)size[1] * (size_t)size[2]);
  if (!b->near_skin) return sup_fail_memory(error, "filling");
  NearSkin job = {b, (float)(1.8 * b->voxels.lattice.spacing / SUP_VOXELS)};
  sup_parallel_for(jobs, (uint32_t)size[2], 4, near_layers, &job);
  return SUP_OK;
}

/* Called for every flesh voxel and each of the flesh voxels around it that comes later, diagonal
 * ones too, unless there is air between them. */
typedef void VisitPair(Builder *b, uint32_t *parents, const int32_t p[3], const int32_t q[3]);

static void for_pairs(Builder *b, uint32_t *parents, VisitPair *visit) {
  const int32_t *size = b->voxels.size;
  for (int32_t k = 0; k < size[2]; k++) {
    for (int32_t j = 0; j < size[1]; j++) {
      for (int32_t i = 0; i < size[0]; i++) {
        const int32_t p[3] = {i, j, k};
        if (!b->voxels.inside[sup_voxel_index(&b->voxels, p)]) continue;
        for (int32_t n = 14; n < 27; n++) { /* the 13 neighbours that come later */
          const int32_t d[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
          const int32_t q[3] = {i + d[0], j + d[1], k + d[2]};
          bool valid = q[0] >= 0 && q[1] >= 0 && q[2] >= 0 && q[0] < size[0] && q[1] < size[1] &&
                       q[2] < size[2];
          if (!valid || !b->voxels.inside[sup_voxel_index(&b->voxels, q)]) continue;
          if (!air_between(b, p, q)) visit(b, parents, p, q);
        }
      }
    }
  }
}

static void join_voxels(Builder *b, uint32_t *parents, const int32_t p[3], const int32_t q[3]) {
  if (same_tet(sup_voxel_tet(p), sup_voxel_tet(q))) {
    sup_union_find_join(parents, (uint32_t)sup_voxel_index(&b->voxels, p),
                        (uint32_t)sup_voxel_index(&b->voxels, q));
  }
}

/* Numbers the copies in voxel order and counts their voxels. */
static SupResult find_copies(Builder *b, SupError *error) {
  const int32_t *size = b->voxels.size;
  size_t total = (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
  uint32_t *parents = SUP_ALLOC(b->arena, uint32_t, total);
  b->copy_of = SUP_ALLOC(b->arena, uint32_t, total);
  if (!parents || !b->copy_of) return sup_fail_memory(error, "filling");
  sup_union_find_init(parents, (uint32_t)total);
  for_pairs(b, parents, join_voxels);
  for (size_t v = 0; v < total; v++) {
    b->copy_of[v] = SUP_NONE;
    if (!b->voxels.inside[v]) continue;
    uint32_t root = sup_union_find_root(parents, (uint32_t)v); /* the first voxel of its copy */
    b->copy_of[v] = root == v ? b->copy_count++ : b->copy_of[root];
  }
  if (b->copy_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "the skin encloses no volume and has no triangles");
  }
  b->tets = SUP_ALLOC(b->arena, SupLatticeTet, b->copy_count);
  b->voxel_counts = SUP_ALLOC(b->arena, uint32_t, b->copy_count);
  b->nodes = SUP_ALLOC(b->arena, uint32_t, 4 * (size_t)b->copy_count);
  if (!b->tets || !b->voxel_counts || !b->nodes) {
    return sup_fail_memory(error, "filling");
  }
  for (size_t v = 0; v < total; v++) {
    if (b->copy_of[v] == SUP_NONE) continue;
    const int32_t at[3] = {(int32_t)(v % (size_t)size[0]),
                           (int32_t)(v / (size_t)size[0] % (size_t)size[1]),
                           (int32_t)(v / ((size_t)size[0] * (size_t)size[1]))};
    b->tets[b->copy_of[v]] = sup_voxel_tet(at);
    b->voxel_counts[b->copy_of[v]]++;
  }
  return SUP_OK;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static void join_corners(Builder *b, uint32_t *parents, const int32_t p[3], const int32_t q[3]) {
  uint32_t one = b->copy_of[sup_voxel_index(&b->voxels, p)];
  uint32_t two = b->copy_of[sup_voxel_index(&b->voxels, q)];
  if (one == two) return;
  SupLatticePoint first[4], second[4];
  sup_lattice_corners(b->tets[one], first);
  sup_lattice_corners(b->tets[two], second);
  for (uint32_t a = 0; a < 4; a++) {
    for (uint32_t c = 0; c < 4; c++) {
      bool same = first[a].at[0] == second[c].at[0] && first[a].at[1] == second[c].at[1] &&
                  first[a].at[2] == second[c].at[2];
      if (same) sup_union_find_join(parents, 4 * one + a, 4 * two + c);
    }
  }
}

static SupResult join_nodes(Builder *b, SupError *error) {
  size_t corners = 4 * (size_t)b->copy_count;
  uint32_t *parents = SUP_ALLOC(b->arena, uint32_t, corners);
  if (!parents) return sup_fail_memory(error, "filling");
  sup_union_find_init(parents, (uint32_t)corners);
  for_pairs(b, parents, join_corners);
  for (size_t k = 0; k < corners; k++) {
    uint32_t root = sup_union_find_root(parents, (uint32_t)k);
    b->nodes[k] = root == k ? b->node_count++ : b->nodes[root];
  }
  return SUP_OK;
}

/* ---- The result ----------------------------------------------------------------------------- */

/* Barycentric coordinates of `point` in the lattice tetrahedron of a copy. */
static void weights_in(const Builder *b, uint32_t copy, SupVec3d point, double out_weights[4]) {
  SupLatticePoint corners[4];
  sup_lattice_corners(b->tets[copy], corners);
  SupVec3d x[4];
  for (int k = 0; k < 4; k++) x[k] = sup_lattice_position(&b->voxels.lattice, corners[k]);
  double d[3][3], e[3] = {point.x - x[0].x, point.y - x[0].y, point.z - x[0].z};
  for (int k = 0; k < 3; k++) {
    d[k][0] = x[k + 1].x - x[0].x;
    d[k][1] = x[k + 1].y - x[0].y;
    d[k][2] = x[k + 1].z - x[0].z;
  }
  double volume = 0, sum = 0;
  for (int k = 0; k < 3; k++) {
    const double *p = d[(k + 1) % 3], *q = d[(k + 2) % 3];
    double cross[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                       p[0] * q[1] - p[1] * q[0]};
    if (k == 0) volume = d[0][0] * cross[0] + d[0][1] * cross[1] + d[0][2] * cross[2];
    out_weights[k + 1] = (e[0] * cross[0] + e[1] * cross[1] + e[2] * cross[2]) / volume;
    sum += out_weights[k + 1];
  }
  out_weights[0] = 1 - sum;
}

/* Puts vertex v into the copy whose flesh lies just beneath it. */
static void embed_vertex(const Builder *b, uint32_t v, SupVec3 normal, uint32_t *out_tet,
                         double out_weights[4]) {
  double inward = 0.5 * b->voxels.lattice.spacing / SUP_VOXELS;
  SupVec3 p = b->skin->positions[v];
  SupVec3d point = {(double)p.x, (double)p.y, (double)p.z};
  SupVec3d beneath = {point.x - inward * (double)normal.x, point.y - inward * (double)normal.y,
                      point.z - inward * (double)normal.z};
  int32_t at[3] = {0, 0, 0};
  /* Thin parts were made flesh where the vertex is, so one of the two always answers. */
  const uint8_t any = SUP_VOXEL_FLESH | SUP_VOXEL_THIN;
  if (!sup_voxel_near(&b->voxels, beneath, any, at)) sup_voxel_near(&b->voxels, point, any, at);
  *out_tet = b->copy_of[sup_voxel_index(&b->voxels, at)];
  weights_in(b, *out_tet, point, out_weights);
}

static SupResult embed(Builder *b, SupEmbedding *out, SupError *error) {
  uint32_t count = b->skin->vertex_count;
  SupVec3 *normals = SUP_ALLOC(b->arena, SupVec3, count);
  uint32_t *tets = SUP_ALLOC(b->arena, uint32_t, count);
  double *weights = SUP_ALLOC(b->arena, double, 4 * (size_t)count);
  if (!normals || !tets || !weights) {
    return sup_fail_memory(error, "filling");
  }
  sup_vertex_normals(b->skin, normals);
  for (uint32_t v = 0; v < count; v++) {
    embed_vertex(b, v, normals[v], &tets[v], weights + 4 * (size_t)v);
  }
  *out = (SupEmbedding){count, tets, weights};
  return SUP_OK;
}

/* How far vertices lie outside their tetrahedra, all of whose heights are spacing / sqrt 2. */
static double outside_of(const SupFill *fill) {
  double least = 0;
  for (size_t k = 0; k < 4 * (size_t)fill->embedding.vertex_count; k++) {
    least = fmin(least, fill->embedding.weights[k]);
  }
  return -least * fill->spacing * 0.7071067811865476;
}

/* Voxel centres in a whole tetrahedron of each kind: what a full one counts. */
static void full_counts(uint32_t out_full[12]) {
  for (int k = 0; k < 12; k++) out_full[k] = 0;
  const int32_t span = 3 * SUP_VOXELS; /* three cells: every kind of the middle one is whole */
  for (int32_t k = 0; k < span * span * span; k++) {
    const int32_t at[3] = {k % span, k / span % span, k / (span * span)};
    SupLatticeTet tet = sup_voxel_tet(at);
    if (tet.cell[0] == 1 && tet.cell[1] == 1 && tet.cell[2] == 1) out_full[tet.kind]++;
  }
}

static SupResult write_mesh(Builder *b, SupFill *out, SupFillReport *report, SupError *error) {
  SupVec3d *nodes = SUP_ALLOC(b->arena, SupVec3d, b->node_count);
  double *fractions = SUP_ALLOC(b->arena, double, b->copy_count);
  uint32_t *pieces = SUP_ALLOC(b->arena, uint32_t, b->node_count);
  if (!nodes || !fractions || !pieces) {
    return sup_fail_memory(error, "filling");
  }
  uint32_t full[12];
  full_counts(full);
  report->fraction_least = 1;
  sup_union_find_init(pieces, b->node_count);
  for (uint32_t t = 0; t < b->copy_count; t++) {
    SupLatticePoint corners[4];
    sup_lattice_corners(b->tets[t], corners);
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t node = b->nodes[4 * (size_t)t + k];
      nodes[node] = sup_lattice_position(&b->voxels.lattice, corners[k]);
      sup_union_find_join(pieces, node, b->nodes[4 * (size_t)t]);
    }
    double fraction = (double)b->voxel_counts[t] / full[b->tets[t].kind];
    if (fraction < report->fraction_least) report->fraction_least = fraction;
    fractions[t] = fraction < FRACTION_FLOOR ? FRACTION_FLOOR : fraction;
  }
  for (uint32_t n = 0; n < b->node_count; n++) report->piece_count += pieces[n] == n;
  out->mesh = (SupTetMesh){b->node_count, b->copy_count, nodes, b->nodes};
  out->fractions = fractions;
  out->spacing = b->voxels.lattice.spacing;
  return SUP_OK;
}

/* How many copies are second or later ones of their tetrahedron. */
static int compare_tets(const void *left, const void *right) {
  const SupLatticeTet *a = left, *b = right;
  for (int k = 0; k < 3; k++) {
    if (a->cell[k] != b->cell[k]) return a->cell[k] < b->cell[k] ? -1 : 1;
  }
  return a->kind - b->kind;
}

static uint32_t count_doubles(const Builder *b) {
  SupLatticeTet *sorted = SUP_COPY(b->arena, SupLatticeTet, b->tets, b->copy_count);
  uint32_t doubles = 0;
  if (!sorted) return 0;
  qsort(sorted, b->copy_count, sizeof *sorted, compare_tets);
  for (uint32_t k = 1; k < b->copy_count; k++) doubles += same_tet(sorted[k - 1], sorted[k]);
  return doubles;
}

static SupResult build(Builder *b, const SupJobs *jobs, SupFill *out_fill, SupFillReport *report,
                       SupError *error) {
  SupResult result = find_near_skin(b, jobs, error);
  if (result == SUP_OK) result = find_copies(b, error);
  if (result == SUP_OK) result = join_nodes(b, error);
  if (result == SUP_OK) result = write_mesh(b, out_fill, report, error);
  if (result == SUP_OK) result = embed(b, &out_fill->embedding, error);
  if (result == SUP_OK) result = sup_drop_hinges(b->arena, b->skin, out_fill, error);
  if (result != SUP_OK) return result;
  report->outside_distance = outside_of(out_fill);
  double step = report->edge / SUP_VOXELS;
  report->volume = (double)b->voxels.count * step * step * step;
  report->copy_count = count_doubles(b);
  report->thin_count = b->voxels.thin_count;
  report->dihedral_least = 60; /* of every tetrahedron of this lattice */
  report->dihedral_most = 90;
  return SUP_OK;
}

SupResult sup_fill_lattice(SupArena *arena, const SupMesh *mesh, const SupInside *inside,
                           double spacing, const SupJobs *jobs, SupFill *out_fill,
                           SupFillReport *out_report, SupError *error) {
  const SupBounds box = sup_bounds(mesh->positions, mesh->vertex_count);
  SupFillReport report = {.edge = spacing};
  Builder b = {.arena = arena, .skin = mesh, .inside = inside};
  SupLattice lattice;
  SupResult result = place_lattice(box, spacing, &lattice, error);
  if (result == SUP_OK) {
    result = sup_voxels_create(arena, &lattice, mesh, inside, jobs, &b.voxels, error);
  }
  SupFill fill;
  if (result == SUP_OK) result = build(&b, jobs, &fill, &report, error);
  if (result != SUP_OK) return result;
  *out_fill = fill;
  *out_report = report;
  return SUP_OK;
}
