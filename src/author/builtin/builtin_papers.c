/* SPDX-License-Identifier: MIT */
/*
 * The bodies that the papers test with, as plain as they are there: a toy, a tube and a leg (Shi et
 * al. 2008), a flat sheet on an H-shaped skeleton (Mukai and Kuriyama 2016), and half an upper body
 * with shoulder and elbow (Guo 2007; Son and Han).
 */
#include "author/builtin/builtin_clip.h"

#define BALL(x, y, z, rx, ry, rz) .kind = SUP_BLOB_ELLIPSOID, .a = {x, y, z}, .r = {rx, ry, rz}
#define CONE(ax, ay, az, ra, bx, by, bz, rb) \
  .kind = SUP_BLOB_CONE, .a = {ax, ay, az}, .b = {bx, by, bz}, .r = {ra, rb, 0}
#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
#define MATTE(r, g, b) \
  {r, g, b, 1}, 0, 0.6f, { 0, 0, 0 }

/* The clips of a body from its table of motions. */
#define CLIPS(body_name)                                                                        \
  static SupResult body_name##_clips(SupArena *arena, const SupBody *body, uint32_t *out_count, \
                                     const SupClip **out_clips) {                               \
    return sup_motions_bake(arena, body, body_name##_motions, COUNT(body_name##_motions),       \
                            out_count, out_clips);                                              \
  }

