/* SPDX-License-Identifier: MIT */
/*
 * mochi: a plump creature with a big belly, cheeks, ears and a tail that want to move.
 *
 * The spine runs near the back, so that belly and cheeks hang far from any bone. Its clips are in
 * builtin_mochi_clips.c.
 */
#include "author/builtin/builtin_mochi.h"
#include "author/builtin/builtin_body.h"

enum { TRUNK, ARM, LEG, EAR, TAIL };

#define BALL(x, y, z, rx, ry, rz) .kind = SUP_BLOB_ELLIPSOID, .a = {x, y, z}, .r = {rx, ry, rz}
#define CONE(ax, ay, az, ra, bx, by, bz, rb) \
  .kind = SUP_BLOB_CONE, .a = {ax, ay, az}, .b = {bx, by, bz}, .r = {ra, rb, 0}

static const SupBlob blobs[] = {
    /* belly, chest, head, cheeks, muzzle */
    {BALL(0, 0.305, 0.035, 0.252, 0.205, 0.232), .limb = TRUNK},
    {BALL(0, 0.450, -0.005, 0.172, 0.140, 0.150), .blend = 0.12, .limb = TRUNK},
    {BALL(0, 0.665, 0.015, 0.248, 0.182, 0.200), .blend = 0.07, .limb = TRUNK},
    {BALL(0.140, 0.607, 0.075, 0.108, 0.088, 0.104), .blend = 0.08, .mirrored = true,
     .limb = TRUNK},
    {BALL(0, 0.612, 0.182, 0.064, 0.044, 0.050), .blend = 0.05, .limb = TRUNK},
    /* arms */
    {CONE(0.150, 0.470, 0.005, 0.062, 0.255, 0.418, 0.028, 0.056), .blend = 0.06, .mirrored = true,
     .limb = ARM},
    {CONE(0.255, 0.418, 0.028, 0.056, 0.328, 0.368, 0.055, 0.060), .blend = 0.03, .mirrored = true,
     .limb = ARM},
    /* legs and feet */
    {CONE(0.120, 0.225, 0.015, 0.110, 0.135, 0.130, 0.030, 0.084), .blend = 0.06, .mirrored = true,
     .limb = LEG},
    {CONE(0.135, 0.130, 0.030, 0.084, 0.138, 0.078, 0.022, 0.068), .blend = 0.04, .mirrored = true,
     .limb = LEG},
    {BALL(0.144, 0.0710, 0.072, 0.080, 0.062, 0.116), .blend = 0.05, .mirrored = true, .limb = LEG},
    /* ears */
    {.kind = SUP_BLOB_ELLIPSOID,
     .a = {0.160, 0.905, -0.015},
     .r = {0.070, 0.132, 0.042},
     .up = {0.36, 1, -0.10},
     .front = {0.15, 0, 1},
     .blend = 0.05,
     .mirrored = true,
     .limb = EAR},
    /* tail */
    {CONE(0, 0.225, -0.150, 0.062, 0, 0.215, -0.255, 0.060), .blend = 0.07, .limb = TAIL},
    {CONE(0, 0.215, -0.255, 0.060, 0, 0.270, -0.345, 0.078), .blend = 0.06, .limb = TAIL},
    {CONE(0, 0.270, -0.345, 0.078, 0, 0.375, -0.375, 0.052), .blend = 0.06, .limb = TAIL},
    /* eyes and nose stand out a little */
    {BALL(0.107, 0.668, 0.190, 0.040, 0.052, 0.024), .blend = 0.014, .mirrored = true,
     .limb = TRUNK},
    {BALL(0, 0.629, 0.230, 0.020, 0.014, 0.012), .blend = 0.010, .limb = TRUNK},
};

enum { SKIN, CREAM, BLUSH, INNER_EAR, EYE, SHINE, NOSE, MOUTH, MATERIAL_COUNT };

