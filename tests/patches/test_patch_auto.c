/* SPDX-License-Identifier: MIT */
/* Decompositions that nobody drew: of the built-in characters, spoilt in many ways. */
#include <math.h>

#include "../geom/shapes.h"
#include "patch_checks.h"
#include "supple/author/builtin.h"
#include "supple/author/patch_quality.h"
#include "supple/io/file.h"

static SupArena arena;

static int set_up(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return 0;
}

static SupCharacter builtin(const char *name, uint32_t vertices) {
  const SupBuiltinDef def = {.name = name, .vertices = vertices};
  SupCharacter character;
  assert_int_equal(sup_builtin_character(&arena, &def, &character, NULL), SUP_OK);
  return character;
}

static void find(const SupCharacter *character, SupPatchAuto *out) {
  const SupPatchAutoDef def = sup_patch_auto_def(character);
  check_auto(&arena, &def, out);
}

/* Each is a ball, so vertices - edges + faces is 2, and all of it is flesh. */
static void all_builtins(void **state) {
  (void)state;
  for (uint32_t k = 0; k < sup_builtin_count(); k++) {
    const SupCharacter character = builtin(sup_builtin_info(k).name, 0);
    SupPatchAuto found;
    find(&character, &found);
    assert_int_equal(found.patches.euler, 2);
    assert_true(found.covered > 1 - 1e-6);
    assert_int_equal(found.left_out_count, 0);
    assert_true(found.patches.patch_count >= 8);
    assert_int_equal(found.coarse_count, 0);
    print_message("  %s: %u features, %u boundaries, %u patches\n", character.name,
                  found.def.feature_count, found.def.boundary_count, found.patches.patch_count);
  }
}

/* A leg of mochi: the same number of rings on both, features near to the images of the other's. */
static void left_is_right(void **state) {
  (void)state;
  static const char *const names[] = {"mochi", "cat"};
  for (int k = 0; k < 2; k++) {
    const SupCharacter character = builtin(names[k], 0);
    SupPatchAuto found;
    find(&character, &found);
    uint32_t pairs = 0, aside = 0;
    for (uint32_t i = 0; i < found.def.feature_count; i++) {
      char image[200];
      uint32_t other = SUP_NONE;
      assert_true(mirror_name(found.def.features[i].name, sizeof image, image));
      for (uint32_t j = 0; j < found.def.feature_count; j++) {
        if (!strcmp(found.def.features[j].name, image)) other = j;
      }
      if (other == SUP_NONE) print_error("%s is not there\n", image);
      assert_int_not_equal(other, SUP_NONE);
      SupVec3d p = sup_skin_point_place(&character.body, found.def.features[i].at);
      const SupVec3d q = sup_skin_point_place(&character.body, found.def.features[other].at);
      p.x = -p.x;
      pairs++;
      aside += sup_vec3d_distance(p, q) > 0.05;
    }
    print_message("  %s: %u of %u features are 5 cm or more from their images\n", names[k], aside,
                  pairs);
    assert_true(20 * aside <= pairs);
  }
}

/* The same character with its vertices and triangles in another order, in another place and
 * size. */
static SupCharacter shuffled(const SupCharacter *character, uint64_t seed) {
  SupRng rng = sup_rng(seed, 0);
  const uint32_t *new_of, n = character->body.vertex_count;
  SupCharacter other = *character;
  other.body = shape_shuffle(&arena, character->body, &rng, &new_of);
  SupVec3 *positions = SUP_ALLOC(&arena, SupVec3, n);
  uint32_t *offsets = SUP_ALLOC(&arena, uint32_t, (size_t)n + 1), *old_of;
  uint32_t *to_body = SUP_ALLOC(&arena, uint32_t, character->render.vertex_count);
  uint32_t *bones = SUP_ALLOC(&arena, uint32_t, character->skin.offsets[n]);
  float *weights = SUP_ALLOC(&arena, float, character->skin.offsets[n]);
  old_of = SUP_ALLOC(&arena, uint32_t, n);
  for (uint32_t v = 0; v < n; v++) {
    old_of[new_of[v]] = v;
    const SupVec3 p = other.body.positions[v];
    positions[v] = (SupVec3){40 * p.x + 3, 40 * p.y - 7, 40 * p.z + 1};
  }
  for (uint32_t v = 0; v < n; v++) {
    const uint32_t first = character->skin.offsets[old_of[v]];
    const uint32_t count = character->skin.offsets[old_of[v] + 1] - first;
    offsets[v + 1] = offsets[v] + count;
    for (uint32_t k = 0; k < count; k++) {
      bones[offsets[v] + k] = character->skin.bones[first + k];
      weights[offsets[v] + k] = character->skin.weights[first + k];
    }
  }
  for (uint32_t v = 0; v < character->render.vertex_count; v++) {
    to_body[v] = new_of[character->render.to_body[v]];
  }
  other.body.positions = positions;
  other.skin.offsets = offsets;
  other.skin.bones = bones;
  other.skin.weights = weights;
  other.render.to_body = to_body;
  return other;
}

