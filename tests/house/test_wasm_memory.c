/* SPDX-License-Identifier: MIT */
/* The memory functions of the WebAssembly build, compiled here under other names and compared with
 * the C library's for every length and distance that can matter. */
#include "check.h"

#include <string.h>

#define memcpy wasm_memcpy
#define memmove wasm_memmove
#define memset wasm_memset
#define memcmp wasm_memcmp
#include "base/wasm.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp

enum { SIZE = 96 };

static void fill(unsigned char *block) {
  for (int i = 0; i < SIZE; i++) block[i] = (unsigned char)(i * 37 + 11);
}

static void copies_and_moves_match_the_c_library(void **state) {
  (void)state;
  unsigned char ours[SIZE], theirs[SIZE], source[SIZE];
  fill(source);
  for (size_t bytes = 0; bytes <= 40; bytes++) {
    for (size_t to = 0; to <= 40; to++) {
      for (size_t from = 0; from <= 40; from++) {
        fill(ours);
        fill(theirs);
        assert_ptr_equal(wasm_memmove(ours + to, ours + from, bytes), ours + to);
        memmove(theirs + to, theirs + from, bytes);
        assert_memory_equal(ours, theirs, SIZE);
        wasm_memcpy(ours + to, source + from, bytes);
        memcpy(theirs + to, source + from, bytes);
        assert_memory_equal(ours, theirs, SIZE);
      }
    }
  }
}

static void sets_and_compares_match_the_c_library(void **state) {
  (void)state;
  unsigned char ours[SIZE], theirs[SIZE];
  for (size_t bytes = 0; bytes <= 40; bytes++) {
    for (size_t at = 0; at <= 40; at++) {
      fill(ours);
      fill(theirs);
      wasm_memset(ours + at, 0x1a7, bytes);
      memset(theirs + at, 0x1a7, bytes);
      assert_memory_equal(ours, theirs, SIZE);
      theirs[at] ^= 0x80;
      int expected = memcmp(ours, theirs, bytes), got = wasm_memcmp(ours, theirs, bytes);
      assert_int_equal((got > 0) - (got < 0), (expected > 0) - (expected < 0));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_and_moves_match_the_c_library),
      cmocka_unit_test(sets_and_compares_match_the_c_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
