/* SPDX-License-Identifier: MIT */
/* Clips, poses, retargeting, skinning: invariants, exact promises, and damaged input. */
#include "allocations.h"
#include "check.h"

#include <math.h>
#include <string.h>

#include "creature.h"
#include "supple/author/clip_retarget.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

/* ---- A creature in motion ---------------------------------------------------------------------
 */

typedef struct Instance {
  SupArena arena;
  Creature creature;
  SupTransform joints[CREATURE_JOINTS];
  SupAffine globals[CREATURE_JOINTS], palette[CREATURE_JOINTS];
  SupDualBone duals[CREATURE_JOINTS];
  float weights[CREATURE_MORPHS];
  uint32_t cursor[2 * CREATURE_JOINTS + 1];
  SupPose pose;
  SupSkinCall call;
  float *positions, *normals, *tangents; /* room for blocks */
} Instance;

static void instance_make(Instance *a, uint64_t seed, uint32_t vertex_count) {
  *a = (Instance){.positions = NULL};
  sup_arena_init(&a->arena, sup_heap_allocator(), 0);
  assert_true(creature_make(&a->arena, seed, vertex_count, &a->creature));
  a->pose = (SupPose){CREATURE_JOINTS, sup_transform_identity(), a->joints};
  size_t lanes = (size_t)SUP_SKIN_BLOCK * a->creature.skin.block_count;
  a->positions = SUP_ALLOC(&a->arena, float, 3 * lanes);
  a->normals = SUP_ALLOC(&a->arena, float, 3 * lanes);
  a->tangents = SUP_ALLOC(&a->arena, float, 4 * lanes);
  assert_true(a->positions && a->normals && a->tangents);
  a->call = (SupSkinCall){.skin = &a->creature.skin,
                          .palette = a->palette,
                          .duals = a->duals,
                          .morph_weights = a->weights,
                          .positions = {a->positions, 3},
                          .normals = {a->normals, 3},
                          .tangents = {a->tangents, 4}};
}

static void instance_pose(Instance *a, float time, SupTransform root) {
  sup_pose_rest(&a->creature.skeleton, &a->pose);
  a->pose.root = root;
  sup_clip_sample(&a->creature.clip, time, true, a->cursor, &a->pose, a->weights);
  sup_pose_evaluate(&a->creature.skeleton, &a->pose, a->globals, a->palette);
  a->call.stretched = sup_skin_duals(CREATURE_JOINTS, a->palette, a->duals);
}

static void instance_free(Instance *a) { sup_arena_free(&a->arena); }

static void instance_skin(Instance *a, bool dual, const SupBackend *backend, const SupJobs *jobs) {
  if (dual) {
    sup_skin_dqs(backend, jobs, &a->call);
  } else {
    sup_skin_lbs(backend, jobs, &a->call);
  }
}

static uint64_t instance_hash(const Instance *a) {
  size_t n = a->creature.skin.vertex_count;
  uint64_t hash = sup_hash(a->positions, 3 * n * sizeof(float), 0);
  hash = sup_hash(a->normals, 3 * n * sizeof(float), hash);
  return sup_hash(a->tangents, 4 * n * sizeof(float), hash);
}

/* ---- Clips -------------------------------------------------------------------------------------
 */

