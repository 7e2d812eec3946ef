/* SPDX-License-Identifier: MIT */
/*
 * Examples as they are: frames that cannot be, positions that nobody saw, markers on a few vertices
 * only. What is filled in has no weight; it is there so that neighbours have something to look at.
 *
 * Flesh moves smoothly: its offset u from the goal in a frame is nearly what a cubic through the
 * two frames before and the two behind says. A frame (or a vertex in a frame) whose misfit is many
 * times the usual one was not seen right.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scratch.h"
#include "numerics/sparse.h"
#include "train/surface/problem.h"

#define AROUND 2          /* frames before and behind that a misfit looks at */
#define MOST_DROPPED 0.25 /* of a clip; if more looks wrong, the clip is just lively */
#define VERTEX 6.0        /* a single vertex may be so many times worse than a frame */
#define LEAST 0.01        /* of the body's size: what is less is no mistake */

typedef struct Offsets {
  SurfaceProblem *p;
  SurfaceClip *clip;
  double *u;       /* [frame_count * 3 * lanes] */
  uint8_t *known;  /* [frame_count * lanes] */
  double *misfits; /* [frame_count] */
  double *sorted;  /* [vertices] scratch */
} Offsets;

static size_t entry(const Offsets *o, uint32_t t, uint32_t lane) {
  return (size_t)t * o->p->lanes + lane;
}

static SupVec3d offset_at(const Offsets *o, uint32_t t, uint32_t lane) {
  return surface_vec(o->u + (size_t)t * 3 * o->p->lanes, lane);
}

static void put_offset(const Offsets *o, uint32_t t, uint32_t lane, SupVec3d u) {
  surface_put(o->u + (size_t)t * 3 * o->p->lanes, lane, u);
}

/* ---- Reading ----------------------------------------------------------------------------------
 */

static bool all_finite(const SurfaceProblem *p, const SurfaceClip *clip) {
  const size_t count = (size_t)clip->frame_count * 3 * p->lanes;
  for (size_t i = 0; i < count; i++) {
    if (clip->targets.wide ? !isfinite(clip->targets.wide[i])
                           : !isfinite(clip->targets.narrow[i])) {
      return false;
    }
  }
  return true;
}

static void read_offsets(Offsets *o) {
  const size_t count = (size_t)3 * o->p->lanes;
  double *goal = o->p->state.x;
  for (uint32_t t = 0; t < o->clip->frame_count; t++) {
    double *u = o->u + t * count;
    sup_surface_frame(&o->clip->targets, t, count, u);
    sup_surface_frame(&o->clip->goals, t, count, goal);
    for (size_t i = 0; i < count; i++) u[i] -= goal[i];
    for (uint32_t lane = 0; lane < o->p->lanes; lane++) {
      const SupVec3d v = offset_at(o, t, lane);
      o->known[entry(o, t, lane)] = isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
    }
  }
}

/* ---- Frames and vertices that cannot be --------------------------------------------------------
 */

/* Square of the distance from the cubic through four frames around; -1 where one is missing. */
static double misfit_at(const Offsets *o, uint32_t t, uint32_t lane) {
  for (int k = -AROUND; k <= AROUND; k++) {
    if (!o->known[entry(o, (uint32_t)((int)t + k), lane)]) return -1;
  }
  const SupVec3d far = sup_vec3d_add(offset_at(o, t - 2, lane), offset_at(o, t + 2, lane));
  const SupVec3d near = sup_vec3d_add(offset_at(o, t - 1, lane), offset_at(o, t + 1, lane));
  const SupVec3d guess = sup_vec3d_scale(sup_vec3d_add_scaled(far, near, -4), -1.0 / 6);
  const SupVec3d e = sup_vec3d_sub(offset_at(o, t, lane), guess);
  return sup_vec3d_dot(e, e);
}

