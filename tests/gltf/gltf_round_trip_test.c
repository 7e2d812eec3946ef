/* SPDX-License-Identifier: MIT */
/* Saving and reading again: nothing is lost, nothing moves. */
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "gltf_compare.h"
#include "gltf_fixtures.h"
#include "gltf_groups.h"
#include "supple/io/file.h"

static SupArena arena;
static char folder[64];

static int begin(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  snprintf(folder, sizeof folder, "/tmp/supple_gltf_XXXXXX");
  return mkdtemp(folder) ? 0 : 1;
}

static int end(void **state) {
  (void)state;
  sup_arena_free(&arena);
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static SupGltf *open_file(const char *path) {
  SupGltf *document = NULL;
  SupError error = {""};
  if (sup_gltf_open(path, NULL, &document, &error) != SUP_OK) fail_msg("%s", error.text);
  return document;
}

/* Saves, reads again, compares; then once more from there back to a .glb. */
static void check_round_trip(const SupGltf *document, const uint8_t *file, size_t bytes) {
  static const SupGltfFormat formats[] = {SUP_GLTF_BINARY, SUP_GLTF_TEXT, SUP_GLTF_TEXT_EMBEDDED};
  CharacterList expected = characters_of(document, &arena);
  SupError error = {""};
  for (int k = 0; k < 3; k++) {
    char path[100];
    snprintf(path, sizeof path, "%s/copy %d.%s", folder, k, k ? "gltf" : "glb");
    if (sup_gltf_save(document, path, formats[k], &error) != SUP_OK) fail_msg("%s", error.text);
    const uint8_t *saved, *again;
    size_t saved_bytes, again_bytes;
    assert_int_equal(sup_file_read(&arena, path, &saved, &saved_bytes, &error), SUP_OK);
    assert_same_json(file, bytes, saved, saved_bytes);
    SupGltf *copy = open_file(path);
    CharacterList actual = characters_of(copy, &arena);
    assert_same_characters(&expected, &actual);
    assert_int_equal(sup_gltf_save_memory(copy, &arena, &again, &again_bytes, &error), SUP_OK);
    assert_same_json(file, bytes, again, again_bytes);
    sup_gltf_close(copy);
  }
}

static void fixtures_survive(void **state) {
  (void)state;
  for (const unsigned *flags = fixture_list; *flags != FIXTURE_END; flags++) {
    Fixture fixture = fixture_make(*flags);
    SupGltf *document = fixture_open(*flags);
    check_round_trip(document, fixture.file, fixture.bytes);
    sup_gltf_close(document);
    fixture_free(&fixture);
  }
}

/* A .glb that nobody edited comes back byte for byte when it was compact JSON to begin with. */
static void compact_files_come_back_byte_for_byte(void **state) {
  (void)state;
  Fixture fixture = fixture_make(FIX_MORPHS | FIX_JOINTS_1);
  SupGltf *document = fixture_open(FIX_MORPHS | FIX_JOINTS_1);
  const uint8_t *saved;
  size_t bytes;
  SupError error;
  assert_int_equal(sup_gltf_save_memory(document, &arena, &saved, &bytes, &error), SUP_OK);
  assert_int_equal(bytes, fixture.bytes);
  assert_memory_equal(saved, fixture.file, bytes);
  sup_gltf_close(document);
  fixture_free(&fixture);
}

/* Extra chunks of a .glb are kept. */
static void unknown_chunks_are_kept(void **state) {
  (void)state;
  Fixture fixture = fixture_make(FIX_PLAIN);
  static const uint8_t chunk[] = {4, 0, 0, 0, 'A', 'C', 'M', 'E', 1, 2, 3, 4};
  uint8_t *file = malloc(fixture.bytes + sizeof chunk);
  memcpy(file, fixture.file, fixture.bytes);
  memcpy(file + fixture.bytes, chunk, sizeof chunk);
  size_t total = fixture.bytes + sizeof chunk;
  for (int k = 0; k < 4; k++) file[8 + k] = (uint8_t)(total >> (8 * k));
  SupGltf *document = NULL;
  const uint8_t *saved;
  size_t bytes;
  SupError error;
  assert_int_equal(sup_gltf_open_memory(file, total, NULL, NULL, &document, &error), SUP_OK);
  assert_int_equal(sup_gltf_save_memory(document, &arena, &saved, &bytes, &error), SUP_OK);
  assert_int_equal(bytes, total);
  assert_memory_equal(saved, file, total);
  sup_gltf_close(document);
  free(file);
  fixture_free(&fixture);
}

static void real_characters_survive(void **state) {
  (void)state;
  const char *data = getenv("SUPPLE_TEST_DATA");
  if (!data) {
    print_message("  SUPPLE_TEST_DATA is not set\n");
    skip();
  }
  static const char *const folders[] = {"", "/fixtures"};
  unsigned count = 0;
  for (int k = 0; k < 2; k++) {
    char path[600];
    snprintf(path, sizeof path, "%s%s", data, folders[k]);
    DIR *listing = opendir(path);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
      const char *dot = strrchr(entry->d_name, '.');
      if (!dot || (strcmp(dot, ".glb") && strcmp(dot, ".gltf"))) continue;
      snprintf(path, sizeof path, "%s%s/%s", data, folders[k], entry->d_name);
      const uint8_t *file;
      size_t bytes;
      SupError error;
      assert_int_equal(sup_file_read(&arena, path, &file, &bytes, &error), SUP_OK);
      SupGltf *document = open_file(path);
      check_round_trip(document, file, bytes);
      sup_gltf_close(document);
      sup_arena_free(&arena);
      count++;
    }
    closedir(listing);
  }
  assert_true(count >= 14);
}

