/* SPDX-License-Identifier: MIT */
/* Inside of the study of Guo 2007. */
#ifndef SUP_SRC_APP_PAPER_GUO_PARTS_H
#define SUP_SRC_APP_PAPER_GUO_PARTS_H

#include "supple/app/paper_guo2007.h"
#include "supple/author/joint_map.h"

/* An elbow that is flexed as far as in the examples, and arms that are folded in. */
#define SUP_GUO_ELBOW 1.9
#define SUP_GUO_FOLD 1.1

/* Random poses to learn from. */
enum { SUP_GUO_MORE_COUNT = 12, SUP_GUO_MORE_QUICK = 3, SUP_GUO_MORE_FULL = 60 };

/* The arms of a character: of two sides, or one without a side (side 0). */
typedef struct GuoArms {
  uint32_t upper[2], lower[2]; /* joints, or SUP_NONE */
  uint32_t chest;              /* the joint that all arms hang on */
} GuoArms;

SupResult sup_guo_find_arms(const SupAppContext *app, const SupGuoFigure *figure, GuoArms *out,
                            SupError *error);

/* How far elbows are flexed and arms folded in, fractions of the above, left and right. */
typedef struct GuoTurns {
  const char *name;
  double elbow[2], fold[2];
} GuoTurns;

/* From rest: joints[joint_count]. */
void sup_guo_pose(const SupGuoFigure *figure, const GuoArms *arms, const GuoTurns *turns,
                  SupTransform *out_joints);

/* 0 .. 1: how strongly the flesh of an upper arm pulls, from its elbow alone. */
double sup_guo_pull(const SupGuoFigure *figure, const GuoArms *arms, uint32_t side,
                    const SupTransform *joints);

/* All sets of poses of a figure; with `primary`, those that are scripted are taken from it. */
SupResult sup_guo_pose_all(const SupGuoStudy *study, const SupGuoFigure *primary,
                           SupGuoFigure *figure, const GuoArms *arms, SupError *error);

/* figure->areas, from the arms. */
SupResult sup_guo_upper_body(const SupAppContext *app, const GuoArms *arms, SupGuoFigure *figure,
                             SupError *error);

/* Equilibria of all poses. */
SupResult sup_guo_settle(const SupGuoStudy *study, const GuoArms *arms, SupGuoFigure *figure,
                         SupError *error);

/* Matrices of a pose: globals[joint_count], palette[bone_count]. */
void sup_guo_palette(const SupGuoFigure *figure, const SupTransform *joints, SupAffine *globals,
                     SupAffine *palette);

/* ---- Learning -------------------------------------------------------------------------------- */

/* What shows a pose. */
typedef struct GuoShower {
  const SupGuoFigure *figure;
  SupGuoWay way;
  const struct SupPoseShapes *pose_shapes;
  const struct SupDeltaMush *mush;
  SupEnvelopeView view; /* envelopes */
  SupEnvelopeState *state;
  const SupBackend *backend;
  float *strengths; /* or NULL */
  float *rows;
  double *weights;
  const SupModel *model; /* correctives, envelopes */
  SupAffine *globals, *palette;
} GuoShower;

/* Learns a way; counts, bytes and seconds go into the row. */
SupResult sup_guo_learn(const SupGuoStudy *study, const SupGuoFigure *figure, SupGuoWay way,
                        GuoShower *out, SupGuoRow *io_row, SupError *error);

/* Shows a pose: out[vertex_count]. Not of correctives, which a stack shows. */
void sup_guo_show(GuoShower *shower, const SupTransform *joints, SupVec3 *out);

#endif
