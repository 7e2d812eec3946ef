/* SPDX-License-Identifier: MIT */
/*
 * The helpers technique on the GPU: a block has 32 characters, one per lane, and its warps share
 * their turns, frames and helpers (the equations and their reasons are in
 * runtime/helpers/helpers.kernel.c). Inputs, and the states of the helpers at work, lie in shared
 * memory, a row of 32 per number; what characters remember lies in rows of all of them; all lanes
 * read the same matrices.
 */
#include "cuda/device_finite.h"
#include "cuda/helpers_crowd.h"
#include "cuda/shared_memory.h"

#define LANES 32
#define AGAIN 3 /* of seen: what is shown stays, velocities and states start again */

struct V3 {
  float x, y, z;
};
struct Axes {
  V3 x, y, z;
};

static __device__ __forceinline__ float dot(V3 a, V3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static __device__ __forceinline__ V3 rotation_vector(float x, float y, float z, float w) {
  const float sign = w < 0 ? -1.0f : 1.0f;
  x *= sign, y *= sign, z *= sign, w *= sign;
  const float square = x * x + y * y + z * z;
  float factor;
  if (square < 1e-6f * (w * w)) {
    const float u = square / (w * w);
    factor = 2 / w * (1 - u / 3 + u * u / 5);
  } else {
    const float length = sqrtf(square);
    factor = 2 * atan2f(length, w) / length;
  }
  return {x * factor, y * factor, z * factor};
}

static __device__ __forceinline__ bool finite(V3 v) { return cuda_finite3(v.x, v.y, v.z); }

static __device__ __forceinline__ float4 rotation_of(V3 v) {
  const float square = dot(v, v), cube = square * square * square;
  if (square < 1e-4f) {
    const float by = 0.5f - square / 48 + square * square / 3840 - cube / 645120;
    return {v.x * by, v.y * by, v.z * by, 1 - square / 8 + square * square / 384 - cube / 46080};
  }
  const float angle = sqrtf(square);
  float s, c;
  sincosf(0.5f * angle, &s, &c);
  const float by = s / angle;
  return {v.x * by, v.y * by, v.z * by, c};
}

static __device__ __forceinline__ V3 unit(V3 v) {
  const float square = dot(v, v), by = square > 1e-30f ? 1 / sqrtf(square) : 0.0f;
  return {v.x * by, v.y * by, v.z * by};
}

/* The rotation vector that leads from some axes to others, in the first. */
static __device__ __forceinline__ V3 turn_of_axes(const Axes &a, const Axes &b) {
  const float trace = dot(a.x, b.x) + dot(a.y, b.y) + dot(a.z, b.z);
  const float w = 0.5f * sqrtf(fmaxf(1e-6f, 1 + trace)), by = 0.25f / w;
  return rotation_vector((dot(a.z, b.y) - dot(a.y, b.z)) * by, (dot(a.x, b.z) - dot(a.z, b.x)) * by,
                         (dot(a.y, b.x) - dot(a.x, b.y)) * by, w);
}

static __device__ __forceinline__ float faded(float shown, float target, float step) {
  if (shown < target) return shown + step < target ? shown + step : target;
  return shown - step > target ? shown - step : target;
}

/* What a thread works with. */
struct Mind {
  uint32_t character;
  float *u, *z; /* of the rows of inputs and states */
  bool has_velocity, has_acceleration;
};

static __device__ __forceinline__ void put_input(const HelpersLaunch &l, const Mind &m,
                                                 uint32_t row, float x) {
  const float low = __ldg(l.box + row), high = __ldg(l.box + l.input_count + row);
  m.u[row * LANES] = fmaxf(low, fminf(x, high));
}

static __device__ __forceinline__ void put_inputs(const HelpersLaunch &l, const Mind &m,
                                                  uint32_t row, V3 v) {
  put_input(l, m, row, v.x);
  put_input(l, m, row + 1, v.y);
  put_input(l, m, row + 2, v.z);
}

/* Row r of the character's memory. */
static __device__ __forceinline__ float *number(const HelpersLaunch &l, const Mind &m, uint32_t r) {
  return l.numbers + (size_t)l.stride * r + m.character;
}

static __device__ __forceinline__ V3 past(const HelpersLaunch &l, const Mind &m, uint32_t r) {
  const float *p = number(l, m, r);
  return {p[0], p[l.stride], p[2 * (size_t)l.stride]};
}

static __device__ __forceinline__ void remember(const HelpersLaunch &l, const Mind &m, uint32_t r,
                                                V3 v) {
  float *p = number(l, m, r);
  p[0] = v.x, p[l.stride] = v.y, p[2 * (size_t)l.stride] = v.z;
}

static __device__ __forceinline__ void read_turns(const HelpersLaunch &l, const Mind &m,
                                                  const float *joints) {
  for (uint32_t t = threadIdx.y; t < l.turn_count; t += blockDim.y) {
    const float *q = joints + 10 * __ldg(l.turns + t) + 3, *a = l.rest + 4 * t;
    const float ax = __ldg(a), ay = __ldg(a + 1), az = __ldg(a + 2), aw = __ldg(a + 3);
    const float x = q[0], y = q[1], z = q[2], w = q[3];
    const V3 turn =
        rotation_vector(aw * x - ax * w - ay * z + az * y, aw * y + ax * z - ay * w - az * x,
                        aw * z - ax * y + ay * x - az * w, aw * w + ax * x + ay * y + az * z);
    const V3 none = {0, 0, 0};
    put_inputs(l, m, 3 * t, finite(turn) ? turn : none); /* a turn that is none is left out */
  }
}

static __device__ __forceinline__ V3 rate_of(V3 now, V3 last, bool has, float rate) {
  if (!has) return {0, 0, 0};
  return {(now.x - last.x) * rate, (now.y - last.y) * rate, (now.z - last.z) * rate};
}

static __device__ __forceinline__ void read_frame(const HelpersLaunch &l, const Mind &m, uint32_t f,
                                                  const float *g, V3 p) {
  const uint32_t rows = HELPERS_PAST_ROWS * f, input = 3 * l.turn_count + SUP_HELPERS_ROWS * f;
  const V3 x = {g[0], g[1], g[2]}, y = {g[3], g[4], g[5]}, z = {g[6], g[7], g[8]};
  V3 at = {x.x * p.x + y.x * p.y + z.x * p.z + g[9], x.y * p.x + y.y * p.y + z.y * p.z + g[10],
           x.z * p.x + y.z * p.y + z.z * p.z + g[11]};
  Axes axes = {unit(x), unit(y), unit(z)};
  const Axes was = {past(l, m, rows + 6), past(l, m, rows + 9), past(l, m, rows + 12)};
  if (!finite(at) || !finite(x) || !finite(y) || !finite(z)) { /* stays where it was */
    at = past(l, m, rows);
    axes = was;
  }
  const V3 none = {0, 0, 0};
  const V3 v = rate_of(at, past(l, m, rows), m.has_velocity, l.rate);
  const V3 a = rate_of(v, past(l, m, rows + 3), m.has_acceleration, l.rate);
  const V3 w = m.has_velocity ? rate_of(turn_of_axes(was, axes), none, true, l.rate) : none;
  const V3 b = rate_of(w, past(l, m, rows + 15), m.has_acceleration, l.rate);
  const V3 felt = {a.x - l.gravity[0], a.y - l.gravity[1], a.z - l.gravity[2]};
  remember(l, m, rows, at);
  remember(l, m, rows + 3, v);
  remember(l, m, rows + 6, axes.x);
  remember(l, m, rows + 9, axes.y);
  remember(l, m, rows + 12, axes.z);
  remember(l, m, rows + 15, w);
  put_inputs(l, m, input + SUP_HELPERS_SPEED, {dot(axes.x, v), dot(axes.y, v), dot(axes.z, v)});
  put_inputs(l, m, input + SUP_HELPERS_SPIN, w);
  put_inputs(l, m, input + SUP_HELPERS_PUSH,
             {dot(axes.x, felt), dot(axes.y, felt), dot(axes.z, felt)});
  put_inputs(l, m, input + SUP_HELPERS_WHIRL, b);
}

/* The states of a helper: as they were left, or in balance with the inputs. */
static __device__ __forceinline__ void take_states(const HelpersLaunch &l, const Mind &m,
                                                   const HelperItem &h, bool settle) {
  const uint32_t first = HELPERS_PAST_ROWS * l.frame_count + h.state_first;
  for (uint32_t k = 0; k < h.states; k++) {
    float z;
    if (settle) {
      const float *row = l.matrices + h.settle_at + (h.inputs + 1) * k;
      z = __ldg(row + h.inputs);
      for (uint32_t i = 0; i < h.inputs; i++) {
        z += __ldg(row + i) * m.u[__ldg(l.lists + h.inputs_at + i) * LANES];
      }
    } else {
      z = *number(l, m, first + k);
    }
    m.z[k * LANES] = z;
  }
}

static __device__ __forceinline__ void add_column(float4 &sum, const float *column, float by) {
  const float4 c = __ldg((const float4 *)column);
  sum.x += c.x * by, sum.y += c.y * by, sum.z += c.z * by, sum.w += c.w * by;
}

/* Rows r .. r + 3 of y and the next states. */
static __device__ __forceinline__ float4 dynamic_rows(const HelpersLaunch &l, const Mind &m,
                                                      const HelperItem &h, uint32_t r) {
  const float *column = l.matrices + h.dynamic_at + r;
  float4 sum = {0, 0, 0, 0};
#pragma unroll 2
  for (uint32_t k = 0; k < h.states; k++, column += h.rows) {
    add_column(sum, column, m.z[k * LANES]);
  }
#pragma unroll 2
  for (uint32_t i = 0; i < h.inputs; i++, column += h.rows) {
    add_column(sum, column, m.u[__ldg(l.lists + h.inputs_at + i) * LANES]);
  }
  add_column(sum, column, 1);
  return sum;
}

static __device__ __forceinline__ float shaped(const HelpersLaunch &l, const float *range,
                                               float y) {
  const float low = __ldg(range), high = __ldg(range + 1);
  float out = fmaxf(low * SUP_HELPERS_LIMIT, fminf(y, high * SUP_HELPERS_LIMIT)) * l.exaggerate;
  if (l.range > 0) out = fmaxf(low * l.range, fminf(out, high * l.range));
  return out;
}

/* Where a helper stands in this pose. */
static __device__ __forceinline__ void pose_helper(const HelpersLaunch &l, const Mind &m,
                                                   const HelperItem &h, float shown, float q[6]) {
  const float *column = l.matrices + h.static_at;
  float4 a = __ldg((const float4 *)column), b = __ldg((const float4 *)(column + 4));
#pragma unroll 2
  for (uint32_t k = 0; k < h.features; k++) {
    const uint32_t *three = l.lists + h.features_at + 3 * k;
    const float product =
        m.u[__ldg(three) * LANES] * m.u[__ldg(three + 1) * LANES] * m.u[__ldg(three + 2) * LANES];
    column += 8;
    add_column(a, column, product);
    add_column(b, column + 4, product);
  }
  q[0] = a.x * shown, q[1] = a.y * shown, q[2] = a.z * shown, q[3] = a.w * shown;
  q[4] = b.x * shown, q[5] = b.y * shown;
}

/* How it swings on top of that; its states go on. */
static __device__ __forceinline__ void swing_helper(const HelpersLaunch &l, const Mind &m,
                                                    const HelperItem &h, float shown, float q[6]) {
  const uint32_t first = HELPERS_PAST_ROWS * l.frame_count + h.state_first;
  const float *range = l.matrices + h.range_at;
  const float4 a = dynamic_rows(l, m, h, 0);
  for (uint32_t r = 4; r < h.rows; r += 4) {
    const float4 sum = dynamic_rows(l, m, h, r);
    const float four[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      if (r == 4 && k < 2) {
        q[4 + k] += shaped(l, range + 2 * (4 + k), four[k]) * shown;
      } else if (r + k - 6 < h.states) {
        *number(l, m, first + r + k - 6) = four[k];
      }
    }
  }
  q[0] += shaped(l, range, a.x) * shown;
  q[1] += shaped(l, range + 2, a.y) * shown;
  q[2] += shaped(l, range + 4, a.z) * shown;
  q[3] += shaped(l, range + 6, a.w) * shown;
}

static __device__ __forceinline__ void put_joint(const HelperItem &h, const float q[6], float *to) {
  const SupQuat a = h.rest.rotation;
  const float4 b = rotation_of({q[3], q[4], q[5]});
  to[0] = h.rest.translation.x + q[0];
  to[1] = h.rest.translation.y + q[1];
  to[2] = h.rest.translation.z + q[2];
  to[3] = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
  to[4] = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x;
  to[5] = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w;
  to[6] = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z;
  to[7] = h.rest.scale.x, to[8] = h.rest.scale.y, to[9] = h.rest.scale.z;
}

__global__ void __launch_bounds__(LANES *HELPERS_WARPS, 4)
    step_helpers(const __grid_constant__ HelpersLaunch l) {
  extern __shared__ float rows[];
  Mind m;
  m.character = blockIdx.x * LANES + threadIdx.x; /* memory has room for those beyond the last */
  const bool real = m.character < l.count;
  m.u = rows + threadIdx.x;
  m.z = m.u + (l.input_count + threadIdx.y * l.most_states) * LANES;
  float *shown = number(l, m, HELPERS_PAST_ROWS * l.frame_count + l.state_count);
  uint32_t seen = l.seen[m.character];
  const uint32_t lod = l.lods[m.character];
  const float want_static = lod >= SUP_HELPERS_STATIC ? l.want_static : 0.0f;
  const float want_dynamic = lod >= SUP_HELPERS_FULL ? l.want_dynamic : 0.0f;
  const float still = seen == 0 ? want_static : faded(shown[0], want_static, l.fade);
  const float swing = seen == 0 ? want_dynamic : faded(shown[l.stride], want_dynamic, l.fade);
  if (!(swing > 0)) seen = AGAIN;
  m.has_velocity = seen == 1 || seen == 2;
  m.has_acceleration = seen == 2;
  const size_t first = (size_t)l.joint_count * (real ? m.character : l.count - 1);
  float *joints = l.joints + 10 * first;
  read_turns(l, m, joints);
  for (uint32_t f = threadIdx.y; f < l.frame_count && swing > 0; f += blockDim.y) {
    const SupHelpersFrame frame = l.frames[f];
    read_frame(l, m, f, l.globals + 12 * (first + frame.joint),
               {frame.point.x, frame.point.y, frame.point.z});
  }
  if (threadIdx.y == 0) m.u[(l.input_count - 1) * LANES] = 1;
  __syncthreads();
  for (uint32_t k = threadIdx.y; k < l.helper_count; k += blockDim.y) {
    const HelperItem &h = l.helpers[k];
    float q[6] = {0, 0, 0, 0, 0, 0};
    if (still > 0) pose_helper(l, m, h, still, q);
    if (swing > 0) {
      take_states(l, m, h, seen != 2);
      swing_helper(l, m, h, swing, q);
    }
    if (real) put_joint(h, q, joints + 10 * h.joint);
  }
  if (threadIdx.y > 0) return;
  shown[0] = still;
  shown[l.stride] = swing;
  l.seen[m.character] = swing > 0 && seen != 2 ? (seen == 1 ? 2 : 1) : seen;
}

static size_t shared_bytes(const HelpersLaunch *l) {
  return sizeof(float) * LANES * (l->input_count + (size_t)l->warps * l->most_states);
}

extern "C" cudaError_t sup_cuda_helpers_allow(HelpersLaunch *io) {
  const size_t most = 200 << 10;
  io->warps = io->helper_count < HELPERS_WARPS ? io->helper_count : HELPERS_WARPS;
  if (io->warps == 0) io->warps = 1;
  if (shared_bytes(io) > most) return cudaErrorInvalidValue;
  return cuda_allow_shared((const void *)step_helpers, shared_bytes(io));
}

extern "C" void sup_cuda_launch_helpers(const HelpersLaunch *l, cudaStream_t stream) {
  const dim3 threads(LANES, l->warps);
  step_helpers<<<(l->count + LANES - 1) / LANES, threads, shared_bytes(l), stream>>>(*l);
}
