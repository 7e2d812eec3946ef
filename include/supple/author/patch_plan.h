/* SPDX-License-Identifier: MIT */
/*
 * Supple: a plan of patches, plain data: what a patch file holds (docs/patches.md).
 *
 * A plan says where features are and what kind of path joins them; it knows no triangles of the
 * cut. sup_patch_plan_trace turns it and a character into the SupPatchesDef that sup_patches_create
 * cuts. It comes from a file (supple/io/patch_file.h), from the automatic decomposition
 * (supple/author/patch_auto.h) or from the page.
 *
 * Places are in bind space, in units of the file; vertices are body vertices.
 */
#ifndef SUPPLE_AUTHOR_PATCH_PLAN_H
#define SUPPLE_AUTHOR_PATCH_PLAN_H

#include "supple/author/character.h"
#include "supple/author/patches.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a feature is. */
typedef enum SupPatchPlace {
  SUP_PATCH_AT_VERTEX,   /* `vertex`; where it was when the file was written is `position` */
  SUP_PATCH_AT_POSITION, /* nearest place of the skin */
  SUP_PATCH_AT_LANDMARK  /* where a ray from `joint` in `direction` leaves the skin */
} SupPatchPlace;

typedef struct SupPatchPlanFeature {
  const char *name; /* no two are equal */
  SupPatchPlace place;
  uint32_t vertex;
  SupVec3d position;
  const char *joint;  /* of a landmark, else NULL */
  SupVec3d direction; /* of a landmark: not zero, in bind space */
  bool no_position;   /* at a vertex: where it was is not known */
  uint32_t line;      /* of the file, for sentences; 0: none */
} SupPatchPlanFeature;

/* How the features of a boundary are joined. */
typedef enum SupPatchPathKind {
  SUP_PATCH_EDGES,    /* shortest path along edges */
  SUP_PATCH_GEODESIC, /* shortest path across triangles */
  SUP_PATCH_CURVE,    /* below a rational B-spline through space */
  SUP_PATCH_RIM       /* along the open border of the skin */
} SupPatchPathKind;

typedef struct SupPatchPlanBoundary {
  const char *name;  /* no two are equal */
  uint32_t from, to; /* features; equal for a whole rim */
  SupPatchPathKind kind;
  uint32_t point_count;   /* of a curve: 2 to 64 control points, the ends moved to the features. Of
                             the edges and geodesic kinds: 0 to 64 places that the path goes through,
                             in order */
  const SupVec3d *points; /* [point_count] */
  const double *weights;  /* [point_count] of a curve, or NULL for 1 */
  uint32_t line;
} SupPatchPlanBoundary;

/* What becomes of the flesh below patches (docs/patches.md). */
typedef enum SupPatchZoneKind {
  SUP_PATCH_ZONE_STRATUM, /* a layer below the skin */
  SUP_PATCH_ZONE_SOLID,   /* solid to the bone: a limb */
  SUP_PATCH_ZONE_SKINNED  /* none: it goes with the bones */
} SupPatchZoneKind;

/* Where the shell below a stratum has the vertex of a feature. */
typedef struct SupPatchShellPoint {
  const char *feature;
  bool placed;       /* at `position`, else so deep */
  SupVec3d position; /* bind space */
  double depth;      /* below the skin, above 0 */
} SupPatchShellPoint;

/* What is said about the flesh of a zone; start from sup_patch_flesh. */
typedef struct SupPatchFlesh {
  const char *bone[2]; /* solid: joints at its start and at its end; else, or not known, NULL */
  double depth;        /* stratum: of the shell below the skin; 0: automatic */
  double poisson;      /* above 0, below 0.5; 0: automatic */
  uint32_t slices;     /* of its chunks, both ends counted, 3 or more; 0: automatic */
  uint32_t levels;     /* how often triangles are divided into four, up to 5; SUP_NONE: automatic */
  uint32_t shell_count;
  const SupPatchShellPoint *shell; /* [shell_count] of a stratum */
} SupPatchFlesh;

/* Everything automatic. */
SupPatchFlesh sup_patch_flesh(void);

typedef struct SupPatchZone {
  const char *name; /* no two are equal */
  SupPatchZoneKind kind;
  uint32_t line;
  const SupPatchFlesh *flesh; /* or NULL: nothing is said */
} SupPatchZone;

