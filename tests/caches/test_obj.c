/* SPDX-License-Identifier: MIT */
/* OBJ in and out. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "caches/folder.h"
#include "io/obj/obj_scan.h"
#include "supple/io/file.h"
#include "supple/io/obj.h"

/* A cube in quads with every way to write a corner, then a triangle in an object of its own. */
static const char sample[] =
    "# a comment with \\\r\n"
    "mtllib none.mtl\n"
    "o box one\n"
    "v 0 0 0\r\nv 1 0 0\nv 1 1. 0\nv 0 1 0 # behind\n"
    "v 0 0 1e0 1 0 0\n  v\t1 \\\n 0 +1\nv 10e-1 1 1\nv 0 .1E1 1\n"
    "vt 0 0\nvn 0 0 1\n"
    "f 1/1 4/1 3/1 2/1\n"
    "f 5 6 7 8\n"
    "f -8//1 -7//1 -3//1 -4//1\n"
    "f 3/1/1 4/1/1 8/1/1 7/1/1\n"
    "f 1 5 \\\n 8 4\n"
    "f 2 3 7 6\n"
    "g\n"
    "o flag\n"
    "v 5 5 5\n"
    "v 9 9 9\n"
    "v 6 5 5\n"
    "usemtl red\n"
    "f 9 9 11\n"
    "v 5 6 5\n"
    "f 9 11 12";

static SupResult parse(SupArena *arena, const char *text, size_t bytes, SupCharacter *character,
                       SupObjReport *report, SupError *error) {
  /* A copy without a terminator, so that the address sanitizer sees a read behind its end. */
  char *copy = malloc(bytes ? bytes : 1);
  assert_non_null(copy);
  memcpy(copy, text, bytes);
  SupResult result = sup_obj_parse(arena, copy, bytes, "dir/a.b.obj", character, report, error);
  free(copy);
  return result;
}

static void everything_in_the_sample_is_understood(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupCharacter character;
  SupObjReport report;
  SupError error;
  assert_int_equal(parse(&arena, sample, strlen(sample), &character, &report, &error), SUP_OK);
  assert_string_equal(character.name, "a.b");
  assert_int_equal(character.render.vertex_count, 12);
  assert_int_equal(character.render.triangle_count, 13);
  assert_int_equal(character.render.part_count, 2);
  assert_string_equal(character.render.parts[0].name, "box");
  assert_string_equal(character.render.parts[1].name, "flag");
  assert_int_equal(character.render.parts[1].first_vertex, 8);
  for (uint32_t v = 0; v < 8; v++) { /* the corners of the unit cube, in their order */
    static const float corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    assert_memory_equal(&character.render.positions[v], corners[v], sizeof corners[v]);
  }
  assert_true(character.render.positions[9].x == 9);
  static const uint32_t first[6] = {0, 3, 2, 0, 2, 1};
  static const uint32_t third[6] = {0, 1, 5, 0, 5, 4};
  static const uint32_t last[3] = {8, 10, 11};
  assert_memory_equal(character.render.triangles, first, sizeof first);
  assert_memory_equal(character.render.triangles + 12, third, sizeof third);
  assert_memory_equal(character.render.triangles + 36, last, sizeof last);
  assert_int_equal(report.polygons, 6);
  assert_int_equal(report.faces_skipped, 1);
  assert_int_equal(report.vertices_unused, 1);
  assert_int_equal(report.statements_skipped, 2);
  assert_true(report.has_uvs && report.has_normals && !report.groups_joined);
  sup_arena_free(&arena);
}

static void shared_vertices_join_groups(void **state) {
  (void)state;
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 2 3\ng b\nf 1 2 4\n";
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupCharacter character;
  SupObjReport report;
  SupError error;
  assert_int_equal(parse(&arena, text, strlen(text), &character, &report, &error), SUP_OK);
  assert_true(report.groups_joined);
  assert_int_equal(character.render.part_count, 1);
  assert_int_equal(character.render.triangle_count, 2);
  sup_arena_free(&arena);
}

static void check_refused(const char *text, const char *word) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupCharacter character;
  SupError error;
  assert_int_equal(parse(&arena, text, strlen(text), &character, NULL, &error), SUP_ERROR_FORMAT);
  if (!strstr(error.text, word)) fail_msg("no \"%s\" in: %s", word, error.text);
  sup_arena_free(&arena);
}

static void mistakes_are_named_with_their_line(void **state) {
  (void)state;
  check_refused("", "no vertices");
  check_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no faces");
  check_refused("v 0 0\n", "line 1");
  check_refused("\n\nv 0 0 x\n", "line 3");
  check_refused("v 0 0 nan\n", "line 1");
  check_refused("v 0 0 1e39\n", "line 1");
  check_refused("v 0 0 1e\n", "line 1");
  check_refused("v 0 0 -\n", "line 1");
  check_refused("v 0 0 .\n", "line 1");
  check_refused("v 0 0 0 \\\n\nf 1 1 2\n", "vertex 2");
  check_refused("v 0 0 0\nf 1 0 1\n", "vertex 0");
  check_refused("v 0 0 0\nf 1 -2 1\n", "vertex -2");
  check_refused("v 0 0 0\nf 1 99999999999999999999999 1\n", "the file has 1");
  check_refused("v 0 0 0\n\n\nf 1 x 1\n", "line 4");
  check_refused("v 0 0 0\nf 1 1 1\n", "three different");
}

