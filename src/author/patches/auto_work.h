/* SPDX-License-Identifier: MIT */
/*
 * What the steps of sup_patch_auto hand to each other.
 *
 * Paths are looked for on a planar graph: its *nodes* are the vertices of the skin, then one point
 * on every edge; two nodes are neighbours along half an edge, or across a triangle between the
 * points of two of its edges. Paths that share no node cannot cross, wherever the points slide on
 * their edges.
 *
 * A *region* is a set of vertices: what lies between rings. A ring runs over the points of the
 * edges that leave its region and all regions below it.
 */
#ifndef SUP_AUTHOR_AUTO_WORK_H
#define SUP_AUTHOR_AUTO_WORK_H

#include "patches_work.h"
#include "supple/author/patch_auto.h"

typedef enum SupRingKind {
  SUP_RING_PIECE, /* none: the region around the root of a piece */
  SUP_RING_JOINT, /* half of the weights are those of the joint and of what is below it */
  SUP_RING_STRIP, /* below a joint's ring, where a limb begins */
  SUP_RING_MIDDLE /* between two rings, or between one and the tip */
} SupRingKind;

/* A closed loop of nodes with four features. */
typedef struct SupLoop {
  uint32_t node_count;
  const uint32_t *nodes; /* [node_count] */
  uint32_t at[4];        /* places of the features in it, rising but for one turn */
  const char *sides[4];  /* "front", "outer", ...: their names */
  uint32_t features[4];  /* of the plan */
  uint32_t arcs[4];      /* boundaries of the plan, from feature k on */
  SupVec3d centre, axis;
  double length;
  bool rim; /* an open border of the skin */
} SupLoop;

typedef struct SupRegion {
  SupRingKind kind;
  bool dropped;
  uint32_t parent; /* region, or SUP_NONE */
  uint32_t depth;
  uint32_t piece; /* component of the skin */
  uint32_t joint; /* what it is called after, or SUP_NONE */
  uint32_t part;  /* of several rings of one kind, from 1 on; else 0 */
  uint32_t copy;  /* of several pieces with such a ring, from 1 on; else 0 */
  const char *name;
  double area;  /* with all below it */
  SupLoop ring; /* the region on its left */
} SupRegion;

/* An open border of the skin. */
typedef struct SupHole {
  uint32_t first, count; /* in the topology's loops */
  uint32_t region;       /* that it lies in, or SUP_NONE: not used */
  bool left_out;         /* there was no room for boundaries to it */
  const char *name;
  SupLoop ring;
} SupHole;

/* A boundary that was found. */
typedef struct SupRoute {
  uint32_t from, to; /* features */
  uint32_t node_count;
  const uint32_t *nodes; /* [node_count] */
  bool rim;
  uint32_t region; /* that it runs through; SUP_NONE: an arc of a loop */
  const char *name;
} SupRoute;

typedef struct SupSpot {
  uint32_t node;
  const char *name;
} SupSpot;

#define SUP_AUTO_SIDES 72u /* three for each of the most loops of a region */

/* A patch that is wanted. */
typedef struct SupWanted {
  const char *name;
  uint32_t zone; /* region that is called so */
  uint32_t count;
  uint32_t routes[SUP_AUTO_SIDES];
} SupWanted;

typedef struct SupAuto {
  const SupPatchAutoDef *def;
  SupArena *arena, *scratch;
  SupError *error;
  SupMesh mesh;
  SupTopology topology;
  uint32_t node_count;
  double *slides;        /* [edge_count] where the point of each is */
  uint32_t *edge_halves; /* [edge_count] */
  uint8_t *blocked;      /* [node_count] not for paths: where the skin is no surface */
  double *areas;         /* [vertex_count] a third of the triangles at each */
  double area;           /* of the skin */
  double size;           /* diagonal */
  SupVec3d middle;       /* of the bounding box */
  uint8_t *piece_kinds;  /* [component_count] SUP_PIECE_* */
  double *piece_areas;   /* [component_count] */
  uint32_t *hole_of;     /* [vertex_count] or SUP_NONE */
  uint32_t hole_count;
  SupHole *holes;
  uint32_t region_count, region_capacity;
  SupRegion *regions;
  uint32_t *labels; /* [vertex_count] region, or SUP_NONE */
  /* Paths. */
  uint8_t *used;     /* [node_count] by a ring or a path */
  int32_t *reserved; /* [node_count] features that it is beside */
  double *distances;
  uint32_t *before, *stamps, *heap, *places;
  uint32_t stamp;
  /* What was found. */
  uint32_t spot_count, spot_capacity;
  SupSpot *spots; /* features */
  uint32_t route_count, route_capacity;
  SupRoute *routes;
  uint32_t wanted_count, wanted_capacity;
  SupWanted *wanted;
  uint32_t given_up;
} SupAuto;

