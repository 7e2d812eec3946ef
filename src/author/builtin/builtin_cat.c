/* SPDX-License-Identifier: MIT */
/*
 * cat: a fat cat on four short legs, with a belly that hangs, cheeks and a long tail.
 *
 * The spine runs just under the back, so that the belly hangs far from any bone. Its clips are in
 * builtin_cat_clips.c.
 */
#include "author/builtin/builtin_cat.h"
#include "author/builtin/builtin_body.h"

enum { TRUNK, HEAD, EAR, FORELEG, HIND_LEG, TAIL };

#define BALL(x, y, z, rx, ry, rz) .kind = SUP_BLOB_ELLIPSOID, .a = {x, y, z}, .r = {rx, ry, rz}
#define CONE(ax, ay, az, ra, bx, by, bz, rb) \
  .kind = SUP_BLOB_CONE, .a = {ax, ay, az}, .b = {bx, by, bz}, .r = {ra, rb, 0}

static const SupBlob blobs[] = {
    /* belly, rump, chest */
    {BALL(0, 0.278, -0.035, 0.285, 0.214, 0.295), .limb = TRUNK},
    {BALL(0, 0.325, -0.205, 0.225, 0.190, 0.185), .blend = 0.12, .limb = TRUNK},
    {BALL(0, 0.335, 0.165, 0.200, 0.180, 0.165), .blend = 0.12, .limb = TRUNK},
    /* neck, head, cheeks, chin, the two halves of the muzzle */
    {CONE(0, 0.400, 0.200, 0.140, 0, 0.500, 0.280, 0.140), .blend = 0.10, .limb = HEAD},
    {BALL(0, 0.570, 0.330, 0.222, 0.168, 0.178), .blend = 0.06, .limb = HEAD},
    {BALL(0.138, 0.512, 0.365, 0.110, 0.078, 0.102), .blend = 0.08, .mirrored = true, .limb = HEAD},
    {BALL(0, 0.478, 0.470, 0.045, 0.030, 0.035), .blend = 0.04, .limb = HEAD},
    {BALL(0.035, 0.507, 0.492, 0.048, 0.037, 0.042), .blend = 0.025, .mirrored = true,
     .limb = HEAD},
    /* ears: two edges and a thin leaf behind them */
    {CONE(0.062, 0.690, 0.325, 0.034, 0.176, 0.802, 0.312, 0.013), .blend = 0.03, .mirrored = true,
     .limb = EAR},
    {CONE(0.194, 0.630, 0.318, 0.034, 0.176, 0.802, 0.312, 0.013), .blend = 0.03, .mirrored = true,
     .limb = EAR},
    {.kind = SUP_BLOB_ELLIPSOID,
     .a = {0.147, 0.712, 0.302},
     .r = {0.064, 0.086, 0.024},
     .up = {0.28, 1, 0},
     .front = {0.25, 0, 1},
     .blend = 0.02,
     .mirrored = true,
     .limb = EAR},
    /* forelegs and paws */
    {BALL(0.132, 0.325, 0.180, 0.085, 0.120, 0.095), .blend = 0.06, .mirrored = true,
     .limb = FORELEG},
    {CONE(0.118, 0.280, 0.190, 0.086, 0.124, 0.180, 0.175, 0.070), .blend = 0.05, .mirrored = true,
     .limb = FORELEG},
    {CONE(0.124, 0.180, 0.175, 0.070, 0.126, 0.075, 0.195, 0.056), .blend = 0.03, .mirrored = true,
     .limb = FORELEG},
    {BALL(0.128, 0.052, 0.222, 0.064, 0.047, 0.082), .blend = 0.03, .mirrored = true,
     .limb = FORELEG},
    /* haunches, hind legs and paws */
    {BALL(0.156, 0.240, -0.205, 0.105, 0.140, 0.130), .blend = 0.045, .mirrored = true,
     .limb = HIND_LEG},
    {CONE(0.142, 0.175, -0.150, 0.080, 0.134, 0.095, -0.220, 0.056), .blend = 0.04,
     .mirrored = true, .limb = HIND_LEG},
    {CONE(0.134, 0.086, -0.222, 0.054, 0.132, 0.058, -0.150, 0.050), .blend = 0.03,
     .mirrored = true, .limb = HIND_LEG},
    {BALL(0.134, 0.051, -0.135, 0.064, 0.045, 0.084), .blend = 0.03, .mirrored = true,
     .limb = HIND_LEG},
    /* tail */
    {CONE(0, 0.410, -0.330, 0.056, 0, 0.418, -0.445, 0.047), .blend = 0.07, .limb = TAIL},
    {CONE(0, 0.418, -0.445, 0.047, 0, 0.475, -0.530, 0.045), .blend = 0.022, .limb = TAIL},
    {CONE(0, 0.475, -0.530, 0.045, 0, 0.570, -0.562, 0.044), .blend = 0.022, .limb = TAIL},
    {CONE(0, 0.570, -0.562, 0.044, 0, 0.665, -0.545, 0.044), .blend = 0.022, .limb = TAIL},
    {CONE(0, 0.665, -0.545, 0.044, 0, 0.750, -0.555, 0.044), .blend = 0.022, .limb = TAIL},
    {CONE(0, 0.750, -0.555, 0.044, 0, 0.810, -0.610, 0.038), .blend = 0.022, .limb = TAIL},
    /* eyes and nose stand out a little */
    {BALL(0.090, 0.582, 0.482, 0.051, 0.057, 0.026), .blend = 0.014, .mirrored = true,
     .limb = HEAD},
    {BALL(0, 0.537, 0.524, 0.021, 0.014, 0.014), .blend = 0.010, .limb = HEAD},
};

