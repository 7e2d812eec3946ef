/* SPDX-License-Identifier: MIT */
/*
 * Simulating the examples, and the normal equations on the way.
 *
 * A step is linear in the numbers: x(t+1) = x + dx + push + sum_k n_k T_k, with T_k what the kernel
 * gives as `terms`. So for a given trajectory the numbers that lead to the example's p(t+1) best
 * follow from Q = sum w T^T T and g = sum w T^T (p(t+1) - x - dx - push), vertex by vertex (eq. 15,
 * with the outer forces taken off).
 */
#include <math.h>

#include "train/surface/problem.h"

#define GRAIN 8
#define MOST_FACTOR 100 /* by which a quiet clip is made to count more */

typedef struct PassTask {
  SurfaceProblem *p;
  const SurfaceClip *clip;
  const SurfacePass *pass;
  uint32_t next;        /* the frame that the step leads to */
  const double *before; /* [3 * lanes] x and dx before the step */
  float *errors;        /* NULL, or [3 * lanes] */
} PassTask;

void sup_surface_numbers_apply(SurfaceProblem *p) {
  for (uint32_t b = 0; b < p->blocks; b++) {
    const double *from = p->numbers + (size_t)(p->terms * BLOCK) * b;
    sup_copy(p->rows + (size_t)(SUP_SURFACE_ROWS * BLOCK) * b, from,
             SUP_SURFACE_TERMS * BLOCK * sizeof(double));
    if (!p->normal_rows) continue;
    sup_copy(p->normal_rows + (size_t)(SUP_SURFACE_NORMAL_ROWS * BLOCK) * b,
             from + SUP_SURFACE_TERMS * BLOCK, 2 * BLOCK * sizeof(double));
  }
}

static void place(SurfaceProblem *p, const SurfaceClip *clip, uint32_t t) {
  const SupAffined *palette = clip->palettes + (size_t)t * p->bones;
  sup_surface_place_f64(&p->wide, palette, p->state.placed);
  if (!clip->scaled) return;
  for (uint32_t b = 0; b < p->bones; b++) {
    const double d = sup_mat3d_determinant(sup_affined_linear(palette[b]));
    const double r = cbrt(fabs(d));
    p->state.scales[b] = d < 0 ? -r : r;
  }
}

/* The change of the goal's step from t to t + 1, which the run time adds when it knows it. */
static void find_bends(SurfaceProblem *p, const SurfaceClip *clip, uint32_t t) {
  const size_t count = (size_t)3 * p->lanes;
  double *bends = p->state.bends, *frame = p->spare_frame;
  sup_surface_frame(&clip->goals, t + 1, count, bends);
  sup_surface_frame(&clip->goals, t, count, frame);
  for (size_t i = 0; i < count; i++) bends[i] -= 2 * frame[i];
  sup_surface_frame(&clip->goals, t - 1, count, frame);
  for (size_t i = 0; i < count; i++) bends[i] += frame[i];
}

SupSurfaceCalld sup_surface_call(SurfaceProblem *p, const SurfaceClip *clip, uint32_t t) {
  SurfaceState *s = &p->state;
  place(p, clip, t);
  if (s->bends) find_bends(p, clip, t);
  if (p->normal_rows) {
    const SupSkinCalld skin = {.skin = &p->wide.skin,
                               .palette = clip->palettes + (size_t)t * p->bones,
                               .normals = {s->normals, 0}};
    sup_skin_lbs_f64(p->jobs, &skin);
  }
  return (SupSurfaceCalld){.model = &p->wide,
                           .palette = clip->palettes + (size_t)t * p->bones,
                           .segments = s->placed,
                           .scales = clip->scaled ? s->scales : NULL,
                           .next_goal = s->next_goal,
                           .normals = p->normal_rows ? s->normals : NULL,
                           .forces = clip->handed_on ? s->forces : NULL,
                           .push = clip->push,
                           .feed = clip->feed,
                           .bends = s->bends,
                           .rotation_steps = p->def->rotation_steps,
                           .x = s->x,
                           .dx = s->dx,
                           .goal = s->goal,
                           .goal_step = s->goal_step,
                           .rotation = s->rotation,
                           .records = s->records,
                           .terms = s->terms};
}

