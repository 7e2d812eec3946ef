/* SPDX-License-Identifier: MIT */
/* Model blocks: packed, checked, damaged in every way. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "supple/io/file.h"
#include "toy_model.h"

/* A block that the test may damage. */
typedef struct Block {
  SupArena arena;
  SupModel *model;
  SupModelSection *sections;
  size_t bytes;
} Block;

static Block block_make(void) {
  Block block = {0};
  SupError error;
  sup_arena_init(&block.arena, sup_heap_allocator(), 0);
  block.model = toy_pack(&block.arena, &error);
  assert_non_null(block.model);
  block.sections = (SupModelSection *)(block.model + 1);
  block.bytes = (size_t)block.model->bytes;
  return block;
}

static void block_free(Block *block) { sup_arena_free(&block->arena); }

static void blocks_are_packed_and_checked(void **state) {
  (void)state;
  Block block = block_make();
  SupError error;
  /* Header 128, table 96 -> 256, then sections of 24, 20, 20 bytes at multiples of 64. */
  assert_int_equal(block.bytes, 256 + 3 * 64);
  assert_memory_equal(block.model, "SUPM", 4);
  assert_int_equal(sup_model_check(block.model, block.bytes, toy_techniques, &error), SUP_OK);
  assert_true(toy_step(block.model) == 0.25f);
  uint64_t count;
  const float *rest = sup_model_section(block.model, SUP_SECTION_REST, 12, &count);
  assert_int_equal(count, 2);
  assert_true(rest[5] == 3);
  assert_int_equal((uintptr_t)rest % 64, 0);
  assert_null(sup_model_section(block.model, SUP_SECTION_REST, 4, NULL));
  assert_null(sup_model_section(block.model, SUP_FOURCC('n', 'o', 'n', 'e'), 4, NULL));
  Block again = block_make();
  assert_memory_equal(block.model, again.model, block.bytes);
  block_free(&again);
  block_free(&block);
}

/* The bytes are a promise: blocks written today are read by every later version. */
static void the_layout_is_frozen(void **state) {
  (void)state;
  Block block = block_make();
  uint64_t hash = sup_hash(block.model, block.bytes, 0);
  if (hash != 0xc0521d13f28f7d2cu) fail_msg("the block hashes to %llx", (unsigned long long)hash);
  block_free(&block);
}

static void every_truncation_and_flip_is_refused(void **state) {
  (void)state;
  Block block = block_make();
  SupError error;
  for (size_t bytes = 0; bytes < block.bytes; bytes++) {
    error.text[0] = 0;
    assert_int_not_equal(sup_model_check(block.model, bytes, toy_techniques, &error), SUP_OK);
    assert_true(error.text[0] != 0);
  }
  unsigned char *data = (unsigned char *)block.model;
  for (size_t k = 0; k < block.bytes * 8; k++) {
    data[k / 8] ^= (unsigned char)(1u << k % 8);
    assert_int_not_equal(sup_model_check(block.model, block.bytes, toy_techniques, &error), SUP_OK);
    data[k / 8] ^= (unsigned char)(1u << k % 8);
  }
  assert_int_equal(sup_model_check(block.model, block.bytes, toy_techniques, &error), SUP_OK);
  block_free(&block);
}

/* With a checksum that fits: the contents must be refused, for the right reason. */
static void check_sealed(Block *block, const char *word) {
  SupError error = {{0}};
  sup_model_seal(block->model);
  assert_int_not_equal(sup_model_check(block->model, block->bytes, toy_techniques, &error), SUP_OK);
  if (!strstr(error.text, word)) fail_msg("no \"%s\" in: %s", word, error.text);
  block_free(block);
  *block = block_make();
}

static void sealed_headers_are_checked(void **state) {
  (void)state;
  Block block = block_make();
  block.model->kind++;
  check_sealed(&block, "UOY!");
  block.model->version = 4;
  check_sealed(&block, "version 4");
  block.model->layout = 2;
  check_sealed(&block, "layout 2");
  block.model->h = NAN;
  check_sealed(&block, "step");
  block.model->h = 0;
  check_sealed(&block, "step");
  block.model->section_count = 65;
  check_sealed(&block, "65 sections");
  block.model->section_count = 12; /* more than the block could hold */
  check_sealed(&block, "12 sections");
  block.model->bytes -= 8;
  check_sealed(&block, "header is damaged");
  block.model->reserved[13] = 1;
  check_sealed(&block, "update");
  block.model->mesh.vertex_count = 3;
  check_sealed(&block, "2 rest positions");
  block_free(&block);
}

