/* SPDX-License-Identifier: MIT */
/*
 * From the remeshed half to the whole body at its final size: every triangle divided into
 * divisions^2, the new points pulled onto the surface, the other half mirrored, the faces sorted
 * by material.
 *
 * Points of the half are numbered: corners, then the inner points of edges, then of faces. A key
 * names a point of the whole: the point, plus point_count for its mirror image.
 */
#include "author/builtin/builtin_body.h"

typedef struct Dense {
  const SupBody *body;
  const SupHalfEdgeMesh *mesh;
  uint32_t n; /* divisions */
  uint32_t edge_count;
  uint32_t point_count;
  uint32_t *edges;  /* [3 * faces] edge of each half-edge */
  uint32_t *owners; /* [edge_count] the half-edge that an edge's points are counted along */
  SupVec3 *positions, *normals; /* [point_count] */
  uint8_t *bones;               /* [4 * point_count] */
  float *weights;               /* [4 * point_count] */
  uint8_t mirror[256];          /* bone at -x */
} Dense;

static uint32_t edge_point(const Dense *dense, uint32_t h, uint32_t k) {
  uint32_t e = dense->edges[h];
  if (dense->owners[e] != h) k = dense->n - k;
  return dense->mesh->vertex_count + e * (dense->n - 1) + k - 1;
}

/* The point i steps from the face's first corner towards its second and j towards its third. */
static uint32_t face_point(const Dense *dense, uint32_t f, uint32_t i, uint32_t j) {
  uint32_t n = dense->n, h = 3 * f;
  const uint32_t *from = &dense->mesh->from[h];
  if (j == 0) return i == 0 ? from[0] : i == n ? from[1] : edge_point(dense, h, i);
  if (i == 0) return j == n ? from[2] : edge_point(dense, h + 2, n - j);
  if (i + j == n) return edge_point(dense, h + 1, j);
  uint32_t inner = (n - 1) * (n - 2) / 2, row = (j - 1) * (n - 1) - (j - 1) * j / 2;
  return dense->mesh->vertex_count + dense->edge_count * (n - 1) + f * inner + row + i - 1;
}

static void place(Dense *dense, uint32_t point, SupPin pin, SupVec3d p) {
  p = sup_body_project(dense->body, pin, p);
  SupVec3d n = sup_body_sample(dense->body, p).g;
  if (pin.plane) n.x = 0;
  n = sup_vec3d_normalise(n);
  dense->positions[point] = (SupVec3){(float)p.x, (float)p.y, (float)p.z};
  dense->normals[point] = (SupVec3){(float)n.x, (float)n.y, (float)n.z};
  uint32_t bones[4];
  sup_body_weights(dense->body, p, bones, &dense->weights[4 * (size_t)point]);
  for (uint32_t k = 0; k < 4; k++) dense->bones[4 * (size_t)point + k] = (uint8_t)bones[k];
}

static void place_edge(Dense *dense, uint32_t e) {
  const SupHalfEdgeMesh *mesh = dense->mesh;
  uint32_t h = dense->owners[e];
  SupVec3d a = mesh->points[mesh->from[h]], b = mesh->points[mesh->from[sup_half_edge_next(h)]];
  SupPin pin = sup_half_edge_pin(mesh, h);
  for (uint32_t k = 1; k < dense->n; k++) {
    SupVec3d p = sup_vec3d_add_scaled(a, sup_vec3d_sub(b, a), (double)k / dense->n);
    place(dense, edge_point(dense, h, k), pin, p);
  }
}

/* How far the point at share t of a face's edge, counted along half-edge h, lies from the straight
 * line between its ends; linear between the edge's points. */
static SupVec3d edge_bow(const Dense *dense, uint32_t h, double t) {
  const SupHalfEdgeMesh *mesh = dense->mesh;
  uint32_t n = dense->n, k = (uint32_t)(t * n);
  k = k < n ? k : n - 1;
  SupVec3d ends[2];
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t point = k + i == 0   ? mesh->from[h]
                     : k + i == n ? mesh->from[sup_half_edge_next(h)]
                                  : edge_point(dense, h, k + i);
    ends[i] = sup_vec3_to_double(dense->positions[point]);
  }
  SupVec3d a = mesh->points[mesh->from[h]], b = mesh->points[mesh->from[sup_half_edge_next(h)]];
  return sup_vec3d_sub(sup_vec3d_lerp(ends[0], ends[1], t * n - k), sup_vec3d_lerp(a, b, t));
}

/* Inner points follow the bows of the three edges (which may be outlines), each fading towards the
 * corner opposite. */
