/* SPDX-License-Identifier: MIT */
/* The GPU's layout and step against the processor's, without a GPU: the same source by emulation.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "crowd.h"
#include "emulate.h"
#include "runtime/tiles/tiles_layout.h"
#include "supple/surface.h"

enum { FRAMES = 400 };

typedef struct Case {
  uint32_t vertex_count, flags, lanes;
  bool varied, scaled, collide, fed;
} Case;

static float component(const SupSurfaceState *state, uint64_t offset, uint32_t lane, uint32_t k) {
  const float *rows = (const float *)(const void *)((const char *)state + offset);
  return rows[(size_t)48 * (lane / 16) + 16 * k + lane % 16];
}

static void step_cpu(const CrowdModel *m, SupSurfaceState *state, const SupBackend *backend,
                     const SupAffine *palette, const SupExternalForces *forces) {
  const bool stop = sup_surface_wants_normals(m->view.flags);
  const SupSkinCall call = {.skin = &m->view.skin,
                            .palette = palette,
                            .positions = {sup_surface_next_goal(state), 0},
                            .normals = {stop ? sup_surface_next_normals(state) : NULL, 0}};
  sup_skin_lbs(backend, NULL, &call);
  sup_surface_step(&m->view, state, backend, NULL, palette, forces);
}

typedef struct Apart {
  double next, shown, moved; /* of what the next step begins with, of what is shown; amplitude */
} Apart;

static double distance(const float *a, SupVec3d b) {
  const double square = pow(a[0] - b.x, 2) + pow(a[1] - b.y, 2) + pow(a[2] - b.z, 2);
  return square < 1e9 ? sqrt(square) : 1e9;
}

/* A character in tiles beside the single one. */
static void measure(const SupTiles *tiles, const void *tiled, const SupSurfaceState *state,
                    Apart *io) {
  const uint32_t set = *(const uint32_t *)tiled & TILES_ODD;
  const bool undelayed = tiles->words[TILES_FLAGS] & SUP_SURFACE_UNDELAYED;
  const uint32_t shown_set = undelayed ? TILES_SHOWN : 1 - set;
  const float *records = (const float *)(const void *)((const char *)tiled + tiles->records);
  const float *shown = (const float *)(const void *)((const char *)state + state->records);
  for (uint32_t lane = 0; lane < tiles->lane_count; lane++) {
    const uint32_t own = tiles->order[lane];
    double x[3], ahead[3];
    for (uint32_t k = 0; k < 3; k++) {
      x[k] = component(state, state->x, own, k);
      ahead[k] = component(state, state->goal, own, k) + component(state, state->goal_step, own, k);
    }
    const size_t of = 2 * (size_t)tiles->lane_count;
    const float *next = records + 4 * (of * set + lane),
                *place = records + 4 * (of * shown_set + lane), *single = shown + 8 * (size_t)own;
    io->next = fmax(io->next, distance(next, (SupVec3d){x[0], x[1], x[2]}));
    io->shown = fmax(io->shown, distance(place, (SupVec3d){single[0], single[1], single[2]}));
    io->moved = fmax(io->moved, distance(next, (SupVec3d){ahead[0], ahead[1], ahead[2]}));
  }
}

/* The greatest distance over the frames, and the greatest offset from the goal. */
static Apart compare(const Case *c) {
  SupArena arena = crowd_arena();
  SupError error;
  const CrowdModel m = crowd_model(&arena, c->vertex_count, c->flags, c->varied);
  SupTiles tiles;
  assert_int_equal(sup_tiles_make(&arena, &m.view, c->lanes, &tiles, &error), SUP_OK);
  assert_int_equal(tiles.words[TILES_WHOLE], 1);
  void *block = sup_arena_alloc(&arena, 1, sup_surface_bytes(&m.view));
  void *tiled = sup_arena_alloc(&arena, 1, tiles.state_bytes);
  SupSurfaceState *state = sup_surface_init(&m.view, block);
  sup_tiles_init(&tiles, tiled);
  const SupBackend *backend = sup_backend_cpu();
  const SupCollider ball = {
      .a = {0.6f, 0.5f, 0}, .b = {0.9f, 0.5f, 0}, .radius = 0.3f, .restitution = 0.2f};
  SupExternalForces forces = {.acceleration = {0, -2, 0}, .wind = {1, 0, 0}, .wind_drag = 0.4f};
  forces.colliders = &ball;
  forces.collider_count = c->collide;
  const float h = m.view.h, wind = h * 0.4f;
  float step[6] = {wind * h, -2 * h * h, 0, wind, 0, c->collide};
  Apart apart = {0, 0, 0};
  for (int frame = 0; frame < FRAMES; frame++) {
    SupAffine palette[CROWD_BONES];
    crowd_palette(0, frame / 60.0, c->scaled, palette);
    step[4] = forces.feed_forward = c->fed && frame % 50 > 40 ? 0.6f : 0;
    step_cpu(&m, state, backend, palette, &forces);
    emulate_step(&tiles, tiled, palette, step, &ball);
    measure(&tiles, tiled, state, &apart);
  }
  printf(
      "%u vertices, flags %2x: %u tiles of %u, halo %.3f, %.1f bytes per vertex; %.3g apart, "
      "shown %.3g, of %.3g\n",
      c->vertex_count, c->flags, tiles.tile_count, c->lanes,
      (double)tiles.halo_count / tiles.lane_count, (double)tiles.bytes / tiles.lane_count,
      apart.next, apart.shown, apart.moved);
  sup_arena_free(&arena);
  return apart;
}

