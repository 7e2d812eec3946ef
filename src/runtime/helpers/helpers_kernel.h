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
/* What is read of a pose: the rotation of a turn, the joint of a frame in the scene (SupAffine). */
enum { HELPERS_TURN = 4, HELPERS_FRAME = 12 };

/* One character is worked on at most eight lanes at a time: so arrays of its own are padded. */
#define HELPERS_LANES 8
#define HELPERS_PAD(count) (((count) + HELPERS_LANES - 1) / HELPERS_LANES * HELPERS_LANES)

/* The numbers that a crowd keeps of each helper: translation, rotation. */
enum { HELPERS_SHOWN = 7 };

/* Where three of a frame's rows are used by nobody they are not computed. */
#define HELPERS_USES(row) (1u << ((row) / 3))

/* From rotations and places to inputs. One character: lanes are turns, then frames. A crowd: lanes
 * are characters. */
typedef struct SupHelpersReadCall {
  const SupHelpersView *model;
  bool moving;                 /* frames too */
  uint32_t uses;               /* HELPERS_USES of all rows that are wanted */
  const float *turns, *frames; /* rotations, joints in the scene: those of a lane begin at ... */
  const uint32_t *turn_at;     /* [turns], of a crowd [16]; the next turn's lie 4 behind */
  const uint32_t *frame_at;    /* [frames], of a crowd [16]; the next frame's lie 12 behind */
  const uint32_t *point_at;    /* [frames], of one character: in model->frames */
  float *past;                 /* [HELPERS_PAST][frames], of a crowd [frame][HELPERS_PAST][16] */
  float *u;                    /* inputs; of a crowd [input_count rows of 16] */
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
  const float *matrices; /* the model's, or those of a blend of its materials */
  const float *u;
  float *features;            /* scratch, of a crowd: [feature_count rows of 16], behind u */
  const uint32_t *feature_at; /* of a crowd: [feature_count] the row in u where each stands */
  float *z;                   /* one character: by helper [16 * rows], outputs and then states, as
                                 columns have them; of a crowd [state_count rows of 16] */
  const float *limits;        /* of one character: by helper [2 * 16] least and greatest swings */
  const uint32_t *move_at;    /* of one character: [helpers] in `moves` */
  const uint32_t *bone_at;    /* the same in model->bones: the rotation at rest */
  float *moves;               /* out, of one character: [6 * helper_count + 10] q */
  float *rotations;           /* out: one character [4][helpers], at rest times turn; of
                                 a crowd [HELPERS_SHOWN * helper_count rows of 16] */
  const float *shown_static;  /* [1], of a crowd [16] */
  const float *shown_dynamic; /* the same */
  const float *exaggerations; /* [6 * helper_count] or NULL */
  const float *last_swings;   /* of one character: y is this, and `part` of the way to its own; or
                                 NULL */
  float *swings;              /* out, of one character: [6 * helper_count + 10] y as shown */
  float part;
  float exaggerate, range;
  bool dynamic; /* false: nobody's dynamics is shown */
  bool advance; /* false: z stays */
} SupHelpersMoveCall;

/* What of y is shown: never much more than in learning; exaggerated; within the caller's limit. */
SUP_INLINE sup_vf sup_helpers_shaped(const SupHelpersMoveCall *call, sup_vf low, sup_vf high,
                                     sup_vf by, sup_vf y) {
  const sup_vf limit = SUP_C(SUP_HELPERS_LIMIT);
  sup_vf out = sup_max(low * limit, sup_min(y, high * limit)) * by;
  if (call->range > 0) {
    const sup_vf range = sup_vf_splat(call->range);
    out = sup_max(low * range, sup_min(out, high * range));
  }
  return out;
}

void SUP_KERNEL(helpers_read)(const SupHelpersReadCall *call);
void SUP_KERNEL(helpers_move)(const SupHelpersMoveCall *call);
void SUP_KERNEL(helpers_crowd_read)(const SupHelpersReadCall *call);
void SUP_KERNEL(helpers_crowd)(const SupHelpersMoveCall *call);

#endif
