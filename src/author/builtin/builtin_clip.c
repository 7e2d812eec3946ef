/* SPDX-License-Identifier: MIT */
/* Baking motions into clips; curves; a leg that reaches for its footstep. */
#include "author/builtin/builtin_clip.h"

#define KEYS_PER_SECOND 60

double sup_wrap(double x) {
  while (x >= 1) x -= 1;
  while (x < 0) x += 1;
  return x;
}

double sup_wave(double turns) { return sup_sin(2 * SUP_PI * turns); }

double sup_ease(double t, double a, double b) {
  double u = (t - a) / (b - a);
  u = u < 0 ? 0 : u > 1 ? 1 : u;
  return u * u * u * (u * (6 * u - 15) + 10);
}

double sup_curve(double t, const SupKey *keys, uint32_t count) {
  if (t <= keys[0].time) return keys[0].value;
  for (uint32_t i = 1; i < count; i++) {
    if (t >= keys[i].time) continue;
    const SupKey *a = &keys[i - 1], *b = &keys[i];
    double span = b->time - a->time, u = (t - a->time) / span;
    double s = u * u * (3 - 2 * u);
    return a->value + (b->value - a->value) * s +
           span * u * (1 - u) * (a->slope * (1 - u) - b->slope * u);
  }
  return keys[count - 1].value;
}

double sup_ring(double t, double hertz, double seconds) {
  return t <= 0 ? 0 : sup_wave(hertz * t) * sup_exp(-t / seconds);
}

void sup_body_pose_turn(SupBodyPose *pose, uint32_t j, double x, double y, double z) {
  SupQuatd turn = sup_quatd_exp((SupVec3d){x, y, z});
  pose->turns[j] = sup_quatd_mul(pose->turns[j], turn);
}

/* ---- A leg ---------------------------------------------------------------------------------- */

/* The rotation that takes direction a0 to a1 and the normal n0 to n1 (each pair at right angles).
 */
static SupQuatd frame_to_frame(SupVec3d a0, SupVec3d n0, SupVec3d a1, SupVec3d n1) {
  SupMat3d from = sup_mat3d_from_columns(a0, sup_vec3d_cross(n0, a0), n0);
  SupMat3d to = sup_mat3d_from_columns(a1, sup_vec3d_cross(n1, a1), n1);
  return sup_quatd_from_mat3(sup_mat3d_mul(to, sup_mat3d_transpose(from)));
}

/* A triangle hip, knee, ankle: directions of the two bones and the normal of its plane. */
typedef struct Bend {
  SupVec3d upper, lower, normal;
} Bend;

static Bend bend_of(SupVec3d hip, SupVec3d knee, SupVec3d ankle) {
  SupVec3d upper = sup_vec3d_normalise(sup_vec3d_sub(knee, hip));
  SupVec3d lower = sup_vec3d_normalise(sup_vec3d_sub(ankle, knee));
  return (Bend){upper, lower, sup_vec3d_normalise(sup_vec3d_cross(upper, lower))};
}

/* The ankle of a footstep: the foot turns about the pivot under it. */
static SupVec3d ankle_of(SupVec3d rest, SupFootstep step, SupQuatd turn) {
  SupVec3d pivot = {rest.x, 0, step.pitch > 0 ? step.ball : step.heel};
  SupVec3d arm = sup_quatd_rotate(turn, sup_vec3d_sub(rest, pivot));
  return sup_vec3d_add(sup_vec3d_add(pivot, arm), step.shift);
}

/* The knee in front of the line from hip to ankle. A leg never gets quite straight: beyond 94 % of
 * its length the ankle comes gently nearer than asked for, or the knee would snap. */
static SupVec3d knee_of(SupVec3d hip, SupVec3d *ankle, double upper, double lower,
                        SupVec3d forward) {
  SupVec3d line = sup_vec3d_sub(*ankle, hip);
  double full = sup_vec3d_length(line), near = 0.94 * (upper + lower);
  double slack = 0.055 * (upper + lower);
  SupVec3d along = sup_vec3d_scale(line, 1 / full);
  if (full > near) full = near + slack * (1 - sup_exp((near - full) / slack));
  *ankle = sup_vec3d_add_scaled(hip, along, full);
  double reach = (upper * upper - lower * lower + full * full) / (2 * full);
  double side = upper * upper - reach * reach;
  SupVec3d out = sup_vec3d_add_scaled(forward, along, -sup_vec3d_dot(forward, along));
  SupVec3d knee = sup_vec3d_add_scaled(hip, along, reach);
  return sup_vec3d_add_scaled(knee, sup_vec3d_normalise(out), sup_sqrt(side > 0 ? side : 0));
}

/* Where a joint is in a pose. */
typedef struct Placed {
  SupVec3d place;
  SupQuatd turn;
} Placed;

static Placed placed(const SupBody *body, const SupBodyPose *pose, uint32_t j) {
  int32_t parent = body->joints[j].parent;
  SupVec3d rest = body->joints[j].position;
  if (parent < 0) return (Placed){sup_vec3d_add(rest, pose->shift), pose->turns[j]};
  Placed up = placed(body, pose, (uint32_t)parent);
  SupVec3d arm = sup_vec3d_sub(rest, body->joints[parent].position);
  return (Placed){sup_vec3d_add(sup_quatd_rotate(up.turn, arm), up.place),
                  sup_quatd_mul(up.turn, pose->turns[j])};
}

