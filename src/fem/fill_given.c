/* SPDX-License-Identifier: MIT */
/*
 * A volume that somebody else made, around a skin.
 *
 * Every skin vertex goes into the tetrahedron that holds it, or into the nearest one: of all faces
 * the nearest to a point belongs to its tetrahedron (the ball up to that face holds no other), so
 * one search in a hierarchy over all faces and a look at both sides of what it finds will do.
 */
#include <math.h>

#include "base/union_find.h"
#include "fem/dihedral.h"
#include "fem/fill_lattice.h"
#include "fem/tet_faces.h"
#include "supple/geom/bounds.h"
#include "supple/geom/bvh.h"
#include "supple/geom/measure.h"
#include "supple/quantity.h"

/* Skins may stick out of their volume by this fraction of their size; more is a mistake of units.
 */
#define OUTSIDE_MOST 0.1

/* The faces as a soup of triangles to search in. */
static SupResult build_tree(SupArena *arena, const SupTetMesh *mesh, const SupTetFace *faces,
                            uint32_t count, SupBvh *out_tree, SupError *error) {
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, mesh->node_count);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 3 * (size_t)count);
  if (!positions || !triangles) {
    return sup_fail_memory(error, "embedding");
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) positions[n] = sup_vec3d_to_float(mesh->nodes[n]);
  for (uint32_t f = 0; f < count; f++) {
    for (size_t k = 0; k < 3; k++) triangles[3 * (size_t)f + k] = faces[f].nodes[k];
  }
  const SupMesh soup = {mesh->node_count, count, positions, triangles};
  return sup_bvh_build(arena, &soup, out_tree, error);
}

static double six_volumes(SupVec3d a, SupVec3d b, SupVec3d c, SupVec3d d) {
  return sup_vec3d_dot(sup_vec3d_sub(b, a),
                       sup_vec3d_cross(sup_vec3d_sub(c, a), sup_vec3d_sub(d, a)));
}

/* Barycentric weights; returns the least. */
static double weights_in(const SupTetMesh *mesh, uint32_t t, SupVec3d point, double out[4]) {
  SupVec3d corners[4];
  for (size_t a = 0; a < 4; a++) corners[a] = mesh->nodes[mesh->tets[4 * (size_t)t + a]];
  double whole = six_volumes(corners[0], corners[1], corners[2], corners[3]);
  double least = INFINITY, sum = 0;
  for (int a = 1; a < 4; a++) {
    SupVec3d moved[4] = {corners[0], corners[1], corners[2], corners[3]};
    moved[a] = point;
    out[a] = six_volumes(moved[0], moved[1], moved[2], moved[3]) / whole;
    sum += out[a];
  }
  out[0] = 1 - sum;
  for (int a = 0; a < 4; a++) least = fmin(least, out[a]);
  return least;
}

static SupResult embed(SupArena *arena, const SupMesh *skin, const SupTetMesh *mesh,
                       SupEmbedding *out_embedding, double *out_outside, SupError *error) {
  SupTetFace *faces = NULL;
  uint32_t face_count = 0;
  SupBvh tree;
  SupResult result = sup_tet_faces(arena, mesh, &faces, &face_count, error);
  if (result == SUP_OK) result = build_tree(arena, mesh, faces, face_count, &tree, error);
  if (result != SUP_OK) return result;
  uint32_t *tets = SUP_ALLOC(arena, uint32_t, skin->vertex_count);
  double *weights = SUP_ALLOC(arena, double, 4 * (size_t)skin->vertex_count);
  if (!tets || !weights) return sup_fail_memory(error, "embedding");
  double outside = 0;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    SupNearest nearest = sup_bvh_nearest(&tree, skin->positions[v], INFINITY);
    SupVec3d point = sup_vec3_to_double(skin->positions[v]);
    const SupTetFace *face = &faces[nearest.triangle];
    double *own = weights + 4 * (size_t)v, other[4];
    double least = weights_in(mesh, face->tets[0], point, own);
    tets[v] = face->tets[0];
    if (face->tets[1] != SUP_NONE && least < 0) {
      double second = weights_in(mesh, face->tets[1], point, other);
      if (second > least) {
        for (int a = 0; a < 4; a++) own[a] = other[a];
        tets[v] = face->tets[1];
        least = second;
      }
    }
    if (least < 0) outside = fmax(outside, (double)nearest.distance);
  }
  *out_embedding = (SupEmbedding){skin->vertex_count, tets, weights};
  *out_outside = outside;
  return SUP_OK;
}

