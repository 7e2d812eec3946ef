/* SPDX-License-Identifier: MIT */
/*
 * A whole body with automatic patches: mochi, three examples that turn many joints at once. An
 * argument is the number of vertices; the time of a core is printed.
 */
#include "check.h"

#include <math.h>
#include <time.h>

#include "supple/author/builtin.h"
#include "supple/author/patch_auto.h"
#include "supple/io/file.h"
#include "supple/pose.h"
#include "supple/train/envelope.h"
#include "supple/train/patch_map.h"

#define EXAMPLES 3

static uint32_t vertex_count = 3000;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct Body {
  SupArena arena;
  SupCharacter character;
  SupPatchAuto found;
  SupPatchCharts charts;
  SupTransform *poses[EXAMPLES];
  SupVec3 *shapes[EXAMPLES];
  SupEnvelopeExample examples[EXAMPLES];
  float *rows;
} Body;

static void skin(Body *b, const SupTransform *joints, double bulge, SupVec3 *out) {
  const SupSkeleton *s = &b->character.skeleton;
  const SupSkin *w = &b->character.skin;
  SupAffine *globals = SUP_ALLOC(&b->arena, SupAffine, s->joint_count);
  SupAffine *palette = SUP_ALLOC(&b->arena, SupAffine, s->bone_count);
  SupTransform *copy = SUP_COPY(&b->arena, SupTransform, joints, s->joint_count);
  const SupPose pose = {s->joint_count, sup_transform_identity(), copy};
  sup_pose_evaluate(s, &pose, globals, palette);
  for (uint32_t v = 0; v < w->vertex_count; v++) {
    SupVec3 p = b->character.body.positions[v], sum = {0, 0, 0};
    p.z += (float)(bulge * sin(4 * (double)p.y));
    p.x *= 1 + (float)bulge;
    for (uint32_t k = w->offsets[v]; k < w->offsets[v + 1]; k++) {
      sum = sup_vec3_add_scaled(sum, sup_affine_point(palette[w->bones[k]], p), w->weights[k]);
    }
    out[v] = sum;
  }
}

/* Every joint turned, in each example about the same axis of its own and by another angle. */
static void make_examples(Body *b) {
  static const char *const names[EXAMPLES] = {"one", "two", "three"};
  const SupSkeleton *s = &b->character.skeleton;
  SupRng rng = sup_rng(9, 9);
  for (uint32_t k = 0; k < EXAMPLES; k++) {
    b->poses[k] = SUP_COPY(&b->arena, SupTransform, s->rest, s->joint_count);
    b->shapes[k] = SUP_ALLOC(&b->arena, SupVec3, b->character.body.vertex_count);
    assert_true(b->poses[k] && b->shapes[k]);
  }
  for (uint32_t j = 0; j < s->joint_count; j++) {
    const SupVec3 axis =
        sup_vec3_normalise((SupVec3){sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f, 0.5f});
    for (uint32_t k = 0; k < EXAMPLES; k++) {
      const float angle = 0.25f * (float)(k + 1) + 0.1f * sup_rng_float(&rng);
      SupQuat *q = &b->poses[k][j].rotation;
      *q = sup_quat_mul(*q, sup_quat_from_axis_angle(axis, angle));
    }
  }
  for (uint32_t k = 0; k < EXAMPLES; k++) {
    skin(b, b->poses[k], 0.03 * (k + 1), b->shapes[k]);
    b->examples[k] = (SupEnvelopeExample){names[k], b->poses[k], b->shapes[k]};
  }
}

static Body *make_body(void) {
  Body *b = calloc(1, sizeof *b);
  SupError error = {0};
  assert_non_null(b);
  sup_arena_init(&b->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "mochi", .vertices = vertex_count};
  assert_int_equal(sup_builtin_character(&b->arena, &def, &b->character, &error), SUP_OK);
  const SupPatchAutoDef automatic = sup_patch_auto_def(&b->character);
  assert_int_equal(sup_patch_auto(&b->arena, &automatic, &b->found, &error), SUP_OK);
  const SupPatchMapDef map = {.def = &b->found.def, .patches = &b->found.patches};
  assert_int_equal(sup_patch_charts(&b->arena, &map, &b->charts, &error), SUP_OK);
  make_examples(b);
  return b;
}

