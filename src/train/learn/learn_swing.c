/* SPDX-License-Identifier: MIT */
/*
 * How much of the fitted swing is shown. On the motion that it was fitted to the whole of it is
 * best; on another the oscillators drift out of step with the flesh, and a swing that is partly out
 * of step is less wrong when it is smaller. Chosen on what was held back, like the stack itself.
 * What is shown is linear in the fraction, so its squared error is a parabola: three tries find its
 * lowest point.
 */
#include "supple/author/modes_pack.h"
#include "train/learn/learn_parts.h"

#define LEAST 0.3    /* of the swing */
#define TELLING 1e-4 /* least curvature of the error, in parts of that without a swing */
#define PROBES 3

void sup_learn_scale_swing(SupModel *io_modes, double fraction) {
  const SupModesView view = sup_modes_view(io_modes);
  for (uint32_t k = 0; k < view.mode_count; k++) {
    const float *rows = view.oscillators +
                        (size_t)(SUP_MODES_ROWS * SUP_SKIN_BLOCK) * (k / SUP_SKIN_BLOCK) +
                        k % SUP_SKIN_BLOCK;
    sup_modes_tune(io_modes, k, (double)rows[SUP_SKIN_BLOCK * SUP_MODES_STIFFNESS],
                   (double)rows[SUP_SKIN_BLOCK * SUP_MODES_DECAY],
                   fraction * (double)rows[SUP_SKIN_BLOCK * SUP_MODES_GAIN]);
  }
}

/* The mean square of the error on what was held back; 0 if nothing was. */
static SupResult held_error(SupArena *arena, const SupLearnDef *def, const SupLearnMotion *motions,
                            uint32_t count, const SupModel *const models[2], double *out_error,
                            SupError *error) {
  uint32_t held = 0;
  *out_error = 0;
  for (uint32_t k = 0; k < count; k++) {
    SupLearnMeasure measured;
    if (!motions[k].clip || !motions[k].held) continue;
    SupResult result = sup_learn_measure(arena, def, &motions[k], 2, models, &measured, error);
    if (result) return result;
    const double wrong = (double)measured.compare.relative_error;
    *out_error += wrong * wrong;
    held++;
  }
  if (held) *out_error /= held;
  return SUP_OK;
}

/* Where a parabola through values at 0, 1/2 and 1 is least, between LEAST and 1. If the swing makes
 * hardly any difference nothing can be told, and all of it stays. */
double sup_learn_swing_fraction(const double values[3]) {
  const double bend = 2 * (values[0] - 2 * values[1] + values[2]);
  const double slope = values[2] - values[0] - bend;
  if (!(bend > TELLING * values[0])) return 1;
  const double best = -slope / (2 * bend);
  return best > 1 ? 1 : best > LEAST ? best : LEAST;
}

SupResult sup_learn_swing(SupArena *arena, const SupLearnDef *def, const SupLearnMotion *motions,
                          uint32_t count, const SupModel *correctives, SupModel *io_modes,
                          double *out_fraction, SupError *error) {
  const size_t bytes = (size_t)io_modes->bytes;
  const SupModel *models[2] = {correctives, io_modes};
  double wrong[PROBES];
  char *whole = SUP_COPY(arena, char, (const char *)io_modes, bytes);
  if (!whole) return sup_fail_memory(error, "learning");
  for (int k = 0; k < PROBES; k++) {
    sup_copy(io_modes, whole, bytes);
    sup_learn_scale_swing(io_modes, 0.5 * k);
    SupResult result = held_error(arena, def, motions, count, models, &wrong[k], error);
    if (result) return result;
  }
  *out_fraction = sup_learn_swing_fraction(wrong);
  sup_copy(io_modes, whole, bytes);
  sup_learn_scale_swing(io_modes, *out_fraction);
  return SUP_OK;
}
