/* SPDX-License-Identifier: MIT */
/* Supple: when muscles clench: on a beat with a pattern, from a file of events, or as the animation
 * in the character's file says. */
#ifndef SUPPLE_APP_MUSCLE_TRACK_H
#define SUPPLE_APP_MUSCLE_TRACK_H

#include "supple/app/model_list.h"
#include "supple/popping.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sup_muscle_track_def. With neither a beat nor events, the file's own are taken. */
typedef struct SupMuscleTrackDef {
  uint32_t cookie;
  double beat;        /* beats a minute; 0: none */
  SupNames patterns;  /* half beats over and over, "x.X_", maybe with "MUSCLE=" in front; none:
                             "x.x.xx.." */
  double gate;        /* fraction of its half beat that a muscle stays clenched; 0.75 */
  const char *events; /* file with lines of: time muscle|* strength seconds; or NULL */
} SupMuscleTrackDef;

SupMuscleTrackDef sup_muscle_track_def(void);

/* The events of a clip; none where the models have no muscles. In the arena. */
SupResult sup_muscle_track(const SupAppContext *app, const SupCharacterFile *file,
                           const SupModelList *models, const SupClip *clip,
                           const SupMuscleTrackDef *def, SupPoppingTrack *out_track,
                           SupError *error);

/* The events that the file has. */
SupResult sup_file_track(const SupAppContext *app, const SupCharacterFile *file,
                         const SupModelList *models, const SupClip *clip,
                         SupPoppingTrack *out_track, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
