/* SPDX-License-Identifier: MIT */
/* The rows of src/geom: a torus with bumps and a hole, in corners of its own, jittered, then
 * welded. */
#include "hash_rows.h"
#include "supple/geom/geodesic.h"
#include "supple/geom/laplacian.h"
#include "supple/geom/order.h"
#include "supple/geom/weld.h"
#include "supple/geom/winding.h"

enum { AROUND = 48, ALONG = 30, TRIANGLES = 2 * AROUND * ALONG, QUERIES = 500 };

/* A row that could not be computed: no hash of a result is likely to be this. */
#define FAILED 0

static SupVec3 corner_at(uint32_t u, uint32_t v) {
  double a = 6.283185307179586 * (u % AROUND) / AROUND, b = 6.283185307179586 * (v % ALONG) / ALONG;
  double r = 0.4 + 0.05 * sup_sin(3 * a) * sup_cos(2 * b);
  double ring = 1 + r * sup_cos(b);
  return (SupVec3){(float)(ring * sup_cos(a)), (float)(ring * sup_sin(a)), (float)(r * sup_sin(b))};
}

/* The torn surface: every triangle has three vertices of its own. */
static SupMesh make_corners(SupArena *arena) {
  static const uint8_t du[6] = {0, 1, 1, 0, 1, 0}, dv[6] = {0, 0, 1, 0, 1, 1};
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, 3 * TRIANGLES);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 3 * TRIANGLES);
  SupRng rng = sup_rng(11, 1);
  for (uint32_t k = 0; k < 3 * TRIANGLES; k++) {
    uint32_t square = k / 6;
    SupVec3 p = corner_at(square % AROUND + du[k % 6], square / AROUND + dv[k % 6]);
    p.x += 1e-5f * sup_rng_float(&rng);
    p.y += 1e-5f * sup_rng_float(&rng);
    p.z += 1e-5f * sup_rng_float(&rng);
    positions[k] = p;
    triangles[k] = k;
  }
  return (SupMesh){3 * TRIANGLES, TRIANGLES - 100, positions, triangles};
}

/* The welded surface; an empty one if something failed. */
static SupMesh make_mesh(SupArena *arena) {
  SupMesh torn = make_corners(arena);
  SupWeldDef def = {
      .vertex_count = torn.vertex_count, .positions = torn.positions, .tolerance = 1e-4f};
  SupWeld weld;
  SupCleanTriangles clean;
  if (sup_weld(arena, &def, &weld, NULL) ||
      sup_triangles_clean(arena, torn.triangles, torn.triangle_count, weld.map, &clean, NULL)) {
    return (SupMesh){0};
  }
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, weld.welded_count);
  for (uint32_t v = 0; v < weld.welded_count; v++) {
    positions[v] = torn.positions[weld.representatives[v]];
  }
  return (SupMesh){weld.welded_count, clean.triangle_count, positions, clean.triangles};
}

uint64_t hash_weld(const SupBackend *backend) {
  (void)backend;
  SupArena arena = hash_arena();
  SupMesh mesh = make_mesh(&arena);
  uint64_t hash = sup_hash(mesh.positions, mesh.vertex_count * sizeof(SupVec3), mesh.vertex_count);
  return sup_hash(mesh.triangles, 12 * (size_t)mesh.triangle_count, hash);
}

uint64_t hash_topology(const SupBackend *backend) {
  (void)backend;
  SupArena arena = hash_arena();
  SupMesh mesh = make_mesh(&arena);
  SupTopology t;
  SupOrientation o;
  if (sup_topology(&arena, &mesh, &t, NULL) || sup_orient(&arena, &mesh, &t, &o, NULL))
    return FAILED;
  uint64_t hash = sup_hash(t.rings.neighbours, 4 * (size_t)t.rings.offsets[mesh.vertex_count], 0);
  hash = sup_hash(t.twins, 12 * (size_t)mesh.triangle_count, hash);
  hash = sup_hash(t.loop_vertices, 4 * (size_t)t.loop_offsets[t.loop_count], hash);
  hash = sup_hash(o.triangles, 12 * (size_t)mesh.triangle_count, hash);
  SupVec3 *normals = SUP_ALLOC(&arena, SupVec3, mesh.vertex_count);
  sup_vertex_normals(&mesh, normals);
  return sup_hash(normals, mesh.vertex_count * sizeof *normals, hash);
}