enum { ORANGE, STRIPE, CREAM, INNER_EAR, EYE, PUPIL, SHINE, NOSE, MATERIAL_COUNT };

static const SupMaterial materials[MATERIAL_COUNT] = {
    [ORANGE] = {"orange", {0.80f, 0.36f, 0.09f, 1}, 0, 0.70f, {0, 0, 0}},
    [STRIPE] = {"stripe", {0.48f, 0.15f, 0.03f, 1}, 0, 0.70f, {0, 0, 0}},
    [CREAM] = {"cream", {0.93f, 0.82f, 0.68f, 1}, 0, 0.70f, {0, 0, 0}},
    [INNER_EAR] = {"inner ear", {0.86f, 0.34f, 0.30f, 1}, 0, 0.65f, {0, 0, 0}},
    [EYE] = {"eye", {0.30f, 0.58f, 0.16f, 1}, 0, 0.15f, {0, 0, 0}},
    [PUPIL] = {"pupil", {0.012f, 0.008f, 0.008f, 1}, 0, 0.12f, {0, 0, 0}},
    [SHINE] = {"shine", {0.95f, 0.95f, 0.95f, 1}, 0, 0.3f, {0.6f, 0.6f, 0.6f}},
    [NOSE] = {"nose", {0.72f, 0.17f, 0.17f, 1}, 0, 0.35f, {0, 0, 0}},
};

