/* SPDX-License-Identifier: MIT */
/*
 * The first polygonisation of a built-in body: marching tetrahedra on a grid.
 *
 * Every cube is cut into the six tetrahedra of Kuhn's division (one per order of the axes on the
 * way from its low to its high corner), which match between cubes, so the surface is a manifold
 * without case tables. Triangles turn their front outwards by the parity of the corner order, not
 * by their shape, so that slivers are oriented too.
 */
#include "author/builtin/builtin_body.h"

typedef struct Grid {
  const SupBody *body;
  SupVec3d low;
  double cell;
  uint32_t size[3];   /* nodes */
  uint32_t step[3];   /* node index step along each axis */
  float *values;      /* [nodes] */
  uint32_t *crossing; /* [7 * nodes] vertex on the edge to the node at offset 1 .. 7, + 1 */
} Grid;

static SupVec3d node_point(const Grid *grid, uint32_t node) {
  uint32_t x = node % grid->size[0], y = node / grid->size[0] % grid->size[1];
  uint32_t z = node / grid->size[0] / grid->size[1];
  return (SupVec3d){grid->low.x + grid->cell * x, grid->low.y + grid->cell * y,
                    grid->low.z + grid->cell * z};
}

static SupResult grid_fill(SupArena *arena, const SupBody *body, Grid *grid) {
  SupVec3d high;
  *grid = (Grid){.body = body, .cell = body->seed_cell};
  sup_body_box(body, &grid->low, &high);
  if (body->symmetric) grid->low.x = 0;
  double extent[3] = {high.x - grid->low.x, high.y - grid->low.y, high.z - grid->low.z};
  uint32_t nodes = 1;
  for (uint32_t axis = 0; axis < 3; axis++) {
    grid->size[axis] = (uint32_t)(extent[axis] / grid->cell) + 2;
    grid->step[axis] = nodes;
    nodes *= grid->size[axis];
  }
  grid->values = SUP_ALLOC(arena, float, nodes);
  grid->crossing = SUP_ALLOC(arena, uint32_t, 7 * (size_t)nodes);
  if (!grid->values || !grid->crossing) return SUP_ERROR_MEMORY;
  for (uint32_t n = 0; n < nodes; n++) {
    grid->values[n] = (float)sup_body_sample(body, node_point(grid, n)).d;
  }
  return SUP_OK;
}

/* The vertex between an inside and an outside node; made on first use. `kind` is the offset as
 * bits (1 x, 2 y, 4 z) from the lower node to the higher. */
static uint32_t crossing_vertex(Grid *grid, SupHalfEdgeMesh *mesh, uint32_t a, uint32_t b) {
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  uint32_t left = high - low, kind = 0;
  for (uint32_t axis = 3; axis-- > 0;) {
    if (left >= grid->step[axis]) {
      left -= grid->step[axis];
      kind |= 1u << axis;
    }
  }
  uint32_t *slot = &grid->crossing[7 * (size_t)low + kind - 1];
  if (!*slot) {
    uint32_t v = mesh->vertex_count++;
    *slot = v + 1;
    if (v < mesh->vertex_max) {
      double fl = (double)grid->values[low], fh = (double)grid->values[high];
      double t = fl / (fl - fh);
      t = t < 0.02 ? 0.02 : t > 0.98 ? 0.98 : t;
      SupVec3d p = node_point(grid, low), q = node_point(grid, high);
      mesh->points[v] = sup_vec3d_add_scaled(p, sup_vec3d_sub(q, p), t);
    }
  }
  return *slot - 1;
}

static void emit(SupHalfEdgeMesh *mesh, bool odd, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t f = mesh->face_count++;
  if (f >= mesh->face_max) return;
  mesh->from[3 * (size_t)f] = a;
  mesh->from[3 * (size_t)f + 1] = odd ? c : b;
  mesh->from[3 * (size_t)f + 2] = odd ? b : c;
}

static bool odd_order(const uint32_t order[4]) {
  uint32_t swaps = 0;
  for (uint32_t i = 0; i < 4; i++) {
    for (uint32_t k = i + 1; k < 4; k++) swaps += order[i] > order[k];
  }
  return swaps % 2 != 0;
}

/* A tetrahedron whose corners i, j, k, l in even order are positively oriented: alone inside, i
 * faces outwards through (ij, ik, il); i and j inside do through (ik, il, jl, jk). */
