/* SPDX-License-Identifier: MIT */
/*
 * How much of the skin is folded: edges that one motion folds more than another.
 *
 * The fold of an edge is the angle between its two triangles with a sign, kept as an unnormalised
 * point on a circle (cosine, sine): no angle is ever taken, so nothing jumps at half a turn. A
 * triangle that is hardly one lies where rounding puts it: where B has such a sliver nothing is
 * looked at, and what only A has flattened counts as folded.
 */
#include "base/scratch.h"
#include "geom/corner.h"
#include "supple/author/metrics.h"
#include "supple/geom/topology.h"

#define GRAIN 2048
#define COS_LIMIT 0.86602540378443865 /* of 30 degrees */
/* Height over longest side. Far apart, so that rounding makes no sliver of B one that A flattened.
 */
#define SLIVER 1e-4
#define FLAT 1e-5

typedef struct Edge {
  uint32_t from, to, left, right; /* the ends, and the corners across */
  double area;
} Edge;

typedef struct Fold {
  double cosine, sine, size;
  double height; /* of the thinner triangle, in longest sides of it */
} Fold;

typedef struct Job {
  const SupFoldedAreaDef *def;
  uint32_t edge_count;
  Edge *edges;
  double *sums;   /* [chunks * frame_count] */
  double *places; /* NULL, or [vertex_count]: what is folded around each vertex */
} Job;

static double larger(double a, double b) { return a > b ? a : b; }

static SupVec3d between(const SupVec3 *positions, uint32_t from, uint32_t to) {
  return sup_vec3d_sub(sup_vec3_to_double(positions[to]), sup_vec3_to_double(positions[from]));
}

/* The height of a triangle over its longest side, as a fraction of that. */
static double height_of(SupVec3d along, SupVec3d side, SupVec3d normal) {
  const SupVec3d third = sup_vec3d_sub(side, along);
  double most = sup_vec3d_dot(along, along);
  most = larger(most, larger(sup_vec3d_dot(side, side), sup_vec3d_dot(third, third)));
  return most > 0 ? sup_vec3d_length(normal) / most : 0;
}

static Fold fold_of(const SupVec3 *positions, const Edge *edge) {
  const SupVec3d along = between(positions, edge->from, edge->to);
  const SupVec3d to_left = between(positions, edge->from, edge->left);
  const SupVec3d to_right = between(positions, edge->from, edge->right);
  const SupVec3d left = sup_vec3d_cross(along, to_left);
  const SupVec3d right = sup_vec3d_cross(to_right, along);
  const double length = sup_vec3d_length(along);
  Fold fold = {.cosine = sup_vec3d_dot(left, right)};
  fold.height = -larger(-height_of(along, to_left, left), -height_of(along, to_right, right));
  if (length > 0) fold.sine = sup_vec3d_dot(sup_vec3d_cross(left, right), along) / length;
  fold.size = sup_sqrt(fold.cosine * fold.cosine + fold.sine * fold.sine);
  return fold;
}

static bool is_folded(const SupVec3 *a, const SupVec3 *b, const Edge *edge) {
  const Fold shown = fold_of(a, edge), wanted = fold_of(b, edge);
  if (!(wanted.height > SLIVER)) return false;
  if (!(shown.height > FLAT)) return true;
  const double both = shown.size * wanted.size;
  const double cosine = shown.cosine * wanted.cosine + shown.sine * wanted.sine;
  return cosine < COS_LIMIT * both && shown.cosine * wanted.size < wanted.cosine * shown.size;
}

static void add_frame(const Job *job, uint32_t frame, SupRange range, double *io_sum) {
  const uint32_t count = job->def->body->vertex_count;
  const SupVec3 *a = job->def->a + (size_t)frame * count;
  const SupVec3 *b = job->def->b + (size_t)frame * count;
  for (uint32_t e = range.first; e < range.first + range.count; e++) {
    const Edge *edge = &job->edges[e];
    if (!is_folded(a, b, edge)) continue;
    *io_sum += edge->area;
    if (!job->places) continue;
    job->places[edge->from] += edge->area;
    job->places[edge->to] += edge->area;
  }
}