static const SupRegion regions[] = {
    /* belly and bib, muzzle, paws */
    {{BALL(0, 0.070, -0.020, 0.120, 0.100, 0.260)}, CREAM},
    {{BALL(0, 0.350, 0.350, 0.110, 0.140, 0.110)}, CREAM},
    {{BALL(0, 0.490, 0.525, 0.092, 0.062, 0.070)}, CREAM},
    {{BALL(0.128, 0.020, 0.225, 0.120, 0.070, 0.130), .mirrored = true}, CREAM},
    {{BALL(0.134, 0.015, -0.125, 0.120, 0.070, 0.110), .mirrored = true}, CREAM},
    /* stripes over the back */
    {{BALL(0, 0.530, 0.075, 0.170, 0.130, 0.030)}, STRIPE},
    {{BALL(0, 0.530, -0.045, 0.215, 0.160, 0.033)}, STRIPE},
    {{BALL(0, 0.530, -0.165, 0.215, 0.160, 0.033)}, STRIPE},
    {{BALL(0, 0.520, -0.285, 0.170, 0.140, 0.031)}, STRIPE},
    /* the brow */
    {{BALL(0, 0.725, 0.400, 0.018, 0.070, 0.120)}, STRIPE},
    {{BALL(0.064, 0.712, 0.420, 0.016, 0.055, 0.110), .mirrored = true}, STRIPE},
    /* rings of the tail, and its tip */
    {{BALL(0, 0.515, -0.548, 0.080, 0.024, 0.080)}, STRIPE},
    {{BALL(0, 0.604, -0.548, 0.080, 0.022, 0.080)}, STRIPE},
    {{BALL(0, 0.686, -0.548, 0.080, 0.020, 0.080)}, STRIPE},
    {{BALL(0, 0.815, -0.615, 0.090, 0.085, 0.100)}, CREAM},
    {{.kind = SUP_BLOB_ELLIPSOID,
      .a = {0.150, 0.706, 0.348},
      .r = {0.042, 0.066, 0.040},
      .up = {0.20, 1, 0},
      .front = {0.25, 0, 1},
      .mirrored = true},
     INNER_EAR},
    {{BALL(0.090, 0.582, 0.500, 0.047, 0.052, 0.060), .mirrored = true}, EYE},
    {{BALL(0.087, 0.582, 0.510, 0.033, 0.043, 0.060), .mirrored = true}, PUPIL},
    {{BALL(0.096, 0.602, 0.505, 0.0130, 0.0140, 0.030), .mirrored = true}, SHINE},
    {{BALL(0.075, 0.564, 0.505, 0.0080, 0.0080, 0.030), .mirrored = true}, SHINE},
    {{BALL(0, 0.538, 0.536, 0.021, 0.0145, 0.030)}, NOSE},
    {{BALL(0.0215, 0.4990, 0.530, 0.0200, 0.0046, 0.040), .up = {-0.36, 1, 0}, .front = {0, 0, 1},
      .mirrored = true},
     PUPIL},
};

static const SupDetail details[] = {
    {{0.090, 0.582, 0.495}, 0.058, 0.36},                                       /* eye */
    {{0.096, 0.602, 0.500}, 0.018, 0.20}, {{0.075, 0.564, 0.500}, 0.011, 0.16}, /* shine */
    {{0, 0.515, 0.520}, 0.060, 0.36},     /* nose and muzzle */
    {{0.140, 0.720, 0.312}, 0.110, 0.52}, /* ear */
    {{0, 0.440, -0.480}, 0.080, 0.70},    {{0, 0.560, -0.555}, 0.090, 0.66},
    {{0, 0.690, -0.550}, 0.090, 0.66},    {{0, 0.780, -0.590}, 0.080, 0.64},     /* tail */
    {{0.128, 0.060, 0.210}, 0.100, 0.66}, {{0.134, 0.060, -0.150}, 0.110, 0.66}, /* paws */
};

