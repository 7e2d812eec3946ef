/* SPDX-License-Identifier: MIT */
/*
 * The anchor of `supple bench surface`: the same skinning, the same forces, one warm-started Newton
 * step for each rotation, arrays of structures, one vertex after the other. Compiled with the same
 * optimisation and instruction set flags as the kernels it is compared with.
 */
#include "naive_surface.h"

static SupVec3 skinned(const NaiveFlesh *v, const SupAffine *palette) {
  float m[12] = {0};
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < 12; i++) m[i] += v->weights[k] * palette[v->bones[k]].m[i];
  }
  const SupVec3 p = v->rest;
  return (SupVec3){m[0] * p.x + m[3] * p.y + m[6] * p.z + m[9],
                   m[1] * p.x + m[4] * p.y + m[7] * p.z + m[10],
                   m[2] * p.x + m[5] * p.y + m[8] * p.z + m[11]};
}

/* The goal's normal, by the blended bones. */
static SupVec3 turned_normal(const NaiveFlesh *v, const SupAffine *palette) {
  SupVec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; k++) {
    const SupVec3 n = sup_affine_direction(palette[v->bones[k]], v->normal);
    sum = sup_vec3_add_scaled(sum, n, v->weights[k]);
  }
  return sup_vec3_normalise(sum);
}

static void place_bones(NaiveBody *body, const SupAffine *palette) {
  for (uint32_t k = 0; k < body->segment_count; k++) {
    const SupSurfaceSegment *s = &body->segments[k];
    const SupVec3 a = sup_affine_point(palette[s->bone], s->a);
    const SupVec3 d = sup_vec3_sub(sup_affine_point(palette[s->bone], s->b), a);
    const float square = sup_vec3_dot(d, d);
    body->placed[k] = (SupSurfacePlaced){a, d, square > 0 ? 1 / square : 0, 0};
  }
}

/* One Newton step towards the rotation that fits a (by columns) best; where the matrix is not
 * definite, a step along the gradient. */
static SupQuat fitted(const float *a, SupQuat q) {
  const SupMat3 r = sup_mat3_from_quat(q);
  float s[9]; /* R^T A */
  for (int c = 0; c < 3; c++) {
    for (int i = 0; i < 3; i++) {
      s[3 * c + i] =
          r.m[3 * i] * a[3 * c] + r.m[3 * i + 1] * a[3 * c + 1] + r.m[3 * i + 2] * a[3 * c + 2];
    }
  }
  const float h00 = s[4] + s[8], h11 = s[0] + s[8], h22 = s[0] + s[4];
  const float h01 = -0.5f * (s[1] + s[3]), h02 = -0.5f * (s[2] + s[6]);
  const float h12 = -0.5f * (s[5] + s[7]);
  const SupVec3 g = {s[5] - s[7], s[6] - s[2], s[1] - s[3]};
  const float c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22;
  const float c02 = h01 * h12 - h02 * h11, c11 = h00 * h22 - h02 * h02;
  const float c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
  const float det = h00 * c00 + h01 * c01 + h02 * c02, trace = 0.5f * (h00 + h11 + h22);
  SupVec3 half;
  if (trace > 0 && h00 > 0 && c22 > 0 && det > trace * trace * trace / 4096) {
    const float scale = 0.5f / det;
    half.x = (c00 * g.x + c01 * g.y + c02 * g.z) * scale;
    half.y = (c01 * g.x + c11 * g.y + c12 * g.z) * scale;
    half.z = (c02 * g.x + c12 * g.y + c22 * g.z) * scale;
  } else {
    half = sup_vec3_scale(g, 0.5f / ((trace < 0 ? -trace : trace) + sup_vec3_length(g) + 1e-20f));
  }
  return sup_quat_normalise(sup_quat_mul(q, (SupQuat){half.x, half.y, half.z, 1}));
}

