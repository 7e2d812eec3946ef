/* SPDX-License-Identifier: MIT */
/*
 * Dynamic controllers: what the pose does not explain, y = q - x, as the output of a linear
 * system (z' = A z + B u, y = C z + D u) driven by what the helper's flesh feels.
 *
 * Outputs are counted in metres of flesh and inputs in their standard deviations while the system
 * is sought (controllers_system.c).
 */
#include "base/scratch.h"
#include "supple/math.h"
#include "train/helpers/controllers.h"

#define FLATTEST 1e-7
#define NEVER 1e9       /* standard deviations */
#define AS_WELL 1.01    /* error of a weaker cut over the best one's */
#define MUCH_WORSE 1.05 /* no stronger one need be tried */

typedef struct Swing {
  Learner *l;
  Controller *c;
  SupArena *arena; /* for this helper */
  uint32_t inputs, outputs;
  uint32_t count;    /* sequences */
  uint32_t *lengths; /* [count] */
  uint32_t *firsts;  /* [count] frame of the whole */
  uint32_t frames;
  double *u, *y;            /* normalised; without slow changes */
  double *all;              /* u with them */
  double *u_mean, *u_scale; /* [inputs] u = (raw - mean) * scale */
  double *low, *high;       /* [inputs] of raw: what is felt says no more beyond */
  double y_scale[OUTPUTS];  /* y = raw * scale */
} Swing;

/* ---- Series ---------------------------------------------------------------------------------- */

static void choose_inputs(Learner *l, uint32_t h, Controller *c) {
  c->input_count = 0;
  if (l->def->drive == SUP_HELPERS_PUBLISHED) {
    for (uint32_t t = 0; t < l->turn_count; t++) {
      for (uint32_t k = 0; k < 3; k++) {
        c->inputs[c->input_count++] = sup_helpers_turn_input(l->turn_count, t, k);
      }
    }
    for (uint32_t r = SUP_HELPERS_SPEED; r < SUP_HELPERS_PUSH; r++) {
      c->inputs[c->input_count++] =
          sup_helpers_frame_input(l->turn_count, l->frame_count, l->frame_count - 1, r);
    }
    return;
  }
  for (uint32_t r = SUP_HELPERS_PUSH; r < SUP_HELPERS_ROWS; r++) {
    c->inputs[c->input_count++] = sup_helpers_frame_input(l->turn_count, l->frame_count, h, r);
  }
}

/* Leaves inputs out that never change, and cuts them at `cut` standard deviations. */
static SupResult gather(Swing *s, double cut) {
  Learner *l = s->l;
  Controller *c = s->c;
  const uint32_t motions = l->def->motion_count;
  s->lengths = SUP_ALLOC(s->arena, uint32_t, motions);
  s->firsts = SUP_ALLOC(s->arena, uint32_t, motions);
  s->u_mean = SUP_ALLOC(s->arena, double, c->input_count);
  s->u_scale = SUP_ALLOC(s->arena, double, c->input_count);
  s->low = SUP_ALLOC(s->arena, double, c->input_count);
  s->high = SUP_ALLOC(s->arena, double, c->input_count);
  if (!s->lengths || !s->firsts || !s->u_mean || !s->u_scale || !s->low || !s->high) {
    return sup_fail_memory(l->error, "learning helpers");
  }
  s->count = s->frames = 0;
  uint32_t first = 0;
  for (uint32_t m = 0; m < motions; m++) {
    if (!l->def->motions[m].still) {
      s->firsts[s->count] = first;
      s->lengths[s->count++] = l->def->motions[m].frame_count;
      s->frames += l->def->motions[m].frame_count;
    }
    first += l->def->motions[m].frame_count;
  }
  uint32_t kept = 0;
  for (uint32_t j = 0; j < c->input_count; j++) {
    double sum = 0, square = 0;
    for (uint32_t q = 0; q < s->count; q++) {
      for (uint32_t t = 0; t < s->lengths[q]; t++) {
        const double value = l->u[(size_t)(s->firsts[q] + t) * l->input_count + c->inputs[j]];
        sum += value, square += value * value;
      }
    }
    const double mean = sum / s->frames, spread = square / s->frames - mean * mean;
    if (!(spread > FLATTEST * FLATTEST)) continue;
    /* What is felt is nothing at rest; angles are counted from their mean. */
    s->u_mean[kept] = l->def->drive == SUP_HELPERS_PUBLISHED ? mean : 0;
    s->u_scale[kept] = 1 / sup_sqrt(spread);
    s->low[kept] = mean - cut * sup_sqrt(spread);
    s->high[kept] = mean + cut * sup_sqrt(spread);
    c->inputs[kept++] = c->inputs[j];
  }
  c->input_count = s->inputs = kept;
  s->outputs = OUTPUTS;
  s->u = SUP_ALLOC(s->arena, double, (size_t)s->frames *kept);
  s->y = SUP_ALLOC(s->arena, double, (size_t)s->frames *OUTPUTS);
  if (!s->u || !s->y) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t o = 0; o < OUTPUTS; o++) s->y_scale[o] = c->scale[o];
  size_t at = 0;
  for (uint32_t q = 0; q < s->count; q++) {
    for (uint32_t t = 0; t < s->lengths[q]; t++, at++) {
      const size_t frame = s->firsts[q] + t;
      for (uint32_t j = 0; j < kept; j++) {
        double raw = l->u[frame * l->input_count + c->inputs[j]];
        raw = raw < s->low[j] ? s->low[j] : raw > s->high[j] ? s->high[j] : raw;
        s->u[at * kept + j] = (raw - s->u_mean[j]) * s->u_scale[j];
      }
      for (uint32_t o = 0; o < OUTPUTS; o++) {
        s->y[at * OUTPUTS + o] =
            (c->q[OUTPUTS * frame + o] - c->x[OUTPUTS * frame + o]) * s->y_scale[o];
      }
    }
  }
  return SUP_OK;
}