#define TABLES(name)                                                                               \
  .blob_count = COUNT(name##_blobs), .blobs = name##_blobs,                                        \
  .material_count = COUNT(name##_materials), .materials = name##_materials,                        \
  .joint_count = COUNT(name##_joints), .joints = name##_joints, .limb_count = COUNT(name##_limbs), \
  .limbs = name##_limbs, .clips = name##_clips

/* A swing that starts and ends gently: `hertz` for `from` .. `to` seconds. */
static double burst(double t, double from, double to, double hertz) {
  double on = sup_ease(t, from, from + 0.4) * (1 - sup_ease(t, to - 0.4, to));
  return on * sup_wave(hertz * (t - from));
}

/* Out and back within from .. to. */
static double pulse(double t, double from, double to) {
  double third = (to - from) / 3;
  return sup_ease(t, from, from + third) * (1 - sup_ease(t, to - third, to));
}

/* ---- toy: a chick on three bones --------------------------------------------------------------
 */

static const SupBlob toy_blobs[] = {
    {BALL(0, 0.240, 0, 0.250, 0.240, 0.240)},
    {BALL(0, 0.480, 0, 0.165, 0.150, 0.155), .blend = 0.12},
    {BALL(0, 0.745, 0.010, 0.190, 0.175, 0.180), .blend = 0.08},
    {BALL(0, 0.720, 0.200, 0.060, 0.038, 0.075), .blend = 0.03},
};

static const SupMaterial toy_materials[] = {
    {"feathers", MATTE(0.90f, 0.62f, 0.09f)},
    {"belly", MATTE(0.94f, 0.83f, 0.50f)},
    {"beak", MATTE(0.83f, 0.22f, 0.03f)},
    {"eye", {0.015f, 0.010f, 0.010f, 1}, 0, 0.15f, {0, 0, 0}},
};

static const SupRegion toy_regions[] = {
    {{BALL(0, 0.230, 0.230, 0.170, 0.160, 0.150)}, 1},
    {{BALL(0, 0.720, 0.230, 0.068, 0.046, 0.075)}, 2},
    {{BALL(0.085, 0.790, 0.160, 0.026, 0.034, 0.060), .mirrored = true}, 3},
};

static const SupDetail toy_details[] = {{{0.05, 0.760, 0.190}, 0.10, 0.55}};

static const SupJoint toy_joints[] = {
    {"base", -1, {0, 0.060, 0}}, {"body", 0, {0, 0.380, 0}}, {"head", 1, {0, 0.600, 0}}};

static const SupLimb toy_limbs[] = {{.bone_count = 3,
                                     .bones = {0, 1, 2},
                                     .soft = {0, 0.13, 0.10},
                                     .across = {{0}, {0, 1, 0}, {0, 1, 0}},
                                     .reach = 0.1}};

static void toy_sway(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  for (uint32_t j = 0; j < 3; j++) {
    sup_body_pose_turn(pose, j, 0.05 * sup_wave(t / 1.5 - 0.08 * j), 0,
                       0.16 * sup_wave(t / 3 - 0.06 * j));
  }
}

static void toy_nod(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double nod = pulse(t, 0.2, 0.9) + pulse(t, 0.9, 1.5), shake = burst(t, 1.4, 2.8, 2);
  sup_body_pose_turn(pose, 1, 0.18 * nod, 0.10 * shake, 0);
  sup_body_pose_turn(pose, 2, 0.40 * nod, 0.35 * shake, 0);
}

static void toy_hop(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double high =
      SUP_CURVE(t, {0.3, 0, 0}, {0.5, 0, 0}, {0.55, 0.010, 1.2}, {0.80, 0.010, -1.2}, {0.85, 0, 0},
                {1.1, 0, 0}, {1.15, 0.015, 1.6}, {1.48, 0.015, -1.6}, {1.53, 0, 0});
  double bow =
      SUP_CURVE(t, {0.1, 0, 0}, {0.45, 0.30, 0}, {0.60, -0.15, 0}, {0.87, 0.25, 0}, {1.05, 0.30, 0},
                {1.20, -0.20, 0}, {1.56, 0.30, 0}, {1.9, -0.05, 0}, {2.2, 0, 0});
  pose->shift.y = high;
  sup_body_pose_turn(pose, 1, 0.6 * bow, 0, 0);
  sup_body_pose_turn(pose, 2, 0.6 * bow, 0, 0);
}

static void toy_twist(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  sup_body_pose_turn(pose, 0, 0, -0.30 * sup_wave(t), 0);
  sup_body_pose_turn(pose, 1, 0, 0.60 * sup_wave(t), 0);
  sup_body_pose_turn(pose, 2, 0, 0.50 * sup_wave(t - 0.07), 0.05 * sup_wave(2 * t));
}

static const SupMotion toy_motions[] = {{"sway", 3, true, toy_sway},
                                        {"nod", 3, true, toy_nod},
                                        {"hop", 2.5, true, toy_hop},
                                        {"twist", 2, true, toy_twist}};
CLIPS(toy)

const SupBody sup_body_toy = {
    .name = "toy",
    .summary = "a chick that bows on a chain: 3 joints, 4 clips (Shi's toy)",
    .vertices = 494,
    .symmetric = true,
    .seed_cell = 0.016,
    .region_count = COUNT(toy_regions),
    .regions = toy_regions,
    .detail_count = COUNT(toy_details),
    .details = toy_details,
    TABLES(toy),
};

/* ---- tube: a bar on two bones ------------------------------------------------------------------
 */

static const SupBlob tube_blobs[] = {{CONE(0, 0.12, 0, 0.12, 0, 0.88, 0, 0.12)}};

static const SupMaterial tube_materials[] = {{"rubber", MATTE(0.80f, 0.26f, 0.10f)},
                                             {"band", MATTE(0.92f, 0.74f, 0.52f)}};

static const SupRegion tube_regions[] = {
    {{.kind = SUP_BLOB_BOX, .a = {0, 0.5, 0}, .r = {0.3, 0.10, 0.3}, .round = 0.02}, 1}};

static const SupJoint tube_joints[] = {{"lower", -1, {0, 0.05, 0}}, {"upper", 0, {0, 0.5, 0}}};

static const SupLimb tube_limbs[] = {
    {.bone_count = 2, .bones = {0, 1}, .soft = {0, 0.20}, .reach = 0.1}};

static void tube_translation(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  pose->shift = (SupVec3d){0.12 * burst(t, 0, 1.6, 1.5), 0.10 * burst(t, 1.2, 2.8, 1.8),
                           0.12 * burst(t, 2.4, 4.0, 1.5)};
}

static void tube_axial(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  sup_body_pose_turn(pose, 0, 0, 1.1 * burst(t, 0.1, 2.6, 1.0), 0);
  sup_body_pose_turn(pose, 1, 0, 0.8 * pulse(t, 1.9, 2.9), 0);
}

static void tube_lateral(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  sup_body_pose_turn(pose, 0, 0, 0, 0.40 * burst(t, 0.1, 1.8, 1.2));
  sup_body_pose_turn(pose, 0, 0.40 * burst(t, 1.4, 3.2, 1.2), 0, 0);
}

static void tube_bend(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  sup_body_pose_turn(pose, 1, 0.9 * pulse(t, 1.5, 2.9), 0, -1.2 * pulse(t, 0.1, 1.5));
}

static void tube_sway(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  pose->shift.x = 0.06 * sup_wave(t);
  sup_body_pose_turn(pose, 0, 0.10 * sup_wave(t / 2), 0, 0.12 * sup_wave(t + 0.1));
  sup_body_pose_turn(pose, 1, 0.20 * sup_wave(t / 2 - 0.1), 0.25 * sup_wave(t / 2),
                     0.35 * sup_wave(t - 0.1));
}

static const SupMotion tube_motions[] = {{"translation", 4, true, tube_translation},
                                         {"axial", 3, true, tube_axial},
                                         {"lateral", 3.5, true, tube_lateral},
                                         {"bend", 3, true, tube_bend},
                                         {"sway", 2, true, tube_sway}};
CLIPS(tube)

const SupBody sup_body_tube = {
    .name = "tube",
    .summary = "a bar with a joint in the middle: 2 joints, 5 clips (Shi's tube and bar)",
    .vertices = 4430,
    .symmetric = true,
    .seed_cell = 0.016,
    .region_count = COUNT(tube_regions),
    .regions = tube_regions,
    TABLES(tube),
};

/* ---- leg: thigh, shank, foot -------------------------------------------------------------------
 */

static const SupBlob leg_blobs[] = {
    {CONE(0, 0.930, 0, 0.105, 0, 0.540, 0.010, 0.068)},
    {BALL(0, 0.770, 0.025, 0.102, 0.190, 0.100), .blend = 0.05},
    {CONE(0, 0.540, 0.010, 0.066, 0, 0.110, -0.020, 0.042), .blend = 0.03},
    {BALL(0, 0.380, -0.030, 0.064, 0.130, 0.066), .blend = 0.04},
    {CONE(0, 0.062, -0.035, 0.050, 0, 0.042, 0.150, 0.036), .blend = 0.03},
    {BALL(0, 0.0415, 0.130, 0.052, 0.034, 0.075), .blend = 0.03},
};

static const SupMaterial leg_materials[] = {{"skin", MATTE(0.76f, 0.45f, 0.31f)}};

static const SupDetail leg_details[] = {{{0, 0.05, 0.06}, 0.16, 0.65}};

static const SupJoint leg_joints[] = {
    {"thigh", -1, {0, 0.960, 0}}, {"shank", 0, {0, 0.535, 0.005}}, {"foot", 1, {0, 0.085, -0.020}}};

static const SupLimb leg_limbs[] = {{.bone_count = 3,
                                     .bones = {0, 1, 2},
                                     .soft = {0, 0.075, 0.05},
                                     .across = {{0}, {0}, {0, -0.8, 0.6}},
                                     .reach = 0.1}};

static void leg_bend(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double bend = pulse(t, 0.1, 1.6) + 0.6 * pulse(t, 1.4, 2.9);
  sup_body_pose_turn(pose, 0, -0.80 * bend, 0, 0);
  sup_body_pose_turn(pose, 1, 1.50 * bend, 0, 0);
  sup_body_pose_turn(pose, 2, -0.30 * bend, 0, 0);
}

static void leg_kick(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double thigh = SUP_CURVE(t, {0.1, 0, 0}, {0.55, 0.45, 0}, {0.80, -0.95, 0}, {1.00, -0.85, 0},
                           {1.6, 0.06, 0}, {2.0, 0, 0});
  double knee = SUP_CURVE(t, {0.1, 0, 0}, {0.60, 1.20, 0}, {0.84, 0.06, 0}, {1.05, 0.10, 0},
                          {1.35, 0.45, 0}, {1.8, 0, 0});
  sup_body_pose_turn(pose, 0, thigh, 0, 0);
  sup_body_pose_turn(pose, 1, knee, 0, 0);
  sup_body_pose_turn(pose, 2, 0.35 * knee - 0.15 * thigh, 0, 0);
}

static void leg_shake(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double side = burst(t, 0.1, 1.6, 3), round = burst(t, 1.4, 2.9, 2.5);
  pose->shift.x = 0.02 * side;
  sup_body_pose_turn(pose, 0, 0.10 * round, 0.30 * round, 0.10 * side);
  sup_body_pose_turn(pose, 1, 0.12 * pulse(t, 0.1, 2.9), 0, 0.08 * side);
  sup_body_pose_turn(pose, 2, 0.25 * side, 0.20 * round, 0);
}

static void leg_walk(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  sup_body_pose_turn(pose, 0, -0.42 * sup_wave(t), 0, 0);
  sup_body_pose_turn(pose, 1, 0.42 + 0.40 * sup_wave(t + 0.20), 0, 0);
  sup_body_pose_turn(pose, 2, -0.20 * sup_wave(t + 0.1), 0, 0);
  pose->shift.y = 0.035 + 0.012 * sup_wave(2 * t);
}

static const SupMotion leg_motions[] = {{"bend", 3, true, leg_bend},
                                        {"kick", 2.4, true, leg_kick},
                                        {"shake", 3, true, leg_shake},
                                        {"walk", 2, true, leg_walk}};
CLIPS(leg)

const SupBody sup_body_leg = {
    .name = "leg",
    .summary = "thigh, shank and foot: 3 joints, 4 clips (Shi's leg, Hahn's flesh)",
    .vertices = 5000,
    .symmetric = true,
    .seed_cell = 0.014,
    .detail_count = COUNT(leg_details),
    .details = leg_details,
    TABLES(leg),
};

/* ---- arm: half an upper body -------------------------------------------------------------------
 */

enum { ARM_TORSO_LIMB, ARM_ARM_LIMB };

static const SupBlob arm_blobs[] = {
    {BALL(0, 0.210, 0, 0.165, 0.210, 0.125)},
    {BALL(0.015, 0.410, 0.010, 0.180, 0.165, 0.130), .blend = 0.10},
    {CONE(0.005, 0.540, -0.005, 0.075, 0, 0.660, 0.005, 0.062), .blend = 0.06},
    {BALL(0.205, 0.505, -0.005, 0.092, 0.088, 0.088), .blend = 0.06, .limb = ARM_ARM_LIMB},
    {CONE(0.205, 0.505, -0.005, 0.074, 0.440, 0.500, -0.010, 0.060), .blend = 0.04,
     .limb = ARM_ARM_LIMB},
    {BALL(0.325, 0.518, -0.002, 0.100, 0.066, 0.066), .blend = 0.04, .limb = ARM_ARM_LIMB},
    {CONE(0.440, 0.500, -0.010, 0.060, 0.660, 0.500, 0.010, 0.042), .blend = 0.03,
     .limb = ARM_ARM_LIMB},
    {BALL(0.515, 0.502, -0.005, 0.085, 0.062, 0.060), .blend = 0.03, .limb = ARM_ARM_LIMB},
    {BALL(0.730, 0.500, 0.015, 0.085, 0.040, 0.058), .blend = 0.03, .limb = ARM_ARM_LIMB},
    {CONE(0.690, 0.500, 0.050, 0.026, 0.745, 0.505, 0.085, 0.020), .blend = 0.02,
     .limb = ARM_ARM_LIMB},
};

static const SupMaterial arm_materials[] = {{"skin", MATTE(0.74f, 0.42f, 0.29f)},
                                            {"shirt", MATTE(0.12f, 0.28f, 0.42f)}};

static const SupRegion arm_regions[] = {
    {{.kind = SUP_BLOB_BOX, .a = {0, 0.10, 0}, .r = {0.40, 0.22, 0.40}, .round = 0.05}, 1}};

static const SupDetail arm_details[] = {{{0.66, 0.50, 0.01}, 0.18, 0.65},
                                        {{0.42, 0.50, 0}, 0.18, 0.75}};

static const SupJoint arm_joints[] = {{"torso", -1, {0, 0.100, 0}},
                                      {"chest", 0, {0, 0.340, -0.010}},
                                      {"shoulder", 1, {0.080, 0.515, -0.010}},
                                      {"upper_arm", 2, {0.205, 0.505, -0.005}},
                                      {"forearm", 3, {0.440, 0.500, -0.012}},
                                      {"hand", 4, {0.655, 0.500, 0.010}}};

static const SupLimb arm_limbs[] = {
    [ARM_TORSO_LIMB] = {.bone_count = 2,
                        .bones = {0, 1},
                        .soft = {0, 0.14},
                        .across = {{0}, {0, 1, 0}},
                        .reach = 0.09},
    [ARM_ARM_LIMB] = {.bone_count = 4,
                      .bones = {2, 3, 4, 5},
                      .soft = {0, 0.08, 0.06, 0.04},
                      .across = {{0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}},
                      .reach = 0.09}};

static void arm_bend(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double bend = pulse(t, 0.1, 1.6) + 0.7 * pulse(t, 1.5, 2.9);
  sup_body_pose_turn(pose, 3, 0, -0.15 * bend, -0.35 * bend);
  sup_body_pose_turn(pose, 4, 0, -0.60 * bend, 1.60 * bend);
  sup_body_pose_turn(pose, 5, 0, 0, 0.25 * bend);
}

static void arm_raise(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double up =
      SUP_CURVE(t, {0.1, 0, 0}, {0.8, 1, 0}, {1.1, 1, 0}, {1.8, -1, 0}, {2.1, -1, 0}, {2.8, 0, 0});
  sup_body_pose_turn(pose, 1, 0, 0, 0.08 * up);
  sup_body_pose_turn(pose, 2, 0, 0, 0.25 * up);
  sup_body_pose_turn(pose, 3, 0, 0, 0.75 * up);
}

static void arm_swing(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  sup_body_pose_turn(pose, 1, 0, 0.12 * sup_wave(t / 2), 0);
  sup_body_pose_turn(pose, 2, 0, 0.12 * sup_wave(t / 2), 0.10 * sup_wave(t / 2 + 0.25));
  sup_body_pose_turn(pose, 3, 0, 0.55 * sup_wave(t / 2 - 0.05), 0.50 * sup_wave(t / 2 + 0.20));
  sup_body_pose_turn(pose, 4, 0, -0.35 + 0.30 * sup_wave(t / 2 - 0.15), 0);
}

static void arm_shake(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double down = pulse(t, 0, 3), side = burst(t, 0.4, 2.8, 3);
  sup_body_pose_turn(pose, 3, 0.20 * side, 0, -0.30 * down + 0.14 * side);
  sup_body_pose_turn(pose, 4, 0, -0.30 * down, 0.30 * side);
  sup_body_pose_turn(pose, 5, 0, 0, 0.35 * side);
}

static void arm_punch(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double wind =
      SUP_CURVE(t, {0.1, 0, 0}, {0.55, 1, 0}, {0.72, -0.3, 0}, {1.0, -0.2, 0}, {1.7, 0, 0});
  double fold =
      SUP_CURVE(t, {0.1, 0, 0}, {0.55, 1, 0}, {0.74, 0.02, 0}, {1.0, 0.1, 0}, {1.7, 0, 0});
  sup_body_pose_turn(pose, 1, 0, 0.25 * wind, 0);
  sup_body_pose_turn(pose, 2, 0, 0.20 * wind, 0);
  sup_body_pose_turn(pose, 3, 0, 0.55 * wind - 0.75 * (fold - wind), -0.30 * fold);
  sup_body_pose_turn(pose, 4, 0, -1.70 * fold, 0);
}

static const SupMotion arm_motions[] = {{"bend", 3, true, arm_bend},
                                        {"raise", 3, true, arm_raise},
                                        {"swing", 2, true, arm_swing},
                                        {"shake", 3, true, arm_shake},
                                        {"punch", 2, true, arm_punch}};
CLIPS(arm)

const SupBody sup_body_arm = {
    .name = "arm",
    .summary = "half an upper body with shoulder and elbow: 6 joints, 5 clips (Guo, Son and Han)",
    .vertices = 6000,
    .symmetric = false,
    .seed_cell = 0.014,
    .region_count = COUNT(arm_regions),
    .regions = arm_regions,
    .detail_count = COUNT(arm_details),
    .details = arm_details,
    TABLES(arm),
};

/* ---- sheet: flat, on an H -----------------------------------------------------------------------
 */

static const SupBlob sheet_blobs[] = {
    {.kind = SUP_BLOB_BOX, .a = {0, 0.3, 0}, .r = {0.5, 0.3, 0.05}, .round = 0.048}};

static const SupMaterial sheet_materials[] = {{"sheet", MATTE(0.20f, 0.45f, 0.62f)},
                                              {"posts", MATTE(0.80f, 0.86f, 0.90f)}};

static const SupRegion sheet_regions[] = {
    {{.kind = SUP_BLOB_BOX, .a = {-0.38, 0.3, 0}, .r = {0.035, 0.24, 0.2}, .round = 0.03}, 1},
    {{.kind = SUP_BLOB_BOX, .a = {0.38, 0.3, 0}, .r = {0.035, 0.24, 0.2}, .round = 0.03}, 1},
    {{.kind = SUP_BLOB_BOX, .a = {0, 0.3, 0}, .r = {0.31, 0.03, 0.2}, .round = 0.025}, 1},
};

static const SupJoint sheet_joints[] = {{"post_left", -1, {-0.38, 0.3, 0}},
                                        {"bar_left", 0, {-0.30, 0.3, 0}},
                                        {"bar_right", 1, {0, 0.3, 0}},
                                        {"post_right", 2, {0.30, 0.3, 0}}};

static const SupLimb sheet_limbs[] = {{.bone_count = 4,
                                       .bones = {0, 1, 2, 3},
                                       .soft = {0, 0.11, 0.14, 0.11},
                                       .across = {{0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}},
                                       .reach = 0.1}};

static void sheet_fold(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double fold = pulse(t, 0.1, 1.6) - 0.8 * pulse(t, 1.5, 2.9);
  sup_body_pose_turn(pose, 0, 0, 0.5 * fold, 0);
  sup_body_pose_turn(pose, 2, 0, -1.1 * fold, 0);
}

static void sheet_flap(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double flap = sup_wave(t), late = sup_wave(t - 0.12);
  pose->shift.z = 0.05 * sup_wave(t - 0.3);
  sup_body_pose_turn(pose, 0, 0, 0.45 * late, 0);
  sup_body_pose_turn(pose, 1, 0, -0.45 * late + 0.25 * flap, 0);
  sup_body_pose_turn(pose, 2, 0, -0.50 * flap, 0);
  sup_body_pose_turn(pose, 3, 0, 0.25 * flap - 0.45 * late, 0);
}

static void sheet_twist(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  double twist = burst(t, 0.1, 2.9, 1);
  sup_body_pose_turn(pose, 0, 0.35 * twist, 0, 0);
  sup_body_pose_turn(pose, 2, -0.35 * twist, 0, 0);
  sup_body_pose_turn(pose, 3, -0.35 * twist, 0, 0);
}

static void sheet_shove(const SupBody *body, double t, SupBodyPose *pose) {
  (void)body;
  pose->shift = (SupVec3d){0.10 * burst(t, 0, 1.4, 1.6), 0.08 * pulse(t, 1.0, 2.0),
                           0.14 * burst(t, 1.6, 3.0, 1.6)};
  sup_body_pose_turn(pose, 2, 0, 0.30 * burst(t, 0.8, 2.4, 1.2), 0);
}

static const SupMotion sheet_motions[] = {{"fold", 3, true, sheet_fold},
                                          {"flap", 2, true, sheet_flap},
                                          {"twist", 3, true, sheet_twist},
                                          {"shove", 3, true, sheet_shove}};
CLIPS(sheet)

const SupBody sup_body_sheet = {
    .name = "sheet",
    .summary = "a flat slab on an H-shaped skeleton: 4 joints, 4 clips (Mukai's flat body)",
    .vertices = 4000,
    .symmetric = false,
    .seed_cell = 0.014,
    .region_count = COUNT(sheet_regions),
    .regions = sheet_regions,
    TABLES(sheet),
};
