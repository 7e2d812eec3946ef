/* SPDX-License-Identifier: MIT */
/*
 * A skin filled with tetrahedra, group by group.
 *
 * 1. Parts that neither triangles nor bones join are filled apart, and so are
 *    sheets that are not flesh                                              (skin_groups.c)
 * 2. A spacing is chosen from volume and area of all                   (sup_lattice_spacing)
 * 3. Each group gets a lattice of its own with that spacing                 (fill.c)
 * 4. All become one mesh                                                    (join_fills)
 */
#include <math.h>

#include "fem/fill_lattice.h"
#include "fem/skin_groups.h"
#include "supple/geom/bounds.h"
#include "supple/geom/measure.h"

typedef struct Part {
  SupMesh mesh;
  const uint32_t *vertices; /* [mesh.vertex_count] numbers in the whole */
  SupInside inside;
  SupFill fill;
  SupFillReport report;
} Part;

/* Volume inside the skin by winding number on a coarse grid: right for open skins too. */
static double estimate_volume(const SupInside *skin, SupBounds box) {
  enum { SAMPLES = 24 };
  double size[3] = {(double)box.high.x - (double)box.low.x, (double)box.high.y - (double)box.low.y,
                    (double)box.high.z - (double)box.low.z};
  uint32_t inside = 0;
  for (int k = 0; k < SAMPLES * SAMPLES * SAMPLES; k++) {
    double u = (k % SAMPLES + 0.5) / SAMPLES, v = (k / SAMPLES % SAMPLES + 0.5) / SAMPLES;
    double w = (k / (SAMPLES * SAMPLES) + 0.5) / SAMPLES;
    SupVec3d point = {(double)box.low.x + u * size[0], (double)box.low.y + v * size[1],
                      (double)box.low.z + w * size[2]};
    if (sup_inside(skin, point)) inside++;
  }
  return size[0] * size[1] * size[2] * inside / (SAMPLES * SAMPLES * SAMPLES);
}

/* Spacing a with 12 (V + c A a) / a^3 = target: full cells inside, and a layer of thickness c a
 * that the lattice reaches beyond the skin. */