/* a - b, into a. */
static void subtract(double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++) a[i] -= b[i];
}

/* Rotations of the bones: where the search for those of the one-rings begins. */
static void start_rotations(SurfaceProblem *p, const SurfaceClip *clip, uint32_t t) {
  const size_t count = (size_t)3 * p->lanes;
  sup_surface_frame(&clip->goals, t, count, p->state.next_goal);
  const SupSurfaceCalld call = sup_surface_call(p, clip, t);
  sup_surface_start_f64(p->backend, p->jobs, &call, false);
}

void sup_surface_begin(SurfaceProblem *p, const SurfaceClip *clip, uint32_t t, bool from_goal) {
  SurfaceState *s = &p->state;
  const size_t count = (size_t)3 * p->lanes;
  const SurfaceFrames *from = from_goal ? &clip->goals : &clip->targets;
  sup_surface_frame(&clip->goals, t - 1, count, s->goal);
  sup_surface_frame(&clip->goals, t - 1, count, s->goal_step);
  sup_surface_frame(&clip->goals, t - 2, count, s->x);
  subtract(s->goal_step, s->x, count);
  sup_surface_frame(from, from_goal ? t - 1 : t, count, s->x);
  sup_surface_frame(from, from_goal ? t - 1 : t, count, s->dx);
  sup_surface_frame(from, from_goal ? t - 2 : t - 1, count, s->target);
  subtract(s->dx, s->target, count);
  for (size_t i = 0; i < count && from_goal; i++) s->x[i] += s->dx[i];
}

/* What the stack adds where modes answer for inertia: with eta 1 the flesh takes the goal's last
 * acceleration over, and this is what that misses of the next one. */
void sup_surface_hand_over(SurfaceProblem *p, const SurfaceClip *clip, uint32_t t) {
  static const double fractions[4] = {1, -3, 3, -1}; /* third difference of the goals */
  const size_t count = (size_t)3 * p->lanes;
  double *forces = p->state.forces, *frame = p->state.target;
  if (!clip->handed_on) return;
  sup_zero(forces, count * sizeof(double));
  for (uint32_t k = 0; k < 4; k++) {
    sup_surface_frame(&clip->goals, t + 1 - k, count, frame);
    for (size_t i = 0; i < count; i++) forces[i] += fractions[k] * frame[i];
  }
}

/* ---- What a step leaves -----------------------------------------------------------------------
 */

static void block_weights(const PassTask *task, uint32_t block, double *out) {
  const SurfaceProblem *p = task->p;
  const uint8_t *known = task->clip->known;
  for (uint32_t i = 0; i < BLOCK; i++) {
    const uint32_t lane = BLOCK * block + i;
    out[i] = p->weights[lane] * task->clip->weights[task->next];
    if (!known) continue;
    const uint8_t *at = known + (size_t)task->next * p->lanes + lane;
    if (!at[0]) out[i] = 0;
    /* A step that begins on the example needs where it was, and where before. */
    if (task->pass->window == 1 && !(at[-(ptrdiff_t)p->lanes] && at[-2 * (ptrdiff_t)p->lanes])) {
      out[i] = 0;
    }
  }
}

