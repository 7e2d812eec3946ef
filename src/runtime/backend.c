/* SPDX-License-Identifier: MIT */
/* Which instruction sets this processor runs, asked of the processor itself: the compiler's
 * __builtin_cpu_supports would need its run-time library and a global. */
#include "supple/backend.h"

#include "runtime/backend_tables.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Bits of XCR0: the operating system saves these registers on a context switch. */
#define XCR0_AVX 0x6u     /* xmm and ymm */
#define XCR0_AVX512 0xe6u /* also the mask registers and both parts of zmm */

/* Leaf 1, ecx. */
#define CPUID_OSXSAVE (1u << 27)
#define CPUID_AVX (1u << 28)
/* Leaf 7, ebx. */
#define CPUID_AVX2 (1u << 5)
#define CPUID_AVX512 ((1u << 16) | (1u << 17) | (1u << 30) | (1u << 31)) /* F, DQ, BW, VL */

static unsigned read_xcr0(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/* How many of x86's tables run here: 2 (scalar, sse2), 3 (avx2) or 4 (avx512). */
static uint32_t usable_count(void) {
  unsigned a, b, c, d;
  const unsigned avx = CPUID_OSXSAVE | CPUID_AVX;
  /* Each question costs microseconds on a virtual machine: the last leaf is asked for once. */
  if (__get_cpuid_max(0, NULL) < 7) return 2;
  __cpuid(1, a, b, c, d);
  if ((c & avx) != avx) return 2;
  unsigned saved = read_xcr0();
  if ((saved & XCR0_AVX) != XCR0_AVX) return 2;
  __cpuid_count(7, 0, a, b, c, d);
  if (!(b & CPUID_AVX2)) return 2;
  return (b & CPUID_AVX512) == CPUID_AVX512 && (saved & XCR0_AVX512) == XCR0_AVX512 ? 4 : 3;
}

static const SupBackend *table(uint32_t index) {
  switch (index) {
    case 0: return &sup_backend_scalar;
    case 1: return &sup_backend_sse2;
    case 2: return &sup_backend_avx2;
    default: return &sup_backend_avx512;
  }
}

#elif defined(__aarch64__)

static uint32_t usable_count(void) { return 2; }
static const SupBackend *table(uint32_t index) {
  return index == 0 ? &sup_backend_scalar : &sup_backend_neon;
}

#elif defined(__wasm__)

/* A module with vector instructions loads only where they exist. */
static uint32_t usable_count(void) { return 2; }
static const SupBackend *table(uint32_t index) {
  return index == 0 ? &sup_backend_scalar : &sup_backend_wasm128;
}

#else

static uint32_t usable_count(void) { return 1; }
static const SupBackend *table(uint32_t index) {
  (void)index;
  return &sup_backend_scalar;
}

#endif

const SupBackend *sup_backend_cpu(void) { return table(usable_count() - 1); }

const SupBackend *sup_backend_find(const char *name) {
  uint32_t count = usable_count();
  for (uint32_t k = 0; k < count; k++) {
    if (sup_string_equal(table(k)->name, name)) return table(k);
  }
  return NULL;
}

uint32_t sup_backend_list(const SupBackend **out_backends, uint32_t capacity) {
  uint32_t count = usable_count();
  for (uint32_t k = 0; k < count && k < capacity; k++) out_backends[k] = table(k);
  return count;
}
