/* SPDX-License-Identifier: MIT */
/*
 * Skinning decomposition: helpers are inserted where they are missed, weights and motions refined
 * in turn, useless helpers moved, and the slow rest of the way taken in longer strides.
 */
#include "train/helpers/decompose.h"

#include "numerics/dense.h"
#include "supple/model.h"

#define COOKIE SUP_FOURCC('d', 'c', 'm', 'p')
#define HELPERS_MOST 256
#define ROUNDS 2         /* over the bones of a frame */
#define INSERT_SWEEPS 2  /* after helpers were inserted */
#define RESEED_SWEEPS 6  /* before it is decided whether a moved helper stays */
#define THOROUGH_EVERY 8 /* sweeps between exchanges of influences */

SupDecomposeDef sup_decompose_def(void) {
  return (SupDecomposeDef){.cookie = COOKIE,
                           .influences = 4,
                           .sweeps = 100,
                           .tolerance = 1e-4,
                           .reseeds = 8,
                           .starts = 1,
                           .seed = 1};
}

static SupResult check(const SupDecomposeDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "decomposition: start from sup_decompose_def()");
  }
  if (def->vertex_count < 4 || def->frame_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "decomposition: %u vertices in %u frames; at least 4 vertices and one frame "
                    "are needed",
                    def->vertex_count, def->frame_count);
  }
  if (def->influences == 0 || def->influences > SUP_DECOMPOSE_INFLUENCES) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "decomposition: %u influences per vertex; between 1 and %u are possible",
                    def->influences, SUP_DECOMPOSE_INFLUENCES);
  }
  if (def->fixed_count + def->helper_count == 0 || def->helper_count > HELPERS_MOST) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "decomposition: %u helpers; without other bones at least 1 is needed, and the "
                    "maximum is %u",
                    def->helper_count, HELPERS_MOST);
  }
  if (def->locked && !def->skin) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "decomposition: locked vertices need the skin whose weights they keep");
  }
  if (!(def->smooth >= 0 && def->tolerance >= 0 && def->least_weight >= 0) || def->starts == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "decomposition: smoothing, tolerance and minimum weight must not be negative, "
                    "and one start is needed");
  }
  const float *p = &def->positions[0].x;
  for (size_t k = 0; k < (size_t)3 * def->frame_count * def->vertex_count; k++) {
    if (!(p[k] - p[k] == 0)) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "decomposition: frame %llu has a position that is not finite",
                      (unsigned long long)(k / ((size_t)3 * def->vertex_count)));
    }
  }
  for (uint32_t i = 0; def->locked && i < def->vertex_count; i++) {
    const uint32_t count = def->skin->offsets[i + 1] - def->skin->offsets[i];
    if (def->locked[i] && count > def->influences) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "decomposition: locked vertex %u has %u influences, more than the %u allowed",
                      i, count, def->influences);
    }
  }
  return SUP_OK;
}

/* ---- Setting up ----------------------------------------------------------------------------- */

/* A fresh start: the fixed bones alone; locked vertices have their weights, others none. */
static void begin(Decompose *d) {
  const SupDecomposeDef *def = d->def;
  d->bones = d->fixed;
  for (uint32_t i = 0; i < d->vertices; i++) {
    d->counts[i] = 0;
    if (!(def->locked && def->locked[i])) continue;
    for (uint32_t k = def->skin->offsets[i]; k < def->skin->offsets[i + 1]; k++) {
      const size_t at = (size_t)def->influences * i + d->counts[i]++;
      d->of[at] = def->skin->bones[k];
      d->fractions[at] = (double)def->skin->weights[k];
    }
  }
  sup_decompose_moved(d, 0);
}

/* ---- Remembering ---------------------------------------------------------------------------- */

/* What can change, apart from what follows from it. */
typedef struct Kept {
  double value;
  double *matrices;
  SupQuatd *turns;
  uint32_t *counts, *of;
  double *fractions;
} Kept;

static double *rows_like(SupArena *arena, const Decompose *d) {
  return SUP_ALLOC(arena, double, (size_t)4 * d->capacity * d->stride);
}

