/* SPDX-License-Identifier: MIT */
/*
 * The modes technique on the GPU (the equations are in runtime/modes/modes.kernel.c).
 *
 * States are SupModesState blocks one after the other. A block of threads has CHARS characters, one
 * per lane of each of its warps. It reads their palettes once and keeps last palette and
 * change of velocity in shared memory, character fastest; the warps share the pairs of bones, each
 * lane sums 16 modes of its characters in registers, and the warps' sums are added in a fixed
 * order. CHARS is as large as shared memory allows for the number of bones.
 */
#include "cuda/device_finite.h"
#include "cuda/modes_batch.h"
#include "cuda/shared_memory.h"

#define WARPS 8
#define THREADS (32 * WARPS)
#define ROUND 4 /* warps whose sums are added at a time */
#define ELEMENTS 12
#define FARTHEST 1e18f

struct Shared {
  float *last, *change;   /* [12 * bones][CHARS], see place() */
  float *pushes, *forces; /* [16 * blocks][CHARS] */
  float *sums;            /* [ROUND][16][CHARS] */
  uint32_t *hurt;         /* [1] bits of the characters whose palettes are not finite */
  float *rows;            /* [WARPS][2][12 * 16] of the drive: the pair in hand, and the next */
};

template <uint32_t CHARS>
static __device__ __forceinline__ Shared shared_of(const ModesLaunch &l, float *memory) {
  const uint32_t bones = ELEMENTS * l.bone_count * CHARS, lanes = 16 * l.mode_blocks;
  Shared s;
  s.last = memory;
  s.change = s.last + bones;
  s.pushes = s.change + bones;
  s.forces = s.pushes + lanes * CHARS;
  s.sums = s.forces + lanes * CHARS;
  s.rows = s.sums + ROUND * 16 * CHARS;
  s.hurt = (uint32_t *)(s.rows + WARPS * 2 * ELEMENTS * 16);
  return s;
}

/* Where element e of a character's bones lies: turned about, so that neither four characters by
 * eight quadruples, as they are written, nor 32 characters, as they are read, meet a bank twice. */
template <uint32_t CHARS>
static __device__ __forceinline__ uint32_t place(uint32_t e, uint32_t character) {
  return e * CHARS + (character ^ (e / 4 % 8 * 4 & (CHARS - 1)));
}

/* The linear part of a bone, and its change of velocity. */
struct Bone {
  float l[9], a[12];
};

template <uint32_t CHARS>
static __device__ __forceinline__ Bone bone_of(const Shared &s, uint32_t bone, uint32_t character) {
  Bone b;
#pragma unroll
  for (int i = 0; i < 9; i++) b.l[i] = s.last[place<CHARS>(ELEMENTS * bone + i, character)];
#pragma unroll
  for (int i = 0; i < 12; i++) b.a[i] = s.change[place<CHARS>(ELEMENTS * bone + i, character)];
  return b;
}

static __device__ __forceinline__ float dot(const float *l, const float *a) {
  return l[0] * a[0] + l[1] * a[1] + l[2] * a[2];
}

/* 16 modes of each character += its number times a row of the drive, which all lanes read alike. */
template <int SETS>
static __device__ __forceinline__ void add_row(const float *row, const float *s, float (*sum)[16]) {
#pragma unroll
  for (int m = 0; m < 16; m += 4) {
    const float4 d = *(const float4 *)(row + m);
#pragma unroll
    for (int k = 0; k < SETS; k++) {
      sum[k][m] += d.x * s[k];
      sum[k][m + 1] += d.y * s[k];
      sum[k][m + 2] += d.z * s[k];
      sum[k][m + 3] += d.w * s[k];
    }
  }
}

/* A warp fetches the 12 rows of one pair into shared memory, in the background. */
static __device__ __forceinline__ void fetch_pair(float *to, const float *from, uint32_t lane) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at + 16 * lane),
               "l"(from + 4 * lane));
  if (lane < 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at + 512 + 16 * lane),
                 "l"(from + 128 + 4 * lane));
  }
  asm volatile("cp.async.commit_group;");
}

