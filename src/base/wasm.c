/* SPDX-License-Identifier: MIT */
/*
 * What a C compiler expects of every environment, freestanding ones too, for WebAssembly, where
 * there is no C library to bring it. The only symbols of libsupple without `sup_` in front.
 *
 * Unaligned 8-byte accesses are legal and fast in WebAssembly, so the copies go by words.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *block, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

typedef uint64_t Word __attribute__((aligned(1), may_alias));

static void copy_up(unsigned char *to, const unsigned char *from, size_t bytes) {
  for (; bytes >= 8; bytes -= 8, to += 8, from += 8) *(Word *)to = *(const Word *)from;
  for (; bytes; bytes--) *to++ = *from++;
}

static void copy_down(unsigned char *to, const unsigned char *from, size_t bytes) {
  for (; bytes >= 8; bytes -= 8) *(Word *)(to + bytes - 8) = *(const Word *)(from + bytes - 8);
  for (; bytes; bytes--) to[bytes - 1] = from[bytes - 1];
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  copy_up((unsigned char *)to, (const unsigned char *)from, bytes);
  return to;
}

/* Forward copying is right also where the blocks overlap, if the target lies below: a word is
 * read before it is written, and what was written is not read again. */
void *memmove(void *to, const void *from, size_t bytes) {
  if ((uintptr_t)to <= (uintptr_t)from) {
    copy_up((unsigned char *)to, (const unsigned char *)from, bytes);
  } else {
    copy_down((unsigned char *)to, (const unsigned char *)from, bytes);
  }
  return to;
}

void *memset(void *block, int value, size_t bytes) {
  unsigned char *to = (unsigned char *)block;
  const unsigned char byte = (unsigned char)value;
  const uint64_t word = 0x0101010101010101u * byte;
  for (; bytes >= 8; bytes -= 8, to += 8) *(Word *)to = word;
  for (; bytes; bytes--) *to++ = byte;
  return block;
}

int memcmp(const void *a, const void *b, size_t bytes) {
  const unsigned char *x = (const unsigned char *)a;
  const unsigned char *y = (const unsigned char *)b;
  for (size_t i = 0; i < bytes; i++) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return 0;
}
