/* SPDX-License-Identifier: MIT */
/* Names and poses in a model, and control vertices that are moved to see what an edit makes. */
#include <math.h>

#include "arm_body.h"
#include "sewn.h"
#include "supple/author/envelope_origin.h"
#include "supple/author/model_pack.h"

static const char *const names[] = {"a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1", "c2"};
static const char *const examples[] = {"", "fist, frame 3", "J\xc3\xbcrg", ""};

/* With names and poses: those of the patchwork are all the bind pose. */
static Sewn *named(void) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupTransform *poses = SUP_ALLOC(&s->arena, SupTransform, PATCHWORK_SHAPES * PATCHWORK_JOINTS);
  assert_non_null(poses);
  assert_int_equal(s->view.control_count, sizeof names / sizeof *names);
  for (int k = 0; k < PATCHWORK_SHAPES; k++) {
    patchwork_pose(&s->patchwork, 0.1f * (float)k, 0, poses + k * PATCHWORK_JOINTS);
  }
  s->patchwork.def.control_names = names;
  s->patchwork.def.shape_names = examples;
  s->patchwork.def.shape_poses = poses;
  return s;
}

static void names_and_poses_are_kept(void **unused) {
  Sewn *s = named();
  SupEnvelopeDef parts;
  SupModel *again;
  SupError error;
  (void)unused;
  assert_null(sup_envelope_control_label(s->model, 0));
  assert_null(sup_envelope_shape_label(s->model, 1));
  assert_null(sup_envelope_shape_joints(s->model, 1));
  sewn_pack(s);
  for (uint32_t c = 0; c < s->view.control_count; c++) {
    assert_string_equal(sup_envelope_control_label(s->model, c), names[c]);
  }
  for (uint32_t k = 0; k < PATCHWORK_SHAPES; k++) {
    assert_string_equal(sup_envelope_shape_label(s->model, k), examples[k]);
    assert_memory_equal(sup_envelope_shape_joints(s->model, k),
                        s->patchwork.def.shape_poses + k * PATCHWORK_JOINTS,
                        PATCHWORK_JOINTS * sizeof(SupTransform));
  }
  assert_int_equal(sup_envelope_unpack(&s->arena, s->model, &parts, &error), SUP_OK);
  assert_int_equal(sup_envelope_pack(&s->arena, &s->patchwork.character, &parts, &again, &error),
                   SUP_OK);
  assert_int_equal(s->model->bytes, again->bytes);
  assert_memory_equal(s->model, again, (size_t)again->bytes);
  sewn_free(s);
}

/* What is not sound is refused, and what is not there is not missed. */
static void assert_says(Sewn *s, const void *at, uint32_t value, const char *words) {
  SupError error = {{0}};
  SupModel *copy = (SupModel *)sup_arena_alloc(&s->arena, 1, (size_t)s->model->bytes);
  memcpy(copy, s->model, (size_t)s->model->bytes);
  memcpy((char *)copy + ((const char *)at - (const char *)s->model), &value, 4);
  sup_model_seal(copy);
  const SupResult result = sup_model_check(copy, (size_t)copy->bytes, NULL, &error);
  if (!words) {
    assert_int_equal(result, SUP_OK);
  } else if (result == SUP_OK || !strstr(error.text, words)) {
    fail_msg("'%s' does not say '%s'", error.text, words);
  }
}