static void order_and_size_do_not_matter(void **state) {
  (void)state;
  static const char *const names[] = {"mochi", "cat", "toy", "leg"};
  for (int k = 0; k < 4; k++) {
    const SupCharacter character = builtin(names[k], 0);
    SupPatchAuto found, other;
    find(&character, &found);
    const SupCharacter copy = shuffled(&character, 5);
    find(&copy, &other);
    check_isomorphic(&found, &other);
  }
}

/* Coarser and finer bodies have the same decomposition. */
static void resolution_hardly_matters(void **state) {
  (void)state;
  const SupCharacter coarse = builtin("mochi", 3000), fine = builtin("mochi", 12000);
  SupPatchAuto a, b;
  find(&coarse, &a);
  find(&fine, &b);
  check_isomorphic(&a, &b);
}

/* Bodies of few vertices lose rings, never their patches. */
static void few_vertices(void **state) {
  (void)state;
  for (uint32_t k = 0; k < sup_builtin_count(); k++) {
    const SupCharacter character = builtin(sup_builtin_info(k).name, SUP_BUILTIN_VERTICES_MIN);
    SupPatchAuto found;
    find(&character, &found);
    assert_int_equal(found.patches.euler, 2);
    assert_true(found.covered > 1 - 1e-6);
  }
}

/* Holes of all sizes anywhere: boundaries run along their rims, but for rims that touch themselves,
 * which cost the patch around them. */
static void holes(void **state) {
  (void)state;
  const SupCharacter mochi = builtin("mochi", 2500), cat = builtin("cat", 2500);
  double least = 1, sum = 0;
  for (uint64_t seed = 0; seed < 8; seed++) {
    SupRng rng = sup_rng(seed, 1);
    SupCharacter character = seed % 2 ? mochi : cat;
    const SupMesh *body = &character.body;
    bool *drop = SUP_ALLOC(&arena, bool, body->triangle_count);
    const uint32_t count = 1 + sup_rng_below(&rng, 8);
    for (uint32_t k = 0; k < count; k++) {
      const SupVec3 middle = body->positions[sup_rng_below(&rng, body->vertex_count)];
      const float size = 0.01f + 0.12f * sup_rng_float(&rng);
      for (uint32_t f = 0; f < body->triangle_count; f++) {
        const SupVec3 p = body->positions[body->triangles[3 * f]];
        if (sup_vec3_distance(p, middle) < size) drop[f] = true;
      }
    }
    character.body = shape_without(&arena, *body, drop);
    SupPatchAuto found;
    find(&character, &found);
    if (found.covered < least) least = found.covered;
    sum += found.covered;
    assert_true(found.patches.patch_count >= 4);
  }
  print_message("  covered: %.3f at least, %.3f in the mean\n", least, sum / 8);
  assert_true(least > 0.2);
  assert_true(sum / 8 > 0.6);
}

/* Weights without any sense: nearest of random bones, random numbers. */
static void senseless_weights(void **state) {
  (void)state;
  const SupCharacter cat = builtin("cat", 1500);
  for (uint64_t seed = 0; seed < 8; seed++) {
    SupRng rng = sup_rng(seed, 2);
    SupCharacter character = cat;
    const uint32_t n = character.body.vertex_count, all = character.skin.offsets[n];
    uint32_t *bones = SUP_ALLOC(&arena, uint32_t, all);
    float *weights = SUP_ALLOC(&arena, float, all);
    for (uint32_t v = 0; v < n; v++) {
      const uint32_t first = character.skin.offsets[v], last = character.skin.offsets[v + 1];
      for (uint32_t k = first; k < last; k++) {
        bones[k] =
            seed % 2 ? character.skin.bones[k] : sup_rng_below(&rng, character.skeleton.bone_count);
        weights[k] = 1.0f / (float)(last - first);
      }
      if (seed % 2) bones[first] = sup_rng_below(&rng, 4);
    }
    character.skin.bones = bones;
    character.skin.weights = weights;
    SupPatchAuto found;
    find(&character, &found);
    assert_int_equal(found.patches.euler, 2);
    assert_true(found.covered > 1 - 1e-6);
  }
}