static void add_range(void *context, SupRange range) {
  const Job *job = (const Job *)context;
  double *sums = job->sums + (size_t)range.chunk * job->def->frame_count;
  for (uint32_t i = 0; i < job->def->frame_count; i++) add_frame(job, i, range, &sums[i]);
}

static double triangle_area(const SupMesh *body, uint32_t triangle) {
  return 0.5 * sup_vec3d_length(sup_mesh_normal(body, triangle));
}

/* The corner that comes `steps` after this one in its triangle. */
static uint32_t turned(uint32_t corner, uint32_t steps) {
  return corner - corner % 3 + (corner % 3 + steps) % 3;
}

/* The edges of two triangles that agree about inside and outside; gives the area of the skin. */
static double list_edges(const SupMesh *body, const SupTopology *topology, Job *out_job) {
  double all = 0;
  for (uint32_t h = 0; h < 3 * body->triangle_count; h++) {
    const uint32_t twin = topology->twins[h];
    if (h % 3 == 0) all += triangle_area(body, h / 3);
    if (twin == SUP_NONE || twin < h) continue;
    const Edge edge = {body->triangles[h], body->triangles[turned(h, 1)],
                       body->triangles[turned(h, 2)], body->triangles[turned(twin, 2)],
                       (triangle_area(body, h / 3) + triangle_area(body, twin / 3)) / 3};
    if (body->triangles[twin] != edge.to) continue;
    out_job->edges[out_job->edge_count++] = edge;
  }
  return all;
}

static void summarise(Job *job, double area, SupFoldedAreaReport *report, float *out_frames) {
  const uint32_t frames = job->def->frame_count, chunks = sup_range_count(job->edge_count, GRAIN);
  double worst = -1, mean = 0;
  for (uint32_t i = 0; i < frames; i++) {
    double sum = 0;
    for (uint32_t chunk = 0; chunk < chunks; chunk++) sum += job->sums[(size_t)chunk * frames + i];
    const double fraction = area > 0 ? sum / area : 0;
    if (out_frames) out_frames[i] = (float)fraction;
    mean += fraction / frames;
    if (fraction <= worst) continue;
    worst = fraction;
    report->worst_frame = i;
  }
  report->worst = (float)worst;
  report->mean = (float)mean;
}

static uint32_t worst_place(Job *job, double *places, uint32_t frame) {
  uint32_t worst = SUP_NONE;
  double sum = 0, most = 0;
  job->places = places;
  add_frame(job, frame, (SupRange){.count = job->edge_count}, &sum);
  for (uint32_t v = 0; v < job->def->body->vertex_count; v++) {
    if (places[v] > most) most = places[v], worst = v;
  }
  return worst;
}

static SupResult folded_area(SupArena *scratch, const SupFoldedAreaDef *def,
                             SupFoldedAreaReport *report, float *out_frames, SupError *error) {
  SupTopology topology;
  SupResult result = sup_topology(scratch, def->body, &topology, error);
  if (result != SUP_OK) return result;
  Job job = {.def = def, .edges = SUP_ALLOC(scratch, Edge, topology.edge_count)};
  double *places = SUP_ALLOC(scratch, double, def->body->vertex_count);
  if (!job.edges || !places) return sup_fail_memory(error, "comparing");
  const double area = list_edges(def->body, &topology, &job);
  const uint32_t chunks = sup_range_count(job.edge_count, GRAIN);
  job.sums = SUP_ALLOC(scratch, double, (size_t)chunks * def->frame_count);
  if (!job.sums) return sup_fail_memory(error, "comparing");
  sup_parallel_for(def->jobs, job.edge_count, GRAIN, add_range, &job);
  summarise(&job, area, report, out_frames);
  report->worst_vertex = worst_place(&job, places, report->worst_frame);
  return SUP_OK;
}

SupResult sup_folded_area(SupArena *arena, const SupFoldedAreaDef *def,
                          SupFoldedAreaReport *out_report, float *out_frames, SupError *error) {
  if (def->frame_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "there is nothing to compare: no frames");
  }
  SupArena scratch = sup_scratch(arena);
  SupFoldedAreaReport report = {0};
  SupResult result = folded_area(&scratch, def, &report, out_frames, error);
  if (result == SUP_OK) *out_report = report;
  sup_arena_free(&scratch);
  return result;
}
