/* SPDX-License-Identifier: MIT */
/* Files beside a document: found, copied, and refused where they lie outside. */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gltf_compare.h"
#include "gltf_fixtures.h"
#include "gltf_groups.h"
#include "supple/io/file.h"

static SupArena arena;
static char folder[64];
static SupError error;

/* FOLDER/in/tube.gltf with "my tube.bin" and textures/tube.png; FOLDER/out is empty. */
static int begin(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (fixture_folder(folder)) return 1;
  Fixture fixture = fixture_make(FIX_EXTERNAL);
  SupAllocator heap = sup_heap_allocator();
  static const char *const folders[] = {"in", "out", "in/textures", "elsewhere"};
  char path[120];
  for (int k = 0; k < 4; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
    if (mkdir(path, 0777) != 0) return 1;
  }
  snprintf(path, sizeof path, "%s/in/tube.gltf", folder);
  SupResult result = sup_file_save(heap, path, fixture.file, fixture.bytes, &error);
  snprintf(path, sizeof path, "%s/in/my tube.bin", folder);
  if (!result) result = sup_file_save(heap, path, fixture.bin, fixture.bin_bytes, &error);
  snprintf(path, sizeof path, "%s/elsewhere/tube.bin", folder);
  if (!result) result = sup_file_save(heap, path, fixture.bin, fixture.bin_bytes, &error);
  snprintf(path, sizeof path, "%s/in/textures/tube.png", folder);
  if (!result) result = sup_file_save(heap, path, fixture_png, fixture_png_bytes, &error);
  fixture_free(&fixture);
  return result != SUP_OK;
}

static int end(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return fixture_folder_end(folder);
}

static SupGltf *open_in(const char *name, bool allow) {
  char path[120];
  SupGltfOptions options = sup_gltf_options();
  options.allow_external = allow;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  SupGltf *document = NULL;
  return sup_gltf_open(path, &options, &document, &error) == SUP_OK ? document : NULL;
}

static void assert_file(const char *name, const void *data, size_t bytes) {
  char path[120];
  const uint8_t *found;
  size_t found_bytes;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (sup_file_read(&arena, path, &found, &found_bytes, &error)) fail_msg("%s", error.text);
  assert_int_equal(found_bytes, bytes);
  assert_memory_equal(found, data, bytes);
}

static void save_as(const SupGltf *document, const char *name, SupGltfFormat format) {
  char path[120];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (sup_gltf_save(document, path, format, &error)) fail_msg("%s", error.text);
}

static void external_files_travel_with_the_document(void **state) {
  (void)state;
  Fixture fixture = fixture_make(FIX_EXTERNAL);
  SupGltf *document = open_in("in/tube.gltf", false);
  if (!document) fail_msg("%s", error.text);
  CharacterList expected = characters_of(document, &arena);
  save_as(document, "out/copy.gltf", SUP_GLTF_BY_NAME);
  assert_file("out/my tube.bin", fixture.bin, fixture.bin_bytes);
  assert_file("out/textures/tube.png", fixture_png, fixture_png_bytes);
  save_as(document, "out/copy.glb", SUP_GLTF_BY_NAME);
  save_as(document, "out/whole.gltf", SUP_GLTF_TEXT_EMBEDDED);
  static const char *const names[] = {"out/copy.gltf", "out/copy.glb", "out/whole.gltf"};
  for (int k = 0; k < 3; k++) {
    SupGltf *copy = open_in(names[k], false);
    if (!copy) fail_msg("%s", error.text);
    CharacterList actual = characters_of(copy, &arena);
    assert_same_characters(&expected, &actual);
    SupGltfContents contents;
    assert_int_equal(sup_gltf_contents(copy, &arena, &contents, &error), SUP_OK);
    assert_int_equal(contents.image_bytes, k == 1 ? fixture_png_bytes : 0);
    sup_gltf_close(copy);
  }
  /* An edited .gltf gets a buffer of its own; the file's stays as it is. */
  SupGltfCharacter c = expected.items[0];
  float values[TUBE_VERTICES] = {1};
  for (int repeat = 0; repeat < 2; repeat++) {
    assert_int_equal(sup_gltf_put_map(document, &c, "lock", values, &error), SUP_OK);
    save_as(document, "in/tube.gltf", SUP_GLTF_BY_NAME);
    assert_file("in/my tube.bin", fixture.bin, fixture.bin_bytes);
    sup_gltf_close(document);
    document = open_in("in/tube.gltf", false);
    if (!document) fail_msg("%s", error.text);
    assert_int_equal(fixture_character(document, &arena).character.map_count, 1);
  }
  save_as(document, "out/edited.glb", SUP_GLTF_BY_NAME);
  sup_gltf_close(document);
  document = open_in("out/edited.glb", false);
  if (!document) fail_msg("%s", error.text);
  assert_int_equal(fixture_character(document, &arena).character.map_count, 1);
  sup_gltf_close(document);
  fixture_free(&fixture);
}

