/* SPDX-License-Identifier: MIT */
/* The motions of one material out of many, how fast a material swings, and how many states fit. */
#include "runtime/helpers_rate.h"
#include "supple/math.h"
#include "train/helpers/controllers.h"

#define NEVER_CUT 1e9 /* standard deviations */

/* ---- One material's motions ------------------------------------------------------------------ */

static bool teaches(const SupHelpersMotion *motion, uint32_t material) {
  return motion->material == SUP_HELPERS_EVERY || motion->material == material;
}

/* Rows of `width` numbers of the frames that teach. */
static double *pick(const Learner *l, uint32_t material, uint32_t frames, size_t width,
                    const double *from) {
  double *out = SUP_ALLOC(l->arena, double, frames *width), *to = out;
  for (uint32_t m = 0; m < l->def->motion_count && out; m++) {
    const size_t numbers = width * l->def->motions[m].frame_count;
    if (teaches(&l->def->motions[m], material)) {
      sup_copy(to, from, numbers * sizeof *to);
      to += numbers;
    }
    from += numbers;
  }
  return out;
}

static SupResult divide_controllers(const Learner *l, uint32_t material, Learner *io) {
  const uint32_t helpers = l->baker.parts.helper_count;
  const size_t count = (size_t)OUTPUTS * io->frames;
  io->controllers = SUP_COPY(l->arena, Controller, l->controllers, helpers);
  if (!io->controllers) return sup_learner_no_memory(l);
  for (uint32_t h = 0; h < helpers; h++) {
    Controller *c = &io->controllers[h];
    sup_zero(c->choices, sizeof c->choices);
    c->q = pick(l, material, io->frames, OUTPUTS, c->q);
    c->x = SUP_ALLOC(l->arena, double, count);
    c->y = SUP_ALLOC(l->arena, double, count);
    c->goes = NULL;
    c->cut = 0;
    if (!c->q || !c->x || !c->y) return sup_learner_no_memory(l);
  }
  return SUP_OK;
}

SupResult sup_learner_divide(const Learner *l, uint32_t material, Learner *out) {
  SupHelpersTrainDef *def = SUP_COPY(l->arena, SupHelpersTrainDef, l->def, 1);
  SupHelpersMotion *motions = SUP_ALLOC(l->arena, SupHelpersMotion, l->def->motion_count);
  if (!def || !motions) return sup_learner_no_memory(l);
  uint32_t *frame_of = SUP_ALLOC(l->arena, uint32_t, l->frames), first = 0;
  if (!frame_of) return sup_learner_no_memory(l);
  *out = *l;
  def->motion_count = 0;
  def->motions = motions;
  if (!(def->cut > 0)) def->cut = NEVER_CUT; /* all are told the same */
  out->def = def;
  out->frames = 0;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    const uint32_t count = l->def->motions[m].frame_count;
    if (teaches(&l->def->motions[m], material)) {
      motions[def->motion_count++] = l->def->motions[m];
      for (uint32_t t = 0; t < count; t++) frame_of[out->frames++] = first + t;
    }
    first += count;
  }
  out->frame_of = frame_of;
  out->u = pick(l, material, out->frames, l->input_count, l->u);
  out->values = pick(l, material, out->frames, l->feature_count, l->values);
  out->box = SUP_COPY(l->arena, double, l->box, 2 * (size_t)l->input_count);
  if (!out->u || !out->values || !out->box) return sup_learner_no_memory(l);
  return divide_controllers(l, material, out);
}

/* ---- How fast it swings ---------------------------------------------------------------------- */

