/* SPDX-License-Identifier: MIT */
/*
 * The surface technique on the GPU: one kernel per step, one block per tile of a character.
 *
 * The step itself is runtime/tiles/tiles_body.h; here is where its data lies. A launch covers up to
 * GROUPS models with all their characters; tiles of one character follow each other, so that
 * neighbouring tiles run at the same time and find each other's vertices in the cache.
 */
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define TILES_FUN static __device__ __forceinline__
#include "runtime/tiles/tiles_c.h"

#include "cuda/shared_memory.h"
#include "cuda/surface_batch.h"

#define MANY 4 /* blocks on a multiprocessor, where there are many */

struct SurfaceRoom {
  uint entries, bones, segments;
};

static constexpr __host__ __device__ SurfaceRoom surface_room(SurfaceCase what) {
  return what == SURFACE_LARGE ? SurfaceRoom{TILES_ENTRIES, TILES_BONES, TILES_SEGMENTS}
                               : SurfaceRoom{SURFACE_ENTRIES, SURFACE_BONES, SURFACE_SEGMENTS};
}

TILES_FUN float as_float(uint u) { return __uint_as_float(u); }
TILES_FUN uint as_uint(float f) { return __float_as_uint(f); }
TILES_FUN float root(float a) { return sqrtf(a); }
TILES_FUN float inverse_root(float a) { return rsqrtf(a); }
TILES_FUN float cube_root(float a) { return cbrtf(a); }
TILES_FUN float clamp01(float a) { return __saturatef(a); }
TILES_FUN float one_over(float a) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
}
TILES_FUN float low_half(uint word) { return __half2float(__ushort_as_half(word & 0xffff)); }
TILES_FUN float high_half(uint word) { return __half2float(__ushort_as_half(word >> 16)); }
TILES_FUN uint two_halves(float low, float high) {
  const __half2 both = __floats2half2_rn(low, high);
  return __half_as_ushort(both.x) | (uint)__half_as_ushort(both.y) << 16;
}

