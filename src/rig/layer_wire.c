/* SPDX-License-Identifier: MIT */
/*
 * A wire deformer (after Singh and Fiume 1998), bound at rest.
 *
 * The curve is a clamped uniform B-spline of degree min(3, points - 1). A vertex is bound to the
 * parameter u of its nearest point at rest. With the control points c_i carried by a bone, c_i' =
 * c_i + their displacements, r = sum N_i(u) c_i, r' likewise, unit tangents a of the one and b of
 * the other curve, twist t = sum N_i t_i and radius factor m = sum N_i m_i:
 *
 *   x' = (1 - f) x + f (r' + m T(b, t) Q(a, b) (x - r))
 *   Q(a, b) = I - (a + b)(a + b)^T / (1 + a.b) + 2 b a^T      the smallest rotation from a to b
 *   T(b, t)                                                   the rotation by t about b
 *
 * The paper instead scales the angle by f; the linear blend has the same value at f = 0 and 1 and
 * one formula. The influence f is 1 within the radius, and falls to 0 over `fade` as a smoothstep.
 */
#include <math.h>

#include "rig/layers.h"
#include "rig/rig_names.h"

#define CURVE_MAX 64u
#define SAMPLES_PER_SPAN 32u
#define LEAST_COSINE 1e-9 /* 1 + a.b: a tangent that is turned right round has no direction */

/* ---- The curve ------------------------------------------------------------------------------ */

static uint32_t span_count(const SupRigWire *wire) { return wire->curve_count - wire->degree; }

/* Knot k of the clamped uniform knots over [0, span_count]. */
static double knot(const SupRigWire *wire, uint32_t k) {
  const uint32_t spans = span_count(wire);
  if (k <= wire->degree) return 0;
  return k - wire->degree > spans ? (double)spans : (double)(k - wire->degree);
}

/* The basis of degree `degree` that does not vanish on the span of u: out[degree + 1] (de Boor and
 * Cox); the first belongs to control point span + wire->degree - degree. */
static void basis(const SupRigWire *wire, uint32_t span, uint32_t degree, double u, double *out) {
  const uint32_t at = span + wire->degree; /* knot(at) <= u <= knot(at + 1) */
  out[0] = 1;
  for (uint32_t d = 1; d <= degree; d++) {
    double carry = 0;
    for (uint32_t k = 0; k < d; k++) {
      const double right = knot(wire, at + k + 1), left = knot(wire, at + 1 + k - d);
      const double share = out[k] / (right - left);
      out[k] = carry + (right - u) * share;
      carry = (u - left) * share;
    }
    out[d] = carry;
  }
}

/* Weights and slopes at u, of control points from *out_first on. */
static void curve_weights(const SupRigWire *wire, double u, uint32_t *out_first, double weights[4],
                          double slopes[4]) {
  uint32_t span = u >= span_count(wire) ? span_count(wire) - 1 : (uint32_t)u;
  const uint32_t p = wire->degree, at = span + p;
  double lower[4];
  for (int k = 0; k < 4; k++) weights[k] = slopes[k] = 0;
  basis(wire, span, p, u, weights);
  basis(wire, span, p - 1, u, lower);
  /* N'_i,p = p N_i,p-1 / (t_i+p - t_i) - p N_i+1,p-1 / (t_i+p+1 - t_i+1) */
  for (uint32_t k = 0; k <= p; k++) {
    if (k > 0) slopes[k] += p * lower[k - 1] / (knot(wire, at + k) - knot(wire, at + k - p));
    if (k < p) slopes[k] -= p * lower[k] / (knot(wire, at + k + 1) - knot(wire, at + k + 1 - p));
  }
  *out_first = span;
}

/* The point at u, and how fast it goes away from x there: (point - x) . derivative. */
static SupVec3d curve_point(const SupRigWire *wire, double u, SupVec3d x, double *out_away) {
  uint32_t first;
  double weights[4], slopes[4];
  SupVec3d sum = {0, 0, 0}, derivative = {0, 0, 0};
  curve_weights(wire, u, &first, weights, slopes);
  for (uint32_t k = 0; k <= wire->degree; k++) {
    sum = sup_vec3d_add_scaled(sum, wire->curve[first + k], weights[k]);
    derivative = sup_vec3d_add_scaled(derivative, wire->curve[first + k], slopes[k]);
  }
  *out_away = sup_vec3d_dot(sup_vec3d_sub(sum, x), derivative);
  return sum;
}