static const SupMaterial materials[MATERIAL_COUNT] = {
    [SKIN] = {"skin", {0.78f, 0.42f, 0.36f, 1}, 0, 0.62f, {0, 0, 0}},
    [CREAM] = {"cream", {0.93f, 0.80f, 0.66f, 1}, 0, 0.65f, {0, 0, 0}},
    [BLUSH] = {"blush", {0.84f, 0.23f, 0.22f, 1}, 0, 0.65f, {0, 0, 0}},
    [INNER_EAR] = {"inner ear", {0.87f, 0.33f, 0.33f, 1}, 0, 0.65f, {0, 0, 0}},
    [EYE] = {"eye", {0.018f, 0.010f, 0.012f, 1}, 0, 0.12f, {0, 0, 0}},
    [SHINE] = {"shine", {0.95f, 0.95f, 0.95f, 1}, 0, 0.3f, {0.6f, 0.6f, 0.6f}},
    [NOSE] = {"nose", {0.30f, 0.07f, 0.07f, 1}, 0, 0.35f, {0, 0, 0}},
    [MOUTH] = {"mouth", {0.22f, 0.03f, 0.03f, 1}, 0, 0.6f, {0, 0, 0}},
};

static const SupRegion regions[] = {
    {{BALL(0, 0.305, 0.240, 0.165, 0.165, 0.120)}, CREAM},
    {{BALL(0, 0.600, 0.240, 0.078, 0.054, 0.052)}, CREAM},
    {{BALL(0, 0.390, -0.395, 0.120, 0.085, 0.120)}, CREAM},
    {{BALL(0.180, 0.608, 0.150, 0.042, 0.030, 0.060), .mirrored = true}, BLUSH},
    {{.kind = SUP_BLOB_ELLIPSOID,
      .a = {0.170, 0.915, 0.025},
      .r = {0.040, 0.092, 0.038},
      .up = {0.36, 1, -0.10},
      .front = {0.15, 0, 1},
      .mirrored = true},
     INNER_EAR},
    {{BALL(0.107, 0.668, 0.200, 0.038, 0.050, 0.050), .mirrored = true}, EYE},
    {{BALL(0.116, 0.690, 0.212, 0.0145, 0.0155, 0.030), .mirrored = true}, SHINE},
    {{BALL(0.093, 0.647, 0.212, 0.0075, 0.0075, 0.030), .mirrored = true}, SHINE},
    {{BALL(0, 0.629, 0.240, 0.020, 0.0145, 0.030)}, NOSE},
    {{BALL(0, 0.590, 0.236, 0.021, 0.011, 0.030)}, MOUTH},
};

static const SupDetail details[] = {
    {{0.107, 0.668, 0.205}, 0.055, 0.34},                                  /* eye */
    {{0.116, 0.690, 0.214}, 0.018, 0.20},                                  /* shine */
    {{0.093, 0.647, 0.214}, 0.011, 0.16}, {{0, 0.612, 0.235}, 0.05, 0.34}, /* nose and mouth */
    {{0.160, 0.905, 0}, 0.14, 0.60},                                       /* ear */
    {{0, 0.28, -0.34}, 0.13, 0.70},                                        /* tail */
    {{0.28, 0.40, 0.04}, 0.12, 0.62},                                      /* arm */
    {{0.135, 0.07, 0.06}, 0.12, 0.72},                                     /* foot */
    {{0.180, 0.608, 0.150}, 0.05, 0.60},                                   /* cheek */
};

