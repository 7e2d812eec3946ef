/* SPDX-License-Identifier: MIT */
/* The envelope: its shapes against the same equations in double, and what must not change. */
#include <math.h>

#include "sewn.h"

#define SIZE 2.0 /* of the tube */

static SupVec3d wide(SupVec3 v) { return (SupVec3d){(double)v.x, (double)v.y, (double)v.z}; }

/* The greatest distance over poses inside and outside the examples' box, roots that turn and scale,
 * strengths. */
static double disagreement(const PatchworkDef *def, float least, float most) {
  Sewn *s = sewn_create(def);
  SupVec3 *shown = sewn_room(s);
  SupVec3d *wanted = sewn_wide_room(s);
  SupRng rng = sup_rng(3, 1);
  double worst = 0;
  for (int round = 0; round < 60; round++) {
    const float bend = least + (most - least) * sup_rng_float(&rng);
    const float twist = 3 * sup_rng_float(&rng) - 1.5f;
    const SupTransform root =
        round % 3 ? sewn_root(round % 2 ? 1 : 1.75f) : sup_transform_identity();
    float strengths[12];
    for (int p = 0; p < 12; p++) strengths[p] = 2 * sup_rng_float(&rng);
    const float *given = round % 4 ? strengths : NULL;
    sewn_shape(s, root, bend, twist, given, shown);
    reference_shape(&s->arena, &s->patchwork, root, (double)bend, (double)twist, given, wanted);
    const double distance = sewn_distance(s, shown, wanted);
    if (!(distance <= worst)) worst = distance;
  }
  sewn_free(s);
  return worst;
}

static void agrees_with_the_equations(void **unused) {
  const PatchworkDef def = sewn_def();
  const double worst = disagreement(&def, -1, 2.2f);
  (void)unused;
  printf("against the equations in double: %.2g of the size\n", worst / SIZE);
  assert_true(worst < 2e-6 * SIZE);
}

/* The other kind of blend, and that it is another one. */
static void even_blends_agree_too(void **unused) {
  PatchworkDef def = sewn_def();
  def.even = true;
  const double worst = disagreement(&def, -1, 2.2f);
  SupVec3 *shown[2];
  Sewn *sewn[2];
  SupVec3d *wanted;
  (void)unused;
  printf("even blends, against the equations in double: %.2g of the size\n", worst / SIZE);
  assert_true(worst < 2e-6 * SIZE);
  for (int k = 0; k < 2; k++) {
    def.even = k;
    sewn[k] = sewn_create(&def);
    shown[k] = sewn_room(sewn[k]);
    sewn_shape(sewn[k], sup_transform_identity(), 0.4f, 0.3f, NULL, shown[k]);
  }
  wanted = sewn_wide_room(sewn[1]);
  for (uint32_t v = 0; v < sewn[1]->count; v++) wanted[v] = wide(shown[1][v]);
  assert_true(sewn_distance(sewn[0], shown[0], wanted) > 1e-4 * SIZE);
  for (int k = 0; k < 2; k++) sewn_free(sewn[k]);
}

/* A ring of control vertices halfway between the bones of a joint that folds: skinning draws them
 * into it, and they are lengthened as much as is allowed. */
static void folded_joints_agree_too(void **unused) {
  PatchworkDef def = sewn_def();
  def.along = 4;
  def.cells = 3;
  def.bare = 0;
  const double worst = disagreement(&def, 2.5f, 3.1f);
  (void)unused;
  printf("folded: %.2g of the size\n", worst / SIZE);
  assert_true(worst < 2e-5 * SIZE);
}

static void dress_pose_is_exact(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupVec3 *shown = sewn_room(s);
  SupVec3d *wanted = sewn_wide_room(s);
  (void)unused;
  for (uint32_t v = 0; v < s->count; v++)
    wanted[v] = wide(s->patchwork.character.body.positions[v]);
  sewn_shape(s, sup_transform_identity(), 0, 0, NULL, shown);
  assert_true(sewn_distance(s, shown, wanted) < 1e-6 * SIZE);
  sewn_free(s);
}

