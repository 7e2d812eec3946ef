/* SPDX-License-Identifier: MIT */
/* PC2 and MDD: bytes, times, hostile files. */
#include "check.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "folder.h"
#include "supple/io/cache.h"
#include "supple/io/file.h"

/* Two frames of two points, start frame 3, a sample every 2 frames; written down by hand from the
 * format's description. */
static const uint8_t golden_pc2[] = {
    'P', 'O', 'I',  'N',  'T', 'C', 'A',  'C',
    'H', 'E', '2',  0,                       /* magic */
    1,   0,   0,    0,    2,   0,   0,    0, /* version, points */
    0,   0,   0x40, 0x40, 0,   0,   0,    0x40,
    2,   0,   0,    0, /* start 3.0, sampling 2.0, frames */
    0,   0,   0x80, 0x3f, 0,   0,   0,    0x40,
    0,   0,   0x40, 0x40, /* 1 2 3 */
    0,   0,   0x80, 0xbf, 0,   0,   0,    0xc0,
    0,   0,   0x40, 0xc0, /* -1 -2 -3 */
    0,   0,   0x80, 0x40, 0,   0,   0xa0, 0x40,
    0,   0,   0xc0, 0x40, /* 4 5 6 */
    0,   0,   0x80, 0xc0, 0,   0,   0xa0, 0xc0,
    0,   0,   0xc0, 0xc0, /* -4 -5 -6 */
};

/* The same positions at 0.25 and 0.75 seconds. */
static const uint8_t golden_mdd[] = {
    0,    0,    0, 2, 0,    0,    0, 2,                   /* frames, points */
    0x3e, 0x80, 0, 0, 0x3f, 0x40, 0, 0,                   /* times */
    0x3f, 0x80, 0, 0, 0x40, 0,    0, 0, 0x40, 0x40, 0, 0, /* 1 2 3 */
    0xbf, 0x80, 0, 0, 0xc0, 0,    0, 0, 0xc0, 0x40, 0, 0, /* -1 -2 -3 */
    0x40, 0x80, 0, 0, 0x40, 0xa0, 0, 0, 0x40, 0xc0, 0, 0, /* 4 5 6 */
    0xc0, 0x80, 0, 0, 0xc0, 0xa0, 0, 0, 0xc0, 0xc0, 0, 0, /* -4 -5 -6 */
};

static const SupVec3 golden_positions[4] = {{1, 2, 3}, {-1, -2, -3}, {4, 5, 6}, {-4, -5, -6}};

static void check_near(double actual, double expected) {
  if (fabs(actual - expected) > 1e-6 * fabs(expected) + 1e-9) {
    fail_msg("%.9g instead of %.9g", actual, expected);
  }
}

static void golden_files_are_read(void **state) {
  (void)state;
  Folder folder = folder_make();
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupError error;
  SupSamples samples;
  const char *path = folder_path(&folder, "a.PC2");
  file_put(path, golden_pc2, sizeof golden_pc2);
  assert_int_equal(sup_cache_load(&arena, path, 48, &samples, &error), SUP_OK);
  assert_int_equal(samples.frame_count, 2);
  assert_int_equal(samples.vertex_count, 2);
  check_near((double)samples.fps, 24);
  check_near((double)samples.start, 3.0 / 48);
  assert_int_equal(samples.order, SUP_ORDER_UNKNOWN);
  assert_memory_equal(samples.positions, golden_positions, sizeof golden_positions);
  path = folder_path(&folder, "a.mdd");
  file_put(path, golden_mdd, sizeof golden_mdd);
  assert_int_equal(sup_cache_load(&arena, path, 0, &samples, &error), SUP_OK);
  assert_int_equal(samples.frame_count, 2);
  check_near((double)samples.fps, 2);
  check_near((double)samples.start, 0.25);
  assert_memory_equal(samples.positions, golden_positions, sizeof golden_positions);
  /* A PC2 is known by its content, whatever its name. */
  path = folder_path(&folder, "b.mdd");
  file_put(path, golden_pc2, sizeof golden_pc2);
  assert_int_equal(sup_cache_load(&arena, path, 0, &samples, &error), SUP_OK);
  check_near((double)samples.fps, (double)SUP_CACHE_FPS / 2);
  sup_arena_free(&arena);
  folder_remove(&folder);
}

