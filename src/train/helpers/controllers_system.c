/* SPDX-License-Identifier: MIT */
/*
 * One linear system of a series, in turn: subspace identification (A and C), stabilising, B and D
 * by least squares, output-error steps.
 *
 * Every sequence is cut into four parts. How many states there are, and how strong the ridge on B
 * and D is, is chosen by leaving out one part of all at a time: of orders that do about as well the
 * smallest. What the parts that were left out do not bear out of the swings is taken off in the
 * end.
 */
#include "base/scratch.h"
#include "numerics/n4sid.h"
#include "supple/math.h"
#include "train/helpers/controllers.h"

enum { PARTS = 4, PIECE = 45, RIDGES = 4, MANY_FRAMES = 1500 };
#define LEAST_REAL \
  0.02 /* real eigenvalues are lifted to this: other frame rates need a logarithm */
#define ABOUT_AS_WELL 1.03 /* error of a smaller order over the best one's */
#define AS_FLAT 1.01       /* the same of a stronger ridge */
#define ENOUGH_LEFT 0.4    /* of all frames, without a clip that judges */
/* SupN4sidDef: well above the errors that accelerations of examples in floats have. */
#define FAINT_INPUTS 1e-2
#define FAINT 1e-6

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Frames by part: every sequence is cut into pieces of about PIECE frames that belong to the parts
 * in turn, so that all parts have something of everything; or (`clips`) a part for every sequence.
 */
static uint8_t *part_of_frames(const Quest *q, bool clips) {
  const SupSeries *s = &q->series;
  uint8_t *parts = SUP_ALLOC(q->arena, uint8_t, sup_series_frames(s));
  size_t at = 0;
  for (uint32_t k = 0; k < s->count && parts; at += s->lengths[k++]) {
    const uint32_t pieces = s->lengths[k] > PARTS * PIECE ? s->lengths[k] / PIECE : PARTS;
    for (uint32_t t = 0; t < s->lengths[k]; t++) {
      const uint32_t piece = (uint32_t)((uint64_t)pieces * t / s->lengths[k]);
      parts[at + t] = (uint8_t)(clips ? k : piece % PARTS);
    }
  }
  return parts;
}

/* Windows of 2 `blocks` frames in what is left without a part. */
static uint32_t windows_left(const SupSeries *s, const uint8_t *part_of, uint32_t part,
                             uint32_t blocks) {
  uint32_t count = 0;
  size_t at = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    uint32_t run = 0;
    for (uint32_t t = 0; t < s->lengths[k]; t++, at++) {
      run = part_of[at] == part ? 0 : run + 1;
      count += run >= 2 * blocks;
    }
  }
  return count;
}

/* As many block rows as asked for, fewer where too little is left without a part; below 2 where
 * that does not help either. */
static uint32_t block_rows(const Quest *q, const uint8_t *part_of, uint32_t part, uint32_t blocks) {
  const SupSeries *s = &q->series;
  for (; blocks >= 2; blocks--) {
    const uint32_t least = blocks * (2 * s->outputs + s->inputs) + 8;
    if (windows_left(s, part_of, part, blocks) >= least) break;
  }
  return blocks;
}

/* The sequences without a part: the pieces between. */
static SupResult leave_out(const Quest *q, SupArena *arena, const uint8_t *part_of, uint32_t part,
                           SupSeries *out) {
  const SupSeries *s = &q->series;
  const size_t frames = sup_series_frames(s);
  uint32_t *lengths = SUP_ALLOC(arena, uint32_t, frames), count = 0;
  double *u = SUP_ALLOC(arena, double, frames * s->inputs);
  double *y = SUP_ALLOC(arena, double, frames * s->outputs);
  if (!lengths || !u || !y) return sup_fail_memory(q->error, "learning helpers");
  size_t at = 0, to = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    bool open = false;
    for (uint32_t t = 0; t < s->lengths[k]; t++, at++) {
      if (part_of[at] == part) {
        open = false;
        continue;
      }
      count += !open;
      open = true;
      lengths[count - 1]++;
      sup_copy(u + to * s->inputs, s->u + at * s->inputs, s->inputs * sizeof *u);
      sup_copy(y + to * s->outputs, s->y + at * s->outputs, s->outputs * sizeof *y);
      to++;
    }
  }
  *out = (SupSeries){count, lengths, s->inputs, s->outputs, u, y};
  return SUP_OK;
}

/* ---- One order ------------------------------------------------------------------------------- */