static void clips_hold_their_ends_and_loop(void **state) {
  (void)state;
  const float times[3] = {0.5f, 1.0f, 2.0f};
  const float values[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
  const SupTrack tracks[1] = {
      {0, SUP_CHANNEL_TRANSLATION, SUP_INTERPOLATE_LINEAR, 3, 3, times, values}};
  const SupClip clip = {"c", 2, 1, tracks};
  SupTransform joint = sup_transform_identity();
  SupPose pose = {1, sup_transform_identity(), &joint};
  const struct {
    float time;
    bool loop;
    float z;
  } cases[] = {{-3, false, 3},  {0, false, 3},    {0.5f, false, 3}, {0.75f, false, 4.5f},
               {1, false, 6},   {1.5f, false, 8}, {2, false, 10},   {9, false, 10},
               {2, true, 3},    {3.5f, true, 8},  {-0.5f, true, 8}, {-4, true, 3},
               {1e30f, true, 3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    sup_clip_sample(&clip, cases[k].time, cases[k].loop, NULL, &pose, NULL);
    assert_true(joint.translation.z == cases[k].z);
  }
}

static void a_cursor_changes_nothing(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 1, 16);
  SupRng rng = sup_rng(2, 2);
  uint32_t cursor[2 * CREATURE_JOINTS + 1] = {0};
  for (int k = 0; k < 2000; k++) {
    float time = k < 1000 ? (float)k * 0.004f : 4.0f * sup_rng_float(&rng) - 1;
    SupTransform expected[CREATURE_JOINTS];
    float expected_weights[CREATURE_MORPHS], weights[CREATURE_MORPHS];
    sup_pose_rest(&a.creature.skeleton, &a.pose);
    sup_clip_sample(&a.creature.clip, time, k % 2, NULL, &a.pose, expected_weights);
    memcpy(expected, a.joints, sizeof expected);
    memset(a.joints, 0, sizeof a.joints);
    sup_pose_rest(&a.creature.skeleton, &a.pose);
    sup_clip_sample(&a.creature.clip, time, k % 2, cursor, &a.pose, weights);
    assert_memory_equal(a.joints, expected, sizeof expected);
    assert_memory_equal(weights, expected_weights, sizeof weights);
  }
  assert_int_equal(sup_clip_weight_count(&a.creature.clip), CREATURE_MORPHS);
  instance_free(&a);
}

static void near_keys_agree_with_slerp(void **state) {
  (void)state;
  /* Just above the threshold, where the linear blend is worst. */
  float half = acosf(0.9996f);
  const float times[2] = {0, 1};
  const float values[8] = {0, 0, 0, 1, -sinf(half), 0, 0, -cosf(half)};
  const SupTrack tracks[1] = {
      {0, SUP_CHANNEL_ROTATION, SUP_INTERPOLATE_LINEAR, 4, 2, times, values}};
  const SupClip clip = {"c", 1, 1, tracks};
  SupTransformd joint = sup_transformd_identity();
  SupPosed pose = {1, sup_transformd_identity(), &joint};
  double worst = 0;
  for (int k = 0; k <= 1000; k++) {
    double t = k / 1000.0;
    sup_clip_sample_f64(&clip, t, false, NULL, &pose, NULL);
    double angle = 2 * atan(joint.rotation.x / joint.rotation.w); /* of either sign */
    worst = fmax(worst, fabs(angle - t * 2 * atan2((double)sinf(half), (double)cosf(half))));
  }
  assert_true(worst < 1.1e-6);
  assert_true(worst > 5e-7); /* else the test looks at the wrong place */
}

/* ---- Poses -------------------------------------------------------------------------------------
 */

static double transform_distance(const SupTransform *a, const SupTransform *b) {
  SupVec3 t = sup_vec3_sub(a->translation, b->translation), s = sup_vec3_sub(a->scale, b->scale);
  double turn = 1 - fabs((double)sup_quat_dot(a->rotation, b->rotation));
  return (double)sup_vec3_length(t) + (double)sup_vec3_length(s) + sqrt(fmax(0, turn));
}

static void blends_meet_their_ends(void **state) {
  (void)state;
  Instance a, b;
  instance_make(&a, 3, 16);
  instance_make(&b, 3, 16);
  instance_pose(&a, 0.2f, sup_transform_identity());
  instance_pose(&b, 0.9f, (SupTransform){{1, 2, 3}, {1, 0, 0, 0}, {2, 2, 2}});
  SupTransform joints[CREATURE_JOINTS];
  SupPose out = {CREATURE_JOINTS, sup_transform_identity(), joints};
  float mask[CREATURE_JOINTS];
  for (int j = 0; j < CREATURE_JOINTS; j++) mask[j] = j % 2 ? 1.0f : 0.0f;
  sup_pose_blend(&a.pose, &b.pose, 1, mask, &out);
  assert_true(transform_distance(&out.root, &b.pose.root) < 1e-6);
  for (int j = 0; j < CREATURE_JOINTS; j++) {
    const SupTransform *expected = j % 2 ? &b.joints[j] : &a.joints[j];
    assert_true(transform_distance(&joints[j], expected) < 1e-3);
    assert_true(sup_vec3_distance(joints[j].translation, expected->translation) == 0);
  }
  /* Half way there and half way back is the same place. */
  SupTransform back[CREATURE_JOINTS];
  SupPose reverse = {CREATURE_JOINTS, sup_transform_identity(), back};
  sup_pose_blend(&a.pose, &b.pose, 0.3f, NULL, &out);
  sup_pose_blend(&b.pose, &a.pose, 0.7f, NULL, &reverse);
  for (int j = 0; j < CREATURE_JOINTS; j++) {
    assert_true(transform_distance(&joints[j], &back[j]) < 2e-3);
  }
  instance_free(&a);
  instance_free(&b);
}

static void adding_a_difference_gives_the_sum(void **state) {
  (void)state;
  Instance a, b, x;
  instance_make(&a, 4, 16);
  instance_make(&b, 4, 16);
  instance_make(&x, 4, 16);
  instance_pose(&a, 0.2f, sup_transform_identity());
  instance_pose(&b, 0.9f, sup_transform_identity());
  instance_pose(&x, 0.2f, sup_transform_identity());
  sup_pose_add(&a.pose, &b.pose, 1, NULL, &x.pose); /* a + (b - a) = b */
  for (int j = 0; j < CREATURE_JOINTS; j++) {
    assert_true(transform_distance(&x.joints[j], &b.joints[j]) < 2e-3);
  }
  instance_pose(&x, 0.5f, sup_transform_identity());
  SupTransform before[CREATURE_JOINTS];
  memcpy(before, x.joints, sizeof before);
  sup_pose_add(&a.pose, &b.pose, 0, NULL, &x.pose);
  for (int j = 0; j < CREATURE_JOINTS; j++) {
    assert_true(transform_distance(&x.joints[j], &before[j]) < 1e-3);
  }
  instance_free(&a);
  instance_free(&b);
  instance_free(&x);
}

/* ---- Skinning ----------------------------------------------------------------------------------
 */

static void rest_pose_moves_nothing(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 5, 333);
  sup_pose_rest(&a.creature.skeleton, &a.pose);
  sup_pose_evaluate(&a.creature.skeleton, &a.pose, a.globals, a.palette);
  a.call.stretched = sup_skin_duals(CREATURE_JOINTS, a.palette, a.duals);
  assert_false(a.call.stretched);
  for (int dual = 0; dual < 2; dual++) {
    instance_skin(&a, dual, sup_backend_cpu(), NULL);
    for (uint32_t v = 0; v < 333; v++) {
      const float *p = &a.creature.source.positions[v].x;
      for (uint32_t k = 0; k < 3; k++) {
        assert_true(fabsf(a.positions[3 * v + k] - p[k]) < 3e-6f);
        assert_true(fabsf(a.normals[3 * v + k] - (&a.creature.source.normals[v].x)[k]) < 3e-6f);
      }
      assert_true(a.tangents[4 * v + 3] == a.creature.source.tangents[v].w);
    }
  }
  instance_free(&a);
}

