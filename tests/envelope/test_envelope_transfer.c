/* SPDX-License-Identifier: MIT */
/* GUO-T9: carried over to a copy, to a scaled copy, to other frames and another bind pose. */
#include <math.h>

#include "arm_body.h"
#include "supple/pose.h"
#include "supple/retarget.h"
#include "train/envelope/envelope_work.h"

static const double probes[5][3] = {
    {1.2, 0, 0}, {0.4, 1.1, 0}, {1.1, 1.3, 0}, {0.8, 0.3, 0.5}, {-0.6, 0.2, 0}};

typedef struct Pair {
  ArmBody *from, *to;
  SupEnvelopeTrained trained, carried;
} Pair;

static SupEnvelopeTransferDef transfer_def(const Pair *p) {
  SupEnvelopeTransferDef def = sup_envelope_transfer_def(&p->trained, &p->to->character);
  def.patches_def = &p->to->body->def;
  def.patches = &p->to->body->patches;
  def.charts = &p->to->charts;
  return def;
}

static void carry(Pair *p, const SupEnvelopeTransferDef *def) {
  SupError error = {0};
  if (sup_envelope_transfer(&p->to->body->arena, def, &p->carried, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
}

static Pair learn(SupEnvelopeResidual residual, ArmBody *from, double size, double fat, bool like) {
  Pair p = {.from = from};
  SupError error = {0};
  arm_examples(p.from, 1);
  SupEnvelopeTrainDef def = arm_def(p.from, ARM_EXAMPLES);
  def.residual = residual;
  if (sup_envelope_train(&p.from->body->arena, &def, &p.trained, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  p.to = arm_make(2, size, fat, 0, like ? p.from : NULL);
  return p;
}

/* Learned on an arm; `to` is not carried to yet. */
static Pair make_pair(SupEnvelopeResidual residual, double size, double fat, bool like) {
  return learn(residual, arm_make(2, 1, 1, 0, NULL), size, fat, like);
}

static void free_pair(Pair *p) {
  arm_free(p->from);
  arm_free(p->to);
}

/* The largest distance of the two in any of the postures, over the size. The target's pose is what
 * retargeting makes of it. */
static double apart(Pair *p) {
  const uint32_t count = p->from->body->mesh.vertex_count;
  SupVec3 *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b);
  SupRetargetJoint joints[ARM_JOINTS];
  const SupRetarget retarget =
      sup_retarget_make(&p->from->character.skeleton, &p->to->character.skeleton, joints);
  double worst = 0;
  for (uint32_t k = 0; k < 5; k++) {
    SupTransform from[ARM_JOINTS], to[ARM_JOINTS];
    const SupPose pose = {ARM_JOINTS, sup_transform_identity(), from};
    SupPose other = {ARM_JOINTS, sup_transform_identity(), to};
    arm_pose(p->from, probes[k][0], probes[k][1], probes[k][2], from);
    sup_retarget_pose(&retarget, &pose, &other);
    arm_play(p->from, &p->trained.def, from, a);
    arm_play(p->to, &p->carried.def, to, b);
    for (uint32_t v = 0; v < count; v++) b[v] = sup_vec3_scale(b[v], (float)(1 / p->to->size));
    const double off = arm_apart(p->from, a, b);
    if (off > worst) worst = off;
  }
  free(a);
  free(b);
  return worst / p->trained.learned->figure.size;
}

static void copies_are_the_same(void **state) {
  (void)state;
  const double sizes[3] = {1, 100, 0.01};
  for (uint32_t k = 0; k < 3; k++) {
    for (SupEnvelopeResidual r = 0; r < SUP_ENVELOPE_RESIDUAL_COUNT; r++) {
      Pair p = make_pair(r, sizes[k], 1, true);
      const SupEnvelopeTransferDef def = transfer_def(&p);
      carry(&p, &def);
      /* What the linear layer and the residual give, and not plain skinning: */
      assert_true(p.carried.report.patches[0].field_count > 0);
      const double off = apart(&p);
      if (!(off < 2e-6))
        print_error("size %g, %s: %g\n", sizes[k], sup_envelope_residual_name(r), off);
      assert_true(off < 2e-6);
      free_pair(&p);
    }
  }
}

/* With patches divided: another size, examples met, and more corners. */
static void divided_copies_are_the_same(void **state) {
  (void)state;
  const double sizes[2] = {1, 100};
  for (uint32_t k = 0; k < 2; k++) {
    ArmBody *from = arm_make(2, 1, 1, 0, NULL);
    arm_divide(from, NULL);
    Pair p = learn(SUP_ENVELOPE_THIN_PLATE, from, sizes[k], 1, false);
    arm_divide(p.to, p.from);
    assert_int_equal(p.trained.report.patch_count, 24);
    assert_int_equal(p.trained.report.control_count, 6 + 12 + 8);
    SupVec3 *shown = calloc(from->body->mesh.vertex_count, sizeof *shown);
    for (uint32_t e = 0; e < ARM_EXAMPLES; e++) {
      arm_play(from, &p.trained.def, from->poses[e], shown);
      assert_true(arm_apart(from, shown, from->examples[e].positions) < 2e-6);
    }
    free(shown);
    const SupEnvelopeTransferDef def = transfer_def(&p);
    carry(&p, &def);
    const double off = apart(&p);
    if (!(off < 2e-6)) print_error("size %g: %g\n", sizes[k], off);
    assert_true(off < 2e-6);
    free_pair(&p);
  }
}

/* The same arm whose joints' own axes lie elsewhere. */
static void turn_frames(ArmBody *arm) {
  const SupVec3 axes[ARM_JOINTS] = {{0.36f, 0.48f, 0.8f}, {0, 0.6f, 0.8f}, {0.6f, 0, -0.8f}};
  SupQuat before = sup_quat_identity();
  SupAffine globals[ARM_JOINTS];
  for (uint32_t j = 0; j < ARM_JOINTS; j++) {
    const SupQuat now = sup_quat_from_axis_angle(axes[j], 1 + 0.7f * (float)j);
    const SupQuat back = sup_quat_conjugate(before);
    arm->rest[j].rotation = sup_quat_mul(back, now);
    arm->rest[j].translation = sup_quat_rotate(back, arm->rest[j].translation);
    before = now;
  }
  const SupPose pose = {ARM_JOINTS, sup_transform_identity(), arm->rest};
  sup_pose_globals(&arm->character.skeleton, &pose, globals);
  for (uint32_t j = 0; j < ARM_JOINTS; j++) {
    arm->inverse_bind[j] = sup_affine_inverse(globals[j]);
  }
}

static void frames_do_not_matter(void **state) {
  (void)state;
  Pair p = make_pair(SUP_ENVELOPE_THIN_PLATE, 1, 1, true);
  turn_frames(p.to);
  const SupEnvelopeTransferDef def = transfer_def(&p);
  carry(&p, &def);
  assert_true(apart(&p) < 5e-6);
  free_pair(&p);
}

/* Bound with a bent elbow: the shape in the straight pose is given, angles count from there. */
static void other_bind_poses_are_undone(void **state) {
  (void)state;
  Pair p = make_pair(SUP_ENVELOPE_THIN_PLATE, 1, 1, true);
  const uint32_t count = p.to->body->mesh.vertex_count;
  SupTransform straight[ARM_JOINTS], bent[ARM_JOINTS], pose[ARM_JOINTS];
  SupAffine globals[ARM_JOINTS];
  SupVec3 *bound = calloc(count, sizeof *bound), *a = calloc(count, sizeof *a);
  SupVec3 *b = calloc(count, sizeof *b);
  memcpy(straight, p.to->rest, sizeof straight);
  arm_pose(p.to, 0.6, -0.4, 0.3, bent);
  arm_skin(p.to, bent, NULL, bound);
  memcpy(p.to->rest, bent, sizeof bent);
  const SupPose rest = {ARM_JOINTS, sup_transform_identity(), p.to->rest};
  sup_pose_globals(&p.to->character.skeleton, &rest, globals);
  for (uint32_t j = 0; j < ARM_JOINTS; j++) {
    p.to->inverse_bind[j] = sup_affine_inverse(globals[j]);
  }
  p.to->character.body.positions = bound;
  SupEnvelopeTransferDef def = transfer_def(&p);
  def.dress = straight;
  def.positions = p.to->body->mesh.positions;
  carry(&p, &def);
  for (uint32_t k = 0; k < 5; k++) {
    arm_pose(p.from, probes[k][0], probes[k][1], probes[k][2], pose);
    arm_play(p.from, &p.trained.def, pose, a);
    arm_play(p.to, &p.carried.def, pose, b);
    assert_true(arm_apart(p.from, a, b) < 1e-5);
  }
  /* Without the shape it is what skinning makes of the bound one: near, with the bends' dents. */
  def.positions = NULL;
  carry(&p, &def);
  arm_play(p.to, &p.carried.def, straight, b);
  arm_play(p.from, &p.trained.def, straight, a);
  const double dents = arm_apart(p.from, a, b);
  assert_true(dents > 1e-3 && dents < 0.4);
  sup_envelope_shape_pose(&p.carried, 0, pose);
  assert_memory_equal(pose, straight, sizeof straight);
  free(bound);
  free(a);
  free(b);
  free_pair(&p);
}

static double rms(const ArmBody *arm, const SupVec3 *a, const SupVec3 *b) {
  const uint32_t count = arm->body->mesh.vertex_count;
  double sum = 0;
  for (uint32_t v = 0; v < count; v++) {
    const SupVec3 d = sup_vec3_sub(a[v], b[v]);
    sum += (double)sup_vec3_dot(d, d);
  }
  return sqrt(sum / count);
}

/* A wider arm bulges likewise: what was carried over is nearer to its own examples, which it does
 * not see, than skinning and than the layered shape alone. */
static void other_shapes_bulge_likewise(void **state) {
  (void)state;
  Pair p = make_pair(SUP_ENVELOPE_THIN_PLATE, 1, 1.3, true);
  const SupEnvelopeTransferDef def = transfer_def(&p);
  SupVec3 *got = calloc(p.to->body->mesh.vertex_count, sizeof *got);
  const float none[8] = {0};
  carry(&p, &def);
  arm_examples(p.to, 1);
  for (uint32_t k = 0; k < 3; k++) {
    SupEnvelopeDef layered = p.carried.def;
    layered.strengths = none;
    arm_play(p.to, &p.carried.def, p.to->poses[k], got);
    const double ours = rms(p.to, got, p.to->examples[k].positions);
    arm_play(p.to, &layered, p.to->poses[k], got);
    const double alone = rms(p.to, got, p.to->examples[k].positions);
    arm_skin(p.to, p.to->poses[k], NULL, got);
    const double skinned = rms(p.to, got, p.to->examples[k].positions);
    print_message("example %u: RMS %.4f, layered %.4f, skinning %.4f\n", k + 1, ours, alone,
                  skinned);
    assert_true(ours < 0.5 * skinned && ours < 0.7 * alone);
  }
  const SupVec3 b = p.carried.report.patches[0].scale;
  print_message("B of patch 0: %.3f %.3f %.3f\n", (double)b.x, (double)b.y, (double)b.z);
  assert_true(b.x > 0.95f && b.x < 1.35f && b.y > 0.95f && b.y < 1.35f && b.z > 0.95f &&
              b.z < 1.5f);
  free(got);
  free_pair(&p);
}

/* What an author says of the target. */
static void edits_and_scales_count(void **state) {
  (void)state;
  Pair p = make_pair(SUP_ENVELOPE_THIN_PLATE, 1, 1, true);
  SupEnvelopeTransferDef def = transfer_def(&p);
  SupVec3d control[6];
  SupEnvelopePatchOption options[8];
  uint32_t vertex = 0;
  carry(&p, &def);
  sup_envelope_shape_control(&p.carried, 3, control);
  while (strcmp(sup_envelope_control_name(&p.carried, vertex), "front") != 0) vertex++;
  SupVec3 wanted = sup_vec3d_to_float(control[vertex]);
  const SupEnvelopeEdit edit = {"front", 3, {0, 0, 0.25f}};
  wanted.z += 0.25f;
  for (uint32_t k = 0; k < 8; k++) {
    options[k] = sup_envelope_patch_option(p.to->body->patches.patches[k].name);
    options[k].scale = (SupVec3){1e-6f, 1e-6f, 1e-6f};
  }
  def.edit_count = 1;
  def.edits = &edit;
  def.option_count = 8;
  def.options = options;
  carry(&p, &def);
  SupVec3 *got = calloc(p.to->body->mesh.vertex_count, sizeof *got);
  arm_play(p.to, &p.carried.def, p.from->poses[2], got);
  /* With hardly any residual the feature is where the control vertex was put. */
  assert_true(sup_vec3_distance(got[p.to->body->features[4].at.a], wanted) < 1e-4f);
  free(got);
  free_pair(&p);
}

/* ---- What cannot be -------------------------------------------------------------------------- */

static void expect(Pair *p, const SupEnvelopeTransferDef *def, const char *words) {
  SupError error = {0};
  SupEnvelopeTrained none = {0};
  assert_int_not_equal(sup_envelope_transfer(&p->to->body->arena, def, &none, &error), SUP_OK);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  assert_null(none.learned);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  Pair p = make_pair(SUP_ENVELOPE_THIN_PLATE, 1, 1, true);
  SupEnvelopeTransferDef def = transfer_def(&p), bad = def;
  bad.cookie = 0;
  expect(&p, &bad, "start from");
  bad = def;
  const uint32_t without[ARM_JOINTS] = {0, SUP_NONE, 2}, wild[ARM_JOINTS] = {0, 7, 2};
  bad.joints = without;
  expect(&p, &bad, "no joint for 'elbow'");
  bad.joints = wild;
  expect(&p, &bad, "no joint 7");
  bad = def;
  SupPatches fewer = p.to->body->patches;
  fewer.patch_count = 7;
  SupPatchCharts charts = p.to->charts;
  charts.patch_count = 7;
  bad.patches = &fewer;
  bad.charts = &charts;
  expect(&p, &bad, "patch");
  bad = def;
  const SupEnvelopeEdit edit = {"fron", 1, {0, 0, 0}}, late = {"front", 9, {0, 0, 0}};
  bad.edit_count = 1;
  bad.edits = &edit;
  expect(&p, &bad, "did you mean 'front'");
  bad.edits = &late;
  expect(&p, &bad, "shape 9");
  const SupEnvelopeEdit twice[2] = {{"front", 1, {0, 0, 0}}, {"front", 1, {0, 1, 0}}};
  bad.edit_count = 2;
  bad.edits = twice;
  expect(&p, &bad, "moved twice in one shape");
  const SupEnvelopeEdit wild_edit = {"front", 1, {0, NAN, 0}};
  bad.edit_count = 1;
  bad.edits = &wild_edit;
  expect(&p, &bad, "not finite");
  carry(&p, &def);
  bad = def;
  bad.primary = &p.carried;
  expect(&p, &bad, "cannot be carried on");
  free_pair(&p);
  p = make_pair(SUP_ENVELOPE_THIN_PLATE, 1, 1, false);
  arm_free(p.to);
  p.to = arm_make(2, 1, 3, 0, NULL); /* other lengths, so other polygons */
  def = transfer_def(&p);
  expect(&p, &def, "polygon");
  free_pair(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_are_the_same),         cmocka_unit_test(divided_copies_are_the_same),
      cmocka_unit_test(frames_do_not_matter),        cmocka_unit_test(other_bind_poses_are_undone),
      cmocka_unit_test(other_shapes_bulge_likewise), cmocka_unit_test(edits_and_scales_count),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
