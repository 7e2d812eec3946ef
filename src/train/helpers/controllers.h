/* SPDX-License-Identifier: MIT */
/* Learning controllers, step by step. */
#ifndef SUP_SRC_TRAIN_HELPERS_CONTROLLERS_H
#define SUP_SRC_TRAIN_HELPERS_CONTROLLERS_H

#include "numerics/state_space.h"
#include "supple/train/helpers.h"
#include "train/bake/bake_helpers.h"

#define OUTPUTS SUP_HELPERS_OUTPUTS
#define SUP_LEARNER_EACH 9u /* states of a system for one number, at most */

/* What was found out about a system; kept while it is learned again. */
typedef struct Choice {
  uint32_t order; /* 0: not yet */
  double ridge;   /* on B and D */
  double gain;    /* 0..1: how much of the swings parts that were left out bear out */
  double left;    /* the square that is left of those parts; 0: not asked */
} Choice;

/* One helper while it is learned. */
typedef struct Controller {
  uint32_t parent_bone;   /* the nearest one above */
  uint32_t parent_helper; /* SUP_NONE below a bone */
  SupBakedHelper joint;   /* its parent: joint_count + the helper as it was found */
  SupVec3d at;            /* where it stands at rest, in the scene */
  double scale[OUTPUTS];  /* from its numbers to metres of its flesh */
  double *q;              /* [frames * 6] what it should do */
  double *x;              /* [frames * 6] what its pose says */
  double *y;              /* [frames * 6] how it swings, once that is known; or NULL */
  uint32_t feature_count;
  uint32_t *features;
  double *weights;  /* [6 * (1 + feature_count)] */
  double residual;  /* square metres left by the static part */
  SupAffined *goes; /* [frames] where it really is in the scene, once that is known; or NULL */
  uint32_t input_count;
  uint32_t *inputs;
  double *limits;          /* [2 * input_count] least and greatest that it is told of */
  double cut;              /* of inputs, in standard deviations from their mean; 0: not yet */
  SupSystem system;        /* inputs + 1, the constant last */
  Choice choices[OUTPUTS]; /* the first alone where one system has all outputs */
  double range[2 * OUTPUTS], bound[OUTPUTS];
} Controller;

typedef struct Learner {
  SupArena *arena;
  const SupHelpersTrainDef *def;
  const SupCharacter *character;
  SupError *error;
  HelperBaker baker;
  uint32_t frames;          /* of all motions */
  const uint32_t *frame_of; /* [frames] of the baker's; NULL: the same */
  double h;
  uint32_t turn_count, frame_count, input_count;
  uint32_t *turns;         /* joints whose rotations change */
  SupHelpersFrame *places; /* [frame_count] */
  double *u;               /* [frames * input_count] */
  double *box;             /* [2 * input_count] */
  uint32_t feature_count;  /* of all turns */
  uint32_t *features;      /* [3 * feature_count] */
  uint32_t *feature_turn;  /* [feature_count] */
  double *values;          /* [frames * feature_count] */
  Controller *controllers; /* [helper_count] as they were found */
  uint32_t *order;         /* [helper_count] the same, parents before children */
  uint32_t *rank;          /* [helper_count] where each is in that order */
  double radius, peak;
} Learner;

/* Joints that turn, and the polynomial's terms of all of them (controllers_inputs.c). */
SupResult sup_learner_find_turns(Learner *l);
/* u of all frames, through the run time's own eyes; places are known. */
SupResult sup_learner_read(Learner *l);

/* Parent and static controller of helper h; hanging it below a bone, or below a helper that is
 * learned (then `bone` is that one's); the static part again when the swings are known
 * (controllers_static.c). */
SupResult sup_learner_pose(Learner *l, uint32_t h);
/* What carries it in a frame, in the scene. */
SupAffined sup_learner_carrier(const Learner *l, const Controller *c, uint32_t frame);
/* What it should do below the parent that it has. */
void sup_learner_follow(const Learner *l, uint32_t h);
void sup_learner_hang(Learner *l, uint32_t h, uint32_t bone, uint32_t helper, SupVec3d at);
SupResult sup_learner_pose_again(Learner *l, uint32_t h);

/* Dynamic controller of helper h; `last`: with everything, not in passing
 * (controllers_dynamic.c). */
SupResult sup_learner_swing(Learner *l, uint32_t h, bool last);
/* Where what it feels is cut, by the order that was chosen in passing. */
SupResult sup_learner_cut(Learner *l, uint32_t h);

/* Everything about helper h below the parent that it has (controllers.c). */
SupResult sup_learner_learn(Learner *l, uint32_t h);

/* The places whose motion is felt, and u again: parents have changed (controllers.c). */
SupResult sup_learner_feel(Learner *l);

/* All helpers in turn, some of them below others; the order of joints (controllers_chain.c). */
SupResult sup_learner_learn_all(Learner *l);
/* Those that hang where they should, from the pose on. */
SupResult sup_learner_learn_again(Learner *l);

/* One system of a series of normalised numbers (controllers_system.c). */
typedef struct Quest {
  const SupHelpersTrainDef *def;
  SupArena *arena;
  SupSeries series;
  SupError *error;
  bool last;              /* with everything, not in passing */
  uint32_t blocks;        /* block rows; found */
  const uint8_t *part_of; /* [frames]; found */
} Quest;

/* With at most so many states. What io_choice holds already is not chosen again. */
SupResult sup_learner_find_system(Quest *q, uint32_t most, Choice *io_choice, SupSystem *out);

/* The motions of one material alone: a learner whose helpers hang where `l`'s do and are not
 * learned yet (controllers_materials.c). */
SupResult sup_learner_divide(const Learner *l, uint32_t material, Learner *out);

/* Once they are: how fast each swings, as a multiple of the first (controllers_frequency_ratio.c).
 */
SupResult sup_learner_frequency_ratios(uint32_t count, const Learner *learners, double *out_ratios,
                                       SupHelpersTrainReport *io_report);

/* Refuses more states than the materials of a helper can have together, where a system has so many
 * inputs at most; before anything is learned. */
SupResult sup_learner_check_states(const SupHelpersTrainDef *def, uint32_t inputs, SupError *error);

/* Squares that are left on parts that are left out in turn: clips, where they can judge, else
 * pieces of them. */
enum { MOST_JUDGES = 8 };
typedef struct Judgement {
  uint32_t count; /* 0: too few frames are left to ask */
  double squares[MOST_JUDGES], sum;
} Judgement;

SupResult sup_learner_judge(Quest *q, uint32_t states, double ridge, Judgement *out);

/* Weights fitted to what the controllers do, and the errors (controllers_body.c). */
SupResult sup_learner_dress(Learner *l, SupHelpersTrained *io_trained,
                            SupHelpersTrainReport *io_report);

#endif