static void rigid_motion_in_is_rigid_motion_out(void **state) {
  (void)state;
  Instance a, b;
  instance_make(&a, 6, 200);
  instance_make(&b, 6, 200);
  SupRng rng = sup_rng(6, 6);
  for (int k = 0; k < 20; k++) {
    SupTransform root = {creature_vector(&rng, 5), creature_rotation(&rng), {1, 1, 1}};
    float time = 2 * sup_rng_float(&rng);
    instance_pose(&a, time, sup_transform_identity());
    instance_pose(&b, time, root);
    for (int dual = 0; dual < 2; dual++) {
      instance_skin(&a, dual, sup_backend_cpu(), NULL);
      instance_skin(&b, dual, sup_backend_cpu(), NULL);
      for (uint32_t v = 0; v < 200; v++) {
        const float *p = a.positions + 3 * v, *n = a.normals + 3 * v, *q = b.positions + 3 * v;
        SupVec3 moved = sup_quat_rotate(root.rotation, sup_vec3_make(p[0], p[1], p[2]));
        moved = sup_vec3_add(moved, root.translation);
        assert_true(sup_vec3_distance(moved, sup_vec3_make(q[0], q[1], q[2])) < 2e-5f);
        q = b.normals + 3 * v;
        moved = sup_quat_rotate(root.rotation, sup_vec3_make(n[0], n[1], n[2]));
        assert_true(sup_vec3_distance(moved, sup_vec3_make(q[0], q[1], q[2])) < 1e-5f);
      }
    }
  }
  instance_free(&a);
  instance_free(&b);
}

/* Dual quaternions keep lengths where linear blending shrinks: two bones, half each, twisted
 * against each other by 180 degrees minus a little. */
static void dual_quaternions_do_not_collapse(void **state) {
  (void)state;
  SupAffine palette[2] = {sup_affine_identity(), sup_affine_identity()};
  SupQuat twist = sup_quat_from_axis_angle(sup_vec3_make(1, 0, 0), 3.0f);
  palette[1] = sup_affine_compose((SupTransform){{0, 0, 0}, twist, {1, 1, 1}});
  const SupVec3 position = {0.3f, 0.5f, 0};
  const uint32_t offsets[2] = {0, 2}, bones[2] = {0, 1}, order[1] = {0};
  const float weights[2] = {0.5f, 0.5f};
  const SupSkinSource source = {.vertex_count = 1,
                                .bone_count = 2,
                                .positions = &position,
                                .skin = {1, 2, offsets, bones, weights},
                                .order = order};
  SupArena arena;
  SupSkinView skin;
  SupDualBone duals[2];
  float p[3];
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_skin_pack(&arena, &source, &skin, NULL), SUP_OK);
  SupSkinCall call = {.skin = &skin, .palette = palette, .duals = duals, .positions = {p, 3}};
  call.stretched = sup_skin_duals(2, palette, duals);
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
  assert_true(sqrtf(p[1] * p[1] + p[2] * p[2]) < 0.1f);
  sup_skin_dqs(sup_backend_cpu(), NULL, &call);
  assert_true(fabsf(sqrtf(p[1] * p[1] + p[2] * p[2]) - 0.5f) < 1e-6f);
  assert_true(fabsf(p[0] - 0.3f) < 1e-6f);
  sup_arena_free(&arena);
}