static SupVec3 spoke_force(const NaiveBody *body, const NaiveFlesh *v, SupVec3 x) {
  SupVec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; k++) {
    const SupSurfacePlaced *bone = &body->placed[v->segments[k]];
    const SupVec3 p = sup_vec3_sub(x, bone->a);
    float t = sup_vec3_dot(p, bone->d) * bone->inverse;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const SupVec3 s = sup_vec3_sub(p, sup_vec3_scale(bone->d, t));
    float length = sup_vec3_length(s);
    if (length < 0.1f * v->lengths[k]) length = 0.1f * v->lengths[k];
    if (length < 1e-9f * body->size) length = 1e-9f * body->size;
    sum = sup_vec3_add_scaled(sum, s, v->weights[k] * (v->lengths[k] / length - 1));
  }
  return sum;
}

static void step_vertex(NaiveBody *body, const SupAffine *palette, uint32_t i) {
  const NaiveFlesh *v = &body->vertices[i];
  const SupVec3 x = body->x[i], dx = body->dx[i], w = body->w[i], goal = body->next_goal[i];
  SupVec3 sum_x = {0, 0, 0}, sum_w = {0, 0, 0};
  float a[9] = {0};
  for (uint32_t k = 0; k < v->neighbour_count; k++) {
    const uint32_t j = body->neighbours[v->first_neighbour + k];
    const SupVec3 e = sup_vec3_sub(body->x[j], x);
    const SupVec3 r = sup_vec3_sub(body->vertices[j].rest, v->rest);
    sum_x = sup_vec3_add(sum_x, e);
    sum_w = sup_vec3_add(sum_w, sup_vec3_sub(body->w[j], w));
    a[0] += e.x * r.x, a[1] += e.y * r.x, a[2] += e.z * r.x;
    a[3] += e.x * r.y, a[4] += e.y * r.y, a[5] += e.z * r.y;
    a[6] += e.x * r.z, a[7] += e.y * r.z, a[8] += e.z * r.z;
  }
  const float fraction = 1.0f / (float)v->neighbour_count;
  const SupQuat q = fitted(a, body->rotation[i]);
  const SupVec3 step = sup_vec3_sub(goal, body->goal[i]);
  const SupVec3 detail =
      sup_vec3_sub(sup_vec3_scale(sum_x, fraction), sup_quat_rotate(q, v->mean_edge));
  SupVec3 next = sup_vec3_add_scaled(dx, sup_vec3_sub(goal, x), v->alpha);
  next = sup_vec3_add_scaled(next, detail, v->beta);
  next = sup_vec3_add_scaled(next, spoke_force(body, v, x), v->gamma);
  next = sup_vec3_add_scaled(next, sum_w, v->lambda * fraction);
  next = sup_vec3_add_scaled(next, w, -v->delta);
  next = sup_vec3_add_scaled(next, sup_vec3_sub(step, body->goal_step[i]), v->eta);
  if (body->split) {
    const SupVec3 n = turned_normal(v, palette);
    const float pull = (v->normal_alpha - v->alpha) * sup_vec3_dot(n, sup_vec3_sub(goal, x));
    next = sup_vec3_add_scaled(next, n, pull - (v->normal_delta - v->delta) * sup_vec3_dot(n, w));
  }
  SupVec3 place = sup_vec3_add(x, next);
  const SupVec3 ahead = sup_vec3_add(goal, step), offset = sup_vec3_sub(place, ahead);
  const float distance = sup_vec3_length(offset);
  if (distance > v->max_distance) {
    place = sup_vec3_add_scaled(ahead, offset, v->max_distance / distance);
    next = sup_vec3_sub(place, x);
  }
  body->rotation[i] = q;
  body->next_x[i] = place;
  body->next_dx[i] = next;
  body->goal_step[i] = step;
}

static void swap(SupVec3 **a, SupVec3 **b) {
  SupVec3 *keep = *a;
  *a = *b;
  *b = keep;
}

void NAIVE_SURFACE(NaiveBody *body, const SupAffine *palette) {
  place_bones(body, palette);
  for (uint32_t i = 0; i < body->vertex_count; i++) {
    body->next_goal[i] = skinned(&body->vertices[i], palette);
    body->w[i] = sup_vec3_sub(body->dx[i], sup_vec3_sub(body->next_goal[i], body->goal[i]));
  }
  for (uint32_t i = 0; i < body->vertex_count; i++) step_vertex(body, palette, i);
  swap(&body->x, &body->next_x);
  swap(&body->dx, &body->next_dx);
  swap(&body->goal, &body->next_goal);
}