/* The pairs of this warp for 16 modes: sum over pairs of <D, L_c^T a_b + L_b^T a_c>. */
template <uint32_t CHARS, int SETS>
static __device__ __forceinline__ void drive_pairs(const ModesLaunch &l, const Shared &s,
                                                   const float *table, uint32_t begin, uint32_t end,
                                                   uint32_t lane, float (*sum)[16]) {
  float *rows = s.rows + threadIdx.x / 32 * (2 * ELEMENTS * 16);
  uint32_t held = UINT32_MAX; /* pairs of one bone follow each other */
  Bone c[SETS] = {};
  if (begin < end) fetch_pair(rows, table + (size_t)(ELEMENTS * 16) * begin, lane);
  for (uint32_t p = begin; p < end; p++) {
    const uint32_t first = __ldg(l.pairs + 2 * p), second = __ldg(l.pairs + 2 * p + 1);
    const float *d = rows + (p - begin) % 2 * (ELEMENTS * 16);
    if (p + 1 < end) {
      fetch_pair(rows + (p + 1 - begin) % 2 * (ELEMENTS * 16),
                 table + (size_t)(ELEMENTS * 16) * (p + 1), lane);
    }
    float number[12][SETS];
#pragma unroll
    for (int k = 0; k < SETS; k++) {
      const uint32_t character = (lane + 32 * k) % CHARS; /* spare lanes repeat one */
      if (first != held) c[k] = bone_of<CHARS>(s, first, character);
      const Bone b = bone_of<CHARS>(s, second, character);
#pragma unroll
      for (int e = 0; e < 12; e++) {
        number[e][k] = dot(c[k].l + e % 3 * 3, b.a + e / 3 * 3);
        if (first != second) number[e][k] += dot(b.l + e % 3 * 3, c[k].a + e / 3 * 3);
      }
    }
    held = first;
    if (p + 1 < end) {
      asm volatile("cp.async.wait_group 1;");
    } else {
      asm volatile("cp.async.wait_group 0;");
    }
    __syncwarp();
#pragma unroll
    for (int e = 0; e < 12; e++) add_row<SETS>(d + 16 * e, number[e], sum);
    __syncwarp();
  }
}

/* The same translation for all bones: only the last column of the table counts. */
template <uint32_t CHARS, int SETS>
static __device__ __forceinline__ void weigh_pairs(const ModesLaunch &l, const Shared &s,
                                                   const float *table, uint32_t begin, uint32_t end,
                                                   uint32_t lane, float (*sum)[16]) {
  for (uint32_t p = begin; p < end; p++) {
    const uint32_t c = __ldg(l.pairs + 2 * p), b = __ldg(l.pairs + 2 * p + 1);
    const float *d = table + (size_t)(ELEMENTS * 16) * p;
#pragma unroll
    for (int i = 0; i < 3; i++) {
      float both[SETS];
#pragma unroll
      for (int k = 0; k < SETS; k++) {
        both[k] = 0;
#pragma unroll
        for (int j = 0; j < 3; j++) {
          const uint32_t e = 3 * i + j, character = (lane + 32 * k) % CHARS;
          both[k] += s.last[place<CHARS>(ELEMENTS * c + e, character)] * l.gravity[j];
          if (c != b) both[k] += s.last[place<CHARS>(ELEMENTS * b + e, character)] * l.gravity[j];
        }
      }
      add_row<SETS>(d + 16 * (9 + i), both, sum);
    }
  }
}