/* 84 skins of ten joints in four trees: four characters. No two skins share a joint, so the rest
 * pose relates their bind spaces: skinning in the rest pose is then one map for the whole body. */
static void trees_of_skeletons_are_characters(void **state) {
  (void)state;
  const char *data = getenv("SUPPLE_TEST_DATA");
  if (!data) skip();
  char path[600];
  snprintf(path, sizeof path, "%s/fixtures/recursive_skeletons.glb", data);
  SupGltf *document = open_file(path);
  CharacterList list = characters_of(document, &arena);
  assert_int_equal(list.count, 4);
  for (uint32_t k = 0; k < list.count; k++) {
    const SupGltfCharacter *c = &list.items[k];
    const SupSkeleton *skeleton = &c->character.skeleton;
    assert_int_equal(c->skin_count, 21);
    assert_int_equal(skeleton->bone_count, 210);
    assert_int_equal(c->report.skins_moved, 20);
    assert_int_equal(c->report.skins_apart, 0);
    SupAffined *global = SUP_ALLOC(&arena, SupAffined, skeleton->joint_count);
    for (uint32_t j = 0; j < skeleton->joint_count; j++) {
      global[j] = sup_affine_to_double(sup_affine_compose(skeleton->rest[j]));
      if (skeleton->parents[j] >= 0) {
        global[j] = sup_affined_mul(global[skeleton->parents[j]], global[j]);
      }
    }
    SupAffined whole = sup_affine_to_double(c->bind_to_scene);
    for (uint32_t v = 0; v < c->character.body.vertex_count; v++) {
      SupVec3d x = sup_vec3_to_double(c->character.body.positions[v]), scene = {0, 0, 0};
      for (uint32_t w = c->character.skin.offsets[v]; w < c->character.skin.offsets[v + 1]; w++) {
        uint32_t bone = c->character.skin.bones[w];
        SupAffined m = sup_affined_mul(global[skeleton->bone_joints[bone]],
                                       sup_affine_to_double(skeleton->inverse_bind[bone]));
        scene = sup_vec3d_add_scaled(scene, sup_affined_point(m, x),
                                     (double)c->character.skin.weights[w]);
      }
      assert_true(sup_vec3d_distance(scene, sup_affined_point(whole, x)) < 1e-3);
    }
  }
  sup_gltf_close(document);
}

int run_gltf_round_trip_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(fixtures_survive, begin, end),
      cmocka_unit_test_setup_teardown(compact_files_come_back_byte_for_byte, begin, end),
      cmocka_unit_test_setup_teardown(unknown_chunks_are_kept, begin, end),
      cmocka_unit_test_setup_teardown(real_characters_survive, begin, end),
      cmocka_unit_test_setup_teardown(trees_of_skeletons_are_characters, begin, end),
  };
  return cmocka_run_group_tests_name("gltf round trips", tests, NULL, NULL);
}
