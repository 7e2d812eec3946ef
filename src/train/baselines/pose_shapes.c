/* SPDX-License-Identifier: MIT */
/*
 * Pose-space deformation (J. P. Lewis, M. Cordner, N. Fong 2000).
 *
 *   x' = sum_b w_b M_b (x + sum_i lambda_i(pose) d_i),  lambda_i = sum_j a_ij exp(-r_j^2 / sigma^2)
 *
 * with the factors that make lambda_i(pose k) = delta_ik; r_j is the distance to pose j, of the
 * rotation vectors of all joints that any example turns. The d_i are the examples' own
 * displacements seen from under the bones (sup_rest_offsets). sigma is the paper's artist's; here
 * the one that predicts examples best that are left out.
 */
#include <math.h>
#include <stdlib.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "supple/geom/bounds.h"
#include "supple/train/baselines.h"
#include "train/rest_offsets.h"

#define COOKIE 0x50534450u
#define TURNED 1e-4f       /* radians: a joint turns */
#define LEAST_TO_CHOOSE 6u /* centres */
#define NUGGET 1e-12       /* on the diagonal: the matrix is definite where centres are close */

SupPoseShapesDef sup_pose_shapes_def(const SupCharacter *character) {
  return (SupPoseShapesDef){
      .cookie = COOKIE, .character = character, .least = 1e-5, .root = SUP_NONE};
}

/* ---- Poses ---------------------------------------------------------------------------------- */

static SupVec3 turn_of(SupQuat rest, SupQuat now) {
  return sup_quat_log(sup_quat_normalise(sup_quat_mul(sup_quat_conjugate(rest), now)));
}

/* Is the joint the root, or above it? */
static bool is_above(const SupSkeleton *skeleton, uint32_t root, uint32_t joint) {
  for (int32_t j = root == SUP_NONE ? -1 : (int32_t)root; j >= 0; j = skeleton->parents[j]) {
    if ((uint32_t)j == joint) return true;
  }
  return false;
}

static bool turns(const SupPoseShapesDef *def, uint32_t joint) {
  const SupSkeleton *skeleton = &def->character->skeleton;
  if (is_above(skeleton, def->root, joint)) return false;
  for (uint32_t e = 0; e < def->example_count; e++) {
    const SupQuat now = def->poses[(size_t)e * skeleton->joint_count + joint].rotation;
    if (sup_vec3_length(turn_of(skeleton->rest[joint].rotation, now)) > TURNED) return true;
  }
  return false;
}

static SupResult find_turns(SupArena *arena, const SupPoseShapesDef *def, SupPoseShapes *out,
                            SupError *error) {
  const SupSkeleton *skeleton = &def->character->skeleton;
  uint32_t *joints = SUP_ALLOC(arena, uint32_t, skeleton->joint_count);
  SupQuat *rest = SUP_ALLOC(arena, SupQuat, skeleton->joint_count);
  if (!joints || !rest) return sup_fail_memory(error, "pose-space deformation");
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (!turns(def, j)) continue;
    rest[out->turn_count] = skeleton->rest[j].rotation;
    joints[out->turn_count++] = j;
  }
  out->turns = joints;
  out->rest = rest;
  if (out->turn_count > 0) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "pose-space deformation: no example turns a joint; there is nothing to learn");
}

static void read_turn(const SupPoseShapes *shapes, const SupTransform *joints, uint32_t k,
                      double out[3]) {
  const SupVec3 v = turn_of(shapes->rest[k], joints[shapes->turns[k]].rotation);
  out[0] = (double)v.x;
  out[1] = (double)v.y;
  out[2] = (double)v.z;
}

