/* SPDX-License-Identifier: MIT */
/* Bodies as files have them: inside out, and scaled as a whole by their clips. */
#include "check.h"

#include <math.h>

#include "supple/author/builtin.h"
#include "supple/io/file.h"
#include "supple/pose.h"
#include "supple/sim/simulate.h"

enum { JOINTS = 8, FRAMES = 90 };

typedef struct World {
  SupArena arena;
  SupCharacter character;
  double by; /* scale of the whole character after a third of a second */
} World;

static void begin(World *world, double by) {
  SupError error;
  *world = (World){.by = by};
  sup_arena_init(&world->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "tube", .vertices = 500};
  if (sup_builtin_character(&world->arena, &def, &world->character, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  assert_true(world->character.skeleton.joint_count <= JOINTS);
}

static void end(World *world) { sup_arena_free(&world->arena); }

/* The rest pose, which grows. */
static void sample(void *user, double time, SupAffined *out_palette) {
  const World *world = user;
  const SupSkeleton *skeleton = &world->character.skeleton;
  SupTransformd joints[JOINTS];
  SupAffined globals[JOINTS];
  SupPosed pose = {.joint_count = skeleton->joint_count, .joints = joints};
  const double t = fmin(3 * time, 1), grown = pow(world->by, t * t * (3 - 2 * t));
  sup_pose_rest_f64(skeleton, &pose);
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (skeleton->parents[j] < 0) joints[j].scale = sup_vec3d_scale(joints[j].scale, grown);
  }
  sup_pose_evaluate_f64(skeleton, &pose, globals, out_palette);
}

static SupVec3 *settled(World *world, SupSimReport *out_report) {
  SupSimDef def = sup_sim_def(&world->character, sup_heap_allocator());
  SupSimFrame frame;
  SupSim *sim;
  SupError error;
  SupVec3 *skin = SUP_ALLOC(&world->arena, SupVec3, world->character.body.vertex_count);
  assert_non_null(skin);
  def.fill.tet_target = 500;
  def.material.young = 6e4;
  if (sup_sim_create(&def, &sim, out_report, &error) != SUP_OK) fail_msg("%s", error.text);
  sup_sim_place(sim, sample, world, 0);
  for (uint32_t i = 0; i < FRAMES; i++) {
    if (sup_sim_advance(sim, sample, world, i / 30.0, 1 / 30.0, &frame, &error) != SUP_OK) {
      fail_msg("frame %u: %s", i, error.text);
    }
  }
  sup_sim_skin(sim, skin);
  sup_sim_free(sim);
  return skin;
}

/* A clip that makes the whole character smaller or larger carries its flesh with it: joints and
 * flesh are scaled alike. */
static void what_scales_as_a_whole_keeps_its_shape(void **state) {
  (void)state;
  static const double by[] = {0.02, 0.7, 2.5};
  World still;
  SupSimReport report;
  begin(&still, 1);
  const SupVec3 *rest = settled(&still, &report);
  const uint32_t count = still.character.body.vertex_count;
  const SupVec3 root = still.character.skeleton.rest[0].translation;
  for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
    World world;
    begin(&world, by[k]);
    const SupVec3 *skin = settled(&world, &report);
    float worst = 0;
    for (uint32_t v = 0; v < count; v++) {
      const SupVec3 away = sup_vec3_sub(rest[v], root);
      const SupVec3 wanted = sup_vec3_add_scaled(root, away, (float)by[k]);
      worst = fmaxf(worst, sup_vec3_distance(skin[v], wanted));
    }
    if (!((double)worst < 0.01 * by[k])) fail_msg("by %g: %g m off", by[k], (double)worst);
    end(&world);
  }
  end(&still);
}

/* Triangles that all face inwards, as mirrored exports have them, are a body all the same. */
static void inside_out_is_a_body(void **state) {
  (void)state;
  World right, wrong;
  SupSimReport a, b;
  begin(&right, 1);
  begin(&wrong, 1);
  SupMesh *body = &wrong.character.body;
  uint32_t *turned =
      SUP_COPY(&wrong.arena, uint32_t, body->triangles, 3 * (size_t)body->triangle_count);
  assert_non_null(turned);
  for (uint32_t t = 0; t < body->triangle_count; t++) {
    const uint32_t first = turned[3 * (size_t)t];
    turned[3 * (size_t)t] = turned[3 * (size_t)t + 1];
    turned[3 * (size_t)t + 1] = first;
  }
  body->triangles = turned;
  settled(&right, &a);
  settled(&wrong, &b);
  assert_int_equal(a.tet_count, b.tet_count);
  assert_true(fabs(b.mass / a.mass - 1) < 1e-6);
  assert_true(fabs(a.attach.thin_area - b.attach.thin_area) < 0.01);
  end(&right);
  end(&wrong);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_scales_as_a_whole_keeps_its_shape),
      cmocka_unit_test(inside_out_is_a_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