/* In the pose of shape 2, which no other shape shares, features are where the shape has them. */
static void example_pose_shows_its_shape(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  const Patchwork *p = &s->patchwork;
  const float none[6] = {0};
  SupVec3 *shown = sewn_room(s);
  double most = 0, moved = 0;
  (void)unused;
  sewn_shape(s, sup_transform_identity(), 1.4f, 0.6f, none, shown);
  SupVec3 *skinned = sewn_room(s);
  sewn_skin(s, sup_transform_identity(), 1.4f, 0.6f, skinned);
  for (uint32_t a = 0; a < def.around; a++) { /* the middle ring: none of its seams is open */
    const uint32_t control = def.around + a;
    const uint32_t v = (def.bare + def.cells) * def.around * def.cells + a * def.cells;
    const SupVec3 shape = p->controls[control * PATCHWORK_SHAPES + 2];
    most = fmax(most, (double)sup_vec3_distance(shown[v], shape));
    moved = fmax(moved, (double)sup_vec3_distance(skinned[v], shape));
  }
  assert_true(most < 2e-6 * SIZE && moved > 0.02);
  sewn_free(s);
}

/* A third angle, the bend once more, makes the residual of a patch 1 + 0.3 bend times as strong. */
static void three_angles(void **unused) {
  enum { THIRD = 6 };
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupVec3 *wanted = sewn_room(s), *shown = sewn_room(s);
  SupVec3d *wide_wanted = sewn_wide_room(s);
  const SupEnvelopeAngle *bend = &s->patchwork.def.angles[0];
  SupEnvelopePatch patches[6];
  const uint32_t angles[3] = {0, 1, 0}, samples[3] = {def.samples, def.samples, THIRD};
  const uint32_t count = def.samples * def.samples * def.fields;
  float *tables = SUP_ALLOC(&s->arena, float, THIRD *count), strengths[6] = {1, 1, 1, 1, 1, 1};
  (void)unused;
  strengths[0] = 1 + 0.3f * 1.1f;
  sewn_shape(s, sewn_root(1), 1.1f, 0.35f, strengths, wanted);
  for (uint32_t v = 0; v < s->count; v++) wide_wanted[v] = wide(wanted[v]);
  memcpy(patches, s->patchwork.def.patches, sizeof patches);
  assert_int_equal(patches[0].angle_count, 2);
  for (uint32_t i = 0; i < THIRD * count; i++) {
    const float at = bend->low + (bend->high - bend->low) * (float)(i / count) / (THIRD - 1);
    tables[i] = (1 + 0.3f * at) * patches[0].tables[i % count];
  }
  patches[0].angle_count = 3;
  patches[0].angles = angles;
  patches[0].samples = samples;
  patches[0].tables = tables;
  s->patchwork.def.patches = patches;
  sewn_pack(s);
  sewn_shape(s, sewn_root(1), 1.1f, 0.35f, NULL, shown);
  assert_true(sewn_distance(s, shown, wide_wanted) < 1e-6 * SIZE);
  sewn_free(s);
}

/* A blend that looks at no angle shows one shape in every pose: features go where skinning has
 * them. */
static void a_blend_without_angles(void **unused) {
  PatchworkDef def = sewn_def();
  def.fields = 0;
  def.revised = false;
  Sewn *s = sewn_create(&def);
  const uint32_t first[PATCHWORK_SHAPES] = {0};
  const float dress[PATCHWORK_SHAPES] = {1};
  const double always[2] = {0.25, 0.75};
  const SupEnvelopeBlend one = {
      .centre_count = 1, .cardinal = always, .centre_of_shape = first, .share_of_shape = dress};
  SupVec3 *shown = sewn_room(s), *skinned = sewn_room(s);
  (void)unused;
  s->patchwork.def.blend_count = 1;
  s->patchwork.def.blends = &one;
  s->patchwork.def.control_blends =
      SUP_ALLOC(&s->arena, uint32_t, s->patchwork.def.control_count); /* all 0 */
  sewn_pack(s);
  sewn_shape(s, sewn_root(1), 1.3f, -0.7f, NULL, shown);
  sewn_skin(s, sewn_root(1), 1.3f, -0.7f, skinned);
  for (uint32_t a = 0; a < def.around; a++) {
    const uint32_t v = (def.bare + def.cells) * def.around * def.cells + a * def.cells;
    assert_true(sup_vec3_distance(shown[v], skinned[v]) < 1e-6f * (float)SIZE);
  }
  sewn_free(s);
}

