/* SPDX-License-Identifier: MIT */
/*
 * One step of the surface technique over blocks of 16 vertices. Compiled once per instruction set,
 * in double precision as well.
 *
 * X. Shi, K. Zhou, Y. Tong, M. Desbrun, H. Bao, B. Guo 2008, "Example-based dynamic skinning in
 * real time". With dx = h v the step size cancels; per vertex
 *
 *   dx <- dx + alpha G + beta L + gamma B + lambda D + delta E + eta A + h^2 F,   x <- x + dx
 *
 *   G  goal - x                                              eq. 4        solve_lanes
 *   L  mean_j x_j - R (mean rest edge) - x                   eq. 5, 6     ring_sums, detail
 *   B  sum_b w_b (l_b / |s_b| - 1) s_b                       eq. 7, 8     spokes
 *   D  mean_j w_j - w,   E  -w,   w = dx - goal's dx         eq. 9        ring_sums
 *   A  change of the goal's dx                               (ours)
 *
 * A step does not know how its goal will go on, so A is the change that was: one step late. With
 * SUP_SURFACE_UNDELAYED eta A is not added by the step, but before the next one, to x and dx, out
 * of the change that really was; nobody has seen x until then                         (ours)
 * prepare
 *
 * With SUP_SURFACE_NORMAL alpha and delta act along the skin, and numbers of their own along the
 * goal's normal n: G and E are taken apart into n (n.G), n (n.E) and the rest  (ours)  along_normal
 *
 * All read the state at the beginning of the step, so the order of vertices does not matter.
 *
 * Departures: the sign of eq. 6 and the bracket of eq. 9 are corrected; R has determinant 1 and
 * comes from a warm-started Newton step; damping acts on velocities relative to the goal's unless
 * the model says otherwise; |s| is kept from 0; distance and depth limits and colliders close the
 * step. docs/techniques/surface.md has the errata.
 */
#include "runtime/surface/surface_kernel.h"

#include "runtime/lane_records.h"

/* Spokes push as if they were never shorter than this fraction of their rest length: the force
 * stays bounded where a vertex meets the bone. */
#define SHORTEST_SPOKE 0.1
#define TINY 1e-9 /* of the character's size */

SUP_INLINE sup_vquat load_rotation(const sup_real *rows, int lane) {
  return (sup_vquat){sup_vf_load(rows + lane), sup_vf_load(rows + SUP_BLOCK + lane),
                     sup_vf_load(rows + 2 * SUP_BLOCK + lane),
                     sup_vf_load(rows + 3 * SUP_BLOCK + lane)};
}

SUP_INLINE void store_rotation(sup_real *rows, int lane, sup_vquat q) {
  sup_vf_store(rows + lane, q.x);
  sup_vf_store(rows + SUP_BLOCK + lane, q.y);
  sup_vf_store(rows + 2 * SUP_BLOCK + lane, q.z);
  sup_vf_store(rows + 3 * SUP_BLOCK + lane, q.w);
}

/* A mirrored neighbourhood is minus a turned one: m = -R s. */
SUP_INLINE void unmirror(sup_vf m[9], sup_vf scale) {
  const sup_vi mirrored = sup_lt(scale, SUP_C(0));
  for (int i = 0; i < 9; i++) m[i] = sup_select(mirrored, -m[i], m[i]);
}

/* The rotation of the blended bones. */
SUP_INLINE sup_vquat bone_rotation(const RealSurfaceCall *call, uint32_t block, int lane,
                                   uint32_t steps, sup_vquat start) {
  const SkinBlock b = skin_block(&call->model->skin, block);
  const SkinBlend t = skin_blend(&b, call->palette, lane);
  sup_vf m[9] = {t.xx, t.xy, t.xz, t.yx, t.yy, t.yz, t.zx, t.zy, t.zz};
  if (call->scales) {
    unmirror(m, sup_lane_scale(&call->model->skin, call->scales, block, lane));
  }
  return sup_vf_rotation_fit(m, steps, start);
}

/* ---- Start and prepare ------------------------------------------------------------------------
 */

SUP_INLINE sup_vvec3 damped_velocity(const RealSurfaceCall *call, sup_vvec3 dx, sup_vvec3 step) {
  return call->model->flags & SUP_SURFACE_ABSOLUTE ? dx : sup_vvec3_sub(dx, step);
}