static double square_gap(const double *a, const double *b, uint32_t count) {
  double sum = 0;
  for (uint32_t k = 0; k < count; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/* ---- Distances ------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The distance of every centre from the nearest other one, sorted. */
static void nearest_gaps(const SupPoseShapes *s, double *out) {
  const uint32_t width = 3 * s->turn_count;
  for (uint32_t i = 0; i < s->centre_count; i++) {
    double least = INFINITY;
    for (uint32_t j = 0; j < s->centre_count; j++) {
      if (j == i) continue;
      const double gap =
          square_gap(s->centres + (size_t)i * width, s->centres + (size_t)j * width, width);
      least = gap < least ? gap : least;
    }
    out[i] = sup_sqrt(least);
  }
  qsort(out, s->centre_count, sizeof *out, by_value);
}

/* ---- Shapes --------------------------------------------------------------------------------- */

static SupResult take_shapes(SupArena *arena, const SupPoseShapesDef *def, SupPoseShapes *s,
                             SupError *error) {
  const SupCharacter *c = def->character;
  const uint32_t n = c->body.vertex_count, joints = c->skeleton.joint_count;
  const size_t most = (size_t)def->example_count * n;
  SupArena scratch = sup_scratch(arena);
  SupAffine *globals = SUP_ALLOC(&scratch, SupAffine, joints);
  SupAffine *palette = SUP_ALLOC(&scratch, SupAffine, c->skeleton.bone_count);
  SupVec3 *all = SUP_ALLOC(&scratch, SupVec3, n);
  uint32_t *first = SUP_ALLOC(arena, uint32_t, (size_t)s->centre_count + 1);
  uint32_t *vertices = SUP_ALLOC(arena, uint32_t, most);
  SupVec3 *offsets = SUP_ALLOC(arena, SupVec3, most);
  const bool enough = globals && palette && all && first && vertices && offsets;
  const float least =
      (float)(def->least * (double)sup_bounds_diagonal(sup_bounds(c->body.positions, n)));
  uint32_t used = 0;
  for (uint32_t e = 0; enough && e < def->example_count; e++) {
    const SupPose pose = {joints, sup_transform_identity(),
                          (SupTransform *)(uintptr_t)(def->poses + (size_t)e * joints)};
    sup_pose_evaluate(&c->skeleton, &pose, globals, palette);
    sup_rest_offsets(c, palette, def->positions + (size_t)e * n, def->jobs, all);
    first[e + 1] = used; /* shape 0 is the rest pose */
    for (uint32_t v = 0; v < n; v++) {
      if (sup_vec3_length(all[v]) <= least) continue;
      vertices[used] = v;
      offsets[used++] = all[v];
    }
  }
  if (enough) first[0] = 0, first[s->centre_count] = used;
  s->first = first;
  s->vertices = vertices;
  s->offsets = offsets;
  sup_arena_free(&scratch);
  return enough ? SUP_OK : sup_fail_memory(error, "pose-space deformation");
}

/* ---- Factors -------------------------------------------------------------------------------- */

/* factors[n * n] for a width; a[n * n] is scratch memory. */
static SupResult solve(const SupPoseShapes *s, double sigma, double *a, double *out_factors,
                       SupError *error) {
  const uint32_t n = s->centre_count, width = 3 * s->turn_count;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      const double square =
          square_gap(s->centres + (size_t)i * width, s->centres + (size_t)j * width, width);
      a[(size_t)j * n + i] = sup_exp(-square / (sigma * sigma)) + (i == j ? NUGGET : 0);
      out_factors[(size_t)j * n + i] = i == j;
    }
  }
  return sup_dense_solve_definite((int)n, (int)n, a, out_factors, error);
}

/* How alike the displacements of the shapes are: out[n * n], d_i . d_j. dense[vertex_count]. */
static void multiply_shapes(const SupPoseShapes *s, SupVec3 *dense, double *out) {
  const uint32_t n = s->centre_count, vertices = s->character->body.vertex_count;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t v = 0; v < vertices; v++) dense[v] = (SupVec3){0, 0, 0};
    for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
      dense[s->vertices[k]] = s->offsets[k];
    }
    for (uint32_t j = 0; j < n; j++) {
      double sum = 0;
      for (uint32_t k = s->first[j]; k < s->first[j + 1]; k++) {
        sum += (double)sup_vec3_dot(s->offsets[k], dense[s->vertices[k]]);
      }
      out[(size_t)i * n + j] = sum;
    }
  }
}

/* What the others miss of each shape, squared: |sum_j f_ij d_j|^2 / f_ii^2 (Rippa 1999). */
static double left_out(uint32_t n, const double *factors, const double *products) {
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    const double *f = factors + (size_t)i * n;
    double square = 0;
    for (uint32_t j = 0; j < n; j++) {
      for (uint32_t k = 0; k < n; k++) square += f[j] * f[k] * products[(size_t)j * n + k];
    }
    sum += square / (f[i] * f[i]);
  }
  return sum;
}

/* The width that misses least of shapes that are left out; with few of them nobody can tell. */
static SupResult choose_width(SupArena *scratch, double gap, double *a, double *factors,
                              SupPoseShapes *s, SupError *error) {
  static const double times[] = {1, 1.5, 2, 3, 4, 6, 8, 12};
  const uint32_t n = s->centre_count;
  s->sigma = 2 * gap;
  if (n < LEAST_TO_CHOOSE) return SUP_OK;
  double *products = SUP_ALLOC(scratch, double, (size_t)n *n), least = INFINITY;
  SupVec3 *dense = SUP_ALLOC(scratch, SupVec3, s->character->body.vertex_count);
  if (!products || !dense) return sup_fail_memory(error, "pose-space deformation");
  multiply_shapes(s, dense, products);
  for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
    /* A matrix that is not definite is of functions that are too wide to tell poses apart. */
    if (solve(s, times[k] * gap, a, factors, NULL) != SUP_OK) break;
    const double missed = left_out(n, factors, products);
    if (!(missed < least)) continue;
    least = missed;
    s->sigma = times[k] * gap;
  }
  return SUP_OK;
}

