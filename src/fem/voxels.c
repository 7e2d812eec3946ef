/* SPDX-License-Identifier: MIT */
/*
 * Voxels against a skin, by generalised winding number (Jacobson et al. 2013).
 *
 * One query decides a whole lattice cell when the skin is farther away than the cell reaches and
 * the winding number is clearly in or out; only the other cells are asked voxel by voxel.
 */
#include "fem/voxels.h"

typedef struct Classify {
  SupVoxels *voxels;
  const SupInside *skin;
  uint64_t *counts; /* [cell layers] flesh voxels found */
} Classify;

/* How far off its centre a voxel's point is, in hundredths of half a voxel. All sums and
 * differences of coordinates that could tie are then odd multiples of something and never 0. */
static const int32_t off_centre[3] = {11, -17, 7};

SupVec3d sup_voxel_point(const SupVoxels *voxels, const int32_t at[3]) {
  double step = voxels->lattice.spacing / SUP_VOXELS, p[3];
  for (int a = 0; a < 3; a++) p[a] = step * ((double)at[a] + 0.5 + off_centre[a] / 200.0);
  return sup_vec3d_add(voxels->lattice.origin, sup_vec3d_make(p[0], p[1], p[2]));
}

SupLatticeTet sup_voxel_tet(const int32_t at[3]) {
  int32_t cell[3], offset[3];
  for (int a = 0; a < 3; a++) {
    cell[a] = at[a] / SUP_VOXELS;
    offset[a] = 200 * (at[a] % SUP_VOXELS) - 100 * (SUP_VOXELS - 1) + off_centre[a];
  }
  return sup_lattice_tet(cell, (double[3]){offset[0], offset[1], offset[2]});
}

/* Whether all of cell `at` is alike, and then what it is. */
static bool decide_cell(const Classify *job, const int32_t at[3], bool *out_inside) {
  const SupLattice *lattice = &job->voxels->lattice;
  SupLatticePoint middle = {{2 * at[0] + 1, 2 * at[1] + 1, 2 * at[2] + 1}};
  SupVec3d centre = sup_lattice_position(lattice, middle);
  const double half_diagonal = 0.8660254037844386;
  double reach = half_diagonal * lattice->spacing;
  SupNearest nearest = sup_bvh_nearest(job->skin->bvh, sup_vec3d_to_float(centre), (float)reach);
  if (nearest.triangle != SUP_NONE) return false;
  double winding = sup_inside_winding(job->skin, centre);
  *out_inside = winding > 0.5;
  return winding < 0.2 || winding > 0.8;
}

static void classify_cell(const Classify *job, const int32_t cell[3], uint64_t *io_count) {
  SupVoxels *voxels = job->voxels;
  bool alike_inside = false;
  bool alike = decide_cell(job, cell, &alike_inside);
  if (alike && !alike_inside) return;
  for (int32_t k = 0; k < SUP_VOXELS * SUP_VOXELS * SUP_VOXELS; k++) {
    int32_t at[3] = {SUP_VOXELS * cell[0] + k % SUP_VOXELS,
                     SUP_VOXELS * cell[1] + k / SUP_VOXELS % SUP_VOXELS,
                     SUP_VOXELS * cell[2] + k / (SUP_VOXELS * SUP_VOXELS)};
    if (alike || sup_inside(job->skin, sup_voxel_point(voxels, at))) {
      voxels->inside[sup_voxel_index(voxels, at)] = SUP_VOXEL_FLESH;
      (*io_count)++;
    }
  }
}

/* One layer of cells per task: layers share no voxel. */
static void classify_layers(void *context, SupRange range) {
  const Classify *job = (const Classify *)context;
  const int32_t *cells = job->voxels->lattice.cells;
  for (uint32_t layer = range.first; layer < range.first + range.count; layer++) {
    for (int32_t j = 0; j < cells[1]; j++) {
      for (int32_t i = 0; i < cells[0]; i++) {
        const int32_t cell[3] = {i, j, (int32_t)layer};
        classify_cell(job, cell, &job->counts[layer]);
      }
    }
  }
}

static void voxel_of(const SupVoxels *voxels, SupVec3d point, int32_t out_at[3]) {
  double step = voxels->lattice.spacing / SUP_VOXELS;
  double at[3] = {(point.x - voxels->lattice.origin.x) / step,
                  (point.y - voxels->lattice.origin.y) / step,
                  (point.z - voxels->lattice.origin.z) / step};
  for (int a = 0; a < 3; a++) {
    int32_t whole = at[a] > 0 ? (int32_t)at[a] : 0;
    out_at[a] = whole < voxels->size[a] ? whole : voxels->size[a] - 1;
  }
}