typedef struct SupPatchPlan {
  const char *source; /* the file, for sentences; never NULL */
  uint32_t feature_count, boundary_count, name_count, zone_count;
  const SupPatchPlanFeature *features;
  const SupPatchPlanBoundary *boundaries;
  const SupPatchName *names; /* patches; their zones are those of `zones`, or empty */
  const SupPatchZone *zones;
  uint32_t vertex_count; /* body vertices of the character that it was made for; 0: not known */
} SupPatchPlan;

/* The most features, boundaries, patches and zones that a plan may have, each. */
#define SUP_PATCH_PLAN_MAX 10000u

/* The most places that a boundary goes through or that bend its curve. */
#define SUP_PATCH_POINTS_MAX 64u

/* Whether the plan makes sense by itself: names given once, ends and boundaries that it has, finite
 * numbers, no more of anything than may be. SUP_ERROR_FORMAT otherwise, with a sentence that names
 * file, line and what it is about. */
SupResult sup_patch_plan_check(const SupPatchPlan *plan, SupError *error);

/* Lays the plan on the body of a character: finds the places of its features and the paths of its
 * boundaries, which keep clear of each other where they can: the borders and curves first, then the
 * shortest paths in their order, each around those before it. `topology` is of the body. Fails as
 * sup_patch_plan_check does, and where there is no such vertex or joint, a ray does not leave the
 * skin, features coincide or a path is not to be found. *out_def lives in `arena`, points into the
 * plan, the character and `topology`, and is what sup_patches_create cuts. */
SupResult sup_patch_plan_trace(SupArena *arena, const SupPatchPlan *plan,
                               const SupCharacter *character, const SupTopology *topology,
                               SupPatchesDef *out_def, SupError *error);

/* The same for a mesh that is not the plan's: places that boundaries go through are hints, of which
 * a few are taken where no other boundary is. */
SupResult sup_patch_plan_trace_around(SupArena *arena, const SupPatchPlan *plan,
                                      const SupCharacter *character, const SupTopology *topology,
                                      SupPatchesDef *out_def, SupError *error);

/* ---- Another mesh ---------------------------------------------------------------------------- */

/* A feature that is elsewhere than the plan says. */
typedef struct SupPatchMove {
  uint32_t feature;
  const char *name;
  double distance; /* from where it was to where it is, in units of the file */
} SupPatchMove;

typedef struct SupPatchFit {
  uint32_t renumbered;       /* features at another vertex of the same place */
  uint32_t move_count;       /* features that moved by a millionth of the size or more */
  const SupPatchMove *moves; /* [move_count] in the order of the features */
  double farthest;           /* the largest distance */
} SupPatchFit;

/* The farthest that a feature may move: a fraction of the diagonal of the body's box. */
#define SUP_PATCH_REACH 0.05

/* The plan on the body as it is now: a mesh that was edited has other vertices. A feature at a
 * vertex that is not where the plan says, or of a plan for another number of vertices, goes to the
 * vertex next to the nearest place of the skin; one at a position stays, and is told of if the skin
 * is elsewhere now. SUP_ERROR_FORMAT, naming file, line and feature, where that is farther than
 * SUP_PATCH_REACH, or a vertex without position does not exist. *out_plan lives in `arena` and
 * shares with the plan what did not change. */
SupResult sup_patch_plan_fit(SupArena *arena, const SupPatchPlan *plan,
                             const SupCharacter *character, SupPatchPlan *out_plan,
                             SupPatchFit *out_fit, SupError *error);

/* The plan with one side of the body in place of the other: what is on `left` (or on the right) is
 * kept and mirrored, what is on the other side goes. Names of what is mirrored have the other side
 * (sup_side_swap); a name without side gets ".l" and ".r". What lies on the plane of symmetry or is
 * its own image stays. SUP_ERROR_FORMAT, naming file, line and name, where the body has nothing at
 * an image (SUP_PATCH_REACH), a joint has no partner, or something is on both sides and not its own
 * image. In `arena`. */
SupResult sup_patch_plan_mirror(SupArena *arena, const SupPatchPlan *plan,
                                const SupCharacter *character, bool left, SupPatchPlan *out_plan,
                                SupError *error);

#ifdef __cplusplus
}
#endif
#endif