void sup_body_pose_reach(const SupBody *body, SupBodyPose *pose, SupLegJoints leg, SupReach reach) {
  SupVec3d thigh = body->joints[leg.thigh].position, shank = body->joints[leg.shank].position;
  SupVec3d foot = body->joints[leg.foot].position, ankle = reach.ankle;
  SupVec3d hip = placed(body, pose, leg.thigh).place;
  SupQuatd above = placed(body, pose, (uint32_t)body->joints[leg.thigh].parent).turn;
  SupVec3d forward = sup_quatd_rotate(above, (SupVec3d){0, 0, reach.knee_back ? -1 : 1});
  SupVec3d knee = knee_of(hip, &ankle, sup_vec3d_distance(thigh, shank),
                          sup_vec3d_distance(shank, foot), forward);
  Bend rest = bend_of(thigh, shank, foot), now = bend_of(hip, knee, ankle);
  SupQuatd upper = frame_to_frame(rest.upper, rest.normal, now.upper, now.normal);
  SupQuatd lower = frame_to_frame(rest.lower, rest.normal, now.lower, now.normal);
  pose->turns[leg.thigh] = sup_quatd_mul(sup_quatd_conjugate(above), upper);
  pose->turns[leg.shank] = sup_quatd_mul(sup_quatd_conjugate(upper), lower);
  pose->turns[leg.foot] = sup_quatd_mul(sup_quatd_conjugate(lower), reach.foot);
}

void sup_body_pose_step(const SupBody *body, SupBodyPose *pose, SupLegJoints leg,
                        SupFootstep step) {
  SupQuatd turn = sup_quatd_mul(sup_quatd_exp((SupVec3d){0, step.yaw, 0}),
                                sup_quatd_exp((SupVec3d){step.pitch, 0, 0}));
  SupVec3d ankle = ankle_of(body->joints[leg.foot].position, step, turn);
  sup_body_pose_reach(body, pose, leg, (SupReach){ankle, turn, step.knee_back});
}

/* ---- Baking --------------------------------------------------------------------------------- */

typedef struct Bake {
  uint32_t key_count;
  float *times;
  float *shifts; /* [3 * key_count] translations of the root joint */
  float *turns;  /* [joint][4 * key_count] */
} Bake;

static void bake_key(const SupBody *body, const SupMotion *motion, Bake *bake, uint32_t i) {
  SupBodyPose pose = {.shift = {0, 0, 0}};
  for (uint32_t j = 0; j < SUP_BODY_POSE_JOINTS; j++) pose.turns[j] = sup_quatd_identity();
  bool closes = motion->loops && i + 1 == bake->key_count;
  motion->pose(body, closes ? 0 : (double)i / KEYS_PER_SECOND, &pose);
  SupVec3d root = sup_vec3d_add(body->joints[0].position, pose.shift);
  bake->times[i] = (float)((double)i / KEYS_PER_SECOND);
  bake->shifts[3 * i] = (float)root.x;
  bake->shifts[3 * i + 1] = (float)root.y;
  bake->shifts[3 * i + 2] = (float)root.z;
  for (uint32_t j = 0; j < body->joint_count; j++) {
    float *turn = &bake->turns[4 * ((size_t)j * bake->key_count + i)];
    SupQuatd q = sup_quatd_normalise(pose.turns[j]);
    if (i > 0) { /* the sign nearer to the key before */
      const float *before = turn - 4;
      double same = q.x * (double)before[0] + q.y * (double)before[1] + q.z * (double)before[2] +
                    q.w * (double)before[3];
      if (same < 0) q = sup_quatd_negate(q);
    }
    turn[0] = (float)q.x;
    turn[1] = (float)q.y;
    turn[2] = (float)q.z;
    turn[3] = (float)q.w;
  }
}

static SupResult bake_motion(SupArena *arena, const SupBody *body, const SupMotion *motion,
                             SupClip *out_clip) {
  uint32_t key_count = (uint32_t)(motion->seconds * KEYS_PER_SECOND + 0.5) + 1;
  Bake bake = {key_count, SUP_ALLOC(arena, float, key_count),
               SUP_ALLOC(arena, float, 3 * (size_t)key_count),
               SUP_ALLOC(arena, float, 4 * (size_t)key_count * body->joint_count)};
  SupTrack *tracks = SUP_ALLOC(arena, SupTrack, body->joint_count + 1);
  if (!bake.times || !bake.shifts || !bake.turns || !tracks) return SUP_ERROR_MEMORY;
  for (uint32_t i = 0; i < key_count; i++) bake_key(body, motion, &bake, i);
  tracks[0] = (SupTrack){
      0, SUP_CHANNEL_TRANSLATION, SUP_INTERPOLATE_LINEAR, 3, key_count, bake.times, bake.shifts};
  for (uint32_t j = 0; j < body->joint_count; j++) {
    tracks[j + 1] = (SupTrack){j,
                               SUP_CHANNEL_ROTATION,
                               SUP_INTERPOLATE_LINEAR,
                               4,
                               key_count,
                               bake.times,
                               &bake.turns[4 * (size_t)j * key_count]};
  }
  *out_clip = (SupClip){motion->name, bake.times[key_count - 1], body->joint_count + 1, tracks};
  return SUP_OK;
}

SupResult sup_motions_bake(SupArena *arena, const SupBody *body, const SupMotion *motions,
                           uint32_t count, uint32_t *out_count, const SupClip **out_clips) {
  SupClip *clips = SUP_ALLOC(arena, SupClip, count);
  SupResult result = clips ? SUP_OK : SUP_ERROR_MEMORY;
  for (uint32_t c = 0; c < count && result == SUP_OK; c++) {
    result = bake_motion(arena, body, &motions[c], &clips[c]);
  }
  if (result != SUP_OK) return result;
  *out_count = count;
  *out_clips = clips;
  return SUP_OK;
}
