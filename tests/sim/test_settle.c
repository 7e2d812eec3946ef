/* SPDX-License-Identifier: MIT */
/* Poses in which flesh has little room: what bones hold, and how a body gets there. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "supple/author/builtin.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "supple/pose.h"
#include "supple/sim/simulate.h"

typedef struct Stage {
  SupArena arena;
  SupCharacter character;
  SupPosed pose;
  SupAffined *globals, *palette;
  uint32_t joint;
  double angle; /* radians that `joint` turns about its x axis on the way */
} Stage;

static Stage *stage_create(const char *name, uint32_t vertices) {
  Stage *stage = calloc(1, sizeof *stage);
  SupError error;
  assert_non_null(stage);
  sup_arena_init(&stage->arena, sup_heap_allocator(), 0);
  SupBuiltinDef def = {.name = name, .vertices = vertices};
  if (sup_builtin_character(&stage->arena, &def, &stage->character, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  const SupSkeleton *skeleton = &stage->character.skeleton;
  stage->pose.joint_count = skeleton->joint_count;
  stage->pose.joints = SUP_ALLOC(&stage->arena, SupTransformd, skeleton->joint_count);
  stage->globals = SUP_ALLOC(&stage->arena, SupAffined, skeleton->joint_count);
  stage->palette = SUP_ALLOC(&stage->arena, SupAffined, skeleton->bone_count);
  return stage;
}

static void stage_free(Stage *stage) {
  sup_arena_free(&stage->arena);
  free(stage);
}

static void finish_pose(Stage *stage, SupAffined *out_palette) {
  sup_pose_evaluate_f64(&stage->character.skeleton, &stage->pose, stage->globals, out_palette);
}

/* ---- How a body gets there ------------------------------------------------------------------ */

static void bend(void *user, double fraction, SupAffined *out_palette) {
  Stage *stage = user;
  sup_pose_rest_f64(&stage->character.skeleton, &stage->pose);
  SupQuatd *rotation = &stage->pose.joints[stage->joint].rotation;
  double half = fraction * stage->angle / 2;
  *rotation = sup_quatd_mul(*rotation, (SupQuatd){sin(half), 0, 0, cos(half)});
  finish_pose(stage, out_palette);
}

static void bent(void *user, double time, SupAffined *out_palette) {
  (void)time;
  bend(user, 1, out_palette);
}

/* Settles the bent leg; the least volume of an element is left in *out_worst. */
static SupResult settle(Stage *stage, SupPaletteFn *way, double *out_worst, SupError *error) {
  SupSimDef def = sup_sim_def(&stage->character, sup_heap_allocator());
  def.fill.tet_target = 2000;
  def.integrator = SUP_INTEGRATE_STATIC;
  SupSim *sim;
  SupSimReport report;
  SupSimFrame frame = {0};
  if (sup_sim_create(&def, &sim, &report, error) != SUP_OK) fail_msg("%s", error->text);
  SupResult result = sup_sim_settle(sim, bent, way, stage, 0, error);
  if (result == SUP_OK) result = sup_sim_advance(sim, bent, stage, 0, 1, &frame, error);
  *out_worst = frame.worst_volume;
  sup_sim_free(sim);
  return result;
}

static void far_poses_are_reached_right_side_out(void **state) {
  (void)state;
  Stage *stage = stage_create("leg", 1500);
  SupError error;
  stage->joint = 2;
  stage->angle = 2.5;
  double at_once = 0, led = 0;
  if (settle(stage, NULL, &at_once, &error) != SUP_OK) fail_msg("%s", error.text);
  if (settle(stage, bend, &led, &error) != SUP_OK) fail_msg("%s", error.text);
  print_message("a knee bent by %.0f degrees: elements keep %.2f of their volume\n",
                stage->angle * 180 / 3.141592653589793, at_once);
  assert_true(at_once > 0.05 && fabs(at_once - led) < 0.02);
  stage_free(stage);
}

/* What is locked looks as plain skinning does, however coarse the lattice is. */
static void locked_skin_follows_its_weights(void **state) {
  (void)state;
  Stage *stage = stage_create("leg", 1500);
  const SupMesh *body = &stage->character.body;
  const SupSkin *weights = &stage->character.skin;
  float *lock = SUP_ALLOC(&stage->arena, float, body->vertex_count);
  SupVec3 *skin = SUP_ALLOC(&stage->arena, SupVec3, body->vertex_count);
  for (uint32_t v = 0; v < body->vertex_count; v++) lock[v] = body->positions[v].y < 0.25f;
  stage->joint = 1;
  stage->angle = 1.2;
  SupSimDef def = sup_sim_def(&stage->character, sup_heap_allocator());
  def.fill.tet_target = 300;
  def.attach.lock = lock;
  SupSim *sim;
  SupSimReport report;
  SupError error;
  if (sup_sim_create(&def, &sim, &report, &error) != SUP_OK) fail_msg("%s", error.text);
  if (sup_sim_settle(sim, bent, NULL, stage, 0, &error) != SUP_OK) fail_msg("%s", error.text);
  sup_sim_skin(sim, skin);
  bend(stage, 1, stage->palette);
  double low = 0, high = 0;
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    SupVec3d plain = {0, 0, 0}, point = sup_vec3_to_double(body->positions[v]);
    for (uint32_t k = weights->offsets[v]; k < weights->offsets[v + 1]; k++) {
      SupVec3d moved = sup_affined_point(stage->palette[weights->bones[k]], point);
      plain = sup_vec3d_add_scaled(plain, moved, (double)weights->weights[k]);
    }
    double gap = sup_vec3d_distance(plain, sup_vec3_to_double(skin[v]));
    if (body->positions[v].y < 0.1f) low = fmax(low, gap);
    if (!(lock[v] > 0)) high = fmax(high, gap);
  }
  print_message("from plain skinning: %.1e m where locked, %.3f m above\n", low, high);
  assert_true(low < 1e-6 && high > 0.002);
  sup_sim_free(sim);
  stage_free(stage);
}

/* ---- Bones that scale ----------------------------------------------------------------------- */

/* The last bone of the leg, scaled. */
static void scaled(void *user, double time, SupAffined *out_palette) {
  Stage *stage = user;
  sup_pose_rest_f64(&stage->character.skeleton, &stage->pose);
  const double size = stage->angle + time * (1 - stage->angle);
  stage->pose.joints[stage->joint].scale = (SupVec3d){size, size, size};
  finish_pose(stage, out_palette);
}

/* A clip hides a part by making it tiny, and lets it grow again: its flesh is shown at the size
 * that it has in plain skinning, and nothing is crushed. */
static void hidden_parts_come_and_go(void **state) {
  (void)state;
  static const double sizes[] = {0, 1e-12, 1e-3, 0.3, 0.9, 3};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    Stage *stage = stage_create("leg", 800);
    const SupMesh *body = &stage->character.body;
    const SupSkin *weights = &stage->character.skin;
    SupVec3 *skin = SUP_ALLOC(&stage->arena, SupVec3, body->vertex_count);
    SupSimDef def = sup_sim_def(&stage->character, sup_heap_allocator());
    SupSim *sim;
    SupSimReport report;
    SupSimFrame frame = {0};
    SupError error;
    stage->joint = 2;
    stage->angle = sizes[k];
    def.fill.tet_target = 1500;
    if (sup_sim_create(&def, &sim, &report, &error) != SUP_OK) fail_msg("%s", error.text);
    if (sup_sim_settle(sim, scaled, NULL, stage, 0, &error) != SUP_OK) fail_msg("%s", error.text);
    sup_sim_skin(sim, skin);
    scaled(stage, 0, stage->palette);
    double off = 0, size = 0;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
      const uint32_t bone = weights->bones[weights->offsets[v]];
      if (bone != 2 || weights->weights[weights->offsets[v]] < 0.99f) continue;
      const SupVec3d point = sup_vec3_to_double(body->positions[v]);
      const SupVec3d plain = sup_affined_point(stage->palette[bone], point);
      const SupVec3d joint = sup_affined_translation(stage->globals[2]);
      off = fmax(off, sup_vec3d_distance(plain, sup_vec3_to_double(skin[v])));
      size = fmax(size, sup_vec3d_distance(plain, joint));
    }
    for (int i = 0; i < 6; i++) {
      if (sup_sim_advance(sim, scaled, stage, i / 6.0, 1 / 6.0, &frame, &error) != SUP_OK) {
        fail_msg("%g: %s", sizes[k], error.text);
      }
    }
    print_message("scale %g: %.2e of its size %.2e off, least element %.2f\n", sizes[k], off, size,
                  frame.worst_volume);
    assert_true(off <= 0.1 * size + 1e-3 && frame.worst_volume > 0.2);
    sup_sim_free(sim);
    stage_free(stage);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(locked_skin_follows_its_weights),
      cmocka_unit_test(hidden_parts_come_and_go),
      cmocka_unit_test(far_poses_are_reached_right_side_out),
  };
  return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