/* Every affine map, mirroring and shear included, is met exactly where one bone rules. */
static void a_single_bone_is_followed_exactly(void **state) {
  (void)state;
  SupRng rng = sup_rng(8, 8);
  for (int k = 0; k < 3000; k++) {
    SupAffined map;
    for (int i = 0; i < 12; i++) map.m[i] = 2 * sup_rng_double(&rng) - 1;
    if (k == 0) memset(map.m, 0, sizeof map.m); /* flattened to a point */
    if (k == 1) map = (SupAffined){{-1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
    if (k == 2) map = (SupAffined){{1e-9, 0, 0, 0, 1, 0, 0, 0, 1e9, 0, 0, 0}};
    SupDualBoned bone;
    sup_skin_duals_f64(1, &map, &bone);
    SupVec3d x = {0.3, -0.2, 0.9};
    SupVec3d expected = sup_affined_point(map, x);
    SupVec3d y = sup_quatd_rotate(bone.real, sup_mat3d_mul_vec3(bone.stretch, x));
    SupQuatd t = sup_quatd_mul(bone.dual, sup_quatd_conjugate(bone.real));
    y = sup_vec3d_add(y, sup_vec3d_make(2 * t.x, 2 * t.y, 2 * t.z));
    assert_true(sup_vec3d_distance(y, expected) < 1e-12 * (1 + sup_vec3d_length(expected)));
    /* The stretch is symmetric: the rotation is the polar one. */
    const double *s = bone.stretch.m;
    if (k != 0 && k != 2) {
      assert_true(fabs(s[1] - s[3]) < 1e-9 && fabs(s[2] - s[6]) < 1e-9 && fabs(s[5] - s[7]) < 1e-9);
    }
  }
}

static void layouts_hold_the_same_numbers(void **state) {
  (void)state;
  for (uint32_t n = 1; n < 70; n += n < 36 ? 1 : 7) {
    Instance a;
    instance_make(&a, n, n);
    instance_pose(&a, 0.7f, sup_transform_identity());
    for (int dual = 0; dual < 2; dual++) {
      float interleaved[70 * 12] = {0};
      const SupSkinCall first = a.call;
      SupSkinCall strided = first;
      strided.positions = (SupSkinOutput){interleaved, 12};
      strided.normals = (SupSkinOutput){interleaved + 3, 12};
      strided.tangents = (SupSkinOutput){interleaved + 6, 12};
      a.call.positions.stride = a.call.normals.stride = a.call.tangents.stride = 0;
      instance_skin(&a, dual, sup_backend_cpu(), NULL);
      a.call = strided;
      instance_skin(&a, dual, sup_backend_cpu(), NULL);
      a.call = first;
      for (uint32_t i = 0; i < SUP_SKIN_BLOCK * a.creature.skin.block_count; i++) {
        const float *vertex = interleaved + 12 * a.creature.skin.order[i];
        size_t block = i / SUP_SKIN_BLOCK, lane = i % SUP_SKIN_BLOCK;
        for (size_t k = 0; k < 3; k++) {
          size_t at = (3 * block + k) * SUP_SKIN_BLOCK + lane;
          assert_memory_equal(&vertex[k], &a.positions[at], sizeof(float));
          assert_memory_equal(&vertex[3 + k], &a.normals[at], sizeof(float));
        }
        for (size_t k = 0; k < 4; k++) {
          size_t at = (4 * block + k) * SUP_SKIN_BLOCK + lane;
          assert_memory_equal(&vertex[6 + k], &a.tangents[at], sizeof(float));
        }
        assert_true(vertex[10] == 0 && vertex[11] == 0);
      }
    }
    instance_free(&a);
  }
}

/* Each output alone has the bits that it has together with the others. */
static void outputs_do_not_depend_on_each_other(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 19, 100);
  instance_pose(&a, 0.7f, sup_transform_identity());
  for (int dual = 0; dual < 2; dual++) {
    float all[1000], alone[400] = {0};
    instance_skin(&a, dual, sup_backend_cpu(), NULL);
    memcpy(all, a.positions, 300 * sizeof(float));
    memcpy(all + 300, a.normals, 300 * sizeof(float));
    memcpy(all + 600, a.tangents, 400 * sizeof(float));
    for (int k = 0; k < 3; k++) {
      const SupSkinCall first = a.call;
      const SupSkinOutput none = {NULL, 0};
      a.call.positions = k == 0 ? (SupSkinOutput){alone, 3} : none;
      a.call.normals = k == 1 ? (SupSkinOutput){alone, 3} : none;
      a.call.tangents = k == 2 ? (SupSkinOutput){alone, 4} : none;
      instance_skin(&a, dual, sup_backend_cpu(), NULL);
      assert_memory_equal(alone, all + 300 * k, (k == 2 ? 400 : 300) * sizeof(float));
      a.call = first;
    }
  }
  instance_free(&a);
}

static void every_backend_and_thread_count_gives_the_same_bits(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 9, 5000);
  instance_pose(&a, 0.4f, (SupTransform){{1, 2, 3}, {0, 0.6f, 0, 0.8f}, {1, -2, 0.5f}});
  const SupBackend *backends[8];
  uint32_t count = sup_backend_list(backends, 8);
  for (int unit = 0; unit < 2; unit++) {
    for (int dual = 0; dual < 2; dual++) {
      a.call.unit = unit;
      instance_skin(&a, dual, backends[0], NULL);
      const uint64_t expected = instance_hash(&a);
      for (uint32_t k = 0; k < count; k++) {
        memset(a.positions, 0, 3 * 5000 * sizeof(float));
        instance_skin(&a, dual, backends[k], NULL);
        assert_true(instance_hash(&a) == expected);
      }
      for (uint32_t threads = 1; threads <= 8; threads++) {
        SupPool *pool = sup_pool_create(sup_heap_allocator(), threads);
        assert_non_null(pool);
        SupJobs jobs = sup_pool_jobs(pool);
        memset(a.positions, 0, 3 * 5000 * sizeof(float));
        instance_skin(&a, dual, sup_backend_cpu(), &jobs);
        assert_true(instance_hash(&a) == expected);
        sup_pool_destroy(pool);
      }
    }
  }
  instance_free(&a);
}

