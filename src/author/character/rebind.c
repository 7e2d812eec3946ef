/* SPDX-License-Identifier: MIT */
/*
 * Partners by rest position.
 *
 * Most vertices have one possible partner. Where several lie at the same place (a shirt on the
 * skin, two sheets that touch), a vertex takes the candidate that is joined to the partners of its
 * own neighbours; what that decides spreads from neighbour to neighbour. What is still alike is
 * taken in order, one vertex at a time, and spreads again.
 */
#include "author/character/point_grid.h"
#include "supple/author/fingerprint.h"
#include "supple/geom/bounds.h"
#include "supple/geom/topology.h"

/* More coincident vertices than this are not told apart by their neighbours. */
#define CANDIDATES_MAX 32

typedef struct RebindJob {
  const SupMesh *then, *now;
  SupRings then_rings, now_rings;
  SupPointGrid then_grid;   /* of vertices without a partner */
  uint32_t *partner_of_now; /* the output */
  uint32_t *queue;          /* [vertex_count] vertices of `now` to look at again */
  uint32_t queue_first, queue_count;
  bool *queued;
  SupRebindReport report;
} RebindJob;

/* How many partners of the neighbours of `now_vertex` are neighbours of `then_vertex`. */
static uint32_t agreement(const RebindJob *job, uint32_t now_vertex, uint32_t then_vertex) {
  uint32_t count = 0;
  const SupRings *now = &job->now_rings, *then = &job->then_rings;
  for (uint32_t n = now->offsets[now_vertex]; n < now->offsets[now_vertex + 1]; n++) {
    uint32_t partner = job->partner_of_now[now->neighbours[n]];
    if (partner == SUP_NONE) continue;
    for (uint32_t t = then->offsets[then_vertex]; t < then->offsets[then_vertex + 1]; t++) {
      if (then->neighbours[t] == partner) count++;
    }
  }
  return count;
}

static void bind(RebindJob *job, uint32_t now_vertex, uint32_t then_vertex, double distance) {
  job->partner_of_now[now_vertex] = then_vertex;
  sup_point_grid_remove(&job->then_grid, then_vertex);
  if (now_vertex != then_vertex) job->report.moved++;
  if ((float)distance > job->report.distance) job->report.distance = (float)distance;
  const SupRings *rings = &job->now_rings;
  for (uint32_t n = rings->offsets[now_vertex]; n < rings->offsets[now_vertex + 1]; n++) {
    uint32_t other = rings->neighbours[n];
    if (job->partner_of_now[other] != SUP_NONE || job->queued[other]) continue;
    job->queued[other] = true;
    job->queue[(job->queue_first + job->queue_count++) % job->now->vertex_count] = other;
  }
}

/* The best free candidate: most agreement, then nearest, then lowest. *out_clear tells whether
 * agreement alone decided. SUP_NONE when no one is free. */
static uint32_t choose(const RebindJob *job, uint32_t now_vertex, bool *out_clear,
                       double *out_distance) {
  SupPointNear near[CANDIDATES_MAX];
  SupVec3 place = job->now->positions[now_vertex];
  uint32_t count = sup_point_grid_near(&job->then_grid, place, CANDIDATES_MAX, near);
  uint32_t best = SUP_NONE, best_agreement = 0, rivals = 0;
  double best_distance = 0;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t agrees = agreement(job, now_vertex, near[k].point);
    double distance = near[k].distance_squared;
    if (best != SUP_NONE && agrees == best_agreement) rivals++;
    if (best == SUP_NONE || agrees > best_agreement) {
      rivals = 0;
    } else if (agrees < best_agreement || distance > best_distance ||
               (distance == best_distance && near[k].point > best)) {
      continue;
    }
    best = near[k].point;
    best_agreement = agrees;
    best_distance = distance;
  }
  *out_clear = best != SUP_NONE && best_agreement > 0 && rivals == 0;
  *out_distance = __builtin_sqrt(best_distance);
  return best;
}

