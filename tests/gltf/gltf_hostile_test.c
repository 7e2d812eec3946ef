/* SPDX-License-Identifier: MIT */
/*
 * Damaged files: whatever they are, a result and a sentence, never a crash (run this under the
 * sanitizers). Cut off at every byte, flipped bytes, every allocation failing once.
 */
#include "check.h"

#include <jansson.h>
#include <string.h>

#include "gltf_compare.h"
#include "gltf_fixtures.h"
#include "gltf_groups.h"
#include "supple/io/file.h"

/* Opens, reads characters, contents and models, saves to memory. */
static SupResult exercise(const uint8_t *file, size_t bytes, SupAllocator allocator,
                          size_t memory_limit, SupError *error) {
  SupGltfOptions options = {.allocator = allocator, .memory_limit = memory_limit};
  SupGltf *document = NULL;
  SupArena arena;
  sup_arena_init(&arena, allocator, memory_limit);
  uint32_t count = 0, model_count;
  SupGltfCharacter *characters = NULL;
  SupGltfContents contents;
  SupGltfModel *models;
  const uint8_t *saved;
  size_t saved_bytes;
  SupResult result = sup_gltf_open_memory(file, bytes, NULL, &options, &document, error);
  if (result == SUP_OK) result = sup_gltf_contents(document, &arena, &contents, error);
  if (result == SUP_OK) {
    result = sup_gltf_save_memory(document, &arena, &saved, &saved_bytes, error);
  }
  if (result == SUP_OK) {
    result = sup_gltf_characters(document, &arena, &count, &characters, error);
  }
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = sup_gltf_models(document, &characters[k], &arena, &model_count, &models, error);
  }
  sup_gltf_close(document);
  sup_arena_free(&arena);
  return result;
}

static void truncation_at_every_byte_is_refused(void **state) {
  (void)state;
  Fixture fixture = fixture_make(FIX_MORPHS | FIX_MESHOPT);
  for (size_t bytes = 0; bytes < fixture.bytes; bytes++) {
    uint8_t *file = malloc(bytes + 1); /* its own block: reading past the end is seen */
    memcpy(file, fixture.file, bytes);
    SupError error = {""};
    assert_int_not_equal(exercise(file, bytes, sup_heap_allocator(), 0, &error), SUP_OK);
    assert_true(error.text[0] != 0);
    free(file);
  }
  fixture_free(&fixture);
}

/* The same with a header that claims the shorter length, so that the inside is reached. */
static void truncated_chunks_are_refused(void **state) {
  (void)state;
  Fixture fixture = fixture_make(FIX_PLAIN);
  size_t json_bytes = (size_t)fixture.file[12] | (size_t)fixture.file[13] << 8;
  for (size_t bin = 0; bin < fixture.bin_bytes; bin += 3) {
    size_t bytes = 20 + json_bytes + 8 + bin;
    uint8_t *file = malloc(bytes);
    memcpy(file, fixture.file, bytes);
    for (int k = 0; k < 4; k++) file[8 + k] = (uint8_t)(bytes >> (8 * k));
    for (int k = 0; k < 4; k++) file[20 + json_bytes + (size_t)k] = (uint8_t)(bin >> (8 * k));
    SupError error = {""};
    assert_int_equal(exercise(file, bytes, sup_heap_allocator(), 0, &error), SUP_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "buffer 0 should have"));
    free(file);
  }
  fixture_free(&fixture);
}

