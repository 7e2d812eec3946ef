/* SPDX-License-Identifier: MIT */
/*
 * Supple: drawing a character without a screen, by software alone.
 *
 *   const SupDrawBasis basis = sup_draw_basis(30, 10);
 *   SupDrawDef def = sup_draw_def();
 *   def.camera = sup_draw_fit(&basis, box_count, boxes, aspect, 0.05f);
 *   sup_draw(arena, &def, &mesh, image, &error);
 *
 * A studio: a soft key light from the camera's left, a bright sky all around, a rim light from
 * behind, shadows of all of them on the skin and on a floor that has the colour of the background.
 * The same bits for every instruction set and number of threads. Nothing is kept between calls.
 */
#ifndef SUPPLE_DRAW_DRAW_H
#define SUPPLE_DRAW_DRAW_H

#include "supple/draw/image.h"
#include "supple/geom/bounds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Camera ---------------------------------------------------------------------------------- */

/* Where a camera looks, as three unit vectors of the scene. */
typedef struct SupDrawBasis {
  SupVec3 right, up, forward;
} SupDrawBasis;

/* In degrees: azimuth 0 looks at the front of a character (against +Z), 90 at its left side;
 * elevation 0 is level, 90 from above. */
SupDrawBasis sup_draw_basis(double azimuth, double elevation);

/* The point along the three vectors. */
SupVec3 sup_draw_along(const SupDrawBasis *basis, SupVec3 point);

typedef struct SupDrawCamera {
  SupDrawBasis basis;
  SupVec3 eye;
  float tan_x, tan_y; /* of half the angle of view, > 0 */
} SupDrawCamera;

/* The nearest camera that sees all of boxes[count], which are given along the basis
 * (sup_draw_along), in a picture `aspect` times as wide as high, with `margin` (fraction of the
 * half picture, < 1) left on all sides. Empty boxes, and those that are not finite, do not count.
 * The lens is a short tele. */
#define SUP_DRAW_TAN 0.2f /* tan_y: about 23 degrees from top to bottom */
SupDrawCamera sup_draw_fit(const SupDrawBasis *basis, uint32_t count, const SupBounds *boxes,
                           float aspect, float margin);

/* ---- What is drawn --------------------------------------------------------------------------- */

/* A run of triangles of one material. */
typedef struct SupDrawPart {
  uint32_t first_triangle, triangle_count;
  float base_color[3];       /* linear red, green, blue */
  float emissive[3];         /* the same */
  float roughness;           /* 0..1 */
  const SupTexture *texture; /* of the base colour, repeats; or NULL */
} SupDrawPart;

/* Triangles are opaque and seen from both sides. Those with a corner that is not finite are left
 * out. */
typedef struct SupDrawMesh {
  uint32_t vertex_count, triangle_count;
  const SupVec3 *positions;  /* [vertex_count] scene space, +Y up */
  const SupVec3 *normals;    /* [vertex_count] about unit length */
  const uint32_t *triangles; /* [3 * triangle_count], each below vertex_count */
  const float *colors;       /* [3 * vertex_count] linear, times the base colour; or NULL */
  const float *uvs;          /* [2 * vertex_count] of the textures, or NULL */
  uint32_t part_count;
  const SupDrawPart *parts; /* [part_count] triangles of no part are white */
} SupDrawMesh;

/* Start from sup_draw_def. */
typedef struct SupDrawDef {
  uint32_t cookie;
  SupDrawCamera camera;
  float floor; /* height of the floor */
  float grid;  /* distance of lines on the floor, which show that a camera follows; 0: none */
  SupVec3 top, bottom; /* background, linear, upper and lower edge */
  uint32_t samples;    /* per pixel, along each side: 1..8 */
  const SupJobs *jobs; /* NULL: this thread alone */
} SupDrawDef;

/* A light grey room, 9 samples per pixel, the floor at 0. */
SupDrawDef sup_draw_def(void);

/* Draws the mesh over all of `image`. Needs memory from the arena while it runs, and gives it back.
 * Fails for lack of memory only; the image is then untouched. */
SupResult sup_draw(SupArena *arena, const SupDrawDef *def, const SupDrawMesh *mesh, SupImage image,
                   SupError *error);

#ifdef __cplusplus
}
#endif
#endif