/* Takes slow changes out of all series alike, which leaves the system between them as it is: what
 * the static part leaves over is slow and is not dynamics. y' = a y' + x - x_last. */
static void sharpen(const Swing *s, uint32_t width, double *io) {
  const double a = sup_exp(-2 * SUP_PI * s->l->def->slowest * s->l->h);
  for (uint32_t k = 0; k < width; k++) {
    size_t at = 0;
    for (uint32_t q = 0; q < s->count; q++) {
      double last = 0, out = 0;
      for (uint32_t t = 0; t < s->lengths[q]; t++, at++) {
        const double x = io[at * width + k];
        out = t == 0 ? 0 : a * out + x - last;
        last = x;
        io[at * width + k] = out;
      }
    }
  }
}

/* Series for a cut: s->u and s->y without slow changes, s->all with them. */
static SupResult prepare(Swing *s, uint32_t h, double cut) {
  choose_inputs(s->l, h, s->c);
  SupResult result = gather(s, cut);
  if (result != SUP_OK) return result;
  s->all = SUP_COPY(s->arena, double, s->u, (size_t)s->frames * s->inputs);
  if (!s->all) return sup_fail_memory(s->l->error, "learning helpers");
  if (s->l->def->slowest > 0) {
    sharpen(s, s->inputs, s->u);
    sharpen(s, OUTPUTS, s->y);
  }
  return SUP_OK;
}

static bool swings(const Swing *s) {
  double square = 0;
  for (size_t k = 0; k < (size_t)s->frames * OUTPUTS; k++) square += s->y[k] * s->y[k];
  return s->inputs > 0 && s->count > 0 && square > 0;
}

/* ---- Where what is felt is cut --------------------------------------------------------------- */

static Quest quest_of(const Swing *s, bool last) {
  return (Quest){.def = s->l->def,
                 .arena = s->arena,
                 .series = {s->count, s->lengths, s->inputs, OUTPUTS, s->u, s->y},
                 .error = s->l->error,
                 .last = last};
}

static SupResult judge_cut(Learner *l, uint32_t h, double cut, Judgement *out) {
  SupArena own = sup_scratch(l->arena);
  Swing s = {.l = l, .c = &l->controllers[h], .arena = &own};
  SupResult result = prepare(&s, h, cut);
  *out = (Judgement){0};
  if (result == SUP_OK && swings(&s)) {
    Quest q = quest_of(&s, false);
    const Choice *chosen = &s.c->choices[0];
    const bool none = chosen->order == 0 || l->def->each;
    result = sup_learner_judge(&q, none ? l->def->states : chosen->order,
                               none ? l->def->ridge : chosen->ridge, out);
  }
  sup_arena_free(&own);
  return result;
}

/* Whether a does better on three of four parts at least. */
static bool better(const Judgement *a, const Judgement *b) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < a->count; k++) count += a->squares[k] < b->squares[k];
  return 4 * count >= 3 * a->count;
}

/* Flesh that is bent far grows stiff: twice the push is less than twice the swing. Cut inputs are a
 * linear system's way to say so. Only cuts that help on most parts that are left out are believed;
 * of those that do about as well as the best the weakest is taken. */
