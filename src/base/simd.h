/* SPDX-License-Identifier: MIT */
/*
 * One width-generic vector type for kernels.
 *
 * A kernel is a plain C file that works on `sup_vf` (SUP_WIDTH reals) and `sup_vi` (as many
 * integers) with the ordinary operators, and loops over SUP_BLOCK / SUP_WIDTH groups of a block of
 * 16 items. The build compiles it once per instruction set with SUP_ISA defined to one of the
 * names below; SUP_KERNEL(name) gives each copy its own symbol (sup_name_avx2, ...).
 *
 *   scalar    width 1, float    plain C, always built: the version all others are compared with
 *   sse2      width 4           x86-64 baseline
 *   avx2      width 8           -mavx2
 *   avx512    width 16          -mavx512f -mavx512vl -mavx512dq -mavx512bw
 *   neon      width 4           AArch64 baseline
 *   wasm128   width 4           -msimd128
 *   f64       width 1, double   for learning and for tests
 *   f64avx2   width 4, double   -mavx2
 *   f64avx512 width 8, double   as avx512
 *
 * Each lane does the same IEEE operations in the same order whatever the width, contraction into
 * fused operations is off, and nothing here is approximate: all copies give the same bits.
 */
#ifndef SUP_SRC_BASE_SIMD_H
#define SUP_SRC_BASE_SIMD_H

#include <stdint.h>

#define SUP_BLOCK 16

#define SUP_ISA_scalar 0
#define SUP_ISA_sse2 1
#define SUP_ISA_avx2 2
#define SUP_ISA_avx512 3
#define SUP_ISA_neon 4
#define SUP_ISA_wasm128 5
#define SUP_ISA_f64 6
#define SUP_ISA_f64avx2 7
#define SUP_ISA_f64avx512 8
#define SUP_SIMD_CAT_(a, b) a##b
#define SUP_SIMD_CAT(a, b) SUP_SIMD_CAT_(a, b)
#define SUP_ISA_NUMBER SUP_SIMD_CAT(SUP_ISA_, SUP_ISA)

#ifndef SUP_ISA
#error "a kernel is compiled with -DSUP_ISA=<name>; see the list above"
#endif

#define SUP_KERNEL_(name, isa) sup_##name##_##isa
#define SUP_KERNEL_EXPAND(name, isa) SUP_KERNEL_(name, isa)
#define SUP_KERNEL(name) SUP_KERNEL_EXPAND(name, SUP_ISA)

#define SUP_INLINE static inline __attribute__((always_inline, unused))
/* What is long and seldom reached: a call where the code is sent over a network. */
#if SUP_ISA_NUMBER == SUP_ISA_wasm128
#define SUP_SELDOM static __attribute__((noinline, unused))
#else
#define SUP_SELDOM SUP_INLINE
#endif

#if SUP_ISA_NUMBER == SUP_ISA_scalar || SUP_ISA_NUMBER == SUP_ISA_f64
#define SUP_WIDTH 1
#elif SUP_ISA_NUMBER == SUP_ISA_avx2 || SUP_ISA_NUMBER == SUP_ISA_f64avx512
#define SUP_WIDTH 8
#elif SUP_ISA_NUMBER == SUP_ISA_avx512
#define SUP_WIDTH 16
#else
#define SUP_WIDTH 4
#endif

/* Whether reals are double. */
#define SUP_DOUBLE (SUP_ISA_NUMBER >= SUP_ISA_f64)

#if SUP_DOUBLE
typedef double sup_real;
typedef int64_t sup_int;
#else
typedef float sup_real;
typedef int32_t sup_int;
#endif

#if SUP_WIDTH == 1

typedef sup_real sup_vf;
typedef sup_int sup_vi; /* also the mask: 0 or -1 */

