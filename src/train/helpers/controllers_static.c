/* SPDX-License-Identifier: MIT */
/*
 * Static controllers: where a helper stands in a pose.
 *
 *   q = w_0 + sum_j w_j m_j(r),   min |q - X w|^2 + alpha |w|_1
 *
 * m are monomials of the rotation vectors r of joints near the parent, columns of X standardised,
 * the constant free. alpha is a fraction of the smallest that leaves nothing, so that it means the
 * same for metres and radians; it is chosen by leaving out a fifth of every clip at a time, or
 * whole clips. Of the bones that the helper moves little against, the parent is the one whose
 * pose explains it best, counted in metres of the helper's flesh.
 */
#include "base/scratch.h"
#include "numerics/dense.h"
#include "numerics/lasso.h"
#include "train/helpers/controllers.h"

enum { FOLDS = 5, PATH = 10 };
#define TRIED 0.01    /* fraction of alpha's limit while parents are compared */
#define MOST 0.6      /* of all frames: a clip that cannot be done without */
#define FLATTEST 1e-9 /* standard deviation below which a term is constant */

/* ---- What a helper should do ----------------------------------------------------------------- */

SupAffined sup_learner_carrier(const Learner *l, const Controller *c, uint32_t frame) {
  const SupSkeleton *skeleton = &l->character->skeleton;
  if (c->parent_helper != SUP_NONE) return l->controllers[c->parent_helper].goes[frame];
  const size_t joint = skeleton->bone_joints[c->parent_bone];
  const size_t first = (size_t)skeleton->joint_count * (l->frame_of ? l->frame_of[frame] : frame);
  return sup_affine_to_double(l->baker.frames.globals[first + joint]);
}

/* Its numbers below its parent, frame by frame. */
void sup_learner_follow(const Learner *l, uint32_t h) {
  const Controller *c = &l->controllers[h];
  const SupTransform rest = c->joint.rest;
  const SupVec3d base = sup_vec3_to_double(rest.translation);
  const SupQuatd back = sup_quatd_conjugate(sup_quat_to_double(rest.rotation));
  size_t frame = 0;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    SupVec3d last = {0, 0, 0};
    for (uint32_t t = 0; t < l->def->motions[m].frame_count; t++, frame++) {
      const SupAffined own =
          sup_bake_global(&l->baker, l->frame_of ? l->frame_of[frame] : (uint32_t)frame, h, c->at);
      const SupAffined back_in = sup_affined_inverse(sup_learner_carrier(l, c, (uint32_t)frame));
      const SupTransformd now = sup_affined_decompose(sup_affined_mul(back_in, own));
      const SupVec3d moved = sup_vec3d_sub(now.translation, base);
      const SupQuatd turn = sup_quatd_normalise(sup_quatd_mul(back, now.rotation));
      if (l->def->motions[m].still) last = (SupVec3d){0, 0, 0};
      last = sup_quatd_log_near(turn, last);
      const double q[OUTPUTS] = {moved.x, moved.y, moved.z, last.x, last.y, last.z};
      sup_copy(c->q + OUTPUTS * frame, q, sizeof q);
    }
  }
}

/* Length of a unit of the parent, in metres. */
static double unit_of(const Learner *l, uint32_t joint) {
  const SupAffine g = l->baker.frames.globals[joint];
  const SupVec3 x = {g.m[0], g.m[1], g.m[2]};
  return (double)sup_vec3_length(x);
}

/* ---- Which terms ----------------------------------------------------------------------------- */

static uint32_t hops(const SupSkeleton *skeleton, uint32_t a, uint32_t b) {
  uint32_t count = 0;
  while (a != b) { /* a child's number is higher than its parent's */
    uint32_t *lower = a > b ? &a : &b;
    if (skeleton->parents[*lower] < 0) return UINT32_MAX;
    *lower = (uint32_t)skeleton->parents[*lower];
    count++;
  }
  return count;
}

static uint32_t choose_terms(const Learner *l, uint32_t joint, uint32_t *out_features) {
  uint32_t count = 0;
  for (uint32_t f = 0; f < l->feature_count; f++) {
    const uint32_t turn = l->turns[l->feature_turn[f]];
    const bool near = hops(&l->character->skeleton, turn, joint) <= l->def->reach;
    if (near || l->def->drive == SUP_HELPERS_PUBLISHED) out_features[count++] = f;
  }
  return count;
}

/* ---- The problem ----------------------------------------------------------------------------- */

