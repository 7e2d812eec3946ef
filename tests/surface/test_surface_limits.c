/* SPDX-License-Identifier: MIT */
/* The surface technique at its limits: maximum distance, backstop, colliders, forces; damaged
 * models. */
#include "flesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/io/file.h"
#include "supple/surface.h"

/* ---- Limits, colliders, forces ----------------------------------------------------------------
 */

static void limits_hold(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(5, 5);
    SupCharacter tube;
    Flesh f;
    tube_make(&arena, 12, 11, NULL, &tube);
    SupSurfaceDef def = def_of(0.05f, 0.1f, 0, 0.1f, 0.01f);
    def.values[SUP_SURFACE_MAX_DISTANCE] = 0.05f;
    def.values[SUP_SURFACE_STOP] = 0.01f;
    flesh_make(&arena, &tube, &def, &f);
    assert_true(f.view.flags & SUP_SURFACE_BACKSTOPS);
    f.forced = f.stopped = true;
    flesh_goal(&f);
    flesh_start(&f);
    bool reached = false, stopped = false;
    for (int k = 0; k < 50; k++) {
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        SupVec3d n = flesh_get(f.next_goal, lane);
        n.y = 0; /* of a tube about y, of length 0.4; none at the ends, which then have no stop */
        flesh_set(f.normals, lane, n);
        flesh_set(f.forces, lane, random_vector(&rng, 0.1));
      }
      flesh_step(&f, precision(p).backend);
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        SupVec3d o = sup_vec3d_sub(flesh_get(f.x, lane), flesh_get(f.next_goal, lane));
        SupVec3d n = flesh_get(f.normals, lane);
        double length = sup_vec3d_length(n), distance = sup_vec3d_length(o);
        assert_true(distance < 0.05 + 1e-6);
        reached |= distance > 0.0499;
        if (length < 1e-3) continue;
        double depth = -sup_vec3d_dot(o, n) / length;
        assert_true(depth < 0.01 + 1e-6);
        stopped |= depth > 0.0099;
      }
    }
    assert_true(reached && stopped);
    sup_arena_free(&arena);
  }
}

static void colliders_push_out(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupCharacter tube;
    Flesh f;
    tube_make(&arena, 16, 15, NULL, &tube);
    SupSurfaceDef def = def_of(0.1f, 0.1f, 0, 0.1f, 0.1f);
    flesh_make(&arena, &tube, &def, &f);
    const SupColliderd colliders[2] = {{{0.5, 1, 0}, {0.5, 1, 0}, {0, 0, 0}, 0.3, 0},
                                       {{-0.5, 0.2, 0}, {-0.5, 1.8, 0}, {0.001, 0, 0}, 0.2, 0.5}};
    f.collider_count = 2;
    f.colliders = colliders;
    flesh_goal(&f);
    flesh_start(&f);
    uint32_t touched = 0;
    for (int k = 0; k < 40; k++) {
      flesh_step(&f, precision(p).backend);
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        SupVec3d x = flesh_get(f.x, lane), goal = flesh_get(f.next_goal, lane);
        SupVec3d foot = {-0.5, fmin(1.8, fmax(0.2, x.y)), 0};
        assert_true(sup_vec3d_distance(x, colliders[0].a) > 0.3 - 1e-6);
        assert_true(sup_vec3d_distance(x, foot) > 0.2 - 1e-6);
        touched += k == 39 && sup_vec3d_distance(x, goal) > 0.05;
      }
    }
    assert_true(touched > 10);
    sup_arena_free(&arena);
  }
}

/* A vertex that flies into a wall at speed v comes back with restitution times v. */
static void restitution_is_what_it_says(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  Flesh f;
  tube_make(&arena, 5, 5, NULL, &tube);
  SupSurfaceDef def = def_of(0, 0, 0, 0, 0);
  flesh_make(&arena, &tube, &def, &f);
  const SupColliderd wall = {{1000, 0, 0}, {1000, 0, 0}, {0.01, 0, 0}, 999, 0.5};
  f.collider_count = 1;
  f.colliders = &wall;
  for (uint32_t lane = 0; lane < f.lanes; lane++) {
    flesh_set(f.x, lane, (SupVec3d){0.95, 0, 0});
    flesh_set(f.dx, lane, (SupVec3d){0.2, 0, 0});
  }
  flesh_step(&f, NULL);
  assert_true(fabs(f.x[0] - 1) < 1e-12);
  assert_true(fabs(f.dx[0] - (0.01 - 0.5 * (0.2 - 0.01))) < 1e-12);
  sup_arena_free(&arena);
}