SUP_INLINE sup_vf sup_vf_splat(sup_real x) { return x; }
SUP_INLINE sup_vi sup_vi_splat(sup_int x) { return x; }
SUP_INLINE sup_vf sup_vf_load(const sup_real *p) { return *p; }
SUP_INLINE void sup_vf_store(sup_real *p, sup_vf a) { *p = a; }
SUP_INLINE sup_vi sup_lt(sup_vf a, sup_vf b) { return -(sup_int)(a < b); }
SUP_INLINE sup_vi sup_le(sup_vf a, sup_vf b) { return -(sup_int)(a <= b); }
SUP_INLINE sup_vi sup_eq(sup_vf a, sup_vf b) { return -(sup_int)(a == b); }
SUP_INLINE sup_vf sup_select(sup_vi mask, sup_vf yes, sup_vf no) { return mask ? yes : no; }
SUP_INLINE sup_vf sup_lane_set(sup_vf a, int lane, sup_real x) {
  (void)a;
  (void)lane;
  return x;
}
SUP_INLINE sup_real sup_lane(sup_vf a, int lane) {
  (void)lane;
  return a;
}
SUP_INLINE int sup_any(sup_vi mask) { return mask != 0; }
SUP_INLINE sup_vi sup_vi_load(const sup_int *p) { return *p; }
SUP_INLINE void sup_vi_store(sup_int *p, sup_vi a) { *p = a; }
#if SUP_ISA_NUMBER == SUP_ISA_f64
SUP_INLINE sup_vi sup_shl(sup_vi a, int bits) { return (sup_vi)((uint64_t)a << bits); }
#else
SUP_INLINE sup_vi sup_shl(sup_vi a, int bits) { return (sup_vi)((uint32_t)a << bits); }
#endif
SUP_INLINE sup_vi sup_shr(sup_vi a, int bits) { return a >> bits; }

SUP_INLINE sup_vi sup_bits(sup_vf a) {
  union {
    sup_vf f;
    sup_vi i;
  } u;
  u.f = a;
  return u.i;
}
SUP_INLINE sup_vf sup_from_bits(sup_vi a) {
  union {
    sup_vf f;
    sup_vi i;
  } u;
  u.i = a;
  return u.f;
}
SUP_INLINE sup_vi sup_to_int(sup_vf a) { return (sup_vi)a; } /* towards zero; must be in range */
SUP_INLINE sup_vf sup_to_real(sup_vi a) { return (sup_vf)a; }

#if SUP_ISA_NUMBER == SUP_ISA_f64
SUP_INLINE sup_vf sup_vf_sqrt(sup_vf a) { return __builtin_sqrt(a); }
#else
SUP_INLINE sup_vf sup_vf_sqrt(sup_vf a) { return __builtin_sqrtf(a); }
#endif

#else /* SUP_WIDTH > 1 */

typedef sup_real sup_vf __attribute__((vector_size(sizeof(sup_real) * SUP_WIDTH), may_alias));
typedef sup_int sup_vi __attribute__((vector_size(sizeof(sup_real) * SUP_WIDTH), may_alias));
/* The same without alignment, for loads and stores anywhere. */
typedef sup_real sup_vf_u __attribute__((vector_size(sizeof(sup_real) * SUP_WIDTH),
                                         aligned(sizeof(sup_real)), may_alias));
typedef sup_int sup_vi_u __attribute__((vector_size(sizeof(sup_real) * SUP_WIDTH),
                                        aligned(sizeof(sup_real)), may_alias));

SUP_INLINE sup_vf sup_vf_splat(sup_real x) { return x - (sup_vf){0}; }
SUP_INLINE sup_vi sup_vi_splat(sup_int x) { return x - (sup_vi){0}; }
SUP_INLINE sup_vf sup_vf_load(const sup_real *p) { return *(const sup_vf_u *)p; }
SUP_INLINE void sup_vf_store(sup_real *p, sup_vf a) { *(sup_vf_u *)p = a; }
SUP_INLINE sup_vi sup_lt(sup_vf a, sup_vf b) { return (sup_vi)(a < b); }
SUP_INLINE sup_vi sup_le(sup_vf a, sup_vf b) { return (sup_vi)(a <= b); }
SUP_INLINE sup_vi sup_eq(sup_vf a, sup_vf b) { return (sup_vi)(a == b); }
SUP_INLINE sup_vi sup_bits(sup_vf a) { return (sup_vi)a; }
SUP_INLINE sup_vf sup_from_bits(sup_vi a) { return (sup_vf)a; }
SUP_INLINE sup_vf sup_lane_set(sup_vf a, int lane, sup_real x) {
  a[lane] = x;
  return a;
}
SUP_INLINE sup_real sup_lane(sup_vf a, int lane) { return a[lane]; }
SUP_INLINE sup_vi sup_to_int(sup_vf a) { return __builtin_convertvector(a, sup_vi); }
SUP_INLINE sup_vf sup_to_real(sup_vi a) { return __builtin_convertvector(a, sup_vf); }
SUP_INLINE sup_vi sup_vi_load(const sup_int *p) { return *(const sup_vi_u *)p; }
SUP_INLINE void sup_vi_store(sup_int *p, sup_vi a) { *(sup_vi_u *)p = a; }
SUP_INLINE sup_vi sup_shl(sup_vi a, int bits) { return a << bits; }
SUP_INLINE sup_vi sup_shr(sup_vi a, int bits) { return a >> bits; }

