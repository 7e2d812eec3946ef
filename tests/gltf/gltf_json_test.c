/* SPDX-License-Identifier: MIT */
/* JSON: memory may be short at any moment, and jansson's own reader agrees on what is JSON. */
#include "check.h"

#include <jansson.h>
#include <string.h>

#include "gltf_fixtures.h"
#include "gltf_groups.h"
#include "io/json_read.h"
#include "supple/io/file.h"

static const char rich[] =
    "{\"asset\":{\"version\":\"2.0\",\"generator\":\"a rather long name of a generator\"},"
    "\"a rather long name \\u00e9 with an escape\":[1,2.5,-3e10,123456789012345678901234,"
    "1.000000000000000000000000000000000000001,true,false,null,{},[],\"\",\"\\ud83d\\ude00\","
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 and so on and on\"],"
    "\"extras\":{\"a\":{\"b\":{\"c\":[[[[0]]]]}},\"d\":1,\"e\":2,\"f\":3,\"g\":4,\"h\":5,\"i\":6,"
    "\"j\":7,\"k\":8,\"l\":9,\"m\":10,\"n\":11,\"o\":12}}";

/* Of jansson's heap; 0: none fails. */
static size_t calls, fail_from, fail_only, largest;

static void *allocate(size_t bytes) {
  calls++;
  if (fail_only && calls == fail_only) return NULL;
  if ((fail_from && calls >= fail_from) || (largest && bytes > largest)) return NULL;
  return malloc(bytes);
}

typedef struct Hooks {
  json_malloc_t allocate;
  json_free_t release;
} Hooks;

static Hooks take_over(size_t most) {
  Hooks old;
  json_get_alloc_funcs(&old.allocate, &old.release);
  json_set_alloc_funcs(allocate, free);
  calls = fail_from = fail_only = 0;
  largest = most;
  return old;
}

static SupResult open_text(const char *text, size_t bytes, SupAllocator allocator) {
  SupGltfOptions options = {.allocator = allocator};
  SupGltf *document = NULL;
  SupError error = {""};
  SupResult result = sup_gltf_open_memory(text, bytes, NULL, &options, &document, &error);
  if (result != SUP_OK && result != SUP_ERROR_MEMORY) fail_msg("%s", error.text);
  sup_gltf_close(document);
  return result;
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  Hooks old = take_over(0);
  SupResult result = SUP_ERROR_MEMORY;
  for (size_t k = 1; result != SUP_OK; k++) {
    calls = 0;
    fail_from = k;
    result = open_text(rich, sizeof rich - 1, sup_heap_allocator());
    assert_true(k < 1000);
  }
  result = SUP_ERROR_MEMORY;
  for (size_t k = 1; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    fail_from = 0;
    result = open_text(rich, sizeof rich - 1, counting_allocator(&heap));
    assert_int_equal(heap.live_blocks, 0);
    assert_true(k < 1000);
  }
  json_set_alloc_funcs(old.allocate, old.release);
}

/* Edits a document and saves it while jansson's allocation `k` fails. */
static SupResult save_without(const Fixture *fixture, size_t k, SupArena *arena,
                              const uint8_t **out_data, size_t *out_bytes) {
  SupGltfOptions options = {.allocator = sup_heap_allocator()};
  SupGltf *document = NULL;
  SupGltfCharacter *c = NULL;
  SupError error = {""};
  uint32_t count = 0;
  static const SupVec3 offsets[TUBE_VERTICES] = {{1, 2, 3}};
  const SupGltfMorph morph = {"m", 0.5f, offsets, NULL};
  SupResult result =
      sup_gltf_open_memory(fixture->file, fixture->bytes, NULL, &options, &document, &error);
  if (result == SUP_OK) result = sup_gltf_characters(document, arena, &count, &c, &error);
  assert_int_equal(result, SUP_OK);
  assert_true(c->character.clip_count > 0);
  calls = 0;
  fail_only = k;
  result = sup_gltf_put_clip(document, c, &c->character.clips[0], &error);
  if (result == SUP_OK) result = sup_gltf_add_morphs(document, c, 1, &morph, &error);
  if (result == SUP_OK) result = sup_gltf_save_memory(document, arena, out_data, out_bytes, &error);
  fail_only = 0;
  if (result != SUP_OK && result != SUP_ERROR_MEMORY) fail_msg("%s", error.text);
  sup_gltf_close(document);
  return result;
}