/* GUO-T8: what the root does is done to the shape, rigid or not. */
static void moves_with_the_root(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupVec3 *still = sewn_room(s), *moved = sewn_room(s);
  SupVec3d *wanted = sewn_wide_room(s);
  const float scales[4] = {1, 1.75f, 0.001f, 1000};
  (void)unused;
  sewn_shape(s, sup_transform_identity(), 1.1f, -0.4f, NULL, still);
  for (int k = 0; k < 4; k++) {
    const SupTransform root = sewn_root(scales[k]);
    const SupAffine map = sup_affine_compose(root);
    for (uint32_t v = 0; v < s->count; v++) wanted[v] = wide(sup_affine_point(map, still[v]));
    sewn_shape(s, root, 1.1f, -0.4f, NULL, moved);
    const double largest = fmax((double)scales[k], 0.2) * SIZE; /* the root is not at the origin */
    assert_true(sewn_distance(s, moved, wanted) < 1e-5 * largest);
  }
  sewn_free(s);
}

/* Without strength nothing but the layered shape is left, bit for bit. */
static void no_strength_is_layered(void **unused) {
  const PatchworkDef with = sewn_def();
  PatchworkDef without = sewn_def();
  without.fields = 0;
  Sewn *a = sewn_create(&with), *b = sewn_create(&without);
  const float none[6] = {0}, wild[6] = {-3, NAN, 1e30f, INFINITY, 1, 1};
  const float meant[6] = {0, 1, SUP_ENVELOPE_STRENGTH, 1, 1, 1};
  SupVec3 *x = sewn_room(a), *y = sewn_room(b);
  (void)unused;
  sewn_shape(a, sewn_root(1), 1.2f, 0.5f, none, x);
  sewn_shape(b, sewn_root(1), 1.2f, 0.5f, NULL, y);
  assert_memory_equal(x, y, a->count * sizeof *x);
  /* Strengths are kept in range; what is no number counts as the model's. */
  sewn_shape(a, sewn_root(1), 1.2f, 0.5f, wild, x);
  sewn_shape(a, sewn_root(1), 1.2f, 0.5f, meant, y);
  assert_memory_equal(x, y, a->count * sizeof *x);
  sewn_shape(b, sewn_root(1), 1.2f, 0.5f, NULL, y);
  assert_memory_not_equal(x, y, a->count * sizeof *x);
  sewn_free(a);
  sewn_free(b);
}

/* Open seams and bare flesh have the very bits of skinning. */
static void bare_flesh_is_skinned(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupVec3 *shown = sewn_room(s), *skinned = sewn_room(s);
  const uint32_t columns = def.around * def.cells, rows = s->count / columns;
  uint32_t same = 0;
  (void)unused;
  sewn_shape(s, sewn_root(1.5f), 0.9f, 0.3f, NULL, shown);
  sewn_skin(s, sewn_root(1.5f), 0.9f, 0.3f, skinned);
  for (uint32_t v = 0; v < s->count; v++) {
    const uint32_t row = v / columns;
    const bool plain = row <= def.bare || row + 1 + def.bare >= rows;
    if (plain) assert_memory_equal(&shown[v], &skinned[v], sizeof *shown);
    same += memcmp(&shown[v], &skinned[v], sizeof *shown) == 0;
  }
  assert_true(same < s->count / 2 + columns); /* the rest is not */
  sewn_free(s);
}

/* GUO-T10: what moves the whole border by one vector moves the interior by it. A patch that hangs
 * askew between seams that are open comes out as if it did not. */
