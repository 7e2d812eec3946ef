/* SPDX-License-Identifier: MIT */
/* Lists of example shapes: what they say, and that nothing else is read into them. */
#include "check.h"

#include "supple/io/envelope_file.h"
#include "supple/io/file.h"

static const char full[] =
    "{\"patches\": [{\"patch\": \"calf\", \"strength\": 0.5, \"scale\": [1, 2, 3],\n"
    "  \"angles\": [{\"joint\": \"knee\"}, {\"joint\": \"hip\", \"axis\": [0, 0, 1]}],\n"
    "  \"examples\": [\"bump\"]}, {\"patch\": \"shin\", \"examples\": []}],\n"
    " \"examples\": [{\"shape\": \"a.obj\", \"pose\": \"bend:1\", \"name\": \"bump\"},\n"
    "  {\"pose\": \"rest\", \"shape\": \"smile\"}, {\"shape\": \"/b.glb\", \"pose\": \"file\"}],\n"
    " \"example_file\": 1}\n";

static void lists_are_read(void **state) {
  (void)state;
  SupArena arena;
  SupEnvelopeFile file;
  SupError error = {""};
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (sup_envelope_file_parse(&arena, full, sizeof full - 1, "some/list.json", &file, &error)) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(file.example_count, 3);
  assert_string_equal(file.examples[0].shape, "some/a.obj"); /* from the folder of the list */
  assert_string_equal(file.examples[0].pose, "bend:1");
  assert_string_equal(file.examples[0].name, "bump");
  assert_string_equal(file.examples[1].shape, "smile");
  assert_null(file.examples[1].name);
  assert_string_equal(file.examples[2].shape, "/b.glb");
  assert_int_equal(file.patch_count, 2);
  assert_true(file.patches[0].strength == 0.5 && file.patches[0].scale.z == 3);
  assert_true(file.patches[0].chosen && file.patches[0].example_count == 1);
  assert_string_equal(file.patches[0].examples[0], "bump");
  assert_int_equal(file.patches[0].angle_count, 2);
  assert_string_equal(file.patches[0].angles[0].joint, "knee");
  assert_true(file.patches[0].angles[0].axis.z == 0 && file.patches[0].angles[1].axis.z == 1);
  assert_int_equal(file.patches[1].angle_count, 0);
  assert_true(file.patches[1].chosen && file.patches[1].example_count == 0);
  assert_true(file.patches[1].strength == 1 && file.patches[1].scale.x == 0);
  sup_arena_free(&arena);
}

static void halves_are_refused(void **state) {
  (void)state;
  for (size_t bytes = 0; bytes + 2 < sizeof full; bytes++) {
    SupArena arena;
    SupEnvelopeFile file;
    SupError error = {""};
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    assert_int_equal(sup_envelope_file_parse(&arena, full, bytes, "list.json", &file, &error),
                     SUP_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "list.json"));
    sup_arena_free(&arena);
  }
}

static const char edits[] =
    "{\"edits\": [{\"move\": [0, 0.5, -1], \"feature\": \"knee.out\", \"example\": \"bump\"},\n"
    " {\"feature\": \"hip\", \"example\": \"a.obj\", \"move\": [1, 2, 3]}], \"edit_file\": 1}\n";

static void edits_are_read(void **state) {
  (void)state;
  for (size_t bytes = 0; bytes < sizeof edits; bytes++) {
    SupArena arena;
    SupEnvelopeEditFile file;
    SupError error = {""};
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    const SupResult result =
        sup_envelope_edits_parse(&arena, edits, bytes, "e.json", &file, &error);
    if (bytes + 2 < sizeof edits) {
      assert_int_equal(result, SUP_ERROR_FORMAT);
      assert_non_null(strstr(error.text, "e.json"));
    } else {
      assert_int_equal(result, SUP_OK);
      assert_int_equal(file.edit_count, 2);
      assert_string_equal(file.edits[0].feature, "knee.out");
      assert_string_equal(file.edits[1].example, "a.obj");
      assert_true(file.edits[0].move.y == 0.5 && file.edits[0].move.z == -1);
    }
    sup_arena_free(&arena);
  }
}

static const struct {
  const char *text, *says;
} wrong[] = {
    {"[]", "an example file"},
    {"{\"example_file\": 1, \"examples\": [], \"shapes\": []}", "shapes"},
    {"{\"example_file\": 1, \"examples\": [{\"shape\": \"\", \"pose\": \"rest\"}]}", "shape"},
    {"{\"example_file\": 1, \"examples\": [{\"shape\": \"a\", \"pose\": 1}]}", "pose"},
    {"{\"example_file\": 1, \"examples\": [], \"patches\": [{\"patch\": \"a\", \"examples\": "
     "[1]}]}",
     "names"},
    {"{\"example_file\": 1, \"examples\": [], \"patches\": [{\"strength\": 1}]}", "patch"},
    {"{\"example_file\": 1, \"examples\": [], \"patches\": [{\"patch\": \"a\", \"scale\": [1]}]}",
     "scale"},
    {"{\"example_file\": 1, \"examples\": [], \"patches\": [{\"patch\": \"a\", \"angles\": "
     "[\"b\"]}]}",
     "angle"},
    {"{\"example_file\": 1, \"examples\": [], \"patches\": [{\"patch\": \"a\", \"angles\": "
     "[{\"axis\": [1, 0, 0]}]}]}",
     "joint"},
};

static void mistakes_are_told(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    SupArena arena;
    SupEnvelopeFile file;
    SupError error = {""};
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    assert_int_equal(sup_envelope_file_parse(&arena, wrong[k].text, strlen(wrong[k].text),
                                             "list.json", &file, &error),
                     SUP_ERROR_FORMAT);
    if (!strstr(error.text, wrong[k].says)) fail_msg("%s: %s", wrong[k].text, error.text);
    sup_arena_free(&arena);
  }
}

static void memory_may_be_short(void **state) {
  (void)state;
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    SupEnvelopeFile file;
    SupError error = {""};
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    const SupResult result =
        sup_envelope_file_parse(&arena, full, sizeof full - 1, "list.json", &file, &error);
    sup_arena_free(&arena);
    assert_true(heap.live_blocks == 0);
    if (result == SUP_OK) {
      assert_true(k > 1);
      return;
    }
    assert_int_equal(result, SUP_ERROR_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_are_read),      cmocka_unit_test(halves_are_refused),
      cmocka_unit_test(edits_are_read),      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(memory_may_be_short),
  };
  return cmocka_run_group_tests_name("example list", tests, NULL, NULL);
}
