/* SPDX-License-Identifier: MIT */
/* Poses in which flesh has little room: what bones hold, and how a body gets there. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "fem/release_conflicts.h"
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

/* ---- What bones hold ------------------------------------------------------------------------ */

static SupVec3d place(const Stage *stage, const SupFill *fill, const SupAttachment *attachment,
                      uint32_t n) {
  SupVec3d sum = {0, 0, 0};
  for (size_t k = SUP_ATTACH_BONES * (size_t)n; k < SUP_ATTACH_BONES * ((size_t)n + 1); k++) {
    SupVec3d moved = sup_affined_point(stage->palette[attachment->bones[k]], fill->mesh.nodes[n]);
    sum = sup_vec3d_add_scaled(sum, moved, (double)attachment->weights[k]);
  }
  return sum;
}

/* The least fraction of its length that an edge between two held nodes gets. */
static double shortest_edge(Stage *stage, const SupFill *fill, const SupAttachment *attachment) {
  double least = INFINITY;
  for (uint32_t t = 0; t < fill->mesh.tet_count; t++) {
    const uint32_t *nodes = fill->mesh.tets + 4 * (size_t)t;
    for (int a = 0; a < 4; a++) {
      for (int b = a + 1; b < 4; b++) {
        if (!attachment->held[nodes[a]] || !attachment->held[nodes[b]]) continue;
        double rest = sup_vec3d_distance(fill->mesh.nodes[nodes[a]], fill->mesh.nodes[nodes[b]]);
        double now = sup_vec3d_distance(place(stage, fill, attachment, nodes[a]),
                                        place(stage, fill, attachment, nodes[b]));
        least = fmin(least, now / rest);
      }
    }
  }
  return least;
}

/* ... in any clip. */
static double shortest_of_all(Stage *stage, const SupFill *fill, const SupAttachment *attachment) {
  const SupCharacter *character = &stage->character;
  double least = INFINITY;
  for (uint32_t c = 0; c < character->clip_count; c++) {
    for (int i = 0; i < 20; i++) {
      const SupClip *clip = &character->clips[c];
      sup_pose_rest_f64(&character->skeleton, &stage->pose);
      sup_clip_sample_f64(clip, (double)clip->duration * i / 20, false, NULL, &stage->pose, NULL);
      finish_pose(stage, stage->palette);
      least = fmin(least, shortest_edge(stage, fill, attachment));
    }
  }
  return least;
}

/* A whole body made of bone would be crushed at its joints: there nodes go free. */
static void held_nodes_that_meet_go_free(void **state) {
  (void)state;
  Stage *stage = stage_create("mochi", 1000);
  const SupCharacter *character = &stage->character;
  SupFillDef def = {.tet_target = 2000};
  SupAttachDef how = {0};
  SupFill fill;
  SupFillReport fill_report;
  SupAttachment attachment;
  SupAttachReport report;
  SupError error;
  SupResult result = sup_fill(&stage->arena, &character->body, &def, &fill, &fill_report, &error);
  if (result == SUP_OK) {
    result = sup_attach(&stage->arena, character, &fill, &how, &attachment, &report, &error);
  }
  if (result != SUP_OK) fail_msg("%s", error.text);
  uint32_t nodes = fill.mesh.node_count, released[2];
  uint8_t *held = SUP_ALLOC(&stage->arena, uint8_t, nodes);
  uint8_t *keep = SUP_ALLOC(&stage->arena, uint8_t, nodes);
  attachment.held = held;
  for (int kept = 1; kept >= 0; kept--) {
    memset(held, 1, nodes);
    memset(keep, kept, nodes);
    result = sup_release_conflicts(&stage->arena, character, &fill.mesh, attachment.bones,
                                   attachment.weights, keep, held, &released[kept], &error);
    if (result != SUP_OK) fail_msg("%s", error.text);
    double least = shortest_of_all(stage, &fill, &attachment);
    print_message("%u of %u held nodes go free; edges between the others keep %.2f\n",
                  released[kept], nodes, least);
    if (kept)
      assert_true(least < 0.35);
    else
      assert_true(least > 0.45);
  }
  assert_int_equal(released[1], 0);
  assert_true(released[0] > 0 && released[0] < nodes / 2);
  stage_free(stage);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(held_nodes_that_meet_go_free),
      cmocka_unit_test(locked_skin_follows_its_weights),
      cmocka_unit_test(far_poses_are_reached_right_side_out),
  };
  return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