static void unit_normals_have_length_one(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 10, 100);
  ((SupVec3 *)a.creature.source.normals)[17] = (SupVec3){0, 0, 0};
  assert_int_equal(sup_skin_pack(&a.arena, &a.creature.source, &a.creature.skin, NULL), SUP_OK);
  instance_pose(&a, 0.4f, (SupTransform){{1, 2, 3}, {0, 0.6f, 0, 0.8f}, {3, 3, 3}});
  a.call.unit = true;
  for (int dual = 0; dual < 2; dual++) {
    instance_skin(&a, dual, sup_backend_cpu(), NULL);
    for (uint32_t v = 0; v < 100; v++) {
      const float *n = a.normals + 3 * v, *t = a.tangents + 4 * v;
      float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      assert_true(fabsf(length - (v == 17 ? 0.0f : 1.0f)) < 1e-6f);
      assert_true(fabsf(sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]) - 1) < 1e-6f);
    }
  }
  instance_free(&a);
}

static void nothing_is_allocated(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 11, 3000);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 2);
  assert_non_null(pool);
  SupJobs jobs = sup_pool_jobs(pool);
  const SupBackend *backend = sup_backend_cpu();
  size_t before = allocation_count;
  assert_true(before > 0); /* the counter counts */
  for (int i = 0; i < 100; i++) {
    instance_pose(&a, 0.03f * (float)i, sup_transform_identity());
    instance_skin(&a, i % 2, backend, &jobs);
  }
  assert_int_equal(allocation_count, before);
  sup_pool_destroy(pool);
  instance_free(&a);
}

/* ---- Packing -----------------------------------------------------------------------------------
 */

static void packing_refuses_what_is_wrong(void **state) {
  (void)state;
  Instance a;
  SupError error;
  SupSkinView skin;
  instance_make(&a, 12, 40);
  SupSkinSource good = a.creature.source, bad = good;
  uint32_t *order = (uint32_t *)good.order, *bones = (uint32_t *)good.skin.bones;
  float *weights = (float *)good.skin.weights;
  order[3] = order[4];
  assert_int_equal(sup_skin_pack(&a.arena, &good, &skin, &error), SUP_ERROR_ARGUMENT);
  order[3] = 40 - 1 - 3;
  bones[5] = CREATURE_JOINTS;
  assert_int_equal(sup_skin_pack(&a.arena, &good, &skin, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "vertex"));
  bones[5] = 0;
  weights[2] = NAN;
  assert_int_equal(sup_skin_pack(&a.arena, &good, &skin, &error), SUP_ERROR_FORMAT);
  weights[2] = 1;
  ((SupVec3 *)good.positions)[7].y = INFINITY;
  assert_int_equal(sup_skin_pack(&a.arena, &good, &skin, &error), SUP_ERROR_FORMAT);
  ((SupVec3 *)good.positions)[7].y = 0;
  bad.vertex_count = 0;
  assert_int_equal(sup_skin_pack(&a.arena, &bad, &skin, &error), SUP_ERROR_ARGUMENT);
  assert_int_equal(sup_skin_pack(&a.arena, &good, &skin, &error), SUP_OK);
  instance_free(&a);
}

static void packing_survives_every_failed_allocation(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 13, 500);
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    SupSkinView skin = {.flags = 99};
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupResult result = sup_skin_pack(&arena, &a.creature.source, &skin, NULL);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_int_equal(skin.flags, 99);
    assert_true(k < 100);
  }
  instance_free(&a);
}

/* A tetrahedron with a seam: five render vertices for four of the body. */
static void make_character(SupCharacter *out, const Creature *creature) {
  static const SupVec3 body[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  static const SupVec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}};
  static const SupVec3 normals[5] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}};
  static const uint32_t to_body[5] = {0, 1, 2, 3, 3};
  static const uint32_t offsets[5] = {0, 1, 3, 4, 6}, bones[6] = {0, 1, 2, 3, 4, 5};
  static const float weights[6] = {1, 0.75f, 0.25f, 1, 0.5f, 0.5f};
  static const SupVec3 morph[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 2, 0}};
  static const SupMorph morphs[1] = {{"grow", 0, morph}};
  *out = (SupCharacter){
      .name = "tetrahedron",
      .skeleton = creature->skeleton,
      .body = {4, 4, body, triangles},
      .skin = {4, 2, offsets, bones, weights},
      .render = {.vertex_count = 5, .to_body = to_body, .positions = positions, .normals = normals},
      .morph_count = 1,
      .morphs = morphs};
}

