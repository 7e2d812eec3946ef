/* SPDX-License-Identifier: MIT */
/* GUO-T12: what holds a body moves its kept nodes by a matrix, as solving the whole does. */
#include <math.h>

#include "fem/wedge_condense.h"
#include "wedge_bar.h"

enum { GROUPS = 4 };

typedef struct Bar {
  SupArena arena;
  SupWedgeMesh mesh;
  SupWedgeBody body;
  SupHolds holds;
  uint32_t kept_count;
  uint32_t *kept;
} Bar;

/* Held at both ends by affine groups, one of which also holds a node of the other by a part; two
 * nodes in the middle of the axis by translations. Kept is what is free on the border, and one node
 * that is held. */
static void make_bar(Bar *bar) {
  static const SupHoldKind kinds[GROUPS] = {SUP_HOLD_AFFINE, SUP_HOLD_AFFINE, SUP_HOLD_TRANSLATION,
                                            SUP_HOLD_TRANSLATION};
  static const uint32_t columns[GROUPS + 1] = {0, 12, 24, 27, 30};
  const uint32_t n[3] = {2, 2, 6};
  sup_arena_init(&bar->arena, sup_heap_allocator(), 0);
  bar->mesh = wedge_bar(&bar->arena, n, (SupVec3d){1, 1, 4}, 0.2);
  uint8_t *held = SUP_ALLOC(&bar->arena, uint8_t, bar->mesh.node_count);
  SupHold *holds = SUP_ALLOC(&bar->arena, SupHold, bar->mesh.node_count + 1);
  bar->kept = SUP_ALLOC(&bar->arena, uint32_t, bar->mesh.node_count);
  assert_true(held && holds && bar->kept);
  uint32_t count = 0;
  for (uint32_t v = 0; v < bar->mesh.node_count; v++) {
    const uint32_t slice = v / 9;
    const bool end = slice == 0 || slice == 6, axis = v % 9 == 4 && (slice == 2 || slice == 3);
    held[v] = end || axis;
    if (end) holds[count++] = (SupHold){v, slice != 0, 1, bar->mesh.nodes[v]};
    if (axis) holds[count++] = (SupHold){v, slice, 0.7, {0, 0, 0}};
    if ((!held[v] && v % 9 != 4) || v == 3) bar->kept[bar->kept_count++] = v;
  }
  holds[count++] = (SupHold){5, 1, 0.25, {1, 2, 3}};
  bar->holds = (SupHolds){GROUPS, count, kinds, columns, holds};
  const SupWedgeBodyDef def = {"bar", bar->mesh, 0.4, NULL, held};
  assert_int_equal(sup_wedge_body_create(&bar->arena, &def, &bar->body, NULL), SUP_OK);
}

static void free_bar(Bar *bar) {
  sup_wedge_body_free(&bar->body);
  sup_arena_free(&bar->arena);
}

static SupCondensed condense(Bar *bar) {
  SupCondensed condensed;
  assert_int_equal(sup_wedge_condense(&bar->arena, &bar->body, &bar->holds, bar->kept_count,
                                      bar->kept, &condensed, NULL),
                   SUP_OK);
  assert_int_equal(condensed.column_count, 30);
  return condensed;
}

/* Whatever the groups do, and without anybody else's forces on free nodes. */
static void condensed_is_solved(void **state) {
  (void)state;
  Bar bar = {.kept_count = 0};
  SupRng rng = sup_rng(6, 1);
  make_bar(&bar);
  const SupCondensed condensed = condense(&bar);
  const uint32_t count = 3 * bar.mesh.node_count;
  double numbers[30], *d = SUP_ALLOC(&bar.arena, double, count);
  double *forces = SUP_ALLOC(&bar.arena, double, count), largest = 0;
  SupVec3d *moved = SUP_ALLOC(&bar.arena, SupVec3d, bar.kept_count);
  for (int round = 0; round < 10; round++) {
    for (uint32_t k = 0; k < 30; k++) numbers[k] = uniform(&rng);
    sup_holds_move(&bar.holds, bar.mesh.node_count, numbers, d);
    assert_int_equal(sup_wedge_settle(&bar.arena, &bar.body, NULL, d, NULL), SUP_OK);
    sup_wedge_forces(&bar.body, d, forces);
    sup_condensed_move(&condensed, numbers, moved);
    for (uint32_t v = 0; v < bar.mesh.node_count; v++) {
      for (uint32_t k = 0; k < 3 && !bar.body.held[v]; k++) {
        assert_true(fabs(forces[3 * v + k]) < 1e-12);
      }
    }
    for (uint32_t i = 0; i < bar.kept_count; i++) {
      const double *is = d + 3 * bar.kept[i];
      assert_true(sup_vec3d_distance(moved[i], (SupVec3d){is[0], is[1], is[2]}) < 1e-12);
      largest = fmax(largest, sup_vec3d_length(moved[i]));
    }
  }
  assert_true(largest > 1);
  free_bar(&bar);
}