/* Handles, several pieces, no pieces. */
static void other_shapes(void **state) {
  (void)state;
  const SupCharacter leg = builtin("leg", 0);
  for (int k = 0; k < 6; k++) {
    SupCharacter character = leg;
    SupMesh mesh = shape_icosphere(&arena, 3);
    if (k == 1) mesh = shape_union(&arena, mesh, shape_icosphere(&arena, 2), (SupVec3){5, 0, 0});
    if (k == 2) mesh = shape_torus(&arena, 24, 12, 1, 0.4);
    if (k == 3) mesh = shape_grid(&arena, 9, 7);
    if (k == 4) mesh = shape_box(&arena);
    if (k == 5) { /* an open piece that is one triangle has no room for features */
      static const SupVec3 corners[3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
      static const uint32_t triangle[3] = {0, 1, 2};
      const SupMesh one = {
          .vertex_count = 3, .triangle_count = 1, .positions = corners, .triangles = triangle};
      mesh = shape_union(&arena, mesh, one, (SupVec3){5, 0, 0});
    }
    const uint32_t n = mesh.vertex_count;
    uint32_t *offsets = SUP_ALLOC(&arena, uint32_t, (size_t)n + 1);
    uint32_t *bones = SUP_ALLOC(&arena, uint32_t, n);
    uint32_t *to_body = SUP_ALLOC(&arena, uint32_t, n);
    float *weights = SUP_ALLOC(&arena, float, n);
    for (uint32_t v = 0; v < n; v++) {
      offsets[v + 1] = v + 1;
      bones[v] = mesh.positions[v].x > 3 ? 1 : 0;
      weights[v] = 1;
      to_body[v] = v;
    }
    character.body = mesh;
    character.skin = (SupSkin){n, 1, offsets, bones, weights};
    SupPart part = character.render.parts[0];
    part.vertex_count = n;
    part.triangle_count = mesh.triangle_count;
    character.render = (SupRender){.vertex_count = n,
                                   .triangle_count = mesh.triangle_count,
                                   .part_count = 1,
                                   .parts = &part,
                                   .to_body = to_body,
                                   .triangles = mesh.triangles,
                                   .positions = mesh.positions};
    character.map_count = character.morph_count = 0;
    SupPatchAuto found;
    find(&character, &found);
    print_message("  shape %d: %u patches cover %.3f\n", k, found.patches.patch_count,
                  found.covered);
    if (k == 0 || k == 4) assert_true(found.covered > 1 - 1e-6);
    if (k == 5) assert_true(found.covered > 0.5 && found.left_out_count == 1);
  }
}

static void nothing_is_flesh(void **state) {
  (void)state;
  const SupCharacter character = builtin("mochi", 1000);
  SupPatchAutoDef def = sup_patch_auto_def(&character);
  static const char *const all[] = {"*"};
  SupPatchAuto found;
  SupError error;
  def.hard.lock.patterns = all;
  def.hard.lock.count = 1;
  assert_int_equal(sup_patch_auto(&arena, &def, &found, &error), SUP_ERROR_UNSUPPORTED);
  assert_string_equal(error.text,
                      "nothing of 'mochi' is flesh, so there is nothing to divide into patches; "
                      "unlock what is taken for clothes, armour or the like");
  def.cookie = 0;
  assert_int_equal(sup_patch_auto(&arena, &def, &found, &error), SUP_ERROR_ARGUMENT);
}

/* Memory may end anywhere. */
static void no_memory(void **state) {
  (void)state;
  const SupCharacter character = builtin("cat", SUP_BUILTIN_VERTICES_MIN);
  const SupPatchAutoDef def = sup_patch_auto_def(&character);
  SupResult result = SUP_ERROR_MEMORY;
  for (size_t fail_at = 1; result != SUP_OK; fail_at += 1 + fail_at / 8) {
    CountingHeap heap = {.fail_at = fail_at};
    SupArena small;
    SupPatchAuto found;
    SupError error;
    sup_arena_init(&small, counting_allocator(&heap), 0);
    result = sup_patch_auto(&small, &def, &found, &error);
    assert_true(result == SUP_OK || result == SUP_ERROR_MEMORY);
    sup_arena_free(&small);
    assert_int_equal(heap.live_blocks, 0);
  }
}

/* A rectangle of 4 by 1 in one patch: its numbers by hand. */
static void known_quality(void **state) {
  (void)state;
  const SupMesh mesh = shape_grid(&arena, 8, 2);
  SupTopology topology;
  SupPatchFeature features[4];
  SupPatchBoundary boundaries[4];
  static const char *const names[4] = {"a", "b", "c", "d"};
  const SupVec3 places[4] = {{0, 0, 0}, {8, 0, 0}, {8, 2, 0}, {0, 2, 0}};
  assert_int_equal(sup_topology(&arena, &mesh, &topology, NULL), SUP_OK);
  for (uint32_t k = 0; k < 4; k++) {
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
      if (sup_vec3_distance(mesh.positions[v], places[k]) > 1e-6f) continue;
      features[k] = (SupPatchFeature){names[k], sup_skin_vertex(v), 0};
    }
  }
  for (uint32_t k = 0; k < 4; k++) {
    SupPathDef def = {.mesh = mesh, .topology = &topology};
    def.from = features[k].at;
    def.to = features[(k + 1) % 4].at;
    boundaries[k] = (SupPatchBoundary){.name = names[k], .from = k, .to = (k + 1) % 4};
    assert_int_equal(sup_path_rim(&arena, &def, &boundaries[k].path, NULL), SUP_OK);
  }
  const SupPatchesDef def = {.mesh = mesh,
                             .topology = &topology,
                             .source = "grid",
                             .feature_count = 4,
                             .boundary_count = 4,
                             .features = features,
                             .boundaries = boundaries};
  SupPatches patches;
  SupPatchesQuality quality;
  assert_int_equal(sup_patches_create(&arena, &def, &patches, NULL), SUP_OK);
  assert_int_equal(sup_patches_quality(&arena, &patches, &quality, NULL), SUP_OK);
  assert_int_equal(quality.patch_count, 1);
  SupPatchQuality *q = &quality.patches[0];
  const double right = acos(-1.0) / 2;
  assert_true(fabs(q->area - (16)) < 1e-9);
  assert_true(fabs(q->perimeter - (20)) < 1e-9);
  assert_true(fabs(q->roundness - (16 * 16 / 400.0)) < 1e-9); /* a square has 1 */
  assert_true(fabs(q->shortest_side - (2)) < 1e-9);
  assert_true(fabs(q->longest_side - (8)) < 1e-9);
  assert_true(fabs(q->balance - (0.4)) < 1e-9);
  assert_true(fabs(q->least_angle - (right)) < 1e-9);
  assert_true(fabs(q->greatest_angle - (right)) < 1e-9);
  assert_true(fabs(q->score - (sqrt(0.64 * 0.8))) < 1e-9);
  assert_true(fabs(quality.score - (q->score)) < 1e-9);
  q->distortion = 2;
  sup_patches_score(&quality);
  assert_true(fabs(quality.score - (sqrt(0.64 * 0.8) / 2)) < 1e-9);
  assert_true(fabs(quality.least_score - (quality.score)) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(all_builtins, set_up, tear_down),
      cmocka_unit_test_setup_teardown(left_is_right, set_up, tear_down),
      cmocka_unit_test_setup_teardown(order_and_size_do_not_matter, set_up, tear_down),
      cmocka_unit_test_setup_teardown(resolution_hardly_matters, set_up, tear_down),
      cmocka_unit_test_setup_teardown(few_vertices, set_up, tear_down),
      cmocka_unit_test_setup_teardown(holes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(senseless_weights, set_up, tear_down),
      cmocka_unit_test_setup_teardown(other_shapes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nothing_is_flesh, set_up, tear_down),
      cmocka_unit_test_setup_teardown(no_memory, set_up, tear_down),
      cmocka_unit_test_setup_teardown(known_quality, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