/* Against the C library's own reading, on numbers of every shape. */
static void numbers_are_read_as_strtof_does(void **state) {
  (void)state;
  SupRng rng = sup_rng(21, 1);
  for (int k = 0; k < 200000; k++) {
    uint32_t bits = sup_rng_u32(&rng);
    float planted, actual = 0;
    memcpy(&planted, &bits, 4);
    if (!isfinite(planted)) continue;
    char text[64];
    static const char *const formats[] = {"%.9g", "%.12e", "%.7f", "%.17g"};
    snprintf(text, sizeof text, formats[k % 4], (double)planted);
    SupObjScan scan = {text, text + strlen(text), 1};
    assert_true(sup_obj_scan_number(&scan, &actual));
    if (memcmp(&actual, (float[]){strtof(text, NULL)}, 4) != 0) {
      fail_msg("%s is read as %.9g", text, (double)actual);
    }
    assert_true(scan.at == scan.end);
  }
}

static void floats_survive_a_round_trip(void **state) {
  (void)state;
  enum { COUNT = 3000 };
  SupRng rng = sup_rng(22, 1);
  static SupVec3 positions[COUNT];
  static uint32_t triangles[3 * (COUNT - 2)], to_body[COUNT];
  static float uvs[2 * COUNT];
  for (uint32_t v = 0; v < COUNT; v++) {
    positions[v] = (SupVec3){ldexpf(sup_rng_float(&rng) - 0.5f, (int)sup_rng_below(&rng, 40) - 20),
                             sup_rng_float(&rng) * 1e-7f, -(float)v - 1};
    to_body[v] = v;
  }
  for (uint32_t f = 0; f + 2 < COUNT; f++) {
    for (uint32_t k = 0; k < 3; k++) triangles[3 * f + k] = f + k;
  }
  SupPart part = {.name = "a b", .vertex_count = COUNT, .triangle_count = COUNT - 2};
  SupCharacter character = {
      .name = "",
      .body = {COUNT, COUNT - 2, positions, triangles},
      .render = {.vertex_count = COUNT,
                 .triangle_count = COUNT - 2,
                 .part_count = 1,
                 .parts = &part,
                 .to_body = to_body,
                 .triangles = triangles,
                 .positions = positions,
                 .normals = positions,
                 .uvs = uvs},
  };
  Folder folder = folder_make();
  const char *path = folder_path(&folder, "r.obj");
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupError error;
  for (int order = SUP_ORDER_BODY; order <= SUP_ORDER_RENDER; order++) {
    assert_int_equal(
        sup_obj_save(sup_heap_allocator(), path, &character, (SupSampleOrder)order, NULL, &error),
        SUP_OK);
    SupCharacter again;
    SupObjReport report;
    assert_int_equal(sup_obj_read(&arena, path, &again, &report, &error), SUP_OK);
    assert_int_equal(again.render.vertex_count, COUNT);
    assert_memory_equal(again.render.positions, positions, sizeof positions);
    assert_memory_equal(again.render.triangles, triangles, sizeof triangles);
    assert_string_equal(again.render.parts[0].name, order == SUP_ORDER_BODY ? "part_0" : "a_b");
    assert_int_equal(report.has_uvs, order == SUP_ORDER_RENDER);
    assert_int_equal(report.has_normals, order == SUP_ORDER_RENDER);
  }
  sup_arena_free(&arena);
  folder_remove(&folder);
}

static void every_truncation_and_byte_is_survived(void **state) {
  (void)state;
  SupError error;
  SupCharacter character;
  for (size_t bytes = 0; bytes <= strlen(sample); bytes++) {
    CountingHeap heap = {0};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    error.text[0] = 0;
    SupResult result = parse(&arena, sample, bytes, &character, NULL, &error);
    if (result != SUP_OK) assert_non_null(strstr(error.text, "a.b.obj"));
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  char text[sizeof sample];
  for (size_t k = 0; k < strlen(sample); k++) {
    static const char junk[] = {0, '\n', '\\', '-', '9', '/', (char)0xff};
    for (size_t n = 0; n < sizeof junk; n++) {
      memcpy(text, sample, sizeof sample);
      text[k] = junk[n];
      SupArena arena;
      sup_arena_init(&arena, sup_heap_allocator(), 0);
      SupResult result = parse(&arena, text, strlen(sample), &character, NULL, &error);
      assert_true(result == SUP_OK || result == SUP_ERROR_FORMAT);
      sup_arena_free(&arena);
    }
  }
}

static void every_failed_allocation_is_clean(void **state) {
  (void)state;
  SupError error;
  SupCharacter character;
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    error.text[0] = 0;
    SupResult result = parse(&arena, sample, strlen(sample), &character, NULL, &error);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(error.text[0] != 0);
    assert_true(k < 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_in_the_sample_is_understood),
      cmocka_unit_test(shared_vertices_join_groups),
      cmocka_unit_test(mistakes_are_named_with_their_line),
      cmocka_unit_test(numbers_are_read_as_strtof_does),
      cmocka_unit_test(floats_survive_a_round_trip),
      cmocka_unit_test(every_truncation_and_byte_is_survived),
      cmocka_unit_test(every_failed_allocation_is_clean),
  };
  return cmocka_run_group_tests_name("obj", tests, NULL, NULL);
}