typedef struct Problem {
  uint32_t frames, count; /* terms */
  double *x;              /* [frames * count] standardised */
  double *mean, *deviation;
  double q_mean[OUTPUTS];
  uint8_t *fold;               /* [frames] */
  double *gram[FOLDS + 1];     /* of each fold; of all */
  double *products[FOLDS + 1]; /* [6 * count] */
  double square[FOLDS + 1][OUTPUTS];
} Problem;

static bool allocate(SupArena *arena, Problem *p) {
  const size_t n = p->count, t = p->frames;
  p->x = SUP_ALLOC(arena, double, t *n);
  p->mean = SUP_ALLOC(arena, double, n);
  p->deviation = SUP_ALLOC(arena, double, n);
  p->fold = SUP_ALLOC(arena, uint8_t, t);
  bool all = p->x && p->mean && p->deviation && p->fold;
  for (int k = 0; k <= FOLDS; k++) {
    p->gram[k] = SUP_ALLOC(arena, double, n *n);
    p->products[k] = SUP_ALLOC(arena, double, OUTPUTS *n);
    all = all && p->gram[k] && p->products[k];
  }
  return all;
}

static void standardise(const Learner *l, const uint32_t *features, Problem *p) {
  for (uint32_t c = 0; c < p->count; c++) {
    double sum = 0, square = 0;
    for (size_t t = 0; t < p->frames; t++) {
      const double value = l->values[t * l->feature_count + features[c]];
      sum += value, square += value * value;
    }
    const double mean = sum / p->frames, spread = square / p->frames - mean * mean;
    p->mean[c] = mean;
    p->deviation[c] = spread > FLATTEST * FLATTEST ? sup_sqrt(spread) : 0;
    const double by = p->deviation[c] > 0 ? 1 / p->deviation[c] : 0;
    for (size_t t = 0; t < p->frames; t++) {
      p->x[t * p->count + c] = (l->values[t * l->feature_count + features[c]] - mean) * by;
    }
  }
}

/* Whether there are several examples of which none makes up most of the teaching: then whole ones
 * are left out. */
static bool leave_out_clips(const Learner *l) {
  bool several = l->def->motion_count > 1;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    several = several && l->def->motions[m].frame_count < MOST * l->frames;
  }
  return several;
}

static void add_up(const Learner *l, const double *q, Problem *p) {
  const bool by_clip = leave_out_clips(l);
  size_t frame = 0;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    const uint32_t count = l->def->motions[m].frame_count;
    for (uint32_t t = 0; t < count; t++, frame++) {
      p->fold[frame] = (uint8_t)(by_clip ? m % FOLDS : (uint64_t)FOLDS * t / count);
    }
  }
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    p->q_mean[o] = 0;
    for (size_t t = 0; t < p->frames; t++) p->q_mean[o] += q[OUTPUTS * t + o] / p->frames;
  }
  const uint32_t n = p->count;
  for (size_t t = 0; t < p->frames; t++) {
    const double *x = p->x + t * n;
    const int k = p->fold[t];
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      const double value = q[OUTPUTS * t + o] - p->q_mean[o];
      p->square[k][o] += value * value;
      for (uint32_t c = 0; c < n; c++) p->products[k][n * o + c] += x[c] * value;
    }
    for (uint32_t a = 0; a < n; a++) {
      for (uint32_t b = 0; b <= a; b++) p->gram[k][(size_t)n * a + b] += x[a] * x[b];
    }
  }
  for (int k = 0; k < FOLDS; k++) {
    for (uint32_t a = 0; a < n; a++) {
      for (uint32_t b = 0; b < a; b++) {
        p->gram[k][(size_t)n * b + a] = p->gram[k][(size_t)n * a + b];
      }
    }
    for (size_t i = 0; i < (size_t)n * n; i++) p->gram[FOLDS][i] += p->gram[k][i];
    for (uint32_t i = 0; i < OUTPUTS * n; i++) p->products[FOLDS][i] += p->products[k][i];
    for (uint32_t o = 0; o < OUTPUTS; o++) p->square[FOLDS][o] += p->square[k][o];
  }
}

/* ---- How much to shrink ---------------------------------------------------------------------- */

static double fraction_of(int step) {
  double fraction = 0.3;
  for (int k = 0; k < step; k++) fraction *= 0.45;
  return fraction;
}

