/* SPDX-License-Identifier: MIT */
/*
 * Frames of slices, in place of the one frame per bone of Guo 2007, 4.4.2.
 *
 * Linear displacements in one frame inflate a limb that is twisted by 90 degrees by 17 %, and its
 * wedges invert between 40 and 45 degrees of tilt; sheared and turned slices keep 0.9986 of the
 * volume at 90 degrees and 60 degrees of tilt together (tests/chunks/test_limb_drive.c).
 */
#include "runtime/chunks/limb_frame.h"

SupLimbPose sup_limb_straight(SupAffined frame) { return (SupLimbPose){.frame = frame}; }

/* ---- Joints --------------------------------------------------------------------------------- */

static SupVec3d bone_of(SupAffined frame) {
  return sup_vec3d_normalise(sup_mat3d_column(sup_affined_linear(frame), 2));
}

/* What is left of a frame that also stretches: z as it is, x as near as it can be. */
static SupMat3d turn_of(SupAffined frame) {
  const SupVec3d z = bone_of(frame), x = sup_mat3d_column(sup_affined_linear(frame), 0);
  const SupVec3d flat = sup_vec3d_add_scaled(x, z, -sup_vec3d_dot(x, z));
  const SupVec3d unit = sup_vec3d_normalise(flat);
  return sup_mat3d_from_columns(unit, sup_vec3d_cross(z, unit), z);
}

/* The turn about z that b has in a, after the shortest turn that takes z to z. */
static double twist_between(SupAffined a, SupAffined b) {
  const SupMat3d back = sup_mat3d_transpose(turn_of(a));
  const SupQuatd q = sup_quatd_from_mat3(sup_mat3d_mul(back, turn_of(b)));
  return 2 * sup_atan2(q.z, q.w);
}

/* To (-pi, pi]. */
static double wrap(double angle) {
  double s, c;
  sup_sincos(angle, &s, &c);
  return sup_atan2(s, c);
}

/* How a plane through the joint rises in the space of a limb. */
static void slope_of(SupAffined frame, SupVec3d normal, double out[2]) {
  const SupMat3d back = sup_mat3d_transpose(sup_affined_linear(frame));
  const SupVec3d n = sup_mat3d_mul_vec3(back, normal);
  const double flat = sup_sqrt(n.x * n.x + n.y * n.y);
  double steep = SUP_LIMB_STEEPEST;
  out[0] = out[1] = 0;
  if (!(flat > 0)) return;
  if (n.z * steep > flat) steep = flat / n.z;
  out[0] = -steep * n.x / flat;
  out[1] = -steep * n.y / flat;
}

static void turn_slope(double angle, const double slope[2], double out[2]) {
  double s, c;
  sup_sincos(angle, &s, &c);
  out[0] = c * slope[0] - s * slope[1];
  out[1] = s * slope[0] + c * slope[1];
}

/* The plane at rest becomes the plane of now: what was on the one by the turn is on the other. */
static void set_end(SupLimbPose *pose, uint32_t end, SupAffined rest, SupVec3d rest_normal,
                    SupVec3d normal, double turn) {
  double before[2], turned[2], now[2];
  slope_of(rest, rest_normal, before);
  slope_of(pose->frame, normal, now);
  turn_slope(turn, before, turned);
  pose->turns[end] = turn;
  pose->slopes[end][0] = now[0] - turned[0];
  pose->slopes[end][1] = now[1] - turned[1];
}

void sup_limb_join(const SupAffined rest[2], SupLimbPose *io_first, SupLimbPose *io_second) {
  const double twist =
      wrap(twist_between(io_first->frame, io_second->frame) - twist_between(rest[0], rest[1]));
  const SupVec3d before = sup_vec3d_add(bone_of(rest[0]), bone_of(rest[1]));
  const SupVec3d now = sup_vec3d_add(bone_of(io_first->frame), bone_of(io_second->frame));
  set_end(io_first, 1, rest[0], before, now, twist / 2);
  set_end(io_second, 0, rest[1], before, now, -twist / 2);
}