static void constant_displacement_stays_constant(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  const SupVec3 askew = {0.1f, -0.05f, 0.2f};
  SupEnvelopeSeam *seams =
      SUP_COPY(&s->arena, SupEnvelopeSeam, s->patchwork.def.seams, s->patchwork.def.seam_count);
  SupVec3 *before = sewn_room(s), *after = sewn_room(s);
  SupVec3d *wanted = sewn_wide_room(s);
  (void)unused;
  for (uint32_t k = 0; k < s->patchwork.def.seam_count; k++) seams[k].open = 1;
  s->patchwork.def.seams = seams;
  sewn_pack(s);
  sewn_shape(s, sewn_root(1), 0.7f, 0.2f, NULL, before);
  for (uint32_t v = 0; v < s->count; v++) wanted[v] = wide(before[v]);
  for (uint32_t p = 0; p < s->patchwork.def.patch_count; p++) {
    const SupEnvelopePatch *patch = &s->patchwork.def.patches[p];
    SupVec3 *offsets = (SupVec3 *)(uintptr_t)patch->offsets; /* ours: patchwork_make's */
    for (uint32_t i = 0; i < patch->vertex_count; i++) offsets[i] = sup_vec3_add(offsets[i], askew);
  }
  sewn_pack(s);
  sewn_shape(s, sewn_root(1), 0.7f, 0.2f, NULL, after);
  assert_true(sewn_distance(s, after, wanted) < 2e-6 * SIZE);
  sewn_free(s);
}

/* A state that has seen other poses and strengths gives the bits of a fresh one. */
static void what_is_kept_changes_nothing(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *old = sewn_create(&def), *fresh = sewn_create(&def);
  SupVec3 *a = sewn_room(old), *b = sewn_room(fresh);
  const float half[6] = {0.5f, 0.5f, 0.5f, 1, 1, 1};
  const struct {
    float bend, twist;
    const float *strengths;
  } steps[] = {{0.5f, 0, NULL},    {0.5f, 0.4f, NULL}, {0.5f, 0.4f, half}, {0.5f, 0.4f, half},
               {0.5f, 0.9f, half}, {1.2f, 0.9f, NULL}, {0, 0, NULL},       {0.5f, 0, NULL}};
  const size_t bytes = 48 * (size_t)old->view.skin.block_count * sizeof(float);
  (void)unused;
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    const SupTransform root = k % 2 ? sewn_root(1) : sup_transform_identity();
    SupTransform flat = root;
    flat.scale.y = 0;
    if (k == 4)
      sewn_shape(old, flat, steps[k].bend, steps[k].twist, NULL, a); /* takes up nothing */
    sup_envelope_init(&fresh->view, fresh->state);
    sewn_shape(old, root, steps[k].bend, steps[k].twist, steps[k].strengths, a);
    sewn_shape(fresh, root, steps[k].bend, steps[k].twist, steps[k].strengths, b);
    assert_memory_equal(old->rows, fresh->rows, bytes);
    assert_memory_equal(old->normals, fresh->normals, bytes);
  }
  sewn_free(old);
  sewn_free(fresh);
}

static void a_flat_root_is_skinned(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupVec3 *shown = sewn_room(s), *skinned = sewn_room(s);
  SupTransform root = sewn_root(1);
  (void)unused;
  for (int k = 0; k < 2; k++) {
    root.scale.x = 0;
    if (k) root.scale = (SupVec3){0, 0, 0};
    sewn_shape(s, root, 0.5f, 0.2f, NULL, shown);
    sewn_skin(s, root, 0.5f, 0.2f, skinned);
    assert_memory_equal(shown, skinned, s->count * sizeof *shown);
  }
  sewn_free(s);
}

/* What people are told of a shape: residuals grow with strengths, seams part where only one of two
 * patches bulges, and nothing is stitched in the dress pose, or on bare flesh, or without a shape.
 */