/* ---- Quality -------------------------------------------------------------------------------- */

static SupResult judge(SupArena *arena, const SupTetMesh *mesh, SupFillReport *report,
                       SupError *error) {
  uint32_t *parents = SUP_ALLOC(arena, uint32_t, mesh->node_count);
  if (!parents) return sup_fail_memory(error, "a volume");
  sup_union_find_init(parents, mesh->node_count);
  double edges = 0, least = 1, most = -1; /* cosines of angles */
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    const uint32_t *c = mesh->tets + 4 * (size_t)t;
    const SupVec3d *x = mesh->nodes;
    double volume = six_volumes(x[c[0]], x[c[1]], x[c[2]], x[c[3]]) / 6;
    if (!(volume > 0) || !isfinite(volume)) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "tetrahedron %u is degenerate or inverted; repair the mesh", t + 1);
    }
    report->volume += volume;
    sup_dihedral_cosines((const SupVec3d[4]){x[c[0]], x[c[1]], x[c[2]], x[c[3]]}, &least, &most);
    for (int a = 0; a < 4; a++) {
      sup_union_find_join(parents, c[0], c[a]);
      for (int b = a + 1; b < 4; b++) edges += sup_vec3d_distance(x[c[a]], x[c[b]]);
    }
  }
  report->edge = edges / (6 * (double)mesh->tet_count);
  for (uint32_t n = 0; n < mesh->node_count; n++) report->piece_count += parents[n] == n;
  report->fraction_least = 1;
  report->dihedral_least = sup_dihedral_degrees(most);
  report->dihedral_most = sup_dihedral_degrees(least);
  return SUP_OK;
}

/* How many of its edges the edges of the usual lattice have. */
static double usual_edges(const SupMesh *skin, const SupTetMesh *volume, double size) {
  const double usual = sup_lattice_spacing(size, sup_mesh_area(skin), SUP_FILL_USUAL);
  return usual / cbrt(12 * size / volume->tet_count);
}

SupResult sup_fill_given(SupArena *arena, const SupMesh *skin, const SupTetMesh *volume,
                         SupFill *out_fill, SupFillReport *out_report, SupError *error) {
  if (volume->tet_count == 0 || skin->vertex_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "there is no %s",
                    volume->tet_count ? "skin" : "tetrahedron in the volume");
  }
  SupFillReport report = {0};
  SupFill fill = {.mesh = *volume};
  SupResult result = judge(arena, volume, &report, error);
  if (result == SUP_OK) {
    result = embed(arena, skin, volume, &fill.embedding, &report.outside_distance, error);
  }
  if (result != SUP_OK) return result;
  SupBounds box = sup_bounds(skin->positions, skin->vertex_count);
  double size = (double)sup_vec3_distance(box.low, box.high);
  if (report.outside_distance > OUTSIDE_MOST * size) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "the skin extends %s beyond the volume, and its size is %s; both must be "
                    "in the same units and in the bind pose",
                    sup_length_text(report.outside_distance).text, sup_length_text(size).text);
  }
  double *fractions = SUP_ALLOC(arena, double, volume->tet_count);
  if (!fractions) return sup_fail_memory(error, "a volume");
  for (uint32_t t = 0; t < volume->tet_count; t++) fractions[t] = 1;
  fill.fractions = fractions;
  fill.spacing = report.edge;
  fill.usual = report.edge * usual_edges(skin, volume, report.volume);
  *out_fill = fill;
  *out_report = report;
  return SUP_OK;
}
