/* SPDX-License-Identifier: MIT */
/*
 * The stability probe: what becomes of a small disturbance of the rest shape?
 *
 * With u the offset from rest and d what was added to it last, one linearised step under a goal
 * that stands still is
 *
 *   d' = d - alpha u + beta (mean_j u_j - u - w x e) - gamma H u + lambda mean_j (d_j - d) - delta
 * d u' = u + d'
 *
 * e is the mean rest edge. w is the turn of the one-ring: the rotation that fits best to edges
 * r_j + (u_j - u) satisfies, to first order, (tr(S) 1 - S) w = sum r_j x (u_j - u) with
 * S = sum r_j r_j^T. H = sum weight s s^T with s the unit spoke: a spring that slides along its
 * bone resists along itself only. Where the normal n has a stiffness and a drag of its own, n (n.u)
 * and n (n.d) take the differences to alpha and delta as well.
 *
 * The growth is the slope of log E over many steps, E = |d|^2 - d.Ku + u.Ku with K the stiffness
 * terms: the step without damping keeps it where K is symmetric, so it hardly swings within a
 * period, unlike |u| and |d|. A mode that lives on a few vertices hides in the sum for long: the
 * largest single vertex tells whether it is worth to go on.
 */
#include "base/scratch.h"
#include "supple/author/surface_build.h"

#define GRAIN 512
#define BLOCK SUP_SKIN_BLOCK
#define FIRST_STEPS 300
#define MOST_STEPS 1600
#define CLEAR 0.99 /* growth that needs no second look: below this, */
#define BAD 1.002  /* and above this */

typedef struct Symmetric {
  double xx, xy, xz, yy, yz, zz;
} Symmetric;

typedef struct Probe {
  SupSurfaceView model;
  uint32_t lanes; /* real ones */
  Symmetric *turn, *spokes;
  SupVec3d *u, *d, *next_u, *next_d;
  double *energies, *largest; /* [ranges] sum, and greatest of a lane */
  uint32_t ranges;
  bool turning;
} Probe;

static SupVec3d multiply(const Symmetric *m, SupVec3d v) {
  return (SupVec3d){m->xx * v.x + m->xy * v.y + m->xz * v.z,
                    m->xy * v.x + m->yy * v.y + m->yz * v.z,
                    m->xz * v.x + m->yz * v.y + m->zz * v.z};
}

static void add_square(Symmetric *m, SupVec3d v, double weight) {
  m->xx += weight * v.x * v.x, m->xy += weight * v.x * v.y, m->xz += weight * v.x * v.z;
  m->yy += weight * v.y * v.y, m->yz += weight * v.y * v.z, m->zz += weight * v.z * v.z;
}

/* The inverse of tr(S) 1 - S; a little is added, which only matters where edges lie on one line
 * and the turn about that line means nothing. */
static Symmetric turn_of(const Symmetric *s) {
  const double trace = s->xx + s->yy + s->zz, add = trace * (1 + 1e-9);
  const SupMat3d m = {
      {add - s->xx, -s->xy, -s->xz, -s->xy, add - s->yy, -s->yz, -s->xz, -s->yz, add - s->zz}};
  if (!(trace > 0)) return (Symmetric){0};
  const SupMat3d i = sup_mat3d_inverse(m);
  return (Symmetric){i.m[0], i.m[1], i.m[2], i.m[4], i.m[5], i.m[8]};
}

static const float *row(const Probe *p, uint32_t lane, uint32_t which) {
  return p->model.parameters + BLOCK * ((size_t)SUP_SURFACE_ROWS * (lane / BLOCK) + which) +
         lane % BLOCK;
}

