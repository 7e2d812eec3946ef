/* SPDX-License-Identifier: MIT */
/* The built-in characters: catalogue, surfaces, symmetry, weights, memory, threads. */
#include "surface_check.h"

#include <stdio.h>
#include <string.h>

#include "supple/author/skin_pack.h"
#include "supple/io/pool.h"

static void test_catalogue(void **state) {
  (void)state;
  const char *names[] = {"mochi", "cat", "toy", "tube", "leg", "arm", "sheet"};
  const uint32_t joints[] = {24, 30, 3, 2, 3, 6, 4};
  assert_int_equal(sup_builtin_count(), 7);
  for (uint32_t i = 0; i < 7; i++) {
    SupBuiltinInfo info = sup_builtin_info(i);
    assert_string_equal(info.name, names[i]);
    assert_int_equal(info.joint_count, joints[i]);
    assert_true(strlen(info.summary) > 10 && !strchr(info.summary, '\n'));
  }
}

static void test_bad_requests(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter character, before;
  memset(&character, 0x5a, sizeof character);
  memcpy(&before, &character, sizeof before);
  SupBuiltinDef defs[] = {
      {.name = "mochy"}, {.name = "mochi", .vertices = 493}, {.name = "toy", .vertices = 16000001}};
  for (size_t i = 0; i < sizeof defs / sizeof defs[0]; i++) {
    SupError error = {""};
    assert_int_equal(sup_builtin_character(&arena, &defs[i], &character, &error),
                     SUP_ERROR_ARGUMENT);
    assert_true(strlen(error.text) > 20);
    assert_memory_equal(&character, &before, sizeof character);
  }
  sup_arena_free(&arena);
}

/* ---- Surfaces ------------------------------------------------------------------------------- */

static void check_surface(const char *name, uint32_t vertices) {
  SupArena arena = new_arena();
  SupCharacter c = make(&arena, name, vertices);
  SurfaceFacts facts = surface_facts(&arena, &c);
  double off = 100.0 * ((double)c.body.vertex_count - vertices) / vertices;
  float low = 1e9f, high = -1e9f;
  for (uint32_t v = 0; v < c.body.vertex_count; v++) {
    low = fminf(low, c.body.positions[v].y);
    high = fmaxf(high, c.body.positions[v].y);
  }
  printf("%-6s %6u asked, %6u made, quality low %.3f mean %.3f, facing %.3f, %.3f .. %.3f m\n",
         name, vertices, c.body.vertex_count, facts.quality_low, facts.quality_mean,
         facts.facing_low, (double)low, (double)high);
  assert_true(fabs(off) <= 1);
  assert_true(facts.closed);
  assert_int_equal(facts.euler, 2);
  assert_int_equal(facts.component_count, 1);
  assert_true(facts.volume > 0.01);
  assert_true(facts.quality_low >= 0.3);
  /* The outlines of the cat's many patches of colour bind most of its smallest meshes. */
  bool crowded = strcmp(name, "cat") == 0 && vertices < 1000;
  assert_true(facts.quality_mean >= (crowded ? 0.86 : 0.91));
  assert_true(facts.facing_low > 0.2);
  assert_int_equal(c.weld.weights_averaged, 0);
  assert_int_equal(c.weld.triangles_degenerate, 0);
  assert_int_equal(c.weld.triangles_duplicate, 0);
  assert_true(low > -0.003f && low < 0.02f);
  assert_true(high > 0.55f && high < 1.1f);
  sup_arena_free(&arena);
}

static void test_surfaces(void **state) {
  (void)state;
  const uint32_t sizes[] = {494, 1000, 4430, 6969, 25001};
  for (uint32_t i = 0; i < sup_builtin_count(); i++) {
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
      if (i < 2 || sizes[k] < 5000) check_surface(sup_builtin_info(i).name, sizes[k]);
    }
  }
}

static void test_any_count(void **state) {
  (void)state;
  for (uint32_t n = 495; n < 800; n += 97) check_surface("mochi", n);
  for (uint32_t n = 503; n < 800; n += 97) check_surface("cat", n);
  for (uint32_t n = 500; n < 3000; n += 607) check_surface("tube", n);
}

static void test_default_sizes(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sup_builtin_count(); i++) {
    SupArena arena = new_arena();
    SupBuiltinInfo info = sup_builtin_info(i);
    SupCharacter c = make(&arena, info.name, 0);
    assert_in_range(c.body.vertex_count, info.vertices * 99 / 100, info.vertices * 101 / 100);
    assert_string_equal(c.name, info.name);
    assert_int_equal(c.skeleton.joint_count, info.joint_count);
    assert_int_equal(c.skeleton.bone_count, info.joint_count);
    for (uint32_t p = 0; p < c.render.part_count; p++) {
      assert_true(c.render.parts[p].material < c.material_count);
    }
    sup_arena_free(&arena);
  }
}

