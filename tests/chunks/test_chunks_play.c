/* SPDX-License-Identifier: MIT */
/* Playing chunks: the law in double precision, rest, roots, controls, poisoned poses, backends. */
#include <math.h>

#include "fleshed.h"

typedef struct Moment {
  SupTransform root, joints[PATCHWORK_JOINTS];
  SupPose pose;
} Moment;

static void moment(const Fleshed *f, Moment *m, SupTransform root, float bend, float twist) {
  m->root = root;
  m->pose = fleshed_pose(f, root, bend, twist, m->joints);
}

/* Every kind of end, driver and border, over bends, twists, scaled bones and scaled roots. */
static void plays_the_law(void **unused) {
  Fleshed *f = fleshed_create();
  SupVec3 *shown = fleshed_room(f), *skinned = fleshed_room(f);
  SupVec3d *wanted = SUP_ALLOC(&f->arena, SupVec3d, f->count);
  SupVec3d *nodes = SUP_ALLOC(&f->arena, SupVec3d, f->view.node_count);
  double most = 0, off_skin = 0, off_nodes = 0;
  Moment m;
  (void)unused;
  for (int i = 0; i < 24; i++) {
    moment(f, &m, fleshed_root(i % 2 ? 1 : 1.75f), 0.1f * (float)i - 0.6f, 1.5f - 0.12f * (float)i);
    if (i % 5 == 4) m.joints[2].scale = (SupVec3){1.2f, 0.9f, 1.1f};
    fleshed_law(f, &m.pose, NULL, wanted, nodes);
    fleshed_skin(f, &m.pose, skinned);
    fleshed_shape(f, &m.pose, NULL, shown);
    most = fmax(most, fleshed_distance(f, shown, wanted));
    off_skin = fmax(off_skin, fleshed_distance(f, skinned, wanted));
    for (uint32_t k = 0; k < f->view.node_count; k++) {
      const float *at = sup_chunks_nodes(&f->view, f->state, 0) + (size_t)16 * k + 9;
      const SupVec3d node = {(double)at[0], (double)at[1], (double)at[2]};
      off_nodes = fmax(off_nodes, sup_vec3d_distance(node, nodes[k]));
    }
  }
  printf("%.2g from the law, its nodes %.2g; plain skinning %.2g\n", most, off_nodes, off_skin);
  assert_true(most < 5e-6 && off_nodes < 3e-6 && off_skin > 0.05);
  fleshed_free(f);
}

/* GUO-T13: the binding pose is the binding pose, and a root moves, turns and scales all of it. */
static void rest_is_rest(void **unused) {
  Fleshed *f = fleshed_create();
  const SupVec3 *rest = f->character.body.positions;
  SupVec3 *shown = fleshed_room(f);
  Moment m;
  (void)unused;
  for (int i = 0; i < 3; i++) {
    const SupTransform root = i ? fleshed_root(i == 1 ? 1 : 3) : sup_transform_identity();
    const SupAffine by = sup_affine_compose(root);
    double most = 0;
    moment(f, &m, root, 0, 0);
    /* No bulge stands in the way: their curves begin at the angles' low ends. */
    float *zero = SUP_ALLOC(&f->arena, float, f->view.bulge_count);
    const SupChunksControls controls = {.bulge_scales = zero};
    fleshed_shape(f, &m.pose, &controls, shown);
    for (uint32_t v = 0; v < f->count; v++) {
      most = fmax(most, (double)sup_vec3_distance(shown[v], sup_affine_point(by, rest[v])));
    }
    printf("rest %d: %.2g\n", i, most);
    assert_true(most < (i == 2 ? 6e-6 : 2e-6));
  }
  fleshed_free(f);
}

