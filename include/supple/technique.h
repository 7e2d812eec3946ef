/* SPDX-License-Identifier: MIT */
/*
 * Supple: what a technique is, to everything that is not that technique.
 *
 * A technique is one const table entry, SupTechnique, in its own file: its name and kind, how its
 * models are checked, and what it does to a frame. The stack (supple/stack.h) loops over entries
 * and knows no technique by name; reading, `info`, fuzzing and the page use the same entries.
 * sup_techniques() lists those of this build; a program may pass a list with entries of its own.
 *
 * A frame goes through the stages in order. What an entry may contribute, each field optional:
 *
 *   bones     move_joints  writes local transforms of joints that the clip does not move
 *   shape     goal         gives the goal: positions, normals and frames in lanes (a goal provider)
 *             morph        adds weighted morph targets to the goal, in rest space
 *   offset    advance      brings what swings by itself to a time, before morph shows it
 *   dynamics  follow       steps vertices that follow the goal in time (a follower)
 *
 * What two techniques must agree on is a trait that entries declare (SupTrait), never a pair of
 * names: who answers for inertia, who shows what gravity does, who knows the static shape.
 *
 * Lanes are the blocks of 16 vertices of supple/backend.h, in the order of the stack's skin; "rows"
 * are [blocks of n] there. All functions of an entry are called from one thread per character; they
 * allocate nothing and cannot fail, since the model has been checked.
 */
#ifndef SUPPLE_TECHNIQUE_H
#define SUPPLE_TECHNIQUE_H

#include "supple/model.h"
#include "supple/pose.h"
#include "supple/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

struct SupStack;
struct SupStackState;
struct SupStackFrame;
typedef struct SupTechnique SupTechnique;

#define SUP_STACK_MODELS 8 /* most models in one stack */
#define SUP_LAYER_VIEW 512 /* most bytes of a technique's view of a model */
#define SUP_LAYER_MORPHS 2 /* most layers of morph targets that one technique adds */
#define SUP_NO_LAYER UINT32_MAX
#define SUP_TIME_SLACK 1e-4 /* of a step: times closer than that are the same */

/* What a model of a kind does in a frame, in running order. */
typedef enum SupStage {
  SUP_STAGE_BONES,    /* adds or moves joints */
  SUP_STAGE_SHAPE,    /* the goal, a function of the pose */
  SUP_STAGE_OFFSET,   /* added to the goal */
  SUP_STAGE_DYNAMICS, /* follows the goal in time */
  SUP_STAGE_CLEANUP,
  SUP_STAGE_COUNT
} SupStage;

/* What a layer answers for, so that no other layer of the stack does it again. */
typedef enum SupTrait {
  SUP_TRAIT_INERTIA = 1,        /* shows how flesh lags behind: a follower hands the goal's
                                   acceleration on whole */
  SUP_TRAIT_GRAVITY = 2,        /* feels gravity as a force */
  SUP_TRAIT_STATIC_GRAVITY = 4, /* shows the body in balance with gravity: nobody else sags */
  SUP_TRAIT_STATIC_SHAPE = 8    /* knows the shape of every pose: others show no shape of theirs */
} SupTrait;

/* The triangles around each vertex, for normals: rows of two other corners, as lanes. */
typedef struct SupLaneRings {
  const uint32_t *first; /* [block_count + 1] into corners, in rows of 32; NULL: there are none */
  const uint32_t *corners;
} SupLaneRings;

/* What a technique says of a model when a stack is made. All pointers go into the model's block. */
typedef struct SupLayerOffer {
  uint32_t traits;       /* SupTrait bits of this model */
  uint32_t joint_count;  /* of the skeleton it was made for; 0: it does not care */
  uint32_t target_count; /* last morph targets of its skin, whose weights `morph` writes */
  const uint32_t *lanes; /* [vertex_count] lane of each vertex, or NULL */
  SupLaneRings rings;
} SupLayerOffer;

/* One model in a stack. Plain data without pointers into itself: stacks may be copied. */
typedef struct SupLayer {
  const SupTechnique *technique;
  const SupModel *model;
  SupLayerOffer offer;
  uint32_t index; /* in SupStack.layers */
  bool base;      /* its skin is the stack's own */
  uint64_t state; /* offset of its bytes in a state of the stack */
  uint64_t state_bytes;
  unsigned char view[SUP_LAYER_VIEW]; /* the technique's view of the model */
} SupLayer;

/* Where a goal goes. */
typedef struct SupGoal {
  float *positions; /* [blocks of 3] in the space of the palette */
  float *normals;   /* [blocks of 3] any length; or NULL: not wanted */
  float *frames;    /* [blocks of 9] columns of the linear map from rest to there; or NULL */
} SupGoal;

