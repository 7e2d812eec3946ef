/* SPDX-License-Identifier: MIT */
/*
 * Light and shadow: how much of the key light and of the sky reaches every vertex, and every place
 * of the floor. Each is a fixed set of directions, and what a direction reaches is what is nearest
 * in a picture taken from there. So the shadows have soft edges, without noise, and the sky gives
 * the darkness in folds and under feet.
 */
#ifndef SUP_DRAW_LIGHT_H
#define SUP_DRAW_LIGHT_H

#include "supple/draw/draw.h"

/* Fractions of the light that arrive. */
typedef struct DrawReach {
  float key, sky;
} DrawReach;

enum { FLOOR_SIDE = 128 };

typedef struct DrawLight {
  SupVec3 key;      /* towards the light, unit */
  SupVec3 rim;      /* the same */
  float size;       /* of what is drawn; > 0 */
  DrawReach *skin;  /* [vertex_count] */
  DrawReach *floor; /* [FLOOR_SIDE * FLOOR_SIDE] */
  float floor_x, floor_z, floor_step;
} DrawLight;

/* Everything in `arena`. */
SupResult sup_draw_light(SupArena *arena, const SupDrawDef *def, const SupDrawMesh *mesh,
                         DrawLight *out_light, SupError *error);

/* At a point of the floor, between the places; far away all of it. */
DrawReach sup_draw_floor(const DrawLight *light, float x, float z);

#endif