static SupInputFit input_fit(const Quest *q, double ridge) {
  return (SupInputFit){.sparse = q->def->sparse,
                       .ridge = ridge,
                       .without_d = q->def->without_d,
                       .free_start = q->def->drive == SUP_HELPERS_PUBLISHED};
}

static SupN4sidDef space_of(const Quest *q) {
  return (SupN4sidDef){.blocks = q->blocks, .faint_inputs = FAINT_INPUTS, .faint = FAINT};
}

static SupResult identify(const Quest *q, SupArena *arena, const SupSeries *series,
                          const double *future, SupN4sid *out) {
  const SupN4sidDef def = space_of(q);
  return sup_n4sid(arena, series, &def, future, out, q->error);
}

/* A and C of an order, stable. */
static SupResult make_states(const Quest *q, SupArena *arena, const SupN4sid *space, uint32_t order,
                             SupSystem *out) {
  uint32_t changed;
  if (!sup_system_make(arena, order, q->series.inputs, q->series.outputs, out)) {
    return sup_fail_memory(q->error, "learning helpers");
  }
  SupResult result = sup_n4sid_system(arena, space, order, out->a, out->c, q->error);
  return result == SUP_OK
             ? sup_stabilise(arena, order, out->a, q->def->margin, LEAST_REAL, &changed, q->error)
             : result;
}

