/* SPDX-License-Identifier: MIT */
/* What the files of the stack share: how a state is laid out, and how a frame of it is made. */
#ifndef SUP_SRC_RUNTIME_STACK_CONTEXT_H
#define SUP_SRC_RUNTIME_STACK_CONTEXT_H

#include "supple/stack.h"

/* Where the stack's own arrays are in a state: SupStack.offsets. Those of layers follow. */
enum {
  AT_LAST,
  AT_BETWEEN,
  AT_GLOBALS,
  AT_PALETTE,
  AT_DUALS,
  AT_WEIGHTS, /* of all morph targets of the skin, the base layer's last; only with such */
  AT_PAIRS,
  AT_FRAMES,
  AT_LANES,       /* only where no model says in which lane a vertex is */
  AT_MORPHS,      /* weights of the last frame, then those between frames */
  AT_MOVED,       /* the frame's joints, moved by layers; only with such */
  AT_GOAL_FRAMES, /* only with a goal provider */
  AT_COUNT
};
_Static_assert(AT_COUNT <= 16, "SupStack.offsets");

struct SupStackState {
  uint64_t bytes;
  double ahead;            /* seconds since the last step of the follower */
  uint32_t running;        /* 0: the next frame starts afresh */
  uint32_t joints_running; /* the same for layers that move joints */
  float fade;              /* fraction of the motion by itself that is shown */
  SupTransform root;       /* of the last frame */
  float pad;
};

static inline void *sup_stack_at(const SupStack *stack, SupStackState *state, int which) {
  return (char *)state + stack->offsets[which];
}

/* The layers, for loops. */
static inline const SupLayer *sup_stack_end(const SupStack *stack) {
  return stack->layers + stack->layer_count;
}
static inline const SupLayer *sup_stack_follower(const SupStack *stack) {
  return stack->follower == SUP_NO_LAYER ? NULL : &stack->layers[stack->follower];
}
static inline const SupLayer *sup_stack_provider(const SupStack *stack) {
  return stack->provider == SUP_NO_LAYER ? NULL : &stack->layers[stack->provider];
}

/* The character's own morph targets; those of the layer whose skin it is come after them. */
static inline uint32_t sup_stack_own_morphs(const SupStack *stack) {
  return stack->skin.morph_count - stack->layers[stack->base].offer.target_count;
}

/* A frame whose values are finite (stack_repair.c). */
typedef struct SupFrameRepair {
  SupStackFrame frame;
  SupPose pose; /* the one held, where the frame's is not finite */
  bool afresh;  /* there was none to hold: the next frame begins afresh */
} SupFrameRepair;

bool sup_pose_finite(const SupPose *pose);

/* Puts such a frame in place of the context's; *out_repair must outlive it. */
void sup_context_repair(SupStackContext *c, SupFrameRepair *out_repair);

/* What was held was no frame: the next one is a jump from it, and may not hold it. */
void sup_context_forget(SupStackContext *c);

/* Goals (stack_goal.c). */
void sup_context_begin_joints(SupStackContext *c, double dt, bool afresh, SupTransform *out_joints);
void sup_context_advance(SupStackContext *c, double ago);           /* layers, then bones */
void sup_context_skin(SupStackContext *c, SupSkinCall *call);       /* with all layers */
void sup_context_skin_plain(SupStackContext *c, SupSkinCall *call); /* with none */
/* Rows of the goal where the layers and bones stand now. */
void sup_context_goal(SupStackContext *c, const SupGoal *goal);
void sup_context_follower_goal(SupStackContext *c, double ago);

/* The linear part of a lane's blended bones: out_frame[9], columns (stack_show.c). */
void sup_context_blend_lane(const SupStackContext *c, uint32_t lane, float *out_frame);

/* Output (stack_show.c): what the follower shows; the goal itself with `moving` layers or without.
 */
void sup_context_show(SupStackContext *c, SupShowTime when);
void sup_context_show_goal(SupStackContext *c, bool moving);

#endif
