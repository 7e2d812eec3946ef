/* SPDX-License-Identifier: MIT */
/* Ordering into blocks: a permutation, as good as promised, from any incoming order. */
#include "supple/geom/order.h"

#include <math.h>
#include <string.h>

#include "groups.h"
#include "shapes.h"
#include "supple/io/file.h"

enum { BONES = 24, INFLUENCES = 4 };

static SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

/* Bones at random vertices; each vertex has up to four near ones (weight falls with the fourth
 * power of the distance, below 2 % is dropped). */
static void give_bones(SupArena *arena, SupMesh mesh, SupOrderDef *def) {
  SupRng rng = sup_rng(5, 5);
  SupVec3 centres[BONES];
  for (int j = 0; j < BONES; j++)
    centres[j] = mesh.positions[sup_rng_below(&rng, mesh.vertex_count)];
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, mesh.vertex_count + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, INFLUENCES * (size_t)mesh.vertex_count);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    double weights[BONES], sum = 0;
    for (int j = 0; j < BONES; j++) {
      double x = (double)(centres[j].x - mesh.positions[v].x);
      double y = (double)(centres[j].y - mesh.positions[v].y);
      double z = (double)(centres[j].z - mesh.positions[v].z);
      weights[j] = 1 / pow(x * x + y * y + z * z + 1e-3, 2);
      sum += weights[j];
    }
    offsets[v + 1] = offsets[v];
    for (int k = 0; k < INFLUENCES; k++) {
      int best = 0;
      for (int j = 0; j < BONES; j++) best = weights[j] > weights[best] ? j : best;
      if (weights[best] < 0.02 * sum) break;
      bones[offsets[v + 1]++] = (uint32_t)best;
      weights[best] = 0;
    }
  }
  def->bone_offsets = offsets;
  def->bones = bones;
  def->bone_count = BONES;
}

/* The same skin on renamed vertices. */
static void rename_bones(SupArena *arena, const SupOrderDef *from, const uint32_t *renamed,
                         uint32_t vertex_count, SupOrderDef *to) {
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, vertex_count + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, from->bone_offsets[vertex_count]);
  uint32_t *old = SUP_ALLOC(arena, uint32_t, vertex_count);
  for (uint32_t v = 0; v < vertex_count; v++) old[renamed[v]] = v;
  for (uint32_t v = 0; v < vertex_count; v++) {
    uint32_t first = from->bone_offsets[old[v]], count = from->bone_offsets[old[v] + 1] - first;
    memcpy(bones + offsets[v], from->bones + first, count * sizeof *bones);
    offsets[v + 1] = offsets[v] + count;
  }
  to->bone_offsets = offsets;
  to->bones = bones;
  to->bone_count = from->bone_count;
}

static SupOrder order_of(SupArena *arena, SupMesh mesh, SupOrderDef *def) {
  SupOrder order;
  assert_int_equal(sup_rings(arena, &mesh, &def->rings, NULL), SUP_OK);
  assert_int_equal(sup_order(arena, def, &order, NULL), SUP_OK);
  return order;
}

/* A permutation with its inverse, and the two means by sets of flags. */
static void check_order(SupArena *arena, const SupOrderDef *def, const SupOrder *order) {
  uint32_t n = def->rings.vertex_count;
  uint8_t *seen = SUP_ALLOC(arena, uint8_t, n), *inside = SUP_ALLOC(arena, uint8_t, n);
  assert_int_equal(order->vertex_count, n);
  assert_int_equal(order->block_count, (n + 15) / 16);
  double bone_sum = 0, outside_sum = 0;
  for (uint32_t first = 0; first < n; first += SUP_BLOCK) {
    uint32_t last = first + SUP_BLOCK < n ? first + SUP_BLOCK : n, outside[4096], count = 0;
    bool bones[BONES] = {false};
    for (uint32_t i = first; i < last; i++) {
      uint32_t v = order->old_of_new[i];
      assert_true(v < n && !seen[v]);
      seen[v] = inside[v] = 1;
      assert_int_equal(order->new_of_old[v], i);
    }
    for (uint32_t i = first; i < last; i++) {
      uint32_t v = order->old_of_new[i];
      for (uint32_t k = def->rings.offsets[v]; k < def->rings.offsets[v + 1]; k++) {
        uint32_t w = def->rings.neighbours[k];
        bool known = inside[w];
        for (uint32_t m = 0; m < count; m++) known = known || outside[m] == w;
        if (!known) outside[count++] = w;
      }
      for (uint32_t k = def->bones ? def->bone_offsets[v] : 0;
           def->bones && k < def->bone_offsets[v + 1]; k++) {
        bones[def->bones[k]] = true;
      }
    }
    for (uint32_t i = first; i < last; i++) inside[order->old_of_new[i]] = 0;
    outside_sum += count;
    for (int j = 0; j < BONES; j++) bone_sum += bones[j];
  }
  if (n == 0) return;
  assert_true(fabs(bone_sum / order->block_count - order->bones_per_block) < 1e-9);
  assert_true(fabs(outside_sum / order->block_count - order->outside_per_block) < 1e-9);
}