static void controls_are_heard(void **unused) {
  Fleshed *f = fleshed_create();
  SupVec3 *plain = fleshed_room(f), *shown = fleshed_room(f), *skinned = fleshed_room(f);
  SupVec3d *wanted = SUP_ALLOC(&f->arena, SupVec3d, f->count);
  float *scales = SUP_ALLOC(&f->arena, float, f->view.bulge_count);
  float *heights = SUP_ALLOC(&f->arena, float, f->view.bulge_count);
  float *strengths = SUP_ALLOC(&f->arena, float, f->view.piece_count);
  const SupChunksControls controls = {scales, heights, strengths};
  Moment m;
  (void)unused;
  moment(f, &m, fleshed_root(1), 0.8f, 0.5f);
  for (uint32_t b = 0; b < f->view.bulge_count; b++) {
    scales[b] = 0.5f * (float)(b % 4);
    heights[b] = 0.03f * (float)(b % 3);
  }
  for (uint32_t p = 0; p < f->view.piece_count; p++) strengths[p] = 0.25f * (float)(p % 5);
  fleshed_law(f, &m.pose, &controls, wanted, NULL);
  fleshed_shape(f, &m.pose, &controls, shown);
  assert_true(fleshed_distance(f, shown, wanted) < 5e-6);
  /* What is no number is not given. */
  for (uint32_t b = 0; b < f->view.bulge_count; b++) scales[b] = heights[b] = NAN;
  for (uint32_t p = 0; p < f->view.piece_count; p++) strengths[p] = INFINITY;
  fleshed_shape(f, &m.pose, NULL, plain);
  fleshed_shape(f, &m.pose, &controls, shown);
  assert_memory_equal(plain, shown, f->count * sizeof *shown);
  /* Muted: skinning's very bits. */
  for (uint32_t p = 0; p < f->view.piece_count; p++) strengths[p] = -3;
  fleshed_shape(f, &m.pose, &controls, shown);
  fleshed_skin(f, &m.pose, skinned);
  double most = 0;
  for (uint32_t v = 0; v < f->count; v++) {
    most = fmax(most, (double)sup_vec3_distance(shown[v], skinned[v]));
  }
  assert_true(most < 3e-7); /* seams are means of equal places */
  fleshed_free(f);
}

/* GUO-T16: a bulge grows with its height, where it is and nowhere else, and never beyond. */
static void bulges_grow(void **unused) {
  Fleshed *f = fleshed_create();
  SupVec3 *flat = fleshed_room(f), *shown = fleshed_room(f);
  float *heights = SUP_ALLOC(&f->arena, float, f->view.bulge_count);
  float *scales = SUP_ALLOC(&f->arena, float, f->view.bulge_count);
  const SupChunksControls none = {.bulge_scales = scales};
  const SupChunksControls controls = {.bulge_scales = scales, .bulge_heights = heights};
  Moment m;
  (void)unused;
  moment(f, &m, sup_transform_identity(), 0, 0);
  fleshed_shape(f, &m.pose, &none, flat);
  for (uint32_t b = 0; b < f->view.bulge_count; b++) {
    double before = 0;
    for (int step = 1; step <= 4; step++) {
      heights[b] = 0.03f * (float)step;
      fleshed_shape(f, &m.pose, &controls, shown);
      double most = 0;
      uint32_t moved = 0;
      for (uint32_t v = 0; v < f->count; v++) {
        const double by = (double)sup_vec3_distance(shown[v], flat[v]);
        most = fmax(most, by);
        moved += by > 1e-4;
      }
      assert_true(most > before + 0.01 && most <= (double)heights[b] * 1.001);
      assert_true(moved < f->count / 4);
      before = most;
    }
    heights[b] = 1000; /* kept at its greatest */
    fleshed_shape(f, &m.pose, &controls, shown);
    for (uint32_t v = 0; v < f->count; v++) {
      assert_true((double)sup_vec3_distance(shown[v], flat[v]) < 0.2 * 1.001);
    }
    heights[b] = 0;
  }
  fleshed_free(f);
}

/* Angle and area drive what they should, and grow with them. */
static void drivers_drive(void **unused) {
  Fleshed *f = fleshed_create();
  SupVec3d *wanted = SUP_ALLOC(&f->arena, SupVec3d, f->count);
  SupVec3 *shown = fleshed_room(f);
  SupPoseAngle angles[PATCHWORK_ANGLES];
  uint32_t by_angle = 0, by_area = 0;
  Moment m;
  (void)unused;
  for (uint32_t b = 0; b < f->view.bulge_count; b++) {
    by_angle += f->view.bulges[b].driver == SUP_CHUNKS_BY_ANGLE;
    by_area += f->view.bulges[b].driver == SUP_CHUNKS_BY_AREA;
  }
  assert_true(by_angle > 2 && by_area > 1);
  memcpy(angles, f->def.angles, sizeof angles);
  angles[0].high = 0.3f; /* ends before the pose does */
  angles[1].low = 0;
  angles[1].high = 0; /* has no width */
  f->def.angles = angles;
  fleshed_pack(f);
  moment(f, &m, sup_transform_identity(), 0.9f, 0);
  fleshed_shape(f, &m.pose, NULL, shown);
  angles[1].high = 1e-3f;
  fleshed_law(f, &m.pose, NULL, wanted, NULL);
  assert_true(fleshed_distance(f, shown, wanted) < 5e-6);
  fleshed_free(f);
}

