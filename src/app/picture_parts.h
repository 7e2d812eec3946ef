/* SPDX-License-Identifier: MIT */
/* Parts of a picture: figures as meshes, and what is known of their motion before it is drawn. */
#ifndef SUPPLE_APP_PICTURE_PARTS_H
#define SUPPLE_APP_PICTURE_PARTS_H

#include "supple/app/picture.h"
#include "supple/draw/draw.h"

/* A figure as it is drawn: positions and normals change from frame to frame. */
typedef struct PictureFigure {
  const SupPictureFigure *def;
  SupDrawMesh mesh;
  SupVec3 *positions, *normals; /* [mesh.vertex_count] */
  /* Vertices that share a place and, in the file, a normal share it here too: hard edges stay. */
  uint32_t group_count;
  uint32_t *groups;       /* [mesh.vertex_count] */
  SupVec3 *group_normals; /* [group_count] */
} PictureFigure;

/* Materials, textures, colours of the file; *io_left_out counts textures that could not be read.
 * Everything in `arena`. */
SupResult sup_picture_figure(SupArena *arena, const SupPictureFigure *def,
                             PictureFigure *out_figure, uint32_t *io_left_out, SupError *error);

/* Brings it to a frame, with or without normals. */
void sup_picture_play(PictureFigure *figure, uint32_t frame, bool normals);

/* One frame of the motion. */
typedef struct PictureFrame {
  SupVec3 path;     /* how far the camera has gone along */
  double different; /* mean square of what the figures differ by */
} PictureFrame;

enum { PICTURE_POINTS = 10 };

/* The motion as a whole. */
typedef struct PictureMotion {
  SupDrawBasis basis;
  PictureFrame *frames; /* [frame_count] */
  uint32_t point_count; /* frame_count * figure_count * PICTURE_POINTS, frame by frame */
  SupBounds *points;    /* [point_count] along the basis, without the path; empty where a frame has
                           no vertices that are numbers */
  float floor, size;    /* height of the lowest point; the largest diagonal of a frame */
  bool follows;
} PictureMotion;

/* Plays everything once. */
SupResult sup_picture_motion(const SupAppContext *app, SupArena *arena, const SupPictureDef *def,
                             PictureFigure *figures, PictureMotion *out_motion, SupError *error);

/* Width over height of a view that the motion fills, within sensible bounds. */
float sup_picture_aspect(const PictureMotion *motion);

/* The frame that column k of `columns` of a strip shows; rises with k. columns <= frame_count. */
uint32_t sup_picture_column(const SupPictureDef *def, const PictureMotion *motion, uint32_t columns,
                            uint32_t k);

#endif
