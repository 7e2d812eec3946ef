/* SPDX-License-Identifier: MIT */
/*
 * Supple: how far one motion is from another. The names here are the names in every report.
 */
#ifndef SUPPLE_AUTHOR_METRICS_H
#define SUPPLE_AUTHOR_METRICS_H

#include "supple/author/samples.h"
#include "supple/geom/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to compare. All positions are [frame_count * vertex_count], frame by frame. */
typedef struct SupCompareDef {
  uint32_t frame_count;        /* at least 1 */
  uint32_t vertex_count;       /* at least 1 */
  float fps;                   /* > 0 */
  float height;                /* metres, for the percentages; 0 takes the height of B's box */
  const SupVec3 *a;            /* the motion that is judged */
  const SupVec3 *b;            /* the motion that is taken as true */
  const SupVec3 *skinning;     /* plain skinning of the same frames, or NULL */
  const SupVec3 *quasistatic;  /* B without inertia, or NULL */
  const float *vertex_weights; /* [vertex_count] for example areas; NULL weighs all alike */
  const SupJobs *jobs;         /* NULL: on the calling thread */
} SupCompareDef;

/* One frame's share. */
typedef struct SupFrameError {
  float rms;      /* metres, area-weighted */
  float worst;    /* metres, of the worst vertex */
  float skinning; /* metres, RMS(skinning - B); 0 when skinning was not given */
} SupFrameError;

/* The strongest clear oscillation of B's offset from skinning (from its mean where skinning was not
 * given), else its strongest vibration, and how A answers at the same frequency, over all vertices
 * and axes together. */
typedef struct SupVibration {
  float frequency;       /* Hz, refined between the bins; 0 when nothing vibrates */
  float amplitude;       /* metres: RMS over vertices of B's amplitude at that frequency */
  float amplitude_ratio; /* A / B; 1 is right */
  float phase;           /* radians in (-pi, pi]; positive when A lags behind B */
  float coherence;       /* 0..1: how far A's pattern over the body is B's */
  /* How clear it is: 1 and above is an oscillation, below it may be noise or the pose. Of B's
   * velocity relative to skinning at least 40 % of the power lie within a factor of 1.5 of the
   * frequency, and the power there is at least three times that an octave below and above, more
   * where few frames leave it to chance; with 2.5 periods or more in all frames, and up to 0.3 of
   * the frame rate. */
  float clarity;
} SupVibration;

typedef struct SupCompareReport {
  float rms;             /* metres, area-weighted, over all frames */
  float rms_percent;     /* of the height */
  float worst;           /* metres: the largest distance of any vertex in any frame */
  float worst_percent;   /* of the height */
  uint32_t worst_vertex; /* where that is */
  uint32_t worst_frame;  /* when */
  float velocity_rms;    /* metres per second, backward differences; 0 with one frame */
  float relative_error;  /* RMS(A - B) / RMS(skinning - B); NaN when not given or 0 / 0 */
  float dynamic_error;   /* RMS(A - B) / RMS(quasistatic - B); NaN likewise */
  float height;          /* metres, as used */
  SupVibration vibration;
} SupCompareReport;

/* Compares two motions. Sums are taken in double and in a fixed order: the report has the same
 * bits for any number of threads. `out_frames` [frame_count] and `out_vertex_rms` [vertex_count]
 * (metres, the heat map) may be NULL. Scratch comes from `arena`. */
SupResult sup_compare(SupArena *arena, const SupCompareDef *def, SupCompareReport *out_report,
                      SupFrameError *out_frames, float *out_vertex_rms, SupError *error);

/* Where two triangles meet in an edge the skin is folded if A folds it more than B does and by
 * more than 30 degrees otherwise, or flattens one of them. A third of both triangles at rest
 * counts. No error that is a mean over vertices shows this, and every eye does. It compares motions
 * of one mesh: the same crease takes half the fraction where triangles are half as large, and the
 * same bend is spread over more edges. It says nothing of one body against another. Not looked at:
 * edges without twin, edges whose triangles disagree about inside and outside, and those of
 * triangles that are hardly any in B (a height below 1e-4 of the longest side). */
typedef struct SupFoldedAreaDef {
  const SupMesh *body;  /* at rest */
  uint32_t frame_count; /* at least 1 */
  const SupVec3 *a;     /* [frame_count * body->vertex_count] the motion that is judged */
  const SupVec3 *b;     /* likewise, taken as true */
  const SupJobs *jobs;  /* NULL: on the calling thread */
} SupFoldedAreaDef;

typedef struct SupFoldedAreaReport {
  float worst;           /* fraction of the skin, 0..1, of the frame with most of it */
  float mean;            /* of all frames */
  uint32_t worst_frame;  /* the first such */
  uint32_t worst_vertex; /* where most of it is in that frame; SUP_NONE if nothing is folded */
} SupFoldedAreaReport;

/* How much of the skin is folded: out_frames[frame_count], 0..1, may be NULL. The same bits for
 * any number of threads. Fails if memory is short, there are no frames, or the body is no mesh. */
SupResult sup_folded_area(SupArena *arena, const SupFoldedAreaDef *def,
                          SupFoldedAreaReport *out_report, float *out_frames, SupError *error);

/* The volume that a skin encloses, against that at rest. Only closed pieces enclose one: connected
 * pieces of which triangles run through every edge as often in one direction as in the other. */
typedef struct SupVolumeDef {
  const SupMesh *body;      /* at rest, in the same units as the motion */
  uint32_t frame_count;     /* at least 1 */
  const SupVec3 *positions; /* [frame_count * body->vertex_count] */
  const SupJobs *jobs;      /* NULL: on the calling thread */
} SupVolumeDef;

typedef struct SupVolumeReport {
  uint32_t piece_count;  /* connected pieces of the skin */
  uint32_t closed_count; /* of them closed; the others are left out */
  float rest;            /* cubic units that the closed pieces enclose at rest */
  float peak;            /* greatest deviation of any frame: sum |V - V_rest| / sum V_rest */
  float rms;             /* of the deviations of all frames */
  uint32_t peak_frame;   /* the first such */
} SupVolumeReport;

/* How far the enclosed volume deviates from rest: out_frames[frame_count], fractions, may be NULL.
 * All zero without a closed piece. The same bits for any number of threads. The body is a sound
 * mesh. Fails if memory is short or there are no frames. */
SupResult sup_volume_deviation(SupArena *arena, const SupVolumeDef *def,
                               SupVolumeReport *out_report, float *out_frames, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
