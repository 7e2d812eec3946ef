/* SPDX-License-Identifier: MIT */
/*
 * How fast a material swings, times the first.
 *
 * A material that swings r times as fast as another does what the other does, with time going r
 * times as fast. r is where the two say each other's swings best that way, but for how far they go:
 * caution may have made one of them smaller.
 */
#include "base/scratch.h"
#include "runtime/helpers/helpers_rate.h"
#include "supple/math.h"
#include "train/helpers/controllers.h"

enum { STEPS = 16, SHARP = 6 }; /* steps between those that are nearly as good, at most */
#define OCTAVES 2.0             /* that are looked at, up and down */
#define CLEARLY 0.05            /* more alike than as they are, in the sum of two correlations */
#define SUPPORTED 0.3           /* the mean of the two, at least */

/* A helper's motions for one material's system, to be compared with what that material does. */
typedef struct Trial {
  const Learner *l;
  const Controller *c, *other; /* who moved; who says how */
  SupArena *arena;
  SupSeries series; /* of motions that move: inputs of `other`, swings in metres of flesh */
} Trial;

/* How alike swings are: of those that are, of what is said of them, of both together. */
typedef struct Likeness {
  double is, said, together;
} Likeness;

static SupResult begin_trial(Trial *t) {
  const Learner *l = t->l;
  const uint32_t inputs = t->other->input_count + 1;
  double *u = SUP_ALLOC(t->arena, double, (size_t)l->frames *inputs);
  double *y = SUP_ALLOC(t->arena, double, (size_t)l->frames *OUTPUTS);
  uint32_t *lengths = SUP_ALLOC(t->arena, uint32_t, l->def->motion_count);
  if (!u || !y || !lengths) return sup_fail_memory(l->error, "learning helpers");
  t->series = (SupSeries){0, lengths, inputs, OUTPUTS, u, y};
  size_t frame = 0;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    const uint32_t count = l->def->motions[m].frame_count;
    if (l->def->motions[m].still) {
      frame += count;
      continue;
    }
    lengths[t->series.count++] = count;
    for (uint32_t k = 0; k < count; k++, frame++) {
      for (uint32_t i = 0; i + 1 < inputs; i++) {
        *u++ = l->u[frame * l->input_count + t->other->inputs[i]];
      }
      *u++ = 1;
      for (uint32_t o = 0; o < OUTPUTS; o++) {
        *y++ = t->c->y[OUTPUTS * frame + o] * t->c->scale[o];
      }
    }
  }
  return SUP_OK;
}

/* What the other's system says when it goes `pace` times as fast. */
static SupResult try_pace(const Trial *t, double pace, Likeness *io) {
  const SupSystem *from = &t->other->system;
  const uint32_t n = from->states, inputs = from->inputs;
  const size_t count = (size_t)sup_series_frames(&t->series) * OUTPUTS;
  SupArena own;
  SupSystem system;
  double unused;
  own = sup_scratch(t->arena);
  double *y = SUP_ALLOC(&own, double, count);
  SupResult result = SUP_OK;
  if (!y || !sup_system_make(&own, n, inputs, OUTPUTS, &system)) {
    result = sup_fail_memory(t->l->error, "learning helpers");
  } else if (sup_helpers_power(&own, n, inputs, from->a, from->b, pace, system.a, system.b)) {
    const double by = 1 / (pace * pace);
    for (uint32_t k = 0; k < OUTPUTS * n; k++) system.c[k] = from->c[k] * by * t->c->scale[k / n];
    for (uint32_t k = 0; k < OUTPUTS * inputs; k++) {
      system.d[k] = from->d[k] * by * t->c->scale[k / inputs];
    }
    result = sup_system_predict(&own, &system, &t->series, y, &unused, t->l->error);
  } /* otherwise there is no such system, which says nothing */
  for (size_t k = 0; k < count && result == SUP_OK; k++) {
    io->is += t->series.y[k] * t->series.y[k];
    io->said += y[k] * y[k];
    io->together += y[k] * t->series.y[k];
  }
  sup_arena_free(&own);
  return result;
}

/* The same both ways over all helpers: the sum of both correlations. */
static SupResult try_ratio(uint32_t count, const Trial *trials, double ratio, double *out_alike) {
  Likeness ways[2] = {{0, 0, 0}, {0, 0, 0}};
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = try_pace(&trials[k], k % 2 ? 1 / ratio : ratio, &ways[k % 2]);
  }
  *out_alike = 0;
  for (int k = 0; k < 2; k++) {
    const double size = ways[k].is * ways[k].said;
    *out_alike += size > 0 ? ways[k].together / sup_sqrt(size) : 0;
  }
  return result;
}

/* What the search says of two materials. */
typedef struct Ratio {
  SupHelpersRatio kind;
  double ratio, alike; /* alike: the mean of both correlations */
} Ratio;

/* Whether examples tell. They do not where much of the search is nearly as good, which is so for
 * flesh that follows and hardly swings, or its end is; where the best hardly stands out; or where
 * little is said at all. alikes[2 * STEPS + 1], `best` among them. */