/* Whether the goal's acceleration is added behind the step. */
SUP_INLINE bool undelayed(const RealSurfaceCall *call) {
  return call->model->flags & SUP_SURFACE_UNDELAYED && !call->bends && !(call->feed > 0);
}

/* Out of the colliders; *io_dx loses what would carry it further in. */
SUP_INLINE sup_vvec3 out_of_colliders(const RealSurfaceCall *call, sup_vvec3 x, sup_vvec3 *io_dx) {
  for (uint32_t k = 0; k < call->collider_count; k++) {
    const RealCollider *c = &call->colliders[k];
    const RealVec3 d = REAL(vec3, sub)(c->b, c->a);
    const sup_real square = REAL(vec3, dot)(d, d);
    const sup_real inverse = square > 0 ? 1 / square : 0;
    const sup_vvec3 p = {x.x - c->a.x, x.y - c->a.y, x.z - c->a.z};
    sup_vf t = (p.x * d.x + p.y * d.y + p.z * d.z) * inverse;
    t = sup_min(sup_max(t, SUP_C(0)), SUP_C(1));
    const sup_vvec3 s = {p.x - t * d.x, p.y - t * d.y, p.z - t * d.z};
    const sup_vf reach = sup_vvec3_dot(s, s);
    const sup_vi inside =
        sup_lt(reach, sup_vf_splat(c->radius * c->radius)) & sup_lt(SUP_C(0), reach);
    if (!sup_any(inside)) continue;
    const sup_vf length = sup_vf_sqrt(sup_select(inside, reach, SUP_C(1)));
    const sup_vvec3 n = sup_vvec3_scale(s, SUP_C(1) / length);
    const sup_vf depth = sup_select(inside, sup_vf_splat(c->radius) - length, SUP_C(0));
    const sup_vvec3 relative = {io_dx->x - c->motion.x, io_dx->y - c->motion.y,
                                io_dx->z - c->motion.z};
    const sup_vf inwards = sup_min(sup_vvec3_dot(relative, n), SUP_C(0));
    const sup_vf change =
        sup_select(inside, inwards * sup_vf_splat(-(1 + c->restitution)), SUP_C(0));
    *io_dx = sup_vvec3_add_scaled(*io_dx, n, change);
    x = sup_vvec3_add_scaled(x, n, depth);
  }
  return x;
}

/* Puts right what the last step could not know of its goal. */
SUP_INLINE void catch_up(const RealSurfaceCall *call, uint32_t block, int lane, sup_vvec3 step) {
  const size_t rows = (size_t)(3 * SUP_BLOCK) * block;
  const sup_real *parameters =
      call->model->parameters + (size_t)(SUP_SURFACE_ROWS * SUP_BLOCK) * block;
  const sup_vf eta = sup_vf_load(parameters + SUP_SURFACE_ETA * SUP_BLOCK + lane);
  const sup_vvec3 bend = sup_vvec3_sub(step, sup_vvec3_load(call->goal_step + rows, lane));
  const sup_vvec3 x = sup_vvec3_add_scaled(sup_vvec3_load(call->x + rows, lane), bend, eta);
  sup_vvec3 dx = sup_vvec3_add_scaled(sup_vvec3_load(call->dx + rows, lane), bend, eta);
  sup_vvec3_store(call->x + rows, lane, out_of_colliders(call, x, &dx));
  sup_vvec3_store(call->dx + rows, lane, dx);
}

void SUP_KERNEL(surface_start_blocks)(const RealSurfaceCall *call, SupRange blocks, bool moving) {
  const sup_vquat identity = {SUP_C(0), SUP_C(0), SUP_C(0), SUP_C(1)};
  for (uint32_t block = blocks.first; block < blocks.first + blocks.count; block++) {
    const size_t rows = (size_t)(3 * SUP_BLOCK) * block;
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      const sup_vvec3 goal = sup_vvec3_load(call->next_goal + rows, lane);
      const sup_vvec3 none = {SUP_C(0), SUP_C(0), SUP_C(0)};
      const sup_vvec3 step =
          moving ? sup_vvec3_sub(goal, sup_vvec3_load(call->goal + rows, lane)) : none;
      sup_vvec3_store(call->x + rows, lane, sup_vvec3_add(goal, step));
      sup_vvec3_store(call->dx + rows, lane, step);
      sup_vvec3_store(call->goal + rows, lane, goal);
      sup_vvec3_store(call->goal_step + rows, lane, step);
      const sup_vpair record = {goal, damped_velocity(call, step, step)};
      sup_records_store(call->records + SUP_RECORD * ((size_t)SUP_BLOCK * block + (size_t)lane),
                        record);
      store_rotation(call->rotation + (size_t)(4 * SUP_BLOCK) * block, lane,
                     bone_rotation(call, block, lane, 8, identity));
    }
  }
}

