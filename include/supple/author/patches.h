/* SPDX-License-Identifier: MIT */
/*
 * Supple: a skin taken apart into patches (docs/patches.md).
 *
 * Boundaries run over the skin between features; they cut it into regions. A region that is a disc
 * with three features or more on its border is a patch. Triangles that a boundary cuts are divided
 * in a mesh of its own, whose every vertex is a place on the skin: the skin stays as it is, and the
 * same patches exist on each of its shapes.
 */
#ifndef SUPPLE_AUTHOR_PATCHES_H
#define SUPPLE_AUTHOR_PATCHES_H

#include "supple/author/skin_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What is asked for ----------------------------------------------------------------------- */

/* A point where boundaries meet. */
typedef struct SupPatchFeature {
  const char *name; /* no two are equal */
  SupSkinPoint at;  /* no two are the same */
  uint32_t line;    /* of the file that names it, for sentences; 0: none */
} SupPatchFeature;

typedef struct SupPatchBoundary {
  const char *name;  /* no two are equal */
  uint32_t from, to; /* features */
  SupSkinPath path;  /* between them; it passes no other feature */
  uint32_t line;
} SupPatchBoundary;

/* A patch that has a name. */
typedef struct SupPatchName {
  const char *name; /* no two are equal */
  const char *zone; /* what it belongs to, never NULL, maybe empty */
  uint32_t boundary_count;
  const uint32_t *boundaries; /* all that it has, any of them first, either way round */
  uint32_t line;
} SupPatchName;

typedef struct SupPatchesDef {
  SupMesh mesh;
  const SupTopology *topology; /* of the mesh */
  const char *source;          /* the file, for sentences; never NULL */
  uint32_t feature_count, boundary_count, name_count;
  const SupPatchFeature *features;
  const SupPatchBoundary *boundaries;
  const SupPatchName *names;
} SupPatchesDef;

/* ---- What there is --------------------------------------------------------------------------- */

/* One side of a patch. */
typedef struct SupPatchSide {
  uint32_t boundary;
  bool backwards; /* the patch lies on its right */
} SupPatchSide;

typedef struct SupPatch {
  const char *name; /* its own, or "patch-1" and so on */
  const char *zone;
  uint32_t side_count;       /* at least 3 */
  const SupPatchSide *sides; /* counter-clockwise seen from outside, from its first feature on */
  const uint32_t *corners; /* [side_count + 1] where in the loop each begins; the last is its end */
  uint32_t loop_count;
  const uint32_t *loop; /* [loop_count] vertices of the border, counter-clockwise */
  uint32_t triangle_count;
  const uint32_t *triangles; /* [triangle_count] of the cut mesh, rising */
  double area;
} SupPatch;

typedef struct SupPatches {
  SupMesh mesh;               /* the cut one: the skin's vertices, then points on its edges */
  const SupSkinPoint *points; /* [mesh.vertex_count] what its vertices are on the skin */
  const uint32_t *owners;     /* [mesh.triangle_count] the skin's triangle that each is part of */
  const uint32_t *regions;    /* [mesh.triangle_count] patch of each, or SUP_NONE */
  const uint32_t *features;   /* [feature_count] vertices */
  uint32_t patch_count;
  const SupPatch *patches; /* [patch_count] the named ones first */
  uint32_t left_out_count; /* regions without a name that are no discs or have too few features */
  double left_out_area;
  int32_t euler; /* features - boundaries + patches */
} SupPatches;

/* Cuts the skin. SUP_ERROR_FORMAT, with a sentence that names file, line and boundary or patch:
 * boundaries that cross or touch, one that ends inside a region, a name twice, a patch that does
 * not exist or is no disc. The result lives in `arena` and points into the definition. */
SupResult sup_patches_create(SupArena *arena, const SupPatchesDef *def, SupPatches *out_patches,
                             SupError *error);

/* The same cut skin with only those patches for which keep[patch_count] is true; what the others
 * cover counts as left out. *out_patches has arrays of its own where they differ. */
SupResult sup_patches_keep(SupArena *arena, const SupPatches *patches, const bool *keep,
                           SupPatches *out_patches, SupError *error);

/* out_patches[to->patch_count]: the patch of `from` that has the same sides as each of `to`, by the
 * names of boundaries, or SUP_NONE. Returns how many have one. */
uint32_t sup_patches_match(const SupPatchesDef *def_to, const SupPatches *to,
                           const SupPatchesDef *def_from, const SupPatches *from,
                           uint32_t *out_patches);

/* Whether the patches of two characters correspond: features and boundaries of the same names, and
 * patches with the same sides in the same order. If not, a sentence in `error` names the first
 * difference and the answer is SUP_ERROR_FORMAT. */
SupResult sup_patches_isomorphic(const SupPatchesDef *def_a, const SupPatches *a,
                                 const SupPatchesDef *def_b, const SupPatches *b, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