static void characters_are_packed_whole(void **state) {
  (void)state;
  Instance a;
  SupCharacter character;
  instance_make(&a, 14, 16);
  make_character(&character, &a.creature);
  instance_pose(&a, 0.3f, sup_transform_identity());
  a.weights[0] = 0.5f;
  float body[12], render[15], normals[15];
  SupSkinView skin;
  assert_int_equal(sup_skin_pack_character(&a.arena, &character, SUP_ORDER_BODY, &skin, NULL),
                   SUP_OK);
  assert_int_equal(skin.flags, SUP_SKIN_NORMALS);
  SupSkinCall call = {.skin = &skin,
                      .palette = a.palette,
                      .morph_weights = a.weights,
                      .positions = {body, 3},
                      .normals = {normals, 3}};
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
  /* Vertex 3, by hand: rest (0, 0, 1), morphed to (0, 1, 1), half bone 4 and half bone 5. */
  SupVec3 p = sup_vec3_lerp(sup_affine_point(a.palette[4], sup_vec3_make(0, 1, 1)),
                            sup_affine_point(a.palette[5], sup_vec3_make(0, 1, 1)), 0.5f);
  assert_true(sup_vec3_distance(p, sup_vec3_make(body[9], body[10], body[11])) < 1e-6f);
  /* The body's normal is the mean of the two at the seam. */
  SupVec3 up = sup_vec3_make(0, sqrtf(0.5f), sqrtf(0.5f));
  SupVec3 n = sup_vec3_lerp(sup_affine_direction(a.palette[4], up),
                            sup_affine_direction(a.palette[5], up), 0.5f);
  assert_true(sup_vec3_distance(n, sup_vec3_make(normals[9], normals[10], normals[11])) < 1e-6f);
  assert_int_equal(sup_skin_pack_character(&a.arena, &character, SUP_ORDER_RENDER, &skin, NULL),
                   SUP_OK);
  call.positions.data = render;
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
  assert_memory_equal(render, body, sizeof body); /* no cracks: the seam moves as one */
  assert_memory_equal(render + 12, body + 9, 3 * sizeof(float));
  n = sup_vec3_lerp(sup_affine_direction(a.palette[4], sup_vec3_make(0, 1, 0)),
                    sup_affine_direction(a.palette[5], sup_vec3_make(0, 1, 0)), 0.5f);
  assert_true(sup_vec3_distance(n, sup_vec3_make(normals[12], normals[13], normals[14])) < 1e-6f);
  instance_free(&a);
}

/* Writes `value` over item `index` of a section and seals the block again. */
static void damage(SupModel *model, uint32_t id, uint64_t index, uint32_t value) {
  uint64_t count;
  uint32_t *items = (uint32_t *)sup_model_section(model, id, 4, &count);
  assert_non_null(items);
  assert_true(index < count);
  items[index] = value;
  sup_model_seal(model);
}

static void damaged_models_are_refused(void **state) {
  (void)state;
  Instance a;
  SupCharacter character;
  instance_make(&a, 15, 16);
  make_character(&character, &a.creature);
  SupModel *model;
  SupError error;
  assert_int_equal(sup_skin_model(&a.arena, &character, SUP_ORDER_RENDER, &model, &error), SUP_OK);
  size_t bytes = (size_t)model->bytes;
  assert_int_equal(sup_model_check(model, bytes, NULL, &error), SUP_OK);
  SupSkinView skin = sup_skin_view(model);
  assert_int_equal(skin.vertex_count, 5);
  assert_int_equal(skin.morph_count, 1);
  const uint32_t nan_bits = 0x7fc00000u;
  const struct {
    uint32_t id, index, value;
  } cases[] = {
      {SUP_SECTION_SKIN_COUNTS, 0, 4},          {SUP_SECTION_SKIN_COUNTS, 1, 0},
      {SUP_SECTION_SKIN_COUNTS, 1, 17},         {SUP_SECTION_SKIN_COUNTS, 2, 2},
      {SUP_SECTION_SKIN_COUNTS, 3, 5},          {SUP_SECTION_SKIN_COUNTS, 4, 0},
      {SUP_SECTION_SKIN_ORDER, 15, 5},          {SUP_SECTION_SKIN_BONE_FIRST, 0, 1},
      {SUP_SECTION_SKIN_BONE_FIRST, 1, 7},      {SUP_SECTION_SKIN_BONES, 2, CREATURE_JOINTS},
      {SUP_SECTION_SKIN_RECORDS, 40, nan_bits}, {SUP_SECTION_SKIN_PIVOTS, 3, 0x40e00000u},
      {SUP_SECTION_SKIN_PIVOTS, 3, nan_bits},   {SUP_SECTION_SKIN_MORPH_FIRST, 1, 2},
      {SUP_SECTION_SKIN_MORPHS, 0, 1},          {SUP_SECTION_SKIN_OFFSETS, 9, nan_bits}};
  void *copy = sup_arena_copy(&a.arena, model, bytes, 1);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    memcpy(copy, model, bytes);
    damage((SupModel *)copy, cases[k].id, cases[k].index, cases[k].value);
    assert_int_equal(sup_model_check(copy, bytes, NULL, &error), SUP_ERROR_FORMAT);
  }
  instance_free(&a);
}