void SUP_KERNEL(surface_prepare_blocks)(const RealSurfaceCall *call, SupRange blocks) {
  for (uint32_t block = blocks.first; block < blocks.first + blocks.count; block++) {
    const size_t rows = (size_t)(3 * SUP_BLOCK) * block;
    sup_real *records = call->records + (size_t)(SUP_RECORD * SUP_BLOCK) * block;
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      const sup_vvec3 goal = sup_vvec3_load(call->next_goal + rows, lane);
      const sup_vvec3 step = sup_vvec3_sub(goal, sup_vvec3_load(call->goal + rows, lane));
      if (call->owed && undelayed(call)) catch_up(call, block, lane, step);
      const sup_vvec3 dx = sup_vvec3_load(call->dx + rows, lane);
      const sup_vpair record = {sup_vvec3_load(call->x + rows, lane),
                                damped_velocity(call, dx, step)};
      sup_records_store(records + SUP_RECORD * lane, record);
    }
  }
}

/* ---- Forces -----------------------------------------------------------------------------------
 */

typedef struct RingSums {
  sup_vvec3 x, w; /* sums of the neighbours' less one's own */
  sup_vf a[9];    /* sum of edge (rest edge)^T, column-major */
} RingSums;

/* Lanes with fewer neighbours than others of their block meet themselves: differences of zero. The
 * velocities have a loop of their own where the accumulators of one would not fit into the
 * registers. */
SUP_INLINE RingSums ring_sums(const RealSurfaceCall *call, uint32_t block, int lane, sup_vvec3 x,
                              sup_vvec3 w, bool turning) {
  const RealSurfaceView *model = call->model;
  const uint32_t first = model->slot_first[block], end = model->slot_first[block + 1];
  const sup_vf zero = SUP_C(0);
  sup_vvec3 sx = {zero, zero, zero}, sw = sx;
  sup_vf a0 = zero, a1 = zero, a2 = zero, a3 = zero, a4 = zero;
  sup_vf a5 = zero, a6 = zero, a7 = zero, a8 = zero;
  for (uint32_t s = first; s < end; s++) {
    const uint32_t *slots = model->slots + (size_t)SUP_BLOCK * s + lane;
#if SUP_HALVES
    const sup_vvec3 e = sup_vvec3_sub(sup_halves_load(call->records, slots, 0), x);
#else
    const sup_vpair other = sup_records_load(call->records, slots);
    const sup_vvec3 e = sup_vvec3_sub(other.a, x);
    sw = sup_vvec3_add(sw, sup_vvec3_sub(other.b, w));
#endif
    sx = sup_vvec3_add(sx, e);
    if (turning) {
      const sup_vvec3 r = sup_vvec3_load(model->edges + (size_t)(3 * SUP_BLOCK) * s, lane);
      a0 += e.x * r.x, a1 += e.y * r.x, a2 += e.z * r.x;
      a3 += e.x * r.y, a4 += e.y * r.y, a5 += e.z * r.y;
      a6 += e.x * r.z, a7 += e.y * r.z, a8 += e.z * r.z;
    }
  }
#if SUP_HALVES
  for (uint32_t s = first; s < end; s++) {
    const uint32_t *slots = model->slots + (size_t)SUP_BLOCK * s + lane;
    sw = sup_vvec3_add(sw, sup_vvec3_sub(sup_halves_load(call->records, slots, 1), w));
  }
#endif
  return (RingSums){sx, sw, {a0, a1, a2, a3, a4, a5, a6, a7, a8}};
}