/* What a pose breaks is skinned, the rest plays on, and the next pose is as if nothing had been. */
static void poison_passes(void **unused) {
  Fleshed *f = fleshed_create();
  SupVec3 *before = fleshed_room(f), *after = fleshed_room(f), *skinned = fleshed_room(f);
  Moment good, bad;
  (void)unused;
  moment(f, &good, fleshed_root(1), 0.7f, 0.2f);
  fleshed_shape(f, &good.pose, NULL, before);
  for (int i = 0; i < 5; i++) {
    moment(f, &bad, fleshed_root(1), 0.7f, 0.2f);
    if (i == 0) bad.joints[3].translation.x = NAN;
    if (i == 1) bad.joints[3].scale = (SupVec3){0, 0, 0};
    if (i == 2) bad.joints[3].translation.y = 1e30f;
    if (i == 3) bad.pose.root.scale = (SupVec3){0, 1, 1};
    if (i == 4) bad.joints[3].rotation = (SupQuat){INFINITY, 0, 0, 1};
    fleshed_shape(f, &bad.pose, NULL, after);
    if (i == 1 || i == 3) {
      for (uint32_t v = 0; v < f->count; v++) assert_true(isfinite(after[v].x + after[v].y));
    }
    if (i == 3) {
      fleshed_skin(f, &bad.pose, skinned);
      assert_memory_equal(after, skinned, f->count * sizeof *after);
    }
    /* The lowest limb is far from that joint. */
    if (i == 0 || i == 2) assert_memory_equal(after, before, 24 * sizeof *after);
    fleshed_shape(f, &good.pose, NULL, after);
    assert_memory_equal(before, after, f->count * sizeof *after);
  }
  fleshed_free(f);
}

/* Faces without area: what is above them is skinned, and the limb that follows its rim, too. */
static void crushed_chunks_are_skinned(void **unused) {
  Fleshed *f = fleshed_create();
  SupVec3 *shown = fleshed_room(f), *skinned = fleshed_room(f);
  const uint32_t columns = f->plan.around * f->plan.cells;
  SupChunksInfluence *influences =
      SUP_COPY(&f->arena, SupChunksInfluence, f->def.influences, 2 * (size_t)f->def.point_count);
  Moment m;
  (void)unused;
  /* The upper band of ordinary chunks hangs on the last bone alone. */
  for (uint32_t k = 4 * f->plan.around; k < 6 * f->plan.around; k++) {
    influences[2 * k] = (SupChunksInfluence){3, 1};
    influences[2 * k + 1] = (SupChunksInfluence){3, 0};
  }
  f->def.influences = influences;
  fleshed_pack(f);
  moment(f, &m, sup_transform_identity(), 0.5f, 0.4f);
  m.joints[3].scale = (SupVec3){0, 0, 0};
  fleshed_shape(f, &m.pose, NULL, shown);
  fleshed_skin(f, &m.pose, skinned);
  double most = 0, below = 0;
  for (uint32_t v = 0; v < f->count; v++) {
    const double by = (double)sup_vec3_distance(shown[v], skinned[v]);
    const uint32_t row = v / columns, first = f->plan.bare + 3 * f->plan.cells;
    assert_true(isfinite(by));
    if (row > first) most = fmax(most, by); /* above the joint of the two limbs */
    if (row < first) below = fmax(below, by);
  }
  print_message("crushed: %.2g from skinning, %.2g below\n", most, below);
  assert_true(below > 0.01);
  /* What the seam at that joint spreads upwards is all that is left. */
  assert_true(most < 0.5 * below);
  fleshed_free(f);
}

/* The same bits on every backend. */
static void backends_agree(void **unused) {
  Fleshed *f = fleshed_create();
  const SupBackend *backends[8];
  const uint32_t count = sup_backend_list(backends, 8);
  SupVec3 *shown = fleshed_room(f);
  SupAffine globals[PATCHWORK_JOINTS], palette[PATCHWORK_JOINTS];
  float *rows = SUP_ALLOC(&f->arena, float, 48 * (size_t)f->view.skin.block_count);
  Moment m;
  (void)unused;
  moment(f, &m, fleshed_root(1.5f), 1.2f, -0.6f);
  fleshed_shape(f, &m.pose, NULL, shown);
  memcpy(rows, f->rows, 48 * sizeof *rows * f->view.skin.block_count);
  sup_pose_evaluate(&f->character.skeleton, &m.pose, globals, palette);
  for (uint32_t b = 0; b < count; b++) {
    const SupChunksCall call = {&m.pose, palette, NULL, f->rows, NULL, NULL};
    sup_chunks_shape(&f->view, f->state, backends[b], NULL, &call);
    assert_memory_equal(rows, f->rows, 48 * sizeof *rows * f->view.skin.block_count);
  }
  fleshed_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plays_the_law),
      cmocka_unit_test(rest_is_rest),
      cmocka_unit_test(controls_are_heard),
      cmocka_unit_test(bulges_grow),
      cmocka_unit_test(drivers_drive),
      cmocka_unit_test(poison_passes),
      cmocka_unit_test(crushed_chunks_are_skinned),
      cmocka_unit_test(backends_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