/* Everything that holds moves by one rigid motion (a small turn): so does everything. */
static void rigid_in_rigid_out(void **state) {
  (void)state;
  Bar bar = {.kept_count = 0};
  make_bar(&bar);
  /* The part of node 5 that is held twice, and of those held by less than 1, would not be rigid. */
  SupHold *holds = SUP_COPY(&bar.arena, SupHold, bar.holds.holds, bar.holds.hold_count);
  for (uint32_t h = 0; h < bar.holds.hold_count; h++) holds[h].weight = 1;
  bar.holds.holds = holds;
  bar.holds.hold_count--;
  const SupCondensed condensed = condense(&bar);
  const SupVec3d shift = {0.3, -2, 1}, turn = {0.1, 0.7, -0.4};
  SupVec3d *moved = SUP_ALLOC(&bar.arena, SupVec3d, bar.kept_count);
  double numbers[30];
  for (int turned = 0; turned < 2; turned++) {
    const SupVec3d w = sup_vec3d_scale(turn, turned);
    const double linear[9] = {0, w.z, -w.y, -w.z, 0, w.x, w.y, -w.x, 0};
    for (uint32_t g = 0; g < 2; g++) {
      memcpy(numbers + 12 * g, &shift, sizeof shift);
      memcpy(numbers + 12 * g + 3, linear, sizeof linear);
    }
    for (uint32_t g = 2; g < GROUPS; g++) {
      for (uint32_t h = 0; h < bar.holds.hold_count; h++) {
        if (holds[h].group != g) continue;
        const SupVec3d p = sup_vec3d_add(shift, sup_vec3d_cross(w, bar.mesh.nodes[holds[h].node]));
        memcpy(numbers + bar.holds.columns[g], &p, sizeof p);
      }
    }
    sup_condensed_move(&condensed, numbers, moved);
    for (uint32_t i = 0; i < bar.kept_count; i++) {
      const SupVec3d p = bar.mesh.nodes[bar.kept[i]];
      const SupVec3d to = sup_vec3d_add(shift, sup_vec3d_cross(w, p));
      assert_true(sup_vec3d_distance(moved[i], to) < 1e-12);
    }
  }
  free_bar(&bar);
}

/* Whose memory runs out gives it all back. */
static void memory_may_run_out(void **state) {
  (void)state;
  Bar bar = {.kept_count = 0};
  make_bar(&bar);
  bool done = false;
  for (size_t fail = 1; !done; fail++) {
    CountingHeap heap = {.fail_at = fail};
    SupArena arena;
    SupCondensed condensed = {0};
    SupWedgeBody body = {0};
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    const SupWedgeBodyDef def = {"bar", bar.mesh, 0.4, NULL, bar.body.held};
    SupResult result = sup_wedge_body_create(&arena, &def, &body, NULL);
    if (result == SUP_OK) {
      result =
          sup_wedge_condense(&arena, &body, &bar.holds, bar.kept_count, bar.kept, &condensed, NULL);
    }
    done = result == SUP_OK;
    assert_true(done || result == SUP_ERROR_MEMORY);
    assert_int_equal(condensed.column_count, done ? 30 : 0);
    sup_wedge_body_free(&body);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  free_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(condensed_is_solved),
                                     cmocka_unit_test(rigid_in_rigid_out),
                                     cmocka_unit_test(memory_may_run_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
