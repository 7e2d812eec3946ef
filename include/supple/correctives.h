/* SPDX-License-Identifier: MIT */
/*
 * Supple: the correctives technique: the shape that a pose gives to flesh.
 *
 * What skinning misses of the equilibrium of every pose (the bulge of a bent arm, the fold, the
 * sag) is a sum of a few fixed offset fields whose weights are a small matrix times numbers read
 * off the joints. The fields are morph targets of the skin: a vertex costs what morph targets cost,
 * and there is no state. docs/techniques/correctives.md has the equations.
 *
 * Offsets live in rest space under the blend of the bones, like morph targets and modes.
 */
#ifndef SUPPLE_CORRECTIVES_H
#define SUPPLE_CORRECTIVES_H

#include "supple/skeleton.h"
#include "supple/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_CORRECTIVES_KIND SUP_FOURCC('C', 'O', 'R', 'R')
#define SUP_CORRECTIVES_VERSION 2u      /* 1 had no products; such models are still read */
#define SUP_CORRECTIVES_MOST 1024u      /* components in one model */
#define SUP_CORRECTIVES_FEATURES 65536u /* numbers that describe a pose */
#define SUP_CORRECTIVES_GRAVITY 9.81f   /* m/s^2 that make a feature of gravity 1 */

/* The sections besides the skin's (supple/skin.h), in the order of SupCorrectivesView. Axes
 * and pairs from version 2 on. */
#define SUP_SECTION_CORRECTIVES_COUNTS SUP_FOURCC('C', 'R', 'C', 'N') /* flags .. pair_count */
#define SUP_SECTION_CORRECTIVES_DRIVERS SUP_FOURCC('C', 'R', 'D', 'R')
#define SUP_SECTION_CORRECTIVES_REST SUP_FOURCC('C', 'R', 'R', 'T')
#define SUP_SECTION_CORRECTIVES_HEAVY SUP_FOURCC('C', 'R', 'H', 'V')
#define SUP_SECTION_CORRECTIVES_AXIS_DRIVERS SUP_FOURCC('C', 'R', 'A', 'D')
#define SUP_SECTION_CORRECTIVES_AXES SUP_FOURCC('C', 'R', 'A', 'X')
#define SUP_SECTION_CORRECTIVES_PAIRS SUP_FOURCC('C', 'R', 'P', 'R')
#define SUP_SECTION_CORRECTIVES_CENTRES SUP_FOURCC('C', 'R', 'C', 'E')
#define SUP_SECTION_CORRECTIVES_MATRIX SUP_FOURCC('C', 'R', 'M', 'X')
#define SUP_SECTION_CORRECTIVES_LIMITS SUP_FOURCC('C', 'R', 'L', 'M')
#define SUP_CORRECTIVES_SECTION_COUNT 10

/* A way in which one joint turns: its turn is `rest` plus the sum of the nine factors times the
 * joint's nine numbers (below), and stays between `low` and `high`. */
typedef struct SupCorrectivesAxis {
  float factors[9];
  float rest;      /* turn in the rest pose */
  float low, high; /* a little more than the examples show; rest is between them */
} SupCorrectivesAxis;

/* A packed model. Pointers into the block that holds it.
 *
 * The features of a pose, in this order: 1; for every driver joint the nine entries, column by
 * column, of the rotation from its rest pose less the identity; for every heavy bone the three
 * components of gravity in the bone's bind frame, in units of SUP_CORRECTIVES_GRAVITY; for every
 * pair of axes the product of their turns, then for every axis its square, each less what it is in
 * the rest pose; for every centre 1 / (1 + distance^2), the distance between the drivers' numbers
 * and the centre's in units of the centre's width. */
typedef struct SupCorrectivesView {
  SupSkinView skin; /* of the body; its last component_count morph targets are the components */
  uint32_t flags;   /* 0 */
  uint32_t component_count;
  uint32_t joint_count;    /* of the skeleton it was made for */
  uint32_t driver_count;   /* joints that are looked at */
  uint32_t heavy_count;    /* bones whose gravity is looked at; 0: the model knows no gravity */
  uint32_t centre_count;   /* example poses */
  uint32_t axis_count;     /* ways of joints to turn that are multiplied with each other */
  uint32_t pair_count;     /* products of two of them */
  const uint32_t *drivers; /* [driver_count] joints, rising */
  const SupQuat *rest;     /* [driver_count] their rest rotations, unit length */
  const uint32_t *heavy;   /* [heavy_count] bones, rising */
  const uint32_t *axis_drivers;   /* [axis_count] whose way it is: an index of drivers, rising */
  const SupCorrectivesAxis *axes; /* [axis_count] */
  const uint32_t *pairs;          /* [2 * pair_count] two axes, the smaller first */
  const float *centres; /* [centre_count * (1 + 9 * driver_count)] 1 / width, then the numbers */
  const float *matrix;  /* [component_count * features] by component */
  const float *limits;  /* [2 * component_count] smallest and largest weight */
} SupCorrectivesView;

/* Checks the sections of a model whose container is sound, the skin's included: sizes, every
 * index, every number. */
SupResult sup_correctives_check(const SupModel *model, SupError *error);

/* A checked model; it points into the block. */
SupCorrectivesView sup_correctives_view(const SupModel *model);

/* How many numbers describe a pose. */
static inline uint32_t sup_correctives_features(const SupCorrectivesView *model) {
  return 1 + 9 * model->driver_count + 3 * model->heavy_count + model->pair_count +
         model->axis_count + model->centre_count;
}

/* The numbers of a pose, out_features[sup_correctives_features]. The pose has at least the
 * model's joints; palette[bone_count] and gravity (m/s^2) are in one space and only read where the
 * model has heavy bones. Rotations need not have length 1. */
void sup_correctives_read(const SupCorrectivesView *model, const SupPose *pose,
                          const SupAffine *palette, SupVec3 gravity, float *out_features);

/* out_weights[component_count] for the last morph targets of the skin: matrix times features, never
 * beyond the limits. */
void sup_correctives_weights(const SupCorrectivesView *model, const float *features,
                             float *out_weights);

#ifdef __cplusplus
}
#endif
#endif