/* Springs from the bones to the skin that slide along the bones. */
SUP_INLINE sup_vvec3 spokes(const RealSurfaceCall *call, uint32_t block, int lane, sup_vvec3 x,
                            sup_vf size) {
  const RealSurfaceView *model = call->model;
  const sup_vf tiny = sup_vf_splat((sup_real)TINY * model->size);
  const sup_vf least = tiny * tiny + sup_vf_splat((sup_real)1e-30);
  sup_vvec3 sum = {SUP_C(0), SUP_C(0), SUP_C(0)};
  for (uint32_t k = model->spoke_first[block]; k < model->spoke_first[block + 1]; k++) {
    const RealPlaced *bone = &call->segments[model->spokes[k]];
    const sup_real *rows = model->spoke_rows + (size_t)(2 * SUP_BLOCK) * k;
    const sup_vf weight = sup_vf_load(rows + lane);
    const sup_vf length = sup_vf_load(rows + SUP_BLOCK + lane) * size;
    const sup_vvec3 p = {x.x - bone->a.x, x.y - bone->a.y, x.z - bone->a.z};
    sup_vf t = (p.x * bone->d.x + p.y * bone->d.y + p.z * bone->d.z) * bone->inverse;
    t = sup_min(sup_max(t, SUP_C(0)), SUP_C(1));
    const sup_vvec3 s = {p.x - t * bone->d.x, p.y - t * bone->d.y, p.z - t * bone->d.z};
    const sup_vf shortest = SUP_C(SHORTEST_SPOKE) * length;
    const sup_vf square = sup_max(sup_max(sup_vvec3_dot(s, s), shortest * shortest), least);
    const sup_vf force = weight * (length / sup_vf_sqrt(square) - SUP_C(1));
    sum = sup_vvec3_add_scaled(sum, s, force);
  }
  return sum;
}

/* ---- Limits -----------------------------------------------------------------------------------
 */

/* An offset from the goal, brought back above the backstop and within the maximum distance. */
SUP_INLINE sup_vvec3 limited(const RealSurfaceCall *call, const sup_real *parameters, size_t rows,
                             int lane, sup_vf size, sup_vvec3 offset) {
  if (call->normals && call->model->flags & SUP_SURFACE_BACKSTOPS) {
    const sup_vvec3 n = sup_vvec3_load(call->normals + rows, lane);
    const sup_vf stop = sup_vf_load(parameters + SUP_SURFACE_STOP * SUP_BLOCK + lane) * size;
    const sup_vf square = sup_vvec3_dot(n, n);
    const sup_vi known = sup_lt(SUP_C(1e-20), square);
    const sup_vf depth = sup_vvec3_dot(offset, n) + stop * sup_vf_sqrt(square);
    const sup_vf back = sup_min(depth, SUP_C(0)) / sup_select(known, square, SUP_C(1));
    offset = sup_vvec3_add_scaled(offset, n, sup_select(known, -back, SUP_C(0)));
  }
  const sup_vf max_distance =
      sup_vf_load(parameters + SUP_SURFACE_MAX_DISTANCE * SUP_BLOCK + lane) * size;
  const sup_vf square = sup_vvec3_dot(offset, offset);
  const sup_vi far = sup_lt(max_distance * max_distance, square);
  if (!sup_any(far)) return offset;
  const sup_vf scale = max_distance / sup_vf_sqrt(sup_select(far, square, SUP_C(1)));
  return sup_vvec3_select(far, sup_vvec3_scale(offset, scale), offset);
}

/* ---- The step ---------------------------------------------------------------------------------
 */

SUP_INLINE void store_terms(const RealSurfaceCall *call, uint32_t block, int lane, int term,
                            sup_vvec3 value) {
  if (!call->terms) return;
  const uint32_t count = call->model->normal_rows ? SUP_SURFACE_ALL_TERMS : SUP_SURFACE_TERMS;
  sup_real *rows = call->terms + (size_t)(3 * SUP_BLOCK) * (count * block);
  sup_vvec3_store(rows + (size_t)(3 * SUP_BLOCK) * (size_t)term, lane, value);
}

