/* SPDX-License-Identifier: MIT */
#include "mochi_flesh.h"

#include <math.h>

#include "supple/author/builtin.h"
#include "supple/io/file.h"

Flesh *flesh_open(uint32_t tets) {
  Flesh *f = calloc(1, sizeof *f);
  SupError error;
  assert_non_null(f);
  sup_arena_init(&f->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef builtin = {.name = "mochi", .vertices = 600};
  if (sup_builtin_character(&f->arena, &builtin, &f->character, &error)) {
    fail_msg("%s", error.text);
  }
  f->def = sup_subspace_train_def(&f->character);
  f->def.fill.tet_target = tets;
  f->def.function_count = 40;
  f->def.cluster_count = 100;
  f->def.pose_count = 8;
  f->def.frequency = 4;
  f->def.damping_ratio = 0.1;
  return f;
}

void flesh_train(Flesh *f) {
  SupError error;
  if (sup_subspace_train(&f->arena, &f->def, &f->view, &f->report, &error)) {
    fail_msg("%s", error.text);
  }
  f->state = sup_subspace_init(&f->view, SUP_ALLOC(&f->arena, char, sup_subspace_bytes(&f->view)));
  f->rest = SUP_ALLOC(&f->arena, SupAffine, f->view.bone_count);
  f->palette = SUP_ALLOC(&f->arena, SupAffine, f->view.bone_count);
  f->shown = SUP_ALLOC(&f->arena, float, 3 * (size_t)f->view.function_count);
  f->still = SUP_ALLOC(&f->arena, SupAffine, f->view.bone_count);
  f->offsets = SUP_ALLOC(&f->arena, SupVec3, f->view.vertex_count);
  flesh_pose(f, 0, 0);
  memcpy(f->rest, f->palette, f->view.bone_count * sizeof *f->rest);
}

void flesh_free(Flesh *f) {
  sup_arena_free(&f->arena);
  free(f);
}

int flesh_make(void **state) {
  Flesh *f = flesh_open(700);
  flesh_train(f);
  *state = f;
  return 0;
}

int flesh_unmake(void **state) {
  flesh_free(*state);
  return 0;
}

static void evaluate(Flesh *f, const SupPose *pose) {
  const SupSkeleton *skeleton = &f->character.skeleton;
  SupAffine *globals = malloc(skeleton->joint_count * sizeof *globals);
  assert_non_null(globals);
  sup_pose_evaluate(skeleton, pose, globals, f->palette);
  free(globals);
}

void flesh_motion(Flesh *f, uint64_t seed, double time, double angle, double way) {
  const SupSkeleton *skeleton = &f->character.skeleton;
  SupRng rng = sup_rng(seed, 3);
  SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                  malloc(skeleton->joint_count * sizeof(SupTransform))};
  assert_non_null(pose.joints);
  sup_pose_rest(skeleton, &pose);
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    double turn[3];
    for (int k = 0; k < 3; k++) {
      const double hertz = 0.3 + 1.7 * sup_rng_double(&rng),
                   phase = 6.2831853 * sup_rng_double(&rng);
      turn[k] = angle * sin(6.2831853 * hertz * time + phase) / 2;
    }
    const SupQuat q =
        sup_quat_normalise((SupQuat){(float)turn[0], (float)turn[1], (float)turn[2], 1});
    pose.joints[j].rotation = sup_quat_mul(pose.joints[j].rotation, q);
  }
  pose.root.translation = (SupVec3){(float)(way * sin(3 * time)), (float)(way * sin(7 * time)),
                                    (float)(way * cos(4 * time))};
  evaluate(f, &pose);
  free(pose.joints);
}

void flesh_pose(Flesh *f, uint64_t seed, double angle) { flesh_motion(f, seed, 1, angle, 0); }

void flesh_move(Flesh *f, const SupAffine *move) {
  for (uint32_t b = 0; b < f->view.bone_count; b++) {
    f->palette[b] = sup_affine_mul(*move, f->palette[b]);
  }
}

float flesh_offsets(Flesh *f) {
  float most = 0;
  sup_subspace_shown(&f->view, f->state, f->shown);
  sup_subspace_offsets(&f->view, f->shown, f->still, f->offsets);
  for (uint32_t v = 0; v < f->view.vertex_count; v++) {
    most = fmaxf(most, sup_vec3_length(f->offsets[v]));
    if (!isfinite(f->offsets[v].x + f->offsets[v].y + f->offsets[v].z)) return INFINITY;
  }
  return most;
}

SupVec3 flesh_skinned(const Flesh *f, uint32_t v) {
  const SupSkin *skin = &f->character.skin;
  SupVec3 sum = {0, 0, 0};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    const SupVec3 moved =
        sup_affine_point(f->palette[skin->bones[k]], f->character.body.positions[v]);
    sum = sup_vec3_add_scaled(sum, moved, skin->weights[k]);
  }
  return sum;
}