static const SupJoint joints[SUP_MOCHI_JOINT_COUNT] = {
    [SUP_MOCHI_HIPS] = {"hips", -1, {0, 0.235, -0.010}},
    [SUP_MOCHI_SPINE] = {"spine", SUP_MOCHI_HIPS, {0, 0.330, -0.040}},
    [SUP_MOCHI_CHEST] = {"chest", SUP_MOCHI_SPINE, {0, 0.435, -0.040}},
    [SUP_MOCHI_NECK] = {"neck", SUP_MOCHI_CHEST, {0, 0.530, -0.020}},
    [SUP_MOCHI_HEAD] = {"head", SUP_MOCHI_NECK, {0, 0.580, -0.010}},
#define SIDE(name, sign)                                                                         \
  [SUP_MOCHI_EAR_##name##1] = {"ear_" #name "1", SUP_MOCHI_HEAD, {sign * 0.118, 0.800, -0.005}}, \
  [SUP_MOCHI_EAR_##name##2] = {"ear_" #name "2",                                                 \
                               SUP_MOCHI_EAR_##name##1,                                          \
                               {sign * 0.155, 0.900, -0.010}},                                   \
  [SUP_MOCHI_UPPER_ARM_##                                                                        \
      name] = {"upper_arm_" #name, SUP_MOCHI_CHEST, {sign * 0.150, 0.470, 0.005}},               \
  [SUP_MOCHI_FOREARM_##                                                                          \
      name] = {"forearm_" #name, SUP_MOCHI_UPPER_ARM_##name, {sign * 0.243, 0.424, 0.026}},      \
  [SUP_MOCHI_HAND_##                                                                             \
      name] = {"hand_" #name, SUP_MOCHI_FOREARM_##name, {sign * 0.310, 0.380, 0.048}},           \
  [SUP_MOCHI_THIGH_##name] = {"thigh_" #name, SUP_MOCHI_HIPS, {sign * 0.120, 0.215, 0.010}},     \
  [SUP_MOCHI_SHANK_##                                                                            \
      name] = {"shank_" #name, SUP_MOCHI_THIGH_##name, {sign * 0.130, 0.132, 0.050}},            \
  [SUP_MOCHI_FOOT_##name] = {"foot_" #name, SUP_MOCHI_SHANK_##name, {sign * 0.138, 0.058, 0.018}}
    SIDE(l, 1),
    SIDE(r, -1),
    [SUP_MOCHI_TAIL1] = {"tail1", SUP_MOCHI_HIPS, {0, 0.215, -0.170}},
    [SUP_MOCHI_TAIL2] = {"tail2", SUP_MOCHI_TAIL1, {0, 0.205, -0.270}},
    [SUP_MOCHI_TAIL3] = {"tail3", SUP_MOCHI_TAIL2, {0, 0.280, -0.355}},
};

static const SupLimb limbs[] = {
    [TRUNK] = {.bone_count = 5,
               .bones = {SUP_MOCHI_HIPS, SUP_MOCHI_SPINE, SUP_MOCHI_CHEST, SUP_MOCHI_NECK,
                         SUP_MOCHI_HEAD},
               .soft = {0, 0.11, 0.10, 0.05, 0.05},
               .across = {{0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}},
               .reach = 0.10},
    [ARM] = {.bone_count = 3,
             .bones = {SUP_MOCHI_UPPER_ARM_l, SUP_MOCHI_FOREARM_l, SUP_MOCHI_HAND_l},
             .soft = {0, 0.045, 0.035},
             .reach = 0.055,
             .mirrored = true},
    [LEG] = {.bone_count = 3,
             .bones = {SUP_MOCHI_THIGH_l, SUP_MOCHI_SHANK_l, SUP_MOCHI_FOOT_l},
             .soft = {0, 0.05, 0.045},
             .across = {{0}, {0}, {0, -0.85, 0.5}},
             .reach = 0.085,
             .mirrored = true},
    [EAR] = {.bone_count = 2,
             .bones = {SUP_MOCHI_EAR_l1, SUP_MOCHI_EAR_l2},
             .soft = {0, 0.07},
             .reach = 0.08,
             .mirrored = true},
    [TAIL] = {.bone_count = 3,
              .bones = {SUP_MOCHI_TAIL1, SUP_MOCHI_TAIL2, SUP_MOCHI_TAIL3},
              .soft = {0, 0.06, 0.06},
              .reach = 0.10},
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const SupBody sup_body_mochi = {
    .name = "mochi",
    .summary = "a plump creature with belly, cheeks, ears and tail: 24 joints, 9 clips",
    .vertices = 6969,
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
    .clips = sup_mochi_clips,
};