/* What the normal's own number adds along it to that which holds everywhere. */
static SupVec3d along_normal(const Probe *p, uint32_t lane, uint32_t which, double everywhere,
                             SupVec3d of) {
  const SupSkinView *skin = &p->model.skin;
  const uint32_t block = lane / BLOCK, at = lane % BLOCK;
  const float *own = p->model.normal_rows + BLOCK * (size_t)SUP_SURFACE_NORMAL_ROWS * block + at;
  const size_t record = (size_t)sup_skin_record_rows(skin->flags) * block + skin->bone_first[block];
  const float *n = skin->records + BLOCK * (record + 3) + at;
  const SupVec3d normal = {(double)n[0], (double)n[BLOCK], (double)n[2 * BLOCK]};
  const double square = sup_vec3d_dot(normal, normal);
  const double more = (double)own[BLOCK * which] - everywhere;
  if (!(square > 1e-20)) return (SupVec3d){0, 0, 0};
  return sup_vec3d_scale(normal, more * sup_vec3d_dot(normal, of) / square);
}

static SupVec3d edge_at(const Probe *p, uint32_t slot, uint32_t at) {
  const float *edge = p->model.edges + 3 * BLOCK * (size_t)slot + at;
  return (SupVec3d){(double)edge[0], (double)edge[BLOCK], (double)edge[2 * BLOCK]};
}

/* ---- Before the first step --------------------------------------------------------------------
 */

static void prepare_spokes(Probe *p, uint32_t lane, SupVec3d point) {
  const SupSurfaceView *model = &p->model;
  const uint32_t block = lane / BLOCK, at = lane % BLOCK;
  for (uint32_t k = model->spoke_first[block]; k < model->spoke_first[block + 1]; k++) {
    const SupSurfaceSegment *segment = &model->segments[model->spokes[k]];
    const double weight = (double)model->spoke_rows[2 * BLOCK * (size_t)k + at];
    const SupVec3d a = sup_vec3_to_double(segment->a),
                   d = sup_vec3d_sub(sup_vec3_to_double(segment->b), a);
    const double square = sup_vec3d_dot(d, d);
    double t = square > 0 ? sup_vec3d_dot(sup_vec3d_sub(point, a), d) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const SupVec3d s = sup_vec3d_sub(point, sup_vec3d_add_scaled(a, d, t));
    const double length = sup_vec3d_length(s);
    if (weight > 0 && length > 1e-9 * (double)model->size) {
      add_square(&p->spokes[lane], sup_vec3d_scale(s, 1 / length), weight);
    } else if (weight > 0) { /* on the bone: drawn back from every side */
      p->spokes[lane].xx += weight, p->spokes[lane].yy += weight, p->spokes[lane].zz += weight;
    }
  }
}

static void prepare(Probe *p, const SupVec3 *rest) {
  const SupSurfaceView *model = &p->model;
  p->turning = !(model->flags & SUP_SURFACE_BONE_ROTATION);
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    const uint32_t block = lane / BLOCK;
    Symmetric squares = {0};
    for (uint32_t s = model->slot_first[block]; s < model->slot_first[block + 1]; s++) {
      add_square(&squares, edge_at(p, s, lane % BLOCK), 1);
    }
    if (p->turning) p->turn[lane] = turn_of(&squares);
    prepare_spokes(p, lane, sup_vec3_to_double(rest[model->skin.order[lane]]));
  }
}

static void disturb(Probe *p, uint64_t seed) {
  SupRng rng = sup_rng(seed, 7);
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    double n[6];
    for (int k = 0; k < 6; k++) n[k] = 2 * sup_rng_double(&rng) - 1;
    p->u[lane] = (SupVec3d){n[0], n[1], n[2]};
    p->d[lane] = (SupVec3d){0.3 * n[3], 0.3 * n[4], 0.3 * n[5]};
  }
}

/* ---- One step ---------------------------------------------------------------------------------
 */

