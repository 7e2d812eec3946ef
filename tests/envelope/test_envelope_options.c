/* SPDX-License-Identifier: MIT */
/* What examples and options ask of learning an envelope: merging, spanning, contradictions. */
#include <math.h>

#include "arm_body.h"
#include "train/envelope/envelope_work.h"

static SupEnvelopeTrained train(ArmBody *arm, const SupEnvelopeTrainDef *def) {
  SupEnvelopeTrained trained;
  SupError error = {0};
  if (sup_envelope_train(&arm->body->arena, def, &trained, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  return trained;
}

static bool noted(const SupEnvelopeTrained *t, const char *words) {
  for (uint32_t k = 0; k < t->report.note_count; k++) {
    if (strstr(t->report.notes[k], words)) return true;
  }
  return false;
}

/* Two shapes in one pose, of which one has twice the bulge: between them lies what is played. */
static void equal_poses_are_averaged(void **state) {
  (void)state;
  const double bend[3] = {1.1, 0, 0}, bulge[2] = {0.3, 0.2};
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  const uint32_t count = arm->body->mesh.vertex_count;
  SupVec3 *got = calloc(count, sizeof *got), *mean = calloc(count, sizeof *mean);
  arm_example(arm, 0, bend, bulge, 1);
  arm_example(arm, 1, bend, bulge, 2);
  arm_example(arm, 2, bend, bulge, 1.5);
  memcpy(mean, arm->examples[2].positions, count * sizeof *mean);
  const SupEnvelopeTrainDef def = arm_def(arm, 2);
  const SupEnvelopeTrained t = train(arm, &def);
  assert_true(noted(&t, "'one' and 'two' have one pose"));
  assert_true(noted(&t, "8 of 8 patches"));
  assert_int_equal(t.report.note_count, 2);
  arm_play(arm, &t.def, arm->poses[0], got);
  assert_true(arm_apart(arm, got, mean) < 1e-3);
  free(got);
  free(mean);
  arm_free(arm);
}

/* A sculpt of the dress pose itself changes nothing there. */
static void dress_poses_do_not_count(void **state) {
  (void)state;
  const double none[3] = {0, 0, 0}, bend[3] = {1.1, 0, 0}, bulge[2] = {0.3, 0.2};
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  SupVec3 *got = calloc(arm->body->mesh.vertex_count, sizeof *got);
  arm_example(arm, 0, none, bulge, 1);
  arm_example(arm, 1, bend, bulge, 1);
  const SupEnvelopeTrainDef def = arm_def(arm, 2);
  const SupEnvelopeTrained t = train(arm, &def);
  SupVec3d control[6];
  assert_true(noted(&t, "'one' has the dress pose"));
  sup_envelope_layered(t.learned, 0, control);
  for (uint32_t v = 0; v < 6; v++) {
    assert_true(sup_vec3d_distance(control[v], t.learned->control.shapes[v]) < 1e-9);
  }
  arm_play(arm, &t.def, arm->rest, got);
  assert_true(arm_apart(arm, got, arm->body->mesh.positions) < 1e-5);
  arm_play(arm, &t.def, arm->poses[1], got);
  assert_true(arm_apart(arm, got, arm->examples[1].positions) < 1e-4);
  free(got);
  arm_free(arm);
}

/* Two angles that all examples turn alike are one direction; the other has no coefficient. */
static void unspanned_angles_are_told(void **state) {
  (void)state;
  const double bend[3] = {1, 0.5, 0}, bulge[2] = {0.3, 0.2};
  const SupEnvelopeTurn turns[2] = {{1, {0, 0, 0}}, {2, {1, 0, 0}}};
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  SupVec3 *got = calloc(arm->body->mesh.vertex_count, sizeof *got);
  SupEnvelopePatchOption option = sup_envelope_patch_option(arm->body->patches.patches[2].name);
  arm_example(arm, 0, bend, bulge, 1);
  option.turn_count = 2;
  option.turns = turns;
  option.strength = 0.5f;
  SupEnvelopeTrainDef def = arm_def(arm, 1);
  def.option_count = 1;
  def.options = &option;
  const SupEnvelopeTrained t = train(arm, &def);
  assert_true(noted(&t, "span 1 of 2 angles"));
  assert_int_equal(t.report.patches[2].angle_count, 2);
  assert_int_equal(t.def.patches[2].angle_count, 2);
  assert_true(t.def.strengths[2] == 0.5f && t.def.strengths[1] == 1.0f);
  for (uint32_t k = 0; k < 3; k++)
    assert_int_equal(t.report.patches[k == 2 ? 1 : k].angle_count, 1);
  SupEnvelopeDef whole = t.def;
  whole.strengths = NULL;
  arm_play(arm, &whole, arm->poses[0], got);
  assert_true(arm_apart(arm, got, arm->examples[0].positions) < 1e-4);
  free(got);
  arm_free(arm);
}

/* The angle of a bend is found: its joint, its axis, and how far. */
static void angles_are_found(void **state) {
  (void)state;
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  arm_examples(arm, 1);
  const SupEnvelopeTrainDef def = arm_def(arm, 2); /* the elbow, then the wrist */
  const SupEnvelopeTrained t = train(arm, &def);
  assert_int_equal(t.def.angle_count, 2);
  const double most[2] = {1.2, 1.4};
  for (uint32_t a = 0; a < 2; a++) {
    const SupEnvelopeAngle *angle = &t.def.angles[a];
    assert_int_equal(angle->joint, a + 1);
    assert_true(fabs((double)angle->axis.x - 1) < 1e-6);
    assert_true(angle->low == 0 && fabs((double)angle->high - most[a]) < 1e-6);
  }
  assert_int_equal(t.def.root, 0);
  assert_int_equal(t.def.control_count, 6);
  assert_int_equal(t.report.moved_count, arm->body->mesh.vertex_count);
  arm_free(arm);
}

static void expect(ArmBody *arm, const SupEnvelopeTrainDef *def, const char *words) {
  SupError error = {0};
  SupEnvelopeTrained none = {0};
  assert_int_not_equal(sup_envelope_train(&arm->body->arena, def, &none, &error), SUP_OK);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  assert_null(none.learned);
}

/* Which way the arm faces is no angle, and cannot be named as one. */
static void headings_are_no_angles(void **state) {
  (void)state;
  const double angles[3] = {1, 0, 0}, bulge[2] = {0.3, 0.1};
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  arm_example(arm, 0, angles, bulge, 1);
  const SupQuat turn = sup_quat_exp(sup_vec3_make(0, 0.5f, 0));
  arm->poses[0][0].rotation = sup_quat_mul(turn, arm->poses[0][0].rotation);
  SupEnvelopeTrainDef def = arm_def(arm, 1);
  const SupEnvelopeTrained t = train(arm, &def);
  assert_int_equal(t.def.angle_count, 1);
  assert_int_equal(t.def.angles[0].joint, 1);
  const SupEnvelopeTurn turns[1] = {{0, {0, 1, 0}}};
  SupEnvelopePatchOption option = sup_envelope_patch_option(t.report.patches[0].name);
  option.turn_count = 1;
  option.turns = turns;
  def.option_count = 1;
  def.options = &option;
  expect(arm, &def, "turns the character as a whole");
  arm_free(arm);
}

/* Examples a degree apart that differ as the others do in a radian. */
static void contradictions_are_told(void **state) {
  (void)state;
  const double poses[4][3] = {{0.5, 0, 0}, {1.0, 0, 0}, {1.02, 0, 0}, {1.5, 0, 0}};
  const double bulge[2] = {0.3, 0.1};
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  for (uint32_t k = 0; k < 3; k++) arm_example(arm, k, poses[k], bulge, k == 2 ? 0 : poses[k][0]);
  SupEnvelopeTrainDef def = arm_def(arm, 3);
  const SupEnvelopeTrained t = train(arm, &def);
  assert_true(noted(&t, "contradict"));
  assert_true(t.report.patches[0].contradiction > 8);
  const double met = t.report.left;
  def.ridge = 0.05;
  const SupEnvelopeTrained smooth = train(arm, &def);
  assert_true(smooth.report.left > 3 * met && smooth.report.left > 1e-3);
  for (uint32_t k = 0; k < 3; k++) arm_example(arm, k, poses[k], bulge, poses[k][0]);
  def.ridge = 0;
  const SupEnvelopeTrained sound = train(arm, &def);
  assert_false(noted(&sound, "contradict"));
  arm_free(arm);
}

/* Half-way to the only example the bulge grows sooner with a small `ease` (4F 14: 52 % at 0.5, 29 %
 * at 2). */
static void ease_is_felt(void **state) {
  (void)state;
  const double bend[3] = {1.2, 0, 0}, bulge[2] = {0.3, 0};
  const double eases[2] = {0.5, 2};
  double half[2];
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  arm_example(arm, 0, bend, bulge, 1);
  for (uint32_t k = 0; k < 2; k++) {
    SupEnvelopeTrainDef def = arm_def(arm, 1);
    def.ease = eases[k];
    const SupEnvelopeTrained t = train(arm, &def);
    const EnvelopePatch *p = &t.learned->faces[0];
    double squares[2048], level[2], at[6], most = 0;
    const double middle = 0.6, end = 1.2;
    sup_envelope_levels(&p->residual, &middle, &level[0]);
    sup_envelope_levels(&p->residual, &end, &level[1]);
    for (uint32_t v = 0; v < p->count; v++) {
      sup_envelope_residual_at(p, p->uv[v], 2, level, squares, at);
      const double length = sup_sqrt(at[3] * at[3] + at[4] * at[4] + at[5] * at[5]);
      if (length < most) continue;
      most = length;
      half[k] = sup_sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]) / length;
    }
  }
  print_message("half-way: %.2f at 0.5, %.2f at 2\n", half[0], half[1]);
  assert_true(half[0] > 0.45 && half[0] < 0.6 && half[1] < half[0] - 0.1);
  arm_free(arm);
}