static int rising(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median over the vertices: one of them says nothing about the frame. */
static double frame_misfit(const Offsets *o, uint32_t t) {
  size_t count = 0;
  if (t < AROUND || t + AROUND >= o->clip->frame_count) return -1;
  for (uint32_t lane = 0; lane < o->p->vertices; lane++) {
    const double e = misfit_at(o, t, lane);
    if (e >= 0 && o->p->weights[lane] > 0) o->sorted[count++] = e;
  }
  qsort(o->sorted, count, sizeof *o->sorted, rising);
  return count ? sqrt(o->sorted[count / 2]) : -1;
}

static double usual_misfit(const Offsets *o, double *scratch) {
  size_t count = 0;
  for (uint32_t t = 0; t < o->clip->frame_count; t++) {
    if (o->misfits[t] >= 0) scratch[count++] = o->misfits[t];
  }
  qsort(scratch, count, sizeof *scratch, rising);
  return count ? scratch[count / 2] : 0;
}

static void drop_frame(Offsets *o, uint32_t t) {
  memset(o->known + entry(o, t, 0), 0, o->p->lanes);
  o->clip->dropped += o->clip->weights[t] > 0;
  o->clip->weights[t] = 0;
  for (uint32_t k = t >= AROUND ? t - AROUND : 0; k <= t + AROUND && k < o->clip->frame_count;
       k++) {
    o->misfits[k] = frame_misfit(o, k);
  }
}

/* A frame of which (nearly) nothing was seen is no frame. */
static void drop_empty(Offsets *o) {
  uint32_t *counts = SUP_ALLOC(o->p->arena, uint32_t, o->clip->frame_count);
  uint32_t most = 0;
  if (!counts) return;
  for (uint32_t t = 0; t < o->clip->frame_count; t++) {
    for (uint32_t lane = 0; lane < o->p->vertices; lane++) {
      counts[t] += o->p->weights[lane] > 0 && o->known[entry(o, t, lane)];
    }
    most = counts[t] > most ? counts[t] : most;
  }
  for (uint32_t t = 0; t < o->clip->frame_count; t++) {
    if (counts[t] * 2 < most) drop_frame(o, t);
  }
}

/* The worst first: a jump also makes its neighbours in time look wrong. */
static void drop_vertices(const Offsets *o, double most) {
  const uint32_t frames = o->clip->frame_count, allowed = (uint32_t)(MOST_DROPPED * frames);
  for (uint32_t lane = 0; lane < o->p->vertices; lane++) {
    for (uint32_t dropped = 0; dropped < allowed; dropped++) {
      double worst = most * most;
      uint32_t when = SUP_NONE;
      for (uint32_t t = AROUND; t + AROUND < frames; t++) {
        const double e = misfit_at(o, t, lane);
        if (e > worst) worst = e, when = t;
      }
      if (when == SUP_NONE) break;
      o->known[entry(o, when, lane)] = 0;
    }
  }
}

/* In the scene, as the first pose has it. */
static double body_size(const SurfaceProblem *p, const SurfaceClip *clip) {
  const SupAffined bone = clip->palettes[0];
  return p->wide.size * cbrt(fabs(sup_mat3d_determinant(sup_affined_linear(bone))));
}

static void drop_wrong(Offsets *o, double *scratch) {
  const double outlier = o->p->def->outlier;
  const uint32_t frames = o->clip->frame_count, most = (uint32_t)(MOST_DROPPED * frames);
  for (uint32_t t = 0; t < frames; t++) o->misfits[t] = frame_misfit(o, t);
  const double usual = usual_misfit(o, scratch);
  const double limit = fmax(outlier * usual, LEAST * body_size(o->p, o->clip));
  if (!(outlier > 0) || !(usual > 0)) return;
  uint32_t list[2] = {0, 0};
  for (uint32_t t = 0; t < frames; t++) list[0] += o->misfits[t] > limit;
  for (list[1] = 0; list[0] <= most * (2 * AROUND + 1) && list[1] < most; list[1]++) {
    uint32_t worst = 0;
    for (uint32_t t = 1; t < frames; t++) {
      if (o->misfits[t] > o->misfits[worst]) worst = t;
    }
    if (!(o->misfits[worst] > limit)) break;
    drop_frame(o, worst);
  }
  drop_vertices(o, fmax(VERTEX * outlier * usual, limit));
}

/* ---- Filling ----------------------------------------------------------------------------------
 */

/* Between the frames where a vertex was seen, straight; beyond them, as in the nearest. */
static void fill_lane(const Offsets *o, uint32_t lane) {
  const uint32_t frames = o->clip->frame_count;
  uint32_t last = SUP_NONE;
  for (uint32_t t = 0; t <= frames; t++) {
    if (t < frames && !o->known[entry(o, t, lane)]) continue;
    const uint32_t first = last == SUP_NONE ? 0 : last + 1;
    for (uint32_t k = first; k < t; k++) {
      SupVec3d u = {0, 0, 0};
      if (last != SUP_NONE) u = offset_at(o, last, lane);
      if (t < frames && last == SUP_NONE) u = offset_at(o, t, lane);
      if (t < frames && last != SUP_NONE) {
        const double fraction = (double)(k - last) / (double)(t - last);
        u = sup_vec3d_add_scaled(sup_vec3d_scale(u, 1 - fraction), offset_at(o, t, lane), fraction);
      }
      put_offset(o, k, lane, u);
    }
    last = t;
  }
}

static void write_targets(const Offsets *o) {
  const size_t count = (size_t)3 * o->p->lanes;
  double *goal = o->p->state.x;
  for (uint32_t t = 0; t < o->clip->frame_count; t++) {
    double *u = o->u + t * count;
    sup_surface_frame(&o->clip->goals, t, count, goal);
    for (size_t i = 0; i < count; i++) goal[i] += u[i];
    sup_surface_frame_put(&o->clip->targets, t, count, goal);
  }
}

/* ---- Vertices that nobody saw ------------------------------------------------------------------
 */

typedef struct Unseen {
  uint32_t count;
  uint32_t *lanes;  /* [count] */
  uint32_t *places; /* [p->vertices] in lanes, or SUP_NONE for a vertex that is seen */
  SupSparse matrix;
  SupCholesky *factor;
} Unseen;

static uint32_t neighbour(const SurfaceProblem *p, uint32_t lane, uint32_t slot) {
  return p->view.slots[(size_t)BLOCK * slot + lane % BLOCK];
}

/* The mesh's Laplacian on what is not seen; a little is added for pieces without any marker. */
static SupResult make_laplacian(SurfaceProblem *p, Unseen *u, SupError *error) {
  size_t entries = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    int64_t *columns = (int64_t *)(uintptr_t)u->matrix.columns;
    int64_t *rows = (int64_t *)(uintptr_t)u->matrix.rows;
    entries = 0;
    for (uint32_t c = 0; c < u->count; c++) {
      const uint32_t lane = u->lanes[c], block = lane / BLOCK;
      const size_t diagonal = entries++;
      double degree = 1e-6;
      if (pass) columns[c] = (int64_t)diagonal, rows[diagonal] = c;
      for (uint32_t s = p->view.slot_first[block]; s < p->view.slot_first[block + 1]; s++) {
        const uint32_t other = neighbour(p, lane, s);
        if (other == lane) continue;
        degree += 1;
        const uint32_t r = u->places[other];
        if (r == SUP_NONE || r < c) continue;
        if (pass) rows[entries] = r, u->matrix.values[entries] = -1;
        entries++;
      }
      if (pass) u->matrix.values[diagonal] = degree;
    }
    if (pass) {
      columns[u->count] = (int64_t)entries;
      break;
    }
    u->matrix.size = u->count;
    u->matrix.columns = SUP_ALLOC(p->arena, int64_t, u->count + 1);
    u->matrix.rows = SUP_ALLOC(p->arena, int64_t, entries);
    u->matrix.values = SUP_ALLOC(p->arena, double, entries);
    if (!u->matrix.columns || !u->matrix.rows || !u->matrix.values) {
      return sup_fail_memory(error, "what is not seen");
    }
  }
  return SUP_OK;
}