/* One allocation that fails among others that do not: the file is whole, or there is none. */
static void a_short_moment_drops_nothing(void **state) {
  (void)state;
  static const unsigned kinds[] = {FIX_MORPHS, FIX_MORPHS | FIX_TEXT, FIX_UNKNOWN};
  Hooks old = take_over(0);
  for (int kind = 0; kind < 3; kind++) {
    Fixture fixture = fixture_make(kinds[kind]);
    const uint8_t *whole, *data;
    size_t whole_bytes, bytes, most;
    SupArena arena;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    assert_int_equal(save_without(&fixture, 0, &arena, &whole, &whole_bytes), SUP_OK);
    most = calls;
    for (size_t k = 1; k <= most; k++) {
      SupArena scratch;
      sup_arena_init(&scratch, sup_heap_allocator(), 0);
      if (save_without(&fixture, k, &scratch, &data, &bytes) == SUP_OK &&
          (bytes != whole_bytes || memcmp(data, whole, bytes) != 0)) {
        fail_msg("allocation %zu of %zu: saved without a word, and not the same", k, most);
      }
      sup_arena_free(&scratch);
    }
    print_message("  %zu allocations\n", most);
    sup_arena_free(&arena);
    fixture_free(&fixture);
  }
  json_set_alloc_funcs(old.allocate, old.release);
}

/* 40 MB that do not fit: refused at once, not tried again for every character. */
static void a_long_string_is_refused_at_once(void **state) {
  (void)state;
  size_t bytes = (size_t)40 << 20;
  for (int escaped = 0; escaped < 2; escaped++) {
    char *text = malloc(bytes + 100);
    size_t used = sup_format(text, 100, "{\"asset\":{\"version\":\"2.0\"},\"extras\":\"%s",
                             escaped ? "\\n" : "");
    memset(text + used, 'x', bytes);
    memcpy(text + used + bytes, "\"}", 2);
    Hooks old = take_over(1 << 20);
    assert_int_equal(open_text(text, used + bytes + 2, sup_heap_allocator()), SUP_ERROR_MEMORY);
    assert_true(calls < 100);
    json_set_alloc_funcs(old.allocate, old.release);
    free(text);
  }
}

/* ---- jansson's opinion ---------------------------------------------------------------------- */

static unsigned agreed_good, agreed_bad;

static void must_agree(const char *text, size_t bytes) {
  SupArena arena;
  SupError error = {""};
  json_t *ours = NULL;
  char *exact = malloc(bytes ? bytes : 1); /* its own block: reading past the end is seen */
  memcpy(exact, text, bytes);
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupJsonDef def = {.text = exact, .bytes = bytes, .allow_zero = true};
  SupResult result = sup_json_read(&arena, &def, &ours, &error);
  json_error_t reason;
  json_t *theirs =
      json_loadb(exact, bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &reason);
  /* Numbers that are too large are read here. */
  bool too_large = !theirs && json_error_code(&reason) == json_error_numeric_overflow;
  if (!too_large && (result == SUP_OK) != (theirs != NULL)) {
    fail_msg("%.*s: %s, jansson: %s", (int)bytes, exact, result ? error.text : "good",
             theirs ? "good" : reason.text);
  }
  if (theirs && !json_equal(ours, theirs)) fail_msg("%.*s is read differently", (int)bytes, exact);
  agreed_good += theirs != NULL;
  agreed_bad += !theirs;
  json_decref(ours);
  json_decref(theirs);
  sup_arena_free(&arena);
  free(exact);
}