static void place_face(Dense *dense, uint32_t f) {
  const SupHalfEdgeMesh *mesh = dense->mesh;
  SupPin free_pin = {false, SUP_NONE};
  for (uint32_t j = 1; j + 1 < dense->n; j++) {
    for (uint32_t i = 1; i + j < dense->n; i++) {
      double fraction[3] = {dense->n - i - j, i, j};
      SupVec3d p = {0, 0, 0};
      for (uint32_t k = 0; k < 3; k++) {
        fraction[k] /= dense->n;
        p = sup_vec3d_add_scaled(p, mesh->points[mesh->from[3 * f + k]], fraction[k]);
      }
      for (uint32_t k = 0; k < 3; k++) {
        double a = fraction[k], b = fraction[(k + 1) % 3];
        SupVec3d bow = edge_bow(dense, 3 * f + k, b / (a + b));
        p = sup_vec3d_add_scaled(p, bow, (a + b) * (a + b));
      }
      place(dense, face_point(dense, f, i, j), free_pin, p);
    }
  }
}

static void place_corners(void *context, SupRange range) {
  Dense *dense = (Dense *)context;
  for (uint32_t v = range.first; v < range.first + range.count; v++) {
    /* Corners lie on the surface already, and on their outlines. */
    SupVec3d p = dense->mesh->points[v];
    place(dense, v, (SupPin){dense->body->symmetric && p.x == 0, SUP_NONE}, p);
  }
}

static void place_edges(void *context, SupRange range) {
  Dense *dense = (Dense *)context;
  for (uint32_t e = range.first; e < range.first + range.count; e++) place_edge(dense, e);
}

static void place_faces(void *context, SupRange range) {
  Dense *dense = (Dense *)context;
  for (uint32_t f = range.first; f < range.first + range.count; f++) place_face(dense, f);
}

static SupResult dense_fill(SupArena *arena, Dense *dense, const SupJobs *jobs) {
  const SupHalfEdgeMesh *mesh = dense->mesh;
  uint32_t half_edge_count = 3 * mesh->face_count, n = dense->n;
  dense->edges = SUP_ALLOC(arena, uint32_t, half_edge_count);
  dense->owners = SUP_ALLOC(arena, uint32_t, half_edge_count);
  if (!dense->edges || !dense->owners) return SUP_ERROR_MEMORY;
  for (uint32_t h = 0; h < half_edge_count; h++) {
    uint32_t t = mesh->twin[h];
    if (t != SUP_NONE && t < h) {
      dense->edges[h] = dense->edges[t];
    } else {
      dense->owners[dense->edge_count] = h;
      dense->edges[h] = dense->edge_count++;
    }
  }
  dense->point_count =
      mesh->vertex_count + dense->edge_count * (n - 1) + mesh->face_count * ((n - 1) * (n - 2) / 2);
  dense->positions = SUP_ALLOC(arena, SupVec3, dense->point_count);
  dense->normals = SUP_ALLOC(arena, SupVec3, dense->point_count);
  dense->bones = SUP_ALLOC(arena, uint8_t, 4 * (size_t)dense->point_count);
  dense->weights = SUP_ALLOC(arena, float, 4 * (size_t)dense->point_count);
  if (!dense->positions || !dense->normals || !dense->bones || !dense->weights) {
    return SUP_ERROR_MEMORY;
  }
  sup_parallel_for(jobs, mesh->vertex_count, 256, place_corners, dense);
  if (n > 1) sup_parallel_for(jobs, dense->edge_count, 256, place_edges, dense);
  if (n > 2) sup_parallel_for(jobs, mesh->face_count, 256, place_faces, dense);
  return SUP_OK;
}

/* ---- Parts ---------------------------------------------------------------------------------- */

typedef struct Sorter {
  uint32_t *local; /* [2 * point_count] vertex of the part, by key, or SUP_NONE */
  uint32_t *order; /* [2 * point_count] key of each vertex of the part */
  uint32_t vertex_count;
  uint32_t *triangles; /* of the part */
  size_t corner_count;
} Sorter;

static void sort_corner(const Dense *dense, Sorter *sorter, uint32_t point, bool left) {
  uint32_t key = left && dense->positions[point].x != 0 ? point + dense->point_count : point;
  if (sorter->local[key] == SUP_NONE) {
    sorter->order[sorter->vertex_count] = key;
    sorter->local[key] = sorter->vertex_count++;
  }
  sorter->triangles[sorter->corner_count++] = sorter->local[key];
}

