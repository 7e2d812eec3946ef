/* SPDX-License-Identifier: MIT */
/*
 * Supple: curves of a rig's parameters over a clip, plain data: what simulating in rig-space gives
 * (docs/techniques/rigspace.md) and an animator edits.
 */
#ifndef SUPPLE_AUTHOR_RIG_CURVES_H
#define SUPPLE_AUTHOR_RIG_CURVES_H

#include "supple/author/cubic_keys.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupRigCurve {
  const char *parameter, *zone; /* never NULL */
  double rest, low, high;       /* of the parameter */
  const double *values;         /* [frame_count] */
  SupCubicKeys keys;            /* the same within a tolerance; of width 1 */
} SupRigCurve;

/* All curves of one clip. */
typedef struct SupRigCurves {
  const char *rig, *clip; /* names, never NULL */
  double fps;             /* frames at 0, 1 / fps, ... */
  uint32_t frame_count;
  uint32_t curve_count;
  const SupRigCurve *curves;
} SupRigCurves;

#ifdef __cplusplus
}
#endif
#endif