/* The parameter of the point nearest to x: the best of evenly spaced ones, then the place beside it
 * where the curve comes no nearer, by halving (distances themselves are too flat there). */
static double nearest(const SupRigWire *wire, SupVec3d x, double *out_distance) {
  const uint32_t samples = SAMPLES_PER_SPAN * span_count(wire);
  const double step = (double)span_count(wire) / samples;
  double best = 0, least = INFINITY, away;
  for (uint32_t k = 0; k <= samples; k++) {
    const double d = sup_vec3d_distance(x, curve_point(wire, step * k, x, &away));
    if (d < least) least = d, best = step * k;
  }
  double low = fmax(0, best - step), high = fmin(span_count(wire), best + step);
  for (int k = 0; k < 52; k++) {
    const double middle = 0.5 * (low + high);
    curve_point(wire, middle, x, &away);
    *(away > 0 ? &high : &low) = middle;
  }
  *out_distance = sup_vec3d_distance(x, curve_point(wire, 0.5 * (low + high), x, &away));
  return 0.5 * (low + high);
}

/* ---- Binding -------------------------------------------------------------------------------- */

static SupResult check(const SupRigLayer *def, SupError *error) {
  char where[32];
  sup_rig_line(where, sizeof where, def->line);
  if (def->curve_count < 2 || def->curve_count > CURVE_MAX) {
    return sup_fail(error, SUP_ERROR_FORMAT, "wire '%s'%s: it must have 2 to %u points", def->name,
                    where, CURVE_MAX);
  }
  for (uint32_t k = 0; k < def->curve_count; k++) {
    const SupVec3d x = def->curve[k];
    if (!isfinite(x.x) || !isfinite(x.y) || !isfinite(x.z)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "wire '%s'%s: its point %u is not finite", def->name,
                      where, k);
    }
    if (k > 0 && !(sup_vec3d_distance(x, def->curve[k - 1]) > 0)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "wire '%s'%s: its points %u and %u are the same",
                      def->name, where, k - 1, k);
    }
  }
  if (!(def->radius >= 0) || !(def->fade > 0) || !isfinite(def->radius + def->fade)) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "wire '%s'%s: its radius must be 0 or more and its fade above 0", def->name,
                    where);
  }
  return SUP_OK;
}

/* Binds x; false where the wire does not reach it. */
static bool bind(const SupRigLayer *def, const SupRigWire *wire, SupVec3d x, SupRigWireBound *out) {
  double distance;
  const double u = nearest(wire, x, &distance);
  const double t = fmin(fmax((def->radius + def->fade - distance) / def->fade, 0), 1);
  out->influence = t * t * (3 - 2 * t);
  if (!(out->influence > 1e-12)) return false;
  curve_weights(wire, u, &out->first, out->weights, out->slopes);
  return true;
}

SupResult sup_rig_wire_create(SupArena *arena, const SupRigLayer *def, uint32_t vertex_count,
                              const SupVec3d *rest, SupRigWire *out_wire, SupError *error) {
  SupResult result = check(def, error);
  if (result != SUP_OK) return result;
  out_wire->curve_count = def->curve_count;
  out_wire->curve = def->curve;
  out_wire->degree = def->curve_count > 3 ? 3 : def->curve_count - 1;
  out_wire->bound = SUP_ALLOC(arena, SupRigWireBound, vertex_count);
  if (!out_wire->bound) return sup_fail_memory(error, "the rig");
  for (uint32_t v = 0; v < vertex_count; v++) {
    SupRigWireBound *bound = &out_wire->bound[out_wire->bound_count];
    if (!bind(def, out_wire, rest[v], bound)) continue;
    bound->vertex = v;
    out_wire->bound_count++;
  }
  return SUP_OK;
}

/* ---- Evaluation ----------------------------------------------------------------------------- */

