/* SPDX-License-Identifier: MIT */
/*
 * Fitting oscillators: three numbers that all modes share, then three per mode with a prior.
 *
 * The error of a mode is that of its whole swing under the recorded motion of the bones, never of
 * single steps. It is not convex in the frequency, so the shared numbers are looked for on a grid
 * and every mode from several starts; swings are cheap to compute. The gain is linear and solved
 * for. A mode that the examples hardly excite has little error to set against the prior and keeps
 * the shared numbers.
 */
#include <math.h>

#include "base/scratch.h"
#include "supple/author/modes_pack.h"
#include "train/modes/modes_series.h"

#define COOKIE SUP_FOURCC('m', 'd', 'f', 't')
#define SLOWEST 1.0 /* 1/s^2: softer modes are loose pieces, not flesh */
/* What is likely, as standard deviations of logarithms. */
#define LIKELY_FREQUENCY 0.25
#define LIKELY_DAMPING 0.7
#define LIKELY_GAIN 0.4

typedef struct Numbers {
  double frequency, damping, gain; /* factors */
} Numbers;

typedef struct Fit {
  const ModesSeries *series;
  const double *stiffness, *ratio, *gain; /* [modes] as they were; ratio: of damping */
  double *swing;                          /* [frames of the longest clip] */
} Fit;

SupModesFitDef sup_modes_fit_def(const SupCharacter *character) {
  return (SupModesFitDef){.cookie = COOKIE, .character = character, .prior = 0.02};
}

/* ---- Errors -----------------------------------------------------------------------------------
 */

/* Sums over all clips for mode k with a frequency and a damping: swing^2, swing wanted, wanted^2,
 * each times the mode's weight. */
typedef struct Sums {
  double ss, sw, ww;
} Sums;

static bool is_flesh(const Fit *fit, uint32_t k) { return fit->stiffness[k] > SLOWEST; }

static Sums sum_mode(const Fit *fit, uint32_t k, double frequency, double damping) {
  const ModesSeries *series = fit->series;
  const double stiffness = fit->stiffness[k] * frequency * frequency;
  const double ratio = fmin(fmax(fit->ratio[k] * damping, 0.002), 3);
  Sums sums = {0, 0, 0};
  for (uint32_t c = 0; c < series->clip_count; c++) {
    const ModesClip *clip = &series->clips[c];
    sup_modes_swing(series, clip, k, stiffness, ratio * sqrt(stiffness), fit->swing);
    for (uint32_t i = 0; i < clip->frame_count; i++) {
      const double s = fit->gain[k] * fit->swing[i];
      const double w = clip->wanted[(size_t)i * series->mode_count + k];
      sums.ss += s * s, sums.sw += s * w, sums.ww += w * w;
    }
  }
  const double weight = series->weights[k];
  return (Sums){weight * sums.ss, weight * sums.sw, weight * sums.ww};
}

static double error_of(Sums s, double gain) { return gain * gain * s.ss - 2 * gain * s.sw + s.ww; }

/* ---- Three numbers ----------------------------------------------------------------------------
 */

static double shared_error(const Fit *fit, double frequency, double damping, double *out_gain) {
  Sums all = {0, 0, 0};
  for (uint32_t k = 0; k < fit->series->mode_count; k++) {
    if (!is_flesh(fit, k)) continue;
    const Sums s = sum_mode(fit, k, frequency, damping);
    all.ss += s.ss, all.sw += s.sw, all.ww += s.ww;
  }
  *out_gain = all.ss > 0 ? fmin(fmax(all.sw / all.ss, 0.1), 4) : 1;
  return error_of(all, *out_gain);
}

static Numbers fit_shared(const Fit *fit, double *out_error) {
  Numbers best = {1, 1, 1};
  double gain, least = shared_error(fit, 1, 1, &gain);
  best.gain = gain;
  for (int f = -12; f <= 12; f++) {
    for (int d = -3; d <= 6; d++) {
      const double frequency = exp(0.07 * f), damping = exp(0.35 * d);
      const double error = shared_error(fit, frequency, damping, &gain);
      if (error < least) least = error, best = (Numbers){frequency, damping, gain};
    }
  }
  for (double step = 0.5; step > 0.02; step /= 2) {
    for (int turn = 0; turn < 8; turn++) {
      const double sign = turn % 2 ? -step : step;
      const double frequency = best.frequency * (turn / 2 % 2 ? 1 : exp(0.07 * sign));
      const double damping = best.damping * (turn / 2 % 2 ? exp(0.35 * sign) : 1);
      const double error = shared_error(fit, frequency, damping, &gain);
      if (error < least) least = error, best = (Numbers){frequency, damping, gain};
    }
  }
  *out_error = least;
  return best;
}

/* ---- Mode by mode -----------------------------------------------------------------------------
 */

/* The error with its prior, and the best gain for it: (gain - 1)^2 stands for its logarithm. */
static double mode_error(const Fit *fit, uint32_t k, Numbers shared, double prior, double x,
                         double y, double *out_gain) {
  const Sums s = sum_mode(fit, k, shared.frequency * exp(x), shared.damping * exp(y));
  const double hold = prior / (LIKELY_GAIN * LIKELY_GAIN), g = shared.gain;
  const double ss = g * g * s.ss, sw = g * s.sw;
  const double gain = fmin(fmax((sw + hold) / (ss + hold), 0.1), 4);
  *out_gain = gain;
  return gain * gain * ss - 2 * gain * sw + s.ww + hold * (gain - 1) * (gain - 1) +
         prior * (x * x / (LIKELY_FREQUENCY * LIKELY_FREQUENCY) +
                  y * y / (LIKELY_DAMPING * LIKELY_DAMPING));
}