/* A material that swings r times as fast as another does what the other does, with time going r
 * times as fast. r is where the two say each other's swings best that way, but for how far they go:
 * caution may have made one of them smaller. */

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
  if (!u || !y || !lengths) return sup_learner_no_memory(l);
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
  sup_arena_init(&own, t->arena->allocator, 0);
  double *y = SUP_ALLOC(&own, double, count);
  SupResult result = SUP_OK;
  if (!y || !sup_system_make(&own, n, inputs, OUTPUTS, &system)) {
    result = sup_learner_no_memory(t->l);
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
typedef struct Pitch {
  SupHelpersPitch kind;
  double ratio, alike; /* alike: the mean of both correlations */
} Pitch;

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

static SupResult search(uint32_t count, const Trial *trials, Pitch *out) {
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
  out->kind = SUP_HELPERS_PITCH_FOUND;
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
static SupResult find_ratio(const Learner *a, const Learner *b, SupArena *arena, Pitch *out) {
  const uint32_t helpers = a->baker.parts.helper_count;
  Trial *trials = SUP_ALLOC(arena, Trial, 2 * (size_t)helpers);
  uint32_t count = 0;
  *out = (Pitch){SUP_HELPERS_PITCH_UNCLEAR, 1, 0};
  if (!trials) return sup_learner_no_memory(a);
  for (uint32_t h = 0; h < helpers; h++) {
    const Controller *x = &a->controllers[h], *y = &b->controllers[h];
    if (x->system.states == 0 || y->system.states == 0) continue; /* has no pitch */
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
    SupArena own;
    sup_arena_init(&own, l->arena->allocator, 0);
    double *a = SUP_ALLOC(&own, double, (size_t)n *n), *b = SUP_ALLOC(&own, double, n *inputs);
    for (int k = 0; k < 2 && n > 0 && has; k++) {
      has = a && b && sup_helpers_power(&own, n, inputs, s->a, s->b, k ? 2 : 0.5, a, b);
    }
    sup_arena_free(&own);
  }
  return has;
}

SupResult sup_learner_pitches(uint32_t count, const Learner *learners, double *out_pitches,
                              SupHelpersTrainReport *io_report) {
  const SupHelpersTrainDef *def = learners[0].def;
  SupArena *arena = learners[0].arena;
  SupHelpersPitch *kinds = SUP_ALLOC(arena, SupHelpersPitch, count);
  double *likenesses = SUP_ALLOC(arena, double, count);
  if (!kinds || !likenesses) return sup_learner_no_memory(&learners[0]);
  /* Time can go at another pace for what is driven by accelerations. */
  const bool asked =
      def->drive == SUP_HELPERS_FELT && def->system != SUP_HELPERS_ARX && !def->untuned;
  bool can = asked;
  for (uint32_t k = 0; k < count; k++) can = can && has_powers(&learners[k]);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    Pitch pitch = {asked ? SUP_HELPERS_PITCH_NO_POWER : SUP_HELPERS_PITCH_MIXED, 1, 0};
    if (k == 0) pitch = (Pitch){SUP_HELPERS_PITCH_FIRST, 1, 1};
    SupArena own;
    sup_arena_init(&own, arena->allocator, 0);
    if (k > 0 && can) result = find_ratio(&learners[0], &learners[k], &own, &pitch);
    sup_arena_free(&own);
    out_pitches[k] = pitch.ratio;
    kinds[k] = pitch.kind;
    likenesses[k] = pitch.alike;
  }
  io_report->pitch_kinds = kinds;
  io_report->likenesses = likenesses;
  return result;
}

/* ---- How many states ------------------------------------------------------------------------- */

/* Of a helper in one material, at most, with so many of what may be changed. */
static uint32_t most_states(const SupHelpersTrainDef *def, uint32_t inputs, uint32_t value) {
  const uint32_t systems = def->each ? OUTPUTS : 1, outputs = OUTPUTS / systems;
  if (def->system == SUP_HELPERS_ARX) {
    return value ? systems * (value * outputs + (value - 1) * inputs) : 0;
  }
  return def->each ? systems * (value < SUP_LEARNER_EACH ? value : SUP_LEARNER_EACH) : value;
}

SupResult sup_learner_check_states(const SupHelpersTrainDef *def, uint32_t inputs,
                                   SupError *error) {
  const bool arx = def->system == SUP_HELPERS_ARX;
  const uint32_t count = def->material_count;
  uint32_t value = arx ? def->lags : def->states;
  if (count < 2 || value > 1000) return SUP_OK; /* refused for itself */
  const uint32_t states = most_states(def, inputs, value);
  if (count * states <= SUP_HELPERS_STATES) return SUP_OK;
  while (value > 0 && count * most_states(def, inputs, value) > SUP_HELPERS_STATES) value--;
  if (value == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "helpers: up to %u states in each of %u materials, and together %u are the "
                    "most: learn fewer materials%s",
                    states, count, SUP_HELPERS_STATES,
                    def->each ? ", or one system for all numbers of a helper" : "");
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "helpers: up to %u states in each of %u materials, and together %u are the most: "
                  "give --%s %u, or fewer materials",
                  states, count, SUP_HELPERS_STATES, arx ? "lags" : "states", value);
}
