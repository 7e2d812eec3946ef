/* SPDX-License-Identifier: MIT */
/* What tiles_body.h needs of a language, for C and for CUDA's C++. TILES_FUN says how functions are
 * declared: static inline, or static __device__ as well. */
#ifndef SUP_SRC_RUNTIME_TILES_C_H
#define SUP_SRC_RUNTIME_TILES_C_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tiles/tiles_layout.h"

#define FUN TILES_FUN
#ifdef __CUDACC__
#define FUN_RARE static __device__ __noinline__
#else
#define FUN_RARE TILES_FUN
#endif
#define BEGIN_STRUCT(name) typedef struct name {
#define END_STRUCT(name) \
  }                      \
  name;
#ifdef __cplusplus
#define MAKE(type) type
#else
#define MAKE(type) (type)
#define uint(x) ((uint)(x))
#endif

typedef unsigned int uint;
typedef struct vec3 {
  float x, y, z;
} vec3;
#ifdef __CUDACC__
typedef float4 vec4;
typedef uint4 uvec4;
#else
typedef struct vec4 {
  float x, y, z, w;
} vec4;
typedef struct uvec4 {
  uint x, y, z, w;
} uvec4;
#endif

#define V3(a, b, c) (MAKE(vec3){a, b, c})
#define V4(a, b, c, d) (MAKE(vec4){a, b, c, d})
#define U4(a, b, c, d) (MAKE(uvec4){a, b, c, d})

FUN vec3 add3(vec3 a, vec3 b) { return V3(a.x + b.x, a.y + b.y, a.z + b.z); }
FUN vec3 sub3(vec3 a, vec3 b) { return V3(a.x - b.x, a.y - b.y, a.z - b.z); }
FUN vec3 scale3(vec3 a, float s) { return V3(a.x * s, a.y * s, a.z * s); }
FUN vec3 mad3(vec3 a, vec3 b, float s) { return V3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s); }
FUN float dot3(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
FUN vec3 cross3(vec3 a, vec3 b) {
  return V3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
#ifdef __CUDACC__
FUN float smaller(float a, float b) { return fminf(a, b); }
FUN float larger(float a, float b) { return fmaxf(a, b); }
#else
FUN float smaller(float a, float b) { return a < b ? a : b; }
FUN float larger(float a, float b) { return a < b ? b : a; }
FUN float clamp01(float a) { return smaller(larger(a, 0.0f), 1.0f); }
FUN float one_over(float a) { return 1.0f / a; }
#endif
FUN uint smaller_uint(uint a, uint b) { return a < b ? a : b; }
FUN vec3 larger3(vec3 a, vec3 b) {
  return V3(larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z));
}
FUN vec3 abs3(vec3 a) {
  return V3(a.x < 0 ? -a.x : a.x, a.y < 0 ? -a.y : a.y, a.z < 0 ? -a.z : a.z);
}
FUN int to_int(float a) { return (int)a; }
FUN uint to_uint(int a) { return (uint)a; }
FUN uint to_uint_f(float a) { return (uint)a; }
FUN int to_signed(uint a) { return (int)a; }
FUN float to_float(int a) { return (float)a; }
FUN float to_float_u(uint a) { return (float)a; }
FUN bool is_finite(float a) { return a - a == 0.0f; }

#endif