/* Lets what is known decide what touches it, until nothing more follows. */
static void spread(RebindJob *job) {
  while (job->queue_count) {
    uint32_t v = job->queue[job->queue_first];
    job->queue_first = (job->queue_first + 1) % job->now->vertex_count;
    job->queue_count--;
    job->queued[v] = false;
    if (job->partner_of_now[v] != SUP_NONE) continue;
    bool clear;
    double distance;
    uint32_t partner = choose(job, v, &clear, &distance);
    if (!clear) continue;
    job->report.by_neighbours++;
    bind(job, v, partner, distance);
  }
}

/* Pairs with nobody else within reach on either side; that `bind` takes one out of the grid hides
 * it from nobody. */
static SupResult bind_unique(SupArena *arena, RebindJob *job, SupError *error) {
  SupPointGrid now_grid;
  if (!sup_point_grid_make(arena, job->now->positions, job->now->vertex_count, job->then_grid.reach,
                           &now_grid)) {
    return sup_fail_memory(error, "rebinding");
  }
  for (uint32_t v = 0; v < job->now->vertex_count; v++) {
    SupPointNear near[2], back[2];
    SupVec3 p = job->now->positions[v];
    uint32_t count = sup_point_grid_near(&job->then_grid, p, 2, near);
    if (count == 0) {
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "rebinding: the model has no vertex where vertex %u of the mesh is (%g, %g, "
                      "%g); the mesh was edited, so build the model again",
                      v, (double)p.x, (double)p.y, (double)p.z);
    }
    if (count != 1) continue;
    if (sup_point_grid_near(&now_grid, job->then->positions[near[0].point], 2, back) != 1) continue;
    job->report.by_position++;
    bind(job, v, near[0].point, __builtin_sqrt(near[0].distance_squared));
  }
  return SUP_OK;
}

static SupResult bind_rest(RebindJob *job, SupError *error) {
  spread(job);
  for (uint32_t v = 0; v < job->now->vertex_count; v++) {
    if (job->partner_of_now[v] != SUP_NONE) continue;
    bool clear;
    double distance;
    uint32_t partner = choose(job, v, &clear, &distance);
    if (partner == SUP_NONE) {
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "rebinding: the mesh has more vertices at the position of vertex %u than the "
                      "model; the mesh was edited, so build the model again",
                      v);
    }
    job->report.by_order++;
    bind(job, v, partner, distance);
    spread(job);
  }
  return SUP_OK;
}

SupResult sup_rebind(SupArena *arena, const SupMesh *then, const SupMesh *now, float tolerance,
                     uint32_t *out_then, SupRebindReport *out_report, SupError *error) {
  uint32_t count = now->vertex_count;
  if (then->vertex_count != count) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "rebinding: the model has %u vertices, but the mesh has %u; build the model "
                    "again for this mesh",
                    then->vertex_count, count);
  }
  double diagonal = (double)sup_bounds_diagonal(sup_bounds(then->positions, count));
  double reach = (tolerance > 0 ? (double)tolerance : 1e-5) * (diagonal > 0 ? diagonal : 1);
  RebindJob job = {
      .then = then,
      .now = now,
      .partner_of_now = out_then,
      .queue = SUP_ALLOC(arena, uint32_t, count),
      .queued = SUP_ALLOC(arena, bool, count),
  };
  if (!job.queue || !job.queued ||
      !sup_point_grid_make(arena, then->positions, count, reach, &job.then_grid)) {
    return sup_fail_memory(error, "rebinding");
  }
  SupResult result = sup_rings(arena, then, &job.then_rings, error);
  if (result == SUP_OK) result = sup_rings(arena, now, &job.now_rings, error);
  if (result != SUP_OK) return result;
  for (uint32_t v = 0; v < count; v++) out_then[v] = SUP_NONE;
  result = bind_unique(arena, &job, error);
  if (result == SUP_OK) result = bind_rest(&job, error);
  if (result == SUP_OK) *out_report = job.report;
  return result;
}