/* ---- Retargeting -------------------------------------------------------------------------------
 */

static void retargeting_to_oneself_is_exact(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 16, 16);
  SupRetargetJoint joints[CREATURE_JOINTS];
  SupRetarget retarget = sup_retarget_make(&a.creature.skeleton, &a.creature.skeleton, joints);
  assert_int_equal(retarget.matched_count, CREATURE_JOINTS);
  assert_true(retarget.scale == 1);
  SupTransform out_joints[CREATURE_JOINTS];
  SupPose out = {CREATURE_JOINTS, sup_transform_identity(), out_joints};
  instance_pose(&a, 0.6f, (SupTransform){{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}});
  sup_retarget_pose(&retarget, &a.pose, &out);
  assert_memory_equal(out_joints, a.joints, sizeof out_joints);
  assert_memory_equal(&out.root, &a.pose.root, sizeof out.root);
  SupClip clip;
  assert_int_equal(sup_clip_retarget(&a.arena, &retarget, &a.creature.clip, &clip, NULL), SUP_OK);
  assert_int_equal(clip.track_count, a.creature.clip.track_count - 1); /* without the weights */
  sup_pose_rest(&a.creature.skeleton, &out);
  sup_clip_sample(&clip, 0.6f, true, NULL, &out, NULL);
  assert_memory_equal(out_joints, a.joints, sizeof out_joints);
  const char *names[CREATURE_JOINTS]; /* all the same */
  for (uint32_t j = 0; j < CREATURE_JOINTS; j++) names[j] = "bone";
  SupSkeleton same = a.creature.skeleton;
  same.names = names;
  retarget = sup_retarget_make(&same, &same, joints);
  for (uint32_t j = 0; j < CREATURE_JOINTS; j++) assert_int_equal(joints[j].source, j);
  instance_free(&a);
}

/* The same skeleton with every joint's axes turned at random, twice the size, without its name
 * space and with two joints in reverse order: the turns in character space must be the same. */
static void retargeting_carries_turns_between_axes(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 17, 16);
  const SupSkeleton *from = &a.creature.skeleton;
  SupTransform rest[CREATURE_JOINTS];
  SupQuat axes[CREATURE_JOINTS];
  const char *names[CREATURE_JOINTS];
  SupRng rng = sup_rng(17, 17);
  for (int j = 0; j < CREATURE_JOINTS; j++) {
    SupQuat above = from->parents[j] < 0 ? sup_quat_identity() : axes[from->parents[j]];
    axes[j] = creature_rotation(&rng);
    SupQuat up = sup_quat_conjugate(above);
    rest[j] = from->rest[j];
    rest[j].rotation = sup_quat_mul(sup_quat_mul(up, from->rest[j].rotation), axes[j]);
    rest[j].translation = sup_vec3_scale(sup_quat_rotate(up, from->rest[j].translation), 2);
    names[j] = from->names[j] + 4; /* behind "rig:" */
  }
  SupSkeleton to = *from;
  to.rest = rest;
  to.names = names;
  SupRetargetJoint joints[CREATURE_JOINTS];
  SupRetarget retarget = sup_retarget_make(from, &to, joints);
  assert_int_equal(retarget.matched_count, CREATURE_JOINTS);
  assert_true(fabsf(retarget.scale - 2) < 1e-5f);
  SupClip clip;
  assert_int_equal(sup_clip_retarget(&a.arena, &retarget, &a.creature.clip, &clip, NULL), SUP_OK);
  for (int k = 0; k < 20; k++) {
    float time = 0.07f * (float)k;
    SupTransform out_joints[CREATURE_JOINTS], clip_joints[CREATURE_JOINTS];
    SupPose out = {CREATURE_JOINTS, sup_transform_identity(), out_joints};
    SupPose sampled = {CREATURE_JOINTS, sup_transform_identity(), clip_joints};
    SupAffine globals[CREATURE_JOINTS];
    instance_pose(&a, time, sup_transform_identity());
    sup_retarget_pose(&retarget, &a.pose, &out);
    sup_pose_rest(&to, &sampled);
    sup_clip_sample(&clip, time, true, NULL, &sampled, NULL);
    sup_pose_globals(&to, &out, globals);
    for (int j = 0; j < CREATURE_JOINTS; j++) {
      assert_true(transform_distance(&out_joints[j], &clip_joints[j]) < 4e-3);
      /* Twice as large at the same place in character space, axes turned by the constant. */
      SupVec3 expected = sup_vec3_scale(sup_affine_translation(a.globals[j]), 2);
      assert_true(sup_vec3_distance(sup_affine_translation(globals[j]), expected) < 2e-5f);
      SupMat3 turned = sup_mat3_mul(sup_affine_linear(a.globals[j]), sup_mat3_from_quat(axes[j]));
      for (int i = 0; i < 9; i++) assert_true(fabsf(turned.m[i] - globals[j].m[i]) < 1e-5f);
    }
  }
  instance_free(&a);
}