static void golden_files_are_written(void **state) {
  (void)state;
  Folder folder = folder_make();
  SupError error;
  SupSamples samples = {.fps = 2,
                        .start = 0.25f,
                        .frame_count = 2,
                        .vertex_count = 2,
                        .order = SUP_ORDER_RENDER,
                        .positions = golden_positions};
  size_t bytes;
  const char *path = folder_path(&folder, "a.mdd");
  assert_int_equal(sup_cache_save(sup_heap_allocator(), path, &samples, &error), SUP_OK);
  uint8_t *data = file_get(path, &bytes);
  assert_int_equal(bytes, sizeof golden_mdd + 24);
  assert_memory_equal(data, golden_mdd, sizeof golden_mdd);
  free(data);
  samples.fps = 30;
  samples.start = 0.1f; /* frame 3 */
  path = folder_path(&folder, "a.pc2");
  assert_int_equal(sup_cache_save(sup_heap_allocator(), path, &samples, &error), SUP_OK);
  data = file_get(path, &bytes);
  assert_int_equal(bytes, sizeof golden_pc2 + 24);
  uint8_t expected[sizeof golden_pc2];
  memcpy(expected, golden_pc2, sizeof expected);
  memcpy(expected + 24, "\0\0\x80\x3f", 4); /* a sample every frame */
  assert_memory_equal(data, expected, sizeof expected);
  free(data);
  path = folder_path(&folder, "a.abc");
  assert_int_equal(sup_cache_save(sup_heap_allocator(), path, &samples, &error),
                   SUP_ERROR_ARGUMENT);
  folder_remove(&folder);
}

/* A cache with a planted value everywhere. */
static SupVec3 planted(uint32_t frame, uint32_t v) {
  return (SupVec3){(float)frame + 0.25f, (float)v * 1e-3f, -(float)(frame * v)};
}

static SupResult write_planted(SupAllocator allocator, const char *path, uint32_t frames,
                               uint32_t points, SupError *error) {
  SupCacheDef def = {.allocator = allocator,
                     .path = path,
                     .vertex_count = points,
                     .frame_count = frames,
                     .fps = 59.94f,
                     .start = 1.5f,
                     .order = SUP_ORDER_BODY};
  assert_true(sup_cache_format(path, &def.format));
  SupCacheWriter *writer;
  SupResult result = sup_cache_begin(&def, &writer, error);
  if (result != SUP_OK) return result;
  SupVec3 *positions = calloc(points, sizeof *positions);
  assert_non_null(positions);
  for (uint32_t i = 0; i < frames; i++) {
    for (uint32_t v = 0; v < points; v++) positions[v] = planted(i, v);
    sup_cache_write_frame(writer, positions);
  }
  free(positions);
  return sup_cache_commit(writer, error);
}

static void frames_are_read_in_any_order(void **state) {
  (void)state;
  enum { FRAMES = 7, POINTS = 1500 };
  static const char *const names[] = {"a.pc2", "a.mdd"};
  Folder folder = folder_make();
  SupError error;
  static SupVec3 positions[POINTS];
  for (size_t n = 0; n < 2; n++) {
    const char *path = folder_path(&folder, names[n]);
    assert_int_equal(write_planted(sup_heap_allocator(), path, FRAMES, POINTS, &error), SUP_OK);
    SupCacheReader *reader;
    assert_int_equal(sup_cache_open(sup_heap_allocator(), path, 0, &reader, &error), SUP_OK);
    const SupCacheInfo *info = sup_cache_info(reader);
    assert_int_equal(info->frame_count, FRAMES);
    assert_int_equal(info->vertex_count, POINTS);
    assert_int_equal(info->timing, SUP_TIMING_STORED);
    assert_int_equal(info->order, SUP_ORDER_BODY);
    assert_true(info->fps == 59.94f && info->start == 1.5f && !info->uneven);
    for (uint32_t k = 0; k < FRAMES; k++) {
      uint32_t i = k * 3 % FRAMES;
      assert_int_equal(sup_cache_read_frame(reader, i, positions, &error), SUP_OK);
      for (uint32_t v = 0; v < POINTS; v++) {
        SupVec3 expected = planted(i, v);
        assert_memory_equal(&positions[v], &expected, sizeof expected);
      }
    }
    sup_cache_close(reader);
    assert_int_equal(sup_cache_open(sup_heap_allocator(), path, 120, &reader, &error), SUP_OK);
    assert_int_equal(sup_cache_info(reader)->timing, SUP_TIMING_GIVEN);
    check_near((double)sup_cache_info(reader)->fps, 120);
    sup_cache_close(reader);
  }
  sup_cache_close(NULL);
  sup_cache_abandon(NULL);
  folder_remove(&folder);
}

static void put_be(uint8_t *p, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  for (int k = 0; k < 4; k++) p[k] = (uint8_t)(bits >> (24 - 8 * k));
}

