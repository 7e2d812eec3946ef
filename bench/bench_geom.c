/* SPDX-License-Identifier: MIT */
/*
 * Geometry on a body with six limbs: what preparing a character costs, and the queries. Its
 * vertices are in random order, the worst that a file can have.
 */
#include "bench.h"
#include "limbed.h"
#include "supple/geom/bounds.h"
#include "supple/geom/geodesic.h"
#include "supple/geom/laplacian.h"
#include "supple/geom/order.h"
#include "supple/geom/weld.h"
#include "supple/geom/winding.h"

enum { QUERIES = 4096 };

typedef struct GeomJob {
  SupMesh mesh;
  SupSkin skin;
  float size; /* diagonal of its box */
  const SupJobs *jobs;
  SupTopology topology;
  SupBvh bvh;
  SupWinding winding;
  SupVec3 points[QUERIES]; /* near the surface, or anywhere in the box */
  SupNearest nearest[QUERIES];
  double numbers[QUERIES];
  SupArena arena; /* emptied before each run; its allocator is the bench's */
  uint64_t result;
  SupResult failure;
} GeomJob;

static void empty(void *context) { sup_arena_free(&((GeomJob *)context)->arena); }

static uint64_t result_of(const void *context) { return ((const GeomJob *)context)->result; }

/* Every run starts with an empty arena: the time includes asking for the memory. */
static void run_weld(void *context) {
  GeomJob *job = context;
  SupWeldDef def = {.vertex_count = job->mesh.vertex_count,
                    .positions = job->mesh.positions,
                    .tolerance = 1e-6f * job->size};
  SupWeld weld = {0};
  empty(job);
  job->failure |= sup_weld(&job->arena, &def, &weld, NULL);
  job->result = weld.welded_count;
}

static void run_topology(void *context) {
  GeomJob *job = context;
  SupTopology t = {0};
  empty(job);
  job->failure |= sup_topology(&job->arena, &job->mesh, &t, NULL);
  job->result = t.edge_count;
}

static void run_order(void *context) {
  GeomJob *job = context;
  SupOrderDef def = {.rings = job->topology.rings,
                     .bone_offsets = job->skin.offsets,
                     .bones = job->skin.bones,
                     .bone_count = LIMBED_BONES};
  SupOrder order = {0};
  empty(job);
  job->failure |= sup_order(&job->arena, &def, &order, NULL);
  job->result = sup_hash(order.old_of_new, 4 * (size_t)order.vertex_count, 0);
}

static void run_laplacian(void *context) {
  GeomJob *job = context;
  SupLaplacianDef def = {.kind = SUP_LAPLACIAN_COTANGENT};
  SupLaplacian l = {0};
  empty(job);
  job->failure |= sup_laplacian(&job->arena, &job->mesh, &job->topology.rings, &def, &l, NULL);
  job->result = l.values ? sup_hash(l.values, 8, 0) : 0;
}

static void run_distance(GeomJob *job, bool edges_only) {
  uint32_t source = 0;
  SupGeodesicDef def = {job->mesh, &job->topology, 1, &source, 0};
  SupGeodesic g = {0};
  empty(job);
  job->failure |= edges_only ? sup_edge_distance(&job->arena, &def, &g, NULL)
                             : sup_geodesic(&job->arena, &def, &g, NULL);
  job->result = g.distances ? sup_hash(g.distances, 8 * (size_t)job->mesh.vertex_count, 0) : 0;
}

static void run_edge_distance(void *context) { run_distance(context, true); }
static void run_geodesic(void *context) { run_distance(context, false); }

static void run_bvh(void *context) {
  GeomJob *job = context;
  SupBvh bvh = {0};
  empty(job);
  job->failure |= sup_bvh_build(&job->arena, &job->mesh, &bvh, NULL);
  job->result = bvh.node_count;
}

static void run_dipoles(void *context) {
  GeomJob *job = context;
  SupWinding winding = {0};
  empty(job);
  job->failure |= sup_winding_build(&job->arena, &job->bvh, &winding, NULL);
  job->result = winding.dipoles ? sup_hash(winding.dipoles, sizeof(SupDipole), 0) : 0;
}

static void run_nearest(void *context) {
  GeomJob *job = context;
  sup_bvh_nearest_all(&job->bvh, job->points, QUERIES, job->jobs, job->nearest);
  job->result = sup_hash(job->nearest, sizeof job->nearest, 0);
}

