/* SPDX-License-Identifier: MIT */
/*
 * Supple: learning the helpers technique (supple/helpers.h) from examples: helper bones by skinning
 * decomposition, then for each a static and a dynamic controller. docs/techniques/helpers.md has
 * the equations.
 */
#ifndef SUPPLE_TRAIN_HELPERS_H
#define SUPPLE_TRAIN_HELPERS_H

#include "supple/author/helpers_pack.h"
#include "supple/train/bake.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An example. */
typedef struct SupHelpersMotion {
  double fps; /* the same for all that move */
  uint32_t frame_count;
  const SupTransform *poses; /* [frame_count * joint_count] */
  const SupVec3 *positions;  /* [frame_count * body.vertex_count] scene space */
  bool still;                /* poses, each by itself: says nothing of dynamics */
  uint32_t material;         /* which of the definition's; poses may say SUP_HELPERS_EVERY */
} SupHelpersMotion;

#define SUP_HELPERS_EVERY UINT32_MAX /* poses that are the same in every material */

/* What drives the dynamics. */
typedef enum SupHelpersDrive {
  SUP_HELPERS_FELT,     /* what the helper's flesh feels: acceleration of its place and angular
                           acceleration, in the parent's axes */
  SUP_HELPERS_PUBLISHED /* rotations of all joints and the root's velocities */
} SupHelpersDrive;

/* How the number of states is chosen. */
typedef enum SupHelpersOrder {
  SUP_HELPERS_VALIDATED, /* the least error on parts that are left out in turn */
  SUP_HELPERS_BIC,       /* Bayesian information criterion */
  SUP_HELPERS_FRACTION   /* singular values that make up `share` of their sum: as published */
} SupHelpersOrder;

/* What kind of system. */
typedef enum SupHelpersSystem {
  SUP_HELPERS_STATE_SPACE, /* subspace identification */
  SUP_HELPERS_LOW_RANK,    /* the same on outputs of small nuclear norm */
  SUP_HELPERS_ARX          /* baseline: auto-regression, running freely */
} SupHelpersSystem;

/* Whether a helper may hang below another one, as the links of a tail do. */
typedef enum SupHelpersChains {
  SUP_HELPERS_NO_CHAINS,  /* below bones of the character only, standing in the middle of its flesh:
                             as published */
  SUP_HELPERS_CHAINS_PAY, /* where learning it so leaves clearly less */
  SUP_HELPERS_CHAINS_ALL  /* wherever it moves less against the other one than against any bone */
} SupHelpersChains;

/* Start from sup_helpers_train_def. */
typedef struct SupHelpersTrainDef {
  uint32_t cookie;
  const SupCharacter *character;
  SupAffine bind_to_scene; /* body space -> scene in the rest pose */
  uint32_t motion_count;
  const SupHelpersMotion *motions;
  uint32_t material_count; /* bones and weights are found from all motions together, controllers
                              from those of each material; 1 */
  bool mix_frequencies;    /* a blend of materials has the frequencies of all, not one between */
  SupVec3 gravity;         /* m/s^2 that the examples felt; 0 */
  SupDecomposeDef solver;  /* helper_count (8), influences, sweeps, jobs ... */
  uint32_t basis_frames;   /* weights are found from about so many frames; 400 */
  /* Static. */
  uint32_t degree; /* of the polynomial, 1 to 3; 2 */
  uint32_t reach;  /* joints away from the parent that are looked at; 2 */
  double shrink;   /* fraction of the smallest alpha that leaves nothing; 0: by cross-validation */
  uint32_t parents_tried;  /* bones for which a static controller is tried; 4, 0: all */
  SupHelpersChains chains; /* SUP_HELPERS_CHAINS_PAY */
  /* Dynamic. */
  SupHelpersDrive drive;
  SupHelpersSystem system;
  SupHelpersOrder order;
  uint32_t states; /* of a helper, at most; 1 to SUP_HELPERS_STATES, 12 */
  double fraction; /* 0.95 */
  uint32_t blocks; /* block rows of the Hankel matrices; 10 */
  uint32_t lags;   /* of ARX; 2 */
  double beta;     /* nuclear norm: times the variance of the outputs and frames; 1 */
  bool each;       /* a system for every number of a helper instead of one for its six */
  double sparse;   /* LASSO on B and D; 0 */
  double ridge;    /* on B and D, fraction of a column's square; 1e-3 */
  bool without_d;  /* nothing follows its input at once */
  double slowest;  /* Hz: slower changes are not dynamics; 1, 0: everything is */
  uint32_t polish; /* rounds of output-error steps; 8 */
  uint32_t rounds; /* how often the static part is fitted again to what does not swing; 3 */
  double margin;   /* eigenvalues stay within 1 - margin; 1e-3 */
  double box; /* velocities and accelerations beyond this many times the learned ones are cut; 2 */
  double cut; /* what is felt says no more beyond this many standard deviations; 0: by leaving out
                 parts, which cuts where swings grow less than what drives them; 1e9: never */
  bool keep_weights; /* of the decomposition: do not fit weights again to what controllers do */
} SupHelpersTrainDef;