/* What the normal's own stiffness and drag add to those that act everywhere alike. */
SUP_INLINE sup_vvec3 along_normal(const RealSurfaceCall *call, uint32_t block, int lane,
                                  sup_vf alpha, sup_vf delta, sup_vvec3 pull, sup_vvec3 drag) {
  const sup_real *rows =
      call->model->normal_rows + (size_t)(SUP_SURFACE_NORMAL_ROWS * SUP_BLOCK) * block;
  const sup_vvec3 given = sup_vvec3_load(call->normals + (size_t)(3 * SUP_BLOCK) * block, lane);
  const sup_vf square = sup_vvec3_dot(given, given);
  const sup_vi known = sup_lt(SUP_C(1e-20), square);
  const sup_vf shorter = SUP_C(1) / sup_vf_sqrt(sup_select(known, square, SUP_C(1)));
  const sup_vvec3 n = sup_vvec3_scale(given, sup_select(known, shorter, SUP_C(0)));
  const sup_vf along_pull = sup_vvec3_dot(n, pull), along_drag = sup_vvec3_dot(n, drag);
  const sup_vf own_alpha = sup_vf_load(rows + SUP_SURFACE_NORMAL_ALPHA * SUP_BLOCK + lane);
  const sup_vf own_delta = sup_vf_load(rows + SUP_SURFACE_NORMAL_DELTA * SUP_BLOCK + lane);
  if (call->terms) {
    const sup_vvec3 normal_pull = sup_vvec3_scale(n, along_pull);
    const sup_vvec3 normal_drag = sup_vvec3_scale(n, along_drag);
    store_terms(call, block, lane, SUP_SURFACE_ALPHA, sup_vvec3_sub(pull, normal_pull));
    store_terms(call, block, lane, SUP_SURFACE_DELTA, sup_vvec3_sub(drag, normal_drag));
    store_terms(call, block, lane, SUP_SURFACE_TERM_NORMAL_ALPHA, normal_pull);
    store_terms(call, block, lane, SUP_SURFACE_TERM_NORMAL_DELTA, normal_drag);
  }
  return sup_vvec3_scale(n, (own_alpha - alpha) * along_pull + (own_delta - delta) * along_drag);
}

