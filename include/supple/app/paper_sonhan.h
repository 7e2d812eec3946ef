/* SPDX-License-Identifier: MIT */
/*
 * Supple: Son and Han, "Dynamic Skinning for Popping Dance", again: how its scheme swings, and what
 * the paper does not have, a comparison of the quiver with an elastic body that is clenched alike.
 */
#ifndef SUPPLE_APP_PAPER_SONHAN_H
#define SUPPLE_APP_PAPER_SONHAN_H

#include "supple/app/app_context.h"
#include "supple/train/popping.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the scheme swings at one alpha. */
typedef struct SupSonHanScheme {
  double alpha;
  double derived, measured; /* what a step leaves; the paper prints 1 - alpha */
  uint32_t steps;           /* until the swing stays below one per cent */
  double overshoot;         /* fraction of the way */
  double frequency;         /* Hz at 60 steps a second */
  double damping;           /* ratio */
} SupSonHanScheme;

SupSonHanScheme sup_sonhan_scheme(double alpha);

/* A muscle that is told to pull, in an elastic body and in the model fitted to it. */
typedef struct SupSonHanTwitch {
  SupPoppingFit fit;
  double peak, peak_seconds;             /* of the body, in contractions */
  double model_peak, model_peak_seconds; /* of the model */
} SupSonHanTwitch;

/* On a built-in body of a material's name. */
SupResult sup_sonhan_twitch(const SupAppContext *app, const char *body, uint32_t vertices,
                            const char *material_name, SupSonHanTwitch *out, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