/* Backstops beside a mirrored bone enlarge what is rounded: 0.8e-4 to 1.8e-4, by the number of
 * influences, where the processor beside itself, with palettes wrong in the last place, has 0.3e-4
 * to 2.5e-4. Other scenes have 0.9e-4 at most. */
static void test_agreement(void **unused) {
  (void)unused;
  enum { UNDELAYED = SUP_SURFACE_UNDELAYED, NORMAL = SUP_SURFACE_NORMAL };
  static const Case cases[] = {
      {494, 0, 256, false, false, false, false},
      {1000, 0, 64, true, false, true, false},
      {700, SUP_SURFACE_ABSOLUTE, 96, true, false, false, true},
      {700, SUP_SURFACE_BONE_ROTATION, 128, true, true, true, false},
      {700, SUP_SURFACE_BACKSTOPS, 256, true, true, false, false},
      {700, UNDELAYED, 64, true, false, false, false},
      {700, UNDELAYED | SUP_SURFACE_ABSOLUTE, 96, true, false, true, true},
      {700, NORMAL, 256, true, false, false, false},
      {494, NORMAL | UNDELAYED, 128, true, true, false, false},
      {494, NORMAL | UNDELAYED | SUP_SURFACE_BACKSTOPS, 128, true, false, true, true},
      {700, CROWD_TANGLED | UNDELAYED, 96, true, false, false, false},
      {700, CROWD_HOLLOW | UNDELAYED, 96, true, false, false, false},
      {700, CROWD_SPREAD, 96, false, true, false, false},
      {700, CROWD_SPREAD | UNDELAYED, 64, true, false, true, true},
      {700, CROWD_SPREAD | SUP_SURFACE_BONE_ROTATION, 128, true, true, false, false},
      {700, CROWD_SPREAD | SUP_SURFACE_BACKSTOPS, 256, true, true, false, false},
      {494, CROWD_SPREAD | NORMAL | UNDELAYED, 128, true, true, false, false},
      {494, CROWD_SPREAD | NORMAL | SUP_SURFACE_BACKSTOPS, 96, true, false, false, false},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const Apart apart = compare(&cases[k]);
    const bool rough = cases[k].flags & SUP_SURFACE_BACKSTOPS && cases[k].scaled;
    const double most = (rough ? 3e-4 : 1e-4) * apart.moved;
    assert_true(apart.moved > 0.01);
    assert_true(apart.next < most);
    assert_true(apart.shown < most);
  }
}

/* A single state into tiles, and out again after some steps: the same flesh, and what it still
 * owes.
 */