static void run_winding(void *context) {
  GeomJob *job = context;
  sup_winding_all(&job->winding, job->points, QUERIES, 2, job->jobs, job->numbers);
  job->result = sup_hash(job->numbers, sizeof job->numbers, 0);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

/* One way alone. */
static SupResult measure_one(Bench *bench, const char *name, void (*run)(void *), GeomJob *job,
                             SupError *error) {
  BenchVariant variant = {.name = "", .run = run, .hash = result_of, .context = job};
  BenchCase one = {name, "vertex", job->mesh.vertex_count, 1, &variant};
  SupResult result = bench_measure(bench, &one, error);
  if (result == SUP_OK && job->failure) {
    result = sup_fail(error, job->failure, "bench geom: %s failed; is memory short?", name);
  }
  return result;
}

static SupResult measure_queries(Bench *bench, const char *name, void (*run)(void *), GeomJob *job,
                                 SupError *error) {
  GeomJob *parallel = SUP_COPY(bench->arena, GeomJob, job, 1);
  if (!parallel) return sup_fail_memory(error, "bench geom");
  parallel->jobs = bench->jobs;
  BenchVariant variants[] = {
      {.name = "one thread", .run = run, .hash = result_of, .context = job, .exact = true},
      {.name = "all threads",
       .run = run,
       .hash = result_of,
       .context = parallel,
       .threaded = true,
       .exact = true},
  };
  BenchCase queries = {name, "query", QUERIES, bench->thread_count > 1 ? 2 : 1, variants};
  return bench_measure(bench, &queries, error);
}

/* Points beside random vertices (near > 0: at most that far), or in the mesh's box. */
static void place_points(const SupMesh *mesh, float near, uint64_t seed, SupVec3 *points) {
  SupRng rng = sup_rng(seed, 21);
  SupBounds box = sup_bounds(mesh->positions, mesh->vertex_count);
  for (uint32_t k = 0; k < QUERIES; k++) {
    SupVec3 u;
    u.x = sup_rng_float(&rng);
    u.y = sup_rng_float(&rng);
    u.z = sup_rng_float(&rng);
    SupVec3 at = mesh->positions[sup_rng_below(&rng, mesh->vertex_count)];
    SupVec3 aside = {2 * u.x - 1, 2 * u.y - 1, 2 * u.z - 1};
    SupVec3 inside = sup_vec3_add(box.low, sup_vec3_mul(sup_vec3_sub(box.high, box.low), u));
    points[k] = near > 0 ? sup_vec3_add_scaled(at, aside, near) : inside;
  }
}

static SupResult prepare(Bench *bench, uint32_t vertex_count, GeomJob *job, SupError *error) {
  Limbed body;
  SupResult result = limbed_make(bench->arena, vertex_count, true, bench->seed, &body, error);
  if (result) return result;
  *job = (GeomJob){.mesh = body.mesh, .skin = body.skin};
  job->size = sup_bounds_diagonal(sup_bounds(body.mesh.positions, vertex_count));
  sup_arena_init(&job->arena, bench->arena->allocator, 0);
  result = sup_topology(bench->arena, &job->mesh, &job->topology, error);
  if (result) return result;
  result = sup_bvh_build(bench->arena, &job->mesh, &job->bvh, error);
  if (result) return result;
  return sup_winding_build(bench->arena, &job->bvh, &job->winding, error);
}

/* "weld, 25001": the work and the number of vertices. NULL if memory is short. */
static const char *name_case(Bench *bench, const char *work, uint32_t vertex_count) {
  enum { ROOM = 32 };
  char *name = SUP_ALLOC(bench->arena, char, ROOM);
  if (name) sup_format(name, ROOM, "%s, %u", work, vertex_count);
  return name;
}

static SupResult measure_builds(Bench *bench, GeomJob *job, SupError *error) {
  static const struct {
    const char *work;
    void (*run)(void *);
  } builds[] = {
      {"weld", run_weld},
      {"topology", run_topology},
      {"order", run_order},
      {"Laplacian", run_laplacian},
      {"edge paths", run_edge_distance},
      {"geodesics", run_geodesic},
      {"bvh", run_bvh},
      {"clusters", run_dipoles},
  };
  SupResult result = SUP_OK;
  for (unsigned k = 0; k < sizeof builds / sizeof *builds && result == SUP_OK; k++) {
    const char *name = name_case(bench, builds[k].work, job->mesh.vertex_count);
    if (!name) return sup_fail_memory(error, "bench geom");
    result = measure_one(bench, name, builds[k].run, job, error);
  }
  return result;
}

static SupResult measure_all_queries(Bench *bench, GeomJob *job, SupError *error) {
  static const struct {
    const char *work;
    float near; /* fraction of the diagonal; 0: anywhere */
    void (*run)(void *);
  } queries[] = {
      {"nearest, close", 0.01f, run_nearest},
      {"nearest, any", 0, run_nearest},
      {"winding", 0, run_winding},
  };
  SupResult result = SUP_OK;
  for (unsigned k = 0; k < sizeof queries / sizeof *queries && result == SUP_OK; k++) {
    const char *name = name_case(bench, queries[k].work, job->mesh.vertex_count);
    if (!name) return sup_fail_memory(error, "bench geom");
    place_points(&job->mesh, queries[k].near * job->size, bench->seed, job->points);
    result = measure_queries(bench, name, queries[k].run, job, error);
  }
  return result;
}

static SupResult measure_size(Bench *bench, uint32_t vertex_count, SupError *error) {
  GeomJob *job = SUP_ALLOC(bench->arena, GeomJob, 1);
  if (!job) return sup_fail_memory(error, "bench geom");
  SupResult result = prepare(bench, vertex_count, job, error);
  if (result == SUP_OK) result = measure_builds(bench, job, error);
  if (result == SUP_OK) result = measure_all_queries(bench, job, error);
  sup_arena_free(&job->arena);
  return result;
}

static SupResult run(Bench *bench, SupError *error) {
  if (bench->brief) return measure_size(bench, 2000, error);
  SupResult result = measure_size(bench, 25001, error);
  return result == SUP_OK ? measure_size(bench, 1000000, error) : result;
}

const BenchSuite bench_geom = {"geom", "preparing a mesh in random order; queries", run};