/* out[16 * block + mode][character]: the warps' parts, in their order. */
template <uint32_t CHARS>
static __device__ __forceinline__ void drive(const ModesLaunch &l, const Shared &s, uint32_t block,
                                             bool weight, float *out) {
  constexpr int SETS = CHARS > 32 ? CHARS / 32 : 1;
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t begin = l.pair_count * warp / WARPS, end = l.pair_count * (warp + 1) / WARPS;
  const float *table = l.drive + (size_t)(ELEMENTS * 16) * block * l.pair_count;
  float sum[SETS][16] = {};
  if (weight) {
    weigh_pairs<CHARS, SETS>(l, s, table, begin, end, lane, sum);
  } else {
    drive_pairs<CHARS, SETS>(l, s, table, begin, end, lane, sum);
  }
  constexpr uint32_t part = 16 * CHARS, own = (part + THREADS - 1) / THREADS;
  float total[own] = {};
#pragma unroll
  for (uint32_t round = 0; round < WARPS / ROUND; round++) {
    if (warp / ROUND == round && lane < CHARS) {
#pragma unroll
      for (int k = 0; k < SETS; k++) {
#pragma unroll
        for (int m = 0; m < 16; m++) {
          s.sums[(16 * (warp % ROUND) + m) * CHARS + lane + 32 * k] = sum[k][m];
        }
      }
    }
    __syncthreads();
#pragma unroll
    for (uint32_t j = 0; j < own; j++) {
      const uint32_t i = threadIdx.x + THREADS * j;
#pragma unroll
      for (uint32_t w = 0; w < ROUND; w++) total[j] += i < part ? s.sums[part * w + i] : 0;
    }
    __syncthreads();
  }
#pragma unroll
  for (uint32_t j = 0; j < own; j++) {
    const uint32_t i = threadIdx.x + THREADS * j;
    if (i < part) out[part * block + i] = total[j];
  }
  __syncthreads();
}

static __device__ __forceinline__ bool finite4(float4 v) {
  return cuda_finite3(v.x, v.y, v.z) && cuda_finite(v.w);
}

/* One quadruple of a character's bones: changes of velocity out, the state brought up to date. */
template <uint32_t CHARS>
static __device__ __forceinline__ void read_quad(const ModesLaunch &l, const Shared &s,
                                                 uint32_t first, uint32_t character, uint32_t k) {
  char *state = l.states + l.state_bytes * (first + character);
  float4 *palette = (float4 *)(state + l.palette) + k;
  float4 *velocity = (float4 *)(state + l.velocity) + k;
  const uint32_t fresh = ((const SupModesState *)state)->fresh;
  float4 now =
      __ldcs((const float4 *)(l.palettes + (size_t)12 * l.bone_count * (first + character)) + k);
  const float4 last = __ldcs(palette), speed = __ldcs(velocity);
  if (!finite4(now)) { /* what was is kept: no such number enters */
    now = last;
    atomicOr(s.hurt, 1u << character);
  }
  const float rate = fresh == 2 ? 0 : l.rate;
  const float4 next = make_float4((now.x - last.x) * rate, (now.y - last.y) * rate,
                                  (now.z - last.z) * rate, (now.w - last.w) * rate);
  const float lasts[4] = {last.x, last.y, last.z, last.w};
  const float changes[4] = {next.x - speed.x, next.y - speed.y, next.z - speed.z, next.w - speed.w};
#pragma unroll
  for (int e = 0; e < 4; e++) {
    s.last[place<CHARS>(4 * k + e, character)] = lasts[e];
    s.change[place<CHARS>(4 * k + e, character)] = fresh ? 0 : changes[e];
  }
  __stcs(palette, now);
  __stcs(velocity, next);
}

/* A warp takes eight quadruples of four characters at a time. */
template <uint32_t CHARS>
static __device__ __forceinline__ void read_bones(const ModesLaunch &l, const Shared &s,
                                                  uint32_t first, uint32_t count) {
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t quads = 3 * l.bone_count, parts = (quads + 7) / 8;
  for (uint32_t i = warp; i < parts * (CHARS / 4); i += WARPS) {
    const uint32_t k = i % parts * 8 + lane % 8, character = i / parts * 4 + lane / 8;
    if (k < quads && character < count) read_quad<CHARS>(l, s, first, character, k);
  }
}