struct Ctx {
  const uint *__restrict__ model;
  const float *__restrict__ palette;
  const SurfaceGroup *group; /* in the kernel's parameters */
  float step[6];
  uint tied, whole;
  const float *collider;
  uint *words; /* of the character's tiles */
  float4 *history;
  uint4 *records;
  float4 *a, *b; /* x, damped velocity, rest position of each entry: 4, 4 and 1 numbers */
  float *c;
  float4 *bones; /* nine each: rows now, moved, moved last; an odd number suits the banks */
  float4 *segments;
  float *scales;
  uint *staged;
  float4 *goals, *volumes; /* what one thread of a pair tells the other */
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
#define MODEL_WHOLE ctx.whole
#define MODEL_BONES ctx.group->bone_count
#define MODEL_NUMBER(i) ctx.group->numbers[i]
#define PALETTE(i) __ldcg(ctx.palette + (i))
#define HISTORY(i) ctx.history[i]
#define PUT_HISTORY(i, v) ctx.history[i] = v
#define RECORD(set, half, lane) ctx.records[(2 * (set) + (half)) * ctx.group->lanes + (lane)]
#define STEP(i) ctx.step[i]
#define COLLIDER(i) ctx.collider[i]
#define NOW(k, r) ctx.bones[9 * (k) + (r)]
#define MOVED(k, r) ctx.bones[9 * (k) + 3 + (r)]
#define MOVED_LAST(k, r) ctx.bones[9 * (k) + 6 + (r)]
#define BONE_SCALE(k) ctx.scales[k]
#define SEGMENT(i) ctx.segments[i]
#define ENTRY_A(i) ctx.a[i]
#define ENTRY_B(i) ctx.b[i]
#define ENTRY_C(i) ctx.c[i]
#define AT_A(o) (*(const float4 *)((const char *)ctx.a + (o)))
#define AT_B(o) (*(const float4 *)((const char *)ctx.b + (o)))
#define AT_C(o) (*(const float *)((const char *)ctx.c + (o) / 4))
#define NOT_UNROLLED _Pragma("unroll 1")
#include "runtime/tiles/tiles_body.h"

/* ---- Kernels ------------------------------------------------------------------------------------
 */

static __device__ __forceinline__ uint find_group(const SurfaceLaunch &launch, uint block) {
  uint g = 0;
  while (g + 1 < launch.group_count && block >= launch.groups[g + 1].first_block) g++;
  return g;
}

/* Where the things of a character are. */
static __device__ __forceinline__ void open_character(Ctx &ctx, uint character) {
  const SurfaceGroup &group = *ctx.group;
  char *state = group.states + group.state_bytes * character;
  ctx.palette = group.palettes + (size_t)12 * group.bone_count * character;
  ctx.words = (uint *)state;
  ctx.history = (float4 *)(state + group.history);
  ctx.records = (uint4 *)(state + group.records);
}

/* Which tile of which character a block has, and where things are in shared memory: at fixed
 * places. */
template <SurfaceCase WHAT>
static __device__ __forceinline__ uint open_block(const SurfaceLaunch &launch, Ctx &ctx,
                                                  uint *out_character) {
  extern __shared__ float4 shared[];
  const SurfaceGroup &group = launch.groups[find_group(launch, blockIdx.x)];
  const uint at = blockIdx.x - group.first_block;
  const uint character = (uint)((uint64_t)at * group.tile_factor >> group.tile_shift);
  constexpr SurfaceRoom room = surface_room(WHAT);
  ctx.group = &group;
  ctx.model = group.words;
  for (int i = 0; i < 6; i++) ctx.step[i] = launch.step[i];
  ctx.tied = group.tied;
  ctx.whole = group.whole;
  ctx.collider = launch.colliders;
  ctx.a = shared;
  ctx.b = ctx.a + room.entries;
  ctx.c = (float *)(ctx.b + room.entries);
  ctx.bones = (float4 *)(ctx.c + room.entries);
  ctx.segments = ctx.bones + 9 * room.bones;
  ctx.scales = (float *)(ctx.segments + 2 * room.segments);
  ctx.staged = (uint *)(ctx.scales + room.bones);
  *out_character = character;
  return at - character * group.tile_count;
}

/* Numbers, slots and spokes of the tile go to shared memory while everything else is fetched. */
static __device__ __forceinline__ void stage(const Ctx &ctx, const Tile &t) {
  const uint words = t.halos - t.numbers;
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

static __device__ __forceinline__ Flesh chosen(uint second, const Flesh &a, const Flesh &b) {
  Flesh f;
  f.x = second ? b.x : a.x;
  f.dx = second ? b.dx : a.dx;
  f.q_xy = second ? b.q_xy : a.q_xy;
  f.q_zw = second ? b.q_zw : a.q_zw;
  return f;
}

/* The record of a lane. Where few blocks run, time is waiting: both sets are fetched before it is
 * known which one counts. */
template <bool FEW>
static __device__ __forceinline__ Flesh fetch_flesh(const Ctx &ctx, Tile t, uint lane,
                                                    const uint *word) {
  if (!FEW) return tile_flesh(ctx, tile_turn(t, *word), lane);
  t.set = 0;
  const Flesh a = tile_flesh(ctx, t, lane);
  t.set = 1;
  return chosen(*word & TILES_ODD, a, tile_flesh(ctx, t, lane));
}

template <bool FEW>
static __device__ __forceinline__ vec4 fetch_history(const Ctx &ctx, uint bone, uint i,
                                                     const uint *word) {
  if (!FEW) return HISTORY(row_past(ctx, *word & TILES_ODD, bone, i));
  const vec4 a = HISTORY(row_past(ctx, 0, bone, i)), b = HISTORY(row_past(ctx, 1, bone, i));
  return *word & TILES_ODD ? b : a;
}

template <bool FEW>
static __device__ __forceinline__ vec4 fetch_moved(const Ctx &ctx, uint bone, uint i,
                                                   const uint *word) {
  if (!FEW) return HISTORY(row_past(ctx, *word & TILES_ODD, bone, i) + 3);
  const vec4 a = HISTORY(row_past(ctx, 0, bone, i) + 3), b = HISTORY(row_past(ctx, 1, bone, i) + 3);
  return *word & TILES_ODD ? b : a;
}

/* What the compiler may know of a case. */
template <SurfaceCase WHAT>
static __device__ __forceinline__ Tile tile_plain(Ctx &ctx, Tile t) {
  if (WHAT >= SURFACE_ANY) return t;
  t.flags = WHAT == SURFACE_UNDELAYED ? FLAG_UNDELAYED : 0;
  t.extras = 0;
  t.eta = WHAT == SURFACE_DELAYED;
  ctx.tied = ctx.whole = 1;
  ctx.step[4] = ctx.step[5] = 0;
  return t;
}

/* SURFACE_PLAIN: no model of the launch has flags, more than four influences, spokes of other
 * weights than the influences, lanes with a gamma and fewer, or an eta; there are no colliders and
 * no feed. SURFACE_DELAYED: the same with etas. SURFACE_UNDELAYED: the same with etas, and all
 * models have that flag. Tiles are of the usual size but for SURFACE_LARGE. */
template <bool FEW, SurfaceCase WHAT>
__global__ void __launch_bounds__(TILES_MOST, FEW ? 2 : MANY)
    step_tiles(const __grid_constant__ SurfaceLaunch launch) {
  Ctx ctx;
  uint character;
  const uint index = open_block<WHAT>(launch, ctx, &character);
  const uint thread = threadIdx.x, threads = blockDim.x;
  Tile t = tile_plain<WHAT>(ctx, tile_open(ctx, index, thread));
  /* Of the model, which nobody writes: while the kernel before may still be at work. */
  const uint entry = own_entry(t, thread), scaled_bone = threads - 1 - thread;
  const bool has_halo = thread < t.halo, has_row = thread < 3 * t.bones;
  const Lane lane = tile_lane(ctx, t, entry);
  Lane halo;
  uint halo_lane = 0, bone = 0, other_bone = 0;
  if (has_halo) {
    halo = tile_lane(ctx, t, t.lanes + thread);
    halo_lane = MODEL(t.halos + thread);
  }
  if (has_row) bone = row_bone(ctx, t, thread);
  if (scaled_bone < t.bones) other_bone = MODEL(bones_at(t) + scaled_bone);
  stage(ctx, t);
  next_may_start();
  wait_for_last();
  open_character(ctx, character);
  const uint *word = ctx.words + index;
  Flesh flesh = fetch_flesh<FEW>(ctx, t, t.first + entry, word);
  Flesh halo_flesh;
  if (has_halo) halo_flesh = fetch_flesh<FEW>(ctx, t, halo_lane, word);
  vec4 now, last, before;
  if (has_row) {
    now = palette_row(ctx, bone, thread % 3);
    last = fetch_history<FEW>(ctx, bone, thread, word);
    if (TILE_LOOKS_BACK) before = fetch_moved<FEW>(ctx, bone, thread, word);
  }
  bool scaled = scaled_bone < t.bones && put_scale(ctx, scaled_bone, other_bone);
  t = tile_turn(t, *word);
  if (has_row) put_row(ctx, t, thread, now, last, before);
  scaled = tile_bones(ctx, t, threads, thread, threads) || scaled;
  if ((t.flags & FLAG_UNDELAYED) != 0) staged_wait(); /* for eta */
  t.scaled = __syncthreads_or(scaled);
  const Goal goal = tile_goal(ctx, t, entry, lane);
  flesh = tile_caught_up(ctx, t, entry, lane, flesh, goal);
  tile_own_entry(ctx, t, thread, lane, flesh, goal);
  tile_segments(ctx, t, thread, threads);
  if (has_halo && t.fresh == 0) tile_halo_entry(ctx, t, thread, halo, halo_flesh);
  tile_halo(ctx, t, threads, thread, threads);
  staged_wait();
  __syncthreads();
  tile_solve(ctx, t, thread, lane, flesh, goal);
  tile_keep(ctx, t, thread, threads);
  if (thread == 0) ctx.words[index] = tile_next_word(t, ctx.step[4]);
}

/* The same with two threads to a vertex, of different warps, where few blocks run and each should
 * be done soon: one has neighbours and rotation, the other halo, spokes and goal. */
template <SurfaceCase WHAT>
__global__ void __launch_bounds__(2 * TILES_MOST, 1)
    step_pairs(const __grid_constant__ SurfaceLaunch launch) {
  Ctx ctx;
  uint character;
  const uint index = open_block<WHAT>(launch, ctx, &character);
  const uint threads = blockDim.x / 2;
  const bool first = threadIdx.x < threads;
  const uint thread = first ? threadIdx.x : threadIdx.x - threads;
  ctx.goals = (float4 *)(ctx.staged + TILES_ROUND(launch.staged, 4u));
  ctx.volumes = ctx.goals + threads;
  Tile t = tile_plain<WHAT>(ctx, tile_open(ctx, index, thread));
  const uint entry = own_entry(t, thread);
  const bool has_halo = !first && thread < t.halo, has_row = !first && thread < 3 * t.bones;
  const bool has_scale = first && thread < t.bones;
  const Lane lane = tile_lane(ctx, t, entry);
  Lane halo;
  uint halo_lane = 0, bone = 0;
  if (has_halo) {
    halo = tile_lane(ctx, t, t.lanes + thread);
    halo_lane = MODEL(t.halos + thread);
  }
  if (has_row) bone = row_bone(ctx, t, thread);
  if (has_scale) bone = MODEL(bones_at(t) + thread);
  stage(ctx, t);
  next_may_start();
  wait_for_last();
  open_character(ctx, character);
  const uint *word = ctx.words + index;
  Flesh flesh; /* the vertex's, or of the halo */
  if (first || has_halo)
    flesh = fetch_flesh<true>(ctx, t, first ? t.first + entry : halo_lane, word);
  vec4 now, last, before;
  if (has_row) {
    now = palette_row(ctx, bone, thread % 3);
    last = fetch_history<true>(ctx, bone, thread, word);
    if (TILE_LOOKS_BACK) before = fetch_moved<true>(ctx, bone, thread, word);
  }
  bool scaled = has_scale && put_scale(ctx, thread, bone);
  t = tile_turn(t, *word);
  if (has_row) put_row(ctx, t, thread, now, last, before);
  if (!first) scaled = tile_bones(ctx, t, threads, thread, threads);
  if ((t.flags & FLAG_UNDELAYED) != 0) staged_wait(); /* for eta */
  t.scaled = __syncthreads_or(scaled);
  Goal goal;
  goal.scale = 1;
  if (first) {
    goal.step = blend_moved(ctx, t, entry, lane);
    flesh = tile_caught_up(ctx, t, entry, lane, flesh, goal);
    tile_own_entry(ctx, t, thread, lane, flesh, goal);
  } else {
    tile_segments(ctx, t, thread, threads);
    if (has_halo && t.fresh == 0) tile_halo_entry(ctx, t, thread, halo, flesh);
    tile_halo(ctx, t, threads, thread, threads);
  }
  if (t.scaled) goal.scale = blend_scale(ctx, t, entry, lane);
  staged_wait();
  __syncthreads();
  Inner inner;
  const bool real = thread < t.lanes;
  if (first) {
    if (real && t.fresh == 0) inner = tile_inner(ctx, t, thread, lane, flesh, goal);
  } else if (real) {
    const vec4 x = ENTRY_A(thread);
    const vec3 v = tile_spokes(ctx, t, thread, lane, V3(x.x, x.y, x.z), size_of(goal));
    const vec3 g = blend_now(ctx, t, thread, lane);
    ctx.goals[thread] = V4(g.x, g.y, g.z, 0);
    ctx.volumes[thread] = V4(v.x, v.y, v.z, 0);
  }
  __syncthreads();
  if (!first) {
    tile_keep(ctx, t, thread, threads);
    return;
  }
  const vec4 g = ctx.goals[thread], v = ctx.volumes[thread];
  goal.at = V3(g.x, g.y, g.z);
  if (real && t.fresh > 0) tile_start(ctx, t, thread, lane, goal);
  if (real && t.fresh == 0) {
    tile_outer(ctx, t, thread, lane, flesh, goal, inner, V3(v.x, v.y, v.z));
  }
  if (thread == 0) ctx.words[index] = tile_next_word(t, ctx.step[4]);
}

__global__ void __launch_bounds__(TILES_MOST)
    show_tiles(const __grid_constant__ SurfaceLaunch launch) {
  Ctx ctx;
  uint character;
  const uint index = open_block<SURFACE_LARGE>(launch, ctx, &character), thread = threadIdx.x;
  open_character(ctx, character);
  const Tile t = tile_turn(tile_open(ctx, index, thread), ctx.words[index]);
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

/* Few blocks: each should be done soon. Many hide each other's waiting. */
static StepKernel *step_kernel(bool few, SurfaceCase what) {
  switch (what) {
    case SURFACE_PLAIN:
      return few ? step_tiles<true, SURFACE_PLAIN> : step_tiles<false, SURFACE_PLAIN>;
    case SURFACE_DELAYED:
      return few ? step_tiles<true, SURFACE_DELAYED> : step_tiles<false, SURFACE_DELAYED>;
    case SURFACE_UNDELAYED:
      return few ? step_tiles<true, SURFACE_UNDELAYED> : step_tiles<false, SURFACE_UNDELAYED>;
    case SURFACE_ANY: return few ? step_tiles<true, SURFACE_ANY> : step_tiles<false, SURFACE_ANY>;
    default: return few ? step_tiles<true, SURFACE_LARGE> : step_tiles<false, SURFACE_LARGE>;
  }
}

/* Two threads to a vertex: where all blocks run at once. NULL: not for this launch. */
static StepKernel *pairs_kernel(SurfaceCase what) {
  return what == SURFACE_PLAIN       ? step_pairs<SURFACE_PLAIN>
         : what == SURFACE_DELAYED   ? step_pairs<SURFACE_DELAYED>
         : what == SURFACE_UNDELAYED ? step_pairs<SURFACE_UNDELAYED>
                                     : NULL;
}

static size_t shared_bytes(const SurfaceLaunch *launch) {
  const SurfaceRoom room = surface_room(launch->what);
  return 36 * (size_t)room.entries + 148 * (size_t)room.bones + 32 * (size_t)room.segments +
         4 * (size_t)launch->staged;
}

static size_t pairs_bytes(const SurfaceLaunch *launch, uint32_t threads) {
  SurfaceLaunch like = *launch;
  like.staged = TILES_ROUND(launch->staged, 4u);
  return shared_bytes(&like) + 2 * sizeof(float4) * threads;
}

cudaError_t sup_cuda_surface_allow(const SurfaceLaunch *launch) {
  cudaError_t code = cudaSuccess;
  for (int k = 0; k < SURFACE_ANY && code == cudaSuccess; k++) {
    SurfaceLaunch like = *launch;
    like.what = (SurfaceCase)k;
    code = cuda_allow_shared((const void *)pairs_kernel(like.what), pairs_bytes(&like, TILES_MOST));
  }
  for (int k = 0; k < 2 * SURFACE_CASES && code == cudaSuccess; k++) {
    SurfaceLaunch like = *launch;
    like.what = (SurfaceCase)(k / 2);
    code = cuda_allow_shared((const void *)step_kernel(k % 2, like.what), shared_bytes(&like));
  }
  return code;
}

void sup_cuda_launch_step(const SurfaceLaunch *launch, uint32_t blocks, uint32_t threads,
                          cudaStream_t stream) {
  const bool few = blocks <= SURFACE_FEW;
  StepKernel *pairs = NULL;
  if (blocks <= (threads > 128 ? SURFACE_FEW / 2 : SURFACE_FEW)) pairs = pairs_kernel(launch->what);
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(pairs ? 2 * threads : threads);
  config.dynamicSmemBytes = pairs ? pairs_bytes(launch, threads) : shared_bytes(launch);
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = few ? 1 : 0; /* many blocks would only be in the way */
  cudaLaunchKernelEx(&config, pairs ? pairs : step_kernel(few, launch->what), *launch);
}

void sup_cuda_launch_show(const SurfaceLaunch *launch, uint32_t blocks, uint32_t threads,
                          cudaStream_t stream) {
  show_tiles<<<blocks, threads, sizeof(float4) * launch->entries, stream>>>(*launch);
}

void sup_cuda_launch_reset(void *states, size_t state_bytes, uint32_t tiles, uint32_t count,
                           cudaStream_t stream) {
  reset_tiles<<<(tiles * count + 127) / 128, 128, 0, stream>>>((uint *)states, state_bytes / 4,
                                                               tiles, count);
}