static void jansson_agrees(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      " ",
                                      "{",
                                      "{}",
                                      "{ }",
                                      "[]",
                                      "[1,]",
                                      "[,1]",
                                      "{\"a\":1,}",
                                      "{\"a\" 1}",
                                      "{a:1}",
                                      "[1 2]",
                                      "0",
                                      "-0",
                                      "00",
                                      "01",
                                      "-",
                                      "-a",
                                      "1.",
                                      ".5",
                                      "1.5",
                                      "1e",
                                      "1e+",
                                      "1e+5",
                                      "1E-5",
                                      "+1",
                                      "1e5",
                                      "0x10",
                                      "NaN",
                                      "Infinity",
                                      "true",
                                      "tru",
                                      "truex",
                                      "nul",
                                      "false ",
                                      "\"\"",
                                      "\"a",
                                      "\"\\\"",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\\u12g4\"",
                                      "\"\\u0000\"",
                                      "{\"\\u0000\":1}",
                                      "\"\\ud800\"",
                                      "\"\\ud800\\u0020\"",
                                      "\"\\udc00\"",
                                      "\"\\ud83d\\ude00\"",
                                      "\"\\uD83D\\uDE00\"",
                                      "\"\t\"",
                                      "\"\x7f\"",
                                      "\"\xc3\"",
                                      "\"\xc3\xa9\"",
                                      "\"\xc0\x80\"",
                                      "\"\xe0\x80\x80\"",
                                      "\"\xed\xa0\x80\"",
                                      "\"\xf4\x90\x80\x80\"",
                                      "\"\xf0\x80\x80\x80\"",
                                      "\"\xff\"",
                                      "{\"a\":1,\"a\":2}",
                                      "[1]]",
                                      "[1] x",
                                      "[1]//",
                                      "/**/1",
                                      "\"\\",
                                      "\"\\u",
                                      "[\"\\u00e9\"]",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "-9223372036854775808",
                                      "-9223372036854775809",
                                      "123456789012345678",
                                      "-123456789012345678",
                                      "1e400",
                                      "5e-324",
                                      "1e-400",
                                      "{\"a\\u0062\":{\"\\u0063\":[\"\\n\"]}}"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) must_agree(texts[k], strlen(texts[k]));
  SupRng random = sup_rng(1, 1);
  static const char bytes[] = "{}[]\",:\\u0123456789eE+-.truefalsnl \n\xc3\xa9\xed\xa0";
  for (unsigned round = 0; round < 60000; round++) {
    char text[sizeof rich];
    memcpy(text, rich, sizeof rich);
    memset(strstr(text, "123456789012345678901234") + 8, ' ', 16); /* jansson refuses it */
    size_t length = sizeof rich - 1;
    for (unsigned edits = sup_rng_below(&random, 3) + 1; edits; edits--) {
      size_t at = sup_rng_below(&random, (uint32_t)length);
      text[at] = bytes[sup_rng_below(&random, sizeof bytes - 1)];
    }
    if (sup_rng_below(&random, 8) == 0) length = sup_rng_below(&random, (uint32_t)length);
    must_agree(text, length);
  }
  print_message("  %u texts are JSON, %u are not\n", agreed_good, agreed_bad);
  assert_true(agreed_good > 1000 && agreed_bad > 1000);
}

/* What no number here holds keeps its sign, or is refused. */
static void large_numbers_keep_their_sign(void **state) {
  (void)state;
  static const char *const texts[] = {"1e400", "-1e400", "9223372036854775808",
                                      "-9223372036854775809"};
  for (int k = 0; k < 4; k++) {
    SupArena arena;
    SupError error = {""};
    json_t *root = NULL;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    SupJsonDef def = {.text = texts[k], .bytes = strlen(texts[k])};
    assert_int_equal(sup_json_read(&arena, &def, &root, &error), SUP_OK);
    assert_true(json_real_value(root) == (k % 2 ? -1e99 : 1e99));
    json_decref(root);
    def.refuse_beyond = true;
    assert_int_equal(sup_json_read(&arena, &def, &root, &error), SUP_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "line 1, column 1: a number"));
    sup_arena_free(&arena);
  }
}

int run_gltf_json_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_may_end_anywhere),
      cmocka_unit_test(a_short_moment_drops_nothing),
      cmocka_unit_test(a_long_string_is_refused_at_once),
      cmocka_unit_test(jansson_agrees),
      cmocka_unit_test(large_numbers_keep_their_sign),
  };
  return cmocka_run_group_tests_name("gltf json", tests, NULL, NULL);
}