/* The three operations that vector extensions do not have in C: square root, choice by mask, and
 * "is any lane set". Masks are 0 or -1 in every lane. */
#if SUP_ISA_NUMBER == SUP_ISA_sse2
#include <emmintrin.h>
SUP_INLINE sup_vf sup_vf_sqrt(sup_vf a) { return (sup_vf)_mm_sqrt_ps((__m128)a); }
SUP_INLINE int sup_any(sup_vi mask) { return _mm_movemask_ps((__m128)mask) != 0; }
#elif SUP_ISA_NUMBER == SUP_ISA_avx2
#include <immintrin.h>
SUP_INLINE sup_vf sup_vf_sqrt(sup_vf a) { return (sup_vf)_mm256_sqrt_ps((__m256)a); }
SUP_INLINE int sup_any(sup_vi mask) { return _mm256_movemask_ps((__m256)mask) != 0; }
#elif SUP_ISA_NUMBER == SUP_ISA_avx512
#include <immintrin.h>
SUP_INLINE sup_vf sup_vf_sqrt(sup_vf a) { return (sup_vf)_mm512_sqrt_ps((__m512)a); }
SUP_INLINE int sup_any(sup_vi mask) { return _mm512_movepi32_mask((__m512i)mask) != 0; }
#elif SUP_ISA_NUMBER == SUP_ISA_f64avx2
#include <immintrin.h>
SUP_INLINE sup_vf sup_vf_sqrt(sup_vf a) { return (sup_vf)_mm256_sqrt_pd((__m256d)a); }
SUP_INLINE int sup_any(sup_vi mask) { return _mm256_movemask_pd((__m256d)mask) != 0; }
#elif SUP_ISA_NUMBER == SUP_ISA_f64avx512
#include <immintrin.h>
SUP_INLINE sup_vf sup_vf_sqrt(sup_vf a) { return (sup_vf)_mm512_sqrt_pd((__m512d)a); }
SUP_INLINE int sup_any(sup_vi mask) { return _mm512_movepi64_mask((__m512i)mask) != 0; }
#elif SUP_ISA_NUMBER == SUP_ISA_neon
#include <arm_neon.h>
SUP_INLINE sup_vf sup_vf_sqrt(sup_vf a) { return (sup_vf)vsqrtq_f32((float32x4_t)a); }
SUP_INLINE int sup_any(sup_vi mask) { return vmaxvq_u32((uint32x4_t)mask) != 0; }
#elif SUP_ISA_NUMBER == SUP_ISA_wasm128
#include <wasm_simd128.h>
SUP_INLINE sup_vf sup_vf_sqrt(sup_vf a) { return (sup_vf)wasm_f32x4_sqrt((v128_t)a); }
SUP_INLINE int sup_any(sup_vi mask) { return wasm_v128_any_true((v128_t)mask); }
#endif

#if SUP_ISA_NUMBER == SUP_ISA_avx2
SUP_INLINE sup_vf sup_select(sup_vi mask, sup_vf yes, sup_vf no) {
  return (sup_vf)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
}
#elif SUP_ISA_NUMBER == SUP_ISA_avx512
SUP_INLINE sup_vf sup_select(sup_vi mask, sup_vf yes, sup_vf no) {
  return (sup_vf)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)mask), (__m512)no, (__m512)yes);
}
#elif SUP_ISA_NUMBER == SUP_ISA_f64avx2
SUP_INLINE sup_vf sup_select(sup_vi mask, sup_vf yes, sup_vf no) {
  return (sup_vf)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
}
#elif SUP_ISA_NUMBER == SUP_ISA_f64avx512
SUP_INLINE sup_vf sup_select(sup_vi mask, sup_vf yes, sup_vf no) {
  return (sup_vf)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)mask), (__m512d)no,
                                      (__m512d)yes);
}
#else
SUP_INLINE sup_vf sup_select(sup_vi mask, sup_vf yes, sup_vf no) {
  return sup_from_bits((mask & sup_bits(yes)) | (~mask & sup_bits(no)));
}
#endif

#endif /* SUP_WIDTH */

/* A constant that is a real of the kernel's precision, in every lane. */
#define SUP_C(x) sup_vf_splat((sup_real)(x))
#define SUP_I(x) sup_vi_splat((sup_int)(x))

/* The format of a real. */
#if SUP_DOUBLE
#define SUP_FRACTION_BITS 52
#define SUP_EXPONENT_BIAS 1023
#else
#define SUP_FRACTION_BITS 23
#define SUP_EXPONENT_BIAS 127
#endif
#define SUP_SIGN_BIT (sup_bits(SUP_C(-0.0)))