static double material_area(const SupCharacter *c, uint32_t material) {
  double area = 0;
  for (uint32_t k = 0; k < c->render.part_count; k++) {
    const SupPart *part = &c->render.parts[k];
    if (part->material != material) continue;
    for (uint32_t f = part->first_triangle; f < part->first_triangle + part->triangle_count; f++) {
      double p[3][3], ab[3], ac[3], n[3];
      for (int i = 0; i < 3; i++) {
        to_double3(c->render.positions[c->render.triangles[3 * (size_t)f + (size_t)i]], p[i]);
      }
      sub3(p[1], p[0], ab);
      sub3(p[2], p[0], ac);
      cross3(ab, ac, n);
      area += 0.5 * sqrt(dot3(n, n));
    }
  }
  return area;
}

/* Eyes stay eyes: every patch of colour keeps its area at the smallest size. */
static void test_patches_keep_their_area(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sup_builtin_count(); i++) {
    SupArena arena = new_arena();
    SupCharacter small = make(&arena, sup_builtin_info(i).name, SUP_BUILTIN_VERTICES_MIN);
    SupCharacter large = make(&arena, sup_builtin_info(i).name, 6969);
    for (uint32_t m = 0; m < small.material_count; m++) {
      double ratio = material_area(&small, m) / material_area(&large, m);
      printf("%-6s %-9s has %.2f of its area at the smallest size\n", small.name,
             small.materials[m].name, ratio);
      assert_true(ratio > 0.6 && ratio < 1.2);
    }
    sup_arena_free(&arena);
  }
}

/* ---- Symmetry and weights ------------------------------------------------------------------- */

typedef struct Placed {
  float p[3];
  uint32_t v;
} Placed;

static int place_order(const void *a, const void *b) {
  const Placed *x = a, *y = b;
  for (int k = 0; k < 3; k++) {
    if (x->p[k] != y->p[k]) return x->p[k] < y->p[k] ? -1 : 1;
  }
  return 0;
}

static uint32_t mirror_bone(const SupSkeleton *skeleton, uint32_t bone) {
  const float *m = skeleton->inverse_bind[bone].m;
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    const float *n = skeleton->inverse_bind[b].m;
    if (n[9] == -m[9] && n[10] == m[10] && n[11] == m[11]) return b;
  }
  fail_msg("bone %u has no mirror image", bone);
  return bone;
}

static float weight_of(const SupSkin *skin, uint32_t v, uint32_t bone) {
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    if (skin->bones[k] == bone) return skin->weights[k];
  }
  return 0;
}

/* Every vertex has one at exactly -x, with the mirrored bones and exactly the same weights. */
static void check_symmetry(const char *name) {
  SupArena arena = new_arena();
  SupCharacter c = make(&arena, name, 4430);
  uint32_t count = c.body.vertex_count;
  Placed *placed = SUP_ALLOC(&arena, Placed, count);
  for (uint32_t v = 0; v < count; v++) {
    SupVec3 p = c.body.positions[v];
    placed[v] = (Placed){{p.x, p.y, p.z}, v};
  }
  qsort(placed, count, sizeof *placed, place_order);
  for (uint32_t v = 0; v < count; v++) {
    SupVec3 p = c.body.positions[v];
    Placed key = {{-p.x, p.y, p.z}, 0};
    const Placed *twin = bsearch(&key, placed, count, sizeof *placed, place_order);
    assert_non_null(twin);
    for (uint32_t k = c.skin.offsets[v]; k < c.skin.offsets[v + 1]; k++) {
      float other = weight_of(&c.skin, twin->v, mirror_bone(&c.skeleton, c.skin.bones[k]));
      assert_true(fabs((double)(other - c.skin.weights[k])) < 1e-6);
    }
  }
  sup_arena_free(&arena);
}

static void test_symmetry(void **state) {
  (void)state;
  check_symmetry("mochi");
  check_symmetry("cat");
  check_symmetry("toy");
  check_symmetry("tube");
  check_symmetry("leg");
}

/* At most 4, summing to 1, every bone used, and no jump: `steep` is the most that all weights
 * together change per metre of edge. */