static bool allocate_kept(SupArena *arena, const Decompose *d, Kept *kept) {
  const size_t n = d->vertices, most = d->def->influences;
  kept->matrices = rows_like(arena, d);
  kept->turns = SUP_ALLOC(arena, SupQuatd, (size_t)d->capacity * d->frames);
  kept->counts = SUP_ALLOC(arena, uint32_t, n);
  kept->of = SUP_ALLOC(arena, uint32_t, n * most);
  kept->fractions = SUP_ALLOC(arena, double, n *most);
  return kept->matrices && kept->turns && kept->counts && kept->of && kept->fractions;
}

static void keep(const Decompose *d, double value, Kept *kept) {
  const size_t n = d->vertices, most = d->def->influences;
  kept->value = value;
  sup_copy(kept->matrices, d->matrices, (size_t)4 * d->capacity * d->stride * sizeof(double));
  sup_copy(kept->turns, d->turns, (size_t)d->capacity * d->frames * sizeof(SupQuatd));
  sup_copy(kept->counts, d->counts, n * sizeof(uint32_t));
  sup_copy(kept->of, d->of, n * most * sizeof(uint32_t));
  sup_copy(kept->fractions, d->fractions, n * most * sizeof(double));
}

static void go_back(Decompose *d, const Kept *kept) {
  const size_t n = d->vertices, most = d->def->influences;
  sup_copy(d->matrices, kept->matrices, (size_t)4 * d->capacity * d->stride * sizeof(double));
  sup_copy(d->turns, kept->turns, (size_t)d->capacity * d->frames * sizeof(SupQuatd));
  sup_copy(d->counts, kept->counts, n * sizeof(uint32_t));
  sup_copy(d->of, kept->of, n * most * sizeof(uint32_t));
  sup_copy(d->fractions, kept->fractions, n * most * sizeof(double));
  sup_decompose_moved(d, d->fixed);
}

/* ---- Searching ------------------------------------------------------------------------------ */

typedef struct Search {
  Decompose *d;
  Kept best;       /* of the refinement */
  double *before;  /* the motions of the last sweep, for strides */
  SupRng *rng;     /* NULL in the first try */
  uint32_t sweeps; /* made so far */
  double *history; /* [def->sweeps] of the last refinement */
  uint32_t history_count;
} Search;

/* Moves every helper on along the way from before[], where it was last, by the fraction `stride` of
 * it; before[] becomes where it was. */
static void stride_on(Decompose *d, double *before, double stride) {
  for (uint32_t b = d->fixed; b < d->bones; b++) {
    for (uint32_t t = 0; t < d->frames; t++) {
      SupMat3d a;
      SupQuatd *turn = &d->turns[(size_t)b * d->frames + t];
      for (uint32_t c = 0; c < 4; c++) {
        double *row = sup_decompose_row(d, b, c) + (size_t)3 * t;
        double *old = before + (row - d->matrices);
        for (uint32_t r = 0; r < 3; r++) {
          const double now = row[r], to = now + stride * (now - old[r]);
          old[r] = now;
          row[r] = to;
          if (c < 3) a.m[3 * c + r] = to;
        }
      }
      if (!(stride > 0)) continue;
      *turn = sup_quatd_fit(a, *turn);
      const SupMat3d R = sup_mat3d_from_quat(*turn);
      for (uint32_t k = 0; k < 9; k++) {
        sup_decompose_row(d, b, k / 3)[(size_t)3 * t + k % 3] = R.m[k];
      }
    }
  }
}

/* Sweeps (weights for the motions, then motions for the weights) until they do not pay any more.
 * Between sweeps the helpers are carried on along their way, farther and farther while that helps
 * (Nesterov's strides, from none again where it does not): without this the last stretch takes
 * hundreds of sweeps. Never leaves with more error than it came. */