static double step_lane(const Probe *p, uint32_t lane) {
  const SupSurfaceView *model = &p->model;
  const uint32_t block = lane / BLOCK, at = lane % BLOCK;
  const SupVec3d u = p->u[lane], d = p->d[lane];
  const double fraction = (double)*row(p, lane, SUP_SURFACE_RING_WEIGHT);
  SupVec3d sum_u = {0, 0, 0}, sum_d = {0, 0, 0}, torque = {0, 0, 0};
  for (uint32_t s = model->slot_first[block]; s < model->slot_first[block + 1]; s++) {
    const uint32_t other = model->slots[BLOCK * (size_t)s + at];
    const SupVec3d e = sup_vec3d_sub(p->u[other], u);
    sum_u = sup_vec3d_add(sum_u, e);
    sum_d = sup_vec3d_add(sum_d, sup_vec3d_sub(p->d[other], d));
    torque = sup_vec3d_add(torque, sup_vec3d_cross(edge_at(p, s, at), e));
  }
  SupVec3d detail = sup_vec3d_scale(sum_u, fraction);
  if (p->turning) {
    const SupVec3d mean = {(double)*row(p, lane, SUP_SURFACE_EDGE_X),
                           (double)*row(p, lane, SUP_SURFACE_EDGE_Y),
                           (double)*row(p, lane, SUP_SURFACE_EDGE_Z)};
    const SupVec3d w = multiply(&p->turn[lane], torque);
    detail = sup_vec3d_sub(detail, sup_vec3d_cross(w, mean));
  }
  const SupVec3d volume = multiply(&p->spokes[lane], u);
  const double alpha = (double)*row(p, lane, SUP_SURFACE_ALPHA);
  const double delta = (double)*row(p, lane, SUP_SURFACE_DELTA);
  SupVec3d pull = sup_vec3d_scale(u, -alpha);
  if (model->normal_rows) {
    pull = sup_vec3d_sub(pull, along_normal(p, lane, SUP_SURFACE_NORMAL_ALPHA, alpha, u));
  }
  pull = sup_vec3d_add_scaled(pull, detail, (double)*row(p, lane, SUP_SURFACE_BETA));
  pull = sup_vec3d_add_scaled(pull, volume, -(double)*row(p, lane, SUP_SURFACE_GAMMA));
  SupVec3d next = sup_vec3d_add(d, pull);
  next = sup_vec3d_add_scaled(next, sum_d, fraction * (double)*row(p, lane, SUP_SURFACE_LAMBDA));
  next = sup_vec3d_add_scaled(next, d, -delta);
  if (model->normal_rows) {
    next = sup_vec3d_sub(next, along_normal(p, lane, SUP_SURFACE_NORMAL_DELTA, delta, d));
  }
  p->next_d[lane] = next;
  p->next_u[lane] = sup_vec3d_add(u, next);
  return sup_vec3d_dot(d, d) + sup_vec3d_dot(d, pull) - sup_vec3d_dot(u, pull);
}

static void step_range(void *context, SupRange range) {
  Probe *p = (Probe *)context;
  double energy = 0, most = 0;
  for (uint32_t lane = range.first; lane < range.first + range.count; lane++) {
    const double own = step_lane(p, lane);
    energy += own;
    most = own > most ? own : most;
  }
  p->energies[range.chunk] = energy;
  p->largest[range.chunk] = most;
}

static void scale_all(Probe *p, double factor) {
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    p->u[lane] = sup_vec3d_scale(p->u[lane], factor);
    p->d[lane] = sup_vec3d_scale(p->d[lane], factor);
  }
}

typedef struct Logs {
  double *sum, *largest; /* [MOST_STEPS] of energies */
  double taken;          /* what scaling has taken out so far */
} Logs;

/* Notes the energies and makes a step. */
static void step(Probe *p, const SupJobs *jobs, Logs *logs, uint32_t i) {
  double energy = 0, most = 0;
  sup_parallel_for(jobs, p->lanes, GRAIN, step_range, p);
  for (uint32_t k = 0; k < p->ranges; k++) {
    energy += p->energies[k];
    most = p->largest[k] > most ? p->largest[k] : most;
  }
  SupVec3d *u = p->u, *d = p->d;
  p->u = p->next_u, p->d = p->next_d;
  p->next_u = u, p->next_d = d;
  /* Not positive where K is far from symmetric. */
  if (!(energy > 1e-300)) energy = 1e-300;
  logs->sum[i] = sup_log(energy) + logs->taken;
  logs->largest[i] = sup_log(most > 1e-300 ? most : 1e-300) + logs->taken;
  if (energy > 1e60 || energy < 1e-60) {
    scale_all(p, sup_sqrt(1 / energy));
    logs->taken += sup_log(energy);
  }
}