static void flipped_bytes_do_no_harm(void **state) {
  (void)state;
  SupRng rng = sup_rng(2024, 7);
  unsigned survived = 0, rounds = 0;
  for (const unsigned *flags = fixture_list; *flags != FIXTURE_END; flags++) {
    Fixture fixture = fixture_make(*flags);
    for (int round = 0; round < 250; round++, rounds++) {
      uint8_t *file = malloc(fixture.bytes);
      memcpy(file, fixture.file, fixture.bytes);
      uint32_t flips = 1 + sup_rng_below(&rng, 4);
      for (uint32_t k = 0; k < flips; k++) {
        uint32_t at = sup_rng_below(&rng, (uint32_t)fixture.bytes);
        file[at] = round % 2 ? (uint8_t)sup_rng_u32(&rng)
                             : (uint8_t)("0123456789,-{}[]\""[sup_rng_below(&rng, 17)]);
      }
      SupError error = {""};
      SupResult result = exercise(file, fixture.bytes, sup_heap_allocator(), 1 << 26, &error);
      if (result == SUP_OK) survived++;
      if (result != SUP_OK) assert_true(error.text[0] != 0);
      free(file);
    }
    fixture_free(&fixture);
  }
  print_message("  %u of %u damaged files were still usable\n", survived, rounds);
}

/* ---- Memory --------------------------------------------------------------------------------- */

static CountingHeap *json_heap; /* jansson's hooks take no context */

/* The size stands in front of the block. */
static void *json_allocate(size_t bytes) {
  size_t *block = counting_allocate(json_heap, bytes + 64);
  if (!block) return NULL;
  block[0] = bytes;
  return (char *)block + 64;
}

static void json_release(void *block) {
  if (!block) return;
  size_t *start = (size_t *)(void *)((char *)block - 64);
  counting_release(json_heap, start, start[0] + 64);
}

static void assert_memory_sentence(SupResult result, const SupError *error) {
  if (result != SUP_ERROR_MEMORY) fail_msg("%s", error->text);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  json_malloc_t old_malloc;
  json_free_t old_free;
  json_get_alloc_funcs(&old_malloc, &old_free);
  json_set_alloc_funcs(json_allocate, json_release);
  static const unsigned kinds[] = {FIX_MORPHS | FIX_MAPS | FIX_TEXT, FIX_MESHOPT | FIX_TWO_SKINS};
  for (int kind = 0; kind < 2; kind++) {
    Fixture fixture = fixture_make(kinds[kind]);
    for (size_t k = 1;; k++) {
      CountingHeap heap = {.fail_at = k};
      json_heap = &heap;
      SupError error = {""};
      SupResult result =
          exercise(fixture.file, fixture.bytes, counting_allocator(&heap), 0, &error);
      assert_int_equal(heap.live_blocks, 0);
      assert_int_equal(heap.live_bytes, 0);
      if (result == SUP_OK) {
        assert_true(heap.calls < k);
        print_message("  %zu allocations\n", heap.calls);
        break;
      }
      assert_memory_sentence(result, &error);
    }
    fixture_free(&fixture);
  }
  json_set_alloc_funcs(old_malloc, old_free);
}

static SupResult edit_everything(SupAllocator allocator, const Fixture *fixture, SupError *error) {
  SupGltfOptions options = {.allocator = allocator};
  SupGltf *document = NULL, *fresh = NULL;
  SupArena arena;
  sup_arena_init(&arena, allocator, 0);
  uint32_t count = 0;
  SupGltfCharacter *c = NULL;
  static float values[TUBE_VERTICES];
  static const SupVec3 offsets[TUBE_VERTICES] = {{1, 2, 3}};
  SupGltfMorph morph = {"m", 0.5f, offsets, NULL};
  SupGltfJoint joint = {"j", 1, sup_transform_identity(), sup_affine_identity()};
  SupGltfModel model = {"modes", (const uint8_t *)"12345678", 8};
  const uint8_t *data;
  size_t bytes;
  SupResult result =
      sup_gltf_open_memory(fixture->file, fixture->bytes, NULL, &options, &document, error);
  if (result == SUP_OK) result = sup_gltf_characters(document, &arena, &count, &c, error);
  if (result == SUP_OK) result = sup_gltf_put_map(document, c, "lock", values, error);
  if (result == SUP_OK) result = sup_gltf_put_clip(document, c, &c->character.clips[0], error);
  if (result == SUP_OK) result = sup_gltf_put_models(document, c, 1, &model, error);
  if (result == SUP_OK) result = sup_gltf_add_morphs(document, c, 1, &morph, error);
  if (result == SUP_OK) result = sup_gltf_add_joints(document, c, 1, &joint, NULL, error);
  if (result == SUP_OK) result = sup_gltf_characters(document, &arena, &count, &c, error);
  if (result == SUP_OK) result = sup_gltf_keep_skin(document, c, error);
  if (result == SUP_OK) result = sup_gltf_put_skin(document, c, &c->character.skin, error);
  if (result == SUP_OK) result = sup_gltf_save_memory(document, &arena, &data, &bytes, error);
  if (result == SUP_OK) result = sup_gltf_from_character(&c->character, &options, &fresh, error);
  sup_gltf_close(fresh);
  sup_gltf_close(document);
  sup_arena_free(&arena);
  return result;
}