bool sup_voxel_near(const SupVoxels *voxels, SupVec3d point, uint8_t mask, int32_t out_at[3]) {
  int32_t own[3];
  voxel_of(voxels, point, own);
  double best = 0;
  bool found = false;
  for (int32_t k = 0; k < 27; k++) {
    const int32_t at[3] = {own[0] + k % 3 - 1, own[1] + k / 3 % 3 - 1, own[2] + k / 9 - 1};
    bool valid = at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < voxels->size[0] &&
                 at[1] < voxels->size[1] && at[2] < voxels->size[2];
    if (!valid || !(voxels->inside[sup_voxel_index(voxels, at)] & mask)) continue;
    SupVec3d centre = sup_voxel_point(voxels, at);
    double x = centre.x - point.x, y = centre.y - point.y, z = centre.z - point.z;
    double distance = x * x + y * y + z * z;
    if (found && distance >= best) continue;
    found = true;
    best = distance;
    for (int a = 0; a < 3; a++) out_at[a] = at[a];
  }
  return found;
}

static void make_thin(SupVoxels *voxels, SupVec3d point) {
  int32_t at[3];
  voxel_of(voxels, point, at);
  uint8_t *voxel = &voxels->inside[sup_voxel_index(voxels, at)];
  if (*voxel) return;
  *voxel = SUP_VOXEL_THIN;
  voxels->thin_count++;
}

/* First pass: a skin sample with no flesh near makes its own voxel flesh. Second pass: so does one
 * beside a voxel that was made so, which closes the seam to the thick part. */
static void keep_sample(SupVoxels *voxels, SupVec3d point, bool second) {
  int32_t at[3];
  bool near = sup_voxel_near(voxels, point, second ? SUP_VOXEL_THIN : SUP_VOXEL_FLESH, at);
  if (near == second) make_thin(voxels, point);
}

/* The corners of a triangle and points between them, closer than a voxel. */
static void keep_triangle(SupVoxels *voxels, const SupMesh *mesh, uint32_t f, bool second) {
  double step = voxels->lattice.spacing / SUP_VOXELS, longest = 0;
  SupVec3d p[3];
  for (uint32_t c = 0; c < 3; c++) {
    p[c] = sup_vec3_to_double(mesh->positions[mesh->triangles[3 * (size_t)f + c]]);
  }
  for (int c = 0; c < 3; c++) {
    double length = sup_vec3d_distance(p[c], p[(c + 1) % 3]);
    if (length > longest) longest = length;
  }
  int32_t parts = 1 + (int32_t)(longest / step);
  for (int32_t i = 0; i <= parts; i++) {
    for (int32_t j = 0; i + j <= parts; j++) {
      double u = (double)i / parts, v = (double)j / parts;
      SupVec3d point = sup_vec3d_add_scaled(p[0], sup_vec3d_sub(p[1], p[0]), u);
      point = sup_vec3d_add_scaled(point, sup_vec3d_sub(p[2], p[0]), v);
      keep_sample(voxels, point, second);
    }
  }
}

/* Ears and cloth are kept although no voxel fits into them; so are vertices without triangles. */
static void keep_thin_parts(SupVoxels *voxels, const SupMesh *mesh) {
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
      keep_sample(voxels, sup_vec3_to_double(mesh->positions[v]), pass == 1);
    }
    for (uint32_t f = 0; f < mesh->triangle_count; f++) keep_triangle(voxels, mesh, f, pass == 1);
  }
}

SupResult sup_voxels_create(SupArena *arena, const SupLattice *lattice, const SupMesh *mesh,
                            const SupInside *inside, const SupJobs *jobs, SupVoxels *out_voxels,
                            SupError *error) {
  SupVoxels voxels = {.lattice = *lattice};
  size_t total = 1;
  for (int a = 0; a < 3; a++) {
    voxels.size[a] = SUP_VOXELS * lattice->cells[a];
    total *= (size_t)voxels.size[a];
  }
  uint32_t layers = (uint32_t)lattice->cells[2];
  voxels.inside = SUP_ALLOC(arena, uint8_t, total);
  Classify job = {&voxels, inside, SUP_ALLOC(arena, uint64_t, layers)};
  if (!voxels.inside || !job.counts) {
    return sup_fail(error, SUP_ERROR_MEMORY, "filling: %zu voxels do not fit in memory", total);
  }
  sup_parallel_for(jobs, layers, 1, classify_layers, &job);
  for (uint32_t layer = 0; layer < layers; layer++) voxels.count += job.counts[layer];
  keep_thin_parts(&voxels, mesh);
  *out_voxels = voxels;
  return SUP_OK;
}