/* ---- The probe --------------------------------------------------------------------------------
 */

/* exp(slope / 2) of the last two thirds of logs[count], by least squares. */
static double growth_of(const double *logs, uint32_t count) {
  const uint32_t first = count / 3;
  const double n = count - first, middle = (n - 1) / 2;
  double sum = 0, squares = 0;
  for (uint32_t i = first; i < count; i++) {
    const double t = (double)(i - first) - middle;
    sum += t * logs[i];
    squares += t * t;
  }
  return sup_exp(0.5 * sum / squares);
}

static double size_at(const Probe *p, uint32_t lane) {
  return sup_sqrt(sup_vec3d_dot(p->u[lane], p->u[lane]) + sup_vec3d_dot(p->d[lane], p->d[lane]));
}

/* Where it is largest; and how large everywhere. */
static uint32_t shape_of(const Probe *p, float *out_shape) {
  uint32_t best = 0;
  for (uint32_t lane = 1; lane < p->lanes; lane++) {
    if (size_at(p, lane) > size_at(p, best)) best = lane;
  }
  const double most = size_at(p, best);
  for (uint32_t lane = 0; lane < p->lanes && out_shape; lane++) {
    out_shape[p->model.skin.order[lane]] = (float)(most > 0 ? size_at(p, lane) / most : 0);
  }
  return p->model.skin.order[best];
}

static bool allocate(SupArena *scratch, Probe *p) {
  const uint32_t n = p->lanes;
  p->ranges = sup_range_count(n, GRAIN);
  p->turn = SUP_ALLOC(scratch, Symmetric, n);
  p->spokes = SUP_ALLOC(scratch, Symmetric, n);
  p->u = SUP_ALLOC(scratch, SupVec3d, n);
  p->d = SUP_ALLOC(scratch, SupVec3d, n);
  p->next_u = SUP_ALLOC(scratch, SupVec3d, n);
  p->next_d = SUP_ALLOC(scratch, SupVec3d, n);
  p->energies = SUP_ALLOC(scratch, double, p->ranges);
  p->largest = SUP_ALLOC(scratch, double, p->ranges);
  return p->turn && p->spokes && p->u && p->d && p->next_u && p->next_d && p->energies &&
         p->largest;
}

/* Steps until the growth is known. Near 1 slow modes may still be hidden under those that die. */
static SupSurfaceProbe follow(Probe *p, const SupJobs *jobs, Logs *logs) {
  SupSurfaceProbe probe = {0};
  for (uint32_t end = FIRST_STEPS;; end = 2 * end < MOST_STEPS ? 2 * end : MOST_STEPS) {
    for (; probe.steps < end; probe.steps++) step(p, jobs, logs, probe.steps);
    probe.growth = growth_of(logs->sum, probe.steps);
    const bool dies = probe.growth < CLEAR && growth_of(logs->largest, probe.steps) < CLEAR;
    if (dies || probe.growth > BAD || end == MOST_STEPS) return probe;
  }
}

SupResult sup_surface_probe(SupArena *arena, const SupModel *model, const SupSurfaceProbeDef *def,
                            SupSurfaceProbe *out_probe, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  Probe p = {.model = sup_surface_view(model)};
  p.lanes = p.model.skin.vertex_count;
  Logs logs = {SUP_ALLOC(&scratch, double, MOST_STEPS), SUP_ALLOC(&scratch, double, MOST_STEPS), 0};
  const SupVec3 *rest =
      (const SupVec3 *)sup_model_section(model, SUP_SECTION_REST, sizeof(SupVec3), NULL);
  SupResult result = SUP_OK;
  if (!rest) {
    result = sup_fail(error, SUP_ERROR_FORMAT, "surface: the model has no rest positions");
  } else if (!logs.sum || !logs.largest || !allocate(&scratch, &p)) {
    result = sup_fail_memory(error, "the stability probe");
  } else {
    prepare(&p, rest);
    disturb(&p, def->seed);
    *out_probe = follow(&p, def->jobs, &logs);
    out_probe->vertex = shape_of(&p, def->out_shape);
  }
  sup_arena_free(&scratch);
  return result;
}