static void states_go_in_and_out(void **unused) {
  (void)unused;
  enum { WHEN = 20, END = 40 };
  static const uint32_t flags[] = {0, SUP_SURFACE_UNDELAYED,
                                   SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    SupArena arena = crowd_arena();
    const CrowdModel m = crowd_model(&arena, 400, flags[i], true);
    SupTiles tiles;
    assert_int_equal(sup_tiles_make(&arena, &m.view, 96, &tiles, NULL), SUP_OK);
    const size_t bytes = sup_surface_bytes(&m.view);
    SupSurfaceState *state = sup_surface_init(&m.view, sup_arena_alloc(&arena, 1, bytes));
    SupSurfaceState *out = sup_surface_init(&m.view, sup_arena_alloc(&arena, 1, bytes));
    void *tiled = sup_arena_alloc(&arena, 1, tiles.state_bytes);
    const SupExternalForces none = {.collider_count = 0};
    const float step[6] = {0, 0, 0, 0, 0, 0};
    Apart apart = {0, 0, 0};
    SupAffine palettes[2 * CROWD_BONES];
    for (int frame = 0; frame < END; frame++) {
      memcpy(palettes + CROWD_BONES, palettes, sizeof palettes / 2);
      crowd_palette(0, frame / 60.0, false, palettes);
      step_cpu(&m, state, sup_backend_cpu(), palettes, &none);
      if (frame == WHEN) sup_tiles_put(&tiles, state, palettes, tiled);
      if (frame > WHEN) emulate_step(&tiles, tiled, palettes, step, NULL);
      if (frame >= WHEN) measure(&tiles, tiled, state, &apart);
    }
    sup_tiles_get(&tiles, tiled, out);
    assert_int_equal(out->owed, flags[i] & SUP_SURFACE_UNDELAYED ? 1 : 0);
    assert_int_equal(out->owed, state->owed);
    assert_int_equal(out->fresh, 0);
    assert_true(apart.next < 1e-4 * apart.moved && apart.shown < 1e-4 * apart.moved);
    const uint64_t rows[] = {state->x, state->dx, state->goal, state->goal_step};
    for (uint32_t lane = 0; lane < tiles.lane_count; lane++) {
      for (uint32_t k = 0; k < 12; k++) {
        const double a = component(state, rows[k / 3], lane, k % 3);
        assert_true(fabs(component(out, rows[k / 3], lane, k % 3) - a) < 1e-4 * apart.moved);
      }
      const float *a = (const float *)(const void *)((const char *)state + state->records),
                  *b = (const float *)(const void *)((const char *)out + out->records);
      const size_t at = 8 * (size_t)lane;
      assert_true(distance(b + at, (SupVec3d){a[at], a[at + 1], a[at + 2]}) < 1e-4 * apart.moved);
    }
    sup_arena_free(&arena);
  }
}

/* The shown position of a lane. */
static const float *shown_at(const SupTiles *tiles, const void *tiled, uint32_t lane) {
  const uint32_t set = *(const uint32_t *)tiled & TILES_ODD;
  const bool undelayed = tiles->words[TILES_FLAGS] & SUP_SURFACE_UNDELAYED;
  const size_t of = 2 * (size_t)tiles->lane_count * (undelayed ? TILES_SHOWN : 1 - set);
  return (const float *)(const void *)((const char *)tiled + tiles->records) + 4 * (of + lane);
}

/* One bone that is no finite number in one frame, late or in the first: all is finite at once, and
 * soon as beside it. */
static void palettes_that_are_not_finite_are_held(void **unused) {
  (void)unused;
  enum { SIDES = 2, LATE = 30, END = 240, TURNED = 4, MOVED = 10 };
  static const uint32_t flags[] = {0, SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL,
                                   SUP_SURFACE_BACKSTOPS, SUP_SURFACE_BONE_ROTATION};
  for (int i = 0; i < 32; i++) {
    const float bad = i & 4 ? INFINITY : NAN;
    const int when = i & 8 ? 0 : LATE, where = i & 16 ? TURNED : MOVED;
    SupArena arena = crowd_arena();
    const CrowdModel m = crowd_model(&arena, 300, flags[i % 4], true);
    SupTiles tiles;
    assert_int_equal(sup_tiles_make(&arena, &m.view, 96, &tiles, NULL), SUP_OK);
    void *tiled[SIDES];
    for (int side = 0; side < SIDES; side++) {
      tiled[side] = sup_arena_alloc(&arena, 1, tiles.state_bytes);
      sup_tiles_init(&tiles, tiled[side]);
    }
    const float step[6] = {0, -0.0005f, 0, 0, 0, 0};
    double apart = 0;
    for (int frame = 0; frame < END; frame++) {
      apart = 0;
      for (int side = 0; side < SIDES; side++) {
        SupAffine palette[CROWD_BONES];
        crowd_palette(0, frame / 60.0, i & 1, palette);
        if (side == 1 && frame == when) palette[5].m[where] = bad;
        emulate_step(&tiles, tiled[side], palette, step, NULL);
      }
      for (uint32_t lane = 0; lane < tiles.lane_count; lane++) {
        const float *a = shown_at(&tiles, tiled[0], lane), *b = shown_at(&tiles, tiled[1], lane);
        apart = fmax(apart, distance(b, (SupVec3d){a[0], a[1], a[2]}));
      }
      assert_true(apart < 1e3); /* 1e9 where it is no number */
    }
    assert_true(apart < 1e-4);
    sup_arena_free(&arena);
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(repeated_neighbours_are_refused), cmocka_unit_test(states_go_in_and_out),
      cmocka_unit_test(palettes_that_are_not_finite_are_held), cmocka_unit_test(test_agreement)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