static void every_allocation_of_an_edit_may_fail(void **state) {
  (void)state;
  json_malloc_t old_malloc;
  json_free_t old_free;
  json_get_alloc_funcs(&old_malloc, &old_free);
  json_set_alloc_funcs(json_allocate, json_release);
  Fixture fixture = fixture_make(FIX_MORPHS);
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    json_heap = &heap;
    SupError error = {""};
    SupResult result = edit_everything(counting_allocator(&heap), &fixture, &error);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) {
      assert_true(heap.calls < k);
      print_message("  %zu allocations\n", heap.calls);
      break;
    }
    assert_memory_sentence(result, &error);
  }
  fixture_free(&fixture);
  json_set_alloc_funcs(old_malloc, old_free);
}

/* Files that claim much: refused by the limit, and without taking the memory first. */
static void large_claims_hit_the_limit(void **state) {
  (void)state;
  static const char *const claims[] = {
      "\"accessors\":[{\"componentType\":5126,\"count\":4000000000,\"type\":\"VEC3\"},"
      "{\"componentType\":5121,\"count\":4000000000,\"type\":\"VEC4\"}]",
      "\"accessors\":[{\"componentType\":5126,\"count\":4000000000,\"type\":\"VEC3\","
      "\"bufferView\":0},{\"componentType\":5121,\"count\":4000000000,\"type\":\"VEC4\"}],"
      "\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,AAAA\"}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":3,\"extensions\":{\"EXT_meshopt_compression\":"
      "{\"buffer\":0,\"byteLength\":3,\"byteStride\":12,\"count\":4000000000,"
      "\"mode\":\"ATTRIBUTES\"}}}]",
      "\"accessors\":[{\"componentType\":5126,\"count\":1,\"type\":\"VEC3\","
      "\"bufferView\":0},{\"componentType\":5121,\"count\":1,\"type\":\"VEC4\"}],"
      "\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,AAAA\"}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":3,\"extensions\":{\"EXT_meshopt_compression\":"
      "{\"buffer\":0,\"byteLength\":3,\"byteStride\":4,\"count\":3999999999,"
      "\"mode\":\"TRIANGLES\"}}}]"};
  for (int k = 0; k < 3; k++) {
    char text[1200];
    sup_format(text, sizeof text,
               "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0,\"skin\":0},{}],\"skins\":"
               "[{\"joints\":[1]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
               "\"JOINTS_0\":1,\"WEIGHTS_0\":1}}]}],%s}",
               claims[k]);
    CountingHeap heap = {0};
    SupError error = {""};
    SupResult result =
        exercise((const uint8_t *)text, strlen(text), counting_allocator(&heap), 1 << 24, &error);
    assert_int_equal(result, SUP_ERROR_FORMAT);
    assert_int_equal(heap.live_blocks, 0);
  }
}

static size_t tree_bytes, tree_peak; /* what jansson holds, as glibc's heap rounds it */

static size_t rounded(size_t bytes) { return (bytes < 24 ? 24 : (bytes + 7) / 16 * 16 + 8) + 8; }