static void figures_of_a_shape(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  const float none[6] = {0}, once[6] = {1, 1, 1, 1, 1, 1}, twice[6] = {2, 2, 2, 2, 2, 2};
  const float alone[6] = {4, 0, 0, 0, 0, 0}, *given[] = {none, once, twice, alone};
  float *stitched = test_malloc(4 * s->count * sizeof *stitched);
  float *residual = test_malloc(4 * s->count * sizeof *residual);
  SupVec3 *shown = sewn_room(s);
  double most = 0, parted = 0;
  SupTransform root = sewn_root(1);
  (void)unused;
  sewn_shape(s, root, 0, 0, NULL, shown);
  sup_envelope_measure(&s->view, s->state, stitched, residual);
  for (uint32_t v = 0; v < s->count; v++) assert_true(stitched[v] < 2e-6f * (float)SIZE);
  for (uint32_t k = 0; k < 4; k++) {
    sewn_shape(s, root, 1.2f, 0.5f, given[k], shown);
    sup_envelope_measure(&s->view, s->state, stitched + k * s->count, residual + k * s->count);
  }
  for (uint32_t v = 0; v < s->count; v++) {
    const double one = (double)residual[s->count + v], two = (double)residual[2 * s->count + v];
    const bool bare = s->view.sources[s->view.lanes[v]] == SUP_ENVELOPE_NONE;
    assert_true(residual[v] == 0);
    assert_true(fabs(two - 2 * one) < 1e-5);
    if (bare) assert_true(one == 0 && stitched[3 * s->count + v] == 0);
    if (one > most) most = one;
    if ((double)stitched[3 * s->count + v] > parted) parted = (double)stitched[3 * s->count + v];
  }
  assert_true(most > 1e-3);
  assert_true(parted > most); /* four times one patch, halved where it meets another one */
  root.scale = (SupVec3){0, 0, 0};
  sewn_shape(s, root, 1.2f, 0.5f, NULL, shown);
  sup_envelope_measure(&s->view, s->state, stitched, residual);
  for (uint32_t v = 0; v < s->count; v++) assert_true(stitched[v] == 0 && residual[v] == 0);
  test_free(residual);
  test_free(stitched);
  sewn_free(s);
}

static void control_mesh_moves_with_the_root(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupVec3 *shown = sewn_room(s);
  const SupTransform root = sewn_root(1.75f);
  SupVec3 *still = test_malloc(s->view.control_count * sizeof *still);
  (void)unused;
  sewn_shape(s, sup_transform_identity(), 0.9f, 0.4f, NULL, shown);
  memcpy(still, sup_envelope_controls(s->state), s->view.control_count * sizeof *still);
  sewn_shape(s, root, 0.9f, 0.4f, NULL, shown);
  for (uint32_t c = 0; c < s->view.control_count; c++) {
    const SupVec3 moved = sup_vec3_add(
        root.translation, sup_vec3_scale(sup_quat_rotate(root.rotation, still[c]), root.scale.x));
    const SupVec3 there = sup_envelope_controls(s->state)[c];
    assert_true(sup_vec3_length(sup_vec3_sub(moved, there)) < 1e-5f);
  }
  test_free(still);
  sewn_free(s);
}

/* A quaternion and its negative are one rotation. */
static void either_quaternion(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupTransform joints[PATCHWORK_JOINTS];
  SupAffine globals[PATCHWORK_JOINTS], palette[PATCHWORK_JOINTS];
  SupPose pose = {PATCHWORK_JOINTS, sup_transform_identity(), joints};
  SupVec3 *shown = sewn_room(s);
  SupVec3d *wanted = sewn_wide_room(s);
  (void)unused;
  sewn_shape(s, pose.root, 1.3f, -0.8f, NULL, shown);
  for (uint32_t v = 0; v < s->count; v++) wanted[v] = wide(shown[v]);
  patchwork_pose(&s->patchwork, 1.3f, -0.8f, joints);
  for (uint32_t j = 0; j < PATCHWORK_JOINTS; j++) {
    const SupQuat q = joints[j].rotation;
    joints[j].rotation = (SupQuat){-q.x, -q.y, -q.z, -q.w};
  }
  sup_pose_evaluate(&s->patchwork.character.skeleton, &pose, globals, palette);
  const SupEnvelopeCall call = {&pose, palette, NULL, s->rows, NULL, NULL};
  sup_envelope_shape(&s->view, s->state, sup_backend_cpu(), NULL, &call);
  for (uint32_t v = 0; v < s->count; v++) {
    const uint32_t lane = s->view.lanes[v];
    const float *at = s->rows + (size_t)48 * (lane / 16) + lane % 16;
    shown[v] = (SupVec3){at[0], at[16], at[32]};
  }
  assert_true(sewn_distance(s, shown, wanted) < 1e-6 * SIZE);
  sewn_free(s);
}

