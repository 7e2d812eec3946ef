/* SPDX-License-Identifier: MIT */
/* The GPU's layout and step against the processor's, without a GPU: the same source by emulation.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "crowd.h"
#include "emulate.h"

enum { FRAMES = 600 };

typedef struct Case {
  uint32_t vertex_count, flags, lanes;
  bool varied, scaled, collide;
} Case;

static float component(const SupSurfaceState *state, uint64_t offset, uint32_t lane, uint32_t k) {
  const float *rows = (const float *)(const void *)((const char *)state + offset);
  return rows[(size_t)48 * (lane / 16) + 16 * k + lane % 16];
}

static void step_cpu(const CrowdModel *m, SupSurfaceState *state, const SupBackend *backend,
                     const SupAffine *palette, const SupSurfaceForces *forces) {
  const bool stop = m->view.flags & SUP_SURFACE_BACK_STOP;
  const SupSkinCall call = {.skin = &m->view.skin,
                            .palette = palette,
                            .positions = {sup_surface_next_goal(state), 0},
                            .normals = {stop ? sup_surface_next_normals(state) : NULL, 0}};
  sup_skin_lbs(backend, NULL, &call);
  sup_surface_step(&m->view, state, backend, NULL, palette, forces);
}

/* The greatest distance over the frames, and the greatest offset from the goal. */
static void compare(const Case *c, double *out_apart, double *out_moved) {
  SupArena arena = crowd_arena();
  SupError error;
  const CrowdModel m = crowd_model(&arena, c->vertex_count, c->flags, c->varied);
  SupTiles tiles;
  assert_int_equal(sup_tiles_make(&arena, &m.view, c->lanes, &tiles, &error), SUP_OK);
  void *block = sup_arena_alloc(&arena, 1, sup_surface_bytes(&m.view));
  void *tiled = sup_arena_alloc(&arena, 1, tiles.state_bytes);
  SupSurfaceState *state = sup_surface_init(&m.view, block);
  sup_tiles_init(&tiles, tiled);
  const SupBackend *backend = sup_backend_cpu();
  const SupSurfaceCollider ball = {
      .a = {0.6f, 0.5f, 0}, .b = {0.9f, 0.5f, 0}, .radius = 0.3f, .restitution = 0.2f};
  SupSurfaceForces forces = {.acceleration = {0, -2, 0}, .wind = {1, 0, 0}, .wind_drag = 0.4f};
  forces.colliders = &ball;
  forces.collider_count = c->collide;
  const float h = m.view.h, wind = h * 0.4f;
  const float step[6] = {wind * h, -2 * h * h, 0, wind, 0, c->collide};
  *out_apart = *out_moved = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    SupAffine palette[CROWD_BONES];
    crowd_palette(0, frame / 60.0, c->scaled, palette);
    step_cpu(&m, state, backend, palette, &forces);
    emulate_step(&tiles, tiled, palette, step, &ball);
    const uint32_t set = *(const uint32_t *)tiled & 1;
    const float *records = (const float *)(const void *)((const char *)tiled + tiles.records);
    for (uint32_t lane = 0; lane < tiles.lane_count; lane++) {
      const float *x = records + 4 * ((size_t)2 * set * tiles.lane_count + lane);
      double apart = 0, moved = 0;
      for (uint32_t k = 0; k < 3; k++) {
        const uint32_t lane_cpu = tiles.order[lane];
        const double a = x[k], b = component(state, state->x, lane_cpu, k);
        apart += (a - b) * (a - b);
        const double ahead = component(state, state->goal, lane_cpu, k) +
                             component(state, state->goal_step, lane_cpu, k);
        moved += (b - ahead) * (b - ahead);
      }
      if (!(apart < 1e9)) apart = 1e9;
      if (sqrt(apart) > *out_apart) *out_apart = sqrt(apart);
      if (sqrt(moved) > *out_moved) *out_moved = sqrt(moved);
    }
  }
  printf("%u vertices, %u lanes: %u tiles, halo %.3f, %.1f bytes per vertex; apart %.3g of %.3g\n",
         c->vertex_count, c->lanes, tiles.tile_count, (double)tiles.halo_count / tiles.lane_count,
         (double)tiles.bytes / tiles.lane_count, *out_apart, *out_moved);
  sup_arena_free(&arena);
}

static void test_agreement(void **unused) {
  (void)unused;
  static const Case cases[] = {
      {494, 0, 256, false, false, false},
      {1000, 0, 64, true, false, true},
      {700, SUP_SURFACE_ABSOLUTE, 96, true, false, false},
      {700, SUP_SURFACE_BONE_ROTATION, 128, true, true, true},
      {700, SUP_SURFACE_BACK_STOP, 256, true, true, false},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double apart, moved;
    compare(&cases[k], &apart, &moved);
    assert_true(moved > 0.01);
    assert_true(apart < 1e-4 * moved);
  }
}

/* One neighbour named again and again: more rows than a tile has room for are refused. */
static void repeated_neighbours_are_refused(void **state) {
  (void)state;
  SupArena arena = crowd_arena();
  SupError error = {{0}};
  const CrowdModel m = crowd_model(&arena, 300, 0, false);
  const uint32_t more = 1000, blocks = m.view.skin.block_count;
  const uint32_t rows = m.view.slot_first[blocks];
  uint32_t *first = SUP_COPY(&arena, uint32_t, m.view.slot_first, (size_t)blocks + 1);
  uint32_t *slots = SUP_ALLOC(&arena, uint32_t, (size_t)16 * (rows + more));
  for (uint32_t k = 0; k < 16 * more; k++) slots[k] = k % 16 ? 0 : 1;
  memcpy(slots + (size_t)16 * more, m.view.slots, (size_t)16 * rows * sizeof *slots);
  for (uint32_t b = 1; b <= blocks; b++) first[b] += more;
  SupSurfaceView wild = m.view;
  wild.slot_first = first;
  wild.slots = slots;
  SupTiles tiles;
  assert_int_not_equal(sup_tiles_make(&arena, &wild, 64, &tiles, &error), SUP_OK);
  assert_true(error.text[0] != 0);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(repeated_neighbours_are_refused),
                                     cmocka_unit_test(test_agreement)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
