/* SPDX-License-Identifier: MIT */
/*
 * The surface technique on the GPU: one kernel per step, one block per tile of a character.
 *
 * The step itself is runtime/tiles_body.h; here is where its data lies. A launch covers up to
 * GROUPS models with all their characters; tiles of one character follow each other, so that
 * neighbouring tiles run at the same time and find each other's vertices in the cache.
 */
#include <cuda_runtime.h>

#include <string.h>

#define TILES_FUN static __device__ __forceinline__
#include "runtime/tiles_c.h"

#include "cuda/surface_batch.h"

TILES_FUN float as_float(uint u) { return __uint_as_float(u); }
TILES_FUN uint as_uint(float f) { return __float_as_uint(f); }
TILES_FUN float root(float a) { return sqrtf(a); }
TILES_FUN float inverse_root(float a) { return rsqrtf(a); }
TILES_FUN float cube_root(float a) { return cbrtf(a); }
TILES_FUN float floor1(float a) { return floorf(a); }

struct Ctx {
  const uint *__restrict__ model;
  const float *__restrict__ palette;
  const SurfaceGroup *group; /* in the kernel's parameters */
  float step[6];
  uint tied;
  const float *collider;
  float4 *history;
  uint4 *records;
  float4 *a, *b; /* x, damped velocity, rest position of each entry: 4, 4 and 1 numbers */
  float *c;
  float4 *bones; /* ten each: rows now, moved, moved last; scale */
  float4 *segments;
  uint *staged;
};

#define CTX_ONLY const Ctx &ctx,
#define CTX_TILE const Ctx &ctx, Tile t,
#define PASS_ONLY ctx,
#define PASS_TILE ctx, t,
#define MODEL(i) __ldg(ctx.model + (i))
#define MODEL4(i) __ldg((const uint4 *)(ctx.model + (i)))
#define STAGED(i) ctx.staged[i]
#define STAGED4(i) (*(const uint4 *)(ctx.staged + (i)))
#define MODEL_FLAGS ctx.group->flags
#define MODEL_TIED ctx.tied
#define MODEL_NUMBER(i) ctx.group->numbers[i]
#define PALETTE(i) __ldcg(ctx.palette + (i))
#define HISTORY(i) ctx.history[i]
#define PUT_HISTORY(i, v) ctx.history[i] = v
#define RECORD(set, half, lane) ctx.records[(2 * (set) + (half)) * ctx.group->lanes + (lane)]
#define STEP(i) ctx.step[i]
#define COLLIDER(i) ctx.collider[i]
#define NOW(k, r) ctx.bones[10 * (k) + (r)]
#define MOVED(k, r) ctx.bones[10 * (k) + 3 + (r)]
#define MOVED_LAST(k, r) ctx.bones[10 * (k) + 6 + (r)]
#define BONE_SCALE(k) ctx.bones[10 * (k) + 9].x
#define SEGMENT(i) ctx.segments[i]
#define ENTRY_A(i) ctx.a[i]
#define ENTRY_B(i) ctx.b[i]
#define ENTRY_C(i) ctx.c[i]
#include "runtime/tiles_body.h"

/* ---- Kernels ------------------------------------------------------------------------------------
 */

static __device__ __forceinline__ uint find_group(const SurfaceLaunch &launch, uint block) {
  uint g = 0;
  while (g + 1 < launch.group_count && block >= launch.groups[g + 1].first_block) g++;
  return g;
}

/* Which tile of which character a block has, and where things are. */
static __device__ __forceinline__ uint *open_block(const SurfaceLaunch &launch, Ctx &ctx,
                                                   uint *out_tile, uint *out_character) {
  extern __shared__ float4 shared[];
  const SurfaceGroup &group = launch.groups[find_group(launch, blockIdx.x)];
  const uint at = blockIdx.x - group.first_block;
  const uint character = at / group.tile_count, tile = at - character * group.tile_count;
  char *state = group.states + group.state_bytes * character;
  ctx.group = &group;
  ctx.model = group.words;
  ctx.palette = group.palettes + (size_t)12 * group.bone_count * character;
  for (int i = 0; i < 6; i++) ctx.step[i] = launch.step[i];
  ctx.tied = group.tied;
  ctx.collider = launch.colliders;
  ctx.history = (float4 *)(state + group.history);
  ctx.records = (uint4 *)(state + group.records);
  ctx.a = shared;
  ctx.b = ctx.a + launch.entries;
  ctx.c = (float *)(ctx.b + launch.entries);
  ctx.bones = (float4 *)(ctx.c + launch.entries);
  ctx.segments = ctx.bones + 10 * launch.bones;
  ctx.staged = (uint *)(ctx.segments + 2 * launch.segments);
  *out_tile = tile;
  *out_character = character;
  return (uint *)state + tile;
}

/* Numbers, slots and spokes of the tile go to shared memory while everything else is fetched. */
static __device__ __forceinline__ void stage(const Ctx &ctx, const Tile &t) {
  const uint words = staged_words(t);
  const uint *from = ctx.model + t.numbers;
  const unsigned to = (unsigned)__cvta_generic_to_shared(ctx.staged);
  for (uint i = 4 * threadIdx.x; i < words; i += 4 * blockDim.x) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 4 * i), "l"(from + i));
  }
  asm volatile("cp.async.commit_group;");
}

static __device__ __forceinline__ void staged_wait() { asm volatile("cp.async.wait_group 0;"); }