/* Adds w T^T T and w T^T b of one block; b by coordinate. */
static void add_sums(uint32_t count, double *sums, const double *terms, double b[3][BLOCK],
                     const double *w) {
  for (uint32_t c = 0; c < 3; c++) {
    double weighted[MOST_TERMS][BLOCK];
    for (uint32_t k = 0; k < count; k++) {
      const double *t = terms + (3 * k + c) * BLOCK;
      for (uint32_t i = 0; i < BLOCK; i++) weighted[k][i] = w[i] * t[i];
    }
    double *to = sums;
    for (uint32_t k = 0; k < count; k++) {
      for (uint32_t l = 0; l <= k; l++, to += BLOCK) {
        const double *t = terms + (3 * l + c) * BLOCK;
        for (uint32_t i = 0; i < BLOCK; i++) to[i] += weighted[k][i] * t[i];
      }
    }
    for (uint32_t k = 0; k < count; k++, to += BLOCK) {
      for (uint32_t i = 0; i < BLOCK; i++) to[i] += weighted[k][i] * b[c][i];
    }
  }
}

/* Positions, and velocities where they count: dx shall be p(t+1) - p(t). */
static double finish_block(const PassTask *task, uint32_t block) {
  SurfaceProblem *p = task->p;
  const SurfaceState *s = &p->state;
  const size_t first = (size_t)(3 * BLOCK) * block, count = (size_t)3 * p->lanes;
  const double sobolev = p->def->sobolev;
  const double *before = task->before;
  double w[BLOCK], b[3][BLOCK], error = 0;
  block_weights(task, block, w);
  for (uint32_t c = 0; c < 3; c++) {
    for (uint32_t i = 0; i < BLOCK; i++) {
      const size_t at = first + c * BLOCK + i;
      const double e = s->x[at] - s->target[at];
      error += w[i] * e * e;
      if (!(sobolev > 0) || !before) continue;
      const double change = e - (before[at] - before[2 * count + at]);
      error += sobolev * w[i] * change * change;
    }
  }
  if (task->pass->sums) {
    const double push[3] = {task->clip->push.x, task->clip->push.y, task->clip->push.z};
    double *sums = p->sums + (size_t)(p->sum_count * BLOCK) * block;
    const double *terms = s->terms + (size_t)(3 * p->terms * BLOCK) * block;
    for (uint32_t c = 0; c < 3; c++) {
      for (uint32_t i = 0; i < BLOCK; i++) {
        const size_t at = first + c * BLOCK + i;
        b[c][i] = s->target[at] - before[at] - before[count + at] - push[c] - s->forces[at];
      }
    }
    add_sums(p->terms, sums, terms, b, w);
    if (sobolev > 0) {
      for (uint32_t i = 0; i < BLOCK; i++) w[i] *= sobolev;
      for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < BLOCK; i++) {
          const size_t at = first + c * BLOCK + i;
          b[c][i] =
              s->target[at] - before[2 * count + at] - before[count + at] - push[c] - s->forces[at];
        }
      }
      add_sums(p->terms, sums, terms, b, w);
    }
  }
  if (task->errors) {
    for (size_t at = first; at < first + 3 * BLOCK; at++) {
      task->errors[at] = (float)(s->x[at] - s->target[at]);
    }
  }
  return error;
}

static void finish_task(void *context, SupRange range) {
  const PassTask *task = (const PassTask *)context;
  double sum = 0;
  for (uint32_t b = range.first; b < range.first + range.count; b++) sum += finish_block(task, b);
  task->p->errors[range.chunk] = sum;
}

static double finish(PassTask *task) {
  SurfaceProblem *p = task->p;
  const uint32_t ranges = sup_range_count(p->blocks, GRAIN);
  double sum = 0;
  sup_parallel_for(p->jobs, p->blocks, GRAIN, finish_task, task);
  for (uint32_t k = 0; k < ranges; k++) sum += p->errors[k];
  return sum;
}

/* ---- The pass ---------------------------------------------------------------------------------
 */

static bool begins_at(const SurfaceClip *clip, const SurfacePass *pass, uint32_t t) {
  if (t == FIRST_STEP) return true;
  if (!pass->window || (t - FIRST_STEP) % pass->window != 0) return false;
  return clip->weights[t] > 0 && clip->weights[t - 1] > 0;
}