enum { SUP_PIECE_FLESH, SUP_PIECE_HARD, SUP_PIECE_SMALL, SUP_PIECE_FAILED };

/* The region behind a ring and its parents: is `region` at or below `top`? */
bool sup_auto_below(const SupAuto *a, uint32_t region, uint32_t top);
/* Distance from the plane between left and right, in sizes; nearer than SUP_AUTO_MIDDLE is in it.
 */
#define SUP_AUTO_MIDDLE 0.01
double sup_auto_aside(const SupAuto *a, SupVec3d place);
SupVec3d sup_auto_place(const SupAuto *a, uint32_t node);
uint32_t sup_auto_add_region(SupAuto *a, SupRegion region);
/* Removes a ring: its region becomes part of the parent's. */
void sup_auto_drop(SupAuto *a, uint32_t region);

/* auto_body.c: the skin and its pieces. */
SupResult sup_auto_body(SupAuto *a);

/* auto_rings.c: regions by weights. */
SupResult sup_auto_rings(SupAuto *a);
/* Divides a region where `heights` [vertex_count] are `level`: what is higher becomes `region`,
 * with all rings below the old one. *out_region is SUP_NONE where either side is scattered: where
 * less than `least` of it hangs together. */
SupResult sup_auto_cut_region(SupAuto *a, uint32_t parent, const float *heights, float level,
                              double least, SupRegion region, uint32_t *out_region);
/* Makes room between rings. */
SupResult sup_auto_settle(SupAuto *a);

/* auto_loops.c: the loops of rings and holes, their shape and features. Drops rings that are no
 * loops. */
SupResult sup_auto_loops(SupAuto *a);
/* All loops around a region, at most `capacity`: its own first, then those below it and holes.
 * *out_reversed[k]: the region lies on its right. */
uint32_t sup_auto_loops_of(SupAuto *a, uint32_t region, uint32_t capacity, SupLoop **out_loops,
                           bool *out_reversed);

/* auto_split.c: strips, rings between joints and around pieces without any. */
SupResult sup_auto_split(SupAuto *a);
/* How far a node reaches out of a ring: the farthest one is the tip of a cap. Deep inside a mouth
 * it would not be far. */
double sup_auto_reach(const SupAuto *a, const SupLoop *ring, uint32_t node);

/* auto_route.c */
/* Neighbours of a node, at most `capacity`, some of them twice. */
uint32_t sup_auto_neighbours(const SupAuto *a, uint32_t node, uint32_t capacity, uint32_t *out);
/* May a path within the region take the node? */
bool sup_auto_free(const SupAuto *a, uint32_t region, uint32_t node);
/* Distances from a node to all that free nodes of the region lead to, in a->distances where
 * a->stamps is a->stamp; stops at `to` (SUP_NONE: nowhere). Whether `to` was reached. */
bool sup_auto_search(SupAuto *a, uint32_t region, uint32_t from, uint32_t to);
/* The neighbours of a feature are for its paths. */
void sup_auto_reserve(SupAuto *a, uint32_t node);
/* The shortest path; its nodes are used from now on. False: there is none. */
bool sup_auto_route(SupAuto *a, uint32_t region, uint32_t from, uint32_t to, uint32_t *out_count,
                    const uint32_t **out_nodes);
/* Slides the points of a path, but for the ends of an open one. */
void sup_auto_straighten(SupAuto *a, uint32_t count, const uint32_t *nodes, bool closed,
                         uint32_t sweeps);

/* auto_relax.c: pulls a path tight, around vertices as well. */
SupResult sup_auto_relax(SupAuto *a, SupRoute *io_route);

/* auto_regions.c: boundaries and patches of all regions. *out_failed: one that has no room for
 * them, or SUP_NONE. */
SupResult sup_auto_regions(SupAuto *a, uint32_t *out_failed);

/* auto_zones.c: the zone of a region's patches. False: memory is short. */
bool sup_auto_zone(SupAuto *a, uint32_t region, SupPatchZone *out_zone);

/* auto_plan.c */
char *sup_auto_text(SupAuto *a, const char *format, ...);
SupResult sup_auto_names(SupAuto *a);
SupResult sup_auto_plan(SupAuto *a, SupPatchAuto *out);

#endif