/* Rows within a column must rise. */
static void sort_columns(Unseen *u) {
  int64_t *rows = (int64_t *)(uintptr_t)u->matrix.rows;
  for (uint32_t c = 0; c < u->count; c++) {
    for (int64_t i = u->matrix.columns[c] + 2; i < u->matrix.columns[c + 1]; i++) {
      const int64_t row = rows[i];
      int64_t k = i; /* all values but the first, the diagonal, are alike */
      for (; k > u->matrix.columns[c] + 1 && rows[k - 1] > row; k--) rows[k] = rows[k - 1];
      rows[k] = row;
    }
  }
}

static SupResult find_unseen(SurfaceProblem *p, Unseen *out, SupError *error) {
  Unseen u = {.lanes = SUP_ALLOC(p->arena, uint32_t, p->vertices),
              .places = SUP_ALLOC(p->arena, uint32_t, p->vertices)};
  if (!u.lanes || !u.places) return sup_fail_memory(error, "what is not seen");
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    u.places[lane] = p->weights[lane] > 0 ? SUP_NONE : u.count;
    if (!(p->weights[lane] > 0)) u.lanes[u.count++] = lane;
  }
  *out = u;
  if (!u.count) return SUP_OK;
  SupResult result = make_laplacian(p, out, error);
  if (result != SUP_OK) return result;
  sort_columns(out);
  result = sup_cholesky_create(&out->matrix, &out->factor, error);
  return result == SUP_OK ? sup_cholesky_factor(out->factor, &out->matrix, error) : result;
}

