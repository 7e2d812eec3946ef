/* SPDX-License-Identifier: MIT */
/* The colour of a sample: of the skin, of the floor and the background. */
#ifndef SUP_DRAW_SHADE_H
#define SUP_DRAW_SHADE_H

#include "draw/light.h"

/* A picture that is being drawn. */
typedef struct DrawScene {
  const SupDrawDef *def;
  const SupDrawMesh *mesh;
  SupImage image;
  DrawLight light;
  SupDrawPart plain;       /* of triangles without a part */
  const uint32_t *part_of; /* [triangle_count] or NULL where there are no parts; SUP_NONE: plain */
  float decoded[256];      /* sup_srgb_decode */
} DrawScene;

/* Through the point (x, y) of the picture, in -1..1 to the right and up: the ray whose part along
 * the line of sight is 1. */
SupVec3 sup_draw_ray(const SupDrawCamera *camera, float x, float y);

/* The triangle where the ray meets it, in linear light that a screen can show. */
SupVec3 sup_shade_skin(const DrawScene *scene, uint32_t triangle, SupVec3 ray);

/* What lies behind everything; `x`, `y` as above, `pixel` the height of one in the same units. */
SupVec3 sup_shade_room(const DrawScene *scene, SupVec3 ray, float x, float y, float pixel);

/* Distance of the floor along the ray in units of its part along the line of sight; huge: none. */
float sup_shade_floor_distance(const DrawScene *scene, SupVec3 ray);

#endif