static void *tree_allocate(size_t bytes) {
  size_t *block = malloc(bytes + 16);
  block[0] = bytes;
  tree_bytes += rounded(bytes);
  if (tree_bytes > tree_peak) tree_peak = tree_bytes;
  return block + 2;
}

static void tree_release(void *block) {
  if (!block) return;
  size_t *start = (size_t *)block - 2;
  tree_bytes -= rounded(start[0]);
  free(start);
}

/* {"asset":{"version":"2.0"},"extras":...} with `count` items. */
static char *make_tree(int kind, uint32_t count) {
  static const char *const items[] = {"\"%x\":\"\"", "\"%x\":[]", "\"%x\":{\"a\":\"\"}",
                                      "\"%x\":[\"\",1,\"\",[0,0,0,0,0,0,0,0,0]]"};
  size_t size = 100 + 64 * (size_t)count;
  char *text = malloc(size);
  size_t used = sup_format(text, size, "{\"asset\":{\"version\":\"2.0\"},\"extras\":{");
  for (uint32_t k = 0; k < count && kind < 4; k++) {
    if (k) text[used++] = ',';
    used += sup_format(text + used, size - used, items[kind], k);
  }
  if (kind == 4) { /* one long string */
    used += sup_format(text + used, size - used, "\"a\":\"");
    memset(text + used, 'x', 60 * (size_t)count);
    used += 60 * (size_t)count;
    text[used++] = '"';
  }
  strcpy(text + used, "}}");
  return text;
}

/* The limit that a document needs to be read is never less than what jansson takes for it. */
static void the_json_tree_counts_against_the_limit(void **state) {
  (void)state;
  json_malloc_t old_malloc;
  json_free_t old_free;
  json_get_alloc_funcs(&old_malloc, &old_free);
  json_set_alloc_funcs(tree_allocate, tree_release);
  for (int kind = 0; kind < 5; kind++) {
    for (uint32_t count = 1; count < 2500; count += 1 + count / 3) {
      char *text = make_tree(kind, count);
      size_t low = 0, high = (size_t)1 << 26; /* fails at low, goes at high */
      while (high - low > 16 + high / 100) {
        size_t limit = (low + high) / 2;
        SupError error = {""};
        SupGltf *document = NULL;
        SupGltfOptions options = {.allocator = sup_heap_allocator(), .memory_limit = limit};
        tree_peak = tree_bytes;
        if (sup_gltf_open_memory(text, strlen(text), NULL, &options, &document, &error)) {
          low = limit;
        } else {
          if (tree_peak > limit) {
            fail_msg("kind %d of %u: %zu bytes within %zu", kind, count, tree_peak, limit);
          }
          high = limit;
        }
        sup_gltf_close(document);
      }
      free(text);
    }
  }
  json_set_alloc_funcs(old_malloc, old_free);
}

static void deep_and_wide_json_is_bounded(void **state) {
  (void)state;
  size_t bytes = 1 << 20;
  char *text = malloc(bytes);
  memset(text, '[', bytes);
  memcpy(text, "{\"a\":", 5);
  SupError error = {""};
  assert_int_equal(exercise((uint8_t *)text, bytes, sup_heap_allocator(), 1 << 26, &error),
                   SUP_ERROR_MEMORY);
  assert_int_equal(exercise((uint8_t *)text, bytes, sup_heap_allocator(), 0, &error),
                   SUP_ERROR_FORMAT);
  free(text);
}

int run_gltf_hostile_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(truncation_at_every_byte_is_refused),
      cmocka_unit_test(truncated_chunks_are_refused),
      cmocka_unit_test(flipped_bytes_do_no_harm),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(every_allocation_of_an_edit_may_fail),
      cmocka_unit_test(large_claims_hit_the_limit),
      cmocka_unit_test(the_json_tree_counts_against_the_limit),
      cmocka_unit_test(deep_and_wide_json_is_bounded),
  };
  return cmocka_run_group_tests_name("gltf hostile", tests, NULL, NULL);
}