/* Other proportions: a clip carried over key by key plays as its poses carried over one by one. */
static void retargeted_clips_play_as_retargeted_poses(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 20, 16);
  SupTransform rest[CREATURE_JOINTS];
  memcpy(rest, a.creature.skeleton.rest, sizeof rest);
  for (int j = 0; j < CREATURE_JOINTS; j++) rest[j].translation.x += 0.3f;
  SupSkeleton to = a.creature.skeleton;
  to.rest = rest;
  SupRetargetJoint joints[CREATURE_JOINTS];
  SupRetarget retarget = sup_retarget_make(&a.creature.skeleton, &to, joints);
  SupClip clip;
  assert_int_equal(sup_clip_retarget(&a.arena, &retarget, &a.creature.clip, &clip, NULL), SUP_OK);
  for (int k = 0; k < 20; k++) {
    SupTransform expected[CREATURE_JOINTS], got[CREATURE_JOINTS];
    SupPose pose = {CREATURE_JOINTS, sup_transform_identity(), expected};
    SupPose sampled = {CREATURE_JOINTS, sup_transform_identity(), got};
    instance_pose(&a, 0.07f * (float)k, sup_transform_identity());
    sup_retarget_pose(&retarget, &a.pose, &pose);
    sup_pose_rest(&to, &sampled);
    sup_clip_sample(&clip, 0.07f * (float)k, true, NULL, &sampled, NULL);
    for (int j = 0; j < CREATURE_JOINTS; j++) {
      assert_true(sup_vec3_distance(expected[j].translation, got[j].translation) < 1e-5f);
      assert_true(transform_distance(&expected[j], &got[j]) < 2e-3);
    }
  }
  instance_free(&a);
}

static void unknown_joints_stay_at_rest(void **state) {
  (void)state;
  Instance a;
  instance_make(&a, 18, 16);
  const char *names[CREATURE_JOINTS];
  memcpy(names, a.creature.skeleton.names, sizeof names);
  names[5] = "tail";
  SupSkeleton to = a.creature.skeleton;
  to.names = names;
  SupRetargetJoint joints[CREATURE_JOINTS];
  SupRetarget retarget = sup_retarget_make(&a.creature.skeleton, &to, joints);
  assert_int_equal(retarget.matched_count, CREATURE_JOINTS - 1);
  SupTransform out_joints[CREATURE_JOINTS];
  SupPose out = {CREATURE_JOINTS, sup_transform_identity(), out_joints};
  instance_pose(&a, 0.6f, sup_transform_identity());
  sup_retarget_pose(&retarget, &a.pose, &out);
  assert_memory_equal(&out_joints[5], &to.rest[5], sizeof out_joints[5]);
  assert_true(transform_distance(&out_joints[4], &a.joints[4]) < 1e-3);
  instance_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clips_hold_their_ends_and_loop),
      cmocka_unit_test(a_cursor_changes_nothing),
      cmocka_unit_test(near_keys_agree_with_slerp),
      cmocka_unit_test(blends_meet_their_ends),
      cmocka_unit_test(adding_a_difference_gives_the_sum),
      cmocka_unit_test(rest_pose_moves_nothing),
      cmocka_unit_test(rigid_motion_in_is_rigid_motion_out),
      cmocka_unit_test(dual_quaternions_do_not_collapse),
      cmocka_unit_test(a_single_bone_is_followed_exactly),
      cmocka_unit_test(layouts_hold_the_same_numbers),
      cmocka_unit_test(outputs_do_not_depend_on_each_other),
      cmocka_unit_test(every_backend_and_thread_count_gives_the_same_bits),
      cmocka_unit_test(unit_normals_have_length_one),
      cmocka_unit_test(nothing_is_allocated),
      cmocka_unit_test(packing_refuses_what_is_wrong),
      cmocka_unit_test(packing_survives_every_failed_allocation),
      cmocka_unit_test(characters_are_packed_whole),
      cmocka_unit_test(damaged_models_are_refused),
      cmocka_unit_test(retargeting_to_oneself_is_exact),
      cmocka_unit_test(retargeting_carries_turns_between_axes),
      cmocka_unit_test(retargeted_clips_play_as_retargeted_poses),
      cmocka_unit_test(unknown_joints_stay_at_rest),
  };
  return cmocka_run_group_tests_name("anim", tests, NULL, NULL);
}