/* ---- Weights and the revision ---------------------------------------------------------------- */

static void weights_follow_the_skin_or_the_joints(void **state) {
  (void)state;
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  arm_examples(arm, 1);
  SupEnvelopeTrainDef def = arm_def(arm, 1);
  for (uint32_t literal = 0; literal < 2; literal++) {
    def.literal = literal;
    def.nearest_count = 2;
    const SupEnvelopeTrained t = train(arm, &def);
    for (uint32_t v = 0; v < t.def.control_count; v++) {
      const uint32_t first = t.def.influence_offsets[v], end = t.def.influence_offsets[v + 1];
      double sum = 0;
      for (uint32_t k = first; k < end; k++) sum += (double)t.def.influences[k].weight;
      assert_true(fabs(sum - 1) < 1e-6);
      if (literal) assert_int_equal(end - first, 2);
      if (literal && strcmp(sup_envelope_control_name(&t, v), "up") == 0) {
        /* At (0, 2.5, 0): 1.8 from the wrist, 2.9 from the elbow. */
        assert_int_equal(t.def.influences[first].bone, 1);
        assert_true(fabs((double)t.def.influences[first].weight - 1.8 / 4.7) < 1e-4);
      }
    }
  }
  arm_free(arm);
}

/* A ring of control vertices at a bending joint keeps its distance; skinning lets it cave in. */
static void bends_do_not_cave_in(void **state) {
  (void)state;
  const double bend[3] = {1.8, 0, 0}, none[2] = {0, 0};
  ArmBody *arm = arm_make(3, 1, 1, 0, NULL);
  arm_example(arm, 0, bend, none, 0);
  SupEnvelopeTrainDef def = arm_def(arm, 1);
  def.revise = true;
  def.revision = 0;
  const SupEnvelopeTrained t = train(arm, &def);
  uint32_t kept = 0;
  for (uint32_t v = 0; v < t.def.control_count; v++) {
    const EnvelopeRevision *r = &t.learned->control.revisions[v];
    if (r->bone == SUP_NONE) continue;
    const SupVec3d plain = sup_envelope_skinned(t.learned, v, 0, 1);
    const SupVec3d revised = sup_envelope_revised(t.learned, v, 0, 1);
    const SupVec3d joint = sup_affined_point(t.learned->figure.palettes[3 + r->bone], r->centre);
    const SupVec3d rest = t.learned->control.shapes[v];
    const SupVec3d a = sup_vec3d_sub(rest, r->centre), b = sup_vec3d_sub(revised, joint);
    /* The axis is x in both. */
    assert_true(fabs(hypot(a.y, a.z) - hypot(b.y, b.z)) < 1e-6);
    assert_true(sup_vec3d_distance(plain, joint) < sup_vec3d_distance(revised, joint));
    kept++;
  }
  assert_true(kept >= 2);
  arm_free(arm);
}

