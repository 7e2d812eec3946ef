/* SPDX-License-Identifier: MIT */
/* Decompositions of real characters: $SUPPLE_TEST_DATA. */
#include "patch_checks.h"

#include <dirent.h>
#include <time.h>

#include "supple/author/patch_quality.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"

static SupArena arena;

static const char *data_folder(void) {
  const char *data = getenv("SUPPLE_TEST_DATA");
  if (!data) print_message("  SUPPLE_TEST_DATA is not set\n");
  return data;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The first character of a file, its decomposition, and a line about it. */
static SupGltf *find(const char *path, const char *name, SupPatchAuto *out) {
  SupGltf *document = NULL;
  SupGltfCharacter *characters;
  SupPatchesQuality quality;
  SupError error = {{0}};
  uint32_t count;
  assert_int_equal(sup_gltf_open(path, NULL, &document, &error), SUP_OK);
  assert_int_equal(sup_gltf_characters(document, &arena, &count, &characters, &error), SUP_OK);
  const SupCharacter *character = &characters[0].character;
  SupPatchAutoDef def = sup_patch_auto_def(character);
  assert_int_equal(sup_gltf_part_signs(document, &characters[0], &arena, &def.hard.parts, &error),
                   SUP_OK);
  const double start = seconds();
  assert_int_equal(sup_patch_auto(&arena, &def, out, &error), SUP_OK);
  const double time = seconds() - start;
  check_auto(&arena, &def, out);
  assert_int_equal(sup_patches_quality(&arena, &out->patches, &quality, &error), SUP_OK);
  print_message(
      "  %s: %u vertices, %u features, %u boundaries, %u patches, %.1f %% of the flesh, "
      "score %.2f, %.2f s\n",
      name, character->body.vertex_count, out->def.feature_count, out->def.boundary_count,
      out->patches.patch_count, 100 * out->flesh_covered, quality.score, time);
  return document; /* to be closed behind the last look at the decomposition */
}

static void all_characters(void **state) {
  (void)state;
  const char *data = data_folder();
  if (!data) skip();
  DIR *listing = opendir(data);
  uint32_t count = 0;
  assert_non_null(listing);
  for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".glb") != 0) continue;
    char path[600];
    SupPatchAuto found;
    snprintf(path, sizeof path, "%s/%s", data, entry->d_name);
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    SupGltf *document = find(path, entry->d_name, &found);
    assert_true(found.flesh_covered > 0.9);
    sup_gltf_close(document);
    sup_arena_free(&arena);
    count++;
  }
  closedir(listing);
  assert_true(count > 0);
}

/* Two men with the same joints have the same patches. */
static void two_men(void **state) {
  (void)state;
  const char *data = data_folder();
  if (!data) skip();
  static const char *const names[] = {"mh_muscular_man.glb", "mh_old_man.glb"};
  SupPatchAuto men[2];
  SupGltf *documents[2];
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (int k = 0; k < 2; k++) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", data, names[k]);
    documents[k] = find(path, names[k], &men[k]);
    assert_int_equal(men[k].patches.euler, 2);
  }
  check_isomorphic(&men[0], &men[1]);
  for (int k = 0; k < 2; k++) sup_gltf_close(documents[k]);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_characters),
      cmocka_unit_test(two_men),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
