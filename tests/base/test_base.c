/* SPDX-License-Identifier: MIT */
/* Arena, hash, random numbers, formatting, jobs, pool. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scratch.h"
#include "base/union_find.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

static void hash_matches_published_vectors(void **state) {
  (void)state;
  /* XXH64's own reference values: empty input, and the generator buffer of its sanity check. */
  assert_true(sup_hash("", 0, 0) == 0xEF46DB3751D8E999u);
  assert_true(sup_hash("a", 1, 0) == 0xD24EC4F1A98C6E5Bu);
  assert_true(sup_hash("abc", 3, 0) == 0x44BC2CF5AD770999u);
  unsigned char buffer[222];
  uint64_t generator = 2654435761u;
  for (size_t i = 0; i < sizeof buffer; i++) {
    buffer[i] = (unsigned char)(generator >> 56);
    generator *= 11400714785074694797u;
  }
  assert_true(sup_hash(buffer, 1, 0) == 0xE934A84ADB052768u);
  assert_true(sup_hash(buffer, 14, 0) == 0x8282DCC4994E35C8u);
  assert_true(sup_hash(buffer, 222, 0) == 0xB641AE8CB691C174u);
  assert_true(sup_hash(buffer, 222, 2654435761u) == 0x20CB8AB7AE10C14Au);
}

static void rng_matches_published_sequence(void **state) {
  (void)state;
  /* The reference implementation's demo, seed 42, stream 54. */
  static const uint32_t expected[6] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                       0x83d2f293, 0xbfa4784b, 0xcbed606e};
  SupRng rng = sup_rng(42, 54);
  for (int k = 0; k < 6; k++) assert_int_equal(sup_rng_u32(&rng), expected[k]);
}

static void rng_is_uniform(void **state) {
  (void)state;
  SupRng rng = sup_rng(1, 1);
  unsigned counts[10] = {0};
  double sum = 0, square = 0;
  for (int k = 0; k < 100000; k++) {
    counts[sup_rng_below(&rng, 10)]++;
    double x = sup_rng_double(&rng);
    float f = sup_rng_float(&rng);
    assert_true(x >= 0 && x < 1 && f >= 0 && f < 1);
    sum += x;
    square += x * x;
  }
  for (int k = 0; k < 10; k++) assert_true(counts[k] > 9600 && counts[k] < 10400);
  assert_true(fabs(sum / 1e5 - 0.5) < 0.005);
  assert_true(fabs(square / 1e5 - 1.0 / 3) < 0.005);
}

static void arena_gives_aligned_zeroed_memory(void **state) {
  (void)state;
  CountingHeap heap = {0};
  SupArena arena;
  sup_arena_init(&arena, counting_allocator(&heap), 0);
  SupRng rng = sup_rng(3, 3);
  for (int k = 0; k < 500; k++) {
    size_t count = sup_rng_below(&rng, 3000);
    unsigned char *block = SUP_ALLOC(&arena, unsigned char, count);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % SUP_ALIGNMENT, 0);
    for (size_t i = 0; i < count; i++) assert_int_equal(block[i], 0);
    memset(block, 0xAB, count);
  }
  assert_true(heap.live_bytes == arena.reserved);
  sup_arena_free(&arena);
  assert_int_equal(heap.live_blocks, 0);
  assert_int_equal(heap.live_bytes, 0);
}

static void arena_refuses_without_damage(void **state) {
  (void)state;
  CountingHeap heap = {0};
  SupArena arena;
  sup_arena_init(&arena, counting_allocator(&heap), 100000);
  assert_null(SUP_ALLOC(&arena, double, SIZE_MAX / 4));
  assert_null(SUP_ALLOC(&arena, char, 100001));
  char *block = SUP_ALLOC(&arena, char, 50000);
  assert_non_null(block);
  assert_null(SUP_ALLOC(&arena, char, 60000));
  assert_non_null(SUP_ALLOC(&arena, char, 100));
  assert_true(arena.reserved <= 100000);
  sup_arena_free(&arena);
  heap = (CountingHeap){.fail_at = 1};
  assert_null(SUP_ALLOC(&arena, char, 1));
  sup_arena_free(&arena);
  assert_int_equal(heap.live_blocks, 0);
}

static void check_text(const char *expected, const char *format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  size_t length = sup_format_v(text, sizeof text, format, arguments);
  va_end(arguments);
  assert_string_equal(text, expected);
  assert_int_equal(length, strlen(expected));
}