static void damage_is_refused(void **unused) {
  Sewn *s = named();
  uint64_t bytes, count;
  (void)unused;
  sewn_pack(s);
  const char *labels =
      (const char *)sup_model_section(s->model, SUP_SECTION_ENVELOPE_LABELS, 1, &bytes);
  const SupTransform *poses = (const SupTransform *)sup_model_section(
      s->model, SUP_SECTION_ENVELOPE_POSES, sizeof *poses, &count);
  assert_true(labels && poses && count == PATCHWORK_SHAPES * PATCHWORK_JOINTS);
  assert_says(s, labels, 0x61616161, "names");             /* one end less */
  assert_says(s, labels, 0, "names");                      /* more of them */
  assert_says(s, labels + bytes - 4, 0x61000000, "names"); /* open */
  assert_says(s, &poses[1].translation.y, 0x7fc00000u, "poses");
  assert_says(s, &poses[1].scale.z, 0x7f800000u, "poses");
  assert_says(s, &poses[2].rotation.w, 0x40000000u, "poses");
  const SupModelSection *sections = (const SupModelSection *)(const void *)(s->model + 1);
  for (uint32_t k = 0; k < s->model->section_count; k++) {
    const SupModelSection *section = &sections[k];
    const bool has_labels = section->id == SUP_SECTION_ENVELOPE_LABELS;
    if (!has_labels && section->id != SUP_SECTION_ENVELOPE_POSES) continue;
    assert_says(s, &section->id, SUP_FOURCC('N', 'O', 'N', 'E'), NULL);
    assert_says(s, &section->count, (uint32_t)section->count - 1, has_labels ? "names" : "poses");
  }
  sewn_free(s);
}

/* ---- Moves ----------------------------------------------------------------------------------- */

typedef struct Carried {
  ArmBody *from, *to;
  SupEnvelopeTrained trained;
} Carried;

static SupModel *carry(Carried *c, uint32_t edit_count, const SupEnvelopeEdit *edits) {
  SupEnvelopeTransferDef def = sup_envelope_transfer_def(&c->trained, &c->to->character);
  SupEnvelopeTrained carried;
  SupModel *model = NULL;
  SupError error = {{0}};
  def.patches_def = &c->to->body->def;
  def.patches = &c->to->body->patches;
  def.charts = &c->to->charts;
  def.edit_count = edit_count;
  def.edits = edits;
  if (sup_envelope_transfer(&c->to->body->arena, &def, &carried, &error) ||
      sup_envelope_pack(&c->to->body->arena, &c->to->character, &carried.def, &model, &error)) {
    fail_msg("%s", error.text);
  }
  return model;
}

static Carried make_carried(bool revise) {
  Carried c = {.from = arm_make(2, 1, 1, 0, NULL)};
  SupError error = {{0}};
  arm_examples(c.from, 1);
  SupEnvelopeTrainDef def = arm_def(c.from, ARM_EXAMPLES);
  def.revise = revise;
  if (sup_envelope_train(&c.from->body->arena, &def, &c.trained, &error)) {
    fail_msg("%s", error.text);
  }
  c.to = arm_make(2, 1.3, 1.2, 0, c.from);
  return c;
}

static void palette_of(const Carried *c, const SupTransform *joints, SupAffine *out_palette) {
  SupTransform copy[ARM_JOINTS];
  SupAffine globals[ARM_JOINTS];
  memcpy(copy, joints, sizeof copy);
  const SupPose pose = {ARM_JOINTS, sup_transform_identity(), copy};
  sup_pose_evaluate(&c->to->character.skeleton, &pose, globals, out_palette);
}

/* All points are where the build puts them, of the vertex that was moved and of all others. */
static void moves_are_edits(void **unused) {
  (void)unused;
  for (int revise = 0; revise < 2; revise++) {
    Carried c = make_carried(revise);
    const SupEnvelopeEdit edit = {"front", 3, {0.02f, -0.05f, 0.25f}};
    const SupModel *before = carry(&c, 0, NULL), *after = carry(&c, 1, &edit);
    const SupEnvelopeView a = sup_envelope_view(before), b = sup_envelope_view(after);
    const size_t count = (size_t)a.influence_first[a.control_count] * a.shape_count;
    const size_t revised = (size_t)a.control_count * a.shape_count;
    SupVec3 *points = SUP_COPY(&c.to->body->arena, SupVec3, a.points, count);
    SupVec3 *alone = SUP_COPY(&c.to->body->arena, SupVec3, a.revision_points, revised);
    SupAffine palette[ARM_JOINTS];
    uint32_t control = 0;
    double most = 0;
    while (strcmp(sup_envelope_control_label(before, control), "front") != 0) control++;
    assert_string_equal(sup_envelope_shape_label(before, 3), c.from->examples[2].name);
    palette_of(&c, sup_envelope_shape_joints(before, 3), palette);
    assert_true(sup_envelope_move(&a, palette, control, 3, edit.move, points, alone));
    for (size_t k = 0; k < count; k++) {
      assert_true(sup_vec3_distance(points[k], b.points[k]) < 2e-6f);
      most = fmax(most, (double)sup_vec3_distance(points[k], a.points[k]));
    }
    assert_true(most > 0.2);
    for (size_t k = 0; revise && k < revised; k++) {
      assert_true(sup_vec3_distance(alone[k], b.revision_points[k]) < 2e-6f);
    }
    assert_true(sup_envelope_move(&a, palette, control, 3, (SupVec3){0, 0, 0}, points, alone));
    assert_memory_equal(points, a.points, count * sizeof *points); /* and back */
    const SupVec3 wild = {0, NAN, 0};
    assert_false(sup_envelope_move(&a, palette, control, 3, wild, points, alone));
    palette[0] = palette[1] = palette[2] = (SupAffine){{0}};
    assert_false(sup_envelope_move(&a, palette, control, 3, edit.move, points, alone));
    assert_memory_equal(points, a.points, count * sizeof *points);
    arm_free(c.from);
    arm_free(c.to);
  }
}