/* ---- What cannot be -------------------------------------------------------------------------- */

static void nonsense_is_refused(void **state) {
  (void)state;
  ArmBody *arm = arm_make(2, 1, 1, 0, NULL);
  SupEnvelopePatchOption options[2] = {sup_envelope_patch_option("patch-1"),
                                       sup_envelope_patch_option("patch-1")};
  arm_examples(arm, 1);
  const SupEnvelopeTrainDef def = arm_def(arm, ARM_EXAMPLES);
  SupEnvelopeTrainDef bad = def;
  bad.cookie = 0;
  expect(arm, &bad, "start from");
  bad = def, bad.example_count = 0;
  expect(arm, &bad, "0 examples");
  bad = def, bad.ease = 0;
  expect(arm, &bad, "out of range");
  bad = def, bad.root = 9;
  expect(arm, &bad, "no joint 9");
  bad = def, bad.option_count = 2, bad.options = options;
  expect(arm, &bad, "set twice");
  options[0].patch = "patch-x";
  expect(arm, &bad, "there is no patch 'patch-x'; did you mean");
  options[0].patch = "patch-2", options[0].strength = 9;
  expect(arm, &bad, "strength");
  SupVec3 *broken = calloc(arm->body->mesh.vertex_count, sizeof *broken);
  broken[5].y = NAN;
  SupEnvelopeExample examples[2] = {arm->examples[0], {"broken", arm->poses[1], broken}};
  bad = def, bad.example_count = 2, bad.examples = examples;
  expect(arm, &bad, "vertex 5 in example 'broken' is not finite");
  examples[1] = (SupEnvelopeExample){"rest", NULL, arm->body->mesh.positions};
  bad.example_count = 1, bad.examples = examples + 1;
  expect(arm, &bad, "no example turns a joint");
  SupTransform flat[ARM_JOINTS];
  memcpy(flat, arm->poses[0], sizeof flat);
  flat[2].scale.y = 0;
  examples[0].pose = flat, bad.examples = examples;
  expect(arm, &bad, "'wrist' has no volume");
  free(broken);
  arm_free(arm);
}

