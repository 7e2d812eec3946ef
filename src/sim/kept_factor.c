/* SPDX-License-Identifier: MIT */
/*
 * An old factor as a good guess of the present inverse.
 *
 * A = L L^T of an earlier place stands for R A R^T now, R the rotations of the nodes since: the
 * potential of flesh that turns as it is has exactly this second derivative, since elastic energy,
 * damping, ties and inertia know no direction. On it come the last moves s and the changes y of the
 * gradient along them (L-BFGS; Nocedal 1980, with A as its first guess as in Liu, Bouaziz, Kavan
 * 2017): what is made of both maps every y to its s, and is positive definite where s . y > 0.
 */
#include "sim/kept_factor.h"

/* Rounds of the rotation fit a step: it begins where the step before ended. */
#define TURN_ROUNDS 3

bool sup_kept_factor_create(SupArena *arena, const SupElastic *body, SupCholesky *factor,
                            SupKeptFactor *out_kept) {
  const size_t nodes = body->free_count, numbers = 3 * nodes;
  SupKeptFactor *k = out_kept;
  *k = (SupKeptFactor){.body = body,
                       .factor = factor,
                       .place = SUP_ALLOC(arena, SupVec3d, body->mesh.node_count),
                       .turns = SUP_ALLOC(arena, SupQuatd, nodes),
                       .matrices = SUP_ALLOC(arena, SupMat3d, nodes),
                       .spread = SUP_ALLOC(arena, SupMat3d, nodes),
                       .before = SUP_ALLOC(arena, double, numbers),
                       .right = SUP_ALLOC(arena, double, numbers)};
  bool room = k->place && k->turns && k->matrices && k->spread && k->before && k->right;
  for (int p = 0; p < SUP_KEPT_PAIRS; p++) {
    k->moves[p] = SUP_ALLOC(arena, double, numbers);
    k->changes[p] = SUP_ALLOC(arena, double, numbers);
    room = room && k->moves[p] && k->changes[p];
  }
  return room;
}

void sup_kept_factor_renew(SupKeptFactor *kept, const SupVec3d *x, double inertia) {
  kept->known = true;
  kept->inertia = inertia;
  kept->pair_count = 0;
  for (uint32_t n = 0; n < kept->body->mesh.node_count; n++) kept->place[n] = x[n];
  for (uint32_t i = 0; i < kept->body->free_count; i++) {
    kept->turns[i] = sup_quatd_identity();
    kept->matrices[i] = sup_mat3d_identity();
  }
}

bool sup_kept_factor_fits(const SupKeptFactor *kept, double inertia) {
  const double off = kept->inertia - inertia, most = 1e-6 * inertia;
  return kept->known && off <= most && -off <= most;
}

/* ---- Turning -------------------------------------------------------------------------------- */

/* spread[i] = sum over the neighbours j of node i of (x_j - x_i)(p_j - p_i)^T, p the place of the
 * factor. Neighbours are those in the matrix. */
static void sum_edges(SupKeptFactor *kept, const SupVec3d *x) {
  const SupElastic *body = kept->body;
  for (uint32_t i = 0; i < body->free_count; i++) kept->spread[i] = (SupMat3d){{0}};
  for (uint32_t j = 0; j < body->free_count; j++) {
    const int64_t first = body->matrix.columns[3 * (size_t)j];
    const uint32_t count = body->block_offsets[j + 1] - body->block_offsets[j];
    const uint32_t n = body->free_nodes[j];
    for (uint32_t k = 1; k < count; k++) { /* the first block is that of the node itself */
      const uint32_t i = (uint32_t)(body->matrix.rows[first + 3 * (int64_t)k] / 3);
      const uint32_t m = body->free_nodes[i];
      const SupVec3d now = sup_vec3d_sub(x[m], x[n]);
      const SupVec3d then = sup_vec3d_sub(kept->place[m], kept->place[n]);
      const double a[3] = {now.x, now.y, now.z}, b[3] = {then.x, then.y, then.z};
      for (int e = 0; e < 9; e++) {
        const double product = a[e % 3] * b[e / 3];
        kept->spread[i].m[e] += product;
        kept->spread[j].m[e] += product;
      }
    }
  }
}

/* The rotation q that maximises trace(R^T spread), from the given one on: each round turns by
 * sum r x a / |sum r . a|, r the columns of R and a those of the spread (Mueller et al. 2016). */
static SupQuatd fit(SupQuatd q, const SupMat3d *spread) {
  for (int round = 0; round < TURN_ROUNDS; round++) {
    const SupMat3d R = sup_mat3d_from_quat(q);
    SupVec3d turn = {0, 0, 0};
    double along = 0;
    for (int c = 0; c < 3; c++) {
      const SupVec3d r = sup_mat3d_column(R, c), a = sup_mat3d_column(*spread, c);
      turn = sup_vec3d_add(turn, sup_vec3d_cross(r, a));
      along += sup_vec3d_dot(r, a);
    }
    const double size = along < 0 ? -along : along;
    if (!(size > 0)) break;
    turn = sup_vec3d_scale(turn, 0.5 / size);
    q = sup_quatd_normalise(sup_quatd_mul(sup_quatd_make(turn.x, turn.y, turn.z, 1), q));
  }
  return q;
}