static double run_clip(SurfaceProblem *p, const SurfacePass *pass, const SurfaceClip *clip,
                       double *before, float *errors) {
  SurfaceState *s = &p->state;
  const size_t count = (size_t)3 * p->lanes;
  double error = 0;
  start_rotations(p, clip, FIRST_STEP);
  for (uint32_t t = FIRST_STEP; t + 1 < clip->frame_count; t++) {
    if (begins_at(clip, pass, t)) sup_surface_begin(p, clip, t, !pass->window);
    sup_copy(before, s->x, count * sizeof(double));
    sup_copy(before + count, s->dx, count * sizeof(double));
    if (p->def->sobolev > 0) sup_surface_frame(&clip->targets, t, count, before + 2 * count);
    sup_surface_frame(&clip->goals, t, count, s->next_goal);
    sup_surface_hand_over(p, clip, t);
    sup_surface_frame(&clip->targets, t + 1, count, s->target);
    SupSurfaceCalld call = sup_surface_call(p, clip, t);
    if (!pass->sums) call.terms = NULL;
    sup_surface_solve_f64(p->backend, p->jobs, &call);
    PassTask task = {p,     clip,   pass,
                     t + 1, before, errors ? errors + count * (t - FIRST_STEP) : NULL};
    if (pass->window == 1 && !begins_at(clip, pass, t)) continue;
    error += finish(&task);
  }
  return error;
}

double sup_surface_pass(SurfaceProblem *p, const SurfacePass *pass, double *out_clips) {
  const size_t count = (size_t)3 * p->lanes;
  double *before = p->before;
  double error = 0;
  p->passes++;
  sup_surface_numbers_apply(p);
  sup_zero(p->state.forces, count * sizeof(double));
  if (pass->sums) sup_zero(p->sums, (size_t)p->sum_count * p->lanes * sizeof(double));
  for (uint32_t k = 0; k < p->clip_count; k++) {
    const SurfaceClip *clip = &p->clips[k];
    double own = 0;
    if (clip->used) own = run_clip(p, pass, clip, before, NULL);
    if (out_clips) out_clips[k] = own;
    error += own;
  }
  return isfinite(error) ? error : 1e300;
}

double sup_surface_pass_clip(SurfaceProblem *p, uint32_t clip, float *errors) {
  const SurfacePass pass = {0};
  sup_surface_numbers_apply(p);
  sup_zero(p->state.forces, (size_t)3 * p->lanes * sizeof(double));
  return run_clip(p, &pass, &p->clips[clip], p->before, errors);
}

double sup_surface_goal_error(SurfaceProblem *p, double *out_clips) {
  const SurfacePass none = {0};
  const size_t count = (size_t)3 * p->lanes;
  double error = 0;
  for (uint32_t k = 0; k < p->clip_count; k++) {
    const SurfaceClip *clip = &p->clips[k];
    double own = 0;
    for (uint32_t t = FIRST_STEP + 1; t < clip->frame_count && clip->used; t++) {
      PassTask task = {p, clip, &none, t, NULL, NULL};
      sup_surface_frame(&clip->goals, t, count, p->state.x);
      sup_surface_frame(&clip->targets, t, count, p->state.target);
      own += finish(&task);
    }
    if (out_clips) out_clips[k] = own;
    error += own;
  }
  return error;
}

void sup_surface_balance(SurfaceProblem *p, double *goals) {
  const double all = sup_surface_goal_error(p, goals);
  for (uint32_t k = 0; k < p->clip_count; k++) {
    SurfaceClip *clip = &p->clips[k];
    const double fraction = all / p->clip_count;
    const double factor = goals[k] * MOST_FACTOR > fraction ? fraction / goals[k] : MOST_FACTOR;
    for (uint32_t t = 0; t < clip->frame_count && all > 0; t++) clip->weights[t] *= factor;
  }
}