/* An MDD of one point whose frames come at the given times. */
static SupResult info_of_times(Folder *folder, const float *times, uint32_t count,
                               SupCacheInfo *out_info, SupError *error) {
  uint8_t *data = calloc(1, 8 + 16 * (size_t)count);
  assert_non_null(data);
  data[2] = (uint8_t)(count >> 8);
  data[3] = (uint8_t)count;
  data[7] = 1;
  for (uint32_t i = 0; i < count; i++) put_be(data + 8 + 4 * (size_t)i, times[i]);
  const char *path = folder_path(folder, "t.mdd");
  file_put(path, data, 8 + 16 * (size_t)count);
  free(data);
  SupCacheReader *reader;
  SupResult result = sup_cache_open(sup_heap_allocator(), path, 0, &reader, error);
  if (result == SUP_OK) *out_info = *sup_cache_info(reader);
  sup_cache_close(reader);
  return result;
}

static void frame_rates_come_from_mdd_times(void **state) {
  (void)state;
  Folder folder = folder_make();
  SupError error;
  SupCacheInfo info;
  float times[500];
  static const double rates[] = {24, 25, 30, 60, 120, 24000 / 1001.0, 30000 / 1001.0, 13.7};
  for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
    for (int i = 0; i < 500; i++) times[i] = (float)(2.0 + i / rates[r]);
    assert_int_equal(info_of_times(&folder, times, 500, &info, &error), SUP_OK);
    assert_int_equal(info.timing, SUP_TIMING_TIMES);
    assert_false(info.uneven);
    assert_true(info.start == 2.0f);
    if (r < 7) assert_true(info.fps == (float)rates[r]);
    check_near((double)info.fps / rates[r], 1);
  }
  times[250] += 0.01f;
  assert_int_equal(info_of_times(&folder, times, 500, &info, &error), SUP_OK);
  assert_true(info.uneven);
  times[250] = 0;
  assert_int_equal(info_of_times(&folder, times, 500, &info, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "frame 250"));
  times[0] = NAN;
  assert_int_equal(info_of_times(&folder, times, 1, &info, &error), SUP_ERROR_FORMAT);
  times[0] = 3;
  assert_int_equal(info_of_times(&folder, times, 1, &info, &error), SUP_OK);
  assert_int_equal(info.timing, SUP_TIMING_ASSUMED);
  assert_true(info.fps == SUP_CACHE_FPS);
  folder_remove(&folder);
}

static SupResult load_bytes(Folder *folder, const char *name, const uint8_t *data, size_t bytes,
                            SupError *error) {
  const char *path = folder_path(folder, name);
  file_put(path, data, bytes);
  CountingHeap heap = {0};
  SupArena arena;
  sup_arena_init(&arena, counting_allocator(&heap), 1 << 20);
  SupSamples samples;
  error->text[0] = 0;
  SupResult result = sup_cache_load(&arena, path, 0, &samples, error);
  if (result != SUP_OK) assert_non_null(strstr(error->text, name));
  sup_arena_free(&arena);
  assert_int_equal(heap.live_blocks, 0);
  return result;
}

static void every_truncation_is_refused(void **state) {
  (void)state;
  Folder folder = folder_make();
  SupError error;
  for (size_t bytes = 0; bytes < sizeof golden_pc2; bytes++) {
    assert_int_equal(load_bytes(&folder, "t.pc2", golden_pc2, bytes, &error), SUP_ERROR_FORMAT);
  }
  for (size_t bytes = 0; bytes < sizeof golden_mdd; bytes++) {
    assert_int_equal(load_bytes(&folder, "t.mdd", golden_mdd, bytes, &error), SUP_ERROR_FORMAT);
  }
  /* A damaged trailer is not believed, but the frames are there. */
  const char *path = folder_path(&folder, "u.pc2");
  assert_int_equal(write_planted(sup_heap_allocator(), path, 2, 3, &error), SUP_OK);
  size_t whole;
  uint8_t *data = file_get(path, &whole);
  assert_int_equal(whole, 32 + 72 + 24);
  for (size_t cut = 0; cut <= 24; cut++) {
    assert_int_equal(load_bytes(&folder, "u.pc2", data, whole - cut, &error), SUP_OK);
  }
  for (size_t k = 0; k < 24; k++) {
    data[whole - 24 + k] ^= 0x10;
    path = folder_path(&folder, "u.pc2");
    file_put(path, data, whole);
    SupCacheReader *reader;
    assert_int_equal(sup_cache_open(sup_heap_allocator(), path, 0, &reader, &error), SUP_OK);
    assert_int_equal(sup_cache_info(reader)->timing, SUP_TIMING_ASSUMED);
    assert_int_equal(sup_cache_info(reader)->order, SUP_ORDER_UNKNOWN);
    sup_cache_close(reader);
    data[whole - 24 + k] ^= 0x10;
  }
  free(data);
  folder_remove(&folder);
}