static void blocks_are_compact_from_any_order(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(4, 4);
  SupMesh meshes[3] = {shape_icosphere(&arena, 5), shape_torus(&arena, 250, 100, 2, 0.7),
                       shape_tube(&arena, 60, 150, 8)};
  for (unsigned m = 0; m < 3; m++) {
    SupMesh mesh = meshes[m];
    SupOrderDef def = {0};
    give_bones(&arena, mesh, &def);
    double influences = (double)def.bone_offsets[mesh.vertex_count] / mesh.vertex_count;
    SupOrder order = order_of(&arena, mesh, &def);
    check_order(&arena, &def, &order);
    /* The roundest 16 vertices of a regular triangle mesh have 18 around them. */
    assert_true(order.outside_per_block < 21);
    assert_true(order.bones_per_block < influences + 0.7);
    for (unsigned round = 0; round < 4; round++) {
      const uint32_t *renamed;
      SupMesh shuffled = shape_shuffle(&arena, mesh, &rng, &renamed);
      SupOrderDef other = {0};
      rename_bones(&arena, &def, renamed, mesh.vertex_count, &other);
      SupOrder again = order_of(&arena, shuffled, &other);
      check_order(&arena, &other, &again);
      assert_true(again.outside_per_block < 1.05 * order.outside_per_block);
      assert_true(order.outside_per_block < 1.05 * again.outside_per_block);
      assert_true(again.bones_per_block < 1.05 * order.bones_per_block);
      assert_true(order.bones_per_block < 1.05 * again.bones_per_block);
      double bones, outside;
      assert_int_equal(sup_order_measure(&arena, &other, NULL, &bones, &outside, NULL), SUP_OK);
      assert_true(bones > 15 && outside > 80); /* what the shuffled order is worth */
    }
  }
  sup_arena_free(&arena);
}

static void costs_are_obeyed(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh mesh = shape_icosphere(&arena, 5);
  SupOrderDef def = {0};
  give_bones(&arena, mesh, &def);
  def.bone_cost = 0;
  def.outside_cost = 1;
  SupOrder round = order_of(&arena, mesh, &def);
  def.bone_cost = 30;
  SupOrder bony = order_of(&arena, mesh, &def);
  assert_true(bony.bones_per_block < 0.97 * round.bones_per_block);
  assert_true(round.outside_per_block < 0.97 * bony.outside_per_block);
  sup_arena_free(&arena);
}

/* Many small pieces: blocks that must mix them shall mix pieces of one bone. */
static void pieces_of_one_bone_fraction_blocks(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(6, 4);
  SupMesh mesh = shape_box_soup(&arena, 240, &rng);
  uint32_t *offsets = SUP_ALLOC(&arena, uint32_t, mesh.vertex_count + 1);
  uint32_t *bones = SUP_ALLOC(&arena, uint32_t, mesh.vertex_count);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    offsets[v + 1] = v + 1;
    bones[v] = (v / 8) % 12;
  }
  SupOrderDef def = {.bone_offsets = offsets, .bones = bones, .bone_count = 12};
  SupOrder order = order_of(&arena, mesh, &def);
  check_order(&arena, &def, &order);
  assert_true(order.bones_per_block == 1);
  assert_true(order.outside_per_block == 0);
  sup_arena_free(&arena);
}

/* No bones, no triangles, nothing at all, and a vertex with thousands of neighbours. */
static void odd_meshes(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh mesh = shape_grid(&arena, 30, 30);
  SupOrderDef def = {0};
  SupOrder order = order_of(&arena, mesh, &def);
  check_order(&arena, &def, &order);
  assert_true(order.bones_per_block == 0 && order.outside_per_block < 20);
  mesh.triangle_count = 0;
  order = order_of(&arena, mesh, &def);
  check_order(&arena, &def, &order);
  assert_true(order.outside_per_block == 0);
  order = order_of(&arena, (SupMesh){0}, &def);
  check_order(&arena, &def, &order);
  enum { RIM = 3000 };
  uint32_t *fan = SUP_ALLOC(&arena, uint32_t, 3 * RIM);
  for (uint32_t k = 0; k < RIM; k++) {
    fan[3 * k + 1] = 1 + k;
    fan[3 * k + 2] = 1 + (k + 1) % RIM;
  }
  order = order_of(&arena, (SupMesh){RIM + 1, RIM, NULL, fan}, &def);
  check_order(&arena, &def, &order);
  assert_true(order.outside_per_block < 20);
  sup_arena_free(&arena);
}

static void order_is_deterministic(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh mesh = shape_torus(&arena, 100, 70, 2, 0.7);
  SupOrderDef def = {0};
  give_bones(&arena, mesh, &def);
  SupOrder a = order_of(&arena, mesh, &def), b = order_of(&arena, mesh, &def);
  assert_memory_equal(a.old_of_new, b.old_of_new, 4 * mesh.vertex_count);
  sup_arena_free(&arena);
}

static void failing_memory_is_told(void **state) {
  (void)state;
  SupArena shapes = new_arena();
  SupMesh mesh = shape_torus(&shapes, 120, 120, 2, 0.5);
  SupOrderDef def = {0};
  give_bones(&shapes, mesh, &def);
  assert_int_equal(sup_rings(&shapes, &mesh, &def.rings, NULL), SUP_OK);
  size_t k = 1;
  for (SupResult result = SUP_ERROR_MEMORY; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupOrder order = {.block_count = 77};
    double bones, outside;
    result = sup_order(&arena, &def, &order, NULL);
    if (result != SUP_OK) assert_int_equal(order.block_count, 77);
    if (result == SUP_OK) result = sup_order_measure(&arena, &def, NULL, &bones, &outside, NULL);
    if (result != SUP_OK) assert_int_equal(result, SUP_ERROR_MEMORY);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  assert_true(k > 4);
  sup_arena_free(&shapes);
}

int run_order_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_compact_from_any_order),
      cmocka_unit_test(costs_are_obeyed),
      cmocka_unit_test(pieces_of_one_bone_fraction_blocks),
      cmocka_unit_test(odd_meshes),
      cmocka_unit_test(order_is_deterministic),
      cmocka_unit_test(failing_memory_is_told),
  };
  return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