static void memory_runs_out(void **state) {
  (void)state;
  ArmBody *arm = arm_make(2, 1, 1, 0, NULL);
  SupEnvelopeTrained trained;
  arm_examples(arm, 1);
  const SupEnvelopeTrainDef def = arm_def(arm, 2);
  uint32_t failed = 0;
  for (size_t limit = 1u << 12; limit < 1u << 26; limit += limit / 3) {
    SupArena arena;
    SupError error = {0};
    sup_arena_init(&arena, sup_heap_allocator(), limit);
    const SupResult result = sup_envelope_train(&arena, &def, &trained, &error);
    if (result != SUP_OK) assert_int_equal(result, SUP_ERROR_MEMORY);
    failed += result != SUP_OK;
    sup_arena_free(&arena);
  }
  assert_true(failed > 3);
  arm_free(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_poses_are_averaged),
      cmocka_unit_test(dress_poses_do_not_count),
      cmocka_unit_test(unspanned_angles_are_told),
      cmocka_unit_test(angles_are_found),
      cmocka_unit_test(headings_are_no_angles),
      cmocka_unit_test(contradictions_are_told),
      cmocka_unit_test(ease_is_felt),
      cmocka_unit_test(weights_follow_the_skin_or_the_joints),
      cmocka_unit_test(bends_do_not_cave_in),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
