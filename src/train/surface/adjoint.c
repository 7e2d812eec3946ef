/* SPDX-License-Identifier: MIT */
/*
 * The gradient of the true simulation error, exactly: every step backwards.
 *
 * With f the gradient by dx(t+1), i.e. lambda_dx + lambda_x, one step gives back
 *
 *   number k     f . T_k                                       T_k: the kernel's terms
 *   goal         x_i:  -alpha f
 *   detail       x_i:  -y,  x_j: y / n                          y = beta f
 *                and through the rotation R of the ring. It maximises tr(R^T A), A = sum_j (x_j -
 *                x_i) r_j^T; turned by R [w], w = H^-1 sum_j r_j x R^T (dx_j - dx_i) with S = R^T
 * A, H = tr(S) - S. So with u = H^-1 (e x R^T y), W = R u, e the mean rest edge x_j:  -W x R r_j,
 * x_i:  + W x R n e volume       x_i:  P w ((l / |s| - 1) z - l / |s|^3 s (s.z)) summed over
 * spokes, z = gamma f, P the projection off the bone (1 beyond its ends) damping      dx_i: -lambda
 * f,  dx_j: lambda f / n drag         dx_i: -delta f
 *
 * normal       x_i: -k n (n.f),  dx_i: -c n (n.f), n the goal's normal, k and c what its stiffness
 *              and drag have more than those along the skin
 *
 * What goes to neighbours is gathered by them from a message, so that sums have one order. Limits
 * of reach do not act in learning; R counts as converged.
 */
#include <math.h>

#include "train/surface/problem.h"

#define GRAIN 8
#define SHORTEST_SPOKE 0.1 /* as in runtime/surface/surface.kernel.c */

/* What a vertex tells its neighbours. */
typedef struct Message {
  SupVec3d x, dx;
  SupMat3d turn; /* W x R, times the sign of the scale */
} Message;

typedef struct Backward {
  SurfaceProblem *p;
  const SurfaceClip *clip;
  uint32_t t;           /* the step leads from here to t + 1 */
  const double *x;      /* [3 * lanes] at t */
  const float *errors;  /* [3 * lanes] x - target at t + 1 */
  const float *last;    /* the same at t */
  double *by_x, *by_dx; /* [3 * lanes] gradients by the state at t + 1, then at t */
  Message *messages;    /* [lanes] */
  double *gradient;     /* [blocks of terms] */
} Backward;

static double number_at(const Backward *b, uint32_t lane, uint32_t row) {
  return surface_get(b->p->wide.parameters, SUP_SURFACE_ROWS, lane, row);
}

static double scale_at(const Backward *b, uint32_t lane) {
  const SupSkinViewd *skin = &b->p->wide.skin;
  const uint32_t block = lane / BLOCK, first = skin->bone_first[block];
  const uint32_t rows = sup_skin_record_rows(skin->flags);
  const double *weights = skin->records + BLOCK * ((size_t)rows * block + first + rows);
  double sum = 0;
  if (!b->clip->scaled) return 1;
  for (uint32_t k = first; k < skin->bone_first[block + 1]; k++) {
    sum += weights[BLOCK * (k - first) + lane % BLOCK] * b->p->state.scales[skin->bones[k]];
  }
  return sum;
}

static SupMat3d rotation_at(const Backward *b, uint32_t lane) {
  const double *q = b->p->state.rotation + (size_t)(4 * BLOCK) * (lane / BLOCK) + lane % BLOCK;
  return sup_mat3d_from_quat((SupQuatd){q[0], q[BLOCK], q[2 * BLOCK], q[3 * BLOCK]});
}

static SupVec3d edge_at(const SurfaceProblem *p, uint32_t slot, uint32_t at) {
  const double *e = p->wide.edges + (size_t)(3 * BLOCK) * slot + at;
  return (SupVec3d){e[0], e[BLOCK], e[2 * BLOCK]};
}