static void sort_face(const Dense *dense, Sorter *sorter, uint32_t f, bool left) {
  for (uint32_t j = 0; j < dense->n; j++) {
    for (uint32_t i = 0; i + j < dense->n; i++) {
      for (uint32_t down = 0; down < (i + j + 1 < dense->n ? 2u : 1u); down++) {
        uint32_t a = down ? face_point(dense, f, i + 1, j + 1) : face_point(dense, f, i, j);
        uint32_t b = down ? face_point(dense, f, i, j + 1) : face_point(dense, f, i + 1, j);
        uint32_t c = down ? face_point(dense, f, i + 1, j) : face_point(dense, f, i, j + 1);
        sort_corner(dense, sorter, a, left);
        sort_corner(dense, sorter, left ? c : b, left);
        sort_corner(dense, sorter, left ? b : c, left);
      }
    }
  }
}

static uint32_t face_material(const Dense *dense, uint32_t f) {
  uint32_t label = dense->mesh->labels[f];
  return label ? dense->body->regions[label - 1].material : 0;
}

static SupResult fill_part(SupArena *arena, const Dense *dense, const Sorter *sorter,
                           SupRawPart *part) {
  uint32_t count = sorter->vertex_count;
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, count);
  SupVec3 *normals = SUP_ALLOC(arena, SupVec3, count);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, 4 * (size_t)count);
  float *weights = SUP_ALLOC(arena, float, 4 * (size_t)count);
  if (!positions || !normals || !bones || !weights) return SUP_ERROR_MEMORY;
  for (uint32_t v = 0; v < count; v++) {
    bool left = sorter->order[v] >= dense->point_count;
    uint32_t point = left ? sorter->order[v] - dense->point_count : sorter->order[v];
    positions[v] = dense->positions[point];
    normals[v] = dense->normals[point];
    if (left) {
      positions[v].x = -positions[v].x;
      normals[v].x = -normals[v].x;
    }
    for (uint32_t k = 0; k < 4; k++) {
      uint8_t bone = dense->bones[4 * (size_t)point + k];
      weights[4 * (size_t)v + k] = dense->weights[4 * (size_t)point + k];
      bones[4 * (size_t)v + k] = left ? dense->mirror[bone] : bone;
    }
  }
  part->vertex_count = count;
  part->triangle_count = (uint32_t)(sorter->corner_count / 3);
  part->positions = positions;
  part->normals = normals;
  part->triangles = sorter->triangles;
  part->influence_count = 4;
  part->bones = bones;
  part->weights = weights;
  return SUP_OK;
}

static SupResult sort_material(SupArena *arena, const Dense *dense, Sorter *sorter,
                               uint32_t material, SupRawPart *part) {
  const SupHalfEdgeMesh *mesh = dense->mesh;
  uint32_t faces = 0, sides = dense->body->symmetric ? 2 : 1;
  for (uint32_t f = 0; f < mesh->face_count; f++) faces += face_material(dense, f) == material;
  sorter->vertex_count = 0;
  sorter->corner_count = 0;
  sorter->triangles = SUP_ALLOC(arena, uint32_t, 3 * (size_t)faces * dense->n * dense->n * sides);
  if (!sorter->triangles) return SUP_ERROR_MEMORY;
  for (size_t key = 0; key < 2 * (size_t)dense->point_count; key++) sorter->local[key] = SUP_NONE;
  for (uint32_t side = 0; side < sides; side++) {
    for (uint32_t f = 0; f < mesh->face_count; f++) {
      if (face_material(dense, f) == material) sort_face(dense, sorter, f, side == 1);
    }
  }
  return fill_part(arena, dense, sorter, part);
}

SupResult sup_body_refine(SupArena *arena, const SupBody *body, const SupHalfEdgeMesh *mesh,
                          uint32_t divisions, const SupJobs *jobs, SupRawCharacter *out_raw) {
  Dense dense = {.body = body, .mesh = mesh, .n = divisions};
  for (uint32_t j = 0; j < body->joint_count; j++) {
    dense.mirror[j] = (uint8_t)sup_body_mirror_joint(body, j);
  }
  SupResult result = dense_fill(arena, &dense, jobs);
  if (result != SUP_OK) return result;
  Sorter sorter = {.local = SUP_ALLOC(arena, uint32_t, 2 * (size_t)dense.point_count),
                   .order = SUP_ALLOC(arena, uint32_t, 2 * (size_t)dense.point_count)};
  SupRawPart *parts = SUP_ALLOC(arena, SupRawPart, body->material_count);
  if (!sorter.local || !sorter.order || !parts) return SUP_ERROR_MEMORY;
  uint32_t part_count = 0;
  for (uint32_t m = 0; m < body->material_count; m++) {
    SupRawPart part = {.name = body->name, .primitive = part_count, .material = m};
    result = sort_material(arena, &dense, &sorter, m, &part);
    if (result != SUP_OK) return result;
    if (part.triangle_count > 0) parts[part_count++] = part;
  }
  out_raw->part_count = part_count;
  out_raw->parts = parts;
  return SUP_OK;
}
