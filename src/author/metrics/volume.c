/* SPDX-License-Identifier: MIT */
/*
 * How much the volume that a skin encloses deviates from its volume at rest.
 *
 * A closed piece encloses V = 1/6 sum over its triangles of p . (q x r), measured from one of its
 * own vertices: where in the scene it is does not matter then, and floats keep their digits. Flesh
 * hardly changes its volume, plain skinning and springs do. What one piece gains another does not
 * make up for: deviations of pieces are added by their absolute values.
 */
#include "base/scratch.h"
#include "base/union_find.h"
#include "supple/author/metrics.h"

#define OPEN (UINT32_MAX - 1) /* no piece's number */

typedef struct Job {
  const SupVolumeDef *def;
  uint32_t piece_count;    /* closed ones */
  const uint32_t *pieces;  /* [triangle_count] piece of each triangle, or OPEN */
  const uint32_t *origins; /* [piece_count] a vertex of each */
  double *volumes;         /* [(frame_count + 1) * piece_count] of the frames, then at rest */
} Job;

static void measure(const Job *job, const SupVec3 *positions, double *out_volumes) {
  const SupMesh *body = job->def->body;
  for (uint32_t k = 0; k < job->piece_count; k++) out_volumes[k] = 0;
  for (uint32_t f = 0; f < body->triangle_count; f++) {
    const uint32_t piece = job->pieces[f], *corner = body->triangles + 3 * (size_t)f;
    if (piece == OPEN) continue;
    const SupVec3d origin = sup_vec3_to_double(positions[job->origins[piece]]);
    SupVec3d p[3];
    for (int k = 0; k < 3; k++) {
      p[k] = sup_vec3d_sub(sup_vec3_to_double(positions[corner[k]]), origin);
    }
    out_volumes[piece] += sup_vec3d_dot(p[0], sup_vec3d_cross(p[1], p[2])) / 6;
  }
}

static void measure_range(void *context, SupRange range) {
  const Job *job = (const Job *)context;
  const size_t vertices = job->def->body->vertex_count;
  for (uint32_t i = range.first; i < range.first + range.count; i++) {
    measure(job, job->def->positions + i * vertices, job->volumes + (size_t)i * job->piece_count);
  }
}

/* What the edges of a triangle add to its piece: an edge that is run through both ways cancels. */
static uint64_t boundary(const uint32_t *corner) {
  uint64_t sum = 0;
  for (int k = 0; k < 3; k++) {
    const uint32_t from = corner[k], to = corner[(k + 1) % 3];
    const uint32_t edge[2] = {from < to ? from : to, from < to ? to : from};
    const uint64_t hash = sup_hash(edge, sizeof edge, 0);
    sum += from < to ? hash : ~hash + 1;
  }
  return sum;
}

/* Numbers the closed pieces. A piece encloses a volume exactly if it has no boundary, every edge
 * counted with its direction: the hashes of its edges then add up to nothing. */
static SupResult find_pieces(SupArena *arena, Job *job, uint32_t *out_all, SupError *error) {
  const SupMesh *body = job->def->body;
  uint32_t *sets = SUP_ALLOC(arena, uint32_t, body->vertex_count);
  uint32_t *numbers = SUP_ALLOC(arena, uint32_t, body->vertex_count);
  uint64_t *sums = SUP_ALLOC(arena, uint64_t, body->vertex_count);
  uint32_t *origins = SUP_ALLOC(arena, uint32_t, body->vertex_count);
  uint32_t *pieces = SUP_ALLOC(arena, uint32_t, body->triangle_count);
  if (!sets || !numbers || !sums || !origins || !pieces) return sup_fail_memory(error, "volumes");
  sup_union_find_init(sets, body->vertex_count);
  for (uint32_t f = 0; f < body->triangle_count; f++) {
    const uint32_t *corner = body->triangles + 3 * (size_t)f;
    sup_union_find_join(sets, corner[0], corner[1]);
    sup_union_find_join(sets, corner[0], corner[2]);
  }
  for (uint32_t f = 0; f < body->triangle_count; f++) {
    const uint32_t *corner = body->triangles + 3 * (size_t)f;
    sums[sup_union_find_root(sets, corner[0])] += boundary(corner);
  }
  for (uint32_t v = 0; v < body->vertex_count; v++) numbers[v] = SUP_NONE;
  for (uint32_t f = 0; f < body->triangle_count; f++) {
    const uint32_t root = sup_union_find_root(sets, body->triangles[3 * (size_t)f]);
    if (numbers[root] == SUP_NONE) {
      numbers[root] = sums[root] ? OPEN : job->piece_count;
      if (!sums[root]) origins[job->piece_count++] = root;
      (*out_all)++;
    }
    pieces[f] = numbers[root];
  }
  job->pieces = pieces;
  job->origins = origins;
  return SUP_OK;
}

static double magnitude(double x) { return x < 0 ? -x : x; }

static void summarise(const Job *job, SupVolumeReport *report, float *out_frames) {
  const uint32_t frames = job->def->frame_count;
  const double *rest = job->volumes + (size_t)frames * job->piece_count;
  double whole = 0, squares = 0, peak = 0;
  uint32_t known = 0; /* frames without positions that nobody knows */
  for (uint32_t k = 0; k < job->piece_count; k++) whole += magnitude(rest[k]);
  for (uint32_t i = 0; i < frames; i++) {
    double sum = 0;
    for (uint32_t k = 0; k < job->piece_count; k++) {
      sum += magnitude(job->volumes[(size_t)i * job->piece_count + k] - rest[k]);
    }
    const double deviation = whole > 0 ? sum / whole : 0;
    if (out_frames) out_frames[i] = (float)deviation;
    if (!(deviation <= 1e30)) continue;
    known++;
    squares += deviation * deviation;
    if (deviation <= peak) continue;
    peak = deviation;
    report->peak_frame = i;
  }
  report->rest = (float)whole;
  report->peak = (float)peak;
  report->rms = known ? (float)sup_sqrt(squares / known) : 0;
}

SupResult sup_volume_deviation(SupArena *arena, const SupVolumeDef *def,
                               SupVolumeReport *out_report, float *out_frames, SupError *error) {
  if (def->frame_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "there is no volume to measure: no frames");
  }
  SupArena scratch = sup_scratch(arena);
  SupVolumeReport report = {0};
  Job job = {.def = def};
  SupResult result = find_pieces(&scratch, &job, &report.piece_count, error);
  if (result == SUP_OK) {
    const size_t rows = (size_t)def->frame_count + 1;
    job.volumes = SUP_ALLOC(&scratch, double, rows *job.piece_count);
    if (!job.volumes && job.piece_count) result = sup_fail_memory(error, "volumes");
  }
  if (result == SUP_OK) {
    report.closed_count = job.piece_count;
    measure(&job, def->body->positions, job.volumes + (size_t)def->frame_count * job.piece_count);
    sup_parallel_for(def->jobs, def->frame_count, 1, measure_range, &job);
    summarise(&job, &report, out_frames);
    *out_report = report;
  }
  sup_arena_free(&scratch);
  return result;
}