/* S = R^T A of a one-ring; columns by rest edge. */
static SupMat3d ring_shape(const Backward *b, uint32_t lane, const SupMat3d *rotation) {
  const SurfaceProblem *p = b->p;
  const uint32_t block = lane / BLOCK, at = lane % BLOCK;
  const SupVec3d own = surface_vec(b->x, lane);
  SupMat3d s = {{0}};
  for (uint32_t k = p->wide.slot_first[block]; k < p->wide.slot_first[block + 1]; k++) {
    const uint32_t other = p->wide.slots[(size_t)BLOCK * k + at];
    const SupVec3d e = sup_vec3d_sub(surface_vec(b->x, other), own), r = edge_at(p, k, at);
    s.m[0] += e.x * r.x, s.m[1] += e.y * r.x, s.m[2] += e.z * r.x;
    s.m[3] += e.x * r.y, s.m[4] += e.y * r.y, s.m[5] += e.z * r.y;
    s.m[6] += e.x * r.z, s.m[7] += e.y * r.z, s.m[8] += e.z * r.z;
  }
  return sup_mat3d_mul(sup_mat3d_transpose(*rotation), s);
}

/* u = H^-1 v; nothing where the ring leaves the turn open. */
static SupVec3d turn_by(const SupMat3d *s, double sign, SupVec3d v) {
  const double *m = s->m;
  const double xy = -0.5 * sign * (m[1] + m[3]), xz = -0.5 * sign * (m[2] + m[6]);
  const double yz = -0.5 * sign * (m[5] + m[7]), trace = sign * (m[0] + m[4] + m[8]);
  const SupMat3d h = {
      {trace - sign * m[0], xy, xz, xy, trace - sign * m[4], yz, xz, yz, trace - sign * m[8]}};
  const double det = sup_mat3d_determinant(h);
  if (!(det > 0x1p-12 * trace * trace * trace) || !(trace > 0)) return (SupVec3d){0, 0, 0};
  return sup_mat3d_mul_vec3(sup_mat3d_inverse(h), v);
}

/* The matrix of v -> w x (m v). */
static SupMat3d cross_of(SupVec3d w, const SupMat3d *m, double sign) {
  SupMat3d out;
  for (int c = 0; c < 3; c++) {
    const SupVec3d column = {m->m[3 * c], m->m[3 * c + 1], m->m[3 * c + 2]};
    const SupVec3d v = sup_vec3d_scale(sup_vec3d_cross(w, column), sign);
    out.m[3 * c] = v.x, out.m[3 * c + 1] = v.y, out.m[3 * c + 2] = v.z;
  }
  return out;
}

/* Through the springs to the bones. */
static SupVec3d by_spokes(const Backward *b, uint32_t lane, double size, SupVec3d z) {
  const SurfaceProblem *p = b->p;
  const uint32_t block = lane / BLOCK, at = lane % BLOCK;
  const SupVec3d x = surface_vec(b->x, lane);
  const double tiny = 1e-9 * p->wide.size;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = p->wide.spoke_first[block]; k < p->wide.spoke_first[block + 1]; k++) {
    const SupSurfacePlacedd *bone = &p->state.placed[p->wide.spokes[k]];
    const double *rows = p->wide.spoke_rows + (size_t)(2 * BLOCK) * k + at;
    const double weight = rows[0], length = rows[BLOCK] * size;
    if (!(weight > 0)) continue;
    const SupVec3d from = sup_vec3d_sub(x, bone->a);
    double t = sup_vec3d_dot(from, bone->d) * bone->inverse;
    const bool inside = t > 0 && t < 1;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const SupVec3d s = sup_vec3d_add_scaled(from, bone->d, -t);
    const double square = sup_vec3d_dot(s, s), shortest = SHORTEST_SPOKE * length;
    const bool kept = square < shortest * shortest || square < tiny * tiny + 1e-30;
    const double least = fmax(fmax(square, shortest * shortest), tiny * tiny + 1e-30);
    const double root = sqrt(least);
    SupVec3d v = sup_vec3d_scale(z, weight * (length / root - 1));
    if (!kept) {
      v = sup_vec3d_add_scaled(v, s, -weight * length / (least * root) * sup_vec3d_dot(s, z));
    }
    if (inside) {
      v = sup_vec3d_add_scaled(v, bone->d, -sup_vec3d_dot(v, bone->d) * bone->inverse);
    }
    sum = sup_vec3d_add(sum, v);
  }
  return sum;
}