static double refine(Search *search, uint32_t most, double tolerance, bool record) {
  Decompose *d = search->d;
  double momentum = 1;
  uint32_t weary = 0;
  search->best.value = 1e300;
  for (uint32_t k = 0; k <= most; k++) {
    const bool thorough = record && k % THOROUGH_EVERY == THOROUGH_EVERY - 1;
    const double now =
        sup_decompose_weights(d, thorough ? SUP_DECOMPOSE_THOROUGH : SUP_DECOMPOSE_PLAIN);
    const double gained = search->best.value - now;
    weary = gained < tolerance * search->best.value ? weary + 1 : 0;
    if (gained < 0) { /* went too far */
      go_back(d, &search->best);
      momentum = 1;
    } else {
      keep(d, now, &search->best);
    }
    if (record && k > 0) search->history[search->history_count++] = search->best.value;
    if (k == most || weary > 2) break;
    sup_decompose_transforms(d, ROUNDS);
    search->sweeps++;
    const double next = (1 + __builtin_sqrt(1 + 4 * momentum * momentum)) / 2;
    stride_on(d, search->before, momentum > 1 ? (momentum - 1) / next : 0);
    momentum = next;
    sup_decompose_moved(d, d->fixed);
  }
  go_back(d, &search->best);
  return sup_decompose_weights(d, SUP_DECOMPOSE_PLAIN);
}

/* The helper that would be missed least. */
static uint32_t least_useful(const Decompose *d, double *losses) {
  const uint32_t most = d->def->influences;
  uint32_t found = d->fixed;
  for (uint32_t b = 0; b < d->bones; b++) losses[b] = 0;
  for (uint32_t i = 0; i < d->vertices; i++) {
    for (uint32_t k = 0; k < d->counts[i]; k++) {
      const double loss = d->losses[(size_t)most * i + k];
      losses[d->of[(size_t)most * i + k]] += (d->weight ? (double)d->weight[i] : 1) * loss;
    }
  }
  for (uint32_t b = d->fixed; b < d->bones; b++) {
    if (losses[b] < losses[found]) found = b;
  }
  return found;
}

/* Moves useless helpers to where one is missed, while that lowers the error. */
static double reseed(Search *search, double value, Kept *kept, double *losses) {
  Decompose *d = search->d;
  uint32_t in_vain = 0;
  for (uint32_t k = 0; k < d->def->reseeds && in_vain < 2; k++) {
    keep(d, sup_decompose_weights(d, SUP_DECOMPOSE_LOSSES), kept);
    sup_decompose_move(d, least_useful(d, losses), search->rng);
    const double now = refine(search, RESEED_SWEEPS, 0, false);
    if (now < value * (1 - 1e-3)) {
      value = now, in_vain = 0;
    } else {
      go_back(d, kept);
      value = sup_decompose_weights(d, SUP_DECOMPOSE_PLAIN);
      in_vain++;
    }
  }
  return value;
}

/* One try, from nothing. */
static double search_once(Search *search, Kept *kept, double *losses, double *out_fixed) {
  Decompose *d = search->d;
  begin(d);
  double value = 0;
  search->history_count = 0;
  if (d->fixed > 0) value = sup_decompose_weights(d, SUP_DECOMPOSE_THOROUGH);
  *out_fixed = value;
  while (d->bones < d->capacity) {
    const uint32_t helpers = d->bones - d->fixed, left = d->capacity - d->bones;
    uint32_t spread = helpers / 8 > 1 ? helpers / 8 : 1;
    if (spread > left) spread = left;
    if (spread > SUP_DECOMPOSE_SPREAD) spread = SUP_DECOMPOSE_SPREAD;
    sup_decompose_insert(d, spread, search->rng);
    value = refine(search, INSERT_SWEEPS, 0, false);
  }
  if (d->bones == d->fixed) return value;
  value = reseed(search, value, kept, losses);
  return refine(search, d->def->sweeps, d->def->tolerance, true);
}

/* ---- Handing over --------------------------------------------------------------------------- */