/* Kernels of a stream one after the other, but the next one may be started, and read what does not
 * change, while this one ends; what this one writes it sees after wait_for_last alone. */
static __device__ __forceinline__ void next_may_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
static __device__ __forceinline__ void wait_for_last() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* PLAIN: no model of the launch has flags, more than four influences, spokes of other weights than
 * the influences or an eta, and there are no colliders. */
template <int THREADS, int BLOCKS, bool PLAIN>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    step_tiles(const __grid_constant__ SurfaceLaunch launch) {
  Ctx ctx;
  uint index, character;
  uint *word = open_block(launch, ctx, &index, &character);
  const uint thread = threadIdx.x;
  Tile t = tile_open(ctx, index, 0, thread);
  if (PLAIN) {
    t.flags = t.extras = t.eta = 0;
    ctx.tied = 1;
    ctx.step[4] = ctx.step[5] = 0;
  }
  /* Of the model, which nobody writes: while the kernel before may still be at work. */
  const uint own_entry = thread < t.lanes ? thread : t.lanes - 1;
  const bool has_halo = thread < t.halo;
  Raw raw = tile_raw_model(ctx, t, own_entry), halo = raw;
  uint halo_lane = t.first;
  if (has_halo) {
    halo = tile_raw_model(ctx, t, t.lanes + thread);
    halo_lane = MODEL(t.halos + thread);
  }
  stage(ctx, t);
  next_may_start();
  wait_for_last();
  t = tile_turn(t, *word);
  raw = tile_raw_state(ctx, t, raw, t.first + own_entry);
  if (has_halo) halo = tile_raw_state(ctx, t, halo, halo_lane);
  t.scaled = __syncthreads_or(tile_bones(ctx, t, thread, blockDim.x));
  const Own own = tile_own(ctx, t, raw, thread);
  tile_entries(ctx, t, own, halo, thread, blockDim.x);
  staged_wait();
  __syncthreads();
  tile_solve(ctx, t, own, thread);
  if (thread == 0) *word = tile_next_word(t);
}

__global__ void __launch_bounds__(TILES_MOST)
    show_tiles(const __grid_constant__ SurfaceLaunch launch) {
  Ctx ctx;
  uint index, character;
  const uint *word = open_block(launch, ctx, &index, &character);
  const uint thread = threadIdx.x;
  const Tile t = tile_open(ctx, index, *word, thread);
  if (launch.normals) {
    tile_shown(ctx, t, thread, blockDim.x);
    __syncthreads();
  }
  if (thread >= t.lanes) return;
  const uint vertex = __ldg(ctx.group->vertices + t.first + thread);
  if (vertex == UINT32_MAX) return;
  const size_t v = ctx.group->first_vertex + (size_t)ctx.group->vertex_count * character + vertex;
  if (launch.positions) {
    const vec3 x = shown_x(ctx, t, t.first + thread);
    float *to = launch.positions + v * launch.position_stride;
    to[0] = x.x, to[1] = x.y, to[2] = x.z;
  }
  if (launch.normals) {
    const vec3 n = tile_normal(ctx, t, thread);
    float *to = launch.normals + v * launch.normal_stride;
    to[0] = n.x, to[1] = n.y, to[2] = n.z;
  }
}

__global__ void reset_tiles(uint *words, size_t stride_words, uint tiles, uint count) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tiles * count) return;
  uint *word = words + stride_words * (i / tiles) + i % tiles;
  *word = (*word & TILES_ODD) | 2u << TILES_FRESH;
}

/* ---- Launches -----------------------------------------------------------------------------------
 */

typedef void StepKernel(SurfaceLaunch launch);

/* Many blocks: four on a multiprocessor hide each other's waiting, though with 64 registers a
 * thread has to put some numbers away. Few: each should be done soon. */
static StepKernel *step_kernel(bool many, bool plain) {
  if (many) return plain ? step_tiles<256, 4, true> : step_tiles<256, 4, false>;
  return plain ? step_tiles<256, 2, true> : step_tiles<256, 2, false>;
}

cudaError_t sup_cuda_surface_allow(size_t shared) {
  const cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
  cudaError_t code = cudaFuncSetAttribute(show_tiles, most, (int)shared);
  for (int k = 0; k < 4 && code == cudaSuccess; k++) {
    code = cudaFuncSetAttribute(step_kernel(k / 2, k % 2), most, (int)shared);
  }
  return code;
}

void sup_cuda_launch_step(const SurfaceLaunch *launch, uint32_t blocks, uint32_t threads,
                          size_t shared, cudaStream_t stream) {
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = blocks <= SURFACE_FEW ? 1 : 0; /* many blocks would only be in the way */
  cudaLaunchKernelEx(&config, step_kernel(blocks > SURFACE_FEW, launch->plain), *launch);
}

void sup_cuda_launch_show(const SurfaceLaunch *launch, uint32_t blocks, uint32_t threads,
                          size_t shared, cudaStream_t stream) {
  show_tiles<<<blocks, threads, shared, stream>>>(*launch);
}

void sup_cuda_launch_reset(void *states, size_t state_bytes, uint32_t tiles, uint32_t count,
                           cudaStream_t stream) {
  reset_tiles<<<(tiles * count + 127) / 128, 128, 0, stream>>>((uint *)states, state_bytes / 4,
                                                               tiles, count);
}