uint64_t hash_order(const SupBackend *backend) {
  (void)backend;
  SupArena arena = hash_arena();
  SupMesh mesh = make_mesh(&arena);
  uint32_t *offsets = SUP_ALLOC(&arena, uint32_t, mesh.vertex_count + 1);
  uint32_t *bones = SUP_ALLOC(&arena, uint32_t, mesh.vertex_count);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    offsets[v + 1] = v + 1;
    bones[v] = mesh.positions[v].x > 0 ? 1 : 0;
  }
  SupOrderDef def = {.bone_offsets = offsets, .bones = bones, .bone_count = 2};
  SupOrder order;
  if (sup_rings(&arena, &mesh, &def.rings, NULL) || sup_order(&arena, &def, &order, NULL)) {
    return FAILED;
  }
  return sup_hash(order.old_of_new, 4 * (size_t)mesh.vertex_count, 0);
}

uint64_t hash_laplacian(const SupBackend *backend) {
  (void)backend;
  SupArena arena = hash_arena();
  SupMesh mesh = make_mesh(&arena);
  SupLaplacianDef def = {.kind = SUP_LAPLACIAN_COTANGENT, .mass = SUP_AREA_MIXED};
  SupRings rings;
  SupLaplacian l;
  if (sup_rings(&arena, &mesh, &rings, NULL) ||
      sup_laplacian(&arena, &mesh, &rings, &def, &l, NULL)) {
    return FAILED;
  }
  uint64_t hash = sup_hash(l.values, l.offsets[mesh.vertex_count] * sizeof(double), 0);
  return sup_hash(l.mass, mesh.vertex_count * sizeof(double), hash);
}

uint64_t hash_geodesic(const SupBackend *backend) {
  (void)backend;
  SupArena arena = hash_arena();
  SupMesh mesh = make_mesh(&arena);
  static const uint32_t sources[2] = {5, 700};
  SupTopology t;
  SupGeodesicDef def = {mesh, &t, 2, sources, 0};
  SupGeodesic g;
  if (sup_topology(&arena, &mesh, &t, NULL) || sup_geodesic(&arena, &def, &g, NULL)) return FAILED;
  return sup_hash(g.distances, mesh.vertex_count * sizeof(double), 0);
}

static SupVec3 query(SupRng *rng) {
  SupVec3 p;
  p.x = 3 * sup_rng_float(rng) - 1.5f;
  p.y = 3 * sup_rng_float(rng) - 1.5f;
  p.z = 2 * sup_rng_float(rng) - 1;
  return p;
}

uint64_t hash_bvh(const SupBackend *backend) {
  (void)backend;
  SupArena arena = hash_arena();
  SupMesh mesh = make_mesh(&arena);
  SupBvh bvh;
  if (sup_bvh_build(&arena, &mesh, &bvh, NULL)) return FAILED;
  uint64_t hash = sup_hash(bvh.nodes, bvh.node_count * sizeof *bvh.nodes, 0);
  SupRng rng = sup_rng(12, 1);
  for (int k = 0; k < QUERIES; k++) {
    SupVec3 p = query(&rng), d = query(&rng);
    SupNearest nearest = sup_bvh_nearest(&bvh, p, 3.4e38f);
    SupRayHit hit = sup_bvh_ray(&bvh, p, d, 3.4e38f);
    hash = sup_hash(&nearest, sizeof nearest, hash + hit.triangle + hit.front);
    hash = sup_hash(hit.barycentric, sizeof hit.barycentric, sup_hash(&hit.t, sizeof hit.t, hash));
  }
  return hash;
}

uint64_t hash_winding(const SupBackend *backend) {
  (void)backend;
  SupArena arena = hash_arena();
  SupMesh mesh = make_mesh(&arena);
  SupBvh bvh;
  SupWinding winding;
  if (sup_bvh_build(&arena, &mesh, &bvh, NULL) || sup_winding_build(&arena, &bvh, &winding, NULL)) {
    return FAILED;
  }
  SupRng rng = sup_rng(13, 1);
  uint64_t hash = 0;
  for (int k = 0; k < QUERIES; k++) {
    double number = sup_winding_at(&winding, query(&rng), 2);
    hash = sup_hash(&number, sizeof number, hash);
  }
  return hash;
}