SupResult sup_learner_cut(Learner *l, uint32_t h) {
  static const double cuts[] = {NEVER, 3, 2, 1.5, 1};
  enum { CUTS = sizeof cuts / sizeof *cuts };
  Controller *c = &l->controllers[h];
  c->cut = NEVER;
  /* Materials that are blended share what they are told. */
  if (l->def->drive != SUP_HELPERS_FELT || l->def->material_count > 1) return SUP_OK;
  if (l->def->cut > 0) c->cut = l->def->cut;
  if (l->def->cut > 0) return SUP_OK;
  Judgement judged[CUTS];
  uint32_t tried = 0, best = 0;
  while (tried < CUTS) {
    SupResult result = judge_cut(l, h, cuts[tried], &judged[tried]);
    if (result != SUP_OK || judged[tried].count == 0) return result;
    const bool helps = better(&judged[tried], &judged[0]);
    if (helps && judged[tried].sum < judged[best].sum) best = tried;
    if (judged[tried++].sum > MUCH_WORSE * judged[best].sum) break;
  }
  for (uint32_t k = best; k > 0; k--) {
    const bool as_well = judged[k].sum < AS_WELL * judged[best].sum;
    if (as_well && better(&judged[k], &judged[0])) c->cut = cuts[k];
  }
  return SUP_OK;
}

/* ---- One helper ------------------------------------------------------------------------------ */

/* Puts a system of some outputs into that of all six, at state `first`. */
static void insert(const SupSystem *from, uint32_t first_state, uint32_t first_output,
                   SupSystem *to) {
  for (uint32_t r = 0; r < from->states; r++) {
    for (uint32_t c = 0; c < from->states; c++) {
      to->a[(size_t)to->states * (first_state + r) + first_state + c] =
          from->a[(size_t)from->states * r + c];
    }
    for (uint32_t j = 0; j < from->inputs; j++) {
      to->b[(size_t)to->inputs * (first_state + r) + j] = from->b[(size_t)from->inputs * r + j];
    }
  }
  for (uint32_t o = 0; o < from->outputs; o++) {
    for (uint32_t c = 0; c < from->states; c++) {
      to->c[(size_t)to->states * (first_output + o) + first_state + c] =
          from->c[(size_t)from->states * o + c];
    }
    for (uint32_t j = 0; j < from->inputs; j++) {
      to->d[(size_t)to->inputs * (first_output + o) + j] = from->d[(size_t)from->inputs * o + j];
    }
  }
}

static SupResult find_all(Swing *s, bool last, SupSystem *out) {
  const SupHelpersTrainDef *def = s->l->def;
  Quest q = quest_of(s, last);
  if (!def->each) return sup_learner_find_system(&q, def->states, &s->c->choices[0], out);
  SupSystem parts[OUTPUTS];
  double *one = SUP_ALLOC(s->arena, double, s->frames);
  uint32_t states = 0;
  if (!one) return sup_fail_memory(s->l->error, "learning helpers");
  q.series.outputs = 1;
  q.series.y = one;
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    double square = 0;
    for (size_t t = 0; t < s->frames; t++) {
      one[t] = s->y[OUTPUTS * t + o];
      square += one[t] * one[t];
    }
    if (!(square > 0)) {
      if (!sup_system_make(s->arena, 0, s->inputs, 1, &parts[o])) {
        return sup_fail_memory(s->l->error, "learning helpers");
      }
      continue;
    }
    const uint32_t most = def->states < SUP_LEARNER_EACH ? def->states : SUP_LEARNER_EACH;
    SupResult result = sup_learner_find_system(&q, most, &s->c->choices[o], &parts[o]);
    if (result != SUP_OK) return result;
    states += parts[o].states;
  }
  if (states > SUP_HELPERS_STATES || !sup_system_make(s->arena, states, s->inputs, OUTPUTS, out)) {
    return sup_fail_memory(s->l->error, "learning helpers");
  }
  states = 0;
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    insert(&parts[o], states, o, out);
    states += parts[o].states;
  }
  return SUP_OK;
}

