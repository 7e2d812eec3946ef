/* SPDX-License-Identifier: MIT */
/* What the parts of learning hand to each other. */
#ifndef SUP_SRC_TRAIN_LEARN_PARTS_H
#define SUP_SRC_TRAIN_LEARN_PARTS_H

#include "supple/train/learn.h"

/* The motions: given, or asked of the teacher; at least one of them held back. */
SupResult sup_learn_motions(SupArena *arena, const SupLearnDef *def, SupLearnMotion **out_motions,
                            uint32_t *out_count, SupError *error);

/* Samples as plain skinning has them where def->lock is 1; nothing changes without a lock. */
SupResult sup_learn_hold_locked(SupArena *arena, const SupLearnDef *def, SupSamples *io_samples,
                                SupError *error);

/* Plays a stack along a motion and measures it. No models: plain skinning. */
SupResult sup_learn_measure(SupArena *arena, const SupLearnDef *def, const SupLearnMotion *motion,
                            uint32_t model_count, const SupModel *const *models,
                            SupLearnMeasure *out_measure, SupError *error);

/* Is it there to learn from, at first or when everything has been chosen? */
static inline bool sup_learn_from(const SupLearnMotion *motion, bool everything) {
  return !motion->test && (everything || !motion->held);
}

/* The surface's preset `soft`; as a layer over other models it answers to contact and forces and
 * leaves the shape to them. */
SupResult sup_learn_preset(SupArena *arena, const SupLearnDef *def, bool layer,
                           SupModel **out_model, SupError *error);

/* How much of the fitted modes' swing is shown over the correctives: chosen by what is held back,
 * and done to *io_modes. */
SupResult sup_learn_swing(SupArena *arena, const SupLearnDef *def, const SupLearnMotion *motions,
                          uint32_t count, const SupModel *correctives, SupModel *io_modes,
                          double *out_fraction, SupError *error);

/* The fraction of a swing that is best, from the squared errors with none, half and all of it. */
double sup_learn_swing_fraction(const double values[3]);

void sup_learn_scale_swing(SupModel *io_modes, double fraction);

/* A surface learned from all motions that are not held back. */
SupResult sup_learn_surface(SupArena *arena, const SupLearnDef *def, const SupLearnMotion *motions,
                            uint32_t count, SupModel **out_model, SupError *error);

#endif