static void play(Body *b, const SupEnvelopeDef *def, const SupTransform *joints, SupVec3 *out) {
  const SupSkeleton *s = &b->character.skeleton;
  SupModel *model;
  SupError error = {0};
  if (sup_envelope_pack(&b->arena, &b->character, def, &model, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  const SupEnvelopeView view = sup_envelope_view(model);
  SupAffine *globals = SUP_ALLOC(&b->arena, SupAffine, s->joint_count);
  SupAffine *palette = SUP_ALLOC(&b->arena, SupAffine, s->bone_count);
  SupTransform *copy = SUP_COPY(&b->arena, SupTransform, joints, s->joint_count);
  float *rows = SUP_ALLOC(&b->arena, float, 48 * (size_t)view.skin.block_count);
  void *block = sup_arena_alloc(&b->arena, 1, sup_envelope_bytes(&view));
  assert_true(globals && palette && copy && rows && block);
  const SupPose pose = {s->joint_count, sup_transform_identity(), copy};
  sup_pose_evaluate(s, &pose, globals, palette);
  const SupEnvelopeCall call = {.pose = &pose, .palette = palette, .positions = rows};
  sup_envelope_shape(&view, sup_envelope_init(&view, block), sup_backend_cpu(), NULL, &call);
  for (uint32_t v = 0; v < view.skin.vertex_count; v++) {
    const float *at = rows + 48 * (size_t)(view.lanes[v] / 16) + view.lanes[v] % 16;
    out[v] = (SupVec3){at[0], at[16], at[32]};
  }
}

static void a_body_meets_its_examples(void **state) {
  (void)state;
  Body *b = make_body();
  const uint32_t count = b->character.body.vertex_count;
  SupVec3 *got = calloc(count, sizeof *got);
  SupEnvelopeTrained t;
  SupError error = {0};
  SupEnvelopeTrainDef def = sup_envelope_train_def(&b->character);
  def.patches_def = &b->found.def;
  def.patches = &b->found.patches;
  def.charts = &b->charts;
  def.example_count = EXAMPLES;
  def.examples = b->examples;
  const double start = seconds();
  if (sup_envelope_train(&b->arena, &def, &t, &error) != SUP_OK) fail_msg("%s", error.text);
  print_message("%u vertices, %u patches, %u control vertices, %u angles: %.2f s\n", count,
                t.report.patch_count, t.report.control_count, t.report.angle_count,
                seconds() - start);
  for (uint32_t k = 0; k < t.report.note_count; k++) print_message("  %s\n", t.report.notes[k]);
  double worst = 0, lost = 0;
  uint32_t fields = 0;
  for (uint32_t p = 0; p < t.report.patch_count; p++) {
    fields += t.report.patches[p].field_count;
    if (t.report.patches[p].lost > lost) lost = t.report.patches[p].lost;
  }
  for (uint32_t k = 0; k < EXAMPLES; k++) {
    play(b, &t.def, b->poses[k], got);
    for (uint32_t v = 0; v < count; v++) {
      const double d = (double)sup_vec3_distance(got[v], b->shapes[k][v]);
      if (d > worst) worst = d;
    }
  }
  print_message("  examples met within %.1e m, %.1f fields per patch, lost %.1e at most, %zu MB\n",
                worst, (double)fields / t.report.patch_count, lost, b->arena.used >> 20);
  assert_true(worst < 2e-3); /* mochi is 1.5 m high */
  play(b, &t.def, b->character.skeleton.rest, got);
  for (uint32_t v = 0; v < count; v++) {
    assert_true(sup_vec3_distance(got[v], b->character.body.positions[v]) < 1e-5f);
  }
  free(got);
  sup_arena_free(&b->arena);
  free(b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_body_meets_its_examples)};
  if (argc > 1) vertex_count = (uint32_t)strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