/* Offsets spread from the seen ones as heat would. */
static SupResult fill_unseen(const Offsets *o, const Unseen *u, double *b, SupError *error) {
  SurfaceProblem *p = o->p;
  for (uint32_t t = 0; t < o->clip->frame_count; t++) {
    double *rows = o->u + (size_t)t * 3 * p->lanes;
    for (uint32_t c = 0; c < 3; c++) {
      for (uint32_t i = 0; i < u->count; i++) {
        const uint32_t lane = u->lanes[i], block = lane / BLOCK;
        b[i] = 0;
        for (uint32_t s = p->view.slot_first[block]; s < p->view.slot_first[block + 1]; s++) {
          const uint32_t other = neighbour(p, lane, s);
          if (u->places[other] == SUP_NONE) b[i] += *surface_at(rows, 3, other, c);
        }
      }
      SupResult result = sup_cholesky_solve(u->factor, b, b, error);
      if (result != SUP_OK) return result;
      for (uint32_t i = 0; i < u->count; i++) *surface_at(rows, 3, u->lanes[i], c) = b[i];
    }
  }
  return SUP_OK;
}

/* ---- All --------------------------------------------------------------------------------------
 */

/* A vertex that is hardly ever seen counts as unseen everywhere. */
static void find_seen(SurfaceProblem *p, const Offsets *all) {
  p->seen = 0;
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    size_t known = 0, total = 0;
    for (uint32_t k = 0; k < p->clip_count; k++) {
      for (uint32_t t = 0; t < p->clips[k].frame_count; t++) {
        total++;
        known += all[k].known ? all[k].known[entry(&all[k], t, lane)] : 1;
      }
    }
    if (known * 4 < total) p->weights[lane] = 0;
    p->seen += p->weights[lane] > 0;
  }
}

static SupResult open_clip(SurfaceProblem *p, uint32_t k, SupArena *scratch, Offsets *o,
                           SupError *error) {
  const size_t frames = p->clips[k].frame_count;
  *o = (Offsets){.p = p, .clip = &p->clips[k]};
  o->u = SUP_ALLOC(scratch, double, frames * 3 * p->lanes);
  o->known = SUP_ALLOC(p->arena, uint8_t, frames * p->lanes);
  o->misfits = SUP_ALLOC(scratch, double, 2 * frames);
  o->sorted = SUP_ALLOC(scratch, double, p->vertices);
  if (!o->u || !o->known || !o->misfits || !o->sorted) return sup_fail_memory(error, "examples");
  read_offsets(o);
  return SUP_OK;
}

/* Keeps what is known only where something is not; counts it. */
static void close_clip(const Offsets *o) {
  const size_t count = (size_t)o->clip->frame_count * o->p->lanes;
  bool missing = false;
  o->clip->missing = 0;
  for (size_t i = 0; i < count; i++) {
    if (o->known[i] || !(o->p->weights[i % o->p->lanes] > 0)) continue;
    missing = true;
    o->clip->missing++;
  }
  if (missing) o->clip->known = o->known;
}

static SupResult fill_clip(SurfaceProblem *p, uint32_t k, const Unseen *unseen, SupError *error) {
  SupArena scratch = sup_scratch(p->arena);
  Offsets o;
  double *b = SUP_ALLOC(&scratch, double, p->vertices);
  SupResult result = b ? open_clip(p, k, &scratch, &o, error) : sup_fail_memory(error, "examples");
  if (result == SUP_OK) {
    drop_empty(&o);
    drop_wrong(&o, o.misfits + o.clip->frame_count);
    for (uint32_t lane = 0; lane < p->lanes; lane++) fill_lane(&o, lane);
    if (unseen->count) result = fill_unseen(&o, unseen, b, error);
  }
  if (result == SUP_OK) {
    write_targets(&o);
    close_clip(&o);
  }
  sup_arena_free(&scratch);
  return result;
}

static SupResult see(SurfaceProblem *p, SupError *error) {
  SupArena scratch = sup_scratch(p->arena);
  Offsets *all = SUP_ALLOC(&scratch, Offsets, p->clip_count);
  SupResult result = all ? SUP_OK : sup_fail_memory(error, "examples");
  for (uint32_t k = 0; k < p->clip_count && result == SUP_OK; k++) {
    if (all_finite(p, &p->clips[k])) continue;
    result = open_clip(p, k, &scratch, &all[k], error);
  }
  if (result == SUP_OK) find_seen(p, all);
  sup_arena_free(&scratch);
  if (result == SUP_OK && !p->seen) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "surface: no vertex is visible in enough frames of the examples to learn from");
  }
  return result;
}

SupResult sup_surface_fill_missing(SurfaceProblem *p, SupError *error) {
  Unseen unseen = {0};
  SupResult result = see(p, error);
  if (result == SUP_OK) result = find_unseen(p, &unseen, error);
  for (uint32_t k = 0; k < p->clip_count && result == SUP_OK; k++) {
    result = fill_clip(p, k, &unseen, error);
  }
  if (unseen.factor) sup_cholesky_free(unseen.factor);
  return result;
}
