/* SPDX-License-Identifier: MIT */
/*
 * Linear blend skinning on the GPU, of the packed skin as it is: one thread per lane of a
 * character (the equations are in anim/skin.kernel.c). Sixteen threads in a row read a row of the
 * block's record, and all of them the same matrix.
 */
#include "cuda/device_finite.h"
#include "cuda/skin_batch.h"

struct Vector {
  float x, y, z;
};

static __device__ __forceinline__ Vector row_at(const float *rows, uint32_t lane) {
  return {__ldg(rows + lane), __ldg(rows + 16 + lane), __ldg(rows + 32 + lane)};
}

static __device__ __forceinline__ Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Choi and Ko's mean over the turns from none to w, applied to u. */
static __device__ Vector warp(Vector w, Vector u) {
  const float z = w.x * w.x + w.y * w.y + w.z * w.z;
  float a, b;
  if (z < 1e-2f) {
    a = 0.5f - z * (1.0f / 24 - z * (1.0f / 720));
    b = 1.0f / 6 - z * (1.0f / 120 - z * (1.0f / 5040));
  } else {
    float sine, cosine;
    const float t = sqrtf(z);
    sincosf(t, &sine, &cosine);
    a = (1 - cosine) / z;
    b = (t - sine) / (z * t);
  }
  const Vector once = cross(w, u), twice = cross(w, once);
  return {u.x + a * once.x + b * twice.x, u.y + a * once.y + b * twice.y,
          u.z + a * once.z + b * twice.z};
}

static __device__ __forceinline__ void add_row(const float *rows, uint32_t lane, float weight,
                                               Vector *sum) {
  const Vector row = row_at(rows, lane);
  sum->x += row.x * weight, sum->y += row.y * weight, sum->z += row.z * weight;
}

/* A skin has no past: where a position is not finite it is done again CAREFULly, with bones that
 * are not finite at rest and without morph targets of such a weight. */
template <bool CAREFUL>
static __device__ Vector morphed(const SkinLaunch &l, const float *weights, uint32_t block,
                                 uint32_t lane, Vector rest) {
  const uint32_t end = __ldg(l.morph_first + block + 1);
  Vector u = {0, 0, 0}, w = {0, 0, 0};
  bool turned = false;
  for (uint32_t s = __ldg(l.morph_first + block); s < end; s++) {
    const uint32_t target = __ldg(l.morph_targets + s);
    const float given = __ldg(weights + target);
    const float weight = !CAREFUL || cuda_finite(given) ? given : 0.0f;
    if (l.morph_turns && target >= l.turn_first) {
      add_row(l.morph_offsets + (size_t)48 * s, lane, weight, &u);
      add_row(l.morph_turns + (size_t)48 * s, lane, weight, &w);
      turned = true;
    } else {
      add_row(l.morph_offsets + (size_t)48 * s, lane, weight, &rest);
    }
  }
  if (!turned) return rest;
  u = warp(w, u);
  return {rest.x + u.x, rest.y + u.y, rest.z + u.z};
}

/* Three columns and the translation. */
struct Matrix {
  float m[12];
};

template <bool CAREFUL>
static __device__ __forceinline__ Matrix blend(const SkinLaunch &l, uint32_t character,
                                               uint32_t block, const float *weights) {
  const float *palette = l.palettes + (size_t)12 * l.bone_count * character;
  const uint32_t end = __ldg(l.bone_first + block + 1);
  Matrix sum = {};
  for (uint32_t k = __ldg(l.bone_first + block); k < end; k++, weights += 16) {
    const float4 *bone = (const float4 *)(palette + 12 * __ldg(l.bones + k));
    const float w = __ldg(weights);
    const float4 a = __ldg(bone), b = __ldg(bone + 1), c = __ldg(bone + 2);
    const float e[12] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
    bool sound = true;
#pragma unroll
    for (int j = 0; j < 12; j++) sound = sound && (!CAREFUL || cuda_finite(e[j]));
#pragma unroll
    for (int j = 0; j < 12; j++) sum.m[j] += w * (sound ? e[j] : j < 9 && j % 4 == 0 ? 1.0f : 0.0f);
  }
  return sum;
}

static __device__ __forceinline__ Vector point(const Matrix &t, Vector p) {
  const float *m = t.m;
  return {m[0] * p.x + m[3] * p.y + m[6] * p.z + m[9], m[1] * p.x + m[4] * p.y + m[7] * p.z + m[10],
          m[2] * p.x + m[5] * p.y + m[8] * p.z + m[11]};
}

__global__ void __launch_bounds__(128) skin_lanes(const __grid_constant__ SkinLaunch l) {
  const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t character = (uint32_t)(i / (16 * l.block_count));
  if (character >= l.count) return;
  const uint32_t at = (uint32_t)(i - (uint64_t)character * (16 * l.block_count));
  const uint32_t block = at / 16, lane = at % 16;
  const float *record = l.records + 16 * ((size_t)l.rows * block + __ldg(l.bone_first + block));
  const float *weights = record + 16 * l.rows + lane;
  const float *morphs =
      l.weights && l.positions ? l.weights + (size_t)l.morph_count * character : NULL;
  Matrix m = blend<false>(l, character, block, weights);
  if (at >= l.vertex_count) return; /* spare lanes */
  const size_t v = l.first_vertex + (size_t)l.vertex_count * character + __ldg(l.order + at);
  const Vector rest = row_at(record, lane);
  Vector x = point(m, morphs ? morphed<false>(l, morphs, block, lane, rest) : rest);
  if (!cuda_finite3(x.x, x.y, x.z)) {
    m = blend<true>(l, character, block, weights);
    x = point(m, morphs ? morphed<true>(l, morphs, block, lane, rest) : rest);
  }
  if (l.positions) {
    float *to = l.positions + v * l.position_stride;
    to[0] = x.x, to[1] = x.y, to[2] = x.z;
  }
  if (l.normals) {
    const Vector n = row_at(record + 48, lane);
    float *to = l.normals + v * l.normal_stride;
    to[0] = m.m[0] * n.x + m.m[3] * n.y + m.m[6] * n.z;
    to[1] = m.m[1] * n.x + m.m[4] * n.y + m.m[7] * n.z;
    to[2] = m.m[2] * n.x + m.m[5] * n.y + m.m[8] * n.z;
  }
}

void sup_cuda_launch_skin(const SkinLaunch *l, cudaStream_t stream) {
  const uint64_t lanes = (uint64_t)16 * l->block_count * l->count;
  skin_lanes<<<(uint32_t)((lanes + 127) / 128), 128, 0, stream>>>(*l);
}