static void format_writes_what_printf_would(void **state) {
  (void)state;
  check_text("a b 7%", "%s %c %d%%", "a", 'b', 7);
  check_text("-2147483648 4294967295 ff", "%d %u %x", INT32_MIN, UINT32_MAX, 255u);
  check_text("-9223372036854775808 18446744073709551615", "%lld %llu", (long long)INT64_MIN,
             (unsigned long long)UINT64_MAX);
  check_text("12 0.5 1e-9 123457", "%zu %g %g %g", (size_t)12, 0.5, 1e-9, 123456.7);
  check_text("0 -0.25 nan inf -inf", "%g %g %g %g %g", 0.0, -0.25, (double)NAN, (double)INFINITY,
             (double)-INFINITY);
  check_text("1.50 -2.000 3 10.0", "%.2f %.3f %.0f %.1f", 1.5, -2.0, 2.9, 9.96);
  SupRng rng = sup_rng(5, 5);
  for (int k = 0; k < 20000; k++) {
    double value = ldexp(sup_rng_double(&rng) - 0.5, (int)sup_rng_below(&rng, 30) - 10);
    char expected[64], actual[64];
    snprintf(expected, sizeof expected, "%.4f", value);
    sup_format(actual, sizeof actual, "%.4f", value);
    /* Ties may round the other way; both texts must then be one unit apart at most. */
    assert_true(fabs(atof(expected) - atof(actual)) < 1.01e-4);
    sup_format(actual, sizeof actual, "%g", value);
    assert_true(fabs(atof(actual) - value) <= 0.6e-5 * fabs(value));
  }
}

static void format_truncates(void **state) {
  (void)state;
  char text[6];
  assert_int_equal(sup_format(text, sizeof text, "%s", "abcdefgh"), 8);
  assert_string_equal(text, "abcde");
  assert_int_equal(sup_format(NULL, 0, "abc"), 3);
  SupError error;
  assert_int_equal(sup_fail(&error, SUP_ERROR_FORMAT, "node %d", 3), SUP_ERROR_FORMAT);
  sup_error_prefix(&error, "%s", "x.glb");
  assert_string_equal(error.text, "x.glb: node 3");
  assert_int_equal(sup_fail(NULL, SUP_ERROR_IO, "nobody listens"), SUP_ERROR_IO);
}

static void a_lack_of_memory_has_one_sentence(void **state) {
  (void)state;
  SupError error;
  assert_int_equal(sup_fail_memory(&error, "filling"), SUP_ERROR_MEMORY);
  assert_string_equal(error.text, "filling: out of memory");
  assert_int_equal(sup_fail_memory(&error, NULL), SUP_ERROR_MEMORY);
  assert_string_equal(error.text, "out of memory");
  assert_int_equal(sup_fail_memory(NULL, "filling"), SUP_ERROR_MEMORY);
}

/* Scratch memory may take what the limit leaves, and the limit counts it while it is charged. */
static void scratch_keeps_to_the_limit(void **state) {
  (void)state;
  const size_t limit = 1 << 20;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), limit);
  assert_non_null(sup_arena_alloc(&arena, limit / 2, 1));
  SupArena scratch = sup_scratch(&arena);
  assert_null(sup_arena_alloc(&scratch, limit / 2, 1));
  assert_non_null(sup_arena_alloc(&scratch, limit / 4, 1));
  size_t before = sup_scratch_charge(&arena, &scratch);
  assert_null(sup_arena_alloc(&arena, limit / 3, 1));
  arena.limit = before;
  assert_non_null(sup_arena_alloc(&arena, limit / 3, 1));
  sup_arena_free(&scratch);
  sup_arena_free(&arena);
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_true(sup_scratch(&arena).limit == 0);
}

/* Against labels that are painted over one by one; the root is the lowest of its set. */
static void union_find_joins_as_labels_do(void **state) {
  (void)state;
  enum { COUNT = 200 };
  uint32_t parents[COUNT], labels[COUNT];
  SupRng rng = sup_rng(1, 2);
  sup_union_find_init(parents, COUNT);
  for (uint32_t k = 0; k < COUNT; k++) labels[k] = k;
  for (int join = 0; join < 150; join++) {
    uint32_t a = sup_rng_below(&rng, COUNT), b = sup_rng_below(&rng, COUNT);
    sup_union_find_join(parents, a, b);
    uint32_t low = labels[a] < labels[b] ? labels[a] : labels[b],
             high = labels[a] + labels[b] - low;
    for (uint32_t k = 0; k < COUNT; k++) labels[k] = labels[k] == high ? low : labels[k];
    for (uint32_t k = 0; k < COUNT; k++) {
      assert_int_equal(sup_union_find_root(parents, k), labels[k]);
    }
  }
}