/* The palettes of now in place of the last ones, for gravity. */
template <uint32_t CHARS>
static __device__ __forceinline__ void read_now(const ModesLaunch &l, const Shared &s,
                                                uint32_t first, uint32_t count) {
  const uint32_t quads = 3 * l.bone_count;
  for (uint32_t i = threadIdx.x; i < quads * count; i += THREADS) {
    const uint32_t character = i / quads, k = i % quads;
    float4 now =
        __ldg((const float4 *)(l.palettes + (size_t)12 * l.bone_count * (first + character)) + k);
    if (!finite4(now)) now = make_float4(0, 0, 0, 0); /* of a character that is not stepped */
    s.last[place<CHARS>(4 * k, character)] = now.x;
    s.last[place<CHARS>(4 * k + 1, character)] = now.y;
    s.last[place<CHARS>(4 * k + 2, character)] = now.z;
    s.last[place<CHARS>(4 * k + 3, character)] = now.w;
  }
}

/* One closed-form step of each oscillator. Characters whose palettes were not finite stay as they
 * are and begin again with the next step. */
template <uint32_t CHARS>
static __device__ __forceinline__ void swing(const ModesLaunch &l, const Shared &s, uint32_t first,
                                             uint32_t count) {
  const uint32_t lanes = 16 * l.mode_blocks;
  for (uint32_t i = threadIdx.x; i < lanes * count; i += THREADS) {
    const uint32_t character = i / lanes, k = i % lanes;
    if (*s.hurt >> character & 1) continue;
    char *state = l.states + l.state_bytes * (first + character);
    float *qs = (float *)(state + l.q), *vs = (float *)(state + l.v);
    float *befores = (float *)(state + l.force);
    const uint32_t fresh = ((const SupModesState *)state)->fresh;
    const float now = l.heavy ? s.forces[k * CHARS + character] : 0;
    if (fresh) {
      const float stiffness = __ldg(l.oscillators + (k / 16 * SUP_MODES_ROWS) * 16 + k % 16);
      qs[k] = now / stiffness;
      vs[k] = 0;
      befores[k] = now;
      continue;
    }
    const float *t = l.transitions + (size_t)(12 * 16) * (k / 16) + k % 16;
    const float q = qs[k], v = vs[k] - s.pushes[k * CHARS + character], before = befores[k];
    const float rise = now - before;
    float q1 = __ldg(t) * q + __ldg(t + 16) * v, v1 = __ldg(t + 32) * q + __ldg(t + 48) * v;
    q1 += __ldg(t + 64) * before + __ldg(t + 80) * rise;
    v1 += __ldg(t + 128) * before + __ldg(t + 144) * rise;
    const bool sound = fabsf(q1) < FARTHEST && fabsf(v1) < FARTHEST;
    qs[k] = sound ? q1 : 0.0f;
    vs[k] = sound ? v1 : 0.0f;
    befores[k] = now;
  }
}

template <uint32_t CHARS>
__global__ void __launch_bounds__(THREADS, 2) step_modes(const __grid_constant__ ModesLaunch l) {
  extern __shared__ float4 memory[];
  const Shared s = shared_of<CHARS>(l, (float *)memory);
  const uint32_t first = blockIdx.x * CHARS;
  const uint32_t count = l.count - first < CHARS ? l.count - first : CHARS;
  if (threadIdx.x == 0) *s.hurt = 0;
  if (count < CHARS) { /* lanes without a character compute, but with numbers */
    for (uint32_t i = threadIdx.x; i < 2 * ELEMENTS * l.bone_count * CHARS; i += THREADS) {
      s.last[i] = 0;
    }
  }
  __syncthreads();
  read_bones<CHARS>(l, s, first, count);
  __syncthreads();
  for (uint32_t block = 0; block < l.mode_blocks; block++) {
    drive<CHARS>(l, s, block, false, s.pushes);
  }
  if (l.heavy) {
    read_now<CHARS>(l, s, first, count);
    __syncthreads();
    for (uint32_t block = 0; block < l.mode_blocks; block++) {
      drive<CHARS>(l, s, block, true, s.forces);
    }
  }
  swing<CHARS>(l, s, first, count);
  __syncthreads();
  if (threadIdx.x < count) {
    SupModesState *state = (SupModesState *)(l.states + l.state_bytes * (first + threadIdx.x));
    if (*s.hurt >> threadIdx.x & 1) {
      state->fresh = 2;
    } else if (state->fresh) {
      state->fresh--;
    }
    state->balanced = 0;
  }
}