double sup_lattice_spacing(double volume, double area, uint32_t target) {
  const double layer = 0.3;
  double low = 0, high = 1;
  while (12 * (volume + layer * area * high) / (high * high * high) > target) high *= 2;
  for (int k = 0; k < 60; k++) {
    double middle = (low + high) / 2;
    if (12 * (volume + layer * area * middle) / (middle * middle * middle) > target)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* Skin, inside and number of every group; volume and area of all. */
static SupResult open_parts(SupArena *arena, const SupMesh *mesh, const SupGroups *groups,
                            Part *parts, SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t g = 0; g < groups->count && result == SUP_OK; g++) {
    Part *part = &parts[g];
    part->mesh = *mesh; /* the only one keeps its numbers */
    if (groups->count > 1) {
      result = sup_group_mesh(arena, mesh, groups, g, &part->mesh, &part->vertices, error);
    }
    if (result == SUP_OK) result = sup_inside_create(arena, &part->mesh, &part->inside, error);
    part->inside.hollow = groups->sheets[g];
  }
  return result;
}

/* The spacings with which all parts together get `target` and as many tetrahedra as usual. */
static void find_spacings(const Part *parts, uint32_t count, uint32_t target, double *out_spacing,
                          double *out_usual) {
  double volume = 0, area = 0;
  for (uint32_t g = 0; g < count; g++) {
    const SupMesh *mesh = &parts[g].mesh;
    const SupBounds box = sup_bounds(mesh->positions, mesh->vertex_count);
    volume += estimate_volume(&parts[g].inside, box);
    area += sup_mesh_area(mesh);
  }
  *out_usual = sup_lattice_spacing(volume, area, SUP_FILL_USUAL);
  if (target > 0) *out_spacing = sup_lattice_spacing(volume, area, target);
}

/* ---- One mesh of all ------------------------------------------------------------------------ */

static void join_reports(const Part *parts, uint32_t count, SupFillReport *out) {
  *out = parts[0].report;
  for (uint32_t g = 1; g < count; g++) {
    const SupFillReport *r = &parts[g].report;
    out->volume += r->volume;
    out->piece_count += r->piece_count;
    out->copy_count += r->copy_count;
    out->thin_count += r->thin_count;
    out->outside_distance = fmax(out->outside_distance, r->outside_distance);
    out->fraction_least = fmin(out->fraction_least, r->fraction_least);
  }
}

static SupResult join_fills(SupArena *arena, const Part *parts, uint32_t count, uint32_t vertices,
                            SupFill *out, SupError *error) {
  size_t node_count = 0, tet_count = 0, node = 0, tet = 0;
  for (uint32_t g = 0; g < count; g++) {
    node_count += parts[g].fill.mesh.node_count;
    tet_count += parts[g].fill.mesh.tet_count;
  }
  SupVec3d *nodes = SUP_ALLOC(arena, SupVec3d, node_count);
  uint32_t *tets = SUP_ALLOC(arena, uint32_t, 4 * tet_count);
  double *fractions = SUP_ALLOC(arena, double, tet_count);
  uint32_t *homes = SUP_ALLOC(arena, uint32_t, vertices);
  double *weights = SUP_ALLOC(arena, double, 4 * (size_t)vertices);
  if (!nodes || !tets || !fractions || !homes || !weights) return sup_fail_memory(error, "filling");
  for (uint32_t g = 0; g < count; g++) {
    const SupFill *fill = &parts[g].fill;
    for (uint32_t n = 0; n < fill->mesh.node_count; n++) nodes[node + n] = fill->mesh.nodes[n];
    for (uint32_t t = 0; t < fill->mesh.tet_count; t++) fractions[tet + t] = fill->fractions[t];
    for (size_t k = 0; k < 4 * (size_t)fill->mesh.tet_count; k++) {
      tets[4 * tet + k] = fill->mesh.tets[k] + (uint32_t)node;
    }
    for (uint32_t v = 0; v < parts[g].mesh.vertex_count; v++) {
      const uint32_t at = parts[g].vertices[v];
      homes[at] = fill->embedding.tets[v] + (uint32_t)tet;
      for (size_t a = 0; a < 4; a++) {
        weights[4 * (size_t)at + a] = fill->embedding.weights[4 * (size_t)v + a];
      }
    }
    node += fill->mesh.node_count;
    tet += fill->mesh.tet_count;
  }
  *out = (SupFill){.mesh = {(uint32_t)node, (uint32_t)tet, nodes, tets},
                   .embedding = {vertices, homes, weights},
                   .fractions = fractions,
                   .spacing = parts[0].fill.spacing};
  return SUP_OK;
}

SupResult sup_fill(SupArena *arena, const SupMesh *mesh, const SupFillDef *def, SupFill *out_fill,
                   SupFillReport *out_report, SupError *error) {
  if (mesh->triangle_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "there are no triangles to fill");
  }
  if (!(def->edge > 0) && def->tet_target == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "filling needs a number of tetrahedra or an edge length");
  }
  SupGroups groups;
  SupResult result = sup_groups_find(arena, mesh, def->skin, def->lock, &groups, error);
  if (result != SUP_OK) return result;
  Part *parts = SUP_ALLOC(arena, Part, groups.count);
  if (!parts) return sup_fail_memory(error, "filling");
  result = open_parts(arena, mesh, &groups, parts, error);
  if (result != SUP_OK) return result;
  double spacing = def->edge, usual;
  find_spacings(parts, groups.count, def->edge > 0 ? 0 : def->tet_target, &spacing, &usual);
  for (uint32_t g = 0; g < groups.count && result == SUP_OK; g++) {
    result = sup_fill_lattice(arena, &parts[g].mesh, &parts[g].inside, spacing, def->jobs,
                              &parts[g].fill, &parts[g].report, error);
  }
  SupFill fill = parts[0].fill;
  if (result == SUP_OK && groups.count > 1) {
    result = join_fills(arena, parts, groups.count, mesh->vertex_count, &fill, error);
  }
  if (result != SUP_OK) return result;
  fill.usual = usual;
  join_reports(parts, groups.count, out_report);
  *out_fill = fill;
  return SUP_OK;
}
