/* SPDX-License-Identifier: MIT */
/*
 * Supple: pictures of a clip: a strip of frames (.png), or an animation (.webp), with one figure or
 * several that do the same: before and after.
 */
#ifndef SUPPLE_APP_PICTURE_H
#define SUPPLE_APP_PICTURE_H

#include "supple/app/character_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupPictureKind {
  SUP_PICTURE_NONE,
  SUP_PICTURE_STRIP,
  SUP_PICTURE_ANIMATION
} SupPictureKind;

/* By the ending of a name: .png is a strip, .webp an animation. */
SupPictureKind sup_picture_kind(const char *path);

#define SUP_PICTURE_FIGURES 2

/* One figure and how it moves. */
typedef struct SupPictureFigure {
  const char *label; /* written beside it; NULL: nothing is */
  const SupCharacterFile *file;
  /* The render vertices in scene space at `frame`: 0, 1, 2, ... in order; 0 again begins afresh and
   * must give the same motion again. */
  void (*play)(void *user, uint32_t frame, SupVec3 *out_positions);
  void *user;
} SupPictureFigure;

/* Start from sup_picture_def. */
typedef struct SupPictureDef {
  uint32_t cookie;
  uint32_t figure_count;           /* 1 .. SUP_PICTURE_FIGURES */
  const SupPictureFigure *figures; /* [figure_count] a camera that follows follows the first */
  double fps;                      /* of the motion */
  double slow;                     /* an animation takes so many times as long; 1 */
  double start;                    /* seconds: the time of frame 0, for what is written; 0 */
  uint32_t frame_count;            /* >= 1 */
  uint32_t columns;                /* frames in a strip; 6 */
  uint32_t size;                   /* longer side of one view in pixels; 400 */
  double azimuth, elevation;       /* degrees, see sup_draw_basis; 32 and 10 */
  float quality;                   /* of an animation, 0..100; 75 */
} SupPictureDef;

SupPictureDef sup_picture_def(void);

/* What was drawn. */
typedef struct SupPictureReport {
  uint32_t width, height;
  uint32_t frame_count; /* frames of the animation, columns of the strip */
  bool follows;         /* the camera moves with the figure */
  uint32_t left_out;    /* textures that could not be read: their parts show the plain colour */
  size_t bytes;         /* of the file */
  uint64_t pixels_hash; /* of all pixels in their order; the same on every machine */
} SupPictureReport;

/* Plays the motion twice, once to place the camera, and writes the picture as the ending of `path`
 * says. The camera sees all of the motion, or goes along where the figure travels far. A strip
 * takes the frame of each of `columns` equal spans in which the figures differ most, or the middle
 * one. Memory comes from the context's allocator and is given back. */
SupResult sup_picture_save(const SupAppContext *app, const SupPictureDef *def, const char *path,
                           SupPictureReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
