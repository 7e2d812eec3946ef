/* SPDX-License-Identifier: MIT */
/* The motions of one material out of many, and how fast a material swings. */
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

enum { STEPS = 16 };
#define OCTAVES 2.0  /* that are looked at, up and down */
#define CLEARLY 0.05 /* more alike than as they are, in the sum of two correlations */

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

/* How many times as fast `b` swings as `a`. */
static SupResult find_ratio(const Learner *a, const Learner *b, SupArena *arena, double *out) {
  const uint32_t helpers = a->baker.parts.helper_count;
  Trial *trials = SUP_ALLOC(arena, Trial, 2 * (size_t)helpers);
  uint32_t count = 0;
  if (!trials) return sup_learner_no_memory(a);
  for (uint32_t h = 0; h < helpers; h++) {
    const Controller *x = &a->controllers[h], *y = &b->controllers[h];
    if (x->system.states == 0 || y->system.states == 0) continue; /* has no pitch */
    trials[count++] = (Trial){.l = b, .c = y, .other = x, .arena = arena};
    trials[count++] = (Trial){.l = a, .c = x, .other = y, .arena = arena};
  }
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) result = begin_trial(&trials[k]);
  double best = 0, most = 0, alike = 0, as_it_is = 0;
  if (count == 0 || result != SUP_OK) return result;
  result = try_ratio(count, trials, 1, &as_it_is);
  for (int k = -STEPS; k <= STEPS && result == SUP_OK; k++) {
    const double octave = OCTAVES * k / STEPS;
    result = try_ratio(count, trials, sup_exp(octave * sup_log(2)), &alike);
    if (alike > most) best = octave, most = alike;
  }
  *out = 1;
  /* Examples that hardly swing do not tell. */
  const double end = OCTAVES * (1 - 0.5 / STEPS), middle = best;
  if (best < -end || best > end || most < as_it_is + CLEARLY) return result;
  for (int k = -STEPS; k <= STEPS && result == SUP_OK; k++) {
    const double octave = middle + OCTAVES * k / (STEPS * STEPS);
    result = try_ratio(count, trials, sup_exp(octave * sup_log(2)), &alike);
    if (alike > most) best = octave, most = alike;
  }
  *out = sup_exp(best * sup_log(2));
  return result;
}

SupResult sup_learner_pitches(uint32_t count, const Learner *learners, double *out_pitches) {
  out_pitches[0] = 1;
  SupResult result = SUP_OK;
  for (uint32_t k = 1; k < count && result == SUP_OK; k++) {
    SupArena own;
    sup_arena_init(&own, learners[0].arena->allocator, 0);
    result = find_ratio(&learners[0], &learners[k], &own, &out_pitches[k]);
    sup_arena_free(&own);
  }
  return result;
}