/* How far a follower is from its goal, for whoever it pushes back. */
typedef struct SupDeviation {
  const float *records; /* [8 per lane] position x y z first */
  const float *goal;    /* [blocks of 3] */
} SupDeviation;

/* When a follower is shown. */
typedef struct SupShowTime {
  bool between; /* since the last step the goal of now was made */
  float part;   /* of a step after the last one, in [0, 1); 0 unless `between` */
} SupShowTime;

/* One step of one character, while it is made: the evaluation context. */
typedef struct SupStackContext {
  const struct SupStack *stack;
  struct SupStackState *state;
  const SupBackend *backend;
  const SupJobs *jobs;
  const struct SupStackFrame *frame; /* joints that layers move are moved in its pose */
  float fade;                        /* fraction of all motion by itself that is shown */
  /* The bones as sup_context_bones left them, in the simulation's space. */
  const SupPose *pose;
  SupAffine *globals;       /* [joint_count] in the scene, but for the bones stage */
  SupAffine *palette;       /* [bone_count] */
  SupAffine space, inverse; /* simulation to scene, and back */
  /* By layer: seconds before the frame at which it stands, and whether it was advanced in it. */
  double stands[SUP_STACK_MODELS];
  bool advanced[SUP_STACK_MODELS];

  /* The stack's own. */
  double posed_ago;      /* of the bones; below 0: nowhere */
  SupTransform *last;    /* [joint_count] of the last frame */
  SupPose between;       /* the pose between frames */
  float *last_morphs;    /* weights of the character's morph targets at the last frame */
  float *morphs;         /* the same between frames */
  const float *own;      /* those of the goal being made, or NULL */
  bool filled;           /* the frame's joints have been moved by layers */
  SupDualBone *duals;    /* [bone_count] */
  float *weights;        /* [morph_count] of the stack's skin */
  const uint32_t *lanes; /* [body vertices] */
  float *pairs;          /* [8 per lane]; [8 per body vertex] when only skinning */
  float *frames;         /* [12 per lane]; unused when only skinning */
  float *goal_frames;    /* [blocks of 9] of a goal provider, or NULL */
  bool skinning;         /* nothing but skinning in this frame */
} SupStackContext;

/* Where a technique says what a model holds: `info` prints lines and puts keys into its report. */
typedef struct SupFacts {
  void *user;
  void (*line)(void *user, const char *label, const char *text); /* "" continues the last label */
  void (*number)(void *user, const char *key, double value);     /* key: lower_case */
  void (*flag)(void *user, const char *key, bool value);
  void (*text)(void *user, const char *key, const char *value);
  void (*open)(void *user, const char *key, bool array); /* a list, or an object; key NULL in one */
  void (*close)(void *user);
} SupFacts;

/* The entry. */
struct SupTechnique {
  /* ---- The model ---- */
  uint32_t kind;    /* four letters */
  const char *name; /* as on the command line */
  uint32_t version; /* the newest this build understands; older ones are read forever */
  /* Where it runs among others; its functions act in the stages named above. SUP_STAGE_COUNT: no
   * stack can hold it. */
  SupStage stage;
  /* Called for a sound container of this kind and of a version that is not newer: checks that all
   * sections are there with the right sizes, every index is in range and every number sensible. */
  SupResult (*check)(const SupModel *model, SupError *error);
  /* What is worth knowing of a checked model. May be NULL. */
  void (*describe)(const SupModel *model, const SupFacts *facts);

  /* ---- In a stack ---- */
  uint32_t view_bytes; /* at most SUP_LAYER_VIEW */
  void (*open)(const SupModel *model, void *out_view);
  const SupSkinView *(*skin)(
      const void *view); /* the body's skin that it holds; NULL: it has none */
  /* Of the skins in a stack the one of highest rank is the stack's; morph targets in it cost least.
   */
  uint32_t skin_rank;
  void (*offer)(const void *view, SupLayerOffer *out_offer); /* starts zeroed; may be NULL */

  /* ---- One character: a part of the stack's state, aligned to SUP_ALIGNMENT ---- */
  size_t (*bytes)(const struct SupStack *stack, const SupLayer *layer);
  void (*init)(const struct SupStack *stack, const SupLayer *layer, void *state);
  /* Starts afresh at the frame, where the bones of the context stand: a cut, or (`cut` false) the
   * root has jumped. Returns whether it did: some do not mind a jump. */
  bool (*reset)(SupStackContext *context, const SupLayer *layer, void *state, bool cut);