static void check_weights(const char *name, double steep) {
  SupArena arena = new_arena();
  SupCharacter c = make(&arena, name, 4430);
  double *mass = SUP_ALLOC(&arena, double, c.skeleton.bone_count), steepest = 0;
  assert_true(c.skin.influence_max <= 4);
  for (uint32_t v = 0; v < c.body.vertex_count; v++) {
    double sum = 0;
    for (uint32_t k = c.skin.offsets[v]; k < c.skin.offsets[v + 1]; k++) {
      sum += (double)c.skin.weights[k];
      mass[c.skin.bones[k]] += (double)c.skin.weights[k];
    }
    assert_true(fabs(sum - 1) < 1e-6);
  }
  for (uint32_t b = 0; b < c.skeleton.bone_count; b++) {
    if (!(mass[b] > 25)) fail_msg("%s has %g vertices", c.skeleton.names[b], mass[b]);
  }
  for (size_t h = 0; h < 3 * (size_t)c.body.triangle_count; h++) {
    uint32_t a = c.body.triangles[h], b = c.body.triangles[h % 3 == 2 ? h - 2 : h + 1];
    double p[3], q[3], d[3], change = 0;
    to_double3(c.body.positions[a], p);
    to_double3(c.body.positions[b], q);
    sub3(p, q, d);
    for (uint32_t j = 0; j < c.skeleton.bone_count; j++) {
      change += fabs((double)(weight_of(&c.skin, a, j) - weight_of(&c.skin, b, j)));
    }
    steepest = fmax(steepest, change / sqrt(dot3(d, d)));
  }
  printf("%-6s weights change by at most %.1f per metre\n", name, steepest);
  assert_true(steepest < steep);
  sup_arena_free(&arena);
}

static void test_weights(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sup_builtin_count(); i++) check_weights(sup_builtin_info(i).name, 110);
}

/* ---- Memory and threads --------------------------------------------------------------------- */

/* Makes a character and packs it, within a limit. */
static SupResult make_within(size_t limit, CountingHeap *heap) {
  SupBuiltinDef def = {.name = "tube", .vertices = 2000};
  SupCharacter character;
  SupSkinView skin;
  SupModel *model;
  SupArena arena;
  sup_arena_init(&arena, counting_allocator(heap), limit);
  SupResult result = sup_builtin_character(&arena, &def, &character, NULL);
  if (!result) result = sup_skin_pack_character(&arena, &character, SUP_ORDER_RENDER, &skin, NULL);
  if (!result) result = sup_skin_model(&arena, &character, SUP_ORDER_BODY, &model, NULL);
  assert_true(arena.limit == limit);
  sup_arena_free(&arena);
  return result;
}

/* Whatever the limit is, scratch memory counts against it too, but for a chunk or two that nested
 * calls have at the same time. */
static void test_limits_hold(void **state) {
  (void)state;
  size_t low = 0, high = (size_t)1 << 26; /* fails at low, goes at high */
  while (high - low > high / 64) {
    size_t limit = (low + high) / 2;
    CountingHeap heap = {0};
    SupResult result = make_within(limit, &heap);
    assert_int_equal(heap.live_blocks, 0);
    if (heap.peak_bytes > limit + limit / 10) {
      fail_msg("%zu bytes within %zu", heap.peak_bytes, limit);
    }
    if (result == SUP_OK) {
      high = limit;
    } else {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      low = limit;
    }
  }
  printf("a tube of 2,000 vertices is made and packed within %zu KB\n", high / 1024);
}

static void test_every_allocation_may_fail(void **state) {
  (void)state;
  SupBuiltinDef def = {.name = "tube", .vertices = 494};
  SupCharacter character;
  SupResult result = SUP_ERROR_MEMORY;
  for (size_t k = 1; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    SupError error = {""};
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    result = sup_builtin_character(&arena, &def, &character, &error);
    if (result != SUP_OK) {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      assert_true(strlen(error.text) > 10);
    }
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
}

static uint64_t character_hash(const SupCharacter *c) {
  uint64_t hash = sup_hash(c->body.positions, c->body.vertex_count * sizeof(SupVec3), 0);
  hash = sup_hash(c->body.triangles, c->body.triangle_count * 3 * sizeof(uint32_t), hash);
  hash = sup_hash(c->skin.weights, c->skin.offsets[c->body.vertex_count] * sizeof(float), hash);
  return sup_hash(c->render.normals, c->render.vertex_count * sizeof(SupVec3), hash);
}

static void test_threads_change_nothing(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  SupJobs jobs = sup_pool_jobs(pool);
  SupBuiltinDef def = {.name = "leg", .vertices = 70000};
  SupCharacter alone, shared;
  assert_int_equal(sup_builtin_character(&arena, &def, &alone, NULL), SUP_OK);
  def.jobs = &jobs;
  assert_int_equal(sup_builtin_character(&arena, &def, &shared, NULL), SUP_OK);
  assert_true(character_hash(&alone) == character_hash(&shared));
  sup_pool_destroy(pool);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_catalogue),
      cmocka_unit_test(test_bad_requests),
      cmocka_unit_test(test_surfaces),
      cmocka_unit_test(test_any_count),
      cmocka_unit_test(test_default_sizes),
      cmocka_unit_test(test_patches_keep_their_area),
      cmocka_unit_test(test_symmetry),
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_limits_hold),
      cmocka_unit_test(test_every_allocation_may_fail),
      cmocka_unit_test(test_threads_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
