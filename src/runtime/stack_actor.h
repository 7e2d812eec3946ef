/* SPDX-License-Identifier: MIT */
/* What the files of the stack share: how a state is laid out, and one frame of it being made. */
#ifndef SUP_SRC_RUNTIME_STACK_ACTOR_H
#define SUP_SRC_RUNTIME_STACK_ACTOR_H

#include "supple/stack.h"

#define STACK_SLACK 1e-4 /* of h: times closer than that are the same */

/* Where the arrays of a state are, in SupStack.offsets. */
enum {
  AT_LAST,
  AT_WORK,
  AT_GLOBALS,
  AT_PALETTE,
  AT_DUALS,
  AT_SURFACE,
  AT_MODES,
  AT_WEIGHTS,  /* of all morph targets of the skin, the modes (or the components of the correctives)
                  last; only with such */
  AT_FEATURES, /* of the posture; only with correctives */
  AT_LAYER,    /* weights of the correctives' own skin; only with correctives and modes */
  AT_BENDS,    /* how the goal's step changed last; only for modes under a surface */
  AT_COUPLING, /* the surface's force on the modes, then what it is divided by; with coupling */
  AT_POPPING,  /* muscles */
  AT_POP_WEIGHTS, /* of the pairs, of the same fading, of the relaxed shapes as a layer, then the
                     features of the posture; only with popping */
  AT_PAIRS,
  AT_FRAMES,
  AT_LANES, /* only where no model says in which lane a vertex is */
  AT_SCALES,
  AT_MORPHS,  /* weights of the last frame, then those between frames */
  AT_HELPERS, /* only with helpers */
  AT_POSED,   /* the frame's joints, helpers moved; only with helpers */
  AT_COUNT
};
_Static_assert(AT_COUNT <= 24, "SupStack.offsets");

struct SupStackState {
  uint64_t bytes;
  double ahead;      /* seconds since the last step */
  uint32_t running;  /* 0: the next frame starts afresh */
  float fade;        /* share of the dynamics that is shown */
  SupTransform root; /* of the last frame */
  float pad[2];
  double helpers_ahead; /* seconds since the last step of the helpers */
  uint32_t helpers_on;  /* 0: they start afresh */
  uint32_t pad_on;
};

/* The arrays of one state. */
typedef struct Actor {
  const SupStack *stack;
  SupStackState *state;
  const SupBackend *backend;
  const SupJobs *jobs;
  const SupStackFrame *frame;
  SupTransform *last;   /* joints of the last frame */
  SupPose work;         /* the pose between frames */
  float *last_morphs;   /* weights of the last frame */
  float *morphs;        /* weights between frames */
  const float *own;     /* those of the goal being made, or NULL */
  const SupPose *posed; /* the pose at which the bones stand */
  SupAffine *globals, *palette;
  SupDualBone *duals;
  SupSurfaceState *surface;
  SupModesState *modes;
  double modes_ago; /* seconds before the frame at which the modes stand */
  SupPoppingState *popping;
  double popping_ago; /* seconds before the frame at which the muscles stand */
  bool heard;         /* the frame's clenches that are older than that */
  float *pop_weights; /* see AT_POP_WEIGHTS */
  float *weights;     /* of the skin's morph targets, the model's whose skin it is last */
  SupHelpersState *helpers;
  bool filled;              /* the frame's joints have the helpers moved */
  float *features;          /* of the posture, for the correctives */
  float *layer_weights;     /* of the morph targets of the correctives' skin */
  float *bends;             /* [blocks of 3] */
  float *coupling;          /* [2 rows of the modes' lanes], or NULL */
  const uint32_t *lanes;    /* [body vertices] */
  float *pairs;             /* [8 per lane]; [8 per body vertex] when only skinning */
  float *frames;            /* [12 per lane]; unused when only skinning */
  bool skinning;            /* nothing but skinning in this frame */
  SupAffine space, inverse; /* simulation space to scene, and back, at the last pose evaluated */
} Actor;

static inline void *sup_stack_at(const SupStack *stack, SupStackState *state, int which) {
  return (char *)state + stack->offsets[which];
}

/* The character's own morph targets; those of the model whose skin it is come after them. */
static inline uint32_t sup_stack_own_morphs(const SupStack *stack) {
  const uint32_t others = stack->has_modes         ? stack->modes.mode_count
                          : stack->has_correctives ? stack->correctives.component_count
                          : stack->has_popping     ? stack->popping.pair_count
                                                   : 0;
  return stack->skin.morph_count - others;
}

/* Do the correctives show what gravity does? Then nothing else may. */
static inline bool sup_stack_carries_gravity(const SupStack *stack) {
  return stack->has_correctives && stack->correctives.heavy_count > 0;
}

/* Are the relaxed shapes of the pairs shown? Correctives know the shape of every posture better. */
static inline bool sup_stack_shows_relaxed(const SupStack *stack) {
  return stack->has_popping && !stack->has_correctives;
}

static inline const SupAffine *sup_actor_scene_to_space(const Actor *a) {
  return a->stack->def.space == SUP_SPACE_WORLD ? NULL : &a->inverse;
}

/* Modes that the surface pushes back (stack_couple.c). */
static inline bool sup_stack_coupled(const SupStack *stack) {
  return stack->has_modes && stack->has_surface && stack->def.back_coupling > 0;
}
void sup_stack_couple_init(const SupStack *stack, float *coupling);
void sup_actor_couple(Actor *a);

/* Has the root jumped since the last frame (stack.c)? */
bool sup_actor_teleported(const Actor *a);

/* Helpers (stack_bones.c): brings them to the frame's time and writes its joints with them moved
 * into out_joints. The pose between frames gets those that lie between the last frame's and this
 * one's. */
void sup_actor_move_helpers(Actor *a, double dt, SupTransform *out_joints);
void sup_actor_fill_helpers(const Actor *a, double ago, SupPose *io_pose);

/* Goals (stack_goal.c). */
const SupPose *sup_actor_pose_before(Actor *a, double ago);
void sup_actor_pose_bones(Actor *a, const SupPose *pose);
void sup_actor_skin(Actor *a, SupSkinCall *call);
void sup_actor_skin_plain(Actor *a, SupSkinCall *call); /* without modes and correctives */
void sup_actor_advance_modes(Actor *a, double ago);
void sup_actor_advance_popping(Actor *a, double ago);
void sup_actor_make_goal(Actor *a, double ago);

/* Output (stack_show.c): what the surface shows, or what skinning alone wrote into the pairs. */
void sup_actor_show(Actor *a, SupSurfaceShow show);
void sup_actor_show_skin(Actor *a);

/* Whether normals are wanted that must follow what modes and correctives do, and can; and the same
 * output as sup_actor_show_skin with those. */
bool sup_actor_bends(const Actor *a);
void sup_actor_show_bent(Actor *a);

#endif