static bool tells(const double *alikes, int best) {
  const double most = alikes[best], as_it_is = alikes[STEPS];
  int first = best, last = best;
  for (int k = 0; k <= 2 * STEPS; k++) {
    if (alikes[k] < most - CLEARLY) continue;
    if (k < first) first = k;
    if (k > last) last = k;
  }
  const bool clear = most >= as_it_is + CLEARLY, near = best >= STEPS - 1 && best <= STEPS + 1;
  return first > 0 && last < 2 * STEPS && last - first <= SHARP && most >= 2 * SUPPORTED &&
         (clear || near);
}

static SupResult search(uint32_t count, const Trial *trials, Ratio *out) {
  double alikes[2 * STEPS + 1], alike;
  int at = 0;
  SupResult result = SUP_OK;
  for (int k = 0; k <= 2 * STEPS && result == SUP_OK; k++) {
    const double octave = OCTAVES * (k - STEPS) / STEPS;
    result = try_ratio(count, trials, sup_exp(octave * sup_log(2)), &alikes[k]);
    if (alikes[k] > alikes[at]) at = k;
  }
  if (result != SUP_OK) return result;
  const double middle = OCTAVES * (at - STEPS) / STEPS;
  double best = middle, most = alikes[at];
  out->alike = 0.5 * most;
  if (!tells(alikes, at)) return SUP_OK;
  out->kind = SUP_HELPERS_RATIO_FOUND;
  if (most < alikes[STEPS] + CLEARLY) return SUP_OK; /* they swing alike */
  for (int k = -STEPS; k <= STEPS && result == SUP_OK; k++) {
    const double octave = middle + OCTAVES * k / (STEPS * STEPS);
    result = try_ratio(count, trials, sup_exp(octave * sup_log(2)), &alike);
    if (alike > most) best = octave, most = alike;
  }
  out->ratio = sup_exp(best * sup_log(2));
  out->alike = 0.5 * most;
  return result;
}

/* How many times as fast `b` swings as `a`. */
static SupResult find_ratio(const Learner *a, const Learner *b, SupArena *arena, Ratio *out) {
  const uint32_t helpers = a->baker.parts.helper_count;
  Trial *trials = SUP_ALLOC(arena, Trial, 2 * (size_t)helpers);
  uint32_t count = 0;
  *out = (Ratio){SUP_HELPERS_RATIO_UNCLEAR, 1, 0};
  if (!trials) return sup_fail_memory(a->error, "learning helpers");
  for (uint32_t h = 0; h < helpers; h++) {
    const Controller *x = &a->controllers[h], *y = &b->controllers[h];
    if (x->system.states == 0 || y->system.states == 0) continue; /* has no frequency */
    trials[count++] = (Trial){.l = b, .c = y, .other = x, .arena = arena};
    trials[count++] = (Trial){.l = a, .c = x, .other = y, .arena = arena};
  }
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) result = begin_trial(&trials[k]);
  return count > 0 && result == SUP_OK ? search(count, trials, out) : result;
}

/* Whether time can go at another pace for every helper: an eigenvalue may have been polished onto
 * the negative axis, where there is no power. */
static bool has_powers(const Learner *l) {
  bool has = true;
  for (uint32_t h = 0; h < l->baker.parts.helper_count && has; h++) {
    const SupSystem *s = &l->controllers[h].system;
    const uint32_t n = s->states, inputs = s->inputs;
    SupArena own = sup_scratch(l->arena);
    double *a = SUP_ALLOC(&own, double, (size_t)n *n), *b = SUP_ALLOC(&own, double, n *inputs);
    for (int k = 0; k < 2 && n > 0 && has; k++) {
      has = a && b && sup_helpers_power(&own, n, inputs, s->a, s->b, k ? 2 : 0.5, a, b);
    }
    sup_arena_free(&own);
  }
  return has;
}

SupResult sup_learner_frequency_ratios(uint32_t count, const Learner *learners, double *out_ratios,
                                       SupHelpersTrainReport *io_report) {
  const SupHelpersTrainDef *def = learners[0].def;
  SupArena *arena = learners[0].arena;
  SupHelpersRatio *kinds = SUP_ALLOC(arena, SupHelpersRatio, count);
  double *likenesses = SUP_ALLOC(arena, double, count);
  if (!kinds || !likenesses) return sup_fail_memory(learners[0].error, "learning helpers");
  /* Time can go at another pace for what is driven by accelerations. */
  const bool asked =
      def->drive == SUP_HELPERS_FELT && def->system != SUP_HELPERS_ARX && !def->mix_frequencies;
  bool can = asked;
  for (uint32_t k = 0; k < count; k++) can = can && has_powers(&learners[k]);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    Ratio frequency_ratio = {asked ? SUP_HELPERS_RATIO_NO_POWER : SUP_HELPERS_RATIO_MIXED, 1, 0};
    if (k == 0) frequency_ratio = (Ratio){SUP_HELPERS_RATIO_FIRST, 1, 1};
    SupArena own = sup_scratch(arena);
    if (k > 0 && can) result = find_ratio(&learners[0], &learners[k], &own, &frequency_ratio);
    sup_arena_free(&own);
    out_ratios[k] = frequency_ratio.ratio;
    kinds[k] = frequency_ratio.kind;
    likenesses[k] = frequency_ratio.alike;
  }
  io_report->ratio_kinds = kinds;
  io_report->likenesses = likenesses;
  return result;
}