SUP_INLINE void solve_lanes(const RealSurfaceCall *call, uint32_t block, int lane) {
  const RealSurfaceView *model = call->model;
  const size_t rows = (size_t)(3 * SUP_BLOCK) * block;
  const sup_real *parameters = model->parameters + (size_t)(SUP_SURFACE_ROWS * SUP_BLOCK) * block;
#define ROW(name) sup_vf_load(parameters + SUP_SURFACE_##name * SUP_BLOCK + lane)
  const sup_vvec3 x = sup_vvec3_load(call->x + rows, lane);
  const sup_vvec3 dx = sup_vvec3_load(call->dx + rows, lane);
  const sup_vvec3 goal = sup_vvec3_load(call->next_goal + rows, lane);
  const sup_vvec3 step = sup_vvec3_sub(goal, sup_vvec3_load(call->goal + rows, lane));
  sup_vvec3 bend = sup_vvec3_sub(step, sup_vvec3_load(call->goal_step + rows, lane));
  if (call->bends) bend = sup_vvec3_load(call->bends + rows, lane);
  const sup_vvec3 w = damped_velocity(call, dx, step);
  sup_vf scale = SUP_C(1);
  if (call->scales) scale = sup_lane_scale(&model->skin, call->scales, block, lane);
  const sup_vf size = sup_abs(scale);

  /* First, so that the roots and divisions are done while the loop over the ring runs. */
  const sup_vvec3 volume = spokes(call, block, lane, x, size);
  const bool turning = !(model->flags & SUP_SURFACE_BONE_ROTATION);
  RingSums ring = ring_sums(call, block, lane, x, w, turning);
  sup_real *rotations = call->rotation + (size_t)(4 * SUP_BLOCK) * block;
  const uint32_t steps = call->rotation_steps ? call->rotation_steps : 1;
  sup_vquat q = load_rotation(rotations, lane);
  if (turning) {
    if (call->scales) unmirror(ring.a, scale);
    q = steps == 1 ? sup_vf_rotation_step(ring.a, q) : sup_vf_rotation_fit(ring.a, steps, q);
  } else {
    q = bone_rotation(call, block, lane, steps, q);
  }
  store_rotation(rotations, lane, q);

  const sup_vf fraction = ROW(RING_WEIGHT);
  const sup_vvec3 edge = {ROW(EDGE_X) * scale, ROW(EDGE_Y) * scale, ROW(EDGE_Z) * scale};
  const sup_vvec3 pull = sup_vvec3_sub(goal, x);
  const sup_vvec3 detail =
      sup_vvec3_sub(sup_vvec3_scale(ring.x, fraction), sup_vquat_turn(q, edge));
  const sup_vvec3 damping = sup_vvec3_scale(ring.w, fraction);
  const sup_vvec3 drag = {-w.x, -w.y, -w.z};

  sup_vvec3 next = {dx.x + call->push.x, dx.y + call->push.y, dx.z + call->push.z};
  next = sup_vvec3_add_scaled(next, dx, sup_vf_splat(-call->wind));
  if (call->forces) next = sup_vvec3_add(next, sup_vvec3_load(call->forces + rows, lane));
  next = sup_vvec3_add_scaled(next, pull, ROW(ALPHA));
  next = sup_vvec3_add_scaled(next, detail, ROW(BETA));
  next = sup_vvec3_add_scaled(next, volume, ROW(GAMMA));
  next = sup_vvec3_add_scaled(next, damping, ROW(LAMBDA));
  next = sup_vvec3_add_scaled(next, drag, ROW(DELTA));
  const sup_vf eta = sup_max(ROW(ETA), sup_vf_splat(call->feed));
  if (!undelayed(call)) next = sup_vvec3_add_scaled(next, bend, eta);
  store_terms(call, block, lane, SUP_SURFACE_ALPHA, pull);
  store_terms(call, block, lane, SUP_SURFACE_BETA, detail);
  store_terms(call, block, lane, SUP_SURFACE_GAMMA, volume);
  store_terms(call, block, lane, SUP_SURFACE_LAMBDA, damping);
  store_terms(call, block, lane, SUP_SURFACE_DELTA, drag);
  store_terms(call, block, lane, SUP_SURFACE_ETA, bend);
  if (model->normal_rows && call->normals) {
    next = sup_vvec3_add(next, along_normal(call, block, lane, ROW(ALPHA), ROW(DELTA), pull, drag));
  }
#undef ROW

  const sup_vvec3 free = sup_vvec3_add(x, next);
  sup_vvec3 ahead = sup_vvec3_add(goal, step); /* where the goal will be, about */
  if (call->bends) ahead = sup_vvec3_add_scaled(ahead, bend, eta);
  if (!call->bends && call->feed > 0) {
    ahead = sup_vvec3_add_scaled(ahead, bend, sup_vf_splat(call->feed));
  }
  const sup_vvec3 outside = out_of_colliders(call, free, &next);
  const sup_vvec3 offset = sup_vvec3_sub(outside, ahead);
  const sup_vvec3 kept = limited(call, parameters, rows, lane, size, offset);
  /* Exactly `outside` where no limit acts; where one does, the velocity is what is left. */
  const sup_vi moved =
      ~(sup_eq(kept.x, offset.x) & sup_eq(kept.y, offset.y) & sup_eq(kept.z, offset.z));
  sup_vvec3 place = outside;
  if (sup_any(moved)) {
    place = sup_vvec3_select(moved, sup_vvec3_add(ahead, kept), outside);
    next = sup_vvec3_select(moved, sup_vvec3_sub(place, x), next);
  }
  /* A number that is not finite never enters the state. */
  const sup_vf probe = (place.x - place.x) + (place.y - place.y) + (place.z - place.z) +
                       (next.x - next.x) + (next.y - next.y) + (next.z - next.z);
  const sup_vi bad = ~sup_eq(probe, SUP_C(0));
  if (sup_any(bad)) {
    place = sup_vvec3_select(bad, ahead, place);
    next = sup_vvec3_select(bad, step, next);
  }
  sup_vvec3_store(call->x + rows, lane, place);
  sup_vvec3_store(call->dx + rows, lane, next);
  sup_vvec3_store(call->goal + rows, lane, goal);
  sup_vvec3_store(call->goal_step + rows, lane, step);
}

void SUP_KERNEL(surface_solve_blocks)(const RealSurfaceCall *call, SupRange blocks) {
  for (uint32_t block = blocks.first; block < blocks.first + blocks.count; block++) {
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) solve_lanes(call, block, lane);
  }
}
