/* SPDX-License-Identifier: MIT */
/*
 * Dynamic controllers: what the posture does not explain, y = q - x, as the output of a linear
 * system (z' = A z + B u, y = C z + D u) driven by what the helper's flesh feels.
 *
 * Outputs are counted in metres of flesh and inputs in their standard deviations while the system
 * is sought. In turn: subspace identification (A and C), order, stabilising, B and D by least
 * squares, output-error steps.
 */
#include "numerics/subspace.h"
#include "supple/math.h"
#include "train/helpers/controllers.h"

#define LEAST_REAL \
  0.02                 /* real eigenvalues are lifted to this: other frame rates need a logarithm */
#define VALIDATED 0.25 /* share of every clip that orders are judged by */
#define FLATTEST 1e-7

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

/* Leaves inputs out that never change. */
static SupResult gather(Swing *s) {
  Learner *l = s->l;
  Controller *c = s->c;
  const uint32_t motions = l->def->motion_count;
  s->lengths = SUP_ALLOC(s->arena, uint32_t, motions);
  s->firsts = SUP_ALLOC(s->arena, uint32_t, motions);
  s->u_mean = SUP_ALLOC(s->arena, double, c->input_count);
  s->u_scale = SUP_ALLOC(s->arena, double, c->input_count);
  if (!s->lengths || !s->firsts || !s->u_mean || !s->u_scale) return sup_learner_no_memory(l);
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
    c->inputs[kept++] = c->inputs[j];
  }
  c->input_count = s->inputs = kept;
  s->outputs = OUTPUTS;
  s->u = SUP_ALLOC(s->arena, double, (size_t)s->frames *kept);
  s->y = SUP_ALLOC(s->arena, double, (size_t)s->frames *OUTPUTS);
  if (!s->u || !s->y) return sup_learner_no_memory(l);
  for (uint32_t o = 0; o < OUTPUTS; o++) s->y_scale[o] = c->scale[o];
  size_t at = 0;
  for (uint32_t q = 0; q < s->count; q++) {
    for (uint32_t t = 0; t < s->lengths[q]; t++, at++) {
      const size_t frame = s->firsts[q] + t;
      for (uint32_t j = 0; j < kept; j++) {
        s->u[at * kept + j] =
            (l->u[frame * l->input_count + c->inputs[j]] - s->u_mean[j]) * s->u_scale[j];
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

/* ---- One system ------------------------------------------------------------------------------ */

typedef struct Quest {
  const SupHelpersTrainDef *def;
  SupArena *arena;
  SupSeries series;
  SupError *error;
  uint32_t blocks; /* block rows */
} Quest;

/* As many block rows as asked for, fewer where clips are short. */
static uint32_t block_rows(const Quest *q) {
  const SupSeries *s = &q->series;
  uint32_t blocks = q->def->blocks;
  for (; blocks > 2; blocks--) {
    uint32_t columns = 0;
    for (uint32_t k = 0; k < s->count; k++) {
      const uint32_t length = (uint32_t)((1 - VALIDATED) * s->lengths[k]);
      columns += length >= 2 * blocks ? length - 2 * blocks + 1 : 0;
    }
    if (columns >= blocks * (2 * s->outputs + s->inputs) + 8) break;
  }
  return blocks;
}

/* A, C, B and D of one order; `begun` are as many frames of each sequence as may be learned from.
 */
static SupResult make_order(const Quest *q, const SupSubspace *space, const SupSeries *learn,
                            uint32_t order, SupSystem *out) {
  uint32_t changed;
  const SupInputFit fit = {.sparse = q->def->sparse,
                           .ridge = q->def->ridge,
                           .without_d = q->def->without_d,
                           .free_start = q->def->drive == SUP_HELPERS_PUBLISHED};
  if (!sup_system_make(q->arena, order, learn->inputs, learn->outputs, out)) {
    return sup_fail(q->error, SUP_ERROR_MEMORY, "learning helpers: out of memory");
  }
  SupResult result = sup_subspace_system(q->arena, space, order, out->a, out->c, q->error);
  if (result == SUP_OK) {
    result = sup_stabilise(q->arena, order, out->a, q->def->margin, LEAST_REAL, &changed, q->error);
  }
  return result == SUP_OK ? sup_fit_inputs(q->arena, learn, &fit, out, q->error) : result;
}

/* The first part of every sequence, packed again. */
static SupResult beginnings(const Quest *q, SupSeries *out) {
  const SupSeries *s = &q->series;
  uint32_t *lengths = SUP_ALLOC(q->arena, uint32_t, s->count);
  const size_t frames = sup_series_frames(s);
  double *u = SUP_ALLOC(q->arena, double, frames * s->inputs);
  double *y = SUP_ALLOC(q->arena, double, frames * s->outputs);
  if (!lengths || !u || !y) {
    return sup_fail(q->error, SUP_ERROR_MEMORY, "learning helpers: out of memory");
  }
  size_t from = 0, to = 0;
  for (uint32_t k = 0; k < s->count; from += s->lengths[k++]) {
    lengths[k] = (uint32_t)((1 - VALIDATED) * s->lengths[k]);
    sup_copy(u + to * s->inputs, s->u + from * s->inputs, lengths[k] * s->inputs * sizeof *u);
    sup_copy(y + to * s->outputs, s->y + from * s->outputs, lengths[k] * s->outputs * sizeof *y);
    to += lengths[k];
  }
  *out = (SupSeries){s->count, lengths, s->inputs, s->outputs, u, y};
  return SUP_OK;
}

/* Squares of the free run: over the last part of every sequence, or (`all`) over everything. */
static SupResult judge(const Quest *q, const SupSystem *system, bool all, double *out_square) {
  const SupSeries *s = &q->series;
  SupArena own;
  sup_arena_init(&own, q->arena->allocator, 0);
  double *y = SUP_ALLOC(&own, double, (size_t)sup_series_frames(s) * s->outputs), whole;
  SupResult result = y ? sup_system_predict(&own, system, s, y, &whole, q->error)
                       : sup_fail(q->error, SUP_ERROR_MEMORY, "learning helpers: out of memory");
  *out_square = 0;
  size_t at = 0;
  for (uint32_t k = 0; k < s->count && result == SUP_OK; at += s->lengths[k++]) {
    const uint32_t first = all ? 0 : (uint32_t)((1 - VALIDATED) * s->lengths[k]);
    for (size_t i = (at + first) * s->outputs; i < (at + s->lengths[k]) * s->outputs; i++) {
      *out_square += (y[i] - s->y[i]) * (y[i] - s->y[i]);
    }
  }
  sup_arena_free(&own);
  return result;
}

static SupResult validated_order(const Quest *q, uint32_t most, uint32_t *out_order) {
  SupSeries learn;
  SupSubspace space;
  SupResult result = beginnings(q, &learn);
  if (result == SUP_OK) {
    result = sup_subspace(q->arena, &learn, q->blocks, NULL, &space, q->error);
  }
  double least = 0;
  *out_order = 1;
  /* Whatever swings has two states. */
  const uint32_t first = most < 2 ? 1 : 2;
  for (uint32_t order = first; order <= most && result == SUP_OK; order += 2) {
    SupSystem system;
    double square = 0;
    result = make_order(q, &space, &learn, order, &system);
    if (result == SUP_OK) result = judge(q, &system, false, &square);
    if (order == first || square < least) least = square, *out_order = order;
  }
  return result;
}

static SupResult bic_order(const Quest *q, const SupSubspace *space, uint32_t most,
                           uint32_t *out_order) {
  const double n = (double)sup_series_frames(&q->series) * q->series.outputs;
  SupResult result = SUP_OK;
  double least = 0;
  *out_order = 1;
  for (uint32_t order = 1; order <= most && result == SUP_OK; order++) {
    SupSystem system;
    double square = 0;
    result = make_order(q, space, &q->series, order, &system);
    if (result == SUP_OK) result = judge(q, &system, true, &square);
    const double parameters = (double)order * (q->series.inputs + q->series.outputs) +
                              (double)q->series.inputs * q->series.outputs;
    const double value = n * sup_log(square / n + 1e-300) + parameters * sup_log(n);
    if (order == 1 || value < least) least = value, *out_order = order;
  }
  return result;
}

static SupResult low_rank(const Quest *q, SupSubspace *io_space) {
  const SupSeries *s = &q->series;
  const size_t count = (size_t)sup_series_frames(s) * s->outputs;
  double *v = SUP_ALLOC(q->arena, double, count), square = 0;
  if (!v) return sup_fail(q->error, SUP_ERROR_MEMORY, "learning helpers: out of memory");
  for (size_t k = 0; k < count; k++) square += s->y[k] * s->y[k];
  const SupNuclear def = {.beta = q->def->beta / (square > 0 ? square : 1),
                          .rho = 10,
                          .most_rounds = 200,
                          .tolerance = 1e-4};
  SupNuclearReport report;
  SupResult result = sup_nuclear_outputs(q->arena, s, io_space, &def, v, &report, q->error);
  return result == SUP_OK ? sup_subspace(q->arena, s, q->blocks, v, io_space, q->error) : result;
}

static SupResult find_system(const Quest *q, uint32_t most, SupSystem *out) {
  const SupSeries *s = &q->series;
  if (q->def->system == SUP_HELPERS_ARX) {
    uint32_t changed;
    SupResult result = sup_arx(q->arena, s, q->def->lags, out, q->error);
    return result == SUP_OK
               ? sup_stabilise(q->arena, out->states, out->a, q->def->margin, 0, &changed, q->error)
               : result;
  }
  SupSubspace space;
  uint32_t order = 0;
  SupResult result = sup_subspace(q->arena, s, q->blocks, NULL, &space, q->error);
  if (result == SUP_OK && q->def->system == SUP_HELPERS_LOW_RANK) result = low_rank(q, &space);
  if (result != SUP_OK) return result;
  const uint32_t usable = (q->blocks - 1) * s->outputs;
  if (most > usable) most = usable;
  if (q->def->order == SUP_HELPERS_SHARE) {
    order = sup_subspace_share(&space, q->def->share);
    if (order > most) order = most;
  } else if (q->def->order == SUP_HELPERS_BIC) {
    result = bic_order(q, &space, most, &order);
  } else {
    result = validated_order(q, most, &order);
  }
  if (result == SUP_OK) result = make_order(q, &space, s, order, out);
  if (result == SUP_OK && q->def->polish && q->def->drive == SUP_HELPERS_FELT) {
    double square;
    result = sup_polish_output(q->arena, s, q->def->polish, q->def->margin, out, &square, q->error);
  }
  return result;
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

static SupResult find_all(Swing *s, SupSystem *out) {
  const SupHelpersTrainDef *def = s->l->def;
  Quest q = {def, s->arena, {s->count, s->lengths, s->inputs, OUTPUTS, s->u, s->y}, s->l->error, 0};
  q.blocks = block_rows(&q);
  if (!def->each) return find_system(&q, def->states, out);
  SupSystem parts[OUTPUTS];
  double *one = SUP_ALLOC(s->arena, double, s->frames);
  uint32_t states = 0;
  if (!one) return sup_learner_no_memory(s->l);
  q.series.outputs = 1;
  q.series.y = one;
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    double square = 0;
    for (size_t t = 0; t < s->frames; t++) {
      one[t] = s->y[OUTPUTS * t + o];
      square += one[t] * one[t];
    }
    if (!(square > 0)) {
      if (!sup_system_make(s->arena, 0, s->inputs, 1, &parts[o]))
        return sup_learner_no_memory(s->l);
      continue;
    }
    SupResult result = find_system(&q, def->states < 9 ? def->states : 9, &parts[o]);
    if (result != SUP_OK) return result;
    states += parts[o].states;
  }
  if (states > SUP_HELPERS_STATES || !sup_system_make(s->arena, states, s->inputs, OUTPUTS, out)) {
    return sup_learner_no_memory(s->l);
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
  if (!sup_system_make(s->l->arena, n, nu + 1, OUTPUTS, out)) return sup_learner_no_memory(s->l);
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
static SupResult bound(Swing *s, const SupSystem *normal) {
  Learner *l = s->l;
  Controller *c = s->c;
  double *most = SUP_ALLOC(s->arena, double, (size_t)s->inputs + 1);
  double *y = SUP_ALLOC(s->arena, double, (size_t)s->frames *OUTPUTS), square;
  if (!most || !y) return sup_learner_no_memory(l);
  for (uint32_t o = 0; o < OUTPUTS; o++) c->range[2 * o] = c->range[2 * o + 1] = 0;
  for (uint32_t j = 0; j < s->inputs; j++) {
    const double low = l->box[c->inputs[j]], high = l->box[l->input_count + c->inputs[j]];
    most[j] = (low < 0 ? -low : low) > (high < 0 ? -high : high) ? (low < 0 ? -low : low)
                                                                 : (high < 0 ? -high : high);
  }
  most[s->inputs] = 1;
  SupResult result = sup_system_bound(s->arena, &c->system, most, c->bound, l->error);
  SupGain gain;
  if (result == SUP_OK) result = sup_system_gain(s->arena, normal, &gain, l->error);
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

SupResult sup_learner_swing(Learner *l, uint32_t h) {
  Controller *c = &l->controllers[h];
  SupArena own;
  sup_arena_init(&own, l->arena->allocator, 0);
  Swing s = {.l = l, .c = c, .arena = &own};
  c->inputs = SUP_ALLOC(l->arena, uint32_t, l->input_count);
  if (!c->y) c->y = SUP_ALLOC(l->arena, double, (size_t)OUTPUTS * l->frames);
  SupResult result = c->inputs && c->y ? SUP_OK : sup_learner_no_memory(l);
  if (result == SUP_OK) {
    choose_inputs(l, h, c);
    result = gather(&s);
  }
  if (result == SUP_OK) {
    s.all = SUP_COPY(&own, double, s.u, (size_t)s.frames *s.inputs);
    if (!s.all) result = sup_learner_no_memory(l);
  }
  if (result == SUP_OK && l->def->slowest > 0) {
    sharpen(&s, s.inputs, s.u);
    sharpen(&s, OUTPUTS, s.y);
  }
  SupSystem normal;
  double moves = 0;
  for (size_t k = 0; k < (size_t)s.frames * OUTPUTS && result == SUP_OK; k++) {
    moves += s.y[k] * s.y[k];
  }
  if (result == SUP_OK && (s.inputs == 0 || s.count == 0 || !(moves > 0))) {
    c->input_count = 0; /* nothing swings */
    result =
        sup_system_make(l->arena, 0, 1, OUTPUTS, &c->system) ? SUP_OK : sup_learner_no_memory(l);
    sup_arena_free(&own);
    return result;
  }
  if (result == SUP_OK) result = find_all(&s, &normal);
  if (result == SUP_OK) result = denormalise(&s, &normal, &c->system);
  if (result == SUP_OK) result = bound(&s, &normal);
  if (result != SUP_OK) sup_error_prefix(l->error, "helper %u", h + 1);
  sup_arena_free(&own);
  return result;
}
