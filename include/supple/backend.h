/* SPDX-License-Identifier: MIT */
/*
 * Supple: the instruction set as a table of functions.
 *
 * A backend is a const table of batch kernels, compiled for one instruction set. The caller picks
 * one (usually sup_backend_cpu(), once) and passes it to whatever steps, so nothing is global and
 * two backends can be compared in one program. All processor tables give the same bits for the
 * same input; the table named "scalar" is always there and is the reference.
 *
 * Arrays of structures of blocks: where a comment says `blocks`, items come in blocks of
 * SUP_BACKEND_BLOCK = 16, and component k of item i lies at
 * [(i / 16 * components + k) * 16 + i % 16]. Such arrays are aligned to SUP_ALIGNMENT.
 * Plain arrays may lie anywhere.
 *
 * Tables also have batch functions (supple/batch.h): many characters in one call. A table for a GPU
 * has these alone; all other entries of it are NULL.
 */
#ifndef SUPPLE_BACKEND_H
#define SUPPLE_BACKEND_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_BACKEND_BLOCK 16

/* out[i] = f(x[i]), i < count. `out` may be `x`. */
typedef void SupMapKernel(const float *x, size_t count, float *out);

/* out[i] = the angle of (x[i], y[i]), i < count. `out` may be `y` or `x`. */
typedef void SupMapAtan2Kernel(const float *y, const float *x, size_t count, float *out);

/* One best rotation per matrix A, argmax trace(R^T A), warm-started: `iterations` Newton steps
 * from io_rotations (unit quaternions xyzw; anything far from unit length counts as the
 * identity). 1 or 2 steps follow a moving body; from anywhere 8 find the answer in all but one of
 * some thousand cases, 12 in all that were tried.
 *   matrices[blocks of 9]      column-major, any finite scale
 *   io_rotations[blocks of 4]
 * Where the best rotation is not unique (rank 0 or 1, a reflection with equal smaller singular
 * values), it goes to the best ones without turning in the directions that A leaves open; a zero
 * matrix keeps it. The result is a unit quaternion whatever comes in. */
typedef void SupRotationFitKernel(const float *matrices, size_t block_count, uint32_t iterations,
                                  float *io_rotations);

/* Skins the given blocks of a call (supple/skin.h); outputs of other blocks stay untouched. */
struct SupSkinCall;
typedef void SupSkinKernel(const struct SupSkinCall *call, SupRange blocks);

/* sup_lane_frames (supple/technique.h) over the given blocks of a call. */
struct SupLaneFramesCall;
typedef void SupLaneFramesKernel(const struct SupLaneFramesCall *call, SupRange blocks);

/* The surface technique (supple/surface.h) over the given blocks of a call. */
struct SupSurfaceCall;
struct SupSurfaceShowCall;
typedef void SupSurfaceStartKernel(const struct SupSurfaceCall *call, SupRange blocks, bool moving);
typedef void SupSurfaceKernel(const struct SupSurfaceCall *call, SupRange blocks);
typedef void SupSurfaceShowKernel(const struct SupSurfaceShowCall *call, SupRange blocks);

/* The modes technique (supple/modes.h): all modes of one character. */
struct SupModesDriveCall;
struct SupModesAdvanceCall;
typedef void SupModesDriveKernel(const struct SupModesDriveCall *call);
typedef void SupModesAdvanceKernel(const struct SupModesAdvanceCall *call);

/* The popping technique (supple/popping.h): all muscles of one character. */
struct SupPoppingStepCall;
struct SupPoppingShowCall;
typedef void SupPoppingStepKernel(const struct SupPoppingStepCall *call);
typedef void SupPoppingShowKernel(const struct SupPoppingShowCall *call);
/* The helpers technique (supple/helpers.h): one character, or 16 of a crowd. */
struct SupHelpersReadCall;
struct SupHelpersMoveCall;
typedef void SupHelpersReadKernel(const struct SupHelpersReadCall *call);
typedef void SupHelpersMoveKernel(const struct SupHelpersMoveCall *call);