/* The document with its buffer's URI replaced. */
static void write_with_uri(const char *uri) {
  Fixture fixture = fixture_make(FIX_EXTERNAL);
  char path[120], *text = malloc(fixture.bytes + 300);
  const char *place = strstr((const char *)fixture.file, "my%20tube.bin");
  size_t before = (size_t)(place - (const char *)fixture.file);
  int bytes = sprintf(text, "%.*s%s%s", (int)before, (const char *)fixture.file, uri, place + 13);
  snprintf(path, sizeof path, "%s/in/evil.gltf", folder);
  assert_int_equal(sup_file_save(sup_heap_allocator(), path, text, (size_t)bytes, &error), 0);
  free(text);
  fixture_free(&fixture);
}

static void files_outside_are_refused(void **state) {
  (void)state;
  char path[120], target[120], absolute[120], address[140];
  snprintf(absolute, sizeof absolute, "%s/elsewhere/tube.bin", folder);
  snprintf(address, sizeof address, "file://%s/elsewhere/tube.bin", folder);
  snprintf(target, sizeof target, "%s/elsewhere", folder);
  snprintf(path, sizeof path, "%s/in/link", folder);
  assert_int_equal(symlink(target, path), 0);
  snprintf(path, sizeof path, "%s/in/link.bin", folder);
  assert_int_equal(symlink(absolute, path), 0);
  const char *uris[] = {absolute,
                        "../elsewhere/tube.bin",
                        "%2e%2e/elsewhere/tube.bin",
                        "link.bin",
                        "link/tube.bin",
                        "textures/../../elsewhere/tube.bin",
                        address,
                        "..%2Felsewhere%2ftube.bin"};
  for (size_t k = 0; k < sizeof uris / sizeof *uris; k++) {
    write_with_uri(uris[k]);
    error.text[0] = 0;
    SupGltf *document = open_in("in/evil.gltf", false);
    if (document) fail_msg("%s was read", uris[k]);
    assert_non_null(strstr(error.text, "buffer 0"));
    document = open_in("in/evil.gltf", true);
    if (!document) fail_msg("%s: %s", uris[k], error.text);
    sup_gltf_close(document);
  }
  static const char *const never[] = {"http://example.org/tube.bin", "C:/tube.bin", "%00tube.bin",
                                      "missing.bin"};
  for (size_t k = 0; k < 4; k++) {
    write_with_uri(never[k]);
    assert_null(open_in("in/evil.gltf", false));
    assert_non_null(strstr(error.text, "buffer 0"));
  }
  assert_null(open_in("in/evil.gltf", true));
}

static void nothing_is_left_when_saving_fails(void **state) {
  (void)state;
  SupGltf *document = open_in("in/tube.gltf", false);
  char path[120], command[200];
  snprintf(path, sizeof path, "%s/nowhere/copy.glb", folder);
  assert_int_equal(sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error), SUP_ERROR_IO);
  snprintf(path, sizeof path, "%s/out/copy.fbx", folder);
  assert_int_equal(sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error), SUP_ERROR_ARGUMENT);
  snprintf(path, sizeof path, "%s/in/textures/tube.png", folder);
  assert_int_equal(unlink(path), 0); /* the image is missing: the .glb cannot be whole */
  snprintf(path, sizeof path, "%s/out/copy.glb", folder);
  assert_int_equal(sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error), SUP_ERROR_IO);
  assert_non_null(strstr(error.text, "image 0"));
  snprintf(command, sizeof command, "test -z \"$(ls %s/out)\"", folder);
  assert_int_equal(system(command), 0);
  sup_gltf_close(document);
}

static void put(const char *name, const char *text) {
  char path[120];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  SupResult result = sup_file_save(sup_heap_allocator(), path, text, strlen(text), &error);
  if (result != SUP_OK) fail_msg("%s", error.text);
}

/* What is in FOLDER/out, one name behind the other, hashes as HASH. */
static void assert_listed(const char *expected) {
  char command[400];
  snprintf(command, sizeof command,
           "test \"$(cd %s/out && find . -mindepth 1 | LC_ALL=C sort | tr -d '\\n' | "
           "sed 's/[0-9a-f]\\{16\\}/HASH/g')\" = '%s' || "
           "{ find %s/out >&2; false; }",
           folder, expected, folder);
  assert_int_equal(system(command), 0);
}

static void assert_opens(const char *name) {
  SupGltf *document = open_in(name, false);
  if (!document) fail_msg("%s", error.text);
  sup_gltf_close(document);
}

static void empty_out(void) {
  char command[200];
  snprintf(command, sizeof command, "rm -r %s/out && mkdir %s/out", folder, folder);
  assert_int_equal(system(command), 0);
}