/* Into the units of the run time, with a column for the constant. */
static SupResult denormalise(const Swing *s, const SupSystem *from, SupSystem *out) {
  const uint32_t n = from->states, nu = s->inputs;
  if (!sup_system_make(s->l->arena, n, nu + 1, OUTPUTS, out)) {
    return sup_fail_memory(s->l->error, "learning helpers");
  }
  sup_copy(out->a, from->a, (size_t)n * n * sizeof *out->a);
  for (uint32_t r = 0; r < n + OUTPUTS; r++) {
    const double *row = r < n ? from->b + (size_t)nu * r : from->d + (size_t)nu * (r - n);
    double *to = r < n ? out->b + (size_t)(nu + 1) * r : out->d + (size_t)(nu + 1) * (r - n);
    const double by = r < n ? 1 : 1 / s->y_scale[r - n];
    for (uint32_t j = 0; j < nu; j++) {
      to[j] = row[j] * s->u_scale[j] * by;
      to[nu] -= to[j] * s->u_mean[j];
    }
  }
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    for (uint32_t k = 0; k < n; k++) {
      out->c[(size_t)n * o + k] = from->c[(size_t)n * o + k] / s->y_scale[o];
    }
  }
  return SUP_OK;
}

/* Ranges in the examples, and what no input within the box can exceed. */
static SupResult bound(Swing *s, const SupSystem *normal, bool last) {
  Learner *l = s->l;
  Controller *c = s->c;
  double *most = SUP_ALLOC(s->arena, double, (size_t)s->inputs + 1);
  double *y = SUP_ALLOC(s->arena, double, (size_t)s->frames *OUTPUTS), square;
  if (!most || !y) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t o = 0; o < OUTPUTS; o++) c->range[2 * o] = c->range[2 * o + 1] = 0;
  for (uint32_t j = 0; j < s->inputs; j++) {
    double low = l->box[c->inputs[j]], high = l->box[l->input_count + c->inputs[j]];
    if (low < s->low[j]) low = s->low[j];
    if (high > s->high[j]) high = s->high[j];
    c->limits[2 * j] = low, c->limits[2 * j + 1] = high;
    most[j] = (low < 0 ? -low : low) > (high < 0 ? -high : high) ? (low < 0 ? -low : low)
                                                                 : (high < 0 ? -high : high);
  }
  most[s->inputs] = 1;
  SupResult result = sup_system_bound(s->arena, &c->system, most, c->bound, l->error);
  SupGain gain = {0};
  if (result == SUP_OK && last) result = sup_system_gain(s->arena, normal, &gain, l->error);
  const SupSeries series = {s->count, s->lengths, s->inputs, OUTPUTS, s->all, s->y};
  if (result == SUP_OK)
    result = sup_system_predict(s->arena, normal, &series, y, &square, l->error);
  if (result != SUP_OK) return result;
  if (gain.radius > l->radius) l->radius = gain.radius;
  if (gain.peak > l->peak) l->peak = gain.peak;
  for (size_t t = 0; t < s->frames; t++) {
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      const double value = y[OUTPUTS * t + o] / s->y_scale[o];
      if (value < c->range[2 * o]) c->range[2 * o] = value;
      if (value > c->range[2 * o + 1]) c->range[2 * o + 1] = value;
    }
  }
  for (uint32_t q = 0, at = 0; q < s->count; at += s->lengths[q++]) {
    for (uint32_t k = 0; k < OUTPUTS * s->lengths[q]; k++) {
      c->y[(size_t)OUTPUTS * s->firsts[q] + k] =
          y[(size_t)OUTPUTS * at + k] / s->y_scale[k % OUTPUTS];
    }
  }
  return SUP_OK;
}

SupResult sup_learner_swing(Learner *l, uint32_t h, bool last) {
  Controller *c = &l->controllers[h];
  SupArena own = sup_scratch(l->arena);
  Swing s = {.l = l, .c = c, .arena = &own};
  c->inputs = SUP_ALLOC(l->arena, uint32_t, l->input_count);
  c->limits = SUP_ALLOC(l->arena, double, 2 * (size_t)l->input_count);
  if (!c->y) c->y = SUP_ALLOC(l->arena, double, (size_t)OUTPUTS * l->frames);
  SupResult result =
      c->inputs && c->limits && c->y ? SUP_OK : sup_fail_memory(l->error, "learning helpers");
  if (!(c->cut > 0)) c->cut = NEVER;
  if (result == SUP_OK) result = prepare(&s, h, c->cut);
  SupSystem normal;
  if (result == SUP_OK && !swings(&s)) {
    c->input_count = 0;
    result = sup_system_make(l->arena, 0, 1, OUTPUTS, &c->system)
                 ? SUP_OK
                 : sup_fail_memory(l->error, "learning helpers");
    sup_arena_free(&own);
    return result;
  }
  if (result == SUP_OK) result = find_all(&s, last, &normal);
  if (result == SUP_OK) result = denormalise(&s, &normal, &c->system);
  if (result == SUP_OK) result = bound(&s, &normal, last);
  if (result != SUP_OK) sup_error_prefix(l->error, "helper %u", h + 1);
  sup_arena_free(&own);
  return result;
}