static bool hand_over(SupArena *arena, const Decompose *d, const DecomposeCentre *centre,
                      SupDecomposition *out) {
  const uint32_t most = d->def->influences, helpers = d->capacity - d->fixed;
  uint32_t total = 0, largest = 0;
  for (uint32_t i = 0; i < d->vertices; i++) {
    total += d->counts[i];
    if (d->counts[i] > largest) largest = d->counts[i];
  }
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)d->vertices + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, total);
  float *weights = SUP_ALLOC(arena, float, total);
  SupAffine *matrices = SUP_ALLOC(arena, SupAffine, (size_t)helpers * d->frames);
  double *errors = SUP_ALLOC(arena, double, d->vertices), sum = 0;
  if (!offsets || !bones || !weights || !matrices || !errors) return false;
  for (uint32_t i = 0; i < d->vertices; i++) {
    offsets[i + 1] = offsets[i] + d->counts[i];
    for (uint32_t k = 0; k < d->counts[i]; k++) {
      bones[offsets[i] + k] = d->of[(size_t)most * i + k];
      weights[offsets[i] + k] = (float)d->fractions[(size_t)most * i + k];
    }
    errors[i] = __builtin_sqrt(d->errors[i] / d->frames);
    sum += d->errors[i];
  }
  for (uint32_t t = 0; t < d->frames; t++) {
    for (uint32_t h = 0; h < helpers; h++) {
      matrices[(size_t)t * helpers + h] = sup_decompose_motion(d, centre, h, t);
    }
  }
  out->skin = (SupSkin){d->vertices, largest, offsets, bones, weights};
  out->helpers = matrices;
  out->errors = errors;
  out->rmse = __builtin_sqrt(sum / ((double)d->vertices * d->frames));
  return true;
}

static double root_mean(const Decompose *d, double value) {
  double weight = d->vertices;
  if (d->weight) {
    weight = 0;
    for (uint32_t i = 0; i < d->vertices; i++) weight += (double)d->weight[i];
  }
  return weight > 0 ? __builtin_sqrt(value / (weight * d->frames)) : 0;
}

SupResult sup_decompose(SupArena *arena, const SupDecomposeDef *def, SupDecomposition *out,
                        SupError *error) {
  SupResult result = check(def, error);
  if (result) return result;
  sup_dense_one_thread();
  Decompose d;
  Search search = {.d = &d};
  Kept kept, winner;
  DecomposeCentre centre;
  double *losses = SUP_ALLOC(arena, double, (size_t)def->fixed_count + def->helper_count);
  double *history = SUP_ALLOC(arena, double, def->sweeps), fixed = 0, least = 0;
  search.history = SUP_ALLOC(arena, double, def->sweeps);
  if (!losses || !history || !search.history || !sup_decompose_allocate(arena, def, &d, &centre) ||
      !allocate_kept(arena, &d, &search.best) || !(search.before = rows_like(arena, &d)) ||
      !allocate_kept(arena, &d, &kept) || !allocate_kept(arena, &d, &winner)) {
    return sup_fail(error, SUP_ERROR_MEMORY,
                    "decomposition: %u vertices in %u frames do not fit in memory; take fewer "
                    "frames",
                    def->vertex_count, def->frame_count);
  }
  sup_decompose_fill_in(&d, &centre);
  *out = (SupDecomposition){.vertex_count = d.vertices,
                            .frame_count = d.frames,
                            .fixed_count = d.fixed,
                            .helper_count = def->helper_count};
  for (uint32_t k = 0; k < def->starts; k++) {
    SupRng rng = sup_rng(def->seed, k);
    search.rng = k ? &rng : NULL;
    const double value = search_once(&search, &kept, losses, &fixed);
    if (k == 0 || value < least) {
      least = value;
      keep(&d, value, &winner);
      out->history_count = search.history_count;
      sup_copy(history, search.history, search.history_count * sizeof(double));
    }
  }
  go_back(&d, &winner);
  sup_decompose_weights(&d, SUP_DECOMPOSE_LAST);
  for (uint32_t k = 0; k < out->history_count; k++) history[k] = root_mean(&d, history[k]);
  out->history = history;
  out->sweep_count = search.sweeps;
  out->fixed_rmse = root_mean(&d, fixed);
  if (!hand_over(arena, &d, &centre, out)) {
    return sup_fail_memory(error, "decomposition");
  }
  return SUP_OK;
}