/* The envelope technique (supple/envelope.h): patches, or blocks of the skin, of one character. */
struct SupEnvelopePatchesCall;
struct SupEnvelopeFramesCall;
typedef void SupEnvelopePatchesKernel(const struct SupEnvelopePatchesCall *call, SupRange patches);
typedef void SupEnvelopeFramesKernel(const struct SupEnvelopeFramesCall *call, SupRange blocks);

/* The chunks technique (supple/chunks.h): chunks, or patches, of one character. */
struct SupChunksKernelCall;
typedef void SupChunksKernel(const struct SupChunksKernelCall *call, SupRange range);

/* Entries are added at the end of their section, never removed. */
typedef struct SupBackend {
  const char *name; /* "scalar", "sse2", "avx2", "avx512", "neon", "wasm128", "cuda" */
  uint32_t lanes;   /* floats in one vector: 1, 4, 8 or 16 */

  /* math: the functions of supple/math.h over plain arrays, the same bits */
  SupMapKernel *map_sin;
  SupMapKernel *map_cos;
  SupMapKernel *map_exp;
  SupMapKernel *map_log;
  SupMapKernel *map_acos;
  SupMapAtan2Kernel *map_atan2;
  SupRotationFitKernel *rotation_fit;

  /* anim: linear blend and dual quaternion skinning */
  SupSkinKernel *skin_lbs;
  SupSkinKernel *skin_dqs;

  /* runtime: how vertices turn with their triangles */
  SupLaneFramesKernel *lane_frames;

  /* runtime: the surface technique */
  SupSurfaceStartKernel *surface_start;
  SupSurfaceKernel *surface_prepare;
  SupSurfaceKernel *surface_solve;
  SupSurfaceShowKernel *surface_show;

  /* runtime: the modes technique */
  SupModesDriveKernel *modes_drive;
  SupModesAdvanceKernel *modes_advance;

  /* runtime: the popping technique */
  SupPoppingStepKernel *popping_step;
  SupPoppingShowKernel *popping_show;

  /* runtime: the helpers technique */
  SupHelpersReadKernel *helpers_read;
  SupHelpersMoveKernel *helpers_move;
  SupHelpersMoveKernel *helpers_crowd;
  SupHelpersReadKernel *helpers_crowd_read;

  /* runtime: the envelope technique */
  SupEnvelopePatchesKernel *envelope_hang;
  SupEnvelopePatchesKernel *envelope_spread;
  SupEnvelopeFramesKernel *envelope_frames;

  /* runtime: the chunks technique */
  SupChunksKernel *chunks_nodes;
  SupChunksKernel *chunks_hang;
  SupChunksKernel *chunks_spread;

  /* many characters in one call (supple/batch.h) */
  const struct SupBatchTable *batch;
} SupBackend;

/* The fastest table that this build has and this processor can run; never NULL. Asks the
 * processor each time, since nothing here is global (10 microseconds on a virtual machine): call it
 * once and keep the result. */
const SupBackend *sup_backend_cpu(void);

/* The table of that name, or NULL where the build or the processor lacks it. */
const SupBackend *sup_backend_find(const char *name);

/* Writes the tables usable here, slowest first ("scalar"), into out_backends[capacity] and returns
 * how many there are, which may be more than `capacity`. out_backends may be NULL when capacity is
 * 0. */
uint32_t sup_backend_list(const SupBackend **out_backends, uint32_t capacity);

/* The table of the NVIDIA GPU, or NULL where the build (-DSUPPLE_CUDA=ON, then libsupple_cuda has
 * this function) or the machine has none. *out_why, if not NULL, becomes one sentence that says
 * which, or NULL where there is a table. */
const SupBackend *sup_backend_cuda(const char **out_why);

#ifdef __cplusplus
}
#endif
#endif