/* In its own pose a vertex goes as far as it is moved; elsewhere the move follows what is seen. */
static void what_is_seen_tells_the_move(void **unused) {
  Carried c = make_carried(false);
  const SupModel *model = carry(&c, 0, NULL);
  const SupEnvelopeView view = sup_envelope_view(model);
  const SupVec3 seen = {0.01f, 0.02f, -0.03f};
  SupAffine then[ARM_JOINTS], now[ARM_JOINTS];
  SupTransform pose[ARM_JOINTS];
  SupVec3 move;
  (void)unused;
  palette_of(&c, sup_envelope_shape_joints(model, 2), then);
  arm_pose(c.to, 0.4, 1.1, 0, pose);
  palette_of(&c, pose, now);
  for (uint32_t control = 0; control < view.control_count; control++) {
    const uint32_t first = view.influence_first[control], end = view.influence_first[control + 1];
    assert_true(sup_envelope_move_seen(&view, then, then, control, 1, seen, &move));
    assert_true(sup_vec3_distance(move, seen) < 1e-6f);
    assert_true(sup_envelope_move_seen(&view, then, now, control, 0.5f, seen, &move));
    SupVec3 got = {0, 0, 0};
    for (uint32_t i = first; i < end; i++) {
      const uint32_t bone = view.influences[i].bone;
      const SupMat3 back = sup_mat3_inverse(sup_affine_linear(then[bone]));
      const SupVec3 way = sup_affine_direction(now[bone], sup_mat3_mul_vec3(back, move));
      got = sup_vec3_add_scaled(got, way, 0.5f * view.influences[i].weight);
    }
    assert_true(sup_vec3_distance(got, seen) < 1e-6f);
    assert_false(sup_envelope_move_seen(&view, then, now, control, 0, seen, &move));
  }
  arm_free(c.from);
  arm_free(c.to);
}

/* A vertex that does not know a shape takes the blend of one that does. */
static void some_blend_shows_each_shape(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  SupEnvelopeView view = s->view;
  float *shares =
      SUP_COPY(&s->arena, float, view.shape_shares, (size_t)view.blend_count *view.shape_count);
  (void)unused;
  view.shape_shares = shares;
  assert_true(view.blend_count > 1);
  for (uint32_t b = 0; b < view.blend_count; b++) shares[b * view.shape_count + 1] = b == 0;
  uint32_t others = 0;
  for (uint32_t c = 0; c < view.control_count; c++) {
    others += view.control_blends[c] != 0;
    assert_int_equal(sup_envelope_blend_showing(&view, c, 1), 0);
  }
  assert_true(others > 0 && others < view.control_count);
  shares[1] = 0;
  assert_int_equal(sup_envelope_blend_showing(&view, 0, 1), SUP_ENVELOPE_NONE);
  sewn_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_poses_are_kept),
      cmocka_unit_test(damage_is_refused),
      cmocka_unit_test(moves_are_edits),
      cmocka_unit_test(what_is_seen_tells_the_move),
      cmocka_unit_test(some_blend_shows_each_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