/* a < b ? a : b and a < b ? b : a; so with a NaN sup_min gives b, sup_max gives a. Where one
 * instruction does just that, with the operands in that order, it is taken. */
#if SUP_ISA_NUMBER == SUP_ISA_sse2
SUP_INLINE sup_vf sup_min(sup_vf a, sup_vf b) { return (sup_vf)_mm_min_ps((__m128)a, (__m128)b); }
SUP_INLINE sup_vf sup_max(sup_vf a, sup_vf b) { return (sup_vf)_mm_max_ps((__m128)b, (__m128)a); }
#elif SUP_ISA_NUMBER == SUP_ISA_avx2
SUP_INLINE sup_vf sup_min(sup_vf a, sup_vf b) {
  return (sup_vf)_mm256_min_ps((__m256)a, (__m256)b);
}
SUP_INLINE sup_vf sup_max(sup_vf a, sup_vf b) {
  return (sup_vf)_mm256_max_ps((__m256)b, (__m256)a);
}
#elif SUP_ISA_NUMBER == SUP_ISA_avx512
SUP_INLINE sup_vf sup_min(sup_vf a, sup_vf b) {
  return (sup_vf)_mm512_min_ps((__m512)a, (__m512)b);
}
SUP_INLINE sup_vf sup_max(sup_vf a, sup_vf b) {
  return (sup_vf)_mm512_max_ps((__m512)b, (__m512)a);
}
#elif SUP_ISA_NUMBER == SUP_ISA_f64avx2
SUP_INLINE sup_vf sup_min(sup_vf a, sup_vf b) {
  return (sup_vf)_mm256_min_pd((__m256d)a, (__m256d)b);
}
SUP_INLINE sup_vf sup_max(sup_vf a, sup_vf b) {
  return (sup_vf)_mm256_max_pd((__m256d)b, (__m256d)a);
}
#elif SUP_ISA_NUMBER == SUP_ISA_f64avx512
SUP_INLINE sup_vf sup_min(sup_vf a, sup_vf b) {
  return (sup_vf)_mm512_min_pd((__m512d)a, (__m512d)b);
}
SUP_INLINE sup_vf sup_max(sup_vf a, sup_vf b) {
  return (sup_vf)_mm512_max_pd((__m512d)b, (__m512d)a);
}
#elif SUP_ISA_NUMBER == SUP_ISA_wasm128
SUP_INLINE sup_vf sup_min(sup_vf a, sup_vf b) {
  return (sup_vf)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}
SUP_INLINE sup_vf sup_max(sup_vf a, sup_vf b) {
  return (sup_vf)wasm_f32x4_pmax((v128_t)a, (v128_t)b);
}
#else
SUP_INLINE sup_vf sup_min(sup_vf a, sup_vf b) { return sup_select(sup_lt(a, b), a, b); }
SUP_INLINE sup_vf sup_max(sup_vf a, sup_vf b) { return sup_select(sup_lt(a, b), b, a); }
#endif
SUP_INLINE sup_vf sup_abs(sup_vf a) { return sup_from_bits(sup_bits(a) & ~SUP_SIGN_BIT); }
SUP_INLINE sup_vi sup_select_int(sup_vi mask, sup_vi yes, sup_vi no) {
  return (mask & yes) | (~mask & no);
}
SUP_INLINE int sup_all(sup_vi mask) { return !sup_any(~mask); }
SUP_INLINE sup_vi sup_is_nan(sup_vf a) { return ~sup_eq(a, a); }

/* `magnitude`, which has no sign, with the sign bit of `sign`. */
SUP_INLINE sup_vf sup_with_sign(sup_vf magnitude, sup_vf sign) {
  return sup_from_bits(sup_bits(magnitude) | (sup_bits(sign) & SUP_SIGN_BIT));
}

/* Nearest integer (ties to even), for |a| < 2^(SUP_FRACTION_BITS - 1): adding 1.5 * 2^fraction
 * pushes the digits after the point out, and leaves the integer in the low bits. */
#define SUP_ROUND_MAGIC ((sup_real)(3 * ((sup_int)1 << (SUP_FRACTION_BITS - 1))))
SUP_INLINE sup_vf sup_vf_round(sup_vf a) {
  return (a + SUP_C(SUP_ROUND_MAGIC)) - SUP_C(SUP_ROUND_MAGIC);
}

/* Two to the power n, for n within the exponents of normal numbers. */
SUP_INLINE sup_vf sup_exp2_int(sup_vi n) {
  return sup_from_bits(sup_shl(n + SUP_I(SUP_EXPONENT_BIAS), SUP_FRACTION_BITS));
}

#endif