static SupResult solve_factors(SupArena *arena, double sigma, SupPoseShapes *s, SupError *error) {
  const uint32_t n = s->centre_count;
  SupArena scratch = sup_scratch(arena);
  double *gaps = SUP_ALLOC(&scratch, double, n);
  double *a = SUP_ALLOC(&scratch, double, (size_t)n *n);
  double *factors = SUP_ALLOC(arena, double, (size_t)n *n);
  SupResult result = SUP_OK;
  if (!gaps || !a || !factors) result = sup_fail_memory(error, "pose-space deformation");
  if (result == SUP_OK) nearest_gaps(s, gaps);
  if (result == SUP_OK && gaps[0] < (double)TURNED) {
    result = sup_fail(error, SUP_ERROR_ARGUMENT,
                      "pose-space deformation: two examples have the same pose, or one the rest "
                      "pose; leave one out");
  }
  s->sigma = sigma;
  if (result == SUP_OK && !(sigma > 0)) {
    result = choose_width(&scratch, gaps[n / 2], a, factors, s, error);
  }
  if (result == SUP_OK) result = solve(s, s->sigma, a, factors, error);
  s->factors = factors;
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_pose_shapes_learn(SupArena *arena, const SupPoseShapesDef *def,
                                SupPoseShapes *out_shapes, SupError *error) {
  if (def->cookie != COOKIE || def->example_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "pose-space deformation: start from sup_pose_shapes_def() and give examples");
  }
  const SupSkeleton *skeleton = &def->character->skeleton;
  SupPoseShapes s = {.character = def->character, .centre_count = def->example_count + 1};
  SupResult result = find_turns(arena, def, &s, error);
  if (result != SUP_OK) return result;
  const size_t width = 3 * (size_t)s.turn_count;
  double *centres = SUP_ALLOC(arena, double, s.centre_count *width);
  if (!centres) return sup_fail_memory(error, "pose-space deformation");
  for (size_t k = 0; k < width; k++) centres[k] = 0;
  for (uint32_t e = 0; e < def->example_count; e++) {
    const SupTransform *pose = def->poses + (size_t)e * skeleton->joint_count;
    for (uint32_t k = 0; k < s.turn_count; k++) {
      read_turn(&s, pose, k, centres + (e + 1) * width + 3 * (size_t)k);
    }
  }
  s.centres = centres;
  result = take_shapes(arena, def, &s, error);
  if (result == SUP_OK) result = solve_factors(arena, def->sigma, &s, error);
  if (result == SUP_OK) *out_shapes = s;
  return result;
}

uint64_t sup_pose_shapes_bytes(const SupPoseShapes *s) {
  const uint64_t n = s->centre_count, floats = n * 3 * s->turn_count + n * n;
  const uint64_t moved = s->first[s->centre_count];
  return 4 * floats + 20ull * s->turn_count + moved * (sizeof(uint32_t) + sizeof(SupVec3));
}

/* ---- Playing -------------------------------------------------------------------------------- */

void sup_pose_shapes_weights(const SupPoseShapes *s, const SupTransform *joints,
                             double *io_weights) {
  const uint32_t n = s->centre_count, width = 3 * s->turn_count;
  double *phi = io_weights + n;
  for (uint32_t j = 0; j < n; j++) phi[j] = 0;
  for (uint32_t k = 0; k < s->turn_count; k++) {
    double now[3];
    read_turn(s, joints, k, now);
    for (uint32_t j = 0; j < n; j++) {
      phi[j] += square_gap(now, s->centres + (size_t)j * width + 3 * (size_t)k, 3);
    }
  }
  for (uint32_t j = 0; j < n; j++) phi[j] = sup_exp(-phi[j] / (s->sigma * s->sigma));
  for (uint32_t i = 0; i < n; i++) {
    double sum = 0;
    for (uint32_t j = 0; j < n; j++) sum += s->factors[(size_t)i * n + j] * phi[j];
    io_weights[i] = sum;
  }
}

static SupVec3 skin(const SupSkin *skin, const SupAffine *palette, uint32_t v, SupVec3 at) {
  SupVec3 sum = {0, 0, 0};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    sum = sup_vec3_add_scaled(sum, sup_affine_point(palette[skin->bones[k]], at), skin->weights[k]);
  }
  return sum;
}

void sup_pose_shapes_show(const SupPoseShapes *s, const SupTransform *joints,
                          const SupAffine *palette, double *weights, SupVec3 *out_positions) {
  const SupCharacter *c = s->character;
  const uint32_t n = c->body.vertex_count;
  sup_pose_shapes_weights(s, joints, weights);
  for (uint32_t v = 0; v < n; v++) out_positions[v] = c->body.positions[v];
  for (uint32_t i = 1; i < s->centre_count; i++) {
    const float weight = (float)weights[i];
    for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
      SupVec3 *at = &out_positions[s->vertices[k]];
      *at = sup_vec3_add_scaled(*at, s->offsets[k], weight);
    }
  }
  for (uint32_t v = 0; v < n; v++) out_positions[v] = skin(&c->skin, palette, v, out_positions[v]);
}