/* Control points of this evaluation: [curve_count] at rest, then as many moved. */
static void pose_points(const SupRigWire *wire, SupRigEvaluation *evaluation) {
  for (uint32_t k = 0; k < wire->curve_count; k++) {
    const uint32_t at = wire->first_channel + SUP_RIG_WIRE_CHANNELS * k;
    const double *c = &evaluation->channels[at], *rate = &evaluation->rates[at];
    SupDual3 rest = {wire->curve[k], {0, 0, 0}};
    SupDual3 moved = {sup_vec3d_add(rest.v, (SupVec3d){c[0], c[1], c[2]}), {0, 0, 0}};
    if (evaluation->moving) moved.d = (SupVec3d){rate[0], rate[1], rate[2]};
    if (wire->bone >= 0) {
      rest = sup_dual_affine_point(&evaluation->palette[wire->bone], rest);
      moved = sup_dual_affine_point(&evaluation->palette[wire->bone], moved);
    }
    evaluation->posed[k] = rest;
    evaluation->posed[wire->curve_count + k] = moved;
  }
}

static SupDual3 blend3(const SupDual3 *points, const double *weights, uint32_t degree) {
  SupDual3 sum = {{0, 0, 0}, {0, 0, 0}};
  for (uint32_t k = 0; k <= degree; k++) sum = sup_dual3_add_scaled(sum, points[k], weights[k]);
  return sum;
}

/* The twist (3) or the radius factor (4) at a vertex. */
static SupDual blend1(const SupRigWire *wire, const SupRigEvaluation *evaluation,
                      const SupRigWireBound *bound, uint32_t channel) {
  SupDual sum = {0, 0};
  for (uint32_t k = 0; k <= wire->degree; k++) {
    const uint32_t at = wire->first_channel + SUP_RIG_WIRE_CHANNELS * (bound->first + k) + channel;
    sum.v += bound->weights[k] * evaluation->channels[at];
    if (evaluation->moving) sum.d += bound->weights[k] * evaluation->rates[at];
  }
  return sum;
}

/* Q(a, b) e. */
static SupDual3 turn_smallest(SupDual3 a, SupDual3 b, SupDual3 e) {
  const SupDual3 both = sup_dual3_add(a, b);
  SupDual under = sup_dual_add((SupDual){1, 0}, sup_dual3_dot(a, b));
  if (under.v < LEAST_COSINE) under = (SupDual){LEAST_COSINE, 0};
  const SupDual along = sup_dual_div(sup_dual3_dot(both, e), under);
  const SupDual twice = sup_dual_mul((SupDual){2, 0}, sup_dual3_dot(a, e));
  return sup_dual3_add(sup_dual3_sub(e, sup_dual3_scale(both, along)), sup_dual3_scale(b, twice));
}

/* T(b, angle) e. */
static SupDual3 twist(SupDual3 b, SupDual angle, SupDual3 e) {
  SupDual s, c;
  sup_dual_sincos(angle, &s, &c);
  const SupDual rest = {1 - c.v, -c.d};
  const SupDual along = sup_dual_mul(rest, sup_dual3_dot(b, e));
  return sup_dual3_add(
      sup_dual3_add(sup_dual3_scale(e, c), sup_dual3_scale(sup_dual3_cross(b, e), s)),
      sup_dual3_scale(b, along));
}

void sup_rig_wire_apply(const SupRigWire *wire, SupRigEvaluation *evaluation) {
  pose_points(wire, evaluation);
  for (uint32_t i = 0; i < wire->bound_count; i++) {
    const SupRigWireBound *bound = &wire->bound[i];
    const SupDual3 *at_rest = &evaluation->posed[bound->first];
    const SupDual3 *moved = at_rest + wire->curve_count;
    SupDual3 x = {evaluation->x[bound->vertex], {0, 0, 0}};
    if (evaluation->moving) x.d = evaluation->dx[bound->vertex];
    const SupDual3 from = blend3(at_rest, bound->weights, wire->degree);
    const SupDual3 to = blend3(moved, bound->weights, wire->degree);
    const SupDual3 a = sup_dual3_normalise(blend3(at_rest, bound->slopes, wire->degree));
    const SupDual3 b = sup_dual3_normalise(blend3(moved, bound->slopes, wire->degree));
    SupDual3 e = turn_smallest(a, b, sup_dual3_sub(x, from));
    e = twist(b, blend1(wire, evaluation, bound, 3), e);
    e = sup_dual3_scale(e, blend1(wire, evaluation, bound, 4));
    const SupDual3 carried = sup_dual3_sub(sup_dual3_add(to, e), x);
    x = sup_dual3_add_scaled(x, carried, bound->influence);
    evaluation->x[bound->vertex] = x.v;
    if (evaluation->moving) evaluation->dx[bound->vertex] = x.d;
  }
}
