/* SPDX-License-Identifier: MIT */
/* What the files of libsupple_cuda share: errors as sentences, memory, the functions of the table.
 */
#ifndef SUP_SRC_CUDA_DEVICE_H
#define SUP_SRC_CUDA_DEVICE_H

#include <cuda_runtime.h>

#include "supple/batch.h"

/* SUP_OK, or what CUDA says about `code` behind "cuda: what: ". */
SupResult sup_cuda_check(cudaError_t code, const char *what, SupError *error);

/* Memory of the GPU with a copy of from[bytes] (zero if NULL); NULL with a sentence. */
void *sup_cuda_copy(const void *from, size_t bytes, const char *what, SupError *error);

/* Within the GPU's memory. */
cudaError_t sup_cuda_copy_within(void *to, const void *from, size_t bytes, cudaStream_t stream);

/* A batch with an array of groups in an arena of its own, which it holds; NULL: no memory. Every
 * technique's batch has arena, group_count and groups. */
#define SUP_CUDA_BATCH(b, def)                                                         \
  do {                                                                                 \
    SupArena arena_;                                                                   \
    sup_arena_init(&arena_, (def)->allocator, 0);                                      \
    (b) = sup_arena_alloc(&arena_, 1, sizeof *(b));                                    \
    if (b) {                                                                           \
      (b)->groups = sup_arena_alloc(&arena_, (def)->group_count, sizeof *(b)->groups); \
      (b)->group_count = (def)->group_count;                                           \
      (b)->arena = arena_;                                                             \
    }                                                                                  \
    if ((b) && !(b)->groups) (b) = NULL;                                               \
    if (!(b)) sup_arena_free(&arena_);                                                 \
  } while (0)

/* Which of the characters first .. first + count - 1 a group has, counted within it. */
static inline SupRange sup_cuda_part(uint32_t group_first, uint32_t group_count, uint32_t first,
                                     uint32_t count) {
  const uint64_t end = (uint64_t)group_first + group_count, last = (uint64_t)first + count;
  const uint64_t from = first > group_first ? first : group_first, to = last < end ? last : end;
  if (from >= to) return (SupRange){0};
  return (SupRange){.first = (uint32_t)(from - group_first), .count = (uint32_t)(to - from)};
}

SupResult sup_cuda_surface_make(const SupBackend *backend, const SupBatchDef *def,
                                SupSurfaceBatch **out, SupError *error);
void sup_cuda_surface_free(SupSurfaceBatch *batch);
void sup_cuda_surface_reset(SupSurfaceBatch *batch, uint32_t first, uint32_t count,
                            SupStream stream);
void sup_cuda_surface_step(SupSurfaceBatch *batch, const SupAffine *palettes,
                           const SupBatchForces *forces, SupStream stream);
void sup_cuda_surface_show(SupSurfaceBatch *batch, SupBatchOutput positions, SupBatchOutput normals,
                           SupStream stream);
SupResult sup_cuda_surface_get(SupSurfaceBatch *batch, uint32_t character,
                               SupSurfaceState *io_state, SupStream stream, SupError *error);
SupResult sup_cuda_surface_put(SupSurfaceBatch *batch, uint32_t character,
                               const SupSurfaceState *state, const SupAffine *palettes,
                               SupStream stream, SupError *error);

SupResult sup_cuda_modes_make(const SupBackend *backend, const SupBatchDef *def,
                              SupModesBatch **out, SupError *error);
void sup_cuda_modes_free(SupModesBatch *batch);
void sup_cuda_modes_reset(SupModesBatch *batch, uint32_t first, uint32_t count, SupStream stream);
void sup_cuda_modes_step(SupModesBatch *batch, float dt, const SupAffine *palettes, SupVec3 gravity,
                         SupStream stream);
void sup_cuda_modes_weights(SupModesBatch *batch, float lod, float fade, float *weights,
                            SupStream stream);
SupResult sup_cuda_modes_get(SupModesBatch *batch, uint32_t character, SupModesState *io_state,
                             SupStream stream, SupError *error);
SupResult sup_cuda_modes_put(SupModesBatch *batch, uint32_t character, const SupModesState *state,
                             SupStream stream, SupError *error);

SupResult sup_cuda_helpers_make(const SupBackend *backend, const SupBatchDef *def,
                                SupHelpersCrowd **out, SupError *error);
void sup_cuda_helpers_free(SupHelpersCrowd *batch);
void sup_cuda_helpers_reset(SupHelpersCrowd *batch, uint32_t first, uint32_t count,
                            SupStream stream);
void sup_cuda_helpers_step(SupHelpersCrowd *batch, const SupHelpersControls *controls,
                           const SupAffine *globals, SupTransform *io_joints, SupStream stream);
void sup_cuda_helpers_lods(SupHelpersCrowd *batch, uint32_t first, uint32_t count,
                           const uint8_t *lods, SupStream stream);
SupResult sup_cuda_helpers_blend(SupHelpersCrowd *batch, uint32_t group, const float *fractions,
                                 SupStream stream, SupError *error);

SupResult sup_cuda_skin_make(const SupBackend *backend, const SupBatchDef *def, SupSkinBatch **out,
                             SupError *error);
void sup_cuda_skin_free(SupSkinBatch *batch);
void sup_cuda_skin_lbs(SupSkinBatch *batch, const SupAffine *palettes, const float *weights,
                       SupBatchOutput positions, SupBatchOutput normals, SupStream stream);

#endif
