/* SPDX-License-Identifier: MIT */
/* The surface technique as everyone writes it first, one copy per instruction set. */
#ifndef SUP_BENCH_NAIVE_SURFACE_H
#define SUP_BENCH_NAIVE_SURFACE_H

#include "supple/surface.h"

/* What belongs to one vertex. */
typedef struct NaiveFlesh {
  SupVec3 rest, mean_edge;
  uint32_t first_neighbour, neighbour_count;
  uint32_t bones[4], segments[4];
  float weights[4], lengths[4];
  float alpha, beta, gamma, lambda, delta, eta, max_distance;
  float normal_alpha, normal_delta; /* where the body has SUP_SURFACE_NORMAL */
  SupVec3 normal;                   /* at rest */
} NaiveFlesh;

typedef struct NaiveBody {
  uint32_t vertex_count, segment_count;
  float size;
  bool split; /* SUP_SURFACE_NORMAL */
  const NaiveFlesh *vertices;
  const uint32_t *neighbours;
  const SupSurfaceSegment *segments;
  SupSurfacePlaced *placed; /* [segment_count] */
  /* The state, two of what neighbours read. */
  SupVec3 *x, *dx, *next_x, *next_dx, *w, *goal, *next_goal, *goal_step;
  SupQuat *rotation;
} NaiveBody;

/* The compiler's command line names the copy being compiled. */
#ifndef NAIVE_SURFACE
#define NAIVE_SURFACE naive_surface_sse2
#endif

/* Skins the goal and makes one step. */
typedef void NaiveSurface(NaiveBody *body, const SupAffine *palette);

NaiveSurface NAIVE_SURFACE;

#endif