/* Frames are those of skinning; normals are those of the triangles. */
static void frames_and_normals(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupVec3 *shown = sewn_room(s), *normals = sewn_room(s);
  SupAffined palette[PATCHWORK_JOINTS];
  const SupMesh *body = &s->patchwork.character.body;
  const SupSkin *skin = &s->patchwork.character.skin;
  const SupTransform root = sewn_root(1);
  (void)unused;
  sewn_shape(s, root, 1.2f, 0.4f, NULL, shown);
  reference_palette(&s->patchwork, root, (double)1.2f, (double)0.4f, palette);
  for (uint32_t t = 0; t < body->triangle_count; t++) {
    const uint32_t *c = body->triangles + 3 * (size_t)t;
    const SupVec3 n = sup_vec3_cross(sup_vec3_sub(shown[c[1]], shown[c[0]]),
                                     sup_vec3_sub(shown[c[2]], shown[c[0]]));
    for (int k = 0; k < 3; k++) normals[c[k]] = sup_vec3_add(normals[c[k]], n);
  }
  for (uint32_t v = 0; v < s->count; v++) {
    const uint32_t lane = s->view.lanes[v];
    const float *n = s->normals + (size_t)48 * (lane / 16) + lane % 16;
    const SupVec3 unit = sup_vec3_normalise((SupVec3){n[0], n[16], n[32]});
    assert_true(sup_vec3_distance(unit, sup_vec3_normalise(normals[v])) < 1e-4f);
    for (uint32_t e = 0; e < 9; e++) {
      double sum = 0;
      for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
        sum += (double)skin->weights[k] * palette[skin->bones[k]].m[e];
      }
      const double is = (double)s->frames[(size_t)144 * (lane / 16) + 16 * e + lane % 16];
      assert_true(fabs(is - sum) < 1e-6);
    }
  }
  sewn_free(s);
}

/* A frame is a rotation whatever the corners are. */
static void faces_without_area(void **unused) {
  const SupVec3 faces[4][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                               {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}},
                               {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}},
                               {{1e9f, 0, 0}, {0, 1e9f, 0}, {0, 0, -1e9f}}};
  (void)unused;
  for (int f = 0; f < 4; f++) {
    const SupMat3 m = sup_envelope_frame(3, faces[f]);
    const SupMat3 i = sup_mat3_mul(sup_mat3_transpose(m), m);
    for (int e = 0; e < 9; e++) assert_true(fabsf(i.m[e] - (e % 4 == 0)) < 1e-6f);
    assert_true(sup_mat3_determinant(m) > 0.99f);
  }
  const SupMat3 first = sup_envelope_frame(3, faces[0]);
  assert_true(first.m[8] > 0.999f && first.m[4] > 0); /* up; x to the first edge, so y is +y */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_the_equations),
      cmocka_unit_test(even_blends_agree_too),
      cmocka_unit_test(folded_joints_agree_too),
      cmocka_unit_test(dress_pose_is_exact),
      cmocka_unit_test(example_pose_shows_its_shape),
      cmocka_unit_test(three_angles),
      cmocka_unit_test(a_blend_without_angles),
      cmocka_unit_test(moves_with_the_root),
      cmocka_unit_test(no_strength_is_layered),
      cmocka_unit_test(bare_flesh_is_skinned),
      cmocka_unit_test(constant_displacement_stays_constant),
      cmocka_unit_test(what_is_kept_changes_nothing),
      cmocka_unit_test(a_flat_root_is_skinned),
      cmocka_unit_test(figures_of_a_shape),
      cmocka_unit_test(control_mesh_moves_with_the_root),
      cmocka_unit_test(either_quaternion),
      cmocka_unit_test(frames_and_normals),
      cmocka_unit_test(faces_without_area),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