static const SupJoint joints[SUP_CAT_JOINT_COUNT] = {
    [SUP_CAT_HIPS] = {"hips", -1, {0, 0.395, -0.215}},
    [SUP_CAT_SPINE_1] = {"spine_1", SUP_CAT_HIPS, {0, 0.420, -0.100}},
    [SUP_CAT_SPINE_2] = {"spine_2", SUP_CAT_SPINE_1, {0, 0.420, 0.010}},
    [SUP_CAT_CHEST] = {"chest", SUP_CAT_SPINE_2, {0, 0.410, 0.115}},
    [SUP_CAT_NECK] = {"neck", SUP_CAT_CHEST, {0, 0.425, 0.215}},
    [SUP_CAT_HEAD] = {"head", SUP_CAT_NECK, {0, 0.500, 0.290}},
#define SIDE(name, sign)                                                                          \
  [SUP_CAT_EAR_##name] = {"ear_" #name, SUP_CAT_HEAD, {sign * 0.130, 0.690, 0.312}},              \
  [SUP_CAT_SHOULDER_##name] = {"shoulder_" #name, SUP_CAT_CHEST, {sign * 0.095, 0.425, 0.130}},   \
  [SUP_CAT_UPPER_ARM_##                                                                           \
      name] = {"upper_arm_" #name, SUP_CAT_SHOULDER_##name, {sign * 0.114, 0.315, 0.235}},        \
  [SUP_CAT_FOREARM_##                                                                             \
      name] = {"forearm_" #name, SUP_CAT_UPPER_ARM_##name, {sign * 0.124, 0.200, 0.140}},         \
  [SUP_CAT_HAND_##name] = {"hand_" #name, SUP_CAT_FOREARM_##name, {sign * 0.126, 0.078, 0.188}},  \
  [SUP_CAT_THIGH_##name] = {"thigh_" #name, SUP_CAT_HIPS, {sign * 0.115, 0.310, -0.195}},         \
  [SUP_CAT_SHANK_##name] = {"shank_" #name, SUP_CAT_THIGH_##name, {sign * 0.140, 0.190, -0.105}}, \
  [SUP_CAT_FOOT_##name] = {"foot_" #name, SUP_CAT_SHANK_##name, {sign * 0.134, 0.095, -0.228}},   \
  [SUP_CAT_TOES_##name] = {"toes_" #name, SUP_CAT_FOOT_##name, {sign * 0.133, 0.040, -0.155}}
    SIDE(l, 1),
    SIDE(r, -1),
    [SUP_CAT_TAIL_1] = {"tail_1", SUP_CAT_HIPS, {0, 0.410, -0.340}},
    [SUP_CAT_TAIL_2] = {"tail_2", SUP_CAT_TAIL_1, {0, 0.418, -0.445}},
    [SUP_CAT_TAIL_3] = {"tail_3", SUP_CAT_TAIL_2, {0, 0.475, -0.530}},
    [SUP_CAT_TAIL_4] = {"tail_4", SUP_CAT_TAIL_3, {0, 0.570, -0.562}},
    [SUP_CAT_TAIL_5] = {"tail_5", SUP_CAT_TAIL_4, {0, 0.665, -0.545}},
    [SUP_CAT_TAIL_6] = {"tail_6", SUP_CAT_TAIL_5, {0, 0.750, -0.555}},
};

static const SupLimb limbs[] = {
    [TRUNK] = {.bone_count = 4,
               .bones = {SUP_CAT_HIPS, SUP_CAT_SPINE_1, SUP_CAT_SPINE_2, SUP_CAT_CHEST},
               .soft = {0, 0.10, 0.10, 0.10},
               .across = {{0}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}},
               .reach = 0.10},
    [HEAD] = {.bone_count = 2,
              .bones = {SUP_CAT_NECK, SUP_CAT_HEAD},
              .soft = {0, 0.06},
              .across = {{0}, {0, 0.8, 0.6}},
              .reach = 0.10},
    [EAR] = {.bone_count = 1, .bones = {SUP_CAT_EAR_l}, .reach = 0.06, .mirrored = true},
    [FORELEG] = {.bone_count = 4,
                 .bones = {SUP_CAT_SHOULDER_l, SUP_CAT_UPPER_ARM_l, SUP_CAT_FOREARM_l,
                           SUP_CAT_HAND_l},
                 .soft = {0, 0.08, 0.06, 0.04},
                 .across = {{0}, {0, -1, 0}, {0, -1, 0}, {0, -1, 0.4}},
                 .reach = 0.16,
                 .mirrored = true},
    [HIND_LEG] = {.bone_count = 4,
                  .bones = {SUP_CAT_THIGH_l, SUP_CAT_SHANK_l, SUP_CAT_FOOT_l, SUP_CAT_TOES_l},
                  .soft = {0, 0.075, 0.055, 0.04},
                  .across = {{0}, {0, -1, 0}, {0, -1, -0.2}, {0, -0.3, 1}},
                  .reach = 0.11,
                  .mirrored = true},
    [TAIL] = {.bone_count = 6,
              .bones = {SUP_CAT_TAIL_1, SUP_CAT_TAIL_2, SUP_CAT_TAIL_3, SUP_CAT_TAIL_4,
                        SUP_CAT_TAIL_5, SUP_CAT_TAIL_6},
              .soft = {0, 0.055, 0.05, 0.05, 0.05, 0.05},
              .reach = 0.09},
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const SupBody sup_body_cat = {
    .name = "cat",
    .summary = "a fat cat with belly, cheeks and a long tail: 30 joints, 8 clips",
    .vertices = 6500,
    .symmetric = true,
    .seed_cell = 0.011,
    .blob_count = COUNT(blobs),
    .region_count = COUNT(regions),
    .detail_count = COUNT(details),
    .material_count = COUNT(materials),
    .joint_count = COUNT(joints),
    .limb_count = COUNT(limbs),
    .blobs = blobs,
    .regions = regions,
    .details = details,
    .materials = materials,
    .joints = joints,
    .limbs = limbs,
    .clips = sup_cat_clips,
};