static void march_tetrahedron(Grid *grid, SupHalfEdgeMesh *mesh, const uint32_t corner[4],
                              bool odd) {
  uint32_t order[4], inside = 0, n = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < 4; i++) {
      bool in = grid->values[corner[i]] < 0;
      if (in == (pass == 0)) {
        order[n++] = i;
        inside += in;
      }
    }
  }
  if (inside == 0 || inside == 4) return;
  odd ^= odd_order(order);
  uint32_t a = corner[order[0]], b = corner[order[1]], c = corner[order[2]], d = corner[order[3]];
  /* One after the other into variables: C orders arguments as it likes, and vertices get their
   * numbers here. */
  if (inside == 2) {
    uint32_t ac = crossing_vertex(grid, mesh, a, c), ad = crossing_vertex(grid, mesh, a, d);
    uint32_t bd = crossing_vertex(grid, mesh, b, d), bc = crossing_vertex(grid, mesh, b, c);
    emit(mesh, odd, ac, ad, bd);
    emit(mesh, odd, ac, bd, bc);
    return;
  }
  /* d, a, b, c is an odd order, but d is outside then: even again */
  uint32_t one = inside == 1 ? a : d, next = inside == 1 ? b : a;
  uint32_t then = inside == 1 ? c : b, last = inside == 1 ? d : c;
  uint32_t p = crossing_vertex(grid, mesh, one, next);
  uint32_t q = crossing_vertex(grid, mesh, one, then);
  uint32_t r = crossing_vertex(grid, mesh, one, last);
  emit(mesh, odd, p, q, r);
}

static void march(Grid *grid, SupHalfEdgeMesh *mesh) {
  static const uint8_t axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  mesh->vertex_count = mesh->face_count = 0;
  for (uint32_t z = 0; z + 1 < grid->size[2]; z++) {
    for (uint32_t y = 0; y + 1 < grid->size[1]; y++) {
      for (uint32_t x = 0; x + 1 < grid->size[0]; x++) {
        uint32_t node = x + y * grid->step[1] + z * grid->step[2];
        for (uint32_t t = 0; t < 6; t++) {
          uint32_t corner[4] = {node};
          for (uint32_t i = 0; i < 3; i++) corner[i + 1] = corner[i] + grid->step[axes[t][i]];
          march_tetrahedron(grid, mesh, corner, t >= 3);
        }
      }
    }
  }
}

/* Finds twins by a list of the half-edges that start at each vertex. */
static SupResult connect(SupArena *arena, SupHalfEdgeMesh *mesh) {
  size_t half_edge_count = 3 * (size_t)mesh->face_count;
  uint32_t *chain = SUP_ALLOC(arena, uint32_t, half_edge_count);
  if (!chain) return SUP_ERROR_MEMORY;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) mesh->out[v] = SUP_NONE;
  for (uint32_t h = 0; h < half_edge_count; h++) {
    chain[h] = mesh->out[mesh->from[h]];
    mesh->out[mesh->from[h]] = h;
    mesh->twin[h] = SUP_NONE;
  }
  for (uint32_t h = 0; h < half_edge_count; h++) {
    uint32_t t = mesh->out[mesh->from[sup_half_edge_next(h)]];
    while (t != SUP_NONE && mesh->from[sup_half_edge_next(t)] != mesh->from[h]) t = chain[t];
    mesh->twin[h] = t;
  }
  return SUP_OK;
}

SupResult sup_body_seed(SupArena *arena, const SupBody *body, uint32_t vertex_room,
                        SupHalfEdgeMesh *out_mesh) {
  Grid grid;
  SupResult result = grid_fill(arena, body, &grid);
  if (result != SUP_OK) return result;
  SupHalfEdgeMesh mesh = {0};
  march(&grid, &mesh); /* counts */
  mesh.vertex_max = mesh.vertex_count > vertex_room ? mesh.vertex_count : vertex_room;
  mesh.vertex_max += mesh.vertex_max / 2;
  mesh.face_max = 2 * mesh.vertex_max + mesh.vertex_max / 4;
  mesh.points = SUP_ALLOC(arena, SupVec3d, mesh.vertex_max);
  mesh.normals = SUP_ALLOC(arena, SupVec3d, mesh.vertex_max);
  mesh.out = SUP_ALLOC(arena, uint32_t, mesh.vertex_max);
  mesh.from = SUP_ALLOC(arena, uint32_t, 3 * (size_t)mesh.face_max);
  mesh.twin = SUP_ALLOC(arena, uint32_t, 3 * (size_t)mesh.face_max);
  mesh.labels = SUP_ALLOC(arena, uint32_t, mesh.face_max);
  if (!mesh.points || !mesh.normals || !mesh.out || !mesh.from || !mesh.twin || !mesh.labels) {
    return SUP_ERROR_MEMORY;
  }
  sup_zero(grid.crossing,
           7 * sizeof(uint32_t) * grid.size[0] * (size_t)grid.size[1] * grid.size[2]);
  march(&grid, &mesh);
  result = connect(arena, &mesh);
  if (result == SUP_OK) *out_mesh = mesh;
  return result;
}
