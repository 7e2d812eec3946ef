/* SPDX-License-Identifier: MIT */
#include "arm_body.h"

#include <math.h>

#include "supple/pose.h"

static const int32_t parents[ARM_JOINTS] = {-1, 0, 1};
static const char *const names[ARM_JOINTS] = {"base", "elbow", "wrist"};
static const uint32_t bone_joints[ARM_JOINTS] = {0, 1, 2};
static const double heights[ARM_JOINTS] = {-2, -0.4, 0.7};

static double smooth(double x) {
  const double t = x < 0 ? 0 : x > 1 ? 1 : x;
  return t * t * (3 - 2 * t);
}

/* The weights change over 1.4 around each joint: the ring of features at y = 0 has some of all. */
static void weigh(double y, float *out) {
  const double above = smooth((y - heights[1]) / 1.6 + 0.5);
  const double far = smooth((y - heights[2]) / 1.6 + 0.5);
  out[0] = (float)(1 - above);
  out[1] = (float)(above * (1 - far));
  out[2] = (float)(above * far);
}

static void make_skin(ArmBody *arm) {
  const SupMesh *mesh = &arm->body->mesh;
  uint32_t *offsets = SUP_ALLOC(&arm->body->arena, uint32_t, mesh->vertex_count + 1), used = 0;
  uint32_t *bones = SUP_ALLOC(&arm->body->arena, uint32_t, 3 * (size_t)mesh->vertex_count);
  float *weights = SUP_ALLOC(&arm->body->arena, float, 3 * (size_t)mesh->vertex_count);
  assert_true(offsets && bones && weights);
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    float all[3];
    const uint32_t first = used;
    weigh((double)mesh->positions[v].y / arm->size, all);
    for (uint32_t b = 0; b < 3; b++) {
      if (!(all[b] > 0)) continue;
      uint32_t at = used++;
      for (; at > first && weights[at - 1] < all[b]; at--) {
        weights[at] = weights[at - 1];
        bones[at] = bones[at - 1];
      }
      weights[at] = all[b];
      bones[at] = b;
    }
    offsets[v + 1] = used;
  }
  arm->character.skin = (SupSkin){mesh->vertex_count, 3, offsets, bones, weights};
}

static void make_skeleton(ArmBody *arm) {
  for (uint32_t j = 0; j < ARM_JOINTS; j++) {
    const double y = heights[j] * arm->size;
    arm->rest[j] = sup_transform_identity();
    arm->rest[j].translation.y = (float)(j ? y - heights[j - 1] * arm->size : y);
    arm->inverse_bind[j] = sup_affine_identity();
  }
  arm->character.skeleton = (SupSkeleton){.joint_count = ARM_JOINTS,
                                          .bone_count = ARM_JOINTS,
                                          .parents = parents,
                                          .rest = arm->rest,
                                          .names = names,
                                          .bone_joints = bone_joints,
                                          .inverse_bind = arm->inverse_bind};
  SupAffine globals[ARM_JOINTS];
  SupPose pose = {ARM_JOINTS, sup_transform_identity(), arm->rest};
  sup_pose_globals(&arm->character.skeleton, &pose, globals);
  for (uint32_t j = 0; j < ARM_JOINTS; j++) {
    arm->inverse_bind[j] = sup_affine_inverse(globals[j]);
  }
}