  /* ---- A frame ---- */
  /* Moves joints in io_joints[joint_count], the frame's pose to begin with, to the frame's time,
   * dt seconds after the last; `afresh` after a cut or jump. */
  void (*move_joints)(SupStackContext *context, const SupLayer *layer, void *state, double dt,
                      bool afresh, SupTransform *io_joints);
  /* The joints that it moves, `ago` seconds before the frame, in a pose that was asked for. */
  void (*fill_joints)(const SupStackContext *context, const SupLayer *layer, double ago,
                      SupPose *io_pose);
  /* Brings what swings from context->stands[index] to `ago` seconds before the frame. */
  void (*advance)(SupStackContext *context, const SupLayer *layer, void *state, double ago);
  /* Adds morph targets to a goal. base_weights[offer.target_count]: those of the stack's skin, if
   * that is the layer's (otherwise NULL). Returns the number of out_layers[SUP_LAYER_MORPHS]. */
  uint32_t (*morph)(SupStackContext *context, const SupLayer *layer, void *state,
                    float *base_weights, SupSkinLayer *out_layers);
  /* Gives the goal in place of skinning, `ago` seconds before the frame, where the bones of the
   * context stand. */
  void (*goal)(SupStackContext *context, const SupLayer *layer, void *state, double ago,
               const SupGoal *goal);

  /* ---- A follower: all of these, or none ---- */
  /* Where the next goal goes; normals NULL where it needs none. */
  SupGoal (*target)(const SupLayer *layer, void *state);
  void (*follow)(SupStackContext *context, const SupLayer *layer, void *state); /* a step of h */
  void (*strike)(SupStackContext *context, const SupLayer *layer, void *state); /* blows */
  void (*show)(SupStackContext *context, const SupLayer *layer, void *state, SupShowTime when,
               float *out_pairs); /* [8 per lane]: shown x y z 0, goal x y z 0 */
  SupDeviation (*deviation)(const SupLayer *layer, const void *state);

  /* ---- What a follower pushes back ---- */
  /* Takes up a fraction of the follower's deviation, from its next step on. May be NULL. */
  void (*push_back)(SupStackContext *context, const SupLayer *layer, void *state,
                    SupDeviation deviation, float fraction);
};

/* The techniques of this build, ended by NULL. Static storage. */
const SupTechnique *const *sup_techniques(void);

/* The entry of a kind in a list ended by NULL (NULL: this build's), or NULL. */
const SupTechnique *sup_technique_find(const SupTechnique *const *techniques, uint32_t kind);

/* What a model whose container is sound is: its kind, version, step and size, then what its
 * technique says of it, if that is in the list (NULL: this build's) and the check was passed.
 * Returns the result of the check. */
SupResult sup_model_describe(const SupModel *model, const SupTechnique *const *techniques,
                             const SupFacts *facts, SupError *error);

/* ---- What entries may call ---------------------------------------------------------------------
 */

/* The technique's own view and state of a layer. */
static inline const void *sup_layer_view(const SupLayer *layer) { return layer->view; }
void *sup_layer_state(const SupStackContext *context, const SupLayer *layer);

/* Does a layer of the stack have the trait? `above`: only layers of later stages than this one's
 * count; NULL: all. */
bool sup_stack_has_trait(const struct SupStack *stack, SupTrait trait, const SupLayer *above);

/* Is the layer pushed back by a follower in this stack? */
bool sup_layer_pushed(const struct SupStack *stack, const SupLayer *layer);

/* The pose `ago` seconds before the frame; valid until the next call. Not for `morph` and `goal`,
 * for which the context has its pose and bones ready. */
const SupPose *sup_context_pose(SupStackContext *context, double ago);

/* Brings the bones to `ago` seconds before the frame: pose, globals, palette, space. */
void sup_context_bones(SupStackContext *context, double ago);

/* The frame's gravity, in the simulation's space. */
SupVec3 sup_context_gravity(const SupStackContext *context);

/* From the scene to the simulation's space; NULL where they are the same. */
const SupAffine *sup_context_to_space(const SupStackContext *context);

/* How each vertex turns from rest, to carry normals and tangents: the linear part of its blended
 * bones, then the turn from one ring of triangles to another. pairs[8 per lane]: shown x y z 0 and
 * what it is compared with, x y z 0; out_frames[12 per lane]: columns of a 3x3 matrix, then the
 * shown position. Without rings vertices turn with their bones alone. `jobs` may be NULL. */
void sup_lane_frames(const SupSkinView *skin, SupLaneRings rings, const SupBackend *backend,
                     const SupJobs *jobs, const SupAffine *palette, const float *pairs,
                     float *out_frames);

/* What the frame's caller tells a technique (SupStackFrame.controls), or NULL. */
const void *sup_frame_controls(const struct SupStackFrame *frame, uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
