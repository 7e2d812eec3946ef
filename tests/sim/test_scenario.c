/* SPDX-License-Identifier: MIT */
/* Scenario files: what is understood, what is refused. */
#include "check.h"

#include <string.h>

#include "supple/io/file.h"
#include "supple/io/scenario.h"

static const char sample[] =
    "{\"about\": \"a test\",\n"
    " \"character\": {\"builtin\": \"tube\", \"vertices\": 700},\n"
    " \"simulate\": {\"young\": 9000, \"damping\": 0.004, \"sag-free\": true,\n"
    "   \"material\": \"fat\", \"bone-stiffness\": [\"a=2\", \"b=3\"]},\n"
    " \"gravity\": [0, 9.81], \"training\": [\"walk\", \"@calibration\"], \"unseen\": [\"run\"],\n"
    " \"poses\": 12, \"seed\": 7}\n";

static SupResult parse(SupArena *arena, const char *text, size_t bytes, SupScenario *scenario,
                       SupError *error) {
  char *copy = malloc(bytes ? bytes : 1);
  assert_non_null(copy);
  memcpy(copy, text, bytes);
  SupResult result = sup_scenario_parse(arena, copy, bytes, "dir/walk.json", scenario, error);
  free(copy);
  return result;
}

static void everything_in_the_sample_is_understood(void **state) {
  (void)state;
  SupArena arena;
  SupScenario s;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (parse(&arena, sample, strlen(sample), &s, &error) != SUP_OK) fail_msg("%s", error.text);
  assert_string_equal(s.name, "walk");
  assert_string_equal(s.about, "a test");
  assert_string_equal(s.builtin, "tube");
  assert_true(s.vertices == 700 && !s.file && s.poses == 12 && s.seed == 7);
  static const SupScenarioOption expected[] = {
      {"young", "9000"},         {"damping", "0.0040000000000000001"},
      {"sag-free", NULL},        {"material", "fat"},
      {"bone-stiffness", "a=2"}, {"bone-stiffness", "b=3"}};
  assert_int_equal(s.option_count, 6);
  for (int k = 0; k < 6; k++) {
    assert_string_equal(s.options[k].name, expected[k].name);
    assert_true(!s.options[k].text == !expected[k].text);
    if (expected[k].text) assert_string_equal(s.options[k].text, expected[k].text);
  }
  assert_true(s.gravity_count == 2 && s.gravity[0] == 0 && s.gravity[1] == 9.81);
  assert_true(s.training_count == 2 && s.unseen_count == 1);
  assert_string_equal(s.training[1], "@calibration");
  assert_string_equal(s.unseen[0], "run");
  sup_arena_free(&arena);
}

static void check_refused(const char *text, const char *words) {
  SupArena arena;
  SupScenario s;
  SupError error = {""};
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupResult result = parse(&arena, text, strlen(text), &s, &error);
  if (result != SUP_ERROR_FORMAT || !strstr(error.text, words) ||
      !strstr(error.text, "walk.json")) {
    fail_msg("%s: %d, no \"%s\" in: %s", text, result, words, error.text);
  }
  sup_arena_free(&arena);
}

#define WHO "\"character\": {\"builtin\": \"tube\"}"
#define CLIPS "\"training\": [\"a\"], \"unseen\": [\"b\"]"

static void mistakes_are_named(void **state) {
  (void)state;
  check_refused("", "line 1");
  check_refused("{\n\n", "line 3");
  check_refused("[]", "object");
  check_refused("{" CLIPS "}", "character");
  check_refused("{" WHO ", \"unseen\": [\"b\"]}", "training");
  check_refused("{" WHO ", \"training\": [\"b\"]}", "unseen");
  check_refused("{" WHO ", \"training\": [\"b\"], \"unseen\": [\"b\"]}", "leave it out of one");
  check_refused("{" WHO ", " CLIPS ", \"colour\": 1}", "unknown key \"colour\"");
  check_refused("{" WHO ", " WHO ", " CLIPS "}", "duplicate");
  check_refused("{\"character\": {\"builtin\": \"a\", \"file\": \"b\"}, " CLIPS "}", "either");
  check_refused("{\"character\": {\"name\": \"a\"}, " CLIPS "}", "builtin");
  check_refused("{\"character\": \"a\", " CLIPS "}", "builtin");
  check_refused("{" WHO ", \"training\": [], \"unseen\": [\"b\"]}", "at least one");
  check_refused("{" WHO ", \"training\": [1], \"unseen\": [\"b\"]}", "a string");
  check_refused("{" WHO ", \"training\": [\"a\\u0000b\"], \"unseen\": [\"b\"]}", "walk.json");
  check_refused("{" WHO ", " CLIPS ", \"gravity\": 9}", "at least one number");
  check_refused("{" WHO ", " CLIPS ", \"gravity\": [\"9\"]}", "between");
  check_refused("{" WHO ", " CLIPS ", \"gravity\": [1e9]}", "between");
  check_refused("{" WHO ", " CLIPS ", \"poses\": -1}", "whole number");
  check_refused("{" WHO ", " CLIPS ", \"seed\": 1.5}", "whole number");
  check_refused("{" WHO ", " CLIPS ", \"simulate\": []}", "options");
  check_refused("{" WHO ", " CLIPS ", \"simulate\": {\"clip\": \"a\"}}", "without clips");
  check_refused("{" WHO ", " CLIPS ", \"simulate\": {\"young\": null}}", "young");
  check_refused("{" WHO ", " CLIPS ", \"simulate\": {\"young\": {}}}", "young");
  check_refused("{" WHO ", " CLIPS ", \"simulate\": {\"young\": -1e400}}",
                "a number that is too large");
}

static void every_truncation_and_failed_allocation_is_clean(void **state) {
  (void)state;
  SupScenario s;
  SupError error;
  for (size_t bytes = 0; bytes < strlen(sample) - 1; bytes++) {
    CountingHeap heap = {0};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    assert_int_equal(parse(&arena, sample, bytes, &s, &error), SUP_ERROR_FORMAT);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupResult result = parse(&arena, sample, strlen(sample), &s, &error);
    sup_arena_free(&arena);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(k < 50);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_in_the_sample_is_understood),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(every_truncation_and_failed_allocation_is_clean),
  };
  return cmocka_run_group_tests_name("scenario", tests, NULL, NULL);
}