static void sealed_tables_are_checked(void **state) {
  (void)state;
  Block block = block_make();
  block.sections[1].offset = 0;
  check_sealed(&block, "section 1 (VALS)");
  block.sections[1].offset = 192; /* inside the table */
  check_sealed(&block, "section 1");
  block.sections[1].offset += 4;
  check_sealed(&block, "misaligned");
  block.sections[2].offset = UINT64_MAX - 63;
  check_sealed(&block, "section 2");
  block.sections[2].offset = block.bytes;
  check_sealed(&block, "section 2");
  block.sections[2].count = UINT64_MAX / 4 + 2;
  check_sealed(&block, "section 2");
  block.sections[2].count = 17;
  check_sealed(&block, "section 2");
  block.sections[2].item_bytes = 0;
  check_sealed(&block, "section 2");
  block.sections[2].offset = block.sections[1].offset;
  check_sealed(&block, "overlap");
  block.sections[0].count = 8; /* runs into the next one */
  block.model->mesh.vertex_count = 8;
  check_sealed(&block, "overlap");
  block.sections[2].id = block.sections[1].id;
  check_sealed(&block, "same name");
  block_free(&block);
}

static void sealed_kinds_check_themselves(void **state) {
  (void)state;
  Block block = block_make();
  block.sections[2].id = TOY_KIND;
  check_sealed(&block, "lacks a section");
  ((uint32_t *)((char *)block.model + block.sections[2].offset))[3] = 5;
  check_sealed(&block, "entry 3");
  ((float *)((char *)block.model + block.sections[1].offset))[4] = NAN;
  check_sealed(&block, "entry 4");
  block_free(&block);
}

static void older_versions_and_trailing_bytes_are_read(void **state) {
  (void)state;
  Block block = block_make();
  SupError error;
  block.model->version = 1;
  sup_model_seal(block.model);
  assert_int_equal(sup_model_check(block.model, block.bytes, toy_techniques, &error), SUP_OK);
  assert_int_equal(sup_model_check(block.model, block.bytes + 1000, toy_techniques, &error),
                   SUP_OK);
  /* The container alone may be looked at, whatever the kind. */
  block.model->kind = SUP_FOURCC('n', 'e', 'w', 1);
  sup_model_seal(block.model);
  assert_int_equal(sup_model_check_container(block.model, block.bytes, &error), SUP_OK);
  assert_int_equal(sup_model_check(block.model, block.bytes, NULL, &error), SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "new?"));
  block_free(&block);
}

static void packing_refuses_what_would_not_load(void **state) {
  (void)state;
  SupArena arena;
  SupError error;
  SupModel *model = NULL;
  sup_arena_init(&arena, sup_heap_allocator(), 1 << 20);
  SupModelPart parts[SUP_MODEL_SECTION_MAX + 1];
  for (uint32_t k = 0; k <= SUP_MODEL_SECTION_MAX; k++) {
    parts[k] = (SupModelPart){k + 1, 4, 1, NULL};
  }
  SupModelDef def = {.kind = 1, .h = 0.01f, .parts = parts, .part_count = SUP_MODEL_SECTION_MAX};
  assert_int_equal(sup_model_pack(&arena, &def, &model, &error), SUP_OK);
  model = NULL;
  def.part_count++;
  assert_int_not_equal(sup_model_pack(&arena, &def, &model, &error), SUP_OK);
  def.part_count = 2;
  parts[1].id = parts[0].id;
  assert_int_equal(sup_model_pack(&arena, &def, &model, &error), SUP_ERROR_FORMAT);
  parts[1] = (SupModelPart){9, 8, UINT64_MAX / 8, NULL};
  assert_int_equal(sup_model_pack(&arena, &def, &model, &error), SUP_ERROR_MEMORY);
  parts[1].count = 1 << 20;
  assert_int_equal(sup_model_pack(&arena, &def, &model, &error), SUP_ERROR_MEMORY);
  def.h = 2;
  def.part_count = 1;
  assert_int_equal(sup_model_pack(&arena, &def, &model, &error), SUP_ERROR_FORMAT);
  assert_null(model);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_packed_and_checked),
      cmocka_unit_test(the_layout_is_frozen),
      cmocka_unit_test(every_truncation_and_flip_is_refused),
      cmocka_unit_test(sealed_headers_are_checked),
      cmocka_unit_test(sealed_tables_are_checked),
      cmocka_unit_test(sealed_kinds_check_themselves),
      cmocka_unit_test(older_versions_and_trailing_bytes_are_read),
      cmocka_unit_test(packing_refuses_what_would_not_load),
  };
  return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}
