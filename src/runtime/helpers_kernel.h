/* SPDX-License-Identifier: MIT */
/* The kernels of the helpers technique for the instruction set being compiled. */
#ifndef SUP_SRC_RUNTIME_HELPERS_KERNEL_H
#define SUP_SRC_RUNTIME_HELPERS_KERNEL_H

#include "anim/real.h"
#include "supple/helpers.h"

/* What a frame remembers: position, velocity, axes, angular velocity. */
enum {
  HELPERS_AT = 0,
  HELPERS_VELOCITY = 3,
  HELPERS_AXES = 6,
  HELPERS_TURNING = 15,
  HELPERS_PAST = 18
};
/* What it is told: position, and the axes of its joint, of any length. */
enum { HELPERS_NOW_AT = 0, HELPERS_NOW_AXES = 3, HELPERS_NOW = 12 };

/* Where numbers lie. One character: lanes are turns or frames. A crowd: lanes are characters, and
 * turns or frames are items. Component c of item i at [c * component + i * item + lane]. */
typedef struct HelpersLayout {
  uint32_t items, lanes;
  uint32_t now_component, now_item;
  uint32_t past_component, past_item;
  uint32_t out_component, out_item;
} HelpersLayout;

/* From rotations and places to inputs. */
typedef struct SupHelpersReadCall {
  const SupHelpersView *model;
  bool crowd;
  HelpersLayout turn, frame;
  const float *turns; /* rotations of joints */
  const float *now;   /* frames */
  float *past;        /* frames */
  float *u;           /* inputs; of a crowd [input_count rows of 16] */
  const float *has; /* [2 rows of lanes] 1 where a velocity, an acceleration can be told; a crowd's
                       by character, otherwise the first number of each row counts for all */
  float rate;       /* 1 / seconds since the past */
  float rate_twice; /* 1 / seconds between the middles of the two spans that velocities are of */
  SupVec3 gravity;
  bool keep; /* leave the past as it is */
} SupHelpersReadCall;

/* From inputs to the helpers' numbers: of one character, or of a block of 16. */
typedef struct SupHelpersMoveCall {
  const SupHelpersView *model;
  const float *u;
  float *features;            /* scratch [feature_count], of a crowd rows of 16 */
  float *z;                   /* [state_count], of a crowd rows of 16 */
  float *next;                /* scratch [64 + ...] of one character */
  float *work;                /* scratch of one character: columns */
  float *moves;               /* out: [6 * helper_count] q; of a crowd rows of 16 */
  float *rotations;           /* out: [4 * helpers padded to 16] by component; of a crowd
                                 [4 * helper_count rows of 16] by helper */
  const float *shown_static;  /* [1], of a crowd [16] */
  const float *shown_dynamic; /* the same */
  const float *exaggerations; /* [6 * helper_count] or NULL */
  const float *last_swings;   /* of one character: y is this, and `part` of the way to its own; or
                                 NULL */
  float *swings;              /* out, of one character: [6 * helper_count] y as shown */
  float part;
  float exaggerate, range;
  bool dynamic; /* false: nobody's dynamics is shown */
  bool advance; /* false: z stays */
} SupHelpersMoveCall;

void SUP_KERNEL(helpers_read)(const SupHelpersReadCall *call);
void SUP_KERNEL(helpers_move)(const SupHelpersMoveCall *call);
void SUP_KERNEL(helpers_crowd)(const SupHelpersMoveCall *call);

#endif