void sup_limb_ease(SupLimbPose *io_pose) {
  for (uint32_t end = 0; end < 2; end++) {
    double *g = io_pose->slopes[end];
    const double square = g[0] * g[0] + g[1] * g[1], part = square / (1 + square);
    g[0] *= part;
    g[1] *= part;
  }
}

/* ---- Slices --------------------------------------------------------------------------------- */

SupMat3d sup_limb_shear(const SupLimbPose *pose, double u) {
  const double turn = pose->turns[0] * (1 - u) + pose->turns[1] * u;
  double s, c, g[2];
  for (uint32_t k = 0; k < 2; k++) {
    g[k] = pose->slopes[0][k] * (1 - u) + pose->slopes[1][k] * u;
  }
  sup_sincos(turn, &s, &c);
  return (SupMat3d){{c, s, g[0] * c + g[1] * s, -s, c, g[1] * c - g[0] * s, 0, 0, 1}};
}

static SupVec3d centre_of(double length, double u) { return (SupVec3d){0, 0, u * length}; }

SupVec3d sup_limb_place(const SupLimbPose *pose, double length, double u, SupVec3d node,
                        SupVec3d displacement) {
  const SupVec3d o = centre_of(length, u);
  const SupVec3d arm = sup_vec3d_add(sup_vec3d_sub(node, o), displacement);
  const SupVec3d moved = sup_mat3d_mul_vec3(sup_limb_shear(pose, u), arm);
  return sup_affined_point(pose->frame, sup_vec3d_add(o, moved));
}

SupVec3d sup_limb_displacement(const SupLimbPose *pose, double length, double u, SupVec3d node,
                               SupVec3d place) {
  const SupVec3d o = centre_of(length, u);
  const SupVec3d arm = sup_vec3d_sub(sup_affined_point(sup_affined_inverse(pose->frame), place), o);
  const SupMat3d back = sup_mat3d_inverse(sup_limb_shear(pose, u));
  return sup_vec3d_sub(sup_mat3d_mul_vec3(back, arm), sup_vec3d_sub(node, o));
}

SupAffined sup_limb_slice_frame(const SupLimbPose *pose, double length, double u) {
  const SupVec3d o = centre_of(length, u);
  const SupMat3d shear = sup_limb_shear(pose, u);
  const SupVec3d shift = sup_vec3d_sub(o, sup_mat3d_mul_vec3(shear, o));
  return sup_affined_mul(pose->frame, sup_affined_from_parts(shear, shift));
}

SupAffined sup_limb_slice_map(const SupLimbPose *pose, SupAffined rest, double length, double u) {
  return sup_affined_mul(sup_limb_slice_frame(pose, length, u), sup_affined_inverse(rest));
}

SupAffined sup_limb_shared_map(const SupAffined rest[2], const SupLimbPose *first,
                               double first_length, const SupLimbPose *second) {
  const SupAffined a = sup_limb_slice_map(first, rest[0], first_length, 1);
  const SupAffined b = sup_limb_slice_map(second, rest[1], 0, 0);
  SupAffined mean;
  for (uint32_t k = 0; k < 12; k++) mean.m[k] = (a.m[k] + b.m[k]) / 2;
  return mean;
}

void sup_limb_slice_numbers(const SupLimbPose *pose, SupAffined rest, double length, double u,
                            SupAffined map, double out_numbers[12]) {
  const SupAffined own = sup_limb_slice_frame(pose, length, u);
  const SupAffined move = sup_affined_mul(sup_affined_inverse(own), sup_affined_mul(map, rest));
  for (uint32_t k = 0; k < 3; k++) out_numbers[k] = move.m[9 + k];
  for (uint32_t k = 0; k < 9; k++) out_numbers[3 + k] = move.m[k] - (k % 4 == 0 ? 1 : 0);
}