static void files_of_others_are_not_overwritten(void **state) {
  (void)state;
  char path[120];
  SupGltf *document = open_in("in/tube.gltf", false);
  snprintf(path, sizeof path, "%s/out/copy.gltf", folder);
  /* A buffer or image that would have to go where something else is takes another name. */
  put("out/my tube.bin", "a diary");
  for (int repeat = 0; repeat < 3; repeat++) save_as(document, "out/copy.gltf", SUP_GLTF_BY_NAME);
  assert_file("out/my tube.bin", "a diary", 7);
  assert_listed("./copy.gltf./my tube-HASH.bin./my tube.bin./textures./textures/tube.png");
  assert_opens("out/copy.gltf");
  empty_out();
  /* The second file cannot be written: the first is not there either, nor is its folder. */
  put("out/textures", "a file where a folder should be");
  snprintf(path, sizeof path, "%s/out/copy.gltf", folder);
  assert_int_equal(sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error), SUP_ERROR_IO);
  assert_listed("./textures");
  /* The document itself cannot be: neither can its folders. */
  snprintf(path, sizeof path, "%s/out/textures", folder);
  assert_int_equal(unlink(path), 0);
  snprintf(path, sizeof path, "%s/out/copy.gltf", folder);
  assert_int_equal(mkdir(path, 0777), 0);
  assert_int_equal(sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error), SUP_ERROR_IO);
  assert_listed("./copy.gltf");
  assert_int_equal(rmdir(path), 0);
  /* The same files once more are no harm; nor are those of the document that is replaced. */
  save_as(document, "out/copy.gltf", SUP_GLTF_BY_NAME);
  save_as(document, "out/other.gltf", SUP_GLTF_BY_NAME);
  put("out/my tube.bin", "damaged since");
  for (int repeat = 0; repeat < 3; repeat++) save_as(document, "out/copy.gltf", SUP_GLTF_BY_NAME);
  assert_opens("out/copy.gltf");
  sup_gltf_close(document);
}

static void the_binary_takes_a_free_name(void **state) {
  (void)state;
  SupGltf *document = open_in("in/tube.gltf", false);
  save_as(document, "in/tube.glb", SUP_GLTF_BY_NAME);
  sup_gltf_close(document);
  document = open_in("in/tube.glb", false);
  if (!document) fail_msg("%s", error.text);
  CharacterList expected = characters_of(document, &arena);
  put("out/copy.bin", "a diary");
  for (int repeat = 0; repeat < 2; repeat++) {
    float values[TUBE_VERTICES] = {1 + (float)repeat};
    assert_int_equal(sup_gltf_put_map(document, &expected.items[0], "lock", values, &error), 0);
    save_as(document, "out/copy.gltf", SUP_GLTF_BY_NAME);
    assert_file("out/copy.bin", "a diary", 7);
    assert_listed("./copy-HASH.bin./copy.bin./copy.gltf");
    SupGltf *copy = open_in("out/copy.gltf", false);
    if (!copy) fail_msg("%s", error.text);
    assert_int_equal(fixture_character(copy, &arena).character.map_count, 1);
    sup_gltf_close(copy);
  }
  sup_gltf_close(document);
}

/* Through a link: all files go where the document goes, and are found from both names. */
static void links_lead_to_all_files(void **state) {
  (void)state;
  char target[120], path[120];
  SupGltf *document = open_in("in/tube.gltf", false);
  snprintf(target, sizeof target, "%s/elsewhere/tube.gltf", folder);
  snprintf(path, sizeof path, "%s/out/tube.gltf", folder);
  put("elsewhere/tube.gltf", "{}");
  assert_int_equal(symlink(target, path), 0);
  save_as(document, "out/tube.gltf", SUP_GLTF_BY_NAME);
  sup_gltf_close(document);
  assert_listed("./tube.gltf");
  assert_opens("elsewhere/tube.gltf");
  assert_opens("out/tube.gltf");
  /* A link beside its files is read as before. */
  snprintf(target, sizeof target, "%s/out/only.gltf", folder);
  snprintf(path, sizeof path, "%s/in/tube.gltf", folder);
  assert_int_equal(rename(path, target), 0);
  assert_int_equal(symlink(target, path), 0);
  assert_opens("in/tube.gltf");
}

int run_gltf_path_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(external_files_travel_with_the_document, begin, end),
      cmocka_unit_test_setup_teardown(files_outside_are_refused, begin, end),
      cmocka_unit_test_setup_teardown(files_of_others_are_not_overwritten, begin, end),
      cmocka_unit_test_setup_teardown(links_lead_to_all_files, begin, end),
      cmocka_unit_test_setup_teardown(the_binary_takes_a_free_name, begin, end),
      cmocka_unit_test_setup_teardown(nothing_is_left_when_saving_fails, begin, end),
  };
  return cmocka_run_group_tests_name("gltf paths", tests, NULL, NULL);
}