/* The whole system of an order from all frames. */
static SupResult make_order(const Quest *q, const SupN4sid *space, uint32_t order, double ridge,
                            SupSystem *out) {
  const SupInputFit fit = input_fit(q, ridge);
  SupResult result = make_states(q, q->arena, space, order, out);
  if (result != SUP_OK) return result;
  if (fit.sparse > 0 || !(ridge > 0)) {
    return sup_fit_inputs(q->arena, &q->series, &fit, out, q->error);
  }
  SupInputParts parts;
  const uint8_t *one = SUP_ALLOC(q->arena, uint8_t, sup_series_frames(&q->series));
  if (!one) return sup_fail_memory(q->error, "learning helpers");
  result = sup_input_parts(q->arena, &q->series, &fit, out, 1, one, &parts, q->error);
  return result == SUP_OK ? sup_input_solve(q->arena, &parts, &fit, SUP_NONE, out, NULL, q->error)
                          : result;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

typedef struct Scores {
  uint32_t parts;
  const uint8_t *part_of;
  uint32_t first, count; /* orders: first, first + 2, ... */
  double ridges[RIDGES];
  SupInputCheck (*checks)[RIDGES]; /* [count] sums over parts */
} Scores;

/* Adds what all orders do on one part that they have not seen. */
static SupResult score_part(const Quest *q, uint32_t part, Scores *io) {
  SupArena own = sup_scratch(q->arena);
  SupSeries learn;
  SupN4sid space;
  SupResult result = leave_out(q, &own, io->part_of, part, &learn);
  if (result == SUP_OK) result = identify(q, &own, &learn, NULL, &space);
  for (uint32_t k = 0; k < io->count && result == SUP_OK; k++) {
    SupSystem system;
    SupInputParts parts;
    SupInputFit fit = input_fit(q, 0);
    result = make_states(q, &own, &space, io->first + 2 * k, &system);
    if (result == SUP_OK) {
      result = sup_input_parts(&own, &q->series, &fit, &system, io->parts, io->part_of, &parts,
                               q->error);
    }
    for (uint32_t r = 0; r < RIDGES && result == SUP_OK; r++) {
      SupInputCheck check, *sum = &io->checks[k][r];
      if (!(io->ridges[r] > 0)) continue;
      fit.ridge = io->ridges[r];
      result = sup_input_solve(&own, &parts, &fit, part, &system, &check, q->error);
      if (result != SUP_OK) break;
      sum->square += check.square;
      sum->said += check.said;
      sum->together += check.together;
      sum->is += check.is;
    }
  }
  sup_arena_free(&own);
  return result;
}

/* Of the ridges of an order the strongest that does about as well as the best. */
static uint32_t best_ridge(const SupInputCheck checks[RIDGES]) {
  uint32_t best = 0;
  for (uint32_t r = 1; r < RIDGES; r++) {
    if (checks[r].square < checks[best].square) best = r;
  }
  const double least = checks[best].square;
  for (uint32_t r = best + 1; r < RIDGES; r++) {
    if (checks[r].square <= AS_FLAT * least) best = r;
  }
  return best;
}

/* The part of the swings that was borne out by frames that were not seen. It was learned from
 * `share` of the frames; what chance adds to the square of what is said falls as 1 / frames. */
static double gain_of(const SupInputCheck *check, double fraction) {
  if (!(check->together > 0)) return 0;
  const double excess = check->said / check->together - 1;
  return excess > 0 ? 1 / (1 + fraction * excess) : 1;
}

/* What is left of frames that were not seen, with so much of the swings. */
static double left_of(const SupInputCheck *check, double gain) {
  return check->is - 2 * gain * check->together + gain * gain * check->said;
}

/* A part for every clip, where whichever is left out enough is left to learn from; else NULL. */
static const uint8_t *clips_that_judge(const Quest *q, uint32_t order) {
  const SupSeries *s = &q->series;
  const uint32_t frames = sup_series_frames(s);
  if (s->count < 2 || s->count > UINT8_MAX) return NULL;
  const uint8_t *part_of = part_of_frames(q, true);
  for (uint32_t k = 0; k < s->count && part_of; k++) {
    const uint32_t blocks = block_rows(q, part_of, k, q->blocks);
    if (frames - s->lengths[k] < ENOUGH_LEFT * frames || blocks < 2 ||
        order > (blocks - 1) * s->outputs) {
      return NULL;
    }
  }
  return part_of;
}

/* What all parts that are left out in turn say of one order and ridge; squares[parts] may be NULL.
 */
static SupResult score_one(const Quest *q, Scores *one, double *squares) {
  one->count = 1;
  one->checks = (SupInputCheck(*)[RIDGES])sup_arena_alloc(q->arena, 1, sizeof *one->checks);
  if (!one->checks) return sup_fail_memory(q->error, "learning helpers");
  for (uint32_t k = 0; k < one->parts; k++) {
    Quest rest = *q;
    rest.blocks = block_rows(q, one->part_of, k, q->blocks);
    const double before = one->checks[0][0].square;
    SupResult result = score_part(&rest, k, one);
    if (result != SUP_OK) return result;
    if (squares) squares[k] = one->checks[0][0].square - before;
  }
  return SUP_OK;
}

/* No more of the swings than whole clips bear out that were left out, where that can be asked. */
static SupResult ask_clips(const Quest *q, Choice *choice) {
  Scores one = {.parts = q->series.count,
                .part_of = clips_that_judge(q, choice->order),
                .first = choice->order,
                .ridges = {choice->ridge}};
  if (!one.part_of) return SUP_OK;
  SupResult result = score_one(q, &one, NULL);
  if (result != SUP_OK) return result;
  const double gain = gain_of(&one.checks[0][0], 1 - 1.0 / one.parts);
  if (gain < choice->gain) choice->gain = gain;
  choice->left = left_of(&one.checks[0][0], choice->gain);
  return SUP_OK;
}

static SupResult choose_validated(const Quest *q, uint32_t most, Choice *out) {
  /* Whatever swings has two states. */
  Scores s = {.parts = PARTS, .first = most < 2 ? 1 : 2};
  s.count = (most - s.first) / 2 + 1;
  s.checks = (SupInputCheck(*)[RIDGES])sup_arena_alloc(q->arena, s.count, sizeof *s.checks);
  s.part_of = q->part_of;
  if (!s.checks) return sup_fail_memory(q->error, "learning helpers");
  for (uint32_t r = 0; r < RIDGES; r++) {
    s.ridges[r] = r > 0 ? 10 * s.ridges[r - 1] : q->def->ridge > 0 ? q->def->ridge : 1e-6;
  }
  for (uint32_t part = 0; part < PARTS; part++) {
    SupResult result = score_part(q, part, &s);
    if (result != SUP_OK) return result;
  }
  double least = 0;
  for (uint32_t k = 0; k < s.count; k++) {
    const double square = s.checks[k][best_ridge(s.checks[k])].square;
    if (k == 0 || square < least) least = square;
  }
  uint32_t k = 0;
  while (k + 1 < s.count && s.checks[k][best_ridge(s.checks[k])].square > ABOUT_AS_WELL * least) {
    k++;
  }
  const uint32_t r = best_ridge(s.checks[k]);
  const double gain = gain_of(&s.checks[k][r], 1 - 1.0 / PARTS);
  *out = (Choice){s.first + 2 * k, s.ridges[r], gain, left_of(&s.checks[k][r], gain)};
  return ask_clips(q, out);
}

static SupResult choose_bic(const Quest *q, const SupN4sid *space, uint32_t most, Choice *out) {
  const SupSeries *s = &q->series;
  const double n = (double)sup_series_frames(s) * s->outputs;
  double *y = SUP_ALLOC(q->arena, double, (size_t)sup_series_frames(s) * s->outputs);
  SupResult result = y ? SUP_OK : sup_fail_memory(q->error, "learning helpers");
  double least = 0;
  for (uint32_t order = 1; order <= most && result == SUP_OK; order++) {
    SupSystem system;
    double square = 0;
    result = make_order(q, space, order, q->def->ridge, &system);
    if (result == SUP_OK) {
      result = sup_system_predict(q->arena, &system, s, y, &square, q->error);
    }
    const double parameters =
        (double)order * (s->inputs + s->outputs) + (double)s->inputs * s->outputs;
    const double value = n * sup_log(square / n + 1e-300) + parameters * sup_log(n);
    if (order == 1 || value < least) least = value, out->order = order;
  }
  return result;
}

static SupResult choose(const Quest *q, const SupN4sid *space, uint32_t most, Choice *out) {
  *out = (Choice){.ridge = q->def->ridge, .gain = 1};
  if (q->def->order == SUP_HELPERS_BIC) return choose_bic(q, space, most, out);
  if (q->def->order == SUP_HELPERS_VALIDATED) return choose_validated(q, most, out);
  out->order = sup_n4sid_order(space, q->def->fraction);
  if (out->order > most) out->order = most;
  return SUP_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static SupResult low_rank(const Quest *q, SupN4sid *out_space) {
  const SupSeries *s = &q->series;
  const size_t count = (size_t)sup_series_frames(s) * s->outputs;
  double *v = SUP_ALLOC(q->arena, double, count), square = 0;
  if (!v) return sup_fail_memory(q->error, "learning helpers");
  for (size_t k = 0; k < count; k++) square += s->y[k] * s->y[k];
  const SupNuclear def = {.beta = q->def->beta / (square > 0 ? square : 1),
                          .rho = 10,
                          .most_rounds = 100,
                          .tolerance = 1e-3};
  SupNuclearReport report;
  const SupN4sidDef space = space_of(q);
  SupResult result = sup_n4sid_with_g(q->arena, s, &space, out_space, q->error);
  if (result == SUP_OK) {
    result = sup_nuclear_outputs(q->arena, s, out_space, &def, v, &report, q->error);
  }
  return result == SUP_OK ? identify(q, q->arena, s, v, out_space) : result;
}

static SupResult find_arx(const Quest *q, SupSystem *out) {
  uint32_t changed;
  SupResult result = sup_arx(q->arena, &q->series, q->def->lags, out, q->error);
  return result == SUP_OK
             ? sup_stabilise(q->arena, out->states, out->a, q->def->margin, 0, &changed, q->error)
             : result;
}

/* ---- Polish ---------------------------------------------------------------------------------- */

/* Adds how well the free run says frames that were left out. */
static SupResult judge_left_out(const Quest *q, SupArena *arena, const SupSystem *system,
                                const bool *left_out, SupInputCheck *io) {
  const SupSeries *s = &q->series;
  const size_t frames = sup_series_frames(s);
  double *y = SUP_ALLOC(arena, double, frames * s->outputs), whole;
  SupResult result = y ? sup_system_predict(arena, system, s, y, &whole, q->error)
                       : sup_fail_memory(q->error, "learning helpers");
  for (size_t i = 0; i < frames * s->outputs && result == SUP_OK; i++) {
    if (!left_out[i / s->outputs]) continue;
    io->square += (y[i] - s->y[i]) * (y[i] - s->y[i]);
    io->said += y[i] * y[i];
    io->together += y[i] * s->y[i];
  }
  return result;
}

/* Learns without a part, and adds how it does there before and after the polish. */
static SupResult polish_without(const Quest *q, const Choice *choice, uint32_t part,
                                SupInputCheck io[2]) {
  SupArena own = sup_scratch(q->arena);
  const size_t frames = sup_series_frames(&q->series);
  const SupInputFit fit = input_fit(q, choice->ridge);
  bool *left_out = SUP_ALLOC(&own, bool, frames);
  SupSeries learn;
  SupN4sid space;
  SupSystem system;
  SupInputParts parts;
  double square;
  SupResult result = left_out ? leave_out(q, &own, q->part_of, part, &learn)
                              : sup_fail_memory(q->error, "learning helpers");
  for (size_t t = 0; t < frames && result == SUP_OK; t++) left_out[t] = q->part_of[t] == part;
  if (result == SUP_OK) result = identify(q, &own, &learn, NULL, &space);
  if (result == SUP_OK) result = make_states(q, &own, &space, choice->order, &system);
  if (result == SUP_OK) {
    result = sup_input_parts(&own, &q->series, &fit, &system, PARTS, q->part_of, &parts, q->error);
  }
  if (result == SUP_OK) {
    result = sup_input_solve(&own, &parts, &fit, part, &system, NULL, q->error);
  }
  if (result == SUP_OK) result = judge_left_out(q, &own, &system, left_out, &io[0]);
  if (result == SUP_OK) {
    result = sup_polish_output(&own, &q->series, left_out, q->def->polish, choice->ridge,
                               q->def->margin, &system, &square, q->error);
  }
  if (result == SUP_OK) result = judge_left_out(q, &own, &system, left_out, &io[1]);
  sup_arena_free(&own);
  return result;
}

/* Output-error steps, if they help on parts that they do not see. */
static SupResult polish(const Quest *q, const Choice *choice, SupSystem *io) {
  SupInputCheck checks[2];
  double square;
  sup_zero(checks, sizeof checks);
  /* Chance decides where frames are few: then all parts are asked. */
  const uint32_t asked = sup_series_frames(&q->series) < MANY_FRAMES ? PARTS : 1;
  SupResult result = SUP_OK;
  for (uint32_t part = 0; part < asked && result == SUP_OK; part++) {
    result = polish_without(q, choice, part, checks);
  }
  if (result != SUP_OK || !(checks[1].square < checks[0].square)) return result;
  return sup_polish_output(q->arena, &q->series, NULL, q->def->polish, choice->ridge,
                           q->def->margin, io, &square, q->error);
}

/* Takes off what was not borne out. */
static void weaken(double gain, SupSystem *io) {
  for (size_t k = 0; k < (size_t)io->outputs * io->states; k++) io->c[k] *= gain;
  for (size_t k = 0; k < (size_t)io->outputs * io->inputs; k++) io->d[k] *= gain;
}

/* Cuts every sequence into parts, and finds how many block rows all of them allow. */
static SupResult take_parts(Quest *q) {
  q->blocks = q->def->blocks;
  q->part_of = part_of_frames(q, false);
  if (!q->part_of) return sup_fail_memory(q->error, "learning helpers");
  for (uint32_t part = 0; part < PARTS; part++) {
    q->blocks = block_rows(q, q->part_of, part, q->blocks);
  }
  return SUP_OK;
}

SupResult sup_learner_judge(Quest *q, uint32_t states, double ridge, Judgement *out) {
  *out = (Judgement){0};
  SupResult result = take_parts(q);
  if (result != SUP_OK || q->blocks < 2) return result;
  const uint32_t usable = (q->blocks - 1) * q->series.outputs;
  Scores one = {.parts = PARTS,
                .part_of = q->part_of,
                .first = states < usable ? states : usable,
                .ridges = {ridge > 0 ? ridge : 1e-6}};
  const uint8_t *clips = q->series.count <= MOST_JUDGES ? clips_that_judge(q, one.first) : NULL;
  if (clips) one.parts = q->series.count, one.part_of = clips;
  result = score_one(q, &one, out->squares);
  out->count = one.parts;
  for (uint32_t k = 0; k < out->count; k++) out->sum += out->squares[k];
  return result;
}

SupResult sup_learner_find_system(Quest *q, uint32_t most, Choice *io_choice, SupSystem *out) {
  const SupSeries *s = &q->series;
  if (q->def->system == SUP_HELPERS_ARX) return find_arx(q, out);
  SupN4sid space;
  SupResult result = take_parts(q);
  if (result != SUP_OK) return result;
  if (q->blocks < 2) q->blocks = 2;
  result = q->def->system == SUP_HELPERS_LOW_RANK && q->last
               ? low_rank(q, &space)
               : identify(q, q->arena, s, NULL, &space);
  const uint32_t usable = (q->blocks - 1) * s->outputs;
  if (most > usable) most = usable;
  if (result == SUP_OK && io_choice->order == 0) result = choose(q, &space, most, io_choice);
  if (result == SUP_OK) result = make_order(q, &space, io_choice->order, io_choice->ridge, out);
  if (result == SUP_OK && q->last && q->def->polish && q->def->drive == SUP_HELPERS_FELT &&
      io_choice->ridge > 0) {
    result = polish(q, io_choice, out);
  }
  if (result == SUP_OK) weaken(q->last ? io_choice->gain : 1, out);
  return result;
}
