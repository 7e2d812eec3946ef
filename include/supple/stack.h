/* SPDX-License-Identifier: MIT */
/*
 * Supple: the stack, everything that happens to a character in one frame.
 *
 * A file holds models; the stack runs them in the order of their stages: bones, shape, offset,
 * dynamics, clean-up. One call per frame: pose in, positions and normals out, at any frame rate.
 *
 *   SupStack stack;                                           shared by all such characters
 *   sup_stack_make(&def, &stack, &error);
 *   SupStackState *state = sup_stack_init(&stack, block);     block[sup_stack_bytes(&stack)]
 *   sup_stack_step(&stack, state, backend, jobs, &frame);     each frame
 *
 * Dynamics runs at its model's own step h, on poses interpolated between the caller's (or asked
 * for). The state shown is that of the frame's time, not of the last step.
 */
#ifndef SUPPLE_STACK_H
#define SUPPLE_STACK_H

#include "supple/external_forces.h"
#include "supple/technique.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The stage of a kind of model in a list of techniques (NULL: this build's), or SUP_STAGE_COUNT for
 * one that no stack can hold. */
SupStage sup_stack_stage(const SupTechnique *const *techniques, uint32_t kind);

/* How vertices as files have them hang on the body. */
typedef struct SupStackRender {
  uint32_t vertex_count;
  const uint32_t *to_body; /* [vertex_count] */
  const SupVec3 *normals;  /* [vertex_count] bind space, or NULL */
  const SupVec4 *tangents; /* [vertex_count] or NULL */
} SupStackRender;

/* In which space inertia is felt. */
typedef enum SupSpace {
  SUP_SPACE_WORLD, /* all motion makes flesh lag */
  SUP_SPACE_MODEL, /* moving the root does not */
  SUP_SPACE_JOINT  /* motion of one joint (a vehicle, a hip) does not */
} SupSpace;

/* Start from sup_stack_def. Everything pointed to must outlive the stack. */
typedef struct SupStackDef {
  uint32_t cookie;
  const SupSkeleton *skeleton;
  uint32_t model_count;
  const SupModel *const *models; /* checked; any order, each kind once */
  SupStackRender render;         /* vertex_count 0: output is by body vertex */
  bool dual_quaternions;         /* skin with dual quaternions instead of linear blending; not where
                                    a layer gives the goal in place of skinning */
  SupSpace space;
  uint32_t space_joint;
  float teleport_distance; /* metres the root may move in one frame; 0: ten times the body's size */
  float teleport_angle;    /* radians; 0: no limit */
  float longest;           /* seconds simulated in one call at most; beyond: restart. 0.25 */
  float fade_seconds;      /* how long the return from or to plain skinning takes; 0.25 */
  /* A follower over layers that it can push (a surface over modes): fraction of what contact, pulls
   * and blows do to it that they take up, a step later, and then swing on with; 0 to 1. 0: none. */
  float back_coupling;
  const SupTechnique *const *techniques; /* ended by NULL; NULL: this build's */
} SupStackDef;

SupStackDef sup_stack_def(void);

/* A stack: plain data, shared by all characters of this kind, never written after it was made. */
typedef struct SupStack {
  SupStackDef def;
  SupSkinView skin; /* of the body */
  uint32_t layer_count;
  SupLayer layers[SUP_STACK_MODELS]; /* by stage, then in the order of the list of techniques */
  uint32_t base;                     /* the layer whose skin it is */
  bool moves_joints;                 /* some layer does */
  uint32_t follower;                 /* the layer that follows the goal; SUP_NO_LAYER without */
  uint32_t provider;     /* the layer that gives the goal; SUP_NO_LAYER: skinning does */
  float h;               /* of the follower; 0 without */
  float size;            /* diagonal of the body */
  uint32_t vertex_count; /* of the output */
  uint64_t offsets[16], state_bytes; /* layout of a state */
} SupStack;

/* The layer of that kind, or NULL, and its technique's view of the model (`View` of its header). */
const SupLayer *sup_stack_layer(const SupStack *stack, uint32_t kind);
const void *sup_stack_view(const SupStack *stack, uint32_t kind);

/* Puts the models into their stages. Fails with a sentence when one belongs to another skeleton or
 * mesh, is there twice, or cannot go with another, or when nothing says what the goal is. At least
 * one model must hold a skin. *out_stack is untouched on failure. */
SupResult sup_stack_make(const SupStackDef *def, SupStack *out_stack, SupError *error);

/* One living character: one block, no pointers; copying the bytes copies the character. */
typedef struct SupStackState SupStackState;

size_t sup_stack_bytes(const SupStack *stack);
SupStackState *sup_stack_init(const SupStack *stack, void *block);

/* The state of one technique inside a character's, by the kind of its model: for what is told a
 * technique besides frames, such as the materials of helpers (sup_helpers_blend). NULL where the
 * stack has no such model or the technique no state. */
void *sup_stack_state_of(const SupStack *stack, SupStackState *state, uint32_t kind);

/* The local transforms of the last frame's joints, [joint_count], as layers moved them (helpers);
 * NULL where no layer does: they are the frame's own. */
const SupTransform *sup_stack_joints(const SupStack *stack, SupStackState *state);

/* The next frame starts afresh at its pose: after a cut. */
void sup_stack_reset(SupStackState *state);

/* What a technique of the stack is told, in its own terms: the `Controls` of its header. */
typedef struct SupStackControl {
  uint32_t kind;
  const void *data;
} SupStackControl;

/* One frame. */
typedef struct SupStackFrame {
  float dt;            /* seconds since the last frame, >= 0 */
  const SupPose *pose; /* now */
  /* Answers the pose `ago` seconds before now, for steps between the frames; NULL: interpolate
   * between the last frame's pose and this one's. out_pose has room for all joints. */
  void (*pose_at)(void *user, float ago, SupPose *out_pose);
  /* Answers the morph weights then; NULL: interpolate. Asked only where morph_weights is given. */
  void (*morphs_at)(void *user, float ago, float *out_weights);
  void *user;
  const float *morph_weights;      /* [morph targets of the character] now, or NULL */
  const SupExternalForces *forces; /* scene space, or NULL */
  uint32_t impulse_count;
  const SupImpulse *impulses; /* felt once, whatever the frame rate */
  uint32_t control_count;
  const SupStackControl *controls; /* [control_count] of kinds that are not there: ignored */
  bool off;                        /* far away: fade to the shape of the pose and stop simulating */
  SupSkinOutput positions;         /* scene space, 3 components, stride >= 3 */
  SupSkinOutput normals;           /* 3 components, unit length; or NULL data */
  SupSkinOutput tangents;          /* 4 components; needs render tangents; or NULL data */
} SupStackFrame;

/* Moves one character to the frame's time and writes its vertices. Allocates nothing, cannot fail.
 * The same bits for every backend of the processor and every number of threads. */
void sup_stack_step(const SupStack *stack, SupStackState *state, const SupBackend *backend,
                    const SupJobs *jobs, const SupStackFrame *frame);

/* The same for count characters of one stack, each on one thread; the same bits as one by one. */
void sup_stack_step_all(const SupStack *stack, SupStackState *const *states, uint32_t count,
                        const SupBackend *backend, const SupJobs *jobs,
                        const SupStackFrame *frames);

#ifdef __cplusplus
}
#endif
#endif