__global__ void store_transitions(const __grid_constant__ ModesTransitions given, float *to) {
  const uint32_t i = threadIdx.x;
  if (i < 12 * 16) to[i] = given.rows[i];
}

__global__ void reset_modes(char *states, size_t state_bytes, uint32_t count) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) ((SupModesState *)(states + state_bytes * i))->fresh = 2;
}

__global__ void fill_modes(char *states, size_t state_bytes, uint32_t count,
                           const __grid_constant__ SupModesState start) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) *(SupModesState *)(states + state_bytes * i) = start;
}

__global__ void weigh_modes(const __grid_constant__ ModesLaunch l, float lod, float fade,
                            float *weights) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)l.mode_count * l.count) return;
  const uint32_t character = (uint32_t)(i / l.mode_count), k = (uint32_t)(i % l.mode_count);
  const float *q = (const float *)(l.states + l.state_bytes * character + l.q);
  const float *rows = l.oscillators + (k / 16 * SUP_MODES_ROWS) * 16 + k % 16;
  const float max_weight = rows[16 * SUP_MODES_MAX_WEIGHT], fraction = lod - (float)k;
  const float weight = rows[16 * SUP_MODES_GAIN] * q[k];
  const float near = weight > max_weight ? max_weight : weight < -max_weight ? -max_weight : weight;
  weights[i] = near * (fraction >= 1 ? 1 : fraction > 0 ? fraction : 0) * fade;
}

/* ---- Launches -----------------------------------------------------------------------------------
 */

typedef void ModesKernel(ModesLaunch l);

static ModesKernel *modes_kernel(uint32_t characters) {
  switch (characters) {
    case 32: return step_modes<32>;
    case 16: return step_modes<16>;
    default: return step_modes<8>;
  }
}

static size_t shared_bytes(const ModesLaunch *l, uint32_t characters) {
  const size_t floats = 2 * (size_t)ELEMENTS * l->bone_count + 2 * (size_t)16 * l->mode_blocks;
  return sizeof(float) * (characters * (floats + ROUND * 16) + WARPS * 2 * ELEMENTS * 16 + 4);
}

/* As many characters per block as the GPU's shared memory holds. */
cudaError_t sup_cuda_modes_allow(ModesLaunch *io) {
  int most = 0;
  cudaError_t code = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  if (code) return code;
  uint32_t characters = 32;
  while (characters > 8 && shared_bytes(io, characters) > (size_t)most) characters /= 2;
  io->characters = characters;
  return cuda_allow_shared((const void *)modes_kernel(characters), shared_bytes(io, characters));
}

void sup_cuda_launch_modes(const ModesLaunch *l, cudaStream_t stream) {
  ModesKernel *kernel = modes_kernel(l->characters);
  kernel<<<(l->count + l->characters - 1) / l->characters, THREADS, shared_bytes(l, l->characters),
           stream>>>(*l);
}

void sup_cuda_launch_transitions(const ModesTransitions *t, float *to, cudaStream_t stream) {
  store_transitions<<<1, 12 * 16, 0, stream>>>(*t, to);
}

void sup_cuda_launch_modes_reset(char *states, size_t state_bytes, uint32_t count,
                                 cudaStream_t stream) {
  reset_modes<<<(count + 127) / 128, 128, 0, stream>>>(states, state_bytes, count);
}

void sup_cuda_launch_modes_fill(char *states, size_t state_bytes, uint32_t count,
                                const SupModesState *start, cudaStream_t stream) {
  fill_modes<<<(count + 127) / 128, 128, 0, stream>>>(states, state_bytes, count, *start);
}

void sup_cuda_launch_weights(const ModesLaunch *l, float lod, float fade, float *weights,
                             cudaStream_t stream) {
  const size_t items = (size_t)l->mode_count * l->count;
  weigh_modes<<<(uint32_t)((items + 127) / 128), 128, 0, stream>>>(*l, lod, fade, weights);
}
