/* SPDX-License-Identifier: MIT */
/* Forces on the skin: what is given in all is what arrives, however time is cut. */
#include <math.h>

#include "check.h"
#include "sim/loads.h"
#include "supple/author/builtin.h"
#include "supple/io/file.h"

/* A push arrives once, whatever steps are halved while it acts. */
static void a_push_arrives_once(void **state) {
  (void)state;
  static const int cuts[4][9] = {
      {4, 4, 4}, {4, 2, 2, 4}, {2, 2, 1, 1, 1, 1, 4}, {1, 1, 1, 1, 2, 2, 4}};
  const double step = 1.0 / 120;
  SupArena arena;
  SupError error;
  SupCharacter tube;
  SupFill fill;
  SupFillReport report;
  SupLoads loads;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupBuiltinDef builtin = {.name = "tube", .vertices = 500};
  const SupFillDef filling = {.tet_target = 300};
  if (sup_builtin_character(&arena, &builtin, &tube, &error) ||
      sup_fill(&arena, &tube.body, &filling, &fill, &report, &error)) {
    fail_msg("%s", error.text);
  }
  for (int d = 0; d < 3; d++) { /* shorter than a step, in its middle, longer */
    const SupPush push = {0.3 * step, 0.7 * d * step, {0, 0.5, 0}, 1, {1, -2, 3}};
    const SupLoadsDef def = {.forces = {.push_count = 1, .pushes = &push},
                             .skin = &tube.body,
                             .fill = &fill,
                             .scale = 1};
    if (sup_loads_create(&arena, &def, &loads, &error)) fail_msg("%s", error.text);
    loads.step = step;
    for (int cut = 0; cut < 4; cut++) {
      SupVec3d sum = {0, 0, 0};
      double time = 0;
      for (int k = 0; k < 9 && cuts[cut][k]; k++) {
        const double h = step * cuts[cut][k] / 4;
        const SupVec3d *force = sup_loads_apply(&loads, time, h, fill.mesh.nodes, fill.mesh.nodes);
        for (uint32_t n = 0; n < fill.mesh.node_count; n++) {
          sum = sup_vec3d_add_scaled(sum, force[n], h);
        }
        time += h;
      }
      const double off = sup_vec3d_distance(sum, push.impulse);
      if (off > 1e-9) fail_msg("push %d, cut %d: %g too much or too little", d, cut, off);
    }
  }
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_push_arrives_once)};
  return cmocka_run_group_tests_name("loads", tests, NULL, NULL);
}
