/* SPDX-License-Identifier: MIT */
#include "planted.h"

#include <math.h>
#include <string.h>

#include "supple/clip.h"

/* Where a vertex near the end of the tube goes: with a bone below the second joint that follows the
 * pose and swings. */
static float belongs(SupVec3 rest, SupVec3 low, SupVec3 high) {
  const float size = fmaxf(high.x - low.x, fmaxf(high.y - low.y, high.z - low.z));
  const float along = high.y - low.y == size   ? (rest.y - low.y) / size
                      : high.x - low.x == size ? (rest.x - low.x) / size
                                               : (rest.z - low.z) / size;
  return along > 0.8f ? 1 : along > 0.6f ? (along - 0.6f) * 5 : 0;
}

double planted_waves(uint32_t seed, double time) {
  SupRng rng = sup_rng(seed, 9);
  double sum = 0;
  for (int k = 0; k < 5; k++) {
    const double rate = 2 + 14 * sup_rng_double(&rng), phase = 6.28 * sup_rng_double(&rng);
    sum += 0.4 * sin(rate * time + phase);
  }
  return sum;
}

SupHelpersMotion planted_deaf_motion(SupArena *arena, const SupCharacter *tube, uint32_t seed,
                                     double amplitude, double rate, double most) {
  const SupSkeleton *skeleton = &tube->skeleton;
  const uint32_t n = tube->body.vertex_count, joints = skeleton->joint_count;
  SupTransform *poses = SUP_ALLOC(arena, SupTransform, (size_t)PLANTED_FRAMES * joints);
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, (size_t)PLANTED_FRAMES * n);
  SupVec3 low = tube->body.positions[0], high = low;
  for (uint32_t v = 0; v < n; v++) {
    const SupVec3 p = tube->body.positions[v];
    low = (SupVec3){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
    high = (SupVec3){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
  }
  /* y'' = -(w^2) y - 2 d w y' - a, stepped at 60 Hz */
  double y[3] = {0}, v[3] = {0};
  SupVec3d last[2] = {{0, 0, 0}, {0, 0, 0}};
  SupAffine *globals = SUP_ALLOC(arena, SupAffine, joints);
  SupAffine *palette = SUP_ALLOC(arena, SupAffine, skeleton->bone_count);
  const uint32_t end = joints - 1;
  SupVec3 middle = {0, 0, 0};
  float all = 0;
  for (uint32_t i = 0; i < n; i++) {
    const float fraction = belongs(tube->body.positions[i], low, high);
    middle = sup_vec3_add_scaled(middle, tube->body.positions[i], fraction);
    all += fraction;
  }
  /* Where the flesh is, seen from the joint: that is what it feels. */
  const SupVec3 place = sup_affine_point(skeleton->inverse_bind[skeleton->bone_count - 1],
                                         sup_vec3_scale(middle, 1 / all));
  for (uint32_t t = 0; t < PLANTED_FRAMES; t++) {
    SupPose pose = {joints, sup_transform_identity(), poses + (size_t)t * joints};
    const double time = t / 60.0, c = amplitude;
    sup_pose_rest(skeleton, &pose);
    double wave[6];
    for (uint32_t k = 0; k < 6; k++) wave[k] = c * planted_waves(6 * seed + k, time);
    const SupVec3 turn = {(float)(0.5 * wave[0]), (float)(0.2 * wave[1]), (float)(0.4 * wave[2])};
    pose.joints[end].rotation = sup_quat_mul(pose.joints[end].rotation, sup_quat_exp(turn));
    pose.joints[0].translation.x += (float)(0.05 * wave[3]);
    pose.joints[0].translation.y += (float)(0.05 * wave[4]);
    pose.joints[0].translation.z += (float)(0.05 * wave[5]);
    sup_pose_evaluate(skeleton, &pose, globals, palette);
    const SupMat3d axes = sup_affined_linear(sup_affine_to_double(globals[end]));
    const SupVec3d at = sup_vec3_to_double(sup_affine_point(globals[end], place));
    const double a[3] = {at.x - 2 * last[0].x + last[1].x, at.y - 2 * last[0].y + last[1].y,
                         at.z - 2 * last[0].z + last[1].z};
    for (int k = 0; k < 3; k++) {
      double local =
          t < 2 ? 0 : (axes.m[3 * k] * a[0] + axes.m[3 * k + 1] * a[1] + axes.m[3 * k + 2] * a[2]);
      local = fmax(-most, fmin(local, most));
      y[k] += v[k] / 60;
      v[k] += (-rate * rate * y[k] - 0.2 * rate * v[k]) / 60 - local * 60;
    }
    last[1] = last[0];
    last[0] = at;
    const SupVec3 moved = {(float)y[0] + 0.05f * turn.x, (float)y[1] + 0.04f * turn.z * turn.x,
                           (float)y[2] - 0.05f * turn.z};
    SupTransform offset = sup_transform_identity();
    offset.translation = moved;
    const SupAffine helper =
        sup_affine_mul(sup_affine_mul(globals[end], sup_affine_compose(offset)),
                       skeleton->inverse_bind[skeleton->bone_count - 1]);
    for (uint32_t i = 0; i < n; i++) {
      SupVec3 p = {0, 0, 0};
      const SupVec3 rest = tube->body.positions[i];
      for (uint32_t k = tube->skin.offsets[i]; k < tube->skin.offsets[i + 1]; k++) {
        p = sup_vec3_add_scaled(p, sup_affine_point(palette[tube->skin.bones[k]], rest),
                                tube->skin.weights[k]);
      }
      const float fraction = belongs(rest, low, high);
      const SupVec3 q = sup_affine_point(helper, rest);
      positions[(size_t)t * n + i] = sup_vec3_add_scaled(p, sup_vec3_sub(q, p), fraction);
    }
  }
  return (SupHelpersMotion){
      .fps = 60, .frame_count = PLANTED_FRAMES, .poses = poses, .positions = positions};
}

SupHelpersMotion planted_motion(SupArena *arena, const SupCharacter *tube, uint32_t seed,
                                double amplitude, double rate) {
  return planted_deaf_motion(arena, tube, seed, amplitude, rate, INFINITY);
}

double planted_error(SupArena *arena, const SupCharacter *character, const SupModel *model,
                     const float *fractions, const SupHelpersMotion *motion, SupHelpersLod lod) {
  const SupHelpersView view = sup_helpers_view(model);
  const uint32_t joints = character->skeleton.joint_count, own = joints - view.helper_count;
  SupHelpersState *s = sup_helpers_init(&view, sup_arena_alloc(arena, sup_helpers_bytes(&view), 1));
  if (fractions && sup_helpers_blend(arena, &view, s, fractions, NULL) != SUP_OK) return -1;
  SupTransform *pose_joints = SUP_ALLOC(arena, SupTransform, joints);
  SupAffine *globals = SUP_ALLOC(arena, SupAffine, joints);
  SupAffine *palette = SUP_ALLOC(arena, SupAffine, character->skeleton.bone_count);
  SupHelpersControls controls = sup_helpers_controls();
  controls.lod = lod;
  double sum = 0;
  for (uint32_t t = 0; t < PLANTED_FRAMES; t++) {
    memcpy(pose_joints, character->skeleton.rest, joints * sizeof *pose_joints);
    memcpy(pose_joints, motion->poses + (size_t)t * own, own * sizeof *pose_joints);
    const SupPose pose = {joints, sup_transform_identity(), pose_joints};
    sup_pose_globals(&character->skeleton, &pose, globals);
    sup_helpers_step(&view, s, sup_backend_cpu(), &controls, &pose, globals, pose_joints);
    sup_pose_evaluate(&character->skeleton, &pose, globals, palette);
    for (uint32_t i = 0; i < character->body.vertex_count; i++) {
      SupVec3 p = {0, 0, 0};
      for (uint32_t k = character->skin.offsets[i]; k < character->skin.offsets[i + 1]; k++) {
        p = sup_vec3_add_scaled(
            p, sup_affine_point(palette[character->skin.bones[k]], character->body.positions[i]),
            character->skin.weights[k]);
      }
      const double off = (double)sup_vec3_distance(
          p, motion->positions[(size_t)t * character->body.vertex_count + i]);
      sum += off * off;
    }
  }
  return sqrt(sum / (PLANTED_FRAMES * (double)character->body.vertex_count));
}