void sup_kept_factor_turn(SupKeptFactor *kept, const SupVec3d *x) {
  sum_edges(kept, x);
  for (uint32_t i = 0; i < kept->body->free_count; i++) {
    kept->turns[i] = fit(kept->turns[i], &kept->spread[i]);
    kept->matrices[i] = sup_mat3d_from_quat(kept->turns[i]);
  }
}

/* ---- Solving -------------------------------------------------------------------------------- */

static double dot(const SupKeptFactor *kept, const double *a, const double *b) {
  double sum[3] = {0, 0, 0};
  for (size_t i = 0; i < 3 * (size_t)kept->body->free_count; i += 3) {
    for (size_t e = 0; e < 3; e++) sum[e] += a[i + e] * b[i + e];
  }
  return sum[0] + sum[1] + sum[2];
}

/* io += scale * add. */
static void add_scaled(const SupKeptFactor *kept, double *io, const double *add, double scale) {
  for (size_t i = 0; i < 3 * (size_t)kept->body->free_count; i++) io[i] += scale * add[i];
}

/* v = R v, or R^T v with `back`, of every free node. */
static void turn_all(const SupKeptFactor *kept, bool back, double *v) {
  for (size_t i = 0; i < kept->body->free_count; i++) {
    const SupMat3d R = kept->matrices[i];
    const SupVec3d at = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
    const SupVec3d to = sup_mat3d_mul_vec3(back ? sup_mat3d_transpose(R) : R, at);
    v[3 * i] = to.x;
    v[3 * i + 1] = to.y;
    v[3 * i + 2] = to.z;
  }
}

SupResult sup_kept_factor_solve(SupKeptFactor *kept, const SupVec3d *gradient, SupVec3d *out_move,
                                SupError *error) {
  const SupElastic *body = kept->body;
  double *q = kept->right, share[SUP_KEPT_PAIRS];
  for (uint32_t i = 0; i < body->free_count; i++) {
    const SupVec3d g = gradient[body->free_nodes[i]];
    kept->before[3 * i] = g.x;
    kept->before[3 * i + 1] = g.y;
    kept->before[3 * i + 2] = g.z;
  }
  for (size_t i = 0; i < 3 * (size_t)body->free_count; i++) q[i] = -kept->before[i];
  for (uint32_t k = 0; k < kept->pair_count; k++) { /* the last one first */
    const uint32_t p = (kept->pair_end + SUP_KEPT_PAIRS - 1 - k) % SUP_KEPT_PAIRS;
    share[p] = dot(kept, kept->moves[p], q) / kept->products[p];
    add_scaled(kept, q, kept->changes[p], -share[p]);
  }
  turn_all(kept, true, q);
  SupResult result = sup_cholesky_solve(kept->factor, q, q, error);
  if (result != SUP_OK) return result;
  turn_all(kept, false, q);
  for (uint32_t k = kept->pair_count; k > 0; k--) {
    const uint32_t p = (kept->pair_end + SUP_KEPT_PAIRS - k) % SUP_KEPT_PAIRS;
    const double along = dot(kept, kept->changes[p], q) / kept->products[p];
    add_scaled(kept, q, kept->moves[p], share[p] - along);
  }
  for (uint32_t i = 0; i < body->free_count; i++) {
    out_move[body->free_nodes[i]] = (SupVec3d){q[3 * i], q[3 * i + 1], q[3 * i + 2]};
  }
  return SUP_OK;
}

void sup_kept_factor_learn(SupKeptFactor *kept, const SupVec3d *move, const SupVec3d *gradient) {
  const SupElastic *body = kept->body;
  const uint32_t p = kept->pair_end % SUP_KEPT_PAIRS;
  double *s = kept->moves[p], *y = kept->changes[p];
  for (uint32_t i = 0; i < body->free_count; i++) {
    const SupVec3d m = move[body->free_nodes[i]], g = gradient[body->free_nodes[i]];
    const double to[3] = {m.x, m.y, m.z}, now[3] = {g.x, g.y, g.z};
    for (uint32_t e = 0; e < 3; e++) {
      s[3 * i + e] = to[e];
      y[3 * i + e] = now[e] - kept->before[3 * i + e];
    }
  }
  const double product = dot(kept, s, y);
  /* Along what curves hardly, or downwards, nothing is learned. */
  if (!(product > 0)) return;
  kept->products[p] = product;
  kept->pair_end = (kept->pair_end + 1) % SUP_KEPT_PAIRS;
  if (kept->pair_count < SUP_KEPT_PAIRS) kept->pair_count++;
}