/* External accelerations: h^2 F is added once, whatever else acts (SHI-E4). */
static void forces_add(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(7, 7);
  SupCharacter tube;
  Flesh a, b;
  tube_make(&arena, 10, 9, NULL, &tube);
  SupSurfaceDef def = def_of(0.3f, 0.3f, 0.3f, 0.2f, 0.2f);
  flesh_make(&arena, &tube, &def, &a);
  flesh_make(&arena, &tube, &def, &b);
  flesh_goal(&a);
  flesh_goal(&b);
  SupRng same = rng;
  randomise(&a, &rng);
  randomise(&b, &same);
  b.forced = true;
  b.push = (SupVec3d){0.001, -0.002, 0.003};
  flesh_step(&a, NULL);
  flesh_step(&b, NULL);
  for (uint32_t lane = 0; lane < a.lanes; lane++) {
    SupVec3d f = sup_vec3d_add(flesh_get(b.forces, lane), b.push);
    SupVec3d expected = sup_vec3d_add(flesh_get(a.dx, lane), f);
    assert_true(sup_vec3d_distance(expected, flesh_get(b.dx, lane)) < 1e-14);
  }
  sup_arena_free(&arena);
}

/* ---- Damaged models ---------------------------------------------------------------------------
 */

static void damaged_models_are_refused_or_harmless(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  Flesh f;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = def_of(0.3f, 0.3f, 0.3f, 0.2f, 0.2f);
  flesh_make(&arena, &tube, &def, &f);
  size_t bytes = (size_t)f.model->bytes;
  SupRng rng = sup_rng(8, 8);
  uint32_t refused = 0, accepted = 0;
  SupModel *copy = aligned_alloc(64, bytes);
  for (int k = 0; k < 3000; k++) {
    memcpy(copy, f.model, bytes);
    size_t at = 128 + sup_rng_below(&rng, (uint32_t)(bytes - 128) / 4) * 4;
    uint32_t word = sup_rng_below(&rng, 3) ? sup_rng_u32(&rng) : sup_rng_below(&rng, 64);
    memcpy((char *)copy + at, &word, 4);
    sup_model_seal(copy);
    SupError error = {{0}};
    if (sup_model_check(copy, bytes, NULL, &error)) {
      refused++;
      assert_true(error.text[0]);
      continue;
    }
    accepted++;
    SupSurfaceView view = sup_surface_view(copy);
    SupSurfaceState *flesh = aligned_alloc(64, sup_surface_bytes(&view));
    sup_surface_init(&view, flesh);
    SupAffine palette[2] = {sup_affine_identity(), sup_affine_identity()};
    for (int i = 0; i < 5; i++) {
      SupSkinCall call = {
          .skin = &view.skin, .palette = palette, .positions = {sup_surface_next_goal(flesh), 0}};
      sup_skin_lbs(sup_backend_cpu(), NULL, &call);
      sup_surface_step(&view, flesh, sup_backend_cpu(), NULL, palette, NULL);
    }
    free(flesh);
  }
  free(copy);
  assert_true(refused > 500 && accepted > 100);
  sup_arena_free(&arena);
}

static void bad_maps_are_refused(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  SupModel *model = NULL;
  SupError error;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = def_of(1.5f, 0, 0, 0, 0);
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "stiffness"));
  def = def_of(NAN, 0, 0, 0, 0);
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_ERROR_ARGUMENT);
  def = def_of(0.1f, 0, 0, 0, 0);
  def.values[SUP_SURFACE_MAX_DISTANCE] = 0;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_ERROR_ARGUMENT);
  def = (SupSurfaceDef){0};
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_ERROR_ARGUMENT);
  assert_null(model);
  sup_arena_free(&arena);
}

static void maps_come_back(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  SupModel *model;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = def_of(0.3f, 0.3f, 0.3f, 0.2f, 0.2f);
  float values[32], back[32];
  for (int v = 0; v < 32; v++) values[v] = (float)v / 64;
  def.maps[SUP_SURFACE_DELTA] = values;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
  sup_surface_get_map(model, SUP_SURFACE_DELTA, back);
  assert_memory_equal(values, back, sizeof back);
  for (int v = 0; v < 32; v++) values[v] = (float)v / 128;
  sup_surface_set_map(model, SUP_SURFACE_STOP, values);
  sup_surface_get_map(model, SUP_SURFACE_STOP, back);
  assert_memory_equal(values, back, sizeof back);
  assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, NULL), SUP_OK);
  assert_true(sup_surface_view(model).flags & SUP_SURFACE_BACKSTOPS);
  sup_arena_free(&arena);
}

static void packing_survives_short_memory(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = def_of(0.3f, 0.3f, 0.3f, 0.2f, 0.2f);
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena tight;
    SupModel *model = NULL;
    SupError error;
    sup_arena_init(&tight, counting_allocator(&heap), 0);
    SupResult result = sup_surface_pack(&tight, &tube, &def, &model, &error);
    assert_true(result == SUP_OK ? model != NULL : result == SUP_ERROR_MEMORY && !model);
    sup_arena_free(&tight);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
  }
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(colliders_push_out),
      cmocka_unit_test(restitution_is_what_it_says),
      cmocka_unit_test(forces_add),
      cmocka_unit_test(damaged_models_are_refused_or_harmless),
      cmocka_unit_test(bad_maps_are_refused),
      cmocka_unit_test(maps_come_back),
      cmocka_unit_test(packing_survives_short_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