/* The error on each fold of weights from the others, for every fraction of the path. */
static void validate(const Problem *p, uint32_t o, SupArena *arena, double *out_errors) {
  const uint32_t n = p->count;
  double *gram = SUP_ALLOC(arena, double, (size_t)n *n), *c = SUP_ALLOC(arena, double, n);
  double *f = SUP_ALLOC(arena, double, n), *scratch = SUP_ALLOC(arena, double, n);
  for (int k = 0; k < PATH; k++) out_errors[k] = 0;
  if (!gram || !c || !f || !scratch) return;
  for (int fold = 0; fold < FOLDS; fold++) {
    for (size_t i = 0; i < (size_t)n * n; i++) gram[i] = p->gram[FOLDS][i] - p->gram[fold][i];
    for (uint32_t i = 0; i < n; i++) {
      c[i] = p->products[FOLDS][n * o + i] - p->products[fold][n * o + i];
      f[i] = 0;
    }
    const double square = p->square[FOLDS][o] - p->square[fold][o];
    const double limit = sup_lasso_limit(n, c);
    for (int k = 0; k < PATH; k++) {
      SupLassoReport report;
      const SupLasso lasso = {n, gram, c, square, fraction_of(k) * limit, 1e-4, 60};
      sup_lasso(&lasso, f, scratch, &report);
      double error = p->square[fold][o];
      for (uint32_t a = 0; a < n; a++) {
        if (f[a] == 0) continue;
        error -= 2 * f[a] * p->products[fold][n * o + a];
        for (uint32_t b = 0; b < n; b++) error += f[a] * f[b] * p->gram[fold][(size_t)n * a + b];
      }
      out_errors[k] += error;
    }
  }
}

/* Weights of one number of the helper; returns the square that is left. */
static double solve_one(const Problem *p, uint32_t o, double fraction, SupArena *arena,
                        double *out) {
  const uint32_t n = p->count;
  double errors[PATH], *scratch = SUP_ALLOC(arena, double, n);
  if (!scratch) return p->square[FOLDS][o];
  if (!(fraction > 0)) {
    int best = 0;
    validate(p, o, arena, errors);
    for (int k = 1; k < PATH; k++) {
      if (errors[k] < errors[best]) best = k;
    }
    fraction = errors[best] < p->square[FOLDS][o] ? fraction_of(best) : 1; /* nothing helps */
  }
  SupLassoReport report;
  const double *c = p->products[FOLDS] + n * o;
  const SupLasso lasso = {
      n, p->gram[FOLDS], c, p->square[FOLDS][o], fraction * sup_lasso_limit(n, c), 1e-6, 3000};
  for (uint32_t k = 0; k < n; k++) out[k] = 0;
  sup_lasso(&lasso, out, scratch, &report);
  return report.residual;
}

/* ---- One helper ------------------------------------------------------------------------------ */

/* Keeps the terms in use, in their own units. */
static SupResult keep(Learner *l, const Problem *p, const uint32_t *features, const double *found,
                      Controller *c) {
  const uint32_t n = p->count;
  c->features = SUP_ALLOC(l->arena, uint32_t, n);
  if (!c->features) return sup_fail_memory(l->error, "learning helpers");
  c->feature_count = 0;
  for (uint32_t k = 0; k < n; k++) {
    bool used = false;
    for (uint32_t o = 0; o < OUTPUTS; o++) used |= found[n * o + k] != 0;
    if (used) c->features[c->feature_count++] = k;
  }
  const uint32_t width = 1 + c->feature_count;
  c->weights = SUP_ALLOC(l->arena, double, (size_t)OUTPUTS *width);
  if (!c->weights) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    double *row = c->weights + (size_t)width * o;
    row[0] = p->q_mean[o];
    for (uint32_t k = 0; k < c->feature_count; k++) {
      const uint32_t j = c->features[k];
      row[1 + k] = p->deviation[j] > 0 ? found[n * o + j] / p->deviation[j] : 0;
      row[0] -= row[1 + k] * p->mean[j];
    }
  }
  for (uint32_t k = 0; k < c->feature_count; k++) c->features[k] = features[c->features[k]];
  for (size_t t = 0; t < l->frames; t++) {
    const double *values = l->values + t * l->feature_count;
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      const double *row = c->weights + (size_t)width * o;
      double sum = row[0];
      for (uint32_t k = 0; k < c->feature_count; k++) sum += row[1 + k] * values[c->features[k]];
      c->x[OUTPUTS * t + o] = sum;
    }
  }
  return SUP_OK;
}