static void lay_flat(ArmBody *arm, const ArmBody *like) {
  uint32_t charts[32];
  SupPatchMapDef def = {.def = &arm->body->def, .patches = &arm->body->patches};
  if (like) {
    assert_int_equal(sup_patches_match(&arm->body->def, &arm->body->patches, &like->body->def,
                                       &like->body->patches, charts),
                     arm->body->patches.patch_count);
    def.like = &like->charts;
    def.like_charts = charts;
  }
  SupError error = {0};
  if (sup_patch_charts(&arm->body->arena, &def, &arm->charts, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
}

ArmBody *arm_make(unsigned subdivisions, double size, double fat, uint64_t turn,
                  const ArmBody *like) {
  ArmBody *arm = calloc(1, sizeof *arm);
  assert_non_null(arm);
  const SupVec3 scale = {(float)(size * fat), (float)(2.5 * size), (float)(size * fat)};
  arm->body = patch_ball(subdivisions, 0, scale, 0, turn);
  arm->size = size;
  arm->fat = fat;
  arm->character = (SupCharacter){.name = "arm", .body = arm->body->mesh};
  make_skeleton(arm);
  make_skin(arm);
  lay_flat(arm, like);
  return arm;
}

void arm_divide(ArmBody *arm, const ArmBody *like) {
  PatchBody *body = arm->body;
  const SupPatchSplitDef def = {&body->def, &body->patches, &arm->charts};
  SupPatchesDef made;
  SupPatches patches;
  bool can[8];
  SupError error = {0};
  assert_int_equal(sup_patches_can_split(&body->arena, &def, can, &error), SUP_OK);
  for (uint32_t p = 0; p < 8; p++) assert_true(can[p]);
  if (sup_patches_split(&body->arena, &def, can, &made, &patches, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  body->def = made;
  body->patches = patches;
  lay_flat(arm, like);
}

void arm_free(ArmBody *arm) {
  patch_body_free(arm->body);
  free(arm);
}

/* ---- Examples -------------------------------------------------------------------------------- */

void arm_pose(const ArmBody *arm, double low, double high, double side, SupTransform *out_pose) {
  const SupVec3 x = {1, 0, 0}, z = {0, 0, 1};
  memcpy(out_pose, arm->rest, sizeof arm->rest);
  out_pose[1].rotation = sup_quat_from_axis_angle(x, (float)low);
  out_pose[2].rotation = sup_quat_mul(sup_quat_from_axis_angle(x, (float)high),
                                      sup_quat_from_axis_angle(z, (float)side));
}

void arm_skin(const ArmBody *arm, const SupTransform *pose, const SupVec3d *offsets,
              SupVec3 *out_positions) {
  SupTransform joints[ARM_JOINTS];
  SupAffine globals[ARM_JOINTS], palette[ARM_JOINTS];
  const SupSkin *skin = &arm->character.skin;
  memcpy(joints, pose, sizeof joints);
  const SupPose all = {ARM_JOINTS, sup_transform_identity(), joints};
  sup_pose_globals(&arm->character.skeleton, &all, globals);
  sup_pose_palette(&arm->character.skeleton, globals, palette);
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    SupVec3d rest = sup_vec3_to_double(arm->body->mesh.positions[v]), sum = {0, 0, 0};
    if (offsets) rest = sup_vec3d_add(rest, offsets[v]);
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      const SupAffined bone = sup_affine_to_double(palette[skin->bones[k]]);
      sum = sup_vec3d_add_scaled(sum, sup_affined_point(bone, rest), (double)skin->weights[k]);
    }
    out_positions[v] = sup_vec3d_to_float(sum);
  }
}

static SupVec3d bulge_at(const ArmBody *arm, uint32_t v, const double bulge[2]) {
  const SupVec3d p =
      sup_vec3d_scale(sup_vec3_to_double(arm->body->mesh.positions[v]), 1 / arm->size);
  const double lower = exp(-2 * (p.y + 0.4) * (p.y + 0.4)),
               upper = exp(-2 * (p.y - 0.7) * (p.y - 0.7));
  const double much =
      (bulge[0] * lower + bulge[1] * upper) * (1 + (0.3 * p.x - 0.5 * p.z) / arm->fat);
  return (SupVec3d){much * p.x * arm->size,
                    0.2 * much * p.x * p.z * arm->size / (arm->fat * arm->fat),
                    much * p.z * arm->size};
}

void arm_example(ArmBody *arm, uint32_t k, const double angles[3], const double bulge[2],
                 double much) {
  static const char *const example_names[ARM_EXAMPLES] = {"one", "two", "three", "four"};
  const uint32_t count = arm->body->mesh.vertex_count;
  SupVec3 *positions = SUP_ALLOC(&arm->body->arena, SupVec3, count);
  SupVec3d *offsets = SUP_ALLOC(&arm->body->arena, SupVec3d, count);
  assert_true(positions && offsets);
  for (uint32_t v = 0; v < count; v++) {
    offsets[v] = sup_vec3d_scale(bulge_at(arm, v, bulge), much);
  }
  arm_pose(arm, angles[0], angles[1], angles[2], arm->poses[k]);
  if (k == 3) {
    const SupVec3 y = {0, 1, 0};
    arm->poses[k][0].rotation = sup_quat_from_axis_angle(y, 0.8f);
    arm->poses[k][0].translation.x += (float)(3 * arm->size);
  }
  arm_skin(arm, arm->poses[k], offsets, positions);
  arm->examples[k] = (SupEnvelopeExample){example_names[k], arm->poses[k], positions};
}

void arm_examples(ArmBody *arm, double much) {
  static const double angles[ARM_EXAMPLES][3] = {
      {1.2, 0, 0}, {0, 1.4, 0}, {1.1, 1.3, 0}, {0.6, 0.5, 0}};
  static const double bulges[ARM_EXAMPLES][2] = {{0.3, 0.1}, {0.12, 0.35}, {0.33, 0.3}, {0.2, 0.1}};
  for (uint32_t k = 0; k < ARM_EXAMPLES; k++) arm_example(arm, k, angles[k], bulges[k], much);
}

SupEnvelopeTrainDef arm_def(const ArmBody *arm, uint32_t example_count) {
  SupEnvelopeTrainDef def = sup_envelope_train_def(&arm->character);
  def.patches_def = &arm->body->def;
  def.patches = &arm->body->patches;
  def.charts = &arm->charts;
  def.example_count = example_count;
  def.examples = arm->examples;
  return def;
}

/* ---- Playing --------------------------------------------------------------------------------- */

void arm_play(ArmBody *arm, const SupEnvelopeDef *def, const SupTransform *pose,
              SupVec3 *out_positions) {
  SupArena arena;
  SupModel *model;
  SupError error = {0};
  SupTransform joints[ARM_JOINTS];
  SupAffine globals[ARM_JOINTS], palette[ARM_JOINTS];
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (sup_envelope_pack(&arena, &arm->character, def, &model, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  const SupEnvelopeView view = sup_envelope_view(model);
  void *block = sup_arena_alloc(&arena, 1, sup_envelope_bytes(&view));
  float *rows = SUP_ALLOC(&arena, float, 48 * (size_t)view.skin.block_count);
  assert_true(block && rows);
  memcpy(joints, pose, sizeof joints);
  const SupPose all = {ARM_JOINTS, sup_transform_identity(), joints};
  sup_pose_globals(&arm->character.skeleton, &all, globals);
  sup_pose_palette(&arm->character.skeleton, globals, palette);
  const SupEnvelopeCall call = {.pose = &all, .palette = palette, .positions = rows};
  sup_envelope_shape(&view, sup_envelope_init(&view, block), sup_backend_cpu(), NULL, &call);
  for (uint32_t v = 0; v < view.skin.vertex_count; v++) {
    const uint32_t lane = view.lanes[v];
    const float *at = rows + 48 * (size_t)(lane / 16) + lane % 16;
    out_positions[v] = (SupVec3){at[0], at[16], at[32]};
  }
  sup_arena_free(&arena);
}

double arm_apart(const ArmBody *arm, const SupVec3 *a, const SupVec3 *b) {
  double most = 0;
  for (uint32_t v = 0; v < arm->body->mesh.vertex_count; v++) {
    const double d = sup_vec3d_distance(sup_vec3_to_double(a[v]), sup_vec3_to_double(b[v]));
    if (!(d <= most)) most = d;
  }
  return most;
}
