/* SPDX-License-Identifier: MIT */
/* The rows of src/anim: a random creature's clip, poses, retargeting and skins. */
#include "anim/creature.h"
#include "hash_rows.h"
#include "supple/retarget.h"

enum { VERTICES = 2007, FRAMES = 40, LANES = (VERTICES + 15) / 16 * 16 };

typedef struct Instance {
  SupArena arena;
  Creature creature;
  SupTransform joints[CREATURE_JOINTS];
  SupAffine globals[CREATURE_JOINTS], palette[CREATURE_JOINTS];
  SupDualBone duals[CREATURE_JOINTS];
  float weights[CREATURE_MORPHS];
  SupPose pose;
} Instance;

static void instance_make(Instance *a, uint64_t seed, uint32_t vertex_count) {
  a->arena = hash_arena();
  creature_make(&a->arena, seed, vertex_count, &a->creature);
  a->pose = (SupPose){CREATURE_JOINTS, sup_transform_identity(), a->joints};
}

static void instance_sample(Instance *a, uint32_t frame) {
  sup_pose_rest(&a->creature.skeleton, &a->pose);
  sup_clip_sample(&a->creature.clip, 0.077f * (float)frame - 0.5f, frame % 3 != 0, NULL, &a->pose,
                  a->weights);
}

static Instance instance, other;

uint64_t hash_clip(const SupBackend *backend) {
  (void)backend;
  uint64_t hash = 0;
  instance_make(&instance, 1, 16);
  for (uint32_t i = 0; i < FRAMES; i++) {
    instance_sample(&instance, i);
    hash = sup_hash(instance.joints, sizeof instance.joints, hash);
    hash = sup_hash(instance.weights, sizeof instance.weights, hash);
  }
  return hash;
}

uint64_t hash_pose(const SupBackend *backend) {
  (void)backend;
  static SupTransform joints[CREATURE_JOINTS];
  SupPose pose = {CREATURE_JOINTS, sup_transform_identity(), joints};
  SupRetargetJoint retarget_joints[CREATURE_JOINTS];
  uint64_t hash = 0;
  instance_make(&other, 3, 16);
  SupSkeleton target = other.creature.skeleton; /* its arena is used again below */
  SupTransform target_rest[CREATURE_JOINTS];
  int32_t target_parents[CREATURE_JOINTS];
  sup_copy(target_rest, target.rest, sizeof target_rest);
  sup_copy(target_parents, target.parents, sizeof target_parents);
  instance_make(&instance, 2, 16);
  target.rest = target_rest;
  target.parents = target_parents;
  target.names = instance.creature.skeleton.names;
  SupRetarget retarget = sup_retarget_make(&instance.creature.skeleton, &target, retarget_joints);
  for (uint32_t i = 0; i < FRAMES; i++) {
    instance_sample(&instance, i);
    sup_pose_rest(&instance.creature.skeleton, &pose);
    sup_pose_blend(&pose, &instance.pose, 0.025f * (float)i, NULL, &pose);
    sup_pose_evaluate(&instance.creature.skeleton, &pose, instance.globals, instance.palette);
    hash = sup_hash(instance.palette, sizeof instance.palette, hash);
    sup_retarget_pose(&retarget, &instance.pose, &pose);
    hash = sup_hash(joints, sizeof joints, hash);
  }
  return hash;
}

/* Another order of tasks than one after the other: what threads do. */
static void run_backwards(void *user, uint32_t task_count, SupTask *task, void *context) {
  (void)user;
  for (uint32_t k = task_count; k > 0; k--) task(context, k - 1);
}

static float positions[3 * LANES], normals[3 * LANES], tangents[4 * LANES];

static uint64_t hash_skin(const SupBackend *backend, bool dual, bool stretched) {
  const SupJobs jobs = {run_backwards, NULL};
  uint64_t hash = 0;
  instance_make(&instance, 4, VERTICES);
  SupSkinCall call = {.skin = &instance.creature.skin,
                      .palette = instance.palette,
                      .duals = instance.duals,
                      .morph_weights = instance.weights,
                      .positions = {positions, 0},
                      .normals = {normals, 3},
                      .tangents = {tangents, 4}};
  for (uint32_t i = 0; i < 8; i++) {
    instance_sample(&instance, i);
    if (stretched) instance.joints[i].scale = sup_vec3_make(1.5f, -0.5f, 0.75f);
    sup_pose_evaluate(&instance.creature.skeleton, &instance.pose, instance.globals,
                      instance.palette);
    call.stretched = sup_skin_duals(CREATURE_JOINTS, instance.palette, instance.duals);
    call.unit = i % 2;
    if (dual) {
      sup_skin_dqs(backend, &jobs, &call);
    } else {
      sup_skin_lbs(backend, &jobs, &call);
    }
    hash = sup_hash(positions, sizeof positions, hash);
    hash = sup_hash(normals, 3 * VERTICES * sizeof(float), hash);
    hash = sup_hash(tangents, 4 * VERTICES * sizeof(float), hash);
  }
  /* The short loops: positions and normals in blocks, and positions alone. */
  call.tangents.data = NULL;
  call.morph_weights = NULL;
  call.unit = false;
  call.normals.stride = 0;
  for (uint32_t i = 0; i < 2 && !dual; i++) {
    sup_skin_lbs(backend, &jobs, &call);
    hash = sup_hash(positions, sizeof positions, hash);
    hash = sup_hash(normals, sizeof normals, hash);
    call.normals.data = NULL;
  }
  return hash;
}

uint64_t hash_skin_lbs(const SupBackend *backend) { return hash_skin(backend, false, true); }
uint64_t hash_skin_dqs(const SupBackend *backend) { return hash_skin(backend, true, false); }
uint64_t hash_skin_dqs_stretched(const SupBackend *backend) {
  return hash_skin(backend, true, true);
}