SupHelpersTrainDef sup_helpers_train_def(const SupCharacter *character);

/* How the frequency of a material came about. */
typedef enum SupHelpersRatio {
  SUP_HELPERS_RATIO_FIRST,   /* others are counted in it: 1 */
  SUP_HELPERS_RATIO_FOUND,   /* in the examples */
  SUP_HELPERS_RATIO_UNCLEAR, /* the examples do not tell: 1, a blend mixes outputs */
  SUP_HELPERS_RATIO_MIXED,   /* not asked for: mix_frequencies, ARX, or published inputs */
  SUP_HELPERS_RATIO_NO_POWER /* a system was learned that cannot go at another pace: all are 1 */
} SupHelpersRatio;

/* Of several materials: states of all, the largest bounds and ranges of any. */
typedef struct SupHelpersTrainReport {
  uint32_t helper_count, state_count;
  double mean_order; /* states per helper number: of a shared system, its states / 6 */
  uint32_t turn_count, frame_count, feature_count, weight_count; /* static weights not zero */
  const uint32_t *orders;                                        /* [helper_count] states */
  const uint32_t *parents; /* [helper_count] joints; joint_count + h for another helper */
  const double *bounds;    /* [6 * helper_count] that no swing exceeds, whatever the input */
  const double *ranges;    /* [6 * helper_count] greatest swing in the examples */
  const double *cuts;      /* [helper_count] as in the definition, found; 1e9: never */
  double radius;           /* largest of the systems' spectral radii */
  double peak;             /* largest gain over all frequencies, of normalised numbers */
  /* Metres, root mean square over vertices (by area) and frames of the examples that move. */
  double plain_rmse, decomposed_rmse, static_rmse, rmse;
  uint32_t material_count;
  const double *frequency_ratios; /* [material_count] how fast each swings: times the first */
  const double *material_rmses;   /* [material_count] metres */
  /* [material_count], NULL with one material. Likenesses: how well it and the first say each
   * other's swings at that frequency, the mean of both correlations; 0 where nothing was compared.
   */
  const SupHelpersRatio *ratio_kinds;
  const double *likenesses;
} SupHelpersTrainReport;

/* What was learned; everything in the arena. Joints of helpers are joint_count + h. */
typedef struct SupHelpersTrained {
  SupHelpersDef def;             /* for the character with the joints added */
  const SupBakedHelper *helpers; /* [helper_count] joints to add; parents may be joint_count + an
                                    earlier one */
  SupSkin skin;                  /* bones: the character's, then the helpers */
  uint32_t material_count;
  SupHelpersDef defs[SUP_HELPERS_MATERIALS];      /* of each material; the first is `def` */
  double frequency_ratios[SUP_HELPERS_MATERIALS]; /* for sup_helpers_pack_materials */
} SupHelpersTrained;

/* The same bits for any number of threads. */
SupResult sup_helpers_train(SupArena *arena, const SupHelpersTrainDef *def,
                            SupHelpersTrained *out_trained, SupHelpersTrainReport *out_report,
                            SupError *error);

/* The character with its helpers: joints and bones behind its own, the new weights. */
SupResult sup_helpers_character(SupArena *arena, const SupCharacter *character,
                                const SupHelpersTrained *trained, SupCharacter *out_character,
                                SupError *error);

/* The definition with every joint j replaced by map[j], map[joint_count + helper_count]: for a
 * document whose reader numbers joints in its own way. */
SupResult sup_helpers_renumber(SupArena *arena, const uint32_t *map, SupHelpersDef *io_def,
                               SupError *error);

#ifdef __cplusplus
}
#endif
#endif