/* The error's own share: what the state at t + 1 was wrong by. */
static void add_error(const Backward *b, uint32_t lane) {
  const SurfaceProblem *p = b->p;
  double w = 2 * p->weights[lane] * b->clip->weights[b->t + 1];
  if (b->clip->known && !b->clip->known[(size_t)(b->t + 1) * p->lanes + lane]) w = 0;
  const size_t first = (size_t)(3 * BLOCK) * (lane / BLOCK) + lane % BLOCK;
  for (size_t c = 0; c < 3; c++) {
    const size_t at = first + c * BLOCK;
    const double e = (double)b->errors[at], before = (double)b->last[at];
    b->by_x[at] += w * e;
    b->by_dx[at] += p->def->sobolev * w * (e - before);
  }
}

/* Through the stiffness and the drag along the normal, which is the goal's. */
static void by_normal(const Backward *b, uint32_t lane, SupVec3d f, SupVec3d *io_x,
                      SupVec3d *io_dx) {
  const SurfaceProblem *p = b->p;
  const double *own = p->wide.normal_rows +
                      (size_t)(SUP_SURFACE_NORMAL_ROWS * BLOCK) * (lane / BLOCK) + lane % BLOCK;
  const SupVec3d n = surface_vec(p->state.normals, lane);
  const double square = sup_vec3d_dot(n, n), along = sup_vec3d_dot(n, f) / square;
  if (!(square > 1e-20)) return;
  const double k = own[SUP_SURFACE_NORMAL_ALPHA * BLOCK] - number_at(b, lane, SUP_SURFACE_ALPHA);
  const double c = own[SUP_SURFACE_NORMAL_DELTA * BLOCK] - number_at(b, lane, SUP_SURFACE_DELTA);
  *io_x = sup_vec3d_add_scaled(*io_x, n, -k * along);
  *io_dx = sup_vec3d_add_scaled(*io_dx, n, -c * along);
}

static void tell_lane(const Backward *b, uint32_t lane) {
  SurfaceProblem *p = b->p;
  add_error(b, lane);
  const SupVec3d by_x = surface_vec(b->by_x, lane);
  const SupVec3d f = sup_vec3d_add(surface_vec(b->by_dx, lane), by_x);
  const double *terms = p->state.terms + (size_t)(3 * p->terms * BLOCK) * (lane / BLOCK);
  for (uint32_t k = 0; k < p->terms; k++) {
    const double *t = terms + (size_t)(3 * k * BLOCK) + lane % BLOCK;
    *surface_at(b->gradient, p->terms, lane, k) += f.x * t[0] + f.y * t[BLOCK] + f.z * t[2 * BLOCK];
  }
  const double fraction = number_at(b, lane, SUP_SURFACE_RING_WEIGHT), scale = scale_at(b, lane);
  const double lambda = number_at(b, lane, SUP_SURFACE_LAMBDA), sign = scale < 0 ? -1 : 1;
  const double beta = fraction > 0 ? number_at(b, lane, SUP_SURFACE_BETA) : 0;
  const SupVec3d y = sup_vec3d_scale(f, beta);
  SupVec3d x = sup_vec3d_add_scaled(by_x, f, -number_at(b, lane, SUP_SURFACE_ALPHA));
  SupVec3d dx = sup_vec3d_scale(f, 1 - number_at(b, lane, SUP_SURFACE_DELTA));
  Message m = {sup_vec3d_scale(y, fraction), sup_vec3d_scale(f, lambda * fraction), {{0}}};
  x = sup_vec3d_sub(x, y);
  if (fraction > 0) dx = sup_vec3d_add_scaled(dx, f, -lambda);
  if (p->wide.normal_rows) by_normal(b, lane, f, &x, &dx);
  if (beta > 0 && !(p->wide.flags & SUP_SURFACE_BONE_ROTATION)) {
    const SupVec3d mean = {number_at(b, lane, SUP_SURFACE_EDGE_X),
                           number_at(b, lane, SUP_SURFACE_EDGE_Y),
                           number_at(b, lane, SUP_SURFACE_EDGE_Z)};
    const SupMat3d rotation = rotation_at(b, lane), s = ring_shape(b, lane, &rotation);
    const SupVec3d back = sup_mat3d_mul_vec3(sup_mat3d_transpose(rotation), y);
    const SupVec3d u = turn_by(&s, sign, sup_vec3d_cross(sup_vec3d_scale(mean, scale), back));
    m.turn = cross_of(sup_mat3d_mul_vec3(rotation, u), &rotation, sign);
    x = sup_vec3d_add(x, sup_vec3d_scale(sup_mat3d_mul_vec3(m.turn, mean), 1 / fraction));
  }
  const double gamma = number_at(b, lane, SUP_SURFACE_GAMMA);
  if (gamma > 0) {
    x = sup_vec3d_add(x, by_spokes(b, lane, fabs(scale), sup_vec3d_scale(f, gamma)));
  }
  surface_put(b->by_x, lane, x);
  surface_put(b->by_dx, lane, dx);
  b->messages[lane] = m;
}