static void check_refused(Folder *folder, size_t at, const char *bytes, const char *word) {
  uint8_t data[sizeof golden_pc2];
  memcpy(data, golden_pc2, sizeof data);
  memcpy(data + at, bytes, 4);
  SupError error;
  assert_int_not_equal(load_bytes(folder, "h.pc2", data, sizeof data, &error), SUP_OK);
  if (!strstr(error.text, word)) fail_msg("no \"%s\" in: %s", word, error.text);
}

static void hostile_heads_are_refused(void **state) {
  (void)state;
  Folder folder = folder_make();
  check_refused(&folder, 12, "\2\0\0\0", "version 2");
  check_refused(&folder, 16, "\0\0\0\0", "0 points");
  check_refused(&folder, 16, "\xff\xff\xff\xff", "-1 points");
  check_refused(&folder, 16, "\xff\xff\xff\x7f", "truncated");
  check_refused(&folder, 28, "\xff\xff\xff\x7f", "truncated");
  check_refused(&folder, 28, "\0\0\0\x80", "frames");
  check_refused(&folder, 20, "\0\0\x80\x7f", "start frame inf");
  check_refused(&folder, 20, "\xff\xff\x7f\x7f", "is invalid");
  check_refused(&folder, 24, "\0\0\xc0\x7f", "nan frames");
  check_refused(&folder, 24, "\0\0\x80\xbf", "every -1 frames");
  check_refused(&folder, 56, "\0\0\xc0\x7f", "frame 1, vertex 0");
  check_refused(&folder, 0, "nope", "POINTCACHE2");
  SupError error;
  SupCacheReader *reader;
  assert_int_equal(sup_cache_open(sup_heap_allocator(), folder.path, 0, &reader, &error),
                   SUP_ERROR_IO);
  assert_null(reader);
  const char *none = folder_path(&folder, "none.pc2");
  assert_int_equal(sup_cache_open(sup_heap_allocator(), none, 0, &reader, &error), SUP_ERROR_IO);
  folder_remove(&folder);
}

static void memory_limits_hold(void **state) {
  (void)state;
  Folder folder = folder_make();
  SupError error;
  const char *path = folder_path(&folder, "m.mdd");
  assert_int_equal(write_planted(sup_heap_allocator(), path, 100, 1000, &error), SUP_OK);
  SupArena arena;
  SupSamples samples;
  sup_arena_init(&arena, sup_heap_allocator(), 1 << 20);
  assert_int_equal(sup_cache_load(&arena, path, 0, &samples, &error), SUP_ERROR_MEMORY);
  assert_non_null(strstr(error.text, "memory allowed"));
  sup_arena_free(&arena);
  folder_remove(&folder);
}

static void every_failed_allocation_is_clean(void **state) {
  (void)state;
  Folder folder = folder_make();
  SupError error;
  const char *path = folder_path(&folder, "k.pc2");
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupResult result = write_planted(counting_allocator(&heap), path, 3, 5, &error);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_int_equal(folder_count(&folder, false), 0);
    assert_true(k < 10);
  }
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupSamples samples;
    SupResult result = sup_cache_load(&arena, path, 0, &samples, &error);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(k < 10);
  }
  folder_remove(&folder);
}

static void a_full_disk_leaves_nothing_behind(void **state) {
  (void)state;
  Folder folder = folder_make();
  SupError error;
  struct rlimit old, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  small = (struct rlimit){4096, old.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  const char *path = folder_path(&folder, "f.pc2");
  SupResult result = write_planted(sup_heap_allocator(), path, 100, 1000, &error);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(result, SUP_ERROR_IO);
  assert_non_null(strstr(error.text, "f.pc2"));
  assert_int_equal(folder_count(&folder, false), 0);
  folder_remove(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_files_are_read),
      cmocka_unit_test(golden_files_are_written),
      cmocka_unit_test(frames_are_read_in_any_order),
      cmocka_unit_test(frame_rates_come_from_mdd_times),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(hostile_heads_are_refused),
      cmocka_unit_test(memory_limits_hold),
      cmocka_unit_test(every_failed_allocation_is_clean),
      cmocka_unit_test(a_full_disk_leaves_nothing_behind),
  };
  return cmocka_run_group_tests_name("caches", tests, NULL, NULL);
}