typedef struct SumContext {
  double *partial;
  uint32_t *visits;
} SumContext;

static void sum_range(void *context, SupRange range) {
  SumContext *sum = (SumContext *)context;
  double total = 0;
  for (uint32_t i = range.first; i < range.first + range.count; i++) {
    total += sin((double)i) * 1e-3;
    sum->visits[i]++;
  }
  sum->partial[range.chunk] = total;
}

static double parallel_sum(const SupJobs *jobs, uint32_t count, uint32_t grain) {
  uint32_t chunks = sup_range_count(count, grain);
  SumContext sum = {calloc(chunks + 1, sizeof(double)), calloc(count + 1, sizeof(uint32_t))};
  assert_non_null(sum.partial);
  assert_non_null(sum.visits);
  sup_parallel_for(jobs, count, grain, sum_range, &sum);
  double total = 0;
  for (uint32_t k = 0; k < chunks; k++) total += sum.partial[k];
  for (uint32_t i = 0; i < count; i++) assert_int_equal(sum.visits[i], 1);
  free(sum.partial);
  free(sum.visits);
  return total;
}

static void every_thread_count_gives_the_same_sum(void **state) {
  (void)state;
  static const uint32_t counts[] = {0, 1, 63, 64, 65, 100000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    double expected = parallel_sum(NULL, counts[c], 64);
    for (uint32_t threads = 1; threads <= 8; threads++) {
      SupPool *pool = sup_pool_create(sup_heap_allocator(), threads);
      assert_non_null(pool);
      assert_int_equal(sup_pool_thread_count(pool), threads);
      SupJobs jobs = sup_pool_jobs(pool);
      for (int repeat = 0; repeat < 20; repeat++) {
        double actual = parallel_sum(&jobs, counts[c], 64);
        assert_memory_equal(&actual, &expected, sizeof actual);
      }
      sup_pool_destroy(pool);
    }
  }
}

static void files_are_written_whole_or_not_at_all(void **state) {
  (void)state;
  SupAllocator heap = sup_heap_allocator();
  SupError error;
  char path[] = "/tmp/supple_test_XXXXXX";
  assert_non_null(mkdtemp(path));
  char name[64], name_of_directory[64];
  snprintf(name, sizeof name, "%s/a.bin", path);
  snprintf(name_of_directory, sizeof name_of_directory, "%s/b/c.bin", path);
  assert_int_equal(sup_file_save(heap, name, "first", 5, &error), SUP_OK);
  SupFileWriter *writer;
  assert_int_equal(sup_file_begin(heap, name, &writer, &error), SUP_OK);
  sup_file_write(writer, "second", 6);
  sup_file_abandon(writer);
  SupArena arena;
  sup_arena_init(&arena, heap, 0);
  const uint8_t *data = NULL;
  size_t bytes = 0;
  assert_int_equal(sup_file_read(&arena, name, &data, &bytes, &error), SUP_OK);
  assert_int_equal(bytes, 5);
  assert_memory_equal(data, "first", 6);
  assert_int_equal(sup_file_save(heap, name_of_directory, "x", 1, &error), SUP_ERROR_IO);
  assert_non_null(strstr(error.text, name_of_directory));
  assert_int_equal(sup_file_read(&arena, path, &data, &bytes, &error), SUP_ERROR_IO);
  sup_arena_free(&arena);
  char command[100];
  snprintf(command, sizeof command, "test \"$(ls %s)\" = a.bin && rm -r %s", path, path);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hash_matches_published_vectors),
      cmocka_unit_test(rng_matches_published_sequence),
      cmocka_unit_test(rng_is_uniform),
      cmocka_unit_test(arena_gives_aligned_zeroed_memory),
      cmocka_unit_test(arena_refuses_without_damage),
      cmocka_unit_test(format_writes_what_printf_would),
      cmocka_unit_test(format_truncates),
      cmocka_unit_test(a_lack_of_memory_has_one_sentence),
      cmocka_unit_test(scratch_keeps_to_the_limit),
      cmocka_unit_test(union_find_joins_as_labels_do),
      cmocka_unit_test(every_thread_count_gives_the_same_sum),
      cmocka_unit_test(files_are_written_whole_or_not_at_all),
  };
  return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