static void tell_task(void *context, SupRange range) {
  const Backward *b = (const Backward *)context;
  for (uint32_t i = BLOCK * range.first; i < BLOCK * (range.first + range.count); i++) {
    if (i < b->p->vertices) tell_lane(b, i);
  }
}

static void hear_task(void *context, SupRange range) {
  const Backward *b = (const Backward *)context;
  const SurfaceProblem *p = b->p;
  for (uint32_t i = BLOCK * range.first; i < BLOCK * (range.first + range.count); i++) {
    const uint32_t block = i / BLOCK, at = i % BLOCK;
    if (i >= p->vertices) continue;
    SupVec3d x = surface_vec(b->by_x, i), dx = surface_vec(b->by_dx, i);
    for (uint32_t k = p->wide.slot_first[block]; k < p->wide.slot_first[block + 1]; k++) {
      const uint32_t other = p->wide.slots[(size_t)BLOCK * k + at];
      if (other == i) continue;
      const Message *m = &b->messages[other];
      x = sup_vec3d_add(x, m->x);
      x = sup_vec3d_add(x, sup_mat3d_mul_vec3(m->turn, edge_at(p, k, at)));
      dx = sup_vec3d_add(dx, m->dx);
    }
    surface_put(b->by_x, i, x);
    surface_put(b->by_dx, i, dx);
  }
}

/* ---- A clip -----------------------------------------------------------------------------------
 */

/* x of a frame, out of the errors that the pass kept. */
static void state_at(SurfaceProblem *p, const SurfaceClip *clip, const float *errors, uint32_t t,
                     double *out) {
  const size_t count = (size_t)3 * p->lanes;
  if (t <= FIRST_STEP) { /* the run time's beginning */
    sup_surface_begin(p, clip, FIRST_STEP, true);
    for (size_t i = 0; i < count; i++)
      out[i] = p->state.x[i] - (t < FIRST_STEP ? p->state.dx[i] : 0);
    return;
  }
  const float *e = errors + count * (t - FIRST_STEP - 1);
  sup_surface_frame(&clip->targets, t, count, out);
  for (size_t i = 0; i < count; i++) out[i] += (double)e[i];
}