/* Fits below one joint; `keep_it`: with the shrinkage that is wanted, into the controller. */
static SupResult fit(Learner *l, uint32_t joint, bool keep_it, const double *q, Controller *c) {
  SupArena own = sup_scratch(l->arena);
  uint32_t *features = SUP_ALLOC(&own, uint32_t, l->feature_count + (size_t)1);
  Problem p = {.frames = l->frames};
  SupResult result = SUP_OK;
  if (features) p.count = choose_terms(l, joint, features);
  double *found = SUP_ALLOC(&own, double, OUTPUTS *((size_t)p.count + 1));
  if (!features || !found || !allocate(&own, &p)) {
    result = sup_fail_memory(l->error, "learning helpers");
  }
  if (result == SUP_OK) {
    standardise(l, features, &p);
    add_up(l, q, &p);
    c->residual = 0;
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      const double left =
          solve_one(&p, o, keep_it ? l->def->shrink : TRIED, &own, found + (size_t)p.count * o);
      c->residual += left * c->scale[o] * c->scale[o];
    }
    if (keep_it) result = keep(l, &p, features, found, c);
  }
  sup_arena_free(&own);
  return result;
}

void sup_learner_hang(Learner *l, uint32_t h, uint32_t bone, uint32_t helper, SupVec3d at) {
  Controller *c = &l->controllers[h];
  l->baker.parents[h] = bone;
  c->parent_bone = bone;
  c->parent_helper = helper;
  c->at = at;
  c->joint = sup_bake_joint(&l->baker, h, at);
  double unit = unit_of(l, l->character->skeleton.bone_joints[bone]);
  const SupVec3d aside = sup_vec3d_sub(at, l->baker.places[h]);
  const double radius =
      sup_sqrt(l->baker.radii[h] * l->baker.radii[h] + sup_vec3d_dot(aside, aside));
  if (helper != SUP_NONE) { /* which stands at rest with the axes and units of the scene */
    const SupVec3d away = sup_vec3d_sub(at, l->controllers[helper].at);
    c->joint.parent = l->character->skeleton.joint_count + helper;
    c->joint.rest = sup_transform_identity();
    c->joint.rest.translation = sup_vec3d_to_float(away);
    unit = 1;
  }
  for (uint32_t o = 0; o < OUTPUTS; o++) c->scale[o] = o < 3 ? unit : radius > 0 ? radius : unit;
  sup_learner_follow(l, h);
}

SupResult sup_learner_pose(Learner *l, uint32_t h) {
  Controller *c = &l->controllers[h];
  const uint32_t bones = l->character->skeleton.bone_count;
  c->q = SUP_ALLOC(l->arena, double, (size_t)OUTPUTS * l->frames);
  c->x = SUP_ALLOC(l->arena, double, (size_t)OUTPUTS * l->frames);
  double *restless = SUP_ALLOC(l->arena, double, bones);
  if (!c->q || !c->x || !restless) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t k = 0; k < bones; k++) {
    restless[k] = sup_bake_restless(&l->baker, h, k, l->baker.places[h], l->baker.radii[h]);
  }
  const uint32_t tried = l->def->parents_tried ? l->def->parents_tried : bones;
  uint32_t best = SUP_NONE;
  double least = 0;
  for (uint32_t round = 0; round < tried && round < bones; round++) {
    uint32_t next = SUP_NONE;
    for (uint32_t k = 0; k < bones; k++) {
      if (restless[k] >= 0 && (next == SUP_NONE || restless[k] < restless[next])) next = k;
    }
    restless[next] = -1;
    sup_learner_hang(l, h, next, SUP_NONE, l->baker.places[h]);
    SupResult result = fit(l, l->character->skeleton.bone_joints[next], false, c->q, c);
    if (result != SUP_OK) return result;
    if (best == SUP_NONE || c->residual < least) best = next, least = c->residual;
  }
  sup_learner_hang(l, h, best, SUP_NONE, l->baker.places[h]);
  return fit(l, l->character->skeleton.bone_joints[best], true, c->q, c);
}

SupResult sup_learner_pose_again(Learner *l, uint32_t h) {
  Controller *c = &l->controllers[h];
  SupArena own = sup_scratch(l->arena);
  const size_t count = (size_t)OUTPUTS * l->frames;
  double *still = SUP_ALLOC(&own, double, count);
  SupResult result = still ? SUP_OK : sup_fail_memory(l->error, "learning helpers");
  for (size_t k = 0; k < count && still; k++) still[k] = c->q[k] - (c->y ? c->y[k] : 0);
  if (still) {
    result = fit(l, l->character->skeleton.bone_joints[c->parent_bone], true, still, c);
  }
  sup_arena_free(&own);
  return result;
}