static Numbers fit_mode(const Fit *fit, uint32_t k, Numbers shared, double prior) {
  static const double starts[5] = {0, -0.35, -0.15, 0.15, 0.35};
  double best[2] = {0, 0}, gain = 1, most = INFINITY;
  for (int s = 0; s < 5; s++) {
    double at[2] = {starts[s], 0}, g, least = mode_error(fit, k, shared, prior, at[0], 0, &g);
    double here = g;
    for (double step = 0.1; step > 0.002; step /= 2) {
      for (int turn = 0; turn < 8; turn++) {
        double next[2] = {at[0], at[1]};
        next[turn / 2 % 2] += (turn % 2 ? -step : step) * (turn / 2 % 2 ? 4 : 1);
        const double error = mode_error(fit, k, shared, prior, next[0], next[1], &g);
        if (error < least) least = error, here = g, at[0] = next[0], at[1] = next[1];
      }
    }
    if (least < most) most = least, gain = here, best[0] = at[0], best[1] = at[1];
  }
  return (Numbers){shared.frequency * exp(best[0]), shared.damping * exp(best[1]),
                   shared.gain * gain};
}

/* ---- All together -----------------------------------------------------------------------------
 */

static SupResult check(const SupModesFitDef *def, const SupModel *model, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "fitting modes: start from sup_modes_fit_def()");
  }
  const uint32_t vertices = def->character->body.vertex_count;
  if (model->kind != SUP_MODES_KIND || model->mesh.vertex_count != vertices) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "fitting modes: the model belongs to another body");
  }
  if (def->example_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "fitting modes: no examples to learn from");
  }
  for (uint32_t e = 0; e < def->example_count; e++) {
    const SupSamples *s = &def->examples[e].samples;
    if (s->order != SUP_ORDER_BODY || s->vertex_count != vertices || s->frame_count < 4 ||
        !def->examples[e].clip) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "fitting modes: an example must show a clip in the order of the body, in at "
                      "least 4 frames");
    }
  }
  return SUP_OK;
}

static double fraction_of(double error, double all) {
  return all > 0 ? sqrt(fmax(error, 0) / all) : 0;
}

static SupResult run(SupArena *arena, const SupModesFitDef *def, const Fit *fit, SupModel *io_model,
                     SupModesFitReport *report, SupError *error) {
  const uint32_t modes = fit->series->mode_count;
  double *numbers = SUP_ALLOC(arena, double, 3 * (size_t)modes);
  double before = 0, all = 0, shared_left, after = 0, frames = 0;
  if (!numbers) return sup_fail_memory(error, "fitting modes");
  for (uint32_t k = 0; k < modes; k++) {
    const Sums s = sum_mode(fit, k, 1, 1);
    if (!is_flesh(fit, k)) continue;
    before += error_of(s, 1);
    all += s.ww;
  }
  for (uint32_t c = 0; c < fit->series->clip_count; c++) {
    frames += fit->series->clips[c].frame_count;
  }
  const Numbers shared = fit_shared(fit, &shared_left);
  const double prior = def->prior * all / modes;
  for (uint32_t k = 0; k < modes; k++) {
    Numbers own = shared;
    if (!def->global_only && is_flesh(fit, k)) own = fit_mode(fit, k, shared, prior);
    const double stiffness = fit->stiffness[k] * own.frequency * own.frequency;
    const double ratio = fmin(fmax(fit->ratio[k] * own.damping, 0.002), 3);
    if (is_flesh(fit, k)) {
      after += error_of(sum_mode(fit, k, own.frequency, own.damping), own.gain);
      sup_modes_tune(io_model, k, stiffness, ratio * sqrt(stiffness), fit->gain[k] * own.gain);
    }
    numbers[k] = sqrt(stiffness) / (2 * SUP_PI);
    numbers[modes + k] = ratio;
    numbers[2 * (size_t)modes + k] = fit->gain[k] * own.gain;
  }
  *report = (SupModesFitReport){.frequency = shared.frequency,
                                .damping = shared.damping,
                                .gain = shared.gain,
                                .size = sqrt(all / frames),
                                .before = fraction_of(before, all),
                                .shared = fraction_of(shared_left, all),
                                .after = fraction_of(after, all),
                                .mode_count = modes,
                                .frequencies = numbers,
                                .ratios = numbers + modes,
                                .gains = numbers + 2 * (size_t)modes};
  return SUP_OK;
}

SupResult sup_modes_fit(SupArena *arena, const SupModesFitDef *def, SupModel *io_model,
                        SupModesFitReport *out_report, SupError *error) {
  SupResult result = check(def, io_model, error);
  if (result) return result;
  SupArena scratch = sup_scratch(arena);
  ModesSeries series = {0};
  SupModesDef parts;
  result = sup_modes_series(&scratch, def, io_model, &series, error);
  if (!result) result = sup_modes_unpack(&scratch, io_model, &parts, error);
  uint32_t longest = 1;
  for (uint32_t c = 0; c < series.clip_count; c++) {
    if (series.clips[c].frame_count > longest) longest = series.clips[c].frame_count;
  }
  double *ratio = SUP_ALLOC(&scratch, double, series.mode_count);
  Fit fit = {.series = &series, .ratio = ratio, .swing = SUP_ALLOC(&scratch, double, longest)};
  if (!result && (!ratio || !fit.swing)) result = sup_fail_memory(error, "fitting modes");
  if (!result) {
    fit.stiffness = parts.stiffness;
    fit.gain = parts.gain;
    for (uint32_t k = 0; k < series.mode_count; k++) {
      ratio[k] = fmax(parts.decay[k], 1e-3) / sqrt(parts.stiffness[k]);
    }
    result = run(arena, def, &fit, io_model, out_report, error);
  }
  sup_arena_free(&scratch);
  return result;
}