/* The kernel's terms and rotations at frame t. */
static void look_at(SurfaceProblem *p, const SurfaceClip *clip, const double *x,
                    const double *before, uint32_t t) {
  SurfaceState *s = &p->state;
  const size_t count = (size_t)3 * p->lanes;
  sup_surface_frame(&clip->goals, t - 2, count, s->target);
  sup_surface_frame(&clip->goals, t - 1, count, s->goal);
  sup_surface_frame(&clip->goals, t, count, s->next_goal);
  for (size_t i = 0; i < count; i++) {
    s->goal_step[i] = s->goal[i] - s->target[i];
    s->x[i] = x[i];
    s->dx[i] = x[i] - before[i];
  }
  const SupSurfaceCalld call = sup_surface_call(p, clip, t);
  sup_surface_solve_f64(p->backend, p->jobs, &call);
}

static void back_through(SurfaceProblem *p, const SurfaceClip *clip, const float *errors,
                         SurfaceAdjoint *a) {
  const size_t count = (size_t)3 * p->lanes;
  double *x = a->x, *before = a->before;
  sup_zero(a->by_x, count * sizeof(double));
  sup_zero(a->by_dx, count * sizeof(double));
  state_at(p, clip, errors, FIRST_STEP, x);
  sup_surface_frame(&clip->targets, FIRST_STEP, count, before);
  for (size_t i = 0; i < count; i++) a->first[i] = (float)(x[i] - before[i]);
  state_at(p, clip, errors, clip->frame_count - 2, x);
  for (uint32_t t = clip->frame_count - 2; t >= FIRST_STEP; t--) {
    state_at(p, clip, errors, t - 1, before);
    look_at(p, clip, x, before, t);
    Backward b = {.p = p,
                  .clip = clip,
                  .t = t,
                  .x = x,
                  .errors = errors + count * (t - FIRST_STEP),
                  .last = t > FIRST_STEP ? errors + count * (t - FIRST_STEP - 1) : a->first,
                  .by_x = a->by_x,
                  .by_dx = a->by_dx,
                  .messages = (Message *)a->messages,
                  .gradient = a->gradient};
    sup_parallel_for(p->jobs, p->blocks, GRAIN, tell_task, &b);
    sup_parallel_for(p->jobs, p->blocks, GRAIN, hear_task, &b);
    double *swap = x;
    x = before;
    before = swap;
  }
}

SupResult sup_surface_adjoint_make(SurfaceProblem *p, SurfaceAdjoint *out, SupError *error) {
  const size_t count = (size_t)3 * p->lanes;
  size_t most = 0;
  for (uint32_t k = 0; k < p->clip_count; k++) {
    const size_t steps = p->clips[k].frame_count - FIRST_STEP - 1;
    most = steps > most ? steps : most;
  }
  SurfaceAdjoint a = {.errors = SUP_ALLOC(p->arena, float, most *count),
                      .first = SUP_ALLOC(p->arena, float, count),
                      .x = SUP_ALLOC(p->arena, double, count),
                      .before = SUP_ALLOC(p->arena, double, count),
                      .by_x = SUP_ALLOC(p->arena, double, count),
                      .by_dx = SUP_ALLOC(p->arena, double, count),
                      .messages = SUP_ALLOC(p->arena, Message, p->lanes),
                      .gradient = SUP_ALLOC(p->arena, double, (size_t)p->terms * p->lanes)};
  if (!a.errors || !a.first || !a.x || !a.before || !a.by_x || !a.by_dx || !a.messages ||
      !a.gradient) {
    return sup_fail_memory(error, "learning");
  }
  *out = a;
  return SUP_OK;
}

/* Clip by clip, so that one trajectory at a time is kept. */
double sup_surface_gradient(SurfaceProblem *p, SurfaceAdjoint *a) {
  double error = 0;
  sup_zero(a->gradient, (size_t)p->terms * p->lanes * sizeof(double));
  for (uint32_t k = 0; k < p->clip_count; k++) {
    if (!p->clips[k].used) continue;
    error += sup_surface_pass_clip(p, k, a->errors);
    back_through(p, &p->clips[k], a->errors, a);
  }
  p->passes++;
  p->gradients++;
  return isfinite(error) ? error : 1e300;
}
